//! What follows from a parameter, and what the weight of states says of that.
//!
//! An equilibrium's weight is that of all states together, but names observables of some alone. Given those, the others are as likely at one value of a parameter as at
//! another if they do not follow from the parameter, or are *fresh*: made anew in each time step, without the parameter, of what stands at its end. Spins that clusters turn
//! are, if bonds are weighed, and so is what is drawn beside the spins. Values of the step before, sums over time and bonds that are drawn with the parameter are not,
//! and nor is what was drawn for the weighed states: given those, it is another at another value.

use super::global_expr::GlobalExpr;
use super::ids::StateId;
use super::rule::{Body, NodeId, Observable, Op, Rule, RuleParts, of_operands};
use std::collections::BTreeSet;

/// What code reads, or makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    /// A state or a field.
    State(StateId),
    /// A parameter or, behind all of these, a global.
    Param(usize),
    /// A draw of cells, by its number.
    Draw(u32),
}

/// A thing that a time step makes.
struct Making {
    made: Thing,
    reads: BTreeSet<Thing>,
    /// Its place in the time step: what has the same is made at once.
    at: usize,
    /// Whether it is made in all cells at once.
    is_whole: bool,
    /// Whether it is a draw itself.
    is_drawn: bool,
}

impl RuleParts {
    /// The states that the values of some reductions are made of, through fields and clusters.
    fn behind(&self, reductions: &[usize]) -> BTreeSet<StateId> {
        let (mut open, mut seen) = (self.read_by(reductions), BTreeSet::new());
        while let Some(id) = open.pop_first() {
            if !seen.insert(id) {
                continue;
            }
            let clusters = self.observed_fields.iter().flat_map(|step| &step.clusters);
            let values = clusters.flat_map(|of| of.values.iter().map(move |value| (of, value)));
            for (of, value) in values.filter(|(_, value)| value.to == id) {
                for from in [Some(of.bond), of.when, value.of.field()].into_iter().flatten() {
                    let computed = self.computing(from);
                    match computed.is_empty() {
                        true => drop(open.insert(from)),
                        false => open.extend(self.read_from(computed)),
                    }
                }
            }
        }
        seen.retain(|id| usize::from(id.0) < self.states.len());
        seen
    }

    /// What a time step makes, in order.
    fn makings(&self) -> Vec<Making> {
        let mut all = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            for (global, value) in &step.globals {
                let (mut reads, mut is_drawn) = (BTreeSet::new(), false);
                value.clone().visit(&mut |inner| match inner {
                    GlobalExpr::Random { .. } => is_drawn = true,
                    GlobalExpr::Param(param) => drop(reads.insert(Thing::Param(usize::from(*param)))),
                    GlobalExpr::Reduction(reduction) => {
                        let reduction = &self.reductions[*reduction as usize];
                        reads.extend(things(&reduction.body, &[reduction.term]));
                    }
                    _ => {}
                });
                let made = Thing::Param(self.params.len() + usize::from(*global));
                all.push(Making { made, reads, at: 3 * index, is_whole: true, is_drawn });
            }
            for of in &step.clusters {
                for value in &of.values {
                    let reads =
                        [Some(of.bond), of.when, value.of.field()].into_iter().flatten().map(Thing::State).collect();
                    all.push(Making {
                        made: Thing::State(value.to),
                        reads,
                        at: 3 * index + 1,
                        is_whole: true,
                        is_drawn: value.kind.draws(),
                    });
                }
            }
            let is_coloured = self.coloured.iter().any(|coloured| coloured.steps.contains(&index));
            let is_whole = step.guard.is_none() && step.order.is_none() && !is_coloured;
            let guard: BTreeSet<Thing> = step.guard.iter().flat_map(|guard| things(&step.body, &[*guard])).collect();
            for body in step.bodies() {
                for (id, node) in &body.results {
                    let reads = things(body, &[*node]).chain(guard.iter().copied()).collect();
                    all.push(Making { made: Thing::State(*id), reads, at: 3 * index + 2, is_whole, is_drawn: false });
                }
            }
        }
        all
    }
}

/// What the code of some nodes reads.
fn things<'b>(body: &'b Body, nodes: &[NodeId]) -> impl Iterator<Item = Thing> + use<'b> {
    let needed = body.needed(nodes);
    body.nodes.iter().zip(needed).filter(|(_, needed)| *needed).filter_map(|(node, _)| match &node.op {
        Op::RandomBits { draw }
        | Op::RandomUniform { draw }
        | Op::RandomBelow { draw, .. }
        | Op::RandomBit { draw, .. } => Some(Thing::Draw(*draw)),
        Op::State(id) | Op::Neighbour(id) | Op::Read { state: id, .. } => Some(Thing::State(*id)),
        Op::Param(index) => Some(Thing::Param(usize::from(*index))),
        // What terms read stands among the nodes itself.
        Op::Coordinate(_) | Op::Extent(_) | Op::Offset(_) | Op::Weight(_) | Op::Aggregate(_) => None,
        Op::Level | Op::Side | Op::Time | of_operands!() => None,
    })
}

