//! The arguments of all commands.

#[cfg(feature = "packing")]
mod mask;
#[cfg(feature = "overlap")]
mod overlap;
mod values;

use clap::{Args, Parser, Subcommand, ValueEnum};
use squeeze::compiler::emit::papers;
use squeeze::cpu::Isa;
use squeeze::cuda::Architecture;
use squeeze::hardware::{HardwareError, NamedHardware};
use squeeze::observation_times::ObservationTimes;
use squeeze::picture::{Background, Colours, Extent, Zoom};
use squeeze::resolve::{self, Periodic};
use squeeze::run::Drawing;
use squeeze::run::animation::Form;
use squeeze::sweep::{Discard, Shard};
use squeeze::{Backend, Strategy, StrategyChoice};
use std::path::PathBuf;
use values::{
    architecture, backend, background, discard, every, figure, fps, index, isa, level, map, measured_backend,
    megabytes, members, paper_width, periodic, picture_file, prefix, rho, save_every, seconds, seed, shard, steps,
    strategy, switch, threads, window,
};

#[cfg(feature = "packing")]
pub use mask::Mask;
#[cfg(feature = "overlap")]
pub use overlap::{Between, Overlap, OverlapBackend};

/// The whole command line.
#[derive(Parser)]
#[command(name = "squeeze", version, about, long_about = LONG_ABOUT, after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
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

const RUN_EXAMPLES: &str = "Examples:
  squeeze run sierpinski_carpet -r gray_scott -l 6 -n 2000 --image spots.png
  squeeze run menger_sponge -r heat -l 3 -n 300 --set alpha=0.15 --image heat.png
  squeeze run vicsek -r wave -l 6 -n 500 -o waves --image-every 10 --observe-every 1
  squeeze run full_square -r B3/S23 -l 8 -n 500 --init alive=glider.rle@100,40 -o glider --image-every 4
  squeeze run my.fractal -r my.rule -l 5 -n 100 --json";

const SWEEP_EXAMPLES: &str = "Examples:
  squeeze sweep sierpinski_carpet -r ising -l 4 -n 5000 --seeds 0..16 --set beta=0.40..=0.60/0.02 --discard 1000 --out curve
  squeeze sweep vicsek -r sir -l 5 -n 300 --seeds 0..100 --out seeds
  squeeze sweep vicsek -r sir -l 5 -n 300 --seeds 0..100 --shard 1/4 --out part1";

const ANALYSE_EXAMPLES: &str = "Examples:
  squeeze analyse spots --discard 1000
  squeeze analyse small large --binder u=magnetisation --crossing u
  squeeze analyse growth --power-law mass --over time --from 100 --to 10000";

const FIGURES_EXAMPLES: &str = "Examples:
  squeeze figures --quick
  squeeze figures --out h100
  squeeze figures 2022-fig-1 2022-fig-10 2021-table-1";

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// List the fractals and rules that ship with Squeeze
    #[command(after_help = "Examples:\n  squeeze list\n  squeeze list rules")]
    List(List),
    /// Show the source of a fractal or a rule, with its states, parameters and observables
    #[command(after_help = "Examples:\n  squeeze show heat\n  squeeze show my.rule#second")]
    Show(Show),
    /// Run a rule on a fractal
    #[command(
        after_help = RUN_EXAMPLES,
        override_usage = "squeeze run [OPTIONS] --rule <RULE> --steps <N> [--level <R>] <FRACTAL>"
    )]
    Run(Box<Run>),
    /// Continue a run from its last saved state, or a sweep
    #[command(after_help = "Examples:\n  squeeze resume spots\n  squeeze resume spots --steps 50000")]
    Resume(Resume),
    /// Run a rule many times with different seeds and parameters, and average
    #[command(
        after_help = SWEEP_EXAMPLES,
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
    /// Plot the observables of runs over time, the means of sweeps against a parameter, or the distribution of overlaps
    #[command(
        after_help = "Examples:\n  squeeze plot spots\n  squeeze plot cold warm hot --log xy -o decay.svg\n  squeeze plot curve\n  squeeze plot small large -o both.svg"
    )]
    Plot(Plot),
    /// Analyse recorded runs and sweeps: means with errors, combinations, crossings, power laws
    #[command(after_help = ANALYSE_EXAMPLES)]
    Analyse(Analyse),
    #[cfg(feature = "overlap")]
    /// Compare saved states of bits in pairs: overlaps, Hamming distances, correlations
    #[command(after_help = overlap::EXAMPLES)]
    Overlap(Overlap),
    /// Draw a fractal without a rule
    #[command(
        after_help = "Examples:\n  squeeze render tetrix -l 6 -o tetrix.png\n  squeeze render menger_sponge -l 4 --slice 13 -o slice.png"
    )]
    Render(Render),
    /// Show the sizes of a fractal, level by level, and the memory a rule needs on it
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
    /// Reproduce the figures and tables of the papers, and check their claims
    #[command(after_help = FIGURES_EXAMPLES)]
    Figures(Figures),
    /// Show which backends can run on this machine, and what is missing for the others
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

