//! Checks a rule's entry about its pictures.

use super::expression::{Checker, Context, RuleName};
use super::names::{given_twice, unknown_name};
use crate::ir::{ColourMap, RulePicture, Type};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{ColourDef, PictureDef, RuleDef, RuleItemKind};

/// The colour map of a vector that was taken apart, which no text can name.
pub(super) const DIRECTION: &str = "the direction";

impl<'a> Checker<'a, '_> {
    /// The picture of the rule: its field and colours.
    pub(super) fn check_picture(&mut self, def: &'a RuleDef) -> Option<RulePicture> {
        let mut found = None;
        let mut first: Option<Span> = None;
        for item in &def.items {
            let RuleItemKind::Picture(picture) = &item.kind else { continue };
            if let Some(first) = first {
                given_twice("`picture`", item.span, first)
                    .help("a rule has one; `--field` and `--colours` choose something else for a run")
                    .report(self.errors);
            }
            first.get_or_insert(item.span);
            found = self.picture(picture);
        }
        found
    }

    fn picture(&mut self, def: &'a PictureDef) -> Option<RulePicture> {
        let Some(&RuleName::State(state)) = self.names.get(def.state.name.as_str()) else {
            let is_bond = |name: &str| self.kept.iter().any(|bond| bond.name == name);
            let states = self.rule.states.iter().map(|state| state.name.clone()).filter(|name| !is_bond(name));
            let states: Vec<String> = states.collect();
            let help = format!("a picture shows a state: {}", states.join(", "));
            let text = format!("`{}` is not a state", def.state.name);
            return Diagnostic::new(text, def.state.span, "cannot be shown").help(help).fail(self.errors);
        };
        let ty = self.rule.states[usize::from(state.0)].ty;
        let map = match &def.map {
            None => ColourMap::default(),
            Some(name) if name.name == DIRECTION => ColourMap::Direction,
            Some(name) => match ColourMap::NAMES.iter().find(|(known, _)| *known == name.name) {
                Some((_, map)) => *map,
                None => {
                    let known = ColourMap::NAMES.map(|(known, _)| known);
                    return unknown_name("colour map", &name.name, name.span, known).fail(self.errors);
                }
            },
        };
        let is_enum = matches!(ty, Type::Enum(_));
        if let (Some(name), true) = (&def.map, is_enum || def.colours.is_some()) {
            let (label, help) = if is_enum {
                ("variants have colours of their own", "write `picture phase { rest => \"3d4f73\", … }`")
            } else {
                ("there are colours already", "write a colour map or colours, not both")
            };
            return Diagnostic::new("a colour map has no effect here", name.span, label).help(help).fail(self.errors);
        }
        let range = match &def.range {
            None => None,
            Some((low, high)) => {
                let span = low.span.to(high.span);
                self.place = Context::Constant;
                self.needs(ty.is_number(), ty, span, "a range", "numbers")?;
                let [low, high] = [low, high].map(|end| self.value_of(end, Some(ty)));
                let (low, high) = (low?.as_f64(), high?.as_f64());
                if !(low < high && low.is_finite() && high.is_finite()) {
                    return Diagnostic::new("an empty range", span, "its first value is not below its last")
                        .help("write the values at both ends of the colours: `in 0.0..=1.0`")
                        .fail(self.errors);
                }
                Some((low, high))
            }
        };
        let colours = match &def.colours {
            None => Vec::new(),
            Some((colours, span)) => self.colours(ty, colours, *span)?,
        };
        Some(RulePicture { state, map, range, colours })
    }

    /// The colours of all variants, or some along a scale.
    fn colours(&mut self, ty: Type, colours: &[ColourDef], span: Span) -> Option<Vec<u32>> {
        let mut codes = Vec::new();
        for colour in colours {
            let digits = colour.code.trim_start_matches('#');
            let valid = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            match u32::from_str_radix(digits, 16).ok().filter(|_| valid) {
                Some(code) => codes.push(code),
                None => {
                    let text = format!("`{}` is not a colour", colour.code);
                    let help = "write red, green and blue as six hexadecimal digits, as the web does: \"3d4f73\"";
                    self.errors.push(Diagnostic::new(text, colour.code_span, "expected six digits").help(help));
                }
            }
        }
        if codes.len() < colours.len() {
            return None;
        }
        let Type::Enum(id) = ty else {
            if let Some(name) = colours.iter().find_map(|colour| colour.variant.as_ref()) {
                let help = "write colours alone: `{ \"000000\", \"ffffff\" }`; they are spread evenly over the range";
                let text = format!("`{}` cannot have a colour of its own", name.name);
                return Diagnostic::new(text, name.span, "the state is no enum").help(help).fail(self.errors);
            }
            if codes.len() < 2 {
                let help = "write the colours of both ends: `{ \"000000\", \"ffffff\" }`";
                return Diagnostic::new("too few colours", span, "at least two are needed")
                    .help(help)
                    .fail(self.errors);
            }
            return Some(codes);
        };
        let variants = self.rule.enums[usize::from(id.0)].variants.clone();
        let mut table: Vec<Option<u32>> = vec![None; variants.len()];
        let example = || format!("write `{{ {} => \"3d4f73\", … }}`", variants[0]);
        for (colour, code) in colours.iter().zip(codes) {
            let Some(name) = &colour.variant else {
                let error = Diagnostic::new("a colour of no variant", colour.code_span, "whose is it?");
                return error.help(example()).fail(self.errors);
            };
            let Some(at) = variants.iter().position(|variant| *variant == name.name) else {
                return unknown_name("variant", &name.name, name.span, variants.iter().map(String::as_str))
                    .fail(self.errors);
            };
            if table[at].replace(code).is_some() {
                let text = format!("`{}` has two colours", name.name);
                return Diagnostic::new(text, name.span, "again here").help("leave one of them out").fail(self.errors);
            }
        }
        let missing: Vec<&str> =
            variants.iter().zip(&table).filter(|(_, code)| code.is_none()).map(|(name, _)| name.as_str()).collect();
        if !missing.is_empty() {
            let text = format!("no colour for {}", missing.join(", "));
            return Diagnostic::new(text, span, "every variant needs one").help(example()).fail(self.errors);
        }
        Some(table.into_iter().flatten().collect())
    }
}
