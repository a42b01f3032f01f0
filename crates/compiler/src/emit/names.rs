//! Names that are used once.

use std::collections::HashSet;

/// Gives each name once.
#[derive(Clone)]
pub struct Namer {
    taken: HashSet<String>,
}

impl Namer {
    /// A namer for code that has these names already.
    pub(super) fn of(taken: impl Iterator<Item = String>) -> Namer {
        Namer { taken: taken.collect() }
    }

    /// The name itself if it is free, else with underscores behind it.
    pub fn name(&mut self, wanted: &str) -> String {
        // Components of vectors and pairs have names with a point.
        let mut name = wanted.replace('.', "_");
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert_str(0, "v_");
        }
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}
