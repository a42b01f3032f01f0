//! Spins, walkers, phases and grains: sums over all states, and laws.

use super::ground::{Ground, domain, domains, observed, sampled, simulation};
use squeeze::Simulation;
use std::collections::HashMap;

/// The mean of how many pairs agree, each state of q kinds a cell weighing exp(β · pairs that agree); of those states alone with a given number of cells of kind 1,
/// if that is said.
fn exact(cells: usize, pairs: &[(usize, usize)], q: u64, beta: f64, ones: Option<usize>) -> f64 {
    let (mut sum, mut weighted) = (0.0, 0.0);
    let mut kinds = vec![0u8; cells];
    for state in 0..q.pow(cells as u32) {
        let mut rest = state;
        for kind in &mut kinds {
            *kind = (rest % q) as u8;
            rest /= q;
        }
        if ones.is_some_and(|ones| kinds.iter().filter(|kind| **kind == 1).count() != ones) {
            continue;
        }
        let agree = pairs.iter().filter(|(a, b)| kinds[*a] == kinds[*b]).count() as f64;
        let weight = (beta * agree).exp();
        sum += weight;
        weighted += agree * weight;
    }
    weighted / sum
}

#[test]
fn spins_have_their_exact_energy_on_every_kind_of_domain() {
    let names = ["chain", "ring", "open", "odd", "even", "holes", "three", "carpet", "brick", "pipe", "gaps"];
    for (number, name) in names.into_iter().enumerate() {
        let domain = domain(name);
        let (rule, beta) = (["ising", "ising_3d"][number % 2], [0.3, 0.5][number / 2 % 2]);
        let setting = format!("beta={beta}");
        let mut spins = simulation(&domain, rule, 0, &[&setting]);
        let (cells, pairs) = (spins.domain().cells() as usize, Ground::of(&spins).pairs());
        // An agreeing pair is worth 2 β more than one that disagrees.
        let wanted = pairs.len() as f64 - exact(cells, &pairs, 2, 2.0 * beta, None);
        let (mean, error) = sampled(10, |seed| {
            spins.restart(seed, &[&setting]).expect("it begins anew");
            spins.step(50).expect("it runs");
            let samples = 120;
            let sum: f64 = (0..samples)
                .map(|_| {
                    spins.step(2).expect("it runs");
                    observed(&spins, "disagreements") / 2.0
                })
                .sum();
            sum / f64::from(samples)
        });
        assert!((mean - wanted).abs() < 4.5 * error, "{rule} on {name}: {mean} ± {error}, exactly {wanted}");
        assert!(error < 0.02 * pairs.len() as f64, "{name}: {error}");
    }
}

#[test]
fn kinds_of_potts_have_their_exact_energy_on_every_kind_of_domain() {
    for name in ["ring", "three", "carpet", "corner"] {
        let domain = domain(name);
        let mut kinds = simulation(&domain, "potts", 0, &[]);
        let (cells, pairs) = (kinds.domain().cells() as usize, Ground::of(&kinds).pairs());
        let wanted = exact(cells, &pairs, 3, 0.7, None);
        let (mean, error) = sampled(10, |seed| {
            kinds.restart(seed, &["q=3", "beta=0.7"]).expect("it begins anew");
            kinds.step(50).expect("it runs");
            let samples = 120;
            let sum: f64 = (0..samples)
                .map(|_| {
                    kinds.step(2).expect("it runs");
                    observed(&kinds, "agreements") / 2.0
                })
                .sum();
            sum / f64::from(samples)
        });
        assert!((mean - wanted).abs() < 4.5 * error, "{name}: {mean} ± {error}, exactly {wanted}");
        assert!(error < 0.02 * pairs.len() as f64, "{name}: {error}");
    }
}

/// Exchanges keep the magnetisation, and all states of it have their weights.
#[test]
fn exchanges_have_their_exact_energy_on_every_kind_of_domain() {
    for name in ["tube", "straight", "open", "chain", "brick"] {
        let domain = domain(name);
        let mut spins = simulation(&domain, "kawasaki", 0, &[]);
        let (cells, pairs) = (spins.domain().cells() as usize, Ground::of(&spins).pairs());
        let ones = cells / 2;
        let wanted = pairs.len() as f64 - 2.0 * exact(cells, &pairs, 2, 2.0 * 0.4, Some(ones));
        let (mean, error) = sampled(8, |seed| {
            spins.restart(seed, &["beta=0.4"]).expect("it begins anew");
            let half: Vec<bool> = (0..cells).map(|c| c < ones).collect();
            spins.set_field("up", 0, &half).expect("it takes the values");
            spins.step(200).expect("it runs");
            let samples = 150;
            let sum: f64 = (0..samples)
                .map(|_| {
                    spins.step(8).expect("it runs");
                    assert_eq!(observed(&spins, "magnetisation"), 2.0 * ones as f64 - cells as f64, "{name}");
                    observed(&spins, "energy")
                })
                .sum();
            sum / f64::from(samples)
        });
        assert!((mean - wanted).abs() < 4.5 * error, "{name}: {mean} ± {error}, exactly {wanted}");
        assert!(error < 0.05 * pairs.len() as f64, "{name}: {error}");
    }
}

