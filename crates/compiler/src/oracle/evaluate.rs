//! A rule's code, walked from front to back for one cell.

use super::field::ExpandedField;
use super::grid::{ExpandedGrid, There};
use crate::ir::evaluate::evaluate_flushed;
use crate::ir::{
    Aggregate, AggregateKind, BinaryOp, Body, Bond, Boundary, Dimension, Node, NodeId, Op, PairCode, Rule,
    SideBoundary, StateId, Type, Value,
};
use crate::numbers::{flush, philox, scalar};

/// The states and inputs that code may read.
pub(super) struct ReadableValues<'a> {
    pub(super) grid: &'a ExpandedGrid,
    pub(super) states: Vec<&'a ExpandedField>,
    pub(super) params: &'a [Value],
    /// The offsets of each of the rule's neighbourhoods.
    pub(super) neighbourhoods: &'a [Vec<[i64; 3]>],
    pub(super) rule: &'a Rule,
    pub(super) level: u32,
    pub(super) seed: u64,
    /// The time that `step` gives and draws are made for.
    pub(super) time: u32,
}

/// A place that exists for a cell that looks at it.
#[derive(Clone, Copy)]
enum Seen {
    Cell(usize),
    /// Beyond the edge, with the mirrored place if that is a cell.
    Beyond(Option<usize>),
    /// The same at this coordinate, where sides differ in what is beyond them.
    BeyondSide([i64; 3]),
}

impl ReadableValues<'_> {
    /// The place that a cell sees at an offset, if it exists.
    fn see(&self, from: [i64; 3], offset: [i64; 3]) -> Option<Seen> {
        match self.grid.look(from, offset) {
            There::Cell(place) => Some(Seen::Cell(place)),
            There::Hole => None,
            There::Beyond { .. } if self.rule.edges.is_empty() => None,
            There::Beyond { at, .. } if self.rule.has_sides() => self.exists_beyond(at).then_some(Seen::BeyondSide(at)),
            There::Beyond { mirrored: None, .. } if self.rule.reflects() => None,
            There::Beyond { mirrored, .. } => Some(Seen::Beyond(mirrored)),
        }
    }

    /// Whether something exists at a coordinate, which may be beyond sides.
    fn exists_beyond(&self, at: [i64; 3]) -> bool {
        match self.grid.beyond(at) {
            None => matches!(self.grid.look(at, [0; 3]), There::Cell(_)),
            Some((side, mirrored)) => match self.rule.mirrors_at(side) {
                None => false,
                Some(false) => true,
                Some(true) => self.exists_beyond(mirrored),
            },
        }
    }

    /// The value of a state at a coordinate where something exists.
    fn value_beyond(&self, index: usize, at: [i64; 3]) -> Value {
        let side = self
            .grid
            .beyond(at)
            .map(|(side, mirrored)| (self.rule.edges[index].and_then(|edge| edge.at(side)), mirrored));
        match (side, self.grid.look(at, [0; 3])) {
            (Some((Some(SideBoundary::Constant(value)), _)), _) => value,
            (Some((Some(SideBoundary::Reflect), mirrored)), _) => self.value_beyond(index, mirrored),
            (None, There::Cell(place)) => self.states[index].get(place),
            (Some((None, _)) | None, _) => {
                unreachable!("all that is read at neighbours has a value beyond the same sides")
            }
        }
    }

    /// The value of a bond between a cell and another at an offset from it: the cell from which the offset is positive has it.
    fn of_pair(&self, bond: &Bond, own: usize, offset: [i64; 3], seen: Seen) -> Value {
        let Seen::Cell(there) = seen else { unreachable!("places beyond edges have no pairs") };
        let is_owner = is_positive(offset);
        let (owner, along) = if is_owner { (own, offset) } else { (there, offset.map(|v| -v)) };
        let mut offsets = self.positive_offsets(bond.neighbourhood).map(|(_, offset)| offset);
        let number = offsets.position(|offset| offset == along).expect("its neighbourhood has the offset");
        self.states[usize::from(bond.first.0) + number].get(owner)
    }

    /// The positive offsets of a neighbourhood, each with its number among all.
    pub(super) fn positive_offsets(&self, neighbourhood: u16) -> impl Iterator<Item = (usize, [i64; 3])> + '_ {
        let all = self.neighbourhoods[usize::from(neighbourhood)].iter().copied().enumerate();
        all.filter(|(_, offset)| is_positive(*offset))
    }

    /// The value of a state there, which a cell sees at an offset.
    fn seen_value(&self, state: StateId, own: usize, offset: [i64; 3], seen: Seen) -> Value {
        match self.rule.bond(state) {
            Some(bond) => self.of_pair(bond, own, offset, seen),
            None => self.value(state, seen),
        }
    }

    /// The value of a state there.
    fn value(&self, state: StateId, seen: Seen) -> Value {
        let index = usize::from(state.0);
        match seen {
            Seen::Cell(place) => self.states[index].get(place),
            Seen::BeyondSide(at) => self.value_beyond(index, at),
            Seen::Beyond(mirrored) => match (self.rule.edges[index], mirrored) {
                (Some(Boundary::Constant(value)), _) => value,
                (Some(Boundary::Reflect), Some(place)) => self.states[index].get(place),
                (Some(Boundary::Sides(_)) | None, _) | (_, None) => {
                    unreachable!("all that is read at neighbours has a value beyond the edges")
                }
            },
        }
    }
}

