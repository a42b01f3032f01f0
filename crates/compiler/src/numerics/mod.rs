//! What the language's numbers mean: the definitions in code that every executor must equal bit for bit.
//!
//! - [`scalar`]: every operation of [`crate::ir::Op`] that depends on its operands alone.
//! - [`math`]: `exp log sin cos tanh pow atan atan2`, written once over a small set of primitive operations.
//! - [`philox`]: the random words; [`random`]: those of many cells at once.
//! - [`fold`]: observables, folded digit by digit so that no layout changes the result.
//! - [`flush`]: what `flush` on a rule makes of results.
//! - [`digest`]: the order-independent checksum of a field.
//!
//! Nothing here knows of fractals, layouts or backends.

pub mod digest;
pub mod flush;
pub mod fold;
pub mod math;
pub mod philox;
pub mod random;
pub mod scalar;
pub mod total;
