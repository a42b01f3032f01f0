//! Sums over many neighbours, computed for all cells at once before the step that asks for them.
//!
//! The terms of an aggregate that ask nothing of the cell itself are the same wherever they are seen from. Where they are bits or whole numbers and the
//! neighbours stand in few rows, engines need not add them anew for each cell: a sum along a row is a difference of two running sums. So the aggregate
//! becomes the value of a field at the cell, and a [`NeighbourSum`] says how engines compute that field. Terms that are no state become fields as well, which
//! a step of their own computes. Floats are added in the order of the language, and stay as they are.

use super::evaluate::evaluate_flushed;
use super::fractal::Dimension;
use super::global_expr::GlobalExpr;
use super::rule::{
    Aggregate, AggregateKind, Body, Boundary, NeighbourSum, Neighbourhood, Node, NodeId, OffsetRun, Op, Rule,
    RuleParts, SideBoundary, State, StateId, Step, SummedNeighbours, of_all_cells, of_operands,
};
use crate::numbers::operators::{CompareOp, UnaryOp};
use crate::numbers::value::{Type, Value};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Neighbours of bits, and of numbers, from which on they are added by running sums. Measured: on a CPU.
const FEWEST: [usize; 2] = [200, 24];
/// The fewest neighbours of bits, and of numbers, for each run of neighbours side by side, where they are no box. Measured: on a CPU.
const FEWEST_A_RUN: [usize; 2] = [24, 2];
/// The most values that the running sums of rows take that are needed at once, for each thread.
const MOST_VALUES: u64 = 1 << 24;

impl SummedNeighbours {
    /// The cells of a neighbourhood; `None` if one of them counts twice, or there is none.
    fn of(neighbourhood: &Neighbourhood, dimension: Dimension) -> Option<SummedNeighbours> {
        if let Neighbourhood::Moore(radius) = neighbourhood {
            let along = |axis: usize| if axis < dimension.axes() { *radius as i32 } else { 0 };
            let sides = std::array::from_fn(|axis| -along(axis)..=along(axis));
            return Some(SummedNeighbours::Box { sides, without_own: true });
        }
        let offsets = neighbourhood.offsets(dimension);
        let places: BTreeSet<[i32; 3]> = offsets.iter().map(|[x, y, z]| [*z, *y, *x]).collect();
        if places.len() < offsets.len() || places.is_empty() {
            return None;
        }
        let sides = bounds(offsets.iter());
        let volume: u128 = sides.iter().map(|side| length(side) as u128).product();
        let has_own = places.contains(&[0; 3]);
        let spans_own = sides.iter().all(|side| side.contains(&0));
        if volume == places.len() as u128 || volume == places.len() as u128 + 1 && spans_own && !has_own {
            let without_own = volume > places.len() as u128;
            return Some(SummedNeighbours::Box { sides, without_own });
        }
        let mut runs: Vec<OffsetRun> = Vec::new();
        for [z, y, x] in places {
            match runs.last_mut() {
                Some(run) if run.row == [y, z] && *run.along.end() == x - 1 => run.along = *run.along.start()..=x,
                _ => runs.push(OffsetRun { row: [y, z], along: x..=x }),
            }
        }
        Some(SummedNeighbours::Runs(runs))
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            SummedNeighbours::Box { sides, without_own } => {
                sides.iter().map(length).product::<u64>() - u64::from(*without_own)
            }
            SummedNeighbours::Runs(runs) => runs.iter().map(|run| length(&run.along)).sum(),
        }
    }

    /// From the first offset to the last, along each axis.
    pub fn sides(&self) -> [RangeInclusive<i32>; 3] {
        match self {
            SummedNeighbours::Box { sides, .. } => sides.clone(),
            SummedNeighbours::Runs(runs) => {
                let ends =
                    |run: &OffsetRun| [*run.along.start(), *run.along.end()].map(|x| [x, run.row[0], run.row[1]]);
                bounds(runs.iter().flat_map(ends).collect::<Vec<_>>().iter())
            }
        }
    }

    /// Whether it takes less to add them by running sums than one by one, on rows of this width.
    fn pay(&self, are_bits: bool, width: u64) -> bool {
        let (of_type, count) = (usize::from(!are_bits), self.count() as usize);
        let SummedNeighbours::Runs(runs) = self else { return count >= FEWEST[of_type] };
        let [along, y, z] = self.sides().map(|side| length(&side));
        let values = (width + along).saturating_mul(y).saturating_mul(z);
        count >= FEWEST[of_type].max(runs.len() * FEWEST_A_RUN[of_type]) && values <= MOST_VALUES
    }
}

