//! The papers about Squeeze: their strategies as an engine of their own, and every figure and table made again.
//!
//! [`strategy`] says how cells are kept and visited, [`emit`] prints the kernels for it, [`engine`] runs them; [`ByStrategy`] lets a simulation run so.
//!
//! *2022* is F. Quezada, C. Navarro, N. Hitschfeld and B. Bustos, "Squeeze: Efficient Compact Fractals for Tensor Core GPUs"; *2021* is F. Quezada
//! and C. Navarro, "Accelerating Compact Fractals with Tensor Core GPUs". `list` names what there is; `drawings` shows fractals, `illustrations` how maps work, `theory`
//! computes what follows from formulas, `measure` measures and `times` draws the results, `errata` compares misprinted formulas
//! with the correct ones. Each figure says what the paper claims and whether it holds ([`Claim`]), measured times by the rules of `judge`; `report` writes the report.
//!
//! Measurements are kept one by one (`store`), so that a process can continue where another one ended.
//!
//! Without a GPU the papers' methods run on the host's device at small sizes: `squeeze figures --quick --backend cuda`. A test draws the measurements in `figures/` again and compares: after
//! a change run `squeeze figures --redraw --out figures/h100`, and with `--quick` into `figures/quick`.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests lay out files as they like"))]

pub mod abi;
mod drawings;
pub mod emit;
pub mod engine;
mod errata;
mod illustrations;
mod judge;
mod list;
mod measure;
mod report;
mod setup;
mod store;
pub mod strategies;
pub mod strategy;
mod supernodes;
mod theory;
mod times;

pub use list::{FIGURES, Figure, MeasurementKind};
pub use report::VerdictCounts;
pub use setup::{Setup, Tier};
pub use strategy::{ByStrategy, Strategy, StrategyChoice};

use measure::{Method, PapersCase};
use squeeze_bench::claim::{Claim, ClaimedFigure};
use squeeze_compiler::ir::Fractal;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::simulation::Backend;
use squeeze_records::resolve;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Store;
use times::Times;

/// The figures to make, and how.
#[derive(Clone, Debug)]
pub struct FigureOptions {
    /// Names of figures; an empty list stands for all.
    pub names: Vec<String>,
    /// How much is measured.
    pub tier: Tier,
    /// The backend that is measured.
    pub backend: Backend,
    /// Measure nothing, and draw the measurements that are in the folder, made on whatever machine.
    pub redraw: bool,
}

/// The report that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The report.
    pub report: PathBuf,
    /// The number of claims of each verdict.
    pub counts: VerdictCounts,
}

/// Makes figures in a folder. `begin` is told of each thing that takes time before it begins.
///
/// # Errors
/// If a wish is wrong or something is missing, which is known before anything is written; or if something fails.
pub fn make(folder: &Path, wishes: &FigureOptions, begin: &mut dyn FnMut(&str)) -> Result<Done> {
    let mut figures = chosen(&wishes.names)?;
    Store::check(folder, wishes.tier)?;
    let measured = figures.iter().find(|figure| figure.kind != MeasurementKind::Formula);
    let setup = match wishes.redraw {
        true => Store::last_setup(folder, wishes.tier)?,
        false => Setup::new(wishes.tier, wishes.backend, measured)?,
    };
    let bench = PapersCase::new()?;
    let fractals = FigureFractals::new()?;
    let mut store = Store::open(folder, &setup)?;
    if measured.is_some() && !wishes.redraw {
        measure_all(&mut store, &setup, &bench, &figures, begin)?;
        if figures.iter().any(|figure| figure.kind == MeasurementKind::Tiles) {
            supernodes::measure_missing(&store, &setup, begin)?;
        }
    }
    let tiles = supernodes::stored(&store)?;
    // Folders of earlier measurements have none.
    figures.retain(|figure| figure.kind != MeasurementKind::Tiles || !tiles.is_empty());
    let mut made: Vec<(Figure, Vec<Claim>)> = Vec::new();
    for figure in figures {
        begin(figure.name);
        let ClaimedFigure { svg, csv, claims } =
            outcome(&figure, &fractals, &Times { setup: &setup, records: store.records(), tiles: &tiles });
        store.write(&format!("{}.svg", figure.name), &svg)?;
        store.write(&format!("{}.csv", figure.name), &csv)?;
        made.push((figure, claims));
    }
    begin("errata");
    let errata = errata::errata(&fractals.triangle, &fractals.carpet);
    let (records, figures) = (store.records(), &made[..]);
    let lines = store.read_beside(report::OVERLAPS)?;
    let overlaps: Vec<_> =
        lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let (errata, bench, overlaps) = (&errata[..], &bench, &overlaps[..]);
    let text = report::FiguresReport { setup: &setup, figures, records, errata, bench, overlaps }.text();
    let counts = VerdictCounts::of(made.iter().flat_map(|(_, claims)| claims));
    Ok(Done { report: store.write("REPORT.md", &text)?, counts })
}

