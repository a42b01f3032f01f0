//! Ranks that are threads of one process, with queues between them.

use super::transport::Wire;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How long a rank looks for a message before it sleeps: to be woken takes longer than most messages do. Guess: not measured.
const AWAKE: Duration = Duration::from_micros(30);

/// A rank's end of the queues.
struct Queues {
    rank: usize,
    to: Vec<Sender<(usize, Vec<u8>)>>,
    inbox: Receiver<(usize, Vec<u8>)>,
}

/// The ends of wires between as many ranks, in their order.
pub fn wires(ranks: usize) -> Vec<Box<dyn Wire>> {
    let (to, inboxes): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    let wire = |(rank, inbox)| Box::new(Queues { rank, to: to.clone(), inbox }) as Box<dyn Wire>;
    inboxes.into_iter().enumerate().map(wire).collect()
}

impl Wire for Queues {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, frame: Vec<u8>) -> Result<(), String> {
        // A rank that has ended takes no more; the sender learns of it by the silence.
        _ = self.to[to].send((self.rank, frame));
        Ok(())
    }

    fn receive(&mut self, _awaited: usize, patience: Duration) -> Result<Option<(usize, Vec<u8>)>, String> {
        let start = Instant::now();
        while start.elapsed() < AWAKE.min(patience) {
            if let Ok(frame) = self.inbox.try_recv() {
                return Ok(Some(frame));
            }
            std::thread::yield_now();
        }
        Ok(self.inbox.recv_timeout(patience).ok())
    }

    fn unsent(&mut self) -> Result<Option<(usize, usize)>, String> {
        Ok(None)
    }

    fn abort(&mut self, _code: i32) {}
}
