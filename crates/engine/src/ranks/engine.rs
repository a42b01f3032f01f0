//! The engine of a rank: it has its part of the cells computed (`part`), and rank 0's stands for all of them.
//!
//! Rank 0 leads. Its engine is called as any other, says each call to the others ([`RankCommand`]), and does its share of it; the others obey until it is
//! dropped ([`RankEngine::serve`]). So whoever runs simulations, records them or looks at them does so on rank 0, and knows nothing of ranks.
//!
//! Before a kernel runs, the columns that it reads of other ranks' units come from there ([`Ghosts`]). Reductions are finished on rank 0, from the partials of
//! all ranks in the order of their cells: the same bits as of one engine.

use super::cells::{RankCells, bytes_of, collect, scatter};
use super::choice::{form_of, leading, of_form};
use super::command::RankCommand;
use super::ghosts::{Ghosts, Reader, unreadable};
use super::nodes::Nodes;
use super::part::{RankPart, Room};
use super::transport::{Beats, DEADLINE, MessageKind, Transport};
use crate::engine::TypedState;
use crate::packed::{self, StateValues};
use crate::params::Params;
use crate::pass::{KernelEngine, Pass};
use crate::reduce::messages::{AskedQuestion, GatheredGroups, add_result, result_of};
use crate::reduce::words::{Words, to_bytes};
use crate::reduce::{Question, ReducedCells, Take, reduce};
use crate::shares::{OwnShare, ShareWriter, StateShares};
use crate::{About, Backend, Engine, EngineError, EngineOptions, Failure, MemberInputs, Result, failure, install};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{StateId, Value};
use squeeze_compiler::layout::unit::Slot;
use squeeze_compiler::numbers::mode::FloatMode;
use squeeze_compiler::reduce::fold::ObservedValue;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Cells whose values are sent at once.
const CELLS_AT_ONCE: u64 = 1 << 26;
/// How the answer of a rank begins that has done its share, that could not do so, or not as the user wished.
const DONE: u8 = 0;
const FAILED: u8 = 1;
const REFUSED: u8 = 2;

/// The engine of a rank.
pub(super) struct RankEngine<P: RankPart> {
    transport: Arc<Transport>,
    rule: FittedRule,
    inputs: MemberInputs,
    about: About,
    device: String,
    /// Dropped before the part, which their kernels use.
    ghosts: Mutex<BTreeMap<Reader, Arc<Ghosts<P::Link>>>>,
    /// Whoever holds it does something that all ranks do together.
    part: Mutex<P>,
    /// The units and the cells of each rank.
    units: Vec<Range<u32>>,
    cells: Vec<RankCells>,
    /// Whether this is within a call that all ranks do.
    is_within: bool,
    /// Dropped when the other ranks know that this is the end.
    others: RankThreads,
}

/// Ranks that are threads of this process, which end when the engine of rank 0 is no more, and rank 0's signs of life for them.
#[derive(Default)]
pub(super) struct RankThreads {
    pub threads: Vec<JoinHandle<()>>,
    pub beats: Option<Beats>,
}

impl Drop for RankThreads {
    fn drop(&mut self) {
        drop(self.beats.take());
        let start = Instant::now();
        for thread in self.threads.drain(..) {
            // One whose device never answers is left behind.
            while !thread.is_finished() && start.elapsed() < DEADLINE {
                std::thread::sleep(Duration::from_micros(200));
            }
            if thread.is_finished() {
                _ = thread.join();
            }
        }
    }
}

impl<P: RankPart> RankEngine<P> {
    /// The engine of this rank. All ranks make theirs together, of the same rule and inputs; rank 0 chooses how cells are stored.
    ///
    /// # Errors
    /// If the rule does not run on several ranks, the cells are too few, or it does not fit; or if a rank fails.
    pub(super) fn new(
        transport: &Arc<Transport>,
        rule: &FittedRule,
        inputs: &MemberInputs,
        options: &EngineOptions,
    ) -> Result<RankEngine<P>> {
        told(transport, RankEngine::made(transport, rule, inputs, options))
    }

