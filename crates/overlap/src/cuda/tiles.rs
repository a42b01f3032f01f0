//! How a GPU cuts a product: into tiles of rows on either side, whose sums stay in registers, and pieces of the columns, each of which is a block of threads.
//!
//! Blocks go through the multiprocessors in rounds. A round takes as long as its blocks' steps, each of which counts and waits for rows, and what blocks take to
//! begin and to add their sums to memory. Large tiles wait seldom, and have more rows than there are; long pieces add up seldom, and leave multiprocessors idle in
//! the last round. The choice is the tile and the piece with the least cycles.

use super::{GpuKernel, STEP};
use squeeze_compiler::target::GpuHardware;

/// How a GPU cuts a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuTile {
    /// Rows of a tile: m_r.
    pub own: u64,
    /// Rows that they meet: n_r.
    pub others: u64,
    /// Columns of a piece: k_c.
    pub columns: u64,
    /// Blocks of threads in a launch.
    pub blocks: u64,
}

/// What a kernel takes of a multiprocessor. Measured: all of it on an H200, by 15 products with 438 tiles.
struct BlockCosts {
    /// Bits of pairs that it counts in a cycle.
    rate: f64,
    /// Bits of a row in a step.
    step: u64,
    /// Blocks that it has room for.
    room: u64,
    /// Cycles that a step waits beside, for rows from the second cache and from memory.
    waits: [f64; 2],
    /// Cycles to begin, and for each block that begins.
    begin: f64,
    /// Cycles to add a sum to memory.
    sum: f64,
    /// Cycles between two additions to one place.
    place: f64,
}

/// The rows of a tile on either side, for each kernel. Those of `wgmma` up to 128 rows are read once for both sides.
const POPC: &[[u64; 2]] = &[[16, 16], [32, 32], [64, 64]];
const MMA: &[[u64; 2]] = &[[64, 64], [128, 64], [256, 128]];
const WGMMA: &[[u64; 2]] = &[[64, 64], [128, 128], [256, 256]];
/// Blocks that share a tile of 256 rows.
pub(super) const SHARING: u64 = 2;

impl GpuKernel {
    /// The shapes of its tiles, with `rows` rows in all.
    pub fn shapes(self, rows: usize) -> impl Iterator<Item = [u64; 2]> {
        let all = match self {
            GpuKernel::Popc => POPC,
            GpuKernel::Mma => MMA,
            GpuKernel::Wgmma => WGMMA,
        };
        let holds = move |side: &u64| self != GpuKernel::Wgmma || *side > FEW_ROWS || rows as u64 <= *side;
        all.iter().copied().filter(move |[own, _]| holds(own))
    }

    fn costs(self, [own, _]: [u64; 2]) -> BlockCosts {
        let popc = |rate, waits, room| BlockCosts {
            rate,
            step: 1024,
            room,
            waits: [waits; 2],
            begin: 750.0,
            sum: 0.35,
            place: 14.0,
        };
        let mma = |room, sum| BlockCosts {
            rate: 19_000.0,
            step: 512,
            room,
            waits: [600.0, 1150.0],
            begin: 750.0,
            sum,
            place: 35.0,
        };
        let wgmma = |waits, begin| BlockCosts {
            rate: 33_000.0,
            step: 1024,
            room: 1,
            waits: [waits; 2],
            begin,
            sum: 0.35,
            place: 15.0,
        };
        match (self, own) {
            (GpuKernel::Popc, ..=16) => popc(388.0, 780.0, 8),
            (GpuKernel::Popc, ..=32) => popc(527.0, 1240.0, 8),
            (GpuKernel::Popc, _) => popc(526.0, 1250.0, 4),
            (GpuKernel::Mma, ..=64) => mma(4, 0.9),
            (GpuKernel::Mma, ..=128) => mma(2, 1.4),
            (GpuKernel::Mma, _) => mma(1, 1.5),
            (GpuKernel::Wgmma, ..=64) => wgmma(210.0, 750.0),
            (GpuKernel::Wgmma, ..=FEW_ROWS) => wgmma(270.0, 750.0),
            (GpuKernel::Wgmma, _) => wgmma(0.0, 6000.0),
        }
    }

