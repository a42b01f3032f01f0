//! `bench --overlap`: the kernels that count what states have in common, as a table.

use super::{Head, progress_ends, progress_of, tables};
use crate::args::Bench;
use crate::report::{Failure, duration, in_words, print, table, three_digits};
use serde_json::{Value, json};
use squeeze::bench::overlap::{BITS, Overlaps, ROWS, Rate, measure};
use squeeze::bench::peers;

const LEGEND: &str = "\
one thread, all: the product of all rows with each other, each pair once. bits/s: bits of pairs that one thread counts. of cache: of what the kernel
counts while its bits stay in the first cache. of popcnt: how many times as fast as the product by words of 64 bits, in the same run.
";

/// Measures all kernels, and prints what came of them.
pub(super) fn overlap(arguments: &Bench, head: &Head) -> Result<(), Failure> {
    let scripts = arguments.peers.as_deref().map(peers::scripts).transpose()?.unwrap_or_default();
    let threads = arguments.threads.unwrap_or(head.threads);
    let rows = arguments.rows.map_or(ROWS, |rows| rows as usize);
    let begin = |what: &str| progress_of("overlap", what);
    let seconds = arguments.seconds.unwrap_or(1.0);
    let overlaps = measure(rows, arguments.bits.unwrap_or(BITS), threads, seconds, &scripts, begin)?;
    progress_ends();
    print(&if arguments.json { as_json(head, &overlaps) } else { as_text(head, &overlaps) })
}

/// What one thread reaches of the kernel's rate in the first cache, and how many times as fast as scalar counting it is.
fn ratios(overlaps: &Overlaps, rate: &Rate) -> (f64, Option<f64>) {
    let of_cache = overlaps.work() / rate.alone / rate.in_cache;
    (of_cache, overlaps.scalar().map(|scalar| scalar / rate.alone))
}

fn as_text(head: &Head, overlaps: &Overlaps) -> String {
    let Overlaps { rows, bits, threads, .. } = overlaps;
    let mut text =
        tables::headline(&Head { threads: *threads, command: head.command.clone(), device: head.device.clone() });
    text.push_str(&format!("{rows} rows of {bits} bits\n\n"));
    let titles = ["kernel", "one thread", "all", "bits/s", "of cache", "of popcnt"];
    let mut lines = vec![titles.map(str::to_owned).to_vec()];
    for rate in &overlaps.rates {
        let (of_cache, of_scalar) = ratios(overlaps, rate);
        lines.push(vec![
            rate.kernel.name().to_owned(),
            duration(rate.alone),
            duration(rate.together),
            in_words(overlaps.work() / rate.alone),
            three_digits(of_cache),
            of_scalar.map_or("–".to_owned(), three_digits),
        ]);
    }
    text.push_str(&table(&lines));
    text.push('\n');
    text.push_str(LEGEND);
    if let Some(best) = overlaps.rates.first() {
        for answer in &overlaps.answers {
            let name = &answer.name;
            text.push_str(&match &answer.outcome {
                Ok(seconds) => format!(
                    "{name}: {}, {} times the time of {} on one thread\n",
                    duration(*seconds),
                    three_digits(seconds / best.alone),
                    best.kernel.name()
                ),
                Err(problem) => format!("{name}: {problem}\n"),
            });
        }
    }
    text
}

fn as_json(head: &Head, overlaps: &Overlaps) -> String {
    let rate = |rate: &Rate| -> Value {
        let (of_cache, of_scalar) = ratios(overlaps, rate);
        json!({
            "kernel": rate.kernel.name(),
            "seconds_alone": rate.alone,
            "seconds_together": rate.together,
            "bits_per_second_in_cache": rate.in_cache,
            "of_cache": of_cache,
            "of_popcnt": of_scalar,
        })
    };
    let peer = |answer: &peers::Answer| match &answer.outcome {
        Ok(seconds) => json!({"name": answer.name, "seconds": seconds}),
        Err(problem) => json!({"name": answer.name, "problem": problem}),
    };
    let value = json!({
        "command": head.command,
        "device": head.device,
        "threads": overlaps.threads,
        "rows": overlaps.rows,
        "bits": overlaps.bits,
        "work_bits": overlaps.work(),
        "kernels": overlaps.rates.iter().map(rate).collect::<Vec<_>>(),
        "peers": overlaps.answers.iter().map(peer).collect::<Vec<_>>(),
    });
    format!("{value}\n")
}
