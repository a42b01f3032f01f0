//! Means at values of a parameter between those at which members ran.
//!
//! In equilibrium a sample of a member is drawn with the weight of its state at the member's value. The samples of all members together are drawn with a known mixture of these
//! weights, so that any weight over that mixture makes means of any other value of them (histograms: A. M. Ferrenberg, R. H. Swendsen, Phys. Rev. Lett. 63, 1195, 1989; each
//! sample by itself: M. R. Shirts, J. D. Chodera, J. Chem. Phys. 129, 124105, 2008). The mixture needs free energies f_j, which make each member's weights a distribution:
//!
//! D(x) = Σ_k n_k exp(f_k) w_k(x),  exp(−f_j) = Σ w_j(x) / (g D(x)),  ⟨A⟩ = Σ A w / (g D) / Σ w / (g D),
//!
//! over all samples x, where g = 2τ of the member that x is of, and n_k = N_k / g_k. Samples whose weights are equal at all values are one *kind*; sums go over kinds in ascending order.

use super::Unknown;
use super::jackknife::widening;
use rayon::prelude::*;
use squeeze_compiler::numbers::mode::DefaultMode;

/// Rounds in which free energies are put in anew before Newton's method takes over.
const FIRST_ROUNDS: usize = 10;
/// The most rounds.
const MOST_ROUNDS: usize = 1000;
/// By how much free energies may move in the last round, or by some last digits of the logarithms that they are added to.
const SETTLED: f64 = 1e-10;
/// Parts of a bracket up to which a place is found.
const FINEST: f64 = 1e-9;

/// How likely states are, up to a factor.
pub(crate) trait Weight: Sync {
    /// Puts the logarithms of the weights of kinds behind one another, at a value of the parameter.
    fn logs(&self, place: f64, kinds: &[f64], into: &mut Vec<f64>);
}

/// The samples of a member.
pub(crate) struct Chain<'a> {
    /// The number of the value at which it ran.
    pub at: usize,
    /// The part of the data that it belongs to, which is left out as one; without it, stretches of its time are.
    pub unit: Option<usize>,
    /// The kind of each sample.
    pub kinds: &'a [u32],
    /// For each power of the observable its value in each sample.
    pub powers: Vec<&'a [f64]>,
}

/// The samples of one kind at one value in one part of the data.
struct SampleCount {
    kind: u32,
    at: u32,
    unit: u32,
    count: f64,
    sums: [f64; 2],
}

/// Members of one disorder.
pub(crate) struct Pool<'a> {
    /// The numbers that describe kinds, kind by kind, in ascending order.
    kinds: &'a [f64],
    /// The values at which members ran, ascending.
    places: &'a [f64],
    /// For each kind and each of these values the logarithm of the weight.
    logs: &'a [f64],
    /// How many samples count for one, at each value: g.
    inefficiencies: Vec<f64>,
    entries: Vec<SampleCount>,
}

impl<'a> Pool<'a> {
    /// Counts the samples of chains, whose time has this number of stretches.
    pub(crate) fn new(
        kinds: &'a [f64],
        (places, logs): (&'a [f64], &'a [f64]),
        inefficiencies: Vec<f64>,
        chains: &[Chain<'_>],
        stretches: usize,
    ) -> Pool<'a> {
        let mut entries: Vec<SampleCount> = Vec::with_capacity(chains.iter().map(|chain| chain.kinds.len()).sum());
        for chain in chains {
            let length = chain.kinds.len();
            for (i, kind) in chain.kinds.iter().enumerate() {
                let unit = chain.unit.unwrap_or(i * stretches / length) as u32;
                let power = |n: usize| chain.powers.get(n).map_or(0.0, |values| values[i]);
                entries.push(SampleCount {
                    kind: *kind,
                    at: chain.at as u32,
                    unit,
                    count: 1.0,
                    sums: [power(0), power(1)],
                });
            }
        }
        entries.sort_by_key(|entry| (entry.kind, entry.at, entry.unit));
        entries.dedup_by(|next, kept| {
            let same = (next.kind, next.at, next.unit) == (kept.kind, kept.at, kept.unit);
            if same {
                kept.count += next.count;
                kept.sums = std::array::from_fn(|n| kept.sums[n] + next.sums[n]);
            }
            same
        });
        Pool { kinds, places, logs, inefficiencies, entries }
    }

