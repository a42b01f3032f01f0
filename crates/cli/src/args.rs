//! What can be typed.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use squeeze::bench::saving::MOST_EVERY;
use squeeze::compiler::emit::papers;
use squeeze::cpu::Isa;
use squeeze::cuda::Architecture;
use squeeze::picture::Zoom;
use squeeze::{Backend, Strategy, StrategyChoice};
use std::path::PathBuf;

/// The whole command line.
#[derive(Parser)]
#[command(name = "squeeze", version, about, long_about = LONG_ABOUT, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const LONG_ABOUT: &str = "Simulates cellular automata, PDEs and spin models on huge discrete fractals.

FRACTAL and RULE are a path if such a file exists or if they contain a `/` or an extension, \
else the name of one that ships. FILE#NAME picks one of several definitions in a file; without #NAME the last is taken.";

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// Check files and report every error in them
    Check(Check),
    /// Print files in the canonical form
    Fmt(Fmt),
    /// Show the sizes of a fractal, level by level
    Info(Info),
    /// Run a rule on a fractal
    Run(Run),
    /// Go on with a run that was written down by `run --out`
    Resume(Resume),
    /// Write a saved state for other programs: .npy, .vti, .png, .rle; or the cells' adjacency, .npz
    Export(Export),
    /// Plot the observables of a run
    Plot(Plot),
    /// Map between compact and expanded space
    #[command(subcommand)]
    Map(Map),
    /// Draw a bare fractal
    Render(Render),
    /// Print the code that a rule becomes on a fractal
    Emit(Emit),
    /// Measure how fast rules run here
    Bench(Bench),
    /// Show what this machine has for the backend cuda, and what is missing
    Doctor(Doctor),
}

/// `check`
#[derive(Args)]
pub struct Check {
    /// Files of fractals and rules; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Fail if there are warnings
    #[arg(long, value_name = "WHAT")]
    pub deny: Option<Denied>,
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
    #[arg(short, long)]
    pub write: bool,
    /// Files of fractals and rules; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// A fractal at a level.
#[derive(Args)]
pub struct At {
    /// The fractal: a file, FILE#NAME or a name that ships
    #[arg(value_name = "FRACTAL")]
    pub fractal: String,
    /// The level: 0 is one cell, and each level multiplies the side by the scale
    #[arg(long, value_name = "R", value_parser = level, allow_negative_numbers = true)]
    pub level: u32,
}

/// How cells are kept and visited.
#[derive(Args)]
pub struct How {
    /// How cells are kept and visited; lanes if it is not given
    #[arg(long, value_name = "STRATEGY", value_parser = strategy())]
    pub strategy: Option<Strategy>,
    /// Who computes the maps of the strategies squeeze and lambda; scalar if it is not given
    #[arg(long, value_name = "MAP", value_parser = map())]
    pub map: Option<papers::Map>,
    /// The side of the blocks of all strategies but lanes, a power of s up to 1024 cells a block
    #[arg(long, value_name = "P", value_parser = rho, allow_negative_numbers = true)]
    pub rho: Option<u64>,
}

impl How {
    /// As the library takes it.
    pub fn strategy_choice(&self) -> StrategyChoice {
        StrategyChoice { strategy: self.strategy, map: self.map, rho: self.rho }
    }
}

/// `info`
#[derive(Args)]
pub struct Info {
    #[command(flatten)]
    pub at: At,
    /// Count the bytes that this rule's states take; without it, one byte a cell
    #[arg(long, value_name = "RULE")]
    pub rule: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `run`
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    pub at: At,
    /// The rule: a file, FILE#NAME or a name that ships
    #[arg(long, value_name = "RULE")]
    pub rule: String,
    /// How many time steps to compute
    #[arg(long, value_name = "N", value_parser = steps, allow_negative_numbers = true)]
    pub steps: u32,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Set a parameter of the rule; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// What executes it
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend())]
    pub backend: Backend,
    /// How many threads the backend cpu uses; as many as the machine runs at once if it is not given
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub how: How,
    /// Compile this file instead of what `emit --target cuda` prints for the same fractal, rule, level and strategy (backend cuda)
    #[arg(long, value_name = "FILE.cu", conflicts_with = "out")]
    pub load_cuda: Option<PathBuf>,
    /// Draw the rule's first state after the last step
    #[arg(long, value_name = "FILE.png", value_parser = png_file)]
    pub image: Option<PathBuf>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// Do not compute digests of the states
    #[arg(long)]
    pub no_digest: bool,
    /// Write the run down in this new folder, from which it can be resumed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Take the observables every N steps and at the end (observables.csv)
    #[arg(long, value_name = "N", value_parser = every, requires = "out", allow_negative_numbers = true)]
    pub observe_every: Option<u32>,
    /// Save the states every N steps and at the end (Zarr)
    #[arg(long, value_name = "N", value_parser = every, requires = "out", allow_negative_numbers = true)]
    pub save_every: Option<u32>,
    /// Draw the rule's first state every N steps and at the end (PNG, and one animated GIF of them)
    #[arg(long, value_name = "N", value_parser = every, requires = "out", allow_negative_numbers = true)]
    pub image_every: Option<u32>,
    /// Take a state's first values from a file: .npy, .png, .rle or Zarr; may be given several times
    #[arg(long = "init", value_name = "STATE=FILE")]
    pub init: Vec<String>,
    /// Go on when a float is infinite or not a number, and say nothing of it
    #[arg(long)]
    pub allow_nan: bool,
    /// Print neither progress nor a summary
    #[arg(long)]
    pub quiet: bool,
}

