//! From a rule to kernels: the one place where the language's meaning becomes operations on lanes.
//!
//! A kernel's result is asked for, and what it needs is made: the value of a state at a place and after a phase is the step's
//! code evaluated there, with the values after the phase before as the cells' and neighbours' own; after phase 0 it is
//! a load. So exactly the halo that is needed comes into being, as wide as the phases that are left ask for. A *phase* is one
//! named step of one time step; a kernel fuses several, unless the rule draws random numbers or the steps together reach too far.
//!
//! Places are relative to the superblock's corner and lie inside it or in one of the adjacent superblocks. There, holes
//! of the micro-fractal are known now and leave no code; of the other cells of adjacent superblocks only the
//! running kernel knows whether they exist ([`Op::Presence`](kernel::Op::Presence)).
//!
//! `UnitGeometry` is all that the lowering knows of a storage. A superblock may be a single cell whose neighbours are
//! superblocks at any distance: `lower_cell` makes such kernels, for the strategies of the papers.
//!
//! # What holds of a place that does not exist
//!
//! Its loaded values are 0, its computed ones anything; no aggregate or read takes either up without asking for its presence,
//! except where it is known that the value there *vanishes* (is false, or adds 0.0) by itself.
//!
//! # Edges
//!
//! Where the domain says what lies beyond its edges, `edges` makes of it a choice of values, and of whether a place exists: nothing that runs
//! kernels knows of it.
//!
//! # Floating-point sums
//!
//! They begin with 0.0 and so are never −0.0 (x + y is −0.0 only if both are), and adding 0.0 to them changes nothing:
//! the term of a neighbour that may not exist is replaced by 0.0 where it does not.

mod absent;
mod aggregate;
#[cfg(test)]
mod agreement;
mod body;
mod edges;
#[cfg(test)]
mod one_cell;
mod unit_geometry;

use crate::geometry::FittedRule;
use crate::ir::Strips;
use crate::ir::rule::{Node, NodeId, Op, RuleParts, StateId, Step};
use crate::kernel::graph::KernelBuilder;
use crate::kernel::schedule::in_order;
use crate::kernel::{self, Direction, Kernel, LaneType, Planes, ValueId, Variable};
use crate::layout::Storage;
use crate::numbers::value::Value;
use crate::plan::NoTiles;
use crate::text::syntax::stack::{is_exhausted, on_large_stack};
use absent::Absent;
use std::collections::HashMap;
use std::sync::Arc;
use unit_geometry::{Existence, Offset, UnitGeometry};

