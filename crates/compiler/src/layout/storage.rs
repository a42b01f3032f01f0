//! How the cells of a domain are stored. The compiler leads from a new variant to all that reads and writes columns.

use super::Layout;
use super::columns::{Columns, Shape};
use super::rows::RowGrid;
use super::table::far_neighbour;
use super::unit::{CellIndex, Lane, Micro, Part, Slot, Unit};
use crate::ir::{Axes, Rule, State};
use crate::kernel::{Direction, Planes};
use std::ops::Range;
use std::sync::Arc;

/// How cells are stored.
#[derive(Clone, Debug)]
pub struct Storage {
    /// The place of each lane.
    pub geometry: Geometry,
    /// The form in memory.
    pub memory: StoredAs,
    /// The units that are stored.
    pub part: Part,
}

/// Where lanes lie.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a plan holds one, behind an `Arc`")]
pub enum Geometry {
    /// Lanes are replicas of the top levels.
    Replicas(Layout),
    /// Lanes are the places of a stretch of a row.
    Rows(Arc<RowGrid>),
}

/// The form of units in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredAs {
    /// Columns, whose lanes hold 0 if they are no cells.
    Columns,
    /// The cells alone, by index. Kernels see columns all the same.
    Cells,
}

impl Storage {
    /// Columns of replicas.
    pub fn replicas(layout: Layout) -> Storage {
        let part = Part::whole(layout.superblocks());
        Storage { geometry: Geometry::Replicas(layout), memory: StoredAs::Columns, part }
    }

    /// Stretches of rows.
    pub fn rows(grid: Arc<RowGrid>, memory: StoredAs) -> Storage {
        let part = Part::whole(grid.all_columns() as u32);
        Storage { geometry: Geometry::Rows(grid), memory, part }
    }

    /// Some rows of a box without holes; the other ones are not stored.
    #[must_use]
    pub(crate) fn of_rows(&self, rows: Range<usize>) -> Storage {
        let Geometry::Rows(grid) = &self.geometry else { unreachable!("a box has rows") };
        let units = grid.columns_of(rows.clone());
        let (geometry, part) = (Geometry::Rows(Arc::new(grid.rows_alone(rows))), units.start.0..units.end.0);
        Storage { geometry, memory: self.memory, part: Part::of(part, [].into()) }
    }

    /// One of `parts` parts of the whole, each of about as many units, with copies of the units that kernels read which look at most `reach` places away; itself
    /// where it is the only one.
    ///
    /// # Panics
    /// If there is no part of this number.
    #[must_use]
    pub fn cut(&self, (number, parts): (u32, u32), reach: u32) -> Storage {
        assert!(number < parts, "there is no part {number} of {parts}");
        if parts == 1 {
            return self.clone();
        }
        let owned = self.owned();
        // Whole rows of a box, if there are enough.
        let step = match &self.geometry {
            Geometry::Rows(grid) if grid.is_full() && grid.rows() >= parts as usize => grid.columns_of_row() as u64,
            Geometry::Rows(_) | Geometry::Replicas(_) => 1,
        };
        let end = |number: u32| (u64::from(owned.end) / step * u64::from(number) / u64::from(parts) * step) as u32;
        let owned = end(number)..end(number + 1);
        // Boxes of several layers keep tables: their kernels read layers at fixed distances, and rows that are not stored could lie between two layers.
        let is_flat = |grid: &RowGrid| grid.is_full() && grid.extent()[2] == 1;
        let (geometry, part) = match &self.geometry {
            Geometry::Replicas(layout) => {
                let far = layout.low().extent().map(|side| u64::from(reach).div_ceil(side).max(1) as i32);
                let [xs, ys, zs] = std::array::from_fn(|axis| match axis < layout.dimension().axes() {
                    true => -far[axis]..=far[axis],
                    false => 0..=0,
                });
                let beside = |unit: u32| {
                    let (place, ys, xs) = (layout.superblock_place(Unit(unit)), ys.clone(), xs.clone());
                    let rows = zs.clone().flat_map(move |z| ys.clone().map(move |y| (y, z)));
                    let all = rows.flat_map(move |(y, z)| xs.clone().map(move |x| Direction([x, y, z])));
                    all.filter_map(move |direction| far_neighbour(layout, place, direction).0)
                };
                let ghosts = owned.clone().flat_map(beside).filter(|unit| !owned.contains(&unit.0)).collect();
                (Geometry::Replicas(layout.clone()), Part::of(owned, ghosts))
            }
            Geometry::Rows(grid) if is_flat(grid) && self.memory == StoredAs::Columns && !owned.is_empty() => {
                (Geometry::Rows(Arc::new(grid.part_of_box(&owned, reach))), Part::of(owned, [].into()))
            }
            Geometry::Rows(grid) => {
                let (grid, units) = grid.part(owned, reach);
                (Geometry::Rows(Arc::new(grid)), Part::of(units, [].into()))
            }
        };
        Storage { geometry, memory: self.memory, part }
    }

