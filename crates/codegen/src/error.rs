//! Why a kernel has no machine code.

use squeeze_compiler::kernel::Kernel;
use std::fmt;

/// Why a kernel was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// Its values or columns take more memory than machine code may address here; shorter kernels do not.
    #[error("kernel `{kernel}` is too large: {what}")]
    TooLarge {
        /// Its name.
        kernel: String,
        /// The part of it that is too large.
        what: &'static str,
    },
    /// The system lets nothing be executed that was written by this process.
    #[error("the system forbids machine code that is made while a program runs: {0}")]
    Forbidden(std::io::Error),
    /// This machine, or a bug of a compiler.
    #[error("kernel `{kernel}`: {problem}")]
    Failed {
        /// Its name.
        kernel: String,
        /// The error, in words.
        problem: String,
    },
}

impl CodeError {
    pub(crate) fn failed(kernel: &Kernel, problem: &dyn fmt::Display) -> CodeError {
        CodeError::Failed { kernel: kernel.name.clone(), problem: problem.to_string() }
    }
}
