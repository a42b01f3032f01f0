//! Rules as straight-line code for one cell. [`super`] explains the module.

use super::clusters::Clusters;
use super::colours::Coloured;
use super::fractal::Dimension;
use super::global_expr::{GlobalExpr, GlobalShape, GlobalType};
pub use super::ids::{NodeId, StateId};
use super::inputs::Input;
use super::order::StepOrder;
use super::pairs::{Bond, PairCode, is_positive};
use super::rounds::Round;
use crate::numbers::operators::{BinaryOp, CompareOp, MathFn, MathFn2, UnaryOp, named};
use crate::numbers::table::ConstTable;
use crate::numbers::value::{EnumId, Type, Value};
use std::collections::BTreeSet;
use std::ops::{Deref, Range, RangeInclusive};
use std::sync::Arc;

/// A checked rule. Everyone reads its parts, and the compiler alone makes and changes rules: engines rely on what was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule(pub(crate) RuleParts);

impl Deref for Rule {
    type Target = RuleParts;

    fn deref(&self) -> &RuleParts {
        &self.0
    }
}

/// The parts of a [`Rule`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RuleParts {
    /// The name under which it was defined.
    pub name: String,
    /// The text of its `///` comment, without the slashes; empty if there is none.
    pub doc: String,
    /// The enum types of its states and parameters; equal lists of variants are one type.
    pub enums: Vec<EnumType>,
    /// Parameters, in the order of the text.
    pub params: Vec<Param>,
    /// Globals, in the order of the text; [`Op::Param`] numbers them after the parameters.
    pub globals: Vec<Global>,
    /// States, in the order of the text; at least one.
    pub states: Vec<State>,
    /// Lets that are read at neighbours: each has the value that every cell computes for itself in a step of
    /// [`RuleParts::steps`] before those that read it. Their [`StateId`]s follow those of the states. They are not visible from outside.
    pub fields: Vec<State>,
    /// Which states and fields have a value of each pair of neighbours. [`Domain::fit`](crate::geometry::Domain::fit) leaves none.
    pub bonds: Vec<Bond>,
    /// The field that holds each cell's canonical index, if the rule names `cell`: no step changes it.
    pub index: Option<StateId>,
    /// Data along axes that runs are given; their fields are the first.
    pub inputs: Vec<Input>,
    /// Steps that compute the fields that observables and globals read; they draw nothing and change no state.
    pub observed_fields: Vec<Step>,
    /// Every neighbourhood that some aggregate uses, each once.
    pub neighbourhoods: Vec<Neighbourhood>,
    /// Computes the initial values: [`Body::results`] holds the states that have an `init`; all others begin as zero.
    /// Reads no state, and inputs at the cell alone.
    pub init: Body,
    /// Computes the initial values of bonds, where the draws of [`RuleParts::init`] are. [`Domain::fit`](crate::geometry::Domain::fit) leaves none.
    pub init_pairs: Vec<PairCode>,
    /// The same for each state that has an `init` which names other states, in the order of the text, as code that reads those: for initial values
    /// that come from outside. Each has one result, and the draws of [`RuleParts::init`].
    pub init_from: Vec<Body>,
    /// The states whose initial values are drawn from disorder, ascending: with the disorder seed in the place of the run's. None of them reads a state
    /// that the run draws.
    pub disorder: Vec<StateId>,
    /// The states that keep their last line alone, ascending. The rule has one step then, whose order names all axes.
    pub rolling: Vec<StateId>,
    /// The steps of one time step, in order; at least one.
    pub steps: Vec<Step>,
    /// How many steps at the end are no part of time steps: they compute what observables and globals read, before these. A rule as it is written has none.
    pub observed_steps: usize,
    /// Which of the steps run once for each colour of a neighbourhood, in order. [`Domain::fit`](crate::geometry::Domain::fit) leaves none.
    pub coloured: Vec<Coloured>,
    /// The reductions over cells that observables and globals need.
    pub reductions: Vec<Reduction>,
    /// Observables, in the order of the text.
    pub observables: Vec<Observable>,
    /// The bits by which members of an ensemble are compared, in the order of the text.
    pub overlaps: Vec<Overlap>,
    /// Ends a run where observables are taken and it is true, from the first step on.
    pub stop: Option<Stop>,
    /// The weight of a state in equilibrium, if the rule says it. Nothing that is computed depends on it.
    pub equilibrium: Option<Equilibrium>,
    /// The picture of the rule unless another is asked for.
    pub picture: Option<RulePicture>,
    /// Whether results of f32 and f64 below the least normal number are ±0, as [`numbers::flush`](crate::numbers::flush) says.
    pub flush: bool,
    /// True if the rule names `z`, `dz` or a triple of offsets: it then runs on 3-D fractals only.
    pub needs_three_dimensions: bool,
    /// True if the rule names `x`, `y`, `z`, `side`, `width`, `height` or `depth`: the fractal's side must then fit in an i32.
    pub names_coordinates: bool,
    /// Whether it names `level`.
    pub names_level: bool,
    /// By state and field the value beyond the edges of the domain that the rule runs on, if it has one. The list is empty, as a rule is written, if
    /// none has one; else every state and field that is read at neighbours has one, beyond the same sides.
    pub edges: Vec<Option<Boundary>>,
    /// Whether fields are kept in memory because that is cheaper, as [`Domain::fit`](crate::geometry::Domain::fit) finds; a rule as it is written does not say.
    pub keeps_cheaper: bool,
    /// The fields that hold sums over neighbours, in the order of the steps before which engines compute them; a rule as it is written has none.
    pub sums: Vec<NeighbourSum>,
    /// The names and types of numbers of an earlier round of the observables that the terms of this one read: [`Op::Param`] numbers them after the
    /// globals. A rule as it is written has none; [`rounds`](super::rounds) makes rules that do.
    pub earlier: Vec<(String, Type)>,
}

/// `stop when`: the condition that ends a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// A bit about all cells.
    pub condition: GlobalExpr,
    /// How it is written, on one line.
    pub text: String,
}

