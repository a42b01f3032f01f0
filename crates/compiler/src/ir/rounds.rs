//! The rounds in which reductions are computed: first those that need nothing but the cells, then those that need numbers of the first.
//!
//! The only ones that do are sums of squared deviations over all cells ([`Reduction::about`](super::Reduction::about)). What runs kernels computes the
//! others first, hands the means that follow from them to the kernel of the terms of [`second_round`] as it hands it parameters, and
//! puts both together. Those by level have a mean for each replica, so that no parameter can say them: they are part of the first round, and are
//! folded twice where the terms of all cells are at hand.

use super::rule::{Body, Node, NodeId, Op, Reduction, ReductionKind, Rule};
use crate::numbers::operators::BinaryOp;
use crate::numbers::value::Type;
use std::sync::Arc;

/// Whether a reduction belongs to the second round.
pub fn is_later(reduction: &Reduction) -> bool {
    reduction.about.is_some() && reduction.level.is_none()
}

/// The rule with the reductions of the second round alone, as sums of numbers; `None` if there are none.
pub fn second_round(rule: &Rule) -> Option<Rule> {
    let later: Vec<&Reduction> = rule.reductions.iter().filter(|reduction| is_later(reduction)).collect();
    if later.is_empty() {
        return None;
    }
    let first = rule.numbers();
    let squares = |(number, reduction): (usize, &&Reduction)| {
        let mut body = Body::clone(&reduction.body);
        let mut push = |op| {
            body.nodes.push(Node { ty: Type::F64, op });
            NodeId(body.nodes.len() as u32 - 1)
        };
        let value = if reduction.ty == Type::F64 { reduction.term } else { push(Op::Cast(reduction.term)) };
        let mean = push(Op::Param((first + number) as u16));
        let deviation = push(Op::Binary(BinaryOp::Subtract, value, mean));
        let term = push(Op::Binary(BinaryOp::Multiply, deviation, deviation));
        let name = reduction.name.clone();
        Reduction {
            name,
            kind: ReductionKind::Sum,
            ty: Type::F64,
            term,
            body: Arc::new(body),
            level: None,
            about: None,
        }
    };
    let reductions = later.iter().enumerate().map(squares).collect();
    let means = later.iter().map(|reduction| format!("mean_of_{}", reduction.name)).collect();
    Some(Rule { reductions, means, ..rule.clone() })
}
