//! Access to the machine that a program runs on, below everything else: [`files`] reads and writes, [`memory`] and [`threads`] say how
//! much there is, [`numbers`] prints numbers for people.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests lay out files as they like"))]

pub mod files;
mod groups;
pub mod memory;
pub mod numbers;
pub mod threads;
