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

use squeeze_compiler::ir::Type;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::simulation::{StateView, Window};
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
pub(crate) fn dense(field: StateView<'_>, window: &Window, hole: &[u8]) -> Result<Vec<u8>> {
    fn of_size<const SIZE: usize>(field: StateView<'_>, window: &Window, hole: &[u8]) -> Result<Vec<u8>> {
        let mut hole_of_size = [0; SIZE];
        hole_of_size.copy_from_slice(hole);
        let mut values = vec![hole_of_size; check_memory(window.places(), SIZE as u64)? / SIZE];
        field.expand(window, &mut values, |bits| {
            let mut value = [0; SIZE];
            value.copy_from_slice(&bits.to_le_bytes()[..SIZE]);
            value
        })?;
        Ok(values.into_flattened())
    }
    match hole.len() {
        1 => of_size::<1>(field, window, hole),
        2 => of_size::<2>(field, window, hole),
        4 => of_size::<4>(field, window, hole),
        _ => of_size::<8>(field, window, hole),
    }
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
