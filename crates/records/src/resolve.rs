//! From what a user typed to a checked fractal or rule.
//!
//! `FRACTAL` and `RULE` are a path if such a file exists or if they contain a `/` or an extension, else the name of one
//! that ships. `FILE#name` picks a definition; without it the last one of the needed kind is taken. `-` is standard input.

mod memory;

pub(crate) use memory::MEMORY;
pub use memory::{fractal_of_text, mask_of_array, rule_of_text};

use crate::pattern;
#[cfg(feature = "files")]
use crate::state::mask::read as mask_of_file;
use crate::texts::{
    Digest, Finding, Text, TextErrors, Texts, Use, compile_bytes, findings, with_periodic, with_threshold,
};
use squeeze_compiler::geometry::{Domain, with_flags};
use squeeze_compiler::ir::{Axes, Fractal, Rule};
use squeeze_compiler::text::diagnostics::{self, Diagnostic};
use squeeze_compiler::text::source::{Source, Sources, Span};
use squeeze_compiler::text::syntax;
use squeeze_compiler::{Bitmap, CellSettings, DomainSettings, Library, Loaded, Loader, Threshold, Wanted, shipped};
use squeeze_engine::failure::{Failure, Message, Result};
use squeeze_engine::params::{list, nearest};
use squeeze_golly::{self as golly, WrongTable};
use squeeze_host::files::{self, FileError};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The kind of definition that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A fractal.
    Fractal,
    /// A rule.
    Rule,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Fractal => "fractal",
            Kind::Rule => "rule",
        })
    }
}

/// Why there is no fractal or rule of a name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// Neither a file nor the name of something that ships.
    #[error("there is no {kind} `{name}`, neither as a file nor among those that ship{}", near.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?")))]
    UnknownName {
        /// The kind that was looked for.
        kind: Kind,
        /// The name that was given.
        name: String,
        /// The most similar name there is.
        near: Option<String>,
    },
    /// A text without the definition that was asked for.
    #[error("`{text}` defines no {kind}{}", name.as_ref().map_or(String::new(), |name| format!(" `{name}`")))]
    NoDefinition {
        /// The file or shipped text.
        text: String,
        /// The kind that was looked for.
        kind: Kind,
        /// The name after `#`.
        name: Option<String>,
        /// The names of this kind that it does define.
        defined: Vec<String>,
    },
    /// A picture, an array or something else where a text is read.
    #[error("`{}` is not a text", .0.display())]
    NoText(PathBuf),
}

impl Failure for ResolveError {
    fn help(&self) -> Vec<String> {
        match self {
            ResolveError::UnknownName { kind, name, .. } => {
                let life = (*kind == Kind::Rule && is_life(name)).then(|| {
                    "Conway's game of life, B3/S23, is `conway` here; `life` is B2/S23, life on fractals".to_owned()
                });
                let other = if *kind == Kind::Rule { Kind::Fractal } else { Kind::Rule };
                let ship = match shipped_source(name, other) {
                    Ok(_) => format!("`{name}` is a {other}"),
                    Err(_) => format!("these {kind}s ship: {}", shipped_names(*kind).join(", ")),
                };
                let grid = (*kind == Kind::Fractal)
                    .then(|| "a box of 100 by 50 places is `P100,50`, and a torus is `T100,50`".to_owned());
                let file = "a name with a `/` or an extension is taken as a file".to_owned();
                life.into_iter().chain([ship]).chain(grid).chain([file]).collect()
            }
            ResolveError::NoDefinition { kind, defined, .. } if defined.is_empty() => {
                vec![format!("a definition begins with `{kind} NAME {{`")]
            }
            ResolveError::NoDefinition { kind, defined, .. } => vec![format!("its {kind}s are {}", list(defined))],
            ResolveError::NoText(path) => {
                let taken = "a FRACTAL may be a picture (.png with 8 or 16 bits a channel), an array (.npy of bool, u8 or u16) or a pattern (.rle, .cells, \
                             .lif, .mcl, also packed as .gz), which show the places of a mask; a RULE is a text, or a table or pattern of Golly";
                let name = path.display();
                let conversion = match ending_of(path).as_str() {
                    "png" | "npy" | "gz" => None,
                    "raw" | "dat" | "bin" => Some(format!(
                        "numpy makes an array of raw bytes: `numpy.save(\"mask.npy\", numpy.fromfile(\"{name}\", \"u1\").reshape(depth, height, width))`"
                    )),
                    _ => Some(format!(
                        "`magick {name} mask.png` makes such a picture of one, and numpy an array of a stack"
                    )),
                };
                std::iter::once(taken.to_owned()).chain(conversion).collect()
            }
        }
    }
}

