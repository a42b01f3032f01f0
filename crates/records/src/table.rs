//! Numbers in tables, and their lines. A column has one type from its first row on, by which readers go: a float is never written as a whole number.

use crate::json::MARK;
use squeeze_compiler::ir::{GlobalType, Rule};

/// A float in the fewest digits that give it back, and with an exponent where it is far from 1: `0.0`, `1000.0`, `1e-7`, `inf`, `NaN`.
pub(crate) fn float(value: f64) -> String {
    format!("{value:?}")
}

/// Which of these columns of observables hold floats.
pub(crate) fn floats(rule: &Rule, columns: &[String]) -> Vec<bool> {
    let is_float = |column: &String| {
        // Numbers of lists are called `NAME[0]` and so on.
        let name = column.split('[').next();
        rule.observables.iter().any(|one| Some(one.name.as_str()) == name && one.ty == GlobalType::Float)
    };
    columns.iter().map(is_float).collect()
}

/// A line of a table as it is written now: older versions wrote whole floats as whole numbers, and `nan`. `floats` are of the columns behind the
/// first.
pub(crate) fn renewed(line: &str, floats: &[bool]) -> String {
    let word = |(word, is_float): (&str, bool)| match word.parse() {
        Ok(value) if is_float => float(value),
        _ => word.to_owned(),
    };
    let words = line.split(',').zip(std::iter::once(false).chain(floats.iter().copied()));
    words.map(word).collect::<Vec<_>>().join(",")
}

/// A text with its lines as they were written, whatever editors and version control have made of them since: no mark before the first one, `\n` behind
/// each, and no blank ones. A last line without an end stays so, since it may have been cut off. A byte that is no text is damage, and what stands for it has
/// another checksum.
pub(crate) fn as_written(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if !text.starts_with([MARK, '\n']) && !text.contains('\r') && !text.contains("\n\n") {
        return text;
    }
    let ends = ['\n', '\r'];
    let mut lines = String::with_capacity(text.len());
    for line in text.trim_start_matches(MARK).split_inclusive(ends) {
        let words = line.trim_end_matches(ends);
        lines.push_str(words);
        if !words.is_empty() && words.len() < line.len() {
            lines.push('\n');
        }
    }
    lines
}

/// The same of a text whose lines a checksum judges together: its last line has an end.
pub(crate) fn with_end(bytes: Vec<u8>) -> String {
    let mut text = as_written(bytes);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{as_written, float, renewed, with_end};

    #[test]
    fn ends_of_lines_are_no_part_of_them() {
        let written = |text: &str| as_written(text.as_bytes().to_vec());
        for text in [
            "a\n1\n",
            "a\r\n1\r\n",
            "a\r1\r",
            "\u{feff}a\n1\n",
            "\n\na\n\n1\n\n",
            "a\r\r\n1\r\r\n",
            "\u{feff}a\r\n1\n\r\n",
        ] {
            assert_eq!(written(text), "a\n1\n", "{text:?}");
        }
        assert_eq!(written("a\r\n1"), "a\n1", "it may be half of a line");
        assert_eq!((written(""), written("\r\n"), with_end(Vec::new())), (String::new(), String::new(), String::new()));
        assert_eq!(with_end(b"a\r\n1".to_vec()), "a\n1\n");
        assert_eq!(as_written(b"a\xff\n".to_vec()), "a\u{fffd}\n");
    }

    #[test]
    fn floats_are_floats_and_read_back() {
        let values =
            [0.0, -0.0, 1000.0, 0.1, 1e-7, 1.5e300, 5e-324, f64::MAX, 0.1 + 0.2, f64::NEG_INFINITY, 123456789.0];
        for value in values {
            let text = float(value);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
            assert!(text.contains(['.', 'e', 'i']) && text.len() <= 24, "{text}");
        }
        assert_eq!(float(f64::NAN), "NaN");
    }

    #[test]
    fn lines_of_older_versions_become_those_of_today() {
        let floats = [true, false, true, true];
        assert_eq!(renewed("7,1000,5,nan,0.30000000000000004", &floats), "7,1000.0,5,NaN,0.30000000000000004");
        let today = "7,1000.0,5,NaN,1e-9";
        assert_eq!(renewed(today, &floats), today);
        assert_eq!(renewed("7", &[]), "7");
    }
}
