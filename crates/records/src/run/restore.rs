//! Continuing from the last complete state.

use super::manifest::{PASSING, RANGE};
use super::observables::{KeptRows, ObservablesTable, OpenTable, note};
use super::record::{make_folders, row_of};
use super::save::not_finite;
use super::{Manifest, Pace, Recording, RunFolder, Session, Watch};
use crate::state::store::{ArrayShape, Damaged, StoredState};
use crate::table::floats;
use serde_json::json;
use squeeze_compiler::ir::StateId;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::list;
use squeeze_engine::simulation::{Simulation, SimulationBuilder, SimulationError};
use squeeze_engine::totals::columns;
use squeeze_host::files::{self, FileError};

impl Manifest {
    /// The simulation that the run is of, on any backend, by the backend's own engine.
    ///
    /// # Errors
    /// If the recorded texts do not give it, or it drew by other numbers.
    pub fn builder(&self) -> Result<SimulationBuilder> {
        if self.other_draws {
            self.fractal.check_draws(&self.rule)?;
        }
        let builder = Simulation::builder(self.fractal.fractal()?, self.rule.rule()?).level(self.level).seed(self.seed);
        let builder = self.disorder.into_iter().fold(builder, SimulationBuilder::disorder);
        let follows = |setting: &&String| {
            setting.split_once('=').is_some_and(|(name, _)| self.follows.iter().any(|one| one == name))
        };
        Ok(self
            .params
            .iter()
            .filter(|setting| !follows(setting))
            .fold(builder, |builder, setting| builder.set(setting)))
    }
}

impl Recording {
    /// Continues a run. `build` gives a simulation at time 0. With the simulation, which stands at the last complete state, come
    /// notes of what was lost. Rows of observables that are damaged are computed again, unless the watch wants to stop, and what was there is kept beside.
    ///
    /// # Errors
    /// If the folder cannot be written to, values from files are lost, or states are of other cells; [`NotFinite`](super::NotFinite) if the initial values are so
    /// and the schedule does not allow it; [`Damaged`] if the run is at its end and the state is not the one of its digest.
    pub fn resume(
        folder: RunFolder,
        mut manifest: Manifest,
        build: impl Fn() -> Result<Simulation, SimulationError>,
        watch: &mut dyn Watch,
    ) -> Result<(Recording, Simulation, Vec<String>)> {
        files::remove_parts(folder.path()).map_err(|error| FileError::writing(folder.path(), error))?;
        make_folders(&folder)?;
        let mut notes = Vec::new();
        // Older versions wrote neither.
        let table = ObservablesTable::read(&folder, manifest.id.is_some())?;
        let (mut simulation, saved) = restore(&folder, &manifest, &build, &mut notes)?;
        let state = |time: u32| -> Result<StoredState> {
            let shapes = ArrayShape::of_rule(simulation.rule(), simulation.domain().cells());
            Ok(folder.state(&manifest, Some(time), shapes)?.1)
        };
        let is_passing = |time: u32| -> Result<bool> { Ok(*state(time)?.attribute(PASSING) == true) };
        let (mut passing, mut range) = (None, None);
        if saved {
            passing = Some(simulation.time()).filter(|time| is_passing(*time).unwrap_or(false));
            range = serde_json::from_value(state(simulation.time())?.attribute(RANGE).clone()).ok();
        }
        // A process may have ended before it removed this one.
        let before = folder.state_times()?.into_iter().rfind(|time| *time < simulation.time() && saved);
        let before = before.filter(|time| is_passing(*time).unwrap_or(false));
        let (time, schedule) = (simulation.time(), manifest.schedule.clone());
        let columns = columns(simulation.rule(), simulation.domain(), false);
        let (mut observed, path) = (false, folder.observables_path());
        // First values from files are saved before their row is written.
        let settled = saved.then_some(time).filter(|time| *time > schedule.begin);
        let beside = match table.is_damaged(settled, &columns) {
            true => Some(table.keep_beside(&folder)?),
            false => None,
        };
        let rows = if saved {
            let mut kept = table.until(time, &schedule, &columns, &floats(simulation.rule(), &columns));
            let again;
            (simulation, again) = mend((&folder, &manifest, &build), simulation, &mut kept, watch)?;
            let how = if watch.wants_stop() { "still missing" } else { "lost" };
            notes.extend(note(&path, &again, (&kept.missing, how), beside.as_deref()));
            observed = kept.last;
            table.open(&folder, &kept)?
        } else {
            notes.extend(note(&path, &[], (&[], ""), beside.as_deref()));
            OpenTable::create(&folder, &columns)?
        };
        let result = manifest.result.take();
        manifest.sessions.push(Session::of(&simulation));
        manifest.id.get_or_insert_with(Manifest::new_id);
        let end = result.as_ref().and_then(|result| result["step"].as_u64()).unwrap_or(schedule.steps.into());
        if result.is_none() || u64::from(time) < end {
            manifest.write(&folder)?;
        } else if let Some(result) = result {
            check_digests(&folder, &simulation, &result)?;
            manifest.result = Some(result);
        }
        let mut recording = Recording::new(folder, manifest, rows, &simulation)?;
        recording.saved = saved.then_some(time);
        recording.passing = passing;
        recording.range = range;
        recording.remove(before)?;
        if !saved {
            recording.take(&simulation, watch)?;
            return Ok((recording, simulation, notes));
        }
        if schedule.observes(time) && !observed {
            recording.observe(&simulation)?;
        }
        if schedule.observes(time) && schedule.judges(time) {
            recording.ended = simulation.judge()?.1;
        }
        let image = schedule.image_every.is_some_and(|every| schedule.due(Some(every), time));
        // First values from files are saved before they are drawn.
        let is_known = recording.range.is_some() || time > schedule.begin;
        if image && !(is_known && recording.folder.image_path(time).exists()) {
            recording.draw(&simulation)?;
        }
        Ok((recording, simulation, notes))
    }
}

