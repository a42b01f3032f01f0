//! Messages between the ranks of one simulation: numbered, checked, and each awaited for a bounded time.
//!
//! A [`Transport`] is one rank's end. Below it a [`Wire`] moves frames of bytes and promises nothing: neither their order nor that they come once, whole
//! or at all. All promises are made here, so that threads of a process, MPI and the simulator of faults share them:
//!
//! - A pair of ranks has a sequence of messages of each [`MessageKind`] in each direction. They are received in the order in which they were sent; each says its pass, and
//!   another pass than the receiver's is an error, as the ranks then do different things.
//! - A message that comes early waits; one that comes twice is ignored; a damaged one ends the run. Of ghosts one may be early, for a neighbour that sends a
//!   second has received an answer to the first (so those who send one another ghosts do so in both directions, be it without bytes): a later one shows that
//!   one was lost. Other messages may be early by any number, for ranks that are no neighbours can be many passes apart.
//! - Nothing waits without a deadline. It counts from when the awaited rank was last heard, or from the last beat of any rank, and stands still while the job is suspended. A rank beats while it works and
//!   never while it waits ([`Beats`]): so all are patient with one that works long, be it that they wait for another who waits for it, and none is where a message is lost or a rank is gone.
//! - A rank that fails tells all others why ([`Transport::fail`]), and every call after it returns that first cause.
//!
//! Nothing is sent again: wires lose nothing unless a rank or machine is lost.

use super::error::RankError;
use std::collections::BTreeMap;
use std::fmt::{Debug, Formatter};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Moves frames between ranks, at its best.
pub trait Wire: Send {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn ranks(&self) -> usize;

    /// Starts to send a frame and returns at once; the wire keeps the bytes until they are gone.
    ///
    /// # Errors
    /// The reason, if the wire is broken.
    fn send(&mut self, to: usize, frame: Vec<u8>) -> Result<(), String>;

    /// A frame that has come, with the rank that sent it; from `awaited` if others have come as well. It waits no longer than `patience`.
    ///
    /// # Errors
    /// The reason, if the wire is broken.
    fn receive(&mut self, awaited: usize, patience: Duration) -> Result<Option<(usize, Vec<u8>)>, String>;

    /// The bytes of the frames that have not left this rank yet, and a rank for which there are some; `None` if all have left.
    ///
    /// # Errors
    /// The reason, if the wire is broken.
    fn unsent(&mut self) -> Result<Option<(usize, usize)>, String>;

    /// Ends all ranks as far as the wire can, at once and without a word; the code is that of their processes.
    fn abort(&mut self, code: i32);

    /// Gives the connection back, when all ranks are done. It waits no longer than `patience` for others.
    ///
    /// # Errors
    /// The reason, if it cannot be done in time.
    fn finish(&mut self, patience: Duration) -> Result<(), String> {
        _ = patience;
        Ok(())
    }
}

/// The purpose of a message. Each has numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum MessageKind {
    /// States of units at a cut, one message for a neighbour and exchange, in both directions.
    Ghosts = 1,
    /// Partial results of reductions.
    Partials = 2,
    /// Cells of states, on their way to or from files. Who sends many waits for [`MessageKind::Words`] between them, for what is not received yet takes memory.
    Cells = 3,
    /// Plans, decisions, and other things that ranks say.
    Words = 4,
    /// A sign of life.
    Beat = 5,
    /// The reason why a rank ends the run.
    Bye = 6,
}

const KINDS: usize = 6;

impl MessageKind {
    const ALL: [MessageKind; KINDS] = [
        MessageKind::Ghosts,
        MessageKind::Partials,
        MessageKind::Cells,
        MessageKind::Words,
        MessageKind::Beat,
        MessageKind::Bye,
    ];

