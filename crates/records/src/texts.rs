//! A definition with all texts that it depends on, so that it can be checked again after the files have changed.

mod findings;
mod inputs;

pub(crate) use findings::findings;
pub use findings::{Finding, FindingPlace};
pub use inputs::RecordedInput;
#[cfg(feature = "files")]
pub(crate) use inputs::number_of;

use crate::json;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use squeeze_compiler::geometry::with_flags;
use squeeze_compiler::ir::{Axes, Fractal, Rule};
use squeeze_compiler::text::diagnostics::{self, Diagnostic};
use squeeze_compiler::text::source::{Source, Sources};
use squeeze_compiler::text::syntax;
use squeeze_compiler::{Bitmap, CellSettings, DomainSettings, Library, Loaded, Loader, Threshold, Wanted};
use squeeze_engine::failure::{Error, Failure, Message, Result};
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;
use std::sync::Arc;

const BEGIN_ANEW: &str = "go on with the version of Squeeze that began it, or begin it anew in another folder";

/// Errors of texts, with the texts that they point into.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.render(false).trim_end())]
#[non_exhaustive]
pub struct TextErrors {
    /// The errors, at least one.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts.
    pub sources: Sources,
}

impl TextErrors {
    /// The errors as a reader is shown them, with excerpts.
    pub fn render(&self, colour: bool) -> String {
        diagnostics::render(&self.diagnostics, &self.sources, colour)
    }

    /// The errors as values, in the order in which they are printed.
    pub fn findings(&self) -> Vec<Finding> {
        findings(&self.diagnostics, &self.sources)
    }
}

impl Failure for TextErrors {
    fn is_users(&self) -> bool {
        !self.diagnostics.iter().any(|diagnostic| diagnostic.of_system)
    }
}

/// The definition is missing, or a shipped text has changed since.
fn changed(what: impl Into<String>) -> Message {
    Message::systems(what).with_help("resume it with the version of Squeeze that began it")
}

/// Checks a text. Returns the definitions and all texts involved.
pub(crate) fn compile_bytes(
    name: &str,
    bytes: &[u8],
    loader: &mut dyn Loader,
) -> Result<(Library, Sources), TextErrors> {
    let mut sources = Sources::new();
    let compiled = syntax::decode(name, bytes).and_then(|text| {
        let root = sources.add(name, text);
        squeeze_compiler::check(&mut sources, root, loader)
    });
    match compiled {
        Ok(library) => Ok((library, sources)),
        Err(diagnostics) => Err(TextErrors { diagnostics, sources }),
    }
}

/// All texts that a fractal or a rule is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Texts {
    /// The name of the definition.
    #[serde(rename = "name")]
    pub definition: String,
    /// The text with the definition first, then the texts that it uses, then the shipped ones among its names.
    pub texts: Vec<Text>,
    /// The file or text that each `use` stood for.
    pub uses: Vec<Use>,
    /// The axes that are periodic although the text does not say so.
    #[serde(with = "json::text", default, skip_serializing_if = "is_none")]
    pub periodic: Axes,
    /// Values beyond edges that are set although the text does not set them, as `state=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<String>,
    /// A digest of the cells, if the domain draws them: another version may draw others. Records of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Digest>,
    /// Parameters of domains, as `DOMAIN.NAME=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<String>,
    /// The seed of the domain's draws from disorder, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disorder: Option<u64>,
    /// The values of a rule's inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<RecordedInput>,
    /// The sides of a domain that says `size inputs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sides: Option<Vec<u64>>,
    /// Notes for the user on the cells of domains. They are printed once, and not recorded.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// One text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// Its name.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// One `use` in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The name of the text that says it.
    pub from: String,
    /// The path as it is written there.
    pub path: String,
    /// The name of the text that it stands for.
    pub name: String,
}

/// The digest of a state or of cells: 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(pub u64);

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        json::text::serialize(self, to)
    }
}

impl<'a> Deserialize<'a> for Digest {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Digest, D::Error> {
        json::text::deserialize(from)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Digest {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Digest, Self::Err> {
        u64::from_str_radix(text, 16).map(Digest)
    }
}

fn is_none(axes: &Axes) -> bool {
    !axes.any()
}

impl Texts {
    /// The fractal that they define.
    ///
    /// # Errors
    /// If they have errors, a shipped text has changed since, or its cells are known to be others.
    pub fn fractal(&self) -> Result<Arc<Fractal>> {
        let library = self.compile()?;
        let found = library.fractals.iter().find(|fractal| fractal.name == self.definition);
        let found = found.map(|fractal| with_periodic(fractal, self.periodic)).ok_or_else(|| self.lacks_it())?;
        if self.cells.is_some() && self.cells != found.digest_of_drawn().map(Digest) {
            return Err(self.other_cells("they are others here than when this was begun"));
        }
        Ok(with_flags(&found, &self.edges).map_err(|error| changed(error.to_string()))?)
    }

    /// The fractal, whose cells must be those that were recorded.
    ///
    /// # Errors
    /// As [`fractal`](Self::fractal), and if it draws cells that were not recorded.
    pub(crate) fn fractal_of_known_cells(&self) -> Result<Arc<Fractal>> {
        let fractal = self.fractal()?;
        if self.cells.is_none() && fractal.digest_of_drawn().is_some() {
            return Err(self.other_cells("it was not recorded which they were when this was begun"));
        }
        Ok(fractal)
    }

    /// The error for a domain that draws its cells, and may draw others here.
    fn other_cells(&self, reason: &str) -> Error {
        Message::users(format!("`{}` draws its cells, and {reason}", self.definition)).with_help(BEGIN_ANEW).into()
    }

