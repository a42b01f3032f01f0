//! The kernel of a step of rows that computes only some tiles, those that blocks of threads take; `templates/watched.cu` says which ones look at a tile.

use super::{COLUMN_WITHIN, Namer, Writer, c_type, tile};
use crate::emit::cuda::THREADS;
use crate::emit::cuda::text::{Entry, name_of_argument, render};
use crate::emit::cuda::watched::{number_of_tiles, watch};
use crate::kernel::{Op, Planes};
use crate::layout::rows::RowGrid;
use crate::passes::Ready;
use minijinja::context;

const WATCHED: &str = include_str!("../../../../templates/watched.cu");

/// What is printed beside the kernel of a tile.
#[derive(Default)]
pub(super) struct Watched {
    pub text: String,
}

/// Where that is told, and the names that are taken.
pub(super) type Watching<'a> = (&'a mut Watched, &'a mut Namer);

/// What a block takes.
pub(super) struct Tile {
    /// Tiles across a row.
    pub across: usize,
    pub width: usize,
    /// How far its cells look.
    pub reach: [u32; 3],
    /// What a thread of it takes.
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
    pub fn of(kernel: &Ready, grid: &RowGrid, rows: u32) -> Tile {
        let bitwise = kernel.interface().bitwise_lanes;
        let (width, across) = tile(grid, bitwise);
        let reach = |axis: usize| {
            let directions = kernel.nodes.iter().filter_map(|node| node.op.direction());
            directions.map(|direction| direction.0[axis].unsigned_abs()).max().unwrap_or(0)
        };
        let each = if bitwise { 32 } else { 1 };
        let part = PlacesOfThread {
            across: each,
            down: rows,
            x: format!("(int)(threadIdx.x % {width}) * {each}"),
            y: format!("(int)(threadIdx.x / {width}) * {rows}"),
        };
        Tile { across, width: each as usize * width, reach: [reach(0), reach(1), reach(2)], part }
    }
}

impl Watched {
    /// Prints the kernel that takes the tiles of a list, for a kernel of one tile.
    pub fn print(&mut self, tile: &Tile, grid: &RowGrid, entry: &mut Entry, arguments: &[String], names: &mut Namer) {
        let Tile { across, width, reach, ref part } = *tile;
        let tiles = across as u64 * (grid.rows() as u64).div_ceil(u64::from(entry.together));
        entry.tiles = number_of_tiles(tiles);
        let of_tile = entry.name.clone();
        entry.name = names.name(&format!("{of_tile}_of_list"));
        self.text = render(
            WATCHED,
            context! {
                watch => watch(tiles),
                across,
                width,
                height => entry.together,
                reach => reach.to_vec(),
                of_thread => context! { across => part.across, down => part.down, x => part.x.clone(), y => part.y.clone() },
                threads => THREADS,
                name => entry.name.clone(),
                of_tile,
                arguments => arguments.to_vec(),
                names => arguments.iter().map(|argument| name_of_argument(argument)).collect::<Vec<_>>(),
            },
        );
    }
}

impl Writer<'_> {
    /// Loads what stands where the rows of a thread will store, all before anything is stored, so that it is waited for once.
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
