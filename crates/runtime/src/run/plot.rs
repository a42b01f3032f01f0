//! The observables of runs over time, as SVG.

use super::Observations;
use super::error::{Result, RunError};
use plotters::prelude::*;
use std::ops::Range;
use std::path::PathBuf;

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
/// The colours of lines: one for each run, and then again from the first (Okabe and Ito).
const INKS: [RGBColor; 7] = [
    RGBColor(0x12, 0x35, 0x5b),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x55, 0x55, 0x55),
];

/// A run that is plotted.
#[derive(Clone, Debug)]
pub struct Series {
    /// What tells it from the others.
    pub label: String,
    /// Where its observables are from, for messages.
    pub path: PathBuf,
    /// Its observables.
    pub observations: Observations,
}

/// Which axes are logarithmic. What is not positive has no place on such an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logarithmic {
    /// The steps.
    pub x: bool,
    /// The observables.
    pub y: bool,
}

/// A plot of each observable, one below the other, over the same times. Several runs share each panel.
///
/// # Errors
/// [`RunError::NoRows`] if there is nothing to plot, [`RunError::TooManyObservables`] if there is too much.
pub fn svg(runs: &[Series], title: &str, logarithmic: Logarithmic) -> Result<String> {
    for Series { path, observations, .. } in runs {
        if observations.rows.is_empty() || observations.names.is_empty() {
            return Err(RunError::NoRows(path.clone()));
        }
    }
    // All names, in the order in which they are first met.
    let mut names: Vec<&str> = Vec::new();
    for name in runs.iter().flat_map(|run| &run.observations.names) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let count = names.len();
    if let (true, Some(run)) = (count > MOST_PANELS, runs.first()) {
        return Err(RunError::TooManyObservables { path: run.path.clone(), count, most: MOST_PANELS });
    }
    let mut text = String::new();
    let size = (WIDTH, HEIGHT * count as u32 + 40);
    let backend = SVGBackend::with_string(&mut text, size);
    draw(runs, &names, title, logarithmic, backend).map_err(|error| RunError::System(error.to_string()))?;
    Ok(text)
}

fn draw(
    runs: &[Series],
    names: &[&str],
    title: &str,
    logarithmic: Logarithmic,
    backend: SVGBackend<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE).map_err(owned)?;
    let area = area.titled(title, ("sans-serif", 18)).map_err(owned)?;
    let panels = area.split_evenly((names.len(), 1));
    let time_scale = {
        let times = runs.iter().flat_map(|run| run.observations.rows.iter().map(|(time, _)| f64::from(*time)));
        let shown = times.filter_map(|time| on_axis(time, logarithmic.x));
        let (first, last) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (v.min(a), v.max(b)));
        if first < last { first..last } else { 0.0..1.0f64.max(last) }
    };
    for (name, panel) in names.iter().zip(&panels) {
        let lines: Vec<(usize, Vec<(f64, f64)>)> =
            runs.iter().enumerate().filter_map(|(i, run)| Some((i, points(run, name, logarithmic)?))).collect();
        let scale = Scale::of(lines.iter().flat_map(|(_, points)| points.iter().map(|point| point.1)));
        let mut chart = ChartBuilder::on(panel)
            .margin(10)
            // Half of the last label stands right of its tick.
            .margin_right(40)
            .x_label_area_size(30)
            .y_label_area_size(90)
            .build_cartesian_2d(time_scale.clone(), scale.range.clone())
            .map_err(owned)?;
        let back = |shown: f64, logarithmic: bool| if logarithmic { 10f64.powf(shown) } else { shown };
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_desc("step")
            .y_desc(*name)
            .x_label_formatter(&|shown| format!("{}", back(*shown, logarithmic.x).round()))
            .y_label_formatter(&|shown| match logarithmic.y {
                true => format!("{:.2e}", back(*shown, true)),
                false => scale.label(*shown),
            })
            .draw()
            .map_err(owned)?;
        for (i, points) in lines {
            let ink = INKS[i % INKS.len()];
            let shown = points.into_iter().map(|(time, value)| (time, scale.shown(value)));
            let line = chart.draw_series(LineSeries::new(shown, &ink)).map_err(owned)?;
            if runs.len() > 1 {
                line.label(runs[i].label.as_str())
                    .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], ink));
            }
        }
        if runs.len() > 1 {
            let labels = chart.configure_series_labels().background_style(WHITE.mix(0.8)).draw();
            labels.map_err(owned)?;
        }
    }
    area.present().map_err(owned)
}

/// The place of a value on an axis before it is scaled.
fn on_axis(value: f64, logarithmic: bool) -> Option<f64> {
    let shown = if logarithmic { value.log10() } else { value };
    shown.is_finite().then_some(shown)
}

/// What is drawn of an observable of a run; `None` if it has no such observable.
fn points(run: &Series, name: &str, logarithmic: Logarithmic) -> Option<Vec<(f64, f64)>> {
    let column = run.observations.names.iter().position(|known| known == name)?;
    let rows = run.observations.rows.iter();
    let all: Vec<(u32, f64)> = rows.map(|(time, values)| (*time, values[column])).collect();
    let place =
        |(time, value): (u32, f64)| Some((on_axis(f64::from(time), logarithmic.x)?, on_axis(value, logarithmic.y)?));
    Some(thinned(&all).into_iter().filter_map(place).collect())
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
        let runs = [series("a", observations)];
        let text = svg(&runs, "life on vicsek", Logarithmic::default()).unwrap();
        for word in ["<svg", "total", "depth", "life on vicsek", "step", "polyline"] {
            assert!(text.contains(word), "no {word} in {text}");
        }
        let none = Observations::parse("step,total\n");
        assert!(svg(&[series("none", none)], "", Logarithmic::default()).unwrap_err().is_users());
    }

    #[test]
    fn runs_share_panels_and_axes_can_be_logarithmic() {
        let rows = |factor: u32| (0..50).map(|i| format!("{i},{}\n", factor * i * i)).collect::<String>();
        let runs = [1, 5].map(|factor| {
            series(&format!("factor {factor}"), Observations::parse(&format!("step,size\n{}", rows(factor))))
        });
        let text = svg(&runs, "two", Logarithmic { x: true, y: true }).unwrap();
        assert!(text.contains("factor 1") && text.contains("factor 5") && text.contains("e3"), "{text}");
    }

    fn series(label: &str, observations: Observations) -> Series {
        Series { label: label.to_owned(), path: PathBuf::from("observables.csv"), observations }
    }

    /// A plot of these values, one a step, within ten seconds.
    fn plotted(values: Vec<f64>) -> String {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let rows = values.iter().enumerate().map(|(i, v)| format!("{i},{v}\n"));
            let observations = Observations::parse(&format!("step,o\n{}", rows.collect::<String>()));
            sender.send(svg(&[series("", observations)], "", Logarithmic::default()).unwrap())
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
        assert!(svg(&[series("", observations)], "", Logarithmic::default()).is_ok());
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
