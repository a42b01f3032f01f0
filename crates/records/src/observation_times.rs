//! Times at which observables are taken that are not multiples of one number: lists, and times that are evenly spaced in their logarithm.

use serde::{Deserialize, Serialize};
use squeeze_compiler::numbers::mode::DefaultMode;
use std::sync::Arc;

/// Some times, ascending, each once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<u32>", try_from = "Vec<u32>")]
pub struct ObservationTimes(Arc<[u32]>);

/// The most times of a list.
const MOST: usize = 1 << 20;
/// The most times in each power of ten.
const MOST_PER_DECADE: u32 = 1000;

impl ObservationTimes {
    /// Reads `log:N`, which is 0 and N times in each power of ten from 1 on (rounded, each once), or a list `0,1,2,5,10`.
    ///
    /// # Errors
    /// A sentence that says which forms are valid.
    pub fn parse(text: &str) -> Result<ObservationTimes, String> {
        let _mode = DefaultMode::enter();
        let valid = || {
            format!(
                "valid are whole numbers with commas between them, such as 0,1,10,100, or log:N with N from 1 to {MOST_PER_DECADE} for N times in \
                 each power of ten"
            )
        };
        if let Some(number) = text.strip_prefix("log:") {
            let number = number.parse().ok().filter(|number| (1..=MOST_PER_DECADE).contains(number));
            return number.map(ObservationTimes::logarithmic).ok_or_else(valid);
        }
        let mut times: Vec<u32> =
            text.split(',').map(|word| word.trim().parse().map_err(|_| valid())).collect::<Result<_, _>>()?;
        times.sort_unstable();
        times.dedup();
        if times.len() > MOST {
            return Err(format!("there may be {MOST} times"));
        }
        Ok(ObservationTimes(times.into()))
    }

    /// 0 and `per_decade` times in each power of ten, up to the last time there is.
    fn logarithmic(per_decade: u32) -> ObservationTimes {
        let all = (0..).map(|i| 10f64.powf(f64::from(i) / f64::from(per_decade)).round());
        let all = all.take_while(|time| *time <= f64::from(u32::MAX)).map(|time| time as u32);
        let mut times: Vec<u32> = std::iter::once(0).chain(all).collect();
        times.dedup();
        ObservationTimes(times.into())
    }

    /// Whether a time is one of them.
    pub(crate) fn contain(&self, time: u32) -> bool {
        self.0.binary_search(&time).is_ok()
    }

    /// The first one after a time.
    pub fn after(&self, time: u32) -> Option<u32> {
        self.0.get(self.0.partition_point(|known| *known <= time)).copied()
    }

    /// The times up to `last`, itself included.
    pub(crate) fn up_to(&self, last: u32) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied().take_while(move |time| *time <= last)
    }

    /// The first and the last of those from `from` on and before `before`.
    pub(crate) fn ends_of(&self, from: u64, before: u64) -> Option<(u32, u32)> {
        let below = |bound: u64| self.0.partition_point(|time| u64::from(*time) < bound);
        let found = self.0.get(below(from)..below(before))?;
        Some((*found.first()?, *found.last()?))
    }
}

impl From<ObservationTimes> for Vec<u32> {
    fn from(times: ObservationTimes) -> Vec<u32> {
        times.0.to_vec()
    }
}

impl TryFrom<Vec<u32>> for ObservationTimes {
    type Error = &'static str;

    fn try_from(times: Vec<u32>) -> Result<ObservationTimes, &'static str> {
        let ascending = times.is_sorted_by(|a, b| a < b) && !times.is_empty() && times.len() <= MOST;
        if ascending { Ok(ObservationTimes(times.into())) } else { Err("times must ascend") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<u32> {
        ObservationTimes::parse(text).unwrap().up_to(200).collect()
    }

    #[test]
    fn lists_and_logarithmic_times_are_read() {
        assert_eq!(of("10, 0,1,10,1000"), [0, 1, 10]);
        assert_eq!(of("log:1"), [0, 1, 10, 100]);
        assert_eq!(of("log:3"), [0, 1, 2, 5, 10, 22, 46, 100]);
        assert_eq!(of("log:10")[..12], [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20]);
        for text in ["", "1,,2", "a", "log:0", "log:1001", "log:", "-1", "4294967296"] {
            assert!(ObservationTimes::parse(text).unwrap_err().contains("log:N"), "{text}");
        }
        let times = ObservationTimes::parse("log:2").unwrap();
        assert_eq!((times.after(0), times.after(10), times.after(u32::MAX)), (Some(1), Some(32), None));
        assert!(times.contain(100) && !times.contain(99));
        assert_eq!(serde_json::from_value::<ObservationTimes>(serde_json::to_value(&times).unwrap()).unwrap(), times);
        for wrong in ["[]", "[2, 1]", "[1, 1]", "[-1]", "{}", "[4294967296]"] {
            assert!(serde_json::from_str::<ObservationTimes>(wrong).is_err(), "{wrong}");
        }
    }
}
