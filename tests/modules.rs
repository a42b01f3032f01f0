//! Files that depend on each other in a circle can only be understood, moved or reused together. Small circles are a module that
//! happens to have several files; larger ones are a knot. This finds them in the sources of all crates.
//!
//! A file depends on the files whose items it names. What a `mod.rs` only hands on (`pub use`) is no dependency of that file, and who
//! names it through there depends on where it is defined. Tests at the end of a file do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The most files that may stand in a circle.
const MOST: usize = 5;

#[test]
fn no_circle_of_many_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let (mut checked, mut told) = (0, String::new());
    for folder in sorted(&crates) {
        let sources = Sources::of(&folder.join("src"));
        checked += sources.modules.len();
        let edges = sources.edges();
        for circle in circles(&edges).into_iter().filter(|circle| circle.len() > MOST) {
            told += &format!("{} files of {} in a circle:\n", circle.len(), folder.display());
            for path in &circle {
                let file = sources.modules[path].file.strip_prefix(&folder).unwrap().display();
                let uses: Vec<&String> = edges[path].iter().filter(|other| circle.contains(other)).collect();
                told += &format!("  {file} depends on {uses:?}\n");
            }
        }
    }
    assert!(checked > 100, "only {checked} files were found");
    assert!(told.is_empty(), "{told}");
}

#[test]
fn circles_are_found_through_what_is_handed_on() {
    let texts = [
        ("", "pub mod a;\nmod b;\npub use b::{deep::Inner, Outer as Renamed};\npub fn top() {}\n"),
        (
            "a",
            "use crate::Renamed;\n// use crate::c::Nothing;\nfn f(_: Renamed, _: crate::Inner) { b::deep::g() }\nuse super::b;\n",
        ),
        ("b", "pub mod deep;\npub struct Outer;\n#[cfg(test)]\nmod tests {\n    use crate::a::f;\n}\n"),
        (
            "b::deep",
            "use super::super::a::{self, f};\nfn g() { a::f(\"crate::top\") }\nmod inner {\n    use super::g;\n    mod more {\n        use super::super::g;\n        fn h() { super::super::super::Outer }\n    }\n}\n",
        ),
    ];
    let sources = Sources::of_texts(texts.map(|(path, text)| (path.to_owned(), PathBuf::from(path), text.to_owned())));
    let edges = sources.edges();
    let to = |path: &str| edges[path].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((to(""), to("a"), to("b"), to("b::deep")), (vec![], vec!["b", "b::deep"], vec![], vec!["a", "b"]));
    assert_eq!(circles(&edges), [["a", "b::deep"]]);
}

/// A module that is a file.
struct Module {
    file: PathBuf,
    /// What every path in it begins with, after its `use` lines are taken into account.
    paths: Vec<String>,
    /// The names that its `use` lines bring, and what they stand for.
    names: BTreeMap<String, String>,
    /// Those of them that others see.
    handed_on: BTreeMap<String, String>,
    /// Modules of which everything is handed on.
    all_of: Vec<String>,
}

/// The modules of one crate by their paths; that of the crate itself is empty.
struct Sources {
    modules: BTreeMap<String, Module>,
}

impl Sources {
    fn of(folder: &Path) -> Sources {
        let mut texts = Vec::new();
        gather(folder, folder, &mut texts);
        Sources::of_texts(texts)
    }

    fn of_texts(texts: impl IntoIterator<Item = (String, PathBuf, String)>) -> Sources {
        let texts: Vec<_> = texts.into_iter().collect();
        let known: BTreeSet<String> = texts.iter().map(|(path, ..)| path.clone()).collect();
        let modules = texts.into_iter().map(|(path, file, text)| {
            let module = read(&path, file, &text, &known);
            (path, module)
        });
        Sources { modules: modules.collect() }
    }

