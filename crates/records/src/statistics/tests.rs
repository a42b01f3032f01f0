//! Series with known answers.

use super::*;

/// Normal numbers from a fixed seed.
struct Normal(u64);

impl Normal {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 * (-53f64).exp2()
    }

    fn next(&mut self) -> f64 {
        let (a, b) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}

/// x(t+1) = φ x(t) + noise, in equilibrium from the start: variance 1 / (1 − φ²), τ = ½ (1 + φ) / (1 − φ).
fn autoregressive(phi: f64, length: usize, seed: u64) -> Vec<f64> {
    let mut normal = Normal(seed);
    let mut x = normal.next() / (1.0 - phi * phi).sqrt();
    let step = |_| {
        let next = phi * x + normal.next();
        std::mem::replace(&mut x, next)
    };
    (0..length).map(step).collect()
}

/// A point whose members have one column, and seeds from 0 on.
fn point(series: &[&[f64]]) -> Point<'static> {
    let member = |(seed, series): (u64, &&[f64])| Member::new(seed, vec![Cow::Owned(series.to_vec())]);
    (0..).zip(series).map(member).collect()
}

fn estimate(series: &[&[f64]]) -> Estimate {
    Combination::Mean.estimate(&point(series), 0)
}

#[test]
fn series_of_known_correlation_give_it_back() {
    for (phi, length) in [(0.0, 20_000), (0.5, 40_000), (0.9, 200_000), (0.98, 400_000)] {
        let series = autoregressive(phi, length, 7);
        let tau = 0.5 * (1.0 + phi) / (1.0 - phi);
        let exact = (2.0 * tau / length as f64 / (1.0 - phi * phi)).sqrt();
        let found = estimate(&[&series]);
        assert!((found.tau / tau - 1.0).abs() < 0.1, "φ = {phi}: τ {} instead of {tau}", found.tau);
        assert!((found.error / exact - 1.0).abs() < 0.25, "φ = {phi}: error {} instead of {exact}", found.error);
        assert!(found.mean.abs() < 4.0 * found.error && found.samples == length);
    }
}

#[test]
fn one_value_of_each_member_is_a_series_of_one() {
    let values = [1e9 + 0.5, 1e9 - 0.25, 1e9 + 2.0, 1e9 + 0.125, 1e9 - 3.5];
    for count in 1..=values.len() {
        let series: Vec<[f64; 1]> = values[..count].iter().map(|value| [*value]).collect();
        let wanted = estimate(&series.iter().map(|one| &one[..]).collect::<Vec<_>>());
        let (mean, error) = over_independent(values[..count].iter().copied(), false);
        assert!((mean - wanted.mean).abs() < 1e-6, "{mean} {wanted:?}");
        assert!(
            (error - wanted.error).abs() < 1e-6 || count < FEWEST_MEMBERS && error.is_nan() && wanted.error.is_nan()
        );
    }
}

#[test]
fn the_two_state_chain_is_exact() {
    // It flips with probability p: ρ(t) = (1 − 2p)^t, so τ = ½ + (1 − 2p) / 2p.
    let p = 0.1;
    let mut uniform = Normal(3);
    let mut up = false;
    let series: Vec<f64> = (0..300_000)
        .map(|_| {
            up ^= uniform.uniform() < p;
            f64::from(u8::from(up))
        })
        .collect();
    let found = estimate(&[&series]);
    let tau = 0.5 + (1.0 - 2.0 * p) / (2.0 * p);
    assert!((found.tau / tau - 1.0).abs() < 0.05, "{}", found.tau);
    assert!((found.mean - 0.5).abs() < 4.0 * found.error);
    let exact = (0.25 * 2.0 * tau / 300_000.0).sqrt();
    assert!((found.error / exact - 1.0).abs() < 0.2, "{}", found.error);
}

#[test]
fn little_is_known_of_little() {
    let none = estimate(&[]);
    assert!(none.mean.is_nan() && none.error.is_nan() && none.samples == 0);
    let one = estimate(&[&[3.0]]);
    assert!(one.mean == 3.0 && one.error.is_nan() && one.tau.is_nan());
    assert_eq!(one.unknown, Some(Unknown::Short { members: 1, fewest: FEWEST_MEMBERS }));
    let still = estimate(&[&[0.1; 50], &[0.1; 50], &[0.1; 50], &[0.1; 50]]);
    assert!(still.mean == 0.1 && still.error.is_nan() && still.unknown == Some(Unknown::Equal), "{still:?}");
    let three = estimate(&[&[1.0], &[2.0], &[3.0]]);
    assert!(
        three.mean == 2.0
            && three.error.is_nan()
            && three.unknown == Some(Unknown::Short { members: 3, fewest: FEWEST_MEMBERS })
    );
    // The spread says √(5/3) / 2, and Student's distribution of four √3 times that.
    let four = estimate(&[&[1.0], &[2.0], &[3.0], &[4.0]]);
    assert!(four.mean == 2.5 && (four.error - (5.0f64 / 4.0).sqrt()).abs() < 1e-12 && four.unknown.is_none());
}

