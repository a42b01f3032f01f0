//! Machine code of a kernel, by whichever engine makes the fastest for it here.

use super::call::{KernelFn, Shape};
use super::x86::Isa;
use super::{native, x86};
use crate::error::{Error, Result};
use squeeze_compiler::ir::kernel::Kernel;

/// A compiled kernel.
pub(super) enum Code {
    /// Kernels of bits alone, on processors with AVX2 or AVX-512.
    X86(x86::Compiled, Isa),
    /// Everything else.
    Native(Box<native::Compiled>),
}

/// Compiles an optimised kernel.
pub(super) fn compile(kernel: &Kernel, shape: Shape) -> Result<Code> {
    let failed = |error: &dyn std::fmt::Display| Error::System(format!("kernel `{}`: {error}", kernel.name));
    match Isa::detected() {
        Some(isa) if x86::supports(kernel) => {
            let code = x86::compile(kernel, shape, Some(isa)).map_err(|error| failed(&error))?;
            Ok(Code::X86(code, isa))
        }
        _ => {
            let code = native::compile(kernel, shape).map_err(|error| failed(&error))?;
            Ok(Code::Native(Box::new(code)))
        }
    }
}

impl Code {
    /// The name of the engine that made it.
    pub fn engine(&self) -> &'static str {
        match self {
            Code::X86(_, Isa::Avx2) => "avx2",
            Code::X86(_, Isa::Avx512) => "avx512",
            Code::Native(_) => "cranelift",
        }
    }

    /// The function, valid as long as `self`.
    pub fn function(&self) -> KernelFn {
        match self {
            Code::X86(code, _) => code.function(),
            Code::Native(code) => code.function(),
        }
    }
}