/// What part of the grid is shown.
#[derive(Args)]
pub struct Part {
    /// A part of the expanded grid: X,Y,WIDTH,HEIGHT, in three dimensions X,Y,Z,WIDTH,HEIGHT,DEPTH
    #[arg(long, value_name = "BOX")]
    pub window: Option<String>,
    /// The layer of a 3-D grid with this z
    #[arg(long, value_name = "Z", value_parser = index, allow_negative_numbers = true)]
    pub slice: Option<u64>,
}

/// `export`
#[derive(Args)]
pub struct Export {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The file to write; its ending says what it is
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The time of the state; the last that is saved if it is not given
    #[arg(long, value_name = "T", value_parser = steps, allow_negative_numbers = true)]
    pub step: Option<u32>,
    /// The state of the rule; the first, for .vti all, if it is not given
    #[arg(long, value_name = "STATE")]
    pub field: Option<String>,
    #[command(flatten)]
    pub part: Part,
    /// How large places are in a picture: N pixels, or 1/N for N × N places in a pixel
    #[arg(long, value_name = "ZOOM")]
    pub zoom: Option<Zoom>,
    /// What holes hold in .npy windows, as a number; 0, among floats NaN, if it is not given
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    pub hole: Option<String>,
    /// Who are neighbours in .npz: moore, von_neumann, with a radius moore(2); von_neumann if it is not given
    #[arg(long, value_name = "NEIGHBOURHOOD")]
    pub neighbourhood: Option<String>,
}

/// `plot`
#[derive(Args)]
pub struct Plot {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Where to write it; observables.svg in the folder if it is not given
    #[arg(short, long, value_name = "FILE.svg", value_parser = svg_file)]
    pub output: Option<PathBuf>,
}

/// `resume`
#[derive(Args)]
pub struct Resume {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// What executes it from now on
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend())]
    pub backend: Backend,
    /// How cells are kept and visited from now on; if neither this nor the next two are given, as before where the backend can
    #[arg(long, value_name = "STRATEGY", value_parser = strategy())]
    pub strategy: Option<Strategy>,
    /// Who computes the maps of the strategies squeeze and lambda
    #[arg(long, value_name = "MAP", value_parser = map())]
    pub map: Option<papers::Map>,
    /// The side of the blocks of all strategies but lanes
    #[arg(long, value_name = "P", value_parser = rho, allow_negative_numbers = true)]
    pub rho: Option<u64>,
    /// How many threads the backend cpu uses; as many as the machine runs at once if it is not given
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// Go on when a float is infinite or not a number
    #[arg(long)]
    pub allow_nan: bool,
    /// Print neither progress nor a summary
    #[arg(long)]
    pub quiet: bool,
}

