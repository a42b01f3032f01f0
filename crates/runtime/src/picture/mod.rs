//! Pictures of states and of bare fractals, drawn from the compact order without ever expanding the grid.
//!
//! The finest digits of a canonical index are its lowest, so the cells of one replica of level j are consecutive: a
//! picture of reduced resolution draws one *block* of `K_j` cells where that replica lies, in the mean colour of its
//! cells. Holes inside a block do not count: otherwise a large fractal, which is nearly all hole, would fade away.
//! Small sides are enlarged by whole factors.
//!
//! In two dimensions a place is a pixel ([`flat`]); in three dimensions the blocks are drawn as cubes, seen from the
//! front, the left and above ([`solid`]).

pub mod flat;
pub mod image;
pub mod palette;
pub mod solid;

pub use image::Image;
pub use palette::{Linear, Shades};

use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Dimension, Rule, StateId};

/// What is summed over the cells of a block.
#[derive(Clone, Copy, Debug)]
pub enum Sample<'a> {
    /// Three numbers for each value of a bit or enum.
    Table(&'a [[f64; 3]]),
    /// The value as a number, and twice 0.
    Value,
}

impl Sample<'_> {
    /// What one cell adds, its value given as a number: bits 0 or 1, enums by the variant's number.
    #[inline]
    pub fn of(self, value: f64) -> [f64; 3] {
        match self {
            Sample::Table(table) => table[value as usize % table.len()],
            Sample::Value => [value, 0.0, 0.0],
        }
    }
}

/// Where a picture takes its values from: one field in canonical order.
pub trait Field {
    /// For each block of `K_mu` cells that follow each other in canonical order the sum over its cells.
    fn block_sums(&self, mu: u32, sample: Sample<'_>) -> Vec<[f64; 3]>;
}

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
    fn means(&self, field: &dyn Field, sample: Sample<'_>) -> Vec<[f64; 3]> {
        let cells = self.cells() as f64;
        field.block_sums(self.level, sample).into_iter().map(|sum| sum.map(|sum| sum / cells)).collect()
    }

    /// The colour of every block.
    fn colours(&self, paint: &Paint) -> Vec<Linear> {
        match paint {
            Paint::Plain(colour) => vec![*colour; self.count() as usize],
            Paint::Field(field, Shades::Table(table)) => {
                let table: Vec<[f64; 3]> = table.iter().map(|colour| colour.0.map(f64::from)).collect();
                let means = self.means(*field, Sample::Table(&table));
                means.into_iter().map(|mean| Linear(mean.map(|v| v as f32))).collect()
            }
            Paint::Field(field, Shades::Ramp) => {
                let means: Vec<f64> = self.means(*field, Sample::Value).into_iter().map(|[mean, ..]| mean).collect();
                let ramp = palette::ScaledRamp::over(&means);
                means.iter().map(|&mean| ramp.colour(mean)).collect()
            }
        }
    }
}

/// What a picture shows.
enum Paint<'a> {
    /// The cells alone.
    Plain(Linear),
    /// The values of a field.
    Field(&'a dyn Field, Shades),
}

/// A picture of one state.
pub fn of_state(domain: &Domain, rule: &Rule, state: StateId, field: &dyn Field) -> Image {
    draw(domain, &Paint::Field(field, Shades::of(rule, rule.state(state).ty)))
}

/// A picture of the bare fractal.
pub fn of_fractal(domain: &Domain) -> Image {
    draw(domain, &Paint::Plain(palette::bare(domain.dimension())))
}

fn draw(domain: &Domain, paint: &Paint) -> Image {
    match domain.dimension() {
        Dimension::Two => flat::draw(domain, paint),
        Dimension::Three => solid::draw(domain, paint),
    }
}

#[cfg(test)]
mod tests;
