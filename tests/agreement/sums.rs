//! Sums over many neighbours, which a CPU computes for all cells at once on masks and boxes: random ones of any shape agree with the oracle.

use super::masks::masks;
use squeeze::compiler::geometry::with_flags;
use squeeze::compiler::numbers::digest::mix;
use squeeze::compiler::{Off, Program, Speciality, Target};
use squeeze::ir::{Axes, Dimension};
use squeeze::{Backend, Fractal};
use squeeze_tests::course::{Case, in_parallel, library};
use squeeze_tests::{all_cases, periodic};
use std::fmt::Write;
use std::sync::Arc;

/// Random numbers below some.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = mix(self.0);
        (self.0 >> 20) % end
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    /// From one number to another, both included.
    fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as u64) as i64
    }
}

/// A neighbourhood of many cells, of which a few looks are enough to go beyond most boxes that are tried.
fn neighbourhood(dice: &mut Dice, dimension: Dimension) -> (String, String) {
    let (flat, deep) = (dimension != Dimension::Three, dimension == Dimension::Three);
    let built_in = |name: &str, radius: i64| (String::new(), format!("{name}({radius})"));
    let listed = |keep: &mut dyn FnMut(i64, i64, i64) -> bool, reach: i64| {
        let depth = if deep { reach } else { 0 };
        let mut offsets = Vec::new();
        for z in -depth..=depth {
            for y in -reach..=reach {
                offsets.extend((-20..=20).filter(|x| keep(*x, y, z)).map(|x| match deep {
                    true => format!("({x}, {y}, {z})"),
                    false => format!("({x}, {y})"),
                }));
            }
        }
        (format!("neighbourhood some [{}]\n", offsets.join(", ")), "some".to_owned())
    };
    match dice.below(6) {
        0 | 1 => built_in("moore", if flat { dice.between(7, 8) } else { 3 }),
        2 => built_in("von_neumann", if flat { [5, 24][dice.below(2) as usize] } else { 3 }),
        3 => {
            let [x, y, z] = [dice.between(-20, -9), dice.between(-5, 1), dice.between(-2, 0)];
            let (right, below) = (x + dice.between(25, 29), y + if flat { 7 } else { 4 });
            let keep = &mut |a, b, c| {
                (x..=right).contains(&a) && (y..=below).contains(&b) && (!deep || (z..=z + 1).contains(&c))
            };
            listed(keep, 8)
        }
        _ => {
            // A run or two of each row.
            let seed = dice.below(1 << 30);
            let keep = &mut |x: i64, y: i64, z: i64| {
                let row = mix(seed ^ (y * 16 + z + 99) as u64);
                let [first, gap] = [row % 9, row >> 8 & 63].map(|v| v as i64 - 20);
                x >= first && x != gap && x < first + 30
            };
            listed(keep, if flat { 4 } else { 2 })
        }
    }
}

/// A rule with some sums over many neighbours.
fn rule(dice: &mut Dice, dimension: Dimension) -> String {
    const BITS: [&str; 8] = [
        "nb.a",
        "!nb.a",
        "nb.k > 2",
        "nb.e == mid",
        "nb.a && nb.e != hi",
        "nb.u > 0.5",
        "nb.k > least",
        "nb.k % 3 == i32(m % 2)",
    ];
    const NUMBERS: [&str; 6] =
        ["nb.k", "nb.k * 70000 - 3", "i32(nb.b)", "if nb.a { 1 } else { -1 }", "nb.k + least", "nb.l"];
    let mut text = String::new();
    let names: Vec<String> = (0..2)
        .map(|number| {
            let (list, name) = neighbourhood(dice, dimension);
            text += &list.replace("some", &format!("some{number}"));
            name.replace("some", &format!("some{number}"))
        })
        .collect();
    let term = |dice: &mut Dice| {
        let (name, bit, number) = (&names[dice.below(2) as usize], dice.one_of(&BITS), dice.one_of(&NUMBERS));
        match dice.below(6) {
            0 | 1 => format!("count({name}, {bit})"),
            2 => format!("sum({name}, {number})"),
            3 => format!("i32(any({name}, {bit}))"),
            4 => format!("i32(all({name}, {bit}))"),
            _ => {
                format!("i32(sum({name}, {}))", dice.one_of(&["nb.b", "nb.b * u8(3)", "u16(nb.b) * u16(300)", "nb.a"]))
            }
        }
    };
    let guard = dice.one_of(&["", " when x % 3 != 1", " when step % 3 != 1", " when count(moore, nb.a) > 2"]);
    write!(
        text,
        "rule sums {{
    param least: i32 = 1
    state a: bit  state k: i32  state b: u8  state u: f32  state e: enum {{ lo, mid, hi }}
    init a = random(0.4)
    init k = i32(bits() % 7) - 2
    init b = u8(bits() % 256)
    init u = uniform()
    init e = if random(0.3) {{ mid }} else {{ hi }}
    global m = sum(k)
    let l = k * 5 + i32(m % 3)
    let p = {}
    step one {{ next a = (p % 3 == 1) != a  next k = k + {} + sum(von_neumann, nb.k) }}
    step two{guard} {{ next b = b + u8({})  next e = if p % 2 == 0 {{ lo }} else {{ e }}  next k = (k + {}) % 100 }}
    observe total = sum(k)
}}
",
        term(dice),
        term(dice),
        term(dice),
        term(dice)
    )
    .expect("a string takes all");
    text
}

