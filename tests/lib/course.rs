//! Runs of one simulation on several executors, and their comparison.

use squeeze::compiler::plan::candidates;
use squeeze::compiler::target::{Choice, CpuHardware, Hardware, Machine};
use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{Library, NoFiles, check};
use squeeze::cpu::{Cpu, Isa};
use squeeze::engine::{EngineError, EngineOptions, MemberInputs};
use squeeze::geometry::FittedRule;
use squeeze::ir::StateId;
use squeeze::params::{Params, resolve};
use squeeze::simulation::Engine;
use squeeze::totals::Reduced;
use squeeze::{Backend, Domain, Error, Fractal, ObservedValue, Rule, Simulation, SimulationBuilder};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The most bytes that the oracle may allocate, and any other backend.
pub const MEMORY: u64 = 1 << 30;

/// A text's definitions.
///
/// # Panics
/// If the text has errors.
pub fn library(text: &str) -> Library {
    let mut sources = Sources::new();
    let root = sources.add("test", text);
    check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| {
        panic!("{}\n{text}", squeeze::compiler::text::diagnostics::render(&errors, &sources, false))
    })
}

/// The digests and observables of a simulation at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// The t of the state.
    pub time: u32,
    /// The digests of all states.
    pub digests: Vec<u64>,
    /// The observables, if they were taken.
    pub observed: Vec<ObservedValue>,
    /// At the last look, all values of all states, if they were read.
    pub fields: Vec<Vec<u8>>,
}

impl Sight {
    /// Whether two looks saw the same, as far as both looked.
    pub fn agrees(&self, other: &Sight) -> bool {
        self.time == other.time
            && self.digests == other.digests
            && (self.observed.is_empty() || other.observed.is_empty() || self.observed == other.observed)
            && (self.fields.is_empty() || other.fields.is_empty() || self.fields == other.fields)
    }
}

/// A simulation, whatever executes it.
#[derive(Clone)]
pub struct Case {
    /// The rule, on the fractal at its level.
    pub rule: FittedRule,
    /// The seed.
    pub seed: u64,
    /// Steps between looks; the first look is at the beginning.
    pub strides: &'static [u32],
}

impl Case {
    /// The fractal at its level.
    pub fn domain(&self) -> &Domain {
        self.rule.domain()
    }

    /// As [`Case::new`]; `None` if the rule cannot run there.
    ///
    /// # Panics
    /// If the level is too high for any arithmetic.
    pub fn admitted(
        fractal: &Arc<Fractal>,
        level: u32,
        rule: &Arc<Rule>,
        seed: u64,
        strides: &'static [u32],
    ) -> Option<Case> {
        let domain = Domain::new(Arc::clone(fractal), level).expect("the level is small");
        Some(Case { rule: domain.fit(rule).ok()?, seed, strides })
    }

    /// # Panics
    /// If the level is too high for any arithmetic, or the rule cannot run there.
    pub fn new(fractal: &Arc<Fractal>, level: u32, rule: &Arc<Rule>, seed: u64, strides: &'static [u32]) -> Case {
        Case::admitted(fractal, level, rule, seed, strides).expect("the rule runs there")
    }

    /// Begins to describe the simulation.
    pub fn builder(&self) -> SimulationBuilder {
        let builder = Simulation::builder(Arc::clone(self.domain().fractal()), Arc::clone(self.rule.written()));
        builder.level(self.domain().level()).seed(self.seed)
    }

    /// The sights of the oracle.
    ///
    /// # Panics
    /// If it cannot run the rule on this level.
    pub fn reference(&self) -> Vec<Sight> {
        self.by_simulation(Backend::Reference, 1).expect("the oracle runs everything that is small")
    }

