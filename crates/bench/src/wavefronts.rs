//! The time of ordered steps over the sides of their tiles, beside a model of it.
//!
//! A *tile* is a stretch of the columns of a *strip*, which is some lines; it waits for the tile before it and for that of the strip before. A step takes
//! T = τ · work + α · waits. *Work* are the cells that one worker computes in turn while all others wait for it or are as busy, *waits* the tiles, or diagonals
//! of tiles, that end one after the other meanwhile: both are counted, since sheared lines and few workers leave no closed form. τ and α follow from the times of two
//! tiles; the model has to say what all others of that height take. The width with the least time has a closed form as well ([`WaitTimes::root`]).

use super::case::no_case;
use super::{Case, clock, user_seconds};
use serde::{Deserialize, Serialize};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StepSchedule, Strips, Type, Value};
use squeeze_compiler::numbers::digest::mix;
use squeeze_compiler::plan::FIRST_COLUMNS;
use squeeze_compiler::target::{Target, Wavefront};
use squeeze_compiler::{CompileError, Off, Program, Speciality};
use squeeze_engine::EngineError;
use squeeze_engine::cpu::{usual_machine, usual_target};
use squeeze_engine::cuda::kit::Device;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::Backend;
use squeeze_records::resolve::{self, Edges, fractal_of_text};
use std::sync::Arc;

/// The cases that are measured on a backend if none are named.
pub fn usual(backend: Backend) -> &'static [&'static str] {
    match backend {
        Backend::Cuda => &["plane_65536,lcs,cuda", "plane_16384,lcs,cuda", "plane_4096,gauss_seidel,cuda"],
        _ => &["plane_8192,lcs", "plane_4096,gauss_seidel", "plane_1024,gauss_seidel"],
    }
}

/// How tiles wait for one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TileWait {
    /// Threads take strips in turn, and wait for the strip before.
    Threads,
    /// Each diagonal of tiles is a launch: the supernode transformation.
    Launches,
    /// All blocks of threads meet behind each diagonal.
    Barrier,
    /// A strip waits for the one before by its flag.
    Flags,
    /// A strip waits for messages with the one before's values.
    Relays,
}

impl TileWait {
    /// Those of a backend.
    pub fn of(backend: Backend) -> &'static [TileWait] {
        match backend {
            Backend::Cuda => &[TileWait::Launches, TileWait::Barrier, TileWait::Flags, TileWait::Relays],
            _ => &[TileWait::Threads],
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            TileWait::Threads => "threads",
            TileWait::Launches => "launches",
            TileWait::Barrier => "barrier",
            TileWait::Flags => "flags",
            TileWait::Relays => "relays",
        }
    }

    fn wavefront(self) -> Wavefront {
        match self {
            TileWait::Launches => Wavefront::Launches,
            TileWait::Barrier => Wavefront::Barrier,
            TileWait::Threads | TileWait::Flags | TileWait::Relays => Wavefront::Flags,
        }
    }

    fn off(self) -> Off {
        if self == TileWait::Flags { Off::none().with(Speciality::Relays) } else { Off::none() }
    }
}

/// The tiles of an ordered step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTiles {
    /// Places along a line, and lines.
    pub sides: [u64; 2],
    /// By how many columns a line is behind the one before.
    pub shear: u64,
    /// Lines of a strip.
    pub lines: u64,
    /// Columns of a tile.
    pub columns: u64,
}

/// The threads of a warp, each of which is a column behind the one before.
const WARP: u64 = 32;

impl StepTiles {
    /// The columns of a strip.
    fn length(&self) -> u64 {
        self.sides[0] + self.shear * (self.lines.min(self.sides[1]) - 1)
    }

    fn strips(&self) -> u64 {
        self.sides[1].div_ceil(self.lines)
    }

