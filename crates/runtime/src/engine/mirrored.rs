//! States that live on a device, and their copy on the host.
//!
//! A device computes steps. Whatever asks for single values asks the host: [`Mirrored`] makes a device an [`Engine`] with a
//! copy of the states in [`HostStates`], which is fetched when it is needed and older than the device's states. What is written goes to the
//! copy first, and to the device before the device is asked for anything.

use super::cpu::HostStates;
use super::{Copied, Engine, Execution};
use crate::engine::{EngineError, Result};
use crate::state::field::Sample;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{StateId, Value};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_host::memory;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A device with the states of one simulation, some of what an [`Engine`] does, and copies from and to the host.
pub(super) trait OnDevice: Send + Sync {
    /// As [`Engine::step`].
    fn step(&mut self, steps: u32) -> Result<()>;

    /// As [`Engine::make_ready`].
    fn make_ready(&mut self, steps: u32) -> Result<()> {
        _ = steps;
        Ok(())
    }

    /// As [`Engine::part`].
    fn part(&mut self, index: usize) -> Result<()>;

    /// As [`Engine::time`].
    fn time(&self) -> u32;

    /// As [`Engine::set_time`].
    fn set_time(&mut self, time: u32);

    /// As [`Engine::set_params`].
    fn set_params(&mut self, params: &[Value]) -> Result<()>;

    /// As [`Engine::restart`].
    fn restart(&mut self, seed: u64, params: &[Value]) -> Result<()>;

    /// As [`Engine::digest`]; `None` if the host is to do it.
    fn digest(&self, state: StateId) -> Result<Option<u64>>;

    /// As [`Engine::reductions`]; `None` if the host is to do it.
    fn reductions(&self) -> Result<Option<Vec<ObservedValue>>>;

    /// As [`Engine::reductions_of`]; `None` if the host is to do it.
    fn reductions_of(&self, which: &[usize]) -> Result<Option<Vec<ObservedValue>>>;

    /// As [`Engine::reduces_ahead`].
    fn reduces_ahead(&self) -> bool {
        false
    }

    /// As [`Engine::step_reducing`]; `None`, and nothing is computed, if steps and reductions are to be asked for in turn.
    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Option<Vec<Vec<ObservedValue>>>> {
        _ = (every, times);
        Ok(None)
    }

    /// As [`Engine::snapshot`].
    fn snapshot(&self) -> Result<Option<Box<dyn Copied>>> {
        Ok(None)
    }

    /// As [`Engine::state_bytes`].
    fn state_bytes(&self) -> u64;

    /// As [`Engine::strategy`].
    fn strategy(&self) -> &'static str;

    /// As [`Engine::device`].
    fn device(&self) -> String;

    /// As [`Engine::execution`].
    fn execution(&self) -> Option<Execution> {
        None
    }

    /// As [`Engine::steps_of_pass`].
    fn steps_of_pass(&self) -> u32 {
        self.execution().map_or(1, |execution| execution.steps_per_pass.max(1))
    }

    /// How many states there are.
    fn states(&self) -> usize;

    /// Memory of the host for a copy of the states.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if there is too little.
    fn host_memory(&self) -> Result<Box<dyn HostStates>>;

    /// Copies a state to the host.
    fn fetch(&self, state: StateId, host: &mut dyn HostStates) -> Result<()>;

    /// Copies a state from the host.
    fn send(&self, state: StateId, host: &mut dyn HostStates) -> Result<()>;
}

/// A device and a copy of its states on the host, made when it is first needed.
pub(super) struct Mirrored<D> {
    device: D,
    copy: Mutex<Option<HostCopy>>,
}

/// A copy of the states where the CPU can read them.
struct HostCopy {
    host: Box<dyn HostStates>,
    /// Whether it holds the device's present states, but for those that were written.
    current: bool,
    /// For each state whether it was written here and is yet to be copied to the device.
    written: Vec<bool>,
}

impl<D: OnDevice> Mirrored<D> {
    /// A device whose states no copy was made of.
    pub fn new(device: D) -> Mirrored<D> {
        Mirrored { device, copy: Mutex::new(None) }
    }

