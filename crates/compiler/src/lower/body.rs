//! A body's code at one place: node after node, as far as the wanted ones need them.

use super::{Existence, LaneValue, Lowering, Offset, Result};
use crate::ir::rule::{Body, Op};
use crate::ir::{Axes, Node, NodeId, StateId, Strips};
use crate::kernel::graph::KernelBuilder;
use crate::kernel::{self, LaneType, ValueId};
use crate::numbers::flush::flushed;
use crate::numbers::operators::{BinaryOp, CompareOp, UnaryOp};
use crate::numbers::table::ConstTable;
use crate::numbers::value::{Type, Value};
use std::collections::HashMap;

/// A body being evaluated at a place.
pub(super) struct Here<'b> {
    pub(super) body: &'b Body,
    /// The phase being computed, from 1: states are read after the one before.
    pub(super) phase: usize,
    pub(super) ahead: u32,
    pub(super) place: Offset,
    /// Which of the body's nodes are needed.
    pub(super) needed: Vec<bool>,
    pub(super) values: HashMap<NodeId, LaneValue>,
}

/// The neighbour for which an aggregate's term is evaluated.
#[derive(Clone, Copy)]
pub(super) struct Neighbour {
    pub(super) offset: [i32; 3],
    pub(super) place: Offset,
    /// Its number in the neighbourhood.
    pub(super) index: usize,
}

