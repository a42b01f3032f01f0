//! The number of ones that rows of bits have in common, for all pairs of rows: the product of a matrix of bits with its transpose, of which
//! half is computed.
//!
//! It is blocked as BLIS blocks the product of numbers: the columns of a tile's own rows stay in the first cache while all rows of a larger block,
//! which stay in the second one, pass them ([`Blocking`]).

use super::kernel::{CacheLine, CountingKernel, WORDS};
use super::tiles::{Blocking, Cache, TileShape, stride, told};
use crate::cuda::{DeviceRows, GpuKernel, OverlapDevice};
use rayon::prelude::*;
use squeeze_engine::EngineError;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The bits of a [`CacheLine`].
const BITS: u64 = 64 * WORDS as u64;

/// Rows of bits, all of one length.
#[derive(Clone, Debug)]
pub struct BitRows {
    rows: usize,
    bits: u64,
    /// From one row to the next.
    stride: usize,
    vectors: Vec<CacheLine>,
}

impl BitRows {
    /// Rows of zeros.
    pub fn new(rows: usize, bits: u64) -> BitRows {
        let stride = stride(bits.div_ceil(BITS) as usize);
        BitRows { rows, bits, stride, vectors: vec![CacheLine::default(); rows * stride] }
    }

    /// Rows whose bits are packed eight to a byte, the first in the least significant bit. Bits of the last byte beyond the last one of a row do not
    /// count.
    ///
    /// # Panics
    /// If a row has another number of bytes than its bits take.
    pub fn from_bytes(bits: u64, rows: &[impl AsRef<[u8]> + Sync]) -> BitRows {
        let mut own = BitRows::new(rows.len(), bits);
        own.each_row().zip(rows).for_each(|(mut row, bytes)| row.set(bytes.as_ref()));
        own
    }

    /// The bytes of `rows` rows of `bits` bits here.
    pub fn bytes(rows: usize, bits: u64) -> u64 {
        (rows as u64).saturating_mul((stride(bits.div_ceil(BITS) as usize) as u64).saturating_mul(BITS / 8))
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many bits each has.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// The rows, to be written to.
    pub(crate) fn each_row(&mut self) -> impl IndexedParallelIterator<Item = BitRow<'_>> {
        let bits = self.bits;
        self.vectors.par_chunks_mut(self.stride).map(move |vectors| BitRow { bits, vectors })
    }

    /// A row, to be written to.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&mut self, row: usize) -> BitRow<'_> {
        BitRow { bits: self.bits, vectors: &mut self.vectors[row * self.stride..][..self.stride] }
    }

    /// A part of the vectors of a row.
    fn part(&self, row: usize, from: usize, to: usize) -> &[CacheLine] {
        &self.vectors[row * self.stride..][from..to]
    }

    /// The same rows in the memory of a device.
    ///
    /// # Errors
    /// If they do not fit, or the device fails.
    pub(crate) fn on(&self, device: &OverlapDevice) -> Result<DeviceRows, EngineError> {
        // SAFETY: vectors are whole words without anything between them.
        let bytes = unsafe {
            std::slice::from_raw_parts(self.vectors.as_ptr().cast::<u8>(), size_of_val(self.vectors.as_slice()))
        };
        device.copy(bytes, self.rows, (self.stride * size_of::<CacheLine>()) as u64, self.bits.div_ceil(8))
    }

    /// The vectors of a row that hold bits.
    pub(crate) fn length(&self) -> usize {
        self.bits.div_ceil(BITS) as usize
    }
}

/// A row that is written to.
pub struct BitRow<'a> {
    bits: u64,
    vectors: &'a mut [CacheLine],
}

impl BitRow<'_> {
    /// Sets all bits, which are packed eight to a byte. Bits of the last byte beyond the row's last one do not count.
    ///
    /// # Panics
    /// If there are more or fewer bytes than the row's bits take.
    pub fn set(&mut self, bytes: &[u8]) {
        assert_eq!(bytes.len() as u64, self.bits.div_ceil(8), "bytes of {} bits", self.bits);
        for (vector, bytes) in self.vectors.iter_mut().zip(bytes.chunks(8 * WORDS)) {
            for (word, bytes) in vector.0.iter_mut().zip(bytes.chunks(8)) {
                let mut whole = [0; 8];
                whole[..bytes.len()].copy_from_slice(bytes);
                *word = u64::from_le_bytes(whole);
            }
        }
        let rest = self.bits % BITS;
        if rest > 0 {
            let last = &mut self.vectors[(self.bits / BITS) as usize].0;
            if !rest.is_multiple_of(64) {
                last[(rest / 64) as usize] &= (1 << (rest % 64)) - 1;
            }
        }
    }
}

/// How many ones each two rows have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    rows: usize,
    bits: u64,
    /// Row after row; what is below the diagonal is not used.
    both: Vec<i64>,
}

impl Counts {
    /// Of rows without any bits.
    pub fn new(rows: usize) -> Counts {
        Counts { rows, bits: 0, both: vec![0; rows * rows] }
    }

