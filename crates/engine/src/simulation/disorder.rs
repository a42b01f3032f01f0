//! Initial values that are drawn from disorder, beside those that engines compute.
//!
//! Initial values that are drawn from disorder are those of a beginning with the disorder seed in the place of the run's. All others are those of the run's
//! seed, and values that read the former follow from them as they do from values that are given.

use super::Simulation;
use super::error::Result;
use crate::packed;
use crate::{EngineError, MemberInputs};
use squeeze_compiler::ir::StateId;
use squeeze_host::memory;

impl Simulation {
    /// Gives the states at their beginning the values that engines do not compute.
    pub(super) fn begin(&mut self) -> Result<()> {
        Simulation::begin_all(std::slice::from_mut(self))
    }

    /// The same of all members of one engine.
    pub(super) fn begin_all(members: &mut [Simulation]) -> Result<()> {
        let drawn = Simulation::draw_disorder(members)?;
        for (member, states) in members.iter_mut().zip(drawn) {
            let rule = member.rule.clone();
            for (state, bytes) in rule.disorder.iter().zip(&states) {
                member.write(*state, 0..member.domain().cells(), bytes)?;
            }
            let names: Vec<&str> = rule.disorder.iter().map(|state| rule.state(*state).name.as_str()).collect();
            member.init_from(&names)?;
        }
        members.iter_mut().try_for_each(Simulation::take_initial)
    }

    /// The values of the states that are drawn from disorder, for each member; nothing where these seeds are those of the runs. The states are
    /// those of the beginning afterwards.
    fn draw_disorder(members: &[Simulation]) -> Result<Vec<Vec<Vec<u8>>>> {
        let first = &members[0];
        let (rule, cells) = (&first.rule, first.domain().cells());
        if rule.disorder.is_empty() || members.iter().all(|member| member.disorder() == member.seed) {
            return Ok(Vec::new());
        }
        let sizes: Vec<u64> = rule.disorder.iter().map(|state| packed::bytes(rule.state(*state).ty, cells)).collect();
        let needed = u128::from(sizes.iter().sum::<u64>()) * members.len() as u128;
        let (backend, available) = (first.backend.name(), memory::available());
        EngineError::check_memory(first.domain(), backend, needed, available, || None)?;
        let begin = |seed: &dyn Fn(&Simulation) -> u64| {
            let inputs = |member: &Simulation| MemberInputs { seed: seed(member), ..member.inputs() };
            first.engine_mut()?.restart(&members.iter().map(inputs).collect::<Vec<_>>())
        };
        begin(&|member| member.disorder())?;
        let values = |member: &Simulation| -> Result<Vec<Vec<u8>>> {
            let of_state = |(state, bytes): (&StateId, &u64)| {
                let mut values = vec![0; *bytes as usize];
                member.read(*state, 0..cells, &mut values)?;
                Ok(values)
            };
            rule.disorder.iter().zip(&sizes).map(of_state).collect()
        };
        let drawn = members.iter().map(values).collect();
        begin(&|member| member.seed)?;
        drawn
    }
}