    /// Works on a copy of the states as they are now.
    fn on_host<T>(&self, work: impl FnOnce(&mut HostCopy) -> Result<T>) -> Result<T> {
        let mut guard = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = match guard.take() {
            Some(copy) => guard.insert(copy),
            None => {
                let written = vec![false; self.device.states()];
                guard.insert(HostCopy { host: self.device.host_memory()?, current: false, written })
            }
        };
        if !copy.current {
            for index in 0..self.device.states() {
                self.device.fetch(StateId(index as u16), &mut *copy.host)?;
            }
            copy.host.set_time(self.device.time());
            copy.current = true;
        }
        work(copy)
    }

    /// The device, after it was given what was written on the host.
    fn on_device(&self) -> Result<&D> {
        let mut guard = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(HostCopy { host, written, .. }) = guard.as_mut() {
            for (index, written) in written.iter_mut().enumerate().filter(|(_, written)| **written) {
                self.device.send(StateId(index as u16), &mut **host)?;
                *written = false;
            }
        }
        Ok(&self.device)
    }

    fn copy(&mut self) -> Option<&mut HostCopy> {
        self.copy.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut()
    }
}

impl<D: OnDevice> Engine for Mirrored<D> {
    fn make_ready(&mut self, steps: u32) -> Result<()> {
        self.device.make_ready(steps)
    }

    fn step(&mut self, steps: u32) -> Result<()> {
        self.on_device()?;
        if let Some(copy) = self.copy() {
            copy.current = false;
        }
        self.device.step(steps)
    }

    fn part(&mut self, index: usize) -> Result<()> {
        self.on_device()?;
        if let Some(copy) = self.copy() {
            copy.current = false;
        }
        self.device.part(index)
    }

    fn time(&self) -> u32 {
        self.device.time()
    }

    fn digest(&self, state: StateId) -> Result<u64> {
        match self.on_device()?.digest(state)? {
            Some(digest) => Ok(digest),
            None => self.on_host(|copy| copy.host.digest(state)),
        }
    }

    fn reductions(&self) -> Result<Vec<ObservedValue>> {
        match self.on_device()?.reductions()? {
            Some(values) => Ok(values),
            None => self.on_host(|copy| copy.host.reductions()),
        }
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>> {
        match self.on_device()?.reductions_of(which)? {
            Some(values) => Ok(values),
            None => self.on_host(|copy| copy.host.reductions_of(which)),
        }
    }

    fn reduces_ahead(&self) -> bool {
        self.device.reduces_ahead()
    }

    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Vec<Vec<ObservedValue>>> {
        self.on_device()?;
        if let Some(copy) = self.copy() {
            copy.current = false;
        }
        if let Some(reduced) = self.device.step_reducing(every, times)? {
            return Ok(reduced);
        }
        let one = |_| {
            self.step(every)?;
            self.reductions()
        };
        (0..times).map(one).collect()
    }

    fn value(&self, state: StateId, c: u64) -> Result<Value> {
        self.on_host(|copy| copy.host.value(state, c))
    }

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        self.on_host(|copy| copy.host.block_sums(state, mu, sample))
    }

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        self.on_host(|copy| copy.host.read(state, cells, bytes))
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        self.on_host(|copy| {
            copy.written[usize::from(state.0)] = true;
            copy.host.write(state, cells, bytes)
        })
    }

    fn snapshot(&self) -> Result<Option<Box<dyn Copied>>> {
        self.on_device()?.snapshot()
    }

    fn set_time(&mut self, time: u32) {
        self.device.set_time(time);
        if let Some(copy) = self.copy() {
            copy.host.set_time(time);
        }
    }

    fn set_params(&mut self, params: &[Value]) -> Result<()> {
        self.device.set_params(params)?;
        match self.copy() {
            Some(copy) => copy.host.set_params(params),
            None => Ok(()),
        }
    }

    fn restart(&mut self, seed: u64, params: &[Value]) -> Result<()> {
        // The copy is of another run, and knows its seed.
        *self.copy.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        self.device.restart(seed, params)
    }

    fn state_bytes(&self) -> u64 {
        self.device.state_bytes()
    }

    fn strategy(&self) -> &'static str {
        self.device.strategy()
    }

    fn device(&self) -> String {
        self.device.device()
    }

    fn execution(&self) -> Option<Execution> {
        self.device.execution()
    }

    fn steps_of_pass(&self) -> u32 {
        self.device.steps_of_pass()
    }
}