    /// The counts of complete rows.
    pub fn of(rows: &BitRows, kernel: CountingKernel) -> Counts {
        let mut counts = Counts::new(rows.rows());
        counts.add(rows, kernel);
        counts
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many bits they have.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Ones that two rows have in common; of a row with itself, the row's ones.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn both(&self, a: usize, b: usize) -> i64 {
        assert!(a < self.rows && b < self.rows, "rows {a} and {b} of {}", self.rows);
        self.both[a.min(b) * self.rows + a.max(b)]
    }

    /// Adds further bits of the same rows, on the pool of threads in which it is called.
    ///
    /// # Panics
    /// If the slice has another number of rows, or the processor lacks the kernel's instructions.
    pub fn add(&mut self, slice: &BitRows, kernel: CountingKernel) {
        let blocking = Blocking::chosen(kernel, told(), self.rows, slice.length());
        self.add_by_blocks(slice, kernel, blocking);
    }

    /// As [`add`](Self::add), cut like this.
    ///
    /// # Panics
    /// As it, or if the kernel has no such tiles.
    pub fn add_by_blocks(&mut self, slice: &BitRows, kernel: CountingKernel, blocking: Blocking) {
        self.bits += slice.bits;
        self.add_columns(slice, kernel, blocking, slice.length());
    }

    /// Adds what rows have in common in their first `length` vectors.
    pub(crate) fn add_columns(&mut self, slice: &BitRows, kernel: CountingKernel, blocking: Blocking, length: usize) {
        assert_eq!(slice.rows, self.rows, "rows of a slice");
        let TileShape { own, others } = blocking.shape;
        // Blocks of rows that are about equally large, each a whole number of tiles on either side.
        let blocks = self.rows.div_ceil(blocking.rows).max(1);
        let block = self.rows.div_ceil(blocks).next_multiple_of(blocking.shape.side());
        let blocks = self.rows.div_ceil(block);
        let pairs: Vec<(usize, usize)> =
            (0..blocks).flat_map(|i| (i..blocks).map(move |j| (i * block, j * block))).collect();
        // Enough pieces for all threads, even if rows are few.
        let steps = length.div_ceil(blocking.columns).max(1);
        let pieces = (8 * rayon::current_num_threads()).div_ceil(pairs.len().max(1)).clamp(1, steps);
        let piece = steps.div_ceil(pieces) * blocking.columns;
        let tasks: Vec<(usize, usize, usize)> =
            (0..length).step_by(piece).flat_map(|from| pairs.iter().map(move |&(i, j)| (i, j, from))).collect();
        let (all, both) = (self.rows, Mutex::new(&mut self.both));
        tasks.into_par_iter().for_each(|(first, second, from)| {
            let ends = [first, second].map(|begin| (begin + block).min(all));
            let sums = product(slice, kernel, blocking, [first, second], ends, from..(from + piece).min(length));
            let width = (ends[1] - second).div_ceil(others);
            let mut both = both.lock().unwrap_or_else(PoisonError::into_inner);
            for (i, a) in (first..ends[0]).enumerate() {
                for (j, b) in (second..ends[1]).enumerate().skip(a.saturating_sub(second)) {
                    let at = (i / own * width + j / others) * own * others + i % own * others + j % others;
                    both[a * all + b] += sums[at] as i64;
                }
            }
        });
    }
}

/// A way to count the ones that rows have in common.
pub trait Counter {
    /// Its name.
    fn name(&self, rows: usize) -> &'static str;

    /// Adds further bits of the same rows, on the pool of threads in which it is called.
    ///
    /// # Errors
    /// If the machine fails.
    fn add(&self, rows: &BitRows, counts: &mut Counts) -> Result<(), EngineError>;

    /// The bytes of `rows` rows that it takes at once.
    ///
    /// # Errors
    /// If the machine fails.
    fn room(&self, rows: usize) -> Result<u64, EngineError>;
}

impl Counter for CountingKernel {
    fn name(&self, _: usize) -> &'static str {
        CountingKernel::name(*self)
    }

    fn add(&self, rows: &BitRows, counts: &mut Counts) -> Result<(), EngineError> {
        counts.add(rows, *self);
        Ok(())
    }

    fn room(&self, _: usize) -> Result<u64, EngineError> {
        Ok(u64::MAX)
    }
}

impl Counter for OverlapDevice {
    fn name(&self, rows: usize) -> &'static str {
        self.best(rows).name()
    }

    fn add(&self, rows: &BitRows, counts: &mut Counts) -> Result<(), EngineError> {
        counts.add_by(self, self.best(rows.rows), rows)
    }

    fn room(&self, rows: usize) -> Result<u64, EngineError> {
        OverlapDevice::room(self, rows)
    }
}

