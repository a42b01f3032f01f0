//! The maps held against each other, against the papers and against brute force.

use super::*;
use crate::ir::{Axes, Body, Dimension, Fractal, FractalParts, Neighbourhood, Pattern, Rule, RuleParts};
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// A plain fractal out of its pictures, one per z, rows separated by blanks.
fn plain(name: &str, planes: &[&str]) -> Arc<Fractal> {
    let dimension = if planes.len() > 1 { Dimension::Three } else { Dimension::Two };
    placed(name, dimension, dimension.scales(planes[0].split(' ').count() as u32), planes)
}

fn placed(name: &str, dimension: Dimension, scale: [u32; 3], planes: &[&str]) -> Arc<Fractal> {
    let mut replicas = Vec::new();
    for (z, plane) in planes.iter().enumerate() {
        for (y, row) in plane.split(' ').enumerate() {
            let filled = row.bytes().enumerate().filter(|(_, byte)| *byte == b'#');
            replicas.extend(filled.map(|(x, _)| [x as u32, y as u32, z as u32]));
        }
    }
    let pattern = Pattern { name: name.to_owned(), dimension, scale, replicas, places: None };
    Arc::new(Fractal(FractalParts {
        name: name.to_owned(),
        doc: String::new(),
        dimension,
        patterns: vec![Arc::new(pattern)],
        periodic: Axes::NONE,
        extent: None,
        edges: Vec::new(),
    }))
}

fn mixed(name: &str, parts: &[&Arc<Fractal>]) -> Arc<Fractal> {
    let patterns = parts.iter().flat_map(|part| part.patterns.clone()).collect();
    Arc::new(Fractal(FractalParts {
        name: name.to_owned(),
        doc: String::new(),
        dimension: parts[0].dimension,
        patterns,
        periodic: Axes::NONE,
        extent: None,
        edges: Vec::new(),
    }))
}

/// The corpus, with the shipped patterns written down once more.
fn corpus() -> Vec<Arc<Fractal>> {
    let mut triangle = Fractal::clone(&plain("sierpinski_triangle", &["#. ##"]));
    triangle.0.patterns = vec![Arc::new(Pattern {
        replicas: vec![[0, 0, 0], [0, 1, 0], [1, 1, 0]],
        ..Pattern::clone(&triangle.patterns[0])
    })];
    let carpet = plain("sierpinski_carpet", &["### #.# ###"]);
    let x_fractal = plain("x_fractal", &["#.# .#. #.#"]);
    let vicsek = plain("vicsek", &[".#. ### .#."]);
    let empty_bottles = plain("empty_bottles", &[".#. ### ###"]);
    vec![
        placed("bridge", Dimension::Two, [3, 2, 1], &["### #.#"]),
        placed("line", Dimension::One, [2, 1, 1], &["##"]),
        placed("cantor_line", Dimension::One, [3, 1, 1], &["#.#"]),
        // Its levels are drawn; the test of the checker has their order.
        mixed("random_carpet", &[&carpet, &empty_bottles]),
        Arc::new(triangle),
        plain("chandelier", &[".#. ### ..."]),
        plain("h_fractal", &["#.# ### #.#"]),
        plain("candy", &[".##. #### #### .##."]),
        empty_bottles,
        plain("cantor_set", &["#.# ... ..."]),
        plain("corners", &["#.# ... #.#"]),
        plain("full_square", &["## ##"]),
        plain("menger_sponge", &["### #.# ###", "#.# ... #.#", "### #.# ###"]),
        plain("vicsek_3d", &["... .#. ...", ".#. ### .#.", "... .#. ..."]),
        plain("tetrix", &["## #.", "#. .."]),
        plain("cantor_dust_3d", &["#.# ... #.#", "... ... ...", "#.# ... #.#"]),
        plain("mosely_snowflake", &[".#. ### .#.", "### #.# ###", ".#. ### .#."]),
        mixed("lace", &[&carpet, &vicsek]),
        mixed("filigree", &[&vicsek, &x_fractal, &carpet]),
        carpet,
        x_fractal,
        vicsek,
    ]
}