/// A box, and a mask of its size, open or periodic along some axes, perhaps with something beyond its edges.
fn domain(dice: &mut Dice, dimension: Dimension) -> Arc<Fractal> {
    const WIDTHS: [u64; 12] = [1, 2, 3, 31, 33, 48, 63, 64, 65, 100, 127, 129];
    let width = WIDTHS[dice.below(12) as usize];
    let (height, depth) = match dimension {
        Dimension::Three => (dice.between(1, 9), dice.between(2, 9)),
        _ => (dice.between(1, 20), 1),
    };
    let size = if dimension == Dimension::Three {
        format!("({width}, {height}, {depth})")
    } else {
        format!("({width}, {height})")
    };
    let cells = dice.one_of(&["", "", "cells random(0.7) || x + y == 0", "cells random(0.1) || x + y == 0"]);
    let fractal = library(&format!("domain some {{ size {size} {cells} }}")).fractals.remove(0);
    let fractal = periodic(&fractal, Axes(std::array::from_fn(|axis| dice.below(3) == 0 && axis < dimension.axes())));
    let constants = ["a=true", "k=3", "b=200", "u=0.75", "e=mid", "l=-9"];
    let mirrored = ["a", "k", "b", "u", "e", "l"].map(|name| format!("{name}=reflect"));
    let kind = dice.below(4);
    let edges: Vec<String> = (0..6)
        .map(|state| {
            let mirrors = kind == 1 || kind == 2 && dice.below(2) == 0;
            if mirrors { mirrored[state].clone() } else { constants[state].to_owned() }
        })
        .collect();
    if kind == 3 || fractal.periodic == Axes::of(dimension) {
        return fractal;
    }
    with_flags(&fractal, &edges).expect("each is given once")
}

/// Compares a random rule on a random domain with the oracle, with running sums and without. Says how many sums were running ones.
fn agree(number: u64) -> Option<usize> {
    let dice = &mut Dice(mix(number + 77));
    let dimension = if number % 4 == 3 { Dimension::Three } else { Dimension::Two };
    let text = rule(dice, dimension);
    let sums = library(&text).rules.remove(0);
    // Many domains are too small for it.
    let admitted = |_| {
        let fractal = domain(dice, dimension);
        Case::admitted(&fractal, 1, &sums, number, &[1, 2]).map(|case| (fractal, case))
    };
    let (fractal, case) = (0..8).find_map(admitted)?;
    let expected = case.reference();
    let program = Program::of(&case.rule, &Target::cpu(1).in_turns()).expect("it has kernels");
    for off in [Off::none(), Off::none().with(Speciality::RunningSums)] {
        let builder = case.builder().backend(Backend::Cpu).threads(1 + number as usize % 2);
        // Without them kernels are long.
        if off != Off::none() && !number.is_multiple_of(8) {
            continue;
        }
        let built = builder.without(off).build().unwrap_or_else(|error| panic!("{error}\n{text}"));
        let edges = &fractal.edges;
        let agrees = case.sights(built).expect("it runs") == expected;
        assert!(
            agrees,
            "number {number}, without {off}, {} of {:?}, {edges:?}\n{text}",
            fractal.name,
            case.domain().extent()
        );
    }
    Some(program.rule.sums.len())
}

