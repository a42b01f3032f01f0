//! Figures that illustrate how the maps and blocks work, on the Sierpinski triangle.

use super::drawings::{BLACK, Grid, HOLE, SMALL, at, caption, maps_agree, title};
use squeeze_bench::claim::{Claim, ClaimedFigure, FORMULA};
use squeeze_compiler::geometry::{CompactSpace, Domain};
use squeeze_compiler::ir::Fractal;
use squeeze_records::drawing::{Anchor, Sheet, SheetPlace, TextMark};
use std::sync::Arc;

/// The colours of cells, of the cell that is looked at, of its neighbours, and of the scope of a level.
const CELL: u32 = 0xb9c9d9;
const OWN: u32 = 0xd62728;
const NEIGHBOUR: u32 = 0x0072b2;
const SCOPE: u32 = 0xe69f00;

/// Where a grid begins: left, top and the side of a place.
type GridCorner = (f64, f64, f64);

/// A grid of the fractal, expanded or compact, with some cells in colours of their own.
fn draw(sheet: &mut Sheet, domain: &Domain, corner: GridCorner, compact: bool, special: &[(u64, u32)]) -> Grid {
    let (left, top, side) = corner;
    let grid = Grid { left, top, side };
    let space = CompactSpace::new(domain);
    let place = |c: u64| {
        let [x, y, _] = if compact { space.from_canonical(c) } else { domain.lambda(c) };
        grid.place(x, y)
    };
    if !compact {
        grid.fill(sheet, domain.side(), domain.side(), HOLE);
    }
    sheet.boxes(&(0..domain.cells()).map(place).collect::<Vec<_>>(), CELL);
    for (c, ink) in special {
        sheet.boxes(&[place(*c)], *ink);
    }
    grid
}

/// The outline of a region of a grid.
fn outline(sheet: &mut Sheet, grid: &Grid, [x, y]: [u64; 2], [width, height]: [u64; 2], ink: u32) {
    let [left, top, ..] = grid.place(x, y);
    let (width, height, line) = (width as f64 * grid.side, height as f64 * grid.side, 2.0);
    let (left, top) = (left - 0.3, top - 0.3);
    let sides = [
        [left, top, width, line],
        [left, top + height - line, width, line],
        [left, top, line, height],
        [left + width - line, top, line, height],
    ];
    sheet.boxes(&sides, ink);
}

/// An arrow that goes along x, and then along y.
fn arrow(sheet: &mut Sheet, from: SheetPlace, to: SheetPlace, ink: u32) {
    let ((x, y), (end_x, end_y), half) = (from, to, 0.75);
    let mut boxes = vec![
        [x.min(end_x) - half, y - half, (end_x - x).abs() + 2.0 * half, 2.0 * half],
        [end_x - half, y.min(end_y) - half, 2.0 * half, (end_y - y).abs() + 2.0 * half],
    ];
    let (along_y, back) = if end_y == y { (false, -(end_x - x).signum()) } else { (true, -(end_y - y).signum()) };
    for step in 0..5 {
        // The head is made of slices that grow from its tip.
        let (reach, width) = (f64::from(step) * 1.5, 1.0 + f64::from(step) * 1.5);
        boxes.push(match along_y {
            true => [end_x - width / 2.0, end_y + back * reach - half, width, 2.0 * half],
            false => [end_x + back * reach - half, end_y - width / 2.0, 2.0 * half, width],
        });
    }
    sheet.boxes(&boxes, ink);
}

fn heading(sheet: &mut Sheet, place: SheetPlace, text: &str) {
    sheet.text(TextMark::new(place, Anchor::Middle, SMALL, BLACK, text).bold());
}

/// The cells beside one in the expanded grid, holes left out.
fn neighbours(domain: &Domain, c: u64) -> Vec<u64> {
    let [x, y, _] = domain.lambda(c);
    let beside = (0..9u64).filter(|direction| *direction != 4).map(|direction| {
        let [x, y] = [(x + direction % 3).checked_sub(1)?, (y + direction / 3).checked_sub(1)?];
        (x < domain.side() && y < domain.side()).then(|| domain.nu([x, y, 0])).flatten()
    });
    beside.flatten().collect()
}

