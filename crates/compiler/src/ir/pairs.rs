//! Values of pairs of neighbours, from the form in which they are written to fields of cells.
//!
//! A pair is a cell, its *owner*, and an offset that is positive: the first of z, y, x that is not 0 is greater than 0. A [`Bond`] is a field, or a state, that
//! has a value of each pair of a neighbourhood. Wherever code reads such a field at a neighbour, that is the value of the pair, whichever end owns it.
//!
//! How many pairs a cell owns follows from the dimension. `Rule::with_pairs` gives each positive offset a field of its own and each of its draws a number,
//! and `Rule::pairs_of_cells` turns all code about pairs into code about cells, which is what kernels are made of. The oracle takes the rule between the two.

use super::fractal::Dimension;
use super::global_expr::GlobalExpr;
use super::rule::{
    Aggregate, AggregateKind, Body, ComparedBit, Neighbourhood, Node, NodeId, Op, Reduction, Rule, RuleParts, State,
    StateId, Step,
};
use crate::numbers::operators::{BinaryOp, CompareOp};
use crate::numbers::value::{Type, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A state or a field with a value of each pair of neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Bond {
    /// The values of the pairs at the first positive offset, by their owners; those of the others follow.
    pub first: StateId,
    /// The neighbourhood, an index into [`RuleParts::neighbourhoods`].
    pub neighbourhood: u16,
    /// Its positive offsets in its order, once the dimension is known.
    pub offsets: Vec<[i32; 3]>,
}

/// Code that is evaluated for each pair of a neighbourhood, at its owner.
#[derive(Clone, Debug, PartialEq)]
pub struct PairCode {
    /// An index into [`RuleParts::neighbourhoods`].
    pub neighbourhood: u16,
    /// The results are bonds.
    pub body: Body,
    /// The nodes from this one on are evaluated for each pair, where [`Op::Neighbour`] is the other end; those before are the owner's.
    pub term: u32,
    /// The draws of a pair, in the order of the text.
    pub draws: Vec<PairDraws>,
}

/// Draws of a pair that belong together: those of the next positive offset follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairDraws {
    /// The number of the first.
    pub first: u32,
    /// How many there are for one pair.
    pub count: u32,
}

/// Whether an offset is positive: whether the cell from which it is looked at owns the pair.
pub fn is_positive([x, y, z]: [i32; 3]) -> bool {
    (z, y, x) > (0, 0, 0)
}

impl PairCode {
    /// The draws to which a number belongs, if it is one of a pair's.
    pub fn draws_of(&self, number: u32) -> Option<PairDraws> {
        self.draws.iter().copied().find(|draws| (draws.first..draws.first + draws.count).contains(&number))
    }
}

impl RuleParts {
    /// Whether something of it is about pairs of neighbours.
    pub fn asks_pairs(&self) -> bool {
        let halves = |of: &Neighbourhood| matches!(of, Neighbourhood::Pairs(_));
        !self.bonds.is_empty() || self.neighbourhoods.iter().any(halves)
    }

    /// The bond that a field belongs to.
    pub fn bond(&self, field: StateId) -> Option<&Bond> {
        self.bonds.iter().find(|bond| bond.first == field)
    }

    /// The first state of cells, or of pairs if a rule has no other: the one that is shown where none is asked for.
    #[doc(hidden)]
    pub fn first_state(&self) -> StateId {
        (0..self.states.len() as u16).map(StateId).find(|state| !self.is_of_pairs(*state)).unwrap_or(StateId(0))
    }

    /// Whether a state belongs to a bond that is kept.
    #[doc(hidden)]
    pub fn is_of_pairs(&self, state: StateId) -> bool {
        let of = |bond: &Bond| bond.first.0..bond.first.0 + bond.offsets.len().max(1) as u16;
        self.bonds.iter().any(|bond| of(bond).contains(&state.0))
    }