impl Lowering<'_> {
    /// The values of some nodes of a body.
    pub(super) fn evaluate(
        &mut self,
        body: &Body,
        phase: usize,
        ahead: u32,
        place: Offset,
        wanted: &[NodeId],
    ) -> Result<Vec<LaneValue>> {
        let needed = body.needed(wanted);
        let mut here = Here { body, phase, ahead, place, needed, values: HashMap::new() };
        for id in body.cell_nodes() {
            if here.needed[id.0 as usize] {
                let value = match &body.node(id).op {
                    Op::Aggregate(aggregate) => self.aggregate(&mut here, body.node(id).ty, aggregate)?,
                    _ => self.node(&here, body.node(id), None)?,
                };
                here.values.insert(id, value);
            }
        }
        Ok(wanted.iter().map(|id| here.values[id].clone()).collect())
    }

    /// The value of one node that is no aggregate; `neighbour` is the one for which a term is being evaluated.
    pub(super) fn node(&mut self, here: &Here<'_>, node: &Node, neighbour: Option<Neighbour>) -> Result<LaneValue> {
        self.visit()?;
        let value = |id: &NodeId| here.values[id].clone();
        let neighbour = || neighbour.expect("the rule was checked: this stands in an aggregate's term");
        match &node.op {
            Op::State(state) => return self.state(here.phase - 1, *state, here.place),
            Op::Neighbour(state) => return self.seen(here.phase - 1, *state, neighbour().place),
            Op::Read { state, offset, otherwise } => return self.read(here, *state, *offset, &value(otherwise)),
            _ => {}
        }
        self.graph.call(stem(&node.op));
        let ty = LaneType::of(node.ty);
        let before = self.graph.nodes().len();
        let made = match &node.op {
            Op::Const(constant) => self.constant(*constant, node.ty),
            Op::Param(param) => self.param(*param, node.ty),
            Op::Coordinate(axis) => LaneValue::Number(self.coordinate(*axis, here.place)),
            Op::Level => LaneValue::Number(self.graph.add(LaneType::I32, kernel::Op::Level)),
            Op::Side => LaneValue::Number(self.graph.add(LaneType::I32, kernel::Op::Side)),
            Op::Extent(axis) => LaneValue::Number(self.extent(*axis)),
            Op::Time => LaneValue::Number(self.graph.add(LaneType::U32, kernel::Op::Time { ahead: here.ahead })),
            Op::Offset(axis) => LaneValue::Number(self.graph.value(Value::I32(neighbour().offset[usize::from(*axis)]))),
            Op::Weight(weights) => LaneValue::Number(self.number(weights[neighbour().index])),
            Op::Unary(op, a) => match value(a) {
                LaneValue::Planes(planes) => LaneValue::Planes(vec![self.graph.not(planes[0])]),
                LaneValue::Number(a) => LaneValue::Number(self.graph.unary(*op, a)),
            },
            Op::Binary(op, a, b) => match (value(a), value(b)) {
                (LaneValue::Planes(a), LaneValue::Planes(b)) => LaneValue::Planes(vec![match op {
                    BinaryOp::And => self.graph.and(a[0], b[0]),
                    BinaryOp::Or => self.graph.or(a[0], b[0]),
                    BinaryOp::Xor => self.graph.xor(a[0], b[0]),
                    _ => unreachable!("the rule was checked: no arithmetic on bits"),
                }]),
                (a, b) if *op == BinaryOp::Remainder => LaneValue::Number(self.remainder(a.number(), b.number())),
                (a, b) => LaneValue::Number(self.graph.binary(*op, a.number(), b.number())),
            },
            Op::Shift { left, value: shifted, count } => {
                let (value, count) = (value(shifted).number(), value(count).number());
                LaneValue::Number(self.graph.add(self.graph.ty(value), kernel::Op::Shift { left: *left, value, count }))
            }
            Op::Compare(op, a, b) => LaneValue::Planes(vec![self.compare(*op, &value(a), &value(b))]),
            Op::Select { condition, then, otherwise } => {
                self.choose(value(condition).bit(), &value(then), &value(otherwise))
            }
            Op::Cast(a) => self.cast(node.ty, &value(a)),
            Op::Math(function, a) => {
                let a = value(a).number();
                LaneValue::Number(self.graph.add(self.graph.ty(a), kernel::Op::Math(*function, a)))
            }
            Op::Math2(function, a, b) => {
                let (a, b) = (value(a).number(), value(b).number());
                LaneValue::Number(self.graph.add(self.graph.ty(a), kernel::Op::Math2(*function, a, b)))
            }
            Op::LookUp { table, index } => self.look_up(table, value(index).number(), node.ty),
            Op::RandomBits { draw } => LaneValue::Number(self.word(*draw, here.place)),
            Op::RandomUniform { draw } => LaneValue::Number(self.uniform(*draw, here.place)),
            Op::RandomBelow { draw, bound } => LaneValue::Number(self.below(*draw, here.place, value(bound).number())),
            Op::RandomBit { draw, probability } => {
                LaneValue::Planes(vec![self.chance(*draw, here.place, value(probability).number())])
            }
            Op::State(_) | Op::Neighbour(_) | Op::Read { .. } => unreachable!("done above"),
            Op::Aggregate(_) => unreachable!("aggregates do not nest; type {ty:?}"),
        };
        // New nodes alone are charged: a value that the graph holds already costs nothing.
        self.spend(self.graph.nodes().len() - before)?;
        Ok(made)
    }

    pub(super) fn constant(&mut self, constant: Value, ty: Type) -> LaneValue {
        match constant {
            Value::Bit(bit) => LaneValue::Planes(vec![self.graph.bit(bit)]),
            Value::Enum(_, number) => match self.geometry.planes_of(self.rule, ty) {
                kernel::Planes::Bits(planes) => {
                    LaneValue::Planes((0..planes).map(|plane| self.graph.bit(number >> plane & 1 == 1)).collect())
                }
                kernel::Planes::Number(_) => LaneValue::Number(self.graph.value(Value::U8(number))),
            },
            number => LaneValue::Number(self.number(number)),
        }
    }

    /// A constant of the rule's text.
    fn number(&mut self, value: Value) -> ValueId {
        self.graph.value(if self.rule.flush { flushed(value) } else { value })
    }

    fn param(&mut self, param: u16, ty: Type) -> LaneValue {
        let planes = self.geometry.planes_of(self.rule, ty);
        let name = super::word_of_number(self.rule, param);
        self.graph.call(&name);
        let ids = (0..planes.count()).map(|plane| self.graph.add(planes.ty(), kernel::Op::Param { param, plane }));
        let ids: Vec<ValueId> = ids.collect();
        match planes {
            kernel::Planes::Bits(_) => LaneValue::Planes(ids),
            kernel::Planes::Number(_) => LaneValue::Number(self.flushed_input(ids[0])),
        }
    }

    fn look_up(&mut self, table: &ConstTable, mut index: ValueId, ty: Type) -> LaneValue {
        let of_index = self.graph.ty(index);
        // Numbers beyond those of i32 are moved to the ends first.
        if matches!(of_index, LaneType::U32 | LaneType::I64) {
            let [first, last] = [0, table.last()].map(|end| Value::whole(of_index.scalar(), end.into()));
            let [first, last] = [first, last].map(|end| self.graph.value(end));
            index = self.graph.binary(BinaryOp::Max, index, first);
            index = self.graph.binary(BinaryOp::Min, index, last);
        }
        let index = self.graph.cast(LaneType::I32, index);
        self.graph.call("looked_up");
        let found = LaneType::of_table(table);
        let number = self.graph.add(found, kernel::Op::LookUp { table: table.clone(), index });
        match self.geometry.planes_of(self.rule, ty) {
            kernel::Planes::Bits(count) => {
                let digit = |plane| kernel::Op::Digit { value: number, bit: plane };
                LaneValue::Planes((0..count).map(|plane| self.graph.add(LaneType::Bits, digit(plane))).collect())
            }
            kernel::Planes::Number(_) => LaneValue::Number(self.flushed_input(number)),
        }
    }

    /// A number that no operation made, flushed as all results are.
    fn flushed_input(&mut self, number: ValueId) -> ValueId {
        let nothing = match self.graph.ty(number) {
            LaneType::F32 if self.rule.flush => Value::F32(-0.0),
            LaneType::F64 if self.rule.flush => Value::F64(-0.0),
            _ => return number,
        };
        // The sum is the number itself.
        let nothing = self.graph.value(nothing);
        self.graph.binary(BinaryOp::Add, number, nothing)
    }

    /// The coordinate of a place on an axis: wrong only where the place does not exist.
    pub(super) fn coordinate(&mut self, axis: u8, place: Offset) -> ValueId {
        match self.geometry.strips {
            Some(strips) => self.coordinate_in_strip(strips, axis),
            None => self.coordinate_of_lane(axis, place),
        }
    }

    /// The coordinate of a cell of a strip, whose lanes and rows are those of the step's order.
    fn coordinate_in_strip(&mut self, strips: Strips, axis: u8) -> ValueId {
        let lane = self.coordinate_of_lane(0, [0; 3]);
        let signed = if axis == strips.across.axis { strips.across } else { strips.along };
        let mut along = lane;
        if axis == strips.along.axis {
            let row = self.coordinate_of_lane(1, [0; 3]);
            let shear = self.graph.value(Value::I32(strips.shear));
            let behind = self.graph.binary(BinaryOp::Multiply, lane, shear);
            along = self.graph.binary(BinaryOp::Subtract, row, behind);
        } else if axis != strips.across.axis {
            return self.graph.value(Value::I32(0));
        }
        if !signed.backwards {
            return along;
        }
        let side = self.extent(axis);
        let one = self.graph.value(Value::I32(1));
        let last = self.graph.binary(BinaryOp::Subtract, side, one);
        self.graph.binary(BinaryOp::Subtract, last, along)
    }

    fn coordinate_of_lane(&mut self, axis: u8, place: Offset) -> ValueId {
        if usize::from(axis) >= self.geometry.micro.dimension.axes() {
            return self.graph.value(Value::I32(0));
        }
        let name = ["x", "y", "z"][usize::from(axis)];
        if self.geometry.is_a_cell() {
            self.graph.call(&format!("cell_{name}"));
            return self.graph.add(LaneType::I32, kernel::Op::SuperblockCorner(axis));
        }
        self.graph.call(&format!("lane_{name}"));
        let lane = self.graph.add(LaneType::I32, kernel::Op::LaneCorner(axis));
        self.graph.call(&format!("superblock_{name}"));
        let superblock = self.graph.add(LaneType::I32, kernel::Op::SuperblockCorner(axis));
        self.graph.call(&format!("corner_{name}"));
        let corner = self.graph.binary(BinaryOp::Add, lane, superblock);
        let index = usize::from(axis);
        let (direction, inside) = self.geometry.split(place);
        let blocks = direction.0[index];
        if blocks == 0 || !self.geometry.periodic.0[index] {
            let within = self.graph.value(Value::I32(place[index]));
            self.graph.call(name);
            return self.graph.binary(BinaryOp::Add, corner, within);
        }
        let within = self.graph.value(Value::I32(inside[index]));
        let own = self.graph.binary(BinaryOp::Add, corner, within);
        self.periodic_coordinate(own, index, blocks, name)
    }

    /// How many places the whole has along an axis.
    pub(super) fn extent(&mut self, axis: u8) -> ValueId {
        let index = usize::from(axis);
        self.graph.call(["width", "height", "depth"][index]);
        match self.geometry.extent {
            _ if index >= self.geometry.micro.dimension.axes() => self.graph.value(Value::I32(1)),
            Some(extent) => self.graph.value(Value::I32(extent[index] as i32)),
            None => {
                self.graph.call("side");
                self.graph.add(LaneType::I32, kernel::Op::Side)
            }
        }
    }

    /// The coordinate that lies `blocks` superblocks from `own` along a periodic axis. No sum here leaves the numbers from 0 to the side,
    /// which may be the largest i32.
    fn periodic_coordinate(&mut self, own: ValueId, axis: usize, blocks: i32, name: &str) -> ValueId {
        let (forwards, far) = (blocks > 0, blocks.unsigned_abs() > 1);
        let away = blocks.unsigned_abs() as i32 * self.geometry.micro.sides[axis] as i32;
        let side = self.extent(axis as u8);
        self.graph.call("away");
        let mut away = self.graph.value(Value::I32(away));
        if far {
            // More than one superblock away may be more than once around.
            away = self.graph.binary(BinaryOp::Remainder, away, side);
        }
        let rest = self.graph.binary(BinaryOp::Subtract, side, away);
        let (limit, ahead, back) = if forwards { (rest, away, rest) } else { (away, rest, away) };
        self.graph.call(&format!("{name}_before_edge"));
        let before = self.graph.add(LaneType::Bits, kernel::Op::Compare(CompareOp::Less, own, limit));
        self.graph.call(name);
        let (ahead, back) =
            (self.graph.binary(BinaryOp::Add, own, ahead), self.graph.binary(BinaryOp::Subtract, own, back));
        self.graph.select(before, ahead, back)
    }

    fn read(&mut self, here: &Here<'_>, state: StateId, offset: [i32; 3], otherwise: &LaneValue) -> Result<LaneValue> {
        let place = self.geometry.beside(here.place, offset);
        let existence = self.existence_seen(place)?;
        match existence {
            Existence::No => Ok(otherwise.clone()),
            Existence::Yes => self.seen(here.phase - 1, state, place),
            Existence::If(_) | Existence::Where(_) => {
                let there = self.seen(here.phase - 1, state, place)?;
                let zero = |id: &ValueId| self.graph.constant(*id).is_some_and(|value| value.bits() == 0);
                let planes =
                    |lanes: &LaneValue| if let LaneValue::Planes(planes) = lanes { planes.clone() } else { vec![] };
                if matches!(&there, LaneValue::Planes(_)) && planes(otherwise).iter().all(zero) {
                    let masked = planes(&there).into_iter().map(|plane| self.masked(plane, existence)).collect();
                    return Ok(LaneValue::Planes(masked));
                }
                let Some(exists) = self.exists(existence) else { return Ok(there) };
                self.graph.call("read");
                Ok(self.choose(exists, &there, otherwise))
            }
        }
    }

    fn compare(&mut self, op: CompareOp, a: &LaneValue, b: &LaneValue) -> ValueId {
        let (LaneValue::Planes(a), LaneValue::Planes(b)) = (a, b) else {
            return self.graph.add(LaneType::Bits, kernel::Op::Compare(op, a.number(), b.number()));
        };
        let mut differ = self.graph.bit(false);
        for (a, b) in a.iter().zip(b) {
            let here = self.graph.xor(*a, *b);
            differ = self.graph.or(differ, here);
        }
        if op == CompareOp::Equal { self.graph.not(differ) } else { differ }
    }

    fn cast(&mut self, to: Type, from: &LaneValue) -> LaneValue {
        match (LaneType::of(to), from) {
            (Some(LaneType::Bits), LaneValue::Planes(planes)) => {
                let mut any = self.graph.bit(false);
                for plane in planes {
                    any = self.graph.or(any, *plane);
                }
                LaneValue::Planes(vec![any])
            }
            (Some(LaneType::Bits), LaneValue::Number(number)) => {
                let zero = self.graph.value(Value::zero(self.graph.ty(*number).scalar()));
                let differs = kernel::Op::Compare(CompareOp::NotEqual, *number, zero);
                LaneValue::Planes(vec![self.graph.add(LaneType::Bits, differs)])
            }
            (Some(ty), LaneValue::Planes(planes)) if planes.is_empty() => {
                LaneValue::Number(self.graph.value(Value::zero(ty.scalar())))
            }
            (Some(ty), LaneValue::Planes(planes)) => {
                LaneValue::Number(self.graph.add(ty, kernel::Op::Widen(planes.clone())))
            }
            (Some(ty), LaneValue::Number(number)) => LaneValue::Number(self.graph.cast(ty, *number)),
            (None, _) => unreachable!("the rule was checked: nothing is converted to an enum"),
        }
    }

    /// `a % b`, which is known where a is a sum of coordinates and b divides the superblock's side: a checkerboard is made of micro
    /// cells then. Elsewhere `a % 2` is a bit.
    fn remainder(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let divisor = if let Some(Value::I32(divisor)) = self.graph.constant(b) { divisor } else { 0 };
        let known = CoordinateSum::of(&self.graph, a)
            .filter(|sum| divisor > 0 && self.geometry.are_exact(sum.corners, sum.number));
        match known {
            Some(sum) if self.geometry.is_divided_by(divisor) => self.graph.value(Value::I32(sum.number % divisor)),
            Some(CoordinateSum { odd: Some(axes), number, .. }) if divisor == 2 => {
                self.graph.call("odd_corner");
                let odd = self.graph.add(LaneType::Bits, kernel::Op::OddCorner(axes));
                let odd = if number % 2 == 1 { self.graph.not(odd) } else { odd };
                self.graph.call("remainder");
                self.graph.add(LaneType::I32, kernel::Op::Count(vec![odd]))
            }
            _ => self.graph.binary(BinaryOp::Remainder, a, b),
        }
    }

    /// The word of a draw; only own cells draw, because a rule that draws has one phase a kernel.
    fn word(&mut self, draw: u32, place: Offset) -> ValueId {
        let (_, micro) = self.geometry.locate(place);
        self.graph.call(&format!("draw_{draw}"));
        self.graph.add(LaneType::U32, kernel::Op::Random { draw, micro })
    }

    fn uniform(&mut self, draw: u32, place: Offset) -> ValueId {
        let word = self.word(draw, place);
        self.graph.call("uniform");
        let count = self.graph.value(Value::U32(8));
        let high = self.graph.add(LaneType::U32, kernel::Op::Shift { left: false, value: word, count });
        let whole = self.graph.cast(LaneType::F32, high);
        let unit = self.graph.value(Value::F32((-24f32).exp2()));
        self.graph.binary(BinaryOp::Multiply, whole, unit)
    }

    /// ⌊word · bound / 2^32⌋ of a u32.
    fn below(&mut self, draw: u32, place: Offset, bound: ValueId) -> ValueId {
        let word = self.word(draw, place);
        self.graph.call("below");
        self.graph.add(LaneType::U32, kernel::Op::Below { word, bound })
    }

    fn chance(&mut self, draw: u32, place: Offset, probability: ValueId) -> ValueId {
        let word = self.word(draw, place);
        self.graph.call("chance");
        let probability = self.graph.cast(LaneType::F64, probability);
        self.graph.add(LaneType::Bits, kernel::Op::Chance { word, probability })
    }
}

