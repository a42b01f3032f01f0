//! The sizes of blocks of padded rows, and memory for them.

use crate::states::buffer::Scratch;
use squeeze_compiler::kernel::Direction;
use squeeze_compiler::layout::columns::Shape;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::passes::Ready;
use std::ops::Range;

/// Bytes of a block's states and of all that is made of them, more than which are beyond the second cache. Guess: not measured.
const BLOCK_BYTES: usize = 1 << 16;
/// The most bytes of a thread, where kernels look far.
const MOST_BYTES: usize = 1 << 24;
/// Bytes that kernels read before and behind what they compute, besides what lies to the side.
const MARGIN: usize = 128;

/// How blocks stand in a thread's memory: the same for all kernels of a pass.
///
/// Kernels that draw run on *split* rows: the even places of a plane stand in its first half and the odd ones in its second half, and
/// every second row stands behind the others. So in a quarter of the plane corners are odd, or even, in all lanes at once, neighbours stand in one distance, and
/// the lanes of a colour have the numbers of whole blocks.
#[derive(Clone, Debug)]
pub(crate) struct PaddedBlocks {
    /// The places beyond either end of a row, and the rows above and below.
    pub(super) margin: usize,
    /// The most rows of a block.
    pub(super) rows: usize,
    /// Bytes from row to row; where rows are split, to the second next row, of its two halves.
    pub(super) stride: usize,
    /// Bytes from layer to layer, and to the first row of a block in its own layer, which is the first.
    pub(super) layer: usize,
    pub(super) first: usize,
    /// If rows are split, the bytes from a block's first row to its second.
    pub(super) split: Option<usize>,
    /// The sizes of a plane, all layers.
    pub shape: Shape,
    /// The distances along z of the layers.
    pub(super) layers: Vec<i32>,
    /// The states that are loaded, and for each layer whether they are there; behind them the cells.
    pub(super) loaded: Vec<(usize, Vec<bool>)>,
    pub(super) cells: Vec<bool>,
    /// The states that kernels store. A kernel that runs alone leaves its memory to a run of all, so it has room for all of these.
    pub(super) stored: Vec<usize>,
    /// Whether kernels store 0 where there is no cell.
    pub masked: bool,
    /// Of rows that are not split, the words that say in which lanes corners are odd along a set of axes, and where even, by the set.
    pub(super) odd: Vec<(u8, [Vec<u64>; 2])>,
}

