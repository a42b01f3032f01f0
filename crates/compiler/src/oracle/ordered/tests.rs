//! Ordered steps against loops that are written here, over programs by chance: text, checker and oracle on the one side, a tree and maps on the other.

use crate::geometry::Domain;
use crate::ir::{StateId, Value};
use crate::numbers::philox;
use crate::oracle::Oracle;
use crate::samples::library;
use crate::text::source::Sources;
use crate::text::syntax;
use squeeze_testing::ordered::{Chance, OrderedNumber, OrderedProgram, RandomOrder, given};
use std::collections::BTreeMap;
use std::sync::Arc;

type Place = [i64; 3];

/// A grid of cells and their values.
struct Grid<'a> {
    domain: &'a Domain,
    reflects: bool,
    cells: BTreeMap<Place, u64>,
    values: Vec<BTreeMap<Place, i32>>,
    near: BTreeMap<Place, i32>,
}

impl Grid<'_> {
    /// The place of a neighbour, if it exists.
    fn there(&self, place: Place, offset: [i32; 3]) -> Option<Place> {
        let mut there = [0, 1, 2].map(|axis| place[axis] + i64::from(offset[axis]));
        let (extent, axes) = (self.domain.extent(), self.domain.dimension().axes());
        for (axis, v) in there.iter_mut().enumerate().take(axes) {
            let side = extent[axis] as i64;
            if self.domain.periodic().0[axis] {
                *v = v.rem_euclid(side);
            } else if self.reflects && *v < 0 {
                *v = -1 - *v;
            } else if self.reflects && *v >= side {
                *v = 2 * side - 1 - *v;
            }
        }
        self.cells.contains_key(&there).then_some(there)
    }

    fn around(&self, place: Place, neighbourhood: &str) -> Vec<([i32; 3], Place)> {
        let axes = self.domain.dimension().axes();
        let along = |axis: usize| if axis < axes { -2..=2 } else { 0..=0 };
        let mut found = Vec::new();
        for dz in along(2) {
            for dy in along(1) {
                for dx in along(0) {
                    let (far, all) =
                        ([dx, dy, dz].map(i32::abs).into_iter().max().unwrap_or(0), dx.abs() + dy.abs() + dz.abs());
                    let is_in = match neighbourhood {
                        "moore" => far == 1,
                        "von_neumann" => all == 1,
                        _ => all == 1 || all == 2,
                    };
                    let there = self.there(place, [dx, dy, dz]).filter(|_| is_in);
                    found.extend(there.map(|there| ([dx, dy, dz], there)));
                }
            }
        }
        found
    }

    /// The value of an expression, whose draws have these numbers.
    fn value(&self, number: &OrderedNumber, place: Place, seed: u64, time: u32, draws: &mut dyn FnMut() -> u32) -> i32 {
        let mut value = |inner: &OrderedNumber| self.value(inner, place, seed, time, draws);
        match number {
            OrderedNumber::Constant(value) => *value,
            OrderedNumber::Own(state) => self.values[*state][&place],
            OrderedNumber::Coordinate(axis) => place[*axis] as i32,
            OrderedNumber::Read(state, offset) => {
                self.there(place, *offset).map_or(1, |there| self.values[*state][&there])
            }
            OrderedNumber::Given => given(place[0]),
            OrderedNumber::GivenAt(offset) => self.there(place, *offset).map_or(7, |there| given(there[0])),
            OrderedNumber::Near(offset) => self.there(place, *offset).map_or(4, |there| self.near[&there]),
            OrderedNumber::Sum(state, around) => {
                let around = self.around(place, around).into_iter();
                around.fold(0, |sum, ([dx, ..], there)| sum.wrapping_add(self.values[*state][&there].wrapping_add(dx)))
            }
            OrderedNumber::Least(state, around) => {
                let around = self.around(place, around).into_iter();
                around.map(|(_, there)| self.values[*state][&there]).min().unwrap_or(5)
            }
            OrderedNumber::Draw => (philox::draw(seed, self.cells[&place], time, draws()) & 15) as i32,
            OrderedNumber::Add(a, b) => {
                let a = value(a);
                a.wrapping_add(value(b))
            }
            OrderedNumber::Larger(a, b) => {
                let a = value(a);
                a.max(value(b))
            }
            OrderedNumber::If(a, b, c) => {
                // All sides are computed, and draw.
                let (a, b, c) = (value(a), value(b), value(c));
                if a > 0 { b } else { c }
            }
        }
    }

    /// One time step.
    fn step(&mut self, program: &OrderedProgram, seed: u64, time: u32) {
        let (still, mut free) = (program.states.len(), 0);
        let calm =
            self.cells.keys().map(|place| (*place, self.values[still][place].wrapping_add(self.values[0][place])));
        self.values[still] = calm.collect();
        let axes = self.domain.dimension().axes();
        for step in &program.steps {
            let orders: Vec<Vec<(usize, bool)>> = match &step.turns {
                RandomOrder::AtOnce => vec![Vec::new()],
                RandomOrder::Along(axes) => vec![axes.clone()],
                RandomOrder::All => (0..1 << axes)
                    .map(|signs: usize| (0..axes).map(|axis| (axis, signs >> axis & 1 == 1)).collect())
                    .collect(),
            };
            for order in orders {
                let (mut reads_near, mut own) = (false, 0);
                for (_, number) in &step.next {
                    number.visit(&mut |inner| match inner {
                        OrderedNumber::Near(_) => reads_near = true,
                        OrderedNumber::Draw => own += 1,
                        _ => {}
                    });
                }
                if reads_near {
                    self.near = self
                        .cells
                        .iter()
                        .map(|(place, q)| (*place, self.near_at(*place, *q, still, (seed, time, free))))
                        .collect();
                    free += 1;
                }
                let mut groups: BTreeMap<Vec<i64>, Vec<Place>> = BTreeMap::new();
                for place in self.cells.keys() {
                    let along = |(axis, back): &(usize, bool)| if *back { -place[*axis] } else { place[*axis] };
                    groups.entry(order.iter().rev().map(along).collect()).or_default().push(*place);
                }
                for group in groups.values() {
                    let mut new = Vec::new();
                    for place in group {
                        let none = &mut || unreachable!("guards do not draw");
                        let passes = |guard: &OrderedNumber| self.value(guard, *place, seed, time, none) > 0;
                        if !step.guard.as_ref().is_none_or(passes) {
                            continue;
                        }
                        let mut next = free;
                        let mut draws = || {
                            next += 1;
                            next - 1
                        };
                        for (state, number) in &step.next {
                            let value = self.value(number, *place, seed, time, &mut draws);
                            new.push((*state, *place, program.kept(*state, value)));
                        }
                    }
                    for (state, place, value) in new {
                        self.values[state].insert(place, value);
                    }
                }
                free += own;
            }
        }
    }

    fn near_at(&self, place: Place, q: u64, still: usize, (seed, time, draw): (u64, u32, u32)) -> i32 {
        let around = self.around(place, "von_neumann").into_iter().map(|(_, there)| self.values[still][&there]);
        let sum = around.fold(self.values[still][&place].wrapping_mul(3), i32::wrapping_add);
        sum.wrapping_add((philox::draw(seed, q, time, draw) & 15) as i32)
    }
}

