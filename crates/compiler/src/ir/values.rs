//! Values of a rule's types, from text.

use super::rule::RuleParts;
use crate::numbers::value::{Type, Value, whole};
use crate::text::words::list;
use std::str::FromStr;

impl RuleParts {
    /// A value of one of its types from text.
    ///
    /// # Errors
    /// The valid values, in words.
    pub fn value(&self, ty: Type, text: &str) -> Result<Value, String> {
        match ty {
            Type::Bit => match text {
                "true" | "1" => Ok(Value::Bit(true)),
                "false" | "0" => Ok(Value::Bit(false)),
                _ => Err("valid are `true`, `false`, `1` and `0`".to_owned()),
            },
            Type::U8 | Type::U16 | Type::I32 | Type::U32 | Type::I64 => {
                let (least, most) = Value::range(ty).unwrap_or_default();
                let value = whole(text).filter(|value| (least..=most).contains(value));
                let value = value.ok_or_else(|| format!("valid are whole numbers from {least} to {most}"))?;
                Ok(Value::whole(ty, value))
            }
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

/// Infinity and NaN must be written as such: a number too large for the type is a mistake.
fn float<T: FromStr>(text: &str, is_infinite: fn(&T) -> bool) -> Result<T, String> {
    let named = matches!(text.trim_start_matches(['+', '-']).to_ascii_lowercase().as_str(), "inf" | "infinity");
    match text.parse() {
        Ok(value) if named || !is_infinite(&value) => Ok(value),
        Ok(_) => Err("it is too large for the type".to_owned()),
        Err(_) => Err("valid are numbers such as `0.1`, `-2` or `1e-3`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn whole_numbers_are_read_as_in_texts() {
        let cases = [
            ("30", Some(30)),
            ("0x1e", Some(30)),
            ("-0x1E", Some(-30)),
            ("0b1_0", Some(2)),
            ("+7", Some(7)),
            ("1_000", Some(1000)),
        ];
        for (text, number) in cases {
            assert_eq!(whole(text), number, "{text}");
        }
        for text in
            ["", "-", "0x", "0b2", "0x-1", "--1", "_1", "1.0", "1e3", "x", "99999999999999999999999999999999999999999"]
        {
            assert_eq!(whole(text), None, "{text}");
        }
    }
}
