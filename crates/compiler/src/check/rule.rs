//! Checks rules: declarations, then every expression in its place.

use super::body::{BodyBuilder, Operand};
use super::draws::DrawNumbers;
use super::expression::{BondPairs, Checker, Context, Home, KeptBond, LetState, RuleGlobal, RuleLet, RuleName, Uses};
use super::lints::SEPARATION;
use super::literal::Local;
use super::names::{Scope, built_in, defined_twice, given_twice, reserved};
use super::pairs::{BondName, RuleClusters};
use crate::ir::evaluate::constant;
use crate::ir::{
    Axes, BinaryOp, Body, Coloured, CompareOp, DerivedValue, EnumId, EnumType, Neighbourhood, NodeId, Op, PairCode,
    Param, Rule, RuleParts, SignedAxis, State, StateId, Step, StepOrder, Stop, Type, Value,
};
use crate::numbers::scalar;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax;
use crate::text::syntax::ast::{
    Expr, Ident, ItemKind, OrderDef, RuleDef, RuleItem, RuleItemKind, SignedAxisDef, TypeName, TypeNameKind,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The most steps of a rule. Kernels hold all of them, and those of several time steps; what lowers them recurses from each step to
/// the one before.
const MOST_STEPS: usize = 4096;

/// The steps of a rule while they are checked.
#[derive(Default)]
struct Steps<'a> {
    /// With those of their fields.
    all: Vec<Step>,
    /// How many have names.
    count: usize,
    numbers: DrawNumbers,
    /// Where their names stand.
    places: HashMap<&'a str, Span>,
    /// Whether those that come were checked before: they are repeated.
    again: bool,
}

/// Which cells a step changes, and when.
#[derive(Clone, Copy, Default)]
struct Turns<'a> {
    order: Option<&'a OrderDef>,
    guard: Option<&'a Expr>,
    coloured: Option<&'a Expr>,
}

fn too_many_steps(rule: &str, span: Span) -> Diagnostic {
    Diagnostic::new(format!("rule `{rule}` has more than {MOST_STEPS} steps"), span, "one too many")
        .help("all steps together make one kernel: several `next` may stand in one step")
}

/// Checks all rules and lists of offsets of a module, and gives the rules that are sound.
pub(super) fn check_module(
    scope: &Scope,
    module: usize,
    errors: &mut Vec<Diagnostic>,
    warnings: &mut Vec<Diagnostic>,
) -> Vec<Arc<Rule>> {
    let mut rules = Vec::new();
    let items = &scope.modules[module].file.items;
    let mut checker = Checker::new(scope, module, errors);
    let (mut consts, mut functions, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        match &item.kind {
            ItemKind::Const(def) => {
                consts.push(def);
                values.extend(def.value.expressions());
            }
            ItemKind::Function(def) => {
                functions.push(def);
                values.push(&def.value);
            }
            _ => {}
        }
    }
    checker.note_meant_divisions_of(&values);
    checker.check_constants(consts);
    checker.check_functions(functions);
    for item in items {
        if let ItemKind::Neighbourhood(def) = &item.kind {
            checker.check_offsets(&def.offsets, def.list_span, &format!("neighbourhood `{}`", def.name.name));
        }
    }
    checker.lint_equalities(&[]);
    warnings.append(&mut checker.lints.found);
    for item in items {
        if let ItemKind::Rule(def) = &item.kind {
            let before = errors.len();
            let rule = check_rule(scope, module, def, errors, warnings);
            if errors.len() == before {
                rules.extend(rule.map(Arc::new));
            }
        }
    }
    rules
}

/// Checks one rule; `None` if its steps have errors.
pub(super) fn check_rule(
    scope: &Scope,
    module: usize,
    def: &RuleDef,
    errors: &mut Vec<Diagnostic>,
    warnings: &mut Vec<Diagnostic>,
) -> Option<Rule> {
    let mut checker = Checker::new(scope, module, errors);
    checker.home.in_rule = true;
    checker.allow(def);
    checker.note_meant_divisions(def);
    checker.declare(def);
    checker.note_last_line(def);
    checker.check_constants(checker.consts.clone());
    for index in 0..checker.lists.len() {
        let list = checker.lists[index];
        checker.check_offsets(&list.offsets, list.list_span, &format!("neighbourhood `{}`", list.name.name));
    }
    checker.check_kept_bonds();
    checker.check_lets_and_globals(def);
    checker.check_functions(checker.functions.clone());
    let (init, init_pairs, init_from) = checker.check_init(def);
    let disorder = checker.check_disorder(def);
    let steps = checker.check_steps(def);
    checker.note_ranges_of_states(&init, steps.as_deref().unwrap_or_default());
    let observed_fields = checker.check_observables(def);
    checker.check_rolling(def, steps.as_deref().unwrap_or_default(), &observed_fields);
    checker.check_columns(def);
    let picture = checker.check_picture(def);
    let flush = checker.check_flush(def);
    checker.lint_rule(def, steps.as_deref());
    warnings.append(&mut checker.lints.found);
    let (globals, index, bonds) = (checker.all_globals(), checker.index_field(), checker.bonds());
    Some(Rule(RuleParts {
        name: def.name.name.clone(),
        doc: def.doc.clone(),
        globals,
        index,
        bonds,
        fields: checker.fields.into_iter().map(|(_, state)| state).collect(),
        observed_fields,
        init,
        init_pairs,
        init_from,
        disorder,
        steps: steps?,
        picture,
        flush,
        ..checker.rule
    }))
}