/// A checked fractal from a path or a shipped name.
///
/// # Errors
/// If there is no such thing, it cannot be read, or any text that takes part has errors.
pub fn fractal(spec: &str) -> Result<Arc<Fractal>> {
    Ok(fractal_with_texts(spec)?.0)
}

/// A checked fractal as [`fractal`] gives it, and all texts that it is made of.
///
/// # Errors
/// As [`fractal`].
pub fn fractal_with_texts(spec: &str) -> Result<(Arc<Fractal>, Texts)> {
    fractal_by(FileLoader::default(), spec)
}

fn fractal_by(loader: FileLoader, spec: &str) -> Result<(Arc<Fractal>, Texts)> {
    find(spec, Kind::Fractal, loader, |library| &library.fractals, |fractal| &fractal.name).map(with_digest)
}

/// A fractal whose texts know the digest of the cells that it draws.
fn with_digest((fractal, mut texts): (Arc<Fractal>, Texts)) -> (Arc<Fractal>, Texts) {
    texts.cells = fractal.digest_of_drawn().map(Digest);
    (fractal, texts)
}

/// The name of standard input, where a file is named.
const INPUT: &str = "-";

/// The bytes of a text: of a file, or of standard input if it is called `-`.
///
/// # Errors
/// [`ResolveError::NoText`] for pictures, arrays and the like; if it is too long, or cannot be read.
pub fn read_text(path: &Path) -> Result<Vec<u8>> {
    if path == Path::new(INPUT) { Ok(files::read_standard_input()?.to_vec()) } else { read_file(path) }
}

/// How files end that are pictures, arrays or meshes, whatever is in them.
const NO_TEXTS: [&str; 33] = [
    "bmp", "exr", "gif", "h5", "hdf5", "hdr", "jp2", "jpeg", "jpg", "mat", "mha", "mhd", "nc", "nii", "npy", "npz",
    "nrrd", "pbm", "pdf", "pgm", "png", "pnm", "ppm", "raw", "stl", "svg", "tga", "tif", "tiff", "vti", "vtk", "webp",
    "zarr",
];

/// The same of a file.
fn read_file(path: &Path) -> Result<Vec<u8>> {
    let ending = ending_of(path);
    let may_be_text = ["", "fractal", "rule", "txt"].contains(&ending.as_str());
    match files::read_text_bytes(path) {
        Ok(bytes) if !may_be_text && (NO_TEXTS.contains(&ending.as_str()) || str::from_utf8(&bytes).is_err()) => {
            Err(ResolveError::NoText(path.to_owned()).into())
        }
        Err(FileError::TooLong { .. }) if !may_be_text => Err(ResolveError::NoText(path.to_owned()).into()),
        bytes => Ok(bytes?),
    }
}

/// How a file ends, in small letters.
fn ending_of(path: &Path) -> String {
    path.extension().map_or_else(String::new, |ending| ending.to_string_lossy().to_ascii_lowercase())
}

/// The axes that `--periodic` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Periodic {
    /// No more than the text says.
    #[default]
    AsWritten,
    /// All.
    All,
    /// These as well.
    Along(Axes),
}

/// The edges of a domain that flags set, and its sides where its text leaves them to the inputs of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edges {
    /// The axes that are periodic besides those of the text.
    pub periodic: Periodic,
    /// Values beyond the other edges, as `state=value`.
    pub values: Vec<String>,
    /// The two or three sides of a domain that says `size inputs`.
    pub sides: Option<Vec<u64>>,
}

/// A checked fractal as [`fractal`] gives it, with other edges than its text says, and all texts that it is made of.
///
/// # Errors
/// As [`fractal`], if it has no such axis, and if two of the values are of one state.
pub fn domain_with_texts(spec: &str, edges: &Edges) -> Result<(Arc<Fractal>, Texts)> {
    domain_with_cells(spec, edges, &CellSettings::default())
}

/// The same with other values of the parameters of domains than their texts say, and with a seed of what their cells draw from disorder.
///
/// # Errors
/// As [`domain_with_texts`], and if no domain has such a parameter.
pub fn domain_with_cells(spec: &str, edges: &Edges, cells: &CellSettings) -> Result<(Arc<Fractal>, Texts)> {
    let (cells, inputs) = (cells.clone(), edges.sides.clone());
    domain_by(FileLoader::of(DomainSettings { cells, inputs, ..DomainSettings::default() }), spec, edges)
}

