//! Figures of measured times.

use super::judge::{self, Judged, RatioAt, WithError, from_where, ratio};
use super::measure::{LEVELS, Method, RHOS, TENSOR_RHOS};
use super::setup::{Setup, Tier};
use super::store::{Measured, MeasurementKey, Record};
use super::supernodes::TiledCase;
use super::theory::{block_factor, memory_claims};
use squeeze_bench::claim::{A100, Claim, ClaimedFigure, Verdict, short};
use squeeze_engine::simulation::Backend;
use squeeze_records::chart::{self, ChartAxis, Curve, CurvePoint, Page, Panel, Scale};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Measurements, and their setup.
pub(crate) struct Times<'a> {
    /// How.
    pub setup: &'a Setup,
    /// The measurements.
    pub records: &'a BTreeMap<MeasurementKey, Record>,
    /// Those of tiles.
    pub tiles: &'a [TiledCase],
}

/// The methods that are compared for a side ρ of blocks.
type WaysOf = fn(u64) -> Vec<Method>;

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

    /// The shortest time of some ways over that of others.
    fn over(&self, over: &[Method], under: &[Method], level: u32) -> Option<WithError> {
        Some(ratio(self.best(over, level)?, self.best(under, level)?))
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
        self.curve(name, ink, |level| self.over(slow, fast, level))
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

/// Squeeze with these blocks by the faster of its maps.
fn by_any_map(rho: u64) -> [Method; 2] {
    [Method::squeeze_scalar(rho), Method::squeeze(rho)]
}

fn rho_name(rho: u64) -> String {
    let map = Method::squeeze(rho).strategy_choice.map.unwrap_or_default();
    format!("Squeeze ρ = {rho}, {}", map.name())
}

/// λ(ω) by the maps of the papers.
const LAMBDA: &str = "λ(ω), best ρ, scalar to 8, wmma from 16";

const TITAN_V: &str = "TITAN V";
const TITAN_RTX: &str = "TITAN RTX";

/// The reasons for which results here are not those of the papers.
mod why {
    pub(super) const SQUEEZE_GAINS: &str = "a cell takes 1 byte instead of 4, holes inside blocks have no threads, and the maps of a block are computed once";
    pub(super) const BOUNDING_BOX_GAINS: &str = "the bounding box reads 1 byte a cell instead of 4 and leaves groups of blocks that are empty, and small steps take as long as a launch";
    pub(super) const SOONER: &str =
        "holes inside blocks have no threads, and small steps take as long as a launch whatever they do";
    pub(super) const NOISE: &str = "up to 2^9 both take about as long as a launch, so their ratio tells little";
    pub(super) const PRODUCTS: &str = "a product needs the digits of all levels first, by divisions, and shuffles after it; scalar maps are unrolled over \
         constants and computed once a block, which leaves little to gain (see Tensor cores)";
    pub(super) const COMPACT: &str =
        "compact memory has fewer holes to read, and neighbours come from tiles of shared memory";
    pub(super) const EIGHT_MAPS: &str = "ν(ω) computes eight maps for each block where λ(ω) computes one, and on tensor cores they take longer than scalar ones";
    pub(super) const OWN_MEMORY: &str = "two buffers of 1 byte a place instead of 4 bytes: the 6 MiB of kernels and tables, measured as well, weigh more";
}

/// Claims of one figure on measured times.
struct Claims<'a> {
    times: &'a Times<'a>,
    figure: &'static str,
    all: Vec<Claim>,
}

