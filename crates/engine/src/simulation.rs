//! A rule running on a fractal, whatever executes it.
//!
//! [`Simulation::builder`] takes what to run; [`Backend`] says on what. Behind a simulation stands an [`Engine`].

mod copy;
mod crew;
mod disorder;
mod element;
pub(crate) mod ensemble;
pub mod error;
mod fields;
mod given;
mod initial;
mod states_copy;
mod view;
mod window;

pub use crew::Crew;
pub use element::Element;
pub use ensemble::{Ensemble, EnsembleBuilder, Member, MemberMut};
pub use error::{FieldError, SimulationError};
pub use states_copy::StatesCopy;
pub use view::{BlockReader, Fields, StateView, WindowValues};
pub use window::{BlockPlaces, CellBlock, Window};

pub use crate::{Backend, Engine, Execution, Snapshot};

#[cfg(feature = "jit")]
use crate::cpu::{AheadOfTime, Cpu, Isa};
#[cfg(feature = "cuda")]
use crate::cuda::{self, Cuda};
#[cfg(feature = "jit")]
use crate::install;
use crate::options::{ALONE, WatchedFrom};
use crate::packed::{self, StateValues};
use crate::params::{Params, resolve};
use crate::reference::Reference;
use crate::shares::StateShares;
use crate::totals::Reduced;
use crate::{About, EngineError, EngineOptions, MemberInputs};
use ensemble::reduce_members;
use error::Result;
use initial::InitialValues;
use squeeze_compiler::Off;
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{Fractal, Rule, StateId, Step, StepSchedule, Value};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_compiler::plan::is_worth_all_threads;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::target::speciality::Speciality;
use squeeze_compiler::target::{Choice, Hardware, Wavefront};
use squeeze_host::threads;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use view::check_cells;

/// A maker of engines beside the backends' own.
pub trait EngineMaker: Debug + Send + Sync {
    /// The engine of a rule that begins with these inputs, and what it runs on; `None` if the backend's own engine is wanted after all.
    ///
    /// # Errors
    /// If the engine does not fit the rule, the backend or the machine.
    fn make(
        &self,
        rule: &FittedRule,
        inputs: &MemberInputs,
        backend: Backend,
        options: &EngineOptions,
    ) -> Result<Option<(Backend, Box<dyn Engine>)>>;
}

/// The inputs of a simulation that is not built yet.
#[derive(Clone, Debug)]
pub struct SimulationBuilder {
    fractal: Arc<Fractal>,
    rule: Arc<Rule>,
    level: u32,
    seed: u64,
    disorder: Option<u64>,
    settings: Vec<String>,
    /// Values of states in the place of those that the rule's `init` gives.
    initial: Vec<InitialValues>,
    backend: Backend,
    /// The maker of the engine, unless the backend makes it.
    maker: Option<Arc<dyn EngineMaker>>,
    /// The options of its engine.
    options: EngineOptions,
}

impl SimulationBuilder {
    /// The level of the fractal; 0, a single cell, unless it is set.
    pub fn level(mut self, level: u32) -> Self {
        self.level = level;
        self
    }

    /// The seed of the random numbers; 0 unless it is set.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The seed of disorder, for initial values behind whose draws the rule says `from disorder`. The seed of the run unless it is set.
    pub fn disorder(mut self, disorder: u64) -> Self {
        self.disorder = Some(disorder);
        self
    }

    /// Sets a parameter from text of the form `name=value`.
    pub fn set(mut self, setting: impl Into<String>) -> Self {
        self.settings.push(setting.into());
        self
    }

    /// Sets a parameter: a number, `true` or `false`, or the name of an enum's variant.
    pub fn param(self, name: &str, value: impl std::fmt::Display) -> Self {
        self.set(format!("{name}={value}"))
    }

