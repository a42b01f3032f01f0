//! The ends of kernels of rows: stores, comparisons, totals. If there is more to do than to store, a function computes a tile, and a kernel calls it for
//! the tiles of a list, or for all of them, one after the other: `templates/listed.cu` says which tiles look at one.

use super::{COLUMN_WITHIN, Namer, RowPrinter, c_type};
use crate::emit::cuda::text::{Entry, function, name_of_argument, render_section};
use crate::emit::cuda::threads::THREADS;
use crate::emit::cuda::totals::Adding;
use crate::emit::cuda::watched::{LISTED, list, number_of_tiles};
use crate::kernel::{Op, Planes};
use crate::layout::rows::RowGrid;
use crate::passes::Ready;
use minijinja::context;

/// A kernel, or the part of it that computes a tile.
pub(super) struct TileKernel<'a> {
    pub about: Vec<String>,
    pub arguments: Vec<String>,
    pub body: String,
    pub tile: Tile,
    pub compares: bool,
    pub adding: Option<Adding<'a>>,
}

/// The tile that a block computes.
pub(super) struct Tile {
    /// Tiles across a row.
    pub across: usize,
    pub width: usize,
    /// How far its cells look.
    pub reach: [u32; 3],
    /// The places of it that a thread computes.
    pub part: PlacesOfThread,
}

/// The places of a tile that a thread has, across and down.
pub(super) struct PlacesOfThread {
    pub across: u32,
    pub down: u32,
    /// Where they begin, as CUDA C says it.
    pub x: String,
    pub y: String,
}

impl Tile {
    /// The tile of a kernel of one step, of which a thread takes `rows` rows.
    pub(super) fn of(kernel: &Ready, (width, across): (usize, usize), rows: u32) -> Tile {
        let reach = |axis: usize| {
            let directions = kernel.nodes.iter().filter_map(|node| node.op.direction());
            directions.map(|direction| direction.0[axis].unsigned_abs()).max().unwrap_or(0)
        };
        let each = if kernel.interface().bitwise_lanes { 32 } else { 1 };
        let part = PlacesOfThread {
            across: each,
            down: rows,
            x: format!("(int)(threadIdx.x % {width}) * {each}"),
            y: format!("(int)(threadIdx.x / {width}) * {rows}"),
        };
        Tile { across, width: each as usize * width, reach: [reach(0), reach(1), reach(2)], part }
    }
}

impl TileKernel<'_> {
    /// The text of the end, and of the kernel that calls it, if there is one.
    pub(super) fn finish(&self, grid: &RowGrid, entry: &mut Entry, names: &mut Namer) -> Vec<String> {
        let TileKernel { about, body, arguments, .. } = self;
        let parameters = |more: &[&str]| {
            let more = more.iter().map(|parameter| (*parameter).to_owned());
            arguments.iter().cloned().chain(more).collect::<Vec<String>>()
        };
        let of_tile = |name: &str, kept: Vec<String>| {
            let parameters = parameters(&["const World &world", "const u32 tile"]).into_iter().chain(kept);
            function(about, false, name, parameters, body)
        };
        let given: Vec<String> = arguments.iter().map(|argument| name_of_argument(argument)).collect();
        if self.compares {
            let name = entry.name.clone();
            entry.name = names.name(&format!("{name}_of_list"));
            let call = format!("{name}({}world, tile, changed);", list_of(&given));
            let (tiles, listing, kernel) = self.listed(grid, entry.together, &call);
            entry.tiles = number_of_tiles(tiles);
            let about = ["The tiles of the list, by any number of blocks.".to_owned()];
            let parameters = parameters(&["const Watch watch", "const World world"]);
            let kernel = function(&about, true, &entry.name, parameters, &kernel);
            return vec![of_tile(&name, vec!["bool &changed".to_owned()]), listing, kernel];
        }
        let Some(adding) = &self.adding else {
            return vec![function(about, true, &entry.name, parameters(&["const World world"]), body)];
        };
        let (kept, names_of_kept) = adding.references();
        let name = names.name(&format!("{}_of_tile", entry.name));
        let kept_names: String = names_of_kept.iter().map(|name| format!(", {name}")).collect();
        let mut lines = adding.declarations();
        let (across, rows) = (self.tile.across, entry.together);
        lines.push(format!(
            "for (u32 tile = blockIdx.x; tile / {across} * {rows} < world.end - world.first; tile += gridDim.x) {{"
        ));
        lines.push(format!("    {name}({}world, tile{kept_names});", list_of(&given)));
        lines.extend(adding.leave(false));
        let kernel: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
        let about = ["All tiles, and what they come to. Blocks take one after the other.".to_owned()];
        let parameters = parameters(&["const Totals totals", "const World world"]);
        vec![of_tile(&name, kept), function(&about, true, &entry.name, parameters, &kernel.join("\n"))]
    }

    /// The number of tiles, the functions that list them, and the body of the kernel that calls a function for each tile of a list.
    fn listed(&self, grid: &RowGrid, rows: u32, call: &str) -> (u64, String, String) {
        let Tile { across, width, reach, ref part } = self.tile;
        let tiles = across as u64 * (grid.rows() as u64).div_ceil(u64::from(rows));
        let values = context! { across, width, height => rows, reach => reach.to_vec(), threads => THREADS };
        let listing = format!("{}\n\n{}", list(tiles), render_section(LISTED, "Tiles", values));
        let of_thread = context! { across => part.across, down => part.down, x => part.x.clone(), y => part.y.clone() };
        (tiles, listing, render_section(LISTED, "Kernel", context! { of_thread, call }))
    }
}

/// Arguments of a call, before others.
fn list_of(arguments: &[String]) -> String {
    arguments.iter().map(|name| format!("{name}, ")).collect()
}

impl RowPrinter<'_> {
    /// Loads the values that the rows of a thread will overwrite, all before the first store, so that the thread waits once.
    pub(super) fn load_before(&mut self, rows: u32) {
        for index in 0..self.kernel.nodes.len() {
            let Op::Store { state, plane, .. } = self.kernel.nodes[index].op else { continue };
            let of = usize::from(state);
            let (ty, of_name) = match self.kernel.states[of].planes {
                Planes::Bits(1) => ("u32", self.kernel.states[of].name.clone()),
                Planes::Bits(_) => ("u32", format!("{}_{plane}", self.kernel.states[of].name)),
                Planes::Number(ty) => (c_type(ty, false), self.kernel.states[of].name.clone()),
            };
            let name = self.names.name(&format!("{of_name}_before"));
            let new = &self.states[of].new;
            let place = match self.planes(of) {
                Some(planes) => self.own_word(planes, plane),
                None => "(u64)column * LANES + x % LANES".to_owned(),
            };
            let load = format!("    {name}[i] = {new}[{place}];");
            self.line(&format!("{ty} {name}[{rows}];"));
            self.line("#pragma unroll");
            self.line(&format!("for (int i = 0; i < {rows}; ++i) {{"));
            self.line(&format!("    const u32 column = {COLUMN_WITHIN};"));
            self.line(&load);
            self.line("}");
            self.cells.before.insert((state, plane), name);
        }
    }
}
