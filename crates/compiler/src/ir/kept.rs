//! Decides whether fields are kept in memory although the kernels that read them could compute them.
//!
//! A kernel that reads a field which is not kept computes it once for each place that it looks at. A kept field is computed once for each cell, by a
//! kernel of its own. This kernel moves its operands and results between memory and registers, and no pass computes several steps. Both are counted in bits: an operation on values of 32 bits counts as 32 operations.
//!
//! The decision follows from the rule, and from what kind of domain it runs on, so all backends make the same one.

use super::fractal::Dimension;
use super::needs::{CellOffset, CellOffsets, NeededOffsets};
use super::rule::{Body, NodeId, Op, RuleParts, StateId, of_all_cells, of_cell, of_operands};
use crate::numbers::value::Type;
use std::collections::BTreeSet;

/// Operations on a bit that take as long as it takes to move a bit, as measured on a CPU: from as many on, fields were cheaper kept on all boxes
/// that were tried. Measured: on a CPU.
const OPERATIONS_A_MOVE: f64 = 40.0;
/// The same of fractals: neighbours in one superblock share what they compute, passes have several steps, and many neighbours are holes. Guess: not measured.
const OPERATIONS_A_MOVE_OF_FRACTALS: f64 = 200.0;
/// Operations of a function such as `exp`, or of a look-up in memory. Guess: not measured.
const OF_FUNCTION: f64 = 40.0;
/// Operations for one neighbour's bit in a count, as measured on life after all passes. Measured: on kernels of life, on all devices.
const ADDER: f64 = 2.0;

impl Body {
    /// Operations of a node for a cell, before any sharing, where a neighbourhood has this many neighbours.
    pub(crate) fn operations(&self, op: &Op, neighbours: impl FnOnce(u16) -> f64) -> f64 {
        match op {
            Op::Aggregate(aggregate) => {
                let constant = self.constant_nodes();
                let free = |id: &u32| constant[*id as usize] || matches!(self.nodes[*id as usize].op, Op::Neighbour(_));
                let term = aggregate.term.clone().filter(|id| !free(id)).count();
                let adding = if self.node(aggregate.value).ty == Type::Bit { ADDER } else { 1.0 };
                neighbours(aggregate.neighbourhood) * (term as f64 + adding)
            }
            Op::Math(..) | Op::Math2(..) | Op::LookUp { .. } => OF_FUNCTION,
            Op::Const(_) | Op::Param(_) | Op::State(_) | Op::Neighbour(_) => 0.0,
            _ => 1.0,
        }
    }

    /// Which nodes are known for each offset before any cell is.
    fn constant_nodes(&self) -> Vec<bool> {
        let mut constant: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            constant.push(match node.op {
                of_operands!() => node.op.operands().into_iter().all(|id| constant[id.0 as usize]),
                of_all_cells!() => false,
                // The same for an offset wherever it is looked from.
                of_cell!() => matches!(node.op, Op::Offset(_) | Op::Weight(_)),
            });
        }
        constant
    }
}

impl RuleParts {
    /// Whether fields are cheaper kept than computed where they are read, on a fractal, or on a mask or a box.
    pub(crate) fn is_cheaper_kept(&self, dimension: Dimension, on_fractal: bool) -> bool {
        if self.fields.is_empty() || self.must_be_step_by_step() {
            return false;
        }
        let neighbourhoods: Vec<Vec<CellOffset>> = self.neighbourhoods.iter().map(|n| n.offsets(dimension)).collect();
        let states = || (0..self.states.len()).map(|index| StateId(index as u16));
        // From the last step back to the first.
        let mut needs: NeededOffsets = states().map(|state| (state, CellOffsets::from([[0; 3]]))).collect();
        let bits = |state: StateId| self.bits(self.state(state).ty);
        let (mut again, mut moved, mut read_by_any) = (0.0, 0.0, BTreeSet::new());
        for step in self.steps.iter().rev() {
            let nodes = step.needed_nodes(&needs, &neighbourhoods);
            for of_places in &nodes {
                let operations = |id: &NodeId| self.operations(&step.body, *id, &neighbourhoods);
                let others = of_places.at.len().saturating_sub(1);
                again += others as f64 * of_places.nodes.iter().map(operations).sum::<f64>();
            }
            let read: BTreeSet<StateId> =
                nodes.iter().flat_map(|nodes| &nodes.looks).map(|(state, _)| *state).collect();
            let written = step.body.results.iter().map(|(state, _)| *state);
            moved += read.iter().copied().chain(written).map(bits).sum::<f64>();
            read_by_any.extend(read);
            needs = step.needs_before(needs, &nodes);
        }
        // One kernel for all reads and writes no field.
        let read = states().filter(|state| read_by_any.contains(state));
        let changed = states().filter(|state| self.changes(usize::from(state.0)));
        let moved_by_one: f64 = read.chain(changed).map(bits).sum();
        let a_move = if on_fractal { OPERATIONS_A_MOVE_OF_FRACTALS } else { OPERATIONS_A_MOVE };
        again > a_move * (moved - moved_by_one)
    }

