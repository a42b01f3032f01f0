//! A state for tests: values by canonical index.

use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{StateId, Type};
use squeeze_engine::packed;
use squeeze_engine::simulation::{Fields, SimulationError, StateView};
use std::ops::Range;

/// The packed values of one state on a domain.
pub(crate) struct Given(pub Domain, pub Type, pub Vec<u8>);

impl Given {
    /// The state whose values are the cells' numbers.
    pub(crate) fn numbers(domain: &Domain) -> Given {
        Given(domain.clone(), Type::F64, (0..domain.cells()).flat_map(|c| (c as f64).to_le_bytes()).collect())
    }

    pub(crate) fn view(&self) -> StateView<'_> {
        StateView::numbered(self, StateId(0)).unwrap()
    }
}

impl Fields for Given {
    fn domain(&self) -> &Domain {
        &self.0
    }

    fn find(&self, _name: &str) -> Result<StateId, SimulationError> {
        Ok(StateId(0))
    }

    fn kind(&self, _state: StateId) -> Result<(&str, Type, String, usize), SimulationError> {
        Ok(("given", self.1, "given".to_owned(), 2))
    }

    fn read_ranges(&self, _state: StateId, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<(), SimulationError> {
        for (cells, bytes) in packed::split(self.1, ranges, bytes) {
            let first = packed::bytes(self.1, cells.start) as usize;
            bytes.copy_from_slice(&self.2[first..first + bytes.len()]);
        }
        Ok(())
    }
}