impl Claims<'_> {
    /// Adds what was told of a claim, unless it cannot be told here.
    fn add(&mut self, says: &str, told: Option<Claim>, why: &'static str) {
        let missing = match (self.times.missing(), told) {
            (None, Some(claim)) => return self.all.push(claim.because(why)),
            (missing, _) => missing.unwrap_or("not all that it compares was measured or fits on this device"),
        };
        self.all.push(Claim::not_measured(self.figure, says, A100, missing));
    }

    fn tell(&mut self, says: &str, told: Option<Judged>, why: &'static str) {
        let claim = told.map(|Judged { here, verdict, ratio }| Claim {
            ratio,
            ..Claim::judged(self.figure, says, A100, here, verdict)
        });
        self.add(says, claim, why);
    }

    fn truth(&mut self, says: &str, told: Option<(String, bool)>) {
        self.tell(says, told.map(|(here, holds)| Judged::truth(here, holds)), "");
    }

    fn number(&mut self, says: &str, paper: f64, here: Option<f64>, factor: f64, why: &'static str) {
        self.add(says, here.map(|here| Claim::number(self.figure, says, A100, (paper, here), factor)), why);
    }

    /// What the paper says of cards that are not the one that figures compare with.
    fn elsewhere(&mut self, card: &'static str, says: &[&str]) {
        let claim = |says: &&str| Claim::not_measured(self.figure, says, card, "it is about another card");
        self.all.extend(says.iter().map(claim));
    }

    /// The ratios at these levels; none if a level has none.
    fn ratios(
        &self,
        levels: RangeInclusive<u32>,
        rhos: &[u64],
        of: impl Fn(&Times<'_>, u64, u32) -> Option<WithError>,
    ) -> Option<Vec<RatioAt>> {
        let mut all = Vec::new();
        for level in levels {
            let at = |rho: &u64| Some(RatioAt { rho: *rho, level, ratio: of(self.times, *rho, level)? });
            let before = all.len();
            all.extend(rhos.iter().filter_map(at));
            if all.len() == before {
                return None;
            }
        }
        Some(all)
    }

    /// The speed-ups of Squeeze over the bounding box with blocks of the same side.
    fn speedups(&self, levels: RangeInclusive<u32>, rhos: &[u64]) -> Option<Vec<RatioAt>> {
        self.ratios(levels, rhos, |times, rho, r| times.over(&[Method::bounding_box(rho)], &[Method::squeeze(rho)], r))
    }

    /// The speed-ups of Squeeze over the best bounding box.
    fn over_best(&self, levels: RangeInclusive<u32>, rhos: &[u64]) -> Option<Vec<RatioAt>> {
        self.ratios(levels, rhos, |times, rho, r| times.over(&boxes(), &[Method::squeeze(rho)], r))
    }

    /// All of some Squeezes are faster than the best bounding box at these levels; also told is from where on.
    fn faster(&mut self, says: &str, levels: RangeInclusive<u32>, rhos: &[u64]) {
        let all_faster = |r: u32| {
            let ratios = self.over_best(r..=r, rhos)?;
            Some(judge::above(&ratios, Verdict::NotHeld).verdict == Verdict::Held)
        };
        let from = from_where(0..=*levels.end(), all_faster);
        let told = self.over_best(levels, rhos).map(|ratios| judge::above(&ratios, Verdict::NotHeld)).map(|judged| {
            let from = from.map_or(String::new(), |level| format!("; true from n = 2^{level} on"));
            Judged { here: format!("{}{from}", judged.here), ..judged }
        });
        self.tell(says, told, why::BOUNDING_BOX_GAINS);
    }

    /// Which side of blocks is the best. It is asked from the size on from which the papers compare the best of each approach.
    fn best_rho(&mut self, says: &str, paper: u64, ways: &[(&str, WaysOf)]) {
        let judged = |way: WaysOf| {
            let times = |level: u32| {
                let of = |rho: &u64| Some((*rho, self.times.best(&way(*rho), level)?));
                (level, RHOS.iter().filter_map(of).collect::<Vec<_>>())
            };
            let levels = (7..=LEVELS[1]).map(times).filter(|(_, times)| times.len() > 1).collect::<Vec<_>>();
            judge::best(paper, &levels, 13)
        };
        let all: Option<Vec<Judged>> = ways.iter().map(|(_, way)| judged(*way)).collect();
        let told = all.and_then(|all| {
            let texts = ways.iter().zip(&all).map(|((name, _), judged)| format!("{name}{}", judged.here));
            let here = texts.collect::<Vec<_>>().join("; ");
            all.into_iter().next().map(|first| Judged { here, ..first })
        });
        self.tell(says, told, why::BOUNDING_BOX_GAINS);
    }

    /// Squeeze is best at ρ = 16.
    fn best_squeeze(&mut self, says: &str) {
        let by_any: WaysOf = |rho| by_any_map(rho).to_vec();
        let as_papers: WaysOf = |rho| vec![Method::squeeze(rho)];
        self.best_rho(says, 16, &[("by the faster map of each: ", by_any), ("by the papers' maps: ", as_papers)]);
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
    let mut curves = vec![times.micros("BB, best ρ", BASE, &boxes()), times.micros(LAMBDA, BASE + 1, &lambdas())];
    curves.extend(squeeze_times(times, rhos));
    curves.push(times.micros("lanes (this project)", OURS, &times.ours()));
    curves
}

pub(crate) fn execution_times(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let curves = all_times(times, &RHOS);
    let (svg, csv) = times.page("Execution times of the approaches", vec![micros(curves)]);
    let mut claims = claims(times, name);
    claims.faster("Squeeze with ρ = 16 and 32 is faster than the best BB for n > 2^12", 13..=LEVELS[0], &TENSOR_RHOS);
    let slower = claims.ratios(0..=12, &RHOS, |times, rho, r| times.over(&[Method::squeeze(rho)], &boxes(), r));
    let told = slower.map(|ratios| judge::above(&ratios, Verdict::Better));
    claims.tell("for n ≤ 2^12 every Squeeze is slower than the best BB", told, why::SOONER);
    claims.lower_bound();
    claims.best_squeeze("Squeeze is best at ρ = 16");
    claims.elsewhere(TITAN_RTX, &["faster than BB from n = 2^13 on, with λ(ω) as the lower bound"]);
    let titan_v = [
        "Squeeze with ρ = 16 is faster than BB from n = 2^11 on",
        "Squeeze is faster than λ(ω) from n = 2^15 on, by a small margin",
    ];
    claims.elsewhere(TITAN_V, &titan_v);
    ClaimedFigure { svg, csv, claims: claims.all }
}

impl Claims<'_> {
    /// λ(ω) takes no longer than Squeeze, each by its fastest map. With a map of λ(ω) missing nothing is known.
    fn lower_bound(&mut self) {
        let says = "λ(ω) is a lower bound of Squeeze's time";
        let any = |of: fn(u64) -> [Method; 2]| RHOS.iter().flat_map(|rho| of(*rho)).collect::<Vec<_>>();
        let (lambdas, squeezes) = (any(|rho| [Method::lambda_scalar(rho), Method::lambda(rho)]), any(by_any_map));
        let ratios = self.ratios(0..=LEVELS[0], &[0], |times, _, r| times.over(&squeezes, &lambdas, r));
        let whole = (6..=LEVELS[0])
            .all(|r| TENSOR_RHOS.iter().all(|rho| self.times.found(&Method::lambda_scalar(*rho), r).is_some()));
        if let (Some(ratios), None, false) = (&ratios, self.times.missing(), whole) {
            let here = format!("of the maps that were measured: {}", judge::bounded(ratios).here);
            let missing = "λ(ω) with ρ = 16 and 32 was measured on tensor cores alone, not with scalar maps";
            let claim = Claim::not_measured(self.figure, says, A100, missing);
            return self.all.push(Claim { here, ..claim });
        }
        self.tell(says, ratios.map(|ratios| judge::bounded(&ratios)), why::COMPACT);
    }
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
    let range = || 8..=LEVELS[0];
    let told = claims.speedups(range(), &[1, 2, 4, 8]).map(|ratios| judge::up_to(12.0, &ratios));
    claims.tell("up to ~12× with ρ = 1, 2, 4, 8, from n = 2^8 on", told, why::SQUEEZE_GAINS);
    let told = claims.speedups(range(), &TENSOR_RHOS).map(|ratios| judge::up_to(3.7, &ratios));
    claims.tell("up to ~3.7× with ρ = 16, 32, from n = 2^8 on", told, why::SQUEEZE_GAINS);
    let curves: Option<Vec<_>> = RHOS.iter().map(|rho| claims.speedups(range(), &[*rho])).collect();
    let told = curves.map(|curves| judge::growing(&curves));
    claims.tell("from n = 2^8 on the speedup grows with n, for every ρ", told, why::NOISE);
    claims.elsewhere(TITAN_RTX, &["for n > 2^12 above 1 with every ρ", "up to ~3.2×"]);
    claims.elsewhere(TITAN_V, &["up to ~11×"]);
    ClaimedFigure { svg, csv, claims: claims.all }
}

