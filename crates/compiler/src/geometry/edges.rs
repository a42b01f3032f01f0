//! Values beyond the edges of a domain, for a rule: from the texts of the domain and of flags to values of the rule's states.

use super::domain::RuleMisfit;
use crate::ir::{Axes, Boundary, Edge, Fractal, FractalParts, Rule, RuleParts, StateId};
use crate::numbers::flush::flushed;
use crate::numbers::scalar;
use crate::text::words::{list, meant, short};
use std::sync::Arc;

/// A fractal with the edges of flags (`u=0.0`) in the place of those that its text gives for the same states.
///
/// # Errors
/// For a flag that is not of the form `state=value`, and for two about one state.
pub fn with_flags(fractal: &Arc<Fractal>, flags: &[String]) -> Result<Arc<Fractal>, RuleMisfit> {
    if flags.is_empty() {
        return Ok(Arc::clone(fractal));
    }
    let mut given: Vec<Edge> = Vec::new();
    for flag in flags {
        let (name, value) = flag.split_once('=').ok_or_else(|| {
            RuleMisfit::new(format!("`{}` is not of the form `state=value`", short(flag)))
                .with_help("write for example `--edge u=0.0` or `--edge u=reflect`".to_owned())
        })?;
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        if given.iter().any(|edge| edge.name == name) {
            return Err(RuleMisfit::new(format!("the edge of `{}` is given twice", short(&name))));
        }
        given.push(Edge { name, value, place: format!("--edge {}", short(flag)) });
    }
    let others = fractal.edges.iter().filter(|edge| !given.iter().any(|new| new.name == edge.name)).cloned();
    let edges = others.collect::<Vec<_>>().into_iter().chain(given).collect();
    Ok(Arc::new(Fractal(FractalParts { edges, ..fractal.0.clone() })))
}

/// A rule with the values beyond a fractal's edges.
///
/// # Errors
/// If the edges do not suit the rule, or there are none.
pub(super) fn with_edges(fractal: &Fractal, rule: &Arc<Rule>) -> Result<Arc<Rule>, RuleMisfit> {
    let Some(first) = fractal.edges.first() else {
        return Ok(match rule.edges.is_empty() {
            true => Arc::clone(rule),
            false => Arc::new(Rule(RuleParts { edges: Vec::new(), ..rule.0.clone() })),
        });
    };
    if fractal.periodic == Axes::of(fractal.dimension) {
        let what = format!("{}: `{}` is periodic along all its axes and has no edge", first.place, fractal.name);
        return Err(RuleMisfit::new(what).with_help("leave the edge out, or let fewer axes be periodic".to_owned()));
    }
    if rule.asks_pairs() {
        let (name, rule) = (&fractal.name, &rule.name);
        let what = format!(
            "{}: the rule `{rule}` has values of pairs, and places beyond the edges of `{name}` are no cells",
            first.place
        );
        return Err(RuleMisfit::new(what)
            .with_help("leave the edge out: a cell at an open edge has no pairs with what is beyond".to_owned()));
    }
    // No step writes the canonical index, and none reads it at neighbours: it has no edge.
    let named = || (0..).map(StateId).zip(rule.states_and_fields()).filter(|(id, _)| rule.index != Some(*id));
    let mut edges = vec![None; rule.states_and_fields().count()];
    for edge in &fractal.edges {
        // A let that takes the types of its uses has several.
        let mut of_name = named().filter(|(_, state)| state.name == edge.name).peekable();
        if of_name.peek().is_none() {
            let mut known: Vec<String> = named().map(|(_, state)| state.name.clone()).collect();
            known.dedup();
            let (place, rule, name) = (&edge.place, &rule.name, short(&edge.name));
            let near = meant(&edge.name, known.iter().map(String::as_str));
            let what = format!(
                "{place}: the rule `{rule}` has no state `{name}`, and no let of that name that is read at neighbours{near}"
            );
            return Err(RuleMisfit::new(what).with_help(format!("it has {}", list(&known))));
        }
        for (id, state) in of_name {
            let boundary = match edge.value.as_str() {
                "reflect" => Boundary::Reflect,
                text => match rule.value(state.ty, text) {
                    // As of constants in a rule that flushes.
                    Ok(value) if rule.flush => Boundary::Constant(flushed(scalar::canonical(value))),
                    Ok(value) => Boundary::Constant(scalar::canonical(value)),
                    Err(valid) => {
                        let (place, name, ty) = (&edge.place, &state.name, rule.type_name(state.ty));
                        return Err(RuleMisfit::new(format!(
                            "{place}: `{}` is no value of `{name}: {}` beyond the edge; {valid}, or `reflect`",
                            short(text),
                            short(&ty)
                        )));
                    }
                },
            };
            edges[usize::from(id.0)] = Some(boundary);
        }
    }
    if let Some(missing) = rule.read_at_neighbours().into_iter().find(|id| edges[usize::from(id.0)].is_none()) {
        let (place, given, rule, missing) = (&first.place, &first.name, &rule.name, &rule.state(missing).name);
        let what = format!(
            "{place}: there is an edge of `{given}`, but the rule `{rule}` reads `{missing}` at neighbours as well"
        );
        return Err(RuleMisfit::new(what)
            .with_help(format!("say what `{missing}` is there, too: `edge {missing} = …`, or `--edge {missing}=…`")));
    }
    // On domains with holes coordinates say what is beyond an edge.
    Ok(Arc::new(Rule(RuleParts { edges, names_coordinates: true, ..rule.0.clone() })))
}
