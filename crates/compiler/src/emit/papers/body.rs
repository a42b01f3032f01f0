//! A rule's code for one cell as scalar CUDA C: the one place for all strategies of the papers.
//!
//! What reads memory depends on where the code runs ([`Place`]); everything else is the same.

use super::scalar::AXES;
use super::vanish::vanishes;
use crate::emit::cuda::helpers::Helper;
use crate::emit::cuda::literal::literal;
use crate::emit::cuda::names::Namer;
use crate::emit::cuda::operations::{self, Used, c_type, comparison, unary};
use crate::ir::kernel::LaneType;
use crate::ir::rule::{Aggregate, AggregateKind, BinaryOp, Body, NodeId, Op, Rule, StateId};
use crate::ir::value::{Type, Value};

/// How neighbours within some reach are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Near {
    /// In tiles of shared memory.
    Tile,
    /// In the expanded memory itself.
    Direct,
    /// Not at all: each is looked for as if it were far.
    Nowhere,
}

/// Where code runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub near: Near,
    /// How far near ones are.
    pub reach: u32,
    pub axes: usize,
    pub level: u32,
    pub side: u64,
}

/// What code asks of its surroundings.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    /// States that are read in tiles.
    pub tiles: Vec<StateId>,
    /// Whether near neighbours exist.
    pub there: bool,
    /// Where any place is kept.
    pub find: bool,
    /// The cell's canonical index.
    pub canonical: bool,
    /// The cell's coordinates.
    pub point: bool,
    /// States that are read at all.
    pub reads: Vec<StateId>,
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
    /// Of all states of a rule.
    pub fn of(rule: &Rule) -> Vec<Names> {
        let mut namer = Namer::in_grids();
        let now: Vec<String> = rule.states.iter().map(|state| namer.name(&state.name)).collect();
        let mut derived = |now: String| {
            let (next, tile) = (namer.name(&format!("next_{now}")), namer.name(&format!("tile_{now}")));
            Names { now, next, tile }
        };
        now.into_iter().map(&mut derived).collect()
    }
}

/// The type of a value in registers and in memory.
pub(super) fn ty_of(ty: Type) -> LaneType {
    LaneType::of(ty).unwrap_or(LaneType::U8)
}

/// A body that is being printed.
pub(super) struct Code<'a> {
    rule: &'a Rule,
    body: &'a Body,
    place: Place,
    used: &'a mut Used,
    names: Namer,
    /// The memory of each state.
    states: &'a [Names],
    values: Vec<String>,
    pub lines: Vec<String>,
    pub needs: Needs,
    indent: usize,
}

impl<'a> Code<'a> {
    pub fn new(rule: &'a Rule, body: &'a Body, place: Place, states: &'a [Names], used: &'a mut Used) -> Self {
        let mut names = Namer::in_grids();
        for Names { now, next, tile } in states {
            [now, next, tile].into_iter().for_each(|name| _ = names.name(name));
        }
        let values = vec![String::new(); body.nodes.len()];
        Code { rule, body, place, used, names, states, values, lines: Vec::new(), needs: Needs::default(), indent: 0 }
    }

    /// Prints what the wanted nodes need.
    pub fn print(&mut self, wanted: &[NodeId]) {
        let mut needed = vec![false; self.body.nodes.len()];
        wanted.iter().for_each(|id| needed[id.0 as usize] = true);
        for index in (0..needed.len()).rev() {
            if needed[index] {
                self.body.nodes[index].op.clone().visit_operands(|id| needed[id.0 as usize] = true);
            }
        }
        for id in self.body.cell_nodes() {
            if needed[id.0 as usize] {
                self.node(id, &needed);
            }
        }
    }

    pub fn value(&self, id: NodeId) -> &str {
        &self.values[id.0 as usize]
    }

    /// The cell's own value of a state.
    pub fn own(&mut self, state: StateId) -> String {
        add(&mut self.needs.reads, state);
        format!("{}[own]", self.states[usize::from(state.0)].now)
    }

