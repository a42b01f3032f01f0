//! The surroundings of superblocks on a device: which neighbours they have, how lanes move, parameters, the clock.

use super::driver::{Address, Arguments, Blocks, Device, Memory, Pointers};
use super::measure::Measure;
use crate::{MemberInputs, Result};
use squeeze_compiler::emit::cuda::{FarTables, LaneWorld, LayoutTables, Levels, RowWorld};
use squeeze_compiler::ir::{Rule, Value};
use squeeze_compiler::kernel::Direction;
use squeeze_compiler::kernel::derived::Derived;
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::permutation::{ABSENT, source};
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::table::neighbours_of;
use squeeze_compiler::layout::unit::{Part, Slot, Unit};
use squeeze_compiler::plan::Plan;
use squeeze_compiler::target::Members;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// The tables that a pass needs besides the states, as its kernels take them.
#[derive(Clone, Copy)]
pub(super) enum PassTables {
    Lanes(LaneWorld),
    Rows(RowWorld),
}

impl PassTables {
    /// For a pass over some superblocks or rows, which computes the time `later` steps after the clock's.
    pub(crate) fn of_pass(mut self, units: Range<u32>, later: u32) -> PassTables {
        match &mut self {
            PassTables::Lanes(neighbours) => {
                (neighbours.first, neighbours.end, neighbours.later) = (units.start, units.end, later)
            }
            PassTables::Rows(neighbours) => {
                (neighbours.first, neighbours.end, neighbours.later) = (units.start, units.end, later)
            }
        }
        self
    }

    /// Changes the seed.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        match self {
            PassTables::Lanes(neighbours) => neighbours.seed = seed,
            PassTables::Rows(neighbours) => neighbours.seed = seed,
        }
    }
}

impl Arguments for PassTables {
    fn point(&self, pointers: &mut Pointers) {
        match self {
            PassTables::Lanes(neighbours) => neighbours.point(pointers),
            PassTables::Rows(neighbours) => neighbours.point(pointers),
        }
    }
}

/// Tables of neighbours, the memory that they point to, and the clock.
pub(super) struct TableMemory {
    pub neighbours: PassTables,
    pub clock: Memory,
    /// [`Layout::replicas`]; of rows none.
    pub replicas: Address,
    params: Memory,
    /// The derived numbers, which stand behind the parameters of each member and the means.
    derived: Derived,
    /// The seeds of the members, if there are many.
    seeds: Option<Memory>,
    _tables: Vec<Memory>,
}

/// Who neighbours the superblocks that are computed here, the sides that they touch, and where they begin in their lane: tables of parts and of members as
/// lanes, which have no other lane to look into.
struct HostTables {
    neighbours: Vec<u32>,
    edges: Vec<u8>,
    corners: Vec<i32>,
}

impl HostTables {
    fn new(layout: &Layout, part: &Part, as_lanes: bool) -> HostTables {
        let directions = Direction::all(layout.dimension());
        let mut units = vec![None; directions.len()];
        let mut tables = HostTables { neighbours: Vec::new(), edges: Vec::new(), corners: Vec::new() };
        for unit in part.units().clone().map(Unit) {
            let edges = neighbours_of(layout, unit, &directions, &mut units);
            let is_seen = |wrap| !as_lanes || wrap == Direction::CENTRE || source(layout, wrap, 0) != ABSENT;
            tables.neighbours.extend(units.iter().zip(&directions).map(|(there, direction)| {
                let there = there.filter(|_| is_seen(edges.wrap(*direction)));
                there.and_then(|there| part.slot(there)).map_or(part.stored() as u32, |slot| slot.0)
            }));
            tables.edges.push(edges.0);
            // A side beyond i32 is only possible for rules that name no coordinate.
            tables.corners.extend(layout.superblock_corner(unit).map(|corner| corner as i32));
        }
        tables
    }
}

