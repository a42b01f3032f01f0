//! Figures that show fractals.

use super::theory::{DIMENSIONS, dimension_claims};
use squeeze_bench::claim::{Claim, ClaimedFigure, FORMULA};
use squeeze_compiler::geometry::{CompactSpace, Domain, hausdorff_dimension};
use squeeze_compiler::ir::Fractal;
use squeeze_records::drawing::{Anchor, Sheet, SheetPlace, TextMark, font};
use std::sync::Arc;

/// The colours of replicas, in their order, and then again from the first.
const INKS: [u32; 8] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x555555, 0xb5a500];
pub(crate) const HOLE: u32 = 0xececec;
pub(crate) const BLACK: u32 = 0x111111;
const GREY: u32 = 0x333333;
const LARGE: f64 = 15.0;
pub(crate) const SMALL: f64 = 12.0;

/// Where a place of a grid is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    /// The left edge.
    pub left: f64,
    /// The upper edge.
    pub top: f64,
    /// The side of a place.
    pub side: f64,
}

impl Grid {
    /// A place, a little smaller than it is.
    pub(crate) fn place(&self, x: u64, y: u64) -> [f64; 4] {
        let gap = if self.side >= 6.0 { 0.6 } else { 0.0 };
        [self.left + x as f64 * self.side, self.top + y as f64 * self.side, self.side - gap, self.side - gap]
    }

    /// Fills all places of a box.
    pub(crate) fn fill(&self, sheet: &mut Sheet, width: u64, height: u64, ink: u32) {
        let boxes: Vec<_> = (0..height).flat_map(|y| (0..width).map(move |x| self.place(x, y))).collect();
        sheet.boxes(&boxes, ink);
    }

    /// Draws cells where `place` says, coloured by the replica of the last level that they are in.
    fn cells(&self, sheet: &mut Sheet, domain: &Domain, place: impl Fn(u64) -> [u64; 3]) {
        let mut boxes = vec![Vec::new(); INKS.len()];
        for c in 0..domain.cells() {
            let [x, y, _] = place(c);
            let replica = if domain.level() == 0 { 0 } else { domain.digit(c, domain.level()) };
            boxes[replica as usize % INKS.len()].push(self.place(x, y));
        }
        for (boxes, ink) in boxes.into_iter().zip(INKS).filter(|(boxes, _)| !boxes.is_empty()) {
            sheet.boxes(&boxes, ink);
        }
    }
}

pub(crate) fn at(fractal: &Arc<Fractal>, level: u32) -> Domain {
    Domain::new(Arc::clone(fractal), level).expect("a small level")
}

pub(crate) fn title(sheet: &mut Sheet) {
    let text = TextMark::new((16.0, 28.0), Anchor::Start, LARGE, BLACK, &sheet.title);
    sheet.text(text.bold());
}

pub(crate) fn caption(sheet: &mut Sheet, place: SheetPlace, text: &str) {
    sheet.text(TextMark::new(place, Anchor::Middle, SMALL, GREY, text));
}

/// The cells of a level, expanded and compact.
fn table(domain: &Domain) -> String {
    let space = CompactSpace::new(domain);
    let mut rows = String::new();
    for c in 0..domain.cells() {
        let ([x, y, _], [u, v, _]) = (domain.lambda(c), space.from_canonical(c));
        rows.push_str(&format!("{},{c},{x},{y},{u},{v}\n", domain.level()));
    }
    rows
}

const HEAD: &str = "level,c,x,y,compact_x,compact_y\n";

/// Whether ν inverts λ on all cells, and holes are holes.
pub(crate) fn maps_agree(domain: &Domain) -> bool {
    let side = domain.side();
    let found = (0..side * side).filter_map(|i| domain.nu([i % side, i / side, 0])).count() as u64;
    (0..domain.cells()).all(|c| domain.nu(domain.lambda(c)) == Some(c)) && found == domain.cells()
}

/// A fractal in its embedding: Fig. 1 of both papers.
pub(crate) fn embedding(figure: &'static str, fractal: &Arc<Fractal>) -> ClaimedFigure {
    let domain = at(fractal, 3);
    let (side, name) = (domain.side(), fractal.name.replace('_', " "));
    let mut sheet = Sheet::new(470.0, 500.0, &format!("{name}, r = 3, in a grid of {side} × {side}"));
    title(&mut sheet);
    let grid = Grid { left: 19.0, top: 48.0, side: 16.0 };
    grid.fill(&mut sheet, side, side, HOLE);
    grid.cells(&mut sheet, &domain, |c| domain.lambda(c));
    let places = side * side;
    let here = format!(
        "{side} × {side} places, {} cells, {} holes; ν inverts λ on all",
        domain.cells(),
        places - domain.cells()
    );
    let holds = side == 27 && domain.cells() == 512 && maps_agree(&domain);
    let claims = vec![Claim::new(
        figure,
        "the carpet in 27 × 27 elements, k^r = 512 of them cells (Eq. 1)",
        FORMULA,
        here,
        holds,
    )];
    ClaimedFigure { svg: sheet.to_svg(), csv: HEAD.to_owned() + &table(&domain), claims }
}

