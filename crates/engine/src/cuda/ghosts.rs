//! Columns that parts on devices read of each other: kernels pack them into memory that the other part reaches, and unpack them into the ghosts there.
//!
//! Ranks of one process share memory: a rank's kernel packs columns into memory of the device that reads them, or of the host where one device does not reach
//! the other's memory. A message without bytes then says that the kernel is on its way, and the other device waits for it; no host waits for any device. Columns for other
//! processes go through pinned memory of the host and are bytes of a message.
//!
//! Each link has its memory twice, for exchanges in turn: who packs anew has waited for what the other did after it had unpacked what stood there. All of this goes on in
//! a stream beside that of the longest run of units that read no ghosts. All other units follow there, so that neither stream waits for the end of the other before both are done.

use super::Cuda;
use super::driver::{Address, Device, DoneMark, Memory, Pinned};
use crate::ranks::transport::{MessageKind, Transport};
use crate::reduce::words::{Words, to_bytes};
use crate::states::ColumnSpan;
use crate::states::ghosts::{GhostPeer, GhostsRead, ghosts_read};
use crate::{EngineError, Result};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::plan::Plan;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of columns that a warp moves. Guess: not measured.
const STRETCH: u64 = 2048;
/// The largest run of units that read no ghosts is computed beside the exchange if it is at least this part of all. Guess: not measured.
const LEAST_INNER: usize = 8;
/// How long a rank looks at its device before it sleeps between looks, and looks for messages. Guess: not measured.
const AWAKE: Duration = Duration::from_millis(2);
const LOOK: Duration = Duration::from_micros(100);
/// Columns begin at multiples of these bytes in memory between parts, so that they move in pieces of 16 bytes where they can.
const ALIGNED: u64 = 16;

/// Memory that another rank fills.
enum GhostMemory {
    /// Of the device that reads it.
    Device(Memory),
    Host(Pinned),
}

impl GhostMemory {
    fn address(&self) -> Address {
        match self {
            GhostMemory::Device(memory) => memory.address(),
            GhostMemory::Host(memory) => memory.address(),
        }
    }
}

/// What a rank of this process hands another one: where to pack columns, and what to wait for before they are unpacked.
struct Offer {
    memory: Arc<GhostMemory>,
    packed: [Arc<DoneMark>; 2],
}

/// The offers that were not taken yet, by number.
static OFFERS: Mutex<BTreeMap<u64, Offer>> = Mutex::new(BTreeMap::new());
static OFFERED: AtomicU64 = AtomicU64::new(1);

/// The number of an offer, which is taken back when this is dropped.
struct OfferNumber(u64);

impl Drop for OfferNumber {
    fn drop(&mut self) {
        drop(Offer::taken(self.0));
    }
}

impl Offer {
    /// Lays the offer down for the rank that is told the number.
    fn made(self) -> OfferNumber {
        let number = OFFERED.fetch_add(1, Ordering::Relaxed);
        OFFERS.lock().unwrap_or_else(PoisonError::into_inner).insert(number, self);
        OfferNumber(number)
    }

    /// The offer of this number, if it was made in this process; none has the number 0.
    fn taken(number: u64) -> Option<Offer> {
        OFFERS.lock().unwrap_or_else(PoisonError::into_inner).remove(&number)
    }
}

/// Stretches of the columns of each state, three numbers each as the kernel takes them, for exchanges in turn.
#[derive(Default)]
struct ColumnMoves(BTreeMap<usize, [Vec<u64>; 2]>);

impl ColumnMoves {
    /// Adds columns that stand between parts at these addresses in the first exchange, and `later` bytes behind them in the next.
    fn add(&mut self, spans: &[ColumnSpan], columns: &[Columns], places: impl Iterator<Item = Address>, later: u64) {
        for (span, place) in spans.iter().zip(places) {
            let state = usize::from(span.state);
            let (bytes, lists) = (span.bytes(&columns[state]), self.0.entry(state).or_default());
            for first in (0..bytes.len() as u64).step_by(STRETCH as usize) {
                let length = STRETCH.min(bytes.len() as u64 - first);
                for (turn, list) in (0..).zip(&mut *lists) {
                    let (from, to) = (bytes.start as u64 + first, place + turn * later + first);
                    match list.last_chunk_mut() {
                        // Columns that follow each other here and there.
                        Some([before, there, so_far])
                            if (*before + *so_far, *there + *so_far) == (from, to) && *so_far + length <= STRETCH =>
                        {
                            *so_far += length;
                        }
                        _ => list.extend([from, to, length]),
                    }
                }
            }
        }
    }

