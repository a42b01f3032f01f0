//! The blocks that a picture is made of, and their colours.

use super::palette::{ScaledMap, Shades};
use squeeze_compiler::geometry::Domain;
use squeeze_drawing::frame::Inset;
use squeeze_drawing::{Image, Linear};
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{SimulationError, StateView};
use std::ops::Range;

/// What a look finds of a state; of vectors what it finds of their first two components.
pub(super) fn of_components(
    field: StateView<'_>,
    shades: &Shades,
    look: impl Fn(StateView<'_>) -> Result<Vec<[f64; 3]>, SimulationError>,
) -> Result<Vec<[f64; 3]>> {
    let mut found = look(field)?;
    if let Shades::Vectors(second, _) = shades {
        let others = look(field.beside(*second)?)?;
        found.iter_mut().zip(others).for_each(|(first, [second, ..])| first[1] = second);
    }
    Ok(found)
}

/// The sums over some blocks of what these shades average.
pub(super) fn sums(field: StateView<'_>, shades: &Shades, level: u32, blocks: Range<u64>) -> Result<Vec<[f64; 3]>> {
    of_components(field, shades, |field| field.block_sums(level, blocks.clone(), shades.sample()))
}

/// The blocks of one picture: the domain seen from level `j` up.
pub(super) struct PictureBlocks<'a> {
    pub(super) domain: &'a Domain,
    /// The level of one block.
    pub(super) level: u32,
    /// The number of blocks along each axis.
    pub(super) sides: [u64; 3],
}

impl<'a> PictureBlocks<'a> {
    pub(super) fn of_level(domain: &'a Domain, level: u32) -> Self {
        let (all, of_block) = (domain.extent(), domain.scale_product(level));
        PictureBlocks { domain, level, sides: std::array::from_fn(|axis| all[axis] / of_block[axis]) }
    }

    /// The number of blocks along the longest side.
    pub(super) fn longest(&self) -> u64 {
        self.sides.into_iter().fold(1, u64::max)
    }

    /// The finest blocks of which at most `most` lie along a side, or the next finer ones if those would be fewer than
    /// `least` (a single level may have a large scale): then several blocks share a pixel.
    pub(super) fn choose(domain: &'a Domain, least: u64, most: u64) -> Self {
        /// More blocks than this are not worth their memory.
        const MOST_BLOCKS: u64 = 1 << 25;
        let blocks = |level: u32| PictureBlocks::of_level(domain, level);
        let level = (0..=domain.level()).find(|&level| blocks(level).longest() <= most).unwrap_or(domain.level());
        if level > 0 && blocks(level).longest() < least && blocks(level - 1).count() <= MOST_BLOCKS {
            return blocks(level - 1);
        }
        blocks(level)
    }

    /// The number of cells in a block.
    pub(super) fn cells(&self) -> u64 {
        self.domain.cell_product(self.level)
    }

    /// The number of blocks.
    pub(super) fn count(&self) -> u64 {
        self.domain.cells() / self.cells()
    }

    /// The place of a block, in blocks.
    pub(super) fn place(&self, block: u64) -> [u64; 3] {
        let (place, side) = (self.domain.lambda(block * self.cells()), self.domain.scale_product(self.level));
        std::array::from_fn(|axis| place[axis] / side[axis])
    }

    /// For every block the mean of what these shades average.
    pub(super) fn means(&self, field: StateView<'_>, shades: &Shades) -> Result<Vec<[f64; 3]>> {
        let cells = self.cells() as f64;
        let sums = sums(field, shades, self.level, 0..self.count())?;
        Ok(sums.into_iter().map(|sum| sum.map(|sum| sum / cells)).collect())
    }

    /// The mean and the colour of every block, and the map that gave the colours.
    pub(super) fn colours(&self, paint: &PictureSubject) -> Result<Painted> {
        Ok(match paint {
            PictureSubject::Plain(colour) => {
                Painted { means: Vec::new(), colours: vec![*colour; self.count() as usize], map: None }
            }
            PictureSubject::Field(field, shades) => {
                let means = self.means(*field, shades)?;
                let (colours, map) = shades.of_means(&means, self.level == 0);
                Painted { means, colours, map }
            }
        })
    }
}

/// The blocks' colours, and where they come from.
pub(super) struct Painted {
    /// Empty for a bare fractal.
    pub(super) means: Vec<[f64; 3]>,
    pub(super) colours: Vec<Linear>,
    pub(super) map: Option<ScaledMap>,
}

/// The subject of a picture.
pub(super) enum PictureSubject<'a> {
    /// The cells alone.
    Plain(Linear),
    /// The values of a field.
    Field(StateView<'a>, Shades),
}

/// A picture without its legend.
pub(super) struct Drawn {
    pub(super) image: Image,
    /// Pixels along a side of a pixel of the image.
    pub(super) scale: u32,
    /// An inset that shows single cells of it.
    pub(super) inset: Option<Inset>,
    /// The places at the left and right edges and at the upper and lower ones; `None` for a solid.
    pub(super) places: Option<[[f64; 2]; 2]>,
    /// The colour map and the values at its ends.
    pub(super) map: Option<ScaledMap>,
    /// Whether each colour is of one cell, not of the mean of several.
    pub(super) single: bool,
}
