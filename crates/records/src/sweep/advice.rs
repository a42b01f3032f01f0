//! Values of a ladder's parameter at which neighbours would exchange states often enough, from the rates that were met.
//!
//! Where the logarithms of the weights of two neighbours are normally distributed, they exchange with the rate erfc(l / 2), with l the standard deviations between the two. Such
//! lengths add up along the parameter. So the length of each gap follows from its rate, and values are laid so that all gaps are of one length.

use super::Exchanges;
use super::exchange::PairExchanges;

/// The rate that is aimed at: far enough above the least of 20% and below the most of 40%.
const RATE: f64 = 0.3;
/// The least rate that is left.
const LEAST: f64 = 0.2;

/// Values that are advised to ladders that differ in seeds alone.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// The values of all other parameters, in words.
    pub values: String,
    /// The values of the ladders' parameter, ascending, as they are written.
    pub advised: Vec<String>,
    /// Whether two neighbours never exchanged states, so that the gap between them may need more values than these.
    pub is_rough: bool,
}

impl Exchanges {
    /// The values at which neighbours would exchange states in 20 to 40% of all cases, or more often where there are two values alone. None are advised to ladders whose
    /// exchanges were not tried.
    pub fn advice(&self) -> Vec<Advice> {
        let of = |(values, pairs): (&str, Vec<PairExchanges>)| {
            let advised = advised(&pairs)?;
            let is_rough = pairs.iter().any(|pair| pair.accepted == 0);
            Some(Advice { values: values.to_owned(), advised, is_rough })
        };
        self.by_values().into_iter().filter_map(of).collect()
    }
}

/// The values for gaps of one length.
fn advised(pairs: &[PairExchanges]) -> Option<Vec<String>> {
    let places = pairs.iter().map(|pair| Some(pair.values.each_ref().map(|value| value.parse::<f64>().ok())));
    let mut ends: Vec<[f64; 2]> = Vec::new();
    for place in places {
        let [Some(lower), Some(upper)] = place? else { return None };
        ends.push([lower, upper]);
    }
    if pairs.iter().any(|pair| pair.tried == 0) {
        return None;
    }
    // A rate of 0 or 1 is less certain than it looks.
    let rate = |pair: &PairExchanges| (pair.accepted as f64 + 0.5) / (pair.tried as f64 + 1.0);
    let lengths: Vec<f64> = pairs.iter().map(|pair| length_of(rate(pair))).collect();
    let all: f64 = lengths.iter().sum();
    let most = (all / length_of(LEAST)).ceil().max(1.0);
    let gaps = (all / length_of(RATE)).round().max(most) as usize;
    let mut values: Vec<f64> = Vec::new();
    for gap in 0..=gaps {
        let mut rest = all * gap as f64 / gaps as f64;
        let mut at = 0;
        while at + 1 < lengths.len() && rest > lengths[at] {
            rest -= lengths[at];
            at += 1;
        }
        let [lower, upper] = ends[at];
        values.push(lower + (upper - lower) * (rest / lengths[at]).clamp(0.0, 1.0));
    }
    let nearest = values.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    // As many digits as move no value by more than a hundredth of the least gap.
    let digits = (0..17).find(|digits| 0.5 * 10f64.powi(-*digits) <= 0.01 * nearest).unwrap_or(17) as usize;
    let mut texts: Vec<String> = values.iter().map(|value| format!("{value:.digits$}")).collect();
    // The ends are those that there are.
    texts[0].clone_from(&pairs[0].values[0]);
    let last = texts.len() - 1;
    texts[last].clone_from(&pairs[pairs.len() - 1].values[1]);
    Some(texts)
}

/// The length of a gap with this rate, between 0 and 1: where erfc of its half is the rate.
fn length_of(rate: f64) -> f64 {
    let (mut low, mut high) = (0.0, 12.0);
    for _ in 0..60 {
        let middle: f64 = 0.5 * (low + high);
        if erfc(0.5 * middle) > rate { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The complementary error function of a number that is not negative, by Simpson's rule.
fn erfc(x: f64) -> f64 {
    /// Intervals, of which there are twice as many halves.
    const INTERVALS: u32 = 100;
    let height = |place: f64| (-place * place).exp();
    let step = x / f64::from(2 * INTERVALS);
    let sum: f64 = (0..=2 * INTERVALS)
        .map(|i| {
            let weight = if i == 0 || i == 2 * INTERVALS {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            };
            weight * height(f64::from(i) * step)
        })
        .sum();
    (1.0 - std::f64::consts::FRAC_2_SQRT_PI * sum * step / 3.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_rates() {
        for (x, expected) in [(0.0, 1.0), (0.5, 0.479_500_122), (1.0, 0.157_299_207), (2.0, 0.004_677_735)] {
            assert!((erfc(x) - expected).abs() < 1e-8, "{x}");
        }
        for rate in [0.9, 0.3, 0.01, 1e-5] {
            assert!((erfc(0.5 * length_of(rate)) / rate - 1.0).abs() < 1e-4, "{rate}");
        }
    }

    #[test]
    fn values_are_laid_so_that_gaps_are_alike() {
        let pair =
            |values: [&str; 2], accepted| PairExchanges { values: values.map(str::to_owned), tried: 1000, accepted };
        // Two gaps at the rate that is aimed at stay.
        assert_eq!(advised(&[pair(["0.4", "0.5"], 300), pair(["0.5", "0.6"], 300)]).unwrap(), ["0.4", "0.500", "0.6"]);
        // A gap of twice the length is halved, and one that is too short is joined with the next.
        let twice = (1000.0 * erfc(length_of(0.3))) as u64;
        assert_eq!(advised(&[pair(["0.4", "0.8"], twice)]).unwrap(), ["0.4", "0.600", "0.8"]);
        let half = (1000.0 * erfc(0.25 * length_of(0.3))) as u64;
        let joined = advised(&[pair(["1", "2"], half), pair(["2", "3"], half)]).unwrap();
        assert_eq!(joined, ["1", "3"]);
        assert_eq!(advised(&[PairExchanges { tried: 0, ..pair(["1", "2"], 0) }]), None);
        let far = advised(&[pair(["0", "1"], 0)]).unwrap();
        assert!(far.len() > 3 && far[0] == "0" && far[far.len() - 1] == "1", "{far:?}");
    }
}
