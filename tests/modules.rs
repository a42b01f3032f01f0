//! The dependencies between the source files of all crates. Files in a circle can only be understood, moved or reused together: small circles are a
//! module that happens to have several files, larger ones are a knot. Folders have an order, in which none depends on a later one.
//!
//! A file depends on the files whose items it names. An item that a `mod.rs` only hands on (`pub use`) is no dependency of that file, and a file that
//! names it through there depends on where it is defined. Tests do not count. Sources are read as the tokens that they are, so that names in
//! the arguments of macros count as well.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::UseTree;

/// The most files that may stand in a circle.
const MOST: usize = 5;

/// The folders, each below all that follow, and the modules that belong there with all below them, unless a longer name says otherwise. The
/// first name is the folder where these modules are meant to lie; not all of them lie there yet.
const FOLDERS: [(&str, &str); 51] = [
    ("testing", "testing"),
    ("host", "host"),
    ("drawing", "drawing"),
    ("compiler/numbers", "compiler/numbers"),
    ("compiler/text", "compiler/text"),
    ("compiler/ir", "compiler/ir"),
    ("compiler/geometry", "compiler/geometry"),
    ("compiler/check", "compiler/check compiler/shipped"),
    ("compiler/kernel", "compiler/kernel"),
    ("compiler/layout", "compiler/layout"),
    ("compiler/reduce", "compiler/reduce"),
    ("compiler/target", "compiler/target"),
    ("compiler/plan", "compiler/plan"),
    ("compiler/lower", "compiler/lower"),
    ("compiler/passes", "compiler/passes"),
    ("compiler/pipeline", "compiler/pipeline compiler/plan/room"),
    ("compiler/oracle", "compiler/oracle"),
    ("compiler/emit/rust", "compiler/emit/rust compiler/emit/functions compiler/emit/names"),
    ("compiler/emit/gpu", "compiler/emit"),
    ("golly", "golly"),
    ("codegen", "codegen"),
    ("engine/base", "engine/failure engine/error engine/params engine/cuda/error engine/ranks/error"),
    (
        "engine/messages",
        "engine/ranks/transport engine/ranks/collective engine/ranks/faulty engine/ranks/in_process engine/ranks/launcher engine/ranks/mpi engine/ranks/nodes",
    ),
    (
        "engine/gpu/device",
        "engine/cuda/driver engine/cuda/library engine/cuda/nvrtc engine/cuda/cache engine/cuda/copy engine/cuda/trace",
    ),
    ("engine/memory", "engine/packed engine/sample engine/states engine/cpu/vectors engine/cpu/permute"),
    ("engine/interface", "engine"),
    ("engine/reference", "engine/reference"),
    ("engine/cpu/draws", "engine/cpu/decide"),
    ("engine/cpu", "engine/cpu"),
    ("engine/gpu", "engine/cuda engine/mirror"),
    ("engine/simulation", "engine/simulation"),
    ("engine/ranks", "engine/ranks"),
    ("records/masks", "records/pattern records/state/mask records/state/npy records/state/error"),
    ("records/texts", "records/json records/texts records/resolve records/hardware"),
    ("records/states", "records/state"),
    ("records/picture", "records/picture"),
    ("records/chart", "records/observation_times records/statistics records/table"),
    ("records/run", "records/run records/lists"),
    ("records/sweep", "records/sweep"),
    ("records/analysis", "records/analysis records/reweighting"),
    ("standalone", "compiler/emit/rust/standalone engine/cpu/program"),
    ("bench", "bench"),
    ("papers", "compiler/geometry/compact papers"),
    ("packing", "packing"),
    ("overlap", "overlap"),
    ("view", "view"),
    ("macros", "macros"),
    ("squeeze", "squeeze"),
    ("cli", "cli"),
    ("python", "python"),
    ("xtask", "xtask"),
];

/// Dependencies of a file on one in a later folder, from before there was an order. None is added.
const UP: [(&str, &str); 2] = [("engine/cuda/copy", "engine/cuda/room"), ("engine/cuda/error", "engine/cuda/library")];

