//! Warnings about texts that are valid, but probably not meant.
//!
//! A rule silences one of them by `allow NAME`; a name that begins with `_` may be unused.

use super::body::Operand;
use super::equality::{Sides, given_by};
use super::expression::{Checker, Context, RuleName};
use super::turns;
use crate::geometry::Domain;
use crate::ir::evaluate::evaluate;
use crate::ir::rule::of_all_cells;
use crate::ir::{
    Aggregate, AggregateKind, Axes, BinaryOp, Body, ColourClasses, CompareOp, Dependences, Dimension, MathFn2,
    Neighbourhood, Node, NodeId, Op, Rule, StateId, Step, Type, UnaryOp, Value,
};
use crate::numbers::mode::DefaultMode;
use crate::numbers::scalar;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Expr, ExprKind, Ident, ItemKind, RuleDef, RuleItem, RuleItemKind, SyntaxFile};
use crate::text::syntax::walk;
use std::collections::{HashMap, HashSet};

/// The names by which warnings are silenced, each with its subject.
pub(crate) const LINTS: [(&str, &str); 16] = [
    ("constant_comparison", "a comparison that has one answer"),
    ("constant_guard", "a guard that covers all cells or none"),
    ("constant_probability", "`random(p)` with p beyond 0 and 1"),
    ("float_equality", "`==` and `!=` of floats"),
    ("integer_division", "a division of whole numbers that loses a remainder"),
    ("log_of_zero", "`log` of a draw that can be 0"),
    ("no_init", "a state that begins as zero because nothing else is said"),
    ("no_neighbour", "an aggregate whose expression names no neighbour"),
    ("order", "an ordered step whose order changes nothing"),
    ("overflow", "a product in an observable that may be too large for its type"),
    ("slow_power", "`pow` with a small whole exponent"),
    ("uniform_comparison", "`uniform() < p` in the place of `random(p)`"),
    ("unreachable_case", "a case of a `match` that others have taken"),
    ("unused", "a name that nothing uses"),
    ("varying_draw", "a draw of clusters whose argument is the cell's own"),
    ("whole_labelling", "all clusters found to ask one of them"),
];
/// The warning about checkerboards, which needs to know the fractal's dimension.
pub(crate) const SEPARATION: (&str, &str) =
    ("separation", "a checkerboard, or a coloured step, whose cells of one colour read one another");

/// The most nodes that are looked at to find the range of one.
const MOST_BOUNDED: usize = 64;
/// The longest axis of the box of cells on which guards are tried.
const BOX: i32 = 12;
/// The most warnings of one kind that are shown.
const MOST_OF_A_KIND: usize = 20;
/// The most cells that take turns one by one without a warning.
const MOST_IN_TURN: u64 = 1_000_000;
/// The most offsets of a neighbourhood that are tried.
const MOST_TRIED: usize = 64;

/// The warnings found so far.
#[derive(Default)]
pub(super) struct Lints {
    pub found: Vec<Diagnostic>,
    /// The names of warnings that the rule silences.
    pub allowed: HashSet<String>,
    /// Where each was found.
    pub seen: HashSet<(&'static str, Span)>,
    /// Divisions of whole numbers that are meant to lose their remainder.
    pub meant: HashSet<Span>,
    /// The least and the greatest values of lets of whole numbers, as far as they are known.
    pub ranges: HashMap<usize, (i128, i128)>,
    /// The same of states, once the steps were checked.
    pub states: Ranges,
    /// Comparisons of floats for equality, of which the steps say whether they are exact.
    pub equalities: Vec<(Diagnostic, Sides)>,
}

/// The least and the greatest values of states.
pub(super) type Ranges = HashMap<StateId, (i128, i128)>;

/// The least range that holds two.
fn around((a, b): (i128, i128), (c, d): (i128, i128)) -> (i128, i128) {
    (a.min(c), b.max(d))
}

impl<'a> Checker<'a, '_> {
    /// Notes which warnings the rule does not want.
    pub(super) fn allow(&mut self, def: &'a RuleDef) {
        for item in &def.items {
            let RuleItemKind::Allow(names) = &item.kind else { continue };
            for name in names {
                let known = LINTS.iter().chain([&SEPARATION]).map(|(known, _)| *known);
                if known.clone().any(|known| known == name.name) {
                    self.lints.allowed.insert(name.name.clone());
                } else {
                    self.errors.push(super::names::unknown_name("warning", &name.name, name.span, known));
                }
            }
        }
    }

    /// Reports a warning, once for each place. A warning about a function's body is not repeated at its calls, but for integer division,
    /// which the body itself can say to be meant.
    pub(super) fn lint(&mut self, name: &'static str, warning: Diagnostic) {
        let place = warning.primary.as_ref().map(|label| label.span);
        let fresh = place.is_none_or(|place| self.lints.seen.insert((name, place)));
        let defined = name == "integer_division" && self.place == Context::Function && self.inlined.len() == 1;
        let here = self.inlined.is_empty() || defined;
        if fresh && here && !self.lints.allowed.contains(name) {
            // Outside of rules nothing silences one.
            let silence = format!("`allow {name}` in the rule silences this");
            let warning = if self.home.in_rule { warning.help(silence) } else { warning };
            self.lints.found.push(warning.into_warning(name));
        }
    }

