//! Random programs on everything that executes programs: whatever can be seen must be the same.
//!
//! A [`Trial`] is a program and how it is run. The first of the [`executors`](executors::executors) says what is right: the oracle, or at levels
//! that are too large for it the CPU. Where another sees something else, or fails, [`shrink`] makes the program smaller as long as
//! it still does.

pub mod executors;
pub mod members;
pub mod run;
mod shrink;

pub use shrink::shrink;

use crate::course::{Case, Sight};
use executors::Executor;
use squeeze::compiler::ir::Value;
use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{NoFiles, check};
use squeeze::{Domain, Fractal, Rule};
use squeeze_testing::ordered::{Chance, OrderedProgram, given};
use squeeze_testing::{ProgramKind, RandomProgram, choices, clustered, masked, program, widened};
use std::sync::Arc;

/// Steps between looks.
const STRIDES: [&[u32]; 5] = [&[], &[1], &[1, 1], &[1, 2], &[1, 2, 5]];

/// How large domains are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The oracle decides, on its expanded grid.
    Small,
    /// The most cells, and mostly nearly as many: too many for the oracle.
    Large {
        /// The cells.
        most_cells: u64,
    },
}

/// A program and how it is run.
#[derive(Clone, PartialEq, Eq)]
pub struct Trial {
    /// Its definitions; the last fractal and the last rule are meant.
    pub text: String,
    /// The level.
    pub level: u32,
    /// The seed.
    pub seed: u64,
    /// Says which layouts, instruction sets and strategies are taken.
    pub choice: u64,
    /// Steps between looks.
    pub strides: &'static [u32],
    /// Whether the oracle takes part.
    pub oracle: bool,
}

/// The text that a finding shows.
impl std::fmt::Display for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Trial { level, seed, choice, strides, .. } = self;
        write!(f, "// level {level}, seed {seed}, choice {choice}, steps {strides:?}\n{}", self.text)
    }
}

impl Trial {
    /// The trial of a number; `None` if its program has no level of that size.
    ///
    /// # Panics
    /// If the text made by chance has errors.
    pub fn new(seed: u64, number: u64, size: Size) -> Option<Trial> {
        // One in eight has ordered steps, and one in eight clusters.
        match number % 8 {
            5 if size == Size::Small => Trial::ordered(seed, number),
            3 => Trial::clustered(seed, number / 8, size),
            _ => Trial::written(program, seed, number, size),
        }
    }

    /// The trial of a number, whose program asks clusters of bonds; `None` if it has no level of that size, or edges that bonds cannot have.
    ///
    /// # Panics
    /// If the text made by chance has errors.
    pub fn clustered(seed: u64, number: u64, size: Size) -> Option<Trial> {
        Trial::written(clustered, seed, number, size).filter(|trial| trial.text.contains("clusters c0"))
    }

    fn written(write: fn(ProgramKind, &[u16]) -> RandomProgram, seed: u64, number: u64, size: Size) -> Option<Trial> {
        let kind = ProgramKind { dimension: 2 + (number & 1) as u32, bits: number & 2 == 2 };
        let program = write(kind, &choices(seed.wrapping_mul(0x1_0000_0000_0001).wrapping_add(number)));
        // The lowest bits of the number have said which kind it is: what follows is done to each kind alike. One in eight is widened, and one in
        // four is on a mask, if that admits the rule.
        let program = if number / 16 % 8 == 7 { widened(program) } else { program };
        let on_mask = || {
            let program = masked(program.clone(), kind.dimension);
            let (fractal, rule) = compile(&program.text).ok()?;
            Domain::new(fractal, 1).ok()?.fit(&rule).is_ok().then_some(program)
        };
        let program = if number / 4 % 4 == 3 { on_mask().unwrap_or(program) } else { program };
        let (fractal, rule) = compile(&program.text).unwrap_or_else(|errors| panic!("{errors}\n{}", program.text));
        let axes = fractal.dimension.axes() as u32;
        let small = |side: u64, cells: u64| cells <= 2000 && side.checked_pow(axes).is_some_and(|n| n <= 1 << 15);
        let level = match size {
            Size::Small => program.level.min(Domain::largest_level_where(&fractal, small)),
            Size::Large { most_cells } => {
                let fits = |side: u64, cells: u64| cells <= most_cells && i32::try_from(side).is_ok();
                Domain::largest_level_where(&fractal, fits).saturating_sub(program.level % 2)
            }
        };
        Domain::new(fractal, level).ok()?.fit(&rule).ok()?;
        let RandomProgram { text, layouts, seed, .. } = program;
        let strides = if size == Size::Small { STRIDES[4] } else { STRIDES[3] };
        let choice = layouts ^ number << 16;
        Some(Trial { text, level, seed, choice, strides, oracle: size == Size::Small })
    }

