//! What every pass of a simulation shares: the layout, who neighbours whom, and what stands in for absent columns.

use super::activity::{Marks, set_bits};
use rayon::prelude::*;
use squeeze_codegen::AvailableIsa;
use squeeze_compiler::Off;
use squeeze_compiler::ir::Axes;
use squeeze_compiler::kernel::{Direction, Planes};
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::{OVERREAD, Shape};
use squeeze_compiler::layout::permutation::{ABSENT, LanePermutation, Wraps, source};
use squeeze_compiler::layout::table::{TouchedSides, far_neighbour, neighbours_of, wraps_of};
use squeeze_compiler::layout::unit::{Lane, Micro, Part, Slot, Unit};
use std::ops::Range;

/// What is the same for all units of a storage.
pub(super) struct LaneTables {
    pub shape: Shape,
    pub isa: Option<AvailableIsa>,
    /// The level and the side that kernels are told.
    pub level: i32,
    pub side: i32,
    /// The slots of the units that are computed here.
    pub owned: Range<u32>,
    /// By axis the coordinates of each lane from the unit's corner, with room to over-read.
    pub corners: [Vec<i32>; 3],
    /// By the set of axes the lanes whose corners are odd on them, and those whose corners are even, with room to over-read.
    pub odd: [[Vec<u32>; 2]; 8],
}

impl LaneTables {
    /// All lanes: along no axis is a corner odd.
    pub(super) fn everywhere(&self) -> &[u32] {
        &self.odd[0][1]
    }

    /// No lanes.
    pub(super) fn nowhere(&self) -> &[u32] {
        &self.odd[0][0]
    }
}

/// The unchanging surroundings of a simulation's kernels.
pub(super) struct HostNeighbours {
    pub layout: Layout,
    /// The superblocks that are stored.
    pub part: Part,
    pub lanes: LaneTables,
    /// For each micro cell what it adds to the digit-reversed index of a superblock's first cell.
    pub micro_draws: Vec<u64>,
    pub directions: Vec<Direction>,
    /// As [`EngineOptions::cells_worth_threads`](crate::EngineOptions::cells_worth_threads).
    pub cells_worth_threads: u64,
    /// Specialities to do without.
    pub off: Off,
    /// `superblock · directions + direction`: where the neighbour stands, or [`Slot::ABSENT`].
    neighbours: Vec<Slot>,
    /// Per superblock the sides that it touches.
    edges: Vec<u8>,
    /// `edges · directions + direction`: which of the wraps leads there from a superblock that touches these sides, or [`NO_WRAP`].
    wrap_of: Box<[u8]>,
    wraps: Vec<Wrap>,
}

/// A direction to superblocks that are not beside: how lanes can move there, by the wrap.
pub(super) struct FarDirection {
    direction: Direction,
    wraps: Vec<(Direction, Option<Wrap>)>,
}

/// No lane moves.
const NO_WRAP: u8 = u8::MAX;

/// One way for lanes to move.
pub(super) struct Wrap {
    permutation: LanePermutation,
    moves: super::permute::BitMoves,
    /// The permutation's presence with room to over-read.
    presence: Vec<u32>,
}

/// A neighbour superblock as one superblock sees it.
#[derive(Clone, Copy)]
pub(super) enum Neighbour<'a> {
    /// It exists in no lane.
    Absent,
    /// It is this superblock, in the same lane.
    Here(Slot),
    /// It is this superblock, with lanes moved.
    Moved(Slot, &'a Wrap),
}

