//! Domains in parts: engines, one for each part and all in one process, which exchange the cells that they read of each other, agree with the oracle.
//! In a whole domain units are numbered as they stand, so that a unit's number could be mistaken for its slot; here a mistake shows.

use crate::course::{Case, Sight};
use crate::masks::mask;
use crate::{all_cases, periodic};
use squeeze::compiler::layout::Layout;
use squeeze::compiler::numbers::digest::mix;
use squeeze::compiler::plan::candidates;
use squeeze::compiler::target::{Choice, Machine};
use squeeze::cpu::Cpu;
use squeeze::cuda::Cuda;
use squeeze::engine::parts::PartEngine;
use squeeze::engine::pass::{KernelEngine, Pass};
use squeeze::engine::reduce::{Question, Take, reduce};
use squeeze::engine::{About, EngineError, EngineOptions, MemberInputs};
use squeeze::geometry::FittedRule;
use squeeze::ir::{Axes, StateId};
use squeeze::packed::StateValues;
use squeeze::params::Params;
use squeeze::simulation::{Engine, EngineMaker, SimulationError};
use squeeze::{Backend, Fractal, ObservedValue, Rule, resolve};
use std::ops::Range;
use std::sync::Arc;

/// More operations take the compiler too long here.
const MOST_OPERATIONS: f64 = 1200.0;

/// Numbers of all kinds that are drawn, of cells and of those beside them, and their reductions.
pub const SUMS: &str = "
rule sums {
    state u: f32
    state v: f64
    state n: i32
    state b: bit
    init u = uniform(-1, 1)
    init v = f64(uniform())
    init n = i32(below(100)) - 50
    init b = random(0.3)
    next u = 0.75 * u + uniform(0, 0.25) + 0.0625 * sum(von_neumann, nb.u - u)
    next v = v * 0.5 + f64(u)
    next n = (n + count(von_neumann, nb.b)) % 1000
    next b = b != random(0.1)
    observe us = sum(u)
    observe mean_v = mean(v)
    observe spread = variance(v)
    observe whole_spread = variance(n)
    observe half = median(u)
    observe lowest = min(v)
    observe ups = sum(b)
    observe along = sum(sum(von_neumann, nb.u * u))
    observe highest = max(n)
}
rule levels {
    state u: f32
    state v: f64
    state n: i32
    init u = uniform(-1, 1)
    init v = f64(uniform())
    init n = i32(below(100)) - 50
    next u = u + 0.0625 * sum(moore, nb.u - u)
    next v = v * 0.5 + f64(u)
    next n = n + 1
    observe blocks = mean(u) by level 2
    observe cells_alone = sum(v) by level 0
    observe spread = variance(v) by level 1
    observe wide = variance(v) by level 3
    observe highest = max(n) by level 1
    observe sums = sum(n) by level 2
    observe whole = sum(v)
}
rule numbered {
    state up: bit
    init up = random(0.3)
    next up = (count(von_neumann, nb.up) + i32(cell % 3)) % 2 == 1
    observe ups = sum(up)
    observe numbers = sum(if up { cell } else { 0 })
}";

/// Rules of which most cells rest, for ever, for a while, or in turns.
pub const RESTING: &str = "
rule growth { state a: bit  init a = x == 0 && y == 0 || random(0.004)  next a = a || any(von_neumann, nb.a)  observe all = sum(a) }
rule waves {
    state phase: enum { a, b, c }
    init phase = if random(0.006) { c } else { a }
    next phase = if phase == a && any(von_neumann, nb.phase == c) { b } else if phase == b { c } else { a }
}
rule pile {
    state sand: i32
    init sand = if random(0.01) { 90 } else { 1 }
    next sand = sand - (if sand >= 4 { 4 } else { 0 }) + sum(von_neumann, if nb.sand >= 4 { 1 } else { 0 })
}
rule after {
    state a: bit
    state b: bit
    state u: f32
    init a = random(0.005)
    init b = x == 9
    init u = if x < 9 { 1.0 } else { 0.0 }
    step first { next a = a || any(von_neumann, nb.a && !nb.b)  next u = if a { u } else { 0.5 * u } }
    step second { next b = b != (count(moore, nb.a) == 3) }
}";

type Done<T = ()> = Result<T, EngineError>;

/// Makes an engine of each part.
#[derive(Debug)]
struct Cut {
    parts: u32,
}

impl Cut {
    fn engines<E: PartEngine + 'static>(
        &self,
        rule: &FittedRule,
        inputs: &MemberInputs,
        engine: impl Fn(u32) -> Done<E>,
    ) -> Result<Box<dyn Engine>, SimulationError> {
        let mut all = (0..self.parts).map(engine).collect::<Result<Vec<E>, _>>()?;
        let execution = |part: &E| part.about().execution;
        assert!(all.iter().all(|part| execution(part) == execution(&all[0])), "one choice for all");
        E::exchange(&mut all)?;
        Ok(Box::new(Parts { all, rule: rule.clone(), inputs: inputs.clone() }))
    }
}

