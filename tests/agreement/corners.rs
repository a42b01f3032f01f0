//! Rare cases: the smallest levels, reaches beyond the whole fractal, odd patterns, births from nothing.

use squeeze::Backend;
use squeeze::Domain;
use squeeze_tests::course::{Case, in_parallel, library, options};

const FRACTALS: &str = "
fractal full { scale 3 pattern { ### ### ### } }
fractal cube { dimension 3 scale 2 pattern { ## ## --- ## ## } }
fractal diagonal { scale 2 replicas { 0: (0, 0) 1: (1, 1) } }
fractal antidiagonal { scale 3 pattern { ..# .#. #.. } }
fractal chessboard { scale 4 pattern { #.#. .#.# #.#. .#.# } }
fractal space_diagonal { dimension 3 scale 2 replicas { 0: (1, 1, 1) 1: (0, 0, 0) } }
fractal corners { scale 3 pattern { #.# ... #.# } }
fractal wide { scale 5 pattern { #...# .#.#. ..#.. .#.#. #...# } }
fractal wider { scale 7 pattern { ####### #.....# #.###.# #.#.#.# #.###.# #.....# ####### } }
fractal line { scale 2 replicas { 0: (1, 1) 1: (0, 1) } }
fractal mixture { levels [wide, line, diagonal] }
fractal reversed { scale 2 replicas { 0: (1, 1) 1: (1, 0) 2: (0, 0) } }
fractal single { scale 9 replicas { 0: (4, 4) 1: (8, 8) 2: (0, 8) } }
";

const RULES: &str = "
neighbourhood far [(9, 0), (-9, 4), (0, -30), (100, 100), (0, 0)]

rule from_nothing {
    state alive: bit
    let n = count(moore, nb.alive)
    next alive = if alive { n in {1, 4} } else { n in {0, 2} }
    observe population = sum(alive)
}
rule absent_is_all {
    state a: bit
    init a = random(0.3)
    next a = all(von_neumann, nb.a) ^ any(moore(2), !nb.a)
    observe population = count(a)
}
rule lonely {
    state a: bit
    init a = degree(moore) % 2 == 0
    next a = degree(moore) < 4 && !a
    observe edges = sum(degree(von_neumann))
}
rule far_away {
    state a: bit
    state u: i32
    init a = random(0.5)
    init u = x - 3 * y
    next a = (a[7, -7] else (!a)) ^ any(far, nb.a)
    next u = u + sum(far, nb.u * dx) - (u[0, 40] else 1)
    observe total = sum(u)
    observe least = min(u)
}
rule wide_life {
    state alive: bit
    init alive = random(0.4)
    let n = count(moore(3), nb.alive)
    next alive = if alive { n in 3..=9 } else { n in 4..=6 }
    observe population = sum(alive)
}
rule floats {
    state u: f32
    state v: f64
    init u = uniform() - 0.5
    init v = f64(uniform()) / f64(side)
    next u = (min(von_neumann, nb.u) else 3.0) * 0.5 + sum(moore, nb.u - u) * 0.01
    next v = (max(von_neumann, nb.v) else (-v)) + 0.1 * sum(von_neumann, sin(nb.v) * f64(dy))
    observe total = sum(u)
    observe highest = max(v)
    observe sum_of_v = sum(v)
}
rule in_turn {
    param every: u32 = 3
    state a: bit
    state n: u8
    init n = u8(bits())
    step first when step % every == 0 { next a = !a  next n = n + 200 }
    step second when x % 2 == 1 { next n = n + (n[1, 0] else 7) }
    step third { next a = any(von_neumann, nb.n > n) }
    observe total = sum(n)
}
rule noisy {
    state a: bit
    state kind: enum { one, two, three }
    step first when !a { next a = random(0.3)  next kind = if bits() % 3 == 0 { two } else { kind } }
    step second { next kind = if random(0.1) { three } else if any(moore, nb.kind == three) { one } else { kind } }
    observe twos = count(kind == two)
    observe live = sum(a)
}
";

#[test]
fn odd_rules_on_odd_fractals() {
    let (fractals, rules) = (library(FRACTALS).fractals, library(RULES).rules);
    let pairs: Vec<_> = fractals.iter().flat_map(|fractal| rules.iter().map(move |rule| (fractal, rule))).collect();
    let counts = in_parallel(&pairs, |(fractal, rule)| {
        let (mut tried, mut fitting) = (0, 0);
        let axes = fractal.dimension.axes() as u32;
        let affordable = |side: u64, cells: u64| cells <= 300 && side.checked_pow(axes).is_some_and(|n| n <= 1 << 12);
        let largest = Domain::largest_level_where(fractal, affordable);
        for level in (0..=largest.min(2)).chain((largest > 2).then_some(largest)) {
            let case = Case::new(fractal, level, rule, u64::from(level) << 40 | 3, &[1, 2, 5]);
            let expected = case.reference();
            let what = format!("{} on {} at level {level}", rule.name, fractal.name);
            let found = case.by_simulation(Backend::Cpu, 2).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(found, expected, "{what}");
            let candidates = case.candidates(600.0);
            for (i, choice) in candidates.iter().enumerate().skip(level as usize % 2).step_by(candidates.len() / 2 + 1)
            {
                tried += 1;
                let fits = case.agrees(options(1 + i % 2, Some(choice.clone())), &expected);
                fitting += u32::from(fits.unwrap_or_else(|error| panic!("{error}")));
            }
        }
        (tried, fitting)
    });
    let (tried, fitting) = counts.into_iter().fold((0, 0), |(a, b), (tried, fitting)| (a + tried, b + fitting));
    // The planner offers what has kernels.
    assert!(tried > 500 && 20 * fitting >= 19 * tried, "only {fitting} of {tried} cases could be compared");
}

/// In the layout that the model takes for the best more values live at once than a stack holds.
const TANGLED: &str = "
fractal full {
    dimension 3  scale 3
    replicas {
        0: (0, 0, 1)  1: (2, 1, 1)  2: (2, 0, 0)  3: (1, 2, 2)  4: (1, 0, 2)  5: (0, 2, 2)  6: (2, 2, 0)  7: (2, 0, 1)
        8: (2, 1, 2)  9: (1, 0, 0)  10: (0, 0, 2)  11: (0, 2, 1)  12: (2, 1, 0)  13: (1, 2, 1)  14: (1, 1, 1)  15: (1, 0, 1)
        16: (1, 2, 0)  17: (1, 1, 0)  18: (0, 0, 0)  19: (0, 2, 0)  20: (0, 1, 2)  21: (2, 2, 1)  22: (0, 1, 1)  23: (2, 2, 2)
    }
}
fractal sparse { dimension 3  scale 3  replicas { 0: (2, 2, 0)  1: (2, 0, 0)  2: (2, 1, 0)  3: (0, 0, 2)  4: (2, 2, 2)  5: (1, 2, 0) } }
fractal pairs { dimension 3  scale 2  pattern { 52 17 --- 04 36 } }
fractal mixed { levels [[sparse, pairs], full] }
rule tangled {
    state s: bit
    state p: enum { north, east, south, west, up }
    state q: enum { north, east, south, west, up }
    init s = random(0.4)
    init p = if random(0.3) { south } else { up }
    init q = if random(0.3) { west } else { up }
    step first {
        next s = p((min(von_neumann, -1) else level) ^ i32(step)) != p
        next p = q
        next q = p
    }
    step second when s {
        next s = (if s[3, -1, 7] else s { level > 9 } else { s }) ^ (s || (s[2, -1] else s))
        next p = if all([(1, -2, 7)], s ^ nb.s) { p[1, 0, -1] else p } else { p }
        next q = p
    }
    observe live = sum(s)
}
";

#[test]
fn values_that_no_stack_holds() {
    let library = library(TANGLED);
    let fractal = library.fractals.iter().find(|fractal| fractal.name == "mixed").expect("it is there");
    let case = Case::new(fractal, 3, &library.rules[0], 5, &[1, 2]);
    assert_eq!(case.by_simulation(Backend::Cpu, 2).expect("another layout fits"), case.reference());
}
