//! Which cells of an ordered step wait for which.
//!
//! Cells whose coordinates on the named axes agree are a *group*. Groups are taken one after the other, all cells of a group at once. A read of a state
//! that the step sets relates two cells, whichever of them is earlier: each gives one *dependence*, from the earlier cell to the later one. Two
//! cells that no chain of dependences joins need not wait for one another.

use super::fractal::{Axes, Dimension};
use super::order::{SignedAxis, StepOrder};
use super::rule::{Boundary, Op, Rule, RuleParts, StateId, Step};
use super::strips::StepSchedule;
use std::collections::BTreeSet;
use std::fmt;

/// An ordered step of a rule in a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedStep {
    /// Its name.
    pub name: String,
    /// The order; `from all` has become a step for each.
    pub order: StepOrder,
    /// Which cells wait for which; `None` if the step reads too many places.
    pub dependences: Option<Dependences>,
    /// Whether no two cells can be computed at once.
    pub is_sequential: bool,
    /// How the backend `cpu` takes its cells in boxes, where they have room for strips.
    pub taken: StepSchedule,
    /// The same of the backend `cuda`.
    pub taken_by_gpu: StepSchedule,
}

/// On one line.
impl fmt::Display for OrderedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step `{}` {}", self.name, self.order)?;
        if let Some(dependences) = &self.dependences {
            write!(f, ": {dependences}")?;
        }
        f.write_str(if self.is_sequential { "; one cell after the other" } else { "" })
    }
}

impl Rule {
    /// The axes along which the cells of a step must take turns in a box, the last one slowest: without the fastest ones, along which no cell waits for another.
    /// Empty if all cells can be taken at once.
    pub(crate) fn turns(&self, step: &Step, dimension: Dimension, sides: [u64; 3], periodic: Axes) -> Vec<SignedAxis> {
        let Some(StepOrder::Along(along)) = &step.order else { return Vec::new() };
        let found = self.dependences(step, dimension, wraps(sides, periodic));
        let slowest = |offset: &[i64; 3]| offset.iter().rposition(|v| *v != 0);
        let without = found.map_or(0, |found| found.offsets.iter().filter_map(slowest).min().unwrap_or(along.len()));
        along[without..].to_vec()
    }

    /// The ordered steps, in a space of this dimension whose sides are not known and have no seams.
    #[doc(hidden)]
    pub fn ordered_steps(&self, dimension: Dimension) -> Vec<OrderedStep> {
        self.ordered_steps_in(dimension, [u64::MAX; 3], Axes::NONE)
    }

    /// The ordered steps, in a box.
    pub(crate) fn ordered_steps_in(&self, dimension: Dimension, sides: [u64; 3], periodic: Axes) -> Vec<OrderedStep> {
        let wraps = wraps(sides, periodic);
        let all = self.each_way(dimension);
        let rule = all.as_ref().unwrap_or(self);
        let of_step = |step: &Step| {
            let order @ StepOrder::Along(along) = step.order.as_ref()? else { return None };
            let dependences = rule.dependences(step, dimension, wraps);
            let named: Vec<usize> = along.iter().map(|signed| usize::from(signed.axis)).collect();
            let is_one = (0..dimension.axes()).all(|axis| named.contains(&axis) || sides[axis] == 1);
            let of_named: Vec<u64> = named.iter().map(|axis| sides[*axis]).collect();
            let is_sequential = is_one && dependences.as_ref().is_some_and(|found| found.is_sequential(&of_named));
            let name = step.name.clone().unwrap_or_default();
            let taken = rule.taken(step, dimension, sides, periodic);
            let taken_by_gpu = rule.taken_by_gpu(step, dimension, sides, periodic);
            Some(OrderedStep { name, order: order.clone(), dependences, is_sequential, taken, taken_by_gpu })
        };
        rule.steps.iter().filter_map(of_step).collect()
    }
}

/// The sides of a box along the axes that wrap.
pub(super) fn wraps(sides: [u64; 3], periodic: Axes) -> [Option<u64>; 3] {
    [0, 1, 2].map(|axis| periodic.0[axis].then_some(sides[axis]))
}

/// Which cells wait for which in an ordered step.
///
/// Coordinates are those of the order: the named axes as they are named, negative where one goes backwards; what is behind them is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependences {
    /// How many axes are named.
    pub axes: usize,
    /// From the earlier cell to the later one, in the order of the text's coordinates, each once. The last coordinate that is not 0 is positive.
    pub offsets: Vec<[i64; 3]>,
    /// How often the coordinates 1 and 2 are added to coordinate 0, and 2 to 1, so that no coordinate of an offset is negative: (a, b, c).
    pub shear: [u64; 3],
    /// Groups whose coordinates have the same sum with these weights need not wait for one another.
    pub weights: [u64; 3],
}

