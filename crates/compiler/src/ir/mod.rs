//! The checked program, which the front end hands to all later stages.
//!
//! A [`Fractal`] is a list of [`Pattern`]s, one per level, repeated cyclically from the finest level up.
//! Level `r` of it is a finite set of *cells* in a grid of side `S_r`; everything outside that set is a *hole*.
//! A [`Rule`] says which *states* a cell carries, how they begin, and how one time step changes them, as
//! straight-line code for one cell.
//!
//! # What a rule's code means
//!
//! Each piece of code is a [`Body`]: a list of [`Node`]s in which operands stand before their users, so that
//! evaluating it is one walk from front to back. There is no control flow. `if` is [`Op::Select`] with both
//! sides evaluated, which is sound because every operation is total and free of effects: division by zero
//! gives 0, shifts are taken modulo the width, and a random draw is a pure function of (seed, cell, t, draw number).
//!
//! The one nested thing is an aggregate over a neighbourhood. The nodes of its term, which are evaluated once
//! for every neighbour that exists, stand directly before it ([`Aggregate::term`]); they may use nodes of the
//! cell that stand earlier, and nothing outside may use them. Aggregates do not nest.
//!
//! Evaluation order is fixed wherever it can be observed: terms of a sum are added in the neighbourhood's
//! order, starting from 0; every floating-point operation is IEEE 754, round to nearest even, never contracted.
//!
//! # Holes
//!
//! A neighbour exists if its coordinate is a cell. Aggregates skip the others; a direct read
//! ([`Op::Read`]) carries the value to use instead. No hole has a value.
//!
//! # Edges
//!
//! Where a domain says what lies beyond its edges ([`RuleParts::edges`]), a place outside of its box (along an axis that is not periodic) is a
//! neighbour like any other: aggregates take it up, degrees count it, reads find it. A state or field has there a constant, or the
//! value of the place mirrored at the edge, at each of the axes along which the place is outside. If anything is mirrored, the place exists
//! only where the mirrored one is a cell. Holes inside of the box stay holes.
//!
//! # Colours
//!
//! A named step may run once for each colour of a neighbourhood ([`RuleParts::coloured`]). How many there are follows from the domain, so
//! [`Domain::fit`](crate::geometry::Domain::fit) makes a step for each of them; what comes after knows of steps alone.
//!
//! # Orders
//!
//! A named step may take the cells in an [`StepOrder`]. Then there is no state before the step: each cell, or each group of cells, sees what stands there at its
//! turn, and what it becomes stands there at once. The fields that such a step reads are computed for all cells before it.
//!
//! # Pairs
//!
//! A field may have a value of each pair of neighbours ([`RuleParts::bonds`]), and code may be about pairs ([`PairCode`]).
//! [`Domain::fit`](crate::geometry::Domain::fit) turns that into fields of cells, one for each positive offset of the neighbourhood.
//!
//! # Inputs
//!
//! An [`Input`] is data that a run is given, a value for each coordinate along an axis. It is a field that no step changes, which `init` may read too.
//!
//! # What is deliberately absent
//!
//! Memory layouts, loops, levels, backends: the same [`Rule`] runs on any fractal of a fitting dimension at any
//! level. Types are scalar; there are no arrays, no recursion and no functions beyond the built-in ones.

mod clusters;
pub mod colours;
pub mod dependences;
mod each_way;
pub mod evaluate;
mod follows;
pub mod fractal;
pub mod global_expr;
mod ids;
mod inputs;
mod kept;
pub(crate) mod needs;
pub mod order;
pub mod pairs;
pub mod places;
pub mod rounds;
pub mod rule;
pub mod skips;
pub(crate) mod strips;
pub(crate) mod sums;
mod values;

pub use crate::numbers::operators::{BinaryOp, CompareOp, MathFn, MathFn2, UnaryOp};
pub use crate::numbers::value::{EnumId, QUIET_NAN_F32, QUIET_NAN_F64, Type, Value, whole};
pub use clusters::{ClusterInput, ClusterQuantity, ClusterValue, Clusters};
pub use colours::{ColourClasses, Coloured};
pub use dependences::{Dependences, OrderedStep};
pub use fractal::{Axes, Dimension, Edge, Fractal, FractalParts, Pattern};
pub use global_expr::{GlobalExpr, GlobalShape, GlobalType, Random};
pub use inputs::Input;
pub use order::{SignedAxis, StepOrder};
pub use pairs::{Bond, PairCode, PairDraws};
pub use places::Places;
pub use rounds::Round;
pub use rule::{
    Aggregate, AggregateKind, Body, Boundary, BySide, ColourMap, Combine, ComparedBit, DerivedValue, Draws, EnumType,
    Equilibrium, Global, Grouping, NeighbourSum, Neighbourhood, Node, NodeId, Observable, OffsetRun, Op, Overlap,
    Param, Phase, Reduction, Rule, RuleParts, RulePicture, SideBoundary, State, StateId, Step, Stop, SummedNeighbours,
};
pub use skips::Skips;
pub use strips::{StepSchedule, Strips, TileSize, TileWish};