#[test]
fn no_circle_of_many_files() {
    let sources = Sources::of_all_crates();
    let edges = sources.edges();
    let mut told = String::new();
    for circle in circles(&edges).into_iter().filter(|circle| circle.len() > MOST) {
        told += &format!("{} files in a circle:\n", circle.len());
        for path in &circle {
            let uses: Vec<&String> = edges[path].iter().filter(|other| circle.contains(other)).collect();
            told += &format!("  {path} depends on {uses:?}\n");
        }
    }
    assert!(told.is_empty(), "{told}");
}

#[test]
fn no_folder_depends_on_a_later_one() {
    let sources = Sources::of_all_crates();
    let home = |path: &str| {
        let names =
            FOLDERS.iter().enumerate().flat_map(|(at, (_, names))| names.split(' ').map(move |name| (name, at)));
        names.filter(|(name, _)| Path::new(path).starts_with(name)).max_by_key(|(name, _)| name.len()).map(|(_, at)| at)
    };
    let strays: Vec<&String> = sources.files().filter(|path| home(path).is_none()).collect();
    assert!(strays.is_empty(), "these belong to no folder; say to which: {strays:?}");
    let all = sources.edges();
    let edges = all.iter().flat_map(|(from, to)| to.iter().map(move |to| (from.as_str(), to.as_str())));
    let up: BTreeSet<(&str, &str)> = edges.filter(|(from, to)| home(from).is_some() && home(from) < home(to)).collect();
    let known = BTreeSet::from(UP);
    let told = |(from, to): &(&str, &str)| {
        let folder = |path| home(path).map_or("", |at| FOLDERS[at].0);
        format!("\n    (\"{from}\", \"{to}\"), // {} on {}", folder(from), folder(to))
    };
    let new: String = up.difference(&known).map(told).collect();
    assert!(new.is_empty(), "what is below may not depend on what is above it:{new}");
    let gone: String = known.difference(&up).map(told).collect();
    assert!(gone.is_empty(), "these are no more; take them out of the list:{gone}");
}

/// A second kind of load shall not be missed: what is no exhaustive match asks [`Op::load`] or [`Op::direction`].
///
/// [`Op::load`]: squeeze_compiler::kernel::Op::load
/// [`Op::direction`]: squeeze_compiler::kernel::Op::direction
#[test]
fn loads_are_found_by_functions_or_by_matches_of_all_operations() {
    let mut texts = Vec::new();
    let crates = squeeze_tests::root().join("crates");
    gather(&crates, &crates, &mut texts);
    let parsed = |text: &str| text.parse::<TokenStream>().expect("sources are Rust");
    let told: String = (texts.iter().filter(|(path, _)| !path.ends_with("/tests")))
        .flat_map(|(path, text)| partly(parsed(text)).into_iter().map(move |line| format!("\n    {path}:{line}")))
        .collect();
    assert!(told.is_empty(), "ask `Op::load` or `Op::direction`, or name all operations:{told}");
    let wrong = [
        "if let Op::Load(load) = op {}",
        "let Op::Load(Load { state, .. }) = *op else { return };",
        "matches!(op, Op::Presence(_) | Op::Load(_))",
        "match op { Op::Load(_) => 1, _ => 0 }",
        "f(match op { Op::Store { .. } => 1, kernel::Op::Load(load) if load.plane == 0 => 1, _ => { 0 } })",
    ];
    assert_eq!(wrong.map(|text| partly(parsed(text)).len()), [1; 5]);
    let right =
        ["match op { Op::Load(_) => { match a { _ => 1 } } Op::Store { .. } => 0 }", "let op = Op::Load(load);"];
    assert_eq!(right.map(|text| partly(parsed(text)).len()), [0; 2]);
}

/// The lines that name `Op::Load` in a pattern which is for some operations alone.
fn partly(tokens: TokenStream) -> Vec<usize> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let texts: Vec<String> = tokens.iter().map(ToString::to_string).collect();
    let has = |at: usize, wanted: &[&str]| texts[at..].iter().take(wanted.len()).eq(wanted);
    let loads: Vec<usize> = (0..texts.len()).filter(|&at| has(at, &["Op", ":", ":", "Load"])).collect();
    let catches_all = (0..texts.len()).any(|at| has(at, &["_", "=", ">"]));
    let is_given = |at: usize| texts.get(at + 5).is_some_and(|text| text == "=") && !has(at + 5, &["=", ">"]);
    let here = loads.iter().filter(|&&at| catches_all || is_given(at)).map(|&at| tokens[at].span().start().line);
    let within = tokens.iter().enumerate().filter_map(|(at, token)| match token {
        TokenTree::Group(group) if at > 1 && has(at - 2, &["matches", "!"]) => {
            let asks = group.to_string().replace(' ', "").contains("Op::Load");
            Some(if asks { vec![group.span().start().line] } else { Vec::new() })
        }
        TokenTree::Group(group) => Some(partly(group.stream())),
        _ => None,
    });
    here.chain(within.flatten()).collect()
}

