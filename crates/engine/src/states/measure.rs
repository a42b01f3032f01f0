//! Digests of replica lanes, and sums over blocks of their cells for pictures.

use super::buffer::Shared;
use crate::cpu::vectors::with_vectors;
use crate::sample::{AskedSums, Sample};
use rayon::prelude::*;
use squeeze_compiler::kernel::{LaneType, Planes};
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::{self, Columns};
use squeeze_compiler::layout::unit::{CellIndex, Lane, Micro, Part, Slot, Unit};
use squeeze_compiler::numbers::digest;
use std::ops::Range;

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

/// Lanes whose bits are counted together, and those whose values are added together: a column has whole groups of these.
const COUNTED: usize = 256;
const ADDED: usize = columns::GROUP;
/// The most groups that a thread counts at once: with fewer, lines of memory would be read twice.
const TOGETHER: usize = 8;
/// The fewest cells that are worth a thread's while.
const LEAST_CELLS: u64 = 1 << 18;

/// The fewest columns of a block for which sums of columns are worth more than to read the values.
const LEAST_COLUMNS: u64 = 8;

/// The sums of some blocks of `K_mu` cells of a state of type `ty`; `None` where to read the values is as fast.
pub(super) fn block_sums(
    layout: &Layout,
    columns: &Columns,
    now: &[u8],
    &AskedSums { mu, ref blocks, sample, .. }: &AskedSums<'_>,
) -> Option<Vec<[f64; 3]>> {
    let replicas = |level: u32| layout.low().fractal().pattern(level).k();
    let inside = layout.level() - layout.lane_digits();
    let lowest = mu.min(inside);
    let together: u64 = (lowest + 1..=mu).map(replicas).product();
    let wanted = blocks.start * together..blocks.end * together;
    let ks: Vec<u64> = (1..=lowest).map(replicas).collect();
    let of_block = ks.iter().product::<u64>();
    if of_block < LEAST_COLUMNS || wanted.is_empty() {
        return None;
    }
    let rows = RowSums { layout, columns, sample, of_block, wanted: wanted.clone(), ks };
    if mu == lowest {
        let mut sums = vec![[0.0; 3]; (wanted.end - wanted.start) as usize];
        let place = Shared(sums.as_mut_ptr().cast());
        rows.visit(now, &|at, numbers| {
            // SAFETY: `at` is a block's number among those wanted, for each of which there is a place, and each is visited once.
            unsafe { place.at(size_of::<[f64; 3]>() * at).cast::<[f64; 3]>().write(sample.sum(numbers)) };
        });
        return Some(sums);
    }
    let width = sample.width();
    let mut numbers = vec![0.0; (wanted.end - wanted.start) as usize * width];
    let place = Shared(numbers.as_mut_ptr().cast());
    rows.visit(now, &|at, numbers| {
        for (i, number) in numbers.iter().enumerate() {
            // SAFETY: as above; there are `width` places for each block.
            unsafe { place.at(size_of::<f64>() * (at * width + i)).cast::<f64>().write(*number) };
        }
    });
    for level in lowest + 1..=mu {
        let add = |blocks: &[f64]| {
            let add = |sum: Vec<f64>, block: &[f64]| sum.iter().zip(block).map(|(a, b)| a + b).collect();
            blocks.chunks_exact(width).fold(vec![0.0; width], add)
        };
        numbers = numbers.chunks_exact(replicas(level) as usize * width).flat_map(add).collect();
    }
    Some(numbers.chunks_exact(width).map(|numbers| sample.sum(numbers)).collect())
}

/// The columns of replica lanes, parted into rows: each is one block in every lane.
struct RowSums<'a> {
    layout: &'a Layout,
    columns: &'a Columns,
    sample: Sample<'a>,
    /// The columns of a row.
    of_block: u64,
    /// The blocks that are asked for, by their canonical numbers.
    wanted: Range<u64>,
    /// How many blocks of the level below make up one, from level 1 on.
    ks: Vec<u64>,
}

