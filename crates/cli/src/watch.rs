//! The progress that a user sees while a simulation runs, and the signals that stop it.

use crate::report::{CliError, observed, remark};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use squeeze::numbers::{grouped, in_words};
use squeeze::run::Watch;
use squeeze::simulation::SimulationError;
use squeeze::{ObservedValue, Simulation};
use std::fmt::Write;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Between two lines, where standard error is not a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// Least time between two observables that are taken for the display alone,
const BETWEEN_OBSERVATIONS: Duration = Duration::from_secs(2);
/// and so rarely that it takes this part of the time.
const SHARE_OF_OBSERVING: u32 = 50;

/// The display on standard error: a bar on a terminal, else a line now and then.
struct ProgressDisplay {
    stop: Arc<AtomicBool>,
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
        let progress = ProgressDisplay { stop: Arc::default(), bar, lines: !terminal && !quiet, since: None };
        listen(&progress.stop)?;
        Ok(progress)
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

/// Shows how far a run has come.
pub(crate) struct Screen {
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
        Ok(Screen { progress, steps, start: Instant::now(), observable: None, observed: false })
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

/// After the first signal others end the process at once, but not those that belong to it: `timeout` sends one to the process and one to its group.
#[cfg(unix)]
const ONE_SIGNAL: Duration = Duration::from_secs(1);

/// The number of the signal that came first, or 0.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// The number of the signal that this process was asked to end by, if one was.
pub(crate) fn signal() -> Option<u8> {
    u8::try_from(SIGNAL.load(Ordering::Relaxed)).ok().filter(|number| *number > 0)
}

/// Sets the flag at a signal of the keyboard, of a terminal that closes, of a batch system that will kill, and of a limit of time.
fn listen(stop: &Arc<AtomicBool>) -> Result<(), CliError> {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
        let refused = |error| CliError::from(squeeze::Error::system(format!("cannot listen to signals: {error}")));
        let all = [SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU].into_iter().chain((!ignores_hangup()).then_some(SIGHUP));
        let mut signals = signal_hook::iterator::Signals::new(all).map_err(refused)?;
        let stop = Arc::clone(stop);
        let wait = move || {
            let mut first: Option<Instant> = None;
            for signal in signals.forever() {
                match first {
                    None => {
                        first = Some(Instant::now());
                        SIGNAL.store(signal, Ordering::Relaxed);
                        stop.store(true, Ordering::Relaxed);
                    }
                    Some(first) if first.elapsed() >= ONE_SIGNAL => signal_hook::low_level::exit(128 + signal),
                    Some(_) => {}
                }
            }
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(refused)?;
    }
    Ok(())
}

/// Lets a write beyond the largest size of a file (`ulimit -f`) fail as one to a full disk does: the signal would end the process without a word.
pub(crate) fn outlive_long_files() {
    // Programs that this one starts would inherit a signal that is ignored; a handler they do not. Where none can be set, the signal ends the process as before.
    #[cfg(unix)]
    {
        _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}

/// Whether `nohup` said that a terminal that closes is nothing to this process.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    ignored >> (signal_hook::consts::SIGHUP - 1) & 1 == 1
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
        self.progress.stop.load(Ordering::Relaxed)
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
        self.progress.stop.load(Ordering::Relaxed)
    }

    fn progress(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        if self.progress.is_due() {
            self.observe(simulation)?;
            let (time, all) = (u64::from(simulation.time()), u64::from(self.steps));
            let observed = self.observable.as_ref().map_or(String::new(), |(text, ..)| format!(", {text}"));
            self.progress.show(format!("step {} of {}", grouped(time), grouped(all)), time, all, observed);
        }
        Ok(())
    }

    fn observed(&mut self, values: &[(&str, ObservedValue)]) {
        if let Some((name, value)) = values.first() {
            self.observed = true;
            self.observable = Some((format!("{name} = {}", observed(value)), Instant::now(), Duration::ZERO));
        }
    }
}