    /// The lists on a device, for columns that leave their states or come to them.
    fn moves(self, device: &Arc<Device>, leave: bool) -> Result<Vec<Moves>> {
        let on_device = |mut list: Vec<u64>| {
            if !leave {
                list.chunks_exact_mut(3).for_each(|stretch| stretch.swap(0, 1));
            }
            Memory::of(device, &list)
        };
        let moves = |(state, [first, second]): (usize, [Vec<u64>; 2])| {
            Ok(Moves { state, stretches: [on_device(first)?, on_device(second)?] })
        };
        self.0.into_iter().map(moves).collect()
    }
}

/// A number that no other process has.
fn process() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    *NUMBER.get_or_init(|| RandomState::new().hash_one(std::process::id()))
}

/// The columns of a state that go one way, as lists of stretches for exchanges in turn.
struct Moves {
    state: usize,
    stretches: [Memory; 2],
}

/// The way to another rank and back.
struct Way {
    rank: usize,
    /// The memory that is filled here, and the bytes that an exchange takes of it,
    to: (Arc<GhostMemory>, usize),
    /// and that which is filled there.
    from: (Arc<GhostMemory>, usize),
    /// Set there when it is filled; `None` for another process, which sends bytes.
    packed: Option<[Arc<DoneMark>; 2]>,
}

/// The memory and the lists of what a part exchanges with others before a kernel.
pub(crate) struct DeviceLink {
    gives: Vec<Moves>,
    takes: Vec<Moves>,
    ways: Vec<Way>,
    /// The stream in which columns are packed and unpacked.
    side: Arc<Device>,
    /// Set when what is packed was computed,
    computed: DoneMark,
    /// and when all that was started in the other stream is done.
    finished: DoneMark,
    /// Set when columns are packed.
    packed: [Arc<DoneMark>; 2],
    exchanges: AtomicU64,
    /// Units or rows that read no ghosts.
    inner: Range<u32>,
    /// Taken back if the other ranks have failed to take them.
    _offers: Vec<OfferNumber>,
}

/// Where some columns stand in memory between parts, one after the other; and the bytes of all.
fn places(spans: &[ColumnSpan], columns: &[Columns]) -> (Vec<u64>, u64) {
    let mut end = 0;
    let mut place = |span: &ColumnSpan| {
        let first = end;
        end = (first + span.bytes(&columns[usize::from(span.state)]).len() as u64).next_multiple_of(ALIGNED);
        first
    };
    (spans.iter().map(&mut place).collect(), end)
}

impl Cuda {
    /// How its units are stored and computed.
    pub(crate) fn plan(&self) -> &Plan {
        &self.program.plan
    }

    /// The memory of a state's columns, if there is such a state.
    pub(crate) fn columns(&self, state: u16) -> Option<Columns> {
        self.program.plan.states().get(usize::from(state)).map(|state| state.columns)
    }

    /// Waits for all kernels. A device that waits for another's marks may wait for ever where that one has failed, so that messages are looked at meanwhile.
    pub(crate) fn wait(&self, transport: &Transport) -> Result<()> {
        let start = Instant::now();
        while !self.device.is_idle()? {
            if start.elapsed() < AWAKE {
                std::thread::yield_now();
            } else {
                transport.poll()?;
                std::thread::sleep(LOOK);
            }
        }
        Ok(())
    }

    /// The reads of a kernel of a pass of `steps` steps among units which others compute.
    ///
    /// # Errors
    /// If it cannot be lowered.
    pub(crate) fn ghosts_of_kernel(&self, steps: u32, kernel: usize) -> Result<GhostsRead> {
        let plan = &self.program.plan;
        let of_kernel = plan.steps_of_kernel(steps);
        let kernels = self.program.kernels(of_kernel)?;
        let storage = (&*plan.storage, self.program.rule.domain().dimension());
        Ok(ghosts_read(storage, ([kernels[kernel].interface()], steps / of_kernel), self.fields.len()))
    }

