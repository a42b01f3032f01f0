//! The files that take part: follows `use` from the root.

use crate::geometry::bitmap::{Bitmap, Threshold};
use crate::shipped;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::{Source, SourceId, Sources, Span};
use crate::text::syntax::{self, ast};
use std::collections::HashMap;
use std::sync::Arc;

/// Gives the texts that `use` names. The compiler itself reads no files.
pub trait Loader {
    /// The file `path`, as written in the text `from`, which names it relative to itself.
    ///
    /// # Errors
    /// Why it cannot be had, as part of a sentence: "there is no such file".
    fn load(&mut self, path: &str, from: &Source) -> Result<Loaded, String>;

    /// The places of the picture, array or pattern `path`, named as in [`load`](Loader::load), of which a threshold may say which values are cells. Unless a
    /// loader says otherwise there are none.
    ///
    /// # Errors
    /// As of [`load`](Loader::load).
    fn mask(&mut self, path: &str, threshold: Option<Threshold>, from: &Source) -> Result<Bitmap, String> {
        let _ = (path, threshold, from);
        Err("masks cannot be read here".to_owned())
    }

    /// The settings of masks and boxes from outside of their texts.
    fn asked(&self) -> DomainSettings {
        DomainSettings::default()
    }
}

/// The settings of masks and boxes from outside of their texts. Unless a loader says otherwise all are computed.
#[derive(Clone, Debug)]
pub struct DomainSettings {
    /// The domains of the root text that are computed.
    pub wanted: Wanted,
    /// The most places of a box whose cells are computed. A larger one is judged by its text alone, and a single cell stands for it: for texts
    /// that are only checked.
    pub most_places: u64,
    /// Called with the name and the places of a box before its cells are computed.
    pub computes: fn(&str, u64),
    /// The bytes of memory that domains may take.
    pub memory: u64,
    /// The two or three sides of domains that say `size inputs`, if these are known.
    pub inputs: Option<Vec<u64>>,
    /// The settings that their cells depend on.
    pub cells: CellSettings,
}

impl Default for DomainSettings {
    fn default() -> DomainSettings {
        let (wanted, cells) = (Wanted::All, CellSettings::default());
        DomainSettings { wanted, most_places: u64::MAX, computes: |_, _| {}, memory: 1 << 32, inputs: None, cells }
    }
}

/// Which masks and boxes of a text are wanted. The ones that a wanted one names are computed as well; errors of others are not reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Each.
    All,
    /// The last fractal or domain of the text.
    Last,
    /// The one of this name.
    Named(String),
    /// None: the text is read for its rules.
    Rules,
}

impl Wanted {
    /// The name of the only one that is wanted, or the empty name if none is; `None` if all are.
    pub(super) fn only(&self, root: &ast::SyntaxFile) -> Option<String> {
        let name = |item: &ast::Item| match &item.kind {
            ast::ItemKind::Fractal(def) => Some(def.name.name.clone()),
            _ => None,
        };
        match self {
            Wanted::All => None,
            Wanted::Last => root.items.iter().rev().find_map(name),
            Wanted::Named(name) => Some(name.clone()),
            Wanted::Rules => Some(String::new()),
        }
    }
}

/// The settings of the cells of domains from outside of their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellSettings {
    /// Parameters, as `DOMAIN.NAME=value`; of two values of one parameter the last holds.
    pub params: Vec<String>,
    /// The seed of draws `from disorder`.
    pub disorder: u64,
}

impl CellSettings {
    /// The value that a parameter of a domain is set to.
    pub(super) fn of(&self, domain: &str, param: &str) -> Option<&str> {
        let value = |setting: &'_ String| {
            let (name, value) = setting.split_once('=')?;
            let (of, name) = name.split_once('.')?;
            ((of.trim(), name.trim()) == (domain, param)).then_some(value.len())
        };
        self.params
            .iter()
            .rev()
            .find_map(|setting| value(setting).map(|length| setting[setting.len() - length..].trim()))
    }
}

/// A file's bytes and the name that identifies it: two paths to one file must give one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The name, also used in messages.
    pub name: String,
    /// The content, not yet known to be text.
    pub bytes: Vec<u8>,
}

/// A loader for texts that cannot use other files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _path: &str, _from: &Source) -> Result<Loaded, String> {
        Err("this text is not a file, so it cannot use files".to_owned())
    }
}

/// The root's place in the list of modules.
pub(super) const ROOT: usize = 0;

/// More files than this in one compilation are taken for a mistake.
const MOST_FILES: usize = 256;

/// One parsed text.
pub(super) struct ParsedText {
    pub file: ast::SyntaxFile,
    /// The module that each of its `use`s names, in order; `None` where that could not be loaded.
    pub uses: Vec<Option<usize>>,
    /// True if it ships with the compiler: its definitions are checked only when something names them.
    pub shipped: bool,
    /// Its text.
    pub source: SourceId,
    /// The masks that its domains name, by path and threshold, or their errors.
    pub masks: HashMap<(String, Option<Threshold>), Result<Arc<Bitmap>, Diagnostic>>,
}

