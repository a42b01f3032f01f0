//! The ledger: the gain of each speciality. Cases for which a speciality was made are measured with it and without it, by turns in this process, and
//! their results are compared.
//!
//! The cases stand in `ledger/cases.txt`, and the domains and rules that do not ship in `ledger/library.rule`.

use super::{Case, SHORTEST_REPEAT, clock};
use squeeze_compiler::target::speciality::{self, Off, Speciality};
use squeeze_compiler::text::source::Sources;
use squeeze_compiler::{Library, NoFiles, check};
use squeeze_engine::failure::{Error, Result};
use squeeze_engine::simulation::{Backend, Ensemble, Member, Simulation};
use squeeze_records::resolve;

const CASES: &str = include_str!("ledger/cases.txt");
const LIBRARY: &str = include_str!("ledger/library.rule");

/// Steps that are computed before anything is compared: whole passes, of however many steps these are.
const COMPARED_STEPS: u64 = 12;
/// Observations that one call of `step_observing` makes.
const AHEAD: u32 = 64;
/// How often a case is measured with a speciality and without it.
const TURNS: u32 = 3;
/// The members of an ensemble that are compared.
const COMPARED_MEMBERS: usize = 16;
/// A case counts for a speciality if it takes at least this many times as long without it, and against it if it takes less than `HARMS`.
const PAYS: f64 = 1.15;
const HARMS: f64 = 0.95;

/// The work that is measured of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasuredWork {
    /// Steps.
    Steps,
    /// Steps of a mask whose cells alone are stored.
    Packed,
    /// Steps after this many others, where resting cells are left out.
    Rest(u32),
    /// Observables.
    Observe,
    /// Steps, and observables after each.
    Observing,
    /// Steps of this many members, which differ in this parameter if one is given.
    Members(u64, Option<&'static str>),
    /// One step of each of this many members with the same seed after the other.
    Turns(u64, &'static str),
}

/// A case of the ledger.
#[derive(Clone, Debug)]
pub struct LedgerEntry {
    /// The case and what is measured of it, as its line has them between the backend and the specialities.
    pub name: &'static str,
    /// The case.
    pub case: Case,
    /// The work that is measured.
    pub way: MeasuredWork,
    /// The specialities that it was chosen for.
    pub specialities: Vec<Speciality>,
}

/// The effect of a speciality on a case.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The speciality.
    pub speciality: Speciality,
    /// The case.
    pub case: &'static str,
    /// The times with and without it.
    pub outcome: CaseOutcome,
}

/// The result of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseOutcome {
    /// Seconds of a unit of work with the speciality and without it.
    Measured([f64; 2]),
    /// The case has no use for it.
    NotReached,
    /// Wrong or missing results, with the speciality or without it.
    Wrong(String),
}

impl CaseOutcome {
    /// How many times as long the case takes without the speciality.
    pub fn ratio(&self) -> Option<f64> {
        match self {
            CaseOutcome::Measured([on, off]) => Some(off / on),
            CaseOutcome::NotReached | CaseOutcome::Wrong(_) => None,
        }
    }
}

/// The verdict of all lines of a speciality.
pub fn verdict<'a>(lines: impl Iterator<Item = &'a Effect>) -> String {
    let outcomes: Vec<&CaseOutcome> = lines.map(|line| &line.outcome).collect();
    let ratios: Vec<f64> = outcomes.iter().filter_map(|outcome| outcome.ratio()).collect();
    let count = |is: fn(f64) -> bool| ratios.iter().filter(|ratio| is(**ratio)).count();
    match ratios.len() {
        _ if outcomes.iter().any(|outcome| matches!(outcome, CaseOutcome::Wrong(_))) => "WRONG".to_owned(),
        0 => "reached nowhere".to_owned(),
        all => {
            let (pays, harms) = (count(|ratio| ratio >= PAYS), count(|ratio| ratio < HARMS));
            format!("pays in {pays} of {all}, harms in {harms}")
        }
    }
}