    /// A power that a product gives at a fraction of the cost, though not always to the last digit.
    pub(super) fn lint_power(&mut self, function: MathFn2, exponent: Operand, span: Span) {
        let exponent = self.body.constant(exponent.id).map(Value::as_f64);
        let product = match exponent.filter(|_| function == MathFn2::Pow) {
            Some(2.0) => "a * a",
            Some(3.0) => "a * a * a",
            Some(4.0) => "{ let b = a * a  b * b }",
            _ => return,
        };
        let warning = Diagnostic::new("a power with a small exponent", span, "a product takes a fraction of the time")
            .help(format!("write `{product}`: the last digit may differ"));
        self.lint("slow_power", warning);
    }

    pub(super) fn lint_probability(&mut self, probability: Operand, span: Span) {
        let Some(value) = self.body.constant(probability.id) else { return };
        let p = value.as_f64();
        if p > 0.0 && p < 1.0 {
            return;
        }
        let answer = if p >= 1.0 { "always true" } else { "never true" };
        let message = format!("`random({})` is {answer}", value.as_text());
        let mut warning = Diagnostic::new(message, span, "a probability is between 0 and 1");
        if p > 1.0 && p.fract() == 0.0 {
            warning = warning.help(format!("write `below({p})` for a number from 0 to {}", p - 1.0));
        }
        self.lint("constant_probability", warning);
    }

    /// An aggregate whose term is the same for all neighbours.
    pub(super) fn lint_term(&mut self, function: &str, term: &'a Expr, span: Span) {
        let mut names = Mentioned::default();
        names.expr(term);
        if names.neighbour || ["dx", "dy", "dz", "weight"].iter().any(|name| names.names.contains(*name)) {
            return;
        }
        let message = format!("`{function}` over neighbours of what is the cell's own");
        let warning = Diagnostic::new(message, span, "names no neighbour")
            .help("write `nb.` before a state to mean the neighbour's value, or `degree(…)` to count the neighbours");
        self.lint("no_neighbour", warning);
    }

    pub(super) fn lint_comparison(&mut self, op: CompareOp, left: Operand, right: Operand, span: Span) {
        let equality = matches!(op, CompareOp::Equal | CompareOp::NotEqual);
        if equality && left.ty.is_float() {
            self.lint_equality(left, right, span);
        }
        // Two constants are compared to choose between variants of a rule.
        if self.body.constant(left.id).is_some() && self.body.constant(right.id).is_some() {
            return;
        }
        let (Some(a), Some(b)) = (self.bounds(left), self.bounds(right)) else { return };
        let always = match op {
            CompareOp::Less => (a.1 < b.0, a.0 >= b.1),
            CompareOp::LessEqual => (a.1 <= b.0, a.0 > b.1),
            CompareOp::Greater => (a.0 > b.1, a.1 <= b.0),
            CompareOp::GreaterEqual => (a.0 >= b.1, a.1 < b.0),
            CompareOp::Equal => (false, a.1 < b.0 || b.1 < a.0),
            CompareOp::NotEqual => (a.1 < b.0 || b.1 < a.0, false),
        };
        let answer = match always {
            (true, _) => "true",
            (_, true) => "false",
            _ => return,
        };
        let range = |(low, high): (i128, i128)| if low == high { low.to_string() } else { format!("{low} to {high}") };
        let warning =
            Diagnostic::new(format!("a comparison that is always {answer}"), span, format!("always {answer}"))
                .help(format!("the left side is {}, the right side is {}", range(a), range(b)));
        self.lint("constant_comparison", warning);
    }

    /// Notes a comparison of floats for equality.
    fn lint_equality(&mut self, left: Operand, right: Operand, span: Span) {
        let warning = Diagnostic::new("floats compared for equality", span, "rounding makes equal numbers differ")
            .help("write `abs(a - b) < 1e-6`, or compare by `<` or `>`");
        let before = self.lints.found.len();
        self.lint("float_equality", warning);
        if let Some(warning) = self.lints.found.drain(before..).next() {
            let sides = Sides::of(&|id| self.body.node(id), [left.id, right.id]);
            self.lints.equalities.push((warning, sides));
        }
    }

    /// Warns of those that are not exact, given the steps of the rule.
    pub(super) fn lint_equalities(&mut self, steps: &[Step]) {
        let given = given_by(steps);
        let warned = self.lints.equalities.drain(..).filter(|(_, sides)| !sides.are_exact(&given));
        self.lints.found.extend(warned.map(|(warning, _)| warning));
    }

    pub(super) fn lint_guard(&mut self, guard: Operand, span: Span) {
        let Some(value) = self.body.constant(guard.id) else { return };
        let covers = if scalar::bit(value) { "all cells" } else { "no cell" };
        let warning = Diagnostic::new(format!("a guard that covers {covers}"), span, "has one answer for all cells")
            .help("remove the guard, or the step");
        self.lint("constant_guard", warning);
    }

    /// The least and the greatest value that a whole number can have, as far as it is easily known.
    pub(super) fn bounds(&self, operand: Operand) -> Option<(i128, i128)> {
        self.bounds_in(&|id| self.body.node(id), &Ranges::new(), operand.id, &mut { MOST_BOUNDED })
    }

