//! Shipped rules against what is known of them: exact sums on small fractals, thresholds and exponents of the plane.

use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{NoFiles, check};
use squeeze::ir::Type;
use squeeze::resolve::{Edges, Periodic};
use squeeze::{Backend, Fractal, ObservedValue, Simulation, resolve};
use std::sync::Arc;

fn simulation(fractal: &Arc<Fractal>, rule: &str, level: u32, seed: u64, settings: &[String]) -> Simulation {
    let rule = resolve::rule(rule).expect("it ships");
    let mut builder = Simulation::builder(Arc::clone(fractal), rule).level(level).seed(seed).backend(Backend::Cpu);
    for setting in settings {
        builder = builder.set(setting);
    }
    builder.build().expect("the rule runs")
}

fn observed(simulation: &Simulation, name: &str) -> f64 {
    let all = simulation.observe().expect("it can be observed");
    let (_, value) = all.iter().find(|(known, _)| *known == name).expect("the rule observes it");
    match value {
        ObservedValue::Integer(value) => *value as f64,
        ObservedValue::Float(value) => *value,
        ObservedValue::List(_) => panic!("{name} is a list"),
    }
}

/// Walks that coalesce give d(1/ρ)/d ln t = 0.464 for the share ρ of neighbours that disagree, if each cell chooses in half of the
/// steps: half of π times the potential kernel of the difference of two such walks, 4 E[1 / (3 + c)].
#[test]
fn opinions_in_the_plane_coarsen_as_the_logarithm_of_time() {
    let square = resolve::fractal("full_square").expect("it ships");
    let (level, side) = (9, 512.0);
    let (early, late) = (16, 256);
    let mut slope = 0.0;
    for seed in 1..=3 {
        let mut voter = simulation(&square, "voter", level, seed, &["noise=0".to_owned()]);
        let mut inverse = |steps: u64| {
            voter.step(steps).expect("it runs");
            4.0 * side * (side - 1.0) / observed(&voter, "disagreements")
        };
        let (before, after) = (inverse(early), inverse(late - early));
        slope += (after - before) / f64::ln(late as f64 / early as f64) / 3.0;
    }
    assert!((slope - 0.464).abs() < 0.04, "{slope}");
}

/// With one seed all that is open stays open when p grows, so each seed has its own threshold.
#[test]
fn the_square_percolates_above_its_threshold() {
    let square = resolve::fractal("full_square").expect("it ships");
    let (level, side, seeds) = (6, 64.0, 12);
    let mut mean = 0.0;
    for seed in 0..seeds {
        let (mut low, mut high) = (0.4, 0.8);
        for _ in 0..7 {
            let p = (low + high) / 2.0;
            let mut water = simulation(&square, "percolation", level, seed, &[format!("p={p}")]);
            water.step(400).expect("it runs");
            if observed(&water, "depth") == side - 1.0 { high = p } else { low = p }
        }
        mean += (low + high) / 2.0 / seeds as f64;
    }
    assert!((mean - 0.5927).abs() < 0.02, "{mean}");
}

/// A plus of five cells has four independent bonds: two neighbours are of one kind with probability e^β / (e^β + q − 1). Copies of it
/// in far corners are systems of their own.
#[test]
fn copies_of_a_plus_have_the_exact_energy_of_potts() {
    let mut sources = Sources::new();
    let root = sources.add("copies", "fractal copies { levels [vicsek, corners, corners, corners, corners] }");
    let library = check(&mut sources, root, &mut NoFiles).expect("the fractal is sound");
    let copies = Arc::clone(library.fractals.last().expect("there is one"));
    for (q, beta) in [(2, 0.5_f64), (3, 1.0), (8, 1.5)] {
        let mut potts = simulation(&copies, "potts", 5, 1, &[format!("q={q}"), format!("beta={beta}")]);
        potts.step(50).expect("it runs");
        let samples = 400;
        let mut mean = 0.0;
        for _ in 0..samples {
            potts.step(3).expect("it runs");
            mean += observed(&potts, "agreements") / 2.0 / 4.0 / 256.0 / f64::from(samples);
        }
        let exact = beta.exp() / (beta.exp() + f64::from(q) - 1.0);
        assert!((mean - exact).abs() < 0.01, "q = {q}: {mean} against {exact}");
    }
}