    /// The kind in words, for messages.
    fn name(self) -> &'static str {
        match self {
            MessageKind::Ghosts => "ghosts",
            MessageKind::Partials => "partial results",
            MessageKind::Cells => "cells",
            MessageKind::Words => "words",
            MessageKind::Beat => "a beat",
            MessageKind::Bye => "a farewell",
        }
    }

    fn at(self) -> usize {
        self as usize - 1
    }
}

/// How much a rank has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Messages, among them empty ones.
    pub messages: u64,
    /// Their bytes, without headers.
    pub bytes: u64,
}

/// One rank's end of the connections between all ranks of a simulation. Threads may share it; it does one thing at a time.
pub struct Transport {
    rank: usize,
    ranks: usize,
    state: Mutex<Conversation>,
}

struct Conversation {
    wire: Box<dyn Wire>,
    epoch: u32,
    deadline: Duration,
    peers: Vec<Peer>,
    /// Messages that came before they were asked for, by sender, kind and number.
    early: BTreeMap<(usize, MessageKind, u64), (u32, Vec<u8>)>,
    /// When any rank last beat.
    beat: Instant,
    sent: [Sent; KINDS],
    failed: Option<RankError>,
}

/// The state of the conversation with another rank.
struct Peer {
    /// The number of the next message to it, for each kind,
    next: [u64; KINDS],
    /// and of the next to receive.
    taken: [u64; KINDS],
    /// When it was last heard,
    heard: Instant,
    /// and in which pass.
    pass: u32,
}

/// The usual deadline.
pub const DEADLINE: Duration = Duration::from_secs(30);
/// How much longer than others a rank waits at most that awaits words.
const LATER: Duration = Duration::from_millis(2500);
/// How long a wire is asked to wait at once.
const PATIENCE: Duration = Duration::from_millis(2);
/// The most that two looks at the wire add to the time that a rank was silent: a job that was suspended goes on afterwards.
const LOOK: Duration = Duration::from_millis(250);
/// More bytes than this do not wait to be sent: a rank that sends many messages goes as fast as they are taken.
const MOST_UNSENT: usize = 64 << 20;
/// How long a rank that ends the run waits until its last words have left.
const FAREWELL: Duration = Duration::from_millis(500);

impl Transport {
    /// The end of a wire. All ranks of a simulation say the same `epoch`, a number that tells it from other simulations on the same wire. A rank that is silent is
    /// waited for as long as `deadline`.
    pub fn new(wire: Box<dyn Wire>, epoch: u32, deadline: Duration) -> Transport {
        let (rank, ranks, now) = (wire.rank(), wire.ranks(), Instant::now());
        let peer = |_| Peer { next: [0; KINDS], taken: [0; KINDS], heard: now, pass: 0 };
        let state = Conversation {
            wire,
            epoch,
            deadline,
            peers: (0..ranks).map(peer).collect(),
            early: BTreeMap::new(),
            beat: now,
            sent: Default::default(),
            failed: None,
        };
        Transport { rank, ranks, state: Mutex::new(state) }
    }

