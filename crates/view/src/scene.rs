//! What pages look at: the states of a simulation or of a file, with the rule that they belong to.

use crate::message::PageView;
use serde_json::{Map, Value as Json, json};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{ColourMap, Dimension, Rule, StateId, Type, Value};
use squeeze_engine::Simulation;
use squeeze_engine::failure::{Error, Result};
use squeeze_engine::packed;
use squeeze_engine::simulation::{Fields, StateView};
use squeeze_records::picture::{Colours, Extent};
use squeeze_records::run::{Drawing, params_as_settings};

/// The most cells and places of a pattern that a page is told.
const MOST_OF_PATTERN: u64 = 4096;

/// States of a rule at a time.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// The states.
    pub(crate) fields: &'a dyn Fields,
    /// Their rule.
    pub(crate) rule: &'a Rule,
    /// Their time.
    pub(crate) time: u32,
}

impl<'a> Scene<'a> {
    /// The present states of a simulation.
    pub(crate) fn of(simulation: &'a Simulation) -> Scene<'a> {
        Scene { fields: simulation, rule: simulation.rule(), time: simulation.time() }
    }

    /// The domain.
    pub(crate) fn domain(&self) -> &'a Domain {
        self.fields.domain()
    }

    /// The name of the state or vector that is shown; of none an empty one.
    pub(crate) fn name_of(&self, view: &PageView) -> &'a str {
        let state = StateId(view.look.state);
        let Some(shown) = self.rule.states.get(usize::from(state.0)) else { return "" };
        let vector = self.rule.vector_of(state).filter(|_| view.look.colours == Colours::Direction);
        vector.map_or(&*shown.name, |(name, _)| name)
    }

    /// The number of a cell and its values, given its place.
    ///
    /// # Errors
    /// If the states cannot be read.
    pub(crate) fn probe(&self, place: [u64; 3]) -> Result<Json> {
        let named = place.map(|v| v.to_string());
        let Some(index) = self.domain().nu(place) else { return Ok(json!({ "place": named, "index": null })) };
        let mut values = Map::new();
        for (number, state) in (0..).map(StateId).zip(&self.rule.states) {
            let value = value_at(StateView::numbered(self.fields, number)?, index)?;
            values.insert(state.name.clone(), text(self.rule, value).into());
        }
        Ok(json!({ "place": named, "index": index.to_string(), "values": values }))
    }
}

/// The value of a cell.
pub(crate) fn value_at(field: StateView<'_>, cell: u64) -> Result<Value> {
    let ty = field.ty();
    let cells = match ty {
        Type::Bit => cell / 8 * 8..field.domain().cells().min((cell / 8 + 1) * 8),
        _ => cell..cell + 1,
    };
    let mut bytes = vec![0; packed::bytes(ty, cells.end - cells.start) as usize];
    field.read(cells.clone(), &mut bytes)?;
    Ok(packed::value(ty, &bytes, cell - cells.start))
}

/// A value as text; of an enum the variant's name.
fn text(rule: &Rule, value: Value) -> String {
    match value {
        Value::Enum(id, variant) => rule.enum_type(id).variants[usize::from(variant)].clone(),
        Value::Bit(bit) => u8::from(bit).to_string(),
        number => number.as_text(),
    }
}

/// The values of all parameters, by their names.
pub(crate) fn params(rule: &Rule, values: &[Value]) -> Map<String, Json> {
    let settings = params_as_settings(rule, values);
    settings.iter().filter_map(|one| one.split_once('=')).map(|(name, value)| (name.to_owned(), value.into())).collect()
}

