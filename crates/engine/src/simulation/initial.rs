//! Initial values that come from arrays, as those of `--init` come from files.

use super::error::{FieldError, Result};
use super::{Element, Simulation, SimulationBuilder};
use squeeze_compiler::ir::Value;
use std::fmt;
use std::sync::Arc;

/// Gives a simulation values.
type Give = dyn Fn(&mut Simulation) -> Result<()> + Send + Sync;

/// The values of a state at the beginning, and the function that gives them to a simulation.
#[derive(Clone)]
pub(super) struct InitialValues {
    pub state: String,
    /// The values, as Rust calls them.
    pub element: &'static str,
    give: Arc<Give>,
}

impl fmt::Debug for InitialValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "values of {}", self.state)
    }
}

/// Cells whose values are looked up at once.
const PIECE: u64 = 1 << 20;

impl SimulationBuilder {
    /// Gives a state these values in all cells, by canonical index, in the place of those of its `init`. States whose `init` names it follow from
    /// them. All members take them, and each beginning anew. Records of the run hold them. An input of the rule is given in the same way: a value for
    /// each coordinate along its axis.
    pub fn initial<T: Element + Sync>(self, state: &str, values: impl Into<Arc<[T]>>) -> Self {
        let (name, values) = (state.to_owned(), values.into());
        let input = self.rule.named_inputs().map(|(_, input)| input).find(|input| input.name == state);
        if let Some(ty) = input.map(|input| input.ty).filter(|ty| T::is(*ty)) {
            let values = values.iter().map(|value| Value::from_bits(ty, value.bits()));
            return SimulationBuilder { rule: Arc::new(self.rule.with_input(state, values)), ..self };
        }
        self.beginning(state, T::NAME, move |simulation| {
            check(&name, values.len(), simulation.domain().cells().into(), "cells")?;
            simulation.set_field(&name, 0, &values)
        })
    }

    /// As [`initial`](Self::initial), of all places of the expanded grid: a row along x after the other, then along y. Those of holes are left out.
    pub fn initial_grid<T: Element + Sync>(self, state: &str, values: impl Into<Arc<[T]>>) -> Self {
        let (name, values) = (state.to_owned(), values.into());
        self.beginning(state, "values of all places", move |simulation| {
            let domain = simulation.domain().clone();
            let places = domain.extent().iter().map(|side| u128::from(*side)).product();
            check(&name, values.len(), places, "places of the grid")?;
            let [width, height, _] = domain.extent().map(|side| side as usize);
            for first in (0..domain.cells()).step_by(PIECE as usize) {
                let place = |c| domain.lambda(c).map(|v| v as usize);
                let cells = (first..domain.cells().min(first + PIECE)).map(place);
                let piece: Vec<T> = cells.map(|[x, y, z]| values[(z * height + y) * width + x]).collect();
                simulation.set_field(&name, first, &piece)?;
            }
            Ok(())
        })
    }

    fn beginning(
        mut self,
        state: &str,
        element: &'static str,
        give: impl Fn(&mut Simulation) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.initial.retain(|other| other.state != state);
        self.initial.push(InitialValues { state: state.to_owned(), element, give: Arc::new(give) });
        self
    }
}

fn check(state: &str, given: usize, expected: u128, what: &'static str) -> Result<()> {
    if given as u128 == expected {
        return Ok(());
    }
    Err(FieldError::Count { state: state.to_owned(), given: given as u64, expected, what }.into())
}

impl Simulation {
    /// Takes the values that it was built with.
    pub(super) fn take_initial(&mut self) -> Result<()> {
        if self.builder.initial.is_empty() {
            return Ok(());
        }
        let builder = Arc::clone(&self.builder);
        builder.initial.iter().try_for_each(|values| (values.give)(self))?;
        self.init_from(&builder.initial.iter().map(|values| values.state.as_str()).collect::<Vec<_>>())
    }

