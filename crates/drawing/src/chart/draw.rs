//! Lays out a page: panels, axes, curves and the names beside them. Lengths are in units of 1/96 inch, as in SVG, y downwards.

use super::axis::{Fitted, Scale};
use super::{Curve, CurveBand, CurvePoint, Page, Panel};
use crate::font::{cut, width, wrapped};
use crate::marks::Stroke;
use crate::{Anchor, Sheet, SheetPlace, TextMark};

/// The width of a page with one column.
const WIDE: f64 = 720.0;
/// The width of a column where there are several.
const NARROW: f64 = 560.0;
/// The least height of the area between the axes.
const HEIGHT: f64 = 250.0;
/// Sizes of letters: of titles, of names and of ticks and notes.
const TITLE: f64 = 15.0;
const LABEL: f64 = 12.0;
const SMALL: f64 = 11.0;
/// The least distance between lines of names beside curves.
const BETWEEN_NAMES: f64 = 14.0;
/// The width at which names beside curves are cut.
const WIDEST_NAME: f64 = 230.0;
/// The gap between the axes' area and names, with room for a line from a curve to its name.
const LEADER: f64 = 16.0;
/// The size of the hole in an open marker, as a share of the marker's.
const OPEN: f64 = 0.6;
/// The most points of a curve with markers.
const MOST_MARKED: usize = 60;

/// Millimetres of a unit of length on paper.
const UNIT: f64 = 25.4 / 96.0;
/// The least width of a column on a page of given width.
const LEAST_COLUMN: f64 = 260.0;
/// The heights of a horizontal axis's labels and of its name.
const TICKS: f64 = 34.0;
const NAME: f64 = 18.0;
/// Pixels along a unit of length, for fine screens.
const SCALE: f64 = 2.0;
/// The same for a page of given width, which is printed: 300 dots per inch.
const SCALE_ON_PAPER: f64 = 300.0 / 96.0;

/// The colours, from dark to light: Okabe and Ito's, without the yellow that white paper swallows.
const INKS: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000];
/// The dashes; each serves all colours before the next one is taken.
const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 2.5], &[8.0, 3.0, 2.0, 3.0]];
const BLACK: u32 = 0x111111;
const DARK: u32 = 0x333333;
const NOTE: u32 = 0x555555;
const GREY: u32 = 0x767676;
const GRID: Stroke = Stroke::new(0xe4e4e4, 0.8);
/// The opacity of bands, and of the errors of places.
const FAINT: f64 = 0.2;
const AXIS: Stroke = Stroke::new(DARK, 1.0);

/// The default number of columns, so that no page is a long strip.
fn columns(panels: usize) -> usize {
    match panels {
        0..=2 => 1,
        3..=8 => 2,
        9..=18 => 3,
        _ => 4,
    }
}

