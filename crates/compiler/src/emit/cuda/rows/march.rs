//! Several time steps of numbers in one pass over rows.
//!
//! A warp goes down some columns, a few of them to a lane. Each step is a stage: it is handed a row of its time, keeps the rows before it that it still looks
//! at, computes the row `REACH` above and hands it to the next stage. The values beside a lane's own come from the lanes at its sides. Places beyond an
//! edge, and holes, are 0 after each step, as they are between passes; all that a stage keeps is 0 before its first row.

use super::ends::{PlacesOfThread, Tile, TileKernel};
use super::stage::{MARCH, MarchStage};
use super::within::indent;
use super::{Finds, RowPrinter, Statistics, WARP};
use crate::emit::cuda::text::{Entry, render_section};
use crate::emit::cuda::threads::THREADS;
use crate::emit::cuda::words::{c_type, moved};
use crate::kernel::{Direction, LaneType, Load, Op, ValueId, made_of};
use crate::passes::Ready;
use crate::plan::{March, SeenState};
use minijinja::context;

/// The most rows of a warp whose tiles are watched: of a longer one all is computed where little changes. Guess: not measured.
const WATCHED_ROWS: u32 = 32;

/// The names of a state's arrays.
struct Arrays {
    state: u16,
    ty: &'static str,
    across: u32,
    rows: Option<String>,
    ahead: String,
    row: String,
    new: String,
    values: String,
    before: String,
}

impl<'a> RowPrinter<'a> {
    /// A kernel of several steps of numbers.
    pub(super) fn print_march(mut self, ready: &Ready, steps: u32, entry: &mut Entry) -> TileKernel<'a> {
        let grid = self.cells.grid;
        let march = March::of(ready, ready.interface(), grid, steps).expect("kernels of several steps have a march");
        let rows = if self.compares { march.rows.min(WATCHED_ROWS) } else { march.rows };
        let (warps, width) = (THREADS / WARP as u32, march.width());
        let across = grid.extent()[0].div_ceil((warps * width) as usize);
        (entry.threads, entry.together) = (across as u64 * u64::from(THREADS), rows);
        let arguments = self.begin(entry, "first_time");
        let known = made_of(ready, |input| !matches!(input, Op::SuperblockCorner(_) | Op::Time { .. }));
        (0..known.len()).filter(|place| known[*place]).for_each(|place| self.node(place));
        let before = std::mem::take(&mut self.lines);
        let arrays = self.arrays(&march);
        let bits = (!March::knows_cells(grid)).then_some(March::bits(march.columns));
        let body = self.stage(&march, &arrays, bits, known);
        let states: Vec<_> = (arrays.iter())
            .map(|Arrays { state, ty, across, rows, ahead, row, values, before, .. }| {
                let state = usize::from(*state);
                let written = self.interface.writes.contains(&state);
                context! {
                    ty => *ty,
                    across,
                    row,
                    rows,
                    ahead,
                    values,
                    before,
                    old => rows.as_ref().map(|_| &self.states[state].old),
                    new => written.then(|| &self.states[state].new),
                }
            })
            .collect();
        let asks = ready.nodes.iter().any(|node| matches!(node.op, Op::Presence(_)));
        let March { columns, reach, rim, .. } = march;
        let values = context! {
            before,
            body,
            states,
            across,
            rows,
            steps,
            reach,
            columns,
            rim,
            width,
            bits,
            asks,
            time => entry.time,
            threads => THREADS,
            watched => self.compares,
            part => grid.rows_of_part().map(|(first, rows)| [first, rows]),
            block => self.block(),
        };
        let x = format!("(int)threadIdx.x / {WARP} * {width} + ((int)threadIdx.x % {WARP} - {rim}) * {columns}");
        let part = PlacesOfThread { across: columns, down: rows, x, y: "0".to_owned() };
        let farthest = ready.nodes.iter().filter_map(|node| node.op.direction()).map(|at| at.0[0].unsigned_abs()).max();
        let reach = [steps * farthest.unwrap_or(0), march.margin(), 0];
        let about = format!("{}: {steps} steps; a warp goes down {rows} rows of {width} places.", ready.name);
        TileKernel {
            about: vec![about, Statistics::of(ready).to_string()],
            arguments,
            body: render_section(MARCH, "Kernel", values),
            tile: Tile { across, width: (warps * width) as usize, reach, part },
            compares: self.compares,
            adding: None,
        }
    }
}

