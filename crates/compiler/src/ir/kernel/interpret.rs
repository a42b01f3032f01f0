//! What a kernel means, in code: one operation after the other, one lane after the other.
//!
//! Fields are plain lists of [`Value::bits`] by canonical index here, so that nothing but the meaning of the operations, the
//! neighbour table and the lane permutations can be wrong. Executors are compared with this; it is compared with the oracle.

use crate::ir::kernel::{Direction, Kernel, LaneType, LogicOp, Op, ValueId};
use crate::ir::rule::BinaryOp;
use crate::ir::value::Value;
use crate::layout::Layout;
use crate::layout::permutation::{ABSENT, Wraps};
use crate::layout::table::NeighbourTable;
use crate::numerics::{philox, scalar};

/// Everything about a run that is not in the fields.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
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
pub fn run(kernel: &Kernel, inputs: &Inputs<'_>, old: &[Vec<u64>], new: &mut [Vec<u64>]) {
    for superblock in 0..inputs.layout.superblocks() {
        let mut values: Vec<Vec<Value>> = Vec::with_capacity(kernel.nodes.len());
        for node in &kernel.nodes {
            let lanes = match &node.op {
                Op::Store { state, plane, micro, value } => {
                    let field = &mut new[usize::from(*state)];
                    for (lane, value) in values[value.0 as usize].iter().enumerate() {
                        let cell = &mut field[inputs.layout.canonical(lane as u32, superblock, *micro) as usize];
                        match value {
                            Value::Bit(bit) => *cell = *cell & !(1 << plane) | u64::from(*bit) << plane,
                            number => *cell = number.bits(),
                        }
                    }
                    Vec::new()
                }
                op => {
                    let here = Here { kernel, inputs, old, superblock, values: &values };
                    let ty = node.ty.expect("only stores have no type");
                    (0..inputs.layout.lanes() as u32).map(|lane| here.element(ty, op, lane)).collect()
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
    superblock: u32,
    values: &'a [Vec<Value>],
}

impl Here<'_> {
    /// The superblock and the lane that lie in a direction from a lane, if they exist.
    fn neighbour(&self, direction: Direction, lane: u32) -> Option<(u32, u32)> {
        let Inputs { layout, table, wraps, .. } = self.inputs;
        let Some(index) = direction.index(layout.dimension()) else { return Some((self.superblock, lane)) };
        let superblock = table.indices(self.superblock)[index];
        let moved = wraps.of(table.edges(self.superblock).wrap(direction));
        let source = moved.map_or(lane, |moved| moved.sources[lane as usize]);
        (superblock != ABSENT && source != ABSENT).then_some((superblock, source))
    }

    /// One element of an operation's result.
    fn element(&self, ty: LaneType, op: &Op, lane: u32) -> Value {
        let Inputs { layout, params, time, seed, .. } = self.inputs;
        let of = |id: &ValueId| self.values[id.0 as usize][lane as usize];
        let bit = |id: &ValueId| scalar::bit(of(id));
        match op {
            Op::Load { state, plane, direction, micro } => {
                let Some((superblock, lane)) = self.neighbour(*direction, lane) else {
                    return Value::zero(ty.scalar());
                };
                let c = layout.canonical(lane, superblock, *micro);
                Value::from_bits(ty.scalar(), self.old[usize::from(*state)][c as usize] >> plane)
            }
            Op::Presence(direction) => Value::Bit(self.neighbour(*direction, lane).is_some()),
            Op::LaneCorner(axis) => Value::I32(layout.lane_corner(lane)[usize::from(*axis)] as i32),
            Op::SuperblockCorner(axis) => {
                Value::I32(layout.superblock_corner(self.superblock)[usize::from(*axis)] as i32)
            }
            Op::Param { param, plane } => Value::from_bits(ty.scalar(), params[usize::from(*param)].bits() >> plane),
            Op::Level => Value::I32(layout.level() as i32),
            Op::Side => Value::I32(layout.side() as i32),
            Op::Time { ahead } => Value::U32(time.wrapping_add(*ahead)),
            Op::Random { draw, micro } => {
                Value::U32(philox::draw(*seed, layout.canonical(lane, self.superblock, *micro), *time, *draw))
            }
            Op::Const(value) => *value,
            Op::Not(a) => Value::Bit(!bit(a)),
            Op::Logic(op, a, b) => Value::Bit(match op {
                LogicOp::And => bit(a) & bit(b),
                LogicOp::Or => bit(a) | bit(b),
                LogicOp::Xor => bit(a) ^ bit(b),
                LogicOp::AndNot => bit(a) & !bit(b),
            }),
            Op::Table { table, operands: [a, b, c] } => {
                let place = 4 * u8::from(bit(a)) + 2 * u8::from(bit(b)) + u8::from(bit(c));
                Value::Bit(table >> place & 1 == 1)
            }
            Op::Count(terms) => Value::I32(terms.iter().filter(|term| bit(term)).count() as i32),
            Op::Digit { value, bit } => Value::Bit(of(value).bits() >> bit & 1 == 1),
            Op::Widen(planes) => {
                let number = planes.iter().enumerate().map(|(place, plane)| u32::from(bit(plane)) << place).sum();
                scalar::cast(ty.scalar(), Value::U32(number))
            }
            Op::Unary(op, a) => scalar::unary(*op, of(a)),
            Op::Binary(op, a, b) => scalar::binary(*op, of(a), of(b)),
            Op::Shift { left, value, count } => scalar::shift(*left, of(value), of(count)),
            Op::Compare(op, a, b) => Value::Bit(scalar::compare(*op, of(a), of(b))),
            Op::Select { condition, then, otherwise } => of(if bit(condition) { then } else { otherwise }),
            Op::Cast(a) => scalar::cast(ty.scalar(), of(a)),
            Op::Math(function, a) => scalar::math(*function, of(a)),
            Op::Pow(a, b) => scalar::pow(of(a), of(b)),
            Op::AddWhere { condition, sum, term } => {
                if bit(condition) {
                    scalar::binary(BinaryOp::Add, of(sum), of(term))
                } else {
                    of(sum)
                }
            }
            Op::Canonical(a) => scalar::canonical(of(a)),
            Op::Chance { word, probability } => {
                let Value::U32(word) = of(word) else { unreachable!("verified: a word is a u32") };
                Value::Bit(scalar::random_bit(word, of(probability)))
            }
            Op::Store { .. } => unreachable!("kernel `{}`: stores have no elements", self.kernel.name),
        }
    }
}
