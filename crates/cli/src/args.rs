//! The arguments of all commands.

mod bench;
#[cfg(feature = "packing")]
mod mask;
#[cfg(feature = "overlap")]
mod overlap;
mod results;
mod run;
mod shared;
mod sweep;
mod texts;
mod values;

use clap::{Args, Parser, Subcommand};
use squeeze::Backend;
use squeeze::picture::Background;
use squeeze::picture::Zoom;
use std::ffi::OsString;
use std::path::PathBuf;
use values::{background, figure, index, level, measured_backend, picture_file};

pub(crate) use bench::Bench;
#[cfg(feature = "packing")]
pub(crate) use mask::Mask;
#[cfg(feature = "overlap")]
pub(crate) use overlap::{Between, Overlap, OverlapBackend};
pub(crate) use results::{Analyse, Columns, Export, LogAxes, Plot};
pub(crate) use run::{Animation, Resume, Run};
pub(crate) use shared::{At, Edges, How, PackBackend, Part, Planned};
pub(crate) use sweep::{Merge, Sweep};
pub(crate) use texts::{Check, Denied, Emit, EmitTarget, Fmt, List, Listed, Show};

/// The whole command line.
#[derive(Parser)]
#[command(name = "squeeze", version = crate::version::VERSION.as_str(), about, long_about = LONG_ABOUT, before_help = groups(), after_help = EXAMPLES, arg_required_else_help = true)]
#[command(help_template = TEMPLATE, max_term_width = 100)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The help of the command itself: commands stand in groups.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}";

/// The commands by what they are for.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Simulate", &["run", "resume", "sweep", "merge"]),
    ("Look", &["list", "show", "info", "render", "plot"]),
    ("Analyse", &["analyse", "overlap", "map"]),
    ("Files", &["export", "mask", "check", "fmt"]),
    ("Develop", &["emit", "bench", "figures", "doctor", "completions", "man"]),
];

/// The groups with a line for each command that this build has.
fn groups() -> String {
    let command = Command::augment_subcommands(clap::Command::new("squeeze"));
    let line = |name: &&str| {
        let about = command.find_subcommand(name)?.get_about()?;
        Some(format!("  {name:<13}{about}\n"))
    };
    let group =
        |(title, names): &(&str, &[&str])| format!("{title}:\n{}", names.iter().filter_map(line).collect::<String>());
    GROUPS.iter().map(group).collect::<Vec<_>>().join("\n")
}

