//! Sums over many neighbours, for all cells of a mask or a box at once.
//!
//! Where neighbours are a box, the rows of a box are added up place by place, each row once as it comes in and once as it leaves; along the row sums of two,
//! four, eight places make those of any number. Any other neighbours are runs of places side by side, and the sum of a run is the difference of two
//! values of a row's running sum. Numbers of 16 bits hold counts below 2^16, and wrapping ones of 32 bits all others.

use crate::cpu::vectors::with_vectors;
use crate::states::{Field, States};
use rayon::prelude::*;
use squeeze_compiler::ir::{NeighbourSum, OffsetRun, SideBoundary, SummedNeighbours, Type};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::unit::Unit;
use std::ops::{Range, RangeInclusive};

/// Bands of rows for each thread, where there are rows enough. Guess: not measured.
const BANDS: usize = 4;

/// A whole number, in which sums wrap.
trait Wrapping: Copy + Default + Send + Sync {
    fn of(value: u32) -> Self;
    fn value(self) -> u32;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

macro_rules! wrapping {
    ($($ty:ty)*) => {$(
        impl Wrapping for $ty {
            #[inline(always)]
            fn of(value: u32) -> $ty {
                value as $ty
            }

            #[inline(always)]
            fn value(self) -> u32 {
                u32::from(self)
            }

            #[inline(always)]
            fn plus(self, other: $ty) -> $ty {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: $ty) -> $ty {
                self.wrapping_sub(other)
            }
        }
    )*};
}

wrapping! { u16 u32 }

/// Computes the field of a sum from the present states, on the threads of the caller's pool.
pub(crate) fn compute(sum: &NeighbourSum, grid: &RowGrid, states: &mut States) {
    let (of, field) = states.beside(sum.of, sum.field);
    let [_, across, _] = sum.neighbours.sides();
    let rows = grid.rows().div_ceil(BANDS * rayon::current_num_threads()).max(2 * across.count());
    let mut rest = field.now.as_mut_slice();
    let (block, mut bands) = (field.columns.block, Vec::new());
    for first in (0..grid.rows()).step_by(rows) {
        let band = first..grid.rows().min(first + rows);
        let columns = grid.columns_of(band.clone());
        let (of_band, behind) = rest.split_at_mut((columns.end.index() - columns.start.index()) * block);
        rest = behind;
        bands.push((band, of_band));
    }
    let narrow = of.ty == Type::Bit && sum.neighbours.count() < 1 << 16;
    let bytes = field.columns.planes.ty().scalar().bytes() as usize;
    bands.into_par_iter().for_each(|(band, to)| {
        let to = &mut SumColumns { to, grid, bytes, block };
        match narrow {
            true => of_band(SummedRows::<u16>::of(sum, grid, of), &sum.neighbours, band, to),
            false => of_band(SummedRows::<u32>::of(sum, grid, of), &sum.neighbours, band, to),
        }
    });
}

/// Computes the rows of a band.
fn of_band<T: Wrapping>(
    rows: SummedRows<'_, T>,
    neighbours: &SummedNeighbours,
    band: Range<usize>,
    to: &mut SumColumns<'_>,
) {
    match neighbours {
        SummedNeighbours::Box { sides, without_own } => of_box(&rows, sides, *without_own, band, to),
        SummedNeighbours::Runs(runs) => of_runs(&rows, (runs, neighbours.sides()), band, to),
    }
}

/// Columns of the sums, row by row.
struct SumColumns<'a> {
    to: &'a mut [u8],
    grid: &'a RowGrid,
    /// Bytes of a value, and of a column.
    bytes: usize,
    block: usize,
}

impl SumColumns<'_> {
    /// Stores the next row: a value for each place of its columns, stored or not.
    fn put<T: Wrapping>(&mut self, row: usize, sums: &[T]) {
        let lanes = self.grid.shape.lanes;
        for (number, sums) in sums.chunks_exact(lanes).enumerate() {
            if self.grid.slot(Unit((row * self.grid.columns_of_row() + number) as u32)).is_none() {
                continue;
            }
            let (column, behind) = std::mem::take(&mut self.to).split_at_mut(self.block);
            self.to = behind;
            match self.bytes {
                1 => narrowed(sums, column.as_chunks_mut::<1>().0),
                2 => narrowed(sums, column.as_chunks_mut::<2>().0),
                _ => widened(sums, column.as_chunks_mut::<4>().0),
            }
        }
    }
}

