//! Many members of one rule on one fractal, each with a seed and parameters of its own.
//!
//! Kernels are compiled once for all. On a GPU one set of kernels computes all members, so that small systems fill it together; on the CPU small
//! members are lanes of the same columns where they can be, else all threads share out the members. Each member's trajectory is, bit for bit, that of a
//! simulation of its own.
//!
//! The tests `members` and `member_lanes` of `tests/shim.rs` and `tests/members.rs` compare members with runs of their own.

use super::error::{Result, SimulationError};
use super::{Element, Observed, Simulation, SimulationBuilder, share};
#[cfg(feature = "cuda")]
use crate::cuda::Cuda;
#[cfg(feature = "jit")]
use crate::install;
use crate::params::{Params, resolve};
use crate::totals::Reduced;
use crate::{Backend, Engine, EngineError, Execution, MemberInputs};
#[cfg(feature = "jit")]
use rayon::prelude::*;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{Rule, StateId};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_compiler::plan::bytes_of_clusters;
#[cfg(feature = "cuda")]
use squeeze_compiler::plan::can_share_buffers;
use squeeze_compiler::plan::members_within;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::global_expr::in_their_places;
use squeeze_host::numbers::counted;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The inputs of one member of an ensemble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub(super) seed: u64,
    disorder: Option<u64>,
    pub(super) settings: Vec<String>,
}

impl Member {
    /// A member with this seed, and with the parameters that all have unless it sets others.
    pub fn new(seed: u64) -> Member {
        Member { seed, disorder: None, settings: Vec::new() }
    }

    /// The seed of disorder; the member's own unless it is set, here or for all.
    pub fn disorder(mut self, disorder: u64) -> Member {
        self.disorder = Some(disorder);
        self
    }

    /// Sets a parameter from text of the form `name=value`.
    pub fn set(mut self, setting: impl Into<String>) -> Member {
        self.settings.push(setting.into());
        self
    }

    /// Sets a parameter: a number, `true` or `false`, or the name of an enum's variant.
    pub fn param(self, name: &str, value: impl std::fmt::Display) -> Member {
        self.set(format!("{name}={value}"))
    }
}

/// The members of an ensemble, before they run.
#[derive(Clone, Debug)]
pub struct EnsembleBuilder {
    pub(super) builder: SimulationBuilder,
    pub(super) members: Vec<Member>,
}

impl SimulationBuilder {
    /// Many members instead of one. Inputs set before hold for all of them, but for the seed.
    pub fn members(self, members: impl IntoIterator<Item = Member>) -> EnsembleBuilder {
        EnsembleBuilder { builder: self, members: members.into_iter().collect() }
    }

    /// As this one, with a member's seed, and its parameters in the place of those of all members.
    pub(super) fn of(&self, member: &Member) -> SimulationBuilder {
        let name = |setting: &String| setting.split('=').next().unwrap_or_default().trim().to_owned();
        let own: Vec<String> = member.settings.iter().map(name).collect();
        let mut builder = self.clone().seed(member.seed);
        builder.disorder = member.disorder.or(self.disorder);
        builder.settings.retain(|setting| !own.contains(&name(setting)));
        builder.settings.extend_from_slice(&member.settings);
        builder
    }
}

impl EnsembleBuilder {
    /// Checks that all members are possible and computes their initial states.
    ///
    /// # Errors
    /// [`SimulationError::NoMembers`]; else as [`SimulationBuilder::build`], for the members together.
    pub fn build(self) -> Result<Ensemble> {
        let _mode = DefaultMode::enter();
        #[cfg(feature = "cuda")]
        if let Some(ensemble) = self.together()? {
            return Ok(ensemble);
        }
        self.apart()
    }

    /// The first member, as it is among the others.
    ///
    /// # Errors
    /// As [`build`](EnsembleBuilder::build), if it does not fit.
    #[doc(hidden)]
    pub fn first(&self) -> Result<Simulation> {
        let first = self.members.first().ok_or(SimulationError::NoMembers)?;
        self.builder.of(first).one_of(self.members.len())
    }

