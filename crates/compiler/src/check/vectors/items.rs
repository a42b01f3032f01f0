//! Definitions and the entries of rules, taken apart.

use super::{TakenApart, TakingApart, component_of, kind_of_constant, lets_of, of_type, signature};
use crate::check::names::{defined_twice, reserved};
use crate::check::picture::DIRECTION;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{
    ConstDef, ConstType, ConstValue, DefKind, Expr, FunctionDef, Ident, Item, ItemKind, PictureDef, RuleDef, RuleItem,
    RuleItemKind, TypeName, TypeNameKind,
};
use std::collections::HashMap;

/// The type of a component, where that of the vector is written.
fn component_type(element: &str, span: Span) -> TypeName {
    TypeName { kind: TypeNameKind::Name(element.to_owned()), span }
}

/// What is made of a name and its value, or of the name and the value of each component.
fn entries<T>(name: &Ident, value: Option<TakenApart>, entry: impl Fn(Ident, Expr) -> T) -> Vec<T> {
    match value {
        None => Vec::new(),
        Some(TakenApart::Number(value)) => vec![entry(name.clone(), value)],
        Some(TakenApart::Vector(kind, values)) => {
            let named = kind.components().iter().zip(values);
            named.map(|(component, value)| entry(component_of(name, component), value)).collect()
        }
    }
}

