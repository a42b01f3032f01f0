//! Checks rules: declarations, then every expression in its place.

use super::body::BodyBuilder;
use super::call::{check_neighbourhood, type_named};
use super::draws::DrawNumbers;
use super::expression::{Checker, Context, LetState, RuleLet, RuleName};
use super::names::{BUILT_IN_VALUES, Scope, TYPES, defined_twice, unknown_name};
use crate::diagnostics::Diagnostic;
use crate::ir::{Body, EnumId, EnumType, NodeId, Param, Rule, State, StateId, Step, Type, Value};
use crate::numerics::scalar;
use crate::source::Span;
use crate::syntax::ast::{Expr, Ident, Item, RuleDef, RuleItem, RuleItemKind, TypeName, TypeNameKind};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The most steps of a rule. Kernels hold all of them, and those of several time steps; what lowers them recurses from each step to
/// the one before.
const MOST_STEPS: usize = 4096;

/// Checks all rules and lists of offsets of a module, and gives the rules that are sound.
pub(super) fn check_module(scope: &Scope, module: usize, errors: &mut Vec<Diagnostic>) -> Vec<Arc<Rule>> {
    let mut rules = Vec::new();
    for item in &scope.modules[module].file.items {
        match item {
            Item::Neighbourhood(def) => check_neighbourhood(def, errors),
            Item::Rule(def) => {
                let before = errors.len();
                let rule = check_rule(scope, module, def, errors);
                if errors.len() == before {
                    rules.extend(rule.map(Arc::new));
                }
            }
            Item::Use(_) | Item::Fractal(_) | Item::Broken(_) => {}
        }
    }
    rules
}

fn check_rule(scope: &Scope, module: usize, def: &RuleDef, errors: &mut Vec<Diagnostic>) -> Option<Rule> {
    let mut checker = Checker {
        scope,
        module,
        errors,
        names: HashMap::new(),
        enums: Vec::new(),
        params: Vec::new(),
        states: Vec::new(),
        lets: Vec::new(),
        neighbourhoods: Vec::new(),
        needs_three_dimensions: false,
        names_coordinates: false,
        lets_draw: false,
        reads_fields: false,
        field_lets: BTreeSet::new(),
        fields: Vec::new(),
        totals: Default::default(),
        stop: None,
        flexibility: Default::default(),
        body: BodyBuilder::default(),
        place: Context::Param,
        locals: Vec::new(),
        reads_state: false,
        needed: Vec::new(),
        nodes: 0,
    };
    checker.declare(def);
    checker.check_lets();
    let init = checker.check_init(def);
    let steps = checker.check_steps(def);
    let observed_fields = checker.check_observables(def);
    Some(Rule {
        name: def.name.name.clone(),
        doc: def.doc.clone(),
        enums: checker.enums,
        params: checker.params,
        states: checker.states,
        fields: checker.fields.into_iter().map(|(_, state)| state).collect(),
        observed_fields,
        neighbourhoods: checker.neighbourhoods,
        init,
        steps: steps?,
        reductions: checker.totals.reductions,
        observables: checker.totals.observables,
        stop: checker.stop,
        needs_three_dimensions: checker.needs_three_dimensions,
        names_coordinates: checker.names_coordinates,
    })
}

/// The longest name that file systems take, in bytes; letters of names are a byte each.
const LONGEST_STATE_NAME: usize = 255;

/// The error for a name that every cell knows already, or that cannot be written in an expression.
pub(super) fn reserved(name: &Ident) -> Option<Diagnostic> {
    if BUILT_IN_VALUES.contains(&name.name.as_str()) || name.name == "nb" {
        return Some(
            Diagnostic::new(format!("`{}` has a meaning already", name.name), name.span, "cannot be defined")
                .help("x y z dx dy dz level side step and nb are known to every cell: choose another name"),
        );
    }
    None
}