    /// The sights of the backend as users reach it.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn by_simulation(&self, backend: Backend, threads: usize) -> Result<Vec<Sight>, Error> {
        self.sights(self.builder().backend(backend).threads(threads).memory_limit(MEMORY).build()?)
    }

    /// The sights of a simulation that is at its beginning.
    ///
    /// # Errors
    /// Errors of its backend.
    pub fn sights(&self, mut simulation: Simulation) -> Result<Vec<Sight>, Error> {
        self.sights_of(&mut simulation)
    }

    /// As [`Case::sights`], of a simulation that is used again.
    ///
    /// # Errors
    /// Errors of its backend.
    pub fn sights_of(&self, simulation: &mut Simulation) -> Result<Vec<Sight>, Error> {
        let look = |simulation: &Simulation, last: bool| -> Result<Sight, Error> {
            let digests = simulation.digests()?.into_iter().map(|(_, digest)| digest).collect();
            let observed = simulation.observe()?.into_iter().map(|(_, value)| value).collect();
            let fields = self.fields_of(simulation, last)?;
            Ok(Sight { time: simulation.time(), digests, observed, fields })
        };
        let mut sights = vec![look(simulation, self.strides.is_empty())?];
        for (i, &stride) in (1..).zip(self.strides) {
            simulation.step(u64::from(stride))?;
            sights.push(look(simulation, i == self.strides.len())?);
        }
        Ok(sights)
    }

    /// All values of all states of a simulation, at the last look.
    ///
    /// # Errors
    /// Errors of its backend.
    pub fn fields_of(&self, simulation: &Simulation, last: bool) -> Result<Vec<Vec<u8>>, Error> {
        let cells = 0..self.domain().cells();
        Ok(self.fields(last, |state, bytes| simulation.read(state, cells.clone(), bytes))?)
    }

    /// All values of all states, at the last look.
    fn fields<E>(&self, last: bool, read: impl Fn(StateId, &mut [u8]) -> Result<(), E>) -> Result<Vec<Vec<u8>>, E> {
        let states = if last { self.rule.states.as_slice() } else { &[] };
        let field = |(i, state): (usize, &squeeze::ir::State)| {
            let mut bytes = vec![0; squeeze::packed::bytes(state.ty, self.domain().cells()) as usize];
            read(StateId(i as u16), &mut bytes)?;
            Ok(bytes)
        };
        states.iter().enumerate().map(field).collect()
    }

    fn cpu(&self, options: EngineOptions) -> Result<Cpu, EngineError> {
        let inputs = MemberInputs::new(&self.rule, self.seed, &self.params());
        Cpu::new(&self.rule, &inputs, &options)
    }

    fn params(&self) -> Params {
        resolve(&self.rule, &[""; 0]).expect("the defaults")
    }

    /// The sights of replica lanes.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn by_lanes(&self, options: EngineOptions) -> Result<Vec<Sight>, EngineError> {
        let params = self.params();
        let mut cpu = self.cpu(options)?;
        let look = |cpu: &mut Cpu, last: bool| -> Result<Sight, EngineError> {
            cpu.look()?;
            let digests =
                (0..self.rule.states.len()).map(|i| cpu.digest(0, StateId(i as u16))).collect::<Result<_, _>>()?;
            let fields = self.fields(last, |state, bytes| cpu.read(0, state, 0..self.domain().cells(), bytes))?;
            let reductions = &cpu.reduce(&self.rule.all_reductions())?[0];
            let (time, seed) = (cpu.time(), self.seed);
            let reduced = Reduced { rule: &self.rule, params: &params, time, seed, reductions };
            Ok(Sight { time: cpu.time(), digests, observed: reduced.observables(), fields })
        };
        let mut sights = vec![look(&mut cpu, self.strides.is_empty())?];
        for (i, &stride) in (1..).zip(self.strides) {
            cpu.run(stride)?;
            sights.push(look(&mut cpu, i == self.strides.len())?);
        }
        Ok(sights)
    }

    /// Layouts and numbers of steps that fit, with kernels of at most this number of operations; the one of the best plan first.
    pub fn candidates(&self, most_operations: f64) -> Vec<Choice> {
        // Masks and boxes have rows alone.
        if self.domain().levels().is_none() {
            return Vec::new();
        }
        let mut all = candidates(self.domain(), &self.rule, &Machine::cpu(1), 1);
        all.retain(|candidate| candidate.estimate.operations <= most_operations);
        all
    }

    /// Compares replica lanes with what the oracle saw. False if there are no kernels for this rule on this layout.
    ///
    /// # Errors
    /// Where they differ.
    pub fn agrees(&self, options: EngineOptions, expected: &[Sight]) -> Result<bool, String> {
        let sights = match self.by_lanes(options.clone()) {
            Ok(sights) => sights,
            Err(EngineError::NoKernel { .. }) => return Ok(false),
            Err(error) => return Err(format!("{}: {error}", self.describe(&options))),
        };
        match sights.iter().zip(expected).find(|(found, expected)| found != expected) {
            None => Ok(true),
            Some((found, expected)) => {
                let cell = self.first_difference(&options, expected.time);
                let what = self.describe(&options);
                Err(format!("{what}\nfound    {found:?}\nexpected {expected:?}\n{cell}"))
            }
        }
    }

    /// The first cell whose value differs at a time.
    fn first_difference(&self, options: &EngineOptions, time: u32) -> String {
        let mut reference = self.builder().backend(Backend::Reference).build().expect("it ran before");
        let mut cpu = self.cpu(options.clone()).expect("it ran before");
        // In the same strides: where the error is may depend on them.
        let mut strides = self.strides.iter();
        while let (true, Some(&stride)) = (cpu.time() < time, strides.next()) {
            reference.step(u64::from(stride)).expect("it ran before");
            cpu.run(stride).expect("it ran before");
        }
        for (i, state) in self.rule.states.iter().enumerate() {
            for c in 0..self.domain().cells() {
                let expected = reference.value(&state.name, c).expect("there is such a cell");
                let mut bytes = [0; 8];
                let place = &mut bytes[..squeeze::packed::bytes(state.ty, 1) as usize];
                cpu.read(0, StateId(i as u16), c..c + 1, place).unwrap();
                let found = squeeze::packed::value(state.ty, place, 0);
                if found.bits() != expected.bits() {
                    let place = self.domain().lambda(c);
                    return format!("`{}` of cell {c} at {place:?} is {found:?}, not {expected:?}", state.name);
                }
            }
        }
        "all cells are the same".to_owned()
    }

    fn describe(&self, options: &EngineOptions) -> String {
        let (rule, fractal, level) = (&self.rule.name, &self.domain().fractal().name, self.domain().level());
        let layout = options.choice.as_ref().map_or("the planned layout".to_owned(), |choice| {
            let layout = choice.layout().expect("a fractal has one");
            let (lane_digits, micro_digits, lanes) = (layout.lane_digits(), layout.micro_digits(), layout.lanes());
            format!("T = {lane_digits} ({lanes} lanes), L = {micro_digits}, t = {}", choice.steps)
        });
        format!("{rule} on {fractal} at level {level}, seed {}, {layout}, {:?} threads", self.seed, options.threads)
    }
}