    /// The same in some nodes, given the ranges of states.
    fn bounds_in<'n>(
        &self,
        nodes: &dyn Fn(NodeId) -> Option<&'n Node>,
        states: &Ranges,
        id: NodeId,
        left: &mut usize,
    ) -> Option<(i128, i128)> {
        *left = left.checked_sub(1)?;
        let node = nodes(id)?;
        let mut of = |id: NodeId| self.bounds_in(nodes, states, id, left);
        let of_state = |state: &StateId| match usize::from(state.0).checked_sub(self.rule.states.len()) {
            None => states.get(state).copied(),
            // The value that a cell computes for a `let` that is kept.
            Some(field) => self.lints.ranges.get(&self.fields.get(field)?.0).copied(),
        };
        let of_type = Value::range(node.ty);
        let known = match &node.op {
            Op::Const(value) => value.as_i128().map(|value| (value, value)),
            Op::Coordinate(_) => Some((0, i32::MAX.into())),
            Op::Aggregate(Aggregate {
                kind: AggregateKind::Count | AggregateKind::Sum, neighbourhood, value, ..
            }) if nodes(*value).is_some_and(|term| term.ty == Type::Bit) => {
                Some((0, self.rule.neighbourhoods[usize::from(*neighbourhood)].offsets_at_most(Dimension::Three)))
            }
            Op::Aggregate(Aggregate { kind: AggregateKind::Sum, neighbourhood, value, .. }) => {
                let (low, high) = of(*value)?;
                let most = self.rule.neighbourhoods[usize::from(*neighbourhood)].offsets_at_most(Dimension::Three);
                Some((most.saturating_mul(low.min(0)), most.saturating_mul(high.max(0))))
            }
            Op::Cast(inner) => match nodes(*inner)?.ty {
                Type::Bit => Some((0, 1)),
                ty @ (Type::U8 | Type::U16 | Type::I32 | Type::U32 | Type::I64) => of(*inner).or(Value::range(ty)),
                Type::Enum(id) => Some((0, self.rule.enums[usize::from(id.0)].variants.len() as i128 - 1)),
                _ => None,
            },
            Op::Binary(BinaryOp::Remainder, a, b) => match (of(*a), of(*b)) {
                (a, Some((b, most))) if b == most && b > 0 => {
                    let least = if a.is_some_and(|(least, _)| least >= 0) { 0 } else { 1 - b };
                    Some((least, b - 1))
                }
                _ => None,
            },
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) => {
                let ((a, b), (c, d)) = (of(*a)?, of(*b)?);
                Some(if *op == BinaryOp::Add { (a + c, b + d) } else { (a - d, b - c) })
            }
            Op::Unary(UnaryOp::Negate, a) => of(*a).map(|(low, high)| (-high, -low)),
            Op::Neighbour(state) | Op::State(state) => of_state(state),
            Op::Read { state, otherwise, .. } => Some(around(of_state(state)?, of(*otherwise)?)),
            Op::Aggregate(Aggregate {
                kind: AggregateKind::Min | AggregateKind::Max | AggregateKind::Pick,
                value,
                otherwise: Some(otherwise),
                ..
            }) => Some(around(of(*value)?, of(*otherwise)?)),
            Op::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) => {
                let ((a, b), (c, d)) = (of(*a)?, of(*b)?);
                Some(if *op == BinaryOp::Min { (a.min(c), b.min(d)) } else { (a.max(c), b.max(d)) })
            }
            Op::Unary(UnaryOp::Abs, a) => of(*a).map(|(low, high)| (0, high.max(-low))),
            Op::RandomBelow { bound, .. } => of(*bound).map(|(_, most)| (0, (most - 1).max(0))),
            Op::Binary(BinaryOp::Multiply, a, b) => {
                let ((a, b), (c, d)) = (of(*a)?, of(*b)?);
                Some(of_products(a, b, c, d))
            }
            Op::LookUp { table, .. } => {
                table.values().map(|value| value.as_i128().map(|v| (v, v))).reduce(|a, b| Some(around(a?, b?)))?
            }
            Op::Select { then, otherwise, .. } => Some(around(of(*then)?, of(*otherwise)?)),
            of_all_cells!() | Op::Extent(_) | Op::Offset(_) | Op::Weight(_) => None,
            Op::Aggregate(_) | Op::Unary(..) | Op::Binary(..) | Op::Shift { .. } => None,
            Op::Compare(..) | Op::Math(..) | Op::Math2(..) => None,
            Op::RandomBits { .. } | Op::RandomUniform { .. } | Op::RandomBit { .. } => None,
        };
        // A value that may wrap has no known bounds but its type's.
        let within = |range: (i128, i128)| of_type.is_none_or(|(least, most)| least <= range.0 && range.1 <= most);
        known.filter(|range| within(*range)).or(of_type).filter(|_| of_type.is_some())
    }

    /// Finds the least and the greatest values of states of whole numbers, where these follow from the values that states are given.
    pub(super) fn note_ranges_of_states(&mut self, init: &Body, steps: &[Step]) {
        /// How often ranges may grow before they count as unknown.
        const GROWTHS: usize = 3;
        let whole =
            |state: &StateId| self.rule.states.get(usize::from(state.0)).is_some_and(|state| state.ty.is_integer());
        let of = |body: &Body, known: &Ranges, node: NodeId| {
            self.bounds_in(&|id| body.nodes.get(id.0 as usize), known, node, &mut { MOST_BOUNDED })
        };
        let states = (0..self.rule.states.len() as u16).map(StateId);
        let is_bond = |state: &StateId| self.kept.iter().any(|bond| bond.state == *state);
        let ranges = states.filter(|state| whole(state) && !is_bond(state)).map(|state| (state, (0, 0)));
        let mut known: Ranges = ranges.collect();
        for &(state, node) in init.results.iter().filter(|(state, _)| whole(state)) {
            match of(init, &Ranges::new(), node) {
                Some(range) => known.insert(state, range),
                None => known.remove(&state),
            };
        }
        for round in 0.. {
            let mut grown = known.clone();
            for body in steps.iter().map(|step| &step.body) {
                for (state, node) in &body.results {
                    let Some(&before) = grown.get(state) else { continue };
                    match of(body, &known, *node) {
                        Some(range) => grown.insert(*state, around(before, range)),
                        None => grown.remove(state),
                    };
                }
            }
            if grown == known {
                break;
            }
            if round >= GROWTHS {
                grown.retain(|state, range| known.get(state) == Some(range));
            }
            known = grown;
        }
        self.lints.states = known;
    }

    /// Warns of a product of two numbers of the cells, in a term of a reduction, that its type may not hold.
    pub(super) fn lint_products(&mut self, function: &str, term: &Expr) {
        for number in 0..self.body.nodes.len() {
            let id = NodeId(number as u32);
            let Some(node) = self.body.node(id) else { continue };
            let (Op::Binary(BinaryOp::Multiply, a, b), true) = (&node.op, node.ty.is_integer()) else { continue };
            let (a, b, ty) = (*a, *b, node.ty);
            if self.body.constant(a).is_some() || self.body.constant(b).is_some() {
                continue;
            }
            let mut left = MOST_BOUNDED;
            let mut of = |id| self.bounds_in(&|id| self.body.node(id), &self.lints.states, id, &mut left);
            let (Some(a), Some(b)) = (of(a), of(b)) else { continue };
            let Some((least, most)) = Value::range(ty) else { continue };
            let (low, high) = of_products(a.0, a.1, b.0, b.1);
            if low >= least && high <= most {
                continue;
            }
            let name = self.type_name(ty);
            let message = format!("a product of `{name}` that may wrap");
            let label = format!("beyond {most} it begins again at {least}");
            let warning = Diagnostic::new(message, term.span, label)
                .help(format!("convert first, as in `{function}(f64(n) * f64(n))` or `{function}(i64(n) * i64(n))`"))
                .help("`variance(n)` converts by itself");
            self.lint("overflow", warning);
        }
    }

    /// The lints of a rule as a whole.
    pub(super) fn lint_rule(&mut self, def: &'a RuleDef, steps: Option<&[Step]>) {
        self.lint_unused(def);
        self.lint_draws(def);
        self.lint_equalities(steps.unwrap_or_default());
        for item in &def.items {
            let (RuleItemKind::State { name, .. } | RuleItemKind::KeptBond { name, .. }) = &item.kind else { continue };
            let state = match self.names.get(name.name.as_str()) {
                Some(RuleName::State(state)) => *state,
                Some(RuleName::Kept(index)) => self.kept[*index].state,
                _ => continue,
            };
            if !self.has_init.contains(&state) && !name.name.starts_with('_') {
                let warning =
                    Diagnostic::new(format!("`{}` has no `init`", name.name), name.span, "begins as zero in all cells")
                        .help(format!("write `init {} = …`, if only to say so", name.name));
                self.lint("no_init", warning);
            }
        }
        let dimension = if self.rule.needs_three_dimensions { Dimension::Three } else { Dimension::Two };
        for step in steps.into_iter().flatten().filter(|step| step.order.is_none()) {
            let Some(problem) = not_separated(step, &self.rule.neighbourhoods, dimension) else { continue };
            let of_step = |item: &&RuleItem| matches!(&item.kind, RuleItemKind::Step { name, .. } if step.name.as_ref() == Some(&name.name));
            let Some(RuleItem { kind: RuleItemKind::Step { name, guard, .. }, .. }) =
                with_steps(&def.items).find(of_step)
            else {
                continue;
            };
            let place = guard.as_ref().map_or(name.span, |guard| guard.span);
            let message = format!("step `{}` changes neighbours at once", name.name);
            let label = format!("a cell and its neighbour at {problem} both pass");
            let warning = Diagnostic::new(message, place, label)
                .help("cells that read one another are updated at once: use more colours, or a smaller neighbourhood");
            self.lint(SEPARATION.0, warning);
        }
        self.lint_turns(def, steps.unwrap_or_default(), dimension);
        for step in steps.into_iter().flatten() {
            let none = |found: Dependences| found.offsets.is_empty();
            if !self.rule.dependences(step, dimension, [None; 3]).is_some_and(none) {
                continue;
            }
            let of_step = |item: &'a RuleItem| match &item.kind {
                RuleItemKind::Step { name, order: Some(order), .. } if step.name.as_ref() == Some(&name.name) => {
                    Some((name, order.span))
                }
                _ => None,
            };
            let Some((name, span)) = with_steps(&def.items).find_map(of_step) else { continue };
            let message = format!("the order of step `{}` changes nothing", name.name);
            let label = "the step reads no state that it sets at cells before or behind";
            let warning = Diagnostic::new(message, span, label)
                .help("leave `from` out: the step then takes all cells at once, on all backends");
            self.lint("order", warning);
        }
    }

    /// Coloured steps whose cells of one colour read one another. How many colours there are follows from the domain; here no axis closes.
    fn lint_turns(&mut self, def: &'a RuleDef, steps: &[Step], dimension: Dimension) {
        let mut warnings = Vec::new();
        for coloured in &self.rule.coloured {
            let colours = |of: &Neighbourhood| ColourClasses::somewhere(of, dimension);
            let Some(found) = turns::beyond(coloured, steps, &self.rule.neighbourhoods, dimension, colours) else {
                continue;
            };
            let Some(name) = &steps[coloured.steps.end - 1].name else { continue };
            let of_step = |item: &RuleItem| match &item.kind {
                RuleItemKind::Step { name: of, coloured: Some(by), .. } if of.name == *name => Some(by.span),
                _ => None,
            };
            let Some(span) = with_steps(&def.items).find_map(of_step) else { continue };
            let (state, place) = (&self.rule.state(found.state).name, turns::place(found.offset, dimension));
            let message = format!("step `{name}` changes cells at once that it reads from one another");
            let label = format!("it reads `{state}` at {place}, which has the cell's own colour");
            let mut warning = Diagnostic::new(message, span, label);
            if let Some(enough) = &found.enough {
                warning = warning.help(format!("write `colour of {}`", turns::written(enough)));
            }
            warnings.push(warning);
        }
        warnings.into_iter().for_each(|warning| self.lint(SEPARATION.0, warning));
    }

    fn lint_unused(&mut self, def: &'a RuleDef) {
        let mut mentioned = Mentioned::default();
        mentioned.items(&def.items);
        let mut warn = |what: &str, name: &Ident, label: &str| {
            mentioned.unused(what, name, label).into_iter().for_each(|warning| self.lint("unused", warning));
        };
        let mut changed: HashSet<&str> = HashSet::new();
        for item in with_steps(&def.items) {
            if let RuleItemKind::Next { name, .. } = &item.kind {
                changed.insert(&name.name);
            }
        }
        for item in with_steps(&def.items) {
            match &item.kind {
                RuleItemKind::Param { name, .. } => warn("parameter", name, "nothing depends on it"),
                RuleItemKind::Input { name, .. } => warn("input", name, "nothing reads it"),
                RuleItemKind::Let { name, .. } => warn("`let`", name, "nothing uses it"),
                RuleItemKind::Bond { name, .. } => warn("`bond`", name, "nothing reads it"),
                RuleItemKind::Clusters { name, .. } => warn("`clusters`", name, "nothing asks them"),
                RuleItemKind::Const(def) => warn("constant", &def.name, "nothing uses it"),
                RuleItemKind::Function(def) => warn("function", &def.name, "nothing calls it"),
                RuleItemKind::Neighbourhood(def) => warn("neighbourhood", &def.name, "nothing uses it"),
                RuleItemKind::State { name, .. } if !changed.contains(name.name.as_str()) => {
                    warn("state", name, "nothing reads or changes it");
                }
                RuleItemKind::KeptBond { name, .. } if !changed.contains(name.name.as_str()) => {
                    warn("`bond`", name, "nothing reads or changes it");
                }
                _ => {}
            }
        }
        for item in with_steps(&def.items) {
            let mut of_block = |inner: &'a Expr| {
                inner.lets().iter().for_each(|(name, _)| warn("`let`", name, "nothing uses it"));
            };
            each_expression(item, &mut |expr| walk(expr, &mut of_block));
        }
    }
}