/// A cell and those beside it, with their colours.
fn coloured(domain: &Domain, c: u64) -> Vec<(u64, u32)> {
    neighbours(domain, c).into_iter().map(|c| (c, NEIGHBOUR)).chain([(c, OWN)]).collect()
}

/// A cell and those beside it, in both spaces.
fn neighbour_table(domain: &Domain, c: u64) -> String {
    let space = CompactSpace::new(domain);
    let mut csv = "cell,c,x,y,compact_x,compact_y\n".to_owned();
    for cell in std::iter::once(c).chain(neighbours(domain, c)) {
        let ([x, y, _], [u, v, _]) = (domain.lambda(cell), space.from_canonical(cell));
        let role = if cell == c { "own" } else { "neighbour" };
        csv.push_str(&format!("{role},{cell},{x},{y},{u},{v}\n"));
    }
    csv
}

/// The neighbours of a cell in both spaces: 2022, Fig. 3, and 2021, Fig. 4.
pub(crate) fn neighbourhood(figure: &'static str, fractal: &Arc<Fractal>) -> ClaimedFigure {
    let domain = at(fractal, 3);
    let space = CompactSpace::new(&domain);
    // The cell of the most neighbours, of which most leave its side.
    let beside = |c: u64, other: u64| {
        let ([x, y, _], [u, v, _]) = (space.from_canonical(c), space.from_canonical(other));
        x.abs_diff(u) <= 1 && y.abs_diff(v) <= 1
    };
    let apart = |c: u64| neighbours(&domain, c).into_iter().filter(|other| !beside(c, *other)).count();
    let c = (0..domain.cells()).max_by_key(|c| (neighbours(&domain, *c).len(), apart(*c))).unwrap_or(0);
    let special = coloured(&domain, c);
    let mut sheet = Sheet::new(560.0, 280.0, "Neighbours of a cell, expanded and compact, r = 3");
    title(&mut sheet);
    draw(&mut sheet, &domain, (30.0, 70.0, 22.0), false, &special);
    draw(&mut sheet, &domain, (300.0, 125.0, 22.0), true, &special);
    heading(&mut sheet, (118.0, 60.0), "expanded");
    heading(&mut sheet, (399.0, 115.0), "compact");
    let (all, apart) = (special.len() - 1, apart(c));
    caption(&mut sheet, (280.0, 268.0), "red: the cell; blue: its neighbours in the expanded grid");
    let here = format!("of {all} neighbours {apart} are not beside the cell in compact space");
    let says = "neighbours in compact space follow a layout of their own";
    let claims = vec![Claim::new(figure, says, FORMULA, here, apart > 0 && maps_agree(&domain))];
    ClaimedFigure { svg: sheet.to_svg(), csv: neighbour_table(&domain, c), claims }
}

/// Threads and the data that they map to, by the bounding box and by λ(ω): 2022, Fig. 4, and 2021, Fig. 3.
pub(crate) fn threads(figure: &'static str, fractal: &Arc<Fractal>) -> ClaimedFigure {
    let domain = at(fractal, 3);
    let [width, height, _] = CompactSpace::new(&domain).extent();
    let (n, side) = (domain.side(), 16.0);
    let mut sheet = Sheet::new(480.0, 400.0, "Threads (left) and data (right), r = 3");
    title(&mut sheet);
    let mut csv = "approach,threads,cells\n".to_owned();
    for (approach, top, compact) in [("BB", 60.0, false), ("λ(ω)", 225.0, true)] {
        let (wide, high) = if compact { (width, height) } else { (n, n) };
        let middle = top + n as f64 * side / 2.0;
        heading(&mut sheet, (30.0, middle + 4.0), approach);
        let grid = Grid { left: 60.0, top: middle - high as f64 * side / 2.0, side };
        grid.fill(&mut sheet, wide, high, SCOPE);
        draw(&mut sheet, &domain, (310.0, top, side), false, &[]);
        arrow(&mut sheet, (60.0 + wide as f64 * side + 12.0, middle), (296.0, middle), BLACK);
        let foot = top + n as f64 * side + 16.0;
        caption(&mut sheet, (60.0 + wide as f64 * side / 2.0, foot), &format!("{} threads", wide * high));
        caption(&mut sheet, (374.0, foot), &format!("{} cells of {} places", domain.cells(), n * n));
        csv.push_str(&format!("{approach},{},{}\n", wide * high, domain.cells()));
    }
    let here = format!("BB {} threads, λ(ω) {}, for {} cells", n * n, width * height, domain.cells());
    let says = "λ(ω) reaches the cells with the threads that they need, the bounding box with one for each place";
    let holds = width * height == domain.cells() && maps_agree(&domain);
    ClaimedFigure { svg: sheet.to_svg(), csv, claims: vec![Claim::new(figure, says, FORMULA, here, holds)] }
}

