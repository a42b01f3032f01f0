//! Curves beside sums over all states.

use super::*;
use crate::statistics::autocorrelation_time;

/// −β E, of kinds described by E.
struct Boltzmann;

impl Weight for Boltzmann {
    fn logs(&self, place: f64, kinds: &[f64], into: &mut Vec<f64>) {
        into.extend(kinds.iter().map(|energy| -place * energy));
    }
}

/// Uniform numbers from a fixed seed (SplitMix64).
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 * (-53f64).exp2()
    }
}

/// The Ising model on a torus of 4 by 4: for each state the energy and the square of the magnetisation.
fn torus() -> Vec<(f64, f64)> {
    let spin = |state: u32, x: u32, y: u32| i32::from(state >> (4 * (y % 4) + x % 4) & 1 == 1) * 2 - 1;
    let of = |state: u32| {
        let places = (0..16).map(|place| (place % 4, place / 4));
        let bonds = places.map(|(x, y)| spin(state, x, y) * (spin(state, x + 1, y) + spin(state, x, y + 1)));
        let magnetisation = 2 * state.count_ones() as i32 - 16;
        (f64::from(-bonds.sum::<i32>()), f64::from(magnetisation * magnetisation))
    };
    (0..1 << 16).map(of).collect()
}

/// States with equal energies and squares, and how many there are.
fn levels() -> Vec<(f64, f64, f64)> {
    let mut counts = std::collections::BTreeMap::new();
    for (energy, square) in torus() {
        *counts.entry((energy as i64, square as i64)).or_insert(0u32) += 1;
    }
    counts.into_iter().map(|((energy, square), count)| (energy as f64, square as f64, f64::from(count))).collect()
}

/// The exact means of the energy and the first two powers of the squared magnetisation.
fn exact(levels: &[(f64, f64, f64)], beta: f64) -> [f64; 3] {
    let weight = |(energy, _, count): &(f64, f64, f64)| count * (-beta * (energy + 32.0)).exp();
    let all: f64 = levels.iter().map(weight).sum();
    let mean =
        |of: &dyn Fn(&(f64, f64, f64)) -> f64| levels.iter().map(|level| weight(level) * of(level)).sum::<f64>() / all;
    [mean(&|level| level.0), mean(&|level| level.1), mean(&|level| level.1 * level.1)]
}

/// Series of energies and of squares: each sample is that before it with a chance, or one drawn anew.
fn series(
    levels: &[(f64, f64, f64)],
    beta: f64,
    (length, stays): (usize, f64),
    uniform: &mut Uniform,
) -> [Vec<f64>; 2] {
    let mut sum = 0.0;
    let below: Vec<f64> = levels
        .iter()
        .map(|(energy, _, count)| {
            sum += count * (-beta * (energy + 32.0)).exp();
            sum
        })
        .collect();
    let (mut found, mut state) = ([Vec::new(), Vec::new()], None);
    for _ in 0..length {
        if state.is_none() || uniform.next() >= stays {
            let word = uniform.next() * sum;
            state = Some(below.partition_point(|below| *below <= word).min(levels.len() - 1));
        }
        let (energy, square, _) = levels[state.unwrap_or(0)];
        found[0].push(energy);
        found[1].push(square);
    }
    found
}

/// Samples of one disorder: of each place and seed the series of energies and squares.
struct Sampled {
    places: Vec<f64>,
    chains: Vec<(usize, usize, [Vec<f64>; 2])>,
    kinds: Vec<f64>,
    of: Vec<Vec<u32>>,
    logs: Vec<f64>,
}

impl Sampled {
    /// Of members at values of β, with the chance at each that a sample is the one before it.
    fn new(values: &[(f64, f64)], seeds: usize, length: usize, uniform: &mut Uniform) -> Sampled {
        let levels = levels();
        let mut chains = Vec::new();
        for (at, (beta, stays)) in values.iter().enumerate() {
            chains.extend((0..seeds).map(|seed| (at, seed, series(&levels, *beta, (length, *stays), uniform))));
        }
        let places: Vec<f64> = values.iter().map(|(beta, _)| *beta).collect();
        let mut kinds: Vec<f64> = chains.iter().flat_map(|(.., series)| series[0].clone()).collect();
        kinds.sort_by(f64::total_cmp);
        kinds.dedup();
        let kind = |energy: &f64| kinds.partition_point(|known| known < energy) as u32;
        let of = chains.iter().map(|(.., series)| series[0].iter().map(kind).collect()).collect();
        let logs = kinds.iter().flat_map(|energy| values.iter().map(move |(beta, _)| -beta * energy)).collect();
        Sampled { places, chains, kinds, of, logs }
    }

