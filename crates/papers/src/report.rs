//! `REPORT.md`.

use super::errata::{Erratum, first_wrong_level, proved};
use super::list::Figure;
use super::measure::{CHECKED_STEPS, LEVELS, Method, PapersCase, RHOS, TENSOR_RHOS};
use super::setup::{Setup, Tier};
use super::store::{MeasurementKey, Record, TimeOrProblem};
use crate::emit::Strategy;
use serde_json::Value as Json;
use squeeze_bench::claim::{Claim, Verdict, short};
use squeeze_engine::simulation::Backend;
use std::collections::BTreeMap;

/// The number of claims of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerdictCounts {
    /// Hold.
    pub held: usize,
    /// Are surpassed here.
    pub better: usize,
    /// Do not.
    pub not_held: usize,
    /// Cannot be told here.
    pub not_measured: usize,
}

impl VerdictCounts {
    /// Of these claims.
    pub fn of<'a>(claims: impl Iterator<Item = &'a Claim>) -> VerdictCounts {
        let mut counts = VerdictCounts::default();
        for claim in claims {
            match claim.verdict {
                Verdict::Held => counts.held += 1,
                Verdict::Better => counts.better += 1,
                Verdict::NotHeld => counts.not_held += 1,
                Verdict::NotMeasured(_) => counts.not_measured += 1,
            }
        }
        counts
    }
}

/// The file of overlaps.
pub(crate) const OVERLAPS: &str = "overlaps.jsonl";

/// The contents of a report.
pub(crate) struct FiguresReport<'a> {
    /// The setup of the measurements.
    pub setup: &'a Setup,
    /// The figures made, each with its claims.
    pub figures: &'a [(Figure, Vec<Claim>)],
    /// The measurements.
    pub records: &'a BTreeMap<MeasurementKey, Record>,
    /// The misprints.
    pub errata: &'a [Erratum],
    /// The case that was measured.
    pub bench: &'a PapersCase,
    /// What `bench --overlap --json` printed, an object on a line.
    pub overlaps: &'a [Json],
}

