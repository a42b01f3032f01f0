//! `bench --strategies`: all strategies side by side.

use super::Head;
use crate::report::table;
use serde_json::{Value, json};
use squeeze::Strategy;
use squeeze::numbers::{self, duration, in_words, three_digits};
use squeeze_bench::Case;
use squeeze_papers::strategies::{Outcome, Way};

const LEGEND: &str = "\
rho: the side of a block. speedup: the time of a step of the bounding box over this one's. reduction: the memory of the bounding
box over this one's.
";

/// The bounding box' outcome, if it had one.
fn bounding_box(ways: &[Way]) -> Option<&Outcome> {
    ways.iter()
        .find(|way| way.strategy_choice.strategy == Some(Strategy::BoundingBox))
        .and_then(|way| way.outcome.as_ref().ok())
}

/// One table for each case.
pub(super) fn tables(head: &Head, compared: &[(Case, Vec<Way>)]) -> String {
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
        let titles = ["strategy", "map", "rho", "step", "cells/s", "speedup", "state", "reduction"];
        let mut lines = vec![titles.map(str::to_owned).to_vec()];
        let dash = || "–".to_owned();
        for Way { strategy_choice, outcome } in ways {
            let Ok(Outcome { step, state_bytes }) = outcome else { continue };
            let base = bounding_box(ways);
            let speedup = base.map_or_else(dash, |base| three_digits(base.step.median / step.median));
            let reduction = base.map_or_else(dash, |base| three_digits(base.state_bytes as f64 / *state_bytes as f64));
            lines.push(vec![
                strategy_choice.strategy.unwrap_or_default().name().to_owned(),
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
        for Way { strategy_choice, outcome } in ways {
            let Err(reason) = outcome else { continue };
            let line = format!("{} was left out: {reason}\n", strategy_choice.strategy.unwrap_or_default().name());
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
pub(super) fn as_json(head: &Head, compared: &[(Case, Vec<Way>)]) -> String {
    let of = |(case, ways): &(Case, Vec<Way>)| {
        let ways = ways.iter().map(|Way { strategy_choice, outcome }| {
            let mut value = json!({
                "strategy": strategy_choice.strategy.unwrap_or_default().name(),
                "map": strategy_choice.map.map(|map| map.name()),
                "rho": strategy_choice.rho,
            });
            match outcome {
                Ok(Outcome { step, state_bytes }) => {
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
