//! How many bytes a rule takes, and whether a target has room for them.

use super::{Plan, StateMemory, TilesOfClusters, choices, cut, rolling};
use crate::Speciality;
use crate::geometry::{Domain, FittedRule};
use crate::ir::{Clusters, Rule, SignedAxis, State, StateId, Step, StepSchedule, TileSize};
use crate::kernel::Planes;
use crate::layout::columns::{Columns, Shape};
use crate::layout::row_words::RowWords;
use crate::layout::rows::RowGrid;
use crate::layout::table::{bytes_of_neighbours, far_table_bytes};
use crate::layout::{Geometry, StoredAs};
use crate::pipeline::CompileError;
use crate::reduce::fold::bytes_of_lists;
use crate::target::{Choice, Target};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Choice {
    /// Bytes that the target's members take by this choice at most: buffers of all states, for as many engines as it takes, tables, which these share, and
    /// lists of reductions, which may look farther than steps.
    pub fn bytes(&self, domain: &Domain, rule: &Rule, target: &Target, observes_far: bool) -> u64 {
        let far = self.far || observes_far;
        let tables = match (&self.storage.geometry, target.is_gpu()) {
            (Geometry::Replicas(layout), false) => self.storage.stored() as u64 * bytes_of_neighbours(layout),
            (Geometry::Replicas(layout), true) => {
                let corner = if rule.names_coordinates || far { 12 } else { 0 };
                let maps = if far { far_table_bytes(layout) } else { 0 };
                maps.saturating_add(self.storage.stored() as u64 * (bytes_of_neighbours(layout) + corner))
            }
            (Geometry::Rows(grid), true) => grid.table_bytes(),
            // CPUs ask the grid itself, of which parts have copies.
            (Geometry::Rows(grid), false) if self.storage.is_cut() && !grid.is_full() => {
                4 * grid.all_columns() as u64 + RowGrid::bytes_of(grid.columns() as u64, grid.shape.lanes)
            }
            (Geometry::Rows(_), false) => 0,
        };
        let turns = match target.is_gpu() {
            // Those of ordered steps are known with the kernels.
            true if rule.asks_clusters() => TilesOfClusters::of(domain, rule, &self.storage)
                .map_or(0, |tiles| tiles.bytes(domain, rule, target.members.turns())),
            true => 0,
            false => self.bytes_of_turns(domain, rule).saturating_add(self.bytes_of_tiles(domain, rule, target)),
        };
        // Columns on their way to a part on a GPU stand beside the states, for two exchanges before each kernel: at most those of all units that others compute.
        let kernels = if rule.step_by_step() { rule.steps.len() as u128 } else { 1 };
        let is_part = target.is_gpu() && self.storage.is_cut() && self.storage.memory == StoredAs::Columns;
        let ghosts = if is_part { self.storage.stored() - self.storage.owned().len() } else { 0 };
        let on_their_way = 2 * kernels * ghosts as u128;
        let engines = u128::from(target.members.count().div_ceil(self.members.count()));
        let of_state = |state: &StateMemory| {
            self.buffer_bytes(state, target) * u128::from(state.buffers) * engines
                + on_their_way * state.columns.block as u128
        };
        let states: u128 = self.state_memory(rule).iter().map(of_state).sum();
        u64::try_from(states)
            .unwrap_or(u64::MAX)
            .saturating_add(tables)
            .saturating_add(turns)
            .saturating_add(bytes_beside(domain, rule, target))
    }

    /// Bytes of what ordered steps need to take cells in their turns: of fractals the cells in each order, and their places while they are sorted; what
    /// becomes of the cells of a group before it is written.
    fn bytes_of_turns(&self, domain: &Domain, rule: &Rule) -> u64 {
        let [tables, search] = bytes_of_clusters(domain, rule);
        tables.saturating_add(search).saturating_add(self.bytes_of_single_turns(domain, rule))
    }

    fn bytes_of_single_turns(&self, domain: &Domain, rule: &Rule) -> u64 {
        /// Of a cell in an order, and of its place while it is sorted.
        const ORDER: [u64; 2] = [8, 32];
        /// Of a cell of a group and of a new value, where lists grow by doubling.
        const GROUP: [u64; 2] = [24, 16];
        let (cells, extent) = (domain.cells(), domain.extent());
        let turns = rule.steps.iter().map(|step| (step, domain.turns(rule, step)));
        let turns: Vec<_> = turns.filter(|(_, axes)| !axes.is_empty()).collect();
        let of_group = |(step, axes): &(&Step, Vec<SignedAxis>)| {
            let others = (0..3).filter(|axis| axes.iter().all(|signed| usize::from(signed.axis) != *axis));
            let places = others.map(|axis| extent[axis]).fold(1, u64::saturating_mul);
            places.min(cells).saturating_mul(GROUP[0] + GROUP[1] * step.body.results.len() as u64)
        };
        let Some(group) = turns.iter().map(of_group).max() else { return 0 };
        group.saturating_add(match &self.storage.geometry {
            Geometry::Replicas(_) => cells.saturating_mul(ORDER[0] * turns.len() as u64 + ORDER[1]),
            Geometry::Rows(grid) if !grid.is_full() => RowGrid::bytes_of(grid.columns() as u64, grid.shape.lanes),
            Geometry::Rows(_) => 0,
        })
    }

    /// Bytes of the largest tile of ordered steps in strips, at most: rows of all states, of presence and of random words, and what becomes of a row.
    fn bytes_of_tiles(&self, domain: &Domain, rule: &Rule, target: &Target) -> u64 {
        if self.storage.memory == StoredAs::Cells || target.off().has(Speciality::Strips) {
            return 0;
        }
        let reaches = rule.reach_along_axes(domain.dimension()).map(i64::from);
        let of_step = |step: &Step| {
            let StepSchedule::InStrips(strips, _) = domain.taken(rule, step) else { return 0 };
            let axes = [strips.along, strips.across].map(|signed| usize::from(signed.axis));
            let reach = [reaches[axes[1]], reaches[axes[0]] + i64::from(strips.shear) * reaches[axes[1]]];
            let draws = step.body.nodes.iter().filter(|node| node.op.draws()).count();
            let sides = axes.map(|axis| domain.extent()[axis] as i64);
            let mut tile = strips.largest_tile(reach, sides, target.tile_wish(step));
            // Loops over rows have strips of their own.
            let strips_of_loops = if target.tile.is_some() { sides[1] } else { sides[1] / TileSize::GROUP + 1 };
            let of_bits =
                step.body.results.iter().all(|(state, _)| Planes::of(rule, rule.state(*state).ty) == Planes::Bits(1));
            let lines = if of_bits { TileSize::GROUP_OF_BITS } else { TileSize::GROUP };
            tile.lanes = tile.lanes.max(TileSize::lanes_of(TileSize::MOST_GROUPS, lines));
            let (shape, rows) = (Shape::of_lanes(tile.lanes as usize), (tile.rows + 2 * reach[1]) as u64);
            let of_state = |state: &StateMemory| {
                let block = Columns::new(state.columns.planes, shape, 1).block as u64;
                // Rows are some lines of a cache apart, with room before and behind.
                (rows + 3) * (block + 192)
            };
            let states: u64 = self.state_memory(rule).iter().map(of_state).sum();
            // Inputs are read from copies in the order of lanes, with room at both ends.
            let room = 4 * (i64::from(strips.shear) + 1) * (tile.lanes + tile.rows + 2 * (reach[0] + reach[1]));
            let of_input = |(field, axis): (StateId, usize)| {
                // Letters take some bits each, with room for whole registers.
                (rule.state(field).ty.bytes() + 3) * domain.extent()[axis].saturating_add(room as u64)
            };
            let inputs: u64 = rule.given_inputs().map(|(field, axis, _)| of_input((field, axis))).sum();
            // Each thread has a tile of its own.
            let strips = strips_of_loops as u64;
            let tiles = (target.machine.threads as u64).clamp(1, strips.max(1));
            // Loops have the words of presence for each lane beside, and of the cells.
            let words = (2 * reach[0] as u64 + 3) * 4 * shape.words as u64 + 4 * (shape.stride * draws) as u64;
            inputs + tiles * (states + (rows + 2) * words + 128)
        };
        rule.steps.iter().map(of_step).max().unwrap_or(0)
    }

    /// Bytes of one buffer of a state: on GPUs of all members in turn, and of the padding behind the last.
    pub fn buffer_bytes(&self, StateMemory { columns, .. }: &StateMemory, target: &Target) -> u128 {
        let padding = if target.is_gpu() { self.storage.padding(columns) } else { 0 };
        self.storage.bytes(columns) * u128::from(self.members.turns()) + u128::from(padding)
    }
}