impl PaddedBlocks {
    /// Blocks of these rows of a grid for kernels that run in turn, for at most `steps` steps at once. `None` if one of the kernels knows more than bits, or looks at nothing, or for
    /// several kernels or steps, if one draws or asks where it is.
    pub(crate) fn new(kernels: &[Ready], (grid, own): (&RowGrid, &Range<usize>), steps: usize) -> Option<PaddedBlocks> {
        let bodies = || kernels.iter().flat_map(|kernel| kernel.bodies());
        let [width, height, _] = grid.extent();
        let splits = bodies().any(|body| !body.random().is_empty());
        let at_once = !splits && bodies().all(|body| body.interface().odd_corners.is_empty());
        let fits = at_once || steps == 1 && kernels.len() == 1 && (width > 1 || !splits);
        let looks_at_nothing = || bodies().all(|body| body.interface().halo.is_empty());
        if !fits || !bodies().all(|body| body.interface().bitwise) || looks_at_nothing() {
            return None;
        }
        let dimension = kernels[0].micro.dimension;
        let (mut across, mut up, mut layers) = (0, 0, vec![0]);
        let (mut loads, mut presence, mut odd) = (Vec::new(), Vec::new(), Vec::new());
        let mut planes = 0;
        for kernel in kernels {
            let (mut reach_x, mut reach_y) = (0, 0);
            for body in kernel.bodies() {
                let of = body.interface();
                let all = Direction::all(dimension).into_iter().chain(of.far.iter().copied()).collect::<Vec<_>>();
                let looks = of.halo.iter().map(|halo| (Some(halo.state), all[halo.direction].0));
                let asked = of.presence.iter().map(|place| (None, all[*place].0));
                for (state, [x, y, z]) in looks.chain(asked) {
                    reach_x = reach_x.max(x.unsigned_abs() as usize);
                    reach_y = reach_y.max(y.unsigned_abs() as usize);
                    layers.push(z);
                    match state {
                        Some(state) => loads.push((state, z)),
                        None => presence.push(z),
                    }
                }
                loads.extend(of.own.iter().map(|state| (*state, 0)));
                odd.extend(of.odd_corners.iter().map(|axes| axes.set()));
            }
            planes +=
                kernel.bodies().last()?.states.iter().map(|state| usize::from(state.planes.count())).sum::<usize>();
            across += reach_x;
            up += reach_y;
        }
        layers.sort_by_key(|z| (z.unsigned_abs(), *z));
        layers.dedup();
        let (margin, beyond) = (steps * across, steps * up);
        let around = |axis: usize, looks: bool| !looks || grid.periodic()[axis];
        let is_endless = grid.is_full() && around(0, across > 0) && around(1, beyond > 0);
        // Nothing is drawn where there is no cell.
        let masked = steps > 1 && !is_endless || !grid.is_full() && bodies().any(|body| !body.random().is_empty());
        if masked {
            presence.push(0);
        }
        let halves = if splits { 2 } else { 1 };
        let stride = 8 * halves * (grid.shape.lanes.min(width) + 2 * margin).div_ceil(64 * halves);
        // Each state stands there twice, and so do cells.
        let row_bytes = 2 * (planes + usize::from(!presence.is_empty())) * layers.len() * stride;
        let rows = (BLOCK_BYTES / row_bytes).saturating_sub(2 * beyond).max(2 * beyond).clamp(1, height);
        let rows = rows.min(height.min(own.len()).div_ceil(rayon::current_num_threads())).max(1);
        // Before the first row of the next layer, or of every second row, there is room for what lies to the left.
        let group = (rows.div_ceil(halves) + 2 * beyond.div_ceil(halves) + 1) * stride;
        let layer = halves * group;
        let room = (MARGIN + margin / 4).next_multiple_of(64) * halves;
        let plane = 2 * room + layers.len() * layer;
        if plane.checked_mul(2 * planes)? > MOST_BYTES {
            return None;
        }
        let has = |at: &dyn Fn(i32) -> bool| layers.iter().map(|z| at(*z)).collect::<Vec<_>>();
        let buffered = kernels[0].states.len();
        let state = |state: usize| (state, has(&|z| loads.contains(&(state, z))));
        odd.sort_unstable();
        odd.dedup();
        let odd = odd.into_iter().filter(|_| !splits);
        let odd = odd.map(|set| (set, [0, u64::MAX].map(|base| odd_words(set, base, stride / 8, rows)))).collect();
        let cells = has(&|z| presence.contains(&z));
        let stored = bodies().flat_map(|body| body.interface().writes.iter().copied()).collect();
        Some(PaddedBlocks {
            margin,
            rows,
            stride,
            layer,
            first: room + beyond.div_ceil(halves) * stride,
            split: splits.then_some(group),
            shape: Shape::of_lanes(8 * plane),
            loaded: (0..buffered).map(state).filter(|(_, there)| there.contains(&true)).collect(),
            layers,
            cells,
            stored,
            masked,
            odd,
        })
    }

    /// Bytes of a plane.
    pub(super) fn plane(&self) -> usize {
        4 * self.shape.words
    }

    /// Whether rows are split.
    pub(crate) fn is_split(&self) -> bool {
        self.split.is_some()
    }

    /// How many rows are gone through by turns.
    pub(super) fn turns(&self) -> usize {
        if self.split.is_some() { 2 } else { 1 }
    }

    /// Where a row begins, counted from a block's first one, which may lie beyond it.
    pub(super) fn row(&self, y: isize) -> usize {
        let rows = |rows: isize| self.first.wrapping_add_signed(rows * self.stride as isize);
        self.split.map_or_else(|| rows(y), |group| rows(y >> 1).wrapping_add(group * (y & 1) as usize))
    }
}

/// The words of a block of rows that say where corners are odd, or even: `base` is that of its first place.
fn odd_words(set: u8, base: u64, words: usize, rows: usize) -> Vec<u64> {
    let across = if set & 1 == 1 { 0xaaaa_aaaa_aaaa_aaaa } else { 0 };
    let of_row = |row: usize| if set & 2 == 2 && row % 2 == 1 { !(base ^ across) } else { base ^ across };
    let mut all: Vec<u64> = (0..rows).flat_map(|row| std::iter::repeat_n(of_row(row), words)).collect();
    all.resize(all.len() + MARGIN / 8, 0);
    all
}

/// A thread's memory for blocks: the states as they are and as they become, and, where rows are split, as rows; the same of the cells.
#[derive(Default)]
pub(crate) struct PaddedMemory {
    pub(super) states: Vec<[Scratch; 3]>,
    pub(super) cells: [Scratch; 2],
}
