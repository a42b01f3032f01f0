//! Libraries that may be missing: loaded when they are needed, function by function, with an error and not a panic for each.

use super::error::CudaError;
use libloading::Library;
use squeeze_compiler::numbers::mode::DefaultMode;
use std::path::{Path, PathBuf};

/// Why a library could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("no {} could be loaded{}", names.join(" or "), reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})")))]
pub struct LoadError {
    /// The names that were tried.
    pub names: Vec<String>,
    /// The system's words on the last.
    pub reason: Option<String>,
}

/// Loads the first of these that can be loaded.
pub(super) fn load_first(candidates: impl IntoIterator<Item = PathBuf>) -> Result<(Library, PathBuf), LoadError> {
    let mut error = LoadError { names: Vec::new(), reason: None };
    for path in candidates {
        match load(&path) {
            Ok(library) => return Ok((library, path)),
            Err(reason) => {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                if !error.names.contains(&name) {
                    error.names.push(name);
                }
                error.reason = Some(reason.to_string());
            }
        }
    }
    Err(error)
}

/// Loads one library.
pub(super) fn load(path: &Path) -> Result<Library, libloading::Error> {
    // Initialisers may set a mode of their own.
    let _mode = DefaultMode::enter();
    // SAFETY: loading runs the library's initialisers. These are NVIDIA's libraries, by their names, where the system or the user has put them.
    unsafe { Library::new(path) }
}

/// A function of a library.
///
/// # Safety
/// `F` must be the type of that function.
pub(super) unsafe fn function<F: Copy>(library: &Library, path: &Path, name: &str) -> Result<F, CudaError> {
    // SAFETY: as the caller's.
    let found = unsafe { library.get::<F>(name.as_bytes()) };
    found
        .map(|symbol| *symbol)
        .map_err(|_| CudaError::TooOld { library: path.display().to_string(), function: name.to_owned() })
}

/// Declares a struct of a library's functions, and how it is filled.
macro_rules! functions {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $symbol:literal fn($($argument:ty),*);)* }) => {
        $(#[$doc])*
        pub(super) struct $name {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> i32,)*
        }

        impl $name {
            fn of(library: &libloading::Library, path: &std::path::Path) -> Result<Self, super::error::CudaError> {
                Ok($name {
                    // SAFETY: the types are those of NVIDIA's headers; names carry a version where a type has changed.
                    $($field: unsafe { super::library::function(library, path, $symbol)? },)*
                })
            }
        }
    };
}
pub(super) use functions;