    /// Whether a part of the data has samples here.
    fn has(&self, unit: usize) -> bool {
        self.entries.iter().any(|entry| entry.unit as usize == unit)
    }

    /// The mixture without a part of the data, from free energies near those wanted; `None` if nothing is left at some value, or they do not settle.
    fn solve(&self, without: Option<usize>, near: Option<&[f64]>) -> Option<Mixture> {
        let (states, kinds) = (self.places.len(), self.logs.len() / self.places.len());
        let mut found = Mixture {
            energies: vec![0.0; states],
            counts: vec![0.0; states],
            weights: vec![0.0; kinds],
            sums: vec![[0.0; 2]; kinds],
            density: vec![0.0; kinds],
        };
        // The mean of the next value's logarithm less the own one's, and of the one before.
        let mut slopes = vec![[0.0; 2]; states];
        for entry in self.entries.iter().filter(|entry| without != Some(entry.unit as usize)) {
            let (kind, at) = (entry.kind as usize, entry.at as usize);
            let share = 1.0 / self.inefficiencies[at];
            let logs = &self.logs[kind * states..][..states];
            found.counts[at] += share * entry.count;
            found.weights[kind] += share * entry.count;
            for (sum, own) in found.sums[kind].iter_mut().zip(entry.sums) {
                *sum += share * own;
            }
            for (slope, other) in slopes[at].iter_mut().zip([at.wrapping_sub(1), at + 1]) {
                *slope += share * entry.count * logs.get(other).map_or(0.0, |log| log - logs[at]);
            }
        }
        if found.counts.iter().any(|count| *count <= 0.0) {
            return None;
        }
        match near {
            Some(near) => found.energies.copy_from_slice(near),
            // Along a line between the means at both ends.
            None => (1..states).for_each(|at| {
                let (before, after) = (slopes[at - 1][1] / found.counts[at - 1], slopes[at][0] / found.counts[at]);
                found.energies[at] = found.energies[at - 1] - (before - after) / 2.0;
            }),
        }
        let first = if near.is_some() { 1 } else { FIRST_ROUNDS };
        let mut last = f64::INFINITY;
        for round in 0..MOST_ROUNDS {
            let moved = self.round(&mut found);
            let off = moved.gradient.iter().zip(&found.counts).map(|(own, count)| (own / count).abs());
            let off = off.fold(0.0, f64::max);
            if off.is_nan() {
                return None;
            }
            let step = match round >= first && off < last {
                true => moved.newton().filter(|step| step.iter().all(|step| step.abs() < 1.0)),
                false => None,
            };
            // Put in anew, they come nearer whatever they were.
            let step = step.unwrap_or_else(|| {
                let anew = |at: usize| -(moved.gradient[at] / found.counts[at]).ln_1p();
                (0..states).map(|at| anew(at) - anew(0)).collect()
            });
            last = off;
            let scale = found.energies.iter().chain(self.logs).fold(0.0, |most: f64, own| most.max(own.abs()));
            let most = step.iter().fold(0.0, |most: f64, own| most.max(own.abs()));
            found.energies.iter_mut().zip(&step).for_each(|(own, step)| *own += step);
            if most < SETTLED.max(1e-15 * scale) {
                self.round(&mut found);
                return Some(found);
            }
        }
        None
    }

    /// Computes the density of the mixture at its free energies, and how these are to move.
    fn round(&self, found: &mut Mixture) -> Move {
        let states = self.places.len();
        let mut gradient: Vec<f64> = found.counts.iter().map(|count| -count).collect();
        let mut products = vec![0.0; states * states];
        let offsets: Vec<f64> = found.energies.iter().zip(&found.counts).map(|(f, count)| f + count.ln()).collect();
        let mut shares: Vec<(usize, f64)> = Vec::with_capacity(states);
        for (kind, density) in found.density.iter_mut().enumerate() {
            let logs = &self.logs[kind * states..][..states];
            let most = logs.iter().zip(&offsets).fold(f64::NEG_INFINITY, |most, (log, offset)| most.max(log + offset));
            let sum: f64 = logs.iter().zip(&offsets).map(|(log, offset)| (log + offset - most).exp()).sum();
            *density = most + sum.ln();
            let weight = found.weights[kind];
            if weight == 0.0 {
                continue;
            }
            shares.clear();
            let all = logs.iter().zip(&offsets).map(|(log, offset)| (log + offset - *density).exp()).enumerate();
            shares.extend(all.filter(|(_, share)| *share > 1e-18));
            for (i, (at, share)) in shares.iter().enumerate() {
                gradient[*at] += weight * share;
                for (other, own) in &shares[..=i] {
                    products[at * states + other] += weight * share * own;
                }
            }
        }
        Move { gradient, products }
    }
}