/// How a cell's neighbours are found: 2022, Fig. 6, and 2021, Fig. 5.
pub(crate) fn exploration(figure: &'static str, fractal: &Arc<Fractal>) -> ClaimedFigure {
    let domain = at(fractal, 3);
    let c = (0..domain.cells()).max_by_key(|c| neighbours(&domain, *c).len()).unwrap_or(0);
    let special = coloured(&domain, c);
    let mut sheet = Sheet::new(760.0, 260.0, "How neighbours are found: λ(ω) once, ν(ω) for each, r = 3");
    title(&mut sheet);
    draw(&mut sheet, &domain, (20.0, 110.0, 18.0), true, &[(c, OWN)]);
    draw(&mut sheet, &domain, (310.0, 65.0, 18.0), false, &special);
    draw(&mut sheet, &domain, (570.0, 110.0, 18.0), true, &special);
    for (from, to, map) in [(192.0, 300.0, "λ(ω)"), (464.0, 560.0, "ν(ω)")] {
        arrow(&mut sheet, (from, 137.0), (to, 137.0), BLACK);
        heading(&mut sheet, ((from + to) / 2.0, 128.0), map);
    }
    for (x, text) in [(101.0, "memory"), (382.0, "virtual, never in memory"), (651.0, "memory")] {
        caption(&mut sheet, (x, 240.0), text);
    }
    let most = (0..domain.cells()).map(|c| neighbours(&domain, c).len()).max().unwrap_or(0);
    let space = CompactSpace::new(&domain);
    let back = |other: &u64| domain.nu(domain.lambda(*other)).map(|found| space.from_canonical(found));
    let all_back = special.iter().all(|(other, _)| back(other) == Some(space.from_canonical(*other)));
    let here = format!("1 λ(ω) and {} ν(ω) for this cell, at most {most} for any", special.len() - 1);
    let says = "one λ(ω) and at most eight ν(ω) find the neighbours in compact space";
    let claims = vec![Claim::new(figure, says, FORMULA, here, all_back && most <= 8)];
    ClaimedFigure { svg: sheet.to_svg(), csv: neighbour_table(&domain, c), claims }
}

/// What is known of a cell once the levels from μ up are: the corners of its replica of level μ − 1 in both spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MapStage {
    mu: u32,
    replica: u64,
    expanded: [u64; 2],
    compact: [u64; 2],
}

/// The stages of a map from the highest level down, after one in which nothing is known.
fn stages(domain: &Domain, c: u64) -> Vec<MapStage> {
    let space = CompactSpace::new(domain);
    let mut stage = MapStage { mu: domain.level() + 1, replica: 0, expanded: [0; 2], compact: [0; 2] };
    let mut all = vec![stage];
    for mu in (1..=domain.level()).rev() {
        stage = MapStage { mu, replica: domain.digit(c, mu), ..stage };
        let [x, y, _] = domain.pattern(mu).replicas[stage.replica as usize];
        let scale = domain.scale_product(mu - 1)[0];
        stage.expanded = [stage.expanded[0] + u64::from(x) * scale, stage.expanded[1] + u64::from(y) * scale];
        stage.compact[space.axis(mu)] += stage.replica * space.weight(mu);
        all.push(stage);
    }
    all
}