    /// The slots of the units that are computed here.
    pub fn owned(&self) -> Range<u32> {
        match &self.geometry {
            Geometry::Replicas(_) => 0..self.part.owned() as u32,
            Geometry::Rows(grid) => grid.slots_of(self.part.units()),
        }
    }

    /// How many units are stored.
    pub fn stored(&self) -> usize {
        match &self.geometry {
            Geometry::Replicas(_) => self.part.stored(),
            Geometry::Rows(grid) => grid.columns(),
        }
    }

    /// The slots of the units that others compute, with these units.
    pub fn ghosts(&self) -> impl Iterator<Item = (Slot, Unit)> + '_ {
        let owned = self.owned();
        let ghosts = Slot::all(self.stored()).filter(move |slot| !owned.contains(&slot.0));
        ghosts.map(|slot| match &self.geometry {
            Geometry::Replicas(_) => (slot, self.part.unit(slot)),
            Geometry::Rows(grid) => (slot, grid.unit(slot)),
        })
    }

    /// Where a unit stands, if it is computed here.
    pub fn slot(&self, unit: Unit) -> Option<Slot> {
        let slot = match &self.geometry {
            Geometry::Replicas(_) => self.part.slot(unit),
            Geometry::Rows(grid) => grid.slot(unit),
        };
        slot.filter(|slot| self.owned().contains(&slot.0))
    }

    /// Whether others compute some of the units.
    pub fn is_cut(&self) -> bool {
        let all = match &self.geometry {
            Geometry::Replicas(layout) => layout.superblocks() as usize,
            Geometry::Rows(grid) => grid.all_columns(),
        };
        self.part.owned() < all
    }

    /// Where a cell stands, if it is stored in a column.
    pub fn locate(&self, cell_index: CellIndex) -> Option<(Slot, Micro, Lane)> {
        match &self.geometry {
            Geometry::Replicas(layout) => {
                let (lane, unit, micro) = layout.split(cell_index);
                Some((self.part.slot(unit)?, micro, lane))
            }
            Geometry::Rows(grid) => grid.locate(cell_index).map(|(slot, lane)| (slot, Micro(0), lane)),
        }
    }

    /// The number of cells of the whole domain.
    pub fn cells(&self) -> u64 {
        match &self.geometry {
            Geometry::Replicas(layout) => layout.cells(),
            Geometry::Rows(grid) => grid.cells(),
        }
    }

    /// Whether one unit is the whole domain, with a lane at most, and no edge of it leads back to it.
    pub(crate) fn is_whole(&self) -> bool {
        match &self.geometry {
            Geometry::Replicas(layout) => layout.is_whole(),
            Geometry::Rows(grid) => grid.extent() == [1; 3] && !Axes(grid.periodic()).any(),
        }
    }

    /// Bytes of one buffer of a state. In 128 bits: columns of a level near 2^64 cells take more than 2^64.
    pub fn bytes(&self, columns: &Columns) -> u128 {
        match (&self.geometry, self.memory) {
            (Geometry::Replicas(_), _) => columns.bytes(self.part.stored() as u64),
            (Geometry::Rows(grid), StoredAs::Columns) => columns.bytes(grid.columns() as u64),
            (Geometry::Rows(grid), StoredAs::Cells) => u128::from(columns.packed_bytes(grid.cells())),
        }
    }

    /// Bytes of one buffer of each of these.
    pub fn bytes_of(&self, memory: &[StateMemory]) -> u64 {
        let all: u128 = memory.iter().map(|state| self.bytes(&state.columns)).sum();
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// Bytes of all buffers of these.
    pub fn bytes_of_buffers(&self, memory: &[StateMemory]) -> u128 {
        memory.iter().map(|state| self.bytes(&state.columns) * u128::from(state.buffers)).sum()
    }

    /// Bytes behind a buffer on GPUs, which stay 0: a superblock, a column, or the largest value of a cell.
    pub(crate) fn padding(&self, columns: &Columns) -> u64 {
        match self.memory {
            StoredAs::Columns => columns.block as u64,
            StoredAs::Cells => LARGEST_VALUE,
        }
    }
}

/// Bytes of the largest value of a cell.
pub const LARGEST_VALUE: u64 = 8;

/// How one state is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateMemory {
    /// The columns of one superblock.
    pub columns: Columns,
    /// 2 if some step gives it new values, which go to another buffer than the old ones; else 1.
    pub buffers: u32,
}

/// The memory of each state of the rule, and of the fields that are kept, in columns of this shape for `micro_cells` micro cells.
pub(crate) fn state_memory(rule: &Rule, shape: Shape, micro_cells: usize) -> Vec<StateMemory> {
    let of_state = |(index, state): (usize, &State)| StateMemory {
        columns: Columns::new(Planes::of(rule, state.ty), shape, micro_cells),
        buffers: if rule.changes(index) { 2 } else { 1 },
    };
    rule.kept_states().enumerate().map(of_state).collect()
}
