//! `bench --encodings`: the experiments with encodings of masks, as tables and plots.

use super::args::EncodingBenchArgs;
use crate::args::Bench;
use crate::commands::bench::{BenchHead, head, progress_ends, progress_of, tables};
use crate::report::{CliError, print, table};
use serde_json::{Value, json};
use squeeze::Backend;
use squeeze::files::write_atomically;
use squeeze::numbers::three_digits;
use squeeze_bench::claim::Verdict;
use squeeze_packing::bench::{
    EncodingComparison, Experiment, GPU_PLACES, NamedPoints, PLACES, compare, compare_on_gpu,
};

/// Seconds for each point, unless others were asked for.
const SECONDS: f64 = 0.05;

/// Runs all experiments, and prints their results.
pub(super) fn encodings(arguments: &Bench, measured: &EncodingBenchArgs) -> Result<(), CliError> {
    let head = &head();
    if let Some(folder) = measured.out.as_ref().filter(|folder| !folder.is_dir()) {
        let message = format!("there is no folder `{}`", folder.display());
        return Err(CliError::input(message, "`--out` writes plots into a folder that is there"));
    }
    let on_gpu = arguments.backend == Some(Backend::Cuda);
    let without_effect = [("--threads", arguments.threads.is_some()), ("--seconds", arguments.seconds.is_some())];
    if let Some((flag, _)) = without_effect.into_iter().find(|(_, given)| on_gpu && *given) {
        let message = format!("{flag} has no effect with `--backend cuda`");
        return Err(CliError::input(message, "each point is the median of ten repeats there"));
    }
    let threads = (!on_gpu).then(|| arguments.threads.unwrap_or(head.threads));
    let begin = |what: &str| progress_of("encodings", what);
    let compared = match threads {
        Some(threads) => {
            let (places, seconds) = (measured.places.unwrap_or(PLACES), arguments.seconds.unwrap_or(SECONDS));
            compare(threads, places, seconds, begin)?
        }
        None => compare_on_gpu(measured.places.unwrap_or(GPU_PLACES), begin)?,
    };
    progress_ends();
    if let Some(folder) = &measured.out {
        let device = &compared.device;
        let note = threads.map_or(device.clone(), |threads| format!("{device}, {threads} threads"));
        for experiment in &compared.experiments {
            let path = folder.join(experiment.name).with_extension("svg");
            write_atomically(&path, experiment.svg(&note).as_bytes())?;
        }
    }
    print(&if arguments.json { as_json(head, threads, &compared) } else { as_text(head, threads, &compared) })
}

/// A row for each place, a column for each curve.
fn lines(experiment: &Experiment) -> Vec<Vec<String>> {
    let mut places: Vec<f64> = experiment.curves.iter().flat_map(|(_, points)| points.iter().map(|p| p.0)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let names = experiment.curves.iter().map(|(name, _)| name.clone());
    let mut lines = vec![std::iter::once(experiment.x.to_owned()).chain(names).collect()];
    for place in places {
        let at = |(_, points): &NamedPoints| {
            points.iter().find(|point| point.0 == place).map_or("–".to_owned(), |point| three_digits(point.1))
        };
        let mut line = vec![place.to_string()];
        line.extend(experiment.curves.iter().map(at));
        lines.push(line);
    }
    lines
}

fn verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Held => "held".to_owned(),
        Verdict::Better => "better".to_owned(),
        Verdict::NotHeld => "not held".to_owned(),
        Verdict::NotMeasured(why) => format!("not measured: {why}"),
    }
}

fn as_text(head: &BenchHead, threads: Option<usize>, compared: &EncodingComparison) -> String {
    let (command, device) = (head.command.clone(), compared.device.clone());
    let mut text = match threads {
        None => format!("{command}\n{device}\n\n"),
        Some(threads) => tables::headline(&BenchHead { threads, command, device }),
    };
    text.push_str(&format!("masks of up to {} places\n", compared.places));
    for experiment in &compared.experiments {
        text.push_str(&format!("\n{} ({})\n{}", experiment.title, experiment.y, table(&lines(experiment))));
    }
    let mut claims = vec![["the document says", "here", ""].map(str::to_owned).to_vec()];
    claims.extend(
        compared.claims.iter().map(|claim| vec![claim.says.clone(), claim.here.clone(), verdict(&claim.verdict)]),
    );
    text.push('\n');
    text.push_str(&table(&claims));
    text
}

fn as_json(head: &BenchHead, threads: Option<usize>, compared: &EncodingComparison) -> String {
    let experiments: Vec<Value> = (compared.experiments.iter())
        .map(|experiment| {
            let curves: Vec<Value> = (experiment.curves.iter())
                .map(|(name, points)| json!({"name": name, "points": points}))
                .collect();
            json!({"name": experiment.name, "title": experiment.title, "x": experiment.x, "y": experiment.y, "curves": curves})
        })
        .collect();
    let claims: Vec<Value> = (compared.claims.iter())
        .map(|claim| json!({"figure": claim.figure, "says": claim.says, "here": claim.here, "verdict": verdict(&claim.verdict)}))
        .collect();
    let value = json!({
        "command": head.command,
        "device": compared.device,
        "threads": threads,
        "places": compared.places,
        "experiments": experiments,
        "claims": claims,
    });
    format!("{value}\n")
}