impl RowPrinter<'_> {
    fn arrays(&mut self, march: &March) -> Vec<Arrays> {
        let is_used =
            |state: &usize| march.seen.contains_key(&(*state as u16)) || self.interface.writes.contains(state);
        let used: Vec<usize> = (0..self.kernel.states.len()).filter(is_used).collect();
        let mut arrays = Vec::new();
        for state in used {
            let kept = march.seen.get(&(state as u16));
            let mut name = |of: &str| self.names.name(&format!("{}_{of}", self.kernel.states[state].name));
            arrays.push(Arrays {
                state: state as u16,
                across: kept.map_or(0, |seen| seen.across),
                rows: kept.map(|_| name("rows")),
                ahead: name("ahead"),
                row: name("row"),
                new: name("next"),
                values: name("values"),
                before: name("before"),
                ty: c_type(self.kernel.states[state].planes.ty(), false),
            });
        }
        arrays
    }

    /// Prints a node of a stage in a way of its own. All NaN are alike but in memory: if no value is stored as it was loaded, the last stage alone makes
    /// one of them.
    pub(super) fn prints_in_march(&mut self, place: usize) -> bool {
        let Finds::InMarch(stage) = &self.cells.finds else { return false };
        if stage.known[place] {
            return true;
        }
        let node = &self.kernel.nodes[place];
        let is_float = |value: ValueId| self.ty(value).is_float();
        let as_it_was = |op: &Op| match op {
            Op::Store { value, .. } => is_float(*value) && !matches!(self.kernel.node(*value).op, Op::Canonical(_)),
            _ => false,
        };
        let Op::Canonical(value) = &node.op else { return false };
        if self.kernel.nodes.iter().any(|node| as_it_was(&node.op)) {
            return false;
        }
        let ty = node.ty.unwrap_or(LaneType::F32);
        let (plain, one) = (self.value(*value).to_owned(), self.expression(&node.op, ty));
        let line = format!("const {} {} = step + 1 < STEPS ? {plain} : {one};", c_type(ty, false), self.values[place]);
        self.line(&line);
        true
    }

    /// Whether the rule asks for the coordinate along rows.
    fn asks_x(&self) -> bool {
        let interface = self.interface;
        interface.superblock_corner
            || !interface.lane_corners.is_empty()
            || interface.odd_corners.iter().any(|axes| axes.0[0])
    }

    /// A stage: from the row that it is handed, and from those that it keeps, to the row that it hands on.
    fn stage(&mut self, march: &March, arrays: &[Arrays], bits: Option<u32>, known: Vec<bool>) -> Vec<String> {
        let reach = march.reach as i32;
        let row_at = |of: &Arrays, y: i32| match &of.rows {
            Some(rows) if y < reach => {
                format!("{rows}[step][(oldest + {}) % {}]", reach + y, 2 * reach)
            }
            _ => of.row.clone(),
        };
        let new = arrays.iter().map(|of| (of.state, of.new.clone())).collect();
        self.cells.finds = Finds::InMarch(Box::new(MarchStage { bits, new, known }));
        for of in arrays {
            // What stands beside is fetched with the first row that shows it.
            if let Some(SeenState { rows: Some([_, high]), across }) = march.seen.get(&of.state) {
                let row = row_at(of, *high);
                self.line(&format!("widen<COLUMNS, {across}>({row});"));
            }
            self.line(&format!("{} {}[COLUMNS] = {{}};", of.ty, of.new));
        }
        self.line("#pragma unroll");
        self.line("for (int j = 0; j < COLUMNS; ++j) {");
        let begin = self.lines.len();
        if let Some(bits) = bits {
            self.line(&format!("const bool cell = (there >> ({bits} * ((step + 1) * REACH) + 2 + j) & 1) != 0;"));
        }
        if self.asks_x() {
            self.line("const int x = BESIDE ? (int)xs[0] + j : (int)xs[j * PARTS / COLUMNS];");
        }
        let interface = self.interface;
        if interface.superblock_corner || interface.odd_corners.iter().any(|axes| axes.0[1]) {
            self.line("const int y = (int)around<HEIGHT, PERIODIC_Y, BEYOND_Y>(first - MARGIN + down + oldest - (step + 1) * REACH);");
        }
        for index in 0..self.kernel.nodes.len() {
            let node = &self.kernel.nodes[index];
            let Some(Load { direction: Direction([x, y, _]), state, .. }) = node.op.load() else { continue };
            let Some(of) = arrays.iter().find(|of| of.state == state) else { continue };
            let ty = c_type(node.ty.unwrap_or(LaneType::Bits), false);
            let column = moved("j", of.across as i32 + x);
            let line = format!("const {ty} {} = {}[{column}];", self.values[index], row_at(of, y));
            self.line(&line);
        }
        self.rule();
        for of in arrays.iter().filter(|of| !self.interface.writes.contains(&usize::from(of.state))) {
            // Nothing changes it.
            let own = format!("{}[{}];", row_at(of, 0), moved("j", of.across as i32));
            self.lines.push(format!("{}[j] = {own}", of.new));
        }
        indent(&mut self.lines[begin..]);
        self.line("}");
        for of in arrays {
            if let Some(rows) = &of.rows {
                self.line(&format!("keep({rows}[step][oldest], {});", of.row));
            }
            self.line(&format!("hand_on<COLUMNS, {}>({}, {});", of.across, of.row, of.new));
        }
        std::mem::take(&mut self.lines)
    }
}
