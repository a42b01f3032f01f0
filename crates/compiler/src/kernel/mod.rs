//! Kernels: what one superblock computes, as straight-line code over lane vectors.
//!
//! # What a kernel is
//!
//! The layout of [`layout`](crate::layout) splits a cell's canonical index in three: its *lane* (the top T digits), its
//! *superblock* (the digits between) and its *micro cell* (the lowest L digits). A [`Kernel`] is the work of one
//! superblock for all its lanes at once: it loads columns, evaluates the rule for every micro cell, and stores the
//! superblock's own columns. An executor runs it once for every superblock, in any order or all at the same
//! time, since it reads the old buffers of the states and writes only new ones.
//!
//! A kernel knows the micro-fractal (it is unrolled over it) and nothing else of the layout: not T, not the level,
//! not the number of lanes. These come from the neighbour table and from the inputs below.
//!
//! # Values
//!
//! Every value is a vector with one element a lane: a bit ([`LaneType::Bits`]) or a number. A value that is the same in
//! all lanes (a parameter, say) is written as a vector too; [`uniform`] finds those, for back ends with scalar registers.
//! The code is in static single assignment form: a [`Node`] is named by its place, operands stand before users, there is
//! no control flow, and every operation is total. Elements of one lane depend on no other lane; lanes are mixed only by
//! [`Op::Load`], whose halo columns arrive with their lanes permuted.
//!
//! # Columns and the halo
//!
//! A state of bits or of an enum is stored as planes: plane i of a column holds bit i of the value of each lane. A state of
//! numbers has one plane of numbers. [`Op::Load`] reads one plane of one column: of the superblock itself (direction
//! centre), or of the neighbour superblock in one of the 3^D − 1 directions. Seen from lane l, that neighbour superblock
//! may lie in another lane, or not exist. Where it does not exist, a load gives 0 (false, 0.0), or anything if that cannot matter
//! ([`Halo::guarded`]), and [`Op::Presence`] is false. Holes of the micro-fractal have no columns: no kernel names them.
//!
//! [`Kernel::neighbours`] says how far directions lead: nowhere if the superblock is the whole fractal, beside it, or any number of
//! superblocks away ([`Neighbours::Far`], which only some executors know).
//!
//! # One cell
//!
//! A layout without lanes and micro-fractals has superblocks of one cell. A kernel of it with [`Neighbours::Anywhere`] is the work of one
//! cell: its directions are the rule's own offsets, its canonical index and coordinates those of its superblock. The strategies of
//! the papers run such kernels (`crates/papers`), the executors of lanes do not. Enums are stored as numbers there, a byte each.
//!
//! # Stores
//!
//! [`Op::Store`] writes a plane of an own column into the state's new buffer; loads never see it. A kernel that
//! stores to a state stores every plane of every own column of it, exactly once: afterwards its buffers are exchanged.
//! States that a kernel does not store keep their buffer, so that nothing is copied. A float that is NaN is kept as
//! the one quiet NaN: executed kernels make it so by [`Op::Canonical`]. Between operations the payload of a NaN means nothing.
//!
//! # Time
//!
//! A kernel covers [`Kernel::steps`] time steps, or one named step of one. [`Op::Time`] counts from the first time that
//! the run computes.
//!
//! # Numbers
//!
//! Operations on numbers mean exactly what [`rule::Op`](crate::ir::rule::Op) says: integers wrap, division by zero gives 0,
//! shift counts are taken modulo the width, floats are IEEE 754 and never contracted, and functions are the one
//! implementation in `numbers`. In a kernel with [`Kernel::flush`] all results of floats are flushed as
//! [`numbers::flush`](crate::numbers::flush) says; [`passes::flush`](crate::passes::flush) makes kernels of it that say so in operations,
//! for executors that cannot.
//!
//! # What is deliberately absent
//!
//! Words and registers (how many lanes a vector register holds is the executor's affair), addresses, loops, the lane
//! permutations themselves, and anything that one target has and others have not. [`Op::Table`] is one instruction on
//! AVX-512 and NVIDIA GPUs, two or three elsewhere. [`Op::Count`] is for passes: after them no kernel holds one
//! (`Kernel::verify_for_execution`), but long ones that look far, for targets with loops.

pub mod derived;
mod dump;
pub mod evaluate;
pub mod graph;
mod guards;
mod interface;
mod op;
#[cfg(test)]
mod parse;
pub mod schedule;
#[cfg(test)]
mod tests;
mod verify;

pub use interface::{Halo, Interface, RandomWord, block_index, blocks};
pub use op::{Load, LogicOp, Op, global, uniform};
#[doc(hidden)]
pub use op::{arithmetic, condition, draw, input, logic, number, scalar_input};
pub(crate) use op::{depths, forward, made_of};
#[cfg(test)]
pub(crate) use parse::parse;
pub use verify::VerifyError;

