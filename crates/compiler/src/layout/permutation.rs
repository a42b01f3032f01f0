//! How lanes move where a neighbour superblock lies in other lanes.
//!
//! One form serves all: per lane the lane that it sees, and for bits the same as *terms*: a word of the result is the OR of
//! some words of the source, each rotated and masked. CPUs take words of 32 or 64 bits, GPUs words of 32.

use super::Layout;
use super::unit::Lane;
use crate::ir::fractal::Dimension;
use crate::kernel::Direction;

/// The number that says that the lane that would be seen does not exist.
pub const ABSENT: u32 = u32::MAX;

/// `(source[word] rotated left by rotate) & mask`: bits of a column that move together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// The source's word.
    pub word: u32,
    /// The number of bits that the word is rotated by.
    pub rotate: u32,
    /// Bits of the result.
    pub mask: u64,
}

/// How the lanes of a column move for one wrap: result lane l is the source's lane `sources[l]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanePermutation {
    /// The wrap ε.
    pub wrap: Direction,
    /// Per lane the lane it comes from, or [`ABSENT`].
    pub sources: Vec<u32>,
}

/// The lane that a lane sees with a wrap, at any distance, or [`ABSENT`].
pub fn source(layout: &Layout, wrap: Direction, lane: u32) -> u32 {
    let there = layout.top().neighbour(layout.lane_place(Lane(lane)), wrap.0.map(i32::from));
    there.map_or(ABSENT, |there| layout.lanes_of_replicas()[there as usize])
}

impl LanePermutation {
    /// The one for a wrap, at any distance.
    pub fn new(layout: &Layout, wrap: Direction) -> LanePermutation {
        let sources = (0..layout.lanes() as u32).map(|lane| source(layout, wrap, lane)).collect();
        LanePermutation { wrap, sources }
    }

    /// The lanes in which something exists there, as words of 32 bits.
    pub fn presence(&self) -> Vec<u32> {
        let word = |lanes: &[u32]| lanes.iter().rev().fold(0, |word, from| word << 1 | u32::from(*from != ABSENT));
        self.sources.chunks(32).map(word).collect()
    }

    /// For each word of the result, of `width` ≤ 64 bits, its terms.
    pub fn terms(&self, width: u32) -> Vec<Vec<Term>> {
        let of_word = |(index, lanes): (usize, &[u32])| {
            let mut terms: Vec<Term> = Vec::new();
            for (lane, &from) in (index as u32 * width..).zip(lanes) {
                if from == ABSENT {
                    continue;
                }
                let (word, rotate) = (from / width, (lane % width + width - from % width) % width);
                let mask = 1 << (lane % width);
                match terms.iter_mut().find(|term| (term.word, term.rotate) == (word, rotate)) {
                    Some(term) => term.mask |= mask,
                    None => terms.push(Term { word, rotate, mask }),
                }
            }
            terms
        };
        self.sources.chunks(width as usize).enumerate().map(of_word).collect()
    }
}

/// The lane permutations of all wraps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wraps {
    dimension: Dimension,
    /// In the order of [`Direction::all`].
    permutations: Vec<LanePermutation>,
}

impl Wraps {
    /// The permutations of a layout.
    pub fn new(layout: &Layout) -> Wraps {
        let dimension = layout.dimension();
        let permutations =
            Direction::all(dimension).into_iter().map(|wrap| LanePermutation::new(layout, wrap)).collect();
        Wraps { dimension, permutations }
    }

    /// The permutation of a wrap; `None` for the centre, where every lane stays.
    pub fn of(&self, wrap: Direction) -> Option<&LanePermutation> {
        wrap.index(self.dimension).map(|index| &self.permutations[index])
    }

    /// All of them, in the order of [`Direction::all`].
    pub fn all(&self) -> &[LanePermutation] {
        &self.permutations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Domain;
    use crate::samples;

    #[test]
    fn terms_move_bits_as_sources_say() {
        for fractal in samples::fractals() {
            for t in 0..=if fractal.dimension == Dimension::Three { 2 } else { 4 } {
                let layout = Layout::new(&Domain::new(fractal.clone(), 5).expect("small"), t, 0).expect("small");
                for (width, moved) in [32, 64]
                    .into_iter()
                    .flat_map(|w| Wraps::new(&layout).all().to_vec().into_iter().map(move |m| (w, m)))
                {
                    let mask = u64::MAX >> (64 - width);
                    let source: Vec<u64> = (1..=layout.lanes().div_ceil(width as usize) as u64)
                        .map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask)
                        .collect();
                    let rotated = |term: &Term| {
                        let word = source[term.word as usize];
                        let turned = word << term.rotate | word.checked_shr(width - term.rotate).unwrap_or(0);
                        turned & mask & term.mask
                    };
                    let result: Vec<u64> = moved
                        .terms(width)
                        .iter()
                        .map(|terms| terms.iter().fold(0, |word, term| word | rotated(term)))
                        .collect();
                    let presence = moved.presence();
                    for (lane, from) in moved.sources.iter().enumerate() {
                        let bit =
                            |words: &[u64], lane: usize| words[lane / width as usize] >> (lane % width as usize) & 1;
                        let there = *from != ABSENT;
                        assert_eq!(bit(&result, lane), if there { bit(&source, *from as usize) } else { 0 });
                        assert_eq!(presence[lane / 32] >> (lane % 32) & 1 == 1, there);
                    }
                }
            }
        }
    }
}
