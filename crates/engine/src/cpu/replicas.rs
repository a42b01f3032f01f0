//! Lanes that are replicas, or members of an ensemble: who neighbours whom, and where the columns of a neighbour stand: in another superblock, perhaps with
//! their lanes moved.

use super::activity::{Marks, set_bits};
use super::kernel::{CompiledBody, HostKernel, LaneTables, Memory, RunningBody, Tables, Units};
use super::permute::BitMoves;
use rayon::prelude::*;
use squeeze_codegen::{AvailableIsa, ColumnOrder};
use squeeze_compiler::Off;
use squeeze_compiler::ir::Axes;
use squeeze_compiler::kernel::{Direction, Planes};
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::{OVERREAD, Shape};
use squeeze_compiler::layout::permutation::{ABSENT, LanePermutation, Wraps, source};
use squeeze_compiler::layout::table::{TouchedSides, far_neighbour, neighbours_of, wraps_of};
use squeeze_compiler::layout::unit::{Lane, Micro, Part, Slot, Unit};
use squeeze_compiler::numbers::numbering::LaneNumbers;
use squeeze_compiler::target::Members;

/// The unchanging surroundings of a simulation's kernels.
pub(super) struct HostNeighbours {
    pub layout: Layout,
    /// The superblocks that are stored.
    pub part: Part,
    lanes: LaneTables,
    /// For each micro cell the difference of its digit-reversed index to that of the superblock's first cell.
    micro_draws: Vec<u64>,
    directions: Vec<Direction>,
    /// As [`EngineOptions::cells_worth_threads`](crate::EngineOptions::cells_worth_threads).
    cells_worth_threads: u64,
    /// Specialities to do without.
    off: Off,
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
struct Wrap {
    permutation: LanePermutation,
    moves: BitMoves,
    /// The permutation's presence with room to over-read.
    presence: Vec<u32>,
}

/// A neighbour superblock as one superblock sees it.
#[derive(Clone, Copy)]
enum Neighbour<'a> {
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
        members: Members,
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
        let mut tables = HostNeighbours {
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
        };
        if members.as_lanes() {
            tables.widen(members.shape(&tables.layout));
        }
        tables
    }

    /// Makes of tables of one lane those of members of an ensemble in columns of this shape: all of them see the same, and each itself alone.
    fn widen(&mut self, shape: Shape) {
        let rows = self.neighbours.chunks_exact_mut(self.directions.len());
        for (row, edges) in rows.zip(&mut self.edges) {
            for (neighbour, direction) in row.iter_mut().zip(&self.directions) {
                let wrap = TouchedSides(*edges).wrap(*direction);
                if wrap != Direction::CENTRE && source(&self.layout, wrap, 0) == ABSENT {
                    *neighbour = Slot::ABSENT;
                }
            }
            // Neighbours beyond a side are found as those beside are.
            *edges = 0;
        }
        let room = shape.words + OVERREAD / 4;
        let words = |ones: bool| vec![if ones { u32::MAX } else { 0 }; room];
        for sets in &mut self.lanes.odd {
            sets.iter_mut().for_each(|lanes| *lanes = words(lanes[0] & 1 == 1));
        }
        for corners in &mut self.lanes.corners {
            *corners = vec![corners[0]; shape.stride + OVERREAD / 4];
        }
        self.lanes.shape = shape;
    }

    /// Whether a pass takes less time than waking another thread for it.
    pub(super) fn is_small(&self) -> bool {
        self.cells_of(self.part.owned()) < self.cells_worth_threads
    }

    /// How many cells of one member some superblocks have.
    fn cells_of(&self, superblocks: usize) -> u64 {
        self.layout.columns_of(superblocks) * self.layout.lanes() as u64
    }

    /// The neighbour in the direction of this place in the body's [`Interface`](squeeze_compiler::kernel::Interface).
    #[inline]
    fn look<'a>(
        &'a self,
        body: &'a CompiledBody,
        Superblock { slot, place, .. }: Superblock,
        direction: usize,
    ) -> Neighbour<'a> {
        match direction.checked_sub(self.directions.len()) {
            None => self.neighbour(slot, direction),
            Some(far) => self.far_neighbour(&body.far[far], place),
        }
    }

    /// The neighbour in the direction of this index.
    fn neighbour(&self, superblock: Slot, direction: usize) -> Neighbour<'_> {
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

    /// The neighbour in such a direction of a superblock, which is at this place.
    fn far_neighbour<'a>(&'a self, far: &'a FarDirection, place: [u64; 3]) -> Neighbour<'a> {
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
        Wrap { moves: BitMoves::new(&permutation, shape, off), presence, permutation }
    }

    /// Copies one column with its lanes moved; lanes that come from nowhere become 0.
    fn move_column(&self, shape: Shape, planes: Planes, source: &[u8], result: &mut [u8]) {
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

/// A superblock.
#[derive(Clone, Copy)]
pub(super) struct Superblock {
    slot: Slot,
    /// Its place in the middle fractal, where a kernel looks far.
    place: [u64; 3],
    /// The digit-reversed index of its first cell, where a kernel draws.
    first_draw: u64,
}

impl Tables for HostNeighbours {
    #[inline]
    fn lanes(&self) -> &LaneTables {
        &self.lanes
    }

    fn order(&self) -> ColumnOrder {
        ColumnOrder::Superblocks
    }

    fn far_directions(&self, directions: &[Direction]) -> Vec<FarDirection> {
        let wrap = |wrap: Direction| {
            let moved = || Wrap::new(LanePermutation::new(&self.layout, wrap), self.lanes.shape, self.off);
            (wrap, (wrap != Direction::CENTRE).then(moved))
        };
        let far = |direction: &Direction| FarDirection {
            direction: *direction,
            wraps: wraps_of(&self.layout, *direction).into_iter().map(wrap).collect(),
        };
        directions.iter().map(far).collect()
    }

    fn piece(&self, count: usize) -> usize {
        let few = self.is_small() || self.cells_of(count) < self.cells_worth_threads;
        // Small enough for threads to end together, large enough that taking a piece costs nothing.
        if few { count } else { count.div_ceil(16 * rayon::current_num_threads()).clamp(1, 4096) }
    }

    fn marks(&self, _: &HostKernel) -> Marks {
        Marks::new(self.part.stored(), false)
    }

    fn mark(&self, unit: Slot) -> usize {
        unit.index()
    }

    fn looking_at(&self, _: &HostKernel, Marks { any, active, .. }: &mut Marks, units: &mut Vec<Slot>) {
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
}

impl Units for HostNeighbours {
    type Located = Superblock;

    #[inline]
    fn unit(&self, kernel: &HostKernel, slot: Slot) -> Superblock {
        let first_draw = || self.layout.reversed(Lane(0), self.part.unit(slot), Micro(0));
        Superblock {
            slot,
            place: if kernel.looks_far { self.layout.superblock_place(self.part.unit(slot)) } else { [0; 3] },
            first_draw: if kernel.draws { first_draw() } else { 0 },
        }
    }

    #[inline]
    unsafe fn own(&self, run: RunningBody<'_>, state: usize, unit: Superblock, _: &mut Memory) -> *const u8 {
        run.buffers.old[state].wrapping_add(unit.slot.index() * run.kernel.states[state].block)
    }

    #[inline]
    unsafe fn halo(&self, run: RunningBody<'_>, entry: usize, unit: Superblock, memory: &mut Memory) -> *const u8 {
        let RunningBody { kernel, body, buffers } = run;
        let halo = &body.interface.halo[entry];
        let columns = &kernel.states[halo.state];
        let block = |slot: Slot| buffers.old[halo.state].wrapping_add(slot.index() * columns.block);
        match self.look(body, unit, halo.direction) {
            Neighbour::Absent => kernel.zeros.as_ptr(),
            Neighbour::Here(slot) => block(slot),
            Neighbour::Moved(slot, wrap) => {
                // SAFETY: a superblock stands there, so its block lies inside the old buffer, which no thread writes while the pass runs.
                let source = unsafe { std::slice::from_raw_parts(block(slot), columns.block) };
                let result = &mut memory.scratch.as_mut_slice()[body.scratch[entry]..][..columns.block];
                for &micro in &halo.micro {
                    let column = micro as usize * columns.column..(micro as usize + 1) * columns.column;
                    wrap.move_column(self.lanes.shape, columns.planes, &source[column.clone()], &mut result[column]);
                }
                result.as_ptr()
            }
        }
    }

    #[inline]
    fn presence(&self, body: &CompiledBody, unit: Superblock, direction: usize, _: &mut Memory) -> *const u32 {
        let lanes = match self.look(body, unit, direction) {
            Neighbour::Absent => self.lanes.nowhere(),
            Neighbour::Here(_) => self.lanes.everywhere(),
            Neighbour::Moved(_, wrap) => &wrap.presence,
        };
        lanes.as_ptr()
    }

    fn corner(&self, Superblock { slot, .. }: Superblock) -> [u64; 3] {
        self.layout.superblock_corner(self.part.unit(slot))
    }

    fn numbers(&self, unit: Superblock, Micro(micro): Micro) -> LaneNumbers {
        LaneNumbers::Consecutive(unit.first_draw + self.micro_draws[micro as usize])
    }

    #[inline]
    fn cells(&self, _: Superblock, _: Micro) -> Option<&[u32]> {
        None
    }
}