/// The first warnings of each kind; the last of them says how many more there are. Warnings are of a kind if they say the same but for names and numbers.
pub(super) fn not_too_many(warnings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    let mut kept: Vec<Diagnostic> = Vec::new();
    for warning in warnings {
        let words = warning.message.split('`').step_by(2).flat_map(str::chars);
        let kind = words.filter(|letter| !letter.is_ascii_digit()).collect();
        let (count, last) = counts.entry(kind).or_default();
        *count += 1;
        if *count <= MOST_OF_A_KIND {
            *last = kept.len();
            kept.push(warning);
        }
    }
    for (count, last) in counts.into_values().filter(|(count, _)| *count > MOST_OF_A_KIND) {
        kept[last].help.push(format!("and {} more of this kind", count - MOST_OF_A_KIND));
    }
    kept
}

/// The least and the greatest product of two numbers from a to b and from c to d.
fn of_products(a: i128, b: i128, c: i128, d: i128) -> (i128, i128) {
    let products = [a, b].into_iter().flat_map(|one| [c, d].map(|other| one.saturating_mul(other)));
    products.fold((i128::MAX, i128::MIN), |(least, most), product| (least.min(product), most.max(product)))
}

/// Warnings about constants and functions of a file that nothing in it uses. A file without rules is for others.
pub(super) fn unused_in_file(file: &SyntaxFile, warnings: &mut Vec<Diagnostic>) {
    let mut mentioned = Mentioned::default();
    let mut has_rule = false;
    for item in &file.items {
        match &item.kind {
            ItemKind::Rule(def) => {
                has_rule = true;
                mentioned.items(&def.items);
            }
            ItemKind::Const(def) => def.value.expressions().iter().for_each(|value| mentioned.expr(value)),
            ItemKind::Function(def) => mentioned.expr(&def.value),
            ItemKind::Neighbourhood(def) => {
                def.offsets.iter().filter_map(|entry| entry.weight.as_ref()).for_each(|weight| mentioned.expr(weight));
            }
            ItemKind::Use(_) | ItemKind::Fractal(_) | ItemKind::Broken(..) => {}
        }
    }
    for item in &file.items {
        let (what, name) = match &item.kind {
            ItemKind::Const(def) => ("constant", &def.name),
            ItemKind::Function(def) => ("function", &def.name),
            _ => continue,
        };
        if has_rule {
            let unused = mentioned.unused(what, name, "nothing in this file uses it");
            warnings.extend(unused.map(|warning| warning.into_warning("unused")));
        }
    }
}