    fn made(
        transport: &Arc<Transport>,
        rule: &FittedRule,
        inputs: &MemberInputs,
        options: &EngineOptions,
    ) -> Result<RankEngine<P>> {
        let part = (transport.rank() as u32, transport.ranks() as u32);
        let (least, limit) = least_room(transport, P::room(options)?)?;
        // Processors are shared; each GPU is a machine of its own.
        let sharing = match P::BACKEND {
            Backend::Cuda => None,
            _ => Some(Nodes::of(transport)?.ranks_here as u32),
        };
        let options = EngineOptions { part: Some(part), limit: Some(limit), ..options.clone() };
        let part = match transport.rank() {
            0 => {
                let part: P =
                    leading(transport, rule, inputs, (options, sharing)).map_err(|error| for_all(error, least))?;
                transport.broadcast(MessageKind::Words, 0, to_bytes(form_of(part.plan())))?;
                part
            }
            _ => {
                let form = transport.broadcast(MessageKind::Words, 0, Vec::new())?;
                let options = of_form(rule, &mut Words::new(&form), options);
                let options =
                    options.ok_or_else(|| unreadable(transport, 0, "stores cells in a form that is not known here"))?;
                let part = P::made(rule, inputs, &options)?;
                if to_bytes(form_of(part.plan())) != form {
                    let what = "is another machine than rank 0's, and would store cells otherwise; `--packed` stores them alike everywhere";
                    return Err(transport.fail(what, true).into());
                }
                part
            }
        };
        let (storage, mut about) = (part.storage(), part.about());
        let (here, units) = (RankCells::of(storage), storage.part.units());
        let facts = [
            u64::from(units.start),
            u64::from(units.end),
            here.own.start,
            here.own.end,
            about.state_bytes,
            about.memory_bytes,
        ];
        let (mut units, mut cells) = (Vec::new(), Vec::new());
        (about.state_bytes, about.memory_bytes) = (0, 0);
        for (rank, facts) in transport.all_gather(MessageKind::Words, 0, &to_bytes(facts))?.iter().enumerate() {
            let mut words = Words::new(facts);
            let mut fact = || words.word().ok_or_else(|| unreadable(transport, rank, "does not say what it has"));
            units.push(fact()? as u32..fact()? as u32);
            cells.push(RankCells { stride: here.stride, own: fact()?..fact()? });
            about.state_bytes += fact()?;
            about.memory_bytes += fact()?;
        }
        Ok(RankEngine {
            transport: Arc::clone(transport),
            rule: rule.clone(),
            inputs: inputs.clone(),
            about,
            device: part.device(),
            part: Mutex::new(part),
            units,
            cells,
            ghosts: Mutex::default(),
            is_within: false,
            others: RankThreads::default(),
        })
    }

    /// Keeps threads that are the other ranks until this is dropped.
    pub(super) fn with(self, others: RankThreads) -> RankEngine<P> {
        let mut engine = self;
        engine.others = others;
        engine
    }

    /// Obeys rank 0 until its engine is no more.
    ///
    /// # Errors
    /// If a rank fails, this one among them.
    pub(super) fn serve(mut self, writer: &mut dyn ShareWriter) -> Result<()> {
        let transport = Arc::clone(&self.transport);
        told(&transport, self.obey(writer))
    }

