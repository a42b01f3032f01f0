//! A second simulation that goes on from where the first one stands.

use super::error::Result;
use super::view::pieces;
use super::{Backend, Simulation, share};
use crate::{EngineError, packed};
use squeeze_compiler::ir::StateId;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_host::memory;
use std::sync::Arc;

impl Simulation {
    /// Another simulation with the present states, time and parameters of this one: both go on by themselves, and the same steps give the same states.
    /// On the backend `cpu` nothing is compiled again. The copy of an ensemble's member is alone.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if there is no memory for two; or if the machine fails.
    pub fn copy(&self) -> Result<Simulation> {
        let _mode = DefaultMode::enter();
        // A GPU's engine asks for the room there by itself.
        if self.backend != Backend::Cuda {
            let (needed, available) = (self.bytes_of_another().into(), memory::available());
            EngineError::check_memory(self.domain(), self.backend.name(), needed, available, || None)?;
        }
        let inputs = self.inputs();
        let twin = self.engine()?.twin(&inputs, None)?;
        let mut copy = match twin {
            Some(engine) => Simulation {
                rule: self.rule.clone(),
                engine: share(engine),
                member: 0,
                notice: self.notice.clone(),
                builder: Arc::clone(&self.builder),
                params: self.params.clone(),
                ..*self
            },
            None => (*self.builder).clone().seed(self.seed).build()?,
        };
        copy.engine_mut()?.set_params(&[inputs.params])?;
        (copy.disorder, copy.params) = (self.disorder, self.params.clone());
        for state in (0..self.rule.states.len() as u16).map(StateId) {
            let (ty, all) = (self.rule.state(state).ty, self.domain().cells());
            for cells in pieces(0..all) {
                let mut bytes = vec![0; packed::bytes(ty, cells.end - cells.start) as usize];
                self.read(state, cells.clone(), &mut bytes)?;
                copy.write(state, cells, &bytes)?;
            }
        }
        copy.set_time(self.time());
        Ok(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Member;
    use super::*;
    use crate::samples;

    #[test]
    fn copies_go_on_as_their_originals_do() {
        for (rule, backend) in
            [("ising", Backend::Cpu), ("ising", Backend::Reference), ("heat", Backend::Cpu), ("life", Backend::Auto)]
        {
            let builder = Simulation::builder(samples::fractal("sierpinski_carpet"), samples::rule(rule)).level(3);
            let builder = builder.backend(backend);
            let digests = |one: &Simulation| {
                one.digests().expect("it is there").into_iter().map(|(_, digest)| digest).collect::<Vec<_>>()
            };
            let mut one = builder.clone().seed(1).build().expect("it fits");
            one.restart(4, &[""; 0]).expect("it begins anew");
            if let Some(param) = one.rule().params.first().map(|param| param.name.clone()) {
                one.set_param(&param, 0.2).expect("a number");
            }
            one.step(5).expect("time is left");
            let mut copy = one.copy().expect("there is memory");
            assert_eq!((digests(&copy), copy.time(), copy.seed()), (digests(&one), 5, 4));
            assert_eq!((copy.params(), copy.backend()), (one.params(), one.backend()));
            let before = digests(&one);
            copy.step(7).expect("time is left");
            assert_eq!(digests(&one), before, "the original stands still");
            one.step(7).expect("time is left");
            assert_eq!(digests(&copy), digests(&one));
            assert_eq!(copy.observe().expect("a state"), one.observe().expect("a state"));

            let mut all = builder.members([Member::new(1), Member::new(2)]).build().expect("they fit");
            all.step(3).expect("time is left");
            let mut second = all.members()[1].copy().expect("there is memory");
            second.step(4).expect("time is left");
            all.step(4).expect("time is left");
            assert_eq!(digests(&second), digests(&all.members()[1]));
        }
    }
}