impl Plan {
    /// Bytes that its rule takes at most.
    pub fn bytes(&self, rule: &FittedRule, target: &Target) -> u64 {
        Choice::bytes(self, rule.domain(), rule, target, self.observes_far()).saturating_add(self.bytes_of_turns)
    }
}

/// How many members fit into a room, where one takes `one` bytes and each of the others `another`, since it shares tables. One is there.
pub fn members_within(room: u64, one: u64, another: u64) -> usize {
    1 + usize::try_from(room.saturating_sub(one) / another.max(1)).unwrap_or(usize::MAX - 1)
}

/// Bytes of the tables by which a CPU finds clusters, and those of a search at most; each member that is computed at the same time has one of its own.
pub fn bytes_of_clusters(domain: &Domain, rule: &Rule) -> [u64; 2] {
    if !rule.asks_clusters() {
        return [0; 2];
    }
    let offsets: BTreeSet<_> = rule.all_clusters().flat_map(|of| &of.offsets).collect();
    let (tables, words) = RowWords::bytes(domain, offsets.into_iter());
    let values = || rule.all_clusters().flat_map(|of| &of.values);
    let width = |state: StateId| rule.state(state).ty.bytes();
    // The cell above each run's and its root; what is combined by roots, the field that is combined, and the values that are given.
    let folds = values().any(|value| value.kind.is_by_root());
    let of = values().filter_map(|value| value.of.field()).map(width).max().unwrap_or(0);
    let given = values().map(|value| width(value.to)).max().unwrap_or(0);
    let of_cell = 4 + 4 + if folds { 8 } else { 0 } + of + given;
    // Bits of bonds and of a condition, of roots, of a field and of results, with half a word for each run that goes on.
    let bits = |of: &Clusters| of.offsets.len() as u64 + u64::from(of.when.is_some());
    let of_word = rule.all_clusters().map(bits).max().unwrap_or(0) + 5;
    // A bit for each number by which cells draw: on masks and boxes there are up to twice as many as places.
    let drawn = match domain.levels() {
        Some(_) => domain.cells() / 8,
        None => domain.extent().into_iter().fold(1, u64::saturating_mul) / 4,
    };
    let search = of_cell.saturating_mul(domain.cells()).saturating_add(of_word.saturating_mul(words));
    [tables, search.saturating_add(drawn)]
}

