//! What an error tells beside its message.

use squeeze_compiler::geometry::{EdgeError, LevelError, RuleMisfit};
use squeeze_compiler::text::words::list;
use squeeze_host::files::FileError;
use squeeze_host::threads::ThreadsError;

/// An error that [`Error`](crate::Error) holds: one of a module here, or of a crate above.
pub trait Failure: std::error::Error + Send + Sync + 'static {
    /// True if the user's input is wrong, false if the machine or Squeeze itself is at fault.
    fn is_users(&self) -> bool {
        true
    }

    /// Valid alternatives, a line each, where the message itself does not name them.
    fn help(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Failure for FileError {
    fn is_users(&self) -> bool {
        FileError::is_users(self)
    }
}

impl Failure for ThreadsError {
    fn is_users(&self) -> bool {
        ThreadsError::is_users(self)
    }
}

impl Failure for LevelError {}

impl Failure for RuleMisfit {
    fn help(&self) -> Vec<String> {
        match self {
            RuleMisfit::Edges(error) => error.help(),
            _ => Vec::new(),
        }
    }
}

impl Failure for Box<EdgeError> {
    fn help(&self) -> Vec<String> {
        match &**self {
            EdgeError::Form(_) => vec!["write for example `--edge u=0.0` or `--edge u=reflect`".to_owned()],
            EdgeError::Periodic { .. } => vec!["leave the edge out, or let fewer axes be periodic".to_owned()],
            EdgeError::Unknown { known, .. } => vec![format!("it has {}", list(known))],
            EdgeError::Missing { missing, .. } => {
                vec![format!("say what `{missing}` is there, too: `edge {missing} = …`, or `--edge {missing}=…`")]
            }
            EdgeError::Twice(_) | EdgeError::Value { .. } => Vec::new(),
        }
    }
}
