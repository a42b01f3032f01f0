//! States outside of engines: bytes in canonical order, files, initial values, exports and windows of the expanded grid.

#[cfg(feature = "files")]
pub mod export;
pub mod field;
#[cfg(feature = "files")]
pub mod initial;
#[cfg(feature = "files")]
pub mod mask;
#[cfg(feature = "files")]
pub mod npy;
#[cfg(feature = "files")]
pub mod store;
pub mod window;

use squeeze_compiler::ir::{Rule, StateId};
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::list;

/// The state of a rule that has this name.
///
/// # Errors
/// If there is none: which there are.
pub fn state_named(rule: &Rule, name: &str) -> Result<StateId> {
    let known = || list(&rule.states.iter().map(|state| state.name.as_str()).collect::<Vec<_>>());
    let none = || Message::users(format!("the rule `{}` has no state `{name}`; it has {}", rule.name, known()));
    Ok(rule.state_named(name).ok_or_else(none)?)
}
