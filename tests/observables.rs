//! Observables that compute: each against the values of all cells, on the oracle and on the CPU.

use squeeze::{Backend, Domain, Fractal, Member, ObservedValue, Simulation, resolve};
use squeeze_tests::course::library;
use squeeze_tests::masks::mask;
use std::sync::Arc;

const RULE: &str = "
rule r {
    param shift: f32 = 0.25
    state up: bit
    state n: u8
    state u: f32
    init up = random(0.3)
    init n = u8(below(200))
    init u = uniform(-1, 1)
    let right = up[1, 0] else false
    let pairs = count(von_neumann, nb.right)
    next u = u * 0.5 + shift
    next n = n + 1
    observe ups = sum(up)
    observe share = f64(ups) / f64(cells)
    observe m = mean(u)
    observe spread = variance(u)
    observe numbers = variance(n)
    observe bins = histogram(u, -1, 1, 4)
    observe ends = histogram(n, 50, 150, 2)
    observe pair = [sum(up && right), mean(u * u), f64(step) * shift]
    observe along = sum(pairs)
    observe blocks = mean(u) by level 2
    observe twice = blocks * 2.0 + m
    observe highest = max(n) by level 1
    observe whole = sum(n) by level 3
    observe sign = if m < 0.0 { -1 } else { max(ups % 7, 2) }
    stop when m > 0.4 && step >= 2
}
";

fn simulation(backend: Backend) -> Simulation {
    let rule = library(RULE).rules.pop().expect("one");
    let fractal = squeeze::resolve::fractal("sierpinski_carpet").expect("it ships");
    Simulation::builder(fractal, Arc::clone(&rule)).level(3).seed(5).backend(backend).build().expect("it runs")
}

/// The numbers of an observable.
fn numbers(observed: &[(&str, ObservedValue)], name: &str) -> Vec<f64> {
    let (_, value) = observed.iter().find(|(known, _)| *known == name).expect("it is observed");
    let number = |value: &ObservedValue| match value {
        ObservedValue::Integer(value) => *value as f64,
        ObservedValue::Float(value) => *value,
        ObservedValue::List(_) => panic!("a list of lists"),
    };
    value.numbers().iter().map(number).collect()
}

fn close(found: &[f64], wanted: &[f64]) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * (1.0 + b.abs());
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(near), "{found:?}, not {wanted:?}");
}

#[test]
fn every_observable_is_what_its_definition_says() {
    for backend in [Backend::Reference, Backend::Cpu] {
        let mut simulation = simulation(backend);
        for step in 0..3 {
            let values = |name: &str| -> Vec<f64> {
                (0..512).map(|c| simulation.value(name, c).expect("a value").as_f64()).collect()
            };
            let (up, n, u) = (values("up"), values("n"), values("u"));
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let squares = |values: &[f64]| values.iter().map(|v| v * v).collect::<Vec<_>>();
            let variance = |values: &[f64]| {
                let about = mean(values);
                mean(&values.iter().map(|v| (v - about).powi(2)).collect::<Vec<_>>())
            };
            let histogram = |values: &[f64], low: f64, high: f64, bins: usize| {
                let mut counts = vec![0.0; bins];
                for value in values {
                    let bin = ((value - low) * bins as f64 / (high - low)).floor();
                    counts[bin.clamp(0.0, bins as f64 - 1.0) as usize] += 1.0;
                }
                counts
            };
            let (m, ups) = (mean(&u), up.iter().sum::<f64>());
            let by = |values: &[f64], cells: usize, of: &dyn Fn(&[f64]) -> f64| -> Vec<f64> {
                values.chunks(cells).map(of).collect()
            };
            let observed = simulation.observe().expect("observables");
            let is = |name: &str, wanted: &[f64]| close(&numbers(&observed, name), wanted);
            is("ups", &[ups]);
            is("share", &[ups / 512.0]);
            is("m", &[m]);
            is("spread", &[variance(&u)]);
            is("numbers", &[variance(&n)]);
            is("bins", &histogram(&u, -1.0, 1.0, 4));
            is("ends", &histogram(&n, 50.0, 150.0, 2));
            is("blocks", &by(&u, 64, &mean));
            is("twice", &by(&u, 64, &|values| 2.0 * mean(values) + m));
            is("highest", &by(&n, 8, &|values| values.iter().copied().fold(0.0, f64::max)));
            is("whole", &by(&n, 512, &|values| values.iter().sum()));
            is("sign", &[if m < 0.0 { -1.0 } else { (ups % 7.0).max(2.0) }]);
            let pair = numbers(&observed, "pair");
            close(&pair[1..], &[mean(&squares(&u)), f64::from(step) * 0.25]);
            // Each pair of neighbours on a row is seen from four sides at most, and from one at least.
            assert!(pair[0] > 0.0 && pair[0] < ups && numbers(&observed, "along")[0] > pair[0]);
            assert_eq!(simulation.judge().expect("a bit").1, m > 0.4 && step >= 2);
            simulation.step(1).expect("a step");
        }
    }
}