/// `equilibrium exp(…)`: how likely a state is, up to a factor that no state changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The logarithm of the weight, a float of parameters and observables.
    pub exponent: GlobalExpr,
    /// How it is written, on one line: `exp(-beta * energy)`.
    pub text: String,
}

/// The value of a state or field at places beyond the edges of the domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// Everywhere the same.
    Constant(Value),
    /// Its value at the place mirrored at the edge: the one before the edge for the first behind it.
    Reflect,
    /// What each side has. At a place beyond several sides that of the first axis along which it is beyond holds, and a mirrored place may be beyond others.
    Sides(BySide<SideBoundary>),
}

/// What there is beyond each side of a domain: −x, +x, −y, +y, −z and +z, in this order.
pub type BySide<T> = [Option<T>; 6];

/// The value of a state or field beyond a single side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SideBoundary {
    /// Everywhere the same.
    Constant(Value),
    /// Its value at the place mirrored at this side.
    Reflect,
}

impl Boundary {
    /// What is beyond a side.
    pub fn at(self, side: usize) -> Option<SideBoundary> {
        match self {
            Boundary::Constant(value) => Some(SideBoundary::Constant(value)),
            Boundary::Reflect => Some(SideBoundary::Reflect),
            Boundary::Sides(sides) => sides[side],
        }
    }

    /// Whether it is mirrored at some side.
    pub fn reflects(self) -> bool {
        (0..6).any(|side| self.at(side) == Some(SideBoundary::Reflect))
    }
}

/// The state that pictures of a rule show, and its colours. It changes nothing that is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct RulePicture {
    /// The state.
    pub state: StateId,
    /// The colour map, unless `colours` are given.
    pub map: ColourMap,
    /// The values at both ends of the colours.
    pub range: Option<(f64, f64)>,
    /// Colours of its own, such as `0x3d4f73`: those of the variants of an enum, or some along a scale.
    pub colours: Vec<u32>,
}

/// How numbers become colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourMap {
    /// Lightness grows or falls evenly.
    #[default]
    Perceptual,
    /// Two hues around a middle.
    Diverging,
    /// A circle of hues.
    Cyclic,
    /// Shades of grey.
    Grey,
    /// The direction of a vector as a hue, which its length takes away from grey. The state is its first component.
    Direction,
}

impl ColourMap {
    /// The names that rules know them by; a picture of a vector has no other map than its own.
    pub const NAMES: [(&'static str, ColourMap); 5] = [
        ("hue", ColourMap::Cyclic),
        ("perceptual", ColourMap::Perceptual),
        ("diverging", ColourMap::Diverging),
        ("cyclic", ColourMap::Cyclic),
        ("grey", ColourMap::Grey),
    ];
}

/// The variants of an enum type, numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnumType {
    /// Names of the variants; between 1 and 256 of them.
    pub variants: Vec<String>,
}

/// A value that a run may set without the rule being compiled again.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its value unless the run sets another or, if it is derived, one of those that it depends on.
    pub default: Value,
    /// How its default follows from parameters above it, if it does.
    #[doc(hidden)]
    pub derived: Option<DerivedValue>,
    /// The least and the greatest value that it may have; before the rule is fitted to a domain, in any dimension.
    pub range: Option<(Value, Value)>,
    /// The same in one, two and three dimensions, if it depends on that.
    pub range_in: Option<[(Value, Value); 3]>,
}

/// A value that follows from parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedValue {
    /// The code: constants, parameters and operations.
    pub body: Body,
    /// The node that gives the value.
    pub value: NodeId,
}

/// A number about all cells, which steps read as they read a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type: bit, i64 or f64.
    pub ty: Type,
    /// The value before the first step.
    pub initial: GlobalExpr,
}

/// A field: one value per cell.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// One step of a time step: computes new values from the state before it, for every cell at once unless it has an order.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The name in the text, or `None` for the single step made of a rule's own `next`s.
    pub name: Option<String>,
    /// The numbers about all cells that are computed before the step: values of [`RuleParts::globals`].
    pub globals: Vec<(u16, GlobalExpr)>,
    /// A node of `body` of type bit: cells for which it is false keep all their values.
    pub guard: Option<NodeId>,
    /// If cells take their turns one after the other: in which order.
    pub order: Option<StepOrder>,
    /// The code; [`Body::results`] holds the states that have a `next` here. The others keep their values.
    pub body: Body,
    /// Code that computes values of pairs, at the same time.
    pub pairs: Vec<PairCode>,
    /// Clusters that are computed before it.
    pub clusters: Vec<Clusters>,
}

impl Step {
    /// Its code, and that of its pairs.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &Body> {
        [&self.body].into_iter().chain(self.pairs.iter().map(|pairs| &pairs.body))
    }
}

/// A number, or a list, about all cells, on demand.
#[derive(Clone, Debug, PartialEq)]
pub struct Observable {
    /// Its name.
    pub name: String,
    /// The expression.
    pub value: GlobalExpr,
    /// The type of its numbers.
    pub ty: GlobalType,
    /// How many numbers it has.
    pub shape: GlobalShape,
    /// Whether it is of the end of a run alone.
    pub at_end: bool,
}

/// A bit of each cell by which the members of an ensemble are compared, each with each.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// Its name.
    pub name: String,
    /// The bit.
    pub bit: ComparedBit,
}

/// Where the bit that is compared is from.
#[derive(Clone, Debug, PartialEq)]
pub enum ComparedBit {
    /// It is a state.
    State(StateId),
    /// One time step of this rule computes it. The rule has the same parameters, the same states and behind them one more of bits, which is all that
    /// changes; the time does not matter.
    Computed(Arc<Rule>),
}

