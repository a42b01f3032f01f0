//! The oracle: rules run on the expanded grid, as simply as can be. It defines what every other executor must compute.
//!
//! A fractal of side n is spread over an array of n^D *places*, with a mask that tells cells from holes. Each state has
//! two such arrays; a step reads the one and writes the other, cell by cell, by walking the rule's nodes from front to
//! back. Whether a neighbour exists is asked of the mask, and of nothing else. A step that has an order needs one array: it changes cells in their turns.
//!
//! The set of cells is built by replication, straight from the definition: level μ is k_μ copies of level μ−1, copy d
//! moved by `H_μ[d] · S_{μ-1}`, one after the other in canonical order. The maps λ and ν that the compact executors live by
//! are not used here, nor any arithmetic of theirs, so a mistake in them cannot hide.
//!
//! Deliberately absent: threads, bit packing, several steps at once. Memory is that of the bounding box, so
//! all that will be taken is checked against a limit before anything is allocated.

mod clusters;
mod colours;
mod error;
mod evaluate;
mod field;
mod given;
mod grid;
#[cfg(test)]
pub(crate) mod interpret;
mod ordered;
#[cfg(test)]
mod tests;

pub use error::OracleError;

use crate::geometry::Domain;
use crate::ir::{
    Body, Combine, Fractal, GlobalExpr, Grouping, PairCode, Phase, Round, Rule, StateId, Step, StepOrder, Type, Value,
};
use crate::numbers::mode::DefaultMode;
use crate::numbers::{digest, flush, scalar};
use crate::reduce::fold::{self, FoldTree, ObservedValue, ReductionFold};
use crate::reduce::global_expr::{self, ObservedInputs};
use evaluate::{Evaluator, ReadableValues};
use field::ExpandedField;
pub use given::InitFrom;
use grid::{ExpandedGrid, LevelExtent};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A running simulation on the expanded grid.
#[derive(Clone, Debug)]
pub struct Oracle {
    fractal: Arc<Fractal>,
    level: u32,
    rule: Arc<Rule>,
    seed: u64,
    params: Vec<Value>,
    time: u32,
    grid: ExpandedGrid,
    neighbourhoods: Vec<Vec<[i64; 3]>>,
    /// The values of the states now, and the arrays that the next step writes.
    now: Vec<ExpandedField>,
    next: Vec<ExpandedField>,
}

impl Oracle {
    /// Checks that the simulation is possible and within `memory_limit` bytes, and computes the state of time 0.
    ///
    /// `params` holds one value for each of [`Rule::params`](crate::ir::RuleParts::params).
    ///
    /// # Errors
    /// [`OracleError`].
    pub fn new(
        fractal: &Arc<Fractal>,
        level: u32,
        rule: Arc<Rule>,
        seed: u64,
        params: Vec<Value>,
        memory_limit: u64,
    ) -> Result<Oracle, OracleError> {
        let _mode = DefaultMode::enter();
        let rule = rule.each_way(fractal.dimension).map_or(rule, Arc::new);
        let rule = rule.with_pairs(fractal.dimension).map_or(rule, Arc::new);
        let extent = check_size(fractal, level, &rule, memory_limit)?;
        let domain = Domain::new(Arc::clone(fractal), level).expect("its side and its cells fit in 64 bits");
        domain.admits(&rule)?;
        let params = checked_params(&rule, &params)?;
        let allocate = || -> Result<Vec<ExpandedField>, OracleError> {
            buffered(&rule).map(|(ty, buffers)| Ok(ExpandedField::zeros(ty, extent.places * buffers)?)).collect()
        };
        let mut oracle = Oracle {
            fractal: Arc::clone(fractal),
            level,
            seed,
            params,
            time: 0,
            grid: ExpandedGrid::new(fractal, level, extent)?,
            neighbourhoods: rule.neighbourhoods.iter().map(|n| widen(&n.offsets(fractal.dimension))).collect(),
            now: allocate()?,
            next: allocate()?,
            rule,
        };
        oracle.begin();
        oracle.initialise();
        Ok(oracle)
    }