/// The most offsets that are looked at; a step that reads more of them is not judged.
const MOST_OFFSETS: usize = 1 << 14;

impl RuleParts {
    /// Whether cells take turns in an order in some step.
    #[doc(hidden)]
    pub fn is_ordered(&self) -> bool {
        self.steps.iter().any(|step| step.order.is_some())
    }

    /// The dependences of an ordered step in a space of this dimension, where some axes wrap and have these sides. `None` for other steps, and for those that
    /// read too many places.
    pub fn dependences(&self, step: &Step, dimension: Dimension, wraps: [Option<u64>; 3]) -> Option<Dependences> {
        let Some(StepOrder::Along(order)) = &step.order else { return None };
        let (mut near, mut far, mut looked) = (BTreeSet::new(), BTreeSet::new(), 0);
        for (state, offset) in self.reads_of_changed(step, dimension)? {
            let mirrors = self.edges.get(usize::from(state.0)).copied().flatten().is_some_and(Boundary::reflects);
            let along = |signed: &SignedAxis| {
                let axis = usize::from(signed.axis);
                let places = places(i64::from(offset[axis]), wraps[axis], mirrors);
                let sign = if signed.backwards { -1 } else { 1 };
                places.into_iter().map(|(v, crosses)| (sign * v, crosses)).collect::<Vec<_>>()
            };
            let along: Vec<Vec<(i64, bool)>> = order.iter().map(along).collect();
            looked += along.iter().map(Vec::len).product::<usize>();
            if looked > MOST_OFFSETS {
                return None;
            }
            let mut all: Vec<Vec<(i64, bool)>> = vec![Vec::new()];
            for of_axis in &along {
                let with = |before: Vec<(i64, bool)>| {
                    of_axis.iter().map(move |next| before.iter().copied().chain([*next]).collect())
                };
                all = all.into_iter().flat_map(with).collect();
            }
            for offset in all {
                let Some((dependence, is_far)) = dependence(&offset) else { continue };
                if is_far { &mut far } else { &mut near }.insert(dependence);
            }
        }
        let (near, far): (Vec<_>, Vec<_>) = (near.into_iter().collect(), far.into_iter().collect());
        Some(Dependences::new(order.len(), near, &far))
    }

    /// The states that a step changes, with the offsets at which it reads them itself.
    pub(crate) fn reads_of_changed(&self, step: &Step, dimension: Dimension) -> Option<BTreeSet<(StateId, [i32; 3])>> {
        let Step { body, guard, .. } = step;
        let changed: BTreeSet<StateId> = body.results.iter().map(|(state, _)| *state).collect();
        let wanted: Vec<_> = body.results.iter().map(|(_, node)| *node).chain(*guard).collect();
        let needed = body.needed(&wanted);
        let mut reads = BTreeSet::new();
        for (node, _) in body.nodes.iter().zip(&needed).filter(|(_, needed)| **needed) {
            match &node.op {
                Op::Read { state, offset, .. } if changed.contains(state) => drop(reads.insert((*state, *offset))),
                Op::Aggregate(aggregate) => {
                    let of_term = |id: u32| match body.nodes[id as usize].op {
                        Op::Neighbour(state) if needed[id as usize] && changed.contains(&state) => Some(state),
                        _ => None,
                    };
                    let states: BTreeSet<StateId> = aggregate.term.clone().filter_map(of_term).collect();
                    let neighbourhood = &self.neighbourhoods[usize::from(aggregate.neighbourhood)];
                    if states.is_empty() {
                        continue;
                    }
                    if neighbourhood.offsets_at_most(dimension) > MOST_OFFSETS as i128 {
                        return None;
                    }
                    let offsets = neighbourhood.offsets(dimension);
                    reads.extend(states.iter().flat_map(|state| offsets.iter().map(|offset| (*state, *offset))));
                }
                _ => {}
            }
        }
        Some(reads)
    }
}

/// Where a read at an offset along one axis may lead, and whether across a seam.
fn places(offset: i64, wraps: Option<u64>, mirrors: bool) -> Vec<(i64, bool)> {
    let mut places = vec![(offset, false)];
    match wraps {
        // Sides are longer than twice the offset.
        Some(side) if offset != 0 => places.push((offset - offset.signum() * side as i64, true)),
        // At the edge the mirrored place is one beside the cell's own, or itself; with each place farther inside it is farther on one side.
        None if mirrors && offset != 0 => {
            places.extend((1 - offset.abs()..offset.abs()).step_by(2).map(|v| (v, false)));
        }
        _ => {}
    }
    places
}