/// A number computed over all cells, or one for each replica of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// A name, of no other reduction of the rule.
    pub name: String,
    /// How the terms of the cells are combined.
    pub kind: Combine,
    /// The type of the term. Bits and integers combine exactly in i64, floats in f64 digit by digit.
    pub ty: Type,
    /// The node of `body` that gives a cell's term.
    pub term: NodeId,
    /// The code, which several may share; its `results` are empty.
    pub body: Arc<Body>,
    /// Which cells a number is of.
    pub grouping: Grouping,
    /// When it can be computed, and how its terms are used.
    pub round: Round,
}

impl Reduction {
    /// Whether it is one number of all cells, computed at once.
    pub(crate) fn is_whole_at_once(&self) -> bool {
        self.grouping == Grouping::Whole && self.round == Round::First
    }
}

/// The cells that a number of a reduction is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// All.
    Whole,
    /// The cells of a replica of this level: a number for each, in canonical order.
    Level(u32),
}

impl Grouping {
    /// The level whose replicas have a number each, if there is one.
    pub fn level(self) -> Option<u32> {
        match self {
            Grouping::Whole => None,
            Grouping::Level(level) => Some(level),
        }
    }
}

/// How a reduction combines the terms of all cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// The sum.
    Sum,
    /// How many are true.
    Count,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// A list of offsets in the order in which aggregates visit them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Neighbourhood {
    /// All offsets with Chebyshev norm 1 to this radius, in the fractal's own dimension.
    Moore(u32),
    /// All offsets with taxicab norm 1 to this radius, in the fractal's own dimension.
    VonNeumann(u32),
    /// The positive offsets of another, in its order: one for each pair that a cell owns.
    Pairs(Box<Neighbourhood>),
    /// A named list, as written: (dx, dy, dz), with dz = 0 where pairs were written.
    Listed {
        /// The name in the text.
        name: String,
        /// The offsets.
        offsets: Vec<[i32; 3]>,
    },
}

/// Makes a neighbourhood of its radius.
type OfRadius = fn(u32) -> Neighbourhood;

impl Neighbourhood {
    /// The neighbourhoods that have a radius, by their names in the language.
    pub(crate) const BUILT_IN: [(&str, OfRadius); 2] =
        [("moore", Neighbourhood::Moore), ("von_neumann", Neighbourhood::VonNeumann)];

    /// The neighbourhood of this name with this radius, if it is one of `Neighbourhood::BUILT_IN`.
    pub fn built_in(name: &str, radius: u32) -> Option<Neighbourhood> {
        Self::BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, of_radius)| of_radius(radius))
    }

    /// Whether a name is one of [`Neighbourhood::BUILT_IN`].
    pub(crate) fn is_built_in(name: &str) -> bool {
        Self::built_in(name, 1).is_some()
    }

    /// The offsets (dx, dy, dz), in order: for the built-in ones reading order, that is z, then y, then x ascending.
    pub fn offsets(&self, dimension: Dimension) -> Vec<[i32; 3]> {
        let (radius, taxicab) = match self {
            Neighbourhood::Moore(radius) => (*radius as i32, false),
            Neighbourhood::VonNeumann(radius) => (*radius as i32, true),
            Neighbourhood::Listed { offsets, .. } => return offsets.clone(),
            Neighbourhood::Pairs(of) => {
                return of.offsets(dimension).into_iter().filter(|offset| is_positive(*offset)).collect();
            }
        };
        let along = |axis: usize| if axis < dimension.axes() { radius } else { 0 };
        let (height, depth) = (along(1), along(2));
        let mut offsets = Vec::new();
        for dz in -depth..=depth {
            for dy in -height..=height {
                for dx in -radius..=radius {
                    let inside = !taxicab || dx.abs() + dy.abs() + dz.abs() <= radius;
                    if inside && (dx, dy, dz) != (0, 0, 0) {
                        offsets.push([dx, dy, dz]);
                    }
                }
            }
        }
        offsets
    }

    /// How many offsets there are at most, reckoned without making them.
    pub(crate) fn offsets_at_most(&self, dimension: Dimension) -> i128 {
        match self {
            Neighbourhood::Moore(radius) => (2 * i128::from(*radius) + 1).pow(dimension.axes() as u32) - 1,
            Neighbourhood::VonNeumann(radius) => match dimension {
                Dimension::One => 2 * i128::from(*radius),
                Dimension::Two => 2 * i128::from(*radius) * (i128::from(*radius) + 1),
                Dimension::Three => (2 * i128::from(*radius) + 1).pow(3) - 1,
            },
            Neighbourhood::Listed { offsets, .. } => offsets.len() as i128,
            Neighbourhood::Pairs(of) => of.offsets_at_most(dimension) / 2,
        }
    }
}

/// A field that holds the sum of another's values at the neighbours of each cell that exist.
#[derive(Clone, Debug, PartialEq)]
pub struct NeighbourSum {
    /// The number of the step before which it is computed.
    pub before: usize,
    /// The field: of whole numbers, in which sums wrap.
    pub field: StateId,
    /// The state or field of bits or whole numbers whose values are added.
    pub of: StateId,
    /// The neighbours.
    pub neighbours: Arc<SummedNeighbours>,
    /// The value beyond the edges of the domain, where there is something.
    pub beyond: Option<SideBoundary>,
}

/// The offsets of neighbours whose values are added. There is at least one.
#[derive(Clone, Debug, PartialEq)]
pub enum SummedNeighbours {
    /// All places of a box.
    Box {
        /// From the first offset to the last, along each axis.
        sides: [RangeInclusive<i32>; 3],
        /// Whether the cell itself, which is in it, is left out.
        without_own: bool,
    },
    /// Any others.
    Runs(Vec<OffsetRun>),
}

/// Neighbours side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffsetRun {
    /// Their offsets along y and z.
    pub row: [i32; 2],
    /// From the first offset along x to the last.
    pub along: RangeInclusive<i32>,
}

/// Straight-line code for one cell: each node's operands stand before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The new values of states, in the order of the text; each state at most once.
    pub results: Vec<(StateId, NodeId)>,
}

