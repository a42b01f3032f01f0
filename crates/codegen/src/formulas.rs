//! Every function of three bits, as few operations on two.
//!
//! Up to a negation at the end each of the 256 functions is false for three false bits; there are 128 of these, closed
//! under `and`, `or`, `xor` and `and not`. An exhaustive search finds all shortest ways to compute each, so that the user
//! can take the one that shares most with the code so far: an adder's sum and carry, say, share `a ^ b`.

use squeeze_compiler::kernel::LogicOp;
use std::sync::OnceLock;

/// Operations on two bits that give false for false ones, and whether the second stands first.
const GATES: [(LogicOp, bool); 5] = [
    (LogicOp::And, false),
    (LogicOp::AndNot, false),
    (LogicOp::AndNot, true),
    (LogicOp::Or, false),
    (LogicOp::Xor, false),
];

/// An operation on two earlier values: 0, 1 and 2 are the bits a, b and c, 3 + i is the i-th operation's result.
pub(crate) type FormulaStep = (LogicOp, u8, u8);

/// The bits a, b and c as tables: row `4a + 2b + c`.
pub(crate) const BITS: [u8; 3] = [0xF0, 0xCC, 0xAA];

/// The most operations that any function takes.
const MOST_STEPS: usize = 4;

/// The most formulas that are remembered for each function.
const MOST_WAYS: usize = 64;

/// The shortest ways to compute a function that is false in row 0 and is not one of the bits; the last step's result is
/// the function's value.
///
/// # Panics
/// If the function is true in row 0.
pub(crate) fn ways(table: u8) -> &'static [Vec<FormulaStep>] {
    static WAYS: OnceLock<Vec<Vec<Vec<FormulaStep>>>> = OnceLock::new();
    assert_eq!(table & 1, 0, "negate the function");
    let all = WAYS.get_or_init(|| {
        let mut search = FormulaSearch { ways: vec![Vec::new(); 128], steps: Vec::new(), values: BITS.to_vec() };
        (1..=MOST_STEPS).for_each(|depth| search.extend(depth, None));
        search.ways
    });
    &all[usize::from(table >> 1)]
}

struct FormulaSearch {
    ways: Vec<Vec<Vec<FormulaStep>>>,
    steps: Vec<FormulaStep>,
    values: Vec<u8>,
}

impl FormulaSearch {
    /// Adds `depth` steps in all ways behind the `last` one: the number of its gate, and its operands.
    fn extend(&mut self, depth: usize, last: Option<(usize, u8, u8)>) {
        let fresh = self.values.len() as u8;
        for j in 1..fresh {
            for i in 0..j {
                for (number, (gate, turned)) in GATES.into_iter().enumerate() {
                    // Of steps that could be swapped, only one order.
                    if last.is_some_and(|last| j != fresh - 1 && last >= (number, i, j)) {
                        continue;
                    }
                    let (x, y) = if turned { (j, i) } else { (i, j) };
                    let value = gate.apply(self.values[usize::from(x)], self.values[usize::from(y)]);
                    if value == 0 || self.values.contains(&value) {
                        continue;
                    }
                    self.steps.push((gate, x, y));
                    self.values.push(value);
                    if depth == 1 {
                        self.remember(value);
                    } else {
                        self.extend(depth - 1, Some((number, i, j)));
                    }
                    self.steps.pop();
                    self.values.pop();
                }
            }
        }
    }

    fn remember(&mut self, value: u8) {
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