/// Parses the root and everything that it uses, directly or not. The shipped files follow, one module each.
pub(super) fn load(
    sources: &mut Sources,
    root: SourceId,
    loader: &mut dyn Loader,
    errors: &mut Vec<Diagnostic>,
) -> Vec<ParsedText> {
    let mut loading = Loading { sources, loader, errors, modules: Vec::new(), names: Vec::new() };
    loading.add(root, false);
    // Breadth first; a queue instead of recursion, so that a long chain of files cannot overflow the stack.
    let mut next = ROOT;
    while next < loading.modules.len() {
        let uses: Vec<_> = used(&loading.modules[next]).map(|(item, span)| (item.clone(), span)).collect();
        for (item, span) in uses {
            let target = loading.find_or_load(&item, span);
            loading.modules[next].uses.push(target);
        }
        loading.load_masks(next);
        next += 1;
    }
    loading.report_cycles();
    let shipped = loading.shipped_texts_needed();
    for (name, text) in shipped {
        let id = loading.sources.add(format!("<shipped>/{name}.fractal"), text);
        loading.add(id, true);
    }
    loading.modules
}

/// A threshold as the text says it; `None` if no value of 16 bits is its bound.
pub(super) fn of_text(threshold: &ast::MaskThreshold) -> Option<Threshold> {
    let bound = u16::try_from(threshold.bound.value).ok()?;
    Some(if threshold.is_above { Threshold::Above(bound) } else { Threshold::Below(bound) })
}

struct Loading<'a> {
    sources: &'a mut Sources,
    loader: &'a mut dyn Loader,
    errors: &'a mut Vec<Diagnostic>,
    modules: Vec<ParsedText>,
    /// The identity of each module.
    names: Vec<String>,
}

