//! Rows of a plane become lanes of a tile's rows, and the other way round, by squares: so many lanes, and as many rows at a time.

use super::tile::{StateInMemory, TileRows};
use squeeze_compiler::ir::Strips;
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::numbers::random::transpose;
use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Lanes and rows of a strip that are moved in squares.
pub(super) struct SquareLanes {
    pub lanes: Range<i64>,
    pub rows: Range<i64>,
    /// The strip's own lanes: squares begin and end with them.
    pub strip: Range<i64>,
    /// The tile's first lane and row.
    pub tile: [i64; 2],
}

/// Of so few lanes each value is moved by itself.
const FEW_LANES: i64 = 2;

/// The side of the squares in which numbers are moved.
pub(super) const SIDE: usize = 16;

/// A plane as strips see it: the sides along a lane and across lanes.
#[derive(Clone, Copy)]
pub(super) struct StripPlane {
    pub strips: Strips,
    pub sides: [i64; 2],
    /// The first row and the number of rows if these are stored alone.
    pub stored: Option<[i64; 2]>,
}

impl StripPlane {
    /// The row of the plane that a lane is as it is stored, and its coordinate along x in a row of the strip, which may lie outside. Where a few rows are
    /// stored alone, lanes share them in turn, so that the last one has the last row.
    fn place(&self, lane: i64, row: i64) -> [i64; 2] {
        let Strips { along, across, shear } = self.strips;
        let (p, last) = (row - i64::from(shear) * lane, self.sides[1] - 1);
        let [first, count] = self.stored.unwrap_or([0, self.sides[1]]);
        let lane = last - (last - lane) % count;
        let y = if across.backwards { last - lane } else { lane } - first;
        [if along.backwards { self.sides[0] - 1 - p } else { p }, y]
    }

    /// Which of some rows of the strip, counted from the first, are places of a lane.
    fn rows_of(&self, lane: i64, rows: &Range<i64>) -> Range<usize> {
        let first = i64::from(self.strips.shear) * lane;
        let count = rows.end - rows.start;
        let [start, end] = [first, first + self.sides[0]].map(|row| (row - rows.start).clamp(0, count) as usize);
        start..end
    }
}

