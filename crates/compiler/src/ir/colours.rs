//! Colours of cells such that no two neighbours have the same, and steps that run once for each of them.
//!
//! Along each axis places are counted 0, 1, … n − 1 over and over, n being one more than how far the neighbourhood looks. Where the axis wraps and
//! n does not divide its side, the last stretches are longer by one place, so that the count closes. For `von_neumann` the colour is the sum of the counts,
//! for all others a number whose digits they are.

use super::fractal::{Axes, Dimension, Fractal};
use super::rule::{Body, Neighbourhood, Node, NodeId, Op, Rule, RuleParts, Step};
use crate::numbers::operators::{BinaryOp, CompareOp};
use crate::numbers::value::{Type, Value};
use std::collections::BTreeSet;
use std::ops::Range;

/// Steps of a rule that run once for each colour, one turn after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Coloured {
    /// A named step, behind those that compute the fields that it reads: indices into [`RuleParts::steps`].
    pub steps: Range<usize>,
    /// The neighbourhood whose cells have different colours, an index into [`RuleParts::neighbourhoods`].
    pub neighbourhood: u16,
    /// The node of the named step, an i32 of the cell, whose place the number of the turn takes.
    pub colour: NodeId,
    /// Whether the rule allows cells of one colour to read one another.
    pub reads_beyond: bool,
}

/// The colours of the cells of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColourClasses {
    axes: Vec<Stretches>,
    /// Whether counts are added, and not digits.
    adds: bool,
    /// How many counts there are along an axis at most.
    counts: u64,
}

/// How places are counted along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretches {
    side: u64,
    /// Whether the last place is beside the first.
    wraps: bool,
    /// The places of a stretch.
    length: u64,
    /// Where stretches begin that are longer by one.
    long: u64,
}

/// The most colours that take turns: each is a step, and so a kernel.
const MOST_COLOURS: u64 = 1024;

impl ColourClasses {
    /// The colours of a neighbourhood in a box.
    ///
    /// # Errors
    /// Where an axis wraps and its side is too short, or there are too many. The text continues a sentence that ends with "once for each".
    pub(crate) fn new(
        neighbourhood: &Neighbourhood,
        dimension: Dimension,
        extent: [u64; 3],
        periodic: Axes,
        fractal: &str,
    ) -> Result<ColourClasses, String> {
        let adds = *neighbourhood == Neighbourhood::VonNeumann(1);
        let offsets = neighbourhood.offsets(dimension);
        let reach = offsets.iter().flatten().map(|v| v.unsigned_abs()).max().unwrap_or(0);
        let length = u64::from(reach) + 1;
        let stretches = |axis: usize| {
            let side = extent[axis];
            let longer = if periodic.0[axis] { side % length } else { 0 };
            let long = side.checked_sub(longer * (length + 1)).ok_or_else(|| {
                let (axis, next, any) = (Axes::NAMES[axis], reach + 1, u64::from(reach) * (u64::from(reach) + 2));
                format!(
                    "colour of a neighbourhood that looks {reach} cells along `{axis}`, and `{fractal}`, periodic along `{axis}`, has the side {side}, \
                     which has no such colours; a multiple of {next} has, and so has any side from {any} on"
                )
            })?;
            Ok::<_, String>(Stretches { side, wraps: periodic.0[axis], length, long })
        };
        let axes = (0..dimension.axes()).map(stretches).collect::<Result<Vec<Stretches>, _>>()?;
        let counts = if axes.iter().any(Stretches::has_long) { length + 1 } else { length };
        let colours = axes.iter().map(Stretches::counts).fold(1, u64::saturating_mul);
        if !adds && colours > MOST_COLOURS {
            return Err(format!("of {colours} colours on `{fractal}`; at most {MOST_COLOURS} are possible"));
        }
        Ok(ColourClasses { axes, adds, counts })
    }

    /// The colours in a box that has places enough, where no axis wraps.
    pub(crate) fn somewhere(neighbourhood: &Neighbourhood, dimension: Dimension) -> Option<ColourClasses> {
        ColourClasses::new(neighbourhood, dimension, [1 << 32; 3], Axes::NONE, "").ok()
    }

    /// Whether there are two places of one colour, the second of which lies at this offset from the first.
    pub(crate) fn meet(&self, offset: [i32; 3]) -> bool {
        let changes: Vec<BTreeSet<i64>> =
            self.axes.iter().zip(offset).map(|(axis, by)| axis.changes(by.into())).collect();
        let is_here = self.axes.iter().zip(offset).all(|(axis, by)| axis.is_here(by.into()));
        let in_space = offset[self.axes.len()..].iter().all(|by| *by == 0);
        if is_here || !in_space || changes.iter().any(BTreeSet::is_empty) {
            return false;
        }
        if !self.adds {
            return changes.iter().all(|changes| changes.contains(&0));
        }
        let sums = changes.iter().fold(BTreeSet::from([0]), |sums, changes| {
            let next = |sum: &i64| {
                changes.iter().map(move |change| (sum + change).rem_euclid(self.counts as i64)).collect::<Vec<_>>()
            };
            sums.iter().flat_map(next).collect()
        });
        sums.contains(&0)
    }

