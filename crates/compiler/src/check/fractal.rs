//! Checks fractals: replica tables, pictures and lists of levels.

use super::modules::{ROOT, flatten};
use super::names::{DefId, Scope};
use crate::diagnostics::Diagnostic;
use crate::ir::{Axes, Dimension, Fractal, Pattern};
use crate::numerics::philox;
use crate::source::Span;
use crate::syntax::ast::{DefKind, FractalDef, FractalPart, Ident, Item, LevelEntry, Number, Plane, ReplicaEntry, Row};
use std::collections::HashMap;
use std::sync::Arc;

/// The largest scale: far beyond any use, and small enough for s³ in 64 bits.
const LARGEST_SCALE: i64 = 65_536;
/// Levels beyond the 63rd never fit in 64 bits, so a longer list would be a mistake.
const MOST_LEVELS: usize = 4096;
/// More levels than ever fit in 64 bits: each has at least two replicas.
const DRAWN_LEVELS: u32 = 64;
/// How deep definitions by `levels` may refer to each other.
const DEEPEST_REFERENCE: usize = 64;

/// What is known of a definition that was asked for.
enum Checked {
    /// Being checked now: meeting it again means that it refers to itself.
    Underway,
    /// `None` if it has errors, which were reported.
    Done(Option<Arc<Fractal>>),
}