/// Why a rule has no kernel on a layout: the planner then chooses another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "messages say what the fields are")]
pub enum LowerError {
    /// Neighbours lie further away than the adjacent superblocks.
    #[error("{steps} step{} beyond the adjacent superblocks of side {side}", if *steps == 1 { " reaches" } else { "s reach" })]
    Reach { steps: u32, side: u32 },
    /// Clusters of more cells than are numbered in 32 bits.
    #[error("clusters are found among at most {} cells", u32::MAX)]
    ManyCells,
    /// A GPU finds no clusters there.
    #[error(transparent)]
    Tiles(#[from] NoTiles),
    /// The planner knows no layout.
    #[error("no layout holds its neighbourhood in superblocks that can be unrolled")]
    NoLayout,
    /// The unrolled code is too long.
    #[error("the kernel would have more than {most} operands")]
    TooLong { most: u64 },
    /// The unrolled code of an observable, or of all of them, is too long.
    #[error("the kernel of {of} would have more than {most} operands{}", if *most < MOST_OPERANDS { ", which NVRTC takes minutes for; `--backend cpu` takes more" } else { "" })]
    LongTerms { of: String, most: u64 },
    /// The system gives no stack that holds the recursion over steps.
    #[error("the system gives no stack to unroll the rule on")]
    NoStack,
}

/// The result of lowering.
type Result<T, E = LowerError> = std::result::Result<T, E>;

/// The most operands that a kernel may have before any pass.
pub const MOST_OPERANDS: u64 = 1 << 17;

/// The most nodes of bodies that are evaluated for one kernel: most of them may be constants for each neighbour.
const MOST_VISITS: u64 = 1 << 20;

/// The kernels that together compute `steps` time steps, to be run in turn. They are as `KernelBuilder` left them:
/// [`prepare`](crate::passes::prepare) them before execution.
///
/// # Errors
/// [`LowerError`] if the layout does not suit.
///
/// # Panics
/// If `steps` is 0, or more than 1 for a rule that draws.
pub fn lower(rule: &FittedRule, (storage, far): (&Storage, bool), steps: u32) -> Result<Vec<Kernel>> {
    assert!(steps >= 1 && (steps == 1 || !rule.step_by_step()), "a rule that draws is lowered for one step at a time");
    // The value after a phase is asked for, which asks for those after the phase before, and so on: a stack as deep as phases are many.
    on_large_stack(|| lower_steps(rule, (storage, far), steps))
}

fn lower_steps(rule: &FittedRule, (storage, far): (&Storage, bool), steps: u32) -> Result<Vec<Kernel>> {
    let apart = || rule.steps.iter().map(|step| lower_step(rule, UnitGeometry::of(storage, far), step)).collect();
    // Where neighbours are many, one step computes too much of the step before.
    if rule.step_by_step() || far && steps == 1 && rule.may_be_apart() {
        return apart();
    }
    let phases = (0..steps).flat_map(|ahead| rule.steps.iter().map(move |step| FusedStep { step, ahead })).collect();
    match Lowering::new(rule, UnitGeometry::of(storage, far), phases).finish(rule.name.clone(), steps) {
        // Named steps that together reach too far, or are too long, are kernels of their own.
        Err(LowerError::Reach { .. } | LowerError::TooLong { .. }) if steps == 1 && rule.may_be_apart() => apart(),
        kernel => Ok(vec![kernel?]),
    }
}

/// The kernel that stores the initial values of all states; it loads none. Its time is 0.
///
/// # Errors
/// [`LowerError::TooLong`].
pub fn lower_init(rule: &RuleParts, (storage, far): (&Storage, bool)) -> Result<Kernel> {
    lower_step(rule, UnitGeometry::of(storage, far), &initial(rule))
}

/// The kernels of a single cell, whose neighbours may lie anywhere ([`Neighbours::Anywhere`](kernel::Neighbours::Anywhere)): that of the
/// initial values, and one for each named step.
///
/// # Errors
/// [`LowerError::TooLong`].
pub(crate) fn lower_cell(rule: &FittedRule) -> Result<(Kernel, Vec<Kernel>)> {
    let dimension = rule.domain().dimension();
    let kernel = |step: &Step| lower_step(rule, UnitGeometry::of_a_cell(dimension), step);
    Ok((kernel(&initial(rule))?, rule.steps.iter().map(kernel).collect::<Result<_, _>>()?))
}

/// The kernel of an ordered step in strips of a domain: a unit is a row of a strip, whose neighbours exist where the strip says.
///
/// # Errors
/// [`LowerError::TooLong`].
pub(crate) fn lower_strips(rule: &FittedRule, step: &Step, strips: Strips) -> Result<Kernel> {
    // Strips hold what lies beyond edges.
    let parts = RuleParts { edges: Vec::new(), ..RuleParts::clone(rule) };
    lower_step(&parts, UnitGeometry::of_strips(strips, rule.domain().extent()), step)
}

/// The kernel of an ordered step whose cells stand in a storage and take turns.
///
/// # Errors
/// [`LowerError::TooLong`].
pub(crate) fn lower_turn(rule: &FittedRule, (storage, far): (&Storage, bool), step: &Step) -> Result<Kernel> {
    lower_step(rule, UnitGeometry::of(storage, far), step)
}

/// The kernel of one named step.
fn lower_step(rule: &RuleParts, geometry: UnitGeometry, step: &Step) -> Result<Kernel> {
    let name = match &step.name {
        Some(step) => format!("{}_{step}", rule.name),
        None => rule.name.clone(),
    };
    Lowering::new(rule, geometry, vec![FusedStep { step, ahead: 0 }]).finish(name, 1)
}

/// The initial values as a step called `init`: states without one are zero.
fn initial(rule: &RuleParts) -> Step {
    let mut body = rule.init.clone();
    for (index, state) in rule.states.iter().enumerate() {
        let id = StateId(index as u16);
        if body.results.iter().all(|(of, _)| *of != id) {
            body.results.push((id, NodeId(body.nodes.len() as u32)));
            body.nodes.push(Node { ty: state.ty, op: Op::Const(Value::zero(state.ty)) });
        }
    }
    Step {
        name: Some("init".to_owned()),
        globals: Vec::new(),
        guard: None,
        order: None,
        body,
        pairs: Vec::new(),
        clusters: Vec::new(),
    }
}

/// The kernel that stores the terms of all observables: to one more state for each, after those that are kept and in the
/// observables' order, named after it. Its time is that of the state looked at; the rule's states are not stored.
/// It has at most `most` operands before any pass.
///
/// # Errors
/// [`LowerError`] if the layout does not suit.
pub fn lower_observables(rule: &RuleParts, (storage, far): (&Storage, bool), most: u64) -> Result<Kernel> {
    let phases: Vec<_> = rule.observed_fields.iter().map(|step| FusedStep { step, ahead: 0 }).collect();
    let after = phases.len() + 1;
    let mut lowering = Lowering { most, ..Lowering::new(rule, UnitGeometry::of(storage, far), phases) };
    lowering.terms_after(after, 0)?;
    Ok(lowering.into_kernel(format!("{}_observe", rule.name), 1))
}

/// The kernel of `steps` time steps that also stores the terms of all observables after every `every`-th of them, a divisor of their
/// number: to one more state for each, as [`lower_observables`] does, one time after the other, with at most `most` operands.
///
/// # Errors
/// [`LowerError`] if the layout does not suit.
///
/// # Panics
/// If the rule draws, or observables look at fields.
pub(crate) fn lower_observed_steps(
    rule: &FittedRule,
    (storage, far): (&Storage, bool),
    (steps, every): (u32, u32),
    most: u64,
) -> Result<Kernel> {
    assert!(!rule.step_by_step() && rule.observed_fields.is_empty(), "one pass cannot do all of this");
    on_large_stack(|| {
        let phases =
            (0..steps).flat_map(|ahead| rule.steps.iter().map(move |step| FusedStep { step, ahead })).collect();
        let mut lowering = Lowering { most, ..Lowering::new(rule, UnitGeometry::of(storage, far), phases) };
        lowering.store_states()?;
        for step in (every..=steps).step_by(every as usize) {
            lowering.terms_after(step as usize * rule.steps.len() + 1, step - 1)?;
        }
        Ok(lowering.into_kernel(format!("{}_observed", rule.name), steps))
    })
}

/// A value of the rule as the kernel has it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LaneValue {
    /// A bit or an enum: planes of bits, the lowest first.
    Planes(Vec<ValueId>),
    /// A number.
    Number(ValueId),
}

