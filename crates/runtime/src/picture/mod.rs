//! Pictures of states and of bare fractals, drawn from the compact order without ever expanding the grid.
//!
//! The finest digits of a canonical index are its lowest, so the cells of one replica of level j are consecutive: a
//! picture of reduced resolution draws one *block* of `K_j` cells where that replica lies, in the mean colour of its
//! cells. Holes inside a block do not count: otherwise a large fractal, which is nearly all hole, would fade away.
//! Small sides are enlarged by whole factors.
//!
//! In two dimensions a place is a pixel ([`flat`]); in three dimensions the blocks are drawn as cubes, seen from the
//! front, the left and above ([`solid`]). A [`view`] shows a window of the grid, or a layer of a 3-D one, at any zoom.

pub mod error;
pub mod flat;
pub mod image;
mod legend;
pub mod palette;
pub mod solid;
pub mod view;

pub use crate::state::field::{Field, Sample};
pub use error::{PictureError, ViewError};
pub use image::Image;
pub use palette::{Linear, Shades};
pub use view::{View, Zoom};

use error::Result;
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
    /// The finest blocks of which at most `most` lie along a side, or the next finer ones if those would be fewer than
    /// `least` (a single level may have a large scale): then several blocks share a pixel.
    fn choose(domain: &'a Domain, least: u64, most: u64) -> Self {
        /// More blocks than this are not worth their memory.
        const MOST_BLOCKS: u64 = 1 << 25;
        let blocks = |level: u32| Blocks { domain, level, side: domain.side() / domain.scale_product(level) };
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

    /// The colour of every block, and the range of values that the colours span.
    fn colours(&self, paint: &Paint) -> Result<(Vec<Linear>, Option<[f64; 2]>)> {
        Ok(match paint {
            Paint::Plain(colour) => (vec![*colour; self.count() as usize], None),
            Paint::Field(field, shades) => shades.of_means(&self.means(*field, shades.light().sample())?),
        })
    }
}

/// What a picture shows.
enum Paint<'a> {
    /// The cells alone.
    Plain(Linear),
    /// The values of a field.
    Field(&'a dyn Field, Shades),
}

/// A picture of one state, with a legend of what its colours say.
///
/// # Errors
/// If the field cannot be read.
pub fn of_state(domain: &Domain, rule: &Rule, state: StateId, field: &dyn Field) -> Result<Image> {
    let shades = Shades::of(rule, rule.state(state).ty);
    let (image, range) = draw(domain, &Paint::Field(field, shades.clone()))?;
    Ok(legend::below(image, rule, state, &shades, range))
}

/// A picture of what a view shows of one state, with a legend of what its colours say.
///
/// # Errors
/// [`ViewError`] for a view that cannot be drawn; if the field cannot be read.
pub fn of_view(domain: &Domain, rule: &Rule, state: StateId, field: &dyn Field, view: &View) -> Result<Image> {
    let shades = Shades::of(rule, rule.state(state).ty);
    let (image, range) = view::draw(domain, &Paint::Field(field, shades.clone()), view)?;
    Ok(legend::below(image, rule, state, &shades, range))
}

/// A picture of the bare fractal.
pub fn of_fractal(domain: &Domain) -> Image {
    let image = draw(domain, &Paint::Plain(palette::bare(domain.dimension())));
    image.expect("a bare fractal has no field that could fail").0
}

/// A picture of what a view shows of the bare fractal.
///
/// # Errors
/// [`ViewError`] for a view that cannot be drawn.
pub fn of_fractal_view(domain: &Domain, view: &View) -> Result<Image> {
    Ok(view::draw(domain, &Paint::Plain(palette::bare(Dimension::Two)), view)?.0)
}

/// A picture, and the range of values that its colours span.
type Drawn = (Image, Option<[f64; 2]>);

fn draw(domain: &Domain, paint: &Paint) -> Result<Drawn> {
    match domain.dimension() {
        Dimension::Two => flat::draw(domain, paint),
        Dimension::Three => solid::draw(domain, paint),
    }
}

#[cfg(test)]
mod tests;
