//! The cells that an expression gives to a box: a node of the expression after the other for 256 places at a time, on all threads.
//!
//! A block of places draws from two blocks of Philox, one for each colour. Values that all its places share are computed once. The result is that of
//! the oracle's `cells_of_a_box`, place by place: the tests compare both.

use crate::geometry::threads::on_threads;
use crate::ir::evaluate::evaluate_flushed;
use crate::ir::{Body, NodeId, Op, Rule, Type, Value};
use crate::numbers::numbering::{LaneNumbers, PAIR_PLACES, PlaceNumbering, interleave};
use crate::numbers::philox::{self, BLOCK_CELLS};
use crate::numbers::random::{self, DrawKey};
use crate::numbers::scalar;

/// Places of a block.
const BLOCK: usize = PAIR_PLACES as usize;
/// Its words of bits.
const WORDS: usize = BLOCK / 32;
/// Blocks that a thread takes at least.
const LEAST_BLOCKS: usize = 128;

/// The values of a node at the places of a block.
#[derive(Clone)]
enum BlockValues {
    Same(Value),
    Bits([u32; WORDS]),
    Each(Vec<Value>),
}

impl BlockValues {
    fn at(&self, place: usize) -> Value {
        match self {
            BlockValues::Same(value) => *value,
            BlockValues::Bits(words) => Value::Bit(words[place / 32] >> (place % 32) & 1 == 1),
            BlockValues::Each(values) => values[place],
        }
    }

    fn of(value: impl Fn(usize) -> Value) -> BlockValues {
        BlockValues::Each((0..BLOCK).map(value).collect())
    }

    /// The places where it is true.
    fn bits(&self) -> [u32; WORDS] {
        match self {
            BlockValues::Same(value) => [if *value == Value::Bit(true) { u32::MAX } else { 0 }; WORDS],
            BlockValues::Bits(words) => *words,
            BlockValues::Each(values) => std::array::from_fn(|word| {
                let bits = values[32 * word..][..32].iter().rev();
                bits.fold(0, |bits, value| bits << 1 | u32::from(*value == Value::Bit(true)))
            }),
        }
    }
}

/// The places of a box, in reading order, for which the first state of a rule is true at the beginning, as bits: place i is bit i mod 32 of
/// word i / 32. The rule has no parameters and asks for nothing but coordinates and draws.
pub(super) fn cells_of(rule: &Rule, extent: [u32; 3], seed: u64) -> Vec<u32> {
    let places: u64 = extent.into_iter().map(u64::from).product();
    let mut words = vec![0u32; places.div_ceil(32) as usize];
    let blocks = words.len().div_ceil(WORDS);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(blocks.div_ceil(LEAST_BLOCKS));
    let of_thread = WORDS * blocks.div_ceil(threads.max(1));
    let works: Vec<_> = words.chunks_mut(of_thread).enumerate().collect();
    on_threads(works, |(thread, words)| {
        let first = 32 * (thread * of_thread) as u64;
        let here = first..places.min(first + 32 * words.len() as u64);
        let mut box_of_cells = CellsOfBox::new(&rule.init, extent, seed);
        let (width, row) = (box_of_cells.width(), box_of_cells.numbering.row);
        let block_of = |place: u64| (place / width * row + place % width) / PAIR_PLACES;
        // The places of a block follow each other in reading order, too, and so do those of blocks.
        for block in block_of(here.start)..=block_of(here.end - 1) {
            let bits = box_of_cells.block(block, rule.init.results[0].1);
            let together = row.min(32);
            for lane in (0..PAIR_PLACES).step_by(together as usize) {
                let standing = PAIR_PLACES * block + lane;
                let (x, before) = (standing % row, standing / row * width);
                // Those of them that exist, and are this thread's own.
                let (from, end) = ((before + x).max(here.start), (before + width.min(x + together)).min(here.end));
                if from < end {
                    let bits = u64::from(bits[lane as usize / 32]) >> (lane % 32) >> (from - before - x);
                    let (to, bits) = (
                        (from - here.start) as usize,
                        (bits & ((1 << (end - from)) - 1)) << ((from - here.start) % 32),
                    );
                    words[to / 32] |= bits as u32;
                    if bits >> 32 != 0 {
                        words[to / 32 + 1] |= (bits >> 32) as u32;
                    }
                }
            }
        }
    });
    words
}

