//! Pest's pairs to the tree of a definition.

use super::expectations::bad_picture;
use super::grammar::Rule;
use super::{KEYWORDS, PieceParser};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{
    ColourDef, ConstDef, ConstType, ConstValue, FractalDef, FractalPart, FractalPartKind, FunctionDef, Ident, Item,
    ItemKind, KeptCells, LevelEntry, MaskThreshold, NeighbourhoodDef, Number, OffsetEntry, OrderDef, PictureDef,
    PicturePlane, ReplicaEntry, Row, RuleDef, RuleItem, RuleItemKind, SignedAxisDef, TypeName, TypeNameKind, UseItem,
};
use pest::iterators::Pair;
use std::cell::{Cell, RefCell};
use std::iter::Peekable;

/// Builds the tree of a definition that pest accepted, and reports errors that only the tree shows.
pub(super) fn build(parser: &PieceParser<'_>, pair: Pair<'_, Rule>) -> (Option<Item>, Vec<Diagnostic>) {
    let builder = Builder { parser, depth: Cell::new(0), errors: RefCell::new(Vec::new()) };
    let item = builder.item(pair);
    (item, builder.errors.into_inner())
}

/// The state that the functions that build trees share.
pub(super) struct Builder<'a> {
    parser: &'a PieceParser<'a>,
    /// How many operators stand around the expression that is being built.
    pub(super) depth: Cell<usize>,
    errors: RefCell<Vec<Diagnostic>>,
}

