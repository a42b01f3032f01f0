//! Everything that executes programs.

use super::members::{self, Members, Way};
use super::{Seen, Trial};
use crate::course::{Case, MEMORY, Sight, options_of, without_caches};
use crate::pairs::settings;
use crate::ranks::on_ranks;
use squeeze::compiler::plan;
use squeeze::compiler::target::{Choice, Machine, Wavefront};
use squeeze::compiler::{Off, Program, Target};
use squeeze::cpu::{self, Isa};
use squeeze::engine::EngineError;
use squeeze::run::NamedEngine;
use squeeze::simulation::SimulationError;
use squeeze::{Backend, Error, Failure};
use std::process::Command;

/// Something that runs a simulation, and looks at it.
pub trait Executor {
    /// Its name in counts and findings.
    fn name(&self) -> String;

    /// Runs it.
    fn run(&self, case: &Case) -> Seen;
}

/// Which executors take part.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Whether executors on the CPU take part, besides the one that is right.
    pub cpu: bool,
    /// Whether executors on a GPU take part.
    pub cuda: bool,
    /// One of this many programs is printed as Rust and compiled by rustc; 0 for none.
    pub rust: u64,
    /// The most members of ensembles; 0 for none.
    pub members: u64,
}

/// Layouts whose kernels have more operations take too long to compile.
pub(super) const MOST_OPERATIONS: f64 = 1000.0;

/// The same on a GPU, whose compiler takes milliseconds an operation, for steps and for observables. The best layout below is taken.
const MOST_OPERATIONS_ON_GPU: f64 = 1500.0;

/// The executors for a trial. The first is right; of the many layouts, numbers of threads, instruction sets and strategies, the trial chooses some.
pub fn executors(trial: &Trial, number: u64, wanted: Wanted) -> Vec<Box<dyn Executor>> {
    let mut all: Vec<Box<dyn Executor>> = Vec::new();
    let threads = 1 + (trial.choice % 3) as usize;
    let packed = trial.choice >> 7 & 1 == 1;
    let simulated = |backend: Backend, off: Off| {
        let engine = NamedEngine::default();
        Box::new(Simulated { backend, engine, threads, packed, off }) as Box<dyn Executor>
    };
    // Without some specialities, each pair of which is on and off together in some trials.
    let without = |cpu: bool| {
        let settings = settings(cpu);
        settings[1 + number as usize % (settings.len() - 1)]
    };
    if trial.oracle {
        all.push(simulated(Backend::Reference, Off::none()));
    }
    if wanted.cpu || !trial.oracle {
        all.push(simulated(Backend::Cpu, Off::none()));
    }
    if wanted.cpu {
        all.push(simulated(Backend::Cpu, without(true)));
        // By turns for one instruction set after the other, on the planned layout and on others.
        let (sets, turn) = (sets(), trial.choice / 3);
        let set = sets[turn as usize % sets.len()];
        let turn = turn / sets.len() as u64;
        let layout = if turn.is_multiple_of(3) { None } else { Some((trial.choice >> 8) as usize) };
        all.push(Box::new(Lanes { set, threads: 1 + turn as usize % 3, layout }));
        // One program of three is divided.
        if trial.choice.is_multiple_of(3) {
            all.push(Box::new(Ranks { ranks: 2 + (trial.choice >> 5) as usize % 5, packed }));
        }
    }
    if wanted.rust > 0 && number.is_multiple_of(wanted.rust) {
        all.push(Box::new(Printed));
    }
    if wanted.cuda {
        all.extend([Off::none(), without(false)].map(|off| simulated(Backend::Cuda, off)));
        let strategy = ["squeeze", "lambda", "squeeze", "bounding-box"][(trial.choice >> 3) as usize % 4];
        let maps = [None, Some("warp"), Some("wmma")];
        let map = if strategy == "bounding-box" { None } else { maps[(trial.choice >> 5) as usize % 3] };
        let mut engine = crate::strategy(strategy, None);
        engine.map = map.map(str::to_owned);
        all.push(Box::new(Simulated { backend: Backend::Cuda, engine, threads, packed: false, off: Off::none() }));
    }
    if wanted.members > 1 {
        all.extend(ensembles(trial, wanted, threads));
    }
    all
}

/// Ensembles of half of the trials, in turn or as lanes.
fn ensembles(trial: &Trial, wanted: Wanted, threads: usize) -> Vec<Box<dyn Executor>> {
    // The bits that choose layouts choose nothing of it.
    let choice = trial.choice.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let right = if trial.oracle { Backend::Reference } else { Backend::Cpu };
    let (way, count) = match choice % 4 {
        0 => (Way::InTurn, members::count(choice / 4, wanted.members)),
        // Fewer would not fill a register.
        1 => (Way::AsLanes, wanted.members as usize),
        _ => return Vec::new(),
    };
    let layout = (choice / 32) as usize;
    let backends = [(wanted.cpu, Backend::Cpu), (wanted.cuda, Backend::Cuda)];
    let of = |(_, backend)| Box::new(Members { backend, right, way, count, layout, threads }) as Box<dyn Executor>;
    backends.into_iter().filter(|(wanted, _)| *wanted).map(of).collect()
}

