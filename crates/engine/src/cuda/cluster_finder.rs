//! What finds clusters on the device beside the states: tiles, their tables and lists, and the kernels of `templates/clusters.cu`.

use super::driver::{Address, Argument, Device, Function, Memory, Module};
use super::error::CudaError;
use super::measure::Measure;
use super::neighbours::{PassTables, fill_tables};
use super::nvrtc::MachineCode;
use super::stored::Stored;
use crate::Result;
use squeeze_compiler::Program;
use squeeze_compiler::emit::cuda::{ClusterDraw, ClusterField, ClusterTiles, ClusterWork, cluster_kernels};
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::numbers::numbering::PlaceNumbering;
use squeeze_compiler::plan::{TilesOfClusters, goes_round};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where there is no cell.
const NONE: u32 = u32::MAX;
/// Lists begin at multiples of as many bytes.
const ALIGNED: u64 = 256;

// SAFETY: CUDA C declares them by the same lists of fields.
unsafe impl Argument for ClusterTiles {}
// SAFETY: as above.
unsafe impl Argument for ClusterField {}
// SAFETY: as above.
unsafe impl Argument for ClusterWork {}
// SAFETY: as above.
unsafe impl Argument for ClusterDraw {}

/// The kernels of bonds at the same offsets.
pub(super) struct ClusterKernels {
    pub gather_rows: Function,
    pub gather_lanes: Function,
    pub scatter_rows: Function,
    pub scatter_lanes: Function,
    pub label_tiles: Function,
    pub join_tiles: Function,
    pub find_roots: Function,
    pub begin_values: Function,
    pub combine_cells: Function,
    pub begin_rounds: Function,
    pub join_rounds: Function,
    pub gather_rounds: Function,
    pub draw_values: Function,
    pub give_bits: Function,
    pub give_cells: Function,
}

/// All that finding clusters takes beside the states.
pub(super) struct DeviceClusters {
    pub tiles: TilesOfClusters,
    pub geometry: ClusterTiles,
    pub work: ClusterWork,
    pub belong: Address,
    pub kernels: BTreeMap<Vec<[i32; 3]>, ClusterKernels>,
    _memory: Vec<Memory>,
}

