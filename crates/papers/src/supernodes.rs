//! The supernode transformation: times of ordered steps over the sides of their tiles, beside the model and its closed form.
//!
//! Of the document only the abstract is known, and no formula or figure: the model is this project's own, of the same quantities ([`squeeze_bench::wavefronts`]).
//! Measurements lie in `tiles.jsonl`, a case on a line.

use super::setup::{Setup, Tier};
use super::store::Store;
use serde::{Deserialize, Serialize};
use squeeze_bench::claim::{Claim, ClaimedFigure, Verdict, short};
use squeeze_bench::wavefronts::{self, TilePoint, TileWait, WaitTimes, WavefrontTimes, measure};
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::Backend;
use squeeze_host::numbers::counted;
use squeeze_records::chart::{self, ChartAxis, Curve, CurvePoint, Page, Panel, Scale};
use squeeze_records::resolve::Edges;

/// The figure.
pub(crate) const FIGURE: &str = "2017-fig-1";
/// The file of its measurements.
pub(crate) const TILES: &str = "tiles.jsonl";
/// The case of the quick tier.
const QUICK: &[&str] = &["plane_1024,lcs"];
/// Threads of the host: of one, the time is the processor's, whatever else the machine does.
const THREADS: usize = 1;

/// A case that was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TiledCase {
    /// As `bench` takes it.
    case: String,
    #[serde(flatten)]
    times: WavefrontTimes,
}

