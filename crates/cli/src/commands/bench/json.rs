//! Measurements for programs: one object with a list.

use super::{BenchHead, CaseRow};
use serde_json::{Value, json};
use squeeze::compiler::layout::Layout;
use squeeze_bench::looking::Looking;
use squeeze_bench::members::Crowd;
use squeeze_bench::observing::Observing;
use squeeze_bench::saving::Saving;
use squeeze_bench::sweep::{LayoutSweep, Tried};
use squeeze_bench::{Case, Measurement};

/// All measurements, one for each case and number of threads. Times are in seconds.
pub(super) fn rows(head: &BenchHead, rows: &[CaseRow]) -> String {
    let mut list = Vec::new();
    for row in rows {
        if let Some(reason) = &row.left_out {
            list.push(with_case(&row.case, json!({"left_out": reason})));
        }
        list.extend(row.measurements.iter().map(|(measurement, start)| of(row, measurement, *start)));
    }
    with_head(head, "measurements", list)
}

/// The costs of saving, one for each case. Times are in seconds.
pub(super) fn savings(head: &BenchHead, savings: &[(Case, Saving)]) -> String {
    list(head, "savings", savings, |saving| {
        json!({
            "threads": saving.threads,
            "save_every": saving.every,
            "seconds_per_step": saving.plain,
            "seconds_per_step_saving": saving.saved(),
            "seconds_to_begin": saving.beginning,
            "bytes_of_a_state": saving.bytes,
            "cost": saving.cost,
        })
    })
}

/// The costs of observables, one for each case. Times are in seconds.
pub(super) fn observings(head: &BenchHead, observings: &[(Case, Observing)]) -> String {
    list(head, "observations", observings, |observing| {
        json!({
            "threads": observing.threads,
            "device": observing.device,
            "observables": observing.observables,
            "seconds_per_step": observing.step.median,
            "seconds_per_observation": observing.observation.median,
            "seconds_per_observation_min": observing.observation.min,
            "seconds_per_observation_max": observing.observation.max,
            "seconds_of_first_observation": observing.first,
            "steps_per_observable": observing.steps(),
            "seconds_per_observed_step": observing.observed_step.map(|step| step.median),
        })
    })
}

/// The costs of looking at a state, one for each case. Times are in seconds.
pub(super) fn looks(head: &BenchHead, looks: &[(Case, Looking)]) -> String {
    list(head, "looks", looks, |looking| {
        json!({
            "threads": looking.threads,
            "device": looking.device,
            "seconds_per_step": looking.step.median,
            "seconds_per_window": looking.window.median,
            "bytes_per_window": looking.bytes,
            "seconds_per_sums": looking.sums.median,
            "seconds_per_field": looking.field.median,
            "seconds_per_copy": looking.copy.median,
            "ratio_to_copy": looking.of_copy(),
        })
    })
}

/// Results of members, an object for each case. Times are in seconds.
pub(super) fn crowds(head: &BenchHead, crowds: &[(Case, Crowd)]) -> String {
    list(head, "members", crowds, |crowd| {
        json!({
            "members": crowd.members,
            "threads": crowd.threads,
            "device": crowd.device,
            "layout": crowd.layout,
            "observe_every": crowd.observe_every,
            "cells_of_members": crowd.cells,
            "seconds_per_step": crowd.step.median,
            "level_of_one": crowd.level_of_one,
            "cells_of_one": crowd.cells_of_one,
            "seconds_per_step_of_one": crowd.step_of_one.median,
            "ratio": crowd.ratio(),
        })
    })
}

/// A list with the results of each case.
fn list<T>(head: &BenchHead, name: &str, cases: &[(Case, T)], result: impl Fn(&T) -> Value) -> String {
    with_head(head, name, cases.iter().map(|(case, came_to)| with_case(case, result(came_to))).collect())
}

fn with_head(head: &BenchHead, name: &str, list: Vec<Value>) -> String {
    let mut value = json!({"command": head.command, "device": head.device, "threads": head.threads});
    value[name] = Value::Array(list);
    format!("{value}\n")
}

/// A result, with the entries that describe its case.
pub(super) fn with_case(case: &Case, mut result: Value) -> Value {
    let mut value = json!({
        "fractal": case.fractal.name,
        "rule": case.rule.name,
        "level": case.domain().levels(),
        "cells": case.domain().cells(),
        "backend": case.backend.name(),
    });
    if let (Value::Object(all), Some(more)) = (&mut value, result.as_object_mut()) {
        all.append(more);
    }
    value
}

fn of(row: &CaseRow, measurement: &Measurement, start: Option<f64>) -> Value {
    let layout = measurement.execution.map(|e| json!({"T": e.lane_digits, "L": e.micro_digits, "t": e.steps_per_pass}));
    let peers = row.answers.iter().map(|answer| match &answer.outcome {
        Ok(seconds) => {
            let ratio = seconds / measurement.step.median;
            json!({"name": answer.name, "seconds_per_step": seconds, "times_ours": ratio})
        }
        Err(problem) => json!({"name": answer.name, "problem": problem}),
    });
    let result = json!({
        "threads": measurement.threads,
        "device": measurement.device,
        "layout": layout,
        "engine": measurement.execution.map(|execution| execution.compiler),
        "seconds_per_step": measurement.step.median,
        "seconds_per_step_min": measurement.step.min,
        "seconds_per_step_max": measurement.step.max,
        "repeats": measurement.step.repeats,
        "steps_at_once": measurement.at_once,
        "steps_per_repeat": measurement.step.units,
        "cells_per_second": measurement.cells_per_second(),
        "useful_bytes_per_step": measurement.useful_bytes,
        "useful_bytes_per_second": measurement.useful_bytes_per_second(),
        "seconds_of_copy": measurement.copy,
        "ratio_to_copy": measurement.ratio_to_copy(),
        "ratio_to_copy_of_stored": measurement.ratio_to_copy_of_stored(),
        "state_bytes": measurement.state_bytes,
        "seconds_to_initial_state": measurement.build,
        "seconds_to_first_pass": measurement.first_pass,
        "seconds_from_start_to_first_pass": start,
        "peers": peers.collect::<Vec<_>>(),
    });
    with_case(&row.case, result)
}

/// Layouts of each case, the planner's choice first.
pub(super) fn sweeps(head: &BenchHead, sweeps: &[(Case, LayoutSweep)]) -> String {
    list(head, "sweeps", sweeps, |sweep| {
        json!({
            "threads": sweep.threads,
            "choice": tried(sweep.choice()),
            "best": tried(sweep.best()),
            "behind": sweep.behind(),
            "untried": sweep.untried,
            "layouts": sweep.tried.iter().map(tried).collect::<Vec<_>>(),
        })
    })
}

fn tried(tried: &Tried) -> Value {
    let (choice, estimate) = (&tried.choice, tried.choice.estimate);
    json!({
        "T": choice.layout().map(Layout::lane_digits),
        "L": choice.layout().map(Layout::micro_digits),
        "t": choice.steps,
        "seconds_per_step": tried.measured,
        "predicted": tried.predicted,
        "operations": estimate.operations,
        "overlap": estimate.overlap,
        "memory_bound": estimate.memory_bound,
    })
}
