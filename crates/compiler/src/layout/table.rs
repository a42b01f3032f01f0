//! Which superblocks are neighbours, and how lanes move when a neighbour lies in another lane.
//!
//! The neighbour of a superblock in direction δ lies at the middle fractal's place of the superblock plus δ. If that leaves
//! the middle fractal's box on some axes, the place is taken modulo the side, and the *wrap* ε says on which axes
//! and to which side: lane l then sees the superblock's column of the lane at l's place plus ε in the top fractal, if
//! that is a lane. Since ε_a is δ_a where the superblock touches that side and 0 elsewhere, one byte a superblock
//! ([`Edges`]) and one index a direction say all.

use super::Layout;
use crate::ir::fractal::Dimension;
use crate::ir::kernel::Direction;

/// The index that says that a neighbour superblock exists in no lane.
pub const ABSENT: u32 = u32::MAX;

/// Which sides of the level-(r−T) fractal a superblock touches: bit 2a for the low side of axis a, 2a + 1 for the high one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges(pub u8);

impl Edges {
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

/// The sides that a superblock touches, and for each of [`Direction::all`] the neighbour's index or [`ABSENT`], into
/// `neighbours`. A neighbour with a wrap may still exist in some lanes only: see [`Wraps`].
///
/// # Panics
/// If `neighbours` is shorter than the list of directions, or the superblock does not exist.
pub fn neighbours_of(layout: &Layout, superblock: u32, directions: &[Direction], neighbours: &mut [u32]) -> Edges {
    let middle = layout.middle();
    assert!(u64::from(superblock) < middle.cells(), "there is no superblock {superblock}");
    let axes = layout.dimension().axes();
    let (place, last) = (middle.lambda(u64::from(superblock)), middle.side() - 1);
    let mut edges = 0;
    for (axis, v) in place.iter().enumerate().take(axes) {
        edges |= u8::from(*v == 0) << (2 * axis) | u8::from(*v == last) << (2 * axis + 1);
    }
    for (direction, neighbour) in directions.iter().zip(neighbours) {
        let there = std::array::from_fn(|axis| {
            let v = place[axis];
            match direction.0[axis] {
                0 => v,
                1 => {
                    if v == last {
                        0
                    } else {
                        v + 1
                    }
                }
                _ => {
                    if v == 0 {
                        last
                    } else {
                        v - 1
                    }
                }
            }
        });
        *neighbour = middle.nu(there).map_or(ABSENT, |index| index as u32);
    }
    Edges(edges)
}

/// How the lanes of a column move for one wrap: result lane l is the source's lane `sources[l]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanePermutation {
    /// The wrap ε.
    pub wrap: Direction,
    /// Per lane the lane it comes from, or [`ABSENT`].
    pub sources: Vec<u32>,
    /// For bits: the result is the OR over these of `(source shifted) AND mask`.
    pub displacements: Vec<Displacement>,
    /// W words: the lanes in which something exists there.
    pub presence: Vec<u32>,
}

/// A part of a [`LanePermutation`] of bits: lanes that all come from equally far away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Displacement {
    /// Source lane minus result lane: positive shifts towards lower lanes.
    pub shift: i32,
    /// W words: the result lanes.
    pub mask: Vec<u32>,
}

impl LanePermutation {
    fn new(layout: &Layout, wrap: Direction) -> LanePermutation {
        let (top, lanes, words) = (layout.top(), layout.lanes(), layout.words());
        let mut sources = vec![ABSENT; lanes];
        let mut displacements: Vec<Displacement> = Vec::new();
        let mut presence = vec![0; words];
        for (lane, source) in sources.iter_mut().enumerate() {
            let place = top.lambda(lane as u64);
            let there: [i64; 3] = std::array::from_fn(|axis| place[axis] as i64 + i64::from(wrap.0[axis]));
            if there.iter().any(|v| *v < 0 || *v >= top.side() as i64) {
                continue;
            }
            let Some(from) = top.nu(there.map(|v| v as u64)) else { continue };
            *source = from as u32;
            let shift = from as i32 - lane as i32;
            let known = displacements.iter().position(|displacement| displacement.shift == shift);
            let known = known.unwrap_or_else(|| {
                displacements.push(Displacement { shift, mask: vec![0; words] });
                displacements.len() - 1
            });
            displacements[known].mask[lane / 32] |= 1 << (lane % 32);
            presence[lane / 32] |= 1 << (lane % 32);
        }
        displacements.sort_by_key(|displacement| displacement.shift);
        LanePermutation { wrap, sources, displacements, presence }
    }

    /// Moves the lanes of one plane of bits: W words to W words. Lanes that come from nowhere become 0.
    pub fn move_bits(&self, source: &[u32], result: &mut [u32]) {
        result.fill(0);
        let words = source.len() as i32;
        for Displacement { shift, mask } in &self.displacements {
            let (whole, part) = (shift.div_euclid(32), shift.rem_euclid(32));
            let word = |i: i32| if (0..words).contains(&i) { u64::from(source[i as usize]) } else { 0 };
            for (i, (word_of_result, mask)) in result.iter_mut().zip(mask).enumerate() {
                let low = i as i32 + whole;
                let pair = word(low) | word(low + 1) << 32;
                *word_of_result |= (pair >> part) as u32 & mask;
            }
        }
    }
}

/// The lane permutations of all wraps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wraps {
    dimension: Dimension,
    /// In the order of [`Direction::all`].
    permutations: Vec<LanePermutation>,
}

impl Wraps {
    /// The permutations of a layout.
    pub fn new(layout: &Layout) -> Wraps {
        let dimension = layout.dimension();
        let permutations =
            Direction::all(dimension).into_iter().map(|wrap| LanePermutation::new(layout, wrap)).collect();
        Wraps { dimension, permutations }
    }

