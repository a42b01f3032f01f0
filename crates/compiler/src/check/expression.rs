//! Checks expressions and turns them into nodes.

use super::body::{BodyBuilder, Operand};
use super::global_expr::GlobalCheck;
use super::lints::Lints;
use super::literal::{self, ConstState, Flexibility, Flexible, Literals, Local, operation, wider};
use super::names::{BUILT_IN_CONSTANTS, BUILT_IN_VALUES, EXTENTS, Scope, nearest, unknown, unknown_name};
use super::pairs::{AskedClusters, BondName, RuleClusters};
use crate::ir::{
    BinaryOp, CompareOp, EnumId, GlobalExpr, Neighbourhood, NodeId, Op, RuleParts, SignedAxis, State, StateId, Type,
    UnaryOp, Value,
};
use crate::text::diagnostics::{Diagnostic, habits};
use crate::text::source::Span;
use crate::text::syntax::ast::{
    BinaryOperator, Block, ConstDef, DefKind, Expr, ExprKind, FunctionDef, Ident, NeighbourhoodDef, OffsetEntry,
    UnaryOperator,
};
use crate::text::syntax::stack::{NO_STACK, is_exhausted};
use std::collections::{BTreeSet, HashMap};

/// A call as the text has it.
#[derive(Clone, Copy)]
pub(super) struct CallExpr<'a> {
    pub name: &'a Ident,
    pub arguments: &'a [Expr],
    pub otherwise: Option<&'a Expr>,
    pub span: Span,
}

/// The use of an expression, which decides what may stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// The default of a parameter: made of constants and parameters above it.
    Param,
    /// The value of a constant, a weight or an end of a range.
    Constant,
    /// A function by itself: its calls decide about draws and neighbours.
    Function,
    /// An initial value: everything but neighbours.
    Init,
    /// A let of the rule, to see that it is sound.
    RuleLet,
    /// `next`, or a let inside a step: everything.
    Step,
    /// A guard: cannot draw.
    Guard,
    /// An observable's term: cannot draw.
    Observe,
}

/// The meaning of a name in the rule.
#[derive(Clone, Copy, Debug)]
pub(super) enum RuleName {
    Param(u16),
    State(StateId),
    /// An index into [`RuleParts::inputs`](crate::ir::RuleParts::inputs).
    Input(usize),
    /// An index into [`Checker::globals`].
    Global(usize),
    /// An index into [`Checker::lets`].
    Let(usize),
    /// A bond that is a state of pairs: an index into [`Checker::kept`].
    Kept(usize),
    /// An index into [`Checker::clusters`].
    Clusters(usize),
    Variant(EnumId, u8),
    /// An index into [`Checker::consts`].
    Const(usize),
    /// An index into [`Checker::functions`].
    Function(usize),
    /// An index into [`Checker::lists`].
    List(usize),
    /// Its definition has an error, which was reported.
    Broken,
}

/// Where names are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// The file.
    pub module: usize,
    /// Whether the names of the rule are seen.
    pub in_rule: bool,
}

/// The weights of the neighbourhood over which an aggregate runs.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub entries: &'a [OffsetEntry],
    pub home: Home,
    /// Their type without a context, if they take their type from it.
    pub flexible: Option<Flexible>,
}

/// The most operations of a rule: its steps, guards and observables each have the lets that they use.
const MAX_NODES: usize = 1 << 22;

/// A global of the rule.
pub(super) struct RuleGlobal<'a> {
    pub name: &'a str,
    pub value: &'a Expr,
    /// Whether it is computed before the first named step of a time step only.
    pub once: bool,
    /// Whether it was said that it is used too early, and that it has no value somewhere: once is enough.
    pub told_early: bool,
    pub told_place: bool,
    /// Its value and type, once it was checked without an error.
    pub found: Option<(GlobalExpr, Type)>,
    /// Whether it was checked.
    pub known: bool,
}

/// A let of the rule.
pub(super) struct RuleLet<'a> {
    pub name: &'a str,
    pub value: &'a Expr,
    /// For a bond, the pairs that have values.
    pub over: Option<BondPairs<'a>>,
    /// Set once it was checked.
    pub checked: LetState<'a>,
}

/// How far a rule's let is known.
#[derive(Clone, Debug)]
pub(super) enum LetState<'a> {
    /// Stands further below than what is being checked.
    NotYet,
    /// Can be used; says which lets it uses, and its literals, if its numbers take the type of its use.
    Sound { uses: Uses, ty: Type, needs: Vec<usize>, literals: Option<Literals<'a>> },
    /// Has an error, which was reported.
    Broken,
}

/// The things that a let of the rule uses, itself or by the lets that it uses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    pub state: bool,
    pub draws: bool,
    /// Lets at neighbours.
    pub fields: bool,
    pub globals: bool,
}