    fn obey(&mut self, writer: &mut dyn ShareWriter) -> Result<()> {
        loop {
            let bytes = self.transport.broadcast(MessageKind::Words, self.time(), Vec::new())?;
            let command =
                RankCommand::of(&bytes).ok_or_else(|| unreadable(&self.transport, 0, "says what is no command"))?;
            match command {
                RankCommand::End => return Ok(()),
                RankCommand::Prepare(steps) => self.prepare(steps)?,
                RankCommand::Run(steps) => self.run(steps)?,
                RankCommand::SetTime(time) => self.set_time(time),
                RankCommand::SetParams(bits) => {
                    let params = self.params_of(&bits)?;
                    self.set_params(&[params])?;
                }
                RankCommand::Restart(seed, bits) => {
                    let inputs = MemberInputs { seed, params: self.params_of(&bits)? };
                    self.restart(&[inputs])?;
                }
                RankCommand::Reduce(which) => drop(self.reduce(&which)?),
                RankCommand::Digest(state) => drop(self.digest(0, state)?),
                RankCommand::IsFinite(state) => drop(self.is_finite(0, state)?),
                RankCommand::Read(state, ranges) => {
                    let values = self.values_of(&self.part(), state, &ranges)?;
                    self.transport.send(0, MessageKind::Cells, self.time(), &values)?;
                }
                RankCommand::Write(state, cells) => {
                    let values = self.transport.receive(0, MessageKind::Cells, self.time())?;
                    self.put(state, &cells, &values)?;
                }
                RankCommand::See(place) => {
                    let sees = writer.sees(&place, &self.rule);
                    self.transport.gather(MessageKind::Words, self.time(), &[u8::from(sees)])?;
                }
                RankCommand::Deal(state, shares) => {
                    let cells = shares.get(self.transport.rank()).cloned();
                    let cells = cells.ok_or_else(|| unreadable(&self.transport, 0, "deals out too few shares"))?;
                    let mut written = Ok(());
                    let first = self.dealt(&self.part(), (state, &shares), &mut |values| {
                        written = writer.write(state, cells.clone(), values);
                    })?;
                    self.done(written, first)?;
                }
                RankCommand::Settle => {
                    let settled = writer.settle();
                    self.done(settled, None)?;
                }
            }
        }
    }

    /// Says to rank 0 that this rank has done its share, and which value of it is not finite; or why it could not. That ends the run only when all have answered:
    /// a disk is full for all of them, and whoever still wrote when the unfinished state is removed would tell of files that are not there.
    fn done(&self, written: failure::Result<()>, first: Option<(u64, u64)>) -> Result<()> {
        let answer = match written {
            Ok(()) => [&[DONE][..], &to_bytes(first.into_iter().flat_map(|(cell, bits)| [cell, bits]))].concat(),
            Err(error) => {
                let what = if error.is_users() { REFUSED } else { FAILED };
                [&[what][..], error.to_string().as_bytes()].concat()
            }
        };
        self.transport.gather(MessageKind::Words, self.time(), &answer)?;
        Ok(())
    }

    /// Waits for what the other ranks say when they have [done](Self::done) their shares. Returns their first value that is not finite.
    fn all_done(&self, time: u32) -> Result<Option<(u64, u64)>> {
        let all = self.transport.gather(MessageKind::Words, time, &[DONE])?.unwrap_or_default();
        let mut first = None;
        for (rank, answer) in all.iter().enumerate() {
            let cannot_be = || unreadable(&self.transport, rank, "says no cell");
            let (what, rest) = answer.split_first().ok_or_else(cannot_be)?;
            if *what != DONE {
                let reason = String::from_utf8_lossy(rest).into_owned();
                return Err(self.transport.fail_by(rank, reason, *what == REFUSED).into());
            }
            if !rest.is_empty() {
                let mut words = Words::new(rest);
                let theirs = words.word().zip(words.word()).ok_or_else(cannot_be)?;
                first = Some(first.map_or(theirs, |first: (u64, u64)| first.min(theirs)));
            }
        }
        Ok(first)
    }

    /// The parameters and globals of these bits.
    fn params_of(&self, bits: &[u64]) -> Result<Params> {
        let mut params = self.inputs.params.clone();
        if params.values.len() != bits.len() {
            return Err(unreadable(&self.transport, 0, "has other parameters"));
        }
        params.values.iter_mut().zip(bits).for_each(|(value, bits)| *value = Value::from_bits(value.ty(), *bits));
        Ok(params)
    }

    fn is_leader(&self) -> bool {
        self.transport.rank() == 0
    }

    fn part(&self) -> MutexGuard<'_, P> {
        self.part.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commands the other ranks to take part in a call, unless this is within a call in which they do. `time` is the time of the present states.
    fn lead(&self, time: u32, command: impl FnOnce() -> RankCommand) -> Result<()> {
        if self.is_leader() && !self.is_within {
            self.transport.broadcast(MessageKind::Words, time, command().to_bytes())?;
        }
        Ok(())
    }

