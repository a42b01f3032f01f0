//! Values that a cell reads beyond the edges of the domain, where the rule's boundaries give them.
//!
//! Along an axis that is not periodic, a place in a superblock that lies `blocks` away is outside of the box in the lanes whose superblock is one
//! of the last `blocks` before that edge. On a domain without holes these are the lanes where the superblock so far away along the axis does
//! not exist; else coordinates say it. The place mirrored at the edge lies in each of these cases at a distance that is known now.

use super::{Existence, LaneValue, Lowering, Offset, Result};
use crate::ir::rule::{Boundary, SideBoundary, StateId};
use crate::kernel::{self, Direction, LaneType, Neighbours, ValueId};
use crate::numbers::operators::{BinaryOp, CompareOp};
use crate::numbers::value::Value;

/// In which lanes a place is outside of the box.
#[derive(Clone, Copy)]
enum Outside {
    Nowhere,
    Everywhere,
    In(ValueId),
}

impl Lowering<'_> {
    /// Whether a cell sees something at a place.
    pub(super) fn existence_seen(&mut self, place: Offset) -> Result<Existence> {
        let existence = self.existence(place)?;
        if !self.may_be_outside(place) {
            return Ok(existence);
        }
        if self.rule.has_sides() {
            let exists = self.exists_by_sides(place, 0)?;
            return Ok(Existence::Where(exists.bit()));
        }
        if self.geometry.full {
            return Ok(Existence::Yes);
        }
        if self.rule.reflects() {
            let exists = self.mirrored(place, 0, &mut |lowering, place| lowering.existence_bit(place))?;
            return Ok(Existence::Where(exists.bit()));
        }
        let outside = match self.outside(place) {
            Outside::Nowhere => return Ok(existence),
            Outside::Everywhere => return Ok(Existence::Yes),
            Outside::In(lanes) => lanes,
        };
        let exists = self.exists(existence).unwrap_or_else(|| self.graph.bit(existence == Existence::Yes));
        self.graph.call("existing");
        Ok(Existence::Where(self.graph.or(exists, outside)))
    }

    /// Whether a cell is at a place, as a bit.
    fn existence_bit(&mut self, place: Offset) -> Result<LaneValue> {
        let existence = self.existence(place)?;
        let known = self.graph.bit(existence == Existence::Yes);
        Ok(LaneValue::Planes(vec![self.exists(existence).unwrap_or(known)]))
    }

    /// Whether something is at a place, as a bit, where sides differ in what is beyond them: along the axes from `axis` on.
    fn exists_by_sides(&mut self, place: Offset, axis: usize) -> Result<LaneValue> {
        let Some(axis) = (axis..3).find(|axis| self.may_leave(place, *axis)) else { return self.existence_bit(place) };
        let inside = self.exists_by_sides(place, axis + 1)?;
        match self.rule.mirrors_at(self.side(place, axis)) {
            Some(true) => self
                .mirrored_along(place, axis, inside, &mut |lowering, there| lowering.exists_by_sides(there, axis + 1)),
            exists => {
                let beyond = LaneValue::Planes(vec![self.graph.bit(exists.is_some())]);
                Ok(self.beyond_side(place, axis, beyond, inside))
            }
        }
    }

    /// The value of a state at a place, where sides differ in what is beyond them: along the axes from `axis` on. Where nothing is, it is anything.
    fn seen_by_sides(&mut self, phase: usize, state: StateId, place: Offset, axis: usize) -> Result<LaneValue> {
        let Some(axis) = (axis..3).find(|axis| self.may_leave(place, *axis)) else {
            return self.state_or_nothing(phase, state, place);
        };
        let inside = self.seen_by_sides(phase, state, place, axis + 1)?;
        let edge = self.rule.edges[usize::from(state.0)];
        match edge.and_then(|edge| edge.at(self.side(place, axis))) {
            None => Ok(inside),
            Some(SideBoundary::Constant(value)) => {
                let constant = self.constant(value, self.rule.state(state).ty);
                Ok(self.beyond_side(place, axis, constant, inside))
            }
            Some(SideBoundary::Reflect) => self.mirrored_along(place, axis, inside, &mut |lowering, there| {
                lowering.seen_by_sides(phase, state, there, axis + 1)
            }),
        }
    }

    /// The side beyond which a place may be along an axis.
    fn side(&self, place: Offset, axis: usize) -> usize {
        2 * axis + usize::from(self.geometry.split(place).0.0[axis] > 0)
    }

    /// `beyond` in lanes where a place is outside along an axis, else `inside`.
    fn beyond_side(&mut self, place: Offset, axis: usize, beyond: LaneValue, inside: LaneValue) -> LaneValue {
        match self.outside_along(axis, self.geometry.split(place).0.0[axis]) {
            Outside::Nowhere => inside,
            Outside::Everywhere => beyond,
            Outside::In(lanes) => {
                self.graph.call("seen");
                self.choose(lanes, &beyond, &inside)
            }
        }
    }

    /// The value of a state at a place that a cell looks at, after `phase` phases.
    pub(super) fn seen(&mut self, phase: usize, state: StateId, place: Offset) -> Result<LaneValue> {
        if !self.may_be_outside(place) {
            return self.state(phase, state, place);
        }
        match self.rule.edges[usize::from(state.0)] {
            None => self.state_or_nothing(phase, state, place),
            Some(Boundary::Reflect) => {
                self.mirrored(place, 0, &mut |lowering, place| lowering.state_or_nothing(phase, state, place))
            }
            Some(Boundary::Sides(_)) => self.seen_by_sides(phase, state, place, 0),
            Some(Boundary::Constant(value)) => {
                let inside = self.state_or_nothing(phase, state, place)?;
                // On a domain without holes what is not inside is 0 already.
                if phase == 0 && self.geometry.full && value.bits() == 0 {
                    return Ok(inside);
                }
                let constant = self.constant(value, self.rule.state(state).ty);
                Ok(match self.outside(place) {
                    Outside::Nowhere => inside,
                    Outside::Everywhere => constant,
                    Outside::In(lanes) => {
                        self.graph.call("seen");
                        self.choose(lanes, &constant, &inside)
                    }
                })
            }
        }
    }

    /// The value of a state at a place inside of the box; at a hole of the micro-fractal anything.
    fn state_or_nothing(&mut self, phase: usize, state: StateId, place: Offset) -> Result<LaneValue> {
        if self.existence(place)? == Existence::No {
            let ty = self.rule.state(state).ty;
            return Ok(self.constant(Value::zero(ty), ty));
        }
        self.state(phase, state, place)
    }

    /// The value of `leaf` at a place or, in lanes where it is outside, at the place mirrored at the edges of the axes from `axis` on.
    fn mirrored(
        &mut self,
        place: Offset,
        axis: usize,
        leaf: &mut dyn FnMut(&mut Self, Offset) -> Result<LaneValue>,
    ) -> Result<LaneValue> {
        let Some(axis) = (axis..3).find(|axis| self.may_leave(place, *axis)) else { return leaf(self, place) };
        let value = self.mirrored(place, axis + 1, leaf)?;
        self.mirrored_along(place, axis, value, &mut |lowering, there| lowering.mirrored(there, axis + 1, leaf))
    }

    /// `value` or, in lanes where a place is outside along an axis, what `there` gives of the place mirrored at that edge.
    fn mirrored_along(
        &mut self,
        place: Offset,
        axis: usize,
        mut value: LaneValue,
        mirrored: &mut dyn FnMut(&mut Self, Offset) -> Result<LaneValue>,
    ) -> Result<LaneValue> {
        let (blocks, side) = (self.geometry.split(place).0.0[axis], self.geometry.micro.sides[axis] as i32);
        // The superblock itself is the j-th from the edge.
        for j in (0..blocks.abs()).rev() {
            let beyond = self.outside_along(axis, blocks.signum() * (j + 1));
            let mut there = place;
            there[axis] = match blocks < 0 {
                true => -2 * j * side - place[axis] - 1,
                false => 2 * (j + 1) * side - place[axis] - 1,
            };
            value = match beyond {
                Outside::Nowhere => value,
                Outside::Everywhere => mirrored(self, there)?,
                Outside::In(lanes) => {
                    let mirrored = mirrored(self, there)?;
                    self.graph.call("mirrored");
                    self.choose(lanes, &mirrored, &value)
                }
            };
        }
        Ok(value)
    }

    /// Whether there is something beyond the edges, and a place may be there.
    fn may_be_outside(&self, place: Offset) -> bool {
        let is_within = || self.geometry.split(place).0.is_within(self.geometry.micro.dimension);
        !self.rule.edges.is_empty() && is_within() && (0..3).any(|axis| self.may_leave(place, axis))
    }

    /// Whether a place may be outside along an axis.
    fn may_leave(&self, place: Offset, axis: usize) -> bool {
        axis < self.geometry.micro.dimension.axes()
            && !self.geometry.periodic.0[axis]
            && self.geometry.split(place).0.0[axis] != 0
    }

    /// In which lanes a place is outside along any axis.
    fn outside(&mut self, place: Offset) -> Outside {
        let direction = self.geometry.split(place).0;
        if self.geometry.full && !self.geometry.fills && self.geometry.neighbours != Neighbours::None {
            let exists = self.presence(direction);
            self.graph.call("outside");
            return Outside::In(self.graph.not(exists));
        }
        let mut outside = Outside::Nowhere;
        for axis in (0..3).filter(|axis| self.may_leave(place, *axis)).collect::<Vec<_>>() {
            outside = match (outside, self.outside_along(axis, direction.0[axis])) {
                (Outside::Everywhere, _) | (_, Outside::Everywhere) => Outside::Everywhere,
                (Outside::Nowhere, other) | (other, Outside::Nowhere) => other,
                (Outside::In(a), Outside::In(b)) => {
                    self.graph.call("outside");
                    Outside::In(self.graph.or(a, b))
                }
            };
        }
        outside
    }

    /// The lanes in which the superblock `blocks` superblocks away along an axis is outside.
    fn outside_along(&mut self, axis: usize, blocks: i32) -> Outside {
        if self.geometry.fills {
            return Outside::Everywhere;
        }
        if self.geometry.full {
            let mut direction = [0; 3];
            direction[axis] = blocks;
            let exists = self.presence(Direction(direction));
            self.graph.call("outside");
            return Outside::In(self.graph.not(exists));
        }
        let own = self.coordinate(axis as u8, [0; 3]);
        let distance = blocks.abs().saturating_mul(self.geometry.micro.sides[axis] as i32);
        let distance = self.graph.value(Value::I32(distance));
        let (op, limit) = if blocks < 0 {
            (CompareOp::Less, distance)
        } else {
            let side = self.extent(axis as u8);
            self.graph.call("last");
            (CompareOp::GreaterEqual, self.graph.binary(BinaryOp::Subtract, side, distance))
        };
        self.graph.call("outside");
        Outside::In(self.graph.add(LaneType::Bits, kernel::Op::Compare(op, own, limit)))
    }
}