/// All places of the walkers are equally likely, so that of all pairs of neighbours `N (N − 1) / V (V − 1)` are taken by two.
#[test]
fn walkers_are_nowhere_denser_than_by_chance() {
    for (name, density) in [("wide", "density=0.2"), ("wide_torus", "density=0.5"), ("layers", "density=0.3")] {
        let domain = domain(name);
        let (ratio, error) = sampled(10, |seed| {
            let mut walkers = simulation(&domain, "random_walkers", seed, &[density]);
            let count = observed(&walkers, "walkers");
            walkers.step(60).expect("it runs");
            assert_eq!(observed(&walkers, "walkers"), count, "{name}: none is lost or made");
            let field = walkers.field::<bool>("walker").expect("it has the state");
            let domain = walkers.domain();
            let (mut bonds, mut both) = (0.0, 0.0);
            for c in 0..domain.cells() {
                let place = domain.lambda(c);
                for axis in 0..2 {
                    let mut next = place;
                    next[axis] += 1;
                    if domain.periodic().0[axis] {
                        next[axis] %= domain.extent()[axis];
                    }
                    if let Some(other) = domain.nu(next) {
                        bonds += 1.0;
                        both += f64::from(u8::from(field[c as usize] && field[other as usize]));
                    }
                }
            }
            let cells = domain.cells() as f64;
            both / (bonds * count * (count - 1.0) / (cells * (cells - 1.0)))
        });
        assert!(
            (ratio - 1.0).abs() < 4.5 * error && error < 0.03,
            "{name}: {ratio} ± {error} of what is there by chance"
        );
    }
}

/// A walker alone goes in each of the four directions with probability 1/16.
#[test]
fn a_walker_alone_goes_each_way_alike() {
    let domain = domain("wide_torus");
    let mut gone = HashMap::new();
    let mut all = 0.0;
    for seed in 0..20 {
        let mut walkers = simulation(&domain, "random_walkers", seed, &[]);
        let place = |c: usize| walkers.domain().lambda(c as u64);
        let cells = walkers.domain().cells() as usize;
        let start: Vec<bool> =
            (0..cells).map(|c| place(c)[0] % 4 == 1 && place(c)[1] % 4 == 1 && place(c)[0] < 62).collect();
        walkers.set_field("walker", 0, &start).expect("it takes the values");
        walkers.step(1).expect("it runs");
        let field = walkers.field::<bool>("walker").expect("it has the state");
        for (c, _) in field.iter().enumerate().filter(|(_, walker)| **walker) {
            let [x, y, _] = walkers.domain().lambda(c as u64);
            *gone.entry((x as i64 % 4 - 1, y as i64 % 4 - 1)).or_insert(0.0) += 1.0;
            all += 1.0;
        }
    }
    assert_eq!(gone.len(), 5, "{gone:?}");
    for (way, count) in gone {
        let wanted: f64 = if way == (0, 0) { 12.0 } else { 1.0 } / 16.0;
        let error = (all * wanted * (1.0 - wanted)).sqrt();
        assert!((count - all * wanted).abs() < 4.5 * error, "{way:?}: {count} of {all}");
    }
}

