//! States that go from one simulation to another.

use squeeze_compiler::ir::{Rule, StateId, Type};
use squeeze_engine::Simulation;
use squeeze_engine::failure::Result;
use squeeze_engine::packed;

/// Cells that are read at once; a multiple of 8, so that bits stay whole bytes.
const PIECE: u64 = 1 << 22;

/// Gives a simulation the values of another one of the same domain, of those states that have the same name and type in both.
///
/// # Errors
/// If the machine fails.
pub fn copy_states(from: &Simulation, to: &mut Simulation) -> Result<()> {
    let all = from.domain().cells();
    let same = |(number, state): (u16, &squeeze_compiler::ir::State)| {
        let before = (0u16..).zip(&from.rule().states).find(|(_, before)| before.name == state.name)?;
        is_same((from.rule(), before.1.ty), (to.rule(), state.ty)).then_some((
            StateId(before.0),
            StateId(number),
            state.ty,
        ))
    };
    let pairs: Vec<(StateId, StateId, Type)> = (0u16..).zip(&to.rule().states).filter_map(same).collect();
    for (before, now, ty) in pairs {
        for first in (0..all).step_by(PIECE as usize) {
            let cells = first..all.min(first + PIECE);
            let mut bytes = vec![0; packed::bytes(ty, cells.end - cells.start) as usize];
            from.read(before, cells.clone(), &mut bytes)?;
            to.write(now, cells, &bytes)?;
        }
    }
    Ok(())
}

/// Whether two types of two rules have the same values.
fn is_same((one, a): (&Rule, Type), (other, b): (&Rule, Type)) -> bool {
    match (a, b) {
        (Type::Enum(a), Type::Enum(b)) => one.enum_type(a).variants == other.enum_type(b).variants,
        _ => a == b,
    }
}
