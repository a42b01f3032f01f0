//! Steps that go along all axes, forwards and backwards: a step for each way.

use super::fractal::Dimension;
use super::global_expr::GlobalExpr;
use super::order::{SignedAxis, StepOrder};
use super::rule::{Rule, RuleParts, Step};

impl Rule {
    /// The rule with a step for each order of those that go along all axes, as if all were written out; `None` if it is the same.
    pub(crate) fn each_way(&self, dimension: Dimension) -> Option<Rule> {
        let is_all = |step: &Step| matches!(step.order, Some(StepOrder::All { .. }));
        if !self.steps.iter().any(is_all) {
            return None;
        }
        let (mut steps, mut places, mut first, mut further) = (Vec::new(), Vec::new(), 0, 0);
        for (index, step) in self.steps.iter().enumerate() {
            let Some(StepOrder::All { fields, draws, draws_of_globals }) = step.order else { continue };
            let group = index - fields..index + 1;
            let before = &self.steps[first..group.start];
            places.extend(steps.len()..steps.len() + before.len());
            steps.extend(before.iter().map(|step| moved(step, further)));
            places.extend(steps.len()..steps.len() + group.len());
            for (turn, axes) in StepOrder::each_way(dimension).enumerate() {
                let by = further + turn as u32 * draws + if turn > 0 { draws_of_globals } else { 0 };
                let signs: String = axes.iter().map(SignedAxis::to_string).collect();
                for of_group in &self.steps[group.clone()] {
                    let mut step = moved(of_group, by);
                    step.name = step.name.map(|name| format!("{name}_from_{signs}"));
                    if is_all(&step) {
                        step.order = Some(StepOrder::Along(axes.clone()));
                    }
                    if turn > 0 {
                        step.globals.clear();
                    }
                    steps.push(step);
                }
            }
            further += ((1 << dimension.axes()) - 1) * draws;
            first = group.end;
        }
        places.extend(steps.len()..steps.len() + self.steps.len() - first);
        steps.extend(self.steps[first..].iter().map(|step| moved(step, further)));
        let mut coloured = self.coloured.clone();
        for of in &mut coloured {
            let start = places[of.steps.start];
            of.steps = start..start + of.steps.len();
        }
        Some(Rule(RuleParts { steps, coloured, ..self.0.clone() }))
    }
}

/// A step whose draws have numbers that are greater by this.
fn moved(step: &Step, by: u32) -> Step {
    let mut step = step.clone();
    let bodies = [&mut step.body].into_iter().chain(step.pairs.iter_mut().map(|pairs| &mut pairs.body));
    bodies.flat_map(|body| &mut body.nodes).filter_map(|node| node.op.draw_mut()).for_each(|draw| *draw += by);
    step.pairs.iter_mut().flat_map(|pairs| &mut pairs.draws).for_each(|draws| draws.first += by);
    step.clusters.iter_mut().flat_map(|of| of.draws_mut()).for_each(|draw| *draw += by);
    for (_, total) in &mut step.globals {
        total.visit(&mut |inner| {
            if let GlobalExpr::Random { draw, .. } = inner {
                *draw += by;
            }
        });
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::library;

    /// As if it were written out: names, draws, globals.
    #[test]
    fn all_orders_are_steps_in_turn() {
        let rule = library(
            "rule r {
                state s: i32
                init s = 0
                let noise = i32(bits())
                global shift = uniform()
                step before colour of von_neumann { next s = s + i32(bits()) }
                step go from all { next s = s + (noise[1, 0] else 0) + i32(below(4)) + i32(f32(normal())) + i32(f32(shift)) }
                step behind colour of von_neumann { next s = s + i32(bits()) + i32(shift) }
            }",
        );
        let rule = &rule.rules[0];
        for (dimension, passes) in [(Dimension::One, 2), (Dimension::Two, 4), (Dimension::Three, 8)] {
            let all = rule.each_way(dimension).expect("there are some");
            assert_eq!(all.steps.len(), 2 + 2 * passes);
            let draws = |step: &Step| -> Vec<u32> {
                step.body.nodes.iter().filter_map(|node| node.op.clone().draw_mut().copied()).collect()
            };
            let mut numbers: Vec<u32> = all.steps.iter().flat_map(draws).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let passes = passes as u32;
            // One number is the global's before the first pass, and one before the last step.
            let expected: Vec<u32> = (0..2 + 4 * passes).map(|draw| draw + u32::from(draw > 4)).collect();
            assert_eq!(numbers, expected);
            let behind = &all.coloured[1];
            assert_eq!(behind.steps, all.steps.len() - 1..all.steps.len());
            assert_eq!(all.steps[behind.steps.start].name.as_deref(), Some("behind"));
            assert_eq!(all.steps.iter().filter(|step| !step.globals.is_empty()).count(), 2);
        }
        let names: Vec<_> =
            rule.each_way(Dimension::Two).expect("some").steps.iter().filter_map(|step| step.name.clone()).collect();
        assert_eq!(names[2..6], ["go_from_+x+y", "go_fields_from_-x+y", "go_from_-x+y", "go_fields_from_+x-y"]);
    }
}