/// How free energies are to move.
struct Move {
    /// By value the number of samples that the mixture gives it, less those that it has.
    gradient: Vec<f64>,
    /// Σ p p over samples, where p is the chance that a sample is of a value: below the diagonal.
    products: Vec<f64>,
}

impl Move {
    /// Newton's step, for which free energies are the minimum of a convex function; the first stays. `None` if the matrix is not positive.
    fn newton(&self) -> Option<Vec<f64>> {
        let states = self.gradient.len();
        let product = |a: usize, b: usize| self.products[a.max(b) * states + a.min(b)];
        // The sum of a row of products is the number of samples that the value is given.
        let given = |at: usize| (0..states).map(|other| product(at, other)).sum::<f64>();
        let entry = |a: usize, b: usize| if a == b { given(a) } else { 0.0 } - product(a, b);
        let mut lower = vec![0.0; states * states];
        for row in 1..states {
            for column in 1..=row {
                let inner: f64 = (1..column).map(|k| lower[row * states + k] * lower[column * states + k]).sum();
                let rest = entry(row, column) - inner;
                lower[row * states + column] = match row == column {
                    true if rest > 0.0 => rest.sqrt(),
                    true => return None,
                    false => rest / lower[column * states + column],
                };
            }
        }
        let mut step: Vec<f64> = self.gradient.iter().map(|own| -own).collect();
        step[0] = 0.0;
        for row in 1..states {
            let inner: f64 = (1..row).map(|k| lower[row * states + k] * step[k]).sum();
            step[row] = (step[row] - inner) / lower[row * states + row];
        }
        for row in (1..states).rev() {
            let inner: f64 = (row + 1..states).map(|k| lower[k * states + row] * step[k]).sum();
            step[row] = (step[row] - inner) / lower[row * states + row];
        }
        Some(step)
    }
}

/// The mixture that samples are drawn from.
struct Mixture {
    /// Free energies, of which the first is 0,
    energies: Vec<f64>,
    /// and independent samples, of each value.
    counts: Vec<f64>,
    /// Of each kind the independent samples,
    weights: Vec<f64>,
    /// sums of the observable's powers over them,
    sums: Vec<[f64; 2]>,
    /// and the logarithm of the mixture's density.
    density: Vec<f64>,
}

/// The samples of one observable of one system: pools, over which means are averaged.
pub(crate) struct Reweighting<'a> {
    /// Members of one disorder each.
    pub pools: Vec<Pool<'a>>,
    /// The weight.
    pub weight: &'a dyn Weight,
    /// How many parts of the data can be left out, some of which it may lack.
    pub units: usize,
    /// By how much neighbouring parts depend on each other: autocorrelation times in one.
    pub edge: f64,
    /// Whether the fluctuation of each pool is averaged, without its bias: means are 0 and that average then.
    pub is_inside: bool,
}

/// A system without one of its parts.
pub(crate) struct Solved<'r> {
    of: &'r Reweighting<'r>,
    mixtures: Vec<Option<Mixture>>,
}

