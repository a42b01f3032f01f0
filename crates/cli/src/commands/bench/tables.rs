//! Measurements for people.

use super::{BenchHead, CaseRow};
use crate::report::{table, titled};
use squeeze::numbers::{self, duration, in_words, three_digits};
use squeeze_bench::looking::Looking;
use squeeze_bench::members::Crowd;
use squeeze_bench::observing::Observing;
use squeeze_bench::saving::Saving;
use squeeze_bench::sweep::{LayoutSweep, Tried};
use squeeze_bench::{Case, Measurement};

const LEGEND: &str = "\
layout: T.L.t, the digits of lane and micro cell and the time steps of one pass. of copy: the time of a copy of the bytes that a
step must read and write, padding left out, over that of a step, from the same run; more than 1 takes several steps in one
pass. of stored: the same for all bytes of the states, padding and holes included. first pass: from nothing to the end of the first pass, in this process. start: `squeeze run` for one pass, all of it.
";

/// The table of all cases, and one of the peers if there are any.
pub(super) fn rows(head: &BenchHead, rows: &[CaseRow]) -> String {
    let mut lines = titled(
        "case, backend, threads, layout, engine, step, min, max, cells/s, bytes/s, of copy, of stored, state, first pass, start",
    );
    for row in rows {
        for (measurement, start) in &row.measurements {
            lines.push(line(row, measurement, *start));
        }
    }
    let mut text = headline(head) + &table(&lines);
    let mut devices: Vec<&str> =
        rows.iter().flat_map(|row| &row.measurements).map(|(m, _)| m.device.as_str()).collect();
    devices.retain(|device| *device != head.device);
    devices.dedup();
    for device in devices {
        text.push_str(&format!("backend cuda: {device}\n"));
    }
    for row in rows {
        if let Some(reason) = &row.left_out {
            text.push_str(&format!("{} was left out: {reason}\n", row.name));
        }
    }
    text.push('\n');
    text.push_str(LEGEND);
    if rows.iter().any(|row| !row.answers.is_empty()) {
        text.push_str(&peers(rows));
    }
    text
}

pub(crate) fn headline(head: &BenchHead) -> String {
    let BenchHead { command, device, threads } = head;
    format!("{command}\n{device}, {threads} thread{}\n\n", if *threads == 1 { "" } else { "s" })
}

fn line(row: &CaseRow, measurement: &Measurement, start: Option<f64>) -> Vec<String> {
    let dash = || "–".to_owned();
    let t = measurement.steps_per_pass;
    let layout = measurement
        .execution
        .map_or_else(|| format!("–.–.{t}"), |e| format!("{}.{}.{t}", e.lane_digits, e.micro_digits));
    vec![
        row.name.clone(),
        row.case.backend.name().to_owned(),
        measurement.threads.to_string(),
        layout,
        measurement.execution.map_or_else(dash, |execution| execution.compiler.to_owned()),
        duration(measurement.step.median),
        duration(measurement.step.min),
        duration(measurement.step.max),
        in_words(measurement.cells_per_second()),
        format!("{}/s", numbers::bytes(measurement.useful_bytes_per_second())),
        measurement.ratio_to_copy().map_or_else(dash, three_digits),
        measurement.ratio_to_copy_of_stored().map_or_else(dash, three_digits),
        numbers::bytes(measurement.state_bytes as f64),
        duration(measurement.first_pass),
        start.map_or_else(dash, duration),
    ]
}

/// The problems that peers reported instead of a time, each once, with its cases.
#[derive(Default)]
struct Silent(Vec<(String, Vec<String>)>);

impl Silent {
    fn add(&mut self, problem: String, case: String) {
        match self.0.iter_mut().find(|(known, _)| *known == problem) {
            Some((_, cases)) => cases.push(case),
            None => self.0.push((problem, vec![case])),
        }
    }

    fn lines(&self) -> String {
        self.0.iter().map(|(problem, cases)| format!("{problem}: {}\n", cases.join(", "))).collect()
    }
}

fn peers(rows: &[CaseRow]) -> String {
    let mut lines = vec![["case", "peer", "step", "times ours, by threads"].map(str::to_owned).to_vec()];
    let mut silent = Silent::default();
    for row in rows {
        for answer in &row.answers {
            match &answer.outcome {
                Ok(seconds) => {
                    let ratios = row.measurements.iter().map(|(measurement, _)| {
                        format!("{}: {}", measurement.threads, three_digits(seconds / measurement.step.median))
                    });
                    let ratios = ratios.collect::<Vec<_>>().join("  ");
                    lines.push(vec![row.name.clone(), answer.name.clone(), duration(*seconds), ratios]);
                }
                Err(problem) => silent.add(format!("{} {problem}", answer.name), row.name.clone()),
            }
        }
    }
    let silent = silent.lines();
    format!("\n{}{silent}", if lines.len() > 1 { table(&lines) } else { String::new() })
}

