//! Rows as lanes: the columns of a mask are stretches of its rows.
//!
//! `tests/lib/masks.rs` lists the masks on which engines are compared.

use super::LayoutError;
use super::columns::Shape;
use super::unit::{CellIndex, Lane, PackedIndex, Slot, Unit};
use crate::geometry::Domain;
use crate::ir::{Dimension, Rule};
use crate::kernel::{Direction, Planes};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// The most lanes of a column, but for long ones ([`RowGrid::with_long_columns`]). Guess: not measured.
const MOST_LANES: usize = 512;
const LEAST_LANES: usize = 32;
/// The most lanes of long columns of bits, and of numbers. Neighbours' numbers are read where they stand, and mostly copied at the ends of rows alone.
/// Guess: not measured.
const MOST_LONG_BITS: usize = 1 << 13;
const MOST_LONG_NUMBERS: usize = 1 << 11;
/// The eighths by which long columns may have more places, in all, than short ones. Guess: not measured.
const EIGHTHS_MORE: usize = 1;
/// The most columns, stored or not. They have numbers of 32 bits, also those a block of threads behind the last.
pub(crate) const MOST_COLUMNS: u64 = u32::MAX as u64 - (1 << 16);

/// Where the cells of a mask stand.
///
/// A column is a stretch of a row, of a power of two of places; its lanes are the places. Columns without a cell are not stored. The others follow each
/// other in reading order, and so do the cells in each, so that the indices of a column's cells follow each other.
#[derive(Debug)]
pub struct RowGrid {
    /// The dimension D.
    pub(crate) dimension: Dimension,
    extent: [usize; 3],
    periodic: [bool; 3],
    /// The sizes of a column.
    pub shape: Shape,
    /// Columns of a row, stored or not.
    per_row: usize,
    /// Whether every place is a cell. Then the fields below are known without tables.
    is_full: bool,
    /// How many columns are stored, and if these are all columns of some rows alone, the unit of the first.
    columns: usize,
    first: u32,
    /// Whether the rows are those of a part of a box, and ghosts around them: they may go on with the first row behind the last one.
    is_part: bool,
    /// The slot of each unit, or [`Slot::ABSENT`]; units are all columns, row by row. Empty if all are stored, or all of some
    /// rows.
    slots: Vec<Slot>,
    /// The units that are stored; empty as the slots are.
    units: Vec<Unit>,
    /// A bit for each lane that is a cell, by stored column. Of a full box there are two: a column that is not the last of its row, and the last.
    mask: Vec<u32>,
    /// The index of the first cell of each stored column; at the end the number of cells. Of a full box that number alone.
    cell_indices: Vec<u64>,
}

/// A part of a column that comes from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first lane.
    pub lane: usize,
    /// The stored column that it comes from.
    pub source: Slot,
    /// The lane there.
    pub from: usize,
    /// How many lanes.
    pub length: usize,
}

/// The place of a column, computed once for all its neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnPlace {
    /// The corner.
    pub corner: [i32; 3],
    /// Its row.
    pub row: usize,
    /// How many of its lanes are places of the row.
    pub places: usize,
}

impl RowGrid {
    /// Bytes that [`RowGrid::new`] allocates at most.
    pub fn bytes(domain: &Domain) -> u64 {
        let (columns, lanes) = columns_of(domain.extent());
        let full = domain.pattern(1).places.as_ref().is_some_and(|places| places.is_full());
        if full { MOST_LONG_BITS.max(lanes) as u64 / 4 } else { RowGrid::bytes_of(columns, lanes) }
    }

    /// Bytes of the tables of `columns` columns of `lanes` lanes.
    pub(crate) fn bytes_of(columns: u64, lanes: usize) -> u64 {
        columns * (4 + 4 + 8 + lanes as u64 / 8)
    }

    /// The grid of a mask or a box.
    ///
    /// # Panics
    /// If the domain is of another kind.
    pub fn new(domain: &Domain) -> RowGrid {
        RowGrid::of_lanes(domain, lanes_of(domain.extent()[0] as usize))
    }

