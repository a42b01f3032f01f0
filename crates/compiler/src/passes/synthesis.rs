//! Small boolean functions with don't-cares, as few operations on two operands.
//!
//! A function of up to six variables is two words of 64 rows: where it must be true and where it must be false; row i has
//! variable v = bit v of i. The search splits off one variable (`v & rest`, `v | rest`, `v ^ rest`) or joins two into
//! one wherever the rows allow it, tries all ways, and falls back to choosing between the two halves of a variable.
//! It is exact for the functions that come up (count tests) and never wrong. Negations cost nothing: they vanish in
//! `a & !b` mostly.

use crate::kernel::LogicOp::{self, And, Or, Xor};
use rustc_hash::FxHashMap;

/// The most variables.
pub(crate) const MOST_VARIABLES: usize = 6;

/// A partly defined function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartialFunction {
    /// The rows where it is true.
    pub on: u64,
    /// The rows where it is false; disjoint from `on`. All others do not matter.
    pub off: u64,
}

/// How to compute a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A constant.
    Constant(bool),
    /// A variable.
    Variable(usize),
    /// `!a`
    Not(Box<Formula>),
    /// An operation on two others.
    Logic(LogicOp, Box<Formula>, Box<Formula>),
    /// `condition ? then : otherwise` by a variable.
    Choose(usize, Box<Formula>, Box<Formula>),
}

/// The rows in which a variable is true.
pub(crate) fn rows_of(variable: usize) -> u64 {
    const ROWS: [u64; MOST_VARIABLES] = [
        0xAAAA_AAAA_AAAA_AAAA,
        0xCCCC_CCCC_CCCC_CCCC,
        0xF0F0_F0F0_F0F0_F0F0,
        0xFF00_FF00_FF00_FF00,
        0xFFFF_0000_FFFF_0000,
        0xFFFF_FFFF_0000_0000,
    ];
    ROWS[variable]
}

/// Rows with `variable` set to `value`, in both halves.
fn half(rows: u64, variable: usize, value: bool) -> u64 {
    let (mask, step) = (rows_of(variable), 1 << variable);
    if value {
        let kept = rows & mask;
        kept | kept >> step
    } else {
        let kept = rows & !mask;
        kept | kept << step
    }
}

impl PartialFunction {
    fn with(self, variable: usize, value: bool) -> PartialFunction {
        PartialFunction { on: half(self.on, variable, value), off: half(self.off, variable, value) }
    }

    fn not(self) -> PartialFunction {
        PartialFunction { on: self.off, off: self.on }
    }

    /// The function that agrees with both, if these do not contradict each other.
    fn both(self, other: PartialFunction) -> Option<PartialFunction> {
        let merged = PartialFunction { on: self.on | other.on, off: self.off | other.off };
        (merged.on & merged.off == 0).then_some(merged)
    }

    /// Whether it says something about a variable.
    fn depends_on(self, variable: usize) -> bool {
        self.with(variable, false) != self.with(variable, true)
    }

    /// The function that equals `yes` where `variable` is true, and `no` elsewhere.
    fn either(variable: usize, no: PartialFunction, yes: PartialFunction) -> PartialFunction {
        let mask = rows_of(variable);
        PartialFunction { on: yes.on & mask | no.on & !mask, off: yes.off & mask | no.off & !mask }
    }
}

impl Formula {
    /// How many operations it is; negations are free, a choice is three.
    pub fn cost(&self) -> u32 {
        match self {
            Formula::Constant(_) | Formula::Variable(_) => 0,
            Formula::Not(a) => a.cost(),
            Formula::Logic(_, a, b) => 1 + a.cost() + b.cost(),
            Formula::Choose(_, a, b) => 3 + a.cost() + b.cost(),
        }
    }

    /// The same with another formula for a variable, which no choice is made by.
    fn replace(self, variable: usize, by: &Formula) -> Formula {
        let inner = |a: Box<Formula>| Box::new(a.replace(variable, by));
        match self {
            Formula::Variable(v) if v == variable => by.clone(),
            Formula::Not(a) => Formula::Not(inner(a)),
            Formula::Logic(op, a, b) => Formula::Logic(op, inner(a), inner(b)),
            Formula::Choose(v, a, b) if v == variable => {
                let yes = Formula::Logic(And, Box::new(by.clone()), inner(a));
                let no = Formula::Logic(And, Box::new(Formula::Not(Box::new(by.clone()))), inner(b));
                Formula::Logic(Or, Box::new(yes), Box::new(no))
            }
            Formula::Choose(v, a, b) => Formula::Choose(v, inner(a), inner(b)),
            leaf => leaf,
        }
    }

    /// The rows in which it is true.
    #[cfg(test)]
    fn rows(&self) -> u64 {
        match self {
            Formula::Constant(bit) => {
                if *bit {
                    u64::MAX
                } else {
                    0
                }
            }
            Formula::Variable(v) => rows_of(*v),
            Formula::Not(a) => !a.rows(),
            Formula::Logic(op, a, b) => op.apply(a.rows(), b.rows()),
            Formula::Choose(v, a, b) => rows_of(*v) & a.rows() | !rows_of(*v) & b.rows(),
        }
    }
}

/// Finds formulas, and remembers them: the cells of a kernel ask for the same ones.
#[derive(Debug, Default)]
pub(crate) struct Synthesis {
    known: FxHashMap<PartialFunction, Formula>,
}

impl Synthesis {
    /// Knows nothing yet.
    pub(crate) fn new() -> Synthesis {
        Synthesis::default()
    }