    /// Sets the backend that executes it; [`Backend::Auto`] unless it is set.
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The bytes that may be allocated; by default all available ones.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.options.limit = Some(bytes);
        self
    }

    /// The number of the GPU that the backend `cuda` takes, of those that the process sees; 0 unless it is set.
    #[doc(hidden)]
    pub fn device(mut self, device: u32) -> Self {
        self.options.device = i32::try_from(device).unwrap_or(i32::MAX);
        self
    }

    /// The number of threads of the host; unless it is set, as many as the machine runs at once.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = Some(threads.max(1));
        self
    }

    /// The instruction set that the backend `cpu` uses on x86-64; unless it is set, the best that the machine has.
    #[cfg(feature = "jit")]
    pub fn isa(mut self, isa: Isa) -> Self {
        self.options.isa = Some(isa);
        self
    }

    /// Whether the backends `cpu` and `cuda` leave out what cannot change, which is so unless it is set; on `cuda` once a run is
    /// long enough. Results are the same.
    pub fn activity(mut self, activity: bool) -> Self {
        self.options.watched = if activity { WatchedFrom::WhereItPays } else { WatchedFrom::Never };
        self
    }

    /// Leaves out units that cannot change on the backend `cuda` from the first steps on, for tests.
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    pub fn activity_at_once(mut self) -> Self {
        self.options.watched = WatchedFrom::AtOnce;
        self
    }

    /// Whether the backends `cpu` and `cuda` store the cells of masks alone, which takes the least memory and more time. Unless it is set, they do so where
    /// all places of rows do not fit in memory. Results are the same.
    pub fn packed(mut self, packed: bool) -> Self {
        self.options.packed = packed;
        self
    }

    /// Specialities that the backends `cpu` and `cuda` are to do without, for measurements and tests. Results are the same.
    #[doc(hidden)]
    pub fn without(mut self, off: Off) -> Self {
        self.options.off = off;
        self
    }

    /// How the tiles of ordered steps wait for one another on the backend `cuda`. Results are the same.
    #[doc(hidden)]
    pub fn wavefront(mut self, wavefront: Wavefront) -> Self {
        self.options.wavefront = wavefront;
        self
    }

    /// The lines and columns of tiles of ordered steps that the backends `cpu` and `cuda` take, for measurements and tests. Results are the same.
    #[doc(hidden)]
    pub fn tile(mut self, tile: [u32; 2]) -> Self {
        self.options.tile = Some(tile);
        self
    }

    /// The layout that the backends `cpu` and `cuda` take; unless it is set, the one that the planner chooses.
    #[doc(hidden)]
    pub fn plan(mut self, plan: Choice) -> Self {
        self.options.choice = Some(plan);
        self
    }

    /// The machine that the planner chooses layouts for, on the backend that runs on its kind; the usual one unless it is set. Results
    /// do not depend on it.
    pub fn hardware(mut self, hardware: Hardware) -> Self {
        self.options.hardware = Some(hardware);
        self
    }

    /// CUDA C that the backend `cuda` compiles instead of what it would print: the same kernels for the same layout.
    ///
    /// # Safety
    /// The kernels take the arguments that the printed ones take, and touch no other memory than they do.
    #[doc(hidden)]
    #[cfg(feature = "cuda")]
    pub unsafe fn load_cuda(mut self, code: cuda::LoadedCode) -> Self {
        self.options.code = Some(code);
        self
    }

    /// Sets the maker of the engine, which takes the backend's place.
    #[doc(hidden)]
    pub fn engine(mut self, maker: Arc<dyn EngineMaker>) -> Self {
        self.maker = Some(maker);
        self
    }

    /// Kernels that were compiled with the program, for the backend `cpu`: what `simulation!` makes.
    ///
    /// # Safety
    /// They are those of this rule on this fractal, for the layout that is said with them.
    #[cfg(feature = "jit")]
    #[doc(hidden)]
    pub unsafe fn kernels(mut self, ahead_of_time: AheadOfTime) -> Self {
        self.options.ahead_of_time = Some(ahead_of_time);
        self
    }

    /// Checks that the simulation is possible and computes its initial state.
    ///
    /// # Errors
    /// If the level is too high, the rule does not fit the fractal, a parameter's setting is wrong, engine and backend
    /// do not fit together, or the states do not fit in memory.
    pub fn build(self) -> Result<Simulation> {
        self.one_of(1)
    }

    /// As [`build`](Self::build), one of several members: if they are small, others keep the other threads busy.
    fn one_of(mut self, members: usize) -> Result<Simulation> {
        let _mode = DefaultMode::enter();
        let rule = self.fitted()?;
        if members > 1 && !is_worth_all_threads(rule.domain()) {
            self.options.cells_worth_threads = Some(ALONE);
        }
        let params = resolve(&rule, &self.settings)?;
        let inputs = MemberInputs::new(&rule, self.seed, &params);
        let made = match &self.maker {
            Some(maker) => maker.make(&rule, &inputs, self.backend, &self.options)?,
            None => None,
        };
        let mut notice = None;
        let (backend, engine) = match (self.backend, made) {
            (_, Some(made)) => made,
            (Backend::Reference, None) => {
                let reference = Reference::new(&rule, &inputs, self.options.host_limit())?;
                (Backend::Reference, Box::new(reference) as Box<dyn Engine>)
            }
            (Backend::Cpu, None) => (Backend::Cpu, self.on_cpu(&rule, &inputs)?),
            (Backend::Cuda, None) => {
                let engine = self.on_gpu(&rule, &inputs)?;
                notice = slow_step(&rule, engine.about().strategy == "packed");
                (Backend::Cuda, engine)
            }
            // A launch for each row takes longer than a CPU.
            (Backend::Auto, None) if takes_long_on_gpu(&rule) => (Backend::Cpu, self.on_cpu(&rule, &inputs)?),
            (Backend::Auto, None) => match self.on_gpu(&rule, &inputs) {
                Ok(engine) => (Backend::Cuda, engine),
                Err(error) => {
                    notice = notice_of(&error);
                    (Backend::Cpu, self.on_cpu(&rule, &inputs)?)
                }
            },
        };
        let (engine, member) = (share(engine), 0);
        let (seed, disorder, builder) = (self.seed, self.disorder, Arc::new(self));
        let mut simulation = Simulation { rule, seed, disorder, params, backend, engine, member, notice, builder };
        simulation.begin()?;
        Ok(simulation)
    }

    /// What an engine is made of, as [`build`](Self::build) makes it.
    ///
    /// # Errors
    /// If the level is too high, the rule does not fit the fractal, or a parameter's setting is wrong.
    pub(crate) fn parts(&self) -> Result<(FittedRule, MemberInputs, EngineOptions)> {
        let _mode = DefaultMode::enter();
        let rule = self.fitted()?;
        let inputs = MemberInputs::new(&rule, self.seed, &resolve(&rule, &self.settings)?);
        Ok((rule, inputs, self.options.clone()))
    }

    /// The rule as it runs on the fractal at the level, if it can.
    fn fitted(&self) -> Result<FittedRule> {
        let domain = Domain::new(Arc::clone(&self.fractal), self.level)?;
        for InitialValues { state, element: asked, .. } in &self.initial {
            if let Some((_, input)) = self.rule.named_inputs().find(|(_, input)| input.name == *state) {
                let ty = self.rule.type_name(input.ty);
                return Err(FieldError::Type { state: state.clone(), ty, asked }.into());
            }
        }
        let rule = domain.fit(&self.rule)?;
        let is_rolling = |state: &&StateId| self.initial.iter().any(|of| of.state == rule.state(**state).name);
        if let Some(rolling) = rule.rolling.iter().find(is_rolling) {
            return Err(FieldError::Rolling { state: rule.state(*rolling).name.clone() }.into());
        }
        // Kernels that were compiled with the program are made for the states that are kept there.
        let keeps = rule.keeps_cheaper && (self.options.has_kernels() || self.options.off.allows(Speciality::KeptLets));
        Ok(rule.keeping(keeps))
    }

    #[cfg(feature = "jit")]
    fn on_cpu(&self, rule: &FittedRule, inputs: &MemberInputs) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(Cpu::new(rule, inputs, &self.options)?))
    }

    #[cfg(not(feature = "jit"))]
    fn on_cpu(&self, _rule: &FittedRule, _inputs: &MemberInputs) -> Result<Box<dyn Engine>, EngineError> {
        Err(EngineError::NotBuilt { backend: Backend::Cpu.name(), feature: "jit" })
    }

    #[cfg(feature = "cuda")]
    fn on_gpu(&self, rule: &FittedRule, inputs: &MemberInputs) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(Cuda::new(rule, vec![inputs.clone()], &self.options)?))
    }

    #[cfg(not(feature = "cuda"))]
    fn on_gpu(&self, _rule: &FittedRule, _inputs: &MemberInputs) -> Result<Box<dyn Engine>, EngineError> {
        Err(EngineError::NotBuilt { backend: Backend::Cuda.name(), feature: "cuda" })
    }
}