/// The same as [`domain_with_texts`] gives; `computes` is called with the name and the places of a box before its cells are computed.
///
/// # Errors
/// As [`domain_with_texts`].
pub fn domain_told(spec: &str, edges: &Edges, computes: fn(&str, u64)) -> Result<(Arc<Fractal>, Texts)> {
    let inputs = edges.sides.clone();
    domain_by(FileLoader::of(DomainSettings { computes, inputs, ..DomainSettings::default() }), spec, edges)
}

fn domain_by(loader: FileLoader, spec: &str, edges: &Edges) -> Result<(Arc<Fractal>, Texts)> {
    with_edges(fractal_by(loader, spec)?, edges)
}

/// A fractal with the edges that flags set, of which its texts tell.
fn with_edges((fractal, mut texts): (Arc<Fractal>, Texts), edges: &Edges) -> Result<(Arc<Fractal>, Texts)> {
    let of_space = Axes::of(fractal.dimension);
    texts.periodic = match edges.periodic {
        Periodic::AsWritten => Axes::NONE,
        Periodic::All => of_space,
        Periodic::Along(axes) => {
            if let Some(axis) = (0..3).rfind(|axis| axes.0[*axis] && !of_space.0[*axis]) {
                let (name, dimension, axis) = (&fractal.name, fractal.dimension.axes(), Axes::NAMES[axis]);
                let what = format!("`{name}` is {dimension}-D and has no axis `{axis}` that could be periodic");
                let help = if dimension == 1 { "its axis is x" } else { "its axes are x and y" };
                return Err(Message::users(what).with_help(help).into());
            }
            axes
        }
    };
    texts.edges.clone_from(&edges.values);
    Ok((with_flags(&with_periodic(&fractal, texts.periodic), &texts.edges)?, texts))
}

/// Whether a setting `DOMAIN.NAME=value` is of a domain, and not of the rule, whose vectors have components `NAME.x`: coordinates are parameters of no domain.
pub fn is_of_domain(setting: &str) -> bool {
    let name = setting.split('=').next().unwrap_or_default();
    name.split_once('.').is_some_and(|(_, of)| !Axes::NAMES.contains(&of.trim()))
}

/// A checked fractal as [`domain_with_texts`] gives it.
///
/// # Errors
/// As [`domain_with_texts`].
pub fn domain(spec: &str, edges: &Edges) -> Result<Arc<Fractal>> {
    Ok(domain_with_texts(spec, edges)?.0)
}

/// A checked rule from a path or a shipped name.
///
/// # Errors
/// As [`fractal`].
pub fn rule(spec: &str) -> Result<Arc<Rule>> {
    Ok(rule_with_texts(spec)?.0)
}

/// A checked rule as [`rule`] gives it, and all texts that it is made of.
///
/// # Errors
/// As [`rule`].
pub fn rule_with_texts(spec: &str) -> Result<(Arc<Rule>, Texts)> {
    find(spec, Kind::Rule, FileLoader::default(), |library| &library.rules, |rule| &rule.name)
}

/// The rules of a file from which none was picked by its name, if there are several: the last one is taken.
///
/// # Errors
/// As [`rule`].
pub fn unpicked_rules(spec: &str) -> Result<Vec<String>> {
    let path = Path::new(spec);
    let is_file = spec == INPUT || is_path(spec) && path.is_file();
    if split(spec).1.is_some() || !is_file || golly::rule_text(spec).is_some() {
        return Ok(Vec::new());
    }
    if pattern::is_pattern(path) || table_in(path)?.is_some() {
        return Ok(Vec::new());
    }
    let checked = check(path, &read_text(path)?)?;
    let names: Vec<String> = checked.library.rules.iter().map(|rule| rule.name.clone()).collect();
    Ok(if names.len() > 1 { names } else { Vec::new() })
}

/// The names of all that ships.
pub fn shipped_names(kind: Kind) -> Vec<&'static str> {
    let list = match kind {
        Kind::Fractal => shipped::FRACTALS,
        Kind::Rule => &shipped::all_rules(),
    };
    list.iter().map(|(name, _)| *name).collect()
}

