//! Where everything on a page is.

use super::axis::{Fitted, Scale};
use super::raster;
use super::svg::{Anchor, Svg, number, width_of};
use super::{Curve, Page, Panel, Point};
use crate::picture::Image;
use std::fmt::Write as _;

/// The width of a page with one column, and of each column of others.
const WIDE: f64 = 720.0;
const NARROW: f64 = 560.0;
/// The height of what lies between the axes, at least.
const HEIGHT: f64 = 250.0;
/// Sizes of letters.
const TITLE: f64 = 15.0;
const LABEL: f64 = 12.0;
const SMALL: f64 = 11.0;
/// From one name beside curves to the next.
const BETWEEN_NAMES: f64 = 14.0;
/// The widest that names beside curves may get; longer ones are cut.
const WIDEST_NAME: f64 = 230.0;
/// From the end of a curve to its name.
const LEADER: f64 = 16.0;
/// Curves with more points have no markers.
const MOST_MARKED: usize = 60;

/// The colours, from dark to light: Okabe and Ito's, without the yellow that white paper swallows.
const INKS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
/// The dashes: after all colours were used, the next.
const DASHES: [&str; 4] = ["", "7 3", "2 2.5", "8 3 2 3"];
const GREY: &str = "#767676";
const GRID: &str = "stroke=\"#e4e4e4\" stroke-width=\"0.8\"";
const AXIS: &str = "stroke=\"#333333\" stroke-width=\"1\"";

/// The text of a page.
pub fn svg(page: &Page) -> String {
    drawn(page).finish()
}

/// A page as pixels.
pub fn image(page: &Page) -> Image {
    raster::image(&drawn(page))
}

fn drawn(page: &Page) -> Svg {
    let columns = page.columns.clamp(1, page.panels.len().max(1));
    let width = if columns == 1 { WIDE } else { NARROW * columns as f64 };
    let title = wrapped(&page.title, TITLE * 1.04, width - 32.0);
    let note = wrapped(&page.note, SMALL, width - 32.0);
    let head = 14.0 + 20.0 * title.len() as f64 + 15.0 * note.len() as f64;
    let fits: Vec<Fit> = page.panels.iter().map(Fit::new).collect();
    // Panels above each other have their axes above each other, and those beside each other are equally high.
    let left = fits.iter().map(|fit| fit.left).fold(0.0, f64::max);
    let right = fits.iter().map(|fit| fit.right).fold(0.0, f64::max);
    let rows: Vec<f64> = fits.chunks(columns).map(|row| row.iter().map(|fit| fit.height).fold(0.0, f64::max)).collect();
    let above = fits.iter().map(|fit| fit.above).fold(0.0, f64::max);
    let row_height = |inner: f64| above + inner + 52.0;
    let height = head + rows.iter().map(|inner| row_height(*inner)).sum::<f64>() + 4.0;
    let mut svg = Svg::new(width, height, &page.title);
    let mut y = 8.0;
    for line in &title {
        y += 20.0;
        svg.text((16.0, y - 4.0), Anchor::Start, TITLE, "font-weight=\"bold\" fill=\"#111111\"", line);
    }
    for line in &note {
        y += 15.0;
        svg.text((16.0, y - 2.0), Anchor::Start, SMALL, "fill=\"#555555\"", line);
    }
    let mut top = head;
    for ((panels, fits), inner) in page.panels.chunks(columns).zip(fits.chunks(columns)).zip(&rows) {
        for (column, (panel, fit)) in panels.iter().zip(fits).enumerate() {
            let begin = column as f64 * width / columns as f64;
            let place = Area {
                left: begin + left,
                right: begin + width / columns as f64 - right,
                top: top + above,
                bottom: top + above + inner,
            };
            draw(&mut svg, panel, fit, place);
        }
        top += row_height(*inner);
    }
    svg
}

/// What lies between the axes, in pixels.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn x(&self, at: f64) -> f64 {
        self.left + at * (self.right - self.left)
    }

    fn y(&self, at: f64) -> f64 {
        self.bottom - at * (self.bottom - self.top)
    }
}

/// The axes of a panel, and the room that it needs around them.
struct Fit {
    x: Fitted,
    y: Fitted,
    left: f64,
    right: f64,
    above: f64,
    height: f64,
    x_label: String,
    y_label: String,
    /// The names beside the curves, none for a single curve without one.
    names: Vec<String>,
}

