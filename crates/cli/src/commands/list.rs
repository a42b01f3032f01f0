//! `list [fractals|rules] [--json]`

use crate::args::List;
use crate::report::{CliError, print, width, wrapped};
use serde_json::{Value, json};
use squeeze::compiler::shipped;
use squeeze::geometry::hausdorff_dimension;
use squeeze::ir::Dimension;
use squeeze::resolve::{self, Kind};

/// Lists what ships.
pub(crate) fn list(arguments: &List) -> Result<(), CliError> {
    let [fractals, rules] = [Kind::Fractal, Kind::Rule].map(|kind| arguments.kind.is_none_or(|asked| asked == kind));
    let mut json = serde_json::Map::new();
    let mut text = String::new();
    if fractals {
        let list = fractals_that_ship()?;
        text.push_str(&section("Fractals: space, and how many dimensions they fill of it (Hausdorff)", &list, rules));
        json.insert("fractals".to_owned(), as_json(&list));
    }
    if rules {
        let list = rules_that_ship()?;
        text.push_str(&section("Rules", &list, fractals));
        json.insert("rules".to_owned(), as_json(&list));
    }
    if arguments.json {
        return print(&format!("{}\n", Value::Object(json)));
    }
    if arguments.kind.is_none() {
        text.push_str("`squeeze show NAME` prints one of them.\n");
    }
    print(&text)
}

/// A name, a few facts, and a description.
struct NameLine {
    name: &'static str,
    facts: String,
    doc: String,
}

fn fractals_that_ship() -> Result<Vec<NameLine>, CliError> {
    let line = |(name, _): &(&'static str, &str)| {
        let fractal = resolve::fractal(name)?;
        let dimension = hausdorff_dimension(&fractal).map_or("    -".to_owned(), |value| format!("{value:.3}"));
        let facts = format!("{}-D  {dimension}", fractal.dimension.axes());
        Ok(NameLine { name, facts, doc: first_line(&fractal.doc) })
    };
    shipped::FRACTALS.iter().map(line).collect()
}

fn rules_that_ship() -> Result<Vec<NameLine>, CliError> {
    let line = |(name, _): (&'static str, &str)| {
        let rule = resolve::rule(name)?;
        let facts = if rule.needs_three_dimensions { format!("{}-D", Dimension::Three.axes()) } else { String::new() };
        Ok(NameLine { name, facts, doc: first_line(&rule.doc) })
    };
    shipped::all_rules().into_iter().map(line).collect()
}

fn first_line(doc: &str) -> String {
    doc.lines().next().unwrap_or_default().trim().to_owned()
}

fn section(title: &str, lines: &[NameLine], one_of_two: bool) -> String {
    let names = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let facts = lines.iter().map(|line| line.facts.len()).max().unwrap_or(0);
    let indent = if one_of_two { "  " } else { "" };
    let mut text = if one_of_two { format!("{title}\n") } else { String::new() };
    for NameLine { name, facts: fact, doc } in lines {
        let head = if facts == 0 { format!("{name:names$}") } else { format!("{name:names$}  {fact:facts$}") };
        for (i, line) in wrapped(doc, width().saturating_sub(head.len() + 4).max(20)).iter().enumerate() {
            let head = if i == 0 { head.clone() } else { " ".repeat(head.len()) };
            text.push_str(&format!("{indent}{head}  {line}\n"));
        }
    }
    if one_of_two {
        text.push('\n');
    }
    text
}

fn as_json(lines: &[NameLine]) -> Value {
    lines.iter().map(|line| json!({"name": line.name, "about": line.doc})).collect()
}