/// The text of what ships under a name, and how messages call it; `None` for a path and for an unknown name.
pub fn shipped_text(name: &str) -> Option<(PathBuf, &'static str)> {
    if is_path(name) {
        return None;
    }
    let found = [Kind::Rule, Kind::Fractal].into_iter().find_map(|kind| Some((kind, shipped_source(name, kind).ok()?)));
    found.map(|(kind, text)| (PathBuf::from(format!("<shipped>/{name}.{kind}")), text))
}

/// Checks a text and everything it uses. `path` is where it comes from and how messages call it.
///
/// # Errors
/// If the text, or one that it uses, has errors.
pub fn check(path: &Path, bytes: &[u8]) -> Result<Checked, TextErrors> {
    let mut loader = FileLoader::of(DomainSettings { most_places: MOST_CHECKED, ..DomainSettings::default() });
    let (library, sources) = match table_of(bytes) {
        Some(table) => compile_table(&path.display().to_string(), table, &mut loader)?,
        None => {
            let name = loader.register(path);
            compile_bytes(&name, bytes, &mut loader)?
        }
    };
    Ok(Checked { warnings: library.warnings.clone(), library, sources })
}

/// The most places of a mask or box whose cells a check computes: they take less than a second.
const MOST_CHECKED: u64 = 1 << 24;

/// A text that is valid.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The definitions.
    pub library: Library,
    /// Warnings: valid text that is probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// The texts.
    pub sources: Sources,
}

impl Checked {
    /// The warnings as a reader is shown them, with excerpts.
    pub fn render(&self, colour: bool) -> String {
        diagnostics::render(&self.warnings, &self.sources, colour)
    }

    /// The warnings as values, in the order in which they are printed.
    pub fn findings(&self) -> Vec<Finding> {
        findings(&self.warnings, &self.sources)
    }
}

/// Compiles one of Golly's files of rules.
fn compile_table(place: &str, table: &str, loader: &mut FileLoader) -> Result<(Library, Sources), TextErrors> {
    match golly::table_text(table) {
        Ok(text) => compile_bytes(&format!("<golly>/{place}"), text.as_bytes(), loader),
        Err(WrongTable { problem, line }) => {
            let mut sources = Sources::new();
            let source = sources.add(place, table);
            let message = format!("this is no rule of Golly's: {problem}");
            let at = |line: Range<usize>| Span { source, start: line.start as u32, end: line.end as u32 };
            let diagnostic = match line.map(at) {
                Some(span) => Diagnostic::new(message, span, "").coded("syntax"),
                None => Diagnostic::without_place(format!("`{place}`: {message}")).coded("syntax"),
            };
            Err(TextErrors { diagnostics: vec![diagnostic], sources })
        }
    }
}

/// A text in the canonical form. Golly's files of rules are left as they are.
///
/// # Errors
/// If it does not parse.
pub fn format(path: &Path, bytes: &[u8]) -> Result<String, TextErrors> {
    if let Some(table) = table_of(bytes) {
        return Ok(table.to_owned());
    }
    let name = path.display().to_string();
    let mut sources = Sources::new();
    let formatted = syntax::decode(&name, bytes).and_then(|text| {
        let id = sources.add(&name, text);
        syntax::format(&sources, id)
    });
    formatted.map_err(|diagnostics| TextErrors { diagnostics, sources })
}

