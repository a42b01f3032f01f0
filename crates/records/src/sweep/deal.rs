//! Members dealt out to those who compute them: threads of this process, one for each device, and other ranks.
//!
//! One process leads. It gives each worker a domain to make ready for, and then members of it, as many as the worker can do with: a share of those that are
//! left, so that a worker that is slow or was late delays nobody. Domains of many cells come first. Which worker computes a member decides nothing of its
//! results.
//!
//! Each [`WorkerWord::Idle`] is answered by one [`Assignment::Domain`] or [`Assignment::End`], and each [`WorkerWord::Wants`] by one [`Assignment::Members`]; [`Assignment::Stop`] may come
//! at any time before the end.

use super::Sweep;
use super::rows::Ended;
use crate::texts::Digest;
use serde::{Deserialize, Serialize};
use squeeze_engine::failure::{Message, Result};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// The words of a worker.
pub(super) enum WorkerWord {
    /// It has no domain.
    Idle,
    /// It can do with members of its domain.
    Wants(Wants),
    /// These members have come to their ends; their domain has drawn cells of this digest, if it draws.
    Ended(Option<Digest>, Vec<(usize, Ended)>),
    /// Time steps that were computed since it last said how many.
    Steps(u64),
    /// It computes nothing more.
    Done,
}

/// The members that a worker can do with.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Wants {
    /// The members of a batch,
    pub size: usize,
    /// and how many batches it computes at the same time.
    pub batches: usize,
    /// Whether members of a batch have one seed.
    pub by_seed: bool,
}

/// What a worker is to do.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Assignment {
    /// Make ready for members of the domain of this number.
    Domain(usize),
    /// Compute these; of none, that the domain has none left.
    Members(Vec<usize>),
    /// Leave members where they are.
    Stop,
    /// Nothing is left.
    End,
}

/// A worker's connection to the one who leads.
pub(super) trait Hand {
    /// Says a word.
    ///
    /// # Errors
    /// If the connection is broken.
    fn say(&mut self, word: WorkerWord) -> Result<()>;

    /// The next order: one that has come, or the next to come if it `waits`.
    ///
    /// # Errors
    /// If the connection is broken, or a rank has failed.
    fn hear(&mut self, waits: bool) -> Result<Option<Assignment>>;
}

/// The connection of a thread of the process that leads, by the number of the worker.
pub(super) struct ThreadHand {
    pub worker: usize,
    pub words: Sender<(usize, Result<WorkerWord>)>,
    pub orders: Receiver<Assignment>,
    /// Whether the worker has said how it came to its end.
    pub has_ended: bool,
}

impl Drop for ThreadHand {
    /// A thread that panics is no worker any more; who joins it passes the panic on.
    fn drop(&mut self) {
        if !self.has_ended {
            _ = self.words.send((self.worker, Err(Message::systems("a worker of the sweep panicked").into())));
        }
    }
}

impl Hand for ThreadHand {
    fn say(&mut self, word: WorkerWord) -> Result<()> {
        // Nobody listens any more after a panic alone.
        _ = self.words.send((self.worker, Ok(word)));
        Ok(())
    }

    fn hear(&mut self, waits: bool) -> Result<Option<Assignment>> {
        if waits {
            return Ok(Some(self.orders.recv().unwrap_or(Assignment::End)));
        }
        match self.orders.recv_timeout(Duration::ZERO) {
            Ok(order) => Ok(Some(order)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Ok(Some(Assignment::End)),
        }
    }
}

impl ThreadHand {
    /// Says that the worker has come to its end so.
    pub(super) fn end(mut self, result: Result<()>) {
        self.has_ended = true;
        _ = self.words.send((self.worker, result.map(|()| WorkerWord::Done)));
    }
}

/// The members that were given to nobody yet.
pub(super) struct Dealer {
    /// The members of each domain, by its number, in the order in which they are given away.
    left: Vec<VecDeque<usize>>,
    /// The domain that each worker makes ready for, to ask for members of it.
    awaits: Vec<Option<usize>>,
    /// The domain of each worker.
    domains: Vec<Option<usize>>,
    is_by_seed: Vec<bool>,
    /// The members that are given away together: those of a ladder, or one.
    together: usize,
}

impl Dealer {
    /// The members of these domains, for this number of workers. As many as go `together` follow each other.
    pub(super) fn new(domains: &[Vec<usize>], workers: usize, together: usize) -> Dealer {
        Dealer {
            left: domains.iter().map(|members| members.iter().copied().collect()).collect(),
            awaits: vec![None; workers],
            domains: vec![None; workers],
            is_by_seed: vec![false; domains.len()],
            together,
        }
    }

    /// The workers that will ask for members of a domain, besides this one.
    fn awaited(&self, domain: usize, worker: usize) -> usize {
        let others = self.awaits.iter().enumerate();
        others.filter(|(other, awaits)| *other != worker && **awaits == Some(domain)).count()
    }

