//! Rules in the notation of Golly and other programs for cellular automata, as texts of this language.
//!
//! `B3/S23` says with how many live neighbours a cell is born and with how many it survives; `23/3` is the same the other way
//! round. `B2/S/C3`, or `/2/3`, has three states: a cell that does not survive counts down through the others before it is dead
//! (*generations*). A suffix `V` or `H` takes the von Neumann neighbourhood, or that of a hexagonal grid drawn on the square one
//! (without the corners to the upper right and the lower left). `R5,C0,M1,S34..58,B34..45` is *larger than life*: radius,
//! states (0 and 2 are two), whether the cell itself counts, ranges, and `NM` or `NN` for the neighbourhood.
//!
//! Letters behind counts (`B2-a/S12`) say how live neighbours lie. `W30` is an elementary rule, a row a step; `HighLife` and other names stand for strings.
//! Behind a colon may follow a grid, `B3/S23:T100,50`, which is a domain here and no part of the rule. Files `@RULE` are tables and trees.
//!
//! Holes and what lies beyond the edge count as dead. A rule with `B0` is taken as it is written: empty space is born.

mod arrangements;
mod diagram;
mod head;
mod names;
mod table;

use arrangements::Letters;
pub use head::{canonical, described, grid_of, is_grid, is_wireworld, notation, rule_in_head, split_grid, unnamed};
pub use table::{is_table, table_text};

use crate::ir::Rule;
use crate::shipped;
use diagram::{Diagram, expression};
use std::fmt::Write;

/// The largest radius.
const MOST_RADIUS: u32 = 64;
/// The most states.
const MOST_STATES: u32 = 256;

/// What the text of a rule says behind its string.
const NOTE: &str = ", in Golly's notation.";

/// What it says behind the name of a table.
const NOTE_OF_TABLE: &str = ", a table of Golly's.";

/// What a string says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Golly {
    neighbourhood: Cells,
    /// Whether the cell itself counts as its neighbour.
    middle: bool,
    states: u32,
    born: Vec<(u32, u32)>,
    survives: Vec<(u32, u32)>,
    /// The arrangements with which a cell is born and survives, in the place of counts.
    letters: Option<[Letters; 2]>,
}

/// The neighbours of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cells {
    Moore(u32),
    VonNeumann(u32),
    Hexagon,
}

impl Cells {
    fn count(self) -> u32 {
        match self {
            Cells::Moore(radius) => (2 * radius + 1).pow(2) - 1,
            Cells::VonNeumann(radius) => 2 * radius * (radius + 1),
            Cells::Hexagon => 6,
        }
    }
}

/// The text of a rule in this language for a string in Golly's notation. `None` if the string is not meant as one.
///
/// # Errors
/// What is wrong with a string that is meant as one, and what would be valid.
pub fn rule_text(string: &str) -> Option<Result<String, String>> {
    let (string, _) = split_grid(string)?;
    // A name of Golly's stands behind that of a rule that ships.
    if shipped::rule_source(string).is_some() {
        return None;
    }
    if let Some(number) = elementary(string) {
        return Some(number.and_then(text_of_elementary));
    }
    let string = names::string_of(string).unwrap_or(string);
    Some(parse(string)?.and_then(|golly| golly.text(string)))
}

/// The number of one of S. Wolfram's elementary rules, `W30`.
fn elementary(string: &str) -> Option<Result<u8, String>> {
    let digits = string.strip_prefix(['W', 'w']).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    let valid = || format!("`{digits}` is no elementary rule; valid are 0 to 255");
    (!digits.is_empty()).then(|| digits.parse().map_err(|_| valid()))
}

/// As Golly does it: each row follows from the one above it, and live cells stay.
fn text_of_elementary(number: u8) -> Result<String, String> {
    let mut diagram = Diagram::default();
    let root = diagram.of_bits(3, |above| number >> above & 1 == 1);
    let above =
        [("right", 1), ("middle", 0), ("left", -1)].map(|(name, x)| (name, format!("alive[{x}, -1] else false")));
    let state = |number: u32| (number == 1).to_string();
    let lets = diagram.lets(&[root], &above, &state)?;
    Ok(format!(
        "/// W{number}{NOTE}\nrule w{number} {{\n    state alive: bit\n    init alive = y == 0 && random(0.5)\n{lets}    next alive = alive || {}\n    \
         observe population = sum(alive)\n}}\n",
        expression(root, &state)
    ))
}