impl Body {
    /// The node with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Which nodes are wanted, or needed by wanted nodes or by their terms.
    pub(crate) fn needed(&self, wanted: &[NodeId]) -> Vec<bool> {
        let mut needed = vec![false; self.nodes.len()];
        wanted.iter().for_each(|id| needed[id.0 as usize] = true);
        for index in (0..self.nodes.len()).rev() {
            if needed[index] {
                self.nodes[index].op.operands().into_iter().for_each(|id| needed[id.0 as usize] = true);
            }
        }
        needed
    }

    /// The ids of the nodes that are evaluated once per cell, in order: all but those inside aggregates' terms.
    pub fn cell_nodes(&self) -> Vec<NodeId> {
        let mut inside = vec![false; self.nodes.len()];
        for node in &self.nodes {
            if let Op::Aggregate(aggregate) = &node.op {
                for id in aggregate.term.clone() {
                    inside[id as usize] = true;
                }
            }
        }
        (0..self.nodes.len() as u32).map(NodeId).filter(|id| !inside[id.0 as usize]).collect()
    }
}

/// An operation and the type of its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The type of the result.
    pub ty: Type,
    /// The operation.
    pub op: Op,
}

/// The operation of a node. Operands have the types that the comments say; where nothing is said, the result's.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "fields are called as what they hold")]
pub enum Op {
    /// A constant.
    Const(Value),
    /// The current value of a parameter, an index into [`RuleParts::params`], or of a global, whose numbers follow, or of one of [`RuleParts::earlier`].
    Param(u16),
    /// The cell's own value of a state.
    State(StateId),
    /// The cell's coordinate on axis 0 (x), 1 (y) or 2 (z), as i32.
    Coordinate(u8),
    /// The level r, as i32.
    Level,
    /// The side of the expanded grid, as i32: the greatest of the three.
    Side,
    /// Width (0), height (1) or depth (2) of the expanded grid, as i32; 1 along an axis that the domain does not have.
    Extent(u8),
    /// The time t of the state being computed (0 in `init`, the t of the state looked at in `observe`), as u32.
    Time,
    /// Inside an aggregate's term only: the neighbour's value of a state.
    Neighbour(StateId),
    /// Inside an aggregate's term only: the neighbour's offset on axis 0, 1 or 2, as i32.
    Offset(u8),
    /// Inside an aggregate's term only: the weight of the neighbour, given for each offset of the neighbourhood in order.
    Weight(Vec<Value>),
    /// The value of `state` at `offset` (dx, dy, dz) from the cell if that is a cell, else `otherwise`.
    Read {
        state: StateId,
        /// (dx, dy, dz); dz = 0 if the text gives a pair.
        offset: [i32; 3],
        otherwise: NodeId,
    },
    /// An aggregate over a neighbourhood.
    Aggregate(Aggregate),
    /// An operation with one operand.
    Unary(UnaryOp, NodeId),
    /// An operation with two operands of the result's type.
    Binary(BinaryOp, NodeId, NodeId),
    /// `left << right` or `left >> right`: `left` has the result's integer type, `right` any integer type, and only
    /// `right mod width` counts (of its two's complement bits). `>>` is arithmetic on i32.
    Shift { left: bool, value: NodeId, count: NodeId },
    /// A comparison of two operands of one type; the result is a bit. Only `Equal` and `NotEqual` for bits and enums.
    Compare(CompareOp, NodeId, NodeId),
    /// `condition` (a bit) `? then : otherwise`; both sides are evaluated.
    Select { condition: NodeId, then: NodeId, otherwise: NodeId },
    /// A conversion to the result's type (never an enum). From bits and enums their number; to a bit: differs from
    /// zero; integers wrap; float to integer truncates and saturates, NaN gives 0; to a float rounds to nearest even.
    Cast(NodeId),
    /// A function of floats.
    Math(MathFn, NodeId),
    /// A function of two floats.
    Math2(MathFn2, NodeId, NodeId),
    /// The value of a table, whose type is the result's, with a number of any integer type; below the first it is the first, beyond the last the last.
    LookUp { table: ConstTable, index: NodeId },
    /// Draw number `draw` as a word (u32).
    RandomBits { draw: u32 },
    /// `f32(word >> 8) · 2^-24` of draw number `draw`.
    RandomUniform { draw: u32 },
    /// `below(n)`: ⌊word of draw number `draw` · n / 2^32⌋ of a u32.
    RandomBelow { draw: u32, bound: NodeId },
    /// A bit: word of draw number `draw` < ⌊f64(p)·2^32⌋, with `probability` an f32 or f64; p ≥ 1 always, p ≤ 0 or NaN never.
    RandomBit { draw: u32, probability: NodeId },
}

/// An aggregate over the existing neighbours of the cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// How the terms are combined.
    pub kind: AggregateKind,
    /// An index into [`RuleParts::neighbourhoods`].
    pub neighbourhood: u16,
    /// The nodes evaluated for each neighbour: these ids, directly before the aggregate itself. They may use nodes of the
    /// cell that stand before the range; no other aggregate stands among them.
    pub term: Range<u32>,
    /// The node that gives the term: inside the range, or a node of the cell.
    pub value: NodeId,
    /// `Min`, `Max` and `Pick`: the value if no neighbour exists, a node of the cell before the range; else `None`.
    pub otherwise: Option<NodeId>,
    /// `Pick`: the number of the one neighbour that is taken, of those that exist, from 0: a u32 of the cell before the range.
    pub index: Option<NodeId>,
}

named! {
    /// How an aggregate combines the terms of the existing neighbours.
    pub enum AggregateKind {
        /// Terms of the result's type, added in order from 0. (A sum of bits counts them: then the terms are bits and
        /// the result is i32, as with `Count`.)
        Sum = "sum",
        /// Terms are bits; how many are true, as i32.
        Count = "count",
        /// Terms are bits; false if there is no neighbour.
        Any = "any",
        /// Terms are bits; true if there is no neighbour.
        All = "all",
        /// Terms of the result's type, multiplied in order from 1.
        Product = "product",
        /// Folds `min(a, b)` = `if b < a { b } else { a }` in order from the first existing neighbour.
        Min = "min",
        /// Folds `max(a, b)` = `if a < b { b } else { a }` in order from the first existing neighbour.
        Max = "max",
        /// The term of the existing neighbour with the number [`Aggregate::index`], of any type.
        Pick = "pick",
    }
}

