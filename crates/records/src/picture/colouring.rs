//! The colours of a state as pictures have them, for views that draw by themselves.

use super::Style;
use super::blocks::{PictureSubject, of_components};
use super::palette::{ColourScale, ScaledMap, Shades, Theme, linear, range_without};
use super::solid;
use super::view::{self, View, Zoom};
use squeeze_compiler::ir::{Dimension, Rule, StateId};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_drawing::Linear;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::sample::Sample;
use squeeze_engine::simulation::{StateView, Window};

/// How the values of a state become colours: [`of_state`](super::of_state) gives the same ones.
#[derive(Clone, Debug)]
pub struct CellColours {
    shades: Shades,
    theme: &'static Theme,
}

/// Colours, and the values at the ends of their map, if there is one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColouredCells {
    /// The colours.
    pub colours: PixelColours,
    /// The values at the ends of the map.
    pub range: Option<[f64; 2]>,
    /// How many of the values lie in each of [`BINS`] equal parts of the range; empty without one.
    pub histogram: Vec<u32>,
}

/// Sums over blocks, or the values of single cells, that have no colours yet.
#[derive(Clone, Debug)]
pub struct TileSums {
    sums: Vec<[f64; 3]>,
    mu: u32,
    /// The cells of a block.
    cells: u64,
}

/// The colours of cells, of blocks or of pixels, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PixelColours {
    /// Numbers of the colours of a [`palette`](CellColours::palette); [`HOLE`] for a hole.
    Numbers(Vec<u8>),
    /// Red, green and blue of each, a byte each; holes have the background's.
    Bytes(Vec<u8>),
}

/// The number of a hole among [`PixelColours::Numbers`].
pub const HOLE: u8 = 255;
/// The parts of a range of values whose values are counted.
pub const BINS: usize = 64;

impl CellColours {
    /// The colours of a state in a style.
    ///
    /// # Errors
    /// If the style asks for a scale and the state is not a number, or for a logarithmic scale from a value without a logarithm.
    pub fn new(rule: &Rule, state: StateId, style: &Style) -> Result<CellColours, Message> {
        Ok(CellColours { shades: Shades::of(rule, state, style)?, theme: Theme::of(style.background) })
    }

    /// The colours that [`PixelColours::Numbers`] name, as red, green and blue: those of the values of an enum, else those along the map and that of values that
    /// are not finite.
    pub fn palette(&self) -> Vec<[u8; 3]> {
        let colours = match &self.shades {
            Shades::Table(table) => table.iter().map(linear).collect(),
            Shades::Density(map) | Shades::Numbers(map) | Shades::Vectors(_, map) => ColourScale::palette(map),
        };
        colours.into_iter().map(Linear::to_srgb).collect()
    }

    /// The colour of the background, and of holes.
    pub fn ground(&self) -> [u8; 3] {
        self.theme.ground().to_srgb()
    }

    /// Whether the blocks of a level have the numbers of their values as colours: those of single cells of an enum.
    fn are_numbered(&self, mu: u32) -> bool {
        matches!(&self.shades, Shades::Table(table) if mu == 0 && table.len() <= usize::from(HOLE))
    }

    /// What the colours of the blocks of level `mu` in some replicas of level `level` are made of, in the order of [`StateView::tiles`]: the states are
    /// needed for nothing else.
    ///
    /// # Errors
    /// As of [`StateView::tiles`].
    pub fn tile_sums(&self, field: StateView<'_>, (mu, level): (u32, u32), replicas: &[u64]) -> Result<TileSums> {
        let _mode = DefaultMode::enter();
        let sample = if self.are_numbered(mu) { Sample::Value } else { self.shades.sample() };
        let look = |field: StateView<'_>| field.tiles(mu, level, replicas, sample);
        let sums = of_components(field, &self.shades, look)?;
        Ok(TileSums { sums, mu, cells: field.domain().cell_product(mu) })
    }

