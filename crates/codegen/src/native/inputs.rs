//! What a kernel is called with: pointers and scalars from the [`Call`].

use crate::Call;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use squeeze_compiler::ir::Axes;
use squeeze_compiler::kernel::{Direction, Interface, Kernel, LaneType, Op, arithmetic, draw, logic, scalar_input};
use squeeze_compiler::layout::columns::{Columns, Shape};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// Of loads and stores of columns: they do not trap, and nothing is said of alignment.
pub(super) fn memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// The pointers that a kernel needs, loaded in the entry block. Those that do not fit in registers are spilled,
/// which is as good as to load them from the call again.
pub(super) struct Inputs {
    call: Value,
    /// The host's pointers.
    pub pointer: Type,
    reads: BTreeMap<usize, Value>,
    writes: BTreeMap<u16, Value>,
    presence: BTreeMap<usize, Value>,
    corners: BTreeMap<u8, Value>,
    odd_corners: BTreeMap<u8, Value>,
    /// The first parameter.
    pub params: Value,
}

impl Inputs {
    /// Loads what the kernel names.
    pub(super) fn new(b: &mut FunctionBuilder<'_>, kernel: &Kernel, call: Value) -> Inputs {
        let pointer = b.func.dfg.value_type(call);
        let trusted = MemFlagsData::trusted();
        let mut list = |offset: usize| b.ins().load(pointer, trusted, call, offset as i32);
        let reads = list(offset_of!(Call, reads));
        let writes = list(offset_of!(Call, writes));
        let presence = list(offset_of!(Call, presence));
        let corners = list(offset_of!(Call, lane_corners));
        let odd_corners = list(offset_of!(Call, odd_corners));
        let params = list(offset_of!(Call, params));
        let empty = BTreeMap::new;
        let mut inputs = Inputs {
            call,
            pointer,
            reads: empty(),
            writes: BTreeMap::new(),
            presence: empty(),
            corners: BTreeMap::new(),
            odd_corners: BTreeMap::new(),
            params,
        };
        let size = pointer.bytes() as usize;
        let mut element = |list: Value, index: usize| b.ins().load(pointer, trusted, list, (index * size) as i32);
        for node in &kernel.nodes {
            match node.op {
                Op::Load { state, direction, .. } => {
                    let index = place(kernel, state, direction);
                    inputs.reads.entry(index).or_insert_with(|| element(reads, index));
                }
                Op::Store { state, .. } => {
                    inputs.writes.entry(state).or_insert_with(|| element(writes, usize::from(state)));
                }
                Op::Presence(direction) => {
                    let index = direction_index(kernel, direction);
                    inputs.presence.entry(index).or_insert_with(|| element(presence, index));
                }
                Op::LaneCorner(axis) => {
                    inputs.corners.entry(axis).or_insert_with(|| element(corners, usize::from(axis)));
                }
                Op::OddCorner(axes) => {
                    let place = || element(odd_corners, usize::from(axes.set()));
                    inputs.odd_corners.entry(axes.set()).or_insert_with(place);
                }
                // These need no pointer of their own, or load one where they use it.
                scalar_input!() | draw!() | logic!() | arithmetic!() => {}
            }
        }
        inputs
    }

    /// The superblock's columns of a state in a direction.
    pub(super) fn read(&self, kernel: &Kernel, state: u16, direction: Direction) -> Value {
        self.reads[&place(kernel, state, direction)]
    }

    /// The superblock's new columns of a state.
    pub(super) fn write(&self, state: u16) -> Value {
        self.writes[&state]
    }

    /// The words of presence in a direction.
    pub(super) fn presence(&self, kernel: &Kernel, direction: Direction) -> Value {
        self.presence[&direction_index(kernel, direction)]
    }

    /// The lanes' corners on an axis.
    pub(super) fn corners(&self, axis: u8) -> Value {
        self.corners[&axis]
    }

    /// The words of odd corners on some axes.
    pub(super) fn odd_corners(&self, axes: Axes) -> Value {
        self.odd_corners[&axes.set()]
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

fn direction_index(kernel: &Kernel, direction: Direction) -> usize {
    let place = Interface::of(kernel).place(kernel.micro.dimension, direction);
    place.expect("verified: no centre, and of the dimension")
}

/// Where `Call::reads` holds a superblock's columns.
fn place(kernel: &Kernel, state: u16, direction: Direction) -> usize {
    let dimension = kernel.micro.dimension;
    let interface = Interface::of(kernel);
    let place = interface.place(dimension, direction);
    interface.block(dimension, kernel.states.len(), usize::from(state), place)
}

/// Where a plane's column begins, in bytes from the superblock's first.
pub(super) fn column(kernel: &Kernel, shape: Shape, state: u16, plane: u8, micro: u32) -> u64 {
    let planes = kernel.states[usize::from(state)].planes;
    Columns::new(planes, shape, kernel.micro.cells.len()).offset(plane, micro)
}

/// The bytes of one number; `None` for bits.
pub(crate) fn element_bytes(ty: LaneType) -> Option<u64> {
    match ty {
        LaneType::Bits => None,
        ty => Some(u64::from(ty.width() / 8)),
    }
}

/// `base + offset`, split in a value and what an instruction holds.
pub(super) fn address(b: &mut FunctionBuilder<'_>, base: Value, offset: u64) -> (Value, i32) {
    match i32::try_from(offset) {
        // Vectors are at most 64 bytes further.
        Ok(offset) if offset < i32::MAX - 64 => (base, offset),
        _ => (b.ins().iadd_imm_u(base, offset as i64), 0),
    }
}
