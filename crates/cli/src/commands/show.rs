//! `show NAME`

use super::info::headline;
use crate::args::Show;
use crate::report::{CliError, print};
use squeeze::params::nearest;
use squeeze::resolve::{self, Kind, ResolveError};
use squeeze::run::params_as_settings;
use squeeze::texts::{Text, Texts};
use squeeze::{Fractal, Rule, Value};
use std::sync::Arc;

/// Prints what a fractal or a rule is made of, and its source.
pub(crate) fn show(arguments: &Show) -> Result<(), CliError> {
    let name = &arguments.name;
    match resolve::rule_with_texts(name) {
        Ok((rule, texts)) => return print(&of_rule(&rule, &texts)),
        Err(error) if error.downcast_ref::<ResolveError>().is_none() => return Err(error.into()),
        Err(_) => {}
    }
    match resolve::fractal_with_texts(name) {
        Ok((fractal, texts)) => print(&of_fractal(&fractal, &texts)),
        Err(error) => match error.downcast_ref() {
            Some(ResolveError::UnknownName { name, .. }) => {
                let known = [Kind::Fractal, Kind::Rule].map(resolve::shipped_names).concat();
                let near = nearest(name, known.iter().copied());
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                let help = format!("these ship: {}", known.join(", "));
                Err(CliError::input(format!("no fractal or rule named `{name}` ships with Squeeze{near}"), help))
            }
            _ => Err(error.into()),
        },
    }
}

fn of_fractal(fractal: &Arc<Fractal>, texts: &Texts) -> String {
    format!("// {}\n{}", headline(fractal), source(texts))
}

fn of_rule(rule: &Rule, texts: &Texts) -> String {
    let mut text = match rule.doc.lines().next() {
        Some(doc) => format!("{}: {}\n", rule.name, doc.trim()),
        None => format!("{}\n", rule.name),
    };
    let mut add = |title: &str, entries: Vec<String>| {
        for (i, entry) in entries.iter().enumerate() {
            let title = if i == 0 { title } else { "" };
            text.push_str(format!("{title:>12}  {entry}").trim_end());
            text.push('\n');
        }
    };
    let states = (0u16..).zip(&rule.states).map(|(id, state)| {
        let of_pairs = rule.kept_bonds().any(|bond| bond.first.0 == id);
        format!("{}: {}{}", state.name, rule.type_name(state.ty), if of_pairs { ", of each pair" } else { "" })
    });
    add("states", states.collect());
    let defaults: Vec<Value> = rule.params.iter().map(|param| param.default).collect();
    let settings = params_as_settings(rule, &defaults);
    let comments = comments(texts);
    let params = rule.params.iter().zip(&settings).map(|(param, setting)| {
        let value = setting.split_once('=').map_or("", |(_, value)| value);
        let about = comments.iter().find(|(name, _)| *name == param.name).map_or("", |(_, comment)| comment);
        let shown = |(low, high): (Value, Value)| format!("{}..={}", low.as_text(), high.as_text());
        let range = match param.range_in.map(|ranges| ranges.map(shown)) {
            Some([line, plane, space]) => Some(format!(" in {plane} (line {line}, space {space})")),
            None => param.range.map(|range| format!(" in {}", shown(range))),
        };
        let head = format!("{}: {}{} = {value}", param.name, rule.type_name(param.ty), range.unwrap_or_default());
        if about.is_empty() { head } else { format!("{head}  ({})", about.trim_end_matches('.')) }
    });
    add("parameters", params.collect());
    let names = rule.observables.iter().map(|observable| observable.name.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    add("observables", if names.is_empty() { Vec::new() } else { vec![names] });
    let overlaps = rule.overlaps.iter().map(|overlap| overlap.name.as_str()).collect::<Vec<_>>().join(", ");
    add("overlaps", if overlaps.is_empty() { Vec::new() } else { vec![overlaps] });
    // So all that is printed is a rule as well.
    let comment = text.lines().map(|line| format!("// {line}\n")).collect::<String>();
    format!("{comment}{}", source(texts))
}

/// The text that holds the definition: it was read first.
fn source(texts: &Texts) -> String {
    texts.texts.first().map_or(String::new(), |first| format!("\n{}\n", first.text.trim_end()))
}

/// The comments above the parameters, by their names. One comment may stand above several.
pub(crate) fn comments(texts: &Texts) -> Vec<(String, String)> {
    let Some(Text { text, .. }) = texts.texts.first() else { return Vec::new() };
    let (mut found, mut comment, mut open) = (Vec::new(), String::new(), false);
    for line in text.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix("//") {
            if !open {
                comment.clear();
            }
            open = true;
            comment = format!("{comment} {}", words.trim_start_matches('/').trim()).trim().to_owned();
            continue;
        }
        open = false;
        match line.strip_prefix("param ").and_then(|rest| rest.split_once(':')) {
            Some((name, _)) => found.push((name.trim().to_owned(), comment.clone())),
            None => comment.clear(),
        }
    }
    found
}
