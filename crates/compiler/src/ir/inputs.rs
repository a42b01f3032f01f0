//! Data that runs are given: a value for each coordinate along one axis.
//!
//! An input is a field that no step changes. Each cell has the value at its own coordinate, so that all that reads fields reads inputs.

use super::fractal::Axes;
use super::rule::{Rule, RuleParts, State, StateId};
use crate::numbers::flush::flushed;
use crate::numbers::scalar;
use crate::numbers::value::Value;
use std::sync::Arc;

/// An input of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The field of its values.
    pub field: StateId,
    /// 0 (x), 1 (y) or 2 (z).
    pub axis: u8,
    /// The values, in the order of coordinates, once they are given.
    pub values: Option<Arc<[Value]>>,
}

/// Questions of engines and of those who read files.
#[doc(hidden)]
impl RuleParts {
    /// The inputs, each with its name and type.
    pub fn named_inputs(&self) -> impl Iterator<Item = (&Input, &State)> {
        self.inputs.iter().map(|input| (input, self.state(input.field)))
    }

    /// Whether a field is an input.
    pub(crate) fn is_input(&self, field: StateId) -> bool {
        self.inputs.iter().any(|input| input.field == field)
    }

    /// The inputs that are given: the field, the axis, and the value for each coordinate.
    pub fn given_inputs(&self) -> impl Iterator<Item = (StateId, usize, &[Value])> {
        self.inputs.iter().filter_map(|input| Some((input.field, usize::from(input.axis), input.values.as_deref()?)))
    }

    /// The sides of a box that is as long as the inputs along each axis, three if one runs along z and two if not; 1 where there are none.
    ///
    /// # Errors
    /// The reason in words: two inputs along an axis differ in length, one has no value, or there is none.
    pub fn extent_of_inputs(&self) -> Result<Vec<u64>, String> {
        let mut sides: [Option<(&str, usize)>; 3] = [None; 3];
        for (input, State { name, .. }) in self.named_inputs() {
            let length = input.values.as_ref().map_or(0, |values| values.len());
            let (axis, side) = (usize::from(input.axis), &mut sides[usize::from(input.axis)]);
            match *side {
                _ if length == 0 => return Err(format!("the input `{name}` has no values")),
                Some((other, before)) if before != length => {
                    let axis = Axes::NAMES[axis];
                    return Err(format!(
                        "the inputs `{other}` and `{name}` run along `{axis}` and have {before} and {length} values"
                    ));
                }
                _ => *side = Some((name, length)),
            }
        }
        match sides {
            [None, None, None] => Err(format!("the rule `{}` has no inputs", self.name)),
            [.., depth] => {
                let sides = &sides[..if depth.is_some() { 3 } else { 2 }];
                Ok(sides.iter().map(|side| side.map_or(1, |(_, length)| length as u64)).collect())
            }
        }
    }
}

#[doc(hidden)]
impl Rule {
    /// The rule with these values of the input with this name, which are of its type.
    #[must_use]
    pub fn with_input(&self, name: &str, values: impl IntoIterator<Item = Value>) -> Rule {
        let mut parts = self.0.clone();
        let of_rule = |value| if self.flush { flushed(scalar::canonical(value)) } else { scalar::canonical(value) };
        for input in &mut parts.inputs {
            // The values may be many, and are collected for the one that they are of.
            if self.state(input.field).name == name {
                input.values = Some(values.into_iter().map(of_rule).collect());
                break;
            }
        }
        Rule(parts)
    }
}
