//! The entries of a manifest that tell apart the processes that work on a folder.

use serde_json::{Map, Value as Json, json};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The sources and features of the program, as far as its build knew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// The commit of its sources, with a `+` behind it if they were changed.
    pub commit: Option<String>,
    /// The day of that commit, or of `SOURCE_DATE_EPOCH`.
    pub date: Option<String>,
    /// Its optional features.
    pub features: Vec<String>,
}

/// The build and the command line of this process, if it has others than its arguments.
static PROCESS: Mutex<Option<(Build, Vec<String>)>> = Mutex::new(None);

/// The words of the command line that is at work.
pub fn command_line() -> Vec<String> {
    let given = PROCESS.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(_, words)| words.clone());
    given.unwrap_or_else(|| std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect())
}

impl Build {
    /// Makes this the build, and these words the command line, that each manifest names from here on.
    pub fn of_this_process(self, command: Vec<String>) {
        *PROCESS.lock().unwrap_or_else(PoisonError::into_inner) = Some((self, command));
    }

    /// The day, in UTC, that this many seconds since 1970 lie in.
    pub fn day(seconds: u64) -> String {
        utc(UNIX_EPOCH + Duration::from_secs(seconds.min(LAST))).map_or_else(String::new, |time| time[..10].to_owned())
    }
}

/// The last second, since 1970, of the year 9999. Dates are written in four digits.
const LAST: u64 = 253_402_300_799;

/// A time in UTC; `None` for what no clock that is right says.
fn utc(time: SystemTime) -> Option<String> {
    let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
    (seconds <= LAST).then(|| humantime::format_rfc3339_seconds(time).to_string())
}

/// The entries that describe this process: its build, its command line, its host and when it took up the work.
pub(crate) fn of_this_process() -> Map<String, Json> {
    let build = PROCESS.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(build, _)| build.clone());
    let Build { commit, date, features } = build.unwrap_or_default();
    let all = [
        ("commit", json!(commit)),
        ("built", json!(date)),
        ("features", json!(features)),
        ("command", json!(command_line())),
        ("started", json!(utc(SystemTime::now()))),
        ("host", json!(squeeze_host::memory::host_name())),
    ];
    all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(Build::day(0), "1970-01-01");
        assert_eq!(Build::day(951_827_696), "2000-02-29");
        assert_eq!(Build::day(u64::MAX), "9999-12-31");
    }

    /// Boards without a battery begin in another year.
    #[test]
    fn clocks_may_say_anything() {
        let second = Duration::from_secs(1);
        let last = UNIX_EPOCH + Duration::from_secs(LAST);
        assert_eq!(utc(UNIX_EPOCH).unwrap(), "1970-01-01T00:00:00Z");
        assert_eq!(utc(last).unwrap(), "9999-12-31T23:59:59Z");
        for wrong in [
            UNIX_EPOCH - second,
            UNIX_EPOCH - Duration::from_nanos(1),
            last + second,
            UNIX_EPOCH + Duration::from_secs(1 << 40),
        ] {
            assert_eq!(utc(wrong), None);
        }
    }
}
