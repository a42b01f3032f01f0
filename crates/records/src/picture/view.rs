//! A window of the grid, or of a layer of a 3-D one, at any zoom.

use super::blocks::{Drawn, PictureSubject};
use super::palette::{Shades, Theme};
use super::{LEAST_PIXELS, MOST_PIXELS};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Dimension;
use squeeze_drawing::{BAR, Image, Linear};
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_engine::packed;
use squeeze_engine::simulation::{BlockPlaces, BlockReader, CellBlock, Window};
use std::ops::Range;

/// The longest side of a picture, in pixels.
const LONGEST: u64 = 8192;
/// Without a zoom, windows are enlarged while they stay within as many pixels as this.
const COMFORTABLE: u64 = 1024;

/// How large places are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Zoom {
    /// As large as the picture stays of a handy size.
    #[default]
    Fit,
    /// Each place is a square of this side, in pixels.
    Enlarge(u32),
    /// Squares of this side, in places, share a pixel, in the mean colour of their cells.
    Reduce(u32),
}

impl std::fmt::Display for Zoom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Zoom::Fit => f.write_str("fit"),
            Zoom::Enlarge(factor) => write!(f, "{factor}"),
            Zoom::Reduce(factor) => write!(f, "1/{factor}"),
        }
    }
}

impl std::str::FromStr for Zoom {
    type Err = Message;

    fn from_str(text: &str) -> Result<Zoom, Message> {
        if text == "fit" {
            return Ok(Zoom::Fit);
        }
        let number = |text: &str| text.trim().parse().ok().filter(|number| *number > 0);
        let zoom = match text.split_once('/') {
            Some((one, number_of_places)) if one.trim() == "1" => number(number_of_places).map(Zoom::Reduce),
            Some(_) => None,
            None => number(text).map(Zoom::Enlarge),
        };
        zoom.ok_or_else(|| {
            Message::users(format!(
                "`{text}` is not a zoom: valid are whole numbers (pixels per place) and fractions such as 1/16 (16 × 16 places per pixel)"
            ))
        })
    }
}

/// A part of the grid, at a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The places, of one layer.
    pub window: Window,
    /// How large they are.
    pub zoom: Zoom,
}

impl View {
    /// Whether it can be drawn.
    ///
    /// # Errors
    /// If the picture would be too large, or shows several layers.
    pub fn check(&self) -> Result<(), Message> {
        self.factors().map(|_| ())
    }

    /// Places in a pixel and pixels for a place, each along a side; one of them is 1.
    fn factors(&self) -> Result<(u64, u64), Message> {
        let [width, height, depth] = self.window.size;
        if depth != 1 {
            let what = "a window of a 3-D grid is drawn layer by layer: choose one with `--slice Z`";
            return Err(Message::users(what));
        }
        let longer = width.max(height);
        let (reduce, enlarge) = match self.zoom {
            Zoom::Fit if longer * LEAST_PIXELS > MOST_PIXELS => (longer.div_ceil(MOST_PIXELS).max(2), 1),
            Zoom::Fit => (1, (COMFORTABLE / longer).max(LEAST_PIXELS)),
            Zoom::Enlarge(factor) => (1, u64::from(factor)),
            Zoom::Reduce(factor) => (u64::from(factor), 1),
        };
        let pixels = longer.div_ceil(reduce).saturating_mul(enlarge);
        if pixels <= LONGEST {
            return Ok((reduce, enlarge));
        }
        Err(Message::users(format!(
            "a window of {width} × {height} places at this zoom is a picture of {pixels} pixels along a side; at most {LONGEST} are drawn"
        )))
    }
}

/// The most blocks that are summed together.
const MOST_TOGETHER: usize = 1 << 20;

/// Sums over the cells of one pixel.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    light: [f64; 3],
    cells: f64,
}

impl Sum {
    fn add(&mut self, light: [f64; 3], cells: f64) {
        self.light.iter_mut().zip(light).for_each(|(sum, part)| *sum += part);
        self.cells += cells;
    }
}

/// Calls `visit` with the places whose pixels the cells of a block lie in, and the numbers of these cells in the block: a replica is small beside a pixel, or
/// lies in one.
fn for_each_place(domain: &Domain, block: &CellBlock, mut visit: impl FnMut([u64; 3], Range<usize>)) {
    match block.places {
        BlockPlaces::Level { .. } => visit(block.place, 0..block.cells(domain) as usize),
        BlockPlaces::Row(_) | BlockPlaces::Run(_) => {
            let [x, y, z] = block.place;
            block.for_each_stretch(|first, cells| {
                (x + first as u64..).zip(cells).for_each(|(x, i)| visit([x, y, z], i..i + 1));
            });
        }
    }
}

