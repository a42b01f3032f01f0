//! Rules in the notation of Golly and other programs for cellular automata, as texts of this language.
//!
//! `B3/S23` says with how many live neighbours a cell is born and with how many it survives; `23/3` is the same the other way
//! round. `B2/S/C3`, or `/2/3`, has three states: a cell that does not survive counts down through the others before it is dead
//! (*generations*). A suffix `V` or `H` takes the von Neumann neighbourhood, or that of a hexagonal grid drawn on the square one
//! (without the corners to the upper right and the lower left). `R5,C0,M1,S34..58,B34..45` is *larger than life*: radius,
//! states (0 and 2 are two), whether the cell itself counts, ranges, and `NM`, `NN` or `NC` for the neighbourhood.
//!
//! Letters behind counts (`B2-a/S12`) say how live neighbours lie. `W30` is an elementary rule, a row a step; `HighLife` and other names stand for strings.
//! Behind a colon may follow a grid, `B3/S23:T100,50`, which is a domain here and no part of the rule. Files `@RULE` are tables and trees.
//!
//! Holes and places beyond the edge count as dead. A rule with `B0` is taken as it is written: empty space is born.

mod arrangements;
mod birth;
mod counted;
mod diagram;
mod head;
mod names;
mod strings;
mod table;
mod text;

use arrangements::Letters;
pub use birth::{Emulation, emulation};
use counted::Counted;
pub use head::{canonical, described, grid_of, is_grid, is_wireworld, notation, rule_in_head, split_grid, unnamed};
pub use table::{WrongTable, is_table, table_text};

use squeeze_compiler::ir::Rule;
use squeeze_compiler::shipped;
use strings::{elementary, parse};

/// The most states.
const MOST_STATES: u32 = 256;

/// The rest of a rule's doc comment behind the string.
const NOTE: &str = ", in Golly's notation.";

/// The rest of it behind the name of a table.
const NOTE_OF_TABLE: &str = ", a table of Golly's.";

/// A rule as a string describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Golly {
    neighbourhood: NeighbourShape,
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
enum NeighbourShape {
    Moore(u32),
    VonNeumann(u32),
    /// The places whose centres are nearer than a half more than the radius.
    Circle(u32),
    Hexagon,
}

impl NeighbourShape {
    fn count(self) -> u32 {
        match self {
            NeighbourShape::Moore(radius) => (2 * radius + 1).pow(2) - 1,
            NeighbourShape::VonNeumann(radius) => 2 * radius * (radius + 1),
            NeighbourShape::Circle(radius) => circle(radius).len() as u32,
            NeighbourShape::Hexagon => 6,
        }
    }
}

/// The neighbours within a circle, in reading order.
fn circle(radius: u32) -> Vec<[i32; 2]> {
    let radius = radius as i32;
    let places = (-radius..=radius).flat_map(|y| (-radius..=radius).map(move |x| [x, y]));
    // Less than (R + ½)² is at most R² + R in whole numbers.
    places.filter(|[x, y]| [*x, *y] != [0, 0] && x * x + y * y <= radius * radius + radius).collect()
}

/// The text of a rule in this language for a string in Golly's notation. `None` if the string is not meant as one.
///
/// # Errors
/// The error in a string that is meant as one, and the valid forms.
pub fn rule_text(string: &str) -> Option<Result<String, String>> {
    let (string, grid) = split_grid(string)?;
    // A name of Golly's stands behind that of a rule that ships.
    if shipped::rule_source(string).is_some() {
        return None;
    }
    let text = if let Some(number) = elementary(string) {
        number.map(text::of_elementary)
    } else if let Some(table) = Counted::parse(string) {
        table.map(|table| table.text(string))
    } else {
        let string = names::string_of(string).unwrap_or(string);
        parse(string)?.map(|golly| golly.text(string))
    };
    match grid.map(head::described) {
        Some(Err(what)) => {
            Some(Err(format!("{what} is not taken; valid are `:T100,50`, a torus, and `:P100,50`, a box")))
        }
        _ => Some(text),
    }
}

/// Whether a text that is no string was probably meant as one: it begins as they do.
pub fn is_almost_string(string: &str) -> bool {
    let digits = |part: &str| part.trim_start_matches(['B', 'S', 'b', 's']).starts_with(|c: char| c.is_ascii_digit());
    string.split_once('/').is_some_and(|(first, second)| digits(first) && digits(second))
}