use crate::ir::fractal::Dimension;
use crate::ir::rule::RuleParts;
use crate::numbers::operators::named;
use crate::numbers::table::ConstTable;
use crate::numbers::value::Type;
use std::fmt;

named! {
    /// The type of a vector's elements.
    pub enum LaneType {
        /// One bit a lane.
        Bits = "bits",
        /// As [`Type::U8`].
        U8 = "u8",
        /// As [`Type::U16`].
        U16 = "u16",
        /// As [`Type::I32`].
        I32 = "i32",
        /// As [`Type::U32`].
        U32 = "u32",
        /// As [`Type::I64`].
        I64 = "i64",
        /// As [`Type::F32`].
        F32 = "f32",
        /// As [`Type::F64`].
        F64 = "f64",
    }
}

impl LaneType {
    /// The lane type of a scalar type; `None` for an enum, which is several planes of bits.
    pub fn of(ty: Type) -> Option<LaneType> {
        LaneType::ALL.iter().copied().find(|lane| lane.scalar() == ty)
    }

    /// The type of what is looked up in a table: bits and enums as numbers.
    pub fn of_table(table: &ConstTable) -> LaneType {
        match table.ty() {
            Type::Bit | Type::Enum(_) => LaneType::U8,
            number => LaneType::of(number).expect("no enum"),
        }
    }

    /// The bits of an element.
    pub const fn width(self) -> u32 {
        match self {
            LaneType::Bits => 1,
            number => 8 * number.scalar().bytes() as u32,
        }
    }

    /// f32 or f64.
    pub const fn is_float(self) -> bool {
        matches!(self, LaneType::F32 | LaneType::F64)
    }

    /// i32 or i64.
    pub const fn is_signed(self) -> bool {
        matches!(self, LaneType::I32 | LaneType::I64)
    }

    /// The scalar type of one element.
    pub const fn scalar(self) -> Type {
        match self {
            LaneType::Bits => Type::Bit,
            LaneType::U8 => Type::U8,
            LaneType::U16 => Type::U16,
            LaneType::I32 => Type::I32,
            LaneType::U32 => Type::U32,
            LaneType::I64 => Type::I64,
            LaneType::F32 => Type::F32,
            LaneType::F64 => Type::F64,
        }
    }
}

/// Where a superblock lies relative to another, in superblocks along each axis (x, y, z): one of −1, 0, 1, but with
/// [`Neighbours::Anywhere`] any distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Direction(pub [i32; 3]);

impl Direction {
    /// The superblock itself.
    pub const CENTRE: Direction = Direction([0, 0, 0]);

    /// Its place in [`Direction::all`], or, behind those, in a sorted list of directions that lead farther; `None` if it is in neither.
    pub fn place(self, dimension: Dimension, far: &[Direction]) -> Option<usize> {
        self.index(dimension).or_else(|| Some(Direction::count(dimension) + far.binary_search(&self).ok()?))
    }

    /// The 3^D − 1 directions to other superblocks, in reading order (z, then y, then x ascending).
    pub fn all(dimension: Dimension) -> Vec<Direction> {
        let depth = if dimension == Dimension::Three { 1 } else { 0 };
        let height = if dimension == Dimension::One { 0 } else { 1 };
        let mut directions = Vec::new();
        for z in -depth..=depth {
            for y in -height..=height {
                for x in -1..=1 {
                    if (x, y, z) != (0, 0, 0) {
                        directions.push(Direction([x, y, z]));
                    }
                }
            }
        }
        directions
    }

    /// How many [`Direction::all`] gives, 3^D − 1.
    pub const fn count(dimension: Dimension) -> usize {
        match dimension {
            Dimension::One => 2,
            Dimension::Two => 8,
            Dimension::Three => 26,
        }
    }

    /// Its place in [`Direction::all`]; `None` for the centre, for what is not beside it, or outside of the dimension.
    pub fn index(self, dimension: Dimension) -> Option<usize> {
        let [x, y, z] = self.0;
        if self == Direction::CENTRE || !self.is_within(dimension) || self.0.iter().any(|v| v.abs() > 1) {
            return None;
        }
        let (place, centre) = match dimension {
            Dimension::One => (x + 1, 1),
            Dimension::Two => ((y + 1) * 3 + x + 1, 4),
            Dimension::Three => ((z + 1) * 9 + (y + 1) * 3 + x + 1, 13),
        };
        Some((if place < centre { place } else { place - 1 }) as usize)
    }

    /// Whether it stays in the plane of two dimensions, or on the line of one.
    pub(crate) fn is_within(self, dimension: Dimension) -> bool {
        self.0[dimension.axes()..].iter().all(|v| *v == 0)
    }
}

/// Words for both ways along z, y and x.
const WAYS: [(usize, [&str; 2]); 3] = [(2, ["front", "back"]), (1, ["above", "below"]), (0, ["left", "right"])];