/// The dependence that a read at an offset gives, each coordinate of which may cross a seam, and whether its slowest coordinate alone does: such a one is
/// nearly as long as the side.
fn dependence(offset: &[(i64, bool)]) -> Option<([i64; 3], bool)> {
    let last = offset.iter().rposition(|(v, _)| *v != 0)?;
    let sign = offset[last].0.signum();
    let is_far = offset[last].1 && !offset[..last].iter().any(|(_, crosses)| *crosses);
    let mut dependence = [0; 3];
    dependence.iter_mut().zip(offset).for_each(|(to, (v, _))| *to = sign * v);
    Some((dependence, is_far))
}

impl Dependences {
    /// The least shear that these need, and weights that suit those that are `far` as well.
    fn new(axes: usize, mut offsets: Vec<[i64; 3]>, far: &[[i64; 3]]) -> Dependences {
        let is_fit = |[x, y, z]: &[i64; 3], [u, v, w]: [i64; 3]| u * x + v * y + w * z >= 1;
        let all_fit =
            |weights: [i64; 3], offsets: &[[i64; 3]]| offsets.iter().chain(far).all(|offset| is_fit(offset, weights));
        let mut shear = least_shear(&offsets);
        if !all_fit(weights([1; 3], shear), &offsets) {
            offsets.extend(far);
            shear = least_shear(&offsets);
        }
        // A coordinate whose weight can be 0 does not wait at all; the slowest are tried first.
        let mut of_sheared = [0, 1, 2].map(|axis| i64::from(axis < axes));
        for axis in (0..axes).rev() {
            let mut fewer = of_sheared;
            fewer[axis] = 0;
            if all_fit(weights(fewer, shear), &offsets) {
                of_sheared = fewer;
            }
        }
        let weights = weights(of_sheared, shear).map(|v| v as u64);
        Dependences { axes, offsets, shear: shear.map(|v| v as u64), weights }
    }

    /// Whether groups of a box are taken one after the other, and never two at once. The sides are those of the named axes.
    pub fn is_sequential(&self, sides: &[u64]) -> bool {
        /// Larger boxes are not searched.
        const MOST_TRIED: i128 = 1 << 16;
        let side = |axis: usize| sides.get(axis).map_or(1, |side| i128::from(*side));
        let [x, y, z] = self.weights.map(i128::from);
        if (0..self.axes).any(|axis| self.weights[axis] == 0 && side(axis) > 1) {
            return false;
        }
        // Two groups share a plane if a difference of their coordinates has the weight 0: the first is found for each of the others.
        let (height, depth) = (side(1), side(2));
        if height.saturating_mul(depth) > MOST_TRIED {
            return false;
        }
        let meets = |(dy, dz): (i128, i128)| {
            let rest = y * dy + z * dz;
            (dy, dz) != (0, 0) && rest % x.max(1) == 0 && (rest / x.max(1)).abs() < side(0)
        };
        !(0..depth).any(|dz| (1 - height..height).any(|dy| meets((dy, dz))))
    }
}

/// The weights of coordinates, given those of sheared ones.
fn weights([u, v, w]: [i64; 3], [a, b, c]: [i64; 3]) -> [i64; 3] {
    [u, v + a * u, w + b * u + c * v]
}

/// (a, b, c) such that no coordinate of x + a·y + b·z, y + c·z, z is negative.
fn least_shear(offsets: &[[i64; 3]]) -> [i64; 3] {
    let most = |pairs: &mut dyn Iterator<Item = (i64, i64)>| {
        pairs.map(|(lack, by)| (lack + by - 1).div_euclid(by).max(0)).max().unwrap_or(0)
    };
    let (flat, deep) = (|d: &&[i64; 3]| d[2] == 0 && d[1] > 0, |d: &&[i64; 3]| d[2] > 0);
    let a = most(&mut offsets.iter().filter(flat).map(|[x, y, _]| (-x, *y)));
    let c = most(&mut offsets.iter().filter(deep).map(|[_, y, z]| (-y, *z)));
    let b = most(&mut offsets.iter().filter(deep).map(|[x, y, z]| (-(x + a * y), *z)));
    [a, b, c]
}

/// Numbers in parentheses.
fn tuple<T: fmt::Display>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(T::to_string).collect();
    format!("({})", numbers.join(", "))
}

