//! States between columns of lanes and canonical order.
//!
//! Cell c of replica i stands in column `c − i · K` with K the columns of a plane, in the replica's lane, so a replica's cells are one
//! value from each of K columns that follow each other: to read is to transpose. It is done in blocks of 64 columns; bits go through
//! matrices of 64 × 64, or of 8 × 8 where only so few lanes are wanted. Replicas that follow each other have their lanes far apart.

use crate::packed::{self, spread};
use rayon::prelude::*;
use squeeze_compiler::ir::Type;
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::Part;
use std::ops::Range;

/// Columns that are transposed together.
const BLOCK: usize = 64;
/// Blocks of bits of one turn: a lane's are put down one after the other.
const TURN: usize = 8;
/// Lanes of one turn.
const LANES: usize = 64;
/// The most lanes of a word of 64 that are read one by one: to transpose the word costs about as much. Guess: a lane takes a fifth of that, by counts of operations.
const FEW_LANES: usize = 4;
/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Ranges of as many cells are read on one thread, from one column after the other.
pub(super) const FEW: u64 = 1 << 12;

/// Reads the cells `cells`, at least one, of a state of type `ty` into `out`, which is packed as [`packed`] says. Where a part of the superblocks is computed
/// here, `out` is 0 before, and remains so in the cells of others.
pub(super) fn read(
    (layout, part): (&Layout, &Part),
    columns: &Columns,
    now: &[u8],
    ty: Type,
    cells: Range<u64>,
    out: &mut [u8],
) {
    let lane = LaneCells::of(layout, part);
    let (lanes, replicas) = (layout.lanes_of_replicas(), layout.replicas());
    let source = Source { columns, now, lane, lanes, replicas };
    let total = cells.end - cells.start;
    if total <= FEW {
        source.read_few(ty, cells, out);
        return;
    }
    // Segments of several replicas, which end on whole bytes: replicas that begin with a multiple of eight do so for any K.
    let threads = rayon::current_num_threads() as u64;
    let replicas = total / lane.stride;
    let length = if replicas >= 8 * threads {
        // Each thread goes through the columns once: the lanes of a few replicas lie all over them.
        replicas.div_ceil(threads).next_multiple_of(8) * lane.stride
    } else {
        // A thread alone would go through them once for each segment.
        let segments = if threads > 1 { 4 * threads } else { 1 };
        total.div_ceil(segments).max(FEW).next_multiple_of(8)
    };
    parts(ty, cells, length, out, |cells, out| match columns.planes {
        Planes::Bits(planes) => source.read_bits(planes, ty, cells, out),
        Planes::Number(ty) => match ty.scalar().bytes() {
            1 => source.read_numbers::<1>(cells, out),
            2 => source.read_numbers::<2>(cells, out),
            4 => source.read_numbers::<4>(cells, out),
            _ => source.read_numbers::<8>(cells, out),
        },
    });
}

/// Reads parts of a range of cells, each on a thread. They are cut at multiples of `length`, itself one of 8, so that they begin with whole replicas where
/// they can.
pub(super) fn parts(
    ty: Type,
    cells: Range<u64>,
    length: u64,
    out: &mut [u8],
    read: impl Fn(Range<u64>, &mut [u8]) + Sync,
) {
    let cuts = (cells.start / length..=(cells.end - 1) / length)
        .map(|part| (part * length).max(cells.start)..((part + 1) * length).min(cells.end));
    let parts: Vec<Range<u64>> = cuts.collect();
    match &parts[..] {
        [_] => read(cells, out),
        _ => {
            packed::split(ty, &parts, out).collect::<Vec<_>>().into_par_iter().for_each(|(cells, out)| read(cells, out))
        }
    }
}

/// The columns of one state.
struct Source<'a> {
    columns: &'a Columns,
    now: &'a [u8],
    lane: LaneCells,
    /// The lane of each replica, and the replica of each lane.
    lanes: &'a [u32],
    replicas: &'a [u32],
}

/// How the cells of a replica stand in its lane.
#[derive(Clone, Copy)]
struct LaneCells {
    /// K, by which the indices of the next replica's cells are greater.
    stride: u64,
    /// The first replica's first cell of those that are stored.
    first: u64,
    /// How many of them are stored, each in a column.
    stored: u64,
}

