//! Kernels of bits alone: a loop over the words of a column, 128 lanes at a time.
//!
//! The last turn overlaps the one before it where the words are not a multiple of four. That is harmless: what is written
//! was computed from the old buffers, so it is written again as it was.

use super::inputs::{Inputs, address, begin_loop, memory};
use super::logic::{logic, table};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;
use squeeze_compiler::ir::Value as Constant;
use squeeze_compiler::kernel::{Kernel, Op, arithmetic, draw, uniform};
use squeeze_compiler::layout::columns::Shape;

/// Bytes of a vector.
const VECTOR: i64 = 16;

/// Emits the kernel, from the entry block to the block that returns.
pub(super) fn emit(b: &mut FunctionBuilder<'_>, kernel: &Kernel, shape: Shape, call: Value) {
    let inputs = Inputs::new(b, kernel, shape, call);
    let pointer = inputs.pointer;
    let mut emitter = Emitter { b, kernel, shape, inputs, at: None, values: vec![None; kernel.nodes.len()] };
    let uniform = uniform(kernel);
    emitter.nodes(|node| uniform[node]);
    let last = 4 * shape.words as i64 - VECTOR;
    if last <= 0 {
        emitter.nodes(|node| !uniform[node]);
        return;
    }
    let (body, exit, at) = begin_loop(emitter.b, pointer);
    emitter.at = Some(at);
    emitter.nodes(|node| !uniform[node]);
    let b = emitter.b;
    let next = b.ins().iadd_imm_u(at, VECTOR);
    let (next, more) = if last % VECTOR == 0 {
        (next, b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, next, last))
    } else {
        let last = b.ins().iconst(pointer, last);
        let beyond = b.ins().icmp(IntCC::UnsignedGreaterThan, next, last);
        (b.ins().select(beyond, last, next), b.ins().icmp(IntCC::UnsignedLessThan, at, last))
    };
    b.ins().brif(more, body, &[next.into()], exit, &[]);
    b.switch_to_block(exit);
}

struct Emitter<'a, 'b> {
    b: &'a mut FunctionBuilder<'b>,
    kernel: &'a Kernel,
    shape: Shape,
    inputs: Inputs<'a>,
    /// How many bytes into each column the turn is; `None` if there is one turn only.
    at: Option<Value>,
    values: Vec<Option<Value>>,
}

impl Emitter<'_, '_> {
    /// Emits the nodes that `wanted` says.
    fn nodes(&mut self, wanted: impl Fn(usize) -> bool) {
        for (index, node) in self.kernel.nodes.iter().enumerate() {
            if wanted(index) {
                self.values[index] = self.node(&node.op);
            }
        }
    }

    fn node(&mut self, op: &Op) -> Option<Value> {
        let values = &self.values;
        let of = |id: &squeeze_compiler::kernel::ValueId| {
            values[id.0 as usize].expect("operands stand before their users, and uniform ones came first")
        };
        Some(match op {
            Op::Load(_) => {
                let (base, offset) = self.here(op);
                self.b.ins().load(types::I64X2, memory(), base, offset)
            }
            Op::Presence(_) | Op::OddCorner(_) => {
                let (base, _) = self.here(op);
                self.presence(base)
            }
            Op::Param { param, plane } => {
                let word = self.inputs.param_bit(self.b, *param, *plane);
                self.b.ins().splat(types::I64X2, word)
            }
            Op::Const(Constant::Bit(bit)) => constant(self.b, *bit),
            Op::Not(a) => {
                let a = of(a);
                self.b.ins().bnot(a)
            }
            Op::Logic(op, x, y) => {
                let (x, y) = (of(x), of(y));
                logic(self.b, *op, x, y)
            }
            Op::Table { table: bits, operands } => {
                let operands = [0, 1, 2].map(|i| of(&operands[i]));
                table(self.b, *bits, operands, constant)
            }
            Op::Store { value, .. } => {
                let value = of(value);
                let (base, offset) = self.here(op);
                self.store(value, base, offset);
                return None;
            }
            Op::Const(_)
            | Op::LaneCorner(_)
            | Op::SuperblockCorner(_)
            | Op::Level
            | Op::Side
            | Op::Time { .. }
            | draw!()
            | arithmetic!() => unreachable!("verified: a kernel of bits alone has none"),
        })
    }

    /// Where this turn's part of the column of an operation begins.
    fn here(&mut self, op: &Op) -> (Value, i32) {
        let (base, offset) = self.inputs.column(op);
        let base = self.at.map_or(base, |at| self.b.ins().iadd(base, at));
        address(self.b, base, offset)
    }

    /// Words of presence, or of odd corners: they are no column, and not read beyond their end.
    fn presence(&mut self, base: Value) -> Value {
        let low = match self.shape.words {
            1 => self.b.ins().uload32(memory(), base, 0),
            2 | 3 => self.b.ins().load(types::I64, memory(), base, 0),
            _ => return self.b.ins().load(types::I64X2, memory(), base, 0),
        };
        let vector = self.b.ins().scalar_to_vector(types::I64X2, low);
        if self.shape.words < 3 {
            return vector;
        }
        let high = self.b.ins().uload32(memory(), base, 8);
        self.b.ins().insertlane(vector, high, 1)
    }

    /// Stores a column's words and not one more.
    fn store(&mut self, value: Value, base: Value, offset: i32) {
        let words = self.shape.words;
        if words >= 4 {
            self.b.ins().store(memory(), value, base, offset);
            return;
        }
        if words >= 2 {
            let low = self.b.ins().extractlane(value, 0);
            self.b.ins().store(memory(), low, base, offset);
        }
        if words != 2 {
            let lane = words as u8 - 1;
            let value = self.b.ins().bitcast(types::I32X4, super::group::lanes_in_order(), value);
            let word = self.b.ins().extractlane(value, lane);
            self.b.ins().store(memory(), word, base, offset + 4 * i32::from(lane));
        }
    }
}

fn constant(b: &mut FunctionBuilder<'_>, bit: bool) -> Value {
    let word = b.ins().iconst(types::I64, if bit { -1 } else { 0 });
    b.ins().splat(types::I64X2, word)
}