/// A fractal level by level; below each the compact form, unless `compact` is false.
pub(crate) fn construction(figure: &'static str, fractal: &Arc<Fractal>, levels: u32, compact: bool) -> ClaimedFigure {
    let domains: Vec<Domain> = (0..=levels).map(|level| at(fractal, level)).collect();
    let extent = |domain: &Domain| {
        let [width, height, _] = CompactSpace::new(domain).extent();
        (width, height)
    };
    // The last level decides how large a place is; earlier ones are drawn larger, but never fill more room.
    let room = 190.0;
    let side_of = |domain: &Domain| {
        let widest = if compact { domain.side().max(extent(domain).0) } else { domain.side() };
        (room / widest as f64).floor().clamp(3.0, 22.0)
    };
    let column = |domain: &Domain| {
        let widest = if compact { domain.side().max(extent(domain).0) } else { domain.side() };
        (widest as f64 * side_of(domain)).max(64.0) + 30.0
    };
    let upper = domains.iter().map(|domain| domain.side() as f64 * side_of(domain)).fold(0.0, f64::max);
    let lower = domains.iter().map(|domain| extent(domain).1 as f64 * side_of(domain)).fold(0.0, f64::max);
    let width = 32.0 + domains.iter().map(column).sum::<f64>();
    let height = 92.0 + upper + if compact { lower + 34.0 } else { 0.0 };
    let name = fractal.name.replace('_', " ");
    let what = if compact { "level by level, and its compact form" } else { "level by level" };
    let text = format!("{name}, {what}");
    let width = width.max(32.0 + font::width(&text, LARGE, true));
    let mut sheet = Sheet::new(width, height, &text);
    title(&mut sheet);
    let mut csv = HEAD.to_owned();
    let mut left = 16.0;
    for domain in &domains {
        let (side, room) = (side_of(domain), column(domain));
        let middle = left + room / 2.0;
        let n = domain.side();
        let grid = Grid { left: middle - n as f64 * side / 2.0, top: 50.0 + upper - n as f64 * side, side };
        grid.fill(&mut sheet, n, n, HOLE);
        grid.cells(&mut sheet, domain, |c| domain.lambda(c));
        let below = 50.0 + upper + 20.0;
        caption(&mut sheet, (middle, below), &format!("r = {}, n = {n}", domain.level()));
        if compact {
            let (width, height) = extent(domain);
            let space = CompactSpace::new(domain);
            let grid = Grid { left: middle - width as f64 * side / 2.0, top: below + 14.0, side };
            grid.cells(&mut sheet, domain, |c| space.from_canonical(c));
            let place = (middle, below + 32.0 + height as f64 * side);
            caption(&mut sheet, place, &format!("{width} × {height}"));
        }
        csv.push_str(&table(domain));
        left += room;
    }
    let cells: Vec<String> = domains.iter().map(|domain| domain.cells().to_string()).collect();
    let mut holds = domains.iter().all(maps_agree);
    let says = if compact {
        // §3.1: at odd levels x grows by k, at even ones y.
        let k = domains[1].cells();
        let grows = |pair: &[Domain]| {
            let ((width, height), (wider, higher)) = (extent(&pair[0]), extent(&pair[1]));
            if pair[1].level() % 2 == 1 {
                (width * k, height) == (wider, higher)
            } else {
                (width, height * k) == (wider, higher)
            }
        };
        holds &= domains.windows(2).all(grows);
        "the compact form grows by k to the right at odd levels and down at even ones, and misses no cell"
    } else {
        "each level is k copies of the one before, k^r cells in all"
    };
    let here = format!("cells {}; every cell at one place of both forms", cells.join(", "));
    ClaimedFigure { svg: sheet.to_svg(), csv, claims: vec![Claim::new(figure, says, FORMULA, here, holds)] }
}

