//! A kernel as machine code needs it: one node for each instruction, registers not yet given.
//!
//! A value that stands in memory anyway (a column, a constant, a field of the call) is a [`GraphNode::Load`] and becomes an instruction only where
//! it cannot be an operand straight from memory.

use super::isa::InstructionTable;
use iced_x86::Code;
use rustc_hash::FxHashMap;
use std::collections::HashMap;

/// A node by its place in [`InstructionGraph::nodes`].
pub(crate) type Id = u32;

/// A base pointer, by where it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Base {
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
pub(super) enum GroupStride {
    /// Nowhere: it is the same for all groups.
    Still,
    /// A bit a lane.
    Bit,
    /// A byte a lane.
    Byte,
    /// Two bytes a lane.
    Short,
    /// Four bytes a lane.
    Word,
    /// Eight bytes a lane.
    Double,
    /// So many bytes back, from a row of a strip to the next.
    Backwards(u8),
}

/// Where something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ColumnAddress {
    /// Relative to this.
    pub base: Base,
    /// In bytes, for the first group.
    pub offset: i32,
    /// How it moves from group to group.
    pub pace: GroupStride,
}

/// The form of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LoadForm {
    /// A vector as it is.
    Whole,
    /// 32 bits, to all elements.
    Four,
    /// 64 bits, to all elements.
    Eight,
    /// Bytes, to the low bytes of elements of 32 bits.
    Bytes,
    /// 16 bits each, to the lower halves of elements of 32 bits.
    Shorts,
    /// A mask register.
    Mask,
}

/// The form of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum StoreForm {
    /// A vector as it is.
    Whole,
    /// The lower half of a vector.
    Half,
    /// The low bytes of elements.
    Bytes,
    /// The low bytes of the lower half's elements.
    HalfBytes,
    /// 16 bits for each lane of a group.
    Shorts,
    /// The lower halves of the lower half's elements.
    HalfShorts,
    /// The lowest eight bytes of a vector.
    Eight,
    /// A mask register.
    Mask,
    /// The sign of each element, as bits: a byte.
    Signs,
    /// The lowest words of a vector.
    Words(u8),
}

/// The kind of register that a value stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RegisterClass {
    /// A vector register.
    Vector,
    /// A mask register.
    Mask,
}

/// The effect of a mask on an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Masking {
    /// Where it is false the result is 0.
    Zero,
    /// Where it is false the result is the first source.
    Merge,
    /// It says which of two operands is taken.
    Choose,
}

/// Whether the last source may stand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fold {
    /// In a register only.
    No,
    /// A whole vector.
    Whole,
    /// A whole vector, or 32 bits for all elements.
    Four,
    /// A whole vector, or 64 bits for all elements.
    Eight,
}

/// The orders that the sources may be put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Order {
    /// As it is.
    Fixed,
    /// The last two can be exchanged.
    Commutes,
    /// Any: the immediate operand is the table of a function of three bits, whose rows follow.
    Table,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Instruct {
    /// Which.
    pub code: Code,
    /// The kind of register of the result.
    pub class: RegisterClass,
    /// The sources, in the instruction's order, of which [`Instruct::count`] count.
    pub sources: [Id; 3],
    /// How many sources there are.
    pub count: u8,
    /// Whether the result takes the register of the first source, which is no operand of its own.
    pub overwrites: bool,
    /// A mask, and what it does. One in a vector register is the instruction's last operand.
    pub mask: Option<(Id, Masking)>,
    /// The last operand.
    pub immediate: Option<u8>,
    /// Whether the last source may stand in memory.
    pub fold: Fold,
    /// The orders that the sources may be put into.
    pub order: Order,
    /// Operands that are half a vector: bit 0 the result, bit 1 + i the i-th source.
    pub halves: u8,
}

impl Instruct {
    /// On these sources in registers, and nothing else.
    pub(super) fn new(code: Code, class: RegisterClass, sources: &[Id]) -> Instruct {
        let mut list = [0; 3];
        list[..sources.len()].copy_from_slice(sources);
        Instruct {
            code,
            class,
            sources: list,
            count: sources.len() as u8,
            overwrites: false,
            mask: None,
            immediate: None,
            fold: Fold::No,
            order: Order::Fixed,
            halves: 0,
        }
    }
}

