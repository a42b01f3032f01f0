//! Ladders, whose members agree in all but one parameter and exchange their states along it.
//!
//! A ladder's members are *ranks*, ascending in the parameter. States move, ranks stay: a state has the number of the rank at which it began, its *replica*. Each rank draws with a
//! key of its own: ranks that drew the same words would be correlated, and exchanges between them would not leave the product of their weights alone.

use serde::{Deserialize, Serialize};

/// Names of columns of tables that sweeps with exchange alone have.
pub(super) const KEY: &str = "key";
/// The column of the number of a member's ladder.
pub(super) const LADDER: &str = "ladder";
/// The column of the number of the rank at which a state began.
pub(super) const REPLICA: &str = "replica";

/// Members exchange states along a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Exchange {
    /// The parameter.
    pub parameter: String,
    /// The steps from one exchange to the next.
    pub every: u32,
    /// Whether all ranks draw with one key, which tests show to be wrong.
    #[cfg(test)]
    #[serde(skip)]
    pub(super) with_one_key: bool,
}

impl Exchange {
    /// Exchanges along this parameter, `every` steps apart.
    pub fn new(parameter: impl Into<String>, every: u32) -> Exchange {
        Exchange {
            parameter: parameter.into(),
            every,
            #[cfg(test)]
            with_one_key: false,
        }
    }

    /// What is added to a ladder's seed for the key of a rank.
    pub(super) fn key(&self, rank: usize) -> u64 {
        #[cfg(test)]
        if self.with_one_key {
            return 0;
        }
        (rank as u64) << 32
    }
}

/// The ladders of a sweep.
pub(super) struct Ladders {
    /// The parameter,
    pub(super) parameter: String,
    /// and its value at each rank, as it is written.
    pub(super) values: Vec<String>,
    /// Combinations of values between two values of the parameter,
    stride: usize,
    /// the number of each rank's value among those of the axis,
    numbers: Vec<usize>,
    /// and the rank of each value.
    ranks: Vec<usize>,
    repeats: usize,
    all: usize,
}

impl Ladders {
    /// Those along a parameter with these values, where `stride` combinations of values lie between two of them, and each combination has `repeats` of `all` members.
    pub(super) fn new(parameter: &str, values: &[String], stride: usize, (repeats, all): (usize, usize)) -> Ladders {
        let places: Vec<f64> = values.iter().map(|value| value.parse().unwrap_or(f64::NAN)).collect();
        let mut numbers: Vec<usize> = (0..places.len()).collect();
        numbers.sort_by(|a, b| places[*a].total_cmp(&places[*b]));
        let mut ranks = vec![0; numbers.len()];
        numbers.iter().enumerate().for_each(|(rank, number)| ranks[*number] = rank);
        let values = numbers.iter().map(|number| values[*number].clone()).collect();
        Ladders { parameter: parameter.to_owned(), values, stride, numbers, ranks, repeats, all }
    }

    /// Ranks in a ladder.
    pub(super) fn length(&self) -> usize {
        self.values.len()
    }

    /// How many there are, of all parts.
    pub(super) fn count(&self) -> usize {
        self.all / self.length()
    }

    /// The number of the ladder of a member, and its rank there.
    pub(super) fn of(&self, member: usize) -> (usize, usize) {
        let (combination, repeat) = (member / self.repeats, member % self.repeats);
        let length = self.length();
        let (outer, inner) = (combination / (self.stride * length), combination % self.stride);
        ((outer * self.stride + inner) * self.repeats + repeat, self.ranks[combination / self.stride % length])
    }

    /// The member of a ladder at a rank.
    pub(super) fn member(&self, ladder: usize, rank: usize) -> usize {
        let (combination, repeat) = (ladder / self.repeats, ladder % self.repeats);
        let (outer, inner) = (combination / self.stride, combination % self.stride);
        ((outer * self.length() + self.numbers[rank]) * self.stride + inner) * self.repeats + repeat
    }

    /// The members of a ladder, by rank.
    pub(super) fn members(&self, ladder: usize) -> impl Iterator<Item = usize> {
        (0..self.length()).map(move |rank| self.member(ladder, rank))
    }
}