/// Whether rows or single fronts of cells take turns in a step on a GPU.
fn takes_long_on_gpu(rule: &FittedRule) -> bool {
    let is_long = |step: &Step| matches!(rule.taken_by_gpu(step), StepSchedule::InRows | StepSchedule::Singly(_));
    rule.steps.iter().any(|step| step.order.is_some() && is_long(step))
}

/// The notice that a step takes long on a GPU, where fronts of cells take turns in it.
fn slow_step(rule: &FittedRule, is_packed: bool) -> Option<String> {
    let of_step = |step: &Step| {
        let (order, taken) = (step.order.as_ref()?, rule.taken_by_gpu(step));
        let taken = match taken {
            StepSchedule::InRows | StepSchedule::InStrips(..) if is_packed => StepSchedule::packed(),
            taken => taken,
        };
        let name = step.name.as_deref().unwrap_or_default();
        let is_slow = matches!(taken, StepSchedule::Singly(_));
        is_slow.then(|| {
            format!("step `{name}` {order}: `cuda` takes its cells {}; `--backend cpu` may be faster", taken.on_gpu())
        })
    };
    rule.steps.iter().find_map(of_step)
}

/// The notice that the CPU is used in place of a GPU that failed; `None` where no user expects one to be used.
fn notice_of(error: &EngineError) -> Option<String> {
    match error {
        #[cfg(feature = "cuda")]
        EngineError::Cuda(cuda::CudaError::NoDriver(_)) => None,
        EngineError::NotBuilt { .. }
        | EngineError::Ordered(_)
        | EngineError::Clusters(_)
        | EngineError::Undivided(_) => None,
        _ => {
            let reason = error.to_string();
            let line = reason.lines().next().unwrap_or_default();
            Some(format!("{line}: falling back to the backend `cpu`"))
        }
    }
}