    /// Tells the others why a call failed here.
    fn told<T>(&self, result: Result<T>) -> Result<T> {
        told(&self.transport, result)
    }

    /// The columns that a kernel reads of other ranks' units.
    fn ghosts_of(&self, part: &mut P, reader: Reader) -> Result<Arc<Ghosts<P::Link>>> {
        let known = self.ghosts().get(&reader).map(Arc::clone);
        if let Some(ghosts) = known {
            return Ok(ghosts);
        }
        let read = part.ghosts_read(&reader)?;
        let ghosts = Arc::new(Ghosts::agree(&self.transport, part, &self.units, read)?);
        self.ghosts().insert(reader, Arc::clone(&ghosts));
        Ok(ghosts)
    }

    fn ghosts(&self) -> MutexGuard<'_, BTreeMap<Reader, Arc<Ghosts<P::Link>>>> {
        self.ghosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes time steps, which all ranks do.
    fn advance(&mut self, steps: u32) -> Result<()> {
        let passes: Vec<(u32, u32)> = self.part().plan().passes(steps).collect();
        for (passes, each) in passes {
            let kernels = self.part().kernels(each)?;
            let pass = Pass::new(&self.rule.clone(), each, vec![(); kernels]);
            (0..passes).try_for_each(|_| pass.run(self))?;
        }
        Ok(())
    }

    /// Reduces all cells. Rank 0 asks the others for their partials, finishes and says the results.
    fn reduced(&self, part: &mut P, which: &[usize]) -> Result<Vec<ObservedValue>> {
        let (transport, time, storage) = (&*self.transport, part.time(), Arc::clone(part.storage()));
        let lanes = part.cells().map_or(0, |cells| cells.lanes);
        let cells = ReducedCells { geometry: &storage.geometry, lanes };
        if !self.is_leader() {
            loop {
                let bytes = transport.broadcast(MessageKind::Words, time, Vec::new())?;
                let mut words = Words::new(&bytes);
                let unknown = || unreadable(transport, 0, "asks what is no question");
                if words.word() == Some(RESULTS) {
                    return words.list(result_of).ok_or_else(unknown);
                }
                let asked = AskedQuestion::of(&mut words, &self.rule, cells).ok_or_else(unknown)?;
                let (question, units) = (asked.question(), &self.units[transport.rank()]);
                let first = Slot(storage.owned().start);
                let mut gathered = GatheredGroups::new(cells, &question, (first, units.start));
                self.ask(part, &question, &mut |group| gathered.push(group))?;
                transport.send(0, MessageKind::Partials, time, &to_bytes(gathered.into_words()))?;
            }
        }
        let part = RefCell::new(part);
        let ask = |question: &Question<'_>, take: Take<'_>| {
            let words = std::iter::once(QUESTION).chain(question.words());
            transport.broadcast(MessageKind::Words, time, to_bytes(words))?;
            self.ask(&mut part.borrow_mut(), question, &mut *take)?;
            for rank in transport.others() {
                let bytes = transport.receive(rank, MessageKind::Partials, time)?;
                let mut words = Words::new(&bytes);
                while !words.is_empty() {
                    let partials = question.partials(&mut words, cells);
                    take(partials.ok_or_else(|| unreadable(transport, rank, "sent what are no partial results"))?);
                }
            }
            Ok(())
        };
        let values = reduce(&self.rule, cells, which, &ask)?;
        let mut words = vec![RESULTS, values.len() as u64];
        values.iter().for_each(|value| add_result(value, &mut words));
        transport.broadcast(MessageKind::Words, time, to_bytes(words))?;
        Ok(values)
    }

    /// Hands over the partials of this rank's units.
    fn ask(&self, part: &mut P, question: &Question<'_>, take: Take<'_>) -> Result<()> {
        self.ghosts_of(part, Reader::Terms(question.which().to_vec()))?.exchange(&self.transport, part)?;
        part.partials(0, question, take)
    }

