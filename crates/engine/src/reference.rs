//! The oracle as an engine.

use super::{About, Backend, Engine, MemberInputs, check_count, check_inputs};
use crate::packed::{self, StateValues};
use crate::params::Params;
use crate::{EngineError, Result};
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{Rule, StateId};
use squeeze_compiler::oracle::{Oracle, OracleError};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_host::memory;
use std::ops::Range;
use std::sync::Arc;

/// The oracle, stepped on the calling thread.
pub(crate) struct Reference {
    oracle: Oracle,
    /// Bytes that it takes at most.
    bytes: u64,
}

impl Reference {
    /// Allocates the expanded grid, if it takes at most `limit` bytes, and computes the initial state.
    pub(crate) fn new(rule: &FittedRule, inputs: &MemberInputs, limit: u64) -> Result<Reference> {
        let domain = rule.domain();
        let MemberInputs { seed, params } = inputs;
        check_inputs(rule, 1, [params])?;
        let oracle = Oracle::new(
            domain.fractal(),
            domain.level(),
            Arc::clone(rule.written()),
            *seed,
            params[..rule.params.len()].to_vec(),
            limit,
        );
        let oracle = oracle.map_err(|error| match error {
            OracleError::TooLarge { needed, limit, largest, .. } => {
                let needed = needed.map_or_else(|| expanded_bytes(domain, rule), |bytes| bytes as f64);
                let (backend, help) = (Backend::Reference.name(), vec![domain.advice(|| largest)]);
                EngineError::Memory { domain: domain.to_string(), backend, needed, available: limit, help }
            }
            other => EngineError::System(other.to_string()),
        })?;
        let bytes = Oracle::bytes_needed(domain.fractal(), domain.level(), rule.written()).unwrap_or(u64::MAX);
        Ok(Reference { oracle, bytes })
    }
}

/// The size of both buffers where the exact one exceeds 64 bits.
fn expanded_bytes(domain: &Domain, rule: &Rule) -> f64 {
    let bytes_per_place: u64 = rule.states_and_fields().map(|state| state.ty.bytes()).sum();
    2.0 * domain.sizes(bytes_per_place).expanded_rounded
}

impl Engine for Reference {
    fn about(&self) -> About {
        About {
            members: 1,
            strategy: "reference",
            execution: None,
            steps_of_pass: 1,
            steps_of_whole: 1,
            state_bytes: self.oracle.state_bytes(),
            memory_bytes: self.bytes,
            reduces_ahead: false,
        }
    }

    fn device(&self) -> String {
        memory::processor_name()
    }

    fn time(&self) -> u32 {
        self.oracle.time()
    }

    fn set_time(&mut self, time: u32) {
        self.oracle.set_time(time);
    }

    fn set_params(&mut self, params: &[Params]) -> Result<()> {
        let rule = Arc::clone(self.oracle.rule());
        check_inputs(&rule, 1, params)?;
        let own = &params[0][..rule.params.len()];
        self.oracle.set_params(own).map_err(|error| EngineError::System(error.to_string()))
    }

    fn run(&mut self, steps: u32) -> Result<()> {
        for _ in 0..steps {
            self.oracle.step().map_err(|error| EngineError::System(error.to_string()))?;
        }
        Ok(())
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        let reductions = self.oracle.reductions_of(which);
        Ok(vec![reductions.map_err(|error| EngineError::System(error.to_string()))?])
    }

    fn digest(&self, _: usize, state: StateId) -> Result<u64> {
        Ok(self.oracle.digest(state))
    }

    fn is_finite(&self, _: usize, state: StateId) -> Result<Option<bool>> {
        Ok(Some(self.oracle.values(state).all(|value| value.as_f64().is_finite())))
    }

    fn read(&self, _: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        let ty = self.oracle.rule().state(state).ty;
        bytes.fill(0);
        for (i, c) in cells.enumerate() {
            packed::put(ty, bytes, i as u64, self.oracle.value(state, c).bits());
        }
        Ok(())
    }

    fn write(&mut self, _: usize, values: &StateValues<'_>) -> Result<()> {
        let (state, cells, bytes) = values.parts();
        let ty = self.oracle.rule().state(state).ty;
        for (i, c) in cells.enumerate() {
            let value = packed::value(ty, bytes, i as u64);
            self.oracle.set_value(state, c, value).map_err(|error| EngineError::System(error.to_string()))?;
        }
        Ok(())
    }

    fn set_inputs(&mut self, members: &[MemberInputs]) -> Result<()> {
        check_count("members", 1, members.len())?;
        self.set_params(&[members[0].params.clone()])?;
        self.oracle.set_seed(members[0].seed);
        Ok(())
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool> {
        check_inputs(self.oracle.rule(), 1, members.iter().map(|member| &member.params))?;
        self.set_params(&[members[0].params.clone()])?;
        self.oracle.restart(members[0].seed);
        Ok(true)
    }
}
