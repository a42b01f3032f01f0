//! One member of an ensemble that an engine computes together with the others, looked at as a simulation.

use super::{Shared, read, write};
use crate::engine::{Engine, EngineError, Execution};
use crate::state::field::Sample;
use squeeze_compiler::ir::{StateId, Value};
use squeeze_compiler::reduce::fold::ObservedValue;
use std::ops::Range;

/// One member of those that are computed together. It is only looked at and written to: an [`Ensemble`] hands out no member that could
/// take steps alone.
pub(super) struct View {
    pub shared: Shared,
    pub number: usize,
}

const TOGETHER: &str = "members take their steps together";

impl Engine for View {
    fn step(&mut self, _: u32) -> Result<(), EngineError> {
        unreachable!("{TOGETHER}")
    }

    fn part(&mut self, _: usize) -> Result<(), EngineError> {
        unreachable!("{TOGETHER}")
    }

    fn time(&self) -> u32 {
        read(&self.shared).time()
    }

    fn digest(&self, state: StateId) -> Result<u64, EngineError> {
        read(&self.shared).digest(self.number, state)
    }

    fn reductions(&self) -> Result<Vec<ObservedValue>, EngineError> {
        Ok(read(&self.shared).reductions()?.swap_remove(self.number))
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>, EngineError> {
        Ok(read(&self.shared).reductions_of(which)?.swap_remove(self.number))
    }

    fn value(&self, state: StateId, c: u64) -> Result<Value, EngineError> {
        read(&self.shared).value(self.number, state, c)
    }

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>, EngineError> {
        read(&self.shared).block_sums(self.number, state, mu, sample)
    }

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<(), EngineError> {
        read(&self.shared).read(self.number, state, cells, bytes)
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<(), EngineError> {
        write(&self.shared).write(self.number, state, cells, bytes)
    }

    fn set_time(&mut self, _: u32) {
        unreachable!("{TOGETHER}")
    }

    fn set_params(&mut self, _: &[Value]) -> Result<(), EngineError> {
        unreachable!("{TOGETHER}")
    }

    fn restart(&mut self, _: u64, _: &[Value]) -> Result<(), EngineError> {
        unreachable!("{TOGETHER}")
    }

    /// Its share of those of all members.
    fn state_bytes(&self) -> u64 {
        let engine = read(&self.shared);
        engine.state_bytes() / engine.members() as u64
    }

    fn strategy(&self) -> &'static str {
        read(&self.shared).strategy()
    }

    fn device(&self) -> String {
        read(&self.shared).device()
    }

    fn execution(&self) -> Option<Execution> {
        read(&self.shared).execution()
    }
}