/// A backend as users reach it.
struct Simulated {
    backend: Backend,
    engine: NamedEngine,
    threads: usize,
    /// Whether states of masks hold the cells alone.
    packed: bool,
    /// Specialities to do without.
    off: Off,
}

impl Executor for Simulated {
    fn name(&self) -> String {
        match &self.engine.strategy {
            None if self.off == Off::none() => self.backend.name().to_owned(),
            None => format!("{} without some specialities", self.backend.name()),
            Some(strategy) => {
                let map = self.engine.map.as_deref().unwrap_or("scalar");
                format!("{} {strategy} {map}", self.backend.name())
            }
        }
    }

    fn run(&self, case: &Case) -> Seen {
        let builder = case.builder().backend(self.backend).without(self.off);
        let Some(builder) = crate::by_engine(builder, &self.engine) else { return Seen::Nothing };
        let builder = builder.wavefront(Wavefront::ALL[case.seed as usize % 3]);
        // Of a GPU's memory it is the GPU that tells.
        let builder = match self.backend {
            // Masks have one layout, and no strategy of the papers.
            _ if case.domain().levels().is_none() && self.engine.strategy.is_some() => return Seen::Nothing,
            Backend::Cuda if case.domain().levels().is_none() && has_long_terms(case, None) => return Seen::Nothing,
            Backend::Cuda if case.domain().levels().is_none() => builder.packed(self.packed),
            Backend::Cuda => {
                // Where the planner would look far, a kernel that does not may take minutes to compile.
                let planned = plan::choices(case.domain(), &case.rule, &Target::cuda()).expect("few columns");
                let planned_far = planned.iter().flatten().next().is_some_and(|choice| choice.far);
                let all = plan::candidates(case.domain(), &case.rule, &Machine::gpu(), 1);
                let is_short = |plan: &Choice| plan.estimate.operations <= MOST_OPERATIONS_ON_GPU;
                let near = all.into_iter().find(|plan| is_short(plan) && !planned_far);
                // Of four programs one looks far although it need not.
                let looks_far = self.engine.strategy.is_none() && (near.is_none() || case.seed.is_multiple_of(4));
                let far = if looks_far { far_plan(case) } else { None };
                match far.or(near) {
                    Some(plan) if has_long_terms(case, Some(&plan)) => return Seen::Nothing,
                    // The strategies of the papers have no layout, but a cell takes as many operations.
                    Some(plan) if self.engine.strategy.is_none() => builder.plan(plan),
                    Some(_) => builder,
                    None => return Seen::Nothing,
                }
            }
            _ => builder.memory_limit(MEMORY).packed(self.packed),
        };
        let built = if self.backend == Backend::Reference { builder } else { builder.threads(self.threads) }.build();
        seen(built.map_err(Error::from).and_then(|simulation| case.sights(simulation)))
    }
}

/// Whether the kernel of the observables has too many operations for a GPU, by a choice or by the planner's.
fn has_long_terms(case: &Case, choice: Option<&Choice>) -> bool {
    let program = Program::of(&case.rule, &Target::cuda().demanding(choice.cloned()));
    let terms = program.and_then(|program| program.terms(&case.rule));
    terms.is_ok_and(|terms| terms.kernel().nodes.len() as f64 > MOST_OPERATIONS_ON_GPU)
}

/// The best layout of single cells that look far.
fn far_plan(case: &Case) -> Option<Choice> {
    let all = plan::choices(case.domain(), &case.rule, &Target::cuda()).ok()?;
    all.into_iter().flatten().find(|choice| choice.far)
}

fn seen(sights: Result<Vec<Sight>, Error>) -> Seen {
    match sights {
        Ok(sights) => Seen::Sights(sights),
        Err(error) => of_error(&error),
    }
}

pub(super) fn of_error(error: &Error) -> Seen {
    match (error.downcast_ref(), error.downcast_ref()) {
        (Some(error), _) | (_, Some(SimulationError::Engine(error))) => of_engine(error),
        // A strategy that cannot count the places of so high a level.
        (_, Some(SimulationError::Other(error))) if error.is_users() => Seen::Nothing,
        _ => Seen::Failed(error.to_string()),
    }
}

