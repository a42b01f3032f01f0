//! Machine code of a kernel, by whichever engine makes the fastest for it here.

use super::call::{KernelFn, Shape};
use super::x86::Isa;
use super::{native, wide, x86};
use crate::engine::{EngineError, Result};
use squeeze_compiler::passes::Ready;

/// A compiled kernel.
pub(super) enum Code {
    /// Kernels of bits alone, on processors with AVX2 or AVX-512.
    X86(x86::Compiled, Isa),
    /// All others, on processors with AVX-512.
    Wide(wide::Compiled),
    /// Everything else.
    Native(Box<native::Compiled>),
    /// Compiled with the program, and by what.
    Given(KernelFn, &'static str),
}

/// Compiles a kernel; if `portable`, by the engine that every processor has.
pub(super) fn compile(kernel: &Ready, shape: Shape, portable: bool) -> Result<Code> {
    let failed = |error: &dyn std::fmt::Display| EngineError::System(format!("kernel `{}`: {error}", kernel.name));
    let native = || {
        let code = native::compile(kernel, shape).map_err(|error| failed(&error))?;
        Ok(Code::Native(Box::new(code)))
    };
    if portable {
        return native();
    }
    if let Some(isa) = Isa::detected().filter(|_| x86::supports(kernel)) {
        let code = x86::compile(kernel, shape, Some(isa)).map_err(|error| failed(&error))?;
        return Ok(Code::X86(code, isa));
    }
    match wide::compile(kernel, shape) {
        Ok(code) => Ok(Code::Wide(code)),
        Err(wide::CompileError::NoIsa | wide::CompileError::TooLarge { .. }) => native(),
        Err(error) => Err(failed(&error)),
    }
}

impl Code {
    /// The name of the engine that made it.
    pub fn engine(&self) -> &'static str {
        match self {
            Code::X86(_, Isa::Avx2) => "avx2",
            Code::X86(_, Isa::Avx512) | Code::Wide(_) => "avx512",
            Code::Native(_) => "cranelift",
            Code::Given(_, compiler) => compiler,
        }
    }

    /// The function, valid as long as `self`.
    pub fn function(&self) -> KernelFn {
        match self {
            Code::X86(code, _) => code.function(),
            Code::Wide(code) => code.function(),
            Code::Native(code) => code.function(),
            Code::Given(function, _) => *function,
        }
    }
}
