//! How simulations come to run on several ranks.

use super::engine::{RankEngine, RankThreads};
use super::transport::{MessageKind, Transport};
use crate::cpu::Cpu;
#[cfg(feature = "cuda")]
use crate::cuda::Cuda;
use crate::failure::Message;
use crate::shares::ShareWriter;
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
        let backend = match backend {
            Backend::Auto | Backend::Cpu => Backend::Cpu,
            Backend::Cuda => Backend::Cuda,
            Backend::Reference => {
                return refused(format!(
                    "the backend `{}` runs on one rank; several have `cpu` or `cuda`",
                    backend.name()
                ));
            }
        };
        if self.is_made.swap(true, Ordering::Relaxed) {
            // The first one goes on.
            let why = Message::users("several ranks run one simulation of one member, and make no other beside it");
            return Err(SimulationError::Other(why.into()));
        }
        Ok(Some((backend, leading(&self.transport, backend, (rule, inputs), options, RankThreads::default())?)))
    }
}

/// The engine of rank 0 on a backend, which the others [follow](following); it keeps those that are threads of this process.
pub(super) fn leading(
    transport: &Arc<Transport>,
    backend: Backend,
    (rule, inputs): (&FittedRule, &MemberInputs),
    options: &EngineOptions,
    others: RankThreads,
) -> Result<Box<dyn Engine>, EngineError> {
    transport.broadcast(MessageKind::Words, 0, vec![u8::from(backend == Backend::Cuda)])?;
    Ok(match backend {
        #[cfg(feature = "cuda")]
        Backend::Cuda => Box::new(RankEngine::<Cuda>::new(transport, rule, inputs, options)?.with(others)),
        #[cfg(not(feature = "cuda"))]
        Backend::Cuda => return Err(not_built(transport)),
        _ => Box::new(RankEngine::<Cpu>::new(transport, rule, inputs, options)?.with(others)),
    })
}

/// Computes this rank's part until the engine of rank 0 is no more.
pub(super) fn following(
    transport: &Arc<Transport>,
    (rule, inputs): (&FittedRule, &MemberInputs),
    options: &EngineOptions,
    writer: &mut dyn ShareWriter,
) -> Result<(), EngineError> {
    match transport.broadcast(MessageKind::Words, 0, Vec::new())?[..] {
        [0] => RankEngine::<Cpu>::new(transport, rule, inputs, options)?.serve(writer),
        #[cfg(feature = "cuda")]
        _ => RankEngine::<Cuda>::new(transport, rule, inputs, options)?.serve(writer),
        #[cfg(not(feature = "cuda"))]
        _ => Err(not_built(transport)),
    }
}

/// The error of GPUs that this program was built without.
#[cfg(not(feature = "cuda"))]
fn not_built(transport: &Transport) -> EngineError {
    let error = EngineError::NotBuilt { backend: Backend::Cuda.name(), feature: "cuda" };
    transport.fail(error.to_string(), true);
    error
}

impl SimulationBuilder {
    /// Runs the simulation on the ranks of a transport, each of which computes a part of the cells, on the backend `cpu` unless `cuda` is asked for. This is for rank 0; all
    /// others [serve](Self::serve) a simulation of the same fractal, rule, level, seed, disorder and parameters meanwhile, until this one is dropped. Results are
    /// the same for any number of ranks. Of a single rank this changes nothing.
    ///
    /// [`build`](Self::build) fails, and so do the others, if the rule has ordered steps or inputs, if `reference` or several members are asked for, or if there are fewer
    /// superblocks or columns than ranks.
    #[doc(hidden)]
    pub fn ranks(self, transport: Arc<Transport>) -> Self {
        match transport.ranks() {
            1 => self,
            _ => self.engine(Arc::new(Leading { transport, is_made: AtomicBool::new(false) })),
        }
    }

    /// Computes this rank's part of the cells of the simulation that rank 0 has built by [`ranks`](Self::ranks), and returns when that is dropped. Initial values and
    /// what else changes states come from there; what the rank is dealt of states that are saved goes to the writer.
    ///
    /// # Errors
    /// As of [`build`](Self::build); or if a rank fails.
    #[doc(hidden)]
    pub fn serve(self, transport: &Arc<Transport>, writer: &mut dyn ShareWriter) -> Result<(), SimulationError> {
        let _mode = DefaultMode::enter();
        let (rule, inputs, options) = self.parts()?;
        Ok(following(transport, (&rule, &inputs), &options, writer)?)
    }
}
