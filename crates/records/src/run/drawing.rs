//! Settings of a run's pictures.

use super::animation::Form;
use crate::json;
use crate::picture::{self, Background, Colours, Extent, Style, View, Zoom};
use serde::{Deserialize, Serialize};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{ColourMap, Dimension, Rule, StateId};
use squeeze_drawing::font;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::list;
use squeeze_engine::simulation::Window;
use std::collections::BTreeSet;

/// Settings of pictures. `None` means that the user gave none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Drawing {
    /// The name of the state, or of a vector, whose direction is drawn; the one that the rule says, else the first.
    pub field: Option<String>,
    /// The window, as [`Window::parse`] reads it; the whole grid.
    pub window: Option<String>,
    /// The layer of a 3-D grid.
    pub slice: Option<u64>,
    /// How large places are.
    #[serde(with = "json::optional_text")]
    pub zoom: Option<Zoom>,
    /// The values at the ends of the colours. In an animation it is the range of all frames so far.
    #[serde(rename = "range", with = "json::optional_text")]
    pub extent: Option<Extent>,
    /// The colour map.
    #[serde(with = "json::text")]
    pub colours: Colours,
    /// A logarithmic scale.
    #[serde(rename = "log")]
    pub logarithmic: bool,
    /// The background.
    pub background: Background,
    /// Ticks along the edges.
    #[serde(default)]
    pub axes: bool,
    /// The label above the colour bar.
    #[serde(default)]
    pub label: Option<String>,
    /// How animations are written.
    #[serde(flatten)]
    pub animation: Form,
}

impl Drawing {
    /// The state that is drawn; of a vector the first component.
    ///
    /// # Errors
    /// If the rule has no such state, or other colours are asked for a vector than those of its direction.
    pub fn state(&self, rule: &Rule) -> Result<StateId, Message> {
        let (state, is_vector) = self.subject(rule)?;
        match rule.vector_of(state).filter(|_| is_vector) {
            Some((name, _)) if !matches!(self.colours, Colours::OfRule | Colours::Direction) => {
                Err(Message::users(format!(
                    "`{name}` is a vector, whose direction is a hue: choose a component for other colours, `--field {name}.x`"
                )))
            }
            _ => Ok(state),
        }
    }

    /// The state that is drawn, and whether it stands for the vector whose first component it is.
    fn subject(&self, rule: &Rule) -> Result<(StateId, bool), Message> {
        let Some(name) = &self.field else {
            let picture = rule.picture.as_ref();
            return Ok(picture.map_or_else(
                || (rule.first_state(), false),
                |picture| (picture.state, picture.map == ColourMap::Direction),
            ));
        };
        let vector = || rule.state_named(&format!("{name}.x")).filter(|state| rule.vector_of(*state).is_some());
        let found = rule.state_named(name).map(|state| (state, false)).or_else(|| Some((vector()?, true)));
        found.ok_or_else(|| {
            let names: Vec<&str> = rule.states.iter().map(|state| state.name.as_str()).collect();
            Message::users(format!("rule `{}` has no state `{name}`; it has {}", rule.name, list(&names)))
        })
    }

    /// The part of the grid that is drawn; `None` if nothing was said.
    ///
    /// # Errors
    /// If the window or the layer is outside of the grid.
    pub fn view(&self, domain: &Domain) -> Result<Option<View>> {
        if self.window.is_none() && self.slice.is_none() && self.zoom.is_none() {
            return Ok(None);
        }
        let window = Window::of(self.window.as_deref(), self.slice, domain)?;
        Ok(Some(View { window, zoom: self.zoom.unwrap_or_default() }))
    }

    /// Whether this can be drawn of a rule on a domain: better before the work than after.
    ///
    /// # Errors
    /// As [`state`](Self::state), [`view`](Self::view) and for a style that does not fit the state.
    pub fn check(&self, rule: &Rule, domain: &Domain) -> Result<()> {
        let state = self.state(rule)?;
        match self.view(domain)? {
            Some(view) => view.check()?,
            None if self.axes && domain.dimension() == Dimension::Three => {
                return Err(picture::axes_of_a_solid().into());
            }
            None => {}
        }
        Ok(picture::check_style(rule, state, &self.style(rule, Extent::Fit))?)
    }

    /// The letters of the label that the font lacks: pictures show them as question marks.
    #[doc(hidden)]
    pub fn missing(&self) -> Vec<char> {
        let mut letters: Vec<char> = self.label.iter().flat_map(|label| font::missing(label)).collect();
        let mut seen = BTreeSet::new();
        letters.retain(|letter| seen.insert(*letter));
        letters
    }

