//! The meaning of names: definitions across files, reserved words, suggestions.

use super::modules::{ParsedText, name_span};
use crate::ir::{Neighbourhood, Type};
use crate::shipped;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{self, DefKind, Ident, ItemKind};
use crate::text::words::{beginning, distances};
use std::collections::HashMap;

/// A definition: which module, which of its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DefId {
    pub module: usize,
    pub item: usize,
}

/// All definitions of all modules by name.
///
/// A name means, in this order: a definition of the same file; one of a file that it uses; one that ships.
pub(super) struct Scope<'a> {
    pub modules: &'a [ParsedText],
    /// For each module, its own definitions.
    own: Vec<HashMap<(DefKind, &'a str), usize>>,
}

impl<'a> Scope<'a> {
    /// Collects the names; reports those that one file defines twice.
    pub(super) fn new(modules: &'a [ParsedText], errors: &mut Vec<Diagnostic>) -> Self {
        let own = modules.iter().map(|module| collect(&module.file, errors)).collect();
        Scope { modules, own }
    }

    pub(super) fn item(&self, def: DefId) -> &'a ItemKind {
        &self.modules[def.module].file.items[def.item].kind
    }

    /// The definition that `name` means in `module`, if it means one and no more; says nothing otherwise.
    pub(super) fn get(&self, module: usize, kind: DefKind, name: &str) -> Option<DefId> {
        let get = |module: usize| Some(DefId { module, item: *self.own[module].get(&(kind, name))? });
        get(module).or_else(|| self.modules[module].uses.iter().flatten().find_map(|&used| get(used)))
    }

    /// The names of all definitions of a kind that `module` sees.
    pub(super) fn visible(&self, module: usize, kind: DefKind) -> impl Iterator<Item = &'a str> {
        let modules = [module].into_iter().chain(self.modules[module].uses.iter().flatten().copied());
        let names = modules.flat_map(|module| self.own[module].keys());
        names.filter(move |(of, _)| *of == kind).map(|(_, name)| *name)
    }

    /// The definition that `name` means in `module`.
    ///
    /// # Errors
    /// A diagnostic if there is none, or if two used files define it.
    pub(super) fn find(&self, module: usize, kind: DefKind, name: &Ident) -> Result<DefId, Box<Diagnostic>> {
        let get = |module: usize| Some(DefId { module, item: *self.own[module].get(&(kind, name.name.as_str()))? });
        if let Some(def) = get(module) {
            return Ok(def);
        }
        let mut used: Vec<DefId> = self.modules[module].uses.iter().flatten().filter_map(|&used| get(used)).collect();
        used.dedup();
        if let [first, second, ..] = used[..] {
            let place = |def| name_span(self.item(def)).map(|(_, _, span)| span);
            let message = format!("`{}` could mean two definitions", name.name);
            let mut error = Diagnostic::new(message, name.span, "two used files define this name")
                .help("rename one of them, or define it in this file")
                .coded("duplicate_name");
            for span in [place(first), place(second)].into_iter().flatten() {
                error = error.also(span, "a candidate");
            }
            return Err(error.into());
        }
        if let Some(&def) = used.first() {
            return Ok(def);
        }
        let shipped = (0..self.modules.len()).filter(|&module| self.modules[module].shipped).find_map(get);
        shipped.ok_or_else(|| self.unknown(module, kind, name).into())
    }

    fn unknown(&self, module: usize, kind: DefKind, name: &Ident) -> Diagnostic {
        let mut known: Vec<&str> = self.visible(module, kind).collect();
        match kind {
            DefKind::Fractal => known.extend(shipped::FRACTALS.iter().map(|(name, _)| *name)),
            DefKind::Neighbourhood => known.extend(Neighbourhood::BUILT_IN.map(|(name, _)| name)),
            DefKind::Const | DefKind::Function => {}
            DefKind::Rule => known.extend(shipped::all_rules().iter().map(|(name, _)| *name)),
        }
        unknown_name(kind_word(kind), &name.name, name.span, known)
    }
}

