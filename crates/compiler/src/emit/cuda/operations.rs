//! Operations on numbers as expressions of CUDA C, given the texts of their operands: the same for every strategy.
//!
//! Operands are names or literals, so none needs parentheses.

use super::far::Far;
use super::helpers::Helper;
use super::literal::literal;
use super::words::{self, c_type};
use crate::emit::functions::FloatFunction;
use crate::geometry::Domain;
use crate::ir::Axes;
use crate::kernel::LaneType;
use crate::numbers::operators::{BinaryOp, CompareOp, MathFn, MathFn2, UnaryOp};
use crate::numbers::table::ConstTable;
use crate::numbers::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The helpers and functions that a program uses, and how it draws.
#[derive(Default)]
pub struct UsedFunctions {
    pub(super) helpers: BTreeSet<Helper>,
    pub(super) functions: BTreeSet<(FloatFunction, bool)>,
    /// Random numbers are drawn for initial values alone: then a call is as good as its text, which takes long to compile.
    pub(super) draws_once: bool,
    /// The program draws so often that its text would take minutes to compile if draws were inlined.
    pub(super) draws_often: bool,
    /// Sums and differences of f32 are flushed.
    pub(super) flushed_sums: bool,
    /// The replicas of each level whose digits random numbers reverse, the finest first.
    pub(super) reversed_levels: Vec<u64>,
    /// By the set of axes the words of lanes whose corners have an odd sum on them.
    pub(super) odd_lanes: BTreeMap<u8, Vec<u32>>,
    /// The uses of superblocks farther away than beside.
    pub(super) far: Far,
    /// The constant tables in which values are looked up.
    pub(super) constant_tables: Vec<ConstTable>,
    /// The tables of loops: the fields of a row, how many rows there are, and the rows.
    pub(super) tables: Vec<(String, usize, String)>,
}

impl UsedFunctions {
    /// The random word of a cell of a domain: seed, canonical index and time are texts.
    #[doc(hidden)]
    pub fn word_of_cell(&mut self, domain: &Domain, [seed, index, time]: [&str; 3], draw: u32) -> String {
        let (number, word) = (self.number_of_cell(domain, index), self.helper(Helper::RandomWord));
        format!("{word}({seed}, {number}, {time}, {draw})")
    }

    /// The number by which a cell of a domain draws; its canonical index is a text.
    #[doc(hidden)]
    pub fn number_of_cell(&mut self, domain: &Domain, index: &str) -> String {
        self.reversed_levels = domain.replicas().collect();
        format!("{}({index})", self.helper(Helper::Reversed))
    }

