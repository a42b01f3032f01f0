//! Simulations and ensembles on a GPU beside those of the CPU, and a list of roads ([`roads`]) that must be taken. [`cases`] says what is run, [`run`] shares
//! it out over processes.

pub mod cases;
pub mod roads;
pub mod run;

use squeeze::compiler::Off;
use squeeze::compiler::layout::Layout;
use squeeze::compiler::target::Choice;
use squeeze::compiler::target::Wavefront;
use squeeze::engine::EngineError;
use squeeze::engine::sample::Sample;
use squeeze::ir::StateId;
use squeeze::simulation::SimulationError;
use squeeze::{
    Backend, Domain, Ensemble, Fractal, Member, Rule, Simulation, SimulationBuilder, StateView, Value, params,
};
use std::fmt::Debug;
use std::sync::Arc;

/// An action on a simulation, and the look after it.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// Steps, and a look at all states and observables.
    Step(u64),
    /// Observables after a number of steps, several times, and a look at the states.
    Observe(u32, u32),
    /// Some values of all states of the first and the last member are read, and sums of their blocks.
    Look,
    /// A state's values are written by the host, in another order; of members that of the second one, which must be of f32.
    Write,
    /// It begins again, with other seeds; with other parameters for each member or with the same for all.
    Restart(Params),
}

/// The parameters of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Params {
    /// The values of the rule.
    Same,
    /// Each has its own value of the first number.
    Own,
}

/// A simulation, or an ensemble, and the actions on it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The fractal, with its edges.
    pub fractal: Arc<Fractal>,
    /// Its level; 1 of masks.
    pub level: u32,
    /// The rule.
    pub rule: Arc<Rule>,
    /// How many members there are; 1 is a simulation.
    pub members: u64,
    /// Their parameters.
    pub params: Params,
    /// The layout's digits of lanes and of micro cells, and whether it looks far, in the place of what is planned.
    pub layout: Option<(u32, u32, bool)>,
    /// The cells of a mask are stored alone.
    pub packed: bool,
    /// How tiles of ordered steps wait for one another.
    pub wavefront: Wavefront,
    /// The lines and columns of their tiles, in the place of what is planned.
    pub tile: Option<[u32; 2]>,
    /// The most bytes to take.
    pub limit: Option<u64>,
    /// Cells at rest are left out from the first steps on.
    pub at_once: bool,
    /// The specialities that the GPU does without.
    pub off: Off,
    /// The actions, in order.
    pub acts: Vec<Act>,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing differs.
    Same,
    /// The difference or the error.
    Differs(String),
    /// There are no kernels for the rule there.
    NoKernel,
}

/// A simulation that runs, or many.
enum Running {
    One(Box<Simulation>),
    Many(Box<Ensemble>),
}

/// A number that says what something printed; of thousands of members the text would be long.
fn hash(of: impl Debug) -> u64 {
    format!("{of:?}")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The hashes of each member's states and observables at a time.
type Sight = Vec<u64>;

impl Case {
    /// With nothing special about it.
    pub fn new(
        fractal: &Arc<Fractal>,
        level: u32,
        rule: &Arc<Rule>,
        members: u64,
        params: Params,
        acts: &[Act],
    ) -> Case {
        let (of, edges) =
            (&fractal.name, if fractal.periodic.any() && fractal.extent.is_none() { " torus" } else { "" });
        let own = if params == Params::Own { " of their own" } else { "" };
        Case {
            name: format!("{} on {of}{edges} {level}, {members} members{own}", rule.name),
            fractal: Arc::clone(fractal),
            level,
            rule: Arc::clone(rule),
            members,
            params,
            layout: None,
            packed: false,
            wavefront: Wavefront::default(),
            tile: None,
            limit: None,
            at_once: false,
            off: Off::none(),
            acts: acts.to_vec(),
        }
    }

    /// The cells at the level.
    ///
    /// # Panics
    /// If the level is too high.
    pub fn domain(&self) -> Domain {
        Domain::new(Arc::clone(&self.fractal), self.level).expect("the level is small")
    }

    /// Steps of all cells of all members, about.
    pub fn cost(&self) -> u64 {
        let steps = |act: &Act| match *act {
            Act::Step(steps) => steps,
            Act::Observe(every, times) => u64::from(every) * u64::from(times),
            Act::Look | Act::Write | Act::Restart(_) => 1,
        };
        let steps: u64 = self.acts.iter().map(steps).sum();
        self.domain().cells() * self.members * (steps + 2)
    }

    /// The member of a number: its seed, and its own value of the first parameter that is a number, if it has one.
    fn member(&self, number: u64, params: Params, turn: u64) -> Member {
        let member = Member::new(turn * 1000 + number * 0x1_0000_0001 + 7);
        let first = self.rule.params.iter().find_map(|param| match param.default {
            Value::F32(value) if param.derived.is_none() => Some((&param.name, f64::from(value))),
            Value::F64(value) if param.derived.is_none() => Some((&param.name, value)),
            _ => None,
        });
        let setting =
            first.map(|(name, value)| format!("{name}={}", value * (1.0 - 0.4 * number as f64 / self.members as f64)));
        let setting =
            setting.filter(|setting| params == Params::Own && params::resolve(&self.rule, &[setting]).is_ok());
        setting.into_iter().fold(member, Member::set)
    }

    fn all_members(&self, params: Params, turn: u64) -> Vec<Member> {
        (0..self.members).map(|number| self.member(number, params, turn)).collect()
    }

    fn builder(&self, backend: Backend, threads: usize) -> SimulationBuilder {
        let mut builder = Simulation::builder(Arc::clone(&self.fractal), Arc::clone(&self.rule));
        builder = builder.level(self.level).seed(7).backend(backend).threads(threads).packed(self.packed);
        builder = self.limit.into_iter().fold(builder, SimulationBuilder::memory_limit);
        if backend == Backend::Cuda {
            builder = if self.at_once { builder.activity_at_once() } else { builder }.without(self.off);
            builder = builder.wavefront(self.wavefront);
            builder = self.tile.into_iter().fold(builder, SimulationBuilder::tile);
            builder = self.layout().into_iter().fold(builder, SimulationBuilder::plan);
        }
        builder
    }

    fn layout(&self) -> Option<Choice> {
        let (lane_digits, micro_digits, far) = self.layout?;
        let domain = self.domain();
        let layout = Layout::new(&domain, lane_digits, micro_digits).expect("the layout is small");
        Some(Choice::of_layout(layout, far))
    }

    /// The sights of a backend, act after act.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn sights(&self, backend: Backend, threads: usize) -> Result<Vec<Sight>, SimulationError> {
        let builder = self.builder(backend, threads);
        let mut running = match self.members {
            1 => Running::One(Box::new(builder.build()?)),
            _ => Running::Many(Box::new(builder.members(self.all_members(self.params, 0)).build()?)),
        };
        let mut sights = vec![running.look()?];
        for (turn, act) in (1..).zip(&self.acts) {
            let mut seen = running.act(self, *act, turn)?;
            seen.extend(running.look()?);
            sights.push(seen);
        }
        Ok(sights)
    }

    /// Compares the GPU with the CPU.
    pub fn compare(&self, threads: usize) -> Found {
        let found = match self.sights(Backend::Cuda, threads) {
            Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return Found::NoKernel,
            Err(error) => return Found::Differs(format!("cuda: {error}")),
            Ok(sights) => sights,
        };
        let wanted = match self.sights(Backend::Cpu, threads) {
            Err(error) => return Found::Differs(format!("cpu: {error}")),
            Ok(sights) => sights,
        };
        let differing = found.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
        let Some(turn) = differing else { return Found::Same };
        let pairs = || found[turn].iter().zip(&wanted[turn]);
        let (first, count) = (pairs().position(|(a, b)| a != b), pairs().filter(|(a, b)| a != b).count());
        let act = turn.checked_sub(1).map_or("the beginning".to_owned(), |act| format!("{:?}", self.acts[act]));
        Found::Differs(format!("after {act}: {count} of {} values, from {first:?} on", found[turn].len()))
    }
}

