//! The progress that a user sees while a simulation runs, and the signals that stop it.

use crate::report::{CliError, observed, remark};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use squeeze::numbers::{grouped, in_words};
use squeeze::run::{Manifest, Watch};
use squeeze::simulation::SimulationError;
use squeeze::{ObservedValue, Simulation};
use std::fmt::Write;
use std::io::{IsTerminal, stderr};
#[cfg(unix)]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
#[cfg(unix)]
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two lines, where standard error is not a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// Least time between two observables that are taken for the display alone,
const BETWEEN_OBSERVATIONS: Duration = Duration::from_secs(2);
/// and so rarely that it takes this part of the time.
const SHARE_OF_OBSERVING: u32 = 50;

/// The display on standard error: a bar on a terminal, else a line now and then.
struct ProgressDisplay {
    bar: Option<ProgressBar>,
    lines: bool,
    /// The steps that were computed when this process began or wrote its last line, and when that was.
    since: Option<(u64, Instant)>,
}

impl ProgressDisplay {
    /// Nothing is shown yet; `form` is that of the bar, as `indicatif` takes it. From now on a signal asks for the end; a second one, a second or more
    /// later, ends the process at once.
    fn new(quiet: bool, form: &str) -> Result<ProgressDisplay, CliError> {
        let terminal = stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar());
            let style = style.with_key("rate", |state: &ProgressState, text: &mut dyn Write| {
                _ = text.write_str(&in_words(state.per_sec()));
            });
            bar.with_style(style.progress_chars("█▓░"))
        });
        listen()?;
        Ok(ProgressDisplay { bar, lines: !terminal && !quiet, since: None })
    }

    /// Whether something is to be shown now.
    fn is_due(&self) -> bool {
        self.bar.is_some() || self.lines && self.since.is_none_or(|(_, when)| when.elapsed() >= BETWEEN_LINES)
    }

    /// Shows how many steps of all are computed, and words before and behind that.
    fn show(&mut self, what: String, done: u64, all: u64, more: String) {
        let begins = self.since.is_none();
        let (before, when) = *self.since.get_or_insert_with(|| (done, Instant::now()));
        if let Some(bar) = &self.bar {
            bar.set_length(all);
            bar.set_prefix(what);
            bar.set_message(more);
            bar.set_position(done);
            if begins {
                bar.reset_eta();
            }
        } else if done > before {
            // Since the last line alone: members of higher levels take longer and come later.
            let rate = (done - before) as f64 / when.elapsed().as_secs_f64();
            let left = grouped(((all - done) as f64 / rate).ceil() as u64);
            remark(&format!("{what}, {} steps a second, {left} s left{more}", in_words(rate)));
            self.since = Some((done, Instant::now()));
        }
    }

    /// Takes the bar away.
    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Shows a run to others while it goes on.
pub(crate) trait RunViewer {
    /// Before the first step of this process.
    ///
    /// # Errors
    /// If it cannot begin.
    fn begin(&mut self, simulation: &Simulation, manifest: &Manifest) -> Result<(), CliError>;

    /// Between steps.
    fn progress(&mut self, simulation: &Simulation);

    /// After the last step, and before this process ends.
    fn stay(&mut self, simulation: &Simulation);
}

/// One of some kind.
pub(crate) type BoxedViewer = Box<dyn RunViewer>;

/// Shows how far a run has come.
pub(crate) struct Screen {
    viewer: Option<BoxedViewer>,
    progress: ProgressDisplay,
    steps: u32,
    start: Instant,
    observable: Option<(String, Instant, Duration)>,
    /// Observables come by themselves.
    observed: bool,
}

impl Screen {
    /// A screen for a run up to the time `steps`, which listens to signals.
    pub(crate) fn new(steps: u32, quiet: bool) -> Result<Screen, CliError> {
        let progress = ProgressDisplay::new(quiet, "{bar:8} {prefix}, {rate} a second, {eta} left{wide_msg}")?;
        Ok(Screen { viewer: None, progress, steps, start: Instant::now(), observable: None, observed: false })
    }

    /// Lets others look on from here on.
    ///
    /// # Errors
    /// If that cannot begin.
    pub(crate) fn watched(
        mut self,
        viewer: Option<BoxedViewer>,
        simulation: &Simulation,
        manifest: &Manifest,
    ) -> Result<Screen, CliError> {
        self.viewer = viewer;
        self.viewer.iter_mut().try_for_each(|viewer| viewer.begin(simulation, manifest))?;
        Ok(self)
    }

    /// Lets others go on looking at a run that has come to its end.
    pub(crate) fn stay(&mut self, simulation: &Simulation) {
        self.viewer.iter_mut().for_each(|viewer| viewer.stay(simulation));
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.progress.clear();
    }

    fn observe(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        let due = self
            .observable
            .as_ref()
            .is_none_or(|(_, when, cost)| when.elapsed() > BETWEEN_OBSERVATIONS.max(*cost * SHARE_OF_OBSERVING));
        if !self.observed && due && self.start.elapsed() > BETWEEN_OBSERVATIONS {
            let start = Instant::now();
            if let Some((name, value)) = simulation.observe()?.first() {
                self.observable = Some((format!("{name} = {}", observed(value)), Instant::now(), start.elapsed()));
            }
        }
        Ok(())
    }
}

/// After the first signal others end the process at once, but not those that belong to it, in milliseconds: `timeout` sends one to the process and one to its
/// group.
#[cfg(unix)]
const ONE_SIGNAL: u64 = 1000;

/// The number of the signal that came first, or 0,
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// and when it came, in milliseconds of the system's clock.
#[cfg(unix)]
static CAME: AtomicU64 = AtomicU64::new(0);

