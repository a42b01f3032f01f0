//! Operations as expressions of CUDA C.

use super::functions::Function;
use super::helpers::Helper;
use super::writer::Writer;
use crate::ir::kernel::{LaneType, LogicOp, Op, ValueId};
use crate::ir::rule::{BinaryOp, CompareOp, MathFn, UnaryOp};

/// The type of a value; bits are words of 32 lanes if the kernel is bitwise.
pub(super) const fn c_type(ty: LaneType, bitwise: bool) -> &'static str {
    match ty {
        LaneType::Bits if bitwise => "u32",
        LaneType::Bits => "bool",
        LaneType::U8 => "u8",
        LaneType::I32 => "int",
        LaneType::U32 => "u32",
        LaneType::F32 => "float",
        LaneType::F64 => "double",
    }
}

impl Writer<'_> {
    /// The expression of an operation that is neither a load nor a store nor a constant.
    pub(super) fn expression(&mut self, op: &Op, ty: LaneType) -> String {
        let v = |id: &ValueId| self.value(*id).to_owned();
        match op {
            Op::LaneCorner(axis) => format!("world.lane_corners[{axis} * LANES + lane]"),
            Op::SuperblockCorner(axis) => format!("world.superblock_corners[3 * (u64)superblock + {axis}]"),
            Op::Param { param, plane } => self.parameter(*param, *plane, ty),
            Op::Level => "world.level".to_owned(),
            Op::Side => "world.side".to_owned(),
            Op::Time { ahead: 0 } => "time".to_owned(),
            Op::Time { ahead } => format!("time + {ahead}"),
            Op::Random { draw, micro } => {
                let helper = self.uses(Helper::Philox);
                let cell = format!("lane * world.lane_cells + (u64)superblock * MICRO_CELLS + {micro}");
                format!("{helper}(world.seed, {cell}, time, {draw})")
            }
            Op::Not(a) => format!("{}{}", if self.bitwise { "~" } else { "!" }, v(a)),
            Op::Logic(op, a, b) => match op {
                LogicOp::And => format!("{} & {}", v(a), v(b)),
                LogicOp::Or => format!("{} | {}", v(a), v(b)),
                LogicOp::Xor => format!("{} ^ {}", v(a), v(b)),
                LogicOp::AndNot => format!("{} & {}{}", v(a), if self.bitwise { "~" } else { "!" }, v(b)),
            },
            Op::Table { table, operands: [a, b, c] } if self.bitwise => {
                let (a, b, c) = (v(a), v(b), v(c));
                format!("{}<0x{table:02x}>({a}, {b}, {c})", self.uses(Helper::Lop3))
            }
            Op::Table { table, operands: [a, b, c] } => {
                format!("0x{table:02x} >> (4 * {} + 2 * {} + {}) & 1", v(a), v(b), v(c))
            }
            Op::Digit { value, bit } => format!("(u32){} >> {bit} & 1", v(value)),
            Op::Widen(planes) => {
                let bit = |(place, plane): (usize, &ValueId)| match place {
                    0 => format!("(u32){}", v(plane)),
                    _ => format!("(u32){} << {place}", v(plane)),
                };
                let sum: Vec<String> = planes.iter().enumerate().map(bit).collect();
                format!("({})({})", c_type(ty, false), sum.join(" | "))
            }
            Op::Unary(op, a) => {
                let a = v(a);
                unary(*op, ty, &a)
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (v(a), v(b));
                self.binary(*op, ty, &a, &b)
            }
            Op::Shift { left, value, count } => {
                let (value, count) = (v(value), v(count));
                let sign = if *left { "<<" } else { ">>" };
                match ty {
                    LaneType::U8 => format!("(u8)({value} {sign} ({count} & 7))"),
                    LaneType::I32 if *left => format!("(int)((u32){value} << ({count} & 31))"),
                    _ => format!("{value} {sign} ({count} & 31)"),
                }
            }
            Op::Compare(op, a, b) => {
                let sign = match op {
                    CompareOp::Equal => "==",
                    CompareOp::NotEqual => "!=",
                    CompareOp::Less => "<",
                    CompareOp::LessEqual => "<=",
                    CompareOp::Greater => ">",
                    CompareOp::GreaterEqual => ">=",
                };
                format!("{} {sign} {}", v(a), v(b))
            }
            Op::Select { condition, then, otherwise } => format!("{} ? {} : {}", v(condition), v(then), v(otherwise)),
            Op::Cast(a) => {
                let (from, a) = (self.kernel.node(*a).ty, v(a));
                let helper = match ty {
                    LaneType::U8 => Helper::SaturateU8,
                    LaneType::I32 => Helper::SaturateI32,
                    _ => Helper::SaturateU32,
                };
                let float = |ty: LaneType| matches!(ty, LaneType::F32 | LaneType::F64);
                if from.is_some_and(float) && !float(ty) {
                    format!("{}({a})", self.uses(helper))
                } else {
                    format!("({}){a}", c_type(ty, false))
                }
            }
            Op::Math(function, a) => {
                let a = v(a);
                self.function(*function, ty == LaneType::F64, &a)
            }
            Op::Pow(a, b) => {
                let (a, b) = (v(a), v(b));
                format!("{}({a}, {b})", self.uses_function(Function::Pow, ty == LaneType::F64))
            }
            Op::Chance { word, probability } => {
                let (word, probability) = (v(word), v(probability));
                format!("{}({word}, {probability})", self.uses(Helper::Chance))
            }
            Op::Const(_) | Op::Load { .. } | Op::Presence(_) | Op::Store { .. } | Op::Count(_) => {
                unreachable!("printed elsewhere, or not in kernels for execution")
            }
        }
    }

    fn parameter(&self, param: u16, plane: u8, ty: LaneType) -> String {
        let bits = format!("world.params[{param}]");
        match ty {
            LaneType::Bits => {
                let bit = if plane == 0 { format!("{bits} & 1") } else { format!("{bits} >> {plane} & 1") };
                if self.bitwise { format!("0 - (u32)({bit})") } else { bit }
            }
            LaneType::F32 => format!("__uint_as_float((u32){bits})"),
            LaneType::F64 => format!("__longlong_as_double((long long){bits})"),
            ty => format!("({}){bits}", c_type(ty, false)),
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: LaneType, a: &str, b: &str) -> String {
        let float = matches!(ty, LaneType::F32 | LaneType::F64);
        let sign = match op {
            BinaryOp::Min => return format!("{b} < {a} ? {b} : {a}"),
            BinaryOp::Max => return format!("{a} < {b} ? {b} : {a}"),
            BinaryOp::Remainder if float => {
                return format!("{}({a}, {b})", if ty == LaneType::F64 { "fmod" } else { "fmodf" });
            }
            BinaryOp::Divide if !float => {
                let helper = if ty == LaneType::I32 { Helper::DivideI32 } else { Helper::DivideU32 };
                return self.whole(helper, ty, a, b);
            }
            BinaryOp::Remainder => {
                let helper = if ty == LaneType::I32 { Helper::RemainderI32 } else { Helper::RemainderU32 };
                return self.whole(helper, ty, a, b);
            }
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
        };
        match ty {
            LaneType::U8 => format!("(u8)({a} {sign} {b})"),
            LaneType::I32 if matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply) => {
                format!("(int)((u32){a} {sign} (u32){b})")
            }
            _ => format!("{a} {sign} {b}"),
        }
    }

    /// Division of integers. Of u8 it is done on u32, with types that pick the function.
    fn whole(&mut self, helper: Helper, ty: LaneType, a: &str, b: &str) -> String {
        let name = self.uses(helper);
        match ty {
            LaneType::U8 => format!("(u8){name}((u32){a}, (u32){b})"),
            _ => format!("{name}({a}, {b})"),
        }
    }

    fn function(&mut self, function: MathFn, wide: bool, a: &str) -> String {
        if let Some(function) = Function::of(function) {
            return format!("{}({a})", self.uses_function(function, wide));
        }
        let name = match (function, wide) {
            (MathFn::Floor, false) => "floorf",
            (MathFn::Floor, true) => "floor",
            (MathFn::Ceil, false) => "ceilf",
            (MathFn::Ceil, true) => "ceil",
            (MathFn::Round, false) => "roundf",
            (MathFn::Round, true) => "round",
            (_, false) => "__fsqrt_rn",
            (_, true) => "__dsqrt_rn",
        };
        format!("{name}({a})")
    }
}

fn unary(op: UnaryOp, ty: LaneType, a: &str) -> String {
    match (op, ty) {
        (UnaryOp::Negate, LaneType::U8) => format!("(u8)(0 - {a})"),
        (UnaryOp::Negate, LaneType::I32) => format!("(int)(0u - (u32){a})"),
        (UnaryOp::Negate, LaneType::U32) => format!("0u - {a}"),
        (UnaryOp::Negate, _) => format!("-{a}"),
        (UnaryOp::Not, LaneType::U8) => format!("(u8)~{a}"),
        (UnaryOp::Not, _) => format!("~{a}"),
        (UnaryOp::Abs, LaneType::I32) => format!("{a} < 0 ? (int)(0u - (u32){a}) : {a}"),
        (UnaryOp::Abs, LaneType::F32) => format!("fabsf({a})"),
        (UnaryOp::Abs, LaneType::F64) => format!("fabs({a})"),
        (UnaryOp::Abs, _) => a.to_owned(),
    }
}