/// The cases that lie in a folder.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn stored(store: &Store) -> Result<Vec<TiledCase>> {
    let lines = store.read_beside(TILES)?;
    Ok(lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Measures the cases of a tier that a folder lacks.
///
/// # Errors
/// If the machine fails, or the file cannot be written.
pub(crate) fn measure_missing(store: &Store, setup: &Setup, begin: &mut dyn FnMut(&str)) -> Result<()> {
    let (cases, seconds): (Vec<&str>, f64) = match setup.tier {
        Tier::Quick => (QUICK.to_vec(), 0.01),
        Tier::Full => ([Backend::Cuda, Backend::Cpu].map(wavefronts::usual).concat(), 0.15),
    };
    let mut all = stored(store)?;
    for text in cases {
        if all.iter().any(|there| there.case == text) {
            continue;
        }
        begin(&format!("tiles of {text}"));
        let times = measure(&wavefronts::case(text, &Edges::default())?, THREADS, seconds, |_| ())?;
        all.push(TiledCase { case: text.to_owned(), times });
        let lines: String = all.iter().map(|case| format!("{}\n", serde_json::json!(case))).collect();
        store.write(TILES, &lines)?;
    }
    Ok(())
}

/// What the document says, and whether it holds here.
pub(crate) fn figure(cases: &[TiledCase], setup: &Setup) -> ClaimedFigure {
    let mut csv = "case,wait,lines,columns,seconds,model\n".to_owned();
    for (case, of) in waits(cases) {
        for point in of.curve() {
            let [lines, columns] = point.tile();
            let model = of.predicted(point).map_or(String::new(), |seconds| format!("{seconds:?}"));
            let case = case.replace(',', ";");
            csv.push_str(&format!("{case},{},{lines},{columns},{:?},{model}\n", of.wait.name(), point.seconds));
        }
    }
    let note = format!(
        "Marks are measured, lines the model of two of them, uprights its best width in closed form. {}.",
        setup.software
    );
    let title = "Time of a step over the width of its tiles".to_owned();
    let page = Page { title, note, columns: 2, panels: cases.iter().map(panel).collect() };
    ClaimedFigure { svg: chart::sheet(&page, None).to_svg(), csv, claims: claims(cases) }
}

/// All ways to wait of all cases that have a model.
fn waits(cases: &[TiledCase]) -> impl Iterator<Item = (&str, &WaitTimes)> {
    cases.iter().flat_map(|case| case.times.waits.iter().map(|of| (case.case.as_str(), of)))
}

fn panel(case: &TiledCase) -> Panel {
    let (mut curves, mut places) = (Vec::new(), Vec::new());
    for (ink, of) in case.times.waits.iter().enumerate() {
        let curve = |name: String, marked: bool, seconds: &dyn Fn(&TilePoint) -> Option<f64>| {
            let point = |point: &TilePoint| Some(CurvePoint::new(point.tile()[1] as f64, 1e3 * seconds(point)?));
            Curve { name, points: of.curve().into_iter().filter_map(point).collect(), ink, marked }
        };
        curves.push(curve(of.wait.name().to_owned(), true, &|point| Some(point.seconds)));
        if of.model().is_some() {
            curves.push(curve(String::new(), false, &|point| of.predicted(point)));
        }
        places.extend(of.root().map(|width| (width, 0.0, of.wait.name().to_owned())));
    }
    let x = ChartAxis { label: "columns of a tile".to_owned(), scale: Scale::Doublings };
    let y = ChartAxis { label: "time of a step / ms".to_owned(), scale: Scale::Decades };
    let title = format!("{}: {}, {}", case.case, case.times.device, counted(case.times.threads as u64, "thread"));
    let title = if case.case.ends_with(",cuda") { format!("{}: {}", case.case, case.times.device) } else { title };
    Panel { title, x, y, curves, places, ..Panel::default() }
}

/// How much longer than the best that was found.
fn behind(of: &WaitTimes, point: Option<&TilePoint>) -> Option<f64> {
    Some(point?.seconds / of.best().seconds)
}

/// A claim about each case of one way to wait: a ratio that is to stay below a bound.
fn claim(
    cases: &[TiledCase],
    wait: TileWait,
    (says, most): (&str, f64),
    told: impl Fn(&WaitTimes) -> Option<(String, f64)>,
) -> Option<Claim> {
    let of: Vec<_> = waits(cases).filter(|(_, of)| of.wait == wait).collect();
    let found: Vec<_> = of.iter().filter_map(|(case, of)| Some((case, told(of)?))).collect();
    let says = format!("{says} ({})", wait.name());
    if of.is_empty() {
        return None;
    }
    if found.is_empty() {
        return Some(Claim::not_measured(FIGURE, &says, SIMULATIONS, "two tiles gave no model"));
    }
    let here: Vec<String> =
        found.iter().map(|(case, (told, ratio))| format!("{case}: {told}{}", short(*ratio))).collect();
    let holds = found.len() == of.len() && found.iter().all(|(_, (_, ratio))| *ratio <= most);
    Some(Claim::new(FIGURE, &says, SIMULATIONS, here.join("; "), holds).because(WHY))
}

/// What the document was verified by.
const SIMULATIONS: &str = "simulations";
const WHY: &str =
    "a cell takes longer where states leave the caches, and a model with one time of a cell does not know of them";

fn claims(cases: &[TiledCase]) -> Vec<Claim> {
    let mut all = Vec::new();
    for wait in [TileWait::Launches, TileWait::Barrier, TileWait::Flags, TileWait::Threads] {
        let says = "the running time is a function of the tile, the sides, the time of a cell and that of a wait: greatest ratio to what was measured at most 1.15";
        all.extend(claim(cases, wait, (says, 1.15), |of| {
            Some((format!("{} widths, ", of.curve().len()), 1.0 + of.deviation()?))
        }));
        let says = "the best tile follows from a closed form: its time at most 1.1 of the best found";
        all.extend(claim(cases, wait, (says, 1.1), |of| {
            let (root, [lines, columns]) = (of.root()?, of.points[0].tile());
            let taken = short(behind(of, of.points.first())?);
            Some((format!("width {root:.0} (runs take {lines} × {columns}: {taken}), "), behind(of, of.nearest(root))?))
        }));
    }
    all.push(Claim::judged(
        FIGURE,
        "better than previous research",
        SIMULATIONS,
        "–".to_owned(),
        Verdict::NotMeasured("the abstract does not say than which".to_owned()),
    ));
    all
}