pub(crate) fn tensor_cores(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let of = |(&rho, ink): (&u64, usize)| {
        let name = |map: &str| format!("Squeeze ρ = {rho}, scalar over {map}");
        let (slow, fast, papers) = (Method::squeeze_scalar(rho), Method::squeeze(rho), Method::squeeze_f16(rho));
        [
            times.speedup(&name("wmma"), ink, &[slow], &[fast]),
            times.speedup(&name("wmma-f16"), ink - 4, &[slow], &[papers]),
        ]
    };
    let curves = if times.on_gpu() { TENSOR_RHOS.iter().zip(4..).flat_map(of).collect() } else { Vec::new() };
    let curves: Vec<Curve> = curves.into_iter().filter(|curve: &Curve| !curve.points.is_empty()).collect();
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
    // From the first size on at which there is a product to compute; the older paper begins later.
    let (first, all_say, top_says) = match name {
        "2022-fig-14" => (5, "tensor cores make it significantly faster across values of n", "up to ~1.11×"),
        _ => (8, "from n = 2^8 on tensor cores make it faster", "up to 10% faster, from n = 2^8 on"),
    };
    let ratios = claims.ratios(first..=LEVELS[0], &TENSOR_RHOS, |times, rho, r| {
        let more_than_a_block = r > rho.ilog2();
        more_than_a_block.then(|| times.over(&[Method::squeeze_scalar(rho)], &[Method::squeeze(rho)], r))?
    });
    let told = ratios.as_ref().map(|ratios| judge::up_to(paper, ratios));
    claims.tell(top_says, told, why::PRODUCTS);
    claims.tell(all_say, ratios.map(|ratios| judge::above(&ratios, Verdict::NotHeld)), why::PRODUCTS);
    if name.starts_with("2022") {
        claims.elsewhere(TITAN_RTX, &["up to ~1.2×"]);
        let titan_v = ["up to ~1.3×", "ρ = 32 down to 0.75×", "up to 30% of extra performance (conclusion)"];
        claims.elsewhere(TITAN_V, &titan_v);
    } else {
        claims.elsewhere(TITAN_V, &["at most 10% faster, at all n"]);
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
    let range = || 7..=LEVELS[0];
    for (says, paper, rhos) in [
        ("up to ~10.2× with ρ = 2, 4, 8, from n = 2^7 on", 10.2, &[2, 4, 8][..]),
        ("up to ~2.8× with ρ = 16, 32, from n = 2^7 on", 2.8, &TENSOR_RHOS),
        ("up to ~11× (abstract, conclusions)", 11.0, rhos),
    ] {
        let told = claims.speedups(range(), rhos).map(|ratios| judge::up_to(paper, &ratios));
        claims.tell(says, told, why::SQUEEZE_GAINS);
    }
    let told = claims.speedups(range(), &TENSOR_RHOS).map(|ratios| judge::valley(&ratios));
    claims.tell("with ρ = 16, 32 there is a valley below 1, from n = 2^7 on", told, why::SQUEEZE_GAINS);
    claims.best_rho("BB is best at ρ = 32", 32, &[("", |rho| vec![Method::bounding_box(rho)])]);
    claims.best_squeeze("ν(ω) is best at ρ = 16");
    claims.faster("from n = 2^13 on the best ν(ω) is faster than the best BB", 13..=LEVELS[0], &[16]);
    ClaimedFigure { svg, csv, claims: claims.all }
}

pub(crate) fn best_times(name: &'static str, times: &Times<'_>) -> ClaimedFigure {
    let curves = all_times(times, &RHOS[1..]);
    let (svg, csv) = times.page("The best BB and λ(ω) against ν(ω)", vec![micros(curves)]);
    let mut claims = claims(times, name);
    let says = "from n = 2^13 on ν(ω) with ρ = 8, 16, 32 is faster than the best BB";
    claims.faster(says, 13..=LEVELS[0], &[8, 16, 32]);
    let slower =
        claims.ratios(13..=LEVELS[0], &[2, 4], |times, rho, r| times.over(&[Method::squeeze(rho)], &boxes(), r));
    let told = slower.map(|ratios| judge::above(&ratios, Verdict::Better));
    claims.tell("with ρ = 2, 4 it is slower than the best BB", told, why::SQUEEZE_GAINS);
    claims.elsewhere(TITAN_V, &["not even the best ν(ω) is faster than BB"]);
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
    let over = claims.ratios(12..=LEVELS[0], &[0], |times, _, r| times.over(&squeezes(), &lambdas(), r));
    let told = over.map(|ratios| judge::approaching(&ratios)).map(|judged| Judged {
        here: format!("of λ(ω)'s time, both by the papers' maps, from 2^12 on: {}", judged.here),
        ..judged
    });
    claims.tell("with n the compact form approaches the speed of λ(ω)", told, why::EIGHT_MAPS);
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
        claims.number(&format!("MRF {paper} measured at r = 16, ρ = {rho}"), paper, here, 1.05, why::OWN_MEMORY);
    }
    let top = [1, 32].map(|rho| used(&Method::squeeze(rho), LEVELS[1]).map(|bytes| mib(bytes) / 1024.0));
    let told = top[0].zip(top[1]).map(|sizes| {
        // Two bytes a place here, four there.
        let (least, most) = (2.0 * sizes.0, 2.0 * sizes.1);
        let near = |here: f64, paper: f64| (here / paper - 1.0).abs() <= 0.05;
        let here = format!(
            "{} to {} GiB, two buffers of a byte a place; with 4 bytes {} to {} (held within 5%)",
            short(sizes.0),
            short(sizes.1),
            short(least),
            short(most)
        );
        (here, near(least, 13.0) && near(most, 55.0))
    });
    claims.truth("r = 20 takes ~13 to ~55 GB (4 bytes a place there)", told);
    let mut all = claims.all;
    all.extend(memory_claims(name));
    ClaimedFigure { svg, csv, claims: all }
}