impl EngineMaker for Cut {
    fn make(
        &self,
        rule: &FittedRule,
        inputs: &MemberInputs,
        backend: Backend,
        options: &EngineOptions,
    ) -> Result<Option<(Backend, Box<dyn Engine>)>, SimulationError> {
        let of_part = |number| {
            let mut options = options.clone();
            options.part = Some((number, self.parts));
            options
        };
        let cuda = |number| Cuda::new(rule, vec![inputs.clone()], &of_part(number));
        let engine = match backend {
            Backend::Cuda => self.engines(rule, inputs, cuda)?,
            _ => self.engines(rule, inputs, |number| Cpu::new(rule, inputs, &of_part(number)))?,
        };
        Ok(Some((backend, engine)))
    }
}

/// Engines of the parts of a domain, in order.
struct Parts<E> {
    all: Vec<E>,
    rule: FittedRule,
    inputs: MemberInputs,
}

/// A kernel of a pass is one of all parts, behind which the cells that they read of each other are exchanged.
impl<E: PartEngine> KernelEngine<()> for Parts<E> {
    fn inputs(&self) -> &[MemberInputs] {
        std::slice::from_ref(&self.inputs)
    }

    fn run_step(&mut self, pass: &Pass<()>, step: usize) -> Done {
        self.all.iter_mut().try_for_each(|part| part.run_kernel(pass.steps, step))?;
        E::exchange(&mut self.all)
    }
}

impl<E: PartEngine> Engine for Parts<E> {
    fn about(&self) -> About {
        self.all[0].about()
    }

    fn device(&self) -> String {
        self.all[0].device()
    }

    fn time(&self) -> u32 {
        self.all[0].time()
    }

    fn set_time(&mut self, time: u32) {
        self.all.iter_mut().for_each(|part| part.set_time(time));
    }

    fn set_params(&mut self, params: &[Params]) -> Done {
        self.inputs.params = params[0].clone();
        self.all.iter_mut().try_for_each(|part| part.set_params(params))
    }

    fn run(&mut self, steps: u32) -> Done {
        for (passes, each) in self.all[0].passes(steps) {
            let kernels = self.all.iter_mut().try_fold(0, |_, part| part.kernels(each))?;
            let pass = Pass::new(&self.rule, each, vec![(); kernels]);
            (0..passes).try_for_each(|_| pass.run(self))?;
        }
        Ok(())
    }

    fn reduce(&self, which: &[usize]) -> Done<Vec<Vec<ObservedValue>>> {
        let ask = |question: &Question<'_>, take: Take<'_>| {
            self.all.iter().try_for_each(|part| part.partials(0, question, take))
        };
        Ok(vec![reduce(&self.rule, self.all[0].cells().unwrap(), which, &ask)?])
    }

    fn digest(&self, member: usize, state: StateId) -> Done<u64> {
        self.all.iter().try_fold(0u64, |sum, part| Ok(sum.wrapping_add(part.digest(member, state)?)))
    }

    /// Cells that are stored elsewhere are read as 0.
    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Done {
        bytes.fill(0);
        let mut here = vec![0; bytes.len()];
        for part in &self.all {
            part.read(member, state, cells.clone(), &mut here)?;
            bytes.iter_mut().zip(&here).for_each(|(all, here)| *all |= here);
        }
        Ok(())
    }

