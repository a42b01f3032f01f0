//! Observables and globals: their reductions, how these fold, and the expressions of their results.
//!
//! - [`fold`]: reductions, folded digit by digit so that no layout changes the result.
//! - [`weighted_bits`]: terms that are weighted sums of bits, which can be added up in any order.
//! - [`global_expr`]: the expressions of the results of reductions.

pub mod fold;
pub mod global_expr;
pub mod weighted_bits;
