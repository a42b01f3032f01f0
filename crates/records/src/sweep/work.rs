//! Computing the members of a sweep.
//!
//! Kernels are compiled once: the ensembles of a [`Crew`] take the members, which decides how many of them run together, and where. Several devices, and other
//! ranks, have a crew each; members are dealt out to them.

use super::collector::{self, Asked, Collector, MEMBERS, MemberFiles, Probes};
use super::deal::{Assignment, Dealer, Hand, ThreadHand, Wants, WorkerWord};
use super::exchange::LadderRun;
use super::folder::read_what_is_whole;
use super::ranks::Others;
use super::rows::{Ended, Floats, Keeper, Kept, Rows};
use super::weight::{carrying, following};
use super::{Exchange, Given, Shard, Summary, Sweep, SweepFolder};
use crate::texts::Digest;
use squeeze_compiler::CellSettings;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_compiler::pipeline::{compiled, compiled_elsewhere};
use squeeze_compiler::target::Hardware;
use squeeze_engine::EngineError;
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_engine::ranks::transport::Transport;
use squeeze_engine::simulation::{Backend, Crew, Ensemble, Member, Simulation, SimulationBuilder};
use squeeze_engine::totals::{LogWeight, Reduced};
use squeeze_host::numbers::counted;
use squeeze_host::threads::ThreadsError;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

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
    /// The GPUs of the backend `cuda`, by their numbers, among which members are dealt out; the first one if none is named. A rank among others has one.
    pub devices: &'a [u32],
    /// The bytes of memory that members may take; those that are free if it is not said.
    pub memory: Option<u64>,
    /// The other ranks, which compute members as well: each [serves](super::serve) meanwhile.
    #[doc(hidden)]
    pub ranks: Option<&'a Transport>,
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

/// Between two looks at what was asked for.
const SOON: Duration = Duration::from_millis(1);

/// A worker's view of a sweep.
#[derive(Clone, Copy)]
pub(super) struct Share<'a> {
    pub sweep: &'a Sweep,
    /// The folder of the sweep.
    pub folder: &'a Path,
    pub how: How<'a>,
    pub asked: &'a [Asked<'a>],
    /// The members that are missing, by domains: kernels and tables are those of one domain.
    pub domains: &'a [Vec<usize>],
    /// How many workers there are, of all ranks together,
    pub workers: usize,
    /// and in this process.
    pub here: usize,
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
    let ladders = sweep.ladders();
    if let Some(ladders) = &ladders {
        // Members of a ladder are made together.
        let open: BTreeSet<usize> = missing.iter().map(|member| ladders.of(*member).0).collect();
        missing = open.iter().flat_map(|ladder| ladders.members(*ladder)).collect();
        missing.iter().for_each(|member| drop(rows.remove(member)));
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
    let total = rows.len() + missing.len();
    // Those of a ladder follow each other.
    let mut domains: BTreeMap<(usize, CellSettings), Vec<usize>> = BTreeMap::new();
    for member in missing {
        domains.entry(domain_of(sweep, member)).or_default().push(member);
    }
    let mut domains: Vec<_> = domains.into_values().collect();
    let here = how.devices.len().max(1);
    let workers = here + how.ranks.map_or(0, |ranks| ranks.ranks() - 1);
    if workers > 1 {
        // Larger ones take longer.
        domains.sort_by_key(|members| std::cmp::Reverse(sweep.levels()[sweep.level_number(members[0])]));
    }
    let mut results = Results {
        sweep,
        rows: &mut rows,
        cells: sweep.cells.clone(),
        keeper: Keeper::new(folder.path(), every)?,
        steps: 0,
        total,
    };
    let share = Share { sweep, folder: folder.path(), how, asked, domains: &domains, workers, here };
    let done =
        if domains.is_empty() && how.ranks.is_none() { Ok(true) } else { lead(share, first, &mut results, watch) };
    let Results { cells, mut keeper, .. } = results;
    if !matches!(done, Ok(true)) {
        let kept = keeper.keep();
        return done.and(kept).map(|()| None);
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
    let (_, settings) = sweep.member(member);
    let level = sweep.levels()[sweep.level_number(member)];
    let builder = Simulation::builder(fractal, rule).level(level).seed(sweep.key_of(member)).backend(how.backend);
    let builder = sweep.drawn_disorder_of(member).into_iter().fold(builder, SimulationBuilder::disorder);
    let builder = settings.into_iter().fold(builder, SimulationBuilder::set);
    let builder = how.machine.cloned().into_iter().fold(builder, SimulationBuilder::hardware);
    let builder = how.devices.iter().take(1).copied().fold(builder, SimulationBuilder::device);
    let builder = how.memory.into_iter().fold(builder, SimulationBuilder::memory_limit);
    Ok(match how.threads {
        Some(threads) if how.backend != Backend::Reference => builder.threads(threads),
        _ => builder,
    })
}

/// A member at its beginning, as a simulation of its own. `path` is the folder of the sweep.
///
/// # Errors
/// If there is no such member, the recorded texts or files do not give it, or it cannot run.
pub fn begin_member(path: &Path, sweep: &Sweep, number: usize, how: How<'_>) -> Result<Simulation> {
    if number >= sweep.members() {
        let what = format!("there is no member {number}: the sweep has {}, numbered from 0", sweep.members());
        return Err(Message::users(what).into());
    }
    if sweep.exchange.is_some() {
        let what = format!("member {number} exchanges its states with others, so it is not run alone");
        return Err(Message::users(what).with_help("sweeps without `--exchange` have members of their own").into());
    }
    sweep.check_draws()?;
    let mut simulation = builder(sweep, number, how)?.build()?;
    let given = Given::read_in(&mut simulation, &sweep.init, Some(path))?.0;
    given.check(&sweep.given)?;
    Ok(simulation)
}

/// The results of a sweep as they come in.
struct Results<'a> {
    sweep: &'a Sweep,
    rows: &'a mut BTreeMap<usize, Rows>,
    cells: BTreeMap<CellSettings, Digest>,
    keeper: Keeper,
    /// Time steps of members that were missing.
    steps: u64,
    /// The members that are computed, all domains together.
    total: usize,
}

