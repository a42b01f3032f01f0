//! Engines, which execute simulations: the CPU, NVIDIA GPUs, and the oracle, all behind one interface.
//!
//! An [`Engine`] keeps the states of one rule on one domain and computes their steps. A new backend is a new variant of [`Backend`]
//! and an engine. An engine whose states are on another device than the host's reads some values there, and copies whole states to the host
//! when many are asked for, by a `Mirror`.

use crate::error::{EngineError, Result};
use crate::packed::{self, StateValues};
use crate::params::Params;
#[cfg(feature = "jit")]
use crate::reduce::{Question, ReducedCells, Take};
use crate::sample::AskedSums;
use crate::shares::StateShares;
use crate::totals::Reduced;
#[cfg(feature = "jit")]
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
#[cfg(feature = "jit")]
use squeeze_compiler::Target;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{Rule, StateId, Type};
#[cfg(feature = "jit")]
use squeeze_compiler::numbers::mode::FloatMode;
#[cfg(any(feature = "cuda", feature = "jit"))]
use squeeze_compiler::plan::{self, Plan};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::global_expr::initial_globals;
#[cfg(feature = "jit")]
use squeeze_host::threads::{self, ThreadsError};
use std::ops::Range;
#[cfg(feature = "jit")]
use std::sync::Arc;

/// The kind of engine that executes a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Backend {
    /// The fastest there is for this simulation on this machine.
    #[default]
    Auto,
    /// Replica lanes in native code on all cores.
    Cpu,
    /// Replica lanes on an NVIDIA GPU.
    Cuda,
    /// The oracle: plain loops over the expanded grid.
    Reference,
}

impl Backend {
    /// All backends, in the order in which they are offered.
    pub const ALL: [Backend; 4] = [Backend::Auto, Backend::Cpu, Backend::Cuda, Backend::Reference];

    /// The name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
            Backend::Reference => "reference",
        }
    }

    /// Its description, in one line.
    pub const fn description(self) -> &'static str {
        match self {
            Backend::Auto => "the fastest that this machine has",
            Backend::Cpu => "replica lanes in native code, on all cores",
            Backend::Cuda => "replica lanes on an NVIDIA GPU",
            Backend::Reference => "plain loops over the expanded grid: slow; defines what is right",
        }
    }

    /// Why a [`Wavefront`](squeeze_compiler::target::Wavefront) has no effect on simulations of a rule; `None` if it has one.
    #[doc(hidden)]
    pub fn why_no_waves(self, rule: &Rule) -> Option<String> {
        match self {
            Backend::Cuda | Backend::Auto if rule.is_ordered() => None,
            Backend::Cuda | Backend::Auto => Some(format!("`{}` has no step with an order", rule.name)),
            Backend::Cpu | Backend::Reference => Some(format!("the backend `{}` runs no waves", self.name())),
        }
    }
}

/// A state and its type.
pub(crate) type TypedState = (StateId, Type);

/// An executor of one member of an ensemble, or of many that take their steps together: each is, bit for bit, what it is alone. States are
/// those of the rule; cells go by canonical index. Every call waits for the steps before it.
pub trait Engine: Send + Sync {
    /// Its description.
    fn about(&self) -> About;

    /// A readable name of the device.
    fn device(&self) -> String;

    /// The t of the present states.
    fn time(&self) -> u32;

    /// Sets the time of the present states.
    fn set_time(&mut self, time: u32);

    /// Gives each member's parameters and globals these values, one for each.
    ///
    /// # Errors
    /// [`EngineError::Inputs`] if they are not of the rule's; or if the machine fails. The parameters are then as before.
    fn set_params(&mut self, params: &[Params]) -> Result<()>;

    /// Makes ready what `steps` time steps need, such as compiled kernels, so that [`run`](Engine::run) takes the time of the steps alone.
    ///
    /// # Errors
    /// If the machine fails.
    fn prepare(&mut self, steps: u32) -> Result<()> {
        _ = steps;
        Ok(())
    }

    /// Computes time steps. The caller has made sure that the time stays below 2^32.
    ///
    /// # Errors
    /// If the machine fails.
    fn run(&mut self, steps: u32) -> Result<()>;

