//! One simulation by several ranks: processes under MPI, or threads of one process. Each has a part of the cells.
//!
//! [`transport`] carries messages between ranks, [`collective`] makes of them what all do together; below lie threads ([`in_process`]), MPI (`mpi`), and either with
//! faults ([`faulty`]). [`launcher`] says whether MPI started this process, [`nodes`] which ranks share a machine.

pub mod collective;
pub mod error;
pub mod faulty;
pub mod in_process;
pub mod launcher;
#[cfg(unix)]
pub mod mpi;
pub mod nodes;
#[cfg(test)]
mod tests;
pub mod transport;