impl<'a> Checker<'a, '_> {
    /// Collects the names of parameters, states, variants and lets, and checks types and defaults.
    fn declare(&mut self, def: &'a RuleDef) {
        let mut places: HashMap<&'a str, Span> = HashMap::new();
        for item in &def.items {
            match &item.kind {
                RuleItemKind::Param { name, ty, value } => {
                    let fresh = self.define(&mut places, "name", name);
                    let ty = self.declare_type(&mut places, ty);
                    let meaning = match ty.and_then(|ty| Some((ty, self.constant_value(value, ty)?))) {
                        Some((ty, default)) => {
                            self.params.push(Param { name: name.name.clone(), ty, default });
                            RuleName::Param(self.params.len() as u16 - 1)
                        }
                        None => RuleName::Broken,
                    };
                    if fresh {
                        self.names.insert(&name.name, meaning);
                    }
                }
                RuleItemKind::State { name, ty } => {
                    let fresh = self.define(&mut places, "name", name);
                    if name.name.len() > LONGEST_STATE_NAME {
                        let length = format!("a state's name of {} letters", name.name.len());
                        self.errors.push(Diagnostic::new(
                            length,
                            name.span,
                            format!("at most {LONGEST_STATE_NAME}: saved states have files of this name"),
                        ));
                    }
                    let meaning = match self.declare_type(&mut places, ty) {
                        Some(ty) => {
                            self.states.push(State { name: name.name.clone(), ty });
                            RuleName::State(StateId(self.states.len() as u16 - 1))
                        }
                        None => RuleName::Broken,
                    };
                    if fresh {
                        self.names.insert(&name.name, meaning);
                    }
                }
                RuleItemKind::Let { name, value } => {
                    let fresh = self.define(&mut places, "name", name);
                    if fresh {
                        self.names.insert(&name.name, RuleName::Let(self.lets.len()));
                        self.lets.push(RuleLet { name: &name.name, value, checked: LetState::NotYet });
                    }
                }
                _ => {}
            }
        }
        if !def.items.iter().any(|item| matches!(item.kind, RuleItemKind::State { .. })) {
            self.errors.push(
                Diagnostic::new(
                    format!("rule `{}` has no state", def.name.name),
                    def.name.span,
                    "cells would carry nothing",
                )
                .help("write for instance `state alive: bit`"),
            );
        }
        // Names are numbered in 16 bits.
        if self.states.len().max(self.params.len()).max(self.enums.len()) > usize::from(u16::MAX) {
            self.errors.push(Diagnostic::new("too many states or parameters", def.name.span, "at most 65535"));
        }
    }

    /// Notes a definition; reports a name that is reserved or taken. False if it was taken.
    fn define(&mut self, places: &mut HashMap<&'a str, Span>, what: &str, name: &'a Ident) -> bool {
        if let Some(error) = reserved(name) {
            self.errors.push(error);
            self.names.insert(&name.name, RuleName::Broken);
            return false;
        }
        if let Some(&first) = places.get(name.name.as_str()) {
            self.errors.push(defined_twice(what, &name.name, name.span, first));
            return false;
        }
        places.insert(&name.name, name.span);
        true
    }

    fn declare_type(&mut self, places: &mut HashMap<&'a str, Span>, ty: &'a TypeName) -> Option<Type> {
        let variants = match &ty.kind {
            TypeNameKind::Name(name) => {
                let known = type_named(name);
                if known.is_none() {
                    self.errors.push(unknown_name("type", name, ty.span, TYPES.into_iter().chain(["enum"])));
                }
                return known;
            }
            TypeNameKind::Enum(variants) => variants,
        };
        if variants.is_empty() || variants.len() > 256 {
            self.errors.push(
                Diagnostic::new(
                    format!("an enum with {}", super::fractal::counted(variants.len(), "variant")),
                    ty.span,
                    "must have 1 to 256",
                )
                .help("write `enum { rest, excited }`"),
            );
            return None;
        }
        let names: Vec<String> = variants.iter().map(|variant| variant.name.clone()).collect();
        if let Some(known) = self.enums.iter().position(|known| known.variants == names) {
            return Some(Type::Enum(EnumId(known as u16)));
        }
        let id = EnumId(self.enums.len() as u16);
        self.enums.push(EnumType { variants: names });
        for (number, variant) in variants.iter().enumerate() {
            if self.define(places, "name", variant) {
                self.names.insert(&variant.name, RuleName::Variant(id, number as u8));
            }
        }
        Some(Type::Enum(id))
    }

    /// Evaluates the default of a parameter.
    fn constant_value(&mut self, value: &'a Expr, ty: Type) -> Option<Value> {
        self.place = Context::Param;
        let operand = self.check(value, Some(ty));
        let body = self.take_body(Vec::new());
        evaluate_constant(&body, operand?.id)
    }

    /// Checks each let of the rule by itself, so that its errors are reported once, used or not.
    fn check_lets(&mut self) {
        for index in 0..self.lets.len() {
            self.place = Context::RuleLet;
            self.reads_state = false;
            self.lets_draw = false;
            self.reads_fields = false;
            self.needed.clear();
            let operand = self.check(self.lets[index].value, None);
            self.take_body(Vec::new());
            self.lets[index].checked = match operand {
                Some(operand) => LetState::Sound {
                    reads_state: self.reads_state,
                    draws: self.lets_draw,
                    reads_fields: self.reads_fields,
                    ty: operand.ty,
                    needs: std::mem::take(&mut self.needed),
                },
                None => LetState::Broken,
            };
        }
    }

    /// The body built so far; the next expression begins a new one.
    pub(super) fn take_body(&mut self, results: Vec<(StateId, NodeId)>) -> Body {
        self.body.abandon_term();
        self.locals.clear();
        let body = std::mem::take(&mut self.body).finish(results);
        self.nodes = self.nodes.saturating_add(body.nodes.len());
        body
    }

    fn check_init(&mut self, def: &'a RuleDef) -> Body {
        let mut results = Vec::new();
        let mut places = HashMap::new();
        for item in &def.items {
            if let RuleItemKind::Init { name, value } = &item.kind {
                self.assign(Context::Init, "init", name, value, &mut results, &mut places);
            }
        }
        let mut body = self.take_body(results);
        let values = def.items.iter().filter_map(|item| match &item.kind {
            RuleItemKind::Init { value, .. } => Some(value),
            _ => None,
        });
        DrawNumbers::default().add(values).give(&mut body);
        body
    }

    /// `init NAME = value` or `next NAME = value`.
    fn assign(
        &mut self,
        place: Context,
        what: &str,
        name: &'a Ident,
        value: &'a Expr,
        results: &mut Vec<(StateId, NodeId)>,
        places: &mut HashMap<&'a str, Span>,
    ) {
        let state = match self.names.get(name.name.as_str()) {
            Some(&RuleName::State(state)) => Some(state),
            Some(RuleName::Broken) => None,
            known => {
                let error = if known.is_some() {
                    Diagnostic::new(
                        format!("`{}` is not a state", name.name),
                        name.span,
                        format!("`{what}` gives a state its value"),
                    )
                    .help("declare it with `state NAME: TYPE`")
                } else {
                    unknown_name("state", &name.name, name.span, self.states.iter().map(|state| state.name.as_str()))
                };
                self.errors.push(error);
                None
            }
        };
        if let Some(first) = places.insert(&name.name, name.span) {
            self.errors.push(
                Diagnostic::new(format!("`{what} {}` is given twice", name.name), name.span, "again here")
                    .also(first, "first given here")
                    .help(format!("each state has one `{what}`{}", if what == "next" { " in a step" } else { "" })),
            );
        }
        self.place = place;
        let operand = self.check(value, state.map(|state| self.states[usize::from(state.0)].ty));
        if let (Some(state), Some(operand)) = (state, operand) {
            results.push((state, operand.id));
        }
    }

    /// The rule's own `next`s as one step, or its `step` blocks. `None` if there is neither.
    fn check_steps(&mut self, def: &'a RuleDef) -> Option<Vec<Step>> {
        let first = |wanted: fn(&RuleItemKind) -> bool| def.items.iter().find(|item| wanted(&item.kind));
        let next = first(|kind| matches!(kind, RuleItemKind::Next { .. }));
        let block = first(|kind| matches!(kind, RuleItemKind::Step { .. }));
        match (next, block) {
            (Some(next), Some(block)) => {
                self.errors.push(
                    Diagnostic::new(
                        "`next` outside the steps of a rule that has steps",
                        next.span,
                        "belongs to no step",
                    )
                    .also(block.span, "a step")
                    .help("move it into a `step NAME { … }`, or remove the steps"),
                );
                None
            }
            (None, None) => {
                self.errors.push(
                    Diagnostic::new(
                        format!("rule `{}` has no `next`", def.name.name),
                        def.name.span,
                        "nothing would ever change",
                    )
                    .help("write for instance `next alive = n == 3`; a state without `next` keeps its value"),
                );
                None
            }
            (Some(_), None) => {
                let (mut steps, mut numbers) = (Vec::new(), DrawNumbers::default());
                self.check_step(None, None, &def.items, &mut steps, &mut numbers);
                Some(steps)
            }
            (None, Some(_)) => {
                let mut places = HashMap::new();
                let (mut steps, mut count) = (Vec::new(), 0);
                let mut numbers = DrawNumbers::default();
                for item in &def.items {
                    let RuleItemKind::Step { name, guard, items } = &item.kind else { continue };
                    if let Some(first) = places.insert(name.name.as_str(), name.span) {
                        self.errors.push(defined_twice("step", &name.name, name.span, first));
                    }
                    if !items.iter().any(|item| matches!(item.kind, RuleItemKind::Next { .. })) {
                        self.errors.push(
                            Diagnostic::new(
                                format!("step `{}` has no `next`", name.name),
                                name.span,
                                "nothing would change",
                            )
                            .help("write at least one `next STATE = …` inside, or remove the step"),
                        );
                    }
                    if count == MOST_STEPS {
                        self.errors.push(
                            Diagnostic::new(
                                format!("rule `{}` has more than {MOST_STEPS} steps", def.name.name),
                                name.span,
                                "one too many",
                            )
                            .help("all steps together make one kernel: several `next` may stand in one step"),
                        );
                        return None;
                    }
                    count += 1;
                    self.check_step(Some(name), guard.as_ref(), items, &mut steps, &mut numbers);
                }
                Some(steps)
            }
        }
    }

    /// Adds a step, after those that compute the fields that it reads.
    fn check_step(
        &mut self,
        name: Option<&Ident>,
        guard: Option<&'a Expr>,
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
        self.field_lets = self.fields_read_by(guard.into_iter().chain(own.clone()));
        self.needed.clear();
        self.place = Context::Guard;
        let guard = guard.and_then(|guard| self.check(guard, Some(Type::Bit))).map(|operand| operand.id);
        let mut results = Vec::new();
        let mut places = HashMap::new();
        for item in items {
            match &item.kind {
                // The rule's own lets were collected before; these are the step's.
                RuleItemKind::Let { name: local, value } if name.is_some() => {
                    self.place = Context::Step;
                    let value = self.check(value, None);
                    self.check_local_name(local);
                    self.locals.push((&local.name, value));
                }
                RuleItemKind::Next { name, value } => {
                    self.assign(Context::Step, "next", name, value, &mut results, &mut places);
                }
                _ => {}
            }
        }
        let mut step = Step { name: name.map(|name| name.name.clone()), guard, body: self.take_body(results) };
        let used = self.all_needed();
        let fields = self.field_steps(Context::Step, step.name.as_deref());
        let lets: Vec<&'a Expr> = used.into_iter().map(|index| self.lets[index].value).collect();
        numbers.add(lets.into_iter());
        numbers.add(own);
        self.errors.extend(numbers.excess(name));
        for mut field in fields {
            numbers.give(&mut field.body);
            steps.push(field);
        }
        numbers.give(&mut step.body);
        steps.push(step);
    }

    /// The steps of the fields that observables read.
    fn check_observables(&mut self, def: &'a RuleDef) -> Vec<Step> {
        let values = def.items.iter().flat_map(|item| match &item.kind {
            RuleItemKind::Observe { values, .. } => values.as_slice(),
            RuleItemKind::Stop(value) => std::slice::from_ref(value),
            _ => &[],
        });
        self.field_lets = self.fields_read_by(values);
        let mut places = HashMap::new();
        let mut stop: Option<Span> = None;
        for item in &def.items {
            match &item.kind {
                RuleItemKind::Observe { name, values, list, level } => {
                    if let Some(first) = places.insert(name.name.as_str(), name.span) {
                        self.errors.push(defined_twice("observable", &name.name, name.span, first));
                    }
                    self.check_observable(name, values, *list, level.as_ref());
                }
                RuleItemKind::Stop(value) => {
                    if let Some(first) = stop.replace(item.span) {
                        self.errors.push(
                            Diagnostic::new("`stop` is given twice", item.span, "again here")
                                .also(first, "first given here")
                                .help("write one condition: `stop when a || b`"),
                        );
                    }
                    self.stop = self.condition(value);
                }
                _ => {}
            }
        }
        self.field_steps(Context::Observe, Some("observe"))
    }
}

/// The value of a node in a body that uses nothing but constants.
fn evaluate_constant(body: &Body, id: NodeId) -> Option<Value> {
    let mut values: Vec<Value> = Vec::with_capacity(body.nodes.len());
    for node in &body.nodes {
        values.push(scalar::evaluate(node.ty, &node.op, |id| values[id.0 as usize])?);
    }
    Some(scalar::canonical(values[id.0 as usize]))
}