/// Makes the tables of all superblocks on the device.
pub(super) fn fill_tables(
    device: &Arc<Device>,
    measure: &Measure,
    layout: &Layout,
    (neighbours, edges, corners): (Address, Address, Address),
) -> Result<()> {
    let Levels { levels, digits } = Levels::new(layout);
    let (levels_memory, digits) = (Memory::of(device, &levels)?, Memory::of(device, &digits)?);
    // A side beyond u32 is only possible for rules that name no coordinate.
    let [width, height, depth] = layout.low().extent().map(|side| side as u32);
    let lists = (levels_memory.address(), digits.address(), levels.len() as u32);
    let sizes = (layout.dimension().axes() as u32, layout.superblocks(), width, height, depth);
    let arguments = (lists, sizes, (neighbours, edges, corners));
    let blocks = Blocks::of_threads(u64::from(layout.superblocks()), 128)?;
    // SAFETY: the arguments are those of `neighbour_table`; the tables have an entry for each superblock, the
    // list of levels has `count`, and all live until the device was waited for.
    unsafe { measure.neighbour_table.launch(blocks, arguments)? };
    Ok(device.synchronize()?)
}

/// The bits of the parameters of members; behind those of each, means that are not given yet and derived numbers.
fn numbers_of<'p>(params: impl IntoIterator<Item = &'p [Value]>, derived: &Derived) -> Vec<u64> {
    let of = |params: &'p [Value]| derived.with_params(params.iter().map(|param| param.bits()).collect());
    params.into_iter().flat_map(of).collect()
}

impl TableMemory {
    /// Builds all of it on the device, for kernels that look `far` or not; the clock stands at 0.
    pub(super) fn new(
        device: &Arc<Device>,
        measure: &Measure,
        rule: &Rule,
        (layout, part, far): (&Layout, &Part, bool),
        (members, derived): (&[MemberInputs], &Derived),
        sharing: Members,
    ) -> Result<TableMemory> {
        let seeds: Vec<u64> = members.iter().map(|member| member.seed).collect();
        let members = &members[..sharing.turns() as usize];
        let mut tables = Vec::new();
        let mut keep = |memory: Memory| {
            tables.push(memory);
            tables[tables.len() - 1].address()
        };
        let named = rule.names_coordinates || far;
        let by_host = sharing.as_lanes() || part.owned() < layout.superblocks() as usize;
        let (neighbours, edges, corners) = if by_host {
            let HostTables { neighbours, edges, corners } = HostTables::new(layout, part, sharing.as_lanes());
            let (neighbours, edges) = (keep(Memory::of(device, &neighbours)?), keep(Memory::of(device, &edges)?));
            (neighbours, edges, if named { keep(Memory::of(device, &corners)?) } else { 0 })
        } else {
            let superblocks = u64::from(layout.superblocks());
            let directions = Direction::count(layout.dimension()) as u64;
            let neighbours = keep(Memory::zeroed(device, 4 * directions * superblocks)?);
            let edges = keep(Memory::zeroed(device, superblocks)?);
            let corners = if named { keep(Memory::zeroed(device, 12 * superblocks)?) } else { 0 };
            fill_tables(device, measure, layout, (neighbours, edges, corners))?;
            (neighbours, edges, corners)
        };
        let LayoutTables { sources, presence, first_terms, terms, lane_corners } = LayoutTables::new(layout);
        let params = Memory::of(device, &numbers_of(members.iter().map(|member| &member.params[..]), derived))?;
        let clock = Memory::zeroed(device, 4)?;
        let seeds = if let [_] = &seeds[..] { None } else { Some(Memory::of(device, &seeds)?) };
        let (mut places, mut lanes_at, mut lane_places) = (0, 0, 0);
        if far {
            let tables = FarTables::new(layout, part);
            places = keep(Memory::of(device, &tables.places)?);
            lanes_at = keep(Memory::of(device, &tables.lanes_at)?);
            lane_places = keep(Memory::of(device, &tables.lane_places)?);
        }
        let neighbours = PassTables::Lanes(LaneWorld {
            neighbours,
            edges,
            sources: keep(Memory::of(device, &sources)?),
            presence: keep(Memory::of(device, &presence)?),
            first_terms: keep(Memory::of(device, &first_terms)?),
            terms: keep(Memory::of(device, &terms)?),
            params: params.address(),
            lane_corners: keep(Memory::of(device, &lane_corners)?),
            superblock_corners: corners,
            clock: clock.address(),
            seed: seeds.as_ref().map_or(members[0].seed, Memory::address),
            absent: (part.stored() * members.len()) as u32,
            first: 0,
            end: (part.owned() * members.len()) as u32,
            later: 0,
            level: layout.level() as i32,
            side: i32::try_from(layout.side()).unwrap_or(0),
            places,
            lanes_at,
            lane_places,
            first_unit: part.units().start.into(),
        });
        let replicas = keep(Memory::of(device, layout.replicas())?);
        let derived = derived.clone();
        Ok(TableMemory { neighbours, clock, replicas, params, derived, seeds, _tables: tables })
    }

