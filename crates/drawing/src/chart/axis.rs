//! Axes: the range that an axis shows, its round numbers, and their labels.
//!
//! No loop here looks for round numbers by adding up steps: a tick is a whole number times a power of ten, written and read back as a decimal,
//! so axes end at the ends of the floats, and short ranges far from zero have ticks that differ.

/// How values are laid along an axis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithms, with powers of ten. Values that are not positive have no place.
    Decades,
    /// By their logarithms, with powers of two.
    Doublings,
    /// Numbers 0, 1, 2, … that stand for these names.
    Names(Vec<String>),
}

/// An axis, with its label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartAxis {
    /// The quantity on it, with the unit.
    pub label: String,
    /// How values are laid along it.
    pub scale: Scale,
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    /// Where: 0 is the beginning of the axis, 1 its end.
    pub at: f64,
    /// The text beside it; empty for small marks.
    pub label: String,
}

/// An axis that shows some values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fitted {
    scale: Scale,
    /// The ends, on logarithmic axes of the logarithm.
    low: f64,
    high: f64,
    pub ticks: Vec<Tick>,
    /// Labels are to be multiplied by ten to this power.
    pub exponent: i32,
}

/// About how many labels an axis has.
const LABELS: f64 = 5.0;
/// How far the axis goes beyond its values, as a part of their range.
const MARGIN: f64 = 0.04;
/// How far beyond the end of an axis a tick may be, as a part of its length.
const NEAR: f64 = 0.004;
/// The least that an axis goes beyond its values, as a part of the largest: labels of shorter ranges would not differ.
const SHORTEST: f64 = 1e-9;

impl Fitted {
    /// An axis that shows all values with a place on its scale: no logarithm of 0, no NaN.
    pub(crate) fn new(scale: &Scale, values: impl Iterator<Item = f64>) -> Fitted {
        let places = values.filter_map(|value| on(scale, value));
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (v.min(low), v.max(high)));
        let ends = (low <= high).then_some((low, high));
        match scale {
            Scale::Linear => linear(ends.unwrap_or((0.0, 1.0))),
            Scale::Decades => decades(ends.unwrap_or((0.0, 1.0))),
            Scale::Doublings => doublings(ends.unwrap_or((0.0, 1.0))),
            Scale::Names(names) => {
                let count = names.len().max(1) as f64;
                let every = names.len().div_ceil(40).max(1);
                let tick = |(i, name): (usize, &String)| Tick { at: (i as f64 + 0.5) / count, label: name.clone() };
                let ticks = names.iter().enumerate().step_by(every).map(tick).collect();
                Fitted { scale: scale.clone(), low: -0.5, high: count - 0.5, ticks, exponent: 0 }
            }
        }
    }

    /// An axis from one value to another, which are its ends.
    pub(crate) fn between(scale: &Scale, [low, high]: [f64; 2]) -> Fitted {
        let shown = Fitted::new(scale, [low, high].into_iter());
        let [from, to] = [low, high].map(|end| shown.place(end).unwrap_or(0.0));
        let mut fitted =
            Fitted { low: on(scale, low).unwrap_or(shown.low), high: on(scale, high).unwrap_or(shown.high), ..shown };
        for tick in &mut fitted.ticks {
            tick.at = (tick.at - from) / (to - from);
        }
        // A round number that an end misses by an invisible distance is that end.
        fitted.ticks.retain(|tick| (-NEAR..=1.0 + NEAR).contains(&tick.at));
        fitted
    }

    /// The label of the axis, with the power of ten that its numbers are to be multiplied by.
    pub(crate) fn label(&self, label: &str) -> String {
        match self.exponent {
            0 => label.to_owned(),
            exponent => format!("{label} (×10^{{{}}})", decimal(exponent.into(), 0)).trim_start().to_owned(),
        }
    }

    /// Where a value is: 0 is the beginning of the axis, 1 its end. `None` if it has no place on it.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        on(&self.scale, value).map(|value| self.along(value))
    }

    /// The same where values without a place are taken to the nearest end.
    pub(crate) fn place_or_end(&self, value: f64) -> f64 {
        self.place(value).map_or(if value > 0.0 { 1.0 } else { 0.0 }, |at| at.clamp(0.0, 1.0))
    }

    fn along(&self, value: f64) -> f64 {
        // Halves of the largest floats differ by a float, halves of the smallest are rounded.
        let part = if (self.high - self.low).is_finite() { 1.0 } else { 0.5 };
        (value * part - self.low * part) / (self.high * part - self.low * part)
    }
}