    /// The colours of blocks. Of all means this many of a thousand at either end do not count for the range, where the style leaves that to the values.
    pub fn of_tiles(&self, TileSums { sums: mut means, mu, cells }: TileSums, of_thousand: usize) -> ColouredCells {
        let _mode = DefaultMode::enter();
        if self.are_numbered(mu) {
            let numbers = means.iter().map(|[value, ..]| *value as u8).collect();
            return ColouredCells { colours: PixelColours::Numbers(numbers), range: None, histogram: Vec::new() };
        }
        means.iter_mut().flatten().for_each(|sum| *sum /= cells as f64);
        let Some(scaled) = self.scaled(&means, mu == 0, of_thousand) else {
            let bytes = means.iter().flat_map(|mean| linear(mean).to_srgb()).collect();
            return ColouredCells { colours: PixelColours::Bytes(bytes), range: None, histogram: Vec::new() };
        };
        let colours = if scaled.is_of_vectors() {
            PixelColours::Bytes(means.iter().flat_map(|mean| scaled.colour(mean).to_srgb()).collect())
        } else {
            PixelColours::Numbers(means.iter().map(|[mean, ..]| scaled.number(*mean)).collect())
        };
        coloured(colours, &scaled, &means)
    }

    /// The colours of the pixels of a window of one layer, a square of `reduce` × `reduce` places each, in reading order.
    ///
    /// # Errors
    /// If the window has several layers or too many pixels, or the field cannot be read.
    pub fn window(
        &self,
        field: StateView<'_>,
        window: Window,
        reduce: u32,
        of_thousand: usize,
    ) -> Result<ColouredCells> {
        let _mode = DefaultMode::enter();
        let zoom = if reduce > 1 { Zoom::Reduce(reduce) } else { Zoom::Enlarge(1) };
        let paint = PictureSubject::Field(field, self.shades.clone());
        let pixels = view::pixels(field.domain(), &paint, &View { window, zoom })?;
        let (covered, means) = pixels.means();
        let scaled = self.scaled(&means, pixels.reduce == 1, of_thousand);
        if let (Some(scaled), 1) = (scaled.as_ref().filter(|scaled| !scaled.is_of_vectors()), pixels.reduce) {
            let mut numbers = vec![HOLE; (pixels.columns * pixels.rows) as usize];
            covered.iter().zip(&means).for_each(|(at, [mean, ..])| numbers[*at] = scaled.number(*mean));
            return Ok(coloured(PixelColours::Numbers(numbers), scaled, &means));
        }
        let colour = |mean: &[f64; 3]| scaled.as_ref().map_or_else(|| linear(mean), |scaled| scaled.colour(mean));
        let colours: Vec<Linear> = means.iter().map(colour).collect();
        let bytes = PixelColours::Bytes(pixels.image(&covered, &colours, self.theme).pixels);
        Ok(match &scaled {
            Some(scaled) => coloured(bytes, scaled, &means),
            None => ColouredCells { colours: bytes, range: None, histogram: Vec::new() },
        })
    }

    /// The colours of the pixels of a 3-D grid as a solid, turned as [`Style::turn`] says, and its width and height.
    ///
    /// # Errors
    /// If the grid is not 3-D, or the field cannot be read.
    pub fn solid(&self, field: StateView<'_>, turn: u8) -> Result<(ColouredCells, [u32; 2])> {
        let _mode = DefaultMode::enter();
        if field.domain().dimension() != Dimension::Three {
            return Err(Message::users("the grid is not 3-D").into());
        }
        let paint = PictureSubject::Field(field, self.shades.clone());
        let drawn = solid::draw(field.domain(), &paint, self.theme, turn)?;
        let range = drawn.map.as_ref().map(ScaledMap::range);
        let size = [drawn.image.width, drawn.image.height];
        Ok((ColouredCells { colours: PixelColours::Bytes(drawn.image.pixels), range, histogram: Vec::new() }, size))
    }

    /// The map over the range of these means.
    fn scaled(&self, means: &[[f64; 3]], single: bool, of_thousand: usize) -> Option<ScaledMap> {
        let (Shades::Numbers(map) | Shades::Vectors(_, map), 1..) = (&self.shades, of_thousand) else {
            return self.shades.scaled(means, single);
        };
        let valid = means.iter().map(|mean| map.value(mean)).filter(|mean| map.has_place(*mean));
        let (low, high) = range_without(valid, of_thousand.min(499));
        self.shades.scaled(&[[low, 0.0, 0.0], [high, 0.0, 0.0]], single)
    }
}