#[test]
fn dependencies_are_found_through_what_is_handed_on() {
    let texts = [
        (
            "a",
            "pub mod b;\nmod c;\n#[cfg(test)]\nmod probe;\npub use c::{deep::Inner, Outer as Renamed};\npub fn top() {}\n",
        ),
        (
            "a/b",
            "use crate::Renamed;\n// use crate::d::Nothing;\nfn f(_: Renamed, _: crate::Inner) -> impl Fn() + use<> { c::deep::g() }\nuse super::c;\n",
        ),
        ("a/c", "pub mod deep;\npub struct Outer;\n#[cfg(test)]\npub mod tests {\n    use crate::b::f;\n}\n"),
        (
            "a/c/deep",
            "use super::super::b::{self, f};\nfn g() { b::f(\"crate::top\") }\nmod inner {\n    use super::g;\n    mod more {\n        use super::super::g;\n        fn h() { super::super::super::Outer }\n    }\n}\n",
        ),
        ("a/probe", "use crate::b::f;\n"),
        ("d", "fn f() { assert!(squeeze_a::Renamed::new(r#\"crate::e\"#)) }\nmod e;\n"),
        ("d/e", "pub use squeeze_a::top;\n#[cfg(test)]\nmod tests;\n"),
        ("d/e/tests", "use super::top;\n"),
    ];
    let sources = Sources::of_texts(texts.map(|(path, text)| (path.to_owned(), text.to_owned())));
    let edges = sources.edges();
    let to = |path: &str| edges[path].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(
        (to("a"), to("a/b"), to("a/c"), to("a/c/deep")),
        (vec![], vec!["a/c", "a/c/deep"], vec![], vec!["a/b", "a/c"])
    );
    assert_eq!((to("d"), to("d/e"), edges.len()), (vec!["a/c"], vec![], 6));
    assert_eq!(circles(&edges), [["a/b", "a/c/deep"]]);
}

/// A file. Paths in it are lists of words, as they stand there.
#[derive(Default)]
struct Module {
    /// The paths that it names.
    paths: Vec<Vec<String>>,
    /// The names that its `use` lines bring, with the paths that they stand for.
    names: BTreeMap<String, Vec<String>>,
    /// The names that other files see.
    handed_on: BTreeSet<String>,
    /// Modules of which everything is handed on.
    all_of: Vec<Vec<String>>,
    /// Modules below it that are tests.
    tests: Vec<String>,
}

/// The files by their paths from the crate's folder, without `src`, `mod` and extension.
struct Sources(BTreeMap<String, Module>);

impl Sources {
    fn of_all_crates() -> Sources {
        let mut texts = Vec::new();
        let crates = squeeze_tests::root().join("crates");
        gather(&crates, &crates, &mut texts);
        assert!(texts.len() > 100, "only {} files were found", texts.len());
        Sources::of_texts(texts)
    }

    fn of_texts(texts: impl IntoIterator<Item = (String, String)>) -> Sources {
        let mut modules: BTreeMap<String, Module> = BTreeMap::new();
        for (path, text) in texts {
            let tokens = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
            let mut module = Module::default();
            module.read(tokens, 0);
            modules.insert(path, module);
        }
        let tests: Vec<String> = modules
            .iter()
            .flat_map(|(path, module)| module.tests.iter().map(move |test| format!("{path}/{test}")))
            .collect();
        modules.retain(|path, _| !tests.iter().any(|test| Path::new(path).starts_with(test)));
        Sources(modules)
    }

    /// All files but the crates' roots, which hand on names that others define.
    fn files(&self) -> impl Iterator<Item = &String> {
        self.0.keys().filter(|path| path.contains('/'))
    }

