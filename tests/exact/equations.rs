//! Equations of numbers: bit for bit in plain Rust, and waves that grow, decay and swing as the equations say.

use super::ground::{GROUNDS, Ground, domain, domains, observed, simulation};
use squeeze::Simulation;
use std::f64::consts::TAU;

fn all(run: &Simulation, state: &str) -> Vec<f32> {
    run.field(state).expect("it has the state")
}

/// Neighbours that share a side, and those around.
struct Near {
    sides: Vec<Vec<usize>>,
    around: Vec<Vec<usize>>,
}

impl Near {
    /// The flow into each cell from its sides.
    fn flow(&self, u: &[f32]) -> Vec<f32> {
        let of = |(c, near): (usize, &Vec<usize>)| near.iter().fold(0.0, |sum, d| sum + (u[*d] - u[c]));
        self.sides.iter().enumerate().map(of).collect()
    }

    /// The mean of a cell and those around it.
    fn mean(&self, u: &[f32]) -> Vec<f32> {
        let of = |(c, near): (usize, &Vec<usize>)| {
            (near.iter().fold(0.0, |sum, d| sum + u[*d]) + u[c]) / (near.len() + 1) as f32
        };
        self.around.iter().enumerate().map(of).collect()
    }
}

/// A step: the states in the order of the text, before and after it.
type Step = fn(&Near, &[Vec<f32>]) -> Vec<Vec<f32>>;

fn each(cells: usize, of: impl Fn(usize) -> f32) -> Vec<f32> {
    (0..cells).map(of).collect()
}

const EQUATIONS: [(&str, &[&str], Step); 6] = [
    ("heat", &["alpha=0.15"], |near, states| {
        let (u, flow) = (&states[0], near.flow(&states[0]));
        vec![each(u.len(), |c| u[c] + 0.15 * flow[c])]
    }),
    ("wave", &["damping=0.01"], |near, states| {
        let (u, before, flow) = (&states[0], &states[1], near.flow(&states[0]));
        vec![each(u.len(), |c| u[c] + (1.0 - 0.01) * (u[c] - before[c]) + 0.25 * flow[c]), u.clone()]
    }),
    ("gray_scott", &[], |near, states| {
        let (u, v) = (&states[0], &states[1]);
        let (flow_u, flow_v) = (near.flow(u), near.flow(v));
        let reaction = |c: usize| u[c] * v[c] * v[c];
        vec![
            each(u.len(), |c| u[c] + 0.16 * flow_u[c] - reaction(c) + 0.04 * (1.0 - u[c])),
            each(u.len(), |c| v[c] + 0.08 * flow_v[c] + reaction(c) - (0.04 + 0.06) * v[c]),
        ]
    }),
    ("belousov_zhabotinsky", &[], |near, states| {
        let [a, b, c] = [0, 1, 2].map(|state| near.mean(&states[state]));
        let react = |own: f32, food: f32, eater: f32, eats: f32, eaten: f32| {
            (own + own * (eats * food - eaten * eater)).clamp(0.0, 1.0)
        };
        vec![
            each(a.len(), |i| react(a[i], b[i], c[i], 1.2, 1.0)),
            each(a.len(), |i| react(b[i], c[i], a[i], 1.0, 1.2)),
            each(a.len(), |i| react(c[i], a[i], b[i], 1.0, 1.0)),
        ]
    }),
    ("cahn_hilliard", &[], |near, states| {
        let (u, curved) = (&states[0], near.flow(&states[0]));
        let flow = near.flow(&each(u.len(), |c| u[c] * u[c] * u[c] - u[c] - 0.5 * curved[c]));
        vec![each(u.len(), |c| u[c] + 0.02 * flow[c])]
    }),
    ("swift_hohenberg", &[], |near, states| {
        let (u, curved) = (&states[0], near.flow(&states[0]));
        let stiff = near.flow(&curved);
        vec![each(u.len(), |c| u[c] + 0.015 * (0.3 * u[c] - u[c] * u[c] * u[c] - u[c] - 2.0 * curved[c] - stiff[c]))]
    }),
];

#[test]
fn equations_are_those_of_their_texts_to_the_bit() {
    for name in GROUNDS {
        for (rule, settings, step) in EQUATIONS {
            let mut run = simulation(&domain(name), rule, 4, settings);
            let ground = Ground::of(&run);
            let near = Near { sides: ground.sides_of(), around: ground.near(1, false) };
            let names: Vec<String> = run.rule().states.iter().map(|state| state.name.clone()).collect();
            let mut states: Vec<Vec<f32>> = names.iter().map(|state| all(&run, state)).collect();
            for t in 1..=20 {
                states = step(&near, &states);
                run.step(1).expect("it runs");
                for (state, wanted) in names.iter().zip(&states) {
                    assert!(all(&run, state) == *wanted, "{state} of {rule} on {name}, step {t}");
                }
            }
        }
    }
}

