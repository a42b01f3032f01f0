//! Copies on the host of states that live on a device.
//!
//! A device computes steps. Values are read from the host where many are asked for: a [`Mirror`] has the states of one member, each of which is
//! fetched when it is needed. Writes go to the copy first, and to the device before the device is asked for anything.

use super::packed::StateValues;
use super::states::States;
use crate::{EngineError, Result, install};
use rayon::ThreadPool;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::StateId;
use squeeze_host::memory;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Copies between a device and the host.
pub trait Transfers {
    /// Memory of the host for the states of one member.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if there is too little.
    fn host_states(&self) -> Result<States>;

    /// Copies a member's state to the host.
    fn fetch(&self, member: usize, state: StateId, to: &mut States) -> Result<()>;

    /// Copies a member's state from the host.
    fn send(&self, member: usize, state: StateId, from: &States) -> Result<()>;
}

/// Bytes that come to the host in the time that a look of its own takes on a device, besides its answer. Guess: 15 µs at 4 GB/s, from memory that is not pinned.
const LOOK: u64 = 64 << 10;
/// Answers of as many times less than a state are looked for on the device: all cells, read piece by piece, so take a quarter longer than a copy at most. Guess.
const SHARE: u64 = 4;

/// The copy, made when it is first needed, and threads to work on it.
pub struct Mirror {
    threads: Option<usize>,
    pool: OnceLock<Arc<ThreadPool>>,
    copy: Mutex<Option<HostCopy>>,
    /// What looks at members' states on the device took since these changed: [`SHARE`] times the bytes of their answers, and [`LOOK`] for each.
    looked: Mutex<BTreeMap<(usize, StateId), u64>>,
}

/// The states of a member.
struct HostCopy {
    member: usize,
    states: States,
    held: Vec<Held>,
}

/// The values that a copy holds of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Values that the device had some time ago.
    Nothing,
    /// Written values in the cells before this one, old ones in the others.
    Begun(u64),
    /// The device's values.
    Current,
    /// Values that the device has yet to get.
    Written,
}

impl HostCopy {
    /// The copy of a member, in the place of another one's.
    fn of_member<'c>(
        place: &'c mut Option<HostCopy>,
        device: &dyn Transfers,
        member: usize,
    ) -> Result<&'c mut HostCopy> {
        let copy = match place.take() {
            Some(copy) => place.insert(copy),
            None => {
                let states = device.host_states()?;
                let held = vec![Held::Nothing; states.fields().len()];
                place.insert(HostCopy { member, states, held })
            }
        };
        if copy.member != member {
            copy.settle(device)?;
            copy.held.fill(Held::Nothing);
            copy.member = member;
        }
        Ok(copy)
    }

    /// Sees to it that a state is there.
    fn complete(&mut self, device: &dyn Transfers, state: StateId) -> Result<()> {
        let held = &mut self.held[usize::from(state.0)];
        match *held {
            Held::Nothing => {
                device.fetch(self.member, state, &mut self.states)?;
                *held = Held::Current;
            }
            Held::Begun(end) => {
                let mut bytes = vec![0; self.states.packed_bytes(state, end)];
                self.states.read(state, 0..end, &mut bytes);
                let fetched = device.fetch(self.member, state, &mut self.states);
                self.states.write(state, 0..end, &bytes);
                fetched?;
                *held = Held::Written;
            }
            Held::Current | Held::Written => {}
        }
        Ok(())
    }

    /// Sends the written values.
    fn settle(&mut self, device: &dyn Transfers) -> Result<()> {
        for state in (0..self.held.len() as u16).map(StateId) {
            if let Held::Begun(_) = self.held[usize::from(state.0)] {
                self.complete(device, state)?;
            }
            let held = &mut self.held[usize::from(state.0)];
            if *held == Held::Written {
                device.send(self.member, state, &self.states)?;
                *held = Held::Current;
            }
        }
        Ok(())
    }
}

impl Mirror {
    /// A mirror of nothing yet, to be worked on by `threads` threads.
    pub fn new(threads: Option<usize>) -> Mirror {
        Mirror { threads, pool: OnceLock::new(), copy: Mutex::default(), looked: Mutex::default() }
    }