    /// The energy (0), or the squared magnetisation with its square (1), by seeds or by so many stretches.
    fn reweighting(&self, column: usize, stretches: Option<usize>) -> Reweighting<'_> {
        let squares: Vec<Vec<f64>> =
            self.chains.iter().map(|(.., series)| series[column].iter().map(|x| x * x).collect()).collect();
        let (mut inefficiencies, mut slowest) = (Vec::new(), 0.5f64);
        for at in 0..self.places.len() {
            let of = |column: usize| -> Vec<&[f64]> {
                self.chains.iter().filter(|(own, ..)| *own == at).map(|(.., series)| &series[column][..]).collect()
            };
            let tau =
                [0, column].map(|column| autocorrelation_time(&of(column)).unwrap()).into_iter().fold(0.5, f64::max);
            slowest = slowest.max(tau);
            inefficiencies.push(2.0 * tau);
        }
        let all = self.chains.iter().zip(self.of.iter().zip(&squares));
        let all = all.map(|((at, seed, series), (kinds, squares))| {
            (*at, *seed, kinds.clone(), vec![series[column].clone(), squares.clone()])
        });
        let all: Vec<_> = all.collect();
        let chains: Vec<Chain<'_>> = all
            .iter()
            .map(|(at, seed, kinds, powers)| Chain {
                at: *at,
                unit: stretches.is_none().then_some(*seed),
                kinds,
                powers: powers.iter().map(Vec::as_slice).collect(),
            })
            .collect();
        let pool = Pool::new(&self.kinds, (&self.places, &self.logs), inefficiencies, &chains, stretches.unwrap_or(1));
        let seeds = self.chains.iter().map(|(_, seed, _)| seed + 1).max().unwrap();
        let edge = stretches.map_or(0.0, |stretches| slowest * stretches as f64 / self.of[0].len() as f64);
        Reweighting { pools: vec![pool], weight: &Boltzmann, units: stretches.unwrap_or(seeds), edge, is_inside: false }
    }
}

