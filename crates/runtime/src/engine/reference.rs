//! The oracle as an engine.

use super::{Backend, Engine};
use crate::engine::{EngineError, Result};
use crate::state::field::Sample;
use crate::state::packed;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::oracle::{Oracle, OracleError};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_host::memory;
use std::ops::Range;
use std::sync::Arc;

/// The oracle, stepped on the calling thread.
pub(crate) struct Reference {
    oracle: Oracle,
    domain: Domain,
}

impl Reference {
    /// Allocates the expanded grid, if it takes at most `limit` bytes, and computes the initial state.
    pub(crate) fn new(domain: &Domain, rule: &Arc<Rule>, seed: u64, params: &[Value], limit: u64) -> Result<Reference> {
        let oracle = Oracle::new(
            domain.fractal(),
            domain.level(),
            Arc::clone(rule),
            seed,
            params[..rule.params.len()].to_vec(),
            limit,
        );
        let oracle = oracle.map_err(|error| match error {
            OracleError::TooLarge { fractal, level, needed, limit, largest, .. } => EngineError::Memory {
                fractal,
                level,
                backend: Backend::Reference.name(),
                needed: needed.map_or_else(|| expanded_bytes(domain, rule), |bytes| bytes as f64),
                available: limit,
                largest,
            },
            other => EngineError::System(other.to_string()),
        })?;
        Ok(Reference { oracle, domain: domain.clone() })
    }
}

/// The size of both buffers where the exact one exceeds 64 bits.
fn expanded_bytes(domain: &Domain, rule: &Rule) -> f64 {
    let bytes_per_place: u64 = rule.states_and_fields().map(|state| state.ty.bytes()).sum();
    2.0 * domain.sizes(bytes_per_place).expanded_rounded
}

impl Engine for Reference {
    fn step(&mut self, steps: u32) -> Result<()> {
        for _ in 0..steps {
            self.oracle.step().map_err(|error| EngineError::System(error.to_string()))?;
        }
        Ok(())
    }

    fn part(&mut self, _: usize) -> Result<()> {
        unreachable!("the oracle computes globals itself")
    }

    fn computes_globals(&self) -> bool {
        true
    }

    fn time(&self) -> u32 {
        self.oracle.time()
    }

    fn digest(&self, state: StateId) -> Result<u64> {
        Ok(self.oracle.digest(state))
    }

    fn reductions(&self) -> Result<Vec<ObservedValue>> {
        Ok(self.oracle.reductions())
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>> {
        Ok(self.oracle.reductions_of(which))
    }

    fn value(&self, state: StateId, c: u64) -> Result<Value> {
        Ok(self.oracle.value(state, c))
    }

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        let mut values = self.oracle.values(state);
        let mut sums = Vec::new();
        while let Some(first) = values.next() {
            let mut sum = sample.of(first.as_f64());
            for value in values.by_ref().take(self.domain.cell_product(mu) as usize - 1) {
                sum.iter_mut().zip(sample.of(value.as_f64())).for_each(|(sum, part)| *sum += part);
            }
            sums.push(sum);
        }
        Ok(sums)
    }

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        let ty = self.oracle.rule().state(state).ty;
        bytes.fill(0);
        for (i, c) in cells.enumerate() {
            packed::put(ty, bytes, i as u64, self.oracle.value(state, c).bits());
        }
        Ok(())
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        let ty = self.oracle.rule().state(state).ty;
        for (i, c) in cells.enumerate() {
            let value = packed::value(ty, bytes, i as u64);
            self.oracle.set_value(state, c, value).map_err(|error| EngineError::System(error.to_string()))?;
        }
        Ok(())
    }

    fn set_time(&mut self, time: u32) {
        self.oracle.set_time(time);
    }

    fn set_params(&mut self, params: &[Value]) -> Result<()> {
        let rule = Arc::clone(self.oracle.rule());
        for (param, value) in rule.params.iter().zip(params) {
            self.oracle.set_param(&param.name, *value).map_err(|error| EngineError::System(error.to_string()))?;
        }
        Ok(())
    }

    fn restart(&mut self, seed: u64, params: &[Value]) -> Result<()> {
        self.set_params(params)?;
        self.oracle.restart(seed);
        Ok(())
    }

    fn state_bytes(&self) -> u64 {
        self.oracle.state_bytes()
    }

    fn strategy(&self) -> &'static str {
        "reference"
    }

    fn device(&self) -> String {
        memory::processor_name()
    }
}
