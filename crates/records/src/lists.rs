//! Observables that are lists: tables have a column for each entry, `NAME[0]`, `NAME[1]` and so on, and people see one thing.

use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::{list, short};
use std::fmt::Display;
use std::path::Path;

/// The list that a column belongs to, and the number of its entry.
pub(crate) fn entry(column: &str) -> Option<(&str, &str)> {
    column.strip_suffix(']')?.split_once('[')
}

/// The observable that a column belongs to: a list, or what the column is called.
fn of_column(column: &str) -> &str {
    entry(column).map_or(column, |(list, _)| list)
}

/// The columns of an observable or of one entry.
pub fn columns(all: &[String], name: &str) -> Vec<usize> {
    match all.iter().position(|column| column == name) {
        Some(column) => vec![column],
        None => (0..all.len()).filter(|&column| of_column(&all[column]) == name).collect(),
    }
}

/// The observables that were asked for, or all in the order in which they are first met. Each folder has a table with some columns.
///
/// # Errors
/// If no folder has one of the observables in `only`.
pub fn chosen<'a>(tables: &[(&Path, &'a [String])], only: &'a [String]) -> Result<Vec<&'a str>> {
    let mut known = Vec::new();
    for name in tables.iter().flat_map(|(_, all)| *all).map(|column| of_column(column)) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let unknown = only.iter().find(|name| tables.iter().all(|(_, all)| columns(all, name).is_empty()));
    match (unknown, tables.first()) {
        (Some(name), Some((path, _))) => Err(no_observable(path, name, &known).into()),
        _ if only.is_empty() => Ok(known),
        _ => Ok(only.iter().map(String::as_str).collect()),
    }
}

/// The place of an observable among those that a folder has.
pub(crate) fn place(path: &Path, name: &str, known: &[String]) -> Result<usize> {
    Ok(known.iter().position(|own| own == name).ok_or_else(|| no_observable(path, name, known))?)
}

/// An observable that a folder does not have.
pub(crate) fn no_observable(path: &Path, name: &str, known: &[impl Display]) -> Message {
    let what = format!("`{}` has no observable `{}`", path.display(), short(name));
    Message::users(what).with_help(format!("there are {}", list(known)))
}

/// The lower quartile, the median and the upper quartile of the numbers among these values; `None` if there is none.
pub(crate) fn quartiles(values: impl Iterator<Item = f64>) -> Option<[f64; 3]> {
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = |quarter: usize| {
        let (below, part) = (quarter * last / 4, (quarter * last % 4) as f64 / 4.0);
        sorted[below] * (1.0 - part) + sorted[(below + 1).min(last)] * part
    };
    Some([1, 2, 3].map(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_one_observable_and_their_entries_can_be_chosen() {
        let table = ["m", "q[0]", "q[1]", "q[2]", "h"].map(str::to_owned);
        let path = Path::new("run");
        let only = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(chosen(&[(path, &table)], &[]).unwrap(), ["m", "q", "h"]);
        let wanted = only(&["h", "q[1]", "q"]);
        assert_eq!(chosen(&[(path, &table)], &wanted).unwrap(), ["h", "q[1]", "q"]);
        assert_eq!(
            ["q", "q[1]", "m", "x"].map(|name| columns(&table, name)),
            [vec![1, 2, 3], vec![2], vec![0], vec![]]
        );
        let wanted = only(&["x"]);
        let error = chosen(&[(path, &table)], &wanted).unwrap_err();
        assert_eq!(error.to_string(), "`run` has no observable `x`");
    }

    #[test]
    fn quartiles_are_between_values() {
        assert_eq!(quartiles([4.0, f64::NAN, 0.0, 1.0, 3.0, 2.0].into_iter()), Some([1.0, 2.0, 3.0]));
        assert_eq!(quartiles([1.0, 2.0].into_iter()), Some([1.25, 1.5, 1.75]));
        assert_eq!(quartiles([f64::MAX, f64::MAX].into_iter()), Some([f64::MAX; 3]));
        assert_eq!(quartiles(std::iter::once(f64::NAN)), None);
    }
}
