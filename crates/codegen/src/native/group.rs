//! Kernels with numbers: a loop over groups of [`GROUP`] lanes.
//!
//! The bits of a group are the low byte of an I32 (what stands above it means nothing). Numbers are vectors of 128 bits:
//! two of I32X4 or F32X4, four of F64X2, and for u8 and u16 one I16X8, whose elements stay below 256 for a u8.
//!
//! Where numbers meet bits, a comparison's masks are packed into the byte, and a byte is spread into masks: each once.

use super::inputs::{Inputs, address, begin_loop, memory};
use super::logic::{logic, table};
use crate::Call;
use crate::helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, ConstantData, Endianness, InstBuilder, MemFlagsData, SigRef, Signature, StackSlot, StackSlotData,
    StackSlotKind, Type, Value, types,
};
use cranelift_frontend::FunctionBuilder;
use squeeze_compiler::ir::Value as Constant;
use squeeze_compiler::kernel::{Kernel, LaneType, Op, ValueId, draw, number, uniform};
use squeeze_compiler::layout::columns::{GROUP, Shape};
use squeeze_compiler::numbers::value::{QUIET_NAN_F32, QUIET_NAN_F64};
use std::collections::HashMap;
use std::mem::offset_of;

/// How a vector's bytes are seen as another type's: lane 0 first.
pub(crate) fn lanes_in_order() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

/// The vectors that hold a group of numbers.
pub(super) fn vector(ty: LaneType) -> (Type, usize) {
    match ty {
        LaneType::Bits => unreachable!("bits of a group are no vector"),
        LaneType::U8 | LaneType::U16 => (types::I16X8, 1),
        LaneType::I32 | LaneType::U32 => (types::I32X4, 2),
        LaneType::F32 => (types::F32X4, 2),
        LaneType::I64 => (types::I64X2, 4),
        LaneType::F64 => (types::F64X2, 4),
    }
}

/// Emits the kernel, from the entry block to the block that returns.
pub(super) fn emit(b: &mut FunctionBuilder<'_>, kernel: &Kernel, shape: Shape, call: Value) {
    let inputs = Inputs::new(b, kernel, shape, call);
    let slot = |b: &mut FunctionBuilder<'_>| {
        b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * GROUP as u32, 4))
    };
    let pointer = inputs.pointer;
    let mut group = GroupBuilder {
        slots: [slot(b), slot(b), slot(b)],
        b,
        kernel,
        shape,
        inputs,
        group: None,
        offsets: HashMap::new(),
        values: vec![GroupValue::Nothing; kernel.nodes.len()],
        masks: HashMap::new(),
        constants: HashMap::new(),
        signatures: HashMap::new(),
    };
    let uniform = uniform(kernel);
    group.nodes(|node| uniform[node]);
    let groups = shape.stride / GROUP;
    if groups == 1 {
        group.nodes(|node| !uniform[node]);
        return;
    }
    let (body, exit, index) = begin_loop(group.b, pointer);
    group.group = Some(index);
    group.nodes(|node| !uniform[node]);
    let b = group.b;
    let next = b.ins().iadd_imm_u(index, 1);
    let more = b.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, groups as i64);
    b.ins().brif(more, body, &[next.into()], exit, &[]);
    b.switch_to_block(exit);
}

/// The value of a node in a group.
#[derive(Clone, Debug)]
pub(crate) enum GroupValue {
    /// Of a store, or not yet emitted.
    Nothing,
    /// A byte.
    Bits(Value),
    /// Vectors.
    Number(Vec<Value>),
}

pub(super) struct GroupBuilder<'a, 'b> {
    pub b: &'a mut FunctionBuilder<'b>,
    pub kernel: &'a Kernel,
    shape: Shape,
    pub(super) inputs: Inputs<'a>,
    /// The number of the group; `None` if there is one only.
    group: Option<Value>,
    /// The group's number times powers of two.
    offsets: HashMap<i64, Value>,
    values: Vec<GroupValue>,
    /// Bits as masks of a width (16, 32 or 64).
    masks: HashMap<(ValueId, u32), Vec<Value>>,
    constants: HashMap<(Type, [u8; 16]), Value>,
    signatures: HashMap<Vec<Type>, SigRef>,
    /// Where helpers find two operands, and leave the result.
    pub(super) slots: [StackSlot; 3],
}

