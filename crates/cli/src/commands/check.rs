//! `check [--json] FILE...`

use super::input;
use crate::args::Check;
use crate::report::{Failure, print};
use serde_json::{Value, json};
use squeeze::compiler::diagnostics::Diagnostic;
use squeeze::texts::TextErrors;
use squeeze::{Error, resolve};

/// Reports all errors of all files; if there are none, says what each file defines.
pub fn check(arguments: &Check) -> Result<(), Failure> {
    let mut lines = String::new();
    let mut reports = Vec::new();
    let mut errors = Vec::new();
    for path in &arguments.files {
        let checked = input::text(path).and_then(|(name, bytes)| Ok((resolve::check(&name, &bytes)?, name)));
        match checked {
            Ok((library, name)) => {
                let fractals: Vec<&str> = library.fractals.iter().map(|fractal| fractal.name.as_str()).collect();
                let rules: Vec<&str> = library.rules.iter().map(|rule| rule.name.as_str()).collect();
                let all = fractals.iter().map(|name| format!("fractal {name}"));
                let defined: Vec<String> = all.chain(rules.iter().map(|name| format!("rule {name}"))).collect();
                let defined = if defined.is_empty() { "defines nothing".to_owned() } else { defined.join(", ") };
                lines.push_str(&format!("{}: ok, {defined}\n", name.display()));
                reports.push(
                    json!({"file": name.display().to_string(), "fractals": fractals, "rules": rules, "errors": []}),
                );
            }
            Err(error) => {
                let list = match error.text_errors() {
                    Some(errors) => errors.diagnostics.iter().map(|diagnostic| as_json(diagnostic, errors)).collect(),
                    None => vec![json!({"message": error.to_string(), "help": error.help()})],
                };
                reports.push(json!({"file": path.display().to_string(), "fractals": [], "rules": [], "errors": list}));
                errors.push(error);
            }
        }
    }
    if arguments.json {
        print(&format!("{}\n", json!({"files": reports})))?;
        return if errors.is_empty() { Ok(()) } else { Err(Failure::Told(errors.iter().all(Error::is_users))) };
    }
    if errors.is_empty() { print(&lines) } else { Err(Failure::Several(errors)) }
}

fn as_json(diagnostic: &Diagnostic, errors: &TextErrors) -> Value {
    let mut value = json!({"message": diagnostic.message, "help": diagnostic.help});
    if let Some(label) = &diagnostic.primary {
        let (source, span) = (errors.sources.get(label.span.source), label.span);
        let (line, column) = errors.sources.line_column(span.source, span.start);
        let (end_line, end_column) = errors.sources.line_column(span.source, span.end);
        value["file"] = json!(source.name);
        value["line"] = json!(line);
        value["column"] = json!(column);
        value["end_line"] = json!(end_line);
        value["end_column"] = json!(end_column);
        value["label"] = json!(label.text);
    }
    value
}
