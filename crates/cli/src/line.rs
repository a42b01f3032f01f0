//! The whole command line: the commands of the core, and what satellites add to them.

use crate::args;
use crate::commands::{
    analyse, bench, check, doctor, emit, export, fmt, info, list, map, plot, render, resume, run, shell, show, sweep,
};
use crate::engines::Chosen;
use crate::ranks;
use crate::report::CliError;
use crate::satellites::SATELLITES;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use squeeze::files::{self, Output};
use squeeze::resolve::{Kind, shipped_names};
use std::ffi::OsString;
use std::path::PathBuf;

/// The whole command line.
fn whole() -> clap::Command {
    let core = Command::augment_subcommands(clap::Command::new(""));
    let mut all: Vec<clap::Command> = core.get_subcommands().cloned().collect();
    for satellite in SATELLITES {
        insert_behind(satellite.behind, (satellite.command)(), &mut all, clap::Command::get_name);
    }
    let whole = clap::Command::new("squeeze").version(crate::version::VERSION.as_str()).before_help(groups(&all));
    let whole = whole.about(env!("CARGO_PKG_DESCRIPTION")).long_about(LONG_ABOUT).after_help(EXAMPLES);
    let whole =
        whole.help_template(TEMPLATE).max_term_width(100).subcommand_required(true).arg_required_else_help(true);
    all.into_iter().fold(whole, |whole, one| whole.subcommand(one.display_order(None)))
}

/// The help of the command itself: commands stand in groups.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}";

/// The commands by what they are for.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Simulate", &["run", "resume", "sweep", "merge"]),
    ("Look", &["view", "list", "show", "info", "render", "plot"]),
    ("Analyse", &["analyse", "overlap", "map"]),
    ("Files", &["export", "mask", "check", "fmt"]),
    ("Develop", &["emit", "bench", "figures", "doctor", "completions", "man"]),
];

/// The groups with a line for each of these commands.
fn groups(all: &[clap::Command]) -> String {
    let line = |name: &&str| {
        let about = all.iter().find(|command| command.get_name() == *name)?.get_about()?;
        Some(format!("  {name:<13}{about}\n"))
    };
    let group =
        |(title, names): &(&str, &[&str])| format!("{title}:\n{}", names.iter().filter_map(line).collect::<String>());
    GROUPS.iter().map(group).collect::<Vec<_>>().join("\n")
}

/// The words of a command line. `--periodic x` is `--periodic=x`: what follows the flag and names no axes is another argument.
pub(crate) fn words(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    for word in arguments {
        let axes = word.to_str().filter(|axes| args::values::periodic(axes).is_ok());
        match (words.last_mut(), axes) {
            (Some(flag), Some(axes)) if flag == "--periodic" => flag.push(format!("={axes}")),
            _ => words.push(word),
        }
    }
    words
}

const LONG_ABOUT: &str = "Simulates cellular automata, PDEs and spin models on huge discrete fractals.

FRACTAL and RULE are either the name of one that ships with Squeeze (see `squeeze list`) or a file. \
A name means a file if that file exists, or if the name contains a `/` or an extension. \
FILE#NAME picks one of several definitions in a file; without #NAME the last one is used.";

const EXAMPLES: &str = "Examples:
  squeeze list
  squeeze show life
  squeeze run sierpinski_triangle -r life -l 16 -n 1000 --image life.png
  squeeze help run";