/// The vectors of a call's operands that there are at most.
pub(crate) const MOST_ARGUMENTS: usize = 8;

/// An operation of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum GraphNode {
    /// A value in memory.
    Load(LoadForm, ColumnAddress),
    /// Zeros or ones.
    Same(bool, RegisterClass),
    /// A value that stays in its register from one turn of the loop to the next. Before the first it stands in memory.
    Carried(LoadForm, ColumnAddress),
    /// An instruction.
    Do(Instruct),
    /// A call of the function at this address: one or two operands, of `parts` vectors each.
    Call {
        /// Where its code is.
        address: usize,
        /// The vectors of the operands.
        arguments: [Id; MOST_ARGUMENTS],
        /// How many of them there are.
        count: u8,
        /// How many vectors an operand has.
        parts: u8,
    },
    /// `mask ? function(x, y) : common`: nothing but a test where no element is masked.
    Rescue {
        /// Where the code of the function is, which takes two vectors from memory to another.
        address: usize,
        /// The mask, the common result, x and y; functions of one argument have it twice.
        operands: [Id; 4],
        /// Whether elements are masked whose bits in the mask are zeros.
        negated: bool,
        /// Whether elements have 64 bits.
        long: bool,
        /// Of chances the place of the vector's words for the first group: their function is called with it, the call and the group.
        place: u32,
    },
    /// A vector of a call's result. It stands directly behind the call, or behind another one of these.
    Result(Id, u8),
    /// Writes a value.
    Store(StoreForm, ColumnAddress, Id),
    /// Gives a [carried](GraphNode::Carried) value, the first one, its value for the next turn. It stands behind all uses of the one for this turn.
    Carry(Id, Id),
    /// Prefetches the line of memory at an address into the second cache. The address need not be valid.
    Ahead(ColumnAddress),
}

impl GraphNode {
    /// Its operands.
    pub(super) fn operands(&self) -> impl Iterator<Item = Id> + use<> {
        let mut list = [0; MOST_ARGUMENTS];
        let count = match *self {
            GraphNode::Load(..) | GraphNode::Same(..) | GraphNode::Carried(..) | GraphNode::Ahead(_) => 0,
            GraphNode::Do(instruct) => {
                list[..3].copy_from_slice(&instruct.sources);
                let count = usize::from(instruct.count);
                if let Some((mask, _)) = instruct.mask {
                    list[count] = mask;
                }
                count + usize::from(instruct.mask.is_some())
            }
            GraphNode::Call { arguments, count, .. } => {
                list = arguments;
                usize::from(count)
            }
            GraphNode::Rescue { operands, .. } => {
                list[..4].copy_from_slice(&operands);
                4
            }
            GraphNode::Result(value, _) | GraphNode::Store(_, _, value) | GraphNode::Carry(_, value) => {
                list[0] = value;
                1
            }
        };
        list.into_iter().take(count)
    }

    /// The kind of register of its value; `None` if it has no value.
    pub(super) fn class(&self) -> Option<RegisterClass> {
        match self {
            GraphNode::Load(LoadForm::Mask, _) => Some(RegisterClass::Mask),
            GraphNode::Load(..) | GraphNode::Carried(..) | GraphNode::Result(..) | GraphNode::Rescue { .. } => {
                Some(RegisterClass::Vector)
            }
            GraphNode::Same(_, class) => Some(*class),
            GraphNode::Do(instruct) => Some(instruct.class),
            GraphNode::Call { .. } | GraphNode::Store(..) | GraphNode::Carry(..) | GraphNode::Ahead(_) => None,
        }
    }

    /// Whether the node stands for an effect: nothing uses its value.
    pub(crate) fn is_effect(&self) -> bool {
        matches!(self, GraphNode::Store(..) | GraphNode::Carry(..) | GraphNode::Ahead(_))
    }

