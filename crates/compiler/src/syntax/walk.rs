//! Walks through expressions.

use super::ast::{Block, Expr, ExprKind};

/// Calls `visit` on an expression and on all inside it, in the order of the text.
pub fn walk<'e>(expression: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    visit(expression);
    match &expression.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Name(_) | ExprKind::Neighbour(_) => {}
        ExprKind::Call { arguments, otherwise, .. } => {
            arguments.iter().chain(otherwise.as_deref()).for_each(|inner| walk(inner, visit));
        }
        ExprKind::Read { otherwise, .. } => otherwise.iter().for_each(|inner| walk(inner, visit)),
        ExprKind::Unary { operand, .. } => walk(operand, visit),
        ExprKind::Binary { left, right, .. } => [left, right].into_iter().for_each(|inner| walk(inner, visit)),
        ExprKind::InRange { value, low, high } => {
            [value, low, high].into_iter().for_each(|inner| walk(inner, visit));
        }
        ExprKind::InSet { value, set } => {
            walk(value, visit);
            set.iter().for_each(|inner| walk(inner, visit));
        }
        ExprKind::If { condition, then, otherwise } => {
            walk(condition, visit);
            walk_block(then, visit);
            otherwise.iter().for_each(|inner| walk(inner, visit));
        }
        ExprKind::Block(block) => walk_block(block, visit),
    }
}

fn walk_block<'e>(block: &'e Block, visit: &mut dyn FnMut(&'e Expr)) {
    block.lets.iter().for_each(|(_, value)| walk(value, visit));
    walk(&block.value, visit);
}