    fn line(&mut self, text: &str) {
        self.lines.push(format!("{}{text}", "    ".repeat(self.indent)));
    }

    fn node(&mut self, id: NodeId, needed: &[bool]) {
        let node = self.body.node(id);
        if let Op::Const(value) = node.op {
            self.values[id.0 as usize] = literal(value);
            return;
        }
        let ty = ty_of(node.ty);
        let name = self.names.name(&self.stem(&node.op));
        if let Op::Aggregate(aggregate) = &node.op {
            self.aggregate(aggregate, ty, &name, needed);
        } else {
            let expression = self.expression(&node.op, ty);
            self.line(&format!("const {} {name} = {expression};", c_type(ty, false)));
        }
        self.values[id.0 as usize] = name;
    }

    fn stem(&self, op: &Op) -> String {
        let state = |state: &StateId| &self.rule.state(*state).name;
        match op {
            Op::State(id) => format!("own_{}", state(id)),
            Op::Neighbour(id) => format!("nb_{}", state(id)),
            Op::Read { state: id, .. } => format!("read_{}", state(id)),
            Op::Param(param) => self.rule.params[usize::from(*param)].name.clone(),
            Op::Aggregate(aggregate) => match aggregate.kind {
                AggregateKind::Sum => "sum",
                AggregateKind::Count => "count",
                AggregateKind::Any => "any",
                AggregateKind::All => "all",
                AggregateKind::Min => "lowest",
                AggregateKind::Max => "highest",
            }
            .to_owned(),
            Op::Compare(..) => "test".to_owned(),
            Op::Select { .. } => "choice".to_owned(),
            Op::RandomBits { .. } | Op::RandomUniform { .. } | Op::RandomBit { .. } => "draw".to_owned(),
            _ => "value".to_owned(),
        }
    }

    fn expression(&mut self, op: &Op, ty: LaneType) -> String {
        let v = |code: &Self, id: &NodeId| code.value(*id).to_owned();
        let wide = ty == LaneType::F64;
        match op {
            Op::Const(value) => literal(*value),
            Op::Param(param) => operations::parameter(*param, ty),
            Op::State(state) => self.own(*state),
            Op::Coordinate(axis) => match AXES.get(usize::from(*axis)) {
                Some(name) if usize::from(*axis) < self.place.axes => {
                    self.needs.point = true;
                    format!("(int){name}")
                }
                _ => "0".to_owned(),
            },
            Op::Level => self.place.level.to_string(),
            Op::Side => self.place.side.to_string(),
            Op::Time => "world.time".to_owned(),
            Op::Offset(axis) if usize::from(*axis) < self.place.axes => format!("d{}", AXES[usize::from(*axis)]),
            Op::Offset(_) => "0".to_owned(),
            Op::Neighbour(_) | Op::Aggregate(_) => unreachable!("printed by the aggregate; aggregates do not nest"),
            Op::Read { state, offset, otherwise } => {
                let offsets = offset.map(|v| if v < 0 { format!("({v})") } else { v.to_string() });
                let far = offset.iter().any(|v| v.unsigned_abs() > self.place.reach);
                let (near, otherwise) = (self.near(far), v(self, otherwise));
                let exists = self.exists(near, &offsets);
                let value = self.at(*state, near, &offsets);
                format!("{exists} ? {value} : {otherwise}")
            }
            Op::Unary(op, a) if ty == LaneType::Bits => {
                debug_assert_eq!(*op, crate::ir::rule::UnaryOp::Not);
                format!("!{}", v(self, a))
            }
            Op::Unary(op, a) => unary(*op, ty, &v(self, a)),
            Op::Binary(op, a, b) => {
                let (a, b) = (v(self, a), v(self, b));
                self.used.binary(*op, ty, &a, &b)
            }
            Op::Shift { left, value, count } => operations::shift(*left, ty, &v(self, value), &v(self, count)),
            Op::Compare(op, a, b) => format!("{} {} {}", v(self, a), comparison(*op), v(self, b)),
            Op::Select { condition, then, otherwise } => {
                format!("{} ? {} : {}", v(self, condition), v(self, then), v(self, otherwise))
            }
            Op::Cast(a) if ty == LaneType::Bits => format!("{} != 0", v(self, a)),
            Op::Cast(a) => {
                let (from, a) = (ty_of(self.body.node(*a).ty), v(self, a));
                self.used.cast(Some(from), ty, &a)
            }
            Op::Math(function, a) => {
                let a = v(self, a);
                self.used.math(*function, wide, &a)
            }
            Op::Pow(a, b) => {
                let (a, b) = (v(self, a), v(self, b));
                self.used.pow(wide, &a, &b)
            }
            Op::RandomBits { draw } => self.word(*draw),
            Op::RandomUniform { draw } => format!("(float)({} >> 8) * 0x1p-24f", self.word(*draw)),
            Op::RandomBit { draw, probability } => {
                let (word, probability) = (self.word(*draw), v(self, probability));
                format!("{}({word}, {probability})", self.used.helper(Helper::Chance))
            }
        }
    }