/// The same automaton in Golly's notation, from the same start.
#[test]
fn brians_brain_is_a_generations_rule() {
    let carpet = resolve::fractal("sierpinski_carpet").expect("it ships");
    let digest = |rule: &str| {
        let mut simulation = simulation(&carpet, rule, 4, 3, &[]);
        simulation.step(50).expect("it runs");
        simulation.digests().expect("it has states")[0].1
    };
    assert_eq!(digest("brians_brain"), digest("B2/S/C3"));
}

/// Golly 3.3's results for a pattern: rule, generations, cells, and a hash of them ([`hash`]). `tests/golly.py` compares with Golly itself.
const GOLLY: [(&str, u64, usize, u64); 12] = [
    ("B36/S23", 300, 7, 0x09fd_a284_8f56_3d68),
    ("B3678/S34678", 100, 5, 0x3743_a498_4cd7_bf07),
    ("B2/S34H", 80, 4, 0x1c19_f54c_5867_8f7e),
    ("B13/S13V", 60, 3808, 0x62f9_50cb_153c_8600),
    ("B1357/S1357", 64, 344, 0x1556_0153_0cc9_b41e),
    ("B34/S34", 100, 441, 0x0ac9_8efd_4e99_1dee),
    ("B2/S/C3", 90, 18, 0x9276_c614_ed49_beb2),
    ("B2/S345/C4", 90, 284, 0x0cf1_043c_b4c9_9165),
    ("B2/S12/C3V", 100, 13, 0x57d4_666b_299a_22c7),
    ("R2,C0,M0,S3..6,B3..5,NM", 40, 5639, 0xc94d_0605_62df_f05b),
    ("R3,C0,M1,S9..14,B10..13,NM", 2, 41, 0x7f10_9848_3a1a_a7fe),
    ("R2,C0,M0,S2..4,B3..4,NN", 60, 2482, 0x6434_5448_69bc_cfd9),
];

/// A hash of cells in reading order, counted from the corner of the box around live ones.
fn hash(mut cells: Vec<[u64; 3]>) -> u64 {
    let corner = [0, 1].map(|axis| cells.iter().map(|cell| cell[axis]).min().unwrap_or_default());
    cells.sort_unstable_by_key(|[x, y, _]| (*y, *x));
    let words = cells.iter().flat_map(|[x, y, state]| [x - corner[0], y - corner[1], *state]);
    words.fold(0, |hash: u64, word| hash.wrapping_mul(0x100_0000_01b3) ^ word)
}

#[test]
fn strings_mean_what_golly_makes_of_them() {
    const START: [&str; 8] =
        ["oooooooo", ".oooooo.", "ooo.oooo", "o..o.o..", "oo....oo", ".ooo..o.", "oooooooo", "...o..oo"];
    let square = resolve::fractal("full_square").expect("it ships");
    let (level, side, middle) = (9, 512, 252);
    for (rule, generations, count, expected) in GOLLY {
        let mut simulation = simulation(&square, rule, level, 0, &[]);
        let state = simulation.rule().states[0].clone();
        let mut start = vec![0u8; simulation.domain().cells() as usize];
        for (y, row) in START.iter().enumerate() {
            for (x, _) in row.bytes().enumerate().filter(|(_, mark)| *mark == b'o') {
                let place = [middle + x as u64, middle + y as u64, 0];
                start[simulation.domain().nu(place).expect("the square is full") as usize] = 1;
            }
        }
        let bits = state.ty == Type::Bit;
        let written = if bits {
            simulation.set_field(&state.name, 0, &start.iter().map(|value| *value == 1).collect::<Vec<bool>>())
        } else {
            simulation.set_field(&state.name, 0, &start)
        };
        written.expect("it takes the values");
        simulation.step(generations).expect("it runs");
        let end: Vec<u8> = if bits {
            simulation.field::<bool>(&state.name).expect("it is read").into_iter().map(u8::from).collect()
        } else {
            simulation.field(&state.name).expect("it is read")
        };
        let alive = end.iter().enumerate().filter(|(_, value)| **value != 0);
        let cells: Vec<[u64; 3]> = alive
            .map(|(c, value)| {
                let [x, y, _] = simulation.domain().lambda(c as u64);
                assert!(x.min(y) > 0 && x.max(y) < side - 1, "{rule} reaches the border");
                [x, y, u64::from(*value)]
            })
            .collect();
        assert_eq!((cells.len(), hash(cells)), (count, expected), "{rule}");
    }
}

fn torus(fractal: &str) -> Arc<Fractal> {
    let mut edges = Edges::default();
    edges.periodic = Periodic::All;
    resolve::domain(fractal, &edges).expect("it ships")
}