fn named(name: &str) -> Arc<Fractal> {
    corpus().into_iter().find(|fractal| fractal.name == name).expect("a name of the corpus")
}

fn domain(fractal: &Arc<Fractal>, level: u32) -> Domain {
    Domain::new(Arc::clone(fractal), level).expect("a level that fits")
}

/// All points of the expanded grid, in reading order.
fn all_points(domain: &Domain) -> impl Iterator<Item = [u64; 3]> {
    let [width, height, depth] = domain.extent();
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

/// The canonical index of the cell with these compact coordinates; `None` outside the compact space.
fn index_of(domain: &Domain, omega: [u64; 3]) -> Option<u64> {
    let compact = CompactSpace::new(domain);
    let digit = |mu| omega[compact.axis(mu)] / compact.weight(mu) % domain.pattern(mu).k();
    let is_inside = omega.iter().zip(compact.extent()).all(|(place, extent)| *place < extent);
    is_inside.then(|| (1..=domain.level()).map(|mu| digit(mu) * domain.cell_product(mu - 1)).sum())
}

/// λ and ν on every cell and every point: inverse to each other, each cell once, each hole known, and the compact
/// space likewise.
fn check_exhaustively(domain: &Domain) {
    let compact = CompactSpace::new(domain);
    let mut points = HashSet::new();
    let mut places = HashSet::new();
    for c in 0..domain.cells() {
        let point = domain.lambda(c);
        assert!(point.iter().zip(domain.extent()).all(|(coordinate, side)| *coordinate < side));
        assert!(points.insert(point), "cell {c} shares {point:?} with another");
        assert_eq!(domain.nu(point), Some(c));
        let omega = compact.from_canonical(c);
        assert!(places.insert(omega), "cell {c} shares {omega:?} with another");
        assert_eq!(index_of(domain, omega), Some(c));
    }
    for point in all_points(domain) {
        match domain.nu(point) {
            Some(c) => assert_eq!(domain.lambda(c), point),
            None => assert!(!points.contains(&point), "{point:?} is a cell"),
        }
    }
    assert_eq!(compact.extent().iter().product::<u64>(), domain.cells());
}

/// The same for some cells of a domain of any size, and for points near them.
fn check_cells(domain: &Domain, cells: impl Iterator<Item = u64>) {
    let compact = CompactSpace::new(domain);
    for c in cells {
        let point = domain.lambda(c);
        assert_eq!(domain.nu(point), Some(c));
        let omega = compact.from_canonical(c);
        assert_eq!(index_of(domain, omega), Some(c));
        for offset in Neighbourhood::Moore(1).offsets(domain.dimension()) {
            if let Some(neighbour) = domain.neighbour(point, offset) {
                let there = domain.lambda(neighbour);
                assert!((0..3).all(|axis| point[axis].checked_add_signed(offset[axis].into()) == Some(there[axis])));
            }
        }
    }
}

#[test]
fn corpus_has_the_names_of_the_shipped_files() {
    let mut names: Vec<_> = corpus().iter().map(|fractal| fractal.name.clone()).collect();
    names.sort();
    assert_eq!(names, crate::shipped::FRACTALS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

#[test]
fn maps_are_inverse_exhaustively_at_small_levels() {
    for fractal in corpus() {
        for level in 0.. {
            let domain = domain(&fractal, level);
            if domain.sizes(1).expanded.is_none_or(|points| points > 1 << 18) {
                assert!(level >= 2, "{} is tested at {level} levels", fractal.name);
                break;
            }
            check_exhaustively(&domain);
        }
    }
}

#[test]
fn largest_levels_fit_and_the_next_is_refused() {
    for fractal in corpus() {
        let largest = Domain::largest_level(&fractal);
        let domain = domain(&fractal, largest);
        check_cells(&domain, [0, 1, domain.cells() / 2, domain.cells() - 1].into_iter());
        for level in [largest + 1, u32::MAX] {
            let error = Domain::new(Arc::clone(&fractal), level).expect_err("does not fit");
            let text = error.to_string();
            assert!(text.starts_with(&format!("level {level} of `{}` is too high", fractal.name)), "{text}");
            assert!(text.ends_with(&format!("the largest level that fits is {largest}")), "{text}");
        }
    }
    let largest = |name| Domain::largest_level(&named(name));
    assert_eq!([largest("sierpinski_triangle"), largest("full_square"), largest("cantor_set")], [40, 31, 40]);
}

#[test]
fn level_errors_say_what_fits() {
    let message = |name, level| Domain::new(named(name), level).expect_err("too high").to_string();
    assert_eq!(
        message("sierpinski_triangle", 4_000_000_000),
        "level 4000000000 of `sierpinski_triangle` is too high: its number of cells does not fit in 64 bits; \
         the largest level that fits is 40"
    );
    assert_eq!(
        message("cantor_set", 41),
        "level 41 of `cantor_set` is too high: its side does not fit in 64 bits; the largest level that fits is 40"
    );
}

#[test]
fn points_outside_are_no_cells() {
    let square = domain(&named("full_square"), 3);
    assert_eq!(square.nu([7, 7, 0]), Some(63));
    for point in [[8, 0, 0], [0, 8, 0], [0, 0, 1], [u64::MAX, 0, 0]] {
        assert_eq!(square.nu(point), None);
    }
    assert_eq!(square.neighbour([0, 0, 0], [-1, 0, 0]), None);
    assert_eq!(square.neighbour([7, 0, 0], [1, 0, 0]), None);
    assert_eq!(square.neighbour([7, 0, 0], [0, 0, 1]), None);
    assert_eq!(square.neighbour([3, 0, 0], [1, 0, 0]), square.nu([4, 0, 0]));
    let single = domain(&named("full_square"), 0);
    assert_eq!((single.cells(), single.side(), single.lambda(0)), (1, 1, [0; 3]));
    assert_eq!((single.nu([0; 3]), single.nu([1, 0, 0])), (Some(0), None));
}

#[test]
fn rules_that_cannot_run_say_why() {
    let rule = |needs_three_dimensions, names_coordinates| {
        Rule(RuleParts {
            bonds: Vec::new(),
            init_pairs: Vec::new(),
            observed_steps: 0,
            flush: false,
            name: "life".to_owned(),
            doc: String::new(),
            enums: Vec::new(),
            params: Vec::new(),
            states: Vec::new(),
            neighbourhoods: Vec::new(),
            init: Body::default(),
            init_from: Vec::new(),
            disorder: Vec::new(),
            rolling: Vec::new(),
            steps: Vec::new(),
            coloured: Vec::new(),
            globals: Vec::new(),
            fields: Vec::new(),
            index: None,
            inputs: Vec::new(),
            observed_fields: Vec::new(),
            reductions: Vec::new(),
            observables: Vec::new(),
            overlaps: Vec::new(),
            stop: None,
            equilibrium: None,
            picture: None,
            needs_three_dimensions,
            names_coordinates,
            names_level: false,
            edges: Vec::new(),
            keeps_cheaper: false,
            sums: Vec::new(),
            earlier: Vec::new(),
        })
    };
    let misfit = |name: &str, level, rule: &Rule| domain(&named(name), level).admits(rule).map_err(|e| e.to_string());
    assert_eq!(misfit("vicsek", 27, &rule(false, false)), Ok(()));
    assert_eq!(misfit("tetrix", 30, &rule(true, true)), Ok(()));
    assert_eq!(misfit("full_square", 30, &rule(false, true)), Ok(()));
    assert_eq!(
        misfit("full_square", 31, &rule(false, true)).expect_err("too large"),
        "rule `life` names coordinates, which are i32, and the side 2147483648 of level 31 of `full_square` does not \
         fit; the largest level that fits is 30"
    );
    assert_eq!(
        misfit("vicsek", 2, &rule(true, true)).expect_err("flat"),
        "rule `life` names `z`, `dz` or triples of offsets, so it needs a 3-D fractal, and `vicsek` is 2-D"
    );
}

/// A scale of 65536 must cost memory for its replicas, not for its 2^32 or 2^48 places.
#[test]
fn large_scales_take_little_memory() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let far = if dimension == Dimension::Three { 65535 } else { 0 };
        let replicas = vec![[65535, 65535, far], [0, 0, 0], [1, 65535, 0]];
        let pattern =
            Pattern { name: "wide".to_owned(), dimension, scale: dimension.scales(65536), replicas, places: None };
        let fractal = Fractal(FractalParts {
            name: "wide".to_owned(),
            doc: String::new(),
            dimension,
            patterns: vec![pattern.into()],
            periodic: Axes::NONE,
            extent: None,
            edges: Vec::new(),
        });
        let fractal = Arc::new(fractal);
        assert_eq!(Domain::largest_level(&fractal), 3);
        let domain = domain(&fractal, 3);
        check_cells(&domain, 0..27);
        assert_eq!(domain.nu([1, 0, 0]), None);
        assert_eq!(domain.sizes(4).expanded.is_none(), dimension == Dimension::Three);
        assert!(domain.sizes(4).expanded_rounded.is_finite());
    }
}

#[test]
fn parts_between_levels_are_domains() {
    let whole = domain(&named("filigree"), 7);
    for (low, high) in [(0, 7), (0, 3), (2, 5), (4, 7), (3, 3)] {
        let part = whole.between(low, high);
        assert_eq!(part.level(), high - low);
        let same = Domain::new(Arc::clone(part.fractal()), high - low).expect("fits");
        for c in (0..whole.cells()).step_by(101) {
            let inside = c / whole.cell_product(low) % part.cells();
            let (point, below, sides) = (whole.lambda(c), whole.scale_product(low), part.extent());
            let point = std::array::from_fn(|axis| point[axis] / below[axis] % sides[axis]);
            assert_eq!(part.lambda(inside), point);
            assert_eq!(same.lambda(inside), point);
            assert_eq!(part.nu(point), Some(inside));
        }
    }
}

#[test]
fn mixed_levels_agree_with_brute_force() {
    let lace = domain(&named("lace"), 3);
    assert_eq!((lace.side(), lace.cells()), (27, 8 * 5 * 8));
    let carpet = ["###", "#.#", "###"];
    let vicsek = [".#.", "###", ".#."];
    for point @ [x, y, _] in all_points(&lace) {
        let filled =
            |rows: [&str; 3], unit: u64| rows[(y / unit % 3) as usize].as_bytes()[(x / unit % 3) as usize] == b'#';
        let is_cell = filled(carpet, 1) && filled(vicsek, 3) && filled(carpet, 9);
        assert_eq!(lace.nu(point).is_some(), is_cell, "{point:?}");
    }
}

#[test]
fn papers_formulas_give_the_same_numbers() {
    let plain = |fractal: &&Arc<Fractal>| {
        fractal.dimension == Dimension::Two && !fractal.is_mixed() && !fractal.is_rectangular()
    };
    for fractal in corpus().iter().filter(plain) {
        let pattern = fractal.pattern(1);
        let h_lambda: Vec<_> = pattern.replicas.iter().map(|[x, y, _]| (u64::from(*x), u64::from(*y))).collect();
        for r in 0..=4 {
            let domain = domain(fractal, r);
            let compact = CompactSpace::new(&domain);
            let printed = papers::Fractal { s: u64::from(pattern.scale[0]), h_lambda: &h_lambda, r };
            assert_eq!(printed.volume(), domain.cells());
            assert_eq!(printed.region(), (compact.extent()[0], compact.extent()[1]));
            for y in 0..compact.extent()[1] {
                for x in 0..compact.extent()[0] {
                    let (px, py) = printed.lambda((x, y));
                    assert_eq!(index_of(&domain, [x, y, 0]).map(|c| domain.lambda(c)), Some([px, py, 0]));
                }
            }
            for [x, y, _] in all_points(&domain) {
                let expected = domain.nu([x, y, 0]).map(|c| compact.from_canonical(c)).map(|[x, y, _]| (x, y));
                assert_eq!(printed.nu((x, y)), expected);
                assert_eq!(printed.nu_2021((x, y)), expected);
            }
        }
    }
}

#[test]
fn papers_formulas_for_the_triangle_give_the_same_numbers() {
    for r in 0..=7 {
        let domain = domain(&named("sierpinski_triangle"), r);
        let compact = CompactSpace::new(&domain);
        for c in 0..domain.cells() {
            let [x, y, _] = domain.lambda(c);
            let [wx, wy, _] = compact.from_canonical(c);
            assert_eq!(papers::triangle_nu(r, (x, y)), (wx, wy));
            assert!((0..r).all(|mu| papers::triangle_replica((x, y), mu) == domain.digit(c, mu + 1)));
        }
    }
}

/// Memory reduction of the Sierpinski triangle: 2022, Table 2 (all block sizes ρ at r = 16) and §4.3 (r = 20).
#[test]
fn memory_reduction_is_that_of_the_papers() {
    let triangle = domain(&named("sierpinski_triangle"), 16);
    let table = [(1, 99.8), (2, 74.8), (4, 56.1), (8, 42.1), (16, 31.6), (32, 23.7)];
    for (rho, printed) in table {
        let block_level = 16 - papers::block_level(16, 2, rho);
        assert_eq!(triangle.scale_product(block_level)[0], rho);
        let reduction = triangle.block_reduction(block_level);
        assert!((reduction - printed).abs() < 0.051, "ρ = {rho}: {reduction}, printed {printed}");
    }
    let sizes = triangle.sizes(4);
    assert_eq!(sizes.reduction, triangle.block_reduction(0));
    // "16GB" and "0.16GB" for four bytes a cell.
    assert_eq!(sizes.expanded, Some(16 << 30));
    assert!((sizes.compact as f64 / f64::from(1 << 30) - 0.16).abs() < 0.005);
    assert!((sizes.expanded_rounded / sizes.compact as f64 - sizes.reduction).abs() < 1e-9);
    let reduction = domain(&named("sierpinski_triangle"), 20).sizes(4).reduction;
    assert!((reduction - 315.0).abs() < 1.0, "{reduction}");
}

#[test]
fn hausdorff_dimensions_are_those_of_the_report() {
    // 2021, Table 1, to two places, cut or rounded.
    let table = [
        ("sierpinski_triangle", 1.58),
        ("chandelier", 1.26),
        ("h_fractal", 1.77),
        ("candy", 1.79),
        ("sierpinski_carpet", 1.89),
        ("x_fractal", 1.46),
        ("vicsek", 1.46),
        ("empty_bottles", 1.77),
        ("cantor_set", 0.63),
    ];
    for (name, printed) in table {
        let dimension = hausdorff_dimension(&named(name)).expect("it is square");
        assert!((dimension - printed).abs() < 0.01, "{name}: {dimension}, printed {printed}");
    }
    assert_eq!(hausdorff_dimension(&named("full_square")), Some(2.0));
    assert!((hausdorff_dimension(&named("lace")).expect("it is square") - 40f64.ln() / 9f64.ln()).abs() < 1e-12);
}

/// Carpets with one replica in each place are as dimensional as their box, and those whose rows are alike have the sum of both axes.
#[test]
fn rectangular_carpets_have_the_dimension_of_mcmullen() {
    let carpet = |scale: [u32; 3], replicas: &[[u32; 3]]| {
        let pattern = Pattern {
            name: "carpet".into(),
            dimension: Dimension::Two,
            scale,
            replicas: replicas.to_vec(),
            places: None,
        };
        let mut fractal = Fractal::clone(&named("full_square"));
        fractal.0.patterns = vec![Arc::new(pattern)];
        hausdorff_dimension(&fractal).expect("it is one pattern in the plane")
    };
    let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found}, not {wanted}");
    let full: Vec<[u32; 3]> = (0..6).map(|n| [n % 3, n / 3, 0]).collect();
    close(carpet([3, 2, 1], &full), 2.0);
    let transposed: Vec<[u32; 3]> = full.iter().map(|[x, y, _]| [*y, *x, 0]).collect();
    close(carpet([2, 3, 1], &transposed), 2.0);
    close(carpet([3, 2, 1], &[[0, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0]]), 1.0 + 2f64.ln() / 3f64.ln());
    let bridge = (3f64.powf(2f64.ln() / 3f64.ln()) + 2f64.powf(2f64.ln() / 3f64.ln())).log2();
    close(carpet([3, 2, 1], &[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0]]), bridge);
    close(carpet([3, 1, 1], &[[0, 0, 0], [2, 0, 0]]), 2f64.ln() / 3f64.ln());
}