/// The children that carry content: no punctuation, no keywords.
pub(super) fn contents(pair: Pair<'_, Rule>) -> impl Iterator<Item = Pair<'_, Rule>> {
    pair.into_inner().filter(|pair| {
        let is_punctuation = matches!(
            pair.as_rule(),
            Rule::open_brace
                | Rule::close_brace
                | Rule::open_paren
                | Rule::close_paren
                | Rule::open_bracket
                | Rule::close_bracket
                | Rule::comma
                | Rule::semicolon
                | Rule::colon
                | Rule::dot
                | Rule::assign
                | Rule::arrow
                | Rule::fat_arrow
                | Rule::bit_or
                | Rule::range
                | Rule::EOI
        );
        !is_punctuation && !KEYWORDS.contains_key(&pair.as_rule())
    })
}

impl Builder<'_> {
    pub(super) fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        self.parser.span(span.start(), span.end())
    }

    pub(super) fn report(&self, diagnostic: Diagnostic) {
        let mut errors = self.errors.borrow_mut();
        if errors.len() < super::MAX_ERRORS {
            errors.push(diagnostic);
        }
    }

    pub(super) fn ident(&self, pair: &Pair<'_, Rule>) -> Ident {
        Ident { name: pair.as_str().to_owned(), span: self.span(pair) }
    }

    /// `None` only if the pair has not the shape that the grammar gives it; likewise in the functions below.
    fn item(&self, pair: Pair<'_, Rule>) -> Option<Item> {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let doc = self.parser.doc.clone();
        let mut parts = contents(pair);
        let first = parts.next()?;
        let kind = match rule {
            Rule::use_entry => {
                let path = first.as_str().trim_matches('"').to_owned();
                ItemKind::Use(UseItem { path, path_span: self.span(&first) })
            }
            Rule::const_definition => ItemKind::Const(self.constant(first)?),
            Rule::function_definition => ItemKind::Function(self.function(first)?),
            Rule::neighbourhood => ItemKind::Neighbourhood(self.neighbourhood(doc, self.ident(&first), parts.next()?)),
            Rule::fractal | Rule::domain => {
                let (is_domain, name) = (rule == Rule::domain, self.ident(&first));
                let parts = parts.filter_map(|part| self.part(part)).collect();
                ItemKind::Fractal(FractalDef { is_domain, doc, name, parts })
            }
            _ => {
                let name = self.ident(&first);
                ItemKind::Rule(RuleDef { doc, name, items: parts.filter_map(|item| self.rule_item(item)).collect() })
            }
        };
        Some(Item { kind, span })
    }

    fn part(&self, pair: Pair<'_, Rule>) -> Option<FractalPart> {
        let (mut span, rule) = (self.span(&pair), pair.as_rule());
        let mut parts = contents(pair.clone()).peekable();
        if let Rule::dimension | Rule::scale | Rule::base | Rule::mask | Rule::size | Rule::seed = rule {
            span = parts.peek().map_or(span, |part| self.span(part));
        }
        let kind = match rule {
            Rule::dimension => FractalPartKind::Dimension(self.number(&parts.next()?)),
            Rule::scale => {
                let value = parts.next()?;
                FractalPartKind::Scale(match value.as_rule() {
                    Rule::number => vec![self.number(&value)],
                    _ => self.numbers(value),
                })
            }
            Rule::replicas => FractalPartKind::Replicas(parts.filter_map(|entry| self.replica(entry)).collect()),
            Rule::base => FractalPartKind::Base(self.ident(&parts.next()?)),
            Rule::mask => {
                let path = parts.next()?.as_str().trim_matches('"').to_owned();
                let threshold = match parts.next() {
                    Some(part) => {
                        let is_above = part.as_rule() == Rule::above;
                        Some(MaskThreshold { is_above, bound: self.number(&contents(part).next()?) })
                    }
                    None => None,
                };
                FractalPartKind::Mask { path, threshold }
            }
            Rule::size => FractalPartKind::Size(parts.next().map(|sides| self.numbers(sides))),
            Rule::setting => {
                let (name, ty) = (self.ident(&parts.next()?), self.type_name(parts.next()?));
                FractalPartKind::Param { name, ty, value: self.expression(parts.next()?) }
            }
            Rule::cells => {
                let value = self.expression(parts.next()?);
                span = value.span;
                FractalPartKind::Cells(value)
            }
            Rule::seed => FractalPartKind::Seed(self.number(&parts.next()?)),
            Rule::keep => {
                let what = parts.next()?;
                let is_largest = what.as_rule() == Rule::largest;
                let mut parts = contents(what);
                let name = self.ident(&parts.next()?);
                FractalPartKind::Keep(match is_largest {
                    true => KeptCells::Largest(name, parts.next().map(|radius| self.number(&radius))),
                    false => KeptCells::Spanning(name),
                })
            }
            Rule::invert => FractalPartKind::Invert,
            Rule::edge => {
                let name = self.component(self.ident(&parts.next()?), &mut parts);
                let value = self.expression(parts.next()?);
                FractalPartKind::Edge { name, value, side: parts.next().and_then(|side| self.signed_axis(side)) }
            }
            Rule::periodic => FractalPartKind::Periodic(parts.map(|axis| self.ident(&axis)).collect()),
            Rule::pattern => FractalPartKind::Picture(self.planes(pair)),
            _ => {
                let list = parts.next()?;
                let is_random = list.as_rule() == Rule::random_levels;
                let mut parts = if is_random { contents(list) } else { contents(pair) };
                let list = self.levels(parts.next()?);
                FractalPartKind::Levels { list, seed: parts.next().map(|seed| self.number(&seed)) }
            }
        };
        Some(FractalPart { kind, span })
    }

    fn replica(&self, pair: Pair<'_, Rule>) -> Option<ReplicaEntry> {
        let span = self.span(&pair);
        let mut parts = contents(pair);
        let (id, place) = (parts.next()?, parts.next()?);
        Some(ReplicaEntry { id: self.number(&id), place_span: self.span(&place), place: self.numbers(place), span })
    }

    pub(super) fn numbers(&self, pair: Pair<'_, Rule>) -> Vec<Number> {
        contents(pair).map(|number| self.number(&number)).collect()
    }

    pub(super) fn number(&self, pair: &Pair<'_, Rule>) -> Number {
        let text: String = pair.as_str().chars().filter(|c| !matches!(c, ' ' | '\t' | '\r' | '\n' | '_')).collect();
        // Only an overflow can go wrong here, or a number of nothing but `_`: neither fits anywhere.
        let beyond = if text.starts_with('-') { i128::MIN } else { i128::MAX };
        Number { value: crate::numbers::value::whole(&text).unwrap_or(beyond), span: self.span(pair) }
    }

    fn planes(&self, pair: Pair<'_, Rule>) -> Vec<PicturePlane> {
        let mut planes = Vec::new();
        let mut rows: Vec<Row> = Vec::new();
        let mut start = pair.as_span().start();
        let finish = |rows: Vec<Row>, empty_at: usize| {
            let span = match (rows.first(), rows.last()) {
                (Some(first), Some(last)) => first.span.to(last.span),
                _ => self.parser.span(empty_at, empty_at),
            };
            PicturePlane { rows, span }
        };
        for part in pair.into_inner() {
            let end = part.as_span().end();
            match part.as_rule() {
                Rule::row => {
                    rows.push(Row { text: part.as_str().to_owned(), span: self.span(&part), quoted: false });
                }
                Rule::string => rows.push(self.quoted_row(&part)),
                Rule::dashes => {
                    planes.push(finish(std::mem::take(&mut rows), start));
                    start = end;
                }
                Rule::open_brace => start = end,
                _ => {}
            }
        }
        planes.push(finish(rows, start));
        planes
    }

    fn quoted_row(&self, pair: &Pair<'_, Rule>) -> Row {
        let (start, end) = (pair.as_span().start() + 1, pair.as_span().end() - 1);
        let text = pair.as_str().trim_matches('"');
        let is_cell = |c: char| matches!(c, '#' | '.' | '0'..='9' | 'a'..='z');
        if let Some((at, c)) = text.char_indices().find(|&(_, c)| !is_cell(c)) {
            let span = self.parser.span(start + at, start + at + c.len_utf8());
            self.report(bad_picture(c.encode_utf8(&mut [0; 4]), span));
        }
        Row { text: text.to_owned(), span: self.parser.span(start, end), quoted: true }
    }

    fn levels(&self, pair: Pair<'_, Rule>) -> Vec<LevelEntry> {
        let entry = |entry: Pair<'_, Rule>| {
            let mut parts = contents(entry).filter(|part| part.as_rule() != Rule::multiply);
            let what = parts.next()?;
            let what = match what.as_rule() {
                Rule::level_list => {
                    let span = self.span(&what);
                    LevelEntry::List(self.levels(what), span)
                }
                _ => LevelEntry::Name(self.ident(&what)),
            };
            Some(match parts.next() {
                Some(times) => LevelEntry::Times(Box::new(what), self.number(&times)),
                None => what,
            })
        };
        contents(pair).filter_map(entry).collect()
    }

    fn neighbourhood(&self, doc: String, name: Ident, places: Pair<'_, Rule>) -> NeighbourhoodDef {
        let list_span = self.span(&places);
        NeighbourhoodDef { doc, name, offsets: self.offset_entries(places), list_span }
    }

    /// The offsets of a list, each perhaps with its weight.
    pub(super) fn offset_entries(&self, places: Pair<'_, Rule>) -> Vec<OffsetEntry> {
        let entry = |pair: Pair<'_, Rule>| {
            let span = self.span(&pair);
            let mut parts = contents(pair);
            let place = parts.next()?;
            let offset_span = self.span(&place);
            let weight = parts.next().map(|weight| self.expression(weight));
            Some(OffsetEntry { offset: self.numbers(place), offset_span, weight, span })
        };
        contents(places).filter_map(entry).collect()
    }

    fn constant(&self, pair: Pair<'_, Rule>) -> Option<ConstDef> {
        let mut parts = contents(pair);
        let name = self.ident(&parts.next()?);
        let mut ty = None;
        let mut value = parts.next()?;
        if value.as_rule() == Rule::const_type {
            let written = contents(value).next()?;
            let span = self.span(&written);
            let table = written.as_rule() == Rule::table_type;
            let element = if table { contents(written).next()? } else { written };
            ty = Some(ConstType { element: self.type_name(element), table, span });
            value = parts.next()?;
        }
        let value = match value.as_rule() {
            Rule::table => {
                let span = self.span(&value);
                ConstValue::Table(contents(value).map(|element| self.expression(element)).collect(), span)
            }
            _ => ConstValue::Scalar(self.expression(value)),
        };
        Some(ConstDef { name, ty, value })
    }

    fn function(&self, pair: Pair<'_, Rule>) -> Option<FunctionDef> {
        let mut parts = contents(pair).peekable();
        let name = self.ident(&parts.next()?);
        let mut parameters = Vec::new();
        while let Some(parameter) = parts.next_if(|part| part.as_rule() == Rule::parameter) {
            let mut parameter = contents(parameter);
            parameters.push((self.ident(&parameter.next()?), self.type_name(parameter.next()?)));
        }
        let result = self.type_name(parts.next()?);
        Some(FunctionDef { name, parameters, result, value: self.expression(parts.next()?) })
    }

    fn rule_item(&self, pair: Pair<'_, Rule>) -> Option<RuleItem> {
        let span = self.span(&pair);
        let mut parts = contents(pair.clone());
        let kind = match pair.as_rule() {
            Rule::const_entry => RuleItemKind::Const(self.constant(pair)?),
            Rule::function => RuleItemKind::Function(self.function(pair)?),
            Rule::allow => RuleItemKind::Allow(parts.map(|name| self.ident(&name)).collect()),
            Rule::flush => RuleItemKind::Flush,
            Rule::picture => RuleItemKind::Picture(self.picture(pair)?),
            Rule::stop => RuleItemKind::Stop(self.expression(parts.next()?)),
            Rule::equilibrium => RuleItemKind::Equilibrium(self.expression(parts.next()?)),
            Rule::repeat => RuleItemKind::Repeat {
                count: self.expression(parts.next()?),
                items: parts.filter_map(|step| self.rule_item(step)).collect(),
            },
            rule => self.named_item(rule, self.ident(&parts.next()?), parts)?,
        };
        Some(RuleItem { kind, span })
    }

    /// An entry that begins with its name: `parts` are what follows the name.
    fn named_item<'p>(
        &self,
        rule: Rule,
        name: Ident,
        mut parts: impl Iterator<Item = Pair<'p, Rule>>,
    ) -> Option<RuleItemKind> {
        Some(match rule {
            Rule::param => {
                let ty = self.type_name(parts.next()?);
                let mut value = parts.next()?;
                let mut range = None;
                if value.as_rule() == Rule::param_range {
                    range = self.range(contents(value).next()?);
                    value = parts.next()?;
                }
                RuleItemKind::Param { name, ty, range, value: self.expression(value) }
            }
            Rule::neighbourhood_entry => {
                RuleItemKind::Neighbourhood(self.neighbourhood(String::new(), name, parts.next()?))
            }
            Rule::observe => {
                let value = parts.next()?;
                let (mut level, mut at_end) = (None, None);
                for part in parts {
                    match part.as_rule() {
                        Rule::at_end => at_end = Some(self.span(&part)),
                        _ => level = contents(part).next().map(|level| self.number(&level)),
                    }
                }
                let list = (value.as_rule() == Rule::list).then(|| self.span(&value));
                let values = match list {
                    Some(_) => contents(value).map(|element| self.expression(element)).collect(),
                    None => vec![self.expression(value)],
                };
                RuleItemKind::Observe { name, values, list, level, at_end }
            }
            Rule::input => {
                let ty = self.type_name(parts.next()?);
                RuleItemKind::Input { name, ty, axis: self.ident(&parts.next()?) }
            }
            Rule::state => {
                let ty = self.type_name(parts.next()?);
                RuleItemKind::State { name, ty, rolling: parts.next().map(|rolling| self.span(&rolling)) }
            }
            Rule::bond => {
                let over = self.argument(parts.next()?);
                let part = parts.next()?;
                match part.as_rule() {
                    Rule::name | Rule::enum_type => RuleItemKind::KeptBond { name, over, ty: self.type_name(part) },
                    _ => RuleItemKind::Bond { name, over, value: self.expression(part) },
                }
            }
            Rule::clusters => {
                let bond = self.ident(&parts.next()?);
                let when = parts.next().and_then(|guard| contents(guard).next());
                RuleItemKind::Clusters { name, bond, when: when.map(|when| self.expression(when)) }
            }
            Rule::step => {
                let (mut order, mut guard, mut coloured) = (None, None, None);
                let mut items = Vec::new();
                for part in parts {
                    match part.as_rule() {
                        Rule::ordered => order = Some(self.order(part)?),
                        Rule::guard => guard = contents(part).next().map(|guard| self.expression(guard)),
                        Rule::coloured => coloured = contents(part).next().map(|of| self.argument(of)),
                        _ => items.extend(self.rule_item(part)),
                    }
                }
                RuleItemKind::Step { name, order, guard, coloured, items }
            }
            Rule::global => {
                let mut value = parts.next()?;
                let once = value.as_rule() == Rule::once;
                if once {
                    value = parts.next()?;
                }
                RuleItemKind::Global { name, once, value: self.expression(value) }
            }
            _ => {
                let value = self.expression(parts.next()?);
                match rule {
                    Rule::init => RuleItemKind::Init { name, value },
                    Rule::next => RuleItemKind::Next { name, value },
                    _ => RuleItemKind::Let { name, value },
                }
            }
        })
    }

    fn order(&self, pair: Pair<'_, Rule>) -> Option<OrderDef> {
        let span = self.span(&pair);
        let signed = |axis| self.signed_axis(axis);
        let axes = contents(pair).next().map(|order| contents(order).filter_map(signed).collect());
        Some(OrderDef { axes, span })
    }

    fn signed_axis(&self, pair: Pair<'_, Rule>) -> Option<SignedAxisDef> {
        let span = self.span(&pair);
        let mut parts = contents(pair);
        let (sign, axis) = (parts.next()?, parts.next()?);
        Some(SignedAxisDef { backwards: sign.as_rule() == Rule::minus, axis: self.ident(&axis), span })
    }

    fn picture(&self, pair: Pair<'_, Rule>) -> Option<PictureDef> {
        let mut parts = contents(pair).peekable();
        let first = self.component(self.ident(&parts.next()?), &mut parts);
        let mut def = PictureDef { map: None, state: first, range: None, colours: None };
        for part in parts {
            let span = self.span(&part);
            match part.as_rule() {
                Rule::shown => {
                    let mut parts = contents(part).peekable();
                    let state = self.component(self.ident(&parts.next()?), &mut parts);
                    def.map = Some(std::mem::replace(&mut def.state, state));
                }
                Rule::param_range => def.range = self.range(contents(part).next()?),
                _ => def.colours = Some((contents(part).filter_map(|colour| self.colour(colour)).collect(), span)),
            }
        }
        Some(def)
    }

    /// A name, with the component of a vector that may stand behind it.
    fn component<'p>(&self, name: Ident, parts: &mut Peekable<impl Iterator<Item = Pair<'p, Rule>>>) -> Ident {
        let field = parts.next_if(|part| part.as_rule() == Rule::field).and_then(|field| contents(field).next());
        match field.map(|field| self.ident(&field)) {
            Some(of) => Ident { name: format!("{}.{}", name.name, of.name), span: name.span.to(of.span) },
            None => name,
        }
    }

    fn colour(&self, pair: Pair<'_, Rule>) -> Option<ColourDef> {
        let mut parts = contents(pair).filter(|part| part.as_rule() != Rule::fat_arrow);
        let mut code = parts.next()?;
        let mut variant = None;
        if code.as_rule() == Rule::name {
            variant = Some(self.ident(&code));
            code = parts.next()?;
        }
        Some(ColourDef { variant, code: code.as_str().trim_matches('"').to_owned(), code_span: self.span(&code) })
    }

    fn type_name(&self, pair: Pair<'_, Rule>) -> TypeName {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::enum_type => TypeNameKind::Enum(contents(pair).map(|variant| self.ident(&variant)).collect()),
            Rule::vector_type => {
                let mut names =
                    contents(pair).filter(|part| part.as_rule() == Rule::name).map(|name| self.ident(&name));
                match (names.next(), names.next()) {
                    (Some(vector), Some(element)) => TypeNameKind::Of(vector, element),
                    _ => TypeNameKind::Name(String::new()),
                }
            }
            _ => TypeNameKind::Name(pair.as_str().to_owned()),
        };
        TypeName { kind, span }
    }
}