/// The steps of λ(ω), or of ν(ω) if the result is `compact`: 2022, Figs. 7 and 8.
pub(crate) fn steps_of_map(figure: &'static str, fractal: &Arc<Fractal>, compact: bool) -> ClaimedFigure {
    let domain = at(fractal, 3);
    // The cell whose levels all have an offset.
    let c = domain.cells() - 1;
    let (map, side, column) = (if compact { "ν(ω)" } else { "λ(ω)" }, 15.0, 185.0);
    let mut sheet = Sheet::new(20.0 + 3.0 * column, 400.0, &format!("{map} of one cell, level by level, r = 3"));
    title(&mut sheet);
    let stages = stages(&domain, c);
    let extent = |level: u32| {
        let part = at(fractal, level);
        let [width, height, _] = CompactSpace::new(&part).extent();
        ([part.side(); 2], [width, height])
    };
    let mut csv = "mu,replica,x,y,compact_x,compact_y\n".to_owned();
    for (turn, pair) in stages.windows(2).enumerate() {
        let (before, after) = (pair[0], pair[1]);
        let left = 24.0 + turn as f64 * column;
        let (expanded_top, compact_top) = if compact { (66.0, 270.0) } else { (230.0, 66.0) };
        let expanded = draw(&mut sheet, &domain, (left, expanded_top, side), false, &[(c, OWN)]);
        let packed = draw(&mut sheet, &domain, (left, compact_top, side), true, &[(c, OWN)]);
        let (scope, known) = (extent(after.mu), extent(after.mu - 1));
        let corner = |grid: &Grid, place: [u64; 2]| {
            (grid.left + (place[0] as f64 + 0.5) * side, grid.top + (place[1] as f64 + 0.5) * side)
        };
        // Where the map reads, the scope in which the replica is told; where it writes, what is known then, and how it moved there.
        let (from, to) = if compact {
            outline(&mut sheet, &expanded, before.expanded, scope.0, SCOPE);
            outline(&mut sheet, &packed, after.compact, known.1, OWN);
            (corner(&packed, before.compact), corner(&packed, after.compact))
        } else {
            outline(&mut sheet, &packed, before.compact, scope.1, SCOPE);
            outline(&mut sheet, &expanded, after.expanded, known.0, OWN);
            (corner(&expanded, before.expanded), corner(&expanded, after.expanded))
        };
        arrow(&mut sheet, from, to, NEIGHBOUR);
        let middle = left + 75.0;
        heading(&mut sheet, (middle, 54.0), &format!("μ = {}", after.mu));
        let ([x, y], [u, v]) = (after.expanded, after.compact);
        let place = if compact { [u, v] } else { [x, y] };
        caption(
            &mut sheet,
            (middle, 380.0),
            &format!("replica {}, so far ({}, {})", after.replica, place[0], place[1]),
        );
        csv.push_str(&format!("{},{},{x},{y},{u},{v}\n", after.mu, after.replica));
    }
    let space = CompactSpace::new(&domain);
    let right = |c: &u64| {
        let last = self::stages(&domain, *c)[domain.level() as usize];
        last.expanded == domain.lambda(*c)[..2] && last.compact == space.from_canonical(*c)[..2]
    };
    let count = (0..domain.cells()).filter(right).count() as u64;
    let here = format!("the sum of three offsets is {map} for {count} of {} cells", domain.cells());
    let says = format!("{map} adds an offset for each level, from μ = r down to 1");
    let claims = vec![Claim::new(figure, &says, FORMULA, here, count == domain.cells())];
    ClaimedFigure { svg: sheet.to_svg(), csv, claims }
}