fn pattern(dimension: Dimension) -> impl Strategy<Value = Arc<Pattern>> {
    let most = if dimension == Dimension::Three { 3u32 } else { 5 };
    // Along one axis a scale may be 1.
    let scales = prop_oneof![
        (2..=most).prop_map(move |scale| dimension.scales(scale)),
        (1..=most, 2..=most).prop_map(move |(one, other)| match dimension {
            Dimension::One => [other, 1, 1],
            Dimension::Two => [one, other, 1],
            Dimension::Three => [other, one, 2],
        })
    ];
    scales.prop_flat_map(move |scale| {
        let [width, height, depth] = scale;
        let places = width * height * depth;
        let chosen = prop::collection::hash_set(0..places, 2..=places as usize);
        // The set's order is arbitrary: so is the numbering of replicas.
        chosen.prop_map(move |chosen| {
            let place = |n: u32| [n % width, n / width % height, n / width / height];
            let replicas = chosen.into_iter().map(place).collect();
            Arc::new(Pattern { name: "random".to_owned(), dimension, scale, replicas, places: None })
        })
    })
}

fn fractal() -> impl Strategy<Value = Arc<Fractal>> {
    prop_oneof![Just(Dimension::One), Just(Dimension::Two), Just(Dimension::Three)].prop_flat_map(|dimension| {
        prop::collection::vec(pattern(dimension), 1..=3).prop_map(move |patterns| {
            Arc::new(Fractal(FractalParts {
                name: "random".to_owned(),
                doc: String::new(),
                dimension,
                patterns,
                periodic: Axes::NONE,
                extent: None,
                edges: Vec::new(),
            }))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn maps_are_inverse_on_random_fractals(fractal in fractal()) {
        // A box of scale (1, 2) may have few places and a long side, and cells that only double.
        let small = |side: u64, cells: u64| side.pow(fractal.dimension.axes() as u32) <= 1 << 13 && cells <= 1 << 13;
        // Sides grow at most fivefold, so the closure meets no side whose power overflows.
        let level = Domain::largest_level_where(&fractal, small);
        check_exhaustively(&domain(&fractal, level));
    }

    #[test]
    fn maps_are_inverse_at_random_cells_up_to_the_largest_level(
        fractal in prop_oneof![fractal(), prop::sample::select(corpus())],
        level in any::<prop::sample::Index>(),
        cells in prop::collection::vec(any::<u64>(), 1..40),
        points in prop::collection::vec(any::<[u64; 3]>(), 1..40),
    ) {
        let level = level.index(Domain::largest_level(&fractal) as usize + 1) as u32;
        let domain = domain(&fractal, level);
        check_cells(&domain, cells.into_iter().map(|cell| cell % domain.cells()));
        for point in points {
            let extent = domain.extent();
            let point = std::array::from_fn(|axis| point[axis] % extent[axis]);
            if let Some(c) = domain.nu(point) {
                prop_assert_eq!(domain.lambda(c), point);
            }
        }
    }
}