#[test]
fn both_backends_observe_the_same() {
    let [mut one, mut other] = [Backend::Reference, Backend::Cpu].map(simulation);
    for _ in 0..3 {
        assert_eq!(one.observe().expect("observables"), other.observe().expect("observables"));
        one.step(1).expect("a step");
        other.step(1).expect("a step");
    }
}

/// Sums over cells by the definition, and nothing else: each k of one digit from left to right, then those of the next.
fn folded(mut values: Vec<f64>, ks: &[u64]) -> f64 {
    for k in ks {
        values = values.chunks(*k as usize).map(|chunk| chunk.iter().fold(0.0, |sum, value| sum + value)).collect();
    }
    values[0]
}

/// `variance(e)` of floats or whole numbers by the definition: two passes, both folded as floats are.
fn variance_of(values: &[f64], whole: bool, ks: &[u64]) -> f64 {
    let cells = values.len() as f64;
    let sum = if whole { values.iter().map(|v| *v as i64).sum::<i64>() as f64 } else { folded(values.to_vec(), ks) };
    let mean = sum / cells;
    folded(values.iter().map(|v| (v - mean) * (v - mean)).collect(), ks) / cells
}

const SPREADS: &str = "
rule spreads {
    param base: f64 = 300.0
    state up: bit
    state n: u8
    state k: i32
    state u: f32
    state v: f64
    init up = random(0.3)
    init n = u8(below(256))
    init k = i32(bits())
    init u = uniform(-1.0, 1.0)
    init v = base + 1e-6 * f64(uniform())
    next up = any(von_neumann, nb.up) && random(0.7)
    next u = u * 0.5 + 0.1 * sum(von_neumann, nb.u)
    next v = v + 1e-7 * f64(u[1, 0] else 0.25)
    next k = k + i32(n)
    observe of_up = variance(up)
    observe of_n = variance(n)
    observe of_k = variance(k)
    observe of_u = variance(u)
    observe of_v = variance(v)
    observe more = [variance(sum(von_neumann, nb.u)) / variance(u), sqrt(variance(v)), mean(v) * f64(step)]
}
rule parts {
    state k: i32
    state v: f64
    init k = i32(bits()) + x
    init v = 1e6 + f64(uniform())
    next v = v * 0.75
    next k = k + 1
    observe of_v = variance(v) by level 1
    observe of_k = variance(k) by level 2
    observe cells_alone = variance(v) by level 0
    observe together = variance(v)
}
rule driven {
    state v: f64
    state seen: f64
    global spread = variance(v)
    init v = 5.0 + 1e-7 * f64(normal())
    init seen = 0.0
    next v = v + spread
    next seen = spread
    observe of_v = variance(v)
    observe last = max(seen)
}
rule tiny {
    flush
    state u: f32
    state v: f64
    init u = 1e-38 * uniform(1.0, 4.0)
    init v = 1e-160 * f64(uniform(-1.0, 1.0))
    next u = u * 0.5
    next v = v * 0.5
    observe of_u = variance(u)
    observe of_v = variance(v)
}
";