    /// The grid of a mask or a box with longer columns, as long as they have hardly more places than short ones: for CPUs, where each column costs something
    /// however long it is. The length depends on whether the rule's states are bits.
    ///
    /// # Panics
    /// As of [`new`](Self::new).
    pub(crate) fn with_long_columns(domain: &Domain, rule: &Rule) -> RowGrid {
        let short = RowGrid::new(domain);
        let bits = rule.kept_states().all(|state| matches!(Planes::of(rule, state.ty), Planes::Bits(_)));
        let most = if bits { MOST_LONG_BITS } else { MOST_LONG_NUMBERS };
        let (lanes, places) = (short.shape.lanes, short.columns * short.shape.lanes);
        let longer = std::iter::successors(Some(2 * lanes), |lanes| Some(2 * lanes));
        let longer = longer.take_while(|longer| *longer <= most && *longer < 2 * domain.extent()[0] as usize);
        let fits = |longer: &usize| 8 * short.columns_of_longer(longer / lanes) * longer <= (8 + EIGHTHS_MORE) * places;
        match longer.filter(fits).last() {
            Some(longer) => RowGrid::of_lanes(domain, longer),
            None => short,
        }
    }

    /// The grid of a mask or a box with columns as short as can be numbered: for steps that compute a column for each cell.
    ///
    /// # Panics
    /// As of [`new`](Self::new).
    pub(crate) fn with_short_columns(domain: &Domain) -> RowGrid {
        let [width, height, depth] = domain.extent();
        let (_, usual) = columns_of(domain.extent());
        let lanes =
            std::iter::successors(Some(LEAST_LANES), |lanes| Some(2 * lanes)).take_while(|lanes| *lanes < usual);
        let fits = |lanes: &usize| width.div_ceil(*lanes as u64) * height * depth <= MOST_COLUMNS;
        RowGrid::of_lanes(domain, lanes.into_iter().find(fits).unwrap_or(usual))
    }

    /// The column and the lane of the cell at a place, if one is stored there.
    pub fn at(&self, [x, y, z]: [usize; 3]) -> Option<(Slot, Lane)> {
        // The lanes are a power of two.
        let (number, lane) = (x >> self.shape.lanes.trailing_zeros(), x & (self.shape.lanes - 1));
        let slot = self.slot(Unit(((z * self.extent[1] + y) * self.per_row + number) as u32))?;
        (self.mask(slot)[lane / 32] >> (lane % 32) & 1 == 1).then_some((slot, Lane(lane as u32)))
    }

    /// The number of columns that would be stored if each were `times` as long.
    fn columns_of_longer(&self, times: usize) -> usize {
        let per_row = self.per_row.div_ceil(times);
        if self.stores_all() {
            return per_row * self.rows();
        }
        let (mut count, mut last) = (0, usize::MAX);
        for Unit(unit) in &self.units {
            let (row, column) = (*unit as usize / self.per_row, *unit as usize % self.per_row);
            let longer = row * per_row + column / times;
            count += usize::from(longer != last);
            last = longer;
        }
        count
    }

