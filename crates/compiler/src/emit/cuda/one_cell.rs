//! Kernels of a single cell ([`compile_cell`](crate::pipeline::compile_cell)) as CUDA C, for programs whose skeletons others have. They say where cells
//! stand and how neighbours are found ([`NeighbourAccess`]), and learn what the code needs of them ([`Needs`]).

use super::expression::{Corner, RandomClass};
use super::helpers::Helper;
use super::literal::literal;
pub use super::names::Namer;
use super::operations;
pub use super::operations::UsedFunctions;
use super::printer::{CellPlacement, Printer, StateNames, texts_of_nodes};
use super::totals::Taken;
use super::words::{c_type, moved};
use crate::geometry::Domain;
use crate::ir::Axes;
use crate::kernel::{Direction, Kernel, LaneType, Op, Variable};
use crate::numbers::value::Value;
use crate::passes::Ready;
use crate::target::warps::Takes;
use std::collections::{BTreeMap, BTreeSet};

/// Names of axes in code.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// How neighbours within reach are found; all others are looked for one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighbourAccess {
    /// In tiles of shared memory, which are zero where there is no cell.
    Tiles,
    /// In the expanded memory itself, which is zero at holes and ends at the border.
    Expanded,
}

/// Where code runs.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// How neighbours within reach are found.
    pub memory: NeighbourAccess,
    /// How far one can reach, in cells along an axis.
    pub reach: u32,
    /// The axes of the fractal.
    pub axes: usize,
    /// Its level.
    pub level: u32,
    /// Its side.
    pub side: u64,
}

/// The inputs that code needs from its surroundings.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// States that are read in tiles.
    pub tiles: BTreeSet<u16>,
    /// Whether near neighbours exist.
    pub there: bool,
    /// The cell's canonical index.
    pub canonical: bool,
    /// The cell's coordinates.
    pub point: bool,
    /// States that are read at all.
    pub reads: BTreeSet<u16>,
    /// How many neighbours are looked for one by one.
    pub far: usize,
}

/// The names of a state's memory.
#[derive(Clone, Debug)]
pub struct Names {
    /// The array that is read.
    pub now: String,
    /// The array that is written.
    pub next: String,
    /// The copy in shared memory.
    pub tile: String,
    /// The type of its values.
    pub ty: &'static str,
}

impl Names {
    /// Of all states of a kernel, from names that are left.
    pub fn of(kernel: &Kernel, mut namer: Namer) -> Vec<Names> {
        let now: Vec<String> = kernel.states.iter().map(|state| namer.name(&state.name)).collect();
        let mut derived = |(now, state): (String, &Variable)| {
            let (next, tile) = (namer.name(&format!("next_{now}")), namer.name(&format!("tile_{now}")));
            Names { now, next, tile, ty: c_type(state.planes.ty(), false) }
        };
        now.into_iter().zip(&kernel.states).map(&mut derived).collect()
    }
}

impl UsedFunctions {
    /// Nothing yet, of kernels on a domain.
    pub fn on(domain: &Domain) -> UsedFunctions {
        UsedFunctions { reversed_levels: domain.replicas().collect(), ..UsedFunctions::default() }
    }
}

/// Prints the code of a kernel, with names that are left of `names`, and tells its needs.
pub fn print(
    kernel: &Ready,
    surroundings: Surroundings,
    states: &[Names],
    used: &mut UsedFunctions,
    mut names: Namer,
) -> (Vec<String>, Needs) {
    for Names { now, next, tile, .. } in states {
        [now, next, tile].into_iter().for_each(|name| _ = names.name(name));
    }
    let values = texts_of_nodes(kernel, Takes::Lane, |node| names.name(&node.name));
    let presences = kernel.nodes.iter().zip(&values).filter_map(|(node, name)| match node.op {
        Op::Presence(direction) => Some((direction, name.clone())),
        _ => None,
    });
    let cells = BlockCells {
        surroundings,
        tiles: states.iter().map(|names| names.tile.as_str()).collect(),
        presences: presences.collect(),
        known: BTreeSet::new(),
        found: BTreeMap::new(),
        needs: Needs::default(),
    };
    let states = states.iter().map(|names| StateNames { old: names.now.clone(), new: names.next.clone() }).collect();
    let mut code = CellPrinter {
        kernel,
        interface: kernel.interface(),
        takes: Takes::Lane,
        compares: false,
        adding: None,
        used,
        values,
        states,
        names,
        lines: Vec::new(),
        cells,
    };
    // Stores come last, so that no load waits for them.
    let stores = |place: &usize| matches!(kernel.nodes[*place].op, Op::Store { .. });
    let all = || 0..kernel.nodes.len();
    all().filter(|place| !stores(place)).for_each(|place| code.node(place));
    all().filter(stores).for_each(|place| code.node(place));
    (code.lines, code.cells.needs)
}

