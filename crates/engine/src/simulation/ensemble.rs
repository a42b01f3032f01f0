//! Many members of one rule on one fractal, each with a seed and parameters of its own.
//!
//! Kernels are compiled once for all. On a GPU one set of kernels computes all members, so that small systems fill it together; on the CPU small
//! members are lanes of the same columns where they can be, else all threads share out the members. Each member's trajectory is, bit for bit, that of a simulation of its own.
//!
//! The tests `members` and `member_lanes` of `tests/shim.rs` and `tests/members.rs` compare members with runs of their own.

use super::error::{Result, SimulationError};
use super::{Element, Observed, Simulation, SimulationBuilder, share};
#[cfg(feature = "jit")]
use crate::cpu;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::globals::{Course, step, step_reducing};
#[cfg(feature = "jit")]
use crate::install;
use crate::options::ALONE;
use crate::params;
use crate::totals::Reduced;
use crate::{Backend, EngineError, Execution, MemberInputs};
#[cfg(feature = "jit")]
use rayon::prelude::*;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::Value;
#[cfg(feature = "cuda")]
use squeeze_compiler::plan::can_share_buffers;
use squeeze_compiler::plan::is_worth_all_threads;
use squeeze_compiler::reduce::fold::ObservedValue;
use std::sync::Arc;

/// What one member of an ensemble has of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    seed: u64,
    disorder: Option<u64>,
    settings: Vec<String>,
}

impl Member {
    /// A member with this seed, and with the parameters that all have unless it sets others.
    pub fn new(seed: u64) -> Member {
        Member { seed, disorder: None, settings: Vec::new() }
    }

    /// The seed of what is drawn from disorder; the member's own unless it is set, here or for all.
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
    builder: SimulationBuilder,
    members: Vec<Member>,
}

impl SimulationBuilder {
    /// Many members instead of one. What was said before holds for all of them, but for the seed.
    pub fn members(self, members: impl IntoIterator<Item = Member>) -> EnsembleBuilder {
        EnsembleBuilder { builder: self, members: members.into_iter().collect() }
    }

    /// As this one, with a member's seed, and its parameters in the place of those of all members.
    fn of(&self, member: &Member) -> SimulationBuilder {
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
        let EnsembleBuilder { builder, members } = self;
        if members.is_empty() {
            return Err(SimulationError::NoMembers);
        }
        let rule = builder.fitted()?;
        #[cfg(feature = "cuda")]
        if members.len() > 1
            && let Some(ensemble) = Ensemble::together(&builder, &rule, &members)?
        {
            return Ok(ensemble);
        }
        Ensemble::apart(&builder, &rule, &members)
    }
}

/// Many members of one rule on one fractal at one level.
pub struct Ensemble {
    /// What holds for all members.
    builder: SimulationBuilder,
    members: Vec<Simulation>,
    /// Whether one engine computes all members; otherwise every member has an engine.
    together: bool,
}

/// The parameters of a member.
fn params_of(builder: &SimulationBuilder, member: &Member) -> Result<Vec<Value>> {
    Ok(params::resolve(&builder.rule, &builder.of(member).settings)?)
}

/// What an engine is told of members with these parameters.
fn inputs_of(rule: &FittedRule, members: &[Member], params: &[Vec<Value>]) -> Vec<MemberInputs> {
    let inputs = |(member, params): (&Member, &Vec<Value>)| {
        let course = Course { rule, params, seed: member.seed };
        MemberInputs { seed: member.seed, params: course.params() }
    };
    members.iter().zip(params).map(inputs).collect()
}

impl Ensemble {
    /// With one set of kernels for all members, on a GPU; `None` where there is no such thing.
    #[cfg(feature = "cuda")]
    fn together(builder: &SimulationBuilder, rule: &FittedRule, members: &[Member]) -> Result<Option<Ensemble>> {
        let domain = rule.domain();
        let by_lanes = builder.strategy_choice.grid(domain)?.is_none() && builder.options.code.is_none();
        let on_gpu = matches!(builder.backend, Backend::Auto | Backend::Cuda);
        if !(by_lanes && on_gpu && can_share_buffers(domain, builder.options.off)) {
            return Ok(None);
        }
        let params = members.iter().map(|member| params_of(builder, member)).collect::<Result<Vec<_>>>()?;
        let inputs = inputs_of(rule, members, &params);
        let together = match cuda::members::together(rule, inputs, builder.options.clone()) {
            Ok(together) => together,
            Err(error) if builder.backend == Backend::Auto => {
                let mut ensemble = Ensemble::apart(&builder.clone().backend(Backend::Cpu), rule, members)?;
                ensemble.members[0].notice = super::notice_of(&error);
                return Ok(Some(ensemble));
            }
            Err(error) => return Err(error.into()),
        };
        Ensemble::sharing(builder, members, params, Backend::Cuda, rule, together).map(Some)
    }

