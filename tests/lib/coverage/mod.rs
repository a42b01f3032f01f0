//! Whether errors hold: kinds of results on series whose answers are known, each computed many times over.
//!
//! χ² is the mean of ((value − answer) / error)² over the times at which an error was printed; it is 1 for errors that are right.

mod hard;
mod rules;

pub use hard::{Hard, hard, title_of_hard};
pub use rules::rules;

use squeeze::statistics::{Combination, FEWEST_COMBINED, Member, Point, crossing, jackknife, power_law};
use std::borrow::Cow;
use std::fmt::Write;

/// One kind of result: a row of `RESULTS` in a column of `SERIES`.
pub struct Kind {
    result: Result,
    series: Series,
}

/// An estimator: its name, whether points share their seeds, and the function.
type Result = (&'static str, &'static str, Compute);

/// The data: members, samples of each, and their autocorrelation time in samples.
type Series = (usize, usize, f64);

/// Results of all sorts. Points with seeds of their own are independent; those that share them correlate by 0.94.
const RESULTS: [Result; 11] = [
    ("mean", "–", mean),
    ("ratio", "–", ratio),
    ("fluctuation", "–", fluctuation),
    ("Binder cumulant", "–", binder),
    ("crossing of means", "own", crossing_of_means),
    ("crossing of means", "shared", crossing_of_means),
    ("crossing of Binder cumulants", "own", crossing_of_cumulants),
    ("crossing of Binder cumulants", "shared", crossing_of_cumulants),
    ("power law over a parameter", "own", law_over_a_parameter),
    ("power law over a parameter", "shared", law_over_a_parameter),
    ("power law over time", "shared", law_over_time),
];

/// One member and sixteen, each with independent samples, with samples that remember ten others, and with a value that hardly moves; and many
/// of these.
const SERIES: [Series; 7] =
    [(1, 4000, 0.5), (1, 4000, 10.0), (1, 300, 1e4), (16, 300, 0.5), (16, 300, 10.0), (16, 300, 1e4), (128, 30, 1e4)];

/// All kinds: each result of each series.
pub fn kinds() -> impl Iterator<Item = Kind> {
    RESULTS.into_iter().flat_map(|result| SERIES.map(|series| Kind { result, series }))
}

/// A result of a kind, by the number of the repetition: how far it is from the answer, and its error, if there is one.
type Compute = fn(&Kind, u64) -> (f64, Option<f64>);

/// The results of many repetitions of a kind.
pub struct Coverage {
    /// How often an error was printed, in parts of all.
    pub printed: f64,
    /// χ² for each repetition with an error.
    pub chi_square: f64,
    /// In which part of these times the answer lies within one error, and within two.
    pub within: [f64; 2],
}

impl Coverage {
    /// Of something that is computed `times` times.
    fn of(times: u64, compute: impl Fn(u64) -> (f64, Option<f64>)) -> Coverage {
        let scores = (0..times).filter_map(|time| {
            let (deviation, error) = compute(1 + time);
            error.map(|error| (deviation / error).powi(2))
        });
        let scores: Vec<f64> = scores.collect();
        let printed = scores.len() as f64;
        let within = |errors: f64| scores.iter().filter(|score| **score <= errors * errors).count() as f64 / printed;
        Coverage {
            printed: printed / times as f64,
            chi_square: scores.iter().sum::<f64>() / printed,
            within: [1.0, 2.0].map(within),
        }
    }
}

impl Kind {
    /// Computes it `times` times.
    pub fn cover(&self, times: u64) -> Coverage {
        Coverage::of(times, |time| (self.result.2)(self, time))
    }

    /// Its name.
    pub fn name(&self) -> String {
        let ((what, seeds, _), (members, samples, tau)) = (self.result, self.series);
        format!("{what}, seeds {seeds}, {members} × {samples} samples with τ = {tau}")
    }

    /// Whether there is an error: not from one member that is too short, and of what is made of several means not from a few that hardly move; not of
    /// where curves of these cross even from many. Over time one member has none.
    pub fn has_error(&self) -> bool {
        let ((what, ..), (members, samples, tau)) = (self.result, self.series);
        let moves = (members * samples) as f64 > 160.0 * tau;
        match what {
            "power law over time" => members > 1,
            "crossing of Binder cumulants" => moves,
            "Binder cumulant" | "fluctuation" | "ratio" => moves || members > 100,
            _ => moves || members > 1,
        }
    }

    fn shares_seeds(&self) -> bool {
        self.result.1 == "shared"
    }
}

/// The title of the table: the estimated quantities, and their series.
pub fn title() -> String {
    let of = |(members, samples, tau): Series| format!("| {members} × {samples}, τ {tau} ");
    format!("| result | seeds {}|", SERIES.map(of).concat())
}