    /// The grid with columns of `lanes` lanes, a power of two.
    fn of_lanes(domain: &Domain, lanes: usize) -> RowGrid {
        let extent = domain.extent().map(|side| side as usize);
        let (shape, per_row) = (Shape::of_lanes(lanes), extent[0].div_ceil(lanes));
        let all = per_row * extent[1] * extent[2];
        let places = domain.pattern(1).places.as_ref().expect("masks and boxes have places, fractals have levels");
        let mut grid = RowGrid {
            dimension: domain.dimension(),
            extent,
            periodic: domain.periodic().0,
            shape,
            per_row,
            is_full: places.is_full(),
            columns: all,
            first: 0,
            is_part: false,
            slots: Vec::new(),
            units: Vec::new(),
            mask: Vec::new(),
            cell_indices: Vec::new(),
        };
        let words = |first: u64, count: usize| {
            (0..shape.words)
                .map(move |word| places.bits(first + 32 * word as u64, count.saturating_sub(32 * word).min(32) as u32))
        };
        if grid.is_full {
            let last = extent[0] - (per_row - 1) * lanes;
            grid.mask = [lanes.min(extent[0]), last].into_iter().flat_map(|count| words(0, count)).collect();
            grid.cell_indices.push(places.cells());
            return grid;
        }
        let (mut cell_index, mut units) = (0u64, Vec::new());
        for row in 0..extent[1] * extent[2] {
            for number in 0..per_row {
                let (x, before) = (number * lanes, grid.mask.len());
                grid.mask.extend(words((row * extent[0] + x) as u64, lanes.min(extent[0] - x)));
                let count: u32 = grid.mask[before..].iter().map(|word| word.count_ones()).sum();
                if count == 0 {
                    grid.mask.truncate(before);
                    continue;
                }
                units.push(Unit((row * per_row + number) as u32));
                grid.cell_indices.push(cell_index);
                cell_index += u64::from(count);
            }
        }
        grid.cell_indices.push(cell_index);
        grid.columns = units.len();
        if grid.columns < all {
            grid.slots = vec![Slot::ABSENT; all];
            units.iter().zip(0..).for_each(|(unit, slot)| grid.slots[unit.0 as usize] = Slot(slot));
            grid.units = units;
        }
        grid
    }

    /// The columns of a part of the whole, and the units of that part. All columns of rows up to `reach` away are stored with them; others are not, like
    /// columns without a cell.
    pub(crate) fn part(&self, owned: Range<u32>, reach: u32) -> (RowGrid, Range<u32>) {
        let rows = self.rows_around(&owned, reach as i32);
        let mut stored: BTreeSet<u32> =
            rows.into_iter().flat_map(|row| self.slots_of(&self.units_of(row..row + 1))).collect();
        // How many cells the last one has follows from the index of the next.
        stored.extend((owned.end as usize..self.columns).take(1).map(|slot| slot as u32));
        let unit = |slot: u32| {
            if (slot as usize) < self.columns { self.unit(Slot(slot)).0 } else { self.all_columns() as u32 }
        };
        let mut part = RowGrid {
            is_full: false,
            columns: stored.len(),
            slots: vec![Slot::ABSENT; self.all_columns()],
            units: stored.iter().map(|slot| Unit(unit(*slot))).collect(),
            mask: stored.iter().flat_map(|slot| self.mask(Slot(*slot))).copied().collect(),
            cell_indices: stored.iter().map(|slot| self.first_cell(Slot(*slot)).0).chain([self.cells()]).collect(),
            ..*self
        };
        part.units.iter().zip(0..).for_each(|(unit, slot)| part.slots[unit.0 as usize] = Slot(slot));
        (part, unit(owned.start)..unit(owned.end))
    }

    /// The same of a box without holes: whole rows that follow each other, and need no tables.
    pub(crate) fn part_of_box(&self, owned: &Range<u32>, reach: u32) -> RowGrid {
        assert!(self.is_full && self.stores_all() && !owned.is_empty(), "a box is divided");
        let needed: Vec<usize> = self.rows_around(owned, reach as i32).into_iter().collect();
        let begins_again = needed[0] + self.rows();
        let next = needed[1..].iter().copied().chain([begins_again]);
        // The longest run of rows that are not needed is not stored.
        let (last, next) =
            needed.iter().copied().zip(next).max_by_key(|(row, next)| next - row).expect("there is a row");
        let rows = self.rows() - (next - last - 1);
        let first = if rows < self.rows() { next % self.rows() } else { 0 };
        RowGrid {
            columns: rows * self.per_row,
            first: (first * self.per_row) as u32,
            is_part: true,
            slots: Vec::new(),
            units: Vec::new(),
            mask: self.mask.clone(),
            cell_indices: self.cell_indices.clone(),
            ..*self
        }
    }

