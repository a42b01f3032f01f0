//! Masks on a GPU: arrays are packed there, and encodings compared.

mod abi;
mod encodings;
mod pack;

pub use abi::shared_structs;
pub(crate) use encodings::EncodingDevice;
pub(crate) use pack::DeviceMask;
pub use pack::PackDevice;

use abi::{Dynamic, Fixed, Layers, Tiles};
use squeeze_compiler::emit::cuda::DIGEST;

/// Kernels that pack arrays by masks.
pub fn packing_kernels() -> String {
    include_str!("../../templates/pack.cu").replace("{{ tiles }}\n", &Tiles::text())
}

/// The same, and the encodings of the literature to compare them with.
pub fn encodings() -> String {
    let encodings = include_str!("../../templates/encodings.cu")
        .replace("{{ layers }}\n", &Layers::text())
        .replace("{{ fixed }}\n", &Fixed::text())
        .replace("{{ dynamic }}\n", &Dynamic::text());
    [DIGEST, &packing_kernels(), &encodings].concat()
}
