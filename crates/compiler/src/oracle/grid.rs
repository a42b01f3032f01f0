//! The expanded grid: which places are cells.

use super::OracleError;
use super::field::zeros;
use crate::geometry::Domain;
use crate::ir::Fractal;
use std::ops::Range;

/// Sizes of a level, none of which overflows a u64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelExtent {
    /// The greatest side.
    pub(super) side: u64,
    /// The number of cells V = K_r.
    pub(super) cells: u64,
    /// The number of places.
    pub(super) places: u64,
    /// Width, height and depth.
    pub(super) sides: [u64; 3],
}

impl LevelExtent {
    /// The sizes of a fractal at a level, or `None` if one of them exceeds a u64.
    pub(super) fn of(fractal: &Fractal, level: u32) -> Option<LevelExtent> {
        let (mut sides, mut cells) = ([1u64; 3], 1u64);
        for mu in 1..=level {
            for (side, scale) in sides.iter_mut().zip(fractal.pattern(mu).scale) {
                *side = side.checked_mul(u64::from(scale))?;
            }
            cells = cells.checked_mul(fractal.pattern(mu).k())?;
        }
        let places = sides[0].checked_mul(sides[1])?.checked_mul(sides[2])?;
        let side = sides.into_iter().max()?;
        Some(LevelExtent { side, cells, places, sides })
    }

    /// Bytes of a [`ExpandedGrid`] of this extent: a byte of mask per place, sixteen bytes per cell.
    pub(super) fn bytes(self) -> Option<u64> {
        self.cells.checked_mul(16)?.checked_add(self.places)
    }
}

/// The kind of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum There {
    /// A cell, by its place.
    Cell(usize),
    /// No cell, inside of the box.
    Hole,
    /// A place outside of the box.
    Beyond {
        /// Its coordinate.
        at: [i64; 3],
        /// The place mirrored at the edges, if it is a cell.
        mirrored: Option<usize>,
    },
}

/// The coordinate of a place of a box.
fn coordinate([width, height, _]: [usize; 3], place: usize) -> [i64; 3] {
    [place % width, place / width % height, place / width / height].map(|v| v as i64)
}

/// The number by which a place of a mask or a box draws, as the language says: rows are rounded up, each 256 places are divided by the parity of the
/// coordinates' sum, and both halves have 128 numbers each.
fn number_of_place([width, height, _]: [usize; 3], [x, y, z]: [i64; 3]) -> u64 {
    let (width, height) = (width as u64, height as u64);
    let mut rounded = 1;
    while rounded < width {
        rounded = if rounded < 256 { 2 * rounded } else { rounded + 256 };
    }
    let p = x as u64 + rounded * (y as u64 + height * z as u64);
    let half = if (x + y + z) % 2 == 0 { 0 } else { 128 };
    (p - p % 256) + half + p % 256 / 2
}

/// The places of the cells. Place (x, y, z) has the number x + w·(y + h·z) in a box of width w and height h.
#[derive(Clone, Debug)]
pub(super) struct ExpandedGrid {
    /// The greatest side n.
    pub(super) side: usize,
    /// Width, height and depth.
    pub(super) sides: [usize; 3],
    /// How many axes the space has.
    axes: usize,
    /// Along which axes a neighbour beyond the edge is the one at the other side.
    pub(super) periodic: [bool; 3],
    /// The places of the cells in canonical order.
    pub(super) cells: Vec<usize>,
    /// The numbers q by which they draw, in canonical order: their indices with the digits reversed, or where there are no digits [`number_of_place`].
    pub(super) draw_numbers: Vec<u64>,
    /// For every place, whether it is a cell.
    pub(super) mask: Vec<bool>,
    /// If only some cells of a domain have places, which are numbered from 0: the domain, and the first of them.
    stretch: Option<(Domain, u64)>,
}

impl ExpandedGrid {
    /// Replicates a single cell level by level.
    pub(super) fn new(fractal: &Fractal, level: u32, extent: LevelExtent) -> Result<ExpandedGrid, OracleError> {
        let mut mask = zeros::<bool>(extent.places)?;
        let mut cells: Vec<usize> = zeros(extent.cells)?;
        let mut reversed: Vec<u64> = zeros(extent.cells)?;
        // All of these fit: places, the largest of them, has just been allocated.
        let (side, sides) = (extent.side as usize, extent.sides.map(|side| side as usize));
        let (mut copy_sides, mut copy_cells) = ([1usize; 3], 1usize);
        for mu in 1..=level {
            let pattern = fractal.pattern(mu);
            // Copies are written from the last to the first, as copy 0 moves the original that the others are made of.
            for d in (0..pattern.k() as usize).rev() {
                let replica = pattern.replica(d as u64);
                let [x, y, z] = [0, 1, 2].map(|axis| replica[axis] as usize * copy_sides[axis]);
                let moved = x + sides[0] * (y + sides[1] * z);
                for i in 0..copy_cells {
                    cells[d * copy_cells + i] = cells[i] + moved;
                    // The new digit is the top one, which has weight 1.
                    reversed[d * copy_cells + i] = reversed[i] * pattern.k() + d as u64;
                }
            }
            for (side, scale) in copy_sides.iter_mut().zip(pattern.scale) {
                *side *= scale as usize;
            }
            copy_cells *= pattern.k() as usize;
        }
        for &place in &cells {
            mask[place] = true;
        }
        if fractal.extent.is_some() {
            reversed = cells.iter().map(|&place| number_of_place(sides, coordinate(sides, place))).collect();
        }
        let axes = fractal.dimension.axes();
        Ok(ExpandedGrid {
            side,
            sides,
            axes,
            periodic: fractal.periodic.0,
            cells,
            draw_numbers: reversed,
            mask,
            stretch: None,
        })
    }

