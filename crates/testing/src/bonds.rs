//! Bonds: values of pairs of neighbours, computed and kept, lets that read them, and their clusters.

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
        (self.clusters || self.layouts % 8 == 3) && !matches!(self.layouts % 10, 4..=6)
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

    /// Clusters of these bonds, and lets that ask them.
    pub(crate) fn clusters(&self) -> String {
        let when = ["", " when x % 4 != 1 || y % 3 == 0", "", " when sited"][self.layouts / 96 % 4];
        let (own, mut text) = (self.mark(""), String::new());
        let site = if self.draws { "random(0.8)" } else { "x % 2 == 0 || y % 5 > 1" };
        writeln!(text, "    let sited = {site} || {own}").expect("text");
        writeln!(text, "    clusters c0 of b0{when}\n    clusters c1 of kept0").expect("text");
        let span = ["x", "y"][self.layouts / 384 % 2];
        let bit = match self.draws {
            true => "(random(0.6) at c0) != (random(if x % 7 == 2 { 0.9 } else { 0.3 }) at c1)".to_owned(),
            false => format!("(all({own}) of c0) != (any(!{own}) of c1)"),
        };
        writeln!(text, "    let turned = ({bit}) != (spans(c0, {span}) || root(c1) == cell)").expect("text");
        if self.kind.bits {
            return text;
        }
        let drawn = [
            "i64(bits() at c1)",
            "i64(below(7) at c0)",
            "i64(1000.0 * (uniform() at c0))",
            "i64(9.0 * (normal() at c1))",
        ];
        let drawn = if self.draws { drawn[self.layouts / 768 % 4] } else { "count() of c0" };
        writeln!(text, "    let large = (count({own}) of c0) + (sum(x - 2 * y) of c1) + {drawn}").expect("text");
        writeln!(text, "    let least = (min(3 * x - y) of c0 else 7) - (max(i32({own}) + x * y) of c1)")
            .expect("text");
        text + "    let border = count(von_neumann, nb.turned != turned || nb.large > large) + i32(root(c0) % 5)\n"
    }

    /// A value that depends on clusters, in a step whose cells do not take turns.
    pub(crate) fn clustered(&self, ty: Ty, value: String) -> String {
        if !self.has_clusters() {
            return value;
        }
        match ty {
            Ty::Bit => format!("({value}) != turned"),
            Ty::Enum(i) => format!("if turned {{ {} }} else {{ {value} }}", ENUMS[i][0]),
            ty if ty.is_float() => format!("if turned {{ {}(0.25) }} else {{ {value} }}", ty.text()),
            _ if self.kind.bits => value,
            _ => format!("({value}) ^ {}(large + i64(least) * 3 + i64(border))", ty.text()),
        }
    }

    /// Whether it has clusters.
    fn has_clusters(&self) -> bool {
        self.clusters && self.pairs.is_some()
    }

    /// Observables of clusters.
    pub(crate) fn observed_clusters(&self) -> String {
        if !self.has_clusters() {
            return String::new();
        }
        let own = self.mark("");
        let mut text =
            "    observe clusters0 = count(true per c1)\n    observe clusters1 = max(count() of c1)\n".to_owned();
        text += &format!("    observe clusters2 = sum((count({own}) of c1) * (count() of c1) per c1)\n");
        text += "    observe clusters3 = mean(count() of c1 per c1)\n    observe clusters4 = histogram(f64(count() of c1) per c1, 0.0, 9.0, 3)\n";
        if !self.kind.bits {
            text +=
                "    observe clusters7 = sum(sum(x - 2 * y) of c1)\n    observe clusters8 = max(max(x) of c1 per c1)\n";
        }
        if self.axes == 3 && self.kind.dimension == 3 {
            text += "    observe clusters9 = count(spans(c1, z) per c1)\n";
        }
        if !self.draws {
            text += "    observe clusters5 = count(spans(c0, y) per c0)\n    observe clusters6 = min(root(c0))\n";
        }
        text
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
