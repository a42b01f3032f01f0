//! Structs that kernels take, each said once: what a host fills, and what CUDA C declares.

use squeeze_compiler::kernel_structs;
use squeeze_engine::cuda::kit::Argument;

/// The most layers of a dynamic tree's sums in 32 bits.
pub(super) const LAYERS: usize = 5;

kernel_structs! {
    /// A mask, padded with zeros to whole chunks, and the cells before its parts.
    Tiles = "Tiles" 18 {
        mask: u64 = "const u32 *mask" "",
        before: u64 = "const u16 *before" "each tile, in its chunk",
        chunks: u64 = "const u32 *chunks" "each chunk; behind the last one all cells",
        count: u64 = "u64 count" "of tiles",
    }

    /// Layers of sums in 32 bits, the finest first; each of the others has every 32nd of the one before.
    Layers = "Layers" 0 {
        sums: [u64; LAYERS] = "u32 *sums[5]" "",
        counts: [u32; LAYERS] = "u32 counts[5]" "",
        count: u32 = "u32 count" "",
    }

    /// A tree of two layers.
    Fixed = "Fixed" 0 {
        mask: u64 = "const u32 *mask" "",
        fine: u64 = "const u16 *fine" "",
        coarse: u64 = "const u32 *coarse" "",
        a: u32 = "u32 a" "",
        b: u32 = "u32 b" "",
        sections: u32 = "u32 sections" "",
        step: u32 = "u32 step" "the greatest power of two in `sections`",
    }

    /// A tree of as many layers as it takes: sums of blocks of 1024 places, relative to those of 2^15, and layers above.
    Dynamic = "Dynamic" 0 {
        mask: u64 = "const u32 *mask" "",
        fine: u64 = "const u16 *fine" "",
        blocks: u32 = "u32 blocks" "of the finest layer",
        layers: Layers = "Layers layers" "",
    }
}

// SAFETY: CUDA C declares it by the same list of fields, as it does those that follow.
unsafe impl Argument for Tiles {}
// SAFETY: as above.
unsafe impl Argument for Layers {}
// SAFETY: as above.
unsafe impl Argument for Fixed {}
// SAFETY: as above.
unsafe impl Argument for Dynamic {}