/// `list`
#[derive(Args)]
pub struct List {
    /// What to list [default: both]
    #[arg(value_name = "KIND")]
    pub kind: Option<Listed>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What can be listed.
#[derive(Clone, Copy, ValueEnum)]
pub enum Listed {
    /// The fractals
    Fractals,
    /// The rules
    Rules,
}

/// `show`
#[derive(Args)]
pub struct Show {
    /// A fractal or a rule: one that ships, a file, or FILE#NAME
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// `completions`
#[derive(Args)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `man`
#[derive(Args)]
pub struct Man {
    /// The folder for the pages; it is created if needed
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// `check`
#[derive(Args)]
pub struct Check {
    /// Files, or names of what ships; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Fail if there are warnings
    #[arg(long, value_name = "WHAT")]
    pub deny: Option<Denied>,
    /// Print JSON: what each file defines, and every error and warning with its place
    #[arg(long)]
    pub json: bool,
}

/// What `check --deny` takes for errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Denied {
    /// All warnings.
    Warnings,
}

/// `fmt`
#[derive(Args)]
pub struct Fmt {
    /// Rewrite the files in place instead of printing them
    #[arg(short, long, conflicts_with = "check")]
    pub write: bool,
    /// Print nothing; fail if a file is not in the canonical layout
    #[arg(long)]
    pub check: bool,
    /// Files, or names of what ships; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// A fractal at a level.
#[derive(Args)]
pub struct At {
    /// The fractal: one that ships, a file, or FILE#NAME
    #[arg(value_name = "FRACTAL")]
    pub fractal: String,
    /// The level: 0 is a single cell; each further level replaces every cell with the pattern. Masks and boxes have no level
    #[arg(short, long, value_name = "R", value_parser = level, allow_negative_numbers = true)]
    pub level: Option<u32>,
}

/// What lies beyond the edges.
#[derive(Args)]
pub struct Edges {
    /// Join opposite edges along these axes, such as x or x,y; along all axes if none is named
    #[arg(long, value_name = "AXES", num_args = 0..=1, default_missing_value = "all", value_parser = periodic)]
    periodic: Option<Periodic>,
    /// The value of a state beyond the edges, such as u=0.0; u=reflect mirrors the state at the edges; may be repeated
    #[arg(long, value_name = "STATE=VALUE")]
    edge: Vec<String>,
}

impl Edges {
    /// As the library takes them.
    pub fn wanted(&self) -> resolve::Edges {
        resolve::Edges { periodic: self.periodic.unwrap_or_default(), values: self.edge.clone() }
    }
}

/// How cells are kept and visited.
#[derive(Args)]
pub struct How {
    /// How cells are stored and visited [default: lanes]
    #[arg(long, value_name = "STRATEGY", value_parser = strategy(), help_heading = "Execution")]
    pub strategy: Option<Strategy>,
    /// How the strategies squeeze and lambda compute their maps [default: scalar]
    #[arg(long, value_name = "MAP", value_parser = map(), help_heading = "Execution")]
    pub map: Option<papers::Map>,
    /// The side of a block, for all strategies but lanes: a power of the scale, at most 1024 cells per block
    #[arg(long, value_name = "P", help_heading = "Execution", value_parser = rho, allow_negative_numbers = true)]
    pub rho: Option<u64>,
}

impl How {
    /// As the library takes it.
    pub fn strategy_choice(&self) -> StrategyChoice {
        StrategyChoice { strategy: self.strategy, map: self.map, rho: self.rho }
    }
}

/// The machine that layouts are chosen for.
#[derive(Args)]
pub struct Planned {
    /// Choose layouts for this machine: h100, a100, zen4, … or a file written by `doctor --measure`. Results do not depend on it [default: an
    /// H100, or a Xeon with AVX-512]
    #[arg(long = "machine", value_name = "NAME|FILE", help_heading = "Execution")]
    machine: Option<String>,
}

impl Planned {
    /// The machine that was named.
    ///
    /// # Errors
    /// If it neither ships nor is a file that describes one.
    pub fn open(&self) -> Result<Option<NamedHardware>, HardwareError> {
        self.machine.as_deref().map(NamedHardware::open).transpose()
    }
}

/// `info`
#[derive(Args)]
pub struct Info {
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
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `run`
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    pub at: At,
    #[command(flatten)]
    pub edges: Edges,
    /// The rule: one that ships, a file, or FILE#NAME
    #[arg(short, long, value_name = "RULE")]
    pub rule: String,
    /// The number of time steps
    #[arg(short = 'n', long, value_name = "N", value_parser = steps, allow_negative_numbers = true)]
    pub steps: u32,
    /// The seed of the random numbers
    #[arg(short, long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// The seed of what the rule or the domain draws `from disorder`, instead of that of the run
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    pub disorder: Option<u64>,
    /// Set a parameter of the rule; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Read the initial values of a state from a .npy, .png, .vti or Zarr file or a pattern (.rle, .cells, .lif, .mcl); FILE@X,Y places a pattern, FILE.png:ffffff=1,000000=0 says
    /// which values colours stand for; may be repeated
    #[arg(long = "init", value_name = "STATE=FILE")]
    pub init: Vec<String>,
    /// The step of the initial values, where they are states of another run: random draws then continue and do not repeat
    #[arg(long, value_name = "T", default_value = "0", hide_default_value = true, value_parser = steps, requires = "init", allow_negative_numbers = true)]
    pub time: u32,
    /// The backend
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend(), help_heading = "Execution")]
    pub backend: Backend,
    /// Threads of the backend cpu [default: one for each hardware thread]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true, help_heading = "Execution")]
    pub threads: Option<usize>,
    /// Whether to skip regions that cannot change (backends cpu and cuda); results do not depend on it [default: on]
    #[arg(long, value_name = "on|off", value_parser = switch(), help_heading = "Execution")]
    pub activity: Option<bool>,
    /// Store the cells of a mask alone, in the order of their indices; results do not depend on it [default: only where rows do not fit in memory]
    #[arg(long, help_heading = "Execution")]
    pub packed: bool,
    #[command(flatten)]
    pub how: How,
    #[command(flatten)]
    pub planned: Planned,
    /// Compile this file in place of what `emit --target cuda` prints for the same fractal, rule, level and strategy (backend cuda)
    #[arg(long, value_name = "FILE.cu", conflicts_with = "out", help_heading = "Execution")]
    pub load_cuda: Option<PathBuf>,
    /// Print one JSON object and nothing else
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Do not compute digests of the states
    #[arg(long, help_heading = "Output")]
    pub no_digest: bool,
    /// Print neither progress nor a summary
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
    /// Continue when a float becomes infinite or NaN
    #[arg(long, help_heading = "Output")]
    pub allow_nan: bool,
    /// Record the run in this new folder, so that it can be resumed
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Record the observables every N steps and at the end (observables.csv); without --out, judge `stop when` then
    #[arg(long, value_name = "N", value_parser = every, allow_negative_numbers = true, help_heading = "Output")]
    pub observe_every: Option<u32>,
    /// Record the observables at these steps and at the end: a list 0,1,10,100, or log:N for N steps in each decade
    #[arg(long, value_name = "TIMES", value_parser = ObservationTimes::parse, conflicts_with = "observe_every", allow_hyphen_values = true, help_heading = "Output")]
    pub observe_at: Option<ObservationTimes>,
    /// Save the states every N steps and at the end (Zarr)
    #[arg(long, value_name = "N", value_parser = every, requires = "out", allow_negative_numbers = true, help_heading = "Output")]
    pub save_every: Option<u32>,
    /// Draw a picture after the last step: .png, .svg or .pdf
    #[arg(long, value_name = "FILE", value_parser = picture_file, help_heading = "Pictures")]
    pub image: Option<PathBuf>,
    /// The width of --image on paper, such as 85mm, 8.5cm or 3.4in: letters have 8 points there
    #[arg(long, value_name = "WIDTH", value_parser = paper_width, requires = "image", allow_negative_numbers = true, help_heading = "Pictures")]
    pub width: Option<f64>,
    /// Draw a picture every N steps and at the end, and an animation of all of them
    #[arg(long, value_name = "N", value_parser = every, requires = "out", allow_negative_numbers = true, help_heading = "Pictures")]
    pub image_every: Option<u32>,
    /// The format of the animation; MP4 needs ffmpeg
    #[arg(long, value_name = "FORMAT", default_value = "gif", help_heading = "Pictures")]
    pub animation: Animation,
    /// Shrink the frames of the GIF until it has at most this many megabytes
    #[arg(long, value_name = "MB", value_parser = megabytes, allow_negative_numbers = true, help_heading = "Pictures")]
    pub max_size: Option<f64>,
    /// The state that pictures show [default: the one that the rule names, else the first]
    #[arg(long, value_name = "STATE", help_heading = "Pictures")]
    pub field: Option<String>,
    #[command(flatten)]
    pub part: Part,
    #[command(flatten)]
    pub look: Look,
}

/// How an animation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Animation {
    /// Plays in every browser; 256 colours per frame
    Gif,
    /// Smaller files, all colours (H.264)
    Mp4,
}

