//! Computing the members of a sweep.
//!
//! Kernels are compiled once: the ensembles of a [`Crew`] take the members, which decides how many of them run together, and where.

use super::collector::{self, Asked, Collector, MEMBERS, MemberFiles, Probes};
use super::folder::read_what_is_whole;
use super::rows::{Ended, Floats, Keeper, Kept, Rows};
use super::{Given, Shard, Summary, Sweep, SweepFolder};
use crate::texts::Digest;
use squeeze_compiler::CellSettings;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_compiler::target::Hardware;
use squeeze_engine::EngineError;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{Backend, Crew, Ensemble, Member, Simulation, SimulationBuilder};
use squeeze_host::numbers::counted;
use squeeze_host::threads::ThreadsError;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The backend, the threads and the machine of a sweep.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct How<'a> {
    /// The backend.
    pub backend: Backend,
    /// The threads of the host; as many as the machine runs at once if it is not said.
    pub threads: Option<usize>,
    /// The machine that layouts are chosen for, unless it is this one.
    pub machine: Option<&'a Hardware>,
}

/// An observer of a running sweep.
pub trait Watch {
    /// Whether the sweep is to end as soon as it can; members that have come to their ends are kept.
    fn wants_stop(&self) -> bool {
        false
    }

    /// Takes a remark that the observer should know.
    fn remark(&mut self, text: &str) {
        _ = text;
    }

    /// `steps` of `all` time steps are computed, of all members together, and `members` members have come to their ends.
    fn progress(&mut self, steps: u64, all: u64, members: usize) {
        _ = (steps, all, members);
    }
}

/// Members of which something is gathered have a file each that is open while they run, and systems allow for about a thousand.
const MOST_FILES: usize = 256;
/// The approximate number of digits that the longest line of a table has beyond the first one.
const MORE_DIGITS: usize = 12;
/// Bytes of a member's lines that memory is asked for before they are there.
const MOST_RESERVED: usize = 1 << 20;
/// Between two looks at the clock.
const TICK: Duration = Duration::from_millis(100);
/// Members that have come to their ends wait so long at most before they are written down.
pub const KEEP: Duration = Duration::from_secs(1);

/// A sweep to compute, with its folder and collectors.
#[derive(Clone, Copy)]
struct Work<'a> {
    folder: &'a SweepFolder,
    sweep: &'a Sweep,
    how: How<'a>,
    asked: &'a [Asked<'a>],
    /// The members that are computed, all levels together.
    total: usize,
}

/// Computes the members that are missing and writes the tables and the files of these collectors; `None` if the watch wanted to stop.
///
/// # Errors
/// If a collector of the sweep is missing here, the machine fails or the folder cannot be written to. Complete members are kept.
pub fn run(
    folder: &SweepFolder,
    sweep: &Sweep,
    how: How<'_>,
    collectors: &[&dyn Collector],
    watch: &mut dyn Watch,
) -> Result<Option<Summary>> {
    run_keeping(KEEP, folder, sweep, (how, None), collectors, watch)
}

