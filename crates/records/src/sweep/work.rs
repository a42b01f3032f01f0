//! Computing the members of a sweep.
//!
//! Kernels are compiled once: a member begins with [`Simulation::restart`]. On the CPU small members run beside each other, one a thread, so
//! that no thread waits for others, or some of one seed in turn (`turns`); large ones run one after the other on all threads. A GPU takes as many at once as fill it, as an
//! [`Ensemble`](squeeze_engine::Ensemble).

use super::collector::{self, Asked, Collector, MemberFiles, Probes};
use super::folder::read_what_is_whole;
use super::rows::{Floats, Rows};
use super::turns;
use super::{Given, Shard, Summary, Sweep, SweepFolder};
use squeeze_compiler::plan::{can_share_buffers, is_worth_all_threads};
use squeeze_compiler::target::Hardware;
use squeeze_compiler::{CellSettings, Off};
use squeeze_engine::EngineError;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{Backend, Member, Simulation, SimulationBuilder};
use squeeze_host::numbers::counted;
use squeeze_host::threads::ThreadsError;
use squeeze_host::{memory, threads};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What executes a sweep.
#[derive(Clone, Copy, Debug, Default)]
pub struct How<'a> {
    /// The backend.
    pub backend: Backend,
    /// The threads of the host; as many as the machine runs at once if it is not said.
    pub threads: Option<usize>,
    /// The machine that layouts are chosen for, unless it is this one.
    pub machine: Option<&'a Hardware>,
}

/// Whoever looks on.
pub trait Watch {
    /// Whether the sweep is to end as soon as it can; members that have come to their ends are kept.
    fn wants_stop(&self) -> bool {
        false
    }

    /// What whoever looks on should know.
    fn remark(&mut self, text: &str) {
        _ = text;
    }

    /// `steps` of `all` time steps are computed, of all members together, and `members` members have come to their ends.
    fn progress(&mut self, steps: u64, all: u64, members: usize) {
        _ = (steps, all, members);
    }
}

/// The approximate number of cells of the members that a GPU computes together, which fill it: what ends a sweep loses no more than these.
const TOGETHER: u64 = 1 << 27;
/// Members of which something is gathered have a file each that is open while they run, and systems allow for about a thousand.
const MOST_FILES: usize = 256;
/// Observations of members on a GPU before somebody looks whether to stop.
const AHEAD: u32 = 32;
/// The approximate number of digits that the longest line of a table has beyond the first one.
const MORE_DIGITS: usize = 12;
/// Bytes of a member's lines that memory is asked for before they are there.
const MOST_RESERVED: usize = 1 << 20;
/// Between two looks at the clock.
const TICK: Duration = Duration::from_millis(100);

/// What is computed for a sweep.
#[derive(Clone, Copy)]
struct Work<'a> {
    folder: &'a SweepFolder,
    sweep: &'a Sweep,
    how: How<'a>,
    asked: &'a [Asked<'a>],
    /// The members that are computed, all levels together.
    total: usize,
}

/// Computes the members that are missing and writes the tables, and what these collectors make of the members; `None` if the watch wanted to stop.
///
/// # Errors
/// If nothing here gathers what the sweep does, the machine fails or the folder cannot be written to. Members that have come to
/// their ends are kept.
pub fn run(
    folder: &SweepFolder,
    sweep: &Sweep,
    how: How<'_>,
    collectors: &[&dyn Collector],
    watch: &mut dyn Watch,
) -> Result<Option<Summary>> {
    let floats = Floats::of(sweep)?;
    let is_complete = folder.is_complete()?;
    let (mut of_tables, wrong) = match is_complete {
        true => read_what_is_whole(folder.path(), sweep)?,
        false => (BTreeMap::new(), None),
    };
    // A whole sweep that is complete has made of it what it is for.
    let asked = match is_complete && sweep.shard == Shard::WHOLE {
        true => Vec::new(),
        false => collector::asked(folder.path(), &sweep.gathered, collectors)?,
    };
    let asked = &asked[..];
    let mut rows: BTreeMap<usize, Rows> = BTreeMap::new();
    let mut missing = Vec::new();
    for member in sweep.own_members() {
        let of_tables = of_tables
            .remove(&member)
            .filter(|rows| asked.iter().all(|asked| asked.is_kept(folder.path(), member, rows)));
        match of_tables.map_or_else(|| folder.kept(sweep, asked, member), |rows| Ok(Some(rows)))? {
            Some(kept) => drop(rows.insert(member, kept.renewed(&floats))),
            None => missing.push(member),
        }
    }
    if is_complete && !missing.is_empty() {
        sweep.fractal.fractal_of_known_cells()?;
        let wrong = wrong.map_or_else(String::new, |wrong| format!("{wrong}; "));
        watch.remark(&format!("{wrong}{} computed again", counted(missing.len() as u64, "member")));
    } else if let Some(wrong) = wrong {
        watch.remark(&format!("{wrong}; the tables are made again"));
    }
    let work = Work { folder, sweep, how, asked, total: rows.len() + missing.len() };
    // Kernels and tables are those of one domain.
    let mut domains: BTreeMap<(usize, CellSettings), Vec<usize>> = BTreeMap::new();
    for member in missing {
        let domain = (sweep.level_number(member), sweep.fractal_of(member).settings());
        domains.entry(domain).or_default().push(member);
    }
    for of_domain in domains.values() {
        if !compute(work, of_domain, &mut rows, watch)? {
            return Ok(None);
        }
    }
    if sweep.shard == Shard::WHOLE {
        for asked in asked {
            asked.finish(folder.path(), sweep.times().collect(), &rows, |_| folder.path())?;
        }
    }
    folder.finish(sweep, &rows).map(Some)
}

