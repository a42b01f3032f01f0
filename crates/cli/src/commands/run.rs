//! `run FRACTAL --rule RULE --level R --steps N …`

pub(crate) mod plan;
mod report;

use super::input;
use crate::args::RunArgs;
use crate::engines::Chosen;
use crate::ranks::Ranks;
use crate::report::{CliError, remark};
use crate::watch::{BoxedViewer, Screen};
use plan::RunPlan;
pub(super) use report::RunReport;
use squeeze::files::PendingFile;
use squeeze::run::{Costs, Manifest, NamedEngine, NotFinite, Outcome, Pace, Recording, RunFolder, not_finite};
use squeeze::{Backend, Simulation};

/// Runs a rule on a fractal and prints the results. Of several ranks the first does so, and the others compute their parts.
pub(crate) fn run(
    arguments: &RunArgs,
    chosen: &Chosen,
    ranks: Option<&Ranks>,
    viewer: Option<BoxedViewer>,
) -> Result<(), CliError> {
    let mut plan = RunPlan::of(arguments, chosen)?;
    if let Some(ranks) = ranks {
        if viewer.is_some() {
            return Err(CliError::input("a run of several ranks cannot be viewed", "leave out `--view`"));
        }
        plan = plan.divided(arguments, chosen, ranks)?;
        if !ranks.is_first() {
            return plan.serve(ranks);
        }
    }
    // A picture that could not be written should be known before the work, not after.
    let picture = arguments.image.as_deref().map(PendingFile::begin).transpose()?;
    let (mut simulation, manifest) = plan.begin(&arguments.into())?;
    let report = RunReport::of(arguments, simulation.time(), picture);
    let screen = Screen::new(manifest.schedule.steps, arguments.quiet)?;
    let mut screen = screen.watched(viewer, &simulation, &manifest)?;
    let Some(out) = &arguments.out else {
        return show(&mut simulation, &manifest, screen, report);
    };
    let recording = Recording::begin(RunFolder::create(out)?, manifest, &simulation, &mut screen)?;
    record(recording, &mut simulation, screen, report)
}

/// Runs without writing anything down, to the end or to where it is stopped.
fn show(
    simulation: &mut Simulation,
    manifest: &Manifest,
    mut screen: Screen,
    report: RunReport,
) -> Result<(), CliError> {
    let (schedule, mut pace) = (&manifest.schedule, Pace::of(simulation));
    let ended = pace.advance_until_stop(simulation, schedule, &mut screen)?;
    screen.clear();
    if !ended && simulation.time() < schedule.steps {
        return Err(CliError::Stopped(simulation.time(), None));
    }
    // To bring the states of a GPU here takes longer than to compute them: there an observable must give cause.
    let search = !schedule.allow_nan
        && (simulation.backend() != Backend::Cuda || simulation.observe()?.iter().any(|(_, value)| !value.is_finite()));
    let mut costs = Costs::default();
    costs.steps = pace.computing();
    report.show(simulation, manifest, costs, None)?;
    screen.stay(simulation);
    // There is no state to save, so the results up to here are printed all the same.
    match if search { not_finite(simulation)? } else { None } {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

/// Runs and writes down, to the end or to where it is stopped.
pub(super) fn record(
    mut recording: Recording,
    simulation: &mut Simulation,
    mut screen: Screen,
    report: RunReport,
) -> Result<(), CliError> {
    let outcome = recording.run(simulation, &mut screen);
    screen.clear();
    match outcome {
        Ok(Outcome::Complete) => {
            report.show(simulation, recording.manifest(), recording.costs(), Some(recording.folder().path()))?;
            screen.stay(simulation);
            Ok(())
        }
        Ok(Outcome::Stopped) => {
            let folder = recording.folder();
            let now = folder.present().map(|folder| folder.path().to_owned());
            Err(CliError::Stopped(simulation.time(), Some(now.unwrap_or_else(|| folder.path().to_owned()))))
        }
        Err(error) => {
            let before = recording.folder();
            let now = before.present();
            input::present(before.path(), now.as_ref().map(|folder| folder.path().to_owned()));
            let Some(folder) = now else { return Err(error.into()) };
            let (times, path) = (folder.state_times().unwrap_or_default(), folder.path().display());
            let last = times.last().map_or("the beginning".to_owned(), |last| format!("step {last}"));
            if let Some(&NotFinite { step, .. }) = error.downcast_ref() {
                let good = times.iter().rfind(|time| **time < step);
                let good =
                    good.map_or(String::new(), |good| format!("; the last state before it is that of step {good}"));
                remark(&format!(
                    "note: the state of {last} is saved{good}\nnote: `squeeze resume {path} --allow-nan` continues from {last}"
                ));
            } else {
                remark(&format!("note: `squeeze resume {path}` continues from {last}"));
            }
            Err(error.into())
        }
    }
}

/// The error of `--activity` with an engine that computes every cell.
pub(crate) fn no_activity(what: &str) -> CliError {
    CliError::input(
        format!("{what} computes every cell in each step"),
        "leave out `--activity`, or take `--backend cpu`",
    )
}

/// Refuses strategies and threads of the oracle.
pub(super) fn check_threads(backend: Backend, chosen: &Chosen, threads: Option<usize>) -> Result<(), CliError> {
    if backend != Backend::Reference || chosen.named == NamedEngine::default() && threads.is_none() {
        return Ok(());
    }
    Err(CliError::input(
        "the backend `reference` has neither strategies nor threads",
        "leave out `--strategy` and `--threads`, or take `--backend cpu`",
    ))
}
