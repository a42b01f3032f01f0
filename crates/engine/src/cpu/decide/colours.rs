//! Columns of places: the lanes of each colour are those of blocks of their own.
//!
//! The classes of a column are divided by colour, and blocks that have no lane of a class are left out. So a step of one colour makes the planes of that colour alone.

use super::{BLOCK_BYTES, Column, Comparison, Staging};
use crate::cpu::vectors::with_vectors;
use squeeze_codegen::AvailableIsa;
use squeeze_compiler::numbers::numbering::{LaneNumbers, PAIR_PLACES, interleave, separate};
use squeeze_compiler::numbers::philox::BLOCK_CELLS;

/// Words of 64 bits for the places of two blocks.
const PAIR_WORDS: usize = PAIR_PLACES as usize / 64;

/// Blocks of single colours, and their results: memory that is used again.
#[derive(Default)]
pub(super) struct ColouredBlocks {
    /// Each of the blocks that are compared, as a column.
    columns: Vec<Column>,
    /// Whether a block is compared: of each column and each 256 places the one of even places, then that of odd ones.
    compared: Vec<bool>,
    classes: Vec<u8>,
    results: Vec<u8>,
    /// The lanes of a column from the first place of its first block on.
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
        let mut blocks = std::mem::take(&mut staging.coloured);
        self.divide(&mut blocks, columns, classes);
        let ColouredBlocks { columns: compared, classes: divided, results: found, .. } = &mut blocks;
        let of_blocks = Comparison { lanes: BLOCK_CELLS as usize, cells: None, ..*self };
        of_blocks.run(isa, staging, compared, divided, found);
        self.unite(&mut blocks, columns, results);
        staging.coloured = blocks;
    }

    /// Where the lanes of a column begin among the places of its first two blocks, and how many pairs of blocks it has.
    fn pairs(&self, column: &Column) -> (usize, usize) {
        let before = (column.first() % PAIR_PLACES) as usize;
        (before, (before + self.lanes).div_ceil(PAIR_PLACES as usize))
    }

    /// Divides the lanes of all classes among blocks.
    fn divide(&self, blocks: &mut ColouredBlocks, columns: &[Column], classes: &[u8]) {
        let ColouredBlocks { columns: compared_columns, compared, classes: divided, results, places } = blocks;
        let (count, plane_bytes) = (self.thresholds.count, self.plane_bytes());
        compared_columns.clear();
        compared.clear();
        divided.clear();
        for column in columns {
            let (before, pairs) = self.pairs(column);
            let of_class = PAIR_WORDS * pairs + 1;
            places.clear();
            places.resize(of_class * count, 0);
            for (class, places) in places.chunks_exact_mut(of_class).enumerate() {
                let bytes = &classes[column.classes + class * plane_bytes..][..plane_bytes];
                self.move_to_places(bytes, before, places);
            }
            separate_all(places);
            let bytes = count * BLOCK_BYTES;
            for pair in 0..pairs {
                let begin = divided.len();
                divided.resize(begin + 2 * bytes, 0);
                let (even, odd) = divided[begin..].split_at_mut(bytes);
                let mut any = 0;
                let blocks = even.as_chunks_mut::<BLOCK_BYTES>().0.iter_mut().zip(odd.as_chunks_mut::<BLOCK_BYTES>().0);
                for (places, (even, odd)) in places.chunks_exact(of_class).zip(blocks) {
                    let of_pair = &places[PAIR_WORDS * pair..][..PAIR_WORDS];
                    for (at, word) in of_pair.iter().enumerate() {
                        any |= word;
                        even[4 * at..][..4].copy_from_slice(&(*word as u32).to_le_bytes());
                        odd[4 * at..][..4].copy_from_slice(&((word >> 32) as u32).to_le_bytes());
                    }
                }
                let are_compared = [any as u32 != 0, any >> 32 != 0];
                if !are_compared[0] {
                    divided.copy_within(begin + bytes.., begin);
                }
                divided.truncate(begin + bytes * are_compared.iter().filter(|is| **is).count());
                compared.extend(are_compared);
                for (parity, _) in are_compared.iter().enumerate().filter(|(_, is)| **is) {
                    let place = PAIR_PLACES as usize * pair + parity;
                    let first = column.numbers.of_place(column.first() - before as u64 + place as u64);
                    let number = compared_columns.len();
                    compared_columns.push(Column {
                        numbers: LaneNumbers::Consecutive(first),
                        classes: number * bytes,
                        result: number * self.thresholds.each * BLOCK_BYTES,
                    });
                }
            }
        }
        results.resize(compared_columns.len() * self.thresholds.each * BLOCK_BYTES, 0);
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
    fn unite(&self, blocks: &mut ColouredBlocks, columns: &[Column], results: &mut [u8]) {
        let ColouredBlocks { columns: compared_columns, compared, results: found, places, .. } = blocks;
        let plane_bytes = self.plane_bytes();
        let (mut at, mut next) = (0, 0);
        for column in columns {
            let (before, pairs) = self.pairs(column);
            let compared = &compared[at..at + 2 * pairs];
            let behind = next + compared.iter().filter(|compared| **compared).count();
            for bit in 0..self.thresholds.each {
                let mut blocks = compared_columns[next..behind].iter();
                places.clear();
                for pair in compared.chunks_exact(2) {
                    let halves: [[[u8; 4]; PAIR_WORDS]; 2] = [pair[0], pair[1]].map(|is_compared| {
                        let block = if is_compared { blocks.next() } else { None };
                        block.map_or([[0; 4]; PAIR_WORDS], |block| {
                            let bytes = found[block.result + bit * BLOCK_BYTES..][..BLOCK_BYTES].as_chunks().0;
                            std::array::from_fn(|word| bytes[word])
                        })
                    });
                    let [even, odd] = halves.map(|half| half.map(|word| u64::from(u32::from_le_bytes(word))));
                    places.extend((0..PAIR_WORDS).map(|word| even[word] | odd[word] << 32));
                }
                interleave_all(places);
                places.push(0);
                let result = &mut results[column.result + bit * plane_bytes..][..plane_bytes];
                let (first, bits) = (before / 64, before % 64);
                for (index, bytes) in result.chunks_mut(8).enumerate() {
                    let word = places[first + index] >> bits | places[first + index + 1] << 1 << (63 - bits);
                    bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
                }
            }
            (at, next) = (at + 2 * pairs, behind);
        }
    }
}
