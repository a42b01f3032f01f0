//! Values of a rule's types, from text.

use super::rule::RuleParts;
use crate::numbers::value::{Type, Value};
use crate::text::words::list;
use std::fmt::Display;
use std::str::FromStr;

impl RuleParts {
    /// A value of one of its types from text.
    ///
    /// # Errors
    /// What would be valid.
    pub fn value(&self, ty: Type, text: &str) -> Result<Value, String> {
        match ty {
            Type::Bit => match text {
                "true" | "1" => Ok(Value::Bit(true)),
                "false" | "0" => Ok(Value::Bit(false)),
                _ => Err("valid are `true`, `false`, `1` and `0`".to_owned()),
            },
            Type::U8 => integer(text, u8::MIN, u8::MAX).map(Value::U8),
            Type::U16 => integer(text, u16::MIN, u16::MAX).map(Value::U16),
            Type::I32 => integer(text, i32::MIN, i32::MAX).map(Value::I32),
            Type::U32 => integer(text, u32::MIN, u32::MAX).map(Value::U32),
            Type::I64 => integer(text, i64::MIN, i64::MAX).map(Value::I64),
            Type::F32 => float::<f32>(text, |v| v.is_infinite()).map(Value::F32),
            Type::F64 => float::<f64>(text, |v| v.is_infinite()).map(Value::F64),
            Type::Enum(id) => {
                let variants = &self.enum_type(id).variants;
                match variants.iter().position(|variant| variant == text) {
                    Some(number) => Ok(Value::Enum(id, number as u8)),
                    None => Err(format!("valid are {}", list(variants))),
                }
            }
        }
    }
}

fn integer<T: FromStr + Display>(text: &str, least: T, most: T) -> Result<T, String> {
    text.parse().map_err(|_| format!("valid are whole numbers from {least} to {most}"))
}

/// Infinity and NaN must be written as such: a number too large for the type is a mistake.
fn float<T: FromStr>(text: &str, is_infinite: fn(&T) -> bool) -> Result<T, String> {
    let named = matches!(text.trim_start_matches(['+', '-']).to_ascii_lowercase().as_str(), "inf" | "infinity");
    match text.parse() {
        Ok(value) if named || !is_infinite(&value) => Ok(value),
        Ok(_) => Err("it is too large for the type".to_owned()),
        Err(_) => Err("valid are numbers such as `0.1`, `-2` or `1e-3`".to_owned()),
    }
}
