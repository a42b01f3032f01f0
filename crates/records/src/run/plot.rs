//! The observables of runs over time, as a page of charts.

use super::{Observations, no_rows};
use crate::lists;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_drawing::chart::{ChartAxis, Curve, CurveBand, CurvePoint, Page, Panel, Scale};
use squeeze_engine::failure::{Message, Result};
use squeeze_host::numbers::six_digits;
use std::path::{Path, PathBuf};

/// More points than this would hide each other: of each stretch the least and the greatest value are drawn.
const MOST_POINTS: usize = 4000;
/// Observables that are drawn at most: no program would open a picture of more.
const MOST_PANELS: usize = 256;

/// A run that is plotted.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its label, which tells it from the others.
    pub label: String,
    /// Where its observables are from, for messages.
    pub path: PathBuf,
    /// Its observables.
    pub observations: Observations,
}

/// Logarithmic axes. Values that are not positive have no place on such an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logarithmic {
    /// The steps, or a parameter.
    pub x: bool,
    /// The observables.
    pub y: bool,
}

impl Logarithmic {
    /// The scales of both axes.
    pub(crate) fn scales(self) -> [Scale; 2] {
        [self.x, self.y].map(|logarithmic| if logarithmic { Scale::Decades } else { Scale::Linear })
    }
}

/// A plot of each observable over the same times, or `only` of some. Several runs share each panel. A list is the curve of the median of its entries in the
/// band between their quartiles. A note gives the values of observables that never change.
///
/// # Errors
/// If there is nothing to plot, or not what was asked for, or too much.
#[doc(hidden)]
pub fn page(runs: &[Series], title: &str, only: &[String], logarithmic: Logarithmic) -> Result<Page> {
    let _mode = DefaultMode::enter();
    for Series { path, observations, .. } in runs {
        if observations.rows.is_empty() || observations.names.is_empty() {
            return Err(no_rows(path).into());
        }
    }
    let tables: Vec<(&Path, &[String])> = runs.iter().map(|run| (&*run.path, &*run.observations.names)).collect();
    let steps = ChartAxis { label: "step".to_owned(), scale: logarithmic.scales()[0].clone() };
    let curves = |name: &str| runs.iter().enumerate().filter_map(|(ink, run)| curve(run, name, ink)).collect();
    let mut panels = panels(&tables, only, &steps, logarithmic, curves)?;
    let mut notes: Vec<String> = panels.iter().filter_map(constant).collect();
    if notes.len() < panels.len() {
        panels.retain(|panel| constant(panel).is_none());
    }
    notes.extend(note_of_bands(&panels));
    Ok(Page { title: title.to_owned(), note: notes.join("; "), panels, columns: 0 })
}

/// A panel for each observable, or for `only` of some.
pub(crate) fn panels(
    tables: &[(&Path, &[String])],
    only: &[String],
    x: &ChartAxis,
    logarithmic: Logarithmic,
    curves: impl Fn(&str) -> Vec<(Curve, CurveBand)>,
) -> Result<Vec<Panel>> {
    let names = lists::chosen(tables, only)?;
    if let (true, Some((path, _))) = (names.len() > MOST_PANELS, tables.first()) {
        let (path, count) = (path.display(), names.len());
        let what = format!("`{path}` holds {count} observables; a plot shows at most {MOST_PANELS}");
        return Err(Message::users(what).with_help("`--only NAME,NAME` chooses what is shown").into());
    }
    let panel = |name: &str| {
        let (curves, bands) = curves(name).into_iter().unzip();
        let y = ChartAxis { label: name.to_owned(), scale: logarithmic.scales()[1].clone() };
        Panel { x: x.clone(), y, curves, bands, ..Panel::default() }
    };
    Ok(names.into_iter().map(panel).collect())
}

/// The title of a page, with the facts that all runs or sweeps share, and a label for each with its other facts.
#[doc(hidden)]
pub fn told_apart(facts: &[Vec<String>]) -> (String, Vec<String>) {
    let common = |fact: &&String| facts.iter().all(|others| others.contains(fact));
    let joined = |all: &[String], shared: bool| {
        all.iter().filter(|fact| common(fact) == shared).map(String::as_str).collect::<Vec<_>>().join(", ")
    };
    let title = facts.first().map_or_else(String::new, |facts| joined(facts, true));
    (title, facts.iter().map(|facts| joined(facts, false)).collect())
}

/// The caption that explains bands.
pub(crate) fn note_of_bands(panels: &[Panel]) -> Option<String> {
    let has_bands = panels.iter().flat_map(|panel| &panel.bands).any(|band| !band.edges.is_empty());
    has_bands.then(|| "lists: the median of their entries, in the band between the quartiles".to_owned())
}

/// A caption with the panel's value, if all its points, of which there are several, have one value but for rounding.
fn constant(panel: &Panel) -> Option<String> {
    let points = panel.curves.iter().flat_map(|curve| &curve.points).map(|point| point.y);
    let values = points.chain(panel.bands.iter().flat_map(|band| &band.edges).flat_map(|edge| edge.1));
    let (least, most) = values.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (v.min(a), v.max(b)));
    let label = &panel.y.label;
    match (most - least) / least.abs().max(most.abs()) {
        _ if values.count() < 2 || least > most => None,
        _ if least == most => Some(format!("{label} = {}, constant", six_digits(least))),
        change if change < 1e-6 => Some(format!("{label} = {}, constant to a millionth", six_digits(most))),
        _ => None,
    }
}