/// The longest name that file systems take, in bytes; letters of names are a byte each.
const LONGEST_STATE_NAME: usize = 255;

impl<'a, 'e> Checker<'a, 'e> {
    /// One that knows no rule, and looks names up in a file.
    fn new(scope: &'a Scope<'a>, module: usize, errors: &'e mut Vec<Diagnostic>) -> Self {
        Checker {
            scope,
            rule: RuleParts::default(),
            home: Home { module, in_rule: false },
            errors,
            lints: Default::default(),
            consts: Vec::new(),
            const_states: HashMap::new(),
            const_values: HashMap::new(),
            functions: Vec::new(),
            inlined: Vec::new(),
            lists: Vec::new(),
            weights: None,
            term_of: None,
            initial: HashMap::new(),
            has_init: Default::default(),
            last_line: None,
            init_reads: false,
            names: HashMap::new(),
            lets: Vec::new(),
            kept: Vec::new(),
            clusters: Vec::new(),
            asked: Vec::new(),
            in_clusters: false,
            drawn_at: None,
            uses: Uses::default(),
            field_lets: BTreeSet::new(),
            fields: Vec::new(),
            asked_fields: Vec::new(),
            globals: Vec::new(),
            used_globals: BTreeSet::new(),
            names_cells: false,
            totals: Default::default(),
            flexibility: Default::default(),
            body: BodyBuilder::default(),
            place: Context::Constant,
            dimension: None,
            locals: Vec::new(),
            needed: Vec::new(),
            nodes: 0,
        }
    }

    /// Whether results are flushed.
    fn check_flush(&mut self, def: &RuleDef) -> bool {
        let mut places = def.items.iter().filter(|item| item.kind == RuleItemKind::Flush).map(|item| item.span);
        let first = places.next();
        if let (Some(first), Some(again)) = (first, places.next()) {
            self.errors.push(given_twice("`flush`", again, first).help("once is enough: it holds for the whole rule"));
        }
        first.is_some()
    }