fn collect<'a>(file: &'a ast::SyntaxFile, errors: &mut Vec<Diagnostic>) -> HashMap<(DefKind, &'a str), usize> {
    let mut own: HashMap<(DefKind, &str), usize> = HashMap::new();
    for (index, item) in file.items.iter().enumerate() {
        let Some((kind, name, span)) = name_span(&item.kind) else { continue };
        if kind == DefKind::Neighbourhood && Neighbourhood::is_built_in(name) {
            errors.push(built_in(name, span));
        } else if let Some((.., first)) = own.get(&(kind, name)).and_then(|first| name_span(&file.items[*first].kind)) {
            errors.push(defined_twice(kind_word(kind), name, span, first));
        } else {
            own.insert((kind, name), index);
        }
    }
    own
}

pub(super) fn kind_word(kind: DefKind) -> &'static str {
    match kind {
        DefKind::Fractal => "fractal",
        DefKind::Neighbourhood => "neighbourhood",
        DefKind::Rule => "rule",
        DefKind::Const => "constant",
        DefKind::Function => "function",
    }
}

/// Names of values that every cell knows; a rule cannot give them another meaning.
pub(super) const BUILT_IN_VALUES: [&str; 9] = ["x", "y", "z", "dx", "dy", "dz", "level", "side", "step"];

/// Sides of the box along x, y and z, which every cell knows. A rule may give the names another meaning.
pub(super) const EXTENTS: [&str; 3] = ["width", "height", "depth"];

/// Functions of numbers whose result has the type of their arguments, any number or floats only.
pub(super) const NUMBER_FUNCTIONS: [&str; 6] = ["abs", "min", "max", "clamp", "sign", "pow"];
/// Functions of floats.
pub(super) const FLOAT_FUNCTIONS: [&str; 18] = [
    "sqrt", "floor", "ceil", "round", "trunc", "fract", "exp", "log", "log2", "sin", "cos", "tan", "tanh", "asin",
    "acos", "atan", "atan2", "hypot",
];
/// Functions of integers whose result is an i32.
pub(super) const COUNTING_FUNCTIONS: [&str; 1] = ["popcount"];
/// The functions that run over a neighbourhood (`min` and `max` do too).
pub(super) const AGGREGATES: [&str; 7] = ["sum", "count", "any", "all", "degree", "mean", "product"];
/// Constants that need no definition, with more digits than any type holds. A rule may give the names another meaning.
pub(super) const BUILT_IN_CONSTANTS: [(&str, &str); 2] =
    [("pi", "3.14159265358979323846264338327950288"), ("tau", "6.28318530717958647692528676655900577")];
/// The functions that draw random numbers.
pub(super) const DRAWS: [&str; 8] =
    ["random", "uniform", "bits", "below", "normal", "exponential", "on_sphere", "pick"];

/// Whether a function draws; `on_sphere.x` is a component of one that does.
pub(super) fn is_draw(function: &str) -> bool {
    DRAWS.contains(&function.split('.').next().unwrap_or_default())
}

/// The names of types, which are also those of casts.
fn types() -> impl Iterator<Item = &'static str> {
    Type::NAMED.into_iter().map(|(name, _)| name)
}

/// Every name that can stand before a parenthesis.
pub(super) fn functions() -> impl Iterator<Item = &'static str> {
    let functions = [&NUMBER_FUNCTIONS[..], &FLOAT_FUNCTIONS, &COUNTING_FUNCTIONS, &AGGREGATES, &DRAWS];
    functions.into_iter().flatten().copied().chain(types())
}

pub(super) fn built_in(name: &str, span: Span) -> Diagnostic {
    Diagnostic::new(format!("`{name}` is built in"), span, "cannot be defined again")
        .help("choose another name")
        .coded("duplicate_name")
}

/// The error for an entry that may stand once.
pub(super) fn given_twice(what: &str, again: Span, first: Span) -> Diagnostic {
    Diagnostic::new(format!("{what} is given twice"), again, "again here")
        .also(first, "first given here")
        .coded("duplicate_name")
}

/// Asks of each part of a definition whether it is the first of its name; reports the others.
pub(super) fn once(errors: &mut Vec<Diagnostic>) -> impl FnMut(&'static str, Span) -> bool {
    let mut places: HashMap<&str, Span> = HashMap::new();
    move |what, span| match places.get(what) {
        Some(&first) => {
            errors.push(given_twice(&format!("`{what}`"), span, first).help("keep one"));
            false
        }
        None => places.insert(what, span).is_none(),
    }
}

