//! Machine code for kernels with numbers, on x86-64 with AVX-512: sixteen lanes at a time.
//!
//! A group of 16 lanes of 32 bits fills a vector of 512 bits; binary64 takes two of them, u8 one whose elements stay below
//! 256, and bits are a mask of 16. Like [`x86`](super::x86), which does kernels of bits alone, this is no general code generator
//! but short walks over the kernel:
//!
//! 1. `select` turns operations into instructions (`numbers` and `convert` those on numbers), with `graph` sharing what
//!    is the same and putting what all groups share before the loop.
//! 2. `allocate` gives values registers by their furthest next use.
//! 3. `frame` puts constants, entry, loop over groups and exit around it.
//!
//! Columns of more than one group are covered by overlapping groups (the new buffer is never read, so that writing a value
//! twice is harmless). Functions such as `exp` are calls of helpers, which take a whole group.

#[cfg(all(target_arch = "x86_64", unix))]
mod allocate;
#[cfg(all(target_arch = "x86_64", unix))]
mod convert;
#[cfg(all(target_arch = "x86_64", unix))]
mod frame;
#[cfg(all(target_arch = "x86_64", unix))]
mod graph;
#[cfg(all(target_arch = "x86_64", unix))]
mod numbers;
#[cfg(all(target_arch = "x86_64", unix))]
mod pointers;
#[cfg(all(target_arch = "x86_64", unix))]
mod select;

use super::call::{KernelFn, Shape};
use squeeze_compiler::ir::kernel::Kernel;

/// Why a kernel was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// There is no AVX-512 here.
    #[error("this is not an x86-64 machine with AVX-512")]
    NoIsa,
    /// Its values or columns take more memory than machine code may address here; shorter kernels do not.
    #[error("kernel `{kernel}` is too large: {what}")]
    TooLarge {
        /// Its name.
        kernel: String,
        /// What of it.
        what: &'static str,
    },
    /// An instruction that does not exist: a bug of this module.
    #[error("kernel `{kernel}` cannot be encoded: {message}")]
    Encoding {
        /// Its name.
        kernel: String,
        /// What the encoder said.
        message: String,
    },
    /// The system gave no memory for code.
    #[error("no memory for machine code: {0}")]
    Memory(#[from] std::io::Error),
}

/// The machine code of a kernel. Its memory is freed on drop.
#[derive(Debug)]
pub struct Compiled {
    code: memmap2::Mmap,
    start: usize,
    spills: usize,
}

impl Compiled {
    /// The function, valid as long as this value lives: calling it later is undefined behaviour.
    pub fn function(&self) -> KernelFn {
        // SAFETY: the memory is executable, and there begins a function of this type, which `frame` wrote.
        unsafe { std::mem::transmute::<*const u8, KernelFn>(self.code.as_ptr().add(self.start)) }
    }

    /// How many bytes of code and constants it has.
    pub fn bytes(&self) -> usize {
        self.code.len()
    }

    /// How many values are stored because registers are short.
    pub fn spills(&self) -> usize {
        self.spills
    }
}

/// Whether this machine has what the code needs: AVX-512 F, VL, BW and DQ.
#[cfg(all(target_arch = "x86_64", unix))]
pub fn is_available() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq")
}

/// Whether this machine has what the code needs.
#[cfg(not(all(target_arch = "x86_64", unix)))]
pub fn is_available() -> bool {
    false
}

/// Compiles a verified kernel for columns of this shape.
///
/// # Errors
/// [`CompileError`]; where [`is_available`] says so, only if the kernel is too large or memory is short.
#[cfg(all(target_arch = "x86_64", unix))]
pub fn compile(kernel: &Kernel, shape: Shape) -> Result<Compiled, CompileError> {
    if !is_available() {
        return Err(CompileError::NoIsa);
    }
    let too_large = |what| CompileError::TooLarge { kernel: kernel.name.clone(), what };
    let problem = |problem| match problem {
        frame::Problem::TooLarge(what) => too_large(what),
        frame::Problem::Encoding(error) => {
            CompileError::Encoding { kernel: kernel.name.clone(), message: error.to_string() }
        }
    };
    let graph = select::select(kernel, shape)
        .map_err(|select::Problem::TooLarge| too_large("a superblock of more than 2 GiB"))?;
    let body = allocate::body(&graph, frame::is_looped(shape.stride)).map_err(problem)?;
    let (bytes, start) = frame::assemble(&body, &graph.pool, shape.stride).map_err(problem)?;
    // Written first and executable only then: never both at once.
    let mut memory = memmap2::MmapMut::map_anon(bytes.len())?;
    memory.copy_from_slice(&bytes);
    Ok(Compiled { code: memory.make_exec()?, start, spills: body.spills })
}

/// Compiles nothing: this is not an x86-64 machine with a Unix.
///
/// # Errors
/// Always [`CompileError::NoIsa`].
#[cfg(not(all(target_arch = "x86_64", unix)))]
pub fn compile(_kernel: &Kernel, _shape: Shape) -> Result<Compiled, CompileError> {
    Err(CompileError::NoIsa)
}
