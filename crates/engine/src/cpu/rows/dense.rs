//! States that hold the cells alone, in the order of their indices: for masks whose columns would take too much memory.
//!
//! The index of a column's first cell says where its values begin, and its mask where each of them belongs, so that no cell is looked for. Numbers follow each
//! other; of bits each plane is a stretch of its own. Columns end within words of bits, whose other bits belong to the columns beside them.

use super::bits::{deposit, extract, lanes_of};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::PackedIndex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Where the values of a state stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dense {
    columns: Columns,
    cells: u64,
}

impl Dense {
    pub(super) fn new(columns: Columns, cells: u64) -> Dense {
        Dense { columns, cells }
    }

    /// Words of a plane of bits, with one behind the last, which is read along.
    fn words(&self) -> usize {
        Columns::packed_words(self.cells) as usize
    }

    /// Writes a column with this mask, whose first cell stands there. Lanes without a cell become 0.
    ///
    /// # Safety
    /// `memory` is that of the state, which no thread writes meanwhile.
    pub(super) unsafe fn expand(&self, memory: *const u8, mask: &[u32], first: PackedIndex, column: &mut [u8]) {
        match self.columns.planes {
            Planes::Bits(_) => {
                for (plane, column) in column.chunks_exact_mut(4 * self.columns.shape.words).enumerate() {
                    let words = memory.cast::<u32>().wrapping_add(plane * self.words());
                    let mut at = first.0 as usize;
                    for (result, mask) in column.as_chunks_mut::<4>().0.iter_mut().zip(mask) {
                        let word = words.wrapping_add(at / 32);
                        // SAFETY: the cell lies in this plane, behind which is a word.
                        let [low, high] = unsafe { [word.read(), word.add(1).read()] };
                        let bits = ((u64::from(low) | u64::from(high) << 32) >> (at % 32)) as u32;
                        *result = if *mask == u32::MAX { bits } else { deposit(bits, *mask) }.to_le_bytes();
                        at += mask.count_ones() as usize;
                    }
                }
            }
            Planes::Number(ty) => {
                let size = ty.scalar().bytes() as usize;
                let from = memory.wrapping_add(first.0 as usize * size);
                // SAFETY: the values of these cells are there, and no thread writes them.
                unsafe {
                    match size {
                        1 => expand::<1>(from, mask, column),
                        2 => expand::<2>(from, mask, column),
                        4 => expand::<4>(from, mask, column),
                        _ => expand::<8>(from, mask, column),
                    }
                }
            }
        }
    }

    /// Keeps the cells of a column with this mask, whose first cell stands there.
    ///
    /// # Safety
    /// `memory` is that of the state; others touch the values of other cells only, and those of bits by this function.
    pub(super) unsafe fn compress(&self, column: &[u8], mask: &[u32], first: PackedIndex, memory: *mut u8) {
        match self.columns.planes {
            Planes::Bits(_) => {
                for (plane, column) in column.chunks_exact(4 * self.columns.shape.words).enumerate() {
                    let words = memory.cast::<u32>().wrapping_add(plane * self.words() + first.0 as usize / 32);
                    // SAFETY: as the caller's.
                    unsafe { compress_bits(column, mask, first.0 as usize % 32, words) };
                }
            }
            Planes::Number(ty) => {
                let size = ty.scalar().bytes() as usize;
                let to = memory.wrapping_add(first.0 as usize * size);
                // SAFETY: there is room for the values of these cells, which no other thread touches.
                unsafe {
                    match size {
                        1 => compress::<1>(column, mask, to),
                        2 => compress::<2>(column, mask, to),
                        4 => compress::<4>(column, mask, to),
                        _ => compress::<8>(column, mask, to),
                    }
                }
            }
        }
    }
}

/// Keeps the bits of a column's cells from bit `first` of a word on.
///
/// # Safety
/// There are words for all of them. Other threads touch only other bits of these words, by this function.
unsafe fn compress_bits(column: &[u8], mask: &[u32], first: usize, words: *mut u32) {
    let (mut bits, mut first, mut end, mut at) = (0u64, first, first, words);
    let keep = |at: *mut u32, bits: u32, first: usize, end: usize| {
        let own = (u32::MAX >> (32 - (end - first))) << first;
        // SAFETY: a word of the state, aligned as its memory is, which others touch as atomics, too.
        let word = unsafe { AtomicU32::from_ptr(at) };
        if own == u32::MAX {
            word.store(bits, Relaxed);
        } else {
            word.fetch_and(!own, Relaxed);
            word.fetch_or(bits & own, Relaxed);
        }
    };
    for (word, mask) in column.as_chunks::<4>().0.iter().zip(mask) {
        let word = u32::from_le_bytes(*word);
        bits |= u64::from(if *mask == u32::MAX { word } else { extract(word, *mask) }) << end;
        end += mask.count_ones() as usize;
        if end >= 32 {
            keep(at, bits as u32, first, 32);
            (bits, first, end, at) = (bits >> 32, 0, end - 32, at.wrapping_add(1));
        }
    }
    if end > first {
        keep(at, bits as u32, first, end);
    }
}

