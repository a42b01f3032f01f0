//! How long something takes.

use std::convert::Infallible;
use std::sync::OnceLock;
use std::time::Instant;

/// The fewest repeats of which a median is taken.
const FEWEST_REPEATS: usize = 3;
/// The most repeats: more make no better median.
const MOST_REPEATS: usize = 1000;
/// The most units of a repeat: a system at rest takes no time, and times end at 2^32.
const MOST_UNITS: u64 = 1 << 21;

/// The time of one unit of work, over repeats. In seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The median.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// The fastest repeat.
    pub min: f64,
    /// The slowest.
    pub max: f64,
    /// How many repeats there were.
    pub repeats: usize,
    /// How many units of work one repeat did.
    pub units: u64,
}

impl Timing {
    /// That of repeats that took as long, in seconds for each of their `units`; at least two.
    pub(super) fn of(mut times: Vec<f64>, units: u64) -> Timing {
        times.sort_unstable_by(f64::total_cmp);
        let (min, max) = (times[0], times[times.len() - 1]);
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let error = (times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt();
        Timing { median: median(&times), mean, error, min, max, repeats: times.len(), units }
    }
}

/// Finds how much work lasts `shortest` seconds, which warms up, then repeats that much until `seconds` are over.
/// `work` does as many units of work as it is told, always a multiple of `unit`.
///
/// # Errors
/// As `work`.
pub fn time<E>(
    unit: u64,
    shortest: f64,
    seconds: f64,
    mut work: impl FnMut(u64) -> Result<(), E>,
) -> Result<Timing, E> {
    let mut clocked = |units: u64| -> Result<f64, E> {
        let began = Instant::now();
        work(units)?;
        Ok(began.elapsed().as_secs_f64())
    };
    let mut units = unit;
    loop {
        let took = clocked(units)?;
        if took >= shortest || units >= MOST_UNITS {
            break;
        }
        // Aimed a little beyond; never too far at once, since the first runs are the slowest.
        let factor = (1.2 * shortest / took.max(1e-9)).clamp(1.5, 16.0);
        units = (units as f64 / unit as f64 * factor).ceil() as u64 * unit;
    }
    let (mut times, mut total) = (Vec::new(), 0.0);
    while times.len() < FEWEST_REPEATS || total < seconds && times.len() < MOST_REPEATS {
        let took = clocked(units)?;
        total += took;
        times.push(took / units as f64);
    }
    Ok(Timing::of(times, units))
}

/// The time of work that cannot fail.
pub fn time_of(shortest: f64, seconds: f64, mut work: impl FnMut()) -> Timing {
    let Ok(timing) = time(1, shortest, seconds, |times| {
        (0..times).for_each(|_| work());
        Ok::<(), Infallible>(())
    });
    timing
}

/// Seconds that processors have computed for this process; those of a clock where the system does not tell. The system parts them into its own and
/// the user's by samples, so that only their sum is exact: the system's are none, since products ask it for nothing but memory.
pub fn user_seconds() -> f64 {
    #[cfg(unix)]
    {
        // SAFETY: all zeros are a value of this structure of numbers.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the structure lives during the call.
        if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } == 0 {
            let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
            return seconds(usage.ru_utime) + seconds(usage.ru_stime);
        }
    }
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// The median of times in ascending order, at least one.
pub(super) fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * (sorted[middle - 1] + sorted[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn repeats_last_long_enough_and_are_multiples_of_the_unit() {
        let (mut calls, mut longest) = (Vec::new(), Duration::ZERO);
        let timing = time(3, 0.004, 0.02, |units| {
            calls.push(units);
            let began = Instant::now();
            std::thread::sleep(Duration::from_micros(100 * units));
            longest = longest.max(began.elapsed());
            Ok::<(), ()>(())
        });
        let timing = timing.unwrap();
        assert!(calls.iter().all(|units| units % 3 == 0) && calls[0] == 3, "{calls:?}");
        // Of all calls: a sleep that lasted longer than it should may have told the length of others.
        assert!(longest.as_secs_f64() >= 0.003, "{longest:?} {timing:?}");
        assert!(timing.min <= timing.median && timing.median <= timing.max && timing.repeats >= 3, "{timing:?}");
        assert!(timing.min >= 100e-6, "{timing:?}");
    }

    #[test]
    fn medians() {
        assert_eq!([median(&[1.0]), median(&[1.0, 4.0]), median(&[1.0, 2.0, 9.0])], [1.0, 2.5, 2.0]);
    }
}
