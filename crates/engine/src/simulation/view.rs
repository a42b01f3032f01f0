//! States that can be looked at: those of a simulation, of a copy of one, or of a file.
//!
//! [`Fields`] is what can be asked of all of them, [`StateView`] one of their states. What is asked for lies in ranges of cells, which are read together: a
//! window of the grid is covered by blocks of cells that follow each other.

use super::element::Element;
use super::error::{FieldError, Result};
use super::window::{BlockPlaces, CellBlock, Window};
use crate::packed;
use crate::sample::{BlockSums, Sample};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{StateId, Type};
use squeeze_compiler::numbers::mode::DefaultMode;
use std::ops::Range;

/// Cells that are read at once; a multiple of 8, so that bits stay whole bytes.
const PIECE: u64 = 1 << 22;
/// Cells between two ranges that are rather read along than left out.
const GAP: u64 = 64;
/// Bytes of values for which there is room without asking: to ask the system takes longer than to fill them.
const SURE: u128 = 16 << 20;
/// The most cells of the blocks that a window is covered by at its edge, and within.
const CELLS_AT_EDGE: u64 = 64;
const CELLS_WITHIN: u64 = 1024;

/// States in canonical order that can be read: those of a [`Simulation`](crate::Simulation), of a copy of its states, or of a file.
pub trait Fields {
    /// The domain of their cells.
    fn domain(&self) -> &Domain;

    /// The state of this name.
    ///
    /// # Errors
    /// [`FieldError::Unknown`].
    fn find(&self, name: &str) -> Result<StateId>;

    /// The name of a state, its type, the type's name, and how many values bits or an enum have; of numbers 0.
    ///
    /// # Errors
    /// [`FieldError::Number`] if there is no such state.
    fn kind(&self, state: StateId) -> Result<(&str, Type, String, usize)>;

    /// Reads the values of a state in ascending ranges of cells that do not overlap, one range after the other, each in the form that [`packed`] describes and
    /// beginning at a whole byte.
    ///
    /// # Errors
    /// [`FieldError`] if a range has cells that do not exist, or begins or ends inside a byte (it may end with the last cell), or the bytes are not as many as
    /// the values take; or if the machine fails.
    fn read_ranges(&self, state: StateId, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<()>;

    /// The sums of some blocks of `K_mu` cells, as [`sample`](crate::sample) defines them; `None` where to read the values is as fast.
    ///
    /// # Errors
    /// If the machine fails.
    fn sums(&self, state: StateId, mu: u32, blocks: &Range<u64>, sample: Sample<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        _ = (state, mu, blocks, sample);
        Ok(None)
    }
}

/// One state of some [`Fields`].
#[derive(Clone, Copy)]
pub struct StateView<'a> {
    fields: &'a dyn Fields,
    state: StateId,
    ty: Type,
}

/// The values of a window of the expanded grid.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowValues<T> {
    /// The window.
    pub window: Window,
    /// The values in reading order: x fastest, then y, then z. `None` for holes and for places outside the grid.
    pub values: Vec<Option<T>>,
}

impl<T: Copy> WindowValues<T> {
    /// The value at a place of the window, counted from its corner; `None` for holes and outside of it.
    pub fn get(&self, place: [usize; 3]) -> Option<T> {
        let [x, y, z] = place.map(|v| v as u64);
        let [width, height, depth] = self.window.size;
        if x < width && y < height && z < depth { self.values[((z * height + y) * width + x) as usize] } else { None }
    }
}

/// Whether a list of so many values fits in memory.
///
/// # Errors
/// [`FieldError::TooMany`].
fn check_room<T>(values: u128) -> Result<usize, FieldError> {
    let bytes = values.saturating_mul(size_of::<T>() as u128);
    let fits = bytes <= SURE || bytes <= u128::from(squeeze_host::memory::available());
    let count = usize::try_from(values).ok().filter(|_| fits).ok_or(FieldError::TooMany { values })?;
    Vec::<T>::new().try_reserve_exact(count).map_err(|_| FieldError::TooMany { values })?;
    Ok(count)
}