/// The commands of the core.
#[derive(Subcommand)]
enum Command {
    /// List the fractals and rules that ship with Squeeze
    #[command(after_help = "Examples:\n  squeeze list\n  squeeze list rules")]
    List(args::List),
    /// Show a fractal or a rule: states, parameters, observables, source
    #[command(after_help = "Examples:\n  squeeze show heat\n  squeeze show my.rule#second")]
    Show(args::Show),
    /// Run a rule on a fractal
    #[command(
        after_help = args::run::EXAMPLES,
        override_usage = "squeeze run [OPTIONS] --rule <RULE> --steps <N> [--level <R>] [FRACTAL]"
    )]
    Run(Box<With<args::RunArgs>>),
    /// Continue a run from its last saved state, or a sweep
    #[command(after_help = "Examples:\n  squeeze resume spots\n  squeeze resume spots --steps 50000")]
    Resume(With<args::Resume>),
    /// Run a rule with many seeds and parameters, and average
    #[command(
        after_help = args::sweep::EXAMPLES,
        override_usage = "squeeze sweep [OPTIONS] --rule <RULE> --steps <N> --out <DIR> [--level <LEVELS>] <FRACTAL>"
    )]
    Sweep(args::SweepArgs),
    /// Join the parts of a sweep
    #[command(after_help = "Example:\n  squeeze merge part1 part2 part3")]
    Merge(args::Merge),
    /// Export saved states: arrays, pictures, animations, VTI, RLE
    #[command(
        after_help = "Examples:\n  squeeze export spots -o v.npy --field v\n  squeeze export spots -o film.gif --fps 20\n  squeeze export spots -o corner.vti --window 0,0,243,243"
    )]
    Export(args::Export),
    /// Plot observables over time, means against a parameter, or overlaps
    #[command(
        after_help = "Examples:\n  squeeze plot spots\n  squeeze plot cold warm hot --log xy -o decay.svg\n  squeeze plot curve\n  squeeze plot small large -o both.svg"
    )]
    Plot(args::Plot),
    /// Compute means with errors, crossings and power laws of runs and sweeps
    #[command(alias = "analyze", after_help = args::results::EXAMPLES)]
    Analyse(args::Analyse),
    /// Draw a fractal without a rule
    #[command(
        after_help = "Examples:\n  squeeze render tetrix -l 6 -o tetrix.png\n  squeeze render menger_sponge -l 4 --slice 13 -o slice.png"
    )]
    Render(args::Render),
    /// Show how large the levels of a fractal are, and what a rule needs
    #[command(
        after_help = "Examples:\n  squeeze info sierpinski_triangle\n  squeeze info sierpinski_triangle -l 16 --rule life"
    )]
    Info(args::Info),
    /// Convert between compact and expanded coordinates
    #[command(
        subcommand,
        after_help = "Examples:\n  squeeze map lambda vicsek --level 2 7\n  squeeze map nu vicsek --level 2 1 4"
    )]
    Map(args::Map),
    /// Check files and report every error in them
    #[command(after_help = "Examples:\n  squeeze check my.rule my.fractal\n  squeeze check --json life")]
    Check(args::Check),
    /// Format files in the canonical layout
    #[command(after_help = "Examples:\n  squeeze fmt -w my.rule\n  squeeze fmt --check *.rule")]
    Fmt(args::Fmt),
    /// Print the code that a rule on a fractal is compiled to
    #[command(
        after_help = "Examples:\n  squeeze emit vicsek --rule heat --target cuda\n  squeeze emit vicsek --rule heat --target rust -o heat.rs"
    )]
    Emit(With<args::Emit>),
    /// Measure how fast rules run on this machine
    #[command(
        after_help = "Examples:\n  squeeze bench vicsek,life,9 --threads 1\n  squeeze bench --layouts\n  squeeze bench --cliffs\n  squeeze bench --ledger tables bands"
    )]
    Bench(With<args::Bench>),
    /// Show which backends this machine has, and what others lack
    #[command(
        after_help = "Examples:\n  squeeze doctor\n  squeeze doctor --json\n  squeeze doctor --measure here.json"
    )]
    Doctor(args::Doctor),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  squeeze completions bash > ~/.local/share/bash-completion/completions/squeeze")]
    Completions(args::Completions),
    /// Write manual pages
    #[command(after_help = "Example:\n  squeeze man ~/.local/share/man/man1")]
    Man(args::Man),
}

/// The arguments of a command of the core, and those that satellites add.
struct With<T>(T);

