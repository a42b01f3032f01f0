//! More members than memory or a device holds at a time. Ensembles run at the same time, and each computes one batch of members after the other.
//!
//! A GPU takes as many members at once as fill it. On the CPU small members are lanes of the same columns where they can be; else they run beside each other, a
//! thread each, so that no thread waits for others. Members that have one seed draw the same random words, and the engine keeps those of the step that it last
//! computed: a thread takes some of them in turn, step by step, in half of the time. Large members run one after the other on all threads.
//!
//! Members of a ladder exchange their states, so an ensemble computes all of it, and has as many threads as there are for each ladder.

#[cfg(feature = "cuda")]
use super::SimulationBuilder;
use super::error::Result;
use super::{Backend, Ensemble, EnsembleBuilder, Member, Simulation};
use crate::EngineError;
use squeeze_compiler::numbers::mode::DefaultMode;
#[cfg(feature = "cuda")]
use squeeze_compiler::plan::can_share_buffers;
use squeeze_compiler::plan::{is_worth_all_threads, members_within};
use squeeze_host::threads;
use std::collections::BTreeMap;

/// The approximate number of cells of the members that a GPU computes together, which fill it. An interruption loses no more than these. Guess: not measured.
#[cfg(feature = "cuda")]
const FILLING: u64 = 1 << 27;
/// The same of members that are lanes on a CPU, which takes longer. Guess: not measured.
const AS_LANES: u64 = 1 << 24;
/// The most members that a thread computes in turn: their states are to stay in its caches.
/// Measured: a sweep of Ising on the carpet takes 0.75 of the time on a CPU.
const MOST_IN_TURN: usize = 16;
/// Observations of members that share an engine before others look at them. Guess: not measured.
const AHEAD: u32 = 32;
/// The fewest batches of a thread that takes members in turn, so that none waits long for another's last one. Guess: not measured.
const BATCHES_EACH: usize = 4;

/// Ensembles of equal size, which run at the same time, each one batch of members after the other.
pub struct Crew {
    /// The ensembles. The caller gives a thread to each.
    pub ensembles: Vec<Ensemble>,
    /// Observations that are best asked for at once: many where they are of many members.
    pub ahead: u32,
    /// The most members that an ensemble computes at a time.
    pub size: usize,
    /// What members of a batch have in common.
    alike: Alike,
}

/// What the members of a batch have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alike {
    Nothing,
    Settings,
    Seed,
}

impl Crew {
    fn new(ensembles: Vec<Ensemble>, size: usize, alike: Alike) -> Crew {
        let ahead = if ensembles[0].sharing() > 1 { AHEAD } else { 1 };
        Crew { ensembles, ahead, size, alike }
    }

    /// Whether members of a batch have one seed: some of all seeds then make small batches.
    pub fn is_by_seed(&self) -> bool {
        self.alike == Alike::Seed
    }

    /// The numbers of these members in batches, each for one of the ensembles, in the order of their first ones.
    pub fn batches(&self, members: &[Member]) -> Vec<Vec<usize>> {
        match self.alike {
            Alike::Nothing => batches(members, self.size, |_| ()),
            Alike::Settings => batches(members, self.size, |member| &member.settings),
            Alike::Seed => batches(members, self.size, |member| member.seed),
        }
    }
}

impl EnsembleBuilder {
    /// Ensembles that compute these members, no more than `most` of them together, or the share of them that falls to one of `crews` crews. The first member
    /// shares its kernels, which is as [`first`](EnsembleBuilder::first) gives it if it is not there yet.
    ///
    /// # Errors
    /// As [`build`](EnsembleBuilder::build), if not even one member fits.
    #[doc(hidden)]
    pub fn crew(self, first: Option<Simulation>, most: usize, crews: usize) -> Result<Crew> {
        let _mode = DefaultMode::enter();
        let first = first.map_or_else(|| self.first(), Ok)?;
        let EnsembleBuilder { builder, members } = self;
        // The backend that the first one has found.
        let (backend, rule) = (first.backend, first.rule.clone());
        let builder = builder.backend(backend);
        let most_of = |cells: u64| most.min((cells / rule.domain().cells()).max(1) as usize);
        let (one, another) = (first.memory_bytes(), first.bytes_of_another());
        #[cfg(feature = "cuda")]
        if backend == Backend::Cuda && can_share_buffers(rule.domain(), builder.options.off) {
            drop(first);
            let room = crate::cuda::room(&builder.options)?;
            return filling(&builder, &members, (most_of(FILLING).min(members_within(room, one, another)), 1), crews);
        }
        let is_small = backend == Backend::Reference || backend == Backend::Cpu && !is_worth_all_threads(rule.domain());
        // These are the bytes of a member alone: lanes of members have a plan of their own, in groups with places to spare, beside the first member.
        let room = members_within(builder.options.host_limit() / 2, one, another);
        let share = members.len().div_ceil(crews);
        if rule.stop.is_none() {
            let batches = batches(&members, most_of(AS_LANES).min(room).min(share), |member| &member.settings);
            let largest = batches.iter().max_by_key(|batch| batch.len()).into_iter().flatten();
            let largest: Vec<Member> = largest.map(|number| members[*number].clone()).collect();
            if let Some(ensemble) = Ensemble::as_lanes(&builder, &first, &largest)? {
                return Ok(Crew::new(vec![ensemble], largest.len(), Alike::Settings));
            }
        }
        let threads = if is_small { threads::useful(builder.options.threads).min(share).min(room) } else { 1 };
        let in_turn = match is_small && backend == Backend::Cpu && rule.draws() {
            true => (share / (threads * BATCHES_EACH)).min(MOST_IN_TURN).min(room / threads).max(1),
            false => 1,
        };
        let alike = if in_turn > 1 { Alike::Seed } else { Alike::Nothing };
        let size = match alike {
            Alike::Seed => batches(&members, in_turn, |member| member.seed).iter().map(Vec::len).max().unwrap_or(1),
            _ => 1,
        };
        let another = |_| first.another(builder.of(&members[0]), Some(1));
        let firsts = if threads > 1 { (0..threads).map(another).collect::<Result<_>>()? } else { vec![first] };
        let ensemble = |first| Ensemble::each_alone(builder.clone(), first, &members[..size], size > 1);
        Ok(Crew::new(firsts.into_iter().map(ensemble).collect::<Result<_>>()?, size, alike))
    }
}

