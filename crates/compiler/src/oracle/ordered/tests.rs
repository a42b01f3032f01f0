//! Ordered steps against loops that are written here, over programs by chance: text, checker and oracle on the one side, a tree and maps on the other.

use crate::check::{Library, NoFiles, check};
use crate::geometry::Domain;
use crate::ir::{StateId, Value};
use crate::numbers::philox;
use crate::oracle::Oracle;
use crate::text::source::Sources;
use crate::text::syntax;
use std::collections::BTreeMap;
use std::sync::Arc;

type Place = [i64; 3];

/// Whole numbers by chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn within(&mut self, reach: i32) -> i32 {
        self.below(2 * reach as usize + 1) as i32 - reach
    }
}

/// An expression of whole numbers. `near` is a let of the rule that is read at neighbours.
#[derive(Clone, Debug)]
enum Number {
    Constant(i32),
    Own(usize),
    Coordinate(usize),
    Read(usize, [i32; 3]),
    Near([i32; 3]),
    Sum(usize, &'static str),
    Least(usize, &'static str),
    Draw,
    Add(Box<Number>, Box<Number>),
    Larger(Box<Number>, Box<Number>),
    If(Box<Number>, Box<Number>, Box<Number>),
}

/// The order of a step.
#[derive(Clone, Debug)]
enum Turns {
    AtOnce,
    All,
    Along(Vec<(usize, bool)>),
}

/// A step, which gives some of the states new values.
#[derive(Clone, Debug)]
struct Written {
    turns: Turns,
    guard: Option<Number>,
    next: Vec<(usize, Number)>,
}

/// States are `s0`, `s1`, … and `still`, which no ordered step sets.
struct Program {
    axes: usize,
    states: usize,
    steps: Vec<Written>,
}

impl Program {
    fn by_chance(chance: &mut Chance, axes: usize, fields: bool) -> Program {
        let states = 1 + chance.below(2);
        let mut program = Program { axes, states, steps: Vec::new() };
        for _ in 0..1 + chance.below(3) {
            let turns = match chance.below(5) {
                0 => Turns::All,
                1 => Turns::AtOnce,
                _ => {
                    let mut along: Vec<(usize, bool)> = Vec::new();
                    for _ in 0..1 + chance.below(axes) {
                        let axis = chance.below(axes);
                        if !along.iter().any(|(known, _)| *known == axis) {
                            along.push((axis, chance.below(2) == 1));
                        }
                    }
                    Turns::Along(along)
                }
            };
            let guard = (chance.below(3) == 0).then(|| program.number(chance, 2, (false, false)));
            let mut next = Vec::new();
            for state in 0..states {
                if next.is_empty() || chance.below(2) == 1 {
                    next.push((state, program.number(chance, 3, (true, fields))));
                }
            }
            program.steps.push(Written { turns, guard, next });
        }
        program
    }

    fn number(&self, chance: &mut Chance, depth: usize, (draws, fields): (bool, bool)) -> Number {
        let any = chance.below(self.states + 1);
        let offset = |chance: &mut Chance| {
            let mut offset = [0; 3];
            offset[..self.axes].fill_with(|| chance.within(2));
            offset
        };
        let around = ["von_neumann", "moore", "von_neumann(2)"][chance.below(3)];
        let inner = |chance: &mut Chance| Box::new(self.number(chance, depth - 1, (draws, fields)));
        match chance.below(if depth > 0 { 12 } else { 8 }) {
            0 => Number::Constant(chance.within(9)),
            1 => Number::Own(any),
            2 => Number::Coordinate(chance.below(self.axes)),
            3 => Number::Sum(any, around),
            4 => Number::Least(any, around),
            5 if draws => Number::Draw,
            6 if fields => Number::Near(offset(chance)),
            5..=7 => Number::Read(any, offset(chance)),
            8 | 9 => Number::Add(inner(chance), inner(chance)),
            10 => Number::Larger(inner(chance), inner(chance)),
            _ => Number::If(inner(chance), inner(chance), inner(chance)),
        }
    }

    fn name(&self, state: usize) -> String {
        if state == self.states { "still".to_owned() } else { format!("s{state}") }
    }

    fn write(&self, number: &Number) -> String {
        let at = |offset: &[i32; 3]| {
            let offset: Vec<String> = offset[..self.axes.max(2)].iter().map(i32::to_string).collect();
            offset.join(", ")
        };
        match number {
            Number::Constant(value) => format!("({value})"),
            Number::Own(state) => self.name(*state),
            Number::Coordinate(axis) => ["x", "y", "z"][*axis].to_owned(),
            Number::Read(state, offset) => format!("({}[{}] else 3)", self.name(*state), at(offset)),
            Number::Near(offset) => format!("(near[{}] else 4)", at(offset)),
            Number::Sum(state, around) => format!("sum({around}, nb.{} + dx)", self.name(*state)),
            Number::Least(state, around) => format!("(min({around}, nb.{}) else 5)", self.name(*state)),
            Number::Draw => "(i32(bits()) & 15)".to_owned(),
            Number::Add(a, b) => format!("({} + {})", self.write(a), self.write(b)),
            Number::Larger(a, b) => format!("max({}, {})", self.write(a), self.write(b)),
            Number::If(a, b, c) => {
                format!("(if {} > 0 {{ {} }} else {{ {} }})", self.write(a), self.write(b), self.write(c))
            }
        }
    }

    fn text(&self) -> String {
        let mut text = "rule r {\n".to_owned();
        for state in 0..=self.states {
            let name = self.name(state);
            text += &format!("    state {name}: i32\n    init {name} = 3 * x - y * {state} + 1\n");
        }
        text += "    let near = still * 3 + sum(von_neumann, nb.still) + (i32(bits()) & 15)\n";
        text += "    step calm { next still = still + s0 }\n";
        for (index, step) in self.steps.iter().enumerate() {
            text += &format!("    step t{index} ");
            match &step.turns {
                Turns::AtOnce => {}
                Turns::All => text += "from all ",
                Turns::Along(axes) => {
                    let name = |(axis, back): &(usize, bool)| {
                        format!("{}{}", if *back { "-" } else { "+" }, ["x", "y", "z"][*axis])
                    };
                    let axes: Vec<String> = axes.iter().map(name).collect();
                    text += &format!("from ({}) ", axes.join(", "));
                }
            }
            if let Some(guard) = &step.guard {
                text += &format!("when {} > 0 ", self.write(guard));
            }
            text += "{\n";
            for (state, number) in &step.next {
                text += &format!("        next {} = {}\n", self.name(*state), self.write(number));
            }
            text += "    }\n";
        }
        text + "}\n"
    }
}

impl Number {
    fn visit(&self, see: &mut dyn FnMut(&Number)) {
        see(self);
        match self {
            Number::Add(a, b) | Number::Larger(a, b) => [a, b].iter().for_each(|inner| inner.visit(see)),
            Number::If(a, b, c) => [a, b, c].iter().for_each(|inner| inner.visit(see)),
            _ => {}
        }
    }
}

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
    fn value(&self, number: &Number, place: Place, seed: u64, time: u32, draws: &mut dyn FnMut() -> u32) -> i32 {
        let mut value = |inner: &Number| self.value(inner, place, seed, time, draws);
        match number {
            Number::Constant(value) => *value,
            Number::Own(state) => self.values[*state][&place],
            Number::Coordinate(axis) => place[*axis] as i32,
            Number::Read(state, offset) => self.there(place, *offset).map_or(3, |there| self.values[*state][&there]),
            Number::Near(offset) => self.there(place, *offset).map_or(4, |there| self.near[&there]),
            Number::Sum(state, around) => {
                let around = self.around(place, around).into_iter();
                around.fold(0, |sum, ([dx, ..], there)| sum.wrapping_add(self.values[*state][&there].wrapping_add(dx)))
            }
            Number::Least(state, around) => {
                let around = self.around(place, around).into_iter();
                around.map(|(_, there)| self.values[*state][&there]).min().unwrap_or(5)
            }
            Number::Draw => (philox::draw(seed, self.cells[&place], time, draws()) & 15) as i32,
            Number::Add(a, b) => {
                let a = value(a);
                a.wrapping_add(value(b))
            }
            Number::Larger(a, b) => {
                let a = value(a);
                a.max(value(b))
            }
            Number::If(a, b, c) => {
                // All sides are computed, and draw.
                let (a, b, c) = (value(a), value(b), value(c));
                if a > 0 { b } else { c }
            }
        }
    }

    /// One time step.
    fn step(&mut self, program: &Program, seed: u64, time: u32) {
        let (still, mut free) = (program.states, 0);
        let calm =
            self.cells.keys().map(|place| (*place, self.values[still][place].wrapping_add(self.values[0][place])));
        self.values[still] = calm.collect();
        let axes = self.domain.dimension().axes();
        for step in &program.steps {
            let orders: Vec<Vec<(usize, bool)>> = match &step.turns {
                Turns::AtOnce => vec![Vec::new()],
                Turns::Along(axes) => vec![axes.clone()],
                Turns::All => (0..1 << axes)
                    .map(|signs: usize| (0..axes).map(|axis| (axis, signs >> axis & 1 == 1)).collect())
                    .collect(),
            };
            for order in orders {
                let (mut reads_near, mut own) = (false, 0);
                for (_, number) in &step.next {
                    number.visit(&mut |inner| match inner {
                        Number::Near(_) => reads_near = true,
                        Number::Draw => own += 1,
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
                        let passes = |guard: &Number| self.value(guard, *place, seed, time, none) > 0;
                        if !step.guard.as_ref().is_none_or(passes) {
                            continue;
                        }
                        let mut next = free;
                        let mut draws = || {
                            next += 1;
                            next - 1
                        };
                        for (state, number) in &step.next {
                            new.push((*state, *place, self.value(number, *place, seed, time, &mut draws)));
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

fn library(text: &str) -> Library {
    let mut sources = Sources::new();
    let root = sources.add("test", text);
    check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
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
        let program = Program::by_chance(&mut chance, axes, !reflects);
        let text = program.text();
        let rule = library(&text).rules.remove(0);
        let mut sources = Sources::new();
        let id = sources.add("test", &text);
        let printed = syntax::format(&sources, id).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        assert_eq!(library(&printed).rules[0], rule, "{text}\n{printed}");
        let flags: Vec<String> = match reflects {
            true => (0..=program.states).map(|state| format!("{}=reflect", program.name(state))).collect(),
            false => Vec::new(),
        };
        let fractal = crate::geometry::with_flags(fractal, &flags).expect("they are states");
        let level = if fractal.extent.is_some() { 1 } else { 2 };
        let domain = Domain::new(fractal, level).expect("it is small");
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
        let cells = places.iter().copied().zip((0..domain.cells()).map(|c| domain.reversed(c))).collect();
        let first = |state: usize| places.iter().map(|p| (*p, (3 * p[0] - p[1] * state as i64 + 1) as i32)).collect();
        let values: Vec<BTreeMap<Place, i32>> = (0..=program.states).map(first).collect();
        let mut grid = Grid { domain: &domain, reflects, cells, values, near: BTreeMap::new() };
        for time in 1..=3 {
            let before = oracle.digest(StateId(0));
            oracle.step().expect("time is left");
            grid.step(&program, seed, time);
            changed += usize::from(oracle.digest(StateId(0)) != before);
            for (state, expected) in grid.values.iter().enumerate() {
                let found: Vec<Value> = oracle.values(StateId(state as u16)).collect();
                let expected: Vec<Value> = places.iter().map(|place| Value::I32(expected[place])).collect();
                assert_eq!(found, expected, "{} at time {time}, state {state}\n{text}", domain.fractal().name);
            }
        }
        tried += 1;
    }
    assert!(tried > 200 && changed > 2 * tried, "{tried} programs, {changed} changes");
}