impl LaneValue {
    /// The plane of a bit.
    fn bit(&self) -> ValueId {
        match self {
            LaneValue::Planes(planes) => planes[0],
            LaneValue::Number(_) => unreachable!("the rule was checked: this is a bit"),
        }
    }

    /// A number.
    fn number(&self) -> ValueId {
        match self {
            LaneValue::Number(id) => *id,
            LaneValue::Planes(_) => unreachable!("the rule was checked: this is a number"),
        }
    }
}

/// One named step of one time step: a phase that a kernel fuses with others.
#[derive(Clone, Copy)]
struct FusedStep<'a> {
    step: &'a Step,
    /// Which of the time steps of a run.
    ahead: u32,
}

/// A name as a word that no other of its kind is: those of pairs and of components of vectors have a dot.
fn word(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut word = name.replace('.', "_");
    while word != name && is_taken(&word) {
        word.push('_');
    }
    word
}

/// The name of a number that kernels are given, as a word.
fn word_of_number(rule: &RuleParts, number: u16) -> String {
    word(rule.param(number).0, |word| (0..rule.numbers() as u16).any(|other| rule.param(other).0 == word))
}

struct Lowering<'a> {
    rule: &'a RuleParts,
    states: Vec<Variable>,
    geometry: UnitGeometry,
    phases: Vec<FusedStep<'a>>,
    /// Per neighbourhood its offsets.
    neighbourhoods: Vec<Vec<[i32; 3]>>,
    graph: KernelBuilder,
    /// The value after a phase, of a state, at a place.
    values: HashMap<(usize, StateId, Offset), LaneValue>,
    absent: Absent,
    operands: u64,
    /// How many operands there may be.
    most: u64,
    visits: u64,
    steps: u32,
}

