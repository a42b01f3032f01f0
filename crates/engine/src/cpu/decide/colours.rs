//! Columns of places: the lanes of each colour are those of blocks of their own.
//!
//! The even places of a column and the odd ones become columns of their own, and their results are put together again. So a step of one colour makes the planes of
//! that colour alone, for in blocks without a lane of a class all is decided before there is a plane.

use super::{Column, Comparison, Staging};
use crate::cpu::vectors::with_vectors;
use squeeze_codegen::AvailableIsa;
use squeeze_compiler::numbers::numbering::{LaneNumbers, interleave, separate};

/// Bytes behind the lanes of a column, which may be compared with them.
const ROOM: usize = 64;

/// Columns divided by colour: memory that is used again.
#[derive(Default)]
pub(super) struct ColouredBlocks {
    /// The even places of the first column, its odd places, the even places of the second one, and so on.
    columns: Vec<Column>,
    classes: Vec<u8>,
    results: Vec<u8>,
    /// The places of a column.
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
        let ColouredBlocks { columns: divided, classes: staged, results: found, places } = &mut coloured;
        let (count, each, words) = (self.thresholds.count, self.thresholds.each, self.lanes / 64 + 1);
        let plane = 4 * words + ROOM;
        divided.clear();
        divided.extend(columns.iter().enumerate().flat_map(|(index, column)| {
            let first = column.first();
            let half = move |odd: bool| {
                let number = 2 * index + usize::from(odd);
                let of_first = first % 2 == u64::from(odd);
                let is_odd = column.numbers.of_place(first) / 128 % 2 == u64::from(of_first);
                let numbers = LaneNumbers::EverySecond { first: first / 2, odd: is_odd };
                Column { numbers, classes: number * count * plane, result: number * each * plane }
            };
            [half(false), half(true)]
        }));
        staged.resize(divided.len() * count * plane, 0);
        found.resize(divided.len() * each * plane, 0);
        for (column, halves) in columns.iter().zip(divided.as_chunks::<2>().0) {
            for class in 0..count {
                let bytes = &classes[column.classes + class * self.plane..][..self.plane_bytes()];
                self.take_places(bytes, column.first() % 2, places);
                separate_all(places);
                for (half, shift) in halves.iter().zip([0, 32]) {
                    let to = staged[half.classes + class * plane..].as_chunks_mut::<4>().0;
                    to.iter_mut().zip(&*places).for_each(|(to, word)| *to = ((word >> shift) as u32).to_le_bytes());
                }
            }
        }
        Comparison { lanes: self.lanes / 2 + 1, plane, cells: None, ..*self }.run(isa, staging, divided, staged, found);
        for (column, halves) in columns.iter().zip(divided.as_chunks::<2>().0) {
            for bit in 0..each {
                let [even, odd] = halves.each_ref().map(|half| found[half.result + bit * plane..].as_chunks::<4>().0);
                places.clear();
                places.extend(even.iter().zip(odd).take(words).map(|(even, odd)| {
                    u64::from(u32::from_le_bytes(*even)) | u64::from(u32::from_le_bytes(*odd)) << 32
                }));
                interleave_all(places);
                places.push(0);
                let bits = column.first() % 2;
                let result = &mut results[column.result + bit * self.plane..][..self.plane_bytes()];
                for (bytes, words) in result.chunks_mut(8).zip(places.windows(2)) {
                    let word = words[0] >> bits | words[1] << 1 << (63 - bits);
                    bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
                }
            }
        }
        staging.coloured = coloured;
    }

    /// Takes the lanes of a plane that are cells, and puts `before` places before them.
    fn take_places(&self, bytes: &[u8], before: u64, places: &mut Vec<u64>) {
        let (words, rest) = bytes.as_chunks::<8>();
        let rest = rest.first_chunk::<4>().map(|rest| u64::from(u32::from_le_bytes(*rest)));
        let words = words.iter().map(|word| u64::from_le_bytes(*word)).chain(rest);
        places.clear();
        let mut last = 0;
        for (index, word) in words.enumerate() {
            let cells = self.cells.map_or(u64::MAX, |cells| {
                u64::from(cells[2 * index]) | cells.get(2 * index + 1).map_or(0, |high| u64::from(*high) << 32)
            });
            let word = word & cells;
            places.push(word << before | last >> 1 >> (63 - before));
            last = word;
        }
        places.push(last >> 1 >> (63 - before));
    }
}