impl GroupBuilder<'_, '_> {
    /// Emits the nodes that `wanted` says.
    fn nodes(&mut self, wanted: impl Fn(usize) -> bool) {
        let kernel = self.kernel;
        for (index, node) in kernel.nodes.iter().enumerate() {
            if wanted(index) {
                let id = ValueId(index as u32);
                self.values[index] = match node.ty {
                    None => self.store(&node.op),
                    Some(LaneType::Bits) => GroupValue::Bits(self.bits(id, &node.op)),
                    Some(ty) => GroupValue::Number(self.number(ty, &node.op)),
                };
            }
        }
    }

    /// A node's byte.
    pub(super) fn byte(&self, id: ValueId) -> Value {
        match self.values[id.0 as usize] {
            GroupValue::Bits(value) => value,
            _ => unreachable!("verified: {id:?} is of bits and stands before its user"),
        }
    }

    /// A node's vectors.
    pub(super) fn parts(&self, id: ValueId) -> Vec<Value> {
        match &self.values[id.0 as usize] {
            GroupValue::Number(parts) => parts.clone(),
            _ => unreachable!("verified: {id:?} is a number and stands before its user"),
        }
    }

    /// The type of a node that is no store.
    pub(super) fn ty(&self, id: ValueId) -> LaneType {
        self.kernel.node(id).ty.expect("verified: no store is an operand")
    }

    /// The constant that a node is.
    pub(super) fn constant(&self, id: ValueId) -> Option<Constant> {
        if let Op::Const(value) = self.kernel.node(id).op { Some(value) } else { None }
    }

    /// Where this group's part of a column begins that has `bytes` bytes a group and stands at `base + offset`.
    fn here(&mut self, base: Value, bytes: u64, offset: u64) -> (Value, i32) {
        let Some(group) = self.group else { return address(self.b, base, offset) };
        let shift = i64::from(bytes.ilog2());
        let known = self.offsets.get(&shift).copied();
        let moved = known.unwrap_or_else(|| {
            let moved = if shift == 0 { group } else { self.b.ins().ishl_imm_u(group, shift) };
            self.offsets.insert(shift, moved);
            moved
        });
        let base = self.b.ins().iadd(base, moved);
        address(self.b, base, offset)
    }

    /// A constant vector, made once.
    pub(crate) fn vector_constant(&mut self, ty: Type, bytes: [u8; 16]) -> Value {
        if let Some(value) = self.constants.get(&(ty, bytes)) {
            return *value;
        }
        let pool = self.b.func.dfg.constants.insert(ConstantData::from(&bytes[..]));
        let value = self.b.ins().vconst(ty, pool);
        self.constants.insert((ty, bytes), value);
        value
    }

    /// A constant vector with the same bits in all elements of `ty`'s width.
    pub(crate) fn splat_bits(&mut self, ty: Type, bits: u64) -> Value {
        let size = ty.lane_bits() as usize / 8;
        let bytes = std::array::from_fn(|i| bits.to_le_bytes()[i % size]);
        self.vector_constant(ty, bytes)
    }

    /// The same bits as another type.
    pub(crate) fn cast_bits(&mut self, ty: Type, value: Value) -> Value {
        if self.b.func.dfg.value_type(value) == ty {
            return value;
        }
        self.b.ins().bitcast(ty, lanes_in_order(), value)
    }