    /// The name of a helper that the program then holds.
    pub(super) fn helper(&mut self, helper: Helper) -> &'static str {
        if self.helpers.insert(helper) {
            helper.needs().iter().for_each(|needed| _ = self.helper(*needed));
        }
        helper.name()
    }

    /// The name of a function that the program then holds, for f64 if `wide`.
    pub(super) fn function(&mut self, function: FloatFunction, wide: bool) -> Option<String> {
        let name = function.name(wide)?;
        self.functions.insert((function, wide));
        Some(name)
    }

    /// The number of a table that the program then holds.
    pub(crate) fn table(&mut self, fields: String, rows: usize, text: String) -> usize {
        let table = (fields, rows, text);
        self.tables.iter().position(|known| *known == table).unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        })
    }

    /// The value of a constant table, which the program then holds, with a number that a text names.
    pub(crate) fn look_up(&mut self, table: &ConstTable, index: &str) -> String {
        let number = self.constant_tables.iter().position(|known| known == table).unwrap_or_else(|| {
            self.constant_tables.push(table.clone());
            self.constant_tables.len() - 1
        });
        let last = table.last();
        let found = format!("constants_{number}[{index} < 0 ? 0 : {index} < {last} ? {index} : {last}]");
        parameter(&found, LaneType::of_table(table))
    }

    /// The definitions of all that is used.
    pub fn texts(&self) -> Vec<String> {
        let helpers = Helper::ALL.iter().filter(|helper| self.helpers.contains(helper));
        let text = |helper: &Helper| match helper {
            Helper::Reversed => reversed_text(&self.reversed_levels),
            Helper::RandomWord
            | Helper::RandomWords
            | Helper::RandomWordsOfRow
            | Helper::RandomBits
            | Helper::RandomBitsOfRow
            | Helper::Decide
                if self.draws_often
                    || self.draws_once
                        && matches!(helper, Helper::RandomWord | Helper::RandomWords | Helper::RandomWordsOfRow) =>
            {
                helper.text().replace(words::INLINE, words::CALL)
            }
            _ => helper.text(),
        };
        let mut texts: Vec<String> = helpers.map(text).collect();
        texts.extend(self.odd_lanes.iter().map(|(set, words)| odd_lanes_text(*set, words)));
        texts.extend(self.functions.iter().map(|(function, wide)| function.text(*wide)));
        let table = |(number, (fields, rows, text)): (usize, &(String, usize, String))| {
            format!(
                "struct Row{number} {{ {fields} }};\n{} Row{number} rows_{number}[{rows}] = {{\n{text}}};\n",
                words::TABLE
            )
        };
        texts.extend(self.tables.iter().enumerate().map(table));
        texts.extend(self.constant_tables.iter().enumerate().map(constant_table_text));
        texts
    }

    /// A choice after a comparison with a zero, in which no literal is a zero of floats.
    ///
    /// Of `x < 0 ? x : 0` NVRTC 13.0 and 13.5 make a minimum, for which -0 is less than 0, and of `-0 < x ? x : -0` a maximum; by the language either is one of
    /// the two as it stands. They do so neither of `<=` nor of two values.
    pub(crate) fn without_zero(&mut self, ty: LaneType, choice: &str) -> String {
        match ty {
            LaneType::F32 if is_zero(choice) => format!("{}({choice})", self.helper(Helper::HiddenF32)),
            LaneType::F64 if is_zero(choice) => format!("{}({choice})", self.helper(Helper::HiddenF64)),
            _ => choice.to_owned(),
        }
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, ty: LaneType, a: &str, b: &str) -> String {
        let float = ty.is_float();
        // The compiler would make a negation of these, so they are printed as one.
        match (op, a, b) {
            (BinaryOp::Subtract, "0" | "0u", other)
            | (BinaryOp::Multiply, "(-1)" | "4294967295u", other)
            | (BinaryOp::Multiply, other, "(-1)" | "4294967295u")
            | (BinaryOp::Divide, other, "(-1)")
                if !float =>
            {
                return self.unary(UnaryOp::Negate, ty, other);
            }
            _ => {}
        }
        let sign = match op {
            BinaryOp::Add if self.flushed_sums && ty == LaneType::F32 => {
                return format!("{}({a}, {b})", self.helper(Helper::FlushedSum));
            }
            BinaryOp::Subtract if self.flushed_sums && ty == LaneType::F32 => {
                return format!("{}({a}, {b})", self.helper(Helper::FlushedDifference));
            }
            BinaryOp::Min => return format!("{b} < {a} ? {b} : {}", self.without_zero(ty, a)),
            BinaryOp::Max => return format!("{a} < {b} ? {b} : {}", self.without_zero(ty, a)),
            BinaryOp::Remainder if float => {
                return format!("{}({a}, {b})", if ty == LaneType::F64 { "fmod" } else { "fmodf" });
            }
            BinaryOp::Divide if !float => {
                let helper = match ty {
                    LaneType::I32 => Helper::DivideI32,
                    LaneType::I64 => Helper::DivideI64,
                    _ => Helper::DivideU32,
                };
                return self.whole(helper, ty, a, b);
            }
            BinaryOp::Remainder => {
                let helper = match ty {
                    LaneType::I32 => Helper::RemainderI32,
                    LaneType::I64 => Helper::RemainderI64,
                    _ => Helper::RemainderU32,
                };
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
            // As int the product of two u16 may be too large.
            LaneType::U16 => format!("(unsigned short)((u32){a} {sign} (u32){b})"),
            LaneType::I64 if matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply) => {
                format!("(long long)((u64){a} {sign} (u64){b})")
            }
            _ => format!("{a} {sign} {b}"),
        }
    }

    /// Division of integers. Of u8 and u16 it is done on u32, with types that pick the function.
    fn whole(&mut self, helper: Helper, ty: LaneType, a: &str, b: &str) -> String {
        let name = self.helper(helper);
        match ty {
            LaneType::U8 | LaneType::U16 => format!("({}){name}((u32){a}, (u32){b})", c_type(ty, false)),
            _ => format!("{name}({a}, {b})"),
        }
    }

    /// A conversion between numbers.
    pub(crate) fn cast(&mut self, from: Option<LaneType>, to: LaneType, a: &str) -> String {
        let helper = match to {
            LaneType::U8 => Helper::SaturateU8,
            LaneType::U16 => Helper::SaturateU16,
            LaneType::I64 => Helper::SaturateI64,
            LaneType::I32 => Helper::SaturateI32,
            _ => Helper::SaturateU32,
        };
        if from.is_some_and(LaneType::is_float) && !to.is_float() {
            format!("{}({a})", self.helper(helper))
        } else {
            format!("({}){a}", c_type(to, false))
        }
    }

    pub(crate) fn math(&mut self, function: MathFn, wide: bool, a: &str) -> String {
        if let Some(name) = self.function(FloatFunction::One(function), wide) {
            return format!("{name}({a})");
        }
        format!("{}({a})", words::instruction(function, wide))
    }

    pub(crate) fn math2(&mut self, function: MathFn2, wide: bool, a: &str, b: &str) -> String {
        let name = self.function(FloatFunction::Two(function), wide).expect("none of them is an instruction");
        format!("{name}({a}, {b})")
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, ty: LaneType, a: &str) -> String {
        match (op, ty) {
            (UnaryOp::Negate, LaneType::U8 | LaneType::U16) => format!("({})(0 - {a})", c_type(ty, false)),
            (UnaryOp::Negate, LaneType::I64) => format!("(long long)(0 - (u64){a})"),
            (UnaryOp::Negate, LaneType::I32) => format!("{}({a})", self.helper(Helper::Negated)),
            (UnaryOp::Negate, LaneType::U32) => format!("(u32){}((int){a})", self.helper(Helper::Negated)),
            (UnaryOp::Negate, _) => format!("-{a}"),
            (UnaryOp::Not, LaneType::U8 | LaneType::U16) => format!("({})~{a}", c_type(ty, false)),
            (UnaryOp::Not, _) => format!("~{a}"),
            // The compiler would negate a value that it knows to be negative.
            (UnaryOp::Abs, LaneType::I32) => format!("{a} < 0 ? {}({a}) : {a}", self.helper(Helper::Negated)),
            (UnaryOp::Abs, LaneType::I64) => format!("{a} < 0 ? (long long)(0 - (u64){a}) : {a}"),
            (UnaryOp::Abs, LaneType::F32) => format!("fabsf({a})"),
            (UnaryOp::Abs, LaneType::F64) => format!("fabs({a})"),
            (UnaryOp::Abs, _) => a.to_owned(),
        }
    }

    /// The value that is stored in place of a number: there is one NaN.
    pub(crate) fn canonical(&mut self, ty: LaneType, value: &str) -> String {
        match ty {
            LaneType::F32 => format!("{}({value})", self.helper(Helper::CanonicalF32)),
            LaneType::F64 => format!("{}({value})", self.helper(Helper::CanonicalF64)),
            _ => value.to_owned(),
        }
    }
}

