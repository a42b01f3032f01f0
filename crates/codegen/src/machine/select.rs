//! From a kernel's operations to instructions: inputs, bits and stores. [`numbers`](super::numbers) does the rest.

use super::assembly_error::AssemblyError;
use super::graph::{
    Base, ColumnAddress, GraphNode, GroupStride, Id, Instruct, InstructionGraph, LoadForm, Order, RegisterClass,
    StoreForm,
};
use super::isa::{Action, InstructionTable};
use super::logic::Literal;
use super::numbers::zip;
use crate::{Call, ColumnOrder, CountedCall, PaddedRows, StripLoop};
use squeeze_compiler::ir::Value;
use squeeze_compiler::kernel::{Direction, Interface, Kernel, LaneType, Load, Op, ValueId, draw, number};
use squeeze_compiler::layout::columns::{Columns, Shape};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;

/// The most vectors that a value of a group takes.
const MOST_PARTS: usize = 4;

/// A value's vectors or masks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueParts<T> {
    list: [T; MOST_PARTS],
    count: u8,
}

impl<T: Copy> ValueParts<T> {
    /// Applies a function to each.
    pub(super) fn map<U: Copy>(self, f: impl FnMut(T) -> U) -> ValueParts<U> {
        self.iter().copied().map(f).collect()
    }
}

impl<T> std::ops::Deref for ValueParts<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.list[..usize::from(self.count)]
    }
}

impl<T: Copy> FromIterator<T> for ValueParts<T> {
    fn from_iter<I: IntoIterator<Item = T>>(parts: I) -> Self {
        let mut parts = parts.into_iter();
        let first = parts.next().expect("a value has a vector at least");
        let mut made = ValueParts { list: [first; MOST_PARTS], count: 1 };
        for part in parts {
            made.list[usize::from(made.count)] = part;
            made.count += 1;
        }
        made
    }
}

impl<T: Copy> IntoIterator for ValueParts<T> {
    type Item = T;
    type IntoIter = std::iter::Take<std::array::IntoIter<T, MOST_PARTS>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter().take(usize::from(self.count))
    }
}

/// The result of a node of the kernel: vectors or masks of one group of lanes (`machine` says what that is).
#[derive(Clone, Copy, Debug)]
enum Selected {
    /// A store, which has no value.
    Nothing,
    /// Bits, one or two masks for elements of 32 bits; in kernels of bits alone one vector of them.
    Bits(ValueParts<Literal>),
    /// Numbers; elements of a u8 or u16 have 32 bits, and those above are zeros.
    Numbers(ValueParts<Id>),
}

/// How far ahead memory is asked for that a kernel loads first, in bytes: a few columns of a row, or superblocks. Far enough that it is there in
/// time, and few enough to stay in the second cache until then.
const AHEAD_OF_SUPERBLOCKS: i32 = 1 << 16;
const AHEAD_OF_ROWS: i32 = 1 << 13;

/// The graph of a verified kernel with this interface.
pub(super) fn select(
    kernel: &Kernel,
    shape: Shape,
    order: ColumnOrder,
    table: &'static InstructionTable,
    interface: &Interface,
) -> Result<InstructionGraph, AssemblyError> {
    let columns = kernel.states.iter().map(|state| Columns::new(state.planes, shape, kernel.micro.cells.len()));
    let mut select = Select {
        kernel,
        shape,
        columns: columns.collect(),
        graph: InstructionGraph::new(table),
        table,
        interface,
        of_bits: interface.bitwise,
        first: first_loads(kernel, order),
        ahead: match order {
            ColumnOrder::Superblocks | ColumnOrder::Cached => AHEAD_OF_SUPERBLOCKS,
            ColumnOrder::Rows | ColumnOrder::Padded(_) | ColumnOrder::Strip(_) => AHEAD_OF_ROWS,
        },
        padded: if let ColumnOrder::Padded(rows) = order { Some(rows) } else { None },
        strip: if let ColumnOrder::Strip(how) = order {
            let (carried, letters) = (BTreeSet::new(), BTreeSet::new());
            Some(StripGroup { how, number: 0, stores: Vec::new(), carried, letters })
        } else {
            None
        },
        values: Vec::with_capacity(kernel.nodes.len()),
    };
    // The constants must be the first nodes.
    for value in [false, true] {
        select.graph.add(GraphNode::Same(value, table.gates.class));
    }
    match order {
        // What one group leaves for the next row, the group behind it has read.
        ColumnOrder::Strip(StripLoop { groups, .. }) => (0..groups).rev().try_for_each(|number| {
            select.begin_group(number);
            select.values.clear();
            select.nodes()?;
            select.end_group()
        })?,
        _ => select.nodes()?,
    }
    Ok(select.graph)
}

