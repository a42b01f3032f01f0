//! The meaning of the language's numbers: the definitions in code that every executor must equal bit for bit.
//!
//! - [`scalar`]: every operation that depends on its operands alone.
//! - [`math`]: `exp log log2 sin cos tan tanh pow asin acos atan atan2`, written once over a small set of primitive operations.
//! - [`philox`]: the random words; [`numbering`]: the numbers by which places draw; [`random`]: the words of many cells at once.
//! - [`value`] and [`operators`]: types, values, and operators on them.
//! - [`table`]: constant tables.
//! - [`flush`]: results of rules with `flush`.
//! - [`digest`]: the order-independent checksum of a field.
//! - [`mode`]: the processor's mode by which floats are computed.
//!
//! Nothing here knows of fractals, layouts or backends.

pub mod digest;
pub mod flush;
pub mod math;
pub mod mode;
pub mod numbering;
pub mod operators;
pub mod philox;
pub mod random;
pub mod scalar;
pub mod table;
pub mod value;
