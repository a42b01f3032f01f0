//! `analyse DIR...`

use super::sweep::{summary_table, tell_of_errors};
use crate::args::{Analyse, ColumnArgs};
use crate::report::{CliError, print};
use serde_json::{Value, json};
use squeeze::Error;
use squeeze::analysis::{self, Analysis, Column, Combination, Crossing, Over};
use squeeze::lists;
use squeeze::numbers::{three_digits, with_error};
use squeeze::run::value_as_json;
use squeeze::statistics::{self, PowerLaw, Unknown};
use squeeze::sweep::{Summary, SummaryRow};
use std::path::Path;

impl ColumnArgs {
    /// Whether means are to be combined, or compared.
    pub(super) fn combine(&self) -> bool {
        ![&self.binder, &self.fluctuation, &self.crossing].iter().all(|names| names.is_empty())
    }

    /// The combinations of means that were asked for.
    pub(super) fn combinations(&self) -> Result<Vec<Column>, Error> {
        let read = |combination, texts: &[String]| -> Result<Vec<Column>, Error> {
            texts.iter().map(|text| Column::parse(combination, text)).collect()
        };
        let mut columns = read(Combination::Binder, &self.binder)?;
        columns.extend(read(Combination::Fluctuation, &self.fluctuation)?);
        Ok(columns)
    }

    /// Where fits look.
    pub(super) fn range(&self) -> (f64, f64) {
        (self.from.unwrap_or(f64::NEG_INFINITY), self.to.unwrap_or(f64::INFINITY))
    }
}

/// Analyses what runs and sweeps recorded.
pub(crate) fn analyse(arguments: &Analyse) -> Result<(), CliError> {
    let columns = arguments.columns.combinations()?;
    let folders = arguments.folders.iter();
    let analyses =
        folders.map(|path| analysis::analyse(path, arguments.discard, &columns)).collect::<Result<Vec<_>, _>>()?;
    let range = arguments.columns.range();
    let tables: Vec<(&Path, &[String])> =
        analyses.iter().map(|analysis| (&*analysis.path, &*analysis.summary.observables)).collect();
    let shown = lists::chosen(&tables, &arguments.columns.only)?;
    let over = match arguments.window {
        Some(factor) => Over::Windows(factor),
        None if arguments.over == "time" => Over::Time,
        None => Over::Parameter,
    };
    let mut crossings = Vec::new();
    for name in &arguments.columns.crossing {
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
        return print(&format!("{}\n", as_json(&analyses, &shown, &crossings, &laws)));
    }
    let mut text = String::new();
    for analysis in &analyses {
        text.push_str(&format!("{}\n{}\n", analysis.path.display(), summary_table(&analysis.summary, &shown)));
    }
    for (name, crossing) in &crossings {
        let system = |i: usize| {
            let level = crossing.levels[i].as_ref().map_or_else(String::new, |level| format!(" at level {level}"));
            format!("{}{level}", crossing.folders[i].display())
        };
        let [first, second] = [0, 1].map(system);
        let (parameter, of) = (&crossing.parameter, values(&crossing.values));
        let statistics::Crossing { at, error, unknown, degree, points, chi_square, .. } = crossing.found;
        let [at, error] = with_error(at, error);
        text.push_str(&format!(
            "{name} of {first} and {second}{of}: crossing at {parameter} = {at} ± {error} (degree {degree} through {points} points{}){}\n",
            chi_square_in_words(chi_square),
            why_in_words(unknown),
        ));
    }
    for name in arguments.columns.crossing.iter().filter(|name| crossings.iter().all(|(known, _)| known != name)) {
        text.push_str(&format!("{name}: no crossing between places that both curves have\n"));
    }
    for (analysis, name, of, law) in &laws {
        let PowerLaw { exponent, exponent_error, amplitude, amplitude_error, unknown, chi_square, points, .. } = *law;
        let [amplitude, amplitude_error] = with_error(amplitude, amplitude_error);
        let [exponent, exponent_error] = with_error(exponent, exponent_error);
        text.push_str(&format!(
            "{name} of {}{}: {amplitude} ± {amplitude_error} times x to the {exponent} ± {exponent_error} ({points} points{}){}\n",
            analysis.path.display(),
            values(of),
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

fn chi_square_in_words(chi_square: f64) -> String {
    if chi_square.is_nan() { String::new() } else { format!(", χ² {} each", three_digits(chi_square)) }
}

fn why_in_words(unknown: Option<Unknown>) -> String {
    unknown.map_or_else(String::new, |unknown| format!("; no error: {unknown}"))
}

/// Why an error is unknown; null if it is known.
fn why(unknown: Option<Unknown>) -> Value {
    unknown.map_or(Value::Null, |unknown| json!(unknown.to_string()))
}

/// A number; null for NaN and infinities.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { Value::Null }
}

/// The means and errors of a sweep or a run.
pub(super) fn summary_as_json(folder: &Path, summary: &Summary, shown: &[&str]) -> Value {
    let row = |row: &SummaryRow| {
        let columns = shown.iter().flat_map(|name| lists::columns(&summary.observables, name));
        let estimates = columns.map(|column| (&summary.observables[column], row.estimates[column])).map(|(name, e)| {
            (
                name.clone(),
                json!({"mean": number(e.mean), "error": number(e.error), "tau": number(e.tau), "why": why(e.unknown)}),
            )
        });
        let params = summary.params.iter().zip(&row.values).map(|(name, text)| (name.clone(), value_as_json(text)));
        json!({
            "params": params.collect::<serde_json::Map<_, _>>(),
            "observables": estimates.collect::<serde_json::Map<_, _>>(),
            "n": row.samples,
        })
    };
    let rows: Vec<Value> = summary.rows.iter().map(row).collect();
    json!({"folder": folder.display().to_string(), "rows": rows, "warnings": summary.early})
}

fn as_json(
    analyses: &[Analysis],
    shown: &[&str],
    crossings: &[(&String, Crossing)],
    laws: &[(&Analysis, &String, String, PowerLaw)],
) -> Value {
    let folder = |analysis: &Analysis| summary_as_json(&analysis.path, &analysis.summary, shown);
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