    /// A state or a field, or those of all pairs of a bond.
    pub(crate) fn fields_of(&self, field: StateId) -> impl Iterator<Item = StateId> + use<> {
        let count = self.bond(field).map_or(1, |bond| bond.offsets.len() as u16);
        (field.0..field.0 + count).map(StateId)
    }

    /// How many more numbers the draws of some code take at most than the text has draws.
    pub(crate) fn further_draws(&self, pairs: &PairCode) -> u32 {
        let neighbourhood = &self.neighbourhoods[usize::from(pairs.neighbourhood)];
        let offsets = u32::try_from(neighbourhood.offsets_at_most(Dimension::Three)).unwrap_or(u32::MAX);
        pairs.draws.iter().map(|draws| draws.count.saturating_mul(offsets / 2)).fold(0, u32::saturating_add)
    }

    /// All steps, and those of observables.
    fn all_steps_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        self.steps.iter_mut().chain(&mut self.observed_fields)
    }
}

impl Rule {
    /// The rule with the states that it has in a dimension: one for each positive offset of a bond that is kept.
    #[doc(hidden)]
    #[must_use]
    pub fn in_dimension(self: &Arc<Rule>, dimension: Dimension) -> Arc<Rule> {
        self.with_pairs(dimension).map_or_else(|| Arc::clone(self), Arc::new)
    }

    /// The bonds that are kept, in the order of the text.
    #[doc(hidden)]
    pub fn kept_bonds(&self) -> impl Iterator<Item = &Bond> {
        self.bonds.iter().filter(|bond| usize::from(bond.first.0) < self.states.len())
    }

    /// The rule with a field for each positive offset of a bond, and a number for each of their draws; `None` if it is the same.
    pub(crate) fn with_pairs(&self, dimension: Dimension) -> Option<Rule> {
        if self.bonds.iter().all(|bond| !bond.offsets.is_empty()) {
            return None;
        }
        let mut parts = self.0.clone();
        for bond in &mut parts.bonds {
            let offsets = parts.neighbourhoods[usize::from(bond.neighbourhood)].offsets(dimension);
            bond.offsets = offsets.into_iter().filter(|offset| is_positive(*offset)).collect();
        }
        let further = |id: StateId| -> u16 {
            let before = parts.bonds.iter().filter(|bond| bond.first < id);
            before.map(|bond| bond.offsets.len() as u16 - 1).sum()
        };
        let all = parts.states.len() + parts.fields.len();
        let moved: Vec<StateId> = (0..=all as u16).map(|id| StateId(id + further(StateId(id)))).collect();
        parts.fields = spread(&parts.bonds, (parts.states.len(), '_'), &parts.fields);
        parts.states = spread(&parts.bonds, (0, '.'), &parts.states);
        for_each_state(&mut parts, &|id| *id = moved[usize::from(id.0)]);
        let bonds = parts.bonds.clone();
        for of in parts.all_steps_mut().flat_map(|step| &mut step.clusters) {
            let bond = bonds.iter().find(|bond| bond.first == of.bond);
            of.offsets = bond.map_or(Vec::new(), |bond| bond.offsets.clone());
        }
        let of_disorder = std::mem::take(&mut parts.disorder);
        parts.disorder = of_disorder.into_iter().flat_map(|id| parts.fields_of(id)).collect();
        let of_steps: Vec<&PairCode> = parts.steps.iter().flat_map(|step| &step.pairs).collect();
        let numbers = further_numbers(&parts, &of_steps);
        renumber(&mut parts, &|draw| draw + numbers(draw));
        let numbers = further_numbers(&parts, &parts.init_pairs.iter().collect::<Vec<_>>());
        renumber_init(&mut parts, &|draw| draw + numbers(draw));
        Some(Rule(parts))
    }

