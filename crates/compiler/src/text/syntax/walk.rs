//! Walks through expressions.

use super::ast::Expr;

/// Calls `visit` on an expression and on all inside it, in the order of the text.
pub(crate) fn walk<'e>(expression: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    visit(expression);
    expression.children().into_iter().for_each(|inner| walk(inner, visit));
}