/// The energy per spin of the Ising model on an n × n torus, by Kaufman's partition function (1949, Eq. 84):
/// `d ln Z / dβ`, from four products over the modes of a row.
fn kaufman(n: i32, beta: f64) -> f64 {
    let log_partition = |k: f64| {
        let (size, mode) = (f64::from(n), |q: i32| {
            if q == 0 {
                // It changes its sign at the critical point.
                return 2.0 * k + k.tanh().ln();
            }
            let cosh = (2.0 * k).cosh() / (2.0 * k).tanh() - (std::f64::consts::PI * f64::from(q) / f64::from(n)).cos();
            cosh.acosh()
        });
        let product = |odd: i32, part: fn(f64) -> f64| -> f64 {
            (0..n).map(|q| 2.0 * part(size * mode(2 * q + odd) / 2.0)).product()
        };
        let sum = product(1, f64::cosh) + product(1, f64::sinh) + product(0, f64::cosh) + product(0, f64::sinh);
        (sum / 2.0).ln() + size * size / 2.0 * (2.0 * (2.0 * k).sinh()).ln()
    };
    let step = 1e-4;
    -(log_partition(beta + step) - log_partition(beta - step)) / (2.0 * step) / f64::from(n * n)
}

/// The same by counting all states of the 4 × 4 torus.
fn enumerated(beta: f64) -> f64 {
    let (mut sum, mut weighted) = (0.0, 0.0);
    for state in 0..1u32 << 16 {
        let spin = |x: u32, y: u32| if state >> (x % 4 + 4 * (y % 4)) & 1 == 1 { 1.0 } else { -1.0 };
        let bonds = (0..16).map(|i| spin(i % 4, i / 4) * (spin(i % 4 + 1, i / 4) + spin(i % 4, i / 4 + 1)));
        let energy = -bonds.sum::<f64>();
        sum += (-beta * energy).exp();
        weighted += energy * (-beta * energy).exp();
    }
    weighted / sum / 16.0
}

#[test]
fn the_energy_of_a_torus_of_spins_is_exact() {
    let square = torus("full_square");
    for (level, beta) in [(2, 0.3), (2, 0.5), (3, 0.44), (4, 0.4)] {
        let n = 1 << level;
        let exact = kaufman(n, beta);
        if level == 2 {
            assert!((exact - enumerated(beta)).abs() < 1e-6, "Kaufman {exact}, counted {}", enumerated(beta));
        }
        // Means over blocks of samples, whose spread gives the error.
        let blocks: Vec<f64> = (1..=16)
            .map(|seed| {
                let mut ising = simulation(&square, "ising", level, seed, &[format!("beta={beta}")]);
                ising.step(200).expect("it runs");
                let samples = 1500;
                let mean = |sum: f64, _| {
                    ising.step(2).expect("it runs");
                    sum + observed(&ising, "disagreements") / f64::from(samples)
                };
                // Each bond that disagrees is seen from both ends and costs 2.
                let disagreements = (0..samples).fold(0.0, mean);
                -2.0 + disagreements / f64::from(n * n)
            })
            .collect();
        let count = blocks.len() as f64;
        let mean = blocks.iter().sum::<f64>() / count;
        let spread = blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let error = (spread / count).sqrt();
        assert!(
            (mean - exact).abs() < 4.0 * error && error < 0.01,
            "β = {beta}, n = {n}: {mean} ± {error}, exact {exact}"
        );
    }
}

/// A glider moves by one cell along both axes in four steps, so it is back after 4 n.
#[test]
fn a_glider_returns_on_a_torus() {
    let square = torus("full_square");
    for backend in [Backend::Cpu, Backend::Reference] {
        let rule = resolve::rule("conway").expect("it ships");
        let builder = Simulation::builder(Arc::clone(&square), rule).level(5).backend(backend);
        let mut life = builder.build().expect("the rule runs");
        let cells = 0..life.domain().cells();
        let glider = [[1, 0, 0], [2, 1, 0], [0, 2, 0], [1, 2, 0], [2, 2, 0]];
        let alive: Vec<bool> = cells.map(|c| glider.contains(&life.domain().lambda(c))).collect();
        life.set_field("alive", 0, &alive).expect("there are such cells");
        let digest = |life: &Simulation| life.digests().expect("it has states")[0].1;
        let start = digest(&life);
        life.step(64).expect("it runs");
        assert_eq!(observed(&life, "population"), 5.0);
        assert_ne!(digest(&life), start, "half around");
        life.step(64).expect("it runs");
        assert_eq!(digest(&life), start, "once around on {}", backend.name());
    }
}

