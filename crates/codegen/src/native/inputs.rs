//! The arguments of a kernel: pointers and scalars from the [`Call`].

use crate::Call;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use squeeze_compiler::kernel::{Interface, Kernel, Load, Op, arithmetic, draw, logic, scalar_input};
use squeeze_compiler::layout::columns::{Columns, Shape};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// Of loads and stores of columns: they do not trap, and nothing is said of alignment.
pub(super) fn memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// The pointers that a kernel needs, loaded in the entry block. Those that do not fit in registers are spilled,
/// which is as good as to load them from the call again.
pub(super) struct Inputs<'a> {
    kernel: &'a Kernel,
    shape: Shape,
    /// The kernel's states and inputs.
    pub interface: Interface,
    /// The call.
    pub call: Value,
    /// The host's pointers.
    pub pointer: Type,
    blocks: BTreeMap<PointerPosition, Value>,
    /// The first parameter.
    pub params: Value,
}

/// Where a pointer stands: the offset of a list in the call, and the number of an element.
type PointerPosition = (usize, usize);

impl<'a> Inputs<'a> {
    /// Loads the pointers that the kernel names.
    pub(super) fn new(b: &mut FunctionBuilder<'_>, kernel: &'a Kernel, shape: Shape, call: Value) -> Inputs<'a> {
        let pointer = b.func.dfg.value_type(call);
        let size = pointer.bytes() as usize;
        let mut load = |list: Value, at: usize| b.ins().load(pointer, MemFlagsData::trusted(), list, at as i32);
        let params = load(call, offset_of!(Call, params));
        let (interface, blocks) = (Interface::of(kernel), BTreeMap::new());
        let mut inputs = Inputs { kernel, shape, interface, call, pointer, blocks, params };
        let mut lists = BTreeMap::new();
        for place in kernel.nodes.iter().filter_map(|node| inputs.place(&node.op)).collect::<Vec<_>>() {
            let list = *lists.entry(place.0).or_insert_with(|| load(call, place.0));
            inputs.blocks.entry(place).or_insert_with(|| load(list, place.1 * size));
        }
        inputs
    }

    /// Where the call holds the block of an operation.
    fn place(&self, op: &Op) -> Option<PointerPosition> {
        let dimension = self.kernel.micro.dimension;
        Some(match *op {
            Op::Load(Load { state, direction, .. }) => {
                let place = self.interface.place(dimension, direction);
                let states = self.kernel.states.len();
                (offset_of!(Call, reads), self.interface.block(dimension, states, usize::from(state), place))
            }
            Op::Store { state, .. } => (offset_of!(Call, writes), usize::from(state)),
            Op::Presence(direction) => (offset_of!(Call, presence), self.interface.place(dimension, direction)?),
            Op::LaneCorner(axis) => (offset_of!(Call, lane_corners), usize::from(axis)),
            Op::OddCorner(axes) => (offset_of!(Call, odd_corners), usize::from(axes.set())),
            // These need no pointer of their own, or load one where they use it.
            scalar_input!() | draw!() | logic!() | arithmetic!() => return None,
        })
    }

    /// The block of an operation that loads or stores, and where its column begins there, in bytes.
    pub(super) fn column(&self, op: &Op) -> (Value, u64) {
        let block = self.blocks[&self.place(op).expect("it has a block")];
        let (Op::Load(Load { state, plane, micro, .. }) | Op::Store { state, plane, micro, .. }) = *op else {
            return (block, 0);
        };
        let planes = self.kernel.states[usize::from(state)].planes;
        (block, Columns::new(planes, self.shape, self.kernel.micro.cells.len()).offset(plane, micro))
    }

    /// A number of the call, by its offset.
    pub(super) fn field(&self, b: &mut FunctionBuilder<'_>, ty: Type, offset: usize) -> Value {
        b.ins().load(ty, MemFlagsData::trusted(), self.call, offset as i32)
    }

    /// A parameter's plane of bits: all bits of an I64 are its bit.
    pub(crate) fn param_bit(&self, b: &mut FunctionBuilder<'_>, param: u16, plane: u8) -> Value {
        let word = b.ins().load(types::I64, MemFlagsData::trusted(), self.params, 8 * i32::from(param));
        let shifted = b.ins().ushr_imm_u(word, i64::from(plane));
        let bit = b.ins().band_imm_u(shifted, 1);
        b.ins().ineg(bit)
    }
}

/// `base + offset`, split in a value and the offset that an instruction holds.
pub(super) fn address(b: &mut FunctionBuilder<'_>, base: Value, offset: u64) -> (Value, i32) {
    match i32::try_from(offset) {
        // Vectors are at most 64 bytes further.
        Ok(offset) if offset < i32::MAX - 64 => (base, offset),
        _ => (b.ins().iadd_imm_u(base, offset as i64), 0),
    }
}

/// Begins a loop: its body, which is entered with a number that counts from 0, the block behind it, and the number.
pub(super) fn begin_loop(b: &mut FunctionBuilder<'_>, pointer: Type) -> (Block, Block, Value) {
    let (body, exit) = (b.create_block(), b.create_block());
    b.append_block_param(body, pointer);
    let zero = b.ins().iconst(pointer, 0);
    b.ins().jump(body, &[zero.into()]);
    b.switch_to_block(body);
    (body, exit, b.block_params(body)[0])
}