/// Values of `SIZE` bytes, spread to where a mask has ones; 0 elsewhere.
///
/// # Safety
/// There is a value for each one of the mask, and behind them memory can be read, as behind states.
unsafe fn expand<const SIZE: usize>(mut from: *const u8, mask: &[u32], column: &mut [u8]) {
    for (lanes, mask) in column.as_chunks_mut::<SIZE>().0.chunks_mut(32).zip(mask) {
        let count = mask.count_ones() as usize;
        // SAFETY: as the caller's.
        let values = unsafe { std::slice::from_raw_parts(from.cast::<[u8; SIZE]>(), count) };
        from = from.wrapping_add(SIZE * count);
        if count == lanes.len() {
            lanes.copy_from_slice(values);
            continue;
        }
        lanes.fill([0; SIZE]);
        lanes_of(*mask).zip(values).for_each(|(lane, value)| lanes[lane] = *value);
    }
}

/// Values of `SIZE` bytes where a mask has ones, moved together.
///
/// # Safety
/// There is room for the values, and no other thread touches it.
unsafe fn compress<const SIZE: usize>(column: &[u8], mask: &[u32], mut to: *mut u8) {
    for (lanes, mask) in column.as_chunks::<SIZE>().0.chunks(32).zip(mask) {
        let count = mask.count_ones() as usize;
        // SAFETY: as the caller's.
        let values = unsafe { std::slice::from_raw_parts_mut(to.cast::<[u8; SIZE]>(), count) };
        to = to.wrapping_add(SIZE * count);
        if count == lanes.len() {
            values.copy_from_slice(lanes);
            continue;
        }
        values.iter_mut().zip(lanes_of(*mask)).for_each(|(value, lane)| *value = lanes[lane]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::states::buffer::Scratch;
    use squeeze_compiler::kernel::LaneType;
    use squeeze_compiler::layout::columns::Shape;
    use squeeze_compiler::numbers::digest::mix;

    #[test]
    fn columns_are_expanded_and_compressed() {
        let types = [LaneType::U8, LaneType::U16, LaneType::F32, LaneType::F64].map(Planes::Number);
        for planes in types.into_iter().chain([1, 3].map(Planes::Bits)) {
            let (columns, count) = (Columns::new(planes, Shape::of_lanes(96), 1), 9u64);
            let mask: Vec<u32> =
                (0..3 * count).map(|word| [0, u32::MAX, mix(word) as u32][word as usize % 7 % 3]).collect();
            let cell_indices: Vec<u64> = mask
                .chunks(3)
                .scan(0, |cell_index, mask| {
                    let first = *cell_index;
                    *cell_index += mask.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                    Some(first)
                })
                .collect();
            let cells = mask.iter().map(|word| u64::from(word.count_ones())).sum();
            let dense = Dense::new(columns, cells);
            let mut memory = Scratch::new(columns.packed_bytes(cells) as usize);
            let value = |cell_index: u64| match planes {
                Planes::Bits(planes) => mix(cell_index) % (1 << planes),
                Planes::Number(ty) => mix(cell_index) >> (64 - 8 * ty.scalar().bytes()),
            };
            (0..cells)
                .for_each(|cell| columns.put_packed(memory.as_mut_slice(), cells, PackedIndex(cell), value(cell)));
            let mut other = Scratch::new(columns.packed_bytes(cells) as usize);
            other.as_mut_slice().fill(0xa5);
            for (cell_index, mask) in cell_indices.iter().zip(mask.chunks(3)) {
                let mut column = vec![0xee; columns.block];
                // SAFETY: both memories are those of the state, and there is one thread.
                unsafe {
                    dense.expand(memory.as_ptr(), mask, PackedIndex(*cell_index), &mut column);
                    dense.compress(&column, mask, PackedIndex(*cell_index), other.as_mut_ptr());
                }
                let mut next = *cell_index;
                for lane in 0..96 {
                    let is_cell = mask[lane / 32] >> (lane % 32) & 1 == 1;
                    assert_eq!(columns.bits(&column, lane), if is_cell { value(next) } else { 0 }, "{planes:?}");
                    next += u64::from(is_cell);
                }
            }
            for cell_index in 0..cells {
                assert_eq!(
                    columns.packed_bits(other.as_slice(), cells, PackedIndex(cell_index)),
                    value(cell_index),
                    "{planes:?} {cell_index}"
                );
            }
        }
    }
}