/// The curve of an observable of a run; `None` if it has no such observable.
fn curve(run: &Series, name: &str, ink: usize) -> Option<(Curve, CurveBand)> {
    let rows = &run.observations.rows;
    let (points, edges) = match lists::columns(&run.observations.names, name)[..] {
        [] => return None,
        [column] => {
            let all: Vec<(u32, f64)> = rows.iter().map(|(time, values)| (*time, values[column])).collect();
            (
                thinned(&all).into_iter().map(|(time, value)| CurvePoint::new(f64::from(time), value)).collect(),
                Vec::new(),
            )
        }
        ref columns => (rows.iter().step_by(rows.len().div_ceil(MOST_POINTS)))
            .filter_map(|(time, values)| {
                let [low, median, high] = lists::quartiles(columns.iter().map(|&column| values[column]))?;
                Some((CurvePoint::new(f64::from(*time), median), (f64::from(*time), [low, high])))
            })
            .unzip(),
    };
    Some((Curve { name: run.label.clone(), points, ink, marked: false }, CurveBand { edges, ink }))
}

/// The points to draw: those that are finite, and if they are many, of each stretch the extremes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_drawing::chart;

    fn svg(runs: &[Series], title: &str, logarithmic: Logarithmic) -> Result<String> {
        Ok(chart::sheet(&page(runs, title, &[], logarithmic)?, None).to_svg())
    }

    #[test]
    fn each_observable_has_its_axis_and_line() {
        let rows = (0..100).map(|i| format!("{},{i},{}\n", 10 * i, if i == 50 { "nan" } else { "-1e9" }));
        let observations = Observations::parse(&format!("step,total,depth\n{}", rows.collect::<String>()));
        let runs = [series("a", observations)];
        let text = svg(&runs, "life on vicsek", Logarithmic::default()).unwrap();
        for word in ["<svg", "total", "depth", "life on vicsek", "step", "<path"] {
            assert!(text.contains(word), "no {word} in {text}");
        }
        let none = Observations::parse("step,total\n");
        assert!(svg(&[series("none", none)], "", Logarithmic::default()).unwrap_err().is_users());
    }

    #[test]
    fn what_never_changes_is_told_in_words() {
        let rows = (0..9).map(|i| format!("{i},7,{},{i}\n", if i == 3 { 80999.9999 } else { 81000.0 }));
        let observations = Observations::parse(&format!("step,count,total,size\n{}", rows.collect::<String>()));
        let page = page(&[series("a", observations)], "", &[], Logarithmic::default()).unwrap();
        assert_eq!(page.note, "count = 7, constant; total = 81000, constant to a millionth");
        assert_eq!(page.panels.iter().map(|panel| panel.y.label.as_str()).collect::<Vec<_>>(), ["size"]);
    }

    #[test]
    fn lists_are_bands_and_few_are_chosen() {
        let columns: String = (0..64).map(|i| format!(",q[{i}]")).collect();
        let rows = (0..9)
            .map(|time| format!("{time},{time}{}\n", (0..64).map(|i| format!(",{}", time * i)).collect::<String>()));
        let runs = [series("a", Observations::parse(&format!("step,m{columns}\n{}", rows.collect::<String>())))];
        let of = |only: &[&str]| {
            let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
            page(&runs, "", &only, Logarithmic::default())
        };
        let labels = |page: &Page| page.panels.iter().map(|panel| panel.y.label.clone()).collect::<Vec<_>>();
        let all = of(&[]).unwrap();
        assert_eq!(labels(&all), ["m", "q"]);
        assert!(all.note.contains("quartiles"), "{}", all.note);
        assert_eq!(all.panels[1].curves[0].points[2], CurvePoint::new(2.0, 63.0));
        assert_eq!(all.panels[1].bands[0].edges[2], (2.0, [31.5, 94.5]));
        assert_eq!(labels(&of(&["q[3]"]).unwrap()), ["q[3]"]);
        assert!(of(&["x"]).unwrap_err().is_users());
    }

    #[test]
    fn runs_share_panels_and_axes_can_be_logarithmic() {
        let rows = |factor: u32| (0..50).map(|i| format!("{i},{}\n", factor * i * i)).collect::<String>();
        let runs = [1, 5].map(|factor| {
            series(&format!("factor {factor}"), Observations::parse(&format!("step,size\n{}", rows(factor))))
        });
        let text = svg(&runs, "two", Logarithmic { x: true, y: true }).unwrap();
        assert!(text.contains("factor 1") && text.contains("factor 5") && text.contains("1000"), "{text}");
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
        assert!(text.contains("o (×10<tspan") && text.contains(">308<") && text.contains(">−1<"), "{text}");
        assert!(plotted(vec![0.0, 5e-324]).contains(">−324<"));
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