/// The factor by which a rule lets a small wave grow in one step, by the value of the Laplace operator for it and the number of sides of a cell.
type Growth = fn(f64, f64) -> f64;

/// A rule, its settings, the state that waves, around which value, and how it grows in a step; the sum over the sides is `l` times the wave.
const GROWTHS: [(&str, &[&str], &str, f32, Growth); 8] = [
    ("heat", &["alpha=0.15"], "u", 5.0, |l, _| 1.0 + 0.15 * l),
    ("gray_scott", &[], "u", 1.0, |l, _| 1.0 + 0.16 * l - 0.04),
    ("gray_scott", &[], "v", 0.0, |l, _| 1.0 + 0.08 * l - 0.1),
    ("cahn_hilliard", &[], "u", 0.0, |l, _| 1.0 + 0.02 * l * (-1.0 - 0.5 * l)),
    ("cahn_hilliard", &[], "u", 0.7, |l, _| 1.0 + 0.02 * l * (3.0 * 0.49 - 1.0 - 0.5 * l)),
    ("swift_hohenberg", &[], "u", 0.0, |l, _| 1.0 + 0.015 * (0.3 - (1.0 + l) * (1.0 + l))),
    ("swift_hohenberg", &["r=-0.1"], "u", 0.0, |l, _| 1.0 + 0.015 * (-0.1 - (1.0 + l) * (1.0 + l))),
    // Of a wave in the sines; the cosines stay 1.
    ("kuramoto", &["spread=0"], "sine", 0.0, |l, sides| 1.0 + 0.2 * l / sides),
];

/// The wave of these numbers of crests along the axes of a torus, and its eigenvalue of the Laplace operator.
pub(crate) fn wave(ground: &Ground, crests: [f64; 3]) -> (Vec<f64>, f64) {
    let turns = |axis: usize| TAU * crests[axis] / ground.sides[axis] as f64;
    let at = |place: &[i64; 3]| (0..3).map(|axis| turns(axis) * place[axis] as f64).sum::<f64>().cos();
    let l = (0..3).map(|axis| -2.0 * (1.0 - turns(axis).cos())).sum();
    (ground.places.iter().map(at).collect(), l)
}

/// How much of a wave there is in a state.
pub(crate) fn part(wave: &[f64], state: &[f32]) -> f64 {
    let both: f64 = wave.iter().zip(state).map(|(wave, value)| wave * f64::from(*value)).sum();
    both / wave.iter().map(|wave| wave * wave).sum::<f64>()
}

pub(crate) const TORI: [(&str, [f64; 3], f64); 6] = [
    ("hoop", [4.0, 0.0, 0.0], 2.0),
    ("odd_torus", [2.0, 1.0, 0.0], 4.0),
    ("even_torus", [2.0, 3.0, 0.0], 4.0),
    ("odd_space", [1.0, 0.0, 1.0], 6.0),
    ("even_space", [1.0, 2.0, 1.0], 6.0),
    ("even_space", [4.0, 6.0, 5.0], 6.0),
];

#[test]
pub(crate) fn waves_grow_and_decay_at_their_rates() {
    const SMALL: f64 = 1e-3;
    for (name, crests, sides) in TORI {
        for (rule, settings, state, around, growth) in GROWTHS {
            let mut run = simulation(&domain(name), rule, 4, settings);
            let (wave, l) = wave(&Ground::of(&run), crests);
            let begun: Vec<f32> = wave.iter().map(|wave| around + (SMALL * wave) as f32).collect();
            let others: &[(&str, f32)] = match (rule, state) {
                ("gray_scott", "u") => &[("v", 0.0)],
                ("gray_scott", _) => &[("u", 1.0)],
                ("kuramoto", _) => &[("cosine", 1.0), ("speed", 0.0)],
                _ => &[],
            };
            for (other, value) in others {
                run.set_field(other, 0, &vec![*value; begun.len()]).expect("it takes the values");
            }
            run.set_field(state, 0, &begun).expect("it takes the values");
            let steps = 10;
            run.step(steps).expect("it runs");
            let level = all(&run, state).iter().map(|value| value - around).collect::<Vec<f32>>();
            let (found, wanted) = (part(&wave, &level) / SMALL, growth(l, sides).powi(steps as i32));
            assert!(
                (found - wanted).abs() < 2e-3 * (1.0 + wanted.abs()),
                "{rule} {settings:?} on {name}: {found}, exactly {wanted}"
            );
        }
    }
}