/// `centre`, or words for z (`front`, `back`), y (`above`, `below`) and x (`left`, `right`) joined by `_`, each with the distance
/// behind it if that is not 1: `above_left`, `below2_left3`.
impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |(axis, [low, high]): (usize, [&str; 2])| {
            let v = self.0[axis];
            let way = if v < 0 { low } else { high };
            match v.unsigned_abs() {
                0 => None,
                1 => Some(way.to_owned()),
                distance => Some(format!("{way}{distance}")),
            }
        };
        let words: Vec<String> = WAYS.into_iter().filter_map(word).collect();
        f.write_str(&if words.is_empty() { "centre".to_owned() } else { words.join("_") })
    }
}

/// The fractal made of the lowest L levels, over which a kernel is unrolled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MicroFractal {
    /// The dimension D.
    pub dimension: Dimension,
    /// Its sides S_L along x, y and z, 1 along axes that the dimension has not.
    pub sides: [u32; 3],
    /// Its K_L cells (x, y, z) by their index, each coordinate below its axis' side.
    pub cells: Vec<[u32; 3]>,
}

/// The superblocks around a superblock that loads may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbours {
    /// Nothing: the superblock is the whole fractal.
    None,
    /// The 3^D − 1 superblocks beside it.
    Beside,
    /// Superblocks at any distance.
    Far,
    /// All superblocks, however far away; each is a single cell.
    Anywhere,
}

/// How a state's column, or a parameter, is made of planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Planes {
    /// This many planes of bits, the lowest bit first: 1 for a bit, ⌈log2 n⌉ for an enum of n variants.
    Bits(u8),
    /// One plane of numbers: any [`LaneType`] but `Bits`.
    Number(LaneType),
}

impl Planes {
    /// How the values of a type of the rule are made of planes.
    pub fn of(rule: &RuleParts, ty: Type) -> Planes {
        match ty {
            // An enum of one variant has a plane too, of zeros: a state without any memory would be a special case everywhere.
            Type::Enum(id) => Planes::Bits(rule.enum_type(id).variants.len().next_power_of_two().ilog2().max(1) as u8),
            Type::Bit => Planes::Bits(1),
            Type::U8 | Type::U16 | Type::I32 | Type::U32 | Type::I64 | Type::F32 | Type::F64 => {
                Planes::Number(LaneType::of(ty).expect("no enum"))
            }
        }
    }

    /// Whether all states of a rule are bits.
    pub fn are_bits(rule: &RuleParts) -> bool {
        rule.states.iter().all(|state| matches!(Planes::of(rule, state.ty), Planes::Bits(_)))
    }

    /// How many planes there are.
    pub const fn count(self) -> u8 {
        match self {
            Planes::Bits(planes) => planes,
            Planes::Number(_) => 1,
        }
    }

    /// The type of each plane.
    pub const fn ty(self) -> LaneType {
        match self {
            Planes::Bits(_) => LaneType::Bits,
            Planes::Number(ty) => ty,
        }
    }
}

/// A state or a parameter as kernels see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the rule.
    pub name: String,
    /// Its planes.
    pub planes: Planes,
}

/// The work of one superblock. See the [module](self) for its meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The rule's name, and the named step if it is the work of one: `life`, `ising_even`.
    pub name: String,
    /// The micro-fractal.
    pub micro: MicroFractal,
    /// The superblocks around it that loads may reach.
    pub neighbours: Neighbours,
    /// How many time steps it covers, at least 1; 1 for a named step.
    pub steps: u32,
    /// Whether results of floats are flushed: [`Rule::flush`](crate::ir::RuleParts::flush).
    pub flush: bool,
    /// All states of the rule, whether this kernel uses them or not, in the rule's order.
    pub states: Vec<Variable>,
    /// All parameters of the rule, in the rule's order.
    pub params: Vec<Variable>,
    /// The code.
    pub nodes: Vec<Node>,
}

/// A node of a [`Kernel`], by its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// An operation, and the vector that it makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// A name for readers, unlike all others of the kernel; empty for stores.
    pub name: String,
    /// The type of the result; `None` for stores.
    pub ty: Option<LaneType>,
    /// The operation.
    pub op: Op,
}

impl Kernel {
    /// The node with this id.
    pub fn node(&self, id: ValueId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The tables in which it looks up values, each of those whose addresses are in its code: equal ones may stand at several.
    pub fn tables(&self) -> impl Iterator<Item = &ConstTable> {
        self.nodes.iter().filter_map(|node| match &node.op {
            Op::LookUp { table, .. } => Some(table),
            _ => None,
        })
    }

    /// The draw and the micro cell of the word of a chance.
    pub fn drawn(&self, word: ValueId) -> (u32, u32) {
        match self.node(word).op {
            Op::Random { draw, micro } => (draw, micro),
            _ => unreachable!("verified: {word:?} is a random word"),
        }
    }
}
