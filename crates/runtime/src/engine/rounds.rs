//! The rounds in which reductions are computed, as [`squeeze_compiler::ir::rounds`] tells.

use super::terms::some_reductions;
use squeeze_compiler::ir::{Rule, Value, rounds};
use squeeze_compiler::reduce::fold::{self, ObservedValue};

/// Some reductions of a rule by rounds.
pub(super) struct Rounds {
    /// The numbers of those of the first round: what was asked for, and the sums that the second needs.
    pub first: Vec<usize>,
    /// The numbers of those of the second.
    pub second: Vec<usize>,
    /// For each of the second the place in the first of the sum whose mean it needs.
    sums: Vec<usize>,
    /// For each that was asked for whether it is of the second.
    later: Vec<bool>,
}

impl Rounds {
    /// Those of the reductions of these numbers.
    pub fn of(rule: &Rule, which: &[usize]) -> Rounds {
        let is_later = |index: &usize| rounds::is_later(&rule.reductions[*index]);
        let (second, mut first): (Vec<usize>, Vec<usize>) = which.iter().partition(|index| is_later(index));
        let mut sums = Vec::new();
        for sum in second.iter().filter_map(|index| rule.reductions[*index].about) {
            let place = first.iter().position(|index| *index == sum as usize);
            sums.push(place.unwrap_or_else(|| {
                first.push(sum as usize);
                first.len() - 1
            }));
        }
        Rounds { first, second, sums, later: which.iter().map(is_later).collect() }
    }

    /// The means that the second round takes as parameters, from what the first gave over so many cells.
    pub fn means(&self, rule: &Rule, first: &[ObservedValue], cells: u64) -> Vec<Value> {
        self.sums.iter().map(|sum| Value::F64(fold::mean(&first[*sum], cells, rule.flush))).collect()
    }

    /// Both rounds in the order in which they were asked for.
    pub fn joined(&self, first: Vec<ObservedValue>, second: Vec<ObservedValue>) -> Vec<ObservedValue> {
        let (mut first, mut second) = (first.into_iter(), second.into_iter());
        self.later.iter().filter_map(|later| if *later { second.next() } else { first.next() }).collect()
    }
}

/// The rule that has the reductions of these numbers alone, all of them of one round.
pub(super) fn of_round(rule: &Rule, which: &[usize]) -> Rule {
    let some = some_reductions(rule, which);
    rounds::second_round(&some).unwrap_or(some)
}

/// How many means there are at most beside the parameters and globals of a rule.
#[cfg(feature = "cuda")]
pub(super) fn most_means(rule: &Rule) -> usize {
    rule.reductions.iter().filter(|reduction| rounds::is_later(reduction)).count()
}
