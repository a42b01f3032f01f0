//! The meaning of every operation whose result depends on its operands alone, as plain functions of values.
//!
//! All of them are total: integers wrap, division and remainder by zero give 0, shift counts are taken modulo the width,
//! float to integer saturates and NaN gives 0. Floats are IEEE 754, round to nearest even. Results may be any NaN:
//! what is stored, digested or compared goes through [`canonical`] or [`Value::bits`], and no operation of the language
//! can tell one NaN from another.
//!
//! # Panics
//! All functions panic if the types of their operands are not the ones that their operations take: checked programs have none such.

use super::math;
use super::operators::{BinaryOp, CompareOp, MathFn, MathFn2, UnaryOp};
use super::value::{Type, Value};

/// The value that is stored in place of this one: a NaN becomes the one quiet NaN, all else stays.
pub fn canonical(value: Value) -> Value {
    Value::from_bits(value.ty(), value.bits())
}

/// The bit in a value of type bit.
pub fn bit(value: Value) -> bool {
    match value {
        Value::Bit(b) => b,
        _ => panic!("{value:?} is no bit"),
    }
}

/// An operation on an integer of any type; the other arms are for other values.
macro_rules! of_integers {
    ($value:expr, $a:ident => $result:expr, $($otherwise:tt)*) => {
        match $value {
            Value::U8($a) => Value::U8($result),
            Value::U16($a) => Value::U16($result),
            Value::I32($a) => Value::I32($result),
            Value::U32($a) => Value::U32($result),
            Value::I64($a) => Value::I64($result),
            $($otherwise)*
        }
    };
}

/// An operation with one operand.
pub fn unary(op: UnaryOp, a: Value) -> Value {
    match op {
        UnaryOp::Negate => of_integers! {
            a, a => a.wrapping_neg(),
            Value::F32(a) => Value::F32(-a),
            Value::F64(a) => Value::F64(-a),
            _ => panic!("{op:?} of {a:?}"),
        },
        UnaryOp::Not => of_integers! {
            a, a => !a,
            Value::Bit(a) => Value::Bit(!a),
            _ => panic!("{op:?} of {a:?}"),
        },
        UnaryOp::Abs => match a {
            Value::U8(_) | Value::U16(_) | Value::U32(_) => a,
            Value::I32(a) => Value::I32(a.wrapping_abs()),
            Value::I64(a) => Value::I64(a.wrapping_abs()),
            Value::F32(a) => Value::F32(a.abs()),
            Value::F64(a) => Value::F64(a.abs()),
            _ => panic!("{op:?} of {a:?}"),
        },
    }
}

/// The arms that all integer types share.
macro_rules! integer_binary {
    ($op:expr, $a:expr, $b:expr) => {
        match $op {
            BinaryOp::Add => $a.wrapping_add($b),
            BinaryOp::Subtract => $a.wrapping_sub($b),
            BinaryOp::Multiply => $a.wrapping_mul($b),
            BinaryOp::Divide | BinaryOp::Remainder if $b == 0 => 0,
            BinaryOp::Divide => $a.wrapping_div($b),
            BinaryOp::Remainder => $a.wrapping_rem($b),
            BinaryOp::And => $a & $b,
            BinaryOp::Or => $a | $b,
            BinaryOp::Xor => $a ^ $b,
            BinaryOp::Min => $a.min($b),
            BinaryOp::Max => $a.max($b),
        }
    };
}

/// The arms that both float types share. `%` is exact (C's `fmod`), as Rust's.
macro_rules! float_binary {
    ($op:expr, $a:expr, $b:expr) => {
        match $op {
            BinaryOp::Add => $a + $b,
            BinaryOp::Subtract => $a - $b,
            BinaryOp::Multiply => $a * $b,
            BinaryOp::Divide => $a / $b,
            BinaryOp::Remainder => $a % $b,
            BinaryOp::Min if $b < $a => $b,
            BinaryOp::Max if $a < $b => $b,
            BinaryOp::Min | BinaryOp::Max => $a,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => panic!("{:?} of floats", $op),
        }
    };
}

