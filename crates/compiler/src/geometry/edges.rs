//! Values beyond the edges of a domain, for a rule: from the texts of the domain and of flags to values of the rule's states.

use super::domain::RuleMisfit;
use crate::ir::{Axes, Boundary, BySide, Edge, Fractal, FractalParts, Rule, RuleParts, SideBoundary, StateId};
use crate::numbers::flush::flushed;
use crate::numbers::scalar;
use crate::text::words::{list, meant, short};
use std::sync::Arc;

/// A fractal with the edges of flags (`u=0.0`, or `u=0.0 at -x` for one side) in the place of those that its text gives for the same states and sides.
///
/// # Errors
/// For a flag that is not of the form `state=value` or `state=value at -x`, and for two about one state and side.
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
        let (value, side) = match value.split_once(" at ") {
            None => (value, None),
            Some((value, name)) => (value, Some(side_named(name.trim(), flag)?)),
        };
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        if given.iter().any(|edge| edge.name == name && edge.side == side) {
            let side = side.map_or_else(String::new, |side| format!(" at {}", Edge::side_name(side)));
            return Err(RuleMisfit::new(format!("the edge of `{}`{side} is given twice", short(&name))));
        }
        given.push(Edge { name, value, side, place: format!("--edge {}", short(flag)) });
    }
    // What a domain says of a vector at a side goes before what is said of a component at all sides, unless a flag says it.
    let flags = given.clone();
    let kept: Vec<&Edge> = fractal.edges.iter().filter(|edge| !flags.iter().any(|new| new.replaces(edge))).collect();
    for new in flags.iter().filter(|new| new.side.is_none()) {
        let of_all = kept.iter().filter(|edge| edge.is_of(&new.name) && edge.name != new.name);
        for side in of_all.filter_map(|edge| edge.side) {
            if !flags.iter().any(|other| other.name == new.name && other.side == Some(side)) {
                given.push(Edge { side: Some(side), ..new.clone() });
            }
        }
    }
    let others = fractal.edges.iter().filter(|edge| !given.iter().any(|new| new.replaces(edge))).cloned();
    let edges = others.collect::<Vec<_>>().into_iter().chain(given).collect();
    Ok(Arc::new(Fractal(FractalParts { edges, ..fractal.0.clone() })))
}

/// The side that a flag names.
fn side_named(name: &str, flag: &str) -> Result<usize, RuleMisfit> {
    (0..6).find(|side| Edge::side_name(*side) == name).ok_or_else(|| {
        let (name, flag) = (short(name), short(flag));
        RuleMisfit::new(format!("--edge {flag}: there is no side `{name}`, but -x, +x, -y, +y, -z and +z"))
    })
}

/// The sides of a fractal that have an edge.
fn open_sides(fractal: &Fractal) -> impl Iterator<Item = usize> {
    let (axes, periodic) = (fractal.dimension.axes(), fractal.periodic.0);
    (0..2 * axes).filter(move |side| !periodic[side / 2])
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
    if let Some((edge, side)) = fractal.edges.iter().find_map(|edge| {
        let side = edge.side.filter(|side| open_sides(fractal).all(|open| open != *side))?;
        Some((edge, side))
    }) {
        let (place, name, axis) = (&edge.place, &fractal.name, Axes::NAMES[side / 2]);
        let what = match side / 2 < fractal.dimension.axes() {
            true => format!("{place}: `{name}` is periodic along {axis} and has no edge at {}", Edge::side_name(side)),
            false => format!("{place}: `{name}` is {}-D and has no axis `{axis}`", fractal.dimension.axes()),
        };
        let open: Vec<String> = open_sides(fractal).map(Edge::side_name).collect();
        return Err(RuleMisfit::new(what).with_help(format!("it has an edge at {}", open.join(", "))));
    }
    // No step writes the canonical index, and none reads it at neighbours: it has no edge.
    let named = || (0..).map(StateId).zip(rule.states_and_fields()).filter(|(id, _)| rule.index != Some(*id));
    let mut sides: Vec<BySide<SideBoundary>> = vec![[None; 6]; rule.states_and_fields().count()];
    // What is said of a single side, and of a component of a vector, goes before what is said of all.
    let mut in_order: Vec<&Edge> = fractal.edges.iter().collect();
    in_order.sort_by_key(|edge| (edge.side.is_some(), edge.name.contains('.')));
    for edge in &in_order {
        // A let that takes the types of its uses has several.
        let mut of_name = named().filter(|(_, state)| edge.is_of(&state.name)).peekable();
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
                "reflect" => SideBoundary::Reflect,
                text => match rule.value(state.ty, text) {
                    // As of constants in a rule that flushes.
                    Ok(value) if rule.flush => SideBoundary::Constant(flushed(scalar::canonical(value))),
                    Ok(value) => SideBoundary::Constant(scalar::canonical(value)),
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
            for side in open_sides(fractal).filter(|side| edge.side.is_none_or(|only| only == *side)) {
                sides[usize::from(id.0)][side] = Some(boundary);
            }
        }
    }
    let has_edge = |side: &usize| sides.iter().any(|of_state| of_state[*side].is_some());
    let with_edges: Vec<usize> = open_sides(fractal).filter(has_edge).collect();
    let lacking = |id: &StateId| with_edges.iter().copied().find(|side| sides[usize::from(id.0)][*side].is_none());
    if let Some((missing, side)) = rule.read_at_neighbours().into_iter().find_map(|id| Some((id, lacking(&id)?))) {
        let (rule, missing) = (&rule.name, &rule.state(missing).name);
        let given =
            in_order.iter().copied().find(|edge| edge.side.is_none_or(|of_edge| of_edge == side)).unwrap_or(first);
        let at = given.side.map_or_else(String::new, |side| format!(" at {}", Edge::side_name(side)));
        let quote = if at.is_empty() { "" } else { "\"" };
        let (place, given) = (&given.place, &given.name);
        let what = format!(
            "{place}: there is an edge of `{given}`{at}, but the rule `{rule}` reads `{missing}` at neighbours as well"
        );
        return Err(RuleMisfit::new(what).with_help(format!(
            "say what `{missing}` is there, too: `edge {missing} = …{at}`, or `--edge {quote}{missing}=…{at}{quote}`"
        )));
    }
    let are_sides = fractal.edges.iter().any(|edge| edge.side.is_some());
    let whole = |of_state: &BySide<SideBoundary>| match of_state.iter().flatten().next()? {
        _ if are_sides => Some(Boundary::Sides(*of_state)),
        SideBoundary::Constant(value) => Some(Boundary::Constant(*value)),
        SideBoundary::Reflect => Some(Boundary::Reflect),
    };
    let edges = sides.iter().map(whole).collect();
    // On domains with holes coordinates say what is beyond an edge.
    Ok(Arc::new(Rule(RuleParts { edges, names_coordinates: true, ..rule.0.clone() })))
}
