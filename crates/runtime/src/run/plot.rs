//! A run's observables over time, as SVG.

use super::Observations;
use super::error::{Result, RunError};
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// Pixels across.
const WIDTH: u32 = 900;
/// Pixels of one observable from top to bottom.
const HEIGHT: u32 = 240;
/// More points than this would hide each other: of each stretch the least and the greatest value are drawn.
const MOST_POINTS: usize = 4000;
/// Observables that are drawn at most: more would make a picture that nobody can open.
const MOST_PANELS: usize = 256;
/// How short an axis may be, as a part of the largest value on it.
const SHORTEST_AXIS: f64 = 1e-9;
/// The colour of lines.
const INK: RGBColor = RGBColor(0x12, 0x35, 0x5b);

/// A plot of each observable, one below the other, over the same times.
///
/// # Errors
/// [`RunError::NoRows`] if there is nothing to plot, [`RunError::TooManyObservables`] if there is too much.
pub fn svg(observations: &Observations, title: &str, path: &Path) -> Result<String> {
    if observations.rows.is_empty() || observations.names.is_empty() {
        return Err(RunError::NoRows(path.to_owned()));
    }
    let count = observations.names.len();
    if count > MOST_PANELS {
        return Err(RunError::TooManyObservables { path: path.to_owned(), count, most: MOST_PANELS });
    }
    let mut text = String::new();
    let size = (WIDTH, HEIGHT * observations.names.len() as u32 + 40);
    draw(observations, title, SVGBackend::with_string(&mut text, size))
        .map_err(|error| RunError::System(error.to_string()))?;
    Ok(text)
}

fn draw(observations: &Observations, title: &str, backend: SVGBackend<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE).map_err(owned)?;
    let area = area.titled(title, ("sans-serif", 20)).map_err(owned)?;
    let panels = area.split_evenly((observations.names.len(), 1));
    let (first, last) = (observations.rows[0].0, observations.rows[observations.rows.len() - 1].0);
    for (i, (name, panel)) in observations.names.iter().zip(&panels).enumerate() {
        let all: Vec<(u32, f64)> = observations.rows.iter().map(|(time, values)| (*time, values[i])).collect();
        let points = thinned(&all);
        let scale = Scale::of(points.iter().map(|point| point.1));
        let points = points.into_iter().map(|(time, value)| (time, scale.shown(value)));
        let times = if first < last { first..last } else { first.min(u32::MAX - 1)..first.saturating_add(1) };
        let mut chart = ChartBuilder::on(panel)
            .margin(10)
            .x_label_area_size(30)
            .y_label_area_size(90)
            .build_cartesian_2d(times, scale.range.clone())
            .map_err(owned)?;
        let mut mesh = chart.configure_mesh();
        mesh.light_line_style(WHITE)
            .x_desc("step")
            .y_desc(name.as_str())
            .y_label_formatter(&|value| scale.label(*value))
            .draw()
            .map_err(owned)?;
        chart.draw_series(LineSeries::new(points, &INK)).map_err(owned)?;
    }
    area.present().map_err(owned)
}

fn owned(error: impl std::fmt::Display) -> Box<dyn std::error::Error> {
    error.to_string().into()
}

/// What is drawn of many points: those that are finite, and of each stretch the extremes.
fn thinned(points: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let finite: Vec<(u32, f64)> = points.iter().copied().filter(|point| point.1.is_finite()).collect();
    if finite.len() <= MOST_POINTS {
        return finite;
    }
    let stretch = finite.len().div_ceil(MOST_POINTS / 2);
    let extremes = |points: &[(u32, f64)]| {
        let least = points.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
        let greatest = points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
        let mut both: Vec<(u32, f64)> = least.into_iter().chain(greatest).collect();
        both.sort_by_key(|point| point.0);
        both
    };
    finite.chunks(stretch).flat_map(extremes).collect()
}

/// The axis of an observable. The library that draws looks for round numbers by adding up steps: it never ends where the axis
/// overflows, or is so short that a step does not change the number. So very large and very small values are drawn as others, a
/// power of ten away, and an axis is never shorter than what labels can tell.
struct Scale {
    /// What is drawn is the value times ten to this power.
    shift: i32,
    range: Range<f64>,
}