/// A shift by an integer of any type, of which the count modulo the width matters.
pub(in crate::emit) fn shift(left: bool, ty: LaneType, value: &str, count: &str) -> String {
    let sign = if left { "<<" } else { ">>" };
    match ty {
        LaneType::U8 => format!("(u8)({value} {sign} ({count} & 7))"),
        LaneType::U16 => format!("(unsigned short)((u32){value} {sign} ({count} & 15))"),
        LaneType::I64 if left => format!("(long long)((u64){value} << ({count} & 63))"),
        LaneType::I64 => format!("{value} >> ({count} & 63)"),
        LaneType::I32 if left => format!("(int)((u32){value} << ({count} & 31))"),
        _ => format!("{value} {sign} ({count} & 31)"),
    }
}

pub(in crate::emit) const fn comparison(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Equal => "==",
        CompareOp::NotEqual => "!=",
        CompareOp::Less => "<",
        CompareOp::LessEqual => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterEqual => ">=",
    }
}

/// A parameter's value, of type `ty`, from its bits.
#[doc(hidden)]
pub fn parameter(bits: &str, ty: LaneType) -> String {
    match ty {
        LaneType::F32 => words::f32_of(&format!("(u32){bits}")),
        LaneType::F64 => words::f64_of(&format!("(long long){bits}")),
        ty => format!("({}){bits}", c_type(ty, false)),
    }
}

