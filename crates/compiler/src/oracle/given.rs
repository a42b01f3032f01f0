//! Initial values that are computed from given ones, cell by cell, without the expanded grid.

use super::evaluate::{Evaluator, ReadableValues};
use super::grid::ExpandedGrid;
use super::widen;
use crate::geometry::Domain;
use crate::ir::{Body, Op, Rule, StateId, Value};
use crate::numbers::mode::DefaultMode;
use crate::numbers::scalar;
use std::ops::Range;

/// Computes the initial values of states that read given ones, directly or through others.
#[derive(Debug)]
pub struct InitFrom<'a> {
    domain: &'a Domain,
    rule: &'a Rule,
    /// The code that computes each state, in the order of the text. It reads states as parameters that follow the rule's own.
    bodies: Vec<(StateId, Body)>,
    read: Vec<StateId>,
    neighbourhoods: Vec<Vec<[i64; 3]>>,
}

impl<'a> InitFrom<'a> {
    /// The states that follow from the initial values of these; `None` if no other state reads them.
    pub fn new(domain: &'a Domain, rule: &'a Rule, given: &[StateId]) -> Option<InitFrom<'a>> {
        let first = rule.params.len() + rule.globals.len();
        let (mut known, mut read, mut bodies) = (given.to_vec(), Vec::new(), Vec::new());
        for body in &rule.init_from {
            let Some(&(state, _)) = body.results.first() else { continue };
            let reads = |of: &StateId| body.nodes.iter().any(|node| matches!(node.op, Op::State(read) if read == *of));
            if known.contains(&state) || !known.iter().any(reads) {
                continue;
            }
            known.push(state);
            let mut body = body.clone();
            for node in &mut body.nodes {
                if let Op::State(of) = node.op {
                    // The values of inputs follow from the places of cells.
                    read.extend((!rule.is_input(of)).then_some(of));
                    node.op = Op::Param((first + usize::from(of.0)) as u16);
                }
            }
            bodies.push((state, body));
        }
        read.sort_unstable();
        read.dedup();
        let offsets = |n: &crate::ir::Neighbourhood| widen(&n.offsets(domain.dimension()));
        let neighbourhoods = rule.neighbourhoods.iter().map(offsets).collect();
        (!bodies.is_empty()).then_some(InitFrom { domain, rule, bodies, read, neighbourhoods })
    }

    /// The states whose values are read; computed ones may be among them.
    pub fn read(&self) -> &[StateId] {
        &self.read
    }

    /// The states that are computed.
    pub fn computed(&self) -> Vec<StateId> {
        self.bodies.iter().map(|(state, _)| *state).collect()
    }

    /// The values of [`InitFrom::computed`] in some cells, from those of [`InitFrom::read`] there, by a seed and the values of parameters and
    /// globals.
    ///
    /// # Panics
    /// If there are no such cells, or they do not have a value each of each state that is read.
    pub fn values(&self, seed: u64, params: &[Value], cells: Range<u64>, read: &[Vec<Value>]) -> Vec<Vec<Value>> {
        let _mode = DefaultMode::enter();
        let grid = ExpandedGrid::stretch(self.domain, cells.clone());
        let mut params: Vec<Value> = params.iter().copied().map(scalar::canonical).collect();
        let first = params.len();
        params.extend(self.rule.states_and_fields().map(|state| Value::zero(state.ty)));
        let mut programs: Vec<Evaluator<'_>> =
            self.bodies.iter().map(|(_, body)| Evaluator::new(body, self.rule.flush)).collect();
        let mut computed = vec![Vec::with_capacity(grid.cells.len()); self.bodies.len()];
        for c in 0..grid.cells.len() {
            for (state, values) in self.read.iter().zip(read) {
                params[first + usize::from(state.0)] = values[c];
            }
            let coordinate = grid.coordinate(grid.cells[c]);
            for (field, axis, values) in self.rule.given_inputs() {
                params[first + usize::from(field.0)] = values[coordinate[axis] as usize];
            }
            for (((state, body), program), values) in self.bodies.iter().zip(&mut programs).zip(&mut computed) {
                let view = ReadableValues {
                    grid: &grid,
                    states: Vec::new(),
                    params: &params,
                    neighbourhoods: &self.neighbourhoods,
                    rule: self.rule,
                    level: self.domain.level(),
                    seed,
                    time: 0,
                };
                let value = scalar::canonical(program.run(&view, c)[body.results[0].1.0 as usize]);
                params[first + usize::from(state.0)] = value;
                values.push(value);
            }
        }
        computed
    }
}
