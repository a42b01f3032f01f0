//! The arguments of all commands. Comments on fields are the texts of `--help`.

mod bench;
pub(crate) mod results;
pub(crate) mod run;
mod shared;
pub(crate) mod sweep;
mod texts;
pub(crate) mod values;

use clap::{Args, Subcommand};
use squeeze::picture::{Background, Zoom};
use std::path::PathBuf;
use values::{background, level, picture_file, within};

pub(crate) use bench::Bench;
pub(crate) use results::{Analyse, ColumnArgs, Export, Plot};
pub(crate) use run::{Animation, ExecutionArgs, Resume, RunArgs, StartArgs, SystemArgs};
pub(crate) use shared::{At, EdgeArgs, InputArgs, Planned, ShownPart};
pub(crate) use sweep::{Merge, SweepArgs};
pub(crate) use texts::{Check, Emit, EmitTarget, Fmt, List, Show};
pub(crate) use values::Devices;

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
    pub edges: EdgeArgs,
    /// Count the bytes of this rule's states; without it, one byte per cell
    #[arg(short, long, value_name = "RULE")]
    pub rule: Option<String>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Count the messages and bytes that N ranks send one another in a pass of the rule
    #[arg(long, value_name = "N", value_parser = within(2..=MOST_RANKS), allow_negative_numbers = true, requires = "rule")]
    pub ranks: Option<u32>,
    #[command(flatten)]
    pub planned: Planned,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// The most ranks that are counted.
const MOST_RANKS: u32 = 1 << 16;

/// `map`
#[derive(Subcommand)]
pub(crate) enum Map {
    /// From a cell's number to its coordinates in the grid
    #[command(after_help = "Example:\n  squeeze map lambda vicsek --level 2 7")]
    Lambda {
        #[command(flatten)]
        at: At,
        /// The cell's canonical index: its number, from 0, in the order of cells in files
        #[arg(value_name = "C", value_parser = within(0..=u64::MAX), allow_negative_numbers = true)]
        index: u64,
        /// Print its place in the papers' compact space instead, where digits of its number go to the axes in turn
        #[arg(long)]
        compact: bool,
    },
    /// From coordinates in the grid to the cell's number, or `hole`
    #[command(after_help = "Example:\n  squeeze map nu vicsek --level 2 1 4")]
    Nu {
        #[command(flatten)]
        at: At,
        /// The coordinates: two numbers, three for a 3-D fractal, one for a 1-D one
        #[arg(value_name = "X Y [Z]", num_args = 1..=3, required = true, value_parser = within(0..=u64::MAX), allow_negative_numbers = true)]
        coordinate: Vec<u64>,
        /// Print the cell's place in the papers' compact space instead of its number, as their ν(ω) has it
        #[arg(long)]
        compact: bool,
    },
}

/// `render`
#[derive(Args)]
pub(crate) struct Render {
    #[command(flatten)]
    pub at: At,
    #[command(flatten)]
    pub part: ShownPart,
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