/// An operation with two operands of one type.
pub fn binary(op: BinaryOp, a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Bit(a), Value::Bit(b)) => Value::Bit(match op {
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            _ => panic!("{op:?} of bits"),
        }),
        (Value::U8(a), Value::U8(b)) => Value::U8(integer_binary!(op, a, b)),
        (Value::I32(a), Value::I32(b)) => Value::I32(integer_binary!(op, a, b)),
        (Value::U32(a), Value::U32(b)) => Value::U32(integer_binary!(op, a, b)),
        (Value::U16(a), Value::U16(b)) => Value::U16(integer_binary!(op, a, b)),
        (Value::I64(a), Value::I64(b)) => Value::I64(integer_binary!(op, a, b)),
        (Value::F32(a), Value::F32(b)) => Value::F32(float_binary!(op, a, b)),
        (Value::F64(a), Value::F64(b)) => Value::F64(float_binary!(op, a, b)),
        _ => panic!("{op:?} of {a:?} and {b:?}"),
    }
}

/// `value << count` or `value >> count` by the count modulo the value's width; `>>` is arithmetic on signed ones.
pub fn shift(left: bool, value: Value, count: Value) -> Value {
    // The low 32 bits of any integer, as two's complement, decide the count modulo a width.
    let count = match count {
        Value::Bit(_) | Value::Enum(..) => panic!("shift by {count:?}"),
        whole => whole.as_i128().expect("a count is no float") as u32,
    };
    if left {
        return of_integers! { value, v => v.wrapping_shl(count), _ => panic!("shift of {value:?}"), };
    }
    of_integers! { value, v => v.wrapping_shr(count), _ => panic!("shift of {value:?}"), }
}

/// A comparison of two values of one type: IEEE for floats, so that NaN differs from itself and −0.0 equals 0.0.
pub fn compare(op: CompareOp, a: Value, b: Value) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ordering = match (a, b) {
        (Value::Bit(a), Value::Bit(b)) => Some(a.cmp(&b)),
        (Value::U8(a), Value::U8(b)) => Some(a.cmp(&b)),
        (Value::I32(a), Value::I32(b)) => Some(a.cmp(&b)),
        (Value::U32(a), Value::U32(b)) => Some(a.cmp(&b)),
        (Value::U16(a), Value::U16(b)) => Some(a.cmp(&b)),
        (Value::I64(a), Value::I64(b)) => Some(a.cmp(&b)),
        (Value::F32(a), Value::F32(b)) => a.partial_cmp(&b),
        (Value::F64(a), Value::F64(b)) => a.partial_cmp(&b),
        (Value::Enum(e, a), Value::Enum(f, b)) if e == f => Some(a.cmp(&b)),
        _ => panic!("{op:?} of {a:?} and {b:?}"),
    };
    match op {
        CompareOp::Equal => ordering == Some(Equal),
        CompareOp::NotEqual => ordering != Some(Equal),
        CompareOp::Less => ordering == Some(Less),
        CompareOp::LessEqual => matches!(ordering, Some(Less | Equal)),
        CompareOp::Greater => ordering == Some(Greater),
        CompareOp::GreaterEqual => matches!(ordering, Some(Greater | Equal)),
    }
}