/// The description of a run that pages get first. `params` are the values of its parameters, and `about` are the comments on them, by their names.
///
/// # Errors
/// If the drawing names a state that the rule does not have.
pub(crate) fn hello(
    scene: &Scene<'_>,
    drawing: &Drawing,
    params: &Map<String, Json>,
    about: &[(String, String)],
) -> Result<Map<String, Json>> {
    let (rule, domain) = (scene.rule, scene.domain());
    let picture = rule.picture.as_ref();
    // The range that the rule says for a state, or for the vector that begins with it; and whether it shows the vector.
    let of_rule = |number: u16, is_vector: bool| {
        let picture = picture.filter(|picture| picture.state.0 == number)?;
        (is_vector == (picture.map == ColourMap::Direction)).then_some(picture.range).flatten()
    };
    let is_other =
        |number: u16| picture.is_some_and(|picture| picture.state.0 == number && picture.map == ColourMap::Direction);
    let mut states: Vec<Json> = (0u16..).zip(&rule.states).map(|(number, state)| {
        let range = of_rule(number, false);
        let names = match state.ty {
            Type::Enum(id) => json!(rule.enum_type(id).variants),
            _ => Json::Null,
        };
        let is_number = !matches!(state.ty, Type::Bit | Type::Enum(_));
        // The colours in the place of the rule's.
        let own = is_other(number).then_some("perceptual");
        json!({ "name": state.name, "type": rule.type_name(state.ty), "names": names, "number": is_number, "range": range, "state": number, "own": own })
    }).collect();
    let shown = drawing.state(rule).map_err(Error::from)?;
    let is_vector = drawing.style(rule, Extent::Fit).colours == Colours::Direction;
    let mut first = usize::from(shown.0);
    for number in (0..rule.states.len() as u16).map(StateId) {
        let Some((name, _)) = rule.vector_of(number) else { continue };
        if is_vector && number == shown {
            first = states.len();
        }
        let range = of_rule(number.0, true);
        states.push(json!({ "name": name, "type": "direction", "names": null, "number": true, "range": range, "state": number.0, "own": "direction" }));
    }
    let mut all_params: Vec<Json> = rule.params.iter().map(|param| {
        let about = about.iter().find(|(name, _)| *name == param.name).map_or("", |(_, about)| about);
        let names = match param.ty {
            Type::Enum(id) => json!(rule.enum_type(id).variants),
            _ => Json::Null,
        };
        json!({
            "name": param.name, "type": rule.type_name(param.ty), "names": names, "value": params.get(&param.name), "about": about,
            "follows": param.derived.is_some(),
            "range": param.range.map(|(low, high)| [low.as_text(), high.as_text()]),
        })
    }).collect();
    let defaults: Vec<Value> = rule.params.iter().map(|param| param.default).collect();
    let defaults = self::params(rule, &defaults);
    for param in &mut all_params {
        param["default"] = defaults.get(param["name"].as_str().unwrap_or_default()).cloned().into();
    }
    let observables: Vec<&str> = rule.observables.iter().map(|observable| observable.name.as_str()).collect();
    let (patterns, levels) = patterns(domain);
    let range = match drawing.extent {
        Some(Extent::Fixed(low, high)) => Some([low, high]),
        _ => None,
    };
    let hello = json!({
        "fractal": domain.fractal().name,
        "rule": rule.name,
        "about": rule.doc.lines().next().unwrap_or_default().trim(),
        "level": domain.levels(),
        "axes": domain.dimension().axes(),
        "extent": domain.extent().map(|side| side.to_string()),
        "cells": domain.cells().to_string(),
        "patterns": patterns,
        "levels": levels,
        "states": states,
        "params": all_params,
        "observables": observables,
        "look": {
            "state": first,
            "colours": if is_vector { Colours::OfRule } else { drawing.colours.clone() }.to_string(),
            "log": drawing.logarithmic,
            "range": range,
            "fit": matches!(drawing.extent, Some(Extent::Fit)),
            "slice": drawing.slice.unwrap_or(domain.extent()[2] / 2).to_string(),
        },
    });
    match hello {
        Json::Object(hello) => Ok(hello),
        other => unreachable!("{other} is an object"),
    }
}

/// The patterns of a 2-D fractal, and the number of each level's, from the finest on. There are none where pages ask for windows: of masks and boxes, in one and
/// in three dimensions, and where patterns are large.
fn patterns(domain: &Domain) -> (Vec<Json>, Vec<usize>) {
    let none = (Vec::new(), Vec::new());
    let Some(levels) = domain.levels().filter(|_| domain.dimension() == Dimension::Two) else { return none };
    let (mut known, mut numbers) = (Vec::new(), Vec::new());
    for pattern in (1..=levels).map(|level| domain.pattern(level)) {
        let [width, height, _] = pattern.scale;
        if u64::from(width) * u64::from(height) > MOST_OF_PATTERN {
            return none;
        }
        let number = known.iter().position(|other| *other == pattern).unwrap_or_else(|| {
            known.push(pattern);
            known.len() - 1
        });
        numbers.push(number);
    }
    let told = known.iter().map(|pattern| {
        let replicas: Vec<[u32; 2]> = pattern.replicas.iter().map(|[x, y, _]| [*x, *y]).collect();
        json!({ "scale": [pattern.scale[0], pattern.scale[1]], "replicas": replicas })
    });
    (told.collect(), numbers)
}
