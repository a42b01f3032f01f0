//! Recording a run: rows of observables, pictures and states, while a simulation goes on.

use super::background::BackgroundThread;
use super::observables::{OpenTable, push_row};
use super::save::not_finite;
use super::{Drawing, Manifest, RunFolder, Schedule, Session, frames};
use crate::picture::{Extent, Picture, Style};
use crate::resolve::MEMORY;
use serde_json::json;
use squeeze_compiler::ir::{Rule, StateId};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{Observed, Simulation, SimulationError};
use squeeze_engine::totals::{columns, of_observables};
use squeeze_host::files::{self, FileError};
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An observer of a running simulation.
pub trait Watch {
    /// Whether the run is to end as soon as it can.
    fn wants_stop(&self) -> bool {
        false
    }

    /// Called at new times, several times a second if steps are short enough.
    ///
    /// # Errors
    /// Any error ends the run.
    fn progress(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        _ = simulation;
        Ok(())
    }

    /// Called with each row of observables: their names and values.
    fn observed(&mut self, values: &[(&str, ObservedValue)]) {
        _ = values;
    }

    /// Called with a note on how the run is recorded, which changes no result.
    #[doc(hidden)]
    fn remark(&mut self, note: &str) {
        _ = note;
    }
}

/// A watch that stops where another wants to, or when the next state is due to be saved.
struct UntilDue<'a> {
    watch: &'a mut dyn Watch,
    due: Option<Instant>,
}

impl Watch for UntilDue<'_> {
    fn wants_stop(&self) -> bool {
        self.watch.wants_stop() || self.due.is_some_and(|due| Instant::now() >= due)
    }

    fn progress(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        self.watch.progress(simulation)
    }
}

/// The pace of a computation: steps go in pieces, short enough to stop soon and long enough for fast passes.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Time steps of the next piece, a multiple of those of a pass.
    piece: u32,
    /// The time of all steps so far, without that of the watch.
    computing: Duration,
}

impl Pace {
    /// A piece shorter than this is doubled.
    const SHORT: Duration = Duration::from_millis(100);
    /// A piece longer than this is halved.
    const LONG: Duration = Duration::from_millis(500);

    /// The pace of a simulation of unknown speed: a piece is a pass.
    pub fn of(simulation: &Simulation) -> Pace {
        Pace { piece: simulation.steps_of_pass(), computing: Duration::ZERO }
    }

    /// The time of all steps so far, without that of the watch.
    pub fn computing(&self) -> Duration {
        self.computing
    }

    /// Computes steps up to the time `until`, and says true, or until the watch wants to stop, and says false.
    pub(crate) fn advance(
        &mut self,
        simulation: &mut Simulation,
        until: u32,
        watch: &mut dyn Watch,
    ) -> Result<bool, SimulationError> {
        let pass = simulation.steps_of_pass();
        // Pieces are whole passes, but for the last, which may need other kernels: an error of these comes before any step.
        simulation.make_ready(until.saturating_sub(simulation.time()))?;
        while simulation.time() < until {
            if watch.wants_stop() {
                return Ok(false);
            }
            let steps = self.piece.min(until - simulation.time());
            let start = Instant::now();
            simulation.step(u64::from(steps))?;
            self.adapt(start.elapsed(), steps, pass);
            watch.progress(simulation)?;
        }
        Ok(true)
    }