/// Lays out a page. `paper` is its width in millimetres, if it is to have a given one.
pub fn sheet(page: &Page, paper: Option<f64>) -> Sheet {
    let columns = if page.columns == 0 { columns(page.panels.len()) } else { page.columns };
    let columns = columns.clamp(1, page.panels.len().max(1));
    let (page_width, columns) = match paper {
        Some(paper) => (paper / UNIT, columns.min((paper / UNIT / LEAST_COLUMN) as usize).max(1)),
        None if columns == 1 => (WIDE, 1),
        None => (NARROW * columns as f64, columns),
    };
    let title = wrapped(&page.title, TITLE, true, page_width - 32.0);
    let note = wrapped(&page.note, SMALL, false, page_width - 32.0);
    let head = 14.0 + 20.0 * title.len() as f64 + 15.0 * note.len() as f64;
    let mut fits: Vec<Fit> = page.panels.iter().map(|panel| Fit::new(panel, page_width / columns as f64)).collect();
    for (i, below) in page.panels.iter().enumerate().skip(columns) {
        // Of panels in a column with the same axis, the lowest one alone names it.
        if below.x == page.panels[i - columns].x {
            fits[i - columns].x_label.clear();
        }
    }
    // Vertical axes stand at the same place in each column, and the panels of a row have one height.
    let left = fits.iter().map(|fit| fit.left).fold(0.0, f64::max);
    let right = fits.iter().map(|fit| fit.right).fold(0.0, f64::max);
    let above = fits.iter().map(|fit| fit.above).fold(0.0, f64::max);
    let rows: Vec<(f64, f64)> = (fits.chunks(columns))
        .map(|row| {
            let name = if row.iter().all(|fit| fit.x_label.is_empty()) { 0.0 } else { NAME };
            (row.iter().map(|fit| fit.height).fold(0.0, f64::max), TICKS + name)
        })
        .collect();
    let height = head + rows.iter().map(|(inner, below)| above + inner + below).sum::<f64>() + 4.0;
    let mut sheet =
        Sheet { paper, scale: paper.map_or(SCALE, |_| SCALE_ON_PAPER), ..Sheet::new(page_width, height, &page.title) };
    let mut y = 8.0;
    for line in &title {
        y += 20.0;
        sheet.text(TextMark::new((16.0, y - 4.0), Anchor::Start, TITLE, BLACK, line).bold());
    }
    for line in &note {
        y += 15.0;
        sheet.text(TextMark::new((16.0, y - 2.0), Anchor::Start, SMALL, NOTE, line));
    }
    let mut top = head;
    for ((panels, fits), (inner, below)) in page.panels.chunks(columns).zip(fits.chunks(columns)).zip(&rows) {
        for (column, (panel, fit)) in panels.iter().zip(fits).enumerate() {
            let begin = column as f64 * page_width / columns as f64;
            let area = Area {
                left: begin + left,
                right: begin + page_width / columns as f64 - right,
                top: top + above,
                bottom: top + above + inner,
            };
            draw(&mut sheet, panel, fit, area);
        }
        top += above + inner + below;
    }
    sheet
}

/// The area between a panel's axes, by its edges on the page.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    /// The page's x of a share of the horizontal axis, 0 at the left and 1 at the right.
    fn x(&self, at: f64) -> f64 {
        self.left + at * (self.right - self.left)
    }

    /// The page's y of a share of the vertical axis, 0 at the bottom and 1 at the top.
    fn y(&self, at: f64) -> f64 {
        self.bottom - at * (self.bottom - self.top)
    }
}

/// The axes of a panel, the margins around their area on three sides, and the area's least height.
struct Fit {
    x: Fitted,
    y: Fitted,
    left: f64,
    right: f64,
    above: f64,
    height: f64,
    x_label: String,
    y_label: String,
    /// The name beside each curve, empty if it has none.
    names: Vec<String>,
}

impl Fit {
    fn new(panel: &Panel, room: f64) -> Fit {
        let points = || panel.curves.iter().flat_map(|curve| &curve.points);
        let seen = || points().filter(|point| point.y.is_finite());
        let ends = seen().flat_map(|point| match point.error > 0.0 {
            // An error that reaches to zero would pull a logarithmic axis down without end.
            true if panel.y.scale != Scale::Linear => [point.y, point.y + point.error],
            true => [point.y - point.error, point.y + point.error],
            false => [point.y; 2],
        });
        let edges = || panel.bands.iter().flat_map(|band| &band.edges);
        let x = Fitted::new(&panel.x.scale, points().map(|point| point.x).chain(edges().map(|edge| edge.0)));
        let levels = panel.levels.iter().map(|level| level.0);
        let y = Fitted::new(&panel.y.scale, ends.chain(edges().flat_map(|edge| edge.1)).chain(levels));
        let labels = y.ticks.iter().map(|tick| width(&tick.label, SMALL, false)).fold(0.0, f64::max);
        let names: Vec<String> =
            panel.curves.iter().map(|curve| cut(&curve.name, LABEL, false, WIDEST_NAME.min(room / 3.0))).collect();
        let widest = names.iter().map(|name| width(name, LABEL, false)).fold(0.0, f64::max);
        let last_label = x.ticks.last().map_or(0.0, |tick| width(&tick.label, SMALL, false) / 2.0);
        let named = names.iter().any(|name| !name.is_empty());
        Fit {
            left: 34.0 + labels,
            right: if named { LEADER + widest + 12.0 } else { 18.0f64.max(last_label + 6.0) },
            above: if panel.title.is_empty() { 10.0 } else { 30.0 },
            height: HEIGHT.max(BETWEEN_NAMES * names.len() as f64),
            x_label: x.label(&panel.x.label),
            y_label: y.label(&panel.y.label),
            names: if named { names } else { vec![String::new(); names.len()] },
            x,
            y,
        }
    }
}