/// All cases of a backend.
///
/// # Panics
/// If the list is wrong.
pub fn entries(backend: Backend) -> Vec<LedgerEntry> {
    let mut sources = Sources::new();
    let root = sources.add("library.rule", LIBRARY.to_owned());
    let library = check(&mut sources, root, &mut NoFiles).expect("the library is right");
    let lines = CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| entry(line, backend, &library)).collect()
}

/// The case of a line, if it is of this backend.
fn entry(line: &'static str, backend: Backend, library: &Library) -> Option<LedgerEntry> {
    let line = line.strip_prefix(backend.name())?.strip_prefix(" | ")?;
    let (name, specialities) = line.rsplit_once(" | ").expect("specialities stand last");
    let (text, way) = name.split_once(" | ").expect("a case, and what is measured");
    let fractal = |spec: &str| match library.fractals.iter().find(|fractal| fractal.name == spec) {
        Some(fractal) => Ok(fractal.clone()),
        None => resolve::fractal(spec),
    };
    let rule = |spec: &str| match library.rules.iter().find(|rule| rule.name == spec) {
        Some(rule) => Ok(rule.clone()),
        None => resolve::rule(spec),
    };
    let case = Case::of(&format!("{text},{}", backend.name()), fractal, rule).expect("a case");
    let number = |text: &str| text.parse().expect("a number");
    let way = match way.split(' ').collect::<Vec<_>>()[..] {
        ["steps"] => MeasuredWork::Steps,
        ["packed"] => MeasuredWork::Packed,
        ["rest", steps] => MeasuredWork::Rest(steps.parse().expect("a number")),
        ["observe"] => MeasuredWork::Observe,
        ["observing"] => MeasuredWork::Observing,
        ["members", count] => MeasuredWork::Members(number(count), None),
        ["members", count, param] => MeasuredWork::Members(number(count), Some(param)),
        ["turns", count, param] => MeasuredWork::Turns(number(count), param),
        _ => panic!("`{way}` is nothing to measure"),
    };
    let specialities = specialities.split(' ').map(|name| name.parse().expect("a speciality")).collect();
    Some(LedgerEntry { name, case, way, specialities })
}

impl LedgerEntry {
    /// The results of a backend without some specialities: states and observables after a few steps.
    ///
    /// # Errors
    /// As [`SimulationBuilder::build`](squeeze_engine::SimulationBuilder::build), or if the machine fails.
    pub fn told(&self, backend: Backend, off: Off, threads: usize) -> Result<String> {
        Running::new(self, backend, off, threads)?.told(self.way)
    }

    /// The specialities that a simulation of it uses.
    ///
    /// # Errors
    /// As [`SimulationBuilder::build`](squeeze_engine::SimulationBuilder::build), or if the machine fails.
    pub fn reached(&self, threads: usize) -> Result<Vec<Speciality>> {
        speciality::reached();
        let mut running = Running::new(self, self.case.backend, Off::none(), threads)?;
        running.told(self.way)?;
        running.rest(self.way)?;
        running.work(self.way, 2 * running.unit(self.way))?;
        Ok(speciality::reached())
    }
}

/// Measures a case with and without each speciality in `of` that it was chosen for. The results without a speciality are compared with the results with
/// all, and on a GPU these with the CPU's.
pub fn measure(entry: &LedgerEntry, of: &[Speciality], threads: usize, seconds: f64) -> Vec<Effect> {
    let wanted: Vec<Speciality> = entry.specialities.iter().copied().filter(|one| of.contains(one)).collect();
    let line = |speciality, outcome| Effect { speciality, case: entry.name, outcome };
    let failed = |error: Error| CaseOutcome::Wrong(error.to_string());
    match FullCase::begin(entry, threads, seconds) {
        Ok(mut with) => {
            let outcome = |with: &mut FullCase, of| with.beside(entry, of, threads, seconds).unwrap_or_else(failed);
            wanted.into_iter().map(|speciality| line(speciality, outcome(&mut with, speciality))).collect()
        }
        Err(error) => {
            let outcome = failed(error);
            wanted.into_iter().map(|speciality| line(speciality, outcome.clone())).collect()
        }
    }
}