    /// How many tiles `workers` compute on all diagonals if each waits for the slowest, and the number of diagonals that have tiles.
    fn rounds(&self, workers: u64) -> [u64; 2] {
        let strips = self.strips();
        let last = |strip: u64| (self.shear * strip * self.lines + self.length() - 1) / self.columns;
        let mut changes = vec![0i64; (strips + last(strips - 1) + 1) as usize];
        for strip in 0..strips {
            changes[(strip + self.shear * strip * self.lines / self.columns) as usize] += 1;
            changes[(strip + last(strip) + 1) as usize] -= 1;
        }
        let mut here = 0;
        let tiles = changes.into_iter().map(|change| {
            here += change;
            here as u64
        });
        tiles
            .filter(|tiles| *tiles > 0)
            .fold([0; 2], |[rounds, all], tiles| [rounds + tiles.div_ceil(workers), all + 1])
    }

    /// Work in cells, and waits.
    pub fn counts(&self, wait: TileWait, workers: u64) -> [f64; 2] {
        let StepTiles { lines, columns, shear, .. } = *self;
        let (strips, length) = (self.strips(), self.length());
        let tiles = length.div_ceil(columns);
        let [work, waits] = match wait {
            TileWait::Launches | TileWait::Barrier => {
                let [rounds, diagonals] = self.rounds(workers);
                // Nobody has asked for the first columns of a tile ahead.
                let first = (FIRST_COLUMNS.1 * FIRST_COLUMNS.0.min(columns as f64)).round() as u64;
                [rounds * lines * (columns + first + WARP - 1), diagonals]
            }
            TileWait::Flags | TileWait::Relays => {
                let behind = (strips - 1) * (columns + WARP - 1 + shear * lines);
                [lines * (behind + length + WARP - 1), strips - 1]
            }
            TileWait::Threads => {
                // Tiles by which a strip is behind the one before.
                let behind = 1 + (shear * lines).div_ceil(columns);
                let of_threads = strips.div_ceil(workers) * tiles + (strips - 1) % workers * behind;
                let all = of_threads.max((strips - 1) * behind + tiles);
                // The last tile of a strip has fewer columns.
                let rows = (strips.div_ceil(workers) * length + (strips - 1) % workers * behind * columns)
                    .max((strips - 1) * behind * columns + length);
                [rows * lines, all]
            }
        };
        [work as f64, waits as f64]
    }
}

/// Seconds of a cell, and of a wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileModel {
    /// τ.
    pub cell: f64,
    /// α.
    pub wait: f64,
}

impl TileModel {
    /// From the counts and seconds of two tiles; `None` if one of both would take no time.
    pub fn of([(a, in_a), (b, in_b)]: [([f64; 2], f64); 2]) -> Option<TileModel> {
        let determinant = a[0] * b[1] - a[1] * b[0];
        let (cell, wait) = ((in_a * b[1] - a[1] * in_b) / determinant, (a[0] * in_b - in_a * b[0]) / determinant);
        (cell > 0.0 && wait > 0.0).then_some(TileModel { cell, wait })
    }

    /// Seconds of a step.
    pub fn seconds(&self, [work, waits]: [f64; 2]) -> f64 {
        self.cell * work + self.wait * waits
    }
}

/// Tiles that were measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TilePoint {
    /// The tiles of each step.
    pub steps: Vec<StepTiles>,
    /// Seconds of one time step, the fastest repeat: others on the machine can only make it slower. Of a single thread they are the processor's.
    pub seconds: f64,
}

impl TilePoint {
    /// The lines and columns of the first step's.
    pub fn tile(&self) -> [u64; 2] {
        [self.steps[0].lines, self.steps[0].columns]
    }
}

/// The times of a case where tiles wait in one way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WaitTimes {
    /// How tiles wait.
    pub wait: TileWait,
    /// How many of them are computed at once.
    pub workers: u64,
    /// The measured tiles, the planned ones first.
    pub points: Vec<TilePoint>,
}

