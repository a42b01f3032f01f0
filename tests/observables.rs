//! Observables that compute: each against the values of all cells, on the oracle and on the CPU.

use squeeze::{Backend, ObservedValue, Simulation, resolve};
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
            let variance = |values: &[f64]| mean(&squares(values)) - mean(values).powi(2);
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
            assert_eq!(simulation.stops(&observed).expect("a bit"), m > 0.4 && step >= 2);
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