    fn word(&mut self, draw: u32) -> String {
        self.needs.canonical = true;
        format!("{}(world.seed, canonical_index, world.time, {draw})", self.used.helper(Helper::Philox))
    }

    fn near(&self, far: bool) -> Near {
        if far { Near::Nowhere } else { self.place.near }
    }

    /// `x + dx, y + dy`, as points of the expanded grid.
    fn point(&mut self, offsets: &[String; 3]) -> String {
        self.needs.point = true;
        let axes = AXES[..self.place.axes].iter().zip(offsets);
        axes.map(|(axis, offset)| format!("{axis} + {offset}")).collect::<Vec<_>>().join(", ")
    }

    /// Whether there is a cell at an offset.
    fn exists(&mut self, near: Near, offsets: &[String; 3]) -> String {
        if near == Near::Nowhere {
            self.needs.find = true;
            return format!("place_of({}) != HOLE", self.point(offsets));
        }
        self.needs.there = true;
        format!("there[{}]", self.in_tile(offsets))
    }

    fn in_tile(&self, [x, y, z]: &[String; 3]) -> String {
        let mut text = format!("centre + {x} + {y} * TILE");
        if self.place.axes == 3 {
            text.push_str(&format!(" + {z} * (TILE * TILE)"));
        }
        text
    }

    /// The value of a state at an offset where there is a cell.
    fn at(&mut self, state: StateId, near: Near, offsets: &[String; 3]) -> String {
        add(&mut self.needs.reads, state);
        let Names { now, tile, .. } = &self.states[usize::from(state.0)];
        match near {
            Near::Nowhere => {
                self.needs.find = true;
                format!("{now}[place_of({})]", self.point(offsets))
            }
            Near::Tile => {
                add(&mut self.needs.tiles, state);
                format!("{tile}[{}]", self.in_tile(offsets))
            }
            Near::Direct => {
                let [x, y, z] = offsets;
                let deep = if self.place.axes == 3 { format!(" + {z} * LAYER") } else { String::new() };
                format!("{now}[own + {x} + {y} * ROW{deep}]")
            }
        }
    }

