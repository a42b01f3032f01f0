//! The setup of measurements: tier, device, clocks, versions.

use super::list::Figure;
use serde::{Deserialize, Serialize};
use squeeze_engine::EngineError;
use squeeze_engine::cuda::{Report, kit::Device};
use squeeze_engine::failure::{Failure, Message, Result};
use squeeze_engine::simulation::Backend;
use squeeze_host::memory;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Small sizes, in a minute or two.
    Quick,
    /// The papers' sizes, on a GPU.
    Full,
}

impl Tier {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Quick => "quick",
            Tier::Full => "full",
        }
    }
}

/// The tier, device and versions of all measurements. Nothing can be measured with a setup that was read from a file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Setup {
    /// How much is measured.
    pub tier: Tier,
    /// `cuda` or `cpu`.
    pub backend: Backend,
    /// The device's name.
    pub device: String,
    /// Driver and compiler of a GPU, threads of a CPU.
    pub software: String,
    /// The version of Squeeze.
    pub version: String,
    /// The device, so that its driver stays started.
    #[serde(skip)]
    kept: Option<Arc<Device>>,
}

impl Setup {
    /// Finds what measures; `needs` is a figure that is to be measured, if there is one.
    ///
    /// # Errors
    /// If the full tier is to be measured without a GPU, or a GPU was asked for that is not there.
    pub fn new(tier: Tier, backend: Backend, needs: Option<&Figure>) -> Result<Setup> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let on_cpu = || {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let software = format!("{threads} threads");
            let version = version.clone();
            Setup { tier, backend: Backend::Cpu, device: memory::processor_name(), software, version, kept: None }
        };
        let Some(figure) = needs else { return Ok(on_cpu()) };
        if !matches!(backend, Backend::Auto | Backend::Cuda) {
            return match tier {
                Tier::Quick => Ok(on_cpu()),
                Tier::Full => {
                    let what = format!("`{}` is measured on a GPU, and the backend `cpu` was asked for", figure.name);
                    Err(Message::users(what).with_help("`--quick` measures small sizes on the CPU").into())
                }
            };
        }
        let report = Report::of_machine();
        if report.problems().is_empty() {
            let version_of = |(major, minor): (u32, u32)| format!("{major}.{minor}");
            let driver = report.driver.as_ref().map_or_else(|_| "?".to_owned(), |found| version_of(*found));
            let nvrtc = report.nvrtc.as_ref().map_or_else(|_| "?".to_owned(), |found| version_of(found.version));
            let own = asked("driver_version").map_or(String::new(), |own| format!("driver {own}, "));
            let device = Device::first().map_err(EngineError::from)?;
            return Ok(Setup {
                tier,
                backend: Backend::Cuda,
                device: device.name(),
                software: format!("{own}CUDA {driver}, NVRTC {nvrtc}"),
                version,
                kept: Some(device),
            });
        }
        if (backend, tier) == (Backend::Auto, Tier::Quick) {
            return Ok(on_cpu());
        }
        let problems =
            [report.driver.err(), report.devices.err(), report.nvrtc.err(), report.trial.and_then(Result::err)];
        match problems.into_iter().flatten().next() {
            Some(error) => {
                let what = format!("`{}` is measured on a GPU: {error}", figure.name);
                let quick = "`--quick` measures small sizes on the CPU; figures that are not measured can be named";
                let helps = error.help().into_iter().chain([quick.to_owned()]);
                Err(helps.fold(Message::systems(what), Message::with_help).into())
            }
            _ => Ok(on_cpu()),
        }
    }

    /// Bytes that are free on the GPU, or on the CPU those that the process does not hold, counted down from the largest number.
    ///
    /// # Errors
    /// If the device fails.
    pub fn free(&self) -> Result<Option<u64>> {
        match &self.kept {
            Some(device) => Ok(Some(device.free_memory().map_err(EngineError::from)?)),
            None => Ok(memory::resident().map(|bytes| u64::MAX - bytes)),
        }
    }

    /// The clocks at this moment, as far as the system tells.
    pub(crate) fn clocks(&self) -> String {
        match self.backend {
            Backend::Cuda => {
                asked("clocks.sm,clocks.mem").map_or("unknown".to_owned(), |clocks| format!("{clocks} MHz"))
            }
            _ => memory::processor_clock().map_or("unknown".to_owned(), |clock| format!("{clock} MHz")),
        }
    }
}

/// The answer of `nvidia-smi` about the first GPU.
fn asked(what: &str) -> Option<String> {
    let mut command = Command::new("nvidia-smi");
    command.args([&format!("--query-gpu={what}"), "--format=csv,noheader,nounits"]);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok().filter(|out| out.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(|line| line.trim().replace(", ", " / "))
}