/// Topples a pile on a square, cell by cell, until nothing topples.
fn at_rest(mut grains: Vec<i32>, side: usize) -> Vec<i32> {
    while let Some(at) = grains.iter().position(|grains| *grains >= 4) {
        grains[at] -= 4;
        let (x, y) = (at % side, at / side);
        for (there, inside) in [
            (at.wrapping_sub(1), x > 0),
            (at + 1, x + 1 < side),
            (at.wrapping_sub(side), y > 0),
            (at + side, y + 1 < side),
        ] {
            if inside {
                grains[there] += 1;
            }
        }
    }
    grains
}

/// Piles at rest that come again and again form a group (D. Dhar, 1990), whose identity is what remains of 2m minus what 2m comes to, where m
/// holds three grains everywhere: both sums come to rest as the rule says, and as piles that topple cell by cell do.
#[test]
fn sandpiles_on_a_square_have_their_identity() {
    let square = resolve::fractal("full_square").expect("it ships");
    for (level, known) in
        [(1, Some(vec![2; 4])), (2, Some(vec![2, 3, 3, 2, 3, 2, 2, 3, 3, 2, 2, 3, 2, 3, 3, 2])), (3, None)]
    {
        let side = 1usize << level;
        let mut pile = simulation(&square, "sandpile", level, 0, &[]);
        let index: Vec<usize> = (0..side * side)
            .map(|at| {
                pile.domain().nu([(at % side) as u64, (at / side) as u64, 0]).expect("the square is full") as usize
            })
            .collect();
        let mut rest = |grains: &[i32]| {
            let mut values = vec![0i32; grains.len()];
            grains.iter().zip(&index).for_each(|(grains, c)| values[*c] = *grains);
            pile.set_field("grains", 0, &values).expect("it takes the values");
            while observed(&pile, "toppling") > 0.0 {
                pile.step(10).expect("it runs");
            }
            let values = pile.field::<i32>("grains").expect("it has the state");
            let found: Vec<i32> = index.iter().map(|c| values[*c]).collect();
            assert_eq!(found, at_rest(grains.to_vec(), side), "n = {side}");
            found
        };
        let sum = |a: &[i32], b: &[i32]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<i32>>();
        let twice = vec![6; side * side];
        let left: Vec<i32> = rest(&twice).iter().map(|grains| 6 - grains).collect();
        let identity = rest(&left);
        if let Some(known) = known {
            assert_eq!(identity, known, "n = {side}");
        }
        let full = vec![3; side * side];
        assert_eq!(rest(&sum(&identity, &full)), full, "n = {side}");
        assert_eq!(rest(&sum(&identity, &identity)), identity, "n = {side}");
    }
}

/// Where no way leads across, a rock says so and its run may end; where a thin one does, it does not.
#[test]
fn a_rock_without_a_way_across_is_told_from_one_with_a_thin_one() {
    let text = "domain blocked { size (24, 40)  cells x != 12 }
domain blind { size (40, 40)  cells x < 30 && y == 20 || x < 3 }
domain winding { size (30, 17)
    cells y % 4 == 0 && x in 1..=28 || x == 28 && y % 8 < 4 || x == 1 && y % 8 > 4 || x == 0 && y == 0 || x == 29 && y == 16 }
domain thin { size (40, 20)  cells y == 7 }";
    let mut sources = Sources::new();
    let root = sources.add("rocks", text);
    let domains = check(&mut sources, root, &mut NoFiles).expect("the text is right").fractals;
    for domain in &domains {
        let mut rock = simulation(domain, "conductivity", 1, 0, &["momentum=0.98".to_owned()]);
        let mut stopped = false;
        while !stopped && rock.time() < 12_000 {
            rock.step(50).expect("it runs");
            stopped = rock.judge().expect("it is judged").1;
        }
        let [inflow, blocked] = ["inflow", "blocked"].map(|name| observed(&rock, name));
        let without = matches!(domain.name.as_str(), "blocked" | "blind");
        assert!(stopped && (blocked == 1.0) == without, "{}: inflow {inflow}, blocked {blocked}", domain.name);
        assert_eq!(inflow.abs() < 1e-6, without, "{}: {inflow}", domain.name);
    }
}

