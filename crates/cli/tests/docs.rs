//! The README and the manual: every command and every text in them is run, outputs are compared, links lead somewhere, and the language chapter
//! mentions every construct of the grammar.
//!
//! A document is run from top to bottom in a folder of its own. Texts marked `squeeze` are checked; with a name (`squeeze,plus.fractal`) they are
//! written to that file. Lines of blocks marked `sh` are run. A comment above a block says what is different: `<!-- test: level=3 steps=20 -->`
//! lowers levels and steps, `exit=2` expects a failure, `output` compares a block of text with what the block before printed, `grammar: …`
//! names the constructs that a section is about. `SQUEEZE_UPDATE=1` draws the gallery.

// They tell of everything that the command can do.
#![cfg(all(feature = "overlap", feature = "packing", feature = "papers", feature = "view"))]

use squeeze::picture::Image;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Commands that are not Squeeze's: they would build or test the whole workspace.
const OTHERS: [&str; 3] = ["cargo xtask test", "cargo install --path crates/cli", "pip install .[all]"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn documents() -> Vec<PathBuf> {
    let pages = fs::read_dir(root().join("docs/src")).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    all.sort();
    all.extend(["README.md", "BENCHMARKS.md", "HACKING.md"].map(|name| root().join(name)));
    all
}

/// A block of code.
struct Block {
    line: usize,
    info: String,
    text: String,
    /// The words of the comment above it.
    marks: Vec<String>,
}

fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut open, mut marks): (Vec<Block>, Option<Block>, Vec<String>) = Default::default();
    for (line, at) in text.lines().zip(1..) {
        if let Some(block) = &mut open {
            if line == "```" {
                blocks.extend(open.take());
            } else {
                block.text.push_str(&format!("{line}\n"));
            }
        } else if let Some(info) = line.strip_prefix("```") {
            open =
                Some(Block { line: at, info: info.to_owned(), text: String::new(), marks: std::mem::take(&mut marks) });
        } else if let Some(words) = line.strip_prefix("<!-- test: ") {
            marks = words.trim_end_matches(" -->").split(' ').map(str::to_owned).collect();
        } else if !line.is_empty() {
            marks.clear();
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

impl Block {
    fn mark(&self, key: &str) -> Option<&str> {
        self.marks.iter().find_map(|mark| mark.strip_prefix(key)?.strip_prefix('='))
    }

    /// The commands, each in words, with levels and steps lowered.
    fn commands(&self) -> Vec<Vec<String>> {
        let joined = self.text.replace("\\\n", " ");
        let lines = joined.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
        let words = |line: &str| {
            // Parentheses are quoted for the shell; nothing quoted has a blank.
            let mut words: Vec<String> =
                line.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect();
            for i in 1..words.len() {
                let key = match words[i - 1].as_str() {
                    "--level" | "-l" => "level",
                    "--steps" | "-n" => "steps",
                    _ => continue,
                };
                let least = self.mark(key).and_then(|most| most.parse::<u32>().ok());
                if let (Some(most), Ok(value)) = (least, words[i].parse::<u32>()) {
                    // A longer run stays longer, so that a run can be extended.
                    let longer = if key == "steps" { value.ilog2() } else { 0 };
                    words[i] = value.min(most + longer).to_string();
                }
            }
            words
        };
        lines.filter(|line| !line.is_empty()).map(words).collect()
    }
}

#[test]
fn every_command_and_text_of_the_documents_works() {
    for path in documents() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Benchmarks take minutes, and HACKING.md is for work on the workspace itself.
        if ["BENCHMARKS.md", "HACKING.md"].contains(&name.as_str()) {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        let mut printed = String::new();
        let mut computed = Vec::new();
        for block in blocks(&fs::read_to_string(&path).unwrap()) {
            let at = format!("{name}:{}", block.line);
            match block.info.split_once(',').map_or((block.info.as_str(), None), |(kind, file)| (kind, Some(file))) {
                ("squeeze", file) => {
                    let file = file.unwrap_or("text.squeeze");
                    fs::write(place.path().join(file), &block.text).unwrap();
                    if file != "wrong.rule" {
                        squeeze(place.path(), &["check", file], 0, &at);
                    }
                }
                ("sh", None) => {
                    printed.clear();
                    for words in block.commands() {
                        let words: Vec<&str> = words.iter().map(String::as_str).collect();
                        let code = block.mark("exit").map_or(0, |code| code.parse().unwrap());
                        match words.as_slice() {
                            ["squeeze", "view", arguments @ ..] => viewed(place.path(), arguments, &at),
                            ["squeeze", arguments @ ..] => printed += &squeeze(place.path(), arguments, code, &at),
                            ["cargo", "run", "--release", "--", arguments @ ..] => {
                                let level = arguments.iter().position(|word| *word == "16").expect("the first run");
                                let mut arguments = arguments.to_vec();
                                arguments[level] = "8";
                                printed += &squeeze(place.path(), &arguments, 0, &at);
                            }
                            ["nvcc", arguments @ ..] => compile(place.path(), arguments, &at),
                            ["python3", script, "squeeze", arguments @ ..] => scripted(script, arguments, &at),
                            [program, arguments @ ..] if program.starts_with("./") => {
                                computed.extend(compiled(place.path(), program, arguments, &at));
                            }
                            _ => assert!(OTHERS.contains(&words.join(" ").as_str()), "{at}: {words:?} is not run"),
                        }
                    }
                    for digest in computed.drain(..) {
                        assert!(printed.contains(&digest), "{at}: a compiled program gives {digest}\n{printed}");
                    }
                }
                ("text", None) => {
                    assert!(block.marks.iter().any(|mark| mark == "output"), "{at}: a text without a mark");
                    assert_eq!(printed, block.text, "{at}: what is printed has changed");
                }
                // A file that commands read.
                ("text", Some(file)) => fs::write(place.path().join(file), &block.text).unwrap(),
                // Examples in Rust are doc tests of the crate `squeeze`.
                ("rust", None) => {}
                // Examples in Python are run by the package's tests; `ordered_rules.rs` goes the same way back through saved lengths as that of ordered steps.
                ("python", None) => {}
                // Lines of the reader's own manifest.
                ("toml", None) => {}
                (other, _) => panic!("{at}: a block of the kind `{other}` is not tested"),
            }
        }
    }
}

/// Begins a view, which would go on, and ends it once it has said where its page is.
fn viewed(folder: &Path, arguments: &[&str], at: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    let command = command.arg("view").args(arguments).arg("--quiet").current_dir(folder).env_remove("DISPLAY");
    let mut child = command.env_remove("WAYLAND_DISPLAY").stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    _ = child.kill();
    _ = child.wait();
    assert!(url.starts_with("http://127.0.0.1:"), "{at}: squeeze view {}\n{url}", arguments.join(" "));
}

/// Runs a script of the source over the command. Without Python nothing is run.
fn scripted(script: &str, arguments: &[&str], at: &str) {
    let mut command = Command::new("python3");
    let command = command.arg(root().join(script)).arg(env!("CARGO_BIN_EXE_squeeze")).args(arguments);
    match command.stdin(Stdio::null()).output() {
        Err(error) => eprintln!("SKIPPED: no python3 ({error})"),
        Ok(output) => {
            let said = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
            assert!(output.status.success(), "{at}: {script} {}\n{said}", arguments.join(" "));
        }
    }
}

/// Compiles a program in C++ of the source, for an architecture that needs no GPU here.
fn compile(folder: &Path, arguments: &[&str], at: &str) {
    let examples = root().join("crates/squeeze/examples/emit_cuda");
    for name in ["host.cu", "numbers.cu", "world.h"] {
        fs::copy(examples.join(name), folder.join(name)).unwrap();
    }
    let Some(nvcc) = squeeze_testing::nvcc() else { return };
    let arguments = arguments.iter().map(|word| if *word == "-arch=native" { "-arch=sm_90" } else { word });
    let warnings = ["-Xcompiler", "-Wall,-Wextra,-Werror"];
    let output = Command::new(nvcc).args(warnings).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{at}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The digest that a compiled program prints. `None` if it was not compiled, or there is no GPU that runs it.
fn compiled(folder: &Path, program: &str, arguments: &[&str], at: &str) -> Option<String> {
    let output = Command::new(folder.join(program)).args(arguments).current_dir(folder).output().ok()?;
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(1), "{at}: {program}: {errors}");
        return None;
    }
    let (_, digest) = said.trim_end().rsplit_once("digest ").unwrap_or_else(|| panic!("{at}: {said}"));
    Some(digest.to_owned())
}

fn squeeze(folder: &Path, arguments: &[&str], code: i32, at: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    let output = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{at}: squeeze {}\n{errors}", arguments.join(" "));
    String::from_utf8(output.stdout).unwrap()
}

/// The mean of an observable of a sweep of one point, its error, and all values of another one.
fn swept(folder: &Path, name: &str, other: &str) -> (f64, f64, Vec<f64>) {
    let column = |file: &str, name: &str| -> Vec<f64> {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let mut lines = text.lines();
        let at = lines.next().unwrap().split(',').position(|column| column == name).expect("the column is there");
        lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
    };
    let of_summary = |name: &str| column("summary.csv", name)[0];
    (of_summary(name), of_summary(&format!("{name}_error")), column("observables.csv", other))
}

/// The energy of 64 spins, whose states were summed one spin after the other.
#[test]
fn clusters_of_the_language_chapter_are_whole_and_have_the_exact_energy() {
    let chapter = fs::read_to_string(root().join("docs/src/language.md")).unwrap();
    let all = blocks(&chapter);
    let block = all.iter().find(|block| block.text.contains("rule moves_of_clusters")).expect("it is there");
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("clusters.rule"), &block.text).unwrap();
    let arguments = "sweep sierpinski_carpet -r clusters.rule -l 2 -n 600 --set beta=0.69 --observe-every 1 --discard 50 --seeds 0..8 --out swept --quiet";
    squeeze(place.path(), &arguments.split(' ').collect::<Vec<_>>(), 0, "language.md");
    let (mean, error, largest) = swept(&place.path().join("swept"), "energy", "largest");
    assert!(
        largest.iter().all(|cells| (1.0..=64.0).contains(cells)) && largest.iter().any(|cells| *cells > 40.0),
        "clusters are of cells"
    );
    // Of 88 pairs 23.7335 / 2 are unlike.
    assert!((mean - -64.2665).abs() < 4.0 * error && error < 0.5, "{mean} ± {error}");
}