    /// The file in which what a path names is defined.
    fn definition(&self, path: &str, depth: u32) -> Option<String> {
        let mut module = String::new();
        let mut words = path.split("::").filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.peek() {
            let below = join(&module, word);
            if !self.modules.contains_key(&below) {
                break;
            }
            module = below;
            words.next();
        }
        let here = &self.modules[&module];
        let Some(name) = words.next() else { return Some(module) };
        let behind: String = words.map(|word| format!("::{word}")).collect();
        if depth > 0 {
            if let Some(target) = here.handed_on.get(name) {
                return self.definition(&format!("{target}{behind}"), depth - 1);
            }
            // What is handed on as a whole: whoever defines the name is not known without its text, so all of them count as one.
            if let [one] = here.all_of.as_slice() {
                return self.definition(&format!("{one}::{name}{behind}"), depth - 1);
            }
        }
        Some(module)
    }

    /// For every file those that it depends on.
    fn edges(&self) -> BTreeMap<String, BTreeSet<String>> {
        let of = |(path, module): (&String, &Module)| {
            let targets = module.paths.iter().filter_map(|target| self.definition(target, 8));
            (path.clone(), targets.filter(|target| target != path).collect())
        };
        self.modules.iter().map(of).collect()
    }
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

fn parent(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(parent, _)| parent)
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort_unstable();
    paths
}

/// The module's path, file and text for every source below a folder; files of tests alone are left out.
fn gather(root: &Path, folder: &Path, texts: &mut Vec<(String, PathBuf, String)>) {
    for path in sorted(folder) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if name == "tests" {
            continue;
        }
        if path.is_dir() {
            gather(root, &path, texts);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let module = path.strip_prefix(root).unwrap().with_extension("");
            let mut words: Vec<&str> = module.iter().map(|word| word.to_str().unwrap()).collect();
            if matches!(name, "mod" | "lib" | "main") {
                words.pop();
            }
            texts.push((words.join("::"), path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// What a file says of others.
fn read(path: &str, file: PathBuf, text: &str, known: &BTreeSet<String>) -> Module {
    let words = without_inner_modules(words(text));
    let mut module =
        Module { file, paths: Vec::new(), names: BTreeMap::new(), handed_on: BTreeMap::new(), all_of: Vec::new() };
    let mut rest = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at] != "use" {
            rest.push(words[at].as_str());
            at += 1;
            continue;
        }
        let visible = at > 0 && (words[at - 1] == "pub" || words[at - 1] == ")");
        let end = at + words[at..].iter().position(|word| word == ";").expect("a `use` ends");
        let mut found = Vec::new();
        tree(&words[at + 1..end], "", &mut found);
        for (target, name) in found {
            let Some(target) = absolute(path, &target, &BTreeMap::new(), known) else { continue };
            if name == "*" {
                if visible {
                    module.all_of.push(target)
                } else {
                    module.paths.push(target)
                }
                continue;
            }
            if visible {
                module.handed_on.insert(name.clone(), target.clone());
            }
            module.names.insert(name, target);
        }
        at = end + 1;
    }
    // Every path, and every word that a `use` has brought.
    let mut at = 0;
    while at < rest.len() {
        let mut whole = rest[at].to_owned();
        let mut next = at + 1;
        while next + 1 < rest.len() && rest[next] == "::" && is_word(rest[next + 1]) {
            whole = format!("{whole}::{}", rest[next + 1]);
            next += 2;
        }
        let member = at > 0 && (rest[at - 1] == "." || rest[at - 1] == "mod" || rest[at - 1] == "::");
        if is_word(rest[at]) && !member {
            module.paths.extend(absolute(path, &whole, &module.names, known));
        }
        at = next;
    }
    module
}

/// The words with every `super` that leads out of a module within the file taken for the file itself.
fn without_inner_modules(words: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let (mut depth, mut inner) = (0, Vec::new());
    // How many more times `super` may lead out of an inner module in the present path.
    let mut within = 0;
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "{" => {
                if at > 1 && words[at - 2] == "mod" {
                    inner.push(depth);
                }
                depth += 1;
            }
            "}" => {
                depth -= 1;
                inner.pop_if(|begun| *begun == depth);
            }
            _ => {}
        }
        let begins = kept.last().is_none_or(|last| last != "::");
        match word.as_str() {
            "super" if begins && !inner.is_empty() => {
                within = inner.len() - 1;
                kept.push("self".to_owned());
            }
            "super" if within > 0 => {
                within -= 1;
                // The path goes on as if nothing had been said.
                kept.pop();
            }
            _ => {
                if word != "::" {
                    within = 0;
                }
                kept.push(word.clone());
            }
        }
    }
    kept
}

