//! Which kernels of ordered steps can be loops: a call goes along all rows of a tile of a strip, with the rows before in registers.

use crate::ir::{BinaryOp, MathFn, RuleParts, Strips, TileSize};
use crate::kernel::{Interface, Kernel, LaneType, Load, Node, Op, Planes, draw};
use std::collections::BTreeSet;

/// Registers for what rows leave to the next: as many again are needed for anything else. `lcs` needs 8 of them, affine gaps 16.
const REGISTERS: usize = 20;
/// The same of bits: all that a loop may carry.
const REGISTERS_OF_BITS: usize = 22;

/// The groups of lines of such a strip; 0 if a kernel calls functions, draws, or asks for more than a loop has.
pub(crate) fn groups((kernel, interface): (&Kernel, &Interface), rule: &RuleParts, strips: Strips) -> u8 {
    let axis = usize::from(strips.along.axis);
    // Of a larger shear, the next row has other values of an input.
    let jumps = strips.shear > 1 && rule.given_inputs().any(|(_, of, _)| of == axis);
    let stored = |state: u16| interface.writes.contains(&usize::from(state));
    if jumps || kernel.states.len() > 64 {
        return 0;
    }
    if interface.bitwise {
        return groups_of_bits((kernel, interface), rule, strips);
    }
    if kernel.nodes.iter().any(|node| !is_inline(kernel, node)) {
        return 0;
    }
    let mut carried = BTreeSet::new();
    for Load { state, direction, .. } in kernel.nodes.iter().filter_map(|node| node.op.load()) {
        let [lanes, rows] = [0, 1].map(|axis| i64::from(direction.0[axis]));
        let ty = match kernel.states[usize::from(state)].planes {
            Planes::Bits(1) if lanes == 0 && !(stored(state) && rows < 0) => continue,
            Planes::Bits(_) => return 0,
            Planes::Number(ty) => ty,
        };
        // Lanes of a vector.
        let vector = if ty.width() == 64 { TileSize::GROUP / 2 } else { TileSize::GROUP };
        match (rows, lanes) {
            _ if lanes.abs() >= vector => return 0,
            _ if !stored(state) => {}
            (..0, ..=0) => {
                carried.insert((state, 0, -1));
                carried.extend((rows..=if lanes == 0 { -1 } else { -2 }).map(|row| (state, lanes, row)));
            }
            (0, 0) | (1.., _) => {}
            _ => return 0,
        }
    }
    if kernel.states.iter().zip(0..).any(|(of, state)| stored(state) && matches!(of.planes, Planes::Bits(2..))) {
        return 0;
    }
    let parts = |state: u16| if kernel.states[usize::from(state)].planes.ty().width() == 64 { 2 } else { 1 };
    let registers: usize = carried.iter().map(|(state, ..)| parts(*state)).sum();
    let groups = [TileSize::MOST_GROUPS, 2, 1].into_iter();
    groups.into_iter().find(|groups| usize::from(*groups) * registers <= REGISTERS).unwrap_or(0)
}

/// The same of a kernel of bits, where a group is as many lines as a register has bits.
fn groups_of_bits((kernel, interface): (&Kernel, &Interface), rule: &RuleParts, strips: Strips) -> u8 {
    let axis_of = |state: u16| rule.given_inputs().find(|(field, ..)| field.0 == state).map(|(_, axis, _)| axis);
    let mut carried = BTreeSet::new();
    for node in &kernel.nodes {
        if matches!(node.op, Op::OddCorner(_) | draw!()) {
            return 0;
        }
        let Some(Load { state, plane, direction, .. }) = node.op.load() else { continue };
        let ([lanes, rows], stored) = ([0, 1].map(|axis| direction.0[axis]), interface.writes.contains(&state.into()));
        match (axis_of(state), kernel.states[usize::from(state)].planes) {
            // Letters along a lane go from lane to lane, one in each row.
            (Some(axis), _) if (lanes, rows) == (0, 0) && strips.shear == 1 => {
                if axis == usize::from(strips.along.axis) {
                    carried.insert((state, plane, 0));
                }
            }
            (None, Planes::Bits(1)) if stored && rows < 0 && (-63..=0).contains(&lanes) => {
                carried.extend((rows..0).map(|row| (state, 0, row)));
            }
            (None, Planes::Bits(1)) if lanes == 0 && (rows >= 0 || !stored) => {}
            _ => return 0,
        }
    }
    let all_bits = |state: &usize| kernel.states[*state].planes == Planes::Bits(1);
    if !interface.writes.iter().all(all_bits) || carried.is_empty() {
        return 0;
    }
    // Letters take one more register each, of the lanes before the first.
    let letters = carried.iter().filter(|(.., row)| *row == 0).count();
    let fits = |groups: &u8| usize::from(*groups) * carried.len() + letters <= REGISTERS_OF_BITS;
    (1..=TileSize::MOST_GROUPS).rev().find(fits).unwrap_or(0)
}

/// Whether an operation is instructions and nothing else.
fn is_inline(kernel: &Kernel, node: &Node) -> bool {
    let is = |operand: &_, of: fn(LaneType) -> bool| kernel.node(*operand).ty.is_some_and(of);
    match &node.op {
        Op::Math(function, _) => matches!(function, MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Round),
        Op::Math2(..) | Op::LookUp { .. } | Op::Chance { .. } | Op::Below { .. } | Op::OddCorner(_) | draw!() => false,
        Op::Binary(BinaryOp::Remainder, a, _) => !is(a, |ty| ty.is_float() || ty == LaneType::I64),
        Op::Binary(BinaryOp::Divide, a, _) => !is(a, |ty| ty == LaneType::I64),
        _ => true,
    }
}
