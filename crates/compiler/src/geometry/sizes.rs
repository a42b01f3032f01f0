//! How much a domain occupies, compact and expanded.

use super::Domain;
use crate::ir::{Dimension, Fractal, Pattern};

/// The bytes of a domain when each cell takes a given number of bytes.
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
        let bytes = u128::from(bytes_per_cell);
        let [width, height, depth] = self.extent().map(u128::from);
        let places = (width * height).checked_mul(depth);
        let expanded = places.and_then(|places| places.checked_mul(bytes));
        Sizes {
            compact: u128::from(self.cells()) * bytes,
            expanded,
            expanded_rounded: self.extent().iter().map(|side| *side as f64).product::<f64>() * bytes_per_cell as f64,
            reduction: self.block_reduction(0),
        }
    }

    /// The memory reduction factor of the papers' block-level scheme (2022, §3.5 and Table 2): blocks of side
    /// ρ = S_`block_level` are stored expanded, and only the levels above them are compact.
    ///
    /// # Panics
    /// If `block_level` is above the level.
    #[doc(hidden)]
    pub fn block_reduction(&self, block_level: u32) -> f64 {
        let (extent, side) = (self.extent(), self.scale_product(block_level));
        let blocks = self.cells() / self.cell_product(block_level);
        (0..3).map(|axis| (extent[axis] / side[axis]) as f64).product::<f64>() / blocks as f64
    }
}

/// The Hausdorff dimension: log k / log s, or for a mixed fractal Σ log k / Σ log s over its list of patterns. With a scale s along one
/// axis and t < s along the other it is that of the carpets of McMullen (1984) and Bedford: log_t Σ_j n_j^(log_s t), where n_j is the
/// number of replicas in row j (of width s). `None` where no formula is known: rectangles in three dimensions, and mixed ones.
pub fn hausdorff_dimension(fractal: &Fractal) -> Option<f64> {
    if fractal.is_rectangular() && fractal.extent.is_none() {
        return carpet_dimension(fractal);
    }
    let logarithm_of =
        |value: fn(&Pattern) -> f64| -> f64 { fractal.patterns.iter().map(|pattern| value(pattern).ln()).sum() };
    Some(logarithm_of(|pattern| pattern.k() as f64) / logarithm_of(|pattern| f64::from(pattern.scale[0])))
}

/// Of one pattern in the plane.
fn carpet_dimension(fractal: &Fractal) -> Option<f64> {
    let [pattern] = fractal.patterns.as_slice() else { return None };
    let [width, height, _] = pattern.scale;
    if pattern.dimension != Dimension::Two {
        return None;
    }
    if width.min(height) == 1 {
        return Some((pattern.k() as f64).ln() / f64::from(width.max(height)).ln());
    }
    // Rows lie along the axis with the larger scale.
    let (across, rows) = if width > height { (1, height) } else { (0, width) };
    let mut counts = vec![0u64; rows as usize];
    for replica in &pattern.replicas {
        counts[replica[across] as usize] += 1;
    }
    let exponent = f64::from(rows).ln() / f64::from(width.max(height)).ln();
    let sum: f64 = counts.iter().filter(|count| **count > 0).map(|count| (*count as f64).powf(exponent)).sum();
    Some(sum.ln() / f64::from(rows).ln())
}
