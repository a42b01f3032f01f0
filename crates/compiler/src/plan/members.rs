//! Layouts whose lanes are members of an ensemble: there are no lanes of replicas, so that every neighbour is a column of its own and no lane moves.

use super::MOST_STEPS;
use super::judge::judge;
use super::sides::shortest;
use super::work::Works;
use crate::geometry::Domain;
use crate::ir::rule::Rule;
use crate::layout::Layout;
use crate::target::{Candidate, Machine};

/// All layouts and numbers of steps that fit where columns are so many members, the cheapest first. Costs are picoseconds for a cell of one
/// member and a step.
pub fn member_candidates(domain: &Domain, rule: &Rule, machine: &Machine, members: usize) -> Vec<Candidate> {
    let machine = Machine { permutation: 0.0, permutation_of_numbers: 0.0, ..*machine };
    let works = Works::of(rule, domain, &machine);
    let reach = rule.reach(domain.dimension());
    let most_steps = if rule.step_by_step() { 1 } else { MOST_STEPS };
    let mut candidates = Vec::new();
    for micro_digits in 0..=domain.level() {
        if domain.cell_product(micro_digits) > crate::layout::MOST_MICRO {
            break;
        }
        let Ok(layout) = Layout::new(domain, 0, micro_digits) else { continue };
        for steps in 1..=most_steps {
            let seen = u64::from(reach) * u64::from(steps);
            if !layout.is_whole() && seen > shortest(layout.low().extent(), layout.dimension()) {
                break;
            }
            let candidate = judge(&layout, members, steps, works.on(&layout), reach, &machine, 1);
            if candidate.operations <= machine.longest_kernel {
                candidates.push(candidate);
            }
        }
    }
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    candidates
}