fn draw(sheet: &mut Sheet, panel: &Panel, fit: &Fit, area: Area) {
    if !panel.title.is_empty() {
        let title = cut(&panel.title, LABEL, true, area.right + fit.right - area.left);
        sheet.text(TextMark::new((area.left, area.top - 10.0), Anchor::Start, LABEL, BLACK, &title).bold());
    }
    axes(sheet, fit, area);
    for (value, name) in &panel.levels {
        let Some(at) = fit.y.place(*value) else { continue };
        let y = area.y(at);
        sheet.line((area.left, y), (area.right, y), Stroke { dashes: &[4.0, 3.0], ..Stroke::new(GREY, 1.0) });
        sheet.text(TextMark::new((area.left + 5.0, y - 4.0), Anchor::Start, SMALL, GREY, name));
    }
    for (at, error, name) in &panel.places {
        let Some(x) = fit.x.place(*at).filter(|at| (0.0..=1.0).contains(at)).map(|at| area.x(at)) else { continue };
        if *error > 0.0 {
            let [low, high] = [at - error, at + error].map(|end| area.x(fit.x.place_or_end(end)));
            let corners = [(low, area.top), (high, area.top), (high, area.bottom), (low, area.bottom)];
            sheet.area(&corners, GREY, FAINT);
        }
        sheet.line((x, area.top), (x, area.bottom), Stroke { dashes: &[4.0, 3.0], ..Stroke::new(GREY, 1.0) });
        let anchor = if x < (area.left + area.right) / 2.0 { Anchor::Start } else { Anchor::End };
        let offset = if anchor == Anchor::Start { 5.0 } else { -5.0 };
        sheet.text(TextMark::new((x + offset, area.top + SMALL), anchor, SMALL, DARK, name));
    }
    panel.bands.iter().for_each(|band| draw_band(sheet, band, fit, area));
    let ends: Vec<Option<SheetPlace>> = panel.curves.iter().map(|curve| draw_curve(sheet, curve, fit, area)).collect();
    names(sheet, panel, fit, area, &ends);
}

fn axes(sheet: &mut Sheet, fit: &Fit, area: Area) {
    for tick in &fit.y.ticks {
        let y = area.y(tick.at);
        if tick.label.is_empty() {
            sheet.line((area.left - 3.0, y), (area.left, y), AXIS);
        } else {
            sheet.line((area.left, y), (area.right, y), GRID);
            sheet.line((area.left - 5.0, y), (area.left, y), AXIS);
            sheet.text(TextMark::new((area.left - 8.0, y + 4.0), Anchor::End, SMALL, DARK, &tick.label));
        }
    }
    // Labels of the horizontal axis may be too wide for one another: those without room are left out.
    let mut free = f64::NEG_INFINITY;
    for tick in &fit.x.ticks {
        let (x, half) = (area.x(tick.at), width(&tick.label, SMALL, false) / 2.0);
        if tick.label.is_empty() || x - half < free {
            sheet.line((x, area.bottom), (x, area.bottom + 3.0), AXIS);
            continue;
        }
        free = x + half + 6.0;
        sheet.line((x, area.top), (x, area.bottom), GRID);
        sheet.line((x, area.bottom), (x, area.bottom + 5.0), AXIS);
        sheet.text(TextMark::new((x, area.bottom + 18.0), Anchor::Middle, SMALL, DARK, &tick.label));
    }
    sheet.line((area.left, area.bottom), (area.right, area.bottom), AXIS);
    sheet.line((area.left, area.top), (area.left, area.bottom), AXIS);
    sheet.text(TextMark::new((area.x(0.5), area.bottom + 36.0), Anchor::Middle, LABEL, BLACK, &fit.x_label));
    let label = cut(&fit.y_label, LABEL, false, area.bottom - area.top + 30.0);
    let at = (area.left - fit.left + 16.0, area.y(0.5));
    sheet.text(TextMark::new(at, Anchor::Middle, LABEL, BLACK, &label).upwards());
}