impl Results<'_> {
    /// Adds members that have come to their ends.
    ///
    /// # Errors
    /// If other workers draw other cells of their domain.
    fn add(&mut self, cells: Option<Digest>, members: Vec<(usize, Ended)>) -> Result<()> {
        for (member, ended) in members {
            let domain = self.sweep.fractal_of(member);
            let drawn = cells.filter(|_| domain.cells.is_none());
            if let Some(drawn) = drawn
                && *self.cells.entry(domain.settings()).or_insert(drawn) != drawn
            {
                let what = format!("the domain of member {member} has other cells where another worker drew it");
                return Err(Message::systems(what).into());
            }
            self.keeper.add(member, drawn, &ended);
            self.rows.insert(member, ended.rows);
        }
        Ok(())
    }

    /// Writes members down, if it is time.
    fn keep_in_time(&mut self) -> Result<()> {
        // The tables follow the last ones.
        if self.rows.len() < self.total { self.keeper.keep_in_time() } else { Ok(()) }
    }
}

/// Deals members out to threads of this process and to other ranks, and takes their results; false if the watch wanted to stop.
fn lead(share: Share<'_>, first: Option<Simulation>, results: &mut Results<'_>, watch: &mut dyn Watch) -> Result<bool> {
    let Share { sweep, folder, how, domains, workers, here, .. } = share;
    let others = how.ranks.map(|transport| Others::begin(transport, (sweep, folder), domains)).transpose()?;
    let (words, heard) = mpsc::channel();
    std::thread::scope(|scope| {
        let mut leader = Leader {
            folder,
            dealer: Dealer::new(domains, workers, sweep.together()),
            orders: Vec::new(),
            others,
            at_work: vec![true; workers],
            dismissed: vec![false; workers],
            failed: None,
            is_stopping: false,
        };
        let (mut first, mut threads) = (first, Vec::new());
        for worker in 0..here {
            let (order, orders) = mpsc::channel();
            let hand = ThreadHand { worker, words: words.clone(), orders, has_ended: false };
            let how = How { devices: how.devices.get(worker..=worker).unwrap_or(how.devices), ..how };
            let (share, first) = (Share { how, ..share }, first.take());
            let started = Builder::new().spawn_scoped(scope, move || {
                let _mode = DefaultMode::enter();
                let mut hand = hand;
                let result = work(share, first, &mut hand);
                hand.end(result);
                compiled()
            });
            leader.orders.push(order);
            match started {
                Ok(thread) => threads.push(thread),
                Err(error) => leader.fail(worker, EngineError::from(ThreadsError::None(error.to_string())).into()),
            }
        }
        drop(words);
        let result = leader.lead(&heard, results, (sweep, watch));
        // Who waits for orders ends with them.
        drop(leader);
        threads
            .into_iter()
            .for_each(|thread| compiled_elsewhere(thread.join().unwrap_or_else(|panic| resume_unwind(panic))));
        result
    })?;
    Ok(results.rows.len() == results.total)
}

