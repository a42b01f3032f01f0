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
