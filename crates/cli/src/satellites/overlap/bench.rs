//! `bench --overlap`: the kernels that count what states have in common, as a table.

use super::args::OverlapBenchArgs;
use crate::args::Bench;
use crate::commands::bench::{BenchHead, head, progress_ends, progress_of, tables};
use crate::report::{CliError, print, table, titled};
use serde_json::{Value, json};
use squeeze::Backend;
use squeeze::numbers::{duration, in_words, three_digits};
use squeeze_bench::peers;
use squeeze_overlap::bench::{BITS, GpuOverlaps, GpuRate, OverlapTimes, ROWS, Rate, measure, measure_gpu, work};
use squeeze_overlap::cuda::GpuTile;
use squeeze_overlap::{Blocking, TileShape};

const LEGEND: &str = "\
one thread, user, all: the product of all rows with each other, each pair once, of very long rows as told by their first columns; user: of the processor for it. bits/s: bits of pairs that one thread counts. of cache: of what the kernel
counts while its bits stay in the first cache. of popcnt: how many times as fast as the product by words of 64 bits, in the same run.
";

const SEARCH_LEGEND: &str = "\
tile: rows of it × rows that pass them (m_r × n_r), bits of a block (k_c), rows of a block (m_c, n_c). bits/s: in user time of one thread, in turn.
";

/// Measures all kernels, and prints their results.
pub(super) fn overlap(arguments: &Bench, measured: &OverlapBenchArgs) -> Result<(), CliError> {
    let head = &head();
    let on_gpu = measured.gpu || arguments.backend == Some(Backend::Cuda);
    if on_gpu && arguments.threads.is_some() {
        let message = "--threads has no effect with `--backend cuda`";
        return Err(CliError::input(message, "the kernels of a GPU are measured there"));
    }
    let scripts = arguments.peers.as_deref().map(peers::scripts).transpose()?.unwrap_or_default();
    let (rows, bits) = (measured.rows.map_or(ROWS, |rows| rows as usize), measured.bits.unwrap_or(BITS));
    let begin = |what: &str| progress_of("overlap", what);
    let seconds = arguments.seconds.unwrap_or(1.0);
    if on_gpu {
        let overlaps = measure_gpu(rows, bits, seconds, &scripts, begin)?;
        progress_ends();
        return show_gpu(arguments.json, head, &overlaps);
    }
    let overlaps = measure(rows, bits, arguments.threads.unwrap_or(head.threads), seconds, &scripts, begin)?;
    progress_ends();
    print(&if arguments.json { as_json(head, &overlaps) } else { as_text(head, &overlaps) })
}

/// One thread's rate over the kernel's rate in the first cache, and over that of scalar counting.
fn ratios(overlaps: &OverlapTimes, rate: &Rate) -> (f64, Option<f64>) {
    let of_cache = work(overlaps.rows, overlaps.bits) / rate.alone / rate.in_cache;
    (of_cache, overlaps.scalar().map(|scalar| scalar / rate.alone))
}

fn as_text(head: &BenchHead, overlaps: &OverlapTimes) -> String {
    let OverlapTimes { rows, bits, threads, .. } = overlaps;
    let mut text =
        tables::headline(&BenchHead { threads: *threads, command: head.command.clone(), device: head.device.clone() });
    text.push_str(&format!("{rows} rows of {bits} bits\n\n"));
    let mut lines = titled("kernel, one thread, user, all, bits/s, of cache, of popcnt");
    for rate in &overlaps.rates {
        let (of_cache, of_scalar) = ratios(overlaps, rate);
        lines.push(vec![
            rate.kernel.name().to_owned(),
            duration(rate.alone),
            duration(rate.user),
            duration(rate.together),
            in_words(work(overlaps.rows, overlaps.bits) / rate.alone),
            three_digits(of_cache),
            of_scalar.map_or("–".to_owned(), three_digits),
        ]);
    }
    text.push_str(&table(&lines));
    text.push('\n');
    text.push_str(LEGEND);
    let mut lines = titled("kernel, tile by the model, bits/s, best of a search, bits/s, model of best, tried");
    for Rate { kernel, search, .. } in &overlaps.rates {
        lines.push(vec![
            kernel.name().to_owned(),
            search.chosen.to_string(),
            in_words(search.rates[0]),
            search.best.to_string(),
            in_words(search.rates[1]),
            three_digits(search.ratio()),
            search.tried.to_string(),
        ]);
    }
    text.push('\n');
    text.push_str(&table(&lines));
    text.push('\n');
    text.push_str(SEARCH_LEGEND);
    if let Some(best) = overlaps.rates.first() {
        text.push_str(&as_lines(&overlaps.answers, best.alone, &format!("{} on one thread", best.kernel.name())));
    }
    text
}

/// The answers of peers, beside the `seconds` of our own kernel.
fn as_lines(answers: &[peers::Answer], seconds: f64, what: &str) -> String {
    let line = |answer: &peers::Answer| match (&answer.name, &answer.outcome) {
        (name, Ok(own)) => {
            format!("{name}: {}, {} times the time of {what}\n", duration(*own), three_digits(own / seconds))
        }
        (name, Err(problem)) => format!("{name}: {problem}\n"),
    };
    answers.iter().map(line).collect()
}

fn peer(answer: &peers::Answer) -> Value {
    match &answer.outcome {
        Ok(seconds) => json!({"name": answer.name, "seconds": seconds}),
        Err(problem) => json!({"name": answer.name, "problem": problem}),
    }
}

