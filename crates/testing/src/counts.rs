//! Counts of tested things, which may only grow: a test that no longer tests passes.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Compares counts with those in the file of this name in `tests/counts`: none may be less or missing. `SQUEEZE_UPDATE=1` writes the counts
/// that there are now; a reader of the difference asks for each line that became less.
///
/// # Panics
/// If a count is less than it was, or the file cannot be written.
pub fn have_not_shrunk(name: &str, counts: &BTreeMap<String, u64>) {
    about(name, counts, 0);
}

/// The same of counts that are now a little less and now a little more, but never none.
///
/// # Panics
/// As [`have_not_shrunk`].
pub fn about(name: &str, counts: &BTreeMap<String, u64>, less: u64) {
    // Tests run in a folder of the repository.
    let here = std::env::current_dir().expect("there is one");
    let folder = here.ancestors().map(|folder| folder.join("tests/counts")).find(|folder| folder.is_dir());
    let path = folder.expect("tests/counts lies in the repository").join(format!("{name}.txt"));
    if std::env::var_os("SQUEEZE_UPDATE").is_some() {
        let text = counts.iter().fold(String::new(), |mut text, (what, count)| {
            writeln!(text, "{count} {what}").expect("text");
            text
        });
        std::fs::write(&path, text).expect("there is room");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let mut shrunk = String::new();
    for (was, what) in known.lines().filter_map(|line| line.split_once(' ')) {
        let is = counts.get(what).copied().unwrap_or(0);
        if is == 0 || is + less < was.parse().expect("a number") {
            writeln!(shrunk, "{what}: {is}, was {was}").expect("text");
        }
    }
    assert!(!known.is_empty() && shrunk.is_empty(), "{}: less is tested than was:\n{shrunk}", path.display());
}
