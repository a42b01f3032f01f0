//! How members of an ensemble are computed: whether each takes all threads of a CPU, whether they share the buffers of a GPU, and whether they are lanes of
//! the same columns. There are no lanes of replicas then, so that every neighbour is a column of its own and no lane moves.

use super::judge::judge;
use super::work::{Works, shortest};
use super::{MOST_STEPS, layouts};
use crate::geometry::{Domain, FittedRule};
use crate::ir::Reduction;
use crate::ir::rule::Rule;
use crate::kernel::Planes;
use crate::reduce::weighted_bits::is_exact;
use crate::target::speciality::{Off, Speciality};
use crate::target::{Candidate, Machine, Target};

/// Cells from which on one member is worth all threads of a CPU.
const LARGE: u64 = 1 << 20;
/// Fewer members leave most of a register of a CPU empty.
const FEWEST_ON_CPU: usize = 64;
/// Fewer members do not fill a word of a GPU.
const FEWEST_ON_GPU: usize = 32;
/// How many members a group may have on a CPU, where each thread computes all steps of one group before the next.
const GROUPS: [usize; 6] = [128, 256, 512, 1024, 2048, 4096];
/// Layouts that are worth being compiled.
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
    let alone = !rule.draws() && rule.globals.is_empty() && whole;
    let suits = || match target.is_gpu() {
        false => members >= FEWEST_ON_CPU && !is_worth_all_threads(domain),
        true => {
            let lane_by_lane = |index: usize| rule.reductions[index].ty.is_float() || is_exact(rule, index);
            let observed = (0..rule.reductions.len()).all(lane_by_lane);
            members >= FEWEST_ON_GPU && domain.cells() > 1 && Planes::are_bits(rule) && observed
        }
    };
    domain.levels().is_some() && target.off().allows(Speciality::MemberLanes) && alone && suits()
}

/// Layouts whose lanes are members, the cheapest first, and how many members share the columns of each: those that cost less than the members do otherwise,
/// which take `otherwise` picoseconds a cell and step, each on one of `threads` threads. If the target demands a layout without lanes of its own, that one.
pub(crate) fn member_lanes(
    rule: &FittedRule,
    target: &Target,
    (members, threads): (usize, usize),
    otherwise: f64,
) -> Vec<(Candidate, usize)> {
    let sizes = if target.is_gpu() { vec![members] } else { sizes(members) };
    if let Some(candidate) = &target.demanded {
        let has_lanes = candidate.layout.lane_digits() > 0;
        return if has_lanes { Vec::new() } else { vec![(candidate.clone(), sizes[0])] };
    }
    let otherwise = otherwise * members.div_ceil(threads) as f64;
    let of_size = |size: usize| {
        let turns = members.div_ceil(size).div_ceil(threads);
        let candidates = member_candidates(rule.domain(), rule, &target.machine, size).into_iter().take(MOST_TRIES);
        candidates.map(move |candidate| (candidate.cost * (size * turns) as f64, (candidate, size)))
    };
    let mut choices: Vec<_> = sizes.into_iter().flat_map(of_size).filter(|(cost, _)| *cost < otherwise).collect();
    choices.sort_by(|a, b| a.0.total_cmp(&b.0));
    choices.into_iter().map(|(_, choice)| choice).take(MOST_TRIES).collect()
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
pub fn member_candidates(domain: &Domain, rule: &Rule, machine: &Machine, members: usize) -> Vec<Candidate> {
    let machine = Machine { permutation: 0.0, permutation_of_numbers: 0.0, ..*machine };
    let works = Works::of(rule, domain, &machine);
    let reach = rule.reach(domain.dimension());
    let most_steps = if rule.step_by_step() { 1 } else { MOST_STEPS };
    let mut candidates = Vec::new();
    for (layout, work) in layouts(domain, &works, &machine, [0, domain.level()]) {
        for steps in 1..=most_steps {
            let seen = u64::from(reach) * u64::from(steps);
            if !layout.is_whole() && seen > shortest(layout.low().extent(), layout.dimension()) {
                break;
            }
            let candidate = judge((&layout, false), members, steps, work, reach, &machine, 1);
            if candidate.operations <= machine.longest_kernel {
                candidates.push(candidate);
            }
        }
    }
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    candidates
}