    /// The rows of these columns, and those up to `reach` away.
    fn rows_around(&self, slots: &Range<u32>, reach: i32) -> BTreeSet<usize> {
        let layers = if self.extent[2] > 1 { reach } else { 0 };
        let mut places: Vec<ColumnPlace> = Vec::new();
        for slot in slots.clone().map(Slot) {
            let row = self.unit(slot).0 as usize / self.per_row;
            if places.last().is_none_or(|last| last.row != row) {
                places.push(self.place(slot));
            }
        }
        let around = |place: &ColumnPlace| {
            let place = *place;
            let rows = (-layers..=layers).flat_map(move |z| (-reach..=reach).map(move |y| [y, z]));
            rows.filter_map(move |rows| self.row_beside(&place, rows))
        };
        places.iter().flat_map(around).collect()
    }

    /// The rows that are stored of a part of a box: the first one, and how many; `None` if all are.
    pub(crate) fn rows_of_part(&self) -> Option<(usize, usize)> {
        let of_row = |columns: usize| columns / self.per_row;
        (self.is_part && !self.stores_all()).then(|| (of_row(self.first as usize), of_row(self.columns)))
    }

    /// The cells of these units, which follow each other and are all stored or have no cell.
    pub fn cells_of(&self, units: &Range<u32>) -> Range<u64> {
        if self.is_full {
            let [width, ..] = self.extent;
            let first = |unit: u32| {
                let (row, column) = (unit as usize / self.per_row, unit as usize % self.per_row);
                (row * width + column * self.shape.lanes) as u64
            };
            return first(units.start)..first(units.end);
        }
        let Range { start, end } = self.slots_of(units);
        self.first_cell(Slot(start)).0..self.first_cell(Slot(end)).0
    }

    /// The cells from the first to the last that is stored.
    pub fn cells_between(&self) -> Range<u64> {
        let is_around = self.is_part && self.first as usize + self.columns > self.all_columns();
        if self.columns == 0 || is_around {
            return 0..if is_around { self.cells() } else { 0 };
        }
        let last = Slot(self.columns as u32 - 1);
        self.first_cell(Slot(0)).0..self.first_cell(last).0 + self.lanes(last).count() as u64
    }

    /// Some rows of a box without holes, of which the others are not stored.
    pub(crate) fn rows_alone(&self, rows: Range<usize>) -> RowGrid {
        assert!(self.is_full && self.stores_all(), "a box is stored");
        let Range { start, end } = self.units_of(rows);
        let (mask, cell_indices) = (self.mask.clone(), self.cell_indices.clone());
        let (slots, units) = (Vec::new(), Vec::new());
        RowGrid { first: start, columns: (end - start) as usize, slots, units, mask, cell_indices, ..*self }
    }

    /// The rows that are stored, if these are some rows of a box without holes.
    pub fn rows_stored_alone(&self) -> Option<Range<usize>> {
        let first = self.first as usize;
        let is_alone = self.is_full && !self.stores_all() && !self.is_part;
        is_alone.then(|| first / self.per_row..(first + self.columns) / self.per_row)
    }

    /// Where these units stand that are stored.
    pub(crate) fn slots_of(&self, units: &Range<u32>) -> Range<u32> {
        if self.is_part {
            let start = if units.is_empty() { 0 } else { self.place_of(units.start).min(self.columns as u32) };
            return start..(start + units.len() as u32).min(self.columns as u32);
        }
        let before = |first: u32| match self.units.is_empty() {
            true => first.saturating_sub(self.first).min(self.columns as u32),
            false => self.units.partition_point(|Unit(unit)| *unit < first) as u32,
        };
        before(units.start)..before(units.end)
    }

    /// Width, height and depth.
    pub fn extent(&self) -> [usize; 3] {
        self.extent
    }

    /// The axes along which it is periodic.
    pub fn periodic(&self) -> [bool; 3] {
        self.periodic
    }

    /// How many columns a row has, stored or not.
    pub fn columns_of_row(&self) -> usize {
        self.per_row
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.extent[1] * self.extent[2]
    }