/// Whether letters stand behind counts, which say how neighbours lie: small ones, so that `B2C3` is none.
fn has_letters(string: &str) -> bool {
    let is_meant = |pair: &[u8]| pair[0].is_ascii_digit() && (pair[1] == b'-' || b"ceaiknjqrytwz".contains(&pair[1]));
    !string.contains([',', '.'])
        && string.contains(['/', '_', 's', 'S'])
        && string.as_bytes().windows(2).any(is_meant)
        && string.starts_with(|c: char| c.is_ascii_digit() || "bBsS/".contains(c))
}

/// What a string says, if it is meant as one.
fn parse(string: &str) -> Option<Result<Golly, String>> {
    let string = names::string_of(string).unwrap_or(string);
    let upper = string.to_ascii_uppercase();
    if has_letters(string) {
        return Some(arrangements::parse(string));
    }
    let letters = |known: &str| upper.chars().all(|c| known.contains(c));
    if upper.starts_with('R') && upper.contains(',') && letters("RCMSBN0123456789.,-V") {
        return Some(larger_than_life(&upper));
    }
    let counts = upper.starts_with('B') && upper.contains('S')
        || upper.contains('/') && upper.contains(|c: char| c.is_ascii_digit());
    if counts && letters("BSCGHV0123456789/") {
        return Some(by_counts(&upper));
    }
    None
}

/// The string that a rule was made of, if it was.
pub fn string_of(rule: &Rule) -> Option<&str> {
    rule.doc.strip_suffix(NOTE)
}

/// `B3/S23`, `23/3`, `B2/S/C3`, `/2/3`, each perhaps with a suffix.
fn by_counts(string: &str) -> Result<Golly, String> {
    let (string, neighbourhood) = match string.as_bytes().last() {
        Some(b'H') => (&string[..string.len() - 1], Cells::Hexagon),
        Some(b'V') => (&string[..string.len() - 1], Cells::VonNeumann(1)),
        _ => (string, Cells::Moore(1)),
    };
    let (mut born, mut survives, mut states) = (None, None, None);
    // `B3S23` is taken for `B3/S23`.
    let spaced = string.replace('S', "/S").replace("//", "/");
    let string = if string.starts_with('B') { &spaced } else { string };
    for (place, part) in string.split('/').enumerate() {
        let digits = part.trim_start_matches(['B', 'S', 'C', 'G']);
        let slot = match (part.as_bytes().first(), place) {
            (Some(b'B'), _) | (Some(b'0'..=b'9') | None, 1) => &mut born,
            (Some(b'S'), _) | (Some(b'0'..=b'9') | None, 0) => &mut survives,
            (Some(b'C' | b'G' | b'0'..=b'9'), _) => &mut states,
            _ => return Err("its parts are `B…`, `S…` and perhaps `C…`, as in `B3/S23` or `B2/S/C3`".to_owned()),
        };
        if slot.replace(digits).is_some() || part.len() > digits.len() + 1 {
            return Err(format!("`{part}` does not fit in; write for example `B3/S23` or `B2/S/C3`"));
        }
    }
    let states = match states {
        None => 2,
        Some(digits) => number_of_states(digits)?,
    };
    let counts = |digits: Option<&str>| -> Result<Vec<(u32, u32)>, String> {
        let mut counts: Vec<u32> = digits.unwrap_or_default().bytes().map(|digit| u32::from(digit - b'0')).collect();
        counts.sort_unstable();
        counts.dedup();
        let most = neighbourhood.count();
        match counts.last() {
            Some(&last) if last > most => Err(format!("{last} neighbours are too many: a cell has {most}")),
            _ => Ok(joined(&counts)),
        }
    };
    if born.is_none() || survives.is_none() {
        return Err("it says not when cells are born and when they survive; write for example `B3/S23`".to_owned());
    }
    Ok(Golly { neighbourhood, middle: false, states, born: counts(born)?, survives: counts(survives)?, letters: None })
}