/// The part of the grid that is shown.
#[derive(Args)]
pub struct Part {
    /// Show this part of the expanded grid: X,Y,WIDTH,HEIGHT, or in 3-D X,Y,Z,WIDTH,HEIGHT,DEPTH
    #[arg(long, value_name = "BOX", help_heading = "Pictures")]
    pub window: Option<String>,
    /// Show one layer of a 3-D grid, the one with this z
    #[arg(long, value_name = "Z", value_parser = index, allow_negative_numbers = true, help_heading = "Pictures")]
    pub slice: Option<u64>,
}

/// How pictures look.
#[derive(Args)]
pub struct Look {
    /// The size of a place in pixels: N, or 1/N to show N × N places as one pixel
    #[arg(long, value_name = "ZOOM", help_heading = "Pictures")]
    pub zoom: Option<Zoom>,
    /// The values at the two ends of the colour map, or `fit` for the range of each picture. Without it, the frames of an animation share one
    /// range
    #[arg(long, value_name = "LO:HI", allow_hyphen_values = true, help_heading = "Pictures")]
    pub range: Option<Extent>,
    /// The colour map: perceptual, diverging, cyclic, grey, your own colours, such as 202040,ffcc00, or `rule`, which is what the rule
    /// says, else perceptual
    #[arg(long, value_name = "NAME", default_value = "rule", help_heading = "Pictures")]
    pub colours: Colours,
    /// Map numbers to colours on a logarithmic scale
    #[arg(long, help_heading = "Pictures")]
    pub log: bool,
    /// The background [default: dark for runs, light for exports]
    #[arg(long, value_name = "NAME", value_parser = background(), help_heading = "Pictures")]
    pub background: Option<Background>,
    /// Frames per second of the animation [default: 12]
    #[arg(long, value_name = "N", value_parser = fps, allow_negative_numbers = true, help_heading = "Pictures")]
    pub fps: Option<u32>,
}

