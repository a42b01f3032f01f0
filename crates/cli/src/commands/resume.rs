//! `resume DIR`

use super::input;
use super::run::plan::on_devices;
use super::run::{RunReport, check_threads, record};
use crate::args::Resume;
use crate::engines::Chosen;
use crate::ranks::Ranks;
use crate::report::{CliError, remark};
use crate::watch::Screen;
use squeeze::engine::ranks::transport::MessageKind;
use squeeze::run::animation::check_ffmpeg;
use squeeze::run::{Manifest, Recording, RunFolder};
use squeeze::simulation::SimulationError;
use squeeze::sweep::{Collector, SweepFolder};
use squeeze::{Backend, Simulation, SimulationBuilder};

/// What the first rank sends in the place of a manifest where the folder is that of a sweep.
const OF_SWEEP: [u8; 0] = [];

/// Continues a run from its last complete state, or a sweep. Of several ranks the first reads and writes the folder.
pub(crate) fn resume(
    arguments: &Resume,
    chosen: &Chosen,
    collectors: &[&dyn Collector],
    ranks: Option<&Ranks>,
) -> Result<(), CliError> {
    let Some(ranks) = ranks else {
        check_threads(arguments.backend, chosen, arguments.threads)?;
        if SweepFolder::is_one(&arguments.folder) {
            return super::sweep::resume(arguments, chosen, collectors, None);
        }
        let mut plan = ResumePlan::of(arguments, chosen)?;
        if let Some(devices) = &arguments.devices {
            plan.builder = on_devices((arguments.backend, plan.builder), devices, &plan.manifest.engine)?;
        }
        return go_on(arguments, plan.folder, plan.manifest, || plan.builder.clone().build());
    };
    if !ranks.is_first() {
        let manifest = ranks.transport.broadcast(MessageKind::Words, 0, Vec::new()).map_err(squeeze::Error::from)?;
        if manifest == OF_SWEEP {
            return super::sweep::resume(arguments, chosen, collectors, Some(ranks));
        }
        let manifest: Manifest = serde_json::from_slice(&manifest)
            .map_err(|error| squeeze::Error::system(format!("the manifest does not come as it was sent: {error}")))?;
        let share = (arguments.threads, arguments.devices.as_ref());
        return ranks.follow(&ranks.share_of(manifest.builder()?, arguments.backend, share, true)?);
    }
    if SweepFolder::is_one(&arguments.folder) {
        ranks.transport.broadcast(MessageKind::Words, 0, OF_SWEEP.to_vec()).map_err(squeeze::Error::from)?;
        return super::sweep::resume(arguments, chosen, collectors, Some(ranks));
    }
    let ResumePlan { folder, manifest, builder } = ResumePlan::of(arguments, chosen)?;
    Ranks::check_engine(&manifest.engine)?;
    let told = serde_json::to_vec(&manifest).map_err(|error| squeeze::Error::system(error.to_string()))?;
    ranks.transport.broadcast(MessageKind::Words, 0, told).map_err(squeeze::Error::from)?;
    if !arguments.quiet {
        ranks.tell();
    }
    let share = (arguments.threads, arguments.devices.as_ref());
    let builder = ranks.share_of(builder, arguments.backend, share, arguments.quiet)?;
    match go_on(arguments, folder, manifest, || ranks.lead(builder.clone())) {
        result @ (Ok(()) | Err(CliError::Stopped(..) | CliError::Closed)) => ranks.dismiss().and(result),
        failed => failed,
    }
}

/// Continues the run in a folder, whose simulation `build` makes.
fn go_on(
    arguments: &Resume,
    folder: RunFolder,
    manifest: Manifest,
    build: impl Fn() -> Result<Simulation, SimulationError>,
) -> Result<(), CliError> {
    let steps = manifest.schedule.steps;
    let mut screen = Screen::new(steps, arguments.quiet)?;
    let (recording, mut simulation, notes) = Recording::resume(folder, manifest, build, &mut screen)?;
    for note in notes {
        remark(&format!("warning: {note}"));
    }
    if !arguments.quiet {
        input::tell(simulation.notice());
        match simulation.time() {
            time if time == steps => remark(&format!("the run is complete; its last state is that of step {steps}")),
            time if recording.has_ended() => remark(&format!("the run is complete: its rule ended it at step {time}")),
            time => remark(&format!("resuming at step {time} of {steps}")),
        }
    }
    let report = RunReport {
        from: simulation.time(),
        digest: true,
        json: arguments.json,
        quiet: arguments.quiet,
        ..RunReport::default()
    };
    record(recording, &mut simulation, screen, report)
}

/// The run in a folder as it is to go on. No device was asked yet.
struct ResumePlan {
    /// No other process writes in it meanwhile.
    folder: RunFolder,
    manifest: Manifest,
    builder: SimulationBuilder,
}

impl ResumePlan {
    /// Reads the manifest, and checks that the arguments suit it.
    fn of(arguments: &Resume, chosen: &Chosen) -> Result<ResumePlan, CliError> {
        let folder = RunFolder::open(&arguments.folder)?;
        let mut manifest = Manifest::read(&folder)?;
        manifest.schedule.allow_nan |= arguments.allow_nan;
        if let Some(steps) = arguments.steps {
            let reached = folder.state_times()?.last().copied().unwrap_or(0);
            if steps < reached {
                let help = format!("valid are numbers from {reached}, the step of the last saved state");
                return Err(CliError::input(format!("the run cannot end at step {steps}"), help));
            }
            if steps != manifest.schedule.steps {
                manifest.schedule.steps = steps;
                manifest.result = None;
            }
        }
        if manifest.result.is_none() && manifest.schedule.image_every.is_some() && manifest.drawing.animation.film {
            check_ffmpeg()?;
        }
        let recorded = std::mem::replace(&mut manifest.engine, chosen.named.clone());
        let engine = &mut manifest.engine;
        if engine.strategy.is_none() && matches!(arguments.backend, Backend::Auto | Backend::Cuda) {
            engine.strategy.clone_from(&recorded.strategy);
            engine.map = engine.map.take().or_else(|| recorded.map.clone());
            engine.rho = engine.rho.or(recorded.rho);
        }
        let (before, now) = (recorded.strategy(), manifest.engine.strategy());
        if now != before && !arguments.quiet {
            remark(&format!("note: the strategy was `{before}` and is now `{now}`; the results stay the same"));
        }
        let builder = chosen.build_by(&manifest.engine, manifest.builder()?.backend(arguments.backend))?;
        let builder = arguments.threads.into_iter().fold(builder, SimulationBuilder::threads);
        Ok(ResumePlan { folder, manifest, builder })
    }
}