    /// The colours that there are, ascending.
    fn all(&self) -> Vec<u64> {
        let mut all = vec![0];
        let mut weight = 1;
        for axis in &self.axes {
            all = (0..axis.counts()).flat_map(|count| all.iter().map(move |colour| colour + count * weight)).collect();
            weight *= if self.adds { 1 } else { self.counts };
        }
        if self.adds {
            all.iter_mut().for_each(|colour| *colour %= self.counts);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Adds a bit to some code: whether the cell has a colour.
    fn is(&self, colour: u64, code: &mut ColourCode) -> NodeId {
        if self.adds {
            let closes = self.axes.iter().any(Stretches::has_long);
            let along = |axis: usize, code: &mut ColourCode| match closes {
                true => self.axes[axis].count(axis, code),
                false => code.coordinate(axis),
            };
            let first = along(0, code);
            let sum = (1..self.axes.len()).fold(first, |sum, axis| {
                let next = along(axis, code);
                code.binary(BinaryOp::Add, sum, next)
            });
            let count = code.remainder(sum, self.counts);
            return code.compare(CompareOp::Equal, count, colour);
        }
        let mut rest = colour;
        let digits = self.axes.iter().enumerate().map(|(axis, stretches)| {
            let count = stretches.count(axis, code);
            let digit = rest % self.counts;
            rest /= self.counts;
            code.compare(CompareOp::Equal, count, digit)
        });
        let digits: Vec<NodeId> = digits.collect();
        let both = |a, b| code.push(Type::Bit, Op::Binary(BinaryOp::And, a, b));
        digits.into_iter().reduce(both).expect("a space has axes")
    }
}

impl Stretches {
    fn has_long(&self) -> bool {
        self.long < self.side
    }

    /// How many different counts there are.
    fn counts(&self) -> u64 {
        self.side.min(if self.has_long() { self.length + 1 } else { self.length })
    }

    /// Whether a distance leads from a place back to itself.
    fn is_here(&self, by: i64) -> bool {
        by == 0 || self.wraps && by.unsigned_abs().is_multiple_of(self.side)
    }

    /// The differences between the counts of two places at this distance; none if there are no such places.
    fn changes(&self, by: i64) -> BTreeSet<i64> {
        let count = |place: u64| match place.checked_sub(self.long) {
            Some(beyond) => beyond % (self.length + 1),
            None => place % self.length,
        };
        // A place farther from the ends of stretches changes as a nearer one does.
        let near = by.unsigned_abs() + self.length + 1;
        let ends = [0, self.long, self.side];
        let places = ends.into_iter().flat_map(|end| end.saturating_sub(near)..self.side.min(end.saturating_add(near)));
        let change = |place: u64| {
            let there = place as i64 + by;
            let there = if self.wraps { there.rem_euclid(self.side as i64) } else { there };
            (0..self.side as i64).contains(&there).then(|| count(there as u64) as i64 - count(place) as i64)
        };
        places.filter_map(change).collect()
    }

    /// Adds the count of the cell along an axis.
    fn count(&self, axis: usize, code: &mut ColourCode) -> NodeId {
        let place = code.coordinate(axis);
        if !self.has_long() {
            return code.remainder(place, self.length);
        }
        let long = code.number(self.long);
        let beyond = code.binary(BinaryOp::Subtract, place, long);
        let beyond = code.remainder(beyond, self.length + 1);
        if self.long == 0 {
            return beyond;
        }
        let condition = code.compare(CompareOp::Less, place, self.long);
        let then = code.remainder(place, self.length);
        code.push(Type::I32, Op::Select { condition, then, otherwise: beyond })
    }
}

/// Code that is written: whole numbers are i32.
#[derive(Default)]
struct ColourCode(Body);

impl ColourCode {
    fn push(&mut self, ty: Type, op: Op) -> NodeId {
        self.0.nodes.push(Node { ty, op });
        NodeId(self.0.nodes.len() as u32 - 1)
    }

    fn coordinate(&mut self, axis: usize) -> NodeId {
        self.push(Type::I32, Op::Coordinate(axis as u8))
    }

    fn number(&mut self, value: u64) -> NodeId {
        self.push(Type::I32, Op::Const(Value::I32(value as i32)))
    }

    fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> NodeId {
        self.push(Type::I32, Op::Binary(op, a, b))
    }

    fn remainder(&mut self, a: NodeId, divisor: u64) -> NodeId {
        let divisor = self.number(divisor);
        self.binary(BinaryOp::Remainder, a, divisor)
    }

    fn compare(&mut self, op: CompareOp, a: NodeId, value: u64) -> NodeId {
        let value = self.number(value);
        self.push(Type::Bit, Op::Compare(op, a, value))
    }
}

impl Rule {
    /// The rule as it runs in a box: a step for each colour in the place of those that run for all.
    ///
    /// # Errors
    /// Why it has no colours there.
    pub(crate) fn in_turns(&self, fractal: &Fractal, extent: [u64; 3]) -> Result<Rule, String> {
        let mut steps = Vec::new();
        let mut next = 0;
        for coloured in &self.coloured {
            steps.extend_from_slice(&self.steps[next..coloured.steps.start]);
            next = coloured.steps.end;
            let neighbourhood = &self.neighbourhoods[usize::from(coloured.neighbourhood)];
            let colours =
                ColourClasses::new(neighbourhood, fractal.dimension, extent, fractal.periodic, &fractal.name)?;
            for (turn, colour) in colours.all().into_iter().enumerate() {
                for index in coloured.steps.clone() {
                    let step = &self.steps[index];
                    let mut step = match index + 1 == next {
                        true => in_turn(step, coloured.colour, &colours, colour),
                        false => step.clone(),
                    };
                    step.name = step.name.map(|name| format!("{name}_colour{colour}"));
                    if turn > 0 {
                        step.globals.clear();
                    }
                    steps.push(step);
                }
            }
        }
        steps.extend_from_slice(&self.steps[next..]);
        Ok(Rule(RuleParts { steps, coloured: Vec::new(), ..self.0.clone() }))
    }
}

/// A named step for the cells of one colour, whose number the node `number` becomes.
fn in_turn(step: &Step, number: NodeId, colours: &ColourClasses, colour: u64) -> Step {
    let mut code = ColourCode::default();
    let guard = colours.is(colour, &mut code);
    let mut body = code.0;
    let before = body.nodes.len() as u32;
    let moved = |id: NodeId| NodeId(id.0 + before);
    for node in &step.body.nodes {
        let mut node = node.clone();
        node.op.visit_operands(|operand| *operand = moved(*operand));
        if let Op::Aggregate(aggregate) = &mut node.op {
            aggregate.term = aggregate.term.start + before..aggregate.term.end + before;
        }
        body.nodes.push(node);
    }
    body.nodes[moved(number).0 as usize].op = Op::Const(Value::I32(colour as i32));
    body.results = step.body.results.iter().map(|(state, id)| (*state, moved(*id))).collect();
    Step { guard: Some(guard), body, ..step.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::evaluate::evaluate;

    /// The colour of a place: the one of all whose bit is true there.
    fn colour(colours: &ColourClasses, place: [u64; 3]) -> u64 {
        let is = |colour: &u64| {
            let mut code = ColourCode::default();
            let bit = colours.is(*colour, &mut code);
            let mut values: Vec<Value> = Vec::new();
            for node in &code.0.nodes {
                values.push(match node.op {
                    Op::Coordinate(axis) => Value::I32(place[usize::from(axis)] as i32),
                    ref op => evaluate(node.ty, op, |id| values[id.0 as usize]).expect("numbers alone"),
                });
            }
            values[bit.0 as usize] == Value::Bit(true)
        };
        let all: Vec<u64> = colours.all().into_iter().filter(is).collect();
        assert_eq!(all.len(), 1, "{colours:?} at {place:?}");
        all[0]
    }

    #[test]
    fn neighbours_have_different_colours() {
        let listed = Neighbourhood::Listed { name: "l".into(), offsets: vec![[2, 0, 0], [0, 1, 0]] };
        let three = [[3, 3, 3], [4, 3, 2], [5, 7, 4]];
        let boxes: [(Dimension, &[[u64; 3]]); 3] = [
            (Dimension::One, &[[1, 1, 1], [7, 1, 1], [8, 1, 1], [9, 1, 1], [11, 1, 1], [23, 1, 1]]),
            (Dimension::Two, &[[4, 4, 1], [3, 3, 1], [9, 8, 1], [8, 9, 1], [9, 11, 1], [16, 15, 1], [1, 20, 1]]),
            (Dimension::Three, &three),
        ];
        let mut tried = 0;
        for neighbourhood in [
            Neighbourhood::VonNeumann(1),
            Neighbourhood::VonNeumann(2),
            Neighbourhood::Moore(1),
            Neighbourhood::Moore(2),
            Neighbourhood::Moore(3),
            listed,
        ] {
            for (dimension, extents) in boxes {
                for extent in extents {
                    for periodic in (0..8).map(|set| Axes([0, 1, 2].map(|axis| set >> axis & 1 == 1))) {
                        if (dimension.axes()..3).any(|axis| periodic.0[axis]) {
                            continue;
                        }
                        let Ok(colours) = ColourClasses::new(&neighbourhood, dimension, *extent, periodic, "f") else {
                            continue;
                        };
                        tried += 1;
                        let mut found = std::collections::BTreeSet::new();
                        let cells = extent.iter().product::<u64>();
                        let places =
                            (0..cells).map(|c| [c % extent[0], c / extent[0] % extent[1], c / extent[0] / extent[1]]);
                        for place in places {
                            let own = colour(&colours, place);
                            found.insert(own);
                            for offset in neighbourhood.offsets(dimension) {
                                let mut there = place;
                                let exists = (0..3).all(|axis| {
                                    let side = extent[axis] as i64;
                                    let at = place[axis] as i64 + i64::from(offset[axis]);
                                    there[axis] = at.rem_euclid(side) as u64;
                                    (0..side).contains(&at) || periodic.0[axis]
                                });
                                if exists && there != place {
                                    let other = colour(&colours, there);
                                    assert_ne!(own, other, "{neighbourhood:?} {extent:?} {periodic:?} {place:?}");
                                }
                            }
                        }
                        let two = neighbourhood == Neighbourhood::VonNeumann(1) && colours.counts == 2;
                        assert!(!two || found.len() <= 2);
                        assert_eq!(found.into_iter().collect::<Vec<_>>(), colours.all(), "no turn without a cell");
                    }
                }
            }
        }
        assert!(tried > 100, "{tried}");
    }

    #[test]
    fn there_are_as_many_colours_as_needed() {
        let count = |neighbourhood, sides: [u64; 2], periodic| {
            let periodic = Axes([periodic, periodic, false]);
            ColourClasses::new(neighbourhood, Dimension::Two, [sides[0], sides[1], 1], periodic, "f")
                .map(|colours| colours.all().len())
        };
        let (von_neumann, moore) = (&Neighbourhood::VonNeumann(1), &Neighbourhood::Moore(1));
        assert_eq!(count(von_neumann, [8, 6], true), Ok(2));
        assert_eq!(count(von_neumann, [9, 9], false), Ok(2));
        assert_eq!(count(von_neumann, [9, 8], true), Ok(3));
        assert_eq!(count(moore, [8, 6], true), Ok(4));
        assert_eq!(count(moore, [9, 8], true), Ok(6));
        assert_eq!(count(moore, [9, 9], true), Ok(9));
        assert_eq!(count(moore, [9, 9], false), Ok(4));
        let short = count(&Neighbourhood::Moore(2), [5, 9], true).unwrap_err();
        assert!(short.starts_with("colour of a neighbourhood that looks 2 cells along `x`, and `f`"), "{short}");
    }

    /// Against all pairs of places of a box.
    #[test]
    fn places_that_meet_are_found() {
        let offsets = (-7..=7i32).flat_map(|x| (-7..=7i32).map(move |y| [x, y, 0]));
        let offsets: Vec<[i32; 3]> = offsets.filter(|[x, y, _]| (x * y) % 2 == 0 || x.abs() == y.abs()).collect();
        let mut met = [0; 2];
        for neighbourhood in [Neighbourhood::VonNeumann(1), Neighbourhood::Moore(1), Neighbourhood::Moore(2)] {
            for extent in [[8, 6, 1], [9, 8, 1], [1, 12, 1], [13, 11, 1], [3, 20, 1]] {
                for periodic in [[false; 2], [true, false], [true; 2]] {
                    let periodic = Axes([periodic[0], periodic[1], false]);
                    let Ok(colours) = ColourClasses::new(&neighbourhood, Dimension::Two, extent, periodic, "f") else {
                        continue;
                    };
                    let places = (0..extent[1]).flat_map(|y| (0..extent[0]).map(move |x| [x, y, 0]));
                    let all: Vec<([u64; 3], u64)> = places.map(|place| (place, colour(&colours, place))).collect();
                    let at = |place: [u64; 3]| all[(place[1] * extent[0] + place[0]) as usize].1;
                    for offset in &offsets {
                        let meets = |(place, own): &([u64; 3], u64)| {
                            let mut there = *place;
                            let exists = (0..2).all(|axis| {
                                let (side, at) = (extent[axis] as i64, place[axis] as i64 + i64::from(offset[axis]));
                                there[axis] = at.rem_euclid(side) as u64;
                                (0..side).contains(&at) || periodic.0[axis]
                            });
                            exists && there != *place && at(there) == *own
                        };
                        let expected = all.iter().any(meets);
                        met[usize::from(expected)] += 1;
                        assert_eq!(
                            colours.meet(*offset),
                            expected,
                            "{neighbourhood:?} {extent:?} {periodic:?} {offset:?}"
                        );
                    }
                }
            }
        }
        assert!(met.iter().all(|count| *count > 500), "{met:?}");
    }
}