    /// The rule with code about cells alone, if [`Rule::with_pairs`] made it; `None` if it is the same.
    pub(crate) fn pairs_of_cells(&self) -> Option<Rule> {
        if self.bonds.is_empty() {
            return None;
        }
        let mut parts = self.0.clone();
        let bonds = std::mem::take(&mut parts.bonds);
        let mut cells = OfCells { bonds: &bonds, rule: self, listed: Vec::new(), known: parts.neighbourhoods.len() };
        for step in parts.all_steps_mut() {
            let body = cells.body(&step.body, &step.pairs);
            step.guard = step.guard.map(|guard| body.moved[guard.0 as usize]);
            (step.body, step.pairs) = (body.new, Vec::new());
        }
        let pairs = std::mem::take(&mut parts.init_pairs);
        parts.init = cells.body(&self.init, &pairs).new;
        // Reductions that share their code go on sharing it.
        let mut done: BTreeMap<*const Body, (Arc<Body>, Vec<NodeId>)> = BTreeMap::new();
        for Reduction { body, term, .. } in &mut parts.reductions {
            let (new, moved) = done.entry(Arc::as_ptr(body)).or_insert_with(|| {
                let done = cells.body(body, &[]);
                (Arc::new(done.new), done.moved)
            });
            (*body, *term) = (Arc::clone(new), moved[term.0 as usize]);
        }
        for of in &mut parts.coloured {
            let last = of.steps.end - 1;
            of.colour = cells.body(&self.steps[last].body, &self.steps[last].pairs).moved[of.colour.0 as usize];
        }
        parts.neighbourhoods.append(&mut cells.listed);
        if parts.observed_fields.iter().any(|step| !step.clusters.is_empty()) {
            parts.observed_steps = parts.observed_fields.len();
            parts.steps.append(&mut parts.observed_fields);
        }
        Some(Rule(parts))
    }
}

/// States or fields, the first of which has this number, with one for each positive offset of a bond, whose number stands behind the name.
fn spread(bonds: &[Bond], (first, mark): (usize, char), fields: &[State]) -> Vec<State> {
    let of = |(at, field): (usize, &State)| match bonds.iter().find(|bond| usize::from(bond.first.0) == first + at) {
        None => vec![field.clone()],
        Some(bond) => (0..bond.offsets.len())
            .map(|number| State { name: format!("{}{mark}{number}", field.name), ty: field.ty })
            .collect(),
    };
    fields.iter().enumerate().flat_map(of).collect()
}

/// Calls `change` with every state and field that a rule names.
fn for_each_state(parts: &mut RuleParts, change: &dyn Fn(&mut StateId)) {
    let of_body = |body: &mut Body| {
        for node in &mut body.nodes {
            if let Op::State(id) | Op::Neighbour(id) | Op::Read { state: id, .. } = &mut node.op {
                change(id);
            }
        }
        body.results.iter_mut().for_each(|(id, _)| change(id));
    };
    for step in parts.all_steps_mut() {
        of_body(&mut step.body);
        step.pairs.iter_mut().for_each(|pairs| of_body(&mut pairs.body));
        step.clusters.iter_mut().flat_map(|of| of.states_mut()).for_each(change);
    }
    // Reductions that share their code go on sharing it.
    let mut done: BTreeMap<*const Body, Arc<Body>> = BTreeMap::new();
    for Reduction { body, .. } in &mut parts.reductions {
        let new = done.entry(Arc::as_ptr(body)).or_insert_with(|| {
            let mut new = (**body).clone();
            of_body(&mut new);
            Arc::new(new)
        });
        *body = Arc::clone(new);
    }
    of_body(&mut parts.init);
    parts.init_pairs.iter_mut().for_each(|pairs| of_body(&mut pairs.body));
    parts.init_from.iter_mut().for_each(of_body);
    parts.disorder.iter_mut().chain(&mut parts.rolling).chain(&mut parts.index).for_each(change);
    parts.bonds.iter_mut().for_each(|bond| change(&mut bond.first));
    parts.inputs.iter_mut().for_each(|input| change(&mut input.field));
    parts.picture.iter_mut().for_each(|picture| change(&mut picture.state));
    for overlap in &mut parts.overlaps {
        if let ComparedBit::State(id) = &mut overlap.bit {
            change(id);
        }
    }
}

