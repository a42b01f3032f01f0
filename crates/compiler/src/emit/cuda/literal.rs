//! Constants as CUDA C reads them without rounding.

use super::words;
use crate::numbers::value::Value;

/// A number. Negative ones stand in parentheses, so that any operator may stand before.
#[doc(hidden)]
pub fn literal(value: Value) -> String {
    match value {
        Value::Bit(v) => v.to_string(),
        Value::U8(v) | Value::Enum(_, v) => v.to_string(),
        Value::U16(v) => v.to_string(),
        Value::I32(i32::MIN) => "(-2147483647 - 1)".to_owned(),
        Value::I32(v) if v < 0 => format!("({v})"),
        Value::I32(v) => v.to_string(),
        Value::U32(v) => format!("{v}u"),
        Value::I64(i64::MIN) => "(-9223372036854775807ll - 1)".to_owned(),
        Value::I64(v) if v < 0 => format!("({v}ll)"),
        Value::I64(v) => format!("{v}ll"),
        Value::F32(v) if !v.is_finite() => words::f32_constant(value.bits()),
        Value::F32(v) => float(f64::from(v), "f", &format!("{v:?}")),
        Value::F64(v) if !v.is_finite() || v.is_subnormal() => words::f64_of(&format!("0x{:016x}", value.bits())),
        Value::F64(v) => float(v, "", &format!("{v:?}")),
    }
}

/// A float as a decimal if few binary digits say it, else in hexadecimal, which no compiler rounds, beside the `decimal`.
fn float(v: f64, suffix: &str, decimal: &str) -> String {
    let scaled = v * 1024.0;
    let simple = v.abs() < 16_777_216.0 && scaled == scaled.trunc();
    let text =
        if simple { format!("{decimal}{suffix}") } else { format!("{}{suffix} /* {decimal} */", hexadecimal(v)) };
    if v.is_sign_negative() { format!("({text})") } else { text }
}

fn hexadecimal(v: f64) -> String {
    let sign = if v.is_sign_negative() { "-" } else { "" };
    let exponent = (v.to_bits() >> 52 & 0x7ff) as i64 - 1023;
    let digits = format!("{:013x}", v.to_bits() & ((1 << 52) - 1));
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x1{point}{digits}p{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_exact() {
        for (value, expected) in [
            (Value::F32(0.1), "0x1.99999ap-4f /* 0.1 */"),
            (Value::F32(1000.0), "1000.0f"),
            (Value::F64(-0.25), "(-0.25)"),
            (Value::F64(-0.0), "(-0.0)"),
            (Value::F64(2f64.powi(60)), "0x1p60 /* 1.152921504606847e18 */"),
            (Value::F32(f32::from_bits(1)), "0x1p-149f /* 1e-45 */"),
            (Value::F64(f64::from_bits(1)), "__longlong_as_double(0x0000000000000001)"),
            (Value::F32(f32::NAN), "__int_as_float(0x7fc00000)"),
            (Value::I32(-3), "(-3)"),
            (Value::U32(7), "7u"),
            (Value::U16(7), "7"),
            (Value::I64(-3), "(-3ll)"),
            (Value::I64(i64::MIN), "(-9223372036854775807ll - 1)"),
        ] {
            assert_eq!(literal(value), expected);
        }
    }
}
