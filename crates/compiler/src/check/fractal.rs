//! Checks fractals: replica tables, pictures and lists of levels.

use super::modules::{DomainSettings, ROOT, flatten};
use super::names::{DefId, Scope, once};
use super::replicas::{replicas_of_picture, replicas_of_table};
use crate::ir::{Axes, Dimension, Fractal, FractalParts, Pattern};
use crate::numbers::philox;
use crate::text::diagnostics::{Diagnostic, counted};
use crate::text::source::{Sources, Span};
use crate::text::syntax::ast::{
    DefKind, FractalDef, FractalPartKind, Ident, Item, ItemKind, LevelEntry, Number, PicturePlane, ReplicaEntry,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The largest scale: far beyond any use, and small enough for s³ in 64 bits.
const LARGEST_SCALE: i128 = 65_536;
/// Levels beyond the 63rd never fit in 64 bits, so a longer list would be a mistake.
const MOST_LEVELS: usize = 4096;
/// More levels than ever fit in 64 bits: each has at least two replicas.
const DRAWN_LEVELS: u32 = 64;
/// How deep definitions by `levels` may refer to each other.
const DEEPEST_REFERENCE: usize = 64;

/// The state of a definition that was asked for.
enum CheckState {
    /// The check is running: meeting the fractal again means that it refers to itself.
    Underway,
    /// `None` if it has errors, which were reported.
    Done(Option<Arc<Fractal>>),
}

/// Checks fractals on demand, each once.
pub(super) struct Fractals<'s, 'a, 'e> {
    pub(super) scope: &'s Scope<'a>,
    pub(super) errors: &'e mut Vec<Diagnostic>,
    /// Warnings about texts that are valid, but probably not meant.
    pub(super) warnings: Vec<Diagnostic>,
    /// The texts, to say where something stands.
    pub(super) sources: &'s Sources,
    /// Settings of domains from outside of their texts.
    pub(super) asked: &'s DomainSettings,
    /// The parameters of domains, as `DOMAIN.NAME`.
    pub(super) params: BTreeSet<String>,
    /// Whether some cells are drawn from disorder.
    pub(super) draws_disorder: bool,
    checked: HashMap<DefId, CheckState>,
    depth: usize,
}

/// One of some patterns for each level: for level μ that with the number (u64(W) · length) >> 32, W being the first word of Philox4x32-10
/// with the seed as key (low, high word) and μ as counter.
fn drawn(patterns: &[Arc<Pattern>], seed: u64) -> Vec<Arc<Pattern>> {
    let draw = |level: u32| {
        let word = philox::philox4x32([level, 0, 0, 0], [seed as u32, (seed >> 32) as u32])[0];
        Arc::clone(&patterns[((u64::from(word) * patterns.len() as u64) >> 32) as usize])
    };
    (1..=DRAWN_LEVELS).map(draw).collect()
}

/// The number of a level that is repeated less than once.
fn never_repeated(entry: &LevelEntry) -> Option<&Number> {
    match entry {
        LevelEntry::Name(_) => None,
        LevelEntry::List(list, _) => list.iter().find_map(never_repeated),
        LevelEntry::Times(entry, times) => (times.value < 1).then_some(times).or_else(|| never_repeated(entry)),
    }
}

impl<'s, 'a, 'e> Fractals<'s, 'a, 'e> {
    pub(super) fn new(
        scope: &'s Scope<'a>,
        sources: &'s Sources,
        asked: &'s DomainSettings,
        errors: &'e mut Vec<Diagnostic>,
    ) -> Self {
        let (warnings, checked) = (Vec::new(), HashMap::new());
        let (params, draws_disorder) = (BTreeSet::new(), false);
        Fractals { scope, errors, warnings, sources, asked, params, draws_disorder, checked, depth: 0 }
    }

