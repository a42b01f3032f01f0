//! Sums over the cells of a block, for pictures.

use crate::packed;
use squeeze_compiler::ir::Type;
use std::ops::Range;

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
