//! What observables and globals are made of: which reductions there are, how they fold, and what is computed of their results.
//!
//! - [`fold`]: reductions, folded digit by digit so that no layout changes the result.
//! - [`totals`]: terms that are weighted sums of bits, which can be added up in any order.
//! - [`total`]: what is computed of the results of reductions.

pub mod fold;
pub mod total;
pub mod totals;