fn find<T>(
    spec: &str,
    kind: Kind,
    loader: FileLoader,
    all: impl Fn(&Library) -> &Vec<Arc<T>>,
    name_of: impl Fn(&T) -> &str,
) -> Result<(Arc<T>, Texts)> {
    let (place, wanted) = split(spec);
    let mut loader = loader.only(kind, wanted);
    let path = Path::new(place);
    let of_mask = if kind == Kind::Fractal { text_of_mask(path)?.or_else(|| text_of_grid(spec)) } else { None };
    let golly = if kind == Kind::Rule && pattern::is_pattern(path) {
        Some(rule_of_pattern(path)?)
    } else if kind == Kind::Rule && !path.exists() {
        golly::rule_text(spec).map(|text| (spec.to_owned(), text))
    } else {
        None
    };
    let table = if kind == Kind::Rule { table_in(path)? } else { None };
    let (library, sources) = if let Some(table) = &table {
        compile_table(place, table, &mut loader)?
    } else if let Some(text) = &of_mask {
        // Beside the file, so that the text finds it.
        compile_bytes(&format!("{place}.fractal"), text.as_bytes(), &mut loader)
            .map_err(|errors| without_places(errors, place, text))?
    } else if golly.is_none() && is_path(place) {
        if kind == Kind::Rule && !path.exists() && golly::is_almost_string(place) {
            let what = format!("`{place}` is neither a file nor a rule in Golly's notation");
            return Err(Message::users(what).with_help("write for example `B3/S23`, `23/3` or `B2/S/C3`").into());
        }
        let bytes = read_text(path)?;
        let name = loader.register(Path::new(place));
        compile_bytes(&name, &bytes, &mut loader)?
    } else if let Some((rule, text)) = golly {
        let wrong = |problem| Message::users(format!("`{rule}` is not a rule in Golly's notation: {problem}"));
        let text = text.map_err(wrong)?;
        compile_bytes(&format!("<golly>/{rule}"), text.as_bytes(), &mut loader)?
    } else {
        // The name under which the compiler, too, speaks of a shipped text.
        let name = format!("<shipped>/{place}.{kind}");
        let source = shipped_source(place, kind)?;
        compile_bytes(&name, source.as_bytes(), &mut loader)?
    };
    let notes = of_mask.is_some().then(|| note_of_pattern(path)).flatten();
    if let Some((found, mut texts)) = picked(kind, wanted, (&library, &sources), loader, (&all, &name_of))? {
        texts.notes.extend(notes);
        return Ok((found, texts));
    }
    if let (Some(wanted), true) = (wanted, of_mask.is_some()) {
        let what = format!("`{place}` is a single mask, and there is no `{wanted}` in it");
        return Err(Message::users(what).with_help(format!("leave out `#{wanted}`")).into());
    }
    // The whole file is checked, to list all that it defines: the library may hold the picked definition alone.
    let library = match wanted.is_some() && kind == Kind::Fractal && is_path(place) {
        true => check(path, &read_text(path)?)?.library,
        false => library,
    };
    let error = ResolveError::NoDefinition {
        text: place.to_owned(),
        kind,
        name: wanted.map(str::to_owned),
        defined: all(&library).iter().map(|item| name_of(item).to_owned()).collect(),
    };
    Err(error.into())
}

/// The definition that was asked for, with all texts that it is made of; `None` if the library has none of this kind or name.
fn picked<T>(
    kind: Kind,
    wanted: Option<&str>,
    (library, sources): (&Library, &Sources),
    loader: FileLoader,
    (all, name_of): (impl Fn(&Library) -> &Vec<Arc<T>>, impl Fn(&T) -> &str),
) -> Result<Option<(Arc<T>, Texts)>> {
    let found = match wanted {
        Some(wanted) => all(library).iter().find(|item| name_of(item) == wanted),
        None => all(library).last(),
    };
    let Some(found) = found else { return Ok(None) };
    let name = |setting: &String| setting.split('=').next().unwrap_or_default().trim().to_owned();
    if let Some(name) = loader.asked.cells.params.iter().map(name).find(|name| !library.domain_params.contains(name)) {
        let known: Vec<&String> = library.domain_params.iter().collect();
        let help = match known.is_empty() {
            true => "a domain has parameters where its text says so: `param p: f32 = 0.6`".to_owned(),
            false => format!("the parameters of its domains are {}", list(&known)),
        };
        return Err(Message::users(format!("there is no parameter `{name}` of a domain")).with_help(help).into());
    }
    let of_domains = library.warnings.get(..library.of_domains).unwrap_or_default();
    let words = |warning: &Diagnostic| {
        std::iter::once(&warning.message).chain(&warning.help).cloned().collect::<Vec<_>>().join("; ")
    };
    let texts = Texts {
        notes: if kind == Kind::Fractal { of_domains.iter().map(words).collect() } else { Vec::new() },
        definition: name_of(found).to_owned(),
        texts: sources
            .iter()
            .map(|source| Text { name: source.name.clone(), text: source.text.clone() })
            .chain(loader.masks)
            .collect(),
        uses: loader.uses,
        periodic: Axes::NONE,
        edges: Vec::new(),
        cells: None,
        params: loader.asked.cells.params,
        disorder: library.draws_disorder.then_some(loader.asked.cells.disorder),
        inputs: Vec::new(),
        sides: loader.asked.inputs,
    };
    Ok(Some((Arc::clone(found), texts)))
}