/// The one who deals members out.
struct Leader<'a> {
    /// The folder of the sweep.
    folder: &'a Path,
    dealer: Dealer,
    /// The orders of the workers that are threads of this process, which come first.
    orders: Vec<Sender<Assignment>>,
    others: Option<Others<'a>>,
    /// The workers that have not come to their ends.
    at_work: Vec<bool>,
    /// The workers that were told to end.
    dismissed: Vec<bool>,
    failed: Option<Error>,
    is_stopping: bool,
}

impl Leader<'_> {
    /// Answers all workers until the last of them has ended.
    fn lead(
        &mut self,
        heard: &Receiver<(usize, Result<WorkerWord>)>,
        results: &mut Results<'_>,
        (sweep, watch): (&Sweep, &mut dyn Watch),
    ) -> Result<()> {
        let (before, steps) = (results.rows.len() as u64, u64::from(sweep.steps));
        let (all, tick) = (results.total as u64 * steps, if self.others.is_some() { 2 * SOON } else { TICK });
        while self.at_work.contains(&true) {
            match heard.recv_timeout(tick) {
                Ok((worker, Ok(word))) => self.answer(worker, word, (sweep, &mut *results)),
                Ok((worker, Err(error))) => self.fail(worker, error),
                Err(RecvTimeoutError::Timeout) => {}
                // All threads have ended; other ranks may go on.
                Err(RecvTimeoutError::Disconnected) => {
                    self.at_work[..self.orders.len()].fill(false);
                    sleep(tick);
                }
            }
            while let Some(others) = &mut self.others {
                match others.hear(sweep) {
                    Ok(Some((rank, word))) => self.answer(self.orders.len() + rank - 1, word, (sweep, &mut *results)),
                    Ok(None) => break,
                    Err(error) => self.give_up(error),
                }
            }
            if let Err(error) = results.keep_in_time() {
                self.give_up(error);
            }
            if watch.wants_stop() {
                self.stop();
            }
            watch.progress(before * steps + results.steps, all, results.rows.len());
        }
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Answers a worker.
    fn answer(&mut self, worker: usize, word: WorkerWord, (sweep, results): (&Sweep, &mut Results<'_>)) {
        match word {
            WorkerWord::Idle => {
                let domain = if self.is_stopping { None } else { self.dealer.domain(worker) };
                self.order(worker, domain.map_or(Assignment::End, Assignment::Domain));
            }
            WorkerWord::Wants(wants) => {
                // This worker can compute members, so there will be some.
                if let Err(error) = SweepFolder::make_members(self.folder) {
                    self.give_up(error);
                }
                let members = if self.is_stopping { Vec::new() } else { self.dealer.members(sweep, worker, wants) };
                self.order(worker, Assignment::Members(members));
            }
            WorkerWord::Ended(cells, members) => {
                if let Err(error) = results.add(cells, members) {
                    self.give_up(error);
                }
            }
            WorkerWord::Steps(steps) => results.steps += steps,
            WorkerWord::Done => self.at_work[worker] = false,
        }
    }

    fn order(&mut self, worker: usize, order: Assignment) {
        self.dismissed[worker] |= order == Assignment::End;
        match (self.orders.get(worker), &self.others) {
            // A thread that has failed says so.
            (Some(orders), _) => _ = orders.send(order),
            (None, Some(others)) => {
                if let Err(error) = others.order(worker - self.orders.len() + 1, &order) {
                    self.give_up(error);
                }
            }
            (None, None) => {}
        }
    }

    /// Lets all leave their members where they are.
    fn stop(&mut self) {
        if !std::mem::replace(&mut self.is_stopping, true) {
            for worker in 0..self.at_work.len() {
                if self.at_work[worker] && !self.dismissed[worker] {
                    self.order(worker, Assignment::Stop);
                }
            }
        }
    }

    /// Stops after a worker has failed.
    fn fail(&mut self, worker: usize, error: Error) {
        self.at_work[worker] = false;
        self.give_up(error);
    }

    /// Stops after a failure. Other ranks are not waited for, since the error ends them.
    fn give_up(&mut self, error: Error) {
        self.failed.get_or_insert(error);
        self.stop();
        self.others = None;
        for worker in self.orders.len()..self.at_work.len() {
            self.at_work[worker] = false;
        }
    }
}

/// Computes members as one of the workers of a sweep, until none is left. `first` is the first member of its domain.
pub(super) fn work(share: Share<'_>, mut first: Option<Simulation>, hand: &mut dyn Hand) -> Result<()> {
    loop {
        hand.say(WorkerWord::Idle)?;
        let domain = loop {
            match hand.hear(true)? {
                Some(Assignment::Domain(domain)) => break domain,
                // The answer follows.
                Some(Assignment::Stop) => {}
                _ => return Ok(()),
            }
        };
        let members = &share.domains[domain];
        let is_of_first = domain_of(share.sweep, members[0]) == domain_of(share.sweep, 0);
        compute(share, members, first.take().filter(|_| is_of_first), hand)?;
    }
}

/// Data shared by the threads that compute members of one domain.
struct Shared<'a> {
    sweep: &'a Sweep,
    given: Arc<Given>,
    /// Observations between two looks at whether to stop.
    ahead: u32,
    /// The batches of members to compute.
    queue: Mutex<Queue>,
    /// Wakes threads when there are more batches, or there will be none.
    changed: Condvar,
    /// Steps that were computed.
    steps: AtomicU64,
    stop: AtomicBool,
}