impl StateInMemory<'_> {
    /// Whether values can be moved in squares: a row has no gaps.
    pub(super) fn has_blocks(&self) -> bool {
        self.grid.is_full() || self.grid.stores_all()
    }

    /// Moves the places of blocks into a tile's rows, or back, if they can be. The strip's own lanes need not be if they are `left_out`.
    ///
    /// # Safety
    /// The memory is that of the state, and nobody else writes these places, or reads them if they are moved back; of bits, any of their rows.
    pub(super) unsafe fn move_blocks(
        &self,
        plane: StripPlane,
        (blocks, left_out): (&SquareLanes, bool),
        to: &mut TileRows,
        is_back: bool,
    ) {
        let ty = match self.columns.planes {
            _ if !self.has_blocks() || blocks.lanes.is_empty() || blocks.rows.is_empty() => return,
            // SAFETY: as the caller's.
            Planes::Bits(_) => return unsafe { self.move_bits(plane, (blocks, left_out), to, is_back) },
            Planes::Number(ty) => ty,
        };
        let (SquareLanes { lanes, rows, tile: [corner, top], strip }, size) = (blocks, ty.scalar().bytes() as usize);
        let count = (rows.end - rows.start) as usize;
        let parts = [lanes.start..strip.start, strip.clone(), strip.end..lanes.end];
        let parts = parts.into_iter().enumerate().filter(|(part, _)| !(left_out && *part == 1));
        let parts = parts.map(|(_, part)| part.start.max(lanes.start)..part.end.min(lanes.end));
        for (first, end) in parts.flat_map(|part| part.clone().step_by(SIDE).map(move |first| (first, part.end))) {
            let end = end.min(first + SIDE as i64);
            let at = to.at((rows.start - top) as usize) + (first - corner) as usize * size;
            assert!(at + (count - 1) * to.pitch + SIDE * size <= to.memory.as_slice().len());
            let mut squares = Squares {
                lines: [std::ptr::null_mut(); SIDE],
                there: std::array::from_fn(|_| 0..0),
                is_backwards: plane.strips.along.backwards,
                rows: to.memory.as_mut_ptr().wrapping_add(at),
                pitch: to.pitch,
                count,
                is_back,
            };
            for (lane, number) in (first..end).zip(0..) {
                let [x, y] = plane.place(lane, rows.start);
                let line = self.now.0.wrapping_add(y as usize * self.grid.columns_of_row() * self.columns.block);
                squares.lines[number] = line.wrapping_offset(x as isize * size as isize);
                squares.there[number] = plane.rows_of(lane, rows);
            }
            // SAFETY: these are places of the row, as many as rows, and lanes of the tile's rows.
            unsafe {
                match size {
                    _ if end - first <= FEW_LANES => squares.exchange_singly(size),
                    1 => squares.exchange::<u8>(0),
                    2 => squares.exchange::<u16>(0),
                    4 => squares.exchange_of_four(),
                    _ => squares.exchange_of_eight(),
                }
            }
        }
    }

    /// Moves blocks of bits: of 32 lanes and rows at a time, which are turned.
    ///
    /// # Safety
    /// As of [`move_blocks`](Self::move_blocks).
    unsafe fn move_bits(
        &self,
        plane: StripPlane,
        (blocks, left_out): (&SquareLanes, bool),
        to: &mut TileRows,
        is_back: bool,
    ) {
        let (SquareLanes { lanes, rows, tile: [corner, top], strip }, words) = (blocks, self.columns.shape.words);
        let (along, last) = (plane.strips.along, self.grid.columns_of_row() * words - 1);
        // Words of a row that follow each other need not be divided among columns.
        let is_even = self.columns.block == 4 * words;
        let groups = (lanes.start - corner) / 32..(lanes.end - corner + 31) / 32;
        let planes = 0..usize::from(self.columns.planes.count());
        for (number_of_plane, row, group) in planes.flat_map(|plane| {
            let groups = &groups;
            rows.clone().step_by(32).flat_map(move |row| groups.clone().map(move |group| (plane, row, group)))
        }) {
            let rows = row..rows.end.min(row + 32);
            let count = (rows.end - rows.start) as usize;
            let here = lanes.start.max(corner + 32 * group)..lanes.end.min(corner + 32 * group + 32);
            if left_out && strip.start <= here.start && here.end <= strip.end {
                continue;
            }
            let first_word = number_of_plane * to.plane_words + group as usize;
            let word = |y: i64, number: usize| {
                let first = y as usize * self.grid.columns_of_row();
                let word = match is_even {
                    true => first * self.columns.block + 4 * number,
                    false => {
                        let column = 4 * (number_of_plane * words + number % words);
                        (first + number / words) * self.columns.block + column
                    }
                };
                self.now.at(word).cast::<u32>()
            };
            let mut square = [0; 32];
            let at = |number: usize| to.at((row - top) as usize + number) + 4 * first_word;
            let of_lane = |lane: i64| (lane - corner - 32 * group) as usize;
            let are_few = here.end - here.start <= FEW_LANES;
            if is_back {
                let memory = to.memory.as_slice();
                let word = |number: usize| {
                    u32::from_le_bytes(memory[at(number)..at(number) + 4].try_into().expect("four bytes"))
                };
                if are_few {
                    for lane in here.clone().map(of_lane) {
                        square[lane] = (0..count).fold(0, |bits, number| bits | (word(number) >> lane & 1) << number);
                    }
                } else {
                    square[..count].iter_mut().enumerate().for_each(|(number, bits)| *bits = word(number));
                    transpose(&mut square);
                }
            }
            for lane in here.clone() {
                let bits = &mut square[of_lane(lane)];
                let there = plane.rows_of(lane, &rows);
                if there.is_empty() {
                    continue;
                }
                // The place that comes first along x.
                let first = if along.backwards { there.end - 1 } else { there.start };
                let [x, y] = plane.place(lane, row + first as i64);
                let (number, shift, count) = (x as usize / 32, x as usize % 32, there.len());
                let turned = |bits: u32| if along.backwards { bits.reverse_bits() >> (32 - count) } else { bits };
                let all = u32::MAX >> (32 - count);
                let is_split = shift + count > 32 && number < last;
                // SAFETY: the words are those of the row, as far as it has places. Other threads may read them for other bits.
                unsafe {
                    let load = |word: *mut u32| u64::from(u32::from_le(AtomicU32::from_ptr(word).load(Relaxed)));
                    let store = |word: *mut u32, bits: u32| AtomicU32::from_ptr(word).store(bits.to_le(), Relaxed);
                    let low = load(word(y, number));
                    let high = if is_split { load(word(y, number + 1)) } else { 0 };
                    let old = low | high << 32;
                    if is_back {
                        let new = turned(*bits >> there.start & all);
                        let new = old & !(u64::from(all) << shift) | u64::from(new) << shift;
                        store(word(y, number), new as u32);
                        if is_split {
                            store(word(y, number + 1), (new >> 32) as u32);
                        }
                    } else {
                        *bits = turned((old >> shift) as u32 & all) << there.start;
                    }
                }
            }
            let places: [usize; 32] = std::array::from_fn(at);
            let memory = to.memory.as_mut_slice();
            match is_back {
                true => {}
                false if are_few => {
                    for (lane, (number, at)) in
                        here.map(of_lane).flat_map(|lane| places[..count].iter().enumerate().map(move |of| (lane, of)))
                    {
                        let byte = &mut memory[at + lane / 8];
                        *byte = *byte & !(1 << (lane % 8)) | ((square[lane] >> number & 1) as u8) << (lane % 8);
                    }
                }
                false => {
                    transpose(&mut square);
                    for (bits, at) in square[..count].iter().zip(places) {
                        memory[at..at + 4].copy_from_slice(&bits.to_le_bytes());
                    }
                }
            }
        }
    }
}