    /// Collects the names of parameters, states, variants and lets, and checks types and defaults.
    fn declare(&mut self, def: &'a RuleDef) {
        let mut places: HashMap<&'a str, Span> = HashMap::new();
        // Names that a parameter's value may use come first.
        for item in &def.items {
            match &item.kind {
                RuleItemKind::Const(def) if self.define(&mut places, &def.name) => {
                    self.names.insert(&def.name.name, RuleName::Const(self.consts.len()));
                    self.consts.push(def);
                }
                RuleItemKind::Function(def) if self.define(&mut places, &def.name) => {
                    self.names.insert(&def.name.name, RuleName::Function(self.functions.len()));
                    self.functions.push(def);
                }
                RuleItemKind::Neighbourhood(def) => {
                    if Neighbourhood::is_built_in(&def.name.name) {
                        self.errors.push(built_in(&def.name.name, def.name.span));
                    } else if self.define(&mut places, &def.name) {
                        self.names.insert(&def.name.name, RuleName::List(self.lists.len()));
                        self.lists.push(def);
                    }
                }
                _ => {}
            }
        }
        for item in &def.items {
            match &item.kind {
                RuleItemKind::Param { name, ty, range, value } => {
                    let fresh = self.define(&mut places, name);
                    let ty = self.declare_type(&mut places, ty);
                    let param = ty.and_then(|ty| self.param(name, ty, range.as_ref(), value));
                    let meaning = match param {
                        Some(param) => {
                            self.rule.params.push(param);
                            RuleName::Param(self.rule.params.len() as u16 - 1)
                        }
                        None => RuleName::Broken,
                    };
                    if fresh {
                        self.names.insert(&name.name, meaning);
                    }
                }
                RuleItemKind::State { name, ty, rolling } => {
                    let fresh = self.define(&mut places, name);
                    self.check_length(name, LONGEST_STATE_NAME);
                    let meaning = match self.declare_type(&mut places, ty) {
                        Some(ty) => {
                            self.rule.states.push(State { name: name.name.clone(), ty });
                            let state = StateId(self.rule.states.len() as u16 - 1);
                            self.rule.rolling.extend(rolling.map(|_| state));
                            RuleName::State(state)
                        }
                        None => RuleName::Broken,
                    };
                    if fresh {
                        self.names.insert(&name.name, meaning);
                    }
                }
                RuleItemKind::KeptBond { name, over, ty } => {
                    let fresh = self.define(&mut places, name);
                    // `.170` follows it.
                    self.check_length(name, LONGEST_STATE_NAME - 4);
                    let meaning = match self.declare_type(&mut places, ty) {
                        Some(ty) => {
                            self.rule.states.push(State { name: name.name.clone(), ty });
                            let state = StateId(self.rule.states.len() as u16 - 1);
                            self.kept.push(KeptBond { name: &name.name, over, neighbourhood: None, state });
                            RuleName::Kept(self.kept.len() - 1)
                        }
                        None => RuleName::Broken,
                    };
                    if fresh {
                        self.names.insert(&name.name, meaning);
                    }
                }
                RuleItemKind::Input { name, ty, axis } => {
                    let fresh = self.define(&mut places, name);
                    let meaning = self.declare_input(name, ty, axis).map_or(RuleName::Broken, RuleName::Input);
                    if fresh {
                        self.names.insert(&name.name, meaning);
                    }
                }
                RuleItemKind::Let { name, value } if self.define(&mut places, name) => {
                    self.names.insert(&name.name, RuleName::Let(self.lets.len()));
                    self.lets.push(RuleLet { name: &name.name, value, over: None, checked: LetState::NotYet });
                }
                RuleItemKind::Bond { name, over, value } if self.define(&mut places, name) => {
                    self.names.insert(&name.name, RuleName::Let(self.lets.len()));
                    let over = Some(BondPairs { text: over, neighbourhood: None });
                    self.lets.push(RuleLet { name: &name.name, value, over, checked: LetState::NotYet });
                }
                RuleItemKind::Clusters { name, bond, when } if self.define(&mut places, name) => {
                    self.names.insert(&name.name, RuleName::Clusters(self.clusters.len()));
                    self.clusters.push(RuleClusters { name: &name.name, bond, when: when.as_ref(), checked: None });
                }
                RuleItemKind::Global { name, once, value } if self.define(&mut places, name) => {
                    self.names.insert(&name.name, RuleName::Global(self.globals.len()));
                    let (name, once, told_early, told_place) = (name.name.as_str(), *once, false, false);
                    self.globals.push(RuleGlobal {
                        name,
                        value,
                        once,
                        told_early,
                        told_place,
                        found: None,
                        known: false,
                    });
                }
                _ => {}
            }
        }
        let is_state =
            |item: &RuleItem| matches!(item.kind, RuleItemKind::State { .. } | RuleItemKind::KeptBond { .. });
        if !def.items.iter().any(is_state) {
            let message = format!("rule `{}` has no state", def.name.name);
            Diagnostic::new(message, def.name.span, "cells would carry nothing")
                .help("write for instance `state alive: bit`")
                .report(self.errors);
        }
        // The fields of inputs follow the states, all of which are known now.
        for (number, input) in self.rule.inputs.iter_mut().enumerate() {
            input.field = StateId((self.rule.states.len() + number) as u16);
        }
        // Names are numbered in 16 bits.
        if self.rule.states.len().max(self.rule.params.len()).max(self.rule.enums.len()) > usize::from(u16::MAX) {
            self.errors.push(Diagnostic::new("too many states or parameters", def.name.span, "at most 65535"));
        }
    }

    /// Reports a name of a state that files cannot have.
    fn check_length(&mut self, name: &Ident, longest: usize) {
        if name.name.len() > longest {
            let length = format!("a state's name of {} letters", name.name.len());
            let label = format!("at most {longest}: saved states have files of this name");
            Diagnostic::new(length, name.span, label).report(self.errors);
        }
    }

    /// Notes a definition; reports a name that is reserved or taken. False if it was taken.
    fn define(&mut self, places: &mut HashMap<&'a str, Span>, name: &'a Ident) -> bool {
        if let Some(error) = reserved(name) {
            self.errors.push(error);
            self.names.insert(&name.name, RuleName::Broken);
            return false;
        }
        if let Some(&first) = places.get(name.name.as_str()) {
            self.errors.push(defined_twice("name", &name.name, name.span, first));
            return false;
        }
        places.insert(&name.name, name.span);
        true
    }