impl Counts {
    /// As [`add`](Self::add), by a kernel of a GPU.
    ///
    /// # Errors
    /// If the rows do not fit in its memory, or it fails.
    ///
    /// # Panics
    /// If the slice has another number of rows.
    pub fn add_by(&mut self, device: &OverlapDevice, kernel: GpuKernel, slice: &BitRows) -> Result<(), EngineError> {
        assert_eq!(slice.rows, self.rows, "rows of a slice");
        let rows = slice.on(device)?;
        self.add_counted(device.count(kernel, device.tile(kernel, &rows), &rows)?, slice.bits);
        Ok(())
    }

    /// Adds what a GPU counted.
    pub(crate) fn add_counted(&mut self, both: Vec<u64>, bits: u64) {
        self.bits += bits;
        self.both.iter_mut().zip(both).for_each(|(sum, both)| *sum += both as i64);
    }
}

/// The counts of rows that do not all fit in memory, by slices that take at most `room` bytes, but a vector of each row at least. `read` gives the bits of
/// a range of a row, packed eight to a byte. Slices end at multiples of `unit` bits, itself one of 512, where `room` allows it.
pub(crate) fn sliced<E: Send + From<EngineError>>(
    counter: &dyn Counter,
    [rows, room]: [u64; 2],
    bits: u64,
    unit: u64,
    read: impl Fn(usize, Range<u64>, &mut [u8]) -> Result<(), E> + Sync,
) -> Result<Counts, E> {
    let (rows, room) = (rows as usize, room.min(counter.room(rows as usize)?));
    // Rows are an odd number of vectors apart.
    let fits = ((room / rows.max(1) as u64 * 8 / BITS).saturating_sub(1) | 1) * BITS;
    let slice = match fits / unit {
        0 => fits,
        units => units.saturating_mul(unit),
    };
    let mut counts = Counts::new(rows);
    let mut from = 0;
    while from < bits {
        let to = from.saturating_add(slice).min(bits);
        let mut own = BitRows::new(rows, to - from);
        own.each_row().enumerate().try_for_each(|(number, mut row)| {
            let mut bytes = vec![0; (to - from).div_ceil(8) as usize];
            read(number, from..to, &mut bytes)?;
            row.set(&bytes);
            Ok::<(), E>(())
        })?;
        counter.add(&own, &mut counts)?;
        from = to;
    }
    Ok(counts)
}

/// The sums of all tiles of two blocks of rows, over a range of vectors. Of a block with itself only tiles on and above the diagonal.
fn product(
    slice: &BitRows,
    kernel: CountingKernel,
    blocking: Blocking,
    [first, second]: [usize; 2],
    ends: [usize; 2],
    vectors: Range<usize>,
) -> Vec<u64> {
    let (shape, columns) = (blocking.shape, blocking.columns);
    let TileShape { own, others } = shape;
    let (height, width) = ((ends[0] - first).div_ceil(own), (ends[1] - second).div_ceil(others));
    let mut sums = vec![0; height * width * own * others];
    for begin in vectors.clone().step_by(columns) {
        let end = (begin + columns).min(vectors.end);
        // Beyond the last row it is taken again, and the sums are not used.
        let rows = |row: usize| -> [&[CacheLine]; TileShape::MOST] {
            std::array::from_fn(|i| slice.part((row + i).min(slice.rows - 1), begin, end))
        };
        for i in 0..height {
            let of_tile = rows(first + i * own);
            for j in if first == second { i * own / others } else { 0 }..width {
                let passing = rows(second + j * others);
                let at = (i * width + j) * own * others;
                kernel.count(shape, &of_tile[..own], &passing[..others], &mut sums[at..at + own * others]);
            }
        }
    }
    sums
}

/// Bits that stay in the first cache and are counted again and again: the most that a kernel can do.
pub(crate) struct Resident {
    rows: BitRows,
    kernel: CountingKernel,
    shape: TileShape,
}

impl Resident {
    /// As many rows as a tile has, and the columns that stay.
    pub(crate) fn new(kernel: CountingKernel, blocking: Blocking) -> Resident {
        let shape = blocking.shape;
        let columns = blocking.columns.min(Cache::of(told(), 0).columns(shape, size_of::<CacheLine>()));
        let mut rows = BitRows::new(shape.own + shape.others, columns as u64 * BITS);
        for (word, vector) in (1u64..).zip(&mut rows.vectors) {
            vector.0 = std::array::from_fn(|i| (word * 8 + i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        Resident { rows, kernel, shape }
    }

    /// The bits of pairs of rows that are counted at once.
    pub(crate) fn bits(&self) -> f64 {
        (self.shape.own * self.shape.others) as f64 * self.rows.bits as f64
    }

    /// Counts `times` times. Returns the exclusive or of all counts, so that the loop is not optimised away.
    pub(crate) fn count(&self, times: u64) -> u64 {
        let TileShape { own, others } = self.shape;
        let rows: Vec<&[CacheLine]> = (0..own + others).map(|row| self.rows.part(row, 0, self.rows.length())).collect();
        let mut sums = vec![0; own * others];
        for _ in 0..times {
            self.kernel.count(self.shape, &rows[..own], &rows[own..], &mut sums);
        }
        sums.iter().fold(0, |all, one| all ^ one)
    }
}