/// Computes blocks of places.
struct CellsOfBox<'a> {
    body: &'a Body,
    extent: [u32; 3],
    numbering: PlaceNumbering,
    seed: u64,
    nodes: Vec<NodeId>,
    columns: Vec<BlockValues>,
}

impl<'a> CellsOfBox<'a> {
    fn new(body: &'a Body, extent: [u32; 3], seed: u64) -> Self {
        let columns = body.nodes.iter().map(|node| BlockValues::Same(Value::zero(node.ty))).collect();
        CellsOfBox {
            body,
            extent,
            numbering: PlaceNumbering::of(extent.map(u64::from)),
            seed,
            nodes: body.cell_nodes(),
            columns,
        }
    }

    fn width(&self) -> u64 {
        u64::from(self.extent[0])
    }

    /// The coordinates of a place of a block. Behind the end of a row stand places that do not exist.
    fn place(&self, block: u64, lane: u64) -> [u64; 3] {
        let (standing, height) = (PAIR_PLACES * block + lane, u64::from(self.extent[1]));
        let (x, row) = (standing % self.numbering.row, standing / self.numbering.row);
        [x, row % height, row / height]
    }

    /// The numbers of the places of a block that stand in one row, for each row that it has places of, and the lanes of these.
    fn numbers(&self, block: u64) -> impl Iterator<Item = (usize, LaneNumbers)> + '_ {
        let step = BLOCK.min(self.numbering.row as usize);
        (0..BLOCK).step_by(step).map(move |lane| (lane, self.numbering.from(self.place(block, lane as u64))))
    }

    /// The places of a block where a node is true.
    fn block(&mut self, block: u64, result: NodeId) -> [u32; WORDS] {
        for index in 0..self.nodes.len() {
            let id = self.nodes[index];
            self.columns[id.0 as usize] = self.node(block, id);
        }
        self.columns[result.0 as usize].bits()
    }

    fn column(&self, id: NodeId) -> &BlockValues {
        &self.columns[id.0 as usize]
    }

    fn node(&self, block: u64, id: NodeId) -> BlockValues {
        let node = self.body.node(id);
        match node.op {
            Op::Coordinate(axis) => self.coordinate(block, usize::from(axis)),
            Op::Side => BlockValues::Same(Value::I32(self.extent.into_iter().max().unwrap_or(1) as i32)),
            Op::Extent(axis) => BlockValues::Same(Value::I32(self.extent[usize::from(axis)] as i32)),
            Op::Time => BlockValues::Same(Value::U32(0)),
            Op::RandomBits { draw } => {
                let words = self.words(block, draw);
                BlockValues::of(|place| Value::U32(words[place]))
            }
            Op::RandomUniform { draw } => {
                let words = self.words(block, draw);
                BlockValues::of(|place| Value::F32(philox::uniform(words[place])))
            }
            Op::RandomBelow { draw, bound } => {
                let (words, bound) = (self.words(block, draw), self.column(bound));
                BlockValues::of(|place| match bound.at(place) {
                    Value::U32(bound) => Value::U32(philox::below(words[place], bound)),
                    bound => unreachable!("the rule was checked: {bound:?} is a u32"),
                })
            }
            Op::RandomBit { draw, probability } => match self.column(probability) {
                BlockValues::Same(p) => BlockValues::Bits(self.below(block, draw, scalar::probability(*p))),
                each => {
                    let words = self.words(block, draw);
                    BlockValues::of(|place| {
                        let p = scalar::probability(each.at(place));
                        let exactly = || {
                            let q = self.numbering.from(self.place(block, place as u64)).of(0);
                            philox::is_below(self.seed, q, philox::TIME_OF_CELLS, draw, p)
                        };
                        Value::Bit(philox::by_word(words[place], p).unwrap_or_else(exactly))
                    })
                }
            },
            ref op => self.computed(node.ty, op),
        }
    }

    /// A node that is computed from others alone.
    fn computed(&self, ty: Type, op: &Op) -> BlockValues {
        let value = |place: usize| {
            let value = evaluate_flushed(false, ty, op, |id| self.column(id).at(place));
            value.expect("initial values of boxes read coordinates and draws alone, and these are told above")
        };
        // Which nodes an operation takes it tells while it is evaluated.
        let same = std::cell::Cell::new(true);
        let first = evaluate_flushed(false, ty, op, |id| {
            same.set(same.get() && matches!(self.column(id), BlockValues::Same(_)));
            self.column(id).at(0)
        });
        match first {
            Some(first) if same.get() => BlockValues::Same(first),
            _ => BlockValues::of(value),
        }
    }

    /// A coordinate of the places.
    fn coordinate(&self, block: u64, axis: usize) -> BlockValues {
        let value = |lane: usize| Value::I32(self.place(block, lane as u64)[axis] as i32);
        if axis > 0 && self.numbering.row >= PAIR_PLACES { BlockValues::Same(value(0)) } else { BlockValues::of(value) }
    }

    /// The places of a block where `random(p)` is true, from no more planes than decide them.
    fn below(&self, block: u64, draw: u32, p: f64) -> [u32; WORDS] {
        let halves = [0, 1].map(|colour| below(self.seed, 2 * block + colour, draw, p));
        let mut result = [0; WORDS];
        for (begin, numbers) in self.numbers(block) {
            // Half of the bits of a word come from each colour.
            for lane in (begin..BLOCK.min(begin + self.numbering.row as usize)).step_by(32) {
                let [even, odd] = [0, 1].map(|next| {
                    let (colour, place) = split(numbers.of((lane - begin + next) as u64));
                    halves[colour][place / 32] >> (place % 32) & 0xffff
                });
                let lanes = self.numbering.row.min(32);
                let bits = interleave(u64::from(even) | u64::from(odd) << 32) & ((1 << lanes) - 1);
                result[lane / 32] |= (bits as u32) << (lane % 32);
            }
        }
        result
    }

    /// The words of a draw at the places of a block.
    fn words(&self, block: u64, draw: u32) -> [u32; BLOCK] {
        let draw_key = DrawKey { seed: self.seed, time: philox::TIME_OF_CELLS };
        let halves = [0, 1].map(|colour| {
            let (mut words, first) = ([0; BLOCK_CELLS as usize], BLOCK_CELLS * (2 * block + colour));
            random::fill(draw_key, LaneNumbers::Consecutive(first), draw, None, &mut words);
            words
        });
        let mut result = [0; BLOCK];
        for (begin, numbers) in self.numbers(block) {
            for (lane, word) in result[begin..].iter_mut().take(self.numbering.row as usize).enumerate() {
                let (colour, place) = split(numbers.of(lane as u64));
                *word = halves[colour][place];
            }
        }
        result
    }
}