/// The text of a domain whose cells a picture, an array or a pattern shows. `None` for a file of another kind.
fn text_of_mask(path: &Path) -> Result<Option<String>> {
    let is_array = |ending: &std::ffi::OsStr| ending.eq_ignore_ascii_case("png") || ending.eq_ignore_ascii_case("npy");
    if !path.extension().is_some_and(is_array) && !pattern::is_pattern(path) {
        return Ok(None);
    }
    if !path.exists() && !path.is_symlink() {
        return Err(FileError::Missing(path.to_owned()).into());
    }
    let file = path.file_name().and_then(|file| file.to_str()).filter(|file| !file.contains(['"', '\n']));
    let Some(file) = file else { return Ok(None) };
    let letters = file.split('.').next().unwrap_or_default().chars();
    let name: String = letters.map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    Ok(Some(format!("domain {}{name} {{ mask \"{file}\" }}\n", if begins { "" } else { "mask_" })))
}

/// A note for a pattern that is used as a mask.
fn note_of_pattern(path: &Path) -> Option<String> {
    let path = pattern::is_pattern(path).then(|| path.display())?;
    Some(format!(
        "the live cells of `{path}` are the places that there are; `--init STATE={path}` takes a pattern for values"
    ))
}

/// Removes the places from the errors of a text that no user wrote, and names the text instead.
fn without_places(mut errors: TextErrors, place: &str, text: &str) -> TextErrors {
    for diagnostic in &mut errors.diagnostics {
        diagnostic.primary = None;
        diagnostic.secondary.clear();
        let text = text.trim_end();
        diagnostic.help.push(format!(
            "`{place}` stands for `{text}`; a file NAME.fractal beside it may say this and more, and is then the FRACTAL"
        ));
    }
    errors
}

/// The text of a domain for a grid as Golly writes it, `T100,50`.
fn text_of_grid(spec: &str) -> Option<String> {
    let (_, parts) = golly::described(spec).ok().filter(|_| !is_path(spec))?;
    Some(format!("domain {} {{ {parts} }}\n", if spec.starts_with(['T', 't']) { "torus" } else { "plane" }))
}

/// The rule of a pattern, as its head names it, and its text.
fn rule_of_pattern(path: &Path) -> Result<(String, Result<String, String>)> {
    let rule = pattern::read(path, files::TEXT_LIMIT)?.rule.ok_or_else(|| {
        let help = "the head of a pattern may say `x = 3, y = 3, rule = B3/S23`";
        Message::users(format!("`{}` names no rule", path.display())).with_help(help)
    })?;
    let string = golly::unnamed(&rule);
    // Beside the pattern, whatever its head says.
    let of_table = path.with_file_name(format!("{}.rule", string.replace(['/', '\\'], "_")));
    let text = if golly::is_wireworld(&rule) {
        shipped_source("wireworld", Kind::Rule).map(|text| Ok(text.to_owned()))?
    } else if let Some(text) = golly::rule_text(string) {
        text
    } else if let Some(text) = table_in(&of_table)? {
        golly::table_text(&text).map_err(|WrongTable { problem, line }| {
            let line =
                line.map_or(String::new(), |line| format!("line {}: ", text[..line.start].matches('\n').count() + 1));
            format!("{}: {line}{problem}", of_table.display())
        })
    } else {
        Err(format!("write for example `B3/S23` or `B2/S/C3`; of a table there is no file `{}`", of_table.display()))
    };
    Ok((rule, text))
}

/// The text of one of Golly's files of rules, whose names end as those of this language.
fn table_in(path: &Path) -> Result<Option<String>> {
    let is_rule = path.extension().is_some_and(|ending| ending == "rule") && path.is_file();
    if !is_rule && path != Path::new(INPUT) {
        return Ok(None);
    }
    let bytes = read_text(path)?;
    Ok(table_of(&bytes).map(str::to_owned))
}

/// The text of a file, if it is one of Golly's rules.
fn table_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| golly::is_table(text))
}

/// The grid that a rule names, in its string or in the head of its pattern: `T100,50` of `B3/S23:T100,50`.
///
/// # Errors
/// As [`rule`].
pub fn grid_of_rule(spec: &str) -> Result<Option<String>> {
    let path = Path::new(spec);
    if pattern::is_pattern(path) {
        return Ok(pattern::read(path, files::TEXT_LIMIT)?.grid);
    }
    let grid = golly::split_grid(spec).and_then(|(_, grid)| grid).filter(|_| !path.exists());
    let Some(grid) = grid.filter(|_| golly::rule_text(spec).is_some()) else { return Ok(None) };
    rule(spec).map(|_| Some(grid.to_owned()))
}

/// A note for a rule that names another grid than the domain.
///
/// # Errors
/// As [`rule`].
pub fn note_of_grid(spec: &str, domain: &Domain) -> Result<Option<String>> {
    Ok(pattern::note_of_grid(grid_of_rule(spec)?.as_deref(), spec, domain))
}

