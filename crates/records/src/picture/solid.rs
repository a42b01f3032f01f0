//! Pictures of 3-D fractals: cubes in isometric projection, seen from the front, the left and above.
//!
//! The line of sight runs along (1, 1, 1), so x goes to the upper right, y down and z, into the page, to the upper left.
//! With `u = x − y` and `w = z − y`, which do not change along a line of sight, the projections of all edges of the unit
//! grid cut the plane of (u, w) into unit squares halved by the diagonal `u − ⌊u⌋ = w − ⌊w⌋`. Within one such triangle
//! every line of sight passes through the same cubes by the same faces, so each triangle has one foremost face, found
//! once, whatever the size of the picture. Along a line of sight x + y + z grows from cube to cube: that is the depth.

use super::blocks::{Drawn, PictureBlocks, PictureSubject};
use super::palette::Theme;
use squeeze_compiler::geometry::Domain;
use squeeze_drawing::{Image, Linear};
use squeeze_engine::failure::Result;

/// At most this many blocks lie along a side.
const MOST_BLOCKS: u64 = 256;
/// The most cells along a side of a mask, which has no blocks between one cell and all of them.
const MOST_CELLS: u64 = 1024;
/// The height of a picture is the largest multiple of the projected cube's that stays within this many pixels.
const HEIGHT: u32 = 1024;
/// Pixels left free around the solid.
const MARGIN: u32 = 24;
/// The least width in pixels of cubes that are parted by edges.
const LEAST_PARTED: f32 = 5.0;
/// The light of an edge, as a part of its face's.
const EDGE: f32 = 0.65;
/// Lines of sight through a pixel, along each of its sides.
const SAMPLES: u32 = 3;
/// The light on faces that look along −x (left), −y (up) and −z (front).
const LIGHT: [f32; 3] = [0.42, 1.0, 0.68];

/// The first face that a line of sight meets.
#[derive(Clone, Copy)]
struct Face {
    depth: u32,
    block: u32,
    axis: u8,
}

const NOTHING: Face = Face { depth: u32::MAX, block: 0, axis: 0 };

/// The foremost faces of all triangles.
struct Sight {
    side: i64,
    faces: Vec<Face>,
}

impl Sight {
    fn new(side: u64) -> Sight {
        Sight { side: side as i64, faces: vec![NOTHING; (8 * side * side) as usize] }
    }

    /// The place of the triangle at ⌊u⌋, ⌊w⌋, the one with the larger u − ⌊u⌋ or the other.
    fn triangle(&self, u: i64, w: i64, larger_u: bool) -> Option<usize> {
        let inside = -self.side..self.side;
        let index = |v: i64| (v + self.side) as usize;
        (inside.contains(&u) && inside.contains(&w))
            .then(|| 2 * (index(u) * 2 * self.side as usize + index(w)) + usize::from(larger_u))
    }

    /// Offers the three visible faces of a cube, two triangles each.
    fn add(&mut self, block: u32, [x, y, z]: [u64; 3]) {
        let depth = (x + y + z) as u32;
        let (u, w) = (x as i64 - y as i64, z as i64 - y as i64);
        let triangles = [
            (1, u, w, false),
            (1, u, w, true),
            (0, u - 1, w, true),
            (0, u - 1, w - 1, false),
            (2, u - 1, w - 1, true),
            (2, u, w - 1, false),
        ];
        for (axis, u, w, larger_u) in triangles {
            if let Some(at) = self.triangle(u, w, larger_u)
                && depth < self.faces[at].depth
            {
                self.faces[at] = Face { depth, block, axis };
            }
        }
    }

    /// The triangle that holds (u, w).
    fn triangle_at(&self, u: f32, w: f32) -> Option<usize> {
        let (low_u, low_w) = (u.floor(), w.floor());
        self.triangle(low_u as i64, low_w as i64, u - low_u > w - low_w)
    }

    /// The face that is visible in a triangle.
    fn seen(&self, triangle: Option<usize>) -> Option<Face> {
        let face = self.faces[triangle?];
        (face.depth != NOTHING.depth).then_some(face)
    }
}

/// The blocks of a picture. Cubes cannot share a pixel, so a single level of large scale is drawn as one cube.
pub(super) fn blocks(domain: &Domain) -> PictureBlocks<'_> {
    if domain.levels().is_none() && domain.side() <= MOST_CELLS {
        return PictureBlocks::of_level(domain, 0);
    }
    PictureBlocks::choose(domain, 0, MOST_BLOCKS)
}

