//! A rule on a fractal as a program of Rust that needs nothing but rustc.

use crate::{EngineError, Result};
use squeeze_compiler::emit::rust::standalone;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::{Program, Target};

/// Threads that the layout is planned for, so that the text does not depend on the machine that prints it.
const THREADS: usize = 4;

/// The program's text. It takes `STEPS [SEED] [NAME=VALUE]...` and prints the digest of each state and the observables that [`PrintedObservables`](squeeze_compiler::emit::rust::PrintedObservables) has.
///
/// # Errors
/// [`EngineError::NoKernel`], or [`EngineError::NoProgram`] for a rule with globals or derived parameters.
pub fn program(rule: &FittedRule) -> Result<String> {
    let lacking = if !rule.globals.is_empty() || rule.index.is_some() {
        Some("names `global`, `cell` or `cells`")
    } else {
        rule.params.iter().any(|param| param.derived.is_some()).then_some("has parameters that follow from others")
    };
    if let Some(lacking) = lacking {
        return Err(EngineError::NoProgram { rule: rule.name.clone(), lacking });
    }
    let program = Program::of(rule, &Target::rust(THREADS))?;
    let mut head = vec![
        format!(
            "{} on {} at level {}, by Squeeze {}",
            rule.name,
            rule.domain().fractal().name,
            rule.domain().level(),
            env!("CARGO_PKG_VERSION")
        ),
        String::new(),
    ];
    head.extend(program.plan.to_string().lines().map(str::to_owned));
    // A program that is called as the rule would be taken for a file with it.
    let (file, binary) = (format!("{}.rs", rule.name), format!("{}.out", rule.name));
    let params = if rule.params.is_empty() { "" } else { " [NAME=VALUE]..." };
    head.extend([
        String::new(),
        format!("rustc -O --edition 2024 {file} -o {binary}"),
        format!("./{binary} STEPS [SEED]{params}"),
    ]);
    Ok(standalone(&program, &head)?)
}
