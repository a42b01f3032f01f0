//! The order in which an ordered step takes the cells.

use super::fractal::{Axes, Dimension};
use std::fmt;

/// The order in which a step takes the cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepOrder {
    /// Along these axes, the last one slowest. None is named twice.
    Along(Vec<SignedAxis>),
    /// Along all axes there are, forwards and backwards: 2^D steps in turn. [`Domain::fit`](crate::geometry::Domain::fit) leaves none.
    All {
        /// How many steps before this one compute the fields that it reads, and are repeated with it.
        fields: usize,
        /// How many numbers the draws of each of the steps take.
        draws: u32,
        /// How many numbers the draws of the globals before the first of them take.
        draws_of_globals: u32,
    },
}

/// An axis, and whether its coordinates descend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedAxis {
    /// 0 (x), 1 (y) or 2 (z).
    pub axis: u8,
    /// Whether coordinates descend.
    pub backwards: bool,
}

impl fmt::Display for SignedAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.backwards { "-" } else { "+" }, Axes::NAMES[usize::from(self.axis)])
    }
}

/// As the language writes it.
impl fmt::Display for StepOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepOrder::All { .. } => f.write_str("from all"),
            StepOrder::Along(axes) => {
                let axes: Vec<String> = axes.iter().map(SignedAxis::to_string).collect();
                write!(f, "from ({})", axes.join(", "))
            }
        }
    }
}

impl StepOrder {
    /// The steps that `from all` stands for, in a space of this dimension: `+` before `-`, the first axis fastest.
    pub(super) fn each_way(dimension: Dimension) -> impl Iterator<Item = Vec<SignedAxis>> {
        let axes = dimension.axes();
        (0..1usize << axes).map(move |signs| {
            (0..axes).map(|axis| SignedAxis { axis: axis as u8, backwards: signs >> axis & 1 == 1 }).collect()
        })
    }
}