    /// The style, with these ends of the colour map unless others were asked for, or the rule says others.
    pub fn style(&self, rule: &Rule, extent: Extent) -> Style {
        let (state, is_vector) = self.subject(rule).unwrap_or((rule.first_state(), false));
        let picture = rule.picture.as_ref().filter(|picture| picture.state == state);
        // A component of a vector that the rule shows has no colours of its own.
        let (is_other, of_rule) = (
            picture.is_some_and(|picture| (picture.map == ColourMap::Direction) != is_vector),
            self.colours == Colours::OfRule,
        );
        let picture = picture.filter(|_| !is_other);
        let range = picture.and_then(|picture| picture.range).map(|(low, high)| Extent::Fixed(low, high));
        Style {
            colours: match is_vector {
                true if of_rule => Colours::Direction,
                false if of_rule && is_other => Colours::Perceptual,
                _ => self.colours.clone(),
            },
            extent: self.extent.or(range).unwrap_or(extent),
            logarithmic: self.logarithmic,
            background: self.background,
            caption: None,
            paper: None,
            axes: self.axes,
            label: self.label.clone(),
            turn: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;

    #[test]
    fn a_vector_is_drawn_by_its_direction_and_a_component_as_a_number() {
        let text = |picture: &str| format!("rule spins {{ state u: f32 state m: vec2 next u = m.x {picture} }}");
        let rule = |picture: &str| resolve::rule_of_text("spins", &text(picture), None).unwrap().0;
        let of = |rule: &Rule, field: Option<&str>, colours: Colours| {
            let drawing = Drawing { field: field.map(str::to_owned), colours, ..Drawing::default() };
            let state = drawing.state(rule)?;
            let style = drawing.style(rule, Extent::Fit);
            picture::check_style(rule, state, &style)
                .map(|()| (rule.state(state).name.clone(), style.colours, style.extent))
        };
        let (x, fit) = ("m.x".to_owned(), Extent::Fit);
        let shown = Ok((x.clone(), Colours::Direction, Extent::Fixed(0.0, 2.0)));
        let (plain, with) = (rule(""), rule("picture m in 0.0..=2.0"));
        assert_eq!(of(&plain, Some("m"), Colours::OfRule), Ok((x.clone(), Colours::Direction, fit)));
        assert_eq!(of(&plain, Some("m.x"), Colours::Direction), Ok((x.clone(), Colours::Direction, fit)));
        assert_eq!(of(&with, None, Colours::OfRule), shown);
        assert_eq!(of(&with, Some("m"), Colours::OfRule), shown);
        assert_eq!(of(&with, Some("m.x"), Colours::OfRule), Ok((x.clone(), Colours::Perceptual, fit)));
        assert_eq!(of(&with, Some("m.x"), Colours::Grey), Ok((x, Colours::Grey, fit)));
        let own = rule("picture grey(m.x)");
        assert_eq!(of(&own, Some("m.x"), Colours::OfRule).unwrap().1, Colours::OfRule);
        for (field, colours, words) in [
            (Some("m"), Colours::Grey, "`--field m.x`"),
            (None, Colours::Cyclic, "`m` is a vector"),
            (Some("m.y"), Colours::Direction, "not the first component of a vector"),
            (Some("u"), Colours::Direction, "`direction` has no effect on `u`"),
            (Some("n"), Colours::OfRule, "no state `n`"),
        ] {
            let told = of(&with, field, colours).unwrap_err().to_string();
            assert!(told.contains(words), "{told}");
        }
    }

    #[test]
    fn what_is_drawn_survives_json() {
        let drawing = Drawing {
            field: Some("u".to_owned()),
            window: Some("0,0,9,9".to_owned()),
            slice: Some(3),
            zoom: Some(Zoom::Reduce(4)),
            extent: Some(Extent::Fixed(-1.5, 2.0)),
            colours: Colours::Own(vec![0, 0xff00ff]),
            logarithmic: true,
            background: Background::Dark,
            axes: true,
            label: Some("T (K)".to_owned()),
            animation: Form { fps: Some(25), film: true, max_size: Some(2.5) },
        };
        for drawing in [drawing, Drawing::default()] {
            assert_eq!(json::read(&serde_json::to_value(&drawing).unwrap()), Ok(drawing));
        }
        assert!(json::read::<Drawing>(&serde_json::json!({"field": 3})).unwrap_err().contains("`field`"));
    }
}
