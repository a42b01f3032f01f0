//! The cells that an expression gives to a box: a node of the expression after the other for 128 places at a time, on all threads.
//!
//! A block of places has its random bits from the same planes. Values that all its places share are computed once. The result is that of
//! the oracle's `cells_of_a_box`, place by place: the tests compare both.

use crate::geometry::threads::on_threads;
use crate::ir::evaluate::evaluate_flushed;
use crate::ir::{Body, NodeId, Op, Rule, Type, Value};
use crate::numbers::philox::{self, BLOCK_CELLS, PLANES};
use crate::numbers::random::{self, DrawKey};
use crate::numbers::scalar;

/// Places of a block.
const BLOCK: usize = BLOCK_CELLS as usize;
/// Its words of bits.
const WORDS: usize = BLOCK / 32;
/// Blocks that a thread takes at least.
const LEAST_BLOCKS: usize = 256;

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
/// word i / 32. They draw by their numbers in that order. The rule has no parameters and asks for nothing but coordinates and draws.
pub(super) fn cells_of(rule: &Rule, extent: [u32; 3], seed: u64) -> Vec<u32> {
    let places: u64 = extent.into_iter().map(u64::from).product();
    let mut words = vec![0u32; places.div_ceil(32) as usize];
    let blocks = words.len().div_ceil(WORDS);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(blocks.div_ceil(LEAST_BLOCKS));
    let of_thread = blocks.div_ceil(threads.max(1));
    let works: Vec<_> = words.chunks_mut(WORDS * of_thread).enumerate().collect();
    on_threads(works, |(thread, words)| {
        let mut box_of_cells = CellsOfBox::new(&rule.init, extent, seed);
        let result = rule.init.results[0].1;
        for (block, words) in (thread * of_thread..).zip(words.chunks_mut(WORDS)) {
            let bits = box_of_cells.block(block as u64, result);
            words.copy_from_slice(&bits[..words.len()]);
        }
    });
    if let Some(last) = words.last_mut().filter(|_| !places.is_multiple_of(32)) {
        *last &= (1 << (places % 32)) - 1;
    }
    words
}

/// Computes blocks of places.
struct CellsOfBox<'a> {
    body: &'a Body,
    extent: [u32; 3],
    seed: u64,
    nodes: Vec<NodeId>,
    columns: Vec<BlockValues>,
}

impl<'a> CellsOfBox<'a> {
    fn new(body: &'a Body, extent: [u32; 3], seed: u64) -> Self {
        let columns = body.nodes.iter().map(|node| BlockValues::Same(Value::zero(node.ty))).collect();
        CellsOfBox { body, extent, seed, nodes: body.cell_nodes(), columns }
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
                let words = words(self.seed, block, draw);
                BlockValues::of(|place| Value::U32(words[place]))
            }
            Op::RandomUniform { draw } => {
                let words = words(self.seed, block, draw);
                BlockValues::of(|place| Value::F32(philox::uniform(words[place])))
            }
            Op::RandomBelow { draw, bound } => {
                let (words, bound) = (words(self.seed, block, draw), self.column(bound));
                BlockValues::of(|place| match bound.at(place) {
                    Value::U32(bound) => Value::U32(philox::below(words[place], bound)),
                    bound => unreachable!("the rule was checked: {bound:?} is a u32"),
                })
            }
            Op::RandomBit { draw, probability } => match self.column(probability) {
                BlockValues::Same(probability) => {
                    BlockValues::Bits(below(self.seed, block, draw, scalar::threshold(*probability)))
                }
                each => {
                    let words = words(self.seed, block, draw);
                    BlockValues::of(|place| Value::Bit(u64::from(words[place]) < scalar::threshold(each.at(place))))
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
        let [width, height, _] = self.extent.map(u64::from);
        let first = BLOCK_CELLS * block;
        let (mut x, mut row) = (first % width, first / width);
        if axis > 0 && x + BLOCK_CELLS <= width {
            return BlockValues::Same(Value::I32(if axis == 1 { row % height } else { row / height } as i32));
        }
        let mut values = Vec::with_capacity(BLOCK);
        for _ in 0..BLOCK {
            values.push(Value::I32([x, row % height, row / height][axis] as i32));
            x += 1;
            if x == width {
                (x, row) = (0, row + 1);
            }
        }
        BlockValues::Each(values)
    }
}

/// The places of a block whose word of a draw is below a threshold, from no more planes than decide them.
fn below(seed: u64, block: u64, draw: u32, threshold: u64) -> [u32; WORDS] {
    /// Planes that are computed side by side.
    const TOGETHER: u32 = 4;
    if threshold > u64::from(u32::MAX) {
        return [u32::MAX; WORDS];
    }
    let threshold = threshold as u32;
    let (mut undecided, mut below) = ([u32::MAX; WORDS], [0; WORDS]);
    let mut first = 0;
    // Where nothing but zeros of the threshold is left, an equal word is not below it.
    while first < PLANES && threshold << first != 0 && undecided != [0; WORDS] {
        let planes: [[u32; WORDS]; TOGETHER as usize] =
            std::array::from_fn(|plane| philox::plane(seed, block, philox::TIME_OF_CELLS, draw, first + plane as u32));
        for (plane, cells) in (first..).zip(planes) {
            let wanted = threshold >> (31 - plane) & 1 == 1;
            for word in 0..WORDS {
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

/// The words of a draw at the places of a block.
fn words(seed: u64, block: u64, draw: u32) -> [u32; BLOCK] {
    let mut words = [0; BLOCK];
    random::fill(DrawKey { seed, time: philox::TIME_OF_CELLS }, BLOCK_CELLS * block, draw, &mut words);
    words
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
        for extent in [[1, 1, 1], [40, 9, 1], [129, 3, 1], [5, 7, 6], [700, 60, 1], [256, 40, 4]] {
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
    fn thresholds_are_compared_by_planes() {
        for threshold in [0, 1, 1 << 31, 3 << 30, 0x4000_1234, 0x9999_999a, u64::from(u32::MAX), 1 << 32] {
            let (words, bits) = (words(77, 3, 5), below(77, 3, 5, threshold));
            for place in 0..BLOCK {
                assert_eq!(bits[place / 32] >> (place % 32) & 1 == 1, u64::from(words[place]) < threshold);
                assert_eq!(words[place], philox::draw(77, 3 * BLOCK_CELLS + place as u64, philox::TIME_OF_CELLS, 5));
            }
        }
    }
}
