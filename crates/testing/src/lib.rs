//! Tools that the tests of all crates share: counts that may only grow, where nvcc is, and random texts of fractals and rules. Every construct, operator,
//! function and type of the language occurs in them.
//!
//! A list of numbers decides every choice, and where the list ends the simplest choice is taken; so a failing program
//! shrinks with its list, in plain steps, to a short text.

mod bonds;
mod constructs;
pub mod counts;
mod expression;
pub mod ordered;
pub mod vectors;

/// A library in C that a program is started with (`LD_PRELOAD`), and that sets the mode of floats to the number in the variable `MODE`. Libraries built with
/// `-ffast-math` do the like.
pub const SETS_MODE: &str = r#"
#include <stdlib.h>
#include <xmmintrin.h>
__attribute__((constructor)) static void set(void) { _mm_setcsr(strtoul(getenv("MODE"), 0, 0)); }
"#;

use std::fmt::Write;
use std::process::Command;

/// nvcc where it is on the path or where `cargo xtask test` unpacks it; under CI it is required.
pub fn nvcc() -> Option<&'static str> {
    let unpacked = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/nvcc/nvidia/cu13/bin/nvcc");
    let runs = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|done| done.status.success());
    let found = ["nvcc", unpacked].into_iter().find(|nvcc| runs(nvcc));
    let required = std::env::var("CI").as_deref() == Ok("true") && runs("c++");
    assert!(found.is_some() || !required, "under CI nvcc is required: `cargo xtask test` fetches it");
    if found.is_none() {
        println!("SKIPPED: there is no nvcc");
    }
    found
}

/// Whether all cases are asked for, as by night: by day they cover pairs of what a case is made of.
pub fn all_cases() -> bool {
    std::env::var_os("SQUEEZE_ALL_CASES").is_some()
}

/// Whether the case of this number is tried: one in so many by day, all by night.
pub fn is_chosen(number: usize, one_in: usize) -> bool {
    all_cases() || number.is_multiple_of(one_in)
}

/// A program and how to run it.
#[derive(Clone)]
pub struct RandomProgram {
    /// Its definitions; the last fractal and the last rule are meant.
    pub text: String,
    /// The number of the level, among those that are affordable, from 0 on.
    pub level: u32,
    /// Says which of the layouts are taken.
    pub layouts: u64,
    /// The seed of its draws.
    pub seed: u64,
}

/// The text that a failing test shows.
impl std::fmt::Debug for RandomProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "level {}, layouts {}, seed {}\n{}", self.level, self.layouts, self.seed, self.text)
    }
}

/// The kind of program that is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProgramKind {
    /// 2 or 3.
    pub dimension: u32,
    /// Only bits and enums, so that kernels hold no numbers, or few.
    pub bits: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Bit,
    U8,
    U16,
    I32,
    U32,
    I64,
    F32,
    F64,
    /// One of [`ENUMS`].
    Enum(usize),
}

const ENUMS: [&[&str]; 2] = [&["red", "green", "blue"], &["north", "east", "south", "west", "up"]];
const NUMBERS: [Ty; 7] = [Ty::I32, Ty::F32, Ty::U8, Ty::U32, Ty::F64, Ty::U16, Ty::I64];
const INTEGERS: [Ty; 5] = [Ty::I32, Ty::U8, Ty::U32, Ty::U16, Ty::I64];
const TYPES: [Ty; 10] =
    [Ty::Bit, Ty::I32, Ty::F32, Ty::U8, Ty::Enum(0), Ty::U32, Ty::F64, Ty::Enum(1), Ty::U16, Ty::I64];