/// The group of a row of a strip that is selected.
pub(super) struct StripGroup {
    pub how: StripLoop,
    pub number: u8,
    /// What is stored of it.
    pub stores: Vec<(u16, ValueId)>,
    /// What is carried: rows before, the state, and lanes before.
    pub carried: BTreeSet<(i32, u16, i32)>,
    /// The planes of letters, of states whose values go from lane to lane.
    pub letters: BTreeSet<(u16, u8)>,
}

/// A graph in the making.
pub(super) struct Select<'a> {
    /// The kernel that is compiled.
    pub kernel: &'a Kernel,
    shape: Shape,
    /// Of each state.
    columns: Vec<Columns>,
    /// The code so far.
    pub graph: InstructionGraph,
    /// The instruction set.
    pub table: &'static InstructionTable,
    pub(super) interface: &'a Interface,
    pub(super) of_bits: bool,
    /// By node whether memory is asked for ahead of it ([`first_loads`]), and how far, in bytes.
    first: Vec<bool>,
    ahead: i32,
    /// If rows are padded, how they are computed.
    padded: Option<PaddedRows>,
    /// If rows of a strip are computed, how.
    pub(super) strip: Option<StripGroup>,
    values: Vec<Selected>,
}

/// The nodes of a kernel that load memory which no cache may hold since the columns computed before: of superblocks their own cells, whose
/// neighbours stand anywhere; of rows one load of each plane of a state, from the last row that is looked at.
fn first_loads(kernel: &Kernel, order: ColumnOrder) -> Vec<bool> {
    let loads = kernel.nodes.iter().enumerate().filter_map(|(id, node)| {
        let Load { state, plane, direction, .. } = node.op.load()?;
        Some((id, (state, plane), direction))
    });
    let mut is_first = vec![false; kernel.nodes.len()];
    match order {
        ColumnOrder::Cached | ColumnOrder::Padded(_) | ColumnOrder::Strip(_) => {}
        ColumnOrder::Superblocks => {
            loads.for_each(|(id, _, direction)| is_first[id] = direction == Direction::CENTRE);
        }
        ColumnOrder::Rows => {
            let mut first = BTreeMap::new();
            for (id, plane, Direction([_, y, z])) in loads {
                let (row, load) = first.entry(plane).or_insert(([z, y], id));
                if *row < [z, y] {
                    (*row, *load) = ([z, y], id);
                }
            }
            first.into_values().for_each(|(_, id): (_, usize)| is_first[id] = true);
        }
    }
    is_first
}

/// The bytes of an element in a register.
fn element(ty: LaneType) -> usize {
    if ty.width() == 64 { 8 } else { 4 }
}

