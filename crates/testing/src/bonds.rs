//! Bonds: values of pairs of neighbours, computed and kept, and lets that read them.

use super::{ENUMS, ProgramWriter, Ty};
use std::fmt::Write;

/// The bonds of a rule, by what reads them.
pub(crate) struct Bonds {
    /// The neighbourhood of all of them.
    over: &'static str,
    /// A let of the rule that is a bit.
    bit: usize,
    /// One that is an i32.
    number: usize,
}

impl ProgramWriter<'_> {
    /// Whether the rule has bonds. It takes no choice of its own, so that the programs are the same without it. Values beyond edges have no pairs.
    pub(crate) fn has_bonds(&self) -> bool {
        self.layouts % 8 == 3 && !matches!(self.layouts % 10, 4..=6)
    }

    /// Whether the first state of a cell is something, as a bit.
    fn mark(&self, near: &str) -> String {
        match self.states[0] {
            Ty::Bit => format!("{near}s0"),
            Ty::Enum(i) => format!("({near}s0 == {})", ENUMS[i][1]),
            ty if ty.is_float() => format!("({near}s0 > 0.5)"),
            _ => format!("({near}s0 > 1)"),
        }
    }

    /// Bonds and the lets that read them.
    pub(crate) fn bonds(&mut self) -> (String, Bonds) {
        let list = match self.axes {
            3 => "[(1, 0, 0), (0, 1, -1), (-1, 0, 0), (0, -1, 1)]",
            _ => "[(-1, 1), (1, 0), (-1, 0), (1, -1), (2, 1), (-2, -1)]",
        };
        let over = [
            ["von_neumann", "moore", list, "[(2, 0), (-2, 0), (1, 0), (-1, 0)]"],
            ["von_neumann", list, "von_neumann", list],
        ][usize::from(self.kind.dimension == 3)][self.layouts / 8 % 4];
        let (own, other) = (self.mark(""), self.mark("nb."));
        let (draw, draws) = match self.draws {
            true => (" && random(0.7)", " ^ (below(3) == 1) ^ (normal() > 0.5)"),
            false => ("", ""),
        };
        let mut text = String::new();
        writeln!(text, "    bond b0 over {over} = ({own} != {other} || x % 3 == 1 && dx >= 0){draw}").expect("text");
        let second = match self.layouts / 32 % 3 {
            0 => format!("b0 == ({own} && {other})"),
            1 => format!("b0 && forward || ({other} && dy == 0)"),
            _ => format!("(b0[1, 0] else {own}) != ({other} || dx == dy)"),
        };
        writeln!(text, "    bond b1 over {over} = ({second}){draws}").expect("text");
        writeln!(text, "    bond kept0 over {over}: bit\n    init kept0 = x % 3 == dy || random(0.3)").expect("text");
        let of_numbers = if self.kind.bits { "" } else { " && (kept1[1, 0] else 1) > 1" };
        if !self.kind.bits {
            writeln!(text, "    bond kept1 over {over}: u8\n    init kept1 = u8(below(4) from disorder)")
                .expect("text");
        }
        let bit = self.lets.len();
        let reads = format!(
            "any({over}, nb.b0 && nb.b1 != nb.kept0) != (b1[-1, 0] else {own}) || (kept0[-1, 0] else false){of_numbers}"
        );
        writeln!(text, "    let l{bit} = {reads}").expect("text");
        let number = format!(
            "sum({over}, if forward {{ 2 * i32(nb.b1) + dx }} else {{ 5 * i32(nb.b0) }}) + i32(b0[1, 0] else true)"
        );
        let number = if self.kind.bits { format!("count({over}, nb.b0 == forward)") } else { number };
        writeln!(text, "    let l{} = {number}", bit + 1).expect("text");
        for ty in [Ty::Bit, Ty::I32] {
            self.lets.push(ty);
            self.let_draws.push(self.draws);
            self.rule_lets += 1;
        }
        (text, Bonds { over, bit, number: bit + 1 })
    }

    /// What becomes of bonds that are kept, in a step whose cells do not take turns.
    pub(crate) fn next_bonds(&self, indent: &str) -> String {
        if self.pairs.is_none() {
            return String::new();
        }
        let (own, other) = (self.mark(""), self.mark("nb."));
        let draw = if self.draws { " && random(0.8)" } else { "" };
        let mut text = format!("{indent}next kept0 = kept0 != ({own} && {other} || forward && dx > y % 2){draw}\n");
        if !self.kind.bits {
            let draw = if self.draws { " + u8(below(3))" } else { "" };
            text += &format!("{indent}next kept1 = kept1 * 5 + u8(kept0) + u8({other}){draw}\n");
        }
        text
    }

    /// A value that depends on bonds.
    pub(crate) fn bonded(&self, ty: Ty, value: String) -> String {
        let Some(Bonds { bit, number, .. }) = &self.pairs else { return value };
        match ty {
            Ty::Bit => format!("({value}) != l{bit}"),
            Ty::Enum(i) => format!("if l{bit} {{ {} }} else {{ {value} }}", ENUMS[i][0]),
            ty if ty.is_float() => value,
            Ty::I32 => format!("({value}) + l{number}"),
            _ => format!("({value}) ^ {}(l{number})", ty.text()),
        }
    }

    /// Observables of pairs.
    pub(crate) fn observed_pairs(&self) -> String {
        let Some(Bonds { over, .. }) = &self.pairs else { return String::new() };
        let (own, other) = (self.mark(""), self.mark("nb."));
        let bond = if self.draws { &own } else { "nb.b1" };
        let mut text = format!("    observe pairs0 = count({own} != {other} over {over})\n");
        text += &format!("    observe pairs1 = sum(if {bond} {{ x + dx }} else {{ -2 * dy }} over {over})\n");
        text += &format!("    observe pairs4 = count(kept0 && !{other} over {over})\n");
        if !self.kind.bits {
            text += &format!("    observe pairs2 = mean(f64(x) * 0.1 + f64(i32({other})) over {over})\n");
            text += &format!("    observe pairs5 = sum(i32(kept1) * (x + 2 * dx) over {over})\n");
            text += &format!("    observe pairs3 = max(if {bond} {{ x - dx }} else {{ y }} over {over})\n");
        }
        text
    }
}
