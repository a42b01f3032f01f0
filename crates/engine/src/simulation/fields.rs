//! States as Rust values: in canonical order, by place in the expanded grid, and as windows of that grid.

use super::Simulation;
use super::element::Element;
use super::error::Result;
use super::states_copy::{check_ranges, find, kind};
use super::view::{Fields, StateView, WindowValues, check_cells, pieces, whole_bytes};
use super::window::Window;
use crate::MemberInputs;
use crate::packed;
use crate::sample::{AskedSums, Sample};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{StateId, Type, Value};
use squeeze_compiler::numbers::mode::DefaultMode;
use std::ops::{ControlFlow, Range};

impl Fields for Simulation {
    fn domain(&self) -> &Domain {
        self.rule.domain()
    }

    fn find(&self, name: &str) -> Result<StateId> {
        find(&self.rule, name)
    }

    fn kind(&self, state: StateId) -> Result<(&str, Type, String, usize)> {
        kind(&self.rule, state)
    }

    fn read_ranges(&self, state: StateId, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<()> {
        let ty = check_ranges(&self.rule, state, ranges, bytes.len())?;
        Ok(self.engine()?.read_ranges(self.member, (state, ty), ranges, bytes)?)
    }

    fn sums(&self, state: StateId, mu: u32, blocks: &Range<u64>, sample: Sample<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let asked = AskedSums { state, mu, blocks: blocks.clone(), sample };
        Ok(self.engine()?.block_sums(self.member, &asked)?)
    }
}

impl Simulation {
    /// The state of this name.
    pub(super) fn state(&self, name: &str) -> Result<StateId> {
        find(&self.rule, name)
    }

    /// The values of a state in all cells, by canonical index.
    ///
    /// # Errors
    /// [`FieldError`](super::FieldError), or if the machine fails.
    pub fn field<T: Element>(&self, state: &str) -> Result<Vec<T>> {
        StateView::named(self, state)?.values(0..self.domain().cells())
    }

    /// Gives a state these values in the cells from `first` on, by canonical index. Every NaN becomes the one quiet NaN. Other states keep
    /// theirs, also before the first step: [`init_from`](Self::init_from) computes what their `init` makes of these.
    ///
    /// # Errors
    /// [`FieldError`](super::FieldError) (then nothing is written), or if the machine fails.
    pub fn set_field<T: Element>(&mut self, state: &str, first: u64, values: &[T]) -> Result<()> {
        let view = StateView::named(self, state)?;
        view.check_type::<T>()?;
        let (id, ty, all) = (view.state(), view.ty(), self.domain().cells());
        let cells = first..first.saturating_add(values.len() as u64);
        check_cells(&cells, all)?;
        packed::check_values(self.rule(), id, first, values.iter().map(|value| value.bits()))?;
        for piece in pieces(cells) {
            let whole = whole_bytes(ty, all, &piece);
            let mut bytes = vec![0; packed::bytes(ty, whole.end - whole.start) as usize];
            if whole != piece {
                self.read(id, whole.clone(), &mut bytes)?;
            }
            for c in piece {
                packed::replace(ty, &mut bytes, c - whole.start, values[(c - first) as usize].bits());
            }
            self.write(id, whole, &bytes)?;
        }
        Ok(())
    }

    /// The value of a state at a place (x, y, z) of the expanded grid, z = 0 in two dimensions; `None` for a hole or a place outside.
    ///
    /// # Errors
    /// [`FieldError::Unknown`](super::FieldError::Unknown), or if the machine fails.
    pub fn value_at(&self, state: &str, point: [u64; 3]) -> Result<Option<Value>> {
        let id = self.state(state)?;
        self.domain().nu(point).map(|c| self.value_of(id, c)).transpose()
    }

    /// The values of a state in a box of the expanded grid.
    ///
    /// # Errors
    /// [`FieldError`](super::FieldError), or if the machine fails.
    pub fn window<T: Element>(&self, state: &str, corner: [u64; 3], size: [usize; 3]) -> Result<WindowValues<T>> {
        StateView::named(self, state)?.window(&Window { origin: corner, size: size.map(|v| v as u64) })
    }