/// The names that expressions mention.
#[derive(Default)]
struct Mentioned<'a> {
    names: HashSet<&'a str>,
    /// Some expression reads a neighbour.
    neighbour: bool,
}

impl<'a> Mentioned<'a> {
    /// The warning about a name that is not mentioned; names that begin with `_` need none.
    fn unused(&self, what: &str, name: &Ident, label: &str) -> Option<Diagnostic> {
        let mut needed = !name.name.starts_with('_') && !self.names.contains(name.name.as_str());
        // A vector is used where a component of it is, and is told of once.
        let mut whole = name.name.as_str();
        if let Some((vector, component)) = whole.split_once('.') {
            let is_of_vector = |other: &&str| other.split_once('.').is_some_and(|(of, _)| of == vector);
            needed &= component == "x" && !self.names.iter().any(is_of_vector);
            whole = vector;
        }
        needed.then(|| {
            Diagnostic::new(format!("{what} `{whole}` is not used"), name.span, label)
                .help(format!("remove it, or call it `_{whole}`"))
        })
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Name(name) => drop(self.names.insert(name)),
            ExprKind::Neighbour(name) => {
                self.neighbour = true;
                self.names.insert(&name.name);
            }
            ExprKind::OfCluster(_, name) | ExprKind::AtCluster(_, name) | ExprKind::Per(_, name) => {
                self.names.insert(&name.name);
            }
            ExprKind::Call { name, .. } | ExprKind::Index { name, .. } | ExprKind::Read { name, .. } => {
                self.names.insert(&name.name);
            }
            ExprKind::Match { arms, .. } => {
                for pattern in arms.iter().flat_map(|arm| &arm.patterns) {
                    for end in [&pattern.low].into_iter().chain(&pattern.high) {
                        if let crate::text::syntax::ast::PatternEnd::Name(name) = end {
                            self.names.insert(&name.name);
                        }
                    }
                }
            }
            _ => {}
        }
        expr.children().into_iter().for_each(|inner| self.expr(inner));
    }

    fn items(&mut self, items: &'a [RuleItem]) {
        for item in with_steps(items) {
            each_expression(item, &mut |expr| self.expr(expr));
            if let RuleItemKind::Clusters { bond, .. } = &item.kind {
                self.names.insert(&bond.name);
            }
        }
    }
}