impl RowSums<'_> {
    /// Calls `put` with each block, counted from the first one that is wanted, and its numbers.
    fn visit(&self, now: &[u8], put: &(dyn Fn(usize, &[f64]) + Sync)) {
        let (columns, layout) = (self.columns, self.layout);
        let of_replica = layout.lane_stride() / self.of_block;
        let (first, last) = (self.wanted.start / of_replica, (self.wanted.end - 1) / of_replica);
        let rows = match first == last {
            true => self.wanted.start % of_replica..(self.wanted.end - 1) % of_replica + 1,
            false => 0..of_replica,
        };
        let mut lanes: Vec<(usize, u64)> =
            (first..=last).map(|replica| (layout.lanes_of_replicas()[replica as usize] as usize, replica)).collect();
        lanes.sort_unstable();
        let size = if let Planes::Bits(_) = columns.planes { COUNTED } else { ADDED };
        let groups: Vec<&[(usize, u64)]> = lanes.chunk_by(|a, b| a.0 / size == b.0 / size).collect();
        let width = self.sample.width();
        let bytes = self.of_block as usize * columns.column;
        let parts: Vec<&[&[(usize, u64)]]> = groups.chunks(TOGETHER).collect();
        let work = |at: usize| {
            let (row, groups) = (rows.start + (at / parts.len()) as u64, parts[at % parts.len()]);
            let here = &now[row as usize * bytes..][..bytes];
            let mut numbers = vec![0.0; groups.len() * size * width];
            let firsts: Vec<usize> = groups.iter().map(|group| group[0].0 / size * size).collect();
            match columns.planes {
                Planes::Bits(planes) => self.count(planes, here, &firsts, &mut numbers),
                Planes::Number(ty) => {
                    let each = firsts.iter().zip(numbers.chunks_exact_mut(size * width));
                    each.for_each(|(lane, numbers)| self.add(ty, here, *lane, numbers));
                }
            }
            for (group, numbers) in groups.iter().zip(numbers.chunks_exact(size * width)) {
                for &(lane, replica) in *group {
                    let block = replica * of_replica + row;
                    if self.wanted.contains(&block) {
                        let at = (block - self.wanted.start) as usize;
                        put(at, &numbers[lane % size * width..][..width]);
                    }
                }
            }
        };
        let cells = self.of_block * (size * TOGETHER.min(groups.len())) as u64;
        let all = (rows.end - rows.start) as usize * parts.len();
        (0..all).into_par_iter().with_min_len((LEAST_CELLS / cells).max(1) as usize).for_each(work);
    }

    /// The numbers of groups of lanes that begin with these.
    fn count(&self, planes: u8, row: &[u8], firsts: &[usize], numbers: &mut [f64]) {
        let (columns, all) = (self.columns, self.of_block as f64);
        numbers.fill(0.0);
        let mut counts = [[0u32; COUNTED]; TOGETHER];
        let counts = &mut counts[..firsts.len()];
        match self.sample {
            Sample::Value => {
                for plane in 0..planes {
                    count_alike(columns, row, firsts, (1 << plane, 1 << plane), counts);
                    numbers
                        .iter_mut()
                        .zip(counts.as_flattened())
                        .for_each(|(sum, count)| *sum += f64::from(1u32 << plane) * f64::from(*count));
                }
            }
            Sample::Table(table) => {
                let (width, mask) = (table.len(), (1u32 << planes) - 1);
                // What is no other value is 0.
                numbers.iter_mut().step_by(width).for_each(|zeros| *zeros = all);
                for value in 1..width as u32 {
                    count_alike(columns, row, firsts, (mask, value), counts);
                    for (numbers, count) in numbers.chunks_exact_mut(width).zip(counts.as_flattened()) {
                        numbers[0] -= f64::from(*count);
                        numbers[value as usize] += f64::from(*count);
                    }
                }
            }
        }
    }

    /// The numbers of the lanes from this one on.
    fn add(&self, ty: LaneType, row: &[u8], lane: usize, numbers: &mut [f64]) {
        let columns = self.columns;
        match self.sample {
            Sample::Value => {
                let mut sums = [0.0; ADDED];
                let first = lane * ty.scalar().bytes() as usize;
                add_up(ty, (columns.column, first), row, &self.ks, &mut sums);
                numbers.copy_from_slice(&sums);
            }
            Sample::Table(table) => {
                numbers.fill(0.0);
                for column in row.chunks_exact(columns.column) {
                    for (i, numbers) in numbers.chunks_exact_mut(table.len()).enumerate() {
                        // Behind the last lane there may be any values.
                        numbers[columns.bits(column, lane + i) as usize % table.len()] += 1.0;
                    }
                }
            }
        }
    }
}