/// Batches of members that no thread computes yet.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<Vec<usize>>,
    /// Whether there will be no more.
    is_closed: bool,
}

impl Shared<'_> {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds batches to the queue, or closes it.
    fn add(&self, batches: Option<Vec<Vec<usize>>>) {
        let mut queue = self.queue();
        queue.is_closed |= batches.is_none();
        queue.waiting.extend(batches.into_iter().flatten());
        self.changed.notify_all();
    }

    /// Lets members be where they are.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.queue().waiting.clear();
        self.add(None);
    }

    /// The next batch; `None` if there will be no more. `idle` is called before each time it waits.
    fn next(&self, idle: impl Fn()) -> Option<Vec<usize>> {
        let mut queue = self.queue();
        loop {
            if let Some(batch) = queue.waiting.pop_front() {
                return Some(batch);
            }
            if queue.is_closed {
                return None;
            }
            idle();
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A message of a thread that computes members.
enum ThreadReport {
    /// It waits for members.
    Idle,
    /// A batch has come to its end, or was stopped.
    Ended(Vec<usize>, Result<Option<Vec<Ended>>>),
}

/// Computes members of one domain, of which these are missing, until none is left or the worker is to stop.
fn compute(share: Share<'_>, missing: &[usize], first: Option<Simulation>, hand: &mut dyn Hand) -> Result<()> {
    let Share { sweep, folder, how, asked, workers, here, .. } = share;
    let most = MOST_FILES.checked_div(asked.len() * here).map_or(usize::MAX, |most| most.max(1));
    let members = missing.iter().map(|number| member(sweep, *number));
    let all = builder(sweep, missing[0], how)?.members(members);
    let mut crew = match sweep.exchange {
        Some(_) => all.crew_of_ladders(first, sweep.together(), most, workers)?,
        None => all.crew(first, most, workers)?,
    };
    let mut ensembles = std::mem::take(&mut crew.ensembles);
    let given = match &sweep.values {
        Some(values) => Arc::clone(values),
        None => Arc::new(Given::read_in(ensembles[0].member_mut(0)?, &sweep.init, Some(folder))?.0),
    };
    given.check(&sweep.given)?;
    let drawn = ensembles[0].members()[0].domain().fractal().digest_of_drawn().map(Digest);
    let threads = if ensembles.len() > 1 { Some(1) } else { how.threads };
    // Gathered data, and an end, may come with each observation.
    let ahead = if sweep.stops || !asked.is_empty() { 1 } else { crew.ahead };
    let (queue, changed, steps, stop) = (Mutex::default(), Condvar::new(), AtomicU64::new(0), AtomicBool::new(false));
    let shared = &Shared { sweep, given, ahead, queue, changed, steps, stop };
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let (mut started, mut failed) = (0, None);
        for mut ensemble in ensembles {
            let sender = sender.clone();
            let worker = Builder::new().spawn_scoped(scope, move || {
                let mut probes = Probes::new(folder, asked, threads);
                let idle = || _ = sender.send(ThreadReport::Idle);
                while let Some(batch) = shared.next(idle) {
                    let found = ensemble.on_its_threads(|ensemble| match &sweep.exchange {
                        Some(exchange) => rows_of_ladders(shared, exchange, ensemble, &batch, &mut probes),
                        None => rows_of(shared, ensemble, &batch, &mut probes),
                    });
                    let is_last = !matches!(found, Ok(Some(_)));
                    // Members that were stopped have no rows. The receiver is gone after a failure.
                    if sender.send(ThreadReport::Ended(batch, found)).is_err() || is_last {
                        break;
                    }
                }
            });
            match worker {
                Ok(_) => started += 1,
                // Fewer do the work of all.
                Err(_) if started > 0 => break,
                Err(error) => failed = Some(EngineError::from(ThreadsError::None(error.to_string())).into()),
            }
        }
        drop(sender);
        let result = match failed {
            Some(error) => Err(error),
            None => attend(shared, &receiver, hand, (&crew, started, drawn)),
        };
        if result.is_err() {
            shared.stop();
        }
        result
    })
}