/// Lines of the plane that become lanes of rows, or the other way round. All of it is memory of one thread.
struct Squares {
    /// Where the place of the first row stands, or would stand.
    lines: [*mut u8; SIDE],
    /// The rows of which there are places.
    there: [Range<usize>; SIDE],
    is_backwards: bool,
    /// The first row, from one to the next, and how many there are.
    rows: *mut u8,
    pitch: usize,
    count: usize,
    is_back: bool,
}

impl Squares {
    /// Where the places of `square` rows from one on stand in a line, in ascending order; of lines that go backwards the last row comes first.
    #[inline(always)]
    fn line(&self, lane: usize, first: usize, square: usize, size: usize) -> *mut u8 {
        match self.is_backwards {
            true => self.lines[lane].wrapping_sub((first + square - 1) * size),
            false => self.lines[lane].wrapping_add(first * size),
        }
    }

    /// Which of these places there are, as bits in their order.
    #[inline(always)]
    fn mask(&self, lane: usize, first: usize, square: usize) -> u32 {
        let end = |row: usize| row.clamp(first, first + square) - first;
        let Range { start, end } = end(self.there[lane].start)..end(self.there[lane].end);
        let bits = (1u32 << end.max(start)) - (1u32 << start);
        if self.is_backwards { bits.reverse_bits() >> (32 - square) } else { bits }
    }

    /// Whether all places of these rows are there.
    fn are_there(&self, first: usize, square: usize) -> bool {
        self.there.iter().all(|there| there.start <= first && first + square <= there.end)
    }

    /// The row of the place with a number among these.
    #[inline(always)]
    fn row(&self, number: usize, first: usize, square: usize) -> *mut u8 {
        let row = first + if self.is_backwards { square - 1 - number } else { number };
        self.rows.wrapping_add(row * self.pitch)
    }