/// Bytes of the host that all plans take beside their own on a CPU: tables of masks and boxes, and lists of reductions.
fn bytes_beside(domain: &Domain, rule: &Rule, target: &Target) -> u64 {
    if target.is_gpu() {
        return 0;
    }
    let tables = if domain.levels().is_none() { RowGrid::bytes(domain) } else { 0 };
    let lists = rule.levels().filter(|level| *level <= domain.level());
    let lists = lists.map(|level| domain.cells() / domain.cell_product(level)).sum();
    tables.saturating_add(bytes_of_lists(lists))
}

/// Bytes that a rule takes on every layout: the values of states alone, of the cells of a part.
fn least_bytes(domain: &Domain, rule: &Rule, target: &Target) -> u128 {
    let bits_of = |(index, state): (usize, &State)| {
        let bits = match Planes::of(rule, state.ty) {
            Planes::Bits(count) => u128::from(count),
            Planes::Number(ty) => 8 * u128::from(ty.scalar().bytes()),
        };
        if rule.changes(index) { 2 * bits } else { bits }
    };
    let bits: u128 = rule.kept_states().enumerate().map(bits_of).sum();
    let cells = match rolling::rows_kept(domain, rule, target) {
        Some(rows) => rows.len() as u64 * domain.extent()[0],
        None => domain.cells(),
    };
    let cells = u128::from(cells) * u128::from(target.members.turns());
    bits * cells / u128::from(8 * target.part.1) + u128::from(bytes_beside(domain, rule, target))
}

/// Refuses a rule that takes more than the target has room for, by a plan, or by any.
pub(crate) fn check(rule: &FittedRule, plan: Option<&Plan>, target: &Target) -> Result<(), CompileError> {
    let (domain, available) = (rule.domain(), target.room);
    let of_plan = |plan: &Plan| u128::from(plan.bytes(rule, target));
    let needed = plan.map_or_else(|| least_bytes(domain, rule, target), of_plan);
    if needed <= u128::from(available) || available == u64::MAX {
        return Ok(());
    }
    let (usual, observes_far) = (target.clone().demanding(None), plan.is_some_and(Plan::observes_far));
    let fits = |level: &u32| {
        let domain = Domain::new(Arc::clone(domain.fractal()), *level).ok();
        let lower = domain
            .and_then(|domain| Some((choices(&domain, rule, &usual).ok()?.into_iter().flatten().next()?, domain)));
        lower.is_some_and(|(choice, domain)| {
            cut(&choice, &domain, rule, target.part, choice.steps).bytes(&domain, rule, target, observes_far)
                <= available
        })
    };
    let help = domain.advice(|| (0..domain.level()).rev().find(fits));
    let backend = if target.is_gpu() { "cuda" } else { "cpu" };
    Err(CompileError::Memory { domain: domain.to_string(), backend, needed, available, help })
}