    /// For the columns of a mask or a box; the clock stands at 0.
    pub(super) fn of_rows(
        device: &Arc<Device>,
        grid: &RowGrid,
        member: &MemberInputs,
        plan: &Plan,
    ) -> Result<TableMemory> {
        let derived = plan.derived().clone();
        let columns = grid.columns() as u32;
        let mut tables = Vec::new();
        let mut keep = |memory: Memory| {
            tables.push(memory);
            tables[tables.len() - 1].address()
        };
        let slot = |unit: u32| grid.slot(Unit(unit)).map_or(columns, |Slot(slot)| slot);
        let index: Vec<u32> = match grid.stores_all() || grid.is_full() {
            true => Vec::new(),
            false => (0..grid.all_columns() as u32).map(slot).collect(),
        };
        let (mut mask, mut cell_indices) = (0, 0);
        if !grid.is_full() {
            let mut words: Vec<u32> = Vec::with_capacity((grid.columns() + 1) * grid.shape.words);
            Slot::all(grid.columns()).for_each(|column| words.extend(grid.mask(column)));
            // Behind the last column there is none.
            words.extend(std::iter::repeat_n(0, grid.shape.words));
            mask = keep(Memory::of(device, &words)?);
            drop(words);
            cell_indices = keep(match grid.wide_indices() {
                true => Memory::of(device, &grid.word_indices().map(|index| index.0).collect::<Vec<u64>>())?,
                false => Memory::of(device, &grid.word_indices().map(|index| index.0 as u32).collect::<Vec<u32>>())?,
            });
        }
        let params = Memory::of(device, &numbers_of([&member.params[..]], &derived))?;
        let clock = Memory::zeroed(device, 4)?;
        let neighbours = PassTables::Rows(RowWorld {
            index: keep(Memory::of(device, &index)?),
            mask,
            cell_indices,
            params: params.address(),
            clock: clock.address(),
            seed: member.seed,
            columns,
            first: 0,
            end: 0,
            later: 0,
        });
        Ok(TableMemory { neighbours, clock, replicas: 0, params, derived, seeds: None, _tables: tables })
    }

    /// Where the seeds of the members stand; 0 if there is one member.
    pub(crate) fn seeds(&self) -> Address {
        self.seeds.as_ref().map_or(0, Memory::address)
    }

    /// Gives each member other seeds.
    pub(crate) fn set_seeds(&mut self, members: &[MemberInputs]) -> Result<()> {
        match &self.seeds {
            None => self.neighbours.set_seed(members[0].seed),
            Some(seeds) => {
                seeds.upload(0, &members.iter().map(|member| member.seed).collect::<Vec<u64>>())?;
            }
        }
        Ok(())
    }

    /// Gives the parameters of each member, or of all of them, these values, where the kernels find them.
    pub(crate) fn set_params(&self, params: &[impl Deref<Target = [Value]>]) -> Result<()> {
        Ok(self.params.upload(0, &numbers_of(params.iter().map(Deref::deref), &self.derived))?)
    }

    /// Gives each member its parameters and, behind them, its means for kernels of the second round.
    pub(crate) fn set_means(&self, members: &[MemberInputs], means: &[Vec<Value>]) -> Result<()> {
        let all = |(member, means): (&MemberInputs, &Vec<Value>)| [&member.params[..], means].concat();
        let all: Vec<Vec<Value>> = members.iter().zip(means).map(all).collect();
        self.set_params(&all)
    }
}
