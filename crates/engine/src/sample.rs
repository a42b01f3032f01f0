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
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{StateId, Type};
use std::ops::Range;

/// Cells of which the values are added one by one on a domain without levels.
pub const STRETCH: u64 = 4096;

/// The numbers of a cell that are summed over a block.
#[derive(Clone, Copy, Debug)]
pub enum Sample<'a> {
    /// Three numbers for each value of a bit or enum. A GPU reads the state once for each value but the first.
    Table(&'a [[f64; 3]]),
    /// The value as a number, and twice 0.
    Value,
}

/// A question for the sums over some blocks of `K_mu` cells that follow each other in canonical order: block `b` begins with cell `b · K_mu`.
#[derive(Clone, Debug)]
pub struct AskedSums<'a> {
    /// The state whose values are looked at.
    pub state: StateId,
    /// The level of the blocks.
    pub mu: u32,
    /// Their numbers.
    pub blocks: Range<u64>,
    /// The numbers of a cell that are summed.
    pub sample: Sample<'a>,
}

impl Sample<'_> {
    /// The numbers that one cell adds, its value given as a number: bits 0 or 1, enums by the variant's number.
    ///
    /// # Panics
    /// If a table has no entry for the value.
    #[inline]
    pub fn of(self, value: f64) -> [f64; 3] {
        match self {
            Sample::Table(table) => table[value as usize],
            Sample::Value => [value, 0.0, 0.0],
        }
    }

    /// How many numbers of a block are added up before its sum is made of them: how often each entry of the table occurs, or the sum.
    pub(crate) fn width(self) -> usize {
        match self {
            Sample::Table(table) => table.len(),
            Sample::Value => 1,
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

    /// Adds the numbers of the cells of `part`, whose values stand in packed bytes.
    fn add(self, ty: Type, part: Range<u64>, bytes: &[u8], numbers: &mut [f64]) {
        match (self, ty) {
            (Sample::Table(_), Type::Bit) => {
                let ones = packed::ones(bytes, part.clone()) as f64;
                numbers[0] += (part.end - part.start) as f64 - ones;
                numbers[1] += ones;
            }
            (Sample::Table(_), _) => part.for_each(|i| numbers[packed::bits(ty, bytes, i) as usize] += 1.0),
            (Sample::Value, Type::Bit) => numbers[0] += packed::ones(bytes, part) as f64,
            (Sample::Value, Type::F32) => {
                let values = &bytes.as_chunks::<4>().0[part.start as usize..part.end as usize];
                numbers[0] = values.iter().fold(numbers[0], |sum, v| sum + f64::from(f32::from_le_bytes(*v)));
            }
            (Sample::Value, _) => part.for_each(|i| numbers[0] += packed::value(ty, bytes, i).as_f64()),
        }
    }
}

/// The sums of blocks, made of values that are handed over in canonical order.
pub struct BlockSums<'a> {
    sample: Sample<'a>,
    ty: Type,
    cells: u64,
    /// The cells of the blocks of each level from 1 on; of a table the blocks asked for alone, since their cells are only counted.
    sizes: Vec<u64>,
    /// The next cell, and the one behind the last.
    at: u64,
    end: u64,
    /// What was added up so far for the present block of each level.
    numbers: Vec<f64>,
    sums: Vec<[f64; 3]>,
}

impl<'a> BlockSums<'a> {
    /// No sums yet of these blocks of level `mu`.
    pub fn new(domain: &Domain, ty: Type, mu: u32, blocks: &Range<u64>, sample: Sample<'a>) -> BlockSums<'a> {
        let (cells, block) = (domain.cells(), domain.cell_product(mu));
        let sizes = match sample {
            _ if mu == 0 => Vec::new(),
            Sample::Table(_) => vec![block],
            Sample::Value if domain.levels().is_none() => vec![STRETCH, block],
            Sample::Value => (1..=mu).map(|level| domain.cell_product(level)).collect(),
        };
        let numbers = vec![0.0; sizes.len().max(sample.width())];
        let sums = Vec::with_capacity((blocks.end - blocks.start) as usize);
        let (at, end) = (blocks.start * block, blocks.end * block);
        BlockSums { sample, ty, cells, sizes, at, end, numbers, sums }
    }

    /// The cells whose values are still to come.
    pub fn cells(&self) -> Range<u64> {
        self.at..self.end
    }

    /// Takes the values of some cells, of which those that are not to come next are left out.
    pub fn add(&mut self, cells: &Range<u64>, bytes: &[u8]) {
        let end = cells.end.min(self.end);
        while self.at < end {
            let first = self.at - cells.start;
            let Some(size) = self.sizes.first() else {
                // Nothing is added to 0: the sign of a zero stays.
                self.sums.push(self.sample.of(packed::value(self.ty, bytes, first).as_f64()));
                self.at += 1;
                continue;
            };
            let next = ((self.at / size + 1) * size).min(end);
            self.sample.add(self.ty, first..next - cells.start, bytes, &mut self.numbers);
            self.at = next;
            self.close();
        }
    }

    /// Adds each block that ends here to the one above it.
    fn close(&mut self) {
        for (level, size) in self.sizes.iter().enumerate() {
            if !self.at.is_multiple_of(*size) && self.at < self.cells {
                return;
            }
            match level + 1 < self.sizes.len() {
                true => self.numbers[level + 1] += self.numbers[level],
                false => self.sums.push(self.sample.sum(&self.numbers[level..])),
            }
            let ends = if self.sizes.len() > 1 { level..level + 1 } else { 0..self.numbers.len() };
            self.numbers[ends].fill(0.0);
        }
    }

    /// The sums of the blocks that are whole.
    pub fn finish(self) -> Vec<[f64; 3]> {
        self.sums
    }
}