    /// Moves the values of rows from one on, each by itself.
    ///
    /// # Safety
    /// The lines have the places that are there, and the rows [`SIDE`] lanes; all are of this type.
    unsafe fn exchange<T: Copy>(&self, first: usize) {
        let size = size_of::<T>();
        for lane in 0..SIDE {
            for number in self.there[lane].start.max(first)..self.there[lane].end {
                let value = self.rows.wrapping_add(number * self.pitch).cast::<T>().wrapping_add(lane);
                let place = self.line(lane, number, 1, size).cast::<T>();
                let (from, to) = if self.is_back { (value, place) } else { (place, value) };
                // SAFETY: as the caller's.
                unsafe { to.write_unaligned(from.read_unaligned()) };
            }
        }
    }

    /// Moves single values of `size` bytes.
    ///
    /// # Safety
    /// As of [`exchange`](Self::exchange).
    unsafe fn exchange_singly(&self, size: usize) {
        // SAFETY: as the caller's.
        unsafe {
            match size {
                1 => self.exchange::<u8>(0),
                2 => self.exchange::<u16>(0),
                4 => self.exchange::<u32>(0),
                _ => self.exchange::<u64>(0),
            }
        }
    }

    /// Moves numbers of four bytes.
    ///
    /// # Safety
    /// As of [`exchange`](Self::exchange).
    unsafe fn exchange_of_four(&self) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512 F; the rest is the caller's.
            unsafe { x86::exchange_of_four(self) };
            // SAFETY: as the caller's.
            return unsafe { self.exchange::<u32>(self.count / 16 * 16) };
        }
        // SAFETY: as the caller's.
        unsafe { self.exchange::<u32>(0) }
    }

    /// Moves numbers of eight bytes.
    ///
    /// # Safety
    /// As of [`exchange`](Self::exchange).
    unsafe fn exchange_of_eight(&self) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512 F; the rest is the caller's.
            unsafe { x86::exchange_of_eight(self) };
            // SAFETY: as the caller's.
            return unsafe { self.exchange::<u64>(self.count / 8 * 8) };
        }
        // SAFETY: as the caller's.
        unsafe { self.exchange::<u64>(0) }
    }
}