/// Makes sure that a copy of the states of so many bytes fits on the host.
///
/// # Errors
/// [`EngineError::Memory`].
pub(super) fn check_host(domain: &Domain, needed: u64) -> Result<()> {
    let available = memory::available();
    if needed <= available {
        return Ok(());
    }
    let (name, backend) = (domain.fractal().name.clone(), "cuda, which copies the states to the host for this,");
    if domain.is_mask() {
        return Err(EngineError::MaskMemory { name, backend, needed: needed as f64, available });
    }
    Err(EngineError::Memory {
        fractal: name,
        level: domain.level(),
        backend,
        needed: needed as f64,
        available,
        largest: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cpu::{Cpu, Tuning};
    use crate::resolve;
    use crate::state::packed;
    use squeeze_compiler::ir::Rule;
    use squeeze_compiler::plan::{Plan, candidates};
    use squeeze_compiler::target::{Candidate, Machine};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    /// A device that is the CPU in truth, and can be lost.
    struct Pretended {
        cpu: Mutex<Cpu>,
        rule: Arc<Rule>,
        candidate: Candidate,
        lost: AtomicBool,
        fetched: AtomicU32,
        sent: AtomicU32,
    }

    fn params(alpha: f32) -> [Value; 2] {
        [Value::F32(alpha), Value::F32(1000.0)]
    }

    impl Pretended {
        fn new() -> Pretended {
            let (fractal, rule) =
                (resolve::fractal("vicsek").expect("it ships"), resolve::rule("heat").expect("it ships"));
            let domain = Domain::new(fractal, 3).expect("a low level");
            let candidate = candidates(&domain, &rule, &Machine::cpu(1)).remove(0);
            let tuning = Tuning { threads: Some(1), choice: Some(candidate.clone()), ..Tuning::default() };
            let cpu = Cpu::new(&domain, &rule, 1, &params(0.1), 1 << 30, tuning).expect("it fits");
            let (lost, fetched, sent) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
            Pretended { cpu: Mutex::new(cpu), rule, candidate, lost, fetched, sent }
        }

        fn cpu(&self) -> Result<std::sync::MutexGuard<'_, Cpu>> {
            match self.lost.load(Ordering::Relaxed) {
                true => Err(EngineError::System("the device is lost".to_owned())),
                false => Ok(self.cpu.lock().expect("nothing panics")),
            }
        }
    }

    impl OnDevice for Pretended {
        fn step(&mut self, steps: u32) -> Result<()> {
            self.cpu()?.step(steps)
        }

        fn part(&mut self, index: usize) -> Result<()> {
            self.cpu()?.part(index)
        }

        fn time(&self) -> u32 {
            self.cpu.lock().expect("nothing panics").time()
        }

        fn set_time(&mut self, time: u32) {
            self.cpu.lock().expect("nothing panics").set_time(time);
        }

        fn set_params(&mut self, params: &[Value]) -> Result<()> {
            self.cpu()?.set_params(params)
        }

        fn restart(&mut self, seed: u64, params: &[Value]) -> Result<()> {
            self.cpu()?.restart(seed, params)
        }

        fn digest(&self, state: StateId) -> Result<Option<u64>> {
            self.cpu()?.digest(state).map(Some)
        }

        fn reductions(&self) -> Result<Option<Vec<ObservedValue>>> {
            self.cpu().map(|_| None)
        }

        fn reductions_of(&self, _: &[usize]) -> Result<Option<Vec<ObservedValue>>> {
            self.cpu().map(|_| None)
        }

        fn state_bytes(&self) -> u64 {
            0
        }

        fn strategy(&self) -> &'static str {
            "pretended"
        }

        fn device(&self) -> String {
            String::new()
        }

        fn states(&self) -> usize {
            1
        }

        fn host_memory(&self) -> Result<Box<dyn HostStates>> {
            let plan = Plan::of(&self.rule, self.candidate.clone());
            Ok(Box::new(Cpu::mirror(&self.rule, 1, &params(0.1), Some(1), plan)?))
        }

        fn fetch(&self, state: StateId, host: &mut dyn HostStates) -> Result<()> {
            self.fetched.fetch_add(1, Ordering::Relaxed);
            let mut bytes = vec![0; 4 * 125];
            self.cpu()?.read(state, 0..125, &mut bytes)?;
            host.write(state, 0..125, &bytes)
        }

        fn send(&self, state: StateId, host: &mut dyn HostStates) -> Result<()> {
            self.sent.fetch_add(1, Ordering::Relaxed);
            let mut bytes = vec![0; 4 * 125];
            host.read(state, 0..125, &mut bytes)?;
            self.cpu()?.write(state, 0..125, &bytes)
        }
    }

    #[test]
    fn the_host_sees_what_the_device_has_and_the_other_way_round() {
        let u = StateId(0);
        let mut engine = Mirrored::new(Pretended::new());
        let mut plain = Pretended::new().cpu.into_inner().expect("nothing panics");
        let counts = |engine: &Mirrored<Pretended>| {
            (engine.device.fetched.load(Ordering::Relaxed), engine.device.sent.load(Ordering::Relaxed))
        };
        engine.step(3).expect("it steps");
        plain.step(3).expect("it steps");
        assert_eq!(engine.digest(u).expect("a digest"), plain.digest(u).expect("a digest"));
        assert_eq!(counts(&engine), (0, 0), "the device digests");
        for c in 0..125 {
            assert_eq!(engine.value(u, c).expect("a value"), plain.value(u, c).expect("a value"));
        }
        assert_eq!(engine.reductions().expect("a sum"), plain.reductions().expect("a sum"));
        assert_eq!(counts(&engine), (1, 0), "one copy for all of it");
        for (first, value) in [(7, 3.5f32), (90, f32::NAN)] {
            let mut bytes = vec![0; 4];
            packed::put(squeeze_compiler::ir::Type::F32, &mut bytes, 0, u64::from(value.to_bits()));
            engine.write(u, first..first + 1, &bytes).expect("it is written");
            plain.write(u, first..first + 1, &bytes).expect("it is written");
        }
        assert_eq!(counts(&engine), (1, 0), "what is written waits on the host");
        assert_eq!(engine.digest(u).expect("a digest"), plain.digest(u).expect("a digest"));
        engine.set_params(&params(0.2)).expect("they are set");
        plain.set_params(&params(0.2)).expect("they are set");
        engine.set_time(9);
        plain.set_time(9);
        engine.step(2).expect("it steps");
        plain.step(2).expect("it steps");
        assert_eq!(counts(&engine), (1, 1));
        assert_eq!((engine.time(), engine.digest(u).expect("a digest")), (11, plain.digest(u).expect("a digest")));
        let mut bytes = [[0; 4 * 125]; 2];
        engine.read(u, 0..125, &mut bytes[0]).expect("it is read");
        plain.read(u, 0..125, &mut bytes[1]).expect("it is read");
        assert_eq!(bytes[0], bytes[1]);
        assert_eq!(counts(&engine), (2, 1));
    }

    #[test]
    fn a_lost_device_is_an_error_and_no_panic() {
        let u = StateId(0);
        let mut engine = Mirrored::new(Pretended::new());
        engine.device.lost.store(true, Ordering::Relaxed);
        let is_lost = |result: Result<()>| result.is_err_and(|error| error.to_string().contains("lost"));
        assert!(is_lost(engine.value(u, 0).map(|_| ())));
        assert!(is_lost(engine.read(u, 0..1, &mut [0; 4])));
        assert!(is_lost(engine.block_sums(u, 1, Sample::Table(&[])).map(|_| ())));
        assert!(is_lost(engine.write(u, 0..1, &[0; 4])));
        assert!(is_lost(engine.digest(u).map(|_| ())));
        assert!(is_lost(engine.reductions().map(|_| ())));
        assert!(is_lost(engine.step(1)));
        // Once it is back, nothing of that is remembered.
        engine.device.lost.store(false, Ordering::Relaxed);
        assert_eq!(engine.value(u, 0).expect("a value"), Value::F32(1000.0));
        engine.write(u, 0..1, &[0; 4]).expect("it is written");
        engine.device.lost.store(true, Ordering::Relaxed);
        assert!(is_lost(engine.step(1)));
        engine.device.lost.store(false, Ordering::Relaxed);
        engine.step(0).expect("it steps");
        assert_eq!(engine.device.cpu().expect("it is there").value(u, 0).expect("a value"), Value::F32(0.0));
    }
}