    /// A domain for a worker, of those that have members for it besides those who will ask: one with few workers, and the first of these.
    pub(super) fn domain(&mut self, worker: usize) -> Option<usize> {
        self.domains[worker] = None;
        let workers = |domain: &usize| self.domains.iter().filter(|other| **other == Some(*domain)).count();
        let has_some = |domain: &usize| self.left[*domain].len() / self.together > self.awaited(*domain, worker);
        let domain = (0..self.left.len()).filter(has_some).min_by_key(workers);
        (self.domains[worker], self.awaits[worker]) = (domain, domain);
        domain
    }

    /// Members of a worker's domain.
    pub(super) fn members(&mut self, sweep: &Sweep, worker: usize, wants: Wants) -> Vec<usize> {
        let Some(domain) = self.domains[worker] else { return Vec::new() };
        self.awaits[worker] = None;
        let (awaited, workers) = (self.awaited(domain, worker), self.awaits.len());
        let left = &mut self.left[domain];
        if wants.by_seed && !std::mem::replace(&mut self.is_by_seed[domain], true) {
            left.make_contiguous().sort_by_key(|member| (member % sweep.seeds.len(), *member));
        }
        let size = (wants.size / self.together).max(1);
        let units = left.len() / self.together;
        let batches = units.div_ceil(size);
        // Half of an equal share, so that all come to their ends together; a batch for each thread as long as all can have that.
        let some = match workers {
            1 => batches,
            _ => batches.div_ceil(2 * workers).max(wants.batches.min(batches.div_ceil(workers))),
        };
        let count = some.saturating_mul(size).min(units - awaited.min(units));
        left.drain(..count * self.together).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;
    use crate::sweep::Wishes;
    use squeeze_compiler::geometry::Domain;

    fn sweep() -> Sweep {
        let (fractal, fractal_texts) = resolve::domain_with_texts("vicsek", &resolve::Edges::default()).unwrap();
        let (rule, rule_texts) = resolve::rule_with_texts("ising").unwrap();
        let domain = Domain::new(fractal, 2).unwrap();
        let settings = ["beta=0.1,0.2,0.3".to_owned()];
        let wishes = Wishes { seeds: "0..4", settings: &settings, ..Wishes::default() };
        Sweep::new(fractal_texts, rule_texts, &rule, &[domain], 4, wishes, &[]).unwrap()
    }

    /// Every member is dealt once, whoever asks when; none waits for a worker that is there.
    #[test]
    fn all_members_are_dealt_once() {
        let sweep = sweep();
        for workers in 1..6 {
            for seed in 0..20_u64 {
                let domains = [vec![0, 1, 2, 3, 4, 5, 6], vec![7], vec![8, 9, 10, 11]];
                let (mut dealer, mut dealt) = (Dealer::new(&domains, workers, 1), Vec::new());
                let (mut random, mut ready, mut ended) = (seed, vec![None; workers], vec![false; workers]);
                while ended.contains(&false) {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let worker = (random >> 33) as usize % workers;
                    match ready[worker] {
                        None => {
                            ready[worker] = dealer.domain(worker);
                            ended[worker] = ready[worker].is_none();
                        }
                        Some(domain) => {
                            let first = dealer.awaits[worker].is_some();
                            let wants = Wants { size: 1 + (random >> 40) as usize % 3, batches: 2, by_seed: false };
                            let members = dealer.members(&sweep, worker, wants);
                            assert!(members.iter().all(|member| domains[domain].contains(member)));
                            assert!(!(first && members.is_empty()), "a worker made ready for nothing");
                            if members.is_empty() {
                                ready[worker] = None;
                            }
                            dealt.extend(members);
                        }
                    }
                }
                dealt.sort_unstable();
                assert_eq!(dealt, (0..12).collect::<Vec<_>>(), "{workers} workers, seed {seed}");
            }
        }
    }

    #[test]
    fn shares_suit_those_who_ask() {
        let (sweep, all) = (sweep(), vec![(0..12).collect::<Vec<_>>()]);
        let wants = |size, batches, by_seed| Wants { size, batches, by_seed };
        // One worker takes all, and two devices take a half each.
        let mut dealer = Dealer::new(&all, 1, 1);
        assert_eq!(dealer.domain(0), Some(0));
        assert_eq!(dealer.members(&sweep, 0, wants(5, 1, false)), all[0]);
        let mut dealer = Dealer::new(&all, 2, 1);
        assert_eq!([dealer.domain(0), dealer.domain(1)], [Some(0); 2]);
        assert_eq!([0, 1].map(|worker| dealer.members(&sweep, worker, wants(6, 1, false)).len()), [6, 6]);
        // Batches of one seed: three members each.
        let mut dealer = Dealer::new(&all, 2, 1);
        assert_eq!([dealer.domain(0), dealer.domain(1)], [Some(0); 2]);
        assert_eq!(dealer.members(&sweep, 0, wants(3, 1, true)), [0, 4, 8]);
        assert_eq!(dealer.members(&sweep, 1, wants(3, 2, true)), [1, 5, 9, 2, 6, 10]);
    }
}