/// A value that exists with all members, but not without each one, is given without an error.
#[test]
fn a_value_that_vanishes_without_a_member_stays() {
    let four = point(&[&[1.0], &[2.0], &[3.0], &[4.0]]);
    let large = |means: &[Vec<f64>]| [means[0][0], if means[0][0] > 2.0 { means[0][0] } else { f64::NAN }];
    let found = jackknife(&[&four], FEWEST_MEMBERS, large);
    assert_eq!((found.values, found.errors), ([2.5, 2.5], Err(Unknown::Vanishes)));
}

/// The autocorrelation time of a series that is shorter than it cannot be seen in it.
#[test]
fn one_series_of_a_few_autocorrelation_times_has_no_error() {
    for seed in 0..40 {
        let series = autoregressive(0.98, 350, 100 + seed);
        let found = estimate(&[&series]);
        assert!(
            found.error.is_nan() && found.unknown == Some(Unknown::Short { members: 1, fewest: FEWEST_MEMBERS }),
            "{found:?}"
        );
    }
    for seed in 0..4 {
        // Each of many members stays near where it began.
        let members: Vec<Vec<f64>> =
            (0..FEWEST_COMBINED as u64).map(|member| autoregressive(0.9999, 300, 1000 * seed + member)).collect();
        let members: Vec<&[f64]> = members.iter().map(Vec::as_slice).collect();
        let binder = Combination::Binder.estimate(&point(&members), 0);
        let means: Vec<Vec<f64>> = members.iter().map(|m| vec![m.iter().sum::<f64>() / 300.0]).collect();
        let means: Vec<&[f64]> = means.iter().map(Vec::as_slice).collect();
        let of_means = Combination::Binder.estimate(&point(&means), 0);
        assert!((binder.error / of_means.error - 1.0).abs() < 0.3, "{binder:?} {of_means:?}");
        let fewer = Combination::Binder.estimate(&point(&means[1..]), 0);
        assert!(fewer.error.is_nan(), "{fewer:?}");
    }
}

/// Two points that go up and down together differ by what they always differ by.
#[test]
fn what_points_share_by_their_seeds_leaves_their_difference() {
    let points: Vec<Point<'static>> = [0.0, 1.0]
        .map(|shift| {
            let series = |seed| autoregressive(0.5, 50, seed).iter().map(|x| x + shift).collect();
            let member = |seed| Member::new(seed, vec![Cow::Owned(series(seed))]);
            (0..16).map(member).collect()
        })
        .to_vec();
    let difference = |means: &[Vec<f64>]| [means[1][0] - means[0][0]];
    let together = jackknife(&[&points[0], &points[1]], FEWEST_MEMBERS, difference);
    assert!((together.values[0] - 1.0).abs() < 1e-9 && together.errors.unwrap()[0] < 1e-9, "{together:?}");
    let mut apart = points.clone();
    apart[1].iter_mut().for_each(|member| (member.seed, member.disorder) = (member.seed + 100, member.seed + 100));
    let apart = jackknife(&[&apart[0], &apart[1]], FEWEST_MEMBERS, difference).errors.unwrap()[0];
    let own = [0, 1].map(|i| Combination::Mean.estimate(&points[i], 0).error);
    // The errors of two independent points add up in squares.
    assert!((apart / own[0].hypot(own[1]) - 1.0).abs() < 0.2, "{apart}");
}