    fn declare_type(&mut self, places: &mut HashMap<&'a str, Span>, ty: &'a TypeName) -> Option<Type> {
        let variants = match &ty.kind {
            TypeNameKind::Name(name) => return self.type_named(name, ty.span),
            TypeNameKind::Of(vector, _) => return super::names::no_vector(vector).fail(self.errors),
            TypeNameKind::Enum(variants) => variants,
        };
        if variants.is_empty() || variants.len() > 256 {
            let message = format!("an enum with {}", crate::text::diagnostics::counted(variants.len(), "variant"));
            return Diagnostic::new(message, ty.span, "must have 1 to 256")
                .help("write `enum { rest, excited }`")
                .fail(self.errors);
        }
        let names: Vec<String> = variants.iter().map(|variant| variant.name.clone()).collect();
        if let Some(known) = self.rule.enums.iter().position(|known| known.variants == names) {
            return Some(Type::Enum(EnumId(known as u16)));
        }
        let id = EnumId(self.rule.enums.len() as u16);
        self.rule.enums.push(EnumType { variants: names });
        for (number, variant) in variants.iter().enumerate() {
            if self.define(places, variant) {
                self.names.insert(&variant.name, RuleName::Variant(id, number as u8));
            }
        }
        Some(Type::Enum(id))
    }

    /// A parameter: its default, how the default follows from other parameters, and its range.
    fn param(&mut self, name: &Ident, ty: Type, range: Option<&'a (Expr, Expr)>, value: &'a Expr) -> Option<Param> {
        self.place = Context::Param;
        let operand = self.check(value, Some(ty));
        let body = self.take_body(Vec::new());
        let id = operand?.id;
        let known: Vec<Value> = self.rule.params.iter().map(|param| param.default).collect();
        let default = constant(&body, id, &known)?;
        let depends = body.nodes.iter().any(|node| matches!(node.op, Op::Param(_)));
        let derived = depends.then_some(DerivedValue { body, value: id });
        let mut ranges: Vec<(Value, Value)> = Vec::new();
        if let Some(ends) = range {
            for dimension in 1..=3 {
                ranges.push(self.range_of_param(ends, ty, dimension)?);
            }
            if ranges.iter().all(|range| *range == ranges[0]) {
                ranges.truncate(1);
            }
        }
        let any = ranges.iter().copied().reduce(|(least, most), (low, high)| {
            (scalar::binary(BinaryOp::Min, least, low), scalar::binary(BinaryOp::Max, most, high))
        });
        let range_in = <[(Value, Value); 3]>::try_from(ranges.clone()).ok();
        let mut param = Param { name: name.name.clone(), ty, default, derived, range: any, range_in };
        for range in ranges {
            param.range = Some(range);
            if param.admits(default) {
                continue;
            }
            let message = format!("the default of `{}` is outside its range", name.name);
            Diagnostic::new(message, value.span, format!("this is {}", default.as_text()))
                .help(param.range_text())
                .report(self.errors);
            break;
        }
        Some(Param { range: any, ..param })
    }

    /// The range of a parameter in a dimension.
    fn range_of_param(&mut self, (low, high): &'a (Expr, Expr), ty: Type, dimension: u32) -> Option<(Value, Value)> {
        self.place = Context::Constant;
        self.dimension = Some(dimension);
        let ends = (self.value_of(low, Some(ty)), self.value_of(high, Some(ty)));
        self.dimension = None;
        let (Some(least), Some(most)) = ends else { return None };
        self.needs(ty.is_number(), ty, low.span.to(high.span), "a range", "numbers")?;
        if !scalar::bit(Value::Bit(scalar::compare(CompareOp::LessEqual, least, most))) {
            return Diagnostic::new(
                "an empty range",
                low.span.to(high.span),
                "its first value is greater than its last",
            )
            .help("write the least value first")
            .fail(self.errors);
        }
        Some((least, most))
    }

    /// Checks each let and global of the rule by itself, so that its errors are reported once, used or not.
    fn check_lets_and_globals(&mut self, def: &'a RuleDef) {
        for item in &def.items {
            if let RuleItemKind::Global { value, .. } = &item.kind {
                if let Some(index) = self.globals.iter().position(|global| std::ptr::eq(global.value, value)) {
                    self.check_global(index);
                }
                continue;
            }
            if let RuleItemKind::Clusters { bond, .. } = &item.kind {
                if let Some(index) = self.clusters.iter().position(|one| std::ptr::eq(one.bond, bond)) {
                    self.check_clusters(index);
                }
                continue;
            }
            let (RuleItemKind::Let { value, .. } | RuleItemKind::Bond { value, .. }) = &item.kind else { continue };
            let Some(index) = self.lets.iter().position(|one| std::ptr::eq(one.value, value)) else { continue };
            self.place = Context::RuleLet;
            self.uses = Uses::default();
            self.needed.clear();
            let (operand, literals) = match self.lets[index].over {
                Some(_) => (self.bond_alone(index), None),
                None => self.let_alone(self.lets[index].value).unzip(),
            };
            if let Some(range) = operand.and_then(|operand| self.bounds(operand)) {
                self.lints.ranges.insert(index, range);
            }
            self.take_body(Vec::new());
            self.lets[index].checked = match operand {
                Some(operand) => LetState::Sound {
                    uses: self.uses,
                    ty: operand.ty,
                    needs: std::mem::take(&mut self.needed),
                    literals: literals.flatten(),
                },
                None => LetState::Broken,
            };
        }
    }

