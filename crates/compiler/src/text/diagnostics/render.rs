//! Diagnostics as text, in the manner of rustc, by annotate-snippets.
//!
//! The library is given not the user's text but an excerpt made for it: only the lines that carry a label, cut to a
//! window if they are long, with tabs widened and control characters made visible. So neither a line of a megabyte
//! nor an escape sequence reaches the terminal.

use super::{Diagnostic, Label};
use crate::text::source::{Sources, Span};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use std::collections::BTreeMap;
use std::ops::Range;

/// The longest line that is shown whole, in characters.
const MAX_LINE: usize = 120;
/// How many characters a cut line shows before its first label.
const BEFORE_LABEL: usize = 50;
/// The longest message, label or name that is shown whole, in characters.
const MAX_TEXT: usize = 1000;
/// Labels further apart than this many lines get excerpts of their own.
const MAX_GAP: usize = 20;

/// Renders diagnostics in the order of their places, each once, with a blank line between them. The text ends with a
/// newline, or is empty if there are no diagnostics. `colour` adds ANSI escapes.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for diagnostic in in_order(diagnostics) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&render_one(diagnostic, sources, &renderer));
        text.push('\n');
    }
    text
}

/// Diagnostics in the order of their places, each once.
pub fn in_order(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let place = |diagnostic: &Diagnostic| diagnostic.primary.as_ref().map(|label| label.span);
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| place(diagnostic));
    // Equal ones need not stand side by side: several may share a place.
    let mut shown: Vec<&Diagnostic> = Vec::with_capacity(sorted.len());
    for diagnostic in sorted {
        let same_place = shown.iter().rev().take_while(|other| place(other) == place(diagnostic));
        if !same_place.into_iter().any(|other| other.says_the_same(diagnostic)) {
            shown.push(diagnostic);
        }
    }
    shown
}

fn render_one(diagnostic: &Diagnostic, sources: &Sources, renderer: &Renderer) -> String {
    let level = if diagnostic.warning { Level::WARNING } else { Level::ERROR };
    let mut group = Group::with_title(level.primary_title(clean(&diagnostic.message)));
    let primary = diagnostic.primary.iter().map(|label| (AnnotationKind::Primary, label));
    let secondary = diagnostic.secondary.iter().map(|label| (AnnotationKind::Context, label));
    let mut corrections = Vec::new();
    for excerpt in excerpts(primary.chain(secondary), sources) {
        group = group.element(excerpt.snippet);
        corrections.extend(excerpt.correction);
    }
    group = group.elements(diagnostic.help.iter().map(|help| Level::HELP.message(clean(help))));
    let mut text = renderer.render(&[group]);
    for (shown, true_place) in corrections {
        text = text.replacen(&shown, &true_place, 1);
    }
    text
}

/// Part of a text with its labels.
struct Excerpt<'a> {
    snippet: Snippet<'a, Annotation<'a>>,
    /// The line with the file's name counts columns in the excerpt. If a line was cut, the columns that are printed and the true ones.
    correction: Option<(String, String)>,
}

/// A label with the number of its line from 0.
type Placed<'a> = (usize, AnnotationKind, &'a Label);

/// The excerpts that show all labels: that of the primary label comes first.
fn excerpts<'a>(labels: impl Iterator<Item = (AnnotationKind, &'a Label)>, sources: &Sources) -> Vec<Excerpt<'a>> {
    let mut clusters: Vec<Vec<Placed<'a>>> = Vec::new();
    for (kind, label) in labels {
        let line = sources.line_column(label.span.source, label.span.start).0 - 1;
        let near = |cluster: &&mut Vec<Placed<'a>>| {
            cluster.iter().any(|(other, _, at)| at.span.source == label.span.source && other.abs_diff(line) <= MAX_GAP)
        };
        match clusters.iter_mut().find(near) {
            Some(cluster) => cluster.push((line, kind, label)),
            None => clusters.push(vec![(line, kind, label)]),
        }
    }
    clusters.iter().map(|cluster| excerpt(cluster, sources)).collect()
}