/// What is needed to build a member, on the threads that `how` says.
///
/// # Errors
/// If the recorded texts do not give it.
pub fn builder(sweep: &Sweep, member: usize, how: How<'_>) -> Result<SimulationBuilder> {
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

/// Computes these members of one domain, keeps each and adds its rows; false if the watch wanted to stop.
fn compute(work: Work<'_>, missing: &[usize], rows: &mut BTreeMap<usize, Rows>, watch: &mut dyn Watch) -> Result<bool> {
    let Work { folder, sweep, how, asked, total } = work;
    // The first one tells what runs it and how large it is, and is one of the workers.
    let builder = builder(sweep, missing[0], how)?;
    let mut first = builder.clone().build()?;
    let (given, _) = Given::read(&mut first, &sweep.init)?;
    given.check(&sweep.given)?;
    folder.make_members()?;
    if first.backend() == Backend::Cuda && can_share_buffers(first.domain(), Off::none()) {
        let cells = first.domain().cells();
        drop(first);
        return compute_together(work, missing, (builder, given), cells, rows, watch);
    }
    let threads = threads::useful(how.threads);
    let room = memory::available() / 2 / first.state_bytes().max(1);
    let workers = match first.backend() {
        Backend::Cpu if is_worth_all_threads(first.domain()) => 1,
        Backend::Cpu | Backend::Reference => threads.min(missing.len()).min(room.max(1) as usize).max(1),
        Backend::Cuda | Backend::Auto => 1,
    };
    let builder = builder.backend(first.backend());
    let builder = if workers > 1 && first.backend() == Backend::Cpu { builder.threads(1) } else { builder };
    let is_small = first.backend() == Backend::Cpu && !is_worth_all_threads(first.domain());
    let in_turn = if is_small { turns::most_in_turn(&first, sweep, missing.len(), workers) } else { 1 };
    let in_turn = in_turn.min((room / workers as u64).max(1) as usize);
    let groups = turns::groups(sweep, missing, in_turn);
    let first = if workers == 1 { first } else { builder.clone().build()? };
    let (seed, settings) = sweep.member(missing[0]);
    let another =
        |first: &Simulation, threads| match first.another((seed, sweep.disorder_of(missing[0])), &settings, threads)? {
            Some(simulation) => Ok(simulation),
            None => builder.clone().build(),
        };
    let mut teams = (1..workers).map(|_| Ok(vec![another(&first, Some(1))?])).collect::<Result<Vec<_>>>()?;
    teams.push(vec![first]);
    for team in &mut teams {
        while team.len() < in_turn {
            team.push(another(&team[0], None)?);
        }
    }
    let probe_threads = if workers > 1 { Some(1) } else { how.threads };
    let (next, steps, stop) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let done_before = rows.len();
    let all = total as u64 * u64::from(sweep.steps);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let (mut started, mut result): (u32, Result<()>) = (0, Ok(()));
        for mut team in teams {
            let (sender, next, steps, stop, groups, given) = (sender.clone(), &next, &steps, &stop, &groups, &given);
            let worker = std::thread::Builder::new().spawn_scoped(scope, move || {
                let mut probes = Probes::new(folder.path(), asked, probe_threads);
                while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = Simulation::on_their_threads(&mut team, |team| {
                        turns::rows_of(team, sweep, group, given, &mut probes, steps, stop)
                    });
                    let failed = found.is_err();
                    // Members that were stopped have no rows. Nobody listens any more after a failure.
                    if matches!(found, Ok(None)) || sender.send((group, found)).is_err() || failed {
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
            match receiver.recv_timeout(TICK) {
                Ok((group, found)) => {
                    let kept = found.and_then(|found| {
                        for (&member, found) in group.iter().zip(found.into_iter().flatten()) {
                            folder.keep(member, &found)?;
                            rows.insert(member, found);
                        }
                        Ok(())
                    });
                    if let (Err(error), Ok(())) = (kept, &result) {
                        result = Err(error);
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if watch.wants_stop() {
                stop.store(true, Ordering::Relaxed);
            }
            let before = done_before as u64 * u64::from(sweep.steps);
            watch.progress(before + steps.load(Ordering::Relaxed), all, rows.len());
        }
        result
    })?;
    Ok(rows.len() == done_before + missing.len())
}

/// As [`compute`], many members at a time in one set of kernels.
fn compute_together(
    work: Work<'_>,
    missing: &[usize],
    (builder, given): (SimulationBuilder, Given),
    cells: u64,
    rows: &mut BTreeMap<usize, Rows>,
    watch: &mut dyn Watch,
) -> Result<bool> {
    let Work { folder, sweep, how, asked, total } = work;
    let builder = builder.backend(Backend::Cuda);
    let member = |number: &usize| {
        let (seed, settings) = sweep.member(*number);
        let member = sweep.disorder_of(*number).into_iter().fold(Member::new(seed), Member::disorder);
        settings.into_iter().fold(member, Member::set)
    };
    let mut most = (TOGETHER / cells.max(1)).clamp(1, missing.len() as u64) as usize;
    if !asked.is_empty() {
        most = most.min((MOST_FILES / asked.len()).max(1));
    }
    let (mut ensemble, size) = loop {
        // All batches are of one size, for one ensemble; the last one is filled up with its last member.
        let size = missing.len().div_ceil(missing.len().div_ceil(most));
        match builder.clone().members(missing[..size].iter().map(member)).build() {
            Err(error) if size > 1 && error.is_too_large() => most = size / 2,
            built => break (built?, size),
        }
    };
    let mut probes = Probes::new(folder.path(), asked, how.threads);
    let all = total as u64 * u64::from(sweep.steps);
    let lines = sweep.times().count();
    for (number, batch) in missing.chunks(size).enumerate() {
        if number > 0 {
            let filled = batch.iter().chain(std::iter::repeat(&batch[batch.len() - 1]));
            let members: Vec<Member> = filled.take(size).map(member).collect();
            ensemble.restart(&members)?;
        }
        ensemble.members_mut().iter_mut().try_for_each(|member| given.give(member))?;
        let done = rows.len();
        let mut told = Instant::now();
        // The rows of each member, whether it has ended, and whether it ends now.
        let mut texts = vec![(Rows::default(), false, false); batch.len()];
        let mut files = batch.iter().map(|member| probes.begin(*member)).collect::<Result<Vec<_>>>()?;
        let apart = !asked.is_empty() || ensemble.members()[0].rule().stop.is_some();
        for (every, times) in stretches(sweep.times(), if apart { 1 } else { AHEAD }) {
            // What the last batch is filled up with has no text, and is not asked for.
            ensemble.step_reduced(every, times, &mut texts, |(text, ended, ends), reduced| {
                if !*ended {
                    let values = reduced.observables();
                    *ends = reduced.stops(&values);
                    let is_first = text.lines.is_empty();
                    text.push(reduced.rule, reduced.time, values.iter(), *ends || reduced.time == sweep.steps);
                    if is_first {
                        // Texts that grow by turns on many threads make them wait for memory.
                        let lines = lines.saturating_mul(text.lines.len() + MORE_DIGITS);
                        text.lines.reserve(lines.min(MOST_RESERVED));
                    }
                }
            })?;
            for (((_, ended, _), files), member) in texts.iter().zip(&mut files).zip(ensemble.members()) {
                if !ended {
                    probes.add(member, files)?;
                }
            }
            texts.iter_mut().for_each(|(_, ended, ends)| *ended |= *ends);
            if watch.wants_stop() {
                return Ok(false);
            }
            if told.elapsed() >= TICK {
                let steps = done as u64 * u64::from(sweep.steps) + batch.len() as u64 * u64::from(ensemble.time());
                watch.progress(steps, all, done);
                told = Instant::now();
            }
            if texts.iter().all(|(_, ended, _)| *ended) {
                break;
            }
        }
        files.into_iter().try_for_each(MemberFiles::finish)?;
        // The tables follow the last ones.
        let are_last = done + batch.len() == total;
        for (member, (text, ..)) in batch.iter().zip(texts) {
            if !are_last {
                folder.keep(*member, &text)?;
            }
            rows.insert(*member, text);
        }
        watch.progress(rows.len() as u64 * u64::from(sweep.steps), all, rows.len());
    }
    Ok(true)
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
