//! Which superblocks are neighbours, and how lanes move when a neighbour lies in another lane.
//!
//! The neighbour of a superblock in direction δ lies at the middle fractal's place of the superblock plus δ. If that leaves
//! the middle fractal's box on some axes, the place is taken modulo the side, and the *wrap* ε says on which axes
//! and to which side: lane l then sees the superblock's column of the lane at l's place plus ε in the top fractal, if
//! that is a lane. Since ε_a is δ_a where the superblock touches that side and 0 elsewhere, one byte a superblock
//! ([`TouchedSides`]) and one index a direction say all.

use super::Layout;
use super::unit::Unit;
use crate::kernel::Direction;

/// Which sides of the level-(r−T) fractal a superblock touches: bit 2a for the low side of axis a, 2a + 1 for the high one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchedSides(pub u8);

impl TouchedSides {
    /// The axes on which the neighbour in this direction lies in another lane, and to which side.
    pub fn wrap(self, direction: Direction) -> Direction {
        let mut wrap = Direction::CENTRE;
        for axis in 0..3 {
            let step = direction.0[axis];
            let bit = 2 * axis + usize::from(step > 0);
            if step != 0 && self.0 >> bit & 1 == 1 {
                wrap.0[axis] = step;
            }
        }
        wrap
    }
}

/// The sides that a superblock touches, and for each of [`Direction::all`] the neighbour, if there is one, into `beside`. A neighbour
/// with a wrap may still exist in some lanes only: see [`Wraps`](super::permutation::Wraps).
///
/// # Panics
/// If `beside` is shorter than the list of directions, or the superblock does not exist.
pub fn neighbours_of(
    layout: &Layout,
    unit: Unit,
    directions: &[Direction],
    beside: &mut [Option<Unit>],
) -> TouchedSides {
    assert!(unit.0 < layout.superblocks(), "there is no superblock {}", unit.0);
    let axes = layout.dimension().axes();
    let (place, last) = (layout.superblock_place(unit), layout.middle_extent().map(|side| side - 1));
    let mut edges = 0;
    for (axis, v) in place.iter().enumerate().take(axes) {
        edges |= u8::from(*v == 0) << (2 * axis) | u8::from(*v == last[axis]) << (2 * axis + 1);
    }
    for (direction, neighbour) in directions.iter().zip(beside) {
        let there = std::array::from_fn(|axis| {
            let (v, last) = (place[axis], last[axis]);
            match direction.0[axis] {
                0 => v,
                1 if v == last => 0,
                1 => v + 1,
                _ if v == 0 => last,
                _ => v - 1,
            }
        });
        *neighbour = layout.superblock_at(there);
    }
    TouchedSides(edges)
}

/// The superblock at any distance in a direction from the one at a place of the middle fractal, if there is one, and the wrap ε, whose
/// parts may be beyond ±1.
pub fn far_neighbour(layout: &Layout, place: [u64; 3], direction: Direction) -> (Option<Unit>, Direction) {
    let sides = layout.middle_extent().map(|side| side as i64);
    let there: [i64; 3] = std::array::from_fn(|axis| place[axis] as i64 + i64::from(direction.0[axis]));
    let axes = layout.dimension().axes();
    let wrap = std::array::from_fn(|axis| if axis < axes { there[axis].div_euclid(sides[axis]) as i32 } else { 0 });
    let inside = std::array::from_fn(|axis| if axis < axes { there[axis].rem_euclid(sides[axis]) as u64 } else { 0 });
    (layout.superblock_at(inside), Direction(wrap))
}

/// The wraps that a direction can have, whatever the superblock is.
pub fn wraps_of(layout: &Layout, direction: Direction) -> Vec<Direction> {
    let sides = layout.middle_extent().map(|side| side as i64);
    let axes = layout.dimension().axes();
    let ends = |axis: usize| {
        let (v, side) = (i64::from(direction.0[axis]), sides[axis]);
        if axis < axes { (v.div_euclid(side) as i32, (v + side - 1).div_euclid(side) as i32) } else { (0, 0) }
    };
    let [(x0, x1), (y0, y1), (z0, z1)] = [0, 1, 2].map(ends);
    let places = (z0..=z1).flat_map(move |z| (y0..=y1).map(move |y| (y, z)));
    places.flat_map(|(y, z)| (x0..=x1).map(move |x| Direction([x, y, z]))).collect()
}

/// The bytes of the neighbours of a superblock of a layout, and of the sides that it touches.
pub(crate) fn bytes_of_neighbours(layout: &Layout) -> u64 {
    4 * Direction::count(layout.dimension()) as u64 + 1
}