    /// The body built so far; the next expression begins a new one.
    pub(super) fn take_body(&mut self, results: Vec<(StateId, NodeId)>) -> Body {
        self.body.term = None;
        self.locals.clear();
        let body = std::mem::take(&mut self.body).finish(results);
        self.nodes = self.nodes.saturating_add(body.nodes.len());
        body
    }

    /// The code of initial values, that of those of pairs, and that which reads the values of other states.
    fn check_init(&mut self, def: &'a RuleDef) -> (Body, Vec<PairCode>, Vec<Body>) {
        let sound = self.errors.len();
        let (mut results, mut pairs) = (Vec::new(), Vec::new());
        let mut places = HashMap::new();
        for item in &def.items {
            let RuleItemKind::Init { name, .. } = &item.kind else { continue };
            match self.names.get(name.name.as_str()) {
                Some(&RuleName::State(state)) => drop(self.has_init.insert(state)),
                Some(&RuleName::Kept(index)) => drop(self.has_init.insert(self.kept[index].state)),
                _ => {}
            }
        }
        for item in &def.items {
            if let RuleItemKind::Init { name, value } = &item.kind {
                let before = results.len();
                self.assign((Context::Init, "init"), name, value, (&mut results, &mut pairs), &mut places);
                if let Some(&RuleName::State(state)) = self.names.get(name.name.as_str()) {
                    let ty = self.rule.states[usize::from(state.0)].ty;
                    let known = results.get(before).map(|(_, id)| Operand { id: *id, ty });
                    self.initial.insert(state, known);
                }
            }
        }
        let mut body = self.take_body(results);
        let values = def.items.iter().filter_map(|item| match &item.kind {
            RuleItemKind::Init { value, .. } => Some(value),
            _ => None,
        });
        let mut numbers = DrawNumbers::default();
        numbers.add(values).give(&mut body);
        pairs.iter_mut().for_each(|pairs| numbers.give_to_pairs(pairs));
        let from = if self.errors.len() == sound { self.check_init_from(def, &numbers) } else { Vec::new() };
        (body, pairs, from)
    }

    /// The bodies that compute the initial values of states from those of others.
    fn check_init_from(&mut self, def: &'a RuleDef, numbers: &DrawNumbers) -> Vec<Body> {
        self.init_reads = true;
        let mut bodies = Vec::new();
        for item in &def.items {
            let RuleItemKind::Init { name, value } = &item.kind else { continue };
            let (mut results, mut pairs) = (Vec::new(), Vec::new());
            self.assign((Context::Init, "init"), name, value, (&mut results, &mut pairs), &mut HashMap::new());
            let mut body = self.take_body(results);
            if body.nodes.iter().any(|node| matches!(node.op, Op::State(_))) {
                numbers.give(&mut body);
                bodies.push(body);
            }
        }
        self.init_reads = false;
        bodies
    }

    /// `init NAME = value` or `next NAME = value`.
    fn assign(
        &mut self,
        (place, what): (Context, &str),
        name: &'a Ident,
        value: &'a Expr,
        (results, pairs): (&mut Vec<(StateId, NodeId)>, &mut Vec<PairCode>),
        places: &mut HashMap<&'a str, Span>,
    ) {
        let label = format!("`{what}` gives a state its value");
        let is_bond = self.let_of(name).is_some_and(|index| self.lets[index].over.is_some());
        let help = match is_bond {
            true => {
                "this bond is computed anew in each step that uses it: its value stands behind its `=`; one that keeps its values is declared with `bond NAME over NEIGHBOURHOOD: TYPE`"
            }
            false => "declare it with `state NAME: TYPE`",
        };
        let bond = match self.bond_named(name) {
            Some(BondName::Kept(index)) => Some(index),
            _ => None,
        };
        let state = if bond.is_some() { None } else { self.state_named(name, &label, help) };
        if let Some(first) = places.insert(&name.name, name.span) {
            given_twice(&format!("`{what} {}`", name.name), name.span, first)
                .help(format!("each state has one `{what}`{}", if what == "next" { " in a step" } else { "" }))
                .report(self.errors);
        }
        self.place = place;
        if let Some(bond) = bond {
            pairs.extend(self.pairs_of_kept(bond, value));
            return;
        }
        let operand = self.check(value, state.map(|state| self.rule.states[usize::from(state.0)].ty));
        if let (Some(state), Some(operand)) = (state, operand) {
            results.push((state, operand.id));
        }
    }

