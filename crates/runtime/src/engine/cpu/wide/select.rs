//! From a kernel's operations to instructions.

use super::graph::{Base, Class, Fold, Graph, Id, Instruct, LANES, Load, Masking, Node, Pace, Place, Store};
use crate::engine::cpu::call::{Call, Shape};
use crate::engine::cpu::native::inputs::column;
use iced_x86::Code;
use squeeze_compiler::ir::Value;
use squeeze_compiler::ir::kernel::{Direction, Interface, Kernel, LaneType, LogicOp, Op, RandomWord, ValueId};
use squeeze_compiler::ir::value::{QUIET_NAN_F32, QUIET_NAN_F64};
use squeeze_compiler::passes::zeros::NeverMinusZero;
use std::mem::offset_of;

/// Predicates of comparisons, as instructions number them.
pub mod predicate {
    /// `a = b`; like all but two, false for NaN.
    pub const EQUAL: u8 = 0;
    /// `a < b`
    pub const LESS: u8 = 1;
    /// `a ≤ b`
    pub const LESS_EQUAL: u8 = 2;
    /// One is NaN.
    pub const UNORDERED: u8 = 3;
    /// `a ≠ b`, true for NaN.
    pub const NOT_EQUAL: u8 = 4;
    /// `a ≥ b` of integers.
    pub const NOT_LESS: u8 = 5;
    /// `a > b` of integers.
    pub const NOT_LESS_EQUAL: u8 = 6;
    /// `a ≥ b` of floats.
    pub const GREATER_EQUAL: u8 = 0x1d;
    /// `a > b` of floats.
    pub const GREATER: u8 = 0x1e;
}

/// A kernel's value.
#[derive(Clone, Copy, Debug)]
pub enum Lanes {
    /// Of a store, or not yet made.
    Nothing,
    /// A mask.
    Bits(Id),
    /// One vector; elements of a u8 are below 256.
    One(Id),
    /// Two vectors of binary64.
    Two([Id; 2]),
}

/// Why a kernel has no code here.
#[derive(Clone, Copy, Debug)]
pub enum Problem {
    /// Its columns take more memory than instructions can address.
    TooLarge,
}

/// The graph of a verified kernel.
pub fn select(kernel: &Kernel, shape: Shape) -> Result<Graph, Problem> {
    let values = vec![Lanes::Nothing; kernel.nodes.len()];
    let (random, floats) = (Interface::of(kernel).random, NeverMinusZero::of(kernel));
    let mut select = Select { kernel, shape, graph: Graph::default(), values, random, floats };
    for (index, node) in kernel.nodes.iter().enumerate() {
        select.values[index] = match node.ty {
            None => select.store(&node.op)?,
            Some(LaneType::Bits) => Lanes::Bits(select.bits(&node.op)?),
            Some(ty) => select.number(ty, &node.op)?,
        };
    }
    let mut graph = select.graph;
    graph.hoist();
    Ok(graph)
}

pub struct Select<'a> {
    pub kernel: &'a Kernel,
    shape: Shape,
    pub graph: Graph,
    values: Vec<Lanes>,
    random: Vec<RandomWord>,
    pub floats: NeverMinusZero,
}

/// An instruction without mask and immediate.
pub fn plain(code: Code, sources: &[Id], fold: Fold) -> Instruct {
    let mut list = [0; 3];
    list[..sources.len()].copy_from_slice(sources);
    Instruct {
        code,
        class: Class::Vector,
        sources: list,
        count: sources.len() as u8,
        mask: None,
        immediate: None,
        fold,
        commutes: false,
        halves: 0,
    }
}

