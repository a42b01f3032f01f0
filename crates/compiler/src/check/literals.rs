//! Lets whose numbers are literals: like constants without a type, they take the one that their use asks for.

use super::body::Operand;
use super::expression::{Checker, Context, LetState, RuleLet, RuleName};
use super::literal::{Flexible, Literals, Local};
use crate::ir::Type;
use crate::numbers::scalar;
use crate::text::syntax::ast::{Expr, ExprKind, Ident};
use crate::text::syntax::walk;

/// How many lets of literals may follow from one another.
const LONGEST_CHAIN: usize = 64;

impl<'a> Checker<'a, '_> {
    /// The value of a let where no type is asked for. It is an f64 if its numbers are too large for an f32.
    pub(super) fn let_alone(&mut self, value: &'a Expr) -> Option<(Operand, Option<Literals<'a>>)> {
        let before = self.errors.len();
        let mut operand = self.check(value, None);
        let flexible = self.flexible(value);
        if operand.is_none() && flexible == Some(Flexible::Float) {
            let errors = self.errors.split_off(before);
            operand = self.check(value, Some(Type::F64));
            if operand.is_none() {
                self.errors.truncate(before);
                self.errors.extend(errors);
            }
        }
        let (operand, chain) = (operand?, self.chain_in(value));
        let flexible = flexible.filter(|_| chain <= LONGEST_CHAIN);
        Some((operand, flexible.map(|flexible| Literals { value, flexible, own: operand.ty, chain })))
    }

    /// How many lets of literals follow from one another in a value, with its own.
    fn chain_in(&self, value: &Expr) -> usize {
        let mut longest = 0;
        walk(value, &mut |inner| {
            let (ExprKind::Name(name)
            | ExprKind::Neighbour(Ident { name, .. })
            | ExprKind::Read { name: Ident { name, .. }, .. }) = &inner.kind
            else {
                return;
            };
            let local = self.local_named(name).and_then(|at| self.locals[at].literals);
            let of_rule = match self.names.get(name.as_str()) {
                Some(&RuleName::Let(index)) => self.literals_of_let(index),
                _ => None,
            };
            let chains = local.into_iter().chain(of_rule).map(|literals| literals.chain);
            longest = chains.fold(longest, usize::max);
        });
        longest + 1
    }

    /// A let of a block or of a step.
    pub(super) fn local(&mut self, name: &'a str, value: &'a Expr) -> Local<'a> {
        let in_term = self.body.in_term();
        let (operand, literals) = self.let_alone(value).unzip();
        Local { literals: literals.flatten(), in_term, ..Local::typed(name, operand) }
    }

    /// Where the innermost local of a name stands among all.
    pub(super) fn local_named(&self, name: &str) -> Option<usize> {
        self.locals.iter().rposition(|local| local.name == name)
    }

    /// The value of a local where a type is wanted.
    pub(super) fn local_value(&mut self, at: usize, want: Option<Type>) -> Option<Operand> {
        let &Local { operand, literals, in_term, ref others, .. } = &self.locals[at];
        let Some(literals) = literals else { return operand };
        let ty = literals.asked_for(want);
        let mut known = operand.iter().chain(others);
        if let Some(known) = known.find(|known| known.ty == ty) {
            return Some(*known);
        }
        // The names in it are those above it, and outside of a term it stands before it.
        let below = self.locals.split_off(at);
        let (term, weights, of) = match in_term {
            true => (None, None, None),
            false => (self.body.term.take(), self.weights.take(), self.term_of.take()),
        };
        let found = self.value_as(literals.value, ty);
        if !in_term {
            (self.body.term, self.weights, self.term_of) = (term, weights, of);
        }
        self.locals.extend(below);
        self.locals[at].others.extend(found);
        found
    }

    /// The value of a let in another type than it has by itself.
    pub(super) fn value_as(&mut self, value: &'a Expr, ty: Type) -> Option<Operand> {
        let operand = self.check(value, Some(ty))?;
        Some(match self.body.constant(operand.id) {
            Some(value) => self.value_node(scalar::canonical(value)),
            None => operand,
        })
    }

    /// The literals of a let of the rule, if its numbers take the type of its use and it can be used here.
    pub(super) fn literals_of_let(&self, index: usize) -> Option<Literals<'a>> {
        let in_constant = matches!(self.place, Context::Constant | Context::Param);
        match self.lets[index].checked {
            LetState::Sound { literals, .. } if !in_constant => literals,
            _ => None,
        }
    }

    /// The value of a let of the rule in its own type.
    pub(super) fn let_as_it_is(&mut self, index: usize) -> Option<Operand> {
        let RuleLet { value, ref checked, .. } = self.lets[index];
        let want = match checked {
            LetState::Sound { literals, .. } => literals.map(|literals| literals.own),
            _ => None,
        };
        self.check(value, want)
    }

    /// The type that a let of the rule takes where one is wanted.
    pub(super) fn type_of_let(&self, index: usize, own: Type, want: Option<Type>) -> Type {
        self.literals_of_let(index).map_or(own, |literals| literals.asked_for(want))
    }

    /// How a value becomes one of another type, for the help of a message: a conversion, unless that loses digits which a definition could keep.
    pub(super) fn conversion(&mut self, expr: &Expr, found: Type, want: Type) -> String {
        let name = match &expr.kind {
            ExprKind::Name(name)
            | ExprKind::Neighbour(Ident { name, .. })
            | ExprKind::Read { name: Ident { name, .. }, .. } => Some(name.as_str()),
            _ => None,
        };
        let known = name.filter(|_| self.home.in_rule && (found, want) == (Type::F32, Type::F64));
        match known.and_then(|name| Some((name, *self.names.get(name)?))) {
            Some((name, RuleName::Param(_))) => {
                format!("`{name}` has the digits of an f32: write `param {name}: f64`")
            }
            Some((name, RuleName::Let(index))) if self.flexible(self.lets[index].value).is_some() => {
                format!("the numbers in `{name}` are f32 as they stand there: write `f64(…)` around each of them")
            }
            Some((name, RuleName::Const(_))) => format!("`{name}` has the digits of an f32: write `const {name}: f64`"),
            _ => format!("nothing converts by itself: write `{}(…)`", self.type_name(want)),
        }
    }
}