    /// With one set of kernels for all members, on a GPU; `None` where there is no such thing.
    #[cfg(feature = "cuda")]
    fn together(&self) -> Result<Option<Ensemble>> {
        let EnsembleBuilder { builder, members } = self;
        let may_be_gpu = matches!(builder.backend, Backend::Auto | Backend::Cuda);
        if members.len() < 2 || !may_be_gpu || builder.maker.is_some() || builder.options.code.is_some() {
            return Ok(None);
        }
        let rule = builder.fitted()?;
        let is_better_on_cpu = builder.backend == Backend::Auto && super::takes_long_on_gpu(&rule);
        if is_better_on_cpu || !can_share_buffers(rule.domain(), builder.options.off) {
            return Ok(None);
        }
        let (params, inputs) = params_and_inputs(builder, &rule, members)?;
        match Cuda::new(&rule, inputs, &builder.options) {
            Ok(cuda) => {
                Ensemble::with_engines(builder, members, params, (Backend::Cuda, &rule), vec![Box::new(cuda)]).map(Some)
            }
            Err(error) if builder.backend == Backend::Auto => {
                let builder = builder.clone().backend(Backend::Cpu);
                let mut ensemble = EnsembleBuilder { builder, members: members.clone() }.apart()?;
                ensemble.members[0].notice = super::notice_of(&error);
                Ok(Some(ensemble))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Engines of their own, or lanes on the CPU; kernels are compiled once where engines can share them.
    fn apart(self) -> Result<Ensemble> {
        let first = self.first()?;
        let EnsembleBuilder { builder, members } = self;
        let (one, another, available) = (first.memory_bytes(), first.bytes_of_another(), builder.options.host_limit());
        // On a GPU each engine asks how much room earlier engines have left.
        let fitting =
            if first.backend == Backend::Cuda { members.len() } else { members_within(available, one, another) };
        if fitting < members.len() {
            let (domain, backend) = (first.domain().to_string(), first.backend.name());
            let needed = one as f64 + another as f64 * (members.len() - 1) as f64;
            let help = vec![format!("there is room for {}", counted(fitting as u64, "member"))];
            return Err(EngineError::Memory { domain, backend, needed, available, help }.into());
        }
        // The backend that the first one has found.
        let builder = builder.backend(first.backend);
        if let Some(mut ensemble) = Ensemble::as_lanes(&builder, &first, &members)? {
            ensemble.members[0].notice = first.notice;
            return Ok(ensemble);
        }
        Ensemble::each_alone(builder, first, &members, false)
    }
}

/// Many members of one rule on one fractal at one level.
pub struct Ensemble {
    /// The inputs that all members have in common.
    builder: SimulationBuilder,
    members: Vec<Simulation>,
    /// Whether engines take their steps in turn, one at a time: they share a thread, and the random words of each step.
    in_turn: bool,
}

/// A simulation alone, or a member of an ensemble, to be given initial values: nothing else can be put in its place.
pub struct MemberMut<'a>(&'a mut Simulation);

impl<'a> From<&'a mut Simulation> for MemberMut<'a> {
    fn from(simulation: &'a mut Simulation) -> Self {
        MemberMut(simulation)
    }
}

impl<'a> From<&'a mut MemberMut<'_>> for MemberMut<'a> {
    fn from(MemberMut(simulation): &'a mut MemberMut<'_>) -> Self {
        MemberMut(simulation)
    }
}

impl Deref for MemberMut<'_> {
    type Target = Simulation;

    fn deref(&self) -> &Simulation {
        self.0
    }
}

impl MemberMut<'_> {
    /// As [`Simulation::write`].
    ///
    /// # Errors
    /// As [`Simulation::write`].
    pub fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        self.0.write(state, cells, bytes)
    }

    /// As [`Simulation::init_from`].
    ///
    /// # Errors
    /// As [`Simulation::init_from`].
    pub fn init_from(&mut self, given: &[&str]) -> Result<()> {
        self.0.init_from(given)
    }
}

/// The parameters of members, and the inputs that engines take of them.
fn params_and_inputs(
    builder: &SimulationBuilder,
    rule: &FittedRule,
    members: &[Member],
) -> Result<(Vec<Params>, Vec<MemberInputs>)> {
    let of_member = |member: &Member| resolve(rule, &builder.of(member).settings);
    let params = members.iter().map(of_member).collect::<Result<Vec<_>, _>>()?;
    let inputs =
        members.iter().zip(&params).map(|(member, params)| MemberInputs::new(rule, member.seed, params)).collect();
    Ok((params, inputs))
}

