//! The meaning of a kernel, in code: one operation after the other, one lane after the other.
//!
//! Fields are plain lists of [`Value::bits`] by canonical index here, so that nothing but the meaning of the operations, the
//! neighbour table and the lane permutations can be wrong. Executors are compared with this; it is compared with the oracle.

use crate::kernel::evaluate::evaluate;
use crate::kernel::{Direction, Kernel, LaneType, Load, Op, ValueId, arithmetic, logic};
use crate::layout::Layout;
use crate::layout::permutation::{ABSENT, Wraps, source};
use crate::layout::table::far_neighbour;
use crate::layout::table::whole::NeighbourTable;
use crate::layout::unit::{CellIndex, Lane, Micro, Unit};
use crate::numbers::value::Value;
use crate::numbers::{philox, scalar};

/// Everything about a run that is not in the fields.
#[derive(Clone, Debug)]
pub(crate) struct Inputs<'a> {
    /// The layout for which the kernel was made.
    pub layout: &'a Layout,
    /// Its neighbours.
    pub table: &'a NeighbourTable,
    /// Its lane permutations.
    pub wraps: &'a Wraps,
    /// The parameters' values.
    pub params: &'a [Value],
    /// The first time that the run computes.
    pub time: u32,
    /// The seed.
    pub seed: u64,
}

/// Runs a kernel on every superblock: reads `old`, writes `new`, each with one list per state of the kernel. States
/// that the kernel does not store are left alone in `new`.
///
/// # Panics
/// If the kernel is not verified, or does not belong to the layout, or lists are too short.
pub(crate) fn run(kernel: &Kernel, inputs: &Inputs<'_>, old: &[Vec<u64>], new: &mut [Vec<u64>]) {
    for unit in (0..inputs.layout.superblocks()).map(Unit) {
        let mut values: Vec<Vec<Value>> = Vec::with_capacity(kernel.nodes.len());
        for node in &kernel.nodes {
            let lanes = match &node.op {
                Op::Store { state, plane, micro, value } => {
                    let field = &mut new[usize::from(*state)];
                    for (lane, value) in values[value.0 as usize].iter().enumerate() {
                        let CellIndex(c) = inputs.layout.canonical(Lane(lane as u32), unit, Micro(*micro));
                        let cell = &mut field[c as usize];
                        match value {
                            Value::Bit(bit) => *cell = *cell & !(1 << plane) | u64::from(*bit) << plane,
                            number => *cell = number.bits(),
                        }
                    }
                    Vec::new()
                }
                op => {
                    let here = Here { kernel, inputs, old, unit, values: &values };
                    let ty = node.ty.expect("only stores have no type");
                    (0..inputs.layout.lanes() as u32).map(|lane| here.element(ty, op, Lane(lane))).collect()
                }
            };
            values.push(lanes);
        }
    }
}

/// A kernel in the middle of its run on a superblock.
struct Here<'a> {
    kernel: &'a Kernel,
    inputs: &'a Inputs<'a>,
    old: &'a [Vec<u64>],
    unit: Unit,
    values: &'a [Vec<Value>],
}

impl Here<'_> {
    /// The superblock and the lane that lie in a direction from a lane, if they exist.
    fn neighbour(&self, direction: Direction, lane: Lane) -> Option<(Unit, Lane)> {
        let Inputs { layout, table, wraps, .. } = self.inputs;
        if direction == Direction::CENTRE {
            return Some((self.unit, lane));
        }
        let Some(index) = direction.index(layout.dimension()) else {
            let (unit, wrap) = far_neighbour(layout, layout.superblock_place(self.unit), direction);
            let source = source(layout, wrap, lane.0);
            return unit.filter(|_| source != ABSENT).map(|unit| (unit, Lane(source)));
        };
        let unit = table.neighbours(self.unit)[index];
        let moved = wraps.of(table.touched_sides(self.unit).wrap(direction));
        let source = moved.map_or(lane.0, |moved| moved.sources[lane.0 as usize]);
        unit.filter(|_| source != ABSENT).map(|unit| (unit, Lane(source)))
    }

    /// One element of an operation's result.
    fn element(&self, ty: LaneType, op: &Op, lane: Lane) -> Value {
        let Inputs { layout, params, time, seed, .. } = self.inputs;
        match op {
            Op::Load(Load { state, plane, direction, micro }) => {
                let Some((unit, lane)) = self.neighbour(*direction, lane) else {
                    return Value::zero(ty.scalar());
                };
                let CellIndex(c) = layout.canonical(lane, unit, Micro(*micro));
                Value::from_bits(ty.scalar(), self.old[usize::from(*state)][c as usize] >> plane)
            }
            Op::Presence(direction) => Value::Bit(self.neighbour(*direction, lane).is_some()),
            Op::LaneCorner(axis) => Value::I32(layout.lane_corner(lane)[usize::from(*axis)] as i32),
            Op::SuperblockCorner(axis) => Value::I32(layout.superblock_corner(self.unit)[usize::from(*axis)] as i32),
            Op::OddCorner(axes) => {
                let (lane, superblock) = (layout.lane_corner(lane), layout.superblock_corner(self.unit));
                Value::Bit(axes.is_odd(lane) != axes.is_odd(superblock))
            }
            Op::Param { param, plane } => Value::from_bits(ty.scalar(), params[usize::from(*param)].bits() >> plane),
            Op::Level => Value::I32(layout.level() as i32),
            Op::Side => Value::I32(layout.side() as i32),
            Op::Time { ahead } => Value::U32(time.wrapping_add(*ahead)),
            Op::Random { draw, micro } => {
                Value::U32(philox::draw(*seed, layout.reversed(lane, self.unit, Micro(*micro)), *time, *draw))
            }
            Op::RandomBit { draw, micro, classes, probabilities } => {
                let q = layout.reversed(lane, self.unit, Micro(*micro));
                let of = |id: &ValueId| match (&self.kernel.node(*id).op, self.kernel.node(*id).ty) {
                    // The probability stands behind its threshold.
                    (Op::Param { param, .. }, Some(LaneType::I64)) => {
                        Value::from_bits(LaneType::F64.scalar(), params[usize::from(*param) + 1].bits())
                    }
                    _ => self.values[id.0 as usize][lane.0 as usize],
                };
                let p = probability(classes, probabilities, &of);
                Value::Bit(p.is_some_and(|p| philox::is_below(*seed, q, *time, *draw, p)))
            }
            Op::Const(_) | logic!() | arithmetic!() => {
                let computed =
                    evaluate(self.kernel.flush, ty, op, &mut |id| Some(self.values[id.0 as usize][lane.0 as usize]));
                computed.unwrap_or_else(|| {
                    let Op::Chance { word, probability } = op else { unreachable!("all operands are known") };
                    let (draw, micro) = self.kernel.drawn(*word);
                    let q = layout.reversed(lane, self.unit, Micro(micro));
                    let p = scalar::probability(self.values[probability.0 as usize][lane.0 as usize]);
                    Value::Bit(philox::is_below(*seed, q, *time, draw, p))
                })
            }
            Op::Store { .. } => unreachable!("kernel `{}`: stores have no elements", self.kernel.name),
        }
    }
}

/// The probability of a random bit in one lane, from the values of its operands there, if the lane is of a class.
pub(crate) fn probability(
    classes: &[ValueId],
    probabilities: &[ValueId],
    of: &dyn Fn(&ValueId) -> Value,
) -> Option<f64> {
    let class = classes.iter().position(|class| scalar::bit(of(class)))?;
    Some(scalar::probability(of(&probabilities[class])))
}