impl<'r> Solved<'r> {
    /// The system with all its parts; `None` if free energies cannot be found.
    pub(crate) fn whole(of: &'r Reweighting<'r>) -> Option<Solved<'r>> {
        Solved::new(of, None, None)
    }

    /// The system without a part; `None` if free energies cannot be found. Free energies are near those of another, if there is one.
    fn new(of: &'r Reweighting<'r>, without: Option<usize>, near: Option<&Solved<'_>>) -> Option<Solved<'r>> {
        let mixture = |(i, pool): (usize, &Pool<'_>)| {
            let near = near.and_then(|near| near.mixtures[i].as_ref());
            // Means over disorders leave out those that are left out.
            if without.is_some_and(|unit| of.pools.len() > 1 && pool.entries.iter().all(|e| e.unit as usize == unit)) {
                return Some(None);
            }
            pool.solve(without, near.map(|near| near.energies.as_slice())).map(Some)
        };
        let mixtures = of.pools.iter().enumerate().map(mixture).collect::<Option<Vec<_>>>()?;
        mixtures.iter().any(Option::is_some).then_some(Solved { of, mixtures })
    }

    /// The means of the observable's powers at a value of the parameter, averaged over pools; of these the fewest independent samples that count there, and of all.
    pub(crate) fn at(&self, place: f64) -> ([f64; 2], [f64; 2]) {
        let (mut means, mut pools, mut fewest, mut all) = ([0.0; 2], 0.0, f64::INFINITY, 0.0);
        let mut logs: Vec<f64> = Vec::new();
        for (pool, mixture) in self.of.pools.iter().zip(&self.mixtures) {
            let Some(mixture) = mixture else { continue };
            logs.clear();
            self.of.weight.logs(place, pool.kinds, &mut logs);
            logs.iter_mut().zip(&mixture.density).for_each(|(log, density)| *log -= density);
            let counts = |(log, weight): (&f64, &f64)| if *weight > 0.0 { *log } else { f64::NEG_INFINITY };
            let most = logs.iter().zip(&mixture.weights).map(counts).fold(f64::NEG_INFINITY, f64::max);
            let (mut sum, mut squares, mut sums, mut squared) = (0.0, 0.0, [0.0; 2], [0.0; 2]);
            for ((log, weight), own) in logs.iter().zip(&mixture.weights).zip(&mixture.sums) {
                if *weight == 0.0 {
                    continue;
                }
                let ratio = (log - most).exp();
                sum += weight * ratio;
                squares += weight * ratio * ratio;
                sums = std::array::from_fn(|n| sums[n] + own[n] * ratio);
                squared = std::array::from_fn(|n| squared[n] + own[n] * ratio * ratio);
            }
            let mut own = sums.map(|own| own / sum);
            if self.of.is_inside {
                // The mean is nearer to its samples than the true one, by its variance.
                let bias = (squared[1] - 2.0 * own[0] * squared[0] + own[0] * own[0] * squares) / (sum * sum);
                own = [0.0, own[1] - own[0] * own[0] + bias];
            }
            means = std::array::from_fn(|n| means[n] + own[n]);
            let independent = sum * sum / squares;
            (fewest, all, pools) = (independent.min(fewest), all + independent, pools + 1.0);
        }
        (means.map(|mean| mean / pools), [fewest, all])
    }

    /// The least overlap of members at each value with those at the next: the chance that a sample of one is taken for one of the other, of these two, in the pool
    /// where it is least. Further members, which a sample could be of as well, do not make it less.
    pub(crate) fn overlaps(&self) -> Vec<f64> {
        let places = self.of.pools.first().map_or(0, |pool| pool.places.len());
        let mut least = vec![f64::INFINITY; places.saturating_sub(1)];
        for (pool, mixture) in self.of.pools.iter().zip(&self.mixtures) {
            let Some(mixture) = mixture else { continue };
            let mut overlaps = vec![0.0; least.len()];
            for (kind, density) in mixture.density.iter().enumerate().filter(|(kind, _)| mixture.weights[*kind] > 0.0) {
                let logs = &pool.logs[kind * places..][..places];
                let share = |at: usize| (logs[at] + mixture.energies[at] - density).exp();
                for (at, sum) in overlaps.iter_mut().enumerate() {
                    let [own, next] = [share(at), share(at + 1)];
                    if own > 0.0 && next > 0.0 {
                        *sum += mixture.weights[kind] / (1.0 / own + 1.0 / next);
                    }
                }
            }
            least.iter_mut().zip(overlaps).for_each(|(least, own)| *least = least.min(own));
        }
        least
    }
}

/// JackknifedValues with errors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JackknifedValues {
    /// The values of all samples.
    pub whole: Vec<f64>,
    /// The same without bias of order 1/n, where a part can be left out.
    pub values: Vec<f64>,
    /// Their standard errors, or why there are none.
    pub errors: Vec<Result<f64, Unknown>>,
}

