//! A wire on which things go wrong by a seed, so that tests can see how runs end.

use super::transport::Wire;
use std::time::{Duration, Instant};

/// The fault of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFault {
    /// Frames arrive in another order.
    Reordered,
    /// Every frame arrives late.
    Late,
    /// Some frames arrive twice.
    Doubled,
    /// Some frames never arrive.
    Dropped,
    /// Some frames arrive with another bit.
    Flipped,
    /// One rank stops without a word.
    Stopped,
    /// One rank sleeps so long.
    Stalled(Duration),
}

impl WireFault {
    /// Whether runs come to their end all the same.
    pub fn is_harmless(self) -> bool {
        matches!(self, WireFault::Reordered | WireFault::Late | WireFault::Doubled)
    }
}

/// The words of a rank that was stopped.
pub const STOPPED: &str = "stopped by the simulator of faults";

/// A wire with a fault.
pub struct FaultyWire {
    wire: Box<dyn Wire>,
    fault: WireFault,
    /// The state of the random numbers.
    random: u64,
    /// Frames until this rank stops or stalls, if it is the one that does.
    left: Option<u64>,
    is_stopped: bool,
    /// Frames that have come, and when they are handed over.
    held: Vec<(Instant, usize, Vec<u8>)>,
}

/// One frame of 500 is dropped or damaged,
const RARE: u64 = 500;
/// one of seven comes twice,
const OFTEN: u64 = 7;
/// and a rank stops or stalls before it has sent 200.
const SENT: u64 = 200;

impl FaultyWire {
    /// Ends of one set of wires have the same seed.
    pub fn over(wire: Box<dyn Wire>, fault: WireFault, seed: u64) -> FaultyWire {
        let chosen = mix(seed) % wire.ranks() as u64 == wire.rank() as u64;
        let left =
            (chosen && matches!(fault, WireFault::Stopped | WireFault::Stalled(_))).then(|| mix(seed ^ 1) % SENT);
        let random = mix(seed) ^ mix(wire.rank() as u64 + 2);
        FaultyWire { wire, fault, random, left, is_stopped: false, held: Vec::new() }
    }

    fn random(&mut self) -> u64 {
        self.random = mix(self.random);
        self.random
    }

    /// Hands a frame over after this time, in microseconds.
    fn hold(&mut self, by: usize, frame: Vec<u8>, micros: u64) {
        self.held.push((Instant::now() + Duration::from_micros(micros), by, frame));
    }
}

/// A bijection of 64 bits that looks random.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl Wire for FaultyWire {
    fn rank(&self) -> usize {
        self.wire.rank()
    }

    fn ranks(&self) -> usize {
        self.wire.ranks()
    }

    fn send(&mut self, to: usize, mut frame: Vec<u8>) -> Result<(), String> {
        match (&mut self.left, self.fault) {
            (Some(0), WireFault::Stalled(time)) => {
                self.left = None;
                std::thread::sleep(time);
            }
            (Some(0), _) => self.is_stopped = true,
            (Some(left), _) => *left -= 1,
            (None, _) => {}
        }
        if self.is_stopped {
            return Err(STOPPED.to_owned());
        }
        let random = self.random();
        match self.fault {
            WireFault::Dropped if random.is_multiple_of(RARE) => return Ok(()),
            WireFault::Flipped if random.is_multiple_of(RARE) => {
                let bit = self.random() % (8 * frame.len() as u64);
                frame[(bit / 8) as usize] ^= 1 << (bit % 8);
            }
            WireFault::Doubled if random.is_multiple_of(OFTEN) => self.wire.send(to, frame.clone())?,
            _ => {}
        }
        self.wire.send(to, frame)
    }

    fn receive(&mut self, awaited: usize, patience: Duration) -> Result<Option<(usize, Vec<u8>)>, String> {
        if self.is_stopped {
            return Err(STOPPED.to_owned());
        }
        // The frames that are held set how long the others are waited for.
        let first = self.held.iter().map(|(due, ..)| due.saturating_duration_since(Instant::now())).min();
        if let Some((by, frame)) = self.wire.receive(awaited, first.map_or(patience, |first| first.min(patience)))? {
            match self.fault {
                WireFault::Reordered => {
                    let delay = self.random() % 2000;
                    self.hold(by, frame, delay);
                }
                WireFault::Late => self.hold(by, frame, 3000),
                _ => return Ok(Some((by, frame))),
            }
        }
        let now = Instant::now();
        let due = self.held.iter().position(|(due, ..)| *due <= now);
        Ok(due.map(|at| self.held.swap_remove(at)).map(|(_, by, frame)| (by, frame)))
    }

    fn unsent(&mut self) -> Result<Option<(usize, usize)>, String> {
        self.wire.unsent()
    }

    fn abort(&mut self, code: i32) {
        self.wire.abort(code);
    }
}
