//! Where values stand in memory: the one formula for the address of a column.
//!
//! The columns of one superblock of one state are contiguous: a *block*. In it the plane p of n of micro cell m of a state
//! of bits is column number `m · n + p`, of `words` words of 32 bits each (lane l is bit `l mod 32` of word `l / 32`); micro cell
//! m of a state of numbers is column number m, of `stride` values, of which the first `lanes` are cells. The bits and
//! values beyond the last lane are *padding*: writers leave anything there, readers mask it. The block of superblock b begins
//! at `b` times a block's size.

use super::Layout;
use super::unit::{Micro, PackedIndex, Slot};
use crate::kernel::{LaneType, Planes};
use std::ops::Range;

/// Columns of numbers are padded to a multiple of this many lanes, which kernels may treat as one group.
pub const GROUP: usize = 8;

/// How many bytes behind a column a kernel may read (but not use).
pub const OVERREAD: usize = 64;

/// The sizes of a layout's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The lanes of a column, at least 1.
    pub lanes: usize,
    /// W: the words of one plane of bits, `⌈lanes / 32⌉`.
    pub words: usize,
    /// The values of a number's column: `lanes` rounded up to a multiple of [`GROUP`].
    pub stride: usize,
}

impl Shape {
    /// Columns of this many lanes.
    pub const fn of_lanes(lanes: usize) -> Shape {
        Shape { lanes, words: lanes.div_ceil(32), stride: lanes.next_multiple_of(GROUP) }
    }

    /// The shape of a layout's columns.
    pub fn of(layout: &Layout) -> Shape {
        Shape::of_lanes(layout.lanes())
    }

    /// Bytes of one column of one plane.
    pub const fn column_bytes(self, ty: LaneType) -> usize {
        match ty {
            LaneType::Bits => 4 * self.words,
            ty => self.stride * ty.scalar().bytes() as usize,
        }
    }
}

/// A column's number in its block.
pub(crate) const fn column_number(planes: Planes, plane: u8, micro: u32) -> u64 {
    micro as u64 * planes.count() as u64 + plane as u64
}

/// The columns of one state in one superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The state's planes.
    pub planes: Planes,
    /// The sizes of a column.
    pub shape: Shape,
    /// Bytes of one micro cell's columns, all planes.
    pub column: usize,
    /// Bytes of one superblock's columns.
    pub block: usize,
}

impl Columns {
    /// Words of a plane that holds the bits of `cells` cells alone, by index, and one word behind the last, which is read along.
    pub fn packed_words(cells: u64) -> u64 {
        cells.div_ceil(32) + 1
    }

    /// Bytes of a state that holds `cells` cells alone: numbers follow each other, and each plane of bits is a stretch of words.
    pub fn packed_bytes(&self, cells: u64) -> u64 {
        match self.planes {
            Planes::Bits(planes) => 4 * Columns::packed_words(cells) * u64::from(planes),
            Planes::Number(ty) => ty.scalar().bytes() * cells,
        }
    }

    /// The columns of a state with these planes, in superblocks of `micro_cells` micro cells.
    pub const fn new(planes: Planes, shape: Shape, micro_cells: usize) -> Columns {
        let column = shape.column_bytes(planes.ty()) * planes.count() as usize;
        Columns { planes, shape, column, block: column * micro_cells }
    }

    /// The bytes of a column, all planes.
    pub fn column_at(&self, slot: Slot, Micro(micro): Micro) -> Range<usize> {
        let first = slot.index() * self.block + micro as usize * self.column;
        first..first + self.column
    }

    /// The first byte of a column, counted from the block's.
    pub const fn offset(&self, plane: u8, micro: u32) -> u64 {
        column_number(self.planes, plane, micro) * self.shape.column_bytes(self.planes.ty()) as u64
    }

    /// The [`Value::bits`](crate::ir::Value::bits) of one lane of a column that begins at `column[0]`.
    pub fn bits(&self, column: &[u8], lane: usize) -> u64 {
        match self.planes {
            Planes::Bits(count) => bits_of(column, 4 * self.shape.words, count, lane),
            Planes::Number(ty) => number_of(column, ty, lane),
        }
    }

    /// Gives one lane of a column the value of these bits, of which it keeps as many as it has planes or bytes.
    pub fn put(&self, column: &mut [u8], lane: usize, bits: u64) {
        match self.planes {
            Planes::Bits(count) => put_bits(column, 4 * self.shape.words, count, lane, bits),
            Planes::Number(ty) => put_number(column, ty, lane, bits),
        }
    }