impl Rule {
    /// The states of which the weight does not say how they go with some parameters, and what a time step makes.
    fn unweighted(&self, params: &BTreeSet<usize>) -> (BTreeSet<StateId>, Vec<Making>) {
        let makings = self.makings();
        let mut following: BTreeSet<Thing> = params.iter().map(|param| Thing::Param(*param)).collect();
        let is_renewed = |thing: &Thing| {
            makings.iter().any(|making| making.made == *thing && making.is_whole && !making.reads.contains(thing))
        };
        for body in self.init_pairs.iter().map(|pairs| &pairs.body).chain([&self.init]) {
            // What begins with a parameter, and goes on from there.
            let made =
                body.results.iter().filter(|(_, node)| things(body, &[*node]).any(|thing| following.contains(&thing)));
            let made: Vec<Thing> = made.map(|(id, _)| Thing::State(*id)).filter(|thing| !is_renewed(thing)).collect();
            following.extend(made);
        }
        let mut drawn = BTreeSet::new();
        grow(&mut drawn, |drawn| {
            let draws = |making: &&Making| {
                making.is_drawn
                    || making.reads.iter().any(|thing| matches!(thing, Thing::Draw(..)) || drawn.contains(thing))
            };
            makings.iter().filter(draws).map(|making| making.made).collect()
        });
        grow(&mut following, |following| {
            let follow = |making: &&Making| {
                following.contains(&making.made) || making.reads.iter().any(|thing| following.contains(thing))
            };
            // A draw for such a making goes with it.
            let made = makings.iter().filter(follow).flat_map(|making| {
                making
                    .reads
                    .iter()
                    .filter(|thing| matches!(thing, Thing::Draw(_)) || drawn.contains(thing))
                    .chain([&making.made])
                    .copied()
            });
            made.collect()
        });
        let mut weighted = Vec::new();
        self.equilibrium.iter().for_each(|weight| self.reductions_in(&weight.exponent, &mut weighted));
        let weighted = self.behind(&weighted);
        let is_weighted = |thing: &Thing| matches!(thing, Thing::State(id) if weighted.contains(id));
        let mut fresh = BTreeSet::new();
        grow(&mut fresh, |fresh| {
            let stands = |thing: &Thing, at: usize| {
                let is_set_again = makings.iter().any(|later| later.made == *thing && later.at >= at);
                !is_set_again && (is_weighted(thing) || !following.contains(thing) || fresh.contains(thing))
            };
            let is_last =
                |making: &&Making| makings.iter().all(|other| other.made != making.made || other.at <= making.at);
            let are_fresh = makings.iter().filter(is_last).filter(|making| {
                let is_read_by = |other: &Making, thing: &Thing| {
                    other.made != making.made && other.reads.contains(thing) && following.contains(&other.made)
                };
                // Draws are its own, if nothing else that follows is made with them.
                let stands = |thing: &Thing| match thing {
                    Thing::Draw(_) => !makings.iter().any(|other| is_read_by(other, thing)),
                    thing => stands(thing, making.at),
                };
                // What the weight knows tells of what it is made with, later in the time step.
                let is_safe = !drawn.contains(&making.made) || !is_told(&makings, making, &is_weighted);
                making.is_whole && is_safe && making.reads.iter().all(stands)
            });
            are_fresh.map(|making| making.made).collect()
        });
        let states = following.into_iter().filter_map(|thing| match thing {
            Thing::State(id) if usize::from(id.0) < self.states.len() => Some(id),
            _ => None,
        });
        let states = states.filter(|id| !weighted.contains(id) && !fresh.contains(&Thing::State(*id))).collect();
        (states, makings)
    }

    /// For each observable a state that it is made of, that follows from one of these parameters, and of which the rule's weight says nothing, if there is one:
    /// recorded values of the observable then hold for one value of the parameters alone.
    #[doc(hidden)]
    pub fn unweighted_in_observables(&self, params: &BTreeSet<usize>) -> Vec<Option<StateId>> {
        let (unweighted, _) = self.unweighted(params);
        let found = |observable: &Observable| {
            let mut own = Vec::new();
            self.reductions_in(&observable.value, &mut own);
            self.behind(&own).into_iter().find(|state| unweighted.contains(state))
        };
        self.observables.iter().map(found).collect()
    }

    /// A state that follows from one of these parameters, of which the rule's weight says nothing, and that a time step reads before it makes it anew.
    #[doc(hidden)]
    pub fn unweighted_and_kept(&self, params: &BTreeSet<usize>) -> Option<StateId> {
        let (unweighted, makings) = self.unweighted(params);
        unweighted.into_iter().find(|state| {
            let state = Thing::State(*state);
            let renewed = makings.iter().find(|making| making.made == state && making.is_whole);
            let is_old = |making: &Making| renewed.is_none_or(|renewed| making.at <= renewed.at);
            makings.iter().any(|making| making.reads.contains(&state) && is_old(making))
        })
    }

    /// The reductions in an expression, and in the observables that it names.
    fn reductions_in(&self, of: &GlobalExpr, into: &mut Vec<usize>) {
        of.clone().visit(&mut |inner| match inner {
            GlobalExpr::Reduction(index) => into.push(*index as usize),
            GlobalExpr::Observable(index) => self.reductions_in(&self.observables[*index as usize].value, into),
            _ => {}
        });
    }
}

/// Whether something weighted is made of what a making makes, later in the time step and through whatever else.
fn is_told(makings: &[Making], making: &Making, is_weighted: &dyn Fn(&Thing) -> bool) -> bool {
    let mut later = makings.iter().filter(|later| later.at > making.at && later.reads.contains(&making.made));
    later.any(|later| is_weighted(&later.made) || is_told(makings, later, is_weighted))
}

/// Adds to a set until nothing is left to add.
fn grow(set: &mut BTreeSet<Thing>, more: impl Fn(&BTreeSet<Thing>) -> Vec<Thing>) {
    loop {
        let before = set.len();
        let found = more(set);
        set.extend(found);
        if set.len() == before {
            return;
        }
    }
}