/// The names and values of all observables, in the order of the rule.
pub type Observed<'a> = Vec<(&'a str, ObservedValue)>;

/// An engine, which the simulations of all its members share.
struct SharedEngine {
    engine: RwLock<Box<dyn Engine>>,
    /// The [forks](threads::forks) before it was made: its threads are in that process alone.
    forks: u32,
}

fn share(engine: Box<dyn Engine>) -> Arc<SharedEngine> {
    Arc::new(SharedEngine { engine: RwLock::new(engine), forks: threads::forks() })
}

/// A rule running on a fractal at a level: alone, or a member of an [`Ensemble`], which hands it out to be looked at.
pub struct Simulation {
    rule: FittedRule,
    seed: u64,
    disorder: Option<u64>,
    params: Params,
    backend: Backend,
    engine: Arc<SharedEngine>,
    /// Its number among the engine's members.
    member: usize,
    notice: Option<String>,
    /// The inputs of its building, or of its ensemble's.
    builder: Arc<SimulationBuilder>,
}

impl Simulation {
    /// Begins to describe a simulation of `rule` on `fractal`.
    pub fn builder(fractal: Arc<Fractal>, rule: Arc<Rule>) -> SimulationBuilder {
        SimulationBuilder {
            fractal,
            rule,
            level: 0,
            seed: 0,
            disorder: None,
            settings: Vec::new(),
            initial: Vec::new(),
            backend: Backend::Auto,
            maker: None,
            options: EngineOptions::default(),
        }
    }

    /// Computes this many time steps.
    ///
    /// # Errors
    /// If the time would pass 2^32 − 1 (then nothing is computed), or the machine fails.
    pub fn step(&mut self, steps: u64) -> Result<()> {
        let _mode = DefaultMode::enter();
        let steps = self.steps_to_come(steps)?;
        Ok(self.engine_mut()?.run(steps)?)
    }

    /// The number of these steps, if the time stays one that there is.
    fn steps_to_come(&self, steps: u64) -> Result<u32> {
        let time = self.time();
        let possible = u32::try_from(steps).ok().filter(|steps| *steps <= u32::MAX - time);
        possible.ok_or(SimulationError::Time { time, steps })
    }

