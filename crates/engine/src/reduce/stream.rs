//! Floats of consecutive cells, from any cell on.

use squeeze_compiler::ir::{Combine, Type};
use squeeze_compiler::layout::unit::CellIndex;
use squeeze_compiler::reduce::fold::{FOLD_OF_CELLS, FloatFold};

/// The folds of whole blocks of [`FOLD_OF_CELLS`] among them, and the terms before the first and behind the last as they are.
pub struct CellStream {
    kind: Combine,
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
        CellStream { kind, missing: missing as usize, parts: Vec::new(), block: Vec::new() }
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
