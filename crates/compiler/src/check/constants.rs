//! Constants and tables: the values of `const` names, and how a table is looked up.

use super::body::Operand;
use super::expression::{Checker, Context, Home, RuleName};
use super::literal::{self, ConstState, Flexible, UntypedName};
use super::names::BUILT_IN_CONSTANTS;
use crate::ir::evaluate::constant;
use crate::ir::{CompareOp, Op, Type, Value};
use crate::numbers::scalar;
use crate::numbers::table::ConstTable;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{ConstDef, ConstValue, DefKind, Expr, Ident, ItemKind};

/// The most values of a table: with the commas between them half of the tokens that a text may have.
const LONGEST_TABLE: usize = 1 << 18;
/// The most runs of equal values that a look-up chooses from; where there are more it reads memory. Measured on one thread of an EPYC, a step of `u8` on a full square
/// of level 10: 64 choices take 1.6 times as long as memory, 128 3.8 times, 1024 23 times. Few choices become logic where states are bits.
const MOST_CHOICES: usize = 64;

/// The name that the ends of a parameter's range may depend on.
const DIMENSION: &str = "dimension";

/// A constant and where the names in it are looked up.
#[derive(Clone, Copy)]
pub(super) struct Constant<'a> {
    def: &'a ConstDef,
    home: Home,
}