/// A conversion: bits and enums by their number; to a bit, what differs from zero; integers wrap; float to integer
/// truncates and saturates; to a float, rounds to nearest even. No value converts to an enum.
pub fn cast(to: Type, value: Value) -> Value {
    macro_rules! from_number {
        ($v:expr, $zero:expr) => {
            match to {
                Type::Bit => Value::Bit($v != $zero),
                Type::U8 => Value::U8($v as u8),
                Type::I32 => Value::I32($v as i32),
                Type::U32 => Value::U32($v as u32),
                Type::U16 => Value::U16($v as u16),
                Type::I64 => Value::I64($v as i64),
                Type::F32 => Value::F32($v as f32),
                Type::F64 => Value::F64($v as f64),
                Type::Enum(_) => panic!("a cast to an enum"),
            }
        };
    }
    match value {
        Value::Bit(v) => from_number!(v as u8, 0),
        Value::U8(v) | Value::Enum(_, v) => from_number!(v, 0),
        Value::U16(v) => from_number!(v, 0),
        Value::I32(v) => from_number!(v, 0),
        Value::I64(v) => from_number!(v, 0),
        Value::U32(v) => from_number!(v, 0),
        Value::F32(v) => from_number!(v, 0.0),
        Value::F64(v) => from_number!(v, 0.0),
    }
}

/// A function of one float.
pub fn math(function: MathFn, a: Value) -> Value {
    match a {
        Value::F32(a) => Value::F32(match function {
            MathFn::Sqrt => a.sqrt(),
            MathFn::Floor => a.floor(),
            MathFn::Ceil => a.ceil(),
            MathFn::Round => a.round(),
            function => math::named::one(function).0(&math::HostMachine, a),
        }),
        Value::F64(a) => Value::F64(match function {
            MathFn::Sqrt => a.sqrt(),
            MathFn::Floor => a.floor(),
            MathFn::Ceil => a.ceil(),
            MathFn::Round => a.round(),
            function => math::named::one(function).1(&math::HostMachine, a),
        }),
        _ => panic!("{function:?} of {a:?}"),
    }
}

/// A function of two floats of one type.
pub fn math2(function: MathFn2, a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::F32(a), Value::F32(b)) => Value::F32(math::named::two(function).0(&math::HostMachine, a, b)),
        (Value::F64(a), Value::F64(b)) => Value::F64(math::named::two(function).1(&math::HostMachine, a, b)),
        _ => panic!("{function:?} of {a:?} and {b:?}"),
    }
}