/// Whether a name is one under which others know Conway's game of life.
fn is_life(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    ["life", "gameoflife", "conwaylife", "conwayslife", "conwaysgameoflife", "gol"].contains(&letters.as_str())
}

/// Splits `FILE#name`; a file whose own name holds a `#` goes first.
fn split(spec: &str) -> (&str, Option<&str>) {
    match spec.rsplit_once('#') {
        Some((place, name)) if !Path::new(spec).is_file() => (place, Some(name)),
        _ => (spec, None),
    }
}

/// A folder that happens to have the name of something that ships does not count as existing.
fn is_path(place: &str) -> bool {
    let path = Path::new(place);
    place == INPUT
        || place.contains(['/', std::path::MAIN_SEPARATOR])
        || path.extension().is_some()
        || (path.exists() && !path.is_dir())
}

fn shipped_source(name: &str, kind: Kind) -> Result<&'static str> {
    let found = match kind {
        Kind::Fractal => shipped::fractal_source(name),
        Kind::Rule => shipped::rule_source(name),
    };
    let unknown = || ResolveError::UnknownName {
        kind,
        name: name.to_owned(),
        near: match kind == Kind::Rule && is_life(name) {
            true => Some("conway".to_owned()),
            false => nearest(name, shipped_names(kind).into_iter()).map(str::to_owned),
        },
    };
    Ok(found.ok_or_else(unknown)?)
}

/// Reads the files that a text uses, relative to the file that uses them.
///
/// Each file has one name, the first under which it was met, however many ways lead to it: messages then speak of
/// files as the user does, and a cycle is seen when it closes.
#[derive(Debug, Default)]
struct FileLoader {
    names: BTreeMap<PathBuf, String>,
    /// The settings of masks and boxes.
    asked: DomainSettings,
    /// The `use`s that were loaded, in this order.
    uses: Vec<Use>,
    /// Masks, by their places.
    masks: Vec<Text>,
    /// The places of a mask in memory, which the text `<memory>` names.
    places: Option<Bitmap>,
}

impl FileLoader {
    fn of(asked: DomainSettings) -> FileLoader {
        FileLoader { asked, ..FileLoader::default() }
    }

    /// The same loader for one definition: no rule needs the cells of a domain beside it.
    fn only(self, kind: Kind, wanted: Option<&str>) -> FileLoader {
        let wanted = match (kind, wanted) {
            (Kind::Rule, _) => Wanted::Rules,
            (Kind::Fractal, Some(name)) => Wanted::Named(name.to_owned()),
            (Kind::Fractal, None) => Wanted::Last,
        };
        FileLoader { asked: DomainSettings { wanted, ..self.asked }, ..self }
    }

    /// The name of a file, by which it is known from now on.
    fn register(&mut self, path: &Path) -> String {
        let canonical = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.names.entry(canonical).or_insert_with(|| path.display().to_string()).clone()
    }
}

#[cfg(not(feature = "files"))]
fn mask_of_file(_: &Path, _: Option<Threshold>, _: u64) -> Result<Bitmap, String> {
    Err("masks cannot be read here".to_owned())
}

/// Where a file lies that a text names.
fn beside(path: &str, from: &Source) -> Result<PathBuf, String> {
    if from.name.starts_with('<') {
        return Err("a text that is not a file cannot use files".to_owned());
    }
    let folder = Path::new(&from.name).parent().unwrap_or(Path::new(""));
    let file = without_detours(&folder.join(path));
    if path.is_empty() || file.as_os_str().is_empty() || file.is_dir() {
        return Err("that is a folder, not a file".to_owned());
    }
    Ok(file)
}

impl Loader for FileLoader {
    fn asked(&self) -> DomainSettings {
        DomainSettings { memory: squeeze_host::memory::available(), ..self.asked.clone() }
    }

    fn mask(&mut self, path: &str, threshold: Option<Threshold>, from: &Source) -> Result<Bitmap, String> {
        let (bitmap, name) = match self.places.take() {
            Some(places) => (places, format!("{MEMORY}/{path}")),
            None => {
                let file = beside(path, from)?;
                let bitmap = mask_of_file(&file, threshold, self.asked.most_places)?;
                (bitmap, with_threshold(&self.register(&file), threshold))
            }
        };
        let path = with_threshold(path, threshold);
        self.uses.push(Use { from: from.name.clone(), path, name: name.clone() });
        if !self.masks.iter().any(|known| known.name == name) {
            self.masks.push(Text { name, text: bitmap.to_text() });
        }
        Ok(bitmap)
    }

