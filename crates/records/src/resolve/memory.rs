//! Texts and masks in memory, which are recorded as those in files are.

use super::{Edges, FileLoader, Kind, ResolveError, picked, with_digest, with_edges};
use crate::texts::{Texts, compile_bytes};
use squeeze_compiler::ir::{Dimension, Fractal, Rule};
use squeeze_compiler::{Bitmap, DomainSettings, Library};
use squeeze_engine::failure::{Message, Result};
use std::path::Path;
use std::sync::Arc;

/// How records name what came from an array, and how the names of texts begin that stand for one.
pub(crate) const MEMORY: &str = "<memory>";

/// A checked fractal from a text in memory, and all texts that it is made of: it can be recorded as one from a file can.
///
/// `name` is how messages call the text: a path, beside which the files lie that the text uses, or words in angle brackets, such as
/// `<notebook>`, for a text that uses shipped ones alone. The definition is the one called `pick`, or the last. `edges` are other ones than the text says, and the
/// sides of a domain that is as long as the inputs of a rule.
///
/// # Errors
/// [`TextErrors`](super::TextErrors) if the text, or one that it uses, has errors; [`ResolveError::NoDefinition`] if it does not define what was asked for; as
/// [`domain_with_texts`](super::domain_with_texts) for the edges.
pub fn fractal_of_text(name: &str, text: &str, pick: Option<&str>, edges: &Edges) -> Result<(Arc<Fractal>, Texts)> {
    let asked = DomainSettings { inputs: edges.sides.clone(), ..DomainSettings::default() };
    with_edges(fractal_in_memory((name, text), pick, FileLoader::of(asked))?, edges)
}

/// A checked rule from a text in memory, as [`fractal_of_text`] gives fractals.
///
/// # Errors
/// As [`fractal_of_text`].
pub fn rule_of_text(name: &str, text: &str, pick: Option<&str>) -> Result<(Arc<Rule>, Texts)> {
    let loader = FileLoader::default();
    of_text((name, text), pick, Kind::Rule, loader, (|library| &library.rules, |one| &one.name))
}

/// The mask of this name whose cells are the places of an array that are true: a row along x after the other, then along y. `extent` has one
/// to three numbers, x first. The texts record the array.
///
/// # Errors
/// If the array has another length than `extent` says, `extent` no valid length, or the name is none of the language; else as [`fractal_of_text`].
pub fn mask_of_array(name: &str, extent: &[u32], cells: &[bool]) -> Result<(Arc<Fractal>, Texts)> {
    let places = extent.iter().try_fold(1u64, |places, side| places.checked_mul(u64::from(*side)));
    let dimension = match extent.len() {
        1 => Dimension::One,
        2 => Dimension::Two,
        3 => Dimension::Three,
        axes => return Err(Message::users(format!("a mask has one to three axes, and not {axes}")).into()),
    };
    if places != Some(cells.len() as u64) || cells.is_empty() {
        let sides: Vec<String> = extent.iter().map(u32::to_string).collect();
        let what = format!("an array of {} places is no mask of {}", cells.len(), sides.join(" × "));
        return Err(Message::users(what).with_help("it needs one place for each of the box, at least one").into());
    }
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        let what = format!("a mask cannot be called `{name}`");
        return Err(Message::users(what).with_help("names are letters, digits and underscores").into());
    }
    let mut sides = [1; 3];
    sides[..extent.len()].copy_from_slice(extent);
    let places = Some(Bitmap::new(dimension, sides, cells.iter().copied()));
    let loader = FileLoader { places, ..FileLoader::default() };
    let (place, text) = (format!("{MEMORY}/{name}.fractal"), format!("domain {name} {{ mask \"{name}\" }}\n"));
    fractal_in_memory((&place, &text), None, loader)
}

fn fractal_in_memory(text: (&str, &str), pick: Option<&str>, loader: FileLoader) -> Result<(Arc<Fractal>, Texts)> {
    of_text(text, pick, Kind::Fractal, loader, (|library| &library.fractals, |one| &one.name)).map(with_digest)
}