    /// Bytes that it takes at most: the states, the mask of cells, and the fields of reductions. `None` if they exceed a u64.
    pub fn bytes_needed(fractal: &Fractal, level: u32, rule: &Rule) -> Option<u64> {
        let pairs = rule.with_pairs(fractal.dimension);
        let rule = pairs.as_ref().unwrap_or(rule);
        let extent = LevelExtent::of(fractal, level)?;
        let grid = extent.bytes()?.checked_add(evaluate::offset_bytes(rule, fractal.dimension)?)?;
        let observed: u64 = rule
            .observed_fields
            .iter()
            .flat_map(Step::bodies)
            .flat_map(|body| &body.results)
            .map(|(state, _)| rule.state(*state).ty.bytes() * values_of(rule, *state).count() as u64)
            .sum();
        let of_clusters = rule.observed_fields.iter().flat_map(|step| &step.clusters).flat_map(|of| &of.values);
        let observed = observed + of_clusters.map(|value| rule.state(value.to).ty.bytes()).sum::<u64>();
        // A quantile sorts numbers of 8 bytes: those of all cells, or of a replica. A colour takes as many.
        let sorted = rule.reductions.iter().filter(|reduction| matches!(reduction.round, Round::Quantile(..)));
        let of_level = |level| LevelExtent::of(fractal, level).map(|part| part.cells);
        let sorted = sorted.map(|reduction| of_level(reduction.grouping.level().unwrap_or(level)));
        let sorted = sorted.max().flatten().unwrap_or(0).checked_mul(8)?;
        let lists = fold::bytes_of_lists(rule.levels().filter_map(of_level).map(|cells| extent.cells / cells).sum());
        let colours = if rule.coloured.is_empty() { 0 } else { extent.cells.checked_mul(8)? };
        let ordered = extent.cells.checked_mul(Oracle::bytes_of_order(rule, fractal.dimension))?;
        let clusters = if rule.asks_clusters() { extent.cells.checked_mul(clusters::BYTES)? } else { 0 };
        let reducing = extent.places.checked_mul(observed)?.checked_add(sorted)?.checked_add(clusters)?;
        Oracle::bytes_of_states(fractal, level, rule)?
            .checked_add(grid)?
            .checked_add(reducing.max(colours).max(ordered))?
            .checked_add(lists)
    }

    /// Bytes of both arrays of all states and of the lets that steps keep, holes included; `None` if they exceed a u64.
    pub fn bytes_of_states(fractal: &Fractal, level: u32, rule: &Rule) -> Option<u64> {
        let pairs = rule.with_pairs(fractal.dimension);
        let bytes = bytes_per_place(pairs.as_ref().unwrap_or(rule));
        LevelExtent::of(fractal, level)?.places.checked_mul(2 * bytes)
    }

    /// The number of cells.
    pub fn cells(&self) -> u64 {
        self.grid.cells.len() as u64
    }

    /// The side of the expanded grid.
    pub fn side(&self) -> u64 {
        self.grid.side as u64
    }

    /// The t of the present state.
    pub fn time(&self) -> u32 {
        self.time
    }

    /// The rule that runs.
    pub fn rule(&self) -> &Arc<Rule> {
        &self.rule
    }

    /// Bytes of both arrays of all states and of the lets that steps keep, holes included.
    pub fn state_bytes(&self) -> u64 {
        2 * bytes_per_place(&self.rule) * self.grid.mask.len() as u64
    }

