//! What the model takes for the side of a box whose sides may differ.

use crate::ir::fractal::Dimension;

/// The shortest side along the axes that there are.
pub(super) fn shortest(sides: [u64; 3], dimension: Dimension) -> u64 {
    sides[..dimension.axes()].iter().copied().min().unwrap_or(1)
}

/// The side of a square or cube of as many places.
pub(super) fn mean_side(sides: [u64; 3], dimension: Dimension) -> f64 {
    let sides = &sides[..dimension.axes()];
    if sides.iter().all(|side| *side == sides[0]) {
        return sides[0] as f64;
    }
    sides.iter().map(|side| *side as f64).product::<f64>().powf(1.0 / sides.len() as f64)
}
