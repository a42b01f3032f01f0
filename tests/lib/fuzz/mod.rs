//! Strange inputs for everything that reads a format: no panic, no abort, an answer within ten seconds, and
//! at most 1 GB more memory than the input has bytes.
//!
//! A [`Target`] has a corpus of valid inputs, changes them (`mutate`) and feeds what comes out to the readers. The input of a number
//! depends on the target's corpus, the seed and the number alone. [`worker`] is the process that is fed: it counts its memory
//! ([`memory`]), watches the time, and writes down the number of each input before it is read, so that [`parent`] knows what
//! a process died of, and can make it again. A corpus is a folder in `tests/fuzz`; an input that once did harm belongs there.

pub mod memory;
mod mutate;
pub mod parent;
mod targets;
pub mod worker;

pub use mutate::Random;
pub use targets::{NAMES, target};

use std::path::PathBuf;
use std::time::Duration;

/// How long a reader may take for one input.
pub const SLOWEST: Duration = Duration::from_secs(10);
/// How many bytes more than the input's a reader may have at any time.
pub const MOST_MEMORY: usize = 1_000_000_000;

/// Something that reads a format.
pub trait Target {
    /// A changed input of the corpus.
    fn mutate(&self, random: &mut Random) -> Vec<u8>;

    /// The inputs that others are made from: valid ones, and those that once did harm.
    fn corpus(&self) -> &[Vec<u8>];

    /// Has an input read. True if it is accepted.
    ///
    /// # Errors
    /// The reader's fault, in words.
    fn feed(&mut self, input: &[u8]) -> Result<bool, String>;
}

/// The input of a number.
pub fn input(target: &dyn Target, seed: u64, number: u64) -> Vec<u8> {
    let corpus = target.corpus();
    // First the corpus as it is.
    match corpus.get(usize::try_from(number).unwrap_or(usize::MAX)) {
        Some(input) => input.clone(),
        None => target
            .mutate(&mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number.wrapping_mul(0xD134_2543_DE82_EF95))),
    }
}

/// The corpus of a target: the files of its folder in `tests/fuzz`, sorted by name.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder: PathBuf = crate::root().join("tests/fuzz").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} holds nothing", folder.display());
    files.iter().map(|file| std::fs::read(file).expect("the corpus can be read")).collect()
}