    /// Where a unit stands, if it is stored.
    pub fn slot(&self, Unit(unit): Unit) -> Option<Slot> {
        if self.slots.is_empty() {
            let slot = Slot(self.place_of(unit));
            return (slot.index() < self.columns).then_some(slot);
        }
        let slot = self.slots[unit as usize];
        (slot != Slot::ABSENT).then_some(slot)
    }

    /// How many columns a unit stands behind the first that is stored, where rows are stored alone; around the end of all.
    fn place_of(&self, unit: u32) -> u32 {
        if unit < self.first { unit + (self.all_columns() as u32 - self.first) } else { unit - self.first }
    }

    /// How many columns there are, stored or not.
    pub fn all_columns(&self) -> usize {
        self.per_row * self.rows()
    }

    /// The unit that stands there.
    pub fn unit(&self, slot: Slot) -> Unit {
        if self.units.is_empty() { Unit(self.number_among_all(slot) as u32) } else { self.units[slot.index()] }
    }

    /// The number of a column among all, of a grid without a list of units; that behind the last one has the next number.
    fn number_among_all(&self, slot: Slot) -> usize {
        let (number, all) = (self.first as usize + slot.index(), self.all_columns());
        if self.is_part && number >= all { number - all } else { number }
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        self.cell_indices[self.cell_indices.len() - 1]
    }

    /// Whether cells have numbers of more than 32 bits.
    pub fn wide_indices(&self) -> bool {
        self.cells() > u64::from(u32::MAX)
    }

    /// Whether every place is a cell.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether a cell stands in this direction of every cell.
    pub(crate) fn is_endless(&self, direction: Direction) -> bool {
        self.is_full && (0..3).all(|axis| self.periodic[axis] || direction.0[axis] == 0)
    }

    /// Whether every column is stored, so that they are numbered as they stand.
    pub fn stores_all(&self) -> bool {
        self.columns == self.all_columns()
    }

    /// Whether rows are stored whole, so that columns follow each other as they stand.
    pub(crate) fn stores_rows(&self) -> bool {
        self.stores_all() || self.is_full
    }