/// Attends to the threads that compute members of a domain until all have come to their ends: gives them the members that they are dealt, and passes results on.
fn attend(
    shared: &Shared<'_>,
    reports: &Receiver<ThreadReport>,
    hand: &mut dyn Hand,
    (crew, threads, drawn): (&Crew, usize, Option<Digest>),
) -> Result<()> {
    let wants = Wants { size: crew.size, batches: threads, by_seed: crew.is_by_seed() };
    let batches = |members: Vec<usize>| {
        let all: Vec<Member> = members.iter().map(|number| member(shared.sweep, *number)).collect();
        let of = |batch: Vec<usize>| batch.into_iter().map(|at| members[at]).collect();
        crew.batches(&all).into_iter().map(of).collect()
    };
    let (mut idle, mut has_asked, mut is_last) = (0, false, false);
    let (mut failed, mut said) = (None, Instant::now());
    loop {
        let report = reports.recv_timeout(if has_asked { SOON } else { TICK });
        let has_ended = matches!(report, Err(RecvTimeoutError::Disconnected));
        match report {
            Ok(ThreadReport::Idle) => idle += 1,
            Ok(ThreadReport::Ended(batch, Ok(found))) => {
                let members: Vec<_> = batch.into_iter().zip(found.into_iter().flatten()).collect();
                if !members.is_empty() {
                    hand.say(WorkerWord::Ended(drawn, members))?;
                }
            }
            Ok(ThreadReport::Ended(_, Err(error))) => {
                failed.get_or_insert(error);
                shared.stop();
            }
            Err(_) => {}
        }
        if has_ended || said.elapsed() >= TICK {
            said = Instant::now();
            match shared.steps.swap(0, Ordering::Relaxed) {
                0 => {}
                steps => hand.say(WorkerWord::Steps(steps))?,
            }
        }
        if !has_asked && !is_last && idle > 0 && failed.is_none() {
            hand.say(WorkerWord::Wants(wants))?;
            has_asked = true;
        }
        // A worker without members waits and gives no sign of life, so that a lost message ends all.
        while let Some(order) = hand.hear(has_asked && (has_ended || idle >= wants.batches))? {
            match order {
                Assignment::Members(members) => {
                    (has_asked, is_last, idle) = (false, members.is_empty(), 0);
                    shared.add((!is_last).then(|| batches(members)));
                }
                Assignment::Stop | Assignment::Domain(_) | Assignment::End => {
                    is_last = true;
                    shared.stop();
                }
            }
        }
        if has_ended {
            return failed.map_or(Ok(()), Err);
        }
    }
}