#[test]
fn curves_cross_where_they_do() {
    let places = [0.0, 1.0, 2.0, 3.0, 4.0];
    let curve = |slope: f64, first: u64| -> Vec<Point<'static>> {
        let noise: Vec<Vec<f64>> = (0..16).map(|seed| autoregressive(0.0, 5, first + seed)).collect();
        let member = |i: usize, seed: u64| {
            let value = slope * (places[i] - 2.3) + 0.1 * noise[seed as usize][i];
            Member::new(first + seed, vec![Cow::Owned(vec![value])])
        };
        (0..5).map(|i| (0..16).map(|seed| member(i, seed)).collect()).collect()
    };
    let (rising, falling) = (curve(1.0, 1), curve(-1.0, 100));
    let slices = |curve: &'static [Point<'static>]| curve.iter().map(Vec::as_slice).collect::<Vec<_>>();
    let [rising, falling] = [rising, falling].map(|curve| slices(curve.leak()));
    let found = crossing(&places, [&rising, &falling], Combination::Mean).unwrap();
    assert!((found.at - 2.3).abs() < 4.0 * found.error && found.error < 0.04, "{found:?}");
    assert_eq!((found.degree, found.points, found.unknown), (3, 5, None));
    assert!(crossing(&places, [&rising, &rising], Combination::Mean).is_none());
    assert!(crossing(&[], [&[], &[]], Combination::Mean).is_none());
    // One member of one sample: the crossing is found, and its error is not known.
    let alone: Vec<Vec<&[Member<'_>]>> =
        [&rising, &falling].map(|curve| curve.iter().map(|point| &point[..1]).collect()).to_vec();
    let found = crossing(&places, [&alone[0], &alone[1]], Combination::Mean).unwrap();
    assert!(
        found.error.is_nan()
            && found.unknown == Some(Unknown::Short { members: 1, fewest: FEWEST_MEMBERS })
            && found.points == 2,
        "{found:?}"
    );
}

#[test]
fn power_laws_of_nothing_are_none() {
    let at = |x: f64, y: f64| (x, point(&[&[y], &[y * 1.01], &[y * 0.99], &[y]]));
    let law = power_law(&[at(1.0, 2.0), at(4.0, 4.0), at(16.0, 8.0)], Combination::Mean).unwrap();
    assert!((law.exponent - 0.5).abs() < 1e-6 && (law.amplitude - 2.0).abs() < 0.02, "{law:?}");
    assert!(law.exponent_error >= 0.0 && law.amplitude_error > 0.0 && law.unknown.is_none(), "{law:?}");
    assert!(power_law(&[at(1.0, 1.0), at(-1.0, 2.0), at(2.0, f64::NAN)], Combination::Mean).is_none());
    // Every step of one run, which changes slowly: windows that are too short depend on each other.
    let noise = autoregressive(0.995, 4096, 3);
    let series: Vec<(f64, f64)> =
        (1..).map(f64::from).zip(&noise).map(|(t, noise)| (t, t.powf(-0.5) * (0.01 * noise).exp())).collect();
    assert_eq!(power_law_of_windows(&series, 1.05).unwrap().unknown, Some(Unknown::Correlated));
    assert_eq!(power_law_of_windows(&series, 8.0).unwrap().unknown, Some(Unknown::Windows(5)));
}

#[test]
fn what_is_not_in_equilibrium_is_seen() {
    // It begins at 5 and forgets that with a time of 20.
    let relaxing = |seed: u64| -> Vec<f64> {
        let noise = autoregressive(0.5, 1000, seed);
        (0..1000).map(|t| noise[t] + 5.0 * (-(t as f64) / 20.0).exp()).collect()
    };
    let members: Vec<Vec<f64>> = (0..16).map(relaxing).collect();
    let all: Vec<&[f64]> = members.iter().map(Vec::as_slice).collect();
    let early = transient(&point(&all), 0);
    assert!((40..=250).contains(&early), "{early}");
    assert!(drift(&point(&all), 0, f64::NAN) > 5.0);
    let rest: Vec<&[f64]> = members.iter().map(|member| &member[early..]).collect();
    assert!(drift(&point(&rest), 0, f64::NAN) < 5.0);
    assert!(drift(&point(&all[..1]), 0, 1.5) > 5.0 && drift(&point(&all[..1]), 0, f64::NAN).is_nan());
    assert_eq!(transient(&[], 0), 0);
}

/// One value of each seed with each disorder.
fn crossed(values: &[[f64; 4]]) -> Point<'static> {
    let member = |(disorder, seed, value)| Member { disorder, ..Member::new(seed, vec![Cow::Owned(vec![value])]) };
    let of = |(disorder, row): (u64, &[f64; 4])| row.map(|value| (disorder, value));
    let rows = (100..).zip(values).map(of);
    rows.flat_map(|row| (0..).zip(row).map(|(seed, (disorder, value))| member((disorder, seed, value)))).collect()
}

