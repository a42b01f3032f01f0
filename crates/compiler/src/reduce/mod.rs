//! What observables and globals are made of: which reductions there are, how they fold, and what is computed of their results.
//!
//! - [`fold`]: reductions, folded digit by digit so that no layout changes the result.
//! - [`weighted_bits`]: terms that are weighted sums of bits, which can be added up in any order.
//! - [`global_expr`]: what is computed of the results of reductions.

pub mod fold;
pub mod global_expr;
pub mod weighted_bits;
