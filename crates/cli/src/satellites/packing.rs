//! Arrays packed by masks: `mask`, and `bench --encodings`.

mod args;
mod bench;
mod mask;

use super::{Benchmark, CommandArguments, Satellite, read};
use clap::{Args, Command, Subcommand};

/// Packing.
pub(super) const PACKING: Satellite = Satellite {
    command: || {
        let command = args::MaskCommand::augment_subcommands(Command::new("mask"));
        let command = command.subcommand_required(true).arg_required_else_help(true);
        command.about("Inspect a mask, and pack or unpack arrays with it").after_help(args::EXAMPLES)
    },
    behind: "map",
    run: |matches| mask::mask(&read(matches)),
    arguments: &[CommandArguments {
        command: "bench",
        add: args::EncodingBenchArgs::augment_args,
        behind: &["observe_every", "", ""],
    }],
    bench: Some(Benchmark {
        flag: "encodings",
        takes_backend: true,
        run: |bench, matches| bench::encodings(bench, &read(matches)),
    }),
    engines: None,
    collector: None,
    drawer: None,
    viewer: None,
};
