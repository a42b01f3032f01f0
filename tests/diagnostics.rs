//! Every message that a wrong text gets, as a reader sees it.
//!
//! Each `.fractal` and `.rule` file in `diagnostics/` has errors or warnings, and `FILE.txt` beside it says how they are reported. A
//! file that is dropped there is a test; `SQUEEZE_UPDATE=1 cargo test -p squeeze-tests` writes the expectations anew, and
//! then the difference is to be read before it is committed.

use squeeze::compiler::text::diagnostics::render;
use squeeze::resolve::{Diagnostic, Finding, Sources, Span};
use squeeze::{files, resolve};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn report(path: &Path) -> String {
    let bytes = files::read_text_bytes(path).expect("the file can be read");
    match resolve::check(path, &bytes) {
        Err(errors) => errors.render(false),
        Ok(checked) if checked.warnings.is_empty() => {
            panic!("{} has no errors and no warnings; such texts belong elsewhere", path.display())
        }
        Ok(checked) => checked.render(false),
    }
}

#[test]
fn every_wrong_text_gets_the_expected_messages() {
    let update = std::env::var_os("SQUEEZE_UPDATE").is_some();
    let mut wrong = Vec::new();
    // Tests run in their package's folder, so messages name files without the machine's paths.
    for path in squeeze_tests::files(Path::new("diagnostics"), &["fractal", "rule"]) {
        let found = report(&path);
        let expectation = PathBuf::from(format!("{}.txt", path.display()));
        let expected = std::fs::read_to_string(&expectation).unwrap_or_default();
        if found == expected {
            continue;
        }
        if update {
            std::fs::write(&expectation, found).expect("the expectation can be written");
        } else {
            wrong.push(format!("{}\n--- expected\n{expected}--- found\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{} texts are reported otherwise:\n\n{}", wrong.len(), wrong.join("\n"));
}

/// All that is found in a text, and the texts that take part.
fn findings(name: &Path, bytes: &[u8]) -> (Vec<Finding>, Sources) {
    match resolve::check(name, bytes) {
        Err(errors) => (errors.findings(), errors.sources),
        Ok(checked) => (checked.findings(), checked.sources),
    }
}

/// The codes of errors; those of warnings are names that `allow` takes, and `uniform_mask`.
const CODES: [&str; 7] = ["syntax", "file", "unknown_name", "duplicate_name", "type", "domain", "rule"];

#[test]
fn findings_tell_what_is_printed() {
    let (mut codes, mut suggestions) = (BTreeSet::new(), 0);
    for path in squeeze_tests::files(Path::new("diagnostics"), &["fractal", "rule"]) {
        let bytes = files::read_text_bytes(&path).expect("the file can be read");
        let printed = report(&path);
        // A diagnostic begins at the margin; its help and its excerpt do not.
        let begins = |line: &&str| line.starts_with("error: ") || line.starts_with("warning: ");
        let heads: Vec<&str> = printed.lines().filter(begins).collect();
        let all_places = printed.lines().filter_map(|line| line.trim_start().strip_prefix("--> "));
        let mut all_places = all_places.peekable();
        let (found, sources) = findings(&path, &bytes);
        assert_eq!(found.len(), heads.len(), "{}", path.display());
        for (finding, head) in found.iter().zip(heads) {
            let kind = if finding.is_warning { "warning" } else { "error" };
            assert_eq!(format!("{kind}: {}", finding.message.replace(['\n', '\t'], " ")), head);
            assert!(finding.is_warning || CODES.contains(&finding.code), "{finding:?}");
            assert!(!finding.code.is_empty(), "{finding:?}");
            assert!(finding.help.iter().all(|help| printed.contains(help.lines().next().unwrap_or_default())));
            codes.insert(finding.code);
            if let Some(place) = &finding.place {
                let at = format!("{}:{}:{}", place.file, place.line, place.column);
                assert_eq!(all_places.next(), Some(at.as_str()), "{head}");
            }
            for mark in finding.place.iter().chain(&finding.others) {
                let source = sources.iter().find(|source| source.name == mark.file).expect("a text");
                let before = &source.text[..mark.bytes.start];
                assert_eq!(before.matches('\n').count() + 1, mark.line);
                assert_eq!(before.rsplit('\n').next().unwrap().chars().count() + 1, mark.column);
                assert_eq!(source.text[mark.bytes.clone()].chars().count(), mark.length);
            }
            let asks = finding.help.iter().find(|help| help.starts_with("did you mean"));
            assert_eq!(asks.is_some(), finding.suggestion.is_some(), "{finding:?}");
            let Some(meant) = &finding.suggestion else { continue };
            assert_eq!(asks, Some(&format!("did you mean `{}`?", meant.text)));
            let source = sources.iter().find(|source| source.name == meant.file).expect("a text");
            assert!(finding.message.contains(&format!("`{}`", &source.text[meant.bytes.clone()])), "{finding:?}");
            suggestions += 1;
            if Path::new(&source.name) == path {
                let mut mended = source.text.clone();
                mended.replace_range(meant.bytes.clone(), &meant.text);
                let again = findings(&path, mended.as_bytes()).0;
                let same = |other: &Finding| other.message == finding.message && other.place == finding.place;
                assert!(!again.iter().any(same), "{finding:?}");
            }
        }
    }
    assert!(CODES.iter().all(|code| codes.contains(code)), "{codes:?}");
    assert!(suggestions > 10 && codes.contains("integer_division"), "{suggestions}, {codes:?}");
    // Several phases may find one error, which is told once.
    let mut sources = Sources::new();
    let span = Span { source: sources.add("a.rule", "rule a { }"), start: 5, end: 6 };
    let of = |code| Diagnostic { code, ..Diagnostic::new("it is wrong", span, "here") };
    assert_eq!(render(&[of("domain"), of("rule")], &sources, false).matches("it is wrong").count(), 1);
    let (found, _) = findings(Path::new("bytes.rule"), b"rule r { \xff }");
    assert_eq!((found[0].code, &found[0].place), ("syntax", &None));
    let (found, _) = findings(Path::new("one.rule"), "rule é { state ü: bot }".as_bytes());
    let json = serde_json::to_value(&found).expect("values are written as JSON");
    assert_eq!(json[0]["code"], "syntax", "{json}");
}

#[test]
fn every_expectation_belongs_to_a_text() {
    for expectation in squeeze_tests::files(Path::new("diagnostics"), &["txt"]) {
        assert!(expectation.with_extension("").is_file(), "{} belongs to no text", expectation.display());
    }
}

#[test]
fn a_text_over_the_limit_is_refused_before_it_is_parsed() {
    let bytes = vec![b' '; files::TEXT_LIMIT as usize + 1];
    let Err(errors) = resolve::check(Path::new("long.rule"), &bytes) else { panic!("it was accepted") };
    let text = errors.render(false);
    assert!(text.contains("16 MiB") && text.contains("long.rule"), "{text}");
}

/// Messages that only texts beyond some limit get, a machine with little memory, runs without inputs or with long ones, or a tree that the parser makes of no text.
const OF_LIMITS: [&str; 13] = [
    "`{name}` is as long as the inputs of a rule, and none are given",
    "inputs of more than {} values",
    "`{}` means nothing in a picture",
    "a box of {places} places takes about {bytes} bytes",
    "the rule has more than {MAX_NODES} operations",
    "`levels` refer to each other more than {DEEPEST_REFERENCE} deep",
    "more than {DEEPEST_CALLS} functions call one another",
    "`{}.{}` cannot be set to `{text}`",
    "too many states or parameters",
    "more than {MAX_OPERATORS} operators around one another",
    "the text has more than {MAX_TOKENS} tokens",
    "the rule draws more than {MOST_DRAWS} random numbers",
    "a `match` with more than {MOST_PATTERNS} values and ranges",
];

/// The parts of a message between those that are filled in.
fn fragments(message: &str) -> impl Iterator<Item = &str> {
    message.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after))
}

/// A message of the checker or the parser without a text that gets it was never read.
#[test]
fn every_message_has_a_text_that_gets_it() {
    let expectations: String = squeeze_tests::files(Path::new("diagnostics"), &["txt"])
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("an expectation can be read"))
        .collect();
    let (mut found, mut unread) = (0, Vec::new());
    for folder in ["check", "text/syntax", "text/syntax/parse"] {
        for path in squeeze_tests::files(&Path::new("../crates/compiler/src").join(folder), &["rs"]) {
            if path.ends_with("tests.rs") {
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("a source can be read");
            let after = |begin: &'static str| source.split(begin).skip(1);
            for made in after("Diagnostic::new(").chain(after("let message = ")) {
                let made = made.trim_start();
                let made = made.strip_prefix("format!(").unwrap_or(made).trim_start();
                let Some(message) = made.strip_prefix('"').and_then(|rest| rest.split('"').next()) else { continue };
                found += 1;
                let seen = fragments(message).all(|fragment| expectations.contains(fragment));
                if !seen && !OF_LIMITS.contains(&message) {
                    unread.push(format!("{}: {message}", path.display()));
                }
            }
        }
    }
    assert!(found > 100, "{found} messages are found");
    assert!(unread.is_empty(), "no text in diagnostics/ gets these:\n{}", unread.join("\n"));
}
