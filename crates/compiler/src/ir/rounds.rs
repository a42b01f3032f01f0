//! The rounds of reductions: the first needs the cells alone, a later one also numbers of an earlier one.
//!
//! Engines compute the first round as it is. For a later one they compute the terms of [`later`], with numbers of the rounds before as further
//! parameters. Reductions by level have a mean for each replica, too many for parameters: they belong to the first round, and their terms are
//! combined twice.
//!
//! The terms of `variance` read the mean as a parameter; those of `median` and `quantile` read bounds, with which values are compared and counted.

use super::rule::{Body, Combine, Grouping, Node, NodeId, Op, Reduction, RuleParts};
use crate::numbers::operators::{BinaryOp, CompareOp};
use crate::numbers::value::{Type, Value};
use std::sync::Arc;

/// The round of a reduction, and the use of its terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Round {
    /// At first: they are combined.
    First,
    /// Once their mean is known: the squares of their deviations from it are summed up, as [`squared_deviation`](crate::reduce::fold::squared_deviation)
    /// computes them. The reduction of the first number is the sum of the same terms; that of the second counts the cells that have one, if not all do: the
    /// others have infinity here, and 0 in the sum.
    Deviations(u32, Option<u32>),
    /// By counting how many are at most some bounds, which draw together: the value below which this share of the terms lies, as
    /// [`between`](crate::reduce::fold::between) says. The reduction of this number counts the cells that have a term, if not all do: the others have the
    /// greatest number there is.
    Quantile(f64, Option<u32>),
}

/// Bounds with which the terms of a quantile are compared in each round.
pub const BOUNDS: usize = 32;

/// Whether a reduction belongs to a later round.
pub fn is_later(reduction: &Reduction) -> bool {
    match reduction.round {
        Round::First => false,
        Round::Deviations(..) => reduction.grouping == Grouping::Whole,
        Round::Quantile(..) => true,
    }
}

/// How the terms of a reduction are combined in its round, their type, and how many terms a cell has.
pub fn combined(reduction: &Reduction) -> (Combine, Type, usize) {
    match reduction.round {
        Round::Deviations(..) if is_later(reduction) => (Combine::Sum, Type::F64, 1),
        Round::First | Round::Deviations(..) => (reduction.kind, reduction.ty, 1),
        Round::Quantile(..) => (Combine::Count, Type::Bit, BOUNDS),
    }
}

/// How many numbers of earlier rounds the later ones of a rule take at most.
pub(crate) fn most_numbers(rule: &RuleParts) -> usize {
    let of = |reduction: &Reduction| match reduction.round {
        Round::First => 0,
        Round::Deviations(..) => 1,
        Round::Quantile(..) => BOUNDS,
    };
    rule.reductions.iter().map(of).sum()
}

/// The type in which the terms of a quantile are compared.
pub fn compared(ty: Type) -> Type {
    match ty {
        Type::Bit | Type::U8 | Type::U16 | Type::Enum(_) => Type::I32,
        Type::I32 | Type::U32 | Type::I64 | Type::F32 | Type::F64 => ty,
    }
}

/// The rule that computes a later round of another's reductions: sums of squares, or for each quantile as many counts as there are [`BOUNDS`]. `None` if
/// there are none of a later round.
pub fn later(rule: &RuleParts) -> Option<RuleParts> {
    let (mut reductions, mut earlier) = (Vec::new(), Vec::new());
    for reduction in rule.reductions.iter().filter(|reduction| is_later(reduction)) {
        let Reduction { name, ty, term, body, round, .. } = reduction;
        let mut body = Body::clone(body);
        let mut push = |ty: Type, op: Op| {
            body.nodes.push(Node { ty, op });
            NodeId(body.nodes.len() as u32 - 1)
        };
        let mut given = |name: String, ty: Type| {
            earlier.push((name, ty));
            Op::Param((rule.numbers() + earlier.len() - 1) as u16)
        };
        let mut cast = |to: Type| if *ty == to { *term } else { push(to, Op::Cast(*term)) };
        let (kind, of_terms, count) = combined(reduction);
        let terms: Vec<(String, NodeId)> = match round {
            Round::First => continue,
            Round::Deviations(_, among) => {
                let value = cast(Type::F64);
                let mean = push(Type::F64, given(format!("mean_of_{name}"), Type::F64));
                let deviation = push(Type::F64, Op::Binary(BinaryOp::Subtract, value, mean));
                let mut square = push(Type::F64, Op::Binary(BinaryOp::Multiply, deviation, deviation));
                if among.is_some() {
                    let beyond = push(Type::F64, Op::Const(Value::F64(f64::INFINITY)));
                    let condition = push(Type::Bit, Op::Compare(CompareOp::Equal, value, beyond));
                    // 0, but NaN beside a mean that is not finite.
                    let nothing = push(Type::F64, Op::Binary(BinaryOp::Subtract, mean, mean));
                    square = push(Type::F64, Op::Select { condition, then: nothing, otherwise: square });
                }
                vec![(name.clone(), square)]
            }
            Round::Quantile(..) => {
                let ty = compared(*ty);
                let value = cast(ty);
                let below = |number: usize| {
                    let bound = push(ty, given(format!("bound_{number}_of_{name}"), ty));
                    let is_below = push(Type::Bit, Op::Compare(CompareOp::LessEqual, value, bound));
                    (format!("{name}_up_to_{number}"), is_below)
                };
                (0..count).map(below).collect()
            }
        };
        let body = Arc::new(body);
        reductions.extend(terms.into_iter().map(|(name, term)| {
            let (body, grouping, round) = (Arc::clone(&body), Grouping::Whole, Round::First);
            Reduction { name, kind, ty: of_terms, term, body, grouping, round }
        }));
    }
    (!reductions.is_empty()).then(|| RuleParts { reductions, earlier, ..rule.clone() })
}