fn of(name: &str) -> Arc<squeeze::Rule> {
    Arc::clone(library(SPREADS).rules.iter().find(|rule| rule.name == name).expect("one"))
}

/// Fractals and masks with their levels, and how many values each fold of theirs takes.
fn grounds() -> Vec<(Arc<Fractal>, u32, Vec<u64>)> {
    let shipped =
        [("sierpinski_triangle", 6), ("vicsek", 4), ("sierpinski_carpet", 3), ("lace", 4), ("full_square", 0)];
    let mut grounds: Vec<_> =
        shipped.iter().map(|(name, level)| (resolve::fractal(name).expect("it ships"), *level, Vec::new())).collect();
    grounds.extend(["ragged_torus", "sparse", "thin", "cluster", "column"].map(|name| (mask(name), 1, Vec::new())));
    for (fractal, level, ks) in &mut grounds {
        let domain = Domain::new(Arc::clone(fractal), *level).expect("small");
        if domain.levels().is_none() {
            let mut left = domain.cells();
            while left > 1 {
                ks.push(32);
                left = left.div_ceil(32);
            }
        } else {
            ks.extend((1..=*level).map(|mu| fractal.pattern(mu).k()));
        }
    }
    grounds
}

#[test]
fn variance_is_the_mean_square_about_the_mean_to_the_bit() {
    let rule = of("spreads");
    for (fractal, level, ks) in grounds() {
        let builder = |backend| {
            let builder = Simulation::builder(Arc::clone(&fractal), Arc::clone(&rule)).level(level).seed(5);
            builder.backend(backend).threads(2)
        };
        let mut all = vec![builder(Backend::Reference), builder(Backend::Cpu)];
        if Domain::new(Arc::clone(&fractal), level).expect("small").levels().is_none() {
            all.push(builder(Backend::Cpu).packed(true));
        }
        let mut all: Vec<Simulation> = all.into_iter().map(|builder| builder.build().expect("it runs")).collect();
        for _ in 0..3 {
            let wanted = format!("{:?}", all[0].observe().expect("observables"));
            for simulation in &mut all {
                let observed = simulation.observe().expect("observables");
                assert_eq!(format!("{observed:?}"), wanted, "{} on {}", simulation.strategy(), fractal.name);
                for (state, whole) in [("up", true), ("n", true), ("k", true), ("u", false), ("v", false)] {
                    let cells = 0..simulation.domain().cells();
                    let values: Vec<f64> =
                        cells.map(|c| simulation.value(state, c).expect("a value").as_f64()).collect();
                    let found = numbers(&observed, &format!("of_{state}"))[0];
                    let defined = variance_of(&values, whole, &ks);
                    assert_eq!(
                        found.to_bits(),
                        defined.to_bits(),
                        "{state} on {}: {found:e}, {defined:e}",
                        fractal.name
                    );
                }
                simulation.step(1).expect("a step");
            }
        }
    }
}

#[test]
fn a_small_spread_about_a_large_mean_is_seen() {
    let text = "rule offset {
        param base: f64 = 300.0
        param small: f64 = 1e-6
        state u: f64
        init u = base + (if (x + y) % 2 == 0 { small } else { -small })
        next u = u
        observe spread = variance(u)
    }
    rule wide {
        state h: i32
        init h = 2000000000 + (x + y) % 2
        next h = h + 1
        observe spread = variance(h)
    }";
    let rules = library(text).rules;
    for backend in [Backend::Reference, Backend::Cpu] {
        for (rule, wanted) in rules.iter().zip([1e-12, 0.25]) {
            let square = resolve::fractal("full_square").expect("it ships");
            let simulation = Simulation::builder(square, Arc::clone(rule)).level(4).backend(backend).build().unwrap();
            let found = numbers(&simulation.observe().unwrap(), "spread")[0];
            assert!((found / wanted - 1.0).abs() < 1e-6, "{found:e}, not {wanted:e}");
        }
    }
}

