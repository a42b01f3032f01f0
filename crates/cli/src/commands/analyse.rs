//! `analyse DIR...`

use super::sweep::{summary_table, tell_of_errors};
use crate::args::Analyse;
use crate::report::{Failure, print};
use serde_json::{Value, json};
use squeeze::Error;
use squeeze::analysis::{self, Analysis, Column, Combination, Crossing, Over};
use squeeze::statistics::{self, PowerLaw, Unknown};

/// The combinations of means that were asked for.
pub(super) fn columns(binder: &[String], fluctuation: &[String]) -> Result<Vec<Column>, Error> {
    let read = |combination, texts: &[String]| -> Result<Vec<Column>, Error> {
        Ok(texts.iter().map(|text| Column::parse(combination, text)).collect::<Result<_, _>>()?)
    };
    let mut columns = read(Combination::Binder, binder)?;
    columns.extend(read(Combination::Fluctuation, fluctuation)?);
    Ok(columns)
}

/// Analyses what runs and sweeps recorded.
pub(super) fn analyse(arguments: &Analyse) -> Result<(), Failure> {
    let columns = columns(&arguments.binder, &arguments.fluctuation)?;
    let folders = arguments.folders.iter();
    let analyses =
        folders.map(|path| analysis::analyse(path, arguments.discard, &columns)).collect::<Result<Vec<_>, _>>()?;
    let range = (arguments.from.unwrap_or(f64::NEG_INFINITY), arguments.to.unwrap_or(f64::INFINITY));
    let over = match arguments.window {
        Some(factor) => Over::Windows(factor),
        None if arguments.over == "time" => Over::Time,
        None => Over::Parameter,
    };
    let mut crossings = Vec::new();
    for name in &arguments.crossing {
        crossings.extend(analysis::crossings(&analyses, name, range)?.into_iter().map(|crossing| (name, crossing)));
    }
    let mut laws = Vec::new();
    for name in &arguments.power_law {
        for analysis in &analyses {
            let found = analysis::power_laws(analysis, name, over, range)?;
            laws.extend(found.into_iter().map(|(values, law)| (analysis, name, values, law)));
        }
    }
    analyses.iter().for_each(|analysis| tell_of_errors(&analysis.summary));
    if arguments.json {
        return print(&format!("{}\n", as_json(&analyses, &crossings, &laws)));
    }
    let mut text = String::new();
    for analysis in &analyses {
        text.push_str(&format!("{}\n{}\n", analysis.path.display(), summary_table(&analysis.summary)));
    }
    for (name, crossing) in &crossings {
        let system = |i: usize| {
            let level = crossing.levels[i].as_ref().map_or_else(String::new, |level| format!(" at level {level}"));
            format!("{}{level}", crossing.folders[i].display())
        };
        let [first, second] = [0, 1].map(system);
        let (parameter, of) = (&crossing.parameter, values(&crossing.values));
        let statistics::Crossing { at, error, unknown, degree, points, chi_square } = crossing.found;
        text.push_str(&format!(
            "{name} of {first} and {second}{of}: crossing at {parameter} = {at:.6} ± {} (degree {degree} through {points} points{}){}\n",
            error_in_words(error),
            chi_square_in_words(chi_square),
            why_in_words(unknown),
        ));
    }
    for name in arguments.crossing.iter().filter(|name| crossings.iter().all(|(known, _)| known != name)) {
        text.push_str(&format!("{name}: no crossing between places that both curves have\n"));
    }
    for (analysis, name, of, law) in &laws {
        let PowerLaw { exponent, exponent_error, amplitude, amplitude_error, unknown, chi_square, points } = *law;
        text.push_str(&format!(
            "{name} of {}{}: {amplitude:.4} ± {} times x to the {exponent:.4} ± {} ({points} points{}){}\n",
            analysis.path.display(),
            values(of),
            error_in_words(amplitude_error),
            error_in_words(exponent_error),
            chi_square_in_words(chi_square),
            why_in_words(unknown),
        ));
    }
    text.push_str("±: standard error; τ: autocorrelation time in steps; n: samples.\n");
    print(&text)
}

fn values(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(", {text}") }
}

fn error_in_words(error: f64) -> String {
    if error.is_nan() { "nan".to_owned() } else { format!("{error:.1e}") }
}

fn chi_square_in_words(chi_square: f64) -> String {
    if chi_square.is_nan() { String::new() } else { format!(", χ² {chi_square:.2} each") }
}

fn why_in_words(unknown: Option<Unknown>) -> String {
    unknown.map_or_else(String::new, |unknown| format!("; no error: {unknown}"))
}

/// Why an error is unknown; null if it is known.
fn why(unknown: Option<Unknown>) -> Value {
    unknown.map_or(Value::Null, |unknown| json!(unknown.to_string()))
}

/// A number; null for one that is none.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { Value::Null }
}

fn as_json(
    analyses: &[Analysis],
    crossings: &[(&String, Crossing)],
    laws: &[(&Analysis, &String, String, PowerLaw)],
) -> Value {
    let folder = |analysis: &Analysis| {
        let summary = &analysis.summary;
        let row = |row: &squeeze::sweep::SummaryRow| {
            let estimates = summary.observables.iter().zip(&row.estimates).map(|(name, e)| {
                (name.clone(), json!({"mean": number(e.mean), "error": number(e.error), "tau": number(e.tau), "why": why(e.unknown)}))
            });
            let params = summary.params.iter().zip(&row.values).map(|(name, value)| (name.clone(), json!(value)));
            json!({
                "params": params.collect::<serde_json::Map<_, _>>(),
                "observables": estimates.collect::<serde_json::Map<_, _>>(),
                "n": row.samples,
            })
        };
        let rows: Vec<Value> = summary.rows.iter().map(row).collect();
        json!({"folder": analysis.path.display().to_string(), "rows": rows, "warnings": summary.early})
    };
    let crossing = |(name, crossing): &(&String, Crossing)| {
        json!({
            "observable": name,
            "folders": crossing.folders.each_ref().map(|folder| folder.display().to_string()),
            "levels": crossing.levels,
            "values": crossing.values,
            "parameter": crossing.parameter,
            "at": number(crossing.found.at),
            "error": number(crossing.found.error),
            "why": why(crossing.found.unknown),
            "degree": crossing.found.degree,
            "chi_square": number(crossing.found.chi_square),
            "points": crossing.found.points,
        })
    };
    let law = |(analysis, name, of, law): &(&Analysis, &String, String, PowerLaw)| {
        json!({
            "observable": name,
            "folder": analysis.path.display().to_string(),
            "values": of,
            "exponent": number(law.exponent),
            "exponent_error": number(law.exponent_error),
            "amplitude": number(law.amplitude),
            "amplitude_error": number(law.amplitude_error),
            "why": why(law.unknown),
            "chi_square": number(law.chi_square),
            "points": law.points,
        })
    };
    json!({
        "folders": analyses.iter().map(folder).collect::<Vec<_>>(),
        "crossings": crossings.iter().map(crossing).collect::<Vec<_>>(),
        "power_laws": laws.iter().map(law).collect::<Vec<_>>(),
    })
}