/// A member as ensembles know it.
fn member(sweep: &Sweep, number: usize) -> Member {
    let (_, settings) = sweep.member(number);
    let member = Member::new(sweep.key_of(number));
    let member = sweep.drawn_disorder_of(number).into_iter().fold(member, Member::disorder);
    settings.into_iter().fold(member, Member::set)
}

/// A member on its way from its beginning to its end.
struct OnItsWay {
    rows: Rows,
    files: MemberFiles,
    /// The replica of its state, in a ladder.
    replica: Option<usize>,
    /// Whether it ends at the time that was last observed, and whether it had ended before.
    ends: bool,
    has_ended: bool,
}

impl OnItsWay {
    /// Takes its observables, of which there will be this number of lines up to the last step.
    fn take(&mut self, reduced: &Reduced<'_>, last: u32, lines: usize) {
        let (values, rows) = (reduced.observables(), &mut self.rows);
        let is_first = rows.lines.is_empty();
        self.ends = reduced.stops(&values) || reduced.time == last;
        rows.push(reduced.rule, (reduced.time, self.replica), values.iter(), self.ends);
        if is_first {
            // Texts that grow by turns on many threads make them wait for memory.
            rows.lines.reserve(lines.saturating_mul(rows.lines.len() + MORE_DIGITS).min(MOST_RESERVED));
        }
    }

    fn finish(self) -> Result<Ended> {
        Ok(Ended { rows: self.rows, gathered: self.files.finish()? })
    }
}