fn ink(number: usize) -> u32 {
    INKS[number % INKS.len()]
}

fn draw_band(sheet: &mut Sheet, band: &CurveBand, fit: &Fit, area: Area) {
    let place = |(x, ends): &(f64, [f64; 2])| {
        let (x, [low, high]) = (area.x(fit.x.place(*x)?), ends.map(|end| fit.y.place(end).map(|at| area.y(at))));
        Some([(x, low?), (x, high?)])
    };
    let places: Vec<Option<[SheetPlace; 2]>> = band.edges.iter().map(place).collect();
    for run in places.split(Option::is_none).filter(|run| run.len() > 1) {
        let lower = run.iter().flatten().map(|ends| ends[0]);
        let corners: Vec<SheetPlace> = lower.chain(run.iter().rev().flatten().map(|ends| ends[1])).collect();
        sheet.area(&corners, ink(band.ink), FAINT);
    }
}

/// Draws a curve, and returns its last point on the page.
fn draw_curve(sheet: &mut Sheet, curve: &Curve, fit: &Fit, area: Area) -> Option<SheetPlace> {
    let ink = ink(curve.ink);
    let stroke = Stroke { dashes: DASHES[curve.ink / INKS.len() % DASHES.len()], ..Stroke::new(ink, 1.7) };
    let place = |point: &CurvePoint| Some((area.x(fit.x.place(point.x)?), area.y(fit.y.place(point.y)?)));
    let places: Vec<Option<SheetPlace>> = curve.points.iter().map(place).collect();
    for run in places.split(Option::is_none) {
        let points: Vec<SheetPlace> = run.iter().copied().flatten().collect();
        match points[..] {
            [] => {}
            // A point between two gaps is a short dash.
            [(x, y)] => sheet.line((x - 1.5, y), (x + 1.5, y), stroke),
            _ => sheet.lines(&points, stroke),
        }
    }
    let marked = curve.marked || curve.points.len() == 1 || curve.points.iter().any(|point| point.error > 0.0);
    if marked && curve.points.len() <= MOST_MARKED {
        for (point, (x, y)) in curve.points.iter().zip(&places).filter_map(|(point, place)| Some((point, (*place)?))) {
            if point.error > 0.0 {
                let [up, down] = [point.error, -point.error].map(|by| area.y(fit.y.place_or_end(point.y + by)));
                for (from, to) in
                    [((x, up), (x, down)), ((x - 3.0, up), (x + 3.0, up)), ((x - 3.0, down), (x + 3.0, down))]
                {
                    sheet.line(from, to, Stroke::new(ink, 1.1));
                }
            }
            marker(sheet, curve.ink, ink, (x, y), 1.0);
            if point.error.is_nan() {
                marker(sheet, curve.ink, sheet.ground, (x, y), OPEN);
            }
        }
    }
    places.into_iter().rev().flatten().next()
}