#[test]
fn variances_by_level_of_globals_and_of_what_is_flushed() {
    for (fractal, level, ks) in grounds() {
        let domain = Domain::new(Arc::clone(&fractal), level).expect("small");
        for name in ["parts", "driven", "tiny"] {
            let rule = of(name);
            if domain.admits(&rule).is_err() {
                continue;
            }
            let mut both = [Backend::Reference, Backend::Cpu].map(|backend| {
                let builder = Simulation::builder(Arc::clone(&fractal), Arc::clone(&rule)).level(level).seed(9);
                builder.backend(backend).threads(2).build().expect("it runs")
            });
            let mut before = f64::NAN;
            for step in 0..4 {
                let seen = both.each_ref().map(|simulation| simulation.observe().expect("observables"));
                assert_eq!(seen[0], seen[1], "{name} on {}, step {step}", fractal.name);
                let simulation = &both[1];
                let cells = 0..domain.cells();
                let values: Vec<f64> = cells.map(|c| simulation.value("v", c).expect("a value").as_f64()).collect();
                if name == "parts" {
                    let of_part = ks[0] as usize;
                    let parts: Vec<f64> =
                        values.chunks(of_part).map(|part| variance_of(part, false, &ks[..1])).collect();
                    assert_eq!(numbers(&seen[1], "of_v"), parts);
                    assert!(numbers(&seen[1], "cells_alone").iter().all(|v| *v == 0.0));
                }
                if name == "driven" {
                    if step > 0 {
                        assert_eq!(numbers(&seen[1], "last"), [before]);
                    }
                    before = variance_of(&values, false, &ks);
                    assert_eq!(numbers(&seen[1], "of_v"), [before]);
                }
                both.iter_mut().for_each(|simulation| simulation.step(1).expect("a step"));
            }
        }
    }
}

#[test]
fn members_have_variances_of_their_own() {
    let rule = of("tiny");
    let members = |backend| {
        let triangle = resolve::fractal("sierpinski_triangle").expect("it ships");
        let builder = Simulation::builder(triangle, Arc::clone(&rule)).level(4).backend(backend).threads(2);
        builder.members((0..40).map(Member::new).collect::<Vec<_>>()).build().expect("it runs")
    };
    let mut both = [Backend::Reference, Backend::Cpu].map(members);
    for _ in 0..2 {
        let [one, other] = both.each_ref().map(|ensemble| format!("{:?}", ensemble.observe().expect("observables")));
        assert_eq!(one, other);
        both.iter_mut().for_each(|ensemble| ensemble.step(1).expect("a step"));
    }
}

const ORDERED: &str = "
const low = 0.125
rule ordered {
    state up: bit
    state n: u8
    state h: u16
    state k: i32
    state w: u32
    state l: i64
    state u: f32
    state v: f64
    init up = random(0.3)
    init n = u8(below(256))
    init h = u16(below(65536))
    init k = i32(bits())
    init w = bits()
    init l = i64(bits()) * i64(bits()) * (if random(0.5) { 1 } else { -1 })
    init u = uniform(-1.0, 1.0)
    init v = if random(0.3) { 0.0 } else { 1e-300 * f64(normal()) }
    next u = u * 0.5 + 0.1 * sum(von_neumann, nb.u)
    next n = n / 2
    next v = v * -1e100
    observe of_up = median(up)
    observe of_n = median(n)
    observe of_h = quantile(h, low)
    observe of_k = quantile(k, 0.9)
    observe of_w = quantile(w, 0)
    observe of_l = quantile(l, 1.0 / 3.0)
    observe of_u = median(u)
    observe of_v = quantile(v, 0.7)
    observe more = [median(u * u) - median(u), quantile(u, 1.0) - max(u), variance(u), quantile(u, 0.999), quantile(u, 0.999)]
}
rule steered {
    flush
    state v: f32
    state seen: f64
    global middle = median(v)
    global high once = quantile(v, 0.75)
    init v = if random(0.2) { 0.0 } else { 1e-37 * uniform(-1.0, 1.0) }
    init seen = 0.0
    next v = v * 0.5 + f32(middle)
    next seen = middle - high
    observe of_v = quantile(v, 0.4)
    observe spread = variance(v)
    observe last = max(seen)
}
rule odd {
    state v: f64
    state w: f32
    init v = if x == 1 { log(-1.0) } else { 1.0 }
    init w = if x < 3 { -1.0 / 0.0 } else { 1.0 / 0.0 }
    next v = f64(w)
    next w = f32(v) * -0.0
    observe of_v = median(v)
    observe of_w = [median(w), quantile(w, 0.0), quantile(w, 1.0), quantile(w, 0.01)]
}
";

