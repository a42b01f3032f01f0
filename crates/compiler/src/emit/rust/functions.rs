//! Functions of floats as Rust: those that are no methods of Rust's floats, or differ from machine to machine there.

use super::expression::literal;
use crate::emit::functions::{FloatFunction, Language, ValueKind};
use crate::numbers::value::Value;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// Rust.
#[derive(Clone, Copy, Default)]
struct Rust;

impl Language for Rust {
    const NAMES_FIRST: bool = false;

    fn literal(value: Value) -> String {
        literal(value).to_string()
    }
    fn u64_literal(v: u64) -> String {
        format!("{v}u64")
    }
    fn count(n: usize) -> String {
        format!("{n}u32")
    }
    fn wrapping(sign: char, a: &str, b: &str) -> String {
        let method = match sign {
            '+' => "add",
            '-' => "sub",
            _ => "mul",
        };
        format!("{a}.wrapping_{method}({b})")
    }
    fn converted(from: ValueKind, to: ValueKind, v: &str) -> String {
        match (from, to) {
            (ValueKind::F32, ValueKind::U32) => format!("f32::to_bits({v})"),
            (ValueKind::F64, ValueKind::U64) => format!("f64::to_bits({v})"),
            (ValueKind::F64, ValueKind::F32) => format!("{v} as f32"),
            (_, ValueKind::F32) => format!("f32::from_bits({v})"),
            (ValueKind::U64, _) => format!("f64::from_bits({v})"),
            _ => format!("f64::from({v})"),
        }
    }
    fn select(mask: &str, a: &str, b: &str) -> String {
        format!("if {mask} {{ {a} }} else {{ {b} }}")
    }
    fn mul_high(a: &str, b: &str) -> String {
        format!("(u128::from({a}) * u128::from({b}) >> 64) as u64")
    }
    fn square_root(_: ValueKind, v: &str) -> String {
        format!("{v}.sqrt()")
    }
    fn element(index: &str) -> String {
        format!("TABLE[{index} as usize]")
    }
    fn define(_: ValueKind, name: &str, expression: &str) -> String {
        format!("let {name} = {expression};")
    }
    fn choose(_: ValueKind, name: &str, mask: &str, common: &str, (lines, rare): (Vec<String>, &str)) -> Vec<String> {
        vec![format!("let {name} = if {mask} {{ {} {rare} }} else {{ {common} }};", lines.concat())]
    }
}

impl FloatFunction {
    /// Its name in Rust.
    pub(super) fn ident(self, wide: bool) -> Ident {
        format_ident!("{}", self.name(wide).expect("roots and roundings are methods"))
    }

    /// Its definition.
    pub(super) fn code(self, wide: bool) -> TokenStream {
        let written = self.written::<Rust>(wide);
        let tokens = |text: String| text.parse::<TokenStream>().expect("these are tokens of Rust");
        let (lines, result) = (tokens(written.lines.concat()), tokens(written.result));
        let (name, ty) = (self.ident(wide), format_ident!("{}", if wide { "f64" } else { "f32" }));
        let second = matches!(self, FloatFunction::Two(_)).then(|| quote!(, y: #ty));
        let table = written.table.map(|words| {
            let count = words.len();
            quote!(const TABLE: [u64; #count] = [#(#words),*];)
        });
        quote! {
            /// At most 2 units in the last place from the truth; the same bits on every machine.
            #[inline(always)]
            fn #name(x: #ty #second) -> #ty {
                #table
                #lines
                #result
            }
        }
    }
}