/// The low bytes of numbers.
fn narrowed<T: Wrapping, const BYTES: usize>(sums: &[T], to: &mut [[u8; BYTES]]) {
    for (sum, to) in sums.iter().zip(to) {
        to.copy_from_slice(&sum.value().to_le_bytes()[..BYTES]);
    }
}

with_vectors! {
    for ["avx512f" "avx512bw" "avx512vl" "popcnt"] ["avx2" "popcnt"]
    /// Numbers as 32 bits.
    fn widened<T: Wrapping> = widen_each(sums: &[T], to: &mut [[u8; 4]])
}

#[inline(always)]
fn widen_each<T: Wrapping>(sums: &[T], to: &mut [[u8; 4]]) {
    sums.iter().zip(to).for_each(|(sum, to)| *to = sum.value().to_le_bytes());
}

/// Places outside of the box, along axes that are not periodic.
#[derive(Clone, Copy)]
enum BeyondEdge<T> {
    /// All have this value; 0 if there is nothing.
    Same(T),
    /// They have that of the place mirrored at the edge.
    Mirrored,
}

/// Rows of the values that are added.
struct SummedRows<'a, T> {
    grid: &'a RowGrid,
    of: &'a Field,
    outside: BeyondEdge<T>,
    /// The places before the first of a row that neighbours see, the places of the row, and the places behind the last.
    before: Vec<Option<usize>>,
    own: Range<usize>,
    behind: Vec<Option<usize>>,
}

impl<'a, T: Wrapping> SummedRows<'a, T> {
    fn of(sum: &NeighbourSum, grid: &'a RowGrid, of: &'a Field) -> SummedRows<'a, T> {
        let outside = match sum.beyond {
            None => BeyondEdge::Same(T::default()),
            Some(SideBoundary::Constant(value)) => BeyondEdge::Same(T::of(value.bits() as u32)),
            Some(SideBoundary::Reflect) => BeyondEdge::Mirrored,
        };
        let mut rows = SummedRows { grid, of, outside, before: Vec::new(), own: 0..0, behind: Vec::new() };
        let ([along, ..], width) = (sum.neighbours.sides(), grid.extent()[0] as i64);
        let (first, end) = (i64::from(*along.start()), width + i64::from(*along.end()));
        rows.before = (first..end.min(0)).map(|place| rows.inside(0, place).ok()).collect();
        rows.behind = (first.max(width)..end).map(|place| rows.inside(0, place).ok()).collect();
        let (first, end) = (first.clamp(0, width), end.clamp(0, width));
        rows.own = first as usize..end.max(first) as usize;
        rows
    }

    /// The places of all columns of a row, stored or not.
    fn places(&self) -> usize {
        self.grid.columns_of_row() * self.grid.shape.lanes
    }

    /// The place inside of the box whose value stands at another along an axis, or the value if it is outside.
    fn inside(&self, axis: usize, place: i64) -> Result<usize, T> {
        let side = self.grid.extent()[axis] as i64;
        if (0..side).contains(&place) {
            return Ok(place as usize);
        }
        if self.grid.periodic()[axis] {
            return Ok(place.rem_euclid(side) as usize);
        }
        match self.outside {
            BeyondEdge::Same(value) => Err(value),
            BeyondEdge::Mirrored if place < 0 => Ok((-1 - place) as usize),
            BeyondEdge::Mirrored => Ok((2 * side - 1 - place) as usize),
        }
    }

    /// The values of a row, 0 in holes; it may lie outside of the box.
    fn get(&self, [y, z]: [i64; 2], values: &mut [T]) {
        let row = match (self.inside(1, y), self.inside(2, z)) {
            (Ok(y), Ok(z)) => z * self.grid.extent()[1] + y,
            (Err(value), _) | (_, Err(value)) => return values[..self.grid.extent()[0]].fill(value),
        };
        let Field { columns, now, .. } = self.of;
        for (number, values) in values.chunks_exact_mut(self.grid.shape.lanes).enumerate() {
            let Some(slot) = self.grid.slot(Unit((row * self.grid.columns_of_row() + number) as u32)) else {
                values.fill(T::default());
                continue;
            };
            let (column, mask) =
                (&now.as_slice()[slot.index() * columns.block..][..columns.block], self.grid.mask(slot));
            match columns.planes {
                Planes::Bits(_) => expanded(column.as_chunks::<4>().0, mask, values),
                Planes::Number(ty) => match ty.scalar().bytes() {
                    1 => masked(column.as_chunks::<1>().0, mask, values),
                    2 => masked(column.as_chunks::<2>().0, mask, values),
                    _ => masked(column.as_chunks::<4>().0, mask, values),
                },
            }
        }
    }

    /// A row as neighbours along it see it; `beyond` is the value where it is outside.
    fn seen(&self, row: &[T], beyond: T, seen: &mut Vec<T>) {
        let value = |place: &Option<usize>| place.map_or(beyond, |place| row[place]);
        seen.clear();
        seen.extend(self.before.iter().map(value));
        seen.extend_from_slice(&row[self.own.clone()]);
        seen.extend(self.behind.iter().map(value));
    }
}