impl Select<'_> {
    /// Selects all nodes of the kernel.
    fn nodes(&mut self) -> Result<(), AssemblyError> {
        for node in &self.kernel.nodes {
            let value = match node.ty {
                None => self.store(&node.op)?,
                Some(LaneType::Bits) => Selected::Bits(self.bits(&node.op)?),
                Some(ty) => Selected::Numbers(self.number(ty, &node.op)?),
            };
            self.values.push(value);
        }
        Ok(())
    }

    /// Adds an instruction.
    pub(super) fn push(&mut self, instruct: Instruct) -> Id {
        self.graph.add(GraphNode::Do(instruct))
    }

    /// The instruction of an action; `None` if there is none.
    pub(crate) fn instruct(&self, action: Action, ty: LaneType, sources: &[Id]) -> Option<Instruct> {
        let code = (self.table.action)(action, ty)?;
        let to_mask = matches!(action, Action::Compare | Action::Test) && self.table.has_masks;
        let class = if to_mask { RegisterClass::Mask } else { RegisterClass::Vector };
        let shifts = matches!(action, Action::ShiftLeft | Action::ShiftRight | Action::ShiftRightLong);
        let mut instruct = Instruct::new(code, class, sources);
        let fused = matches!(action, Action::PlusProduct | Action::MinusProduct);
        instruct.overwrites = fused || self.table.overwrites && (sources.len() == 2 || shifts);
        // Shifts by an immediate read memory with AVX-512 only.
        if self.table.has_masks || !shifts {
            instruct.fold = self.table.fold(Some(element(ty)));
        }
        if action.commutes(ty) {
            instruct.order = Order::Commutes;
            instruct.sources[..2].sort_unstable();
        }
        Some(instruct)
    }

    /// An action that every instruction set has.
    pub(super) fn run(&mut self, action: Action, ty: LaneType, sources: &[Id], immediate: Option<u8>) -> Id {
        let instruct = self.instruct(action, ty, sources);
        let instruct = instruct.unwrap_or_else(|| unreachable!("{action:?} of {ty:?} is expanded"));
        self.push(Instruct { immediate, ..instruct })
    }

    /// An action on two vectors.
    pub(super) fn two(&mut self, action: Action, ty: LaneType, a: Id, b: Id) -> Id {
        self.run(action, ty, &[a, b], None)
    }

    /// Each half of a vector in the lower half of another.
    pub(super) fn split(&mut self, a: Id) -> [Id; 2] {
        let (code, immediate) = self.table.upper;
        let upper =
            Instruct { immediate: Some(immediate), halves: 1, ..Instruct::new(code, RegisterClass::Vector, &[a]) };
        [a, self.push(upper)]
    }

    /// The lower and the upper half as one vector.
    pub(super) fn joined(&mut self, halves: [Id; 2]) -> Id {
        let (code, immediate) = self.table.join;
        let join = Instruct::new(code, RegisterClass::Vector, &halves);
        self.push(Instruct { immediate, halves: 4, overwrites: self.table.overwrites, ..join })
    }

    /// A number in all elements.
    pub(super) fn splat(&mut self, value: Value) -> Id {
        match value {
            Value::F64(_) | Value::I64(_) => self.graph.eight(value.bits()),
            value => self.graph.four(value.bits() as u32),
        }
    }

    /// The masks of a node.
    pub(super) fn masks(&self, id: ValueId) -> ValueParts<Literal> {
        match self.values[id.0 as usize] {
            Selected::Bits(masks) => masks,
            _ => unreachable!("verified: {id:?} is of bits and stands before its user"),
        }
    }

    /// The vectors of a node.
    pub(super) fn parts(&self, id: ValueId) -> ValueParts<Id> {
        match self.values[id.0 as usize] {
            Selected::Numbers(parts) => parts,
            _ => unreachable!("verified: {id:?} is a number and stands before its user"),
        }
    }

    /// The type of a node that is no store.
    pub(super) fn ty(&self, id: ValueId) -> LaneType {
        self.kernel.node(id).ty.expect("verified: no store is an operand")
    }

    /// The constant that a node is.
    pub(super) fn constant(&self, id: ValueId) -> Option<Value> {
        if let Op::Const(value) = self.kernel.node(id).op { Some(value) } else { None }
    }

    /// The masks of elements as wide as a type's.
    pub(crate) fn masks_for(&mut self, ty: LaneType, masks: ValueParts<Literal>) -> ValueParts<Literal> {
        if ty.width() != 64 {
            return masks;
        }
        let wide = |mask: &Literal| match mask.node() {
            node if Literal::of(node) == Literal::FALSE => [*mask; 2],
            node => (self.table.widen)(self, node).map(|half| Literal::of(half).negated_if(mask.is_negated())),
        };
        masks.iter().flat_map(wide).collect()
    }

    /// The masks of a group from those of elements as wide as a type's.
    pub(crate) fn masks_of(&mut self, ty: LaneType, masks: ValueParts<Literal>) -> ValueParts<Literal> {
        if ty.width() != 64 {
            return masks;
        }
        let pairs = masks.chunks_exact(2);
        pairs
            .map(|pair| {
                let nodes = [self.graph.positive(pair[0]), self.graph.positive(pair[1])];
                Literal::of((self.table.narrow)(self, nodes))
            })
            .collect()
    }

    pub(super) fn load(&mut self, load: LoadForm, base: Base, offset: i32, pace: GroupStride) -> Id {
        self.graph.add(GraphNode::Load(load, ColumnAddress { base, offset, pace }))
    }

    /// A column of numbers.
    pub(super) fn numbers(&mut self, ty: LaneType, base: Base, offset: i32) -> ValueParts<Id> {
        let (load, pace, _) = self.form(ty);
        self.column(ty, base, offset, pace).map(|place| self.graph.add(GraphNode::Load(load, place)))
    }

    /// How numbers of a type are loaded, how they follow each other, and how many bytes a vector takes in memory.
    pub(super) fn form(&self, ty: LaneType) -> (LoadForm, GroupStride, usize) {
        match ty {
            LaneType::Bits => unreachable!("bits are no numbers"),
            LaneType::U8 => (LoadForm::Bytes, GroupStride::Byte, self.table.vector / 4),
            LaneType::U16 => (LoadForm::Shorts, GroupStride::Short, self.table.vector / 2),
            LaneType::I32 | LaneType::U32 | LaneType::F32 => (LoadForm::Whole, GroupStride::Word, self.table.vector),
            LaneType::I64 | LaneType::F64 => (LoadForm::Whole, GroupStride::Double, self.table.vector),
        }
    }

    /// Where the vectors of a group stand.
    pub(super) fn column(&self, ty: LaneType, base: Base, offset: i32, pace: GroupStride) -> ValueParts<ColumnAddress> {
        let (.., size) = self.form(ty);
        let place = |part: usize| ColumnAddress { base, offset: offset + (part * size) as i32, pace };
        (0..self.table.parts(ty)).map(place).collect()
    }

    /// Prefetches the memory that these loads read `ahead` bytes later.
    fn ask_ahead(&mut self, loads: &[Id]) {
        for &load in loads {
            let place = self.graph.nodes[load as usize].address().expect("it is a load");
            self.graph.ahead(ColumnAddress { offset: place.offset.saturating_add(self.ahead), ..place });
        }
    }

    /// The same number in all lanes, from a call or a parameter.
    fn loop_invariant(&mut self, ty: LaneType, base: Base, offset: i32) -> ValueParts<Id> {
        let load = if ty.width() == 64 { LoadForm::Eight } else { LoadForm::Four };
        self.same(ty, |select| select.load(load, base, offset, GroupStride::Still))
    }

    /// The same vector for all parts.
    pub(super) fn same(&mut self, ty: LaneType, vector: impl FnOnce(&mut Self) -> Id) -> ValueParts<Id> {
        std::iter::repeat_n(vector(self), self.table.parts(ty)).collect()
    }

    /// Bits that stand in memory.
    pub(super) fn bits_at(&mut self, base: Base, offset: i32) -> ValueParts<Literal> {
        if self.of_bits {
            return Literal::of(self.load(LoadForm::Whole, base, offset, GroupStride::Bit)).into();
        }
        if self.table.has_masks {
            return Literal::of(self.load(LoadForm::Mask, base, offset, GroupStride::Bit)).into();
        }
        let word = self.load(LoadForm::Four, base, offset, GroupStride::Bit);
        let width = self.table.width();
        (0..self.table.parts(LaneType::U32))
            .map(|part| {
                let lanes = part * width..(part + 1) * width;
                let bits: Vec<u8> = lanes.flat_map(|lane| (1u32 << lane).to_le_bytes()).collect();
                let bits = self.graph.constant(LoadForm::Whole, &bits);
                self.has_bits(LaneType::U32, word, bits)
            })
            .collect()
    }

    /// Whether each element has the one bit that another vector's element has.
    fn has_bits(&mut self, ty: LaneType, a: Id, bits: Id) -> Literal {
        if let Some(test) = self.instruct(Action::Test, ty, &[a, bits]) {
            return Literal::of(self.push(Instruct { order: Order::Commutes, ..test }));
        }
        let bit = self.two(Action::And, ty, a, bits);
        Literal::of(self.two(Action::Equal, ty, bit, bits))
    }

    /// Whether elements of a type of integers have a bit.
    pub(super) fn test(&mut self, ty: LaneType, a: Id, bit: u32) -> Literal {
        let bit = if ty.width() == 64 { self.graph.eight(1 << bit) } else { self.graph.four(1 << bit) };
        self.has_bits(ty, a, bit)
    }

    pub(super) fn offset(&self, state: u16, plane: u8, micro: u32) -> Result<i32, AssemblyError> {
        let offset = self.columns[usize::from(state)].offset(plane, micro);
        // A column's other vectors, at most `MOST_PARTS` of 64 bytes, must have offsets as well.
        let offset = i32::try_from(offset).ok().filter(|offset| *offset < i32::MAX - 256);
        offset.ok_or(AssemblyError::TooLarge("a superblock of more than 2 GiB"))
    }

    pub(super) fn read(&self, state: u16, direction: Direction) -> Base {
        let dimension = self.kernel.micro.dimension;
        let place = self.interface.place(dimension, direction);
        let block = self.interface.block(dimension, self.kernel.states.len(), usize::from(state), place);
        Base::Element(offset_of!(Call, reads) as u16, 8 * block as i32)
    }

    /// Of these directions, as [`Interface::place`]s, the first in which a padded row's neighbours stand that differ from a direction in x alone; `None`
    /// if that is the row itself.
    fn straight(&self, direction: Direction, mut among: impl Iterator<Item = usize>) -> Option<usize> {
        let Direction([_, y, z]) = direction;
        let all = Direction::all(self.kernel.micro.dimension);
        let row = |place: usize| match place.checked_sub(all.len()) {
            None => all[place].0,
            Some(far) => self.interface.far[far].0,
        };
        if (y, z) == (0, 0) { None } else { among.find(|place| row(*place)[1..] == [y, z]) }
    }

    /// Where the words stand that say where there is a cell, for padded rows.
    pub(super) fn existence(&self, place: Option<usize>) -> Base {
        let own = Direction::count(self.kernel.micro.dimension) + self.interface.far.len();
        Base::Element(offset_of!(Call, presence) as u16, 8 * place.unwrap_or(own) as i32)
    }

    /// Bits of padded rows that lie `dx` places to the right.
    fn beside(&mut self, base: Base, offset: i32, dx: i32) -> Literal {
        let (half, dx) = self.padded.map_or((0, dx), |rows| rows.to_the_right(dx));
        let offset = offset + half;
        let (word, bit) = (offset + 8 * dx.div_euclid(64), dx.rem_euclid(64) as u8);
        let low = self.load(LoadForm::Whole, base, word, GroupStride::Bit);
        if bit == 0 {
            return Literal::of(low);
        }
        let high = self.load(LoadForm::Whole, base, word + 8, GroupStride::Bit);
        if let Some([left, right]) = self.table.pairs.filter(|_| self.padded.is_some_and(|rows| rows.pairs)) {
            // The word that other operations load as well is the one in a register.
            let (code, sources, by) = if dx < 0 { (left, [high, low], 64 - bit) } else { (right, [low, high], bit) };
            let pair = Instruct::new(code, RegisterClass::Vector, &sources);
            return Literal::of(self.push(Instruct { immediate: Some(by), fold: self.table.fold(Some(8)), ..pair }));
        }
        let low = self.run(Action::ShiftRightLong, LaneType::I64, &[low], Some(bit));
        let high = self.run(Action::ShiftLeft, LaneType::I64, &[high], Some(64 - bit));
        self.graph.or(Literal::of(low), Literal::of(high))
    }

    fn bits(&mut self, op: &Op) -> Result<ValueParts<Literal>, AssemblyError> {
        let same = |literal: Literal, of: &Self| {
            let count = if of.of_bits { 1 } else { of.table.parts(LaneType::U32) };
            std::iter::repeat_n(literal, count).collect()
        };
        Ok(match op {
            Op::Load(load) if self.strip.is_some() => self.bits_of_row(*load)?.into(),
            Op::Presence(direction) if self.strip.is_some() => self.presence_of_row(*direction).into(),
            Op::Load(Load { state, plane, direction, micro }) => {
                let offset = self.offset(*state, *plane, *micro)?;
                if self.padded.is_some() {
                    let state = usize::from(*state);
                    let looks = self.interface.halo.iter().filter(|halo| halo.state == state);
                    let first = self.straight(*direction, looks.map(|halo| halo.direction));
                    let dimension = self.kernel.micro.dimension;
                    let block = self.interface.block(dimension, self.kernel.states.len(), state, first);
                    let base = Base::Element(offset_of!(Call, reads) as u16, 8 * block as i32);
                    return Ok(self.beside(base, offset, direction.0[0]).into());
                }
                let bits = self.bits_at(self.read(*state, *direction), offset);
                if self.of_bits && self.first[self.values.len()] {
                    self.ask_ahead(&[bits[0].node()]);
                }
                bits
            }
            Op::Presence(direction) if self.padded.is_some() => {
                let first = self.straight(*direction, self.interface.presence.iter().copied());
                let base = self.existence(first);
                self.beside(base, 0, direction.0[0]).into()
            }
            Op::Presence(direction) => {
                let place = self.interface.place(self.kernel.micro.dimension, *direction);
                let place = place.expect("verified: not the centre");
                self.bits_at(Base::Element(offset_of!(Call, presence) as u16, 8 * place as i32), 0)
            }
            Op::OddCorner(axes) => {
                let place = 8 * i32::from(axes.set());
                self.bits_at(Base::Element(offset_of!(Call, odd_corners) as u16, place), 0)
            }
            Op::Param { param, plane } => {
                let base = Base::Field(offset_of!(Call, params) as u16);
                let word = self.load(LoadForm::Four, base, 8 * i32::from(*param), GroupStride::Still);
                let bit = if self.of_bits {
                    // Shifted left, the bit is the sign of each 32 bits; shifted right, the sign fills them.
                    let top = self.run(Action::ShiftLeft, LaneType::I32, &[word], Some(31 - plane));
                    Literal::of(self.run(Action::ShiftRight, LaneType::I32, &[top], Some(31)))
                } else {
                    self.test(LaneType::U32, word, u32::from(*plane))
                };
                same(bit, self)
            }
            Op::Const(value) => same(Literal::constant(*value == Value::Bit(true)), self),
            Op::Not(a) => self.masks(*a).map(|a| !a),
            Op::Logic(op, a, b) => zip(self.masks(*a), self.masks(*b), |a, b| self.graph.logic(*op, a, b)),
            Op::Table { table, operands } => {
                let operands = operands.map(|operand| self.masks(operand));
                let parts = 0..operands[0].len();
                parts.map(|part| self.graph.function(*table, operands.map(|operand| operand[part]))).collect()
            }
            Op::Digit { value, bit } => {
                let ty = self.ty(*value);
                let masks = self.parts(*value).map(|part| self.test(ty, part, u32::from(*bit)));
                self.masks_of(ty, masks)
            }
            Op::Compare(op, x, y) => self.compare(*op, *x, *y),
            Op::Chance { word, probability } => self.chance(*word, *probability)?,
            Op::LaneCorner(_)
            | Op::SuperblockCorner(_)
            | Op::Level
            | Op::Side
            | Op::Time { .. }
            | Op::Store { .. }
            | draw!()
            | number!() => unreachable!("verified: these give no bits"),
        })
    }

    fn number(&mut self, ty: LaneType, op: &Op) -> Result<ValueParts<Id>, AssemblyError> {
        let call = |offset: usize| offset as i32;
        Ok(match op {
            Op::Load(load) if self.strip.is_some() => self.numbers_of_row(ty, *load),
            Op::LaneCorner(axis) if self.strip.is_some() => self.corners_of_row(ty, *axis),
            Op::Load(Load { state, plane, direction, micro }) => {
                let offset = self.offset(*state, *plane, *micro)?;
                let parts = self.numbers(ty, self.read(*state, *direction), offset);
                if self.first[self.values.len()] {
                    self.ask_ahead(&parts);
                }
                parts
            }
            Op::LaneCorner(axis) => {
                let base = Base::Element(offset_of!(Call, lane_corners) as u16, 8 * i32::from(*axis));
                self.numbers(ty, base, 0)
            }
            Op::SuperblockCorner(1) if self.strip.is_some() => {
                self.loop_invariant(ty, Base::Call, call(offset_of!(CountedCall, row)))
            }
            Op::SuperblockCorner(axis) => {
                let offset = offset_of!(Call, superblock_corner) + 4 * usize::from(*axis);
                self.loop_invariant(ty, Base::Call, call(offset))
            }
            Op::Param { param, .. } => {
                self.loop_invariant(ty, Base::Field(offset_of!(Call, params) as u16), 8 * i32::from(*param))
            }
            Op::Level => self.loop_invariant(ty, Base::Call, call(offset_of!(Call, level))),
            Op::Side => self.loop_invariant(ty, Base::Call, call(offset_of!(Call, side))),
            Op::Time { ahead } => {
                let time = self.loop_invariant(ty, Base::Call, call(offset_of!(Call, time)))[0];
                let ahead = self.graph.four(*ahead);
                self.same(ty, |select| select.two(Action::Add, ty, time, ahead))
            }
            Op::Random { .. } => {
                let place = self.random_column(ValueId(self.values.len() as u32))?;
                self.numbers(ty, Base::Field(offset_of!(Call, random) as u16), 4 * place as i32)
            }
            Op::Const(value) => self.same(ty, |select| select.splat(*value)),
            op => self.operation(ty, op),
        })
    }

    /// The place of a node's first random word among all.
    pub(super) fn random_column(&self, word: ValueId) -> Result<u32, AssemblyError> {
        let (draw, micro) = self.kernel.drawn(word);
        let number = self.interface.random_column(draw, micro).expect("the kernel asks for it");
        // In bytes it must fit into an offset.
        let place = u32::try_from(number * self.shape.stride).ok().filter(|place| *place < 1 << 29);
        place.ok_or(AssemblyError::TooLarge("random words of more than 2 GiB"))
    }

    fn store(&mut self, op: &Op) -> Result<Selected, AssemblyError> {
        let Op::Store { state, plane, micro, value } = op else { unreachable!("verified: only stores have no type") };
        if let Some(strip) = &mut self.strip {
            strip.stores.push((*state, *value));
            return Ok(Selected::Nothing);
        }
        let base = Base::Element(offset_of!(Call, writes) as u16, 8 * i32::from(*state));
        let half = self.padded.map_or(0, |rows| rows.to_the_right(0).0);
        let offset = self.offset(*state, *plane, *micro)? + half;
        let ty = self.ty(*value);
        // If a column has half as many values as a group has lanes, the lower half alone is stored: another column stands behind it.
        let is_half = self.shape.stride < self.table.lanes;
        let place = |offset: i32, pace: GroupStride| ColumnAddress { base, offset, pace };
        match ty {
            LaneType::Bits => {
                let mut masks = self.masks(*value);
                if self.padded.is_some_and(|rows| rows.masked) {
                    let base = self.existence(None);
                    let cells = Literal::of(self.load(LoadForm::Whole, base, half, GroupStride::Bit));
                    masks = masks.map(|mask| self.graph.and(mask, cells));
                }
                let masks = masks.map(|mask| self.graph.positive(mask));
                let (store, value) = if self.of_bits {
                    let words = self.shape.words;
                    let is_whole = 4 * words >= self.table.vector;
                    (if is_whole { StoreForm::Whole } else { StoreForm::Words(words as u8) }, masks[0])
                } else if self.table.has_masks {
                    (StoreForm::Mask, masks[0])
                } else {
                    (StoreForm::Signs, (self.table.mask)(self, &masks))
                };
                self.graph.store(store, place(offset, GroupStride::Bit), value);
            }
            LaneType::U8 => {
                let store = match (self.table.has_masks, is_half) {
                    (false, _) => StoreForm::Eight,
                    (true, false) => StoreForm::Bytes,
                    (true, true) => StoreForm::HalfBytes,
                };
                let bytes = (self.table.bytes)(self, &self.parts(*value));
                self.graph.store(store, place(offset, GroupStride::Byte), bytes);
            }
            LaneType::U16 => {
                let store = if self.table.has_masks && is_half { StoreForm::HalfShorts } else { StoreForm::Shorts };
                let shorts = (self.table.shorts)(self, &self.parts(*value));
                self.graph.store(store, place(offset, GroupStride::Short), shorts);
            }
            LaneType::I32 | LaneType::U32 | LaneType::I64 | LaneType::F32 | LaneType::F64 => {
                let is_long = ty.width() == 64;
                let (store, pace) = match is_long {
                    true => (StoreForm::Whole, GroupStride::Double),
                    false => (if is_half { StoreForm::Half } else { StoreForm::Whole }, GroupStride::Word),
                };
                let parts = self.parts(*value);
                let kept = if is_half && is_long { parts.len() / 2 } else { parts.len() };
                for (part, place) in (0..kept).map(|i| (parts[i], place(offset + (i * self.table.vector) as i32, pace)))
                {
                    self.graph.store(store, place, part);
                }
            }
        }
        Ok(Selected::Nothing)
    }
}

impl From<Literal> for ValueParts<Literal> {
    fn from(literal: Literal) -> Self {
        ValueParts { list: [literal; MOST_PARTS], count: 1 }
    }
}