    /// A number of all ranks, on rank 0; on others their own.
    fn gathered(&self, time: u32, own: u64, add: impl Fn(u64, u64) -> u64) -> Result<u64> {
        let all = self.transport.gather(MessageKind::Partials, time, &own.to_le_bytes())?;
        let words = all.iter().flatten().filter_map(|bytes| Words::new(bytes).word());
        Ok(words.reduce(add).unwrap_or(own))
    }

    /// The values of this rank's cells among these, run after run.
    fn values_of(&self, part: &P, state: StateId, ranges: &[Range<u64>]) -> Result<Vec<u8>> {
        let (ty, own) = (self.rule.state(state).ty, &self.cells[self.transport.rank()]);
        if self.rule.domain().levels().is_none() {
            let runs = own.runs_of(ranges);
            let mut bytes = vec![0; bytes_of(ty, &runs)];
            part.read_ranges(0, (state, ty), &runs, &mut bytes)?;
            return Ok(bytes);
        }
        let (mut all, mut bytes) = (Vec::new(), Vec::new());
        for cells in ranges {
            // All replicas are read together: a run alone would go through the columns once more.
            bytes.resize(packed::bytes(ty, cells.end - cells.start) as usize, 0);
            part.read(0, state, cells.clone(), &mut bytes)?;
            all.append(&mut collect(ty, own, cells, &bytes));
        }
        Ok(all)
    }

    /// Gives this rank's cells among these their values, run after run.
    fn put(&mut self, state: StateId, cells: &Range<u64>, values: &[u8]) -> Result<()> {
        let (ty, own) = (self.rule.state(state).ty, &self.cells[self.transport.rank()]);
        let runs = own.runs_of(std::slice::from_ref(cells));
        if values.len() != bytes_of(ty, &runs) {
            return Err(unreadable(&self.transport, 0, "sent more or fewer values than there are cells"));
        }
        let mut part = self.part();
        if let ([cells], None) = (&runs[..], self.rule.domain().levels()) {
            return part.write(0, &StateValues { state, cells: cells.clone(), bytes: Cow::Borrowed(values) });
        }
        if runs.is_empty() {
            return Ok(());
        }
        // Cells of other ranks are left out.
        let mut bytes = vec![0; packed::bytes(ty, cells.end - cells.start) as usize];
        scatter(ty, (own, values), std::slice::from_ref(cells), &mut bytes);
        part.write(0, &StateValues { state, cells: cells.clone(), bytes: Cow::Owned(bytes) })
    }

    /// The values of this rank's cells in a range, where they stand among those of the range. What stands there for other cells means nothing.
    fn own_within(&self, part: &P, state: StateId, cells: &Range<u64>) -> Result<Vec<u8>> {
        let ty = self.rule.state(state).ty;
        let mut bytes = vec![0; packed::bytes(ty, cells.end - cells.start) as usize];
        if self.rule.domain().levels().is_some() {
            part.read(0, state, cells.clone(), &mut bytes)?;
        } else {
            let ranges = std::slice::from_ref(cells);
            let values = self.values_of(part, state, ranges)?;
            scatter(ty, (&self.cells[self.transport.rank()], &values), ranges, &mut bytes);
        }
        Ok(bytes)
    }

