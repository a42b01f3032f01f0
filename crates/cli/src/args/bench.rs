//! The arguments of `bench`.

use super::shared::{EdgeArgs, Planned};
use super::values::{device, isa, seconds, switch, within};
use clap::Args;
use squeeze::Backend;
use squeeze::cpu::Isa;
use squeeze::sweep::MOST_MEMBERS;
use squeeze_bench::saving::MOST_EVERY;
use std::path::PathBuf;

/// `bench`
#[derive(Args)]
pub(crate) struct Bench {
    /// What to measure: FRACTAL,RULE,LEVEL or FRACTAL,RULE,LEVEL,BACKEND, for masks and boxes without LEVEL [default: a standard list].
    /// With --ledger: names of specialities [default: all]
    #[arg(value_name = "CASE")]
    pub cases: Vec<String>,
    #[command(flatten)]
    pub edges: EdgeArgs,
    /// Threads [default: each case is measured with one and with all]
    #[arg(long, value_name = "N", value_parser = within(1..=squeeze::threads::MOST), allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Seconds to measure each case, or with --layouts all layouts of one [default: 1, with --layouts 14]
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// Restrict the backend cpu to an instruction set of x86-64: sse4.1, avx2 or avx512
    #[arg(long, value_name = "ISA", value_parser = isa(), help_heading = "Execution")]
    pub isa: Option<Isa>,
    #[command(flatten)]
    pub planned: Planned,
    /// Whether to skip regions that cannot change (backends cpu and cuda) [default: off, so that every cell is computed in each step]
    #[arg(long, value_name = "on|off", value_parser = switch(), help_heading = "Execution")]
    pub activity: Option<bool>,
    /// Store the cells of masks alone, in the order of their indices (backends cpu and cuda) [default: only where rows do not fit in memory]
    #[arg(long, conflicts_with = "layouts", help_heading = "Execution")]
    pub packed: bool,
    /// Ask for N time steps at once, such as 1 for passes of a single step [default: as many as a pass computes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20), conflicts_with_all = ["layouts", "peers", "cliffs", "saving", "observables", "fields", "observe_every"], allow_negative_numbers = true, help_heading = "Execution")]
    pub at_once: Option<u32>,
    /// Measure every layout that the planner considers, and compare the fastest with its choice
    #[arg(long, help_heading = "What is measured instead")]
    pub layouts: bool,
    /// Run the same cases with the Python scripts in this folder, and compare
    #[arg(long, value_name = "DIR", conflicts_with = "layouts", help_heading = "What is measured instead")]
    pub peers: Option<PathBuf>,
    /// Measure kinds of rules that are slow in many simulators, each beside numpy, on one thread
    #[arg(long, conflicts_with_all = ["cases", "layouts", "peers", "threads", "periodic", "machine"], help_heading = "What is measured instead")]
    pub cliffs: bool,
    /// Measure the cost of saving the states every N steps, as `run --out` does (files are written below the current folder)
    #[arg(long, value_name = "N", value_parser = within(1..=MOST_EVERY), conflicts_with_all = ["layouts", "peers", "cliffs"], allow_negative_numbers = true, help_heading = "What is measured instead")]
    pub saving: Option<u32>,
    /// Measure the cost of computing the observables, in time steps
    #[arg(long, conflicts_with_all = ["layouts", "peers", "cliffs", "saving"], help_heading = "What is measured instead")]
    pub observables: bool,
    /// Measure the cost of looking at the first state: a window, sums of blocks, and the values of all cells beside a copy of them
    #[arg(long, conflicts_with_all = ["layouts", "peers", "cliffs", "saving", "observables"], help_heading = "What is measured instead")]
    pub fields: bool,
    /// Measure N members at once, and compare them with one run at the level that has about as many cells; with --layouts on several layouts
    #[arg(long, value_name = "N", value_parser = within(1..=MOST_MEMBERS), conflicts_with_all = ["peers", "cliffs", "saving", "observables", "fields"], allow_negative_numbers = true, help_heading = "What is measured instead")]
    pub members: Option<usize>,
    /// Take the observables of the members every N steps
    #[arg(long, value_name = "N", value_parser = within(1..=u32::MAX), requires = "members", allow_negative_numbers = true, help_heading = "What is measured instead")]
    pub observe_every: Option<u32>,
    /// Measure what each speciality of a backend buys: cases with it and without it, whose results are compared. It takes minutes; --seconds is per
    /// case and speciality [default: 0.3], --threads is one on a CPU
    #[arg(long, conflicts_with_all = ["layouts", "peers", "cliffs", "saving", "observables", "fields", "members", "periodic", "edge", "isa", "activity", "packed", "at_once", "machine"], help_heading = "What is measured instead")]
    pub ledger: bool,
    /// Measure ordered steps with tiles of many sides, beside a model that says how long each takes: cases are DOMAIN,RULE or DOMAIN,RULE,BACKEND, where plane_N is a
    /// box of N by N; inputs are letters by chance. --seconds is per tile [default: 0.15]; with --threads 1 times are the processor's
    #[arg(long, conflicts_with_all = ["layouts", "peers", "cliffs", "saving", "observables", "fields", "members", "isa", "activity", "packed", "at_once", "machine", "ledger"], help_heading = "What is measured instead")]
    pub wavefronts: bool,
    /// With --encodings: where they are compared [default: cpu]; on a GPU each point is the median of ten repeats. With --overlap: whose kernels
    /// are measured; those of the first GPU stand beside the peak of its tensor cores and a copy of the same bytes. With --ledger: whose specialities. With
    /// --wavefronts: whose usual cases
    #[arg(long, value_name = "BACKEND", value_parser = device())]
    pub backend: Option<Backend>,
}