/// A processor whose caches hold no states, so that several steps are computed in one pass wherever they can be.
pub fn without_caches() -> Hardware {
    Hardware::Cpu(CpuHardware {
        clock: 3.0,
        vector_bits: 512,
        pipes: 2.0,
        registers: 32,
        caches: [32_768.0, 32_768.0, 0.0],
        cache_bandwidth: 20.0,
        memory_bandwidth: 10.0,
        memory_threads: 2.0,
        ..CpuHardware::USUAL
    })
}

/// Threads that are used, however few cells there are.
pub fn options(threads: usize, choice: Option<Choice>) -> EngineOptions {
    let mut options = EngineOptions::default();
    (options.threads, options.choice) = (Some(threads), choice);
    (options.cells_worth_threads, options.limit) = (Some(0), Some(MEMORY));
    options
}

/// The same with an instruction set.
pub fn options_of(isa: Option<Isa>, threads: usize, choice: Option<Choice>) -> EngineOptions {
    let mut options = options(threads, choice);
    options.isa = isa;
    options
}

/// One after the other, by a number: the best instruction set, and each that the machine has.
pub fn isa(number: u64) -> Option<Isa> {
    let mut there = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let place = number as usize % (1 + there.clone().count());
    place.checked_sub(1).and_then(|place| there.nth(place))
}

/// Does something with each item, on all cores, and gives the results in no order.
///
/// Not by rayon: a simulation waits for its own pool, and a worker of another that waits takes up a second item meanwhile,
/// on top of the first, and so on until the stack ends.
///
/// # Panics
/// If `act` does.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let take = || items.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(take).map(&act).collect::<Vec<R>>()
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let results = workers.into_iter().map(|worker| worker.join());
        results.flat_map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}