    fn bits(&mut self, id: ValueId, op: &Op) -> Value {
        match op {
            Op::Load(_) | Op::Presence(_) | Op::OddCorner(_) => {
                let (base, offset) = self.inputs.column(op);
                let (base, offset) = self.here(base, 1, offset);
                self.b.ins().uload8(types::I32, memory(), base, offset)
            }
            Op::Param { param, plane } => {
                let word = self.inputs.param_bit(self.b, *param, *plane);
                self.b.ins().ireduce(types::I32, word)
            }
            Op::Const(Constant::Bit(bit)) => byte_constant(self.b, *bit),
            Op::Not(a) => {
                let a = self.byte(*a);
                self.b.ins().bnot(a)
            }
            Op::Logic(op, x, y) => {
                let (x, y) = (self.byte(*x), self.byte(*y));
                logic(self.b, *op, x, y)
            }
            Op::Table { table: bits, operands } => {
                let operands = operands.map(|operand| self.byte(operand));
                table(self.b, *bits, operands, byte_constant)
            }
            Op::Digit { value, bit } => {
                // The digit becomes the sign, which is packed.
                let (elements, _) = vector(self.ty(*value));
                let up = i64::from(elements.lane_bits()) - 1 - i64::from(*bit);
                let parts = self.parts(*value);
                let signs: Vec<Value> = parts.into_iter().map(|part| self.shift_left(part, up)).collect();
                self.pack(&signs)
            }
            Op::Compare(op, x, y) => {
                let masks = self.compare(*op, *x, *y);
                let byte = self.pack(&masks);
                self.keep_masks(id, masks);
                byte
            }
            Op::Chance { word, probability } => {
                let masks = self.chance(*word, *probability);
                let byte = self.pack(&masks);
                self.keep_masks(id, masks);
                byte
            }
            Op::Const(_)
            | Op::LaneCorner(_)
            | Op::SuperblockCorner(_)
            | Op::Level
            | Op::Side
            | Op::Time { .. }
            | Op::Store { .. }
            | draw!()
            | number!() => unreachable!("verified: these give no bits"),
        }
    }

    fn number(&mut self, ty: LaneType, op: &Op) -> Vec<Value> {
        let (vector_ty, parts) = vector(ty);
        match op {
            Op::Load(_) | Op::LaneCorner(_) => self.load(ty, self.inputs.column(op)),
            Op::SuperblockCorner(axis) => {
                let offset = offset_of!(Call, superblock_corner) + 4 * usize::from(*axis);
                let corner = self.inputs.field(self.b, types::I32, offset);
                self.splat(ty, corner)
            }
            Op::Param { param, .. } => {
                let scalar = match ty {
                    LaneType::U8 => types::I8,
                    _ => vector_ty.lane_type(),
                };
                let offset = 8 * i32::from(*param);
                let value = self.b.ins().load(scalar, MemFlagsData::trusted(), self.inputs.params, offset);
                let value = if ty == LaneType::U8 { self.b.ins().uextend(types::I16, value) } else { value };
                self.splat(ty, value)
            }
            Op::Level | Op::Side => {
                let at = if *op == Op::Level { offset_of!(Call, level) } else { offset_of!(Call, side) };
                let number = self.inputs.field(self.b, types::I32, at);
                self.splat(ty, number)
            }
            Op::Time { ahead } => {
                let time = self.inputs.field(self.b, types::I32, offset_of!(Call, time));
                let time = self.b.ins().iadd_imm_u(time, i64::from(*ahead));
                self.splat(ty, time)
            }
            Op::Random { draw, micro } => {
                let number = self.inputs.interface.random_column(*draw, *micro).expect("the kernel asks for it");
                let base = self.inputs.field(self.b, self.inputs.pointer, offset_of!(Call, random));
                self.load(ty, (base, (4 * number * self.shape.stride) as u64))
            }
            Op::Const(value) => {
                let value = self.splat_bits(vector_ty, value.bits());
                vec![value; parts]
            }
            Op::Count(terms) => {
                let mut count = vec![self.splat_bits(vector_ty, 0); parts];
                for term in terms {
                    // A true mask is −1.
                    let masks = self.masks(*term, 32);
                    count = self.zip(&count, &masks, |b, count, mask| b.ins().isub(count, mask));
                }
                count
            }
            op => self.operation(ty, op),
        }
    }