impl LaneCells {
    fn of(layout: &Layout, part: &Part) -> LaneCells {
        let (first, stored) = (layout.columns_of(part.units().start as usize), layout.columns_of(part.owned()));
        LaneCells { stride: layout.lane_stride(), first, stored }
    }

    /// The index of a replica's cell in a column.
    fn cell(self, replica: u64, column: u64) -> u64 {
        replica * self.stride + self.first + column
    }

    /// The part of a range of cells that lies in a replica, as columns of its lane.
    fn part_of(self, cells: &Range<u64>, replica: u64) -> Range<u64> {
        let first = self.cell(replica, 0);
        cells.start.saturating_sub(first).min(self.stored)..cells.end.saturating_sub(first).min(self.stored)
    }

    /// The replicas that have some of the cells.
    fn replicas_of(self, cells: &Range<u64>) -> Range<u64> {
        cells.start / self.stride..(cells.end - 1) / self.stride + 1
    }

    /// The columns that some replica's part of the cells lies in.
    fn columns_of(self, cells: &Range<u64>) -> Range<u64> {
        let replicas = self.replicas_of(cells);
        if replicas.end - replicas.start == 1 { self.part_of(cells, replicas.start) } else { 0..self.stored }
    }
}

/// Some lanes whose bits are read together, at least one and at most [`LANES`].
struct Group {
    /// Which lanes, and their replicas.
    lanes: Vec<(usize, u64)>,
    /// Whether they stand in one word of 64, and are not few.
    are_near: bool,
}