    /// The number of this rank, from 0. Rank 0 reads and prints, and writes all but states, which all ranks write.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are, at least 1.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The ranks besides this one, ascending.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let rank = self.rank;
        (0..self.ranks).filter(move |other| *other != rank)
    }

    /// Starts to send a message to another rank, and does not wait until it comes there. `pass` is the time step that is being computed, or 0 before the first.
    ///
    /// # Errors
    /// The first cause, if the run has failed.
    ///
    /// # Panics
    /// If `to` is this rank or none.
    pub fn send(&self, to: usize, kind: MessageKind, pass: u32, bytes: &[u8]) -> Result<(), RankError> {
        let mut frame = Vec::with_capacity(bytes.len() + HEADER);
        frame.extend(bytes);
        self.send_all(to, kind, pass, frame)
    }

    /// As [`send`](Self::send), without a copy of the bytes if there is room for [`HEADER`] more behind them.
    ///
    /// # Errors
    /// The first cause, if the run has failed.
    ///
    /// # Panics
    /// If `to` is this rank or none.
    pub(crate) fn send_all(&self, to: usize, kind: MessageKind, pass: u32, bytes: Vec<u8>) -> Result<(), RankError> {
        assert!(to < self.ranks && to != self.rank, "rank {to} is no other rank");
        let mut state = self.state();
        state.check()?;
        state.send(to, kind, pass, bytes)
    }

    /// The next message of this kind from a rank, once it has come. It must be one of this pass.
    ///
    /// # Errors
    /// If it does not come in time, is damaged or one of another pass; the first cause, if the run has failed. All other ranks are told.
    ///
    /// # Panics
    /// If `from` is this rank or none.
    pub fn receive(&self, from: usize, kind: MessageKind, pass: u32) -> Result<Vec<u8>, RankError> {
        assert!(from < self.ranks && from != self.rank, "rank {from} is no other rank");
        let mut state = self.state();
        state.check()?;
        state.await_message(from, kind, pass)
    }

    /// Takes what has come, and hardly waits: so a rank that ends the run learns whether another has done so before.
    ///
    /// # Errors
    /// The first cause, if the run has failed.
    pub fn poll(&self) -> Result<(), RankError> {
        let mut state = self.state();
        state.check()?;
        while state.take_one(0, Duration::ZERO)? {}
        Ok(())
    }

    /// Tells all others that this rank works.
    ///
    /// # Errors
    /// The first cause, if the run has failed.
    pub fn beat(&self) -> Result<(), RankError> {
        let mut state = self.state();
        state.check()?;
        self.others().try_for_each(|other| state.send(other, MessageKind::Beat, 0, Vec::new()))
    }

    /// Ends the run: all other ranks are told the reason, unless this or another rank has done so before. Returns the first cause. `is_users` says that the
    /// user's input is wrong.
    pub fn fail(&self, reason: impl Into<String>, is_users: bool) -> RankError {
        self.fail_by(self.rank, reason.into(), is_users)
    }

    /// As [`fail`](Self::fail), for a reason that another rank has told this one.
    pub(super) fn fail_by(&self, rank: usize, reason: String, is_users: bool) -> RankError {
        self.state().fail(RankError::new(rank, self.ranks, reason, is_users))
    }

    /// Returns when all messages have left this rank: done before long work, so that no other rank waits for them meanwhile.
    ///
    /// # Errors
    /// If they are not taken in time; the first cause, if the run has failed.
    pub fn flush(&self) -> Result<(), RankError> {
        let mut state = self.state();
        state.check()?;
        state.drain(0)
    }

    /// Whether another rank has given a sign of life within the deadline.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn is_heard(&self, rank: usize) -> bool {
        let state = self.state();
        state.peers[rank].heard.elapsed() <= state.deadline
    }

    /// How much this rank has sent of a kind.
    pub fn sent(&self, kind: MessageKind) -> Sent {
        self.state().sent[kind.at()]
    }

    /// Waits until what was sent has left this rank, for half a second at most, and ends the processes of all ranks as far as the wire can.
    pub fn abort(&self, code: i32) {
        let mut state = self.state();
        let start = Instant::now();
        while start.elapsed() < FAREWELL && state.wire.unsent().is_ok_and(|unsent| unsent.is_some()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        state.wire.abort(code);
    }

    /// Ends the conversation when all ranks are done: each calls it.
    ///
    /// # Errors
    /// If another rank does not come to its end in time, or the run has failed.
    pub fn finish(&self) -> Result<(), RankError> {
        self.barrier(u32::MAX)?;
        let mut state = self.state();
        state.drain(0)?;
        let deadline = state.deadline;
        let finished = state.wire.finish(deadline);
        state.broken(finished)
    }

    fn state(&self) -> MutexGuard<'_, Conversation> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears of ranks that work, whichever has something to say, and does not wait for them.
pub struct Listener {
    /// When each rank was last heard, and the silence since.
    silences: Vec<(Instant, Silence)>,
}

impl Listener {
    /// Hears of all ranks of a transport from now on.
    pub fn of(transport: &Transport) -> Listener {
        Listener { silences: (0..transport.ranks()).map(|_| (Instant::now(), Silence::begin())).collect() }
    }

    /// The next message of this kind from a rank, if it has come; it must be one of this pass. It is asked for again and again.
    ///
    /// # Errors
    /// If the rank has given no sign of life for as long as the deadline; as [`Transport::receive`].
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn hear(
        &mut self,
        transport: &Transport,
        from: usize,
        kind: MessageKind,
        pass: u32,
    ) -> Result<Option<Vec<u8>>, RankError> {
        let mut state = transport.state();
        state.check()?;
        while state.take_one(from, Duration::ZERO)? {}
        if let Some(bytes) = state.next(from, kind, pass)? {
            return Ok(Some(bytes));
        }
        let (heard, silence) = &mut self.silences[from];
        if state.peers[from].heard > *heard {
            (*heard, *silence) = (state.peers[from].heard, Silence::begin());
        }
        let time = silence.lasts();
        if time <= state.deadline {
            return Ok(None);
        }
        let time = time.as_secs_f64();
        let error = state.own(format!("no sign of life came from rank {from} for {time:.1} s (SQUEEZE_DEADLINE)"));
        Err(state.fail(error))
    }
}

impl Debug for Transport {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.ranks)
    }
}