    /// Some cells of a domain. Places around them are known to be cells or holes, without an index.
    pub(super) fn stretch(domain: &Domain, cells: Range<u64>) -> ExpandedGrid {
        let sides = domain.extent().map(|side| side as usize);
        let draw_number = |c: u64| match domain.levels() {
            Some(_) => domain.reversed(c),
            None => number_of_place(sides, domain.lambda(c).map(|v| v as i64)),
        };
        ExpandedGrid {
            side: domain.side() as usize,
            sides,
            axes: domain.dimension().axes(),
            periodic: domain.periodic().0,
            cells: (0..(cells.end - cells.start) as usize).collect(),
            draw_numbers: cells.clone().map(draw_number).collect(),
            mask: Vec::new(),
            stretch: Some((domain.clone(), cells.start)),
        }
    }

    /// One row of a full box, whose places are numbered in reading order.
    #[cfg(test)]
    pub(super) fn row(sides: [usize; 3], row: usize) -> ExpandedGrid {
        let cells: Vec<usize> = (row * sides[0]..(row + 1) * sides[0]).collect();
        let draw_numbers = cells.iter().map(|&place| number_of_place(sides, coordinate(sides, place))).collect();
        let side = sides.into_iter().max().unwrap_or(1);
        let periodic = [false; 3];
        ExpandedGrid { side, sides, axes: 3, periodic, cells, draw_numbers, mask: Vec::new(), stretch: None }
    }

    /// The coordinate of a place.
    pub(super) fn coordinate(&self, place: usize) -> [i64; 3] {
        if let Some((domain, first)) = &self.stretch {
            return domain.lambda(first + place as u64).map(|v| v as i64);
        }
        coordinate(self.sides, place)
    }

    /// Of a coordinate outside of the box the side beyond which it is, that of the first axis, and the coordinate mirrored there.
    pub(super) fn beyond(&self, at: [i64; 3]) -> Option<(usize, [i64; 3])> {
        for axis in 0..3 {
            let n = self.sides[axis] as i64;
            let mut mirrored = at;
            if at[axis] < 0 {
                mirrored[axis] = -1 - at[axis];
                return Some((2 * axis, mirrored));
            }
            if at[axis] >= n {
                mirrored[axis] = 2 * n - 1 - at[axis];
                return Some((2 * axis + 1, mirrored));
            }
        }
        None
    }

    /// The place at an offset from a coordinate.
    pub(super) fn look(&self, from: [i64; 3], offset: [i64; 3]) -> There {
        let sides = self.sides.map(|side| side as i64);
        let mut there = [from[0] + offset[0], from[1] + offset[1], from[2] + offset[2]];
        let is_inside = |[x, y, z]: [i64; 3]| {
            (0..sides[0]).contains(&x) && (0..sides[1]).contains(&y) && (0..sides[2]).contains(&z)
        };
        // Most places are inside, where no edge asks for anything.
        if is_inside(there) && self.stretch.is_none() {
            let place = (there[0] + sides[0] * (there[1] + sides[1] * there[2])) as usize;
            return if self.mask[place] { There::Cell(place) } else { There::Hole };
        }
        for ((v, n), _) in there.iter_mut().zip(sides).zip(self.periodic).filter(|(_, periodic)| *periodic) {
            while *v < 0 {
                *v += n;
            }
            while *v >= n {
                *v -= n;
            }
        }
        if there[self.axes..].iter().any(|v| *v != 0) {
            // There is no such axis, so it has no edge.
            return There::Hole;
        }
        let mut mirrored = there;
        for (v, n) in mirrored.iter_mut().zip(sides) {
            if *v < 0 {
                *v = -1 - *v;
            } else if *v >= n {
                *v = 2 * n - 1 - *v;
            }
        }
        let [x, y, z] = mirrored;
        if !is_inside(mirrored) {
            return There::Beyond { at: there, mirrored: None };
        }
        let (place, is_cell) = match &self.stretch {
            Some((domain, _)) => (0, domain.nu(mirrored.map(|v| v as u64)).is_some()),
            None => {
                let place = (x + sides[0] * (y + sides[1] * z)) as usize;
                (place, self.mask[place])
            }
        };
        match (mirrored == there, is_cell) {
            (true, false) => There::Hole,
            (true, true) => There::Cell(place),
            (false, is_cell) => There::Beyond { at: there, mirrored: is_cell.then_some(place) },
        }
    }
}