impl HostNeighbours {
    /// Builds the neighbour table on the current thread pool.
    pub(super) fn new(
        (layout, part): (&Layout, &Part),
        cells_worth_threads: u64,
        isa: Option<AvailableIsa>,
        off: Off,
    ) -> HostNeighbours {
        let (layout, part) = (layout.clone(), part.clone());
        let shape = Shape::of(&layout);
        let directions = Direction::all(layout.dimension());
        let mut neighbours = vec![Slot::ABSENT; part.stored() * directions.len()];
        let mut edges = vec![0; part.stored()];
        const CHUNK: usize = 1024;
        let rows = neighbours.par_chunks_mut(CHUNK * directions.len()).zip(edges.par_chunks_mut(CHUNK));
        rows.enumerate().for_each(|(chunk, (neighbours, edges))| {
            let mut units = vec![None; directions.len()];
            for (i, (row, edge)) in neighbours.chunks_exact_mut(directions.len()).zip(edges).enumerate() {
                let unit = part.unit(Slot((chunk * CHUNK + i) as u32));
                *edge = neighbours_of(&layout, unit, &directions, &mut units).0;
                let slot = |unit: &Option<Unit>| unit.and_then(|unit| part.slot(unit)).unwrap_or(Slot::ABSENT);
                row.iter_mut().zip(&units).for_each(|(row, unit)| *row = slot(unit));
            }
        });
        let room = shape.words + OVERREAD / 4;
        let wraps = Wraps::new(&layout);
        let wraps = wraps.all().iter().map(|permutation| Wrap::new(permutation.clone(), shape, off)).collect();
        let wrap_of = |edges: u8, direction: &Direction| {
            let wrap = TouchedSides(edges).wrap(*direction).index(layout.dimension());
            wrap.map_or(NO_WRAP, |wrap| wrap as u8)
        };
        let all_edges = 0..1u8 << (2 * layout.dimension().axes());
        let wrap_of = all_edges.flat_map(|edges| directions.iter().map(move |direction| wrap_of(edges, direction)));
        let wrap_of = wrap_of.collect();
        let corners = std::array::from_fn(|axis| {
            // A side beyond i32 is only possible for rules that name no coordinate.
            let mut corners: Vec<i32> =
                (0..shape.lanes as u32).map(|lane| layout.lane_corner(Lane(lane))[axis] as i32).collect();
            corners.resize(shape.stride + OVERREAD / 4, 0);
            corners
        });
        let odd = std::array::from_fn(|set| {
            let mut odd = layout.odd_lanes(Axes([0, 1, 2].map(|axis| set >> axis & 1 == 1)));
            odd.resize(room, 0);
            let even = odd.iter().map(|word| !word).collect();
            [odd, even]
        });
        let lanes = LaneTables {
            shape,
            isa,
            level: layout.level() as i32,
            side: i32::try_from(layout.side()).unwrap_or(0),
            owned: 0..part.owned() as u32,
            corners,
            odd,
        };
        let micro_draw = |micro: u32| layout.reversed(Lane(0), Unit(0), Micro(micro));
        let micro_draws = (0..layout.micro_cells()).map(micro_draw).collect();
        HostNeighbours {
            layout,
            part,
            lanes,
            micro_draws,
            directions,
            cells_worth_threads,
            off,
            neighbours,
            edges,
            wrap_of,
            wraps,
        }
    }

    /// For columns of members of an ensemble on a layout of one lane: all of them see the same, and each itself alone.
    pub(super) fn of_members(
        cells: (&Layout, &Part),
        members: usize,
        cells_worth_threads: u64,
        isa: Option<AvailableIsa>,
        off: Off,
    ) -> HostNeighbours {
        let mut tables = HostNeighbours::new(cells, cells_worth_threads, isa, off);
        let (layout, shape) = (&tables.layout, Shape::of_lanes(members));
        let rows = tables.neighbours.chunks_exact_mut(tables.directions.len());
        for (row, edges) in rows.zip(&mut tables.edges) {
            for (neighbour, direction) in row.iter_mut().zip(&tables.directions) {
                let wrap = TouchedSides(*edges).wrap(*direction);
                if wrap != Direction::CENTRE && source(layout, wrap, 0) == ABSENT {
                    *neighbour = Slot::ABSENT;
                }
            }
            // What lies beyond a side is found as what lies beside.
            *edges = 0;
        }
        let room = shape.words + OVERREAD / 4;
        let words = |ones: bool| vec![if ones { u32::MAX } else { 0 }; room];
        for sets in &mut tables.lanes.odd {
            sets.iter_mut().for_each(|lanes| *lanes = words(lanes[0] & 1 == 1));
        }
        for corners in &mut tables.lanes.corners {
            *corners = vec![corners[0]; shape.stride + OVERREAD / 4];
        }
        tables.lanes.shape = shape;
        tables
    }

    /// Whether a pass takes less time than waking another thread for it.
    pub(super) fn is_small(&self) -> bool {
        self.cells_of(self.part.owned()) < self.cells_worth_threads
    }

    /// How many cells of one member some superblocks have.
    pub(super) fn cells_of(&self, superblocks: usize) -> u64 {
        self.layout.columns_of(superblocks) * self.layout.lanes() as u64
    }

