//! Columns of places: the lanes of each colour are those of blocks of their own.
//!
//! The classes of a column are divided by colour, and blocks that have no lane of a class are left out. So a step of one colour makes the planes of that colour alone.

use super::{BLOCK_BYTES, Column, Comparison, PADDING, Staging};
use crate::cpu::vectors::with_vectors;
use squeeze_codegen::AvailableIsa;
use squeeze_compiler::numbers::numbering::{PAIR_PLACES, interleave, separate};
use squeeze_compiler::numbers::philox::BLOCK_CELLS;

/// Words of 64 bits for the places of two blocks.
const PAIR_WORDS: usize = PAIR_PLACES as usize / 64;

/// The most blocks that are compared at once.
const MOST_AT_ONCE: usize = 8;

/// Columns divided by colour: memory that is used again.
#[derive(Default)]
pub(super) struct ColouredBlocks {
    /// Whether a block is compared: of each column and each 256 places the one of even places, then that of odd ones.
    compared: Vec<bool>,
    /// The lanes of columns from the first place of their first blocks on.
    places: Vec<u64>,
}

with_vectors! {
    /// Moves the even bits of each word to its low half and the odd ones to its high half.
    fn separate_all = separate_each(words: &mut [u64])
}

#[inline(always)]
fn separate_each(words: &mut [u64]) {
    words.iter_mut().for_each(|word| *word = separate(*word));
}

with_vectors! {
    /// Moves them back.
    fn interleave_all = interleave_each(words: &mut [u64])
}

#[inline(always)]
fn interleave_each(words: &mut [u64]) {
    words.iter_mut().for_each(|word| *word = interleave(*word));
}

