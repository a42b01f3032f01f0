//! Pictures of 2-D fractals: a block is a pixel, or a square of pixels.

use super::error::Result;
use super::palette::{GROUND, Linear};
use super::{Blocks, Drawn, Image, Paint};
use squeeze_compiler::geometry::Domain;

/// The longest side of a picture, in pixels.
pub const LONGEST: u64 = 4096;
/// Smaller sides are enlarged while they stay within this many pixels.
pub const COMFORTABLE: u64 = 1024;

/// Draws a 2-D fractal.
pub(super) fn draw(domain: &Domain, paint: &Paint) -> Result<Drawn> {
    let blocks = Blocks::choose(domain, COMFORTABLE / 4, LONGEST);
    let (colours, range) = blocks.colours(paint)?;
    let ground = Linear::from_srgb(GROUND);
    if blocks.side <= LONGEST {
        let factor = (COMFORTABLE / blocks.side).max(1) as u32;
        let side = blocks.side as u32 * factor;
        let mut image = Image::filled(side, side, ground);
        for (block, colour) in colours.iter().enumerate() {
            let [x, y, _] = blocks.place(block as u64).map(|v| v as u32 * factor);
            let colour = colour.to_srgb();
            for (dx, dy) in (0..factor).flat_map(|dy| (0..factor).map(move |dx| (dx, dy))) {
                image.set(x + dx, y + dy, colour);
            }
        }
        return Ok((image, range));
    }
    // Several blocks share a pixel: the mean of their colours.
    let divisor = blocks.side.div_ceil(LONGEST);
    let side = blocks.side.div_ceil(divisor) as u32;
    let mut sums = vec![([0.0f32; 3], 0.0f32); side as usize * side as usize];
    for (block, colour) in colours.iter().enumerate() {
        let [x, y, _] = blocks.place(block as u64).map(|v| (v / divisor) as usize);
        let (sum, count) = &mut sums[y * side as usize + x];
        for (sum, part) in sum.iter_mut().zip(colour.0) {
            *sum += part;
        }
        *count += 1.0;
    }
    let mut image = Image::filled(side, side, ground);
    for (at, (sum, count)) in sums.into_iter().enumerate().filter(|(_, (_, count))| *count > 0.0) {
        let colour = Linear(sum.map(|v| v / count));
        image.set(at as u32 % side, at as u32 / side, colour.to_srgb());
    }
    Ok((image, range))
}