    /// Makes ready what `steps` steps need, so that [`step`](Self::step) takes the time of the steps alone.
    #[doc(hidden)]
    pub fn make_ready(&mut self, steps: u32) -> Result<()> {
        let _mode = DefaultMode::enter();
        Ok(self.engine_mut()?.prepare(steps)?)
    }

    /// Begins anew, at time 0, with another seed and other parameters, as a simulation does that is built with them; nothing is compiled
    /// again. States that were written are lost. The seed of disorder stays what it was, if it was set.
    ///
    /// # Errors
    /// [`SimulationError::Param`] if a setting `name=value` is wrong, then nothing changes; or if the machine fails.
    pub fn restart(&mut self, seed: u64, settings: &[impl AsRef<str>]) -> Result<()> {
        let _mode = DefaultMode::enter();
        let params = resolve(&self.rule, settings)?;
        let inputs = MemberInputs::new(&self.rule, seed, &params);
        self.engine_mut()?.restart(&[inputs])?;
        (self.seed, self.params) = (seed, params);
        self.begin()
    }

    /// The fractal at its level.
    pub fn domain(&self) -> &Domain {
        self.rule.domain()
    }

    /// The rule.
    pub fn rule(&self) -> &Arc<Rule> {
        self.rule.shared()
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The seed of disorder.
    pub fn disorder(&self) -> u64 {
        self.disorder.unwrap_or(self.seed)
    }

    /// The values of the rule's parameters.
    pub fn params(&self) -> &[Value] {
        &self.params
    }

    /// The names of the parameters that follow from others: they have not been set themselves.
    #[doc(hidden)]
    pub fn following(&self) -> impl Iterator<Item = &str> {
        self.params.following(&self.rule)
    }

    /// The backend that executes it; never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Why the backend is not the one that [`Backend::Auto`] would rather take, as one line; `None` if it is.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The name of the strategy that the backend follows.
    pub fn strategy(&self) -> &'static str {
        self.about().strategy
    }

    /// A readable name of the device.
    pub fn device(&self) -> String {
        self.looked_at().device()
    }

    /// How its kernels are laid out; `None` on backends without any.
    pub fn execution(&self) -> Option<Execution> {
        self.about().execution
    }

    /// How many time steps a pass over the memory computes, if there are as many to compute: to ask for multiples of it is fastest.
    #[doc(hidden)]
    pub fn steps_of_pass(&self) -> u32 {
        self.about().steps_of_pass
    }

    /// The same of one process on one device, where parts of rows compute fewer.
    #[doc(hidden)]
    pub fn steps_of_whole(&self) -> u32 {
        self.about().steps_of_whole
    }

    /// Whether all values of a state, of floats, are finite; `None` where to read them is as fast.
    ///
    /// # Errors
    /// If the machine fails.
    #[doc(hidden)]
    pub fn is_finite(&self, state: StateId) -> Result<Option<bool>> {
        let _mode = DefaultMode::enter();
        Ok(self.engine()?.is_finite(self.member, state)?)
    }

    /// The t of the present state.
    pub fn time(&self) -> u32 {
        self.looked_at().time()
    }

    /// Bytes of all buffers of all states, padding included; of a member its share of those of all.
    pub fn state_bytes(&self) -> u64 {
        let about = self.about();
        about.state_bytes / about.members as u64
    }

    /// The most bytes on its device: buffers of states, tables, and memory for reductions; for a member, its share of the ensemble's. The program itself and
    /// its compiler take some tens of MB more on the host.
    #[doc(hidden)]
    pub fn memory_bytes(&self) -> u64 {
        let about = self.about();
        about.memory_bytes / about.members as u64
    }