    fn aggregate(&mut self, aggregate: &Aggregate, ty: LaneType, name: &str, needed: &[bool]) {
        let dimension = if self.place.axes == 3 { crate::ir::Dimension::Three } else { crate::ir::Dimension::Two };
        let offsets = self.rule.neighbourhoods[usize::from(aggregate.neighbourhood)].offsets(dimension);
        let far = offsets.iter().flatten().any(|v| v.unsigned_abs() > self.place.reach);
        let (near, vanishes) = (self.near(far), vanishes(self.body, aggregate));
        let kind = c_type(ty, false);
        let extreme = matches!(aggregate.kind, AggregateKind::Min | AggregateKind::Max);
        let first = match aggregate.kind {
            AggregateKind::All => "true".to_owned(),
            AggregateKind::Any => "false".to_owned(),
            _ => match aggregate.otherwise {
                Some(otherwise) => self.value(otherwise).to_owned(),
                None => literal(Value::zero(self.body.node(aggregate.value).ty)).replace("false", "0"),
            },
        };
        self.line(&format!("{kind} {name} = {first};"));
        let any = self.names.name("some");
        if extreme {
            self.line(&format!("bool {any} = false;"));
        }
        let unroll = if offsets.len() <= 64 { "#pragma unroll" } else { "#pragma unroll 1" };
        self.lines.push(unroll.to_owned());
        self.line(&format!("for (int i = 0; i < {}; ++i) {{", offsets.len()));
        self.indent += 1;
        let table = format!("OFFSETS_{}", aggregate.neighbourhood);
        let axes = self.place.axes;
        let deltas: Vec<String> = (0..axes).map(|axis| format!("d{} = {table}[i][{axis}]", AXES[axis])).collect();
        self.line(&format!("const int {};", deltas.join(", ")));
        let deltas = ["dx", "dy", "dz"].map(str::to_owned);
        let mut inside = None;
        if near == Near::Direct && vanishes {
            let tests: Vec<String> = AXES[..axes].iter().map(|a| format!("{a} + d{a} < CELL_SIDE")).collect();
            self.needs.point = true;
            self.line(&format!("const bool inside = {};", tests.join(" && ")));
            inside = Some("inside");
        } else if near == Near::Nowhere {
            self.needs.find = true;
            let point = self.point(&deltas);
            self.line(&format!("const u64 found = place_of({point});"));
            self.line("if (found == HOLE) {");
            self.line("    continue;");
            self.line("}");
        } else if !(vanishes && near == Near::Tile) {
            let exists = self.exists(near, &deltas);
            self.line(&format!("if (!{exists}) {{"));
            self.line("    continue;");
            self.line("}");
        }
        for id in aggregate.term.clone().map(NodeId).filter(|id| needed[id.0 as usize]) {
            if let Op::Neighbour(state) = self.body.node(id).op {
                let local = self.names.name(&format!("nb_{}", self.rule.state(state).name));
                let value = match near {
                    Near::Nowhere => {
                        add(&mut self.needs.reads, state);
                        format!("{}[found]", self.states[usize::from(state.0)].now)
                    }
                    near => self.at(state, near, &deltas),
                };
                let value = match inside {
                    Some(inside) => {
                        let zero = literal(Value::zero(self.body.node(id).ty));
                        format!("{inside} ? {value} : {zero}")
                    }
                    None => value,
                };
                let kind = c_type(ty_of(self.body.node(id).ty), false);
                self.line(&format!("const {kind} {local} = {value};"));
                self.values[id.0 as usize] = local;
            } else {
                self.node(id, needed);
            }
        }
        let term = self.value(aggregate.value).to_owned();
        match aggregate.kind {
            AggregateKind::Count => self.line(&format!("{name} += {term};")),
            AggregateKind::Sum if self.body.node(aggregate.value).ty == Type::Bit => {
                self.line(&format!("{name} += {term};"));
            }
            AggregateKind::Sum => {
                let sum = self.used.binary(BinaryOp::Add, ty, name, &term);
                self.line(&format!("{name} = {sum};"));
            }
            AggregateKind::Any => self.line(&format!("{name} |= {term};")),
            AggregateKind::All => self.line(&format!("{name} &= {term};")),
            AggregateKind::Min | AggregateKind::Max => {
                let op = if aggregate.kind == AggregateKind::Min { BinaryOp::Min } else { BinaryOp::Max };
                let folded = self.used.binary(op, ty, name, &term);
                self.line(&format!("{name} = {any} ? ({folded}) : {term};"));
                self.line(&format!("{any} = true;"));
            }
        }
        self.indent -= 1;
        self.line("}");
    }
}

fn add(list: &mut Vec<StateId>, state: StateId) {
    if !list.contains(&state) {
        list.push(state);
        list.sort_unstable();
    }
}
