//! Figures of measured times.

use super::measure::{LEVELS, Method, RHOS, TENSOR_RHOS};
use super::setup::{Setup, Tier};
use super::store::{Measured, MeasurementKey, Record};
use super::theory::{block_factor, memory_claims};
use squeeze_bench::claim::{A100, Claim, ClaimedFigure, short};
use squeeze_engine::simulation::Backend;
use squeeze_records::chart::{self, ChartAxis, Curve, CurvePoint, Page, Panel, Scale};
use std::collections::BTreeMap;

/// Measurements, and their setup.
pub(crate) struct Times<'a> {
    /// How.
    pub setup: &'a Setup,
    /// The measurements.
    pub records: &'a BTreeMap<MeasurementKey, Record>,
}

/// A number and its standard error.
type WithError = (f64, f64);

/// The ink of `lanes`, after those of the sides of blocks.
const OURS: usize = 6;
/// The inks of curves that Squeeze is compared with: those with dashes.
const BASE: usize = 7;

impl Times<'_> {
    fn found(&self, way: &Method, level: u32) -> Option<&Measured> {
        self.records.get(&(way.name(), level))?.outcome.measured()
    }

    fn time(&self, way: &Method, level: u32) -> Option<WithError> {
        self.found(way, level).map(|found| (found.mean, found.error))
    }

    /// The shortest time of some ways.
    fn best(&self, ways: &[Method], level: u32) -> Option<WithError> {
        ways.iter().filter_map(|way| self.time(way, level)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn on_gpu(&self) -> bool {
        self.setup.backend == Backend::Cuda
    }

    /// Why claims about the papers' sizes cannot be told here.
    fn missing(&self) -> Option<&'static str> {
        match (self.setup.backend, self.setup.tier) {
            (Backend::Cuda, Tier::Full) => None,
            (Backend::Cuda, Tier::Quick) => Some("the quick tier measures small sizes only"),
            _ => Some("needs a GPU: on the CPU there are `lanes` and the reference only"),
        }
    }

    fn curve(&self, name: &str, ink: usize, value: impl Fn(u32) -> Option<WithError>) -> Curve {
        let point = |level: u32| value(level).map(|(y, error)| CurvePoint { x: f64::from(level).exp2(), y, error });
        Curve { name: name.to_owned(), points: (0..=LEVELS[1]).filter_map(point).collect(), ink, marked: true }
    }

    fn micros(&self, name: &str, ink: usize, ways: &[Method]) -> Curve {
        self.curve(name, ink, |level| self.best(ways, level).map(|(mean, error)| (1e6 * mean, 1e6 * error)))
    }

    /// How much faster `fast` is than `slow`.
    fn speedup(&self, name: &str, ink: usize, slow: &[Method], fast: &[Method]) -> Curve {
        self.curve(name, ink, |level| ratio(self.best(slow, level)?, self.best(fast, level)?))
    }

    fn ours(&self) -> Vec<Method> {
        vec![Method::lanes(self.setup)]
    }

    /// The curves of the CPU, without a choice.
    fn on_cpu(&self) -> Vec<Curve> {
        vec![
            self.micros("reference", BASE, &[Method::reference()]),
            self.micros("lanes (this project)", OURS, &self.ours()),
        ]
    }

    fn page(&self, title: &str, panels: Vec<Panel>) -> (String, String) {
        let mut csv = "panel,curve,x,y,error\n".to_owned();
        for panel in &panels {
            for (curve, point) in panel.curves.iter().flat_map(|curve| curve.points.iter().map(move |p| (curve, p))) {
                let error = if point.error.is_finite() { point.error } else { f64::NAN };
                csv.push_str(&format!(
                    "{},{},{:?},{:?},{error:?}\n",
                    panel.y.label,
                    curve.name.replace(',', ";"),
                    point.x,
                    point.y
                ));
            }
        }
        let sizes = match self.setup.tier {
            Tier::Quick => " Small sizes (quick tier): not the papers' protocol.",
            Tier::Full => "",
        };
        let note = format!(
            "Life on the Sierpinski triangle; {}, {}; means of runs, bars are standard errors.{sizes}",
            self.setup.device, self.setup.software
        );
        let columns = panels.len().min(2);
        (chart::sheet(&Page { title: title.to_owned(), note, columns, panels }, None).to_svg(), csv)
    }
}