#[test]
fn members_depend_on_those_of_their_seed_and_of_their_disorder() {
    let (by_disorder, by_seed) = ([0.0, 3.0, 1.0, 8.0], [0.0, 2.0, 7.0, 3.0]);
    let error = |disorders: f64, seeds: f64| {
        let at = |d: usize, s: usize| disorders * by_disorder[d] + seeds * by_seed[s];
        let values: Vec<[f64; 4]> = (0..4).map(|d| std::array::from_fn(|s| at(d, s))).collect();
        (Combination::Mean.estimate(&crossed(&values), 0), values)
    };
    let spread = |values: [f64; 4]| {
        let mean = values.iter().sum::<f64>() / 4.0;
        // Of four, Student's distribution is √3 times as wide.
        3.0 * values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 12.0
    };
    for (disorders, seeds) in [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.1, 2.0)] {
        let (found, values) = error(disorders, seeds);
        let wanted = disorders * disorders * spread(by_disorder) + seeds * seeds * spread(by_seed);
        assert!((found.error - wanted.sqrt()).abs() < 1e-9, "{disorders} {seeds}: {found:?}, not {}", wanted.sqrt());
        // At one time it is the same.
        let at_once = over_members(&crossed(&values), 0, 0, false);
        assert_eq!((at_once.0, at_once.1), (found.mean, found.error));
    }
    // Three disorders tell nothing, nor does one seed; and 4 are few for what is made of several means.
    let (_, values) = error(1.0, 1.0);
    let three = Combination::Mean.estimate(&crossed(&values[..3]), 0);
    assert_eq!(three.unknown, Some(Unknown::Shared { seeds: 4, disorders: 3, fewest: FEWEST_MEMBERS }));
    let mut one = crossed(&values);
    one.retain(|member| member.seed == 2);
    let one = Combination::Mean.estimate(&one, 0);
    assert!(
        one.error.is_nan() && one.unknown == Some(Unknown::Shared { seeds: 1, disorders: 4, fewest: FEWEST_MEMBERS })
    );
    let fluctuation = Combination::Fluctuation.estimate(&crossed(&values), 0).unknown;
    assert_eq!(fluctuation, Some(Unknown::Shared { seeds: 4, disorders: 4, fewest: FEWEST_COMBINED }));
}