    /// The expanded coordinate (x, y, z) of the cell with canonical index `c`; z = 0 in two dimensions.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn coordinate(&self, c: u64) -> [u64; 3] {
        self.grid.coordinate(self.grid.cells[c as usize]).map(|v| v as u64)
    }

    /// The value of a state in the cell with canonical index `c`.
    ///
    /// # Panics
    /// If there is no such state or cell.
    pub fn value(&self, state: StateId, c: u64) -> Value {
        self.now[usize::from(state.0)].get(self.grid.cells[c as usize])
    }

    /// The values of a state in canonical order.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn values(&self, state: StateId) -> impl Iterator<Item = Value> + '_ {
        let field = &self.now[usize::from(state.0)];
        self.grid.cells.iter().map(|&place| field.get(place))
    }

    /// Sets the value of a state in one cell, unless a rolling state has none there; a NaN becomes the one quiet NaN, and under `flush` a subnormal number becomes zero.
    ///
    /// # Errors
    /// If there is no such cell, or the value is of another type or no variant of its enum.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn set_value(&mut self, state: StateId, c: u64, value: Value) -> Result<(), OracleError> {
        let definition = self.rule.state(state);
        check_value(&self.rule, &definition.name, definition.ty, value)?;
        let last = self.cells() - 1;
        let beyond = || OracleError::Refused(format!("there is no cell {c}: the cells are numbered from 0 to {last}"));
        let place = *self.grid.cells.get(c as usize).ok_or_else(beyond)?;
        let value = if self.rule.flush { flush::flushed(value) } else { value };
        if !self.rule.rolling.contains(&state) || self.is_on_kept_line(place) {
            self.now[usize::from(state.0)].set(place, value);
        }
        Ok(())
    }

    /// Sets the time t of the present state.
    pub fn set_time(&mut self, time: u32) {
        self.time = time;
    }

    /// Sets the parameters for the steps and observations to come.
    ///
    /// # Errors
    /// If the values are not as many as the parameters, or one is of another type than its parameter.
    pub fn set_params(&mut self, values: &[Value]) -> Result<(), OracleError> {
        self.params = checked_params(&self.rule, values)?;
        self.begin_globals();
        Ok(())
    }

    /// Sets the seed of the steps to come.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// The digest of a state.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn digest(&self, state: StateId) -> u64 {
        match self.rule.rolling.contains(&state) {
            true => self.digest_of_last_line(state),
            false => digest::digest(0, self.values(state)),
        }
    }

    /// All observables of the present state, in the order of the text.
    ///
    /// # Errors
    /// [`OracleError::Allocation`].
    pub fn observe(&self) -> Result<Vec<(String, ObservedValue)>, OracleError> {
        let _mode = DefaultMode::enter();
        let reductions = self.reductions()?;
        let values = self.with_inputs(&reductions, |inputs| global_expr::observables(&self.rule, inputs));
        let names = self.rule.observables.iter().map(|observable| observable.name.clone());
        Ok(names.zip(values).collect())
    }

    /// The values of all reductions, in the order of the rule.
    ///
    /// # Errors
    /// [`OracleError::Allocation`].
    pub fn reductions(&self) -> Result<Vec<ObservedValue>, OracleError> {
        self.reductions_of(&self.rule.all_reductions())
    }

    /// The values of the reductions with these numbers, in the order of the list.
    ///
    /// # Errors
    /// [`OracleError::Allocation`].
    ///
    /// # Panics
    /// If the rule has no such reduction.
    pub fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>, OracleError> {
        let _mode = DefaultMode::enter();
        if which.is_empty() {
            return Ok(Vec::new());
        }
        let fields = self.observed_fields()?;
        let view = self.view_with(&fields);
        let observe = |reduction: &crate::ir::Reduction| {
            let mut program = Evaluator::new(&reduction.body, self.rule.flush);
            let level = reduction.grouping.level().unwrap_or(self.level);
            let (cells, tree) = (cells_of(&self.fractal, level) as usize, FoldTree::of_fractal(&self.fractal, level));
            let mut replica = |replica: usize| {
                let all = replica * cells..(replica + 1) * cells;
                let mut term = |c: usize| program.run(&view, c)[reduction.term.0 as usize];
                let (Round::Quantile(_, among) | Round::Deviations(_, among)) = reduction.round else {
                    let mut fold = ReductionFold::new(reduction.kind, reduction.ty, &tree);
                    all.for_each(|c| fold.push(term(c)));
                    return fold.finish();
                };
                // The cells that have a term, where not all do.
                let mut counted = among.map(|counts| {
                    let counts = &self.rule.reductions[counts as usize];
                    (Evaluator::new(&counts.body, self.rule.flush), counts.term.0 as usize)
                });
                let mut has_term = |c: usize| match &mut counted {
                    Some((program, node)) => program.run(&view, c)[*node] == Value::Bit(true),
                    None => true,
                };
                if let Round::Quantile(share, _) = reduction.round {
                    return ObservedValue::Float(fold::quantile(all.filter(|c| has_term(*c)).map(term), share));
                }
                let summed = match reduction.round {
                    Round::Deviations(sum, Some(_)) => &self.rule.reductions[sum as usize],
                    _ => reduction,
                };
                let mut terms = Evaluator::new(&summed.body, self.rule.flush);
                let mut fold = ReductionFold::new(summed.kind, summed.ty, &tree);
                all.clone().for_each(|c| fold.push(terms.run(&view, c)[summed.term.0 as usize]));
                let number = all.clone().filter(|c| has_term(*c)).count() as u64;
                let mean = fold::mean(&fold.finish(), number, self.rule.flush);
                let mut fold = ReductionFold::new(Combine::Sum, Type::F64, &tree);
                for c in all {
                    let square = match has_term(c) {
                        true => fold::squared_deviation(term(c), mean, self.rule.flush),
                        false if mean.is_finite() => 0.0,
                        false => f64::NAN,
                    };
                    fold.push(Value::F64(square));
                }
                fold.finish()
            };
            match reduction.grouping {
                Grouping::Whole => replica(0),
                Grouping::Level(_) => ObservedValue::List((0..self.grid.cells.len() / cells).map(replica).collect()),
            }
        };
        Ok(which.iter().map(|index| observe(&self.rule.reductions[*index])).collect())
    }

    /// The lets that reductions read at neighbours.
    fn observed_fields(&self) -> Result<BTreeMap<usize, ExpandedField>, OracleError> {
        let mut fields = BTreeMap::new();
        for step @ Step { body, pairs, clusters, .. } in &self.rule.observed_fields {
            for of in clusters {
                let mut found = BTreeMap::new();
                for value in &of.values {
                    let zeros = ExpandedField::zeros(self.rule.state(value.to).ty, self.grid.mask.len() as u64)?;
                    found.insert(usize::from(value.to.0), zeros);
                }
                let mut set = |state: usize, place, value| {
                    if let Some(field) = found.get_mut(&state) {
                        field.set(place, value);
                    }
                };
                self.find_clusters(of, &self.view_with(&fields), &mut set);
                fields.append(&mut found);
            }
            let mut new = BTreeMap::new();
            for (state, _) in step.bodies().flat_map(|body| &body.results) {
                for field in values_of(&self.rule, *state) {
                    let zeros = ExpandedField::zeros(self.rule.state(*state).ty, self.grid.mask.len() as u64)?;
                    new.insert(field, zeros);
                }
            }
            let view = self.view_with(&fields);
            let mut set = |state: usize, place, value| {
                if let Some(field) = new.get_mut(&state) {
                    field.set(place, value);
                }
            };
            self.compute(body, &view, |_, _| false, &mut set);
            for code in pairs {
                self.compute_pairs(code, &view, &mut |_| false, &mut set);
            }
            fields.append(&mut new);
        }
        Ok(fields)
    }

    /// The view of the present states in which these fields replace the kept ones.
    fn view_with<'a>(&'a self, fields: &'a BTreeMap<usize, ExpandedField>) -> ReadableValues<'a> {
        let states = self.now.iter().enumerate().map(|(state, now)| fields.get(&state).unwrap_or(now));
        ReadableValues { states: states.collect(), ..self.view(self.time) }
    }

    /// Computes the state of the next time.
    ///
    /// # Errors
    /// If the time is 2^32 − 1; nothing is changed then.
    pub fn step(&mut self) -> Result<(), OracleError> {
        let _mode = DefaultMode::enter();
        let end = || OracleError::Refused("the time is 2^32 − 1, the last there is".to_owned());
        self.time = self.time.checked_add(1).ok_or_else(end)?;
        let rule = Arc::clone(&self.rule);
        for phase in rule.phases() {
            match phase {
                Phase::Globals { before, reductions } => {
                    self.compute_globals(&rule.steps[before].globals, &reductions)?;
                }
                Phase::Clusters { before } => {
                    for of in &rule.steps[before].clusters {
                        let mut given = Vec::new();
                        self.find_clusters(of, &self.view(self.time), &mut |state, place, value| {
                            given.push((state, place, value))
                        });
                        given.into_iter().for_each(|(state, place, value)| self.now[state].set(place, value));
                    }
                }
                Phase::Step(index) => match rule.coloured.iter().find(|of| of.steps.contains(&index)) {
                    None => match &rule.steps[index] {
                        step @ Step { order: Some(StepOrder::Along(axes)), .. } => self.run_in_order(step, axes),
                        step => self.run(step, &|_| true),
                    },
                    Some(coloured) if index + 1 == coloured.steps.end => self.take_turns(coloured),
                    // Fields are computed anew in each turn.
                    Some(_) => {}
                },
            }
        }
        Ok(())
    }

    /// Runs a step for some of the cells, given by their indices.
    fn run(&mut self, step: &Step, takes: &dyn Fn(usize) -> bool) {
        let mut next = std::mem::take(&mut self.next);
        let keeps = |c: usize, values: &[Value]| {
            !takes(c) || step.guard.is_some_and(|guard| !scalar::bit(values[guard.0 as usize]))
        };
        let view = self.view(self.time);
        self.compute(&step.body, &view, keeps, |state, place, value| next[state].set(place, value));
        for code in &step.pairs {
            // The owner is asked for the guard.
            let mut program = Evaluator::new(&step.body, self.rule.flush);
            let mut keeps = |c: usize| keeps(c, program.run(&view, c));
            self.compute_pairs(code, &view, &mut keeps, &mut |state, place, value| next[state].set(place, value));
        }
        self.next = next;
        step.bodies().for_each(|body| self.swap(body));
    }

    /// Computes the results of code for all pairs but those of owners that keep what they have. Where there is no pair the value is 0.
    fn compute_pairs(
        &self,
        code: &PairCode,
        view: &ReadableValues<'_>,
        keeps: &mut dyn FnMut(usize) -> bool,
        set: &mut dyn FnMut(usize, usize, Value),
    ) {
        let mut program = Evaluator::of_pairs(code, self.rule.flush);
        for (c, &place) in self.grid.cells.iter().enumerate() {
            let keep = keeps(c);
            program.run_pairs(view, code, c, |number, values| {
                for (bond, node) in &code.body.results {
                    let state = usize::from(bond.0) + number;
                    let new = values.map_or(Value::zero(self.rule.state(*bond).ty), |values| values[node.0 as usize]);
                    set(state, place, if keep { self.now[state].get(place) } else { new });
                }
            });
        }
    }

    /// Computes the results of a body in all cells but those that keep what they have, and hands them on: the state, the place, the value.
    fn compute(
        &self,
        body: &Body,
        view: &ReadableValues<'_>,
        keeps: impl Fn(usize, &[Value]) -> bool,
        mut set: impl FnMut(usize, usize, Value),
    ) {
        let mut program = Evaluator::new(body, self.rule.flush);
        for (c, &place) in self.grid.cells.iter().enumerate() {
            let values = program.run(view, c);
            let keep = keeps(c, values);
            for &(state, node) in &body.results {
                let state = usize::from(state.0);
                set(state, place, if keep { self.now[state].get(place) } else { values[node.0 as usize] });
            }
        }
    }

    /// Sets the globals to their values before any step.
    fn begin_globals(&mut self) {
        let globals = self.with_inputs(&[], |inputs| global_expr::initial_globals(&self.rule, inputs));
        self.params.truncate(self.rule.params.len());
        self.params.extend(globals);
    }

    /// The state before `init`: the globals as they are before any step, the canonical indices, and the inputs.
    fn begin(&mut self) {
        self.begin_globals();
        if let Some(index) = self.rule.index {
            for (c, &place) in self.grid.cells.iter().enumerate() {
                self.now[usize::from(index.0)].set(place, Value::I64(c as i64));
            }
        }
        let rule = Arc::clone(&self.rule);
        for (field, axis, values) in rule.given_inputs() {
            for &place in &self.grid.cells {
                let along = self.grid.coordinate(place)[axis];
                self.now[usize::from(field.0)].set(place, values[along as usize]);
            }
        }
    }

    /// Gives globals their values.
    fn compute_globals(&mut self, globals: &[(u16, GlobalExpr)], which: &[usize]) -> Result<(), OracleError> {
        let reductions = global_expr::in_their_places(&self.rule, which, self.reductions_of(which)?);
        for (global, value) in globals {
            let value = self.with_inputs(&reductions, |inputs| global_expr::evaluate(value, inputs, &[]));
            let ty = self.rule.globals[usize::from(*global)].ty;
            self.params[self.rule.params.len() + usize::from(*global)] =
                scalar::canonical(global_expr::as_value(&value, ty));
        }
        Ok(())
    }

    fn with_inputs<T>(&self, reductions: &[ObservedValue], work: impl FnOnce(&ObservedInputs<'_>) -> T) -> T {
        let cells: Vec<u64> = (0..=self.level).map(|level| cells_of(&self.fractal, level)).collect();
        let (params, time, seed) = (&self.params[..], self.time, self.seed);
        let extent = self.grid.sides.map(|side| side as u64);
        work(&ObservedInputs { params, cells: &cells, extent, time, seed, reductions })
    }

    /// Begins anew with another seed: computes the state of time 0.
    pub fn restart(&mut self, seed: u64) {
        let _mode = DefaultMode::enter();
        (self.seed, self.time) = (seed, 0);
        for field in &mut self.now {
            field.clear();
        }
        self.begin();
        self.initialise();
    }

    /// Runs `init`; states without one are zero already.
    fn initialise(&mut self) {
        let rule = Arc::clone(&self.rule);
        let mut next = std::mem::take(&mut self.next);
        let keeps = |_: usize, _: &[Value]| false;
        let mut set = |state: usize, place, value| next[state].set(place, value);
        self.compute(&rule.init, &self.view(0), keeps, &mut set);
        for code in &rule.init_pairs {
            self.compute_pairs(code, &self.view(0), &mut |_| false, &mut set);
        }
        self.next = next;
        let of_pairs = rule.init_pairs.iter().map(|code| &code.body);
        of_pairs.chain([&rule.init]).for_each(|body| self.swap(body));
    }

    /// Makes the arrays that `body` has written the present ones.
    fn swap(&mut self, body: &Body) {
        for &(state, _) in &body.results {
            for state in values_of(&self.rule, state) {
                std::mem::swap(&mut self.now[state], &mut self.next[state]);
            }
        }
    }

    /// The view of code that computes the state of time `time`.
    fn view(&self, time: u32) -> ReadableValues<'_> {
        ReadableValues {
            grid: &self.grid,
            states: self.now.iter().collect(),
            params: &self.params,
            neighbourhoods: &self.neighbourhoods,
            rule: &self.rule,
            level: self.level,
            seed: self.seed,
            time,
        }
    }
}