/// The pixels of what a view shows, each a square of places or a part of one, before they have colours.
pub(super) struct Pixels {
    pub(super) columns: u64,
    pub(super) rows: u64,
    /// Places of a pixel along a side, and the width of a pixel in those of the picture; one of them is 1.
    pub(super) reduce: u64,
    enlarge: u64,
    sums: Vec<Sum>,
}

impl Pixels {
    /// The numbers of the pixels that have cells, in reading order, and the means of these.
    pub(super) fn means(&self) -> (Vec<usize>, Vec<[f64; 3]>) {
        let covered = (0..self.sums.len()).filter(|&at| self.sums[at].cells > 0.0);
        covered.map(|at| (at, self.sums[at].light.map(|light| light / self.sums[at].cells))).unzip()
    }

    /// The picture, given the pixels that have cells and their colours. A pixel is as opaque as cells cover it, beside the one that they cover most.
    pub(super) fn image(&self, covered: &[usize], colours: &[Linear], theme: &Theme) -> Image {
        let most = self.sums.iter().map(|sum| sum.cells).fold(0.0, f64::max);
        let mut image = Image::filled(self.columns as u32, self.rows as u32, theme.ground());
        for (&at, colour) in covered.iter().zip(colours) {
            let colour = theme.covered(*colour, (self.sums[at].cells / most) as f32).to_srgb();
            image.set((at as u64 % self.columns) as u32, (at as u64 / self.columns) as u32, colour);
        }
        image
    }
}

/// Sums up the cells of each pixel of a view.
pub(super) fn pixels(domain: &Domain, paint: &PictureSubject, view: &View) -> Result<Pixels> {
    if let PictureSubject::Field(field, Shades::Vectors(second, map)) = paint {
        let of = |field| pixels(domain, &PictureSubject::Field(field, Shades::Numbers(map.clone())), view);
        let (mut all, others) = (of(*field)?, of(field.beside(*second)?)?);
        all.sums.iter_mut().zip(others.sums).for_each(|(sum, other)| sum.light[1] = other.light[0]);
        return Ok(all);
    }
    let (reduce, enlarge) = view.factors()?;
    let [width, height, _] = view.window.size;
    let (columns, rows) = (width.div_ceil(reduce), height.div_ceil(reduce));
    let mut sums = vec![Sum::default(); (columns * rows) as usize];
    // Blocks that never lie in two pixels, or are too small beside a pixel for the choice of one to matter.
    let fits = |level: &u32| {
        let sides = domain.scale_product(*level);
        (0..2).all(|a| {
            let aligned = view.window.origin[a].is_multiple_of(sides[a]) && reduce.is_multiple_of(sides[a]);
            aligned || 4 * sides[a] <= reduce
        })
    };
    let level = (0..=domain.level()).rev().find(fits).unwrap_or(0);
    let pixel = |[x, y, _]: [u64; 3]| {
        let [left, top, _] = view.window.origin;
        ((y - top) / reduce * columns + (x - left) / reduce) as usize
    };
    match paint {
        PictureSubject::Plain(_) => view.window.for_each_block(domain, (0, level), &mut |block| {
            for_each_place(domain, &block, |place, cells| sums[pixel(place)].cells += cells.len() as f64);
            Ok::<_, Error>(())
        })?,
        PictureSubject::Field(field, shades) => {
            let (sample, mut reader) = (shades.sample(), BlockReader::new(*field));
            // Cells that are looked at one by one.
            let take = |sums: &mut Vec<Sum>, block: &CellBlock, bytes: &[u8], at: usize| {
                for_each_place(domain, block, |place, cells| {
                    for i in cells {
                        let value = packed::value(field.ty(), bytes, (at + i) as u64);
                        sums[pixel(place)].add(sample.of(value.as_f64()), 1.0);
                    }
                });
            };
            // Blocks that follow each other are summed where the states are: the number of the first one, and the pixel of each.
            let (mut first, mut pixels) = (0, Vec::new());
            let of_blocks = |sums: &mut Vec<Sum>, first: u64, pixels: &mut Vec<usize>| {
                let light = field.block_sums(level, first..first + pixels.len() as u64, sample)?;
                let cells = domain.cell_product(level) as f64;
                pixels.drain(..).zip(light).for_each(|(pixel, light)| sums[pixel].add(light, cells));
                Ok::<_, Error>(())
            };
            view.window.for_each_block(domain, (0, level), &mut |block| {
                match block.places {
                    BlockPlaces::Level { level: of_block, .. } if level > 0 && of_block == level => {
                        let number = block.first / domain.cell_product(level);
                        if number != first + pixels.len() as u64 || pixels.len() == MOST_TOGETHER {
                            of_blocks(&mut sums, first, &mut pixels)?;
                            first = number;
                        }
                        pixels.push(pixel(block.place));
                    }
                    _ => reader.add(block, |block, bytes, at| take(&mut sums, block, bytes, at))?,
                }
                Ok::<_, Error>(())
            })?;
            of_blocks(&mut sums, first, &mut pixels)?;
            reader.finish(|block, bytes, at| take(&mut sums, block, bytes, at))?;
        }
    }
    Ok(Pixels { columns, rows, reduce, enlarge, sums })
}

