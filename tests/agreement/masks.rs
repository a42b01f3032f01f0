//! Masks and boxes: rows as lanes give what the oracle gives.

use super::shipped::rules;
use squeeze::compiler::numbers::digest::mix;
use squeeze::{Backend, Domain, Fractal, Rule, Simulation, resolve};
use squeeze_tests::course::{Case, in_parallel, library};
use std::sync::Arc;

/// Random at five densities, blobs, a maze, one row, one column, empty rows, in space, sizes around those of words and columns, all with open or
/// periodic edges.
const MASKS: &str = "
domain dense { size (75, 40)  cells random(0.95)  periodic }
domain half { size (64, 31)  cells random(0.5) }
domain thin { size (130, 20)  cells random(0.1)  periodic x }
domain rare { size (300, 9)  cells random(0.01)  seed 3 }
domain open { size (33, 33)  cells random(0.7)  keep largest(moore)  invert }
domain blobs { size (97, 40)  cells sin(f32(x) * 0.4) + cos(f32(y) * 0.5) > 0.2 }
domain maze { size (65, 41)  cells x % 4 == 0 || y % 4 == 0 && random(0.7)  keep largest(von_neumann)  periodic y }
domain row { size (700, 1) }
domain column { size (1, 70)  cells y != 30  periodic y }
domain stripes { size (40, 30)  cells y % 3 != 0  periodic }
domain word { size (32, 12)  periodic }
domain below { size (511, 4)  cells random(0.8)  periodic x }
domain whole { size (512, 5)  periodic x }
domain above { size (513, 4)  cells x != 512 || y == 2  periodic x }
domain twice { size (1025, 3)  cells random(0.9)  periodic x }
domain spanning { size (50, 50)  cells random(0.65)  keep spanning(y)  seed 1 }
domain single { size (5, 5)  cells x == 3 && y == 2 }
domain solid { size (37, 11, 6)  cells random(0.6)  periodic }
domain slab { size (600, 4, 3)  cells random(0.9)  periodic x, y }
domain far { size (80, 40)  cells random(0.8)  periodic }
";

pub(crate) fn masks() -> Vec<Arc<Fractal>> {
    library(MASKS).fractals
}

pub(crate) fn compare(fractal: &Arc<Fractal>, rule: &Arc<Rule>, number: u64) -> bool {
    let Some(case) = Case::admitted(fractal, 1, rule, mix(number), &[1, 2, 4]) else { return false };
    let threads = 1 + number as usize % 3;
    let found = case.by_simulation(Backend::Cpu, threads).unwrap_or_else(|error| panic!("{error}"));
    for (found, expected) in found.iter().zip(case.reference()) {
        assert_eq!(*found, expected, "{} on {}, {threads} threads", rule.name, fractal.name);
    }
    true
}

/// Each rule with every other mask: `../masks.rs` has all pairs with masks of its own.
pub(crate) fn by_turns<'a, M, R>(masks: &'a [M], rules: &'a [R]) -> Vec<(&'a M, &'a R)> {
    let pairs = masks.iter().enumerate().flat_map(|(turn, mask)| {
        rules.iter().enumerate().map(move |(number, rule)| ((turn + number) % 2 == 0, (mask, rule)))
    });
    pairs.filter(|(chosen, _)| *chosen).map(|(_, pair)| pair).collect()
}

#[test]
fn every_rule_on_masks() {
    let (masks, rules) = (masks(), rules());
    let pairs: Vec<_> = (0..).zip(by_turns(&masks, &rules)).collect();
    let compared = in_parallel(&pairs, |(number, (mask, rule))| compare(mask, rule, *number));
    let compared = compared.into_iter().filter(|compared| *compared).count();
    assert!(10 * compared > 8 * pairs.len(), "only {compared} of {} pairs", pairs.len());
}

/// A count of distant cells reads nothing where all of them exist, also beside values that are read from afar.
#[test]
fn what_exists_far_away_may_be_all_there_is() {
    let library = library(
        "rule numbers { state s: i32 init s = x * y next s = count(moore(2), true) + (s[3, 1] else 5) }
         rule bits { state s: bit init s = random(0.5) next s = (count(moore(2), true) > 20) ^ (s[3, 1] else true) }
         rule words {
             state a: bit state b: bit init a = random(0.5) init b = random(0.5)
             next a = b
             next b = (any(moore(2), nb.a & nb.a) ^ (a[-3, 2] else true) ^ (b[4, 0] else b)) == (a[2, -1] else b)
         }
         domain wide { size (1400, 9) }
         domain ring { size (1400, 9)  periodic x }
         domain torus { size (512, 9)  periodic }",
    );
    for fractal in &library.fractals {
        for (number, rule) in (0..).zip(&library.rules) {
            assert!(compare(fractal, rule, number), "{} on {}", rule.name, fractal.name);
        }
    }
}

