//! Coloured steps that read beyond their colours: cells that take the same turn read one another, and all of them read the old values.
//!
//! A state that the step leaves as it is may be read anywhere, and so may cells of other colours, however far they are: `von_neumann` has two colours,
//! which tell a cell from all that lie an odd number of steps away.

use crate::geometry::Domain;
use crate::ir::needs::{CellOffset, CellOffsets, NeededOffsets, looks};
use crate::ir::{
    ColourClasses, Coloured, Dimension, Neighbourhood, NodeId, Op, PairCode, Rule, RuleParts, StateId, Step,
};

/// The most places that are gone through for one step. A step that reads more of them is not judged.
const MOST_PLACES: usize = 1 << 20;

/// A read, by a coloured step, of a state that it changes, at other cells of the cell's own colour.
pub(super) struct Beyond {
    /// The state.
    pub state: StateId,
    /// The nearest of these cells.
    pub offset: CellOffset,
    /// A neighbourhood by which no such cell has the cell's own colour.
    pub enough: Option<Neighbourhood>,
}

/// The nearest read of a coloured step beyond its colours, where neighbourhoods have these colours.
pub(super) fn beyond(
    coloured: &Coloured,
    steps: &[Step],
    neighbourhoods: &[Neighbourhood],
    dimension: Dimension,
    colours: impl Fn(&Neighbourhood) -> Option<ColourClasses>,
) -> Option<Beyond> {
    let own = colours(&neighbourhoods[usize::from(coloured.neighbourhood)])?;
    let reads = reads_of_changed(steps.get(coloured.steps.clone())?, neighbourhoods, dimension)?;
    let meeting = reads.iter().filter(|(_, offset)| own.meet(*offset));
    let (state, offset) = *meeting.min_by_key(|(_, offset)| distances(*offset))?;
    let reach = reads.iter().map(|(_, offset)| distances(*offset).0).max().unwrap_or(0);
    let all = std::iter::once(Neighbourhood::VonNeumann(1)).chain((1..=reach).map(Neighbourhood::Moore));
    let parts =
        |of: &Neighbourhood| colours(of).is_some_and(|colours| !reads.iter().any(|(_, offset)| colours.meet(*offset)));
    Some(Beyond { state, offset, enough: { all }.find(parts) })
}

/// How far an offset leads, along the longest axis and in all.
fn distances(offset: CellOffset) -> (u32, u32) {
    let along = offset.map(i32::unsigned_abs);
    (along.into_iter().max().unwrap_or(0), along.into_iter().sum())
}

/// The states that the last of some steps changes, each with the offsets at which it is read, by the step itself or by the fields before it.
fn reads_of_changed(
    steps: &[Step],
    neighbourhoods: &[Neighbourhood],
    dimension: Dimension,
) -> Option<Vec<(StateId, CellOffset)>> {
    /// Among more offsets nothing is looked for.
    const MOST_OFFSETS: i128 = 1 << 22;
    if neighbourhoods.iter().any(|of| of.offsets_at_most(dimension) > MOST_OFFSETS) {
        return None;
    }
    let neighbourhoods: Vec<Vec<CellOffset>> = neighbourhoods.iter().map(|n| n.offsets(dimension)).collect();
    let step = &steps.last()?.body;
    let changed = step.results.iter().filter(|(state, node)| step.node(*node).op != Op::State(*state));
    let changed: Vec<StateId> = changed.map(|(state, _)| *state).collect();
    let mut needs: NeededOffsets = changed.iter().map(|state| (*state, CellOffsets::from([[0; 3]]))).collect();
    for step in steps.iter().rev() {
        let nodes = step.needed_nodes(&needs, &neighbourhoods);
        if nodes.iter().map(|nodes| nodes.at.len() * nodes.looks.len()).sum::<usize>() > MOST_PLACES {
            return None;
        }
        let of_pairs: Vec<(StateId, CellOffset)> =
            step.pairs.iter().flat_map(|pairs| seen_by_pairs(pairs, &needs, &neighbourhoods)).collect();
        needs = step.needs_before(needs, &nodes);
        for (state, offset) in of_pairs {
            needs.entry(state).or_default().insert(offset);
        }
    }
    let of_state = |state: StateId| needs.get(&state).into_iter().flatten().map(move |offset| (state, *offset));
    Some(changed.into_iter().flat_map(of_state).collect())
}

/// The states that a bond looks at, where it is read by the cell itself: at both ends of its pairs.
fn seen_by_pairs(
    pairs: &PairCode,
    needs: &NeededOffsets,
    neighbourhoods: &[Vec<CellOffset>],
) -> Vec<(StateId, CellOffset)> {
    let read = pairs.body.results.iter().filter_map(|(bond, _)| needs.get(bond)).flatten().copied();
    let ends: CellOffsets = read.flat_map(|offset| [[0; 3], offset]).collect();
    let at = |(state, offset): (StateId, CellOffset)| {
        let there = |end: &CellOffset| (state, [0, 1, 2].map(|axis| end[axis] + offset[axis]));
        ends.iter().map(there).collect::<Vec<_>>()
    };
    let of_node = |id: u32| match pairs.body.nodes[id as usize].op {
        Op::Neighbour(state) => vec![(state, [0; 3])],
        _ => looks(&pairs.body, NodeId(id), neighbourhoods),
    };
    (0..pairs.body.nodes.len() as u32).flat_map(of_node).flat_map(at).collect()
}