    /// The place of this group's first random word of a node among all.
    pub(super) fn random_place(&mut self, word: ValueId) -> Value {
        let (draw, micro) = self.kernel.drawn(word);
        let number = self.inputs.interface.random_column(draw, micro).expect("the kernel asks for it");
        let first = self.b.ins().iconst(self.inputs.pointer, (number * self.shape.stride) as i64);
        let Some(group) = self.group else { return first };
        let lanes = self.b.ins().imul_imm_u(group, GROUP as i64);
        self.b.ins().iadd(first, lanes)
    }

    fn splat(&mut self, ty: LaneType, scalar: Value) -> Vec<Value> {
        let (vector_ty, parts) = vector(ty);
        vec![self.b.ins().splat(vector_ty, scalar); parts]
    }

    /// This group's part of a column of numbers that begins at `base + offset`.
    fn load(&mut self, ty: LaneType, (base, offset): (Value, u64)) -> Vec<Value> {
        let (base, offset) = self.here(base, group_bytes(ty), offset);
        self.load_at(ty, base, offset)
    }

    pub(super) fn load_at(&mut self, ty: LaneType, base: Value, offset: i32) -> Vec<Value> {
        if ty == LaneType::U8 {
            return vec![self.b.ins().uload8x8(memory(), base, offset)];
        }
        let (vector_ty, parts) = vector(ty);
        (0..parts as i32).map(|part| self.b.ins().load(vector_ty, memory(), base, offset + 16 * part)).collect()
    }

    pub(super) fn store_at(&mut self, ty: LaneType, parts: &[Value], base: Value, offset: i32) {
        if ty == LaneType::U8 {
            let bytes = self.b.ins().unarrow(parts[0], parts[0]);
            let words = self.cast_bits(types::I64X2, bytes);
            let word = self.b.ins().extractlane(words, 0);
            self.b.ins().store(memory(), word, base, offset);
            return;
        }
        for (part, offset) in parts.iter().zip((offset..).step_by(16)) {
            self.b.ins().store(memory(), *part, base, offset);
        }
    }

    fn store(&mut self, op: &Op) -> GroupValue {
        let Op::Store { value, .. } = op else { unreachable!("verified: only stores have no type") };
        let (ty, (base, offset)) = (self.ty(*value), self.inputs.column(op));
        let (base, offset) = self.here(base, group_bytes(ty), offset);
        if ty == LaneType::Bits {
            let byte = self.byte(*value);
            self.b.ins().istore8(memory(), byte, base, offset);
        } else {
            let parts = self.parts(*value);
            self.store_at(ty, &parts, base, offset);
        }
        GroupValue::Nothing
    }

    /// Each NaN becomes the one that is stored.
    pub(super) fn canonical(&mut self, ty: LaneType, part: Value) -> Value {
        use cranelift_codegen::ir::condcodes::FloatCC;
        let (vector_ty, _) = vector(ty);
        let quiet = if ty == LaneType::F32 { u64::from(QUIET_NAN_F32) } else { QUIET_NAN_F64 };
        let quiet = self.splat_bits(vector_ty, quiet);
        let nan = self.b.ins().fcmp(FloatCC::Unordered, part, part);
        let nan = self.cast_bits(vector_ty, nan);
        self.b.ins().bitselect(nan, quiet, part)
    }

