//! Overlaps of replicas: how similar states of bits are, in all pairs.
//!
//! A *replica* is a state of V bits: of a run with another seed, or of the same run at another time. With n_a the ones of replica a and n_ab
//! those that a and b have in common, everything follows from one product of the bits with themselves ([`Counts`]): the Hamming distance
//! h = n_a + n_b − 2 n_ab, the overlap of spins q = 1 − 2h / V, and the squared correlation r² = (V n_ab − n_a n_b)² / (n_a (V − n_a) n_b (V − n_b)),
//! which geneticists call linkage disequilibrium ([`Similarity`]). All counts are exact. Sums are over all cells, so their order does not matter.
//!
//! ```
//! use squeeze_overlap::{BitRows, Counts, CountingKernel, Similarity};
//! let rows = BitRows::from_bytes(10, &[[0b1010_1010, 0b10], [0b1111_1111, 0b00]]);
//! let counts = Counts::of(&rows, CountingKernel::best());
//! assert_eq!((counts.both(0, 0), counts.both(0, 1), counts.hamming(0, 1)), (5, 4, 5));
//! assert_eq!(counts.value(Similarity::Overlap, 0, 1), 0.0);
//! ```
//!
//! [`of_members`] compares the members of an ensemble by what their rule names, `observe q = overlap(up)`, and [`Overlaps`] those of a sweep. [`source`] reads replicas from run folders and packed arrays, [`matrix`] keeps results in files, [`plot`] draws how overlaps are distributed.
//! [`cuda`] counts on GPUs, and [`mod@bench`] measures what counts.
//!
//! The command has these as `squeeze overlap`, `squeeze plot` and `squeeze bench --overlap`, with its feature `overlap`.

pub mod bench;
mod collector;
pub mod cuda;
mod kernel;
pub mod matrix;
mod members;
pub mod plot;
mod product;
pub mod source;
#[cfg(test)]
mod tests;
mod tiles;

pub use collector::Overlaps;
pub use kernel::CountingKernel;
pub use members::of_members;
pub use product::{BitRow, BitRows, Counter, Counts};
pub use tiles::{Blocking, Cache, TileShape, kernels_of};

/// How alike two replicas are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Similarity {
    /// In how many bits they differ.
    Hamming,
    /// The overlap of spins, from −1 to 1.
    #[default]
    Overlap,
    /// The squared correlation, from 0 to 1; NaN if all bits of a replica are equal.
    R2,
}

impl Similarity {
    /// All of them.
    pub const ALL: [Similarity; 3] = [Similarity::Hamming, Similarity::Overlap, Similarity::R2];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Similarity::Hamming => "hamming",
            Similarity::Overlap => "overlap",
            Similarity::R2 => "r2",
        }
    }

    /// Its description, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Similarity::Hamming => "In how many cells two states differ",
            Similarity::Overlap => "The overlap of spins: 1 if all are equal, -1 if all differ",
            Similarity::R2 => "The squared correlation, from 0 to 1 (linkage disequilibrium)",
        }
    }
}

impl Counts {
    /// In how many bits two replicas differ.
    ///
    /// # Panics
    /// If there are no such replicas.
    pub fn hamming(&self, a: usize, b: usize) -> i64 {
        self.both(a, a) + self.both(b, b) - 2 * self.both(a, b)
    }

    /// How alike two replicas are. Each value is the exact one, rounded once, but for the squared correlation, which is that of integers in f64.
    ///
    /// # Panics
    /// If there are no such replicas.
    pub fn value(&self, measure: Similarity, a: usize, b: usize) -> f64 {
        let bits = self.bits() as i64;
        match measure {
            Similarity::Hamming => self.hamming(a, b) as f64,
            Similarity::Overlap => (bits - 2 * self.hamming(a, b)) as f64 / bits as f64,
            Similarity::R2 => {
                let of = |count: i64| i128::from(count);
                let [own, other] = [a, b].map(|row| of(self.both(row, row)));
                let covariance = of(bits) * of(self.both(a, b)) - own * other;
                let share = |count: i128| covariance as f64 / (count * (of(bits) - count)) as f64;
                share(own) * share(other)
            }
        }
    }
}
