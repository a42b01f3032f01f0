//! Memory of tiles: rows of a strip, and how places of a plane are moved there and back, one after the other.

use super::rows::bits::lanes_of;
use crate::states::buffer::{Scratch, Shared};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::unit::{Slot, Unit};
use squeeze_compiler::numbers::numbering::PlaceNumbering;
use squeeze_compiler::numbers::random::{self, DrawKey};
use std::ops::Range;

/// Where the places of a stretch lie.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Whence {
    /// In the domain.
    Domain,
    /// In the domain, beyond a seam.
    Seam,
    /// Beyond its edges.
    Beyond,
}

/// Places of a row of the plane, as a strip has them.
pub(super) struct PlacesOfRow {
    pub y: usize,
    pub xs: Range<usize>,
    pub whence: Whence,
    /// The lane and the row of the first one, and how far it is to those of the next.
    pub at: [i64; 2],
    pub step: [i64; 2],
}

/// A tile's memory: rows of states, of lanes that are cells, of random words.
pub(super) struct StripTile {
    pub states: Vec<TileRows>,
    pub presence: TileRows,
    pub words: TileRows,
}

/// Rows of a tile that follow each other, with room before and behind.
pub(super) struct TileRows {
    pub memory: Scratch,
    /// The bytes before the first row, and from one to the next.
    pub front: usize,
    pub pitch: usize,
    /// Words of a plane of bits.
    pub plane_words: usize,
}

/// Bytes from one row of a state to the next: more than it has, so that squares fit and rows do not fall into the same places of a cache.
pub(super) fn pitch(columns: &Columns) -> usize {
    columns.block.next_multiple_of(64) + 128
}

impl TileRows {
    pub(super) fn at(&self, number: usize) -> usize {
        self.front + number * self.pitch
    }

    pub(super) fn row(&mut self, number: usize) -> &mut [u8] {
        let (at, pitch) = (self.at(number), self.pitch);
        &mut self.memory.as_mut_slice()[at..at + pitch]
    }

    /// Makes a row what another one is.
    pub(super) fn copy_row(&mut self, from: usize, to: usize) {
        let (from, to, pitch) = (self.at(from), self.at(to), self.pitch);
        self.memory.as_mut_slice().copy_within(from..from + pitch, to);
    }

    /// All rows of words, from the first on.
    pub(super) fn all_words(&self) -> &[u32] {
        let bytes = self.memory.as_slice().len() - 2 * self.front;
        // SAFETY: the memory begins on a line of the cache, as the front ends on a word, and rows are words.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(self.front).cast(), bytes / 4) }
    }

    /// A row of words.
    pub(super) fn words(&self, number: usize) -> &[u32] {
        let first = self.at(number);
        assert!(first.is_multiple_of(4) && first + self.pitch <= self.memory.as_slice().len());
        // SAFETY: the memory begins on a line of the cache, rows are words, and these words are the row's.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(first).cast(), self.pitch / 4) }
    }

    /// Where a lane of a row stands, and how far it is to the next place of a stretch.
    fn place(&self, stretch: &PlacesOfRow, size: usize) -> (isize, isize) {
        let of = |[lane, row]: [i64; 2]| row as isize * self.pitch as isize + lane as isize * size as isize;
        (self.front as isize + of(stretch.at), of(stretch.step))
    }
}

impl StripTile {
    /// Moves the last rows to the beginning, as many as are kept, and makes the others 0 unless `is_filled` says that all of them are set anyway: sums rely
    /// on it where there are no cells.
    pub(super) fn go_on(&mut self, kept: usize, is_filled: bool) {
        let all = self.states.iter_mut().chain([&mut self.presence, &mut self.words]);
        for rows in all.filter(|rows| rows.pitch > 0) {
            let (front, bytes, memory) = (rows.front, kept * rows.pitch, rows.memory.as_mut_slice());
            let end = memory.len() - front;
            if bytes > 0 {
                memory.copy_within(end - bytes..end, front);
            }
            if !is_filled {
                memory[front + bytes..].fill(0);
            }
        }
    }
}

/// The parts of a stretch that lie in a column each: where it is stored, the lane of the first place, and the places of the stretch.
fn parts<'a>(grid: &'a RowGrid, stretch: &'a PlacesOfRow) -> impl Iterator<Item = (Slot, usize, Range<usize>)> + 'a {
    let lanes = grid.shape.lanes;
    let columns = stretch.xs.start / lanes..stretch.xs.end.div_ceil(lanes);
    columns.filter_map(move |number| {
        let slot = grid.slot(Unit((stretch.y * grid.columns_of_row() + number) as u32))?;
        let xs = stretch.xs.start.max(number * lanes)..stretch.xs.end.min((number + 1) * lanes);
        Some((slot, xs.start - number * lanes, xs.start - stretch.xs.start..xs.end - stretch.xs.start))
    })
}

/// Where a state is stored.
pub(super) struct StateInMemory<'a> {
    pub grid: &'a RowGrid,
    pub columns: Columns,
    pub now: Shared,
}

