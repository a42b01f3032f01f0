//! `bench --strategies`: all strategies side by side.

use crate::args::Bench;
use crate::commands::bench::{
    BenchHead, cases, have_levels, have_open_edges, head, is_available, progress, progress_ends,
};
use crate::commands::run::no_activity;
use crate::report::{CliError, print, table, titled};
use clap::Args;
use serde_json::{Value, json};
use squeeze::Backend;
use squeeze::numbers::{self, duration, in_words, three_digits};
use squeeze_bench::Case;
use squeeze_papers::Strategy;
use squeeze_papers::strategies::{COMPARED, StrategyCosts, TriedStrategy, compare};

/// `bench --strategies`
#[derive(Args)]
pub(super) struct StrategyBenchArgs {
    /// Measure every strategy, map and block size on the GPU, and compare them with the bounding box
    #[arg(long, conflicts_with_all = ["layouts", "packed", "at_once", "peers", "cliffs", "saving", "observables", "fields", "members", "ledger", "wavefronts"], help_heading = "What is measured instead")]
    #[allow(dead_code, reason = "that it was said is known before")]
    strategies: bool,
}

/// Compares the strategies of every case, all of them on the GPU.
pub(super) fn strategies(arguments: &Bench) -> Result<(), CliError> {
    if let Some(machine) = arguments.planned.open()? {
        let message = format!("`--machine {}` has no effect: strategies of the papers have no layouts", machine.name);
        return Err(CliError::input(message, "leave out `--machine`"));
    }
    let cases = cases(arguments, &COMPARED, None)?;
    have_levels(&cases, "--strategies")?;
    have_open_edges(&cases, "--strategies")?;
    if arguments.activity.is_some() {
        return Err(no_activity("what `--strategies` compares"));
    }
    is_available(arguments)?;
    let mut compared = Vec::new();
    for case in cases {
        let case = Case { backend: Backend::Cuda, ..case };
        let ways = compare(&case, arguments.seconds.unwrap_or(0.2), |choice| progress(&case, choice.name()))?;
        compared.push((case, ways));
    }
    progress_ends();
    let head = BenchHead { device: squeeze::cuda::device_name().map_err(squeeze::Error::from)?, ..head() };
    print(&if arguments.json { as_json(&head, &compared) } else { tables(&head, &compared) })
}

const LEGEND: &str = "\
rho: the side of a block. speedup: the time of a step of the bounding box over this one's. reduction: the memory of the bounding
box over this one's.
";

/// The bounding box' outcome, if it had one.
fn bounding_box(ways: &[TriedStrategy]) -> Option<&StrategyCosts> {
    ways.iter()
        .find(|way| way.strategy_choice.strategy == Some(Strategy::BoundingBox))
        .and_then(|way| way.outcome.as_ref().ok())
}

/// One table for each case.
fn tables(head: &BenchHead, compared: &[(Case, Vec<TriedStrategy>)]) -> String {
    let mut text = format!("{}\n{}\n", head.command, head.device);
    for (case, ways) in compared {
        let cells = case.domain().cells();
        text.push_str(&format!(
            "\n{},{},{}: {} cells\n",
            case.fractal.name,
            case.rule.name,
            case.level,
            in_words(cells as f64)
        ));
        let mut lines = titled("strategy, map, rho, step, cells/s, speedup, state, reduction");
        let dash = || "–".to_owned();
        for TriedStrategy { strategy_choice, outcome } in ways {
            let Ok(StrategyCosts { step, state_bytes }) = outcome else { continue };
            let base = bounding_box(ways);
            let speedup = base.map_or_else(dash, |base| three_digits(base.step.median / step.median));
            let reduction = base.map_or_else(dash, |base| three_digits(base.state_bytes as f64 / *state_bytes as f64));
            lines.push(vec![
                strategy_choice.name().to_owned(),
                strategy_choice.map.map_or_else(dash, |map| map.name().to_owned()),
                strategy_choice.rho.map_or_else(dash, |rho| rho.to_string()),
                duration(step.median),
                in_words(cells as f64 / step.median),
                speedup,
                numbers::bytes(*state_bytes as f64),
                reduction,
            ]);
        }
        text.push_str(&table(&lines));
        let mut told: Vec<String> = Vec::new();
        for TriedStrategy { strategy_choice, outcome } in ways {
            let Err(reason) = outcome else { continue };
            let line = format!("{} was left out: {reason}\n", strategy_choice.name());
            if !told.contains(&line) {
                text.push_str(&line);
                told.push(line);
            }
        }
    }
    text.push('\n');
    text + LEGEND
}

/// One object with a list. Times are in seconds.
fn as_json(head: &BenchHead, compared: &[(Case, Vec<TriedStrategy>)]) -> String {
    let of = |(case, ways): &(Case, Vec<TriedStrategy>)| {
        let ways = ways.iter().map(|TriedStrategy { strategy_choice, outcome }| {
            let mut value = json!({
                "strategy": strategy_choice.name(),
                "map": strategy_choice.map.map(|map| map.name()),
                "rho": strategy_choice.rho,
            });
            match outcome {
                Ok(StrategyCosts { step, state_bytes }) => {
                    value["seconds_per_step"] = json!(step.median);
                    value["seconds_per_step_min"] = json!(step.min);
                    value["seconds_per_step_max"] = json!(step.max);
                    value["state_bytes"] = json!(state_bytes);
                }
                Err(reason) => value["left_out"] = json!(reason),
            }
            value
        });
        json!({
            "fractal": case.fractal.name,
            "rule": case.rule.name,
            "level": case.level,
            "cells": case.domain().cells(),
            "strategies": ways.collect::<Vec<Value>>(),
        })
    };
    let cases: Vec<Value> = compared.iter().map(of).collect();
    format!("{}\n", json!({"command": head.command, "device": head.device, "cases": cases}))
}