/// The number that `random` takes: an f32 is widened.
///
/// # Panics
/// If it is no float.
pub fn probability(value: Value) -> f64 {
    match value {
        Value::F32(p) => f64::from(p),
        Value::F64(p) => p,
        _ => panic!("a probability {value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::EnumId;
    use Value::{Bit, F32, F64, I32, U8, U32};

    #[test]
    fn unary_operations() {
        use UnaryOp::{Abs, Negate, Not};
        for (op, a, expected) in [
            (Negate, U8(1), U8(255)),
            (Negate, I32(i32::MIN), I32(i32::MIN)),
            (Negate, I32(5), I32(-5)),
            (Negate, U32(1), U32(u32::MAX)),
            (Negate, F32(0.0), F32(-0.0)),
            (Negate, F64(f64::INFINITY), F64(f64::NEG_INFINITY)),
            (Not, Bit(false), Bit(true)),
            (Not, U8(0b1010_0000), U8(0b0101_1111)),
            (Not, I32(0), I32(-1)),
            (Not, U32(0), U32(u32::MAX)),
            (Abs, U8(200), U8(200)),
            (Abs, U32(u32::MAX), U32(u32::MAX)),
            (Abs, I32(-7), I32(7)),
            (Abs, I32(i32::MIN), I32(i32::MIN)),
            (Abs, F32(-0.0), F32(0.0)),
            (Abs, F64(-2.5), F64(2.5)),
        ] {
            assert_eq!(unary(op, a), expected, "{op:?} {a:?}");
        }
    }

    #[test]
    fn integer_arithmetic_wraps_and_is_total() {
        use BinaryOp::{Add, And, Divide, Max, Min, Multiply, Or, Remainder, Subtract, Xor};
        for (op, a, b, expected) in [
            (Add, U8(250), U8(10), U8(4)),
            (Add, I32(i32::MAX), I32(1), I32(i32::MIN)),
            (Subtract, U32(0), U32(1), U32(u32::MAX)),
            (Subtract, U8(3), U8(5), U8(254)),
            (Multiply, I32(1 << 20), I32(1 << 20), I32(0)),
            (Multiply, U8(16), U8(17), U8(16)),
            (Multiply, U32(u32::MAX), U32(u32::MAX), U32(1)),
            (Divide, I32(-7), I32(2), I32(-3)),
            (Divide, I32(i32::MIN), I32(-1), I32(i32::MIN)),
            (Divide, I32(5), I32(0), I32(0)),
            (Divide, U8(5), U8(0), U8(0)),
            (Divide, U32(u32::MAX), U32(2), U32(0x7fff_ffff)),
            (Remainder, I32(-7), I32(2), I32(-1)),
            (Remainder, I32(7), I32(-2), I32(1)),
            (Remainder, I32(i32::MIN), I32(-1), I32(0)),
            (Remainder, U32(7), U32(0), U32(0)),
            (And, I32(-1), I32(12), I32(12)),
            (Or, U8(1), U8(2), U8(3)),
            (Xor, U32(5), U32(1), U32(4)),
            (And, Bit(true), Bit(false), Bit(false)),
            (Or, Bit(true), Bit(false), Bit(true)),
            (Xor, Bit(true), Bit(true), Bit(false)),
            (Min, I32(-1), I32(1), I32(-1)),
            (Max, U32(1), U32(u32::MAX), U32(u32::MAX)),
            (Min, U8(3), U8(2), U8(2)),
        ] {
            assert_eq!(binary(op, a, b), expected, "{op:?} {a:?} {b:?}");
        }
    }

    #[test]
    fn float_arithmetic_is_ieee() {
        use BinaryOp::{Add, Divide, Max, Min, Multiply, Remainder, Subtract};
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        for (op, a, b, expected) in [
            (Add, F32(16_777_216.0), F32(1.0), F32(16_777_216.0)),
            (Subtract, F64(0.0), F64(0.0), F64(0.0)),
            (Add, F64(-0.0), F64(-0.0), F64(-0.0)),
            (Multiply, F32(1e-30), F32(1e-10), F32(1e-40)),
            (Divide, F64(1.0), F64(0.0), F64(inf)),
            (Divide, F64(0.0), F64(0.0), F64(nan)),
            (Remainder, F64(-7.5), F64(2.0), F64(-1.5)),
            (Remainder, F32(5.0), F32(-3.0), F32(2.0)),
            (Remainder, F64(1e300), F64(3.0), F64(1e300 % 3.0)),
            (Remainder, F64(1.0), F64(0.0), F64(nan)),
            (Remainder, F64(-4.0), F64(2.0), F64(-0.0)),
            (Min, F64(nan), F64(1.0), F64(nan)),
            (Min, F64(1.0), F64(nan), F64(1.0)),
            (Max, F64(nan), F64(1.0), F64(nan)),
            (Max, F64(1.0), F64(nan), F64(1.0)),
            (Min, F32(0.0), F32(-0.0), F32(0.0)),
            (Max, F32(-0.0), F32(0.0), F32(-0.0)),
            (Max, F32(1.0), F32(2.0), F32(2.0)),
        ] {
            assert_eq!(binary(op, a, b), expected, "{op:?} {a:?} {b:?}");
        }
    }

    #[test]
    fn shifts_are_modulo_the_width() {
        for (left, value, count, expected) in [
            (true, U8(1), U8(9), U8(2)),
            (false, U8(128), I32(-1), U8(1)),
            (true, U8(255), U32(4), U8(0xf0)),
            (true, I32(1), I32(33), I32(2)),
            (false, I32(-8), I32(1), I32(-4)),
            (false, I32(-1), U8(31), I32(-1)),
            (false, U32(1 << 31), U8(255), U32(1)),
            (true, U32(1), I32(-32), U32(1)),
        ] {
            assert_eq!(shift(left, value, count), expected, "{value:?} {count:?}");
        }
    }

    #[test]
    fn comparisons() {
        use CompareOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let all = [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual];
        let row = |a, b| all.map(|op| compare(op, a, b));
        let (less, equal) = ([false, true, true, true, false, false], [true, false, false, true, false, true]);
        assert_eq!(row(I32(-1), I32(1)), less);
        assert_eq!(row(U32(1), U32(u32::MAX)), less);
        assert_eq!(row(U8(3), U8(3)), equal);
        assert_eq!(row(F32(-0.0), F32(0.0)), equal);
        assert_eq!(row(F64(f64::NAN), F64(f64::NAN)), [false, true, false, false, false, false]);
        assert!(compare(Equal, Value::Enum(EnumId(0), 2), Value::Enum(EnumId(0), 2)));
        assert!(compare(NotEqual, Bit(true), Bit(false)));
    }

    #[test]
    fn casts() {
        use Type::{F32 as TF32, F64 as TF64, I32 as TI32, U8 as TU8, U32 as TU32};
        for (value, to, expected) in [
            (Bit(true), TI32, I32(1)),
            (Bit(true), TF32, F32(1.0)),
            (Bit(true), Type::Bit, Bit(true)),
            (Value::Enum(EnumId(3), 200), TU8, U8(200)),
            (Value::Enum(EnumId(3), 200), TI32, I32(200)),
            (U8(0), Type::Bit, Bit(false)),
            (I32(-1), Type::Bit, Bit(true)),
            (F32(-0.0), Type::Bit, Bit(false)),
            (F64(f64::NAN), Type::Bit, Bit(true)),
            (I32(-1), TU8, U8(255)),
            (I32(-1), TU32, U32(u32::MAX)),
            (U32(u32::MAX), TI32, I32(-1)),
            (U32(257), TU8, U8(1)),
            (I32(16_777_217), TF32, F32(16_777_216.0)),
            (U32(u32::MAX), TF32, F32(4_294_967_296.0)),
            (U32(u32::MAX), TF64, F64(4_294_967_295.0)),
            (F64(0.1), TF32, F32(0.1)),
            (F64(1e300), TF32, F32(f32::INFINITY)),
            (F64(-2.9), TI32, I32(-2)),
            (F64(3e9), TI32, I32(i32::MAX)),
            (F32(-1.0), TU32, U32(0)),
            (F32(300.0), TU8, U8(255)),
            (F32(f32::INFINITY), TU32, U32(u32::MAX)),
            (F64(f64::NAN), TI32, I32(0)),
        ] {
            assert_eq!(cast(to, value), expected, "{value:?} to {to:?}");
        }
    }

    #[test]
    fn roundings() {
        use MathFn::{Ceil, Floor, Round, Sqrt};
        for (function, a, expected) in [
            (Sqrt, F64(2.0), F64(std::f64::consts::SQRT_2)),
            (Sqrt, F32(-1.0), F32(f32::NAN)),
            (Sqrt, F32(-0.0), F32(-0.0)),
            (Floor, F64(-0.5), F64(-1.0)),
            (Ceil, F64(-0.5), F64(-0.0)),
            (Round, F64(2.5), F64(3.0)),
            (Round, F64(-2.5), F64(-3.0)),
            (Round, F32(-0.4), F32(-0.0)),
            (Round, F64(0.499_999_999_999_999_94), F64(0.0)),
            (Round, F32(8_388_609.0), F32(8_388_609.0)),
        ] {
            assert_eq!(math(function, a), expected, "{function:?} {a:?}");
        }
    }

    #[test]
    fn stored_nans_are_one() {
        let odd = Value::F64(f64::from_bits(0xfff0_0000_0000_0001));
        let Value::F64(stored) = canonical(odd) else { panic!() };
        assert_eq!(stored.to_bits(), crate::numbers::value::QUIET_NAN_F64);
    }
}