/// Ranges of cells, each within a piece.
pub(super) fn pieces(cells: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let mut at = cells.start;
    std::iter::from_fn(move || {
        let piece = at..cells.end.min((at / PIECE + 1) * PIECE);
        at = piece.end;
        (piece.start < piece.end).then_some(piece)
    })
}

/// The cells around these that fill whole bytes, if the state is of bits; there are `all` cells.
pub(super) fn whole_bytes(ty: Type, all: u64, cells: &Range<u64>) -> Range<u64> {
    match ty {
        Type::Bit => cells.start / 8 * 8..all.min(cells.end.next_multiple_of(8)),
        _ => cells.clone(),
    }
}

/// Whether there are these cells among `all` of them.
///
/// # Errors
/// [`FieldError::Cells`].
pub(super) fn check_cells(cells: &Range<u64>, all: u64) -> Result<(), FieldError> {
    let Range { start: first, end } = *cells;
    if first <= end && end <= all { Ok(()) } else { Err(FieldError::Cells { first, end, cells: all }) }
}

/// Whether there are blocks of a level where there are this many levels.
///
/// # Errors
/// [`FieldError::NoBlocks`].
fn check_level(asked: u32, levels: u32) -> Result<(), FieldError> {
    if asked <= levels { Ok(()) } else { Err(FieldError::NoBlocks { asked, levels }) }
}

/// The first cell of this row of a mask or a box or of a later one, rows in reading order; the number of cells if there is none.
fn first_of_row(domain: &Domain, row: u64) -> u64 {
    let [width, height, depth] = domain.extent();
    let (y, z) = (row % height, row / height);
    let rest = Window { origin: [0, y, z], size: [width, height, 1] };
    let layers = Window { origin: [0, 0, z.saturating_add(1)], size: [width, height, depth] };
    let first = |window: Window| window.for_each_block(domain, (0, 0), &mut |block| Err(block.first)).err();
    first(rest).or_else(|| first(layers)).unwrap_or(domain.cells())
}

impl<'a> StateView<'a> {
    /// The state of this name.
    ///
    /// # Errors
    /// [`FieldError::Unknown`].
    pub fn named(fields: &'a dyn Fields, name: &str) -> Result<StateView<'a>> {
        StateView::numbered(fields, fields.find(name)?)
    }

    /// The state of this number.
    ///
    /// # Errors
    /// [`FieldError::Number`] if there is no such state.
    pub fn numbered(fields: &'a dyn Fields, state: StateId) -> Result<StateView<'a>> {
        let (_, ty, ..) = fields.kind(state)?;
        Ok(StateView { fields, state, ty })
    }

    /// Another state beside this one.
    ///
    /// # Errors
    /// [`FieldError::Number`] if there is no such state.
    #[doc(hidden)]
    pub fn beside(&self, state: StateId) -> Result<StateView<'a>> {
        StateView::numbered(self.fields, state)
    }

    /// The type of its values.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// The domain of its cells.
    pub fn domain(&self) -> &'a Domain {
        self.fields.domain()
    }

    /// Its number.
    pub(super) fn state(&self) -> StateId {
        self.state
    }

    /// Whether its values are of this type.
    pub(super) fn check_type<T: Element>(&self) -> Result<()> {
        if T::is(self.ty) {
            return Ok(());
        }
        let (name, _, ty, _) = self.fields.kind(self.state)?;
        Err(FieldError::Type { state: name.to_owned(), ty, asked: T::NAME }.into())
    }