impl StateInMemory<'_> {
    /// Moves a stretch into a tile's rows, where it is 0 before.
    ///
    /// # Safety
    /// The memory is that of the state, and nobody writes these places.
    pub(super) unsafe fn move_in(&self, stretch: &PlacesOfRow, rows: &mut TileRows) {
        let StateInMemory { grid, columns, now } = self;
        for (slot, lane, places) in parts(grid, stretch) {
            let column = now.at(slot.index() * columns.block);
            match columns.planes {
                Planes::Number(ty) => {
                    let size = ty.scalar().bytes() as usize;
                    // SAFETY: these places of the column are in the state's memory, and nobody writes them.
                    let from = unsafe { std::slice::from_raw_parts(column.add(lane * size), places.len() * size) };
                    match size {
                        1 => spread::<1>(from, places.start, stretch, rows),
                        2 => spread::<2>(from, places.start, stretch, rows),
                        4 => spread::<4>(from, places.start, stretch, rows),
                        _ => spread::<8>(from, places.start, stretch, rows),
                    }
                }
                Planes::Bits(_) => {
                    let words = rows.plane_words;
                    // SAFETY: this is the column of the unit.
                    let column = unsafe { std::slice::from_raw_parts(column, columns.block) };
                    for (number, plane) in column.chunks_exact(4 * columns.shape.words).enumerate() {
                        spread_bits((plane.as_chunks().0, lane), places.clone(), stretch, (rows, number * words));
                    }
                }
            }
        }
    }

    /// Moves a stretch from a tile's rows back.
    ///
    /// # Safety
    /// The memory is that of the state, and nobody else reads or writes these places; of bits, any of their rows.
    pub(super) unsafe fn move_out(&self, stretch: &PlacesOfRow, rows: &TileRows) {
        let StateInMemory { grid, columns, now } = self;
        for (slot, lane, places) in parts(grid, stretch) {
            let column = now.at(slot.index() * columns.block);
            match columns.planes {
                Planes::Number(ty) => {
                    let size = ty.scalar().bytes() as usize;
                    // SAFETY: these places of the column are in the state's memory, and nobody else reads or writes them.
                    let to = unsafe { std::slice::from_raw_parts_mut(column.add(lane * size), places.len() * size) };
                    match size {
                        1 => gather::<1>(to, places.start, stretch, rows),
                        2 => gather::<2>(to, places.start, stretch, rows),
                        4 => gather::<4>(to, places.start, stretch, rows),
                        _ => gather::<8>(to, places.start, stretch, rows),
                    }
                }
                Planes::Bits(_) => {
                    let words = rows.plane_words;
                    // SAFETY: this is the column of the unit.
                    let column = unsafe { std::slice::from_raw_parts_mut(column, columns.block) };
                    for (number, plane) in column.chunks_exact_mut(4 * columns.shape.words).enumerate() {
                        let to = (plane.as_chunks_mut().0, lane);
                        gather_bits(to, places.clone(), stretch, (rows, number * words));
                    }
                }
            }
        }
    }
}

/// Moves numbers to the places of a stretch from one on.
fn spread<const SIZE: usize>(from: &[u8], first: usize, stretch: &PlacesOfRow, rows: &mut TileRows) {
    let (at, step) = rows.place(stretch, SIZE);
    let (mut at, memory) = (at + first as isize * step, rows.memory.as_mut_slice());
    for value in from.as_chunks::<SIZE>().0 {
        memory[at as usize..][..SIZE].copy_from_slice(value);
        at += step;
    }
}

/// The way back.
fn gather<const SIZE: usize>(to: &mut [u8], first: usize, stretch: &PlacesOfRow, rows: &TileRows) {
    let (at, step) = rows.place(stretch, SIZE);
    let (mut at, memory) = (at + first as isize * step, rows.memory.as_slice());
    for value in to.as_chunks_mut::<SIZE>().0 {
        value.copy_from_slice(&memory[at as usize..][..SIZE]);
        at += step;
    }
}

/// Where a place of a stretch stands in a plane of bits that begins at a word of each row: its word's first byte, and the bit.
fn bit_at(rows: &TileRows, first_word: usize, stretch: &PlacesOfRow, place: usize) -> (usize, u32) {
    let [lane, row] = [0, 1].map(|axis| (stretch.at[axis] + place as i64 * stretch.step[axis]) as usize);
    (rows.at(row) + 4 * (first_word + lane / 32), (lane % 32) as u32)
}

/// Moves bits, from one on, to places of a stretch.
fn spread_bits(
    (from, lane): (&[[u8; 4]], usize),
    places: Range<usize>,
    stretch: &PlacesOfRow,
    (rows, first_word): (&mut TileRows, usize),
) {
    let (first, words) = (places.start, lane / 32..(lane + places.len()).div_ceil(32));
    for (word, bits) in words.clone().zip(&from[words]) {
        let (low, high) = (lane.max(32 * word), (lane + places.len()).min(32 * word + 32));
        let bits = u64::from(u32::from_le_bytes(*bits)) & ((1 << (high - 32 * word)) - 1);
        for bit in lanes_of(bits as u32 >> (low - 32 * word)) {
            let (at, bit) = bit_at(rows, first_word, stretch, first + low - lane + bit);
            rows.memory.as_mut_slice()[at + bit as usize / 8] |= 1 << (bit % 8);
        }
    }
}