    /// The tiles that are worth a try on `gpu`, for `rows` rows of `bits` bits.
    pub fn considered(self, gpu: &GpuHardware, rows: usize, bits: u64) -> Vec<GpuTile> {
        let mut all = Vec::new();
        for shape in self.shapes(rows) {
            let (costs, sharing, pairs) = (self.costs(shape), self.sharing(shape), self.pairs(rows, shape));
            let length = bits.div_ceil(8 * STEP).max(1).div_ceil(costs.step / (8 * STEP)).max(1);
            let least = length.div_ceil(MOST_COUNTED / costs.step);
            let at_once = (gpu.multiprocessors / sharing).max(1);
            // Blocks that fill a number of rounds, or nearly.
            let places = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].map(|rounds| (rounds * at_once) / pairs.max(1));
            for pieces in places.into_iter().chain([1]) {
                let piece = length.div_ceil(pieces.max(least).clamp(1, length));
                let blocks = sharing * pairs * length.div_ceil(piece);
                let [own, others] = shape;
                let tile = GpuTile { own, others, columns: costs.step * piece, blocks };
                if !all.contains(&tile) {
                    all.push(tile);
                }
            }
        }
        all
    }

    /// How `gpu` counts `rows` rows of `bits` bits: by the tile with the fewest cycles.
    pub fn tile(self, gpu: &GpuHardware, rows: usize, bits: u64) -> GpuTile {
        let cycles = |tile: &GpuTile| self.cycles(gpu, *tile, rows, bits);
        let all = self.considered(gpu, rows, bits).into_iter();
        all.min_by(|a, b| cycles(a).total_cmp(&cycles(b))).expect("a kernel has a shape")
    }

    /// Cycles of a product by the model.
    pub fn cycles(self, gpu: &GpuHardware, tile: GpuTile, rows: usize, bits: u64) -> f64 {
        let GpuTile { own, others, columns, blocks } = tile;
        let shape = [own, others];
        let (costs, sharing, pairs) = (self.costs(shape), self.sharing(shape), self.pairs(rows, shape));
        let steps = columns.min(bits.next_multiple_of(costs.step)).div_ceil(costs.step) as f64;
        let area = (own / sharing * others) as f64;
        let counting = area * costs.step as f64 / costs.rate;
        // Tiles on the diagonal and beyond the last row have fewer sums.
        let all_sums = (rows * (rows + 1) / 2) as f64;
        let sums = area.min(all_sums / (pairs * sharing) as f64);
        let at_once = gpu.multiprocessors * costs.room;
        let bytes = rows as f64 * bits as f64 / 8.0;
        let in_memory = bytes > gpu.cache / 2.0;
        // Blocks of many rounds begin at other times, and wait while others count.
        let hidden = if self == GpuKernel::Popc { blocks.div_ceil(at_once).max(1) } else { 1 };
        let waiting = costs.waits[usize::from(in_memory)] / hidden as f64;
        let round = |here: u64| {
            let here = here as f64;
            steps * (here * counting + waiting) + costs.begin * (1.0 + here) + here * sums * costs.sum
        };
        let (rounds, left) = (blocks / at_once, blocks % at_once);
        let last = if left > 0 { round(left.div_ceil(gpu.multiprocessors)) } else { 0.0 };
        let pieces = (blocks / (pairs * sharing)) as f64;
        let reading = bytes / if in_memory { gpu.memory_bandwidth } else { gpu.cache_bandwidth } * gpu.clock;
        (rounds as f64 * round(costs.room) + last).max(pieces * costs.place + costs.begin).max(reading)
    }

    fn is_few(self, [own, _]: [u64; 2]) -> bool {
        self == GpuKernel::Wgmma && own <= FEW_ROWS
    }

    /// How many blocks share a tile.
    fn sharing(self, shape: [u64; 2]) -> u64 {
        if self == GpuKernel::Wgmma && !self.is_few(shape) { SHARING } else { 1 }
    }

    /// Pairs of tiles.
    fn pairs(self, rows: usize, shape: [u64; 2]) -> u64 {
        if self.is_few(shape) { 1 } else { tiles(rows as u64, shape).len() as u64 / 2 }
    }
}

/// The most rows that are read once for both sides.
pub(super) const FEW_ROWS: u64 = 128;
/// The most columns of a piece: sums of 32 bits hold them.
const MOST_COUNTED: u64 = 1 << 30;

/// The pairs of tiles of `rows` rows, by their first rows: those with pairs of rows whose first comes first.
pub(super) fn tiles(rows: u64, [height, width]: [u64; 2]) -> Vec<u32> {
    let mut tiles = Vec::new();
    for first in (0..rows).step_by(height as usize) {
        for second in (0..rows).step_by(width as usize).filter(|second| *second >= first) {
            tiles.extend([first as u32, second as u32]);
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All columns of all pairs of rows are counted by some block.
    #[test]
    fn tiles_hold_all_pairs_and_columns() {
        let Ok(squeeze_compiler::target::Hardware::Gpu(gpu)) =
            squeeze_records::hardware::NamedHardware::open("h100").map(|named| named.hardware)
        else {
            panic!("it ships")
        };
        for kernel in GpuKernel::ALL {
            for (rows, bits) in
                [(1, 1), (16, 1 << 16), (16, 1 << 22), (129, 3_000_001), (4096, 1 << 16), (300, 1 << 33)]
            {
                for tile in kernel.considered(&gpu, rows, bits) {
                    let GpuTile { own, others, columns, blocks } = tile;
                    let (sharing, pairs) = (kernel.sharing([own, others]), kernel.pairs(rows, [own, others]));
                    let pieces = blocks / (sharing * pairs);
                    assert!(pieces * columns >= bits && (pieces - 1) * columns < bits, "{tile:?}");
                    assert!(columns <= MOST_COUNTED && blocks == sharing * pairs * pieces, "{tile:?}");
                }
                assert!(kernel.considered(&gpu, rows, bits).contains(&kernel.tile(&gpu, rows, bits)));
            }
        }
    }
}