    /// Computes steps up to the end of a schedule and records nothing. It ends early if the watch wants to stop, or if the rule's `stop when` holds at
    /// a time with observables: then it says true.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn advance_until_stop(
        &mut self,
        simulation: &mut Simulation,
        schedule: &Schedule,
        watch: &mut dyn Watch,
    ) -> Result<bool, SimulationError> {
        while simulation.time() < schedule.steps {
            if !self.advance(simulation, schedule.next(simulation.time()), watch)? {
                return Ok(false);
            }
            if simulation.time() < schedule.steps && simulation.judge()?.1 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adapts the length of pieces to the time that one of `steps` steps took.
    fn adapt(&mut self, taken: Duration, steps: u32, pass: u32) {
        self.computing += taken;
        if taken < Self::SHORT && steps >= self.piece {
            self.piece = self.piece.saturating_mul(2).min(pass.saturating_mul(1 << 24));
        } else if taken > Self::LONG && self.piece > pass {
            self.piece = (self.piece / 2 / pass).max(1) * pass;
        }
    }
}

/// The most observations of one call of the engine.
const MOST_AHEAD: u32 = 64;

/// How many of the next observations the engine can make in one call, which a GPU does faster: they are equally far apart, within `steps` steps, and
/// no picture or state is due between. Zero if the rule can end the run, since only single observations test it.
fn observations_ahead(schedule: &Schedule, simulation: &Simulation, steps: u32) -> u32 {
    let rule = simulation.rule();
    // Where an observable is not finite, the state is searched for the first such value, and must still be there.
    let floats = rule.states.iter().any(|state| state.ty.is_float());
    if !simulation.observes_ahead() || rule.stop.is_some() || floats {
        return 0;
    }
    let (mut time, mut count) = (simulation.time(), 0);
    let every = schedule.next(time) - time;
    let most = (steps / every.max(1)).min(MOST_AHEAD);
    while count < most && time < schedule.steps {
        let next = schedule.next(time);
        if next - time != every || next == schedule.steps || !schedule.observes_alone(next) {
            break;
        }
        (time, count) = (next, count + 1);
    }
    count
}

/// How long the parts of a run took. Work of threads in the background does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Costs {
    /// Time steps.
    pub steps: Duration,
    /// Taking observables.
    pub observables: Duration,
    /// How many pictures were drawn.
    pub pictures_drawn: u32,
    /// Drawing pictures, and making the animation of them.
    pub pictures: Duration,
    /// How many states were saved.
    pub states_saved: u32,
    /// Saving states, and waiting until the last ones are written.
    pub saves: Duration,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It came to its end.
    Complete,
    /// It was stopped, and its state was saved.
    Stopped,
}

/// A run that is recorded.
pub struct Recording {
    pub(super) folder: RunFolder,
    pub(super) manifest: Manifest,
    pub(super) rows: OpenTable,
    /// Whether the rule's `stop when` has ended the run.
    pub(super) ended: bool,
    /// The time of the last state that was handed to the background thread.
    pub(super) saved: Option<u32>,
    /// When it was handed over.
    pub(super) saved_at: Instant,
    /// Its time once more if it was saved in passing: the next saved state replaces it.
    pub(super) passing: Option<u32>,
    pub(super) background: BackgroundThread,
    /// Whether the first of several ranks writes all states, for another does not see the folder, or cannot write to it.
    pub(super) is_alone: bool,
    /// The bytes of pieces that ranks write, if it is not the usual number.
    pub(super) room: Option<u64>,
    costs: Costs,
    /// The range of values in all pictures so far.
    pub(super) range: Option<[f64; 2]>,
    /// Memory for values on their way to compression, kept from state to state.
    pub(super) values: Vec<u8>,
}

/// Bytes that may wait to be written, however little memory there is.
const LEAST_WAITING: u64 = 64 << 20;

impl Recording {
    /// Begins the record of a run: writes the manifest and all that is due at time 0.
    ///
    /// # Errors
    /// If the folder cannot be written to, or the machine fails; [`NotFinite`](super::NotFinite) if an initial value is so and the schedule does not
    /// allow it.
    pub fn begin(
        folder: RunFolder,
        mut manifest: Manifest,
        simulation: &Simulation,
        watch: &mut dyn Watch,
    ) -> Result<Recording> {
        manifest.sessions = vec![Session::of(simulation)];
        manifest.id = Some(Manifest::new_id());
        manifest.rule = manifest.rule.with_inputs_of(simulation.rule());
        manifest.init.extend(simulation.initial().map(|state| format!("{state}={MEMORY}")));
        for (id, state) in (0..).map(StateId).zip(&simulation.rule().states) {
            if let (Some(offset), Some((bond, _))) = (simulation.offset_of_pairs(id), state.name.rsplit_once('.')) {
                manifest.bonds.entry(bond.to_owned()).or_default().push(offset);
            }
        }
        make_folders(&folder)?;
        let rows = OpenTable::create(&folder, &columns(simulation.rule(), simulation.domain(), false))?;
        let mut recording = Recording::new(folder, manifest, rows, simulation)?;
        let mut not_finite = None;
        // Initial values from files must be in the folder: their files may change before the run is resumed.
        if !recording.manifest.init.is_empty() {
            not_finite = recording.save(simulation, false, watch)?;
            recording.background.wait()?;
        }
        // From here on the folder is a run.
        recording.manifest.write(&recording.folder)?;
        recording.take(simulation, watch)?;
        match not_finite {
            Some(error) if !recording.manifest.schedule.allow_nan => Err(error.into()),
            _ => Ok(recording),
        }
    }

