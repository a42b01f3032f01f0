//! Reductions over all cells: stretches of columns are folded by themselves, and what they come to together.

use super::pass::Worker;
use super::{Observed, Rows, Shared};
use crate::engine::cpu::buffer::Scratch;
use crate::engine::cpu::fold::push_integers;
use crate::engine::cpu::pass::Globals;
use rayon::prelude::*;
use squeeze_compiler::ir::{Reduction, ReductionKind, Type};
use squeeze_compiler::reduce::fold::{
    FOLD_OF_CELLS, FloatFold, IntegerFold, ObservedValue, ReductionFold, combine_floats,
};
use std::ops::Range;

/// Columns of a stretch.
const STRETCH: usize = 64;
/// Columns whose folds are held in memory at once.
const BATCH: usize = 1 << 12;

/// Some of the rule's reductions, with these parameters.
pub(super) fn reductions(rows: &Rows, observed: &Observed, params: &[u64]) -> Vec<ObservedValue> {
    let (fractal, reductions) = (rows.domain.fractal(), &observed.reductions);
    let fold = |of: &Reduction| ReductionFold::new(of.kind, of.ty, fractal, rows.domain.level());
    let mut folds: Vec<ReductionFold> = reductions.iter().map(fold).collect();
    let columns = rows.grid.columns();
    for first in (0..columns).step_by(BATCH) {
        let end = (first + BATCH).min(columns);
        let stretches = (first..end).into_par_iter().step_by(STRETCH);
        let parts: Vec<Vec<Partial>> =
            stretches.map(|column| of_stretch(rows, observed, params, column..(column + STRETCH).min(end))).collect();
        for parts in parts {
            parts.into_iter().zip(&mut folds).for_each(|(part, fold)| part.add_to(fold));
        }
    }
    folds.into_iter().map(ReductionFold::finish).collect()
}

/// The reductions over the cells of some columns.
fn of_stretch(rows: &Rows, observed: &Observed, params: &[u64], columns: Range<usize>) -> Vec<Partial> {
    let (grid, host, Observed { reductions, terms: pass }) = (&rows.grid, &rows.host, observed);
    let old = rows.old();
    let mut scratch: Vec<Scratch> = pass.states.iter().map(|state| Scratch::new(state.block)).collect();
    let results: Vec<Shared> = scratch.iter_mut().map(|scratch| Shared(scratch.as_mut_ptr())).collect();
    let globals = Globals { params, ..host.globals(host.time) };
    let mut worker = Worker::new(pass, grid, globals, 0, rows.side());
    let part = |of: &Reduction| Partial::new(of, grid.first_cell(columns.start));
    let mut parts: Vec<Partial> = reductions.iter().map(part).collect();
    let terms = host.fields.len()..;
    for column in columns.clone() {
        // SAFETY: the columns are those of all states on this grid, which nobody writes while `rows` is borrowed; the results are this thread's own.
        unsafe { worker.run(&old, column, &results) };
        let mask = grid.mask(column);
        for ((part, reduction), state) in parts.iter_mut().zip(reductions).zip(terms.clone()) {
            let block = scratch[state].as_slice();
            match part {
                Partial::Integer(fold) => {
                    push_integers((reduction.kind, reduction.ty), fold, &pass.states[state], block, mask);
                }
                Partial::Float(fold) => fold.push_column(reduction.ty, block, mask),
            }
        }
    }
    parts
}

/// A reduction over cells that follow each other.
enum Partial {
    Integer(IntegerFold),
    Float(FloatPartial),
}

impl Partial {
    /// From the cell of this index on.
    fn new(reduction: &Reduction, cell_index: u64) -> Partial {
        match reduction.ty.is_float() {
            true => Partial::Float(FloatPartial::new(reduction.kind, cell_index)),
            false => Partial::Integer(IntegerFold::new(reduction.kind)),
        }
    }

    /// Adds these cells, which follow those of `fold`.
    fn add_to(self, fold: &mut ReductionFold) {
        match (self, fold) {
            (Partial::Integer(part), ReductionFold::Integer(fold)) => fold.merge(part),
            (Partial::Float(part), ReductionFold::Float(fold)) => part.add_to(fold),
            _ => unreachable!("a fold and its parts are made for one type"),
        }
    }
}

/// Floats, of which whole blocks of [`FOLD_OF_CELLS`] are folded; those before the first and behind the last are kept as they are.
struct FloatPartial {
    kind: ReductionKind,
    /// How many terms come before a block begins.
    missing: usize,
    before: Vec<f64>,
    blocks: Vec<f64>,
    behind: Vec<f64>,
}

impl FloatPartial {
    fn new(kind: ReductionKind, cell_index: u64) -> FloatPartial {
        let missing = cell_index.next_multiple_of(FOLD_OF_CELLS) - cell_index;
        FloatPartial { kind, missing: missing as usize, before: Vec::new(), blocks: Vec::new(), behind: Vec::new() }
    }

    /// The terms of a column, in the lanes of its mask.
    fn push_column(&mut self, ty: Type, column: &[u8], mask: &[u32]) {
        match ty {
            Type::F32 => {
                let terms = column.as_chunks::<4>().0;
                self.push_lanes(mask, |lane| f64::from(f32::from_le_bytes(terms[lane])));
            }
            _ => {
                let terms = column.as_chunks::<8>().0;
                self.push_lanes(mask, |lane| f64::from_le_bytes(terms[lane]));
            }
        }
    }

    #[inline(always)]
    fn push_lanes(&mut self, mask: &[u32], term: impl Fn(usize) -> f64) {
        for (word, bits) in mask.iter().enumerate() {
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
        if self.before.len() < self.missing {
            self.before.push(term);
            return;
        }
        self.behind.push(term);
        if self.behind.len() as u64 == FOLD_OF_CELLS {
            let fold = |so_far: Option<f64>, term: &f64| Some(combine_floats(self.kind, so_far, *term));
            self.blocks.extend(self.behind.iter().fold(None, fold));
            self.behind.clear();
        }
    }

    fn add_to(self, fold: &mut FloatFold) {
        self.before.into_iter().for_each(|term| fold.push(term));
        self.blocks.into_iter().for_each(|block| fold.push_block(1, block));
        self.behind.into_iter().for_each(|term| fold.push(term));
    }
}
