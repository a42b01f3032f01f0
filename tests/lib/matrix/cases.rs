//! The cases that are run: those that lead along all roads, all that ships with each other and with any number of members, and ensembles that draw.

use super::Act::{Look, Observe, Restart, Step, Write};
use super::Params::{Own, Same};
use super::{Act, Case};
use crate::course::library;
use squeeze::compiler::Library;
use squeeze::compiler::target::Wavefront;
use squeeze::ir::Axes;
use squeeze::resolve::{self, Kind, shipped_names};
use squeeze::{Domain, Fractal, Rule};
use std::sync::Arc;

/// Makes the cases of a part.
type Cases = fn() -> Vec<Case>;

/// The parts of the matrix.
pub const PARTS: [(&str, Cases); 3] = [("roads", roads), ("matrix", matrix), ("ensembles", ensembles)];

/// The looks of every case: observables while it steps, more and fewer steps than a pass has.
const LOOKS: [Act; 3] = [Observe(2, 3), Step(1), Step(6)];

fn shipped_fractal(name: &str) -> Arc<Fractal> {
    resolve::fractal(name).expect("it ships")
}

fn shipped_rule(name: &str) -> Arc<Rule> {
    resolve::rule(name).expect("it ships")
}

/// A fractal that is periodic along all its axes.
fn torus(fractal: &Fractal) -> Arc<Fractal> {
    crate::periodic(fractal, Axes::of(fractal.dimension))
}

/// Texts beside what ships, in the program itself: it may run elsewhere.
struct Texts {
    roads: Library,
    totals: Library,
    far: Library,
    lets: Library,
    march: Library,
}

impl Texts {
    fn new() -> Texts {
        Texts {
            roads: library(include_str!("../../gpu/roads.rule")),
            totals: library(include_str!("../../gpu/totals.rule")),
            far: library(include_str!("../../gpu/far.rule")),
            lets: library(include_str!("../../gpu/lets.rule")),
            march: library(include_str!("../../gpu/march.rule")),
        }
    }

    fn rule(&self, name: &str) -> Arc<Rule> {
        let own = [&self.roads, &self.totals, &self.far, &self.lets, &self.march]
            .into_iter()
            .flat_map(|library| &library.rules);
        own.clone().find(|rule| rule.name == name).map_or_else(|| shipped_rule(name), Arc::clone)
    }

    fn fractal(&self, name: &str) -> Arc<Fractal> {
        let (name, is_torus) = name.strip_suffix(" torus").map_or((name, false), |name| (name, true));
        let found = self.roads.fractals.iter().find(|fractal| fractal.name == name);
        let found = found.map_or_else(|| shipped_fractal(name), Arc::clone);
        if is_torus { torus(&found) } else { found }
    }
}