/// The words of a command line. `--periodic x` is `--periodic=x`: what follows the flag and names no axes is another argument.
pub(crate) fn words() -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    for word in std::env::args_os() {
        let axes = word.to_str().filter(|axes| values::periodic(axes).is_ok());
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

const FIGURES_EXAMPLES: &str = "Examples:
  squeeze figures --quick
  squeeze figures --out h100
  squeeze figures 2022-fig-1 2022-fig-10 2021-table-1";

/// The subcommands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the fractals and rules that ship with Squeeze
    #[command(after_help = "Examples:\n  squeeze list\n  squeeze list rules")]
    List(List),
    /// Show a fractal or a rule: states, parameters, observables, source
    #[command(after_help = "Examples:\n  squeeze show heat\n  squeeze show my.rule#second")]
    Show(Show),
    /// Run a rule on a fractal
    #[command(
        after_help = run::EXAMPLES,
        override_usage = "squeeze run [OPTIONS] --rule <RULE> --steps <N> [--level <R>] [FRACTAL]"
    )]
    Run(Box<Run>),
    /// Continue a run from its last saved state, or a sweep
    #[command(after_help = "Examples:\n  squeeze resume spots\n  squeeze resume spots --steps 50000")]
    Resume(Resume),
    /// Run a rule with many seeds and parameters, and average
    #[command(
        after_help = sweep::EXAMPLES,
        override_usage = "squeeze sweep [OPTIONS] --rule <RULE> --steps <N> --out <DIR> [--level <LEVELS>] <FRACTAL>"
    )]
    Sweep(Sweep),
    /// Join the parts of a sweep
    #[command(after_help = "Example:\n  squeeze merge part1 part2 part3")]
    Merge(Merge),
    /// Export saved states: arrays, pictures, animations, VTI, RLE
    #[command(
        after_help = "Examples:\n  squeeze export spots -o v.npy --field v\n  squeeze export spots -o film.gif --fps 20\n  squeeze export spots -o corner.vti --window 0,0,243,243"
    )]
    Export(Export),
    /// Plot observables over time, means against a parameter, or overlaps
    #[command(
        after_help = "Examples:\n  squeeze plot spots\n  squeeze plot cold warm hot --log xy -o decay.svg\n  squeeze plot curve\n  squeeze plot small large -o both.svg"
    )]
    Plot(Plot),
    /// Compute means with errors, crossings and power laws of runs and sweeps
    #[command(alias = "analyze", after_help = results::EXAMPLES)]
    Analyse(Analyse),
    #[cfg(feature = "overlap")]
    /// Compare saved states of bits in pairs
    #[command(after_help = overlap::EXAMPLES)]
    Overlap(Overlap),
    /// Draw a fractal without a rule
    #[command(
        after_help = "Examples:\n  squeeze render tetrix -l 6 -o tetrix.png\n  squeeze render menger_sponge -l 4 --slice 13 -o slice.png"
    )]
    Render(Render),
    /// Show how large the levels of a fractal are, and what a rule needs
    #[command(
        after_help = "Examples:\n  squeeze info sierpinski_triangle\n  squeeze info sierpinski_triangle -l 16 --rule life"
    )]
    Info(Info),
    /// Convert between compact and expanded coordinates
    #[command(
        subcommand,
        after_help = "Examples:\n  squeeze map lambda vicsek --level 2 7\n  squeeze map nu vicsek --level 2 1 4"
    )]
    Map(Map),
    #[cfg(feature = "packing")]
    /// Inspect a mask, and pack or unpack arrays with it
    #[command(
        subcommand,
        after_help = "Examples:\n  squeeze mask info rock.png\n  squeeze mask pack rock.png heat.npy -o cells.npy\n  squeeze mask unpack rock.png cells.npy -o heat.npy"
    )]
    Mask(Mask),
    /// Check files and report every error in them
    #[command(after_help = "Examples:\n  squeeze check my.rule my.fractal\n  squeeze check --json life")]
    Check(Check),
    /// Format files in the canonical layout
    #[command(after_help = "Examples:\n  squeeze fmt -w my.rule\n  squeeze fmt --check *.rule")]
    Fmt(Fmt),
    /// Print the code that a rule on a fractal is compiled to
    #[command(
        after_help = "Examples:\n  squeeze emit vicsek --rule heat --target cuda\n  squeeze emit vicsek --rule heat --target rust -o heat.rs"
    )]
    Emit(Emit),
    /// Measure how fast rules run on this machine
    #[command(
        after_help = "Examples:\n  squeeze bench vicsek,life,9 --threads 1\n  squeeze bench --layouts\n  squeeze bench --cliffs\n  squeeze bench --ledger tables bands"
    )]
    Bench(Bench),
    /// Reproduce the figures of the papers, and check their claims
    #[command(after_help = FIGURES_EXAMPLES)]
    Figures(Figures),
    /// Show which backends this machine has, and what others lack
    #[command(
        after_help = "Examples:\n  squeeze doctor\n  squeeze doctor --json\n  squeeze doctor --measure here.json"
    )]
    Doctor(Doctor),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  squeeze completions bash > ~/.local/share/bash-completion/completions/squeeze")]
    Completions(Completions),
    /// Write manual pages
    #[command(after_help = "Example:\n  squeeze man ~/.local/share/man/man1")]
    Man(Man),
}

