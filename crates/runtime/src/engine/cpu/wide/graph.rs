//! A kernel as machine code needs it: one node for each instruction, registers not yet given.
//!
//! A value is a vector of 16 elements of 32 bits (or 8 of 64 bits: half of a number of binary64), or a mask of 16 bits. What
//! stands in memory anyway (columns, constants, what a call holds) is a [`Node::Load`] and becomes an instruction only where
//! it cannot be an operand straight from memory.

use iced_x86::Code;
use std::collections::HashMap;

/// The lanes of a group: elements of 32 bits in a vector.
pub const LANES: usize = 16;

/// A node by its place in [`Graph::nodes`].
pub type Id = u32;

/// A base pointer, by where it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// An element of the list of pointers that stands at this offset in a call.
    Element(u16, i32),
    /// The pointer at this offset in a call.
    Field(u16),
    /// The call itself.
    Call,
    /// The constants before the code.
    Pool,
}

/// How far a column's next group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pace {
    /// Nowhere: it is the same for all groups.
    Still,
    /// A bit a lane.
    Bit,
    /// A byte a lane.
    Byte,
    /// Four bytes a lane.
    Word,
    /// Eight bytes a lane.
    Double,
}

/// Where something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Relative to this.
    pub base: Base,
    /// In bytes, for the first group.
    pub offset: i32,
    /// How it moves from group to group.
    pub pace: Pace,
}

/// What is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Load {
    /// A vector as it is.
    Whole,
    /// 32 bits, to all elements.
    Four,
    /// 64 bits, to all elements.
    Eight,
    /// Bytes, to the low bytes of elements.
    Bytes,
    /// A mask.
    Mask,
}

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// A vector as it is.
    Whole,
    /// The lower half of a vector.
    Half,
    /// The low bytes of elements.
    Bytes,
    /// The low bytes of the lower half's elements.
    HalfBytes,
    /// A mask.
    Mask,
}

/// What register a value stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A vector register.
    Vector,
    /// A mask register.
    Mask,
}

/// What a mask does to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Masking {
    /// Where it is false the result is 0.
    Zero,
    /// Where it is false the result is the first source, which is no operand otherwise.
    Merge,
    /// It says which of two operands is taken.
    Choose,
}

/// Whether the last source may stand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// In a register only.
    No,
    /// A whole vector.
    Whole,
    /// A whole vector, or 32 bits for all elements.
    Four,
    /// A whole vector, or 64 bits for all elements.
    Eight,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruct {
    /// Which.
    pub code: Code,
    /// What register the result stands in.
    pub class: Class,
    /// The sources, in the instruction's order, of which [`Instruct::count`] count.
    pub sources: [Id; 3],
    /// How many sources there are.
    pub count: u8,
    /// A mask, and what it does.
    pub mask: Option<(Id, Masking)>,
    /// The last operand.
    pub immediate: Option<u8>,
    /// Whether the last source may stand in memory.
    pub fold: Fold,
    /// Whether the last two sources can be exchanged.
    pub commutes: bool,
    /// Operands that are half a vector: bit 0 the result, bit 1 + i the i-th source.
    pub halves: u8,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// What stands in memory.
    Load(Load, Place),
    /// A mask of zeros or ones.
    Mask(bool),
    /// An instruction.
    Do(Instruct),
    /// A call of the function at this address: one or two operands, of `parts` vectors each.
    Call {
        /// Where its code is.
        address: usize,
        /// The vectors of the operands.
        arguments: [Id; 4],
        /// How many of them there are.
        count: u8,
        /// How many vectors an operand has.
        parts: u8,
    },
    /// A vector of a call's result. It stands directly behind the call, or behind another one of these.
    Result(Id, u8),
    /// Writes a value.
    Store(Store, Place, Id),
}

