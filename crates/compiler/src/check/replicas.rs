//! Replica tables: from their entries, and from pictures.

use super::names::given_twice;
use crate::ir::Dimension;
use crate::ir::fractal::scale_text;
use crate::text::diagnostics::{Diagnostic, counted};
use crate::text::source::Span;
use crate::text::syntax::ast::{PicturePlane, ReplicaEntry, Row};
use std::collections::HashMap;

pub(super) fn replicas_of_table(
    entries: &[ReplicaEntry],
    span: Span,
    dimension: Dimension,
    scale: [u32; 3],
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<[u32; 3]>> {
    if entries.is_empty() {
        return Diagnostic::new("the table of replicas is empty", span, "no replica")
            .help("write at least two: `replicas { 0: (0, 0)  1: (0, 1) }`")
            .fail(errors);
    }
    let before = errors.len();
    let axes = dimension.axes();
    let mut by_id: HashMap<i128, Span> = HashMap::new();
    let mut by_place: HashMap<[u32; 3], (i128, Span)> = HashMap::new();
    let mut replicas = vec![None; entries.len()];
    for entry in entries {
        let id = entry.id.value;
        if let Some(&first) = by_id.get(&id) {
            given_twice(&format!("replica {}", entry.id), entry.id.span, first)
                .help("every replica has its own number")
                .report(errors);
        } else {
            by_id.insert(id, entry.id.span);
            if !(0..entries.len() as i128).contains(&id) {
                let message = format!("replica number {} is out of order", entry.id);
                let label = format!("{} replicas are numbered 0 to {}", entries.len(), entries.len() - 1);
                Diagnostic::new(message, entry.id.span, label)
                    .help("replicas are numbered from 0 without gaps, in any order")
                    .report(errors);
            }
        }
        let Some(place) = place_of(entry, axes, scale, errors) else { continue };
        if let Some(&(other, first)) = by_place.get(&place) {
            let message = format!("replicas {other} and {id} have the same place");
            Diagnostic::new(message, entry.place_span, "taken already")
                .also(first, format!("replica {other} is here"))
                .help("replicas must not overlap")
                .report(errors);
        } else {
            by_place.insert(place, (id, entry.place_span));
        }
        if let Some(slot) = usize::try_from(id).ok().and_then(|id| replicas.get_mut(id)) {
            *slot = Some(place);
        }
    }
    if errors.len() > before { None } else { replicas.into_iter().collect() }
}

fn place_of(entry: &ReplicaEntry, axes: usize, scale: [u32; 3], errors: &mut Vec<Diagnostic>) -> Option<[u32; 3]> {
    if entry.place.len() != axes {
        let message = format!("a place with {} coordinates in a {axes}-D fractal", entry.place.len());
        let label = format!("needs {}", counted(axes, "coordinate"));
        let error = Diagnostic::new(message, entry.place_span, label);
        errors.push(if axes == 2 && entry.place.len() == 3 {
            error.help("for a 3-D fractal, write `dimension 3` before the replicas")
        } else {
            error.help(["write `(x)`", "write `(x, y)`", "write `(x, y, z)`"][axes - 1])
        });
        return None;
    }
    let mut place = [0; 3];
    let mut sound = true;
    for (axis, number) in entry.place.iter().enumerate() {
        let side = scale[axis];
        if (0..i128::from(side)).contains(&number.value) {
            place[axis] = number.value as u32;
        } else {
            let message = format!("replica {} lies outside the scale", entry.id);
            Diagnostic::new(message, number.span, format!("must be from 0 to {}", side - 1))
                .help(if scale[..axes].iter().all(|other| *other == side) {
                    format!("with `scale {side}`, coordinates run from 0 to {}", side - 1)
                } else {
                    let name = ["x", "y", "z"][axis];
                    format!("with `scale {}`, {name} runs from 0 to {}", scale_text(&scale[..axes]), side - 1)
                })
                .report(errors);
            sound = false;
        }
    }
    sound.then_some(place)
}

pub(super) fn replicas_of_picture(
    planes: &[PicturePlane],
    span: Span,
    dimension: Dimension,
    scale: [u32; 3],
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<[u32; 3]>> {
    if planes.iter().all(|plane| plane.rows.is_empty()) {
        return Diagnostic::new("the pattern is empty", span, "no rows")
            .help(format!("draw {}: `#` for a replica, `.` for a hole", rows_of(scale)))
            .fail(errors);
    }
    let [width, height, depth] = scale;
    let wanted = depth as usize;
    if planes.len() != wanted {
        let error = Diagnostic::new(
            format!("the pattern has {}, not {}", counted(planes.len(), "picture"), wanted),
            span,
            if dimension == Dimension::Three {
                format!("needs one picture per z, {wanted} in all")
            } else {
                format!("a {}-D pattern is one picture", dimension.axes())
            },
        );
        errors.push(if dimension != Dimension::Three {
            error.help("for a 3-D fractal, write `dimension 3` before the pattern")
        } else {
            error.help("separate the pictures by lines of dashes")
        });
        return None;
    }
    let before = errors.len();
    for plane in planes {
        check_sides(plane, [width, height], &scale_text(&scale[..dimension.axes()]), errors);
    }
    if errors.len() > before {
        return None;
    }
    let mut drawn: Vec<PictureReplica> = Vec::new();
    for (z, plane) in planes.iter().enumerate() {
        for (y, row) in plane.rows.iter().enumerate() {
            for (x, character) in row.text.bytes().enumerate() {
                if character != b'.' {
                    let start = row.span.start + x as u32;
                    let span = Span { start, end: start + 1, ..row.span };
                    drawn.push(PictureReplica { place: [x as u32, y as u32, z as u32], character, span });
                }
            }
        }
    }
    if drawn.is_empty() {
        return Diagnostic::new("the pattern is empty", span, "only holes")
            .help("draw a replica as `#`, a hole as `.`")
            .fail(errors);
    }
    number_drawn(drawn, errors)
}

/// A replica in a picture.
struct PictureReplica {
    place: [u32; 3],
    character: u8,
    span: Span,
}

/// The places in the order of the replicas: reading order for `#`, the order of the characters for `0`–`9 a`–`z`.
fn number_drawn(drawn: Vec<PictureReplica>, errors: &mut Vec<Diagnostic>) -> Option<Vec<[u32; 3]>> {
    let hashes = drawn.iter().filter(|drawn| drawn.character == b'#').count();
    if hashes == drawn.len() {
        return Some(drawn.into_iter().map(|drawn| drawn.place).collect());
    }
    if hashes > 0 {
        let hash = drawn.iter().find(|drawn| drawn.character == b'#').map(|drawn| drawn.span);
        let digit = drawn.iter().find(|drawn| drawn.character != b'#').map(|drawn| drawn.span);
        if let (Some(hash), Some(digit)) = (hash, digit) {
            Diagnostic::new(
                "the pattern mixes `#` with numbered replicas",
                hash.max(digit),
                "does not fit to the others",
            )
            .also(hash.min(digit), "the other kind")
            .help("draw all replicas as `#` (numbered in reading order), or number all of them `0`–`9`, `a`–`z`")
            .report(errors);
        }
        return None;
    }
    let before = errors.len();
    let mut replicas = vec![None; drawn.len()];
    let mut first: HashMap<u8, Span> = HashMap::new();
    for PictureReplica { place, character, span } in drawn {
        let id = usize::from(if character.is_ascii_digit() { character - b'0' } else { character - b'a' + 10 });
        let shown = char::from(character);
        if let Some(&first) = first.get(&character) {
            Diagnostic::new(format!("replica `{shown}` is drawn twice"), span, "again here")
                .also(first, "first drawn here")
                .help("every replica has its own number")
                .report(errors);
        } else if id >= replicas.len() {
            let message = format!("replica number `{shown}` ({id}) is out of order");
            let label = format!("{} replicas are numbered 0 to {}", replicas.len(), replicas.len() - 1);
            Diagnostic::new(message, span, label)
                .help("draw each as `#`, or number them from 0 without gaps: `0`–`9`, then `a`–`z`")
                .report(errors);
        } else {
            replicas[id] = Some(place);
        }
        first.entry(character).or_insert(span);
    }
    if errors.len() > before { None } else { replicas.into_iter().collect() }
}

/// "3 rows of 2 characters"
fn rows_of([width, height, _]: [u32; 3]) -> String {
    format!("{} of {}", counted(height as usize, "row"), counted(width as usize, "character"))
}

/// Whether a picture is as wide and as high as the scale, which was written so, says.
fn check_sides(plane: &PicturePlane, [width, height]: [u32; 2], scale: &str, errors: &mut Vec<Diagnostic>) {
    let help = format!("draw {}, or change `scale`", rows_of([width, height, 1]));
    let (width, height) = (width as usize, height as usize);
    if plane.rows.len() != height {
        let message = format!("a picture with {}, not {height}", counted(plane.rows.len(), "row"));
        Diagnostic::new(message, plane.span, format!("`scale {scale}` needs {}", counted(height, "row")))
            .help(help.clone())
            .report(errors);
    }
    for row in &plane.rows {
        let found = row.text.chars().count();
        if found != width {
            let message = format!("a row with {}, not {width}", counted(found, "character"));
            Diagnostic::new(message, row.span, format!("`scale {scale}` needs {}", counted(width, "character")))
                .help(help.clone())
                .report(errors);
        }
        check_characters(row, errors);
    }
}

fn check_characters(row: &Row, errors: &mut Vec<Diagnostic>) {
    for (offset, character) in row.text.char_indices() {
        if !matches!(character, '#' | '.' | '0'..='9' | 'a'..='z') {
            let start = row.span.start + offset as u32;
            let span = Span { start, end: start + character.len_utf8() as u32, ..row.span };
            let message = format!("`{}` means nothing in a picture", character.escape_default());
            Diagnostic::new(message, span, "not valid here")
                .help("draw a replica as `#` (or `0`–`9`, `a`–`z` to fix the order), a hole as `.`")
                .report(errors);
        }
    }
}