    fn load(&mut self, path: &str, from: &Source) -> Result<Loaded, String> {
        let file = beside(path, from)?;
        let bytes = read_file(&file).map_err(|error| error.to_string())?;
        let name = self.register(&file);
        self.uses.push(Use { from: from.name.clone(), path: path.to_owned(), name: name.clone() });
        Ok(Loaded { name, bytes })
    }
}

/// `a/./b` and `a/b/../c` shortened for messages, where no symbolic link can make a difference.
fn without_detours(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        let up = part == Component::ParentDir;
        let into_folder = matches!(short.components().next_back(), Some(Component::Normal(_)));
        if up && into_folder && !short.is_symlink() {
            short.pop();
        } else if part != Component::CurDir {
            short.push(part);
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_names_are_told_apart() {
        assert!(is_path("a/b") && is_path("a.fractal") && is_path("./life"));
        assert!(!is_path("life") && !is_path("src"), "a folder is no file");
        assert_eq!(split("a.rule#b"), ("a.rule", Some("b")));
        assert_eq!(split("life"), ("life", None));
    }

    #[test]
    fn detours_vanish_from_names() {
        let short = |path: &str| without_detours(Path::new(path)).display().to_string();
        assert_eq!(short("a/./b/../c.fractal"), "a/c.fractal");
        assert_eq!(short("../c.fractal"), "../c.fractal");
        assert_eq!(short("../../c.fractal"), "../../c.fractal");
    }

    #[test]
    fn shipped_things_are_found_and_misspelt_ones_suggested() {
        assert_eq!(fractal("vicsek").unwrap().name, "vicsek");
        assert_eq!(rule("life").unwrap().name, "life");
        let error = fractal("vicsec").unwrap_err();
        assert!(error.to_string().ends_with("did you mean `vicsek`?"), "{error}");
        assert!(error.help()[0].contains("menger_sponge"), "{:?}", error.help());
        for name in ["Life", "game_of_life", "GoL"] {
            let error = rule(name).unwrap_err();
            assert!(error.to_string().ends_with("did you mean `conway`?"), "{error}");
            assert!(error.help()[0].contains("`life` is B2/S23"), "{:?}", error.help());
        }
    }

    #[test]
    fn a_file_gives_its_last_definition_or_the_one_that_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("two.fractal");
        let text = "fractal one { scale 2 pattern { ## #. } }\nfractal two { scale 2 pattern { ## .# } }\n";
        std::fs::write(&path, text).unwrap();
        let spec = path.to_str().unwrap();
        assert_eq!(fractal(spec).unwrap().name, "two");
        assert_eq!(fractal(&format!("{spec}#one")).unwrap().name, "one");
        let error = fractal(&format!("{spec}#three")).unwrap_err();
        let kind = error.downcast_ref();
        assert!(matches!(kind, Some(ResolveError::NoDefinition { defined, .. }) if defined.len() == 2), "{error}");
        let error = rule(spec).unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(ResolveError::NoDefinition { .. })));
    }

    #[test]
    fn a_folder_cannot_be_used() {
        let folder = tempfile::tempdir().unwrap();
        for path in [".", "", "..", "./"] {
            let file = folder.path().join("a.fractal");
            std::fs::write(&file, format!("use \"{path}\"\nfractal a {{ levels [vicsek] }}\n")).unwrap();
            let error = fractal(file.to_str().unwrap()).unwrap_err().to_string();
            assert!(error.contains(&format!("cannot use `{path}`: that is a folder, not a file")), "{error}");
        }
    }

    #[test]
    fn files_use_each_other_and_a_cycle_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("sub/plus.fractal", "fractal plus { scale 3 pattern { .#. ### .#. } }\n");
        write("mixed.fractal", "use \"sub/../sub/plus.fractal\"\nfractal mixed { levels [plus, vicsek] }\n");
        write("a.fractal", "use \"b.fractal\"\n");
        write("b.fractal", "use \"./a.fractal\"\n");
        let spec = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        assert_eq!(fractal(&spec("mixed.fractal")).unwrap().patterns.len(), 2);
        let error = fractal(&spec("a.fractal")).unwrap_err();
        assert_eq!(error.downcast_ref::<TextErrors>().unwrap().diagnostics.len(), 1);
    }
}