/// The text of a kind's cell in the table: χ² for each time, and in which parts of all if an error is not always printed.
pub fn cell(found: &Coverage) -> String {
    let Coverage { printed, chi_square, .. } = *found;
    match (100.0 * printed).round() {
        0.0 => "–".to_owned(),
        100.0 => format!("{chi_square:.2}"),
        part => format!("{chi_square:.2} ({part}%)"),
    }
}

/// A table of all kinds, as it stands in the manual.
pub fn table(times: u64) -> String {
    let mut text = format!("{}\n|---|---|{}", title(), "---|".repeat(SERIES.len()));
    for (number, kind) in kinds().enumerate() {
        if number % SERIES.len() == 0 {
            write!(text, "\n| {} | {} |", kind.result.0, kind.result.1).expect("text");
        }
        write!(text, " {} |", cell(&kind.cover(times))).expect("text");
    }
    text + "\n"
}

/// A table of what is hard, as it stands in the manual, and of rules.
pub fn table_of_hard(times: u64) -> String {
    let mut text = format!("{}\n|---|---|---|---|---|\n", title_of_hard());
    for hard in hard().into_iter().chain(rules()) {
        let Coverage { printed, chi_square, within: [one, two] } = hard.cover(times);
        let [printed, one, two] = [printed, one, two].map(|part| format!("{:.0}%", 100.0 * part));
        let numbers =
            if printed == "0%" { "– | – | –".to_owned() } else { format!("{chi_square:.2} | {one} | {two}") };
        writeln!(text, "| {} | {printed} | {numbers} |", hard.name).expect("text");
    }
    text
}

/// Normal numbers by their numbers.
struct Normal(u64);

impl Normal {
    /// The numbers of a repetition, a seed and a purpose.
    fn new(time: u64, seed: u64, purpose: u64) -> Normal {
        let mut own = Normal(time << 40 ^ seed << 20 ^ purpose);
        own.0 = own.word();
        own
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn uniform(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (-53f64).exp2()
    }

    fn next(&mut self) -> f64 {
        let (a, b) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// A series with mean 0, variance 1 and this autocorrelation time, in equilibrium from the start.
    fn series(&mut self, tau: f64, length: usize) -> Vec<f64> {
        let kept = (2.0 * tau - 1.0) / (2.0 * tau + 1.0);
        let mut x = self.next();
        let step = |_| {
            let next = kept * x + (1.0 - kept * kept).sqrt() * self.next();
            std::mem::replace(&mut x, next)
        };
        (0..length).map(step).collect()
    }

    /// A series of ±1 that changes sides at random, with this autocorrelation time.
    fn sides(&mut self, tau: f64, length: usize) -> Vec<f64> {
        let mut side = if self.uniform() < 0.5 { 1.0 } else { -1.0 };
        let step = |_| {
            if self.uniform() < 1.0 / (2.0 * tau + 1.0) {
                side = -side;
            }
            side
        };
        (0..length).map(step).collect()
    }
}

/// A member with one observable.
fn member(seed: u64, series: Vec<f64>) -> Member<'static> {
    Member::new(seed, vec![Cow::Owned(series)])
}

impl Kind {
    /// Noise of each member at a point: a part that points share by its seed and a part of its own, so that points correlate by 0.94.
    fn noise(&self, time: u64, point: u64) -> Vec<(u64, Vec<f64>)> {
        let shared = self.shares_seeds();
        let (members, samples, tau) = self.series;
        let of = |member: u64| {
            let seed = if shared { member } else { 1000 * point + member };
            let mut own = Normal::new(time, seed, 1 + point).series(tau, samples);
            if shared {
                let common = Normal::new(time, seed, 0).series(tau, samples);
                own.iter_mut().zip(common).for_each(|(own, common)| *own = 0.34 * *own + 0.94 * common);
            }
            (seed, own)
        };
        (0..members as u64).map(of).collect()
    }

    /// A point at which the observable is a function of such noise.
    fn point(&self, time: u64, point: u64, of: impl Fn(f64) -> f64) -> Point<'static> {
        let noise = self.noise(time, point).into_iter();
        noise.map(|(seed, series)| member(seed, series.into_iter().map(&of).collect())).collect()
    }

    /// A point of a magnet: ± a with noise, whose Binder cumulant is ⅔ a⁴ / (a² + 1)².
    fn magnet(&self, time: u64, point: u64, square: f64) -> Point<'static> {
        let (_, samples, tau) = self.series;
        let of = |(seed, noise): (u64, Vec<f64>)| {
            let sides = Normal::new(time, seed, 500).sides(tau, samples);
            member(seed, noise.iter().zip(sides).map(|(noise, side)| side * square.sqrt() + noise).collect())
        };
        self.noise(time, point).into_iter().map(of).collect()
    }
}

fn mean(kind: &Kind, time: u64) -> (f64, Option<f64>) {
    let found = Combination::Mean.estimate(&kind.point(time, 0, |x| x + 3.0), 0);
    (found.mean - 3.0, known(found.error))
}