/// Grid and memory of the three approaches: 2022, Fig. 11.
pub(crate) fn approaches(figure: &'static str, fractal: &Arc<Fractal>) -> ClaimedFigure {
    let domain = at(fractal, 3);
    let space = CompactSpace::new(&domain);
    let [width, height, _] = space.extent();
    let (n, side) = (domain.side(), 7.0);
    let name = fractal.name.replace('_', " ");
    let mut sheet = Sheet::new(560.0, 590.0, &format!("Grid and memory of three approaches, {name}, r = 3"));
    title(&mut sheet);
    for (x, text) in [(205.0, "grid of threads"), (435.0, "memory")] {
        sheet.text(TextMark::new((x, 56.0), Anchor::Middle, SMALL, BLACK, text).bold());
    }
    let mut csv = "approach,grid_places,memory_places,cells\n".to_owned();
    let mut top = 70.0;
    for (approach, grid_compact, memory_compact) in
        [("BB", false, false), ("λ(ω)", true, false), ("Squeeze", true, true)]
    {
        let rows = if grid_compact && memory_compact { height } else { n };
        let middle = top + rows as f64 * side / 2.0;
        sheet.text(TextMark::new((16.0, middle + 4.0), Anchor::Start, LARGE, BLACK, approach));
        for (centre, compact) in [(205.0, grid_compact), (435.0, memory_compact)] {
            let (w, h) = if compact { (width, height) } else { (n, n) };
            let grid = Grid { left: centre - w as f64 * side / 2.0, top: middle - h as f64 * side / 2.0, side };
            if compact {
                grid.cells(&mut sheet, &domain, |c| space.from_canonical(c));
            } else {
                grid.fill(&mut sheet, n, n, HOLE);
                grid.cells(&mut sheet, &domain, |c| domain.lambda(c));
            }
            caption(&mut sheet, (centre, middle + h as f64 * side / 2.0 + 17.0), &format!("{} places", w * h));
        }
        let places = |compact: bool| if compact { width * height } else { n * n };
        csv.push_str(&format!("{approach},{},{},{}\n", places(grid_compact), places(memory_compact), domain.cells()));
        top += rows as f64 * side + 36.0;
    }
    let here = format!("{} places expanded, {} compact, {} cells", n * n, width * height, domain.cells());
    let holds = width * height == domain.cells() && maps_agree(&domain);
    let says = "BB expands grid and memory, λ(ω) compacts the grid, Squeeze both";
    ClaimedFigure { svg: sheet.to_svg(), csv, claims: vec![Claim::new(figure, says, FORMULA, here, holds)] }
}

/// Fractals of the family: 2021, Table 1.
pub(crate) fn family(figure: &'static str, fractals: &[Arc<Fractal>]) -> ClaimedFigure {
    let row = 122.0;
    let mut sheet = Sheet::new(640.0, 64.0 + row * fractals.len() as f64, "Fractals of the NBB family");
    title(&mut sheet);
    for (x, text) in [(230.0, "r = 3"), (380.0, "step"), (530.0, "Hausdorff dimension")] {
        sheet.text(TextMark::new((x, 54.0), Anchor::Middle, SMALL, BLACK, text).bold());
    }
    let mut csv = "fractal,s,k,dimension,paper\n".to_owned();
    for (i, (fractal, (_, name, paper))) in fractals.iter().zip(DIMENSIONS).enumerate() {
        let top = 64.0 + row * i as f64;
        let middle = top + row / 2.0;
        sheet.text(TextMark::new((16.0, middle), Anchor::Start, SMALL, BLACK, name));
        for (centre, level) in [(230.0, 3), (380.0, 1)] {
            let domain = at(fractal, level);
            let n = domain.side();
            let side = if level == 1 { 18.0 } else { ((row - 12.0) / n as f64 * 2.0).floor() / 2.0 };
            let half = n as f64 * side / 2.0;
            let grid = Grid { left: centre - half, top: middle - half, side };
            if level == 1 {
                grid.fill(&mut sheet, n, n, HOLE);
            }
            grid.cells(&mut sheet, &domain, |c| domain.lambda(c));
        }
        let (pattern, dimension) = (&fractal.patterns[0], hausdorff_dimension(fractal).unwrap_or(f64::NAN));
        let text = format!("log {} / log {} = {dimension:.4}", pattern.k(), pattern.scale_text());
        caption(&mut sheet, (530.0, middle), &text);
        csv.push_str(&format!("{},{},{},{dimension:?},{paper:?}\n", fractal.name, pattern.scale_text(), pattern.k()));
    }
    ClaimedFigure { svg: sheet.to_svg(), csv, claims: dimension_claims(figure, fractals) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_bench::claim::Verdict;
    use squeeze_records::resolve;

    #[test]
    fn fractals_are_drawn_as_they_are() {
        let of = |name: &str| resolve::fractal(name).unwrap();
        let all = [
            embedding("2022-fig-1", &of("sierpinski_carpet")),
            construction("2022-fig-2", &of("empty_bottles"), 3, true),
            construction("2021-fig-2", &of("sierpinski_triangle"), 4, false),
            approaches("2022-fig-11", &of("chandelier")),
            family("2021-table-1", &DIMENSIONS.map(|(name, ..)| of(name))),
        ];
        for outcome in all {
            assert!(outcome.claims.iter().all(|claim| claim.verdict == Verdict::Held), "{:?}", outcome.claims);
            assert!(outcome.svg.ends_with("</svg>\n") && outcome.svg.len() < 400_000, "{}", outcome.svg.len());
        }
        let carpet = embedding("2022-fig-1", &of("sierpinski_carpet"));
        let squares = carpet.svg.matches('M').count();
        assert_eq!((squares, carpet.csv.lines().count()), (27 * 27 + 512, 513));
    }
}
