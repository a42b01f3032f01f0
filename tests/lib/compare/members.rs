//! Ensembles whose members are computed together, each beside a simulation of its own.

use super::executors::{Executor, MOST_OPERATIONS, of_error};
use super::{Seen, difference};
use crate::course::{Case, MEMORY, Sight};
use squeeze::compiler::kernel::Planes;
use squeeze::compiler::plan::{candidates, member_candidates};
use squeeze::compiler::target::{Choice, Machine};
use squeeze::{Backend, Ensemble, Error, Member, Rule, SimulationBuilder, Value, params};

/// How members share kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One after the other, with seeds and parameters of their own.
    InTurn,
    /// As lanes of the same columns, where the rule lets them: with seeds of their own and the same parameters.
    AsLanes,
}

/// Members of a program.
pub struct Members {
    /// The backend that computes them together.
    pub backend: Backend,
    /// The backend that computes each alone, and is right.
    pub right: Backend,
    /// How they are computed.
    pub way: Way,
    /// How many there are.
    pub count: usize,
    /// Says which layout is taken.
    pub layout: usize,
    /// The threads of the CPU.
    pub threads: usize,
}

/// Operations are those of steps: a GPU's compiler takes minutes over the initial values of a thousand micro cells.
const MOST_MICRO_ON_GPU: u32 = 256;

/// As many as a choice says: few, those that fill a warp or a word and one more, and the most.
pub fn count(choice: u64, most: u64) -> usize {
    let counts = [2, 3, 7, 16, 31, 33, most, most];
    counts[choice as usize % counts.len()].min(most) as usize
}

/// The settings of a member: numbers near the defaults, and every other one the opposite of each bit.
fn settings(rule: &Rule, member: usize) -> Vec<String> {
    let own = rule.params.iter().filter(|param| param.derived.is_none());
    let setting = |param: &squeeze::ir::Param| {
        let value = match param.default {
            Value::Bit(value) => (value != (member % 2 == 1)).to_string(),
            Value::F32(value) => (f64::from(value) * (1.0 - 0.01 * member as f64)).to_string(),
            Value::F64(value) => (value * (1.0 - 0.01 * member as f64)).to_string(),
            Value::U8(value) => (i64::from(value) - member as i64 % 5).to_string(),
            Value::U16(value) => (i64::from(value) - member as i64 % 5).to_string(),
            Value::U32(value) => (i64::from(value) - member as i64 % 5).to_string(),
            Value::I32(value) => (i64::from(value) - member as i64 % 5).to_string(),
            Value::I64(value) => value.wrapping_sub(member as i64 % 5).to_string(),
            Value::Enum(..) => return None,
        };
        let setting = format!("{}={value}", param.name);
        // Not all values are allowed.
        params::resolve(rule, std::slice::from_ref(&setting)).is_ok().then_some(setting)
    };
    own.filter_map(setting).collect()
}

impl Members {
    /// The plan that is demanded; `Some(None)` where the engine plans, `None` if no plan is short enough.
    fn plan(&self, case: &Case) -> Option<Option<Choice>> {
        let machine = if self.backend == Backend::Cuda { Machine::gpu() } else { Machine::cpu(1) };
        let mut all = match self.way {
            Way::InTurn if case.domain().levels().is_none() => return Some(None),
            Way::InTurn => candidates(case.domain(), &case.rule, &machine, 1),
            Way::AsLanes => member_candidates(case.domain(), &case.rule, &machine, self.count),
        };
        let is_short = |plan: &Choice| {
            let most_micro = if self.backend == Backend::Cuda { MOST_MICRO_ON_GPU } else { u32::MAX };
            plan.estimate.operations <= MOST_OPERATIONS && plan.layout().unwrap().micro_cells() <= most_micro
        };
        all.retain(is_short);
        (!all.is_empty()).then(|| Some(all.swap_remove(self.layout % all.len())))
    }

    fn try_run(&self, case: &Case) -> Result<Seen, Error> {
        let builder = || -> SimulationBuilder { case.builder().memory_limit(MEMORY) };
        let own = |member: usize| {
            let seed = case.seed.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(member as u64));
            // The first one is the program as it is.
            let alike = self.way == Way::AsLanes || member == 0;
            (seed, if alike { Vec::new() } else { settings(&case.rule, member) })
        };
        let Some(plan) = self.plan(case) else { return Ok(Seen::Nothing) };
        let what = format!("{} members, {plan:?}", self.count);
        let together = plan.into_iter().fold(builder().backend(self.backend), SimulationBuilder::plan);
        let together = if self.backend == Backend::Cpu { together.threads(self.threads) } else { together };
        let member = |(seed, settings): (u64, Vec<String>)| settings.iter().fold(Member::new(seed), Member::set);
        let mut ensemble = together.members((0..self.count).map(|number| member(own(number)))).build()?;
        let found = looks(case, &mut ensemble)?;
        let mut alone = builder().backend(self.right).build()?;
        for (number, found) in found.iter().enumerate() {
            let (seed, settings) = own(number);
            alone.restart(seed, &settings)?;
            let wanted = case.sights_of(&mut alone)?;
            if let Some(difference) = difference(case, found, &wanted) {
                let of = format!("{what}: member {number}, of seed {seed} and {settings:?}");
                return Ok(Seen::Failed(format!("{of}, {difference}")));
            }
        }
        Ok(found.into_iter().next().map_or(Seen::Nothing, Seen::Sights))
    }
}

impl Executor for Members {
    fn name(&self) -> String {
        let way = match self.way {
            Way::InTurn => "in turn",
            Way::AsLanes => "as lanes",
        };
        format!("{}, members {way}", self.backend.name())
    }

    fn run(&self, case: &Case) -> Seen {
        let rule = &case.rule;
        let numbers = self.backend == Backend::Cuda && !Planes::are_bits(rule);
        if self.way == Way::AsLanes
            && (rule.draws() || !rule.globals.is_empty() || rule.domain().levels().is_none() || numbers)
        {
            return Seen::Nothing;
        }
        match self.try_run(case) {
            Ok(seen) => seen,
            Err(error) => of_error(&error),
        }
    }
}

/// The sights of each member.
fn looks(case: &Case, ensemble: &mut Ensemble) -> Result<Vec<Vec<Sight>>, Error> {
    let mut all = vec![Vec::new(); ensemble.members().len()];
    let look = |ensemble: &Ensemble, all: &mut [Vec<Sight>], last: bool| -> Result<(), Error> {
        let observed = ensemble.observe()?;
        for ((member, values), sights) in ensemble.members().iter().zip(observed).zip(all) {
            let digests = member.digests()?.into_iter().map(|(_, digest)| digest).collect();
            let observed = values.into_iter().map(|(_, value)| value).collect();
            sights.push(Sight { time: ensemble.time(), digests, observed, fields: case.fields_of(member, last)? });
        }
        Ok(())
    };
    look(ensemble, &mut all, case.strides.is_empty())?;
    for (i, &stride) in (1..).zip(case.strides) {
        ensemble.step(u64::from(stride))?;
        look(ensemble, &mut all, i == case.strides.len())?;
    }
    Ok(all)
}