pub(super) fn defined_twice(what: &str, name: &str, again: Span, first: Span) -> Diagnostic {
    Diagnostic::new(format!("{what} `{name}` is defined twice"), again, "defined again here")
        .also(first, "first defined here")
        .help("rename or remove one of them")
        .coded("duplicate_name")
}

/// The error for a type with components that is none of vectors, or stands where no vector can.
pub(super) fn no_vector(name: &Ident) -> Diagnostic {
    Diagnostic::new(format!("`{}` has no type of components here", name.name), name.span, "not a vector of a rule")
        .help("vectors are `vec2`, `vec3` and `complex` of `f32`, and `vec2<f64>` and so on, in states, parameters and functions")
        .coded("type")
}

/// The error for an unknown type. Names of types in other languages get a help.
pub(super) fn unknown_type(name: &str, span: Span) -> Diagnostic {
    let instead = match name {
        "bool" | "boolean" => "`bit`: `true` or `false`",
        "int" | "integer" | "int32" | "i8" | "int8" | "i16" | "int16" | "short" => "`i32`",
        "long" | "int64" | "u64" | "uint64" | "isize" | "usize" => "`i64`",
        "uint" | "uint32" | "unsigned" => "`u32`",
        "ushort" | "uint16" => "`u16`",
        "byte" | "char" | "uint8" => "`u8`",
        "float" | "float32" | "single" | "real" | "f16" | "half" | "bf16" => "`f32`",
        "double" | "float64" => "`f64`",
        "c64" | "complex64" => "`complex`",
        "c128" | "complex128" => "`complex<f64>`",
        "vec4" => "two states of `vec2`",
        "enum" => "`enum { rest, excited }`",
        "string" | "str" => "`enum { … }`, whose variants have names",
        _ => return unknown_name("type", name, span, types().chain(["enum"])),
    };
    unknown("type", name, span).help(format!("write {instead}"))
}

/// "unknown … `name`", to which a hint is to be added.
pub(super) fn unknown(what: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::new(format!("unknown {what} `{name}`"), span, "not known here").coded("unknown_name")
}

/// "unknown … `name`", with the nearest known name or, if none is near, all of them.
pub(super) fn unknown_name<'n>(
    what: &str,
    name: &str,
    span: Span,
    known: impl IntoIterator<Item = &'n str>,
) -> Diagnostic {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_unstable();
    known.dedup();
    let error = unknown(what, name, span);
    if let Some(near) = nearest(name, &known) {
        error.did_you_mean(near, span)
    } else if known.is_empty() {
        let are = if what == "clusters" { "are" } else { "is" };
        error.help(format!("no {what} {are} defined here"))
    } else {
        let shown: Vec<String> =
            known.iter().take(MOST_SHOWN).map(|name| format!("`{}`", beginning(name, LONGEST_SHOWN))).collect();
        let left = known.len() - shown.len();
        let more = if left > 0 { format!(" and {left} more") } else { String::new() };
        error.help(format!("known here: {}{more}", shown.join(", ")))
    }
}

/// The most names that a message lists.
const MOST_SHOWN: usize = 100;
/// The longest name of several that is shown whole, in characters.
const LONGEST_SHOWN: usize = 40;

/// The known name that a misspelt one most probably means.
pub(super) fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    // A third of the letters may differ.
    let allowed = match name.chars().count() {
        0 | 1 => return None,
        length => (length / 3).max(1),
    };
    let near = distances(name, known.iter().copied()).filter(|(distance, _)| *distance <= allowed);
    near.min().map(|(_, known)| known)
}

/// The error for a name that every cell knows already, or that cannot be written in an expression.
pub(super) fn reserved(name: &Ident) -> Option<Diagnostic> {
    // Two-dimensional rules may call something `z`.
    let own = matches!(name.name.as_str(), "z" | "dz");
    if BUILT_IN_VALUES.contains(&name.name.as_str()) && !own || name.name == "nb" || name.name == "_" {
        return Some(
            Diagnostic::new(format!("`{}` has a meaning already", name.name), name.span, "cannot be defined")
                .help("x y dx dy level side step and nb are known to every cell: choose another name")
                .coded("duplicate_name"),
        );
    }
    None
}