/// Draws the marker of a `kind` of curve; `size` 1 is the usual one.
fn marker(sheet: &mut Sheet, kind: usize, ink: u32, (x, y): SheetPlace, size: f64) {
    let corners: &[SheetPlace] = match kind % 5 {
        0 => return sheet.disc((x, y), 3.0 * size, ink),
        1 => &[(-2.7, -2.7), (2.7, -2.7), (2.7, 2.7), (-2.7, 2.7)],
        2 => &[(0.0, -3.6), (3.4, 2.6), (-3.4, 2.6)],
        3 => &[(0.0, -3.9), (3.9, 0.0), (0.0, 3.9), (-3.9, 0.0)],
        _ => &[(0.0, 3.6), (3.4, -2.6), (-3.4, -2.6)],
    };
    sheet.area(&corners.iter().map(|(dx, dy)| (x + size * dx, y + size * dy)).collect::<Vec<_>>(), ink, 1.0);
}

/// Writes the names of curves beside their ends, in the order of the ends from top to bottom, without overlaps.
fn names(sheet: &mut Sheet, panel: &Panel, fit: &Fit, area: Area, ends: &[Option<SheetPlace>]) {
    let mut named: Vec<(usize, SheetPlace)> = (ends.iter().enumerate())
        .filter_map(|(i, end)| end.filter(|_| !fit.names[i].is_empty()).map(|end| (i, end)))
        .collect();
    named.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let heights = spread(&named.iter().map(|(_, end)| end.1).collect::<Vec<_>>(), area.top, area.bottom);
    for ((i, (x, y)), height) in named.into_iter().zip(heights) {
        let ink = ink(panel.curves[i].ink);
        let to = area.right + LEADER - 4.0;
        if (height - y).abs() > 1.5 || area.right - x > 2.0 * LEADER {
            let bend = area.right + 3.0;
            let points = [(x + 3.0, y), (bend.max(x + 3.0), y), (to, height)];
            sheet.lines(&points, Stroke { opacity: 0.55, ..Stroke::new(ink, 0.7) });
        }
        sheet.text(TextMark::new((area.right + LEADER, height + 4.0), Anchor::Start, LABEL, ink, &fit.names[i]));
    }
}