/// A kernel that is being printed for a cell.
type CellPrinter<'a> = Printer<'a, BlockCells<'a>>;

/// Cells that stand in blocks.
struct BlockCells<'a> {
    surroundings: Surroundings,
    /// The names of the copies of states in shared memory.
    tiles: Vec<&'a str>,
    /// Of the directions of which the kernel asks whether there is a cell, the answers' names.
    presences: BTreeMap<Direction, String>,
    /// The directions of these whose answers are printed already.
    known: BTreeSet<Direction>,
    /// Of the directions beyond reach, the names of the places there.
    found: BTreeMap<Direction, String>,
    needs: Needs,
}

/// Columns of a line of code, where a sum may begin in it, and how far its further lines are indented.
const LINE: usize = 120;
const COLUMN: usize = 28;
const INDENT: &str = "            ";

impl CellPrinter<'_> {
    /// `const TYPE NAME = EXPRESSION;`
    fn define(&mut self, ty: &str, name: &str, expression: &str) {
        self.lines.push(format!("const {ty} {name} = {expression};"));
    }

    /// Prints whether there is a cell in a direction, if that is not known by now.
    fn existence(&mut self, direction: Direction) {
        if self.cells.known.insert(direction) {
            let exists = self.presence(direction);
            let name = self.cells.presences[&direction].clone();
            self.define("bool", &name, &exists);
        }
    }

    /// A state's value in a direction, zero where there is no cell.
    fn load(&mut self, state: u16, direction: Direction) -> String {
        self.cells.needs.reads.insert(state);
        let now = self.states[usize::from(state)].old.clone();
        let zero = literal(Value::zero(self.kernel.states[usize::from(state)].planes.ty().scalar()));
        if direction == Direction::CENTRE {
            return format!("{now}[own]");
        }
        if !self.is_near(direction) {
            let found = self.find(direction);
            return format!("{found} != HOLE ? {now}[{found}] : {zero}");
        }
        if self.cells.surroundings.memory == NeighbourAccess::Tiles {
            self.cells.needs.tiles.insert(state);
            let tile = self.cells.tiles[usize::from(state)];
            return format!("{tile}[{}]", displaced("centre", direction, ["", "TILE", "TILE * TILE"]));
        }
        let there = displaced("own", direction, ["", "ROW", "LAYER"]);
        let exists = match self.cells.presences.get(&direction).cloned() {
            Some(exists) => {
                self.existence(direction);
                exists
            }
            None => self.is_inside(direction),
        };
        format!("{exists} ? {now}[{there}] : {zero}")
    }

    fn is_near(&self, direction: Direction) -> bool {
        direction.0.iter().all(|v| v.unsigned_abs() <= self.cells.surroundings.reach)
    }

    /// Whether a place lies inside of the grid. Coordinates have no sign: a place before the border is one far behind it.
    fn is_inside(&mut self, direction: Direction) -> String {
        self.cells.needs.point = true;
        let axes = AXES.iter().zip(direction.0).filter(|(_, offset)| *offset != 0);
        axes.map(|(axis, offset)| format!("{} < CELL_SIDE", moved(axis, offset))).collect::<Vec<_>>().join(" && ")
    }

    /// The name of the place in memory of a cell that is far away.
    fn find(&mut self, direction: Direction) -> String {
        if let Some(found) = self.cells.found.get(&direction) {
            return found.clone();
        }
        self.cells.needs.point = true;
        let point =
            AXES[..self.cells.surroundings.axes].iter().zip(direction.0).map(|(axis, offset)| moved(axis, offset));
        let point = point.collect::<Vec<_>>().join(", ");
        let name = self.names.name(&format!("found_{direction}"));
        self.define("u64", &name, &format!("place_of({point})"));
        self.cells.found.insert(direction, name.clone());
        self.cells.needs.far += 1;
        name
    }
}