    /// The sample, with an entry of a table for each value and no others.
    fn checked<'s>(&self, sample: Sample<'s>) -> Result<Sample<'s>> {
        let Sample::Table(table) = sample else { return Ok(sample) };
        let (state, _, ty, values) = self.fields.kind(self.state)?;
        let wanted = Some(values).filter(|values| *values > 0);
        let entries = wanted.and_then(|wanted| table.get(..wanted));
        let state = state.to_owned();
        Ok(Sample::Table(entries.ok_or(FieldError::Table { state, ty, wanted, given: table.len() })?))
    }

    /// Reads the values of some cells in the form that [`packed`] describes.
    ///
    /// # Errors
    /// As of [`Fields::read_ranges`].
    pub fn read(&self, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        self.fields.read_ranges(self.state, &[cells], bytes)
    }

    /// The values in some cells, by canonical index.
    ///
    /// # Errors
    /// [`FieldError`], or if the machine fails.
    pub fn values<T: Element>(&self, cells: Range<u64>) -> Result<Vec<T>> {
        self.check_type::<T>()?;
        check_cells(&cells, self.domain().cells())?;
        let whole = whole_bytes(self.ty, self.domain().cells(), &cells);
        check_room::<T>(u128::from(whole.end - whole.start))?;
        let mut values = T::filled(whole.end - whole.start, &mut |bytes| self.read(whole.clone(), bytes))?;
        values.truncate((cells.end - whole.start) as usize);
        values.drain(..(cells.start - whole.start) as usize);
        Ok(values)
    }

    /// The sum over each of these blocks of `K_mu` cells, block `b` from cell `b · K_mu` on, of what `sample` makes of the values.
    ///
    /// # Errors
    /// [`FieldError::NoBlocks`] or [`FieldError::Cells`] if there are no such blocks, [`FieldError::Table`] if a table has too few entries or the state is of
    /// numbers, or if the machine fails.
    pub fn block_sums(&self, mu: u32, blocks: Range<u64>, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        let _mode = DefaultMode::enter();
        let (domain, all) = (self.domain(), self.domain().cells());
        check_level(mu, domain.level())?;
        check_cells(&blocks, all / domain.cell_product(mu))?;
        check_room::<[f64; 3]>(u128::from(blocks.end - blocks.start))?;
        let sample = self.checked(sample)?;
        if let Some(sums) = self.fields.sums(self.state, mu, &blocks, sample)? {
            return Ok(sums);
        }
        let mut sums = BlockSums::new(domain, self.ty, mu, &blocks, sample);
        let mut bytes = Vec::new();
        for piece in pieces(sums.cells()) {
            let whole = whole_bytes(self.ty, all, &piece);
            bytes.resize(packed::bytes(self.ty, whole.end - whole.start) as usize, 0);
            self.read(whole.clone(), &mut bytes)?;
            sums.add(&whole, &bytes);
        }
        Ok(sums.finish())
    }

    /// As [`block_sums`](Self::block_sums), of the blocks of level `mu` in some replicas of level `level`, one replica after the other, in canonical order: a
    /// view draws them by the patterns of the levels between. On a mask or a box, whose blocks are cells alone, a replica is 2^`level` rows that follow each other.
    ///
    /// # Errors
    /// As of [`block_sums`](Self::block_sums).
    pub fn tiles(&self, mu: u32, level: u32, replicas: &[u64], sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        let domain = self.domain();
        let first = |replica: u64| match domain.levels() {
            Some(_) => replica.saturating_mul(domain.cell_product(level)),
            None => first_of_row(domain, replica.saturating_mul(1 << level.min(63))),
        };
        check_level(mu, domain.levels().map_or(0, |_| level))?;
        check_level(level, domain.levels().unwrap_or(u32::MAX))?;
        let (mut sums, block) = (Vec::new(), domain.cell_product(mu));
        for run in replicas.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
            let cells = first(run[0])..first(run[run.len() - 1].saturating_add(1));
            sums.extend(self.block_sums(mu, cells.start / block..cells.end / block, sample)?);
        }
        Ok(sums)
    }

    /// The values in a box of the expanded grid.
    ///
    /// # Errors
    /// [`FieldError`], or if the machine fails.
    pub fn window<T: Element>(&self, window: &Window) -> Result<WindowValues<T>> {
        self.check_type::<T>()?;
        let places = window.size.iter().fold(1u128, |product, v| product.saturating_mul(u128::from(*v)));
        let mut values = vec![None; check_room::<Option<T>>(places)?];
        self.expand(window, &mut values, |bits| Some(T::from_bits(bits)))?;
        Ok(WindowValues { window: *window, values })
    }

    /// Puts what `make` makes of the [bits](squeeze_compiler::ir::Value::bits) of each value in a window to its place there.
    ///
    /// # Errors
    /// If the machine fails.
    #[doc(hidden)]
    pub fn expand<T: Copy>(&self, window: &Window, values: &mut [T], make: impl Fn(u64) -> T + Copy) -> Result<()> {
        let tables = WindowTables::of(self.domain(), window);
        let mut reader = BlockReader::new(*self);
        let (mut bits, mut made) = (Vec::new(), Vec::new());
        let mut take = |block: &CellBlock, bytes: &[u8], at: usize| {
            let cells = at..at + block.cells(self.domain()) as usize;
            made.clear();
            match self.ty {
                Type::Bit => {
                    let bytes = &bytes[cells.start / 8..cells.end.div_ceil(8)];
                    bits.resize(8 * bytes.len(), 0);
                    packed::spread_all(bytes, &mut bits);
                    made.extend(bits[at % 8..][..cells.len()].iter().map(|bit: &u8| make((*bit).into())));
                }
                ty => match ty.bytes() {
                    1 => made.extend(bytes[cells].iter().map(|v| make((*v).into()))),
                    2 => made.extend(bytes.as_chunks().0[cells].iter().map(|v| make(u16::from_le_bytes(*v).into()))),
                    4 => made.extend(bytes.as_chunks().0[cells].iter().map(|v| make(u32::from_le_bytes(*v).into()))),
                    _ => made.extend(bytes.as_chunks().0[cells].iter().map(|v| make(u64::from_le_bytes(*v)))),
                },
            }
            tables.put(block, values, &made);
        };
        window.for_each_block(self.domain(), (tables.below, tables.most), &mut |block| reader.add(block, &mut take))?;
        reader.finish(take)
    }
}

