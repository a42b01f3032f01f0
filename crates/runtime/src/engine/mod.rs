//! What executes simulations: the CPU, NVIDIA GPUs, and the oracle, all behind one interface.
//!
//! An [`Engine`] keeps the states of one rule on one domain and computes their steps. A new backend is a new variant of [`Backend`]
//! and an engine. An engine whose states are on another device than the host's copies them to the host when single values are asked
//! for, by a `Mirror`.

#[cfg(feature = "jit")]
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod error;
pub mod globals;
#[cfg(feature = "cuda")]
mod mirror;
pub(crate) mod reference;
#[cfg(any(feature = "jit", feature = "cuda"))]
mod rounds;
#[cfg(feature = "jit")]
pub(crate) mod states;
#[cfg(any(feature = "jit", feature = "cuda"))]
mod terms;

pub use error::{EngineError, Result};

use crate::state::field::Sample;
use squeeze_compiler::ir::{StateId, Value};
use squeeze_compiler::reduce::fold::ObservedValue;
use std::ops::Range;
#[cfg(feature = "jit")]
use std::sync::Arc;

/// What executes a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// All of them, in the order in which they are offered.
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

    /// One line on what it is.
    pub const fn description(self) -> &'static str {
        match self {
            Backend::Auto => "the fastest that this machine has",
            Backend::Cpu => "replica lanes in native code, on all cores",
            Backend::Cuda => "replica lanes on an NVIDIA GPU",
            Backend::Reference => "plain loops over the expanded grid: slow; defines what is right",
        }
    }
}

/// What a backend does for a simulation. States are those of the rule; cells go by canonical index. Every call waits for the
/// steps before it.
pub trait Engine: Send + Sync {
    /// Computes `steps` time steps. The caller has made sure that the time stays below 2^32.
    ///
    /// # Errors
    /// If the machine fails.
    fn step(&mut self, steps: u32) -> Result<()>;

    /// Makes ready what [`step`](Engine::step) needs for so many time steps, such as compiled kernels, so that it takes the time of the steps alone.
    ///
    /// # Errors
    /// If the machine fails.
    fn make_ready(&mut self, steps: u32) -> Result<()> {
        _ = steps;
        Ok(())
    }

    /// Computes the named step of this number of the next time step, whose time is the present one as soon as the last is computed. Only
    /// for rules whose kernels hold one named step each.
    ///
    /// # Errors
    /// If the machine fails.
    fn part(&mut self, index: usize) -> Result<()>;

    /// Whether [`step`](Engine::step) computes globals, and the canonical indices of cells are there from the beginning.
    fn computes_globals(&self) -> bool {
        false
    }

    /// The t of the present state.
    fn time(&self) -> u32;

    /// The digest of a state.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn digest(&self, state: StateId) -> Result<u64>;

    /// What observables are made of: the rule's reductions, in order.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn reductions(&self) -> Result<Vec<ObservedValue>>;

    /// Those of the rule's reductions that have these numbers, ascending. Nothing is done for the others.
    ///
    /// # Errors
    /// As of [`reductions`](Engine::reductions).
    fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>>;

    /// Whether [`step_reducing`](Engine::step_reducing) is faster than steps and reductions in turn.
    fn reduces_ahead(&self) -> bool {
        false
    }

    /// Computes `every` time steps and then the reductions, so many times: one list of them for each. As of [`step`](Engine::step), the caller
    /// has made sure that the time stays below 2^32.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Vec<Vec<ObservedValue>>> {
        let one = |_| {
            self.step(every)?;
            self.reductions()
        };
        (0..times).map(one).collect()
    }

    /// The value of a state in one cell.
    ///
    /// # Errors
    /// If the machine fails, or the host has no memory for a copy of the states.
    fn value(&self, state: StateId, c: u64) -> Result<Value>;

    /// For each block of `K_mu` cells that follow each other in canonical order the sum over its cells of what `sample`
    /// makes of a state's values.
    ///
    /// # Errors
    /// As of [`value`](Engine::value).
    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>>;

    /// Reads the values of a state in these cells into `bytes`, in the form that [`packed`](crate::state::packed) describes. Ranges
    /// of bits begin and end on whole bytes or with the last cell, and there are as many bytes as the values take.
    ///
    /// # Errors
    /// As of [`value`](Engine::value).
    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()>;

    /// Gives a state these values in these cells; ranges and bytes are as in [`read`](Engine::read), and enums have only numbers
    /// of variants. Every NaN becomes the one quiet NaN.
    ///
    /// # Errors
    /// As of [`value`](Engine::value).
    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()>;

    /// Does some work of the host on the engine's own threads, if it has any.
    fn install(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// A copy of the present states that can be read on another thread while steps are computed; `None` if the engine makes none,
    /// or has no memory for it. It waits for an earlier copy to be dropped if there are many.
    ///
    /// # Errors
    /// If the machine fails.
    fn snapshot(&self) -> Result<Option<Box<dyn Copied>>> {
        Ok(None)
    }

    /// Says of what t the present state is.
    fn set_time(&mut self, time: u32);

    /// Gives the rule's parameters and globals these values, one for each.
    ///
    /// # Errors
    /// If the machine fails; the parameters are then as before.
    fn set_params(&mut self, params: &[Value]) -> Result<()>;

    /// Begins anew: the initial states of another seed and other parameters, one for each of the rule, computed by the kernels that are there.
    ///
    /// # Errors
    /// If the machine fails; what the states are then is not said.
    fn restart(&mut self, seed: u64, params: &[Value]) -> Result<()>;

    /// An engine of the same kernels with states of its own, those of another seed and other parameters at their beginning; `None` if the
    /// engine makes none. Nothing is compiled. It has so many threads of its own, or those of this engine.
    ///
    /// # Errors
    /// If the system gives no memory or no threads.
    fn another(&self, seed: u64, params: &[Value], threads: Option<usize>) -> Result<Option<Box<dyn Engine>>> {
        _ = (seed, params, threads);
        Ok(None)
    }

    /// The threads that it computes on, if it has some.
    #[cfg(feature = "jit")]
    fn pool(&self) -> Option<Arc<rayon::ThreadPool>> {
        None
    }

    /// Bytes of all buffers of all states, padding included.
    fn state_bytes(&self) -> u64;

    /// The name of the strategy, such as `reference`.
    fn strategy(&self) -> &'static str;

    /// A readable name of the device.
    fn device(&self) -> String;

    /// How kernels are laid out; `None` for engines without any.
    fn execution(&self) -> Option<Execution> {
        None
    }

    /// How many time steps a pass over the memory computes, if there are as many to compute.
    fn steps_of_pass(&self) -> u32 {
        self.execution().map_or(1, |execution| execution.steps_per_pass.max(1))
    }
}