/// The pattern of all operations that give the same in all cells, whatever stands before them, but constants.
macro_rules! of_all_cells {
    () => {
        $crate::ir::rule::Op::Param(_)
            | $crate::ir::rule::Op::Level
            | $crate::ir::rule::Op::Side
            | $crate::ir::rule::Op::Time
    };
}

/// The pattern of all operations that ask the cell or its neighbours for something.
macro_rules! of_cell {
    () => {
        $crate::ir::rule::Op::State(_)
            | $crate::ir::rule::Op::Coordinate(_)
            | $crate::ir::rule::Op::Extent(_)
            | $crate::ir::rule::Op::Neighbour(_)
            | $crate::ir::rule::Op::Offset(_)
            | $crate::ir::rule::Op::Weight(_)
            | $crate::ir::rule::Op::Read { .. }
            | $crate::ir::rule::Op::Aggregate(_)
            | $crate::ir::rule::Op::RandomBits { .. }
            | $crate::ir::rule::Op::RandomUniform { .. }
            | $crate::ir::rule::Op::RandomBelow { .. }
            | $crate::ir::rule::Op::RandomBit { .. }
    };
}

/// The pattern of all operations that are computed from their operands alone, and of constants.
macro_rules! of_operands {
    () => {
        $crate::ir::rule::Op::Const(_)
            | $crate::ir::rule::Op::Unary(..)
            | $crate::ir::rule::Op::Binary(..)
            | $crate::ir::rule::Op::Shift { .. }
            | $crate::ir::rule::Op::Compare(..)
            | $crate::ir::rule::Op::Select { .. }
            | $crate::ir::rule::Op::Cast(_)
            | $crate::ir::rule::Op::Math(..)
            | $crate::ir::rule::Op::Math2(..)
            | $crate::ir::rule::Op::LookUp { .. }
    };
}

pub(crate) use {of_all_cells, of_cell, of_operands};

impl Op {
    /// Its operands, in the order of [`visit_operands`](Op::visit_operands).
    pub(crate) fn operands(&self) -> Vec<NodeId> {
        let mut operands = Vec::new();
        self.clone().visit_operands(|operand| operands.push(*operand));
        operands
    }

    /// Calls `visit` on every operand, in the order in which the text would name them. For an aggregate that is its term's
    /// value and then what stands after `else`.
    pub(crate) fn visit_operands(&mut self, mut visit: impl FnMut(&mut NodeId)) {
        match self {
            Op::Const(_)
            | Op::Param(_)
            | Op::State(_)
            | Op::Coordinate(_)
            | Op::Level
            | Op::Side
            | Op::Extent(_)
            | Op::Time
            | Op::Neighbour(_)
            | Op::Offset(_)
            | Op::Weight(_)
            | Op::RandomBits { .. }
            | Op::RandomUniform { .. } => {}
            Op::Read { otherwise: a, .. }
            | Op::Unary(_, a)
            | Op::Cast(a)
            | Op::Math(_, a)
            | Op::LookUp { index: a, .. }
            | Op::RandomBelow { bound: a, .. }
            | Op::RandomBit { probability: a, .. } => visit(a),
            Op::Binary(_, a, b) | Op::Shift { value: a, count: b, .. } | Op::Compare(_, a, b) | Op::Math2(_, a, b) => {
                visit(a);
                visit(b);
            }
            Op::Select { condition, then, otherwise } => {
                visit(condition);
                visit(then);
                visit(otherwise);
            }
            Op::Aggregate(aggregate) => {
                visit(&mut aggregate.value);
                if let Some(otherwise) = &mut aggregate.otherwise {
                    visit(otherwise);
                }
                if let Some(index) = &mut aggregate.index {
                    visit(index);
                }
            }
        }
    }

    /// The number of the operation's draw, for operations that draw.
    pub(crate) fn draw_mut(&mut self) -> Option<&mut u32> {
        match self {
            Op::RandomBits { draw }
            | Op::RandomUniform { draw }
            | Op::RandomBelow { draw, .. }
            | Op::RandomBit { draw, .. } => Some(draw),
            _ => None,
        }
    }

    /// Whether it draws.
    pub fn draws(&self) -> bool {
        matches!(self, Op::RandomBits { .. } | Op::RandomUniform { .. } | Op::RandomBelow { .. } | Op::RandomBit { .. })
    }
}

/// The kinds of a rule's draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// Whether initial values are drawn with the seed of the run,
    pub at_beginning: bool,
    /// whether steps draw,
    pub in_steps: bool,
    /// and whether initial values are drawn from disorder.
    pub from_disorder: bool,
}

impl Param {
    /// Whether its range has this value; a NaN is in no range.
    pub fn admits(&self, value: Value) -> bool {
        use crate::numbers::scalar::compare;
        self.range.is_none_or(|(least, most)| {
            compare(CompareOp::LessEqual, least, value) && compare(CompareOp::LessEqual, value, most)
        })
    }

    /// The valid values of its range, in words; empty without a range.
    pub fn range_text(&self) -> String {
        self.range.map_or(String::new(), |(least, most)| format!("valid are {} to {}", least.as_text(), most.as_text()))
    }
}

/// Questions of the compiler and of engines.
#[doc(hidden)]
impl RuleParts {
    /// The rule with some of its reductions, for the kernels of their terms: nothing else may read them then.
    #[must_use]
    pub fn with_reductions(&self, which: &[usize]) -> RuleParts {
        let reductions = which.iter().map(|index| self.reductions[*index].clone()).collect();
        RuleParts { reductions, ..self.clone() }
    }