/// How much greater the numbers of draws become where each positive offset has numbers of its own.
fn further_numbers(parts: &RuleParts, of_pairs: &[&PairCode]) -> impl Fn(u32) -> u32 + use<> {
    let mut all: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for pairs in of_pairs {
        let bond = parts.bonds.iter().find(|bond| bond.neighbourhood == pairs.neighbourhood);
        let offsets = bond.map_or(1, |bond| bond.offsets.len() as u32);
        all.extend(pairs.draws.iter().map(|draws| (draws.first, (draws.count, (offsets - 1) * draws.count))));
    }
    move |number| {
        let before = all.range(..number).filter(|(first, (count, _))| *first + *count <= number);
        before.map(|(_, (_, further))| further).sum()
    }
}

/// Gives all draws of a body other numbers.
fn renumber_body(body: &mut Body, number: &dyn Fn(u32) -> u32) {
    body.nodes.iter_mut().filter_map(|node| node.op.draw_mut()).for_each(|draw| *draw = number(*draw));
}

/// The same of code for pairs.
fn renumber_pairs(pairs: &mut PairCode, number: &dyn Fn(u32) -> u32) {
    renumber_body(&mut pairs.body, number);
    pairs.draws.iter_mut().for_each(|draws| draws.first = number(draws.first));
}

/// Gives all draws of initial values other numbers.
fn renumber_init(parts: &mut RuleParts, number: &dyn Fn(u32) -> u32) {
    renumber_body(&mut parts.init, number);
    parts.init_from.iter_mut().for_each(|body| renumber_body(body, number));
    parts.init_pairs.iter_mut().for_each(|pairs| renumber_pairs(pairs, number));
}

/// Gives all draws of the steps other numbers.
fn renumber(parts: &mut RuleParts, number: &dyn Fn(u32) -> u32) {
    for step in &mut parts.steps {
        renumber_body(&mut step.body, number);
        step.pairs.iter_mut().for_each(|pairs| renumber_pairs(pairs, number));
        step.clusters.iter_mut().flat_map(|of| of.draws_mut()).for_each(|draw| *draw = number(*draw));
        for (_, total) in &mut step.globals {
            total.visit(&mut |inner| {
                if let GlobalExpr::Random { draw, .. } = inner {
                    *draw = number(*draw);
                }
            });
        }
    }
}

/// The offset of the neighbour for which a term is evaluated, as one number.
struct OffsetNumber {
    axes: usize,
    /// By how much each coordinate counts.
    weights: [i32; 3],
    /// The node, once it was asked for.
    node: Option<NodeId>,
}

impl OffsetNumber {
    /// The numbers of some offsets, which differ.
    fn of(offsets: &[[i32; 3]], dimension: Dimension) -> OffsetNumber {
        let most = |axis: usize| offsets.iter().map(|offset| offset[axis].unsigned_abs()).max().unwrap_or(0);
        // Integers wrap. Where the sides together are beyond 32 bits, odd weights of many bits tell offsets apart, as is checked.
        let (wide, high) = (2 * most(0) as i32 + 1, 2 * most(1) as i32 + 1);
        let tried = [[1, wide, wide.wrapping_mul(high)], [1, 0x9E37_79B1_u32 as i32, 0x85EB_CA77_u32 as i32]];
        let differ = |weights: &[i32; 3]| {
            let numbers: BTreeSet<i32> = offsets.iter().map(|offset| number_of(*offset, *weights)).collect();
            numbers.len() == offsets.len()
        };
        let weights = tried.into_iter().find(differ).unwrap_or([0; 3]);
        OffsetNumber { axes: dimension.axes(), weights, node: None }
    }

