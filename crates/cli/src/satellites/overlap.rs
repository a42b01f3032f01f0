//! Overlaps of states: `overlap`, `bench --overlap`, `plot` of matrices, and what sweeps gather.

mod args;
mod bench;
mod compare;

use super::{Benchmark, CommandArguments, Satellite, read};
use clap::{Args, Command};

/// Overlaps.
pub(super) const OVERLAP: Satellite = Satellite {
    command: || {
        let command = args::OverlapArgs::augment_args(Command::new("overlap"));
        command.about("Compare saved states of bits in pairs").after_help(args::EXAMPLES)
    },
    behind: "analyse",
    run: |matches| compare::overlap(&read(matches)),
    arguments: &[CommandArguments {
        command: "bench",
        add: args::OverlapBenchArgs::augment_args,
        behind: &["observe_every", "ledger", "backend", "rows"],
    }],
    bench: Some(Benchmark {
        flag: "overlap",
        takes_backend: true,
        run: |bench, matches| bench::overlap(bench, &read(matches)),
    }),
    engines: None,
    collector: Some(&squeeze_overlap::Overlaps),
    drawer: Some(compare::drawn),
    viewer: None,
};
