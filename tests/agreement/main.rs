//! The CPU backend gives what the oracle gives, bit for bit: replica lanes on any layout, with any number of steps a pass
//! and of threads.
//!
//! [`squeeze_tests::course`] runs both and compares; [`shipped`] does so for everything that ships, [`corners`] for rare cases, [`activity`] for cells at
//! rest, [`periodic`] for periodic edges, [`edges`] for values beyond edges, [`masks`] for rows, [`lets`] for lets that are kept, [`sums`] for sums over many neighbours, and [`chance`] for random
//! programs, whose texts `squeeze_testing` makes. [`transfer`] moves states from one to another.

mod activity;
mod chance;
mod corners;
mod edges;
mod lets;
mod masks;
mod periodic;
mod shipped;
mod sums;
mod ties;
mod transfer;
