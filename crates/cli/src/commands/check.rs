//! `check FILE...`

use super::input;
use crate::args::Check;
use crate::report::{Failure, print};
use squeeze::resolve;

/// Reports all errors of all files; if there are none, says what each file defines.
pub fn check(arguments: &Check) -> Result<(), Failure> {
    let mut lines = String::new();
    let mut errors = Vec::new();
    for path in &arguments.files {
        match input::read(path).and_then(|bytes| Ok(resolve::check(path, &bytes)?)) {
            Ok(library) => {
                let fractals = library.fractals.iter().map(|fractal| format!("fractal {}", fractal.name));
                let rules = library.rules.iter().map(|rule| format!("rule {}", rule.name));
                let defined: Vec<String> = fractals.chain(rules).collect();
                let defined = if defined.is_empty() { "defines nothing".to_owned() } else { defined.join(", ") };
                lines.push_str(&format!("{}: ok, {defined}\n", path.display()));
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { print(&lines) } else { Err(Failure::Several(errors)) }
}