/// Computes values from systems, with errors by leaving out one part after the other, in all of them at once. `None` if free energies cannot be found, or there is no value.
pub(crate) fn jackknife(
    systems: &[&Reweighting<'_>],
    of: impl Fn(&[Solved<'_>], Option<&[f64]>) -> Option<Vec<f64>> + Sync,
) -> Option<JackknifedValues> {
    let _mode = DefaultMode::enter();
    let whole = systems.iter().map(|system| Solved::new(system, None, None)).collect::<Option<Vec<_>>>()?;
    let values = of(&whole, None)?;
    let units = systems.iter().map(|system| system.units).max().unwrap_or(0);
    // The number of parts of each system: a part that one lacks changes nothing there.
    let held: Vec<Vec<bool>> = systems
        .iter()
        .map(|system| (0..units).map(|unit| system.pools.iter().any(|pool| pool.has(unit))).collect())
        .collect();
    let parts: Vec<usize> = held.iter().map(|held| held.iter().filter(|held| **held).count()).collect();
    let fewest = parts.iter().copied().min().unwrap_or(0);
    let edge = systems.iter().map(|system| system.edge).fold(0.0, f64::max);
    let without = |unit: usize| {
        let _mode = DefaultMode::enter();
        let all = systems.iter().zip(&whole);
        let solved: Option<Vec<_>> = all.map(|(system, near)| Solved::new(system, Some(unit), Some(near))).collect();
        of(&solved?, Some(&values)).filter(|left| left.len() == values.len())
    };
    let left: Vec<Option<Vec<f64>>> = (0..units).into_par_iter().map(without).collect();
    let (mut changes, mut squares) = (vec![0.0; values.len()], vec![0.0; values.len()]);
    for (unit, left) in left.iter().enumerate() {
        let holders = held.iter().zip(&parts).filter(|(held, _)| held[unit]).map(|(_, parts)| *parts);
        let scale = 1.0 - 1.0 / holders.min().unwrap_or(1) as f64;
        for (i, all) in values.iter().enumerate() {
            let change = left.as_ref().map_or(f64::NAN, |left| left[i]) - all;
            changes[i] += scale * change;
            squares[i] += scale * change * change;
        }
    }
    let factor = widening(fewest) / (1.0 - edge).sqrt();
    let error = |square: &f64| match square.is_finite() && fewest > 3 {
        true => Ok(square.sqrt() * factor),
        false => Err(Unknown::Vanishes),
    };
    let value = |(all, change): (&f64, &f64)| if change.is_finite() { all - change } else { *all };
    Some(JackknifedValues {
        values: values.iter().zip(&changes).map(value).collect(),
        errors: squares.iter().map(error).collect(),
        whole: values,
    })
}

/// Where a function is zero between two places at which its signs differ.
pub(crate) fn root(of: impl Fn(f64) -> f64, (mut a, mut b): (f64, f64)) -> f64 {
    let (mut left, mut right) = (of(a), of(b));
    let finest = FINEST * (b - a).abs();
    // False position, of which an end that stays counts half (M. Dowell, P. Jarratt, BIT 11, 168, 1971).
    let (mut place, mut stayed) = (a, 0);
    for _ in 0..200 {
        let last = place;
        place = (a * right - b * left) / (right - left);
        let height = of(place);
        if height == 0.0 || (place - last).abs() <= finest {
            break;
        }
        if (height > 0.0) == (right > 0.0) {
            left *= if stayed == 1 { 0.5 } else { 1.0 };
            (b, right, stayed) = (place, height, 1);
        } else {
            right *= if stayed == 2 { 0.5 } else { 1.0 };
            (a, left, stayed) = (place, height, 2);
        }
    }
    place
}

/// Where a function is greatest near the middle of three places, and how great.
pub(crate) fn maximum(of: impl Fn(f64) -> f64, (mut a, mut b): (f64, f64)) -> (f64, f64) {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let finest = 1e-7 * (b - a).abs();
    let (mut c, mut d) = (b - golden * (b - a), a + golden * (b - a));
    let (mut low, mut high) = (of(c), of(d));
    // Neighbouring floats never come closer: the count ends the search.
    for _ in 0..100 {
        if (b - a).abs() <= finest {
            break;
        }
        if low > high {
            (b, d, high) = (d, c, low);
            c = b - golden * (b - a);
            low = of(c);
        } else {
            (a, c, low) = (c, d, high);
            d = a + golden * (b - a);
            high = of(d);
        }
    }
    let place = (a + b) / 2.0;
    (place, of(place))
}

#[cfg(test)]
mod tests;
