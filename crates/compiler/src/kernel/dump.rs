//! Kernels as text, for readers, and for tests, which read it back.
//!
//! ```text
//! kernel life {
//!   dimension 2
//!   side 2
//!   cells (0, 0) (0, 1) (1, 1)
//!   steps 1
//!   state alive: bits 1
//!
//!   own_0: bits = load alive centre 0
//!   halo_left_2: bits = load alive left 2
//!   ones: bits = xor own_0 halo_left_2
//!   store alive 0 = ones
//! }
//! ```
//! A plane other than the only one is written `phase.1`. Lines that begin with `//` are comments.

use super::{Kernel, LaneType, Load, Neighbours, Node, Op, Planes, ValueId, Variable};
use crate::ir::fractal::Dimension;
use crate::numbers::value::Value;
use std::fmt;

/// Names of the axes.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// How many cells stand on one line.
const CELLS_A_LINE: usize = 12;

impl fmt::Display for Planes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Planes::Bits(planes) => write!(f, "bits {planes}"),
            Planes::Number(ty) => f.write_str(ty.name()),
        }
    }
}

/// The whole kernel as text, ending in a newline.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {} {{", self.name)?;
        writeln!(f, "  dimension {}", self.micro.dimension.axes())?;
        let sides = &self.micro.sides[..self.micro.dimension.axes()];
        if sides.iter().all(|side| *side == sides[0]) {
            writeln!(f, "  side {}", sides[0])?;
        } else {
            writeln!(f, "  sides {}", sides.iter().map(u32::to_string).collect::<Vec<_>>().join(" "))?;
        }
        for cells in self.micro.cells.chunks(CELLS_A_LINE) {
            write!(f, "  cells")?;
            for [x, y, z] in cells {
                match self.micro.dimension {
                    Dimension::One => write!(f, " ({x})")?,
                    Dimension::Two => write!(f, " ({x}, {y})")?,
                    Dimension::Three => write!(f, " ({x}, {y}, {z})")?,
                }
            }
            writeln!(f)?;
        }
        match self.neighbours {
            Neighbours::None => writeln!(f, "  whole")?,
            Neighbours::Beside => {}
            Neighbours::Far => writeln!(f, "  far")?,
            Neighbours::Anywhere => writeln!(f, "  anywhere")?,
        }
        writeln!(f, "  steps {}", self.steps)?;
        if self.flush {
            writeln!(f, "  flush")?;
        }
        for (kind, variables) in [("state", &self.states), ("param", &self.params)] {
            for Variable { name, planes } in variables {
                writeln!(f, "  {kind} {name}: {planes}")?;
            }
        }
        writeln!(f)?;
        for node in &self.nodes {
            self.write_node(f, node)?;
        }
        writeln!(f, "}}")
    }
}

impl Kernel {
    fn write_node(&self, f: &mut fmt::Formatter<'_>, node: &Node) -> fmt::Result {
        match node.ty {
            Some(ty) => write!(f, "  {}: {} = ", node.name, ty.name())?,
            None => write!(f, "  ")?,
        }
        let named = |f: &mut fmt::Formatter<'_>, word: &str, operands: &[ValueId]| {
            write!(f, "{word}")?;
            operands.iter().try_for_each(|id| write!(f, " {}", self.node(*id).name))
        };
        match &node.op {
            Op::Load(Load { state, plane, direction, micro }) => {
                write!(f, "load {} {direction} {micro}", plane_name(&self.states[usize::from(*state)], *plane))
            }
            Op::Presence(direction) => write!(f, "presence {direction}"),
            Op::LaneCorner(axis) => write!(f, "lane_corner {}", AXES[usize::from(*axis)]),
            Op::OddCorner(axes) => write!(f, "odd_corner {}", axes.to_string().replace(", ", " ")),
            Op::SuperblockCorner(axis) => write!(f, "superblock_corner {}", AXES[usize::from(*axis)]),
            Op::Param { param, plane } => {
                write!(f, "param {}", plane_name(&self.params[usize::from(*param)], *plane))
            }
            Op::Level => write!(f, "level"),
            Op::Side => write!(f, "side"),
            Op::Time { ahead } => write!(f, "time {ahead}"),
            Op::Random { draw, micro } => write!(f, "random {draw} {micro}"),
            Op::RandomBit { draw, micro, classes, probabilities } => {
                let operands: Vec<ValueId> =
                    classes.iter().zip(probabilities).flat_map(|(class, probability)| [*class, *probability]).collect();
                named(f, &format!("random_bit {draw} {micro}"), &operands)
            }
            Op::Const(value) => {
                write!(f, "const ")?;
                write_constant(f, *value)
            }
            Op::Not(a) => named(f, "not", &[*a]),
            Op::Logic(op, a, b) => named(f, op.name(), &[*a, *b]),
            Op::Table { table, operands } => named(f, &format!("table 0x{table:02x}"), operands),
            Op::Count(terms) => named(f, "count", terms),
            Op::Digit { value, bit } => write!(f, "digit {} {bit}", self.node(*value).name),
            Op::Widen(planes) => named(f, "widen", planes),
            Op::Unary(op, a) => named(f, op.name(), &[*a]),
            Op::Binary(op, a, b) => named(f, op.name(), &[*a, *b]),
            Op::Shift { left, value, count } => {
                named(f, if *left { "shift_left" } else { "shift_right" }, &[*value, *count])
            }
            Op::Compare(op, a, b) => named(f, op.name(), &[*a, *b]),
            Op::Select { condition, then, otherwise } => named(f, "select", &[*condition, *then, *otherwise]),
            Op::Cast(a) => named(f, "cast", &[*a]),
            Op::Math(function, a) => named(f, function.name(), &[*a]),
            Op::Math2(function, a, b) => named(f, function.name(), &[*a, *b]),
            Op::LookUp { table, index } => {
                write!(f, "look_up {}", self.node(*index).name)?;
                table.values().try_for_each(|value| {
                    write!(f, " ")?;
                    write_constant(f, Value::from_bits(LaneType::of_table(table).scalar(), value.bits()))
                })
            }
            Op::AddWhere { condition, sum, term } => named(f, "add_where", &[*condition, *sum, *term]),
            Op::Canonical(a) => named(f, "canonical", &[*a]),
            Op::Chance { word, probability } => named(f, "chance", &[*word, *probability]),
            Op::Below { word, bound } => named(f, "below", &[*word, *bound]),
            Op::Store { state, plane, micro, value } => {
                let state = plane_name(&self.states[usize::from(*state)], *plane);
                write!(f, "store {state} {micro} = {}", self.node(*value).name)
            }
        }?;
        writeln!(f)
    }
}

/// `alive`, or `phase.1` if there are several planes.
fn plane_name(variable: &Variable, plane: u8) -> String {
    match variable.planes.count() {
        1 => variable.name.clone(),
        _ => format!("{}.{plane}", variable.name),
    }
}

/// Numbers so that they are read back exactly; the node's type says which type they have.
fn write_constant(f: &mut fmt::Formatter<'_>, value: Value) -> fmt::Result {
    match value {
        Value::Bit(v) => write!(f, "{v}"),
        Value::U8(v) => write!(f, "{v}"),
        Value::I32(v) => write!(f, "{v}"),
        Value::U16(v) => write!(f, "{v}"),
        Value::U32(v) => write!(f, "{v}"),
        Value::I64(v) => write!(f, "{v}"),
        Value::F32(v) => write!(f, "{v:?}"),
        Value::F64(v) => write!(f, "{v:?}"),
        Value::Enum(_, v) => write!(f, "enum_{v}"),
    }
}
