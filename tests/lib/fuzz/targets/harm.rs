//! Readers that do what none should: the fuzzer must see it.

use crate::fuzz::{Random, SLOWEST, Target};

pub enum Harm {
    Panic,
    Abort,
    Memory,
    Time,
}

impl Target for Harm {
    fn corpus(&self) -> &[Vec<u8>] {
        &[]
    }

    fn mutate(&self, random: &mut Random) -> Vec<u8> {
        vec![random.below(5) as u8]
    }

    fn feed(&mut self, input: &[u8]) -> Result<bool, String> {
        if input != [3] {
            return Ok(true);
        }
        match self {
            Harm::Panic => panic!("an input of 3"),
            Harm::Abort => std::process::abort(),
            Harm::Memory => Ok(vec![1u8; 2 << 30].contains(&2)),
            Harm::Time => {
                std::thread::sleep(2 * SLOWEST);
                Ok(true)
            }
        }
    }
}