    /// Whether some step gives the state of this index new values.
    pub fn changes(&self, state: usize) -> bool {
        let values = |id: StateId| self.bond(id).map_or(1, |bond| bond.offsets.len().max(1));
        let is_of = |(id, _): &(StateId, NodeId)| (usize::from(id.0)..usize::from(id.0) + values(*id)).contains(&state);
        let of_clusters = self.steps.iter().flat_map(|step| &step.clusters).flat_map(|of| &of.values);
        self.steps.iter().flat_map(Step::bodies).any(|body| body.results.iter().any(is_of)) || { of_clusters }
            .any(|value| usize::from(value.to.0) == state)
    }

    /// How far one time step looks, in cells along an axis, or the code of initial values if that is more.
    pub fn reach(&self, dimension: Dimension) -> u32 {
        self.reaches(dimension).sum::<u32>().max(self.reach_of(&self.init, dimension))
    }

    /// The state or field with this id.
    pub fn state(&self, id: StateId) -> &State {
        let index = usize::from(id.0);
        self.states.get(index).unwrap_or_else(|| &self.fields[index - self.states.len()])
    }

    /// All states and fields, by id.
    pub fn states_and_fields(&self) -> impl Iterator<Item = &State> {
        self.states.iter().chain(&self.fields)
    }

    /// The states and fields kept in memory if kernels compute as much as they may ([`Rule::step_by_step`] says how much): a field that
    /// one kernel computes and reads is not.
    pub fn kept_states(&self) -> impl Iterator<Item = &State> {
        let fields = if self.step_by_step() { self.fields.as_slice() } else { &[] };
        self.states.iter().chain(fields)
    }

    /// Whether kernels hold one named step each: a cell draws for itself only, globals are computed between steps, cells take turns in some, and steps that are
    /// left out at some times have no part in others.
    pub fn step_by_step(&self) -> bool {
        self.keeps_cheaper || self.must_be_step_by_step()
    }

    /// The same where nothing is kept because it is cheaper.
    pub(super) fn must_be_step_by_step(&self) -> bool {
        self.is_ordered()
            || self.draws()
            || !self.globals.is_empty()
            || self.index.is_some()
            || !self.inputs.is_empty()
            || self.asks_clusters()
            || self.keeps_fields()
            || self.skips_steps()
    }

    /// Whether fields are kept in memory although a kernel could compute them where it reads them: it would compute them too often.
    fn keeps_fields(&self) -> bool {
        /// The most other cells whose fields a cell computes by itself.
        const MOST_COMPUTED: i128 = 100;
        let neighbours = |op: &Op| match op {
            Op::Aggregate(aggregate) => {
                self.neighbourhoods[usize::from(aggregate.neighbourhood)].offsets_at_most(Dimension::Two)
            }
            Op::Read { .. } => 1,
            _ => 0,
        };
        let of_step = |step: &Step| step.body.nodes.iter().map(|node| neighbours(&node.op)).max().unwrap_or(0).max(1);
        let far = || self.steps.iter().map(of_step).fold(1, i128::saturating_mul) > MOST_COMPUTED;
        !self.fields.is_empty() && (far() || self.reach(Dimension::Two) > 4)
    }

    /// The name and type of a parameter, a global or a number of an earlier round, by its number in [`Op::Param`].
    pub fn param(&self, number: u16) -> (&str, Type) {
        let mut index = usize::from(number);
        if let Some(param) = self.params.get(index) {
            return (&param.name, param.ty);
        }
        index -= self.params.len();
        match self.globals.get(index) {
            Some(global) => (&global.name, global.ty),
            None => {
                let (name, ty) = &self.earlier[index - self.globals.len()];
                (name, *ty)
            }
        }
    }

    /// How many numbers kernels are given: parameters, globals and those of an earlier round.
    pub fn numbers(&self) -> usize {
        self.params.len() + self.globals.len() + self.earlier.len()
    }

    /// Whether its named steps can be kernels of their own, one after the other: values that neighbours read are then kept in memory.
    pub(crate) fn may_be_apart(&self) -> bool {
        self.step_by_step() || (self.steps.len() > 1 && self.fields.is_empty())
    }

    /// Whether places beyond the edges exist only where the mirrored place is a cell.
    pub fn reflects(&self) -> bool {
        self.edges.iter().flatten().any(|edge| edge.reflects())
    }

    /// Whether sides differ in what is beyond them.
    pub fn has_sides(&self) -> bool {
        self.edges.iter().flatten().any(|edge| matches!(edge, Boundary::Sides(_)))
    }

    /// How places beyond a side exist: `None` if they do not, else whether only where the mirrored place exists.
    pub fn mirrors_at(&self, side: usize) -> Option<bool> {
        let edges = self.edges.iter().flatten().filter_map(|edge| edge.at(side));
        edges.map(|edge| edge == SideBoundary::Reflect).reduce(|a, b| a || b)
    }

    /// The code of all steps, and of all reductions.
    fn bodies(&self) -> impl Iterator<Item = &Body> {
        let steps = self.steps.iter().chain(&self.observed_fields).flat_map(Step::bodies);
        steps.chain(self.reductions.iter().map(|reduction| &*reduction.body)).chain([&self.init])
    }

    /// The states and fields that something reads at neighbours, ascending.
    pub fn read_at_neighbours(&self) -> Vec<StateId> {
        let mut read: Vec<StateId> = (self.bodies())
            .flat_map(|body| &body.nodes)
            .filter_map(|node| match node.op {
                Op::Neighbour(state) | Op::Read { state, .. } => Some(state),
                _ => None,
            })
            .collect();
        read.sort_unstable();
        read.dedup();
        read
    }

    /// Whether cells ask for the width, height or depth of the expanded grid.
    pub fn names_extents(&self) -> bool {
        self.bodies()
            .chain(self.init_pairs.iter().map(|pairs| &pairs.body))
            .any(|body| body.nodes.iter().any(|node| matches!(node.op, Op::Extent(_))))
    }