    /// Checks that draws of a rule on the domain are not bound to its cells, where these were numbered otherwise when something was begun.
    ///
    /// # Errors
    /// If it is a mask or a box and draws its cells, or the rule draws; and as [`fractal`](Self::fractal).
    pub(crate) fn check_draws(&self, rule: &Texts) -> Result<()> {
        let what = match self.cells {
            Some(_) => format!("`{}` draws its cells", self.definition),
            None if self.fractal()?.extent.is_none() => return Ok(()),
            None => {
                let rule = rule.rule()?;
                let drawn = rule.drawn();
                if !drawn.in_steps && !drawn.at_beginning && !drawn.from_disorder {
                    return Ok(());
                }
                format!("rule `{}` draws on `{}`", rule.name, self.definition)
            }
        };
        let what = format!("{what}, and on masks and boxes other numbers are drawn here than when this was begun");
        Err(Message::users(what).with_help(BEGIN_ANEW).into())
    }

    /// The level among the facts about a run on it, as titles say it. None for masks and boxes, which have no levels.
    pub fn level_fact(&self, level: u32) -> Option<String> {
        let has_levels = self.fractal().map_or(true, |fractal| fractal.extent.is_none());
        has_levels.then(|| format!("level {level}"))
    }

    /// The rule that they define.
    ///
    /// # Errors
    /// As [`fractal`](Self::fractal).
    pub fn rule(&self) -> Result<Arc<Rule>> {
        let library = self.compile()?;
        let found = library.rules.iter().find(|rule| rule.name == self.definition);
        self.bound(found.ok_or_else(|| self.lacks_it())?)
    }

    fn lacks_it(&self) -> Message {
        changed(format!("the recorded texts do not define `{}`", self.definition))
    }

    fn compile(&self) -> Result<Library> {
        let Some(Text { name, text }) = self.texts.first() else { return Err(self.lacks_it().into()) };
        let compiled = compile_bytes(name, text.as_bytes(), &mut RecordedLoader(self)).map_err(|errors| {
            // The texts had no errors when they were recorded: the user need not mend them.
            let errors = errors.render(false);
            changed(format!("the texts that the run recorded have errors:\n{}", errors.trim_end()))
        });
        let (library, sources) = compiled?;
        for source in sources.iter() {
            if !self.texts.iter().any(|known| known.name == source.name && known.text == source.text) {
                let text = format!("`{}` is another text in this version of Squeeze than in the run's", source.name);
                return Err(changed(text).into());
            }
        }
        Ok(library)
    }

    /// The parameters and the seed of disorder that domains are made with.
    pub(crate) fn settings(&self) -> CellSettings {
        CellSettings { params: self.params.clone(), disorder: self.disorder.unwrap_or(0) }
    }
}

/// The name of the mask that a threshold makes of a file: one file may give several.
pub(crate) fn with_threshold(name: &str, threshold: Option<Threshold>) -> String {
    threshold.map_or_else(|| name.to_owned(), |threshold| format!("{name} {threshold}"))
}

/// A fractal with more periodic axes.
pub(crate) fn with_periodic(fractal: &Arc<Fractal>, axes: Axes) -> Arc<Fractal> {
    if axes.any() { Arc::new(fractal.with_periodic(axes)) } else { Arc::clone(fractal) }
}

/// Loads texts from those that were recorded.
struct RecordedLoader<'a>(&'a Texts);

impl Loader for RecordedLoader<'_> {
    fn asked(&self) -> DomainSettings {
        let (wanted, memory) = (Wanted::Named(self.0.definition.clone()), squeeze_host::memory::available());
        let (cells, inputs) = (self.0.settings(), self.0.sides.clone());
        DomainSettings { wanted, memory, cells, inputs, ..DomainSettings::default() }
    }

    fn load(&mut self, path: &str, from: &Source) -> Result<Loaded, String> {
        let used = self.0.uses.iter().find(|u| u.from == from.name && u.path == path);
        let text = used.and_then(|used| self.0.texts.iter().find(|text| text.name == used.name));
        match text {
            Some(Text { name, text }) => Ok(Loaded { name: name.clone(), bytes: text.clone().into_bytes() }),
            None => Err("the run did not record this text".to_owned()),
        }
    }

    fn mask(&mut self, path: &str, threshold: Option<Threshold>, from: &Source) -> Result<Bitmap, String> {
        let bytes = self.load(&with_threshold(path, threshold), from)?.bytes;
        Bitmap::from_text(&String::from_utf8_lossy(&bytes), squeeze_host::memory::available()).ok_or_else(|| {
            "the run's record of it is damaged, or is of more places than memory has room for".to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;

    #[test]
    fn a_definition_is_made_again_when_its_files_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("plus.fractal", "fractal plus { scale 3 pattern {\n.#.\n###\n.#.\n} }\n");
        write("mixed.fractal", "use \"plus.fractal\"\nfractal mixed { levels [plus, vicsek] }\n");
        let spec = folder.path().join("mixed.fractal");
        let (fractal, texts) = resolve::fractal_with_texts(spec.to_str().unwrap()).unwrap();
        drop(folder);
        let again: Texts = json::read(&serde_json::to_value(&texts).unwrap()).unwrap();
        assert_eq!((again.texts.len(), again.uses.len()), (3, 1));
        assert_eq!(again, texts);
        assert_eq!(again.fractal().unwrap().patterns, fractal.patterns);
        let mut changed = texts;
        changed.texts.last_mut().unwrap().text.push('\n');
        let error = changed.fractal().unwrap_err().to_string();
        assert!(error.contains("vicsek.fractal"), "{error}");
    }
}
