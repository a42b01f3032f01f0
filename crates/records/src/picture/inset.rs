//! An inset with single cells, in a picture whose pixels are blocks of many.

use super::blocks::{Blocks, Paint, Painted};
use super::palette::{Shades, Theme};
use super::view::{self, View, Zoom};
use crate::state::field::Field;
use crate::state::window::{Cells, Window};
use squeeze_compiler::geometry::Domain;
use squeeze_drawing::{Image, Linear};
use squeeze_engine::failure::Result;

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
const MARK: u32 = 11;

/// The picture with an inset of the replica whose mean differs most from that of all, if there is one worth showing.
pub(super) fn added(
    image: Image,
    blocks: &Blocks,
    painted: &Painted,
    field: &dyn Field,
    shades: &Shades,
    theme: &Theme,
) -> Result<Image> {
    let domain = blocks.domain;
    // Pixels for a place: those of a block.
    let scale = f64::from(image.width) / domain.extent()[0] as f64;
    let hole = hole(domain, scale);
    let beside = u64::from(image.width.min(image.height)) / 2;
    let room = hole.map_or(beside, |hole| hole.size * 23 / 25);
    let longest = |level: u32| domain.scale_product(level).into_iter().fold(1, u64::max);
    let fitting = |level: &u32| longest(*level) * LEAST_ZOOM <= room;
    let Some(level) = (0..domain.level()).rev().find(fitting) else { return Ok(image) };
    let places = domain.scale_product(level);
    if longest(level) < LEAST_PLACES {
        return Ok(image);
    }
    let first = most_unlike(blocks, painted, field, shades, level)?;
    let place: [u64; 3] = {
        let place = domain.lambda(first);
        std::array::from_fn(|axis| place[axis] / places[axis] * places[axis])
    };
    let zoom = room / longest(level);
    let view = View {
        window: Window { origin: [place[0], place[1], 0], size: [places[0], places[1], 1] },
        zoom: Zoom::Enlarge(zoom as u32),
    };
    // Densities are shown as what they are densities of.
    let shades = match (&painted.map, shades) {
        (Some(map), Shades::Numbers(_)) => shades.over(map.range()),
        _ => shades.over([0.0, 1.0]),
    };
    let shown = view::draw(domain, &Paint::Field(field, shades), &view, theme)?;
    let shown = shown.image.enlarged(shown.scale);
    let mut image = image;
    let (width, height) = (image.width, image.height);
    let (x, y) = match hole {
        Some(hole) => {
            let middle = |from: u64, length: u32| (from + (hole.size - u64::from(length)) / 2) as u32;
            (middle(hole.x, shown.width), middle(hole.y, shown.height))
        }
        None => {
            image = widened(&image, width + shown.width + 3 * MARK, theme);
            (width + MARK, (height - shown.height) / 2)
        }
    };
    let frame = theme.ground().mix(Linear::from_srgb(theme.words), 0.35);
    // Where it is from: a mark, and a line to the frame of the inset.
    let pixel = |v: u64| (v as f64 * scale) as u32;
    let mark = [pixel(places[0]).max(MARK).min(width), pixel(places[1]).max(MARK).min(height)];
    let corner = |axis: usize, all: u32| {
        let middle = pixel(place[axis]) + pixel(places[axis]) / 2;
        middle.saturating_sub(mark[axis] / 2).min(all - mark[axis])
    };
    let at = [corner(0, width), corner(1, height)];
    let (from, to) = nearest(at, mark, [x, y], [shown.width, shown.height]);
    line(&mut image, from, to, frame);
    outline(&mut image, at, mark, Linear::from_srgb(theme.words), 2);
    for row in 0..shown.height {
        let from = 3 * (row * shown.width) as usize;
        let to = 3 * ((y + row) * image.width + x) as usize;
        let length = 3 * shown.width as usize;
        image.pixels[to..to + length].copy_from_slice(&shown.pixels[from..from + length]);
    }
    outline(&mut image, [x - 3, y - 3], [shown.width + 6, shown.height + 6], frame, 2);
    Ok(image)
}