/// A sum on as many lines as it needs.
fn broken(sum: &str) -> String {
    let (mut text, mut column) = (String::new(), COLUMN);
    for term in sum.split_inclusive(" + ") {
        if column + term.len() > LINE {
            text = format!("{}\n{INDENT}+ ", text.trim_end_matches(" + "));
            column = INDENT.len() + 2;
        }
        text.push_str(term);
        column += term.len();
    }
    text
}

/// `centre - TILE + 2`: the place reached from `from` by the direction's steps of these sizes along the axes.
fn displaced(from: &str, direction: Direction, sizes: [&str; 3]) -> String {
    let mut text = from.to_owned();
    for (offset, size) in direction.0.into_iter().zip(sizes).rev().filter(|(offset, _)| *offset != 0) {
        let step = match (offset.unsigned_abs(), size) {
            (distance, "") => distance.to_string(),
            (1, size) => size.to_owned(),
            (distance, size) => format!("{distance} * {size}"),
        };
        text.push_str(&format!(" {} {step}", if offset < 0 { '-' } else { '+' }));
    }
    text
}

impl CellPlacement for CellPrinter<'_> {
    fn prints(&mut self, place: usize) -> bool {
        let node = &self.kernel.nodes[place];
        let ty = node.ty.unwrap_or(LaneType::Bits);
        let expression = if let Some(load) = node.op.load() {
            self.load(load.state, load.direction)
        } else if let Some(direction) = node.op.direction() {
            self.existence(direction);
            return true;
        } else if let Op::Count(_) = &node.op {
            broken(&self.expression(&node.op, ty))
        } else {
            return false;
        };
        let name = self.values[place].clone();
        self.define(c_type(ty, false), &name, &expression);
        true
    }

    fn store(&mut self, state: usize, _: u8, _: u32, value: &str) -> String {
        format!("{}[own] = {value};", self.states[state].new)
    }

    fn taken(&self) -> Taken {
        Taken { bitwise: false, there: None }
    }

    fn presence(&mut self, direction: Direction) -> String {
        if self.is_near(direction) {
            self.cells.needs.there = true;
            return format!("there[{}]", displaced("centre", direction, ["", "TILE", "TILE * TILE"]));
        }
        format!("{} != HOLE", self.find(direction))
    }

    /// A cell is a superblock in the only lane.
    fn corner(&mut self, of: Corner, axis: u8) -> String {
        match of {
            Corner::Lane => "0".to_owned(),
            Corner::Superblock => {
                self.cells.needs.point = true;
                format!("(int){}", AXES[usize::from(axis)])
            }
        }
    }

    fn odd_corner(&mut self, axes: Axes) -> String {
        let axes = (0..3u8).filter(|axis| axes.0[usize::from(*axis)]);
        let corners = axes.flat_map(|axis| [(Corner::Lane, axis), (Corner::Superblock, axis)]);
        let corners: Vec<String> = corners.map(|(of, axis)| self.corner(of, axis)).collect();
        format!("({}) & 1", corners.join(" + "))
    }

    fn parameter(&mut self, param: u16, _: u8, ty: LaneType) -> String {
        operations::parameter(&format!("world.params[{param}]"), ty)
    }

    fn level(&self) -> String {
        self.cells.surroundings.level.to_string()
    }

    fn side(&self) -> String {
        self.cells.surroundings.side.to_string()
    }

    fn time(&self) -> &'static str {
        "world.time"
    }

    fn random(&mut self, draw: u32, _: u32) -> String {
        self.cells.needs.canonical = true;
        let reversed = self.used.helper(Helper::Reversed);
        let word = self.used.helper(Helper::RandomWord);
        format!("{word}(world.seed, {reversed}(canonical_index), world.time, {draw})")
    }

    fn random_bits(&mut self, _: u32, _: u32, _: &[RandomClass]) -> String {
        unreachable!("a thread has one cell, whose word it compares")
    }
}
