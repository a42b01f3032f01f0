//! Floats of consecutive cells, from any cell on.

use squeeze_compiler::ir::{Combine, Type};
use squeeze_compiler::layout::unit::CellIndex;
use squeeze_compiler::reduce::fold::{FOLD_OF_CELLS, FloatFold};

/// The folds of whole blocks of [`FOLD_OF_CELLS`] among them, and the terms before the first and behind the last as they are.
pub struct CellStream {
    kind: Combine,
    /// The first cell.
    first: u64,
    /// How many terms come before a block begins.
    missing: usize,
    /// Terms and blocks in order: how many digits were folded, and what they came to.
    parts: Vec<(u32, f64)>,
    /// The terms of the block that is not whole yet.
    block: Vec<f64>,
}

impl CellStream {
    /// From this cell on.
    pub(crate) fn new(kind: Combine, CellIndex(cell_index): CellIndex) -> CellStream {
        let missing = cell_index.next_multiple_of(FOLD_OF_CELLS) - cell_index;
        CellStream { kind, first: cell_index, missing: missing as usize, parts: Vec::new(), block: Vec::new() }
    }

    /// Blocks that were folded elsewhere, with how many digits each.
    pub(crate) fn of_blocks(kind: Combine, parts: Vec<(u32, f64)>) -> CellStream {
        CellStream { kind, first: 0, missing: 0, parts, block: Vec::new() }
    }

    /// These cells and those that follow them, in as few blocks as can be.
    pub(crate) fn then(mut self, next: CellStream) -> CellStream {
        let (kind, first) = (self.kind, self.first);
        self.parts.extend(self.block.drain(..).map(|term| (0, term)));
        self.parts.extend(next.parts);
        self.block = next.block;
        CellStream { first, ..CellStream::of_blocks(kind, self.into_blocks()) }
    }

    /// The largest aligned blocks that the cells have, folded, in order: how many digits were folded, and what they came to.
    pub(crate) fn into_blocks(self) -> Vec<(u32, f64)> {
        let CellStream { kind, first, parts, block, .. } = self;
        let (mut blocks, mut end): (Vec<(u32, f64)>, u64) = (Vec::new(), first);
        for (digits, value) in parts.into_iter().chain(block.into_iter().map(|term| (0, term))) {
            blocks.push((digits, value));
            let mut size = FOLD_OF_CELLS.pow(digits);
            end += size;
            for digits in digits + 1.. {
                size *= FOLD_OF_CELLS;
                if !end.is_multiple_of(size) || end - first < size {
                    break;
                }
                // The 32 blocks of a whole one are complete by now.
                let fold = blocks.drain(blocks.len() - FOLD_OF_CELLS as usize..);
                let fold = fold.fold(None, |so_far, (_, value)| Some(kind.float(so_far, value)));
                blocks.extend(fold.map(|value| (digits, value)));
            }
        }
        blocks
    }

    /// The terms of a column, in the lanes that are cells.
    pub(crate) fn push_column(&mut self, ty: Type, column: &[u8], present: &[u32]) {
        match ty {
            Type::F32 => {
                let terms = column.as_chunks::<4>().0;
                self.push_lanes(present, |lane| f64::from(f32::from_le_bytes(terms[lane])));
            }
            _ => {
                let terms = column.as_chunks::<8>().0;
                self.push_lanes(present, |lane| f64::from_le_bytes(terms[lane]));
            }
        }
    }

    #[inline(always)]
    fn push_lanes(&mut self, present: &[u32], term: impl Fn(usize) -> f64) {
        for (word, bits) in present.iter().enumerate() {
            let mut bits = *bits;
            if bits == u32::MAX {
                (32 * word..32 * word + 32).for_each(|lane| self.push(term(lane)));
                continue;
            }
            while bits != 0 {
                self.push(term(32 * word + bits.trailing_zeros() as usize));
                bits &= bits - 1;
            }
        }
    }

    #[inline(always)]
    fn push(&mut self, term: f64) {
        if self.parts.len() < self.missing {
            self.parts.push((0, term));
            return;
        }
        self.block.push(term);
        if self.block.len() as u64 == FOLD_OF_CELLS {
            let fold = |so_far: Option<f64>, term: &f64| Some(self.kind.float(so_far, *term));
            self.parts.extend(self.block.iter().fold(None, fold).map(|fold| (1, fold)));
            self.block.clear();
        }
    }

    /// Adds the terms to a fold of those before them.
    pub(crate) fn add_to(self, fold: &mut FloatFold) {
        self.parts.into_iter().for_each(|(digits, value)| fold.push_block(digits, value));
        self.block.into_iter().for_each(|term| fold.push(term));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::reduce::fold::FoldTree;

    #[test]
    fn blocks_fold_to_the_bits_of_all_cells_wherever_they_are_cut() {
        let term = |cell: u64| squeeze_compiler::numbers::digest::mix(cell) as i64 as f64 * 1e-3;
        let column = |cells: std::ops::Range<u64>| cells.flat_map(|cell| term(cell).to_le_bytes()).collect::<Vec<u8>>();
        for (all, cuts) in [(40_000, vec![0, 1, 33, 1024, 1056, 39_000, 40_000]), (5000, vec![0, 31, 32, 2048, 5000])] {
            for kind in [Combine::Sum, Combine::Min, Combine::Max] {
                let mut whole = FloatFold::new(kind, &FoldTree::of_cells(all));
                (0..all).for_each(|cell| whole.push(term(cell)));
                let mut parts = FloatFold::new(kind, &FoldTree::of_cells(all));
                for cut in cuts.windows(2) {
                    let mut stream = CellStream::new(kind, CellIndex(cut[0]));
                    for first in (cut[0]..cut[1]).step_by(1000) {
                        let mut next = CellStream::new(kind, CellIndex(first));
                        let count = (cut[1] - first).min(1000) as usize;
                        let mut present = vec![u32::MAX; count / 32];
                        present.extend((!count.is_multiple_of(32)).then(|| (1 << (count % 32)) - 1));
                        next.push_column(Type::F64, &column(first..first + count as u64), &present);
                        stream = stream.then(next);
                    }
                    let blocks = stream.into_blocks();
                    assert!(blocks.len() <= 62 * 4, "{} blocks", blocks.len());
                    CellStream::of_blocks(kind, blocks).add_to(&mut parts);
                }
                assert_eq!(parts.finish().to_bits(), whole.finish().to_bits(), "{kind:?} of {all}");
            }
        }
    }
}
