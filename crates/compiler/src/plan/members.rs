//! How members of an ensemble are computed: whether each takes all threads of a CPU, whether they share the buffers of a GPU, and whether they are lanes of
//! the same columns. There are no lanes of replicas then, so that every neighbour is a column of its own and no lane moves.

use super::judge::judge;
use super::work::{Works, shortest};
use super::{MOST_STEPS, demanded, layouts};
use crate::geometry::{Domain, FittedRule};
use crate::ir::Reduction;
use crate::ir::rule::Rule;
use crate::kernel::Planes;
use crate::layout::{LayoutError, Storage};
use crate::reduce::weighted_bits::is_exact;
use crate::target::speciality::{Off, Speciality};
use crate::target::{Choice, Machine, Members, Target};
use std::sync::Arc;

/// Cells from which on one member is worth all threads of a CPU. Guess: not measured.
const LARGE: u64 = 1 << 20;
/// Fewer members leave most of a register of a CPU empty. Guess: an eighth of a register of 512 bits.
const FEWEST_ON_CPU: usize = 64;
/// Fewer members do not fill a word of a GPU. Guess: a word has as many bits.
const FEWEST_ON_GPU: usize = 32;
/// How many members a group may have on a CPU, where each thread computes all steps of one group before the next. Guess: not measured.
const GROUPS: [usize; 6] = [128, 256, 512, 1024, 2048, 4096];
/// Layouts that are worth being compiled. Guess: not measured.
const MOST_TRIES: usize = 4;

/// Whether one member is worth all threads of a CPU. Smaller members run at the same time, a thread each.
pub fn is_worth_all_threads(domain: &Domain) -> bool {
    domain.cells() >= LARGE
}

/// Whether members can stand one after the other in the buffers of a GPU, computed by one set of kernels: superblocks of replicas can, rows cannot.
pub fn can_share_buffers(domain: &Domain, off: Off) -> bool {
    domain.levels().is_some() && off.allows(Speciality::MembersInTurn)
}

/// Whether `members` members can be lanes of the same columns if all have the same parameters: they draw nothing in their steps, and their reductions
/// need no means, which would differ from lane to lane. On GPUs their states are bits alone: of numbers a word holds one, and members gain nothing.
pub fn can_be_lanes(rule: &FittedRule, target: &Target, members: usize) -> bool {
    let domain = rule.domain();
    let whole = rule.reductions.iter().all(Reduction::is_whole_at_once);
    let alone = !rule.draws() && rule.globals.is_empty() && !rule.is_ordered() && !rule.asks_clusters() && whole;
    let suits = || match target.is_gpu() {
        false => members >= FEWEST_ON_CPU && !is_worth_all_threads(domain),
        true => {
            let lane_by_lane = |index: usize| rule.reductions[index].ty.is_float() || is_exact(rule, index);
            let observed = (0..rule.reductions.len()).all(lane_by_lane);
            members >= FEWEST_ON_GPU && domain.cells() > 1 && Planes::are_bits(rule) && observed
        }
    };
    domain.levels().is_some() && alone && suits() && target.off().allows(Speciality::MemberLanes)
}

impl Choice {
    /// The cost of a step of one cell of each of `members` members on `threads` threads, in picoseconds. A thread computes all steps of members that run
    /// together before it takes the next ones.
    pub fn cost_of(&self, members: usize, threads: usize) -> f64 {
        let together = self.members.count() as usize;
        self.estimate.cost * (together * members.div_ceil(together).div_ceil(threads)) as f64
    }
}

/// Layouts whose lanes are members, the cheapest first. If the target demands a layout without lanes of its own, that one.
pub(super) fn member_lanes(
    domain: &Domain,
    rule: &Rule,
    target: &Target,
    members: usize,
) -> Result<Vec<Choice>, LayoutError> {
    let sizes = if target.is_gpu() { vec![members] } else { sizes(members) };
    if let Some(choice) = &target.demanded {
        let choice = demanded(choice, domain, Members::AsLanes(sizes[0] as u32))?;
        let has_lanes = choice.layout().is_some_and(|layout| layout.lane_digits() > 0);
        return Ok(if has_lanes { Vec::new() } else { vec![choice] });
    }
    let machine = match target.is_gpu() {
        true => target.machine,
        false => Machine { threads: 1.0, random_threads: 1.0, ..target.machine },
    };
    let of_size = |size: usize| member_candidates(domain, rule, &machine, size).into_iter().take(MOST_TRIES);
    let mut choices: Vec<Choice> = sizes.into_iter().flat_map(of_size).collect();
    let cost = |choice: &Choice| choice.cost_of(members, target.machine.threads as usize);
    choices.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    choices.truncate(MOST_TRIES);
    Ok(choices)
}

/// Sizes of groups in which `members` members leave few lanes empty.
fn sizes(members: usize) -> Vec<usize> {
    let size = |most: &usize| members.div_ceil(members.div_ceil(*most)).next_multiple_of(32);
    let mut sizes: Vec<usize> = GROUPS.iter().map(size).collect();
    sizes.dedup();
    sizes
}

/// All layouts and numbers of steps that fit where columns are `members` members, the cheapest first. Costs are picoseconds for a cell of one
/// member and a step.
pub fn member_candidates(domain: &Domain, rule: &Rule, machine: &Machine, members: usize) -> Vec<Choice> {
    let machine = Machine { permutation: 0.0, permutation_of_numbers: 0.0, ..*machine };
    let works = Works::of(rule, domain, &machine);
    let reach = rule.reach(domain.dimension());
    let most_steps = if rule.step_by_step() { 1 } else { MOST_STEPS };
    let mut candidates = Vec::new();
    for (layout, work) in layouts(domain, &works, &machine, [0, domain.level()]) {
        let storage = Arc::new(Storage::replicas(layout.clone()));
        for steps in 1..=most_steps {
            let seen = u64::from(reach) * u64::from(steps);
            if !layout.is_whole() && seen > shortest(layout.low().extent(), layout.dimension()) {
                break;
            }
            let estimate = judge((&layout, false), members, steps, work, reach, &machine, 1);
            if estimate.operations <= machine.longest_kernel {
                let (storage, members) = (Arc::clone(&storage), Members::AsLanes(members as u32));
                candidates.push(Choice { storage, far: false, steps, members, estimate });
            }
        }
    }
    candidates.sort_by(Choice::cheaper);
    candidates
}
