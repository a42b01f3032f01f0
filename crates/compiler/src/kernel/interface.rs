//! A kernel's inputs and outputs besides its operands: all that a caller must know, found once.

use super::guards::Guards;
use super::{Direction, Kernel, LaneType, Load, Node, Op, arithmetic, logic, uniform};
use crate::ir::fractal::{Axes, Dimension};
use std::collections::{BTreeMap, BTreeSet};

/// The columns that a kernel loads of one state of the neighbour superblock in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halo {
    /// An index into [`Kernel::states`].
    pub state: usize,
    /// As [`Interface::place`].
    pub direction: usize,
    /// The micro cells, ascending.
    pub micro: Vec<u32>,
    /// Whether it matters only in lanes where that superblock exists: in the others there may be anything in place of 0.
    pub guarded: bool,
}

/// A random word of an own cell, that comes as a column of U32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RandomWord {
    /// The micro cell.
    pub micro: u32,
    /// The draw's number.
    pub draw: u32,
}

/// The states and inputs that a kernel reads and writes. All lists are sorted and name nothing twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// The states of which it loads columns of its own superblock.
    pub own: Vec<usize>,
    /// The columns that it loads of neighbours.
    pub halo: Vec<Halo>,
    /// The directions that lead farther than beside the superblock, sorted.
    pub far: Vec<Direction>,
    /// The directions whose presence it asks for, as [`Interface::place`]s.
    pub presence: Vec<usize>,
    /// Numbers of the states that the kernel stores: their buffers are exchanged behind it.
    pub writes: Vec<usize>,
    /// The random words that it asks for, in the order of their columns.
    pub random: Vec<RandomWord>,
    /// Whether it decides random bits.
    pub decides: bool,
    /// The axes on which it asks for the lanes' corners.
    pub lane_corners: Vec<u8>,
    /// The sets of axes on which it asks whether corners are odd, by [`Axes::set`](crate::ir::Axes::set).
    pub odd_corners: Vec<Axes>,
    /// Whether it asks for the superblock's corner.
    pub superblock_corner: bool,
    /// Whether what it computes depends on the time: it asks for it, or draws.
    pub time: bool,
    /// Whether it knows bits alone, so that an operation serves a whole word of lanes.
    pub bitwise: bool,
    /// Whether its lanes know bits alone: numbers, if there are any, are the same in all lanes of a superblock.
    pub bitwise_lanes: bool,
}