/// The pairs of a bond.
#[derive(Clone, Copy)]
pub(super) struct BondPairs<'a> {
    /// The neighbourhood as it is written.
    pub text: &'a Expr,
    /// Its number among the rule's, once it was checked.
    pub neighbourhood: Option<u16>,
}

/// A bond that keeps its values.
pub(super) struct KeptBond<'a> {
    pub name: &'a str,
    /// The neighbourhood as it is written.
    pub over: &'a Expr,
    /// Its number among the rule's, once it was checked.
    pub neighbourhood: Option<u16>,
    /// The state that stands for those of all pairs until the dimension is known.
    pub state: StateId,
}

/// The places for which a term is evaluated, by the neighbourhood that they are of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TermOf {
    /// An aggregate's neighbours.
    Aggregate(u16),
    /// The pairs of a bond.
    Pair(u16),
}

/// Everything known of the rule while its expressions are checked, and the body under construction.
pub(super) struct Checker<'a, 'e> {
    pub scope: &'a Scope<'a>,
    /// Its parts, as far as they are known.
    pub rule: RuleParts,
    pub home: Home,
    pub errors: &'e mut Vec<Diagnostic>,
    pub lints: Lints,
    pub consts: Vec<&'a ConstDef>,
    pub const_states: HashMap<*const ConstDef, ConstState>,
    /// The values of constants in the types that they were asked for, so that a chain of them is evaluated once.
    pub const_values: HashMap<(*const ConstDef, Option<Type>), Value>,
    pub functions: Vec<&'a FunctionDef>,
    /// The functions whose code is being put into the body, outermost first.
    pub inlined: Vec<&'a FunctionDef>,
    /// The neighbourhoods that the rule defines.
    pub lists: Vec<&'a NeighbourhoodDef>,
    /// The weights that can be named where an expression is being checked.
    pub weights: Option<Weights<'a>>,
    /// The term that is being checked, if one is.
    pub term_of: Option<TermOf>,
    /// The initial values of the states above; `None` if it has an error.
    pub initial: HashMap<StateId, Option<Operand>>,
    /// The states that have an `init` somewhere.
    pub has_init: BTreeSet<StateId>,
    /// The axis of the order of its first ordered step whose last line rolling states keep.
    pub last_line: Option<SignedAxis>,
    /// Whether initial values read the states that they name, and do not repeat the expressions of these.
    pub init_reads: bool,
    pub names: HashMap<&'a str, RuleName>,
    pub lets: Vec<RuleLet<'a>>,
    /// The bonds that keep their values.
    pub kept: Vec<KeptBond<'a>>,
    /// The clusters of the rule.
    pub clusters: Vec<RuleClusters<'a>>,
    /// The clusters that the step or the observables being checked ask for.
    pub asked: Vec<AskedClusters>,
    /// Whether what clusters are made of is being checked.
    pub in_clusters: bool,
    /// The clusters for which a draw is made, and the place of the draw.
    pub drawn_at: Option<(usize, u32)>,
    /// The things that the let being checked has used.
    pub uses: Uses,
    /// The lets that are fields of the step being checked.
    pub field_lets: BTreeSet<usize>,
    pub globals: Vec<RuleGlobal<'a>>,
    /// The globals that the step being checked uses.
    pub used_globals: BTreeSet<usize>,
    /// Whether the code of cells names `cells`.
    pub names_cells: bool,
    pub totals: GlobalCheck<'a>,
    /// All lets that are fields of some step; one has several if it takes the types of its uses.
    pub fields: Vec<(usize, State)>,
    /// The fields that were asked for since their steps were last made: whether by observables, which let, and its type.
    pub asked_fields: Vec<(bool, usize, Type)>,
    pub flexibility: Flexibility,
    pub body: BodyBuilder,
    pub place: Context,
    /// The dimension for which the range of a parameter is computed.
    pub dimension: Option<u32>,
    /// Lets of blocks and of the step, innermost last.
    pub locals: Vec<Local<'a>>,
    /// The lets of the rule that the expression being checked has used.
    pub needed: Vec<usize>,
    /// How many nodes the finished bodies have.
    pub nodes: usize,
}

