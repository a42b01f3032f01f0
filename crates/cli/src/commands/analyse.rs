//! `analyse DIR...`

use super::sweep::{summary_table, tell_of_errors, tell_of_exchanges};
use crate::args::{Analyse, ColumnArgs};
use crate::report::{CliError, print, table, titled};
use serde_json::{Value, json};
use squeeze::analysis::{self, Analysis, Column, Combination, Crossing, Over};
use squeeze::lists;
use squeeze::numbers::{grouped, six_digits, three_digits, with_error};
use squeeze::reweighting::{self, Along, Collapse, Maximum, Reweighted, SystemMembers};
use squeeze::run::value_as_json;
use squeeze::statistics::{self, PowerLaw, Unknown};
use squeeze::sweep::{Advice, Exchanges, LadderExchanges, PairExchanges, ReplicaTrips, Summary, SummaryRow};
use squeeze::{Error, Message};
use std::path::Path;

impl ColumnArgs {
    /// Whether means are to be combined, or compared.
    pub(super) fn combine(&self) -> bool {
        self.reweight.is_some()
            || ![&self.binder, &self.fluctuation, &self.crossing].iter().all(|names| names.is_empty())
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

    /// The columns that curves are made of: those that are shown, and those of fits; none if all are.
    pub(super) fn of_curves(&self) -> Vec<String> {
        match self.only.is_empty() {
            true => Vec::new(),
            false => [&self.only[..], &self.crossing, &self.maximum].concat(),
        }
    }

    /// Where fits look.
    pub(super) fn range(&self) -> Result<(f64, f64), Error> {
        let (from, to) = (self.from.unwrap_or(f64::NEG_INFINITY), self.to.unwrap_or(f64::INFINITY));
        if from > to {
            let what = format!("`--from {from} --to {to}` leaves nothing in between");
            return Err(Message::users(what).with_help("`--from` is the lower end").into());
        }
        Ok((from, to))
    }
}

/// Analyses what runs and sweeps recorded.
pub(crate) fn analyse(arguments: &Analyse) -> Result<(), CliError> {
    if let Some(along) = &arguments.columns.reweight {
        return curves(arguments, along);
    }
    let columns = arguments.columns.combinations()?;
    let folders = arguments.folders.iter();
    let analyses =
        folders.map(|path| analysis::analyse(path, arguments.discard, &columns)).collect::<Result<Vec<_>, _>>()?;
    let range = arguments.columns.range()?;
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
    for Analysis { summary, .. } in &analyses {
        tell_of_errors(summary);
        tell_of_exchanges(summary);
    }
    if arguments.json {
        return print(&format!("{}\n", as_json(&analyses, &shown, &crossings, &laws)));
    }
    let mut text = String::new();
    for analysis in &analyses {
        text.push_str(&format!("{}\n{}\n", analysis.path.display(), summary_table(&analysis.summary, &shown, true)));
        if let Some(exchanges) = &analysis.summary.exchanges {
            text.push_str(&exchanges_in_words(exchanges));
        }
    }
    text.push_str(&crossings_in_words(&crossings));
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

/// How often neighbours exchanged their states, and the values at which they would do so in 20 to 40% of all cases.
fn exchanges_in_words(exchanges: &Exchanges) -> String {
    let name = &exchanges.parameter;
    let mut rows = titled(&format!("{name}, exchanged with, tried, accepted, rate"));
    for (of, pairs) in exchanges.by_values() {
        for PairExchanges { values: [lower, upper], tried, accepted, .. } in &pairs {
            let rate = format!("{}%", three_digits(100.0 * *accepted as f64 / *tried as f64));
            let at = if of.is_empty() { lower.clone() } else { format!("{of}, {lower}") };
            rows.push(vec![at, upper.clone(), grouped(*tried), grouped(*accepted), rate]);
        }
    }
    let mut text = table(&rows);
    for Advice { values: of, advised, is_rough, .. } in exchanges.advice() {
        let rough = if is_rough { ", or more where states were never exchanged" } else { "" };
        text.push_str(&format!("for rates of 20 to 40%{}{rough}: --set {name}={}\n", values(&of), advised.join(",")));
    }
    text.push('\n');
    text
}

/// Where curves cross, a line each, and why some do not.
fn crossings_in_words(crossings: &[(&String, Crossing)]) -> String {
    let mut text = String::new();
    for (name, crossing) in crossings {
        let system = |i: usize| {
            let level = crossing.levels[i].as_ref().map_or_else(String::new, |level| format!(" at level {level}"));
            format!("{}{level}", crossing.folders[i].display())
        };
        let [first, second] = [0, 1].map(system);
        let (parameter, of) = (&crossing.parameter, values(&crossing.values));
        let statistics::Crossing { at, error, unknown, degree, points, chi_square, .. } = crossing.found;
        if let Some(missing) = &crossing.missing {
            text.push_str(&format!("{name} of {first} and {second}{of}: no crossing: {missing}\n"));
            continue;
        }
        let [at, error] = with_error(at, error);
        let how = match degree {
            0 => "reweighted".to_owned(),
            _ => format!("degree {degree} through {points} points{}", chi_square_in_words(chi_square)),
        };
        text.push_str(&format!(
            "{name} of {first} and {second}{of}: crossing at {parameter} = {at} ± {error} ({how}){}\n",
            why_in_words(unknown),
        ));
    }
    text
}

/// Makes curves between the values at which members ran.
fn curves(arguments: &Analyse, along: &Along) -> Result<(), CliError> {
    let wanted = &arguments.columns;
    let columns = wanted.combinations()?;
    let only = wanted.of_curves();
    let make = |path| reweighting::reweight(path, arguments.discard, &columns, &only, along);
    let made = arguments.folders.iter().map(|path| make(path)).collect::<Result<Vec<_>, _>>()?;
    let tables: Vec<(&Path, &[String])> = made.iter().map(|made| (&*made.path, &*made.summary.observables)).collect();
    let shown = lists::chosen(&tables, &wanted.only)?;
    let range = wanted.range()?;
    let (mut crossings, mut maxima, mut collapses) = (Vec::new(), Vec::new(), Vec::new());
    for name in &wanted.crossing {
        crossings.extend(reweighting::crossings(&made, name, range)?.into_iter().map(|found| (name, found)));
    }
    for name in &wanted.maximum {
        maxima.extend(reweighting::maxima(&made, name, range)?.into_iter().map(|found| (name, found)));
    }
    if let Some([nu, gamma]) = arguments.collapse {
        if wanted.only.is_empty() {
            let help = "`--only u --collapse 1.0,0.0` fits those of the curves of `u`";
            return Err(CliError::input("`--collapse` needs the name of a column, whose exponents these are", help));
        }
        for name in &wanted.only {
            let found = reweighting::collapse(&made, name, (nu, gamma), range)?;
            collapses.extend(found.into_iter().map(|found| (name, found)));
        }
    }
    made.iter().for_each(|made| tell_of_errors(&made.summary));
    if arguments.json {
        return print(&format!("{}\n", curves_as_json(&made, &shown, &crossings, &maxima, &collapses)));
    }
    let mut text = String::new();
    for made in &made {
        let parameter = &made.parameter;
        text.push_str(&format!(
            "{}, reweighted along {parameter}\n{}\n",
            made.path.display(),
            summary_table(&made.summary, &shown, false)
        ));
        for SystemMembers { level, values: of, members, overlap, .. } in &made.systems {
            let level = level.as_ref().map_or_else(String::new, |level| format!("level {level}"));
            let of = [level, of.clone()].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ");
            let of = if of.is_empty() { "members".to_owned() } else { format!("{of}: members") };
            let plural = if *members == 1 { "" } else { "s" };
            let share = if overlap.is_nan() {
                String::new()
            } else {
                format!(", of which neighbours share at least {}% of their samples", three_digits(100.0 * overlap))
            };
            text.push_str(&format!("{of} at {members} value{plural} of {parameter}{share}\n"));
        }
        text.push('\n');
    }
    text.push_str(&crossings_in_words(&crossings));
    for (name, Maximum { folder, level, values: of, at, height, unknown, missing, .. }) in &maxima {
        let level = level.as_ref().map_or_else(String::new, |level| format!(" at level {level}"));
        if let Some(missing) = missing {
            text.push_str(&format!("{name} of {}{level}{}: no maximum: {missing}\n", folder.display(), values(of)));
            continue;
        }
        let ([at, error], [height, uncertain]) = (with_error(at[0], at[1]), with_error(height[0], height[1]));
        text.push_str(&format!(
            "{name} of {}{level}{}: greatest at {} = {at} ± {error}, {height} ± {uncertain}{}\n",
            folder.display(),
            values(of),
            along.parameter,
            why_in_words(*unknown)
        ));
    }
    for (name, found) in &collapses {
        if let Some(missing) = &found.missing {
            text.push_str(&format!("{name}{}: no collapse: {missing}\n", values(&found.values)));
            continue;
        }
        let [critical, nu, gamma] =
            [found.critical, found.nu, found.gamma].map(|[value, error]| with_error(value, error).join(" ± "));
        let (distance, of) = (three_digits(found.distance), values(&found.values));
        let [from, to] = found.range.map(six_digits);
        let outside = if found.is_outside() {
            format!("; {} lies outside the curves, from {from} to {to}", along.parameter)
        } else {
            String::new()
        };
        text.push_str(&format!(
            "{name} of {} sizes{of}: {} = {critical}, nu = {nu}, gamma = {gamma}, S = {distance}{outside}{}\n",
            found.curves,
            along.parameter,
            why_in_words(found.unknown)
        ));
    }
    text.push_str("±: standard error; n: independent samples.\n");
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

/// Why there is nothing, or why its error is unknown.
fn why_missing(missing: &Option<String>, unknown: Option<Unknown>) -> Value {
    missing.as_ref().map_or_else(|| why(unknown), |missing| json!(missing))
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
    let mut json = json!({"folder": folder.display().to_string(), "rows": rows, "warnings": summary.early});
    if let Some(exchanges) = &summary.exchanges {
        json["exchanges"] = exchanges_as_json(exchanges);
    }
    json
}

fn exchanges_as_json(exchanges: &Exchanges) -> Value {
    let pair = |pair: &PairExchanges| {
        let PairExchanges { values, tried, accepted, .. } = pair;
        let values = values.each_ref().map(|value| value_as_json(value));
        json!({"between": values, "tried": tried, "accepted": accepted, "rate": number(pair.rate())})
    };
    let ladder = |of: &LadderExchanges| {
        let replica = |of: &ReplicaTrips| json!({"round_trips": of.round_trips, "steps_lowest": of.at_ends[0], "steps_highest": of.at_ends[1]});
        json!({
            "ladder": of.ladder,
            "values": of.values,
            "pairs": of.pairs.iter().map(pair).collect::<Vec<_>>(),
            "replicas": of.replicas.iter().map(replica).collect::<Vec<_>>(),
        })
    };
    let advice = |of: &Advice| {
        let advised: Vec<Value> = of.advised.iter().map(|value| value_as_json(value)).collect();
        json!({"values": of.values, "advised": advised, "rough": of.is_rough})
    };
    json!({
        "parameter": exchanges.parameter,
        "ladders": exchanges.ladders.iter().map(ladder).collect::<Vec<_>>(),
        "advice": exchanges.advice().iter().map(advice).collect::<Vec<_>>(),
        "warnings": exchanges.warnings(),
    })
}

fn crossing_as_json((name, crossing): &(&String, Crossing)) -> Value {
    json!({
        "observable": name,
        "folders": crossing.folders.each_ref().map(|folder| folder.display().to_string()),
        "levels": crossing.levels,
        "values": crossing.values,
        "parameter": crossing.parameter,
        "at": number(crossing.found.at),
        "error": number(crossing.found.error),
        "why": why_missing(&crossing.missing, crossing.found.unknown),
        "degree": if crossing.found.degree > 0 { json!(crossing.found.degree) } else { Value::Null },
        "chi_square": number(crossing.found.chi_square),
        "points": crossing.found.points,
    })
}

fn curves_as_json(
    made: &[Reweighted],
    shown: &[&str],
    crossings: &[(&String, Crossing)],
    maxima: &[(&String, Maximum)],
    collapses: &[(&String, Collapse)],
) -> Value {
    let folder = |made: &Reweighted| summary_as_json(&made.path, &made.summary, shown);
    let together = |made: &Reweighted| {
        let of = |of: &SystemMembers| {
            json!({
                "folder": made.path.display().to_string(),
                "parameter": made.parameter,
                "level": of.level,
                "values": of.values,
                "members": of.members,
                "overlap": number(of.overlap),
            })
        };
        made.systems.iter().map(of).collect::<Vec<_>>()
    };
    let maximum = |(name, found): &(&String, Maximum)| {
        json!({
            "observable": name,
            "folder": found.folder.display().to_string(),
            "level": found.level,
            "values": found.values,
            "at": number(found.at[0]),
            "error": number(found.at[1]),
            "height": number(found.height[0]),
            "height_error": number(found.height[1]),
            "why": why_missing(&found.missing, found.unknown),
        })
    };
    let collapse = |(name, found): &(&String, Collapse)| {
        let Collapse { critical, nu, gamma, .. } = found;
        json!({
            "observable": name,
            "values": found.values,
            "curves": found.curves,
            "critical": number(critical[0]),
            "critical_error": number(critical[1]),
            "nu": number(nu[0]),
            "nu_error": number(nu[1]),
            "gamma": number(gamma[0]),
            "gamma_error": number(gamma[1]),
            "distance": number(found.distance),
            "outside": found.is_outside(),
            "why": why_missing(&found.missing, found.unknown),
        })
    };
    json!({
        "folders": made.iter().map(folder).collect::<Vec<_>>(),
        "reweighted": made.iter().flat_map(together).collect::<Vec<_>>(),
        "crossings": crossings.iter().map(crossing_as_json).collect::<Vec<_>>(),
        "maxima": maxima.iter().map(maximum).collect::<Vec<_>>(),
        "collapses": collapses.iter().map(collapse).collect::<Vec<_>>(),
    })
}

fn as_json(
    analyses: &[Analysis],
    shown: &[&str],
    crossings: &[(&String, Crossing)],
    laws: &[(&Analysis, &String, String, PowerLaw)],
) -> Value {
    let folder = |analysis: &Analysis| summary_as_json(&analysis.path, &analysis.summary, shown);
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
        "crossings": crossings.iter().map(crossing_as_json).collect::<Vec<_>>(),
        "power_laws": laws.iter().map(law).collect::<Vec<_>>(),
    })
}