fn ratio(slow: WithError, fast: WithError) -> Option<WithError> {
    let ratio = slow.0 / fast.0;
    Some((ratio, ratio * ((slow.1 / slow.0).powi(2) + (fast.1 / fast.0).powi(2)).sqrt()))
}

fn sides() -> ChartAxis {
    ChartAxis { label: "side n of the embedding".to_owned(), scale: Scale::Doublings }
}

fn micros(curves: Vec<Curve>) -> Panel {
    let y = ChartAxis { label: "time of a step / µs".to_owned(), scale: Scale::Decades };
    Panel { x: sides(), y, curves, ..Panel::default() }
}

fn speedups(label: &str, scale: Scale, curves: Vec<Curve>) -> Panel {
    let levels = vec![(1.0, "as fast".to_owned())];
    Panel { x: sides(), y: ChartAxis { label: label.to_owned(), scale }, curves, levels, ..Panel::default() }
}

fn boxes() -> Vec<Method> {
    RHOS.map(Method::bounding_box).to_vec()
}

fn lambdas() -> Vec<Method> {
    RHOS.map(Method::lambda).to_vec()
}

fn squeezes() -> Vec<Method> {
    RHOS.map(Method::squeeze).to_vec()
}

fn rho_name(rho: u64) -> String {
    format!("Squeeze ρ = {rho}{}", if TENSOR_RHOS.contains(&rho) { ", tensor cores" } else { "" })
}

/// The first level from which on something holds at all levels up to the last one.
fn from_where(levels: std::ops::RangeInclusive<u32>, holds: impl Fn(u32) -> Option<bool>) -> Option<u32> {
    let last = *levels.end();
    levels.rev().take_while(|level| holds(*level) == Some(true)).last().filter(|_| holds(last) == Some(true))
}

/// Claims of one figure on measured times.
struct Claims<'a> {
    times: &'a Times<'a>,
    figure: &'static str,
    all: Vec<Claim>,
}

impl Claims<'_> {
    /// Adds what was told of a claim, unless it cannot be told here.
    fn add(&mut self, says: &str, told: Option<Claim>) {
        let why = match (self.times.missing(), told) {
            (None, Some(claim)) => return self.all.push(claim),
            (missing, _) => missing.unwrap_or("what it compares does not fit on this device"),
        };
        self.all.push(Claim::not_measured(self.figure, says, A100, why));
    }

    fn truth(&mut self, says: &str, told: Option<(String, bool)>) {
        self.add(says, told.map(|(here, holds)| Claim::new(self.figure, says, A100, here, holds)));
    }

    fn number(&mut self, says: &str, paper: f64, here: Option<f64>, factor: f64) {
        self.add(says, here.map(|here| Claim::number(self.figure, says, A100, (paper, here), factor)));
    }

    /// Says that the last claim was measured on something else.
    fn on(&mut self, hardware: &'static str) {
        if let Some(claim) = self.all.last_mut() {
            claim.hardware = hardware;
        }
    }

    /// From which level on all of `fast` are faster than the best of `slow`; the paper says from 2^`paper` on.
    fn crossing(&mut self, says: &str, paper: u32, fast: &[Method], slow: &[Method]) {
        let times = self.times;
        let faster = |level: u32| {
            let best = times.best(slow, level)?.0;
            fast.iter()
                .map(|way| Some(times.time(way, level)?.0 < best))
                .collect::<Option<Vec<_>>>()
                .map(|all| all.iter().all(|f| *f))
        };
        let found = from_where(0..=LEVELS[0], faster);
        let told = match found {
            Some(level) => (format!("from n = 2^{level} on (held up to 2^{})", paper + 1), level <= paper + 1),
            None => ("not at n = 2^16".to_owned(), false),
        };
        let ratio = found.map(|level| (f64::from(level) - f64::from(paper)).exp2());
        self.truth(says, Some(told));
        if let (Some(claim), None) = (self.all.last_mut(), times.missing()) {
            claim.ratio = ratio;
        }
    }

    /// Which ρ is the best at the largest size.
    fn best_rho(&mut self, says: &str, paper: u64, way: fn(u64) -> Method) {
        let times = RHOS.iter().filter_map(|rho| Some((*rho, self.times.time(&way(*rho), LEVELS[0])?.0)));
        let found = times.min_by(|a, b| a.1.total_cmp(&b.1));
        self.truth(says, found.map(|(rho, _)| (format!("ρ = {rho} at n = 2^16"), rho == paper)));
    }

    /// The largest speedup of `fast` over `slow` with blocks of the same side.
    fn top(
        &mut self,
        says: &str,
        paper: f64,
        rhos: &[u64],
        slow: fn(u64) -> Method,
        fast: fn(u64) -> Method,
        factor: f64,
    ) {
        let times = self.times;
        let of = |rho: &u64| {
            let all =
                (0..=LEVELS[0]).filter_map(|r| Some(times.time(&slow(*rho), r)?.0 / times.time(&fast(*rho), r)?.0));
            all.reduce(f64::max)
        };
        let top = rhos.iter().filter_map(of).reduce(f64::max);
        self.number(says, paper, top, factor);
    }
}