    /// Checks all fractals of a module (of a shipped one only those that others name) and gives those that are sound. If `only` one is wanted,
    /// masks and boxes wait until a text names them.
    pub(crate) fn check_module(&mut self, module: usize, only: Option<&str>) -> Vec<Arc<Fractal>> {
        let items = &self.scope.modules[module].file.items;
        if self.scope.modules[module].shipped {
            return Vec::new();
        }
        let waits = |item: &Item| match (&item.kind, only) {
            (ItemKind::Fractal(def), Some(only)) => {
                def.is_domain
                    && !def.parts.iter().any(|part| matches!(part.kind, FractalPartKind::Base(_)))
                    && (module != ROOT || def.name.name != only)
            }
            _ => false,
        };
        let wanted = (0..items.len()).filter(|item| !waits(&items[*item]));
        wanted.filter_map(|item| self.check(DefId { module, item })).collect()
    }

    fn check(&mut self, id: DefId) -> Option<Arc<Fractal>> {
        let ItemKind::Fractal(def) = self.scope.item(id) else { return None };
        if let Some(CheckState::Done(fractal)) = self.checked.get(&id) {
            return fractal.clone();
        }
        self.checked.insert(id, CheckState::Underway);
        self.depth += 1;
        let fractal = self.check_definition(id, def).map(Arc::new);
        self.depth -= 1;
        self.checked.insert(id, CheckState::Done(fractal.clone()));
        fractal
    }

    fn check_definition(&mut self, id: DefId, def: &FractalDef) -> Option<Fractal> {
        if def.is_domain {
            return self.check_domain(id, def);
        }
        let parts = FractalItems::sort(def, self.errors);
        let before = self.errors.len();
        let patterns = match (parts.replicas, parts.picture, parts.levels) {
            (Some((entries, span)), None, None) => {
                let (dimension, scale) = parts.dimension_and_scale(def, self.errors)?;
                let replicas = replicas_of_table(entries, span, dimension, scale, self.errors)?;
                vec![self.pattern(def, dimension, scale, replicas, span)?]
            }
            (None, Some((planes, span)), None) => {
                let (dimension, scale) = parts.dimension_and_scale(def, self.errors)?;
                let replicas = replicas_of_picture(planes, span, dimension, scale, self.errors)?;
                vec![self.pattern(def, dimension, scale, replicas, span)?]
            }
            (None, None, Some((list, span))) => {
                let patterns = self.patterns_of_levels(id, list, span, &parts)?;
                match parts.seed {
                    Some(seed) => drawn(&patterns, seed_of(seed, self.errors)?),
                    None => patterns,
                }
            }
            (None, None, None) => {
                // With a broken part there would be a false alarm: but a broken part makes the whole definition broken.
                return Diagnostic::new(
                    format!("fractal `{}` says nothing about its replicas", def.name.name),
                    def.name.span,
                    "needs one of `replicas`, `pattern` and `levels`",
                )
                .help("write `replicas { 0: (0, 0)  1: (0, 1) }`, `pattern { #. ## }` or `levels [vicsek, candy]`")
                .fail(self.errors);
            }
            _ => {
                let mut spans = [
                    parts.replicas.map(|(_, span)| span),
                    parts.picture.map(|(_, span)| span),
                    parts.levels.map(|(_, span)| span),
                ]
                .into_iter()
                .flatten()
                .collect::<Vec<Span>>();
                spans.sort_unstable();
                let message = format!("fractal `{}` is described twice", def.name.name);
                return Diagnostic::new(message, spans[1], "described again here")
                    .also(spans[0], "first described here")
                    .help("keep one of `replicas`, `pattern` and `levels`")
                    .fail(self.errors);
            }
        };
        if self.errors.len() > before {
            return None;
        }
        let dimension = patterns[0].dimension;
        Some(Fractal(FractalParts {
            name: def.name.name.clone(),
            doc: def.doc.clone(),
            dimension,
            patterns,
            periodic: Axes::NONE,
            extent: None,
            edges: Vec::new(),
        }))
    }

    fn pattern(
        &mut self,
        def: &FractalDef,
        dimension: Dimension,
        scale: [u32; 3],
        replicas: Vec<[u32; 3]>,
        span: Span,
    ) -> Option<Arc<Pattern>> {
        if replicas.len() < 2 {
            let message = format!("fractal `{}` has a single replica", def.name.name);
            return Diagnostic::new(message, span, "k = 1 gives one cell at every level")
                .help("a fractal needs at least 2 replicas")
                .fail(self.errors);
        }
        Some(Arc::new(Pattern { name: def.name.name.clone(), dimension, scale, replicas, places: None }))
    }