    /// Exchanges what ranks are dealt, gives this one's share to `write` if there is any, and says the first float in it that is not finite.
    fn dealt(
        &self,
        part: &P,
        (state, shares): (StateId, &[Range<u64>]),
        write: OwnShare<'_>,
    ) -> Result<Option<(u64, u64)>> {
        let (transport, time, ty) = (&*self.transport, part.time(), self.rule.state(state).ty);
        let (here, filled) = (transport.rank(), || shares.iter().filter(|cells| !cells.is_empty()));
        let (start, end) = (filled().map(|cells| cells.start).min(), filled().map(|cells| cells.end).max());
        let all = start.unwrap_or(0)..end.unwrap_or(0);
        let bytes = self.own_within(part, state, &all)?;
        let of_share = |share: &Range<u64>| match share.is_empty() {
            true => Vec::new(),
            false => {
                let first = packed::bytes(ty, share.start - all.start) as usize;
                collect(ty, &self.cells[here], share, &bytes[first..])
            }
        };
        for rank in transport.others() {
            let values = of_share(&shares[rank]);
            // The receiver counts them too, and awaits no empty message.
            if !values.is_empty() {
                transport.send(rank, MessageKind::Cells, time, &values)?;
            }
        }
        let (share, own) = (&shares[here], of_share(&shares[here]));
        drop(bytes);
        let ranges = std::slice::from_ref(share);
        let mut values = vec![0; packed::bytes(ty, share.end - share.start) as usize];
        scatter(ty, (&self.cells[here], &own), ranges, &mut values);
        for rank in transport.others() {
            let expected = bytes_of(ty, &self.cells[rank].runs_of(ranges));
            if expected == 0 {
                continue;
            }
            let theirs = transport.receive(rank, MessageKind::Cells, time)?;
            if theirs.len() != expected {
                return Err(unreadable(transport, rank, "sent more or fewer values than it has cells"));
            }
            scatter(ty, (&self.cells[rank], &theirs), ranges, &mut values);
        }
        if !share.is_empty() {
            // On this rank's own threads: others compute and compress beside it.
            match part.pool() {
                Some(pool) => install(pool, || write(&values)),
                None => write(&values),
            }
        }
        Ok(packed::first_not_finite(ty, &values).map(|at| (share.start + at, packed::bits(ty, &values, at))))
    }

    /// Reads cells of all ranks into bytes; the ranges are few enough to be sent at once.
    fn read_at_once(&self, part: &P, state: StateId, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<()> {
        let (ty, time) = (self.rule.state(state).ty, part.time());
        self.lead(time, || RankCommand::Read(state, ranges.to_vec()))?;
        bytes.fill(0);
        scatter(ty, (&self.cells[0], &self.values_of(part, state, ranges)?), ranges, bytes);
        for rank in self.transport.others() {
            let values = self.transport.receive(rank, MessageKind::Cells, time)?;
            if values.len() != bytes_of(ty, &self.cells[rank].runs_of(ranges)) {
                return Err(unreadable(&self.transport, rank, "sent more or fewer values than it has cells"));
            }
            scatter(ty, (&self.cells[rank], &values), ranges, bytes);
        }
        Ok(())
    }
}

/// The first words of messages while cells are reduced.
const QUESTION: u64 = 0;
const RESULTS: u64 = 1;

/// Tells the other ranks why a call failed on this rank, unless a message from them ended it.
fn told<T>(transport: &Transport, result: Result<T>) -> Result<T> {
    result.inspect_err(|error| {
        if !matches!(error, EngineError::Ranks(_)) {
            transport.fail(error.to_string(), error.is_users());
        }
    })
}

/// Parts of a range of cells that can be sent at once, each a whole number of bytes but the last.
fn parts_of(cells: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
    let Range { start, end } = *cells;
    (start..end).step_by(CELLS_AT_ONCE as usize).map(move |first| first..end.min(first.saturating_add(CELLS_AT_ONCE)))
}

/// Adds to the error of a part that does not fit which rank has the least room.
fn for_all(mut error: EngineError, least: usize) -> EngineError {
    if let EngineError::Memory { help, .. } = &mut error {
        help.push(format!("all ranks take as much as rank {least} has, which has the least"));
    }
    error
}

/// The rank that has the fewest bytes for its part, and these bytes: with them all plan alike.
fn least_room(transport: &Transport, room: Room) -> Result<(usize, u64)> {
    let (is_shared, memory) = (room.memory.is_some(), room.memory.unwrap_or(0));
    let words = [room.bytes, u64::from(is_shared), memory as u64, (memory >> 64) as u64];
    let all = transport.all_gather(MessageKind::Words, 0, &to_bytes(words))?;
    let mut rooms = Vec::new();
    for (rank, bytes) in all.iter().enumerate() {
        let mut words = Words::new(bytes);
        let mut word = || words.word().ok_or_else(|| unreadable(transport, rank, "does not say what room it has"));
        rooms.push((word()?, [word()?, word()?, word()?]));
    }
    let sharing = |memory: &[u64; 3]| rooms.iter().filter(|(_, other)| memory[0] == 1 && other == memory).count();
    let each = rooms.iter().map(|(bytes, memory)| bytes / sharing(memory).max(1) as u64);
    Ok(each.enumerate().min_by_key(|(_, bytes)| *bytes).unwrap_or_default())
}

/// Does some work that waits for other ranks. On a thread of a pool it would be waited for by doing other work of the pool, which may wait for this.
fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_none() {
        return work();
    }
    let work = || {
        FloatMode::DEFAULT.set();
        work()
    };
    std::thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A kernel of a pass runs on all ranks, after the columns that it reads of other ranks have come.
impl<P: RankPart> KernelEngine<()> for RankEngine<P> {
    fn inputs(&self) -> &[MemberInputs] {
        std::slice::from_ref(&self.inputs)
    }

