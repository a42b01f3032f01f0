//! The kernel of one cell as CUDA C: the same for all strategies of the papers, but for what reads memory ([`Memory`]).

use super::scalar::AXES;
use crate::emit::cuda::expression::{Corner, Nodes, RandomClass, expression};
use crate::emit::cuda::helpers::Helper;
use crate::emit::cuda::literal::literal;
use crate::emit::cuda::names::Namer;
use crate::emit::cuda::operations::{self, Used, c_type};
use crate::kernel::{Direction, Kernel, LaneType, Node, Op, ValueId, arithmetic, logic};
use crate::numbers::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How neighbours within reach are found; all others are looked for one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// In tiles of shared memory, which are zero where there is no cell.
    Tiles,
    /// In the expanded memory itself, which is zero at holes and ends at the border.
    Expanded,
}

/// Where code runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    pub memory: Memory,
    /// How far one can reach, in cells along an axis.
    pub reach: u32,
    pub axes: usize,
    pub level: u32,
    pub side: u64,
}

/// What code asks of its surroundings.
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
    /// What is read.
    pub now: String,
    /// What is written.
    pub next: String,
    /// The copy in shared memory.
    pub tile: String,
}

impl Names {
    /// Of all states of a kernel.
    pub fn of(kernel: &Kernel) -> Vec<Names> {
        let mut namer = Namer::in_grids();
        let now: Vec<String> = kernel.states.iter().map(|state| namer.name(&state.name)).collect();
        let mut derived = |now: String| {
            let (next, tile) = (namer.name(&format!("next_{now}")), namer.name(&format!("tile_{now}")));
            Names { now, next, tile }
        };
        now.into_iter().map(&mut derived).collect()
    }
}

/// Prints the code of a kernel; also tells what it needs.
pub(super) fn print(
    kernel: &Kernel,
    surroundings: Surroundings,
    states: &[Names],
    used: &mut Used,
) -> (Vec<String>, Needs) {
    let mut names = Namer::in_grids();
    for Names { now, next, tile } in states {
        [now, next, tile].into_iter().for_each(|name| _ = names.name(name));
    }
    let value = |node: &Node| match &node.op {
        Op::Const(value) => literal(*value),
        Op::Store { .. } => String::new(),
        _ => names.name(&node.name),
    };
    let values: Vec<String> = kernel.nodes.iter().map(value).collect();
    let presences = kernel.nodes.iter().zip(&values).filter_map(|(node, name)| match node.op {
        Op::Presence(direction) => Some((direction, name.clone())),
        _ => None,
    });
    let presences = presences.collect();
    let mut code = Code {
        kernel,
        surroundings,
        used,
        names,
        states,
        values,
        presences,
        known: BTreeSet::new(),
        found: BTreeMap::new(),
        lines: Vec::new(),
        needs: Needs::default(),
    };
    // What is stored comes last, so that nothing that is read waits for it.
    let stores = |node: &&Node| matches!(node.op, Op::Store { .. });
    for (node, place) in kernel.nodes.iter().zip(0..).filter(|(node, _)| !stores(node)) {
        code.node(ValueId(place), &node.op);
    }
    for node in kernel.nodes.iter().filter(stores) {
        code.store(&node.op);
    }
    (code.lines, code.needs)
}

/// A kernel that is being printed.
struct Code<'a> {
    kernel: &'a Kernel,
    surroundings: Surroundings,
    used: &'a mut Used,
    names: Namer,
    states: &'a [Names],
    /// What stands for each node.
    values: Vec<String>,
    /// Of the directions of which the kernel asks whether there is a cell, the answers' names.
    presences: BTreeMap<Direction, String>,
    /// Those that are printed.
    known: BTreeSet<Direction>,
    /// Of the directions beyond reach, the names of the places there.
    found: BTreeMap<Direction, String>,
    lines: Vec<String>,
    needs: Needs,
}

/// Columns of a line of code, where a sum may begin in it, and how far its further lines are indented.
const LINE: usize = 120;
const COLUMN: usize = 28;
const INDENT: &str = "            ";