impl Ensemble {
    /// With members as lanes of the same columns, beside the first one alone; `None` where they are better computed apart.
    pub(super) fn as_lanes(
        builder: &SimulationBuilder,
        first: &Simulation,
        members: &[Member],
    ) -> Result<Option<Ensemble>> {
        let (params, inputs) = params_and_inputs(builder, &first.rule, members)?;
        let engines = first.engine()?.as_lanes(&inputs)?;
        let ensemble =
            |engines| Ensemble::with_engines(builder, members, params, (first.backend, &first.rule), engines);
        engines.map(ensemble).transpose()
    }

    /// Members that share these engines: as many as each has follow each other, and the last one may have fewer.
    fn with_engines(
        builder: &SimulationBuilder,
        members: &[Member],
        params: Vec<Params>,
        (backend, rule): (Backend, &FittedRule),
        engines: Vec<Box<dyn Engine>>,
    ) -> Result<Ensemble> {
        let builder = builder.clone().backend(backend);
        let (sharing, shared) = (engines[0].about().members, Arc::new(builder.clone()));
        let engines: Vec<_> = engines.into_iter().map(share).collect();
        let simulation = |(number, (member, params)): (usize, (&Member, Params))| Simulation {
            rule: rule.clone(),
            seed: member.seed,
            disorder: member.disorder.or(builder.disorder),
            params,
            backend,
            engine: Arc::clone(&engines[number / sharing]),
            member: number % sharing,
            notice: None,
            builder: Arc::clone(&shared),
        };
        let mut members: Vec<Simulation> = members.iter().zip(params).enumerate().map(simulation).collect();
        members.chunks_mut(sharing).try_for_each(Simulation::begin_all)?;
        Ok(Ensemble { builder, members, in_turn: false })
    }

    /// The first member is there.
    pub(super) fn each_alone(
        builder: SimulationBuilder,
        first: Simulation,
        members: &[Member],
        in_turn: bool,
    ) -> Result<Ensemble> {
        let others = members[1..].iter().map(|member| first.another(builder.of(member), None));
        let others = others.collect::<Result<Vec<_>>>()?;
        let members = std::iter::once(first).chain(others).collect();
        Ok(Ensemble { builder, members, in_turn })
    }

    /// How many members share an engine.
    pub(super) fn sharing(&self) -> usize {
        let first = &self.members[0].engine;
        self.members.iter().take_while(|member| Arc::ptr_eq(&member.engine, first)).count()
    }

    /// The members, in their order.
    pub fn members(&self) -> &[Simulation] {
        &self.members
    }