/// A simulation at the last complete state, and whether that is one that was saved. Unless the schedule allows values that are not
/// finite, states with such values are left out: a run from one of them would end at once.
fn restore(
    folder: &RunFolder,
    manifest: &Manifest,
    build: &impl Fn() -> Result<Simulation, SimulationError>,
    notes: &mut Vec<String>,
) -> Result<(Simulation, bool)> {
    let mut simulation = build()?;
    let search = !manifest.schedule.allow_nan;
    let (mut touched, mut not_good, mut other_cells) = (false, None, None);
    let (name, cells) = (simulation.rule().states[0].name.clone(), simulation.domain().cells());
    for time in folder.state_times()?.into_iter().rev().filter(|time| *time <= manifest.schedule.steps) {
        touched = true;
        match load(folder, manifest, time, &mut simulation) {
            Ok(()) => {
                simulation.set_time(time);
                let Some(error) = search.then(|| not_finite(&simulation)).transpose()?.flatten() else {
                    return Ok((simulation, true));
                };
                notes.push(format!("{error}: the run goes back; `--allow-nan` continues from there"));
                not_good = Some(error);
            }
            Err(error) if error.downcast_ref::<Damaged>().is_some() => {
                let found = StoredState::cells(&folder.state_path(time), &name).filter(|found| *found != cells);
                other_cells = other_cells.or(found);
                notes.push(format!("{error}; the state of step {time} is lost"));
            }
            Err(error) => return Err(error),
        }
    }
    // To begin anew would write over states of other cells.
    if let Some(found) = other_cells {
        let path = folder.path().display();
        let what = format!("the states in `{path}` are of {found} cells, and the domain has {cells}");
        return Err(Message::users(what)
            .with_help(
                "masks drawn by `cells random(p)` have other cells since their draws are apart from those of a start",
            )
            .with_help("the version that began the run continues it, or begin it anew in another folder")
            .into());
    }
    if !manifest.init.is_empty() {
        return Err(not_good.map_or_else(|| beginning_lost(folder).into(), Into::into));
    }
    if touched {
        // There may be no memory for two, and ranks compute one.
        drop(simulation);
        return Ok((build()?, false));
    }
    Ok((simulation, false))
}

/// The parts of a run: its folder, its manifest, and the function that builds a simulation at time 0.
type Origin<'a, B> = (&'a RunFolder, &'a Manifest, &'a B);