/// From the least to the greatest coordinate along each axis.
fn bounds<'o>(offsets: impl Iterator<Item = &'o [i32; 3]> + Clone) -> [RangeInclusive<i32>; 3] {
    std::array::from_fn(|axis| {
        let along = || offsets.clone().map(|offset| offset[axis]);
        along().min().unwrap_or(0)..=along().max().unwrap_or(0)
    })
}

fn length(side: &RangeInclusive<i32>) -> u64 {
    (i64::from(*side.end()) - i64::from(*side.start()) + 1) as u64
}

impl RuleParts {
    /// The rule with the sums over neighbours that engines compute faster for all cells at once, on rows of this width; `None` if there are none.
    pub(crate) fn with_sums(&self, dimension: Dimension, width: u64) -> Option<Rule> {
        if self.is_ordered() {
            return None;
        }
        let neighbours = |of: &Neighbourhood| SummedNeighbours::of(of, dimension).map(Arc::new);
        let mut with_sums = WithSums {
            neighbours: self.neighbourhoods.iter().map(neighbours).collect(),
            rule: self,
            width,
            fields: self.fields.clone(),
            terms: Vec::new(),
            sums: Vec::new(),
            steps: Vec::new(),
        };
        let (of_time, observed) = self.steps.split_at(self.steps.len() - self.observed_steps);
        of_time.iter().for_each(|step| with_sums.add(step));
        // Steps of terms stand among those that they are for.
        let before = with_sums.steps.len();
        observed.iter().for_each(|step| with_sums.add(step));
        let observed_steps = with_sums.steps.len() - before;
        let WithSums { fields, sums, steps, .. } = with_sums;
        if sums.is_empty() || self.states.len() + fields.len() > usize::from(u16::MAX) {
            return None;
        }
        let mut edges = self.edges.clone();
        if !edges.is_empty() {
            edges.resize(self.states.len() + fields.len(), None);
        }
        // Neighbourhoods of these sums alone are looked at no more.
        let mut neighbourhoods = self.neighbourhoods.clone();
        let mut asked = BTreeSet::new();
        let bodies = steps.iter().chain(&self.observed_fields).map(|step| &step.body);
        // In `init` a pair of a bond that is kept asks whether its other end is a cell.
        let bodies = bodies.chain(self.reductions.iter().map(|of| &*of.body)).chain([&self.init]);
        for node in bodies.flat_map(|body| &body.nodes) {
            if let Op::Aggregate(aggregate) = &node.op {
                asked.insert(usize::from(aggregate.neighbourhood));
            }
        }
        for (_, unasked) in neighbourhoods.iter_mut().enumerate().filter(|(number, _)| !asked.contains(number)) {
            *unasked = Neighbourhood::Listed { name: String::new(), offsets: Vec::new() };
        }
        Some(Rule(RuleParts {
            fields,
            sums,
            steps,
            edges,
            neighbourhoods,
            observed_steps,
            keeps_cheaper: true,
            ..self.clone()
        }))
    }
}

/// A rule whose steps get sums.
struct WithSums<'a> {
    rule: &'a RuleParts,
    width: u64,
    /// Of each neighbourhood of the rule.
    neighbours: Vec<Option<Arc<SummedNeighbours>>>,
    fields: Vec<State>,
    /// The fields of terms that are no states.
    terms: Vec<(SummedTerm, StateId)>,
    sums: Vec<NeighbourSum>,
    steps: Vec<Step>,
}