/// The quantile by numpy's definition of numbers.
fn quantile_of(mut values: Vec<f64>, share: f64) -> f64 {
    if values.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    values.sort_by(f64::total_cmp);
    let place = share * (values.len() - 1) as f64;
    let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
    let part = place - place.floor();
    let between = match part {
        part if part < 0.5 => low + (high - low) * part,
        part => high - (high - low) * (1.0 - part),
    };
    // Where both are infinite, or it lies on the first, there is nothing between.
    if low == high || part == 0.0 { low } else { between }
}

#[test]
fn quantiles_are_those_of_sorted_values() {
    let rules = library(ORDERED).rules;
    for (fractal, level, _) in grounds().into_iter().step_by(4) {
        let domain = Domain::new(Arc::clone(&fractal), level).expect("small");
        for rule in &rules {
            let builder = |backend| {
                let builder = Simulation::builder(Arc::clone(&fractal), Arc::clone(rule)).level(level).seed(5);
                builder.backend(backend).threads(2)
            };
            let mut all = vec![builder(Backend::Reference), builder(Backend::Cpu)];
            if domain.levels().is_none() {
                all.push(builder(Backend::Cpu).packed(true));
            }
            let mut all: Vec<Simulation> = all.into_iter().map(|builder| builder.build().expect("it runs")).collect();
            for step in 0..2 {
                let wanted = format!("{:?}", all[0].observe().expect("observables"));
                for simulation in &mut all {
                    let what = format!("{} of {} on {}, step {step}", simulation.strategy(), rule.name, fractal.name);
                    let observed = simulation.observe().expect("observables");
                    assert_eq!(format!("{observed:?}"), wanted, "{what}");
                    let shares: &[(&str, f64)] = match rule.name.as_str() {
                        "ordered" => &[
                            ("up", 0.5),
                            ("n", 0.5),
                            ("h", 0.125),
                            ("k", 0.9),
                            ("w", 0.0),
                            ("l", 1.0 / 3.0),
                            ("u", 0.5),
                            ("v", 0.7),
                        ],
                        "steered" => &[("v", 0.4)],
                        _ => &[("v", 0.5), ("w", 0.5)],
                    };
                    for (state, share) in shares {
                        let cells = 0..domain.cells();
                        let value = |c| simulation.value(state, c).expect("a value").as_f64();
                        let defined = quantile_of(cells.map(value).collect(), *share);
                        let found = numbers(&observed, &format!("of_{state}"))[0];
                        let is_same = found == defined || found.is_nan() && defined.is_nan();
                        assert!(is_same, "{state}: {found:e}, not {defined:e}: {what}");
                    }
                    simulation.step(1).expect("a step");
                }
            }
        }
    }
}

