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

/// Where a picture takes its values from: one field in canonical order.
pub trait Field {
    /// Writes the values of the cells `first`, `first + 1`, … as numbers: bits 0 or 1, enums by the variant's number.
    fn read(&self, first: u64, values: &mut [f64]);
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
    fn means<const N: usize, T>(
        &self,
        field: &dyn Field,
        sample: impl Fn(f64) -> [f64; N],
        finish: impl Fn([f64; N]) -> T,
    ) -> Vec<T> {
        /// Values read at a time: enough to amortise a call, little enough for a cache.
        const CHUNK: u64 = 4096;
        let mut means = Vec::with_capacity(self.count() as usize);
        let mut buffer = vec![0.0; CHUNK.min(self.domain.cells()) as usize];
        let (mut sum, mut counted) = ([0.0; N], 0);
        let mut first = 0;
        while first < self.domain.cells() {
            let length = CHUNK.min(self.domain.cells() - first);
            let values = &mut buffer[..length as usize];
            field.read(first, values);
            for &value in values.iter() {
                for (sum, part) in sum.iter_mut().zip(sample(value)) {
                    *sum += part;
                }
                counted += 1;
                if counted == self.cells() {
                    means.push(finish(sum.map(|sum| sum / counted as f64)));
                    (sum, counted) = ([0.0; N], 0);
                }
            }
            first += length;
        }
        means
    }

    /// The colour of every block.
    fn colours(&self, paint: &Paint) -> Vec<Linear> {
        match paint {
            Paint::Plain(colour) => vec![*colour; self.count() as usize],
            Paint::Field(field, Shades::Table(table)) => {
                let shade = |value: f64| table[value as usize % table.len()].0.map(f64::from);
                self.means(*field, shade, |mean| Linear(mean.map(|v| v as f32)))
            }
            Paint::Field(field, Shades::Ramp) => {
                let means = self.means(*field, |value| [value], |[mean]| mean);
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