impl<'a> Lowering<'a> {
    fn new(rule: &'a RuleParts, geometry: UnitGeometry, phases: Vec<FusedStep<'a>>) -> Self {
        let is_taken = |word: &str| rule.states_and_fields().any(|state| state.name == word);
        let variable =
            |name: &String, ty| Variable { name: word(name, is_taken), planes: geometry.planes_of(rule, ty) };
        let dimension = geometry.micro.dimension;
        // The kernels of cells are one for each step.
        let kept: Vec<_> =
            if geometry.is_a_cell() { rule.states_and_fields().collect() } else { rule.kept_states().collect() };
        Lowering {
            rule,
            states: kept.iter().map(|state| variable(&state.name, state.ty)).collect(),
            steps: phases.last().map_or(1, |phase| phase.ahead + 1),
            phases,
            neighbourhoods: rule.neighbourhoods.iter().map(|n| n.offsets(dimension)).collect(),
            geometry,
            graph: KernelBuilder::new(rule.flush),
            values: HashMap::new(),
            absent: Absent::default(),
            operands: 0,
            most: MOST_OPERANDS,
            visits: 0,
        }
    }

    /// Makes and stores the new values of every state that a phase writes.
    fn finish(mut self, name: String, steps: u32) -> Result<Kernel> {
        self.store_states()?;
        Ok(self.into_kernel(name, steps))
    }

    fn store_states(&mut self) -> Result<()> {
        let last = self.phases.len();
        for index in 0..self.states.len() {
            let state = StateId(index as u16);
            let written = |phase: &FusedStep<'_>| phase.step.body.results.iter().any(|(of, _)| *of == state);
            if !self.phases.iter().any(written) {
                continue;
            }
            for (place, micro) in self.geometry.places().into_iter().zip(0..) {
                let value = self.state(last, state, place)?;
                self.store(state.0, micro, &value);
            }
        }
        Ok(())
    }

    /// Makes the terms of all observables, of the states before a phase and at the time of a step, and stores them to further states.
    fn terms_after(&mut self, phase: usize, ahead: u32) -> Result<()> {
        let (rule, first) = (self.rule, self.states.len());
        for reduction in &rule.reductions {
            let planes = Planes::of(rule, reduction.ty);
            let name = word(&reduction.name, |word| rule.reductions.iter().any(|other| other.name == word));
            self.states.push(Variable { name: format!("{name}_term"), planes });
        }
        // Reductions that share a body are evaluated together.
        let mut index = 0;
        while let Some(reduction) = rule.reductions.get(index) {
            let rest = rule.reductions[index..].iter();
            let together: Vec<_> =
                rest.take_while(|other| Arc::ptr_eq(&other.body, &reduction.body)).map(|other| other.term).collect();
            for (place, micro) in self.geometry.places().into_iter().zip(0..) {
                let terms = self.evaluate(&reduction.body, phase, ahead, place, &together)?;
                for (term, state) in terms.iter().zip(first + index..) {
                    self.graph.call("term");
                    self.store(state as u16, micro, term);
                }
            }
            index += together.len();
        }
        Ok(())
    }

    fn into_kernel(self, name: String, steps: u32) -> Kernel {
        let params = (0..self.rule.numbers() as u16)
            .map(|number| {
                let planes = self.geometry.planes_of(self.rule, self.rule.param(number).1);
                Variable { name: word_of_number(self.rule, number), planes }
            })
            .collect();
        let UnitGeometry { micro, neighbours, .. } = self.geometry;
        let nodes = in_order(neighbours, self.graph.into_nodes());
        Kernel { name, micro, neighbours, steps, flush: self.rule.flush, states: self.states, params, nodes }
    }

    fn store(&mut self, state: u16, micro: u32, value: &LaneValue) {
        match value {
            LaneValue::Number(id) => self.graph.store(state, 0, micro, *id),
            LaneValue::Planes(planes) => {
                for (plane, id) in planes.iter().enumerate() {
                    self.graph.store(state, plane as u8, micro, *id);
                }
            }
        }
    }

    fn existence(&self, place: Offset) -> Result<Existence> {
        let side = self.geometry.sides().iter().copied().min().unwrap_or(1);
        let reach = LowerError::Reach { steps: self.steps, side };
        self.geometry.existence(place).ok_or(reach)
    }

    /// Presence of the superblock in a direction.
    fn presence(&mut self, direction: Direction) -> ValueId {
        self.graph.call(&format!("{direction}_exists"));
        self.graph.add(LaneType::Bits, kernel::Op::Presence(direction))
    }

