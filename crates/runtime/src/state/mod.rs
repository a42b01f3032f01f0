//! States outside of engines: bytes in canonical order, files, first values, exports and windows of the expanded grid.

pub mod error;
pub mod export;
pub mod field;
pub mod initial;
pub mod npy;
pub mod packed;
pub mod store;
pub mod window;

pub use error::StateError;