/// Draws what a view shows.
pub(super) fn draw(domain: &Domain, paint: &PictureSubject, view: &View, theme: &Theme) -> Result<Drawn> {
    let pixels = pixels(domain, paint, view)?;
    let Pixels { columns, rows, reduce, enlarge, .. } = pixels;
    let (covered, means) = pixels.means();
    let (colours, map) = match paint {
        PictureSubject::Plain(colour) => (vec![*colour; covered.len()], None),
        PictureSubject::Field(_, shades) => shades.of_means(&means, reduce == 1),
    };
    let mut image = pixels.image(&covered, &colours, theme);
    let scale = enlarge as u32;
    if domain.dimension() == Dimension::One {
        image = image.at_least(BAR.div_ceil(scale));
    }
    let places = [0, 1].map(|a| [view.window.origin[a], view.window.origin[a] + [columns, rows][a] * reduce]);
    let places = Some(places.map(|ends| ends.map(|end| end as f64)));
    Ok(Drawn { image, scale, inset: None, places, map, single: reduce == 1 })
}

#[cfg(test)]
mod tests {
    use super::super::style::Background;
    use super::*;
    use crate::resolve;
    use squeeze_drawing::Linear;
    use std::str::FromStr;

    #[test]
    fn zooms_are_read() {
        assert_eq!(Zoom::from_str("3"), Ok(Zoom::Enlarge(3)));
        assert_eq!(Zoom::from_str("1/16"), Ok(Zoom::Reduce(16)));
        for wrong in ["0", "1/0", "2/3", "x", "-1", ""] {
            assert!(Zoom::from_str(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_window_is_drawn_place_by_place() {
        let domain = Domain::new(resolve::fractal("vicsek").unwrap(), 2).unwrap();
        let window = Window::parse("3,0,3,2", &domain).unwrap();
        let (paint, theme) = (PictureSubject::Plain(Linear::from_srgb(0)), Theme::of(Background::Light));
        let view = View { window, zoom: Zoom::Enlarge(2) };
        let drawn = draw(&domain, &paint, &view, theme).unwrap();
        assert_eq!(drawn.places, Some([[3.0, 6.0], [0.0, 2.0]]));
        let image = drawn.image.enlarged(drawn.scale);
        assert_eq!((image.width, image.height), (6, 4));
        let dark: Vec<(u32, u32)> = (0..2)
            .flat_map(|y| (0..3).map(move |x| (x, y)))
            .filter(|&(x, y)| image.get(2 * x, 2 * y) == [0; 3] && image.get(2 * x + 1, 2 * y + 1) == [0; 3])
            .collect();
        assert_eq!(dark, [(1, 0), (0, 1), (1, 1), (2, 1)]);
    }

    #[test]
    fn a_reduced_window_of_a_huge_grid_needs_no_expanded_grid() {
        let domain = Domain::new(resolve::fractal("sierpinski_triangle").unwrap(), 30).unwrap();
        let (paint, theme) = (PictureSubject::Plain(Linear::from_srgb(0)), Theme::of(Background::Light));
        let view = |zoom| View { window: Window::whole(&domain), zoom };
        let image = draw(&domain, &paint, &view(Zoom::Fit), theme).unwrap().image;
        let dark = image.pixels.chunks(3).filter(|pixel| **pixel == [0; 3]).count();
        assert_eq!((image.width, dark), (2048, 3usize.pow(11)));
        let error = draw(&domain, &paint, &view(Zoom::Enlarge(1)), theme);
        assert!(error.err().unwrap().to_string().contains("at most 8192"));
    }
}