    fn write(&mut self, member: usize, values: &StateValues<'_>) -> Done {
        self.all.iter_mut().try_for_each(|part| part.write(member, values))?;
        E::exchange(&mut self.all)
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Done<bool> {
        self.inputs = members[0].clone();
        self.all.iter_mut().try_for_each(|part| part.restart(members).map(|_| ()))?;
        E::exchange(&mut self.all)?;
        Ok(true)
    }
}

/// Domains with their levels: replicas, open and periodic, and rows, of a box and of a mask most of whose columns are not stored.
///
/// # Panics
/// If a domain that ships is not there.
pub fn domains() -> Vec<(Arc<Fractal>, u32)> {
    let carpet = resolve::fractal("sierpinski_carpet").unwrap();
    let periodic = periodic(&carpet, Axes::of(carpet.dimension));
    let triangle = resolve::fractal("sierpinski_triangle").unwrap();
    vec![(triangle, 6), (carpet, 3), (periodic, 3), (mask("ragged_torus"), 1), (mask("sparse"), 1)]
}

/// A layout of replicas with enough superblocks to cut, by chance: one of those that the planner knows, or of single cells that look far.
///
/// # Panics
/// If the domain has no layout of single cells.
pub fn choice(case: &Case, backend: Backend, parts: u32, number: u64) -> Option<Choice> {
    case.domain().levels()?;
    let machine = if backend == Backend::Cuda { Machine::gpu() } else { Machine::cpu(1) };
    let mut known = candidates(case.domain(), &case.rule, &machine, 1);
    let fits = |choice: &Choice| choice.layout().unwrap().superblocks() >= 3 * parts;
    known.retain(|candidate| fits(candidate) && candidate.estimate.operations <= MOST_OPERATIONS);
    let far = known.is_empty() || number.is_multiple_of(8);
    Some(match far {
        true => Choice::of_layout(Layout::new(case.domain(), 2, 0).unwrap(), true),
        false => known.swap_remove((mix(number) % known.len() as u64) as usize),
    })
}

/// Compares parts with the oracle, on a layout that a number chooses; gives how many steps a pass computes, or the difference.
///
/// # Errors
/// The difference, in words.
///
/// # Panics
/// If an engine fails.
pub fn agree(case: &Case, (backend, parts, number): (Backend, u32, u64), activity: bool) -> Result<u32, String> {
    agree_on(case, (backend, parts), choice(case, backend, parts, number), (number.is_multiple_of(4), activity))
}

/// The same on a layout, or on rows, of packed cells or not.
///
/// # Errors
/// The difference, in words.
///
/// # Panics
/// If an engine fails.
pub fn agree_on(
    case: &Case,
    (backend, parts): (Backend, u32),
    choice: Option<Choice>,
    (packed, activity): (bool, bool),
) -> Result<u32, String> {
    let builder = case.builder().backend(backend).threads(1).engine(Arc::new(Cut { parts }));
    let builder =
        if activity && backend == Backend::Cuda { builder.activity_at_once() } else { builder.activity(activity) };
    let layout = choice.as_ref().map(|choice| {
        let (Choice { far, steps, .. }, layout) = (choice, choice.layout().unwrap());
        format!(", T = {}, L = {}, t = {steps}, far: {far}", layout.lane_digits(), layout.micro_digits())
    });
    let (rule, domain) = (&case.rule.name, &case.domain().fractal().name);
    let what = format!("{rule} on {domain} in {parts} parts{}", layout.unwrap_or_default());
    let steps = choice.as_ref().map_or(1, |choice| choice.steps);
    let builder = if let Some(choice) = choice { builder.plan(choice) } else { builder.packed(packed) };
    let simulation = builder.build().unwrap_or_else(|error| panic!("{what}: {error}"));
    let (found, wanted) = (case.sights(simulation).unwrap(), case.reference());
    match found.iter().zip(&wanted).find(|(found, wanted)| found != wanted) {
        None => Ok(steps),
        Some((Sight { time, digests, observed, fields }, wanted)) => Err(format!(
            "{what}\n  at {time}: digests {}, observed {}, fields {}\n",
            *digests == wanted.digests,
            *observed == wanted.observed,
            *fields == wanted.fields
        )),
    }
}

/// Compares parts with the whole where there is half the room that it takes, on a layout of small superblocks or on rows.
///
/// # Panics
/// If the whole has room there, or parts have none or differ.
pub fn agree_in_little_room(case: &Case, backend: Backend) {
    let small = case.domain().levels().map(|_| Layout::new(case.domain(), 2, 0).unwrap());
    let choice = small.map(|layout| Choice::of_layout(layout, false));
    let builder = || choice.iter().fold(case.builder().backend(backend).threads(1), |all, one| all.plan(one.clone()));
    let whole = builder().build().unwrap();
    let room = whole.memory_bytes() / 2;
    let refused = builder().memory_limit(room).build();
    assert!(matches!(refused, Err(SimulationError::Engine(EngineError::Memory { .. }))), "{}", case.domain());
    let parts = builder().memory_limit(room).engine(Arc::new(Cut { parts: 5 })).build().unwrap();
    assert_eq!(case.sights(parts).unwrap(), case.sights(whole).unwrap(), "{}", case.domain());
}

/// Rules with a number each on all domains, in 2, 3 or 5 parts by turns, or in each number of parts if all cases are asked for.
///
/// # Panics
/// If a domain that ships is not there.
pub fn cases(rules: &[Arc<Rule>], strides: &'static [u32]) -> Vec<(u64, u32, Case)> {
    let domains = domains();
    let pairs = rules.iter().flat_map(|rule| domains.iter().map(move |domain| (rule, domain)));
    let cases = (0..).zip(pairs).filter_map(|(number, (rule, (fractal, level)))| {
        Some((number, Case::admitted(fractal, *level, rule, mix(number), strides)?))
    });
    let parts = |number: u64| {
        [2, 3, 5].into_iter().enumerate().filter(move |(turn, _)| all_cases() || number % 3 == *turn as u64)
    };
    cases.flat_map(|(number, case)| parts(number).map(move |(_, parts)| (number, parts, case.clone()))).collect()
}
