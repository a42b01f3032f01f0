//! How a product is cut: into tiles, whose sums stay in registers, and blocks, whose rows stay in caches.
//!
//! A tile meets `own` rows (m_r) with `others` (n_r) over `columns` (k_c) lines; a block has `rows` (m_c, and n_c, since both sides are alike).
//! All follow from the machine's parameters, as Low, Igual, Smith and Quintana-Ortí (*Analytical Modeling Is Enough for High-Performance BLIS*, 2016)
//! have it for numbers, with these changes for bits:
//!
//! - What is carried from column to column is an addition, of one cycle: its latency decides nothing where a tile has a few sums. What decides is the
//!   slowest of four rates: operations, counts of ones, loads from the first cache, (m_r + n_r) / (m_r n_r) of them a pair, and lines from the second
//!   cache, 1 / m_r a pair as long as the tile's own rows stay in the first one.
//!   What is not the slowest hides but for two fifths.
//! - A tile ends with a sum over each register, which takes E cycles a pair: E / k_c a line.
//! - Tiles on the diagonal, and those beyond the last row, are counted as a whole. With few rows that decides.
//!
//! The choice is the shape and k_c with the least cycles. Nothing is packed: rows lie so that blocks spread over the second cache
//! ([`stride`]), and copies of blocks were slower but for single pairs at a time.

use super::kernel::CountingKernel;
use squeeze_compiler::target::CpuHardware;
use std::fmt;
use std::sync::OnceLock;

/// The bytes of a line: of an element of rows, too.
const LINE: usize = 64;

/// The rows of a tile, each side's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Rows whose columns stay in the first cache: m_r.
    pub own: usize,
    /// Rows that pass them: n_r.
    pub others: usize,
}

impl TileShape {
    /// The most rows of a tile on one side.
    pub(super) const MOST: usize = 5;

    /// The least number of rows that is a whole number of tiles on either side.
    pub(super) fn side(self) -> usize {
        (1..).map(|tiles| tiles * self.own).find(|rows| rows.is_multiple_of(self.others)).unwrap_or(self.own)
    }
}

/// A cache as the model sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// The lines of a set.
    pub ways: usize,
    /// The sets.
    pub sets: usize,
    /// The bytes of a line.
    pub line: usize,
}

impl Cache {
    /// The cache of this number of a processor, from 0.
    pub(super) fn of(hardware: &CpuHardware, number: usize) -> Cache {
        let ways = hardware.ways[number].max(1) as usize;
        Cache { ways, sets: (hardware.caches[number] as usize / (LINE * ways)).max(1), line: LINE }
    }

    /// k_c of BLIS: ⌊(W − 1) / (1 + n_r / m_r)⌋ ways hold what stays, elements of `size` bytes; one is left to the sums.
    pub fn columns(self, shape: TileShape, size: usize) -> usize {
        let TileShape { own, others } = shape;
        let ways = (self.ways.saturating_sub(1) * own / (own + others)).max(1);
        (ways * self.sets * self.line / (own * size)).max(1)
    }

    /// m_c of BLIS, this being the second cache: the block is beside what passes, and one way is left. Without end it is whole tiles of `others`.
    pub fn rows(self, others: usize, columns: usize, size: usize) -> usize {
        let passing = (columns * others * size).div_ceil(self.line * self.sets);
        let ways = self.ways.saturating_sub(1 + passing).max(1);
        (ways * self.sets * self.line / (columns * size) / others).max(1) * others
    }
}

/// How a product is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocking {
    /// The rows of a tile.
    pub shape: TileShape,
    /// Lines of a tile: k_c.
    pub columns: usize,
    /// Rows of a block, of either side: m_c.
    pub rows: usize,
}

/// What a kernel needs for a line of a pair of rows.
pub(super) struct LineCosts {
    /// Bits of its registers.
    pub(super) width: u64,
    /// Operations on a register, loads and all that ends a tile left out.
    pub(super) operations: f64,
    /// Counts of its ones by an instruction.
    pub(super) counts: f64,
    /// Additions to one sum for a register, each of which waits for the one before.
    pub(super) carried: f64,
    /// Cycles that end a tile's pair: sums over registers. Measured: on a Zen 4 and a Zen 5.
    pub(super) end: f64,
}

/// Cycles of a line from the second cache. Measured: on a Zen 5, by tiles of a single pair.
const SECOND: f64 = 2.0;
/// The share of what is not the slowest that hides behind it. Measured: the same, from 1 × 1 to 5 × 5.
const HIDDEN: f64 = 0.6;
/// Operations on words in a cycle, where those on vectors say nothing. Measured: the same.
const WORD_PIPES: f64 = 4.0;
/// Lines of a block that are considered. Sixteen of them are a round of a tree of adders. BLIS's number itself is none of them: it leaves no line
/// of the first cache to the rows that come next, and tiles of 2 × 1 were slower by it.
const COLUMNS: [usize; 4] = [64, 128, 256, 512];

/// The kernels that a processor has, the fastest first, as far as its parameters tell.
pub fn kernels_of(hardware: &CpuHardware) -> Vec<CountingKernel> {
    let has = |kernel: &CountingKernel| {
        let width = kernel.costs().width;
        let counts = *kernel != CountingKernel::Vpopcntdq || hardware.popcount_bits >= width;
        hardware.vector_bits >= width && counts
    };
    CountingKernel::ALL.into_iter().filter(has).collect()
}