impl Look {
    /// As the library takes it, with the background that is the default.
    pub fn drawing(&self, field: Option<&str>, part: &Part, background: Background) -> Drawing {
        Drawing {
            field: field.map(str::to_owned),
            window: part.window.clone(),
            slice: part.slice,
            zoom: self.zoom,
            extent: self.range,
            colours: self.colours.clone(),
            logarithmic: self.log,
            background: self.background.unwrap_or(background),
            animation: Form { fps: self.fps, ..Form::default() },
        }
    }
}

/// `export`
#[derive(Args)]
pub struct Export {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The file to write: .npy, .vti, .png, .svg, .pdf, .gif, .mp4 (by ffmpeg) or .rle; or .npz for the adjacency matrix of the cells
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The step of the state [default: the last that was saved]
    #[arg(long, value_name = "T", value_parser = steps, allow_negative_numbers = true)]
    pub step: Option<u32>,
    /// The state of the rule [default: the first; for .vti all]
    #[arg(long, value_name = "STATE")]
    pub field: Option<String>,
    #[command(flatten)]
    pub part: Part,
    #[command(flatten)]
    pub look: Look,
    /// For .png, .svg and .pdf: the width on paper, such as 85mm, 8.5cm or 3.4in: letters have 8 points there
    #[arg(long, value_name = "WIDTH", value_parser = paper_width, allow_negative_numbers = true, help_heading = "Pictures")]
    pub width: Option<f64>,
    /// For .gif: shrink the frames until the file has at most this many megabytes
    #[arg(long, value_name = "MB", value_parser = megabytes, allow_negative_numbers = true, help_heading = "Pictures")]
    pub max_size: Option<f64>,
    /// The value of holes in .npy windows [default: 0, for floats NaN]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    pub hole: Option<String>,
    /// For .npy: write the coordinates of the cells instead of a state, one row for each cell in canonical order, x first
    #[arg(long, conflicts_with_all = ["step", "field"])]
    pub coordinates: bool,
    /// The neighbourhood of the adjacency matrix: moore, von_neumann, with a radius as in 'moore(2)', a list such as '[(1, 0), (2, 1)]', or
    /// the name of a list in the rule [default: von_neumann]
    #[arg(long, value_name = "NEIGHBOURHOOD")]
    pub neighbourhood: Option<String>,
}