/// Squares that fit in the registers of AVX-512: each vector is a row of one.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{SIDE, Squares};
    use std::arch::x86_64::{
        __m512i, _mm512_loadu_si512, _mm512_mask_storeu_epi32, _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi32,
        _mm512_maskz_loadu_epi64, _mm512_setzero_si512, _mm512_shuffle_i64x2, _mm512_storeu_si512,
        _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
    };

    /// The quarters of four vectors, one of each in a vector.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let even = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d));
        let odd = (_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d));
        [
            _mm512_shuffle_i64x2::<0x88>(even.0, even.1),
            _mm512_shuffle_i64x2::<0x88>(odd.0, odd.1),
            _mm512_shuffle_i64x2::<0xdd>(even.0, even.1),
            _mm512_shuffle_i64x2::<0xdd>(odd.0, odd.1),
        ]
    }

    /// A square of 16 × 16 numbers of four bytes, turned.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn turned_of_four(rows: [__m512i; 16]) -> [__m512i; 16] {
        let mut fours = rows;
        for i in 0..4 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|j| rows[4 * i + j]);
            let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
            let (high_ab, high_cd) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
            fours[4 * i] = _mm512_unpacklo_epi64(ab, cd);
            fours[4 * i + 1] = _mm512_unpackhi_epi64(ab, cd);
            fours[4 * i + 2] = _mm512_unpacklo_epi64(high_ab, high_cd);
            fours[4 * i + 3] = _mm512_unpackhi_epi64(high_ab, high_cd);
        }
        let mut turned = fours;
        for j in 0..4 {
            let columns = quarters([fours[j], fours[4 + j], fours[8 + j], fours[12 + j]]);
            for (quarter, column) in columns.into_iter().enumerate() {
                turned[4 * quarter + j] = column;
            }
        }
        turned
    }

    /// A square of 8 × 8 numbers of eight bytes, turned.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn turned_of_eight(rows: [__m512i; 8]) -> [__m512i; 8] {
        let mut pairs = rows;
        for i in 0..4 {
            pairs[2 * i] = _mm512_unpacklo_epi64(rows[2 * i], rows[2 * i + 1]);
            pairs[2 * i + 1] = _mm512_unpackhi_epi64(rows[2 * i], rows[2 * i + 1]);
        }
        let mut turned = pairs;
        for j in 0..2 {
            let columns = quarters([pairs[j], pairs[2 + j], pairs[4 + j], pairs[6 + j]]);
            for (quarter, column) in columns.into_iter().enumerate() {
                turned[2 * quarter + j] = column;
            }
        }
        turned
    }

    /// Moves whole squares of numbers of four bytes.
    ///
    /// # Safety
    /// As of [`Squares::exchange`]; the processor has AVX-512 F.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn exchange_of_four(squares: &Squares) {
        for first in (0..squares.count / 16 * 16).step_by(16) {
            let (mut vectors, all) = ([_mm512_setzero_si512(); 16], squares.are_there(first, 16));
            let mask = |lane: usize| squares.mask(lane, first, 16) as u16;
            let line = |lane: usize| squares.line(lane, first, 16, 4);
            let row = |number: usize| squares.row(number, first, 16);
            // SAFETY: as the caller's; what is masked out is neither read nor written. Where all is, nothing is asked of the address: processors may be slow to
            // find that it is not valid.
            unsafe {
                for (number, vector) in vectors.iter_mut().enumerate() {
                    *vector = match squares.is_back {
                        true => _mm512_loadu_si512(row(number).cast()),
                        false if all => _mm512_loadu_si512(line(number).cast()),
                        false if mask(number) == 0 => continue,
                        false => _mm512_maskz_loadu_epi32(mask(number), line(number).cast_const().cast()),
                    };
                }
                for (number, vector) in turned_of_four(vectors).into_iter().enumerate() {
                    match squares.is_back {
                        false => _mm512_storeu_si512(row(number).cast(), vector),
                        true if all => _mm512_storeu_si512(line(number).cast(), vector),
                        true if mask(number) == 0 => {}
                        true => _mm512_mask_storeu_epi32(line(number).cast(), mask(number), vector),
                    }
                }
            }
        }
    }

    /// Moves whole squares of numbers of eight bytes.
    ///
    /// # Safety
    /// As of [`exchange_of_four`].
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn exchange_of_eight(squares: &Squares) {
        for first in (0..squares.count / 8 * 8).step_by(8) {
            let all = squares.are_there(first, 8);
            for half in (0..SIDE).step_by(8) {
                let mut vectors = [_mm512_setzero_si512(); 8];
                let mask = |lane: usize| squares.mask(half + lane, first, 8) as u8;
                let line = |lane: usize| squares.line(half + lane, first, 8, 8);
                let row = |number: usize| squares.row(number, first, 8).wrapping_add(8 * half);
                // SAFETY: as above.
                unsafe {
                    for (number, vector) in vectors.iter_mut().enumerate() {
                        *vector = match squares.is_back {
                            true => _mm512_loadu_si512(row(number).cast()),
                            false if all => _mm512_loadu_si512(line(number).cast()),
                            false if mask(number) == 0 => continue,
                            false => _mm512_maskz_loadu_epi64(mask(number), line(number).cast_const().cast()),
                        };
                    }
                    for (number, vector) in turned_of_eight(vectors).into_iter().enumerate() {
                        match squares.is_back {
                            false => _mm512_storeu_si512(row(number).cast(), vector),
                            true if all => _mm512_storeu_si512(line(number).cast(), vector),
                            true if mask(number) == 0 => {}
                            true => _mm512_mask_storeu_epi64(line(number).cast(), mask(number), vector),
                        }
                    }
                }
            }
        }
    }
}