    /// The names and digests of all states, in the order of the rule.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    pub fn digests(&self) -> Result<Vec<(&str, u64)>> {
        let _mode = DefaultMode::enter();
        self.states().map(|(id, name)| Ok((name, self.engine()?.digest(self.member, id)?))).collect()
    }

    /// The names and values of all observables, in the order of the rule.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn observe(&self) -> Result<Observed<'_>> {
        Ok(self.judge()?.0)
    }

    /// Whether [`step_observing`](Simulation::step_observing) is faster than steps and observations in turn: on a GPU, where all observables are
    /// made of integers.
    #[doc(hidden)]
    pub fn observes_ahead(&self) -> bool {
        self.about().reduces_ahead
    }

    /// Computes `every` time steps and then all observables, `times` times: for each time the names and values, as of
    /// [`observe`](Simulation::observe). A GPU is waited for once for many of them.
    ///
    /// # Errors
    /// If the time would pass 2^32 − 1 (then nothing is computed), or the machine fails.
    pub fn step_observing(&mut self, every: u32, times: u32) -> Result<Vec<Observed<'_>>> {
        let _mode = DefaultMode::enter();
        self.steps_to_come(u64::from(every) * u64::from(times))?;
        let mut all = [Vec::new()];
        let keep = |all: &mut Vec<_>, reduced: &Reduced<'_>| all.push(reduced.observables());
        reduce_members(std::slice::from_ref(self), &mut all, (every, times), &|_| true, &keep)?;
        Ok(all.into_iter().flatten().map(|values| self.names().zip(values).collect()).collect())
    }

    /// The names of all observables.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.rule.observables.iter().map(|observable| observable.name.as_str())
    }

    /// The names and values of all observables, as of [`observe`](Self::observe), and whether the rule says `stop when` of them. It says nothing of the
    /// state of time 0.
    ///
    /// # Errors
    /// If the machine fails.
    #[doc(hidden)]
    pub fn judge(&self) -> Result<(Observed<'_>, bool)> {
        let _mode = DefaultMode::enter();
        if self.rule.observed_steps > 0 {
            drop(self.engine()?);
            self.engine.engine.write().unwrap_or_else(PoisonError::into_inner).look()?;
        }
        let reductions = &self.engine()?.reduce(&self.rule.all_reductions())?[self.member];
        let reduced = self.reduced(self.time(), reductions);
        let values = reduced.observables();
        let stops = reduced.stops(&values);
        Ok((self.names().zip(values).collect(), stops))
    }

    fn reduced<'a>(&'a self, time: u32, reductions: &'a [ObservedValue]) -> Reduced<'a> {
        let Simulation { rule, params, seed, .. } = self;
        Reduced { rule, params, time, seed: *seed, reductions }
    }

    /// The value of a state in the cell with canonical index `c`.
    ///
    /// # Errors
    /// [`FieldError`] if there is no such state or cell; or if the machine fails, or the host has no memory for a GPU's states.
    pub fn value(&self, state: &str, c: u64) -> Result<Value> {
        let id = self.state(state)?;
        check_cells(&(c..c.saturating_add(1)), self.domain().cells())?;
        self.value_of(id, c)
    }

    /// The value of a state in a cell that exists.
    fn value_of(&self, state: StateId, c: u64) -> Result<Value> {
        let (ty, mut bytes) = (self.rule.state(state).ty, [0; 8]);
        self.engine()?.read(self.member, state, c..c + 1, &mut bytes[..packed::bytes(ty, 1) as usize])?;
        Ok(packed::value(ty, &bytes, 0))
    }

    /// Reads the values of a state in these cells into `bytes`, in the form that [`packed`] describes, in as many threads as
    /// the simulation has. A large state is best read in few large ranges.
    ///
    /// # Errors
    /// [`FieldError`] if there is no such state or cell, a range of bits begins or ends inside a byte (it may end with the last cell), or the bytes
    /// are not as many as the values take; or if the machine fails.
    pub fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        packed::check(packed::type_of(&self.rule, state)?, self.domain().cells(), &cells, bytes.len())?;
        Ok(self.engine()?.read(self.member, state, cells, bytes)?)
    }

    /// Does some work, on the threads that the simulation has on the host.
    #[doc(hidden)]
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        #[cfg(feature = "jit")]
        if let Some(pool) = self.pool() {
            return install(&pool, work);
        }
        work()
    }

    /// A copy of the present states that can be read while steps are computed, if the engine makes one.
    ///
    /// # Errors
    /// If the machine fails.
    #[doc(hidden)]
    pub fn snapshot(&self) -> Result<Option<StatesCopy>> {
        Ok(self.engine()?.snapshot()?.map(|copy| StatesCopy::new(self.rule.clone(), copy)))
    }

    /// Does some work with the states as several ranks write them together; `None` if they do not.
    #[doc(hidden)]
    pub fn with_shares<T>(&self, work: impl FnOnce(&dyn StateShares) -> T) -> Option<T> {
        self.engine().ok()?.shares().map(work)
    }

    /// Gives a state these values in these cells, in the form that [`packed`] describes. Every NaN becomes the one quiet NaN, and
    /// a number that a rule with `flush` has no results of becomes zero.
    ///
    /// # Errors
    /// As of [`read`](Self::read), or [`FieldError::Variant`] for a number that is none of an enum's: then nothing is written.
    pub fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        let _mode = DefaultMode::enter();
        let existing = self.of_existing_pairs(state, &cells, bytes);
        let values = StateValues::new(&self.rule, state, cells, existing.as_deref().unwrap_or(bytes))?;
        Ok(self.engine_mut()?.write(self.member, &values)?)
    }

    /// The positive offset of the pairs whose values a state holds, if it is one of a bond.
    #[doc(hidden)]
    pub fn offset_of_pairs(&self, state: StateId) -> Option<[i32; 3]> {
        self.rule.offset_of_pairs(state)
    }

    /// Values of a bond for these cells, with 0 where a cell has no pair; `None` if they are the same.
    fn of_existing_pairs(&self, state: StateId, cells: &Range<u64>, bytes: &[u8]) -> Option<Vec<u8>> {
        let (offset, domain) = (self.rule.offset_of_pairs(state)?, self.domain());
        let ty = self.rule.state(state).ty;
        if cells.end > domain.cells() || packed::bytes(ty, cells.end.checked_sub(cells.start)?) != bytes.len() as u64 {
            return None;
        }
        let mut existing: Option<Vec<u8>> = None;
        let alone = cells.clone().filter(|c| domain.neighbour(domain.lambda(*c), offset).is_none());
        for c in alone.filter(|c| packed::bits(ty, bytes, c - cells.start) != 0) {
            packed::replace(ty, existing.get_or_insert_with(|| bytes.to_vec()), c - cells.start, 0);
        }
        existing
    }

    /// Sets the time of the present state: with the states that a run had then, this one goes on as that one did.
    pub fn set_time(&mut self, time: u32) {
        self.engine.engine.write().unwrap_or_else(PoisonError::into_inner).set_time(time);
    }

    /// The engine, to be asked for what takes no threads.
    fn looked_at(&self) -> RwLockReadGuard<'_, Box<dyn Engine>> {
        self.engine.engine.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine, to be put to work.
    ///
    /// # Errors
    /// [`EngineError::Forked`]: its threads would be waited for, for ever.
    fn engine(&self) -> Result<RwLockReadGuard<'_, Box<dyn Engine>>, EngineError> {
        self.is_at_home().then(|| self.looked_at()).ok_or(EngineError::Forked)
    }

    /// The engine, to be changed. Members of an ensemble are lent to be looked at alone.
    ///
    /// # Errors
    /// As of [`engine`](Self::engine).
    fn engine_mut(&self) -> Result<RwLockWriteGuard<'_, Box<dyn Engine>>, EngineError> {
        let changed = || self.engine.engine.write().unwrap_or_else(PoisonError::into_inner);
        self.is_at_home().then(changed).ok_or(EngineError::Forked)
    }

    /// Whether this is the process in which it was made.
    fn is_at_home(&self) -> bool {
        self.engine.forks == threads::forks()
    }

    fn about(&self) -> About {
        self.looked_at().about()
    }

    /// The threads that it has on the host.
    #[cfg(feature = "jit")]
    fn pool(&self) -> Option<Arc<rayon::ThreadPool>> {
        self.is_at_home().then(|| self.looked_at().pool().cloned())?
    }

    /// Its inputs to the engine, at the beginning.
    fn inputs(&self) -> MemberInputs {
        MemberInputs::new(&self.rule, self.seed, &self.params)
    }

    fn states(&self) -> impl Iterator<Item = (StateId, &str)> {
        self.rule.states.iter().enumerate().map(|(i, state)| (StateId(i as u16), state.name.as_str()))
    }
}