/// A case with all specialities.
struct FullCase {
    running: Running,
    reached: Vec<Speciality>,
    /// The results that every variant must have: after [`COMPARED_STEPS`] steps, and after the steps of a [`MeasuredWork::Rest`] before the measurement.
    told: String,
    rested: String,
    /// Whether the case has the results `told`, which on a GPU are those of the CPU.
    is_right: bool,
}

impl FullCase {
    fn begin(entry: &LedgerEntry, threads: usize, seconds: f64) -> Result<FullCase> {
        let (backend, way) = (entry.case.backend, entry.way);
        speciality::reached();
        let mut running = Running::new(entry, backend, Off::none(), threads)?;
        let found = running.told(way)?;
        let rested = running.rest(way)?;
        running.seconds(way, seconds)?;
        let reached = speciality::reached();
        let told = match backend {
            Backend::Cpu => found.clone(),
            _ => entry.told(Backend::Cpu, Off::none(), threads)?,
        };
        Ok(FullCase { running, reached, is_right: found == told, told, rested })
    }

    /// Compares it with the case without one of them, and measures both by turns.
    fn beside(
        &mut self,
        entry: &LedgerEntry,
        speciality: Speciality,
        threads: usize,
        seconds: f64,
    ) -> Result<CaseOutcome> {
        let way = entry.way;
        if !self.is_right {
            return Ok(CaseOutcome::Wrong("results are not those of the CPU".to_owned()));
        }
        if !self.reached.contains(&speciality) {
            return Ok(CaseOutcome::NotReached);
        }
        let mut off = Running::new(entry, entry.case.backend, Off::none().with(speciality), threads)?;
        if off.told(way)? != self.told || off.rest(way)? != self.rested {
            return Ok(CaseOutcome::Wrong("results differ without it".to_owned()));
        }
        let mut least = [f64::INFINITY; 2];
        for _ in 0..TURNS {
            for (running, least) in [&mut self.running, &mut off].into_iter().zip(&mut least) {
                *least = least.min(running.seconds(way, seconds / f64::from(2 * TURNS))?);
            }
        }
        Ok(CaseOutcome::Measured(least))
    }
}

/// A simulation that runs, or many.
enum Running {
    One(Box<Simulation>),
    Many(Box<Ensemble>),
}

impl Running {
    fn new(entry: &LedgerEntry, backend: Backend, off: Off, threads: usize) -> Result<Running> {
        let (way, rests) = (entry.way, matches!(entry.way, MeasuredWork::Rest(_)));
        let builder = entry.case.builder().backend(backend).threads(threads).without(off);
        let builder = builder.packed(way == MeasuredWork::Packed).activity(rests);
        let builder = if rests { builder.activity_at_once() } else { builder };
        let member = |number: u64, seed: u64, param: Option<&str>| {
            let value = 0.4 + 0.001 * (number % 64) as f64;
            param.iter().fold(Member::new(seed), |member, param| member.param(param, value))
        };
        let members: Vec<Member> = match way {
            MeasuredWork::Members(count, param) => (0..count).map(|number| member(number, number, param)).collect(),
            MeasuredWork::Turns(count, param) => (0..count).map(|number| member(number, 0, Some(param))).collect(),
            MeasuredWork::Steps
            | MeasuredWork::Packed
            | MeasuredWork::Rest(_)
            | MeasuredWork::Observe
            | MeasuredWork::Observing => {
                return Ok(Running::One(Box::new(builder.build()?)));
            }
        };
        Ok(Running::Many(Box::new(builder.members(members).build()?)))
    }

