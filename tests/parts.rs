//! Domains in parts: an engine for each, in one process, which exchange what they read of each other, are together what the oracle is. In a whole domain
//! units are numbered as they stand, so that each number could be taken for the other. Here one that is says itself.

use squeeze::compiler::layout::Layout;
use squeeze::compiler::numbers::digest::mix;
use squeeze::compiler::target::Candidate;
use squeeze::compiler::target::speciality::{self, Speciality};
use squeeze::cpu::Cpu;
use squeeze::engine::{About, EngineError, EngineOptions, MemberInputs, Run};
use squeeze::geometry::FittedRule;
use squeeze::ir::{Axes, StateId};
use squeeze::packed::StateValues;
use squeeze::params::Params;
use squeeze::simulation::{Engine, EngineMaker, SimulationError};
use squeeze::{Backend, Fractal, ObservedValue, Rule, resolve};
use squeeze_tests::course::{Case, Sight, in_parallel, library};
use squeeze_tests::masks::mask;
use squeeze_tests::{all_cases, periodic};
use std::ops::Range;
use std::sync::Arc;

/// Whole passes of several steps, and what is left of them.
const STRIDES: &[u32] = &[1, 2, 5];
/// Until most of a domain rests.
const LONG: &[u32] = &[1, 2, 5, 40];
/// More operations take the compiler too long here.
const MOST_OPERATIONS: f64 = 1200.0;

/// Numbers of all kinds that are drawn, of cells and of those beside them, and what they come to.
const SUMS: &str = "
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
}";

/// Rules of which most cells rest, for ever, for a while, or in turns.
const RESTING: &str = "
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

/// What makes an engine of each part.
#[derive(Debug)]
struct Cut {
    parts: u32,
}

impl EngineMaker for Cut {
    fn make(
        &self,
        rule: &FittedRule,
        MemberInputs { seed, params }: &MemberInputs,
        _: Backend,
        options: &EngineOptions,
    ) -> Result<Option<(Backend, Box<dyn Engine>)>, SimulationError> {
        let engine = |number| {
            let mut options = options.clone();
            options.part = Some((number, self.parts));
            Cpu::new(rule, *seed, params, options)
        };
        let mut parts = Parts((0..self.parts).map(engine).collect::<Result<_, _>>()?);
        let execution = |part: &Cpu| part.about().execution;
        assert!(parts.0.iter().all(|part| execution(part) == execution(&parts.0[0])), "one choice for all");
        parts.exchange();
        Ok(Some((Backend::Cpu, Box::new(parts))))
    }
}

/// Engines of the parts of a domain, in order.
struct Parts(Vec<Cpu>);

type Done<T = ()> = Result<T, EngineError>;

impl Parts {
    /// Copies what each part reads of the others.
    fn exchange(&mut self) {
        for number in 0..self.0.len() {
            let (before, rest) = self.0.split_at_mut(number);
            let Some((part, behind)) = rest.split_first_mut() else { continue };
            let others: Vec<&Cpu> = before.iter().chain(&*behind).collect();
            part.take_ghosts(&others);
        }
    }

    /// One kernel on all parts.
    fn pass(&mut self, what: Run) -> Done {
        self.0.iter_mut().try_for_each(|part| part.run(what))?;
        self.exchange();
        Ok(())
    }
}

impl Engine for Parts {
    fn about(&self) -> About {
        self.0[0].about()
    }

    fn device(&self) -> String {
        self.0[0].device()
    }

    fn time(&self) -> u32 {
        self.0[0].time()
    }

    fn set_time(&mut self, time: u32) {
        self.0.iter_mut().for_each(|part| part.set_time(time));
    }

    fn set_params(&mut self, params: &[Params]) -> Done {
        self.0.iter_mut().try_for_each(|part| part.set_params(params))
    }

    fn run(&mut self, what: Run) -> Done {
        let Run::Steps(steps) = what else { return self.pass(what) };
        let (passes, at_once) = (self.0[0].passes(), self.about().execution.map_or(1, |how| how.steps_per_pass));
        if passes > 1 {
            return (0..steps).try_for_each(|_| (0..passes).try_for_each(|pass| self.pass(Run::Part(pass))));
        }
        let mut left = steps;
        while left > 0 {
            let steps = at_once.min(left);
            self.pass(Run::Steps(steps))?;
            left -= steps;
        }
        Ok(())
    }