/// Whether the first of z, y, x that is not 0 is positive.
fn is_positive(offset: [i64; 3]) -> bool {
    offset.into_iter().rev().find(|v| *v != 0).is_some_and(|v| v > 0)
}

/// The cell whose code runs.
struct Cell {
    /// The number by which it draws.
    q: u64,
    place: usize,
    coordinate: [i64; 3],
}

impl Cell {
    /// The cell with canonical index `c`.
    fn of(view: &ReadableValues<'_>, c: usize) -> Cell {
        let place = view.grid.cells[c];
        Cell { q: view.grid.draw_numbers[c], place, coordinate: view.grid.coordinate(place) }
    }
}

/// The neighbour for which an aggregate's term, or the code of a pair, is being evaluated.
struct EvaluatedNeighbour<'a> {
    seen: Seen,
    offset: [i64; 3],
    /// Its number in the neighbourhood.
    index: usize,
    /// If it is the other end of a pair, the code of pairs, and the number of the pair's offset among the positive ones.
    pair: Option<(&'a PairCode, u32)>,
}

impl EvaluatedNeighbour<'_> {
    /// The number of a draw: pairs at other offsets have others.
    fn number_of(&self, draw: u32) -> u32 {
        let of_pair = self.pair.and_then(|(code, number)| Some(number * code.draws_of(draw)?.count));
        draw + of_pair.unwrap_or(0)
    }
}

/// A body and the values of its nodes, which are used again for every cell.
pub(super) struct Evaluator<'a> {
    body: &'a Body,
    /// Constants have their values from the beginning.
    cell_nodes: Vec<NodeId>,
    values: Vec<Value>,
}

impl<'a> Evaluator<'a> {
    /// For a body of a rule of which [`Rule::flush`](crate::ir::RuleParts::flush) is known.
    pub(super) fn new(body: &'a Body, flush: bool) -> Self {
        let value = |node: &Node| match node.op {
            Op::Const(value) if flush => flush::flushed(value),
            Op::Const(value) => value,
            _ => Value::zero(node.ty),
        };
        let mut cell_nodes = body.cell_nodes();
        cell_nodes.retain(|id| !matches!(body.node(*id).op, Op::Const(_)));
        Evaluator { body, cell_nodes, values: body.nodes.iter().map(value).collect() }
    }

    /// For code of pairs: the nodes of the owner alone are evaluated with it.
    pub(super) fn of_pairs(code: &'a PairCode, flush: bool) -> Self {
        let mut owner = Evaluator::new(&code.body, flush);
        owner.cell_nodes.retain(|id| id.0 < code.term);
        owner
    }

    /// Calls `set` for each pair that the cell with canonical index `c` may own, with the number of its offset among the positive ones and the values of
    /// all nodes, or `None` where the other end is no cell.
    pub(super) fn run_pairs(
        &mut self,
        view: &ReadableValues<'_>,
        code: &PairCode,
        c: usize,
        mut set: impl FnMut(usize, Option<&[Value]>),
    ) {
        self.run(view, c);
        let cell = Cell::of(view, c);
        for (number, (index, offset)) in view.positive_offsets(code.neighbourhood).enumerate() {
            let Some(seen @ Seen::Cell(_)) = view.see(cell.coordinate, offset) else {
                set(number, None);
                continue;
            };
            let other = EvaluatedNeighbour { seen, offset, index, pair: Some((code, number as u32)) };
            for id in (code.term..self.body.nodes.len() as u32).map(NodeId) {
                self.values[id.0 as usize] = self.node(view, &cell, id, Some(&other));
            }
            set(number, Some(&self.values));
        }
    }

