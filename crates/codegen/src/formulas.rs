//! Functions of three bits by the fewest operations on two bits.
//!
//! Half of the 256 functions give false for three false bits, and the others are negations of these. `and`, `or`, `xor` and `and not` of two of the
//! 128 give another of them. An exhaustive search finds the shortest formulas of each, so that a caller can take the one that shares most operations
//! with the code so far: an adder's sum and carry, say, share `a ^ b`.

use squeeze_compiler::kernel::LogicOp;
use std::sync::OnceLock;

/// Operations that give false for two false bits, each with whether its operands are swapped.
const GATES: [(LogicOp, bool); 5] = [
    (LogicOp::And, false),
    (LogicOp::AndNot, false),
    (LogicOp::AndNot, true),
    (LogicOp::Or, false),
    (LogicOp::Xor, false),
];

/// An operation and the numbers of its operands: 0, 1 and 2 are the bits a, b and c, and 3 + i is the result of step i.
pub(crate) type FormulaStep = (LogicOp, u8, u8);

/// The functions a, b and c as truth tables: bit `4a + 2b + c` of a table, its *row*, holds the value for a, b and c.
pub(crate) const BITS: [u8; 3] = [0xF0, 0xCC, 0xAA];

/// The most operations that any function takes.
const MOST_STEPS: usize = 4;

/// The most formulas that are kept for a function.
const MOST_WAYS: usize = 64;

/// The shortest formulas of a function, by its truth table. The last step gives the function's value. There are none for a constant and for the bits
/// themselves.
///
/// # Panics
/// If the function is true in row 0: callers negate it, and then the result.
pub(crate) fn ways(table: u8) -> &'static [Vec<FormulaStep>] {
    static WAYS: OnceLock<Vec<Vec<Vec<FormulaStep>>>> = OnceLock::new();
    assert_eq!(table & 1, 0, "negate the function");
    let all = WAYS.get_or_init(|| {
        let mut search = FormulaSearch { ways: vec![Vec::new(); 128], steps: Vec::new(), values: BITS.to_vec() };
        (1..=MOST_STEPS).for_each(|steps| search.extend(steps, None));
        search.ways
    });
    &all[usize::from(table >> 1)]
}

/// The formulas found so far, by half of the function's table; the steps of the formula being tried, and the tables of the bits and of each step.
struct FormulaSearch {
    ways: Vec<Vec<Vec<FormulaStep>>>,
    steps: Vec<FormulaStep>,
    values: Vec<u8>,
}

impl FormulaSearch {
    /// Tries all formulas with `left` more steps; `last` is the step before, by its gate's number and its operands.
    fn extend(&mut self, left: usize, last: Option<(usize, u8, u8)>) {
        let count = self.values.len() as u8;
        for j in 1..count {
            for i in 0..j {
                for (number, (gate, swapped)) in GATES.into_iter().enumerate() {
                    // Two steps in a row that do not need each other are tried in one order.
                    if last.is_some_and(|last| j != count - 1 && last >= (number, i, j)) {
                        continue;
                    }
                    let (x, y) = if swapped { (j, i) } else { (i, j) };
                    let value = gate.apply(self.values[usize::from(x)], self.values[usize::from(y)]);
                    if value == 0 || self.values.contains(&value) {
                        continue;
                    }
                    self.steps.push((gate, x, y));
                    self.values.push(value);
                    if left == 1 {
                        self.keep(value);
                    } else {
                        self.extend(left - 1, Some((number, i, j)));
                    }
                    self.steps.pop();
                    self.values.pop();
                }
            }
        }
    }

    /// Keeps the formula for its function, if it is shortest and has no step whose result is unused.
    fn keep(&mut self, value: u8) {
        let all_used =
            (3..self.values.len() as u8 - 1).all(|v| self.steps.iter().any(|(_, i, j)| [i, j].contains(&&v)));
        let ways = &mut self.ways[usize::from(value >> 1)];
        let shortest = ways.first().is_none_or(|way| way.len() == self.steps.len());
        if all_used && shortest && ways.len() < MOST_WAYS {
            ways.push(self.steps.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_functions_are_computed_by_at_most_four_operations() {
        let mut operations = [0; MOST_STEPS + 1];
        for table in (2..=254u8).step_by(2).filter(|table| !BITS.contains(table)) {
            let ways = ways(table);
            assert!(!ways.is_empty(), "{table:#x}");
            for way in ways {
                let mut values = BITS.to_vec();
                for (gate, i, j) in way {
                    values.push(gate.apply(values[usize::from(*i)], values[usize::from(*j)]));
                }
                assert_eq!(values.last(), Some(&table));
            }
            operations[ways[0].len()] += 1;
        }
        // Parity takes two operations, a choice three, a majority four.
        assert_eq!([0x96, 0xCA, 0xE8].map(|table| ways(table)[0].len()), [2, 3, 4]);
        assert_eq!(operations.iter().sum::<i32>(), 124);
    }
}
