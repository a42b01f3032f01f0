//! Operations on bits, whatever register they stand in.

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

/// Any function of three bits, in few operations: see [`Op::Table`](squeeze_compiler::kernel::Op::Table).
/// `constant` makes the vector of false or true, for functions that are constant.
pub(super) fn table(
    b: &mut FunctionBuilder<'_>,
    table: u8,
    operands: [Value; 3],
    constant: impl FnOnce(&mut FunctionBuilder<'_>, bool) -> Value,
) -> Value {
    let cost = |selector: usize| {
        let mut gates = 0;
        by_selector(table, [(); 3], selector, &mut |_, (), ()| gates += 1);
        gates
    };
    let selector = (0..3).min_by_key(|selector| cost(*selector)).unwrap_or(0);
    let result = by_selector(table, operands, selector, &mut |gate, x, y| match gate {
        Gate::Not => b.ins().bnot(x),
        Gate::Logic(op) => logic(b, op, x, y),
    });
    match result {
        Term::Value(value) => value,
        Term::Constant(bit) => constant(b, bit),
    }
}

/// One operation; `Not` is of the first operand.
#[derive(Clone, Copy)]
enum Gate {
    Not,
    Logic(LogicOp),
}

/// A value, or one that is known.
#[derive(Clone, Copy)]
enum Term<V> {
    Value(V),
    Constant(bool),
}

type Emit<'a, V> = &'a mut dyn FnMut(Gate, V, V) -> V;

/// The function as `s ? one : zero`, where s is an operand and both sides are functions of the others.
fn by_selector<V: Copy>(table: u8, operands: [V; 3], selector: usize, emit: Emit<'_, V>) -> Term<V> {
    let (p, q) = [(1, 2), (0, 2), (0, 1)][selector];
    let part = |s: usize| {
        let mut part = 0;
        for place in 0..4 {
            let weight = |operand: usize| 4 >> operand;
            let from = s * weight(selector) + (place >> 1) * weight(p) + (place & 1) * weight(q);
            part |= (table >> from & 1) << place;
        }
        part
    };
    let (zero, one) = (part(0), part(1));
    let s = operands[selector];
    let of = |function: u8, emit: Emit<'_, V>| of_two(function, operands[p], operands[q], emit);
    let gate = |op: LogicOp, x: V, y: V, emit: Emit<'_, V>| Term::Value(emit(Gate::Logic(op), x, y));
    if zero == one {
        return of(zero, emit);
    }
    match (zero, one) {
        (0, 0b1111) => return Term::Value(s),
        (0b1111, 0) => return Term::Value(emit(Gate::Not, s, s)),
        _ => {}
    }
    let value = |term: Term<V>| match term {
        Term::Value(value) => value,
        // The cases with constants are handled first: this is never used.
        Term::Constant(_) => s,
    };
    if zero == 0 {
        let one = value(of(one, emit));
        return gate(LogicOp::And, s, one, emit);
    }
    if one == 0 {
        let zero = value(of(zero, emit));
        return gate(LogicOp::AndNot, zero, s, emit);
    }
    if one == 0b1111 {
        let zero = value(of(zero, emit));
        return gate(LogicOp::Or, s, zero, emit);
    }
    if zero == 0b1111 {
        // one | !s = !(s & !one)
        let one = value(of(one, emit));
        let off = emit(Gate::Logic(LogicOp::AndNot), s, one);
        return Term::Value(emit(Gate::Not, off, off));
    }
    if zero ^ one == 0b1111 {
        let zero = value(of(zero, emit));
        return gate(LogicOp::Xor, zero, s, emit);
    }
    let subset = |a: u8, b: u8| a & !b == 0;
    let (low, high) = (value(of(zero, emit)), if subset(zero, one) || subset(one, zero) { one } else { zero ^ one });
    let high = value(of(high, emit));
    if subset(zero, one) {
        let chosen = emit(Gate::Logic(LogicOp::And), s, high);
        gate(LogicOp::Or, low, chosen, emit)
    } else if subset(one, zero) {
        let kept = emit(Gate::Logic(LogicOp::AndNot), low, s);
        gate(LogicOp::Or, kept, high, emit)
    } else {
        let flipped = emit(Gate::Logic(LogicOp::And), s, high);
        gate(LogicOp::Xor, low, flipped, emit)
    }
}

/// A function of two bits: bit `2x + y` of `function`.
fn of_two<V: Copy>(function: u8, x: V, y: V, emit: Emit<'_, V>) -> Term<V> {
    use LogicOp::{And, AndNot, Or, Xor};
    let (op, x, y, inverted) = match function {
        0b0000 => return Term::Constant(false),
        0b1111 => return Term::Constant(true),
        0b1100 => return Term::Value(x),
        0b1010 => return Term::Value(y),
        0b0011 => return Term::Value(emit(Gate::Not, x, x)),
        0b0101 => return Term::Value(emit(Gate::Not, y, y)),
        0b1000 => (And, x, y, false),
        0b0111 => (And, x, y, true),
        0b1110 => (Or, x, y, false),
        0b0001 => (Or, x, y, true),
        0b0110 => (Xor, x, y, false),
        0b1001 => (Xor, x, y, true),
        0b0100 => (AndNot, x, y, false),
        0b1011 => (AndNot, x, y, true),
        0b0010 => (AndNot, y, x, false),
        _ => (AndNot, y, x, true),
    };
    let value = emit(Gate::Logic(op), x, y);
    Term::Value(if inverted { emit(Gate::Not, value, value) } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_three_bits() {
        // Operand i is the column of a truth table: bit 4a + 2b + c.
        let operands = [0b1111_0000u8, 0b1100_1100, 0b1010_1010];
        for table in 0..=255u8 {
            for selector in 0..3 {
                let mut gates = 0;
                let result = by_selector(table, operands, selector, &mut |gate, x, y| {
                    gates += 1;
                    match gate {
                        Gate::Not => !x,
                        Gate::Logic(LogicOp::And) => x & y,
                        Gate::Logic(LogicOp::Or) => x | y,
                        Gate::Logic(LogicOp::Xor) => x ^ y,
                        Gate::Logic(LogicOp::AndNot) => x & !y,
                    }
                });
                let value = match result {
                    Term::Value(value) => value,
                    Term::Constant(bit) => {
                        if bit {
                            255
                        } else {
                            0
                        }
                    }
                };
                assert_eq!(value, table, "{table:08b} by {selector}");
                assert!(gates <= 6, "{table:08b} by {selector} takes {gates} operations");
            }
        }
    }
}
