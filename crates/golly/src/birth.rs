//! Rules with `B0`, under which empty space is born, and Golly's substitutes for them.
//!
//! Its plane has no end, so it computes other rules in their place. Where all live neighbours let a cell survive, that is one rule, the *dual*, which does with
//! dead cells what the rule does with live ones; it takes the cells of a file as they stand. Elsewhere empty space blinks, and Golly keeps the cells of odd steps
//! inverted. Larger than life and elementary rules are computed as they are written.

use super::head::unnamed;
use super::strings::{joined, parse};
use super::{Golly, arrangements};

/// The substitute that Golly computes for a rule with `B0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emulation {
    /// Another rule, on the same cells.
    Dual(String),
    /// The same rule, with the cells of odd steps inverted.
    Inverted,
}

/// The substitute that Golly computes for a rule. `None` if that is the rule itself.
pub fn emulation(rule: &str) -> Option<Emulation> {
    let string = unnamed(rule.trim());
    let golly = parse(string)?.ok()?;
    let (born, survives) = golly.counts();
    if string.starts_with(['R', 'r']) || golly.states != 2 || !born.contains(&0) {
        return None;
    }
    let all_survive = survives.contains(&golly.neighbourhood.count());
    Some(if all_survive { Emulation::Dual(golly.dual().string()) } else { Emulation::Inverted })
}

impl Golly {
    /// The counts with which some cell is born and survives.
    fn counts(&self) -> (Vec<u32>, Vec<u32>) {
        let of = |ranges: &[(u32, u32)]| ranges.iter().flat_map(|&(low, high)| low..=high).collect();
        match &self.letters {
            Some(letters) => {
                letters.each_ref().map(|set| (0..9).filter(|count| set[*count as usize] > 0).collect()).into()
            }
            None => (of(&self.born), of(&self.survives)),
        }
    }

    /// The rule that treats dead cells as this one treats live ones.
    fn dual(&self) -> Golly {
        let (born, survives) = self.counts();
        let most = self.neighbourhood.count();
        let others =
            |counts: &[u32]| joined(&(0..=most).filter(|count| !counts.contains(&(most - count))).collect::<Vec<_>>());
        let letters =
            self.letters.as_ref().map(|[born, survives]| [arrangements::dual(survives), arrangements::dual(born)]);
        Golly { born: others(&survives), survives: others(&born), letters, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_space_is_born_as_golly_does_it() {
        let dual = |rule: &str| Some(Emulation::Dual(rule.to_owned()));
        for (rule, expected) in [
            ("B0123478/S01234678", dual("B3/S23")),
            ("b0123478/s01234678", dual("B3/S23")),
            ("01234678/0123478", dual("B3/S23")),
            ("B0124cik/S1c258", dual("B12457e8/S01234-ekt5")),
            ("B024/S24V", dual("B134/S13V")),
            ("B0/S6H", dual("B123456/S012345H")),
            ("B03/S23", Some(Emulation::Inverted)),
            ("B02/S8V", None),
            ("B3/S23", None),
            ("B3/S238", None),
            ("B0/S8/C3", None),
            ("R2,C0,M0,S0..24,B0..9,NM", None),
            ("HighLife", None),
            ("two_ways", None),
        ] {
            assert_eq!(emulation(rule), expected, "{rule}");
        }
    }
}