#[test]
fn random_sums_over_many_neighbours_agree() {
    let count = if all_cases() { 1000 } else { 40 };
    let numbers: Vec<u64> = (0..count).collect();
    let found = in_parallel(&numbers, |number| agree(*number));
    let (tried, sums) = (found.iter().flatten().count() as u64, found.iter().flatten().sum::<usize>() as u64);
    println!("{sums} sums in {tried} of {count} cases");
    assert!(3 * tried > count && sums > tried, "{sums} sums in {tried} of {count} cases");
}

#[test]
fn shipped_masks_take_running_sums() {
    let text = "rule wide { state a: bit  init a = random(0.4)  next a = count(moore(8), nb.a) in 90..=140 }";
    let wide = library(text).rules.remove(0);
    for (number, mask) in (0..).zip(masks().iter().filter(|mask| mask.dimension == Dimension::Two)) {
        let Some(case) = Case::admitted(mask, 1, &wide, number, &[1, 3]) else { continue };
        assert_eq!(case.by_simulation(Backend::Cpu, 2).expect("it runs"), case.reference(), "{}", mask.name);
    }
}

/// Rules of numbers that are made of a few bits.
const FEW_BITS: &str = "
const born: [i32] = [0, 0, 1, 2, 0, 1, 0, 2, 1]
rule ballot { state a: bit  init a = random(0.5)  next a = 2 * (count(moore, nb.a) + i32(a)) > degree(moore) + 1 }
rule parity { state a: bit  init a = random(0.5)  next a = (count(moore, nb.a) + i32(a)) % 2 == 1 }
rule spins { state a: bit  init a = random(0.5)  let s = sum(von_neumann, if nb.a { 1 } else { -1 }) + if a { 1 } else { -1 }  next a = if a { s >= -1 } else { -s < abs(s) } }
rule weights { state a: bit  init a = random(0.5)  next a = sum(moore, i32(nb.a) * (dx * dx + 2 * dy * dy)) in 4..=7 }
rule table { state a: bit  init a = random(0.5)  next a = born[count(moore, nb.a)] == 1 + i32(a) }
rule bytes { state a: bit  init a = random(0.5)  next a = u8(count(moore, nb.a)) * u8(90) > u8(100) - u8(a) }
rule both { state a: bit  init a = random(0.5)  next a = count(von_neumann, nb.a) > count(moore, !nb.a) - 3 }
rule cycle { state e: enum { p, q, r, s }  init e = if random(0.5) { p } else if random(0.5) { q } else { s }
    let n = sum(moore, i32(nb.e)) let k = (i32(e) + n) % 5
    next e = match k { 0 => p, 1 | 4 => q, 2 => r, _ => s } }
rule elementary { state a: bit  init a = random(0.5)  param mirrored: bit = true
    let l = a[-1, 0] else false  let r = a[1, 0] else false
    next a = 110 >> (4 * i32(if mirrored { l } else { r }) + 2 * i32(a) + i32(if mirrored { r } else { l })) & 1 == 1 }
";

#[test]
fn numbers_of_few_bits_agree() {
    let rules = library(FEW_BITS).rules;
    let triangle = library("fractal some { scale 2  replicas { 0: (0, 0)  1: (0, 1)  2: (1, 1) } }").fractals.remove(0);
    let domains: Vec<(Arc<Fractal>, u32)> = masks().into_iter().map(|mask| (mask, 1)).chain([(triangle, 5)]).collect();
    let chosen = |turn: usize, number: usize| all_cases() || (turn + number).is_multiple_of(6);
    let all: Vec<_> = domains
        .iter()
        .enumerate()
        .flat_map(|(turn, domain)| {
            rules
                .iter()
                .enumerate()
                .filter(move |(number, _)| chosen(turn, *number))
                .map(move |(_, rule)| (domain, rule))
        })
        .collect();
    let of_bits = in_parallel(&all, |((fractal, level), rule)| {
        let case = Case::admitted(fractal, *level, rule, 5, &[1, 3])?;
        assert_eq!(
            case.by_simulation(Backend::Cpu, 2).expect("it runs"),
            case.reference(),
            "{} on {}",
            rule.name,
            fractal.name
        );
        let program = Program::of(&case.rule, &Target::cpu(1)).expect("it has kernels");
        Some(program.steps.iter().all(|kernel| kernel.bodies().iter().all(|body| body.interface().bitwise)))
    });
    let of_bits: Vec<bool> = of_bits.into_iter().flatten().collect();
    assert!(of_bits.len() > 20 && of_bits.iter().all(|of_bits| *of_bits), "{of_bits:?}");
}