impl<'a> Checker<'a, '_> {
    /// Checks an expression of which the context wants the type `want`, or any.
    ///
    /// `None` means errors, which were reported.
    pub(super) fn check(&mut self, expr: &'a Expr, want: Option<Type>) -> Option<Operand> {
        if is_exhausted() {
            let error = Diagnostic::new(NO_STACK, expr.span, "too deep, with what calls it");
            self.errors.push(Diagnostic { of_system: true, ..error.help("name parts with `let`") });
            return None;
        }
        let operand = self.check_kind(expr, want)?;
        match want {
            Some(want) if operand.ty != want => {
                self.wrong_type(expr, operand.ty, want);
                None
            }
            _ => Some(operand),
        }
    }

    fn check_kind(&mut self, expr: &'a Expr, want: Option<Type>) -> Option<Operand> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(text) => self.integer(text, false, want, span),
            ExprKind::Float(text) => {
                let ty = want.unwrap_or(Type::F32);
                let value = literal::float(text, ty, &self.type_name(ty), span);
                self.constant(value)
            }
            ExprKind::Bool(value) => Some(self.body.push(Type::Bit, Op::Const(Value::Bit(*value)))),
            ExprKind::Name(name) => self.name(name, want, span),
            ExprKind::Neighbour(field) => self.neighbour(field, want, span),
            ExprKind::Component { value, of, .. } => super::vectors::of_number(value.span, of).fail(self.errors),
            ExprKind::Call { name, arguments, otherwise } => {
                self.call(CallExpr { name, arguments, otherwise: otherwise.as_deref(), span }, want)
            }
            ExprKind::FromDisorder(draw) => self.draw_of_disorder(draw, want, span),
            ExprKind::Read { name, offset, offset_span, otherwise } => {
                self.read(name, (offset, *offset_span), otherwise.as_deref(), want, span)
            }
            ExprKind::OfCluster(call, of) => self.of_clusters(call, of, want, span),
            ExprKind::AtCluster(draw, of) => self.draw_at_clusters(draw, of, span),
            ExprKind::Per(..) => Diagnostic::new("`per` outside of a reduction", span, "only reductions know it")
                .help("write `sum(EXPR per CLUSTERS)` or another of `sum count min max mean histogram` in `observe`")
                .fail(self.errors),
            ExprKind::Over(both) => self.over_pairs_outside(both),
            ExprKind::Index { name, index, .. } => self.index(name, index, want, span),
            ExprKind::Match { value, arms } => self.match_expression(value, arms, want, span),
            ExprKind::Offsets(_) => Diagnostic::new("a list of offsets is not a value", span, "not valid here")
                .help("aggregates take one: `any([(-1, 0), (1, 0)], nb.alive)`")
                .fail(self.errors),
            ExprKind::Unary { op: UnaryOperator::Negate, operand } if matches!(operand.kind, ExprKind::Int(_)) => {
                let ExprKind::Int(text) = &operand.kind else { return None };
                self.integer(text, true, want, span)
            }
            ExprKind::Unary { op, operand } => self.unary(*op, operand, want, span),
            ExprKind::Binary { op, op_span, left, right } => self.binary(*op, *op_span, left, right, want),
            ExprKind::InRange { value, low, high } => self.in_range(value, low, high),
            ExprKind::InSet { value, set } => self.in_set(value, set, span),
            ExprKind::If { condition, then, otherwise } => {
                let Some(otherwise) = otherwise else {
                    return Diagnostic::new(
                        "`if` without `else`",
                        span,
                        "what is the value if the condition is false?",
                    )
                    .help("an `if` is an expression: write `if condition { a } else { b }`")
                    .fail(self.errors);
                };
                self.select(condition, then, otherwise, want)
            }
            ExprKind::Block(block) => self.block(block, want),
        }
    }

    pub(super) fn constant(&mut self, value: Result<Value, Box<Diagnostic>>) -> Option<Operand> {
        match value {
            Ok(value) => Some(self.body.push(value.ty(), Op::Const(value))),
            Err(error) => error.fail(self.errors),
        }
    }

    pub(super) fn integer(&mut self, text: &str, negative: bool, want: Option<Type>, span: Span) -> Option<Operand> {
        let ty = want.unwrap_or(Type::I32);
        let value = literal::integer(text, negative, ty, &self.type_name(ty), span);
        self.constant(value)
    }

    /// The type of an expression's literals without a context, or `None` if it has a type of its own.
    pub(crate) fn flexible(&mut self, expr: &Expr) -> Option<Flexible> {
        let mut known = std::mem::take(&mut self.flexibility);
        let answer = known.of(expr, &mut |name| self.flexible_named(name));
        self.flexibility = known;
        answer
    }

    fn name(&mut self, name: &str, want: Option<Type>, span: Span) -> Option<Operand> {
        if let Some(local) = self.local_named(name) {
            return self.local_value(local, want);
        }
        let known = if self.home.in_rule { self.names.get(name).copied() } else { None };
        if known.is_none() && BUILT_IN_VALUES.contains(&name) {
            return self.built_in(name, span);
        }
        if known.is_none() && name == "weight" {
            return self.weight(want, span);
        }
        if known.is_none() && name == "forward" && self.body.in_term() {
            return Some(self.forward());
        }
        match known {
            Some(RuleName::Param(index)) => {
                if self.place != Context::Param {
                    self.not_constant(name, span)?;
                }
                Some(self.body.push(self.rule.params[usize::from(index)].ty, Op::Param(index)))
            }
            Some(RuleName::State(state)) => self.own_state(state, name, span),
            Some(RuleName::Input(index)) => {
                self.not_constant(name, span)?;
                let (field, ty) = self.field_of_input(index);
                Some(self.body.push(ty, Op::State(field)))
            }
            Some(RuleName::Global(index)) => self.global(index, span),
            Some(RuleName::Let(index)) => {
                self.not_constant(name, span)?;
                if self.lets[index].over.is_some() {
                    return self.bond_by_name(BondName::Computed(index), span);
                }
                self.rule_let(index, want, span)
            }
            Some(RuleName::Kept(index)) => self.bond_by_name(BondName::Kept(index), span),
            Some(RuleName::Variant(id, number)) => {
                Some(self.body.push(Type::Enum(id), Op::Const(Value::Enum(id, number))))
            }
            Some(RuleName::Broken) => None,
            None if matches!(name, "cell" | "cells") && self.home.in_rule => self.cell_or_cells(name, span),
            Some(RuleName::Clusters(_)) => {
                Diagnostic::new(format!("`{name}` are clusters, not a value"), span, "not valid here")
                    .help(format!("write `root({name})`, `count() of {name}` or `any(…) of {name}`"))
                    .fail(self.errors)
            }
            Some(RuleName::Function(_)) => self.unknown(name, span).fail(self.errors),
            Some(RuleName::List(_)) => {
                Diagnostic::new(format!("`{name}` is a neighbourhood, not a value"), span, "not valid here")
                    .help(format!("write `count({name}, nb.alive)`, `sum({name}, nb.u)` or `degree({name})`"))
                    .fail(self.errors)
            }
            Some(RuleName::Const(_)) | None => match self.constant_value(name, want, span) {
                Some(constant) => constant,
                None if EXTENTS.contains(&name) => self.built_in(name, span),
                None => self.unknown(name, span).fail(self.errors),
            },
        }
    }

    /// The cell's own value of a state; while initial values are computed, the one computed above.
    fn own_state(&mut self, state: StateId, name: &str, span: Span) -> Option<Operand> {
        let ty = self.rule.states[usize::from(state.0)].ty;
        if self.place != Context::Init {
            self.may_read_state(name, span)?;
            return Some(self.body.push(ty, Op::State(state)));
        }
        if self.is_in_pair() {
            return super::pairs::state_in_init(name, span).fail(self.errors);
        }
        if self.init_reads {
            return Some(self.body.push(ty, Op::State(state)));
        }
        if let Some(known) = self.initial.get(&state) {
            return *known;
        }
        if self.has_init.contains(&state) {
            return Diagnostic::new(format!("`init` reads `{name}` before it has a value"), span, "no value yet")
                .help(format!("move `init {name} = …` above this one"))
                .fail(self.errors);
        }
        // Without an `init` it begins as zero.
        Some(self.body.push(ty, Op::Const(Value::zero(ty))))
    }

    /// The weight of the neighbour.
    fn weight(&mut self, want: Option<Type>, span: Span) -> Option<Operand> {
        let Some(weights) = self.weights.filter(|_| self.body.in_term()) else {
            let message = if self.body.in_term() {
                "`weight` of neighbours that have none"
            } else {
                "`weight` outside an aggregate"
            };
            let help = "give the offsets weights, `neighbourhood ring [(1, 0): 4.0, (1, 1): 1.0]`, and write `sum(ring, weight * nb.u)`";
            return Diagnostic::new(message, span, "not known here").help(help).fail(self.errors);
        };
        let ty = weights.flexible.map(|flexible| want.unwrap_or(flexible.default_type()));
        let entries = weights.entries.iter().filter_map(|entry| entry.weight.as_ref());
        let values = self.at_home(weights.home, |checker| checker.values_of(entries, ty))?;
        let values = self.weights_of_owned(values);
        Some(self.body.push(values[0].ty(), Op::Weight(values)))
    }

    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        if name == "nb" {
            return Diagnostic::new("`nb` is not a value", span, "a field is missing")
                .help("write `nb.field` for the neighbour's value of a state");
        }
        if self.function_named(name).is_some() {
            return Diagnostic::new(format!("`{name}` is a function, not a value"), span, "what is it given?")
                .help(format!("write `{name}(…)`"));
        }
        if Neighbourhood::is_built_in(name) {
            return Diagnostic::new(format!("`{name}` is a neighbourhood, not a value"), span, "not valid here")
                .help("write `count(moore, nb.alive)`, `sum(von_neumann, nb.u)` or `degree(moore)`");
        }
        let in_term = self.body.in_term();
        let built_in =
            BUILT_IN_VALUES.into_iter().chain(EXTENTS).filter(|name| in_term || !matches!(*name, "dx" | "dy" | "dz"));
        let locals = self.locals.iter().map(|local| local.name);
        let of_rule = self.names.keys().copied().filter(|_| self.home.in_rule);
        let of_files = self.scope.visible(self.home.module, DefKind::Const);
        let constants = BUILT_IN_CONSTANTS.iter().map(|(name, _)| *name);
        let known: Vec<&str> = of_rule.chain(locals).chain(built_in).chain(of_files).chain(constants).collect();
        match habits::value(name).filter(|_| nearest(name, &known).is_none()) {
            Some(help) => unknown("name", name, span).help(help),
            None => unknown_name("name", name, span, known),
        }
    }

    fn built_in(&mut self, name: &str, span: Span) -> Option<Operand> {
        self.not_constant(name, span)?;
        let axis = |name: &str| name.bytes().next_back().map_or(0, |letter| letter - b'x');
        let (ty, op) = match name {
            "level" => {
                self.rule.names_level = true;
                (Type::I32, Op::Level)
            }
            "step" => (Type::U32, Op::Time),
            "side" => {
                self.rule.names_coordinates = true;
                (Type::I32, Op::Side)
            }
            "width" | "height" | "depth" => {
                self.rule.names_coordinates = true;
                let axis = EXTENTS.iter().position(|extent| *extent == name).unwrap_or(0);
                (Type::I32, Op::Extent(axis as u8))
            }
            "x" | "y" | "z" => {
                self.rule.names_coordinates = true;
                self.rule.needs_three_dimensions |= name == "z";
                (Type::I32, Op::Coordinate(axis(name)))
            }
            _ => {
                if !self.body.in_term() {
                    let message = format!("`{name}` outside an aggregate");
                    return Diagnostic::new(message, span, "there is no neighbour here")
                    .help(format!(
                        "`{name}` is the neighbour's offset, as in `sum(moore, if {name} > 0 {{ nb.u }} else {{ 0 }})`"
                    ))
                    .fail(self.errors);
                }
                self.rule.needs_three_dimensions |= name == "dz";
                (Type::I32, Op::Offset(axis(name)))
            }
        };
        Some(self.body.push(ty, op))
    }

    /// Reports a name that the default of a parameter cannot use.
    pub(crate) fn not_constant(&mut self, name: &str, span: Span) -> Option<()> {
        let (what, help) = match self.place {
            Context::Param => (
                "the default of a parameter",
                "a default is made of numbers, `true`, `false`, variants, constants, parameters above it and functions of them",
            ),
            Context::Constant => (
                "a constant",
                "a constant is made of numbers, `true`, `false`, variants, other constants and functions of them",
            ),
            _ => return Some(()),
        };
        Diagnostic::new(format!("{what} cannot use `{name}`"), span, "not a constant").help(help).fail(self.errors)
    }

    /// Reports a state read where none can be read.
    pub(crate) fn may_read_state(&mut self, name: &str, span: Span) -> Option<()> {
        self.not_constant(name, span)?;
        self.uses.state = true;
        if self.place != Context::Init {
            return Some(());
        }
        let help = "an initial value may use the cell's own states above it, x, y, z, side, level, parameters and random draws";
        Diagnostic::new(format!("`init` cannot read `{name}` at neighbours"), span, "they have no value yet")
            .help(help)
            .fail(self.errors)
    }

    /// The type of a let of the rule, if it can be used here.
    pub(crate) fn use_let(&mut self, index: usize, span: Span) -> Option<Type> {
        match &self.lets[index].checked {
            LetState::Broken => None,
            LetState::NotYet => {
                let RuleLet { name, over, .. } = &self.lets[index];
                let kind = if over.is_some() { "bond" } else { "let" };
                Diagnostic::new(format!("`{name}` is used before it is defined"), span, "not known yet")
                    .help(format!(
                        "move the `{kind}` that defines it above this one; if each needs the other, keep one in a state"
                    ))
                    .fail(self.errors)
            }
            &LetState::Sound { uses, ty, .. } => {
                let name = self.lets[index].name;
                if self.in_clusters && self.asks_clusters(self.lets[index].value) {
                    return self.asks_before_they_are_found(name, span);
                }
                if uses.globals {
                    self.may_use_global(name, span)?;
                }
                self.may_use_let(name, uses, span)?;
                if uses.state && self.place == Context::Init {
                    let message = format!("`init` cannot use `{name}`, which reads a state");
                    return Diagnostic::new(message, span, "no state has a value yet")
                    .help("an initial value may use x, y, z, side, level, parameters, states above it and random draws")
                    .fail(self.errors);
                }
                self.uses.state |= uses.state;
                self.needed.push(index);
                Some(ty)
            }
        }
    }

    /// A let of the rule: its nodes are added to the body on first use, outside any term.
    fn rule_let(&mut self, index: usize, want: Option<Type>, span: Span) -> Option<Operand> {
        let own = self.use_let(index, span)?;
        let ty = self.type_of_let(index, own, want);
        if self.place == Context::RuleLet {
            // This body is checked and dropped: only the type matters.
            return Some(self.body.push(ty, Op::Level));
        }
        if ty == own
            && let Some(field) = self.field(index, ty)
        {
            return Some(self.body.push(ty, Op::State(field)));
        }
        if let Some(&known) = self.body.lets.get(&(index, ty)) {
            return Some(known);
        }
        self.room_for_more(span)?;
        let locals = std::mem::take(&mut self.locals);
        let term = self.body.term.take();
        let (weights, term_of) = (self.weights.take(), self.term_of.take());
        if ty == own {
            // Lets that the body does not have yet: each finds the lets that it needs there already, so that a long chain of lets is no deep recursion.
            let is_new = |need: &usize| match self.lets[*need].checked {
                _ if self.lets[*need].over.is_some() => false,
                LetState::Sound { ty, .. } => !self.body.lets.contains_key(&(*need, ty)),
                LetState::NotYet | LetState::Broken => true,
            };
            for need in self.with_needs(vec![index], is_new) {
                let Some(operand) = self.let_as_it_is(need) else { break };
                self.body.lets.insert((need, operand.ty), operand);
            }
        } else {
            let operand = self.value_as(self.lets[index].value, ty);
            self.body.lets.extend(operand.map(|operand| ((index, ty), operand)));
        }
        (self.weights, self.term_of) = (weights, term_of);
        self.body.term = term;
        self.locals = locals;
        self.body.lets.get(&(index, ty)).copied()
    }

    /// Reports a rule that has too many operations.
    pub(crate) fn room_for_more(&mut self, span: Span) -> Option<()> {
        if self.nodes.saturating_add(self.body.len()) <= MAX_NODES {
            return Some(());
        }
        if self.nodes < usize::MAX {
            Diagnostic::new(
                format!("the rule has more than {MAX_NODES} operations"),
                span,
                "counting `let`s of the rule and functions once for each step and observable that uses them",
            )
            .help("use fewer steps, observables, functions or `let`s")
            .report(self.errors);
            self.nodes = usize::MAX;
        }
        None
    }

    fn unary(&mut self, op: UnaryOperator, operand: &'a Expr, want: Option<Type>, span: Span) -> Option<Operand> {
        // `!` of a comparison wants no number, so a wanted type is passed on only where literals wait for it.
        let want = want.filter(|_| self.flexible(operand).is_some());
        let operand = self.check(operand, want)?;
        let (op, sound, valid) = match op {
            UnaryOperator::Negate => (UnaryOp::Negate, operand.ty.is_number(), "a number"),
            UnaryOperator::Not => {
                (UnaryOp::Not, operand.ty == Type::Bit || operand.ty.is_integer(), "a bit or an integer")
            }
        };
        if !sound {
            let sign = if op == UnaryOp::Negate { "-" } else { "!" };
            let message = format!("`{sign}` of `{}`", self.type_name(operand.ty));
            return Diagnostic::new(message, span, format!("needs {valid}"))
                .coded("type")
                .help(if op == UnaryOp::Negate {
                    "convert first, as in `-i32(alive)`".to_owned()
                } else {
                    "compare first, as in `!(u > 0.5)`".to_owned()
                })
                .fail(self.errors);
        }
        Some(self.body.push(operand.ty, Op::Unary(op, operand.id)))
    }

    /// Checks two operands that must have one type; literals take the type of the other side, or `want`.
    pub(crate) fn same_type(
        &mut self,
        left: &'a Expr,
        right: &'a Expr,
        want: Option<Type>,
    ) -> Option<(Operand, Operand)> {
        match (self.flexible(left), self.flexible(right)) {
            (Some(one), Some(other)) => {
                let ty = want.unwrap_or(one.and(other).default_type());
                let left = self.check(left, Some(ty));
                left.zip(self.check(right, Some(ty)))
            }
            (Some(_), None) => {
                let right = self.check(right, None)?;
                Some((self.check(left, Some(right.ty))?, right))
            }
            (None, Some(_)) => {
                let left = self.check(left, None)?;
                Some((left, self.check(right, Some(left.ty))?))
            }
            (None, None) => {
                let pair = (self.check(left, None), self.check(right, None));
                let (Some(one), Some(other)) = pair else { return None };
                if one.ty != other.ty {
                    let mut error = Diagnostic::new(
                        format!(
                            "two types that do not fit: `{}` and `{}`",
                            self.type_name(one.ty),
                            self.type_name(other.ty)
                        ),
                        right.span,
                        format!("this is `{}`", self.type_name(other.ty)),
                    )
                    .also(left.span, format!("this is `{}`", self.type_name(one.ty)))
                    .coded("type");
                    let drawn = self.meant_below(right, one.ty).or_else(|| self.meant_below(left, other.ty));
                    if let Some(help) = drawn {
                        error = error.help(help);
                    } else if !matches!(one.ty, Type::Enum(_)) {
                        let ty = wider(one.ty, other.ty);
                        let (narrow, found) = if ty == one.ty { (right, other.ty) } else { (left, one.ty) };
                        error = error.help(self.conversion(narrow, found, ty));
                    }
                    return error.fail(self.errors);
                }
                Some((one, other))
            }
        }
    }

    fn binary(
        &mut self,
        op: BinaryOperator,
        op_span: Span,
        left: &'a Expr,
        right: &'a Expr,
        want: Option<Type>,
    ) -> Option<Operand> {
        use BinaryOperator as B;
        if let B::ShiftLeft | B::ShiftRight = op {
            return self.shift(op == B::ShiftLeft, op_span, left, right, want);
        }
        if let B::And | B::Or = op {
            let left = self.check(left, Some(Type::Bit));
            let right = self.check(right, Some(Type::Bit));
            return Some(self.binary_node(operation(op)?, left?, right?));
        }
        let (left_span, right_span) = (left.span, right.span);
        if let Some(op) = op.comparison() {
            let (left, right) = self.same_type(left, right, None)?;
            self.lint_comparison(op, left, right, left_span.to(right_span));
            if !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
                self.needs(left.ty.is_number(), left.ty, op_span, "an order comparison", "numbers")?;
            }
            return Some(self.compare_node(op, left, right));
        }
        let (left_text, right_text) = (left, right);
        let (left, right) = self.same_type(left, right, want)?;
        let ty = left.ty;
        if op == B::Divide && ty.is_integer() {
            self.lint_division((left_text, left), (right_text, right));
        }
        let op = operation(op)?;
        if op == BinaryOp::Xor && ty.is_float() {
            let message = format!("`^` on `{}`", self.type_name(ty));
            return Diagnostic::new(message, op_span, "works on bits or integers only")
                .coded("type")
                .help("`^` is the exclusive or; a power is written `pow(a, b)`, and a square `a * a`")
                .fail(self.errors);
        }
        if matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) {
            self.needs(ty == Type::Bit || ty.is_integer(), ty, op_span, "`&`, `|` and `^`", "bits or integers")?;
        } else {
            self.needs(ty.is_number(), ty, op_span, "arithmetic", "numbers")?;
        }
        Some(self.binary_node(op, left, right))
    }

    /// Reports operands of a type that an operator does not work on.
    pub(super) fn needs(&mut self, sound: bool, ty: Type, span: Span, what: &str, valid: &str) -> Option<()> {
        if sound {
            return Some(());
        }
        let message = format!("{what} on `{}`", self.type_name(ty));
        let error = Diagnostic::new(message, span, format!("works on {valid} only")).coded("type");
        self.errors.push(match ty {
            Type::Bit | Type::Enum(_) => error.help("convert first, as in `i32(alive)`, or compare with `==`"),
            _ => error.help("convert first, as in `i32(u)`, or compare, as in `u > 0.5`"),
        });
        None
    }

    fn shift(
        &mut self,
        to_left: bool,
        op_span: Span,
        left: &'a Expr,
        right: &'a Expr,
        want: Option<Type>,
    ) -> Option<Operand> {
        let want = want.filter(|ty| ty.is_integer() && self.flexible(left).is_some());
        let value = self.check(left, want)?;
        self.needs(value.ty.is_integer(), value.ty, op_span, "a shift", "integers")?;
        let (flexible, before) = (self.flexible(right), self.errors.len());
        let mut count = self.check(right, flexible.map(|_| value.ty));
        if flexible == Some(Flexible::Integer) && count.is_none() && !matches!(right.kind, ExprKind::Int(_)) {
            // A count that the value's type does not hold is one of its own type.
            self.errors.truncate(before);
            count = self.check(right, None);
        }
        let count = count?;
        self.needs(count.ty.is_integer(), count.ty, right.span, "a shift count", "integers")?;
        Some(self.body.push(value.ty, Op::Shift { left: to_left, value: value.id, count: count.id }))
    }

    fn in_range(&mut self, value: &'a Expr, low: &'a Expr, high: &'a Expr) -> Option<Operand> {
        let (value_operand, low_operand) = self.same_type(value, low, None)?;
        let ty = value_operand.ty;
        let high = self.check(high, Some(ty))?;
        self.needs(ty.is_number(), ty, value.span, "a range", "numbers")?;
        let above = self.compare_node(CompareOp::GreaterEqual, value_operand, low_operand);
        let below = self.compare_node(CompareOp::LessEqual, value_operand, high);
        Some(self.binary_node(BinaryOp::And, above, below))
    }

    fn in_set(&mut self, value: &'a Expr, set: &'a [Expr], span: Span) -> Option<Operand> {
        let Some((first, rest)) = set.split_first() else {
            return Diagnostic::new("an empty set", span, "nothing is in it")
                .help("name the elements: `n in {2, 5}`")
                .fail(self.errors);
        };
        let (value, first) = self.same_type(value, first, None)?;
        let mut found = self.compare_node(CompareOp::Equal, value, first);
        let mut sound = true;
        for element in rest {
            let Some(element) = self.check(element, Some(value.ty)) else {
                sound = false;
                continue;
            };
            let equal = self.compare_node(CompareOp::Equal, value, element);
            found = self.binary_node(BinaryOp::Or, found, equal);
        }
        sound.then_some(found)
    }

    fn select(
        &mut self,
        condition: &'a Expr,
        then: &'a Block,
        otherwise: &'a Expr,
        want: Option<Type>,
    ) -> Option<Operand> {
        let condition = self.check(condition, Some(Type::Bit));
        let mut known = std::mem::take(&mut self.flexibility);
        let then_flexible = known.of_block(then, &mut |name| self.flexible_named(name));
        self.flexibility = known;
        let otherwise_flexible = self.flexible(otherwise);
        let (then, otherwise) = match (want, then_flexible, otherwise_flexible) {
            (Some(want), _, _) => (self.block(then, Some(want)), self.check(otherwise, Some(want))),
            (None, Some(one), Some(other)) => {
                let ty = one.and(other).default_type();
                (self.block(then, Some(ty)), self.check(otherwise, Some(ty)))
            }
            (None, Some(_), None) => {
                let otherwise = self.check(otherwise, None);
                (self.block(then, otherwise.map(|operand| operand.ty)), otherwise)
            }
            (None, None, _) => {
                let then = self.block(then, None);
                (then, self.check(otherwise, then.map(|operand| operand.ty)))
            }
        };
        let (condition, then, otherwise) = (condition?.id, then?, otherwise?.id);
        Some(self.body.push(then.ty, Op::Select { condition, then: then.id, otherwise }))
    }

    fn block(&mut self, block: &'a Block, want: Option<Type>) -> Option<Operand> {
        let outer = self.locals.len();
        for (name, value) in &block.lets {
            let local = self.local(&name.name, value);
            self.check_local_name(name);
            self.locals.push(local);
        }
        let value = self.check(&block.value, want);
        self.locals.truncate(outer);
        value
    }

    /// Reports a let with a name that means something to every cell.
    pub(crate) fn check_local_name(&mut self, name: &crate::text::syntax::ast::Ident) {
        if let Some(error) = super::names::reserved(name) {
            self.errors.push(error);
        }
    }

    fn wrong_type(&mut self, expr: &Expr, found: Type, want: Type) {
        let (found_name, want_name) = (self.type_name(found), self.type_name(want));
        let conversion = self.conversion(expr, found, want);
        let message = format!("expected `{want_name}`, found `{found_name}`");
        let error = Diagnostic::new(message, expr.span, format!("this is `{found_name}`")).coded("type");
        let drawn = self.meant_below(expr, want);
        self.errors.push(match want {
            _ if drawn.is_some() => error.help(drawn.unwrap_or_default()),
            Type::Bit => error.help("a comparison gives a bit, as in `n != 0`"),
            Type::Enum(_) => {
                match self.rule.states.iter().find(|state| state.ty == want).filter(|_| found.is_integer()) {
                    Some(state) => error.help(format!(
                        "write `{}(…)` for the variant with that number, or a variant of `{want_name}`",
                        state.name
                    )),
                    None => error.help(format!("use a variant of `{want_name}`")),
                }
            }
            _ => error.help(conversion),
        });
    }

    /// The help where a number is expected and `random(10)` is written.
    fn meant_below(&self, expr: &Expr, want: Type) -> Option<String> {
        let ExprKind::Call { name, arguments, .. } = &expr.kind else { return None };
        let [Expr { kind: ExprKind::Int(count), .. }] = &arguments[..] else { return None };
        let last = count.parse::<u32>().ok().filter(|count| *count > 1)? - 1;
        if name.name != "random" || matches!(want, Type::Bit | Type::Enum(_)) {
            return None;
        }
        let draw = format!("below({count})");
        let draw = if want == Type::U32 { draw } else { format!("{}({draw})", self.type_name(want)) };
        Some(format!(
            "`random(p)` is a bit that is true with probability p; write `{draw}` for a number from 0 to {last}"
        ))
    }

    /// A type's name for messages.
    pub(super) fn type_name(&self, ty: Type) -> String {
        crate::ir::rule::type_name(&self.rule.enums, ty)
    }

    /// The node of a constant bit.
    pub(super) fn bit(&mut self, value: bool) -> NodeId {
        self.body.push(Type::Bit, Op::Const(Value::Bit(value))).id
    }
}
