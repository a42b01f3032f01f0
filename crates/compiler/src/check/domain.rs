//! Checks domains: fractals with other edges, masks and boxes.

use super::cells::cells_of;
use super::fractal::{Fractals, seed_of};
use super::modules::of_text;
use super::names::{DefId, given_twice, once};
use super::places;
use super::rule::check_rule;
use crate::geometry::bitmap::Bitmap;
use crate::ir::{Axes, Dimension, Edge, Fractal, FractalParts, Neighbourhood, Pattern, Places, Rule};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{
    ConstDef, ConstType, ConstValue, DefKind, Expr, ExprKind, FractalDef, FractalPart, FractalPartKind, Ident,
    ItemKind, KeptCells, MaskThreshold, Number, RuleDef, RuleItem, RuleItemKind, SignedAxisDef, TypeName, TypeNameKind,
    UnaryOperator,
};
use std::sync::Arc;

/// The most bytes that a place of a box may take, with the tables that find and number cells: two bits of tables, a bit of the mask itself and of
/// bitmaps made of it.
const BYTES_A_PLACE: f64 = 0.625;
/// Bytes that it may take beside them while components are joined.
const BYTES_OF_COMPONENTS: f64 = 5.0;
/// Of a box without holes, which has no tables: the smallest state that a rule may have.
const BYTES_WITHOUT_HOLES: f64 = 0.125;
/// Places of such a box that rules may have whose states keep their last lines alone: as many as stretches of rows can be numbered. Each rule is judged when it
/// runs.
const MOST_WITHOUT_HOLES: u64 = 1 << 41;
/// The state that `cells` gives a value.
pub(super) const STATE: &str = "is_cell";

/// Help for a mask's file of which every place is a cell, or none.
const HELP_OF_MASK: &str = "dark pixels are cells, and values of an array that are not 0; `above N` or `below N` behind the file takes those that \
                            are greater or smaller than N";