/// `completions`
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `man`
#[derive(Args)]
pub(crate) struct Man {
    /// The folder for the pages; it is created if needed
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// `info`
#[derive(Args)]
pub(crate) struct Info {
    /// The fractal: one that ships, a file, or FILE#NAME
    #[arg(value_name = "FRACTAL")]
    pub fractal: String,
    /// The largest level to show [default: the largest that fits in memory]
    #[arg(short, long, value_name = "R", value_parser = level, allow_negative_numbers = true)]
    pub level: Option<u32>,
    #[command(flatten)]
    pub edges: Edges,
    /// Count the bytes of this rule's states; without it, one byte per cell
    #[arg(short, long, value_name = "RULE")]
    pub rule: Option<String>,
    #[command(flatten)]
    pub planned: Planned,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// `map`
#[derive(Subcommand)]
pub(crate) enum Map {
    /// From a cell's number to its coordinates in the grid
    #[command(after_help = "Example:\n  squeeze map lambda vicsek --level 2 7")]
    Lambda {
        #[command(flatten)]
        at: At,
        /// The cell's number, from 0: the order of cells in files, its canonical index
        #[arg(value_name = "C", value_parser = index, allow_negative_numbers = true)]
        index: u64,
    },
    /// From coordinates in the grid to the cell's number, or `hole`
    #[command(after_help = "Example:\n  squeeze map nu vicsek --level 2 1 4")]
    Nu {
        #[command(flatten)]
        at: At,
        /// The coordinates: two numbers, three for a 3-D fractal, one for a 1-D one
        #[arg(value_name = "X Y [Z]", num_args = 1..=3, required = true, value_parser = index, allow_negative_numbers = true)]
        coordinate: Vec<u64>,
    },
}

/// `render`
#[derive(Args)]
pub(crate) struct Render {
    #[command(flatten)]
    pub at: At,
    #[command(flatten)]
    pub part: Part,
    /// The size of a place in pixels: N, or 1/N to show N × N places as one pixel
    #[arg(long, value_name = "ZOOM", help_heading = "Pictures")]
    pub zoom: Option<Zoom>,
    /// The background and the colours that go with it
    #[arg(long, alias = "background", value_name = "NAME", default_value = "light", value_parser = background(), help_heading = "Pictures")]
    pub theme: Background,
    /// The picture to write: .png, .svg or .pdf
    #[arg(short, long = "out", alias = "output", value_name = "FILE", value_parser = picture_file())]
    pub output: PathBuf,
}

/// `figures`
#[derive(Args)]
pub(crate) struct Figures {
    /// Figures and tables, such as 2022-fig-12 or 2021-table-1 [default: all]
    #[arg(value_name = "NAME", value_parser = figure())]
    pub names: Vec<String>,
    /// Measure small sizes only, on the CPU if there is no GPU
    #[arg(long)]
    pub quick: bool,
    /// The folder for figures, numbers and REPORT.md; measurements that are there are kept
    #[arg(short, long, alias = "output", value_name = "DIR", default_value = "figures")]
    pub out: PathBuf,
    /// The backend that is measured; the full tier needs cuda
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = measured_backend())]
    pub backend: Backend,
    /// Measure nothing; draw the measurements in the folder again
    #[arg(long, conflicts_with = "backend")]
    pub redraw: bool,
    /// Do not show what is being measured
    #[arg(long)]
    pub quiet: bool,
}

/// `doctor`
#[derive(Args)]
pub(crate) struct Doctor {
    /// Measure this processor for a few seconds and write a description of it for `--machine FILE`
    #[arg(long, value_name = "FILE.json", conflicts_with = "json")]
    pub measure: Option<PathBuf>,
    /// With --measure: measure the first GPU instead of the processor
    #[arg(long, requires = "measure")]
    pub gpu: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        super::Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_is_in_one_group() {
        use clap::CommandFactory;
        let command = super::Arguments::command();
        let grouped = super::GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
        for sub in command.get_subcommands().map(clap::Command::get_name) {
            assert_eq!(grouped.clone().filter(|name| *name == sub).count(), 1, "{sub}");
        }
    }
}