/// A square hole, in pixels.
#[derive(Clone, Copy)]
struct Hole {
    x: u64,
    y: u64,
    size: u64,
}

/// The largest square of the picture without a cell, if it is large; a place is `pixels` pixels wide.
fn hole(domain: &Domain, pixels: f64) -> Option<Hole> {
    let level = (0..=domain.level()).find(|&level| Blocks::of_level(domain, level).longest() <= COARSE)?;
    let coarse = Blocks::of_level(domain, level);
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
    let unit = |v: usize| (v as f64 * block as f64 * pixels) as u64;
    let large = size as f64 >= LEAST_HOLE * side.min(rows) as f64;
    large.then(|| Hole { x: unit(best.0), y: unit(best.1), size: unit(size) })
}

/// The first cell of the replica of this level whose mean differs most from the mean of all, as far as it is searched for.
fn most_unlike(blocks: &Blocks, painted: &Painted, field: &dyn Field, shades: &Shades, level: u32) -> Result<u64> {
    let (domain, cells) = (blocks.domain, blocks.domain.cell_product(level));
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
    let light = shades.light();
    let (sample, mut reader) = (light.sample(), Cells::of(field, domain));
    let mut found = Vec::with_capacity(parts as usize);
    for part in 0..parts {
        let begin = first + part * cells;
        let mut sum = [0.0; 3];
        reader.for_each_range(begin..begin + cells, |range, bytes, page| {
            sample.add_part(field.ty(), range.start - page..range.end - page, bytes, &mut sum);
        })?;
        found.push(unlike(sum.map(|v| v / cells as f64)));
    }
    Ok(first + best(&mut found.into_iter()) * cells)
}

fn widened(image: &Image, width: u32, theme: &Theme) -> Image {
    let mut wide = Image::filled(width, image.height, theme.ground());
    let rows = image.pixels.chunks_exact(3 * image.width as usize);
    for (to, from) in wide.pixels.chunks_exact_mut(3 * width as usize).zip(rows) {
        to[..from.len()].copy_from_slice(from);
    }
    wide
}

/// The points of two boxes, which begin somewhere and have some sides, that are nearest to each other.
fn nearest(a: [u32; 2], of_a: [u32; 2], b: [u32; 2], of_b: [u32; 2]) -> ([u32; 2], [u32; 2]) {
    let along = |i: usize| {
        let (a, b, la, lb) = (a[i], b[i], of_a[i] - 1, of_b[i] - 1);
        if a + la < b {
            (a + la, b)
        } else if b + lb < a {
            (a, b + lb)
        } else {
            let both = (a.max(b) + (a + la).min(b + lb)) / 2;
            (both, both)
        }
    };
    let ((ax, bx), (ay, by)) = (along(0), along(1));
    ([ax, ay], [bx, by])
}

fn line(image: &mut Image, from: [u32; 2], to: [u32; 2], colour: Linear) {
    let length = from[0].abs_diff(to[0]).max(from[1].abs_diff(to[1]));
    let colour = colour.to_srgb();
    for step in 0..=length {
        let part = f64::from(step) / f64::from(length.max(1));
        let at = |i: usize| (f64::from(from[i]) + part * (f64::from(to[i]) - f64::from(from[i]))).round() as u32;
        image.set(at(0).min(image.width - 1), at(1).min(image.height - 1), colour);
    }
}

/// The outline of a rectangle, drawn inwards; what lies outside of the picture is left out.
fn outline(image: &mut Image, [x, y]: [u32; 2], [width, height]: [u32; 2], colour: Linear, thick: u32) {
    let colour = colour.to_srgb();
    for (dx, dy) in (0..height).flat_map(|dy| (0..width).map(move |dx| (dx, dy))) {
        let edge = dx < thick || dy < thick || dx >= width - thick || dy >= height - thick;
        if edge && x + dx < image.width && y + dy < image.height {
            image.set(x + dx, y + dy, colour);
        }
    }
}