    /// Operations on bits of a node for a cell.
    fn operations(&self, body: &Body, id: NodeId, neighbourhoods: &[Vec<CellOffset>]) -> f64 {
        /// Processors compute with elements of 32 bits at least.
        const ELEMENT: f64 = 32.0;
        let op = &body.node(id).op;
        let types = op.operands().into_iter().chain([id]).map(|id| body.node(id).ty);
        let bits = types.map(|ty| match ty {
            Type::Bit | Type::Enum(_) => self.bits(ty),
            number => self.bits(number).max(ELEMENT),
        });
        body.operations(op, |n| neighbourhoods[usize::from(n)].len() as f64) * bits.fold(0.0, f64::max)
    }

    /// Bits of a value in memory.
    fn bits(&self, ty: Type) -> f64 {
        match ty {
            Type::Bit => 1.0,
            Type::Enum(id) => f64::from(self.enum_type(id).variants.len().next_power_of_two().ilog2().max(1)),
            number => 8.0 * number.bytes() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Dimension;
    use crate::check::{NoFiles, check};
    use crate::text::source::Sources;

    /// A let, the expression that reads it, and whether boxes keep it in two and in three dimensions.
    const CASES: [(&str, &str, [bool; 2]); 9] = [
        ("u * u * u - u", "sum(moore, nb.l - l)", [false; 2]),
        ("exp(u) * sin(u)", "sum(moore, nb.l - l)", [true; 2]),
        // A let that only its own cell reads is no field.
        ("exp(u) * sin(u) + cos(u)", "l", [false; 2]),
        // One neighbour is not enough.
        ("exp(u)", "l[1, 0] else l", [false; 2]),
        ("exp(u)", "sum(von_neumann, nb.l)", [false, true]),
        ("abs(u) + sum(von_neumann, nb.u - u)", "sum(von_neumann, nb.l)", [false; 2]),
        ("1.0 + u * (2.0 + u * (3.0 + u * (4.0 + u * 5.0)))", "sum(moore, nb.l)", [false, true]),
        // Rules that draw keep their fields in any case.
        ("exp(u) * sin(u) * uniform()", "sum(moore, nb.l)", [false; 2]),
        ("exp(u) * sin(u)", "if random(0.5) { sum(moore, nb.l) } else { u }", [false; 2]),
    ];

    #[test]
    fn long_lets_of_many_neighbours_are_kept() {
        for (value, next, kept) in CASES {
            // A state that nothing reads makes no difference.
            let text = format!(
                "rule r {{ state u: f32  state v: f64  init u = 0.0  init v = 0.0  let l = {value}  next u = u + ({next}) }}"
            );
            let mut sources = Sources::new();
            let root = sources.add("test", &text);
            let library = check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{errors:?}"));
            let found = [Dimension::Two, Dimension::Three].map(|of| library.rules[0].is_cheaper_kept(of, false));
            assert_eq!(found, kept, "{value}; {next}");
            let is_longest = value == "exp(u) * sin(u)" && kept[0];
            assert_eq!(library.rules[0].is_cheaper_kept(Dimension::Two, true), is_longest, "{value}; {next}");
        }
    }
}