#[test]
fn quantiles_of_few_numbers_are_what_numpy_says() {
    let text = "rule few {
        state u: f32
        init u = f32(x + 2 * y) * f32(x + 2 * y)
        next u = u
        observe all = [median(u), quantile(u, 0.1), quantile(u, 0.9), quantile(u, 0.0), quantile(u, 1.0)]
    }";
    let rule = Arc::clone(&library(text).rules[0]);
    for backend in [Backend::Reference, Backend::Cpu] {
        let square = resolve::fractal("full_square").expect("it ships");
        let simulation = Simulation::builder(square, Arc::clone(&rule)).level(1).backend(backend).build().unwrap();
        // numpy.quantile([0, 1, 4, 9], [0.5, 0.1, 0.9, 0, 1])
        let wanted = [2.5, 0.300_000_000_000_000_04, 7.500_000_000_000_001, 0.0, 9.0];
        assert_eq!(numbers(&simulation.observe().unwrap(), "all"), wanted);
    }
}

#[test]
fn members_have_medians_of_their_own() {
    let rule = Arc::clone(library(ORDERED).rules.iter().find(|rule| rule.name == "steered").expect("one"));
    let members = |backend| {
        let triangle = resolve::fractal("sierpinski_triangle").expect("it ships");
        let builder = Simulation::builder(triangle, Arc::clone(&rule)).level(4).backend(backend).threads(2);
        builder.members((0..70).map(Member::new).collect::<Vec<_>>()).build().expect("it runs")
    };
    let mut both = [Backend::Reference, Backend::Cpu].map(members);
    for _ in 0..2 {
        let [one, other] = both.each_ref().map(|ensemble| format!("{:?}", ensemble.observe().expect("observables")));
        assert_eq!(one, other);
        both.iter_mut().for_each(|ensemble| ensemble.step(1).expect("a step"));
    }
}

#[test]
fn a_nan_is_in_no_bin() {
    let text = "rule bins {
        state u: f32
        state v: f64
        init u = if x == 1 { log(-1.0) } else if x == 2 { 1.0 / 0.0 } else { f32(x) * 0.1 }
        init v = f64(u)
        next u = u
        next v = v * 0.5
        observe of_u = histogram(u, 0.0, 1.0, 4)
        observe of_v = histogram(v, 0.0, 1.0, 1)
        observe nans = count(!(u >= 0.0))
    }";
    let rule = Arc::clone(&library(text).rules[0]);
    for (fractal, level) in [(resolve::fractal("sierpinski_carpet").unwrap(), 2), (mask("ragged_torus"), 1)] {
        for backend in [Backend::Reference, Backend::Cpu] {
            let builder = Simulation::builder(Arc::clone(&fractal), Arc::clone(&rule)).level(level).backend(backend);
            let simulation = builder.build().expect("it runs");
            let observed = simulation.observe().expect("observables");
            let cells = simulation.domain().cells() as f64;
            let nans = numbers(&observed, "nans")[0];
            assert!(nans > 0.0);
            assert_eq!(numbers(&observed, "of_u").iter().sum::<f64>(), cells - nans);
            assert_eq!(numbers(&observed, "of_v"), [cells - nans]);
        }
    }
}

#[test]
fn uniform_between_two_numbers_is_less_than_the_second() {
    let text = "rule between {
        param low: f32 = 1000.0
        param high: f32 = 1001.0
        state a: f32
        state b: f32
        state same: f32
        init a = uniform(1000.0, 1001.0)
        init b = uniform(low, high)
        init same = uniform(high, high)
        next a = a
        observe of_a = max(a)
        observe of_b = max(b)
        observe of_same = [min(same), max(same)]
    }";
    let rule = Arc::clone(&library(text).rules[0]);
    for backend in [Backend::Reference, Backend::Cpu] {
        let square = resolve::fractal("full_square").expect("it ships");
        let builder = Simulation::builder(square, Arc::clone(&rule)).level(9).seed(3).backend(backend);
        let simulation = builder.build().expect("it runs");
        let observed = simulation.observe().expect("observables");
        let below = f64::from(1001f32.next_down());
        assert_eq!([numbers(&observed, "of_a"), numbers(&observed, "of_b")], [[below], [below]]);
        assert_eq!(numbers(&observed, "of_same"), [1001.0, 1001.0]);
    }
}