impl Source<'_> {
    /// The lanes of some replicas and their numbers, ascending, those together that stand among so many side by side in a column.
    fn lanes_by(&self, side: usize, replicas: Range<u64>) -> Vec<Vec<(usize, u64)>> {
        let lanes: Vec<(usize, u64)> = if replicas == (0..self.replicas.len() as u64) {
            self.replicas.iter().map(|replica| u64::from(*replica)).enumerate().collect()
        } else {
            let mut some: Vec<_> = replicas.map(|replica| (self.lanes[replica as usize] as usize, replica)).collect();
            some.sort_unstable();
            some
        };
        lanes.chunk_by(|a, b| a.0 / side == b.0 / side).map(<[_]>::to_vec).collect()
    }

    /// The lanes of some replicas in groups. A few of each of many words are a group too, so that a block is in the processor's cache when it is read for
    /// all of them.
    fn groups(&self, replicas: Range<u64>) -> Vec<Group> {
        let (near, few): (Vec<_>, Vec<_>) =
            self.lanes_by(LANES, replicas).into_iter().partition(|lanes| lanes.len() > FEW_LANES);
        let near = near.into_iter().map(|lanes| Group { lanes, are_near: true });
        near.chain(few.concat().chunks(LANES).map(|lanes| Group { lanes: lanes.to_vec(), are_near: false })).collect()
    }

    fn read_bits(&self, planes: u8, ty: Type, cells: Range<u64>, out: &mut [u8]) {
        let packs = ty == Type::Bit;
        let plane_bytes = 4 * self.columns.shape.words;
        let (replicas, range) = (self.lane.replicas_of(&cells), self.lane.columns_of(&cells));
        if packs && self.lane.stride >= (TURN * BLOCK) as u64 {
            // Whole turns are put down over whatever is there; what a replica has before and behind them is added to zeros.
            for replica in replicas.clone() {
                let part = self.lane.part_of(&cells, replica);
                if part.is_empty() {
                    continue;
                }
                let turn = (TURN * BLOCK) as u64;
                let below = (range.start + (part.start - range.start).next_multiple_of(turn)).min(part.end);
                let above = (range.start + (part.end - range.start) / turn * turn).max(below);
                for (a, b) in [(part.start, below), (above, part.end)] {
                    let bit = |column: u64| (self.lane.cell(replica, column) - cells.start) as usize;
                    let last = (bit(b) / 8 + 1).min(out.len());
                    out[bit(a) / 8..last].fill(0);
                }
            }
        } else {
            out.fill(0);
        }
        let groups = self.groups(replicas);
        for column in (range.start..range.end).step_by(TURN * BLOCK) {
            let count = (range.end - column).min((TURN * BLOCK) as u64);
            let columns = &self.now[column as usize * self.columns.column..][..count as usize * self.columns.column];
            for group in &groups {
                if packs && count <= BLOCK as u64 {
                    // Replicas of few cells: a word each.
                    let words = words_of(columns, self.columns.column, 0..plane_bytes, group);
                    for (word, &(_, replica)) in words.into_iter().zip(&group.lanes) {
                        let part = self.lane.part_of(&cells, replica);
                        let (a, b) = (part.start.max(column), part.end.min(column + count));
                        if a < b {
                            let to = (self.lane.cell(replica, a) - cells.start) as usize;
                            let length = (b - a) as u32;
                            or_bits(out, to, word >> (a - column) & u64::MAX >> (64 - length), length);
                        }
                    }
                    continue;
                }
                for plane in 0..usize::from(planes) {
                    let at = plane * plane_bytes;
                    let mut words = [[0; LANES]; TURN];
                    for (words, block) in words.iter_mut().zip(columns.chunks(BLOCK * self.columns.column)) {
                        *words = words_of(block, self.columns.column, at..at + plane_bytes, group);
                    }
                    for (number, &(_, replica)) in group.lanes.iter().enumerate() {
                        let words: [u64; TURN] = std::array::from_fn(|i| words[i][number]);
                        let part = self.lane.part_of(&cells, replica);
                        let (a, b) = (part.start.max(column), part.end.min(column + count));
                        if a >= b {
                            continue;
                        }
                        let to = (self.lane.cell(replica, a) - cells.start) as usize;
                        if packs && b - a == (TURN * BLOCK) as u64 {
                            put_words(out, to, &words);
                            continue;
                        }
                        for (from, word) in (column..).step_by(BLOCK).zip(words) {
                            let (first, end) = (a.max(from), b.min(from + BLOCK as u64));
                            if first >= end {
                                continue;
                            }
                            let length = (end - first) as u32;
                            let word = word >> (first - from) & u64::MAX >> (64 - length);
                            let to = to + (first - a) as usize;
                            if packs {
                                or_bits(out, to, word, length);
                            } else {
                                or_bytes(&mut out[to..to + length as usize], word, plane);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Reads numbers by lines of the cache: a line of each column of a block is copied to where all lie side by side, and transposed there. The lines of the
    /// next block, and those that its values go to, are fetched meanwhile: those of many columns and lanes are more than a processor fetches ahead by itself.
    fn read_numbers<const SIZE: usize>(&self, cells: Range<u64>, out: &mut [u8]) {
        let range = self.lane.columns_of(&cells);
        let groups = self.lanes_by(LINE / SIZE, self.lane.replicas_of(&cells));
        let mut lines = [[0; LINE]; BLOCK];
        for column in (range.start..range.end).step_by(BLOCK) {
            let above = (column + BLOCK as u64).min(range.end);
            let stored = &self.now[column as usize * self.columns.column..];
            let block = &stored[..(above - column) as usize * self.columns.column];
            for group in &groups {
                let first = group[0].0 * SIZE / LINE * LINE;
                let length = LINE.min(self.columns.column - first);
                let next = (BLOCK * self.columns.column + first..).step_by(self.columns.column);
                for ((line, column), next) in lines.iter_mut().zip(block.chunks_exact(self.columns.column)).zip(next) {
                    fetch_soon(stored, next);
                    match column[first..].first_chunk() {
                        Some(bytes) => *line = *bytes,
                        None => line[..length].copy_from_slice(&column[first..]),
                    }
                }
                for &(lane, replica) in group {
                    let part = self.lane.part_of(&cells, replica);
                    let (a, b) = (part.start.max(column), part.end.min(above));
                    if a >= b {
                        continue;
                    }
                    let to = (self.lane.cell(replica, a) - cells.start) as usize;
                    let lines = &lines[(a - column) as usize..(b - column) as usize];
                    let (values, next) = out.as_chunks_mut::<SIZE>().0[to..].split_at_mut(lines.len());
                    (0..BLOCK * SIZE).step_by(LINE).for_each(|at| fetch_soon(next.as_flattened(), at));
                    let lane = lane % (LINE / SIZE);
                    values.iter_mut().zip(lines).for_each(|(value, line)| *value = line.as_chunks::<SIZE>().0[lane]);
                }
            }
        }
    }

    /// Reads a few cells, which lie in a few replicas.
    fn read_few(&self, ty: Type, cells: Range<u64>, out: &mut [u8]) {
        let size = ty.bytes() as usize;
        if let Planes::Bits(_) = self.columns.planes {
            out.fill(0);
        }
        for replica in self.lane.replicas_of(&cells) {
            let part = self.lane.part_of(&cells, replica);
            if part.is_empty() {
                continue;
            }
            let (lane, mut to) =
                (self.lanes[replica as usize] as usize, self.lane.cell(replica, part.start) - cells.start);
            let column_bytes = self.columns.column;
            let stored = &self.now[part.start as usize * column_bytes..part.end as usize * column_bytes];
            let columns = stored.chunks_exact(column_bytes);
            match self.columns.planes {
                Planes::Bits(1) => {
                    for block in stored.chunks(BLOCK * column_bytes) {
                        let length = (block.len() / column_bytes) as u32;
                        let mut words = [0];
                        add_words(block, column_bytes, 0, &[(lane, replica)], &mut words);
                        let [word] = words;
                        match ty {
                            Type::Bit => or_bits(out, to as usize, word, length),
                            _ => or_bytes(&mut out[to as usize..][..length as usize], word, 0),
                        }
                        to += u64::from(length);
                    }
                }
                Planes::Bits(_) => {
                    let values = out[to as usize..].iter_mut().zip(columns);
                    values.for_each(|(value, column)| *value = self.columns.bits(column, lane) as u8);
                }
                Planes::Number(_) => {
                    let values = out[to as usize * size..].chunks_exact_mut(size).zip(columns);
                    values.for_each(|(value, column)| value.copy_from_slice(&column[lane * size..][..size]));
                }
            }
        }
    }
}

/// Adds to the words of some lanes, which are zeros, their bits in the columns of a block, of the plane that begins at a byte of the columns.
#[inline]
fn add_words(block: &[u8], column_bytes: usize, plane: usize, lanes: &[(usize, u64)], words: &mut [u64]) {
    for (eight, shift) in block.chunks(8 * column_bytes).zip((0..).step_by(8)) {
        let column = |i: usize| eight.get(i * column_bytes..(i + 1) * column_bytes).unwrap_or_default();
        let columns: [&[u8]; 8] = std::array::from_fn(column);
        for (word, (lane, _)) in words.iter_mut().zip(lanes) {
            let bytes = columns.map(|column| column.get(plane + lane / 8).copied().unwrap_or(0));
            *word |= u64::from(collected(u64::from_le_bytes(bytes) >> (lane % 8))) << shift;
        }
    }
}

/// Writes the cells `cells` of a state of type `ty` that are computed here from `bytes`, which is packed as [`packed`] says.
pub(super) fn write(
    (layout, part): (&Layout, &Part),
    columns: &Columns,
    now: &mut [u8],
    ty: Type,
    cells: Range<u64>,
    bytes: &[u8],
) {
    if cells.is_empty() {
        return;
    }
    let lane = LaneCells::of(layout, part);
    let range = lane.columns_of(&cells);
    let touched = range.start as usize * columns.column..range.end as usize * columns.column;
    let blocks = now[touched].par_chunks_mut(BLOCK * columns.column).enumerate();
    blocks.for_each(|(index, block)| {
        let lanes = layout.lanes_of_replicas();
        let target = Target { columns, lane, lanes, ty, cells: &cells, bytes };
        let column = range.start + (index * BLOCK) as u64;
        match columns.planes {
            Planes::Bits(planes) => target.write_bits(planes, column, block),
            Planes::Number(_) => target.write_numbers(column, block),
        }
    });
}

/// Packed values of a range of cells that are written to the columns of one state.
struct Target<'a> {
    columns: &'a Columns,
    lane: LaneCells,
    lanes: &'a [u32],
    ty: Type,
    cells: &'a Range<u64>,
    bytes: &'a [u8],
}

impl Target<'_> {
    /// Calls `visit` with each replica that has cells in the columns from `column` on, and these columns.
    fn for_each_replica(&self, column: u64, block: &[u8], mut visit: impl FnMut(u64, Range<u64>)) {
        let above = column + (block.len() / self.columns.column) as u64;
        for replica in self.lane.replicas_of(self.cells) {
            let part = self.lane.part_of(self.cells, replica);
            let (a, b) = (part.start.max(column), part.end.min(above));
            if a < b {
                visit(replica, a..b);
            }
        }
    }

    fn write_bits(&self, planes: u8, column: u64, block: &mut [u8]) {
        let plane_bytes = 4 * self.columns.shape.words;
        for plane in 0..usize::from(planes) {
            // For each byte of a plane the words of its eight lanes, and where in them there are cells.
            let mut words = vec![([0u64; 8], [0u64; 8]); plane_bytes];
            self.for_each_replica(column, block, |replica, part| {
                let lane = self.lanes[replica as usize];
                let (skipped, length) = ((part.start - column) as u32, (part.end - part.start) as u32);
                let from = (self.lane.cell(replica, part.start) - self.cells.start) as usize;
                let word = if self.ty == Type::Bit {
                    bits_at(self.bytes, from, length)
                } else {
                    bits_of_bytes(&self.bytes[from..from + length as usize], plane)
                };
                let (values, mask) = &mut words[(lane / 8) as usize];
                values[(lane % 8) as usize] = word << skipped;
                mask[(lane % 8) as usize] = u64::MAX >> (64 - length) << skipped;
            });
            for (byte, (values, mask)) in words.iter().enumerate().filter(|(_, (_, mask))| *mask != [0; 8]) {
                let (values, mask) = (gathered(values), gathered(mask));
                let columns = block.chunks_exact_mut(self.columns.column);
                for ((column, value), mask) in columns.zip(values).zip(mask) {
                    let place = &mut column[plane * plane_bytes + byte];
                    *place = *place & !mask | value & mask;
                }
            }
        }
    }

    fn write_numbers(&self, column: u64, block: &mut [u8]) {
        let size = self.ty.bytes() as usize;
        let mut moves = Vec::new();
        self.for_each_replica(column, block, |replica, part| moves.push((replica, part)));
        for (replica, part) in moves {
            let lane = self.lanes[replica as usize];
            let first = self.lane.cell(replica, part.start) - self.cells.start;
            let skipped = (part.start - column) as usize;
            let columns = block.chunks_exact_mut(self.columns.column).skip(skipped);
            for (i, column) in (0..part.end - part.start).zip(columns) {
                let bits = packed::canonical_bits(self.ty, packed::bits(self.ty, self.bytes, first + i));
                column[lane as usize * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
    }
}

/// The lowest bits of eight bytes as one byte.
#[inline]
fn collected(bytes: u64) -> u8 {
    ((bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The transpose of a matrix of 8 × 8 bits, row i in byte i (H. S. Warren, "Hacker's Delight", 2nd ed., §7–3).
fn transpose(mut m: u64) -> u64 {
    for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
        let t = (m ^ (m >> shift)) & mask;
        m ^= t ^ (t << shift);
    }
    m
}

/// A word of each lane of a group, with a bit for each column of a block. `plane` is where in a column of `column_bytes` bytes the lanes' bits
/// are.
fn words_of(block: &[u8], column_bytes: usize, plane: Range<usize>, group: &Group) -> [u64; LANES] {
    let mut words = [0; LANES];
    if !group.are_near {
        add_words(block, column_bytes, plane.start, &group.lanes, &mut words);
        return words;
    }
    let from = plane.start + group.lanes[0].0 / LANES * 8;
    for (word, column) in words.iter_mut().zip(block.chunks_exact(column_bytes)) {
        *word = match column[from..plane.end].first_chunk() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            // Planes are whole words of 32 bits.
            None => column[from..plane.end].first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes))),
        };
    }
    transpose_words(&mut words);
    // Lanes ascend: none is before its place in the group.
    (0..).zip(&group.lanes).for_each(|(number, (lane, _)): (usize, _)| words[number] = words[lane % LANES]);
    words
}

/// Transposes a matrix of 64 × 64 bits, row i in word i, by exchanging ever smaller blocks (H. S. Warren, "Hacker's Delight", 2nd
/// ed., §7–3).
fn transpose_words(words: &mut [u64; 64]) {
    exchange::<32>(words, 0x0000_0000_ffff_ffff);
    exchange::<16>(words, 0x0000_ffff_0000_ffff);
    exchange::<8>(words, 0x00ff_00ff_00ff_00ff);
    exchange::<4>(words, 0x0f0f_0f0f_0f0f_0f0f);
    exchange::<2>(words, 0x3333_3333_3333_3333);
    exchange::<1>(words, 0x5555_5555_5555_5555);
}

/// Exchanges the upper half of each of SIZE rows with the lower half of the row SIZE below, in each block of 2 · SIZE columns; `mask`
/// has the lower halves.
fn exchange<const SIZE: usize>(words: &mut [u64; 64], mask: u64) {
    for block in words.chunks_exact_mut(2 * SIZE) {
        let (above, below) = block.split_at_mut(SIZE);
        for (a, b) in above.iter_mut().zip(below) {
            let t = (*a >> SIZE ^ *b) & mask;
            *a ^= t << SIZE;
            *b ^= t;
        }
    }
}

/// From one word of each of eight lanes, a bit for each column, to one byte of each column, a bit for each lane.
fn gathered(words: &[u64; 8]) -> [u8; BLOCK] {
    let mut bytes = [0u8; BLOCK];
    for (i, eight) in bytes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let rows = words.map(|word| (word >> (8 * i)) as u8);
        *eight = transpose(u64::from_le_bytes(rows)).to_le_bytes();
    }
    bytes
}

/// Adds the lowest `length` bits of a word, which has no others, to the zeros from bit `at` on.
#[inline]
pub(crate) fn or_bits(out: &mut [u8], at: usize, word: u64, length: u32) {
    let (byte, shift) = (at / 8, (at % 8) as u32);
    // Nine bytes are touched at most.
    if let Some(place) = out.get_mut(byte..).and_then(|out| out.first_chunk_mut::<9>()) {
        let [low @ .., high] = place;
        *low = (u64::from_le_bytes(*low) | word << shift).to_le_bytes();
        // A byte that was just written is no part of what is read next, if it can be.
        if shift > 0 {
            *high |= (word >> 1 >> (63 - shift)) as u8;
        }
    } else {
        let touched = (shift + length).div_ceil(8) as usize;
        let shifted = (u128::from(word) << shift).to_le_bytes();
        out[byte..byte + touched].iter_mut().zip(shifted).for_each(|(place, part)| *place |= part);
    }
}

/// Puts words over the bits from bit `at` on; what stands below them in the first byte and above them in the last one stays.
fn put_words(out: &mut [u8], at: usize, words: &[u64; TURN]) {
    let (byte, shift) = (at / 8, (at % 8) as u32);
    // The lane's next turns: no processor guesses hundreds of places by itself.
    fetch_soon(&out[byte..], 16 * TURN);
    let (whole, rest) = out[byte..].split_at_mut(8 * TURN);
    let below = (1 << shift) - 1;
    let mut carried = u64::from(whole[0] & below);
    for (place, word) in whole.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *place = (carried | word << shift).to_le_bytes();
        carried = word >> 1 >> (63 - shift);
    }
    if shift > 0 {
        rest[0] = rest[0] & !below | carried as u8;
    }
}

/// Lets the processor fetch a byte, if there is one, while it works on others.
fn fetch_soon(bytes: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(byte) = bytes.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 has the instruction, and the byte is there.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, at);
}

/// Adds the lowest bits of a word, one to each byte, as bit `plane`.
#[inline]
pub(super) fn or_bytes(out: &mut [u8], word: u64, plane: usize) {
    for (i, bytes) in out.chunks_mut(8).enumerate() {
        let part = spread((word >> (8 * i)) as u8) << plane;
        bytes.iter_mut().zip(part.to_le_bytes()).for_each(|(place, part)| *place |= part);
    }
}

/// `length` bits, at most 64, from bit `at` on.
#[inline]
pub(crate) fn bits_at(bytes: &[u8], at: usize, length: u32) -> u64 {
    let (byte, shift) = (at / 8, (at % 8) as u32);
    if let Some([low @ .., high]) = bytes.get(byte..).and_then(|bytes| bytes.first_chunk::<9>()) {
        let word = u64::from_le_bytes(*low) >> shift | u64::from(*high) << 1 << (63 - shift);
        return word & u64::MAX >> (64 - length);
    }
    let touched = (shift + length).div_ceil(8) as usize;
    let mut word = [0; 16];
    word[..touched].copy_from_slice(&bytes[byte..byte + touched]);
    (u128::from_le_bytes(word) >> shift) as u64 & u64::MAX >> (64 - length)
}

/// Bit `plane` of each of at most 64 bytes.
pub(super) fn bits_of_bytes(bytes: &[u8], plane: usize) -> u64 {
    let eight = |(i, bytes): (usize, &[u8])| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from(collected(u64::from_le_bytes(word) >> plane)) << (8 * i)
    };
    bytes.chunks(8).enumerate().map(eight).fold(0, |word, part| word | part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use squeeze_compiler::geometry::Domain;
    use squeeze_compiler::kernel::LaneType;
    use squeeze_compiler::layout::columns::Shape;
    use squeeze_compiler::layout::unit::{CellIndex, Slot, Unit};
    use squeeze_compiler::shipped;
    use std::sync::Arc;

    #[test]
    fn matrices_of_bits_are_transposed_and_back() {
        let bytes: [u8; BLOCK] = std::array::from_fn(|i| (i * i + 7 * i) as u8 ^ (i >> 3) as u8);
        let lanes: [(usize, u64); 8] = std::array::from_fn(|lane| (lane, 0));
        let mut words = [0; 8];
        add_words(&bytes, 1, 0, &lanes, &mut words);
        for (column, byte) in bytes.iter().enumerate() {
            for (lane, word) in words.iter().enumerate() {
                assert_eq!(word >> column & 1, u64::from(byte >> lane & 1), "lane {lane} of column {column}");
            }
        }
        assert_eq!(gathered(&words), bytes);
        let rows: [u64; 64] = std::array::from_fn(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul((i * i + 1) as u64));
        let mut words = rows;
        transpose_words(&mut words);
        for (i, row) in rows.iter().enumerate() {
            assert!(words.iter().enumerate().all(|(j, word)| word >> i & 1 == row >> j & 1), "row {i}");
        }
        transpose_words(&mut words);
        assert_eq!(words, rows);
    }

    #[test]
    fn words_of_few_lanes_and_of_many_have_the_bits_of_their_lanes() {
        // The last word of a plane has 32 lanes.
        let block: Vec<u8> = (0..BLOCK * 13).map(|i| (i * i + 5 * i) as u8 ^ (i >> 4) as u8).collect();
        let lists = [vec![3], vec![1, 64, 70, 95], (64..96).collect(), (0..64).step_by(3).collect::<Vec<_>>()];
        for (lanes, columns) in lists.iter().flat_map(|lanes| [(lanes, BLOCK), (lanes, 27)]) {
            let lanes: Vec<_> = lanes.iter().map(|lane| (*lane, 0)).collect();
            for are_near in [lanes[0].0 / 64 == lanes[lanes.len() - 1].0 / 64, false] {
                let group = Group { lanes: lanes.clone(), are_near };
                let words = words_of(&block[..columns * 13], 13, 1..13, &group);
                for ((lane, _), word) in lanes.iter().zip(words) {
                    let bit = |column: usize| u64::from(block[column * 13 + 1 + lane / 8] >> (lane % 8) & 1) << column;
                    assert_eq!(word, (0..columns).map(bit).sum::<u64>(), "lane {lane} of {lanes:?}");
                }
            }
        }
    }

    #[test]
    fn numbers_of_all_fractals_are_read_as_one_by_one() {
        let sizes = [
            (LaneType::U8, Type::U8),
            (LaneType::U16, Type::U16),
            (LaneType::F32, Type::F32),
            (LaneType::F64, Type::F64),
        ];
        for (name, _) in shipped::FRACTALS {
            let fractal = samples::fractal(name);
            let domains = (1..12).map_while(|level| Domain::new(Arc::clone(&fractal), level).ok());
            for domain in domains.take_while(|domain| domain.cells() <= 1 << 14) {
                for (digits, (number, ty)) in (0..4).flat_map(|digits| sizes.map(|size| (digits, size))) {
                    let layout = Layout::new(&domain, digits, 1).expect("small");
                    let columns =
                        Columns::new(Planes::Number(number), Shape::of(&layout), layout.micro_cells() as usize);
                    let bytes = columns.block * layout.superblocks() as usize;
                    let now: Vec<u8> =
                        (0..bytes as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
                    let value = |c: u64| {
                        let (lane, Unit(superblock), micro) = layout.split(CellIndex(c));
                        columns.bits(&now[columns.column_at(Slot(superblock), micro)], lane.0 as usize)
                    };
                    let size = ty.bytes() as usize;
                    let expected: Vec<u8> =
                        (0..domain.cells()).flat_map(|c| value(c).to_le_bytes().into_iter().take(size)).collect();
                    let source = Source {
                        columns: &columns,
                        now: &now,
                        lane: LaneCells::of(&layout, &Part::whole(layout.superblocks())),
                        lanes: layout.lanes_of_replicas(),
                        replicas: layout.replicas(),
                    };
                    let n = domain.cells();
                    for cells in [0..n, n / 3..n, n / 7..n - n / 5] {
                        let mut out = vec![0xa5; (cells.end - cells.start) as usize * size];
                        match size {
                            1 => source.read_numbers::<1>(cells.clone(), &mut out),
                            2 => source.read_numbers::<2>(cells.clone(), &mut out),
                            4 => source.read_numbers::<4>(cells.clone(), &mut out),
                            _ => source.read_numbers::<8>(cells.clone(), &mut out),
                        }
                        let expected = &expected[cells.start as usize * size..cells.end as usize * size];
                        assert!(
                            out == expected,
                            "{name} at {}, {digits} digits, {ty:?}, cells {cells:?}",
                            domain.level()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn bits_are_spread_and_collected() {
        for byte in 0..=255 {
            assert!((0..8).all(|i| spread(byte) >> (8 * i) & 0xff == u64::from(byte >> i & 1)));
            assert_eq!(collected(spread(byte)), byte);
        }
    }

    #[test]
    fn many_words_go_to_any_bit() {
        let words: [u64; TURN] = std::array::from_fn(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i as u64 + 1));
        for at in 0..20 {
            let mut expected = vec![0; 70];
            or_bits(&mut expected, at + 64 * TURN, 1, 1);
            if at % 8 > 0 {
                or_bits(&mut expected, at - 1, 1, 1);
            }
            let mut out = expected.clone();
            // Values that were there before are gone.
            out[at.div_ceil(8)..at / 8 + 8 * TURN].fill(0xa5);
            words.iter().enumerate().for_each(|(i, word)| or_bits(&mut expected, at + 64 * i, *word, 64));
            put_words(&mut out, at, &words);
            assert_eq!(out, expected, "at {at}");
        }
    }

    #[test]
    fn words_go_to_any_bit_and_come_back() {
        for at in 0..70 {
            for length in 1..=64u32 {
                let word = 0x9e37_79b9_7f4a_7c15u64.rotate_left(length) & u64::MAX >> (64 - length);
                let mut out = vec![0; (at + length as usize).div_ceil(8)];
                or_bits(&mut out, at, word, length);
                assert_eq!(bits_at(&out, at, length), word);
                assert_eq!(out.iter().map(|byte| byte.count_ones()).sum::<u32>(), word.count_ones());
            }
        }
    }
}