/// Phases begin anywhere alike, and without neighbours each turns by its speed.
#[test]
fn phases_begin_anywhere_and_turn_by_their_speeds() {
    let domain = domain("wide");
    let mut phases = simulation(&domain, "kuramoto", 3, &["coupling=0", "spread=0.9"]);
    let read = |phases: &Simulation, name: &str| phases.field::<f32>(name).expect("it has the state");
    let angles = |phases: &Simulation| -> Vec<f64> {
        let pairs = read(phases, "sine").into_iter().zip(read(phases, "cosine"));
        pairs.map(|(sine, cosine)| f64::from(sine).atan2(f64::from(cosine))).collect()
    };
    let before = angles(&phases);
    for harmonic in 1..=4 {
        let mean = |part: fn(f64) -> f64| {
            before.iter().map(|angle| part(f64::from(harmonic) * angle)).sum::<f64>() / before.len() as f64
        };
        let error = (0.5 / before.len() as f64).sqrt();
        assert!(mean(f64::cos).abs() < 4.5 * error && mean(f64::sin).abs() < 4.5 * error, "harmonic {harmonic}");
    }
    phases.step(100).expect("it runs");
    let tau = std::f64::consts::TAU;
    for ((before, after), speed) in before.iter().zip(angles(&phases)).zip(read(&phases, "speed")) {
        let off = (after - before - 100.0 * f64::from(speed)).rem_euclid(tau);
        assert!(off.min(tau - off) < 1e-3, "a phase of the speed {speed} is off by {off}");
    }
}

/// Where nothing can leave, grains are there as many as have fallen.
#[test]
fn sand_that_cannot_leave_stays() {
    for (name, steps) in [("odd", 40), ("even", 40), ("layers", 60), ("wide_torus", 60)] {
        let mut sand = simulation(&domain(name), "driven_sandpile", 5, &[]);
        let start = observed(&sand, "total");
        sand.step(steps).expect("it runs");
        assert_eq!(observed(&sand, "total"), start + observed(&sand, "fallen"), "{name}");
    }
    // Where grains can leave, none is created.
    let mut sand = simulation(&domain("brick"), "driven_sandpile", 5, &[]);
    let start = observed(&sand, "total");
    sand.step(3000).expect("it runs");
    let (total, fallen) = (observed(&sand, "total"), observed(&sand, "fallen"));
    assert!(fallen > 100.0 && total < start + fallen && total <= 12.0 * 6.0, "{total} of {start} and {fallen}");
}

#[test]
fn stripes_stay_finite_in_space() {
    for name in ["layers", "wide", "rags"] {
        let mut stripes = simulation(&domain(name), "swift_hohenberg", 5, &[]);
        stripes.step(300).expect("it runs");
        let highest = observed(&stripes, "highest");
        assert!(highest.abs() < 2.0, "{name}: {highest}");
    }
}

/// Quantities that a rule conserves stay constant, wherever it runs.
#[test]
fn what_is_conserved_stays() {
    let exactly = [
        ("aggregation", "grains"),
        ("schelling", "reds"),
        ("schelling", "blues"),
        ("lattice_gas", "particles"),
        ("random_walkers", "walkers"),
        ("kawasaki", "magnetisation"),
    ];
    let nearly = [("heat", "total"), ("cahn_hilliard", "total"), ("wave", "energy")];
    for name in ["wide", "wide_torus", "layers", "rags"] {
        let domain = domain(name);
        for (rule, of) in exactly.into_iter().chain(nearly) {
            // Exchanges look farther than half of a short side.
            if rule == "kawasaki" && name == "layers" {
                continue;
            }
            let mut run = simulation(&domain, rule, 8, &[]);
            let before = observed(&run, of);
            run.step(30).expect("it runs");
            let (after, cells) = (observed(&run, of), run.domain().cells() as f64);
            let scale = if nearly.contains(&(rule, of)) { 1e-5 * (before.abs() + cells) } else { 0.0 };
            assert!((after - before).abs() <= scale, "{of} of {rule} on {name}: {before}, then {after}");
        }
    }
}

/// The cells of a mask tell nothing of what they begin with, though both are drawn with the seed 0.
#[test]
fn a_mask_and_a_start_share_no_words() {
    let text =
        "domain half { size (128, 64)  cells random(0.5) }  domain third { size (40, 40, 9)  cells random(0.3) }";
    for mask in domains(text) {
        let spins = simulation(&mask, "ising", 0, &[]);
        let cells = spins.domain().cells() as f64;
        let sum = observed(&spins, "magnetisation");
        assert!(sum.abs() < 4.5 * cells.sqrt(), "{}: {sum} of {cells}", mask.name);
    }
}