with_vectors! {
    for ["avx512f" "avx512bw" "avx512vl" "popcnt"] ["avx2" "popcnt"]
    /// The bits of words where a mask has ones, as numbers.
    fn expanded<T: Wrapping> = expand_each(words: &[[u8; 4]], mask: &[u32], values: &mut [T])
}

#[inline(always)]
fn expand_each<T: Wrapping>(words: &[[u8; 4]], mask: &[u32], values: &mut [T]) {
    for ((values, word), mask) in values.as_chunks_mut::<32>().0.iter_mut().zip(words).zip(mask) {
        let word = u32::from_le_bytes(*word) & mask;
        for (bit, value) in values.iter_mut().enumerate() {
            *value = T::of(word >> bit & 1);
        }
    }
}

/// The numbers of a column, and 0 where a mask has zeros.
fn masked<T: Wrapping, const BYTES: usize>(column: &[[u8; BYTES]], mask: &[u32], values: &mut [T]) {
    for ((values, column), mask) in values.chunks_exact_mut(32).zip(column.chunks(32)).zip(mask) {
        for (bit, (value, bytes)) in values.iter_mut().zip(column).enumerate() {
            let mut four = [0; 4];
            four[..BYTES].copy_from_slice(bytes);
            *value = T::of(u32::from_le_bytes(four) & (mask >> bit & 1).wrapping_neg());
        }
    }
}

with_vectors! {
    for ["avx512f" "avx512bw" "avx512vl" "popcnt"] ["avx2" "popcnt"]
    /// Adds numbers to others, and takes others away.
    fn slide<T: Wrapping> = slide_each(sums: &mut [T], plus: &[T], minus: &[T])
}

#[inline(always)]
fn slide_each<T: Wrapping>(sums: &mut [T], plus: &[T], minus: &[T]) {
    for ((sum, plus), minus) in sums.iter_mut().zip(plus).zip(minus) {
        *sum = sum.plus(*plus).minus(*minus);
    }
}

with_vectors! {
    for ["avx512f" "avx512bw" "avx512vl" "popcnt"] ["avx2" "popcnt"]
    /// The sums of pairs.
    fn pairs<T: Wrapping> = pair_each(sums: &mut [T], left: &[T], right: &[T])
}

#[inline(always)]
fn pair_each<T: Wrapping>(sums: &mut [T], left: &[T], right: &[T]) {
    for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
        *sum = left.plus(*right);
    }
}

