//! Texts of fractals and rules made by chance.
//!
//! A list of numbers decides every choice, and where the list ends the simplest choice is taken; so a failing program
//! shrinks with its list, in plain steps, to a short text.

use std::fmt::Write;

/// A program and how to run it.
#[derive(Clone)]
pub struct Program {
    /// Its definitions; the last fractal and the last rule are meant.
    pub text: String,
    /// Says which level, of those that are affordable: from 0 on.
    pub level: u32,
    /// Says which of the layouts are taken.
    pub layouts: u64,
    pub seed: u64,
}

/// What a failing test shows.
impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "level {}, layouts {}, seed {}\n{}", self.level, self.layouts, self.seed, self.text)
    }
}

/// What kind of program is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub dimension: u32,
    /// Only bits and enums, so that kernels hold no numbers, or few.
    pub bits: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Bit,
    U8,
    I32,
    U32,
    F32,
    F64,
    /// One of [`ENUMS`].
    Enum(usize),
}

const ENUMS: [&[&str]; 2] = [&["red", "green", "blue"], &["north", "east", "south", "west", "up"]];
const NUMBERS: [Ty; 5] = [Ty::I32, Ty::F32, Ty::U8, Ty::U32, Ty::F64];
const INTEGERS: [Ty; 3] = [Ty::I32, Ty::U8, Ty::U32];
const TYPES: [Ty; 8] = [Ty::Bit, Ty::I32, Ty::F32, Ty::U8, Ty::Enum(0), Ty::U32, Ty::F64, Ty::Enum(1)];