/// Standing waves swing with the frequency of the scheme, 2 (1 − cos ω) = −c² l, and keep its energy.
#[test]
pub(crate) fn waves_swing_at_their_frequencies() {
    for (name, crests, _) in TORI {
        let mut run = simulation(&domain(name), "wave", 0, &[]);
        let (wave, l) = wave(&Ground::of(&run), crests);
        let frequency = (1.0 + 0.25 * l / 2.0).acos();
        let scaled = |by: f64| wave.iter().map(|wave| (wave * by) as f32).collect::<Vec<f32>>();
        run.set_field("u", 0, &scaled(1.0)).expect("it takes the values");
        run.set_field("before", 0, &scaled(frequency.cos())).expect("it takes the values");
        let energy = observed(&run, "energy");
        for t in 1..=40 {
            run.step(1).expect("it runs");
            let (found, wanted) = (part(&wave, &all(&run, "u")), (frequency * f64::from(t)).cos());
            assert!((found - wanted).abs() < 2e-4, "{name}, step {t}: {found}, exactly {wanted}");
        }
        let kept = observed(&run, "energy");
        assert!((kept - energy).abs() < 1e-4 * energy, "{name}: {energy}, then {kept}");
    }
}

/// Free energy falls and the mean stays, in space as in the plane: the shipped time step is small enough for both.
#[test]
fn phases_part_and_their_free_energy_falls() {
    for name in GROUNDS {
        let mut phases = simulation(&domain(name), "cahn_hilliard", 6, &[]);
        let mut before = observed(&phases, "free");
        for _ in 0..30 {
            phases.step(20).expect("it runs");
            let free = observed(&phases, "free");
            assert!(free <= before * (1.0 + 1e-5), "{name}: {before}, then {free}");
            before = free;
        }
    }
}

/// Two oscillators beside one another drift apart by `Δω − 2 K sin Δφ` a step, and lock at sin Δφ = Δω / 2 K where that can be.
#[test]
fn two_oscillators_lock_where_they_can() {
    let pairs = &domains("domain pairs { size (600, 2)  cells x % 3 != 2 && y == 0 }")[0];
    let mut run = simulation(pairs, "kuramoto", 9, &["coupling=0.05", "spread=0.1"]);
    let angles = |run: &Simulation| -> Vec<f64> {
        let pairs = all(run, "sine").into_iter().zip(all(run, "cosine"));
        pairs.map(|(sine, cosine)| f64::from(sine).atan2(f64::from(cosine))).collect()
    };
    let start = angles(&run);
    let speeds = all(&run, "speed");
    run.step(400).expect("it runs");
    let end = angles(&run);
    let (mut locked, mut free) = (0, 0);
    for pair in 0..start.len() / 2 {
        let (a, b) = (2 * pair, 2 * pair + 1);
        let faster = f64::from(speeds[b] - speeds[a]);
        let mut apart = start[b] - start[a];
        (0..400).for_each(|_| apart += faster - 0.1 * apart.sin());
        let off = (end[b] - end[a] - apart).rem_euclid(TAU);
        assert!(off.min(TAU - off) < 2e-3, "pair {pair}: {} instead of {apart}", end[b] - end[a]);
        if faster.abs() < 0.08 {
            locked += 1;
            assert!(((end[b] - end[a]).sin() - faster / 0.1).abs() < 2e-3, "pair {pair}");
        } else if faster.abs() > 0.1 {
            free += 1;
        }
    }
    assert!(locked > 50 && free > 20, "{locked} locked, {free} free");
}

/// The phases turn alike in any place: each by its speed and the mean of sines of differences.
#[test]
fn phases_turn_as_their_text_says() {
    for name in GROUNDS {
        let mut run = simulation(&domain(name), "kuramoto", 2, &[]);
        let near = Ground::of(&run).sides_of();
        let read = |run: &Simulation| -> Vec<f64> {
            let pairs = all(run, "sine").into_iter().zip(all(run, "cosine"));
            pairs.map(|(sine, cosine)| f64::from(sine).atan2(f64::from(cosine))).collect()
        };
        let (mut angles, speeds) = (read(&run), all(&run, "speed"));
        for _ in 0..10 {
            let pull = |c: usize| {
                near[c].iter().map(|d| (angles[*d] - angles[c]).sin()).sum::<f64>() / near[c].len().max(1) as f64
            };
            angles = (0..angles.len()).map(|c| angles[c] + f64::from(speeds[c]) + 0.2 * pull(c)).collect();
        }
        run.step(10).expect("it runs");
        for (c, (found, wanted)) in read(&run).iter().zip(&angles).enumerate() {
            let off = (found - wanted).rem_euclid(TAU);
            assert!(off.min(TAU - off) < 1e-4, "{name}, cell {c}: {found} instead of {wanted}");
        }
    }
}