/// What is added: code of a cell whose last node is the value.
#[derive(Clone, Debug, PartialEq)]
struct SummedTerm {
    nodes: Vec<Node>,
    beyond: Option<SideBoundary>,
}

impl WithSums<'_> {
    /// Adds a step, behind those of the terms of its sums.
    fn add<'s>(&mut self, step: &'s Step) {
        let body = &step.body;
        let wanted: Vec<NodeId> = body.results.iter().map(|(_, id)| *id).chain(step.guard).collect();
        let needed = body.needed(&wanted);
        let (mut globals, first) = (step.globals.clone(), self.steps.len());
        let source = |(node, needed): (&'s Node, &bool)| match &node.op {
            Op::Aggregate(aggregate) if *needed => {
                let term = self.term(body, aggregate)?;
                Some((self.source(term, &mut globals, first), aggregate))
            }
            _ => None,
        };
        let sources: Vec<_> = body.nodes.iter().zip(&needed).map(source).collect();
        let before = self.steps.len();
        let mut gone = vec![false; body.nodes.len()];
        let terms = sources.iter().flatten().map(|(_, aggregate)| aggregate.term.clone());
        terms.flatten().for_each(|id| gone[id as usize] = true);
        let (mut nodes, mut places): (Vec<Node>, Vec<NodeId>) = (Vec::new(), Vec::new());
        for ((node, source), gone) in body.nodes.iter().zip(sources).zip(gone) {
            if gone {
                // Nothing else reads it.
                places.push(NodeId(0));
                continue;
            }
            let id = |nodes: &Vec<Node>| NodeId(nodes.len() as u32 - 1);
            let mut node = node.clone();
            if let Some((of, aggregate)) = source {
                let counts = matches!(aggregate.kind, AggregateKind::Any | AggregateKind::All);
                let ty = if counts { Type::I32 } else { node.ty };
                let op = Op::State(self.sum(of, aggregate, ty, before));
                nodes.push(Node { ty, op });
                if counts {
                    let zero = Op::Const(Value::I32(0));
                    nodes.push(Node { ty, op: zero });
                    let zero = id(&nodes);
                    let some =
                        if aggregate.kind == AggregateKind::Any { CompareOp::NotEqual } else { CompareOp::Equal };
                    nodes.push(Node { ty: Type::Bit, op: Op::Compare(some, NodeId(zero.0 - 1), zero) });
                }
                places.push(id(&nodes));
                continue;
            }
            node.op.visit_operands(|operand| *operand = places[operand.0 as usize]);
            if let Op::Aggregate(Aggregate { term, .. }) = &mut node.op {
                // Its nodes stand directly before it.
                let end = nodes.len() as u32;
                *term = end - (term.end - term.start)..end;
            }
            nodes.push(node);
            places.push(id(&nodes));
        }
        let place = |id: NodeId| places[id.0 as usize];
        let results = body.results.iter().map(|(state, id)| (*state, place(*id))).collect();
        let body = Body { nodes, results };
        self.steps.push(Step { globals, guard: step.guard.map(place), body, ..step.clone() });
    }

    /// The term of an aggregate that running sums suit.
    fn term(&self, body: &Body, aggregate: &Aggregate) -> Option<SummedTerm> {
        let ty = body.node(aggregate.value).ty;
        let suits = match aggregate.kind {
            AggregateKind::Sum => matches!(ty, Type::Bit | Type::U8 | Type::U16 | Type::I32 | Type::U32),
            AggregateKind::Count | AggregateKind::Any | AggregateKind::All => true,
            AggregateKind::Product | AggregateKind::Min | AggregateKind::Max | AggregateKind::Pick => false,
        };
        let neighbours = self.neighbours[usize::from(aggregate.neighbourhood)].as_ref()?;
        if !suits || !neighbours.pay(ty == Type::Bit, self.width) {
            return None;
        }
        let needed = body.needed(&[aggregate.value]);
        let mut places = vec![NodeId(0); needed.len()];
        let mut nodes: Vec<Node> = Vec::new();
        for (index, node) in body.nodes.iter().enumerate().filter(|(index, _)| needed[*index]) {
            let mut node = node.clone();
            match node.op {
                Op::Neighbour(state) => node.op = Op::State(state),
                of_operands!() | of_all_cells!() => {}
                // It differs with the cell that looks.
                _ => return None,
            }
            node.op.visit_operands(|operand| *operand = places[operand.0 as usize]);
            places[index] = NodeId(nodes.len() as u32);
            nodes.push(node);
        }
        // How many neighbours exist is mostly known without asking any.
        if !nodes.iter().any(|node| matches!(node.op, Op::State(_))) {
            return None;
        }
        if aggregate.kind == AggregateKind::All {
            let value = NodeId(nodes.len() as u32 - 1);
            nodes.push(Node { ty: Type::Bit, op: Op::Unary(UnaryOp::Not, value) });
        }
        let beyond = self.beyond(&nodes)?;
        Some(SummedTerm { nodes, beyond })
    }

    /// The value of a term beyond the edges: `None` if it is not known.
    fn beyond(&self, nodes: &[Node]) -> Option<Option<SideBoundary>> {
        let rule = self.rule;
        if rule.edges.is_empty() {
            return Some(None);
        }
        if rule.has_sides() {
            return None;
        }
        if rule.reflects() {
            let is_mirrored = |node: &Node| match node.op {
                Op::State(state) => rule.edges[usize::from(state.0)] == Some(Boundary::Reflect),
                _ => true,
            };
            return nodes.iter().all(is_mirrored).then_some(Some(SideBoundary::Reflect));
        }
        let mut values: Vec<Value> = Vec::with_capacity(nodes.len());
        for node in nodes {
            values.push(match node.op {
                Op::State(state) => match rule.edges[usize::from(state.0)] {
                    Some(Boundary::Constant(value)) => value,
                    Some(Boundary::Reflect | Boundary::Sides(_)) | None => return None,
                },
                ref op => evaluate_flushed(rule.flush, node.ty, op, |id| values[id.0 as usize])?,
            });
        }
        values.last().map(|value| Some(SideBoundary::Constant(*value)))
    }

    /// The state that is a term, or a field for it that a step computes, with the globals before it; steps from the `first` belong to the one that asks.
    fn source(
        &mut self,
        term: SummedTerm,
        globals: &mut Vec<(u16, GlobalExpr)>,
        first: usize,
    ) -> (StateId, Option<SideBoundary>) {
        let beyond = term.beyond;
        if let [Node { op: Op::State(state), .. }] = term.nodes[..] {
            return (state, beyond);
        }
        let value = NodeId(term.nodes.len() as u32 - 1);
        let ty = term.nodes[value.0 as usize].ty;
        let known = self.terms.iter().find(|(of, _)| *of == term).map(|(_, field)| *field);
        let field = known.unwrap_or_else(|| {
            let field = self.field(format!("term_{}", self.terms.len() + 1), ty);
            self.terms.push((term.clone(), field));
            field
        });
        let results = vec![(field, value)];
        if self.steps[first..].iter().all(|step| step.body.results != results) {
            let name = Some(self.of_field(field).name.clone());
            let body = Body { nodes: term.nodes, results };
            let globals = std::mem::take(globals);
            self.steps.push(Step {
                name,
                globals,
                guard: None,
                order: None,
                body,
                pairs: Vec::new(),
                clusters: Vec::new(),
            });
        }
        (field, beyond)
    }

    /// The field of a sum before a step.
    fn sum(
        &mut self,
        (of, beyond): (StateId, Option<SideBoundary>),
        aggregate: &Aggregate,
        ty: Type,
        before: usize,
    ) -> StateId {
        let neighbours = self.neighbours[usize::from(aggregate.neighbourhood)].clone().expect("the term suits sums");
        let is_same = |sum: &&NeighbourSum| {
            (sum.of, &sum.neighbours, sum.beyond) == (of, &neighbours, beyond) && self.of_field(sum.field).ty == ty
        };
        let same = self.sums.iter().rev().find(is_same);
        if let Some(same) = same.filter(|same| same.before == before) {
            return same.field;
        }
        // Steps before this one have no more use for theirs.
        let known = same.map(|same| same.field);
        let field = known.unwrap_or_else(|| self.field(format!("sum_{}", self.sums.len() + 1), ty));
        self.sums.push(NeighbourSum { before, field, of, neighbours, beyond });
        field
    }

    fn field(&mut self, name: String, ty: Type) -> StateId {
        self.fields.push(State { name, ty });
        StateId((self.rule.states.len() + self.fields.len() - 1) as u16)
    }

    fn of_field(&self, field: StateId) -> &State {
        &self.fields[usize::from(field.0) - self.rule.states.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::library;

    /// The neighbourhood of a rule's list of offsets.
    fn of(offsets: &[[i32; 3]]) -> Option<SummedNeighbours> {
        let listed = Neighbourhood::Listed { name: "some".to_owned(), offsets: offsets.to_vec() };
        SummedNeighbours::of(&listed, Dimension::Three)
    }

    #[test]
    fn boxes_and_runs_are_told_apart() {
        let square: Vec<[i32; 3]> = (-1..=1).flat_map(|x| (0..=2).map(move |y| [x, y, 4])).collect();
        let sides = [-1..=1, 0..=2, 4..=4];
        assert_eq!(of(&square), Some(SummedNeighbours::Box { sides, without_own: false }));
        let moore = SummedNeighbours::of(&Neighbourhood::Moore(2), Dimension::Two).expect("it is a box");
        assert_eq!(of(&Neighbourhood::Moore(2).offsets(Dimension::Two)), Some(moore.clone()));
        assert_eq!((moore.count(), moore.sides()), (24, [-2..=2, -2..=2, 0..=0]));
        let runs = of(&Neighbourhood::VonNeumann(1).offsets(Dimension::Two)).expect("no cell is twice in it");
        let run = |y: i32, along: RangeInclusive<i32>| OffsetRun { row: [y, 0], along };
        assert_eq!(runs, SummedNeighbours::Runs(vec![run(-1, 0..=0), run(0, -1..=-1), run(0, 1..=1), run(1, 0..=0)]));
        assert_eq!((runs.count(), runs.sides()), (4, [-1..=1, -1..=1, 0..=0]));
        assert_eq!((of(&[]), of(&[[1, 0, 0], [1, 0, 0]])), (None, None));
    }

    #[test]
    fn sums_of_what_is_the_same_for_all_that_look_are_fields() {
        let with = |next: &str| {
            let text = format!(
                "rule r {{ state a: bit  state k: i32  state u: f32  init a = random(0.5)  init k = 1  init u = 0.0
                 global m = sum(k)
                 next a = {next} }}"
            );
            let rule = library(&text).rules.remove(0);
            let sums = rule.with_sums(Dimension::Two, 100)?;
            // A step for each term that is no state; globals come first.
            assert!(sums.steps[0].globals == rule.steps[0].globals && sums.steps.len() >= rule.steps.len());
            Some((sums.sums.len(), sums.steps.len() - rule.steps.len()))
        };
        for (next, expected) in [
            ("count(moore(8), nb.a) > 30", Some((1, 0))),
            ("count(moore(8), nb.a) > 30 && any(moore(8), nb.a)", Some((1, 0))),
            ("count(moore(8), nb.a) > 30 && count(moore(8), nb.a) < 50", Some((1, 0))),
            ("all(moore(8), nb.a) && sum(moore(8), nb.k * 2) > i32(m % 3)", Some((2, 2))),
            ("sum(moore(8), if nb.a { 1 } else { -1 }) > 0", Some((1, 1))),
            ("count(moore(8), nb.k > i32(m % 3)) > 5", Some((1, 1))),
            ("count(moore(1), nb.a) > 3", None),
            ("count(moore(8), nb.k == k) > 5", None),
            ("sum(moore(8), nb.k * dx) > 5", None),
            ("sum(moore(8), nb.u) > 5.0", None),
            ("(min(moore(8), nb.k) else 0) > 5", None),
            ("degree(moore(8)) > 5", None),
        ] {
            assert_eq!(with(next), expected, "{next}");
        }
    }
}
