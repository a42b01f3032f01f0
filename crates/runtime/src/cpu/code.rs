//! Machine code of a kernel, by whichever engine makes the fastest for it here.

use super::call::{KernelFn, Shape};
use super::native;
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::error::{Error, Result};
use squeeze_compiler::ir::kernel::Kernel;

/// A compiled kernel.
pub(super) enum Code {
    /// Kernels of bits alone, on processors with AVX2 or AVX-512.
    #[cfg(target_arch = "x86_64")]
    X86(x86::Compiled),
    /// Everything else.
    Native(native::Compiled),
}

/// Compiles an optimised kernel.
pub(super) fn compile(kernel: &Kernel, shape: Shape) -> Result<Code> {
    let failed = |error: &dyn std::fmt::Display| Error::System(format!("kernel `{}`: {error}", kernel.name));
    #[cfg(target_arch = "x86_64")]
    if x86::supports(kernel) {
        return x86::compile(kernel, shape, None).map(Code::X86).map_err(|error| failed(&error));
    }
    native::compile(kernel, shape).map(Code::Native).map_err(|error| failed(&error))
}

impl Code {
    /// The function, valid as long as `self`.
    pub fn function(&self) -> KernelFn {
        match self {
            #[cfg(target_arch = "x86_64")]
            Code::X86(code) => code.function(),
            Code::Native(code) => code.function(),
        }
    }

    /// The name of the engine.
    pub fn engine(&self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Code::X86(_) => "x86",
            Code::Native(_) => "cranelift",
        }
    }
}