impl<T: FromArgMatches> FromArgMatches for With<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<With<T>, clap::Error> {
        T::from_arg_matches(matches).map(With)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for With<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        let core = T::augment_args(clap::Command::new(""));
        let mut all: Vec<clap::Arg> = core.get_arguments().cloned().collect();
        // The last first, so that of several behind one argument the first stands next to it.
        for satellite in SATELLITES.iter().rev() {
            for more in satellite.arguments.iter().filter(|more| more.command == command.get_name()) {
                let own = (more.add)(clap::Command::new(""));
                for (argument, behind) in own.get_arguments().zip(more.behind) {
                    let own = satellite.bench.as_ref().filter(|bench| argument.get_id() == bench.flag);
                    let others = SATELLITES.iter().filter_map(|other| other.bench.as_ref());
                    let others =
                        others.map(|other| other.flag).filter(|other| own.is_some_and(|own| own.flag != *other));
                    insert_behind(behind, argument.clone().conflicts_with_all(others), &mut all, |known| {
                        known.get_id().as_str()
                    });
                }
            }
        }
        let command = core.get_groups().cloned().fold(command, clap::Command::group);
        all.into_iter().fold(command, |command, argument| command.arg(argument.display_order(None)))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        With::<T>::augment_args(command)
    }
}

/// Puts one more into a list behind the one of this name, or at the end if there is none.
fn insert_behind<T>(behind: &str, one: T, all: &mut Vec<T>, name: impl Fn(&T) -> &str) {
    let at = all.iter().position(|known| name(known) == behind).map_or(all.len(), |at| at + 1);
    all.insert(at, one);
}

/// Does what these words ask.
pub(crate) fn dispatch(words: &[OsString]) -> Result<(), CliError> {
    squeeze::memory::check_limits()?;
    let matches = whole().try_get_matches_from(words).map_err(|error| CliError::Usage(advised(error, words)))?;
    squeeze::threads::check_environment()?;
    let (name, own) = matches.subcommand().unwrap_or_else(|| unreachable!("clap asks for a command"));
    let launch = ranks::of_command(name)?;
    announce_outputs(own)?;
    if let Some(satellite) = SATELLITES.iter().find(|satellite| (satellite.command)().get_name() == name) {
        return (satellite.run)(own);
    }
    let chosen = || Chosen::of(SATELLITES.iter().find_map(|satellite| satellite.engines), own);
    let collectors: Vec<_> = SATELLITES.iter().filter_map(|satellite| satellite.collector).collect();
    match Command::from_arg_matches(&matches).map_err(CliError::Usage)? {
        Command::Check(arguments) => check::check(&arguments),
        Command::Fmt(arguments) => fmt::fmt(&arguments),
        Command::Info(arguments) => info::info(&arguments),
        Command::Run(arguments) => {
            let viewer = SATELLITES.iter().find_map(|satellite| satellite.viewer.and_then(|viewer| viewer(own)));
            ranks::together(launch, |ranks| run::run(&arguments.0, &chosen(), ranks, viewer))
        }
        Command::Sweep(arguments) => {
            ranks::together(launch, |ranks| sweep::sweep(&arguments, words, &collectors, ranks))
        }
        Command::Merge(arguments) => sweep::merge(&arguments, &collectors),
        Command::Export(arguments) => export::export(&arguments),
        Command::Plot(arguments) => {
            let drawers: Vec<_> = SATELLITES.iter().filter_map(|satellite| satellite.drawer).collect();
            plot::plot(&arguments, &drawers)
        }
        Command::Resume(arguments) => {
            ranks::together(launch, |ranks| resume::resume(&arguments.0, &chosen(), &collectors, ranks))
        }
        Command::Map(arguments) => map::map(&arguments),
        Command::Render(arguments) => render::render(&arguments),
        Command::Bench(With(arguments)) => {
            refuse_strays(own)?;
            let mut benches = SATELLITES.iter().filter_map(|satellite| satellite.bench.as_ref());
            let placed = benches.clone().filter(|bench| bench.takes_backend).map(|bench| bench.flag).collect();
            match benches.find(|bench| own.get_flag(bench.flag)) {
                Some(bench) => (bench.run)(&arguments, own),
                None => bench::bench(&arguments, placed),
            }
        }
        Command::Analyse(arguments) => analyse::analyse(&arguments),
        Command::Doctor(arguments) => ranks::together(launch, |ranks| doctor::doctor(&arguments, ranks)),
        Command::List(arguments) => list::list(&arguments),
        Command::Show(arguments) => show::show(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments, whole()),
        Command::Man(arguments) => shell::man(&arguments, whole()),
        Command::Emit(arguments) => emit::emit(&arguments.0, &chosen()),
    }
}

