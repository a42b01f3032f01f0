//! What a person sees while a simulation runs, and the signals that stop it.

use crate::report::{Failure, observed, remark};
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
/// An observable that nobody asked for is taken this often at most,
const BETWEEN_OBSERVATIONS: Duration = Duration::from_secs(2);
/// and so rarely that it takes this part of the time.
const SHARE_OF_OBSERVING: u32 = 50;

/// Shows progress on standard error: a bar on a terminal, else a line now and then.
pub(crate) struct Screen {
    stop: Arc<AtomicBool>,
    bar: Option<ProgressBar>,
    lines: bool,
    steps: u32,
    first_time: u32,
    start: Instant,
    last_line: Instant,
    observable: Option<(String, Instant, Duration)>,
    /// Observables come by themselves.
    observed: bool,
}

impl Screen {
    /// A screen for a run from the time `from` up to `steps`.
    pub(crate) fn new(steps: u32, from: u32, quiet: bool) -> Screen {
        let terminal = stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(u64::from(steps)), ProgressDrawTarget::stderr_with_hz(5));
            let form = "{bar:8} step {human_pos} of {human_len}, {rate} a second, {eta} left{wide_msg}";
            let style = ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar());
            let style = style.with_key("rate", |state: &ProgressState, text: &mut dyn Write| {
                _ = text.write_str(&in_words(state.per_sec()));
            });
            bar.with_style(style.progress_chars("█▓░")).with_position(u64::from(from))
        });
        if let Some(bar) = &bar {
            bar.reset_eta();
        }
        Screen {
            stop: Arc::default(),
            bar,
            lines: !terminal && !quiet,
            steps,
            first_time: from,
            start: Instant::now(),
            last_line: Instant::now(),
            observable: None,
            observed: false,
        }
    }

    /// Lets signals save the run and end it; a second one, a second or more later, ends the process at once.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn listen(&self) -> Result<(), Failure> {
        listen(&self.stop)
    }

    /// Tells where the run begins, if it is not where it was thought to.
    pub(crate) fn begin_at(&mut self, time: u32) {
        self.first_time = time;
        self.start = Instant::now();
        if let Some(bar) = &self.bar {
            bar.set_position(u64::from(time));
            bar.reset_eta();
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
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

    fn message(&self) -> String {
        self.observable.as_ref().map_or(String::new(), |(text, ..)| format!(", {text}"))
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
fn listen(stop: &Arc<AtomicBool>) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
        let refused = |error| Failure::from(squeeze::Error::system(format!("cannot listen to signals: {error}")));
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
    stop: Arc<AtomicBool>,
    bar: Option<ProgressBar>,
    lines: bool,
    members: usize,
    /// The steps that were computed before, and when this process began.
    start: Option<(u64, Instant)>,
    last_line: Instant,
}

impl SweepScreen {
    /// A screen for `members` members, which listens to signals.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn new(members: usize, quiet: bool) -> Result<SweepScreen, Failure> {
        let terminal = stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template("{bar:24} {percent}%, {eta} left, {wide_msg}");
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("█▓░"))
        });
        let stop = Arc::default();
        listen(&stop)?;
        Ok(SweepScreen { stop, bar, lines: !terminal && !quiet, members, start: None, last_line: Instant::now() })
    }
}

impl squeeze::sweep::work::Watch for SweepScreen {
    fn wants_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn remark(&mut self, text: &str) {
        remark(&format!("warning: {text}"));
    }

    fn progress(&mut self, steps: u64, all: u64, members: usize) {
        let (before, start) = *self.start.get_or_insert_with(|| (steps, Instant::now()));
        let text = format!("{} of {} members", grouped(members as u64), grouped(self.members as u64));
        if let Some(bar) = &self.bar {
            if bar.length() != Some(all) {
                bar.set_length(all);
                bar.set_position(before);
                bar.reset_eta();
            }
            bar.set_message(text);
            bar.set_position(steps);
        } else if self.lines && self.last_line.elapsed() >= BETWEEN_LINES && steps > before {
            let rate = (steps - before) as f64 / start.elapsed().as_secs_f64();
            let left = ((all - steps) as f64 / rate).ceil();
            remark(&format!("{text}, {} steps a second, {} s left", in_words(rate), grouped(left as u64)));
            self.last_line = Instant::now();
        }
    }
}

impl Drop for SweepScreen {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Screen {
    fn wants_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn progress(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        let time = simulation.time();
        if self.bar.is_some() {
            self.observe(simulation)?;
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.message());
            bar.set_position(u64::from(time));
        }
        if self.lines && self.last_line.elapsed() >= BETWEEN_LINES {
            self.observe(simulation)?;
            let rate = f64::from(time - self.first_time) / self.start.elapsed().as_secs_f64();
            let left = Duration::from_secs_f64((f64::from(self.steps - time) / rate).clamp(0.0, 1e9)).as_secs();
            let (at, all) = (grouped(u64::from(time)), grouped(u64::from(self.steps)));
            remark(&format!("step {at} of {all}, {} steps a second, {left} s left{}", in_words(rate), self.message()));
            self.last_line = Instant::now();
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

impl Drop for Screen {
    fn drop(&mut self) {
        self.clear();
    }
}