impl WaitTimes {
    /// The tiles of the planned height, by their width.
    pub fn curve(&self) -> Vec<&TilePoint> {
        let [lines, _] = self.points[0].tile();
        let mut curve: Vec<&TilePoint> = self.points.iter().filter(|point| point.tile()[0] == lines).collect();
        curve.sort_by_key(|point| point.tile());
        curve
    }

    fn counts(&self, point: &TilePoint) -> [f64; 2] {
        let all = point.steps.iter().map(|step| step.counts(self.wait, self.workers));
        all.fold([0.0; 2], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]])
    }

    /// The two tiles that the model is made of: all but the narrowest and the widest lie between them.
    pub fn calibration(&self) -> Option<[&TilePoint; 2]> {
        let curve = self.curve();
        (curve.len() > 4).then(|| [curve[1], curve[curve.len() - 2]])
    }

    /// The model.
    pub fn model(&self) -> Option<TileModel> {
        TileModel::of(self.calibration()?.map(|point| (self.counts(point), point.seconds)))
    }

    /// Seconds of tiles by the model.
    pub fn predicted(&self, point: &TilePoint) -> Option<f64> {
        Some(self.model()?.seconds(self.counts(point)))
    }

    /// The tiles of the planned height that take least by the model.
    pub fn chosen(&self) -> Option<&TilePoint> {
        let model = self.model()?;
        let seconds = |point: &&TilePoint| model.seconds(self.counts(point));
        self.curve().into_iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b)))
    }

    /// The fastest of all.
    pub fn best(&self) -> &TilePoint {
        self.points.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds)).expect("the planned one")
    }

    /// The tiles of the planned height whose width is nearest.
    pub fn nearest(&self, width: f64) -> Option<&TilePoint> {
        let off = |point: &&TilePoint| (point.tile()[1] as f64 / width).ln().abs();
        self.curve().into_iter().min_by(|a, b| off(a).total_cmp(&off(b)))
    }

    /// How far the model is off, at most, where it was not calibrated: 0.1 is 10%.
    pub fn deviation(&self) -> Option<f64> {
        let calibration = self.calibration()?.map(TilePoint::tile);
        let others = self.curve().into_iter().filter(|point| !calibration.contains(&point.tile()));
        let off = |point: &TilePoint| Some((self.predicted(point)? / point.seconds - 1.0).abs());
        others.map(off).try_fold(0.0, |most: f64, off| Some(most.max(off?)))
    }

    /// The width of the least time in closed form, of the first step's tiles: with a side N along M lines, strips of h lines and B workers
    /// √(N α / ((M − h) τ)) where each strip has a worker, else √(M N α / τ) / (B h). Where a strip waits for the one before alone, the narrowest is the best: its
    /// waits are as many, and it is behind by less.
    pub fn root(&self) -> Option<f64> {
        let TileModel { cell, wait } = self.model()?;
        if matches!(self.wait, TileWait::Flags | TileWait::Relays) {
            return Some(self.curve()[0].tile()[1] as f64);
        }
        let tiles = self.points[0].steps[0];
        let [length, across, lines, workers] =
            [tiles.length(), tiles.sides[1], tiles.lines, self.workers].map(|v| v as f64);
        let root_of = |wait: f64, cell: f64| (length * wait / ((across - lines).max(1.0) * cell)).sqrt();
        let root = match self.wait {
            TileWait::Launches | TileWait::Barrier => {
                // Of tiles that have their first columns alone, and of others.
                let ends = (WARP - 1) as f64;
                let short = root_of(wait + cell * lines * ends, cell * (1.0 + FIRST_COLUMNS.1));
                let long = root_of(wait + cell * lines * (ends + FIRST_COLUMNS.0 * FIRST_COLUMNS.1), cell);
                if short < FIRST_COLUMNS.0 { short } else { long.max(FIRST_COLUMNS.0) }
            }
            TileWait::Threads if tiles.strips() > self.workers => {
                // A thread alone waits for nobody.
                let others = if self.workers > 1 { workers } else { 0.0 };
                (across * length * wait / cell).sqrt() / (others * lines)
            }
            _ => root_of(wait, cell),
        };
        Some(root.min(length))
    }
}