/// The entries of a rule and those of its steps.
pub(super) fn with_steps(items: &[RuleItem]) -> impl Iterator<Item = &RuleItem> {
    fn inside(item: &RuleItem) -> &[RuleItem] {
        match &item.kind {
            RuleItemKind::Step { items, .. } | RuleItemKind::Repeat { items, .. } => items,
            _ => &[],
        }
    }
    let with_inside = |item| [item].into_iter().chain(inside(item));
    items.iter().flat_map(move |item| [item].into_iter().chain(inside(item).iter().flat_map(with_inside)))
}

/// Calls `visit` with the expressions of an entry, those inside a step aside.
pub(super) fn each_expression<'a>(item: &'a RuleItem, visit: &mut dyn FnMut(&'a Expr)) {
    match &item.kind {
        RuleItemKind::Param { range, value, .. } => {
            range.iter().for_each(|(low, high)| [low, high].into_iter().for_each(&mut *visit));
            visit(value);
        }
        RuleItemKind::Bond { over, value, .. } => {
            visit(over);
            visit(value);
        }
        RuleItemKind::KeptBond { over, .. } => visit(over),
        RuleItemKind::Clusters { when, .. } => when.iter().for_each(visit),
        RuleItemKind::Init { value, .. }
        | RuleItemKind::Let { value, .. }
        | RuleItemKind::Global { value, .. }
        | RuleItemKind::Next { value, .. }
        | RuleItemKind::Stop(value)
        | RuleItemKind::Equilibrium(value) => visit(value),
        RuleItemKind::Observe { values, .. } => values.iter().for_each(visit),
        RuleItemKind::Step { guard, coloured, .. } => guard.iter().chain(coloured).for_each(visit),
        RuleItemKind::Repeat { count, .. } => visit(count),
        RuleItemKind::Const(def) => def.value.expressions().iter().for_each(visit),
        RuleItemKind::Function(def) => visit(&def.value),
        RuleItemKind::Neighbourhood(def) => {
            def.offsets.iter().filter_map(|entry| entry.weight.as_ref()).for_each(visit)
        }
        RuleItemKind::Picture(def) => {
            def.range.iter().for_each(|(low, high)| [low, high].into_iter().for_each(&mut *visit));
        }
        RuleItemKind::Input { .. } | RuleItemKind::State { .. } | RuleItemKind::Allow(_) | RuleItemKind::Flush => {}
    }
}