/// `sweep`
#[derive(Args)]
pub struct Sweep {
    /// The fractal: one that ships, a file, or FILE#NAME
    #[arg(value_name = "FRACTAL")]
    pub fractal: String,
    /// The level, or several: a list 3,4, or a range 2..=5. Masks and boxes have no level
    #[arg(short, long, value_name = "LEVELS", allow_hyphen_values = true)]
    pub level: Option<String>,
    #[command(flatten)]
    pub edges: Edges,
    /// The rule: one that ships, a file, or FILE#NAME
    #[arg(short, long, value_name = "RULE")]
    pub rule: String,
    /// The number of time steps of each member
    #[arg(short = 'n', long, value_name = "N", value_parser = steps, allow_negative_numbers = true)]
    pub steps: u32,
    /// The seeds, a list or a range: 0..64, 0..=63, 1,5,9
    #[arg(long, value_name = "SEEDS", default_value = "0", allow_hyphen_values = true)]
    pub seeds: String,
    /// The seeds of what the rule or the domain draws `from disorder`, a list or a range; without it they are the members' seeds
    #[arg(long, value_name = "SEEDS", allow_hyphen_values = true)]
    pub disorder: Option<String>,
    /// The values of a parameter: one, a list q=2,3,4, or a range beta=0.40..=0.48/0.01; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUES")]
    pub settings: Vec<String>,
    /// Read the initial values of a state from a file, as `run` does, for all members; may be repeated
    #[arg(long = "init", value_name = "STATE=FILE")]
    pub init: Vec<String>,
    /// A new folder for the results: members.csv, observables.csv, ends.csv, times.csv and summary.csv
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Take the observables every N steps and at the end [default: a thousandth of all steps]
    #[arg(long, value_name = "N", value_parser = every, allow_negative_numbers = true)]
    pub observe_every: Option<u32>,
    /// Take the observables at these steps and at the end: a list 0,1,10,100, or log:N for N steps in each decade
    #[arg(long, value_name = "TIMES", value_parser = ObservationTimes::parse, conflicts_with = "observe_every", allow_hyphen_values = true)]
    pub observe_at: Option<ObservationTimes>,
    /// Leave the first N steps out of the summary, or as many as observables need to come to equilibrium
    #[arg(long, value_name = "N|auto", value_parser = discard, allow_negative_numbers = true)]
    pub discard: Option<Discard>,
    /// Compute only part I of N parts, which `squeeze merge` joins
    #[arg(long, value_name = "I/N", value_parser = shard, allow_hyphen_values = true)]
    pub shard: Option<Shard>,
    /// The backend
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend())]
    pub backend: Backend,
    /// Threads [default: one for each hardware thread]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Print neither progress nor a summary
    #[arg(long)]
    pub quiet: bool,
}

/// `merge`
#[derive(Args)]
pub struct Merge {
    /// The folders of all parts; the first one receives the merged sweep
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Do not print the summary
    #[arg(long)]
    pub quiet: bool,
}

/// `plot`
#[derive(Args)]
pub struct Plot {
    /// Folders of runs, folders of sweeps, or matrices of overlaps (.npy, or a folder of them); all are drawn into the same panels
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// The file to write, .svg, .pdf or .png [default: observables.svg for runs and summary.svg for sweeps, in the first folder; for a matrix its
    /// name with .svg]
    #[arg(short, long, value_name = "FILE", value_parser = picture_file)]
    pub output: Option<PathBuf>,
    /// The width on paper, such as 85mm, 8.5cm or 3.4in [default: 190mm for one column of panels]
    #[arg(long, value_name = "WIDTH", value_parser = paper_width, allow_negative_numbers = true)]
    pub width: Option<f64>,
    /// Logarithmic axes
    #[arg(long, value_name = "AXES")]
    pub log: Option<LogAxes>,
    /// For sweeps: also draw Binder's cumulant 1 - <x^4> / (3 <x^2>^2) of an observable, as NAME; may be repeated
    #[arg(long, value_name = "NAME=OBSERVABLE")]
    pub binder: Vec<String>,
    /// For sweeps: also draw the fluctuation <x^2> - <x>^2 of an observable, as NAME; may be repeated
    #[arg(long, value_name = "NAME=OBSERVABLE")]
    pub fluctuation: Vec<String>,
}

/// Which axes are logarithmic.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogAxes {
    /// The steps, or the parameter
    X,
    /// The observables
    Y,
    /// Both
    Xy,
}