    fn reduce(&self, which: &[usize]) -> Done<Vec<Vec<ObservedValue>>> {
        Ok(vec![Cpu::reduce_parts(&self.0, which)?])
    }

    fn digest(&self, member: usize, state: StateId) -> Done<u64> {
        self.0.iter().try_fold(0u64, |sum, part| Ok(sum.wrapping_add(part.digest(member, state)?)))
    }

    /// Cells that are stored elsewhere are read as 0.
    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Done {
        bytes.fill(0);
        let mut here = vec![0; bytes.len()];
        for part in &self.0 {
            part.read(member, state, cells.clone(), &mut here)?;
            bytes.iter_mut().zip(&here).for_each(|(all, here)| *all |= here);
        }
        Ok(())
    }

    fn write(&mut self, member: usize, values: &StateValues<'_>) -> Done {
        self.0.iter_mut().try_for_each(|part| part.write(member, values))
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Done<bool> {
        self.0.iter_mut().try_for_each(|part| part.restart(members).map(|_| ()))?;
        self.exchange();
        Ok(true)
    }
}

/// Domains with their levels: replicas, open and periodic, and rows, of a box and of a mask most of whose columns are not stored.
fn domains() -> Vec<(Arc<Fractal>, u32)> {
    let carpet = resolve::fractal("sierpinski_carpet").unwrap();
    let periodic = periodic(&carpet, Axes::of(carpet.dimension));
    let triangle = resolve::fractal("sierpinski_triangle").unwrap();
    vec![(triangle, 6), (carpet, 3), (periodic, 3), (mask("ragged_torus"), 1), (mask("sparse"), 1)]
}

/// A layout of replicas with enough superblocks to cut, by chance: one of those that the planner knows, or of single cells that look far.
fn choice(case: &Case, parts: u32, number: u64) -> Option<Candidate> {
    case.domain().levels()?;
    let mut known = case.candidates(MOST_OPERATIONS);
    known.retain(|candidate| candidate.layout.superblocks() >= 3 * parts);
    let far = known.is_empty() || number.is_multiple_of(8);
    Some(match far {
        true => Candidate::of_layout(Layout::new(case.domain(), 2, 0).unwrap(), true),
        false => known.swap_remove((mix(number) % known.len() as u64) as usize),
    })
}

/// Compares parts with the oracle; gives how many steps a pass computes, or what differs.
fn agree(case: &Case, parts: u32, activity: bool, number: u64) -> Result<u32, String> {
    let builder = case.builder().backend(Backend::Cpu).threads(1).activity(activity).engine(Arc::new(Cut { parts }));
    let choice = choice(case, parts, number);
    let layout = choice.as_ref().map(|choice| {
        let Candidate { layout, far, steps, .. } = choice;
        format!(", T = {}, L = {}, t = {steps}, far: {far}", layout.lane_digits(), layout.micro_digits())
    });
    let (rule, domain) = (&case.rule.name, &case.domain().fractal().name);
    let what = format!("{rule} on {domain} in {parts} parts{}", layout.unwrap_or_default());
    let steps = choice.as_ref().map_or(1, |choice| choice.steps);
    let packed = case.domain().levels().is_none() && number.is_multiple_of(4);
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

/// Rules with a number each on all domains, in 2, 3 or 5 parts by turns, or in each number of parts if all cases are asked for.
fn cases(rules: &[Arc<Rule>], strides: &'static [u32]) -> Vec<(u64, u32, Case)> {
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

#[test]
fn every_rule_agrees_in_parts() {
    let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
    rules.extend(library(SUMS).rules);
    let cases = cases(&rules, STRIDES);
    let agreed = in_parallel(&cases, |(number, parts, case)| agree(case, *parts, number % 2 == 0, *number));
    let differ: String = agreed.iter().filter_map(|agreed| agreed.as_ref().err().cloned()).collect();
    assert!(differ.is_empty(), "{differ}");
    let several = agreed.iter().filter(|steps| steps.as_ref().is_ok_and(|steps| *steps > 1));
    assert!(agreed.len() > 120 && several.count() > 5, "{} cases, passes of several steps among them", agreed.len());
}

#[test]
fn parts_at_rest_see_what_moves_in_others() {
    let cases = cases(&library(RESTING).rules, LONG);
    speciality::reached();
    let differ: String =
        cases.iter().filter_map(|(number, parts, case)| agree(case, *parts, true, *number).err()).collect();
    assert!(differ.is_empty(), "{differ}");
    assert!(speciality::reached().contains(&Speciality::Activity), "nothing rests");
}
