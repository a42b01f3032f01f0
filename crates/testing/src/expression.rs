//! Expressions of every operator, function and type.

use super::{ENUMS, ExpressionSite, INTEGERS, NUMBERS, ProgramWriter, Ty};

/// The places in a list of those of a type.
fn of_type_of(list: &[Ty], ty: Ty) -> impl Iterator<Item = usize> {
    list.iter().enumerate().filter(move |(_, other)| **other == ty).map(|(i, _)| i)
}

impl ProgramWriter<'_> {
    pub(crate) fn constant(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Bit => self.one_of(&["false", "true"]).to_owned(),
            Ty::Enum(i) => self.one_of(ENUMS[i]).to_owned(),
            Ty::U8 => format!("u8({})", self.one_of(&[0, 1, 2, 7, 255])),
            Ty::U16 => format!("u16({})", self.one_of(&[0, 1, 2, 255, 65535])),
            Ty::I64 => {
                format!("i64({})", self.one_of(&["0", "1", "-1", "5", "5_000_000_000", "0x7fff_ffff_ffff_ffff"]))
            }
            Ty::I32 => self
                .one_of(&["0", "1", "2", "3", "(-1)", "5", "0x1f", "0b11", "1_000", "2147483647", "(-2147483647 - 1)"])
                .to_owned(),
            Ty::U32 => format!("u32({})", self.one_of(&["0", "1", "2", "5", "31", "(-1)"])),
            Ty::F32 => self
                .one_of(&[
                    "0.0",
                    "1.0",
                    "0.1",
                    "(-1.5)",
                    "(-0.0)",
                    "1e30",
                    "1.5e-3",
                    "1e-40",
                    "(1.0 / 0.0)",
                    "(0.0 / 0.0)",
                ])
                .to_owned(),
            Ty::F64 => {
                let value =
                    self.one_of(&["0.0", "1.0", "0.1", "-1.5", "-0.0", "1e300", "1e-310", "1.0 / 0.0", "0.0 / 0.0"]);
                format!("f64({value})")
            }
        }
    }

    /// A constant or something that has a name.
    pub(crate) fn leaf(&mut self, ty: Ty, place: ExpressionSite) -> String {
        let mut names = Vec::new();
        let of_type = |list: &[Ty], letter: &str| -> Vec<String> {
            list.iter().enumerate().filter(|(_, t)| **t == ty).map(|(i, _)| format!("{letter}{i}")).collect()
        };
        names.extend(of_type(&self.params, "p"));
        if !self.no_globals && place != ExpressionSite::Init {
            names.extend(of_type(&self.globals, "g"));
            if !self.globals.is_empty() && ty == Ty::I64 {
                names.extend(["cell", "cells"].map(str::to_owned));
            }
            if !self.globals.is_empty() && ty == Ty::I32 {
                names.extend(["i32(cell)", "i32(cells)"].map(str::to_owned));
                names.extend(of_type_of(&self.globals, Ty::I64).map(|i| format!("i32(g{i})")));
            }
        }
        names.extend(self.locals.iter().filter(|(_, t)| *t == ty).map(|(name, _)| name.clone()));
        if place != ExpressionSite::Init {
            let own = of_type(&self.states, "s");
            if place == ExpressionSite::Term {
                names.extend(own.iter().flat_map(|name| [format!("nb.{name}"), format!("nb.{name}")]));
            } else {
                names.extend(own.iter().cloned());
            }
            names.extend(own);
            let lets = |i: &usize| self.lets[*i] == ty && !(self.still && self.let_draws[*i]);
            names.extend((0..self.lets.len()).filter(lets).map(|i| format!("l{i}")));
            if place == ExpressionSite::Term && self.few && self.field_reads > 0 {
                names.extend((0..self.rule_lets).filter(lets).map(|i| format!("nb.l{i}")));
            }
        }
        if ty == Ty::I32 && self.below(3) == 2 {
            names.extend(["x", "y", "level", "side", "width", "height", "depth"].map(str::to_owned));
            let solid = self.kind.dimension == 3;
            names.extend(solid.then(|| "z".to_owned()));
            if place == ExpressionSite::Term {
                names.extend(["dx", "dy"].map(str::to_owned));
                names.extend(solid.then(|| "dz".to_owned()));
            }
        }
        names.extend((ty == Ty::U32).then(|| "step".to_owned()));
        match self.below(2 * names.len() + 1) {
            0 => self.constant(ty),
            n => {
                let name = names.swap_remove((n - 1) / 2);
                self.field_reads -= u32::from(name.starts_with("nb.l"));
                name
            }
        }
    }

    pub(crate) fn expression(&mut self, ty: Ty, depth: u32, place: ExpressionSite) -> String {
        if depth == 0 {
            return self.leaf(ty, place);
        }
        let deeper = depth - 1;
        let cell = !matches!(place, ExpressionSite::Term | ExpressionSite::Init);
        match self.below(11) {
            0 => self.leaf(ty, place),
            10 => format!("({})", self.block(ty, deeper, place)),
            1 => {
                let condition = self.expression(Ty::Bit, deeper, place);
                let (a, b) = (self.expression(ty, deeper, place), self.expression(ty, deeper, place));
                match self.below(3) {
                    0 => format!("(if {condition} {{ {a} }} else {{ {b} }})"),
                    1 => {
                        let (other, c) = (self.leaf(Ty::Bit, place), self.leaf(ty, place));
                        format!("(if {condition} {{ {a} }} else if {other} {{ {b} }} else {{ {c} }})")
                    }
                    _ => {
                        let (then, otherwise) = (self.block(ty, deeper, place), self.block(ty, deeper, place));
                        format!("(if {condition} {then} else {otherwise})")
                    }
                }
            }
            2 if cell && self.states.contains(&ty) => {
                let fitting: Vec<usize> = (0..self.states.len()).filter(|i| self.states[*i] == ty).collect();
                let (state, offset) = (self.one_of(&fitting), self.offset());
                format!("(s{state}[{offset}] else {})", self.leaf(ty, place))
            }
            2 if cell && self.field_reads > 0 && (0..self.rule_lets).any(|i| self.lets[i] == ty) => {
                let fitting = |i: &usize| self.lets[*i] == ty && !(self.still && self.let_draws[*i]);
                let fitting: Vec<usize> = (0..self.rule_lets).filter(fitting).collect();
                if fitting.is_empty() {
                    return self.leaf(ty, place);
                }
                self.field_reads -= 1;
                let (field, offset) = (self.one_of(&fitting), self.offset());
                format!("(l{field}[{offset}] else {})", self.leaf(ty, place))
            }
            3 if matches!(place, ExpressionSite::Next | ExpressionSite::Let | ExpressionSite::Init)
                && (self.draws || place == ExpressionSite::Init) =>
            {
                match ty {
                    _ if cell && self.below(4) == 3 => self.pick(ty, place),
                    Ty::Bit if self.below(3) == 2 => {
                        let (bound, number) = (self.small_bound(place), self.below(5));
                        format!("(below({bound}) {} {number})", self.one_of(&["==", "!=", "<", ">="]))
                    }
                    Ty::Bit => {
                        let probability = if self.kind.bits { Ty::F64 } else { self.one_of(&[Ty::F64, Ty::F32]) };
                        format!("random({})", self.expression(probability, deeper.min(1), place))
                    }
                    Ty::F32 => match self.below(4) {
                        0 => "uniform()".to_owned(),
                        1 => "normal()".to_owned(),
                        2 => "exponential()".to_owned(),
                        _ => format!("uniform({}, {})", self.leaf(Ty::F32, place), self.leaf(Ty::F32, place)),
                    },
                    Ty::U32 => match self.below(4) {
                        0 => "bits()".to_owned(),
                        1 => format!("below({})", self.one_of(&["100", "65536", "70000", "17", "0"])),
                        2 if self.below(2) == 1 => format!("below({})", self.small_bound(place)),
                        _ => format!("below({})", self.leaf(Ty::U32, place)),
                    },
                    _ => self.operation(ty, deeper, place),
                }
            }
            4..=6 if cell => match self.aggregate(ty, place) {
                Some(aggregate) => aggregate,
                None => self.operation(ty, deeper, place),
            },
            _ => self.operation(ty, deeper, place),
        }
    }

    /// A block, which gives something a name.
    fn block(&mut self, ty: Ty, depth: u32, place: ExpressionSite) -> String {
        let named = if self.kind.bits { Ty::Bit } else { self.any_type() };
        let value = self.expression(named, depth, place);
        let name = format!("v{}", self.blocks);
        self.blocks += 1;
        self.locals.push((name.clone(), named));
        let result = self.expression(ty, depth, place);
        self.locals.pop();
        // All on one line: a line that begins with `(`, `[` or `-` would end an expression too early.
        format!("{{ let {name} = {value}; {result} }}")
    }

    /// A bound of draws that takes few values.
    fn small_bound(&mut self, place: ExpressionSite) -> String {
        if matches!(place, ExpressionSite::Next | ExpressionSite::Let)
            && self.below(3) == 2
            && let Some((neighbourhood, _)) = self.neighbourhood()
        {
            return format!("u32(degree({neighbourhood}))");
        }
        self.one_of(&["1", "2", "3", "4", "5", "6", "8", "16"]).to_owned()
    }

    /// A neighbourhood and how many offsets it has; `None` if so many are too many for the rest of the rule.
    fn neighbourhood(&mut self) -> Option<(String, u32)> {
        let which = self.below(self.neighbourhoods.len());
        let (neighbourhood, count) = self.neighbourhoods[which].clone();
        self.neighbours = self.neighbours.checked_sub(count)?;
        Some((neighbourhood, count))
    }

    /// The value at a neighbour chosen by chance.
    fn pick(&mut self, ty: Ty, place: ExpressionSite) -> String {
        let Some((neighbourhood, count)) = self.neighbourhood() else { return self.leaf(ty, place) };
        self.few = count <= 8 || self.draws;
        let locals = std::mem::take(&mut self.locals);
        let term = self.expression(ty, 1, ExpressionSite::Term);
        self.locals.extend(locals);
        format!("(pick({neighbourhood}, {term}) else {})", self.leaf(ty, place))
    }

    fn aggregate(&mut self, ty: Ty, place: ExpressionSite) -> Option<String> {
        let number = !matches!(ty, Ty::Bit | Ty::Enum(_)) && !self.kind.bits;
        if number && self.below(6) == 5 {
            return self.weighted(ty);
        }
        let (neighbourhood, count) = self.neighbourhood()?;
        self.few = count <= 8 || self.draws;
        let function = match ty {
            Ty::Enum(_) => return None,
            Ty::Bit => self.one_of(&["any", "all"]),
            Ty::I32 if self.kind.bits || self.below(3) < 2 => self.one_of(&["count", "count", "sum of bits", "degree"]),
            _ if ty.is_float() => self.one_of(&["sum", "sum", "min", "max", "product", "mean"]),
            _ => self.one_of(&["sum", "sum", "min", "max", "product"]),
        };
        let term_type = if matches!(function, "count" | "sum of bits") { Ty::Bit } else { ty };
        let depth = self.below(3) as u32;
        // Lets that draw cannot be read in a term.
        let locals = if self.draws { std::mem::take(&mut self.locals) } else { Vec::new() };
        let term = self.expression(term_type, depth, ExpressionSite::Term);
        self.locals.extend(locals);
        Some(match function {
            "degree" => format!("degree({neighbourhood})"),
            "sum of bits" => format!("sum({neighbourhood}, {term})"),
            "min" | "max" | "mean" => {
                // A mean of bare literals would be an f32.
                let term = if function == "mean" { format!("{}({term})", ty.text()) } else { term };
                format!("({function}({neighbourhood}, {term}) else {})", self.leaf(ty, place))
            }
            _ => format!("{function}({neighbourhood}, {term})"),
        })
    }

    /// Something that is valid everywhere.
    fn operation(&mut self, ty: Ty, depth: u32, place: ExpressionSite) -> String {
        if self.below(5) == 4
            && let Some(construct) = self.construct(ty, depth, place)
        {
            return construct;
        }
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
                        let function = self.one_of(&["min", "max", "pow", "atan2"]);
                        format!("{function}({a}, {})", self.expression(ty, depth, place))
                    }
                    _ => {
                        const FUNCTIONS: [&str; 16] = [
                            "-", "abs", "sqrt", "floor", "ceil", "round", "exp", "log", "log2", "sin", "cos", "tan",
                            "tanh", "asin", "acos", "atan",
                        ];
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

    fn bit_operation(&mut self, depth: u32, place: ExpressionSite) -> String {
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
                // If no state has this enum, the rule does not declare it, and two of its variants could not be compared.
                if self.states.contains(&ty) { format!("({a} {operator} {b})") } else { self.leaf(Ty::Bit, place) }
            }
            4 => {
                let among = self.below(4);
                if among < 2 || self.kind.bits {
                    let a = self.expression(Ty::I32, depth, place);
                    return match among % 2 {
                        0 => format!("({a} in 2..={})", self.one_of(&[2, 3, 5])),
                        _ => format!("({a} in {{1, 3, 4}})"),
                    };
                }
                let ty = self.one_of(if among == 2 { &NUMBERS } else { &INTEGERS });
                let a = self.expression(ty, depth, place);
                let (b, c) = (self.leaf(ty, place), self.expression(ty, depth.min(1), place));
                if among == 2 { format!("({a} in {b}..={c})") } else { format!("({a} in {{{b}, {c}}})") }
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
