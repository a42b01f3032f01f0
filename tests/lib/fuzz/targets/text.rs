//! Fractals and rules, as the command line reads them.

use crate::fuzz::{Random, Target, mutate};

pub(super) struct Text {
    corpus: Vec<Vec<u8>>,
}

impl Text {
    pub(super) fn new() -> Self {
        let mut corpus = mutate::texts();
        corpus.extend(crate::fuzz::corpus("text"));
        Text { corpus }
    }
}

impl Target for Text {
    fn corpus(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    fn mutate(&self, random: &mut Random) -> Vec<u8> {
        mutate::text(&self.corpus, random)
    }

    fn feed(&mut self, input: &[u8]) -> Result<bool, String> {
        mutate::exercise(input)
    }
}
