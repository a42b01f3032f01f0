//! The papers about Squeeze: their strategies as engines, `bench --strategies`, and `figures`.

mod bench;
mod figures;

use super::{Benchmark, CommandArguments, Satellite, read};
use crate::args::values::whole;
use crate::engines::Engines;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Command};
use squeeze::run::NamedEngine;
use squeeze_papers::emit::MapUnit;
use squeeze_papers::{Strategy, StrategyChoice, engine};
use std::sync::Arc;

/// The papers.
pub(super) const PAPERS: Satellite = Satellite {
    command: || {
        let command = figures::Figures::augment_args(Command::new("figures"));
        command.about("Reproduce the figures of the papers, and check their claims").after_help(figures::EXAMPLES)
    },
    behind: "bench",
    run: |matches| figures::figures(&read(matches)),
    arguments: &[
        CommandArguments { command: "run", add: Flags::augment_args, behind: &["packed", "strategy", "map"] },
        CommandArguments { command: "resume", add: resumed, behind: &["backend", "strategy", "map"] },
        CommandArguments { command: "emit", add: Flags::augment_args, behind: &["target", "strategy", "map"] },
        CommandArguments { command: "bench", add: bench::StrategyBenchArgs::augment_args, behind: &["layouts"] },
    ],
    bench: Some(Benchmark { flag: "strategies", takes_backend: false, run: |bench, _| bench::strategies(bench) }),
    engines: Some(&Engines {
        named: |matches| {
            let Flags { strategy, map, rho } = read(matches);
            let mut engine = NamedEngine::default();
            (engine.strategy, engine.map, engine.rho) = (strategy, map, rho);
            engine
        },
        maker: |named| Ok(Arc::new(StrategyChoice::of(named)?)),
        program: |named, rule, prefix| {
            let Some(grid) = StrategyChoice::of(named)?.grid(rule.domain())? else { return Ok(None) };
            let program = engine::program(&grid, rule, prefix)?;
            let header = engine::header(&grid, rule, &program);
            Ok(Some((program.text, header)))
        },
    }),
    collector: None,
    drawer: None,
    viewer: None,
};

/// How cells are kept and visited.
#[derive(Args)]
struct Flags {
    /// How cells are stored and visited [default: lanes]
    #[arg(long, value_name = "STRATEGY", value_parser = strategy(), help_heading = "Execution")]
    strategy: Option<String>,
    /// How the strategies squeeze and lambda compute their maps [default: scalar]
    #[arg(long, value_name = "MAP", value_parser = PossibleValuesParser::new(MapUnit::ALL.map(|map| PossibleValue::new(map.name()).help(map.description()))), help_heading = "Execution")]
    map: Option<String>,
    /// The side of a block, for all strategies but lanes: a power of the scale, at most 1024 cells per block
    #[arg(long, value_name = "P", help_heading = "Execution", value_parser = rho, allow_negative_numbers = true)]
    rho: Option<u64>,
}

/// The flags for `resume`, which may be left out where the run recorded them.
fn resumed(command: Command) -> Command {
    let strategy = "How cells are stored and visited in the remaining steps [default: as before, if the backend can]";
    let helps = [
        ("strategy", strategy),
        ("map", "How the strategies squeeze and lambda compute their maps"),
        ("rho", "The side of a block, for all strategies but lanes"),
    ];
    helps.into_iter().fold(Flags::augment_args(command), |command, (flag, help)| {
        command.mut_arg(flag, |argument| argument.help(help))
    })
}

fn strategy() -> PossibleValuesParser {
    let lanes = PossibleValue::new(NamedEngine::OWN).help("compact memory, replicas side by side");
    let others = Strategy::ALL.map(|strategy| PossibleValue::new(strategy.name()).help(strategy.description()));
    PossibleValuesParser::new(std::iter::once(lanes).chain(others))
}

fn rho(text: &str) -> Result<u64, String> {
    whole(text, 1..=u64::MAX).map_err(|problem| format!("{problem} that are powers of the fractal's scale"))
}