    /// The permutation of a wrap; `None` for the centre, where every lane stays.
    pub fn of(&self, wrap: Direction) -> Option<&LanePermutation> {
        wrap.index(self.dimension).map(|index| &self.permutations[index])
    }

    /// All of them, in the order of [`Direction::all`].
    pub fn all(&self) -> &[LanePermutation] {
        &self.permutations
    }
}

/// The neighbours of every superblock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourTable {
    directions: Vec<Direction>,
    /// `superblock · directions + direction`.
    indices: Vec<u32>,
    edges: Vec<u8>,
}

impl NeighbourTable {
    /// How many bytes the table of a layout takes.
    pub fn bytes(layout: &Layout) -> u64 {
        u64::from(layout.superblocks()) * (4 * Direction::all(layout.dimension()).len() as u64 + 1)
    }

    /// Builds the table, superblock by superblock. To build it in parallel, fill the two lists with [`neighbours_of`] and
    /// hand them to [`NeighbourTable::from_parts`].
    pub fn new(layout: &Layout) -> NeighbourTable {
        let directions = Direction::all(layout.dimension());
        let mut indices = vec![ABSENT; layout.superblocks() as usize * directions.len()];
        let mut edges = Vec::with_capacity(layout.superblocks() as usize);
        for (superblock, neighbours) in indices.chunks_exact_mut(directions.len()).enumerate() {
            edges.push(neighbours_of(layout, superblock as u32, &directions, neighbours).0);
        }
        NeighbourTable { directions, indices, edges }
    }

    /// A table from its lists: per superblock the indices in the order of [`Direction::all`], and the [`Edges`].
    ///
    /// # Panics
    /// If the lists' lengths do not fit.
    pub fn from_parts(dimension: Dimension, indices: Vec<u32>, edges: Vec<u8>) -> NeighbourTable {
        let directions = Direction::all(dimension);
        assert_eq!(indices.len(), edges.len() * directions.len(), "one index per direction and superblock");
        NeighbourTable { directions, indices, edges }
    }

    /// The directions, in the order of the indices.
    pub fn directions(&self) -> &[Direction] {
        &self.directions
    }

    /// The neighbours' indices (or [`ABSENT`]) of a superblock, in the order of [`directions`](Self::directions).
    pub fn indices(&self, superblock: u32) -> &[u32] {
        let n = self.directions.len();
        &self.indices[superblock as usize * n..][..n]
    }

    /// The sides that a superblock touches.
    pub fn edges(&self, superblock: u32) -> Edges {
        Edges(self.edges[superblock as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Domain;
    use crate::samples;

    /// Every cell's neighbour at distance ≤ S_L, found by the table, against λ and ν of the whole.
    #[test]
    fn the_table_agrees_with_the_maps() {
        for fractal in samples::fractals() {
            let level = if fractal.dimension == Dimension::Three { 3 } else { 4 };
            let whole = Domain::new(fractal.clone(), level).expect("small");
            for (t, l) in [(0, 0), (1, 1), (2, 1), (2, 0), (0, 2), (9, 0), (9, 1), (0, 9)] {
                let layout = Layout::new(&whole, t, l).expect("small");
                let (table, wraps) = (NeighbourTable::new(&layout), Wraps::new(&layout));
                let side = layout.low().side() as i64;
                for superblock in 0..layout.superblocks() {
                    for (d, direction) in table.directions().iter().enumerate() {
                        let index = table.indices(superblock)[d];
                        let wrap = table.edges(superblock).wrap(*direction);
                        for lane in 0..layout.lanes() as u32 {
                            let source = wraps.of(wrap).map_or(lane, |moved| moved.sources[lane as usize]);
                            let (corner, block) = (layout.lane_corner(lane), layout.superblock_corner(superblock));
                            for micro in 0..layout.micro_cells() {
                                let cell = layout.low().lambda(u64::from(micro));
                                let place: [i64; 3] = std::array::from_fn(|a| {
                                    (corner[a] + block[a] + cell[a]) as i64 + i64::from(direction.0[a]) * side
                                });
                                let inside = place.iter().all(|v| (0..whole.side() as i64).contains(v));
                                let wanted = inside.then(|| whole.nu(place.map(|v| v as u64))).flatten();
                                let there = index != ABSENT && source != ABSENT;
                                let found = there.then(|| layout.canonical(source, index, micro));
                                assert_eq!(found, wanted, "{} T{t} L{l} {direction} {place:?}", fractal.name);
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn displacements_move_bits_as_sources_say() {
        for fractal in samples::fractals() {
            for t in 0..=if fractal.dimension == Dimension::Three { 2 } else { 4 } {
                let layout = Layout::new(&Domain::new(fractal.clone(), 5).expect("small"), t, 0).expect("small");
                let source: Vec<u32> =
                    (0..layout.words() as u32).map(|i| (i + 1).wrapping_mul(0x9E37_79B9) ^ 0xA5C3_1F07).collect();
                for moved in Wraps::new(&layout).all() {
                    let mut result = vec![0; layout.words()];
                    moved.move_bits(&source, &mut result);
                    for lane in 0..layout.lanes() {
                        let bit = |words: &[u32], lane: usize| words[lane / 32] >> (lane % 32) & 1;
                        let from = moved.sources[lane];
                        let wanted = if from == ABSENT { 0 } else { bit(&source, from as usize) };
                        assert_eq!(bit(&result, lane), wanted);
                        assert_eq!(bit(&moved.presence, lane), u32::from(from != ABSENT));
                    }
                }
            }
        }
    }
}
