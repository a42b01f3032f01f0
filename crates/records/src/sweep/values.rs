//! The values of a sweep: `0.40..=0.48/0.01`, `2,3,4`, `0..64`.

use squeeze_compiler::ir::whole;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::short;

/// The most members of a sweep.
pub const MOST_MEMBERS: usize = 1 << 20;

/// A plain decimal number: `mantissa` · 10^−`digits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    mantissa: i128,
    digits: u32,
}

/// The most digits behind the point, as 1e-30 has.
const MOST_DIGITS: i64 = 30;

impl Decimal {
    /// From `-0.25`, `1.5e-3` or `0x1e`.
    fn parse(text: &str) -> Option<Decimal> {
        if let Some(mantissa) = whole(text).filter(|_| text.contains(['x', 'b'])) {
            return Some(Decimal { mantissa, digits: 0 });
        }
        let (sign, number) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (number, exponent) = match number.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (number, 0),
        };
        let (before, behind) = number.split_once('.').unwrap_or((number, ""));
        let all = format!("{before}{behind}");
        let plain = !before.is_empty() && all.len() <= 30 && all.bytes().all(|b| b.is_ascii_digit());
        if !plain || behind.is_empty() == number.contains('.') {
            return None;
        }
        let digits = behind.len() as i64 - i64::from(exponent);
        let larger = 10i128.checked_pow(u32::try_from(-digits).unwrap_or(0))?;
        let mantissa = all.parse::<i128>().ok()?.checked_mul(sign * larger)?;
        let digits = digits.max(0);
        (digits <= MOST_DIGITS).then_some(Decimal { mantissa, digits: digits as u32 })
    }

    /// The same number with more digits.
    fn scaled(self, digits: u32) -> Option<i128> {
        self.mantissa.checked_mul(10i128.checked_pow(digits - self.digits)?)
    }
}

/// A number with `digits` digits behind the point, without the zeros at its end.
fn shown(mantissa: i128, digits: u32) -> String {
    let sign = if mantissa < 0 { "-" } else { "" };
    let text = format!("{:0>width$}", mantissa.unsigned_abs(), width = digits as usize + 1);
    let (whole, part) = text.split_at(text.len() - digits as usize);
    let part = part.trim_end_matches('0');
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// All values of a list whose parts are single values or ranges: `a..b` without b, `a..=b` with it, each with `/step` behind it
/// or steps of 1.
///
/// # Errors
/// If it is not one, or has more values than a sweep has members.
pub(super) fn list(name: &str, text: &str) -> Result<Vec<String>> {
    let mut values = Vec::new();
    for part in text.split(',').map(str::trim) {
        if part.contains("..") {
            range(name, part, &mut values)?;
        } else if part.is_empty() {
            return Err(wrong(name, text, "a value is missing between two commas or at an end").into());
        } else {
            // Tables have decimal numbers.
            let number = whole(part).filter(|_| part.contains(['x', 'b']));
            values.push(number.map_or_else(|| part.to_owned(), |number| number.to_string()));
        }
        if values.len() > MOST_MEMBERS {
            return Err(wrong(name, text, "it has more values than a sweep may have members").into());
        }
    }
    Ok(values)
}

fn range(name: &str, text: &str, values: &mut Vec<String>) -> Result<()> {
    let (bounds, step) = match text.split_once('/') {
        Some((bounds, step)) => (bounds, Some(step)),
        None => (text, None),
    };
    let (first, last, inclusive) = match bounds.split_once("..=") {
        Some((first, last)) => (first, last, true),
        None => bounds.split_once("..").map_or((bounds, "", false), |(first, last)| (first, last, false)),
    };
    let number = |word: &str| {
        let valid = "ranges are written with plain numbers: `0.40..=0.48/0.01`, `1e-3..=5e-3/1e-3`, `0..64`";
        Decimal::parse(word.trim()).ok_or_else(|| wrong(name, text, valid))
    };
    let (first, last) = (number(first)?, number(last)?);
    let step = match step {
        Some(step) => number(step)?,
        None if first.digits == 0 && last.digits == 0 => Decimal { mantissa: 1, digits: 0 },
        None => return Err(wrong(name, text, "a range of fractions says its step: `0.40..=0.48/0.01`").into()),
    };
    let digits = first.digits.max(last.digits).max(step.digits);
    let scaled = |number: Decimal| number.scaled(digits).ok_or_else(|| wrong(name, text, "its numbers are too large"));
    let (first, last, step) = (scaled(first)?, scaled(last)?, scaled(step)?);
    if step <= 0 {
        return Err(wrong(name, text, "the step of a range is greater than 0").into());
    }
    let span = last.checked_sub(first).ok_or_else(|| wrong(name, text, "its numbers are too large"))?;
    if span < 0 || span == 0 && !inclusive {
        return Err(wrong(name, text, "the range is empty").into());
    }
    let count = span / step + i128::from(inclusive || span % step != 0);
    if count > MOST_MEMBERS as i128 {
        return Err(wrong(name, text, "it has more values than a sweep may have members").into());
    }
    values.extend((0..count).map(|i| shown(first + i * step, digits)));
    Ok(())
}

/// A list of values that is none.
pub(super) fn wrong(name: &str, text: &str, valid: &str) -> Message {
    Message::users(format!("`{}` is not a list of values for `{}`: {valid}", short(text), short(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        match list("a", text) {
            Ok(values) => values.join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn ranges_are_exact() {
        assert_eq!(of("0.40..=0.48/0.02"), "0.4 0.42 0.44 0.46 0.48");
        assert_eq!(of("0.1..0.4/0.1"), "0.1 0.2 0.3");
        assert_eq!(of("-0.1..=0.1/0.05"), "-0.1 -0.05 0 0.05 0.1");
        assert_eq!(of("0..4"), "0 1 2 3");
        assert_eq!(of("0..=1/0.3"), "0 0.3 0.6 0.9");
        assert_eq!(of("2,3, 10..=12"), "2 3 10 11 12");
        assert_eq!(of("true,false"), "true false");
        assert_eq!(of("1e-3"), "1e-3");
        assert_eq!(of("1e-3..=5e-3/1e-3"), "0.001 0.002 0.003 0.004 0.005");
        assert_eq!(of("1.5E-1..0.3/5e-2"), "0.15 0.2 0.25");
        assert_eq!(of("-1e-25..=1e-25/1e-25"), "-0.0000000000000000000000001 0 0.0000000000000000000000001");
        assert_eq!(of("1e1..=1.2e1,0x1e,0b11..0x5"), "10 11 12 30 3 4");
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for (text, words) in [
            ("0..1/0.0", "greater than 0"),
            ("0.1..0.2", "says its step"),
            ("3..1", "empty"),
            ("3..3", "empty"),
            ("1,,2", "missing"),
            ("", "missing"),
            ("0..x", "plain numbers"),
            ("1e..2e3", "plain numbers"),
            ("1e-99..=2e-99/1e-99", "plain numbers"),
            ("1e99..2e99", "plain numbers"),
            ("0..4000000000", "more values"),
            ("0..=9999999999999999999999999/0.000000000000000001", "too large"),
            ("..", "plain numbers"),
        ] {
            assert!(of(text).contains(words), "{text}: {}", of(text));
        }
    }
}