    /// With members as lanes of the same columns, on the CPU; `None` where they are better computed apart.
    #[cfg(feature = "jit")]
    fn as_lanes(builder: &SimulationBuilder, rule: &FittedRule, members: &[Member]) -> Result<Option<Ensemble>> {
        let params = members.iter().map(|member| params_of(builder, member)).collect::<Result<Vec<_>>>()?;
        let inputs = inputs_of(rule, members, &params);
        let together = cpu::together(rule, &inputs, builder.options.clone())?;
        let ensemble = |together| Ensemble::sharing(builder, members, params, Backend::Cpu, rule, together);
        together.map(ensemble).transpose()
    }

    /// Members that one engine computes.
    #[cfg(any(feature = "cuda", feature = "jit"))]
    fn sharing(
        builder: &SimulationBuilder,
        members: &[Member],
        params: Vec<Vec<Value>>,
        backend: Backend,
        rule: &FittedRule,
        engine: Box<dyn crate::Engine>,
    ) -> Result<Ensemble> {
        let engine = share(engine);
        let simulation = |(number, (member, params)): (usize, (&Member, Vec<Value>))| Simulation {
            rule: rule.clone(),
            seed: member.seed,
            disorder: member.disorder.or(builder.disorder),
            params,
            backend,
            engine: Arc::clone(&engine),
            member: number,
            notice: None,
        };
        let mut simulations: Vec<Simulation> = members.iter().zip(params).enumerate().map(simulation).collect();
        Simulation::begin_all(&mut simulations)?;
        Ok(Ensemble { builder: builder.clone().backend(backend), members: simulations, together: true })
    }

    /// Each member with states of its own; kernels are compiled once where engines can share them.
    fn apart(builder: &SimulationBuilder, rule: &FittedRule, members: &[Member]) -> Result<Ensemble> {
        let mut builder = builder.clone();
        if !is_worth_all_threads(rule.domain()) {
            builder.options.cells_worth_threads = ALONE;
        }
        let first = builder.of(&members[0]).build()?;
        let limit = builder.options.host_limit();
        let needed = first.state_bytes() as f64 * members.len() as f64;
        if needed > limit as f64 {
            return Err(EngineError::memory(rule.domain(), first.backend.name(), needed, limit, || None).into());
        }
        // The backend that the first one has found.
        let builder = builder.backend(first.backend);
        #[cfg(feature = "jit")]
        if builder.backend == Backend::Cpu
            && let Some(mut ensemble) = Ensemble::as_lanes(&builder, rule, members)?
        {
            ensemble.members[0].notice = first.notice;
            return Ok(ensemble);
        }
        Ensemble::each_alone(builder, first, members)
    }

    /// The first member is there.
    fn each_alone(builder: SimulationBuilder, first: Simulation, members: &[Member]) -> Result<Ensemble> {
        let mut simulations = vec![first];
        for member in &members[1..] {
            let builder = builder.of(member);
            simulations.push(
                match simulations[0].another((member.seed, builder.disorder), &builder.settings, None)? {
                    Some(simulation) => simulation,
                    None => builder.build()?,
                },
            );
        }
        Ok(Ensemble { builder, members: simulations, together: false })
    }

    /// The members, in their order.
    pub fn members(&self) -> &[Simulation] {
        &self.members
    }

    /// The members, to be given initial values.
    #[doc(hidden)]
    pub fn members_mut(&mut self) -> &mut [Simulation] {
        &mut self.members
    }

    /// The t of the present states.
    pub fn time(&self) -> u32 {
        self.members[0].time()
    }