fn number_of_states(digits: &str) -> Result<u32, String> {
    let states = digits.parse::<u32>().ok().filter(|states| (2..=MOST_STATES).contains(states));
    states.ok_or_else(|| format!("`{digits}` is no number of states; valid are 2 to {MOST_STATES}"))
}

/// Neighbouring numbers as ranges.
fn joined(counts: &[u32]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &count in counts {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == count => *last = count,
            _ => ranges.push((count, count)),
        }
    }
    ranges
}

/// `R5,C0,M1,S34..58,B34..45,NM`
fn larger_than_life(string: &str) -> Result<Golly, String> {
    let number = |digits: &str, what: &str, least: u32, most: u32| {
        digits
            .parse::<u32>()
            .ok()
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| format!("`{digits}` is no {what}; valid are {least} to {most}"))
    };
    let (mut radius, mut states, mut middle, mut von_neumann) = (None, 2, false, false);
    let (mut born, mut survives) = (None, None);
    for part in string.split(',') {
        let (letter, rest) = part.split_at(usize::from(!part.is_empty()));
        match letter {
            "R" => radius = Some(number(rest, "radius", 1, MOST_RADIUS)?),
            "C" => states = number(rest, "number of states", 0, MOST_STATES)?.max(2),
            "M" => middle = number(rest, "answer whether the cell itself counts", 0, 1)? == 1,
            "N" => {
                von_neumann = match rest {
                    "M" => false,
                    "N" => true,
                    _ => {
                        return Err(format!(
                            "`N{rest}` is not a neighbourhood; valid are `NM` (Moore) and `NN` (von Neumann)"
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
    let neighbourhood = if von_neumann { Cells::VonNeumann(radius) } else { Cells::Moore(radius) };
    Ok(Golly { neighbourhood, middle, states, born: vec![born], survives: vec![survives], letters: None })
}

impl Golly {
    /// The rule as a text, as `squeeze fmt` writes it.
    ///
    /// # Errors
    /// If arrangements take too many operations.
    fn text(&self, string: &str) -> Result<String, String> {
        let mut text = format!("/// {string}{NOTE}\nrule {} {{\n", name_of(string));
        let near = if self.states == 2 { "nb.alive" } else { "nb.cell == alive" };
        let list = match self.neighbourhood {
            Cells::Moore(1) => "moore".to_owned(),
            Cells::VonNeumann(1) => "von_neumann".to_owned(),
            Cells::Moore(radius) => format!("moore({radius})"),
            Cells::VonNeumann(radius) => format!("von_neumann({radius})"),
            Cells::Hexagon => {
                text += "    neighbourhood hexagon [(-1, -1), (0, -1), (-1, 0), (1, 0), (0, 1), (1, 1)]\n";
                "hexagon".to_owned()
            }
        };
        let most = i64::from(self.neighbourhood.count());
        // A cell that may survive counts itself, one that may be born does not: off the ranges, that leaves a count of bits.
        let survives: Vec<(u32, u32)> = match self.middle {
            true => {
                let others = |&(low, high): &(u32, u32)| Some((low.saturating_sub(1), high.checked_sub(1)?));
                self.survives.iter().filter_map(others).collect()
            }
            false => self.survives.clone(),
        };
        let (mut born, mut survives) = (condition(&self.born, most), condition(&survives, most));
        // What nothing asks for would be a let that is not used.
        let asked = [&born, &survives].iter().any(|condition| condition.starts_with('n') || condition.contains("|| n"));
        let mut lets = if asked { format!("    let n = count({list}, {near})\n") } else { String::new() };
        if let Some(letters) = &self.letters {
            let mut diagram = Diagram::default();
            // Places in reading order, the cell itself left out.
            let neighbours = |number: usize| (number & 0b1111 | (number & 0b1111_0000) << 1) as u16;
            let roots =
                letters.map(|letters| diagram.of_bits(8, |number| arrangements::holds(&letters, neighbours(number))));
            let is_alive = |x: i32, y: i32| match self.states {
                2 => format!("alive[{x}, {y}] else false"),
                _ => format!("(cell[{x}, {y}] else dead) == alive"),
            };
            let places = PLACES.map(|(name, [x, y])| (name, is_alive(x, y)));
            let state = |number: u32| (number == 1).to_string();
            lets = diagram.lets(&roots, &places, &state)?;
            [born, survives] = roots.map(|root| expression(root, &state));
        }
        if self.states == 2 {
            text += "    state alive: bit\n    init alive = random(0.5)\n";
            text += &lets;
            writeln!(text, "    next alive = if alive {{ {survives} }} else {{ {born} }}").expect("a string");
            text += "    observe population = sum(alive)\n}\n";
            return Ok(text);
        }
        let dying: Vec<String> = (2..self.states).map(|state| format!("dying_{state}")).collect();
        writeln!(text, "    state cell: enum {{ dead, alive, {} }}", dying.join(", ")).expect("a string");
        text += "    init cell = if random(0.3) { alive } else { dead }\n";
        text += &lets;
        text += "    next cell = match cell {\n";
        writeln!(text, "        dead => if {born} {{ alive }} else {{ dead }},").expect("a string");
        writeln!(text, "        alive => if {survives} {{ alive }} else {{ dying_2 }},").expect("a string");
        text += "        _ => cell(i32(cell) + 1),\n    }\n";
        text += "    observe population = count(cell == alive)\n}\n";
        Ok(text)
    }
}

/// The neighbours in reading order.
const PLACES: [(&str, [i32; 2]); 8] = [
    ("north_west", [-1, -1]),
    ("north", [0, -1]),
    ("north_east", [1, -1]),
    ("west", [-1, 0]),
    ("east", [1, 0]),
    ("south_west", [-1, 1]),
    ("south", [0, 1]),
    ("south_east", [1, 1]),
];

/// Whether `n` is in one of some ranges.
fn condition(ranges: &[(u32, u32)], most: i64) -> String {
    let terms: Vec<String> = ranges
        .iter()
        .filter(|(low, _)| i64::from(*low) <= most)
        .map(|&(low, high)| match (low, i64::from(high) >= most) {
            (0, true) => "true".to_owned(),
            (low, true) if i64::from(low) < most => format!("n >= {low}"),
            _ if low == high || i64::from(low) == most => format!("n == {low}"),
            _ => format!("n in {low}..={high}"),
        })
        .collect();
    if terms.is_empty() { "false".to_owned() } else { terms.join(" || ") }
}

/// A name of the language for a string: `b3_s23` for `B3/S23`.
fn name_of(string: &str) -> String {
    let mut name = String::new();
    for c in string.to_ascii_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.to_owned()
    } else {
        format!("rule_{}", name.trim_start_matches('_'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::source::Sources;
    use crate::{Library, NoFiles, check};

    #[test]
    fn strings_become_rules_without_warnings() {
        let long = "R5,C0,M1,S34..58,B34..45";
        let strings = [
            "B3/S23",
            "HighLife",
            "Day & Night",
            "B2-a/S12",
            "2-a3/3",
            "B2ce3aei/S23/C4",
            "W30",
            "W0",
            "W204",
            "b36s23",
            "23/3",
            "B2/S/C3",
            "/2/3",
            "B2/S34H",
            "B13/S13V",
            "B/S",
            "B0/S8",
            "345/2/256",
        ];
        for string in strings.into_iter().chain([long, "R2,C4,M0,S2..3,B3..3,NN", "B012345678/S012345678"]) {
            let text = rule_text(string).expect(string).expect(string);
            let mut sources = Sources::new();
            let root = sources.add("golly", &text);
            let library = check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
            assert!(library.warnings.is_empty(), "{text}\n{:?}", library.warnings);
            assert_eq!(library.rules.len(), 1);
        }
    }

    #[test]
    fn the_text_says_what_the_string_says() {
        let text = rule_text("B36/S125").expect("a rule").expect("a sound one");
        assert!(text.contains("rule b36_s125 {"), "{text}");
        assert!(text.contains("if alive { n in 1..=2 || n == 5 } else { n == 3 || n == 6 }"), "{text}");
        let text = rule_text("R5,C0,M1,S34..58,B34..45").expect("a rule").expect("a sound one");
        assert!(text.contains("let n = count(moore(5), nb.alive)\n"), "{text}");
        assert!(text.contains("if alive { n in 33..=57 } else { n in 34..=45 }"), "{text}");
        let text = rule_text("R2,C0,M1,S0..0,B1..9").expect("a rule").expect("a sound one");
        assert!(text.contains("if alive { false } else { n in 1..=9 }"), "{text}");
        let text = rule_text("23/3").expect("a rule").expect("a sound one");
        assert!(
            text.contains("rule rule_23_3 {") && text.contains("if alive { n in 2..=3 } else { n == 3 }"),
            "{text}"
        );
    }

    #[test]
    fn tables_and_trees_become_rules_without_warnings() {
        let table = "@RULE Small-Loop\n\n@TABLE\nn_states:4\nneighborhood:vonNeumann\nsymmetries:rotate4 # turned\nvar a={1,2}\nvar b={a,3}\n\
            0,a,0,0,0,a\n01111 2\n1,b,b,0,0,3\n@COLORS\n1 0 0 0\n";
        let text = table_text(table).expect("a table");
        assert!(text.starts_with("/// Small-Loop, a table of Golly's.\nrule small_loop {"), "{text}");
        let library = compiled(&text);
        assert!(library.warnings.is_empty(), "{text}\n{:?}", library.warnings);
        assert_eq!(notation(&library.rules[0]).as_deref(), Some("Small-Loop"));
        let tree = "@RULE Parity\n@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=9\n1 0 1\n1 1 0\n2 0 1\n2 1 0\n3 2 3\n3 3 2\n4 4 5\n4 5 4\n5 6 7\n";
        assert!(compiled(&table_text(tree).expect("a tree")).warnings.is_empty());
        for (from, to, problem) in [
            ("@TABLE", "@NONE", "neither a section"),
            ("n_states:4", "n_states:1", "2 to 256"),
            ("vonNeumann", "triangularVonNeumann", "is not read"),
            ("rotate4 ", "rotate8 ", "not one of its neighbourhood"),
            ("0,a,0,0,0,a", "0,a,0,0,0,b", "several states"),
            ("0,a,0,0,0,a", "0,a,0,0,c,a", "neither a state nor a variable"),
            ("0,a,0,0,0,a", "0,a,0,0,a", "has 5 entries"),
        ] {
            let error = table_text(&table.replace(from, to)).expect_err(to);
            assert!(error.contains(problem), "{to}: {error}");
        }
        assert!(table_text(&tree.replace("5 6 7", "5 6 8")).is_err_and(|error| error.contains("`5 6 8` is no node")));
    }

    #[test]
    fn strings_that_say_the_same_are_known() {
        assert_eq!(canonical("B3/S23"), canonical("23/3"));
        assert_ne!(canonical("b36/s23"), canonical("B3/S23"));
        assert_eq!(canonical("Life without a notation"), None);
        let text = rule_text("B2/S/C3").expect("a rule").expect("a sound one");
        let mut sources = Sources::new();
        let root = sources.add("golly", &text);
        let library = check(&mut sources, root, &mut NoFiles).expect("it is valid");
        assert_eq!(string_of(&library.rules[0]), Some("B2/S/C3"));
    }

    fn compiled(text: &str) -> Library {
        let mut sources = Sources::new();
        let root = sources.add("golly", text);
        check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
    }

    #[test]
    fn heads_are_written_as_golly_reads_them() {
        for (string, head) in [
            ("b3/s23", "B3/S23"),
            ("23/3", "B3/S23"),
            ("Life", "B3/S23"),
            ("wireworld", "WireWorld"),
            ("B2/S/C3", "/2/3"),
            ("B2/S12/C4V", "12/2/4V"),
            ("B2/S34H", "B2/S34H"),
            ("R5,C0,M1,S34..58,B34..45", "R5,C0,M1,S34..58,B34..45,NM"),
            ("b2-ec3-jqyr4z8_s1ce", "B2-ce3-jqry4z8/S1"),
            ("HighLife", "B36/S23"),
            ("Just Friends", "B2-a/S12"),
            ("w30", "W30"),
            ("r2,c2,m0,s2-4,b3,nn", "R2,C0,M0,S2..4,B3..3,NN"),
            ("R1,S2..3,B3..3", "B3/S23"),
        ] {
            assert_eq!(canonical(string).as_deref(), Some(head), "{string}");
            let Some(text) = rule_text(string) else { continue };
            let library = compiled(&text.expect(string));
            assert_eq!(notation(&library.rules[0]).as_deref(), Some(head), "{string}");
        }
        assert_eq!(canonical("LifeHistory"), None);
    }

    #[test]
    fn rules_without_a_string_are_recognised() {
        let shipped = |name: &str| {
            let library = compiled(crate::shipped::rule_source(name).expect(name));
            notation(library.rules.last().expect("a rule"))
        };
        for (name, head) in [
            ("conway", Some("B3/S23")),
            ("life", Some("B2/S23")),
            ("brians_brain", Some("/2/3")),
            ("wireworld", Some("WireWorld")),
            ("larger_than_life", Some("R2,C0,M0,S3..6,B3..5,NM")),
            ("forest_fire", None),
            ("voter", None),
            ("heat", None),
        ] {
            assert_eq!(shipped(name).as_deref(), head, "{name}");
        }
        let of = |next: &str| {
            let library = compiled(&format!("rule r {{ state a: bit init a = false next a = {next} }}"));
            notation(&library.rules[0])
        };
        assert_eq!(of("count([(1, 0), (-1, 0), (0, 1), (0, -1)], nb.a) == 3").as_deref(), Some("B3/S3V"));
        assert_eq!(of("any(moore, nb.a)").as_deref(), Some("B12345678/S12345678"));
        // What depends on the place, on the time, on dead neighbours, on chance or on one neighbour is none of Golly's.
        for next in [
            "a && x > 3",
            "a && step % 2 == 0",
            "count(moore, !nb.a) == 3",
            "count(moore, nb.a != a) == 3",
            "all(moore, nb.a)",
            "a && random(0.5)",
            "a[1, 0] else false",
            "count(moore, nb.a) == 3 || count(von_neumann, nb.a) == 2",
        ] {
            assert_eq!(of(next), None, "{next}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (string, problem) in [
            ("B9/S23", "too many"),
            ("B5/S2V", "too many"),
            ("B3/S2/C1", "number of states"),
            ("B3/B2", "does not fit"),
            ("3/", ""),
            ("R0,S1..2,B1..2", "radius"),
            ("R5,S4..2,B1..2", "empty"),
            ("R5,B1..2", "lacks"),
            ("R5,S1..2,B1..2,NC", "neighbourhood"),
            ("B3z/S23", "`z` is no arrangement of 3; valid are ceaiknjqry"),
            ("B8c/S23", "valid are none"),
            ("B2-a/", "not when"),
            ("B2-a9/S", "no count"),
            ("W256", "0 to 255"),
            ("B3/S23:T100", ""),
            ("R2,C0,M0,S3..6,B3..5,NM:T8,6", ""),
        ] {
            match rule_text(string) {
                Some(Err(error)) => assert!(error.contains(problem), "{string}: {error}"),
                Some(Ok(_)) => assert!(problem.is_empty(), "{string} was taken"),
                None => panic!("{string} is no string"),
            }
        }
        for other in ["life", "rules/life.rule", "a/b", "b3", "R5", "x.rule", "2024/data"] {
            assert!(rule_text(other).is_none(), "{other}");
        }
    }
}
