//! Sums over the cells of a block, for pictures.
//!
//! A block is `K_mu` cells that follow each other in canonical order. Its sum has the same bits whatever computes it:
//!
//! - Of a [`Table`](Sample::Table) each entry is multiplied by the number of cells that it stands for, and the products are added to 0 in the
//!   order of the table. The numbers are exact, however they are counted.
//! - Of [`Value`](Sample::Value)s the sum of a block of level 0 is the cell's value, as a number of 64 bits. That of level m adds to 0, in order, the
//!   sums of its `K_m / K_(m-1)` blocks of level m − 1. On a domain without levels (a mask or a box) the blocks between one cell and all of them are
//!   [`STRETCH`] cells each, counted from the first cell on; the last one has what is left.
//!
//! Sums of values that are whole numbers, and stay below 2^53, can so be computed in any order. The bits of a NaN mean nothing.

use crate::packed;
use squeeze_compiler::ir::Type;
use std::ops::Range;

/// Cells of which the values are added one by one on a domain without levels.
pub const STRETCH: u64 = 4096;

/// The numbers of a cell that are summed over a block.
#[derive(Clone, Copy, Debug)]
pub enum Sample<'a> {
    /// Three numbers for each value of a bit or enum.
    Table(&'a [[f64; 3]]),
    /// The value as a number, and twice 0.
    Value,
}

impl Sample<'_> {
    /// The numbers that one cell adds, its value given as a number: bits 0 or 1, enums by the variant's number.
    #[inline]
    pub fn of(self, value: f64) -> [f64; 3] {
        match self {
            Sample::Table(table) => table[value as usize % table.len()],
            Sample::Value => [value, 0.0, 0.0],
        }
    }

    /// The sum of a block with these numbers.
    pub(crate) fn sum(self, numbers: &[f64]) -> [f64; 3] {
        match self {
            Sample::Value => [numbers[0], 0.0, 0.0],
            Sample::Table(table) => table
                .iter()
                .zip(numbers)
                .fold([0.0; 3], |sum, (entry, count)| std::array::from_fn(|i| sum[i] + count * entry[i])),
        }
    }

    /// Adds the numbers of a range's cells to the sums of the blocks, of `cells` cells each, that they lie in.
    pub fn add_range(self, ty: Type, range: Range<u64>, bytes: &[u8], cells: u64, sums: &mut [[f64; 3]]) {
        let mut at = range.start;
        while at < range.end {
            let block = at / cells;
            let end = ((block + 1) * cells).min(range.end);
            self.add_part(ty, at - range.start..end - range.start, bytes, &mut sums[block as usize]);
            at = end;
        }
    }

    /// Adds the numbers of the cells of `part`, whose values stand in packed bytes.
    pub fn add_part(self, ty: Type, part: Range<u64>, bytes: &[u8], sum: &mut [f64; 3]) {
        let mut add = |times: f64, light: [f64; 3]| *sum = std::array::from_fn(|i| sum[i] + times * light[i]);
        if let (Type::Bit, Sample::Table(&[zero, one])) = (ty, self) {
            let ones = packed::ones(bytes, part.clone()) as f64;
            add((part.end - part.start) as f64 - ones, zero);
            add(ones, one);
        } else {
            part.for_each(|i| add(1.0, self.of(packed::value(ty, bytes, i).as_f64())));
        }
    }
}