impl EnsembleBuilder {
    /// Ensembles that compute these members by whole ladders, each of `ladder` members that follow each other, or the share of them that falls to one of `crews`
    /// crews. No more than `most` members go together where that are enough for a ladder.
    ///
    /// # Errors
    /// As [`build`](EnsembleBuilder::build), if not even one ladder fits.
    #[doc(hidden)]
    pub fn crew_of_ladders(self, first: Option<Simulation>, ladder: usize, most: usize, crews: usize) -> Result<Crew> {
        let _mode = DefaultMode::enter();
        let first = first.map_or_else(|| self.first(), Ok)?;
        let EnsembleBuilder { builder, members } = self;
        let (backend, rule) = (first.backend, first.rule.clone());
        let builder = builder.backend(backend);
        let (one, another) = (first.memory_bytes(), first.bytes_of_another());
        #[cfg(feature = "cuda")]
        if backend == Backend::Cuda && can_share_buffers(rule.domain(), builder.options.off) {
            drop(first);
            let room = members_within(crate::cuda::room(&builder.options)?, one, another);
            let most = most.min((FILLING / rule.domain().cells()).max(1) as usize).min(room).max(ladder);
            return filling(&builder, &members, (most, ladder), crews);
        }
        let available = builder.options.host_limit();
        let fitting = if backend == Backend::Cuda { ladder } else { members_within(available, one, another) };
        if fitting < ladder {
            let (domain, backend) = (first.domain().to_string(), backend.name());
            let needed = one as f64 + another as f64 * (ladder - 1) as f64;
            let help = vec![format!("the {ladder} members of a ladder run together; there is room for {fitting}")];
            return Err(EngineError::Memory { domain, backend, needed, available, help }.into());
        }
        let is_small = backend == Backend::Reference || backend == Backend::Cpu && !is_worth_all_threads(rule.domain());
        let threads = threads::useful(builder.options.threads);
        let ladders = (members.len() / ladder).div_ceil(crews);
        let teams = match is_small {
            true => threads
                .min(ladders)
                .min((most / ladder).max(1))
                .min(members_within(available / 2, one, another) / ladder)
                .max(1),
            false => 1,
        };
        let another = |_| first.another(builder.of(&members[0]), Some(threads / teams));
        let firsts = if teams > 1 { (0..teams).map(another).collect::<Result<_>>()? } else { vec![first] };
        let ensemble = |first| Ensemble::each_alone(builder.clone(), first, &members[..ladder], false);
        Ok(Crew::new(firsts.into_iter().map(ensemble).collect::<Result<_>>()?, ladder, Alike::Nothing))
    }
}

/// A crew of ensembles of at most `most` members each on a GPU, of whole ladders. Fewer are tried where these do not fit after all: many members may be laid out otherwise
/// than one, and a driver may refuse memory that it reported as free.
#[cfg(feature = "cuda")]
fn filling(
    builder: &SimulationBuilder,
    members: &[Member],
    (mut most, ladder): (usize, usize),
    crews: usize,
) -> Result<Crew> {
    let ladders = members.len() / ladder;
    loop {
        // All batches are of about one size, and all crews compute as many.
        let count = ladders.div_ceil(most / ladder).next_multiple_of(crews).min(ladders);
        let size = ladders.div_ceil(count) * ladder;
        match builder.clone().members(members[..size].iter().cloned()).build() {
            Err(error) if size > ladder && error.is_too_large() => most = (size / 2).max(ladder),
            built => return Ok(Crew::new(vec![built?], size, Alike::Nothing)),
        }
    }
}

/// The numbers of at most `most` members that have the same `key`, in the order of their first ones.
fn batches<'a, K: Ord>(members: &'a [Member], most: usize, key: impl Fn(&'a Member) -> K) -> Vec<Vec<usize>> {
    let mut alike: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (number, member) in members.iter().enumerate() {
        alike.entry(key(member)).or_default().push(number);
    }
    let mut batches: Vec<Vec<usize>> =
        alike.values().flat_map(|numbers| numbers.chunks(most).map(<[usize]>::to_vec)).collect();
    batches.sort();
    batches
}