/// A sum of corners of lanes and superblocks, and of a number.
struct CoordinateSum {
    /// How many corners are added.
    corners: u32,
    /// The axes whose coordinates stand in it an odd number of times, if lanes and superblocks do so together.
    odd: Option<Axes>,
    /// The constant that is added.
    number: i32,
}

impl CoordinateSum {
    /// `None` if something else is added.
    fn of(graph: &KernelBuilder, id: ValueId) -> Option<CoordinateSum> {
        /// Sums of more parts than these are left as they are.
        const MOST_PARTS: usize = 16;
        let (mut open, mut corners, mut number) = (vec![id], 0, 0i32);
        let (mut lanes, mut superblocks) = (Axes::NONE, Axes::NONE);
        for _ in 0..2 * MOST_PARTS {
            let Some(id) = open.pop() else {
                let odd = (lanes == superblocks && lanes.any()).then_some(lanes);
                return Some(CoordinateSum { corners, odd, number });
            };
            match graph.op(id) {
                kernel::Op::LaneCorner(axis) => {
                    corners += 1;
                    lanes.0[usize::from(*axis)] ^= true;
                }
                kernel::Op::SuperblockCorner(axis) => {
                    corners += 1;
                    superblocks.0[usize::from(*axis)] ^= true;
                }
                kernel::Op::Const(Value::I32(added)) if *added >= 0 => number = number.checked_add(*added)?,
                kernel::Op::Binary(BinaryOp::Add, a, b) => open.extend([*a, *b]),
                _ => return None,
            }
        }
        None
    }
}

/// The stem of the names of nodes that are made for an operation.
fn stem(op: &Op) -> &'static str {
    match op {
        Op::Unary(UnaryOp::Not, _) => "not",
        Op::Unary(..) => "value",
        Op::Binary(BinaryOp::Add, ..) => "sum",
        Op::Binary(BinaryOp::Subtract, ..) => "difference",
        Op::Binary(BinaryOp::Multiply, ..) => "product",
        Op::Binary(BinaryOp::Divide, ..) => "quotient",
        Op::Binary(BinaryOp::Remainder, ..) => "remainder",
        Op::Binary(BinaryOp::And, ..) => "both",
        Op::Binary(BinaryOp::Or, ..) => "either",
        Op::Compare(CompareOp::Equal, ..) => "equal",
        Op::Compare(CompareOp::NotEqual, ..) => "differ",
        Op::Compare(..) => "test",
        Op::Select { .. } => "choice",
        Op::Cast(_) => "cast",
        Op::Const(_) => "constant",
        Op::Level => "level",
        Op::Side => "side",
        Op::Time => "time",
        _ => "value",
    }
}
