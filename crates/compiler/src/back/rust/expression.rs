//! Operations as expressions of Rust. Operands are names or literals, so that nothing needs parentheses.

use super::functions::Function;
use super::writer::Writer;
use crate::ir::kernel::{LaneType, LogicOp, Op};
use crate::ir::rule::{BinaryOp, CompareOp, MathFn, UnaryOp};
use crate::ir::value::Value;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

/// The type of one lane.
pub(super) fn rust_type(ty: LaneType) -> TokenStream {
    match ty {
        LaneType::Bits => quote!(bool),
        LaneType::U8 => quote!(u8),
        LaneType::I32 => quote!(i32),
        LaneType::U32 => quote!(u32),
        LaneType::F32 => quote!(f32),
        LaneType::F64 => quote!(f64),
    }
}

/// A constant, exactly. Negative ones stand in parentheses, so that methods can be called on them.
pub(super) fn literal(value: Value) -> TokenStream {
    let signed = |negative: bool, literal: Literal| if negative { quote!((-#literal)) } else { quote!(#literal) };
    match value {
        Value::Bit(v) => quote!(#v),
        Value::U8(v) | Value::Enum(_, v) => quote!(#v),
        Value::I32(i32::MIN) => quote!(i32::MIN),
        Value::I32(v) => signed(v < 0, Literal::i32_suffixed(v.abs())),
        Value::U32(v) => quote!(#v),
        Value::F32(v) if v.is_finite() => signed(v.is_sign_negative(), Literal::f32_suffixed(v.abs())),
        Value::F64(v) if v.is_finite() => signed(v.is_sign_negative(), Literal::f64_suffixed(v.abs())),
        Value::F32(_) => {
            let bits = value.bits() as u32;
            quote!(f32::from_bits(#bits))
        }
        Value::F64(_) => {
            let bits = value.bits();
            quote!(f64::from_bits(#bits))
        }
    }
}

fn comparison(op: CompareOp) -> TokenStream {
    match op {
        CompareOp::Equal => quote!(==),
        CompareOp::NotEqual => quote!(!=),
        CompareOp::Less => quote!(<),
        CompareOp::LessEqual => quote!(<=),
        CompareOp::Greater => quote!(>),
        CompareOp::GreaterEqual => quote!(>=),
    }
}

impl Writer<'_> {
    /// The expression of an operation that is neither a load nor a store nor a constant.
    pub(super) fn expression(&mut self, op: &Op, ty: LaneType) -> TokenStream {
        let to = rust_type(ty);
        match op {
            Op::SuperblockCorner(axis) => {
                let axis = usize::from(*axis);
                let axis = super::writer::number(axis);
                quote!(call.superblock_corner[#axis])
            }
            Op::Param { param, plane } => self.parameter(*param, *plane, ty),
            Op::Level => quote!(call.level),
            Op::Side => quote!(call.side),
            Op::Time { ahead: 0 } => quote!(call.time),
            Op::Time { ahead } => quote!(call.time.wrapping_add(#ahead)),
            Op::Not(a) => {
                let a = self.value(*a);
                quote!(!#a)
            }
            Op::Logic(op, a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                match op {
                    LogicOp::And => quote!(#a & #b),
                    LogicOp::Or => quote!(#a | #b),
                    LogicOp::Xor => quote!(#a ^ #b),
                    LogicOp::AndNot => quote!(#a & !#b),
                }
            }
            Op::Table { table, operands } => {
                let [a, b, c] = operands.map(|id| self.value(id));
                let table: TokenStream = format!("0x{table:02x}").parse().expect("a number");
                if self.bitwise {
                    quote!(V::table::<#table>(#a, #b, #c))
                } else {
                    quote!(#table >> (4 * u8::from(#a) + 2 * u8::from(#b) + u8::from(#c)) & 1 != 0)
                }
            }
            Op::Digit { value, bit } => {
                let (value, bit) = (self.value(*value), Literal::u8_unsuffixed(*bit));
                quote!(#value >> #bit & 1 != 0)
            }
            Op::Widen(planes) => {
                let digits = planes.iter().enumerate().map(|(place, plane)| {
                    let (plane, place) = (self.value(*plane), super::writer::number(place));
                    quote!(u32::from(#plane) << #place)
                });
                quote!((#(#digits)|*) as #to)
            }
            Op::Unary(op, a) => unary(*op, ty, &self.value(*a)),
            Op::Binary(op, a, b) => binary(*op, ty, &self.value(*a), &self.value(*b)),
            Op::Shift { left, value, count } => {
                let method = format_ident!("{}", if *left { "wrapping_shl" } else { "wrapping_shr" });
                let (value, count) = (self.value(*value), self.value(*count));
                quote!(#value.#method(#count as u32))
            }
            Op::Compare(op, a, b) => {
                let (sign, a, b) = (comparison(*op), self.value(*a), self.value(*b));
                quote!(#a #sign #b)
            }
            Op::Select { condition, then, otherwise } => {
                let [condition, then, otherwise] = [condition, then, otherwise].map(|id| self.value(*id));
                quote!(if #condition { #then } else { #otherwise })
            }
            Op::Cast(a) => {
                let a = self.value(*a);
                quote!(#a as #to)
            }
            Op::Math(function, a) => {
                let a = self.value(*a);
                let method = match function {
                    MathFn::Sqrt => quote!(sqrt),
                    MathFn::Floor => quote!(floor),
                    MathFn::Ceil => quote!(ceil),
                    MathFn::Round => quote!(round),
                    _ => {
                        let name = self.call(Function::of(*function), ty);
                        return quote!(#name(#a));
                    }
                };
                quote!(#a.#method())
            }
            Op::Pow(a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                let name = self.call(Function::Pow, ty);
                quote!(#name(#a, #b))
            }
            Op::Chance { word, probability } => {
                let (word, probability) = (self.value(*word), self.value(*probability));
                quote!(chance(#word, #probability))
            }
            Op::Const(_)
            | Op::Load { .. }
            | Op::Presence(_)
            | Op::LaneCorner(_)
            | Op::Random { .. }
            | Op::Store { .. }
            | Op::Count(_) => unreachable!("written elsewhere, or not in kernels for execution"),
        }
    }

    fn call(&mut self, function: Function, ty: LaneType) -> proc_macro2::Ident {
        let wide = ty == LaneType::F64;
        self.functions.insert((function, wide));
        function.name(wide)
    }

    fn parameter(&self, param: u16, plane: u8, ty: LaneType) -> TokenStream {
        let index = super::writer::number(usize::from(param));
        let bits = quote!(*call.params.add(#index));
        let plane = Literal::u8_unsuffixed(plane);
        match ty {
            LaneType::Bits if self.bitwise => quote!(V::splat(#bits >> #plane & 1 != 0)),
            LaneType::Bits => quote!(#bits >> #plane & 1 != 0),
            LaneType::F32 => quote!(f32::from_bits(#bits as u32)),
            LaneType::F64 => quote!(f64::from_bits(#bits)),
            ty => {
                let to = rust_type(ty);
                quote!(#bits as #to)
            }
        }
    }
}

fn is_float(ty: LaneType) -> bool {
    matches!(ty, LaneType::F32 | LaneType::F64)
}

fn unary(op: UnaryOp, ty: LaneType, a: &TokenStream) -> TokenStream {
    match op {
        UnaryOp::Negate if is_float(ty) => quote!(-#a),
        UnaryOp::Negate => quote!(#a.wrapping_neg()),
        UnaryOp::Not => quote!(!#a),
        UnaryOp::Abs if is_float(ty) => quote!(#a.abs()),
        UnaryOp::Abs if ty == LaneType::I32 => quote!(#a.wrapping_abs()),
        UnaryOp::Abs => quote!(#a),
    }
}

fn binary(op: BinaryOp, ty: LaneType, a: &TokenStream, b: &TokenStream) -> TokenStream {
    let float = is_float(ty);
    match op {
        BinaryOp::Add if float => quote!(#a + #b),
        BinaryOp::Subtract if float => quote!(#a - #b),
        BinaryOp::Multiply if float => quote!(#a * #b),
        BinaryOp::Divide if float => quote!(#a / #b),
        BinaryOp::Remainder if float => quote!(#a % #b),
        BinaryOp::Add => quote!(#a.wrapping_add(#b)),
        BinaryOp::Subtract => quote!(#a.wrapping_sub(#b)),
        BinaryOp::Multiply => quote!(#a.wrapping_mul(#b)),
        BinaryOp::Divide => quote!(#a.divided(#b)),
        BinaryOp::Remainder => quote!(#a.remainder(#b)),
        BinaryOp::Min => quote!(if #b < #a { #b } else { #a }),
        BinaryOp::Max => quote!(if #a < #b { #b } else { #a }),
        BinaryOp::And => quote!(#a & #b),
        BinaryOp::Or => quote!(#a | #b),
        BinaryOp::Xor => quote!(#a ^ #b),
    }
}