/// Checks fractals on demand, each once.
pub(super) struct Fractals<'s, 'a, 'e> {
    pub(super) scope: &'s Scope<'a>,
    pub(super) errors: &'e mut Vec<Diagnostic>,
    /// The bytes that domains may take.
    pub(super) memory: u64,
    checked: HashMap<DefId, Checked>,
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
    pub fn new(scope: &'s Scope<'a>, memory: u64, errors: &'e mut Vec<Diagnostic>) -> Self {
        Fractals { scope, errors, memory, checked: HashMap::new(), depth: 0 }
    }

    pub fn errors(&mut self) -> &mut Vec<Diagnostic> {
        self.errors
    }

    /// Checks all fractals of a module (of a shipped one only what others name) and gives those that are sound. If `only` one is wanted, masks
    /// and boxes wait until somebody names them.
    pub fn check_module(&mut self, module: usize, only: Option<&str>) -> Vec<Arc<Fractal>> {
        let items = &self.scope.modules[module].file.items;
        if self.scope.modules[module].shipped {
            return Vec::new();
        }
        let waits = |item: &Item| match (item, only) {
            (Item::Fractal(def), Some(only)) => {
                def.is_domain
                    && !def.parts.iter().any(|part| matches!(part, FractalPart::Base(_)))
                    && (module != ROOT || def.name.name != only)
            }
            _ => false,
        };
        let wanted = (0..items.len()).filter(|item| !waits(&items[*item]));
        wanted.filter_map(|item| self.check(DefId { module, item })).collect()
    }

    fn check(&mut self, id: DefId) -> Option<Arc<Fractal>> {
        let Item::Fractal(def) = self.scope.item(id) else { return None };
        if let Some(Checked::Done(fractal)) = self.checked.get(&id) {
            return fractal.clone();
        }
        self.checked.insert(id, Checked::Underway);
        self.depth += 1;
        let fractal = self.check_definition(id, def).map(Arc::new);
        self.depth -= 1;
        self.checked.insert(id, Checked::Done(fractal.clone()));
        fractal
    }

    fn check_definition(&mut self, id: DefId, def: &FractalDef) -> Option<Fractal> {
        if def.is_domain {
            return self.check_domain(id, def);
        }
        let parts = Parts::sort(def, self.errors);
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
                    Some(seed) => drawn(&patterns, seed.value as u64),
                    None => patterns,
                }
            }
            (None, None, None) => {
                // With a broken part there would be a false alarm: but a broken part makes the whole definition broken.
                self.errors.push(
                    Diagnostic::new(
                        format!("fractal `{}` says nothing about its replicas", def.name.name),
                        def.name.span,
                        "needs one of `replicas`, `pattern` and `levels`",
                    )
                    .help("write `replicas { 0: (0, 0)  1: (0, 1) }`, `pattern { #. ## }` or `levels [vicsek, candy]`"),
                );
                return None;
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
                self.errors.push(
                    Diagnostic::new(
                        format!("fractal `{}` is described twice", def.name.name),
                        spans[1],
                        "described again here",
                    )
                    .also(spans[0], "first described here")
                    .help("keep one of `replicas`, `pattern` and `levels`"),
                );
                return None;
            }
        };
        if self.errors.len() > before {
            return None;
        }
        let dimension = patterns[0].dimension;
        Some(Fractal {
            name: def.name.name.clone(),
            doc: def.doc.clone(),
            dimension,
            patterns,
            periodic: Axes::NONE,
            extent: None,
        })
    }

    fn pattern(
        &mut self,
        def: &FractalDef,
        dimension: Dimension,
        scale: u32,
        replicas: Vec<[u32; 3]>,
        span: Span,
    ) -> Option<Arc<Pattern>> {
        if replicas.len() < 2 {
            self.errors.push(
                Diagnostic::new(
                    format!("fractal `{}` has a single replica", def.name.name),
                    span,
                    "k = 1 gives one cell at every level",
                )
                .help("a fractal needs at least 2 replicas"),
            );
            return None;
        }
        Some(Arc::new(Pattern { name: def.name.name.clone(), dimension, scale, replicas }))
    }

    /// The patterns of a mixed fractal: those of the named ones, one after another, finest first.
    fn patterns_of_levels(
        &mut self,
        id: DefId,
        list: &[LevelEntry],
        span: Span,
        parts: &Parts,
    ) -> Option<Vec<Arc<Pattern>>> {
        let never = list.iter().find_map(never_repeated);
        if let Some(times) = never {
            self.errors.push(
                Diagnostic::new(format!("a level repeated {} times", times), times.span, "must be 1 or more")
                    .help("write `levels [vicsek * 2, sierpinski_carpet]`"),
            );
            return None;
        }
        let names = flatten(list);
        if names.is_empty() {
            self.errors.push(
                Diagnostic::new("the list of levels is empty", span, "names no fractal")
                    .help("name at least one: `levels [vicsek, sierpinski_carpet]`, finest level first"),
            );
            return None;
        }
        if let Some(number) = parts.scale {
            self.errors.push(
                Diagnostic::new("a mixed fractal has no scale of its own", number.span, "not valid beside `levels`")
                    .help("remove `scale`: each level has the scale of the fractal that it names"),
            );
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
                self.errors.push(
                    Diagnostic::new(
                        format!("a mixed fractal needs one dimension: `{}` is {axes}-D", name.name),
                        name.span,
                        format!("{axes}-D"),
                    )
                    .also(first.span, format!("{}-D", pattern.dimension.axes()))
                    .help("all levels must be 2-D, or all 3-D"),
                );
                sound = false;
                continue;
            }
            if patterns.len() + fractal.patterns.len() > MOST_LEVELS {
                self.errors.push(
                    Diagnostic::new(
                        format!("more than {MOST_LEVELS} levels in one list"),
                        name.span,
                        "too long with the levels of this one",
                    )
                    .help("the list is repeated from its start when a level needs more; no level beyond 63 ever fits"),
                );
                return None;
            }
            first.get_or_insert(name);
            patterns.extend(fractal.patterns.iter().cloned());
        }
        if let (Some(number), Some(pattern)) = (parts.dimension, patterns.first())
            && number.value != pattern.dimension.axes() as i64
        {
            self.errors.push(
                Diagnostic::new(
                    format!("the levels are {}-D", pattern.dimension.axes()),
                    number.span,
                    "another dimension is given here",
                )
                .help("remove `dimension`: a mixed fractal has that of its levels"),
            );
            sound = false;
        }
        sound.then_some(patterns)
    }

    pub(super) fn resolve(&mut self, user: DefId, name: &Ident) -> Option<Arc<Fractal>> {
        let id = match self.scope.find(user.module, DefKind::Fractal, name) {
            Ok(id) => id,
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        if let Item::Fractal(FractalDef { is_domain: true, .. }) = self.scope.item(id) {
            self.errors.push(
                Diagnostic::new(format!("`{}` is a domain", name.name), name.span, "must be a fractal")
                    .help("name the fractal that the domain is made of"),
            );
            return None;
        }
        if let Some(Checked::Underway) = self.checked.get(&id) {
            self.errors.push(
                Diagnostic::new(
                    format!("fractal `{}` is made of itself", name.name),
                    name.span,
                    "this name leads back to its own definition",
                )
                .help("`levels` must name fractals that are defined by `replicas` or `pattern` in the end"),
            );
            return None;
        }
        if self.depth == DEEPEST_REFERENCE {
            self.errors.push(Diagnostic::new(
                format!("`levels` refer to each other more than {DEEPEST_REFERENCE} deep"),
                name.span,
                "too deep here",
            ));
            return None;
        }
        self.check(id)
    }
}