/// The places of a box, in reading order, for which the first state of a rule is true at the beginning. They draw by their numbers in that order.
/// The rule has no parameters and asks for nothing but coordinates and draws.
#[cfg(test)]
pub(crate) fn cells_of_a_box(rule: &Rule, extent: [u32; 3], seed: u64) -> Vec<bool> {
    let sides = extent.map(|side| side as usize);
    let mut program = Evaluator::new(&rule.init, rule.flush);
    let mut places = Vec::with_capacity(sides.iter().product());
    for row in 0..sides[1] * sides[2] {
        let grid = ExpandedGrid::row(sides, row);
        let view = ReadableValues {
            grid: &grid,
            states: Vec::new(),
            params: &[],
            neighbourhoods: &[],
            rule,
            level: 0,
            seed,
            time: crate::numbers::philox::TIME_OF_CELLS,
        };
        for x in 0..sides[0] {
            let values = program.run(&view, x);
            places.push(values[rule.init.results[0].1.0 as usize] == Value::Bit(true));
        }
    }
    places
}

/// The cells of a replica of a level that was allocated.
fn cells_of(fractal: &Fractal, level: u32) -> u64 {
    (1..=level).map(|mu| fractal.pattern(mu).k()).product()
}

/// The fields that a result is for: those of all pairs of a bond.
fn values_of(rule: &Rule, state: StateId) -> Range<usize> {
    let first = usize::from(state.0);
    first..first + rule.bond(state).map_or(1, |bond| bond.offsets.len())
}