    /// A bit: whether the neighbour is at an offset.
    fn is(&mut self, offset: [i32; 3], code: &mut CellCode) -> NodeId {
        let weights = self.weights;
        if weights == [0; 3] {
            return self.is_by_axes(offset, code);
        }
        let node = match self.node {
            Some(node) => node,
            None => {
                let along = |axis: usize, code: &mut CellCode| {
                    let here = code.push(Type::I32, Op::Offset(axis as u8));
                    let weight = code.push(Type::I32, Op::Const(Value::I32(weights[axis])));
                    code.push(Type::I32, Op::Binary(BinaryOp::Multiply, here, weight))
                };
                let first = along(0, code);
                (1..self.axes).fold(first, |sum, axis| {
                    let more = along(axis, code);
                    code.push(Type::I32, Op::Binary(BinaryOp::Add, sum, more))
                })
            }
        };
        self.node = Some(node);
        let there = code.push(Type::I32, Op::Const(Value::I32(number_of(offset, weights))));
        code.push(Type::Bit, Op::Compare(CompareOp::Equal, node, there))
    }

    /// The same, coordinate by coordinate.
    fn is_by_axes(&self, offset: [i32; 3], code: &mut CellCode) -> NodeId {
        let along = |axis: usize, code: &mut CellCode| {
            let here = code.push(Type::I32, Op::Offset(axis as u8));
            let there = code.push(Type::I32, Op::Const(Value::I32(offset[axis])));
            code.push(Type::Bit, Op::Compare(CompareOp::Equal, here, there))
        };
        let first = along(0, code);
        (1..self.axes).fold(first, |all, axis| {
            let equal = along(axis, code);
            code.push(Type::Bit, Op::Binary(BinaryOp::And, all, equal))
        })
    }
}

/// The number of an offset.
fn number_of(offset: [i32; 3], weights: [i32; 3]) -> i32 {
    offset.iter().zip(weights).fold(0, |sum, (along, weight)| sum.wrapping_add(along.wrapping_mul(weight)))
}

/// Turns code about pairs into code about cells.
struct OfCells<'r> {
    bonds: &'r [Bond],
    rule: &'r Rule,
    /// Neighbourhoods of one offset, by which it is asked whether there is a cell.
    listed: Vec<Neighbourhood>,
    /// How many neighbourhoods the rule has without them.
    known: usize,
}

/// Code of cells, and where the nodes of the old code are in it.
#[derive(Default)]
struct CellCode {
    new: Body,
    moved: Vec<NodeId>,
    /// The bits that say whether there is a cell at an offset.
    cells: BTreeMap<[i32; 3], NodeId>,
}

impl CellCode {
    fn push(&mut self, ty: Type, op: Op) -> NodeId {
        self.new.nodes.push(Node { ty, op });
        NodeId(self.new.nodes.len() as u32 - 1)
    }
}