/// The fastest layouts of a case.
pub(super) fn swept(case: &Case, sweep: &LayoutSweep) -> String {
    let mut by_time: Vec<&Tried> = sweep.tried.iter().collect();
    by_time.sort_by(|a, b| a.measured.total_cmp(&b.measured));
    let mut lines = titled("layout, measured, predicted, ratio");
    lines.extend(by_time.into_iter().take(20).map(|tried| {
        let ratio = three_digits(tried.predicted / tried.measured);
        vec![layout(tried), duration(tried.measured), duration(tried.predicted), ratio]
    }));
    let (name, behind) = (case.name(), 100.0 * sweep.behind());
    let choice = layout(sweep.choice());
    format!("{name}: {choice} was chosen, {behind:.0}% behind the best; the twenty fastest:\n{}\n", table(&lines))
}

/// A table with a line for each case, which begins with its name.
fn list<T>(head: &BenchHead, titles: &str, cases: &[(Case, T)], line: impl Fn(&Case, &T) -> Vec<String>) -> String {
    let mut lines = titled(&format!("case, {titles}"));
    lines.extend(cases.iter().map(|(case, came_to)| [vec![case.name()], line(case, came_to)].concat()));
    headline(head) + &table(&lines)
}

/// For each case the planner's choice, the fastest layout, and the distance.
pub(super) fn sweeps(head: &BenchHead, sweeps: &[(Case, LayoutSweep)]) -> String {
    list(head, "threads, choice, its step, best, its step, behind, tried", sweeps, |_, sweep| {
        vec![
            sweep.threads.to_string(),
            layout(sweep.choice()),
            duration(sweep.choice().measured),
            layout(sweep.best()),
            duration(sweep.best().measured),
            format!("{:.0}%", 100.0 * sweep.behind()),
            format!("{} of {}", sweep.tried.len(), sweep.tried.len() + sweep.untried),
        ]
    })
}

/// The costs of saving.
pub(super) fn savings(head: &BenchHead, savings: &[(Case, Saving)]) -> String {
    list(head, "threads, save every, a step, with saving, cost, to begin, a state", savings, |_, saving| {
        vec![
            saving.threads.to_string(),
            saving.every.to_string(),
            duration(saving.plain),
            duration(saving.saved()),
            format!("{:.1}%", 100.0 * saving.cost),
            duration(saving.beginning),
            numbers::bytes(saving.bytes as f64),
        ]
    })
}

/// The costs of observables.
pub(super) fn observings(head: &BenchHead, observings: &[(Case, Observing)]) -> String {
    list(
        head,
        "backend, threads, observables, a step, all observables, the first time, steps an observable, an observed step",
        observings,
        |case, observing| {
            vec![
                case.backend.name().to_owned(),
                observing.threads.to_string(),
                observing.observables.len().to_string(),
                duration(observing.step.median),
                duration(observing.observation.median),
                duration(observing.first),
                three_digits(observing.steps()),
                observing.observed_step.map_or("-".to_owned(), |step| duration(step.median)),
            ]
        },
    )
}

/// The costs of looking at a state.
pub(super) fn looks(head: &BenchHead, looks: &[(Case, Looking)]) -> String {
    list(
        head,
        "backend, threads, a step, a window, its bytes over the bus, sums of blocks, the field, its copy, of copy",
        looks,
        |case, looking| {
            vec![
                case.backend.name().to_owned(),
                looking.threads.to_string(),
                duration(looking.step.median),
                duration(looking.window.median),
                looking.bytes.map_or("–".to_owned(), |bytes| numbers::bytes(bytes as f64)),
                duration(looking.sums.median),
                duration(looking.field.median),
                duration(looking.copy.median),
                three_digits(looking.of_copy()),
            ]
        },
    )
}

/// The speed of many members, beside one run.
pub(super) fn crowds(head: &BenchHead, crowds: &[(Case, Crowd)]) -> String {
    list(
        head,
        "backend, threads, members, layout, observed every, a step, cells/s, one run at level, a step, cells/s, ratio",
        crowds,
        |case, crowd| {
            vec![
                case.backend.name().to_owned(),
                crowd.threads.to_string(),
                crowd.members.to_string(),
                crowd.layout.clone().unwrap_or("–".to_owned()),
                crowd.observe_every.map_or("–".to_owned(), |every| every.to_string()),
                duration(crowd.step.median),
                in_words(crowd.cells as f64 / crowd.step.median),
                crowd.level_of_one.to_string(),
                duration(crowd.step_of_one.median),
                in_words(crowd.cells_of_one as f64 / crowd.step_of_one.median),
                three_digits(crowd.ratio()),
            ]
        },
    )
}

fn layout(tried: &Tried) -> String {
    let digits = tried.choice.layout().map_or([0, 0], |layout| [layout.lane_digits(), layout.micro_digits()]);
    format!("{}.{}.{}", digits[0], digits[1], tried.choice.steps)
}