/// The type of each state and let that is kept, and whether it has arrays (1, or 0). Lets that reductions alone read are computed for them.
fn buffered(rule: &Rule) -> impl Iterator<Item = (Type, u64)> + '_ {
    let has_arrays = |index: usize| {
        let is_index = rule.index.is_some_and(|state| usize::from(state.0) == index);
        index < rule.states.len() || is_index || rule.is_input(StateId(index as u16)) || rule.changes(index)
    };
    rule.states_and_fields().enumerate().map(move |(index, state)| (state.ty, u64::from(has_arrays(index))))
}

/// Bytes of one place of all of these, one array.
fn bytes_per_place(rule: &Rule) -> u64 {
    buffered(rule).map(|(ty, arrays)| ty.bytes() * arrays).sum()
}

/// The extent of the level, if all that [`Oracle::new`] allocates is within the limit.
fn check_size(fractal: &Fractal, level: u32, rule: &Rule, limit: u64) -> Result<LevelExtent, OracleError> {
    let fits = |level| Oracle::bytes_needed(fractal, level, rule).filter(|&needed| needed <= limit);
    if let (Some(_), Some(extent)) = (fits(level), LevelExtent::of(fractal, level)) {
        return Ok(extent);
    }
    // Every level at least doubles the cells, so this ends within 64 levels.
    let largest = (0..level).take_while(|&level| fits(level).is_some()).last();
    Err(OracleError::TooLarge {
        fractal: fractal.name.clone(),
        rule: rule.name.clone(),
        level,
        needed: Oracle::bytes_needed(fractal, level, rule),
        limit,
        largest,
    })
}