/// A thread that beats for a rank while it works. While the rank waits for a message it has the connection to itself, and so nothing beats.
pub struct Beats {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Beats {
    /// Beats four times in a deadline, until this is dropped.
    pub fn of(transport: &Arc<Transport>) -> Beats {
        let (end, ended) = channel();
        let (transport, between) = (Arc::clone(transport), transport.state().deadline / 4);
        let beat = move || {
            while ended.recv_timeout(between) == Err(RecvTimeoutError::Timeout) && transport.beat().is_ok() {}
        };
        Beats { end: Some(end), thread: Some(std::thread::spawn(beat)) }
    }
}

impl Drop for Beats {
    fn drop(&mut self) {
        drop(self.end.take());
        _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Conversation {
    /// Fails as the run has failed.
    fn check(&self) -> Result<(), RankError> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// An error that this rank found.
    fn own(&self, reason: String) -> RankError {
        RankError::new(self.wire.rank(), self.wire.ranks(), reason, false)
    }

    /// Ends the run with this error, unless it has failed before, and tells the other ranks. Returns the first cause.
    fn fail(&mut self, error: RankError) -> RankError {
        if let Some(first) = &self.failed {
            return first.clone();
        }
        self.failed = Some(error.clone());
        let bye = error.to_bytes();
        let rank = self.wire.rank();
        for to in (0..self.peers.len()).filter(|to| *to != rank) {
            // A wire that fails here has nobody left to tell.
            let _ = self.send_frame(to, MessageKind::Bye, 0, bye.clone());
        }
        error
    }

    /// A wire's result, whose failure ends the run.
    fn broken<T>(&mut self, result: Result<T, String>) -> Result<T, RankError> {
        result.map_err(|reason| {
            let error = self.own(reason);
            self.fail(error)
        })
    }

    fn send(&mut self, to: usize, kind: MessageKind, pass: u32, bytes: Vec<u8>) -> Result<(), RankError> {
        if u32::try_from(bytes.len() + HEADER).is_ok_and(|all| all <= MOST) {
            let sent = self.send_frame(to, kind, pass, bytes);
            self.broken(sent)?;
            return self.drain(MOST_UNSENT);
        }
        let error = self.own(format!("a message of {} bytes for rank {to} is too long", bytes.len()));
        Err(self.fail(error))
    }

    fn send_frame(&mut self, to: usize, kind: MessageKind, pass: u32, bytes: Vec<u8>) -> Result<(), String> {
        let next = &mut self.peers[to].next[kind.at()];
        let header = FrameHeader {
            epoch: self.epoch,
            from: self.wire.rank() as u32,
            kind,
            length: bytes.len() as u32,
            pass,
            number: *next,
        };
        *next += 1;
        let sent = &mut self.sent[kind.at()];
        (sent.messages, sent.bytes) = (sent.messages + 1, sent.bytes + bytes.len() as u64);
        self.wire.send(to, header.frame(bytes))
    }

    /// Waits until no more bytes than this are left to be sent. Messages that come meanwhile are taken, as others may wait for that.
    fn drain(&mut self, most: usize) -> Result<(), RankError> {
        let (mut silence, mut least) = (Silence::begin(), usize::MAX);
        loop {
            let unsent = self.wire.unsent();
            let Some((unsent, to)) = self.broken(unsent)?.filter(|(unsent, _)| *unsent > most) else { return Ok(()) };
            if self.take_one(self.wire.rank(), Duration::ZERO)? || unsent < least {
                least = unsent;
                silence = Silence::begin();
            } else if silence.lasts() > self.deadline {
                let (waited, heard) = (silence.time.as_secs_f64(), self.peers[to].heard.elapsed().as_secs_f64());
                let error = self.own(format!(
                    "waited {waited:.1} s (SQUEEZE_DEADLINE) for {unsent} bytes to be taken by rank {to}, last heard {heard:.1} s ago"
                ));
                return Err(self.fail(error));
            } else {
                std::thread::yield_now();
            }
        }
    }

    fn await_message(&mut self, from: usize, kind: MessageKind, pass: u32) -> Result<Vec<u8>, RankError> {
        let (start, mut silence) = (Instant::now(), Silence::begin());
        let mut heard = self.peers[from].heard.max(self.beat);
        // Who awaits words may await a rank that awaits the lost one, which is the one to name it.
        let deadline = match kind {
            MessageKind::Words => self.deadline + (self.deadline / 4).min(LATER),
            _ => self.deadline,
        };
        loop {
            if let Some(bytes) = self.next(from, kind, pass)? {
                return Ok(bytes);
            }
            if self.take_one(from, PATIENCE)? {
                continue;
            }
            let peer = &self.peers[from];
            if peer.heard.max(self.beat) > heard {
                heard = peer.heard.max(self.beat);
                silence = Silence::begin();
            }
            if silence.lasts() > deadline {
                let error = self.own(format!(
                    "waited {:.1} s (SQUEEZE_DEADLINE) for {} of step {pass} from rank {from}, last heard {:.1} s ago in step {}",
                    start.elapsed().as_secs_f64(),
                    kind.name(),
                    peer.heard.elapsed().as_secs_f64(),
                    peer.pass
                ));
                return Err(self.fail(error));
            }
        }
    }

    /// The next message of a rank, if it has come.
    fn next(&mut self, from: usize, kind: MessageKind, pass: u32) -> Result<Option<Vec<u8>>, RankError> {
        let number = self.peers[from].taken[kind.at()];
        let Some((theirs, bytes)) = self.early.remove(&(from, kind, number)) else { return Ok(None) };
        self.peers[from].taken[kind.at()] += 1;
        if theirs == pass {
            return Ok(Some(bytes));
        }
        let reason =
            format!("rank {from} sent {} of step {theirs}, where those of step {pass} are awaited", kind.name());
        let error = self.own(reason);
        Err(self.fail(error))
    }

    /// Takes a frame that has come, if one comes in time.
    fn take_one(&mut self, awaited: usize, patience: Duration) -> Result<bool, RankError> {
        let received = self.wire.receive(awaited, patience);
        let Some((by, frame)) = self.broken(received)? else { return Ok(false) };
        match self.take(by, frame) {
            Ok(()) => Ok(true),
            Err(RunEnd::Here(reason)) => {
                let error = self.own(reason);
                Err(self.fail(error))
            }
            Err(RunEnd::There(error)) => {
                // All others were told by that rank.
                self.failed.get_or_insert(error);
                self.check().map(|()| true)
            }
        }
    }

    fn take(&mut self, by: usize, frame: Vec<u8>) -> Result<(), RunEnd> {
        let header = FrameHeader::of(&frame).filter(|header| header.from as usize == by && by < self.peers.len());
        let Some(FrameHeader { epoch, kind, pass, number, .. }) = header else {
            return Err(RunEnd::Here(format!("a message from rank {by} came damaged")));
        };
        if epoch != self.epoch {
            return Err(RunEnd::Here(format!("rank {by} sent a message of another simulation")));
        }
        let now = Instant::now();
        let peer = &mut self.peers[by];
        (peer.heard, peer.pass) = (now, peer.pass.max(pass));
        let mut body = frame;
        body.truncate(body.len() - HEADER);
        match kind {
            MessageKind::Beat => self.beat = now,
            MessageKind::Bye => return Err(RunEnd::There(RankError::of_bytes(&body, self.wire.ranks(), by))),
            MessageKind::Ghosts | MessageKind::Partials | MessageKind::Cells | MessageKind::Words => {
                let taken = peer.taken[kind.at()];
                if kind == MessageKind::Ghosts && number > taken + 1 {
                    return Err(RunEnd::Here(format!(
                        "rank {by} is in step {pass}, and ghosts that it sent before never came"
                    )));
                }
                if number >= taken {
                    self.early.entry((by, kind, number)).or_insert((pass, body));
                }
            }
        }
        Ok(())
    }
}

/// How long nothing has come. Each look adds little, so that the time in which this process was suspended does not count.
struct Silence {
    time: Duration,
    last: Instant,
}

impl Silence {
    fn begin() -> Silence {
        Silence { time: Duration::ZERO, last: Instant::now() }
    }

    /// The time since it began, at this look.
    fn lasts(&mut self) -> Duration {
        let now = Instant::now();
        self.time += now.duration_since(self.last).min(LOOK);
        self.last = now;
        self.time
    }
}

/// Why the run ends: this rank found it, or another told it.
enum RunEnd {
    Here(String),
    There(RankError),
}

/// The bytes of a header, and the most of a frame.
pub(crate) const HEADER: usize = 32;
const MOST: u32 = i32::MAX as u32;
const MAGIC: [u8; 4] = *b"SqzR";

/// The header of each frame, which stands behind its bytes, so that these are moved neither here nor there: these fields, little-endian, with the kind above three bytes of the
/// rank, then four bytes of magic and the checksum of all that stands before it.
#[derive(Clone, Copy)]
struct FrameHeader {
    epoch: u32,
    from: u32,
    kind: MessageKind,
    length: u32,
    pass: u32,
    number: u64,
}

impl FrameHeader {
    fn frame(self, body: Vec<u8>) -> Vec<u8> {
        let mut frame = body;
        for word in [self.epoch, (self.kind as u32) << 24 | self.from, self.length, self.pass] {
            frame.extend(word.to_le_bytes());
        }
        frame.extend(self.number.to_le_bytes());
        frame.extend(MAGIC);
        frame.extend(crc32c::crc32c(&frame).to_le_bytes());
        frame
    }

    /// The header of a whole frame, if nothing in it is damaged.
    fn of(frame: &[u8]) -> Option<FrameHeader> {
        let (body, head) = frame.split_at(frame.len().checked_sub(HEADER)?);
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let is_sound = head[24..28] == MAGIC && word(28) == crc32c::crc32c(&frame[..frame.len() - 4]);
        if !is_sound || word(8) as usize != body.len() {
            return None;
        }
        let kind = MessageKind::ALL.into_iter().find(|kind| *kind as u32 == word(4) >> 24)?;
        let number = u64::from(word(16)) | u64::from(word(20)) << 32;
        Some(FrameHeader { epoch: word(0), from: word(4) & 0xff_ffff, kind, length: word(8), pass: word(12), number })
    }
}