fn excerpt<'a>(cluster: &[Placed<'a>], sources: &Sources) -> Excerpt<'a> {
    let (_, _, first) = cluster[0];
    let text = &sources.get(first.span.source).text;
    let mut lines: BTreeMap<usize, Vec<(AnnotationKind, &'a Label)>> = BTreeMap::new();
    for &(line, kind, label) in cluster {
        lines.entry(line).or_default().push((kind, label));
    }
    let from = lines.keys().next().copied().unwrap_or(0);
    let to = lines.keys().next_back().copied().unwrap_or(0);
    let begin = line_range(text, cluster.iter().map(|(_, _, label)| label.span.start).min().unwrap_or(0)).start;
    let mut shown = String::new();
    let mut annotations = Vec::new();
    let mut column = 1;
    let mut at = begin;
    for line in from..=to {
        let range = line_range(text, at as u32);
        let labels = lines.get(&line).map_or(&[][..], Vec::as_slice);
        let places: Vec<Range<usize>> = labels.iter().map(|(_, label)| clip(label.span, &range, text)).collect();
        let line_start = shown.len();
        let moved = show_line(text, &range, &places, &mut shown);
        for ((kind, label), place) in labels.iter().zip(moved) {
            let words = if label.text.is_empty() { None } else { Some(clean(&label.text)) };
            if std::ptr::eq(*label, first) {
                column = shown[line_start..place.start].chars().count() + 1;
            }
            annotations.push(kind.span(place).label(words));
        }
        shown.push('\n');
        at = text[range.end..].find('\n').map_or(text.len(), |newline| range.end + newline + 1);
    }
    let name = clean(&sources.get(first.span.source).name);
    let (line, true_column) = sources.line_column(first.span.source, first.span.start);
    let correction =
        (column != true_column).then(|| (format!("{name}:{line}:{column}"), format!("{name}:{line}:{true_column}")));
    let snippet = Snippet::source(shown).path(name).line_start(from + 1).annotations(annotations);
    Excerpt { snippet, correction }
}

/// The bytes of the line in which a byte stands, without its end.
fn line_range(text: &str, at: u32) -> Range<usize> {
    let at = at as usize;
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    start..text[..end].strip_suffix('\r').map_or(end, str::len).max(at)
}

/// A label's bytes on its first line. Of a label of several lines, the first line shows where it begins.
fn clip(span: Span, line: &Range<usize>, text: &str) -> Range<usize> {
    let (start, end) = (span.start as usize, (span.end as usize).min(line.end));
    let trimmed = text[start..end.max(start)].trim_end().len();
    start..start + trimmed
}

/// Appends a line in a form fit for a terminal, and gives the places' new ranges.
fn show_line(text: &str, line: &Range<usize>, places: &[Range<usize>], shown: &mut String) -> Vec<Range<usize>> {
    let whole = &text[line.clone()];
    let is_long = whole.len() > MAX_LINE && whole.chars().count() > MAX_LINE;
    let window = if is_long {
        let first = places.iter().map(|place| place.start).min().unwrap_or(line.start);
        let start = text[line.start..first]
            .char_indices()
            .rev()
            .take(BEFORE_LABEL)
            .last()
            .map_or(first, |(at, _)| line.start + at);
        let end = text[start..line.end].char_indices().nth(MAX_LINE).map_or(line.end, |(at, _)| start + at);
        start..end
    } else {
        line.clone()
    };
    let mut moved = vec![None; places.len()];
    let mut ends = vec![None; places.len()];
    if window.start > line.start {
        shown.push('…');
    }
    let window_start = shown.len();
    for (at, c) in text[window.clone()].char_indices() {
        let at = window.start + at;
        for (index, place) in places.iter().enumerate() {
            if place.start == at {
                moved[index] = Some(shown.len());
            }
            if place.end == at {
                ends[index] = Some(shown.len());
            }
        }
        push_visible(c, shown);
    }
    let window_end = shown.len();
    if window.end < line.end {
        shown.push('…');
    }
    let beyond = |place: usize| if place < window.start { window_start } else { window_end };
    places
        .iter()
        .enumerate()
        .map(|(index, place)| {
            let start = moved[index].unwrap_or_else(|| beyond(place.start));
            let end = ends[index].unwrap_or_else(|| beyond(place.end));
            start..end.max(start)
        })
        .collect()
}

/// A character as a terminal may see it: control characters as their pictures.
fn push_visible(c: char, to: &mut String) {
    match c {
        // The library widens tabs.
        '\t' => to.push('\t'),
        '\u{7f}' => to.push('\u{2421}'),
        '\0'..='\u{1f}' => to.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
        // C1 controls, and what would turn the direction of the text or hide.
        '\u{80}'..='\u{9f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => {
            to.push('\u{fffd}');
        }
        _ => to.push(c),
    }
}

/// A text that no terminal obeys: its control characters are pictures of them, but for ends of lines.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    text.chars().for_each(|c| if c == '\n' { shown.push(c) } else { push_visible(c, &mut shown) });
    shown
}

/// Words for a terminal: on one line, of bounded length, without control characters.
fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len().min(4 * MAX_TEXT));
    for (index, c) in text.chars().enumerate() {
        if index == MAX_TEXT {
            cleaned.push('…');
            break;
        }
        push_visible(if matches!(c, '\n' | '\t') { ' ' } else { c }, &mut cleaned);
    }
    cleaned
}