impl Select<'_> {
    /// Adds an instruction.
    pub fn push(&mut self, instruct: Instruct) -> Id {
        self.graph.add(Node::Do(instruct))
    }

    /// An operation on one vector.
    pub fn one(&mut self, code: Code, fold: Fold, a: Id) -> Id {
        self.push(plain(code, &[a], fold))
    }

    /// An operation on two vectors.
    pub fn two(&mut self, code: Code, fold: Fold, a: Id, b: Id) -> Id {
        self.push(plain(code, &[a, b], fold))
    }

    /// One that gives the same when its operands are exchanged.
    pub fn exchangeable(&mut self, code: Code, fold: Fold, a: Id, b: Id) -> Id {
        let (a, b) = (a.min(b), a.max(b));
        self.push(Instruct { commutes: true, ..plain(code, &[a, b], fold) })
    }

    /// `a & b`, bit by bit.
    pub fn and(&mut self, a: Id, b: Id) -> Id {
        self.exchangeable(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, Fold::Four, a, b)
    }

    /// An operation on masks.
    pub fn logic(&mut self, code: Code, a: Id, b: Id) -> Id {
        self.push(Instruct { class: Class::Mask, ..plain(code, &[a, b], Fold::No) })
    }

    /// `!a`
    pub fn not(&mut self, a: Id) -> Id {
        self.push(Instruct { class: Class::Mask, ..plain(Code::VEX_Knotw_kr_kr, &[a], Fold::No) })
    }

    /// A comparison, false where `mask` is.
    pub fn comparison(&mut self, code: Code, fold: Fold, predicate: u8, a: Id, b: Id, mask: Option<Id>) -> Id {
        let mask = mask.map(|mask| (mask, Masking::Choose));
        let instruct = plain(code, &[a, b], fold);
        self.push(Instruct { class: Class::Mask, immediate: Some(predicate), mask, ..instruct })
    }

    /// The same where the mask is true, 0 elsewhere.
    pub fn kept(&mut self, mask: Id, a: Id) -> Id {
        let code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
        self.push(Instruct { mask: Some((mask, Masking::Zero)), ..plain(code, &[a], Fold::Whole) })
    }

    /// The value of a node.
    pub fn value(&self, id: ValueId) -> Lanes {
        self.values[id.0 as usize]
    }

    /// A node's mask.
    pub fn mask(&self, id: ValueId) -> Id {
        match self.value(id) {
            Lanes::Bits(mask) => mask,
            _ => unreachable!("verified: {id:?} is of bits and stands before its user"),
        }
    }

    /// A node's vectors.
    pub fn parts(&self, id: ValueId) -> Vec<Id> {
        match self.value(id) {
            Lanes::One(vector) => vec![vector],
            Lanes::Two(vectors) => vectors.to_vec(),
            _ => unreachable!("verified: {id:?} is a number and stands before its user"),
        }
    }

    /// A node's only vector.
    pub fn single(&self, id: ValueId) -> Id {
        self.parts(id)[0]
    }

    /// The type of a node that is no store.
    pub fn ty(&self, id: ValueId) -> LaneType {
        self.kernel.node(id).ty.expect("verified: no store is an operand")
    }

    /// The constant that a node is.
    pub fn constant(&self, id: ValueId) -> Option<Value> {
        if let Op::Const(value) = self.kernel.node(id).op { Some(value) } else { None }
    }

    /// Both halves of a mask, each in the low 8 bits.
    pub fn mask_halves(&mut self, mask: Id) -> [Id; 2] {
        let upper = plain(Code::VEX_Kshiftrw_kr_kr_imm8, &[mask], Fold::No);
        [mask, self.push(Instruct { class: Class::Mask, immediate: Some(8), ..upper })]
    }

    /// A mask of two halves.
    pub fn joined_masks(&mut self, [low, high]: [Id; 2]) -> Id {
        self.logic(Code::VEX_Kunpckbw_kr_kr_kr, high, low)
    }

    /// Bit `bit` of each element.
    pub fn test(&mut self, a: Id, bit: u32) -> Id {
        let place = self.graph.four(bit);
        let code = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
        self.push(Instruct { class: Class::Mask, commutes: true, ..plain(code, &[a, place], Fold::Four) })
    }

    fn load(&mut self, load: Load, base: Base, offset: i32, pace: Pace) -> Id {
        self.graph.add(Node::Load(load, Place { base, offset, pace }))
    }

    /// A column of numbers.
    fn numbers(&mut self, ty: LaneType, base: Base, offset: i32) -> Lanes {
        match ty {
            LaneType::Bits => unreachable!("bits are no numbers"),
            LaneType::U8 => Lanes::One(self.load(Load::Bytes, base, offset, Pace::Byte)),
            LaneType::I32 | LaneType::U32 | LaneType::F32 => {
                Lanes::One(self.load(Load::Whole, base, offset, Pace::Word))
            }
            LaneType::F64 => {
                let part = |part: i32| offset + 64 * part;
                Lanes::Two([0, 1].map(|i| self.load(Load::Whole, base, part(i), Pace::Double)))
            }
        }
    }

    /// The same number in all lanes, from a call or a parameter.
    fn still(&mut self, ty: LaneType, base: Base, offset: i32) -> Lanes {
        if ty == LaneType::F64 {
            let value = self.load(Load::Eight, base, offset, Pace::Still);
            return Lanes::Two([value; 2]);
        }
        Lanes::One(self.load(Load::Four, base, offset, Pace::Still))
    }

    fn offset(&self, state: u16, plane: u8, micro: u32) -> Result<i32, Problem> {
        let offset = column(self.kernel, self.shape, state, plane, micro);
        // With room for a second vector.
        i32::try_from(offset).ok().filter(|offset| *offset < i32::MAX - 128).ok_or(Problem::TooLarge)
    }

    fn read(&self, state: u16, direction: Direction) -> Base {
        let dimension = self.kernel.micro.dimension;
        let places = 1 + Direction::all(dimension).len();
        let place = direction.index(dimension).map_or(0, |index| 1 + index);
        Base::Element(offset_of!(Call, reads) as u16, 8 * (usize::from(state) * places + place) as i32)
    }

    fn bits(&mut self, op: &Op) -> Result<Id, Problem> {
        Ok(match op {
            Op::Load { state, plane, direction, micro } => {
                let offset = self.offset(*state, *plane, *micro)?;
                self.load(Load::Mask, self.read(*state, *direction), offset, Pace::Bit)
            }
            Op::Presence(direction) => {
                let place = direction.index(self.kernel.micro.dimension).expect("verified: not the centre");
                let base = Base::Element(offset_of!(Call, presence) as u16, 8 * place as i32);
                self.load(Load::Mask, base, 0, Pace::Bit)
            }
            Op::Param { param, plane } => {
                let base = Base::Field(offset_of!(Call, params) as u16);
                let word = self.load(Load::Four, base, 8 * i32::from(*param), Pace::Still);
                self.test(word, 1 << plane)
            }
            Op::Const(value) => self.graph.add(Node::Mask(*value == Value::Bit(true))),
            Op::Not(a) => self.not(self.mask(*a)),
            Op::Logic(op, a, b) => {
                let (a, b) = (self.mask(*a), self.mask(*b));
                match op {
                    LogicOp::And => self.logic(Code::VEX_Kandw_kr_kr_kr, a.min(b), a.max(b)),
                    LogicOp::Or => self.logic(Code::VEX_Korw_kr_kr_kr, a.min(b), a.max(b)),
                    LogicOp::Xor => self.logic(Code::VEX_Kxorw_kr_kr_kr, a.min(b), a.max(b)),
                    // The instruction negates its first operand.
                    LogicOp::AndNot => self.logic(Code::VEX_Kandnw_kr_kr_kr, b, a),
                }
            }
            Op::Table { table, operands } => {
                let operands = operands.map(|operand| self.mask(operand));
                self.table(*table, operands)
            }
            Op::Digit { value, bit } => self.test(self.single(*value), 1 << bit),
            Op::Compare(op, x, y) => self.compare(*op, *x, *y),
            Op::Chance { word, probability } => self.chance(*word, *probability),
            op => unreachable!("verified: {op:?} gives no bits"),
        })
    }

    /// Any function of three masks, as the choice by the first between functions of the others.
    fn table(&mut self, table: u8, [a, b, c]: [Id; 3]) -> Id {
        let zero = self.of_two(table & 15, b, c);
        let one = self.of_two(table >> 4, b, c);
        let differ = self.logic(Code::VEX_Kxorw_kr_kr_kr, zero, one);
        let flipped = self.logic(Code::VEX_Kandw_kr_kr_kr, differ, a);
        self.logic(Code::VEX_Kxorw_kr_kr_kr, zero, flipped)
    }

    /// A function of two masks: bit `2x + y` of `function`.
    fn of_two(&mut self, function: u8, x: Id, y: Id) -> Id {
        let mut either = self.graph.add(Node::Mask(false));
        for row in (0..4).filter(|row| function >> row & 1 == 1) {
            let x = if row & 2 == 2 { x } else { self.not(x) };
            let y = if row & 1 == 1 { y } else { self.not(y) };
            let both = self.logic(Code::VEX_Kandw_kr_kr_kr, x, y);
            either = self.logic(Code::VEX_Korw_kr_kr_kr, either, both);
        }
        either
    }

    fn number(&mut self, ty: LaneType, op: &Op) -> Result<Lanes, Problem> {
        let call = |offset: usize| offset as i32;
        Ok(match op {
            Op::Load { state, plane, direction, micro } => {
                let offset = self.offset(*state, *plane, *micro)?;
                self.numbers(ty, self.read(*state, *direction), offset)
            }
            Op::LaneCorner(axis) => {
                let base = Base::Element(offset_of!(Call, lane_corners) as u16, 8 * i32::from(*axis));
                self.numbers(ty, base, 0)
            }
            Op::SuperblockCorner(axis) => {
                let offset = offset_of!(Call, superblock_corner) + 4 * usize::from(*axis);
                self.still(ty, Base::Call, call(offset))
            }
            Op::Param { param, .. } => {
                self.still(ty, Base::Field(offset_of!(Call, params) as u16), 8 * i32::from(*param))
            }
            Op::Level => self.still(ty, Base::Call, call(offset_of!(Call, level))),
            Op::Side => self.still(ty, Base::Call, call(offset_of!(Call, side))),
            Op::Time { ahead } => {
                let Lanes::One(time) = self.still(ty, Base::Call, call(offset_of!(Call, time))) else {
                    unreachable!("verified: times are u32")
                };
                let ahead = self.graph.four(*ahead);
                Lanes::One(self.exchangeable(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, Fold::Four, time, ahead))
            }
            Op::Random { draw, micro } => {
                let word = RandomWord { micro: *micro, draw: *draw };
                let number = self.random.binary_search(&word).expect("it is among those that the kernel asks for");
                let offset = i32::try_from(4 * number * self.shape.stride).map_err(|_| Problem::TooLarge)?;
                self.numbers(ty, Base::Field(offset_of!(Call, random) as u16), offset)
            }
            Op::Const(value) => self.splat(*value),
            op => match *self.operation(ty, op) {
                [vector] => Lanes::One(vector),
                [low, high] => Lanes::Two([low, high]),
                _ => unreachable!("numbers take one vector or two"),
            },
        })
    }

    fn splat(&mut self, value: Value) -> Lanes {
        match value {
            Value::F64(_) => Lanes::Two([self.graph.eight(value.bits()); 2]),
            value => Lanes::One(self.graph.four(value.bits() as u32)),
        }
    }

    fn store(&mut self, op: &Op) -> Result<Lanes, Problem> {
        let Op::Store { state, plane, micro, value } = op else { unreachable!("verified: only stores have no type") };
        let base = Base::Element(offset_of!(Call, writes) as u16, 8 * i32::from(*state));
        let offset = self.offset(*state, *plane, *micro)?;
        let ty = self.ty(*value);
        // A column of half a group is written without what stands behind it.
        let is_half = self.shape.stride < LANES;
        let loaded = matches!(self.kernel.node(*value).op, Op::Load { .. });
        let place = |offset: i32, pace: Pace| Place { base, offset, pace };
        match ty {
            LaneType::Bits => self.graph.store(Store::Mask, place(offset, Pace::Bit), self.mask(*value)),
            LaneType::U8 => {
                let store = if is_half { Store::HalfBytes } else { Store::Bytes };
                self.graph.store(store, place(offset, Pace::Byte), self.single(*value));
            }
            LaneType::I32 | LaneType::U32 | LaneType::F32 => {
                let mut vector = self.single(*value);
                // What was loaded is canonical already.
                if ty == LaneType::F32 && !loaded {
                    let quiet = self.graph.four(QUIET_NAN_F32);
                    let code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
                    let nan = self.comparison(code, Fold::Four, predicate::UNORDERED, vector, vector, None);
                    vector = self.blend(ty, nan, quiet, vector);
                }
                let store = if is_half { Store::Half } else { Store::Whole };
                self.graph.store(store, place(offset, Pace::Word), vector);
            }
            LaneType::F64 => {
                let parts = self.parts(*value);
                for (part, place) in parts.into_iter().zip([0, 64].map(|more| place(offset + more, Pace::Double))) {
                    let mut vector = part;
                    if is_half && place.offset != offset {
                        break;
                    }
                    if !loaded {
                        let quiet = self.graph.eight(QUIET_NAN_F64);
                        let code = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
                        let nan = self.comparison(code, Fold::Eight, predicate::UNORDERED, vector, vector, None);
                        vector = self.blend(ty, nan, quiet, vector);
                    }
                    self.graph.store(Store::Whole, place, vector);
                }
            }
        }
        Ok(Lanes::Nothing)
    }

    /// `mask ? then : otherwise` of vectors.
    pub fn blend(&mut self, ty: LaneType, mask: Id, then: Id, otherwise: Id) -> Id {
        let (code, fold) = if ty == LaneType::F64 {
            (Code::EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64, Fold::Eight)
        } else {
            (Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32, Fold::Four)
        };
        self.push(Instruct { mask: Some((mask, Masking::Choose)), ..plain(code, &[otherwise, then], fold) })
    }
}
