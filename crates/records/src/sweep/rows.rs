//! What members of a sweep came to, as text: what is in their files, and what tables are made of.

use super::Sweep;
use crate::run::{push_row, push_values};
use crate::table;
use squeeze_compiler::ir::Rule;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_engine::failure::Result;
use squeeze_engine::totals::of_observables;

/// What a member came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    /// A line for each time at which it was observed.
    pub lines: String,
    /// The values of observables that are of its end alone, each with a comma before it.
    pub end: String,
}

/// Which of the columns of a sweep hold floats.
pub(super) struct Floats {
    observables: Vec<bool>,
    at_end: Vec<bool>,
}

impl Floats {
    /// Those of a sweep.
    ///
    /// # Errors
    /// If the recorded text of the rule is none.
    pub(super) fn of(sweep: &Sweep) -> Result<Floats> {
        let rule = sweep.rule.rule()?;
        let [observables, at_end] = [&sweep.observables, &sweep.at_end].map(|columns| table::floats(&rule, columns));
        Ok(Floats { observables, at_end })
    }
}

/// What stands before these values in the text of a member,
const END: &str = "end";
/// and before the checksum of it in the file of a member. Those of [unsealed](Sweep::unsealed) sweeps have none.
const SUM: &str = "crc32c";

impl Rows {
    /// Adds what was observed at a time, which is the member's last one or not.
    pub(super) fn push<'a>(
        &mut self,
        rule: &Rule,
        time: u32,
        values: impl Iterator<Item = &'a ObservedValue> + Clone,
        is_last: bool,
    ) {
        push_row(&mut self.lines, time, of_observables(rule, false, values.clone()));
        if is_last {
            push_values(&mut self.end, of_observables(rule, true, values));
        }
    }

    /// How often it was observed.
    pub(super) fn observations(&self) -> usize {
        self.lines.lines().count()
    }

    /// The line of its end, with what is of the end alone.
    pub(super) fn last(&self) -> String {
        format!("{}{}", self.lines.lines().next_back().unwrap_or_default(), self.end)
    }

    /// All of it.
    pub(super) fn to_text(&self) -> String {
        if self.end.is_empty() { self.lines.clone() } else { format!("{}{END}{}\n", self.lines, self.end) }
    }

    /// As they are written now, whatever version wrote them.
    pub(super) fn renewed(&self, floats: &Floats) -> Rows {
        let lines = self.lines.lines().map(|line| table::renewed(line, &floats.observables) + "\n");
        Rows { lines: lines.collect(), end: table::renewed(&self.end, &floats.at_end) }
    }

    /// What the file of the member holds.
    pub(super) fn sealed(&self) -> String {
        let text = self.to_text();
        format!("{text}{SUM},{:08x}\n", crc32c::crc32c(text.as_bytes()))
    }

    /// What a file says; `None` if it is not whole, or not as it was written.
    pub(super) fn of_text(sweep: &Sweep, text: &str) -> Option<Rows> {
        let (text, sum) = text.split_at(text.rfind(SUM).unwrap_or(text.len()));
        let is_old = sweep.unsealed && sum.is_empty();
        if !is_old && sum != format!("{SUM},{:08x}\n", crc32c::crc32c(text.as_bytes())) {
            return None;
        }
        let before_end = text.rfind(&format!("{END},")).unwrap_or(text.len());
        let (lines, end) = text.split_at(before_end);
        let end = if end.is_empty() { end } else { end.strip_prefix(END)?.strip_suffix('\n')? };
        Some(Rows { lines: lines.to_owned(), end: end.to_owned() }).filter(|rows| rows.are_whole(sweep))
    }

    /// Whether they are those of a member at its end.
    pub(super) fn are_whole(&self, sweep: &Sweep) -> bool {
        let are_numbers = |line: &str, count: usize| {
            let mut words = line.split(',').skip(1);
            words.clone().count() == count && words.all(|word| word.parse::<f64>().is_ok())
        };
        let mut times = sweep.times();
        let all = self.lines.lines().all(|line| {
            let time = times.next().map(|time| time.to_string());
            line.split(',').next() == time.as_deref() && are_numbers(line, sweep.observables.len())
        });
        all && (sweep.stops || times.next().is_none())
            && self.lines.ends_with('\n')
            && are_numbers(&self.end, sweep.at_end.len())
    }
}