/// The path from the crate's root; `None` for names that are neither brought by a `use` nor modules.
fn absolute(module: &str, path: &str, names: &BTreeMap<String, String>, known: &BTreeSet<String>) -> Option<String> {
    let mut words: Vec<&str> = path.split("::").collect();
    let mut base = match words[0] {
        // A visibility, such as `pub(super)`, or a value.
        "crate" | "self" | "super" if words.len() == 1 => return None,
        "crate" => String::new(),
        "self" => module.to_owned(),
        "super" => parent(module).to_owned(),
        first => {
            let behind: String = words[1..].iter().map(|word| format!("::{word}")).collect();
            if let Some(target) = names.get(first) {
                return Some(format!("{target}{behind}"));
            }
            let child = join(module, first);
            return (known.contains(&child) && words.len() > 1).then(|| format!("{child}{behind}"));
        }
    };
    words.remove(0);
    while words.first() == Some(&"super") {
        base = parent(&base).to_owned();
        words.remove(0);
    }
    Some(words.iter().fold(base, |base, word| join(&base, word)))
}

/// The paths and names of the tree of a `use`.
fn tree(words: &[String], before: &str, found: &mut Vec<(String, String)>) {
    let mut path = before.to_owned();
    let mut at = 0;
    while at < words.len() {
        match words[at].as_str() {
            "::" => {}
            "{" => {
                let (mut depth, mut start) = (0, at + 1);
                for (i, word) in words.iter().enumerate().skip(at) {
                    match word.as_str() {
                        "{" => depth += 1,
                        "}" => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 || depth == 1 && word == "," {
                        if start < i {
                            tree(&words[start..i], &path, found);
                        }
                        start = i + 1;
                    }
                }
                return;
            }
            "as" => {
                found.push((path, words[at + 1].clone()));
                return;
            }
            "*" => {
                found.push((path, "*".to_owned()));
                return;
            }
            "self" if !path.is_empty() => {}
            word => path = if path.is_empty() { word.to_owned() } else { format!("{path}::{word}") },
        }
        at += 1;
    }
    let name = path.rsplit("::").next().unwrap_or_default().to_owned();
    found.push((path, name));
}

fn is_word(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// The words and signs of a source, without comments, strings, and the tests at its end.
fn words(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let letters: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut at = 0;
    let skip_to = |from: usize, end: &str| {
        let end: Vec<char> = end.chars().collect();
        (from..letters.len()).find(|&i| letters[i..].starts_with(&end)).map_or(letters.len(), |i| i + end.len())
    };
    while at < letters.len() {
        let letter = letters[at];
        let next = letters.get(at + 1).copied().unwrap_or(' ');
        if letter == '/' && next == '/' {
            at = skip_to(at, "\n");
        } else if letter == 'r'
            && (next == '"' || next == '#')
            && !at.checked_sub(1).is_some_and(|i| letters[i].is_alphanumeric())
        {
            let marks = letters[at + 1..].iter().take_while(|mark| **mark == '#').count();
            if letters.get(at + 1 + marks) == Some(&'"') {
                at = skip_to(at + 2 + marks, &format!("\"{}", "#".repeat(marks)));
            } else {
                at += 1 + marks;
            }
        } else if letter == '"' {
            at += 1;
            while at < letters.len() && letters[at] != '"' {
                at += if letters[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if letter == '\'' && (next == '\\' || letters.get(at + 2) == Some(&'\'')) {
            at = skip_to(at + if next == '\\' { 3 } else { 2 }, "'");
        } else if letter.is_alphabetic() || letter == '_' {
            let end = (at..letters.len()).find(|&i| !letters[i].is_alphanumeric() && letters[i] != '_');
            let end = end.unwrap_or(letters.len());
            words.push(letters[at..end].iter().collect());
            at = end;
        } else if letter == ':' && next == ':' {
            words.push("::".to_owned());
            at += 2;
        } else {
            if !letter.is_whitespace() {
                words.push(letter.to_string());
            }
            at += 1;
        }
    }
    words
}

/// Files that reach each other, more than one together.
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