/// The same, where the [`first`] member may be there, and members wait for this time at most before they are written down.
///
/// # Errors
/// As of [`run`].
pub fn run_keeping(
    every: Duration,
    folder: &SweepFolder,
    sweep: &Sweep,
    (how, first): (How<'_>, Option<Simulation>),
    collectors: &[&dyn Collector],
    watch: &mut dyn Watch,
) -> Result<Option<Summary>> {
    let _mode = DefaultMode::enter();
    let floats = Floats::of(sweep)?;
    let is_complete = folder.is_complete()?;
    let (mut of_tables, wrong) = match is_complete {
        true => read_what_is_whole(folder.path(), sweep)?,
        false => (BTreeMap::new(), None),
    };
    // A whole sweep that is complete has its collectors' files already.
    let asked = match is_complete && sweep.shard == Shard::WHOLE {
        true => Vec::new(),
        false => collector::asked(folder.path(), (&sweep.gathered, sweep.unsealed), collectors)?,
    };
    let asked = &asked[..];
    let Kept { rows: mut of_members, mut damaged, .. } = Kept::read(folder.path(), sweep)?;
    let mut rows: BTreeMap<usize, Rows> = BTreeMap::new();
    let mut missing = Vec::new();
    for member in sweep.own_members() {
        let found: Vec<Rows> = of_tables.remove(&member).into_iter().chain(of_members.remove(&member)).collect();
        let is_damaged = !found.is_empty();
        let is_whole = |rows: &Rows| asked.iter().all(|asked| asked.is_kept(folder.path(), member, rows));
        match found.into_iter().find(is_whole) {
            Some(kept) => drop(rows.insert(member, kept.renewed(&floats))),
            None => {
                damaged = damaged.or(is_damaged.then(|| folder.path().join(MEMBERS)));
                missing.push(member);
            }
        }
    }
    if is_complete && !missing.is_empty() {
        sweep.check_cells()?;
        let wrong = wrong.map_or_else(String::new, |wrong| format!("{wrong}; "));
        watch.remark(&format!("{wrong}{} computed again", counted(missing.len() as u64, "member")));
    } else if let Some(wrong) = wrong {
        watch.remark(&format!("{wrong}; the tables are made again"));
    } else if let Some(path) = damaged.filter(|_| !missing.is_empty()) {
        watch.remark(&format!("`{}` is not as it was written; its members are computed again", path.display()));
    }
    let work = Work { folder, sweep, how, asked, total: rows.len() + missing.len() };
    // Kernels and tables are those of one domain.
    let mut domains: BTreeMap<(usize, CellSettings), Vec<usize>> = BTreeMap::new();
    for member in missing {
        domains.entry(domain_of(sweep, member)).or_default().push(member);
    }
    let mut first = first.filter(|_| domains.keys().next() == Some(&domain_of(sweep, 0)));
    let mut cells = sweep.cells.clone();
    let mut keeper = Keeper::new(folder.path(), every)?;
    for of_domain in domains.values() {
        let done = compute(work, of_domain, first.take(), &mut cells, &mut rows, &mut keeper, watch);
        if !matches!(done, Ok(true)) {
            let kept = keeper.keep();
            return done.and(kept).map(|()| None);
        }
    }
    if !asked.is_empty() {
        // A part keeps these files when there are tables.
        keeper.keep()?;
    }
    if sweep.shard == Shard::WHOLE {
        for asked in asked {
            asked.finish(folder.path(), sweep.times().collect(), &rows, |_| folder.path())?;
        }
    }
    folder.finish(&Sweep { cells, ..sweep.clone() }, &rows).map(Some)
}

/// The level and the settings of a member's domain: members that have both in common have the same domain.
fn domain_of(sweep: &Sweep, member: usize) -> (usize, CellSettings) {
    (sweep.level_number(member), sweep.fractal_of(member).settings())
}

/// The first member of a level, as it is among those of its domain.
///
/// # Errors
/// If the recorded texts do not give it, or it cannot run.
pub fn first(sweep: &Sweep, level: usize, how: How<'_>) -> Result<Simulation> {
    let first = level * sweep.members() / sweep.levels().len();
    let domain = domain_of(sweep, first);
    let others = sweep.own_members().filter(|other| *other != first && domain_of(sweep, *other) == domain);
    // All others are alike.
    let members = std::iter::once(first).chain(others.take(1)).map(|number| member(sweep, number));
    Ok(builder(sweep, first, how)?.members(members).first()?)
}

/// The builder of a member, on the threads that `how` says.
fn builder(sweep: &Sweep, member: usize, how: How<'_>) -> Result<SimulationBuilder> {
    let fractal = sweep.fractal_of(member).fractal()?;
    let rule = sweep.rule.rule()?;
    let (seed, settings) = sweep.member(member);
    let level = sweep.levels()[sweep.level_number(member)];
    let builder = Simulation::builder(fractal, rule).level(level).seed(seed).backend(how.backend);
    let builder = sweep.disorder_of(member).into_iter().fold(builder, SimulationBuilder::disorder);
    let builder = settings.into_iter().fold(builder, SimulationBuilder::set);
    let builder = how.machine.cloned().into_iter().fold(builder, SimulationBuilder::hardware);
    Ok(match how.threads {
        Some(threads) if how.backend != Backend::Reference => builder.threads(threads),
        _ => builder,
    })
}

/// Data shared by the threads that compute members of one domain.
struct Shared<'a> {
    sweep: &'a Sweep,
    given: Arc<Given>,
    /// Observations between two looks at whether to stop.
    ahead: u32,
    /// The next batch of members.
    next: AtomicUsize,
    /// Steps that were computed.
    steps: AtomicU64,
    stop: AtomicBool,
}

