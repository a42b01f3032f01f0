//! One simulation on several GPUs of this process: its ranks are threads, each with a device.

use super::door::{following, leading};
use super::engine::RankThreads;
use super::in_process::wires;
use super::transport::{Beats, DEADLINE, Transport};
use crate::cuda::check_device;
use crate::failure::Message;
use crate::shares::NoShares;
use crate::simulation::{EngineMaker, SimulationBuilder, SimulationError};
use crate::{Backend, Engine, EngineError, EngineOptions, MemberInputs};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_host::threads;
use std::sync::Arc;
use std::thread::Builder;

/// Makes the engine of several GPUs, by their numbers.
#[derive(Debug)]
struct OnDevices(Vec<i32>);

/// Starts a rank on each of these devices. An error of theirs is told to the first one.
fn start(
    first: &Transport,
    transports: impl Iterator<Item = Arc<Transport>>,
    devices: &[i32],
    (rule, inputs): (&FittedRule, &MemberInputs),
    options: &EngineOptions,
) -> Result<RankThreads, EngineError> {
    let mut all = RankThreads::default();
    for (transport, device) in transports.zip(devices) {
        let (rule, inputs, options) = (rule.clone(), inputs.clone(), on_device(options, *device));
        let work = move || {
            let _mode = DefaultMode::enter();
            let _beats = Beats::of(&transport);
            _ = following(&transport, (&rule, &inputs), &options, &mut NoShares);
        };
        let thread = Builder::new().name(format!("GPU {device}")).spawn(work);
        all.threads.push(thread.map_err(|error| {
            let why = format!("there is no thread: {error}");
            first.fail(why.clone(), false);
            EngineError::System(why)
        })?);
    }
    Ok(all)
}

/// The options of the engine on a device.
fn on_device(options: &EngineOptions, device: i32) -> EngineOptions {
    EngineOptions { device, ..options.clone() }
}

impl EngineMaker for OnDevices {
    fn make(
        &self,
        rule: &FittedRule,
        inputs: &MemberInputs,
        backend: Backend,
        options: &EngineOptions,
    ) -> Result<Option<(Backend, Box<dyn Engine>)>, SimulationError> {
        if matches!(backend, Backend::Cpu | Backend::Reference) {
            let why = Message::users(format!("the backend `{}` runs on no GPU, and GPUs are named", backend.name()));
            return Err(SimulationError::Other(why.with_help("`cuda` does").into()));
        }
        let OnDevices(devices) = self;
        devices.iter().try_for_each(|device| check_device(*device))?;
        let threads = threads::useful(options.threads) / devices.len();
        let options = EngineOptions { threads: Some(threads.max(1)), ..options.clone() };
        if let [device] = devices[..] {
            return Ok(Some((Backend::Cuda, super::gpu::alone((rule, inputs), &on_device(&options, device))?)));
        }
        let mut transports = wires(devices.len()).into_iter().map(|wire| Arc::new(Transport::new(wire, 1, DEADLINE)));
        let first = transports.next().expect("there are two devices at least");
        let mut others = start(&first, transports, &devices[1..], (rule, inputs), &options)?;
        others.beats = Some(Beats::of(&first));
        let options = on_device(&options, devices[0]);
        Ok(Some((Backend::Cuda, leading(&first, Backend::Cuda, (rule, inputs), &options, others)?)))
    }
}

impl SimulationBuilder {
    /// Runs the simulation on these GPUs, by their numbers among those that the process sees; each computes a part of the cells. Results are the same on any GPUs. One
    /// that is named twice computes two parts. Of no GPU this changes nothing.
    ///
    /// [`build`](Self::build) fails if the rule has ordered steps or inputs, if another backend than `cuda` is asked for, if there are fewer superblocks
    /// or columns than GPUs, or if the cells of a mask are stored alone.
    pub fn devices(self, devices: &[u32]) -> Self {
        let number = |device: &u32| i32::try_from(*device).unwrap_or(i32::MAX);
        match devices {
            [] => self,
            _ => self.engine(Arc::new(OnDevices(devices.iter().map(number).collect()))),
        }
    }
}