    /// A path in a module from the crate's folder on; `None` for names that are neither brought by a `use`, nor modules, nor crates.
    fn absolute(&self, module: &str, path: &[String], depth: u32) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let words = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        let mut base = words(module);
        let mut rest = rest;
        match first.as_str() {
            "crate" => base.truncate(1),
            "self" => {}
            "super" => {
                base.pop();
                while let [first, more @ ..] = rest
                    && first == "super"
                {
                    base.pop();
                    rest = more;
                }
            }
            _ => match self.0[module].names.get(first) {
                Some(target) if target[0] != *first && depth > 0 => {
                    base = self.absolute(module, target, depth - 1)?;
                }
                _ if self.0.contains_key(&format!("{module}/{first}")) => base.push(first.clone()),
                _ => {
                    let name = first.strip_prefix("squeeze_").unwrap_or(first);
                    if !self.0.contains_key(name) {
                        return None;
                    }
                    base = words(name);
                }
            },
        }
        Some([&base, rest].concat())
    }

    /// The file that defines the item which a path from a crate's folder on names.
    fn definition(&self, path: &[String], depth: u32) -> Option<String> {
        let lies_in = (1..=path.len()).rev().find(|end| self.0.contains_key(&path[..*end].join("/")))?;
        let file = path[..lies_in].join("/");
        let here = &self.0[&file];
        if let [name, behind @ ..] = &path[lies_in..]
            && depth > 0
        {
            // An item that is handed on as a whole: the file that defines it is not known without that file's text, so all of them count as one.
            let target = match (here.handed_on.get(name), here.all_of.as_slice()) {
                (Some(name), _) => Some(here.names[name].clone()),
                (None, [one]) => Some([one.as_slice(), std::slice::from_ref(name)].concat()),
                (None, _) => None,
            };
            if let Some(target) = target.and_then(|target| self.absolute(&file, &target, depth)) {
                return self.definition(&[&target, behind].concat(), depth - 1);
            }
        }
        Some(file)
    }

    /// For every file the files that it depends on.
    fn edges(&self) -> BTreeMap<String, BTreeSet<String>> {
        let of = |(path, module): (&String, &Module)| {
            let targets = module.paths.iter().filter_map(|target| self.definition(&self.absolute(path, target, 8)?, 8));
            (path.clone(), targets.filter(|target| target != path).collect())
        };
        self.0.iter().map(of).collect()
    }
}

impl Module {
    /// Takes in some tokens, that lie this many modules deep within the file.
    fn read(&mut self, tokens: TokenStream, within: usize) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let word = |at: usize| match tokens.get(at) {
            Some(TokenTree::Ident(word)) => Some(word.to_string()),
            _ => None,
        };
        let sign =
            |at: usize, sign: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
        let joins = |at: usize| sign(at, ':') && sign(at + 1, ':');
        let mut at = 0;
        while at < tokens.len() {
            let Some(first) = word(at) else {
                if let TokenTree::Group(group) = &tokens[at] {
                    self.read(group.stream(), within);
                }
                at += 1;
                continue;
            };
            if first == "quote" && sign(at + 1, '!') {
                // Names in code that a macro prints are no dependencies of the macro.
                at += 3;
            } else if first == "use" && !sign(at + 1, '<') {
                let visible = shown(&tokens[..at]) < at;
                let end = (at..tokens.len()).find(|&end| sign(end, ';')).unwrap_or(tokens.len() - 1);
                // A `use` line with names that a macro fills in brings no name that is known here.
                if let Ok(line) = syn::parse2::<syn::ItemUse>(tokens[at..=end].iter().cloned().collect()) {
                    self.bring(&line.tree, &[], visible, within);
                }
                at = end + 1;
            } else if first == "mod"
                && let Some(name) = word(at + 1)
            {
                let body = match tokens.get(at + 2) {
                    Some(TokenTree::Group(group)) => Some(group.stream()),
                    _ => None,
                };
                match (is_of_tests(&tokens[..shown(&tokens[..at])]), body) {
                    (true, None) => self.tests.push(name),
                    (false, Some(body)) => self.read(body, within + 1),
                    (true, Some(_)) | (false, None) => {}
                }
                at += 3;
            } else {
                let follows = at > 0 && (sign(at - 1, '.') || at > 1 && joins(at - 2));
                let mut path = vec![first];
                at += 1;
                while joins(at)
                    && let Some(next) = word(at + 2)
                {
                    path.push(next);
                    at += 3;
                }
                // A word alone is what a `use` has brought, and counted there, or what the file hands on and takes as well.
                if !follows && (path.len() > 1 || self.handed_on.contains(&path[0])) {
                    self.paths.push(out_of(&path, within));
                }
            }
        }
    }

    /// Takes in a tree of names that a `use` brings.
    fn bring(&mut self, tree: &UseTree, before: &[String], visible: bool, within: usize) {
        let path = |name: &syn::Ident| match name.to_string() {
            name if name == "self" && !before.is_empty() => before.to_vec(),
            name => [before, &[name]].concat(),
        };
        let (target, name) = match tree {
            UseTree::Path(next) => return self.bring(&next.tree, &path(&next.ident), visible, within),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.bring(tree, before, visible, within));
            }
            UseTree::Glob(_) if visible => return self.all_of.push(out_of(before, within)),
            UseTree::Glob(_) => return self.paths.push(out_of(before, within)),
            UseTree::Name(last) => (path(&last.ident), path(&last.ident).pop().expect("a name")),
            UseTree::Rename(last) => (path(&last.ident), last.rename.to_string()),
        };
        let target = out_of(&target, within);
        if visible {
            self.handed_on.insert(name.clone());
        } else {
            self.paths.push(target.clone());
        }
        self.names.insert(name, target);
    }
}

