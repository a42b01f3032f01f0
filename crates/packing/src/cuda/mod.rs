//! Masks on a GPU: arrays are packed there, and encodings compared.

mod encodings;
mod pack;

pub(crate) use encodings::EncodingDevice;
pub use pack::PackDevice;
pub(crate) use pack::{DeviceMask, Values};

use squeeze_compiler::emit::cuda::DIGEST;

/// Kernels that pack arrays by masks.
pub const PACK: &str = include_str!("../../templates/pack.cu");

/// The same, and the encodings of the literature to compare them with.
pub fn encodings() -> String {
    [DIGEST, PACK, include_str!("../../templates/encodings.cu")].concat()
}