impl DeviceClusters {
    /// For the rule of a program, if it asks clusters. ClusterKernels are compiled by `image`.
    pub(super) fn new(
        device: &Arc<Device>,
        measure: &Measure,
        program: &Program,
        tables: &PassTables,
        replicas: Address,
        compiled: impl Fn(&str) -> std::result::Result<MachineCode, CudaError>,
    ) -> Result<Option<DeviceClusters>> {
        let (rule, plan) = (&program.rule, &program.plan);
        if !rule.asks_clusters() {
            return Ok(None);
        }
        let domain = rule.domain();
        let Ok(tiles) = TilesOfClusters::of(domain, rule, &plan.storage) else { unreachable!("it was planned") };
        let (members, rows) = (plan.members.turns(), tiles.rows());
        let mut memory = Vec::new();
        let mut keep = |list: Memory| {
            memory.push(list);
            memory[memory.len() - 1].address()
        };
        let periodic = domain.periodic().0;
        let [width, height, depth] = domain.extent().map(|side| side as u32);
        let shape = Stored::of(plan).shape();
        let mut geometry = ClusterTiles {
            count: tiles.count,
            members,
            periodic: (0..3).map(|axis| u32::from(periodic[axis]) << axis).sum(),
            width,
            height,
            depth,
            along_x: tiles.along[0],
            along_y: tiles.along[1],
            words: shape.words as u32,
            stride: shape.stride as u32,
            lanes: shape.lanes as u32,
            ..ClusterTiles::default()
        };
        let mut is_rising = true;
        match (Stored::of(plan), tables) {
            (Stored::Replicas { layout, .. }, _) => {
                let Some(levels) = tiles.levels else { unreachable!("fractals have levels") };
                let low = domain.between(0, levels);
                let (mut numbers, mut cells) = (vec![NONE; 32 * rows as usize], vec![0u32; rows as usize]);
                for number in 0..low.cells() {
                    let [x, y, z] = low.lambda(number).map(|v| v as usize);
                    let row = y + tiles.sides[1] as usize * z;
                    numbers[32 * row + x] = number as u32;
                    cells[row] |= 1 << x;
                }
                is_rising = numbers.chunks(32).all(|row| row.iter().filter(|number| **number != NONE).is_sorted());
                let of_tiles =
                    Layout::new(domain, 0, levels).map_err(|error| crate::EngineError::System(error.to_string()))?;
                let directions = 3u64.pow(domain.dimension().axes() as u32) - 1;
                let count = u64::from(tiles.count);
                geometry.neighbours = keep(Memory::zeroed(device, 4 * directions * count)?);
                geometry.edges = keep(Memory::zeroed(device, count)?);
                geometry.corners = keep(Memory::zeroed(device, 12 * count)?);
                fill_tables(device, measure, &of_tiles, (geometry.neighbours, geometry.edges, geometry.corners))?;
                geometry.numbers = keep(Memory::of(device, &numbers)?);
                geometry.rows = keep(Memory::of(device, &cells)?);
                geometry.replicas = replicas;
                geometry.lanes_of_replicas = keep(Memory::of(device, layout.lanes_of_replicas())?);
                geometry.lane_stride = layout.lane_stride();
                geometry.tiles_of_lane = (layout.lane_stride() / low.cells()) as u32;
            }
            (Stored::Rows { grid, packed, .. }, PassTables::Rows(tables)) => {
                let stores_all = grid.stores_all() || grid.is_full();
                geometry.index = if stores_all { 0 } else { tables.index };
                (geometry.mask, geometry.cell_indices) = (tables.mask, tables.cell_indices);
                geometry.columns = grid.columns() as u64;
                geometry.columns_of_row = grid.columns_of_row() as u32;
                geometry.mask_words = shape.words as u32;
                geometry.numbered_row = PlaceNumbering::of(domain.extent()).row as u32;
                geometry.wide = grid.wide_indices().into();
                geometry.packed = packed.into();
                if packed {
                    geometry.words = Columns::packed_words(grid.cells()) as u32;
                }
            }
            (Stored::Rows { .. }, PassTables::Lanes(_)) => unreachable!("rows have tables of rows"),
        }
        let bonds = rule.all_clusters().map(|of| of.offsets.len()).max().unwrap_or(0) as u64;
        let rounds = rule.all_clusters().any(|of| goes_round(domain, of));
        let all = u64::from(tiles.count) * u64::from(members);
        let (of_rows, of_cells) = (all * u64::from(rows), all * u64::from(tiles.cells));
        // In the order of `ClusterWork`, and the cells that belong to clusters.
        let sizes = [
            4 * of_rows,
            4 * of_rows * bonds,
            4 * of_rows,
            4 * of_rows,
            2 * of_rows,
            2 * of_cells,
            4 * of_cells,
            4 * of_cells,
            4 * all,
            8 * of_cells,
            if rounds { 8 * of_cells } else { 0 },
        ];
        let lists = keep(Memory::zeroed(device, sizes.iter().map(|size| size.next_multiple_of(ALIGNED)).sum())?);
        let mut end = lists;
        let [belong, bonds, given, starts, first_runs, runs, forest, least, counts, values, rounds] =
            sizes.map(|size| {
                end += size.next_multiple_of(ALIGNED);
                end - size.next_multiple_of(ALIGNED)
            });
        let taken: usize = memory.iter().map(Memory::len).sum();
        debug_assert!(taken as u64 <= tiles.bytes(domain, rule, members), "it was planned");
        let work = ClusterWork {
            belong: 0,
            bonds,
            given,
            starts,
            first_runs,
            runs,
            forest,
            least,
            counts,
            values,
            rounds,
            of_bond: of_rows,
        };
        let mut kernels = BTreeMap::new();
        for of in rule.all_clusters() {
            if !kernels.contains_key(&of.offsets) {
                let text = cluster_kernels(&tiles, domain, &of.offsets, is_rising);
                let module = Module::new(device, &compiled(&text)?)?;
                kernels.insert(of.offsets.clone(), ClusterKernels::of(&module)?);
            }
        }
        Ok(Some(DeviceClusters { tiles, geometry, work, belong, kernels, _memory: memory }))
    }

    /// Threads that go through all rows of tiles.
    pub(super) fn threads_of_rows(&self) -> u64 {
        u64::from(self.geometry.members) * u64::from(self.tiles.count) * u64::from(self.tiles.rows())
    }

    /// Threads that go through the words of all lanes, a warp for a row of the tiles of 32 lanes.
    pub(super) fn threads_of_lanes(&self) -> u64 {
        let tiles = u64::from(self.geometry.tiles_of_lane) * u64::from(self.geometry.members);
        32 * tiles * u64::from(self.tiles.rows()) * u64::from(self.geometry.words)
    }
}

impl ClusterKernels {
    fn of(module: &Module) -> std::result::Result<ClusterKernels, CudaError> {
        Ok(ClusterKernels {
            gather_rows: module.function("gather_rows")?,
            gather_lanes: module.function("gather_lanes")?,
            scatter_rows: module.function("scatter_rows")?,
            scatter_lanes: module.function("scatter_lanes")?,
            label_tiles: module.function("label_tiles")?,
            join_tiles: module.function("join_tiles")?,
            find_roots: module.function("find_roots")?,
            begin_values: module.function("begin_values")?,
            combine_cells: module.function("combine_cells")?,
            begin_rounds: module.function("begin_rounds")?,
            join_rounds: module.function("join_rounds")?,
            gather_rounds: module.function("gather_rounds")?,
            draw_values: module.function("draw_values")?,
            give_bits: module.function("give_bits")?,
            give_cells: module.function("give_cells")?,
        })
    }
}
