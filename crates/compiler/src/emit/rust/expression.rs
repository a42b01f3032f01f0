//! Operations as expressions of Rust. Operands are names, so that nothing needs parentheses.

use super::writer::{RustPrinter, table_name};
use crate::emit::functions::FloatFunction;
use crate::kernel::{LaneType, LogicOp, Op, ValueId, arithmetic, draw, input, logic, scalar_input};
use crate::numbers::operators::{BinaryOp, CompareOp, MathFn, UnaryOp};
use crate::numbers::value::Value;
use proc_macro2::{Delimiter, Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};

/// The type of vectors of these lanes.
pub(super) fn vector_type(ty: LaneType) -> TokenStream {
    let name = format_ident!("{}", if ty == LaneType::Bits { "Mask".to_owned() } else { ty.name().to_uppercase() });
    quote!(#name::<S>)
}

/// The type of one lane.
pub(super) fn rust_type(ty: LaneType) -> Ident {
    format_ident!("{}", if ty == LaneType::Bits { "bool" } else { ty.name() })
}

/// A constant, exactly. Negative ones stand in parentheses, so that methods can be called on them.
pub(super) fn literal(value: Value) -> TokenStream {
    let signed = |negative: bool, literal: Literal| if negative { quote!((-#literal)) } else { quote!(#literal) };
    match value {
        Value::Bit(v) => quote!(#v),
        Value::U8(v) | Value::Enum(_, v) => quote!(#v),
        Value::U16(v) => quote!(#v),
        Value::I32(i32::MIN) => quote!(i32::MIN),
        Value::I32(v) => signed(v < 0, Literal::i32_suffixed(v.abs())),
        Value::U32(v) => quote!(#v),
        Value::I64(i64::MIN) => quote!(i64::MIN),
        Value::I64(v) => signed(v < 0, Literal::i64_suffixed(v.abs())),
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

impl RustPrinter<'_> {
    /// An operation of a kernel of bits alone on words.
    pub(super) fn logic(&mut self, op: &Op) -> TokenStream {
        match op {
            Op::Param { param, plane } => {
                let bits = parameter(*param);
                let plane = Literal::u8_unsuffixed(*plane);
                quote!(V::splat(#bits >> #plane & 1 != 0))
            }
            Op::Table { table, operands } => {
                let [a, b, c] = operands.map(|id| self.value(id));
                let table: TokenStream = format!("0x{table:02x}").parse().expect("a number");
                quote!(V::table::<#table>(#a, #b, #c))
            }
            Op::Not(a) => self.not(*a),
            Op::Logic(op, a, b) => self.both(*op, *a, *b),
            Op::SuperblockCorner(_)
            | Op::Level
            | Op::Side
            | Op::Time { .. }
            | Op::Const(_)
            | Op::Store { .. }
            | input!()
            | draw!()
            | arithmetic!() => unreachable!("a kernel of bits alone has none, or it is written elsewhere"),
        }
    }

    fn not(&mut self, a: ValueId) -> TokenStream {
        let a = self.value(a);
        quote!(!#a)
    }

    fn both(&mut self, op: LogicOp, a: ValueId, b: ValueId) -> TokenStream {
        let (a, b) = (self.value(a), self.value(b));
        match op {
            LogicOp::And => quote!(#a & #b),
            LogicOp::Or => quote!(#a | #b),
            LogicOp::Xor => quote!(#a ^ #b),
            LogicOp::AndNot => quote!(#a & !#b),
        }
    }

    /// The expression of a value that is the same in all lanes.
    pub(super) fn uniform(&self, op: &Op, ty: LaneType) -> Option<TokenStream> {
        let vector = vector_type(ty);
        let value = match op {
            Op::Const(value) => without_parentheses(literal(*value)),
            Op::SuperblockCorner(axis) => {
                let axis = super::writer::number(usize::from(*axis));
                quote!(call.superblock_corner[#axis])
            }
            Op::Param { param, plane } => {
                let (bits, plane) = (parameter(*param), Literal::u8_unsuffixed(*plane));
                match ty {
                    LaneType::Bits => quote!(#bits >> #plane & 1 != 0),
                    LaneType::F32 => quote!(f32::from_bits(#bits as u32)),
                    LaneType::F64 => quote!(f64::from_bits(#bits)),
                    LaneType::U8 | LaneType::U16 | LaneType::I32 | LaneType::U32 | LaneType::I64 => {
                        let lane = rust_type(ty);
                        quote!(#bits as #lane)
                    }
                }
            }
            Op::Level => quote!(call.level),
            Op::Side => quote!(call.side),
            Op::Time { ahead: 0 } => quote!(call.time),
            Op::Time { ahead } => quote!(call.time.wrapping_add(#ahead)),
            input!() | draw!() | logic!() | arithmetic!() | Op::Store { .. } => return None,
        };
        Some(quote!(#vector::splat(#value)))
    }

    /// An operation on lanes that is neither a load nor a store nor the same in all lanes.
    pub(super) fn expression(&mut self, op: &Op, ty: LaneType) -> TokenStream {
        match op {
            Op::Digit { value, bit } => {
                let (value, bit) = (self.value(*value), Literal::u8_unsuffixed(*bit));
                quote!(#value.digit(#bit))
            }
            Op::Widen(planes) => {
                let planes: Vec<TokenStream> = planes.iter().map(|plane| self.value(*plane)).collect();
                match ty {
                    LaneType::F32 => quote!(U32::of_digits([#(#planes),*]).to_f32()),
                    LaneType::F64 => quote!(U32::of_digits([#(#planes),*]).to_f64()),
                    LaneType::I64 => quote!(U32::of_digits([#(#planes),*]).to_i64()),
                    ty => {
                        let vector = vector_type(ty);
                        quote!(#vector::of_digits([#(#planes),*]))
                    }
                }
            }
            Op::Unary(op, a) => {
                let a = self.value(*a);
                match (op, ty) {
                    (UnaryOp::Negate, _) => quote!(-#a),
                    (UnaryOp::Not, _) => quote!(!#a),
                    (UnaryOp::Abs, LaneType::U8 | LaneType::U16 | LaneType::U32) => a,
                    (UnaryOp::Abs, _) => quote!(#a.abs()),
                }
            }
            Op::Binary(op, a, b) => self.binary(*op, ty, *a, *b),
            Op::Shift { left, value, count } => {
                let method = format_ident!("{}", if *left { "shifted_left" } else { "shifted_right" });
                let (value, amount) = (self.value(*value), self.value(*count));
                if self.kernel.node(*count).ty == Some(LaneType::U32) {
                    quote!(#value.#method(#amount))
                } else {
                    quote!(#value.#method(#amount.to_u32()))
                }
            }
            Op::Compare(op, a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                match op {
                    CompareOp::Equal => quote!(#a.equals(#b)),
                    CompareOp::NotEqual => quote!(!#a.equals(#b)),
                    CompareOp::Less => quote!(#a.less(#b)),
                    CompareOp::LessEqual => quote!(#a.at_most(#b)),
                    CompareOp::Greater => quote!(#b.less(#a)),
                    CompareOp::GreaterEqual => quote!(#b.at_most(#a)),
                }
            }
            Op::Select { condition, then, otherwise } => {
                let [condition, then, otherwise] = [condition, then, otherwise].map(|id| self.value(*id));
                quote!(#condition.select(#then, #otherwise))
            }
            Op::Cast(a) => {
                let (a, method) = (self.value(*a), format_ident!("to_{}", rust_type(ty)));
                quote!(#a.#method())
            }
            Op::Math(function, a) => {
                let a = self.value(*a);
                match function {
                    MathFn::Sqrt => quote!(#a.sqrt()),
                    MathFn::Floor => quote!(#a.floor()),
                    MathFn::Ceil => quote!(#a.ceil()),
                    MathFn::Round => {
                        let lane = rust_type(ty);
                        quote!(#a.each(#lane::round))
                    }
                    _ => {
                        let name = self.call(FloatFunction::One(*function), ty);
                        quote!(#a.each(#name))
                    }
                }
            }
            Op::Math2(function, a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                let name = self.call(FloatFunction::Two(*function), ty);
                quote!(#a.with(#b, #name))
            }
            Op::LookUp { table, index } => {
                let (number, last) = (self.tables.iter().position(|known| known == table), table.last());
                let (values, index) = (table_name(number.expect("it is of the kernel")), self.value(*index));
                let last = Literal::i32_unsuffixed(last);
                match ty {
                    LaneType::F32 | LaneType::F64 | LaneType::I64 => {
                        let (method, lane) = (format_ident!("to_{}", rust_type(ty)), rust_type(ty));
                        quote!(#index.#method().each(|n| #values[(n as i32).clamp(0, #last) as usize] as #lane))
                    }
                    ty => {
                        let method = format_ident!("to_{}", rust_type(ty));
                        let found = quote!(#index.each(|n| #values[n.clamp(0, #last) as usize] as i32));
                        if ty == LaneType::I32 { found } else { quote!(#found.#method()) }
                    }
                }
            }
            Op::AddWhere { condition, sum, term } => {
                let [sum, condition, term] = [sum, condition, term].map(|id| self.value(*id));
                quote!(#sum.add_where(#condition, #term))
            }
            Op::Canonical(a) => {
                let a = self.value(*a);
                quote!(#a.canonical())
            }
            Op::Chance { word, probability } => {
                let place = super::writer::behind(&self.offset(&self.kernel.node(*word).op), &quote!(lane));
                let [word, probability] = [word, probability].map(|id| self.value(*id));
                quote!(#word.chance(#probability, call, #place))
            }
            Op::Not(a) => self.not(*a),
            Op::Logic(op, a, b) => self.both(*op, *a, *b),
            Op::Table { .. } | Op::Count(_) | Op::Below { .. } => {
                unreachable!("kernels of numbers are prepared without")
            }
            input!() | scalar_input!() | draw!() | Op::Store { .. } => unreachable!("written elsewhere"),
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: LaneType, a: ValueId, b: ValueId) -> TokenStream {
        let (a, b) = (self.value(a), self.value(b));
        match op {
            BinaryOp::Add => quote!(#a + #b),
            BinaryOp::Subtract => quote!(#a - #b),
            BinaryOp::Multiply => quote!(#a * #b),
            BinaryOp::Divide if ty.is_float() => quote!(#a / #b),
            BinaryOp::Divide => quote!(#a.divided(#b)),
            BinaryOp::Remainder => quote!(#a.remainder(#b)),
            // Where they cannot decide these give their operand, as the language does.
            BinaryOp::Min => quote!(#b.min(#a)),
            BinaryOp::Max => quote!(#b.max(#a)),
            BinaryOp::And => quote!(#a & #b),
            BinaryOp::Or => quote!(#a | #b),
            BinaryOp::Xor => quote!(#a ^ #b),
        }
    }

    fn call(&mut self, function: FloatFunction, ty: LaneType) -> Ident {
        let wide = ty == LaneType::F64;
        self.functions.insert((function, wide));
        function.ident(wide)
    }
}

/// The tokens within parentheses, where these enclose all.
fn without_parentheses(tokens: TokenStream) -> TokenStream {
    match tokens.clone().into_iter().next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => group.stream(),
        _ => tokens,
    }
}

/// The bits of a parameter.
fn parameter(param: u16) -> TokenStream {
    let index = super::writer::number(usize::from(param));
    quote!(*call.params.add(#index))
}