#[test]
fn equal_members_have_an_error_only_where_nothing_is_drawn() {
    let mut four = point(&[&[1.0, 2.0], &[1.0, 2.0], &[1.0, 2.0], &[1.0, 2.0]]);
    let of = |four: &[Member<'_>]| Combination::Mean.estimate(four, 0);
    assert_eq!((of(&four).mean, of(&four).unknown), (1.5, Some(Unknown::Equal)));
    assert!(over_independent([1.0; 4].into_iter(), false).1.is_nan());
    four.iter_mut().for_each(|member| member.is_certain = true);
    assert_eq!((of(&four).mean, of(&four).error, of(&four).unknown), (1.5, 0.0, None));
    assert_eq!(over_independent([1.0; 4].into_iter(), true), (1.0, 0.0));
    // A curve that is equal at one place has an error still.
    let at = |x: f64, values: [f64; 4]| (x, point(&values.each_ref().map(std::slice::from_ref)));
    let law = power_law(
        &[at(1.0, [1.0; 4]), at(2.0, [2.0, 2.1, 1.9, 2.0]), at(4.0, [4.0, 4.1, 4.1, 3.9])],
        Combination::Mean,
    );
    assert!(law.unwrap().exponent_error > 0.0);
}

/// One per cent of the variance has nearly all of the autocorrelation time.
#[test]
fn what_is_slow_and_small_is_found_under_noise() {
    let slow = |length: usize, share: f64, seed: u64| -> Vec<f64> {
        let (noise, slow) = (autoregressive(0.0, length, seed), autoregressive(0.99, length, seed + 1));
        // Of variance 1 / (1 - 0.99²).
        noise.iter().zip(slow).map(|(noise, slow)| noise + share * slow * (1.0f64 - 0.99 * 0.99).sqrt()).collect()
    };
    let tau = 0.5 + 0.01 / 1.01 * 99.0;
    let found = estimate(&[&slow(200_000, 0.1, 5)]);
    assert!((found.tau / tau - 1.0).abs() < 0.25 && found.error > 0.0, "{found:?}, not {tau}");
    let exact = (2.0 * tau * 1.01 / 200_000.0).sqrt();
    assert!((found.error / exact - 1.0).abs() < 0.35, "{found:?}, not {exact}");
    // Eighty slow times are too few, however many samples they are.
    let known = (0..20).filter(|seed| estimate(&[&slow(8000, 0.3, 10 + 2 * seed)]).error.is_finite()).count();
    assert!(known <= 2, "{known} of 20");
}

/// The fluctuation of two-sided values is not known better than by the number of members, whichever side most of them are on.
#[test]
fn fluctuations_of_two_peaks_have_the_error_of_a_square() {
    for more in [64, 65, 68, 76] {
        let sides: Vec<[f64; 1]> = (0..128).map(|member| [if member < more { 1.0 } else { -1.0 }]).collect();
        let found =
            Combination::Fluctuation.estimate(&point(&sides.iter().map(<[f64; 1]>::as_slice).collect::<Vec<_>>()), 0);
        let least = std::f64::consts::SQRT_2 / 128.0;
        assert!(found.mean <= 1.0 && found.error > 0.9 * least && found.error < 6.0 * least, "{more}: {found:?}");
    }
}

/// How far the means of disorders lie apart is no part of a fluctuation, and short series of each have no bias.
#[test]
fn fluctuations_are_those_within_systems() {
    let of = |phi: f64, members: u64, length: usize, per_system: u64| -> Estimate {
        let member = |seed: u64| {
            let shift = 1e9 + 3.0 * ((seed / per_system) % 7) as f64;
            let series = autoregressive(phi, length, 77 + seed).iter().map(|x| x + shift).collect();
            Member { system: (0, seed / per_system), ..Member::new(seed, vec![Cow::Owned(series)]) }
        };
        Combination::Fluctuation.estimate(&(0..members).map(member).collect::<Vec<_>>(), 0)
    };
    for (phi, members, length, per_system) in
        [(0.5, 128, 600, 1), (0.0, 640, 10, 1), (0.8, 400, 200, 2), (0.0, 800, 4, 5)]
    {
        let (found, exact) = (of(phi, members, length, per_system), 1.0 / (1.0 - phi * phi));
        assert!(
            (found.mean - exact).abs() < 3.5 * found.error && found.error < 0.05 * exact,
            "{phi} {length}: {found:?}"
        );
    }
    // One sample of each tells nothing of it.
    let one = of(0.0, 128, 1, 1);
    assert!(one.mean.is_nan() && one.error.is_nan() && one.unknown == Some(Unknown::Inside), "{one:?}");
    // Without disorder all members are of one system.
    let sides: Vec<[f64; 1]> = (0..128).map(|member| [f64::from(member % 2)]).collect();
    let pooled = point(&sides.iter().map(<[f64; 1]>::as_slice).collect::<Vec<_>>());
    assert!((Combination::Fluctuation.estimate(&pooled, 0).mean - 0.25).abs() < 0.01);
}

#[test]
fn values_that_are_no_numbers_say_so() {
    let still = point(&[&[0.0; 8][..]; 4]);
    assert_eq!(Combination::Binder.estimate(&still, 0).unknown, Some(Unknown::NoNumber));
    assert_eq!(
        Combination::Fluctuation.estimate(&point(&[&[1e200, -1e200, 2e200, 0.0][..]; 4]), 0).unknown,
        Some(Unknown::NoNumber)
    );
    // A mean is that of all samples, however blocks divide them.
    let series: Vec<f64> = (0..1201).map(|i| f64::from(u8::from(i % 3 == 0)) + 1e-3 * f64::from(i)).collect();
    let noise = autoregressive(0.0, 1201, 4);
    let series: Vec<f64> = series.iter().zip(noise).map(|(x, noise)| x + 40.0 * noise).collect();
    let mean = series.iter().sum::<f64>() / 1201.0;
    let found = estimate(&[&series]);
    assert!((found.mean - mean).abs() < 1e-12 * 40.0 && found.error > 0.0, "{found:?} {mean}");
}

#[test]
fn fluctuations_of_large_numbers_keep_their_digits() {
    let noise: Vec<Vec<f64>> =
        (0..128).map(|seed| autoregressive(0.0, 100, seed).iter().map(|x| x + 1e12).collect()).collect();
    let found = Combination::Fluctuation.estimate(&point(&noise.iter().map(Vec::as_slice).collect::<Vec<_>>()), 0);
    assert!((found.mean - 1.0).abs() < 4.0 * found.error && found.error < 0.05, "{found:?}");
}
