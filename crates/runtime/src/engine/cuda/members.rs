//! Many members of an ensemble on a GPU, in one set of kernels.

mod lanes;

use super::trace::Road;
use super::{Cuda, Tuning};
use crate::engine::cpu::HostStates;
use crate::engine::mirrored::OnDevice;
use crate::engine::{Execution, HostWork, MemberEngine, MemberInputs, Result};
use lanes::AsLanes;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::reduce::fold::ObservedValue;
use std::sync::{Arc, Mutex, PoisonError};

/// Members that one set of kernels computes.
struct Together {
    way: Way,
    tuning: Tuning,
    /// Memory of the host for the states of one member, once it was needed.
    host: Mutex<Option<Box<dyn HostStates>>>,
}

/// Where the members are.
enum Way {
    /// Their superblocks stand one after the other.
    InTurn(Box<Cuda>),
    /// They are the lanes of the same columns.
    AsLanes(Box<AsLanes>),
}

/// Checks that the states of all members fit, compiles kernels for them, and computes the initial states. They are lanes where they can be and the
/// planner expects that to be faster ([`lanes`]).
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
    let way = match lanes::together(domain, rule, &members, &tuning)? {
        Some(lanes) => Way::AsLanes(Box::new(lanes)),
        None => Way::InTurn(Box::new(Cuda::new(domain, rule, members, tuning.clone())?)),
    };
    Ok(Box::new(Together { way, tuning, host: Mutex::new(None) }))
}

impl Together {
    /// What computes steps.
    fn cuda(&self) -> &Cuda {
        match &self.way {
            Way::InTurn(cuda) => cuda,
            Way::AsLanes(lanes) => &lanes.cuda,
        }
    }

    fn cuda_mut(&mut self) -> &mut Cuda {
        match &mut self.way {
            Way::InTurn(cuda) => cuda,
            Way::AsLanes(lanes) => &mut lanes.cuda,
        }
    }

    fn host<T>(&self, work: impl FnOnce(&mut dyn HostStates) -> Result<T>) -> Result<T> {
        let mut guard = self.host.lock().unwrap_or_else(PoisonError::into_inner);
        let host = match (guard.take(), &self.way) {
            (Some(host), _) => guard.insert(host),
            (None, Way::InTurn(cuda)) => guard.insert(cuda.host_memory()?),
            (None, Way::AsLanes(lanes)) => guard.insert(lanes.apart.host_memory()?),
        };
        work(&mut **host)
    }

    /// Does something with a copy of a member's states, which is copied back if `written`.
    fn with_copy(&self, member: usize, states: &[StateId], work: &mut HostWork<'_>, written: bool) -> Result<()> {
        self.host(|host| {
            host.set_params(&self.cuda().members[member].params)?;
            host.set_time(self.cuda().time);
            for state in states {
                match &self.way {
                    Way::InTurn(cuda) => cuda.fetch_of(member, *state, host)?,
                    Way::AsLanes(lanes) => {
                        lanes.take(member, *state)?;
                        lanes.apart.fetch_of(0, *state, host)?;
                    }
                }
            }
            work(host)?;
            let sent = if written { states } else { &[] };
            sent.iter().try_for_each(|state| match &self.way {
                Way::InTurn(cuda) => cuda.send_of(member, *state, host),
                Way::AsLanes(lanes) => {
                    lanes.apart.send_of(0, *state, host)?;
                    lanes.put(member, *state)
                }
            })
        })
    }

    fn all_states(&self) -> Vec<StateId> {
        (0..self.cuda().states() as u16).map(StateId).collect()
    }
}

impl MemberEngine for Together {
    fn members(&self) -> usize {
        self.cuda().members.len()
    }

    fn step(&mut self, steps: u32) -> Result<()> {
        OnDevice::step(self.cuda_mut(), steps)
    }

    fn part(&mut self, index: usize) -> Result<()> {
        OnDevice::part(self.cuda_mut(), index)
    }

    fn time(&self) -> u32 {
        self.cuda().time
    }

    fn set_time(&mut self, time: u32) {
        self.cuda_mut().time = time;
    }

    fn set_params(&mut self, params: Vec<Vec<Value>>) -> Result<()> {
        self.cuda_mut().set_params_of(params)
    }

    fn restart(&mut self, members: Vec<MemberInputs>) -> Result<()> {
        let (domain, rule) = (self.cuda().domain.clone(), Arc::clone(&self.cuda().rule));
        match &mut self.way {
            Way::InTurn(cuda) => cuda.restart_with(members),
            Way::AsLanes(lanes) if lanes::suit(&domain, &rule, &members) => lanes.begin(members),
            Way::AsLanes(lanes) => {
                Road::LanesGoApart.taken();
                // There may be no room for both.
                lanes.release();
                self.way = Way::InTurn(Box::new(Cuda::new(&domain, &rule, members, self.tuning.clone())?));
                self.host = Mutex::new(None);
                Ok(())
            }
        }
    }

    fn reductions(&self) -> Result<Vec<Vec<ObservedValue>>> {
        self.reductions_of(&self.cuda().rule.all_reductions())
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        if let Some(values) = self.cuda().reductions_of_members(which)? {
            return Ok(values);
        }
        let states = self.all_states();
        let of_member = |member| {
            let mut values = Vec::new();
            self.on_host(member, &states, &mut |host| {
                values = host.reductions_of(which)?;
                Ok(())
            })?;
            Ok(values)
        };
        (0..self.cuda().members.len()).map(of_member).collect()
    }

    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
        if let Some(reduced) = self.cuda_mut().step_reducing_all(every, times)? {
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
        match &self.way {
            Way::InTurn(cuda) => cuda.digest_of(member, state),
            Way::AsLanes(lanes) => lanes.digest_of(member, state),
        }
    }

    fn on_host(&self, member: usize, states: &[StateId], work: &mut HostWork<'_>) -> Result<()> {
        self.with_copy(member, states, work, false)
    }

    fn change(&mut self, member: usize, states: &[StateId], work: &mut HostWork<'_>) -> Result<()> {
        self.with_copy(member, states, work, true)
    }

    fn state_bytes(&self) -> u64 {
        OnDevice::state_bytes(self.cuda())
    }

    fn strategy(&self) -> &'static str {
        OnDevice::strategy(self.cuda())
    }

    fn device(&self) -> String {
        OnDevice::device(self.cuda())
    }

    fn execution(&self) -> Option<Execution> {
        OnDevice::execution(self.cuda())
    }
}