/// The bytes of the maps that find the superblocks and lanes at places, for kernels of GPUs that look far.
pub(crate) fn far_table_bytes(layout: &Layout) -> u64 {
    let places = |extent: [u64; 3]| extent.into_iter().fold(4, u64::saturating_mul);
    let boxes = places(layout.middle_extent()).saturating_add(places(layout.top().extent()));
    boxes.saturating_add(12 * layout.lanes() as u64)
}

/// All of it, for tests.
#[cfg(test)]
pub(crate) mod whole {
    use super::{Direction, Layout, TouchedSides, Unit, neighbours_of};

    /// The neighbours of every superblock.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct NeighbourTable {
        pub(crate) directions: Vec<Direction>,
        /// `superblock · directions + direction`.
        neighbours: Vec<Option<Unit>>,
        edges: Vec<u8>,
    }

    impl NeighbourTable {
        /// Builds the table, superblock by superblock.
        pub(crate) fn new(layout: &Layout) -> NeighbourTable {
            let directions = Direction::all(layout.dimension());
            let mut all = vec![None; layout.superblocks() as usize * directions.len()];
            let mut edges = Vec::with_capacity(layout.superblocks() as usize);
            for (superblock, neighbours) in all.chunks_exact_mut(directions.len()).enumerate() {
                edges.push(neighbours_of(layout, Unit(superblock as u32), &directions, neighbours).0);
            }
            NeighbourTable { directions, neighbours: all, edges }
        }

        /// The neighbours of a superblock, in the order of [`Direction::all`].
        pub(crate) fn neighbours(&self, Unit(superblock): Unit) -> &[Option<Unit>] {
            let n = self.directions.len();
            &self.neighbours[superblock as usize * n..][..n]
        }

        /// The sides that a superblock touches.
        pub(crate) fn touched_sides(&self, Unit(superblock): Unit) -> TouchedSides {
            TouchedSides(self.edges[superblock as usize])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::whole::NeighbourTable;
    use super::*;
    use crate::geometry::Domain;
    use crate::ir::Dimension;
    use crate::layout::permutation::{ABSENT, Wraps};
    use crate::layout::unit::{CellIndex, Lane, Micro};
    use crate::samples;

    /// Every cell's neighbour at distance ≤ S_L, found by the table, against λ and ν of the whole.
    #[test]
    fn the_table_agrees_with_the_maps() {
        for fractal in samples::fractals().into_iter().flat_map(samples::with_edges) {
            let level = if fractal.dimension == Dimension::Three { 3 } else { 4 };
            let whole = Domain::new(fractal.clone(), level).expect("small");
            for (t, l) in [(0, 0), (1, 1), (2, 1), (2, 0), (0, 2), (9, 0), (9, 1), (0, 9)] {
                let layout = Layout::new(&whole, t, l).expect("small");
                let (table, wraps) = (NeighbourTable::new(&layout), Wraps::new(&layout));
                let sides = layout.low().extent().map(|side| side as i64);
                let whole_sides = whole.extent().map(|side| side as i64);
                for superblock in (0..layout.superblocks()).map(Unit) {
                    for (d, direction) in table.directions.iter().enumerate() {
                        let neighbour = table.neighbours(superblock)[d];
                        let wrap = table.touched_sides(superblock).wrap(*direction);
                        for lane in 0..layout.lanes() as u32 {
                            let source = wraps.of(wrap).map_or(lane, |moved| moved.sources[lane as usize]);
                            let (corner, block) =
                                (layout.lane_corner(Lane(lane)), layout.superblock_corner(superblock));
                            for micro in 0..layout.micro_cells() {
                                let cell = layout.low().lambda(u64::from(micro));
                                let place: [i64; 3] = std::array::from_fn(|a| {
                                    (corner[a] + block[a] + cell[a]) as i64 + i64::from(direction.0[a]) * sides[a]
                                });
                                let turned = |a: usize| {
                                    if whole.periodic().0[a] { place[a].rem_euclid(whole_sides[a]) } else { place[a] }
                                };
                                let place: [i64; 3] = std::array::from_fn(turned);
                                let inside = (0..3).all(|a| (0..whole_sides[a]).contains(&place[a]));
                                let wanted = inside.then(|| whole.nu(place.map(|v| v as u64))).flatten();
                                let there = neighbour.filter(|_| source != ABSENT);
                                let found = there.map(|there| layout.canonical(Lane(source), there, Micro(micro)));
                                assert_eq!(
                                    found,
                                    wanted.map(CellIndex),
                                    "{} T{t} L{l} {direction} {place:?}",
                                    fractal.name
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
