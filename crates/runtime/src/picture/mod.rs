//! Pictures of states and of bare fractals, drawn from the compact order without ever expanding the grid.
//!
//! The finest digits of a canonical index are its lowest, so the cells of one replica of level j are consecutive: a
//! picture of reduced resolution draws one *block* of `K_j` cells where that replica lies, in the colour of the mean of its
//! cells. Holes inside a block do not count: otherwise a large fractal, which is nearly all hole, would fade away.
//! Where blocks share a pixel, its cover is its opacity, beside the pixel that is covered most. Small sides are enlarged by
//! whole factors.
//!
//! In two dimensions a place is a pixel ([`flat`]), and a picture whose pixels are blocks has an [`inset`] that shows single
//! cells. In three dimensions the blocks are drawn as cubes, seen from the front, the left and above ([`solid`]). A [`view`] shows
//! a window of the grid, or a layer of a 3-D one, at any zoom. [`Style`] says how all of them look.

pub mod error;
pub mod flat;
pub mod image;
mod inset;
mod legend;
mod palette;
pub mod solid;
pub mod style;
pub mod view;

pub use crate::state::field::{Field, Sample};
pub use error::{PictureError, ViewError};
pub use image::Image;
pub use style::{Background, Colours, Extent, Style};
pub use view::{View, Zoom};

use error::Result;
use palette::{Linear, ScaledMap, Shades, Theme};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Dimension, Rule, StateId};

/// The blocks of one picture: the domain seen from level `j` up.
struct Blocks<'a> {
    domain: &'a Domain,
    /// The level of one block.
    level: u32,
    /// The number of blocks along a side.
    side: u64,
}

impl<'a> Blocks<'a> {
    fn of_level(domain: &'a Domain, level: u32) -> Self {
        Blocks { domain, level, side: domain.side() / domain.scale_product(level) }
    }

    /// The finest blocks of which at most `most` lie along a side, or the next finer ones if those would be fewer than
    /// `least` (a single level may have a large scale): then several blocks share a pixel.
    fn choose(domain: &'a Domain, least: u64, most: u64) -> Self {
        /// More blocks than this are not worth their memory.
        const MOST_BLOCKS: u64 = 1 << 25;
        let blocks = |level: u32| Blocks::of_level(domain, level);
        let level = (0..=domain.level()).find(|&level| blocks(level).side <= most).unwrap_or(domain.level());
        if level > 0 && blocks(level).side < least && blocks(level - 1).count() <= MOST_BLOCKS {
            return blocks(level - 1);
        }
        blocks(level)
    }

    /// The number of cells in a block.
    fn cells(&self) -> u64 {
        self.domain.cell_product(self.level)
    }

    /// The number of blocks.
    fn count(&self) -> u64 {
        self.domain.cells() / self.cells()
    }

    /// The place of a block, in blocks.
    fn place(&self, block: u64) -> [u64; 3] {
        self.domain.lambda(block * self.cells()).map(|v| v / self.domain.scale_product(self.level))
    }

    /// For every block the mean of what `sample` makes of its cells.
    fn means(&self, field: &dyn Field, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        let cells = self.cells() as f64;
        Ok(field.block_sums(self.level, sample)?.into_iter().map(|sum| sum.map(|sum| sum / cells)).collect())
    }

    /// The mean and the colour of every block, and the map that gave the colours.
    fn colours(&self, paint: &Paint) -> Result<Painted> {
        Ok(match paint {
            Paint::Plain(colour) => {
                Painted { means: Vec::new(), colours: vec![*colour; self.count() as usize], map: None }
            }
            Paint::Field(field, shades) => {
                let means = self.means(*field, shades.light().sample())?;
                let (colours, map) = shades.of_means(&means, self.level == 0);
                Painted { means, colours, map }
            }
        })
    }
}

/// The blocks' colours, and where they come from.
struct Painted {
    /// Empty for a bare fractal.
    means: Vec<[f64; 3]>,
    colours: Vec<Linear>,
    map: Option<ScaledMap>,
}

/// What a picture shows.
enum Paint<'a> {
    /// The cells alone.
    Plain(Linear),
    /// The values of a field.
    Field(&'a dyn Field, Shades),
}

/// A picture of a state.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The picture, with its legend.
    pub image: Image,
    /// The values at the ends of the colour map, if there is one.
    pub range: Option<[f64; 2]>,
}

/// Whether a style fits a state.
///
/// # Errors
/// If the style asks for a scale and the state is not a number, or for a logarithmic scale from a value without a logarithm.
pub fn check_style(rule: &Rule, state: StateId, style: &Style) -> Result<(), ViewError> {
    Shades::of(rule, state, style).map(|_| ())
}

/// A picture of one state, with a legend for its colours.
///
/// # Errors
/// [`ViewError`] for a style that does not fit the state; if the field cannot be read.
pub fn of_state(domain: &Domain, rule: &Rule, state: StateId, field: &dyn Field, style: &Style) -> Result<Picture> {
    let shades = Shades::of(rule, state, style)?;
    let drawn = draw(domain, &Paint::Field(field, shades.clone()), Theme::of(style.background))?;
    let range = drawn.map.as_ref().map(ScaledMap::range);
    Ok(Picture { image: legend::below(drawn, rule, state, &shades, style), range })
}

/// A picture of what a view shows of one state, with a legend for its colours.
///
/// # Errors
/// [`ViewError`] for a view that cannot be drawn or a style that does not fit the state; if the field cannot be read.
pub fn of_view(
    domain: &Domain,
    rule: &Rule,
    state: StateId,
    field: &dyn Field,
    view: &View,
    style: &Style,
) -> Result<Picture> {
    let shades = Shades::of(rule, state, style)?;
    let drawn = view::draw(domain, &Paint::Field(field, shades.clone()), view, Theme::of(style.background))?;
    let range = drawn.map.as_ref().map(ScaledMap::range);
    Ok(Picture { image: legend::below(drawn, rule, state, &shades, style), range })
}

/// A picture of the bare fractal.
pub fn of_fractal(domain: &Domain, background: Background) -> Image {
    let theme = Theme::of(background);
    let drawn = draw(domain, &Paint::Plain(theme.bare(domain.dimension())), theme);
    drawn.expect("a bare fractal has no field that could fail").image
}

/// A picture of what a view shows of the bare fractal.
///
/// # Errors
/// [`ViewError`] for a view that cannot be drawn.
pub fn of_fractal_view(domain: &Domain, view: &View, background: Background) -> Result<Image> {
    let theme = Theme::of(background);
    Ok(view::draw(domain, &Paint::Plain(theme.bare(Dimension::Two)), view, theme)?.image)
}

/// A picture without its legend.
struct Drawn {
    image: Image,
    /// The colour map and the values at its ends.
    map: Option<ScaledMap>,
}

fn draw(domain: &Domain, paint: &Paint, theme: &Theme) -> Result<Drawn> {
    match domain.dimension() {
        Dimension::Two => flat::draw(domain, paint, theme),
        Dimension::Three => solid::draw(domain, paint, theme),
    }
}

#[cfg(test)]
mod tests;
