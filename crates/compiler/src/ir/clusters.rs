//! Clusters: the connected components of bonds, and the values that a step asks of them.
//!
//! A [`Clusters`] stands before a step. All that it reads are fields or bonds that all cells have then, and all that it gives are fields: so code of cells knows
//! nothing of it. It is computed for all cells at once, between two kernels.

use super::Value;
use super::ids::StateId;

/// The clusters of a bond before a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The name in the text.
    pub name: String,
    /// The first state or field of the bond, a bit; those of the other offsets follow.
    pub bond: StateId,
    /// The positive offsets of the bond, once the dimension is known.
    pub offsets: Vec<[i32; 3]>,
    /// A bit: which cells belong to clusters, if not all do.
    pub when: Option<StateId>,
    /// The values.
    pub values: Vec<ClusterValue>,
}

/// A value that each cell is given of its cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterValue {
    /// The kind.
    pub kind: ClusterQuantity,
    /// What is combined, or the argument of a draw.
    pub of: ClusterInput,
    /// The field that it is given in.
    pub to: StateId,
}

/// What a value of clusters is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClusterInput {
    /// The cells alone.
    Nothing,
    /// A field.
    Field(StateId),
    /// A chance that is the same in all cells.
    Constant(Value),
}

impl ClusterInput {
    /// The field, if it is one.
    pub fn field(self) -> Option<StateId> {
        match self {
            ClusterInput::Field(field) => Some(field),
            ClusterInput::Nothing | ClusterInput::Constant(_) => None,
        }
    }
}

/// The kinds of values of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClusterQuantity {
    /// The least canonical index, an i64; −1 in cells that belong to none.
    Root,
    /// Whether the cell has that index.
    IsRoot,
    /// How many cells it has, or of how many a bit is true; an i64.
    Count,
    /// The sum of bits or integers, wrapping in i64.
    Sum,
    /// Whether a bit is true somewhere.
    Any,
    /// Whether a bit is true everywhere.
    All,
    /// The least of integers, in their type.
    Min,
    /// The greatest.
    Max,
    /// Whether it reaches both sides along an axis or, if that is joined, goes round.
    Spans(u8),
    /// The word of a draw of this number, by the root's place.
    Bits(u32),
    /// `uniform()` of that word.
    Uniform(u32),
    /// `below(n)`.
    Below(u32),
    /// `random(p)`.
    Chance(u32),
}

impl ClusterQuantity {
    /// Whether it draws.
    pub fn draws(mut self) -> bool {
        self.draw_mut().is_some()
    }

    /// Whether a number is kept for each root while it is computed.
    pub(crate) fn is_by_root(self) -> bool {
        !matches!(self, ClusterQuantity::Root | ClusterQuantity::IsRoot | ClusterQuantity::Chance(_))
    }

    /// The number of the draw, for those that draw.
    pub(crate) fn draw_mut(&mut self) -> Option<&mut u32> {
        match self {
            ClusterQuantity::Bits(draw)
            | ClusterQuantity::Uniform(draw)
            | ClusterQuantity::Below(draw)
            | ClusterQuantity::Chance(draw) => Some(draw),
            ClusterQuantity::Root
            | ClusterQuantity::IsRoot
            | ClusterQuantity::Count
            | ClusterQuantity::Sum
            | ClusterQuantity::Any
            | ClusterQuantity::All
            | ClusterQuantity::Min
            | ClusterQuantity::Max
            | ClusterQuantity::Spans(_) => None,
        }
    }
}

impl Clusters {
    /// The states and fields that it names.
    pub(crate) fn states_mut(&mut self) -> impl Iterator<Item = &mut StateId> {
        let of_values = self.values.iter_mut().flat_map(|value| {
            let of = match &mut value.of {
                ClusterInput::Field(field) => Some(field),
                ClusterInput::Nothing | ClusterInput::Constant(_) => None,
            };
            of.into_iter().chain([&mut value.to])
        });
        [&mut self.bond].into_iter().chain(&mut self.when).chain(of_values)
    }

    /// The numbers of its draws.
    pub(crate) fn draws_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.values.iter_mut().filter_map(|value| value.kind.draw_mut())
    }

    /// The states or fields of its bond, one for each positive offset.
    pub fn bonds(&self) -> impl Iterator<Item = (StateId, [i32; 3])> + '_ {
        (self.bond.0..).map(StateId).zip(self.offsets.iter().copied())
    }
}
