//! One file for each command.

mod bench;
mod check;
mod doctor;
mod emit;
mod export;
mod fmt;
mod info;
mod map;
mod plot;
mod render;
mod resume;
mod run;

use crate::args::{At, Command, Part};
use crate::report::Failure;
use squeeze::window::Window;
use squeeze::{Domain, files, resolve};
use std::path::Path;

/// Does what was asked.
///
/// # Errors
/// If it cannot be done.
pub fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Check(arguments) => check::check(&arguments),
        Command::Fmt(arguments) => fmt::fmt(&arguments),
        Command::Info(arguments) => info::info(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Export(arguments) => export::export(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Resume(arguments) => resume::resume(&arguments),
        Command::Map(arguments) => map::map(&arguments),
        Command::Render(arguments) => render::render(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::Emit(arguments) => emit::emit(&arguments),
    }
}

/// The fractal at the level that was asked for.
fn domain(at: &At) -> Result<Domain, Failure> {
    Ok(Domain::new(resolve::fractal(&at.fractal)?, at.level)?)
}

/// The part of the grid that was asked for.
fn window(part: &Part, domain: &Domain) -> Result<Window, Failure> {
    let window = match &part.window {
        Some(text) => Window::parse(text, domain)?,
        None => Window::whole(domain),
    };
    Ok(match part.slice {
        Some(z) => window.slice(z, domain)?,
        None => window,
    })
}

/// The bytes of a file, or of standard input if it is called `-`.
fn read(path: &Path) -> Result<Vec<u8>, squeeze::Error> {
    let bytes = if path == Path::new("-") { files::read_standard_input() } else { files::read_text_bytes(path) };
    Ok(bytes?)
}
