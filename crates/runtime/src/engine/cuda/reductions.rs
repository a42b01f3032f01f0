//! What the device says of its states: digests, and observables, which are added up or folded there.

use super::observe::Observer;
use super::row_measures::RowObserver;
use super::totals::Totals;
use super::trace::Road;
use super::{Cuda, Folded, Ground, Reducer};
use crate::engine::Result;
use crate::engine::rounds::{Rounds, of_round};
use crate::engine::terms::some_reductions;
use squeeze_compiler::Speciality;
use squeeze_compiler::ir::StateId;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::weighted_bits::is_exact;
use std::collections::btree_map::Entry;
use std::sync::PoisonError;

impl Cuda {
    /// The digest of a member's state.
    pub(super) fn digest_of(&self, member: usize, state: StateId) -> Result<u64> {
        let (layout, index) = (self.plan.layout(), usize::from(state.0));
        let first = self.fields[index].now.address() + (member * self.member_bytes(index)) as u64;
        let planes = self.fields[index].planes;
        Ok(match &self.ground {
            Ground::Rows(grid, packed, cell_indices) => {
                cell_indices.digest(grid, *packed, &self.surroundings.neighbours, planes, first)?
            }
            Ground::Lanes(measure) => {
                measure.digest(layout, self.surroundings.replicas, planes, self.shape().stride, first)?
            }
        })
    }

    /// The reductions of these numbers of each member; `None` if the host is to do it.
    pub(super) fn reductions_of_members(&self, which: &[usize]) -> Result<Option<Vec<Vec<ObservedValue>>>> {
        if which.is_empty() {
            return Ok(Some(vec![Vec::new(); self.members.len()]));
        }
        // The value of a single cell is no fold: the host takes it as it is; and it folds replica by replica.
        if self.domain.cells() == 1 || which.iter().any(|index| self.rule.reductions[*index].level.is_some()) {
            Road::HostFolds.taken();
            return Ok(None);
        }
        let rounds = Rounds::of(&self.rule, which);
        let Some(first) = self.reductions_of_round(&rounds.first)? else { return Ok(None) };
        if rounds.second.is_empty() {
            return Ok(Some(first));
        }
        let means = |values: &Vec<ObservedValue>| rounds.means(&self.rule, values, self.domain.cells());
        self.surroundings.set_means(&self.members, &first.iter().map(means).collect::<Vec<_>>())?;
        let Some(second) = self.reductions_of_round(&rounds.second)? else { return Ok(None) };
        Ok(Some(first.into_iter().zip(second).map(|(first, second)| rounds.joined(first, second)).collect()))
    }

