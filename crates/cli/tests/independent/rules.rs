//! The rules (`rules/*.rule`, and those beside this file), by hand.

use super::{Domain, Observed, bits, digest, digit_by_digit, exact, moore, random, von_neumann};

/// The results of a run: the digest of each field, and the observables.
pub(crate) struct Outcome {
    pub digests: Vec<(&'static str, u64)>,
    pub observables: Vec<(&'static str, Observed)>,
}

/// A rule: domain, seed, number of steps.
pub(crate) type Rule = fn(&Domain, u64, u32) -> Outcome;

/// The rules of the table.
pub(crate) const RULES: &[(&str, Rule)] =
    &[("life", life), ("heat", heat), ("sandpile", sandpile), ("voter", voter), ("drawn", drawn), ("counted", counted)];

/// `life`: B2/S23 over the existing Moore neighbours.
fn life(domain: &Domain, seed: u64, steps: u32) -> Outcome {
    let near = domain.neighbours(moore);
    let mut alive = domain.each(|c| random(bits(seed, domain.reversed(c), 0, 0), 0.5));
    for _ in 0..steps {
        alive = domain.each(|c| {
            let n = near[c].iter().filter(|nb| alive[**nb]).count();
            if alive[c] { n == 2 || n == 3 } else { n == 2 }
        });
    }
    Outcome {
        digests: vec![("alive", digest(alive.iter().map(|value| u64::from(*value))))],
        observables: vec![("population", exact(alive.iter().map(|value| i64::from(*value))))],
    }
}

/// `heat`: f32 throughout; `nb.u - u` is rounded, then added, the neighbours in reading order, from 0.0.
/// CHOICE: "literals take the type that the context asks for" is read as decimal to f32 in one rounding. `y == 0` in
/// three dimensions is a whole face, for all z.
fn heat(domain: &Domain, _seed: u64, steps: u32) -> Outcome {
    let (alpha, hot) = (0.1_f32, 1000.0_f32);
    let near = domain.neighbours(von_neumann);
    let mut u = domain.each(|c| if domain.places[c][1] == 0 { hot } else { 0.0 });
    for _ in 0..steps {
        u = domain.each(|c| {
            let mut sum = 0.0_f32;
            for nb in &near[c] {
                sum += u[*nb] - u[c];
            }
            u[c] + alpha * sum
        });
    }
    Outcome {
        digests: vec![("u", digest(u.iter().map(|value| u64::from(value.to_bits()))))],
        observables: vec![
            ("total", digit_by_digit(domain, &u, Some(0.0), |a, b| a + b)),
            ("coldest", digit_by_digit(domain, &u, None, |a, b| if b < a { b } else { a })),
            ("hottest", digit_by_digit(domain, &u, None, |a, b| if a < b { b } else { a })),
        ],
    }
}

/// `sandpile`: a cell topples when it has a grain for each of its sides. One cell alone has two.
fn sandpile(domain: &Domain, _seed: u64, steps: u32) -> Outcome {
    let along = |axis: usize| domain.places.iter().any(|place| place[axis] > 0);
    let (threshold, start) = (
        if along(2) {
            6
        } else if along(1) {
            4
        } else {
            2
        },
        7_i32,
    );
    let near = domain.neighbours(von_neumann);
    let mut grains = domain.each(|_| start);
    for _ in 0..steps {
        grains = domain.each(|c| {
            let lost = if grains[c] >= threshold { threshold } else { 0 };
            let gained = near[c].iter().filter(|nb| grains[**nb] >= threshold).count() as i32;
            grains[c].wrapping_sub(lost).wrapping_add(gained)
        });
    }
    let highest = grains.iter().map(|value| i64::from(*value)).max();
    Outcome {
        digests: vec![("grains", digest(grains.iter().map(|value| u64::from(*value as u32))))],
        observables: vec![
            ("total", exact(grains.iter().map(|value| i64::from(*value)))),
            ("toppling", exact(grains.iter().map(|value| i64::from(*value >= threshold)))),
            ("highest", Observed::Integer(highest.expect("a fractal has a cell"))),
        ],
    }
}

/// `voter`. In `next`, by place in the text: `pick` is draw 0, `random(noise)` draw 1, then two `random(0.5)`, taken or not; the `random(0.5)` of `init` is draw 0 of its own count. The first step computes t = 1.
fn voter(domain: &Domain, seed: u64, steps: u32) -> Outcome {
    let noise = 0.001_f32;
    let near = domain.neighbours(von_neumann);
    let mut opinion = domain.each(|c| random(bits(seed, domain.reversed(c), 0, 0), 0.5));
    for t in 1..=steps {
        opinion = domain.each(|c| {
            let word = u64::from(bits(seed, domain.reversed(c), t, 0));
            let other =
                near[c].get(((word * near[c].len() as u64) >> 32) as usize).map_or(opinion[c], |nb| opinion[*nb]);
            if random(bits(seed, domain.reversed(c), t, 1), f64::from(noise)) {
                random(bits(seed, domain.reversed(c), t, 2), 0.5)
            } else if random(bits(seed, domain.reversed(c), t, 3), 0.5) {
                other
            } else {
                opinion[c]
            }
        });
    }
    let unlike = domain.each(|c| near[c].iter().filter(|nb| opinion[**nb] != opinion[c]).count() as i64);
    Outcome {
        digests: vec![("opinion", digest(opinion.iter().map(|value| u64::from(*value))))],
        observables: vec![
            ("ayes", exact(opinion.iter().map(|value| i64::from(*value)))),
            ("disagreements", exact(unlike.into_iter())),
        ],
    }
}

/// ⌊W · n / 2^32⌋ of a word.
fn below(word: u32, n: usize) -> usize {
    ((u64::from(word) * n as u64) >> 32) as usize
}

/// `drawn.rule`, beside this file. In a step, first the draws of its lets in the order of the text (`bond` 0, `way` 1, `cold` 2 and 3), then its
/// own (`pick` 4), then those of its globals (`lot` 5, of cell 0).
/// CHOICE: which normal numbers are below -1/2 is told in f64: none comes so near that f32 would say otherwise.
fn drawn(domain: &Domain, seed: u64, steps: u32) -> Outcome {
    let (near, around) = (domain.neighbours(von_neumann), domain.neighbours(moore));
    let mut s = domain.each(|c| below(bits(seed, domain.reversed(c), 0, 0), 10) as u32);
    for t in 1..=steps {
        let word = |c: usize, draw: u32| bits(seed, domain.reversed(c), t, draw);
        let bond = domain.each(|c| random(word(c, 0), 0.4));
        let way = domain.each(|c| below(word(c, 1), 5));
        let cold = domain.each(|c| {
            let share = |word: u32, more: u32| f64::from((word >> 8) + more) / 16_777_216.0;
            let radius = (-2.0 * share(word(c, 2), 1).ln()).sqrt();
            radius * (std::f64::consts::TAU * share(word(c, 3), 0)).cos() < -0.5
        });
        let busy = s.iter().filter(|value| **value % 2 == 1).count();
        let lot = below(bits(seed, 0, t, 5), 7) as u32;
        s = domain.each(|c| {
            let picked = match near[c].len() {
                0 => 99,
                n => s[near[c][below(word(c, 4), n)]] % 100,
            };
            let alike = around[c].iter().filter(|nb| bond[**nb] && way[**nb] == way[c]).count() as u32;
            let [x, y, z] = domain.places[c];
            let right = domain.cells.get(&[x + 1, y, z]).is_some_and(|right| bond[*right]);
            let even = busy * 3 > s.len() && c % 2 == 0;
            picked + alike + lot + if cold[c] || right { 2 } else { 0 } + u32::from(even)
        });
    }
    Outcome {
        digests: vec![("s", digest(s.iter().map(|value| u64::from(*value))))],
        observables: vec![("total", exact(s.iter().map(|value| i64::from(*value))))],
    }
}

/// `counted.rule`, beside this file. Sums of u16 wrap, quotients are cut towards 0, `by level 2` has one sum for each k_1 · k_2 cells that follow
/// each other. CHOICE: a cast to fewer bits cuts, as integers wrap.
fn counted(domain: &Domain, _seed: u64, steps: u32) -> Outcome {
    let (near, around) = (domain.neighbours(von_neumann), domain.neighbours(moore));
    let mut small = domain.each(|c| (domain.places[c][0] * 40_503 + domain.places[c][1]) as u16);
    let mut large = domain.each(|c| domain.places[c][0] * 1_000_000_007 - 5_000_000_000 - domain.places[c][1]);
    for _ in 0..steps {
        let next = domain.each(|c| {
            let sum = near[c].iter().fold(0u16, |sum, nb| sum.wrapping_add(small[*nb]));
            small[c].wrapping_mul(31).wrapping_add(sum).wrapping_add(7)
        });
        large = domain.each(|c| {
            let sum = around[c].iter().fold(0i64, |sum, nb| sum.wrapping_add(large[*nb].wrapping_sub(large[c])));
            large[c].wrapping_sub(sum / 3).wrapping_add(i64::from(small[c]).wrapping_mul(c as i64))
        });
        small = next;
    }
    let sum_of = |values: &[u16]| values.iter().map(|value| i64::from(*value)).sum::<i64>();
    let (total, greatest) = (sum_of(&small), *large.iter().max().expect("a fractal has a cell"));
    let beyond = greatest.wrapping_sub((total / small.len() as i64).wrapping_mul(3));
    Outcome {
        digests: vec![
            ("small", digest(small.iter().map(|value| u64::from(*value)))),
            ("large", digest(large.iter().map(|value| *value as u64))),
        ],
        observables: vec![
            ("total", Observed::Integer(total)),
            ("greatest", Observed::Integer(greatest)),
            ("blocks", Observed::List(small.chunks(domain.ks[0] * domain.ks[1]).map(sum_of).collect())),
            ("beyond", Observed::Integer(beyond)),
        ],
    }
}