    /// The value of a state at a place that may exist, after `phase` phases.
    fn state(&mut self, phase: usize, state: StateId, place: Offset) -> Result<LaneValue> {
        if let Some(value) = self.values.get(&(phase, state, place)) {
            return Ok(value.clone());
        }
        let value = if phase == 0 { self.load(state, place) } else { self.step(phase, state, place)? };
        self.values.insert((phase, state, place), value.clone());
        Ok(value)
    }

    /// The value of a state after phase `phase` ≥ 1.
    fn step(&mut self, phase: usize, state: StateId, place: Offset) -> Result<LaneValue> {
        if is_exhausted() {
            return Err(LowerError::NoStack);
        }
        let FusedStep { step, ahead } = self.phases[phase - 1];
        let Some((_, result)) = step.body.results.iter().find(|(of, _)| *of == state) else {
            return self.state(phase - 1, state, place);
        };
        let wanted: Vec<_> = [*result].into_iter().chain(step.guard).collect();
        let values = self.evaluate(&step.body, phase, ahead, place, &wanted)?;
        let Some(guard) = values.get(1) else { return Ok(values[0].clone()) };
        let kept = self.state(phase - 1, state, place)?;
        self.graph.call("guarded");
        Ok(self.choose(guard.bit(), &values[0], &kept))
    }

    fn load(&mut self, state: StateId, place: Offset) -> LaneValue {
        let (direction, micro) = self.geometry.locate(place);
        let Variable { name, planes } = &self.states[usize::from(state.0)];
        let (name, planes) = (self.geometry.name(name, self.states.len() == 1, (direction, micro)), *planes);
        let load = |lowering: &mut Self, plane: u8| {
            let several = planes.count() > 1;
            lowering.graph.call(&if several { format!("{name}_bit{plane}") } else { name.clone() });
            lowering.graph.add(planes.ty(), kernel::Op::Load(kernel::Load { state: state.0, plane, direction, micro }))
        };
        match planes {
            Planes::Number(_) => LaneValue::Number(load(self, 0)),
            Planes::Bits(count) => LaneValue::Planes((0..count).map(|plane| load(self, plane)).collect()),
        }
    }

    /// `condition ? then : otherwise` of values of one type.
    fn choose(&mut self, condition: ValueId, then: &LaneValue, otherwise: &LaneValue) -> LaneValue {
        match (then, otherwise) {
            (LaneValue::Planes(then), LaneValue::Planes(otherwise)) => {
                let pairs = then.iter().zip(otherwise);
                LaneValue::Planes(pairs.map(|(a, b)| self.graph.choose(condition, *a, *b)).collect())
            }
            (then, otherwise) => LaneValue::Number(self.graph.select(condition, then.number(), otherwise.number())),
        }
    }

    /// A vector of bits made false where the place does not exist.
    fn masked(&mut self, bits: ValueId, existence: Existence) -> ValueId {
        match existence {
            Existence::No => self.graph.bit(false),
            Existence::Yes => bits,
            Existence::If(direction) if self.vanishes(bits, direction) => bits,
            Existence::If(_) | Existence::Where(_) => match self.exists(existence) {
                None => bits,
                Some(exists) => {
                    self.graph.call("existing");
                    self.graph.and(bits, exists)
                }
            },
        }
    }

    /// The lanes where a place exists; `None` if that is known without them.
    fn exists(&mut self, existence: Existence) -> Option<ValueId> {
        match existence {
            Existence::No | Existence::Yes => None,
            Existence::If(direction) => Some(self.presence(direction)),
            Existence::Where(lanes) => Some(lanes),
        }
    }

    /// True if it is known that a value is false or zero where the superblock in a direction does not exist.
    fn vanishes(&mut self, value: ValueId, direction: Direction) -> bool {
        self.absent.vanishes(&self.graph, value, direction)
    }

    /// Counts the nodes of bodies that are evaluated.
    fn visit(&mut self) -> Result<()> {
        self.visits += 1;
        if self.visits > MOST_VISITS { Err(LowerError::TooLong { most: self.most }) } else { Ok(()) }
    }

    /// Counts operands.
    fn spend(&mut self, operands: usize) -> Result<()> {
        self.operands += operands as u64;
        if self.operands > self.most { Err(LowerError::TooLong { most: self.most }) } else { Ok(()) }
    }
}