    /// The neighbour in the direction of this index.
    pub(super) fn neighbour(&self, superblock: Slot, direction: usize) -> Neighbour<'_> {
        let index = self.neighbours[superblock.index() * self.directions.len() + direction];
        if index == Slot::ABSENT {
            return Neighbour::Absent;
        }
        let edges = self.edges[superblock.index()];
        if edges == 0 {
            return Neighbour::Here(index);
        }
        match self.wrap_of[usize::from(edges) * self.directions.len() + direction] {
            NO_WRAP => Neighbour::Here(index),
            wrap => Neighbour::Moved(index, &self.wraps[usize::from(wrap)]),
        }
    }

    /// The marked superblocks and their neighbours, without repetition.
    pub(super) fn spread(&self, Marks { any, active, .. }: &mut Marks, units: &mut Vec<Slot>) {
        let directions = self.directions.len();
        for index in any.touched() {
            let changed = any.word(index);
            active.or(index, changed);
            for superblock in set_bits(changed).map(|bit| 64 * index + bit as usize) {
                // Who lies in some direction sees this one in the opposite direction.
                let row = &self.neighbours[superblock * directions..][..directions];
                for beside in row.iter().filter(|slot| **slot != Slot::ABSENT) {
                    active.or(beside.index() / 64, 1 << (beside.0 % 64));
                }
            }
        }
        active.take(|superblock| {
            if superblock < self.part.owned() {
                units.push(Slot(superblock as u32));
            }
        });
    }

    /// The lanes in which a neighbour exists.
    pub(super) fn presence<'a>(&'a self, neighbour: Neighbour<'a>) -> &'a [u32] {
        match neighbour {
            Neighbour::Absent => self.lanes.nowhere(),
            Neighbour::Here(_) => self.lanes.everywhere(),
            Neighbour::Moved(_, wrap) => &wrap.presence,
        }
    }

    /// The place of a superblock in the middle fractal.
    pub(super) fn place(&self, superblock: Slot) -> [u64; 3] {
        self.layout.superblock_place(self.part.unit(superblock))
    }

    /// What is needed to look in a direction beyond the superblocks beside.
    pub(crate) fn far_direction(&self, direction: Direction) -> FarDirection {
        let wraps = wraps_of(&self.layout, direction).into_iter().map(|wrap| {
            let is_moved = wrap != Direction::CENTRE;
            (wrap, is_moved.then(|| Wrap::new(LanePermutation::new(&self.layout, wrap), self.lanes.shape, self.off)))
        });
        FarDirection { direction, wraps: wraps.collect() }
    }

    /// The neighbour in such a direction of a superblock, which is at this place.
    pub(super) fn far_neighbour<'a>(&'a self, far: &'a FarDirection, place: [u64; 3]) -> Neighbour<'a> {
        let (index, wrap) = far_neighbour(&self.layout, place, far.direction);
        let moved = far.wraps.iter().find(|(of, _)| *of == wrap).and_then(|(_, moved)| moved.as_ref());
        let index = index.and_then(|unit| self.part.slot(unit));
        match (index, moved) {
            (None, _) => Neighbour::Absent,
            (Some(slot), None) => Neighbour::Here(slot),
            (Some(slot), Some(moved)) => Neighbour::Moved(slot, moved),
        }
    }
}

/// Values of `SIZE` bytes from these lanes of a column; those from nowhere are 0.
fn move_values<const SIZE: usize>(sources: &[u32], source: &[u8], result: &mut [u8]) {
    let values = source.as_chunks::<SIZE>().0;
    for (&from, value) in sources.iter().zip(result.as_chunks_mut::<SIZE>().0) {
        // No column has a lane of the number ABSENT.
        *value = values.get(from as usize).copied().unwrap_or([0; SIZE]);
    }
}

impl Wrap {
    fn new(permutation: LanePermutation, shape: Shape, off: Off) -> Wrap {
        let mut presence = permutation.presence();
        presence.resize(shape.words + OVERREAD / 4, 0);
        Wrap { moves: super::permute::BitMoves::new(&permutation, shape, off), presence, permutation }
    }

    /// Copies one column with its lanes moved; lanes that come from nowhere become 0.
    pub(crate) fn move_column(&self, shape: Shape, planes: Planes, source: &[u8], result: &mut [u8]) {
        match planes {
            Planes::Bits(_) => {
                let plane = 4 * shape.words;
                for (source, result) in source.chunks_exact(plane).zip(result.chunks_exact_mut(plane)) {
                    self.moves.apply(source, result);
                }
            }
            Planes::Number(ty) => {
                let sources = &self.permutation.sources;
                match ty.scalar().bytes() {
                    1 => move_values::<1>(sources, source, result),
                    2 => move_values::<2>(sources, source, result),
                    4 => move_values::<4>(sources, source, result),
                    _ => move_values::<8>(sources, source, result),
                }
            }
        }
    }
}