impl Scale {
    /// An axis that holds these finite values.
    fn of(values: impl Iterator<Item = f64>) -> Scale {
        let (least, greatest) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (v.min(a), v.max(b)));
        let (least, greatest) = if least <= greatest { (least, greatest) } else { (0.0, 1.0) };
        let largest = least.abs().max(greatest.abs());
        let exponent = if largest > 0.0 { largest.log10().floor() as i32 } else { 0 };
        let mut scale = Scale { shift: if (-10..=200).contains(&exponent) { 0 } else { -exponent }, range: 0.0..1.0 };
        let (least, greatest, largest) = (scale.shown(least), scale.shown(greatest), scale.shown(largest));
        let margin = if greatest > least {
            (0.05 * (greatest - least)).max(SHORTEST_AXIS * largest)
        } else {
            0.5 * if scale.shift == 0 { largest.max(1.0) } else { largest }
        };
        scale.range = least - margin..greatest + margin;
        scale
    }

    /// Where a value is drawn.
    fn shown(&self, value: f64) -> f64 {
        // In two halves: ten to the whole may be no float.
        let half = self.shift / 2;
        value * 10f64.powi(half) * 10f64.powi(self.shift - half)
    }

    /// The label of a place on the axis.
    fn label(&self, shown: f64) -> String {
        if self.shift == 0 && (shown == 0.0 || (1e-3..1e6).contains(&shown.abs())) {
            return format!("{}", (shown * 1e6).round() / 1e6);
        }
        let text = format!("{shown:.3e}");
        match text.split_once('e').map(|(digits, exponent)| (digits, exponent.parse::<i32>())) {
            Some((digits, Ok(exponent))) if shown != 0.0 => format!("{digits}e{}", exponent - self.shift),
            _ => "0".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_observable_has_its_axis_and_line() {
        let rows = (0..100).map(|i| format!("{},{i},{}\n", 10 * i, if i == 50 { "nan" } else { "-1e9" }));
        let observations = Observations::parse(&format!("step,total,depth\n{}", rows.collect::<String>()));
        let text = svg(&observations, "life on vicsek", Path::new("observables.csv")).unwrap();
        for word in ["<svg", "total", "depth", "life on vicsek", "step", "polyline"] {
            assert!(text.contains(word), "no {word} in {text}");
        }
        let none = Observations::parse("step,total\n");
        assert!(svg(&none, "", Path::new("x.csv")).unwrap_err().is_users());
    }

    /// A plot of these values, one a step, within ten seconds.
    fn plotted(values: Vec<f64>) -> String {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let rows = values.iter().enumerate().map(|(i, v)| format!("{i},{v}\n"));
            let observations = Observations::parse(&format!("step,o\n{}", rows.collect::<String>()));
            sender.send(svg(&observations, "", Path::new("observables.csv")).unwrap())
        });
        receiver.recv_timeout(std::time::Duration::from_secs(10)).expect("a plot in ten seconds")
    }

    #[test]
    fn every_range_of_floats_can_be_plotted() {
        let text = plotted(vec![-1.7e308, 0.0, 1.7e308]);
        assert!(text.contains("1.000e308") && text.contains("-1.000e308"), "{text}");
        assert!(plotted(vec![0.0, 5e-324]).contains("e-324"));
        for values in [
            vec![f64::MAX],
            vec![f64::MIN, f64::MAX],
            vec![f64::MIN_POSITIVE, 0.0, -5e-324],
            vec![1e17, 1e17 + 16.0],
            vec![1.0, 1.0 + f64::EPSILON],
            vec![1.7e308, 1.7e308 * (1.0 - f64::EPSILON)],
            vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
            vec![3.0; 5],
            vec![0.0, -0.0],
            vec![1e-300, 1e300],
        ] {
            assert!(plotted(values.clone()).contains("<svg"), "{values:?}");
        }
    }

    #[test]
    fn the_last_time_there_is_can_be_plotted() {
        let observations = Observations::parse(&format!("step,o\n{},1\n", u32::MAX));
        assert!(svg(&observations, "", Path::new("observables.csv")).is_ok());
    }

    #[test]
    fn extremes_survive_thinning() {
        let points: Vec<(u32, f64)> =
            (0..100_000).map(|i| (i, if i == 777 { 5.0 } else { f64::from(i % 2) })).collect();
        let thin = thinned(&points);
        assert!(thin.len() <= MOST_POINTS && thin.contains(&(777, 5.0)));
        assert!(thin.is_sorted_by_key(|point| point.0));
    }
}