/// The README shows the output of its own command.
#[test]
fn the_table_of_a_sweep_in_the_readme_is_that_of_its_command() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let all = blocks(&readme);
    let mut commands = all.iter().flat_map(Block::commands);
    let words = commands.find(|words| words.get(1).is_some_and(|word| word == "sweep")).expect("a sweep");
    let place = tempfile::tempdir().unwrap();
    let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let printed = squeeze(place.path(), &words, 0, "README.md");
    let mut lines = printed.lines();
    let titles: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let at = titles.iter().position(|title| *title == "disagreements").expect("a column");
    let rows = lines.take_while(|line| !line.is_empty()).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let cells: Vec<String> = rows.map(|row| format!("{} ± {}", row[at], row[at + 1])).collect();
    let row = format!("| sweep | {} |", cells.join(" | "));
    assert!(readme.contains(&row), "the README's table should have\n{row}");
}

#[test]
fn every_option_is_in_the_chapter_on_commands() {
    let chapter = fs::read_to_string(root().join("docs/src/commands.md")).unwrap();
    let help = |words: &[&str]| squeeze(&root(), &[&["help"], words].concat(), 0, "help");
    let names = |text: &str| -> Vec<String> {
        let titles = ["Commands:", "Simulate:", "Look:", "Analyse:", "Files:", "Develop:"];
        let lists = text.split("\n\n").filter(|part| titles.contains(&part.lines().next().unwrap_or_default()));
        lists
            .flat_map(|list| list.lines().skip(1))
            .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
            .collect()
    };
    let mut missing = BTreeSet::new();
    let mut commands: Vec<Vec<String>> = names(&help(&[])).into_iter().map(|name| vec![name]).collect();
    while let Some(command) = commands.pop() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        if words.contains(&"help") {
            continue;
        }
        let text = help(&words);
        assert!(text.contains("Example"), "`squeeze help {}` has no example", words.join(" "));
        assert!(chapter.contains(words[0]), "{words:?} is missing");
        commands.extend(names(&text).into_iter().map(|name| [&command[..], &[name]].concat()));
        let options = text.lines().filter_map(|line| {
            let line = line.trim_start();
            let line =
                line.split_once(", --").map_or(line, |(short, _)| if short.len() == 2 { &line[4..] } else { line });
            let end = line.find(|c: char| c != '-' && !c.is_ascii_lowercase()).unwrap_or(line.len());
            line.starts_with("--").then(|| line[..end].to_owned())
        });
        for option in options.filter(|option| option != "--help" && option != "--version") {
            let told = chapter
                .match_indices(&option)
                .any(|(at, _)| !chapter[at + option.len()..].starts_with(|c: char| c == '-' || c.is_ascii_lowercase()));
            if !told {
                missing.insert(format!("{}: {option}", words.join(" ")));
            }
        }
    }
    assert!(missing.is_empty(), "commands.md does not mention {missing:?}");
}