    /// Computes what [`reduce`](Engine::reduce) reads beside the states, if the rule has steps for that: clusters, and what is made of them.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn look(&mut self) -> Result<()> {
        Ok(())
    }

    /// The rule's reductions of the numbers `which` (ascending), for each member: observables and globals are computed from them.
    /// Nothing is done for the other reductions.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>>;

    /// The cells of the whole domain, of which it hands over [`partials`](Engine::partials); `None` if it gives results alone.
    #[cfg(feature = "jit")]
    #[doc(hidden)]
    fn cells(&self) -> Option<ReducedCells<'_>> {
        None
    }

    /// Hands over the partial reductions of a member's units that are computed here.
    ///
    /// # Errors
    /// As of [`reduce`](Engine::reduce).
    ///
    /// # Panics
    /// If there are no [`cells`](Engine::cells).
    #[cfg(feature = "jit")]
    #[doc(hidden)]
    fn partials(&self, member: usize, question: &Question<'_>, take: Take<'_>) -> Result<()> {
        _ = (member, question, take);
        unreachable!("it hands over no cells")
    }

    /// Computes `every` time steps and then all reductions, `times` times over. The list holds the reductions of one time after the other, of each member in
    /// turn. `None`, and nothing is done, where steps and reductions in turn are as fast.
    ///
    /// # Errors
    /// As of [`run`](Engine::run) and [`reduce`](Engine::reduce).
    fn run_and_reduce(&mut self, every: u32, times: u32) -> Result<Option<Vec<ObservedValue>>> {
        _ = (every, times);
        Ok(None)
    }

    /// The digest of a member's state.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn digest(&self, member: usize, state: StateId) -> Result<u64>;

    /// Whether all values of a member's state, of floats, are finite. `None` where to read them is as fast.
    ///
    /// # Errors
    /// As of [`read`](Engine::read).
    fn is_finite(&self, member: usize, state: StateId) -> Result<Option<bool>> {
        _ = (member, state);
        Ok(None)
    }

    /// The sums over some blocks of a member's cells, as [`sample`](crate::sample) defines them: the same bits from every engine. `None` where to read the
    /// values is as fast.
    ///
    /// # Errors
    /// As of [`read`](Engine::read).
    fn block_sums(&self, member: usize, asked: &AskedSums<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        _ = (member, asked);
        Ok(None)
    }

    /// Reads the values of a member's state in these cells into `bytes`, in the form that [`packed`](crate::packed) describes. Ranges
    /// of bits begin and end on whole bytes or with the last cell, or are a single cell, and there are as many bytes as the values take.
    ///
    /// # Errors
    /// If the machine fails, or the host has no memory for a copy of the states.
    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()>;

    /// Reads the values of a member's state, of this type, in ascending ranges of cells that do not overlap, one range after the other: each as
    /// [`read`](Engine::read) does, beginning at a whole byte.
    ///
    /// # Errors
    /// As of [`read`](Engine::read).
    fn read_ranges(&self, member: usize, field: TypedState, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<()> {
        let (state, ty) = field;
        packed::split(ty, ranges, bytes).try_for_each(|(cells, bytes)| self.read(member, state, cells, bytes))
    }

    /// Gives a member's state these values. Every NaN becomes the one quiet NaN.
    ///
    /// # Errors
    /// As of [`read`](Engine::read).
    fn write(&mut self, member: usize, values: &StateValues<'_>) -> Result<()>;

    /// Begins anew with as many members, whose initial states the kernels that are there compute; false, and nothing is done, if
    /// these members need others.
    ///
    /// # Errors
    /// [`EngineError::Inputs`]; or if the machine fails: the states are then undefined.
    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool>;

    /// Gives each member these inputs, and leaves states and time as they are: members have exchanged their states.
    ///
    /// # Errors
    /// [`EngineError::Inputs`]; [`EngineError::System`] if its members cannot have other inputs; or if the machine fails.
    fn set_inputs(&mut self, members: &[MemberInputs]) -> Result<()> {
        _ = members;
        Err(EngineError::System(format!("members of the strategy `{}` exchange no states", self.about().strategy)))
    }

    /// An engine of the same kernels with states of its own, those of another member at its beginning; `None` if the engine makes none.
    /// Nothing is compiled. It has `threads` threads of its own, or those of this engine.
    ///
    /// # Errors
    /// [`EngineError::Inputs`]; or if the system gives no memory or no threads.
    fn twin(&self, member: &MemberInputs, threads: Option<usize>) -> Result<Option<Box<dyn Engine>>> {
        _ = (member, threads);
        Ok(None)
    }

    /// Engines of these members as lanes of the same columns, in groups of as many, of which the last one may have fewer; `None` where members are better
    /// computed apart, or do not fit in memory as lanes. This engine is one of a member, which computes initial states.
    ///
    /// # Errors
    /// [`EngineError::Inputs`]; or if the machine fails.
    fn as_lanes(&self, members: &[MemberInputs]) -> Result<Option<Vec<Box<dyn Engine>>>> {
        _ = members;
        Ok(None)
    }

    /// A copy of the present states of the first member that can be read on another thread while steps are computed; `None` if the
    /// engine makes none, or has no memory for it. It waits for an earlier copy to be dropped if there are many.
    ///
    /// # Errors
    /// If the machine fails.
    fn snapshot(&self) -> Result<Option<Box<dyn Snapshot>>> {
        Ok(None)
    }

    /// The states as several ranks write them together, if they do.
    fn shares(&self) -> Option<&dyn StateShares> {
        None
    }

    /// The threads of the host that it computes on, if it has some.
    #[cfg(feature = "jit")]
    fn pool(&self) -> Option<&Arc<ThreadPool>> {
        None
    }
}

/// A pool of threads of this many threads or as many as are usual, which compute floats in the default mode.
///
/// # Errors
/// [`ThreadsError::None`] if the system gives no threads.
#[cfg(feature = "jit")]
pub fn pool(threads: Option<usize>) -> Result<ThreadPool, ThreadsError> {
    threads::pool(threads, || FloatMode::DEFAULT.set())
}

/// Does some work on the threads of a pool. The way there is compiled once, and not for each work.
#[cfg(feature = "jit")]
pub fn install<T: Send>(pool: &ThreadPool, work: impl FnOnce() -> T + Send) -> T {
    fn enter(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
        pool.install(work);
    }
    let (mut work, mut result) = (Some(work), None);
    enter(pool, &mut || result = work.take().map(|work| work()));
    result.unwrap_or_else(|| unreachable!("the pool does the work once"))
}

/// The description of an engine.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// How many members it has.
    pub members: usize,
    /// The name of the strategy, such as `reference`.
    pub strategy: &'static str,
    /// How kernels are laid out; `None` for engines without any.
    pub execution: Option<Execution>,
    /// How many time steps a pass over the memory computes, if there are as many to compute.
    pub steps_of_pass: u32,
    /// The same of an engine that computes all parts of rows alone.
    pub steps_of_whole: u32,
    /// Bytes of all buffers of all states, padding included.
    pub state_bytes: u64,
    /// Bytes that all members take at most where they are computed: these, tables, and the memory of reductions.
    pub memory_bytes: u64,
    /// Whether [`run_and_reduce`](Engine::run_and_reduce) is faster than steps and reductions in turn.
    pub reduces_ahead: bool,
}