    /// Sets a parameter for the steps from here on: a number, `true` or `false`, or the name of an enum's variant. Parameters computed
    /// from it change with it, unless they were set themselves.
    ///
    /// # Errors
    /// [`ParamError`](crate::params::ParamError) if there is no such parameter, the value does not fit its type, or the parameter or one that
    /// follows from it would lie outside its range; or if the machine fails. The parameters are then as before.
    pub fn set_param(&mut self, name: &str, value: impl std::fmt::Display) -> Result<()> {
        let _mode = DefaultMode::enter();
        let params = self.params.with(self.rule(), &format!("{name}={value}"))?;
        let inputs = MemberInputs::new(&self.rule, self.seed, &params);
        self.engine_mut()?.set_params(&[inputs.params])?;
        self.params = params;
        Ok(())
    }

    /// Computes this many time steps and calls `progress` after each `every` of them, and after the last, until it breaks.
    /// Returns how many were computed.
    ///
    /// # Errors
    /// As of [`step`](Self::step).
    pub fn step_with(
        &mut self,
        steps: u64,
        every: u64,
        mut progress: impl FnMut(&Simulation) -> ControlFlow<()>,
    ) -> Result<u64> {
        self.steps_to_come(steps)?;
        let mut done = 0;
        while done < steps {
            let now = every.max(1).min(steps - done);
            self.step(now)?;
            done += now;
            if progress(self).is_break() {
                break;
            }
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Failure;
    use crate::params::ParamError;
    use crate::simulation::{FieldError, SimulationError};
    use crate::{Backend, samples};

    fn simulation(fractal: &str, rule: &str, level: u32, backend: Backend) -> Simulation {
        Simulation::builder(samples::fractal(fractal), samples::rule(rule))
            .level(level)
            .seed(3)
            .backend(backend)
            .build()
            .expect("it fits")
    }

    #[test]
    fn simulations_can_be_sent() {
        fn sent<T: Send>() {}
        sent::<Simulation>();
        sent::<super::super::SimulationBuilder>();
        sent::<crate::Error>();
    }

    #[test]
    fn fields_windows_and_values_agree() {
        let part = |life: &Simulation, cells| {
            StateView::named(life, "alive").and_then(|view| view.values::<bool>(cells)).expect("inside")
        };
        for backend in [Backend::Cpu, Backend::Reference] {
            let mut life = simulation("sierpinski_carpet", "life", 3, backend);
            life.step(2).expect("time is left");
            let alive: Vec<bool> = life.field("alive").expect("a bit");
            assert!(alive.iter().any(|v| *v) && alive.len() == 512);
            assert_eq!(part(&life, 3..77), alive[3..77]);
            let window = life.window::<bool>("alive", [0; 3], [28, 28, 1]).expect("small");
            for (c, v) in (0..).zip(&alive) {
                let point = life.domain().lambda(c);
                assert_eq!(window.get(point.map(|v| v as usize)), Some(*v));
                assert_eq!(life.value_at("alive", point).expect("a state"), Some(Value::Bit(*v)));
            }
            assert_eq!(window.values.iter().flatten().count(), 512);
            assert_eq!(life.value_at("alive", [1, 1, 0]).expect("a state"), None, "a hole");

            let before = life.digests().expect("it is there")[0].1;
            let flipped: Vec<bool> = alive[5..300].iter().map(|v| !v).collect();
            life.set_field("alive", 5, &flipped).expect("inside");
            assert_eq!(part(&life, 5..300), flipped);
            assert_eq!(part(&life, 300..512), alive[300..]);
            life.set_field("alive", 5, &alive[5..300]).expect("inside");
            assert_eq!(life.digests().expect("it is there")[0].1, before);
        }
    }

    #[test]
    fn parameters_change_between_steps() {
        let run = |backend| {
            let mut heat = simulation("vicsek", "heat", 3, backend);
            heat.step(3).expect("time is left");
            heat.set_param("alpha", 0.2).expect("a parameter");
            let before = heat.digests().expect("it is there")[0].1;
            heat.step(3).expect("time is left");
            assert_ne!(heat.digests().expect("it is there")[0].1, before);
            assert!(heat.set_param("alpha", "much").is_err_and(|error| error.is_users()));
            assert_eq!(heat.params()[0], Value::F32(0.2), "as it was set");
            heat.digests().expect("it is there")[0].1
        };
        assert_eq!(run(Backend::Cpu), run(Backend::Reference));
    }

    #[test]
    fn parameters_that_follow_from_one_that_is_set_follow() {
        let text = "rule r {
            param a: f32 = 1.0
            param b: f32 in 0.0..=4.0 = 2.0 * a
            state u: f32
            init u = b
            next u = u + b
        }";
        let rule = samples::library("r", text).rules.remove(0);
        for backend in [Backend::Cpu, Backend::Reference] {
            let builder = Simulation::builder(samples::fractal("vicsek"), rule.clone()).level(2).backend(backend);
            let mut one = builder.clone().build().expect("it fits");
            let all = |one: &Simulation| one.field::<f32>("u").expect("a number")[24];
            one.set_param("a", 1.5).expect("b is 3");
            one.step(1).expect("time is left");
            assert_eq!(all(&one), 5.0);
            let beyond = one.set_param("a", 3).unwrap_err();
            assert!(matches!(beyond, SimulationError::Param(ParamError::Range { follows: true, .. })), "{beyond}");
            assert_eq!(one.params(), [Value::F32(1.5), Value::F32(3.0)], "as before");
            one.set_param("b", 1).expect("a parameter");
            one.set_param("a", 3).expect("b does not follow any more");
            one.step(1).expect("time is left");
            assert_eq!(all(&one), 6.0);
            one.restart(0, &["a=0.5"]).expect("b follows anew");
            assert_eq!((all(&one), one.following().collect::<Vec<_>>()), (1.0, vec!["b"]));
            one.set_param("a", 2).expect("b is 4");
            one.step(1).expect("time is left");
            assert_eq!(all(&one), 5.0);
            let own = crate::Member::new(1).set("a=0.25");
            let both = [own.clone(), own.set("b=3.5")];
            let members = builder.set("a=2").members(both).build().expect("it fits");
            assert_eq!(members.field::<f32>("u").expect("a number")[24..26], [0.5, 3.5]);
        }
    }

    #[test]
    fn progress_is_told_and_can_end_the_run() {
        let mut life = simulation("vicsek", "life", 3, Backend::Cpu);
        let mut times = Vec::new();
        let go_on = |times: &mut Vec<u32>, life: &Simulation| {
            times.push(life.time());
            if life.time() < 9 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        assert_eq!(life.step_with(7, 3, |life| go_on(&mut times, life)).expect("time is left"), 7);
        assert_eq!(life.step_with(7, 0, |life| go_on(&mut times, life)).expect("time is left"), 2);
        assert_eq!(times, [3, 6, 7, 8, 9]);
        let endless = life.step_with(1 << 32, 1, |_| ControlFlow::Break(()));
        assert!(matches!(endless, Err(SimulationError::Time { time: 9, .. })));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let mut voter = simulation("vicsek", "greenberg_hastings", 2, Backend::Cpu);
        let name = voter.rule().states[0].name.clone();
        let wrong = |error: SimulationError| match error {
            SimulationError::Field(error) => *error,
            other => panic!("{other}"),
        };
        assert!(matches!(wrong(voter.field::<f32>(&name).unwrap_err()), FieldError::Type { asked: "f32", .. }));
        assert!(matches!(wrong(voter.field::<u8>("phas").unwrap_err()), FieldError::Unknown { .. }));
        assert!(matches!(
            wrong(StateView::named(&voter, &name).and_then(|view| view.values::<u8>(3..26)).unwrap_err()),
            FieldError::Cells { cells: 25, .. }
        ));
        let large = voter.window::<u8>(&name, [0; 3], [usize::MAX; 3]).unwrap_err();
        assert!(matches!(wrong(large), FieldError::TooMany { .. }));
        let digest = voter.digests().expect("it is there")[0].1;
        assert!(matches!(
            voter.set_field(&name, 0, &[0u8, 200]),
            Err(SimulationError::Field(error)) if matches!(*error, FieldError::Variant { cell: 1, number: 200, .. })
        ));
        assert_eq!(voter.digests().expect("it is there")[0].1, digest, "nothing was written");
        let unknown = voter.set_param("alpa", 1).unwrap_err();
        assert!(matches!(unknown, SimulationError::Param(ParamError::Unknown { .. })));
    }
}
