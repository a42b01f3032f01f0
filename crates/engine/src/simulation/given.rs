//! Initial values that follow from given ones.

use super::Simulation;
use super::error::Result;
use crate::packed;
#[cfg(feature = "jit")]
use rayon::prelude::*;
use squeeze_compiler::ir::{StateId, Type, Value};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_compiler::oracle::InitFrom;
use std::ops::Range;

/// Cells that are read and written at once.
const PIECE: u64 = 1 << 20;
/// Cells that are computed at once: a multiple of 8, so that bits stay whole bytes.
const STRETCH: u64 = 1 << 12;

/// The values of a state in some cells, as bytes.
type Packed = (Type, Vec<u8>);

impl Simulation {
    /// Computes the initial values of those states whose `init` names given ones, directly or through other states, from what the given ones
    /// hold now: what [`set_field`](Self::set_field) put there before the first step. The given states and all others keep theirs.
    ///
    /// # Errors
    /// [`FieldError::Unknown`](super::FieldError::Unknown) if there is no such state; or if the machine fails.
    pub fn init_from(&mut self, given: &[&str]) -> Result<()> {
        let _mode = DefaultMode::enter();
        let given = given.iter().map(|name| self.state(name)).collect::<Result<Vec<StateId>>>()?;
        let (rule, seed) = (self.rule.clone(), self.seed);
        let Some(init) = InitFrom::new(rule.domain(), &rule, &given) else { return Ok(()) };
        let params = self.inputs().params;
        let (cells, computed) = (rule.domain().cells(), init.computed());
        let type_of = |state: &StateId| rule.state(*state).ty;
        for first in (0..cells).step_by(PIECE as usize) {
            let piece = first..cells.min(first + PIECE);
            let mut read: Vec<Packed> = Vec::new();
            for state in init.read() {
                let mut bytes = vec![0; packed::bytes(type_of(state), piece.end - piece.start) as usize];
                self.read(*state, piece.clone(), &mut bytes)?;
                read.push((type_of(state), bytes));
            }
            let of_stretch = |first: u64| {
                let cells = first..piece.end.min(first + STRETCH);
                let of = |(ty, bytes): &Packed| {
                    let values = cells.clone().map(|c| packed::value(*ty, bytes, c - piece.start));
                    values.collect::<Vec<Value>>()
                };
                let read: Vec<Vec<Value>> = read.iter().map(of).collect();
                init.values(seed, &params, cells, &read)
            };
            let firsts: Vec<u64> = piece.clone().step_by(STRETCH as usize).collect();
            let stretches: Vec<Vec<Vec<Value>>> = self.install(|| {
                #[cfg(feature = "jit")]
                let firsts = firsts.into_par_iter();
                #[cfg(not(feature = "jit"))]
                let firsts = firsts.into_iter();
                firsts.map(of_stretch).collect()
            });
            for (index, state) in computed.iter().enumerate() {
                let values = stretches.iter().flat_map(|stretch| &stretch[index]);
                self.write(*state, piece.clone(), &as_bytes(type_of(state), &piece, values))?;
            }
        }
        Ok(())
    }
}

fn as_bytes<'v>(ty: Type, cells: &Range<u64>, values: impl Iterator<Item = &'v Value>) -> Vec<u8> {
    let mut bytes = vec![0; packed::bytes(ty, cells.end - cells.start) as usize];
    for (i, value) in (0..).zip(values) {
        packed::put(ty, &mut bytes, i, value.bits());
    }
    bytes
}