/// The parts of a definition, each at most once.
#[derive(Default)]
struct Parts<'d> {
    dimension: Option<&'d Number>,
    scale: Option<&'d Number>,
    replicas: Option<(&'d [ReplicaEntry], Span)>,
    picture: Option<(&'d [Plane], Span)>,
    levels: Option<(&'d [LevelEntry], Span)>,
    seed: Option<&'d Number>,
}

impl<'d> Parts<'d> {
    fn sort(def: &'d FractalDef, errors: &mut Vec<Diagnostic>) -> Self {
        let mut parts = Parts::default();
        let mut places: HashMap<&str, Span> = HashMap::new();
        let mut once = |what: &'static str, span: Span| match places.get(what) {
            Some(&first) => {
                let error = Diagnostic::new(format!("`{what}` is given twice"), span, "again here");
                errors.push(error.also(first, "first given here").help("keep one"));
                false
            }
            None => places.insert(what, span).is_none(),
        };
        for part in &def.parts {
            let span = part.span();
            match part {
                FractalPart::Dimension(number) if once("dimension", span) => parts.dimension = Some(number),
                FractalPart::Scale(number) if once("scale", span) => parts.scale = Some(number),
                FractalPart::Replicas { entries, .. } if once("replicas", span) => {
                    parts.replicas = Some((entries, span))
                }
                FractalPart::Picture { planes, .. } if once("pattern", span) => parts.picture = Some((planes, span)),
                FractalPart::Levels { list, seed, .. } if once("levels", span) => {
                    parts.levels = Some((list, span));
                    parts.seed = seed.as_ref();
                }
                // Those of domains are sorted elsewhere.
                _ => {}
            }
        }
        parts
    }

    fn dimension_and_scale(&self, def: &FractalDef, errors: &mut Vec<Diagnostic>) -> Option<(Dimension, u32)> {
        let dimension = match self.dimension {
            None => Some(Dimension::Two),
            Some(number) => match number.value {
                2 => Some(Dimension::Two),
                3 => Some(Dimension::Three),
                _ => {
                    errors.push(
                        Diagnostic::new(format!("dimension {number} is not possible"), number.span, "must be 2 or 3")
                            .help("write `dimension 3`, or nothing for 2"),
                    );
                    None
                }
            },
        };
        let scale = match self.scale {
            None => {
                errors.push(
                    Diagnostic::new(
                        format!("fractal `{}` has no scale", def.name.name),
                        def.name.span,
                        "`scale` is missing",
                    )
                    .help("write `scale 3` for replicas placed on a grid of side 3"),
                );
                None
            }
            Some(number) if !(2..=LARGEST_SCALE).contains(&number.value) => {
                errors.push(
                    Diagnostic::new(
                        format!("scale {number} is not possible"),
                        number.span,
                        format!("must be from 2 to {LARGEST_SCALE}"),
                    )
                    .help("the scale is the factor by which the side grows from level to level"),
                );
                None
            }
            Some(number) => Some(number.value as u32),
        };
        dimension.zip(scale)
    }
}

fn replicas_of_table(
    entries: &[ReplicaEntry],
    span: Span,
    dimension: Dimension,
    scale: u32,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<[u32; 3]>> {
    if entries.is_empty() {
        errors.push(
            Diagnostic::new("the table of replicas is empty", span, "no replica")
                .help("write at least two: `replicas { 0: (0, 0)  1: (0, 1) }`"),
        );
        return None;
    }
    let before = errors.len();
    let axes = dimension.axes();
    let mut by_id: HashMap<i64, Span> = HashMap::new();
    let mut by_place: HashMap<[u32; 3], (i64, Span)> = HashMap::new();
    let mut replicas = vec![None; entries.len()];
    for entry in entries {
        let id = entry.id.value;
        if let Some(&first) = by_id.get(&id) {
            errors.push(
                Diagnostic::new(format!("replica {} is given twice", entry.id), entry.id.span, "again here")
                    .also(first, "first given here")
                    .help("every replica has its own number"),
            );
        } else {
            by_id.insert(id, entry.id.span);
            if !(0..entries.len() as i64).contains(&id) {
                errors.push(
                    Diagnostic::new(
                        format!("replica number {} is out of order", entry.id),
                        entry.id.span,
                        format!("{} replicas are numbered 0 to {}", entries.len(), entries.len() - 1),
                    )
                    .help("replicas are numbered from 0 without gaps, in any order"),
                );
            }
        }
        let Some(place) = place_of(entry, axes, scale, errors) else { continue };
        if let Some(&(other, first)) = by_place.get(&place) {
            errors.push(
                Diagnostic::new(
                    format!("replicas {other} and {id} have the same place"),
                    entry.place_span,
                    "taken already",
                )
                .also(first, format!("replica {other} is here"))
                .help("replicas must not overlap"),
            );
        } else {
            by_place.insert(place, (id, entry.place_span));
        }
        if let Some(slot) = usize::try_from(id).ok().and_then(|id| replicas.get_mut(id)) {
            *slot = Some(place);
        }
    }
    if errors.len() > before { None } else { replicas.into_iter().collect() }
}

fn place_of(entry: &ReplicaEntry, axes: usize, scale: u32, errors: &mut Vec<Diagnostic>) -> Option<[u32; 3]> {
    if entry.place.len() != axes {
        let error = Diagnostic::new(
            format!("a place with {} coordinates in a {axes}-D fractal", entry.place.len()),
            entry.place_span,
            format!("needs {axes} coordinates"),
        );
        errors.push(if axes == 2 && entry.place.len() == 3 {
            error.help("for a 3-D fractal, write `dimension 3` before the replicas")
        } else {
            error.help(if axes == 2 { "write `(x, y)`" } else { "write `(x, y, z)`" })
        });
        return None;
    }
    let mut place = [0; 3];
    let mut sound = true;
    for (axis, number) in entry.place.iter().enumerate() {
        if (0..i64::from(scale)).contains(&number.value) {
            place[axis] = number.value as u32;
        } else {
            errors.push(
                Diagnostic::new(
                    format!("replica {} lies outside the scale", entry.id),
                    number.span,
                    format!("must be from 0 to {}", scale - 1),
                )
                .help(format!("with `scale {scale}`, coordinates run from 0 to {}", scale - 1)),
            );
            sound = false;
        }
    }
    sound.then_some(place)
}

fn replicas_of_picture(
    planes: &[Plane],
    span: Span,
    dimension: Dimension,
    scale: u32,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<[u32; 3]>> {
    if planes.iter().all(|plane| plane.rows.is_empty()) {
        errors.push(
            Diagnostic::new("the pattern is empty", span, "no rows")
                .help(format!("draw {scale} rows of {scale} characters: `#` for a replica, `.` for a hole")),
        );
        return None;
    }
    let wanted = if dimension == Dimension::Three { scale as usize } else { 1 };
    if planes.len() != wanted {
        let error = Diagnostic::new(
            format!("the pattern has {}, not {}", counted(planes.len(), "picture"), wanted),
            span,
            if wanted == 1 {
                "a 2-D pattern is one picture".to_owned()
            } else {
                format!("needs one picture per z, {wanted} in all")
            },
        );
        errors.push(if wanted == 1 {
            error.help("for a 3-D fractal, write `dimension 3` before the pattern")
        } else {
            error.help("separate the pictures by lines of dashes")
        });
        return None;
    }
    let before = errors.len();
    for plane in planes {
        check_square(plane, scale, errors);
    }
    if errors.len() > before {
        return None;
    }
    let mut drawn: Vec<Drawn> = Vec::new();
    for (z, plane) in planes.iter().enumerate() {
        for (y, row) in plane.rows.iter().enumerate() {
            for (x, character) in row.text.bytes().enumerate() {
                if character != b'.' {
                    let start = row.span.start + x as u32;
                    let span = Span { start, end: start + 1, ..row.span };
                    drawn.push(Drawn { place: [x as u32, y as u32, z as u32], character, span });
                }
            }
        }
    }
    if drawn.is_empty() {
        errors.push(
            Diagnostic::new("the pattern is empty", span, "only holes").help("draw a replica as `#`, a hole as `.`"),
        );
        return None;
    }
    number_drawn(drawn, errors)
}

/// A replica in a picture.
struct Drawn {
    place: [u32; 3],
    character: u8,
    span: Span,
}

/// The places in the order of the replicas: reading order for `#`, the order of the characters for `0`–`9 a`–`z`.
fn number_drawn(drawn: Vec<Drawn>, errors: &mut Vec<Diagnostic>) -> Option<Vec<[u32; 3]>> {
    let hashes = drawn.iter().filter(|drawn| drawn.character == b'#').count();
    if hashes == drawn.len() {
        return Some(drawn.into_iter().map(|drawn| drawn.place).collect());
    }
    if hashes > 0 {
        let hash = drawn.iter().find(|drawn| drawn.character == b'#').map(|drawn| drawn.span);
        let digit = drawn.iter().find(|drawn| drawn.character != b'#').map(|drawn| drawn.span);
        if let (Some(hash), Some(digit)) = (hash, digit) {
            errors.push(
                Diagnostic::new(
                    "the pattern mixes `#` with numbered replicas",
                    hash.max(digit),
                    "does not fit to the others",
                )
                .also(hash.min(digit), "the other kind")
                .help("draw all replicas as `#` (numbered in reading order), or number all of them `0`–`9`, `a`–`z`"),
            );
        }
        return None;
    }
    let before = errors.len();
    let mut replicas = vec![None; drawn.len()];
    let mut first: HashMap<u8, Span> = HashMap::new();
    for Drawn { place, character, span } in drawn {
        let id = usize::from(if character.is_ascii_digit() { character - b'0' } else { character - b'a' + 10 });
        let shown = char::from(character);
        if let Some(&first) = first.get(&character) {
            errors.push(
                Diagnostic::new(format!("replica `{shown}` is drawn twice"), span, "again here")
                    .also(first, "first drawn here")
                    .help("every replica has its own number"),
            );
        } else if id >= replicas.len() {
            errors.push(
                Diagnostic::new(
                    format!("replica number `{shown}` ({id}) is out of order"),
                    span,
                    format!("{} replicas are numbered 0 to {}", replicas.len(), replicas.len() - 1),
                )
                .help("replicas are numbered from 0 without gaps: `0`–`9`, then `a`–`z`"),
            );
        } else {
            replicas[id] = Some(place);
        }
        first.entry(character).or_insert(span);
    }
    if errors.len() > before { None } else { replicas.into_iter().collect() }
}

fn check_square(plane: &Plane, scale: u32, errors: &mut Vec<Diagnostic>) {
    let side = scale as usize;
    if plane.rows.len() != side {
        errors.push(
            Diagnostic::new(
                format!("a picture with {}, not {side}", counted(plane.rows.len(), "row")),
                plane.span,
                format!("`scale {scale}` needs {side} rows"),
            )
            .help(format!("draw {side} rows of {side} characters, or change `scale`")),
        );
    }
    for row in &plane.rows {
        let width = row.text.chars().count();
        if width != side {
            errors.push(
                Diagnostic::new(
                    format!("a row with {}, not {side}", counted(width, "character")),
                    row.span,
                    format!("`scale {scale}` needs {side} characters"),
                )
                .help(format!("draw {side} rows of {side} characters, or change `scale`")),
            );
        }
        check_characters(row, errors);
    }
}

fn check_characters(row: &Row, errors: &mut Vec<Diagnostic>) {
    for (offset, character) in row.text.char_indices() {
        if !matches!(character, '#' | '.' | '0'..='9' | 'a'..='z') {
            let start = row.span.start + offset as u32;
            let span = Span { start, end: start + character.len_utf8() as u32, ..row.span };
            errors.push(
                Diagnostic::new(
                    format!("`{}` means nothing in a picture", character.escape_default()),
                    span,
                    "not valid here",
                )
                .help("draw a replica as `#` (or `0`–`9`, `a`–`z` to fix the order), a hole as `.`"),
            );
        }
    }
}

/// "1 row", "2 rows".
pub(super) fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
