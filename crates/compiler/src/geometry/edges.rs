//! What lies beyond the edges of a domain, for a rule: from the texts of the domain and of flags to values of the rule's states.

use crate::ir::{Axes, Boundary, Edge, Fractal, Rule, StateId};
use crate::numbers::flush::flushed;
use crate::numbers::scalar;
use crate::text::words::{nearest, short};
use std::sync::Arc;

/// Why what a domain says of its edges does not suit it or the rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "messages say what the fields are")]
pub enum EdgeError {
    /// There is no `=`.
    #[error("`{}` is not of the form `state=value`", short(.0))]
    Form(String),
    /// Two flags about one state.
    #[error("the edge of `{}` is given twice", short(.0))]
    Twice(String),
    /// No axis has an edge.
    #[error("{place}: `{fractal}` is periodic along all its axes and has no edge")]
    Periodic { place: String, fractal: String },
    /// The rule has nothing of this name.
    #[error("{place}: the rule `{rule}` has no state `{}`, and no let of that name that is read at neighbours{}", short(name), near.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?")))]
    Unknown { place: String, rule: String, name: String, near: Option<String>, known: Vec<String> },
    /// The value does not fit the type.
    #[error(
        "{place}: `{}` is no value of `{name}: {}` beyond the edge; {valid}, or `reflect`",
        short(value),
        short(ty)
    )]
    Value { place: String, name: String, ty: String, value: String, valid: String },
    /// Something has no value beyond the edges and is read there.
    #[error("{place}: there is an edge of `{given}`, but the rule `{rule}` reads `{missing}` at neighbours as well")]
    Missing { place: String, given: String, rule: String, missing: String },
}

/// A fractal with the edges of flags (`u=0.0`) in the place of those that its text gives for the same states.
///
/// # Errors
/// [`EdgeError::Form`], [`EdgeError::Twice`].
pub fn with_flags(fractal: &Arc<Fractal>, flags: &[String]) -> Result<Arc<Fractal>, Box<EdgeError>> {
    if flags.is_empty() {
        return Ok(Arc::clone(fractal));
    }
    let mut given: Vec<Edge> = Vec::new();
    for flag in flags {
        let (name, value) = flag.split_once('=').ok_or_else(|| EdgeError::Form(flag.clone()))?;
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        if given.iter().any(|edge| edge.name == name) {
            return Err(EdgeError::Twice(name).into());
        }
        given.push(Edge { name, value, place: format!("--edge {}", short(flag)) });
    }
    let others = fractal.edges.iter().filter(|edge| !given.iter().any(|new| new.name == edge.name)).cloned();
    let edges = others.collect::<Vec<_>>().into_iter().chain(given).collect();
    Ok(Arc::new(Fractal { edges, ..Fractal::clone(fractal) }))
}

/// A rule with what lies beyond a fractal's edges.
///
/// # Errors
/// [`EdgeError`] if the edges do not suit the rule, or there are none.
pub(super) fn with_edges(fractal: &Fractal, rule: &Arc<Rule>) -> Result<Arc<Rule>, Box<EdgeError>> {
    let Some(first) = fractal.edges.first() else {
        return Ok(match rule.edges.is_empty() {
            true => Arc::clone(rule),
            false => Arc::new(Rule { edges: Vec::new(), ..Rule::clone(rule) }),
        });
    };
    if fractal.periodic == Axes::of(fractal.dimension) {
        return Err(Box::new(EdgeError::Periodic { place: first.place.clone(), fractal: fractal.name.clone() }));
    }
    // The canonical index is no field that anybody writes or reads elsewhere.
    let named = || (0..).map(StateId).zip(rule.states_and_fields()).filter(|(id, _)| rule.index != Some(*id));
    let mut edges = vec![None; rule.states_and_fields().count()];
    for edge in &fractal.edges {
        let Some((id, state)) = named().find(|(_, state)| state.name == edge.name) else {
            let known: Vec<String> = named().map(|(_, state)| state.name.clone()).collect();
            return Err(Box::new(EdgeError::Unknown {
                place: edge.place.clone(),
                rule: rule.name.clone(),
                name: edge.name.clone(),
                near: nearest(&edge.name, known.iter().map(String::as_str)).map(str::to_owned),
                known,
            }));
        };
        let boundary = match edge.value.as_str() {
            "reflect" => Boundary::Reflect,
            text => match rule.value(state.ty, text) {
                // As of constants in a rule that flushes.
                Ok(value) if rule.flush => Boundary::Constant(flushed(scalar::canonical(value))),
                Ok(value) => Boundary::Constant(scalar::canonical(value)),
                Err(valid) => {
                    return Err(Box::new(EdgeError::Value {
                        place: edge.place.clone(),
                        name: state.name.clone(),
                        ty: rule.type_name(state.ty),
                        value: text.to_owned(),
                        valid,
                    }));
                }
            },
        };
        edges[usize::from(id.0)] = Some(boundary);
    }
    if let Some(missing) = rule.read_at_neighbours().into_iter().find(|id| edges[usize::from(id.0)].is_none()) {
        return Err(Box::new(EdgeError::Missing {
            place: first.place.clone(),
            given: first.name.clone(),
            rule: rule.name.clone(),
            missing: rule.state(missing).name.clone(),
        }));
    }
    // On domains with holes coordinates say what is beyond an edge.
    Ok(Arc::new(Rule { edges, names_coordinates: true, ..Rule::clone(rule) }))
}
