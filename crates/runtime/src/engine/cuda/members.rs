//! Many members of an ensemble on a GPU, in one set of kernels.

use super::{Cuda, Tuning};
use crate::engine::cpu::HostStates;
use crate::engine::mirrored::OnDevice;
use crate::engine::{Execution, HostWork, MemberEngine, MemberInputs, Result};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::numerics::fold::ObservedValue;
use std::sync::{Arc, Mutex, PoisonError};

/// Members whose superblocks stand one after the other.
struct Together {
    cuda: Cuda,
    /// Memory of the host for the states of one member, once it was needed.
    host: Mutex<Option<Box<dyn HostStates>>>,
}

/// Checks that the states of all members fit, compiles kernels for them, and computes the initial states.
///
/// # Errors
/// As [`lanes`](super::lanes); [`EngineError::Blocks`](crate::engine::EngineError::Blocks) if there are too many for 32 bits to number
/// their threads.
///
/// # Panics
/// If there are fewer than two members.
pub(crate) fn together(
    domain: &Domain,
    rule: &Arc<Rule>,
    members: Vec<MemberInputs>,
    tuning: Tuning,
) -> Result<Box<dyn MemberEngine>> {
    assert!(members.len() > 1, "one member has kernels of its own");
    Ok(Box::new(Together { cuda: Cuda::new(domain, rule, members, tuning)?, host: Mutex::new(None) }))
}

impl Together {
    fn host<T>(&self, work: impl FnOnce(&mut dyn HostStates) -> Result<T>) -> Result<T> {
        let mut guard = self.host.lock().unwrap_or_else(PoisonError::into_inner);
        let host = match guard.take() {
            Some(host) => guard.insert(host),
            None => guard.insert(self.cuda.host_memory()?),
        };
        work(&mut **host)
    }

    /// Does something with a copy of a member's states, which is copied back if `written`.
    fn with_copy(&self, member: usize, states: &[StateId], work: &mut HostWork<'_>, written: bool) -> Result<()> {
        self.host(|host| {
            host.set_params(&self.cuda.members[member].params)?;
            host.set_time(self.cuda.time);
            states.iter().try_for_each(|state| self.cuda.fetch_of(member, *state, host))?;
            work(host)?;
            let sent = if written { states } else { &[] };
            sent.iter().try_for_each(|state| self.cuda.send_of(member, *state, host))
        })
    }

    fn all_states(&self) -> Vec<StateId> {
        (0..self.cuda.states() as u16).map(StateId).collect()
    }
}

impl MemberEngine for Together {
    fn members(&self) -> usize {
        self.cuda.members.len()
    }

    fn step(&mut self, steps: u32) -> Result<()> {
        OnDevice::step(&mut self.cuda, steps)
    }

    fn part(&mut self, index: usize) -> Result<()> {
        OnDevice::part(&mut self.cuda, index)
    }

    fn time(&self) -> u32 {
        self.cuda.time
    }

    fn set_time(&mut self, time: u32) {
        self.cuda.time = time;
    }

    fn set_params(&mut self, params: Vec<Vec<Value>>) -> Result<()> {
        self.cuda.set_params_of(params)
    }

    fn restart(&mut self, members: Vec<MemberInputs>) -> Result<()> {
        self.cuda.restart_with(members)
    }

    fn reductions(&self) -> Result<Vec<Vec<ObservedValue>>> {
        if let Some(values) = self.cuda.reductions_of_all()? {
            return Ok(values);
        }
        let states = self.all_states();
        let of_member = |member| {
            let mut values = Vec::new();
            self.on_host(member, &states, &mut |host| {
                values = host.reductions()?;
                Ok(())
            })?;
            Ok(values)
        };
        (0..self.cuda.members.len()).map(of_member).collect()
    }

    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
        if let Some(reduced) = self.cuda.step_reducing_all(every, times)? {
            return Ok(reduced);
        }
        let mut all = Vec::new();
        for _ in 0..times {
            self.step(every)?;
            all.extend(self.reductions()?.into_iter().flatten());
        }
        Ok(all)
    }

    fn digest(&self, member: usize, state: StateId) -> Result<u64> {
        self.cuda.digest_of(member, state)
    }

    fn on_host(&self, member: usize, states: &[StateId], work: &mut HostWork<'_>) -> Result<()> {
        self.with_copy(member, states, work, false)
    }

    fn change(&mut self, member: usize, states: &[StateId], work: &mut HostWork<'_>) -> Result<()> {
        self.with_copy(member, states, work, true)
    }

    fn state_bytes(&self) -> u64 {
        OnDevice::state_bytes(&self.cuda)
    }

    fn strategy(&self) -> &'static str {
        OnDevice::strategy(&self.cuda)
    }

    fn device(&self) -> String {
        OnDevice::device(&self.cuda)
    }

    fn execution(&self) -> Option<Execution> {
        OnDevice::execution(&self.cuda)
    }
}
