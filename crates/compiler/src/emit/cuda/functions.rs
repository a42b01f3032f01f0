//! `exp log sin cos tanh pow atan atan2` as CUDA C: the one implementation in `numbers`, run on a machine that prints.

use super::literal::literal;
use super::words;
use crate::numbers::math::{Ops, Rare, WideOps, named};
use crate::numbers::operators::{MathFn, MathFn2};
use crate::numbers::value::Value;
use std::cell::{Cell, RefCell};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Sub};

/// A function of floats that is no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::emit) enum Function {
    /// Of one float.
    One(MathFn),
    /// Of two.
    Two(MathFn2),
}

impl Function {
    /// Its name, for f64 if `wide`, else for f32; `None` if it is an instruction.
    pub(crate) fn name(self, wide: bool) -> Option<String> {
        let name = match self {
            Function::One(function) => named::name(function)?,
            Function::Two(function) => function.name(),
        };
        Some(format!("{name}_{}", if wide { "f64" } else { "f32" }))
    }

    /// Its definition.
    ///
    /// # Panics
    /// If it is an instruction.
    pub(crate) fn text(self, wide: bool) -> String {
        let printer = Printer::default();
        let p = &printer;
        let (x, y) = (p.argument(wide, "x"), p.argument(wide, "y"));
        let result = match (self, wide) {
            (Function::One(function), false) => named::one32(function, &p, x),
            (Function::One(function), true) => named::one64(function, &p, x),
            (Function::Two(function), false) => named::two32(function, &p, x, y),
            (Function::Two(function), true) => named::two64(function, &p, x, y),
        };
        let result = p.text(result);
        let ty = if wide { "double" } else { "float" };
        let arguments = match self {
            Function::One(_) => format!("{ty} x"),
            Function::Two(_) => format!("{ty} x, {ty} y"),
        };
        let name = self.name(wide).expect("it is no instruction");
        let mut text = format!(
            "// At most 2 units in the last place from the truth; the same bits on every machine.\n{} {ty} {name}({arguments}) {{\n",
            words::FUNCTION
        );
        for words in printer.tables.into_inner() {
            text.push_str("    constexpr u64 WORDS_OF_TABLE[] = {\n");
            for row in words.chunks(4) {
                let row: Vec<String> = row.iter().map(|word| format!("0x{word:016x}")).collect();
                text.push_str(&format!("        {},\n", row.join(", ")));
            }
            text.push_str("    };\n");
        }
        for line in printer.lines.into_inner() {
            text.push_str(&format!("    {line}\n"));
        }
        text.push_str(&format!("    return {result};\n}}\n"));
        text
    }
}

/// What has been printed.
#[derive(Default)]
struct Printer {
    lines: RefCell<Vec<String>>,
    /// How many names there are, and inside how many braces the next line stands.
    names: Cell<usize>,
    depth: Cell<usize>,
    /// Per value its type and the name or literal that stands for it.
    values: RefCell<Vec<(&'static str, String)>>,
    tables: RefCell<Vec<&'static [u64]>>,
}

/// A value of any type, by its place in the list.
#[derive(Clone, Copy)]
struct Printed<'a> {
    printer: &'a Printer,
    place: usize,
}