fn of_engine(error: &EngineError) -> Seen {
    match error {
        // No layout, steps that this engine does not take, more memory than is allowed.
        EngineError::NoKernel { .. }
        | EngineError::NoProgram { .. }
        | EngineError::Ordered(_)
        | EngineError::Clusters(_)
        | EngineError::Memory { .. }
        | EngineError::Blocks { .. } => Seen::Nothing,
        // Ordered steps, and domains with fewer units than ranks.
        EngineError::Ranks(error) if error.is_users() => Seen::Nothing,
        error => Seen::Failed(error.to_string()),
    }
}

/// The best instruction set of this machine, and each that it has.
fn sets() -> Vec<Option<Isa>> {
    let each = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    std::iter::once(None).chain(each.map(Some)).collect()
}

/// Replica lanes on the CPU, for an instruction set, on the planned layout or on another.
struct Lanes {
    set: Option<Isa>,
    threads: usize,
    layout: Option<usize>,
}

impl Executor for Lanes {
    fn name(&self) -> String {
        format!(
            "cpu {}{}",
            self.set.map_or("best", Isa::name),
            if self.layout.is_some() { ", another layout" } else { "" }
        )
    }

    fn run(&self, case: &Case) -> Seen {
        if case.domain().levels().is_none() {
            // There is one layout, with two storages: columns, or the cells alone.
            let builder = case.builder().backend(Backend::Cpu).threads(self.threads).memory_limit(MEMORY);
            let builder = builder.packed(self.layout.is_some_and(|layout| layout % 2 == 1));
            // Several steps are computed in one pass, if they can be.
            let builder = builder.hardware(without_caches()).activity(self.threads == 2);
            let built = match self.set {
                Some(set) => builder.isa(set),
                None => builder,
            };
            return seen(built.build().map_err(Error::from).and_then(|simulation| case.sights(simulation)));
        }
        let choice: Option<Choice> = match self.layout {
            None => None,
            Some(number) => {
                let mut candidates = case.candidates(MOST_OPERATIONS);
                if candidates.is_empty() {
                    return Seen::Nothing;
                }
                Some(candidates.swap_remove(number % candidates.len()))
            }
        };
        case.by_lanes(options_of(self.set, self.threads, choice)).map_or_else(|error| of_engine(&error), Seen::Sights)
    }
}

/// The CPU by several ranks.
struct Ranks {
    ranks: usize,
    packed: bool,
}

impl Executor for Ranks {
    fn name(&self) -> String {
        "cpu by ranks".to_owned()
    }

    fn run(&self, case: &Case) -> Seen {
        let builder = || case.builder().backend(Backend::Cpu).threads(1).packed(self.packed).memory_limit(MEMORY);
        let (sights, others) = on_ranks(self.ranks, builder, |simulation| case.sights(simulation));
        match others.into_iter().find_map(Result::err) {
            Some(error) if sights.is_ok() => Seen::Failed(format!("a rank failed: {error}")),
            _ => seen(sights),
        }
    }
}

/// A program in Rust, compiled by rustc.
struct Printed;

impl Executor for Printed {
    fn name(&self) -> String {
        "emitted Rust".to_owned()
    }

    fn run(&self, case: &Case) -> Seen {
        let text = match cpu::program(&case.rule) {
            Ok(text) => text,
            Err(error) => return of_engine(&error),
        };
        match self.compiled(case, &text) {
            Ok(Some(sights)) => Seen::Sights(sights),
            Ok(None) => Seen::Nothing,
            Err(error) => Seen::Failed(error),
        }
    }
}

impl Printed {
    /// The sights of the compiled program; `None` if there is no rustc.
    fn compiled(&self, case: &Case, text: &str) -> Result<Option<Vec<Sight>>, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (source, program) = (folder.path().join("program.rs"), folder.path().join("program"));
        std::fs::write(&source, text).map_err(|error| error.to_string())?;
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc.args(["-C", "opt-level=1", "--edition", "2024", "-o"]).arg(&program).arg(&source);
        let Ok(output) = rustc.output() else { return Ok(None) };
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let mut sights = Vec::new();
        let times = case.strides.iter().scan(0, |time, stride| {
            *time += stride;
            Some(*time)
        });
        for time in std::iter::once(0).chain(times) {
            let output = Command::new(&program).args([time.to_string(), case.seed.to_string()]).output();
            let output = output.map_err(|error| error.to_string())?;
            if !output.status.success() {
                return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
            }
            let digest = |line: &str| u64::from_str_radix(line.rsplit_once(' ')?.1, 16).ok();
            let digests: Option<Vec<u64>> = String::from_utf8_lossy(&output.stdout).lines().map(digest).collect();
            let digests = digests.filter(|digests| digests.len() == case.rule.states.len());
            let digests = digests.ok_or("its output is not understood")?;
            sights.push(Sight { time, digests, observed: Vec::new(), fields: Vec::new() });
        }
        Ok(Some(sights))
    }
}
