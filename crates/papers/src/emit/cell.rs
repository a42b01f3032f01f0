//! The code of a kernel of a single cell. The program around it says where cells stand and how neighbours are found ([`NeighbourAccess`]), and learns what
//! the code needs of it ([`Needs`]).

use squeeze_compiler::emit::cuda::{
    CellPlacement, Corner, Namer, Printer, RandomClass, StateNames, UsedFunctions, c_type, literal, parameter,
};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Axes, Value};
use squeeze_compiler::kernel::{Direction, Kernel, LaneType, Op, Variable};
use squeeze_compiler::passes::Ready;
use std::collections::{BTreeMap, BTreeSet};

/// Names of axes in code.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// How neighbours within reach are found; all others are looked for one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NeighbourAccess {
    /// In tiles of shared memory, which are zero where there is no cell.
    Tiles,
    /// In the expanded memory itself, which is zero at holes and ends at the border.
    Expanded,
}

/// Where code runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    /// How neighbours within reach are found.
    pub memory: NeighbourAccess,
    /// How far one can reach, in cells along an axis.
    pub reach: u32,
    /// The fractal at its level.
    pub domain: &'a Domain,
}

/// The inputs that code needs from its surroundings.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
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
pub(super) struct Names {
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
    pub(super) fn of(kernel: &Kernel, mut namer: Namer) -> Vec<Names> {
        let now: Vec<String> = kernel.states.iter().map(|state| namer.name(&state.name)).collect();
        let mut derived = |(now, state): (String, &Variable)| {
            let (next, tile) = (namer.name(&format!("next_{now}")), namer.name(&format!("tile_{now}")));
            Names { now, next, tile, ty: c_type(state.planes.ty(), false) }
        };
        now.into_iter().zip(&kernel.states).map(&mut derived).collect()
    }
}