const DOMAINS: &str = "
    domain sheet { size (5, 4) }
    domain row { size (7, 1) }
    domain column { size (1, 6) }
    domain torus { size (7, 5)  periodic }
    domain tube { size (6, 5)  periodic y }
    domain rock { size (6, 5)  cells (x * 3 + y * y) % 4 != 1 }
    domain carpet { fractal sierpinski_carpet }
    domain triangle { fractal sierpinski_triangle }
    fractal line { dimension 1  scale 3  pattern { \"#.#\" } }
    domain dust { fractal line }
    domain block { size (3, 4, 3) }
    domain ring { size (5, 5, 6)  periodic }
    domain tetra { fractal tetrix }";

#[test]
fn orders_are_what_plain_loops_compute() {
    let domains = library(DOMAINS).fractals;
    let mut chance = Chance(2);
    let (mut tried, mut changed) = (0, 0);
    for number in 0..240 {
        let fractal = &domains[number % domains.len()];
        let axes = fractal.dimension.axes();
        // A reflecting edge is asked of all that is read at neighbours.
        let reflects = number % 3 == 2 && !fractal.periodic.any();
        let program = OrderedProgram::by_chance(&mut chance, axes, !reflects);
        let text = program.text();
        let rule = library(&text).rules.remove(0);
        let mut sources = Sources::new();
        let id = sources.add("test", &text);
        let printed = syntax::format(&sources, id).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        assert_eq!(library(&printed).rules[0], rule, "{text}\n{printed}");
        let flags: Vec<String> = match reflects {
            true => (0..=program.states.len()).map(|state| format!("{}=reflect", program.name(state))).collect(),
            false => Vec::new(),
        };
        let fractal = crate::geometry::with_flags(fractal, &flags).expect("they are states");
        let level = if fractal.extent.is_some() { 1 } else { 2 };
        let domain = Domain::new(fractal, level).expect("it is small");
        let values = (0..domain.extent()[0] as i64).map(|x| Value::I32(given(x)));
        let rule = Arc::new(rule.with_input("a", values));
        let fitted = match domain.fit(&rule) {
            Ok(fitted) => fitted,
            // An edge cannot be mirrored farther than the side.
            Err(misfit) if reflects => {
                assert!(misfit.to_string().contains("reflect"), "{misfit}");
                continue;
            }
            Err(misfit) => panic!("{misfit}\n{text}"),
        };
        let seed = number as u64;
        let mut oracle = Oracle::new(domain.fractal(), level, Arc::clone(fitted.written()), seed, Vec::new(), 1 << 24)
            .expect("small");
        let places: Vec<Place> = (0..domain.cells()).map(|c| domain.lambda(c).map(|v| v as i64)).collect();
        let cells = places.iter().copied().zip((0..domain.cells()).map(|c| domain.draw_number(c))).collect();
        let first = |state: usize| {
            let of_place = |p: &Place| (*p, program.kept(state, (3 * p[0] - p[1] * state as i64 + 1) as i32));
            places.iter().map(of_place).collect()
        };
        let values: Vec<BTreeMap<Place, i32>> = (0..=program.states.len()).map(first).collect();
        let mut grid = Grid { domain: &domain, reflects, cells, values, near: BTreeMap::new() };
        for time in 1..=3 {
            let before = oracle.digest(StateId(0));
            oracle.step().expect("time is left");
            grid.step(&program, seed, time);
            changed += usize::from(oracle.digest(StateId(0)) != before);
            for (state, expected) in grid.values.iter().enumerate() {
                let found: Vec<f64> = oracle.values(StateId(state as u16)).map(|value| value.as_f64()).collect();
                let expected: Vec<f64> = places.iter().map(|place| f64::from(expected[place])).collect();
                assert_eq!(found, expected, "{} at time {time}, state {state}\n{text}", domain.fractal().name);
            }
        }
        tried += 1;
    }
    assert!(tried > 200 && changed > 2 * tried, "{tried} programs, {changed} changes");
}

/// The last line of a rolling state is that of a state that keeps all, and observables combine its cells alone.
#[test]
fn rolling_states_keep_the_last_line() {
    let rule = |rolling: &str, order: &str, last: &str, [dx, dy]: [i32; 2]| {
        format!(
            "rule r {{
                state l: i32{rolling}
                state seen: i32
                init seen = x * y
                step s from {order} {{
                    next l = (l[{dx}, 0] else x) + 2 * (l[0, {dy}] else 1) + (i32(bits()) & 3)
                    next seen = seen + (l[{dx}, {dy}] else 3)
                }}
                observe all = [sum({last} {{ l }} else {{ 0 }}), count({last} {{ l > seen }} else {{ false }})]
                observe least = min({last} {{ l }} else {{ 2147483647 }})
                observe most = max({last} {{ f64(l) }} else {{ -1.0e300 }})
                observe mean = f64(sum({last} {{ l }} else {{ 0 }})) / f64(count({last} {{ true }} else {{ false }}))
            }}"
        )
    };
    let domains = library(
        "domain box { size (7, 5) }
         domain holes { size (9, 6)  cells (x * 3 + y) % 4 != 2 }
         domain carpet { fractal sierpinski_carpet }",
    );
    let orders = [("(+x, +y)", 1, false), ("(-x, -y)", 1, true), ("(+y, -x)", 0, true), ("(-y, +x)", 0, false)];
    for fractal in &domains.fractals {
        for (order, axis, backwards) in orders {
            let back = |of: char| if order.contains(&format!("-{of}")) { 1 } else { -1 };
            let (name, side) = [("x", "width"), ("y", "height")][axis];
            let last = format!("if {name} == {}", if backwards { "0".to_owned() } else { format!("{side} - 1") });
            let mut oracles = ["", " rolling"].map(|rolling| {
                // With a state that is rolling the condition is there already.
                let last = if rolling.is_empty() { &last } else { "if true" };
                let text = rule(rolling, order, last, [back('x'), back('y')]);
                let text = if rolling.is_empty() {
                    text
                } else {
                    text.replace(
                        "f64(sum(if true { l } else { 0 })) / f64(count(if true { true } else { false }))",
                        "mean(l)",
                    )
                };
                let library = library(&text);
                let level = if fractal.extent.is_some() { 1 } else { 2 };
                Oracle::new(fractal, level, Arc::clone(&library.rules[0]), 3, Vec::new(), 1 << 20).expect("an oracle")
            });
            for _ in 0..2 {
                oracles.iter_mut().for_each(|oracle| oracle.step().expect("a step"));
                let [all, rolling] = &oracles;
                assert_eq!(all.observe().expect("numbers"), rolling.observe().expect("numbers"), "{order}");
                assert!(all.values(StateId(1)).eq(rolling.values(StateId(1))), "{order}");
                let mut digest = 0u64;
                for c in 0..all.cells() {
                    let place = all.coordinate(c)[axis];
                    let end = if fractal.name == "carpet" { 9 } else { fractal.extent.expect("a box")[axis] };
                    let is_last = place == if backwards { 0 } else { u64::from(end) - 1 };
                    let kept = if is_last { all.value(StateId(0), c) } else { Value::I32(0) };
                    assert_eq!(rolling.value(StateId(0), c), kept, "{order}");
                    if is_last {
                        digest = digest.wrapping_add(crate::numbers::digest::term(c, kept.bits()));
                    }
                }
                assert_eq!(rolling.digest(StateId(0)), digest, "{order}");
            }
        }
    }
}
