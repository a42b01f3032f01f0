//! States outside of engines: bytes in canonical order, files, initial values and exports.

#[cfg(feature = "files")]
pub mod export;
#[cfg(test)]
pub(crate) mod given;
#[cfg(feature = "files")]
pub mod initial;
#[cfg(feature = "files")]
pub mod mask;
#[cfg(feature = "files")]
pub mod npy;
#[cfg(feature = "files")]
pub mod store;

use squeeze_compiler::ir::{Rule, StateId, Type};
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::list;

/// The state of a rule that has this name.
///
/// # Errors
/// If there is none; the message lists the rule's states.
pub fn state_named(rule: &Rule, name: &str) -> Result<StateId> {
    let known = || list(&rule.states.iter().map(|state| state.name.as_str()).collect::<Vec<_>>());
    let none = || Message::users(format!("the rule `{}` has no state `{name}`; it has {}", rule.name, known()));
    Ok(rule.state_named(name).ok_or_else(none)?)
}

/// The names of a type in other formats. Bits and variants take a byte there.
pub(crate) struct TypeNames {
    /// In attributes of saved states.
    pub own: &'static str,
    pub numpy: &'static str,
    pub zarr: &'static str,
    pub vtk: &'static str,
}

impl TypeNames {
    pub(crate) fn of(ty: Type) -> TypeNames {
        let (own, numpy, zarr, vtk) = match ty {
            Type::Bit => ("bit", "|u1", "uint8", "UInt8"),
            Type::U8 => ("u8", "|u1", "uint8", "UInt8"),
            Type::Enum(_) => ("enum", "|u1", "uint8", "UInt8"),
            Type::U16 => ("u16", "<u2", "uint16", "UInt16"),
            Type::I32 => ("i32", "<i4", "int32", "Int32"),
            Type::U32 => ("u32", "<u4", "uint32", "UInt32"),
            Type::I64 => ("i64", "<i8", "int64", "Int64"),
            Type::F32 => ("f32", "<f4", "float32", "Float32"),
            Type::F64 => ("f64", "<f8", "float64", "Float64"),
        };
        TypeNames { own, numpy, zarr, vtk }
    }
}

/// Steps as messages name them, of many the first and the last.
#[cfg(feature = "files")]
pub(crate) fn steps_in_words(known: &[u32]) -> String {
    let text = |steps: &[u32]| steps.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match known {
        [first, second, third, .., last] if known.len() > 8 => {
            format!("{}, …, {last}", text(&[*first, *second, *third]))
        }
        _ => text(known),
    }
}