/// Colours with the range of their map and the number of values in each part of it.
fn coloured(colours: PixelColours, scaled: &ScaledMap, means: &[[f64; 3]]) -> ColouredCells {
    let mut histogram = vec![0; BINS];
    for part in means.iter().filter_map(|mean| scaled.place_of(mean)) {
        histogram[((part * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    ColouredCells { colours, range: Some(scaled.range()), histogram }
}

#[cfg(test)]
mod tests {
    use super::super::{Extent, of_simulation};
    use super::*;
    use crate::resolve;
    use squeeze_compiler::ir::Fractal;
    use squeeze_drawing::{Format, Image};
    use squeeze_engine::{Backend, Simulation};
    use std::sync::Arc;

    /// The pictures of views of a simulation, and the colours that are found without drawing.
    fn compared(fractal: Arc<Fractal>, rule: &Arc<Rule>, level: u32) {
        let builder = Simulation::builder(fractal, Arc::clone(rule)).level(level).seed(1);
        let mut simulation = builder.backend(Backend::Cpu).threads(1).build().unwrap();
        simulation.step(7).unwrap();
        let field = StateView::numbered(&simulation, StateId(0)).unwrap();
        let (domain, style) = (simulation.domain(), Style { extent: Extent::Fit, ..Style::default() });
        let colouring = CellColours::new(simulation.rule(), StateId(0), &style).unwrap();
        let palette = colouring.palette();
        let colour = |colours: &PixelColours, at: usize| match colours {
            PixelColours::Numbers(numbers) if numbers[at] == HOLE => colouring.ground(),
            PixelColours::Numbers(numbers) => palette[usize::from(numbers[at])],
            PixelColours::Bytes(bytes) => bytes[3 * at..][..3].try_into().unwrap(),
        };
        let drawn = |zoom: Zoom| {
            let view = View { window: Window::whole(domain), zoom };
            let picture = of_simulation(&simulation, StateId(0), Some(&view), &style).unwrap();
            (Image::from_png(&picture.sheet.bytes(Format::Png), 1 << 20).unwrap(), picture.range)
        };
        let [width, height, _] = domain.extent();
        for reduce in [1u32, 3] {
            let found = colouring.window(field, Window::whole(domain), reduce, 0).unwrap();
            let (image, range) = drawn(if reduce > 1 { Zoom::Reduce(reduce) } else { Zoom::Enlarge(1) });
            assert!(range.is_none() || found.range == range, "{}: {:?}", rule.name, found.range);
            let columns = width.div_ceil(u64::from(reduce)) as u32;
            for at in 0..columns * height.div_ceil(u64::from(reduce)) as u32 {
                assert_eq!(
                    colour(&found.colours, at as usize),
                    image.get(at % columns, at / columns),
                    "{} {reduce}",
                    rule.name
                );
            }
        }
        let Some(levels) = domain.levels() else { return };
        for mu in [0, 1] {
            let found = colouring.of_tiles(colouring.tile_sums(field, (mu, levels), &[0]).unwrap(), 0);
            let side = domain.scale_product(mu)[0];
            let (image, _) = drawn(if mu > 0 { Zoom::Reduce(side as u32) } else { Zoom::Enlarge(1) });
            for block in 0..domain.cells() / domain.cell_product(mu) {
                let [x, y, _] = domain.lambda(block * domain.cell_product(mu)).map(|v| (v / side) as u32);
                assert_eq!(
                    colour(&found.colours, block as usize),
                    image.get(x, y),
                    "{}, blocks of level {mu}",
                    rule.name
                );
            }
            let counted: u64 = found.histogram.iter().map(|count| u64::from(*count)).sum();
            assert!(found.range.is_none() || counted == domain.cells() / domain.cell_product(mu));
        }
    }

    /// Vectors whose components are the first states.
    fn spins() -> Arc<Rule> {
        let text = "rule spins { state m: vec2 init m = vec2(normal(), normal()) next m = vec2(-m.y, m.x) picture m }";
        resolve::rule_of_text("spins", text, None).unwrap().0
    }

    #[test]
    fn colours_are_those_of_pictures() {
        let named = ["gray_scott", "life", "wireworld"].map(|rule| resolve::rule(rule).unwrap());
        for rule in named.iter().chain([&spins()]) {
            compared(resolve::fractal("lace").unwrap(), rule, 3);
            let cluster = "domain cluster { size (29, 23) cells random(0.6) }";
            compared(
                resolve::fractal_of_text("cluster", cluster, None, &resolve::Edges::default()).unwrap().0,
                rule,
                1,
            );
        }
    }

    #[test]
    fn directions_of_blocks_are_those_of_mean_vectors() {
        let builder = Simulation::builder(resolve::fractal("vicsek").unwrap(), spins()).level(1);
        let mut simulation = builder.backend(Backend::Cpu).build().unwrap();
        let mut colours = |angles: [f32; 5], length: f32, style: &Style| {
            let of = |part: fn(f32) -> f32| angles.map(|angle| length * part(angle));
            simulation.set_field("m.x", 0, &of(f32::cos)).unwrap();
            simulation.set_field("m.y", 0, &of(f32::sin)).unwrap();
            let field = StateView::numbered(&simulation, StateId(0)).unwrap();
            let colouring = CellColours::new(simulation.rule(), StateId(0), style).unwrap();
            let found = colouring.of_tiles(colouring.tile_sums(field, (1, 1), &[0]).unwrap(), 0);
            let PixelColours::Bytes(bytes) = found.colours else { panic!("vectors have colours of their own") };
            (bytes, found.range.unwrap(), colouring.palette())
        };
        let fit = Style::default();
        // The mean of these numbers is half a turn away.
        let near = [0.3, std::f32::consts::TAU - 0.3, 0.0, 0.2, std::f32::consts::TAU - 0.2];
        let (bytes, [low, high], palette) = colours(near, 2.0, &fit);
        assert_eq!((bytes.as_slice(), low), (&palette[0][..], 0.0), "the hue of the angle 0");
        assert!(high > 1.9 && high < 2.0, "{high}");
        let pi = std::f32::consts::PI;
        let fixed = Style { extent: Extent::Fixed(0.0, 1.0), ..Style::default() };
        let (none, ..) = colours([0.0, pi, pi / 2.0, -pi / 2.0, 0.0], 1e-9, &fixed);
        assert_eq!(none, [0xd0; 3], "vectors without a length are grey");
        let (left, _, palette) = colours([pi; 5], 1.0, &fixed);
        let is_near = |found: &[u8], hue: [u8; 3]| found.iter().zip(hue).all(|(a, b)| a.abs_diff(b) <= 4);
        let opposite = palette[(palette.len() - 1) / 2];
        assert!(is_near(&left, opposite), "{left:?}, {opposite:?}");
        let (up, ..) = colours([pi / 2.0; 5], 1.0, &fixed);
        let quarter = palette[(palette.len() - 1) / 4];
        assert!(is_near(&up, quarter), "{up:?}, {quarter:?}");
    }

    #[test]
    fn a_range_leaves_out_what_it_is_told() {
        let rule = resolve::rule("gray_scott").unwrap();
        let builder = Simulation::builder(resolve::fractal("vicsek").unwrap(), rule).level(4).backend(Backend::Cpu);
        let mut simulation = builder.build().unwrap();
        let mut values = vec![0.5f32; 625];
        (values[3], values[4], values[5]) = (100.0, -100.0, f32::NAN);
        (values[6], values[7]) = (1.0, 0.0);
        simulation.set_field("u", 0, &values).unwrap();
        let field = StateView::numbered(&simulation, StateId(0)).unwrap();
        let colouring = CellColours::new(simulation.rule(), StateId(0), &Style::default()).unwrap();
        let of = |of_thousand| colouring.of_tiles(colouring.tile_sums(field, (0, 4), &[0]).unwrap(), of_thousand);
        assert_eq!((of(0).range, of(2).range), (Some([-100.0, 100.0]), Some([0.0, 1.0])));
        let PixelColours::Numbers(numbers) = of(2).colours else { panic!("numbers have numbers of colours") };
        let last = (colouring.palette().len() - 1) as u8;
        assert_eq!((numbers[3], numbers[4], numbers[5]), (last - 1, 0, last), "beyond either end, and no number");
        assert_eq!(of(2).histogram.iter().sum::<u32>(), 624);
        // Of values without a logarithm none counts.
        let logarithmic = Style { logarithmic: true, ..Style::default() };
        let colouring = CellColours::new(simulation.rule(), StateId(0), &logarithmic).unwrap();
        values[100..500].fill(0.0);
        simulation.set_field("u", 0, &values).unwrap();
        let field = StateView::numbered(&simulation, StateId(0)).unwrap();
        let found = colouring.of_tiles(colouring.tile_sums(field, (0, 4), &[0]).unwrap(), 5);
        assert_eq!(found.range, Some([0.5, 1.0]));
    }
}