/// `map`
#[derive(Subcommand)]
pub enum Map {
    /// From a cell's canonical index to its coordinate in the expanded grid
    Lambda {
        #[command(flatten)]
        at: At,
        /// The canonical index
        #[arg(value_name = "C", value_parser = index, allow_negative_numbers = true)]
        index: u64,
    },
    /// From a coordinate in the expanded grid to the cell's canonical index, or `hole`
    Nu {
        #[command(flatten)]
        at: At,
        /// The coordinate: two numbers, or three for a 3-D fractal
        #[arg(value_name = "X Y [Z]", num_args = 2..=3, required = true, value_parser = index, allow_negative_numbers = true)]
        coordinate: Vec<u64>,
    },
}

/// `render`
#[derive(Args)]
pub struct Render {
    #[command(flatten)]
    pub at: At,
    #[command(flatten)]
    pub part: Part,
    /// How large places are: N pixels, or 1/N for N × N places in a pixel
    #[arg(long, value_name = "ZOOM")]
    pub zoom: Option<Zoom>,
    /// The picture to write
    #[arg(short, long, value_name = "FILE.png", value_parser = png_file)]
    pub output: PathBuf,
}

/// `bench`
#[derive(Args)]
pub struct Bench {
    /// What to measure: FRACTAL,RULE,LEVEL or FRACTAL,RULE,LEVEL,BACKEND; a standard list if none is given
    #[arg(value_name = "CASE")]
    pub cases: Vec<String>,
    /// How many threads to use; if it is not given, each case is measured with one and with as many as the machine runs at once
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// How long to measure each case, or with --layouts all layouts of one; 1 and 14 if it is not given
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// Restrict the backend cpu to an instruction set of x86-64: sse4.1, avx2 or avx512
    #[arg(long, value_name = "ISA", value_parser = isa)]
    pub isa: Option<Isa>,
    /// Measure every layout that the planner knows of, and compare the fastest with its choice
    #[arg(long)]
    pub layouts: bool,
    /// Measure every strategy, map and size of blocks on the GPU, and compare them with the bounding box
    #[arg(long, conflicts_with = "layouts")]
    pub strategies: bool,
    /// Let the Python scripts in this folder run the same cases, and compare
    #[arg(long, value_name = "DIR", conflicts_with_all = ["layouts", "strategies"])]
    pub peers: Option<PathBuf>,
    /// Measure what it costs to save the states every N steps (below the working folder), as `run --out` does
    #[arg(long, value_name = "N", value_parser = save_every, conflicts_with_all = ["layouts", "strategies", "peers"], allow_negative_numbers = true)]
    pub saving: Option<u32>,
    /// Measure what it costs to compute the observables, in time steps
    #[arg(long, conflicts_with_all = ["layouts", "strategies", "peers", "saving"])]
    pub observables: bool,
}