/// Moves ascending heights to at least a line apart, as little as possible, and between `top` and `bottom` if there is room.
fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    // Names that would overlap form a cluster around the mean of their heights: its middle, and its number of names.
    let mut clusters: Vec<(f64, usize)> = Vec::new();
    for &height in wanted {
        clusters.push((height, 1));
        while let [.., (above, upper), (below, lower)] = clusters[..] {
            if below - above >= BETWEEN_NAMES * (upper + lower) as f64 / 2.0 {
                break;
            }
            clusters.truncate(clusters.len() - 2);
            let count = upper + lower;
            clusters.push(((above * upper as f64 + below * lower as f64) / count as f64, count));
        }
    }
    let mut heights = Vec::new();
    for (middle, count) in clusters {
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

#[cfg(test)]
mod tests {
    use super::super::ChartAxis;
    use super::*;
    use crate::marks::{Mark, Paint};

    fn page(curves: Vec<Curve>, y: Scale) -> Page {
        let axis = |label: &str, scale| ChartAxis { label: label.to_owned(), scale };
        let panel = Panel { x: axis("x", Scale::Linear), y: axis("y", y), curves, ..Panel::default() };
        Page { title: "A page".to_owned(), panels: vec![panel], columns: 1, ..Page::default() }
    }

    fn curve(name: &str, ink: usize, points: &[(f64, f64, f64)]) -> Curve {
        let points = points.iter().map(|&(x, y, error)| CurvePoint { x, y, error }).collect();
        Curve { name: name.to_owned(), points, ink, marked: false }
    }

    fn texts(sheet: &Sheet) -> Vec<&TextMark> {
        sheet.marks.iter().filter_map(|mark| if let Mark::Text(text) = mark { Some(text) } else { None }).collect()
    }

    fn lines(sheet: &Sheet) -> Vec<(usize, f64)> {
        let line = |mark: &Mark| match mark {
            Mark::Path { path, paint: Paint::Line(stroke) } => Some((path.len(), stroke.width)),
            _ => None,
        };
        sheet.marks.iter().filter_map(line).collect()
    }

    #[test]
    fn names_stand_beside_their_curves_and_not_over_each_other() {
        let curves: Vec<Curve> =
            (0..30).map(|i| curve(&format!("curve {i}"), i, &[(0.0, 0.0, 0.0), (1.0, (i % 3) as f64, 0.0)])).collect();
        let sheet = sheet(&page(curves, Scale::Linear), None);
        let named = texts(&sheet).into_iter().filter(|text| text.text.starts_with("curve "));
        let mut heights: Vec<f64> = named.map(|text| text.at.1).collect();
        assert_eq!(heights.len(), 30);
        heights.sort_by(f64::total_cmp);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= BETWEEN_NAMES - 0.02), "{heights:?}");
        let leaders = lines(&sheet).iter().filter(|line| line.1 == 0.7).count();
        assert!(leaders > 20, "there are lines to names that are not beside their curves");
        assert_eq!(spread(&[10.0, 11.0, 200.0], 0.0, 205.0), [3.5, 17.5, 200.0]);
        assert_eq!(spread(&[0.0, 204.0, 205.0], 0.0, 205.0), [0.0, 191.0, 205.0]);
    }

    #[test]
    fn errors_have_bars_and_gaps_are_gaps() {
        let points = [(0.0, 1.0, 0.5), (1.0, 2.0, 3.0), (2.0, f64::NAN, 1.0), (3.0, 4.0, 0.0), (4.0, 5.0, f64::NAN)];
        for scale in [Scale::Linear, Scale::Decades] {
            let sheet = sheet(&page(vec![curve("", 0, &points)], scale), None);
            assert_eq!(lines(&sheet).iter().filter(|line| line.1 == 1.1).count(), 6, "two bars with two caps");
            assert_eq!(lines(&sheet).iter().filter(|line| line.1 == 1.7).count(), 2);
            let filled = |ink| {
                let is = |mark: &&Mark| matches!(mark, Mark::Path { paint: Paint::Fill(of, _), .. } if *of == ink);
                sheet.marks.iter().filter(is).count()
            };
            assert_eq!((filled(INKS[0]), filled(sheet.ground)), (4, 1), "an error that is not known opens the marker");
            let text = sheet.to_svg();
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }

    #[test]
    fn many_panels_stand_in_columns_and_share_the_names_of_axes() {
        let one = page(vec![curve("", 0, &[(0.0, 0.0, 0.0), (1.0, 1.0, 0.0)])], Scale::Linear);
        for (count, columns, named) in [(2, 1.0, 1), (4, 2.0, 2), (7, 2.0, 2), (12, 3.0, 3), (60, 4.0, 4)] {
            let many = Page { panels: vec![one.panels[0].clone(); count], columns: 0, ..Page::default() };
            let drawn = sheet(&many, None);
            assert_eq!(drawn.size[0], if columns == 1.0 { WIDE } else { columns * NARROW });
            assert_eq!(texts(&drawn).iter().filter(|text| text.text == "x").count(), named, "{count} panels");
        }
        let narrow = sheet(&Page { panels: vec![one.panels[0].clone(); 4], ..Page::default() }, Some(85.0));
        assert!((narrow.size[0] - 321.26).abs() < 0.01 && narrow.to_svg().contains("width=\"85mm\""));
    }

    #[test]
    fn pages_without_points_and_long_words_are_pages() {
        let mut empty = page(vec![curve("none", 3, &[])], Scale::Decades);
        empty.title = "x".repeat(5000);
        empty.note = "word ".repeat(100);
        empty.panels.push(Panel { levels: vec![(1.0, "one".to_owned())], ..Panel::default() });
        empty.columns = 2;
        let text = sheet(&empty, None).to_svg();
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n") && text.contains(">one<") && text.contains('…'));
        assert!(sheet(&Page::default(), None).to_svg().contains("</svg>"));
    }
}