impl Fit {
    fn new(panel: &Panel) -> Fit {
        let shown = |curve: &&Curve| !curve.points.is_empty();
        let points = || panel.curves.iter().filter(shown).flat_map(|curve| &curve.points);
        let seen = || points().filter(|point| point.y.is_finite());
        let ends = seen().flat_map(|point| match point.error > 0.0 {
            // An error that reaches to zero would pull a logarithmic axis down without end.
            true if panel.y.scale != Scale::Linear => [point.y, point.y + point.error],
            true => [point.y - point.error, point.y + point.error],
            false => [point.y; 2],
        });
        let x = Fitted::new(&panel.x.scale, points().map(|point| point.x));
        let y = Fitted::new(&panel.y.scale, ends.chain(panel.levels.iter().map(|level| level.0)));
        let labels = y.ticks.iter().map(|tick| width_of(&tick.label, SMALL)).fold(0.0, f64::max);
        let names: Vec<String> = panel.curves.iter().map(|curve| cut(&curve.name, LABEL, WIDEST_NAME)).collect();
        let widest = names.iter().map(|name| width_of(name, LABEL)).fold(0.0, f64::max);
        let last_label = x.ticks.last().map_or(0.0, |tick| width_of(&tick.label, SMALL) / 2.0);
        let named = names.iter().any(|name| !name.is_empty());
        let with_power = |label: &str, exponent: i32| match (exponent, label) {
            (0, label) => label.to_owned(),
            (exponent, label) => format!("{label} / 10^{{{exponent}}}").trim_start_matches(" / ").to_owned(),
        };
        Fit {
            left: 34.0 + labels,
            right: if named { LEADER + widest + 12.0 } else { 18.0f64.max(last_label + 6.0) },
            above: if panel.title.is_empty() { 10.0 } else { 30.0 },
            height: HEIGHT.max(BETWEEN_NAMES * names.len() as f64),
            x_label: with_power(&panel.x.label, x.exponent),
            y_label: with_power(&panel.y.label, y.exponent),
            names: if named { names } else { vec![String::new(); names.len()] },
            x,
            y,
        }
    }
}

fn draw(svg: &mut Svg, panel: &Panel, fit: &Fit, area: Area) {
    if !panel.title.is_empty() {
        let style = "font-weight=\"bold\" fill=\"#111111\"";
        let title = cut(&panel.title, LABEL * 1.04, area.right + fit.right - area.left);
        svg.text((area.left, area.top - 10.0), Anchor::Start, LABEL, style, &title);
    }
    axes(svg, fit, area);
    for (value, name) in &panel.levels {
        let Some(at) = fit.y.place(*value) else { continue };
        let y = area.y(at);
        let style = format!("stroke=\"{GREY}\" stroke-width=\"1\" stroke-dasharray=\"4 3\"");
        svg.line((area.left, y), (area.right, y), &style);
        svg.text((area.left + 5.0, y - 4.0), Anchor::Start, SMALL, &format!("fill=\"{GREY}\""), name);
    }
    let mut ends = Vec::new();
    for curve in &panel.curves {
        ends.push(draw_curve(svg, curve, fit, area));
    }
    names(svg, panel, fit, area, &ends);
}

fn axes(svg: &mut Svg, fit: &Fit, area: Area) {
    let plain = "fill=\"#333333\"";
    for tick in &fit.y.ticks {
        let y = area.y(tick.at);
        if tick.label.is_empty() {
            svg.line((area.left - 3.0, y), (area.left, y), AXIS);
        } else {
            svg.line((area.left, y), (area.right, y), GRID);
            svg.line((area.left - 5.0, y), (area.left, y), AXIS);
            svg.text((area.left - 8.0, y + 4.0), Anchor::End, SMALL, plain, &tick.label);
        }
    }
    // Names on the axis below may be too wide to stand side by side.
    let mut free = f64::NEG_INFINITY;
    for tick in &fit.x.ticks {
        let (x, half) = (area.x(tick.at), width_of(&tick.label, SMALL) / 2.0);
        if tick.label.is_empty() || x - half < free {
            svg.line((x, area.bottom), (x, area.bottom + 3.0), AXIS);
            continue;
        }
        free = x + half + 6.0;
        svg.line((x, area.top), (x, area.bottom), GRID);
        svg.line((x, area.bottom), (x, area.bottom + 5.0), AXIS);
        svg.text((x, area.bottom + 18.0), Anchor::Middle, SMALL, plain, &tick.label);
    }
    svg.line((area.left, area.bottom), (area.right, area.bottom), AXIS);
    svg.line((area.left, area.top), (area.left, area.bottom), AXIS);
    let style = "fill=\"#111111\"";
    svg.text((area.x(0.5), area.bottom + 36.0), Anchor::Middle, LABEL, style, &fit.x_label);
    let (x, y) = (area.left - fit.left + 16.0, area.y(0.5));
    let turned = format!("{style} transform=\"rotate(-90 {} {})\"", number(x), number(y));
    let label = cut(&fit.y_label, LABEL, area.bottom - area.top + 30.0);
    svg.text((x, y), Anchor::Middle, LABEL, &turned, &label);
}

