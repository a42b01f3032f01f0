//! Reductions by level: one number for each replica. Their terms are computed for all cells, and then folded replica by replica.

use super::buffer::{Buffer, Shared};
use super::neighbours::HostNeighbours;
use super::pass::{Buffers, Globals, Pass, Work};
use crate::engine::Result;
use rayon::prelude::*;
use squeeze_compiler::ir::{Reduction, ReductionKind, Rule, Type, Value};
use squeeze_compiler::reduce::fold::{self, ObservedValue, ReductionFold};

/// The rule's reductions, all of them by level, by the pass of their terms.
///
/// # Errors
/// [`EngineError::System`](crate::engine::EngineError::System) if there is no memory for a term of each cell.
///
/// # Safety
/// The old buffers hold all superblocks of what the rule keeps, with room to over-read, and nobody writes them meanwhile.
pub(super) unsafe fn reduce(
    neighbours: &HostNeighbours,
    rule: &Rule,
    pass: &Pass,
    old: Vec<*const u8>,
    globals: Globals<'_>,
) -> Result<Vec<ObservedValue>> {
    let kept = old.len();
    let superblocks = u64::from(neighbours.layout.superblocks());
    let terms: Result<Vec<Buffer>> =
        pass.states[kept..].iter().map(|columns| Buffer::new(columns.block as u64 * superblocks)).collect();
    let mut terms = terms?;
    let mut new = vec![Shared(std::ptr::null_mut()); kept];
    new.extend(terms.iter_mut().map(|buffer| Shared(buffer.as_mut_ptr())));
    let old = old.into_iter().chain(terms.iter().map(|_| std::ptr::null())).collect();
    // SAFETY: the old buffers are the caller's, and terms are stored in new buffers of all superblocks, which nobody else has.
    unsafe { pass.run(neighbours, &Buffers { old, new }, globals, Work::All) };
    let of = |(index, reduction): (usize, &Reduction)| {
        let columns = &pass.states[kept + index];
        let bytes = terms[index].as_slice();
        let level = reduction.level.unwrap_or(neighbours.layout.level());
        let fractal = neighbours.layout.low().fractal();
        let cells: u64 = (1..=level).map(|mu| fractal.pattern(mu).k()).product();
        let term = |c: u64| {
            let (lane, superblock, micro) = neighbours.layout.split(c);
            let first = superblock as usize * columns.block + micro as usize * columns.column;
            Value::from_bits(reduction.ty, columns.bits(&bytes[first..first + columns.column], lane as usize))
        };
        let replica = |replica: u64| {
            let all = replica * cells..(replica + 1) * cells;
            let mut fold = ReductionFold::new(reduction.kind, reduction.ty, fractal, level);
            all.clone().for_each(|c| fold.push(term(c)));
            let sum = fold.finish();
            if reduction.about.is_none() {
                return sum;
            }
            let mean = fold::mean(&sum, cells, rule.flush);
            let mut fold = ReductionFold::new(ReductionKind::Sum, Type::F64, fractal, level);
            all.for_each(|c| fold.push(Value::F64(fold::squared_deviation(term(c), mean, rule.flush))));
            fold.finish()
        };
        ObservedValue::List((0..neighbours.layout.cells() / cells).into_par_iter().map(replica).collect())
    };
    Ok(rule.reductions.iter().enumerate().map(of).collect())
}