/// A place as texts write it.
pub(super) fn place([x, y, z]: CellOffset, dimension: Dimension) -> String {
    match dimension {
        Dimension::Three => format!("({x}, {y}, {z})"),
        Dimension::One | Dimension::Two => format!("({x}, {y})"),
    }
}

/// A neighbourhood as texts write it.
pub(super) fn written(neighbourhood: &Neighbourhood) -> String {
    let of_radius = |name: &str, radius: u32| match radius {
        1 => name.to_owned(),
        _ => format!("{name}({radius})"),
    };
    match neighbourhood {
        Neighbourhood::Moore(radius) => of_radius("moore", *radius),
        Neighbourhood::VonNeumann(radius) => of_radius("von_neumann", *radius),
        Neighbourhood::Listed { name, .. } => name.clone(),
        Neighbourhood::Pairs(of) => written(of),
    }
}

/// The warnings about the coloured steps of a rule on a domain.
pub(super) fn warnings<'r>(rule: &'r Rule, domain: &'r Domain) -> impl Iterator<Item = String> + 'r {
    let dimension = domain.dimension();
    let colours = move |of: &Neighbourhood| {
        ColourClasses::new(of, dimension, domain.extent(), domain.periodic(), &domain.fractal().name).ok()
    };
    let of_step = move |coloured: &Coloured| {
        let RuleParts { steps, neighbourhoods, .. } = &**rule;
        let found = beyond(coloured, steps, neighbourhoods, dimension, colours)?;
        let enough = match &found.enough {
            Some(enough) => format!("; write `colour of {}`", written(enough)),
            None => String::new(),
        };
        Some(format!(
            "step `{}` of `{}` runs for each colour of `{}` and reads `{}` at {}, where a cell of the same colour changes at the same time{enough}",
            steps[coloured.steps.end - 1].name.as_deref().unwrap_or_default(),
            rule.name,
            written(&neighbourhoods[usize::from(coloured.neighbourhood)]),
            rule.state(found.state).name,
            place(found.offset, dimension),
        ))
    };
    rule.coloured.iter().filter(|coloured| !coloured.reads_beyond).filter_map(of_step)
}

#[cfg(test)]
mod tests {
    use crate::check::warnings_in;
    use crate::geometry::Domain;
    use crate::samples::library;
    use std::sync::Arc;

    /// Each case: the domain's name, the neighbourhood of the colours, the step's expression, and the end of the warning, if there is one.
    const CASES: [(&str, &str, &str, Option<&str>); 13] = [
        ("sheet", "von_neumann", "sum(von_neumann, nb.n)", None),
        ("sheet", "von_neumann", "sum(moore, nb.n)", Some("write `colour of moore`")),
        ("sheet", "moore", "sum(moore, nb.n)", None),
        ("sheet", "von_neumann", "n[1, 2] else 0", None),
        // Three colours, because the sides are odd.
        ("odd", "von_neumann", "sum(von_neumann, nb.n)", None),
        ("odd", "von_neumann", "n[1, 2] else 0", Some("write `colour of moore`")),
        ("line", "von_neumann", "sum(moore, nb.n)", None),
        ("line", "von_neumann", "n[2, 0] else 0", Some("write `colour of moore(2)`")),
        ("column", "von_neumann", "sum(moore, nb.n)", None),
        ("small", "moore", "n[2, 0] else 0", None),
        ("sheet", "von_neumann", "sum(moore, nb.still)", None),
        ("sheet", "von_neumann", "sum(von_neumann, nb.near)", Some("write `colour of moore(2)`")),
        ("cube", "von_neumann", "sum(moore, nb.n)", Some("write `colour of moore`")),
    ];

    #[test]
    fn domains_say_which_cells_have_a_colour() {
        let domains = library(
            "domain sheet { size (12, 10) }
             domain odd { size (9, 9)  periodic }
             domain line { size (40, 1) }
             domain column { size (1, 40) }
             domain small { size (2, 10)  periodic }
             domain cube { size (6, 6, 6)  periodic }",
        );
        for (name, colours, next, warning) in CASES {
            let text = format!(
                "rule r {{
                    state n: i32
                    state still: i32
                    init n = x
                    init still = y
                    let near = sum(von_neumann, nb.n)
                    step s colour of {colours} {{ next n = ({next}) + near * 0 + still * 0 }}
                }}"
            );
            // A term that is multiplied by 0 counts: `near` looks at cells of other colours.
            let rule = &library(&text).rules[0];
            let fractal = domains.fractals.iter().find(|fractal| fractal.name == name).expect("it is there");
            let domain = Domain::new(Arc::clone(fractal), 1).expect("it is small");
            let said: Vec<String> =
                warnings_in(rule, &domain).into_iter().filter(|it| it.contains("colour of")).collect();
            match warning {
                None => assert_eq!(said, [""; 0], "{name}, {colours}: {next}"),
                Some(end) => assert!(said.len() == 1 && said[0].ends_with(end), "{name}, {colours}: {next}: {said:?}"),
            }
            let meant = text.replace("state still", "allow separation  state still");
            assert!(!warnings_in(&library(&meant).rules[0], &domain).iter().any(|it| it.contains("colour of")));
        }
    }
}