#[test]
fn every_link_leads_somewhere() {
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for rest in text.split("](").skip(1) {
            let target = rest.split(')').next().unwrap();
            if target.starts_with("http") || target.contains('`') {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(file.exists(), "{}: {target} does not exist", path.display());
            if !heading.is_empty() {
                let page = fs::read_to_string(&file).unwrap();
                let mut headings = page.lines().filter(|line| line.starts_with('#')).map(anchor);
                assert!(headings.any(|known| known == heading), "{}: no heading {target}", path.display());
            }
        }
    }
    let summary = fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    for path in documents().iter().filter(|path| path.parent().unwrap().ends_with("src")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "SUMMARY.md has no {name}");
    }
}

/// Builds the book, where `cargo xtask test` has fetched mdBook, and follows every link in its pages.
#[test]
fn the_book_is_built_and_its_links_lead_somewhere() {
    let program = root().join("target/mdbook/bin/mdbook");
    if !program.exists() {
        eprintln!("skipped: `cargo xtask test` fetches mdBook");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let book = place.path().join("book");
    let mut build = Command::new(program);
    let output = build.arg("build").arg(root().join("docs")).arg("--dest-dir").arg(&book).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !told.contains("WARN") && !told.contains("ERROR"), "{told}");
    let pages: Vec<PathBuf> = fs::read_dir(&book).unwrap().map(|entry| entry.unwrap().path()).collect();
    let pages: Vec<&PathBuf> = pages.iter().filter(|path| path.extension().is_some_and(|e| e == "html")).collect();
    assert!(pages.len() > 10, "{pages:?}");
    for path in pages {
        let page = fs::read_to_string(path).unwrap();
        // All chapters on one page: its links are those of the chapters.
        if path.ends_with("print.html") || path.ends_with("404.html") {
            continue;
        }
        for (at, target) in
            ["href=\"", "src=\""].iter().flat_map(|mark| links(&page, mark).map(move |link| (mark, link)))
        {
            if target.contains("://") || target.starts_with("data:") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { path.clone() } else { book.join(file) };
            assert!(file.is_file(), "{}: {at}{target} does not exist", path.display());
            if !heading.is_empty() {
                let page = fs::read_to_string(&file).unwrap();
                assert!(page.contains(&format!("id=\"{heading}\"")), "{}: no heading {target}", path.display());
            }
        }
        // Every block can be copied: mdBook's script puts a button on each.
        let blocks = page.matches("<pre><code").count();
        assert!(blocks == 0 || page.contains("clipboard"), "{}: no buttons to copy", path.display());
    }
}

