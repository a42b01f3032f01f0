//! Settings of a run's pictures.

use super::animation::Form;
use crate::json;
use crate::picture::{self, Background, Colours, Extent, Style, View, Zoom};
use serde::{Deserialize, Serialize};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Dimension, Rule, StateId};
use squeeze_drawing::font;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::list;
use squeeze_engine::simulation::Window;
use std::collections::BTreeSet;

/// Settings of pictures. `None` means that the user gave none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Drawing {
    /// The name of the state; the one that the rule says, else the first.
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
    /// The state that is drawn.
    ///
    /// # Errors
    /// If the rule has no such state.
    pub fn state(&self, rule: &Rule) -> Result<StateId, Message> {
        let Some(name) = &self.field else {
            return Ok(rule.picture.as_ref().map_or_else(|| rule.first_state(), |picture| picture.state));
        };
        let names: Vec<&str> = rule.states.iter().map(|state| state.name.as_str()).collect();
        rule.state_named(name).ok_or_else(|| {
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
        let picture = rule.picture.as_ref().filter(|picture| self.state(rule) == Ok(picture.state));
        let of_rule = picture.and_then(|picture| picture.range).map(|(low, high)| Extent::Fixed(low, high));
        Style {
            colours: self.colours.clone(),
            extent: self.extent.or(of_rule).unwrap_or(extent),
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
