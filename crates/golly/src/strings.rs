//! Rules in one string: counts of neighbours (`B3/S23`), with letters (`B2-a/S12`), *larger than life* (`R5,C0,…`) and elementary rules (`W30`).

use super::arrangements::{self, Letters};
use super::{Golly, MOST_STATES, NeighbourShape, names};

/// The largest radius of a neighbourhood, in cells.
const MOST_RADIUS: u32 = 500;
/// The largest radius of a circle: a list has all of its places.
const MOST_RADIUS_OF_CIRCLES: u32 = 64;

/// The number of one of S. Wolfram's elementary rules, `W30`.
pub(super) fn elementary(string: &str) -> Option<Result<u8, String>> {
    let digits = string.strip_prefix(['W', 'w']).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    let refusal = || format!("`{digits}` is no elementary rule; valid are 0 to 255");
    (!digits.is_empty()).then(|| digits.parse().map_err(|_| refusal()))
}

/// Whether a string has letters for how neighbours lie, behind counts: `B2ci3a/S23`. They are small, since the `C` of `B2C3` is none.
fn has_letters(string: &str) -> bool {
    let is_lettered = |pair: &[u8]| {
        pair[0].is_ascii_digit() && (pair[1] == b'-' || arrangements::LETTERS.as_bytes().contains(&pair[1]))
    };
    !string.contains([',', '.'])
        && string.contains(['/', '_', 's', 'S'])
        && string.as_bytes().windows(2).any(is_lettered)
        && string.starts_with(|c: char| c.is_ascii_digit() || "bBsS/".contains(c))
}

/// The rule of a string, or a message of its mistake; `None` if the string has none of these forms.
pub(super) fn parse(string: &str) -> Option<Result<Golly, String>> {
    let string = names::string_of(string).unwrap_or(string);
    let upper = string.to_ascii_uppercase();
    // A map is a table in base 64, six bits a letter: 512 bits for Moore's neighbourhood, 128 for the hexagonal one, 32 for von Neumann's.
    if string.strip_prefix("MAP").is_some_and(|map| [86, 22, 6].contains(&map.trim_end_matches('=').len())) {
        return Some(Err(
            "maps (`MAP…`) are not taken; `B3/S23`, `B2-a/S12` and files of tables or trees are".to_owned()
        ));
    }
    let has_only = |known: &str| upper.chars().all(|c| known.contains(c));
    if upper.starts_with('R') && upper.contains(',') && has_only("RCMSBN0123456789.,-V") {
        return Some(larger_than_life(&upper));
    }
    let counts = upper.starts_with('B') && upper.contains('S')
        || upper.contains('/') && upper.contains(|c: char| c.is_ascii_digit());
    (has_letters(string) || counts && has_only("BSCGHV0123456789/")).then(|| by_counts(string))
}

/// Parses `B3/S23`, `23/3`, `B2/S/C3` or `/2/3`, perhaps with a suffix for the neighbourhood, or with letters: `B2-a/S12`, `B2ci3a_S23`.
fn by_counts(string: &str) -> Result<Golly, String> {
    let string = string.to_ascii_lowercase().replace('_', "/");
    let (string, neighbourhood) = match string.as_bytes().last() {
        Some(b'h') => (&string[..string.len() - 1], NeighbourShape::Hexagon),
        Some(b'v') => (&string[..string.len() - 1], NeighbourShape::VonNeumann(1)),
        _ => (&string[..], NeighbourShape::Moore(1)),
    };
    let (mut born, mut survives, mut states) = (None, None, None);
    // `b3s23` means `b3/s23`.
    let spaced = string.replace('s', "/s").replace("//", "/");
    let string = if string.starts_with('b') { &spaced } else { string };
    for (place, part) in string.split('/').enumerate() {
        let counts = part.trim_start_matches(['b', 's', 'c', 'g']);
        let slot = match (part.as_bytes().first(), place) {
            (Some(b'b'), _) | (Some(b'0'..=b'9') | None, 1) => &mut born,
            (Some(b's'), _) | (Some(b'0'..=b'9') | None, 0) => &mut survives,
            (Some(b'c' | b'g' | b'0'..=b'9'), _) => &mut states,
            _ => return Err("its parts are `B…`, `S…` and perhaps `C…`, as in `B3/S23` or `B2/S/C3`".to_owned()),
        };
        if slot.replace(counts).is_some() && !part.is_empty() || part.len() > counts.len() + 1 {
            return Err(format!("`{part}` does not fit in; write for example `B3/S23` or `B2/S/C3`"));
        }
    }
    let states = states.map_or(Ok(2), |digits| number(digits, "number of states", 2, MOST_STATES))?;
    let (Some(born), Some(survives)) = (born, survives) else {
        return Err("it does not say when cells are born and when they survive; write for example `B3/S23`".to_owned());
    };
    let counts = |part| arrangements::parse(part, neighbourhood.count());
    let (born, survives) = (counts(born)?, counts(survives)?);
    let golly = Golly { neighbourhood, middle: false, states, born: Vec::new(), survives: Vec::new(), letters: None };
    if arrangements::are_counts(&born) && arrangements::are_counts(&survives) {
        let ranges =
            |letters: &Letters| joined(&(0..9).filter(|count| letters[*count as usize] > 0).collect::<Vec<_>>());
        return Ok(Golly { born: ranges(&born), survives: ranges(&survives), ..golly });
    }
    if neighbourhood != NeighbourShape::Moore(1) {
        return Err("letters are for eight neighbours, and this neighbourhood has fewer".to_owned());
    }
    Ok(Golly { letters: Some([born, survives]), ..golly })
}