impl Running {
    /// The sight of each member: its states and observables.
    fn look(&self) -> Result<Sight, SimulationError> {
        Ok(match self {
            Running::One(one) => vec![hash(one.digests()?), hash(one.observe()?)],
            Running::Many(many) => many.digests()?.iter().map(hash).chain(many.observe()?.iter().map(hash)).collect(),
        })
    }

    /// Does something; what is seen meanwhile.
    fn act(&mut self, case: &Case, act: Act, turn: u64) -> Result<Sight, SimulationError> {
        match (act, self) {
            (Act::Step(steps), Running::One(one)) => one.step(steps)?,
            (Act::Step(steps), Running::Many(many)) => many.step(steps)?,
            (Act::Observe(every, times), Running::One(one)) => {
                return Ok(one.step_observing(every, times)?.iter().map(hash).collect());
            }
            (Act::Observe(every, times), Running::Many(many)) => {
                return Ok(many.step_observing(every, times)?.iter().flatten().map(hash).collect());
            }
            (Act::Look, Running::One(one)) => return looks(one),
            (Act::Look, Running::Many(many)) => {
                let members = many.members();
                let mut seen = looks(&members[0])?;
                seen.extend(looks(&members[members.len() - 1])?);
                return Ok(seen);
            }
            (Act::Restart(params), Running::One(one)) => {
                debug_assert_eq!(params, Params::Same, "one simulation keeps its parameters");
                one.restart(7 + turn, &[] as &[&str])?;
            }
            (Act::Restart(params), Running::Many(many)) => many.restart(&case.all_members(params, turn))?,
            (Act::Write, Running::One(one)) => {
                let (id, cells) = (StateId(0), one.domain().cells());
                let mut bytes = vec![0; squeeze::packed::bytes(one.rule().states[0].ty, cells) as usize];
                one.read(id, 0..cells, &mut bytes)?;
                bytes.reverse();
                one.write(id, 0..cells, &bytes)?;
            }
            (Act::Write, Running::Many(many)) => {
                let name = case.rule.states[0].name.clone();
                let mut values: Vec<bool> = many.members()[0].field(&name)?;
                values.reverse();
                many.set_field(1, &name, 0, &values)?;
            }
        }
        Ok(Vec::new())
    }
}

/// Some values of all states, and sums of blocks of the greatest level, a middle one and a low one.
fn looks(one: &Simulation) -> Result<Sight, SimulationError> {
    let (cells, level) = (one.domain().cells(), one.domain().level());
    let mut seen = Vec::new();
    for (id, state) in (0..).map(StateId).zip(&one.rule().states) {
        let first = cells / 3 / 8 * 8;
        let some = first..cells.min(first + 3000);
        let mut bytes = vec![0; squeeze::packed::bytes(state.ty, some.end - some.start) as usize];
        one.read(id, some, &mut bytes)?;
        seen.push(hash(bytes));
        for mu in [level, level.div_ceil(2), 4.min(level)] {
            let blocks = 0..cells / one.domain().cell_product(mu);
            let sums = StateView::numbered(one, id)?.block_sums(mu, blocks, Sample::Value)?;
            seen.push(hash(sums.into_iter().map(|sum| sum.map(f64::to_bits)).collect::<Vec<_>>()));
        }
    }
    Ok(seen)
}