    fn run_step(&mut self, pass: &Pass<()>, step: usize) -> Result<()> {
        let mut part = self.part();
        let ghosts = self.ghosts_of(&mut part, Reader::Kernel(pass.steps, step))?;
        ghosts.start(&self.transport, &mut *part, (pass.steps, step))
    }
}

/// All ranks take part in a call: rank 0 commands the others.
impl<P: RankPart> Engine for RankEngine<P> {
    fn about(&self) -> About {
        self.about
    }

    fn device(&self) -> String {
        self.device.clone()
    }

    fn time(&self) -> u32 {
        self.part().time()
    }

    fn set_time(&mut self, time: u32) {
        // A failure is said by the next call.
        _ = self.lead(self.time(), || RankCommand::SetTime(time));
        self.part().set_time(time);
    }

    fn set_params(&mut self, params: &[Params]) -> Result<()> {
        let bits = || params[0].iter().map(|value| value.bits()).collect();
        crate::check_inputs(&self.rule, 1, params)?;
        self.lead(self.time(), || RankCommand::SetParams(bits()))?;
        self.inputs.params = params[0].clone();
        self.told(self.part().set_params(params))
    }

    fn prepare(&mut self, steps: u32) -> Result<()> {
        self.lead(self.time(), || RankCommand::Prepare(steps))?;
        let passes: Vec<(u32, u32)> = self.part().plan().passes(steps).collect();
        let ready = |(_, steps): (u32, u32)| {
            let mut part = self.part();
            let kernels = part.kernels(steps)?;
            (0..kernels).try_for_each(|kernel| self.ghosts_of(&mut part, Reader::Kernel(steps, kernel)).map(drop))
        };
        self.told(passes.into_iter().try_for_each(ready))
    }

    fn run(&mut self, steps: u32) -> Result<()> {
        self.lead(self.time(), || RankCommand::Run(steps))?;
        self.is_within = true;
        let done = self.advance(steps).and_then(|()| self.part().wait(&self.transport));
        self.is_within = false;
        self.told(done)?;
        // The steps are done when all have done them.
        self.gathered(self.time(), 0, |all, _| all).map(drop)
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        apart(|| {
            let mut part = self.part();
            self.lead(part.time(), || RankCommand::Reduce(which.to_vec()))?;
            Ok(vec![self.told(self.reduced(&mut part, which))?])
        })
    }

    fn digest(&self, _: usize, state: StateId) -> Result<u64> {
        apart(|| {
            let part = self.part();
            self.lead(part.time(), || RankCommand::Digest(state))?;
            self.gathered(part.time(), self.told(part.digest(0, state))?, u64::wrapping_add)
        })
    }

    fn is_finite(&self, _: usize, state: StateId) -> Result<Option<bool>> {
        // A GPU does not know, nor would all of them.
        if P::BACKEND == Backend::Cuda {
            return Ok(None);
        }
        apart(|| {
            let part = self.part();
            self.lead(part.time(), || RankCommand::IsFinite(state))?;
            let own = self.told(part.is_finite(0, state))?.unwrap_or(true);
            Ok(Some(self.gathered(part.time(), u64::from(own), |all, one| all & one)? == 1))
        })
    }

    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        self.read_ranges(member, (state, self.rule.state(state).ty), &[cells], bytes)
    }