fn claims<'a>(times: &'a Times<'a>, figure: &'static str) -> Claims<'a> {
    Claims { times, figure, all: Vec::new() }
}

fn squeeze_times(times: &Times<'_>, rhos: &[u64]) -> Vec<Curve> {
    let inks = RHOS.iter().zip(0..).filter(|(rho, _)| rhos.contains(rho));
    inks.map(|(&rho, ink)| times.micros(&rho_name(rho), ink, &[Method::squeeze(rho)])).collect()
}

/// The best of the two baselines, Squeeze with each ρ, and ours.
fn all_times(times: &Times<'_>, rhos: &[u64]) -> Vec<Curve> {
    if !times.on_gpu() {
        return times.on_cpu();
    }
    let mut curves =
        vec![times.micros("BB, best ρ", BASE, &boxes()), times.micros("λ(ω), best ρ", BASE + 1, &lambdas())];
    curves.extend(squeeze_times(times, rhos));
    curves.push(times.micros("lanes (this project)", OURS, &times.ours()));
    curves
}

pub(crate) fn execution_times(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let curves = all_times(times, &RHOS);
    let (svg, csv) = times.page("Execution times of the approaches", vec![micros(curves)]);
    let mut claims = claims(times, name);
    claims.crossing(
        "Squeeze with ρ = 16 and 32 is faster than the best BB for n > 2^12",
        13,
        &TENSOR_RHOS.map(Method::squeeze),
        &boxes(),
    );
    let slower =
        (0..=12).filter_map(|r| Some(times.best(&squeezes(), r)?.0 > times.best(&boxes(), r)?.0)).collect::<Vec<_>>();
    let count = slower.iter().filter(|slower| **slower).count();
    let told =
        (!slower.is_empty()).then(|| (format!("slower at {count} of {} levels", slower.len()), count == slower.len()));
    claims.truth("for n ≤ 2^12 every Squeeze is slower than the best BB", told);
    let over = (8..=LEVELS[0]).filter_map(|r| Some(times.best(&squeezes(), r)?.0 / times.best(&lambdas(), r)?.0));
    let over: Vec<f64> = over.collect();
    let (least, most) = over.iter().fold((f64::INFINITY, 0.0f64), |(a, b), v| (v.min(a), v.max(b)));
    let told = (!over.is_empty()).then(|| {
        let text = format!("Squeeze takes {least:.3} to {most:.3} times as long from r = 8 on (held from 0.98 on)");
        (text, least >= 0.98)
    });
    claims.truth("λ(ω) is a lower bound of Squeeze's time", told);
    claims.best_rho("Squeeze is best at ρ = 16", 16, Method::squeeze);
    ClaimedFigure { svg, csv, claims: claims.all }
}

fn speedup_curves(times: &Times<'_>, rhos: &[u64]) -> Vec<Curve> {
    if !times.on_gpu() {
        return vec![times.speedup("lanes over the reference", OURS, &[Method::reference()], &times.ours())];
    }
    let inks = RHOS.iter().zip(0..).filter(|(rho, _)| rhos.contains(rho));
    let mut curves: Vec<Curve> = inks
        .map(|(&rho, ink)| times.speedup(&rho_name(rho), ink, &[Method::bounding_box(rho)], &[Method::squeeze(rho)]))
        .collect();
    curves.push(times.speedup("lanes over the best BB", OURS, &boxes(), &times.ours()));
    curves
}