fn ink(curve: &Curve) -> &'static str {
    INKS[curve.ink % INKS.len()]
}

/// Draws a curve, and says where it ends.
fn draw_curve(svg: &mut Svg, curve: &Curve, fit: &Fit, area: Area) -> Option<(f64, f64)> {
    let ink = ink(curve);
    let dashes = DASHES[curve.ink / INKS.len() % DASHES.len()];
    let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
    let style = format!("stroke=\"{ink}\" stroke-width=\"1.7\" stroke-linejoin=\"round\"{dashes}");
    let place = |point: &Point| Some((area.x(fit.x.place(point.x)?), area.y(fit.y.place(point.y)?)));
    let mut run: Vec<(f64, f64)> = Vec::new();
    let mut end = None;
    for point in &curve.points {
        match place(point) {
            Some(at) => {
                run.push(at);
                end = Some(at);
            }
            None => stroke(svg, &mut run, &style),
        }
    }
    stroke(svg, &mut run, &style);
    let marked = curve.marked || curve.points.len() == 1 || curve.points.iter().any(|point| point.error > 0.0);
    if marked && curve.points.len() <= MOST_MARKED {
        for (point, (x, y)) in curve.points.iter().filter_map(|point| Some((point, place(point)?))) {
            if point.error > 0.0 {
                let style = format!("stroke=\"{ink}\" stroke-width=\"1.1\"");
                let [up, down] = [point.error, -point.error].map(|by| area.y(fit.y.place_or_end(point.y + by)));
                svg.line((x, up), (x, down), &style);
                svg.line((x - 3.0, up), (x + 3.0, up), &style);
                svg.line((x - 3.0, down), (x + 3.0, down), &style);
            }
            svg.path(&marker(curve.ink, x, y), &format!("fill=\"{ink}\""));
        }
    }
    end
}

fn stroke(svg: &mut Svg, run: &mut Vec<(f64, f64)>, style: &str) {
    match run.as_slice() {
        [] => {}
        // A point between two gaps.
        [(x, y)] => svg.line((x - 1.5, *y), (x + 1.5, *y), style),
        points => svg.polyline(points, style),
    }
    run.clear();
}

/// The outline of a marker.
fn marker(kind: usize, x: f64, y: f64) -> String {
    let shape = |corners: &[(f64, f64)]| {
        let mut path = String::new();
        for (i, (dx, dy)) in corners.iter().enumerate() {
            _ = write!(path, "{}{} {}", if i == 0 { "M" } else { "L" }, number(x + dx), number(y + dy));
        }
        path + "Z"
    };
    match kind % 5 {
        0 => {
            let (left, y) = (number(x - 3.0), number(y));
            format!("M{left} {y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z")
        }
        1 => shape(&[(-2.7, -2.7), (2.7, -2.7), (2.7, 2.7), (-2.7, 2.7)]),
        2 => shape(&[(0.0, -3.6), (3.4, 2.6), (-3.4, 2.6)]),
        3 => shape(&[(0.0, -3.9), (3.9, 0.0), (0.0, 3.9), (-3.9, 0.0)]),
        _ => shape(&[(0.0, 3.6), (3.4, -2.6), (-3.4, -2.6)]),
    }
}

/// Writes the names of curves beside their ends, from top to bottom in the order of these, none over another.
fn names(svg: &mut Svg, panel: &Panel, fit: &Fit, area: Area, ends: &[Option<(f64, f64)>]) {
    let mut wanted: Vec<(usize, (f64, f64))> = (ends.iter().enumerate())
        .filter_map(|(i, end)| end.filter(|_| !fit.names[i].is_empty()).map(|end| (i, end)))
        .collect();
    wanted.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let heights = spread(&wanted.iter().map(|(_, end)| end.1).collect::<Vec<_>>(), area.top, area.bottom);
    for ((i, (x, y)), height) in wanted.into_iter().zip(heights) {
        let ink = ink(&panel.curves[i]);
        let to = area.right + LEADER - 4.0;
        if (height - y).abs() > 1.5 || area.right - x > 2.0 * LEADER {
            let bend = area.right + 3.0;
            let style = format!("stroke=\"{ink}\" stroke-width=\"0.7\" stroke-opacity=\"0.55\"");
            svg.polyline(&[(x + 3.0, y), (bend.max(x + 3.0), y), (to, height)], &style);
        }
        let style = format!("fill=\"{ink}\"");
        svg.text((area.right + LEADER, height + 4.0), Anchor::Start, LABEL, &style, &fit.names[i]);
    }
}

