//! How simulations come to run on several ranks.

use super::engine::RankEngine;
use super::transport::Transport;
use crate::failure::Message;
use crate::simulation::{EngineMaker, SimulationBuilder, SimulationError};
use crate::{Backend, Engine, EngineError, EngineOptions, MemberInputs};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::numbers::mode::DefaultMode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes the engine of rank 0, once.
#[derive(Debug)]
struct Leading {
    transport: Arc<Transport>,
    is_made: AtomicBool,
}

impl EngineMaker for Leading {
    fn make(
        &self,
        rule: &FittedRule,
        inputs: &MemberInputs,
        backend: Backend,
        options: &EngineOptions,
    ) -> Result<Option<(Backend, Box<dyn Engine>)>, SimulationError> {
        let refused = |why: String| Err(EngineError::from(self.transport.fail(why, true)).into());
        match backend {
            Backend::Auto | Backend::Cpu => {}
            Backend::Cuda | Backend::Reference => {
                return refused(format!("the backend `{}` runs on one rank; several have `cpu`", backend.name()));
            }
        }
        if self.is_made.swap(true, Ordering::Relaxed) {
            // The first one goes on.
            let why = Message::users("several ranks run one simulation of one member, and make no other beside it");
            return Err(SimulationError::Other(why.into()));
        }
        let engine = RankEngine::new(&self.transport, rule, inputs, options)?;
        Ok(Some((Backend::Cpu, Box::new(engine))))
    }
}

impl SimulationBuilder {
    /// Runs the simulation on the ranks of a transport, each of which computes a part of the cells, on the backend `cpu`. This is for rank 0; all
    /// others [serve](Self::serve) a simulation of the same fractal, rule, level, seed, disorder and parameters meanwhile, until this one is dropped. Results are
    /// the same for any number of ranks. Of a single rank this changes nothing.
    ///
    /// [`build`](Self::build) fails, and so do the others, if the rule has ordered steps or inputs, if another backend or several members are asked for, or if there are fewer
    /// superblocks or columns than ranks.
    #[doc(hidden)]
    pub fn ranks(self, transport: Arc<Transport>) -> Self {
        match transport.ranks() {
            1 => self,
            _ => self.engine(Arc::new(Leading { transport, is_made: AtomicBool::new(false) })),
        }
    }

    /// Computes this rank's part of the cells of the simulation that rank 0 has built by [`ranks`](Self::ranks), and returns when that is dropped. Initial values and
    /// what else changes states come from there.
    ///
    /// # Errors
    /// As of [`build`](Self::build); or if a rank fails.
    #[doc(hidden)]
    pub fn serve(self, transport: &Arc<Transport>) -> Result<(), SimulationError> {
        let _mode = DefaultMode::enter();
        let (rule, inputs, options) = self.parts()?;
        Ok(RankEngine::new(transport, &rule, &inputs, &options)?.serve()?)
    }
}
