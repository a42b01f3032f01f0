//! A run's observables over time, as SVG.

use super::Observations;
use super::error::{Result, RunError};
use plotters::prelude::*;
use std::path::Path;

/// Pixels across.
const WIDTH: u32 = 900;
/// Pixels of one observable from top to bottom.
const HEIGHT: u32 = 240;
/// More points than this would hide each other: of each stretch the least and the greatest value are drawn.
const MOST_POINTS: usize = 4000;
/// The colour of lines.
const INK: RGBColor = RGBColor(0x12, 0x35, 0x5b);

/// A plot of each observable, one below the other, over the same times.
///
/// # Errors
/// [`RunError::NoRows`] if there is nothing to plot.
pub fn svg(observations: &Observations, title: &str, path: &Path) -> Result<String> {
    if observations.rows.is_empty() || observations.names.is_empty() {
        return Err(RunError::NoRows(path.to_owned()));
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
        let finite = points.iter().map(|point| point.1);
        let (least, greatest) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (v.min(a), v.max(b)));
        let (least, greatest) = if least <= greatest { (least, greatest) } else { (0.0, 1.0) };
        let margin = if greatest > least { 0.05 * (greatest - least) } else { 0.5 * greatest.abs().max(1.0) };
        let mut chart = ChartBuilder::on(panel)
            .margin(10)
            .x_label_area_size(30)
            .y_label_area_size(90)
            .build_cartesian_2d(first..last.max(first + 1), least - margin..greatest + margin)
            .map_err(owned)?;
        let mut mesh = chart.configure_mesh();
        mesh.light_line_style(WHITE)
            .x_desc("step")
            .y_desc(name.as_str())
            .y_label_formatter(&short)
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

fn short(value: &f64) -> String {
    if *value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        format!("{}", (value * 1e6).round() / 1e6)
    } else {
        format!("{value:.3e}")
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

    #[test]
    fn extremes_survive_thinning() {
        let points: Vec<(u32, f64)> =
            (0..100_000).map(|i| (i, if i == 777 { 5.0 } else { f64::from(i % 2) })).collect();
        let thin = thinned(&points);
        assert!(thin.len() <= MOST_POINTS && thin.contains(&(777, 5.0)));
        assert!(thin.is_sorted_by_key(|point| point.0));
    }
}