    /// The values of all nodes for the cell with canonical index `c`. Those inside terms are of no meaning.
    pub(super) fn run(&mut self, view: &ReadableValues<'_>, c: usize) -> &[Value] {
        let cell = Cell::of(view, c);
        for i in 0..self.cell_nodes.len() {
            let id = self.cell_nodes[i];
            self.values[id.0 as usize] = match &self.body.node(id).op {
                Op::Aggregate(aggregate) => self.aggregate(view, &cell, aggregate, self.body.node(id).ty),
                _ => self.node(view, &cell, id, None),
            };
        }
        &self.values
    }

    /// The value of a node that is no aggregate. It is inlined, since most of the time would else go into waiting for a value that was just written by parts and is copied whole.
    #[inline(always)]
    fn node(
        &self,
        view: &ReadableValues<'_>,
        cell: &Cell,
        id: NodeId,
        neighbour: Option<&EvaluatedNeighbour<'_>>,
    ) -> Value {
        let node = self.body.node(id);
        let number_of = |draw: u32| neighbour.map_or(draw, |neighbour| neighbour.number_of(draw));
        let draw = |draw: u32| philox::draw(view.seed, cell.q, view.time, number_of(draw));
        let flushed = |value| if view.rule.flush { flush::flushed(value) } else { value };
        let neighbour = || neighbour.expect("only terms of aggregates read neighbours");
        match node.op {
            Op::Const(_) => self.values[id.0 as usize],
            Op::Param(i) => flushed(view.params[usize::from(i)]),
            Op::State(state) => view.states[usize::from(state.0)].get(cell.place),
            Op::Coordinate(axis) => Value::I32(cell.coordinate[usize::from(axis)] as i32),
            Op::Level => Value::I32(view.level as i32),
            Op::Side => Value::I32(view.grid.side as i32),
            Op::Extent(axis) => Value::I32(view.grid.sides[usize::from(axis)] as i32),
            Op::Time => Value::U32(view.time),
            Op::Neighbour(state) => {
                let &EvaluatedNeighbour { seen, offset, .. } = neighbour();
                view.seen_value(state, cell.place, offset, seen)
            }
            Op::Offset(axis) => Value::I32(neighbour().offset[usize::from(axis)] as i32),
            Op::Weight(ref weights) => flushed(weights[neighbour().index]),
            Op::Read { state, offset, otherwise } => match view.see(cell.coordinate, offset.map(i64::from)) {
                Some(seen) => view.seen_value(state, cell.place, offset.map(i64::from), seen),
                None => self.values[otherwise.0 as usize],
            },
            Op::RandomBits { draw: number } => Value::U32(draw(number)),
            Op::RandomUniform { draw: number } => Value::F32(philox::uniform(draw(number))),
            Op::RandomBelow { draw: number, bound } => match self.values[bound.0 as usize] {
                Value::U32(bound) => Value::U32(philox::below(draw(number), bound)),
                bound => unreachable!("the rule was checked: {bound:?} is a u32"),
            },
            Op::RandomBit { draw: number, probability } => {
                let p = scalar::probability(self.values[probability.0 as usize]);
                Value::Bit(happens(view.seed, cell.q, view.time, number_of(number), p))
            }
            _ => evaluate_flushed(view.rule.flush, node.ty, &node.op, |id| self.values[id.0 as usize])
                .expect("aggregates do not nest, and all else is told above"),
        }
    }

