//! Measurements for programs: one object with a list.

use super::{Head, Row};
use serde_json::{Map, Value, json};
use squeeze_bench::members::Crowd;
use squeeze_bench::observing::Observing;
use squeeze_bench::saving::Saving;
use squeeze_bench::sweep::{Sweep, Tried};
use squeeze_bench::{Case, Measurement};

/// All measurements, one for each case and number of threads. Times are in seconds.
pub(super) fn rows(head: &Head, rows: &[Row]) -> String {
    let mut list = Vec::new();
    for row in rows {
        if let Some(reason) = &row.left_out {
            let mut value = case(&row.case);
            value.insert("left_out".to_owned(), json!(reason));
            list.push(Value::Object(value));
        }
        list.extend(row.measurements.iter().map(|(measurement, start)| of(row, measurement, *start)));
    }
    with_head(head, "measurements", list)
}

/// What saving costs, one for each case. Times are in seconds.
pub(super) fn savings(head: &Head, savings: &[(Case, Saving)]) -> String {
    let list = savings.iter().map(|(measured, saving)| {
        let mut value = case(measured);
        let more = [
            ("threads", json!(saving.threads)),
            ("save_every", json!(saving.every)),
            ("seconds_per_step", json!(saving.plain)),
            ("seconds_per_step_saving", json!(saving.saved())),
            ("seconds_to_begin", json!(saving.beginning)),
            ("bytes_of_a_state", json!(saving.bytes)),
            ("cost", json!(saving.cost)),
        ];
        value.extend(more.map(|(name, value)| (name.to_owned(), value)));
        Value::Object(value)
    });
    with_head(head, "savings", list.collect())
}

/// What observables cost, one for each case. Times are in seconds.
pub(super) fn observings(head: &Head, observings: &[(Case, Observing)]) -> String {
    let list = observings.iter().map(|(measured, observing)| {
        let mut value = case(measured);
        let more = [
            ("threads", json!(observing.threads)),
            ("device", json!(observing.device)),
            ("observables", json!(observing.observables)),
            ("seconds_per_step", json!(observing.step.median)),
            ("seconds_per_observation", json!(observing.observation.median)),
            ("seconds_per_observation_min", json!(observing.observation.min)),
            ("seconds_per_observation_max", json!(observing.observation.max)),
            ("seconds_of_first_observation", json!(observing.first)),
            ("steps_per_observable", json!(observing.steps())),
            ("seconds_per_observed_step", json!(observing.observed_step.map(|step| step.median))),
        ];
        value.extend(more.map(|(name, value)| (name.to_owned(), value)));
        Value::Object(value)
    });
    with_head(head, "observations", list.collect())
}

/// Results of members, an object for each case. Times are in seconds.
pub(super) fn crowds(head: &Head, crowds: &[(Case, Crowd)]) -> String {
    let list = crowds.iter().map(|(measured, crowd)| {
        let mut value = case(measured);
        let more = [
            ("members", json!(crowd.members)),
            ("threads", json!(crowd.threads)),
            ("device", json!(crowd.device)),
            ("layout", json!(crowd.layout)),
            ("observe_every", json!(crowd.observe_every)),
            ("cells_of_members", json!(crowd.cells)),
            ("seconds_per_step", json!(crowd.step.median)),
            ("level_of_one", json!(crowd.level_of_one)),
            ("cells_of_one", json!(crowd.cells_of_one)),
            ("seconds_per_step_of_one", json!(crowd.step_of_one.median)),
            ("ratio", json!(crowd.ratio())),
        ];
        value.extend(more.map(|(name, value)| (name.to_owned(), value)));
        Value::Object(value)
    });
    with_head(head, "members", list.collect())
}

fn with_head(head: &Head, name: &str, list: Vec<Value>) -> String {
    let mut value = json!({"command": head.command, "device": head.device, "threads": head.threads});
    value[name] = Value::Array(list);
    format!("{value}\n")
}

fn case(case: &Case) -> Map<String, Value> {
    let mut value = Map::new();
    value.insert("fractal".to_owned(), json!(case.fractal.name));
    value.insert("rule".to_owned(), json!(case.rule.name));
    value.insert("level".to_owned(), json!(case.domain().levels()));
    value.insert("cells".to_owned(), json!(case.domain().cells()));
    value.insert("backend".to_owned(), json!(case.backend.name()));
    value
}

fn of(row: &Row, measurement: &Measurement, start: Option<f64>) -> Value {
    let mut value = case(&row.case);
    let layout = measurement.execution.map(|e| json!({"T": e.lane_digits, "L": e.micro_digits, "t": e.steps_per_pass}));
    let peers = row.answers.iter().map(|answer| match &answer.outcome {
        Ok(seconds) => {
            let ratio = seconds / measurement.step.median;
            json!({"name": answer.name, "seconds_per_step": seconds, "times_ours": ratio})
        }
        Err(problem) => json!({"name": answer.name, "problem": problem}),
    });
    let more = [
        ("threads", json!(measurement.threads)),
        ("device", json!(measurement.device)),
        ("layout", json!(layout)),
        ("engine", json!(measurement.execution.map(|execution| execution.compiler))),
        ("seconds_per_step", json!(measurement.step.median)),
        ("seconds_per_step_min", json!(measurement.step.min)),
        ("seconds_per_step_max", json!(measurement.step.max)),
        ("repeats", json!(measurement.step.repeats)),
        ("steps_at_once", json!(measurement.at_once)),
        ("steps_per_repeat", json!(measurement.step.units)),
        ("cells_per_second", json!(measurement.cells_per_second())),
        ("useful_bytes_per_step", json!(measurement.useful_bytes)),
        ("useful_bytes_per_second", json!(measurement.useful_bytes_per_second())),
        ("seconds_of_copy", json!(measurement.copy)),
        ("ratio_to_copy", json!(measurement.ratio_to_copy())),
        ("ratio_to_copy_of_stored", json!(measurement.ratio_to_copy_of_stored())),
        ("state_bytes", json!(measurement.state_bytes)),
        ("seconds_to_initial_state", json!(measurement.build)),
        ("seconds_to_first_pass", json!(measurement.first_pass)),
        ("seconds_from_start_to_first_pass", json!(start)),
        ("peers", json!(peers.collect::<Vec<_>>())),
    ];
    value.extend(more.map(|(name, value)| (name.to_owned(), value)));
    Value::Object(value)
}

/// Layouts of each case, the planner's choice first.
pub(super) fn sweeps(head: &Head, sweeps: &[(Case, Sweep)]) -> String {
    let list = sweeps.iter().map(|(of, sweep)| {
        let mut value = case(of);
        let more = [
            ("threads", json!(sweep.threads)),
            ("choice", tried(sweep.choice())),
            ("best", tried(sweep.best())),
            ("behind", json!(sweep.behind())),
            ("untried", json!(sweep.untried)),
            ("layouts", json!(sweep.tried.iter().map(tried).collect::<Vec<_>>())),
        ];
        value.extend(more.map(|(name, value)| (name.to_owned(), value)));
        Value::Object(value)
    });
    with_head(head, "sweeps", list.collect())
}

fn tried(tried: &Tried) -> Value {
    let candidate = &tried.candidate;
    json!({
        "T": candidate.layout.lane_digits(),
        "L": candidate.layout.micro_digits(),
        "t": candidate.steps,
        "seconds_per_step": tried.measured,
        "predicted": tried.predicted,
        "operations": candidate.operations,
        "overlap": candidate.overlap,
        "memory_bound": candidate.memory_bound,
    })
}