impl Code<'_> {
    /// `const TYPE NAME = EXPRESSION;`
    fn define(&mut self, ty: &str, name: &str, expression: &str) {
        self.lines.push(format!("const {ty} {name} = {expression};"));
    }

    fn node(&mut self, id: ValueId, op: &Op) {
        let ty = self.ty(id);
        let expression = match op {
            Op::Const(_) => return,
            Op::Presence(direction) => return self.existence(*direction),
            Op::Load { state, direction, .. } => self.load(*state, *direction),
            Op::LaneCorner(_) | Op::SuperblockCorner(_) | Op::OddCorner(_) | Op::Param { .. } => {
                expression(self, op, ty)
            }
            Op::Level | Op::Side | Op::Time { .. } | Op::Random { .. } | Op::RandomBit { .. } | logic!() => {
                expression(self, op, ty)
            }
            arithmetic!() if matches!(op, Op::Count(_)) => broken(&expression(self, op, ty)),
            arithmetic!() => expression(self, op, ty),
            Op::Store { .. } => unreachable!("printed after everything else"),
        };
        let name = self.values[id.0 as usize].clone();
        self.define(c_type(ty, false), &name, &expression);
    }

    /// Prints whether there is a cell in a direction, if that is not known by now.
    fn existence(&mut self, direction: Direction) {
        if self.known.insert(direction) {
            let exists = self.presence(direction);
            let name = self.presences[&direction].clone();
            self.define("bool", &name, &exists);
        }
    }

    /// A state's value in a direction, zero where there is no cell.
    fn load(&mut self, state: u16, direction: Direction) -> String {
        self.needs.reads.insert(state);
        let Names { now, tile, .. } = &self.states[usize::from(state)];
        let zero = literal(Value::zero(self.kernel.states[usize::from(state)].planes.ty().scalar()));
        if direction == Direction::CENTRE {
            return format!("{now}[own]");
        }
        if !self.is_near(direction) {
            let found = self.find(direction);
            return format!("{found} != HOLE ? {now}[{found}] : {zero}");
        }
        if self.surroundings.memory == Memory::Tiles {
            self.needs.tiles.insert(state);
            return format!("{tile}[{}]", displaced("centre", direction, ["", "TILE", "TILE * TILE"]));
        }
        let there = displaced("own", direction, ["", "ROW", "LAYER"]);
        let exists = match self.presences.get(&direction).cloned() {
            Some(exists) => {
                self.existence(direction);
                exists
            }
            None => self.is_inside(direction),
        };
        format!("{exists} ? {now}[{there}] : {zero}")
    }

    fn is_near(&self, direction: Direction) -> bool {
        direction.0.iter().all(|v| v.unsigned_abs() <= self.surroundings.reach)
    }

    /// Whether a place lies inside of the grid. Coordinates have no sign: what lies before the border lies far behind it.
    fn is_inside(&mut self, direction: Direction) -> String {
        self.needs.point = true;
        let axes = AXES.iter().zip(direction.0).filter(|(_, offset)| *offset != 0);
        axes.map(|(axis, offset)| format!("{} < CELL_SIDE", moved(axis, offset))).collect::<Vec<_>>().join(" && ")
    }

    /// The name of the place in memory of a cell that is far away.
    fn find(&mut self, direction: Direction) -> String {
        if let Some(found) = self.found.get(&direction) {
            return found.clone();
        }
        self.needs.point = true;
        let point = AXES[..self.surroundings.axes].iter().zip(direction.0).map(|(axis, offset)| moved(axis, offset));
        let point = point.collect::<Vec<_>>().join(", ");
        let name = self.names.name(&format!("found_{direction}"));
        self.define("u64", &name, &format!("place_of({point})"));
        self.found.insert(direction, name.clone());
        self.needs.far += 1;
        name
    }

    fn store(&mut self, op: &Op) {
        let Op::Store { state, value, .. } = *op else { unreachable!("asked of stores only") };
        self.lines.push(format!("{}[own] = {};", self.states[usize::from(state)].next, self.value(value)));
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

/// `x + 2`
fn moved(axis: &str, offset: i32) -> String {
    match offset {
        0 => axis.to_owned(),
        v if v < 0 => format!("{axis} - {}", v.unsigned_abs()),
        v => format!("{axis} + {v}"),
    }
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

impl Nodes for Code<'_> {
    fn value(&self, id: ValueId) -> &str {
        &self.values[id.0 as usize]
    }

    fn ty(&self, id: ValueId) -> LaneType {
        self.kernel.node(id).ty.unwrap_or(LaneType::Bits)
    }

    fn op(&self, id: ValueId) -> &Op {
        &self.kernel.node(id).op
    }

    fn bitwise(&self) -> bool {
        false
    }

    fn used(&mut self) -> &mut Used {
        self.used
    }

    fn presence(&mut self, direction: Direction) -> String {
        if self.is_near(direction) {
            self.needs.there = true;
            return format!("there[{}]", displaced("centre", direction, ["", "TILE", "TILE * TILE"]));
        }
        format!("{} != HOLE", self.find(direction))
    }

    /// A cell is a superblock in the only lane.
    fn corner(&mut self, of: Corner, axis: u8) -> String {
        match of {
            Corner::Lane => "0".to_owned(),
            Corner::Superblock => {
                self.needs.point = true;
                format!("(int){}", AXES[usize::from(axis)])
            }
        }
    }

    fn parameter(&mut self, param: u16, _: u8, ty: LaneType) -> String {
        operations::parameter(&format!("world.params[{param}]"), ty)
    }

    fn level(&self) -> String {
        self.surroundings.level.to_string()
    }

    fn side(&self) -> String {
        self.surroundings.side.to_string()
    }

    fn time(&self) -> String {
        "world.time".to_owned()
    }

    fn random(&mut self, draw: u32, _: u32) -> String {
        self.needs.canonical = true;
        let reversed = self.used.helper(Helper::Reversed);
        let word = self.used.helper(Helper::RandomWord);
        format!("{word}(world.seed, {reversed}(canonical_index), world.time, {draw})")
    }

    fn random_bits(&mut self, _: u32, _: u32, _: &[RandomClass]) -> String {
        unreachable!("a thread has one cell, whose word it compares")
    }
}
