//! Names of observables and parameters: each is a column of tables, which have other columns beside them.

use super::expression::Checker;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Ident, RuleDef, RuleItemKind};
use crate::text::words;
use std::collections::HashMap;

/// The columns that tables of runs and sweeps have of their own.
const COLUMNS: [&str; 8] = ["n", "step", "seed", "member", "level", "disorder", "index", "replica"];
/// The columns that tables of means have beside an observable: its error and its autocorrelation time.
const BESIDE: [(&str, &str); 2] = [("_error", "error"), ("_tau", "autocorrelation time")];
/// The error of such a name.
const TWICE: &str = "tables would have two columns of this name";

impl<'a> Checker<'a, '_> {
    /// Reports names that would be those of two columns.
    pub(super) fn check_columns(&mut self, def: &'a RuleDef) {
        let (mut params, mut observables): (Vec<&Ident>, Vec<&Ident>) = Default::default();
        for item in &def.items {
            match &item.kind {
                RuleItemKind::Param { name, .. } => params.push(name),
                RuleItemKind::Observe { name, .. } => observables.push(name),
                _ => {}
            }
        }
        let by_name = |names: &[&'a Ident]| -> HashMap<&'a str, Span> {
            names.iter().map(|name| (name.name.as_str(), name.span)).collect()
        };
        let (of_params, of_observables) = (by_name(&params), by_name(&observables));
        for name in &observables {
            if let Some(&param) = of_params.get(name.name.as_str()) {
                let message = format!("an observable with the name of the parameter `{}`", name.name);
                Diagnostic::new(message, name.span, TWICE)
                    .also(param, "the parameter")
                    .help(format!("call it otherwise, as in `mean_{}`", name.name))
                    .report(self.errors);
            }
            self.check_column("an observable", name, &of_observables);
        }
        for name in params {
            self.check_column("a parameter", name, &of_observables);
        }
    }

    fn check_column(&mut self, what: &str, name: &Ident, observables: &HashMap<&str, Span>) {
        // A parameter of such a name is refused as every other definition is.
        let is_reserved = what == "a parameter" && super::names::reserved(name).is_some();
        if COLUMNS.contains(&name.name.as_str()) && !is_reserved {
            Diagnostic::new(format!("{what} `{}`, which tables have as a column", name.name), name.span, TWICE)
                .help(format!(
                    "call it otherwise, as in `{}_1`: the columns of tables are {}",
                    name.name,
                    words::list(&COLUMNS)
                ))
                .report(self.errors);
        }
        for (ending, meaning) in BESIDE {
            let Some(of) = name.name.strip_suffix(ending) else { continue };
            if let Some(&observable) = observables.get(of) {
                Diagnostic::new(format!("{what} `{}` beside the observable `{of}`", name.name), name.span, TWICE)
                    .also(observable, format!("tables have its {meaning} in a column of that name"))
                    .help(format!("call it otherwise, as in `{}_of_{of}`", &ending[1..]))
                    .report(self.errors);
            }
        }
    }
}