/// The figures of these names, in the order of the papers.
fn chosen(names: &[String]) -> Result<Vec<Figure>> {
    if let Some(name) = names.iter().find(|name| !list::names().contains(&name.as_str())) {
        let help = format!("valid are {}", list::names().join(", "));
        return Err(Message::users(format!("there is no figure `{name}`")).with_help(help).into());
    }
    let wanted = |figure: &&Figure| names.is_empty() || names.iter().any(|name| name == figure.name);
    Ok(FIGURES.iter().filter(wanted).copied().collect())
}

/// Makes the measurements that are missing.
fn measure_all(
    store: &mut Store,
    setup: &Setup,
    bench: &PapersCase,
    figures: &[Figure],
    begin: &mut dyn FnMut(&str),
) -> Result<()> {
    for level in bench.levels(setup) {
        let mut clocks = None;
        let ways = bench.ways(setup, level);
        let needed = |way: &&Method| figures.iter().any(|figure| way.is_for(figure, level));
        let mut needed: Vec<&Method> = ways.iter().filter(needed).collect();
        // The digest of every other way is compared with that of the first.
        needed.splice(..0, ways.first().filter(|_| !needed.is_empty()));
        for way in needed {
            if store.records().contains_key(&(way.name(), level)) {
                continue;
            }
            begin(&format!("r = {level}: {}", way.name()));
            let clocks = clocks.get_or_insert_with(|| setup.clocks());
            store.keep(bench.measure(setup, way, level, clocks)?)?;
        }
    }
    Ok(())
}

/// The fractals that figures show.
struct FigureFractals {
    triangle: Arc<Fractal>,
    carpet: Arc<Fractal>,
    vicsek: Arc<Fractal>,
    chandelier: Arc<Fractal>,
    bottles: Arc<Fractal>,
    family: Vec<Arc<Fractal>>,
}

impl FigureFractals {
    fn new() -> Result<FigureFractals> {
        Ok(FigureFractals {
            triangle: resolve::fractal("sierpinski_triangle")?,
            carpet: resolve::fractal("sierpinski_carpet")?,
            vicsek: resolve::fractal("vicsek")?,
            chandelier: resolve::fractal("chandelier")?,
            bottles: resolve::fractal("empty_bottles")?,
            family: theory::DIMENSIONS
                .iter()
                .map(|(name, ..)| resolve::fractal(name))
                .collect::<std::result::Result<_, _>>()?,
        })
    }
}

fn outcome(figure: &Figure, fractals: &FigureFractals, times: &Times<'_>) -> ClaimedFigure {
    let name = figure.name;
    let FigureFractals { triangle, carpet, vicsek, chandelier, bottles, family } = fractals;
    match name {
        "2022-fig-1" | "2021-fig-1" => drawings::embedding(name, carpet),
        "2022-fig-2" => drawings::construction(name, bottles, 3, true),
        "2022-fig-3" | "2021-fig-4" => illustrations::neighbourhood(name, triangle),
        "2022-fig-4" | "2021-fig-3" => illustrations::threads(name, triangle),
        "2022-fig-6" | "2021-fig-5" => illustrations::exploration(name, triangle),
        "2022-fig-7" => illustrations::steps_of_map(name, triangle, false),
        "2022-fig-8" => illustrations::steps_of_map(name, triangle, true),
        "2022-fig-9" | "2021-fig-9" => illustrations::blocks(name, triangle),
        "2021-fig-7" => illustrations::product(name, triangle),
        "2022-fig-5" => drawings::construction(name, vicsek, 3, true),
        "2022-fig-11" => drawings::approaches(name, chandelier),
        "2021-fig-2" => drawings::construction(name, triangle, 4, false),
        "2021-fig-6" => drawings::construction(name, triangle, 4, true),
        "2021-table-1" => drawings::family(name, family),
        "2022-fig-10" | "2021-fig-8" => theory::reduction(name, &[vicsek, triangle, carpet].map(Arc::clone)),
        "2022-fig-12" => times::execution_times(name, times),
        "2022-fig-13" => times::speedup_2022(name, times),
        "2022-fig-14" | "2021-fig-12" => times::tensor_cores(name, times),
        "2022-table-2" => times::memory(name, times),
        "2021-fig-10" => times::speedup_2021(name, times),
        "2021-fig-11" => times::best_times(name, times),
        "2021-fig-13" => times::beyond(name, times),
        supernodes::FIGURE => supernodes::figure(times.tiles, times.setup),
        _ => unreachable!("{name} is in the list"),
    }
}

#[cfg(test)]
mod tests;