/// The times of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WavefrontTimes {
    /// The device that executed it.
    pub device: String,
    /// The threads of the host that it ran on.
    pub threads: usize,
    /// The number of cells.
    pub cells: u64,
    /// For each way to wait that the case has.
    pub waits: Vec<WaitTimes>,
}

/// The case of a text, `DOMAIN,RULE[,BACKEND]`: a box or mask, or `plane_N` for a box of N² places; inputs are letters by chance.
///
/// # Errors
/// As [`Case::parse`].
pub fn case(text: &str, edges: &Edges) -> Result<Case> {
    let domain = text.split(',').next().unwrap_or_default().trim();
    let fractal = match domain.strip_prefix("plane_").and_then(|side| side.parse::<u32>().ok()) {
        Some(side) => {
            let text = format!("domain {domain} {{ size ({side}, {side}) }}");
            fractal_of_text(domain, &text, None, edges)?.0
        }
        None => resolve::domain(domain, edges)?,
    };
    let extent = Domain::new(Arc::clone(&fractal), 1)?.extent();
    let rule = |spec: &str| Ok(Arc::new(with_letters(&*resolve::rule(spec)?, extent)));
    Case::of(text, |_| Ok(Arc::clone(&fractal)), rule)
}

/// A rule with values for its inputs.
fn with_letters(rule: &Rule, extent: [u64; 3]) -> Rule {
    let mut given = rule.clone();
    for (input, state) in rule.named_inputs() {
        let letter = |at: u64| b"ACGT"[mix(at << 8 | u64::from(input.axis)) as usize % 4];
        let value = |at: u64| match state.ty {
            Type::I32 => Value::I32(letter(at).into()),
            Type::U32 => Value::U32(letter(at).into()),
            Type::F32 => Value::F32(letter(at).into()),
            Type::F64 => Value::F64(letter(at).into()),
            _ => Value::U8(letter(at)),
        };
        given = given.with_input(&state.name, (0..extent[usize::from(input.axis)]).map(value));
    }
    given
}

/// The tiles of each step of a case on so many threads: the planned ones, or those that come of what is asked for. `None` if the case has no such.
fn tiles(case: &Case, threads: usize, wait: TileWait, asked: Option<[u32; 2]>) -> Result<Option<Vec<StepTiles>>> {
    let of_gpu = wait != TileWait::Threads;
    let target =
        if of_gpu { Target::cuda().in_turns() } else { usual_target(None).on(Some(usual_machine(threads, None))) };
    let target = Target { wavefront: wait.wavefront(), tile: asked, ..target.without(wait.off()) };
    let failed = |error: CompileError| EngineError::from(error);
    let program = Program::of(&case.rule, &target).map_err(failed)?;
    let sides =
        |strips: Strips| [strips.along, strips.across].map(|signed| case.domain().extent()[usize::from(signed.axis)]);
    let of_step = |number: usize| -> Result<Option<StepTiles>> {
        if of_gpu {
            return Ok(program.taken_by_gpu.get(number).and_then(|(_, waves)| {
                let (waves, _) = waves.as_ref()?;
                (waves.relay.is_some() == (wait == TileWait::Relays)).then(|| StepTiles {
                    sides: sides(waves.strips),
                    shear: waves.strips.shear as u64,
                    lines: WARP * u64::from(waves.lines),
                    columns: waves.tile.into(),
                })
            }));
        }
        Ok(match program.taken(&case.rule.steps[number]).map_err(failed)?.0 {
            StepSchedule::InStrips(strips, Some(tile)) => {
                let sides = sides(strips);
                let count = sides[1].div_ceil(tile.lines() as u64);
                let lines = sides[1].div_ceil(count);
                Some(StepTiles { sides, shear: strips.shear as u64, lines, columns: tile.rows as u64 })
            }
            _ => None,
        })
    };
    (0..case.rule.steps.len()).map(of_step).collect()
}

