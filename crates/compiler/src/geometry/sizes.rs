//! How much a domain occupies, compact and expanded.

use super::Domain;
use crate::ir::Fractal;

/// What a domain occupies when each cell takes a given number of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// Bytes of the cells alone.
    pub compact: u128,
    /// Bytes of the whole expanded grid, holes included; `None` if they are 2^128 or more.
    pub expanded: Option<u128>,
    /// [`Sizes::expanded`] rounded, of any size.
    pub expanded_rounded: f64,
    /// The papers' memory reduction factor (2022, §3.7 and Table 2 with ρ = 1): expanded divided by compact.
    pub reduction: f64,
}

impl Domain {
    /// The sizes for this many bytes a cell; the reduction factor does not depend on it.
    pub fn sizes(&self, bytes_per_cell: u64) -> Sizes {
        let axes = self.dimension().axes() as u32;
        let bytes = u128::from(bytes_per_cell);
        let expanded = u128::from(self.side()).checked_pow(axes).and_then(|places| places.checked_mul(bytes));
        Sizes {
            compact: u128::from(self.cells()) * bytes,
            expanded,
            expanded_rounded: (self.side() as f64).powi(axes as i32) * bytes_per_cell as f64,
            reduction: self.block_reduction(0),
        }
    }

    /// The memory reduction factor of the papers' block-level scheme (2022, §3.5 and Table 2): blocks of side
    /// ρ = S_`block_level` are stored expanded, and only the levels above them are compact.
    ///
    /// # Panics
    /// If `block_level` is above the level.
    pub fn block_reduction(&self, block_level: u32) -> f64 {
        let blocks_a_side = self.side() / self.scale_product(block_level);
        let blocks = self.cells() / self.cell_product(block_level);
        (blocks_a_side as f64).powi(self.dimension().axes() as i32) / blocks as f64
    }
}

/// The Hausdorff dimension: log k / log s, or for a mixed fractal Σ log k / Σ log s over its list of patterns.
pub fn hausdorff_dimension(fractal: &Fractal) -> f64 {
    let logarithm_of = |value: fn(&crate::ir::Pattern) -> f64| -> f64 {
        fractal.patterns.iter().map(|pattern| value(pattern).ln()).sum()
    };
    logarithm_of(|pattern| pattern.k() as f64) / logarithm_of(|pattern| f64::from(pattern.scale))
}
