//! Rows of strips, one after the other in one loop: the rows before stay in registers.
//!
//! A turn of the loop computes a row, its groups from the last to the first. Of a state that is stored, the values of the row before are *carried*: a vector
//! for each group, which a turn leaves for the next one in its register. Lanes beside are those vectors shifted by some lanes, with the last
//! lanes of the group before; rows farther back are what the turn before had of rows one nearer. Old values, of the row itself and of rows behind,
//! and all states that are not stored, are read from memory.
//!
//! In a kernel of bits alone a group is as many lanes as a register has bits. Letters along a lane stand in registers too: each lane has in a row what
//! the lane before had in the row before.

use super::assembly_error::AssemblyError;
use super::graph::{Base, ColumnAddress, GraphNode, GroupStride, Id, Instruct, LoadForm, RegisterClass, StoreForm};
use super::isa::Action;
use super::logic::Literal;
use super::select::{Select, StripGroup, ValueParts};
use crate::Call;
use iced_x86::Code;
use squeeze_compiler::kernel::{Direction, LaneType, Load};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;

/// Lanes of a group of numbers.
const LANES: i32 = 16;
/// The function that is its second operand where the first is true, and else the third.
const CHOOSE: u8 = 0b1100_1010;

impl Select<'_> {
    fn strip(&self) -> &StripGroup {
        self.strip.as_ref().expect("a strip is selected")
    }

    /// Begins a group of a row.
    pub(super) fn begin_group(&mut self, number: u8) {
        let strip = self.strip.as_mut().expect("a strip is selected");
        (strip.number, strip.carried, strip.letters) = (number, BTreeSet::new(), BTreeSet::new());
    }

    /// Lanes of a group.
    fn lanes(&self) -> i32 {
        if self.of_bits { 8 * self.table.vector as i32 } else { LANES }
    }

    fn is_stored(&self, state: u16) -> bool {
        self.interface.writes.contains(&usize::from(state))
    }

    fn stored(state: u16) -> Base {
        Base::Element(offset_of!(Call, writes) as u16, 8 * i32::from(state))
    }

    /// The first lane of a group so many rows behind and lanes beside, in lanes.
    fn lane(&self, group: u8, [lanes, rows]: [i32; 2]) -> i32 {
        rows * i32::from(self.strip().how.pitch) + self.lanes() * i32::from(group) + lanes
    }

    fn away(Direction([lanes, rows, _]): Direction) -> [i32; 2] {
        [lanes, rows]
    }

    /// A state of numbers in a direction.
    pub(super) fn numbers_of_row(&mut self, ty: LaneType, Load { state, direction, .. }: Load) -> ValueParts<Id> {
        let StripGroup { how, number, .. } = *self.strip();
        let (size, [lanes, rows]) = (ty.scalar().bytes() as i32, Self::away(direction));
        if self.is_stored(state) {
            return match rows {
                ..0 => self.earlier(ty, state, [-lanes, -rows]),
                _ => self.numbers(ty, Self::stored(state), size * self.lane(number, [lanes, rows])),
            };
        }
        let (base, offset, (load, pace, _)) =
            (self.read(state, direction), size * LANES * i32::from(number), self.form(ty));
        let pace = match pace {
            _ if is_among(how.still, state) => GroupStride::Still,
            _ if is_among(how.backwards, state) => GroupStride::Backwards(size as u8),
            pace => pace,
        };
        self.column(ty, base, offset, pace).map(|place| self.graph.add(GraphNode::Load(load, place)))
    }

    /// A state that is stored, so many lanes and rows before: at least one row.
    fn earlier(&mut self, ty: LaneType, state: u16, [lanes, rows]: [i32; 2]) -> ValueParts<Id> {
        let number = self.strip().number;
        if lanes == 0 || rows > 1 {
            if rows > 1 {
                self.earlier(ty, state, [lanes, rows - 1]);
            }
            return self.carried(ty, state, [lanes, rows], number);
        }
        let (code, width) = match ty.width() {
            64 => (Code::EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8, LANES / 2),
            _ => (Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8, LANES),
        };
        let own = self.carried(ty, state, [0, 1], number);
        let mut before = match number {
            0 => {
                let ((load, pace, _), size) = (self.form(ty), ty.scalar().bytes() as i32);
                self.load(load, Self::stored(state), size * self.lane(0, [-width, -1]), pace)
            }
            _ => *self.carried(ty, state, [0, 1], number - 1).last().expect("a value has a vector at least"),
        };
        let element = if ty.width() == 64 { 8 } else { 4 };
        own.map(|part| {
            let align = Instruct::new(code, RegisterClass::Vector, &[part, before]);
            let (immediate, fold) = (Some((width - lanes) as u8), self.table.fold(Some(element)));
            before = part;
            self.push(Instruct { immediate, fold, ..align })
        })
    }

    /// What a group has in registers from the turn before.
    fn carried(&mut self, ty: LaneType, state: u16, [lanes, rows]: [i32; 2], group: u8) -> ValueParts<Id> {
        let ((load, ..), size) = (self.form(ty), ty.scalar().bytes() as i32);
        // It is loaded before the first turn.
        let offset = size * self.lane(group, [-lanes, -rows]);
        let places = self.column(ty, Self::stored(state), offset, GroupStride::Still);
        let strip = self.strip.as_mut().expect("a strip is selected");
        strip.carried.insert((rows, state, lanes));
        places.map(|place| self.graph.add(GraphNode::Carried(load, place)))
    }

    /// The coordinates of the lanes, which are those of every row.
    pub(super) fn corners_of_row(&mut self, ty: LaneType, axis: u8) -> ValueParts<Id> {
        let base = Base::Element(offset_of!(Call, lane_corners) as u16, 8 * i32::from(axis));
        let (offset, (load, ..)) = (4 * LANES * i32::from(self.strip().number), self.form(ty));
        let places = self.column(ty, base, offset, GroupStride::Still);
        places.map(|place| self.graph.add(GraphNode::Load(load, place)))
    }

    /// A state of bits, of the same lanes in this row or one behind; in kernels of bits alone of lanes and rows before as well, and letters.
    pub(super) fn bits_of_row(&mut self, Load { state, plane, direction, .. }: Load) -> Result<Literal, AssemblyError> {
        let [lanes, rows] = Self::away(direction);
        let StripGroup { how, number, .. } = *self.strip();
        let offset = self.offset(state, plane, 0)? + self.lanes() / 8 * i32::from(number);
        Ok(match self.is_stored(state) {
            true if self.of_bits && rows < 0 => Literal::of(self.earlier_bits(state, [-lanes, -rows])),
            true => self.bits_at(Self::stored(state), self.lane(number, [0, rows]) / 8)[0],
            false if self.of_bits && is_among(how.backwards, state) => {
                self.strip.as_mut().expect("a strip is selected").letters.insert((state, plane));
                Literal::of(self.letters((state, plane), number.into())?)
            }
            false if self.of_bits && is_among(how.still, state) => {
                let base = self.read(state, direction);
                Literal::of(self.load(LoadForm::Whole, base, offset, GroupStride::Still))
            }
            false => self.bits_at(self.read(state, direction), offset)[0],
        })
    }

    /// A plane of letters of a group, or of the lanes before the first group.
    fn letters(&mut self, (state, plane): (u16, u8), group: i32) -> Result<Id, AssemblyError> {
        let base = self.read(state, Direction::CENTRE);
        let offset = self.offset(state, plane, 0)? + self.table.vector as i32 * (group + 1);
        let place = ColumnAddress { base, offset, pace: GroupStride::Still };
        Ok(self.graph.add(GraphNode::Carried(LoadForm::Whole, place)))
    }

    /// A state of bits that is stored, some lanes and at least a row before.
    fn earlier_bits(&mut self, state: u16, [lanes, rows]: [i32; 2]) -> Id {
        let number = self.strip().number;
        let own = self.carried_bits(state, rows, number);
        if lanes == 0 {
            return own;
        }
        let before = match number.checked_sub(1) {
            Some(before) => self.carried_bits(state, rows, before),
            None => {
                let offset = self.lane(0, [-self.lanes(), -rows]) / 8;
                self.load(LoadForm::Whole, Self::stored(state), offset, GroupStride::Bit)
            }
        };
        self.moved_up([before, own], lanes as u8)
    }

    /// What a group of bits has in a register from the turn before.
    fn carried_bits(&mut self, state: u16, rows: i32, group: u8) -> Id {
        let offset = self.lane(group, [0, -rows]) / 8;
        let place = ColumnAddress { base: Self::stored(state), offset, pace: GroupStride::Still };
        let strip = self.strip.as_mut().expect("a strip is selected");
        strip.carried.extend((1..=rows).map(|rows| (rows, state, 0)));
        self.graph.add(GraphNode::Carried(LoadForm::Whole, place))
    }

    /// The bits of a group moved up by some lanes, fewer than 64, with those of the group before.
    fn moved_up(&mut self, [before, own]: [Id; 2], lanes: u8) -> Id {
        let code = Code::EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8;
        let align = Instruct::new(code, RegisterClass::Vector, &[own, before]);
        let words = self.push(Instruct { immediate: Some(7), fold: self.table.fold(Some(8)), ..align });
        if let Some([left, _]) = self.table.pairs.filter(|_| self.strip().how.pairs) {
            let pair = Instruct::new(left, RegisterClass::Vector, &[own, words]);
            return self.push(Instruct { immediate: Some(lanes), ..pair });
        }
        let high = self.run(Action::ShiftLeft, LaneType::I64, &[own], Some(lanes));
        let low = self.run(Action::ShiftRightLong, LaneType::I64, &[words], Some(64 - lanes));
        let both = self.graph.or(Literal::of(high), Literal::of(low));
        self.graph.positive(both)
    }

    /// Whether there is a cell in a direction.
    pub(super) fn presence_of_row(&mut self, direction: Direction) -> Literal {
        let StripGroup { how, number, .. } = *self.strip();
        let place = self.interface.place(self.kernel.micro.dimension, direction);
        match how.masked {
            true => self.bits_at(self.existence(place), self.lanes() / 8 * i32::from(number))[0],
            false => Literal::constant(true),
        }
    }

    /// A value that stands neither in memory, where a store may change it, nor in a register of what is carried.
    fn in_register(&mut self, value: Id) -> Id {
        let (GraphNode::Load(form, _) | GraphNode::Carried(form, _)) = self.graph.nodes[value as usize] else {
            return value;
        };
        let copy = match form {
            LoadForm::Mask => Instruct::new(Code::VEX_Kmovw_kr_km16, RegisterClass::Mask, &[value]),
            _ => Instruct::new(self.table.copy, RegisterClass::Vector, &[value]),
        };
        self.push(copy)
    }

    /// Stores the results of a group, and leaves them for the next row.
    pub(super) fn end_group(&mut self) -> Result<(), AssemblyError> {
        let strip = self.strip.as_mut().expect("a strip is selected");
        let (how, number, stores) = (strip.how, strip.number, std::mem::take(&mut strip.stores));
        let cells = match how.masked {
            true => self.bits_at(self.existence(None), self.lanes() / 8 * i32::from(number))[0],
            false => Literal::constant(true),
        };
        let mut results: BTreeMap<u16, ValueParts<Id>> = BTreeMap::new();
        let mut bits = Vec::new();
        for (state, value) in stores {
            let ty = self.ty(value);
            if ty == LaneType::Bits {
                let (new, old) = (self.masks(value)[0], self.lane(number, [0, 0]) / 8);
                let place = ColumnAddress { base: Self::stored(state), offset: old, pace: GroupStride::Bit };
                let form = if self.of_bits { LoadForm::Whole } else { LoadForm::Mask };
                let old = Literal::of(self.load(form, place.base, place.offset, place.pace));
                let kept = match self.of_bits {
                    true => self.graph.function(CHOOSE, [cells, new, old]),
                    false => {
                        let (new, old) = (self.graph.and(new, cells), self.graph.and(old, !cells));
                        self.graph.or(new, old)
                    }
                };
                let node = self.graph.positive(kept);
                let node = self.in_register(node);
                bits.push((place, node));
                results.insert(state, std::iter::once(node).collect());
                continue;
            }
            let offset = ty.scalar().bytes() as i32 * self.lane(number, [0, 0]);
            let mut parts = self.parts(value);
            if how.masked {
                let old = self.numbers(ty, Self::stored(state), offset);
                let masks = self.masks_for(ty, cells.into());
                parts = self.chosen(ty, masks, parts, old);
            }
            results.insert(state, parts.map(|part| self.in_register(part)));
        }
        let form = if self.of_bits { StoreForm::Whole } else { StoreForm::Mask };
        for (place, node) in bits {
            self.graph.store(form, place, node);
        }
        let of_numbers = |state: u16| self.kernel.states[usize::from(state)].planes.ty() != LaneType::Bits;
        for (&state, parts) in results.iter().filter(|(state, _)| of_numbers(**state)) {
            let ty = self.kernel.states[usize::from(state)].planes.ty();
            let offset = ty.scalar().bytes() as i32 * self.lane(number, [0, 0]);
            let (_, pace, _) = self.form(ty);
            let store = match ty {
                LaneType::U8 => StoreForm::Bytes,
                LaneType::U16 => StoreForm::Shorts,
                _ => StoreForm::Whole,
            };
            let places = self.column(ty, Self::stored(state), offset, pace);
            places.iter().zip(parts.iter()).for_each(|(place, part)| self.graph.store(store, *place, *part));
        }
        // From the rows farthest back on, each takes what the one behind it had.
        for (rows, state, lanes) in self.strip().carried.clone().into_iter().rev() {
            let ty = self.kernel.states[usize::from(state)].planes.ty();
            if ty == LaneType::Bits {
                let next = match rows {
                    1 => results[&state][0],
                    _ => self.carried_bits(state, rows - 1, number),
                };
                let carried = self.carried_bits(state, rows, number);
                self.graph.carry(carried, next);
                continue;
            }
            let next = match rows {
                1 => results[&state],
                _ => self.earlier(ty, state, [lanes, rows - 1]),
            };
            let carried = self.carried(ty, state, [lanes, rows], number);
            carried.iter().zip(next.iter()).for_each(|(carried, next)| self.graph.carry(*carried, *next));
        }
        // The lanes before the first group are those of as many rows as a group has lanes.
        let groups = if number == 0 { -1..=0 } else { i32::from(number)..=i32::from(number) };
        for (plane, group) in self
            .strip()
            .letters
            .clone()
            .into_iter()
            .flat_map(|plane| groups.clone().rev().map(move |group| (plane, group)))
        {
            let own = self.letters(plane, group)?;
            let before = if group < 0 { own } else { self.letters(plane, group - 1)? };
            let next = self.moved_up([before, own], 1);
            self.graph.carry(own, next);
        }
        Ok(())
    }
}

/// Whether a state is one of these, which are bits of their numbers.
fn is_among(states: u64, state: u16) -> bool {
    state < 64 && states >> state & 1 == 1
}