/// Small cases that take all roads together.
fn roads() -> Vec<Case> {
    let texts = Texts::new();
    let case = |fractal: &str, level: u32, rule: &str, members: u64, acts: &[Act]| {
        Case::new(&texts.fractal(fractal), level, &texts.rule(rule), members, Same, acts)
    };
    let own = |case: Case| Case { name: format!("{} of their own", case.name), params: Own, ..case };
    let on = |(lanes, micro): (u32, u32), case: Case| Case {
        name: format!("{}, layout {lanes}.{micro}", case.name),
        layout: Some((lanes, micro, false)),
        ..case
    };
    let far = |lanes: u32, case: Case| Case {
        name: format!("{}, layout {lanes}.0 far", case.name),
        layout: Some((lanes, 0, true)),
        ..case
    };
    let packed = |case: Case| Case { name: format!("{}, packed", case.name), packed: true, ..case };
    let at_once = |case: Case| Case { name: format!("{}, watched", case.name), at_once: true, ..case };
    let waves = |wavefront: Wavefront, case: Case| Case {
        name: format!("{}, by {}", case.name, wavefront.name()),
        wavefront,
        ..case
    };
    let tiled = |tile: [u32; 2], case: Case| Case {
        name: format!("{}, tiles of {} by {}", case.name, tile[0], tile[1]),
        tile: Some(tile),
        ..case
    };
    let looks = &LOOKS[..];
    let mut cases = vec![
        // Draws of lanes: quads whose warps share planes, whose last warps are filled up, by themselves, without borders.
        on((5, 1), case("sierpinski_triangle", 9, "glauber", 1, looks)),
        own(on((5, 1), case("sierpinski_triangle", 9, "glauber", 60, looks))),
        own(on((5, 0), case("sierpinski_triangle", 9, "voter", 60, looks))),
        on((3, 1), case("vicsek", 5, "glauber", 1, looks)),
        own(on((3, 1), case("vicsek", 5, "glauber", 60, looks))),
        on((3, 0), case("sierpinski_carpet", 4, "glauber", 1, looks)),
        own(on((3, 0), case("sierpinski_carpet", 4, "forest_fire", 5, looks))),
        on((5, 0), case("full_square", 7, "glauber", 1, looks)),
        own(on((5, 0), case("full_square", 7, "glauber", 5, looks))),
        on((4, 1), case("full_square", 7, "voter", 1, looks)),
        own(on((4, 1), case("full_square", 7, "voter", 16, looks))),
        on((4, 0), case("full_square", 7, "schelling", 1, looks)),
        on((4, 0), case("full_square", 7, "aggregation", 1, looks)),
        own(on((5, 0), case("full_square", 7, "random_walkers", 3, looks))),
        // Words, with threads that have none, and lanes.
        case("sierpinski_triangle", 9, "glauber", 1, looks),
        own(case("sierpinski_carpet", 4, "glauber", 16, looks)),
        own(case("h_fractal", 4, "glauber", 5, looks)),
        case("menger_sponge", 3, "ising_3d", 1, looks),
        own(case("tetrix", 5, "voter", 3, looks)),
        case("sierpinski_triangle", 8, "potts", 1, looks),
        own(case("full_square", 6, "many", 5, looks)),
        case("candy", 3, "many", 1, looks),
        case("candy", 3, "sparks", 1, looks),
        case("full_square", 6, "kawasaki", 1, looks),
        own(case("full_square", 5, "bond_percolation", 3, looks)),
        case("full_square", 5, "percolation", 1, looks),
        case("full_square", 6, "lattice_gas", 1, looks),
        case("sierpinski_carpet", 4, "greenberg_hastings", 1, looks),
        // Steps that are left out.
        case("sierpinski_triangle", 7, "seldom", 1, &[Observe(2, 3), Step(100), Step(403)]),
        own(case("sierpinski_carpet", 3, "seldom", 3, looks)),
        // Rules without draws in steps.
        case("sierpinski_triangle", 8, "life", 1, &[Observe(1, 40), Observe(3, 80), Step(1003), Step(7)]),
        case("vicsek", 4, "glauber", 1, &[Observe(1, 40), Step(203)]),
        own(case("vicsek", 4, "glauber", 5, &[Observe(1, 40), Step(203)])),
        on((2, 1), case("sierpinski_triangle", 7, "life", 1, looks)),
        on((1, 1), case("menger_sponge", 3, "life_3d", 1, looks)),
        on((2, 0), case("menger_sponge", 3, "life_3d", 1, looks)),
        case("lace", 4, "wave", 1, looks),
        case("vicsek torus", 4, "quiet_numbers", 1, looks),
        own(case("sierpinski_triangle", 6, "quiet_numbers", 3, looks)),
        on((3, 0), case("h_fractal", 4, "quiet_numbers", 1, looks)),
        on((5, 0), case("sierpinski_triangle", 7, "heat", 1, looks)),
        case("sierpinski_triangle", 0, "heat", 1, &[Step(3)]),
        case("sierpinski_triangle", 14, "wave", 1, &[Step(1), Look]),
        case("sierpinski_carpet", 4, "totals", 1, looks),
        own(case("sierpinski_triangle", 6, "totals", 5, looks)),
        on(
            (1, 1),
            case("sierpinski_triangle", 6, "quiet", 1, &[Observe(1, 9), Observe(3, 2), Observe(2, 40), Step(7)]),
        ),
        case("vicsek", 3, "quiet", 5, &[Observe(1, 9), Observe(3, 2), Step(7)]),
        // Members as lanes.
        case("sierpinski_triangle", 4, "life", 64, &[Observe(1, 5), Step(7), Restart(Same), Step(3)]),
        case("sierpinski_carpet", 2, "leaning", 70, &[Step(2), Write, Step(3), Restart(Own), Step(4)]),
        case("vicsek", 2, "leaning", 100, &[Observe(1, 5), Observe(3, 3), Step(7)]),
        case("full_square torus", 4, "brians_brain", 257, looks),
        // Lets that are kept.
        case("sierpinski_carpet", 4, "currents", 1, looks),
        own(case("sierpinski_triangle", 6, "turns", 3, looks)),
        case("torus", 1, "chain", 1, looks),
        packed(case("sparse", 1, "words", 1, looks)),
        // Far looks.
        far(3, case("full_square", 5, "far_count", 1, looks)),
        far(3, case("full_square", 5, "far_places", 1, looks)),
        far(0, case("sierpinski_triangle", 6, "far_weights", 1, looks)),
        far(2, case("sierpinski_carpet", 3, "far_waves", 1, looks)),
        far(2, case("full_square torus", 5, "far_extremes", 1, looks)),
        own(case("sierpinski_triangle", 6, "far_weights", 3, looks)),
        case("candy", 2, "far_steps", 1, looks),
        // Rows: by coordinates, at fixed distances, steps in registers, draws.
        case("sheet", 1, "glauber", 3, looks),
        case("torus", 1, "conway", 1, &[Step(4), Observe(1, 5), Step(403)]),
        case("holes", 1, "conway", 1, looks),
        case("torus", 1, "glauber", 1, looks),
        case("holes", 1, "forest_fire", 1, looks),
        case("holes", 1, "heat", 1, looks),
        case("torus", 1, "gray_scott", 1, looks),
        case("holes", 1, "cahn_hilliard", 1, looks),
        case("torus", 1, "belousov_zhabotinsky", 1, looks),
        // Steps in a march: of each type, more and fewer than it has.
        case("torus", 1, "reacting", 1, &[Step(8), Observe(5, 3), Step(403)]),
        own(case("holes", 1, "reacting", 3, looks)),
        case("holes", 1, "settling", 1, &[Step(9), Write, Step(13)]),
        case("lumps", 1, "settling", 1, looks),
        case("torus", 1, "climbing", 1, looks),
        case("sheet", 1, "climbing", 1, looks),
        case("holes", 1, "dripping", 1, looks),
        case("wide_torus", 1, "dripping", 1, looks),
        case("lumps", 1, "conway", 1, looks),
        case("lumps", 1, "many", 1, looks),
        case("rows", 1, "sandpile", 1, looks),
        case("cluster", 1, "percolation", 1, looks),
        case("long_line", 1, "heat", 1, looks),
        case("layers", 1, "life_3d", 1, looks),
        case("layers", 1, "quiet_numbers", 1, looks),
        case("cube", 1, "life_3d", 1, looks),
        case("cube", 1, "heat", 1, looks),
        case("torus", 1, "quiet_numbers", 1, &[Step(1), Look, Write, Look, Step(5), Look]),
        case("torus", 1, "lenia", 1, &[Step(2)]),
        case("plain", 1, "conway", 1, &[Step(1), Look]),
        packed(case("sparse", 1, "heat", 1, looks)),
        packed(case("sparse", 1, "conway", 1, looks)),
        packed(case("sparse", 1, "many", 1, looks)),
        packed(case("holes", 1, "glauber", 1, looks)),
        packed(case("torus", 1, "heat", 1, &[Step(3), Look])),
        packed(case("sparse", 1, "quiet_numbers", 1, looks)),
        Case { limit: Some(700_000), ..case("sparse", 1, "wave", 1, looks) },
        // Looks at states that are larger than what is asked for.
        case("sierpinski_triangle", 14, "life", 1, &[Step(1), Look]),
        case("sierpinski_triangle", 10, "quiet_numbers", 3, &[Step(1), Look]),
        case("sierpinski_carpet", 5, "cahn_hilliard", 1, &[Step(1), Look]),
        case("full_square torus", 9, "brians_brain", 40, &[Step(1), Look]),
        case("holes", 1, "sandpile", 1, &[Step(1), Look]),
        // Ordered steps.
        waves(Wavefront::Launches, case("torus", 1, "gauss_seidel", 1, looks)),
        waves(Wavefront::Launches, own(case("holes", 1, "sor", 3, looks))),
        waves(Wavefront::Barrier, case("holes", 1, "geodesic", 1, looks)),
        waves(Wavefront::Barrier, case("plain", 1, "gauss_seidel", 1, &[Step(2)])),
        waves(Wavefront::Flags, case("torus", 1, "sor", 3, looks)),
        waves(Wavefront::Flags, case("plain", 1, "dither", 1, &[Step(2)])),
        waves(Wavefront::Flags, case("plain", 1, "gauss_seidel", 1, &[Step(2)])),
        waves(Wavefront::Flags, case("plate", 1, "geodesic", 1, looks)),
        waves(Wavefront::Flags, own(case("plate", 1, "sor", 3, looks))),
        waves(Wavefront::Flags, case("lumps", 1, "geodesic", 1, looks)),
        waves(Wavefront::Flags, case("holes", 1, "tasep", 1, looks)),
        waves(Wavefront::Flags, case("plate", 1, "last_lines", 1, looks)),
        waves(Wavefront::Flags, case("plate", 1, "line_alone", 1, looks)),
        waves(Wavefront::Barrier, case("plate", 1, "last_lines", 1, looks)),
        case("holes", 1, "last_lines", 1, looks),
        case("sierpinski_carpet", 3, "gauss_seidel", 1, looks),
        own(case("sierpinski_triangle", 4, "geodesic", 3, looks)),
        packed(case("sparse", 1, "geodesic", 1, &[Step(2)])),
        tiled([64, 7], waves(Wavefront::Launches, case("holes", 1, "sor", 1, looks))),
        tiled([1, 1], waves(Wavefront::Barrier, case("holes", 1, "geodesic", 1, looks))),
        tiled([u32::MAX; 2], waves(Wavefront::Flags, case("torus", 1, "sor", 1, looks))),
        tiled([64, 8], waves(Wavefront::Flags, case("plate", 1, "geodesic", 1, looks))),
        case("sheet", 1, "space_time", 1, looks),
        case("torus", 1, "exponential_filter", 3, looks),
        // Passes that are watched.
        at_once(case("many_tiles", 1, "gliding", 1, &[Step(4), Step(8), Step(100), Step(1000), Step(7), Step(50)])),
        at_once(case("wide_torus", 1, "still", 1, &[Step(4), Step(400), Step(800)])),
        at_once(case("wide_holes", 1, "resting", 1, &[Step(5), Step(60), Step(400)])),
        at_once(case("wide_torus", 1, "dripping", 1, &[Step(120), Step(60), Step(1200), Step(7)])),
        at_once(case("layers", 1, "spreading", 1, &[Step(2), Step(30), Write, Step(60)])),
        at_once(case("holes", 1, "quiet_numbers", 1, &[Step(3), Step(40)])),
        at_once(case("sierpinski_carpet", 4, "resting", 1, &[Step(3), Step(200), Step(2000), Step(50)])),
        at_once(case("sierpinski_triangle", 8, "life", 1, &[Step(8), Step(300), Observe(4, 9), Step(400), Step(7)])),
        at_once(case("vicsek", 4, "quiet_numbers", 1, &[Step(4), Step(30)])),
    ];
    cases.retain(|case| case.domain().admits(&case.rule).is_ok());
    cases
}