/// Ascending heights that are at least one line apart, near the wanted ones, which ascend too.
fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    // Those that would overlap make a heap around the middle of what they want.
    let mut heaps: Vec<(f64, usize)> = Vec::new();
    for &height in wanted {
        heaps.push((height, 1));
        while let [.., (above, upper), (below, lower)] = heaps[..] {
            if below - above >= BETWEEN_NAMES * (upper + lower) as f64 / 2.0 {
                break;
            }
            heaps.truncate(heaps.len() - 2);
            let count = upper + lower;
            heaps.push(((above * upper as f64 + below * lower as f64) / count as f64, count));
        }
    }
    let mut heights = Vec::new();
    for (middle, count) in heaps {
        let first = middle - BETWEEN_NAMES * (count - 1) as f64 / 2.0;
        heights.extend((0..count).map(|i| first + BETWEEN_NAMES * i as f64));
    }
    let mut least = top;
    for height in &mut heights {
        *height = height.max(least);
        least = *height + BETWEEN_NAMES;
    }
    let mut most = bottom;
    for height in heights.iter_mut().rev() {
        *height = height.min(most);
        most = *height - BETWEEN_NAMES;
    }
    heights
}

/// A text that is at most so wide.
fn cut(text: &str, size: f64, width: f64) -> String {
    if width_of(text, size) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        if width_of(&short, size) + 2.0 * size > width {
            break;
        }
        short.push(letter);
    }
    short + "…"
}

/// A text in lines that are at most so wide; none for none.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(cut(word, size, width)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::Axis;
    use super::*;

    fn page(curves: Vec<Curve>, y: Scale) -> Page {
        let axis = |label: &str, scale| Axis { label: label.to_owned(), scale };
        let panel = Panel { x: axis("x", Scale::Linear), y: axis("y", y), curves, ..Panel::default() };
        Page { title: "A page".to_owned(), panels: vec![panel], columns: 1, ..Page::default() }
    }

    fn curve(name: &str, ink: usize, points: &[(f64, f64, f64)]) -> Curve {
        let points = points.iter().map(|&(x, y, error)| Point { x, y, error }).collect();
        Curve { name: name.to_owned(), points, ink, marked: false }
    }

    /// The y of each text that is a curve's name.
    fn heights(text: &str, name: &str) -> Vec<f64> {
        let lines = text.lines().filter(|line| line.contains(&format!(">{name}")));
        lines.map(|line| line.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn names_stand_beside_their_curves_and_not_over_each_other() {
        let curves: Vec<Curve> =
            (0..30).map(|i| curve(&format!("curve {i}"), i, &[(0.0, 0.0, 0.0), (1.0, (i % 3) as f64, 0.0)])).collect();
        let text = svg(&page(curves, Scale::Linear));
        let mut heights = heights(&text, "curve ");
        assert_eq!(heights.len(), 30);
        heights.sort_by(f64::total_cmp);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= BETWEEN_NAMES - 0.02), "{heights:?}");
        assert!(
            text.matches("<polyline").count() > 50,
            "a line for each, and leaders to names that are not beside them"
        );
        assert_eq!(spread(&[10.0, 11.0, 200.0], 0.0, 205.0), [3.5, 17.5, 200.0]);
        assert_eq!(spread(&[0.0, 204.0, 205.0], 0.0, 205.0), [0.0, 191.0, 205.0]);
    }

    #[test]
    fn errors_have_bars_and_gaps_are_gaps() {
        let points = [(0.0, 1.0, 0.5), (1.0, 2.0, 3.0), (2.0, f64::NAN, 1.0), (3.0, 4.0, 0.0), (4.0, 5.0, f64::NAN)];
        for scale in [Scale::Linear, Scale::Decades] {
            let text = svg(&page(vec![curve("", 0, &points)], scale));
            assert_eq!(text.matches("stroke-width=\"1.1\"").count(), 6, "two bars with two caps");
            assert_eq!(text.matches("<polyline").count(), 2);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }

    #[test]
    fn pages_without_points_and_long_words_are_pages() {
        let mut empty = page(vec![curve("none", 3, &[])], Scale::Decades);
        empty.title = "x".repeat(5000);
        empty.note = "word ".repeat(100);
        empty.panels.push(Panel { levels: vec![(1.0, "one".to_owned())], ..Panel::default() });
        empty.columns = 2;
        let text = svg(&empty);
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n") && text.contains(">one<") && text.contains('…'));
        assert!(svg(&Page::default()).contains("</svg>"));
    }
}
