//! From text to checked programs: loads what a file uses, then checks every definition.
//!
//! [`check()`] is the whole front end. Every stage adds to one list of diagnostics and goes on with what is sound, so that all
//! errors of a file are reported at once; what depends on something broken is left out silently.

mod body;
mod bonds;
mod call;
mod cells;
mod chance;
mod clusters;
mod columns;
mod constants;
mod disorder;
mod division;
mod domain;
mod draws;
mod equality;
mod equilibrium;
mod expression;
mod fields;
mod fractal;
mod functions;
mod global_expr;
mod globals;
mod inputs;
mod lints;
mod literal;
mod literals;
mod matches;
mod modules;
mod names;
mod overlaps;
mod pairs;
mod picture;
mod places;
mod replicas;
mod rolling;
mod rule;
#[cfg(test)]
mod tests;
mod turns;
mod vectors;

pub use chance::notes_of_draws;
pub use lints::warnings_in;
pub use modules::{CellSettings, DomainSettings, Loaded, Loader, NoFiles, Wanted};

use crate::ir::{Fractal, Rule};
use crate::numbers::mode::DefaultMode;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::{SourceId, Sources};
use crate::text::syntax::stack::on_large_stack;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A file's own definitions, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Its fractals.
    pub fractals: Vec<Arc<Fractal>>,
    /// Its rules.
    pub rules: Vec<Arc<Rule>>,
    /// Warnings about texts that are valid, but probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// How many of these, the first ones, are about the cells of domains.
    pub of_domains: usize,
    /// The parameters of the domains that were made, as `DOMAIN.NAME`.
    pub domain_params: BTreeSet<String>,
    /// Whether some of their cells are drawn from disorder.
    pub draws_disorder: bool,
}

impl Library {
    /// The fractal of this name, or the last one.
    pub fn fractal(&self, name: Option<&str>) -> Option<&Arc<Fractal>> {
        match name {
            Some(name) => self.fractals.iter().find(|fractal| fractal.name == name),
            None => self.fractals.last(),
        }
    }

    /// The rule of this name, or the last one.
    pub fn rule(&self, name: Option<&str>) -> Option<&Arc<Rule>> {
        match name {
            Some(name) => self.rules.iter().find(|rule| rule.name == name),
            None => self.rules.last(),
        }
    }
}

/// Checks the text `root` and all that it uses, and gives its definitions.
///
/// Texts that `use` brings in are asked of `loader` and added to `sources`. Shipped fractals need no `use`.
///
/// # Errors
/// All errors of the text and of the texts it uses, in no particular order.
pub fn check(sources: &mut Sources, root: SourceId, loader: &mut dyn Loader) -> Result<Library, Vec<Diagnostic>> {
    let _mode = DefaultMode::enter();
    let mut errors = Vec::new();
    let mut modules = modules::load(sources, root, loader, &mut errors);
    Diagnostic::found_by("file", &mut errors);
    let asked = loader.asked();
    let library = on_large_stack(|| {
        let text = |module: &modules::ParsedText| &sources.get(module.source).text;
        if modules.iter().any(|module| vectors::may_speak_of_vectors(text(module))) {
            vectors::take_apart(&mut modules, &mut errors);
            Diagnostic::found_by("rule", &mut errors);
        }
        check_modules(&modules, sources, &asked, &mut errors)
    });
    // The components of a vector have the same errors.
    Diagnostic::once(&mut errors);
    if errors.is_empty() { Ok(library) } else { Err(errors) }
}

/// Checks all modules and gives the root's definitions.
fn check_modules(
    modules: &[modules::ParsedText],
    sources: &Sources,
    asked: &DomainSettings,
    errors: &mut Vec<Diagnostic>,
) -> Library {
    let scope = names::Scope::new(modules, errors);
    let mut fractals = fractal::Fractals::new(&scope, sources, asked, errors);
    let only = asked.wanted.only(&modules[modules::ROOT].file);
    let mut library = Library::default();
    for (module, loaded) in modules.iter().enumerate() {
        let own = fractals.check_module(module, only.as_deref());
        Diagnostic::found_by("domain", fractals.errors);
        let mut warnings = Vec::new();
        let rules = rule::check_module(&scope, module, fractals.errors, &mut warnings);
        Diagnostic::found_by("rule", fractals.errors);
        if module == modules::ROOT {
            lints::unused_in_file(&loaded.file, &mut warnings);
            Diagnostic::once(&mut warnings);
            let warnings = lints::not_too_many(warnings);
            library = Library { fractals: own, rules, warnings, ..Library::default() };
        }
    }
    let of_domains = lints::not_too_many(fractals.warnings);
    library.of_domains = of_domains.len();
    (library.domain_params, library.draws_disorder) = (fractals.params, fractals.draws_disorder);
    library.warnings.splice(0..0, of_domains);
    library
}
