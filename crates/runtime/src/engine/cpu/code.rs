//! The machine code of a kernel, from the compiler for this processor.

use super::call::{Call, KernelFn, Shape, Walk};
use super::machine;
#[cfg(not(all(target_arch = "x86_64", unix)))]
use super::native;
use crate::engine::{EngineError, Result};
use machine::Isa;
use squeeze_compiler::Speciality;
use squeeze_compiler::passes::Ready;

/// A compiled kernel.
pub(super) enum Code {
    /// On x86-64.
    Machine(machine::Compiled, Isa),
    /// Elsewhere.
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    Native(Box<native::Compiled>),
    /// Compiled with the program, and by what.
    AheadOfTime(KernelFn, &'static str),
}

/// Compiles a kernel, with this instruction set or the best that there is.
pub(super) fn compile(kernel: &Ready, shape: Shape, walk: Walk, isa: Option<Isa>) -> Result<Code> {
    let failed = |error: &dyn std::fmt::Display| EngineError::System(format!("kernel `{}`: {error}", kernel.name));
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    if isa.is_none() {
        _ = walk;
        let code = native::compile(kernel, shape).map_err(|error| failed(&error))?;
        return Ok(Code::Native(Box::new(code)));
    }
    let isa = isa.or_else(Isa::detected).ok_or_else(|| failed(&"it needs a processor with SSE4.1"))?;
    let off = kernel.off();
    let walk = if walk == Walk::Cached || off.allows(Speciality::AskingAhead) { walk } else { Walk::Cached };
    let tables = isa.has_tables() && kernel.interface().bitwise && !off.has(Speciality::Tables);
    let with_tables = tables.then(|| kernel.with_tables());
    let code =
        machine::compile(with_tables.as_ref().unwrap_or(kernel), shape, walk, isa).map_err(|error| match error {
            machine::CompileError::TooLarge { kernel, what } => EngineError::LargeKernel { kernel, what },
            error => failed(&error),
        })?;
    Ok(Code::Machine(code, isa))
}

impl Code {
    /// The name of the engine that made it.
    pub fn engine(&self) -> &'static str {
        match self {
            Code::Machine(_, isa) => isa.name(),
            #[cfg(not(all(target_arch = "x86_64", unix)))]
            Code::Native(_) => "cranelift",
            Code::AheadOfTime(_, compiler) => compiler,
        }
    }

    /// Runs it for what a call says.
    ///
    /// # Safety
    /// All that the kernel reads and writes by `call` is valid, as [`call`](super::call) says.
    pub unsafe fn run(&self, call: &Call) {
        // SAFETY: the function lives as long as `self`; the rest is the caller's.
        unsafe {
            match self {
                Code::Machine(code, _) => code.run(call),
                #[cfg(not(all(target_arch = "x86_64", unix)))]
                Code::Native(code) => (code.function())(call),
                Code::AheadOfTime(function, _) => function(call),
            }
        }
    }
}