impl<'a> Checker<'a, '_> {
    /// The constant that a name means here, if it means one.
    fn constant_named(&self, name: &str) -> Option<Constant<'a>> {
        if self.home.in_rule
            && let Some(known) = self.names.get(name)
        {
            return match *known {
                RuleName::Const(index) => Some(Constant { def: self.consts[index], home: self.home }),
                _ => None,
            };
        }
        let id = self.scope.get(self.home.module, DefKind::Const, name)?;
        let ItemKind::Const(def) = self.scope.item(id) else { return None };
        Some(Constant { def, home: Home { module: id.module, in_rule: false } })
    }

    /// Whether a name means a constant or a function that was broken by the parser.
    pub(super) fn is_broken(&self, kind: DefKind, name: &str) -> bool {
        let id = self.scope.get(self.home.module, kind, name);
        id.is_some_and(|id| matches!(self.scope.item(id), ItemKind::Broken(..)))
    }

    /// The value of a name that is no local and nothing of the rule's but perhaps a constant. `None` if it means no constant.
    pub(super) fn constant_value(&mut self, name: &str, want: Option<Type>, span: Span) -> Option<Option<Operand>> {
        if let Some(constant) = self.constant_named(name) {
            return Some(self.scalar_constant(constant, want, span));
        }
        if self.is_broken(DefKind::Const, name) {
            return Some(None);
        }
        if let Some(dimension) = self.dimension.filter(|_| name == DIMENSION) {
            return Some(self.integer(&dimension.to_string(), false, want, span));
        }
        let (_, digits) = BUILT_IN_CONSTANTS.iter().find(|(known, _)| *known == name)?;
        let ty = want.unwrap_or(Type::F32);
        let value = literal::float(digits, ty, &self.type_name(ty), span);
        Some(self.constant(value))
    }

    /// The type of a name's literals without a context, if the name takes its type from it.
    pub(super) fn flexible_named(&mut self, name: UntypedName<'_>) -> Option<Flexible> {
        match name {
            UntypedName::Here(name) => self.flexible_name(name),
            UntypedName::AtNeighbour(name) => match self.names.get(name) {
                Some(&RuleName::Let(index)) => self.literals_of_let(index).map(|literals| literals.flexible),
                _ => None,
            },
        }
    }

    /// The same for an expression that is a name alone.
    pub(super) fn flexible_name(&mut self, name: &str) -> Option<Flexible> {
        if let Some(local) = self.local_named(name) {
            return self.locals[local].literals.map(|literals| literals.flexible);
        }
        if self.home.in_rule
            && let Some(&RuleName::Let(index)) = self.names.get(name)
        {
            return self.literals_of_let(index).map(|literals| literals.flexible);
        }
        if name == "weight" && !self.names.contains_key(name) {
            return self.weights.as_ref().and_then(|weights| weights.flexible);
        }
        if let Some(constant) = self.constant_named(name) {
            return match self.state_of_constant(constant) {
                ConstState::Sound(flexible) => flexible,
                _ => None,
            };
        }
        if self.dimension.is_some() && name == DIMENSION {
            return Some(Flexible::Integer);
        }
        let known = (self.home.in_rule && self.names.contains_key(name)) || self.is_broken(DefKind::Const, name);
        (!known && BUILT_IN_CONSTANTS.iter().any(|(constant, _)| *constant == name)).then_some(Flexible::Float)
    }

    /// Checks a constant when it is first asked for.
    fn state_of_constant(&mut self, constant: Constant<'a>) -> ConstState {
        let key: *const ConstDef = constant.def;
        if let Some(known) = self.const_states.get(&key) {
            return *known;
        }
        self.const_states.insert(key, ConstState::Open);
        let state = self.at_home(constant.home, |checker| checker.check_constant(constant.def));
        self.const_states.insert(key, state);
        state
    }

    /// Runs `work` where names are looked up at another place, and locals are not seen.
    pub(super) fn at_home<T>(&mut self, home: Home, work: impl FnOnce(&mut Self) -> T) -> T {
        let home = std::mem::replace(&mut self.home, home);
        let locals = std::mem::take(&mut self.locals);
        let result = work(self);
        self.locals = locals;
        self.home = home;
        result
    }

    /// Checks a constant by itself, so that its errors are reported once, used or not.
    fn check_constant(&mut self, def: &'a ConstDef) -> ConstState {
        let ty = match &def.ty {
            None => None,
            Some(written) => {
                let table = matches!(def.value, ConstValue::Table(..));
                if written.table != table {
                    let form = if table { "const t: [f32] = [1.0, 0.5]" } else { "const w: f32 = 0.25" };
                    Diagnostic::new(
                        format!(
                            "`{}` is {} by its type and not by its value",
                            def.name.name,
                            if table { "no table" } else { "a table" }
                        ),
                        written.span,
                        "does not fit the value",
                    )
                    .help(format!("write for instance `{form}`"))
                    .report(self.errors);
                    return ConstState::Broken;
                }
                match self.type_used(&written.element) {
                    Some(ty) => Some(ty),
                    None => return ConstState::Broken,
                }
            }
        };
        if let ConstValue::Table(values, span) = &def.value
            && (values.is_empty() || values.len() > LONGEST_TABLE)
        {
            let count = crate::text::diagnostics::counted(values.len(), "value");
            Diagnostic::new(format!("a table of {count}"), *span, format!("must have 1 to {LONGEST_TABLE}"))
                .help("an index beyond an end takes the end, so one value is the least")
                .report(self.errors);
            return ConstState::Broken;
        }
        let mut sound = true;
        let mut flexible = None;
        let (mut own, mut all_flexible) = (ty, ty.is_none());
        for value in def.value.expressions() {
            match self.flexible(value) {
                Some(one) => flexible = Some(flexible.map_or(one, |known: Flexible| known.and(one))),
                None => all_flexible = false,
            }
        }
        if own.is_none() && all_flexible {
            own = flexible.map(Flexible::default_type);
        }
        for value in def.value.expressions() {
            match self.value_of(value, own) {
                Some(value) => own = Some(value.ty()),
                None => sound = false,
            }
        }
        if sound { ConstState::Sound(flexible.filter(|_| all_flexible)) } else { ConstState::Broken }
    }

    /// Checks all constants of the rule, or those of a file.
    pub(super) fn check_constants(&mut self, defs: impl IntoIterator<Item = &'a ConstDef>) {
        let home = self.home;
        for def in defs {
            self.state_of_constant(Constant { def, home });
        }
    }

    /// Evaluates an expression of constants.
    pub(super) fn value_of(&mut self, expr: &'a Expr, want: Option<Type>) -> Option<Value> {
        let outer = std::mem::take(&mut self.body);
        let place = if self.place == Context::Param { Context::Param } else { Context::Constant };
        let place = std::mem::replace(&mut self.place, place);
        let operand = self.check(expr, want);
        self.place = place;
        self.body.term = None;
        let body = std::mem::replace(&mut self.body, outer).finish(Vec::new());
        let operand = operand?;
        constant(&body, operand.id, &[]).map(scalar::canonical)
    }

    /// Evaluates several expressions of constants, all of the type of the first.
    pub(super) fn values_of(
        &mut self,
        exprs: impl Iterator<Item = &'a Expr>,
        mut ty: Option<Type>,
    ) -> Option<Vec<Value>> {
        let values = exprs.map(|expr| {
            let value = self.value_of(expr, ty)?;
            ty = Some(value.ty());
            Some(value)
        });
        values.collect::<Option<Vec<Value>>>().filter(|values| !values.is_empty())
    }

    fn scalar_constant(&mut self, constant: Constant<'a>, want: Option<Type>, span: Span) -> Option<Operand> {
        let ConstValue::Scalar(expr) = &constant.def.value else {
            let name = &constant.def.name.name;
            return Diagnostic::new(format!("`{name}` is a table, not a value"), span, "which of its values?")
                .help(format!("write `{name}[i]`; an index beyond an end takes the end"))
                .fail(self.errors);
        };
        let ty = self.type_of_constant(constant, want, span)?;
        let key: (*const ConstDef, _) = (constant.def, ty);
        let value = match self.const_values.get(&key) {
            Some(known) => *known,
            None => {
                let value = self.at_home(constant.home, |checker| checker.value_of(expr, ty))?;
                self.const_values.insert(key, value);
                value
            }
        };
        Some(self.body.push(value.ty(), Op::Const(value)))
    }

    /// The type that a constant takes where `want` is wanted, `None` being its own.
    fn type_of_constant(&mut self, constant: Constant<'a>, want: Option<Type>, span: Span) -> Option<Option<Type>> {
        let flexible = match self.state_of_constant(constant) {
            ConstState::Broken => return None,
            ConstState::Open => {
                let message = format!("`{}` is defined by itself", constant.def.name.name);
                return Diagnostic::new(message, span, "its value is not known yet")
                    .help("a constant is made of numbers and of other constants")
                    .fail(self.errors);
            }
            ConstState::Sound(flexible) => flexible,
        };
        Some(match (&constant.def.ty, flexible) {
            (Some(written), _) => Some(self.at_home(constant.home, |checker| checker.type_used(&written.element))?),
            (None, Some(flexible)) => Some(want.unwrap_or(flexible.default_type())),
            (None, None) => None,
        })
    }

    /// `table[index]`
    pub(super) fn index(
        &mut self,
        name: &'a Ident,
        index: &'a Expr,
        want: Option<Type>,
        span: Span,
    ) -> Option<Operand> {
        let is_local = self.local_named(&name.name).is_some();
        let constant = if is_local { None } else { self.constant_named(&name.name) };
        let Some(constant) = constant else {
            if !is_local && self.is_broken(DefKind::Const, &name.name) {
                return None;
            }
            return self.no_table(name, span);
        };
        let ConstValue::Table(entries, _) = &constant.def.value else {
            let error = Diagnostic::new(format!("`{}` is no table", name.name), span, "has one value")
                .help(format!("write `{0}`, or make it a table: `const {0} = [1.0, 0.5]`", name.name));
            return error.fail(self.errors);
        };
        let ty = self.type_of_constant(constant, want, span)?;
        let values = self.at_home(constant.home, |checker| checker.values_of(entries.iter(), ty))?;
        let index_operand = self.check(index, None)?;
        if !index_operand.ty.is_integer() {
            let found = self.type_name(index_operand.ty);
            return Diagnostic::new(format!("an index of type `{found}`"), index.span, "expected a whole number")
                .help(format!("write `{}[i32(…)]`", name.name))
                .coded("type")
                .fail(self.errors);
        }
        Some(self.look_up(index_operand, &values))
    }

    /// A table that is none: perhaps a read that is not finished.
    fn no_table(&mut self, name: &'a Ident, span: Span) -> Option<Operand> {
        let error = match self.names.get(name.name.as_str()) {
            Some(RuleName::Broken) => return None,
            Some(RuleName::State(_) | RuleName::Kept(_)) => Diagnostic::new(
                format!("`{}` is a state, and no table", name.name),
                span,
                "a neighbour is read by its offsets",
            )
            .help(format!("write `{}[1, 0] else …`: what a hole or an edge gives", name.name)),
            Some(_) => Diagnostic::new(format!("`{}` is no table", name.name), span, "cannot be indexed")
                .help("a table is defined by `const t: [f32] = [1.0, 0.5]`"),
            None => {
                let tables: Vec<&str> = self.names.keys().copied().collect();
                let of_files = self.scope.visible(self.home.module, DefKind::Const);
                super::names::unknown_name("table", &name.name, name.span, of_files.chain(tables))
            }
        };
        error.fail(self.errors)
    }

    /// The value of a list with the number `index`; below the first it is the first, beyond the last the last.
    pub(super) fn look_up(&mut self, index: Operand, values: &[Value]) -> Operand {
        // Equal neighbours of the list are one; each run begins where the one before ends.
        let mut runs: Vec<(i128, Value)> = Vec::new();
        for (number, &value) in values.iter().enumerate() {
            let reachable = Value::range(index.ty).is_some_and(|(_, most)| number as i128 <= most);
            if reachable && runs.last().is_none_or(|(_, last)| *last != value) {
                runs.push((number as i128, value));
            }
        }
        if let Some(constant) = self.body.constant(index.id) {
            let number = constant.as_i128().unwrap_or(0);
            let at = runs.partition_point(|(start, _)| *start <= number).max(1) - 1;
            return self.body.push(runs[at].1.ty(), Op::Const(runs[at].1));
        }
        if runs.len() > MOST_CHOICES {
            let op = Op::LookUp { table: ConstTable::new(values), index: index.id };
            return self.body.push(values[0].ty(), op);
        }
        self.look_up_run(index, &runs)
    }

    fn look_up_run(&mut self, index: Operand, runs: &[(i128, Value)]) -> Operand {
        let (low, high) = runs.split_at(runs.len() / 2);
        let (Some(_), Some((start, value))) = (low.first(), high.first()) else {
            let value = runs[0].1;
            return self.body.push(value.ty(), Op::Const(value));
        };
        let ty = value.ty();
        let start = self.body.push(index.ty, Op::Const(Value::whole(index.ty, *start)));
        let condition = self.body.push(Type::Bit, Op::Compare(CompareOp::Less, index.id, start.id)).id;
        let (then, otherwise) = (self.look_up_run(index, low).id, self.look_up_run(index, high).id);
        self.body.push(ty, Op::Select { condition, then, otherwise })
    }
}