/// The number of the signal that this process was asked to end by, if one was.
pub(crate) fn signal() -> Option<u8> {
    u8::try_from(SIGNAL.load(Relaxed)).ok().filter(|number| *number > 0)
}

/// The actions of signals that a command handles, as they were before.
#[cfg(unix)]
static BEFORE: Mutex<Vec<(libc::c_int, libc::sigaction)>> = Mutex::new(Vec::new());

/// The time of a command, at whose end signals do again what they did.
pub(crate) struct Signals(());

impl Signals {
    /// Lets a write beyond the largest size of a file (`ulimit -f`) fail as one to a full disk does: the signal would end the process without a word.
    pub(crate) fn outlive_long_files() -> Signals {
        SIGNAL.store(0, Relaxed);
        // Programs that this one starts would inherit a signal that is ignored; a handler they do not. Where none can be set, the signal ends the process as before.
        #[cfg(unix)]
        {
            extern "C" fn nothing(_: libc::c_int) {}
            _ = handle(libc::SIGXFSZ, nothing);
        }
        Signals(())
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        #[cfg(unix)]
        for (signal, before) in BEFORE.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: it is the action that was there.
            unsafe { libc::sigaction(signal, &raw const before, std::ptr::null_mut()) };
        }
    }
}

/// Notes from here on a signal of the keyboard, of a terminal that closes, of a batch system that will kill, and of a limit of time.
pub(crate) fn listen() -> Result<(), CliError> {
    #[cfg(unix)]
    ending(note)?;
    Ok(())
}

/// Lets the signals that ask for the end do nothing here: launchers send them to all ranks, and rank 0 ends the others when its state is saved.
pub(crate) fn leave_to_others() -> Result<(), CliError> {
    #[cfg(unix)]
    {
        extern "C" fn nothing(_: libc::c_int) {}
        ending(nothing)?;
    }
    Ok(())
}

/// Has the signals handled that ask for the end.
#[cfg(unix)]
fn ending(handler: extern "C" fn(libc::c_int)) -> Result<(), CliError> {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2, libc::SIGXCPU, libc::SIGHUP] {
        handle(signal, handler)
            .map_err(|error| squeeze::Error::system(format!("cannot listen to signals: {error}")))?;
    }
    Ok(())
}

/// Has a signal handled. `nohup` said of the one of a terminal that closes that it is nothing to this process: that stays.
#[cfg(unix)]
fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) -> std::io::Result<()> {
    let mut all = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: all zeros are an action, and the handlers do what handlers may.
    let (done, before) = unsafe {
        let (mut new, mut before): (libc::sigaction, libc::sigaction) = (std::mem::zeroed(), std::mem::zeroed());
        new.sa_sigaction = handler as *const () as libc::sighandler_t;
        new.sa_flags = libc::SA_RESTART;
        let asked = libc::sigaction(signal, std::ptr::null(), &raw mut before);
        if asked == 0 && signal == libc::SIGHUP && before.sa_sigaction == libc::SIG_IGN {
            return Ok(());
        }
        (asked | libc::sigaction(signal, &raw const new, std::ptr::null_mut()), before)
    };
    if done != 0 {
        return Err(std::io::Error::last_os_error());
    }
    if all.iter().all(|(known, _)| *known != signal) {
        all.push((signal, before));
    }
    Ok(())
}

/// Notes the first signal; a later one ends the process at once.
#[cfg(unix)]
extern "C" fn note(signal: libc::c_int) {
    // SAFETY: handlers may ask the clock, and end the process.
    unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now);
        let now = now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000;
        if SIGNAL.compare_exchange(0, signal, Relaxed, Relaxed).is_ok() {
            CAME.store(now, Relaxed);
        } else if now.saturating_sub(CAME.load(Relaxed)) >= ONE_SIGNAL {
            libc::_exit(128 + signal);
        }
    }
}

/// Shows how far a sweep has come.
pub(crate) struct SweepScreen {
    progress: ProgressDisplay,
    members: usize,
}

impl SweepScreen {
    /// A screen for `members` members, which listens to signals.
    pub(crate) fn new(members: usize, quiet: bool) -> Result<SweepScreen, CliError> {
        Ok(SweepScreen { progress: ProgressDisplay::new(quiet, "{bar:24} {percent}%, {eta} left, {prefix}")?, members })
    }
}

impl squeeze::sweep::work::Watch for SweepScreen {
    fn wants_stop(&self) -> bool {
        signal().is_some()
    }

    fn remark(&mut self, text: &str) {
        remark(&format!("warning: {text}"));
    }

    fn progress(&mut self, steps: u64, all: u64, members: usize) {
        if self.progress.is_due() {
            let what = format!("{} of {} members", grouped(members as u64), grouped(self.members as u64));
            self.progress.show(what, steps, all, String::new());
        }
    }
}

impl Watch for Screen {
    fn wants_stop(&self) -> bool {
        signal().is_some()
    }

    fn progress(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        self.viewer.iter_mut().for_each(|viewer| viewer.progress(simulation));
        if self.progress.is_due() {
            self.observe(simulation)?;
            let (time, all) = (u64::from(simulation.time()), u64::from(self.steps));
            let observed = self.observable.as_ref().map_or(String::new(), |(text, ..)| format!(", {text}"));
            self.progress.show(format!("step {} of {}", grouped(time), grouped(all)), time, all, observed);
        }
        Ok(())
    }

    fn remark(&mut self, note: &str) {
        remark(&format!("note: {note}"));
    }

    fn observed(&mut self, values: &[(&str, ObservedValue)]) {
        if let Some((name, value)) = values.first() {
            self.observed = true;
            self.observable = Some((format!("{name} = {}", observed(value)), Instant::now(), Duration::ZERO));
        }
    }
}
