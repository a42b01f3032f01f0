//! States outside of engines: bytes in canonical order, files, initial values, exports and windows of the expanded grid.

pub mod error;
#[cfg(feature = "files")]
pub mod export;
pub mod field;
#[cfg(feature = "files")]
pub mod initial;
#[cfg(feature = "files")]
pub mod mask;
#[cfg(feature = "files")]
pub mod npy;
#[cfg(feature = "files")]
pub mod store;
pub mod window;

pub use error::StateError;