impl Loading<'_> {
    fn add(&mut self, id: SourceId, shipped: bool) -> usize {
        let (file, mut errors) = syntax::parse(self.sources, id);
        self.errors.append(&mut errors);
        self.modules.push(ParsedText { file, uses: Vec::new(), shipped, source: id, masks: HashMap::new() });
        self.names.push(self.sources.get(id).name.clone());
        self.modules.len() - 1
    }

    fn load_masks(&mut self, module: usize) {
        let of_item = |item: &ast::Item| match &item.kind {
            ast::ItemKind::Fractal(def) => def.parts.clone(),
            _ => Vec::new(),
        };
        for part in self.modules[module].file.items.iter().flat_map(of_item).collect::<Vec<_>>() {
            let ast::FractalPart { kind: ast::FractalPartKind::Mask { path, threshold }, span } = part else {
                continue;
            };
            let threshold = threshold.and_then(|threshold| match of_text(&threshold) {
                Some(threshold) => Some(threshold),
                None => {
                    let bound = &threshold.bound;
                    let error = Diagnostic::new(format!("a threshold of {bound}"), bound.span, "no value of 16 bits");
                    error.help("thresholds are whole numbers from 0 to 65535").fail(self.errors)
                }
            });
            if self.modules[module].masks.contains_key(&(path.clone(), threshold)) {
                continue;
            }
            let loaded = self.loader.mask(&path, threshold, self.sources.get(span.source));
            let loaded = loaded.map_err(|reason| {
                let error = Diagnostic::new(format!("cannot use the mask `{path}`: {reason}"), span, "named here");
                error.help("a mask is a .png, .npy, .rle or another pattern, relative to the file that names it")
            });
            self.modules[module].masks.insert((path, threshold), loaded.map(Arc::new));
        }
    }

    fn find_or_load(&mut self, item: &ast::UseItem, span: Span) -> Option<usize> {
        let from = self.sources.get(span.source);
        let fail = |message: String| Diagnostic::new(message, item.path_span, "used here");
        let loaded = match self.loader.load(&item.path, from) {
            Ok(loaded) => loaded,
            Err(reason) => {
                return fail(format!("cannot use `{}`: {reason}", item.path))
                    .help("the path is relative to the file that says `use`; shipped fractals need no `use`")
                    .fail(self.errors);
            }
        };
        if let Some(index) = self.names.iter().position(|name| *name == loaded.name) {
            return Some(index);
        }
        if self.modules.len() == MOST_FILES {
            return fail(format!("more than {MOST_FILES} files are used")).fail(self.errors);
        }
        let text = syntax::decode(&loaded.name, &loaded.bytes).map_err(|errors| self.errors.extend(errors)).ok()?;
        let id = self.sources.add(loaded.name, text);
        Some(self.add(id, false))
    }

    /// A file that uses itself, directly or through others, is an error at every `use` that closes a circle.
    fn report_cycles(&mut self) {
        for (index, module) in self.modules.iter().enumerate() {
            for ((_, span), target) in used(module).zip(&module.uses) {
                if let Some(path) = target.and_then(|target| self.path(target, index)) {
                    let circle: Vec<&str> =
                        [index].iter().chain(&path).map(|&module| self.names[module].as_str()).collect();
                    // Each circle is told once, at the `use` in its first file.
                    if path.iter().all(|&other| other >= index) {
                        Diagnostic::new("files use each other in a circle", span, "this `use` closes it")
                            .help(format!("the circle is: {}", circle.join(" -> ")))
                            .help("put what they share into a third file that both use")
                            .report(self.errors);
                    }
                }
            }
        }
    }

    /// The modules on a shortest way along `use`s, both ends included.
    fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut came_from = vec![None; self.modules.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        came_from[from] = Some(from);
        while let Some(module) = queue.pop_front() {
            if module == to {
                let mut path = vec![to];
                while path[path.len() - 1] != from {
                    path.push(came_from[path[path.len() - 1]]?);
                }
                path.reverse();
                return Some(path);
            }
            for &next in self.modules[module].uses.iter().flatten() {
                if came_from[next].is_none() {
                    came_from[next] = Some(module);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// The shipped fractals that `levels` lists name, and those that these name in turn.
    fn shipped_texts_needed(&self) -> Vec<(&'static str, &'static str)> {
        let mut needed: Vec<(&str, &str)> = Vec::new();
        let mut wanted: Vec<String> = self.modules.iter().flat_map(|module| level_names(&module.file)).collect();
        while let Some(name) = wanted.pop() {
            if needed.iter().any(|(known, _)| *known == name) {
                continue;
            }
            if let Some(&(name, text)) = shipped::FRACTALS.iter().find(|(shipped, _)| *shipped == name) {
                needed.push((name, text));
                let mut alone = Sources::new();
                let id = alone.add(name, text);
                wanted.extend(level_names(&syntax::parse(&alone, id).0));
            }
        }
        needed.sort_unstable();
        needed
    }
}

fn used(module: &ParsedText) -> impl Iterator<Item = (&ast::UseItem, Span)> {
    module.file.items.iter().filter_map(|item| match &item.kind {
        ast::ItemKind::Use(path) => Some((path, item.span)),
        _ => None,
    })
}

fn level_names(file: &ast::SyntaxFile) -> Vec<String> {
    let mut names = Vec::new();
    for item in &file.items {
        let ast::ItemKind::Fractal(def) = &item.kind else { continue };
        for part in &def.parts {
            match &part.kind {
                ast::FractalPartKind::Levels { list, .. } => {
                    names.extend(flatten(list).into_iter().map(|ident| ident.name.clone()));
                }
                ast::FractalPartKind::Base(name) => names.push(name.name.clone()),
                _ => {}
            }
        }
    }
    names
}

/// More names than any list of levels may have.
const MOST_NAMES: usize = 1 << 13;

/// The names of a `levels` list, nested lists flattened and repetitions written out, as far as a list may be long. (The parser bounds
/// the nesting.)
pub(super) fn flatten(list: &[ast::LevelEntry]) -> Vec<&ast::Ident> {
    let mut names = Vec::new();
    list.iter().for_each(|entry| flatten_entry(entry, &mut names));
    names
}

fn flatten_entry<'e>(entry: &'e ast::LevelEntry, names: &mut Vec<&'e ast::Ident>) {
    match entry {
        ast::LevelEntry::Name(ident) => names.push(ident),
        ast::LevelEntry::List(inner, _) => inner.iter().for_each(|entry| flatten_entry(entry, names)),
        ast::LevelEntry::Times(entry, times) => {
            let first = names.len();
            flatten_entry(entry, names);
            let once = names[first..].to_vec();
            // A longer list is refused later.
            for _ in 1..times.value {
                if names.len() >= MOST_NAMES || once.is_empty() {
                    break;
                }
                names.extend(&once);
            }
        }
    }
}

/// The place of a definition's name, for messages that point at an earlier one.
pub(super) fn name_span(item: &ast::ItemKind) -> Option<(ast::DefKind, &str, Span)> {
    Some(match item {
        ast::ItemKind::Use(_) => return None,
        ast::ItemKind::Fractal(def) => (ast::DefKind::Fractal, &def.name.name, def.name.span),
        ast::ItemKind::Neighbourhood(def) => (ast::DefKind::Neighbourhood, &def.name.name, def.name.span),
        ast::ItemKind::Rule(def) => (ast::DefKind::Rule, &def.name.name, def.name.span),
        ast::ItemKind::Const(def) => (ast::DefKind::Const, &def.name.name, def.name.span),
        ast::ItemKind::Function(def) => (ast::DefKind::Function, &def.name.name, def.name.span),
        ast::ItemKind::Broken(kind, name) => (*kind, &name.name, name.span),
    })
}