/// Computes these members of one domain, keeps each and adds its rows; false if the watch wanted to stop.
fn compute(
    work: Work<'_>,
    missing: &[usize],
    first: Option<Simulation>,
    cells: &mut BTreeMap<CellSettings, Digest>,
    rows: &mut BTreeMap<usize, Rows>,
    keeper: &mut Keeper,
    watch: &mut dyn Watch,
) -> Result<bool> {
    let Work { folder, sweep, how, asked, total } = work;
    let most = MOST_FILES.checked_div(asked.len()).map_or(usize::MAX, |most| most.max(1));
    let members = missing.iter().map(|number| member(sweep, *number));
    let Crew { mut ensembles, batches, ahead } = builder(sweep, missing[0], how)?.members(members).crew(first, most)?;
    let given = match &sweep.values {
        Some(values) => Arc::clone(values),
        None => Arc::new(Given::read_in(ensembles[0].member_mut(0)?, &sweep.init, Some(folder.path()))?.0),
    };
    given.check(&sweep.given)?;
    folder.make_members()?;
    let (domain, drawn) =
        (sweep.fractal_of(missing[0]), ensembles[0].members()[0].domain().fractal().digest_of_drawn());
    let drawn = drawn.filter(|_| domain.cells.is_none()).map(Digest);
    cells.extend(drawn.map(|drawn| (domain.settings(), drawn)));
    let threads = if ensembles.len() > 1 { Some(1) } else { how.threads };
    // Gathered data, and an end, may come with each observation.
    let ahead = if sweep.stops || !asked.is_empty() { 1 } else { ahead };
    let (next, steps, stop) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let shared = Shared { sweep, given, ahead, next, steps, stop };
    let done_before = rows.len();
    let all = total as u64 * u64::from(sweep.steps);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let (mut started, mut result): (u32, Result<()>) = (0, Ok(()));
        for mut ensemble in ensembles {
            let (sender, shared, batches) = (sender.clone(), &shared, &batches);
            let worker = std::thread::Builder::new().spawn_scoped(scope, move || {
                let mut probes = Probes::new(folder.path(), asked, threads);
                while let Some(batch) = batches.get(shared.next.fetch_add(1, Ordering::Relaxed)) {
                    let batch: Vec<usize> = batch.iter().map(|number| missing[*number]).collect();
                    let found = ensemble.on_its_threads(|ensemble| rows_of(shared, ensemble, &batch, &mut probes));
                    let failed = found.is_err();
                    // Members that were stopped have no rows. The receiver is gone after a failure.
                    if matches!(found, Ok(None)) || sender.send((batch, found)).is_err() || failed {
                        break;
                    }
                }
            });
            match worker {
                Ok(_) => started += 1,
                // Fewer do the work of all.
                Err(_) if started > 0 => break,
                Err(error) => result = Err(EngineError::from(ThreadsError::None(error.to_string())).into()),
            }
        }
        drop(sender);
        loop {
            let kept = match receiver.recv_timeout(TICK) {
                Ok((batch, found)) => found.map(|found| {
                    for (&member, ended) in batch.iter().zip(found.into_iter().flatten()) {
                        keeper.add(member, drawn, &ended);
                        rows.insert(member, ended.rows);
                    }
                }),
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            // The tables follow the last ones.
            let kept = if rows.len() < total { kept.and_then(|()| keeper.keep_in_time()) } else { kept };
            if let (Err(error), Ok(())) = (kept, &result) {
                result = Err(error);
                shared.stop.store(true, Ordering::Relaxed);
            }
            if watch.wants_stop() {
                shared.stop.store(true, Ordering::Relaxed);
            }
            let before = done_before as u64 * u64::from(sweep.steps);
            watch.progress(before + shared.steps.load(Ordering::Relaxed), all, rows.len());
        }
        result
    })?;
    Ok(rows.len() == done_before + missing.len())
}

