//! Constants, tables, functions, `match`, weights, and functions that are made of others.

use super::{ENUMS, ExpressionSite, INTEGERS, ProgramWriter, Ty};
use std::fmt::Write;

impl ProgramWriter<'_> {
    /// Definitions at the top of the text, for [`ProgramWriter::construct`].
    pub(crate) fn constructs(&mut self) -> String {
        let mut text = String::new();
        let numbers: Vec<&str> = (0..5).map(|_| self.one_of(&["0", "1", "-1", "7", "2147483647"])).collect();
        let floats: Vec<&str> = (0..4).map(|_| self.one_of(&["0.5", "0.5", "-1.5", "1e30", "tau", "k3"])).collect();
        let (one, two) = (self.one_of(&["0", "1", "5"]), self.one_of(&["0", "1", "2"]));
        writeln!(text, "const k0 = 3").expect("text");
        writeln!(text, "const k1: [i32] = [{}]", numbers.join(", ")).expect("text");
        writeln!(text, "const k2 = [{}]", floats.join(", ")).expect("text");
        writeln!(text, "const k3 = 0.25").expect("text");
        writeln!(
            text,
            "fn g0(a: i32, b: i32) -> i32 = match a {{ -3..=0 | 9 => b, 1 | 2 => k1[a], k0 => a * b, _ => pow(a, {two}) }}"
        )
        .expect("text");
        text += "fn g1(a: f32, b: f32) -> f32 = {\n    let c = clamp(a, b, k2[1])\n    \
                 if c < b { trunc(c) } else { hypot(a, b) + fract(c) }\n}\n";
        writeln!(text, "neighbourhood w0 [(1, 0): 0.5, (0, 1): -{one}, (-1, 0): k3]").expect("text");
        writeln!(text, "neighbourhood w1 [(0, -1): {one}, (1, 1): 2]").expect("text");
        text
    }

    /// A list of offsets written in place, of pairs.
    pub(crate) fn list_in_place(&mut self) -> String {
        let offset = |writer: &mut Self| format!("({}, {})", writer.one_of(&[0, 1, -1]), writer.one_of(&[1, -1, 2]));
        let offsets: Vec<String> = (0..1 + self.below(3)).map(|_| offset(self)).collect();
        format!("[{}]", offsets.join(", "))
    }

    /// A weighted sum of numbers.
    pub(crate) fn weighted(&mut self, ty: Ty) -> Option<String> {
        self.neighbours = self.neighbours.checked_sub(3)?;
        let locals = if self.draws { std::mem::take(&mut self.locals) } else { Vec::new() };
        self.few = true;
        let term = self.expression(ty, 1, ExpressionSite::Term);
        self.locals.extend(locals);
        let (list, function) = if ty.is_float() { ("w0", "sum") } else { ("w1", self.one_of(&["sum", "product"])) };
        Some(format!("{function}({list}, weight * {}({term}))", ty.text()))
    }

    /// Something made by one of these constructs, if the type has any.
    pub(crate) fn construct(&mut self, ty: Ty, depth: u32, place: ExpressionSite) -> Option<String> {
        if self.below(3) == 2 {
            return self.choice_by_match(ty, depth, place);
        }
        let deeper = depth.min(1);
        match ty {
            Ty::Enum(_) => {
                let state = self.states.iter().position(|state| *state == ty).filter(|_| !self.kind.bits)?;
                let number = self.expression(Ty::I32, deeper, place);
                // A constant that is no variant's number is refused.
                Some(format!("s{state}({number} ^ i32(step))"))
            }
            Ty::Bit => None,
            _ if self.kind.bits => None,
            _ if ty.is_float() => {
                let (a, b) = (self.expression(ty, depth, place), self.leaf(ty, place));
                Some(match self.below(8) {
                    0 if ty == Ty::F32 => format!("g1({a}, {b})"),
                    1 => format!("{}(k2[{}])", ty.text(), self.expression(Ty::I32, deeper, place)),
                    2 => format!("hypot({a}, {b})"),
                    3 => format!("clamp({a}, {b}, {})", self.leaf(ty, place)),
                    4 => format!("max({a}, {b}, {})", self.leaf(ty, place)),
                    5 => format!("sign({a})"),
                    6 => format!("fract({a})"),
                    _ => format!("trunc({a})"),
                })
            }
            _ => {
                let (a, b) = (self.expression(ty, depth, place), self.leaf(ty, place));
                Some(match self.below(8) {
                    0 if ty == Ty::I32 => format!("g0({a}, {b})"),
                    1 => format!("{}(k1[{a}])", ty.text()),
                    2 => format!("pow({a}, {b})"),
                    3 => format!("clamp({a}, {b}, {})", self.leaf(ty, place)),
                    4 => format!("min({a}, {b}, {})", self.leaf(ty, place)),
                    5 => format!("sign({a})"),
                    6 if ty == Ty::I32 => {
                        let counted = self.one_of(&INTEGERS);
                        format!("popcount({}({}))", counted.text(), self.leaf(counted, place))
                    }
                    _ => format!("pow({a}, {})", self.one_of(&["0", "1", "2", "5"])),
                })
            }
        }
    }

    fn choice_by_match(&mut self, ty: Ty, depth: u32, place: ExpressionSite) -> Option<String> {
        let deeper = depth.min(1);
        let (a, b, c) = (self.expression(ty, depth, place), self.leaf(ty, place), self.expression(ty, deeper, place));
        let fitting: Vec<usize> = (0..ENUMS.len()).filter(|i| self.states.contains(&Ty::Enum(*i))).collect();
        Some(match self.below(4) {
            0 if !fitting.is_empty() => {
                let of = self.one_of(&fitting);
                let value = self.expression(Ty::Enum(of), deeper, place);
                let (first, second) = (ENUMS[of][0], ENUMS[of][1]);
                format!("(match {value} {{ {second} => {a}, {first} => {b}, _ => {c} }})")
            }
            1 if !self.kind.bits => {
                let value = self.expression(Ty::U8, deeper, place);
                format!("(match u8({value}) {{ 0..=2 | 7 => {a}, 3..=6 => {b}, 8..=255 => {c} }})")
            }
            2 if !self.kind.bits => {
                let value = self.expression(Ty::I32, deeper, place);
                format!("(match i32({value}) {{ k0 | 5 => {a}, -100..=100 => {b}, _ => {c} }})")
            }
            _ => {
                let value = self.expression(Ty::Bit, deeper, place);
                format!("(match {value} {{ true => {a}, false => {c} }})")
            }
        })
    }
}