/// How large the cells of all members together are.
const SIZES: [(u64, u64); 3] = [(300, 60_000), (20_000, 1_000_000), (4_000_000, 4_000_000)];
/// How many members there are.
const MEMBERS: [u64; 5] = [1, 3, 16, 64, 1000];
/// Members on a mask have engines of their own.
const MOST_ON_MASKS: u64 = 16;

/// How much longer a cell of a rule takes than one of another.
fn weight(rule: &Rule) -> u64 {
    match rule.name.as_str() {
        "lenia" | "larger_than_life" => 40,
        "kuramoto" | "kawasaki" | "potts" | "schelling" | "belousov_zhabotinsky" | "conductivity" => 8,
        "aggregation" | "percolation" | "lattice_gas" | "gray_scott" | "cahn_hilliard" | "swift_hohenberg" => 4,
        _ => 1,
    }
}

/// A fractal at the largest level with at most this number of cells, and not too many more places.
fn level(fractal: &Fractal, most_cells: u64) -> u32 {
    let axes = fractal.dimension.axes() as u32;
    Domain::largest_level_where(fractal, |side, cells| {
        side.saturating_pow(axes) <= 4096 * most_cells && side < 1 << 15 && cells <= most_cells
    })
}

/// The least level on which a rule can run, if there is one: a torus is no smaller than its neighbourhood.
pub fn least_level(fractal: &Arc<Fractal>, rule: &Rule) -> Option<u32> {
    let admits = |level: &u32| Domain::new(Arc::clone(fractal), *level).is_ok_and(|domain| domain.admits(rule).is_ok());
    if fractal.extent.is_some() { Some(1).filter(admits) } else { (1..7).find(admits) }
}

