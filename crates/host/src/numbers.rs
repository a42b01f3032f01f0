//! Numbers as people read them: a few digits, units, separators. Files for programs keep all digits.

/// A count with commas: `1,048,576`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count of things: `1 step`, `2 steps`.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A large number in words, with three digits: `22.3 million`.
pub fn in_words(number: f64) -> String {
    let (value, unit) = match number {
        n if n < 1e3 => (n, ""),
        n if n < 1e6 => (n / 1e3, " thousand"),
        n if n < 1e9 => (n / 1e6, " million"),
        n if n < 1e12 => (n / 1e9, " billion"),
        n => (n / 1e12, " trillion"),
    };
    format!("{}{unit}", three_digits(value))
}

/// A duration: `8.40 ms`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{} ns", three_digits(s * 1e9)),
        s if s < 1e-3 => format!("{} µs", three_digits(s * 1e6)),
        s if s < 1.0 => format!("{} ms", three_digits(s * 1e3)),
        s => format!("{} s", three_digits(s)),
    }
}

/// A number from 0 to some thousands, with about three significant digits.
pub fn three_digits(value: f64) -> String {
    let decimals = if value < 9.995 {
        2
    } else if value < 99.95 {
        1
    } else {
        0
    };
    format!("{value:.decimals$}")
}

/// A number of bytes for people, with three digits: `512 bytes`, `5.74 MB`, `37.2 GB`.
pub fn bytes(bytes: f64) -> String {
    const UNITS: [&str; 8] = ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];
    if bytes == 1.0 {
        return "1 byte".to_owned();
    }
    if bytes < 1000.0 {
        return format!("{bytes} bytes");
    }
    let (mut value, mut unit) = (bytes / 1000.0, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if value >= 999.5 {
        return format!("{bytes:.2e} bytes");
    }
    format!("{} {}", three_digits(value), UNITS[unit])
}

/// A number with six significant digits, without zeros at its end, all digits of its whole part below a billion, and an exponent where it is very small or large: `0.004225`, `8.41e-42`.
pub fn six_digits(value: f64) -> String {
    let text = format!("{value:.5e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match exponent.parse() {
        Ok(exponent @ -5..9) => trimmed(&format!("{value:.*}", usize::try_from(5 - exponent).unwrap_or(0))),
        _ => format!("{}e{exponent}", trimmed(mantissa)),
    }
}

/// A measured value with the digits that its error leaves, and two digits of the error, as in 0.7103 ± 0.0007; `–` for an error that is unknown.
pub fn with_error(value: f64, error: f64) -> [String; 2] {
    /// The most digits behind the point.
    const MOST: i32 = 9;
    if error.is_nan() || error <= 0.0 || !value.is_finite() || !error.is_finite() {
        return [value, error].map(|number| if number.is_nan() { "–".to_owned() } else { six_digits(number) });
    }
    let exponent = |number: f64| number.log10().floor() as i32;
    let (greatest, last) = (exponent(value.abs().max(error)), exponent(error) - 1);
    let rounded = format!("{error:.1e}");
    if !(-5..9).contains(&greatest) {
        return [format!("{value:.*e}", (greatest - last).clamp(1, 16) as usize), rounded];
    }
    let digits = (-last).clamp(0, MOST) as usize;
    let shown = format!("{value:.digits$}");
    // No negative zero.
    let shown = if shown.bytes().any(|c| (b'1'..=b'9').contains(&c)) { shown } else { shown.replace('-', "") };
    [shown, if -last > MOST { rounded } else { format!("{error:.digits$}") }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 999, 1000, 43_046_721].map(grouped), ["0", "999", "1,000", "43,046,721"]);
        assert_eq!([950.0, 2.23e7, 1.1e13].map(in_words), ["950", "22.3 million", "11.0 trillion"]);
        assert_eq!([9.99, 9.999, 99.99].map(three_digits), ["9.99", "10.0", "100"]);
        assert_eq!([7.8e-6, 0.0084, 2.0].map(duration), ["7.80 µs", "8.40 ms", "2.00 s"]);
    }

    #[test]
    fn bytes_have_three_digits() {
        let shown = [1.0, 999.0, 1000.0, 5_740_000.0, 37_200_000_000.0, 999_600.0, 123_456.0].map(bytes);
        assert_eq!(shown, ["1 byte", "999 bytes", "1.00 kB", "5.74 MB", "37.2 GB", "1.00 MB", "123 kB"]);
        assert_eq!(bytes(1e40), "1.00e40 bytes");
    }

    #[test]
    fn values_have_the_digits_that_their_errors_leave() {
        let shown = |value, error| with_error(value, error).join(" ± ");
        assert_eq!(shown(-0.000018, 0.0015), "0.0000 ± 0.0015");
        assert_eq!(shown(0.71034567, 0.000712), "0.71035 ± 0.00071");
        assert_eq!(shown(-1234.5, 120.0), "-1234 ± 120");
        assert_eq!(shown(3.14159e-9, 2.0e-11), "3.142e-9 ± 2.0e-11");
        assert_eq!(shown(8.25e20, 1e18), "8.250e20 ± 1.0e18");
        assert_eq!(shown(0.5, 1e-14), "0.500000000 ± 1.0e-14");
        assert_eq!(shown(0.0042250000000000005, f64::NAN), "0.004225 ± –");
        assert_eq!(shown(1e-300, 0.0), "1e-300 ± 0");
        assert_eq!(shown(f64::NAN, f64::INFINITY), "– ± inf");
    }

    #[test]
    fn six_digits_are_enough() {
        let shown =
            [0.0, -1.0, 0.0042250000000000005, 999.9999794671312, 644.4199829101562, 123_456_789.0].map(six_digits);
        assert_eq!(shown, ["0", "-1", "0.004225", "1000", "644.42", "123456789"]);
        let shown = [8.412345e-42, 1e300, -2.5e-6, f64::NAN, f64::NEG_INFINITY].map(six_digits);
        assert_eq!(shown, ["8.41234e-42", "1e300", "-2.5e-6", "NaN", "-inf"]);
    }
}