    /// Computes some steps and tells their results.
    fn told(&mut self, way: MeasuredWork) -> Result<String> {
        let mut told = String::new();
        match self {
            Running::One(one) if way == MeasuredWork::Observing => {
                told = format!("{:?}", one.step_observing(1, COMPARED_STEPS as u32)?);
            }
            Running::One(one) => one.step(COMPARED_STEPS)?,
            Running::Many(_) => self.work(way, COMPARED_STEPS)?,
        }
        Ok(told + &self.look()?)
    }

    /// The digests of states, and the observables.
    fn look(&self) -> Result<String> {
        Ok(match self {
            Running::One(one) => format!("{:?} {:?}", one.digests()?, one.observe()?),
            Running::Many(many) => {
                let step = (many.members().len() / COMPARED_MEMBERS).max(1);
                let digests =
                    many.members().iter().step_by(step).map(Simulation::digests).collect::<Result<Vec<_>, _>>();
                format!("{:?} {:?}", digests?, many.observe()?)
            }
        })
    }

    /// Computes the steps before the measurement and tells their results.
    fn rest(&mut self, way: MeasuredWork) -> Result<String> {
        let MeasuredWork::Rest(steps) = way else { return Ok(String::new()) };
        self.work(way, u64::from(steps))?;
        self.look()
    }

    /// Work is done in multiples of this many units: whole passes, whole batches of observations.
    fn unit(&self, way: MeasuredWork) -> u64 {
        match (self, way) {
            (_, MeasuredWork::Observe | MeasuredWork::Turns(..)) => 1,
            (_, MeasuredWork::Observing) => AHEAD.into(),
            (Running::One(one), _) => one.steps_of_pass().into(),
            (Running::Many(_), _) => COMPARED_STEPS,
        }
    }

    /// Does `units` units of work.
    fn work(&mut self, way: MeasuredWork, units: u64) -> Result<()> {
        match (self, way) {
            (Running::One(one), MeasuredWork::Observe) => (0..units).try_for_each(|_| one.observe().map(drop))?,
            (Running::One(one), MeasuredWork::Observing) => {
                (0..units / u64::from(AHEAD)).try_for_each(|_| one.step_observing(1, AHEAD).map(drop))?;
            }
            (Running::Many(many), MeasuredWork::Turns(..)) => (0..units).try_for_each(|_| many.step(1))?,
            (Running::One(one), MeasuredWork::Rest(steps)) => {
                // A system at rest takes next to no time, and would soon reach the last time that exists.
                one.set_time(steps);
                one.step(units)?;
            }
            (Running::One(one), _) => one.step(units)?,
            (Running::Many(many), _) => many.step(units)?,
        }
        Ok(())
    }

    /// Seconds of a unit of work, the least of several.
    fn seconds(&mut self, way: MeasuredWork, seconds: f64) -> Result<f64> {
        let unit = self.unit(way);
        Ok(clock::time(unit, SHORTEST_REPEAT, seconds, |units| self.work(way, units))?.min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_speciality_has_a_case() {
        for backend in [Backend::Cpu, Backend::Cuda] {
            let entries = entries(backend);
            let of_backend = |speciality: &&Speciality| speciality.is_of(backend == Backend::Cpu);
            for speciality in Speciality::ALL.iter().filter(of_backend) {
                assert!(entries.iter().any(|entry| entry.specialities.contains(speciality)), "{}", speciality.name());
            }
            assert!(entries.iter().flat_map(|entry| &entry.specialities).all(|speciality| of_backend(&speciality)));
        }
    }

    #[test]
    fn verdicts_count_cases() {
        let line = |outcome| Effect { speciality: Speciality::Tables, case: "", outcome };
        let lines = [[1.0, 2.0], [1.0, 1.0], [1.0, 0.5]].map(|times| line(CaseOutcome::Measured(times)));
        assert_eq!(verdict(lines.iter()), "pays in 1 of 3, harms in 1");
        assert_eq!(verdict([line(CaseOutcome::NotReached)].iter()), "reached nowhere");
        let wrong = line(CaseOutcome::Wrong("no memory".to_owned()));
        assert_eq!(verdict(lines.iter().chain([&wrong])), "WRONG");
    }
}