/// `resume`
#[derive(Args)]
pub struct Resume {
    /// The folder of the run or the sweep
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Extend the run to this step
    #[arg(short = 'n', long, value_name = "N", value_parser = steps, allow_negative_numbers = true)]
    pub steps: Option<u32>,
    /// The backend for the remaining steps
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend())]
    pub backend: Backend,
    /// How cells are stored and visited in the remaining steps [default: as before, if the backend can]
    #[arg(long, value_name = "STRATEGY", value_parser = strategy())]
    pub strategy: Option<Strategy>,
    /// How the strategies squeeze and lambda compute their maps
    #[arg(long, value_name = "MAP", value_parser = map())]
    pub map: Option<papers::Map>,
    /// The side of a block, for all strategies but lanes
    #[arg(long, value_name = "P", value_parser = rho, allow_negative_numbers = true)]
    pub rho: Option<u64>,
    /// Threads of the backend cpu [default: one for each hardware thread]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// Continue when a float becomes infinite or NaN
    #[arg(long)]
    pub allow_nan: bool,
    /// Print neither progress nor a summary
    #[arg(long)]
    pub quiet: bool,
}

/// `map`
#[derive(Subcommand)]
pub enum Map {
    /// From a cell's canonical index to its coordinates in the expanded grid
    #[command(after_help = "Example:\n  squeeze map lambda vicsek --level 2 7")]
    Lambda {
        #[command(flatten)]
        at: At,
        /// The canonical index
        #[arg(value_name = "C", value_parser = index, allow_negative_numbers = true)]
        index: u64,
    },
    /// From coordinates in the expanded grid to the cell's canonical index, or `hole`
    #[command(after_help = "Example:\n  squeeze map nu vicsek --level 2 1 4")]
    Nu {
        #[command(flatten)]
        at: At,
        /// The coordinates: two numbers, three for a 3-D fractal, one for a 1-D one
        #[arg(value_name = "X Y [Z]", num_args = 1..=3, required = true, value_parser = index, allow_negative_numbers = true)]
        coordinate: Vec<u64>,
    },
}

/// What packs and unpacks arrays, counts, or is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PackBackend {
    /// The processor
    Cpu,
    /// The first GPU
    Cuda,
}

/// `render`
#[derive(Args)]
pub struct Render {
    #[command(flatten)]
    pub at: At,
    #[command(flatten)]
    pub part: Part,
    /// The size of a place in pixels: N, or 1/N to show N × N places as one pixel
    #[arg(long, value_name = "ZOOM", help_heading = "Pictures")]
    pub zoom: Option<Zoom>,
    /// The background
    #[arg(long, value_name = "NAME", default_value = "light", value_parser = background(), help_heading = "Pictures")]
    pub background: Background,
    /// The picture to write: .png, .svg or .pdf
    #[arg(short, long, value_name = "FILE", value_parser = picture_file)]
    pub output: PathBuf,
}

