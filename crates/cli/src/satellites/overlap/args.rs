//! The arguments of `overlap` and of `bench --overlap`

use crate::args::values::{device, named, whole, within};
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use squeeze::Backend;
use squeeze_overlap::Similarity;
use squeeze_overlap::source::Between;
use std::path::PathBuf;

/// How it is called.
pub(super) const EXAMPLES: &str = "Examples:
  squeeze overlap cold/0 cold/1 cold/2 -o q.npy
  squeeze overlap spins --between times --measure hamming -o h.npy
  squeeze overlap packed.npy --bits 1000 --measure r2 -o r2.npy
  squeeze plot q.npy -o q.svg
  squeeze overlap --machine zen4 --rows 256 --bits 1048576";

/// `overlap`
#[derive(Args)]
pub(crate) struct OverlapArgs {
    /// The folders of runs with saved states, or one packed array: a .npy of uint8 with the shape [R, bytes]
    #[arg(required_unless_present = "machine", value_name = "DIR")]
    pub sources: Vec<PathBuf>,
    /// The state to compare, of type bit [default: the first of the rule]
    #[arg(long, value_name = "STATE")]
    pub field: Option<String>,
    /// What to compare [default: runs, or the steps of a single run]
    #[arg(long, value_name = "WHAT", value_parser = between())]
    pub between: Option<Between>,
    /// The step of the states of several runs [default: the last that all of them have saved]
    #[arg(long, value_name = "N", value_parser = within(0..=u32::MAX), allow_negative_numbers = true)]
    pub step: Option<u32>,
    /// How two states are compared
    #[arg(long, value_name = "MEASURE", default_value = "overlap", value_parser = measure())]
    pub measure: Similarity,
    /// How many bits of each row of a packed array to use [default: all]. With --machine: the bits of each state [default: 1048576]
    #[arg(long, value_name = "N", value_parser = bits, allow_negative_numbers = true)]
    pub bits: Option<u64>,
    /// Where the bits are counted; a GPU does so on its tensor cores if they multiply bits
    #[arg(long, value_name = "BACKEND", default_value = "cpu", value_parser = device())]
    pub backend: Backend,
    /// Threads [default: one for each hardware thread]
    #[arg(long, value_name = "N", value_parser = within(1..=squeeze::threads::MOST), allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// The matrix to write
    #[arg(short, long = "out", alias = "output", value_name = "FILE.npy", value_parser = npy_file, required_unless_present = "machine")]
    pub output: Option<PathBuf>,
    /// Compare nothing: print how a machine would cut the product into tiles and blocks. A name, or a file of `doctor --measure`
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["sources", "field", "between", "step", "threads", "output", "backend"])]
    pub machine: Option<String>,
    /// With --machine: the number of states [default: 256]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1 << 20), requires = "machine", allow_negative_numbers = true)]
    pub rows: Option<u32>,
}

/// `bench --overlap`
#[derive(Args)]
pub(crate) struct OverlapBenchArgs {
    /// Compare the kernels that count overlaps on the CPU. --peers takes a folder of scripts for this; --seconds is per kernel [default: 1]
    #[arg(long, conflicts_with_all = ["cases", "layouts", "cliffs", "saving", "observables", "fields", "members", "at_once", "periodic", "edge", "isa", "activity", "machine", "ledger", "wavefronts"], help_heading = "What is measured instead")]
    pub overlap: bool,
    /// Another name for `--overlap --backend cuda`
    #[arg(long, hide = true, conflicts_with_all = ["threads", "backend"])]
    pub gpu: bool,
    /// With --overlap: the number of states to compare [default: 256]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1 << 20), allow_negative_numbers = true)]
    pub rows: Option<u32>,
    /// With --overlap: the number of bits in each state [default: 1048576]
    #[arg(long, value_name = "V", value_parser = bits, allow_negative_numbers = true)]
    pub bits: Option<u64>,
}

fn npy_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("npy") => Ok(path),
        _ => Err("matrices are arrays of numpy: the name must end in .npy".to_owned()),
    }
}

fn bits(text: &str) -> Result<u64, String> {
    whole(text, 1..=u64::MAX)
}

fn measure() -> impl TypedValueParser<Value = Similarity> {
    named(Similarity::ALL, |measure| PossibleValue::new(measure.name()).help(measure.description()))
}

fn between() -> impl TypedValueParser<Value = Between> {
    named([Between::Seeds, Between::Times], |between| match between {
        Between::Seeds => PossibleValue::new("seeds").help("Runs, at the same step"),
        Between::Times => PossibleValue::new("times").help("The saved steps of one run"),
    })
}
