//! Options of engines, and code that is loaded from a user's text.

#[cfg(feature = "jit")]
pub use super::ahead_of_time::AheadOfTime;
use crate::{EngineError, Result};
#[cfg(feature = "jit")]
use squeeze_codegen::{AvailableIsa, Isa};
use squeeze_compiler::Off;
use squeeze_compiler::target::{Choice, Hardware, Wavefront};
use squeeze_host::memory;

/// Options that override the planner's defaults. They change no result; each engine ignores options of other engines.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// The number of threads of the host; `None` takes as many as the machine runs at once.
    pub threads: Option<usize>,
    /// Below this many cells, if not [as many as usual](CELLS_WORTH_THREADS), a pass of a CPU runs on the calling thread: waking others would take longer.
    /// Tests lower it, to see several threads at sizes that the oracle can do. [`ALONE`] says that other simulations keep the other threads busy.
    pub cells_worth_threads: Option<u64>,
    /// The most bytes of the device to take; `None` takes what is available.
    pub limit: Option<u64>,
    /// A layout to take instead of the planned one.
    pub choice: Option<Choice>,
    /// The machine that layouts are chosen for, by engines on its kind; `None` is the usual one.
    pub hardware: Option<Hardware>,
    /// Whether the states of a mask or a box hold the cells alone even where their columns fit in memory.
    pub packed: bool,
    /// When passes begin to leave out units that cannot change.
    pub watched: WatchedFrom,
    /// Specialities to do without.
    pub off: Off,
    /// How the tiles of ordered steps wait for one another on a GPU.
    pub wavefront: Wavefront,
    /// The lines and columns of tiles of ordered steps to take instead of the planned ones, for measurements and tests.
    #[doc(hidden)]
    pub tile: Option<[u32; 2]>,
    /// The number of the GPU, of those that the process sees.
    pub device: i32,
    /// The number of the part of the domain that is computed, and how many parts there are; `None` is the whole. Ghosts are copied
    /// between parts after each pass. On GPUs all cells of a part are computed in each pass, whatever `watched` says.
    #[doc(hidden)]
    pub part: Option<(u32, u32)>,
    /// The time steps of a pass over rows that parts on CPUs compute, if another has decided it.
    #[doc(hidden)]
    pub agreed_steps: Option<u32>,
    /// The instruction set that kernels are compiled for, on x86-64; `None` takes the best that the machine has.
    #[cfg(feature = "jit")]
    pub isa: Option<Isa>,
    /// Kernels that were compiled with the program; they are taken at levels whose layout they fit, unless another is wanted.
    #[cfg(feature = "jit")]
    pub(crate) ahead_of_time: Option<AheadOfTime>,
    /// CUDA C to compile instead of the text printed for the layout; it holds the same kernels.
    #[cfg(feature = "cuda")]
    pub(crate) code: Option<LoadedCode>,
}

/// The usual [`EngineOptions::cells_worth_threads`].
pub const CELLS_WORTH_THREADS: u64 = 1 << 17;
/// That of a simulation whose passes run on one thread, whatever its size.
pub const ALONE: u64 = u64::MAX;

/// When engines begin to leave out units that cannot change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WatchedFrom {
    /// Never.
    Never,
    /// Once it can pay: on a GPU when a run has taken long enough, on a CPU with the first steps.
    #[default]
    WhereItPays,
    /// With the first steps.
    AtOnce,
}

/// CUDA C from outside.
#[cfg(feature = "cuda")]
#[derive(Clone, Debug)]
pub struct LoadedCode {
    /// Its name in messages: its file.
    pub name: String,
    /// The text.
    pub text: String,
}

impl EngineOptions {
    /// CUDA C to compile instead of the printed text.
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    pub fn code(&self) -> Option<&LoadedCode> {
        self.code.as_ref()
    }

    /// Whether kernels are given that were compiled with the program.
    pub(crate) fn has_kernels(&self) -> bool {
        #[cfg(feature = "jit")]
        return self.ahead_of_time.is_some();
        #[cfg(not(feature = "jit"))]
        false
    }

    /// The most bytes of the host to take.
    pub(crate) fn host_limit(&self) -> u64 {
        self.limit.unwrap_or_else(memory::available)
    }

    /// The instruction set that is wanted, or else the best that the machine has, if it has one.
    ///
    /// # Errors
    /// [`EngineError::NoIsa`] if the machine has not got it.
    #[cfg(feature = "jit")]
    pub(super) fn available_isa(&self) -> Result<Option<AvailableIsa>> {
        let wanted = self.isa.map(|isa| isa.available().ok_or(EngineError::NoIsa(isa))).transpose()?;
        Ok(wanted.or_else(AvailableIsa::best))
    }
}
