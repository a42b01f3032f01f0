//! Reductions of states on the device: digests, integers that are added up while kernels look at the states, floats that are folded in the order of
//! indices. The kernels of `templates/reduce.cu` are the same for all simulations.

mod added;
mod folded;

use super::Cuda;
use super::stored::BufferBlock;
use super::trace::Road;
use crate::Result;
use crate::mirror::Transfers;
use crate::reduce::rounds::{by_rounds, of_round};
use added::Totals;
use folded::Folds;
use squeeze_compiler::emit::cuda::MeasuredColumns;
use squeeze_compiler::ir::{Grouping, StateId};
use squeeze_compiler::layout::unit::Slot;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::weighted_bits::is_exact;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The kernels for reductions of one round.
pub(super) struct Reducer {
    /// Whether each is exact.
    exact: Vec<bool>,
    /// The kernels that add up the exact ones.
    added: Option<Totals>,
    /// The kernels that fold the others.
    folded: Option<Box<Folds>>,
}

impl Cuda {
    /// The digest of a member's state.
    pub(super) fn digest_of(&self, member: usize, state: StateId) -> Result<u64> {
        let (rule, grid) = (&self.program.rule, self.stored().grid());
        let line = rule.domain().last_line(rule, state);
        let (columns, count) = match (line, grid) {
            // Whole rows.
            (Some((axis, at)), Some(grid))
                if !self.stored().is_packed() && (axis == 2 || axis == 1 && grid.extent()[2] == 1) =>
            {
                let rows = if axis == 2 { grid.extent()[1] } else { 1 };
                let stored = grid.columns_of(at as usize * rows..(at as usize + 1) * rows);
                self.stored_columns(state, stored)
            }
            (Some(_), _) => {
                let line = rule.domain().cells_of_last_line(rule, state).unwrap_or_default();
                return self.mirror.look(self, member, [state], |states| states.digest_of(state, &line));
            }
            (None, _) => self.columns_of(member, state),
        };
        self.measure.digest(columns, count)
    }

    /// The columns of a state of rows at these slots, and their number.
    fn stored_columns(&self, state: StateId, slots: Range<Slot>) -> (MeasuredColumns, u64) {
        let (now, columns) =
            (&self.fields[usize::from(state.0)].now, &self.program.plan.states()[usize::from(state.0)].columns);
        let (first, count) = (slots.start.index(), slots.end.index() - slots.start.index());
        let values = now.address() + (first * columns.block) as u64;
        (self.stored().columns(&self.surroundings, columns.planes, (values, first as u64)), count as u64)
    }

    /// Starts to give all cells of all members, which are no lanes, their indices as values of a state.
    pub(super) fn fill_index(&self, state: StateId) -> Result<()> {
        let mut columns = (0..self.members.len()).map(|member| self.columns_of(member, state));
        columns.try_for_each(|(columns, count)| self.measure.fill_index(columns, count))
    }

    /// Gives all cells the values of the rule's inputs at their coordinates.
    pub(super) fn fill_inputs(&self) -> Result<()> {
        let rule = &self.program.rule;
        if rule.given_inputs().next().is_none() {
            return Ok(());
        }
        let on_device = self.stored().grid().filter(|grid| grid.is_full() && !self.stored().is_packed());
        let Some(grid) = on_device else {
            let mut host = self.host_states()?;
            host.fill_inputs(rule);
            let mut all =
                (0..self.members.len()).flat_map(|member| rule.given_inputs().map(move |(field, ..)| (member, field)));
            return all.try_for_each(|(member, field)| self.send(member, field, &host));
        };
        for (field, axis, values) in rule.given_inputs() {
            let values: Vec<u64> = values.iter().map(|value| value.bits()).collect();
            self.measure.fill_input(self.columns_of(0, field), (axis as u32, grid.extent()[1] as u32), &values)?;
        }
        Ok(())
    }

    /// The columns of a member's state that are computed here, and their number.
    pub(super) fn columns_of(&self, member: usize, state: StateId) -> (MeasuredColumns, u64) {
        let (index, as_lanes) = (usize::from(state.0), self.program.plan.members.as_lanes());
        let first = BufferBlock::first_of(if as_lanes { 0 } else { member });
        let now = self.fields[index].now.address() + self.offset(index, first) as u64;
        let columns = &self.program.plan.states()[index].columns;
        let (columns, count) = self.stored().owned(&self.surroundings, columns, now);
        let of_lane = MeasuredColumns { lanes: 1, lane: member as u32, ..columns };
        (if as_lanes { of_lane } else { columns }, count)
    }

