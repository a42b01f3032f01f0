//! Syntax tree to text: `squeeze fmt`.
//!
//! The layout is Wadler's, by the `pretty` crate: a group stands on one line if it fits, else all its own breaks are
//! taken. Binary expressions break behind an operator and nothing else begins a line with `-`, `(` or `[` but what is
//! new there, so that no break changes the meaning.
//!
//! Comments are not in the tree but in a list. The printer walks the tree in the order of the text and, wherever a line
//! may end, lets out the comments that stand before what comes next ([`SyntaxPrinter::gap`]). A comment ends its line and so
//! breaks the groups around it. [`finish`] then settles what a layout of groups cannot know: where blank lines go.

mod expression;

use super::ast::{
    ColourDef, Comment, ConstDef, ConstValue, Expr, FractalDef, FractalPart, FractalPartKind, FunctionDef, Ident, Item,
    ItemKind, KeptCells, LevelEntry, MaskThreshold, NeighbourhoodDef, Number, OffsetEntry, OrderDef, PictureDef,
    PicturePlane, RuleDef, RuleItem, RuleItemKind, SignedAxisDef, SyntaxFile, TypeName, TypeNameKind,
};
use super::stack::{NO_STACK, on_large_stack};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::source::{SourceId, Sources};
use pretty::{Arena, DocAllocator, DocBuilder};
use std::cell::Cell;

/// Lines are at most this long, if the text allows it.
const WIDTH: usize = 100;
/// How far the inside of braces is moved to the right.
const INDENTATION: isize = 4;
/// A mark in the layout's result: an intended blank line. The language has no control characters, so this is free.
const BLANK_LINE: &str = "\u{2}";
/// A mark in the layout's result: a comment begins, with one blank before it unless it is first on its line.
const COMMENT: &str = "\u{3}";

/// Parses a text and lays it out anew. Meaning, comments and numbers stay as they are; single blank lines between
/// entries are kept. Formatting the result again gives the same text.
///
/// # Errors
/// The errors of [`parse`](super::parse()), if the text does not parse.
pub fn format(sources: &Sources, id: SourceId) -> Result<String, Vec<Diagnostic>> {
    let (file, diagnostics) = super::parse(sources, id);
    if diagnostics.is_empty() { print(&file, Some(&sources.get(id).text)) } else { Err(diagnostics) }
}

/// Lays out a tree. `text` is the text that it was parsed from, if any: it tells where blank lines stand and how numbers are
/// written.
///
/// # Errors
/// The system gives no stack on which the tree can be walked.
pub fn print(file: &SyntaxFile, text: Option<&str>) -> Result<String, Vec<Diagnostic>> {
    on_large_stack(|| {
        let arena = Arena::new();
        let printer = SyntaxPrinter::new(&arena, text, &file.comments);
        let mut raw = String::new();
        // Writing to a string cannot fail.
        let _ = printer.file(file).render_fmt(WIDTH, &mut raw);
        let no_stack = Diagnostic { of_system: true, ..Diagnostic::without_place(NO_STACK).coded("syntax") };
        if printer.exhausted.get() { Err(vec![no_stack]) } else { Ok(finish(&raw)) }
    })
}

/// An expression on one line, without its comments. The caller stands on a large stack, as all that walk a tree.
pub(crate) fn expression(expr: &Expr) -> String {
    let arena = Arena::new();
    let printer = SyntaxPrinter::new(&arena, None, &[]);
    let mut raw = String::new();
    // Writing to a string cannot fail.
    let _ = printer.value(expr).render_fmt(WIDTH, &mut raw);
    finish(&raw).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes all blank lines but the intended ones, keeps those away from brackets and from one another, and puts
/// comments one blank behind what stands before them.
fn finish(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut blank = false;
    let mut opened = true;
    for line in raw.lines() {
        if line.trim() == BLANK_LINE {
            blank = true;
            continue;
        }
        let (code, comment) = line.split_once(COMMENT).map_or((line, None), |(code, comment)| (code, Some(comment)));
        let bare = code.trim_end();
        if bare.is_empty() && comment.is_none() {
            continue;
        }
        if blank && !opened && !bare.trim_start().starts_with(['}', ')', ']']) {
            text.push('\n');
        }
        blank = false;
        opened = bare.ends_with(['{', '(', '[']);
        match comment {
            None => text.push_str(bare),
            Some(comment) if bare.is_empty() => text.extend([code, comment]),
            Some(comment) => text.extend([bare, " ", comment]),
        }
        text.push('\n');
    }
    text
}

type Doc<'a> = DocBuilder<'a, Arena<'a>>;

struct SyntaxPrinter<'a> {
    arena: &'a Arena<'a>,
    text: Option<&'a str>,
    comments: &'a [Comment],
    /// How many comments are out.
    printed: Cell<usize>,
    /// Whether something was left out for want of a stack.
    exhausted: Cell<bool>,
}