/// ⟨(x + 2)²⟩ / ⟨x + 2⟩.
fn ratio(kind: &Kind, time: u64) -> (f64, Option<f64>) {
    let of = |member: Member<'static>| {
        let squares = member.columns[0].iter().map(|x| x * x).collect();
        Member::new(member.seed, vec![member.columns[0].clone(), Cow::Owned(squares)])
    };
    let point: Point<'_> = kind.point(time, 0, |x| x + 2.0).into_iter().map(of).collect();
    let found = jackknife(&[&point], FEWEST_COMBINED, |means| [means[0][1] / means[0][0]]);
    (found.values[0] - 2.5, found.errors.ok().map(|errors| errors[0]))
}

fn binder(kind: &Kind, time: u64) -> (f64, Option<f64>) {
    let square = 16.0;
    let found = Combination::Binder.estimate(&kind.magnet(time, 0, square), 0);
    (found.mean - 2.0 / 3.0 * (square / (square + 1.0)).powi(2), known(found.error))
}

fn fluctuation(kind: &Kind, time: u64) -> (f64, Option<f64>) {
    let found = Combination::Fluctuation.estimate(&kind.point(time, 0, |x| x + 2.0), 0);
    (found.mean - 1.0, known(found.error))
}

const PLACES: [f64; 7] = [0.64, 0.66, 0.68, 0.7, 0.72, 0.74, 0.76];
const CROSSING: f64 = 0.695;

/// Two bent curves with slopes 1 and 3 where they cross.
fn crossing_of_means(kind: &Kind, time: u64) -> (f64, Option<f64>) {
    let curve = |first: u64, slope: f64| -> Vec<Point<'static>> {
        let at = |(i, x): (u64, &f64)| {
            let height = (4.0 * slope * (x - CROSSING)).tanh();
            kind.point(time, first + i, |noise| height + 0.3 * noise)
        };
        (0..).zip(&PLACES).map(at).collect()
    };
    cross([curve(0, 1.0), curve(20, 3.0)], Combination::Mean)
}

/// Binder cumulants of two sizes, both 1/6 where they cross.
fn crossing_of_cumulants(kind: &Kind, time: u64) -> (f64, Option<f64>) {
    let curve = |first: u64, slope: f64| -> Vec<Point<'static>> {
        let at = |(i, x): (u64, &f64)| kind.magnet(time, first + i, (10.0 * slope * (x - CROSSING)).exp());
        (0..).zip(&PLACES).map(at).collect()
    };
    cross([curve(0, 1.0), curve(20, 3.0)], Combination::Binder)
}

fn cross(curves: [Vec<Point<'static>>; 2], combination: Combination) -> (f64, Option<f64>) {
    let curves =
        curves.each_ref().map(|curve| curve.iter().map(|point| combination.select(point, 0)).collect::<Vec<_>>());
    let [first, second] = curves.each_ref().map(|curve| curve.iter().map(Vec::as_slice).collect::<Vec<_>>());
    match crossing(&PLACES, [&first, &second], combination) {
        Some(found) => (found.at - CROSSING, known(found.error)),
        None => (f64::NAN, None),
    }
}

/// 2 x^−1.5 at eight places.
fn law_over_a_parameter(kind: &Kind, time: u64) -> (f64, Option<f64>) {
    let at = |i: u64| {
        let x = 1.5f64.powi(i as i32);
        (x, kind.point(time, i, |noise| 2.0 * x.powf(-1.5) * (1.0 + 0.3 * noise)))
    };
    let law = power_law(&(0..8).map(at).collect::<Vec<_>>(), Combination::Mean);
    law.map_or((f64::NAN, None), |law| (law.exponent + 1.5, known(law.exponent_error)))
}

/// 2 t^−0.8 at ten times in each of four decades: what a member has too much at one time it has at the next ones, of which it remembers as many as of
/// samples.
fn law_over_time(kind: &Kind, time: u64) -> (f64, Option<f64>) {
    const TIMES: usize = 40;
    let (members, _, tau) = kind.series;
    let series: Vec<Vec<f64>> = (0..members as u64).map(|seed| Normal::new(time, seed, 0).series(tau, TIMES)).collect();
    let at = |i: usize| {
        let t = 10f64.powf(i as f64 / 10.0);
        let value = |noise: f64| 2.0 * t.powf(-0.8) * (1.0 + 0.3 * noise);
        (t, (0..).zip(&series).map(|(seed, series)| member(seed, vec![value(series[i])])).collect())
    };
    let law = power_law(&(0..TIMES).map(at).collect::<Vec<_>>(), Combination::Mean);
    law.map_or((f64::NAN, None), |law| (law.exponent + 0.8, known(law.exponent_error)))
}

fn known(error: f64) -> Option<f64> {
    error.is_finite().then_some(error)
}
