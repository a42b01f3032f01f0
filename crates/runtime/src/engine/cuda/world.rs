//! What surrounds the superblocks on a device: who neighbours whom, how lanes move, parameters, the clock.

use super::driver::{Address, Blocks, Device, Memory};
use super::measure::Measure;
use crate::engine::Result;
use squeeze_compiler::emit::cuda::{Levels, Tables};
use squeeze_compiler::ir::kernel::Direction;
use squeeze_compiler::ir::{Rule, Value};
use squeeze_compiler::layout::Layout;
use std::ffi::c_void;
use std::sync::Arc;

/// `DeviceTables` of the skeleton: what a pass needs besides the states.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct DeviceTables {
    neighbours: Address,
    edges: Address,
    sources: Address,
    presence: Address,
    first_terms: Address,
    terms: Address,
    params: Address,
    lane_corners: Address,
    superblock_corners: Address,
    clock: Address,
    pub seed: u64,
    pub superblocks: u32,
    /// The first superblock of a pass.
    pub first: u32,
    /// The one after its last.
    pub end: u32,
    /// The first time that a pass computes, counted from the clock.
    pub later: u32,
    level: i32,
    side: i32,
}

/// A world, the memory that it points to, and the clock.
pub(super) struct TableMemory {
    pub world: DeviceTables,
    pub clock: Memory,
    /// [`Layout::replicas`].
    pub replicas: Address,
    params: Memory,
    _tables: Vec<Memory>,
}

/// Bytes of the neighbour table, the largest part.
pub(super) fn bytes(layout: &Layout, rule: &Rule) -> u64 {
    let corners = if rule.names_coordinates { 12 } else { 0 };
    let directions = Direction::count(layout.dimension()) as u64;
    u64::from(layout.superblocks()) * (4 * directions + 1 + corners)
}

impl TableMemory {
    /// Builds all of it on the device; the clock stands at 0.
    pub fn new(
        device: &Arc<Device>,
        measure: &Measure,
        rule: &Rule,
        layout: &Layout,
        seed: u64,
        params: &[Value],
    ) -> Result<TableMemory> {
        let mut tables = Vec::new();
        let mut keep = |memory: Memory| {
            tables.push(memory);
            tables[tables.len() - 1].address()
        };
        let superblocks = u64::from(layout.superblocks());
        let directions = Direction::count(layout.dimension()) as u64;
        let neighbours = keep(Memory::zeroed(device, 4 * directions * superblocks)?);
        let edges = keep(Memory::zeroed(device, superblocks)?);
        let corners = if rule.names_coordinates { keep(Memory::zeroed(device, 12 * superblocks)?) } else { 0 };
        let Levels { levels, digits } = Levels::new(layout);
        let (levels_memory, digits) = (Memory::of(device, &levels)?, Memory::of(device, &digits)?);
        let (mut levels_at, mut digits_at) = (levels_memory.address(), digits.address());
        // A side beyond u32 is only possible for rules that name no coordinate.
        let [width, height, depth] = layout.low().extent().map(|side| side as u32);
        let mut numbers =
            [levels.len() as u32, layout.dimension().axes() as u32, layout.superblocks(), width, height, depth];
        let [count, axes, all, width, height, depth] = &mut numbers;
        let (mut neighbours_at, mut edges_at, mut corners_at) = (neighbours, edges, corners);
        let mut arguments: [*mut c_void; 11] = [
            (&raw mut levels_at).cast(),
            (&raw mut digits_at).cast(),
            (&raw mut *count).cast(),
            (&raw mut *axes).cast(),
            (&raw mut *all).cast(),
            (&raw mut *width).cast(),
            (&raw mut *height).cast(),
            (&raw mut *depth).cast(),
            (&raw mut neighbours_at).cast(),
            (&raw mut edges_at).cast(),
            (&raw mut corners_at).cast(),
        ];
        let blocks = Blocks::of_threads(superblocks, 128)?;
        // SAFETY: the arguments are those of `neighbour_table`; the tables have an entry for each superblock, the
        // list of levels has `count`, and all live until the device was waited for.
        unsafe { measure.module.launch(measure.neighbour_table, blocks, &mut arguments)? };
        device.synchronize()?;
        drop((levels_memory, digits));
        let Tables { sources, presence, first_terms, terms, lane_corners } = Tables::new(layout);
        let params: Vec<u64> = params.iter().map(|param| param.bits()).collect();
        let params = Memory::of(device, &params)?;
        let clock = Memory::zeroed(device, 4)?;
        let world = DeviceTables {
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
            seed,
            superblocks: layout.superblocks(),
            first: 0,
            end: layout.superblocks(),
            later: 0,
            level: layout.level() as i32,
            side: i32::try_from(layout.side()).unwrap_or(0),
        };
        let replicas = keep(Memory::of(device, layout.replicas())?);
        Ok(TableMemory { world, clock, replicas, params, _tables: tables })
    }

    /// Gives the parameters these values, where the kernels find them.
    pub fn set_params(&self, params: &[Value]) -> Result<()> {
        let bytes: Vec<u8> = params.iter().flat_map(|param| param.bits().to_ne_bytes()).collect();
        Ok(self.params.upload(0, &bytes)?)
    }
}