    pub(super) fn new(
        folder: RunFolder,
        manifest: Manifest,
        rows: OpenTable,
        simulation: &Simulation,
    ) -> Result<Recording> {
        let limit =
            (squeeze_host::memory::available() / 4).clamp(LEAST_WAITING, simulation.state_bytes().max(LEAST_WAITING));
        let background = BackgroundThread::new(limit)?;
        Ok(Recording {
            folder,
            manifest,
            rows,
            ended: false,
            saved: None,
            saved_at: Instant::now(),
            passing: None,
            background,
            is_alone: false,
            room: None,
            costs: Costs::default(),
            range: None,
            values: Vec::new(),
        })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How long the parts of the run took so far.
    pub fn costs(&self) -> Costs {
        self.costs
    }

    /// Has several ranks write states in pieces of about as many bytes, as tests do that have small ones.
    #[doc(hidden)]
    pub fn set_room(&mut self, bytes: u64) {
        self.room = Some(bytes);
    }

    /// Whether the rule's `stop when` has ended the run.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The folder of the run.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Runs to the end, or until the watch wants to stop. Whatever ends the process, complete states stay complete.
    ///
    /// # Errors
    /// [`NotFinite`](super::NotFinite) after the state was saved; if the disk is full or fails, or the machine fails.
    pub fn run(&mut self, simulation: &mut Simulation, watch: &mut dyn Watch) -> Result<Outcome> {
        let schedule = self.manifest.schedule.clone();
        if self.manifest.result.is_some() {
            // It was complete before.
            self.background.wait()?;
            return Ok(Outcome::Complete);
        }
        let mut pace = Pace::of(simulation);
        while simulation.time() < schedule.steps && !self.ended {
            let next = schedule.next(simulation.time());
            let ahead = observations_ahead(&schedule, simulation, pace.piece);
            let due = schedule.save_seconds.map(|seconds| self.saved_at + Duration::from_secs(seconds.into()));
            let mut until_due = UntilDue { watch, due };
            if ahead > 1 && !until_due.wants_stop() {
                self.observe_ahead(simulation, next - simulation.time(), ahead, &mut pace, watch)?;
                continue;
            }
            let done = pace.advance(simulation, next, &mut until_due)?;
            self.costs.steps = pace.computing();
            if !done && !watch.wants_stop() {
                self.save_in_passing(simulation, watch)?;
                continue;
            }
            if !done {
                if self.saved != Some(simulation.time()) {
                    self.save(simulation, false, watch)?;
                }
                self.background.wait()?;
                return Ok(Outcome::Stopped);
            }
            self.take(simulation, watch)?;
        }
        if self.ended && self.saved != Some(simulation.time()) {
            self.save(simulation, false, watch)?;
        }
        let start = Instant::now();
        self.background.wait()?;
        self.costs.saves += start.elapsed();
        if schedule.image_every.is_some() {
            let start = Instant::now();
            frames::animate(&self.folder, self.manifest.drawing.animation)?;
            self.costs.pictures += start.elapsed();
        }
        let mut result = Manifest::result_of(simulation)?;
        if let Some(stop) = simulation.rule().stop.as_ref().filter(|_| simulation.time() < schedule.steps) {
            result["stopped"] = json!({"when": stop.text, "step": simulation.time()});
        }
        self.manifest.result = Some(result);
        self.manifest.write(&self.folder)?;
        Ok(Outcome::Complete)
    }

    /// Saves the present state because `save_seconds` have passed. The next saved state replaces it.
    fn save_in_passing(&mut self, simulation: &Simulation, watch: &mut dyn Watch) -> Result<()> {
        let start = Instant::now();
        if self.saved == Some(simulation.time()) {
            self.saved_at = start;
            return Ok(());
        }
        let not_finite = self.save(simulation, true, watch)?;
        self.costs.saves += start.elapsed();
        self.costs.states_saved += 1;
        match not_finite.filter(|_| !self.manifest.schedule.allow_nan) {
            Some(error) => self.background.wait().and(Err(error.into())),
            None => Ok(()),
        }
    }

    /// Computes `every` steps and observes, `times` times in one call of the engine, and records the rows.
    fn observe_ahead(
        &mut self,
        simulation: &mut Simulation,
        every: u32,
        times: u32,
        pace: &mut Pace,
        watch: &mut dyn Watch,
    ) -> Result<()> {
        let pass = simulation.steps_of_pass();
        let (time, start) = (simulation.time(), Instant::now());
        let rule = Arc::clone(simulation.rule());
        let observed = simulation.step_observing(every, times)?;
        pace.adapt(start.elapsed(), every * times, pass);
        self.costs.steps = pace.computing();
        let start = Instant::now();
        for (number, values) in observed.into_iter().enumerate() {
            self.rows.add(&row(&rule, time + every * (number as u32 + 1), &values))?;
            watch.observed(&values);
        }
        self.costs.observables += start.elapsed();
        Ok(watch.progress(simulation)?)
    }

    /// Records all that is due at the present time: a row, a picture, a state.
    pub(super) fn take(&mut self, simulation: &Simulation, watch: &mut dyn Watch) -> Result<()> {
        let (schedule, time) = (self.manifest.schedule.clone(), simulation.time());
        let mut trouble = None;
        if schedule.observes(time) {
            let start = Instant::now();
            let (values, stops) = self.observe(simulation)?;
            self.costs.observables += start.elapsed();
            let suspicious = values.iter().any(|(_, value)| !value.is_finite());
            watch.observed(&values);
            self.ended = stops && schedule.judges(time);
            if suspicious && !schedule.allow_nan {
                trouble = not_finite(simulation)?;
            }
        }
        if schedule.image_every.is_some_and(|every| schedule.due(Some(every), time)) {
            let start = Instant::now();
            self.draw(simulation)?;
            self.costs.pictures += start.elapsed();
            self.costs.pictures_drawn += 1;
        }
        // `begin` may have saved initial values: to replace their file would leave the run without them for an instant.
        let wanted = trouble.is_some() || schedule.due(schedule.save_every, time);
        if wanted && self.saved != Some(time) {
            let start = Instant::now();
            trouble = self.save(simulation, false, watch)?.or(trouble);
            self.costs.saves += start.elapsed();
            self.costs.states_saved += 1;
        }
        match trouble {
            Some(error) if !schedule.allow_nan => {
                self.background.wait()?;
                Err(error.into())
            }
            _ => Ok(()),
        }
    }

    /// Adds the row of the present state's observables. Returns them, and whether the rule's `stop when` holds.
    pub(super) fn observe<'a>(&mut self, simulation: &'a Simulation) -> Result<(Observed<'a>, bool)> {
        let (values, stops) = simulation.judge()?;
        self.rows.add(&row_of(simulation, &values))?;
        Ok((values, stops))
    }