impl Ty {
    fn text(self) -> String {
        match self {
            Ty::Bit => "bit".into(),
            Ty::U8 => "u8".into(),
            Ty::I32 => "i32".into(),
            Ty::U32 => "u32".into(),
            Ty::F32 => "f32".into(),
            Ty::F64 => "f64".into(),
            Ty::Enum(i) => format!("enum {{ {} }}", ENUMS[i].join(", ")),
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Init,
    Let,
    Next,
    Guard,
    Term,
    Observe,
}

struct Writer<'a> {
    choices: std::slice::Iter<'a, u16>,
    kind: Kind,
    states: Vec<Ty>,
    params: Vec<Ty>,
    lets: Vec<Ty>,
    neighbourhoods: Vec<(String, u32)>,
    /// The rule draws in its steps.
    draws: bool,
    /// So many neighbours may still be looked at: kernels grow with them.
    neighbours: u32,
}

/// The program that a list of choices describes.
pub fn program(kind: Kind, choices: &[u16]) -> Program {
    let mut writer = Writer {
        choices: choices.iter(),
        kind,
        states: Vec::new(),
        params: Vec::new(),
        lets: Vec::new(),
        neighbourhoods: Vec::new(),
        draws: false,
        neighbours: 60,
    };
    let (level, layouts, seed) = (writer.below(12), writer.below(65536), writer.below(1000));
    let mut text = writer.fractals();
    text += &writer.rule();
    Program { text, level: level as u32, layouts: layouts as u64, seed: seed as u64 * 0x1_0000_0001 }
}

impl Writer<'_> {
    /// A choice of 0 to n − 1.
    fn below(&mut self, n: usize) -> usize {
        self.choices.next().map_or(0, |choice| (usize::from(*choice) * n) >> 16)
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn fractals(&mut self) -> String {
        let (mut text, count) = (String::new(), 1 + self.below(3));
        let axes = self.kind.dimension as usize;
        for i in 0..count {
            let scale = [2, 3, 4, 2, 3, 5][self.below(if axes == 2 { 6 } else { 3 })];
            let places = usize::pow(scale, axes as u32);
            // Seldom all of them, and not too many in space.
            let k = if self.below(8) == 7 { places } else { 2 + self.below(places.min(14) - 1) }.min(27);
            let mut free: Vec<usize> = (0..places).collect();
            write!(text, "fractal f{i} {{\n    dimension {axes}\n    scale {scale}\n    replicas {{").expect("text");
            for replica in 0..k {
                let at = self.below(free.len());
                let place = free.remove(at);
                let place: Vec<String> =
                    (0..axes).map(|axis| (place / scale.pow(axis as u32) % scale).to_string()).collect();
                write!(text, " {replica}: ({})", place.join(", ")).expect("text");
            }
            text += " }\n}\n";
        }
        let names: Vec<String> = (0..count).map(|i| format!("f{i}")).collect();
        if count > 1 {
            writeln!(text, "fractal mixed {{ levels [{}] }}", names.join(", ")).expect("text");
        }
        text
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
        let mut text = self.neighbourhoods();
        self.draws = self.below(3) == 2;
        text += "rule chance {\n";
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
            writeln!(text, "    init s{i} = {value}").expect("text");
        }
        for i in 0..self.below(4) {
            let ty = if self.kind.bits { self.one_of(&[Ty::Bit, Ty::I32]) } else { self.any_type() };
            let value = self.expression(ty, 3, Place::Let);
            self.lets.push(ty);
            writeln!(text, "    let l{i} = {value}").expect("text");
        }
        let named = self.below(3);
        if named == 0 {
            text += &self.nexts("    ");
        }
        for i in 0..named {
            write!(text, "    step t{i}").expect("text");
            if self.below(2) == 1 {
                write!(text, " when {}", self.expression(Ty::Bit, 2, Place::Guard)).expect("text");
            }
            writeln!(text, " {{\n{}    }}", self.nexts("        ")).expect("text");
        }
        for i in 0..self.below(4) {
            let (combination, ty) = match self.below(6) {
                0 => ("count", Ty::Bit),
                1 => ("sum", Ty::Bit),
                2 => ("min", self.one_of(&NUMBERS)),
                3 => ("max", self.one_of(&NUMBERS)),
                _ => ("sum", self.one_of(&NUMBERS)),
            };
            let term = self.expression(ty, 2, Place::Observe);
            writeln!(text, "    observe o{i} = {combination}({term})").expect("text");
        }
        text + "}\n"
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

    fn nexts(&mut self, indent: &str) -> String {
        let mut text = String::new();
        for i in 0..self.states.len() {
            if i == 0 || self.below(4) > 0 {
                let value = self.expression(self.states[i], 4, Place::Next);
                writeln!(text, "{indent}next s{i} = {value}").expect("text");
            }
        }
        text
    }

    /// A value that differs from cell to cell.
    fn initial(&mut self, ty: Ty) -> String {
        if self.below(3) == 2 {
            return self.expression(ty, 2, Place::Init);
        }
        match ty {
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

    fn constant(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Bit => self.one_of(&["false", "true"]).to_owned(),
            Ty::Enum(i) => self.one_of(ENUMS[i]).to_owned(),
            Ty::U8 => format!("u8({})", self.one_of(&[0, 1, 2, 7, 255])),
            Ty::I32 => {
                self.one_of(&["0", "1", "2", "3", "(-1)", "5", "31", "2147483647", "(-2147483647 - 1)"]).to_owned()
            }
            Ty::U32 => format!("u32({})", self.one_of(&["0", "1", "2", "5", "31", "(-1)"])),
            Ty::F32 => self
                .one_of(&["0.0", "1.0", "0.1", "(-1.5)", "(-0.0)", "1e30", "1e-40", "(1.0 / 0.0)", "(0.0 / 0.0)"])
                .to_owned(),
            Ty::F64 => {
                let value =
                    self.one_of(&["0.0", "1.0", "0.1", "-1.5", "-0.0", "1e300", "1e-310", "1.0 / 0.0", "0.0 / 0.0"]);
                format!("f64({value})")
            }
        }
    }

    /// A constant or something that has a name.
    fn leaf(&mut self, ty: Ty, place: Place) -> String {
        let mut names = Vec::new();
        let of_type = |list: &[Ty], letter: &str| -> Vec<String> {
            list.iter().enumerate().filter(|(_, t)| **t == ty).map(|(i, _)| format!("{letter}{i}")).collect()
        };
        names.extend(of_type(&self.params, "p"));
        if place != Place::Init {
            let own = of_type(&self.states, "s");
            if place == Place::Term {
                names.extend(own.iter().flat_map(|name| [format!("nb.{name}"), format!("nb.{name}")]));
            } else {
                names.extend(own.iter().cloned());
            }
            names.extend(own);
            names.extend(of_type(&self.lets, "l"));
        }
        if ty == Ty::I32 && self.below(3) == 2 {
            names.extend(["x", "y", "level", "side"].map(str::to_owned));
            let solid = self.kind.dimension == 3;
            names.extend(solid.then(|| "z".to_owned()));
            if place == Place::Term {
                names.extend(["dx", "dy"].map(str::to_owned));
                names.extend(solid.then(|| "dz".to_owned()));
            }
        }
        names.extend((ty == Ty::U32).then(|| "step".to_owned()));
        match self.below(2 * names.len() + 1) {
            0 => self.constant(ty),
            n => names.swap_remove((n - 1) / 2),
        }
    }

    fn expression(&mut self, ty: Ty, depth: u32, place: Place) -> String {
        if depth == 0 {
            return self.leaf(ty, place);
        }
        let deeper = depth - 1;
        let cell = !matches!(place, Place::Term | Place::Init);
        match self.below(10) {
            0 => self.leaf(ty, place),
            1 => {
                let condition = self.expression(Ty::Bit, deeper, place);
                let (a, b) = (self.expression(ty, deeper, place), self.expression(ty, deeper, place));
                format!("(if {condition} {{ {a} }} else {{ {b} }})")
            }
            2 if cell && self.states.contains(&ty) => {
                let fitting: Vec<usize> = (0..self.states.len()).filter(|i| self.states[*i] == ty).collect();
                let (state, offset) = (self.one_of(&fitting), self.offset());
                format!("(s{state}[{offset}] else {})", self.leaf(ty, place))
            }
            3 if matches!(place, Place::Next | Place::Init) && (self.draws || place == Place::Init) => match ty {
                Ty::Bit => {
                    let probability = if self.kind.bits { Ty::F64 } else { self.one_of(&[Ty::F64, Ty::F32]) };
                    format!("random({})", self.expression(probability, deeper.min(1), place))
                }
                Ty::F32 => "uniform()".to_owned(),
                Ty::U32 => "bits()".to_owned(),
                _ => self.operation(ty, deeper, place),
            },
            4..=6 if cell => match self.aggregate(ty, place) {
                Some(aggregate) => aggregate,
                None => self.operation(ty, deeper, place),
            },
            _ => self.operation(ty, deeper, place),
        }
    }

    fn aggregate(&mut self, ty: Ty, place: Place) -> Option<String> {
        let which = self.below(self.neighbourhoods.len());
        let (neighbourhood, count) = self.neighbourhoods[which].clone();
        self.neighbours = self.neighbours.checked_sub(count)?;
        let function = match ty {
            Ty::Enum(_) => return None,
            Ty::Bit => self.one_of(&["any", "all"]),
            Ty::I32 if self.kind.bits || self.below(3) < 2 => self.one_of(&["count", "count", "sum of bits", "degree"]),
            _ => self.one_of(&["sum", "sum", "min", "max"]),
        };
        let term_type = if matches!(function, "count" | "sum of bits") { Ty::Bit } else { ty };
        let depth = self.below(3) as u32;
        let term = self.expression(term_type, depth, Place::Term);
        Some(match function {
            "degree" => format!("degree({neighbourhood})"),
            "sum of bits" => format!("sum({neighbourhood}, {term})"),
            "min" | "max" => format!("({function}({neighbourhood}, {term}) else {})", self.leaf(ty, place)),
            _ => format!("{function}({neighbourhood}, {term})"),
        })
    }

    /// Something that is valid everywhere.
    fn operation(&mut self, ty: Ty, depth: u32, place: Place) -> String {
        match ty {
            Ty::Bit => self.bit_operation(depth, place),
            Ty::Enum(_) => self.leaf(ty, place),
            _ if self.below(6) == 5 => {
                let from = self.any_type();
                let value = self.expression(from, depth, place);
                // Bare literals would take the type of the cast, which may have no such operation.
                let value = if from == Ty::I32 { format!("i32({value})") } else { value };
                format!("{}({value})", ty.text())
            }
            _ if ty.is_float() => {
                let a = self.expression(ty, depth, place);
                match self.below(4) {
                    0 | 1 => {
                        let operator = self.one_of(&["+", "-", "*", "/", "%"]);
                        format!("({a} {operator} {})", self.expression(ty, depth, place))
                    }
                    2 => {
                        let function = self.one_of(&["min", "max", "pow"]);
                        format!("{function}({a}, {})", self.expression(ty, depth, place))
                    }
                    _ => {
                        const FUNCTIONS: [&str; 11] =
                            ["-", "abs", "sqrt", "floor", "ceil", "round", "exp", "log", "sin", "cos", "tanh"];
                        match self.one_of(&FUNCTIONS) {
                            "-" => format!("(-{a})"),
                            function => format!("{function}({a})"),
                        }
                    }
                }
            }
            _ => {
                let a = self.expression(ty, depth, place);
                match self.below(5) {
                    0 | 1 => {
                        let operator = self.one_of(&["+", "-", "*", "&", "|", "^", "/", "%"]);
                        format!("({a} {operator} {})", self.expression(ty, depth, place))
                    }
                    2 => {
                        let function = self.one_of(&["min", "max"]);
                        format!("{function}({a}, {})", self.expression(ty, depth, place))
                    }
                    3 => {
                        let (operator, count) = (self.one_of(&["<<", ">>"]), self.one_of(&INTEGERS));
                        // Bare literals would take the type of what is shifted, or of what is around.
                        format!("({}({a}) {operator} {}({}))", ty.text(), count.text(), self.leaf(count, place))
                    }
                    _ => match self.below(3) {
                        0 => format!("(-{a})"),
                        1 => format!("(!{a})"),
                        _ => format!("abs({a})"),
                    },
                }
            }
        }
    }

    fn bit_operation(&mut self, depth: u32, place: Place) -> String {
        const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
        match self.below(6) {
            0 => format!("(!{})", self.expression(Ty::Bit, depth, place)),
            1 | 2 => {
                let operator = self.one_of(&["&&", "||", "^", "&", "|", "==", "!="]);
                let (a, b) = (self.expression(Ty::Bit, depth, place), self.expression(Ty::Bit, depth, place));
                format!("({a} {operator} {b})")
            }
            3 => {
                let ty = Ty::Enum(self.below(2));
                let operator = self.one_of(&COMPARISONS[..2]);
                let (a, b) = (self.expression(ty, depth, place), self.leaf(ty, place));
                // Two variants by themselves would be of no enum that the rule has, if no state is.
                if self.states.contains(&ty) { format!("({a} {operator} {b})") } else { self.leaf(Ty::Bit, place) }
            }
            4 => {
                let a = self.expression(Ty::I32, depth, place);
                match self.below(2) {
                    0 => format!("({a} in 2..={})", self.one_of(&[2, 3, 5])),
                    _ => format!("({a} in {{1, 3, 4}})"),
                }
            }
            _ => {
                let ty = if self.kind.bits { Ty::I32 } else { self.one_of(&NUMBERS) };
                let operator = self.one_of(&COMPARISONS);
                let (a, b) = (self.expression(ty, depth, place), self.expression(ty, depth, place));
                format!("({a} {operator} {b})")
            }
        }
    }
}

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
    let length = word() % 600;
    (0..length).map(|_| (word() >> 48) as u16).collect()
}
