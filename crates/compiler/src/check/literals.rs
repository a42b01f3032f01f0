//! Lets of literals alone: like constants without a type, they take the one that their use asks for.

use super::body::Operand;
use super::expression::{Checker, Context, LetState, RuleName};
use super::literal::{Literals, Local};
use crate::ir::{Op, Type, Value};
use crate::text::syntax::ast::{Expr, ExprKind, Ident};

/// How many lets of literals alone may follow from one another.
const LONGEST_CHAIN: usize = 64;

impl<'a> Checker<'a, '_> {
    /// What a let is made of, if that is literals alone. The value was checked without an error.
    pub(super) fn literals_in(&mut self, value: &'a Expr) -> Option<Literals<'a>> {
        let outer = std::mem::take(&mut self.literal_chain);
        let mut known = std::mem::take(&mut self.flexibility);
        let flexible = known.alone(value, &mut |name| self.flexible_name(name));
        self.flexibility = known;
        let chain = std::mem::replace(&mut self.literal_chain, outer) + 1;
        flexible.filter(|_| chain <= LONGEST_CHAIN).map(|flexible| Literals { value, flexible, chain })
    }

    /// A let of a block or of a step.
    pub(super) fn local(&mut self, name: &'a str, value: &'a Expr) -> Local<'a> {
        let operand = self.check(value, None);
        let literals = if operand.is_some() { self.literals_in(value) } else { None };
        Local { name, operand, literals }
    }

    /// The innermost local of a name.
    pub(super) fn local_named(&self, name: &str) -> Option<Local<'a>> {
        self.locals.iter().rev().find(|local| local.name == name).copied()
    }

    /// What a let of the rule is made of, if that is literals alone and it can be used here.
    pub(super) fn literals_of_let(&self, index: usize) -> Option<Literals<'a>> {
        let in_constant = matches!(self.place, Context::Constant | Context::Param) && !self.in_literals;
        match self.lets[index].checked {
            LetState::Sound { literals, .. } if !in_constant => literals,
            _ => None,
        }
    }

    /// A let of literals in another type than it has by itself, or inside another one. `None` where its own node serves.
    pub(super) fn literal_let(
        &mut self,
        literals: Literals<'a>,
        want: Option<Type>,
        of_rule: bool,
    ) -> Option<Option<Operand>> {
        let ty = literals.asked_for(want);
        if !self.in_literals && ty == literals.flexible.default_type() {
            return None;
        }
        let key = (std::ptr::from_ref(literals.value), ty);
        let value = match self.literal_values.get(&key) {
            Some(known) => Some(*known),
            None => self.value_of_literals(literals.value, ty, of_rule),
        };
        self.literal_values.extend(value.map(|value| (key, value)));
        Some(value.map(|value| self.body.push(ty, Op::Const(value))))
    }

    fn value_of_literals(&mut self, value: &'a Expr, ty: Type, of_rule: bool) -> Option<Value> {
        // A name in it is one of those above it, and theirs are checked: the innermost of a name is the right one unless it was hidden since.
        let defined = self
            .locals
            .iter()
            .rposition(|local| local.literals.is_some_and(|literals| std::ptr::eq(literals.value, value)));
        let seen = if of_rule { 0 } else { defined.unwrap_or(0) };
        let hidden = self.locals.split_off(seen);
        let place = std::mem::replace(&mut self.place, Context::Constant);
        let outer = std::mem::replace(&mut self.in_literals, true);
        let value = self.value_of(value, Some(ty));
        self.in_literals = outer;
        self.place = place;
        self.locals.truncate(seen);
        self.locals.extend(hidden);
        value
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