/// The parts of a domain.
#[derive(Default)]
struct DomainItems<'d> {
    fractal: Option<&'d Ident>,
    mask: Option<(&'d str, Option<&'d MaskThreshold>, Span)>,
    size: Option<(Option<&'d [Number]>, Span)>,
    params: Vec<(&'d Ident, &'d TypeName, &'d Expr)>,
    cells: Option<&'d Expr>,
    seed: Option<&'d Number>,
    periodic: Option<(&'d [Ident], Span)>,
    /// `keep` and `invert`, in the order of the text.
    changes: Vec<&'d FractalPart>,
    edges: Vec<(&'d Ident, &'d Expr, Option<&'d SignedAxisDef>, Span)>,
}

impl<'d> DomainItems<'d> {
    fn sort(def: &'d FractalDef, errors: &mut Vec<Diagnostic>) -> Self {
        let mut parts = DomainItems::default();
        let mut once = once(errors);
        for part in &def.parts {
            let span = part.span;
            match &part.kind {
                FractalPartKind::Base(name) if once("fractal", span) => parts.fractal = Some(name),
                FractalPartKind::Mask { path, threshold } if once("mask", span) => {
                    parts.mask = Some((path, threshold.as_ref(), span));
                }
                FractalPartKind::Size(numbers) if once("size", span) => {
                    parts.size = Some((numbers.as_deref(), span));
                }
                FractalPartKind::Cells(value) if once("cells", span) => parts.cells = Some(value),
                FractalPartKind::Seed(number) if once("seed", span) => parts.seed = Some(number),
                FractalPartKind::Periodic(axes) if once("periodic", span) => parts.periodic = Some((axes, span)),
                FractalPartKind::Edge { name, value, side } => parts.edges.push((name, value, side.as_ref(), span)),
                FractalPartKind::Keep(_) | FractalPartKind::Invert => parts.changes.push(part),
                FractalPartKind::Param { name, ty, value } => parts.params.push((name, ty, value)),
                // Parts of fractals are sorted elsewhere.
                _ => {}
            }
        }
        parts
    }

    /// The part about cells that contradicts the domain's fractal or mask, which has its cells already.
    fn out_of_place(&self) -> Option<(&'static str, Span)> {
        let cells = self.cells.map(|value| ("cells", value.span));
        let cells = cells.or(self.seed.map(|seed| ("seed", seed.span)));
        let cells = cells.or(self.params.first().map(|(name, ..)| ("param", name.span)));
        let size = self.size.map(|(_, span)| ("size", span));
        let changes = self.changes.first().map(|part| {
            let word = if part.kind == FractalPartKind::Invert { "invert" } else { "keep" };
            (word, part.span)
        });
        match (self.fractal, self.mask) {
            (Some(_), _) => self.mask.map(|(.., span)| ("mask", span)).or(size).or(cells).or(changes),
            (None, Some(_)) => size.or(cells),
            (None, None) => None,
        }
    }
}

/// A literal as flags give it: a number without `_`, `true`, `false` or a name.
fn literal(value: &Expr) -> Option<String> {
    Some(match &value.kind {
        ExprKind::Int(digits) => {
            crate::ir::whole(digits).map_or_else(|| digits.replace('_', ""), |number| number.to_string())
        }
        ExprKind::Float(digits) => digits.replace('_', ""),
        ExprKind::Bool(bit) => bit.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Unary { op: UnaryOperator::Negate, operand }
            if matches!(operand.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Name(_)) =>
        {
            format!("-{}", literal(operand)?)
        }
        _ => return None,
    })
}

/// A value that is set by text, as it is written in a program; whole numbers are floats where these are wanted.
fn set_value(text: &str, is_float: bool, span: Span) -> Option<ExprKind> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_whole = digits.starts_with(|first: char| first.is_ascii_digit()) && crate::ir::whole(digits).is_some();
    let number = match text {
        "true" | "false" => return Some(ExprKind::Bool(text == "true")),
        _ if is_whole && !is_float => ExprKind::Int(digits.to_owned()),
        _ if is_float && digits.starts_with(|first: char| first.is_ascii_digit()) => {
            let value: f64 = digits.parse().ok()?;
            ExprKind::Float(format!("{value:e}"))
        }
        _ => return None,
    };
    Some(match digits.len() == text.len() {
        true => number,
        false => ExprKind::Unary { op: UnaryOperator::Negate, operand: Box::new(Expr { kind: number, span }) },
    })
}

impl Fractals<'_, '_, '_> {
    /// A domain: a fractal that is named, a mask or a box, with what is said of its edges.
    pub(super) fn check_domain(&mut self, id: DefId, def: &FractalDef) -> Option<Fractal> {
        let before = self.errors.len();
        let parts = DomainItems::sort(def, self.errors);
        if let Some((what, span)) = parts.out_of_place() {
            let of = if parts.fractal.is_some() { "fractal" } else { "mask" };
            let error = Diagnostic::new(format!("`{what}` beside `{of}`"), span, "not valid here");
            return error
                .help(if of == "fractal" {
                    "a fractal has its own cells: only `periodic` and `edge` may stand beside it"
                } else {
                    "a mask has its own size and cells: `keep`, `invert`, `periodic` and `edge` may stand beside it"
                })
                .fail(self.errors);
        }
        let fractal = match (parts.fractal, parts.mask, parts.size) {
            (Some(name), ..) => {
                let fractal = self.resolve(id, name)?;
                let periodic = self.periodic(&parts, &name.name, fractal.dimension);
                Fractal(FractalParts {
                    name: def.name.name.clone(),
                    doc: def.doc.clone(),
                    periodic,
                    ..fractal.0.clone()
                })
            }
            (None, None, None) => {
                let message = format!("domain `{}` says nothing about its cells", def.name.name);
                return Diagnostic::new(message, def.name.span, "needs one of `fractal`, `mask` and `size`")
                    .help("write `fractal full_square  periodic`, `mask \"rock.png\"` or `size (100, 60)`")
                    .fail(self.errors);
            }
            (None, mask, size) => {
                let (dimension, extent, bitmap, drawn, span) = match (mask, size) {
                    (Some((path, threshold, span)), _) => {
                        let key = (path.to_owned(), threshold.and_then(of_text));
                        let bitmap = match self.scope.modules[id.module].masks.get(&key)? {
                            Ok(bitmap) => bitmap,
                            Err(error) => return error.clone().fail(self.errors),
                        };
                        self.fits(bitmap.extent, &parts, span)?;
                        self.tell_uniform(path, bitmap, span);
                        (bitmap.dimension, bitmap.extent, Some(Bitmap::clone(bitmap)), false, span)
                    }
                    (None, size) => {
                        let (numbers, span) = size?;
                        let (dimension, extent) = match numbers {
                            Some(numbers) => self.sized(numbers, span)?,
                            None => self.sized_by_inputs(&def.name.name, span)?,
                        };
                        self.fits(extent, &parts, span)?;
                        let (cells, drawn) = self.cells(id, def, &parts, dimension, extent)?;
                        let extent = cells.as_ref().map_or(extent, |cells| cells.extent);
                        (dimension, extent, cells, drawn, span)
                    }
                };
                let periodic = self.periodic(&parts, &def.name.name, dimension);
                let places = match bitmap {
                    None if parts.changes.is_empty() => Places::all(extent),
                    bitmap => {
                        let mut bitmap = bitmap.unwrap_or_else(|| {
                            let mut all = Bitmap::empty(dimension, extent);
                            all.fill(0, all.places(), true);
                            all
                        });
                        for change in &parts.changes {
                            self.change(id, &mut bitmap, periodic, change)?;
                        }
                        Places::new(extent, bitmap.into_words())
                    }
                };
                let places = if drawn { places.drawn() } else { places };
                self.numbered(def, dimension, places, periodic, span)?
            }
        };
        let edges = self.edges(&parts, &fractal);
        (self.errors.len() == before).then_some(Fractal(FractalParts { edges, ..fractal.0 }))
    }

    /// Warns of a mask whose places are all alike: its file was probably meant otherwise.
    fn tell_uniform(&mut self, path: &str, bitmap: &Bitmap, span: Span) {
        let places = bitmap.places();
        if places == 1 {
            return;
        }
        let first = bitmap.contains(0);
        if bitmap.next(0, places, !first) < places {
            return;
        }
        let (what, density) = if first { ("a cell", "1") } else { ("a hole", "0") };
        let message = format!("every place of the mask `{path}` is {what}");
        let warning = Diagnostic::new(message, span, format!("its density is {density}"));
        self.warnings.push(warning.help(HELP_OF_MASK).into_warning("uniform_mask"));
    }

    /// The values beyond the edges, by state. A rule is needed to know which states there are.
    fn edges(&mut self, parts: &DomainItems<'_>, fractal: &Fractal) -> Vec<Edge> {
        // A domain that is made of another one has its edges, unless it says something else of the same state.
        let mut edges: Vec<Edge> = Vec::new();
        let mut said: Vec<Span> = Vec::new();
        for &(name, value, side, span) in &parts.edges {
            if fractal.periodic == Axes::of(fractal.dimension) {
                let message = format!("`{}` is periodic along all its axes", fractal.name);
                let error = Diagnostic::new(message, span, "there is no edge");
                self.errors.push(error.help("leave out the edge, or name the axes that are periodic: `periodic x`"));
                return Vec::new();
            }
            let side = match side {
                None => None,
                Some(signed) => match self.side(signed, fractal) {
                    Some(side) => Some(side),
                    None => continue,
                },
            };
            if let Some(first) = edges.iter().position(|known| known.name == name.name && known.side == side) {
                let at = side.map_or_else(String::new, |side| format!(" at {}", Edge::side_name(side)));
                let twice = given_twice(&format!("the edge of `{}`{at}", name.name), span, said[first]);
                self.errors.push(twice.help("keep one"));
                continue;
            }
            let Some(text) = literal(value) else {
                let error = Diagnostic::new("the value of an edge is computed", value.span, "not a literal");
                let help = "write a number, `true`, `false`, the name of a variant, or `reflect`";
                self.errors.push(error.help(help));
                continue;
            };
            let source = self.sources.get(span.source);
            let (line, column) = self.sources.line_column(span.source, span.start);
            let place = format!("{}:{line}:{column}", source.name);
            edges.push(Edge { name: name.name.clone(), value: text, side, place });
            said.push(span);
        }
        let inherited = fractal.edges.iter().filter(|known| !edges.iter().any(|edge| edge.replaces(known)));
        inherited.cloned().collect::<Vec<_>>().into_iter().chain(edges).collect()
    }

    /// The side of a domain that an axis and its sign name, if it has an edge.
    fn side(&mut self, signed: &SignedAxisDef, fractal: &Fractal) -> Option<usize> {
        let axis = self.axis(&signed.axis, &fractal.name, fractal.dimension)?;
        if fractal.periodic.0[axis] {
            let message = format!("`{}` is periodic along {}", fractal.name, signed.axis.name);
            let error = Diagnostic::new(message, signed.span, "its sides are joined: there is no edge");
            return error.help("leave out the edge, or join the sides of other axes").fail(self.errors);
        }
        Some(2 * axis + usize::from(!signed.backwards))
    }

    fn periodic(&mut self, parts: &DomainItems<'_>, name: &str, dimension: Dimension) -> Axes {
        let mut periodic =
            if parts.periodic.is_some_and(|(axes, _)| axes.is_empty()) { Axes::of(dimension) } else { Axes::NONE };
        for axis in parts.periodic.map_or(&[][..], |(axes, _)| axes) {
            let Some(number) = self.axis(axis, name, dimension) else { continue };
            if std::mem::replace(&mut periodic.0[number], true) {
                let error = Diagnostic::new(format!("`{}` is named twice", axis.name), axis.span, "again here");
                self.errors.push(error.help("name every axis once, or none for all"));
            }
        }
        periodic
    }

    /// The number of an axis, if the space has it.
    fn axis(&mut self, axis: &Ident, name: &str, dimension: Dimension) -> Option<usize> {
        let number = Axes::NAMES.iter().position(|name| *name == axis.name)?;
        if number < dimension.axes() {
            return Some(number);
        }
        let message = format!("`{name}` is {}-D and has no axis `{}`", dimension.axes(), axis.name);
        let error = Diagnostic::new(message, axis.span, "there is no such axis");
        let axes = if dimension == Dimension::One { "its axis is `x`" } else { "its axes are `x` and `y`" };
        error.help(axes).fail(self.errors)
    }

    /// Whether a box of this extent can be held; nothing was allocated for it yet.
    fn fits(&mut self, extent: [u32; 3], parts: &DomainItems<'_>, span: Span) -> Option<()> {
        let places = extent.iter().map(|side| u128::from(*side)).product::<u128>();
        if places > 1 << 63 {
            return Diagnostic::new("a box of more than 2^63 places", span, "too large").fail(self.errors);
        }
        let joined = parts.changes.iter().any(|change| matches!(change.kind, FractalPartKind::Keep(_)));
        let has_holes = parts.mask.is_some() || parts.cells.is_some() || !parts.changes.is_empty();
        let bytes_a_place = match (joined, has_holes) {
            (true, _) => BYTES_A_PLACE + BYTES_OF_COMPONENTS,
            (false, true) => BYTES_A_PLACE,
            (false, false) => BYTES_WITHOUT_HOLES,
        };
        let memory = (self.asked.memory as f64 / bytes_a_place) as u64;
        let memory = if joined || has_holes { memory } else { memory.max(MOST_WITHOUT_HOLES) };
        // The runs of components have numbers of 32 bits, and so have the cells of each.
        let most = if joined { memory.min(u32::MAX.into()) } else { memory };
        if places > u128::from(most) {
            let bytes = (places as f64 * bytes_a_place) as u128;
            let error =
                Diagnostic::new(format!("a box of {places} places takes about {bytes} bytes"), span, "too large");
            return error
                .help(match most < memory {
                    true => format!("`keep` is for at most {most} places"),
                    false => format!("here {most} places fit"),
                })
                .fail(self.errors);
        }
        Some(())
    }

    /// The dimension and the extent that a `size` gives.
    fn sized(&mut self, numbers: &[Number], span: Span) -> Option<(Dimension, [u32; 3])> {
        let dimension = match numbers.len() {
            2 => Dimension::Two,
            3 => Dimension::Three,
            count => {
                let error = Diagnostic::new(format!("a size of {count} numbers"), span, "must be two or three");
                return error.help("write `size (width, height)` or `size (width, height, depth)`").fail(self.errors);
            }
        };
        let mut extent = [1; 3];
        for (side, number) in extent.iter_mut().zip(numbers) {
            *side = u32::try_from(number.value).unwrap_or(0);
            if *side == 0 || i32::try_from(*side).is_err() {
                let error = Diagnostic::new(format!("a side of {number} places"), number.span, "not possible");
                return error.help(format!("sides are whole numbers from 1 to {}", i32::MAX)).fail(self.errors);
            }
        }
        Some((dimension, extent))
    }

    /// The same of `size inputs`. Where texts are only checked, a single cell stands for a domain whose inputs are not known.
    fn sized_by_inputs(&mut self, name: &str, span: Span) -> Option<(Dimension, [u32; 3])> {
        let Some(sides) = &self.asked.inputs else {
            if self.asked.most_places < u64::MAX {
                return Some((Dimension::Two, [1; 3]));
            }
            let message = format!("`{name}` is as long as the inputs of a rule, and none are given");
            let help = "`--rule RULE --input NAME=FILE` gives them; `size (width, height)` needs none";
            return Diagnostic::new(message, span, "not known").help(help).fail(self.errors);
        };
        let dimension = if sides.len() > 2 { Dimension::Three } else { Dimension::Two };
        let mut extent = [1; 3];
        for (to, side) in extent.iter_mut().zip(sides) {
            *to = i32::try_from(*side).map_or(0, i32::unsigned_abs);
        }
        if extent.contains(&0) {
            let message = format!("inputs of more than {} values", i32::MAX);
            return Diagnostic::new(message, span, "too long for a side").fail(self.errors);
        }
        Some((dimension, extent))
    }

    /// The cells that `cells` says, if it is there, and whether it draws.
    fn cells(
        &mut self,
        id: DefId,
        def: &FractalDef,
        parts: &DomainItems<'_>,
        dimension: Dimension,
        extent: [u32; 3],
    ) -> Option<(Option<Bitmap>, bool)> {
        let places = extent.iter().map(|side| u64::from(*side)).product::<u64>();
        let is_unknown = self.asked.inputs.is_none() && parts.size.is_some_and(|(numbers, _)| numbers.is_none());
        let is_large = is_unknown || places > self.asked.most_places;
        let Some(value) = parts.cells else {
            if let Some(seed) = parts.seed {
                let error = Diagnostic::new("a seed without `cells`", seed.span, "nothing draws");
                self.errors.push(error.help("leave it out"));
            }
            if let Some((name, ..)) = parts.params.first() {
                let error = Diagnostic::new("a parameter without `cells`", name.span, "nothing depends on it");
                self.errors.push(error.help("leave it out"));
            }
            let waits = !parts.changes.is_empty() && is_large;
            return Some((waits.then(|| Bitmap::stand_in(dimension)), false));
        };
        let params = self.params_of_cells(def, parts)?;
        let rule = self.rule_of_cells(id, def, (value, params), extent)?;
        let of_disorder = !rule.disorder.is_empty();
        if let (true, Some(seed)) = (of_disorder, parts.seed) {
            let error = Diagnostic::new("`seed` beside `from disorder`", seed.span, "not the seed of these draws");
            return error.help("leave it out: a run gives the disorder seed, by `--disorder N`").fail(self.errors);
        }
        self.draws_disorder |= of_disorder;
        let seed = if of_disorder {
            self.asked.cells.disorder
        } else {
            parts.seed.map_or(Some(0), |seed| seed_of(seed, self.errors))?
        };
        if is_large {
            return Some((Some(Bitmap::stand_in(dimension)), false));
        }
        (self.asked.computes)(&def.name.name, places);
        let drawn = rule.init.nodes.iter().any(|node| node.op.draws());
        Some((Some(Bitmap::from_words(dimension, extent, cells_of(&rule, extent, seed))), drawn))
    }

    /// The parameters of a domain as constants, which have the values that were set.
    fn params_of_cells(&mut self, def: &FractalDef, parts: &DomainItems<'_>) -> Option<Vec<RuleItem>> {
        let mut items = Vec::new();
        for (name, ty, value) in &parts.params {
            // `--set NAME.z` is of a rule's vector.
            if name.name == "z" {
                return Diagnostic::new("`z` has a meaning already", name.span, "cannot be defined")
                    .help("x, y and z are the coordinates of a place, in the plane too: choose another name")
                    .coded("duplicate_name")
                    .fail(self.errors);
            }
            let mut value = Expr::clone(value);
            let TypeNameKind::Name(of) = &ty.kind else {
                let error = Diagnostic::new("a parameter of a domain that is an enum", ty.span, "not possible");
                return error.help("it is a bit or a number: `param p: f32 = 0.6`").fail(self.errors);
            };
            if let Some(text) = self.asked.cells.of(&def.name.name, &name.name) {
                let Some(kind) = set_value(text, matches!(of.as_str(), "f32" | "f64"), value.span) else {
                    let message = format!("`{}.{}` cannot be set to `{text}`", def.name.name, name.name);
                    let error = Diagnostic::new(message, name.span, format!("of type `{of}`")).coded("type");
                    return error.help("a value is a number, `true` or `false`").fail(self.errors);
                };
                value.kind = kind;
            }
            self.params.insert(format!("{}.{}", def.name.name, name.name));
            let ty = ConstType { element: TypeName::clone(ty), table: false, span: ty.span };
            let constant = ConstDef { name: Ident::clone(name), ty: Some(ty), value: ConstValue::Scalar(value) };
            items.push(RuleItem { kind: RuleItemKind::Const(constant), span: name.span });
        }
        Some(items)
    }

    /// A rule whose only state is true at first where an expression is.
    fn rule_of_cells(
        &mut self,
        id: DefId,
        def: &FractalDef,
        (value, params): (&Expr, Vec<RuleItem>),
        extent: [u32; 3],
    ) -> Option<Rule> {
        let before = self.errors.len();
        let name_of = |item: &'_ RuleItem| match &item.kind {
            RuleItemKind::Const(def) => def.name.name.clone(),
            _ => String::new(),
        };
        let names: Vec<String> = params.iter().map(name_of).collect();
        places::check(self.scope, id.module, names.iter().map(String::as_str).collect(), value, self.errors);
        if self.errors.len() > before {
            return None;
        }
        let span = value.span;
        let name = |name: &str| Ident { name: name.to_owned(), span };
        let item = |kind| RuleItem { kind, span };
        let constant = |(constant, side): (&str, u32)| {
            item(RuleItemKind::Const(ConstDef {
                name: name(constant),
                ty: None,
                value: ConstValue::Scalar(Expr { kind: ExprKind::Int(side.to_string()), span }),
            }))
        };
        let mut items: Vec<RuleItem> = ["width", "height", "depth"].into_iter().zip(extent).map(constant).collect();
        items.extend(params);
        let ty = TypeName { kind: TypeNameKind::Name("bit".to_owned()), span };
        items.push(item(RuleItemKind::State { name: name(STATE), ty, rolling: None }));
        items.push(item(RuleItemKind::Init { name: name(STATE), value: value.clone() }));
        let kept = Expr { kind: ExprKind::Name(STATE.to_owned()), span };
        items.push(item(RuleItemKind::Next { name: name(STATE), value: kept }));
        let rule = RuleDef { doc: String::new(), name: def.name.clone(), items };
        let rule = check_rule(self.scope, id.module, &rule, self.errors, &mut Vec::new())?;
        if self.errors.len() > before {
            return None;
        }
        Some(rule)
    }

    fn change(&mut self, id: DefId, bitmap: &mut Bitmap, periodic: Axes, change: &FractalPart) -> Option<()> {
        match &change.kind {
            // The single cell that stands for a large box stays a cell.
            FractalPartKind::Invert if bitmap.places() == 1 && self.asked.most_places < u64::MAX => {}
            FractalPartKind::Invert => bitmap.invert(),
            FractalPartKind::Keep(KeptCells::Largest(name, radius)) => {
                let offsets = self.offsets(id, name, radius.as_ref(), bitmap.dimension)?;
                bitmap.keep_largest(&offsets, periodic.0);
            }
            FractalPartKind::Keep(KeptCells::Spanning(axis)) => {
                let number = self.axis(axis, "the box", bitmap.dimension)?;
                if !bitmap.keep_spanning(number, periodic.0) {
                    let message = format!("no cells lead from one side to the other along `{}`", axis.name);
                    let error = Diagnostic::new(message, change.span, "nothing spans");
                    return error.help("take more cells, another seed or another axis").fail(self.errors);
                }
            }
            _ => {}
        }
        Some(())
    }

    fn offsets(
        &mut self,
        id: DefId,
        name: &Ident,
        radius: Option<&Number>,
        dimension: Dimension,
    ) -> Option<Vec<[i32; 3]>> {
        let number = radius.map_or(1, |radius| radius.value);
        if let Some(radius) = radius.filter(|_| !(1..=64).contains(&number)) {
            let error = Diagnostic::new(format!("a radius of {number}"), radius.span, "must be from 1 to 64");
            return error.fail(self.errors);
        }
        if let Some(built_in) = Neighbourhood::built_in(&name.name, number as u32) {
            return Some(built_in.offsets(dimension));
        }
        let found =
            self.scope.find(id.module, DefKind::Neighbourhood, name).map_err(|error| self.errors.push(*error)).ok()?;
        let ItemKind::Neighbourhood(list) = self.scope.item(found) else { return None };
        if let Some(radius) = radius {
            let error =
                Diagnostic::new(format!("`{}` is a list and has no radius", name.name), radius.span, "leave it out");
            return error.fail(self.errors);
        }
        let offset = |entry: &crate::text::syntax::ast::OffsetEntry| {
            let mut offset = [0; 3];
            offset
                .iter_mut()
                .zip(&entry.offset)
                .for_each(|(v, number)| *v = number.value.clamp(-(1 << 30), 1 << 30) as i32);
            offset
        };
        Some(list.offsets.iter().map(offset).collect())
    }

    /// The mask or the box with these cells.
    fn numbered(
        &mut self,
        def: &FractalDef,
        dimension: Dimension,
        places: Places,
        periodic: Axes,
        span: Span,
    ) -> Option<Fractal> {
        if places.cells() == 0 {
            let error = Diagnostic::new(format!("domain `{}` has no cell", def.name.name), span, "all are holes");
            let of_mask = def.parts.iter().any(|part| matches!(part.kind, FractalPartKind::Mask { .. }));
            return error
                .help(if of_mask { HELP_OF_MASK } else { "at least one place must be a cell" })
                .fail(self.errors);
        }
        let (name, scale) = (def.name.name.clone(), places.extent());
        let (replicas, places) = (Vec::new(), Some(Arc::new(places)));
        let patterns = vec![Arc::new(Pattern { name: name.clone(), dimension, scale, replicas, places })];
        Some(Fractal(FractalParts {
            name,
            doc: def.doc.clone(),
            dimension,
            patterns,
            periodic,
            extent: Some(scale),
            edges: Vec::new(),
        }))
    }
}