/// `bench`
#[derive(Args)]
pub struct Bench {
    /// What to measure: FRACTAL,RULE,LEVEL or FRACTAL,RULE,LEVEL,BACKEND, for masks and boxes without LEVEL [default: a standard list].
    /// With --ledger: names of specialities [default: all]
    #[arg(value_name = "CASE")]
    pub cases: Vec<String>,
    #[command(flatten)]
    pub edges: Edges,
    /// Threads [default: each case is measured with one and with all]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Seconds to measure each case, or with --layouts all layouts of one [default: 1, with --layouts 14]
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// Restrict the backend cpu to an instruction set of x86-64: sse4.1, avx2 or avx512
    #[arg(long, value_name = "ISA", value_parser = isa)]
    pub isa: Option<Isa>,
    #[command(flatten)]
    pub planned: Planned,
    /// Whether to skip regions that cannot change (backends cpu and cuda) [default: off, so that every cell is computed in each step]
    #[arg(long, value_name = "on|off", value_parser = switch())]
    pub activity: Option<bool>,
    /// Store the cells of masks alone, in the order of their indices (backends cpu and cuda) [default: only where rows do not fit in memory]
    #[arg(long, conflicts_with_all = ["layouts", "strategies"])]
    pub packed: bool,
    /// Ask for N time steps at once, such as 1 for passes of a single step [default: as many as a pass computes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20), conflicts_with_all = ["layouts", "strategies", "peers", "cliffs", "saving", "observables", "observe_every"], allow_negative_numbers = true)]
    pub at_once: Option<u32>,
    /// Measure every layout that the planner considers, and compare the fastest with its choice
    #[arg(long)]
    pub layouts: bool,
    /// Measure every strategy, map and block size on the GPU, and compare them with the bounding box
    #[arg(long, conflicts_with = "layouts")]
    pub strategies: bool,
    /// Run the same cases with the Python scripts in this folder, and compare
    #[arg(long, value_name = "DIR", conflicts_with_all = ["layouts", "strategies"])]
    pub peers: Option<PathBuf>,
    /// Measure kinds of rules that are slow in many simulators, each beside numpy, on one thread
    #[arg(long, conflicts_with_all = ["cases", "layouts", "strategies", "peers", "threads", "periodic", "machine"])]
    pub cliffs: bool,
    /// Measure the cost of saving the states every N steps, as `run --out` does (files are written below the current folder)
    #[arg(long, value_name = "N", value_parser = save_every, conflicts_with_all = ["layouts", "strategies", "peers", "cliffs"], allow_negative_numbers = true)]
    pub saving: Option<u32>,
    /// Measure the cost of computing the observables, in time steps
    #[arg(long, conflicts_with_all = ["layouts", "strategies", "peers", "cliffs", "saving"])]
    pub observables: bool,
    /// Measure N members at once, and compare them with one run at the level that has about as many cells; with --layouts on several layouts
    #[arg(long, value_name = "N", value_parser = members, conflicts_with_all = ["strategies", "peers", "cliffs", "saving", "observables"], allow_negative_numbers = true)]
    pub members: Option<usize>,
    /// Take the observables of the members every N steps
    #[arg(long, value_name = "N", value_parser = every, requires = "members", allow_negative_numbers = true)]
    pub observe_every: Option<u32>,
    #[cfg(feature = "packing")]
    /// Compare the encodings of masks: the time to build them and to pack arrays, and their size. --seconds is per point [default: 0.05]
    #[arg(long, conflicts_with_all = ["cases", "layouts", "strategies", "peers", "cliffs", "saving", "observables", "members", "at_once", "periodic", "edge", "isa", "activity", "machine"])]
    pub encodings: bool,
    #[cfg(feature = "overlap")]
    /// Compare the kernels that count overlaps on the CPU. --peers takes a folder of scripts for this; --seconds is per kernel [default: 1]
    #[arg(long, conflicts_with_all = ["cases", "layouts", "strategies", "cliffs", "saving", "observables", "members", "at_once", "periodic", "edge", "isa", "activity", "machine"])]
    #[cfg_attr(feature = "packing", arg(conflicts_with = "encodings"))]
    pub overlap: bool,
    /// Measure what each speciality of a backend buys: cases with it and without it, whose results are compared. It takes minutes; --seconds is per
    /// case and speciality [default: 0.3], --threads is one on a CPU
    #[arg(long, conflicts_with_all = ["layouts", "strategies", "peers", "cliffs", "saving", "observables", "members", "periodic", "edge", "isa", "activity", "packed", "at_once", "machine"])]
    #[cfg_attr(feature = "packing", arg(conflicts_with = "encodings"))]
    #[cfg_attr(feature = "overlap", arg(conflicts_with = "overlap"))]
    pub ledger: bool,
    #[cfg(feature = "overlap")]
    /// Another name for `--overlap --backend cuda`
    #[arg(long, hide = true, requires = "overlap", conflicts_with_all = ["threads", "backend"])]
    pub gpu: bool,
    /// With --encodings: where they are compared [default: cpu]; on a GPU each point is the median of ten repeats. With --overlap: whose kernels
    /// are measured; those of the first GPU stand beside the peak of its tensor cores and a copy of the same bytes. With --ledger: whose specialities
    #[arg(long, value_name = "BACKEND")]
    pub backend: Option<PackBackend>,
    #[cfg(feature = "overlap")]
    /// With --overlap: the number of states to compare [default: 256]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1 << 20), requires = "overlap", allow_negative_numbers = true)]
    pub rows: Option<u32>,
    #[cfg(feature = "overlap")]
    /// With --overlap: the number of bits in each state [default: 1048576]
    #[arg(long, value_name = "V", value_parser = overlap::bits, requires = "overlap", allow_negative_numbers = true)]
    pub bits: Option<u64>,
    #[cfg(feature = "packing")]
    /// With --encodings: the number of places in the largest mask [default: 4194304, on a GPU 268435456]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1024..), requires = "encodings", allow_negative_numbers = true)]
    pub places: Option<u32>,
    #[cfg(feature = "packing")]
    /// With --encodings: write the plots into this folder
    #[arg(short, long, value_name = "DIR", requires = "encodings")]
    pub out: Option<PathBuf>,
}