    /// The numbers of all its reductions.
    pub fn all_reductions(&self) -> Vec<usize> {
        (0..self.reductions.len()).collect()
    }

    /// The levels by whose replicas it reduces.
    pub fn levels(&self) -> impl Iterator<Item = u32> {
        self.reductions.iter().filter_map(|reduction| reduction.grouping.level())
    }

    /// The phases of a time step, in order.
    pub fn phases(&self) -> Vec<Phase> {
        let of_step = |(index, Step { globals, clusters, .. }): (usize, &Step)| {
            let mut reductions = Vec::new();
            globals.iter().for_each(|(_, value)| value.reductions(&mut reductions));
            reductions.sort_unstable();
            reductions.dedup();
            let globals = (!globals.is_empty()).then_some(Phase::Globals { before: index, reductions });
            let clusters = (!clusters.is_empty()).then_some(Phase::Clusters { before: index });
            globals.into_iter().chain(clusters).chain([Phase::Step(index)])
        };
        let count = self.steps.len() - self.observed_steps;
        self.steps.iter().enumerate().take(count).flat_map(of_step).collect()
    }

    /// The phases by which all that observables and globals read is computed, in order, if that is not done with them.
    pub fn phases_of_observables(&self) -> Vec<Phase> {
        let first = self.steps.len() - self.observed_steps;
        let of_step = |(index, step): (usize, &Step)| {
            let clusters = (!step.clusters.is_empty()).then_some(Phase::Clusters { before: index });
            clusters.into_iter().chain((!step.body.results.is_empty()).then_some(Phase::Step(index)))
        };
        self.steps.iter().enumerate().skip(first).flat_map(of_step).collect()
    }

    /// The states, and the fields that stand beside them, that some reductions read: no others need to be there.
    pub fn read_by(&self, reductions: &[usize]) -> BTreeSet<StateId> {
        let term = |index: &usize| (&*self.reductions[*index].body, self.reductions[*index].term);
        self.read_from(reductions.iter().map(term).collect())
    }

    /// The same of some code.
    pub(crate) fn read_from<'r>(&'r self, mut open: Vec<(&'r Body, NodeId)>) -> BTreeSet<StateId> {
        let (mut read, mut seen) = (BTreeSet::new(), BTreeSet::new());
        while let Some((body, node)) = open.pop() {
            if !seen.insert((std::ptr::from_ref(body), node)) {
                continue;
            }
            let op = &body.nodes[node.0 as usize].op;
            open.extend(op.operands().into_iter().map(|operand| (body, operand)));
            let (Op::State(state) | Op::Neighbour(state) | Op::Read { state, .. }) = op else { continue };
            let computed = self.computing(*state);
            if computed.is_empty() {
                read.insert(*state);
            }
            open.extend(computed);
        }
        read
    }

    /// The code that computes a field of observables, from the states that it reads.
    pub(crate) fn computing(&self, field: StateId) -> Vec<(&Body, NodeId)> {
        let result = |body: &'_ Body| body.results.iter().find(|(of, _)| *of == field).map(|(_, node)| *node);
        let bodies = self.observed_fields.iter().flat_map(Step::bodies);
        bodies.filter_map(|body| Some((body, result(body)?))).collect()
    }
}

impl RuleParts {
    /// The state with this name.
    pub fn state_named(&self, name: &str) -> Option<StateId> {
        self.states.iter().position(|state| state.name == name).map(|i| StateId(i as u16))
    }

    /// The name of the vector whose first component a state is, and the second component.
    pub fn vector_of(&self, state: StateId) -> Option<(&str, StateId)> {
        let name = self.state(state).name.strip_suffix(".x")?;
        Some((name, self.state_named(&format!("{name}.y"))?))
    }

    /// The enum type with this id.
    pub fn enum_type(&self, id: EnumId) -> &EnumType {
        &self.enums[usize::from(id.0)]
    }

    /// A type's name as the language writes it.
    pub fn type_name(&self, ty: Type) -> String {
        type_name(&self.enums, ty)
    }

    /// Whether the steps draw random numbers.
    pub fn draws(&self) -> bool {
        let by_clusters = self.all_clusters().flat_map(|of| &of.values).any(|value| value.kind.draws());
        by_clusters
            || self.steps.iter().flat_map(Step::bodies).any(|body| body.nodes.iter().any(|node| node.op.draws()))
    }

    /// The kinds of draws, by seed.
    #[doc(hidden)]
    pub fn drawn(&self) -> Draws {
        let of_disorder: Vec<NodeId> =
            self.init.results.iter().filter(|(state, _)| self.disorder.contains(state)).map(|(_, id)| *id).collect();
        let is_of_disorder = self.init.needed(&of_disorder);
        let of_pairs = |pairs: &PairCode| {
            let others = pairs.body.results.iter().filter(|(state, _)| !self.disorder.contains(state));
            let needed = pairs.body.needed(&others.map(|(_, id)| *id).collect::<Vec<_>>());
            pairs.body.nodes.iter().zip(needed).any(|(node, needed)| needed && node.op.draws())
        };
        let at_beginning = self.init.nodes.iter().zip(is_of_disorder).any(|(node, other)| node.op.draws() && !other)
            || self.init_pairs.iter().any(of_pairs);
        let mut in_steps = self.draws();
        for (_, total) in self.steps.iter().flat_map(|step| &step.globals) {
            total.clone().visit(&mut |inner| in_steps |= matches!(inner, GlobalExpr::Random { .. }));
        }
        Draws { at_beginning, in_steps, from_disorder: !self.disorder.is_empty() }
    }