fn number(digits: &str, name: &str, least: u32, most: u32) -> Result<u32, String> {
    let number = digits.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("`{digits}` is no {name}; valid are {least} to {most}"))
}

/// Ascending numbers as ranges, both ends included.
pub(super) fn joined(counts: &[u32]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &count in counts {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == count => *last = count,
            _ => ranges.push((count, count)),
        }
    }
    ranges
}

/// Parses `R5,C0,M1,S34..58,B34..45,NM`.
fn larger_than_life(string: &str) -> Result<Golly, String> {
    let (mut radius, mut states, mut middle) = (None, 2, false);
    let mut shape: fn(u32) -> NeighbourShape = NeighbourShape::Moore;
    let (mut born, mut survives) = (None, None);
    for part in string.split(',') {
        let (letter, rest) = part.split_at(usize::from(!part.is_empty()));
        match letter {
            "R" => radius = Some(number(rest, "radius", 1, MOST_RADIUS)?),
            "C" => states = number(rest, "number of states", 0, MOST_STATES)?.max(2),
            "M" => middle = number(rest, "answer whether the cell itself counts", 0, 1)? == 1,
            "N" => {
                shape = match rest {
                    "M" => NeighbourShape::Moore,
                    "N" => NeighbourShape::VonNeumann,
                    "C" => NeighbourShape::Circle,
                    _ => {
                        return Err(format!(
                            "`N{rest}` is not a neighbourhood; valid are `NM` (Moore), `NN` (von Neumann) and `NC` (a circle)"
                        ));
                    }
                };
            }
            "S" | "B" => {
                let (low, high) = rest.split_once("..").or(rest.split_once('-')).unwrap_or((rest, rest));
                let most = (2 * MOST_RADIUS + 1).pow(2);
                let range = (number(low, "count", 0, most)?, number(high, "count", 0, most)?);
                if range.0 > range.1 {
                    return Err(format!("the range `{rest}` is empty; its least count comes first"));
                }
                *(if letter == "S" { &mut survives } else { &mut born }) = Some(range);
            }
            _ => return Err(format!("`{part}` does not fit in; write for example `R5,C0,M1,S34..58,B34..45`")),
        }
    }
    let (Some(radius), Some(born), Some(survives)) = (radius, born, survives) else {
        return Err("it lacks a radius, S or B; write for example `R5,C0,M1,S34..58,B34..45`".to_owned());
    };
    let neighbourhood = shape(radius);
    if matches!(neighbourhood, NeighbourShape::Circle(radius) if radius > MOST_RADIUS_OF_CIRCLES) {
        return Err(format!("the radius {radius} of a circle; the largest is {MOST_RADIUS_OF_CIRCLES}"));
    }
    Ok(Golly { neighbourhood, middle, states, born: vec![born], survives: vec![survives], letters: None })
}