    /// The value of an aggregate: its terms, combined in the neighbourhood's order.
    fn aggregate(&mut self, view: &ReadableValues<'_>, cell: &Cell, aggregate: &Aggregate, ty: Type) -> Value {
        let mut so_far = match aggregate.kind {
            AggregateKind::Sum | AggregateKind::Count => Some(Value::zero(ty)),
            AggregateKind::Product => Some(Value::one(ty)),
            AggregateKind::Any => Some(Value::Bit(false)),
            AggregateKind::All => Some(Value::Bit(true)),
            AggregateKind::Min | AggregateKind::Max => None,
            AggregateKind::Pick => return self.pick(view, cell, aggregate),
        };
        for (index, &offset) in view.neighbourhoods[usize::from(aggregate.neighbourhood)].iter().enumerate() {
            let Some(seen) = view.see(cell.coordinate, offset) else { continue };
            let neighbour = EvaluatedNeighbour { seen, offset, index, pair: None };
            for id in aggregate.term.clone() {
                self.values[id as usize] = self.node(view, cell, NodeId(id), Some(&neighbour));
            }
            let term = self.values[aggregate.value.0 as usize];
            let term = match term {
                // Sums of bits and counts add numbers.
                Value::Bit(bit) if ty == Type::I32 => Value::I32(i32::from(bit)),
                _ => term,
            };
            let operation = match aggregate.kind {
                AggregateKind::Sum | AggregateKind::Count => BinaryOp::Add,
                AggregateKind::Product => BinaryOp::Multiply,
                AggregateKind::Any => BinaryOp::Or,
                AggregateKind::All => BinaryOp::And,
                AggregateKind::Min => BinaryOp::Min,
                AggregateKind::Max => BinaryOp::Max,
                AggregateKind::Pick => unreachable!("done above"),
            };
            so_far = Some(so_far.map_or(term, |before| match view.rule.flush {
                true => flush::binary(operation, before, term),
                false => scalar::binary(operation, before, term),
            }));
        }
        match (so_far, aggregate.otherwise) {
            (Some(value), _) => value,
            (None, Some(otherwise)) => self.values[otherwise.0 as usize],
            (None, None) => unreachable!("`min` and `max` have a value for no neighbour"),
        }
    }

    /// The term of one of the existing neighbours.
    fn pick(&mut self, view: &ReadableValues<'_>, cell: &Cell, aggregate: &Aggregate) -> Value {
        let of_cell = |id: Option<NodeId>, values: &[Value]| match id {
            Some(id) => values[id.0 as usize],
            None => unreachable!("`pick` has a number, and a value for no neighbour"),
        };
        let Value::U32(index) = of_cell(aggregate.index, &self.values) else { unreachable!("the number is a u32") };
        let offsets = view.neighbourhoods[usize::from(aggregate.neighbourhood)].iter().enumerate();
        let there = |(index, &offset): (usize, &[i64; 3])| {
            Some(EvaluatedNeighbour { seen: view.see(cell.coordinate, offset)?, offset, index, pair: None })
        };
        let Some(neighbour) = offsets.filter_map(there).nth(index as usize) else {
            return of_cell(aggregate.otherwise, &self.values);
        };
        for id in aggregate.term.clone() {
            self.values[id as usize] = self.node(view, cell, NodeId(id), Some(&neighbour));
        }
        self.values[aggregate.value.0 as usize]
    }
}

/// An upper bound of the bytes that the offsets of a rule's neighbourhoods take, or `None` if it exceeds a u64.
pub(super) fn offset_bytes(rule: &Rule, dimension: Dimension) -> Option<u64> {
    // Three i64, and three i32 while they are made.
    const BYTES_PER_OFFSET: i128 = 36;
    let offsets = rule.neighbourhoods.iter().map(|neighbourhood| neighbourhood.offsets_at_most(dimension));
    u64::try_from(offsets.sum::<i128>() * BYTES_PER_OFFSET).ok()
}

/// `random(p)` as the language says it: whether 0.b_0 b_1 b_2 … is less than p, where 32 bits have the counters of a word and the next 32 those of further blocks.
pub(super) fn happens(seed: u64, q: u64, t: u32, draw: u32, p: f64) -> bool {
    let (block, key) = (q / 128, [seed as u32, (seed >> 32) as u32]);
    // Doubled again and again, p shows its digits one by one, and nothing is ever rounded.
    let mut left = p;
    if p.is_nan() || p <= 0.0 || p >= 1.0 {
        return p >= 1.0;
    }
    for j in 0.. {
        if left == 0.0 {
            return false;
        }
        left *= 2.0;
        let digit = left >= 1.0;
        left -= f64::from(u8::from(digit));
        let counter = [block as u32, (block >> 32) as u32 + (j / 32) * (1 << 25), t, 32 * draw + j % 32];
        let drawn = philox::philox4x32(counter, key)[(q / 32 % 4) as usize] >> (q % 32) & 1 == 1;
        if drawn != digit {
            return digit;
        }
    }
    unreachable!("a float has an end")
}