    /// What executes it; never [`Backend::Auto`].
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
        match self.together {
            true => self.members[0].about().state_bytes,
            false => self.members.iter().map(Simulation::state_bytes).sum(),
        }
    }

    /// Computes this many time steps of all members.
    ///
    /// # Errors
    /// If the time would pass 2^32 − 1 (then nothing is computed), or the machine fails.
    pub fn step(&mut self, steps: u64) -> Result<()> {
        if !self.together {
            return self.of_each(|simulation| simulation.step(steps)).map(drop);
        }
        let time = self.time();
        let Some(steps) = u32::try_from(steps).ok().filter(|steps| *steps <= u32::MAX - time) else {
            return Err(SimulationError::Time { time, steps });
        };
        Ok(step(&self.courses(), &mut **self.members[0].engine_mut(), steps)?)
    }

    /// Begins anew, at time 0, with as many other members; nothing is compiled again.
    ///
    /// # Errors
    /// [`SimulationError::Param`] if a setting is wrong, [`SimulationError::Members`] if there are more or fewer members than before; or if the machine fails.
    pub fn restart(&mut self, members: &[Member]) -> Result<()> {
        if members.len() != self.members.len() {
            return Err(SimulationError::Members { expected: self.members.len(), given: members.len() });
        }
        let params = members.iter().map(|member| params_of(&self.builder, member)).collect::<Result<Vec<_>>>()?;
        if !self.together {
            let builder = &self.builder;
            let mut pairs = self.members.iter_mut().zip(members.iter().map(|member| builder.of(member)));
            return pairs.try_for_each(|(simulation, builder)| {
                simulation.set_disorder(builder.disorder);
                simulation.restart(builder.seed, &builder.settings)
            });
        }
        let inputs = inputs_of(&self.members[0].rule, members, &params);
        if !self.members[0].engine_mut().restart(&inputs)? {
            let notice = self.members[0].notice.take();
            *self = EnsembleBuilder { builder: self.builder.clone(), members: members.to_vec() }.build()?;
            self.members[0].notice = notice;
            return Ok(());
        }
        for ((simulation, member), params) in self.members.iter_mut().zip(members).zip(params) {
            (simulation.seed, simulation.params) = (member.seed, params);
            simulation.disorder = member.disorder.or(self.builder.disorder);
        }
        Simulation::begin_all(&mut self.members)
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
        let named = |reduced: &Reduced<'_>| {
            let names = self.members[0].rule.observables.iter().map(|observable| observable.name.as_str());
            names.zip(reduced.observables()).collect()
        };
        self.reduced(named)
    }

    /// Computes `every` time steps of all members and then all observables, `times` times: for each time what
    /// [`observe`](Ensemble::observe) gives. Where observables are made of integers a GPU is waited for once for many of them.
    ///
    /// # Errors
    /// As [`step`](Ensemble::step).
    pub fn step_observing(&mut self, every: u32, times: u32) -> Result<Vec<Vec<Observed<'_>>>> {
        let mut all = vec![Vec::new(); self.members.len()];
        self.step_reduced(every, times, &mut all, |values, reduced| values.push(reduced.observables()))?;
        let names = || self.members[0].rule.observables.iter().map(|observable| observable.name.as_str());
        let mut all: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
        let of_time = |_| all.iter_mut().filter_map(|values| Some(names().zip(values.next()?).collect())).collect();
        Ok((0..times).map(of_time).collect())
    }

    /// Makes something of what is known of all cells of each member.
    pub(crate) fn reduced<T: Send>(&self, work: impl Fn(&Reduced<'_>) -> T + Send + Sync) -> Result<Vec<T>> {
        if !self.together {
            #[cfg(feature = "jit")]
            if let Some(pool) = self.members[0].pool() {
                return install(&pool, || self.members.par_iter().map(|member| member.reduced(&work)).collect());
            }
            return self.members.iter().map(|member| member.reduced(&work)).collect();
        }
        let (time, reductions) = (self.time(), self.members[0].engine().reduce(&self.builder.rule.all_reductions())?);
        let of_member = |(member, values): (&Simulation, &Vec<ObservedValue>)| made_of(member, time, values, &work);
        #[cfg(feature = "jit")]
        if self.members.len() >= MANY_VALUES {
            let many = || self.members.par_iter().zip(&reductions).map(of_member).collect();
            return Ok(self.members[0].install(many));
        }
        Ok(self.members.iter().zip(&reductions).map(of_member).collect())
    }

    /// Computes `every` time steps, and then does something with what is known of all cells of each member and with something that it has of its
    /// own, several times.
    #[doc(hidden)]
    pub fn step_reduced<T: Send>(
        &mut self,
        every: u32,
        times: u32,
        own: &mut [T],
        work: impl Fn(&mut T, &Reduced<'_>) + Send + Sync,
    ) -> Result<()> {
        if !self.together || times < 2 {
            for _ in 0..times {
                self.step(u64::from(every))?;
                let observed = self.reduced(|reduced| reduced.reductions.to_vec())?;
                let time = self.time();
                for ((own, values), member) in own.iter_mut().zip(&observed).zip(&self.members) {
                    made_of(member, time, values, |reduced| work(own, reduced));
                }
            }
            return Ok(());
        }
        let (time, steps) = (self.time(), u64::from(every) * u64::from(times));
        if steps > u64::from(u32::MAX - time) {
            return Err(SimulationError::Time { time, steps });
        }
        let all = step_reducing(&self.courses(), &mut **self.members[0].engine_mut(), every, times)?;
        let each = self.members[0].rule.reductions.len();
        let of_member = |(index, (own, member)): (usize, (&mut T, &Simulation))| {
            for number in 0..times as usize {
                let values = &all[(number * self.members.len() + index) * each..][..each];
                let time = time + every * (number as u32 + 1);
                made_of(member, time, values, |reduced| work(own, reduced));
            }
        };
        // Each value is little work: threads are woken once for all of them, or not at all.
        #[cfg(feature = "jit")]
        if all.len() >= MANY_VALUES {
            self.members[0].install(|| own.par_iter_mut().zip(&self.members).enumerate().for_each(of_member));
            return Ok(());
        }
        own.iter_mut().zip(&self.members).enumerate().for_each(of_member);
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
        self.member_mut(member)?.set_field(state, first, values)
    }

    /// As [`Simulation::init_from`], of a member.
    ///
    /// # Errors
    /// As [`Simulation::init_from`]; [`SimulationError::Member`] if there is no such member.
    pub fn init_from(&mut self, member: usize, given: &[&str]) -> Result<()> {
        self.member_mut(member)?.init_from(given)
    }

    fn member_mut(&mut self, member: usize) -> Result<&mut Simulation> {
        let members = self.members.len();
        self.members.get_mut(member).ok_or(SimulationError::Member { member, members })
    }

    fn courses(&self) -> Vec<Course<'_>> {
        self.members.iter().map(Simulation::course).collect()
    }

    /// Calls `work` for each member, on all threads if members share them.
    fn of_each<T: Send>(&mut self, work: impl Fn(&mut Simulation) -> Result<T> + Send + Sync) -> Result<Vec<T>> {
        #[cfg(feature = "jit")]
        if let Some(pool) = self.members[0].pool() {
            return install(&pool, || self.members.par_iter_mut().map(work).collect());
        }
        self.members.iter_mut().map(work).collect()
    }
}