fn on(scale: &Scale, value: f64) -> Option<f64> {
    let shown = match scale {
        Scale::Linear | Scale::Names(_) => value,
        Scale::Decades => value.log10(),
        Scale::Doublings => value.log2(),
    };
    shown.is_finite().then_some(shown)
}

/// mantissa · 10^exponent, as the nearest float.
fn float(mantissa: i64, exponent: i32) -> f64 {
    format!("{mantissa}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// mantissa · 10^exponent without an exponent, and without zeros at its end.
fn decimal(mantissa: i64, exponent: i32) -> String {
    let sign = if mantissa < 0 { "−" } else { "" };
    let digits = mantissa.unsigned_abs().to_string();
    if mantissa == 0 {
        return "0".to_owned();
    }
    let Ok(behind) = usize::try_from(-exponent) else {
        return format!("{sign}{digits}{}", "0".repeat(exponent.unsigned_abs() as usize));
    };
    let digits = format!("{digits:0>width$}", width = behind + 1);
    let (whole, part) = digits.split_at(digits.len() - behind);
    let part = part.trim_end_matches('0');
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// The decimal exponent of a positive number.
fn exponent_of(value: f64) -> i32 {
    let text = format!("{value:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// A number with its power of ten.
pub(crate) fn written(value: f64) -> String {
    let text = format!("{value:e}");
    text.split_once('e')
        .map_or(text.clone(), |(digits, exponent)| match exponent {
            "0" => digits.to_owned(),
            _ => format!("{digits}×10^{{{exponent}}}"),
        })
        .replace('-', "−")
}

/// 1, 2 or 5 times a power of ten, near a positive number: 0.57 to 1.43 times as large.
fn round_step(value: f64) -> (i64, i32) {
    let exponent = exponent_of(value);
    match value / float(1, exponent) {
        part if part < 1.5 => (1, exponent),
        part if part < 3.5 => (2, exponent),
        part if part < 7.5 => (5, exponent),
        _ => (1, exponent + 1),
    }
}

/// Round numbers from `low` to `high`, as mantissas, and the exponent of all of them.
fn round_numbers(low: f64, high: f64) -> (Vec<i64>, i32) {
    let range =
        if (high - low).is_finite() { (high - low) / LABELS } else { (high / 2.0 - low / 2.0) / (LABELS / 2.0) };
    let (mantissa, exponent) = round_step(range.max(f64::MIN_POSITIVE / 4.0));
    let step = float(mantissa, exponent);
    let first = (low / step).ceil();
    if first.abs() > 1e15 {
        return (Vec::new(), exponent);
    }
    let all = (0..=2 * LABELS as i64).map(|i| (first as i64 + i) * mantissa);
    (all.take_while(|mantissa| float(*mantissa, exponent) <= high).collect(), exponent)
}

fn linear((low, high): (f64, f64)) -> Fitted {
    let largest = low.abs().max(high.abs());
    let pad = match low == high {
        true if largest == 0.0 => 1.0,
        true => largest / 2.0,
        false => (2.0 * MARGIN * (high / 2.0 - low / 2.0)).max(SHORTEST * largest),
    };
    // A quantity without negative values has no negative axis.
    let padded = if low >= 0.0 { (low - pad).max(0.0) } else { (low - pad).max(f64::MIN) };
    let mut fitted =
        Fitted { scale: Scale::Linear, low: padded, high: (high + pad).min(f64::MAX), ticks: Vec::new(), exponent: 0 };
    if fitted.low == fitted.high {
        // Beside the smallest float there is only zero.
        fitted.low = 0.0;
    }
    let (mantissas, exponent) = round_numbers(fitted.low, fitted.high);
    let greatest = exponent_of(fitted.low.abs().max(fitted.high.abs()));
    fitted.exponent = if (-4..6).contains(&greatest) { 0 } else { greatest };
    let tick = |mantissa: i64| Tick {
        at: fitted.along(float(mantissa, exponent)),
        label: decimal(mantissa, exponent - fitted.exponent),
    };
    fitted.ticks = mantissas.into_iter().map(tick).collect();
    if fitted.ticks.len() < 2 {
        // So near to the smallest float that there is no step between: the ends themselves.
        fitted.exponent = 0;
        fitted.ticks =
            [(0.0, fitted.low), (1.0, fitted.high)].map(|(at, end)| Tick { at, label: written(end) }).to_vec();
    }
    fitted
}

/// The ends of a logarithmic axis; `least` is the shortest range that it shows, in decades or doublings.
fn padded((low, high): (f64, f64), least: f64) -> (f64, f64) {
    let pad = if high - low < least { (least - (high - low)) / 2.0 } else { MARGIN * (high - low) };
    (low - pad, high + pad)
}

fn decades(ends: (f64, f64)) -> Fitted {
    let (low, high) = padded(ends, 0.3);
    let mut fitted = Fitted { scale: Scale::Decades, low, high, ticks: Vec::new(), exponent: 0 };
    let powers = low.ceil() as i32..=high.floor() as i32;
    let all = high - low;
    // Labels are plain decimals from about 10⁻³ to 10⁵. Above 1.7 decades only powers of ten have some, from 0.7 on also 2 and 5; up to 5 there are small marks.
    let plain = low >= -3.1 && high <= 5.1;
    let labelled = |mantissa: i64, power: i32| match (plain, mantissa) {
        (true, _) => decimal(mantissa, power),
        (false, 1) => format!("10^{{{}}}", decimal(power.into(), 0)),
        (false, _) => format!("{mantissa}×10^{{{}}}", decimal(power.into(), 0)),
    };
    if all > 1.7 {
        let every = ((all / (1.6 * LABELS)).ceil() as i32).max(1);
        for power in powers.clone() {
            let label = if power.rem_euclid(every) == 0 { labelled(1, power) } else { String::new() };
            fitted.ticks.push(Tick { at: fitted.along(f64::from(power)), label });
        }
    }
    if all <= 5.0 {
        for power in low.floor() as i32..=high.floor() as i32 {
            for mantissa in 1..10i64 {
                let at = fitted.along(f64::from(power) + (mantissa as f64).log10());
                let labels = all <= 1.7 && matches!(mantissa, 1 | 2 | 5) && all > 0.7;
                let label = if labels { labelled(mantissa, power) } else { String::new() };
                if (0.0..=1.0).contains(&at) && (all <= 1.7 || mantissa > 1) {
                    fitted.ticks.push(Tick { at, label });
                }
            }
        }
    }
    if all <= 0.7 {
        // As on an even axis, in the unit of the power below.
        let unit = low.floor() as i32;
        let (from, to) = (10f64.powf(low - f64::from(unit)), 10f64.powf(high - f64::from(unit)));
        let (mantissas, exponent) = round_numbers(from, to);
        fitted.exponent = if plain { 0 } else { unit };
        fitted.ticks.clear();
        for mantissa in mantissas {
            let at = fitted.along(float(mantissa, exponent).log10() + f64::from(unit));
            let label = decimal(mantissa, exponent + if plain { unit } else { 0 });
            fitted.ticks.push(Tick { at, label });
        }
    }
    fitted
}

fn doublings(ends: (f64, f64)) -> Fitted {
    let (low, high) = padded(ends, 1.0);
    let mut fitted = Fitted { scale: Scale::Doublings, low, high, ticks: Vec::new(), exponent: 0 };
    let every = (((high - low) / (2.0 * LABELS)).ceil() as i32).max(1);
    for power in low.ceil() as i32..=high.floor() as i32 {
        let label =
            if power.rem_euclid(every) == 0 { format!("2^{{{}}}", decimal(power.into(), 0)) } else { String::new() };
        if high - low < 100.0 || !label.is_empty() {
            fitted.ticks.push(Tick { at: fitted.along(f64::from(power)), label });
        }
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> (Vec<String>, i32) {
        let fitted = Fitted::new(&scale, values.iter().copied());
        for tick in &fitted.ticks {
            assert!((-1e-9..=1.0 + 1e-9).contains(&tick.at), "{values:?}: {tick:?}");
        }
        assert!(fitted.ticks.is_sorted_by_key(|tick| tick.at) || fitted.ticks.iter().any(|t| t.label.is_empty()));
        let labels: Vec<String> =
            fitted.ticks.iter().filter(|tick| !tick.label.is_empty()).map(|tick| tick.label.clone()).collect();
        let mut different = labels.clone();
        different.dedup();
        assert_eq!(labels, different, "{values:?}");
        (labels, fitted.exponent)
    }

    #[test]
    fn round_numbers_are_written_short() {
        assert_eq!(labels(Scale::Linear, &[0.0, 100.0]).0, ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(labels(Scale::Linear, &[-0.25, 0.25]).0, ["−0.2", "−0.1", "0", "0.1", "0.2"]);
        assert_eq!(labels(Scale::Linear, &[0.0, 4e9]), (["0", "1", "2", "3", "4"].map(str::to_owned).to_vec(), 9));
        assert_eq!(labels(Scale::Decades, &[0.01, 100.0]).0, ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(labels(Scale::Decades, &[1e-6, 1.0]).0[1], "10^{−5}");
        assert_eq!(labels(Scale::Decades, &[1.0, 9.0]).0, ["1", "2", "5"]);
        assert_eq!(labels(Scale::Decades, &[1.9, 2.1]).0.first().map(String::as_str), Some("1.6"));
        assert_eq!(labels(Scale::Doublings, &[1.0, 65536.0]).0[1], "2^{2}");
        let names = Scale::Names(["a", "b"].map(str::to_owned).to_vec());
        assert_eq!(labels(names, &[0.0, 1.0]).0, ["a", "b"]);
        assert_eq!(["0.05", "−1200", "7", "0"], [(5, -2), (-12, 2), (7, 0), (0, -3)].map(|(m, e)| decimal(m, e)));
    }

    #[test]
    fn axes_may_end_where_values_do() {
        let fitted = Fitted::between(&Scale::Linear, [4.254e-14, 0.93]);
        let labels: Vec<&str> = fitted.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(fitted.place(0.465).map(|at| (at * 100.0).round()), Some(50.0));
        let decades = Fitted::between(&Scale::Decades, [0.02, 3000.0]);
        assert_eq!((decades.place(0.02), decades.place(3000.0)), (Some(0.0), Some(1.0)));
        assert!(decades.ticks.iter().any(|tick| tick.label == "100"));
        assert_eq!(Fitted::between(&Scale::Linear, [0.0, 3e9]).label("u"), "u (×10^{9})");
    }

    #[test]
    fn every_range_of_floats_has_an_axis() {
        let values = [
            vec![],
            vec![0.0],
            vec![-0.0, 0.0],
            vec![f64::MAX],
            vec![f64::MIN, f64::MAX],
            vec![-1.7e308, 0.0, 1.7e308],
            vec![0.0, 5e-324],
            vec![5e-324],
            vec![f64::MIN_POSITIVE, 0.0, -5e-324],
            vec![1e17, 1e17 + 16.0],
            vec![1.0, 1.0 + f64::EPSILON],
            vec![1.7e308, 1.7e308 * (1.0 - f64::EPSILON)],
            vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
            vec![1e-300, 1e300],
            vec![3.0; 5],
        ];
        for values in values {
            for scale in [Scale::Linear, Scale::Decades, Scale::Doublings] {
                let (labels, _) = labels(scale.clone(), &values);
                assert!(labels.len() < 20, "{values:?} on {scale:?}: {labels:?}");
                let fitted = Fitted::new(&scale, values.iter().copied());
                for at in values.iter().filter_map(|value| fitted.place(*value)) {
                    assert!((0.0..=1.0).contains(&at), "{values:?} on {scale:?}: {at}");
                }
            }
        }
        assert_eq!(labels(Scale::Linear, &[-1.7e308, 1.7e308]).1, 308);
    }
}