/// How many errors a curve lies from the exact one, at each place.
fn off(system: &Reweighting<'_>, at: &[f64], exact: impl Fn(f64) -> f64) -> Vec<f64> {
    let curve =
        |solved: &[Solved<'_>], _: Option<&[f64]>| Some(at.iter().map(|place| solved[0].at(*place).0[0]).collect());
    let found = jackknife(&[system], curve).unwrap();
    let z = |((place, value), error): ((&f64, &f64), &Result<f64, Unknown>)| (value - exact(*place)) / error.unwrap();
    at.iter().zip(&found.values).zip(&found.errors).map(z).collect()
}

fn rms(all: &[f64]) -> f64 {
    (all.iter().map(|z| z * z).sum::<f64>() / all.len() as f64).sqrt()
}

#[test]
fn curves_are_exact_between_members_and_beyond() {
    let levels = levels();
    let mut uniform = Uniform(5);
    let at: Vec<f64> = (0..9).map(|i| 0.28 + 0.03 * f64::from(i)).collect();
    let mut all = Vec::new();
    for sample in 0..24 {
        let sampled = Sampled::new(&[(0.3, 0.5), (0.4, 0.5), (0.5, 0.5)], 10, 300, &mut uniform);
        let stretches = (sample % 2 == 0).then_some(25);
        all.extend(off(&sampled.reweighting(0, stretches), &at, |beta| exact(&levels, beta)[0]));
        all.extend(off(&sampled.reweighting(1, stretches), &at, |beta| exact(&levels, beta)[1]));
    }
    let (largest, rms) = (all.iter().fold(0.0f64, |most, z| most.max(z.abs())), rms(&all));
    assert!((0.8..1.25).contains(&rms) && largest < 5.0, "{} z: rms {rms}, largest {largest}", all.len());
}

#[test]
fn slow_members_keep_right_errors() {
    let levels = levels();
    let (mut uniform, mut all) = (Uniform(11), Vec::new());
    for _ in 0..24 {
        // τ = ½ (1 + s) / (1 − s) = 30 at the one value, ½ at the other.
        let sampled = Sampled::new(&[(0.38, 59.0 / 61.0), (0.44, 0.0)], 2, 6000, &mut uniform);
        all.extend(off(&sampled.reweighting(0, Some(20)), &[0.37, 0.4, 0.42, 0.45], |beta| exact(&levels, beta)[0]));
    }
    let rms = rms(&all);
    assert!((0.65..1.4).contains(&rms), "rms {rms}");
    // Slow members count for little.
    let sampled = Sampled::new(&[(0.4, 0.9), (0.45, 0.9)], 1, 4000, &mut uniform);
    let independent = Solved::whole(&sampled.reweighting(0, Some(20))).map(|solved| solved.at(0.42).1[1]).unwrap();
    assert!((150.0..900.0).contains(&independent), "{independent} of 8 000 samples with τ = 9.5");
}

#[test]
fn members_and_overlaps_are_told_by_their_mixture() {
    let mut uniform = Uniform(3);
    let sampled = Sampled::new(&[(0.2, 0.0), (0.35, 0.0), (0.5, 0.0), (0.9, 0.0)], 1, 2000, &mut uniform);
    let reweighting = sampled.reweighting(0, Some(20));
    let solved = Solved::whole(&reweighting).unwrap();
    let mixture = solved.mixtures[0].as_ref().unwrap();
    // Free energies are those of the exact sums, up to noise.
    let free = |beta: f64| -levels().iter().map(|(e, _, n)| n * (-beta * e).exp()).sum::<f64>().ln();
    for (at, beta) in sampled.places.iter().enumerate() {
        let exact = free(*beta) - free(0.2);
        assert!((mixture.energies[at] - exact).abs() < 0.1, "{} for {exact}", mixture.energies[at]);
    }
    // A sample is of one of the values: rows of overlaps sum up to one.
    for at in 0..4 {
        let row: f64 = (0..4)
            .map(|other| {
                let share = |kind: usize, at: usize| {
                    (sampled.logs[kind * 4 + at] + mixture.energies[at] - mixture.density[kind]).exp()
                };
                let kinds = 0..sampled.kinds.len();
                kinds
                    .map(|kind| mixture.weights[kind] * share(kind, at) * share(kind, other) * mixture.counts[other])
                    .sum::<f64>()
            })
            .sum();
        assert!((row - 1.0).abs() < 1e-8, "{row}");
    }
    let overlaps = solved.overlaps();
    assert!(overlaps.len() == 3 && overlaps.iter().all(|own| (0.0..0.5).contains(own)), "{overlaps:?}");
    // Members between others that are nearly alike have half of their samples in common with each, however many there are.
    let many: Vec<(f64, f64)> = (0..40).map(|at| (0.4 + 0.0005 * f64::from(at), 0.0)).collect();
    let many = Sampled::new(&many, 1, 200, &mut uniform);
    let overlaps = Solved::whole(&many.reweighting(0, Some(20))).unwrap().overlaps();
    assert!(overlaps.len() == 39 && overlaps.iter().all(|own| (0.45..=0.501).contains(own)), "{overlaps:?}");
    // One value alone counts all its samples there, and fewer elsewhere.
    let alone = Sampled::new(&[(0.4, 0.0)], 1, 2000, &mut uniform);
    let reweighting = alone.reweighting(0, Some(20));
    let solved = Solved::whole(&reweighting).unwrap();
    let here = solved.at(0.4);
    let mean = alone.chains[0].2[0].iter().sum::<f64>() / 2000.0;
    assert!((here.0[0] - mean).abs() < 1e-9 && here.1[1] <= 2000.0 + 1e-6 && solved.at(0.6).1[1] < 0.7 * here.1[1]);
    assert!(solved.overlaps().is_empty());
}

#[test]
fn places_are_found() {
    assert!((root(|x| x * x * x - 2.0, (0.0, 3.0)) - 2f64.cbrt()).abs() < 1e-8);
    assert!((root(|x| (20.0 * (x - 0.3)).tanh(), (-1.0, 5.0)) - 0.3).abs() < 1e-7);
    let (place, height) = maximum(|x| 2.0 - (x - 0.7) * (x - 0.7), (0.0, 1.0));
    assert!((place - 0.7).abs() < 1e-6 && (height - 2.0).abs() < 1e-9);
}

/// Logarithms of weights of systems of hundreds of millions of cells have few digits behind the point, to which free energies are rounded.
#[test]
fn free_energies_of_many_cells_settle() {
    let (mut uniform, spread) = (Uniform(5), 14000.0);
    let places: Vec<f64> = (0..4).map(|at| 0.6763 + 1.5 / spread * f64::from(at)).collect();
    // Energies whose density of states is a Gaussian: their mean moves by spread² with β, and by 1.5 spreads from member to member.
    let mut series = |at: usize| -> Vec<f64> {
        let mean = -4e8 - 1.5 * spread * at as f64;
        let normal = |uniform: &mut Uniform| (0..12).map(|_| uniform.next()).sum::<f64>() - 6.0;
        (0..2000).map(|_| (mean + spread * normal(&mut uniform)).round()).collect()
    };
    let all: Vec<Vec<f64>> = (0..4).map(&mut series).collect();
    let mut kinds = all.concat();
    kinds.sort_by(f64::total_cmp);
    kinds.dedup();
    let logs: Vec<f64> = kinds.iter().flat_map(|energy| places.iter().map(move |beta| -beta * energy)).collect();
    let of: Vec<Vec<u32>> = all
        .iter()
        .map(|all| all.iter().map(|own| kinds.partition_point(|known| known < own) as u32).collect())
        .collect();
    let chains: Vec<Chain<'_>> =
        of.iter().enumerate().map(|(at, kinds)| Chain { at, unit: None, kinds, powers: Vec::new() }).collect();
    let pool = Pool::new(&kinds, (&places, &logs), vec![1.0; 4], &chains, 20);
    let found = pool.solve(None, None).expect("they settle");
    // ln Z of a Gaussian is a parabola: −E₀ β + spread² (β − β₀)² / 2.
    for (at, own) in found.energies.iter().enumerate() {
        let beta = places[at] - places[0];
        let exact = -(4e8 * beta + spread * spread * beta * beta / 2.0);
        assert!((own - exact).abs() < 0.2, "{own}, exactly {exact}");
    }
}

/// Disorders whose means lie apart fluctuate as one of them does.
#[test]
fn fluctuations_are_averaged_over_pools() {
    let (levels, mut uniform) = (levels(), Uniform(23));
    let mut all: Vec<Sampled> =
        (0..40).map(|_| Sampled::new(&[(0.3, 0.0), (0.4, 0.0), (0.5, 0.0)], 1, 150, &mut uniform)).collect();
    for (shift, sampled) in all.iter_mut().enumerate() {
        sampled.chains.iter_mut().for_each(|(.., series)| series[0].iter_mut().for_each(|x| *x += shift as f64));
    }
    let pools = all.iter().map(|sampled| sampled.reweighting(0, Some(1)).pools.remove(0)).collect();
    let of = |is_inside: bool, pools| Reweighting { pools, weight: &Boltzmann, units: 1, edge: 0.0, is_inside };
    let inside = of(true, pools);
    let solved = Solved::whole(&inside).unwrap();
    for beta in [0.33, 0.4, 0.47] {
        let [mean, step] = [beta, beta + 1e-4].map(|beta| exact(&levels, beta)[0]);
        let (found, fluctuation) = (solved.at(beta).0, (mean - step) / 1e-4);
        assert!(
            found[0] == 0.0 && (found[1] / fluctuation - 1.0).abs() < 0.06,
            "{beta}: {found:?}, exactly {fluctuation}"
        );
    }
}
