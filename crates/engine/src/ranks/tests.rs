//! Conversations between ranks that are threads: how they end, whatever goes wrong on the wire.

use super::error::RankError;
use super::faulty::{FaultyWire, STOPPED, WireFault};
use super::in_process::wires;
use super::transport::{Beats, MessageKind, Transport, Wire};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// What each of some ranks says at its end, and how long it took.
fn all_ranks<T: Send>(
    wires: Vec<Box<dyn Wire>>,
    deadline: Duration,
    work: impl Fn(&Arc<Transport>) -> T + Sync,
) -> (Vec<T>, Duration) {
    let start = Instant::now();
    let results = thread::scope(|scope| {
        let begin = |wire| scope.spawn(|| work(&Arc::new(Transport::new(wire, 7, deadline))));
        let threads: Vec<_> = wires.into_iter().map(begin).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    (results, start.elapsed())
}

const LONG: Duration = Duration::from_secs(20);

/// The cells of one rank.
const CELLS: usize = 5;
const STEPS: u32 = 40;

fn mix(value: u64) -> u64 {
    let z = (value ^ value >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z ^ z >> 29
}

/// A ring of cells, each of which becomes a mixture of itself and its neighbours.
fn next(left: u64, own: u64, right: u64) -> u64 {
    mix(left.rotate_left(7) ^ mix(own).wrapping_add(right))
}

/// The digest after some steps, as one process computes it.
fn expected(ranks: usize) -> u64 {
    let all = CELLS * ranks;
    let mut cells: Vec<u64> = (0..all as u64).map(mix).collect();
    for _ in 0..STEPS {
        cells = (0..all).map(|c| next(cells[(c + all - 1) % all], cells[c], cells[(c + 1) % all])).collect();
    }
    cells.iter().fold(0, |sum, cell| sum.wrapping_add(mix(*cell)))
}

/// The same by ranks: ghosts in each step, and sums every eighth.
fn ring(transport: &Transport) -> Result<u64, RankError> {
    let (rank, ranks) = (transport.rank(), transport.ranks());
    let mut cells: Vec<u64> = (0..CELLS).map(|c| mix((rank * CELLS + c) as u64)).collect();
    let (left, right) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes[..8].try_into().unwrap());
    let mut digest = 0;
    for step in 1..=STEPS {
        // Of two ranks each is the other's left and right neighbour: one message has both cells.
        let both = [cells[0].to_le_bytes(), cells[CELLS - 1].to_le_bytes()].concat();
        transport.send(left, MessageKind::Ghosts, step, &both)?;
        if left != right {
            transport.send(right, MessageKind::Ghosts, step, &both)?;
        }
        let of_left = transport.receive(left, MessageKind::Ghosts, step)?;
        let of_right =
            if left == right { of_left.clone() } else { transport.receive(right, MessageKind::Ghosts, step)? };
        let (first, last) = (number(&of_left[8..]), number(&of_right));
        let at = |c: isize| usize::try_from(c).ok().map_or(first, |c| cells.get(c).copied().unwrap_or(last));
        cells = (0..CELLS as isize).map(|c| next(at(c - 1), at(c), at(c + 1))).collect();
        if step % 8 == 0 {
            let own = cells.iter().fold(0_u64, |sum, cell| sum.wrapping_add(mix(*cell)));
            let all = transport.all_gather(MessageKind::Words, step, &own.to_le_bytes())?;
            digest = all.iter().fold(0, |sum: u64, part| sum.wrapping_add(number(part)));
        }
    }
    transport.finish()?;
    Ok(digest)
}

/// One run with a fault. It ends in time, and right or with an error.
fn run_with(fault: WireFault, seed: u64) {
    let ranks = 2 + (mix(seed) % 6) as usize;
    let faulty = |wire| Box::new(FaultyWire::over(wire, fault, seed)) as Box<dyn Wire>;
    let deadline = if fault.is_harmless() { LONG } else { Duration::from_millis(200) };
    let (results, took) = all_ranks(wires(ranks).into_iter().map(faulty).collect(), deadline, |rank| ring(rank));
    for (rank, result) in results.iter().enumerate() {
        match result {
            Ok(digest) => assert_eq!(*digest, expected(ranks), "{fault:?}, seed {seed}, rank {rank}"),
            Err(error) => assert!(!fault.is_harmless(), "{fault:?}, seed {seed}, rank {rank}: {error}"),
        }
    }
    // Ranks that wait for one another learn of it one after the other at most.
    assert!(fault.is_harmless() || took < Duration::from_secs(10), "{fault:?}, seed {seed} took {took:?}");
}

const FAULTS: [WireFault; 7] = [
    WireFault::Reordered,
    WireFault::Late,
    WireFault::Doubled,
    WireFault::Dropped,
    WireFault::Flipped,
    WireFault::Stopped,
    WireFault::Stalled(Duration::from_millis(600)),
];

/// Runs of some seeds, each with one of the faults in turn.
fn run_seeds(seeds: u64) {
    let next = std::sync::atomic::AtomicU64::new(0);
    thread::scope(|scope| {
        // Most of them sleep.
        for _ in 0..12 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= seeds {
                        break;
                    }
                    run_with(FAULTS[(seed % FAULTS.len() as u64) as usize], seed);
                }
            });
        }
    });
}