/// The means of m² and m⁴ on the Sierpinski carpet, where m is the magnetisation of a cell: spins are added one after the other, around the middle, and
/// summed over as soon as all their neighbours are there.
fn moments_on_the_carpet(level: u32, beta: f64) -> [f64; 2] {
    let side = 3i64.pow(level);
    let digits = |x: i64| (0..level).map(move |digit| x / 3i64.pow(digit) % 3);
    let is_cell = |(x, y): &(i64, i64)| !digits(*x).zip(digits(*y)).any(|digits| digits == (1, 1));
    let mut places: Vec<(i64, i64)> = (0..side).flat_map(|y| (0..side).map(move |x| (x, y))).filter(is_cell).collect();
    let middle = (side - 1) / 2;
    let angle =
        |(x, y): &(i64, i64)| ((x - middle) as f64).atan2((middle - y) as f64).rem_euclid(std::f64::consts::TAU);
    places.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    let number: HashMap<(i64, i64), usize> = places.iter().enumerate().map(|(i, place)| (*place, i)).collect();
    let beside: Vec<Vec<usize>> = places
        .iter()
        .map(|(x, y)| {
            [(x + 1, *y), (x - 1, *y), (*x, y + 1), (*x, y - 1)]
                .iter()
                .filter_map(|place| number.get(place).copied())
                .collect()
        })
        .collect();
    // For each state of the spins that wait for neighbours: the sums of weights, and of weights times powers of the magnetisation.
    let (mut waiting, mut sums): (Vec<usize>, Vec<[f64; 5]>) = (Vec::new(), vec![[1.0, 0.0, 0.0, 0.0, 0.0]]);
    for i in 0..places.len() {
        let known: Vec<usize> = beside[i].iter().filter_map(|j| waiting.iter().position(|known| known == j)).collect();
        let mut next = Vec::with_capacity(2 * sums.len());
        for up in [-1.0, 1.0] {
            for (state, [a, b, c, d, e]) in sums.iter().enumerate() {
                let ups = known.iter().filter(|bit| state >> **bit & 1 == 1).count() as f64;
                let weight = (beta * up * (2.0 * ups - known.len() as f64)).exp();
                let powers = [
                    *a,
                    b + up * a,
                    c + 2.0 * up * b + a,
                    d + 3.0 * up * c + 3.0 * b + up * a,
                    e + 4.0 * up * d + 6.0 * c + 4.0 * up * b + a,
                ];
                next.push(powers.map(|sum| weight * sum));
            }
        }
        sums = next;
        waiting.push(i);
        while let Some(bit) = waiting.iter().position(|j| beside[*j].iter().all(|k| *k <= i)) {
            waiting.remove(bit);
            let low = (1 << bit) - 1;
            let both = |state: usize| {
                let down = state & low | (state & !low) << 1;
                std::array::from_fn(|power| sums[down][power] + sums[down | (low + 1)][power])
            };
            sums = (0..sums.len() / 2).map(both).collect();
        }
        let greatest = sums.iter().map(|sums| sums[0]).fold(0.0, f64::max);
        sums.iter_mut().flatten().for_each(|sum| *sum /= greatest);
    }
    let ([all, _, square, _, fourth], cells) = (sums[0], places.len() as f64);
    [square / all / cells.powi(2), fourth / all / cells.powi(4)]
}

/// Moments of the carpet's spins are those of all states, and the manual says where Binder's cumulants of its levels cross.
#[test]
fn moments_on_the_carpet_are_exact() {
    let mut spins = simulation(&domain("fractal"), "ising", 0, &[]);
    for beta in [0.6_f64, 0.75] {
        let setting = format!("beta={beta}");
        for (name, wanted) in ["m2", "m4"].into_iter().zip(moments_on_the_carpet(2, beta)) {
            let (mean, error) = sampled(10, |seed| {
                spins.restart(seed, &[&setting]).expect("it begins anew");
                spins.step(500).expect("it runs");
                let samples = 100;
                let sum: f64 = (0..samples)
                    .map(|_| {
                        spins.step(25).expect("it runs");
                        observed(&spins, name)
                    })
                    .sum();
                sum / f64::from(samples)
            });
            assert!(
                (mean - wanted).abs() < 4.5 * error && error < 0.03,
                "{name} at {beta}: {mean} ± {error}, exactly {wanted}"
            );
        }
    }
    let cumulant = |level: u32, beta: f64| {
        let [square, fourth] = moments_on_the_carpet(level, beta);
        1.0 - fourth / (3.0 * square * square)
    };
    let manual = include_str!("../../docs/src/commands.md");
    for (level, [before, after], crossing) in [(1, [0.7707, 0.7709], "0.7708"), (2, [0.7103, 0.7105], "0.7104")] {
        assert!(cumulant(level, before) > cumulant(level + 1, before), "levels {level} and {}", level + 1);
        assert!(cumulant(level, after) < cumulant(level + 1, after), "levels {level} and {}", level + 1);
        assert!(manual.contains(crossing), "{crossing} is not in the manual");
    }
}