/// Runs members from their beginnings to their ends, as many as the ensemble has or fewer, and gives the results of each; `None` if they were stopped.
fn rows_of(
    shared: &Shared<'_>,
    ensemble: &mut Ensemble,
    batch: &[usize],
    probes: &mut Probes<'_>,
) -> Result<Option<Vec<Ended>>> {
    let Shared { sweep, ahead, steps, stop, .. } = shared;
    let mut all = begin(shared, ensemble, batch, probes)?;
    let lines = sweep.times().count();
    let mut time = 0;
    for (every, times) in stretches(0, sweep.times(), *ahead) {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        time += every * times;
        let wants = |member: &OnItsWay| !member.has_ended;
        ensemble.step_reduced(every, times, &mut all, wants, |member, reduced| {
            member.take(reduced, sweep.steps, lines);
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
    all.into_iter().map(OnItsWay::finish).collect::<Result<Vec<_>>>().map(Some)
}

/// Members at their beginnings.
fn begin(shared: &Shared<'_>, ensemble: &mut Ensemble, batch: &[usize], probes: &Probes<'_>) -> Result<Vec<OnItsWay>> {
    let Shared { sweep, given, .. } = shared;
    ensemble.begin(&batch.iter().map(|number| member(sweep, *number)).collect::<Vec<_>>())?;
    (0..batch.len()).try_for_each(|member| given.give(ensemble.member_mut(member)?))?;
    let begin = |number: &usize| {
        let (rows, files) = (Rows::default(), probes.begin(*number)?);
        Ok(OnItsWay { rows, files, replica: None, ends: false, has_ended: false })
    };
    batch.iter().map(begin).collect()
}

/// As [`rows_of`], of whole ladders whose ranks exchange their states.
fn rows_of_ladders(
    shared: &Shared<'_>,
    exchange: &Exchange,
    ensemble: &mut Ensemble,
    batch: &[usize],
    probes: &mut Probes<'_>,
) -> Result<Option<Vec<Ended>>> {
    let Shared { sweep, ahead, steps, stop, .. } = shared;
    let (rule, ranks) = (sweep.rule.rule()?, sweep.together());
    let Some(weight) = LogWeight::of(&rule) else {
        return Err(Message::users(format!("the rule `{}` says no `equilibrium`", rule.name)).into());
    };
    let parameter = rule.params.iter().position(|param| param.name == exchange.parameter);
    let carries = parameter.is_some_and(|index| carrying(&rule, &following(&rule, index, &[])).contains(&true));
    let mut all = begin(shared, ensemble, batch, probes)?;
    let of_ladder = |members: &[usize]| LadderRun::new(members, sweep.key_of_ladder(members[0]));
    let mut ladders: Vec<LadderRun> = batch.chunks(ranks).map(of_ladder).collect();
    all.iter_mut().enumerate().for_each(|(member, own)| own.replica = Some(member % ranks));
    let (lines, every) = (sweep.times().count(), exchange.every);
    let (mut observed, mut time) = (sweep.times().peekable(), 0);
    let count = |computed: u32| steps.fetch_add(u64::from(computed) * batch.len() as u64, Ordering::Relaxed);
    for next in (1..).map(|turn| turn * u64::from(every)) {
        let before: Vec<u32> = std::iter::from_fn(|| observed.next_if(|time| u64::from(*time) < next)).collect();
        let last = time;
        for (every, times) in stretches(time, before.into_iter(), *ahead) {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            ensemble.step_reduced(
                every,
                times,
                &mut all,
                |_| true,
                |member, reduced| {
                    member.take(reduced, sweep.steps, lines);
                },
            )?;
            all.iter_mut().zip(ensemble.members()).try_for_each(|(own, member)| probes.add(member, &mut own.files))?;
            time += every * times;
            count(every * times);
        }
        let Some(next) = u32::try_from(next).ok().filter(|next| *next <= sweep.steps) else {
            ladders.iter_mut().for_each(|ladder| ladder.pass(time - last));
            break;
        };
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let is_observed = observed.next_if_eq(&next).is_some();
        let which = if is_observed { rule.all_reductions() } else { weight.reductions().to_vec() };
        let mut reductions = ensemble.step_and_reduce(next - time, &which, batch.len())?;
        let mut moved = Vec::new();
        for (number, ladder) in ladders.iter_mut().enumerate() {
            ladder.pass(next - last);
            let first = number * ranks;
            let reduced: Vec<Reduced<'_>> =
                (0..ranks).map(|rank| ensemble.reduced(first + rank, &reductions[first + rank])).collect();
            let pairs = ladder.exchange(every, &weight, &reduced)?;
            moved.extend(pairs.into_iter().map(|rank| (first + rank, first + rank + 1)));
            for (rank, own) in all[first..first + ranks].iter_mut().enumerate() {
                own.replica = Some(ladder.replica(rank));
            }
        }
        ensemble.exchange(&moved)?;
        match carries && is_observed && !moved.is_empty() {
            // With the parameters of those that have the states now.
            true => reductions = ensemble.step_and_reduce(0, &which, batch.len())?,
            false => moved.into_iter().for_each(|(lower, upper)| reductions.swap(lower, upper)),
        }
        if is_observed {
            for (member, (own, reductions)) in all.iter_mut().zip(&reductions).enumerate() {
                own.take(&ensemble.reduced(member, reductions), sweep.steps, lines);
                probes.add(&ensemble.members()[member], &mut own.files)?;
            }
        }
        count(next - time);
        time = next;
    }
    for (member, own) in all.iter_mut().enumerate() {
        own.rows.exchange = Some(ladders[member / ranks].counts(member % ranks));
    }
    all.into_iter().map(OnItsWay::finish).collect::<Result<Vec<_>>>().map(Some)
}

/// Times that follow each other at equal distances, after `before` on: the distance, and at most `most` of them at once.
fn stretches(mut before: u32, times: impl Iterator<Item = u32>, most: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut times = times.peekable();
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
        let all = |times: &[u32], most| stretches(0, times.iter().copied(), most).collect::<Vec<_>>();
        assert_eq!(all(&[0, 10, 20, 30, 35], 64), [(0, 1), (10, 3), (5, 1)]);
        assert_eq!(all(&[0, 10, 20, 30], 2), [(0, 1), (10, 2), (10, 1)]);
        assert_eq!(all(&[1, 2, 4, 8], 64), [(1, 2), (2, 1), (4, 1)]);
        assert_eq!(all(&[], 64), []);
    }
}