/// On one line: the dependences, the weights, the shear.
impl fmt::Display for Dependences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// More dependences are counted.
        const MOST_SHOWN: usize = 12;
        let mut offsets: Vec<String> =
            self.offsets.iter().take(MOST_SHOWN).map(|offset| tuple(&offset[..self.axes])).collect();
        if self.offsets.len() > MOST_SHOWN {
            offsets.push(format!("and {} more", self.offsets.len() - MOST_SHOWN));
        }
        write!(f, "D = {{{}}}, Π = {}", offsets.join(", "), tuple(&self.weights[..self.axes]))?;
        let [a, b, c] = self.shear;
        match (self.axes, self.shear) {
            (_, [0, 0, 0]) => Ok(()),
            (2, _) => write!(f, ", shear {a}"),
            _ => write!(f, ", shear {}", tuple(&[a, b, c])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Domain, with_flags};
    use crate::samples::library;

    fn ordered(order: &str, next: &str) -> Vec<OrderedStep> {
        let text = format!("rule r {{ state s: i32  state t: i32  step go from {order} {{ next s = {next} }} }}");
        let rule = library(&text).rules.remove(0);
        let dimension = if rule.needs_three_dimensions { Dimension::Three } else { Dimension::Two };
        rule.ordered_steps(dimension)
    }

    /// The order, what is read, the shear (a, b, c), the weights.
    type Row = (&'static str, &'static str, [u64; 3], [u64; 3]);

    const TABLE: [Row; 19] = [
        ("(+x, +y)", "sum(von_neumann, nb.s)", [0; 3], [1, 1, 0]),
        ("(-x, +y)", "sum(von_neumann, nb.s)", [0; 3], [1, 1, 0]),
        ("(-y, -x)", "sum(von_neumann, nb.s)", [0; 3], [1, 1, 0]),
        ("(+x, +y)", "sum(von_neumann(2), nb.s)", [1, 0, 0], [1, 2, 0]),
        ("(+x, -y)", "sum(moore, nb.s)", [1, 0, 0], [1, 2, 0]),
        ("(+x, +y)", "sum([(-1, 0), (-1, -1), (0, -1), (1, -1)], nb.s)", [1, 0, 0], [1, 2, 0]),
        ("(+x, +y)", "sum(moore(2), nb.s)", [2, 0, 0], [1, 3, 0]),
        ("(+x, +y)", "sum([(1, 2), (2, 1), (2, -1), (1, -2)], nb.s)", [2, 0, 0], [0, 1, 0]),
        ("(+x, +y)", "sum(moore(5), nb.s)", [5, 0, 0], [1, 6, 0]),
        ("(+x, +y, +z)", "sum(von_neumann, nb.s)", [0; 3], [1, 1, 1]),
        ("(+x, +y, +z)", "sum(von_neumann(2), nb.s)", [1, 1, 1], [1, 2, 3]),
        ("(+x, +y, +z)", "sum(moore, nb.s)", [1, 2, 1], [1, 2, 4]),
        ("(-x, +y, -z)", "sum(moore(2), nb.s)", [2, 6, 2], [1, 3, 9]),
        // Rows and columns that need not wait have the weight 0, and states that are not set give none.
        ("(+x, +y)", "s[-1, 0] else 0", [0; 3], [1, 0, 0]),
        ("(+x, +y)", "s[0, -1] else 0", [0; 3], [0, 1, 0]),
        ("(+x, +y)", "(s[1, 1] else 0) + sum(moore, nb.t)", [0; 3], [1, 0, 0]),
        // Groups: what is read in the cell's own gives none.
        ("(+y)", "sum(moore(2), nb.s)", [0; 3], [1, 0, 0]),
        ("(-x)", "s[0, 1] else 0", [0; 3], [0; 3]),
        ("(+z, +x)", "(s[0, 4, 1] else 0) + s[1, 0, -1] else 0", [1, 0, 0], [1, 2, 0]),
    ];

    #[test]
    fn the_shear_is_the_least() {
        for (order, next, shear, weights) in TABLE {
            let found = ordered(order, next).remove(0).dependences.expect("there are few");
            assert_eq!((found.shear, found.weights), (shear, weights), "{order}: {next}: {found}");
        }
        let line = ordered("(+x, +y)", "max(s[-1, 0] else 0, s[0, -1] else 0)").remove(0);
        assert_eq!(line.to_string(), "step `go` from (+x, +y): D = {(0, 1), (1, 0)}, Π = (1, 1)");
    }

    /// Every pair of cells of a box that a read relates, at edges and seams as well.
    #[test]
    fn who_reads_another_does_not_share_its_plane() {
        let domains = library(
            "domain sheet { size (7, 6) }
             domain torus { size (9, 7)  periodic }
             domain wide { size (17, 5)  periodic }
             domain tube { size (6, 7)  periodic y }
             domain belt { size (7, 5)  periodic x }
             domain block { size (5, 4, 4) }
             domain ring { size (5, 6, 5)  periodic }
             domain pipe { size (5, 6, 7)  periodic y, z }",
        );
        let flat = ["(+x, +y)", "(-y, +x)", "(+y)", "(-x)", "all"];
        let deep = ["(+x, +y, +z)", "(+z, -x, +y)", "(-y, +z)", "(+z)", "all"];
        let lists =
            ["von_neumann", "moore", "von_neumann(2)", "moore(2)", "[(1, 0)]", "[(2, -1), (-1, 0)]", "[(-2, -2)]"];
        let (mut pairs, mut planes) = (0, 0);
        for fractal in &domains.fractals {
            let is_deep = fractal.dimension == Dimension::Three;
            for order in if is_deep { deep } else { flat } {
                for list in lists {
                    let text =
                        format!("rule r {{ state s: i32  step go from {order} {{ next s = sum({list}, nb.s) }} }}");
                    let rule = library(&text).rules.remove(0);
                    let edges = if fractal.periodic.any() { vec![] } else { vec!["s=reflect".to_owned()] };
                    for flags in [Vec::new(), edges] {
                        let fractal = with_flags(fractal, &flags).expect("a state");
                        let domain = Domain::new(fractal, 1).expect("it is small");
                        let fitted = domain.fit(&rule).expect("it runs there");
                        for step in fitted.ordered_steps() {
                            let StepOrder::Along(axes) = &step.order else { panic!("{step}") };
                            let found = step.dependences.clone().expect("few");
                            let offsets = rule.neighbourhoods[0].offsets(domain.dimension());
                            let along = |place: [i64; 3]| -> Vec<i64> {
                                let of = |signed: &SignedAxis| {
                                    place[usize::from(signed.axis)] * if signed.backwards { -1 } else { 1 }
                                };
                                axes.iter().map(of).collect()
                            };
                            let plane = |place: [i64; 3]| -> i64 {
                                along(place).iter().zip(found.weights).map(|(v, weight)| v * weight as i64).sum()
                            };
                            let key = |place: [i64; 3]| along(place).into_iter().rev().collect::<Vec<i64>>();
                            let mut sides = std::collections::BTreeMap::new();
                            for place in (0..domain.cells()).map(|c| domain.lambda(c).map(|v| v as i64)) {
                                *sides.entry(plane(place)).or_insert(0) += 1;
                                for offset in &offsets {
                                    let Some(there) = read(&domain, place, *offset, !flags.is_empty()) else {
                                        continue;
                                    };
                                    let told = key(place).cmp(&key(there));
                                    let waits = plane(place).cmp(&plane(there));
                                    assert!(
                                        told.is_eq() || told == waits,
                                        "{step:?} {place:?} {there:?} {found}\n{text}"
                                    );
                                    pairs += 1;
                                }
                            }
                            assert!(!step.is_sequential || sides.values().all(|cells| *cells == 1), "{found}");
                            planes += sides.len();
                        }
                    }
                }
            }
        }
        assert!(pairs > 100_000 && planes > 1000, "{pairs} pairs, {planes} planes");
    }

    /// The place that a cell sees at an offset.
    fn read(domain: &Domain, place: [i64; 3], offset: [i32; 3], reflects: bool) -> Option<[i64; 3]> {
        let mut there = [0; 3];
        for axis in 0..3 {
            let (side, at) = (domain.extent()[axis] as i64, place[axis] + i64::from(offset[axis]));
            there[axis] = match at {
                at if domain.periodic().0[axis] => at.rem_euclid(side),
                at if reflects && at < 0 => -1 - at,
                at if reflects && at >= side => 2 * side - 1 - at,
                at if (0..side).contains(&at) => at,
                _ => return None,
            };
        }
        Some(there)
    }

    #[test]
    fn seams_are_crossed_beside_an_axis_alone() {
        let text = |next: &str| format!("rule r {{ state s: i32  step go from (+x, +y) {{ next s = {next} }} }}");
        let torus = library("domain torus { size (9, 7)  periodic }").fractals.remove(0);
        let domain = Domain::new(torus, 1).expect("it is small");
        let found = |next: &str| domain.fit(&library(&text(next)).rules[0]).expect("it runs").ordered_steps().remove(0);
        let near = found("sum(von_neumann, nb.s)");
        assert_eq!((near.dependences.map(|found| found.weights), near.is_sequential), (Some([1, 1, 0]), false));
        let around = found("sum(moore, nb.s)");
        assert_eq!((around.dependences.map(|found| found.weights), around.is_sequential), (Some([1, 9, 0]), true));
    }
}