impl Node {
    /// Its operands.
    pub fn operands(&self) -> impl Iterator<Item = Id> + use<> {
        let mut list = [0; 5];
        let count = match *self {
            Node::Load(..) | Node::Mask(_) => 0,
            Node::Do(instruct) => {
                list[..3].copy_from_slice(&instruct.sources);
                let count = usize::from(instruct.count);
                match instruct.mask {
                    Some((mask, _)) => {
                        list[count] = mask;
                        count + 1
                    }
                    None => count,
                }
            }
            Node::Call { arguments, count, .. } => {
                list[..4].copy_from_slice(&arguments);
                usize::from(count)
            }
            Node::Result(call, _) => {
                list[0] = call;
                1
            }
            Node::Store(_, _, value) => {
                list[0] = value;
                1
            }
        };
        list.into_iter().take(count)
    }

    /// What register its value stands in.
    pub fn class(&self) -> Option<Class> {
        match self {
            Node::Load(Load::Mask, _) | Node::Mask(_) => Some(Class::Mask),
            Node::Load(..) | Node::Result(..) => Some(Class::Vector),
            Node::Do(instruct) => Some(instruct.class),
            Node::Call { .. } | Node::Store(..) => None,
        }
    }
}

/// The code, in order.
#[derive(Debug, Default)]
pub struct Graph {
    /// Operands stand before their users.
    pub nodes: Vec<Node>,
    /// Constants, each aligned to its size.
    pub pool: Vec<u8>,
    /// How many nodes come before the loop over groups.
    pub before: usize,
    known: HashMap<Node, Id>,
    constants: HashMap<(u64, bool), i32>,
}

impl Graph {
    /// Adds a node that has no effect, or finds it.
    pub fn add(&mut self, node: Node) -> Id {
        let next = self.nodes.len() as Id;
        let id = *self.known.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// Adds a store.
    pub fn store(&mut self, store: Store, place: Place, value: Id) {
        self.nodes.push(Node::Store(store, place, value));
    }

    /// 32 bits in all elements.
    pub fn four(&mut self, bits: u32) -> Id {
        let offset = self.constant(u64::from(bits), false);
        self.add(Node::Load(Load::Four, Place { base: Base::Pool, offset, pace: Pace::Still }))
    }

    /// 64 bits in all elements.
    pub fn eight(&mut self, bits: u64) -> Id {
        let offset = self.constant(bits, true);
        self.add(Node::Load(Load::Eight, Place { base: Base::Pool, offset, pace: Pace::Still }))
    }

    fn constant(&mut self, bits: u64, wide: bool) -> i32 {
        let pool = &mut self.pool;
        *self.constants.entry((bits, wide)).or_insert_with(|| {
            let size = if wide { 8 } else { 4 };
            pool.resize(pool.len().next_multiple_of(size), 0);
            let offset = pool.len() as i32;
            pool.extend_from_slice(&bits.to_le_bytes()[..size]);
            offset
        })
    }

    /// Puts what is the same for all groups first: the order is kept otherwise.
    pub fn hoist(&mut self) {
        let mut still = vec![false; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            still[id] = match node {
                Node::Load(_, place) => place.pace == Pace::Still,
                Node::Store(..) => false,
                node => node.operands().all(|operand| still[operand as usize]),
            };
        }
        let first = (0..self.nodes.len()).filter(|id| still[*id]);
        let order: Vec<usize> = first.chain((0..self.nodes.len()).filter(|id| !still[*id])).collect();
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new as Id);
        let at = |id: Id| place[id as usize];
        let moved = |node: &Node| match *node {
            Node::Load(..) | Node::Mask(_) => *node,
            Node::Do(mut instruct) => {
                instruct.sources[..usize::from(instruct.count)].iter_mut().for_each(|id| *id = at(*id));
                instruct.mask = instruct.mask.map(|(mask, masking)| (at(mask), masking));
                Node::Do(instruct)
            }
            Node::Call { address, mut arguments, count, parts } => {
                arguments[..usize::from(count)].iter_mut().for_each(|id| *id = at(*id));
                Node::Call { address, arguments, count, parts }
            }
            Node::Result(call, part) => Node::Result(at(call), part),
            Node::Store(store, place, value) => Node::Store(store, place, at(value)),
        };
        self.before = still.iter().filter(|still| **still).count();
        self.nodes = order.iter().map(|old| moved(&self.nodes[*old])).collect();
        self.known.clear();
    }
}