    /// The states that are drawn with the seed of the run in `init` and that no step sets: each run has a system of its own.
    #[doc(hidden)]
    pub fn drawn_once(&self) -> impl Iterator<Item = StateId> {
        let nodes_of = |of: &dyn Fn(StateId) -> bool| {
            let wanted: Vec<NodeId> = self.init.results.iter().filter(|(own, _)| of(*own)).map(|(_, id)| *id).collect();
            self.init.needed(&wanted)
        };
        let of_disorder = nodes_of(&|state| self.disorder.contains(&state));
        (0..self.states.len() as u16).map(StateId).filter(move |state| {
            let needed = nodes_of(&|own| own == *state);
            let mut own = self.init.nodes.iter().zip(needed).zip(&of_disorder);
            // The code of a pair holds all that stands above it in the text.
            let of_pairs = |PairCode { body, .. }: &PairCode| {
                let own = body.results.iter().filter(|(own, _)| own == state).map(|(_, id)| *id);
                let needed = body.needed(&own.collect::<Vec<_>>());
                body.nodes.iter().zip(needed).any(|(node, needed)| needed && node.op.draws())
            };
            let draws = own.any(|((node, needed), of_disorder)| needed && !of_disorder && node.op.draws())
                || self.init_pairs.iter().any(of_pairs);
            draws && !self.disorder.contains(state) && !self.changes(usize::from(state.0))
        })
    }

    /// A state that no step sets and whose first value reads one of the parameters that `reads` names.
    #[doc(hidden)]
    pub fn kept_from(&self, reads: impl Fn(usize) -> bool) -> Option<StateId> {
        let reads = |node: &Node| matches!(node.op, Op::Param(index) if reads(usize::from(index)));
        let bodies = self.init_pairs.iter().map(|pairs| &pairs.body).chain([&self.init]);
        let mut made = bodies.flat_map(|body| body.results.iter().map(move |(state, id)| (body, *state, *id)));
        let found = made.find(|(body, state, id)| {
            !self.changes(usize::from(state.0))
                && body.nodes.iter().zip(body.needed(&[*id])).any(|(node, needed)| needed && reads(node))
        });
        found.map(|(_, state, _)| state)
    }

    /// How far the named step looks that looks farthest.
    pub(crate) fn farthest_reach(&self, dimension: Dimension) -> u32 {
        self.reaches(dimension).max().unwrap_or(0).max(self.reach_of(&self.init, dimension))
    }

    /// How far the rule looks along each axis, in any one aggregate or read of its steps and observables.
    pub(crate) fn reach_along_axes(&self, dimension: Dimension) -> [u32; 3] {
        let mut reach = [0; 3];
        let mut look = |offset: &[i32; 3]| {
            for (reach, v) in reach.iter_mut().zip(offset) {
                *reach = v.unsigned_abs().max(*reach);
            }
        };
        for node in self.bodies().flat_map(|body| &body.nodes) {
            match &node.op {
                Op::Aggregate(aggregate) => {
                    let neighbourhood = &self.neighbourhoods[usize::from(aggregate.neighbourhood)];
                    neighbourhood.offsets(dimension).iter().for_each(&mut look);
                }
                Op::Read { offset, .. } => look(offset),
                _ => {}
            }
        }
        let steps = self.steps.iter().chain(&self.observed_fields);
        for pairs in steps.flat_map(|step| &step.pairs).chain(&self.init_pairs) {
            self.neighbourhoods[usize::from(pairs.neighbourhood)].offsets(dimension).iter().for_each(&mut look);
        }
        reach
    }

    /// How far each named step looks.
    fn reaches(&self, dimension: Dimension) -> impl Iterator<Item = u32> {
        self.steps.iter().map(move |step| self.reach_of(&step.body, dimension))
    }

    /// How far some code looks.
    fn reach_of(&self, body: &Body, dimension: Dimension) -> u32 {
        let longest = |offset: &[i32; 3]| offset.iter().map(|v| v.unsigned_abs()).max().unwrap_or(0);
        let of_op = move |op: &Op| match op {
            Op::Aggregate(aggregate) => {
                let neighbourhood = &self.neighbourhoods[usize::from(aggregate.neighbourhood)];
                neighbourhood.offsets(dimension).iter().map(longest).max().unwrap_or(0)
            }
            Op::Read { offset, .. } => longest(offset),
            _ => 0,
        };
        body.nodes.iter().map(|node| of_op(&node.op)).max().unwrap_or(0)
    }
}

/// A part of a time step.
#[derive(Clone, Debug)]
pub enum Phase {
    /// Globals get values, one after the other.
    Globals {
        /// The number of the named step before which they are computed; it says how.
        before: usize,
        /// The reductions among that, ascending: they are computed of the states as they are then, at the time of the step.
        reductions: Vec<usize>,
    },
    /// Cells get values of their clusters.
    Clusters {
        /// The number of the named step before which they are computed; it says which.
        before: usize,
    },
    /// The named step of this number computes new states of all cells.
    Step(usize),
}

/// A type's name as the language writes it, given the enum types that it may refer to.
pub fn type_name(enums: &[EnumType], ty: Type) -> String {
    match ty {
        Type::Enum(id) => format!("enum {{ {} }}", enums[usize::from(id.0)].variants.join(", ")),
        named => named.name().to_owned(),
    }
}

impl RuleParts {
    /// The clusters that some step asks for, or some observable.
    pub fn all_clusters(&self) -> impl Iterator<Item = &Clusters> {
        self.steps.iter().chain(&self.observed_fields).flat_map(|step| &step.clusters)
    }

    /// Whether clusters are asked for.
    pub fn asks_clusters(&self) -> bool {
        self.all_clusters().next().is_some()
    }

    /// Whether some of these reductions read what clusters, or other steps of observables, must be computed for.
    #[doc(hidden)]
    pub fn reads_observed_steps(&self, which: &[usize]) -> bool {
        let first = self.steps.len() - self.observed_steps;
        let of_step = |step: &Step| {
            let of_clusters = step.clusters.iter().flat_map(|of| &of.values).map(|value| value.to);
            step.body.results.iter().map(|(state, _)| *state).chain(of_clusters).collect::<Vec<_>>()
        };
        let given: Vec<StateId> = self.steps[first..].iter().flat_map(of_step).collect();
        self.observed_steps > 0 && self.read_by(which).iter().any(|state| given.contains(state))
    }
}