/// Values from which on it pays to wake threads if something is made of them.
#[cfg(feature = "jit")]
const MANY_VALUES: usize = 512;

/// What is made of the reductions of a member at a time.
fn made_of<T>(member: &Simulation, time: u32, reductions: &[ObservedValue], work: impl FnOnce(&Reduced<'_>) -> T) -> T {
    let Simulation { rule, params, seed, .. } = member;
    work(&Reduced { rule, params, time, seed: *seed, reductions })
}

impl Simulation {
    /// Another member beside this one, by the same kernels; `None` if its engine makes none.
    #[doc(hidden)]
    pub fn another(
        &self,
        (seed, disorder): (u64, Option<u64>),
        settings: &[impl AsRef<str>],
        threads: Option<usize>,
    ) -> Result<Option<Simulation>> {
        let params = params::resolve(&self.rule, settings)?;
        let course = Course { params: &params, seed, ..self.course() };
        let inputs = MemberInputs { seed, params: course.params() };
        let Some(engine) = self.engine().twin(&inputs, threads)? else { return Ok(None) };
        let (rule, backend, engine, member) = (self.rule.clone(), self.backend, share(engine), 0);
        let mut twin = Simulation { rule, seed, disorder, params, backend, engine, member, notice: None };
        twin.begin()?;
        Ok(Some(twin))
    }
}