    /// The [`Value::bits`](crate::ir::Value::bits) of a cell in memory that holds `cells` cells alone.
    pub fn packed_bits(&self, memory: &[u8], cells: u64, PackedIndex(cell): PackedIndex) -> u64 {
        match self.planes {
            Planes::Bits(count) => bits_of(memory, 4 * Columns::packed_words(cells) as usize, count, cell as usize),
            Planes::Number(ty) => number_of(memory, ty, cell as usize),
        }
    }

    /// Gives a cell the value of these bits in memory that holds `cells` cells alone.
    pub fn put_packed(&self, memory: &mut [u8], cells: u64, PackedIndex(cell): PackedIndex, bits: u64) {
        match self.planes {
            Planes::Bits(count) => {
                put_bits(memory, 4 * Columns::packed_words(cells) as usize, count, cell as usize, bits);
            }
            Planes::Number(ty) => put_number(memory, ty, cell as usize, bits),
        }
    }

    /// Calls `visit` with each lane's [`Value::bits`](crate::ir::Value::bits), in order.
    #[inline(always)]
    pub fn for_each(&self, column: &[u8], mut visit: impl FnMut(usize, u64)) {
        let lanes = self.shape.lanes;
        match self.planes {
            Planes::Bits(1) => {
                for (word, bytes) in column.chunks_exact(4).enumerate() {
                    let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                    for i in 0..32.min(lanes - 32 * word) {
                        visit(32 * word + i, u64::from(bits >> i & 1));
                    }
                }
            }
            Planes::Bits(_) => (0..lanes).for_each(|lane| visit(lane, self.bits(column, lane))),
            Planes::Number(LaneType::U8) => {
                column[..lanes].iter().enumerate().for_each(|(lane, &v)| visit(lane, u64::from(v)));
            }
            Planes::Number(LaneType::U16) => {
                for (lane, bytes) in column.as_chunks::<2>().0.iter().take(lanes).enumerate() {
                    visit(lane, u64::from(u16::from_le_bytes(*bytes)));
                }
            }
            Planes::Number(LaneType::I64 | LaneType::F64) => {
                for (lane, bytes) in column.as_chunks::<8>().0.iter().take(lanes).enumerate() {
                    visit(lane, u64::from_le_bytes(*bytes));
                }
            }
            Planes::Number(LaneType::Bits | LaneType::I32 | LaneType::U32 | LaneType::F32) => {
                for (lane, bytes) in column.as_chunks::<4>().0.iter().take(lanes).enumerate() {
                    visit(lane, u64::from(u32::from_le_bytes(*bytes)));
                }
            }
        }
    }

    /// Bytes of `superblocks` superblocks. Beyond 2^64 where no memory is so large: levels are refused by it.
    pub const fn bytes(&self, superblocks: u64) -> u128 {
        self.block as u128 * superblocks as u128
    }
}

/// The bit of each plane at a place; a plane takes `plane` bytes.
#[inline]
fn bits_of(memory: &[u8], plane: usize, count: u8, at: usize) -> u64 {
    (0..usize::from(count)).fold(0, |bits, number| {
        let byte = memory[number * plane + at / 8];
        bits | u64::from(byte >> (at % 8) & 1) << number
    })
}

#[inline]
fn put_bits(memory: &mut [u8], plane: usize, count: u8, at: usize, bits: u64) {
    for number in 0..usize::from(count) {
        let byte = &mut memory[number * plane + at / 8];
        *byte = *byte & !(1 << (at % 8)) | ((bits >> number & 1) as u8) << (at % 8);
    }
}

/// The number at a place, from consecutive bytes.
#[inline]
fn number_of(memory: &[u8], ty: LaneType, at: usize) -> u64 {
    let size = ty.scalar().bytes() as usize;
    let mut bytes = [0; 8];
    bytes[..size].copy_from_slice(&memory[at * size..][..size]);
    u64::from_le_bytes(bytes)
}

#[inline]
fn put_number(memory: &mut [u8], ty: LaneType, at: usize, bits: u64) {
    let size = ty.scalar().bytes() as usize;
    memory[at * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_each_other_without_gaps() {
        let shape = Shape::of_lanes(243);
        assert_eq!((shape.words, shape.stride), (8, 248));
        let numbers = LaneType::ALL[1..].iter().copied().map(Planes::Number);
        for planes in [Planes::Bits(1), Planes::Bits(3)].into_iter().chain(numbers) {
            let columns = Columns::new(planes, shape, 9);
            let mut next = 0;
            for micro in 0..9 {
                for plane in 0..planes.count() {
                    assert_eq!(columns.offset(plane, micro), next);
                    next += shape.column_bytes(planes.ty()) as u64;
                }
            }
            assert_eq!(columns.block as u64, next);
            assert_eq!(columns.bytes(1 << 60), u128::from(next) << 60);
        }
    }
}