    fn read_ranges(&self, _: usize, (state, ty): TypedState, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<()> {
        apart(|| {
            let (part, parts) = (self.part(), ranges.iter().flat_map(parts_of).collect::<Vec<_>>());
            let (mut parts, mut rest) = (&parts[..], bytes);
            while !parts.is_empty() {
                let mut cells = 0;
                let is_within = |part: &&Range<u64>| {
                    cells += part.end - part.start;
                    cells <= CELLS_AT_ONCE
                };
                let (now, behind) = parts.split_at(parts.iter().take_while(is_within).count());
                let (values, others) = std::mem::take(&mut rest).split_at_mut(bytes_of(ty, now));
                (parts, rest) = (behind, others);
                self.told(self.read_at_once(&part, state, now, values))?;
            }
            Ok(())
        })
    }

    fn write(&mut self, _: usize, values: &StateValues<'_>) -> Result<()> {
        let (state, all, bytes) = values.parts();
        let (ty, time) = (self.rule.state(state).ty, self.time());
        let mut rest = bytes;
        for cells in parts_of(&all) {
            let (values, behind) = rest.split_at(packed::bytes(ty, cells.end - cells.start) as usize);
            rest = behind;
            self.lead(time, || RankCommand::Write(state, cells.clone()))?;
            for rank in self.transport.others() {
                self.transport.send(rank, MessageKind::Cells, time, &collect(ty, &self.cells[rank], &cells, values))?;
            }
            let own = collect(ty, &self.cells[0], &cells, values);
            let put = self.put(state, &cells, &own);
            self.told(put)?;
        }
        Ok(())
    }

    fn shares(&self) -> Option<&dyn StateShares> {
        // Threads of this process compress on all of its processors as it is.
        (self.is_leader() && self.others.threads.is_empty()).then_some(self)
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool> {
        crate::check_count("members", 1, members.len())?;
        crate::check_inputs(&self.rule, 1, [&members[0].params])?;
        let bits = || members[0].params.iter().map(|value| value.bits()).collect();
        self.lead(self.time(), || RankCommand::Restart(members[0].seed, bits()))?;
        self.inputs = members[0].clone();
        self.told(self.part().restart(members))
    }
}

/// States are written by all ranks, each of its share.
impl<P: RankPart> StateShares for RankEngine<P> {
    fn ranks(&self) -> usize {
        self.transport.ranks()
    }

    fn blind(&self, place: &[u8]) -> Result<Option<usize>> {
        let part = self.part();
        self.lead(part.time(), || RankCommand::See(place.to_owned()))?;
        let all = self.transport.gather(MessageKind::Words, part.time(), &[1])?;
        Ok(all.iter().flatten().position(|sees| sees[..] != [1]))
    }

    fn deal(&self, state: StateId, shares: &[Range<u64>], own: OwnShare<'_>) -> Result<Option<(u64, u64)>> {
        apart(|| {
            let part = self.part();
            let time = part.time();
            crate::check_count("shares", self.transport.ranks(), shares.len())?;
            self.lead(time, || RankCommand::Deal(state, shares.to_vec()))?;
            let first = self.told(self.dealt(&part, (state, shares), own))?;
            Ok(first.into_iter().chain(self.all_done(time)?).min())
        })
    }

    fn settle(&self) -> Result<()> {
        let part = self.part();
        self.lead(part.time(), || RankCommand::Settle)?;
        self.all_done(part.time())?;
        Ok(())
    }
}

impl<P: RankPart> Drop for RankEngine<P> {
    fn drop(&mut self) {
        if std::mem::take(&mut self.is_within) || std::thread::panicking() {
            self.transport.fail("it ended within a computation", false);
        } else {
            // Where the run has failed, all others know.
            _ = self.lead(self.time(), || RankCommand::End);
        }
    }
}
