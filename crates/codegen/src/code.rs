//! The machine code of a kernel, from the compiler for this processor.

#[cfg(all(target_arch = "x86_64", unix))]
use crate::machine;
#[cfg(not(all(target_arch = "x86_64", unix)))]
use crate::native;
use crate::{AvailableIsa, Call, CodeError, ColumnOrder, KernelFn};
use squeeze_compiler::layout::columns::Shape;
use squeeze_compiler::passes::Body;

/// A compiled kernel.
#[derive(Debug)]
pub struct Code {
    kind: CodeOrigin,
    engine: &'static str,
}

#[derive(Debug)]
enum CodeOrigin {
    #[cfg(all(target_arch = "x86_64", unix))]
    Machine(machine::X86Code),
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    Native(Box<native::CraneliftCode>),
    /// Compiled with the program.
    AheadOfTime(KernelFn),
}

/// Compiles a kernel that was made for [these passes](crate::passes), on x86-64 with this instruction set.
///
/// # Errors
/// [`CodeError`]: the kernel is too large, or the machine has no code for it.
pub fn compile(kernel: &Body, shape: Shape, order: ColumnOrder, isa: Option<AvailableIsa>) -> Result<Code, CodeError> {
    #[cfg(all(target_arch = "x86_64", unix))]
    {
        let isa = isa.ok_or_else(|| CodeError::failed(kernel, &"it needs a processor with SSE4.1"))?;
        let code = machine::compile(kernel, shape, order, isa)?;
        Ok(Code { kind: CodeOrigin::Machine(code), engine: isa.isa().name() })
    }
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    {
        let _ = (order, isa);
        let code = native::compile(kernel, shape).map_err(|error| CodeError::failed(kernel, &error))?;
        Ok(Code { kind: CodeOrigin::Native(Box::new(code)), engine: "cranelift" })
    }
}

/// Tries whether the system lets compiled kernels run.
///
/// # Errors
/// [`CodeError::Forbidden`] if it does not.
pub fn check_execution() -> Result<(), CodeError> {
    #[cfg(all(target_arch = "x86_64", unix))]
    machine::executable(&[0]).map_err(CodeError::Forbidden)?;
    Ok(())
}

impl Code {
    /// A kernel that was compiled with the program, and the name of its compiler.
    pub fn ahead_of_time(function: KernelFn, compiler: &'static str) -> Code {
        Code { kind: CodeOrigin::AheadOfTime(function), engine: compiler }
    }

    /// The name of the engine that made it.
    pub fn engine(&self) -> &'static str {
        self.engine
    }

    /// Runs it with the arguments of a call.
    ///
    /// # Safety
    /// All that the kernel reads and writes by `call` is valid, as [the crate](crate) says.
    pub unsafe fn run(&self, call: &Call) {
        // SAFETY: the function lives as long as `self`; the rest is the caller's.
        unsafe {
            match &self.kind {
                #[cfg(all(target_arch = "x86_64", unix))]
                CodeOrigin::Machine(code) => code.run(call),
                #[cfg(not(all(target_arch = "x86_64", unix)))]
                CodeOrigin::Native(code) => (code.function)(call),
                CodeOrigin::AheadOfTime(function) => function(call),
            }
        }
    }
}