/// Reads the values of blocks that are named in ascending order, many at once, and hands each block over with packed values and the number of its first
/// one among them.
#[doc(hidden)]
pub struct BlockReader<'a> {
    view: StateView<'a>,
    /// The blocks to come, each with the number of its first value among those that are read.
    blocks: Vec<(CellBlock, usize)>,
    ranges: Vec<Range<u64>>,
    /// The bytes of all ranges but the last.
    before: u64,
    /// The cells of all blocks.
    cells: u64,
    bytes: Vec<u8>,
}

impl<'a> BlockReader<'a> {
    /// No blocks yet.
    pub fn new(view: StateView<'a>) -> Self {
        BlockReader { view, blocks: Vec::new(), ranges: Vec::new(), before: 0, cells: 0, bytes: Vec::new() }
    }

    /// One more block, which does not lie before the others.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn add(&mut self, block: CellBlock, take: impl FnMut(&CellBlock, &[u8], usize)) -> Result<()> {
        let (ty, domain) = (self.view.ty, self.view.domain());
        let cells = block.cells(domain);
        let whole = whole_bytes(ty, domain.cells(), &(block.first..block.first + cells));
        match self.ranges.last_mut() {
            Some(last) if whole.start <= last.end + GAP => last.end = last.end.max(whole.end),
            _ => {
                self.before = self.all_bytes();
                self.ranges.push(whole);
            }
        }
        let before = if ty == Type::Bit { 8 * self.before } else { self.before / ty.bytes() };
        let first = self.ranges.last().map_or(0, |range| range.start);
        self.blocks.push((block, (before + block.first - first) as usize));
        self.cells += cells;
        if self.cells < PIECE { Ok(()) } else { self.finish(take) }
    }

    /// Hands over the blocks that are still to come.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn finish(&mut self, mut take: impl FnMut(&CellBlock, &[u8], usize)) -> Result<()> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        self.bytes.resize(self.all_bytes() as usize, 0);
        self.view.fields.read_ranges(self.view.state, &self.ranges, &mut self.bytes)?;
        self.blocks.iter().for_each(|(block, at)| take(block, &self.bytes, *at));
        (self.before, self.cells) = (0, 0);
        self.blocks.clear();
        self.ranges.clear();
        Ok(())
    }

    fn all_bytes(&self) -> u64 {
        self.before + self.ranges.last().map_or(0, |range| packed::bytes(self.view.ty, range.end - range.start))
    }
}