#[test]
fn runs_end_whatever_goes_wrong() {
    run_seeds(105);
}

#[test]
#[ignore = "it takes minutes; `.ci/nightly` runs it"]
fn thousands_of_runs_end_whatever_goes_wrong() {
    run_seeds(7000);
}

#[test]
fn all_learn_the_first_cause() {
    let (told, _) = all_ranks(wires(5), LONG, |rank| {
        if rank.rank() == 3 {
            return rank.fail("the disk is full", false);
        }
        rank.receive((rank.rank() + 1) % 5, MessageKind::Partials, 1).unwrap_err()
    });
    for (rank, error) in told.iter().enumerate() {
        assert_eq!(error.to_string(), "rank 3 of 5: the disk is full");
        assert_eq!((error.rank(), error.is_told()), (3, rank != 3));
    }
}

#[test]
fn what_is_silent_is_named() {
    let deadline = Duration::from_millis(100);
    let (told, took) = all_ranks(wires(3), deadline, |rank| match rank.rank() {
        2 => None,
        _ => rank.receive(2, MessageKind::Ghosts, 17).err(),
    });
    let error = told[0].as_ref().unwrap().to_string();
    assert!(error.contains("ghosts of step 17 from rank 2, last heard") && told[1].is_some(), "{error}");
    assert!(took < LONG);
}

#[test]
fn ranks_that_do_different_things_are_found() {
    let (told, _) = all_ranks(wires(2), LONG, |rank| {
        rank.send(1 - rank.rank(), MessageKind::Partials, 5 + rank.rank() as u32, &[1]).unwrap();
        rank.receive(1 - rank.rank(), MessageKind::Partials, 5).map_err(|error| error.to_string())
    });
    let expected = "rank 0 of 2: rank 1 sent partial results of step 6, where those of step 5 are awaited";
    assert!(told.contains(&Err(expected.to_owned())), "{told:?}");
}

#[test]
fn a_lost_message_of_ghosts_is_known_by_the_next_but_one() {
    let mut both = wires(2);
    // The wire of rank 1 loses its first frame.
    struct Losing(Box<dyn Wire>, bool);
    impl Wire for Losing {
        fn rank(&self) -> usize {
            self.0.rank()
        }
        fn ranks(&self) -> usize {
            self.0.ranks()
        }
        fn send(&mut self, to: usize, frame: Vec<u8>) -> Result<(), String> {
            if std::mem::replace(&mut self.1, true) { self.0.send(to, frame) } else { Ok(()) }
        }
        fn receive(&mut self, awaited: usize, patience: Duration) -> Result<Option<(usize, Vec<u8>)>, String> {
            self.0.receive(awaited, patience)
        }
        fn unsent(&mut self) -> Result<Option<(usize, usize)>, String> {
            self.0.unsent()
        }
        fn abort(&mut self, code: i32) {
            self.0.abort(code);
        }
    }
    let losing = Box::new(Losing(both.pop().unwrap(), false));
    let wires = vec![both.pop().unwrap(), losing as Box<dyn Wire>];
    let (told, took) = all_ranks(wires, LONG, |rank| {
        if rank.rank() == 1 {
            (1..=3).for_each(|step| rank.send(0, MessageKind::Ghosts, step, &[]).unwrap());
            return None;
        }
        rank.receive(1, MessageKind::Ghosts, 1).err().map(|error| error.to_string())
    });
    let expected = "rank 0 of 2: rank 1 is in step 3, and ghosts that it sent before never came";
    assert_eq!(told[0].as_deref(), Some(expected));
    assert!(took < LONG);
}

