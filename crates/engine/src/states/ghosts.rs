//! The columns that a kernel reads of units which other engines compute.

use super::ColumnSpan;
use squeeze_compiler::ir::Dimension;
use squeeze_compiler::kernel::{Direction, Halo, Interface};
use squeeze_compiler::layout::permutation::{ABSENT, source};
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::table::far_neighbour;
use squeeze_compiler::layout::unit::Slot;
use squeeze_compiler::layout::{Geometry, Layout, Storage};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The columns that pass between a part and another one.
#[derive(Clone, Debug)]
pub(crate) struct GhostPeer {
    /// The rank of the other part.
    pub rank: usize,
    /// Those that are computed here and read there,
    pub gives: Vec<ColumnSpan>,
    /// and the other way round.
    pub takes: Vec<ColumnSpan>,
}

/// The reads of a kernel among units which others compute.
#[derive(Debug, Default)]
pub(crate) struct GhostsRead {
    /// The columns, each once: in the order of the slots, or of a box or a mask in that of the states.
    pub columns: Vec<ColumnSpan>,
    /// The longest run of units, by slot, or of rows of a box or a mask, which read none of them.
    pub inner: Range<u32>,
    /// The units that read some of them, in the order of their slots; of rows it is not said.
    pub border: Vec<Slot>,
}

/// The reads of kernels with these interfaces among units which others compute, where a pass over rows computes them `times` times. Only states with lower numbers
/// than `states` are stored.
pub(crate) fn ghosts_read<'i>(
    (storage, dimension): (&Storage, Dimension),
    (interfaces, times): (impl IntoIterator<Item = &'i Interface>, u32),
    states: usize,
) -> GhostsRead {
    let interfaces: Vec<&Interface> = interfaces.into_iter().collect();
    let halos = interfaces.iter().flat_map(|interface| interface.halo.iter().map(move |halo| (*interface, halo)));
    let halos = halos.filter(|(_, halo)| halo.state < states);
    match &storage.geometry {
        Geometry::Replicas(layout) => of_replicas(storage, layout, halos),
        Geometry::Rows(grid) => {
            // The steps between compute rows of ghosts too, from all that they load there.
            let own =
                interfaces.iter().flat_map(|interface| &interface.own).filter(|state| **state < states && times > 1);
            of_rows(storage, (grid, dimension), (halos, times), own.map(|state| *state as u16).collect())
        }
    }
}

/// The direction that an entry of a halo leads to.
fn direction_of(all: &[Direction], interface: &Interface, halo: &Halo) -> Direction {
    all.get(halo.direction).copied().unwrap_or_else(|| interface.far[halo.direction - all.len()])
}

fn of_replicas<'i>(
    storage: &Storage,
    layout: &Layout,
    halos: impl Iterator<Item = (&'i Interface, &'i Halo)>,
) -> GhostsRead {
    let directions = Direction::all(layout.dimension());
    let ghosts: Vec<(Slot, [u64; 3])> =
        storage.ghosts().map(|(slot, unit)| (slot, layout.superblock_place(unit))).collect();
    let (mut wraps, mut border) = (BTreeMap::new(), BTreeSet::new());
    let mut read: BTreeMap<(Slot, u16), BTreeSet<u32>> = BTreeMap::new();
    for (interface, halo) in halos {
        let direction = direction_of(&directions, interface, halo);
        for (ghost, place) in &ghosts {
            // A unit sees the ghost in this direction if the ghost sees it in the opposite one.
            let (unit, wrap) = far_neighbour(layout, *place, opposite(direction));
            let Some(slot) = unit.and_then(|unit| storage.slot(unit)) else { continue };
            if *wraps.entry(wrap.0).or_insert_with(|| has_lanes(layout, opposite(wrap))) {
                read.entry((*ghost, halo.state as u16)).or_default().extend(&halo.micro);
                border.insert(slot.0);
            }
        }
    }
    let mut columns: Vec<ColumnSpan> = Vec::new();
    for ((slot, state), micros) in read {
        for first in micros {
            match columns.last_mut() {
                Some(last) if (last.slot, last.state, last.end) == (slot, state, first) => last.end += 1,
                _ => columns.push(ColumnSpan { slot, state, first, end: first + 1 }),
            }
        }
    }
    let own = storage.owned();
    let begins = std::iter::once(own.start).chain(border.iter().map(|slot| slot + 1));
    let runs = begins.zip(border.iter().copied().chain([own.end])).map(|(begin, end)| begin..end);
    let inner = runs.max_by_key(|run| run.len()).unwrap_or_default();
    GhostsRead { columns, inner, border: border.into_iter().map(Slot).collect() }
}

fn of_rows<'i>(
    storage: &Storage,
    (grid, dimension): (&RowGrid, Dimension),
    (halos, times): (impl Iterator<Item = (&'i Interface, &'i Halo)>, u32),
    mut read: BTreeSet<u16>,
) -> GhostsRead {
    let [_, height, depth] = grid.extent();
    let directions = Direction::all(dimension);
    let mut far = 0;
    for (interface, halo) in halos {
        let Direction([_, y, z]) = direction_of(&directions, interface, halo);
        read.insert(halo.state as u16);
        // A row that is looked at across an edge lies in the same layer.
        let layers = if depth > 1 { z.unsigned_abs() + 1 } else { 0 };
        far = far.max(layers * height as u32 + y.unsigned_abs());
    }
    far *= times;
    // Rows beside are read whole, wherever a kernel looks. Those of a state follow each other, in memory too.
    let ghosts: Vec<Slot> = storage.ghosts().map(|(slot, _)| slot).collect();
    let of_state = |state: &u16| {
        let state = *state;
        ghosts.iter().map(move |slot| ColumnSpan { slot: *slot, state, first: 0, end: 1 })
    };
    let (units, of_row) = (storage.part.units(), grid.columns_of_row() as u32);
    let (first, end) = (units.start.div_ceil(of_row) + far, (units.end / of_row).saturating_sub(far));
    let inner = if first < end { first..end } else { 0..0 };
    GhostsRead { columns: read.iter().flat_map(of_state).collect(), inner, border: Vec::new() }
}

fn opposite(direction: Direction) -> Direction {
    Direction(direction.0.map(|step| -step))
}

/// Whether some lane sees another with this wrap.
fn has_lanes(layout: &Layout, wrap: Direction) -> bool {
    wrap == Direction::CENTRE || (0..layout.lanes() as u32).any(|lane| source(layout, wrap, lane) != ABSENT)
}