    /// A trial of a program with ordered steps in a box or on a mask, of one warp's lines or of several strips; `None` if no rule runs there.
    fn ordered(seed: u64, number: u64) -> Option<Trial> {
        let mut chance = Chance(seed.wrapping_mul(0x1_0000_0000_0001).wrapping_add(number));
        // The first numbers follow those of the trial before.
        (0..8).for_each(|_| _ = chance.below(2));
        let axes = if chance.below(6) == 0 { 3 } else { 2 };
        let sizes: &[usize] = if axes == 3 { &[1, 3, 6, 17] } else { &[1, 4, 20, 33, 70, 150, 300] };
        let mut side = || {
            let most = sizes[chance.below(sizes.len())];
            1 + chance.below(most)
        };
        let sides: Vec<usize> = (0..axes).map(|_| side()).collect();
        let periodic: String = ["x", "y", "z"][..axes].iter().filter(|_| chance.below(4) == 0).copied().collect();
        let program = match chance.below(5) {
            0 => OrderedProgram::rolling_by_chance(&mut chance, axes),
            _ => OrderedProgram::by_chance(&mut chance, axes, !periodic.is_empty() || number & 16 == 0),
        };
        let size: Vec<String> = sides.iter().map(usize::to_string).collect();
        let mut text = format!("domain d {{\n    size ({})\n", size.join(", "));
        if !periodic.is_empty() {
            let axes: Vec<String> = periodic.chars().map(String::from).collect();
            text += &format!("    periodic {}\n", axes.join(", "));
        }
        match chance.below(4) {
            0 => text += "    cells (x * 3 + y * y) % 7 > 1\n",
            1 => text += &["reflect", "1"].map(|edge| format!("    edge s0 = {edge}\n"))[chance.below(2)],
            _ => {}
        }
        text += &format!("}}\n{}", program.text());
        let (fractal, rule) = compile(&text).ok()?;
        Domain::new(fractal, 1).ok()?.fit(&rule).ok()?;
        let choice = number << 16 | chance.below(1 << 16) as u64;
        Some(Trial { text, level: 1, seed: chance.below(1000) as u64, choice, strides: STRIDES[3], oracle: true })
    }

    /// The simulation; `None` if the text has errors, or does not fit the level.
    pub fn case(&self) -> Option<Case> {
        let (fractal, rule) = compile(&self.text).ok()?;
        Case::admitted(&fractal, self.level, &rule, self.seed, self.strides)
    }
}

/// The last fractal and the last rule of a text.
fn compile(text: &str) -> Result<(Arc<Fractal>, Arc<Rule>), String> {
    let mut sources = Sources::new();
    let root = sources.add("program", text);
    let library = check(&mut sources, root, &mut NoFiles)
        .map_err(|errors| squeeze::compiler::text::diagnostics::render(&errors, &sources, false))?;
    match (library.fractals.last(), library.rules.last()) {
        // Programs with ordered steps have an input along x.
        (Some(fractal), Some(rule)) if rule.named_inputs().next().is_some() => {
            let side = Domain::new(Arc::clone(fractal), 1).map_or(0, |domain| domain.extent()[0]);
            let values = (0..side as i64).map(|x| Value::I32(given(x)));
            Ok((Arc::clone(fractal), Arc::new(Rule::clone(rule).with_input("a", values))))
        }
        (Some(fractal), Some(rule)) => Ok((Arc::clone(fractal), Arc::clone(rule))),
        _ => Err("the text lacks a fractal or a rule".to_owned()),
    }
}

/// The sights of an executor, or why there are none.
pub enum Seen {
    /// All looks.
    Sights(Vec<Sight>),
    /// This program is not for this executor.
    Nothing,
    /// It should have run.
    Failed(String),
}

/// The result of a comparison.
#[derive(Default)]
pub struct Found {
    /// The executors that ran the program, the one that is right first.
    pub ran: Vec<String>,
    /// The executor whose results differ, and the difference.
    pub difference: Option<(String, String)>,
}

/// Has all executors run a trial, until one differs from the first that runs it.
pub fn compare(trial: &Trial, executors: &[Box<dyn Executor>]) -> Found {
    let mut found = Found::default();
    let Some(case) = trial.case() else { return found };
    let mut expected: Option<Vec<Sight>> = None;
    for executor in executors {
        let seen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| executor.run(&case)));
        let name = executor.name();
        match (seen.unwrap_or_else(|panic| Seen::Failed(format!("it panicked: {}", words(&*panic)))), &expected) {
            (Seen::Nothing, _) => {}
            (Seen::Failed(error), _) => {
                found.difference = Some((name, error));
                return found;
            }
            (Seen::Sights(sights), None) => {
                found.ran.push(name);
                expected = Some(sights);
            }
            (Seen::Sights(sights), Some(expected)) => {
                if let Some(difference) = difference(&case, &sights, expected) {
                    found.difference = Some((name, difference));
                    return found;
                }
                found.ran.push(name);
            }
        }
    }
    found
}

/// The words of a panic.
fn words(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words")
}

/// Where two courses part.
fn difference(case: &Case, found: &[Sight], expected: &[Sight]) -> Option<String> {
    let (found, expected) = found.iter().zip(expected).find(|(found, expected)| !found.agrees(expected))?;
    let mut text = format!("after {} steps", expected.time);
    for (i, state) in case.rule.states.iter().enumerate() {
        if found.digests[i] != expected.digests[i] {
            text += &format!(
                "\n`{}` has the digest {:016x}, not {:016x}",
                state.name, found.digests[i], expected.digests[i]
            );
        } else if found.fields.get(i).zip(expected.fields.get(i)).is_some_and(|(found, expected)| found != expected) {
            text += &format!("\n`{}` has the right digest, and other values when it is read", state.name);
        }
    }
    for (i, observable) in case.rule.observables.iter().enumerate() {
        if let (Some(found), Some(expected)) = (found.observed.get(i), expected.observed.get(i))
            && found != expected
        {
            text += &format!("\n`{}` is {found:?}, not {expected:?}", observable.name);
        }
    }
    Some(text)
}
