//! Rules tables of Mirek's Cellebration, as its files of patterns hold them: numbers, separated by commas.
//!
//! The first says the neighbourhood (1 Moore, 2 von Neumann), the second whether the cell itself counts, the third whether all odd states count instead of
//! state 1 alone. Behind them stand ten numbers for each state: a cell's next state by how many neighbours count, 0 to 9. Zeros at the end may be missing.

use super::strings::joined;
use super::{MOST_STATES, NOTE, NeighbourShape};
use std::fmt::Write;

/// The counts of neighbours that each state has an entry for.
const COUNTS: usize = 10;

/// A rules table.
pub(super) struct Counted {
    pub neighbourhood: NeighbourShape,
    pub middle: bool,
    /// Whether all odd states count.
    pub odd: bool,
    /// For each state the next one, by how many neighbours count.
    pub next: Vec<[u32; COUNTS]>,
}

impl Counted {
    /// The table in a string. `None` if it is not meant as such a table: others have five numbers at most.
    pub(super) fn parse(string: &str) -> Option<Result<Counted, String>> {
        let words: Vec<&str> = string.trim_end_matches([',', ' ']).split(',').map(str::trim).collect();
        let are_numbers = words.iter().all(|word| !word.is_empty() && word.bytes().all(|digit| digit.is_ascii_digit()));
        (are_numbers && words.len() > 5).then(|| Self::of_words(&words))
    }

    fn of_words(words: &[&str]) -> Result<Counted, String> {
        let number = |word: &&str, most: u32| {
            let number = word.parse().ok().filter(|number| *number <= most);
            number.ok_or_else(|| format!("`{word}` is too large in a rules table; valid are 0 to {most}"))
        };
        let neighbourhood = match words[0] {
            "1" => NeighbourShape::Moore(1),
            "2" => NeighbourShape::VonNeumann(1),
            other => {
                return Err(format!(
                    "`{other}` is no neighbourhood of a rules table; valid are 1 (Moore) and 2 (von Neumann)"
                ));
            }
        };
        let [middle, odd] = [number(&words[1], 1)? == 1, number(&words[2], 1)? == 1];
        let entries = words[3..].iter().map(|word| number(word, MOST_STATES - 1)).collect::<Result<Vec<u32>, _>>()?;
        let highest = entries.iter().max().map_or(0, |state| *state as usize);
        let states = (highest + 1).max(entries.len().div_ceil(COUNTS)).max(2);
        if states > MOST_STATES as usize {
            return Err(format!("a rules table has {MOST_STATES} states at most"));
        }
        let mut next = vec![[0; COUNTS]; states];
        for (place, state) in entries.into_iter().enumerate() {
            next[place / COUNTS][place % COUNTS] = state;
        }
        Ok(Counted { neighbourhood, middle, odd, next })
    }

    /// The rule as a text of this language.
    pub(super) fn text(&self, string: &str) -> String {
        let states = self.next.len();
        let state = |number: u32| format!("state_{number}");
        let names: Vec<String> = (0..states as u32).map(state).collect();
        let list = if self.neighbourhood == NeighbourShape::Moore(1) { "moore" } else { "von_neumann" };
        let counts = |cell: &str| if self.odd { format!("i32({cell}) % 2 == 1") } else { format!("{cell} == state_1") };
        let own = if self.middle { format!(" + i32({})", counts("cell")) } else { String::new() };
        let mut text = format!(
            "/// {string}{NOTE}\nrule rules_table {{\n    state cell: enum {{ {} }}\n    init cell = state_0\n",
            names.join(", ")
        );
        let most = self.neighbourhood.count() + u32::from(self.middle);
        let outcomes: Vec<String> = self.next.iter().map(|row| outcome(&row[..=most as usize])).collect();
        if outcomes.iter().any(|outcome| outcome.contains(' ')) {
            writeln!(text, "    let n = count({list}, {}){own}", counts("nb.cell")).expect("a string");
        }
        text += "    next cell = match cell {\n";
        for (name, outcome) in names.iter().zip(outcomes) {
            writeln!(text, "        {name} => {outcome},").expect("a string");
        }
        text += "    }\n    observe population = count(cell != state_0)\n}\n";
        text
    }
}

/// The next state of a cell, by how many neighbours count.
fn outcome(row: &[u32]) -> String {
    if row.iter().all(|state| *state == row[0]) {
        return format!("state_{}", row[0]);
    }
    let mut others: Vec<u32> = row.to_vec();
    others.sort_unstable();
    others.dedup();
    let cases = others.iter().map(|&state| {
        let of_state: Vec<u32> = (0..row.len() as u32).filter(|count| row[*count as usize] == state).collect();
        let ranges = joined(&of_state).into_iter();
        let ranges: Vec<String> =
            ranges.map(|(low, high)| if low == high { low.to_string() } else { format!("{low}..={high}") }).collect();
        (ranges.join(" | "), state)
    });
    let mut cases: Vec<(String, u32)> = cases.collect();
    // The counts beyond the neighbours do not occur.
    if let Some(last) = cases.last_mut() {
        last.0 = "_".to_owned();
    }
    let cases: Vec<String> = cases.into_iter().map(|(counts, state)| format!("{counts} => state_{state}")).collect();
    format!("match n {{ {} }}", cases.join(", "))
}
