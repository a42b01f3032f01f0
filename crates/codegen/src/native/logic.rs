//! Operations on bits, whatever register they stand in.

use crate::formulas::{BITS, ways};
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;
use squeeze_compiler::kernel::LogicOp;

/// `a op b`
pub(super) fn logic(b: &mut FunctionBuilder<'_>, op: LogicOp, x: Value, y: Value) -> Value {
    match op {
        LogicOp::And => b.ins().band(x, y),
        LogicOp::Or => b.ins().bor(x, y),
        LogicOp::Xor => b.ins().bxor(x, y),
        LogicOp::AndNot => b.ins().band_not(x, y),
    }
}

/// Any function of three bits: see [`Op::Table`](squeeze_compiler::kernel::Op::Table). `constant` makes the vector of false or true, for functions
/// that are constant.
pub(super) fn table(
    b: &mut FunctionBuilder<'_>,
    table: u8,
    operands: [Value; 3],
    constant: impl FnOnce(&mut FunctionBuilder<'_>, bool) -> Value,
) -> Value {
    // Formulas are of functions that are false in row 0.
    let is_negated = table & 1 == 1;
    let function = if is_negated { !table } else { table };
    if function == 0 {
        return constant(b, is_negated);
    }
    let mut values = operands.to_vec();
    if let Some(operand) = BITS.iter().position(|bits| *bits == function) {
        values.push(operands[operand]);
    } else {
        for &(gate, x, y) in &ways(function)[0] {
            let (x, y) = (values[usize::from(x)], values[usize::from(y)]);
            values.push(logic(b, gate, x, y));
        }
    }
    let value = values[values.len() - 1];
    if is_negated { b.ins().bnot(value) } else { value }
}
