//! `analyse DIR...`

use super::sweep::summary_table;
use crate::args::Analyse;
use crate::report::{Failure, print};
use serde_json::{Value, json};
use squeeze::Error;
use squeeze::analysis::{self, Analysis, Column, Combination, Crossing};
use squeeze::statistics::PowerLaw;

/// The combinations of means that were asked for.
pub fn columns(binder: &[String], fluctuation: &[String]) -> Result<Vec<Column>, Error> {
    let read = |combination, texts: &[String]| -> Result<Vec<Column>, Error> {
        Ok(texts.iter().map(|text| Column::parse(combination, text)).collect::<Result<_, _>>()?)
    };
    let mut columns = read(Combination::Binder, binder)?;
    columns.extend(read(Combination::Fluctuation, fluctuation)?);
    Ok(columns)
}

/// Analyses what runs and sweeps recorded.
pub fn analyse(arguments: &Analyse) -> Result<(), Failure> {
    let columns = columns(&arguments.binder, &arguments.fluctuation)?;
    let folders = arguments.folders.iter();
    let analyses =
        folders.map(|path| analysis::analyse(path, arguments.discard, &columns)).collect::<Result<Vec<_>, _>>()?;
    let mut crossings = Vec::new();
    for name in &arguments.crossing {
        crossings.extend(analysis::crossings(&analyses, name)?.into_iter().map(|crossing| (name, crossing)));
    }
    let range = (arguments.from.unwrap_or(f64::NEG_INFINITY), arguments.to.unwrap_or(f64::INFINITY));
    let mut laws = Vec::new();
    for name in &arguments.power_law {
        for analysis in &analyses {
            let found = analysis::power_laws(analysis, name, range)?;
            laws.extend(found.into_iter().map(|(values, law)| (analysis, name, values, law)));
        }
    }
    if arguments.json {
        return print(&format!("{}\n", as_json(&analyses, &crossings, &laws)));
    }
    let mut text = String::new();
    for analysis in &analyses {
        text.push_str(&format!("{}\n{}\n", analysis.path.display(), summary_table(&analysis.summary)));
    }
    for (name, crossing) in &crossings {
        let [first, second] = crossing.folders.each_ref().map(|folder| folder.display());
        let (parameter, at, error, of) = (&crossing.parameter, crossing.at, crossing.error, values(&crossing.values));
        text.push_str(&format!(
            "{name} of {first} and {second}{of}: crossing at {parameter} = {at:.6} ± {error:.1e}\n"
        ));
    }
    for name in arguments.crossing.iter().filter(|name| crossings.iter().all(|(known, _)| known != name)) {
        text.push_str(&format!("{name}: no crossing between places that both curves have\n"));
    }
    for (analysis, name, of, law) in &laws {
        let PowerLaw { exponent, exponent_error, amplitude, amplitude_error, chi_square, points } = law;
        let chi_square = if chi_square.is_nan() { String::new() } else { format!(", χ² {chi_square:.2} each") };
        text.push_str(&format!(
            "{name} of {}{}: {amplitude:.4} ± {amplitude_error:.1e} times x to the {exponent:.4} ± {exponent_error:.1e} ({points} points{chi_square})\n",
            analysis.path.display(),
            values(of)
        ));
    }
    text.push_str("±: standard error; τ: autocorrelation time in steps; n: samples.\n");
    print(&text)
}

fn values(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(", {text}") }
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
                (name.clone(), json!({"mean": number(e.mean), "error": number(e.error), "tau": number(e.tau)}))
            });
            let params = summary.params.iter().zip(&row.values).map(|(name, value)| (name.clone(), json!(value)));
            json!({
                "params": params.collect::<serde_json::Map<_, _>>(),
                "observables": estimates.collect::<serde_json::Map<_, _>>(),
                "n": row.samples,
            })
        };
        let rows: Vec<Value> = summary.rows.iter().map(row).collect();
        json!({"folder": analysis.path.display().to_string(), "rows": rows})
    };
    let crossing = |(name, crossing): &(&String, Crossing)| {
        json!({
            "observable": name,
            "folders": crossing.folders.each_ref().map(|folder| folder.display().to_string()),
            "values": crossing.values,
            "parameter": crossing.parameter,
            "at": number(crossing.at),
            "error": number(crossing.error),
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