/// The arguments that name a file to write, of all commands,
const FILES: [&str; 5] = ["output", "image", "header", "world", "measure"];
/// and a folder to make files in.
const FOLDER: &str = "out";

/// Announces what a command will write, before anything is read: what it reads, and what else it writes, must be other files.
fn announce_outputs(own: &ArgMatches) -> Result<(), CliError> {
    if let Some((_, own)) = own.subcommand() {
        return announce_outputs(own);
    }
    // Most commands have none of these arguments.
    let named = |name: &&str| own.try_get_one::<PathBuf>(name).ok().flatten().cloned();
    let files = FILES.iter().filter_map(named).map(|path| Output { path, adds: false });
    let folder = named(&FOLDER).map(|path| Output { path, adds: true });
    Ok(files::announce(files.chain(folder))?)
}

/// An argument too many is probably the name of a definition, or a flag is missing before it.
fn advised(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(stray)) = error.get(ContextKind::InvalidArg) else { return error };
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let whole = whole();
    let takes_rule = words
        .get(1)
        .and_then(|name| whole.find_subcommand(name))
        .is_some_and(|command| command.get_arguments().any(|argument| argument.get_long() == Some("rule")));
    let place = words.iter().rposition(|word| word == stray);
    let Some(place) =
        place.filter(|_| takes_rule && error.kind() == ErrorKind::UnknownArgument && !stray.starts_with('-'))
    else {
        return error;
    };
    let rule_in = |at: usize| match words[at].as_str() {
        "-r" | "--rule" => words.get(at + 1).map(String::as_str),
        word => {
            word.strip_prefix("--rule=").or_else(|| word.strip_prefix("-r").map(|word| word.trim_start_matches('=')))
        }
    };
    let rule = (2..words.len()).find_map(|at| Some((at, rule_in(at)?)));
    let before = &words[place - 1];
    let is_file = before.contains(['.', '/']) && before.parse::<f64>().is_err();
    let advice = match rule {
        _ if stray.contains('=') => format!("`--set {stray}` sets a parameter"),
        None => format!("`--rule {stray}` says which rule runs"),
        Some((at, file)) if place == at + 1 || place == at + 2 || !is_file => {
            let ships = if shipped_names(Kind::Rule).contains(&stray.as_str()) {
                format!(", and `--rule {stray}` the one that ships")
            } else {
                String::new()
            };
            format!("`--rule {file}#{stray}` takes the rule `{stray}` of `{file}`{ships}")
        }
        Some(_) => format!("`{before}#{stray}` takes the definition `{stray}` of a file"),
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
    error
}

/// Refuses arguments of a satellite's benchmark without its flag. Clap's own `requires` is waived where a third argument forbids the flag.
fn refuse_strays(own: &ArgMatches) -> Result<(), CliError> {
    let benches = SATELLITES.iter().filter_map(|satellite| Some((satellite, satellite.bench.as_ref()?.flag)));
    for (satellite, flag) in benches.filter(|(_, flag)| !own.get_flag(flag)) {
        for more in satellite.arguments.iter().filter(|more| more.command == "bench") {
            let added = (more.add)(clap::Command::new(""));
            let is_given = |argument: &&clap::Arg| {
                own.value_source(argument.get_id().as_str()) == Some(clap::parser::ValueSource::CommandLine)
            };
            if let Some(argument) = added.get_arguments().find(is_given) {
                let name = argument.get_id();
                let message = format!("--{name} has no effect without --{flag}");
                return Err(CliError::input(message, format!("leave it out, or add --{flag}")));
            }
        }
    }
    Ok(())
}