/// Blocks in the grid and in memory: Fig. 9 of both papers.
pub(crate) fn blocks(figure: &'static str, fractal: &Arc<Fractal>) -> ClaimedFigure {
    let (level, rho) = (4, 4);
    let domain = at(fractal, level);
    let (coarse, block) = (domain.between(2, level), at(fractal, 2));
    let space = CompactSpace::new(&coarse);
    let side = 14.0;
    let mut sheet = Sheet::new(560.0, 330.0, "Blocks of 4 × 4 cells, r = 4: the grid (left) and memory (right)");
    title(&mut sheet);
    let grid = draw(&mut sheet, &domain, (24.0, 56.0, side), false, &[]);
    let memory = Grid { left: 330.0, top: 84.0, side };
    let [width, height, _] = space.extent();
    memory.fill(&mut sheet, width * rho, height * rho, HOLE);
    let mut csv = "block,x,y,memory_x,memory_y\n".to_owned();
    let mut kept = 0;
    for number in 0..coarse.cells() {
        let ([x, y, _], [u, v, _]) = (coarse.lambda(number), space.from_canonical(number));
        let cells = (0..block.cells()).map(|c| {
            let [right, down, _] = block.lambda(c);
            memory.place(u * rho + right, v * rho + down)
        });
        let cells = cells.collect::<Vec<_>>();
        // A block's cells are those of the whole fractal that lie in it.
        kept +=
            (0..block.cells()).filter(|c| domain.nu(sum([x * rho, y * rho, 0], block.lambda(*c))).is_some()).count();
        sheet.boxes(&cells, CELL);
        outline(&mut sheet, &grid, [x * rho, y * rho], [rho; 2], OWN);
        outline(&mut sheet, &memory, [u * rho, v * rho], [rho; 2], OWN);
        csv.push_str(&format!("{number},{},{},{},{}\n", x * rho, y * rho, u * rho, v * rho));
    }
    let (places, foot) = (coarse.cells() * rho * rho, 300.0);
    caption(&mut sheet, (136.0, foot), &format!("{} places", domain.side() * domain.side()));
    caption(&mut sheet, (414.0, foot), &format!("{places} places, {} cells", domain.cells()));
    let here = format!(
        "{} blocks, r_b = {}: {places} places for {} cells instead of {}",
        coarse.cells(),
        coarse.level(),
        domain.cells(),
        domain.side() * domain.side()
    );
    let holds = coarse.level() == 2 && kept as u64 == domain.cells();
    let says =
        "blocks of 4 × 4 make the triangle of r = 4 one of r_b = 2; inside each block lies a small expanded fractal";
    ClaimedFigure { svg: sheet.to_svg(), csv, claims: vec![Claim::new(figure, says, FORMULA, here, holds)] }
}

