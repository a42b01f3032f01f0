//! Every message that a wrong text gets, as a reader sees it.
//!
//! Each `.fractal` and `.rule` file in `diagnostics/` has errors or warnings, and `FILE.txt` beside it says how they are reported. A
//! file that is dropped there is a test; `SQUEEZE_UPDATE=1 cargo test -p squeeze-tests` writes the expectations anew, and
//! then the difference is to be read before it is committed.

use squeeze::{files, resolve};
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

/// Messages that only texts beyond some limit get, a machine with little memory, or a tree that the parser makes of no text.
const OF_LIMITS: [&str; 11] = [
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