/// The way back.
fn gather_bits(
    (to, lane): (&mut [[u8; 4]], usize),
    places: Range<usize>,
    stretch: &PlacesOfRow,
    (rows, first_word): (&TileRows, usize),
) {
    let (memory, words) = (rows.memory.as_slice(), lane / 32..(lane + places.len()).div_ceil(32));
    for (word, to) in words.clone().zip(&mut to[words]) {
        let (low, high) = (lane.max(32 * word), (lane + places.len()).min(32 * word + 32));
        let mut bits = u32::from_le_bytes(*to);
        for bit in low..high {
            let (at, from) = bit_at(rows, first_word, stretch, places.start + bit - lane);
            let value = u32::from(memory[at + from as usize / 8] >> (from % 8) & 1);
            bits = bits & !(1 << (bit - 32 * word)) | value << (bit - 32 * word);
        }
        *to = bits.to_le_bytes();
    }
}

/// Gives all places of a stretch the same value.
pub(super) fn fill(bits: u64, stretch: &PlacesOfRow, (columns, rows): (&Columns, &mut TileRows)) {
    for place in 0..stretch.xs.len() {
        let [lane, row] = [0, 1].map(|axis| (stretch.at[axis] + place as i64 * stretch.step[axis]) as usize);
        columns.put(&mut rows.row(row)[..columns.block], lane, bits);
    }
}

/// Marks the places of a stretch that are cells, or all if they have values beyond edges.
pub(super) fn mark_cells(grid: &RowGrid, stretch: &PlacesOfRow, presence: &mut TileRows, has_edges: bool) {
    if stretch.whence == Whence::Beyond {
        for place in 0..if has_edges { stretch.xs.len() } else { 0 } {
            let (at, bit) = bit_at(presence, 0, stretch, place);
            presence.memory.as_mut_slice()[at + bit as usize / 8] |= 1 << (bit % 8);
        }
        return;
    }
    for (slot, lane, places) in parts(grid, stretch) {
        let mask: Vec<[u8; 4]> = grid.mask(slot).iter().map(|word| word.to_le_bytes()).collect();
        spread_bits((&mask, lane), places, stretch, (presence, 0));
    }
}

/// Makes the random words of the cells of a stretch.
pub(super) fn draw_words(
    grid: &RowGrid,
    (key, draw): (DrawKey, u32),
    stretch: &PlacesOfRow,
    (rows, first): (&mut TileRows, usize),
) {
    let (mut words, numbering) = (Vec::new(), PlaceNumbering::of(grid.extent().map(|side| side as u64)));
    for (slot, lane, places) in parts(grid, stretch) {
        let [x, y, z] = grid.corner(slot).map(|v| v as u64);
        words.clear();
        words.resize(places.len(), 0);
        random::fill(key, numbering.from([x + lane as u64, y, z]), draw, None, &mut words);
        let (at, step) = rows.place(stretch, 4);
        for (place, word) in places.zip(&words) {
            let at = (at + place as isize * step) as usize + 4 * first;
            rows.memory.as_mut_slice()[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// Copies some lanes of a row.
pub(super) fn copy_lanes(columns: &Columns, from: &[u8], to: &mut [u8], lanes: Range<usize>) {
    match columns.planes {
        _ if lanes.is_empty() => {}
        Planes::Number(ty) => {
            let size = ty.scalar().bytes() as usize;
            let bytes = lanes.start * size..lanes.end * size;
            to[bytes.clone()].copy_from_slice(&from[bytes]);
        }
        Planes::Bits(_) => {
            let plane = 4 * columns.shape.words;
            for (from, to) in from.chunks_exact(plane).zip(to.chunks_exact_mut(plane)) {
                let words = lanes.start / 32..lanes.end.div_ceil(32);
                let (from, to) =
                    (&from.as_chunks::<4>().0[words.clone()], &mut to.as_chunks_mut::<4>().0[words.clone()]);
                for (word, (from, to)) in words.zip(from.iter().zip(to)) {
                    let mask = mask_of(lanes.start as i64..lanes.end as i64, 32 * word as i64);
                    let (old, new) = (u32::from_le_bytes(*to), u32::from_le_bytes(*from));
                    *to = (old & !mask | new & mask).to_le_bytes();
                }
            }
        }
    }
}

/// The bits of these lanes in the word whose first lane this is.
pub(super) fn mask_of(lanes: Range<i64>, first: i64) -> u32 {
    let [low, high] = [lanes.start, lanes.end.max(lanes.start)].map(|lane| (lane - first).clamp(0, 32));
    (((1u64 << high) - 1) & !((1u64 << low) - 1)) as u32
}