/// The rows of a band where neighbours are a box.
fn of_box<T: Wrapping>(
    rows: &SummedRows<'_, T>,
    [along, across, layers]: &[RangeInclusive<i32>; 3],
    without_own: bool,
    band: Range<usize>,
    to: &mut SumColumns<'_>,
) {
    let (width, height) = (rows.grid.extent()[0], rows.grid.extent()[1]);
    let zeros = vec![T::default(); rows.places()];
    let [mut box_rows, mut next, mut last, mut sums] = std::array::from_fn(|_| zeros.clone());
    // Sums of one, two, four places from each on.
    let [mut some, mut twice] = [Vec::new(), Vec::new()];
    let outside = match rows.outside {
        BeyondEdge::Same(value) => value,
        BeyondEdge::Mirrored => T::default(),
    };
    let count = (across.clone().count() * layers.clone().count()) as u32;
    let outside = T::of(outside.value().wrapping_mul(count));
    let length = along.clone().count();
    for row in band.clone() {
        let [y, z] = [row % height, row / height].map(|place| place as i64);
        let begins = y == 0 || row == band.start;
        if begins {
            box_rows.fill(T::default());
        }
        for z in layers.clone().map(|dz| z + i64::from(dz)) {
            let enter = if begins { i64::from(*across.start()) } else { i64::from(*across.end()) };
            for dy in enter..=i64::from(*across.end()) {
                rows.get([y + dy, z], &mut next);
                match begins {
                    true => slide(&mut box_rows, &next, &zeros),
                    false => {
                        rows.get([y - 1 + i64::from(*across.start()), z], &mut last);
                        slide(&mut box_rows, &next, &last);
                    }
                }
            }
        }
        rows.seen(&box_rows, outside, &mut some);
        twice.resize(some.len(), T::default());
        sums.fill(T::default());
        if without_own {
            rows.get([y, z], &mut last);
            slide(&mut sums, &zeros, &last);
        }
        let (mut added, mut places) = (0, 1);
        loop {
            if length & places != 0 {
                slide(&mut sums[..width], &some[added..], &zeros);
                added += places;
            }
            if 2 * places > length {
                break;
            }
            let (from, behind) = (&some[..some.len() - places], &some[places..]);
            twice.truncate(from.len());
            pairs(&mut twice, from, behind);
            std::mem::swap(&mut some, &mut twice);
            places *= 2;
        }
        to.put(row, &sums);
    }
}

/// The rows of a band where neighbours are runs.
fn of_runs<T: Wrapping>(
    rows: &SummedRows<'_, T>,
    (runs, [along, across, layers]): (&[OffsetRun], [RangeInclusive<i32>; 3]),
    band: Range<usize>,
    to: &mut SumColumns<'_>,
) {
    let (width, height) = (rows.grid.extent()[0], rows.grid.extent()[1]);
    let mut values = vec![T::default(); rows.places()];
    let (mut sums, mut seen) = (values.clone(), Vec::new());
    let [rows_of_layer, count_of_layers] = [&across, &layers].map(|side| side.clone().count());
    // The running sum of each row that is looked at, by its place modulo their number.
    let mut running = vec![Vec::new(); rows_of_layer * count_of_layers];
    let place =
        |y: i64, dz: i32| (dz - layers.start()) as usize * rows_of_layer + y.rem_euclid(rows_of_layer as i64) as usize;
    for row in band.clone() {
        let [y, z] = [row % height, row / height].map(|place| place as i64);
        let enter = if y == 0 || row == band.start { *across.start() } else { *across.end() };
        for dz in layers.clone() {
            for y in (enter..=*across.end()).map(|dy| y + i64::from(dy)) {
                rows.get([y, z + i64::from(dz)], &mut values);
                let is_outside = |axis: usize, place: i64| rows.inside(axis, place).err();
                let beyond = is_outside(1, y).or_else(|| is_outside(2, z + i64::from(dz)));
                let beyond = beyond.unwrap_or(match rows.outside {
                    BeyondEdge::Same(value) => value,
                    BeyondEdge::Mirrored => T::default(),
                });
                rows.seen(&values, beyond, &mut seen);
                let running = &mut running[place(y, dz)];
                let mut sum = T::default();
                running.clear();
                running.push(sum);
                running.extend(seen.iter().map(|value| {
                    sum = sum.plus(*value);
                    sum
                }));
            }
        }
        sums.fill(T::default());
        for OffsetRun { row: [dy, dz], along: run } in runs {
            let running = &running[place(y + i64::from(*dy), *dz)];
            let [first, behind] = [*run.start(), *run.end() + 1].map(|x| (x - along.start()) as usize);
            slide(&mut sums[..width], &running[behind..], &running[first..]);
        }
        to.put(row, &sums);
    }
}