/// The values of lets by their names; blocks may define a name again.
pub(super) type LetsByName<'a> = HashMap<&'a str, Vec<&'a Expr>>;

/// The expressions of the entries of a rule and of its steps, and its lets, those of blocks included.
pub(super) fn expressions_and_lets(items: &[RuleItem]) -> (Vec<&Expr>, LetsByName<'_>) {
    let (mut expressions, mut lets) = (Vec::new(), LetsByName::new());
    for item in with_steps(items) {
        if let RuleItemKind::Let { name, value } = &item.kind {
            lets.entry(&name.name).or_default().push(value);
        }
        each_expression(item, &mut |expression| expressions.push(expression));
    }
    add_lets_of_blocks(&expressions, &mut lets);
    (expressions, lets)
}

/// Adds the lets of all blocks in some expressions.
pub(super) fn add_lets_of_blocks<'a>(expressions: &[&'a Expr], lets: &mut LetsByName<'a>) {
    for expression in expressions {
        walk(expression, &mut |inner| {
            inner.lets().iter().for_each(|(name, value)| lets.entry(&name.name).or_default().push(value));
        });
    }
}

/// The warnings about a rule that depend on the domain on which it runs.
pub fn warnings_in(rule: &Rule, domain: &Domain) -> Vec<String> {
    let _mode = DefaultMode::enter();
    let dimension = domain.dimension();
    let mut warnings = Vec::new();
    for step in rule.steps.iter().filter(|step| step.order.is_none()) {
        if let Some(problem) = not_separated(step, &rule.neighbourhoods, dimension) {
            warnings.push(format!(
                "step `{}` of `{}` changes neighbours at once in {} dimensions: a cell and its neighbour at {problem} both pass",
                step.name.as_deref().unwrap_or_default(),
                rule.name,
                dimension.axes()
            ));
        }
    }
    warnings.extend(turns::warnings(rule, domain));
    for step in rule.ordered_steps_in(dimension, domain.extent(), domain.periodic()) {
        if step.is_sequential && domain.cells() > MOST_IN_TURN {
            warnings.push(format!(
                "step `{}` of `{}` takes one cell after the other, all {} of them: members can be computed at once, cells cannot",
                step.name,
                rule.name,
                domain.cells()
            ));
        }
    }
    let by_offsets =
        |step: &Step| step.bodies().flat_map(|body| &body.nodes).any(|node| matches!(node.op, Op::Read { .. }));
    let is_listed = |near: &Neighbourhood| matches!(near, Neighbourhood::Listed { .. });
    let in_the_plane = rule.steps.iter().any(by_offsets) || rule.neighbourhoods.iter().any(is_listed);
    if dimension == Dimension::Three && !rule.needs_three_dimensions && in_the_plane {
        warnings.push(format!(
            "`{}` names offsets along `x` and `y` alone, and the domain has three dimensions: what is at them lies in a cell's own plane",
            rule.name
        ));
    }
    for axis in (0..3).filter(|&axis| domain.periodic().0[axis]) {
        if rule.reductions.iter().any(|reduction| tells_places_apart(&reduction.body, reduction.term, axis)) {
            warnings.push(format!(
                "`{}` observes by `{}`, along which the domain is periodic: no place there is the first or the last",
                rule.name,
                Axes::NAMES[axis]
            ));
        }
    }
    let (sides, reach) = (domain.extent(), rule.reach_along_axes(dimension));
    for axis in (0..3).filter(|&axis| domain.periodic().0[axis] && reach[axis] > 0) {
        if let Some(divisor) =
            rule.steps.iter().flat_map(Step::bodies).find_map(|body| unclosed(body, axis, sides[axis]))
        {
            warnings.push(format!(
                "`{}` takes remainders by {divisor} along `{}`, which is periodic with {} places: their order is broken where the axis \
                 closes, and cells of one kind are neighbours there",
                rule.name,
                Axes::NAMES[axis],
                sides[axis]
            ));
        }
    }
    warnings
}

/// Of a step whose guard colours cells by remainders of their coordinates and so separates some of the neighbours that it reads
/// and changes: an offset of those that it does not separate.
fn not_separated(step: &Step, neighbourhoods: &[Neighbourhood], dimension: Dimension) -> Option<String> {
    let guard = Colouring::new(&step.body, step.guard?)?;
    let changed = |node: u32| matches!(step.body.nodes[node as usize].op, Op::Neighbour(of) if step.body.results.iter().any(|(state, _)| *state == of));
    let mut offsets: Vec<[i32; 3]> = Vec::new();
    for node in &step.body.nodes {
        let Op::Aggregate(aggregate) = &node.op else { continue };
        if aggregate.term.clone().any(changed) {
            let neighbourhood = &neighbourhoods[usize::from(aggregate.neighbourhood)];
            if offsets.len() as i128 + neighbourhood.offsets_at_most(dimension) > MOST_TRIED as i128 {
                return None;
            }
            offsets.extend(neighbourhood.offsets(dimension));
        }
    }
    let depth = if dimension == Dimension::Three { BOX } else { 1 };
    let mut passing = Vec::new();
    for z in 0..depth {
        for y in 0..BOX {
            for x in 0..BOX {
                passing.extend(guard.passes([x, y, z])?.then_some([x, y, z]));
            }
        }
    }
    let meets = |offset: &&[i32; 3]| {
        passing.iter().any(|place| {
            let there: [i32; 3] = std::array::from_fn(|axis| place[axis] + offset[axis]);
            let inside = |axis: usize| (0..if axis < 2 { BOX } else { depth }).contains(&there[axis]);
            offset != &&[0; 3] && (0..3).all(inside) && guard.passes(there) == Some(true)
        })
    };
    let together: Vec<&[i32; 3]> = offsets.iter().filter(meets).collect();
    if together.len() == offsets.len() || together.is_empty() {
        return None;
    }
    Some(turns::place(*together[0], dimension))
}