impl OfCells<'_> {
    fn bond(&self, field: StateId) -> Option<&Bond> {
        self.bonds.iter().find(|bond| bond.first == field)
    }

    /// The code of a body and of pairs beside it.
    fn body(&mut self, body: &Body, pairs: &[PairCode]) -> CellCode {
        let mut code = CellCode::default();
        // Aggregates cannot stand in the terms of others: whether there is a cell is asked before all else.
        let bodies = [body].into_iter().chain(pairs.iter().map(|pairs| &pairs.body));
        let positive = bodies.flat_map(|body| &body.nodes).filter_map(|node| match &node.op {
            Op::Read { state, offset, .. } if self.bond(*state).is_some() && is_positive(*offset) => Some(*offset),
            _ => None,
        });
        let kept = pairs.iter().filter_map(|pairs| self.kept_by(pairs)).flat_map(|bond| bond.offsets.clone());
        for offset in positive.chain(kept).collect::<Vec<_>>() {
            self.is_cell(offset, &mut code);
        }
        code.moved = self.nodes(body, &mut code);
        code.new.results.extend(body.results.iter().map(|(state, id)| (*state, code.moved[id.0 as usize])));
        for pairs in pairs {
            self.pairs(pairs, &mut code);
        }
        code
    }

    /// The bond that code of pairs sets, if it is kept.
    fn kept_by(&self, pairs: &PairCode) -> Option<&Bond> {
        let (first, _) = pairs.body.results.first()?;
        self.bond(*first).filter(|_| usize::from(first.0) < self.rule.states.len())
    }

    /// A bit: whether there is a cell at an offset.
    fn is_cell(&mut self, offset: [i32; 3], code: &mut CellCode) {
        if code.cells.contains_key(&offset) {
            return;
        }
        let one = Neighbourhood::Listed { name: "pair".to_owned(), offsets: vec![offset] };
        let at = self.listed.iter().position(|known| *known == one).unwrap_or_else(|| {
            self.listed.push(one);
            self.listed.len() - 1
        });
        let value = code.push(Type::Bit, Op::Const(Value::Bit(true)));
        let aggregate = Aggregate {
            kind: AggregateKind::Any,
            neighbourhood: (self.known + at) as u16,
            term: value.0..value.0 + 1,
            value,
            otherwise: None,
            index: None,
        };
        let bit = code.push(Type::Bit, Op::Aggregate(aggregate));
        code.cells.insert(offset, bit);
    }

    /// Adds the nodes of a body, and gives their new places.
    fn nodes(&self, body: &Body, code: &mut CellCode) -> Vec<NodeId> {
        // The neighbourhood of the aggregate in whose term a node stands.
        let mut around: Vec<Option<u16>> = vec![None; body.nodes.len()];
        for node in &body.nodes {
            if let Op::Aggregate(aggregate) = &node.op {
                let term = aggregate.term.start as usize..aggregate.term.end as usize;
                around[term].fill(Some(aggregate.neighbourhood));
            }
        }
        let mut moved: Vec<NodeId> = Vec::with_capacity(body.nodes.len());
        let mut starts: Vec<u32> = Vec::with_capacity(body.nodes.len());
        for (node, around) in body.nodes.iter().zip(around) {
            starts.push(code.new.nodes.len() as u32);
            let mut op = node.op.clone();
            op.visit_operands(|id| *id = moved[id.0 as usize]);
            if let Op::Aggregate(aggregate) = &mut op {
                let end = code.new.nodes.len() as u32;
                let start = starts.get(aggregate.term.start as usize).copied().unwrap_or(end);
                aggregate.term = if aggregate.term.is_empty() { end..end } else { start..end };
            }
            let id = match (&op, around) {
                (Op::Neighbour(field), Some(around)) if let Some(bond) = self.bond(*field) => {
                    self.at_neighbour(bond, around, node.ty, code)
                }
                (Op::Read { state, offset, otherwise }, _) if let Some(bond) = self.bond(*state) => {
                    self.read(bond, *offset, *otherwise, node.ty, code)
                }
                _ => code.push(node.ty, op),
            };
            moved.push(id);
        }
        moved
    }

    /// The bond to the neighbour for which a term is evaluated: the cell's own value if its offset is positive, else the neighbour's.
    fn at_neighbour(&self, bond: &Bond, around: u16, ty: Type, code: &mut CellCode) -> NodeId {
        let looked = &self.rule.neighbourhoods[usize::from(around)];
        let dimension = match bond.offsets.iter().any(|offset| offset[2] != 0) || self.rule.needs_three_dimensions {
            true => Dimension::Three,
            false => Dimension::Two,
        };
        let looked = looked.offsets(dimension);
        let mut found: Option<NodeId> = None;
        let mut place = OffsetNumber::of(&looked, dimension);
        for (number, offset) in bond.offsets.iter().enumerate() {
            let field = StateId(bond.first.0 + number as u16);
            let back = offset.map(|v| -v);
            for (offset, op) in [(*offset, Op::State(field)), (back, Op::Neighbour(field))] {
                if !looked.contains(&offset) {
                    continue;
                }
                let value = code.push(ty, op);
                found = Some(match found {
                    None => value,
                    Some(otherwise) => {
                        let condition = place.is(offset, code);
                        code.push(ty, Op::Select { condition, then: value, otherwise })
                    }
                });
            }
        }
        // No neighbour is looked at that has no pair.
        found.unwrap_or_else(|| code.push(ty, Op::Const(Value::zero(ty))))
    }

    /// The bond to the cell at an offset, if there is one, else `otherwise`.
    fn read(&self, bond: &Bond, offset: [i32; 3], otherwise: NodeId, ty: Type, code: &mut CellCode) -> NodeId {
        let number = |offset: [i32; 3]| bond.offsets.iter().position(|known| *known == offset).map(|at| at as u16);
        if let Some(number) = number(offset) {
            let value = code.push(ty, Op::State(StateId(bond.first.0 + number)));
            return code.push(ty, Op::Select { condition: code.cells[&offset], then: value, otherwise });
        }
        match number(offset.map(|v| -v)) {
            Some(number) => {
                let state = StateId(bond.first.0 + number);
                code.push(ty, Op::Read { state, offset, otherwise })
            }
            // In this dimension nothing is there.
            None => otherwise,
        }
    }

    /// Adds code for each pair that a cell owns.
    fn pairs(&mut self, pairs: &PairCode, code: &mut CellCode) {
        let (PairCode { body, term, .. }, rule) = (pairs, self.rule);
        let owner = Body { nodes: body.nodes[..*term as usize].to_vec(), results: Vec::new() };
        let owner = self.nodes(&owner, code);
        let Some(bond) = body.results.first().and_then(|(field, _)| self.bond(*field)) else { return };
        let all = &rule.neighbourhoods[usize::from(pairs.neighbourhood)];
        for (number, &offset) in bond.offsets.iter().enumerate() {
            let dimension =
                if offset[2] != 0 || rule.needs_three_dimensions { Dimension::Three } else { Dimension::Two };
            let mut moved = owner.clone();
            for node in &body.nodes[*term as usize..] {
                let mut op = node.op.clone();
                op.visit_operands(|id| *id = moved[id.0 as usize]);
                if let Some(draw) = op.draw_mut()
                    && let Some(draws) = pairs.draws_of(*draw)
                {
                    *draw += number as u32 * draws.count;
                }
                let id = match op {
                    Op::Neighbour(field) => {
                        let otherwise = code.push(node.ty, Op::Const(Value::zero(node.ty)));
                        match self.bond(field) {
                            Some(other) => self.of_pair(other, offset, otherwise, node.ty, code),
                            None => code.push(node.ty, Op::Read { state: field, offset, otherwise }),
                        }
                    }
                    Op::Offset(axis) => code.push(node.ty, Op::Const(Value::I32(offset[usize::from(axis)]))),
                    Op::Weight(weights) => {
                        let at = all.offsets(dimension).iter().position(|known| *known == offset).unwrap_or_default();
                        code.push(node.ty, Op::Const(weights[at]))
                    }
                    Op::Read { state, offset, otherwise } if let Some(bond) = self.bond(state) => {
                        self.read(bond, offset, otherwise, node.ty, code)
                    }
                    op => code.push(node.ty, op),
                };
                moved.push(id);
            }
            for (first, id) in &body.results {
                let (mut value, ty) = (moved[id.0 as usize], rule.state(*first).ty);
                if self.kept_by(pairs).is_some() {
                    let (condition, otherwise) = (code.cells[&offset], code.push(ty, Op::Const(Value::zero(ty))));
                    value = code.push(ty, Op::Select { condition, then: value, otherwise });
                }
                code.new.results.push((StateId(first.0 + number as u16), value));
            }
        }
    }

    /// Another bond of the pair at an offset.
    fn of_pair(&self, bond: &Bond, offset: [i32; 3], otherwise: NodeId, ty: Type, code: &mut CellCode) -> NodeId {
        match bond.offsets.iter().position(|known| *known == offset) {
            Some(number) => code.push(ty, Op::State(StateId(bond.first.0 + number as u16))),
            None => otherwise,
        }
    }
}
