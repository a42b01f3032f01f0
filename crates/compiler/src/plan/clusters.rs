//! Where a GPU finds clusters: in *tiles*, boxes of places that a warp labels alone, before their clusters are joined.
//!
//! A tile of a fractal is a copy of its lowest levels, and a tile of a mask or a box a part of the box around it. Its rows are words of bits: at most 32 places.

use crate::geometry::Domain;
use crate::ir::{ClusterQuantity, Clusters, Rule};
use crate::layout::{Geometry, Storage};
use thiserror::Error;

/// The most places of a row of a tile, which is a word.
const MOST_WIDTH: u64 = 32;
/// The most rows of a tile: a warp labels it in 26 KiB.
const MOST_ROWS: u64 = 128;
/// Tiles that lie in one lane have at least as many cells; else tiles are larger. Guess: not measured.
const LEAST_IN_LANE: u64 = 32;
/// The sides of a tile of a mask or a box, in one to three dimensions, where the box is not smaller.
const SIDES: [[u64; 3]; 3] = [[32, 1, 1], [32, 32, 1], [32, 8, 8]];

/// Why a GPU finds no clusters of a rule on a domain.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoTiles {
    /// Clusters among more places than are numbered in 32 bits.
    #[error(
        "a GPU finds clusters among at most {} places, holes and the rest of boxes of 32 x 32 or 32 x 8 x 8 included; `--backend cpu` finds more",
        u32::MAX
    )]
    ManyPlaces,
    /// A question for clusters that reach both ends of a long axis.
    #[error(
        "a GPU asks whether clusters span axes that are not joined of at most {} places; `--backend cpu` asks it of longer ones",
        i32::MAX
    )]
    LongSpan,
    /// Bonds that reach farther than the largest copy of lower levels that a warp labels.
    #[error(
        "a GPU finds clusters in copies of the lowest levels, of at most 32 places along x and 128 in other directions, and a bond reaches beyond the next one; `--backend cpu` finds them"
    )]
    WideBonds,
}

/// The tiles of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TilesOfClusters {
    /// Width, height and depth of a tile.
    pub sides: [u32; 3],
    /// How many cells it has at most.
    pub cells: u32,
    /// How many tiles there are.
    pub count: u32,
    /// How many there are along each axis, of masks and boxes.
    pub along: [u32; 3],
    /// How many of the lowest levels a tile of a fractal has.
    pub levels: Option<u32>,
    /// Whether each tile of a fractal lies in one lane.
    pub in_lanes: bool,
    /// How many lanes its columns have.
    lanes: u32,
}