impl Interface {
    /// Of a verified kernel.
    pub fn of(kernel: &Kernel) -> Interface {
        let dimension = kernel.micro.dimension;
        let (mut own, mut presence, mut writes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (mut random, mut corners) = (BTreeSet::new(), BTreeSet::new());
        let mut halo: BTreeMap<(usize, usize), (BTreeSet<u32>, bool)> = BTreeMap::new();
        let mut odd_corners: BTreeMap<u8, Axes> = BTreeMap::new();
        let (mut superblock_corner, mut time, mut decides) = (false, false, false);
        let far: BTreeSet<Direction> = (kernel.nodes.iter())
            .filter_map(|node| node.op.direction())
            .filter(|direction| *direction != Direction::CENTRE && direction.index(dimension).is_none())
            .collect();
        let far: Vec<Direction> = far.into_iter().collect();
        let guards = Guards::of(kernel, &far);
        for (id, node) in kernel.nodes.iter().enumerate() {
            match node.op {
                Op::Load(Load { state, direction, micro, .. }) => match direction.place(dimension, &far) {
                    None => drop(own.insert(usize::from(state))),
                    Some(direction) => {
                        let (micros, is_guarded) =
                            halo.entry((usize::from(state), direction)).or_insert((BTreeSet::new(), true));
                        micros.insert(micro);
                        *is_guarded &= guards.contains(id, direction);
                    }
                },
                Op::Presence(direction) => presence.extend(direction.place(dimension, &far)),
                Op::Store { state, .. } => drop(writes.insert(usize::from(state))),
                Op::Random { draw, micro } => {
                    time = true;
                    random.insert(RandomWord { micro, draw });
                }
                Op::Time { .. } => time = true,
                Op::RandomBit { .. } => (time, decides) = (true, true),
                Op::LaneCorner(axis) => drop(corners.insert(axis)),
                Op::OddCorner(axes) => drop(odd_corners.insert(axes.set(), axes)),
                Op::SuperblockCorner(_) => superblock_corner = true,
                Op::Param { .. } | Op::Level | Op::Side | Op::Const(_) | logic!() | arithmetic!() => {}
            }
        }
        let bits = |ty: Option<LaneType>| matches!(ty, None | Some(LaneType::Bits));
        let uniform = uniform(kernel);
        // Where a count is left of which digits are all that is asked, loops make those.
        let mut asked = vec![false; kernel.nodes.len()];
        for node in kernel.nodes.iter().filter(|node| !matches!(node.op, Op::Digit { .. })) {
            node.op.operands().iter().for_each(|id| asked[id.0 as usize] = true);
        }
        let is_digits = |(node, asked): (&Node, bool)| matches!(node.op, Op::Count(_)) && !asked;
        let stores_bits = writes.iter().all(|state| kernel.states[*state].planes.ty() == LaneType::Bits);
        Interface {
            own: own.into_iter().collect(),
            halo: (halo.into_iter())
                .map(|((state, direction), (micro, guarded))| {
                    let micro = micro.into_iter().collect();
                    Halo { state, direction, micro, guarded }
                })
                .collect(),
            far,
            presence: presence.into_iter().collect(),
            writes: writes.into_iter().collect(),
            random: random.into_iter().collect(),
            decides,
            lane_corners: corners.into_iter().collect(),
            odd_corners: odd_corners.into_values().collect(),
            superblock_corner,
            time,
            bitwise: kernel.nodes.iter().all(|node| bits(node.ty)),
            bitwise_lanes: stores_bits
                && (kernel.nodes.iter().zip(uniform).zip(asked))
                    .all(|((node, uniform), asked)| uniform || bits(node.ty) || is_digits((node, asked))),
        }
    }

    /// The column of a random word; `None` if the kernel does not ask for it.
    pub fn random_column(&self, draw: u32, micro: u32) -> Option<usize> {
        self.random.binary_search(&RandomWord { micro, draw }).ok()
    }

    /// Where a direction stands among those that it may look in: in [`Direction::all`], or behind them in [`Interface::far`]. `None` for the
    /// centre.
    pub fn place(&self, dimension: Dimension, direction: Direction) -> Option<usize> {
        direction.place(dimension, &self.far)
    }

    /// The index in the list of all blocks of a state's block, with `states` states: as [`block_index`], and behind all those the ones
    /// farther away.
    pub fn block(&self, dimension: Dimension, states: usize, state: usize, place: Option<usize>) -> usize {
        match place.and_then(|place| place.checked_sub(Direction::count(dimension))) {
            Some(far) => states * blocks(dimension) + state * self.far.len() + far,
            None => block_index(dimension, state, place),
        }
    }

    /// The length of the list of all blocks, with `states` states.
    pub fn blocks(&self, dimension: Dimension, states: usize) -> usize {
        states * (blocks(dimension) + self.far.len())
    }

    /// Whether it loads anything: the kernels of initial values do not.
    pub fn loads(&self) -> bool {
        !self.own.is_empty() || !self.halo.is_empty()
    }
}

/// The number of blocks that a kernel may be given for each state: its own superblock's, then one for each of
/// [`Direction::all`].
pub const fn blocks(dimension: Dimension) -> usize {
    1 + Direction::count(dimension)
}

/// Where in the list of all blocks the one of a state stands: in the direction with this place in [`Direction::all`], or, if
/// there is none, of the superblock itself.
pub fn block_index(dimension: Dimension, state: usize, direction: Option<usize>) -> usize {
    state * blocks(dimension) + direction.map_or(0, |index| index + 1)
}
