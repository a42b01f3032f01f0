//! Why a kernel has no machine code, and what machine code consists of.

#[cfg(all(target_arch = "x86_64", unix))]
use iced_x86::IcedError;

/// Why there is no code.
#[cfg(all(target_arch = "x86_64", unix))]
#[derive(Debug)]
pub enum Problem {
    /// Something exceeds what can be addressed.
    TooLarge(&'static str),
    /// A bug: see the message.
    Encoding(IcedError),
}

#[cfg(all(target_arch = "x86_64", unix))]
impl From<IcedError> for Problem {
    fn from(error: IcedError) -> Problem {
        Problem::Encoding(error)
    }
}

/// What the code of a kernel consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Bytes of constants and machine code.
    pub bytes: usize,
    /// Instructions, entry and exit included.
    pub instructions: usize,
    /// Vectors and masks stored because registers were short, for one group.
    pub spills: usize,
    /// Bytes of the stack's frame.
    pub frame: usize,
}