/// Which of the two halves of a block a number belongs to, and its place there.
fn split(number: u64) -> (usize, usize) {
    ((number / BLOCK_CELLS % 2) as usize, (number % BLOCK_CELLS) as usize)
}

/// The cells of a block of Philox for which `random(p)` is true.
fn below(seed: u64, block: u64, draw: u32, p: f64) -> [u32; WORDS / 2] {
    /// Planes that are computed side by side.
    const TOGETHER: u32 = 4;
    if p >= 1.0 {
        return [u32::MAX; WORDS / 2];
    }
    let (mut undecided, mut below) = ([u32::MAX; WORDS / 2], [0; WORDS / 2]);
    let mut first = 0;
    // Where nothing but zeros of p is left, what is equal is not below it.
    while first < philox::planes(p) && undecided != [0; WORDS / 2] {
        let planes: [[u32; WORDS / 2]; TOGETHER as usize] =
            std::array::from_fn(|plane| philox::plane(seed, block, philox::TIME_OF_CELLS, draw, first + plane as u32));
        for (plane, cells) in (first..).zip(planes) {
            let wanted = philox::bit_of(p, plane);
            for word in 0..WORDS / 2 {
                if wanted {
                    below[word] |= undecided[word] & !cells[word];
                    undecided[word] &= cells[word];
                } else {
                    undecided[word] &= !cells[word];
                }
            }
        }
        first += TOGETHER;
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::cells_of_a_box;
    use crate::text::source::Sources;
    use crate::{NoFiles, check};

    /// The rules of some expressions, as domains make them.
    fn rule(expression: &str, [width, height, depth]: [u32; 3]) -> std::sync::Arc<Rule> {
        let text = format!(
            "rule cells {{ const width = {width}  const height = {height}  const depth = {depth}  state is_cell: bit  init is_cell = {expression}  next is_cell = is_cell }}"
        );
        let mut sources = Sources::new();
        let root = sources.add("cells", text);
        let library = check(&mut sources, root, &mut NoFiles);
        library.unwrap_or_else(|errors| panic!("{}", crate::text::diagnostics::render(&errors, &sources, false))).rules
            [0]
        .clone()
    }

    #[test]
    fn blocks_give_what_the_oracle_gives() {
        let expressions = [
            "random(0.6)",
            "random(0.5) && random(0.25) || x == y",
            "true",
            "x % 3 == 1 || y % 2 == 0 && z < 2",
            "random(f32(x) / f32(width))",
            "uniform() < 0.3 && u32(below(7)) > u32(2)",
            "bits() % 5 == 0 || (x * x + y * height) % 11 > z + depth",
            "if y > 3 { random(0.9) } else { random(0.0) }",
        ];
        for extent in [
            [1, 1, 1],
            [1, 700, 1],
            [2, 9, 40],
            [40, 9, 1],
            [129, 3, 1],
            [5, 7, 6],
            [700, 60, 1],
            [256, 40, 4],
            [257, 40, 4],
        ] {
            for expression in expressions {
                let rule = rule(expression, extent);
                for seed in [0, 0x1234_5678_9abc] {
                    let places = cells_of_a_box(&rule, extent, seed);
                    let wanted: Vec<u32> = (places.chunks(32))
                        .map(|places| places.iter().rev().fold(0, |bits, place| bits << 1 | u32::from(*place)))
                        .collect();
                    assert_eq!(cells_of(&rule, extent, seed), wanted, "{expression} on {extent:?}");
                }
            }
        }
    }

    #[test]
    fn probabilities_are_compared_by_planes() {
        let unit = (-32f64).exp2();
        let word = philox::draw(77, 3 * BLOCK_CELLS + 5, philox::TIME_OF_CELLS, 5);
        let of_word = [0.0, 0.1, 0.3, 0.5, 0.7].map(|more| (f64::from(word) + more) * unit);
        for p in [0.0, unit, 0.5, 0.75, 0.1, 1.0 - unit, 1.0, f64::NAN].into_iter().chain(of_word) {
            let bits = below(77, 3, 5, p);
            for place in 0..BLOCK_CELLS {
                let wanted = philox::is_below(77, 3 * BLOCK_CELLS + place, philox::TIME_OF_CELLS, 5, p);
                assert_eq!(bits[place as usize / 32] >> (place % 32) & 1 == 1, wanted, "{p:e}");
            }
        }
    }
}