/// The inputs in which the members of an ensemble differ.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberInputs {
    /// The seed.
    pub seed: u64,
    /// The values of the rule's parameters and globals.
    pub params: Params,
}

impl MemberInputs {
    /// The inputs of a member with these parameters, whose globals are those before any step.
    pub fn new(rule: &FittedRule, seed: u64, params: &Params) -> MemberInputs {
        let reduced = Reduced { rule, params, time: 0, seed, reductions: &[] };
        let globals = reduced.with_inputs(|inputs| initial_globals(rule, inputs));
        let mut params = params.clone();
        params.values.extend(globals);
        MemberInputs { seed, params }
    }
}

/// Whether members have the same parameters, as lanes of the same columns must.
#[cfg(any(feature = "jit", feature = "cuda"))]
pub(crate) fn are_alike(members: &[MemberInputs]) -> bool {
    members.windows(2).all(|pair| pair[0].params[..] == pair[1].params[..])
}

/// Whether members can be lanes of the same columns.
#[cfg(feature = "jit")]
pub(crate) fn can_be_lanes(rule: &FittedRule, target: &Target, members: &[MemberInputs]) -> bool {
    plan::can_be_lanes(rule, target, members.len()) && are_alike(members)
}

/// Whether `given` is the number that is expected.
///
/// # Errors
/// [`EngineError::Inputs`].
pub fn check_count(what: &'static str, expected: usize, given: usize) -> Result<()> {
    if expected == given { Ok(()) } else { Err(EngineError::Inputs { what, expected, given }) }
}

/// Whether there are as many members as an engine has, and of each the parameters and globals of its rule: kernels read all of them.
///
/// # Errors
/// [`EngineError::Inputs`].
pub fn check_inputs<'a>(rule: &Rule, members: usize, inputs: impl IntoIterator<Item = &'a Params>) -> Result<()> {
    let mut given = 0;
    for params in inputs {
        let expected = rule.params.len() + rule.globals.len();
        check_count("parameters and globals", expected, params.len())?;
        check_count("parameters and globals of these types", expected, params.fitting(rule))?;
        given += 1;
    }
    check_count("members", members, given)
}

/// A copy of the states of an engine.
pub trait Snapshot: Send {
    /// As [`Engine::read`], of the states as they were when the copy was made.
    ///
    /// # Errors
    /// If the machine fails.
    fn read(&mut self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()>;
}

/// How the kernels of a simulation are laid out and made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Execution {
    /// T, how many digits are the lane.
    pub lane_digits: u32,
    /// L, how many digits are the micro cell.
    pub micro_digits: u32,
    /// t, the time steps of one pass.
    pub steps_per_pass: u32,
    /// The name of the kernel's compiler, empty before the first step.
    pub compiler: &'static str,
}

impl Execution {
    /// The execution of a plan; `None` if it has no layout.
    #[cfg(any(feature = "cuda", feature = "jit"))]
    pub(crate) fn of(plan: &Plan, compiler: &'static str) -> Option<Execution> {
        let (layout, steps_per_pass) = (plan.layout()?, plan.steps);
        let (lane_digits, micro_digits) = (layout.lane_digits(), layout.micro_digits());
        Some(Execution { lane_digits, micro_digits, steps_per_pass, compiler })
    }
}