    /// The threads of the host.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn pool(&self) -> Result<&Arc<ThreadPool>> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let pool = Arc::new(crate::pool(self.threads)?);
        Ok(self.pool.get_or_init(|| pool))
    }

    fn lock(&self) -> MutexGuard<'_, Option<HostCopy>> {
        self.copy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the copy of a member.
    fn of_member<T>(
        &self,
        device: &dyn Transfers,
        member: usize,
        work: impl FnOnce(&mut HostCopy) -> Result<T>,
    ) -> Result<T> {
        let mut guard = self.lock();
        work(HostCopy::of_member(&mut guard, device, member)?)
    }

    /// Whether a look with an answer of `bytes` bytes is better taken at the copy of a member's state than on the device: where the copy has values of it
    /// already, and where this look and those before it since the last pass come to the `whole` bytes of it, and it `fits` on the host. Many
    /// looks so take at most twice as long as one copy.
    pub fn is_better(
        &self,
        (member, state): (usize, StateId),
        bytes: u64,
        whole: u64,
        fits: impl FnOnce() -> bool,
    ) -> bool {
        let has_some = |copy: &HostCopy| copy.member == member && copy.held[usize::from(state.0)] != Held::Nothing;
        if self.lock().as_ref().is_some_and(has_some) {
            return true;
        }
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let looked = looked.entry((member, state)).or_default();
        let with_this = looked.saturating_add(SHARE.saturating_mul(bytes)).saturating_add(LOOK);
        let is_better = with_this > whole && fits();
        if !is_better {
            *looked = with_this;
        }
        is_better
    }

    /// Looks at some states of a member as they are now, on the threads of the host.
    ///
    /// # Errors
    /// If the device fails, or the host has no memory for a copy.
    pub fn look<T: Send>(
        &self,
        device: &dyn Transfers,
        member: usize,
        states: impl IntoIterator<Item = StateId>,
        work: impl FnOnce(&States) -> T + Send,
    ) -> Result<T> {
        self.of_member(device, member, |copy| {
            states.into_iter().try_for_each(|state| copy.complete(device, state))?;
            Ok(install(self.pool()?, || work(&copy.states)))
        })
    }

    /// Gives a member's state these values. Nothing is fetched where cells are written from the first on.
    ///
    /// # Errors
    /// As [`look`](Mirror::look).
    pub fn write(&self, device: &dyn Transfers, member: usize, values: &StateValues<'_>) -> Result<()> {
        let (pool, (state, cells, bytes)) = (self.pool()?, values.parts());
        self.of_member(device, member, |copy| {
            let before = match copy.held[usize::from(state.0)] {
                Held::Nothing => Some(0),
                Held::Begun(end) => Some(end),
                Held::Current | Held::Written => None,
            };
            let follows = before == Some(cells.start);
            if !follows {
                copy.complete(device, state)?;
            }
            let is_part = follows && cells.end < copy.states.storage().cells();
            copy.held[usize::from(state.0)] = if is_part { Held::Begun(cells.end) } else { Held::Written };
            install(pool, || copy.states.write(state, cells, bytes));
            Ok(())
        })
    }

    /// Sends the written values to the device.
    ///
    /// # Errors
    /// If the device fails.
    pub fn settle(&self, device: &dyn Transfers) -> Result<()> {
        self.lock().as_mut().map_or(Ok(()), |copy| copy.settle(device))
    }

    /// Says that the device's states are others from now on.
    pub fn pass(&self) {
        if let Some(copy) = self.lock().as_mut() {
            copy.held.fill(Held::Nothing);
        }
        self.looked.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Makes sure that a copy of the states, of `needed` bytes, fits on the host.
///
/// # Errors
/// [`EngineError::Memory`].
pub fn check_host(domain: &Domain, needed: u64) -> Result<()> {
    let backend = "cuda, which copies the states to the host for this,";
    EngineError::check_memory(domain, backend, needed.into(), memory::available(), || None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;
    use crate::{Engine, EngineOptions, samples};
    use squeeze_compiler::geometry::FittedRule;
    use squeeze_compiler::plan::candidates;
    use squeeze_compiler::target::{Choice, Machine};
    use std::ops::Range;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    /// A device that is the CPU in truth, and can be lost.
    struct Pretended {
        cpu: Mutex<Cpu>,
        rule: FittedRule,
        choice: Choice,
        lost: AtomicBool,
        fetched: AtomicU32,
        sent: AtomicU32,
    }

    const U: StateId = StateId(0);

    impl Pretended {
        fn new() -> Pretended {
            let (fractal, rule) = (samples::fractal("vicsek"), samples::rule("heat"));
            let domain = Domain::new(fractal, 3).expect("a low level");
            let rule = domain.fit(&rule).expect("it runs there");
            let choice = candidates(&domain, &rule, &Machine::cpu(1), 1).remove(0);
            let options = EngineOptions { threads: Some(1), choice: Some(choice.clone()), ..EngineOptions::default() };
            let params = crate::params::resolve(&rule, &["alpha=0.1", "hot=1000"]).expect("they are there");
            let cpu = Cpu::new(&rule, &crate::MemberInputs { seed: 1, params }, &options).expect("it fits");
            let (lost, fetched, sent) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
            Pretended { cpu: Mutex::new(cpu), rule, choice, lost, fetched, sent }
        }

        fn cpu(&self) -> Result<MutexGuard<'_, Cpu>> {
            match self.lost.load(Ordering::Relaxed) {
                true => Err(EngineError::System("the device is lost".to_owned())),
                false => Ok(self.cpu.lock().expect("nothing panics")),
            }
        }

        fn step(&self, mirror: &Mirror, steps: u32) -> Result<()> {
            mirror.settle(self)?;
            mirror.pass();
            self.cpu()?.run(steps)
        }

        /// How often a state was fetched and sent.
        fn counts(&self) -> (u32, u32) {
            (self.fetched.load(Ordering::Relaxed), self.sent.load(Ordering::Relaxed))
        }
    }

    impl Transfers for Pretended {
        fn host_states(&self) -> Result<States> {
            States::new(&self.choice.storage, &self.rule, &self.choice.state_memory(&self.rule), false)
        }

        fn fetch(&self, _: usize, state: StateId, to: &mut States) -> Result<()> {
            self.fetched.fetch_add(1, Ordering::Relaxed);
            let mut bytes = vec![0; 4 * 125];
            self.cpu()?.read(0, state, 0..125, &mut bytes)?;
            to.write(state, 0..125, &bytes);
            Ok(())
        }

        fn send(&self, _: usize, state: StateId, from: &States) -> Result<()> {
            self.sent.fetch_add(1, Ordering::Relaxed);
            let mut bytes = vec![0; 4 * 125];
            from.read(state, 0..125, &mut bytes);
            self.cpu()?.write(0, &StateValues { state, cells: 0..125, bytes: bytes.into() })
        }
    }

    /// The values of some cells.
    fn values(cells: Range<u64>) -> Vec<u8> {
        cells.flat_map(|c| (c as f32 - 60.5).to_le_bytes()).collect()
    }

    /// The same as they are written.
    fn written(cells: Range<u64>, bytes: &[u8]) -> StateValues<'_> {
        StateValues { state: U, cells, bytes: bytes.into() }
    }

    fn read(mirror: &Mirror, device: &Pretended) -> Result<Vec<u8>> {
        mirror.look(device, 0, [U], |states| {
            let mut bytes = vec![0; 4 * 125];
            states.read(U, 0..125, &mut bytes);
            bytes
        })
    }

    #[test]
    fn the_host_sees_what_the_device_has_and_the_other_way_round() {
        let (device, mirror, plain) = (Pretended::new(), Mirror::new(Some(1)), Pretended::new());
        let of_plain = || {
            let mut bytes = vec![0; 4 * 125];
            plain.cpu().expect("it is there").read(0, U, 0..125, &mut bytes).expect("it is read");
            bytes
        };
        device.step(&mirror, 3).expect("it steps");
        plain.cpu().expect("it is there").run(3).expect("it steps");
        assert_eq!(device.counts(), (0, 0));
        for _ in 0..2 {
            assert_eq!(read(&mirror, &device).expect("values"), of_plain());
        }
        assert_eq!(device.counts(), (1, 0), "one copy for all of it");
        for (first, value) in [(7, 3.5f32), (90, f32::NAN)] {
            let bytes = value.to_le_bytes();
            mirror.write(&device, 0, &written(first..first + 1, &bytes)).expect("it is written");
            plain.cpu().expect("it is there").write(0, &written(first..first + 1, &bytes)).expect("it is written");
        }
        assert_eq!(device.counts(), (1, 0), "what is written waits on the host");
        assert_eq!(read(&mirror, &device).expect("values"), of_plain());
        device.step(&mirror, 2).expect("it steps");
        plain.cpu().expect("it is there").run(2).expect("it steps");
        assert_eq!(device.counts(), (1, 1));
        assert_eq!(read(&mirror, &device).expect("values"), of_plain());
        assert_eq!(device.counts(), (2, 1));
    }

    #[test]
    fn what_is_overwritten_is_not_fetched() {
        let (device, mirror) = (Pretended::new(), Mirror::new(Some(1)));
        let sent = |mirror: &Mirror| {
            mirror.settle(&device).expect("it is sent");
            let mut bytes = vec![0; 4 * 125];
            device.cpu().expect("it is there").read(0, U, 0..125, &mut bytes).expect("it is read");
            bytes
        };
        for ends in [&[0, 125][..], &[0, 40, 80, 125]] {
            for cells in ends.windows(2).map(|pair| pair[0]..pair[1]) {
                mirror.write(&device, 0, &written(cells.clone(), &values(cells))).expect("it is written");
            }
            assert_eq!(device.counts().0, 0, "all was written");
            assert_eq!(sent(&mirror), values(0..125));
            device.step(&mirror, 1).expect("it steps");
        }
        // A state that was begun is filled up with the device's values.
        let before = read(&mirror, &device).expect("values");
        mirror.pass();
        mirror.write(&device, 0, &written(0..40, &values(0..40))).expect("it is written");
        mirror.write(&device, 0, &written(100..101, &[0; 4])).expect("it is written");
        assert_eq!(device.counts().0, 2);
        let expected = [&values(0..40)[..], &before[160..400], &[0; 4], &before[404..]].concat();
        assert_eq!(sent(&mirror), expected);
        mirror.pass();
        mirror.write(&device, 0, &written(0..40, &values(0..40))).expect("it is written");
        assert_eq!(read(&mirror, &device).expect("values"), expected);
        assert_eq!(device.counts().0, 3);
    }

    #[test]
    fn small_looks_leave_a_state_where_it_is() {
        let (device, mirror) = (Pretended::new(), Mirror::new(Some(1)));
        let is_better = |member, fits| mirror.is_better((member, U), 8, 10 * LOOK, || fits);
        assert!((0..9).all(|_| !is_better(0, true)));
        assert!(is_better(0, true), "ten looks take as long as a copy");
        assert!(!is_better(0, false), "there is no room for one");
        assert!(!is_better(1, true), "another member");
        mirror.pass();
        assert!(!is_better(0, true), "another time");
        assert!(mirror.is_better((1, U), 3 * LOOK, 10 * LOOK, || true), "a great part of a state");
        mirror.write(&device, 0, &written(0..40, &values(0..40))).expect("it is written");
        assert!(is_better(0, true), "what is written is on the host alone");
        assert!(!is_better(1, true), "nothing of it is");
        assert_eq!(device.counts(), (0, 0));
    }

    #[test]
    fn a_lost_device_is_an_error_and_no_panic() {
        let (device, mirror) = (Pretended::new(), Mirror::new(Some(1)));
        device.lost.store(true, Ordering::Relaxed);
        let is_lost = |result: Result<()>| result.is_err_and(|error| error.to_string().contains("lost"));
        assert!(is_lost(read(&mirror, &device).map(drop)));
        assert!(is_lost(mirror.write(&device, 0, &written(1..2, &[0; 4]))));
        assert!(is_lost(device.step(&mirror, 1)));
        // Once it is back, nothing of that is remembered.
        device.lost.store(false, Ordering::Relaxed);
        assert_eq!(read(&mirror, &device).expect("values")[..4], 1000f32.to_le_bytes());
        mirror.write(&device, 0, &written(0..1, &[0; 4])).expect("it is written");
        device.lost.store(true, Ordering::Relaxed);
        assert!(is_lost(device.step(&mirror, 1)));
        device.lost.store(false, Ordering::Relaxed);
        device.step(&mirror, 0).expect("it steps");
        let mut bytes = [1; 4];
        device.cpu().expect("it is there").read(0, U, 0..1, &mut bytes).expect("it is read");
        assert_eq!(bytes, [0; 4]);
    }
}