    /// The same for each part of two numbers.
    pub(super) fn zip(
        &mut self,
        x: &[Value],
        y: &[Value],
        f: impl Fn(&mut FunctionBuilder<'_>, Value, Value) -> Value,
    ) -> Vec<Value> {
        x.iter().zip(y).map(|(x, y)| f(self.b, *x, *y)).collect()
    }

    /// The sign bits of all elements as a byte.
    fn pack(&mut self, masks: &[Value]) -> Value {
        let step = (GROUP / masks.len()) as i64;
        let mut byte = self.b.ins().vhigh_bits(types::I32, masks[0]);
        for (mask, place) in masks[1..].iter().zip(1..) {
            let bits = self.b.ins().vhigh_bits(types::I32, *mask);
            let bits = self.b.ins().ishl_imm_u(bits, step * place);
            byte = self.b.ins().bor(byte, bits);
        }
        byte
    }

    fn keep_masks(&mut self, id: ValueId, masks: Vec<Value>) {
        let width = 16 * masks.len() as u32;
        self.masks.insert((id, width), masks);
    }

    /// Bits as masks of 16, 32 or 64 bits, all ones where true.
    pub(super) fn masks(&mut self, id: ValueId, width: u32) -> Vec<Value> {
        if let Some(masks) = self.masks.get(&(id, width)) {
            return masks.clone();
        }
        let masks: Vec<Value> = if width == 64 {
            let narrow = self.masks(id, 32);
            let halves =
                |b: &mut FunctionBuilder<'_>, part: Value| [b.ins().swiden_low(part), b.ins().swiden_high(part)];
            narrow.into_iter().flat_map(|part| halves(self.b, part)).collect()
        } else {
            let ty = if width == 16 { types::I16X8 } else { types::I32X4 };
            let byte = self.byte(id);
            let byte = if width == 16 { self.b.ins().ireduce(types::I16, byte) } else { byte };
            let all = self.b.ins().splat(ty, byte);
            let (size, count) = (width as usize / 8, width as usize / 16);
            let part = |part: usize| {
                // Element e of a part is lane `e + part · elements`.
                let mut bytes = [0; 16];
                (0..16 / size).for_each(|e| bytes[e * size] = 1u8 << (e + part * (16 / size)));
                bytes
            };
            (0..count)
                .map(|index| {
                    let place = self.vector_constant(ty, part(index));
                    let own = self.b.ins().band(all, place);
                    self.b.ins().icmp(IntCC::Equal, own, place)
                })
                .collect()
        };
        self.masks.insert((id, width), masks.clone());
        masks
    }

    /// Calls a function of this program that gives nothing.
    pub(super) fn call(&mut self, function: usize, arguments: &[Value]) {
        let types: Vec<Type> = arguments.iter().map(|value| self.b.func.dfg.value_type(*value)).collect();
        let known = self.signatures.get(&types).copied();
        let signature = known.unwrap_or_else(|| {
            let mut signature = Signature::new(self.b.func.signature.call_conv);
            signature.params = types.iter().map(|ty| AbiParam::new(*ty)).collect();
            let signature = self.b.import_signature(signature);
            self.signatures.insert(types, signature);
            signature
        });
        let callee = self.b.ins().iconst(self.inputs.pointer, function as i64);
        self.b.ins().call_indirect(signature, callee, arguments);
    }

    /// Lets a [helper](helpers) compute a group: one or two operands, and the result.
    pub(super) fn help(
        &mut self,
        helper: helpers::GroupFunction,
        operands: &[(LaneType, Vec<Value>)],
        ty: LaneType,
    ) -> Vec<Value> {
        let pointer = self.inputs.pointer;
        let mut arguments = Vec::with_capacity(3);
        for ((of, parts), slot) in operands.iter().zip(self.slots) {
            let at = self.b.ins().stack_addr(pointer, slot, 0);
            self.store_at(*of, parts, at, 0);
            arguments.push(at);
        }
        let out = self.b.ins().stack_addr(pointer, self.slots[2], 0);
        arguments.push(out);
        self.call(helper.plain, &arguments);
        self.load_at(ty, out, 0)
    }
}

/// The bytes of a group in memory.
fn group_bytes(ty: LaneType) -> u64 {
    u64::from(ty.width()) * GROUP as u64 / 8
}

fn byte_constant(b: &mut FunctionBuilder<'_>, bit: bool) -> Value {
    b.ins().iconst(types::I32, if bit { 0xff } else { 0 })
}