/// Columns that are tried; of heights that are not planned every second.
const COLUMNS: [u32; 11] = [8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768];
/// The columns of a processor's tiles: wider ones leave its caches.
const OF_PROCESSOR: [u32; 9] = [16, 32, 48, 64, 96, 128, 192, 256, 384];
/// Tiles of a GPU that is as fast as it can be have whole warps of columns.
const LEAST_COLUMNS: u32 = 32;
/// Blocks of one warp that a multiprocessor computes as fast as one. Guess: not measured.
const BLOCKS: u64 = 8;

/// Measures a case with several tiles, each for about `seconds` seconds.
///
/// # Errors
/// If a step of the case has no tiles, or the machine fails.
pub fn measure(case: &Case, threads: usize, seconds: f64, begin: impl Fn(&str)) -> Result<WavefrontTimes> {
    let on_gpu = case.backend == Backend::Cuda;
    let workers = match on_gpu {
        true => {
            let device = Device::first().map_err(EngineError::from)?;
            BLOCKS * u64::from(device.multiprocessors().map_err(EngineError::from)?)
        }
        false => threads as u64,
    };
    let (mut device, mut waits) = (String::new(), Vec::new());
    for &wait in TileWait::of(case.backend) {
        let Some(planned) = tiles(case, threads, wait, None)? else { continue };
        let lines = planned[0].lines as u32;
        let all_columns: &[u32] = match wait {
            TileWait::Relays => &COLUMNS[..2],
            TileWait::Threads => &OF_PROCESSOR,
            _ => &COLUMNS[2..],
        };
        let mut asked = vec![None];
        for (height, every) in [(lines, 1), (lines / 2, 2), (2 * lines, 2)] {
            let columns = all_columns.iter().skip(every - 1).step_by(every);
            asked.extend(columns.map(|columns| Some([height.max(1), *columns])));
        }
        let mut times = WaitTimes { wait, workers, points: Vec::new() };
        let mut measure = |times: &mut WaitTimes, asked: Option<[u32; 2]>| -> Result<()> {
            let Some(steps) = tiles(case, threads, wait, asked)? else { return Ok(()) };
            if times.points.iter().any(|point| point.steps == steps) {
                return Ok(());
            }
            begin(&format!("{}, {} × {}", wait.name(), steps[0].lines, steps[0].columns));
            let builder = case.builder().threads(threads).wavefront(wait.wavefront()).without(wait.off());
            let builder = asked.into_iter().fold(builder, squeeze_engine::SimulationBuilder::tile);
            let mut simulation = builder.build()?;
            simulation.step(1)?;
            let mut of_processor = f64::INFINITY;
            let timing = clock::time(1, SHORTEST, seconds, |steps| -> Result<()> {
                let begin = user_seconds();
                simulation.step(steps)?;
                of_processor = of_processor.min((user_seconds() - begin) / steps as f64);
                Ok(())
            })?;
            device = simulation.device();
            times
                .points
                .push(TilePoint { steps, seconds: if !on_gpu && threads == 1 { of_processor } else { timing.min } });
            Ok(())
        };
        asked.into_iter().try_for_each(|asked| measure(&mut times, asked))?;
        // The best width in closed form, too.
        let curve = times.curve();
        let [narrowest, widest] = [curve[0], curve[curve.len() - 1]].map(|point| point.tile()[1] as f64);
        if let Some(width) = times.root().filter(|width| (narrowest..widest).contains(width)) {
            let whole = if on_gpu { LEAST_COLUMNS } else { LEAST_COLUMNS / 2 };
            measure(&mut times, Some([lines, (width.round() as u32).next_multiple_of(whole)]))?;
        }
        waits.push(times);
    }
    if waits.is_empty() {
        let text = format!("{},{},{}", case.fractal_spec, case.rule_spec, case.backend.name());
        let problem = format!("not all of its steps go through tiles on `{}`", case.backend.name());
        return Err(no_case(&text, &problem).into());
    }
    Ok(WavefrontTimes { device, threads, cells: case.domain().cells(), waits })
}

