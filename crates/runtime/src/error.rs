//! What can go wrong between a command and its result, and whose fault it is.
//!
//! Every module has its own error; this one holds any of them, for whoever does not care which. Nothing else in the library
//! uses it.

use crate::engine::EngineError;
use crate::failure::Failure;
use crate::texts::TextErrors;
use squeeze_compiler::CompileError;
use std::fmt::{Debug, Display, Formatter};

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no result: any error that is a [`Failure`].
///
/// ```
/// use squeeze_runtime::{Error, resolve::{ResolveError, rule}};
/// let error = Error::from(rule("lif").unwrap_err());
/// assert!(error.is_users());
/// assert!(matches!(error.downcast_ref(), Some(ResolveError::UnknownName { near: Some(near), .. }) if near == "life"));
/// ```
pub struct Error(Box<dyn Failure>);

impl Debug for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl<E: Failure> From<E> for Error {
    fn from(error: E) -> Self {
        Error(Box::new(error))
    }
}

impl From<CompileError> for Error {
    fn from(error: CompileError) -> Self {
        EngineError::from(error).into()
    }
}

/// The system refused something that no module asked it for.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct SystemError(String);

impl Failure for SystemError {
    fn is_users(&self) -> bool {
        false
    }
}

impl Error {
    /// The system refused something that the library was not asked for.
    pub fn system(message: String) -> Error {
        SystemError(message).into()
    }

    /// The error as a value of its own type, if this is `E`.
    pub fn downcast_ref<E: Failure>(&self) -> Option<&E> {
        self.as_dyn().downcast_ref()
    }

    /// True if the user's input is wrong, false if the machine or Squeeze itself is at fault.
    pub fn is_users(&self) -> bool {
        self.0.is_users()
    }

    /// Valid alternatives, a line each, where the message itself does not name them.
    pub fn help(&self) -> Vec<String> {
        self.0.help()
    }

    /// The errors of texts that it tells of, which can be shown with excerpts.
    pub fn text_errors(&self) -> Option<&TextErrors> {
        std::iter::successors(Some(self.as_dyn()), |error| error.source()).find_map(|error| error.downcast_ref())
    }

    fn as_dyn(&self) -> &(dyn std::error::Error + 'static) {
        &*self.0
    }
}