/// The string that a rule was made of, if it was.
pub fn string_of(rule: &Rule) -> Option<&str> {
    rule.doc.strip_suffix(NOTE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::text::source::Sources;
    use squeeze_compiler::{Library, NoFiles, check};

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
        let larger = ["R2,C4,M0,S2..3,B3..3,NN", "R3,C0,M1,S9..14,B10..13,NC", "R2,C4,M0,S2..3,B3..3,NC"];
        let tables = [
            "1,0,0,0,0,0,1",
            "2,1,0,0,3,1",
            "1,0,1,0,0,0,0,0,0,0,0,0,0,2,2,2,2,2,2,2,2,2,0,3,3",
            "1,0,0,1,1,1,1,1,1,1,1,1,1",
        ];
        let others = larger.into_iter().chain(tables).chain([long, "B012345678/S012345678"]);
        for string in strings.into_iter().chain(others) {
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
            assert!(error.problem.contains(problem), "{to}: {error:?}");
        }
        assert!(
            table_text(&tree.replace("5 6 7", "5 6 8"))
                .is_err_and(|error| error.problem == "`5 6 8` is no node of a tree")
        );
        let text = table.replace("1,b,b", "1,b");
        let place = text.find("1,b,0").expect("the line is there");
        assert_eq!(table_text(&text).expect_err("too short").line, Some(place..place + "1,b,0,0,3".len()));
    }

    #[test]
    fn a_circle_has_the_places_nearer_than_half_a_place_beyond_its_radius() {
        assert_eq!(circle(1).len(), 8);
        assert_eq!(circle(2).len(), 20);
        assert_eq!(circle(3).len(), 36);
        assert!(circle(3).contains(&[2, -2]) && circle(3).contains(&[3, 1]) && !circle(3).contains(&[3, 2]));
        let text = rule_text("R2,C0,M1,S5..9,B7..8,NC").expect("a rule").expect("a sound one");
        assert!(text.contains("neighbourhood circle [(-1, -2), (0, -2)") && text.contains("n in 4..=8"), "{text}");
    }

    #[test]
    fn tables_have_their_colours_and_names() {
        let table = |states: u32, rest: &str| {
            let text = format!(
                "@RULE Coloured\n@TABLE\nn_states:{states}\nneighborhood:Moore\nsymmetries:permute\n1,0,0,0,0,0,0,0,0,0\n{rest}"
            );
            let text = table_text(&text).expect("a table");
            let library = compiled(&text);
            assert!(library.warnings.is_empty(), "{text}\n{:?}", library.warnings);
            (text, library.rules[0].picture.as_ref().map(|picture| picture.colours.clone()))
        };
        let (text, colours) = table(4, "");
        assert!(text.contains("enum { state_0, state_1, state_2, state_3 }") && colours.is_none(), "{text}");
        let names = "@NAMES\n0 Nothing\n2 electron head # hot\n3 ?\n7 none\n";
        let icons = "@ICONS\nXPM\n\"7 49 2 1\"\n\". c #000000\"\n";
        let (text, colours) =
            table(4, &format!("{icons}@COLORS\n\n0 1 2 3\n2 255 0 16 violet\n1 0 0 300\n9 1 1 1\n{names}"));
        assert!(text.contains("enum { state_0_nothing, state_1, state_2_electron_head, state_3 }"), "{text}");
        assert_eq!(colours, Some(vec![0x010203, 0xff0000, 0xff0010, 0xffff00]), "Golly's own where there are none");
        assert_eq!(table(3, "@COLORS\n0 0 255 255 0 0 red\n0 9 9 9\n").1, Some(vec![0x090909, 0x0000ff, 0xff0000]));
        assert_eq!(table(2, "@COLORS\n0 0 0 0\n1 255 255 255\n").1, Some(vec![0, 0xffffff]));
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
            ("r3,c0,m1,s9..14,b10..13,nc", "R3,C0,M1,S9..14,B10..13,NC"),
            ("1,0,0,0,0,0,1,0,0,0,0,0,0,0,0,1,1", "B3/S23"),
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
            let library = compiled(shipped::rule_source(name).expect(name));
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
        // Rules that depend on the place, on the time, on dead neighbours, on chance or on one neighbour are none of Golly's.
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
            ("B2-a/S12H", "eight neighbours"),
            ("3/", ""),
            ("R0,S1..2,B1..2", "radius"),
            ("R65,S1..2,B1..2,NC", "radius"),
            ("R5,S4..2,B1..2", "empty"),
            ("R5,B1..2", "lacks"),
            ("R5,S1..2,B1..2,NB", "neighbourhood"),
            ("3,0,0,1,1,1", "no neighbourhood of a rules table"),
            ("1,0,2,1,1,1", "`2` is too large"),
            ("1,0,0,1,256,1", "`256` is too large"),
            ("B3z/S23", "`z` is no arrangement of 3; valid are ceaiknjqry"),
            ("B8c/S23", "valid are none"),
            ("B2-a/", "does not say when"),
            ("B2-a9/S", "too many"),
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
        assert_eq!(["B3/S24x", "3/2q", "a/b", "rules/life.rule"].map(is_almost_string), [true, true, false, false]);
        for other in ["life", "rules/life.rule", "a/b", "b3", "R5", "x.rule", "2024/data"] {
            assert!(rule_text(other).is_none(), "{other}");
        }
    }
}