/// The ring's weights are those of their formula, and cells grow by them.
#[test]
fn lenia_grows_by_its_ring() {
    let mut ring = Vec::new();
    for dy in -4..=4_i64 {
        for dx in -4..=4_i64 {
            let r = ((dx * dx + dy * dy) as f64).sqrt() / 4.5;
            let weight = (100.0 * (4.0 - 1.0 / (r * (1.0 - r))).exp()).round() / 100.0;
            if r > 0.0 && r < 1.0 && weight > 0.01 {
                ring.push(([dx, dy, 0], weight));
            }
        }
    }
    assert_eq!(ring.len(), 44);
    for name in GROUNDS {
        let mut run = simulation(&domain(name), "lenia", 2, &[]);
        let ground = Ground::of(&run);
        let near: Vec<Vec<(usize, f64)>> = (0..ground.cells())
            .map(|c| ring.iter().filter_map(|(offset, weight)| Some((ground.at(c, *offset)?, *weight))).collect())
            .collect();
        for t in 1..=8 {
            let a: Vec<f64> = all(&run, "a").into_iter().map(f64::from).collect();
            run.step(1).expect("it runs");
            for (c, found) in all(&run, "a").into_iter().enumerate() {
                let whole: f64 = near[c].iter().map(|(_, weight)| weight).sum();
                let around = near[c].iter().map(|(d, weight)| weight * a[*d]).sum::<f64>() / whole.max(1.0);
                let growth = 2.0 * (-((around - 0.15) / 0.025).powi(2) / 2.0).exp() - 1.0;
                let wanted = (a[c] + 0.1 * growth).clamp(0.0, 1.0);
                assert!((f64::from(found) - wanted).abs() < 1e-5, "{name}, step {t}, cell {c}: {found}, {wanted}");
            }
        }
    }
}

/// Solves linear equations by elimination: rows of coefficients, each with its right-hand side last.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for i in 0..n {
        let best = (i..n).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs())).expect("there are rows");
        rows.swap(i, best);
        let pivot = rows[i].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let by = row[i] / pivot[i];
            row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= by * pivot);
        }
    }
    (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
}

/// Currents through rocks with holes are those of Kirchhoff's equations.
#[test]
fn rocks_conduct_as_kirchhoff_says() {
    let rocks = "domain flat { size (8, 5)  cells (x * y + x) % 5 != 3 }
        domain joined { size (7, 6)  cells (x * 3 + y * y) % 7 != 2  periodic y }
        domain thin { size (2, 3) }
        domain deep { size (5, 4, 3)  cells (x + 2 * y + z) % 4 != 3 || x == 0 || x == width - 1 }
        domain wound { size (6, 5, 3)  cells (x + y * z) % 5 != 1  periodic y, z }";
    for rock in domains(rocks) {
        let mut run = simulation(&rock, "conductivity", 0, &["momentum=0.9"]);
        let ground = Ground::of(&run);
        let near = ground.sides_of();
        let right = ground.sides[0] - 1;
        // A cell that no other touches stays as it is.
        let held = |c: usize| match ground.places[c][0] {
            0 => Some(1.0),
            x if x == right => Some(0.0),
            _ => near[c].is_empty().then_some(0.0),
        };
        let row = |c: usize| {
            let mut row = vec![0.0; ground.cells() + 1];
            row[c] = 1.0;
            match held(c) {
                Some(value) => row[ground.cells()] = value,
                None => near[c].iter().for_each(|d| row[*d] -= 1.0 / near[c].len() as f64),
            }
            row
        };
        let v = solved((0..ground.cells()).map(row).collect());
        let through = |x: i64| -> f64 {
            let from = (0..ground.cells()).filter(|c| ground.places[*c][0] == x);
            from.filter_map(|c| Some(v[c] - v[ground.at(c, [1, 0, 0])?])).sum()
        };
        run.step(3000).expect("it runs");
        for (name, x) in [("inflow", 0), ("middle", right / 2), ("outflow", right - 1)] {
            let (found, wanted) = (observed(&run, name), through(x));
            assert!(
                (found - wanted).abs() < 1e-8 && wanted > 0.1,
                "{name} of {}: {found}, exactly {wanted}",
                rock.name
            );
        }
    }
}