    /// A formula for a function. Variables are dropped where possible, those with high numbers first: give
    /// high numbers to those that are dear.
    pub(crate) fn formula(&mut self, function: PartialFunction) -> Formula {
        let mut function = function;
        for variable in (0..MOST_VARIABLES).rev() {
            if let Some(without) = function.with(variable, false).both(function.with(variable, true)) {
                function = without;
            }
        }
        self.search(function)
    }

    fn search(&mut self, function: PartialFunction) -> Formula {
        if function.on == 0 {
            return Formula::Constant(false);
        }
        if function.off == 0 {
            return Formula::Constant(true);
        }
        if let Some(known) = self.known.get(&function) {
            return known.clone();
        }
        let found = self.cheapest(function);
        self.known.insert(function, found.clone());
        found
    }

    fn cheapest(&mut self, function: PartialFunction) -> Formula {
        let variables: Vec<usize> = (0..MOST_VARIABLES).filter(|v| function.depends_on(*v)).collect();
        for v in &variables {
            let literal = PartialFunction { on: rows_of(*v), off: !rows_of(*v) };
            if function.both(literal).is_some() {
                return Formula::Variable(*v);
            }
            if function.both(literal.not()).is_some() {
                return Formula::Not(Box::new(Formula::Variable(*v)));
            }
        }
        let mut found: Option<(u32, Formula)> = None;
        let mut offer = |formula: Formula| {
            let cost = formula.cost();
            if found.as_ref().is_none_or(|(least, _)| cost < *least) {
                found = Some((cost, formula));
            }
        };
        for v in &variables {
            self.splits(function, *v).into_iter().for_each(&mut offer);
        }
        for (i, a) in variables.iter().enumerate() {
            for b in &variables[i + 1..] {
                self.joins(function, *a, *b).into_iter().for_each(&mut offer);
            }
        }
        if let Some((_, formula)) = found {
            return formula;
        }
        let choices = variables.iter().map(|v| {
            let (yes, no) = (self.search(function.with(*v, true)), self.search(function.with(*v, false)));
            Formula::Choose(*v, Box::new(yes), Box::new(no))
        });
        choices.min_by_key(Formula::cost).expect("a function that is not constant depends on something")
    }

    /// Formulas that combine a variable with a function of the others.
    fn splits(&mut self, function: PartialFunction, v: usize) -> Vec<Formula> {
        let (no, yes) = (function.with(v, false), function.with(v, true));
        let variable = || Box::new(Formula::Variable(v));
        let negated = || Box::new(Formula::Not(variable()));
        let mut formulas = Vec::new();
        if yes.on == 0 {
            formulas.push(Formula::Logic(And, negated(), Box::new(self.search(no))));
        }
        if no.on == 0 {
            formulas.push(Formula::Logic(And, variable(), Box::new(self.search(yes))));
        }
        if yes.off == 0 {
            formulas.push(Formula::Logic(Or, variable(), Box::new(self.search(no))));
        }
        if no.off == 0 {
            formulas.push(Formula::Logic(Or, negated(), Box::new(self.search(yes))));
        }
        if let Some(rest) = no.both(yes.not()) {
            formulas.push(Formula::Logic(Xor, variable(), Box::new(self.search(rest))));
        }
        formulas
    }

    /// Formulas in which two variables occur only together.
    fn joins(&mut self, function: PartialFunction, a: usize, b: usize) -> Vec<Formula> {
        let quarter = |x: bool, y: bool| function.with(a, x).with(b, y);
        let literal = |v: usize, value: bool| {
            let variable = Box::new(Formula::Variable(v));
            if value { variable } else { Box::new(Formula::Not(variable)) }
        };
        let mut formulas = Vec::new();
        for (x, y) in [(true, true), (true, false), (false, true), (false, false)] {
            let others = quarter(!x, y).both(quarter(x, !y)).and_then(|rest| rest.both(quarter(!x, !y)));
            if let Some(others) = others {
                let joined = Formula::Logic(And, literal(a, x), literal(b, y));
                formulas.push((joined, PartialFunction::either(a, others, quarter(x, y))));
            }
        }
        let equal = quarter(false, false).both(quarter(true, true));
        let unequal = quarter(false, true).both(quarter(true, false));
        if let (Some(equal), Some(unequal)) = (equal, unequal) {
            let joined = Formula::Logic(Xor, literal(a, true), literal(b, true));
            formulas.push((joined, PartialFunction::either(a, equal, unequal)));
        }
        formulas.into_iter().map(|(joined, rest)| self.search(rest).replace(a, &joined)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::digest::mix;

    #[test]
    fn formulas_are_right_where_it_matters() {
        let mut synthesis = Synthesis::new();
        for seed in 0..300 {
            let variables = 1 + seed % 6;
            let rows = if variables == 6 { u64::MAX } else { (1 << (1 << variables)) - 1 };
            let repeat =
                |bits: u64| (0..6).fold(bits & rows, |all, v| if v < variables { all } else { all | all << (1 << v) });
            let on = repeat(mix(seed) & mix(seed + 1000));
            let function = PartialFunction { on, off: repeat(mix(seed + 2000)) & !on };
            let formula = synthesis.formula(function);
            assert_eq!(formula.rows() & function.off, 0);
            assert_eq!(!formula.rows() & function.on, 0);
        }
    }

    /// Variables: alive, ones, twos, fours, eights; counts up to 8.
    #[test]
    fn life_takes_three_operations() {
        let (mut on, mut off) = (0u64, 0u64);
        for row in 0..64u64 {
            let (alive, count) = (row & 1 == 1, row >> 1 & 15);
            let next = if alive { (2..=3).contains(&count) } else { count == 2 };
            if count <= 8 {
                if next { on |= 1 << row } else { off |= 1 << row }
            }
        }
        assert_eq!(Synthesis::new().formula(PartialFunction { on, off }).cost(), 3);
    }
}