impl Printer {
    fn argument(&self, wide: bool, name: &str) -> Printed<'_> {
        self.value(if wide { "double" } else { "float" }, name.to_owned())
    }

    fn value(&self, ty: &'static str, text: String) -> Printed<'_> {
        let mut values = self.values.borrow_mut();
        values.push((ty, text));
        Printed { printer: self, place: values.len() - 1 }
    }

    fn line(&self, ty: &'static str, expression: &str) -> Printed<'_> {
        let name = self.new_name();
        self.statement(&format!("const {ty} {name} = {expression};"));
        self.value(ty, name)
    }

    fn new_name(&self) -> String {
        self.names.set(self.names.get() + 1);
        format!("t{}", self.names.get())
    }

    fn statement(&self, text: &str) {
        self.lines.borrow_mut().push(format!("{}{text}", "    ".repeat(self.depth.get())));
    }

    /// `mask ? rare : common`, with a branch for what is rare.
    fn rarely<'a>(&'a self, mask: Printed<'a>, common: Printed<'a>, rare: impl FnOnce() -> Printed<'a>) -> Printed<'a> {
        let (ty, name) = (self.ty(common), self.new_name());
        self.statement(&format!("{ty} {name} = {};", self.text(common)));
        self.statement(&format!("if ({}) {{", self.text(mask)));
        self.depth.set(self.depth.get() + 1);
        let value = rare();
        self.statement(&format!("{name} = {};", self.text(value)));
        self.depth.set(self.depth.get() - 1);
        self.statement("}");
        self.value(ty, name)
    }

    fn text(&self, value: Printed<'_>) -> String {
        self.values.borrow()[value.place].1.clone()
    }

    fn ty(&self, value: Printed<'_>) -> &'static str {
        self.values.borrow()[value.place].0
    }
}

macro_rules! operators {
    ($($name:ident $method:ident $sign:literal;)*) => {$(
        impl<'a> $name for Printed<'a> {
            type Output = Printed<'a>;
            fn $method(self, other: Printed<'a>) -> Printed<'a> {
                let p = self.printer;
                p.line(p.ty(self), &format!(concat!("{} ", $sign, " {}"), p.text(self), p.text(other)))
            }
        }
    )*};
}

operators! { Add add "+"; Sub sub "-"; Mul mul "*"; Div div "/"; BitAnd bitand "&"; BitOr bitor "|"; BitXor bitxor "^"; }

impl<'a> Not for Printed<'a> {
    type Output = Printed<'a>;
    fn not(self) -> Printed<'a> {
        self.printer.line("bool", &format!("!{}", self.printer.text(self)))
    }
}

/// Methods of [`Ops`]: the result's type, and the expression of the operands' texts.
macro_rules! printed {
    ($($name:ident($($argument:ident),*) -> $ty:literal $format:literal;)*) => {$(
        fn $name(&self, $($argument: Printed<'a>),*) -> Printed<'a> {
            self.line($ty, &format!($format, $(self.text($argument)),*))
        }
    )*};
}

impl<'a> Ops for &'a Printer {
    const BRANCHES: bool = false;

    type F32 = Printed<'a>;
    type F64 = Printed<'a>;
    type U32 = Printed<'a>;
    type U64 = Printed<'a>;
    type Mask = Printed<'a>;

    fn f32(&self, v: f32) -> Printed<'a> {
        self.value("float", literal(Value::F32(v)))
    }
    fn f64(&self, v: f64) -> Printed<'a> {
        self.value("double", literal(Value::F64(v)))
    }
    fn u32(&self, v: u32) -> Printed<'a> {
        self.value("u32", format!("{v}u"))
    }
    fn u64(&self, v: u64) -> Printed<'a> {
        self.value("u64", if v < 10_000 { format!("{v}ull") } else { format!("0x{v:x}ull") })
    }
    fn shl32(&self, v: Printed<'a>, n: u32) -> Printed<'a> {
        self.line("u32", &format!("{} << {n}", self.text(v)))
    }
    fn shr32(&self, v: Printed<'a>, n: u32) -> Printed<'a> {
        self.line("u32", &format!("{} >> {n}", self.text(v)))
    }
    fn shl64(&self, v: Printed<'a>, n: u32) -> Printed<'a> {
        self.line("u64", &format!("{} << {n}", self.text(v)))
    }
    fn shr64(&self, v: Printed<'a>, n: u32) -> Printed<'a> {
        self.line("u64", &format!("{} >> {n}", self.text(v)))
    }
    fn rarely32(&self, mask: Printed<'a>, common: Printed<'a>, rare: Rare, arguments: &[Printed<'a>]) -> Printed<'a> {
        self.rarely(mask, common, || rare.of32(self, arguments))
    }
    fn rarely64(&self, mask: Printed<'a>, common: Printed<'a>, rare: Rare, arguments: &[Printed<'a>]) -> Printed<'a> {
        self.rarely(mask, common, || rare.of64(self, arguments))
    }
    printed! {
        bits32(v) -> "u32" "__float_as_uint({})";
        float32(v) -> "float" "__uint_as_float({})";
        bits64(v) -> "u64" "(u64)__double_as_longlong({})";
        float64(v) -> "double" "__longlong_as_double((long long)({}))";
        widen(v) -> "double" "(double){}";
        narrow(v) -> "float" "__double2float_rn({})";
        less32(a, b) -> "bool" "{} < {}";
        less64(a, b) -> "bool" "{} < {}";
        equal32(a, b) -> "bool" "{} == {}";
        equal64(a, b) -> "bool" "{} == {}";
        select32(mask, a, b) -> "float" "{} ? {} : {}";
        select64(mask, a, b) -> "double" "{} ? {} : {}";
    }
}

impl<'a> WideOps for &'a Printer {
    fn table(&self, words: &'static [u64], index: Printed<'a>) -> Printed<'a> {
        let mut tables = self.tables.borrow_mut();
        if !tables.contains(&words) {
            tables.push(words);
        }
        assert!(tables.len() == 1, "no function uses two tables");
        self.line("u64", &format!("WORDS_OF_TABLE[{}]", self.text(index)))
    }
    printed! {
        select_u64(mask, a, b) -> "u64" "{} ? {} : {}";
        below(a, b) -> "bool" "{} < {}";
        shl_by(v, n) -> "u64" "{} << {}";
        shr_by(v, n) -> "u64" "{} >> {}";
        mul_low(a, b) -> "u64" "{} * {}";
        mul_high(a, b) -> "u64" "__umul64hi({}, {})";
    }
}
