//! Pictures of 2-D fractals: a block is a pixel, or a square of pixels. Those of 1-D fractals are bars.

use super::blocks::{Blocks, Drawn, Paint};
use super::error::Result;
use super::image::{BAR, Image};
use super::inset;
use super::palette::{Linear, Theme};
use super::view::{self, View, Zoom};
use crate::state::window::Window;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Dimension;

/// The longest side of a picture, in pixels. Smaller sides are enlarged while they stay within it.
pub const LONGEST: u64 = 1024;
/// Where cells share a block, blocks are made so large that they cover this part of the picture: the lines of a sparse fractal
/// would be too thin to be seen.
const LEAST_COVER: f64 = 0.05;
/// The fewest blocks along a side.
const LEAST_SIDE: u64 = 96;

/// The blocks of a picture.
pub(super) fn blocks(domain: &Domain) -> Blocks<'_> {
    let finest = Blocks::choose(domain, LONGEST / 4, LONGEST);
    if finest.level == 0 || finest.longest() > LONGEST {
        return finest;
    }
    let cover = |blocks: &Blocks| blocks.count() as f64 / (blocks.sides[0] as f64 * blocks.sides[1] as f64);
    let coarser = (finest.level..=domain.level()).map(|level| Blocks::of_level(domain, level));
    let wide = coarser.take_while(|blocks| blocks.longest() >= LEAST_SIDE).find(|blocks| cover(blocks) >= LEAST_COVER);
    wide.unwrap_or(finest)
}

/// Draws a 2-D fractal.
pub(super) fn draw(domain: &Domain, paint: &Paint, theme: &Theme) -> Result<Drawn> {
    if domain.levels().is_none() && domain.side() > LONGEST {
        // A mask has no blocks between one cell and all of them.
        let zoom = Zoom::Reduce(domain.side().div_ceil(LONGEST) as u32);
        return view::draw(domain, paint, &View { window: Window::whole(domain), zoom }, theme);
    }
    let blocks = blocks(domain);
    let painted = blocks.colours(paint)?;
    let ground = theme.ground();
    let line = domain.dimension() == Dimension::One;
    if blocks.longest() > LONGEST {
        let image = shared(&blocks, &painted.colours, theme);
        return Ok(Drawn { image: if line { image.at_least(BAR) } else { image }, map: painted.map });
    }
    let factor = (LONGEST / blocks.longest()).max(1) as u32;
    let [width, height, _] = blocks.sides.map(|side| side as u32 * factor);
    let mut image = Image::filled(width, height, ground);
    for (block, colour) in painted.colours.iter().enumerate() {
        let [x, y, _] = blocks.place(block as u64).map(|v| v as u32 * factor);
        let colour = colour.to_srgb();
        for (dx, dy) in (0..factor).flat_map(|dy| (0..factor).map(move |dx| (dx, dy))) {
            image.set(x + dx, y + dy, colour);
        }
    }
    let image = match paint {
        _ if line => image.at_least(BAR),
        Paint::Field(field, shades) if blocks.level > 0 => {
            inset::added(image, &blocks, &painted, *field, shades, theme)?
        }
        _ => image,
    };
    Ok(Drawn { image, map: painted.map })
}

/// Several blocks share a pixel: the mean of their colours, over the ground as far as they cover less of it than of the pixel that is
/// covered most.
fn shared(blocks: &Blocks, colours: &[Linear], theme: &Theme) -> Image {
    let divisor = blocks.longest().div_ceil(LONGEST);
    let [width, height, _] = blocks.sides.map(|side| side.div_ceil(divisor) as u32);
    let mut sums = vec![([0.0f32; 3], 0.0f32); width as usize * height as usize];
    for (block, colour) in colours.iter().enumerate() {
        let [x, y, _] = blocks.place(block as u64).map(|v| (v / divisor) as usize);
        let (sum, count) = &mut sums[y * width as usize + x];
        for (sum, part) in sum.iter_mut().zip(colour.0) {
            *sum += part;
        }
        *count += 1.0;
    }
    let most = sums.iter().map(|sum| sum.1).fold(1.0, f32::max);
    let mut image = Image::filled(width, height, theme.ground());
    for (at, (sum, count)) in sums.into_iter().enumerate().filter(|(_, (_, count))| *count > 0.0) {
        let colour = theme.covered(Linear(sum.map(|v| v / count)), count / most);
        image.set(at as u32 % width, at as u32 / width, colour.to_srgb());
    }
    image
}