/// A tile of a GPU as JSON.
pub(super) fn gpu_tile(GpuTile { own, others, columns, blocks }: &GpuTile) -> Value {
    json!({"m_r": own, "n_r": others, "k_c": columns, "blocks": blocks})
}

/// A tile as JSON.
pub(super) fn tile(blocking: &Blocking) -> Value {
    let Blocking { shape: TileShape { own, others }, columns, rows } = blocking;
    json!({"m_r": own, "n_r": others, "k_c": 512 * *columns as u64, "m_c": rows, "n_c": rows})
}

fn as_json(head: &BenchHead, overlaps: &OverlapTimes) -> String {
    let rate = |rate: &Rate| -> Value {
        let (of_cache, of_scalar) = ratios(overlaps, rate);
        json!({
            "kernel": rate.kernel.name(),
            "seconds_alone": rate.alone,
            "user_seconds": rate.user,
            "seconds_together": rate.together,
            "bits_per_second_in_cache": rate.in_cache,
            "of_cache": of_cache,
            "of_popcnt": of_scalar,
            "model": tile(&rate.search.chosen),
            "model_bits_per_second": rate.search.rates[0],
            "best": tile(&rate.search.best),
            "best_bits_per_second": rate.search.rates[1],
            "model_of_best": rate.search.ratio(),
            "tried": rate.search.tried,
        })
    };
    let value = json!({
        "command": head.command,
        "device": head.device,
        "threads": overlaps.threads,
        "rows": overlaps.rows,
        "bits": overlaps.bits,
        "work_bits": work(overlaps.rows, overlaps.bits),
        "kernels": overlaps.rates.iter().map(rate).collect::<Vec<_>>(),
        "peers": overlaps.answers.iter().map(peer).collect::<Vec<_>>(),
    });
    format!("{value}\n")
}

/// Prints what the kernels of a GPU took.
fn show_gpu(json: bool, head: &BenchHead, overlaps: &GpuOverlaps) -> Result<(), CliError> {
    let GpuOverlaps { device, rows, bits, rates, reading, answers } = overlaps;
    let work = work(*rows, *bits);
    let of_most = |rate: &GpuRate| rate.most.map(|most| work / rate.seconds / most);
    let of_reading = |rate: &GpuRate| reading.map(|reading| reading / rate.seconds);
    if json {
        let rate = |rate: &GpuRate| {
            json!({
                "kernel": rate.kernel.name(),
                "seconds": rate.seconds,
                "bits_per_second": work / rate.seconds,
                "tensor_cores_bits_per_second": rate.most,
                "of_tensor_cores": of_most(rate),
                "of_reading": of_reading(rate),
                "agrees": rate.agrees,
                "model": gpu_tile(&rate.search.chosen),
                "model_seconds": rate.search.seconds[0],
                "best": gpu_tile(&rate.search.best),
                "best_seconds": rate.search.seconds[1],
                "model_of_best": rate.search.ratio(),
                "tried": rate.search.tried,
            })
        };
        let value = json!({
            "command": head.command,
            "device": device,
            "rows": rows,
            "bits": bits,
            "work_bits": work,
            "kernels": rates.iter().map(rate).collect::<Vec<_>>(),
            "tensor_cores_bits_per_second": rates.iter().filter_map(|rate| rate.most).reduce(f64::max),
            "reading_seconds": reading,
            "peers": answers.iter().map(peer).collect::<Vec<_>>(),
        });
        return print(&format!("{value}\n"));
    }
    let mut text = format!("{}\n{device}\n\n{rows} rows of {bits} bits\n\n", head.command);
    let mut lines = titled("kernel, time, bits/s, of tensor cores, of reading, as the CPU");
    let ratio = |ratio: Option<f64>| ratio.map_or("–".to_owned(), three_digits);
    for rate in rates {
        lines.push(vec![
            rate.kernel.name().to_owned(),
            duration(rate.seconds),
            in_words(work / rate.seconds),
            ratio(of_most(rate)),
            ratio(of_reading(rate)),
            if rate.agrees { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    text.push_str(&table(&lines));
    text.push('\n');
    text.push_str(GPU_LEGEND);
    let mut lines = titled("kernel, tile by the model, time, best of a search, time, model of best, tried");
    for GpuRate { kernel, search, .. } in rates {
        let tile = |tile: &GpuTile| format!("{} × {}, {}, {}", tile.own, tile.others, tile.columns, tile.blocks);
        lines.push(vec![
            kernel.name().to_owned(),
            tile(&search.chosen),
            duration(search.seconds[0]),
            tile(&search.best),
            duration(search.seconds[1]),
            three_digits(search.ratio()),
            search.tried.to_string(),
        ]);
    }
    text.push_str(&format!("\n{}\ntile: rows on either side, bits of a piece, blocks of threads.\n", table(&lines)));
    if let Some(best) = rates.first() {
        text.push_str(&as_lines(answers, best.seconds, best.kernel.name()));
    }
    print(&text)?;
    // Wrong counts are Squeeze's mistake.
    if rates.iter().all(|rate| rate.agrees) { Ok(()) } else { Err(CliError::Told(false)) }
}

const GPU_LEGEND: &str = "\
time: the product of all rows with each other, each pair once, with the rows on the device. of tensor cores: of what they count by the
same instruction if they have to fetch nothing. of reading: the time of reading the rows once, by half of a copy, over that of the product. All in the same run.
";
