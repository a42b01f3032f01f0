//! Operations as expressions of CUDA C.

use super::helpers::Helper;
use super::operations::{self, c_type, comparison, unary};
use super::writer::Writer;
use crate::ir::kernel::{LaneType, LogicOp, Op, ValueId};

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
                self.used.binary(*op, ty, &a, &b)
            }
            Op::Shift { left, value, count } => operations::shift(*left, ty, &v(value), &v(count)),
            Op::Compare(op, a, b) => format!("{} {} {}", v(a), comparison(*op), v(b)),
            Op::Select { condition, then, otherwise } => format!("{} ? {} : {}", v(condition), v(then), v(otherwise)),
            Op::Cast(a) => {
                let (from, a) = (self.kernel.node(*a).ty, v(a));
                self.used.cast(from, ty, &a)
            }
            Op::Math(function, a) => {
                let a = v(a);
                self.used.math(*function, ty == LaneType::F64, &a)
            }
            Op::Pow(a, b) => {
                let (a, b) = (v(a), v(b));
                self.used.pow(ty == LaneType::F64, &a, &b)
            }
            Op::AddWhere { condition, sum, term } => {
                let (condition, sum, term) = (v(condition), v(sum), v(term));
                format!("{condition} ? {sum} + {term} : {sum}")
            }
            Op::Canonical(a) => {
                let a = v(a);
                self.used.canonical(ty, &a)
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
            ty => operations::parameter(param, ty),
        }
    }
}
