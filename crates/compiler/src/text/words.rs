//! Words of the user's in messages.

use std::fmt::Display;

/// The longest name that a message shows whole, in characters.
const LONGEST_SHOWN: usize = 80;
/// The most names that a message lists.
const MOST_LISTED: usize = 24;

/// A word of the user's as a message shows it: its beginning, if it is long.
pub fn short(word: &str) -> String {
    beginning(word, LONGEST_SHOWN)
}

/// A text, or its first `longest` characters if it has more.
pub(crate) fn beginning(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// `a`, `b` and `c`, each in backquotes; of many the first, and how many more there are.
pub fn list(names: &[impl Display]) -> String {
    let shown = if names.len() > MOST_LISTED { MOST_LISTED - 1 } else { names.len() };
    let mut quoted: Vec<String> = names[..shown].iter().map(|name| format!("`{}`", short(&name.to_string()))).collect();
    quoted.extend((shown < names.len()).then(|| format!("{} more", names.len() - shown)));
    match quoted.as_slice() {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The end of a message about an unknown name: the known name that is most likely meant, if any is similar.
pub fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// The longest name, in bytes, to which similar ones are looked for: the time grows with the lengths of both.
const LONGEST_COMPARED: usize = 64;

/// The name that is most likely meant, if any is similar.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    distances(name, known)
        .filter(|(distance, candidate)| *distance <= 1 + name.len().min(candidate.len()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters of names differ from those of another, where none is too long to tell.
pub(crate) fn distances<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = (usize, &'a str)> {
    known
        .filter(|candidate| name.len() <= LONGEST_COMPARED && candidate.len() <= 2 * LONGEST_COMPARED)
        .map(move |candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
}