/// Where the cells of low levels stand, so that no cell's place is computed by itself.
struct WindowTables<'a> {
    window: &'a Window,
    /// The levels of the blocks at the window's edge, and the highest ones within.
    below: u32,
    most: u32,
    /// Of each level, how far the cells of a block lie behind its first place in the window; the first of two cells if all are pairs side by side.
    offsets: Vec<Vec<usize>>,
    /// The coordinates of each cell of a block at the edge.
    places: Vec<[u64; 3]>,
}

impl<'a> WindowTables<'a> {
    fn of(domain: &Domain, window: &'a Window) -> WindowTables<'a> {
        let levels = domain.levels().unwrap_or(0);
        let level =
            |cells: u64| (0..=levels).take_while(|level| domain.cell_product(*level) <= cells).last().unwrap_or(0);
        let (below, most) = (level(CELLS_AT_EDGE), level(CELLS_WITHIN));
        let mut of_level = vec![vec![[0; 3]]];
        for level in 1..=most {
            let (pattern, sides) = (domain.pattern(level), domain.scale_product(level - 1));
            let of_replica = |digit: u64| {
                let replica = pattern.replica(digit).map(u64::from);
                let place = move |place: &[u64; 3]| std::array::from_fn(|a| replica[a] * sides[a] + place[a]);
                of_level[level as usize - 1].iter().map(place)
            };
            let places = (0..pattern.k()).flat_map(of_replica).collect();
            of_level.push(places);
        }
        let offsets = of_level.iter().map(|places| {
            let (pairs, rest) = places.as_chunks::<2>();
            let is_paired = rest.is_empty() && pairs.iter().all(|[[x, y, z], second]| *second == [x + 1, *y, *z]);
            places.iter().step_by(1 + usize::from(is_paired)).map(|place| window.offset(*place) as usize).collect()
        });
        WindowTables { window, below, most, offsets: offsets.collect(), places: of_level.swap_remove(below as usize) }
    }

    /// Puts the values of a block to their places in the window.
    fn put<T: Copy>(&self, block: &CellBlock, values: &mut [T], cells: &[T]) {
        let CellBlock { place, places, .. } = *block;
        let window = self.window;
        match places {
            BlockPlaces::Level { whole: true, level } => {
                let (offsets, values) = (&self.offsets[level as usize], &mut values[window.index(place) as usize..]);
                if offsets.len() < cells.len() {
                    let pairs = cells.as_chunks::<2>().0.iter();
                    offsets.iter().zip(pairs).for_each(|(offset, pair)| values[*offset..][..2].copy_from_slice(pair));
                } else {
                    offsets.iter().zip(cells).for_each(|(offset, cell)| values[*offset] = *cell);
                }
            }
            BlockPlaces::Level { whole: false, .. } => {
                for (within, cell) in self.places.iter().zip(cells) {
                    let place: [u64; 3] = std::array::from_fn(|a| place[a] + within[a]);
                    if window.contains(place) {
                        values[window.index(place) as usize] = *cell;
                    }
                }
            }
            BlockPlaces::Row(_) | BlockPlaces::Run(_) => {
                let values = &mut values[window.index(place) as usize..];
                block.for_each_stretch(|first, here| {
                    values[first..].iter_mut().zip(&cells[here]).for_each(|(value, cell)| *value = *cell);
                });
            }
        }
    }
}