/// Whether code depends on the coordinate along an axis, but for its remainders.
fn tells_places_apart(body: &Body, result: NodeId, axis: usize) -> bool {
    let (mut open, mut seen) = (vec![result], HashSet::new());
    while let Some(id) = open.pop() {
        let op = &body.node(id).op;
        if *op == Op::Coordinate(axis as u8) {
            return true;
        }
        if seen.insert(id) && !matches!(op, Op::Binary(BinaryOp::Remainder, ..)) {
            open.extend(op.operands());
        }
    }
    false
}

/// A divisor by whose remainders some code tells places apart, if places that lie the periodic side apart, which are one, differ in that.
fn unclosed(body: &Body, axis: usize, side: u64) -> Option<String> {
    let side = i32::try_from(side).ok().filter(|side| *side < i32::MAX - BOX)?;
    let along = if axis == 2 { [BOX; 3] } else { [BOX, BOX, 1] };
    (0..body.nodes.len() as u32).map(NodeId).find_map(|id| {
        let Op::Binary(BinaryOp::Remainder, _, divisor) = body.node(id).op else { return None };
        let Op::Const(divisor) = body.node(divisor).op else { return None };
        let places = Colouring::at_all_times(body, id).filter(|places| places.names(axis))?;
        let differ = |place: [i32; 3]| {
            let mut beyond = place;
            beyond[axis] += side;
            places.value(place) != places.value(beyond)
        };
        let mut tried =
            (0..along[2]).flat_map(|z| (0..along[1]).flat_map(move |y| (0..along[0]).map(move |x| [x, y, z])));
        tried.any(differ).then(|| divisor.as_text())
    })
}

/// Code that depends on coordinates alone, by remainders, such as the guard of a checkerboard.
struct Colouring<'b> {
    body: &'b Body,
    result: NodeId,
    /// Nodes that the value depends on, each behind its operands.
    needed: Vec<NodeId>,
}

impl<'b> Colouring<'b> {
    fn new(body: &'b Body, result: NodeId) -> Option<Self> {
        let colouring = Colouring::at_all_times(body, result)?;
        let timeless = colouring.needed.iter().all(|id| body.node(*id).op != Op::Time);
        timeless.then_some(colouring)
    }

    /// The same of code that may depend on the time as well.
    fn at_all_times(body: &'b Body, result: NodeId) -> Option<Self> {
        let mut open = vec![result];
        let mut needed = HashSet::new();
        let mut by_remainder = false;
        while let Some(id) = open.pop() {
            if !needed.insert(id) || needed.len() > MOST_BOUNDED {
                continue;
            }
            let op = &body.node(id).op;
            by_remainder |= matches!(op, Op::Binary(BinaryOp::Remainder, ..));
            match op {
                Op::Const(_) | Op::Coordinate(_) | Op::Time => {}
                Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Select { .. } | Op::Cast(_) => {
                    open.extend(op.operands());
                }
                Op::Shift { .. } | Op::Math(..) | Op::Math2(..) | Op::LookUp { .. } => return None,
                Op::Param(_) | Op::Level | Op::Side | Op::Extent(_) | Op::State(_) | Op::Neighbour(_) => return None,
                Op::Offset(_) | Op::Weight(_) | Op::Read { .. } | Op::Aggregate(_) => return None,
                Op::RandomBits { .. } | Op::RandomUniform { .. } | Op::RandomBelow { .. } => return None,
                Op::RandomBit { .. } => return None,
            }
        }
        let mut needed: Vec<NodeId> = needed.into_iter().collect();
        needed.sort_unstable();
        (by_remainder && needed.len() <= MOST_BOUNDED).then_some(Colouring { body, result, needed })
    }

    /// Whether it depends on the coordinate along an axis.
    fn names(&self, axis: usize) -> bool {
        self.needed.iter().any(|id| self.body.node(*id).op == Op::Coordinate(axis as u8))
    }

    fn passes(&self, place: [i32; 3]) -> Option<bool> {
        self.value(place).map(scalar::bit)
    }

    /// Its value at a place, at time 0.
    fn value(&self, place: [i32; 3]) -> Option<Value> {
        let mut values: HashMap<NodeId, Value> = HashMap::new();
        for &id in &self.needed {
            let node = self.body.node(id);
            let value = match node.op {
                Op::Coordinate(axis) => Value::I32(place[usize::from(axis)]),
                Op::Time => Value::U32(0),
                _ => evaluate(node.ty, &node.op, |id| values[&id])?,
            };
            values.insert(id, value);
        }
        Some(values[&self.result])
    }
}