    /// The patterns of a mixed fractal: those of the named ones, one after another, finest first.
    fn patterns_of_levels(
        &mut self,
        id: DefId,
        list: &[LevelEntry],
        span: Span,
        parts: &FractalItems,
    ) -> Option<Vec<Arc<Pattern>>> {
        let never = list.iter().find_map(never_repeated);
        if let Some(times) = never {
            return Diagnostic::new(format!("a level repeated {} times", times), times.span, "must be 1 or more")
                .help("write `levels [vicsek * 2, sierpinski_carpet]`")
                .fail(self.errors);
        }
        let names = flatten(list);
        if names.is_empty() {
            return Diagnostic::new("the list of levels is empty", span, "names no fractal")
                .help("name at least one: `levels [vicsek, sierpinski_carpet]`, finest level first")
                .fail(self.errors);
        }
        if let Some((_, span)) = parts.scale {
            Diagnostic::new("a mixed fractal has no scale of its own", span, "not valid beside `levels`")
                .help("remove `scale`: each level has the scale of the fractal that it names")
                .report(self.errors);
        }
        let mut patterns: Vec<Arc<Pattern>> = Vec::new();
        let mut first: Option<&Ident> = None;
        let mut sound = true;
        for name in names {
            let Some(fractal) = self.resolve(id, name) else {
                sound = false;
                continue;
            };
            if let (Some(first), Some(pattern)) = (first, patterns.first())
                && fractal.dimension != pattern.dimension
            {
                let axes = fractal.dimension.axes();
                let message = format!("a mixed fractal needs one dimension: `{}` is {axes}-D", name.name);
                Diagnostic::new(message, name.span, format!("{axes}-D"))
                    .also(first.span, format!("{}-D", pattern.dimension.axes()))
                    .help("all levels must have one dimension: 1-D, 2-D or 3-D")
                    .report(self.errors);
                sound = false;
                continue;
            }
            if patterns.len() + fractal.patterns.len() > MOST_LEVELS {
                let message = format!("more than {MOST_LEVELS} levels in one list");
                return Diagnostic::new(message, name.span, "too long with the levels of this one")
                    .help("the list is repeated from its start when a level needs more; no level beyond 63 ever fits")
                    .fail(self.errors);
            }
            first.get_or_insert(name);
            patterns.extend(fractal.patterns.iter().cloned());
        }
        if let (Some(number), Some(pattern)) = (parts.dimension, patterns.first())
            && number.value != pattern.dimension.axes() as i128
        {
            let message = format!("the levels are {}-D", pattern.dimension.axes());
            Diagnostic::new(message, number.span, "another dimension is given here")
                .help("remove `dimension`: a mixed fractal has that of its levels")
                .report(self.errors);
            sound = false;
        }
        sound.then_some(patterns)
    }

    pub(super) fn resolve(&mut self, user: DefId, name: &Ident) -> Option<Arc<Fractal>> {
        let id = self.scope.find(user.module, DefKind::Fractal, name).map_err(|error| self.errors.push(*error)).ok()?;
        if let ItemKind::Fractal(FractalDef { is_domain: true, .. }) = self.scope.item(id) {
            return Diagnostic::new(format!("`{}` is a domain", name.name), name.span, "must be a fractal")
                .help("name the fractal that the domain is made of")
                .fail(self.errors);
        }
        if let Some(CheckState::Underway) = self.checked.get(&id) {
            let message = format!("fractal `{}` is made of itself", name.name);
            return Diagnostic::new(message, name.span, "this name leads back to its own definition")
                .help("`levels` must name fractals that are defined by `replicas` or `pattern` in the end")
                .fail(self.errors);
        }
        if self.depth == DEEPEST_REFERENCE {
            let message = format!("`levels` refer to each other more than {DEEPEST_REFERENCE} deep");
            return Diagnostic::new(message, name.span, "too deep here").fail(self.errors);
        }
        self.check(id)
    }
}