    /// The index of the first cell of each word of the columns' masks, or of the next cell.
    pub fn word_indices(&self) -> impl Iterator<Item = CellIndex> + '_ {
        Slot::all(self.columns).flat_map(|column| {
            self.mask(column).iter().scan(self.first_cell(column), |cell_index, word| {
                let here = *cell_index;
                cell_index.0 += u64::from(word.count_ones());
                Some(here)
            })
        })
    }

    /// The stored columns of some rows.
    pub fn columns_of(&self, rows: Range<usize>) -> Range<Slot> {
        let slots = self.slots_of(&self.units_of(rows));
        Slot(slots.start)..Slot(slots.end)
    }

    /// All columns of some rows.
    fn units_of(&self, rows: Range<usize>) -> Range<u32> {
        (rows.start * self.per_row) as u32..(rows.end * self.per_row) as u32
    }

    /// The row of a cell.
    pub fn row_of(&self, cell_index: CellIndex) -> usize {
        self.unit(self.column_of(cell_index)).0 as usize / self.per_row
    }

    /// How many rows from this one on, `most` at most and all of one layer, have columns that are all stored, one behind the other; or 1.
    pub fn rows_together(&self, row: usize, most: usize) -> usize {
        let columns = |rows: usize| self.units_of(row..row + rows);
        let slot = |unit: u32| self.slot(Unit(unit)).map(|slot| slot.0);
        let Some(first) = slot(columns(1).start) else { return 1 };
        let mut rows = most.min(self.extent[1] - row % self.extent[1]);
        let are_together = |rows: usize| {
            let Range { start, end } = columns(rows);
            slot(end - 1).and_then(|last| last.checked_sub(first)) == Some(end - 1 - start)
        };
        while rows > 1 && !(self.stores_all() || are_together(rows)) {
            rows /= 2;
        }
        rows.max(1)
    }

    /// Bytes of the tables of a GPU that say where its columns and cells are, but for some small ones.
    pub(crate) fn table_bytes(&self) -> u64 {
        if self.is_full {
            return 0;
        }
        let index = if self.stores_all() { 0 } else { self.all_columns() };
        let of_word = if self.wide_indices() { 12 } else { 8 };
        (4 * index + of_word * self.columns * self.shape.words) as u64
    }

    /// How many columns are stored.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many of a column's lanes are places of its row.
    pub fn places(&self, slot: Slot) -> usize {
        self.place(slot).places
    }

    /// The corner of a column.
    pub fn corner(&self, slot: Slot) -> [i32; 3] {
        self.place(slot).corner
    }

    /// Which column of its row a stored column is.
    pub fn number_in_row(&self, slot: Slot) -> usize {
        (self.unit(slot).0 % self.per_row as u32) as usize
    }

    /// Where a column stands.
    pub fn place(&self, slot: Slot) -> ColumnPlace {
        // Numbers of 32 bits are faster to divide.
        let (Unit(unit), per_row) = (self.unit(slot), self.per_row as u32);
        let (row, x) = ((unit / per_row) as usize, (unit % per_row) as usize * self.shape.lanes);
        let [width, height, depth] = self.extent;
        let [y, z] = if depth == 1 { [row, 0] } else { [row % height, row / height] };
        ColumnPlace { corner: [x, y, z].map(|v| v as i32), row, places: self.shape.lanes.min(width - x) }
    }

    /// A bit for each lane that is a cell.
    pub fn mask(&self, slot: Slot) -> &[u32] {
        let column = match self.is_full {
            true => usize::from(slot.index() % self.per_row + 1 == self.per_row),
            false => slot.index(),
        };
        &self.mask[column * self.shape.words..][..self.shape.words]
    }

    /// The index of a column's first cell; of the column behind the last the number of cells.
    pub fn first_cell(&self, slot: Slot) -> CellIndex {
        CellIndex(match self.is_full {
            true => {
                let all = self.number_among_all(slot);
                (all / self.per_row * self.extent[0] + all % self.per_row * self.shape.lanes) as u64
            }
            false => self.cell_indices[slot.index()],
        })
    }

    /// Where a cell stands if the cells alone are stored: all are here.
    pub fn packed(&self, CellIndex(cell_index): CellIndex) -> PackedIndex {
        PackedIndex(cell_index)
    }

    /// How many cells a column has.
    pub fn count(&self, slot: Slot) -> usize {
        if self.is_full {
            return self.places(slot);
        }
        // The column that is stored next need not follow it: in a part, rows of holes are no ghosts.
        self.mask(slot).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The lanes of a column that are cells, in order.
    pub fn lanes(&self, slot: Slot) -> impl Iterator<Item = Lane> + '_ {
        self.mask(slot).iter().zip(0..).flat_map(|(bits, word)| {
            std::iter::successors(Some(*bits), |bits| Some(bits & bits.wrapping_sub(1)))
                .take_while(|bits| *bits != 0)
                .map(move |bits| Lane(32 * word + bits.trailing_zeros()))
        })
    }

    /// The column of a cell.
    pub fn column_of(&self, CellIndex(cell_index): CellIndex) -> Slot {
        let (width, per_row, lanes) = (self.extent[0] as u64, self.per_row as u64, self.shape.lanes as u64);
        Slot(match self.is_full {
            true => self.place_of((cell_index / width * per_row + cell_index % width / lanes) as u32),
            false => self.cell_indices.partition_point(|first| *first <= cell_index).saturating_sub(1) as u32,
        })
    }

    /// The column and the lane of a cell, if its column is stored.
    pub fn locate(&self, cell_index: CellIndex) -> Option<(Slot, Lane)> {
        let column = Some(self.column_of(cell_index)).filter(|column| column.index() < self.columns)?;
        let mut rest = cell_index.0.checked_sub(self.first_cell(column).0)?;
        for (bits, word) in self.mask(column).iter().zip(0..) {
            if rest < u64::from(bits.count_ones()) {
                let mut bits = *bits;
                (0..rest).for_each(|_| bits &= bits - 1);
                return Some((column, Lane(32 * word + bits.trailing_zeros())));
            }
            rest -= u64::from(bits.count_ones());
        }
        None
    }

    /// The row at this distance along y and z from the row of a column, if there is one.
    pub fn row_beside(&self, place: &ColumnPlace, [dy, dz]: [i32; 2]) -> Option<usize> {
        let [_, y, z] = place.corner;
        let y = self.turned(1, i64::from(y) + i64::from(dy))?;
        Some(self.turned(2, i64::from(z) + i64::from(dz))? * self.extent[1] + y)
    }

    /// The column and the lane at this distance from lane 0 of a column, if all columns of rows are stored and the places at this distance from those of the
    /// column lie in one row, not across an edge.
    pub fn run_beside(&self, place: &ColumnPlace, [dx, dy, dz]: [i32; 3]) -> Option<(Slot, usize)> {
        let x = usize::try_from(i64::from(place.corner[0]) + i64::from(dx)).ok()?;
        if !self.stores_rows() || x + place.places > self.extent[0] {
            return None;
        }
        let first = self.row_beside(place, [dy, dz])? * self.per_row;
        // The lanes are a power of two.
        let digits = self.shape.lanes.trailing_zeros();
        Some((self.slot(Unit((first + (x >> digits)) as u32))?, x & (self.shape.lanes - 1)))
    }

    /// The column of the same places in the row that lies `rows` away, if there is such a row and all columns of rows are stored.
    pub fn column_beside(&self, place: &ColumnPlace, rows: [i32; 2]) -> Option<Slot> {
        let number = place.corner[0] as usize >> self.shape.lanes.trailing_zeros();
        let row = self.row_beside(place, rows).filter(|_| self.stores_rows())?;
        self.slot(Unit((row * self.per_row + number) as u32))
    }

    /// Whether all places at this distance from the places of a column exist, on a box without holes.
    pub fn all_beside(&self, place: &ColumnPlace, [dx, dy, dz]: [i32; 3]) -> bool {
        let x = i64::from(place.corner[0]) + i64::from(dx);
        let within = self.periodic[0] || x >= 0 && x + place.places as i64 <= self.extent[0] as i64;
        self.is_full && within && self.row_beside(place, [dy, dz]).is_some()
    }

    /// A coordinate within the box, or on the other side of an axis that is periodic.
    fn turned(&self, axis: usize, v: i64) -> Option<usize> {
        let side = self.extent[axis] as i64;
        match (0..side).contains(&v) {
            true => Some(v as usize),
            false => self.periodic[axis].then(|| v.rem_euclid(side) as usize),
        }
    }

    /// The columns of any row, by number, that have the places from `x` on, in order, stored or not: how many places before the first of a column are, which
    /// column and lane, and how many. Places beyond edges are left out.
    pub fn sources(&self, x: i64, places: usize, mut visit: impl FnMut(usize, usize, usize, usize)) {
        let (width, lanes, mut at) = (self.extent[0], self.shape.lanes, 0);
        while at < places {
            let there = x + at as i64;
            let Some(from) = self.turned(0, there) else {
                if there < 0 {
                    at += there.unsigned_abs() as usize;
                    continue;
                }
                return;
            };
            let (number, lane) = (from >> lanes.trailing_zeros(), from & (lanes - 1));
            let length = (lanes - lane).min(width - from).min(places - at);
            visit(at, number, lane, length);
            at += length;
        }
    }

    /// The sources of the lanes of a column at this distance, in order; lanes without a source are left out.
    pub fn segments(&self, place: &ColumnPlace, offset: [i32; 3], mut visit: impl FnMut(Segment)) {
        let Some(row) = self.row_beside(place, [offset[1], offset[2]]) else { return };
        let x = i64::from(place.corner[0]) + i64::from(offset[0]);
        self.sources(x, place.places, |lane, number, from, length| {
            if let Some(source) = self.slot(Unit((row * self.per_row + number) as u32)) {
                visit(Segment { lane, source, from, length });
            }
        });
    }
}

