//! Many members of an ensemble on a GPU, in one set of kernels.

mod lanes;

use super::trace::Road;
use super::{Cuda, Tuning};
use crate::engine::states::States;
use crate::engine::{Engine, Execution, MemberEngine, MemberInputs, Result};
use crate::state::field::Sample;
use lanes::AsLanes;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::reduce::fold::ObservedValue;
use std::ops::Range;
use std::sync::Arc;

/// Members that one set of kernels computes.
struct Together {
    way: Way,
    tuning: Tuning,
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
    Ok(Box::new(Together { way, tuning }))
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

    /// Looks at a member's state.
    fn look<T: Send>(&self, member: usize, state: StateId, work: impl FnOnce(&States) -> T + Send) -> Result<T> {
        match &self.way {
            Way::InTurn(cuda) => cuda.mirror.look(&**cuda, member, [state], work),
            Way::AsLanes(lanes) => lanes.mirror.look(&**lanes, member, [state], work),
        }
    }

    /// Sends what was written on the host, before steps change the states.
    fn settle(&mut self) -> Result<()> {
        match &mut self.way {
            Way::InTurn(cuda) => cuda.settle(),
            Way::AsLanes(lanes) => lanes.settle(),
        }
    }
}

impl MemberEngine for Together {
    fn members(&self) -> usize {
        self.cuda().members.len()
    }

    fn step(&mut self, steps: u32) -> Result<()> {
        self.settle()?;
        Engine::step(self.cuda_mut(), steps)
    }

    fn part(&mut self, index: usize) -> Result<()> {
        self.settle()?;
        Engine::part(self.cuda_mut(), index)
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
                Ok(())
            }
        }
    }

    fn reductions(&self) -> Result<Vec<Vec<ObservedValue>>> {
        self.reductions_of(&self.cuda().rule.all_reductions())
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        match &self.way {
            Way::InTurn(cuda) => cuda.mirror.settle(&**cuda)?,
            Way::AsLanes(lanes) => lanes.mirror.settle(&**lanes)?,
        }
        if let Some(values) = self.cuda().reductions_of_members(which)? {
            return Ok(values);
        }
        let of_member = |member| match &self.way {
            Way::InTurn(cuda) => cuda.host_reductions((&cuda.mirror, &**cuda), member, which),
            Way::AsLanes(lanes) => lanes.cuda.host_reductions((&lanes.mirror, &**lanes), member, which),
        };
        (0..self.cuda().members.len()).map(of_member).collect()
    }

    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
        self.settle()?;
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
            Way::InTurn(cuda) => cuda.mirror.settle(&**cuda)?,
            Way::AsLanes(lanes) => lanes.mirror.settle(&**lanes)?,
        }
        self.cuda().digest_of(member, state)
    }

    fn value(&self, member: usize, state: StateId, c: u64) -> Result<Value> {
        self.look(member, state, |states| Value::from_bits(states.field(state).ty, states.bits(state, c)))
    }

    fn block_sums(&self, member: usize, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        self.look(member, state, |states| states.block_sums(state, mu, sample))
    }

    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        self.look(member, state, |states| states.read(state, cells, bytes))
    }

    fn write(&mut self, member: usize, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        match &self.way {
            Way::InTurn(cuda) => cuda.mirror.write(&**cuda, member, state, cells, bytes),
            Way::AsLanes(lanes) => lanes.mirror.write(&**lanes, member, state, cells, bytes),
        }
    }

    fn state_bytes(&self) -> u64 {
        Engine::state_bytes(self.cuda())
    }

    fn strategy(&self) -> &'static str {
        Engine::strategy(self.cuda())
    }

    fn device(&self) -> String {
        Engine::device(self.cuda())
    }

    fn execution(&self) -> Option<Execution> {
        Engine::execution(self.cuda())
    }
}