    /// The reads of the terms of these reductions, all of one round, among units which others compute.
    ///
    /// # Errors
    /// If the terms' code is too long for a kernel.
    pub(crate) fn ghosts_of_terms(&self, which: &[usize]) -> Result<GhostsRead> {
        self.reducer()?.ghosts_of_terms(which)
    }

    /// Makes ready what these columns need on their way. The ranks that exchange them do so together.
    ///
    /// # Errors
    /// If the device has no memory for it, or a rank fails.
    pub(crate) fn link(&self, transport: &Transport, peers: &[GhostPeer], inner: Range<u32>) -> Result<DeviceLink> {
        let columns: Vec<Columns> = self.program.plan.states().iter().map(|state| state.columns).collect();
        let side = self.device.beside()?;
        let mark = || Ok::<_, EngineError>(Arc::new(DoneMark::new(&side)?));
        let packed = [mark()?, mark()?];
        let (process, number) = (process(), self.device.number() as u64);
        let say = |peer: &GhostPeer, words: [u64; 2]| {
            transport.send(peer.rank, MessageKind::Words, self.time, &to_bytes(words))
        };
        let hear = |peer: &GhostPeer| -> Result<[u64; 2]> {
            let bytes = transport.receive(peer.rank, MessageKind::Words, self.time)?;
            let mut words = Words::new(&bytes);
            let wrong = || transport.fail(format!("rank {} does not say where it is", peer.rank), false);
            Ok([words.word().ok_or_else(wrong)?, words.word().ok_or_else(wrong)?])
        };
        peers.iter().try_for_each(|peer| say(peer, [process, number]))?;
        let (mut filled_there, mut offers) = (Vec::new(), Vec::new());
        for peer in peers {
            let [of_peer, device] = hear(peer)?;
            let (is_here, bytes) = (of_peer == process, 2 * places(&peer.takes, &columns).1);
            let memory = Arc::new(match is_here && self.device.is_reached_from(device as i32)? {
                // To fill it would go on while another device packs there.
                true => GhostMemory::Device(Memory::unset(&self.device, bytes)?),
                false => GhostMemory::Host(Pinned::new(&self.device, bytes as usize)?),
            });
            let offer = || Offer { memory: Arc::clone(&memory), packed: packed.clone() }.made();
            let offer = is_here.then(offer);
            say(peer, [offer.as_ref().map_or(0, |OfferNumber(number)| *number), 0])?;
            offers.extend(offer);
            filled_there.push(memory);
        }
        let (mut gives, mut takes, mut ways) = (ColumnMoves::default(), ColumnMoves::default(), Vec::new());
        for (peer, from) in peers.iter().zip(filled_there) {
            let offer = Offer::taken(hear(peer)?[0]);
            let ((given, to_bytes), (taken, from_bytes)) =
                (places(&peer.gives, &columns), places(&peer.takes, &columns));
            let (to, packed) = match offer {
                Some(Offer { memory, packed }) => (memory, Some(packed)),
                None => (Arc::new(GhostMemory::Host(Pinned::new(&self.device, 2 * to_bytes as usize)?)), None),
            };
            if let GhostMemory::Device(memory) = &*to {
                self.device.reach(memory)?;
            }
            gives.add(&peer.gives, &columns, given.iter().map(|place| to.address() + place), to_bytes);
            takes.add(&peer.takes, &columns, taken.iter().map(|place| from.address() + place), from_bytes);
            let (to, from) = ((to, to_bytes as usize), (from, from_bytes as usize));
            ways.push(Way { rank: peer.rank, to, from, packed });
        }
        let (gives, takes) = (gives.moves(&self.device, true)?, takes.moves(&self.device, false)?);
        let (computed, finished) = (DoneMark::new(&self.device)?, DoneMark::new(&side)?);
        let exchanges = AtomicU64::new(0);
        Ok(DeviceLink { gives, takes, ways, side, computed, finished, packed, exchanges, inner, _offers: offers })
    }

    /// Brings the columns of a link, for the terms of reductions.
    ///
    /// # Errors
    /// If the device or a rank fails.
    pub(crate) fn exchange_ghosts(&self, transport: &Transport, link: &DeviceLink) -> Result<()> {
        match link.ways.is_empty() {
            true => Ok(()),
            false => {
                self.end_exchange(transport, link, self.begin_exchange(link)?)?;
                self.join(link)
            }
        }
    }