/// A plane of a parameter, from its bits, where bits are words of 32 lanes if the kernel is bitwise.
pub(super) fn parameter_of_lanes(bits: &str, plane: u8, ty: LaneType, bitwise: bool) -> String {
    if ty != LaneType::Bits {
        return parameter(bits, ty);
    }
    let bit = if plane == 0 { format!("{bits} & 1") } else { format!("{bits} >> {plane} & 1") };
    if bitwise { format!("0 - (u32)({bit})") } else { bit }
}

/// A table of constants, as bits where they are floats.
fn constant_table_text((number, table): (usize, &ConstTable)) -> String {
    let ty = match LaneType::of_table(table) {
        LaneType::F32 => LaneType::U32,
        LaneType::F64 => LaneType::I64,
        ty => ty,
    };
    let value = |value: Value| literal(Value::from_bits(ty.scalar(), value.bits()));
    let values: Vec<String> = table.values().map(value).collect();
    let lines: Vec<String> = values.chunks(24).map(|line| format!("    {},\n", line.join(", "))).collect();
    let (kind, ty) = (words::TABLE, c_type(ty, false));
    format!("{kind} {ty} constants_{number}[{}] = {{\n{}}};\n", values.len(), lines.concat())
}

/// A table of words of lanes.
fn odd_lanes_text(set: u8, lanes: &[u32]) -> String {
    let axes: Vec<&str> =
        Axes::NAMES.into_iter().enumerate().filter(|(axis, _)| set >> axis & 1 == 1).map(|(_, name)| name).collect();
    let list: Vec<String> = lanes.iter().map(|word| format!("0x{word:08x}")).collect();
    let lines: Vec<String> = list.chunks(8).map(|line| format!("    {},\n", line.join(", "))).collect();
    format!(
        "// The lanes in whose corners {} is odd.\n{} u32 odd_lanes_{set}[{}] = {{\n{}}};\n",
        axes.join(" + "),
        words::TABLE,
        lanes.len(),
        lines.concat()
    )
}

/// The function that reverses the digits of a number; `levels` holds the replicas of each level, the finest first.
fn reversed_text(levels: &[u64]) -> String {
    let mut text = format!(
        "// A number with its digits in reversed order.\n{} u64 reversed(u64 number) {{\n    u64 result = 0;\n",
        words::INLINED
    );
    for run in levels.chunk_by(|a, b| a == b) {
        let (k, digit) = (run[0], format!("result = result * {0} + number % {0};\n", run[0]));
        if let [_] = run {
            text.push_str(&format!("    {digit}    number /= {k};\n"));
        } else {
            text.push_str(&format!("    for (int level = 0; level < {}; ++level) {{\n", run.len()));
            text.push_str(&format!("        {digit}        number /= {k};\n    }}\n"));
        }
    }
    text.push_str("    return result;\n}\n");
    text
}

/// Whether a literal is a zero of floats.
pub(super) fn is_zero(literal: &str) -> bool {
    matches!(literal, "0.0f" | "(-0.0f)" | "0.0" | "(-0.0)")
}