/// `analyse`
#[derive(Args)]
pub struct Analyse {
    /// The folders of runs and sweeps
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Leave the first N steps out, or as many as observables need to come to equilibrium [default: for sweeps as recorded, for runs 0]
    #[arg(long, value_name = "N|auto", value_parser = discard, allow_negative_numbers = true)]
    pub discard: Option<Discard>,
    /// Binder's cumulant 1 - <x^4> / (3 <x^2>^2) of an observable, as a column NAME; may be repeated
    #[arg(long, value_name = "NAME=OBSERVABLE")]
    pub binder: Vec<String>,
    /// The fluctuation <x^2> - <x>^2 of an observable, as a column NAME; may be repeated
    #[arg(long, value_name = "NAME=OBSERVABLE")]
    pub fluctuation: Vec<String>,
    /// Fit where the curves of this column cross, between each sweep and the next; may be repeated
    #[arg(long, value_name = "NAME")]
    pub crossing: Vec<String>,
    /// Fit a power law to this column: of runs over time, of sweeps over the parameter; may be repeated
    #[arg(long, value_name = "NAME")]
    pub power_law: Vec<String>,
    /// What power laws of sweeps are over: the parameter that was set first, or time
    #[arg(long, value_name = "WHAT", default_value = "parameter", value_parser = ["parameter", "time"])]
    pub over: String,
    /// Power laws of a run: windows of time, each FACTOR times as long as the one before, hold one independent value each
    #[arg(long, value_name = "FACTOR", value_parser = window)]
    pub window: Option<f64>,
    /// Lower end of the range for fits of crossings and power laws
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Upper end of the range for fits of crossings and power laws
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub to: Option<f64>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// `figures`
#[derive(Args)]
pub struct Figures {
    /// Figures and tables, such as 2022-fig-12 or 2021-table-1 [default: all]
    #[arg(value_name = "NAME", value_parser = figure())]
    pub names: Vec<String>,
    /// Measure small sizes only, on the CPU if there is no GPU
    #[arg(long)]
    pub quick: bool,
    /// The folder for figures, numbers and REPORT.md; measurements that are there are kept
    #[arg(short, long, value_name = "DIR", default_value = "figures")]
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
pub struct Doctor {
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

/// `emit`
#[derive(Args)]
pub struct Emit {
    /// The fractal: one that ships, a file, or FILE#NAME
    #[arg(value_name = "FRACTAL")]
    pub fractal: String,
    /// The rule: one that ships, a file, or FILE#NAME
    #[arg(short, long, value_name = "RULE")]
    pub rule: String,
    #[command(flatten)]
    pub edges: Edges,
    /// The level for which the layout is planned [default: 12, or the highest there is]
    #[arg(short, long, value_name = "R", value_parser = level, allow_negative_numbers = true)]
    pub level: Option<u32>,
    /// What to print: the kernel IR of the backend cpu, a Rust program without dependencies, CUDA C, or the PTX or CUBIN that NVRTC compiles
    /// from it (no GPU is needed)
    #[arg(long, value_name = "TARGET", default_value = "cuda")]
    pub target: EmitTarget,
    #[command(flatten)]
    pub how: How,
    #[command(flatten)]
    pub planned: Planned,
    /// The GPU architecture for ptx and cubin, such as sm_90, sm_90a or compute_90 [default: sm_90]
    #[arg(long, value_name = "SM", value_parser = architecture)]
    pub arch: Option<(Architecture, Option<char>)>,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What the names of kernels begin with in CUDA C, such as `mine` [default: squeeze, the fractal and the level]
    #[arg(long, value_name = "NAME", value_parser = prefix)]
    pub prefix: Option<String>,
    /// Also write a C header of the kernels, for programs that link or load them
    #[arg(long, value_name = "FILE.h")]
    pub header: Option<PathBuf>,
    /// Also write the tables that the kernels' `World` points to, for your own CUDA program (strategy lanes)
    #[arg(long, value_name = "FILE")]
    pub world: Option<PathBuf>,
    /// Set a parameter of the rule in these tables; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "world")]
    pub settings: Vec<String>,
}

/// What `emit` prints.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmitTarget {
    // Without descriptions: `target` itself has one for all.
    Cuda,
    Ptx,
    Cubin,
    Rust,
    Ir,
}

impl EmitTarget {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            EmitTarget::Cuda => "cuda",
            EmitTarget::Ptx => "ptx",
            EmitTarget::Cubin => "cubin",
            EmitTarget::Rust => "rust",
            EmitTarget::Ir => "ir",
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        super::Arguments::command().debug_assert();
    }
}