impl Comparison<'_> {
    /// As [`run`](Self::run), of columns of places.
    pub(super) fn run_by_colour(
        &self,
        isa: Option<AvailableIsa>,
        staging: &mut Staging,
        columns: &[Column],
        classes: &[u8],
        results: &mut [u8],
    ) {
        let mut coloured = std::mem::take(&mut staging.coloured);
        self.divide(staging, &mut coloured, columns, classes);
        // The blocks are listed, and the classes stand where they are compared.
        self.run(isa, staging, &[], &[], &mut []);
        self.unite(staging, &mut coloured, columns, results);
        staging.coloured = coloured;
    }

    /// Where the lanes of a column begin among the places of its first two blocks, and how many pairs of blocks it has.
    fn pairs(&self, column: &Column) -> (usize, usize) {
        let before = (column.first() % PAIR_PLACES) as usize;
        (before, (before + self.lanes).div_ceil(PAIR_PLACES as usize))
    }

    /// Divides the lanes of all classes among blocks.
    fn divide(&self, staging: &mut Staging, coloured: &mut ColouredBlocks, columns: &[Column], classes: &[u8]) {
        let Staging { blocks, classes: staged, results, .. } = staging;
        let ColouredBlocks { compared, places } = coloured;
        let (count, plane_bytes) = (self.thresholds.count, self.plane_bytes());
        blocks.clear();
        compared.clear();
        places.clear();
        for column in columns {
            let (before, pairs) = self.pairs(column);
            for class in 0..count {
                let begin = places.len();
                places.resize(begin + PAIR_WORDS * pairs + 1, 0);
                let bytes = &classes[column.classes + class * self.plane..][..plane_bytes];
                self.move_to_places(bytes, before, &mut places[begin..]);
            }
        }
        separate_all(places);
        let mut begin = 0;
        for column in columns {
            let (before, pairs) = self.pairs(column);
            let of_class = PAIR_WORDS * pairs + 1;
            for pair in 0..pairs {
                let of_pair = |class: usize| &places[begin + class * of_class + PAIR_WORDS * pair..][..PAIR_WORDS];
                let any = (0..count).flat_map(of_pair).fold(0, |any, word| any | word);
                for (parity, is_compared) in [any as u32 != 0, any >> 32 != 0].into_iter().enumerate() {
                    compared.push(is_compared);
                    if is_compared {
                        let place = column.first() - before as u64 + (PAIR_PLACES as usize * pair + parity) as u64;
                        blocks.push((column.numbers.of_place(place) / BLOCK_CELLS).to_le_bytes());
                    }
                }
            }
            begin += count * of_class;
        }
        blocks.resize(blocks.len().next_multiple_of(MOST_AT_ONCE), [0; 8]);
        let stride = BLOCK_BYTES * blocks.len();
        results.resize(self.thresholds.each * stride + PADDING, 0);
        staged.clear();
        staged.resize(count * stride, 0);
        for (class, staged) in staged.chunks_exact_mut(stride.max(1)).enumerate() {
            let (mut begin, mut compared) = (0, compared.iter());
            let mut to = staged.as_chunks_mut::<4>().0.chunks_exact_mut(PAIR_WORDS);
            for column in columns {
                let of_class = PAIR_WORDS * self.pairs(column).1 + 1;
                for of_pair in places[begin + class * of_class..][..of_class - 1].chunks_exact(PAIR_WORDS) {
                    for shift in [0, 32] {
                        if compared.next() == Some(&true)
                            && let Some(to) = to.next()
                        {
                            to.iter_mut()
                                .zip(of_pair)
                                .for_each(|(to, word)| *to = ((word >> shift) as u32).to_le_bytes());
                        }
                    }
                }
                begin += count * of_class;
            }
        }
    }

    /// Moves the lanes of a plane that are cells to the places among those of its blocks.
    fn move_to_places(&self, bytes: &[u8], before: usize, places: &mut [u64]) {
        let (words, rest) = bytes.as_chunks::<8>();
        let rest = rest.first_chunk::<4>().map(|rest| u64::from(u32::from_le_bytes(*rest)));
        let words = words.iter().map(|word| u64::from_le_bytes(*word)).chain(rest);
        let (first, bits) = (before / 64, before % 64);
        for (index, word) in words.enumerate() {
            let cells = self.cells.map_or(u64::MAX, |cells| {
                u64::from(cells[2 * index]) | cells.get(2 * index + 1).map_or(0, |high| u64::from(*high) << 32)
            });
            let word = word & cells;
            places[first + index] |= word << bits;
            places[first + index + 1] |= word >> 1 >> (63 - bits);
        }
    }

    /// Puts the results of blocks back to the lanes of columns. Lanes of blocks that were left out are false.
    fn unite(&self, staging: &Staging, coloured: &mut ColouredBlocks, columns: &[Column], results: &mut [u8]) {
        let ColouredBlocks { compared, places } = coloured;
        let (plane_bytes, stride) = (self.plane_bytes(), BLOCK_BYTES * staging.blocks.len());
        let (mut at, mut next) = (0, 0);
        for column in columns {
            let (before, pairs) = self.pairs(column);
            let compared = &compared[at..at + 2 * pairs];
            let blocks = compared.iter().filter(|compared| **compared).count();
            for bit in 0..self.thresholds.each {
                let found = &staging.results[bit * stride + BLOCK_BYTES * next..][..BLOCK_BYTES * blocks];
                let mut found = found.as_chunks::<4>().0.chunks_exact(PAIR_WORDS);
                places.clear();
                for pair in compared.chunks_exact(2) {
                    let mut half = |is_compared: bool| {
                        let words = if is_compared { found.next() } else { None };
                        std::array::from_fn(|word| words.map_or(0, |words| u64::from(u32::from_le_bytes(words[word]))))
                    };
                    let [even, odd]: [[u64; PAIR_WORDS]; 2] = [half(pair[0]), half(pair[1])];
                    places.extend((0..PAIR_WORDS).map(|word| even[word] | odd[word] << 32));
                }
                interleave_all(places);
                places.push(0);
                let result = &mut results[column.result + bit * self.plane..][..plane_bytes];
                let (first, bits) = (before / 64, before % 64);
                for (index, bytes) in result.chunks_mut(8).enumerate() {
                    let word = places[first + index] >> bits | places[first + index + 1] << 1 << (63 - bits);
                    bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
                }
            }
            (at, next) = (at + 2 * pairs, next + blocks);
        }
    }
}
