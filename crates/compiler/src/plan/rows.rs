//! The model of rows: the cost of a pass over a mask or a box, told by the kernels of a time step.
//!
//! There is one way to store rows that suits a machine, so nothing is chosen by this; it says what to expect. Columns are computed whole, whatever part of
//! their places are cells, and a pass moves each state to and from memory once. The figures are those of replicas ([`Machine`]), which were fitted to
//! measurements. This model was not: it is a guess.

use super::{Plan, Step};
use crate::kernel::{Node, Op, arithmetic, input, logic, scalar_input};
use crate::layout::rows::RowGrid;
use crate::target::{Estimate, Machine};

/// Operations on numbers that one random word takes. Guess: ten rounds of Philox, of which each word takes a quarter.
const WORD: f64 = 60.0;

/// The estimate of a plan of rows whose time steps are these kernels.
pub(super) fn judge_rows(grid: &RowGrid, plan: &Plan, step: &Step, machine: &Machine) -> Estimate {
    let (lanes, columns, cells) = (grid.shape.lanes as f64, grid.columns() as f64, grid.cells() as f64);
    let registers = |bits: f64| (lanes * bits / machine.vector_bits as f64).ceil();
    let nodes = || step.iter().flat_map(|(kernel, _)| &kernel.nodes);
    // Nanoseconds of a column, all threads working.
    let of_node = |node: &Node| {
        // Processors compute with elements of 32 bits at least.
        let bits = node.ty.map_or(1, |ty| 8 * ty.scalar().bytes()).max(32) as f64;
        match node.op {
            logic!() => registers(1.0) * machine.operation / machine.threads,
            arithmetic!() => registers(bits) * machine.numeric / machine.threads,
            Op::RandomBit { .. } => registers(1.0) * machine.random / machine.random_threads,
            Op::Random { .. } => registers(32.0) * WORD * machine.numeric / machine.threads,
            input!() | Op::Store { .. } => registers(1.0) * machine.load / machine.threads,
            scalar_input!() => 0.0,
        }
    };
    let compute = nodes().map(of_node).sum::<f64>() * columns;
    let bytes = plan.storage.bytes_of_buffers(plan.states()) as f64;
    let passes = 1.0 / f64::from(plan.steps_of_pass());
    let memory = passes * bytes * machine.nanoseconds_a_byte(bytes) / machine.threads.min(machine.memory_threads);
    let time = if machine.hides_memory { compute.max(memory) } else { compute + memory } + passes * machine.pass;
    Estimate {
        cost: 1000.0 * time / cells,
        wait: 0.0,
        density: cells / (lanes * columns),
        overlap: 1.0,
        operations: nodes().count() as f64,
        memory_bound: memory > compute,
    }
}