fn sum(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

/// ν(ω) as a product of matrices: 2021, Fig. 7, with the weights of the errata.
pub(crate) fn product(figure: &'static str, fractal: &Arc<Fractal>) -> ClaimedFigure {
    const SIDE: usize = 16;
    let domain = at(fractal, 8);
    let space = CompactSpace::new(&domain);
    let levels = 1..=domain.level();
    let digits = |[x, y, _]: [u64; 3]| levels.clone().map(move |mu| (x >> (mu - 1) & 1) + (y >> (mu - 1) & 1));
    let weight = |row: usize, mu: u32| if space.axis(mu) == row { space.weight(mu) } else { 0 };
    let times = |row: usize, point: [u64; 3]| -> u64 {
        levels.clone().zip(digits(point)).map(|(mu, digit)| weight(row, mu) * digit).sum()
    };
    let point = domain.lambda(domain.cells() - 2);
    let mut matrices = [[[0; SIDE]; SIDE]; 3];
    for (mu, digit) in levels.clone().zip(digits(point)) {
        let column = mu as usize - 1;
        (0..2).for_each(|row| matrices[0][row][column] = weight(row, mu));
        matrices[1][column][0] = digit;
    }
    (0..2).for_each(|row| matrices[2][row][0] = times(row, point));
    let side = 20.0;
    let room = SIDE as f64 * side + 40.0;
    let mut sheet = Sheet::new(24.0 + 3.0 * room, 420.0, "ν(ω) as a product of matrices of 16 × 16, triangle, r = 8");
    title(&mut sheet);
    let mut csv = "matrix,row,column,value\n".to_owned();
    for (turn, (name, matrix)) in ["A", "B", "A × B"].into_iter().zip(&matrices).enumerate() {
        let grid = Grid { left: 24.0 + turn as f64 * room, top: 66.0, side };
        heading(&mut sheet, (grid.left + room / 2.0 - 20.0, 56.0), name);
        grid.fill(&mut sheet, SIDE as u64, SIDE as u64, HOLE);
        for (row, values) in matrix.iter().enumerate() {
            for (column, value) in values.iter().enumerate().filter(|(_, value)| **value > 0) {
                let [left, top, ..] = grid.place(column as u64, row as u64);
                sheet.text(TextMark::new((left + 10.0, top + 14.0), Anchor::Middle, 10.0, BLACK, &value.to_string()));
                csv.push_str(&format!("{name},{row},{column},{value}\n"));
            }
        }
    }
    let [x, y, _] = point;
    let foot = format!("rows of A: Δ_μ of x and of y; the first column of B: H of ω = ({x}, {y}); all else is 0");
    caption(&mut sheet, (12.0 + 1.5 * room, 408.0), &foot);
    let right = |c: &u64| [0, 1].map(|row| times(row, domain.lambda(*c))) == space.from_canonical(*c)[..2];
    let count = (0..domain.cells()).filter(right).count() as u64;
    let here = format!("A × B is ν(ω) for {count} of {} cells, with ⌊μ/2⌋ in τ", domain.cells());
    let says = "the sums of products of ν(ω) are a product of matrices";
    let claims = vec![Claim::new(figure, says, FORMULA, here, count == domain.cells())];
    ClaimedFigure { svg: sheet.to_svg(), csv, claims }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_bench::claim::Verdict;
    use squeeze_records::resolve;

    fn triangle() -> Arc<Fractal> {
        resolve::fractal("sierpinski_triangle").unwrap()
    }

    #[test]
    fn illustrations_show_what_is_so() {
        let triangle = &triangle();
        let all = [
            neighbourhood("2022-fig-3", triangle),
            threads("2022-fig-4", triangle),
            exploration("2022-fig-6", triangle),
            steps_of_map("2022-fig-7", triangle, false),
            steps_of_map("2022-fig-8", triangle, true),
            blocks("2022-fig-9", triangle),
            product("2021-fig-7", triangle),
        ];
        for outcome in &all {
            assert!(outcome.claims.iter().all(|claim| claim.verdict == Verdict::Held), "{:?}", outcome.claims);
            assert!(outcome.svg.ends_with("</svg>\n") && outcome.csv.lines().count() > 2, "{}", outcome.csv);
            assert!(outcome.svg.len() < 100_000, "{}", outcome.svg.len());
        }
        let here = |figure: usize| &all[figure].claims[0].here[..];
        assert_eq!(here(1), "BB 64 threads, λ(ω) 27, for 27 cells");
        assert_eq!(here(5), "9 blocks, r_b = 2: 144 places for 81 cells instead of 256");
        assert_eq!(here(6), "A × B is ν(ω) for 6561 of 6561 cells, with ⌊μ/2⌋ in τ");
        // The last cell is the last replica at each level, whose offsets in x and y are those of the side.
        assert_eq!(all[3].csv, "mu,replica,x,y,compact_x,compact_y\n3,2,4,4,6,0\n2,2,6,6,6,2\n1,2,7,7,8,2\n");
        assert_eq!(all[3].csv, all[4].csv);
    }

    #[test]
    fn neighbours_are_cells_beside_one() {
        let domain = at(&triangle(), 2);
        for c in 0..domain.cells() {
            let [x, y, _] = domain.lambda(c);
            let right = (0..domain.cells()).filter(|other| {
                let [u, v, _] = domain.lambda(*other);
                *other != c && x.abs_diff(u) <= 1 && y.abs_diff(v) <= 1
            });
            let mut found = neighbours(&domain, c);
            found.sort_unstable();
            assert_eq!(found, right.collect::<Vec<_>>(), "{c}");
        }
    }
}
