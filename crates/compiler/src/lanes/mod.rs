//! Replica lanes: the layout of a fractal's cells in columns, and the way from a rule to kernels on it.
//!
//! [`layout`] says where cells are kept, [`table`] which superblocks are neighbours and how lanes move between them.
//! [`lower`] turns a rule into a kernel for one superblock, [`passes`] improve it, and [`interpret`] says what a
//! kernel means. [`zeros`] finds sums that need not add. [`plan`] chooses the layout.

#[cfg(test)]
mod agreement;
pub mod graph;
pub mod interpret;
pub mod layout;
pub mod lower;
pub mod passes;
pub mod plan;
#[cfg(test)]
pub(crate) mod samples;
pub mod schedule;
pub mod table;
pub mod zeros;
