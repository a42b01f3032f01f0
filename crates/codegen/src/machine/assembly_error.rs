//! Why a kernel has no machine code.

use crate::error::CodeError;
use iced_x86::IcedError;
use squeeze_compiler::kernel::Kernel;
use std::io::ErrorKind;

/// Why there is no code.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AssemblyError {
    /// Something exceeds the range of addresses.
    #[error("is too large: {0}")]
    TooLarge(&'static str),
    /// A bug: see the message.
    #[error("cannot be encoded: {0}")]
    Encoding(#[from] IcedError),
    /// The system gave no memory for code.
    #[error("no memory for machine code: {0}")]
    Memory(#[from] std::io::Error),
}

impl AssemblyError {
    /// That of a kernel.
    pub(super) fn of(self, kernel: &Kernel) -> CodeError {
        match self {
            AssemblyError::TooLarge(what) => CodeError::TooLarge { kernel: kernel.name.clone(), what },
            AssemblyError::Memory(error) if error.kind() == ErrorKind::PermissionDenied => CodeError::Forbidden(error),
            AssemblyError::Encoding(_) | AssemblyError::Memory(_) => CodeError::failed(kernel, &self),
        }
    }
}
