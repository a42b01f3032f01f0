//! Everything that ships, with values beyond the edges.

use super::masks;
use super::periodic::agree;
use super::shipped::{fractals, rules};
use squeeze::compiler::geometry::with_flags;
use squeeze::compiler::numbers::digest::mix;
use squeeze::ir::{Axes, Dimension, Type};
use squeeze::{Fractal, Rule};
use squeeze_tests::course::in_parallel;
use squeeze_tests::periodic;
use std::sync::Arc;

/// The fractal with something beyond its edges for all that a rule reads at neighbours: by the number constants, what is mirrored, or both, and of all sides or
/// of some.
fn with_edges(fractal: &Arc<Fractal>, rule: &Rule, number: u64) -> Arc<Fractal> {
    let axes = fractal.dimension.axes();
    let open = (0..2 * axes).filter(|side| !fractal.periodic.0[side / 2]);
    let mut sides: Vec<Option<usize>> = open.filter(|side| mix(number ^ 7) >> side & 1 == 1).map(Some).collect();
    if number % 3 != 1 || sides.is_empty() {
        sides = vec![None];
    }
    let edge = |side: Option<usize>, (index, id): (u64, squeeze::ir::StateId)| {
        let number = number + side.map_or(0, |side| mix(side as u64) % 60);
        let state = rule.state(id);
        let constant = match state.ty {
            Type::Bit => ["true", "false"][(number / 5 % 2) as usize].to_owned(),
            Type::Enum(id) => {
                let variants = &rule.enum_type(id).variants;
                variants[(number % variants.len() as u64) as usize].clone()
            }
            Type::F32 | Type::F64 => ["0.0", "-0.0", "1.5", "-3e7"][(number / 3 % 4) as usize].to_owned(),
            _ => (number / 3 % 5).to_string(),
        };
        let reflects = match number % 4 {
            0 => false,
            1 => true,
            _ => mix(number ^ index << 32) % 2 == 1,
        };
        let value = if reflects { "reflect".to_owned() } else { constant };
        let at = side.map(|side| format!(" at {}{}", ["-", "+"][side % 2], Axes::NAMES[side / 2]));
        format!("{}={value}{}", state.name, at.unwrap_or_default())
    };
    let read = (0..).zip(rule.read_at_neighbours());
    let edges: Vec<String> = read.flat_map(|read| sides.iter().map(move |side| edge(*side, read))).collect();
    with_flags(fractal, &edges).expect("each is given once")
}

#[test]
fn every_rule_on_fractals_with_edges() {
    let names =
        ["full_square", "sierpinski_triangle", "sierpinski_carpet", "lace", "vicsek", "menger_sponge", "bridge"];
    let chosen: Vec<_> = fractals().into_iter().filter(|fractal| names.contains(&fractal.name.as_str())).collect();
    let fits = |fractal: &Fractal, rule: &Rule| !rule.needs_three_dimensions || fractal.dimension == Dimension::Three;
    let rules = rules();
    let pairs = chosen.iter().flat_map(|fractal| rules.iter().map(move |rule| (fractal, rule)));
    let pairs: Vec<_> = (0..).zip(pairs.filter(|(fractal, rule)| fits(fractal, rule))).collect();
    let compared = in_parallel(&pairs, |(number, (fractal, rule))| {
        let axes = if number % 3 == 2 { Axes([number % 2 == 0, number % 2 == 1, false]) } else { Axes::NONE };
        agree(&with_edges(&periodic(fractal, axes), rule, *number), rule, *number)
    });
    let compared: usize = compared.into_iter().sum();
    assert!(compared > 2 * pairs.len(), "only {compared} runs of {} pairs", pairs.len());
}

/// On every other one.
#[test]
fn every_rule_on_masks_with_edges() {
    let (masks, rules) = (masks::masks(), rules());
    let open: Vec<_> = masks.iter().filter(|mask| mask.periodic != Axes::of(mask.dimension)).collect();
    let pairs: Vec<_> = (0..).zip(masks::by_turns(&open, &rules)).collect();
    let compared =
        in_parallel(&pairs, |(number, (mask, rule))| masks::compare(&with_edges(mask, rule, *number), rule, *number));
    let compared = compared.into_iter().filter(|compared| *compared).count();
    assert!(10 * compared > 7 * pairs.len(), "only {compared} of {} pairs", pairs.len());
}