/// A definition of a text in memory.
fn of_text<T>(
    (name, text): (&str, &str),
    pick: Option<&str>,
    kind: Kind,
    loader: FileLoader,
    (all, name_of): (impl Fn(&Library) -> &Vec<Arc<T>>, impl Fn(&T) -> &str),
) -> Result<(Arc<T>, Texts)> {
    let mut loader = loader.only(kind, pick);
    let name = if name.starts_with('<') { name.to_owned() } else { loader.register(Path::new(name)) };
    let (library, sources) = compile_bytes(&name, text.as_bytes(), &mut loader)?;
    let found = picked(kind, pick, (&library, &sources), loader, (&all, &name_of))?;
    found.ok_or_else(|| {
        let defined = all(&library).iter().map(|item| name_of(item).to_owned()).collect();
        ResolveError::NoDefinition { text: name, kind, name: pick.map(str::to_owned), defined }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::super::fractal_with_texts;
    use super::*;
    use crate::texts::TextErrors;
    use squeeze_compiler::geometry::Domain;

    #[test]
    fn texts_in_memory_are_recorded_as_files_are() {
        let text = "rule one { state a: bit next a = a }\nrule two { state a: bit next a = !a }\n";
        let (rule, texts) = rule_of_text("<notebook>", text, None).unwrap();
        assert_eq!((rule.name.as_str(), texts.texts.len()), ("two", 1));
        let again: Texts = crate::json::read(&serde_json::to_value(&texts).unwrap()).unwrap();
        assert_eq!(again.rule().unwrap().name, "two");
        assert_eq!(rule_of_text("<notebook>", text, Some("one")).unwrap().0.name, "one");
        let error = rule_of_text("<notebook>", text, Some("three")).unwrap_err();
        assert_eq!(error.to_string(), "`<notebook>` defines no rule `three`");
        assert_eq!(error.help(), ["its rules are `one` and `two`"]);
        let error = rule_of_text("<notebook>", "rule one {\n    state a: bit\n    next a = b\n}\n", None).unwrap_err();
        let errors = error.find::<TextErrors>().expect("errors of a text");
        let place = errors.diagnostics[0].primary.as_ref().expect("a place").span;
        assert_eq!(errors.sources.get(place.source).name, "<notebook>");
        assert_eq!(errors.sources.line_column(place.source, place.start), (3, 14));
        let error = rule_of_text("<notebook>", "use \"other.rule\"\n", None).unwrap_err();
        assert!(error.to_string().contains("a text that is not a file cannot use files"), "{error}");

        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plus.fractal"), "fractal plus { scale 3 pattern {\n.#.\n###\n.#.\n} }\n")
            .unwrap();
        let unsaved = folder.path().join("mixed.fractal");
        let text = "use \"plus.fractal\"\nfractal mixed { levels [plus, vicsek] }\n";
        let (fractal, texts) = fractal_of_text(unsaved.to_str().unwrap(), text, None, &Edges::default()).unwrap();
        std::fs::write(&unsaved, text).unwrap();
        let (of_file, texts_of_file) = fractal_with_texts(unsaved.to_str().unwrap()).unwrap();
        assert_eq!((fractal.patterns.clone(), texts), (of_file.patterns.clone(), texts_of_file));
    }

    #[test]
    fn arrays_are_masks() {
        let cells = [true, true, false, true, false, true];
        let (mask, texts) = mask_of_array("rock", &[3, 2], &cells).unwrap();
        let domain = Domain::new(Arc::clone(&mask), 1).unwrap();
        assert_eq!((domain.cells(), &domain.extent()[..2]), (4, &[3, 2][..]));
        let cells_of = |x, y| domain.nu([x, y, 0]).is_some();
        assert!(cells_of(0, 0) && !cells_of(2, 0) && !cells_of(1, 1) && cells_of(2, 1));
        let again: Texts = crate::json::read(&serde_json::to_value(&texts).unwrap()).unwrap();
        assert_eq!(again.fractal().unwrap().patterns, mask.patterns);
        for (name, extent, expected) in [
            ("rock", &[3, 3][..], "an array of 6 places is no mask of 3 × 3"),
            ("rock", &[], "a mask has one to three axes, and not 0"),
            ("rock", &[u32::MAX, u32::MAX, u32::MAX], "an array of 6 places is no mask of"),
            ("my rock", &[3, 2], "a mask cannot be called `my rock`"),
        ] {
            let error = mask_of_array(name, extent, &cells).unwrap_err();
            assert!(error.to_string().starts_with(expected) && error.is_users(), "{error}");
        }
        let error = mask_of_array("rock", &[6], &[false; 6]).unwrap_err();
        assert!(error.is_users(), "{error}");
    }
}