    /// Those of these numbers, all of one round.
    fn reductions_of_round(&self, which: &[usize]) -> Result<Option<Vec<Vec<ObservedValue>>>> {
        let mut reducers = self.reducers.lock().unwrap_or_else(PoisonError::into_inner);
        let reducer = match reducers.entry(which.to_vec()) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(place) => place.insert(self.new_reducer(which)?),
        };
        let Some(Reducer { added: totals, folded }) = reducer else { return Ok(None) };
        if let Some(totals) = totals {
            totals.begin(1)?;
            totals.add(self, 0)?;
        }
        let folded = match (folded, &self.ground) {
            (Folded::Lanes(folds), _) => Some(folds.observe(self)?),
            (Folded::Rows(folds), Ground::Rows(grid, _, cell_indices)) => {
                Some(vec![folds.observe(self, grid, cell_indices)?])
            }
            (Folded::Rows(_), Ground::Lanes(_)) => unreachable!("what folds is made for its ground"),
            (Folded::None, _) => None,
        };
        let added = totals.as_ref().map(Totals::finish).transpose()?;
        let of = totals.as_ref().map_or(&[][..], |totals| &totals.of);
        Ok(Some(self.joined((which.len(), of), added, folded)))
    }

    /// Whether all observables can be added up, so that nobody has to look at one before the next steps.
    pub(super) fn adds_up(&self) -> bool {
        let rule = &self.rule;
        let totals = (0..rule.reductions.len()).all(|index| is_exact(rule, index));
        let off = self.target.off().has(Speciality::Totals);
        !off && self.domain.cells() > 1 && !rule.reductions.is_empty() && totals
    }

    /// Computes so many steps and then the reductions of all members, so many times, and waits once for many of them: those of one time after the
    /// other, and of each member then. `None`, and nothing is computed, where observables are not added up.
    pub(super) fn step_reducing_all(&mut self, every: u32, times: u32) -> Result<Option<Vec<ObservedValue>>> {
        if times < 2 || !self.adds_up() {
            return Ok(None);
        }
        let which = self.rule.all_reductions();
        let reducer = self.reducers.get_mut().unwrap_or_else(PoisonError::into_inner).remove(&which).flatten();
        let mut reducer = match reducer {
            Some(reducer) => Some(reducer),
            None => self.new_reducer(&which)?,
        };
        let reduced = match &mut reducer {
            Some(Reducer { added: Some(totals), folded: Folded::None }) => {
                self.step_totalling(totals, every, times).map(Some)
            }
            _ => Ok(None),
        };
        self.reducers.get_mut().unwrap_or_else(PoisonError::into_inner).insert(which, reducer);
        reduced
    }

    /// The same with what adds up, many times at once as long as all cells are computed.
    fn step_totalling(&mut self, totals: &mut Totals, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
        let Some(mut activity) = self.activity.take() else { return self.step_adding(totals, every, times) };
        let (mut reduced, mut left) = (Vec::new(), times);
        while left > 0 {
            let at_once = activity.resting().checked_div(every).unwrap_or(left).min(left);
            let (observations, done) = if at_once > 1 {
                activity.pass_by(at_once * every);
                (at_once, self.step_adding(totals, every, at_once))
            } else {
                (1, activity.advance(self, every).and_then(|()| totals.of_present(self)))
            };
            match done {
                Ok(values) => reduced.extend(values),
                Err(error) => {
                    self.activity = Some(activity);
                    return Err(error);
                }
            }
            left -= observations;
        }
        self.activity = Some(activity);
        Ok(reduced)
    }

    /// What computes the reductions of these numbers, all of one round; `None` if that is the host.
    fn new_reducer(&self, which: &[usize]) -> Result<Option<Reducer>> {
        let rule = of_round(&self.rule, which);
        // What is observed of members as lanes is added up in any case.
        let allowed = |_: &Totals| self.sharing.as_lanes() || self.target.off().allows(Speciality::Totals);
        let added = Totals::new(self, &rule)?.filter(allowed);
        let of = added.as_ref().map_or(&[][..], |totals| &totals.of);
        let others: Vec<usize> = (0..which.len()).filter(|index| !of.contains(index)).collect();
        if others.is_empty() {
            return Ok(Some(Reducer { added, folded: Folded::None }));
        }
        let rule = some_reductions(&rule, &others);
        let folded = match &self.ground {
            Ground::Rows(grid, ..) => RowObserver::new(self, &rule, grid)?.map(|folds| Folded::Rows(Box::new(folds))),
            Ground::Lanes(_) => Observer::new(self, &rule)?.map(|folds| Folded::Lanes(Box::new(folds))),
        };
        Ok(folded.map(|folded| Reducer { added, folded }))
    }

    /// For each member so many reductions in order: those `of` which are added up, and the others, which are folded.
    fn joined(
        &self,
        (count, of): (usize, &[usize]),
        added: Option<Vec<Vec<ObservedValue>>>,
        folded: Option<Vec<Vec<ObservedValue>>>,
    ) -> Vec<Vec<ObservedValue>> {
        let none = || vec![Vec::new(); self.members.len()];
        let members = added.unwrap_or_else(none).into_iter().zip(folded.unwrap_or_else(none));
        let join = |(added, folded): (Vec<ObservedValue>, Vec<ObservedValue>)| {
            let (mut added, mut folded) = (added.into_iter(), folded.into_iter());
            let next = |index: usize| if of.contains(&index) { added.next() } else { folded.next() };
            (0..count).filter_map(next).collect()
        };
        members.map(join).collect()
    }
}
