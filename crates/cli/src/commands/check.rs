//! `check FILE...`

use super::input;
use crate::args::{Check, Denied};
use crate::report::{Failure, print, wants_colour, warn};
use squeeze::resolve;

/// Reports all errors and warnings of all files; if there are no errors, says what each file defines.
pub fn check(arguments: &Check) -> Result<(), Failure> {
    let mut lines = String::new();
    let mut errors = Vec::new();
    let mut warnings = 0;
    for path in &arguments.files {
        match input::read(path).and_then(|bytes| Ok(resolve::check(path, &bytes)?)) {
            Ok(checked) => {
                warn(&checked.render(wants_colour()));
                warnings += checked.warnings.len();
                let library = &checked.library;
                let fractals = library.fractals.iter().map(|fractal| format!("fractal {}", fractal.name));
                let rules = library.rules.iter().map(|rule| format!("rule {}", rule.name));
                let defined: Vec<String> = fractals.chain(rules).collect();
                let defined = if defined.is_empty() { "defines nothing".to_owned() } else { defined.join(", ") };
                lines.push_str(&format!("{}: ok, {defined}\n", path.display()));
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(Failure::Several(errors));
    }
    if warnings > 0 && arguments.deny == Some(Denied::Warnings) {
        let count = if warnings == 1 { "a warning".to_owned() } else { format!("{warnings} warnings") };
        return Err(Failure::Input(
            format!("{count}, and `--deny warnings` takes none"),
            "mend what is warned of, or say `allow NAME` in the rule".to_owned(),
        ));
    }
    print(&lines)
}