/// How many columns there are, in one sentence.
impl fmt::Display for RowGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lanes, all, stored) = (self.shape.lanes, self.all_columns(), self.columns());
        if self.rows_stored_alone().is_some() {
            let cells = self.cells();
            return write!(f, "rows as lanes: {stored} of {all} columns of {lanes} places are kept, of {cells} cells");
        }
        write!(f, "rows as lanes: {stored} of {all} columns of {lanes} places have cells, {} altogether", self.cells())
    }
}

/// How many columns a box of this extent has, stored or not, and the lanes of each.
fn columns_of([width, height, depth]: [u64; 3]) -> (u64, usize) {
    let lanes = lanes_of(width as usize);
    (width.div_ceil(lanes as u64) * height * depth, lanes)
}

/// Whether the columns of a box of this extent can be numbered.
pub(crate) fn check_columns(extent: [u64; 3]) -> Result<(), LayoutError> {
    let (columns, lanes) = columns_of(extent);
    if columns <= MOST_COLUMNS {
        return Ok(());
    }
    Err(LayoutError(format!(
        "{columns} stretches of rows, of {lanes} places each, are more than 32 bits can number; at most {MOST_COLUMNS} are, so let the longest side \
         be the width"
    )))
}

fn lanes_of(width: usize) -> usize {
    width.next_power_of_two().clamp(LEAST_LANES, MOST_LANES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::source::Sources;
    use crate::{NoFiles, check};

    fn domain(text: &str) -> Domain {
        let mut sources = Sources::new();
        let root = sources.add("boxes", format!("domain box {{ {text} }}"));
        Domain::new(check(&mut sources, root, &mut NoFiles).unwrap().fractals[0].clone(), 1).unwrap()
    }

    /// Boxes have no tables, so that those of more places than 32 bits number are as quick to ask as small ones.
    #[test]
    fn places_beyond_32_bits_are_found() {
        for text in ["size (2147483647, 3)", "size (65536, 70000)  periodic", "size (70001, 300, 300)  periodic y"] {
            let domain = domain(text);
            let grid = RowGrid::new(&domain);
            let ([width, height, _], lanes) = (grid.extent(), grid.shape.lanes);
            assert!(grid.wide_indices() && grid.cells() == domain.cells() && grid.mask.len() <= 2 * lanes / 32);
            let limit = 1u64 << 32;
            for cell_index in [0, limit - 513, limit - 1, limit, limit + 1, limit + 77_777, grid.cells() - 1] {
                let (column, lane) = grid.locate(CellIndex(cell_index)).expect("all are stored");
                let [x, y, z] = grid.corner(column).map(|v| v as u64);
                let lane = lane.0 as usize;
                assert_eq!(domain.lambda(cell_index), [x + lane as u64, y, z], "{text}: {cell_index}");
                assert_eq!(grid.first_cell(column).0 + lane as u64, cell_index);
                let row = grid.row_of(CellIndex(cell_index));
                assert_eq!(grid.columns_of(0..row + 1).end.index(), grid.columns_of_row() * (row + 1));
                for offset in [[0, 0, 0], [1, 0, 0], [-3, 1, 0], [5, -1, 0], [0, 1, 1]] {
                    let wanted = domain.neighbour(domain.lambda(cell_index), offset);
                    let mut found = None;
                    grid.segments(&grid.place(column), offset, |segment| {
                        if (segment.lane..segment.lane + segment.length).contains(&lane) {
                            found =
                                Some(grid.first_cell(segment.source).0 + (segment.from + lane - segment.lane) as u64);
                        }
                    });
                    assert_eq!(found, wanted, "{text}: {offset:?} from {cell_index}");
                }
            }
            assert_eq!(grid.first_cell(Slot(grid.columns() as u32)).0, (width * height * grid.extent()[2]) as u64);
        }
    }

    #[test]
    fn columns_that_cannot_be_numbered_are_refused() {
        assert!(check_columns(domain("size (3, 2147483647)").extent()).is_ok());
        let error = check_columns(domain("size (3, 2147483647, 2)").extent()).unwrap_err().to_string();
        assert!(error.starts_with("4294967294 stretches of rows, of 32 places each, are more"), "{error}");
    }
}