/// The rows of the table of errors: a text, and the message that it gets.
#[test]
fn the_errors_of_the_language_chapter_are_those_of_check() {
    let chapter = fs::read_to_string(root().join("docs/src/language.md")).unwrap();
    let table = chapter.split("<!-- test: errors -->").nth(1).expect("a table of errors");
    let rows: Vec<(&str, &str)> =
        table.lines().filter_map(|row| row.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | ")).collect();
    assert!(rows.len() > 30, "{rows:?}");
    let place = tempfile::tempdir().unwrap();
    for (text, message) in rows {
        fs::write(place.path().join("wrong.rule"), text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
        let output = command.args(["check", "wrong.rule"]).current_dir(place.path()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}: {told}");
        assert!(told.lines().any(|line| line == format!("error: {message}")), "{text} is refused by\n{told}");
    }
}

/// The texts that follow a mark in a page, up to the next quotation mark.
fn links<'a>(page: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    page.split(mark).skip(1).map(|rest| rest.split('"').next().unwrap())
}

/// The anchor of a heading.
fn anchor(line: &str) -> String {
    let words = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    words.chars().filter(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect()
}

#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 150);
    assert!(readme.matches("](docs/src/pictures/").count() >= 5);
}

/// The names that the source of a file lists in a constant array, of strings alone or with something for each.
fn listed(source: &str) -> Vec<String> {
    let arrays =
        source.split("const ").skip(1).filter(|part| part.contains(": [&str; ") || part.contains(": [(&str, OfRadius"));
    let inside = arrays.filter_map(|part| part.split_once("=")?.1.split_once("[")?.1.split_once("]"));
    let words = inside.flat_map(|(list, _)| list.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>());
    words.collect()
}

#[test]
fn the_language_chapter_mentions_every_construct() {
    let chapter = fs::read_to_string(root().join("docs/src/language.md")).unwrap();
    let grammar = fs::read_to_string(root().join("crates/compiler/src/text/syntax/grammar.pest")).unwrap();
    let marked: BTreeSet<&str> = chapter
        .lines()
        .filter_map(|line| line.strip_prefix("<!-- grammar: ")?.strip_suffix(" -->"))
        .flat_map(|words| words.split(' '))
        .collect();
    let rule = |line: &str| {
        let (name, body) = line.split_once('=')?;
        let name = name.trim();
        let valid = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        (valid && !line.starts_with(' ')).then(|| (name.to_owned(), body.to_owned()))
    };
    let rules: Vec<(String, String)> = grammar.lines().filter_map(rule).collect();
    assert!(rules.len() > 90, "the grammar is read");
    let help = "describe it in docs/src/language.md, and name it in a `<!-- grammar: … -->` above the description";
    for (name, body) in &rules {
        if let Some(word) = name.strip_prefix("kw_") {
            let mentioned = chapter.contains(&format!("`{word}")) || chapter.contains(&format!("{word} "));
            assert!(mentioned && body.contains(word), "the keyword `{word}` is not described: {help}");
        }
        assert!(marked.contains(name.as_str()), "`{name}` of the grammar is not described: {help}");
    }
    for name in &marked {
        assert!(rules.iter().any(|(known, _)| known == name), "the grammar has no `{name}` any more");
    }
    let of_file = |file: &str| listed(&fs::read_to_string(root().join("crates/compiler/src").join(file)).unwrap());
    let names = [of_file("check/names.rs"), of_file("ir/rule.rs")].concat();
    assert!(names.len() > 30 && names.iter().any(|name| name == "tanh"), "{names:?}");
    for name in names {
        let code = ["`", "", " "].iter().any(|before| chapter.contains(&format!("{before}{name}")));
        let inside = chapter.split('`').skip(1).step_by(2).any(|code| word_in(code, &name));
        assert!(code && inside, "`{name}` is not described in docs/src/language.md");
    }
}

fn word_in(code: &str, name: &str) -> bool {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
}

/// Pixels along the longer side of a picture in the manual, and of the first one.
const PICTURES: [u32; 2] = [800, 1300];

#[test]
fn the_pictures_of_the_manual_are_drawn() {
    let list = fs::read_to_string(root().join("docs/pictures.txt")).unwrap();
    let commands: Vec<Vec<&str>> =
        list.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect()).collect();
    let is_picture = |word: &str| ["png", "svg", "gif"].iter().any(|ending| word.ends_with(&format!(".{ending}")));
    let made: BTreeSet<&str> = commands.iter().flatten().copied().filter(|word| is_picture(word)).collect();
    let folder = root().join("docs/src/pictures");
    if std::env::var_os("SQUEEZE_UPDATE").is_some() {
        let place = tempfile::tempdir().unwrap();
        for page in ["tutorial.md", "domains.md", "copies.md"] {
            for block in blocks(&fs::read_to_string(root().join("docs/src").join(page)).unwrap()) {
                if let Some(file) = block.info.strip_prefix("squeeze,") {
                    fs::write(place.path().join(file), &block.text).unwrap();
                }
            }
        }
        for command in &commands {
            squeeze(place.path(), command, 0, "docs/pictures.txt");
        }
        for name in &made {
            let bytes = fs::read(place.path().join(name)).unwrap();
            let longest = PICTURES[usize::from(*name == "life.png")];
            let bytes = match name.ends_with(".png") {
                true => with_palette(&Image::from_png(&bytes, 1 << 26).unwrap().reduced(longest)),
                false => bytes,
            };
            fs::write(folder.join(name), bytes).unwrap();
        }
    }
    let found: BTreeSet<String> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let made: BTreeSet<String> = made.into_iter().map(str::to_owned).collect();
    assert_eq!(found, made, "docs/pictures.txt makes other pictures than are there");
    let pages: String = documents().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    for name in &made {
        assert!(pages.contains(&format!("pictures/{name})")), "{name} is shown nowhere");
    }
}

