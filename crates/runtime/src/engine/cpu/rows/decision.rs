//! Random bits of a column of rows.
//!
//! The cells of a column have numbers that follow each other. Where places between are holes, the bits of the cells are moved together first, and
//! the results back to where their cells stand.

use super::bits::{deposit, extract};
use crate::engine::cpu::decide::{Column, Comparison, Staging};
use crate::engine::cpu::machine::Isa;
use squeeze_compiler::layout::rows::RowGrid;

/// Memory that is used again.
#[derive(Default)]
pub(super) struct Decision {
    staging: Staging,
    classes: Vec<u8>,
    results: Vec<u8>,
}

impl Decision {
    /// Compares the words of the cells of a column, as many as the comparison has lanes: `classes` are the planes of a column, `results` take a bit for each
    /// lane.
    pub fn make(
        &mut self,
        comparison: Comparison<'_>,
        isa: Option<Isa>,
        grid: &RowGrid,
        column: usize,
        classes: &[u8],
        results: &mut [u8],
    ) {
        let (count, bytes) = (comparison.lanes, 4 * grid.shape.words);
        let of = [Column { first: grid.rank(column), classes: 0, result: 0 }];
        if count == grid.shape.lanes {
            comparison.run(isa, &mut self.staging, &of, classes, results);
            return;
        }
        // Planes of the cells alone.
        let packed = 4 * count.div_ceil(32);
        let planes = classes.len() / bytes;
        self.classes.clear();
        self.classes.resize(planes * packed, 0);
        let mask = grid.mask(column);
        for (plane, packed) in classes.chunks_exact(bytes).zip(self.classes.chunks_exact_mut(packed)) {
            compress(plane, mask, packed);
        }
        self.results.clear();
        self.results.resize(results.len() / bytes * packed, 0);
        comparison.run(isa, &mut self.staging, &of, &self.classes, &mut self.results);
        for (packed, result) in self.results.chunks_exact(packed).zip(results.chunks_exact_mut(bytes)) {
            expand(packed, mask, result);
        }
    }
}

fn word(bytes: &[u8], index: usize) -> u32 {
    bytes.as_chunks::<4>().0.get(index).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The bits of some words where a mask has ones, side by side.
fn compress(bits: &[u8], mask: &[u32], packed: &mut [u8]) {
    let (mut waiting, mut count, mut at) = (0u64, 0, 0);
    for (index, mask) in mask.iter().enumerate() {
        waiting |= u64::from(extract(word(bits, index), *mask)) << count;
        count += mask.count_ones();
        if count >= 32 {
            packed[at..at + 4].copy_from_slice(&(waiting as u32).to_le_bytes());
            (waiting, count, at) = (waiting >> 32, count - 32, at + 4);
        }
    }
    if count > 0 {
        packed[at..at + 4].copy_from_slice(&(waiting as u32).to_le_bytes());
    }
}

/// The way back; there are zeros where the mask has none.
fn expand(packed: &[u8], mask: &[u32], bits: &mut [u8]) {
    let mut from = 0;
    for (bits, mask) in bits.as_chunks_mut::<4>().0.iter_mut().zip(mask) {
        let both = u64::from(word(packed, from / 32)) | u64::from(word(packed, from / 32 + 1)) << 32;
        *bits = deposit((both >> (from % 32)) as u32, *mask).to_le_bytes();
        from += mask.count_ones() as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::numerics::digest::mix;

    #[test]
    fn bits_are_packed_and_unpacked() {
        for number in 0..200u64 {
            let words =
                |salt: u64| -> Vec<u32> { (0..5).map(|at| mix(number ^ salt << 32 ^ at << 40) as u32).collect() };
            let (bits, mut mask) = (words(1), words(2));
            mask[(number % 5) as usize] = [0, u32::MAX][(number % 2) as usize];
            let bytes: Vec<u8> = bits.iter().flat_map(|word| word.to_le_bytes()).collect();
            let count = mask.iter().map(|word| word.count_ones()).sum::<u32>() as usize;
            let mut packed = vec![0; 4 * count.div_ceil(32)];
            compress(&bytes, &mask, &mut packed);
            let at = |words: &[u32], index: usize| words[index / 32] >> (index % 32) & 1;
            let cells: Vec<usize> = (0..160).filter(|index| at(&mask, *index) == 1).collect();
            for (rank, cell) in cells.iter().enumerate() {
                assert_eq!(u32::from(packed[rank / 8] >> (rank % 8) & 1), at(&bits, *cell), "{number}");
            }
            let mut back = vec![0xff; 20];
            expand(&packed, &mask, &mut back);
            let wanted: Vec<u8> = bits.iter().zip(&mask).flat_map(|(bits, mask)| (bits & mask).to_le_bytes()).collect();
            assert_eq!(back, wanted, "{number}");
        }
    }
}