impl FiguresReport<'_> {
    /// As text.
    pub(crate) fn text(&self) -> String {
        let mut text = self.head();
        for (paper, year) in [
            (
                "Quezada, Navarro, Hitschfeld, Bustos: Squeeze: Efficient Compact Fractals for Tensor Core GPUs (2022)",
                "2022",
            ),
            ("Quezada, Navarro: Accelerating Compact Fractals with Tensor Core GPUs (2021)", "2021"),
            ("Supernode transformation on GPGPUs (2017), of which the abstract alone is known", "2017"),
        ] {
            let own: Vec<&(Figure, Vec<Claim>)> =
                self.figures.iter().filter(|(f, _)| f.name.starts_with(year)).collect();
            if own.is_empty() {
                continue;
            }
            text.push_str(&format!("\n## {paper}\n\n| figure | what the paper says | there | here | here / paper | holds |\n|---|---|---|---|---|---|\n"));
            for (figure, claims) in own {
                claims.iter().for_each(|claim| text.push_str(&row(figure, claim)));
            }
        }
        text.push_str(&self.correctness());
        text.push_str(&self.tensor_cores());
        text.push_str(&self.memory());
        text.push_str(&self.overlaps());
        text.push_str(&self.misprints());
        text
    }

    fn head(&self) -> String {
        let Setup { tier, device, software, version, .. } = self.setup;
        let counts = VerdictCounts::of(self.figures.iter().flat_map(|(_, claims)| claims));
        let mut text = format!(
            "# Figures and tables of the papers\n\nMade by `squeeze figures`{}, version {version}, on {device} ({software}).\n\n\
             {} claims hold, {} are surpassed, {} do not hold, {} are not testable here.\n",
            if *tier == Tier::Quick { " --quick" } else { "" },
            counts.held,
            counts.better,
            counts.not_held,
            counts.not_measured
        );
        if *tier == Tier::Quick {
            text.push_str(
                "\nThis is the quick tier: what follows from formulas is whole, times are of small sizes and do not follow the papers' protocol.\n",
            );
        }
        if self.setup.backend != Backend::Cuda
            && self.figures.iter().any(|(f, _)| f.kind != super::list::MeasurementKind::Formula)
        {
            text.push_str(
                "\nThere is no GPU here. The papers' methods (BB, λ(ω), Squeeze) run on GPUs alone; on the CPU there are `lanes`, this project's own \
                 method, and the reference, a plain loop over the expanded grid.\n",
            );
        }
        text.push_str(
            "\nA claim about times is judged over all sizes for which the paper makes it; the least, the median and the greatest ratio are given. A difference below the \
             standard error, or below the 1% of the papers' own times, counts as none. \"Up to\" is judged by the greatest ratio: it holds if the gain is within 10% of \
             the paper's, and a greatest ratio that is not above 1 is no gain. What the papers say of other cards is not testable here.\n",
        );
        let own: Vec<&Record> = self.records.values().filter(|record| record.outcome.measured().is_some()).collect();
        if !own.is_empty() {
            let mut clocks: Vec<&str> = own.iter().map(|record| record.clocks.as_str()).collect();
            clocks.sort_unstable();
            clocks.dedup();
            let runs = own.iter().filter_map(|r| r.outcome.measured());
            let (least, most) = runs.clone().fold((usize::MAX, 0), |(a, b), m| (a.min(m.runs), b.max(m.runs)));
            let within = runs.clone().filter(|m| m.error <= 0.01 * m.mean).count();
            text.push_str(&format!(
                "\nLife on the Sierpinski triangle, the same start everywhere. Each of {} times is a mean over {least} to {most} runs of many steps; the standard error is \
                 at most 1% in {within} of them. (The papers: 100 runs of 1000 steps, error below 1%.) Clocks while measuring: {}.\n",
                own.len(),
                shortened(&clocks)
            ));
            let left_out: Vec<String> = (self.records.values())
                .filter_map(|r| match &r.outcome {
                    TimeOrProblem::Nothing { problem } => Some(format!("{} at r = {}: {problem}", r.way, r.level)),
                    TimeOrProblem::Measured(_) => None,
                })
                .collect();
            if !left_out.is_empty() {
                text.push_str(&format!("\nNot measured: {}.\n", left_out.join("; ")));
            }
        }
        text
    }

    /// The states of all ways against `lanes`.
    fn correctness(&self) -> String {
        let digest = |record: &Record| record.outcome.measured().map(|found| found.digest.clone());
        let (mut same, mut compared, mut wrong) = (0, 0, Vec::new());
        for record in self.records.values().filter(|record| record.way != "lanes") {
            let ours = self.records.get(&("lanes".to_owned(), record.level)).and_then(digest);
            if let (Some(own), Some(ours)) = (digest(record), ours) {
                compared += 1;
                if own == ours {
                    same += 1;
                } else {
                    wrong.push(format!("{} at r = {}", record.way, record.level));
                }
            }
        }
        let mut text = "\n## Correctness\n\n".to_owned();
        if compared > 0 {
            text.push_str(&format!("After {CHECKED_STEPS} steps {same} of {compared} runs have the digest of `lanes`"));
            text.push_str(&if wrong.is_empty() {
                ".\n\n".to_owned()
            } else {
                format!("; not {}.\n\n", wrong.join(", "))
            });
        }
        text.push_str("A map that is accumulated literally in F16 is wrong from the level on at which a coordinate needs more than 11 bits:\n\n");
        text.push_str("| ρ | λ(ω) in F16, wrong from | ν(ω) in F16, wrong from | maps here |\n|---|---|---|---|\n");
        for rho in [16, 32] {
            let [lambda, nu] = first_wrong_level(rho);
            let ways =
                [Strategy::Lambda, Strategy::Squeeze].map(|strategy| proved(&self.bench.fractal, strategy, 5..=20));
            let (exact, all) = ways.iter().fold((0, 0), |sum, way| (sum.0 + way.0, sum.1 + way.1));
            text.push_str(&format!(
                "| {rho} | r = {lambda} | r = {nu} | proved exact for {exact} of {all} grids, r = 5 … 20 |\n"
            ));
        }
        text.push_str(
"\nThe published code, run on an H100 against `lanes`, is wrong in two places: Squeeze with ρ = 16 from r = 16 on, as the table says, and λ(ω) with ρ = 16 from \
             r = 12 on already, the first level at which the coordinates of cells, and not only of blocks, need 12 bits.\n",
        );
        text
    }

    /// Times of maps on tensor cores, and why they gain little.
    fn tensor_cores(&self) -> String {
        let time = |way: &Method, level| Some(self.records.get(&(way.name(), level))?.outcome.measured()?.mean);
        let of: [fn(u64) -> Method; 3] = [Method::squeeze_scalar, Method::squeeze, Method::squeeze_f16];
        let rows = |rho: u64| {
            (rho.ilog2() + 1..=LEVELS[0]).filter_map(move |level| {
                let times = of.map(|way| time(&way(rho), level));
                let all = times.map(|time| time.map_or("–".to_owned(), |seconds| short(1e6 * seconds)));
                times[1].is_some().then(|| format!("| {rho} | {level} | {} |\n", all.join(" | ")))
            })
        };
        let rows: String = TENSOR_RHOS.into_iter().flat_map(rows).collect();
        if rows.is_empty() {
            return String::new();
        }
        format!(
            "\n## Tensor cores\n\nTimes of a step of Squeeze in µs by the map: `scalar`, one thread a map; `wmma`, bytes summed in integers, 8 × 8 × 16; `wmma-f16`, the \
             published fragment of 16 × 16 in F16, summed in F32 and proved exact. A dash was not measured.\n\n\
             | ρ | r | scalar | wmma | wmma-f16 |\n|---|---|---|---|---|\n{rows}\n\
             The published code gains on an H100, at r = 16 with ρ = 16, from 2 270 µs to 1 716 µs, with wrong cells. Summed in F32 it is right and takes 1 754 µs, so the gain \
             is not bought by the errors. Here there is less to gain: with scalar maps a step takes less than the published one on tensor cores, since cells take a byte, \
             holes have no threads, and a block's nine maps are computed once, by nine threads, level after level with the fractal's tables as constants. A product replaces \
             one multiplication and one addition a level, but its digits must still be found by divisions, for all levels before it begins, and its sums are put together by shuffles.\n"
        )
    }

    fn memory(&self) -> String {
        let level = self.records.keys().filter(|(way, level)| way == "lanes" && *level <= 16).map(|key| key.1).max();
        let Some(level) = level else { return String::new() };
        let mut text = format!(
            "\n## Memory at r = {level}\n\nMeasured: what the {} has less while the simulation is there. Buffers: what it asked for.\n\n| way | measured / MiB | buffers / MiB |\n|---|---|---|\n",
            if self.setup.backend == Backend::Cuda { "device" } else { "system" }
        );
        let mib = |bytes: u64| short(bytes as f64 / f64::from(1u32 << 20));
        let mut ways = vec!["lanes".to_owned(), "reference".to_owned()];
        for strategy in
            ["bounding-box", "lambda,scalar", "lambda,wmma", "squeeze,scalar", "squeeze,wmma", "squeeze,wmma-f16"]
        {
            ways.extend(RHOS.map(|rho| format!("{strategy},{rho}")));
        }
        for way in ways {
            let Some(Record { outcome: TimeOrProblem::Measured(found), .. }) = self.records.get(&(way.clone(), level))
            else {
                continue;
            };
            let measured = found.memory.map_or("less than can be told".to_owned(), mib);
            text.push_str(&format!("| {way} | {measured} | {} |\n", mib(found.state_bytes)));
        }
        text
    }

    /// Tiles of overlaps by the model, beside the best of a search.
    fn overlaps(&self) -> String {
        let (mut rows, mut all, mut near) = (String::new(), 0, 0);
        for measured in self.overlaps {
            let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let [device, r, v] = ["device", "rows", "bits"].map(|name| text(&measured[name]));
            for kernel in measured["kernels"].as_array().into_iter().flatten() {
                let Some(ratio) = kernel["model_of_best"].as_f64() else { continue };
                (all, near) = (all + 1, near + usize::from(ratio >= 0.9));
                let tile = |name: &str| {
                    let tile = &kernel[name];
                    format!("{} × {}, {}", text(&tile["m_r"]), text(&tile["n_r"]), text(&tile["k_c"]))
                };
                let [name, model, best] = [text(&kernel["kernel"]), tile("model"), tile("best")];
                rows.push_str(&format!("| {device} | {r} | {v} | {name} | {model} | {best} | {} |\n", short(ratio)));
            }
        }
        if all == 0 {
            return String::new();
        }
        format!(
            "\n## Tiles of overlaps\n\nBinder, Kho, Popovici, Low: Extending the BLIS Analytical Model for GPUs (2018), of which no figure is left, chooses the tiles of products of bits by \
             parameters of the machine. Beside the tile m_r × n_r, k_c in bits, that the model takes here for R states of V bits stands the best of a search over tiles and pieces, and the rate of the one \
             over that of the other, measured by turns (`bench --overlap`). {near} of {all} are within 10%.\n\n\
             | device | R | V | kernel | model | best | model of best |\n|---|---|---|---|---|---|---|\n{rows}"
        )
    }

    fn misprints(&self) -> String {
        let mut text = "\n## Errata\n\n| where | printed | correct | check | printed right | corrected right |\n|---|---|---|---|---|---|\n".to_owned();
        for e in self.errata {
            text.push_str(&format!(
                "| {} | {} | {} | {} | {} of {} | {} of {} |\n",
                e.place, e.printed, e.corrected, e.check, e.printed_right, e.of, e.corrected_right, e.of
            ));
        }
        text
    }
}

fn row(figure: &Figure, claim: &Claim) -> String {
    let why = if claim.why.is_empty() { String::new() } else { format!(": {}", claim.why) };
    let holds = match &claim.verdict {
        Verdict::Held => "yes".to_owned(),
        Verdict::Better => format!("better{why}"),
        Verdict::NotHeld => format!("**no**{why}"),
        Verdict::NotMeasured(why) => format!("not testable here: {why}"),
    };
    let ratio = claim.ratio.map_or("–".to_owned(), short);
    let name = figure.name;
    format!(
        "| [{name}]({name}.svg) ([csv]({name}.csv)) | {} | {} | {} | {ratio} | {holds} |\n",
        claim.says, claim.hardware, claim.here
    )
}

/// A list of at most a few.
fn shortened(list: &[&str]) -> String {
    match list {
        [first, .., last] if list.len() > 4 => format!("{first} … {last}"),
        _ => list.join(", "),
    }
}