pub(crate) fn speedup_2022(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let label = if times.on_gpu() { "speedup over BB with the same ρ" } else { "speedup" };
    let (svg, csv) =
        times.page("Speedup of Squeeze over BB", vec![speedups(label, Scale::Decades, speedup_curves(times, &RHOS))]);
    let mut claims = claims(times, name);
    claims.top("up to ~12× with ρ = 1, 2, 4, 8", 12.0, &[1, 2, 4, 8], Method::bounding_box, Method::squeeze, 2.0);
    claims.top("up to ~3.7× with ρ = 16, 32", 3.7, &TENSOR_RHOS, Method::bounding_box, Method::squeeze, 2.0);
    let at =
        |rho: u64, r: u32| Some(times.time(&Method::bounding_box(rho), r)?.0 / times.time(&Method::squeeze(rho), r)?.0);
    let grows: Vec<bool> = RHOS.iter().filter_map(|&rho| Some(at(rho, 8)? < at(rho, LEVELS[0])?)).collect();
    let count = grows.iter().filter(|grows| **grows).count();
    let told = (!grows.is_empty()).then(|| (format!("for {count} of {} ρ", grows.len()), count == grows.len()));
    claims.truth("from n = 2^8 on the speedup grows with n, for every ρ", told);
    claims.number("up to ~3.2×", 3.2, at(16, LEVELS[0]), 2.0);
    claims.on("TITAN RTX");
    ClaimedFigure { svg, csv, claims: claims.all }
}

pub(crate) fn tensor_cores(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let of = |(&rho, ink): (&u64, usize)| {
        times.speedup(&format!("Squeeze ρ = {rho}"), ink, &[Method::squeeze_scalar(rho)], &[Method::squeeze(rho)])
    };
    let curves = if times.on_gpu() { TENSOR_RHOS.iter().zip(4..).map(of).collect() } else { Vec::new() };
    let mut panel = speedups("speedup by tensor cores", Scale::Linear, curves);
    let paper = if name.starts_with("2022") { 1.11 } else { 1.10 };
    panel.levels.push((paper, format!("the paper's best on an A100, {paper}")));
    let title = if times.on_gpu() {
        "Tensor cores over CUDA cores"
    } else {
        "Tensor cores over CUDA cores: no GPU here, nothing measured"
    };
    let (svg, csv) = times.page(title, vec![panel]);
    let mut claims = claims(times, name);
    let says = if name.starts_with("2022") { "up to ~1.11×" } else { "up to 10% faster" };
    claims.top(says, paper, &TENSOR_RHOS, Method::squeeze_scalar, Method::squeeze, 1.15);
    let gains: Vec<bool> = (8..=LEVELS[0])
        .flat_map(|r| {
            TENSOR_RHOS.map(|rho| {
                Some(times.time(&Method::squeeze_scalar(rho), r)?.0 > times.time(&Method::squeeze(rho), r)?.0)
            })
        })
        .flatten()
        .collect();
    let count = gains.iter().filter(|gain| **gain).count();
    let told = (!gains.is_empty())
        .then(|| (format!("faster at {count} of {} sizes and ρ", gains.len()), 2 * count > gains.len()));
    claims.truth("from n = 2^8 on tensor cores make it faster (held if at most sizes)", told);
    if name.starts_with("2022") {
        claims.top("up to ~1.3×", 1.3, &TENSOR_RHOS, Method::squeeze_scalar, Method::squeeze, 1.2);
        claims.on("TITAN V");
    }
    ClaimedFigure { svg, csv, claims: claims.all }
}