/// Rules of bits that draw, or ask where they are, see the even places of rows apart from the odd ones, at any width, edge and hole.
#[test]
fn even_and_odd_places_stand_apart() {
    let mut domains = String::new();
    for width in [1, 2, 3, 31, 63, 64, 65, 127, 129, 255, 257, 600, 1001] {
        // Holes at either place of the last pair.
        for (name, places) in [
            ("box", String::new()),
            ("mirrored", "edge a = reflect".to_owned()),
            ("full", "periodic y  edge a = true".to_owned()),
            ("torus", "periodic".to_owned()),
            ("tube", "periodic x".to_owned()),
            ("even", format!("cells x != {} || y % 3 != 0  periodic x", (width - 1) / 2 * 2)),
            ("odd", format!("cells x != {} && random(0.9)  periodic", width / 2 * 2 - 1)),
        ] {
            domains += &format!("domain {name}_{width} {{ size ({width}, 13)  {places} }}\n");
        }
    }
    domains += "domain space { size (67, 7, 5)  periodic x, z }
                domain solid { size (66, 6, 4)  cells random(0.8)  periodic }";
    let rules = "
        rule colours {
            state a: bit state b: bit init a = random(0.5) init b = random(0.3)
            step first colour of moore { next a = if count(moore, nb.a) + i32(b) > 4 { random(0.7) } else { a & random(0.4) } }
            step then { next b = if (x + y) % 2 == 0 { b ^ (a[2, -1] else true) } else { b } }
        }
        rule chances {
            state a: bit init a = random(0.5)
            step all { next a = if count(von_neumann(2), nb.a) % 3 == 1 { random(0.5) } else { a ^ random(0.1) } }
            step some { next a = if y % 2 == 1 { a ^ (a[1, 0] else false) & random(0.25) } else { a } }
        }
        rule spins {
            state a: bit init a = random(0.5)
            step flip colour of von_neumann { next a = a != random(0.2 + 0.15 * f32(count(von_neumann, nb.a != a))) }
        }
        rule far {
            state a: bit init a = random(0.5)
            next a = if (a[70, 1] else false) { random(0.5) } else { a[-69, 0] else a }
        }";
    let library = library(&(domains + rules));
    let pairs: Vec<_> =
        library.fractals.iter().flat_map(|of| library.rules.iter().map(move |rule| (of, rule))).collect();
    let pairs: Vec<_> = (0..).zip(pairs).collect();
    let compared = in_parallel(&pairs, |(number, (fractal, rule))| compare(fractal, rule, *number));
    let compared = compared.into_iter().filter(|compared| *compared).count();
    assert!(3 * compared > 2 * pairs.len(), "only {compared} of {} pairs", pairs.len());
}

/// A fractal's cells as a mask have the same values as on the fractal, for rules that do not draw.
#[test]
fn a_fractal_as_a_mask_has_the_same_fields() {
    for (name, level) in [("sierpinski_carpet", 4), ("sierpinski_triangle", 6), ("vicsek_3d", 3), ("lace", 3)] {
        let fractal = resolve::fractal(name).expect("it ships");
        let domain = Domain::new(Arc::clone(&fractal), level).expect("small");
        let extent @ [width, height, depth] = domain.extent();
        let mut cells = vec![0u8; extent.iter().product::<u64>() as usize];
        let mut places: Vec<[u64; 3]> = (0..domain.cells()).map(|c| domain.lambda(c)).collect();
        places.sort_by_key(|[x, y, z]| (*z, *y, *x));
        for [x, y, z] in &places {
            cells[((z * height + y) * width + x) as usize] = 1;
        }
        let layers = if depth == 1 { String::new() } else { format!("{depth}, ") };
        let head = format!("{{'descr': '|b1', 'fortran_order': False, 'shape': ({layers}{height}, {width})}}");
        let head = [b"\x93NUMPY\x01\x00".as_slice(), &(head.len() as u16).to_le_bytes(), head.as_bytes()].concat();
        let (folder, path) = (tempfile::tempdir().unwrap(), format!("{name}.npy"));
        std::fs::write(folder.path().join(&path), [head, cells].concat()).unwrap();
        let mask = resolve::fractal(folder.path().join(&path).to_str().unwrap()).expect("it is a mask");
        for text in [
            "rule a { state u: i32 init u = x + 3 * y * y - side next u = u + sum(moore, nb.u * (dx + 2 * dy)) - (u[2, -3] else 7) observe s = sum(u) }",
            "rule b { state u: f32 state a: bit init u = f32(x * y % 17) init a = (x + y) % 3 == 0
              next u = u + 0.1 * sum(von_neumann, nb.u - u) next a = count(moore(2), nb.a) in 3..=7 || u > 9.0 }",
        ] {
            let rule = Arc::clone(&library(text).rules[0]);
            let run = |fractal: &Arc<Fractal>, level: u32, backend| {
                let builder = Simulation::builder(Arc::clone(fractal), Arc::clone(&rule)).level(level).backend(backend);
                let mut simulation = builder.build().expect("it runs");
                simulation.step(9).expect("it runs");
                simulation
            };
            let (on_fractal, on_mask) = (run(&fractal, level, Backend::Reference), run(&mask, 1, Backend::Cpu));
            for state in &rule.states {
                for &place in &places {
                    let at = |simulation: &Simulation| simulation.value_at(&state.name, place).expect("a state");
                    assert_eq!(at(&on_mask), at(&on_fractal), "{} at {place:?} of {name}", state.name);
                }
            }
        }
    }
}