/// The rules that ship and that all engines take on all domains in a short time: ordered steps of fractals take long on GPUs.
fn rules() -> impl Iterator<Item = Arc<Rule>> {
    shipped_names(Kind::Rule).into_iter().map(shipped_rule).filter(|rule| !rule.is_ordered())
}

/// Every shipped rule on every fractal, on tori and on masks, once each, with members and sizes in turn: each rule and each domain has all of them.
fn matrix() -> Vec<Case> {
    let texts = Texts::new();
    let mut domains: Vec<Arc<Fractal>> = shipped_names(Kind::Fractal).into_iter().map(shipped_fractal).collect();
    let tori = ["sierpinski_triangle", "sierpinski_carpet", "full_square", "vicsek", "tetrix", "lace"];
    domains.extend(tori.map(|name| torus(&shipped_fractal(name))));
    domains.extend(texts.roads.fractals.iter().filter(|mask| mask.name != "plain").map(Arc::clone));
    let rules: Vec<Arc<Rule>> = rules().collect();
    let mut cases = Vec::new();
    for (r, rule) in rules.iter().enumerate() {
        let admitted = domains.iter().filter(|fractal| least_level(fractal, rule).is_some());
        for (d, fractal) in admitted.enumerate() {
            let members = MEMBERS[(r + 2 * d + d / MEMBERS.len()) % MEMBERS.len()];
            let (alone, together) = SIZES[(r + d + d / SIZES.len()) % SIZES.len()];
            let is_mask = fractal.extent.is_some();
            let members = if is_mask { members.min(MOST_ON_MASKS) } else { members };
            let most_cells = alone.min(together / members) / weight(rule);
            let params = if (r + d) % 3 == 0 { Same } else { Own };
            let acts: &[Act] = match (r + d) % 4 {
                0 => &[Step(9)],
                1 => &[Observe(1, 6)],
                2 => &[Step(4), Step(3)],
                _ => &LOOKS,
            };
            let level = least_level(fractal, rule).unwrap_or(1).max(level(fractal, most_cells.max(50)));
            cases.push(Case::new(fractal, level, rule, members, params, acts));
        }
    }
    cases
}

/// Ensembles of rules that draw, observed after each step, as sweeps do it.
fn ensembles() -> Vec<Case> {
    let rules: Vec<Arc<Rule>> = rules().filter(|rule| rule.draws()).collect();
    let flat = [
        ("sierpinski_triangle", 12, 64),
        ("sierpinski_triangle", 14, 16),
        ("vicsek", 7, 64),
        ("sierpinski_carpet", 5, 64),
        ("full_square", 8, 64),
        ("h_fractal", 6, 32),
        ("candy", 4, 64),
        ("chandelier", 7, 64),
        ("empty_bottles", 5, 64),
    ];
    let solid = [("menger_sponge", 3, 64), ("tetrix", 7, 32), ("vicsek_3d", 5, 32)];
    let mut cases = Vec::new();
    for (fractal, level, members) in flat.into_iter().chain(solid) {
        for (number, rule) in rules.iter().enumerate() {
            let fractal = shipped_fractal(fractal);
            let params = if number % 2 == 0 { Same } else { Own };
            let case = Case::new(&fractal, level, rule, members, params, &[Observe(1, 6)]);
            if case.domain().admits(rule).is_ok() {
                cases.push(case);
            }
        }
    }
    cases
}