#[test]
fn partials_may_be_early_by_many() {
    let (told, _) = all_ranks(wires(2), LONG, |rank| {
        if rank.rank() == 0 {
            (0..50).for_each(|step| rank.send(1, MessageKind::Partials, step, &[step as u8]).unwrap());
            return Vec::new();
        }
        let words: Vec<u8> = (0..50).flat_map(|step| rank.receive(0, MessageKind::Partials, step).unwrap()).collect();
        assert_eq!(rank.sent(MessageKind::Partials).messages, 0);
        words
    });
    assert_eq!(told[1], (0..50).collect::<Vec<u8>>());
}

#[test]
fn all_are_patient_with_a_rank_that_works() {
    let deadline = Duration::from_millis(500);
    let (told, took) = all_ranks(wires(3), deadline, |rank| {
        let _beats = Beats::of(rank);
        // Rank 2 waits for rank 1, which waits for rank 0.
        if rank.rank() == 0 {
            thread::sleep(4 * deadline);
        } else {
            rank.receive(rank.rank() - 1, MessageKind::Words, 0)?;
        }
        if rank.rank() < 2 { rank.send(rank.rank() + 1, MessageKind::Words, 0, b"done") } else { Ok(()) }
    });
    assert_eq!(told, vec![Ok(()); 3]);
    assert!(took >= 4 * deadline);
}

#[test]
fn a_job_that_was_suspended_goes_on() {
    /// A wire whose third look takes as long as a pause.
    struct Pausing(Box<dyn Wire>, u32, Duration);
    impl Wire for Pausing {
        fn rank(&self) -> usize {
            self.0.rank()
        }
        fn ranks(&self) -> usize {
            self.0.ranks()
        }
        fn send(&mut self, to: usize, frame: Vec<u8>) -> Result<(), String> {
            self.0.send(to, frame)
        }
        fn receive(&mut self, awaited: usize, patience: Duration) -> Result<Option<(usize, Vec<u8>)>, String> {
            self.1 += 1;
            if self.1 == 3 {
                thread::sleep(self.2);
                return Ok(None);
            }
            self.0.receive(awaited, patience)
        }
        fn unsent(&mut self) -> Result<Option<(usize, usize)>, String> {
            self.0.unsent()
        }
        fn abort(&mut self, code: i32) {
            self.0.abort(code);
        }
    }
    let deadline = Duration::from_millis(1600);
    let pausing = |wire| Box::new(Pausing(wire, 0, 2 * deadline)) as Box<dyn Wire>;
    let (told, _) = all_ranks(wires(2).into_iter().map(pausing).collect(), deadline, |rank| match rank.rank() {
        0 => rank.receive(1, MessageKind::Words, 0),
        _ => {
            thread::sleep(2 * deadline + deadline / 4);
            rank.send(0, MessageKind::Words, 0, b"here").map(|()| Vec::new())
        }
    });
    assert_eq!(told, [Ok(b"here".to_vec()), Ok(Vec::new())]);
}