/// Computes the rows that are missing, each stretch of them from the nearest state before it, and gives the simulation back as it was, with the stretches. Those
/// that no state comes before are left, and all others when the watch wants to stop.
fn mend<B: Fn() -> Result<Simulation, SimulationError>>(
    origin: Origin<'_, B>,
    mut simulation: Simulation,
    kept: &mut KeptRows,
    watch: &mut dyn Watch,
) -> Result<(Simulation, Vec<(u32, u32)>)> {
    let (mut again, mut left) = (Vec::new(), Vec::new());
    if kept.missing.is_empty() {
        return Ok((simulation, again));
    }
    let (folder, manifest, _) = origin;
    let (end, states, mut rows) = (simulation.time(), folder.state_times()?, Vec::new());
    let mut pace = Pace::of(&simulation);
    for (first, last) in std::mem::take(&mut kept.missing) {
        if watch.wants_stop() {
            left.push((first, last));
            continue;
        }
        let is_before;
        (simulation, is_before) = nearest(origin, &states, simulation, first)?;
        let mut next = first;
        while is_before && let Some((time, _)) = manifest.schedule.planned_between(next.into(), u64::from(last) + 1) {
            if !pace.advance(&mut simulation, time, watch)? {
                break;
            }
            rows.push((time, row_of(&simulation, &simulation.judge()?.0)));
            next = time + 1;
        }
        again.extend((next > first).then_some((first, next - 1)));
        left.extend(manifest.schedule.planned_between(next.into(), u64::from(last) + 1));
        if !is_before {
            // Of no use to the next stretch.
            simulation.set_time(end);
        }
    }
    kept.missing = left;
    kept.fill(rows);
    load(folder, manifest, end, &mut simulation)?;
    simulation.set_time(end);
    Ok((simulation, again))
}

/// The simulation at the last time up to `time` that it can be brought to without computing, by states of these times; false if there is none.
fn nearest<B: Fn() -> Result<Simulation, SimulationError>>(
    (folder, manifest, build): Origin<'_, B>,
    states: &[u32],
    mut simulation: Simulation,
    time: u32,
) -> Result<(Simulation, bool)> {
    let mut here = Some(simulation.time()).filter(|here| *here <= time);
    for saved in states.iter().copied().rev().filter(|saved| *saved <= time) {
        if here.is_some_and(|here| here >= saved) {
            return Ok((simulation, true));
        }
        here = None;
        match load(folder, manifest, saved, &mut simulation) {
            Err(error) if error.downcast_ref::<Damaged>().is_some() => {}
            Err(error) => return Err(error),
            Ok(()) => {
                simulation.set_time(saved);
                return Ok((simulation, true));
            }
        }
    }
    if here.is_none() && manifest.init.is_empty() {
        // There may be no memory for two.
        drop(simulation);
        return Ok((build()?, true));
    }
    Ok((simulation, here.is_some()))
}

/// The beginning of a run that took values from files is lost.
fn beginning_lost(folder: &RunFolder) -> Message {
    let path = folder.path().display();
    let what = format!("`{path}` has no state left, and its initial values came from files, which may have changed");
    Message::systems(what).with_help("start it anew with the same `--init`")
}

/// Gives a simulation the values of a saved state.
fn load(folder: &RunFolder, manifest: &Manifest, time: u32, simulation: &mut Simulation) -> Result<()> {
    let shapes = ArrayShape::of_rule(simulation.rule(), simulation.domain().cells());
    let (_, state) = folder.state(manifest, Some(time), shapes)?;
    for field in 0..simulation.rule().states.len() {
        state.for_each_range(field, |cells, bytes| Ok(simulation.write(StateId(field as u16), cells, bytes)?))?;
    }
    Ok(())
}

/// Whether a complete run's last state is still the one that it ended with.
fn check_digests(folder: &RunFolder, simulation: &Simulation, result: &serde_json::Value) -> Result<()> {
    let digests = simulation.digests()?.into_iter();
    let other: Vec<&str> = digests
        .filter(|(name, digest)| result["digest"][*name] != json!(format!("{digest:016x}")))
        .map(|(name, _)| name)
        .collect();
    if other.is_empty() {
        return Ok(());
    }
    let reason = format!("the digest of {} is not the one in `manifest.json`", list(&other));
    Err(Damaged { path: folder.state_path(simulation.time()), reason }.into())
}