/// `doctor`
#[derive(Args)]
pub struct Doctor {
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// `emit`
#[derive(Args)]
pub struct Emit {
    /// The fractal: a file, FILE#NAME or a name that ships
    #[arg(value_name = "FRACTAL")]
    pub fractal: String,
    /// The rule: a file, FILE#NAME or a name that ships
    #[arg(long, value_name = "RULE", default_value = "life")]
    pub rule: String,
    /// The level for which the layout is planned; 12, or the highest there is, if it is not given
    #[arg(long, value_name = "R", value_parser = level, allow_negative_numbers = true)]
    pub level: Option<u32>,
    /// What to print: the kernel IR as the backend cpu takes it, a program that rustc alone compiles, CUDA C, or what NVRTC makes of it
    /// (no GPU is needed)
    #[arg(long, value_name = "TARGET", default_value = "cuda", value_parser = ["cuda", "ptx", "cubin", "rust", "ir"])]
    pub target: String,
    #[command(flatten)]
    pub how: How,
    /// The architecture of GPUs that ptx and cubin are made for; sm_90 if it is not given
    #[arg(long, value_name = "SM", value_parser = architecture)]
    pub arch: Option<Architecture>,
    /// Where to write it, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where to write the tables that the kernels' `World` points to, for a program of one's own (strategy lanes)
    #[arg(long, value_name = "FILE")]
    pub world: Option<PathBuf>,
}

fn level(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| {
        "valid are whole numbers from 0 to the largest level whose cells can be counted in 64 bits (at most 63)"
            .to_owned()
    })
}

fn steps(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("valid are whole numbers from 0 to {} (2^32 - 1)", u32::MAX))
}

fn every(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(every) if every > 0 => Ok(every),
        _ => Err(format!("valid are whole numbers from 1 to {} (2^32 - 1)", u32::MAX)),
    }
}

fn isa(text: &str) -> Result<Isa, String> {
    let names = || Isa::ALL.map(Isa::name).join(", ");
    Isa::ALL.into_iter().find(|isa| isa.name() == text).ok_or_else(|| format!("valid are {}", names()))
}

fn save_every(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(every @ 1..=MOST_EVERY) => Ok(every),
        _ => Err(format!("valid are whole numbers from 1 to {MOST_EVERY}")),
    }
}

fn architecture(text: &str) -> Result<Architecture, String> {
    Architecture::parse(text).ok_or_else(|| "valid are names such as sm_75, sm_90 or sm_120".to_owned())
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("valid are whole numbers from 0 to {} (2^64 - 1)", u64::MAX))
}

fn index(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "valid are whole numbers that are not negative".to_owned())
}

fn rho(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(rho @ 1..) => Ok(rho),
        _ => Err("valid are whole numbers from 1, which `squeeze emit` and `squeeze run` hold against the fractal"
            .to_owned()),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=squeeze::threads::MOST) => Ok(threads),
        _ => Err(format!("valid are whole numbers from 1 to {}", squeeze::threads::MOST)),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.001..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("valid are numbers of seconds from 0.001 to 3600".to_owned()),
    }
}

fn png_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("png") => Ok(path),
        _ => Err("pictures are PNG files: the name must end in .png".to_owned()),
    }
}

fn svg_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("svg") => Ok(path),
        _ => Err("plots are SVG files: the name must end in .svg".to_owned()),
    }
}

/// The names of backends come from the library, so that a new one is offered by existing there.
fn backend() -> impl TypedValueParser<Value = Backend> {
    let values = Backend::ALL.map(|backend| PossibleValue::new(backend.name()).help(backend.description()));
    clap::builder::PossibleValuesParser::new(values).map(|name| {
        let found = Backend::ALL.into_iter().find(|backend| backend.name() == name);
        found.expect("only the names of backends are accepted")
    })
}

fn strategy() -> impl TypedValueParser<Value = Strategy> {
    let values = Strategy::ALL.map(|strategy| PossibleValue::new(strategy.name()).help(strategy.description()));
    clap::builder::PossibleValuesParser::new(values).map(|name| {
        let found = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.expect("only the names of strategies are accepted")
    })
}

fn map() -> impl TypedValueParser<Value = papers::Map> {
    let values = papers::Map::ALL.map(|map| PossibleValue::new(map.name()).help(map.description()));
    clap::builder::PossibleValuesParser::new(values).map(|name| {
        let found = papers::Map::ALL.into_iter().find(|map| map.name() == name);
        found.expect("only the names of maps are accepted")
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        super::Arguments::command().debug_assert();
    }
}
