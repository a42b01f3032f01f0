//! Copies of the states of simulations, and what is asked of the states of rules.

use super::error::{FieldError, Result};
use super::view::{Fields, check_cells};
use crate::Snapshot;
use crate::packed;
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{Rule, StateId, Type};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The state of a rule that has this name.
pub(super) fn find(rule: &Rule, name: &str) -> Result<StateId> {
    rule.state_named(name).ok_or_else(|| {
        let known: Vec<String> = rule.states.iter().map(|state| state.name.clone()).collect();
        FieldError::Unknown { rule: rule.name.clone(), name: name.to_owned(), known }.into()
    })
}

/// The name of a state of a rule, its type, the type's name, and how many values bits or an enum have.
pub(super) fn kind(rule: &Rule, state: StateId) -> Result<(&str, Type, String, usize)> {
    let ty = packed::type_of(rule, state)?;
    let values = match ty {
        Type::Bit => 2,
        Type::Enum(id) => rule.enum_type(id).variants.len(),
        _ => 0,
    };
    Ok((&rule.state(state).name, ty, rule.type_name(ty), values))
}

/// Checks that ranges of a state can be read into `given` bytes.
pub(super) fn check_ranges(rule: &FittedRule, state: StateId, ranges: &[Range<u64>], given: usize) -> Result<Type> {
    let (ty, all) = (packed::type_of(rule, state)?, rule.domain().cells());
    let mut needed = 0;
    for cells in ranges {
        check_cells(cells, all)?;
        let bytes = packed::bytes(ty, cells.end - cells.start);
        packed::check(ty, all, cells, bytes as usize)?;
        needed += bytes;
    }
    if needed == given as u64 { Ok(ty) } else { Err(FieldError::Bytes { needed, given }.into()) }
}

/// A copy of the states of a simulation, which can be read while steps are computed.
pub struct StatesCopy {
    rule: FittedRule,
    copy: Mutex<Box<dyn Snapshot>>,
}

impl StatesCopy {
    pub(super) fn new(rule: FittedRule, copy: Box<dyn Snapshot>) -> StatesCopy {
        StatesCopy { rule, copy: Mutex::new(copy) }
    }
}

impl Fields for StatesCopy {
    fn domain(&self) -> &Domain {
        self.rule.domain()
    }

    fn find(&self, name: &str) -> Result<StateId> {
        find(&self.rule, name)
    }

    fn kind(&self, state: StateId) -> Result<(&str, Type, String, usize)> {
        kind(&self.rule, state)
    }

    fn read_ranges(&self, state: StateId, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<()> {
        let ty = check_ranges(&self.rule, state, ranges, bytes.len())?;
        let mut copy = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
        for (cells, bytes) in packed::split(ty, ranges, bytes) {
            copy.read(state, cells, bytes)?;
        }
        Ok(())
    }
}