/// A picture of the gallery: its name, and the arguments of `squeeze`.
fn gallery() -> Vec<(String, Vec<String>)> {
    let list = fs::read_to_string(root().join("docs/gallery.txt")).unwrap();
    let entry = |line: &str| {
        let (name, words) = line.split_once(": ")?;
        let mut words = words.split(' ');
        let mut next = || words.next().unwrap().to_owned();
        let (fractal, rule, level, steps) = (next(), next(), next(), next());
        let mut arguments: Vec<String> =
            ["run", &fractal, "--rule", &rule, "--level", &level, "--steps", &steps].map(str::to_owned).to_vec();
        arguments.extend(words.map(str::to_owned));
        Some((name.to_owned(), arguments))
    };
    list.lines().filter(|line| !line.starts_with('#')).map(|line| entry(line).expect(line)).collect()
}

/// Pixels along the longer side of a picture in the gallery.
const GALLERY: u32 = 640;

#[test]
fn the_gallery_is_drawn() {
    let place = tempfile::tempdir().unwrap();
    let update = std::env::var_os("SQUEEZE_UPDATE").is_some();
    let pictures = root().join("docs/src/gallery");
    let mut page = "# Gallery\n\nEach picture is drawn by one command.\n".to_owned();
    let all = gallery();
    assert!(all.len() >= 30);
    for rule in fs::read_dir(root().join("rules")).unwrap() {
        let path = rule.unwrap().path();
        // Those of ordered steps have a chapter.
        if path.is_dir() {
            continue;
        }
        let rule = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(all.iter().any(|(_, arguments)| arguments[3] == rule), "the gallery shows nothing of `{rule}`");
    }
    for (name, arguments) in all {
        let command = format!("squeeze {} --image {name}.png", arguments.join(" "));
        let [fractal, rule] = [&arguments[1], &arguments[3]].map(|name| name.replace('_', " "));
        let text = fs::read_to_string(root().join(format!("rules/{}.rule", arguments[3]))).unwrap();
        let sentence = text.lines().find_map(|line| line.strip_prefix("/// ")).expect("a rule says what it is");
        let shown = format!("![{rule} on {fractal}](gallery/{name}.png)");
        page.push_str(&format!("\n## {rule} on {fractal}\n\n{sentence}\n\n{shown}\n\n```sh\n{command}\n```\n"));
        let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        if !update {
            let low = if arguments[5].parse::<u32>().unwrap() < 3 { "1" } else { "2" };
            (words[5], words[7]) = (low, "3");
            assert!(pictures.join(format!("{name}.png")).is_file(), "{name} was not drawn");
        }
        words.extend(["--image", "a.png", "--quiet"]);
        squeeze(place.path(), &words, 0, &name);
        if update {
            let image = Image::from_png(&fs::read(place.path().join("a.png")).unwrap(), 1 << 26).unwrap();
            fs::create_dir_all(&pictures).unwrap();
            fs::write(pictures.join(format!("{name}.png")), with_palette(&image.reduced(GALLERY))).unwrap();
        }
    }
    // The page marks its commands as small, so that the test of all pages runs them quickly.
    let page = page.replace("```sh", "<!-- test: level=2 steps=3 -->\n```sh");
    let path = root().join("docs/src/gallery.md");
    if update {
        fs::write(path, page).unwrap();
    } else {
        assert_eq!(fs::read_to_string(path).unwrap(), page, "gallery.md is stale: SQUEEZE_UPDATE=1 draws it");
    }
}

/// A PNG with a palette: a quarter of the bytes.
fn with_palette(image: &Image) -> Vec<u8> {
    let frame = gif::Frame::from_rgb_speed(image.width as u16, image.height as u16, &image.pixels, 1);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(frame.palette.unwrap());
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&frame.buffer).unwrap();
    writer.finish().unwrap();
    bytes
}
