//! Functions of floats as CUDA C.

use super::literal::literal;
use super::words;
use crate::emit::functions::{FloatFunction, Language, ValueKind};
use crate::numbers::operators::MathFn;
use crate::numbers::value::Value;

/// CUDA C.
#[derive(Clone, Copy, Default)]
struct CudaC;

impl ValueKind {
    const fn in_cuda(self) -> &'static str {
        match self {
            ValueKind::F32 => "float",
            ValueKind::F64 => "double",
            ValueKind::U32 => "u32",
            ValueKind::U64 => "u64",
            ValueKind::Mask => "bool",
        }
    }
}

impl Language for CudaC {
    const NAMES_FIRST: bool = true;

    fn literal(value: Value) -> String {
        literal(value)
    }
    fn u64_literal(v: u64) -> String {
        if v < 10_000 { format!("{v}ull") } else { format!("0x{v:x}ull") }
    }
    fn count(n: usize) -> String {
        n.to_string()
    }
    fn wrapping(sign: char, a: &str, b: &str) -> String {
        format!("{a} {sign} {b}")
    }
    fn converted(from: ValueKind, to: ValueKind, v: &str) -> String {
        match (from, to) {
            (ValueKind::F32, ValueKind::U32) => format!("__float_as_uint({v})"),
            (ValueKind::F64, ValueKind::U64) => format!("(u64)__double_as_longlong({v})"),
            (ValueKind::F64, ValueKind::F32) => format!("__double2float_rn({v})"),
            (_, ValueKind::F32) => words::f32_of(v),
            (ValueKind::U64, _) => words::f64_of(&format!("(long long)({v})")),
            _ => format!("(double){v}"),
        }
    }
    fn select(mask: &str, a: &str, b: &str) -> String {
        format!("{mask} ? {a} : {b}")
    }
    fn mul_high(a: &str, b: &str) -> String {
        format!("__umul64hi({a}, {b})")
    }
    fn square_root(kind: ValueKind, v: &str) -> String {
        format!("{}({v})", words::instruction(MathFn::Sqrt, kind == ValueKind::F64))
    }
    fn element(index: &str) -> String {
        format!("WORDS_OF_TABLE[{index}]")
    }
    fn define(kind: ValueKind, name: &str, expression: &str) -> String {
        format!("const {} {name} = {expression};", kind.in_cuda())
    }
    fn choose(
        kind: ValueKind,
        name: &str,
        mask: &str,
        common: &str,
        (lines, rare): (Vec<String>, &str),
    ) -> Vec<String> {
        let before = [format!("{} {name} = {common};", kind.in_cuda()), format!("if ({mask}) {{")];
        let lines = lines.into_iter().chain([format!("{name} = {rare};")]).map(|line| format!("    {line}"));
        before.into_iter().chain(lines).chain(["}".to_owned()]).collect()
    }
}

impl FloatFunction {
    /// Its definition.
    ///
    /// # Panics
    /// If it is an instruction.
    pub(super) fn text(self, wide: bool) -> String {
        let written = self.written::<CudaC>(wide);
        let ty = if wide { "double" } else { "float" };
        let arguments = match self {
            FloatFunction::One(_) => format!("{ty} x"),
            FloatFunction::Two(_) => format!("{ty} x, {ty} y"),
        };
        let name = self.name(wide).expect("it is no instruction");
        let mut text = format!(
            "// At most 2 units in the last place from the truth; the same bits on every machine.\n{} {ty} {name}({arguments}) {{\n",
            words::FUNCTION
        );
        if let Some(words) = written.table {
            // Not on the stack, where each call would write it anew.
            text.push_str("    static constexpr u64 WORDS_OF_TABLE[] = {\n");
            for row in words.chunks(4) {
                let row: Vec<String> = row.iter().map(|word| format!("0x{word:016x}")).collect();
                text.push_str(&format!("        {},\n", row.join(", ")));
            }
            text.push_str("    };\n");
        }
        for line in written.lines {
            text.push_str(&format!("    {line}\n"));
        }
        text + &format!("    return {};\n}}\n", written.result)
    }
}
