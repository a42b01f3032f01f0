//! Rules of strings as texts of this language.

use super::diagram::{Diagram, PLACES, expression};
use super::{Golly, NOTE, NeighbourShape, arrangements, circle};
use std::fmt::Write;

/// As Golly does it: each row follows from the one above it, and live cells stay.
pub(super) fn of_elementary(number: u8) -> String {
    let mut diagram = Diagram::default();
    let root = diagram.of_bits(3, |above| number >> above & 1 == 1);
    let above =
        [("right", 1), ("middle", 0), ("left", -1)].map(|(name, x)| (name, format!("alive[{x}, -1] else false")));
    let state = |number: u32| (number == 1).to_string();
    let lets = diagram.lets(&[root], &above, &state);
    format!(
        "/// W{number}{NOTE}\nrule w{number} {{\n    state alive: bit\n    init alive = y == 0 && random(0.5)\n{lets}    next alive = alive || {}\n    \
         observe population = sum(alive)\n}}\n",
        expression(root, &state)
    )
}

impl Golly {
    /// The rule as a text, as `squeeze fmt` writes it.
    pub(super) fn text(&self, string: &str) -> String {
        let mut text = format!("/// {string}{NOTE}\nrule {} {{\n", name_of(string));
        let near = if self.states == 2 { "nb.alive" } else { "nb.cell == alive" };
        let list = match self.neighbourhood {
            NeighbourShape::Moore(1) => "moore".to_owned(),
            NeighbourShape::VonNeumann(1) => "von_neumann".to_owned(),
            NeighbourShape::Moore(radius) => format!("moore({radius})"),
            NeighbourShape::VonNeumann(radius) => format!("von_neumann({radius})"),
            NeighbourShape::Circle(radius) => {
                let offsets: Vec<String> = circle(radius).iter().map(|[x, y]| format!("({x}, {y})")).collect();
                writeln!(text, "    neighbourhood circle [{}]", offsets.join(", ")).expect("a string");
                "circle".to_owned()
            }
            NeighbourShape::Hexagon => {
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
        // A let that no condition names would be an unused one.
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
            let places = READING_ORDER.map(|place| PLACES[place]).map(|(name, [x, y])| (name, is_alive(x, y)));
            let state = |number: u32| (number == 1).to_string();
            lets = diagram.lets(&roots, &places, &state);
            [born, survives] = roots.map(|root| expression(root, &state));
        }
        if self.states == 2 {
            text += "    state alive: bit\n    init alive = random(0.5)\n";
            text += &lets;
            writeln!(text, "    next alive = if alive {{ {survives} }} else {{ {born} }}").expect("a string");
            text += "    observe population = sum(alive)\n}\n";
            return text;
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
        text
    }
}

/// The neighbours in reading order.
const READING_ORDER: [usize; 8] = [7, 0, 1, 6, 2, 5, 4, 3];

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

/// The letters and digits of a string, with `_` for all between them.
pub(super) fn words_of(string: &str) -> String {
    let mut name = String::new();
    for c in string.to_ascii_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    name.trim_matches('_').to_owned()
}

/// A name of the language for a string: `b3_s23` for `B3/S23`.
pub(super) fn name_of(string: &str) -> String {
    let name = words_of(string);
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("rule_{name}") }
}