pub(crate) fn speedup_2021(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let rhos = &RHOS[1..];
    let label = if times.on_gpu() { "speedup over BB with the same ρ" } else { "speedup" };
    let left = speedups(label, Scale::Decades, speedup_curves(times, rhos));
    let curves = if times.on_gpu() {
        let boxes = rhos
            .iter()
            .zip(BASE + 1..)
            .map(|(&rho, ink)| times.micros(&format!("BB ρ = {rho}"), ink, &[Method::bounding_box(rho)]));
        let mut curves: Vec<Curve> = boxes.collect();
        curves.extend(squeeze_times(times, rhos));
        curves.push(times.micros("lanes (this project)", OURS, &times.ours()));
        curves
    } else {
        times.on_cpu()
    };
    let (svg, csv) = times.page("ν(ω) against BB", vec![left, micros(curves)]);
    let mut claims = claims(times, name);
    claims.top("up to ~10.2× with ρ = 2, 4, 8", 10.2, &[2, 4, 8], Method::bounding_box, Method::squeeze, 2.0);
    claims.top("up to ~2.8× with ρ = 16, 32", 2.8, &TENSOR_RHOS, Method::bounding_box, Method::squeeze, 2.0);
    let at =
        |rho: u64, r: u32| Some(times.time(&Method::bounding_box(rho), r)?.0 / times.time(&Method::squeeze(rho), r)?.0);
    let least = TENSOR_RHOS.iter().flat_map(|&rho| (7..=14).filter_map(move |r| at(rho, r))).reduce(f64::min);
    claims.truth(
        "with ρ = 16, 32 there is a valley below 1",
        least.map(|least| (format!("least {}", short(least)), least < 1.0)),
    );
    claims.best_rho("BB is best at ρ = 32", 32, Method::bounding_box);
    claims.best_rho("ν(ω) is best at ρ = 16", 16, Method::squeeze);
    claims.crossing("from n = 2^13 on the best ν(ω) is faster than the best BB", 13, &[Method::squeeze(16)], &boxes());
    ClaimedFigure { svg, csv, claims: claims.all }
}

pub(crate) fn best_times(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let curves = all_times(times, &RHOS[1..]);
    let (svg, csv) = times.page("The best BB and λ(ω) against ν(ω)", vec![micros(curves)]);
    let mut claims = claims(times, name);
    claims.crossing(
        "from n = 2^13 on ν(ω) with ρ = 8, 16, 32 is faster than the best BB",
        13,
        &[8, 16, 32].map(Method::squeeze),
        &boxes(),
    );
    let slow =
        [2, 4].map(|rho| Some(times.time(&Method::squeeze(rho), LEVELS[0])?.0 > times.best(&boxes(), LEVELS[0])?.0));
    let slow: Option<Vec<bool>> = slow.into_iter().collect();
    let told = slow.map(|slow| {
        (format!("{} of 2 slower at n = 2^16", slow.iter().filter(|s| **s).count()), slow.iter().all(|s| *s))
    });
    claims.truth("with ρ = 2, 4 it is slower than the best BB", told);
    ClaimedFigure { svg, csv, claims: claims.all }
}

pub(crate) fn beyond(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let curves = all_times(times, &[8, 16, 32]);
    let (svg, csv) = times.page("Beyond the sizes of the bounding box", vec![micros(curves)]);
    let mut claims = claims(times, name);
    let reached = |ways: &[Method]| (0..=LEVELS[1]).rev().find(|r| times.best(ways, *r).is_some());
    let of_boxes = reached(&boxes()).map_or("–".to_owned(), |r| format!("2^{r}"));
    let told = reached(&squeezes()).map(|r| (format!("n = 2^{r} (and {of_boxes} for the bounding box)"), r >= 20));
    claims.truth("the compact form reaches n = 2^20, the bounding box 2^16", told);
    let over = |r: u32| Some(times.best(&squeezes(), r)?.0 / times.best(&lambdas(), r)?.0);
    let told = over(12).zip(over(LEVELS[0])).map(|(small, large)| {
        (format!("ν(ω) takes {} of λ(ω)'s time at 2^12, {} at 2^16", short(small), short(large)), large < small)
    });
    claims.truth("with n the compact form approaches the speed of λ(ω)", told);
    ClaimedFigure { svg, csv, claims: claims.all }
}