    /// Brings the columns of a link and starts the kernel of a pass that reads them.
    ///
    /// # Errors
    /// If the device or a rank fails.
    pub(crate) fn start_kernel_beside(
        &mut self,
        transport: &Transport,
        link: &DeviceLink,
        (steps, number): (u32, usize),
    ) -> Result<()> {
        let (pass, all) = (Arc::clone(&self.passes[&steps]), self.stored().all());
        let kernel = &pass.kernels[number];
        let is_short = link.inner.is_empty() || link.inner.len() * LEAST_INNER < all.len();
        if link.ways.is_empty() || kernel.entry.is_reversed || is_short {
            self.exchange_ghosts(transport, link)?;
            return self.start_kernel_of_pass(steps, number);
        }
        assert!(all.start <= link.inner.start && link.inner.end <= all.end, "the run lies in the part");
        let turn = self.begin_exchange(link)?;
        self.start_part(&self.device, kernel, link.inner.clone())?;
        self.end_exchange(transport, link, turn)?;
        self.start_part(&link.side, kernel, all.start..link.inner.start)?;
        self.start_part(&link.side, kernel, link.inner.end..all.end)?;
        self.join(link)?;
        self.finish_kernel(kernel);
        Ok(())
    }

    /// Lets what follows wait for the stream of a link.
    fn join(&self, link: &DeviceLink) -> Result<()> {
        link.finished.set()?;
        Ok(link.finished.awaited_by(&self.device)?)
    }

    /// Packs the columns of a link; says which turn it is.
    fn begin_exchange(&self, link: &DeviceLink) -> Result<usize> {
        let turn = (link.exchanges.fetch_add(1, Ordering::Relaxed) % 2) as usize;
        // Ghosts that the host has written are old.
        self.mirror.settle(self)?;
        link.computed.set()?;
        link.computed.awaited_by(&link.side)?;
        for moves in &link.gives {
            let now = self.fields[moves.state].now.address();
            // SAFETY: the columns are those of the states, and the memory between parts lives as long as the link, which is kept until the device was waited
            // for. What stood there was unpacked: see the head of this file.
            unsafe { self.measure.move_columns(&link.side, &moves.stretches[turn], now, 0)? };
        }
        link.packed[turn].set()?;
        Ok(turn)
    }

    /// Exchanges messages with the other ranks, and unpacks the columns that they have packed.
    fn end_exchange(&self, transport: &Transport, link: &DeviceLink, turn: usize) -> Result<()> {
        if link.ways.iter().any(|way| way.packed.is_none()) {
            link.side.synchronize()?;
        }
        for Way { rank, to: (memory, bytes), packed, .. } in &link.ways {
            let mut given = Vec::new();
            if let (None, GhostMemory::Host(memory)) = (packed, &**memory) {
                given.resize(*bytes, 0);
                // SAFETY: the kernels that packed were waited for.
                unsafe { memory.read(turn * bytes, &mut given) };
            }
            transport.send(*rank, MessageKind::Ghosts, self.time, &given)?;
        }
        for Way { rank, from: (memory, bytes), packed, .. } in &link.ways {
            let taken = transport.receive(*rank, MessageKind::Ghosts, self.time)?;
            let expected = if packed.is_some() { 0 } else { *bytes };
            if taken.len() != expected {
                let why = format!("rank {rank} sent other columns than it was asked for");
                return Err(transport.fail(why, false).into());
            }
            match (packed, &**memory) {
                (Some(packed), _) => packed[turn].awaited_by(&link.side)?,
                // SAFETY: what stood there two exchanges ago was unpacked before what was packed now was computed, and that was waited for.
                (None, GhostMemory::Host(memory)) => unsafe { memory.write(turn * bytes, &taken) },
                (None, GhostMemory::Device(_)) => unreachable!("another process reaches no memory of this one"),
            }
        }
        for moves in &link.takes {
            let now = self.fields[moves.state].now.address();
            // SAFETY: as above; what is read was packed, or written by the host.
            unsafe { self.measure.move_columns(&link.side, &moves.stretches[turn], 0, now)? };
        }
        transport.flush()?;
        // A copy on the host has old ghosts.
        self.mirror.pass();
        Ok(())
    }
}

impl Drop for DeviceLink {
    fn drop(&mut self) {
        // Nothing may be freed that a kernel still packs from or into.
        _ = self.side.synchronize();
    }
}
