//! The arguments of `sweep` and `merge`.

use super::shared::{EdgeArgs, InputArgs, Planned};
use super::values::{Devices, backend, devices, discard, initial_values, shard, within};
use clap::Args;
use squeeze::Backend;
use squeeze::observation_times::ObservationTimes;
use squeeze::sweep::{Discard, Shard};
use std::path::PathBuf;

/// How it is called.
pub(crate) const EXAMPLES: &str = "Examples:
  squeeze sweep sierpinski_carpet -r ising -l 4 -n 5000 --set beta=0.40..=0.60/0.02 -o curve
  squeeze sweep vicsek -r sir -l 5 -n 300 --seeds 0..100 --out seeds
  squeeze sweep sierpinski_carpet -r ising -l 3 -n 5000 --set beta=0.4..=0.8/0.05 --exchange beta --exchange-every 10 -o ladder
  squeeze sweep vicsek -r sir -l 5 -n 300 --seeds 0..100 --shard 1/4 --out part1
  squeeze sweep vicsek -r sir -l 5 -n 300 --seeds 0..100 --slurm --out parts > parts.sh";

/// `sweep`
#[derive(Args)]
pub(crate) struct SweepArgs {
    /// The fractal: one that ships, a file, or FILE#NAME
    #[arg(value_name = "FRACTAL")]
    pub fractal: String,
    /// The level, or several: a list 3,4, or a range 2..=5. Masks and boxes have no level
    #[arg(short, long, value_name = "LEVELS", allow_hyphen_values = true)]
    pub level: Option<String>,
    #[command(flatten)]
    pub edges: EdgeArgs,
    /// The rule: one that ships, a file, FILE#NAME, or `-` for standard input
    #[arg(short, long, value_name = "RULE", allow_hyphen_values = true)]
    pub rule: String,
    /// The number of time steps of each member
    #[arg(short = 'n', long, value_name = "N", value_parser = within(0..=u32::MAX), allow_negative_numbers = true)]
    pub steps: u32,
    /// The seeds, a list or a range: 0..64, 0..=63, 1,5,9 [default: 0]
    #[arg(short, long, alias = "seed", value_name = "SEEDS", allow_hyphen_values = true)]
    pub seeds: Option<String>,
    /// The seeds of what the rule or the domain draws `from disorder`, a list or a range; without it they are the members' seeds
    #[arg(long, value_name = "SEEDS", allow_hyphen_values = true, help_heading = "Domain")]
    pub disorder: Option<String>,
    /// The values of a parameter: one, a list q=2,3,4, or a range beta=0.40..=0.48/0.01; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUES")]
    pub settings: Vec<String>,
    /// Let parameters vary together: the first value of each, the second of each, and so on
    #[arg(long)]
    pub zip: bool,
    /// Let members exchange their states along this parameter, one of those in the rule's `equilibrium`; each then draws by a key of its own
    #[arg(long, value_name = "NAME", requires = "exchange_every", help_heading = "Exchange")]
    pub exchange: Option<String>,
    /// Try to exchange states every N steps, between members with neighbouring values
    #[arg(long, value_name = "N", value_parser = within(1..=u32::MAX), allow_negative_numbers = true, requires = "exchange", help_heading = "Exchange")]
    pub exchange_every: Option<u32>,
    /// Read the initial values of a state from a file, as `run` does, for all members; may be repeated
    #[arg(long = "init", value_name = "STATE=FILE", value_parser = initial_values())]
    pub init: Vec<String>,
    #[command(flatten)]
    pub input: InputArgs,
    /// A new folder for the results: members.csv, observables.csv, ends.csv, times.csv and summary.csv
    #[arg(short, long, alias = "output", value_name = "DIR")]
    pub out: PathBuf,
    /// Take the observables every N steps and at the end [default: a thousandth of all steps]
    #[arg(long, value_name = "N", value_parser = within(1..=u32::MAX), allow_negative_numbers = true, help_heading = "Output")]
    pub observe_every: Option<u32>,
    /// Take the observables at these steps and at the end: a list 0,1,10,100, or log:N for N steps in each decade
    #[arg(long, value_name = "TIMES", value_parser = ObservationTimes::parse, conflicts_with = "observe_every", allow_hyphen_values = true, help_heading = "Output")]
    pub observe_at: Option<ObservationTimes>,
    /// Leave the first N steps out of the summary, or as many as observables need to come to equilibrium
    #[arg(long, value_name = "N|auto", value_parser = discard, allow_negative_numbers = true, help_heading = "Output")]
    pub discard: Option<Discard>,
    /// Write per_member.csv too: the means of each member by itself
    #[arg(long, help_heading = "Output")]
    pub per_member: bool,
    /// Compute only part I of N parts, which `squeeze merge` joins
    #[arg(long, value_name = "I/N", value_parser = shard, allow_hyphen_values = true, help_heading = "Execution")]
    pub shard: Option<Shard>,
    /// Print a batch script for SLURM that computes N parts as an array of jobs, and compute nothing [default: 64 parts, or one for each member]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, value_parser = within(1..=u32::MAX), conflicts_with_all = ["shard", "json", "quiet"], help_heading = "Execution")]
    pub slurm: Option<Option<u32>>,
    /// The backend
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend(), help_heading = "Execution")]
    pub backend: Backend,
    /// Threads [default: one for each hardware thread]
    #[arg(long, value_name = "N", value_parser = within(1..=squeeze::threads::MOST), allow_negative_numbers = true, help_heading = "Execution")]
    pub threads: Option<usize>,
    /// The GPUs that compute members, each some of them (backend cuda): their numbers, such as 0,1, or all; results do not depend on it [default: the first]
    #[arg(long, value_name = "N,…|all", value_parser = devices, help_heading = "Execution")]
    pub devices: Option<Devices>,
    #[command(flatten)]
    pub planned: Planned,
    /// Print the summary as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print neither progress nor a summary
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

/// `merge`
#[derive(Args)]
pub(crate) struct Merge {
    /// The folders of all parts; the first one receives the merged sweep
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Print the summary as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Do not print the summary
    #[arg(long)]
    pub quiet: bool,
}