/// A member as ensembles know it.
fn member(sweep: &Sweep, number: usize) -> Member {
    let (seed, settings) = sweep.member(number);
    let member = sweep.disorder_of(number).into_iter().fold(Member::new(seed), Member::disorder);
    settings.into_iter().fold(member, Member::set)
}

/// A member on its way from its beginning to its end.
struct OnItsWay {
    rows: Rows,
    files: MemberFiles,
    /// Whether it ends at the time that was last observed, and whether it had ended before.
    ends: bool,
    has_ended: bool,
}

/// Runs members from their beginnings to their ends, as many as the ensemble has or fewer, and gives the results of each; `None` if they were stopped.
fn rows_of(
    shared: &Shared<'_>,
    ensemble: &mut Ensemble,
    batch: &[usize],
    probes: &mut Probes<'_>,
) -> Result<Option<Vec<Ended>>> {
    let Shared { sweep, given, ahead, steps, stop, .. } = shared;
    ensemble.begin(&batch.iter().map(|number| member(sweep, *number)).collect::<Vec<_>>())?;
    (0..batch.len()).try_for_each(|member| given.give(ensemble.member_mut(member)?))?;
    let begin = |number: &usize| {
        Ok(OnItsWay { rows: Rows::default(), files: probes.begin(*number)?, ends: false, has_ended: false })
    };
    let mut all = batch.iter().map(begin).collect::<Result<Vec<_>>>()?;
    let lines = sweep.times().count();
    let mut time = 0;
    for (every, times) in stretches(sweep.times(), *ahead) {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        time += every * times;
        let wants = |member: &OnItsWay| !member.has_ended;
        ensemble.step_reduced(every, times, &mut all, wants, |member, reduced| {
            let (values, rows) = (reduced.observables(), &mut member.rows);
            let is_first = rows.lines.is_empty();
            member.ends = reduced.stops(&values) || reduced.time == sweep.steps;
            rows.push(reduced.rule, reduced.time, values.iter(), member.ends);
            if is_first {
                // Texts that grow by turns on many threads make them wait for memory.
                rows.lines.reserve(lines.saturating_mul(rows.lines.len() + MORE_DIGITS).min(MOST_RESERVED));
            }
        })?;
        for (member, simulation) in all.iter_mut().zip(ensemble.members()).filter(|(member, _)| wants(member)) {
            probes.add(simulation, &mut member.files)?;
            member.has_ended = member.ends;
            // Steps that it does not compute count as done.
            let ahead = if member.ends { sweep.steps - time } else { 0 };
            steps.fetch_add(u64::from(every * times + ahead), Ordering::Relaxed);
        }
        if all.iter().all(|member| member.has_ended) {
            break;
        }
    }
    let finished = |member: OnItsWay| Ok(Ended { rows: member.rows, gathered: member.files.finish()? });
    all.into_iter().map(finished).collect::<Result<Vec<_>>>().map(Some)
}

/// Times that follow each other at equal distances, from 0 on: the distance, and at most `most` of them at once.
fn stretches(times: impl Iterator<Item = u32>, most: u32) -> impl Iterator<Item = (u32, u32)> {
    let (mut times, mut before) = (times.peekable(), 0);
    std::iter::from_fn(move || {
        let first = times.next()?;
        let distance = first - before;
        before = first;
        let mut count = 1;
        while count < most && times.peek().is_some_and(|next| next - before == distance) {
            before += distance;
            times.next();
            count += 1;
        }
        Some((distance, count))
    })
}

#[cfg(test)]
mod tests {
    use super::stretches;

    #[test]
    fn stretches_have_all_times() {
        let all = |times: &[u32], most| stretches(times.iter().copied(), most).collect::<Vec<_>>();
        assert_eq!(all(&[0, 10, 20, 30, 35], 64), [(0, 1), (10, 3), (5, 1)]);
        assert_eq!(all(&[0, 10, 20, 30], 2), [(0, 1), (10, 2), (10, 1)]);
        assert_eq!(all(&[1, 2, 4, 8], 64), [(1, 2), (2, 1), (4, 1)]);
        assert_eq!(all(&[], 64), []);
    }
}