    /// The reductions of these numbers of each member; `None` if the host is to do it.
    pub(super) fn reductions_of_members(&self, which: &[usize]) -> Result<Option<Vec<Vec<ObservedValue>>>> {
        // The value of a single cell is no fold: the host takes it as it is; and it folds replica by replica, and parts.
        let (rule, cells) = (&self.program.rule, self.program.rule.domain().cells());
        let by_level = which.iter().any(|index| rule.reductions[*index].grouping != Grouping::Whole);
        if cells == 1 || by_level || self.program.plan.storage.is_cut() {
            Road::HostFolds.taken();
            return Ok(None);
        }
        by_rounds(rule, which, (self.members.len(), cells), |which, numbers| {
            if !numbers.is_empty() {
                self.surroundings.set_means(&self.members, numbers)?;
            }
            self.reductions_of_round(which)
        })
    }

    /// The reductions of these numbers, all of one round.
    fn reductions_of_round(&self, which: &[usize]) -> Result<Option<Vec<Vec<ObservedValue>>>> {
        let reducer = self.reducers.get(which, || self.new_reducer(which))?;
        let Some(reducer) = &*reducer else { return Ok(None) };
        let Reducer { exact, added, folded } = &*reducer.lock().unwrap_or_else(PoisonError::into_inner);
        added.iter().try_for_each(|totals| totals.start(self))?;
        let folded = folded.as_ref().map(|folds| folds.observe(self)).transpose()?.into_iter().flatten().flatten();
        let added = added.as_ref().map(Totals::finish).transpose()?.into_iter().flatten();
        let (mut added, mut folded) = (added, folded);
        let of_member =
            |_| exact.iter().filter_map(|exact| if *exact { added.next() } else { folded.next() }).collect();
        Ok(Some((0..self.members.len()).map(of_member).collect()))
    }

    /// Whether all observables can be added up, and steps need no globals, so that the host need not read one before the next steps.
    pub(super) fn adds_up(&self) -> bool {
        let rule = &self.program.rule;
        let all = (0..rule.reductions.len()).all(|index| is_exact(rule, index));
        let alone = rule.globals.is_empty() && rule.observed_steps == 0 && !self.program.plan.storage.is_cut();
        rule.domain().cells() > 1 && !rule.reductions.is_empty() && all && alone
    }

    /// Computes steps and then the reductions of all members, again and again, and waits once for many of them: those of one time after the
    /// other, and of each member then. `None`, and nothing is computed, where observables are not added up.
    pub(super) fn step_reducing_all(&mut self, every: u32, times: u32) -> Result<Option<Vec<ObservedValue>>> {
        if times < 2 || !self.adds_up() {
            return Ok(None);
        }
        let which = self.program.rule.all_reductions();
        let reducer = self.reducers.get(&which[..], || self.new_reducer(&which))?;
        let reducer = reducer.as_ref().as_ref().map(|reducer| reducer.lock().unwrap_or_else(PoisonError::into_inner));
        let totals = reducer.as_ref().and_then(|reducer| reducer.added.as_ref());
        totals.map(|totals| self.step_totalling(totals, every, times)).transpose()
    }

    /// The same by kernels that add up, many observations at once as long as all cells are computed.
    fn step_totalling(&mut self, totals: &Totals, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
        let Some(mut activity) = self.activity.take() else { return self.step_adding(totals, every, times) };
        let (mut reduced, mut left) = (Vec::new(), times);
        while left > 0 {
            let at_once = activity.resting().checked_div(every).unwrap_or(left).min(left);
            let (observations, done) = if at_once > 1 {
                activity.pass_by(at_once * every);
                (at_once, self.step_adding(totals, every, at_once))
            } else {
                let now = activity.advance(self, every).and_then(|()| totals.start(self));
                (1, now.and_then(|()| totals.finish()))
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

    /// The kernels of the reductions of these numbers, all of one round; `None` if the host computes them.
    fn new_reducer(&self, which: &[usize]) -> Result<Option<Mutex<Reducer>>> {
        let rule = of_round(&self.program.rule, which);
        let exact: Vec<bool> = (0..rule.reductions.len()).map(|index| is_exact(&rule, index)).collect();
        let those = |wanted: bool| {
            let which: Vec<usize> = (0..exact.len()).filter(|index| exact[*index] == wanted).collect();
            (!which.is_empty()).then(|| rule.with_reductions(&which))
        };
        let added = those(true).map(|rule| Totals::new(self, &rule)).transpose()?;
        let folded = match those(false) {
            None => None,
            Some(rule) => match Folds::new(self, &rule)? {
                None => return Ok(None),
                Some(folds) => Some(Box::new(folds)),
            },
        };
        Ok(Some(Mutex::new(Reducer { exact, added, folded })))
    }
}
