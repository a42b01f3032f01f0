//! One file for each command.

mod analyse;
mod bench;
mod check;
mod doctor;
mod emit;
mod export;
mod figures;
mod fmt;
mod info;
mod input;
mod list;
mod map;
#[cfg(feature = "packing")]
mod mask;
#[cfg(feature = "overlap")]
mod overlap;
mod plot;
mod render;
mod resume;
mod run;
mod shell;
mod show;
mod sweep;

use crate::args::Command;
use crate::report::Failure;

/// Does what was asked.
///
/// # Errors
/// If it cannot be done.
pub(crate) fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Check(arguments) => check::check(&arguments),
        Command::Fmt(arguments) => fmt::fmt(&arguments),
        Command::Info(arguments) => info::info(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Merge(arguments) => sweep::merge(&arguments),
        Command::Export(arguments) => export::export(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Resume(arguments) => resume::resume(&arguments),
        Command::Map(arguments) => map::map(&arguments),
        #[cfg(feature = "packing")]
        Command::Mask(arguments) => mask::mask(&arguments),
        Command::Render(arguments) => render::render(&arguments),
        #[cfg(feature = "overlap")]
        Command::Bench(arguments) if arguments.overlap => bench::overlap::overlap(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Analyse(arguments) => analyse::analyse(&arguments),
        #[cfg(feature = "overlap")]
        Command::Overlap(arguments) => overlap::overlap(&arguments),
        Command::Figures(arguments) => figures::figures(&arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::List(arguments) => list::list(&arguments),
        Command::Show(arguments) => show::show(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
        Command::Emit(arguments) => emit::emit(&arguments),
    }
}
