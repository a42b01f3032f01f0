//! Passes: the phases of one or several time steps, in turn, of one member or many, on any device. Kernels compute the named steps, and the host
//! the globals between them, from reductions over all cells.

use crate::clusters::ClusterFinder;
use crate::params::Params;
use crate::totals::Reduced;
use crate::{Engine, MemberInputs, Result};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{Phase, Skips};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::global_expr;
use std::sync::OnceLock;

/// The phases that an engine computes at once.
pub struct Pass<K> {
    rule: FittedRule,
    skips: Skips,
    /// Finds clusters, once they were asked for.
    finder: OnceLock<ClusterFinder>,
    /// How many time steps.
    pub steps: u32,
    /// The phases, in the order in which they run.
    phases: Vec<Phase>,
    /// The kernels, by the numbers of the steps.
    pub kernels: Vec<K>,
}

/// An engine whose kernels are run phase by phase.
pub trait KernelEngine<K>: Engine {
    /// The seed, parameters and globals of each member.
    fn inputs(&self) -> &[MemberInputs];

    /// Computes a step of a pass by its kernel, whose results become the present states. The time stays that of the last pass.
    ///
    /// # Errors
    /// If the machine fails.
    fn run_step(&mut self, pass: &Pass<K>, step: usize) -> Result<()>;

    /// Finds the clusters before a step of a pass, for each member, and gives cells what is asked of them. Draws are those of a time. On the host, unless the
    /// engine has a way of its own.
    ///
    /// # Errors
    /// If the machine fails, or has no memory for it.
    fn find_clusters(&mut self, pass: &Pass<K>, before: usize, time: u32) -> Result<()>
    where
        Self: Sized,
    {
        pass.find_clusters_on_host(self, before, time)
    }
}

impl<K> Pass<K> {
    /// The pass of the kernels that together compute `steps` time steps of a rule: one for each named step, or one for all of them.
    pub fn new(rule: &FittedRule, steps: u32, kernels: Vec<K>) -> Pass<K> {
        let mut phases = rule.phases();
        phases.retain(|phase| !matches!(phase, Phase::Step(step) if *step >= kernels.len()));
        Pass { rule: rule.clone(), skips: rule.skips(), finder: OnceLock::new(), steps, phases, kernels }
    }

    /// Whether no member takes each phase, in the step that computes `time`; empty if all phases are taken at all times.
    pub(crate) fn skipped(&self, time: u32, members: &[MemberInputs]) -> Vec<bool> {
        if self.skips.is_empty() {
            return Vec::new();
        }
        self.phases.iter().map(|phase| self.skips(phase, time, members)).collect()
    }

    /// Whether none of these members takes a phase of the step that computes `time`.
    fn skips(&self, phase: &Phase, time: u32, members: &[MemberInputs]) -> bool {
        let bits = |member: &MemberInputs, number: u16| member.params[usize::from(number)].bits();
        self.skips.skip(phase, time, members.iter().map(|member| move |number| bits(member, number)))
    }

