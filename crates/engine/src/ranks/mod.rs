//! One simulation by several ranks: processes under MPI, or threads of one process. Each has a part of the cells.
//!
//! [`transport`] carries messages between ranks, [`collective`] makes of them what all do together; below lie threads ([`in_process`]), MPI (`mpi`), and either with
//! faults ([`faulty`]). [`launcher`] says whether MPI started this process, [`nodes`] which ranks share a machine.
//!
//! Rank 0 leads: it chooses how cells are stored (`choice`), and its `engine` commands the others (`command`). Each has its part of the cells (`cells`) computed by an engine of
//! its own (`part`), on a CPU or a GPU, and gives the others the columns that kernels read across cuts (`ghosts`). `door` is how simulations come to have such an engine, `devices` how they do
//! on several GPUs of one process.

#[cfg(feature = "jit")]
mod cells;
#[cfg(feature = "jit")]
mod choice;
pub mod collective;
#[cfg(feature = "jit")]
mod command;
#[cfg(feature = "cuda")]
mod devices;
#[cfg(feature = "jit")]
mod door;
#[cfg(feature = "jit")]
mod engine;
pub mod error;
pub mod faulty;
#[cfg(feature = "jit")]
mod ghosts;
#[cfg(feature = "cuda")]
mod gpu;
pub mod in_process;
pub mod launcher;
#[cfg(all(unix, feature = "jit"))]
pub mod mpi;
pub mod nodes;
#[cfg(feature = "jit")]
mod part;
#[cfg(all(test, feature = "jit"))]
mod tests;
#[cfg(feature = "jit")]
pub mod traffic;
pub mod transport;
