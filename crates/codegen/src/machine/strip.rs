//! Rows of strips, one after the other in one loop: the rows before stay in registers.
//!
//! A turn of the loop computes a row, its groups from the last to the first. Of a state that is stored, the values of the row before are *carried*: a vector
//! for each group, which a turn leaves for the next one in its register. Lanes beside are those vectors shifted by some lanes, with the last
//! lanes of the group before; rows farther back are what the turn before had of rows one nearer. Old values, of the row itself and of rows behind,
//! and all states that are not stored, are read from memory.

use super::graph::{Base, ColumnAddress, GraphNode, GroupStride, Id, Instruct, LoadForm, RegisterClass, StoreForm};
use super::logic::Literal;
use super::select::{Select, StripGroup, ValueParts};
use crate::Call;
use iced_x86::Code;
use squeeze_compiler::kernel::{Direction, LaneType, Load};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;

/// Lanes of a group.
const LANES: i32 = 16;

impl Select<'_> {
    fn strip(&self) -> &StripGroup {
        self.strip.as_ref().expect("a strip is selected")
    }

    /// Begins a group of a row.
    pub(super) fn begin_group(&mut self, number: u8) {
        let strip = self.strip.as_mut().expect("a strip is selected");
        (strip.number, strip.carried) = (number, BTreeSet::new());
    }

    fn is_stored(&self, state: u16) -> bool {
        self.interface.writes.contains(&usize::from(state))
    }

    fn stored(state: u16) -> Base {
        Base::Element(offset_of!(Call, writes) as u16, 8 * i32::from(state))
    }

    /// The first lane of a group so many rows behind and lanes beside, in lanes.
    fn lane(&self, group: u8, [lanes, rows]: [i32; 2]) -> i32 {
        rows * i32::from(self.strip().how.pitch) + LANES * i32::from(group) + lanes
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
        let is_of = |states: u64| state < 64 && states >> state & 1 == 1;
        let pace = match pace {
            _ if is_of(how.still) => GroupStride::Still,
            _ if is_of(how.backwards) => GroupStride::Backwards(size as u8),
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

    /// A state of bits, of the same lanes in this row or one behind.
    pub(super) fn bits_of_row(&mut self, Load { state, direction, .. }: Load) -> Literal {
        let [_, rows] = Self::away(direction);
        let number = self.strip().number;
        match self.is_stored(state) {
            true => self.bits_at(Self::stored(state), self.lane(number, [0, rows]) / 8)[0],
            false => self.bits_at(self.read(state, direction), LANES / 8 * i32::from(number))[0],
        }
    }

    /// Whether there is a cell in a direction.
    pub(super) fn presence_of_row(&mut self, direction: Direction) -> Literal {
        let StripGroup { how, number, .. } = *self.strip();
        let place = self.interface.place(self.kernel.micro.dimension, direction);
        match how.masked {
            true => self.bits_at(self.existence(place), LANES / 8 * i32::from(number))[0],
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
    pub(super) fn end_group(&mut self) {
        let strip = self.strip.as_mut().expect("a strip is selected");
        let (how, number, stores) = (strip.how, strip.number, std::mem::take(&mut strip.stores));
        let cells = match how.masked {
            true => self.bits_at(self.existence(None), LANES / 8 * i32::from(number))[0],
            false => Literal::constant(true),
        };
        let mut results: BTreeMap<u16, ValueParts<Id>> = BTreeMap::new();
        let mut bits = Vec::new();
        for (state, value) in stores {
            let ty = self.ty(value);
            if ty == LaneType::Bits {
                let (new, old) = (self.masks(value)[0], self.lane(number, [0, 0]) / 8);
                let place = ColumnAddress { base: Self::stored(state), offset: old, pace: GroupStride::Bit };
                let old = Literal::of(self.load(LoadForm::Mask, place.base, place.offset, place.pace));
                let (new, old) = (self.graph.and(new, cells), self.graph.and(old, !cells));
                let kept = self.graph.or(new, old);
                let node = self.graph.positive(kept);
                bits.push((place, self.in_register(node)));
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
        for (place, node) in bits {
            self.graph.store(StoreForm::Mask, place, node);
        }
        for (&state, parts) in &results {
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
            let next = match rows {
                1 => results[&state],
                _ => self.earlier(ty, state, [lanes, rows - 1]),
            };
            let carried = self.carried(ty, state, [lanes, rows], number);
            carried.iter().zip(next.iter()).for_each(|(carried, next)| self.graph.carry(*carried, *next));
        }
    }
}