    /// The rule's own `next`s as one step, or its `step` blocks. `None` if there is neither.
    fn check_steps(&mut self, def: &'a RuleDef) -> Option<Vec<Step>> {
        let first = |wanted: fn(&RuleItemKind) -> bool| def.items.iter().find(|item| wanted(&item.kind));
        let next = first(|kind| matches!(kind, RuleItemKind::Next { .. }));
        let block = first(|kind| matches!(kind, RuleItemKind::Step { .. } | RuleItemKind::Repeat { .. }));
        match (next, block) {
            (Some(next), Some(block)) => {
                Diagnostic::new("`next` outside the steps of a rule that has steps", next.span, "belongs to no step")
                    .also(block.span, "a step")
                    .help("move it into a `step NAME { … }`, or remove the steps")
                    .fail(self.errors)
            }
            (None, None) => Diagnostic::new(
                format!("rule `{}` has no `next`", def.name.name),
                def.name.span,
                "nothing would ever change",
            )
            .help("write for instance `next alive = n == 3`; a state without `next` keeps its value")
            .fail(self.errors),
            (Some(_), None) => {
                let mut steps = Steps::default();
                self.check_step(None, Turns::default(), &def.items, &mut steps.all, &mut steps.numbers);
                Some(steps.all)
            }
            (None, Some(_)) => {
                let mut steps = Steps::default();
                for item in &def.items {
                    match &item.kind {
                        RuleItemKind::Step { .. } => self.check_block(def, item, &mut steps)?,
                        RuleItemKind::Repeat { count, items } => {
                            self.check_repeat(def, (count, item.span), items, &mut steps)?;
                        }
                        _ => {}
                    }
                }
                Some(steps.all)
            }
        }
    }