    /// The states that were given values from arrays at the beginning.
    #[doc(hidden)]
    pub fn initial(&self) -> impl Iterator<Item = &str> {
        self.builder.initial.iter().map(|values| values.state.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Backend;
    use super::*;
    use crate::{Member, samples};

    const TEXT: &str = "rule r {
        state u: f32
        state v: f32
        state up: bit
        init u = 1.0
        init v = 2.0 * u
        init up = random(0.5)
        next u = u + 1.0
    }";

    fn builder(backend: Backend) -> SimulationBuilder {
        let rule = samples::library("r", TEXT).rules.remove(0);
        Simulation::builder(samples::fractal("sierpinski_carpet"), rule).level(2).seed(5).backend(backend)
    }

    #[test]
    fn simulations_begin_with_arrays_and_what_follows_from_them() {
        for backend in [Backend::Cpu, Backend::Reference] {
            let values: Vec<f32> = (0..64).map(|c| c as f32).collect();
            let up: Vec<bool> = (0..81).map(|place| place % 3 == 0).collect();
            let builder = builder(backend).initial("u", vec![9.0f32; 3]).initial("u", &values[..]);
            let builder = builder.initial_grid("up", up.clone());
            let holds = |one: &Simulation| {
                assert_eq!(one.field::<f32>("u").expect("a number"), values);
                assert!(one.field::<f32>("v").expect("a number").iter().zip(&values).all(|(v, u)| *v == 2.0 * u));
                for (c, bit) in (0..).zip(one.field::<bool>("up").expect("a bit")) {
                    let [x, y, _] = one.domain().lambda(c).map(|v| v as usize);
                    assert_eq!(bit, up[9 * y + x]);
                }
            };
            let mut one = builder.clone().build().expect("it fits");
            holds(&one);
            assert_eq!(one.initial().collect::<Vec<_>>(), ["u", "up"]);
            one.step(3).expect("time is left");
            let after = one.digests().expect("it is there").into_iter().map(|(_, digest)| digest).collect::<Vec<_>>();
            one.restart(7, &[""; 0]).expect("it begins anew");
            holds(&one);
            let mut set = super::tests::builder(backend).build().expect("it fits");
            set.set_field("u", 0, &values).expect("as many as cells");
            set.init_from(&["u"]).expect("a state");
            set.step(3).expect("time is left");
            assert_eq!(set.digests().expect("it is there")[0].1, after[0]);
            let mut all = builder.members([Member::new(1), Member::new(2)]).build().expect("they fit");
            all.members().iter().for_each(holds);
            all.step(2).expect("time is left");
            all.restart(&[Member::new(3), Member::new(4)]).expect("they begin anew");
            all.members().iter().for_each(holds);
        }
    }

    #[test]
    fn inputs_are_given_as_initial_values_are() {
        const TEXT: &str = "rule r {
            input a: u8 along x
            input v: f64 along y
            state u: f64
            state w: f64
            init u = v
            init w = u + f64(a)
            next u = u + v * f64(a[1, 0] else 7)
        }";
        let rule = samples::library("r", TEXT).rules.remove(0);
        let new = |backend| {
            Simulation::builder(samples::fractal("sierpinski_carpet"), Arc::clone(&rule)).level(2).backend(backend)
        };
        let letters: Vec<u8> = (0..9).map(|x| 60 + x * x).collect();
        let heights: Vec<f64> = (0..9).map(|y| 0.5 * f64::from(y)).collect();
        let mut all = Vec::new();
        for backend in [Backend::Cpu, Backend::Reference] {
            let builder = new(backend).initial("a", &letters[..]).initial("v", heights.clone());
            let mut one = builder.clone().build().expect("it fits");
            let places: Vec<[u64; 3]> = (0..64).map(|c| one.domain().lambda(c)).collect();
            let begin = one.field::<f64>("w").expect("a number");
            assert!(places.iter().zip(&begin).all(|([x, y, _], w)| *w == 0.5 * *y as f64 + (60 + x * x) as f64));
            // What is given follows from inputs as well.
            let given = builder.clone().initial("u", vec![2.0f64; 64]).build().expect("it fits");
            let given = given.field::<f64>("w").expect("a number");
            assert!(places.iter().zip(&given).all(|([x, ..], w)| *w == 2.0 + (60 + x * x) as f64));
            one.step(3).expect("time is left");
            let after = one.field::<f64>("u").expect("a number");
            one.restart(7, &[""; 0]).expect("it begins anew");
            assert_eq!(one.field::<f64>("w").expect("a number"), begin);
            let mut members = builder.members([Member::new(1), Member::new(2)]).build().expect("they fit");
            members.step(3).expect("time is left");
            assert!(members.members().iter().all(|member| member.field::<f64>("u").expect("a number") == after));
            all.push((begin, after));
        }
        assert_eq!(all[0], all[1]);
        let refused = |builder: SimulationBuilder| builder.build().map(drop).expect_err("it does not fit").to_string();
        let half = || new(Backend::Cpu).initial("a", &letters[..]);
        assert!(refused(half()).contains("the input `v`, which is not given"));
        assert!(refused(half().initial("v", vec![1.0f64; 8])).contains("has 8 values, and the side"));
        assert!(refused(half().initial("v", vec![1i32; 9])).contains("of type f64, whose values are not `i32`"));
        assert!(refused(half().initial_grid("v", heights)).contains("`v` is of type f64"));
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let refused = |builder: SimulationBuilder| builder.build().map(drop).expect_err("it does not fit").to_string();
        let of = |backend| builder(backend);
        assert_eq!(
            refused(of(Backend::Cpu).initial("u", vec![1.0f32; 63])),
            "`u` is given 63 initial values; there are 64 cells"
        );
        assert_eq!(
            refused(of(Backend::Reference).initial_grid("u", vec![1.0f32; 64])),
            "`u` is given 64 initial values; there are 81 places of the grid"
        );
        assert!(refused(of(Backend::Cpu).initial("u", vec![1.0f64; 64])).contains("whose values are not `f64`"));
        assert!(refused(of(Backend::Cpu).initial("w", vec![1.0f32; 64])).contains("has no state `w`"));
    }
}
