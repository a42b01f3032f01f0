//! What a person sees while a simulation runs, and the signals that stop it.

use crate::report::{Failure, grouped, in_words};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use squeeze::run::Watch;
use squeeze::simulation::SimulationError;
use squeeze::{ObservedValue, Simulation};
use std::fmt::Write;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two lines, where standard error is not a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// An observable that nobody asked for is taken this often at most,
const BETWEEN_OBSERVATIONS: Duration = Duration::from_secs(2);
/// and so rarely that it takes this part of the time.
const SHARE_OF_OBSERVING: u32 = 50;

/// Shows progress on standard error: a bar on a terminal, else a line now and then.
pub struct Screen {
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
    pub fn new(steps: u32, from: u32, quiet: bool) -> Screen {
        let terminal = stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(u64::from(steps)), ProgressDrawTarget::stderr_with_hz(5));
            let form = "{bar:32} step {human_pos} of {human_len}, {rate} a second, {eta} left{msg}";
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

    /// Lets Ctrl-C and SIGTERM save the run and end it; a second signal ends the process at once.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen(&self) -> Result<(), Failure> {
        listen(&self.stop)
    }

    /// Tells where the run begins, if it is not where it was thought to.
    pub fn begin_at(&mut self, time: u32) {
        self.first_time = time;
        self.start = Instant::now();
        if let Some(bar) = &self.bar {
            bar.set_position(u64::from(time));
            bar.reset_eta();
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
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
                self.observable = Some((format!("{name} = {value}"), Instant::now(), start.elapsed()));
            }
        }
        Ok(())
    }

    fn message(&self) -> String {
        self.observable.as_ref().map_or(String::new(), |(text, ..)| format!(", {text}"))
    }
}

/// Sets the flag at Ctrl-C and SIGTERM; a second one ends the process at once.
fn listen(stop: &Arc<AtomicBool>) -> Result<(), Failure> {
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let registered = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(stop)));
        registered.map_err(|error| squeeze::Error::system(format!("cannot listen to signals: {error}")))?;
    }
    Ok(())
}

/// Shows how far a sweep has come.
pub struct SweepScreen {
    stop: Arc<AtomicBool>,
    bar: Option<ProgressBar>,
    lines: bool,
    members: usize,
    /// The steps that were computed before, and when this process began.
    start: Option<(u64, Instant)>,
    last_line: Instant,
}

impl SweepScreen {
    /// A screen for so many members, which listens to Ctrl-C and SIGTERM.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(members: usize, quiet: bool) -> Result<SweepScreen, Failure> {
        let terminal = stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template("{bar:32} {msg}, {percent}%, {eta} left");
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
            eprintln!("{text}, {} steps a second, {} s left", in_words(rate), grouped(left as u64));
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
            eprintln!("step {at} of {all}, {} steps a second, {left} s left{}", in_words(rate), self.message());
            self.last_line = Instant::now();
        }
        Ok(())
    }

    fn observed(&mut self, values: &[(&str, ObservedValue)]) {
        if let Some((name, value)) = values.first() {
            self.observed = true;
            self.observable = Some((format!("{name} = {value}"), Instant::now(), Duration::ZERO));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.clear();
    }
}