/// The shortest repeat, in seconds.
const SHORTEST: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;

    /// R(m) = Σ ⌈i / B⌉ for i = 1 … m, so S = 2 R(a − 1) + (b − a + 1) ⌈a / B⌉ rounds for a ≤ b tiles.
    #[test]
    fn rounds_are_those_of_the_closed_form() {
        let of = |m: u64, workers: u64| (1..=m).map(|tiles| tiles.div_ceil(workers)).sum::<u64>();
        for (strips, tiles, workers) in [(1, 1, 1), (1, 9, 4), (5, 5, 1), (7, 30, 3), (30, 7, 16), (29, 39, 16)] {
            let step = StepTiles { sides: [tiles * 10 - 3, strips * 4 - 1], shear: 0, lines: 4, columns: 10 };
            let (a, b) = (strips.min(tiles), strips.max(tiles));
            let wanted = 2 * of(a - 1, workers) + (b - a + 1) * a.div_ceil(workers);
            assert_eq!(step.rounds(workers), [wanted, strips + tiles - 1]);
        }
        // Sheared: 44, 32 and 22 tiles on the widest plane of 1000 × 700 in tiles of 16 × 16, each with a worker, or all with one.
        let count =
            |shear: u64, workers: u64| StepTiles { sides: [1000, 700], shear, lines: 16, columns: 16 }.rounds(workers);
        let widest = |shear: u64| (1..100).find(|workers| count(shear, *workers)[0] == count(shear, *workers)[1]);
        assert_eq!([0, 1, 2].map(widest), [Some(44), Some(32), Some(22)]);
    }

    #[test]
    fn two_times_make_a_model() {
        let model = TileModel { cell: 2e-9, wait: 3e-6 };
        let step = |columns| StepTiles { sides: [4096; 2], shear: 0, lines: 128, columns };
        for wait in [TileWait::Launches, TileWait::Flags, TileWait::Threads] {
            // Closed forms are those of strips that have a worker each, unless these are threads.
            let workers = if wait == TileWait::Threads { 4 } else { 64 };
            let point = |columns: u64| {
                let counts = step(columns).counts(wait, workers);
                TilePoint { steps: vec![step(columns)], seconds: model.seconds(counts) }
            };
            let times = WaitTimes { wait, workers, points: [64, 16, 32, 128, 512].map(point).to_vec() };
            let found = times.model().expect("a model");
            assert!((found.cell / model.cell - 1.0).abs() < 1e-6 && (found.wait / model.wait - 1.0).abs() < 1e-6);
            assert!(times.deviation().is_some_and(|off| off < 1e-6));
            assert_eq!(times.chosen().map(TilePoint::tile), Some(times.best().tile()));
            let root = times.root().expect("a root");
            let near = times.best().tile()[1] as f64;
            assert!((0.4..2.5).contains(&(root / near)), "{wait:?}: {root} {near}");
        }
    }

    #[test]
    fn tiles_are_measured_on_a_processor() {
        let case = super::case("plane_300,lcs", &Edges::default()).expect("a case");
        let times = measure(&case, 2, 0.001, |_| ()).expect("times");
        let [threads] = &times.waits[..] else { panic!("{times:?}") };
        assert!(times.cells == 90_000 && threads.points.len() > 8, "{times:?}");
        assert!(threads.best().seconds <= threads.points[0].seconds);
        let whole = super::case("plane_30,life", &Edges::default()).expect("a case");
        assert!(measure(&whole, 1, 0.1, |_| ()).expect_err("no tiles").to_string().contains("go through tiles"));
    }
}