/// Draws a 3-D fractal.
pub(super) fn draw(domain: &Domain, paint: &PictureSubject, theme: &Theme, turn: u8) -> Result<Drawn> {
    let blocks = blocks(domain);
    let painted = blocks.colours(paint)?;
    let mut sight = Sight::new(blocks.longest());
    for block in 0..blocks.count() {
        sight.add(block as u32, turned(blocks.place(block), blocks.longest(), turn));
    }

    // A cube of side 1 is √3 wide and 2 high: X = (u − w)·√3/2, Y = −(u + w)/2.
    let unit = (HEIGHT / 2 / blocks.longest() as u32).max(1) as f32;
    let half_width = unit * blocks.longest() as f32 * 3f32.sqrt() / 2.0;
    let half_height = unit * blocks.longest() as f32;
    let (width, height) = (2 * (half_width.ceil() as u32 + MARGIN), 2 * (half_height.ceil() as u32 + MARGIN));
    let ground = theme.ground();
    let colour = |triangle: Option<usize>| {
        let face = sight.seen(triangle);
        face.map_or(ground, |face| painted.colours[face.block as usize].dimmed(LIGHT[usize::from(face.axis)]))
    };
    // The triangle that a line of sight passes through: the distances are from the middle of the picture, in pixels.
    let triangle_at = |across: f32, down: f32| {
        let (x, y) = (across / unit / 3f32.sqrt(), down / unit);
        sight.triangle_at(x - y, -x - y)
    };
    let mut image = Image { width, height, pixels: Vec::with_capacity(3 * width as usize * height as usize) };
    let (middle_x, middle_y) = (width as f32 / 2.0, height as f32 / 2.0);
    for (px, py) in (0..height).flat_map(|py| (0..width).map(move |px| (px, py))) {
        let (left, top) = (px as f32 - middle_x, py as f32 - middle_y);
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(x, y)| triangle_at(left + x, top + y));
        // Triangles are convex: a pixel whose corners lie in one of them lies in it.
        let light = if corners.iter().all(|corner| *corner == corners[0]) {
            colour(corners[0])
        } else {
            let mut sum = [0.0f32; 3];
            for (sx, sy) in (0..SAMPLES).flat_map(|sy| (0..SAMPLES).map(move |sx| (sx, sy))) {
                let inside = |sample: u32| (sample as f32 + 0.5) / SAMPLES as f32;
                let part = colour(triangle_at(left + inside(sx), top + inside(sy)));
                sum = std::array::from_fn(|i| sum[i] + part.0[i]);
            }
            let mean = Linear(sum.map(|v| v / (SAMPLES * SAMPLES) as f32));
            // Beside each other lie the two triangles of a face, or two faces.
            let faces = corners.map(|corner| sight.seen(corner).map(|face| (face.block, face.axis)));
            let is_edge = faces.iter().all(|face| face.is_some()) && faces.iter().any(|face| *face != faces[0]);
            if is_edge && unit >= LEAST_PARTED { mean.dimmed(EDGE) } else { mean }
        };
        image.pixels.extend(light.to_srgb());
    }
    Ok(Drawn {
        image: cropped(&image, theme),
        scale: 1,
        inset: None,
        places: None,
        map: painted.map,
        single: blocks.level == 0,
    })
}

/// The place of a block in a cube of this side after some quarter turns about the vertical; 4 more put its lower side up.
fn turned(place: [u64; 3], side: u64, turn: u8) -> [u64; 3] {
    let back = |v: u64| side - 1 - v;
    let [x, y, z] = if turn & 4 == 0 { place } else { [place[0], back(place[1]), back(place[2])] };
    match turn & 3 {
        0 => [x, y, z],
        1 => [back(z), y, x],
        2 => [back(x), y, back(z)],
        _ => [z, y, back(x)],
    }
}

/// The image without what is empty around the solid, but for a margin.
fn cropped(image: &Image, theme: &Theme) -> Image {
    let ground = theme.ground().to_srgb();
    let row_length = 3 * image.width as usize;
    let (mut left, mut right, mut top, mut bottom) = (image.width, 0, image.height, 0);
    for (row, y) in image.pixels.chunks_exact(row_length).zip(0..) {
        let Some(first) = row.chunks_exact(3).position(|pixel| pixel != ground) else { continue };
        let after = row.chunks_exact(3).rev().take_while(|pixel| *pixel == ground).count();
        (left, right) = (left.min(first as u32), right.max(image.width - after as u32));
        (top, bottom) = (top.min(y), y + 1);
    }
    if left >= right {
        return image.clone();
    }
    let (left, top) = (left.saturating_sub(MARGIN), top.saturating_sub(MARGIN));
    let (right, bottom) = ((right + MARGIN).min(image.width), (bottom + MARGIN).min(image.height));
    let rows = image.pixels.chunks_exact(row_length).skip(top as usize).take((bottom - top) as usize);
    let pixels = rows.flat_map(|row| row[3 * left as usize..3 * right as usize].iter().copied()).collect();
    Image { width: right - left, height: bottom - top, pixels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_cube_shows_three_faces_in_a_hexagon() {
        let mut sight = Sight::new(1);
        sight.add(0, [0, 0, 0]);
        let seen = sight.faces.iter().filter(|face| face.depth != NOTHING.depth);
        assert_eq!(seen.count(), 6);
        let axis = |u: f32, w: f32| sight.seen(sight.triangle_at(u, w)).map(|face| face.axis);
        assert_eq!(axis(0.7, 0.2), Some(1), "the top, seen above the middle");
        assert_eq!(axis(-0.2, -0.6), Some(2), "the front, to the right");
        assert_eq!(axis(-0.6, -0.2), Some(0), "the left side");
        assert!(axis(0.5, -0.7).is_none());
    }

    #[test]
    fn turns_come_back_and_are_no_mirror_images() {
        for turn in 0..8 {
            let corner =
                [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|place| turned(place, 5, turn).map(|v| v as i64));
            let edge = |i: usize| std::array::from_fn(|a| corner[i][a] - corner[0][a]);
            let [u, v, w]: [[i64; 3]; 3] = [edge(1), edge(2), edge(3)];
            let volume = u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
                + u[2] * (v[0] * w[1] - v[1] * w[0]);
            assert_eq!(volume, 1, "{turn}");
            let mut place = [1, 2, 3];
            (0..4).for_each(|_| place = turned(place, 5, turn & 3));
            assert_eq!(place, [1, 2, 3]);
        }
    }

    #[test]
    fn the_nearer_cube_hides_the_one_behind_it() {
        let mut sight = Sight::new(2);
        sight.add(1, [1, 1, 1]);
        sight.add(0, [0, 0, 0]);
        let faces = sight.faces.iter().filter(|face| face.depth != NOTHING.depth);
        assert!(faces.clone().all(|face| face.block == 0) && faces.count() == 6);
    }
}