impl TilesOfClusters {
    /// The tiles of a domain for a rule, if it is stored so.
    ///
    /// # Errors
    /// [`NoTiles::WideBonds`], [`NoTiles::ManyPlaces`], [`NoTiles::LongSpan`].
    pub fn of(domain: &Domain, rule: &Rule, storage: &Storage) -> Result<TilesOfClusters, NoTiles> {
        let is_long = |axis: usize| domain.extent()[axis] > i32::MAX as u64 && !domain.periodic().0[axis];
        let spans = |kind: ClusterQuantity| matches!(kind, ClusterQuantity::Spans(axis) if is_long(axis.into()));
        if rule.all_clusters().flat_map(|of| &of.values).any(|value| spans(value.kind)) {
            return Err(NoTiles::LongSpan);
        }
        let tiles = match &storage.geometry {
            Geometry::Rows(_) => {
                let (extent, usual) = (domain.extent(), SIDES[domain.dimension().axes() - 1]);
                let sides = [0, 1, 2].map(|axis| if axis == 0 { usual[0] } else { usual[axis].min(extent[axis]) });
                let along = [0, 1, 2].map(|axis| extent[axis].div_ceil(sides[axis]));
                let places = extent.into_iter().fold(1, u64::saturating_mul);
                let count = along.into_iter().fold(1, u64::saturating_mul);
                let cells: u64 = sides.into_iter().product();
                if places.max(count.saturating_mul(cells)) > u64::from(u32::MAX) {
                    return Err(NoTiles::ManyPlaces);
                }
                let [sides, along] = [sides, along].map(|all| all.map(|side| side as u32));
                TilesOfClusters {
                    sides,
                    cells: cells as u32,
                    count: count as u32,
                    along,
                    levels: None,
                    in_lanes: false,
                    lanes: 0,
                }
            }
            Geometry::Replicas(layout) => {
                let far = |axis: usize| {
                    let offsets = rule.all_clusters().flat_map(|of| &of.offsets);
                    offsets.map(|offset| u64::from(offset[axis].unsigned_abs())).max().unwrap_or(0)
                };
                // Beyond the domain there is nothing to meet.
                let reach = [0, 1, 2].map(|axis| far(axis).min(domain.extent()[axis]));
                let suits = |levels: &u32| {
                    let low = domain.between(0, *levels);
                    let extent = low.extent();
                    let rows = extent[1].saturating_mul(extent[2]);
                    let meets_the_next = *levels == domain.level() || (0..3).all(|axis| extent[axis] >= reach[axis]);
                    extent[0] <= MOST_WIDTH && rows <= MOST_ROWS && meets_the_next
                };
                let of_lane = domain.level() - layout.lane_digits();
                // Of fewer cells a word would hold too little.
                let is_worth_it = |levels: &u32| domain.cell_product(*levels) >= LEAST_IN_LANE;
                let in_lane = (0..=of_lane).rev().find(suits);
                let largest = (0..=domain.level()).rev().find(suits).ok_or(NoTiles::WideBonds)?;
                let in_lane = in_lane.filter(|levels| is_worth_it(levels) || *levels == largest);
                let levels = in_lane.unwrap_or(largest);
                let low = domain.between(0, levels);
                TilesOfClusters {
                    sides: low.extent().map(|side| side as u32),
                    cells: low.cells() as u32,
                    count: (domain.cells() / low.cells()) as u32,
                    along: [0; 3],
                    levels: Some(levels),
                    in_lanes: in_lane.is_some(),
                    lanes: layout.lanes() as u32,
                }
            }
        };
        Ok(tiles)
    }

    /// How many rows a tile has.
    pub fn rows(&self) -> u32 {
        self.sides[1] * self.sides[2]
    }

    /// Bytes of the lists of one tile: of each row and cell, as kernels take them.
    fn bytes_of_tile(&self, domain: &Domain, rule: &Rule) -> u64 {
        let bonds = rule.all_clusters().map(|of| of.offsets.len()).max().unwrap_or(0) as u64;
        let of_row = 4 * (3 + bonds) + 2;
        let of_cell = 2 + 4 + 4 + 8 + if rule.all_clusters().any(|of| goes_round(domain, of)) { 8 } else { 0 };
        of_row * u64::from(self.rows()) + of_cell * u64::from(self.cells) + 4
    }

    /// Bytes that finding clusters takes on a GPU, of these members: lists and tables.
    pub fn bytes(&self, domain: &Domain, rule: &Rule, members: u32) -> u64 {
        /// Each list begins with a whole number of these, and there are fewer than sixteen.
        const ALIGNED: u64 = 16 * 256;
        let directions = 3u64.pow(domain.dimension().axes() as u32) - 1;
        let of_neighbours = if self.levels.is_some() { 4 * directions + 1 + 12 } else { 0 };
        let of_tile = self.bytes_of_tile(domain, rule).saturating_mul(members.into()).saturating_add(of_neighbours);
        let of_all = ALIGNED + 33 * 4 * u64::from(self.rows()) + 4 * u64::from(self.lanes);
        of_tile.saturating_mul(self.count.into()).saturating_add(of_all)
    }
}

/// Whether some value asks whether clusters go round a joined axis.
pub fn goes_round(domain: &Domain, clusters: &Clusters) -> bool {
    let periodic = domain.periodic().0;
    let asks = |kind: ClusterQuantity| matches!(kind, ClusterQuantity::Spans(axis) if periodic[usize::from(axis)]);
    clusters.values.iter().any(|value| asks(value.kind))
}
