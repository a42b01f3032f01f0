//! One simulation by several ranks: processes under MPI, or threads of one process. Each has a part of the cells.
//!
//! [`transport`] carries messages between ranks, [`collective`] makes of them what all do together; below lie threads ([`in_process`]), MPI (`mpi`), and either with
//! faults ([`faulty`]). [`launcher`] says whether MPI started this process, [`nodes`] which ranks share a machine.
//!
//! Rank 0 leads: its `engine` commands the others (`command`), which have their parts of the cells (`cells`) and give each other the columns that kernels read across
//! cuts (`ghosts`). `door` is how simulations come to have such an engine.

mod cells;
pub mod collective;
mod command;
mod door;
mod engine;
pub mod error;
pub mod faulty;
mod ghosts;
pub mod in_process;
pub mod launcher;
#[cfg(unix)]
pub mod mpi;
pub mod nodes;
#[cfg(test)]
mod tests;
pub mod transport;
