//! Digests of replica lanes, and sums over blocks of their cells for pictures.

use crate::cpu::vectors::with_vectors;
use crate::sample::Sample;
use rayon::prelude::*;
use squeeze_compiler::ir::{Type, Value};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::{CellIndex, Lane, Micro, Part, Slot, Unit};
use squeeze_compiler::numbers::digest;

/// The digest of a state.
pub(super) fn digest((layout, part): (&Layout, &Part), columns: &Columns, now: &[u8]) -> u64 {
    let blocks = now.par_chunks_exact(columns.block.max(1)).take(part.owned()).enumerate();
    blocks
        .map(|(slot, block)| digest_of_block(layout, columns, part.unit(Slot(slot as u32)), block))
        .reduce(|| 0, u64::wrapping_add)
}

/// Whether something holds of the bits of all values of a state.
pub(super) fn all(columns: &Columns, now: &[u8], holds: impl Fn(u64) -> bool + Sync) -> bool {
    now.par_chunks_exact(columns.block.max(1)).all(|block| {
        let mut all = true;
        for column in block.chunks_exact(columns.column) {
            columns.for_each(column, |_, bits| all &= holds(bits));
        }
        all
    })
}

with_vectors! {
    // AVX-512 DQ multiplies words of 64 bits.
    for ["avx512f" "avx512dq"]
    fn digest_of_block = sum_terms(layout: &Layout, columns: &Columns, unit: Unit, block: &[u8]) -> u64
}

#[inline(always)]
fn sum_terms(layout: &Layout, columns: &Columns, unit: Unit, block: &[u8]) -> u64 {
    let (replicas, stride) = (layout.replicas(), layout.lane_stride());
    let mut sum = 0u64;
    for (micro, column) in block.chunks_exact(columns.column).enumerate() {
        // The replica of lane 0 is number 0.
        let CellIndex(first) = layout.canonical(Lane(0), unit, Micro(micro as u32));
        columns.for_each(column, |lane, bits| {
            sum = sum.wrapping_add(digest::term(first + u64::from(replicas[lane]) * stride, bits));
        });
    }
    sum
}

/// For each block of `K_mu` cells that follow each other in canonical order the sum over its cells of what `sample` makes
/// of the values of a state of type `ty`.
pub(super) fn block_sums(
    layout: &Layout,
    columns: &Columns,
    now: &[u8],
    ty: Type,
    mu: u32,
    sample: Sample<'_>,
) -> Vec<[f64; 3]> {
    let inside = layout.level() - layout.lane_digits();
    if mu > inside {
        // Blocks of several lanes: sum over a lane first.
        let lanes = block_sums(layout, columns, now, ty, inside, sample);
        let together = (inside + 1..=mu).map(|mu| layout.low().fractal().pattern(mu).k()).product::<u64>() as usize;
        return lanes.chunks_exact(together).map(add_all).collect();
    }
    // A row is one block in every lane: some superblocks, or some of the micro cells of one.
    let (superblocks, micro) = if mu >= layout.micro_digits() {
        (layout.superblocks_of(mu - layout.micro_digits()) as usize, layout.micro_cells() as usize)
    } else {
        (1, layout.low().cell_product(mu) as usize)
    };
    let row_bytes = (superblocks * micro * columns.column).max(1);
    let rows: Vec<Vec<[f64; 3]>> =
        now.par_chunks_exact(row_bytes).map(|row| sum_row(columns, row, ty, sample)).collect();
    let lanes = layout.lanes_of_replicas().iter();
    lanes.flat_map(|&lane| rows.iter().map(move |row| row[lane as usize])).collect()
}

/// For each lane the sum over some columns.
fn sum_row(columns: &Columns, row: &[u8], ty: Type, sample: Sample<'_>) -> Vec<[f64; 3]> {
    let lanes = columns.shape.lanes;
    if let (Planes::Bits(1), Sample::Table(&[zero, one])) = (columns.planes, sample) {
        let mut ones = vec![0u32; 32 * columns.shape.words];
        for column in row.chunks_exact(columns.column) {
            for (counts, bytes) in ones.as_chunks_mut::<32>().0.iter_mut().zip(column.as_chunks::<4>().0) {
                let word = u32::from_le_bytes(*bytes);
                counts.iter_mut().enumerate().for_each(|(i, count)| *count += word >> i & 1);
            }
        }
        let cells = (row.len() / columns.column) as f64;
        let sum = |&ones: &u32| std::array::from_fn(|i| zero[i] * (cells - f64::from(ones)) + one[i] * f64::from(ones));
        return ones[..lanes].iter().map(sum).collect();
    }
    let mut sums = vec![[0.0; 3]; lanes];
    for column in row.chunks_exact(columns.column.max(1)) {
        columns.for_each(column, |lane, bits| {
            let part = sample.of(Value::from_bits(ty, bits).as_f64());
            sums[lane].iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        });
    }
    sums
}

fn add_all(sums: &[[f64; 3]]) -> [f64; 3] {
    sums.iter().fold([0.0; 3], |total, sum| std::array::from_fn(|i| total[i] + sum[i]))
}