    /// Where it stands in memory, if it does.
    pub(super) fn address(&self) -> Option<ColumnAddress> {
        match self {
            GraphNode::Load(_, place) | GraphNode::Store(_, place, _) | GraphNode::Ahead(place) => Some(*place),
            _ => None,
        }
    }
}

/// The code, in order; nodes that nothing uses may be among it.
pub(crate) struct InstructionGraph {
    /// The instruction set.
    pub table: &'static InstructionTable,
    /// Operands stand before their users.
    pub nodes: Vec<GraphNode>,
    /// Constants, each aligned to its size.
    pub pool: Vec<u8>,
    known: FxHashMap<GraphNode, Id>,
    constants: HashMap<Vec<u8>, i32>,
}

impl InstructionGraph {
    /// A graph without nodes.
    pub(super) fn new(table: &'static InstructionTable) -> InstructionGraph {
        let (known, constants) = (FxHashMap::default(), HashMap::new());
        InstructionGraph { table, nodes: Vec::new(), pool: Vec::new(), known, constants }
    }

    /// Adds a node that has no effect, or finds it.
    pub(super) fn add(&mut self, node: GraphNode) -> Id {
        let next = self.nodes.len() as Id;
        let id = *self.known.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// The node, if it is there.
    pub(super) fn find(&self, node: &GraphNode) -> Option<Id> {
        self.known.get(node).copied()
    }

    /// Adds a store.
    pub(super) fn store(&mut self, store: StoreForm, place: ColumnAddress, value: Id) {
        self.nodes.push(GraphNode::Store(store, place, value));
    }

    /// Says what a carried value is in the next turn of the loop.
    pub(super) fn carry(&mut self, carried: Id, next: Id) {
        self.nodes.push(GraphNode::Carry(carried, next));
    }

    /// Asks for memory that is loaded later.
    pub(super) fn ahead(&mut self, place: ColumnAddress) {
        self.nodes.push(GraphNode::Ahead(place));
    }

    /// 32 bits in all elements.
    pub(super) fn four(&mut self, bits: u32) -> Id {
        self.repeated(&bits.to_le_bytes(), LoadForm::Four)
    }

    /// 64 bits in all elements.
    pub(super) fn eight(&mut self, bits: u64) -> Id {
        self.repeated(&bits.to_le_bytes(), LoadForm::Eight)
    }

    /// These bytes again and again: once in memory if operands can be spread from there.
    fn repeated(&mut self, bytes: &[u8], load: LoadForm) -> Id {
        if self.table.has_masks {
            return self.constant(load, bytes);
        }
        self.constant(LoadForm::Whole, &bytes.repeat(self.table.vector / bytes.len()))
    }

    /// Whether a value is the constant of zero bits.
    pub(super) fn is_zero(&self, id: Id) -> bool {
        let GraphNode::Load(load @ (LoadForm::Four | LoadForm::Eight | LoadForm::Whole), place) =
            self.nodes[id as usize]
        else {
            return false;
        };
        let size = match load {
            LoadForm::Four => 4,
            LoadForm::Eight => 8,
            _ => self.table.vector,
        };
        let from = place.offset as usize;
        place.base == Base::Pool && self.pool[from..from + size].iter().all(|byte| *byte == 0)
    }

    /// A constant from memory.
    pub(super) fn constant(&mut self, load: LoadForm, bytes: &[u8]) -> Id {
        let pool = &mut self.pool;
        let offset = *self.constants.entry(bytes.to_vec()).or_insert_with(|| {
            pool.resize(pool.len().next_multiple_of(bytes.len()), 0);
            let offset = pool.len() as i32;
            pool.extend_from_slice(bytes);
            offset
        });
        self.add(GraphNode::Load(load, ColumnAddress { base: Base::Pool, offset, pace: GroupStride::Still }))
    }

    /// Whether a helper is called.
    pub(crate) fn has_calls(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, GraphNode::Call { .. }))
    }

    /// Whether something is [rescued](GraphNode::Rescue).
    pub(crate) fn has_rescues(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, GraphNode::Rescue { .. }))
    }
}
