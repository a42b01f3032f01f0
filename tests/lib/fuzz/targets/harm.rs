//! Readers that panic, abort, take too much memory or time: the fuzzer must see it.

use crate::fuzz::{Random, SLOWEST, Target};

pub(super) enum Kind {
    Panic,
    Abort,
    Memory,
    Time,
}

pub(super) struct Harm {
    kind: Kind,
    corpus: [Vec<u8>; 1],
}

impl Harm {
    pub(super) fn new(kind: Kind) -> Self {
        Harm { kind, corpus: [vec![3]] }
    }
}

impl Target for Harm {
    fn corpus(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    fn mutate(&self, random: &mut Random) -> Vec<u8> {
        vec![random.below(5) as u8]
    }

    fn feed(&mut self, input: &[u8]) -> Result<bool, String> {
        if input != [3] {
            return Ok(true);
        }
        match self.kind {
            Kind::Panic => panic!("an input of 3"),
            Kind::Abort => std::process::abort(),
            Kind::Memory => Ok(vec![1u8; 2 << 30].contains(&2)),
            Kind::Time => {
                std::thread::sleep(2 * SLOWEST);
                Ok(true)
            }
        }
    }
}