impl<'a> SyntaxPrinter<'a> {
    fn new(arena: &'a Arena<'a>, text: Option<&'a str>, comments: &'a [Comment]) -> SyntaxPrinter<'a> {
        SyntaxPrinter { arena, text, comments, printed: Cell::new(0), exhausted: Cell::new(false) }
    }

    fn string(&self, text: impl Into<String>) -> Doc<'a> {
        self.arena.text(text.into())
    }

    fn nothing(&self) -> Doc<'a> {
        self.arena.nil()
    }

    /// The next comment, if it begins before `limit` and is wanted.
    fn next_comment(&self, limit: u32, wanted: impl Fn(&Comment) -> bool) -> Option<&'a Comment> {
        let comment = self.comments.get(self.printed.get())?;
        if comment.span.start >= limit || !wanted(comment) {
            return None;
        }
        self.printed.set(self.printed.get() + 1);
        Some(comment)
    }

    /// The comments that begin before `limit`: the first behind what was printed last, if it stood so, the others on
    /// lines of their own. If there are any, a line ends behind the last.
    fn gap(&self, limit: u32) -> Doc<'a> {
        self.trailing(limit).append(self.leading(limit))
    }

    /// The comment that stands behind something on its line, if it begins before `limit`.
    fn trailing(&self, limit: u32) -> Doc<'a> {
        match self.next_comment(limit, |comment| !comment.own_line) {
            Some(comment) => self.comment(comment).append(self.arena.hardline()),
            None => self.nothing(),
        }
    }

    /// The comments that begin before `limit`, on lines of their own.
    fn leading(&self, limit: u32) -> Doc<'a> {
        let mut doc = self.nothing();
        let mut any = false;
        while let Some(comment) = self.next_comment(limit, |_| true) {
            doc = doc.append(self.arena.hardline());
            if comment.own_line && self.blank_line_before(comment.span.start) {
                doc = doc.append(self.blank_line());
            }
            doc = doc.append(self.comment(comment));
            any = true;
        }
        if any { doc.append(self.arena.hardline()) } else { doc }
    }

    fn comment(&self, comment: &Comment) -> Doc<'a> {
        self.string(format!("{COMMENT}{}", comment.text))
    }

    fn blank_line(&self) -> Doc<'a> {
        self.arena.text(BLANK_LINE).append(self.arena.hardline())
    }

    fn blank_line_before(&self, start: u32) -> bool {
        let before = self.text.and_then(|text| text.get(..start as usize)).unwrap_or_default();
        let blanks = &before[before.trim_end_matches(|c: char| c.is_whitespace() || c == ';').len()..];
        blanks.matches('\n').count() >= 2
    }

    /// Entries on lines of their own, with their comments; `end` is where the list ends. Those that are `spaced` keep a
    /// blank line before them.
    fn entries<T>(
        &self,
        entries: &[T],
        start: impl Fn(&T) -> u32,
        spaced: impl Fn(&T) -> bool,
        end: u32,
        print: impl Fn(&T) -> Doc<'a>,
    ) -> Doc<'a> {
        let mut doc = self.nothing();
        for entry in entries {
            doc = doc.append(self.gap(start(entry))).append(self.arena.hardline());
            if spaced(entry) && self.blank_line_before(start(entry)) {
                doc = doc.append(self.blank_line());
            }
            doc = doc.append(print(entry));
        }
        doc.append(self.gap(end))
    }

    /// `{ … }` with something on lines of its own, or `{}` if it is nothing.
    fn braces(&self, inside: Doc<'a>) -> Doc<'a> {
        let is_empty = matches!(&*inside, pretty::Doc::Nil);
        let inside = self.arena.text("{").append(inside.nest(INDENTATION));
        if is_empty { inside.append("}") } else { inside.append(self.arena.hardline()).append("}") }
    }

    /// `{ … }` that stays on one line with what stands before it, if it fits.
    fn short_braces(&self, inside: Doc<'a>, end: u32) -> Doc<'a> {
        let inside = self.arena.line().append(inside).append(self.gap(end)).nest(INDENTATION);
        self.arena.text("{").append(inside).append(self.arena.line()).append("}")
    }

    /// A list with commas between delimiters: on one line, or each element on its own.
    fn list<T>(
        &self,
        delimiters: [&'static str; 2],
        elements: &[T],
        start: impl Fn(&T) -> u32,
        end: u32,
        print: impl Fn(&T) -> Doc<'a>,
    ) -> Doc<'a> {
        let padding = || if delimiters[0].ends_with(' ') { self.arena.line() } else { self.arena.line_() };
        let mut inside = self.nothing();
        for (index, element) in elements.iter().enumerate() {
            let separator = if index == 0 { padding() } else { self.arena.line() };
            let comma = if index == 0 { self.nothing() } else { self.arena.text(",") };
            inside = inside.append(comma).append(self.gap(start(element))).append(separator).append(print(element));
        }
        let comma = if elements.is_empty() { self.nothing() } else { self.arena.text(",").flat_alt("") };
        inside = inside.append(comma).append(self.gap(end));
        // Only a comment can stand in an empty one, and it ends its line.
        let close = if elements.is_empty() { self.nothing() } else { padding() };
        self.arena
            .text(delimiters[0].trim_end())
            .append(inside.nest(INDENTATION))
            .append(close)
            .append(delimiters[1].trim_start())
            .group()
    }

    /// A list in brackets, with as many elements on a line as fit.
    fn filled<T>(&self, elements: &[T], start: impl Fn(&T) -> u32, end: u32, print: impl Fn(&T) -> Doc<'a>) -> Doc<'a> {
        let mut inside = self.nothing();
        for (index, element) in elements.iter().enumerate() {
            let separator = if index == 0 { self.arena.line_() } else { self.arena.line() };
            let comma = if index + 1 == elements.len() { "" } else { "," };
            let gap = self.gap(start(element));
            let element = separator.append(print(element)).append(comma);
            inside = inside.append(gap).append(if index == 0 { element } else { element.group() });
        }
        let comma = if elements.is_empty() { self.nothing() } else { self.arena.text(",").flat_alt("") };
        inside = inside.append(comma).append(self.gap(end));
        let close = if elements.is_empty() { self.nothing() } else { self.arena.line_() };
        self.arena.text("[").append(inside.nest(INDENTATION).append(close).append("]").group())
    }

    fn file(&self, file: &SyntaxFile) -> Doc<'a> {
        let mut doc = self.nothing();
        let mut previous: Option<&ItemKind> = None;
        for item in &file.items {
            let Item { kind, span } = item;
            if matches!(kind, ItemKind::Broken(..)) {
                continue;
            }
            let start = span.start;
            doc = doc.append(self.trailing(start));
            // Definitions stand apart; only `use`s, constants and functions may stand together.
            let together = matches!(
                (previous, kind),
                (None, _)
                    | (Some(ItemKind::Use(_)), ItemKind::Use(_))
                    | (Some(ItemKind::Const(_) | ItemKind::Function(_)), ItemKind::Const(_) | ItemKind::Function(_))
            );
            if !together {
                doc = doc.append(self.arena.hardline()).append(self.blank_line());
            }
            doc = doc.append(self.leading(start)).append(self.arena.hardline());
            if self.blank_line_before(start) {
                doc = doc.append(self.blank_line());
            }
            doc = doc.append(match kind {
                ItemKind::Use(item) => self.string(format!("use \"{}\"", item.path)),
                ItemKind::Fractal(item) => self.fractal(item, *span),
                ItemKind::Neighbourhood(item) => self.neighbourhood(item),
                ItemKind::Rule(item) => self.rule(item, *span),
                ItemKind::Const(item) => self.constant(item),
                ItemKind::Function(item) => self.function(item),
                ItemKind::Broken(..) => self.nothing(),
            });
            previous = Some(kind);
        }
        doc.append(self.gap(u32::MAX))
    }

    fn fractal(&self, fractal: &FractalDef, span: Span) -> Doc<'a> {
        let word = if fractal.is_domain { "domain" } else { "fractal" };
        let head = self.string(format!("{word} {} ", fractal.name.name));
        let end = span.end.saturating_sub(1);
        if let [part @ FractalPart { kind: FractalPartKind::Levels { .. }, .. }] = fractal.parts.as_slice() {
            let gap = self.gap(part.span.start);
            return head.append(self.short_braces(gap.append(self.part(part)), end)).group();
        }
        // The place of `scale 2` is that of its number, and what stands before that number is the word.
        let spaced = |part: &FractalPart| {
            use FractalPartKind::{Cells, Edge, Levels, Picture, Replicas};
            matches!(part.kind, Replicas(_) | Picture(_) | Levels { .. } | Cells(_) | Edge { .. })
        };
        let parts = self.entries(&fractal.parts, |part| part.span.start, spaced, end, |part| self.part(part));
        head.append(self.braces(parts))
    }

    fn part(&self, part: &FractalPart) -> Doc<'a> {
        let span = part.span;
        match &part.kind {
            FractalPartKind::Dimension(number) => self.arena.text("dimension ").append(self.number(number)),
            FractalPartKind::Scale(numbers) => self.arena.text("scale ").append(match &numbers[..] {
                [number] if number.span == span => self.number(number),
                numbers => self.place(numbers, span.end),
            }),
            FractalPartKind::Base(name) => self.string(format!("fractal {}", name.name)),
            FractalPartKind::Mask { path, threshold } => {
                let mask = self.string(format!("mask \"{path}\""));
                match threshold {
                    None => mask,
                    Some(MaskThreshold { is_above, bound }) => {
                        let gap = self.gap(bound.span.start);
                        let word = if *is_above { "above " } else { "below " };
                        mask.append(" ").append(gap).append(word).append(self.number(bound))
                    }
                }
            }
            FractalPartKind::Size(Some(numbers)) => self.arena.text("size ").append(self.place(numbers, span.end)),
            FractalPartKind::Size(None) => self.arena.text("size inputs"),
            FractalPartKind::Param { name, ty, value } => {
                let head = self.string(format!("param {}: ", name.name)).append(self.type_name(ty));
                head.append(" = ").append(self.value(value))
            }
            FractalPartKind::Cells(value) => self.arena.text("cells ").append(self.value(value)),
            FractalPartKind::Seed(number) => self.arena.text("seed ").append(self.number(number)),
            FractalPartKind::Keep(KeptCells::Largest(name, radius)) => {
                let name = self.string(format!("keep largest({}", name.name));
                match radius {
                    None => name.append(")"),
                    Some(radius) => name.append("(").append(self.number(radius)).append("))"),
                }
            }
            FractalPartKind::Keep(KeptCells::Spanning(axis)) => self.string(format!("keep spanning({})", axis.name)),
            FractalPartKind::Invert => self.arena.text("invert"),
            FractalPartKind::Edge { name, value, side } => {
                let doc = self.string(format!("edge {} = ", name.name)).append(self.value(value));
                match side {
                    None => doc,
                    Some(side) => doc.append(" at ").append(self.gap(side.span.start)).append(self.signed_axis(side)),
                }
            }
            FractalPartKind::Periodic(axes) => {
                let mut doc = self.arena.text("periodic");
                for (index, axis) in axes.iter().enumerate() {
                    let gap = self.gap(axis.span.start);
                    doc = doc.append(if index == 0 { " " } else { ", " }).append(gap).append(self.string(&axis.name));
                }
                doc
            }
            FractalPartKind::Replicas(entries) => {
                let mut inside = self.nothing();
                for (index, entry) in entries.iter().enumerate() {
                    // As many on a line as fit.
                    let wide = self.arena.hardline().flat_alt("  ");
                    let separator = if index == 0 { self.arena.line() } else { wide };
                    let gap = self.gap(entry.span.start);
                    let id = self.number(&entry.id);
                    let place = self.place(&entry.place, entry.place_span.end);
                    let entry = separator.append(id).append(": ").append(place);
                    inside = inside.append(gap).append(if index == 0 { entry } else { entry.group() });
                }
                inside = inside.append(self.gap(span.end.saturating_sub(1)));
                let end = if entries.is_empty() { self.nothing() } else { self.arena.line() };
                self.arena.text("replicas {").append(inside.nest(INDENTATION)).append(end).append("}").group()
            }
            FractalPartKind::Picture(planes) => {
                let mut inside = self.nothing();
                for (index, plane) in planes.iter().enumerate() {
                    if index > 0 {
                        let gap = self.gap(self.dashes(planes[index - 1].span.end, plane.span.start));
                        inside = inside.append(gap).append(self.arena.hardline()).append("---");
                    }
                    inside = inside.append(self.plane(plane));
                }
                inside = inside.append(self.gap(span.end.saturating_sub(1)));
                self.arena.text("pattern ").append(self.braces(inside))
            }
            FractalPartKind::Levels { list, seed } => {
                let end = seed.as_ref().map_or(span.end.saturating_sub(1), |seed| seed.span.start);
                let list = self.levels(list, end);
                match seed {
                    None => self.arena.text("levels ").append(list),
                    Some(seed) => {
                        self.arena.text("levels random ").append(list).append(" seed ").append(self.number(seed))
                    }
                }
            }
        }
    }

    /// Where the dashes stand between two planes of a picture: the tree does not say.
    fn dashes(&self, mut start: u32, end: u32) -> u32 {
        let find = |from: u32, to: u32| {
            let between = self.text.and_then(|text| text.get(from as usize..to as usize)).unwrap_or_default();
            between.find('-').map(|at| from + at as u32)
        };
        for comment in &self.comments[self.printed.get()..] {
            if comment.span.start >= end {
                break;
            }
            if comment.span.start >= start {
                if let Some(at) = find(start, comment.span.start) {
                    return at;
                }
                start = comment.span.end;
            }
        }
        find(start, end).unwrap_or(end)
    }

    fn plane(&self, plane: &PicturePlane) -> Doc<'a> {
        let mut doc = self.nothing();
        for row in &plane.rows {
            let quote = if row.quoted { "\"" } else { "" };
            doc = doc
                .append(self.gap(row.span.start))
                .append(self.arena.hardline())
                .append(self.string(format!("{quote}{}{quote}", row.text)));
        }
        doc
    }

    fn levels(&self, list: &[LevelEntry], end: u32) -> Doc<'a> {
        self.list(["[", "]"], list, LevelEntry::start, end, |entry| self.level(entry))
    }

    fn level(&self, entry: &LevelEntry) -> Doc<'a> {
        match entry {
            LevelEntry::Name(name) => self.string(&name.name),
            LevelEntry::List(list, span) => self.levels(list, span.end.saturating_sub(1)),
            LevelEntry::Times(entry, times) => self.level(entry).append(" * ").append(self.number(times)),
        }
    }

    fn neighbourhood(&self, definition: &NeighbourhoodDef) -> Doc<'a> {
        let offsets = self.offsets(&definition.offsets, definition.list_span.end.saturating_sub(1));
        self.string(format!("neighbourhood {} ", definition.name.name)).append(offsets)
    }

    /// `[(1, 0), (0, 1): 0.5]`, whose bracket stands at `end`.
    fn offsets(&self, offsets: &[OffsetEntry], end: u32) -> Doc<'a> {
        let print = |entry: &OffsetEntry| {
            let place = self.place(&entry.offset, entry.offset_span.end);
            match &entry.weight {
                Some(weight) => place.append(": ").append(self.value(weight)),
                None => place,
            }
        };
        self.filled(offsets, |entry| entry.span.start, end, print)
    }

    fn constant(&self, definition: &ConstDef) -> Doc<'a> {
        let mut doc = self.string(format!("const {}", definition.name.name));
        if let Some(ty) = &definition.ty {
            let element = self.type_name(&ty.element);
            doc = doc.append(": ");
            doc = if ty.table { doc.append("[").append(element).append("]") } else { doc.append(element) };
        }
        doc = doc.append(" = ");
        match &definition.value {
            ConstValue::Scalar(value) => doc.append(self.value(value)),
            ConstValue::Table(values, span) => {
                let end = span.end.saturating_sub(1);
                doc.append(self.filled(values, |value| value.span.start, end, |value| self.value(value)))
            }
        }
    }

    fn function(&self, definition: &FunctionDef) -> Doc<'a> {
        let end = definition.result.span.start;
        let print = |(name, ty): &(Ident, TypeName)| self.string(format!("{}: ", name.name)).append(self.type_name(ty));
        let parameters = self.list(["(", ")"], &definition.parameters, |(name, _)| name.span.start, end, print);
        self.string(format!("fn {}", definition.name.name))
            .append(parameters)
            .append(" -> ")
            .append(self.type_name(&definition.result))
            .append(" = ")
            .append(self.value(&definition.value))
    }

    /// `(1, 2)`, which ends at `end`.
    fn place(&self, numbers: &[Number], end: u32) -> Doc<'a> {
        let end = end.saturating_sub(1);
        self.list(["(", ")"], numbers, |number| number.span.start, end, |number| self.number(number))
    }

    fn number(&self, number: &Number) -> Doc<'a> {
        let range = number.span.start as usize..number.span.end as usize;
        match self.text.and_then(|text| text.get(range)) {
            Some(written) => self.string(written.replace([' ', '\t', '\r'], "")),
            None => self.string(number.value.to_string()),
        }
    }

    fn rule(&self, rule: &RuleDef, span: Span) -> Doc<'a> {
        let end = span.end.saturating_sub(1);
        let items = self.entries(&rule.items, |item| item.span.start, |_| true, end, |item| self.rule_item(item));
        self.string(format!("rule {} ", rule.name.name)).append(self.braces(items))
    }

    fn rule_item(&self, item: &RuleItem) -> Doc<'a> {
        match &item.kind {
            RuleItemKind::Param { name, ty, range, value } => {
                let mut head = self.string(format!("param {}: ", name.name)).append(self.type_name(ty));
                if let Some((low, high)) = range {
                    head = head.append(" in ").append(self.range(low, high, false));
                }
                head.append(" = ").append(self.value(value))
            }
            RuleItemKind::Const(definition) => self.constant(definition),
            RuleItemKind::Function(definition) => self.function(definition),
            RuleItemKind::Neighbourhood(definition) => self.neighbourhood(definition),
            RuleItemKind::Allow(names) => {
                let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
                self.string(format!("allow {}", names.join(", ")))
            }
            RuleItemKind::Picture(def) => self.picture(def),
            RuleItemKind::Flush => self.arena.text("flush"),
            RuleItemKind::Input { name, ty, axis } => self
                .string(format!("input {}: ", name.name))
                .append(self.type_name(ty))
                .append(format!(" along {}", axis.name)),
            RuleItemKind::State { name, ty, rolling } => self
                .string(format!("state {}: ", name.name))
                .append(self.type_name(ty))
                .append(if rolling.is_some() { " rolling" } else { "" }),
            RuleItemKind::Init { name, value } => self.assignment("init", &name.name, value),
            RuleItemKind::Let { name, value } => self.assignment("let", &name.name, value),
            RuleItemKind::Bond { name, over, value } => self
                .string(format!("bond {} over ", name.name))
                .append(self.value(over))
                .append(" = ")
                .append(self.value(value)),
            RuleItemKind::KeptBond { name, over, ty } => self
                .string(format!("bond {} over ", name.name))
                .append(self.value(over))
                .append(": ")
                .append(self.type_name(ty)),
            RuleItemKind::Clusters { name, bond, when } => {
                let head = self.string(format!("clusters {} of {}", name.name, bond.name));
                when.iter().fold(head, |head, when| head.append(" when ").append(self.value(when)))
            }
            RuleItemKind::Global { name, once: false, value } => self.assignment("global", &name.name, value),
            RuleItemKind::Global { name, once: true, value } => {
                self.assignment("global", &format!("{} once", name.name), value)
            }
            RuleItemKind::Next { name, value } => self.assignment("next", &name.name, value),
            RuleItemKind::Observe { name, values, list, level, at_end } => {
                let head = self.string(format!("observe {} = ", name.name));
                let doc = match list {
                    Some(span) => {
                        let end = span.end.saturating_sub(1);
                        let print = |value: &super::ast::Expr| self.value(value);
                        head.append(self.list(["[", "]"], values, |value| value.span.start, end, print))
                    }
                    None => values.iter().fold(head, |doc, value| doc.append(self.value(value))),
                };
                let doc = match level {
                    Some(level) => {
                        doc.append(self.gap(level.span.start)).append(" by level ").append(self.number(level))
                    }
                    None => doc,
                };
                match at_end {
                    Some(span) => doc.append(self.gap(span.start)).append(" at end"),
                    None => doc,
                }
            }
            RuleItemKind::Stop(value) => self.arena.text("stop when ").append(self.value(value)),
            RuleItemKind::Equilibrium(value) => self.arena.text("equilibrium ").append(self.value(value)),
            RuleItemKind::Repeat { count, items } => {
                let head = self.arena.text("repeat ").append(self.value(count)).append(" ");
                self.entries_behind(head, items, item.span)
            }
            RuleItemKind::Step { name, order, guard, coloured, items } => {
                let mut head = self.string(format!("step {} ", name.name));
                if let Some(order) = order {
                    head = head.append("from ").append(self.order(order)).append(" ");
                }
                if let Some(guard) = guard {
                    head = head.append("when ").append(self.value(guard)).append(" ");
                }
                if let Some(coloured) = coloured {
                    head = head.append("colour of ").append(self.value(coloured)).append(" ");
                }
                self.entries_behind(head, items, item.span)
            }
        }
    }

    /// The entries of an entry, on its line if there is one of them and room.
    fn entries_behind(&self, head: Doc<'a>, items: &[RuleItem], span: Span) -> Doc<'a> {
        let end = span.end.saturating_sub(1);
        if let [only] = items {
            let gap = self.gap(only.span.start);
            let body = self.short_braces(gap.append(self.rule_item(only)), end);
            return head.append(body).group();
        }
        let print = |item: &RuleItem| self.rule_item(item);
        head.append(self.braces(self.entries(items, |item| item.span.start, |_| true, end, print)))
    }

    fn order(&self, order: &OrderDef) -> Doc<'a> {
        let Some(axes) = &order.axes else { return self.gap(order.span.end).append("all") };
        let end = order.span.end.saturating_sub(1);
        self.list(["(", ")"], axes, |direction| direction.span.start, end, |direction| self.signed_axis(direction))
    }

    fn signed_axis(&self, direction: &SignedAxisDef) -> Doc<'a> {
        let sign = if direction.backwards { "-" } else { "+" };
        self.string(format!("{sign}{}", direction.axis.name))
    }

    fn picture(&self, def: &PictureDef) -> Doc<'a> {
        let mut doc = match &def.map {
            Some(map) => self.string(format!("picture {}({})", map.name, def.state.name)),
            None => self.string(format!("picture {}", def.state.name)),
        };
        if let Some((low, high)) = &def.range {
            doc = doc.append(" in ").append(self.range(low, high, def.colours.is_some()));
        }
        let Some((colours, span)) = &def.colours else { return doc };
        let start = |colour: &ColourDef| colour.variant.as_ref().map_or(colour.code_span.start, |name| name.span.start);
        let print = |colour: &ColourDef| match &colour.variant {
            Some(variant) => self.string(format!("{} => \"{}\"", variant.name, colour.code)),
            None => self.string(format!("\"{}\"", colour.code)),
        };
        doc.append(" ").append(self.list(["{ ", " }"], colours, start, span.end.saturating_sub(1), print))
    }

    fn assignment(&self, word: &str, name: &str, value: &super::ast::Expr) -> Doc<'a> {
        self.string(format!("{word} {name} = ")).append(self.value(value))
    }

    fn type_name(&self, ty: &TypeName) -> Doc<'a> {
        match &ty.kind {
            TypeNameKind::Name(name) => self.string(name),
            TypeNameKind::Of(vector, element) => self.string(format!("{}<{}>", vector.name, element.name)),
            TypeNameKind::Enum(variants) => {
                let end = ty.span.end.saturating_sub(1);
                let print = |variant: &super::ast::Ident| self.string(&variant.name);
                self.arena.text("enum ").append(self.list(["{ ", " }"], variants, |name| name.span.start, end, print))
            }
        }
    }
}
