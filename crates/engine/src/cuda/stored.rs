//! The contents of a GPU's buffers: all that launches kernels and measures states must know of a storage.

use super::driver::Address;
use super::neighbours::{PassTables, TableMemory};
use squeeze_compiler::emit::cuda::MeasuredColumns;
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::{Columns, Shape};
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::unit::{CellIndex, Slot};
use squeeze_compiler::layout::{Geometry, Layout, Storage, StoredAs};
use squeeze_compiler::plan::Plan;
use squeeze_compiler::target::Members;
use std::ops::Range;

/// The contents of buffers.
#[derive(Clone, Copy)]
pub(super) enum Stored<'a> {
    /// Superblocks, of each member in turn.
    Replicas { layout: &'a Layout, storage: &'a Storage, members: Members },
    /// Rows of a mask or a box, of one member: their columns, or packed the cells alone.
    Rows { grid: &'a RowGrid, storage: &'a Storage, packed: bool },
}

/// A block of a state's buffer: those of a member, one for each slot, stand behind those of the members before.
pub(super) struct BufferBlock {
    pub member: usize,
    pub slot: Slot,
}

impl BufferBlock {
    /// The first one of a member.
    pub(super) fn first_of(member: usize) -> BufferBlock {
        BufferBlock { member, slot: Slot(0) }
    }
}

impl<'a> Stored<'a> {
    /// The contents of a plan's buffers.
    pub(super) fn of(plan: &'a Plan) -> Stored<'a> {
        let (storage, members): (&Storage, _) = (&plan.storage, plan.members);
        match &storage.geometry {
            Geometry::Replicas(layout) => Stored::Replicas { layout, storage, members },
            Geometry::Rows(grid) => Stored::Rows { grid, storage, packed: storage.memory == StoredAs::Cells },
        }
    }

    /// The rows of a mask or a box.
    pub(super) fn grid(self) -> Option<&'a RowGrid> {
        match self {
            Stored::Replicas { .. } => None,
            Stored::Rows { grid, .. } => Some(grid),
        }
    }

    /// Whether cells are stored alone.
    pub(super) fn is_packed(self) -> bool {
        matches!(self, Stored::Rows { packed: true, .. })
    }

    /// The storage.
    fn storage(self) -> &'a Storage {
        match self {
            Stored::Replicas { storage, .. } | Stored::Rows { storage, .. } => storage,
        }
    }

    /// The blocks of a pass over all that is computed here: the superblocks of all members, or the rows, of which a part may begin or end within one.
    pub(super) fn all(self) -> Range<u32> {
        match self {
            Stored::Replicas { storage, members, .. } => 0..storage.owned().end * members.turns(),
            Stored::Rows { grid, storage, .. } => {
                let (units, of_row) = (storage.part.units(), grid.columns_of_row() as u32);
                units.start / of_row..units.end.div_ceil(of_row)
            }
        }
    }

    /// The sizes of columns.
    pub(super) fn shape(self) -> Shape {
        match self {
            Stored::Replicas { layout, members, .. } => members.shape(layout),
            Stored::Rows { grid, .. } => grid.shape,
        }
    }

    /// The first byte of a block of a state with these columns.
    pub(super) fn offset(self, columns: &Columns, BufferBlock { member, slot }: BufferBlock) -> usize {
        columns.block * (member * self.storage().stored() + slot.index())
    }

    /// How many terms a constant stands for in a member's total: one for each lane of each superblock, or for each cell of rows.
    pub(super) fn places(self) -> u64 {
        match self {
            Stored::Replicas { layout, .. } => u64::from(layout.superblocks()).wrapping_mul(layout.lanes() as u64),
            Stored::Rows { grid, .. } => grid.cells(),
        }
    }

    /// The columns that are computed here of a state of a member that begins at an address, and how many there are; the cells alone are one.
    pub(super) fn owned(self, tables: &TableMemory, columns: &Columns, values: Address) -> (MeasuredColumns, u64) {
        let from = |bytes: u64, first: u64| self.columns(tables, columns.planes, (values + bytes, first));
        let Range { start, end } = self.storage().owned();
        match self {
            Stored::Replicas { layout, storage, .. } => {
                let first = layout.columns_of(storage.part.units().start as usize);
                (from(0, first), layout.columns_of((end - start) as usize))
            }
            Stored::Rows { packed: false, .. } => {
                (from(u64::from(start) * columns.block as u64, start.into()), (end - start).into())
            }
            Stored::Rows { grid, packed: true, .. } => {
                let of_32 = match columns.planes {
                    Planes::Bits(_) => 4,
                    Planes::Number(ty) => 32 * ty.scalar().bytes(),
                };
                let (CellIndex(first), CellIndex(end)) = (grid.first_cell(Slot(start)), grid.first_cell(Slot(end)));
                let here = from(first / 32 * of_32, first);
                (MeasuredColumns { lane: (first % 32) as u32, lanes: end - first, ..here }, 1)
            }
        }
    }

    /// A state with these planes whose columns from this one on begin at an address; where the cells alone are stored, whose cells from this one on do.
    pub(super) fn columns(
        self,
        tables: &TableMemory,
        planes: Planes,
        (values, first): (Address, u64),
    ) -> MeasuredColumns {
        let shape = self.shape();
        let (planes, bytes) = match planes {
            Planes::Bits(planes) => (u32::from(planes), 0),
            Planes::Number(ty) => (0, ty.scalar().bytes() as u32),
        };
        let columns = MeasuredColumns {
            values,
            first,
            lanes: shape.lanes as u64,
            planes,
            bytes,
            words: shape.words as u32,
            stride: shape.stride as u32,
            ..MeasuredColumns::default()
        };
        match (self, &tables.neighbours) {
            (Stored::Rows { grid, packed: true, .. }, _) => {
                MeasuredColumns { lanes: grid.cells(), words: Columns::packed_words(grid.cells()) as u32, ..columns }
            }
            (Stored::Rows { grid, packed: false, .. }, PassTables::Rows(tables)) => {
                let before = first * shape.words as u64;
                let wide = grid.wide_indices();
                let from = |table: Address, bytes: u64| if table == 0 { 0 } else { table + bytes * before };
                MeasuredColumns {
                    // Boxes have no tables: places follow from the number among all columns.
                    first: if grid.is_full() { grid.unit(Slot(first as u32)).0.into() } else { first },
                    mask: from(tables.mask, 4),
                    cell_indices: from(tables.cell_indices, if wide { 8 } else { 4 }),
                    wide: wide.into(),
                    columns_of_row: grid.columns_of_row() as u32,
                    width: grid.extent()[0] as u32,
                    ..columns
                }
            }
            (Stored::Rows { .. }, PassTables::Lanes(_)) => unreachable!("rows have tables of rows"),
            (Stored::Replicas { layout, .. }, _) => {
                MeasuredColumns { replicas: tables.replicas, lane_stride: layout.lane_stride(), ..columns }
            }
        }
    }
}