/// A path in a module so deep within the file as the file itself would say it.
fn out_of(path: &[String], within: usize) -> Vec<String> {
    let inner = path.iter().take_while(|word| *word == "super").count().min(within);
    match inner {
        0 => path.to_vec(),
        _ if path.get(inner).is_some_and(|word| word == "super") => path[inner..].to_vec(),
        _ => [&["self".to_owned()], &path[inner..]].concat(),
    }
}

/// The start of the visibility of an item, if these tokens end with one: `pub`, `pub(crate)`.
fn shown(before: &[TokenTree]) -> usize {
    match before {
        [.., TokenTree::Ident(word), TokenTree::Group(who)]
            if *word == "pub" && who.delimiter() == Delimiter::Parenthesis =>
        {
            before.len() - 2
        }
        [.., TokenTree::Ident(word)] if *word == "pub" => before.len() - 1,
        _ => before.len(),
    }
}

/// Whether one of the attributes with which these tokens end leaves an item to tests.
fn is_of_tests(before: &[TokenTree]) -> bool {
    match before {
        [earlier @ .., TokenTree::Punct(sign), TokenTree::Group(attribute)] if sign.as_char() == '#' => {
            let text = attribute.stream().to_string().replace(' ', "");
            text.starts_with("cfg(test")
                || text.starts_with("cfg(all(test")
                || text == "cfg(feature=\"probe\")"
                || is_of_tests(earlier)
        }
        _ => false,
    }
}

/// The path and the text of every source; files called `tests` are left out, and so is what lies beside sources.
fn gather(crates: &Path, folder: &Path, texts: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        let module = path.strip_prefix(crates).expect("it lies there").with_extension("");
        let mut words: Vec<&str> = module.iter().map(|word| word.to_str().expect("a plain name")).collect();
        if words.last() == Some(&"tests") || words.get(1).is_some_and(|word| *word != "src") {
            continue;
        }
        if path.is_dir() {
            gather(crates, &path, texts);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            words.remove(1);
            words.pop_if(|last| matches!(*last, "mod" | "lib" | "main"));
            texts.push((words.join("/"), std::fs::read_to_string(&path).expect("it can be read")));
        }
    }
}

/// Groups of two or more files that reach each other.
fn circles(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached = |from: &String| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&String> = edges[from].iter().collect();
        while let Some(file) = open.pop() {
            if seen.insert(file.clone()) {
                open.extend(&edges[file]);
            }
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<String>> = edges.keys().map(|file| (file, reached(file))).collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    for (file, seen) in &all {
        if seen.contains(*file) && !found.iter().any(|circle| circle.contains(file)) {
            found.push(seen.iter().filter(|other| all[other].contains(*file)).cloned().collect());
        }
    }
    found.retain(|circle| circle.len() > 1);
    found
}