    /// Runs the pass, without the phases that no member takes.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn run(&self, engine: &mut impl KernelEngine<K>) -> Result<()> {
        let time = engine.time();
        for phase in &self.phases {
            if self.skips(phase, time + 1, engine.inputs()) {
                continue;
            }
            match phase {
                Phase::Globals { before, reductions } => self.compute_globals(engine, *before, reductions)?,
                Phase::Clusters { before } => engine.find_clusters(self, *before, time.wrapping_add(1))?,
                Phase::Step(step) => engine.run_step(self, *step)?,
            }
        }
        engine.set_time(time + self.steps);
        Ok(())
    }

    /// Computes what observables and globals read beside the states.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn look(&self, engine: &mut impl KernelEngine<K>) -> Result<()> {
        let time = engine.time();
        // Steps compute the state after that of the time.
        engine.set_time(time.wrapping_sub(1));
        let mut done = Ok(());
        for phase in self.rule.phases_of_observables() {
            done = done.and_then(|()| match phase {
                Phase::Clusters { before } => engine.find_clusters(self, before, time),
                Phase::Step(step) => engine.run_step(self, step),
                Phase::Globals { .. } => Ok(()),
            });
        }
        engine.set_time(time);
        done
    }

    /// Finds the clusters before a step on the host, through the values that an engine reads and writes.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn find_clusters_on_host(
        &self,
        engine: &mut impl KernelEngine<K>,
        before: usize,
        time: u32,
    ) -> Result<()> {
        let finder = self.finder.get_or_init(|| ClusterFinder::new(&self.rule));
        let seeds: Vec<u64> = engine.inputs().iter().map(|member| member.seed).collect();
        for (member, seed) in seeds.into_iter().enumerate() {
            for clusters in &self.rule.steps[before].clusters {
                finder.find(&self.rule, clusters, (member, seed, time), engine)?;
            }
        }
        Ok(())
    }

    /// Gives the globals before a step their values, among the parameters of each member.
    fn compute_globals(&self, engine: &mut impl KernelEngine<K>, before: usize, which: &[usize]) -> Result<()> {
        let (rule, time, members) = (&self.rule, engine.time(), engine.inputs().to_vec());
        let values = match which.is_empty() {
            true => vec![Vec::new(); members.len()],
            false => {
                // `step` is the time of the state being computed.
                engine.set_time(time + 1);
                let looked = if rule.reads_observed_steps(which) { self.look(engine) } else { Ok(()) };
                let values = looked.and_then(|()| engine.reduce(which));
                engine.set_time(time);
                values?
            }
        };
        let of_member = |(MemberInputs { seed, mut params }, values): (MemberInputs, Vec<ObservedValue>)| {
            let reductions = global_expr::in_their_places(rule, which, values);
            for (global, value) in &rule.steps[before].globals {
                // One may be computed from those above it.
                let reduced = Reduced { rule, params: &params, time: time + 1, seed, reductions: &reductions };
                let value = reduced.with_inputs(|inputs| global_expr::evaluate(value, inputs, &[]));
                let ty = rule.globals[usize::from(*global)].ty;
                params.values[rule.params.len() + usize::from(*global)] = global_expr::as_value(&value, ty);
            }
            params
        };
        engine.set_params(&members.into_iter().zip(values).map(of_member).collect::<Vec<Params>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::StateValues;
    use crate::params::resolve;
    use crate::{About, samples};
    use squeeze_compiler::geometry::Domain;
    use squeeze_compiler::ir::StateId;
    use std::ops::Range;
    use std::sync::Mutex;

    /// An engine that computes nothing and notes what it is asked for.
    struct Noted {
        members: Vec<MemberInputs>,
        time: u32,
        said: Mutex<Vec<String>>,
    }

    impl Noted {
        fn say(&self, what: String) {
            self.said.lock().expect("nothing panics").push(what);
        }
    }

    impl KernelEngine<&'static str> for Noted {
        fn inputs(&self) -> &[MemberInputs] {
            &self.members
        }

        fn run_step(&mut self, pass: &Pass<&'static str>, step: usize) -> Result<()> {
            self.say(format!("{} after {}", pass.kernels[step], self.time));
            Ok(())
        }

        fn find_clusters(&mut self, _: &Pass<&'static str>, before: usize, time: u32) -> Result<()> {
            self.say(format!("clusters before {before} for {time}"));
            Ok(())
        }
    }

    impl Engine for Noted {
        fn about(&self) -> About {
            unreachable!("nobody asks")
        }

        fn device(&self) -> String {
            String::new()
        }

        fn time(&self) -> u32 {
            self.time
        }

        fn set_time(&mut self, time: u32) {
            self.time = time;
        }

        fn set_params(&mut self, params: &[Params]) -> Result<()> {
            self.members.iter_mut().zip(params).for_each(|(member, params)| member.params = params.clone());
            let values = params.iter().map(|params| params.iter().map(|value| value.as_f64()).collect::<Vec<_>>());
            self.say(format!("{:?}", values.collect::<Vec<_>>()));
            Ok(())
        }

        fn run(&mut self, _: u32) -> Result<()> {
            unreachable!("passes are run")
        }

        fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
            self.say(format!("{which:?} at {}", self.time));
            Ok((1..).zip(&self.members).map(|(number, _)| vec![ObservedValue::Integer(10 * number)]).collect())
        }

        fn digest(&self, _: usize, _: StateId) -> Result<u64> {
            Ok(0)
        }

        fn read(&self, _: usize, _: StateId, _: Range<u64>, _: &mut [u8]) -> Result<()> {
            Ok(())
        }

        fn write(&mut self, _: usize, _: &StateValues<'_>) -> Result<()> {
            Ok(())
        }

        fn restart(&mut self, _: &[MemberInputs]) -> Result<bool> {
            Ok(false)
        }
    }

    const TEXT: &str = "
rule several {
    param every: u32 = 1
    state n: i64
    global all = sum(n)
    global turn = i64(step) + all
    step seldom when step % every == 0 { next n = n + 1 }
    step always { next n = n + turn }
}";

    fn noted(text: &str, every: [u32; 2]) -> (FittedRule, Noted) {
        let rule = samples::library("rule", text).rules.remove(0);
        let domain = Domain::new(samples::fractal("vicsek"), 2).expect("small");
        let rule = domain.fit(&rule).expect("it runs there");
        let params = every.map(|every| resolve(&rule, &[format!("every={every}")]).expect("a parameter"));
        let members = params.iter().map(|params| MemberInputs::new(&rule, 7, params)).collect();
        (rule, Noted { members, time: 0, said: Mutex::default() })
    }

    #[test]
    fn phases_are_run_in_turn_for_all_members() {
        let (rule, mut engine) = noted(TEXT, [2, 3]);
        let pass = Pass::new(&rule, 1, vec!["seldom", "always"]);
        (0..3).for_each(|_| pass.run(&mut engine).expect("nothing fails"));
        let said = std::mem::take(&mut *engine.said.lock().expect("nothing panics"));
        let of_step = |time: u32, seldom: bool| {
            let turn = |all: u32| f64::from(all + time);
            // No step reads `all` itself.
            let values = format!("{:?}", [[2.0, 0.0, turn(10)], [3.0, 0.0, turn(20)]]);
            let seldom = seldom.then(|| format!("seldom after {}", time - 1));
            let always = [format!("[0] at {time}"), values, format!("always after {}", time - 1)];
            seldom.into_iter().chain(always).collect::<Vec<String>>()
        };
        let mut wanted = of_step(1, false);
        wanted.extend(of_step(2, true));
        wanted.extend(of_step(3, true));
        // Globals stand before the steps that read them first.
        assert_eq!(said, wanted);
        assert_eq!(engine.time, 3);
    }

    #[test]
    fn one_kernel_may_hold_all_steps() {
        let text =
            "rule both { param every: u32 = 1 state n: i64 step one { next n = n + 1 } step two { next n = -n } }";
        let (rule, mut engine) = noted(text, [1, 1]);
        Pass::new(&rule, 4, vec!["all"]).run(&mut engine).expect("nothing fails");
        Pass::new(&rule, 1, vec!["one", "two"]).run(&mut engine).expect("nothing fails");
        assert_eq!(*engine.said.lock().expect("nothing panics"), ["all after 0", "one after 4", "two after 4"]);
        assert_eq!(engine.time, 5);
    }
}