impl TakingApart<'_> {
    /// A definition, for each component if it is of a vector. A rule with an error counts as defined, and is left out.
    pub(super) fn item(&mut self, item: Item) -> Vec<Item> {
        let span = item.span;
        let kinds = match item.kind {
            ItemKind::Rule(def) => {
                let before = self.errors.len();
                let functions = self.functions.clone();
                self.names.push(HashMap::new());
                let rule = self.rule(&def);
                self.names.pop();
                self.functions = functions;
                match self.errors.len() == before {
                    true => vec![ItemKind::Rule(rule)],
                    false => vec![ItemKind::Broken(DefKind::Rule, def.name)],
                }
            }
            ItemKind::Const(def) => self.constant(&def).into_iter().map(ItemKind::Const).collect(),
            ItemKind::Function(def) => self.function(&def).into_iter().map(ItemKind::Function).collect(),
            other => vec![other],
        };
        kinds.into_iter().map(|kind| Item { kind, span }).collect()
    }

    fn constant(&mut self, def: &ConstDef) -> Vec<ConstDef> {
        let ConstValue::Scalar(value) = &def.value else { return vec![def.clone()] };
        let ty = def.ty.as_ref().filter(|ty| !ty.table).and_then(|ty| Some((of_type(&ty.element)?, ty.span)));
        let value = self.value(value);
        if let Some(TakenApart::Vector(kind, _)) = value
            && kind_of_constant(def) != Some(kind)
        {
            Diagnostic::new(format!("a constant `{}` that is computed", kind.name()), def.name.span, "not written out")
                .help(format!("write `{}`", kind.written()))
                .report(self.errors);
        }
        let of_component =
            |((_, element), span)| ConstType { element: component_type(element, span), table: false, span };
        let ty = ty.map(of_component).or_else(|| def.ty.clone());
        entries(&def.name, value, |name, value| ConstDef { name, ty: ty.clone(), value: ConstValue::Scalar(value) })
    }

    fn function(&mut self, def: &FunctionDef) -> Vec<FunctionDef> {
        let (kinds, result) = signature(def);
        def.parameters.iter().map(|(_, ty)| ty).chain([&def.result]).for_each(|ty| self.has_floats(ty));
        let mut parameters = Vec::new();
        self.names.push(HashMap::new());
        for ((name, ty), kind) in def.parameters.iter().zip(kinds) {
            self.define(&name.name, kind);
            match of_type(ty) {
                None => parameters.push((name.clone(), ty.clone())),
                Some((kind, element)) => {
                    let component =
                        |component: &&str| (component_of(name, component), component_type(element, ty.span));
                    parameters.extend(kind.components().iter().map(component));
                }
            }
        }
        let value = self.value_of_kind(&def.value, result);
        self.names.pop();
        let result = of_type(&def.result)
            .map_or_else(|| def.result.clone(), |(_, element)| component_type(element, def.result.span));
        entries(&def.name, value, |name, value| {
            let (parameters, result) = (parameters.clone(), result.clone());
            FunctionDef { name, parameters, result, value }
        })
    }

    /// A rule, taken apart. Something may be wrong in it, which was reported.
    fn rule(&mut self, def: &RuleDef) -> RuleDef {
        self.declare(def);
        // Lets, globals and the like first: their kinds are those of their values.
        let is_named = |item: &RuleItem| {
            matches!(
                item.kind,
                RuleItemKind::Const(_)
                    | RuleItemKind::Let { .. }
                    | RuleItemKind::Global { .. }
                    | RuleItemKind::Bond { .. }
            )
        };
        let mut items: Vec<Option<Vec<RuleItem>>> = def.items.iter().map(|_| None).collect();
        for named in [true, false] {
            for (item, apart) in def.items.iter().zip(&mut items).filter(|(item, _)| is_named(item) == named) {
                *apart = Some(self.rule_item(item));
            }
        }
        let items = items.into_iter().flatten().flatten().collect();
        RuleDef { doc: def.doc.clone(), name: def.name.clone(), items }
    }

    /// Notes the kinds of what is declared with a type, and reports names that mean two things.
    fn declare(&mut self, def: &RuleDef) {
        let mut places: HashMap<&str, (Span, bool)> = HashMap::new();
        for item in &def.items {
            let (name, kind) = match &item.kind {
                RuleItemKind::Param { name, ty, .. } | RuleItemKind::State { name, ty, .. } => {
                    self.has_floats(ty);
                    (name, of_type(ty).map(|(kind, _)| kind))
                }
                RuleItemKind::Input { name, ty, .. } | RuleItemKind::KeptBond { name, ty, .. } => {
                    if let Some((kind, _)) = of_type(ty) {
                        let what = if matches!(item.kind, RuleItemKind::Input { .. }) {
                            "an input"
                        } else {
                            "a bond that is kept"
                        };
                        Diagnostic::new(format!("{what} of type `{}`", kind.name()), ty.span, "numbers and bits only")
                            .help(format!("write one for each component, as in `{0}_x` and `{0}_y`", name.name))
                            .report(self.errors);
                    }
                    (name, None)
                }
                RuleItemKind::Function(def) => {
                    self.functions.insert(def.name.name.clone(), signature(def));
                    (&def.name, None)
                }
                RuleItemKind::Const(def) => (&def.name, kind_of_constant(def)),
                RuleItemKind::Let { name, .. }
                | RuleItemKind::Bond { name, .. }
                | RuleItemKind::Global { name, .. } => (name, None),
                _ => continue,
            };
            if kind.is_some()
                && let Some(error) = reserved(name)
            {
                error.report(self.errors);
            }
            match places.insert(&name.name, (name.span, kind.is_some())) {
                Some((first, was_vector)) if was_vector || kind.is_some() => {
                    self.errors.push(defined_twice("name", &name.name, name.span, first));
                }
                _ => {}
            }
            self.define(&name.name, kind);
        }
    }

    /// Reports vectors of what is no float.
    fn has_floats(&mut self, ty: &TypeName) {
        if let TypeNameKind::Of(vector, element) = &ty.kind
            && of_type(ty).is_some()
            && !matches!(element.name.as_str(), "f32" | "f64")
        {
            Diagnostic::new(
                format!("a `{}` of `{}`", vector.name, element.name),
                element.span,
                "expected `f32` or `f64`",
            )
            .help(format!("write `{}`, or `{0}<f64>`", vector.name))
            .coded("type")
            .report(self.errors);
        }
    }

    /// An entry of a rule, for each component if it is of a vector.
    fn rule_item(&mut self, item: &RuleItem) -> Vec<RuleItem> {
        let kinds = self.rule_item_kinds(&item.kind);
        kinds.into_iter().map(|kind| RuleItem { kind, span: item.span }).collect()
    }

    fn rule_item_kinds(&mut self, item: &RuleItemKind) -> Vec<RuleItemKind> {
        match item {
            RuleItemKind::Param { name, ty, range, value } => {
                let of = of_type(ty);
                let Some(low) = self.optional(range.as_ref().map(|(low, _)| low)) else { return Vec::new() };
                let Some(high) = self.optional(range.as_ref().map(|(_, high)| high)) else { return Vec::new() };
                let value = self.value_of_kind(value, of.map(|(kind, _)| kind));
                let ty = of.map_or_else(|| ty.clone(), |(_, element)| component_type(element, ty.span));
                entries(name, value, |name, value| {
                    let (ty, range) = (ty.clone(), low.clone().zip(high.clone()));
                    RuleItemKind::Param { name, ty, range, value }
                })
            }
            RuleItemKind::State { name, ty, rolling } => match of_type(ty) {
                None => vec![item.clone()],
                Some((kind, element)) => {
                    let state = |component: &&str| RuleItemKind::State {
                        name: component_of(name, component),
                        ty: component_type(element, ty.span),
                        rolling: *rolling,
                    };
                    kind.components().iter().map(state).collect()
                }
            },
            RuleItemKind::Init { name, value } => {
                self.set(name, value, &|name, value| RuleItemKind::Init { name, value })
            }
            RuleItemKind::Next { name, value } => {
                self.set(name, value, &|name, value| RuleItemKind::Next { name, value })
            }
            RuleItemKind::Let { name, value } => {
                let replaces = self.kind_of(&name.name).is_some();
                let value = self.value(value);
                self.define(&name.name, if let Some(TakenApart::Vector(kind, _)) = value { Some(kind) } else { None });
                let lets = match value {
                    None => Vec::new(),
                    Some(TakenApart::Number(value)) => vec![(name.clone(), value)],
                    Some(TakenApart::Vector(kind, values)) => lets_of(name, kind, values, replaces),
                };
                lets.into_iter().map(|(name, value)| RuleItemKind::Let { name, value }).collect()
            }
            RuleItemKind::Bond { name, over, value } => {
                self.named(name, value, &|name, value| RuleItemKind::Bond { name, over: over.clone(), value })
            }
            RuleItemKind::Global { name, once, value } => {
                self.named(name, value, &|name, value| RuleItemKind::Global { name, once: *once, value })
            }
            RuleItemKind::Observe { name, values, list: None, level, at_end } if values.len() == 1 => {
                self.named(name, &values[0], &|name, value| RuleItemKind::Observe {
                    name,
                    values: vec![value],
                    list: None,
                    level: level.clone(),
                    at_end: *at_end,
                })
            }
            RuleItemKind::Observe { name, values, list, level, at_end } => {
                let values = values.iter().map(|value| self.number(value)).collect::<Option<Vec<Expr>>>();
                let observe = |values| RuleItemKind::Observe {
                    name: name.clone(),
                    values,
                    list: *list,
                    level: level.clone(),
                    at_end: *at_end,
                };
                values.map(observe).into_iter().collect()
            }
            RuleItemKind::Stop(value) => self.number(value).map(RuleItemKind::Stop).into_iter().collect(),
            RuleItemKind::Equilibrium(value) => self.number(value).map(RuleItemKind::Equilibrium).into_iter().collect(),
            RuleItemKind::Clusters { name, bond, when } => {
                let Some(when) = self.optional(when.as_ref()) else { return Vec::new() };
                vec![RuleItemKind::Clusters { name: name.clone(), bond: bond.clone(), when }]
            }
            RuleItemKind::Step { name, order, guard, coloured, items } => {
                let Some(guard) = self.optional(guard.as_ref()) else { return Vec::new() };
                self.names.push(HashMap::new());
                let items = items.iter().flat_map(|item| self.rule_item(item)).collect();
                self.names.pop();
                let (order, coloured) = (order.clone(), coloured.clone());
                vec![RuleItemKind::Step { name: name.clone(), order, guard, coloured, items }]
            }
            RuleItemKind::Repeat { count, items } => {
                let items = items.iter().flat_map(|item| self.rule_item(item)).collect();
                vec![RuleItemKind::Repeat { count: count.clone(), items }]
            }
            RuleItemKind::Const(def) => self.constant(def).into_iter().map(RuleItemKind::Const).collect(),
            RuleItemKind::Function(def) => self.function(def).into_iter().map(RuleItemKind::Function).collect(),
            RuleItemKind::Picture(def) => {
                if let Some(kind) = self.kind_of(&def.state.name) {
                    let name = &def.state.name;
                    if def.map.is_none() && def.colours.is_none() {
                        let (state, map) =
                            (component_of(&def.state, "x"), Ident { name: DIRECTION.to_owned(), span: def.state.span });
                        let def = PictureDef { state, map: Some(map), ..def.clone() };
                        return vec![RuleItemKind::Picture(def)];
                    }
                    Diagnostic::new(
                        format!("a picture of the `{}` `{name}`", kind.name()),
                        def.state.span,
                        "which component?",
                    )
                    .help(format!("write `{name}.x`, or `picture {name}` alone for its direction as a hue"))
                    .report(self.errors);
                }
                vec![item.clone()]
            }
            RuleItemKind::Input { .. }
            | RuleItemKind::KeptBond { .. }
            | RuleItemKind::Neighbourhood(_)
            | RuleItemKind::Allow(_)
            | RuleItemKind::Flush => vec![item.clone()],
        }
    }

    /// `init` or `next` of a state.
    fn set(&mut self, name: &Ident, value: &Expr, entry: &dyn Fn(Ident, Expr) -> RuleItemKind) -> Vec<RuleItemKind> {
        let value = self.value_of_kind(value, self.kind_of(&name.name));
        entries(name, value, entry)
    }

    /// What has the kind of its value.
    fn named(&mut self, name: &Ident, value: &Expr, entry: &dyn Fn(Ident, Expr) -> RuleItemKind) -> Vec<RuleItemKind> {
        let value = self.value(value);
        self.define(&name.name, if let Some(TakenApart::Vector(kind, _)) = value { Some(kind) } else { None });
        entries(name, value, entry)
    }

    /// A number that may be missing; `None` if it is wrong.
    fn optional(&mut self, expr: Option<&Expr>) -> Option<Option<Expr>> {
        expr.map_or(Some(None), |expr| self.number(expr).map(Some))
    }
}
