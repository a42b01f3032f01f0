//! Errors between a command and its result, and whose fault each is.
//!
//! Every module has its own error; [`Error`] holds any of them, and of the crates above, for callers that do not tell them apart. Nothing in the library
//! itself uses it.

use crate::error::EngineError;
use squeeze_compiler::CompileError;
use squeeze_compiler::geometry::{LevelError, RuleMisfit};
use squeeze_host::files::FileError;
use squeeze_host::memory::TooLimited;
use squeeze_host::threads::ThreadsError;
use std::fmt::{Debug, Display, Formatter};

/// An error that [`Error`] holds: one of a module here, or of a crate above.
pub trait Failure: std::error::Error + Send + Sync + 'static {
    /// True if the user's input is wrong, false if the machine or Squeeze itself is at fault.
    fn is_users(&self) -> bool {
        true
    }

    /// Valid alternatives that the message does not name, a line each.
    fn help(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Failure for FileError {
    fn is_users(&self) -> bool {
        FileError::is_users(self)
    }

    fn help(&self) -> Vec<String> {
        FileError::help(self)
    }
}

impl Failure for ThreadsError {
    fn is_users(&self) -> bool {
        matches!(self, ThreadsError::TooMany { .. })
    }
}

impl Failure for TooLimited {
    fn is_users(&self) -> bool {
        false
    }

    fn help(&self) -> Vec<String> {
        vec!["`ulimit -d`, `ulimit -v` and batch systems set limits".to_owned()]
    }
}

impl Failure for LevelError {}

impl Failure for RuleMisfit {
    fn help(&self) -> Vec<String> {
        self.help.iter().cloned().collect()
    }
}

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why there is no result: any error that is a [`Failure`].
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

/// An error in words, for errors that no caller needs to tell from others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Message {
    what: String,
    is_users: bool,
    help: Vec<String>,
}

impl Message {
    /// The user's input is wrong.
    pub fn users(what: impl Into<String>) -> Message {
        Message { what: what.into(), is_users: true, help: Vec::new() }
    }

    /// The machine or Squeeze itself is at fault.
    pub fn systems(what: impl Into<String>) -> Message {
        Message { is_users: false, ..Message::users(what) }
    }

    /// Adds a line of help: valid values, or a way out.
    #[must_use]
    pub fn with_help(mut self, line: impl Into<String>) -> Message {
        self.help.push(line.into());
        self
    }
}

impl Failure for Message {
    fn is_users(&self) -> bool {
        self.is_users
    }

    fn help(&self) -> Vec<String> {
        self.help.clone()
    }
}

impl Error {
    /// The system refused something that the library was not asked for.
    #[doc(hidden)]
    pub fn system(message: String) -> Error {
        Message::systems(message).into()
    }

    /// The error as a value of its own type, if this is `E`.
    pub fn downcast_ref<E: Failure>(&self) -> Option<&E> {
        self.as_dyn().downcast_ref()
    }

    /// True if the user's input is wrong, false if the machine or Squeeze itself is at fault.
    pub fn is_users(&self) -> bool {
        self.0.is_users()
    }

    /// Valid alternatives that the message does not name, a line each.
    pub fn help(&self) -> Vec<String> {
        self.0.help()
    }

    /// The first error of a type among this one and those that led to it: `TextErrors`, say, which can be shown with excerpts.
    pub fn find<E: std::error::Error + 'static>(&self) -> Option<&E> {
        std::iter::successors(Some(self.as_dyn()), |error| error.source())
            .find_map(|error| error.downcast_ref().or_else(|| error.downcast_ref::<Error>()?.find()))
    }

    fn as_dyn(&self) -> &(dyn std::error::Error + 'static) {
        &*self.0
    }
}
