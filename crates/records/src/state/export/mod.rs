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

use super::field::Field;
use crate::state::window::{Window, WindowCells};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Type;
use squeeze_engine::failure::{Message, Result};
use squeeze_host::{memory, numbers};

/// Whether `elements` elements of `bytes` bytes may be allocated.
///
/// # Errors
/// If they need more memory than is available.
pub(crate) fn check_memory(elements: Option<u64>, bytes: u64) -> Result<usize> {
    let available = memory::available();
    let elements = elements.unwrap_or(u64::MAX);
    match elements.checked_mul(bytes).filter(|needed| *needed <= available) {
        Some(needed) => Ok(needed as usize),
        None => {
            let needed = numbers::bytes(elements as f64 * bytes as f64);
            let available = numbers::bytes(available as f64);
            let what = format!("this takes {needed} of memory; {available} is available");
            Err(Message::users(what).with_help("a smaller `--window` takes less").into())
        }
    }
}

/// The values of a field in the places of a window, x first, each in its natural width and bits in a byte; holes hold `hole`, which is
/// given in that form.
///
/// # Errors
/// If it does not fit in memory, or the field cannot be read.
pub(crate) fn dense(domain: &Domain, field: &dyn Field, window: &Window, hole: &[u8]) -> Result<Vec<u8>> {
    let size = hole.len();
    let bytes = check_memory(window.places(), size as u64)?;
    let mut values = hole.repeat(bytes / size);
    let mut cells = WindowCells::of(field, domain);
    window.for_each_block(domain, 0, &mut |c, _, place| {
        let at = window.index(place) as usize * size;
        values[at..at + size].copy_from_slice(&cells.bits(c)?.to_le_bytes()[..size]);
        Ok(())
    })?;
    Ok(values)
}

/// The value of a hole in formats where every place has a value: NaN among floats, else 0.
pub fn default_hole(ty: Type) -> Vec<u8> {
    match ty {
        Type::F32 => f32::NAN.to_le_bytes().to_vec(),
        Type::F64 => f64::NAN.to_le_bytes().to_vec(),
        _ => vec![0; ty.bytes() as usize],
    }
}

#[cfg(test)]
mod tests;