#[test]
fn a_rank_sends_as_fast_as_its_messages_are_taken() {
    /// A wire that keeps frames to itself until it is looked at.
    struct Slow(Box<dyn Wire>, Vec<(usize, Vec<u8>)>, usize);
    impl Wire for Slow {
        fn rank(&self) -> usize {
            self.0.rank()
        }
        fn ranks(&self) -> usize {
            self.0.ranks()
        }
        fn send(&mut self, to: usize, frame: Vec<u8>) -> Result<(), String> {
            self.1.push((to, frame));
            let all = self.1.iter().map(|(_, frame)| frame.len()).sum();
            self.2 = self.2.max(all);
            assert!(all < 80 << 20, "{all} bytes wait");
            Ok(())
        }
        fn receive(&mut self, awaited: usize, patience: Duration) -> Result<Option<(usize, Vec<u8>)>, String> {
            self.0.receive(awaited, patience)
        }
        fn unsent(&mut self) -> Result<Option<(usize, usize)>, String> {
            // Two looks a frame.
            self.2 += 1;
            if !self.1.is_empty() && self.2.is_multiple_of(2) {
                let (to, frame) = self.1.remove(0);
                self.0.send(to, frame)?;
            }
            let first = self.1.first().map(|(to, _)| *to);
            Ok(first.map(|to| (self.1.iter().map(|(_, frame)| frame.len()).sum(), to)))
        }
        fn abort(&mut self, code: i32) {
            self.0.abort(code);
        }
    }
    let slow = |wire| Box::new(Slow(wire, Vec::new(), 0)) as Box<dyn Wire>;
    let (told, _) = all_ranks(wires(2).into_iter().map(slow).collect(), LONG, |rank| {
        // Both send before either receives.
        let other = 1 - rank.rank();
        (0..12).for_each(|step| rank.send(other, MessageKind::Cells, step, &vec![1; 9 << 20]).unwrap());
        rank.flush().unwrap();
        (0..12).map(|step| rank.receive(other, MessageKind::Cells, step).unwrap().len()).sum::<usize>()
    });
    assert_eq!(told, [12 * (9 << 20); 2]);
}

#[test]
fn what_all_do_together_gives_all_the_same() {
    for ranks in 1..=9 {
        let (told, _) = all_ranks(wires(ranks), LONG, |rank| {
            let own = vec![rank.rank() as u8; rank.rank()];
            let all = rank.all_gather(MessageKind::Partials, 3, &own).unwrap();
            let word = rank.broadcast(MessageKind::Words, 3, vec![rank.rank() as u8 + 1]).unwrap();
            rank.agree("the seed", "42").unwrap();
            rank.finish().unwrap();
            (all, word)
        });
        let all: Vec<Vec<u8>> = (0..ranks).map(|rank| vec![rank as u8; rank]).collect();
        assert!(told.iter().all(|(gathered, word)| *gathered == all && *word == [1]), "{ranks} ranks: {told:?}");
    }
}

#[test]
fn another_value_is_refused_by_rank_and_value() {
    let (told, _) = all_ranks(wires(4), LONG, |rank| {
        rank.agree("the seed", if rank.rank() == 2 { "43" } else { "42" }).unwrap_err().to_string()
    });
    assert_eq!(told, vec!["rank 0 of 4: the seed is 42 here, but 43 on rank 2"; 4]);
}

#[test]
fn every_damaged_bit_is_found() {
    let mut ends = wires(2);
    let (mut to, from) = (ends.pop().unwrap(), ends.pop().unwrap());
    let sender = Transport::new(from, 7, LONG);
    sender.send(1, MessageKind::Ghosts, 9, &[1, 2, 3]).unwrap();
    let (_, frame) = to.receive(0, LONG).unwrap().unwrap();
    assert_eq!(frame.len(), 32 + 3);
    let end = |frame: Vec<u8>| {
        let mut ends = wires(2);
        let (to, mut from) = (ends.pop().unwrap(), ends.pop().unwrap());
        from.send(1, frame).unwrap();
        Transport::new(to, 7, LONG).receive(0, MessageKind::Ghosts, 9)
    };
    assert_eq!(end(frame.clone()), Ok(vec![1, 2, 3]));
    for bit in 0..8 * frame.len() {
        let mut damaged = frame.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(end(damaged).unwrap_err().reason().contains("came damaged"), "bit {bit}");
    }
    for length in 0..frame.len() {
        assert!(end(frame[..length].to_vec()).is_err(), "{length} bytes");
    }
    assert!(!STOPPED.is_empty());
}