/// The parts of a definition, each at most once.
#[derive(Default)]
struct FractalItems<'d> {
    dimension: Option<&'d Number>,
    /// The numbers and their place: of `scale 3` one, of `scale (3, 2)` one for each axis.
    scale: Option<(&'d [Number], Span)>,
    replicas: Option<(&'d [ReplicaEntry], Span)>,
    picture: Option<(&'d [PicturePlane], Span)>,
    levels: Option<(&'d [LevelEntry], Span)>,
    seed: Option<&'d Number>,
}

impl<'d> FractalItems<'d> {
    fn sort(def: &'d FractalDef, errors: &mut Vec<Diagnostic>) -> Self {
        let mut parts = FractalItems::default();
        let mut once = once(errors);
        for part in &def.parts {
            let span = part.span;
            match &part.kind {
                FractalPartKind::Dimension(number) if once("dimension", span) => parts.dimension = Some(number),
                FractalPartKind::Scale(numbers) if once("scale", span) => parts.scale = Some((numbers, span)),
                FractalPartKind::Replicas(entries) if once("replicas", span) => parts.replicas = Some((entries, span)),
                FractalPartKind::Picture(planes) if once("pattern", span) => parts.picture = Some((planes, span)),
                FractalPartKind::Levels { list, seed } if once("levels", span) => {
                    parts.levels = Some((list, span));
                    parts.seed = seed.as_ref();
                }
                // Parts of domains are sorted elsewhere.
                _ => {}
            }
        }
        parts
    }

    fn dimension_and_scale(&self, def: &FractalDef, errors: &mut Vec<Diagnostic>) -> Option<(Dimension, [u32; 3])> {
        let dimension = match self.dimension {
            None => Dimension::Two,
            Some(number) => match number.value {
                1 => Dimension::One,
                2 => Dimension::Two,
                3 => Dimension::Three,
                _ => {
                    let error = format!("dimension {number} is not possible");
                    return Diagnostic::new(error, number.span, "must be 1, 2 or 3")
                        .help("write `dimension 3` or `dimension 1`, or nothing for 2")
                        .fail(errors);
                }
            },
        };
        let Some((numbers, span)) = self.scale else {
            let message = format!("fractal `{}` has no scale", def.name.name);
            return Diagnostic::new(message, def.name.span, "`scale` is missing")
                .help("write `scale 3` for replicas placed on a grid of side 3")
                .fail(errors);
        };
        let axes = dimension.axes();
        if let [number] = numbers
            && span == number.span
        {
            let scale = scale_of(number, 2, errors)?;
            return Some((dimension, dimension.scales(scale)));
        }
        if numbers.len() != axes {
            let found = counted(numbers.len(), "number");
            let message = format!("a scale of {found} in a {axes}-D fractal");
            let label = format!("needs {}, one for each axis", counted(axes, "number"));
            let error = Diagnostic::new(message, span, label);
            return error
                .help(match (axes, numbers.len()) {
                    (2, 3) => "write `dimension 3` before it, or `scale (3, 2)` for 2-D",
                    (1, _) => "write `scale 3`",
                    (2, _) => "write `scale (3, 2)`: 3 along x, 2 along y; or `scale 3` for both axes",
                    _ => "write `scale (3, 2, 2)`: 3 along x, 2 along y and z; or `scale 3` for all axes",
                })
                .fail(errors);
        }
        let mut scales = [1; 3];
        for (scale, number) in scales.iter_mut().zip(numbers) {
            *scale = scale_of(number, 1, errors)?;
        }
        Some((dimension, scales))
    }
}

/// A seed of draws.
pub(super) fn seed_of(number: &Number, errors: &mut Vec<Diagnostic>) -> Option<u64> {
    if let Ok(seed) = u64::try_from(number.value) {
        return Some(seed);
    }
    Diagnostic::new(format!("a seed of {number}"), number.span, "must be from 0 to 2^64 - 1").fail(errors)
}

/// A scale that is possible, and at least so large.
fn scale_of(number: &Number, least: i128, errors: &mut Vec<Diagnostic>) -> Option<u32> {
    if (least..=LARGEST_SCALE).contains(&number.value) {
        return Some(number.value as u32);
    }
    let message = format!("scale {number} is not possible");
    Diagnostic::new(message, number.span, format!("must be from {least} to {LARGEST_SCALE}"))
        .help("the scale is the factor by which the side grows from level to level")
        .fail(errors)
}