/// Adds up the values of some lanes over the columns of a block: of each of the blocks in it, in order, after their own are added up.
fn add_up(ty: LaneType, (column, first): (usize, usize), row: &[u8], ks: &[u64], sums: &mut [f64; ADDED]) {
    sums.fill(0.0);
    let Some((k, below)) = ks.split_last() else { return };
    let mut part = [0.0; ADDED];
    for block in row.chunks_exact(row.len() / *k as usize) {
        match below {
            [] => values(ty, &block[first..column], &mut part),
            _ => add_up(ty, (column, first), block, below, &mut part),
        }
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
}

/// The first values of a column, as numbers.
fn values(ty: LaneType, column: &[u8], values: &mut [f64; ADDED]) {
    macro_rules! each {
        ($ty:ty, $size:literal) => {
            values
                .iter_mut()
                .zip(column.as_chunks::<$size>().0)
                .for_each(|(value, bytes)| *value = <$ty>::from_le_bytes(*bytes) as f64)
        };
    }
    match ty {
        LaneType::U8 => each!(u8, 1),
        LaneType::U16 => each!(u16, 2),
        LaneType::I32 => each!(i32, 4),
        LaneType::Bits | LaneType::U32 => each!(u32, 4),
        LaneType::I64 => each!(i64, 8),
        LaneType::F32 => each!(f32, 4),
        LaneType::F64 => each!(f64, 8),
    }
}

with_vectors! {
    /// Counts for each of [`COUNTED`] lanes, from each of these lanes on, the columns of a row in which its bits, of the planes that the first word says, are
    /// those of the second.
    fn count_alike = count_by_planes(columns: &Columns, row: &[u8], firsts: &[usize], bits: (u32, u32), counts: &mut [[u32; COUNTED]])
}

/// Bits of some lanes.
type CountWord = [u64; COUNTED / 64];

/// Adders of single bits carry from eight columns into the planes of the counts (H. S. Warren, "Hacker's Delight", 2nd ed., §5–1).
#[inline(always)]
fn count_by_planes(columns: &Columns, row: &[u8], firsts: &[usize], bits: (u32, u32), counts: &mut [[u32; COUNTED]]) {
    let mut sums = [[[0; COUNTED / 64]; 32]; TOGETHER];
    let mut eights = row.chunks_exact(8 * columns.column);
    let digits = (u32::BITS - ((row.len() / columns.column) as u32).leading_zeros()) as usize;
    for eight in &mut eights {
        for (planes, first) in sums.iter_mut().zip(firsts) {
            let word = |i: usize| alike(columns, &eight[i * columns.column..][..columns.column], first / 8, bits);
            let [ones, twos, fours, higher @ ..] = planes;
            let (a, b) = (carry(ones, word(0), word(1)), carry(ones, word(2), word(3)));
            let c = carry(twos, a, b);
            let (a, b) = (carry(ones, word(4), word(5)), carry(ones, word(6), word(7)));
            let d = carry(twos, a, b);
            let mut carried = carry(fours, c, d);
            for plane in &mut higher[..digits.saturating_sub(3)] {
                carried = carry(plane, carried, [0; COUNTED / 64]);
            }
        }
    }
    for column in eights.remainder().chunks_exact(columns.column) {
        for (planes, first) in sums.iter_mut().zip(firsts) {
            let mut carried = alike(columns, column, first / 8, bits);
            for plane in &mut planes[..digits] {
                carried = carry(plane, carried, [0; COUNTED / 64]);
            }
        }
    }
    for (counts, planes) in counts.iter_mut().zip(&sums) {
        counts.fill(0);
        for (digit, plane) in planes[..digits].iter().enumerate() {
            for (counts, word) in counts.as_chunks_mut::<64>().0.iter_mut().zip(plane) {
                counts.iter_mut().enumerate().for_each(|(i, count)| *count += ((word >> i & 1) as u32) << digit);
            }
        }
    }
}

/// Adds two words to a plane of sums and gives what is carried.
#[inline(always)]
fn carry(sum: &mut CountWord, a: CountWord, b: CountWord) -> CountWord {
    std::array::from_fn(|i| {
        let one = sum[i] ^ a[i];
        let carried = sum[i] & a[i] | one & b[i];
        sum[i] = one ^ b[i];
        carried
    })
}

/// The lanes whose bits of some planes are those of a value.
#[inline(always)]
fn alike(columns: &Columns, column: &[u8], at: usize, (mask, value): (u32, u32)) -> CountWord {
    let bytes = 4 * columns.shape.words;
    let plane = |plane: usize| word_at(&column[plane * bytes + at..(plane + 1) * bytes]);
    if mask == 1 {
        return plane(0);
    }
    let mut word = [u64::MAX; COUNTED / 64];
    for number in
        (0..u32::BITS as usize).take_while(|number| mask >> number > 0).filter(|number| mask >> number & 1 == 1)
    {
        let differs = if value >> number & 1 == 1 { 0 } else { u64::MAX };
        let plane = plane(number);
        word.iter_mut().zip(plane).for_each(|(word, plane)| *word &= plane ^ differs);
    }
    word
}

/// The first bytes, and zeros if there are too few.
#[inline(always)]
fn word_at(bytes: &[u8]) -> CountWord {
    let mut all = [0; COUNTED / 8];
    match bytes.first_chunk() {
        Some(first) => all = *first,
        None => all[..bytes.len()].copy_from_slice(bytes),
    }
    std::array::from_fn(|i| u64::from_le_bytes(all.as_chunks::<8>().0[i]))
}