    /// Adds the steps of `repeat N { … }` N times, as if they were written so often. `None` if there are too many steps in all.
    fn check_repeat(
        &mut self,
        def: &RuleDef,
        (count, span): (&'a Expr, Span),
        items: &'a [RuleItem],
        steps: &mut Steps<'a>,
    ) -> Option<()> {
        if items.is_empty() {
            Diagnostic::new("`repeat` without a step", span, "nothing would be repeated")
                .help("write for instance `repeat 4 { step spread { next u = … } }`, or remove it")
                .report(self.errors);
        }
        let times = self.times(count).unwrap_or(1);
        if times.saturating_mul(items.len() as i128) > MOST_STEPS as i128 {
            return too_many_steps(&def.name.name, count.span).fail(self.errors);
        }
        let (sound, mut warned) = (self.errors.len(), 0);
        for turn in 1..=times {
            let first = steps.all.len();
            items.iter().try_for_each(|item| self.check_block(def, item, steps))?;
            if self.errors.len() > sound {
                break;
            }
            if !std::mem::replace(&mut steps.again, true) {
                warned = self.lints.found.len();
                continue;
            }
            // The first turn has given all warnings of these steps.
            self.lints.found.truncate(warned);
            let names = steps.all[first..].iter_mut().filter_map(|step| step.name.as_mut());
            names.for_each(|name| name.push_str(&format!("_turn{turn}")));
        }
        steps.again = false;
        Some(())
    }

    /// How often steps are repeated.
    fn times(&mut self, count: &'a Expr) -> Option<i128> {
        self.place = Context::Constant;
        let times = self.value_of(count, None)?;
        let number = times.as_i128().filter(|number| times.ty().is_integer() && *number >= 1);
        if number.is_none() {
            let message = format!("steps that are repeated {} times", times.as_text());
            Diagnostic::new(message, count.span, "expected a whole number of 1 or more")
                .help("write `repeat 4 { … }`; the number may be a `const`")
                .report(self.errors);
        }
        number
    }

    /// Adds a step that has a name. `None` if there are too many.
    fn check_block(&mut self, def: &RuleDef, item: &'a RuleItem, steps: &mut Steps<'a>) -> Option<()> {
        let RuleItemKind::Step { name, order, guard, coloured, items } = &item.kind else { return Some(()) };
        if !steps.again {
            if let Some(first) = steps.places.insert(name.name.as_str(), name.span) {
                self.errors.push(defined_twice("step", &name.name, name.span, first));
            }
            if !items.iter().any(|item| matches!(item.kind, RuleItemKind::Next { .. })) {
                Diagnostic::new(format!("step `{}` has no `next`", name.name), name.span, "nothing would change")
                    .help("write at least one `next STATE = …` inside, or remove the step")
                    .report(self.errors);
            }
        }
        if steps.count == MOST_STEPS {
            return too_many_steps(&def.name.name, name.span).fail(self.errors);
        }
        steps.count += 1;
        if let (Some(order), Some(coloured), false) = (order, coloured, steps.again) {
            Diagnostic::new(
                format!("step `{}` has an order and colours", name.name),
                coloured.span,
                "takes turns by colour",
            )
            .also(order.span, "takes turns in an order")
            .help(
                "leave one of them out: colours are for cells in any order, quickly, an order is for exactly this one",
            )
            .report(self.errors);
        }
        let turns = Turns { order: order.as_ref(), guard: guard.as_ref(), coloured: coloured.as_ref() };
        self.check_step(Some(name), turns, items, &mut steps.all, &mut steps.numbers);
        Some(())
    }

    /// Adds a step, behind the steps that compute its fields.
    fn check_step(
        &mut self,
        name: Option<&Ident>,
        Turns { order, guard, coloured }: Turns<'a>,
        items: &'a [RuleItem],
        steps: &mut Vec<Step>,
        numbers: &mut DrawNumbers,
    ) {
        // The rule's own lets and observables are no part of a step.
        let own = items.iter().filter_map(|item| match &item.kind {
            RuleItemKind::Let { value, .. } if name.is_some() => Some(value),
            RuleItemKind::Next { value, .. } => Some(value),
            _ => None,
        });
        let first = steps.is_empty();
        let all = || guard.into_iter().chain(own.clone());
        self.field_lets = self.fields_read_by(all());
        if let (Some(_), Some(name)) = (order, name) {
            self.check_fields_in_order(name, items, all());
        }
        self.needed.clear();
        self.used_globals.clear();
        self.place = Context::Guard;
        let guard = guard.and_then(|guard| {
            let operand = self.check(guard, Some(Type::Bit))?;
            self.lint_guard(operand, guard.span);
            Some(operand.id)
        });
        let coloured = coloured.and_then(|neighbourhood| self.colours_of(neighbourhood));
        let (mut results, mut pairs) = (Vec::new(), Vec::new());
        let mut places = HashMap::new();
        for item in items {
            match &item.kind {
                // The rule's own lets were collected before; these are the step's.
                RuleItemKind::Let { name: local, value } if name.is_some() => {
                    self.place = Context::Step;
                    let found = self.local(&local.name, value);
                    self.check_local_name(local);
                    self.locals.push(found);
                }
                RuleItemKind::Next { name: state, value } => {
                    let in_turns = name.filter(|_| order.is_some() || coloured.is_some());
                    if let (Some(step), Some(BondName::Kept(_))) = (in_turns, self.bond_named(state)) {
                        self.bond_in_turns(state, &step.name);
                    }
                    self.assign((Context::Step, "next"), state, value, (&mut results, &mut pairs), &mut places);
                }
                _ => {}
            }
        }
        let mut step = Step {
            name: name.map(|name| name.name.clone()),
            globals: Vec::new(),
            guard,
            order: None,
            body: self.take_body(results),
            pairs,
            clusters: Vec::new(),
        };
        let (mut fields, clusters) = self.field_steps(Context::Step, step.name.as_deref());
        step.clusters = clusters;
        let needed = std::mem::take(&mut self.needed);
        let used = self.with_needs(needed, |_| true);
        if let (true, Some(name)) = (order.is_some() || coloured.is_some(), name)
            && let Some(asked) = fields.iter().chain([&step]).flat_map(|step| &step.clusters).next()
        {
            let of = &asked.name;
            Diagnostic::new(
                format!("step `{}` asks the clusters `{of}` and takes turns", name.name),
                name.span,
                "clusters have no value between two turns",
            )
            .help("give them a step of their own, and keep what they say in a state")
            .report(self.errors);
        }
        let lets: Vec<&'a Expr> = used.into_iter().map(|index| self.lets[index].value).collect();
        let before = numbers.count();
        numbers.add(lets.into_iter());
        numbers.add(own);
        let draws = numbers.count() - before;
        let all = || fields.iter().chain([&step]).flat_map(|step| &step.pairs);
        let of_pairs = all().map(|pairs| self.rule.further_draws(pairs));
        let of_pairs = of_pairs.fold(0, u32::saturating_add);
        numbers.leave(of_pairs);
        let all = fields.iter_mut().chain([&mut step]).flat_map(|step| &mut step.pairs);
        all.for_each(|pairs| numbers.give_to_pairs(pairs));
        let all = fields.iter_mut().chain([&mut step]).flat_map(|step| &mut step.clusters);
        all.for_each(|clusters| numbers.give_to_clusters(clusters));
        let mut globals = self.globals_of_step(first, numbers);
        let draws_of_globals = numbers.count() - before - draws;
        step.order = order.and_then(|order| match &order.axes {
            Some(axes) => self.order(order, axes),
            None => {
                // Of all steps that it stands for in three dimensions one has numbers.
                numbers.leave(draws.saturating_add(of_pairs).saturating_mul(7));
                Some(StepOrder::All { fields: fields.len(), draws, draws_of_globals })
            }
        });
        self.errors.extend(numbers.excess(name));
        if let Some((neighbourhood, colour)) = coloured {
            let steps = steps.len()..steps.len() + fields.len() + 1;
            let reads_beyond = self.lints.allowed.contains(SEPARATION.0);
            self.rule.coloured.push(Coloured { steps, neighbourhood, colour, reads_beyond });
        }
        for mut field in fields {
            numbers.give(&mut field.body);
            field.globals = std::mem::take(&mut globals);
            steps.push(field);
        }
        numbers.give(&mut step.body);
        step.globals = globals;
        steps.push(step);
    }

    /// The order of a step whose axes are named.
    fn order(&mut self, order: &OrderDef, axes: &[SignedAxisDef]) -> Option<StepOrder> {
        if axes.is_empty() {
            return Diagnostic::new("an order without an axis", order.span, "expected axes with their signs")
                .help("write for instance `from (+x, -y)`, the slowest axis last, or leave it out")
                .fail(self.errors);
        }
        let mut along: Vec<SignedAxis> = Vec::new();
        for SignedAxisDef { backwards, axis, span } in axes {
            let number = Axes::NAMES.iter().position(|name| *name == axis.name)? as u8;
            if let Some(first) = along.iter().position(|known| known.axis == number) {
                self.errors.push(given_twice(&format!("the axis `{}`", axis.name), *span, axes[first].span)
                    .help("each axis has one direction, and the last one that is named is the slowest; `from all` goes in all directions"));
                return None;
            }
            self.rule.needs_three_dimensions |= number == 2;
            along.push(SignedAxis { axis: number, backwards: *backwards });
        }
        Some(StepOrder::Along(along))
    }

    /// The neighbourhood whose colours take turns in a step, and the node of the cell's colour, which the step knows as `colour`. Until the turns are
    /// made a coordinate stands there: a whole number from 0 on that is no constant.
    fn colours_of(&mut self, neighbourhood: &'a Expr) -> Option<(u16, NodeId)> {
        let (neighbourhood, _) = self.neighbourhood(neighbourhood)?;
        self.rule.names_coordinates = true;
        let colour = self.body.push(Type::I32, Op::Coordinate(0));
        self.locals.push(Local::typed("colour", Some(colour)));
        Some((neighbourhood, colour.id))
    }

    /// The steps of the fields that observables read.
    fn check_observables(&mut self, def: &'a RuleDef) -> Vec<Step> {
        let values = def.items.iter().flat_map(|item| match &item.kind {
            RuleItemKind::Observe { values, list, .. } if Self::overlap_arguments(values, *list).is_none() => values,
            RuleItemKind::Stop(value) | RuleItemKind::Global { value, .. } => std::slice::from_ref(value),
            _ => &[],
        });
        self.field_lets = self.fields_read_by(values);
        self.totals.named.extend(def.items.iter().filter_map(|item| match &item.kind {
            RuleItemKind::Observe { name, .. } => Some(name.name.as_str()),
            _ => None,
        }));
        let mut places = HashMap::new();
        let mut stop: Option<Span> = None;
        for item in &def.items {
            match &item.kind {
                RuleItemKind::Observe { name, values, list, level, at_end } => {
                    if let Some(first) = places.insert(name.name.as_str(), name.span) {
                        self.errors.push(defined_twice("observable", &name.name, name.span, first));
                    }
                    match Self::overlap_arguments(values, *list) {
                        Some(arguments) => {
                            let span = level.as_ref().map(|level| level.span).or(*at_end);
                            self.check_overlap(def, name, (arguments, values[0].span), span);
                        }
                        None => self.check_observable(name, values, *list, level.as_ref(), at_end.is_some()),
                    }
                }
                RuleItemKind::Stop(value) => {
                    if let Some(first) = stop.replace(item.span) {
                        let error = given_twice("`stop`", item.span, first);
                        self.errors.push(error.help("write one condition: `stop when a || b`"));
                    }
                    let condition = self.condition(value);
                    self.rule.stop = condition.map(|condition| Stop { condition, text: syntax::expression(value) });
                }
                _ => {}
            }
        }
        self.check_equilibrium(def);
        let (mut steps, clusters) = self.field_steps(Context::Observe, Some("observe"));
        if !clusters.is_empty() {
            let (name, globals, body, pairs) = (Some("observe".to_owned()), Vec::new(), Body::default(), Vec::new());
            steps.push(Step { name, globals, guard: None, order: None, body, pairs, clusters });
        }
        steps
    }
}
