//! The CUDA backend: replica lanes on an NVIDIA GPU, compiled when a run begins.
//!
//! The rule is lowered for a layout that suits GPUs, printed as CUDA C, compiled by NVRTC and run by the driver. The
//! libraries of both are loaded when they are needed; [`CudaError`] says what is missing. States live on the
//! device, where they begin, are digested, observed and looked at; where most of a state is wanted it is copied to the host, to memory of the same layout.

mod activity;
mod cache;
mod cluster_finder;
mod clusters;
mod code;
mod copies;
mod copy;
mod doctor;
mod driver;
mod engine;
pub(crate) mod error;
mod fronts;
mod ghosts;
/// The tools to run kernels of other crates: the driver's objects, and the way from a text to machine code. It is no part of the stable surface.
#[doc(hidden)]
pub mod kit {
    pub use super::cache::KernelCache;
    pub use super::code::{blame, load, load_own, text_to_compile};
    pub use super::driver::{
        Address, Argument, Arguments, Blocks, Device, Function, Memory, Module, Plain, check, has,
    };
    pub use super::label::{Label, as_name, prefix_of, prefix_on, space};
    pub use super::nvrtc::{Architecture, MachineCode, Nvrtc};
    pub use super::pass::{Field, buffers};
    pub use super::room::{RESERVE, on_device, room_on};
    pub use crate::cpu::Prepared;
    pub use crate::engine::{check_count, check_inputs, install};
    pub use crate::mirror::{Mirror, Transfers, check_host};
    pub use crate::states::States;
}
mod label;
mod launch;
mod library;
mod link_time;
mod look_kernels;
mod looks;
mod measure;
mod neighbours;
mod nvrtc;
mod parts;
mod pass;
mod prepare;
mod programs;
mod reduce;
mod room;
mod signature;
mod stored;
mod trace;
mod turns;
mod world_file;

pub use crate::options::LoadedCode;
pub use cache::{CacheContents, KernelCache};
pub use copy::DeviceCopy;
pub use doctor::{CacheReport, DeviceReport, NvrtcReport, Report};
pub use error::CudaError;
pub(crate) use ghosts::DeviceLink;
pub use library::LoadError;
pub use link_time::{LinkTime, link_time};
pub use nvrtc::{Architecture, MachineCode, Nvrtc, Output};
pub use programs::{header, program};
pub(crate) use room::{room, room_of};
#[doc(hidden)]
pub use trace::{Road, Trace, trace};
pub use world_file::write_world;

use crate::asked::Asked;
use crate::cpu::Prepared;
use crate::mirror::Mirror;
use crate::pass::Pass;
use crate::{MemberInputs, Result};
use activity::Activity;
use cluster_finder::DeviceClusters;
use copies::CopyPool;
use driver::{Address, Device, Memory};
use look_kernels::LookKernels;
use measure::Measure;
use neighbours::TableMemory;
use pass::{DeviceKernel, Field, Recorded, StepTurns};
use reduce::Reducer;
use squeeze_compiler::Program;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use stored::Stored;

/// A simulation on a GPU, or many members of an ensemble in one set of kernels.
#[doc(hidden)]
pub struct Cuda {
    /// The kernels that all simulations share.
    measure: Measure,
    program: Program,
    members: Vec<MemberInputs>,
    /// How the cells of each step are taken.
    turns: Vec<StepTurns>,
    /// The flags of each step, if it goes in waves, or the messages.
    flags: Vec<Memory>,
    /// The places of the cells that rolling states have values in, if there are such states.
    last_line: Option<Memory>,
    /// Where the last rows alone are stored, the values of each input along its axis, by its state.
    input_lines: BTreeMap<u16, Memory>,
    /// The copy of states on the host.
    mirror: Mirror,
    /// The tables and kernels that reduce states on the host, once they were needed.
    reducer: OnceLock<Prepared>,
    code: Option<LoadedCode>,
    device: Arc<Device>,
    nvrtc: Nvrtc,
    cache: KernelCache,
    architecture: Architecture,
    /// Whether a pass begins before the one before it has ended.
    overlaps: bool,
    fields: Vec<Field>,
    surroundings: TableMemory,
    /// What finds clusters, if the rule asks them.
    clusters: Option<DeviceClusters>,
    time: u32,
    /// The time that the device's clock shows.
    clock: u32,
    /// The kernel of the initial states.
    init: DeviceKernel,
    /// Passes by the number of their time steps.
    passes: BTreeMap<u32, Arc<Pass<DeviceKernel>>>,
    /// Many passes of the most steps at once, by the addresses of the buffers that they begin with and by which kernels are left out; none before it pays.
    graphs: BTreeMap<(Vec<Address>, Vec<bool>), Recorded>,
    /// The tiles that need not be computed again; `None` if all are.
    activity: Option<Activity>,
    copies: CopyPool,
    /// The kernels of looks, once there was one.
    looks: OnceLock<LookKernels>,
    /// Reducers by list of reductions, each for one thread at a time; `None` where the host reduces.
    reducers: Asked<Vec<usize>, Option<Mutex<Reducer>>>,
    /// The most bytes of the device to take.
    limit: u64,
}

impl Cuda {
    /// The contents of its buffers.
    fn stored(&self) -> Stored<'_> {
        Stored::of(&self.program.plan)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // Nothing may be freed that a kernel still uses. A device that is lost uses nothing.
        _ = self.device.synchronize();
    }
}

/// A GPU's name, if this machine has one.
///
/// # Errors
/// Why it has none.
pub fn device_name() -> std::result::Result<String, CudaError> {
    Device::first().map(|device| device.name())
}

/// Looks whether there is a GPU of a number.
///
/// # Errors
/// Why there is none.
pub(crate) fn check_device(number: i32) -> Result<()> {
    Ok(Device::numbered(number).map(drop)?)
}

/// How many GPUs this process sees, at least one.
///
/// # Errors
/// Why it sees none.
pub fn device_count() -> std::result::Result<u32, CudaError> {
    match driver::count()? {
        0 => Err(CudaError::NoDevice),
        count => Ok(count as u32),
    }
}
