//! Numbers in tables. A column has one type from its first row on, by which readers go: a float is never written as a whole number.

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

#[cfg(test)]
mod tests {
    use super::{float, renewed};

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
