//! Takes vectors and complex numbers apart, before anything is checked: what is behind this pass knows single numbers alone.
//!
//! A state `m: vec3` becomes the states `m.x`, `m.y` and `m.z`, a vector that is computed becomes an expression for each component, and a function of vectors
//! a function for each component of its result, named `f.x` and so on. A component repeats the parts of the text that it needs, with their places: draws are
//! numbered by their places, so that all components see the same draw, and what is computed twice is found to be one. Components have no types of their own
//! here: whether they are f32 or f64 is found where they are checked as the numbers that they are.

mod items;
mod values;

use super::modules::ParsedText;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{
    ConstDef, ConstValue, Expr, ExprKind, FunctionDef, Ident, Item, ItemKind, TypeName, TypeNameKind,
};
use std::collections::HashMap;

/// A kind of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VectorKind {
    Vec2,
    Vec3,
    Complex,
}

impl VectorKind {
    const ALL: [VectorKind; 3] = [VectorKind::Vec2, VectorKind::Vec3, VectorKind::Complex];

    const fn name(self) -> &'static str {
        match self {
            VectorKind::Vec2 => "vec2",
            VectorKind::Vec3 => "vec3",
            VectorKind::Complex => "complex",
        }
    }

    fn named(name: &str) -> Option<VectorKind> {
        VectorKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The names of the components.
    const fn components(self) -> &'static [&'static str] {
        match self {
            VectorKind::Vec2 | VectorKind::Complex => &["x", "y"],
            VectorKind::Vec3 => &["x", "y", "z"],
        }
    }

    /// How one is written.
    fn written(self) -> String {
        format!("{}({})", self.name(), ["a", "b", "c"][..self.components().len()].join(", "))
    }
}

/// The kind of a type, and the name of the type of its components.
fn of_type(ty: &TypeName) -> Option<(VectorKind, &str)> {
    match &ty.kind {
        TypeNameKind::Name(name) => Some((VectorKind::named(name)?, "f32")),
        TypeNameKind::Of(name, element) => Some((VectorKind::named(&name.name)?, &element.name)),
        TypeNameKind::Enum(_) => None,
    }
}

/// The draw of a vector.
const ON_SPHERE: &str = "on_sphere";

/// A value that was taken apart.
enum TakenApart {
    Number(Expr),
    Vector(VectorKind, Vec<Expr>),
}

/// The meanings of names, the innermost last: the kinds of those that are vectors.
type NamesOfScopes = Vec<HashMap<String, Option<VectorKind>>>;

/// The kinds of the parameters and of the result of a function.
type Signature = (Vec<Option<VectorKind>>, Option<VectorKind>);

/// Vectors of a file, which others may use.
#[derive(Clone, Default)]
struct Defined {
    functions: HashMap<String, Signature>,
    constants: HashMap<String, Option<VectorKind>>,
}

/// Whether a text may speak of vectors.
pub(super) fn may_speak_of_vectors(text: &str) -> bool {
    VectorKind::ALL.iter().any(|kind| text.contains(kind.name())) || text.contains(ON_SPHERE)
}

/// Takes the vectors of all texts apart. A rule with an error in them is left out: the error is reported.
pub(super) fn take_apart(modules: &mut [ParsedText], errors: &mut Vec<Diagnostic>) {
    let own: Vec<Defined> = modules.iter().map(|module| Defined::of(&module.file.items)).collect();
    for at in 0..modules.len() {
        let mut defined = Defined::default();
        let shipped = (0..modules.len()).filter(|other| modules[*other].shipped);
        let used = modules[at].uses.iter().flatten().copied();
        for other in shipped.chain(used).chain([at]) {
            defined.functions.extend(own[other].functions.clone());
            defined.constants.extend(own[other].constants.clone());
        }
        let mut apart = TakingApart { functions: defined.functions, names: vec![defined.constants], errors };
        let items = std::mem::take(&mut modules[at].file.items);
        modules[at].file.items = items.into_iter().flat_map(|item| apart.item(item)).collect();
    }
}

impl Defined {
    fn of(items: &[Item]) -> Defined {
        let mut defined = Defined::default();
        for item in items {
            match &item.kind {
                ItemKind::Function(def) => drop(defined.functions.insert(def.name.name.clone(), signature(def))),
                ItemKind::Const(def) => drop(defined.constants.insert(def.name.name.clone(), kind_of_constant(def))),
                _ => {}
            }
        }
        defined
    }
}

fn signature(def: &FunctionDef) -> Signature {
    let kind = |ty: &TypeName| of_type(ty).map(|(kind, _)| kind);
    (def.parameters.iter().map(|(_, ty)| kind(ty)).collect(), kind(&def.result))
}

/// The kind of a constant, which is written as a vector.
fn kind_of_constant(def: &ConstDef) -> Option<VectorKind> {
    match &def.value {
        ConstValue::Scalar(Expr { kind: ExprKind::Call { name, .. }, .. }) => VectorKind::named(&name.name),
        _ => None,
    }
}

/// A name with its component, at the same place.
fn component_of(name: &Ident, component: &str) -> Ident {
    Ident { name: format!("{}.{component}", name.name), span: name.span }
}

/// The error for a component of what is no vector.
pub(super) fn of_number(value: Span, of: &Ident) -> Diagnostic {
    Diagnostic::new(format!("`.{}` of what is no vector", of.name), value, "has no components")
        .help("a neighbour's value is read as `nb.field`; `x` and `y` are the components of a `vec2` and a `complex`, `x`, `y` and `z` those of a `vec3`")
}

/// The lets of the components of a vector. Where they take the place of another vector's, whose components are still read, all are computed before any is named.
fn lets_of(name: &Ident, kind: VectorKind, values: Vec<Expr>, replaces: bool) -> Vec<(Ident, Expr)> {
    let named = kind.components().iter().map(|component| component_of(name, component));
    if !replaces {
        return named.zip(values).collect();
    }
    let computed: Vec<Ident> = named.clone().map(|name| Ident { name: format!("{}.", name.name), ..name }).collect();
    let read = |name: &Ident| Expr { kind: ExprKind::Name(name.name.clone()), span: name.span };
    let renamed: Vec<(Ident, Expr)> = named.zip(computed.iter().map(read)).collect();
    computed.into_iter().zip(values).chain(renamed).collect()
}

struct TakingApart<'d> {
    functions: HashMap<String, Signature>,
    /// The meanings of names, the innermost last.
    names: NamesOfScopes,
    errors: &'d mut Vec<Diagnostic>,
}

impl TakingApart<'_> {
    fn kind_of(&self, name: &str) -> Option<VectorKind> {
        self.names.iter().rev().find_map(|scope| scope.get(name)).copied().flatten()
    }

    fn define(&mut self, name: &str, kind: Option<VectorKind>) {
        self.names.last_mut().expect("a file is around all").insert(name.to_owned(), kind);
    }
}
