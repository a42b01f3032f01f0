//! Pictures of 2-D fractals: a block is a pixel, or a square of pixels. 1-D fractals are drawn as bars.

use super::blocks::{Drawn, PictureBlocks, PictureSubject};
use super::palette::Theme;
use super::view::{self, View, Zoom};
use super::{LEAST_PIXELS, MOST_PIXELS, inset};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Dimension;
use squeeze_drawing::{BAR, Image, Linear};
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::Window;

/// The longest side of a picture, in pixels. Smaller sides are enlarged while they stay within it.
pub const LONGEST: u64 = 1024;
/// Where cells share a block, blocks are made so large that they cover this part of the picture: the lines of a sparse fractal
/// would be too thin to be seen.
const LEAST_COVER: f64 = 0.05;
/// The fewest blocks along a side.
const LEAST_SIDE: u64 = 96;

/// Whether single cells would be too small to be told apart.
fn is_tiny(blocks: &PictureBlocks) -> bool {
    blocks.level == 0 && blocks.longest() * LEAST_PIXELS > MOST_PIXELS
}

/// The blocks of a picture.
pub(super) fn blocks(domain: &Domain) -> PictureBlocks<'_> {
    let finest = PictureBlocks::choose(domain, LONGEST / 4, LONGEST);
    if finest.longest() > LONGEST || finest.level == 0 && !is_tiny(&finest) {
        return finest;
    }
    let cover = |blocks: &PictureBlocks| blocks.count() as f64 / (blocks.sides[0] as f64 * blocks.sides[1] as f64);
    let coarser = (finest.level.max(1)..=domain.level()).map(|level| PictureBlocks::of_level(domain, level));
    let mut wide = coarser.take_while(|blocks| blocks.longest() >= LEAST_SIDE).peekable();
    let finest = wide.next_if(|_| is_tiny(&finest)).unwrap_or(finest);
    if cover(&finest) >= LEAST_COVER {
        return finest;
    }
    wide.find(|blocks| cover(blocks) >= LEAST_COVER).unwrap_or(finest)
}

/// Draws a 2-D fractal.
pub(super) fn draw(domain: &Domain, paint: &PictureSubject, theme: &Theme) -> Result<Drawn> {
    if domain.levels().is_none() {
        // A mask has no blocks between one cell and all of them.
        return view::draw(domain, paint, &View { window: Window::whole(domain), zoom: Zoom::Fit }, theme);
    }
    let blocks = blocks(domain);
    let painted = blocks.colours(paint)?;
    let ground = theme.ground();
    let line = domain.dimension() == Dimension::One;
    let [width, height, _] = domain.extent().map(|side| side as f64);
    let places = [[0.0, width], [0.0, height]];
    let divisor = if is_tiny(&blocks) { 2 } else { 1 }.max(blocks.longest().div_ceil(LONGEST));
    if divisor > 1 && (is_tiny(&blocks) || blocks.level > 0) {
        let image = shared(&blocks, &painted.colours, divisor, theme);
        let image = if line { image.at_least(BAR) } else { image };
        return Ok(Drawn { image, scale: 1, inset: None, places: Some(places), map: painted.map, single: false });
    }
    let least = if blocks.level == 0 { LEAST_PIXELS } else { 1 };
    let factor = (LONGEST / blocks.longest()).max(least) as u32;
    let [width, height, _] = blocks.sides.map(|side| side as u32);
    let mut image = Image::filled(width, height, ground);
    for (block, colour) in painted.colours.iter().enumerate() {
        let [x, y, _] = blocks.place(block as u64);
        image.set(x as u32, y as u32, colour.to_srgb());
    }
    let sides = [width, height].map(|side| side * factor);
    let inset = match paint {
        PictureSubject::Field(field, shades) if blocks.level > 0 && !line => {
            inset::of(&blocks, &painted, *field, shades, theme, sides)?
        }
        _ => None,
    };
    let image = if line { image.at_least(BAR.div_ceil(factor)) } else { image };
    let single = blocks.level == 0;
    Ok(Drawn { image, scale: factor, inset, places: Some(places), map: painted.map, single })
}

/// Several blocks share a pixel: the mean of their colours, over the ground as far as they cover less of it than of the pixel that is
/// covered most.
fn shared(blocks: &PictureBlocks, colours: &[Linear], divisor: u64, theme: &Theme) -> Image {
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
