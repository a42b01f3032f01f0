//! How many cells come before a place, where the cell of a number is, and arrays packed by a mask.

use super::{Mask, MaskError, select_in_word};
use rayon::prelude::*;

/// Words that a thread takes at a time.
const PIECE: usize = 1 << 12;

/// Beside each word of a mask the number of cells before it: two bits a place, and one look in memory for a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rank {
    places: u64,
    cells: u64,
    /// The bits of 32 places, and the cells before them.
    words: Vec<[u32; 2]>,
}

impl Rank {
    /// Of a mask.
    pub fn new(mask: &Mask) -> Rank {
        let ones = |words: &[u32]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        let mut before: Vec<u32> = mask.words().par_chunks(PIECE).map(ones).collect();
        before.iter_mut().fold(0, |sum, count| std::mem::replace(count, sum) + sum);
        let mut words = vec![[0; 2]; mask.words().len()];
        let pieces = words.par_chunks_mut(PIECE).zip(mask.words().par_chunks(PIECE)).zip(before);
        pieces.for_each(|((result, words), mut rank)| {
            for (result, word) in result.iter_mut().zip(words) {
                *result = [*word, rank];
                rank += word.count_ones();
            }
        });
        Rank { places: mask.places(), cells: mask.cells(), words }
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// How many places there are.
    pub fn places(&self) -> u64 {
        self.places
    }

    /// Bytes that it takes, the mask included.
    pub fn bytes(&self) -> u64 {
        size_of_val(&self.words[..]) as u64
    }

    /// How many cells come before a place; beyond the last place, all of them.
    pub fn rank(&self, place: u64) -> u64 {
        match self.words.get((place / 32) as usize) {
            Some([word, before]) => u64::from(before + (word & ((1 << (place % 32)) - 1)).count_ones()),
            None => self.cells,
        }
    }

    /// The place of the cell of this rank; `None` if there are fewer.
    pub fn select(&self, rank: u64) -> Option<u64> {
        if rank >= self.cells {
            return None;
        }
        let index = self.words.partition_point(|[_, before]| u64::from(*before) <= rank) - 1;
        let [word, before] = self.words[index];
        Some(32 * index as u64 + u64::from(select_in_word(word, rank as u32 - before)))
    }

    /// The values of the cells, by rank, from those of all places.
    ///
    /// # Errors
    /// If there are not as many values as places.
    pub fn pack<T: Copy + Send + Sync>(&self, values: &[T]) -> Result<Vec<T>, MaskError> {
        let mut packed = values.first().map_or(Vec::new(), |first| vec![*first; self.cells as usize]);
        self.pack_into(values, &mut packed)?;
        Ok(packed)
    }

    /// As [`pack`](Self::pack), into a list that is there.
    ///
    /// # Errors
    /// If there are not as many values as places, or no room for as many as cells.
    pub(crate) fn pack_into<T: Copy + Send + Sync>(&self, values: &[T], packed: &mut [T]) -> Result<(), MaskError> {
        expect(values.len(), self.places, "places")?;
        expect(packed.len(), self.cells, "cells")?;
        let pieces = self.pieces(packed);
        pieces.into_par_iter().zip(values.par_chunks(32 * PIECE)).for_each(|((words, mut packed), values)| {
            for ([word, _], values) in words.iter().zip(values.chunks(32)) {
                if *word == u32::MAX {
                    let (now, rest) = packed.split_at_mut(32);
                    now.copy_from_slice(values);
                    packed = rest;
                    continue;
                }
                let (now, rest) = packed.split_at_mut(word.count_ones() as usize);
                for (packed, lane) in now.iter_mut().zip(lanes(*word)) {
                    *packed = values[lane];
                }
                packed = rest;
            }
        });
        Ok(())
    }

    /// The values of all places from those of the cells, by rank; `hole` is that of a place without a cell.
    ///
    /// # Errors
    /// If there are not as many values as cells.
    pub fn unpack<T: Copy + Send + Sync>(&self, packed: &[T], hole: T) -> Result<Vec<T>, MaskError> {
        expect(packed.len(), self.cells, "cells")?;
        let mut values = vec![hole; self.places as usize];
        let pieces = values.par_chunks_mut(32 * PIECE).zip(self.words.par_chunks(PIECE));
        pieces.for_each(|(values, words)| {
            for ([word, before], values) in words.iter().zip(values.chunks_mut(32)) {
                let packed = &packed[*before as usize..][..word.count_ones() as usize];
                if *word == u32::MAX {
                    values.copy_from_slice(packed);
                    continue;
                }
                for (value, lane) in packed.iter().zip(lanes(*word)) {
                    values[lane] = *value;
                }
            }
        });
        Ok(values)
    }

    /// The parts of a list of the cells' values that belong to [`PIECE`] words each.
    fn pieces<'a, T>(&'a self, mut packed: &'a mut [T]) -> Vec<(&'a [[u32; 2]], &'a mut [T])> {
        let mut pieces = Vec::new();
        for (words, index) in self.words.chunks(PIECE).zip(1..) {
            let end = self.words.get(index * PIECE).map_or(self.cells, |[_, before]| u64::from(*before));
            let (now, rest) = packed.split_at_mut((end - u64::from(words[0][1])) as usize);
            pieces.push((words, now));
            packed = rest;
        }
        pieces
    }
}

fn expect(found: usize, expected: u64, what: &'static str) -> Result<(), MaskError> {
    match found as u64 == expected {
        true => Ok(()),
        false => Err(MaskError::length(what, expected, found as u64)),
    }
}

/// The set bits of a word.
fn lanes(word: u32) -> impl Iterator<Item = usize> {
    let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
    rest.take_while(|word| *word != 0).map(|word| word.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    #[test]
    fn rank_and_select_are_inverse() {
        for places in [1, 31, 32, 33, 1023, 1024, 1025, 65_535, 65_536, 65_537, 300_000] {
            for density in [0.0, 0.04, 0.3, 0.5, 0.97, 1.0] {
                let mask = random(places, density);
                let rank = Rank::new(&mask);
                assert_eq!(rank.select(mask.cells()), None);
                assert_eq!(rank.rank(u64::from(places) + 7), mask.cells());
                let mut before = 0;
                for place in 0..u64::from(places) {
                    assert_eq!(rank.rank(place), before);
                    if mask.contains(place) {
                        assert_eq!(rank.select(before), Some(place), "{places} {density}");
                        before += 1;
                    }
                }
            }
        }
    }

    #[test]
    fn arrays_are_packed_and_unpacked() {
        for (places, density) in [(1, 1.0), (33, 0.5), (40_000, 0.02), (300_001, 0.6), (300_001, 1.0), (5_000, 0.0)] {
            let mask = random(places, density);
            let rank = Rank::new(&mask);
            let values: Vec<u32> = (0..places).map(|place| place * 7 + 3).collect();
            let cells = (0..places).filter(|place| mask.contains(u64::from(*place)));
            let packed = rank.pack(&values).unwrap();
            assert_eq!(packed, cells.map(|place| place * 7 + 3).collect::<Vec<_>>());
            let back = rank.unpack(&packed, 1).unwrap();
            let wanted = (0..places).map(|place| if mask.contains(u64::from(place)) { place * 7 + 3 } else { 1 });
            assert!(back.into_iter().eq(wanted));
        }
        let rank = Rank::new(&random(40, 1.0));
        assert_eq!(rank.pack(&[0u8; 39]).unwrap_err().to_string(), "39 values for the 40 places of the mask");
        assert_eq!(rank.unpack(&[0u8; 41], 0).unwrap_err().to_string(), "41 values for the 40 cells of the mask");
    }
}