/// In the cold a spin that all its neighbours agree with flips with the chance 1 / (1 + exp(8 β)), up or down: those flip whose words are
/// below it, and no others.
#[test]
fn cold_spins_flip_where_their_words_say_so_up_or_down() {
    let words = "rule words { state even: u32  state odd: u32  step even when true { next even = bits() }  step odd when true { next odd = bits() } }";
    let mut sources = Sources::new();
    let root = sources.add("words", words);
    let words = &check(&mut sources, root, &mut NoFiles).expect("the text is right").rules[0];
    let square = torus("full_square");
    let level = 6;
    let (mut flips, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for (beta, seeds) in [(0.6, 4), (1.0, 8), (1.25, 24)] {
        let chance = 1.0 / (1.0 + (8.0 * f64::from(beta as f32)).exp());
        for seed in 0..seeds {
            let drawn = Simulation::builder(Arc::clone(&square), Arc::clone(words)).level(level).seed(seed);
            let mut drawn = drawn.backend(Backend::Reference).build().expect("it runs");
            drawn.step(1).expect("it runs");
            let words = drawn.field::<u32>("even").expect("it has the state");
            for up in [true, false] {
                let mut ising = simulation(&square, "ising", level, seed, &[format!("beta={beta}")]);
                let cells = ising.domain().cells();
                ising.set_field("up", 0, &vec![up; cells as usize]).expect("it takes the values");
                ising.step(1).expect("it runs");
                let spins = ising.field::<bool>("up").expect("it has the state");
                for c in 0..cells {
                    let [x, y, _] = ising.domain().lambda(c);
                    // The second half of the step does not touch even cells.
                    if (x + y) % 2 == 0 {
                        let flipped = spins[c as usize] != up;
                        assert_eq!(flipped, f64::from(words[c as usize]) < (chance * 2f64.powi(32)).floor());
                        flips += f64::from(u8::from(flipped));
                    }
                }
                expected += chance * cells as f64 / 2.0;
                variance += chance * cells as f64 / 2.0;
            }
        }
    }
    assert!((flips - expected).abs() < 4.0 * f64::sqrt(variance), "{flips} flips, {expected} expected");
}

/// In the cold both phases are excited as often as the exact rates say; far in it, too, where the chance of a flip is 5 · 10^-8 and that of none is
/// 1 in an f32. Two kinds of Potts are spins at twice the coupling, and of its proposals half are the other kind.
#[test]
fn both_phases_are_excited_in_the_cold() {
    let square = torus("full_square");
    for (rule, beta, settings, level, steps) in
        [("ising", 2.1_f64, ["beta=2.1"].as_slice(), 10, 200), ("potts", 1.25, &["beta=2.5", "q=2"], 7, 200)]
    {
        let chance = 1.0 / (1.0 + (8.0 * beta).exp());
        let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
        // How many steps an excitation waits until it may end.
        let lives = if rule == "ising" { 1.0 } else { 2.0 };
        let mut found = Vec::new();
        for up in [false, true] {
            let mut spins = simulation(&square, rule, level, 3, &settings);
            let cells = spins.domain().cells() as usize;
            let set = match rule {
                "ising" => spins.set_field("up", 0, &vec![up; cells]),
                _ => spins.set_field("spin", 0, &vec![u8::from(up); cells]),
            };
            set.expect("it takes the values");
            let mut excited = 0.0;
            for _ in 0..steps {
                spins.step(1).expect("it runs");
                excited += match rule {
                    "ising" => (cells as f64 - observed(&spins, "magnetisation").abs()) / 2.0,
                    _ => {
                        let first = observed(&spins, "of_first_kind");
                        first.min(cells as f64 - first)
                    }
                };
            }
            let events = chance / lives * cells as f64 * f64::from(steps);
            // Each event counts once for every step that it lives; of a geometric number n with mean m, the mean of n² is m (2 m − 1).
            let error = (events * lives * (2.0 * lives - 1.0)).sqrt();
            let expected = events * lives;
            assert!((excited - expected).abs() < 3.0 * error, "{rule}, {up}: {excited}, {expected} expected");
            found.push(excited);
        }
        if rule == "ising" {
            assert_eq!(found[0], found[1]);
        }
    }
}

/// Turning all spins over turns the whole run over, bit for bit: no spin model knows up from down.
#[test]
fn spins_turned_over_run_turned_over() {
    let text = "domain box { size (70, 33) }  domain ring { size (24, 16)  periodic x }";
    let mut sources = Sources::new();
    let root = sources.add("places", text);
    let boxes = check(&mut sources, root, &mut NoFiles).expect("the text is right").fractals;
    let named = |name: &str| resolve::fractal(name).expect("it ships");
    let mut places: Vec<(Arc<Fractal>, u32)> =
        [("sierpinski_carpet", 3), ("sierpinski_triangle", 6), ("full_square", 5), ("menger_sponge", 2), ("line", 6)]
            .map(|(name, level)| (named(name), level))
            .to_vec();
    places.extend(boxes.iter().map(|domain| (Arc::clone(domain), 1)));
    places.push((torus("full_square"), 4));
    for (fractal, level) in &places {
        for rule in ["ising", "ising_3d", "kawasaki"] {
            if rule == "ising_3d" && fractal.name != "menger_sponge" {
                continue;
            }
            for beta in [0.0, 0.44, 2.1, 30.0] {
                let mut spins = simulation(fractal, rule, *level, 9, &[format!("beta={beta}")]);
                let mut turned = simulation(fractal, rule, *level, 9, &[format!("beta={beta}")]);
                let over = |spins: Vec<bool>| spins.into_iter().map(|up| !up).collect::<Vec<bool>>();
                let start = over(spins.field("up").expect("it has the state"));
                turned.set_field("up", 0, &start).expect("it takes the values");
                for _ in 0..4 {
                    spins.step(4).expect("it runs");
                    turned.step(4).expect("it runs");
                    let (spins, turned) = (spins.field::<bool>("up"), turned.field::<bool>("up"));
                    let (spins, turned) = (over(spins.expect("it has it")), turned.expect("it has it"));
                    assert!(spins == turned, "{rule}, {}, {beta}", fractal.name);
                }
            }
        }
    }
}

/// An open chain of spins has independent bonds: the mean of each is tanh β, on the line as on each part of the Cantor set.
#[test]
fn a_chain_of_spins_has_the_energy_of_ising() {
    for (fractal, level, bonds) in [("line", 10, 1023.0), ("cantor_line", 9, 0.0)] {
        let chain = resolve::fractal(fractal).expect("it ships");
        for beta in [0.3_f64, 0.8] {
            let mut ising = simulation(&chain, "ising", level, 1, &[format!("beta={beta}")]);
            ising.step(200).expect("it runs");
            let samples = 300;
            let mut mean = 0.0;
            for _ in 0..samples {
                ising.step(5).expect("it runs");
                mean += observed(&ising, "disagreements") / 2.0 / f64::from(samples);
            }
            // A bond that disagrees counts −1.
            let exact = bonds * (1.0 - beta.tanh()) / 2.0;
            assert!((mean - exact).abs() <= 0.01 * bonds, "{fractal}, β = {beta}: {mean} against {exact}");
        }
    }
}

#[test]
fn the_same_current_flows_through_every_section_of_a_rock() {
    let text = "domain block { size (33, 9) }
domain bar { size (24, 7, 5)  periodic y }
domain tall { size (9, 21) }
domain deep { size (5, 4, 12) }
domain rock { size (60, 40)  cells random(0.7)  keep spanning(x)  seed 4 }
domain layered { size (40, 8)  cells y % 2 == 0 }";
    let mut sources = Sources::new();
    let root = sources.add("rocks", text);
    let domains = check(&mut sources, root, &mut NoFiles).expect("the text is right").fractals;
    for domain in &domains {
        let mut rock = simulation(domain, "conductivity", 1, 0, &["momentum=0.98".to_owned()]);
        rock.step(4000).expect("it runs");
        let currents = ["inflow", "middle", "outflow"].map(|name| observed(&rock, name));
        for current in currents {
            assert!((current - currents[0]).abs() < 1e-10 * currents[0], "{}: {currents:?}", domain.name);
        }
        let [width, height, depth] = rock.domain().extent().map(|side| side as f64);
        let full = height * depth / (width - 1.0);
        match domain.name.as_str() {
            "rock" => assert!(currents[0] > 0.05 * full && currents[0] < 0.7 * full, "{} of {full}", currents[0]),
            // Half of its rows conduct.
            "layered" => assert!((currents[0] - full / 2.0).abs() < 1e-11 * full, "{} of {full}", currents[0]),
            _ => assert!((currents[0] - full).abs() < 1e-11 * full, "{} of {full}", currents[0]),
        }
        if domain.name != "rock" {
            // The potential falls by the same from each place to the next.
            for (c, v) in rock.field::<f64>("v").expect("it is read").into_iter().enumerate() {
                let x = rock.domain().lambda(c as u64)[0] as f64;
                assert!((v - (1.0 - x / (width - 1.0))).abs() < 1e-11, "{v} at x = {x} of {}", domain.name);
            }
        }
    }
}