/// This processor, by what the system tells of it.
pub(super) fn told() -> &'static CpuHardware {
    static TOLD: OnceLock<CpuHardware> = OnceLock::new();
    TOLD.get_or_init(squeeze_bench::hardware::told)
}

impl fmt::Display for Blocking {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blocking { shape: TileShape { own, others }, columns, rows } = self;
        write!(out, "{own} × {others}, {}, {rows}", 512 * *columns as u64)
    }
}

impl Blocking {
    /// The one with the fewest cycles for `rows` rows of `length` lines.
    pub fn chosen(kernel: CountingKernel, hardware: &CpuHardware, rows: usize, length: usize) -> Blocking {
        let all = Blocking::considered(kernel, hardware, rows, length);
        let cycles = |blocking: &Blocking| blocking.cycles(kernel, hardware, rows, length);
        all.into_iter().min_by(|a, b| cycles(a).total_cmp(&cycles(b))).expect("a kernel has a shape")
    }

    /// Each shape of the kernel with each k_c that may be worth it.
    pub(crate) fn considered(
        kernel: CountingKernel,
        hardware: &CpuHardware,
        rows: usize,
        length: usize,
    ) -> Vec<Blocking> {
        let second = Cache::of(hardware, 1);
        let mut all = Vec::new();
        for shape in kernel.shapes() {
            for columns in COLUMNS {
                // Blocks of equal length.
                let blocks = length.div_ceil(columns).max(1);
                let columns = length.div_ceil(blocks).next_multiple_of(16).max(16);
                let most = second.rows(shape.others, columns, LINE);
                let blocking = Blocking { shape: *shape, columns, rows: most.min(rows.max(1)) };
                if !all.contains(&blocking) {
                    all.push(blocking);
                }
            }
        }
        all
    }

    /// Cycles for each line of each pair of rows that has to be counted, by the model.
    pub fn cycles(&self, kernel: CountingKernel, hardware: &CpuHardware, rows: usize, length: usize) -> f64 {
        let Blocking { shape, columns, rows: block } = *self;
        let costs = kernel.costs();
        let [own, others] = [shape.own, shape.others].map(|rows| rows as f64);
        let pairs = own * others;
        // Registers of a line, of the width that the machine has.
        let registers = (8 * LINE) as f64 / costs.width.min(hardware.vector_bits) as f64;
        let pipes = if costs.width == 64 { WORD_PIPES } else { hardware.pipes };
        let operations = registers * costs.operations / pipes;
        // Where vectors are counted, words are counted faster than they are loaded.
        let is_counted = costs.counts > 0.0 && hardware.popcount_bits <= costs.width;
        let counted = (8 * LINE) as f64 / (hardware.popcounts * hardware.popcount_bits as f64);
        let counts = if is_counted { costs.counts * counted } else { 0.0 };
        let loads = registers * (own + others) / pairs / hardware.loads;
        let carried = registers * costs.carried * hardware.addition / pairs;
        let stays = columns <= Cache::of(hardware, 0).columns(shape, LINE);
        let [second, all_second] = [others, own + others].map(|rows| SECOND * rows / pairs);
        // Where rows do not fit in the second cache, a pair of blocks comes from beyond.
        let is_beyond = (rows * length * LINE) as f64 > hardware.caches[1];
        // A copy moves lines both ways, and those of blocks come before they are needed.
        let line = LINE as f64 / hardware.cache_bandwidth * hardware.clock / 2.0;
        let beyond = if is_beyond { 2.0 / block as f64 * line } else { 0.0 };
        let all = [operations, counts, loads, carried, second];
        let slowest = all.into_iter().fold(0.0, f64::max);
        let computing = HIDDEN * slowest + (1.0 - HIDDEN) * all.into_iter().sum::<f64>();
        // Lines of own rows that do not stay come early enough, unless they are more than all else takes.
        let streaming = if stays { second } else { all_second };
        self.waste(rows) * (computing.max(streaming) + costs.end / columns.min(length.max(1)) as f64) + beyond
    }

    /// The pairs of rows that are counted, for each that has to be.
    pub(super) fn waste(&self, rows: usize) -> f64 {
        let TileShape { own, others } = self.shape;
        let width = rows.div_ceil(others);
        let tiles: usize = (0..rows.div_ceil(own)).map(|tile| width - tile * own / others).sum();
        (tiles * own * others) as f64 / (rows * (rows + 1) / 2).max(1) as f64
    }
}

/// How many lines lie from one row to the next, for rows of `length` lines: an odd number, so that rows do not all lie in the same sets of the
/// first cache; and for long rows one by which pieces of k_c lines of many rows spread over the sets of the second one.
pub(super) fn stride(length: usize) -> usize {
    if length < SETS { length | 1 } else { length + (3 * SPREAD + 1 - length % (2 * SPREAD)) % (2 * SPREAD) }
}

/// Sets of a second cache, of which others have some power of two more or less; and lines between the beginnings of two rows in it.
const SETS: usize = 1024;
const SPREAD: usize = 128;