/// Prints the code of a kernel, with names that are left of `names`, and tells its needs.
pub(super) fn print(
    kernel: &Ready,
    surroundings: Surroundings<'_>,
    states: &[Names],
    used: &mut UsedFunctions,
    mut names: Namer,
) -> (Vec<String>, Needs) {
    for Names { now, next, tile, .. } in states {
        [now, next, tile].into_iter().for_each(|name| _ = names.name(name));
    }
    let cells = BlockCells {
        surroundings,
        tiles: states.iter().map(|names| names.tile.as_str()).collect(),
        presences: BTreeMap::new(),
        known: BTreeSet::new(),
        found: BTreeMap::new(),
        needs: Needs::default(),
    };
    let states = states.iter().map(|names| StateNames { old: names.now.clone(), new: names.next.clone() }).collect();
    let mut code = CellPrinter::of_cell(kernel, states, used, names, cells);
    let presences = kernel.nodes.iter().zip(&code.values).filter_map(|(node, name)| match node.op {
        Op::Presence(direction) => Some((direction, name.clone())),
        _ => None,
    });
    code.cells.presences = presences.collect();
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
    surroundings: Surroundings<'a>,
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

impl<'a> BlockCells<'a> {
    /// `const TYPE NAME = EXPRESSION;`
    fn define(printer: &mut CellPrinter<'a>, ty: &str, name: &str, expression: &str) {
        printer.lines.push(format!("const {ty} {name} = {expression};"));
    }

    /// Prints whether there is a cell in a direction, if that is not known by now.
    fn existence(printer: &mut CellPrinter<'a>, direction: Direction) {
        if printer.cells.known.insert(direction) {
            let exists = Self::presence(printer, direction);
            let name = printer.cells.presences[&direction].clone();
            Self::define(printer, "bool", &name, &exists);
        }
    }

    /// A state's value in a direction, zero where there is no cell.
    fn load(printer: &mut CellPrinter<'a>, state: u16, direction: Direction) -> String {
        printer.cells.needs.reads.insert(state);
        let now = printer.states[usize::from(state)].old.clone();
        let zero = literal(Value::zero(printer.kernel.states[usize::from(state)].planes.ty().scalar()));
        if direction == Direction::CENTRE {
            return format!("{now}[own]");
        }
        if !printer.cells.is_near(direction) {
            let found = Self::find(printer, direction);
            return format!("{found} != HOLE ? {now}[{found}] : {zero}");
        }
        if printer.cells.surroundings.memory == NeighbourAccess::Tiles {
            printer.cells.needs.tiles.insert(state);
            let tile = printer.cells.tiles[usize::from(state)];
            return format!("{tile}[{}]", displaced("centre", direction, ["", "TILE", "TILE * TILE"]));
        }
        let there = displaced("own", direction, ["", "ROW", "LAYER"]);
        let exists = match printer.cells.presences.get(&direction).cloned() {
            Some(exists) => {
                Self::existence(printer, direction);
                exists
            }
            None => printer.cells.is_inside(direction),
        };
        format!("{exists} ? {now}[{there}] : {zero}")
    }

    fn is_near(&self, direction: Direction) -> bool {
        direction.0.iter().all(|v| v.unsigned_abs() <= self.surroundings.reach)
    }

    /// Whether a place lies inside of the grid. Coordinates have no sign: a place before the border is one far behind it.
    fn is_inside(&mut self, direction: Direction) -> String {
        self.needs.point = true;
        let axes = AXES.iter().zip(direction.0).filter(|(_, offset)| *offset != 0);
        axes.map(|(axis, offset)| format!("{} < CELL_SIDE", moved(axis, offset))).collect::<Vec<_>>().join(" && ")
    }

    /// The name of the place in memory of a cell that is far away.
    fn find(printer: &mut CellPrinter<'a>, direction: Direction) -> String {
        if let Some(found) = printer.cells.found.get(&direction) {
            return found.clone();
        }
        printer.cells.needs.point = true;
        let domain = printer.cells.surroundings.domain;
        let point =
            AXES[..domain.fractal().dimension.axes()].iter().zip(direction.0).map(|(axis, offset)| moved(axis, offset));
        let point = point.collect::<Vec<_>>().join(", ");
        let name = printer.names.name(&format!("found_{direction}"));
        Self::define(printer, "u64", &name, &format!("place_of({point})"));
        printer.cells.found.insert(direction, name.clone());
        printer.cells.needs.far += 1;
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

/// A coordinate plus a distance.
fn moved(coordinate: &str, distance: i32) -> String {
    displaced(coordinate, Direction([distance, 0, 0]), [""; 3])
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

impl<'a> CellPlacement<'a> for BlockCells<'a> {
    fn prints(printer: &mut CellPrinter<'a>, place: usize) -> bool {
        let node = &printer.kernel.nodes[place];
        let ty = node.ty.unwrap_or(LaneType::Bits);
        let expression = if let Some(load) = node.op.load() {
            Self::load(printer, load.state, load.direction)
        } else if let Some(direction) = node.op.direction() {
            Self::existence(printer, direction);
            return true;
        } else if let Op::Count(_) = &node.op {
            broken(&printer.expression(&node.op, ty))
        } else {
            return false;
        };
        let name = printer.values[place].clone();
        Self::define(printer, c_type(ty, false), &name, &expression);
        true
    }

    fn store(printer: &mut CellPrinter<'a>, state: usize, _: u8, _: u32, value: &str) -> String {
        format!("{}[own] = {value};", printer.states[state].new)
    }

    fn presence(printer: &mut CellPrinter<'a>, direction: Direction) -> String {
        if printer.cells.is_near(direction) {
            printer.cells.needs.there = true;
            return format!("there[{}]", displaced("centre", direction, ["", "TILE", "TILE * TILE"]));
        }
        format!("{} != HOLE", Self::find(printer, direction))
    }

    /// A cell is a superblock in the only lane.
    fn corner(printer: &mut CellPrinter<'a>, of: Corner, axis: u8) -> String {
        match of {
            Corner::Lane => "0".to_owned(),
            Corner::Superblock => {
                printer.cells.needs.point = true;
                format!("(int){}", AXES[usize::from(axis)])
            }
        }
    }

    fn odd_corner(printer: &mut CellPrinter<'a>, axes: Axes) -> String {
        let axes = (0..3u8).filter(|axis| axes.0[usize::from(*axis)]);
        let corners = axes.flat_map(|axis| [(Corner::Lane, axis), (Corner::Superblock, axis)]);
        let corners: Vec<String> = corners.map(|(of, axis)| Self::corner(printer, of, axis)).collect();
        format!("({}) & 1", corners.join(" + "))
    }

    fn parameter(_: &mut CellPrinter<'a>, param: u16, _: u8, ty: LaneType) -> String {
        parameter(&format!("world.params[{param}]"), ty)
    }

    fn level(printer: &CellPrinter<'a>) -> String {
        printer.cells.surroundings.domain.level().to_string()
    }

    fn side(printer: &CellPrinter<'a>) -> String {
        printer.cells.surroundings.domain.side().to_string()
    }

    fn time(_: &CellPrinter<'a>) -> &'static str {
        "world.time"
    }

    fn random(printer: &mut CellPrinter<'a>, draw: u32, _: u32) -> String {
        printer.cells.needs.canonical = true;
        printer.used.word_of_cell(
            printer.cells.surroundings.domain,
            ["world.seed", "canonical_index", "world.time"],
            draw,
        )
    }

    fn drawn_by(printer: &mut CellPrinter<'a>, _: u32) -> [String; 2] {
        let cell = printer.used.number_of_cell(printer.cells.surroundings.domain, "canonical_index");
        ["world.seed".to_owned(), cell]
    }

    fn parameters(_: &CellPrinter<'a>) -> &'static str {
        "world.params"
    }

    fn random_bits(_: &mut CellPrinter<'a>, _: u32, _: u32, _: &[RandomClass]) -> String {
        unreachable!("a thread has one cell, whose word it compares")
    }
}
