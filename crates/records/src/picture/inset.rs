//! An inset with single cells, in a picture whose pixels are blocks of many.

use super::blocks::{Drawn, Painted, PictureBlocks, PictureSubject, sums};
use super::palette::{Shades, Theme};
use super::view::{self, View, Zoom};
use squeeze_compiler::geometry::Domain;
use squeeze_drawing::frame::Inset;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{StateView, Window};

/// The least pixels along a side of a cell of an inset.
const LEAST_ZOOM: u64 = 4;
/// An inset with fewer places along a side would show nothing.
const LEAST_PLACES: u64 = 8;
/// The most cells that are searched for the place to show.
const MOST_SEARCHED: u64 = 1 << 26;
/// Places of the coarse grid in which room is looked for, along a side.
const COARSE: u64 = 81;
/// The part of the picture's side that a hole must have to take the inset; else it stands beside the picture.
const LEAST_HOLE: f64 = 0.22;
/// The side of the mark that says where an inset is from, in pixels.
const MARK: f64 = 11.0;

/// An inset of the replica whose mean differs most from that of all, if there is one worth showing; the picture has these sides in pixels.
pub(super) fn of(
    blocks: &PictureBlocks,
    painted: &Painted,
    field: StateView<'_>,
    shades: &Shades,
    theme: &Theme,
    sides: [u32; 2],
) -> Result<Option<Inset>> {
    let domain = blocks.domain;
    let sides = sides.map(f64::from);
    // Pixels for a place.
    let scale = sides[0] / domain.extent()[0] as f64;
    let hole = hole(domain, scale);
    let room = hole.map_or(sides[0].min(sides[1]) / 2.0, |hole| hole.size * 0.92);
    let longest = |level: u32| domain.scale_product(level).into_iter().fold(1, u64::max);
    let fitting = |level: &u32| (longest(*level) * LEAST_ZOOM) as f64 <= room;
    let Some(level) = (0..domain.level()).rev().find(fitting).filter(|level| longest(*level) >= LEAST_PLACES) else {
        return Ok(None);
    };
    let places = domain.scale_product(level);
    let place = domain.lambda(most_unlike(blocks, painted, field, shades, level)?);
    let [left, top] = [0, 1].map(|axis| place[axis] / places[axis] * places[axis]);
    let view = View {
        window: Window { origin: [left, top, 0], size: [places[0], places[1], 1] },
        zoom: Zoom::Enlarge((room / longest(level) as f64) as u32),
    };
    // Densities are shown as what they are densities of.
    let shades = match (&painted.map, shades) {
        (Some(map), Shades::Numbers(_) | Shades::Vectors(..)) => shades.over(map.range()),
        _ => shades.over([0.0, 1.0]),
    };
    let Drawn { image, scale: pixels, .. } = view::draw(domain, &PictureSubject::Field(field, shades), &view, theme)?;
    let [width, height] = [image.width, image.height].map(|side| f64::from(side * pixels));
    let at = match hole {
        Some(hole) => [hole.x + (hole.size - width) / 2.0, hole.y + (hole.size - height) / 2.0],
        None => [sides[0] + MARK, (sides[1] - height) / 2.0],
    };
    // The mark of where it is from is large enough to be seen.
    let shown = |axis: usize, from: u64| {
        let (from, length) = (from as f64 * scale, places[axis] as f64 * scale);
        let marked = length.max(MARK).min(sides[axis]);
        ((from + (length - marked) / 2.0).clamp(0.0, sides[axis] - marked).round(), marked.round())
    };
    let ((x, marked_width), (y, marked_height)) = (shown(0, left), shown(1, top));
    let place = [at[0].round(), at[1].round(), width, height];
    Ok(Some(Inset { image, place, shown: [x, y, marked_width, marked_height] }))
}

/// A square hole, in pixels.
#[derive(Clone, Copy)]
struct Hole {
    x: f64,
    y: f64,
    size: f64,
}

/// The largest square of the picture without a cell, if it is large; a place is `pixels` pixels wide.
fn hole(domain: &Domain, pixels: f64) -> Option<Hole> {
    let level = (0..=domain.level()).find(|&level| PictureBlocks::of_level(domain, level).longest() <= COARSE)?;
    let coarse = PictureBlocks::of_level(domain, level);
    let [block, tall, _] = domain.scale_product(level);
    if block != tall {
        // Squares of blocks are no squares of the picture.
        return None;
    }
    let [side, rows, _] = coarse.sides.map(|side| side as usize);
    let mut covered = vec![false; side * rows];
    for block in 0..coarse.count() {
        let [x, y, _] = coarse.place(block);
        covered[y as usize * side + x as usize] = true;
    }
    // The largest square without a cell that ends at each place.
    let mut sizes = vec![0usize; side * rows];
    let (mut best, mut size) = ((0, 0), 0);
    for (y, x) in (0..rows).flat_map(|y| (0..side).map(move |x| (y, x))) {
        if covered[y * side + x] {
            continue;
        }
        let above = |dx: usize, dy: usize| if x < dx || y < dy { 0 } else { sizes[(y - dy) * side + x - dx] };
        let here = 1 + above(1, 0).min(above(0, 1)).min(above(1, 1));
        sizes[y * side + x] = here;
        if here > size {
            (best, size) = ((x + 1 - here, y + 1 - here), here);
        }
    }
    let unit = |v: usize| v as f64 * block as f64 * pixels;
    let large = size as f64 >= LEAST_HOLE * side.min(rows) as f64;
    large.then(|| Hole { x: unit(best.0), y: unit(best.1), size: unit(size) })
}

/// The first cell of the replica of this level whose mean differs most from the mean of all, as far as it is searched for.
fn most_unlike(
    blocks: &PictureBlocks,
    painted: &Painted,
    field: StateView<'_>,
    shades: &Shades,
    level: u32,
) -> Result<u64> {
    let cells = blocks.domain.cell_product(level);
    let sum = |means: &[[f64; 3]]| {
        let finite = means.iter().filter(|mean| mean.iter().all(|v| v.is_finite()));
        finite.fold([0.0; 3], |sum: [f64; 3], mean| std::array::from_fn(|i| sum[i] + mean[i]))
    };
    let mean = sum(&painted.means).map(|v| v / painted.means.len() as f64);
    let unlike = |value: [f64; 3]| (0..3).map(|i| (value[i] - mean[i]).powi(2)).sum::<f64>();
    let best = |values: &mut dyn Iterator<Item = f64>| {
        let better = |best: (usize, f64), (at, value): (usize, f64)| if value > best.1 { (at, value) } else { best };
        values.enumerate().fold((0, -1.0), better).0 as u64
    };
    if cells >= blocks.cells() {
        let group = (cells / blocks.cells()) as usize;
        let groups = painted.means.chunks(group).map(|means| sum(means).map(|v| v / group as f64));
        return Ok(best(&mut groups.map(unlike)) * cells);
    }
    let first = best(&mut painted.means.iter().map(|mean| unlike(*mean))) * blocks.cells();
    let parts = blocks.cells() / cells;
    if blocks.cells() > MOST_SEARCHED {
        return Ok(first + parts / 2 * cells);
    }
    let sums = sums(field, shades, level, first / cells..first / cells + parts)?;
    let mut found = sums.into_iter().map(|sum| unlike(sum.map(|v| v / cells as f64)));
    Ok(first + best(&mut found) * cells)
}
