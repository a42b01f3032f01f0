//! `cargo xtask prose`: the sentences of comments and documents that need a second reading.
//!
//! A sentence scores the share of its words that point at something without a name, such as "what", "those" and "so many". Above
//! [`HIGH`] nearly every sentence is a riddle to a reader who comes fresh.

use super::lines::{gather, read};
use std::path::{Path, PathBuf};

/// The folders that are read, beside documents at the project's top.
const FOLDERS: [&str; 5] = ["crates", "docs", "fractals", "rules", "templates"];
const DOCUMENTS: [&str; 5] = ["BENCHMARKS.md", "CHANGELOG.md", "HACKING.md", "README.md", "SECURITY.md"];
/// The score above which a sentence should be written again.
const HIGH: f64 = 0.33;
/// The fewest words of a sentence that is scored: shorter ones are read at a glance.
const FEWEST_WORDS: usize = 9;
/// Words that point at something without naming it.
const VAGUE: &[&str] = &[
    "what",
    "that",
    "those",
    "which",
    "they",
    "them",
    "it",
    "its",
    "one",
    "ones",
    "whose",
    "other",
    "others",
    "who",
    "where",
    "there",
    "all",
    "each",
    "some",
    "none",
    "any",
    "alone",
    "themselves",
    "itself",
];

/// A sentence, and where the paragraph that holds it begins.
struct Sentence {
    score: f64,
    path: PathBuf,
    line: usize,
    text: String,
}

/// Prints the `most` sentences with the highest scores, and how many score above [`HIGH`].
pub(crate) fn prose(root: &Path, most: usize) -> Result<(), String> {
    let mut sentences = sentences(root)?;
    sentences.sort_by(|a, b| b.score.total_cmp(&a.score));
    for Sentence { score, path, line, text } in sentences.iter().take(most) {
        println!("{score:.2} {}:{line}  {text}", path.display());
    }
    let high = sentences.iter().filter(|sentence| sentence.score > HIGH).count();
    println!("{high} of {} sentences score above {HIGH}", sentences.len());
    Ok(())
}

/// The sentences of all sources and documents, without files and folders of tests. Modules of tests within a source count.
fn sentences(root: &Path) -> Result<Vec<Sentence>, String> {
    let mut paths: Vec<PathBuf> = DOCUMENTS.iter().map(|name| root.join(name)).collect();
    for folder in FOLDERS {
        gather(&root.join(folder), &mut paths)?;
    }
    let mut found = Vec::new();
    for full in paths {
        let path = full.strip_prefix(root).expect("it lies there").to_owned();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_test = path.components().any(|part| ["tests", "tests.rs"].iter().any(|name| part.as_os_str() == *name));
        if is_test || !["rs", "cu", "md", "rule", "fractal"].contains(&ending) {
            continue;
        }
        let text = read(&full)?;
        for (line, paragraph) in paragraphs(&text, ending) {
            for text in split(&paragraph) {
                if let Some(score) = score(&text) {
                    found.push(Sentence { score, path: path.clone(), line, text });
                }
            }
        }
    }
    Ok(found)
}

/// The paragraphs of a file's comments, or of a document, each with the number of its first line. Headings, tables and code are left out.
fn paragraphs(text: &str, ending: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    let mut in_code = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let prose = match ending {
            "md" => Some(line),
            "rs" | "cu" => line.strip_prefix("//").map(|line| line.trim_start_matches(['/', '!']).trim_start()),
            _ => line.strip_prefix('#').map(str::trim_start),
        };
        if prose.is_none() {
            in_code = false;
        }
        let fence = prose.is_some_and(|prose| prose.starts_with("```"));
        in_code ^= fence;
        let prose =
            prose.filter(|prose| !fence && !in_code && !prose.is_empty() && !prose.starts_with(['#', '|', '<']));
        match prose {
            Some(prose) => {
                if prose.starts_with("- ") {
                    found.extend(open.take());
                }
                let (_, text) = open.get_or_insert_with(|| (number + 1, String::new()));
                text.push(' ');
                text.push_str(prose);
            }
            None => found.extend(open.take()),
        }
    }
    found.extend(open);
    found
}

/// The sentences of a paragraph.
fn split(paragraph: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let sentence = found.last_mut().expect("there is always one");
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(word);
        if word.ends_with(['.', '!', '?']) {
            found.push(String::new());
        }
    }
    found
}

/// The share of vague words, unless the sentence is too short to be scored.
fn score(sentence: &str) -> Option<f64> {
    let words: Vec<String> = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '`').to_lowercase())
        .collect();
    let vague = words.iter().filter(|word| VAGUE.contains(&word.as_str())).count()
        + words.windows(2).filter(|pair| pair[0] == "so" && pair[1] == "many").count();
    #[expect(clippy::cast_precision_loss, reason = "sentences are short")]
    (words.len() >= FEWEST_WORDS).then(|| vague as f64 / words.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::{HIGH, score, sentences};
    use crate::commands::root;
    use std::fs;

    /// Sentences above [`HIGH`] that were there when this was counted last. It may only become less.
    const MOST_HIGH: usize = 20;
    /// Comments that say "so many" instead of a name. It may only become less.
    const MOST_SO_MANY: usize = 25;

    #[test]
    fn riddles_score_high_and_plain_sentences_low() {
        let riddle =
            "What the numbers that these values are computed of are made of, and they themselves, by their places.";
        let plain = "Measures the peak rate: runs the counting instruction on data in shared memory and returns the number of bits counted.";
        assert!(score(riddle) > score(plain));
        assert!(score(plain).is_some_and(|score| score < 0.1));
        assert!(
            score("So many of each, and those of all that there are, where any is.").is_some_and(|score| score > HIGH)
        );
    }

    #[test]
    fn sentences_become_plainer() {
        let sentences = sentences(&root()).unwrap();
        let high = sentences.iter().filter(|sentence| sentence.score > HIGH).count();
        assert!(
            high <= MOST_HIGH,
            "{high} sentences score above {HIGH}, at most {MOST_HIGH} may: cargo xtask prose names them"
        );
        let many = sentences.iter().filter(|sentence| sentence.text.to_lowercase().contains("so many")).count();
        assert!(
            many <= MOST_SO_MANY,
            "{many} sentences say \"so many\", at most {MOST_SO_MANY} may: give the number a name"
        );
    }

    #[test]
    fn the_guide_is_short_and_its_paths_exist() {
        let text = fs::read_to_string(root().join("HACKING.md")).unwrap();
        let words = text.split_whitespace().count();
        assert!(words <= 1500, "HACKING.md has {words} words: what a module decides belongs into its head");
        let spans = text.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
        let paths = spans.chain(text.split_whitespace()).filter(|word| {
            ["crates/", "tests/", "docs/", "benches/", "templates/", ".ci/"]
                .iter()
                .any(|folder| word.starts_with(folder))
        });
        let missing: Vec<&str> = paths.filter(|path| !root().join(path).exists()).collect();
        assert!(missing.is_empty(), "HACKING.md names what is not there: {missing:?}");
    }

    #[test]
    fn pages_keep_their_lengths() {
        for (name, most) in [("BENCHMARKS.md", 300), ("CHANGELOG.md", 60)] {
            let lines = fs::read_to_string(root().join(name)).unwrap().lines().count();
            assert!(lines <= most, "{name} has {lines} lines, at most {most} may");
        }
    }
}
