//! Members that one thread computes in turn, step by step.
//!
//! Members that have one seed draw the same random words, and the engine keeps those of the step before it last computed for the next simulation that asks for
//! them: a group of such members takes half the time that its members take one after the other. A member's trajectory does not change.

use super::collector::{MemberFiles, Probes};
use super::rows::Rows;
use super::{Given, Sweep};
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::Simulation;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The most members that are computed in turn: what ends a sweep loses as many for each worker, and their states are to stay in the
/// caches.
const MOST_IN_TURN: usize = 16;
/// The fewest groups of a worker, so that none waits long for another's last one.
const GROUPS_EACH: usize = 4;

/// How many members are worth computing in turn: one, unless the rule draws in its steps.
pub(super) fn most_in_turn(simulation: &Simulation, sweep: &Sweep, members: usize, workers: usize) -> usize {
    let alike = (sweep.combinations() / sweep.levels().len()).min(members / (workers * GROUPS_EACH)).min(MOST_IN_TURN);
    if simulation.rule().draws() { alike.max(1) } else { 1 }
}

/// Groups of at most `most` members that share a seed, in the order of their first members.
pub(super) fn groups(sweep: &Sweep, members: &[usize], most: usize) -> Vec<Vec<usize>> {
    if most == 1 {
        return members.iter().map(|member| vec![*member]).collect();
    }
    let mut of_seed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for member in members {
        of_seed.entry(member % sweep.seeds.len()).or_default().push(*member);
    }
    let mut groups: Vec<Vec<usize>> =
        of_seed.values().flat_map(|members| members.chunks(most).map(<[usize]>::to_vec)).collect();
    groups.sort();
    groups
}

/// A member on its way from its beginning to its end.
struct Turn<'a> {
    simulation: &'a mut Simulation,
    rows: Rows,
    files: MemberFiles,
    has_ended: bool,
}

/// Runs members from their beginnings to their ends, as many as there are simulations or fewer, and gives the rows of each; `None` if they were
/// stopped.
pub(super) fn rows_of(
    simulations: &mut [Simulation],
    sweep: &Sweep,
    members: &[usize],
    given: &Given,
    probes: &mut Probes<'_>,
    steps: &AtomicU64,
    stop: &AtomicBool,
) -> Result<Option<Vec<Rows>>> {
    let mut turns = Vec::new();
    for (simulation, &member) in simulations.iter_mut().zip(members) {
        let (seed, settings) = sweep.member(member);
        simulation.set_disorder(sweep.disorder_of(member));
        simulation.restart(seed, &settings)?;
        given.give(simulation)?;
        turns.push(Turn { simulation, rows: Rows::default(), files: probes.begin(member)?, has_ended: false });
    }
    let mut before = 0;
    for time in sweep.times() {
        let ahead = time - before;
        before = time;
        // One alone takes all steps at once: a pass may hold several.
        let (rounds, each) = if members.len() == 1 { (1, ahead) } else { (ahead, 1) };
        for _ in 0..rounds {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            for turn in turns.iter_mut().filter(|turn| !turn.has_ended) {
                turn.simulation.step(u64::from(each))?;
                steps.fetch_add(u64::from(each), Ordering::Relaxed);
            }
        }
        for turn in turns.iter_mut().filter(|turn| !turn.has_ended) {
            let (observed, stops) = turn.simulation.judge()?;
            turn.has_ended = stops;
            let values = observed.iter().map(|(_, value)| value);
            turn.rows.push(turn.simulation.rule(), time, values, turn.has_ended || time == sweep.steps);
            probes.add(turn.simulation, &mut turn.files)?;
            if turn.has_ended {
                // What it does not compute counts as done.
                steps.fetch_add(u64::from(sweep.steps - time), Ordering::Relaxed);
            }
        }
        if turns.iter().all(|turn| turn.has_ended) {
            break;
        }
    }
    let finished = |turn: Turn<'_>| {
        turn.files.finish()?;
        Ok(turn.rows)
    };
    turns.into_iter().map(finished).collect::<Result<Vec<_>>>().map(Some)
}
