//! Saved states as files that other programs read.
//!
//! | ending | what | in it |
//! |---|---|---|
//! | `.npy` | an array of numpy ([`npy`]) | one state in canonical order, or a window of the expanded grid |
//! | `.vti` | an image of VTK, for ParaView ([`vti`]) | a window, 2-D or 3-D, holes blanked |
//! | `.png` | a picture ([`picture`](crate::picture)) | a window |
//! | `.rle` | a pattern of life programs ([`rle`]) | a window of a 2-D state of bits, u8 or an enum |
//! | `.npz` | a sparse matrix of scipy ([`adjacency`]) | which cells are neighbours |
//! | `.zarr` | a group of Zarr v3 ([`zarr`]) | states at all saved times, with the places of cells |

pub mod adjacency;
pub mod npy;
pub mod rle;
pub mod vti;
pub mod zarr;

use super::StateError;
use super::field::Field;
use crate::state::window::{Cells, Window};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Type;
use squeeze_engine::failure::Failure;
use squeeze_engine::packed;
use squeeze_host::files::FileError;
use squeeze_host::{memory, numbers};

/// Why a state cannot be exported as it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The file's ending is none of those that are known.
    #[error(
        "`{0}` cannot be written: valid endings are .npy, .vti, .png, .svg, .pdf, .gif, .mp4, .rle, .npz and .zarr"
    )]
    Ending(String),
    /// The window is too large.
    #[error("this takes {} of memory; {} is available", numbers::bytes(*needed), numbers::bytes(*available as f64))]
    TooLarge {
        /// Bytes needed.
        needed: f64,
        /// Bytes that there are.
        available: u64,
    },
    /// RLE is for states that a byte holds, in two dimensions.
    #[error("RLE holds bits, u8 and enums of a 2-D grid, and `{name}` is {what}")]
    NotBits {
        /// The state.
        name: String,
        /// What it is.
        what: String,
    },
    /// The rule has no such state.
    #[error("the rule `{rule}` has no state `{name}`; it has {known}")]
    NoField {
        /// The rule.
        rule: String,
        /// The name.
        name: String,
        /// Its states.
        known: String,
    },
    /// The neighbourhood is none that is known.
    #[error(
        "`{0}` is not a neighbourhood: valid are moore, von_neumann, both with a radius as in moore(2), a list such as [(1, 0), (2, 1)], \
         and the names of lists in the rule"
    )]
    Neighbourhood(String),
    /// The file that is written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The state that is read.
    #[error(transparent)]
    State(#[from] StateError),
}

/// The result of what writes an export.
pub type Result<T, E = ExportError> = std::result::Result<T, E>;

impl Failure for ExportError {
    fn is_users(&self) -> bool {
        match self {
            ExportError::File(error) => error.is_users(),
            ExportError::State(error) => error.is_users(),
            _ => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            ExportError::State(error) => error.help(),
            ExportError::TooLarge { .. } => vec!["a smaller `--window` takes less".to_owned()],
            _ => Vec::new(),
        }
    }
}

/// Whether `elements` elements of `bytes` bytes may be allocated.
///
/// # Errors
/// [`ExportError::TooLarge`].
pub(crate) fn check_memory(elements: Option<u64>, bytes: u64) -> Result<usize> {
    let available = memory::available();
    let elements = elements.unwrap_or(u64::MAX);
    match elements.checked_mul(bytes).filter(|needed| *needed <= available) {
        Some(needed) => Ok(needed as usize),
        None => Err(ExportError::TooLarge { needed: elements as f64 * bytes as f64, available }),
    }
}

/// The values of a field in the places of a window, x first, each in its natural width and bits in a byte; holes hold `hole`, which is
/// given in that form.
///
/// # Errors
/// [`ExportError::TooLarge`], or if the field cannot be read.
pub(crate) fn dense(domain: &Domain, field: &dyn Field, window: &Window, hole: &[u8]) -> Result<Vec<u8>> {
    let size = hole.len();
    let bytes = check_memory(window.places(), size as u64)?;
    let mut values = hole.repeat(bytes / size);
    let mut cells = Cells::of(field, domain);
    window.for_each_block(domain, 0, &mut |c, _, place| {
        let at = window.index(place) as usize * size;
        values[at..at + size].copy_from_slice(&cells.bits(c)?.to_le_bytes()[..size]);
        Ok(())
    })?;
    Ok(values)
}

/// Bytes of a value where bits are not packed.
pub(crate) fn width(ty: Type) -> usize {
    packed::bytes(ty, 1) as usize
}

/// What a hole holds where every place must hold something: NaN among floats, else 0.
pub fn default_hole(ty: Type) -> Vec<u8> {
    match ty {
        Type::F32 => f32::NAN.to_le_bytes().to_vec(),
        Type::F64 => f64::NAN.to_le_bytes().to_vec(),
        _ => vec![0; width(ty)],
    }
}

#[cfg(test)]
mod tests;
