//! `bench --wavefronts`: the times of ordered steps over the sides of their tiles.

use super::json::with_case;
use super::{BenchHead, progress, progress_ends, tables};
use crate::args::Bench;
use crate::report::{CliError, print, table, titled};
use serde_json::{Value, json};
use squeeze::Backend;
use squeeze::numbers::{duration, in_words, three_digits};
use squeeze_bench::Case;
use squeeze_bench::wavefronts::{self, TilePoint, WaitTimes, WavefrontTimes, measure};

const LEGEND: &str = "\
planned: what a run takes, lines × columns. best: of all that were tried. model: T = τ work + α waits of the planned height, with τ and α from two tiles
(*). off: how far it is off at most at the others. closed form: the width with the least time by it.
";

/// Measures, and prints the results.
pub(super) fn wavefronts(arguments: &Bench, head: &BenchHead) -> Result<(), CliError> {
    let named = arguments.cases.iter().map(String::as_str);
    let usual = wavefronts::usual(arguments.backend.unwrap_or(Backend::Cpu)).iter().copied();
    if arguments.backend.is_some() && !arguments.cases.is_empty() {
        let message = "--backend has no effect where cases are named";
        return Err(CliError::input(message, "a case names its backend: DOMAIN,RULE,BACKEND"));
    }
    let texts = named.chain(usual.filter(|_| arguments.cases.is_empty()));
    let cases = texts.map(|text| wavefronts::case(text, &arguments.edges.wanted()));
    let (threads, seconds) = (arguments.threads.unwrap_or(head.threads), arguments.seconds.unwrap_or(0.15));
    let mut results = Vec::new();
    for case in cases.collect::<Result<Vec<_>, _>>()? {
        let times = measure(&case, threads, seconds, |what| progress(&case, what));
        progress_ends();
        results.push((case, times?));
    }
    if arguments.json {
        let list = results.iter().map(|(case, times)| as_json(case, times)).collect::<Vec<_>>();
        let value = json!({"command": head.command, "device": head.device, "threads": threads, "wavefronts": list});
        return print(&format!("{value}\n"));
    }
    let head = BenchHead { threads, command: head.command.clone(), device: head.device.clone() };
    let texts: String = results.iter().map(|(case, times)| as_text(case, times)).collect();
    print(&(tables::headline(&head) + &texts + LEGEND))
}

fn tile(point: &TilePoint) -> String {
    let [lines, columns] = point.tile();
    format!("{lines} × {columns}")
}

/// A table of all tiles of the planned height, and what the model says of them.
fn as_text(case: &Case, times: &WavefrontTimes) -> String {
    let mut text = format!("{} on {}\n\n", case.name(), times.device);
    let dash = || "–".to_owned();
    let percent = |ratio: f64| format!("{:.0}%", 100.0 * ratio);
    let mut lines = titled("wait, planned, step, cells/s, best, step, behind, model's, step, behind, off, closed form");
    for of in &times.waits {
        let (planned, best, chosen) = (&of.points[0], of.best(), of.chosen());
        let behind = |point: &TilePoint| percent(point.seconds / best.seconds - 1.0);
        lines.push(vec![
            of.wait.name().to_owned(),
            tile(planned),
            duration(planned.seconds),
            in_words(times.cells as f64 / planned.seconds),
            tile(best),
            duration(best.seconds),
            behind(planned),
            chosen.map_or_else(dash, tile),
            chosen.map_or_else(dash, |chosen| duration(chosen.seconds)),
            chosen.map_or_else(dash, behind),
            of.deviation().map_or_else(dash, percent),
            of.root().map_or_else(dash, |width| format!("{width:.0}")),
        ]);
    }
    text.push_str(&table(&lines));
    let mut lines = titled("wait, tile, step, model, model/step");
    for (of, point) in times.waits.iter().flat_map(|of| of.curve().into_iter().map(move |point| (of, point))) {
        let predicted = of.predicted(point);
        let is_calibration = of.calibration().is_some_and(|two| two.iter().any(|one| one.tile() == point.tile()));
        lines.push(vec![
            of.wait.name().to_owned(),
            tile(point),
            duration(point.seconds),
            predicted.map_or_else(dash, duration) + if is_calibration && predicted.is_some() { " *" } else { "" },
            predicted.map_or_else(dash, |seconds| three_digits(seconds / point.seconds)),
        ]);
    }
    text + "\n" + &table(&lines) + "\n"
}

fn as_json(case: &Case, times: &WavefrontTimes) -> Value {
    let point = |of: &WaitTimes, point: &TilePoint| {
        let [lines, columns] = point.tile();
        json!({"lines": lines, "columns": columns, "seconds_per_step": point.seconds, "predicted": of.predicted(point)})
    };
    let wait = |of: &WaitTimes| {
        json!({
            "wait": of.wait.name(),
            "workers": of.workers,
            "planned": point(of, &of.points[0]),
            "best": point(of, of.best()),
            "chosen": of.chosen().map(|chosen| point(of, chosen)),
            "seconds_of_cell": of.model().map(|model| model.cell),
            "seconds_of_wait": of.model().map(|model| model.wait),
            "off": of.deviation(),
            "root": of.root(),
            "tiles": of.points.iter().map(|tiles| point(of, tiles)).collect::<Vec<_>>(),
        })
    };
    let waits: Vec<Value> = times.waits.iter().map(wait).collect();
    let measured = serde_json::to_value(times).unwrap_or_default();
    with_case(case, json!({"device": times.device, "threads": times.threads, "waits": waits, "measured": measured}))
}
