//! `check [--json] [--deny warnings] FILE...`

use super::input;
use crate::args::Check;
use crate::report::{CliError, print, wants_colour, warn};
use serde_json::{Value, json};
use squeeze::ir::{Dimension, OrderedStep};
use squeeze::resolve::{Finding, TextErrors};
use squeeze::{Error, resolve};

/// Reports all errors and warnings of all files; if there are no errors, says what each file defines.
pub(crate) fn check(arguments: &Check) -> Result<(), CliError> {
    let mut lines = String::new();
    let mut reports = Vec::new();
    let mut errors = Vec::new();
    let mut warnings = 0;
    for path in &arguments.files {
        let checked = input::text(path).and_then(|(name, bytes)| Ok((resolve::check(&name, &bytes)?, name)));
        match checked {
            Ok((checked, name)) => {
                if !arguments.json {
                    warn(&checked.render(wants_colour()));
                }
                warnings += checked.warnings.len();
                let told = as_json(&checked.findings());
                let library = &checked.library;
                let fractals: Vec<&str> = library.fractals.iter().map(|fractal| fractal.name.as_str()).collect();
                let rules: Vec<&str> = library.rules.iter().map(|rule| rule.name.as_str()).collect();
                let all = fractals.iter().map(|name| format!("fractal {name}"));
                let defined: Vec<String> = all.chain(rules.iter().map(|name| format!("rule {name}"))).collect();
                let defined = if defined.is_empty() { "defines nothing".to_owned() } else { defined.join(", ") };
                lines.push_str(&format!("{}: ok, {defined}\n", name.display()));
                for rule in &library.rules {
                    let dimension = if rule.needs_three_dimensions { Dimension::Three } else { Dimension::Two };
                    let of_step = |step: &OrderedStep| {
                        let (name, cpu, cuda) = (&rule.name, &step.taken, step.taken_by_gpu.on_gpu());
                        format!("    {name}: {step}; in boxes cpu: {cpu}, cuda: {cuda}\n")
                    };
                    lines.extend(rule.ordered_steps(dimension).iter().map(of_step));
                }
                reports.push(
                    json!({"file": name.display().to_string(), "fractals": fractals, "rules": rules, "errors": [], "warnings": told}),
                );
            }
            Err(error) => {
                let list = match error.find::<TextErrors>() {
                    Some(errors) => as_json(&errors.findings()),
                    None => vec![
                        json!({"message": error.to_string(), "help": error.help(), "code": null, "suggestion": null}),
                    ],
                };
                reports.push(json!({"file": path.display().to_string(), "fractals": [], "rules": [], "errors": list, "warnings": []}));
                errors.push(error);
            }
        }
    }
    let denied = warnings > 0 && arguments.deny.is_some();
    if arguments.json {
        print(&format!("{}\n", json!({"files": reports})))?;
        let users = errors.iter().all(Error::is_users);
        return if errors.is_empty() && !denied { Ok(()) } else { Err(CliError::Told(users)) };
    }
    if !errors.is_empty() {
        return Err(CliError::Several(errors));
    }
    if denied {
        let count = if warnings == 1 { "a warning".to_owned() } else { format!("{warnings} warnings") };
        return Err(CliError::input(
            format!("{count}, and `--deny warnings` takes none"),
            "mend what is warned of, or say `allow NAME` in the rule",
        ));
    }
    print(&lines)
}

fn as_json(findings: &[Finding]) -> Vec<Value> {
    let value = |finding: &Finding| {
        let mut value = json!({"message": finding.message, "help": finding.help});
        if let Some(place) = &finding.place {
            value["file"] = json!(place.file);
            value["line"] = json!(place.line);
            value["column"] = json!(place.column);
            value["end_line"] = json!(place.end_line);
            value["end_column"] = json!(place.end_column);
            value["label"] = json!(place.text);
            value["length"] = json!(place.length);
        }
        value["code"] = json!(finding.code);
        value["suggestion"] = json!(finding.suggestion);
        value
    };
    findings.iter().map(value).collect()
}