    /// Draws the present state and hands the picture to the background thread. Its colours span the range of all pictures so far, unless the run
    /// or the rule names a range.
    pub(super) fn draw(&mut self, simulation: &Simulation) -> Result<()> {
        let extent = self.range.map_or(Extent::Fit, |[low, high]| Extent::AtLeast(low, high));
        let mut style = self.manifest.drawing.style(simulation.rule(), extent);
        style.caption = Some(format!("step {}", simulation.time()));
        let Picture { sheet, range } = picture_of(simulation, &self.manifest.drawing, &style)?;
        self.range = range.or(self.range);
        let path = self.folder.image_path(simulation.time());
        let [width, height] = sheet.size.map(|side| (side * sheet.scale) as u64);
        let bytes = 3 * width * height;
        self.background.submit(bytes, move || Ok(files::write_inside(&path, &sheet.to_image().to_png_quickly())?))
    }
}

/// The picture of the present state.
#[cfg(not(test))]
fn picture_of(simulation: &Simulation, drawing: &Drawing, style: &Style) -> Result<Picture> {
    let (state, view) = (drawing.state(simulation.rule())?, drawing.view(simulation.domain())?);
    crate::picture::of_simulation(simulation, state, view.as_ref(), style)
}

/// Tests write thousands of pictures: instead of large ones, a few pixels of the state's digest.
#[cfg(test)]
fn picture_of(simulation: &Simulation, _: &Drawing, _: &Style) -> Result<Picture> {
    let pixels = simulation.digests()?[0].1.to_le_bytes().repeat(3);
    let image = squeeze_drawing::Image { width: 8, height: 1, pixels };
    Ok(Picture { sheet: squeeze_drawing::frame::bare(image, ""), range: None })
}

/// The table's line of these observables of the present state.
pub(super) fn row_of(simulation: &Simulation, values: &Observed<'_>) -> String {
    row(simulation.rule(), simulation.time(), values)
}

fn row(rule: &Rule, time: u32, values: &Observed<'_>) -> String {
    let mut row = String::new();
    push_row(&mut row, (time, None), of_observables(rule, false, values.iter().map(|(_, value)| value)));
    row
}

/// Makes the folders of states and images, or takes those that are there, and removes half-written files. Links are refused.
pub(super) fn make_folders(folder: &RunFolder) -> Result<()> {
    for path in [folder.states_path(), folder.images_path()] {
        match files::make_folder(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && !path.is_symlink() => {}
            Err(_) if path.is_symlink() => return Err(FileError::Link(path).into()),
            made => made.map_err(|error| FileError::writing(&path, error))?,
        }
        files::remove_parts(&path).map_err(|error| FileError::writing(&path, error))?;
    }
    files::sync_parent(&folder.states_path()).map_err(|error| FileError::writing(folder.path(), error))?;
    Ok(())
}