    /// A member, to be given initial values.
    ///
    /// # Errors
    /// [`SimulationError::Member`] if there is no such member.
    #[doc(hidden)]
    pub fn member_mut(&mut self, member: usize) -> Result<MemberMut<'_>> {
        let members = self.members.len();
        self.members.get_mut(member).map(MemberMut).ok_or(SimulationError::Member { member, members })
    }

    /// The t of the present states.
    pub fn time(&self) -> u32 {
        self.members[0].time()
    }

    /// The backend that executes it; never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.members[0].backend
    }

    /// A readable name of the device.
    pub fn device(&self) -> String {
        self.members[0].device()
    }

    /// Why the backend is not the one that [`Backend::Auto`] would rather take, as one line; `None` if it is.
    pub fn notice(&self) -> Option<&str> {
        self.members[0].notice()
    }

    /// How the kernels are laid out; `None` on backends without any.
    pub fn execution(&self) -> Option<Execution> {
        self.members[0].execution()
    }

    /// Bytes of all buffers of all states of all members, padding included.
    pub fn state_bytes(&self) -> u64 {
        self.members.iter().step_by(self.sharing()).map(|first| first.about().state_bytes).sum()
    }

    /// Computes this many time steps of all members.
    ///
    /// # Errors
    /// If the time would pass 2^32 − 1 (then nothing is computed), or the machine fails.
    pub fn step(&mut self, steps: u64) -> Result<()> {
        let _mode = DefaultMode::enter();
        let steps = self.members[0].steps_to_come(steps)?;
        self.of_engines(
            &mut vec![(); self.members.len()],
            |()| true,
            |members, _| Ok(members[0].engine_mut()?.run(steps)?),
        )
    }

    /// Begins anew, at time 0, with as many other members; nothing is compiled again.
    ///
    /// # Errors
    /// [`SimulationError::Param`] if a setting is wrong, [`SimulationError::Members`] if there are more or fewer members than before; or if the machine fails.
    pub fn restart(&mut self, members: &[Member]) -> Result<()> {
        if members.len() != self.members.len() {
            return Err(SimulationError::Members { expected: self.members.len(), given: members.len() });
        }
        self.begin(members)
    }

    /// As [`restart`](Ensemble::restart), with as many members as it has or fewer. Members behind them are then of no use.
    ///
    /// # Errors
    /// As [`restart`](Ensemble::restart).
    #[doc(hidden)]
    pub fn begin(&mut self, members: &[Member]) -> Result<()> {
        let _mode = DefaultMode::enter();
        let (mut members, sharing) = (members.to_vec(), self.sharing());
        if let (Some(last), true) = (members.last().cloned(), sharing > 1) {
            members.resize(self.members.len(), last);
        }
        let (params, inputs) = params_and_inputs(&self.builder, &self.members[0].rule, &members)?;
        let (threads, others_are_needed) = (self.threads(), AtomicBool::new(false));
        let new: Vec<(&Member, Params)> = members.iter().zip(params).collect();
        let new = new.chunks(sharing).zip(inputs.chunks(sharing));
        let mut engines: Vec<_> = self.members.chunks_mut(sharing).zip(new).collect();
        threads.of_each(&mut engines, |(simulations, (new, inputs))| {
            if !simulations[0].engine_mut()?.restart(inputs)? {
                others_are_needed.store(true, Ordering::Relaxed);
                return Ok(());
            }
            for (number, (simulation, (member, params))) in simulations.iter_mut().zip(*new).enumerate() {
                (simulation.seed, simulation.params, simulation.member) = (member.seed, params.clone(), number);
                simulation.disorder = member.disorder.or(self.builder.disorder);
            }
            Simulation::begin_all(simulations)
        })?;
        if others_are_needed.into_inner() {
            let mut new = EnsembleBuilder { builder: self.builder.clone(), members }.build()?;
            new.members[0].notice = self.members[0].notice.take();
            *self = new;
        }
        Ok(())
    }

    /// For each member the names and digests of all states, in the order of the rule.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    pub fn digests(&self) -> Result<Vec<Vec<(&str, u64)>>> {
        self.members.iter().map(Simulation::digests).collect()
    }

    /// For each member the names and values of all observables, in the order of the rule.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn observe(&self) -> Result<Vec<Vec<(&str, ObservedValue)>>> {
        let _mode = DefaultMode::enter();
        let mut all = vec![Vec::new(); self.members.len()];
        let keep = |values: &mut Vec<ObservedValue>, reduced: &Reduced<'_>| *values = reduced.observables();
        self.of_engines(&mut all, |_| true, |members, all| reduce_members(members, all, (0, 1), &|_| true, &keep))?;
        Ok(all.into_iter().map(|values| self.members[0].names().zip(values).collect()).collect())
    }

    /// Computes `every` time steps of all members and then all observables, `times` times: for each time what
    /// [`observe`](Ensemble::observe) gives. Where observables are made of integers a GPU is waited for once for many of them.
    ///
    /// # Errors
    /// As [`step`](Ensemble::step).
    pub fn step_observing(&mut self, every: u32, times: u32) -> Result<Vec<Vec<Observed<'_>>>> {
        let mut all = vec![Vec::new(); self.members.len()];
        self.step_reduced(every, times, &mut all, |_| true, |values, reduced| values.push(reduced.observables()))?;
        let names = || self.members[0].names();
        let mut all: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
        let of_time = |_| all.iter_mut().filter_map(|values| Some(names().zip(values.next()?).collect())).collect();
        Ok((0..times).map(of_time).collect())
    }

    /// Computes `every` time steps and then calls `work` with each wanted member's reductions and its own data, `times` times over.
    /// Members that are not wanted need take no steps.
    #[doc(hidden)]
    pub fn step_reduced<T: Send>(
        &mut self,
        every: u32,
        times: u32,
        own: &mut [T],
        wants: impl Fn(&T) -> bool + Send + Sync,
        work: impl Fn(&mut T, &Reduced<'_>) + Send + Sync,
    ) -> Result<()> {
        let _mode = DefaultMode::enter();
        self.members[0].steps_to_come(u64::from(every) * u64::from(times))?;
        let (rounds, each, times_each) = if self.in_turn { (times, every.min(1), 1) } else { (1, every, times) };
        for _ in 0..rounds {
            for _ in each..every {
                self.of_engines(own, &wants, |members, _| Ok(members[0].engine_mut()?.run(1)?))?;
            }
            self.of_engines(own, &wants, |members, own| {
                reduce_members(members, own, (each, times_each), &wants, &work)
            })?;
        }
        Ok(())
    }

    /// Computes time steps of the first `count` members, and then the reductions `which` (ascending) of each, at their numbers in a list of all.
    #[doc(hidden)]
    pub fn step_and_reduce(&mut self, steps: u32, which: &[usize], count: usize) -> Result<Vec<Vec<ObservedValue>>> {
        let _mode = DefaultMode::enter();
        let steps = self.members[0].steps_to_come(steps.into())?;
        let mut found = vec![Vec::new(); count];
        self.of_engines(
            &mut found,
            |_| true,
            |members, found| {
                let first = &members[0];
                let mut engine = first.engine_mut()?;
                engine.run(steps)?;
                if first.rule.reads_observed_steps(which) {
                    engine.look()?;
                }
                let mut all = engine.reduce(which)?;
                for (member, found) in members.iter().zip(found) {
                    *found = in_their_places(&first.rule, which, std::mem::take(&mut all[member.member]));
                }
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// A member with reductions of its present states.
    #[doc(hidden)]
    pub fn reduced<'a>(&'a self, member: usize, reductions: &'a [ObservedValue]) -> Reduced<'a> {
        self.members[member].reduced(self.time(), reductions)
    }

    /// Lets pairs of members exchange their states. Seeds and parameters stay, and go to where the other's states are: nothing is copied.
    ///
    /// # Errors
    /// [`EngineError::System`] if engines do not allow it; or if the machine fails.
    #[doc(hidden)]
    pub fn exchange(&mut self, pairs: &[(usize, usize)]) -> Result<()> {
        let _mode = DefaultMode::enter();
        if pairs.is_empty() {
            return Ok(());
        }
        let sharing = self.sharing();
        for (a, b) in pairs {
            let Ok([a, b]) = self.members.get_disjoint_mut([*a, *b]) else { continue };
            std::mem::swap(&mut a.engine, &mut b.engine);
            std::mem::swap(&mut a.member, &mut b.member);
        }
        if sharing == 1 {
            let new = pairs.iter().flat_map(|(a, b)| [a, b]).map(|number| &self.members[*number]);
            for member in new {
                member.engine_mut()?.set_inputs(&[member.inputs()])?;
            }
            return Ok(());
        }
        for members in self.members.chunks(sharing) {
            let mut inputs: Vec<(usize, MemberInputs)> =
                members.iter().map(|member| (member.member, member.inputs())).collect();
            inputs.sort_by_key(|(place, _)| *place);
            let inputs: Vec<MemberInputs> = inputs.into_iter().map(|(_, inputs)| inputs).collect();
            members[0].engine_mut()?.set_inputs(&inputs)?;
        }
        Ok(())
    }

    /// The values of a state in all cells of all members: member after member, by canonical index.
    ///
    /// # Errors
    /// As [`Simulation::field`].
    pub fn field<T: Element>(&self, state: &str) -> Result<Vec<T>> {
        let mut values = Vec::new();
        for simulation in &self.members {
            values.append(&mut simulation.field(state)?);
        }
        Ok(values)
    }

    /// Gives a state of a member these values in the cells from `first` on, by canonical index.
    ///
    /// # Errors
    /// As [`Simulation::set_field`]; [`SimulationError::Member`] if there is no such member.
    pub fn set_field<T: Element>(&mut self, member: usize, state: &str, first: u64, values: &[T]) -> Result<()> {
        self.member_mut(member)?.0.set_field(state, first, values)
    }

    /// As [`Simulation::init_from`], of a member.
    ///
    /// # Errors
    /// As [`Simulation::init_from`]; [`SimulationError::Member`] if there is no such member.
    pub fn init_from(&mut self, member: usize, given: &[&str]) -> Result<()> {
        self.member_mut(member)?.init_from(given)
    }

    /// Calls `work` with the members of each engine that has wanted ones, and with their own data.
    fn of_engines<T: Send>(
        &self,
        own: &mut [T],
        wants: impl Fn(&T) -> bool,
        work: impl Fn(&[Simulation], &mut [T]) -> Result<()> + Send + Sync,
    ) -> Result<()> {
        let sharing = self.sharing();
        let engines = self.members.chunks(sharing).zip(own.chunks_mut(sharing));
        let mut engines: Vec<_> = engines.filter(|(_, own)| own.iter().any(&wants)).collect();
        self.threads().of_each(&mut engines, |(members, own)| work(members, own))
    }

    /// Does some work on the threads of the host that members have, if they have any.
    #[doc(hidden)]
    pub fn on_its_threads<T: Send>(&mut self, work: impl FnOnce(&mut Ensemble) -> T + Send) -> T {
        #[cfg(feature = "jit")]
        if let Some(pool) = self.members[0].pool() {
            return install(&pool, || work(self));
        }
        work(self)
    }

    fn threads(&self) -> Threads {
        Threads {
            #[cfg(feature = "jit")]
            pool: self.members[0].pool(),
        }
    }
}

/// The threads that engines are spread over.
struct Threads {
    #[cfg(feature = "jit")]
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Threads {
    /// Calls `work` for each item, on the threads of the pool if there is one.
    fn of_each<T: Send>(&self, all: &mut [T], work: impl Fn(&mut T) -> Result<()> + Send + Sync) -> Result<()> {
        #[cfg(feature = "jit")]
        if let Some(pool) = &self.pool {
            return install(pool, || all.par_iter_mut().try_for_each(work));
        }
        all.iter_mut().try_for_each(work)
    }
}

/// Values from which on it pays to wake threads if something is made of them.
#[cfg(feature = "jit")]
const MANY_VALUES: usize = 512;

/// Computes `every` time steps of the members of an engine and then calls `work` with each wanted member's reductions, `times` times over.
pub(super) fn reduce_members<T: Send>(
    members: &[Simulation],
    own: &mut [T],
    (every, times): (u32, u32),
    wants: &(impl Fn(&T) -> bool + Sync),
    work: &(impl Fn(&mut T, &Reduced<'_>) + Sync),
) -> Result<()> {
    let (first, time) = (&members[0], members[0].time());
    let all = step_reducing(&first.rule, &mut **first.engine_mut()?, every, times)?;
    let each = first.rule.reductions.len();
    let of_member = |(own, member): (&mut T, &Simulation)| {
        for number in 0..times as usize {
            let reductions = &all[(number * members.len() + member.member) * each..][..each];
            if wants(own) {
                work(own, &member.reduced(time + every * (number as u32 + 1), reductions));
            }
        }
    };
    // Each value is little work: threads are woken once for all of them, or not at all.
    #[cfg(feature = "jit")]
    if all.len() >= MANY_VALUES {
        first.install(|| own.par_iter_mut().zip(members).for_each(of_member));
        return Ok(());
    }
    own.iter_mut().zip(members).for_each(of_member);
    Ok(())
}

/// As [`Engine::run_and_reduce`], or by steps and reductions in turn.
fn step_reducing(rule: &Rule, engine: &mut dyn Engine, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
    if let Some(all) = engine.run_and_reduce(every, times)? {
        return Ok(all);
    }
    let (mut all, which) = (Vec::new(), rule.all_reductions());
    for _ in 0..times {
        engine.run(every)?;
        engine.look()?;
        all.extend(engine.reduce(&which)?.into_iter().flatten());
    }
    Ok(all)
}

impl Simulation {
    /// Bytes that one more of its kind takes at most: of engines that share their tables, the states.
    pub(super) fn bytes_of_another(&self) -> u64 {
        // Clusters of several are found at once, on a CPU by the same tables.
        let [_, search] = bytes_of_clusters(self.rule.domain(), &self.rule);
        match self.backend {
            Backend::Reference => self.memory_bytes(),
            // Each has lists of its own on a GPU.
            Backend::Cuda if self.rule.asks_clusters() => self.memory_bytes(),
            _ => self.state_bytes() + search,
        }
    }

    /// The simulation of `builder`, by the kernels of this one if its engine shares them, on `threads` threads of its own or on those of this one.
    pub(super) fn another(&self, builder: SimulationBuilder, threads: Option<usize>) -> Result<Simulation> {
        let params = resolve(&self.rule, &builder.settings)?;
        let (seed, disorder) = (builder.seed, builder.disorder);
        let inputs = MemberInputs::new(&self.rule, seed, &params);
        let Some(engine) = self.engine()?.twin(&inputs, threads)? else { return builder.build() };
        let (rule, backend, engine, member, notice) = (self.rule.clone(), self.backend, share(engine), 0, None);
        let builder = Arc::new(builder);
        let mut twin = Simulation { rule, seed, disorder, params, backend, engine, member, notice, builder };
        twin.begin()?;
        Ok(twin)
    }
}