/// Memory over ρ at r = 16: 2022, Table 2.
pub(crate) fn memory(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let level = LEVELS[0];
    let used =
        |way: &Method, level: u32| times.found(way, level).and_then(|found| found.memory).map(|bytes| bytes as f64);
    let mut factors = vec![
        Curve {
            name: "formula".to_owned(),
            points: RHOS.map(|rho| CurvePoint::new(rho as f64, block_factor(level, rho))).to_vec(),
            ink: BASE,
            marked: true,
        },
        Curve {
            name: "the paper".to_owned(),
            points: RHOS
                .iter()
                .zip([99.8, 74.8, 56.1, 42.1, 31.6, 23.7])
                .map(|(rho, y)| CurvePoint::new(*rho as f64, y))
                .collect(),
            ink: 3,
            marked: true,
        },
    ];
    let squeeze_memory = |rho: u64| used(&Method::squeeze(rho), level);
    let expanded = boxes().iter().filter_map(|way| used(way, level)).reduce(f64::max);
    if let Some(expanded) = expanded {
        let points = RHOS.iter().filter_map(|&rho| Some(CurvePoint::new(rho as f64, expanded / squeeze_memory(rho)?)));
        factors.push(Curve { name: "measured here".to_owned(), points: points.collect(), ink: 1, marked: true });
    }
    let axis = || ChartAxis { label: "side ρ of blocks".to_owned(), scale: Scale::Doublings };
    let mib = |bytes: f64| bytes / f64::from(1u32 << 20);
    let mut sizes = Vec::new();
    if times.on_gpu() {
        for (curve, ink, way) in [
            ("BB", BASE, Method::bounding_box as fn(u64) -> Method),
            ("λ(ω)", BASE + 1, Method::lambda),
            ("Squeeze", 1, Method::squeeze),
        ] {
            let points = RHOS.iter().filter_map(|&rho| Some(CurvePoint::new(rho as f64, mib(used(&way(rho), level)?))));
            sizes.push(Curve { name: curve.to_owned(), points: points.collect(), ink, marked: true });
        }
    }
    let last =
        (0..=LEVELS[1]).rev().find(|r| times.found(&Method::lanes(times.setup), *r).is_some()).unwrap_or(0).min(level);
    let lanes = times.found(&Method::lanes(times.setup), last);
    let own: Vec<CurvePoint> = lanes
        .iter()
        .flat_map(|found| RHOS.map(|rho| CurvePoint::new(rho as f64, mib(found.state_bytes as f64))))
        .collect();
    sizes.push(Curve { name: format!("lanes, buffers, r = {last}"), points: own, ink: OURS, marked: true });
    let left = Panel {
        x: axis(),
        y: ChartAxis { label: "memory reduction factor".to_owned(), scale: Scale::Decades },
        curves: factors,
        ..Panel::default()
    };
    let right = Panel {
        x: axis(),
        y: ChartAxis { label: "memory of the device / MiB".to_owned(), scale: Scale::Decades },
        curves: sizes,
        ..Panel::default()
    };
    let (svg, csv) = times.page("Memory at r = 16", vec![left, right]);
    let mut claims = claims(times, name);
    for (rho, paper) in RHOS.iter().zip([99.8, 74.8, 56.1, 42.1, 31.6, 23.7]) {
        let here = expanded.zip(squeeze_memory(*rho)).map(|(all, own)| all / own);
        claims.number(&format!("MRF {paper} measured at r = 16, ρ = {rho}"), paper, here, 1.05);
    }
    let top = [1, 32].map(|rho| used(&Method::squeeze(rho), LEVELS[1]).map(|bytes| mib(bytes) / 1024.0));
    let told = top[0].zip(top[1]).map(|(least, most)| {
        (
            format!("{} to {} GiB, two buffers of a byte a place", short(least), short(most)),
            (0.4..=1.1).contains(&(least / 13.0)) && (0.4..=1.1).contains(&(most / 55.0)),
        )
    });
    claims.truth("r = 20 takes ~13 to ~55 GB (4 bytes a place there)", told);
    let mut all = claims.all;
    all.extend(memory_claims(name));
    ClaimedFigure { svg, csv, claims: all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_where_they_stay() {
        assert_eq!(from_where(0..=5, |r| Some(r >= 3)), Some(3));
        assert_eq!(from_where(0..=5, |r| Some(r != 3)), Some(4));
        assert_eq!(from_where(0..=5, |r| Some(r < 5)), None);
        assert_eq!(from_where(0..=5, |r| (r > 1).then_some(true)), Some(2));
        let (ratio, error) = ratio((6.0, 0.0), (3.0, 0.3)).unwrap();
        assert!(ratio == 2.0 && (error - 0.2).abs() < 1e-12);
    }
}