/// These values as parameters of a rule.
fn checked_params(rule: &Rule, values: &[Value]) -> Result<Vec<Value>, OracleError> {
    if values.len() != rule.params.len() {
        let (expected, given) = (rule.params.len(), values.len());
        return Err(OracleError::Refused(format!("the rule has {expected} parameters, but {given} values were given")));
    }
    for (param, &value) in rule.params.iter().zip(values) {
        check_value(rule, &param.name, param.ty, value)?;
    }
    Ok(values.iter().copied().map(scalar::canonical).collect())
}

/// Refuses a value of another type, or one that is no variant of its enum.
fn check_value(rule: &Rule, name: &str, expected: Type, value: Value) -> Result<(), OracleError> {
    if value.ty() != expected {
        let (expected, given) = (rule.type_name(expected), rule.type_name(value.ty()));
        return Err(OracleError::Refused(format!("`{name}` is of type {expected}, but the value is of type {given}")));
    }
    if let Value::Enum(id, number) = value {
        let variants = &rule.enum_type(id).variants;
        if usize::from(number) >= variants.len() {
            let variants = variants.join(", ");
            return Err(OracleError::Refused(format!(
                "`{name}` has no variant number {number}; it has {variants}, numbered from 0"
            )));
        }
    }
    Ok(())
}

fn widen(offsets: &[[i32; 3]]) -> Vec<[i64; 3]> {
    offsets.iter().map(|offset| offset.map(i64::from)).collect()
}