impl Ty {
    fn text(self) -> String {
        match self {
            Ty::Enum(i) => format!("enum {{ {} }}", ENUMS[i].join(", ")),
            ty => format!("{ty:?}").to_lowercase(),
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpressionSite {
    Init,
    Let,
    Next,
    Guard,
    Term,
    Observe,
}

#[derive(Default)]
struct ProgramWriter<'a> {
    choices: std::slice::Iter<'a, u16>,
    kind: ProgramKind,
    states: Vec<Ty>,
    params: Vec<Ty>,
    lets: Vec<Ty>,
    /// Which lets draw; the first ones are the rule's, which can be read at neighbours.
    let_draws: Vec<bool>,
    rule_lets: usize,
    /// How often lets may still be read at neighbours: kernels grow with each.
    field_reads: u32,
    /// The term may read lets at neighbours: these are few, or the rule draws.
    few: bool,
    /// The globals, and whether expressions being written can use them.
    globals: Vec<Ty>,
    no_globals: bool,
    /// The expressions being written cannot use lets that draw.
    still: bool,
    /// Names of the blocks around, and how many there have been.
    locals: Vec<(String, Ty)>,
    blocks: usize,
    neighbourhoods: Vec<(String, u32)>,
    /// The rule draws in its steps.
    draws: bool,
    /// Neighbours that may still be looked at: kernels grow with them.
    neighbours: u32,
    /// Results are flushed: floats stay near the least normal numbers then.
    flush: bool,
    /// The number of the program's layouts, which decides what takes no choice of its own.
    layouts: usize,
    /// Its bonds.
    pairs: Option<bonds::Bonds>,
    /// Whether there are bonds, and clusters of them, wherever there may be bonds.
    clusters: bool,
    /// The dimension of the fractals: lines now and then where it may be two.
    axes: usize,
}

/// More choices than all but the longest programs take.
pub const CHOICES: usize = 600;

/// A list of choices, by chance (SplitMix64): the same for the same number everywhere.
pub fn choices(number: u64) -> Vec<u16> {
    let mut state = number.wrapping_mul(0xD134_2543_DE82_EF95);
    let mut word = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    };
    // Short lists make short programs.
    let length = word() % CHOICES as u64;
    (0..length).map(|_| (word() >> 48) as u16).collect()
}

/// The same program with its widest neighbourhoods wider: hundreds of neighbours, which lie far away.
pub fn widened(program: RandomProgram) -> RandomProgram {
    let wider = [("moore(3)", "moore(6)"), ("von_neumann(3)", "von_neumann(8)"), ("von_neumann(2)", "von_neumann(4)")];
    let text = wider.iter().fold(program.text, |text, (narrow, wide)| text.replace(narrow, wide));
    RandomProgram { text, ..program }
}

/// The same program with a mask or a box behind its fractals, of some hundred places: by its number of layouts wide or narrow, dense or sparse, open or periodic.
pub fn masked(program: RandomProgram, dimension: u32) -> RandomProgram {
    let choice = program.layouts as usize;
    let of = |list: &[&'static str], turn: usize| list[choice / turn % list.len()];
    let size = match dimension {
        3 => of(&["(9, 8, 7)", "(33, 9, 5)", "(70, 5, 4)", "(1, 20, 30)", "(514, 3, 2)", "(1540, 4, 3)"], 1),
        _ => {
            of(&["(40, 31)", "(75, 20)", "(64, 16)", "(513, 4)", "(1, 300)", "(130, 11)", "(1057, 3)", "(1540, 7)"], 1)
        }
    };
    let full = "";
    let cells = of(
        &[
            "cells random(0.6)",
            full,
            "cells random(0.95)",
            "cells random(0.1)",
            "cells y % 3 != 1 && random(0.8)",
            "cells (x / 20 + y) % 2 == 0",
        ],
        8,
    );
    let periodic = of(&["", "periodic", "periodic x", "periodic y"], 48);
    let text = format!("{}domain masked {{ size {size}  {cells}  {periodic} }}\n", program.text);
    RandomProgram { text, ..program }
}

/// The program that a list of choices describes.
pub fn program(kind: ProgramKind, choices: &[u16]) -> RandomProgram {
    written(kind, choices, false)
}

/// The program that a list of choices describes, which has bonds and asks clusters of them: executors without clusters refuse it.
pub fn clustered(kind: ProgramKind, choices: &[u16]) -> RandomProgram {
    written(kind, choices, true)
}

fn written(kind: ProgramKind, choices: &[u16], clusters: bool) -> RandomProgram {
    let mut writer = ProgramWriter {
        choices: choices.iter(),
        kind,
        field_reads: 3,
        no_globals: true,
        neighbours: 60,
        axes: 2,
        clusters,
        ..ProgramWriter::default()
    };
    let (level, layouts, seed) = (writer.below(12), writer.below(65536), writer.below(1000));
    // It takes no choice of its own, so that the programs are the same without it.
    writer.flush = layouts % 7 < 2;
    writer.layouts = layouts;
    let (mut text, last) = writer.fractals();
    text += &writer.rule();
    text += &writer.domain(&text, last, layouts);
    RandomProgram { text, level: level as u32, layouts: layouts as u64, seed: seed as u64 * 0x1_0000_0001 }
}

impl ProgramWriter<'_> {
    /// In seven of ten programs a domain: the last fractal with periodic edges, with something beyond them, or both. It takes no choice of its own,
    /// so that the programs are the same without it.
    fn domain(&self, rule: &str, fractal: &str, layouts: usize) -> String {
        let last = if self.axes == 3 { " x, z" } else { " y" };
        let (periodic, edges) = match (layouts % 10, self.axes) {
            (0 | 1, _) => ("    periodic\n".to_owned(), String::new()),
            (2, _) | (3, 1) => ("    periodic x\n".to_owned(), String::new()),
            (3, _) => (format!("    periodic{last}\n"), String::new()),
            (4 | 5, _) | (6, 1) => (String::new(), self.edges(rule, layouts)),
            (6, _) => (format!("    periodic{last}\n"), self.edges(rule, layouts)),
            _ => return String::new(),
        };
        format!("domain edged {{\n    fractal {fractal}\n{periodic}{edges}}}\n")
    }

    /// The edges of all states and lets that may be read at neighbours.
    fn edges(&self, rule: &str, layouts: usize) -> String {
        let states = self.states.iter().enumerate().map(|(i, ty)| (format!("s{i}"), *ty));
        let lets = self.lets[..self.rule_lets].iter().enumerate().map(|(i, ty)| (format!("l{i}"), *ty));
        let read = lets.filter(|(name, _)| rule.contains(&format!("nb.{name}")) || rule.contains(&format!("{name}[")));
        let mut edges = String::new();
        // In some programs all is said of single sides: of one or more of them.
        let mask = 1 + layouts / 7 % ((1 << (2 * self.axes)) - 1);
        let sides = (0..2 * self.axes).filter(|side| mask >> side & 1 == 1);
        let sides: Vec<String> = match layouts % 10 == 5 && layouts / 10 % 2 == 1 {
            true => sides.map(|side| format!(" at {}{}", ["-", "+"][side % 2], ["x", "y", "z"][side / 2])).collect(),
            false => vec![String::new()],
        };
        let named = states.chain(read).enumerate();
        let named: Vec<_> =
            named.flat_map(|named| sides.iter().enumerate().map(move |side| (named.clone(), side))).collect();
        for ((number, (name, ty)), (side, at)) in named {
            let choice = (layouts / 10) >> (3 * number + side);
            let of = |list: &[&str]| list[choice / 2 % list.len()].to_owned();
            let value = match ty {
                _ if choice % 2 == 1 => "reflect".to_owned(),
                Ty::Bit => of(&["true", "false"]),
                Ty::Enum(i) => of(ENUMS[i]),
                Ty::U8 | Ty::U16 => of(&["0", "1", "255", "0x1f"]),
                Ty::U32 => of(&["0", "1", "4_000_000_000"]),
                Ty::I32 | Ty::I64 => of(&["0", "-1", "5", "-2147483648"]),
                Ty::F32 | Ty::F64 => of(&["0.0", "-0.0", "-1.5", "1e30"]),
            };
            writeln!(edges, "    edge {name} = {value}{at}").expect("text");
        }
        edges
    }

    /// A choice of 0 to n − 1.
    fn below(&mut self, n: usize) -> usize {
        self.choices.next().map_or(0, |choice| (usize::from(*choice) * n) >> 16)
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Fractals, and the name of the last.
    fn fractals(&mut self) -> (String, &'static str) {
        let (mut text, count) = (String::new(), 1 + self.below(3));
        let line = self.kind.dimension == 2 && self.below(10) == 0;
        self.axes = if line { 1 } else { self.kind.dimension as usize };
        for i in 0..count {
            text += &self.fractal(i);
        }
        let names: Vec<String> = (0..count).map(|i| format!("f{i}")).collect();
        match count {
            1 => {}
            2 => writeln!(text, "fractal mixed {{ levels [{}] }}", names.join(", ")).expect("text"),
            _ => writeln!(text, "/// Nested.\nfractal mixed {{ levels [f0, [f1, f2], f0] }}").expect("text"),
        }
        (text, if count == 1 { "f0" } else { "mixed" })
    }

    /// A pattern, as a list of replicas or as a picture.
    fn fractal(&mut self, number: usize) -> String {
        let axes = self.axes;
        let scale = [2, 3, 4, 2, 3, 5][self.below(if axes == 3 { 3 } else { 6 })];
        let mut sides = [1; 3];
        sides[..axes].fill(scale);
        let mut written = scale.to_string();
        // Now and then a scale for each axis.
        if axes > 1 && self.below(4) == 0 {
            sides[1] = 1 + self.below(3);
            let numbers: Vec<String> = sides[..axes].iter().map(usize::to_string).collect();
            written = format!("({})", numbers.join(", "));
        }
        let [width, height, depth] = sides;
        let places = width * height * depth;
        // Seldom all of them, and not too many in space.
        let k = if self.below(8) == 7 { places } else { 2 + self.below(places.min(14) - 1) }.min(27);
        let mut free: Vec<usize> = (0..places).collect();
        let mut replicas = Vec::new();
        for _ in 0..k {
            let at = self.below(free.len());
            replicas.push(free.remove(at));
        }
        let body = match self.below(4) {
            0 | 1 => {
                let place = |(replica, place): (usize, &usize)| {
                    let place = [place % width, place / width % height, place / width / height];
                    let place: Vec<String> = place[..axes].iter().map(usize::to_string).collect();
                    format!(" {replica}: ({})", place.join(", "))
                };
                format!("replicas {{{} }}", replicas.iter().enumerate().map(place).collect::<String>())
            }
            form => self.picture(sides, &replicas, form == 3),
        };
        let dimension = if axes != 2 || self.below(2) == 0 { format!("    dimension {axes}\n") } else { String::new() };
        format!("fractal f{number} {{\n{dimension}    scale {written}\n    {body}\n}}\n")
    }

    /// A picture of replicas, which are numbered in it or else stand in reading order.
    fn picture(&mut self, [width, height, depth]: [usize; 3], replicas: &[usize], numbered: bool) -> String {
        const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let quoted = self.below(2) == 1;
        let places = width * height * depth;
        let row = |first: usize| {
            let mark = |place| match replicas.iter().position(|replica| *replica == place) {
                Some(replica) if numbered => char::from(DIGITS[replica]),
                Some(_) => '#',
                None => '.',
            };
            let row: String = (first..first + width).map(mark).collect();
            if quoted { format!("{row:?}") } else { row }
        };
        let plane = |first: usize| {
            (first..first + width * height).step_by(width).map(row).collect::<Vec<String>>().join("\n        ")
        };
        let planes: Vec<String> = (0..places).step_by(width * height).map(plane).collect();
        format!("pattern {{\n        {}\n    }}", planes.join("\n        ---\n        "))
    }

    /// The types of values, once the states are known: variants of an enum are in scope if a state has its type.
    fn types(&self) -> Vec<Ty> {
        let numbers = TYPES.into_iter().filter(|ty| !self.kind.bits && !matches!(ty, Ty::Bit | Ty::Enum(_)));
        let enums = (0..ENUMS.len()).map(Ty::Enum).filter(|ty| self.states.contains(ty));
        [Ty::Bit].into_iter().chain(numbers).chain(enums).collect()
    }

    fn any_type(&mut self) -> Ty {
        let types = self.types();
        self.one_of(&types)
    }

    fn rule(&mut self) -> String {
        let mut text = self.constructs();
        text += &self.neighbourhoods();
        self.draws = self.below(3) == 2;
        self.field_reads = if self.draws || self.kind.dimension == 2 { 3 } else { 1 };
        text += if self.below(4) == 3 { "/// By chance; `(`.\nrule chance { // {\n" } else { "rule chance {\n" };
        if self.flush {
            text += "    flush\n";
        }
        for i in 0..1 + self.below(3) {
            let ty =
                if self.kind.bits { self.one_of(&[Ty::Bit, Ty::Enum(0), Ty::Enum(1)]) } else { self.one_of(&TYPES) };
            self.states.push(ty);
            writeln!(text, "    state s{i}: {}", ty.text()).expect("text");
        }
        for i in 0..self.below(4) {
            let ty = self.any_type();
            let value = self.constant(ty);
            self.params.push(ty);
            writeln!(text, "    param p{i}: {} = {value}", ty.text()).expect("text");
        }
        for i in 0..self.states.len() {
            let value = self.initial(self.states[i]);
            let value = self.near_zero(self.states[i], value);
            writeln!(text, "    init s{i} = {value}").expect("text");
        }
        text += &self.global_items();
        for i in 0..self.below(4) {
            let ty = if self.kind.bits { self.one_of(&[Ty::Bit, Ty::I32]) } else { self.any_type() };
            let value = self.expression(ty, 3, ExpressionSite::Let);
            self.add_let(ty, &value);
            self.rule_lets += 1;
            writeln!(text, "    let l{i} = {value}").expect("text");
        }
        if self.has_bonds() {
            let (bonds, pairs) = self.bonds();
            text += &bonds;
            self.pairs = Some(pairs);
            if self.clusters {
                text += &self.clusters();
            }
        }
        let named = self.below(3);
        if named == 0 {
            text += &self.nexts("    ", false);
            text += &self.next_bonds("    ");
        }
        // No choice of its own, so that the programs are otherwise the same without it.
        let repeated = self.layouts / 3 % 6 == 1;
        for i in 0..named {
            if repeated {
                writeln!(text, "    repeat {} {{", 2 + i).expect("text");
            }
            write!(text, "    step t{i}").expect("text");
            let guarded = self.below(2) == 1;
            // No choice of its own, so that the programs are otherwise the same without it.
            let coloured = !guarded && self.layouts.is_multiple_of(3);
            if guarded {
                self.still = true;
                let guard = self.expression(Ty::Bit, 2, ExpressionSite::Guard);
                self.still = false;
                // No choice of its own, so that the programs are otherwise the same without it.
                let of_time = ["step % 3 == 1", "step % 4 > 1 && side > 2", "step in {1, 2, 5}", "step % 2 == 0"];
                let guard = match self.layouts % 5 < 2 {
                    true => of_time[self.layouts / 5 % 4],
                    false => &guard,
                };
                write!(text, " when {guard}").expect("text");
            } else if coloured {
                let of = ["von_neumann", "moore", "von_neumann", "[(1, 0)]"][self.layouts / 3 % 4];
                write!(text, " colour of {of}").expect("text");
            }
            let known = self.lets.len();
            text += " {\n";
            if coloured {
                writeln!(text, "        let l{known} = colour").expect("text");
                self.add_let(Ty::I32, "colour");
            }
            let local = self.lets.len();
            if self.below(3) == 2 {
                let ty = if self.kind.bits { Ty::Bit } else { self.any_type() };
                let value = self.expression(ty, 2, ExpressionSite::Let);
                self.add_let(ty, &value);
                writeln!(text, "        let l{local} = {value}").expect("text");
            }
            let bonds = if coloured { String::new() } else { self.next_bonds("        ") };
            writeln!(text, "{}{bonds}    }}", self.nexts("        ", coloured)).expect("text");
            if repeated {
                text += "    }\n";
            }
            self.lets.truncate(known);
            self.let_draws.truncate(known);
        }
        self.still = true;
        self.no_globals = true;
        for i in 0..self.below(4) {
            let (combination, ty) = match self.below(6) {
                0 => ("count", Ty::Bit),
                1 => ("sum", Ty::Bit),
                2 => ("min", self.one_of(&NUMBERS)),
                3 => ("max", self.one_of(&NUMBERS)),
                _ => ("sum", self.one_of(&NUMBERS)),
            };
            let term = self.expression(ty, 2, ExpressionSite::Observe);
            writeln!(text, "    observe o{i} = {combination}({term})").expect("text");
        }
        text += &self.totals();
        text += &self.observed_pairs();
        text += &self.observed_clusters();
        text + "}\n"
    }

    /// Globals, seldom.
    fn global_items(&mut self) -> String {
        let mut text = String::new();
        let count = if self.below(4) == 3 { 1 + self.below(3) } else { 0 };
        for i in 0..count {
            let ty = self.one_of(&[Ty::Bit, Ty::I64, Ty::F64]);
            let ty = if self.kind.bits && ty == Ty::F64 { Ty::Bit } else { ty };
            let reduced = self.expression(Ty::Bit, 1, ExpressionSite::Observe);
            let value = match ty {
                Ty::Bit if self.below(2) == 1 => "random(0.5) || random(0.1)".to_owned(),
                Ty::Bit => format!("count({reduced}) * 2 > cells"),
                Ty::I64 => format!("count({reduced}) + below(cells) - bits() % (1 + i64(step))"),
                _ => format!("mean({reduced}) + uniform() * uniform(-1, 2) - normal() + exponential()"),
            };
            self.globals.push(ty);
            // No choice of its own, so that the programs are otherwise the same without it.
            let once = if i % 2 == 1 { " once" } else { "" };
            writeln!(text, "    global g{i}{once} = {value}").expect("text");
        }
        self.no_globals = false;
        text
    }

    /// Observables that compute.
    fn totals(&mut self) -> String {
        let mut text = String::new();
        // Kernels in space are long already.
        for i in 0..self.below(if self.kind.dimension == 2 { 4 } else { 2 }) {
            // No choice of their own, so that the programs are otherwise the same without quantiles.
            let mut others = [("median", ""), ("quantile", ", 0.3")].iter().cycle().skip(i);
            let mut reductions = [const { String::new() }; 4];
            let (plain, ordered) = reductions.split_at_mut(2);
            for (reduction, ordered) in plain.iter_mut().zip(ordered) {
                let ty = self.one_of(&[Ty::Bit, Ty::Bit, Ty::I32, Ty::F32]);
                let ty = if self.kind.bits { Ty::Bit } else { ty };
                let combination = self.one_of(&["sum", "mean", "variance", "max"]);
                let term = self.expression(ty, u32::from(self.kind.dimension == 2), ExpressionSite::Observe);
                *reduction = format!("{combination}({term})");
                let (function, share) = others.next().expect("a cycle has no end");
                *ordered = if i % 2 == 1 { format!("{function}({term}{share})") } else { reduction.clone() };
            }
            let [plain, _, a, b] = reductions;
            let value = match self.below(6) {
                0 => a,
                1 => format!("({a} + 1) * {b} / 3.5 - f64(cells)"),
                2 => format!("[{a}, {b}, pow({b}, 2) + sqrt(abs({a}))]"),
                3 => format!("if {a} < {b} {{ {a} }} else {{ max({b}, 7) % 5 }}"),
                4 => format!("{plain} by level 0"),
                _ => format!("histogram({}, -2, 3.5, 4)", self.expression(Ty::I32, 1, ExpressionSite::Observe)),
            };
            writeln!(text, "    observe total{i} = {value}").expect("text");
            if i == 1 {
                text += "    observe both = total0 * 2 + 1\n    stop when side > 1000 && step == 9\n";
            }
        }
        text
    }

    fn add_let(&mut self, ty: Ty, value: &str) {
        const DRAWS: [&str; 10] =
            ["random(", "uniform(", "bits(", "below(", "normal(", "exponential(", "pick(", "g0", "g1", "g2"];
        let drawn = (self.let_draws.iter().enumerate()).any(|(i, draws)| *draws && value.contains(&format!("l{i}")));
        self.let_draws.push(drawn || DRAWS.iter().any(|draw| value.contains(draw)));
        self.lets.push(ty);
    }

    fn neighbourhoods(&mut self) -> String {
        let flat = self.kind.dimension == 2;
        let list: &[(&str, u32)] = if flat {
            &[
                ("von_neumann", 4),
                ("moore", 8),
                ("von_neumann(2)", 12),
                ("moore(2)", 24),
                ("von_neumann(3)", 24),
                ("moore(3)", 48),
            ]
        } else {
            &[("von_neumann", 6), ("moore", 26), ("von_neumann(2)", 24)]
        };
        self.neighbourhoods = list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        if self.below(3) == 2 {
            let list = self.list_in_place();
            self.neighbourhoods.push((list, 3));
        }
        let mut text = String::new();
        for i in 0..self.below(3) {
            let count = 1 + self.below(5);
            let mut places: Vec<String> = (0..count).map(|_| self.offset()).collect();
            places.sort();
            places.dedup();
            // A list is of pairs or of triples.
            let longest = places.iter().map(|place| place.matches(',').count()).max();
            places.retain(|place| Some(place.matches(',').count()) == longest);
            let list: Vec<String> = places.iter().map(|place| format!("({place})")).collect();
            writeln!(text, "neighbourhood n{i} [{}]", list.join(", ")).expect("text");
            self.neighbourhoods.push((format!("n{i}"), places.len() as u32));
        }
        text
    }

    /// An offset without its brackets.
    fn offset(&mut self) -> String {
        const DISTANCES: [i32; 10] = [0, 1, -1, 1, -1, 2, -2, 3, -3, 7];
        let axes = if self.kind.dimension == 3 && self.below(3) > 0 { 3 } else { 2 };
        let distances: Vec<String> = (0..axes).map(|_| self.one_of(&DISTANCES).to_string()).collect();
        distances.join(", ")
    }

    /// What becomes of states in a step, whose cells may take turns.
    fn nexts(&mut self, indent: &str, coloured: bool) -> String {
        let mut text = String::new();
        for i in 0..self.states.len() {
            if i == 0 || self.below(4) > 0 {
                let value = self.expression(self.states[i], 4, ExpressionSite::Next);
                let value = self.near_zero(self.states[i], value);
                let value = if i == 0 { self.bonded(self.states[i], value) } else { value };
                let value = if i == 0 && !coloured { self.clustered(self.states[i], value) } else { value };
                writeln!(text, "{indent}next s{i} = {value}").expect("text");
            }
        }
        text
    }

    /// A value brought near the least normal number of its type where results are flushed.
    fn near_zero(&self, ty: Ty, value: String) -> String {
        match ty {
            Ty::F32 if self.flush => format!("({value}) * 1.6e-38"),
            Ty::F64 if self.flush => format!("({value}) * 3e-308"),
            _ => value,
        }
    }

    /// A value that differs from cell to cell.
    fn initial(&mut self, ty: Ty) -> String {
        if self.below(3) == 2 {
            return self.expression(ty, 2, ExpressionSite::Init);
        }
        match ty {
            // No choice of its own, so that the programs are otherwise the same without it.
            Ty::Bit if self.layouts % 5 == 3 => "random(0.5) from disorder".to_owned(),
            Ty::Bit => "random(0.5)".to_owned(),
            Ty::Enum(i) => {
                let choice: String =
                    ENUMS[i][1..].iter().map(|name| format!("if random(0.3) {{ {name} }} else ")).collect();
                format!("{choice}{{ {} }}", ENUMS[i][0])
            }
            Ty::F32 => "4.0 * uniform() - 2.0".to_owned(),
            Ty::F64 => "f64(uniform()) - 0.5".to_owned(),
            _ => format!("{}(bits() >> {})", ty.text(), self.one_of(&[29, 24, 0])),
        }
    }
}