/// What the members of an ensemble differ in.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberInputs {
    /// The seed.
    pub seed: u64,
    /// The values of the rule's parameters and globals.
    pub params: Vec<Value>,
}

/// Whether members with these inputs can be lanes of the same columns: they draw nothing in their steps and have the same parameters. Nor do their
/// reductions need means, which would differ from lane to lane.
#[cfg(any(feature = "jit", feature = "cuda"))]
fn can_be_lanes(rule: &squeeze_compiler::ir::Rule, members: &[MemberInputs]) -> bool {
    let alike = || members.windows(2).all(|pair| pair[0].params == pair[1].params);
    let whole = rule.reductions.iter().all(|reduction| reduction.level.is_none() && reduction.about.is_none());
    !rule.draws() && rule.globals.is_empty() && whole && alike()
}

/// Many members of an ensemble in one set of kernels, which take their steps together. Each is, bit for bit, what an [`Engine`] with its
/// inputs is. What is said of states is as there.
pub trait MemberEngine: Send + Sync {
    /// How many members there are.
    fn members(&self) -> usize;

    /// As [`Engine::step`], of all members.
    ///
    /// # Errors
    /// If the machine fails.
    fn step(&mut self, steps: u32) -> Result<()>;

    /// As [`Engine::part`], of all members.
    ///
    /// # Errors
    /// If the machine fails.
    fn part(&mut self, index: usize) -> Result<()>;

    /// The t of the present states.
    fn time(&self) -> u32;

    /// Says of what t the present states are.
    fn set_time(&mut self, time: u32);

    /// Gives each member's parameters and globals these values.
    ///
    /// # Errors
    /// If the machine fails.
    fn set_params(&mut self, params: Vec<Vec<Value>>) -> Result<()>;

    /// Whether [`restart`](MemberEngine::restart) may be given these.
    fn suits(&self, members: &[MemberInputs]) -> bool {
        members.len() == self.members()
    }

    /// Begins anew with as many members.
    ///
    /// # Errors
    /// If the machine fails.
    fn restart(&mut self, members: Vec<MemberInputs>) -> Result<()>;

    /// As [`Engine::reductions`], of each member.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn reductions(&self) -> Result<Vec<Vec<ObservedValue>>>;

    /// As [`Engine::reductions_of`], of each member.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn reductions_of(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>>;

    /// As [`Engine::step_reducing`], of all members: in one list those of one time after the other, and of each member then.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
        let mut all = Vec::new();
        for _ in 0..times {
            self.step(every)?;
            all.extend(self.reductions()?.into_iter().flatten());
        }
        Ok(all)
    }

    /// As [`Engine::digest`], of a member.
    ///
    /// # Errors
    /// If the machine fails.
    fn digest(&self, member: usize, state: StateId) -> Result<u64>;

    /// As [`Engine::value`], of a member.
    ///
    /// # Errors
    /// As of [`Engine::value`].
    fn value(&self, member: usize, state: StateId, c: u64) -> Result<Value>;

    /// As [`Engine::block_sums`], of a member.
    ///
    /// # Errors
    /// As of [`Engine::value`].
    fn block_sums(&self, member: usize, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>>;

    /// As [`Engine::read`], of a member.
    ///
    /// # Errors
    /// As of [`Engine::value`].
    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()>;

    /// As [`Engine::write`], of a member.
    ///
    /// # Errors
    /// As of [`Engine::value`].
    fn write(&mut self, member: usize, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()>;

    /// Does some work of the host on the engine's own threads, if it has any.
    fn install(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// Bytes of all buffers of all states of all members, padding included.
    fn state_bytes(&self) -> u64;

    /// As [`Engine::strategy`].
    fn strategy(&self) -> &'static str;

    /// As [`Engine::device`].
    fn device(&self) -> String;

    /// As [`Engine::execution`].
    fn execution(&self) -> Option<Execution>;
}

/// A copy of the states of an engine.
pub trait Copied: Send {
    /// As [`Engine::read`], of the states as they were when the copy was made.
    ///
    /// # Errors
    /// If the machine fails.
    fn read(&mut self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()>;
}

/// How the kernels of a simulation are laid out and made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// T, how many digits are the lane.
    pub lane_digits: u32,
    /// L, how many digits are the micro cell.
    pub micro_digits: u32,
    /// t, the time steps of one pass.
    pub steps_per_pass: u32,
    /// The name of what compiled the kernel, empty before the first step.
    pub compiler: &'static str,
}
