//! Tiles, which are superblocks or parts of rows, that need not be computed again, as `engine/cpu/activity.rs` says of units: where all that a tile looks
//! at is what it was two passes ago, the tile becomes what it was one pass ago, and that stands in the buffer that the pass would write: if a pass is of four
//! steps, all rests that comes again after one, two, four or eight steps.
//!
//! A *watched* pass computes the tiles of a list, compares what it writes with what stood there, and lists for the next pass the tiles that look at
//! one that changed. All of it happens on the device, so that many such passes are started at once; the host asks now and then for how many there
//! are. At first and where most tiles change passes are not watched, but for a look at all tiles now and then. A watched pass is of the most
//! steps that a kernel computes, or of as many of them as go into all numbers of steps that are asked for; over rows of one then.
//!
//! A watched pass takes 7 to 9 µs however few tiles it has: count, list, cells, old content, marks and next list are accesses to memory that wait for each other.

use super::Cuda;
use super::code::image;
use super::driver::{Address, Blocks, Device, Function, Memory, Module};
use super::error::CudaError;
use super::nvrtc::{MachineCode, Nvrtc};
use super::pass::{Beside, DeviceKernel, Recorded};
use super::trace::Road;
use crate::options::WatchedFrom;
use crate::{Engine, EngineError, Result};
use squeeze_compiler::Speciality;
use squeeze_compiler::emit::cuda::{CudaText, End, Entry, Head, Job, THREADS, Watch, emit};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Instant;

/// Watched passes that are started at once: a multiple of the four counts that passes take in turn. Guess: not measured.
const AT_ONCE: u32 = 60;
/// Buffers of a state that passes write.
const BUFFERS: u32 = 2;
/// Blocks of a watched pass for each multiprocessor. Guess: not measured.
const BLOCKS: u32 = 8;
/// Passes between two questions for the number of tiles: where many change, and else. Guess: not measured.
const OFTEN: u32 = AT_ONCE;
const SELDOM: u32 = 16 * AT_ONCE;
/// Steps that are not watched after states were written by others. Guess: not measured.
const AFTER_WRITES: u32 = 8;
/// Seconds of a simulation before the kernel is compiled, beside passes: a shorter one gains nothing. Guess: a kernel is compiled in about as long.
const SECONDS_BEFORE: f64 = 0.2;
/// How long passes are not watched after a look has shown that watching does not pay, in multiples of the time that the look and its passes took.
/// Guess: watching costs at most a half percent.
const REST: f64 = 200.0;
/// The share of tiles from which on watching is not tried. Guess: not measured.
const MOST: f64 = 0.75;

/// The lists of tiles that the next pass computes, and the timings that decide whether passes are watched.
#[derive(Default)]
pub(super) struct Activity {
    /// States or parameters were written otherwise than by passes.
    disturbed: AtomicBool,
    lists: Option<Lists>,
    /// Their kernels, before there are lists; whether passes wait for them.
    compiling: Option<Compiling>,
    waits: bool,
    /// The steps of a watched pass.
    each: u32,
    /// Whether the lists say which tiles the next pass computes, and the passes after which the host asks how many there are.
    watching: bool,
    ask_after: u32,
    /// Nothing changes any more but between the states that the buffers hold.
    settled: bool,
    /// Steps that are not watched before the next look.
    rest: u32,
    /// When the simulation was made.
    began: Option<Instant>,
    /// Steps that were measured, and those that are watched after a look until the host asks again; `None` if they need not be measured.
    unwatched: Timed,
    watched: Option<Timed>,
    /// Seconds of the look and of the steps that were measured after it.
    spent: f64,
    /// The share of tiles up to which passes are watched.
    most: f64,
}

/// Steps that the device had nothing beside to do.
#[derive(Clone, Copy, Debug, Default)]
struct Timed {
    steps: u32,
    seconds: f64,
}

impl Timed {
    /// Waits for the device, starts `steps` steps by `work`, waits again, and adds their time.
    fn add<T>(&mut self, device: &Device, steps: u32, work: impl FnOnce() -> Result<T>) -> Result<T> {
        device.synchronize()?;
        let began = Instant::now();
        let done = work()?;
        device.synchronize()?;
        self.steps += steps;
        self.seconds += began.elapsed().as_secs_f64();
        Ok(done)
    }

    /// Seconds of a step.
    fn of_step(self) -> f64 {
        self.seconds / f64::from(self.steps.max(1))
    }
}

/// The share of tiles up to which watching pays, if watched passes with `part` of them were measured. Their time is taken as proportional to it.
fn most_that_pays(part: f64, watched: Timed, unwatched: Timed) -> f64 {
    part * unwatched.of_step() / watched.of_step()
}

/// The kernels of watched passes, and the tiles that they compute.
struct Lists {
    kernel: DeviceKernel,
    /// The steps of a pass.
    each: u32,
    list_all: Function,
    tiles: u32,
    blocks: Blocks,
    /// Four counts, two lists and the marks of both.
    memory: Memory,
    /// How many watched passes there were.
    passes: u32,
    /// Many watched passes at once, by the addresses of the buffers that they begin with.
    graphs: BTreeMap<Vec<Address>, Recorded>,
}

/// Kernels that are being compiled by a thread.
struct Compiling {
    entry: Entry,
    tiles: u32,
    /// Its steps.
    each: u32,
    thread: Option<JoinHandle<std::result::Result<MachineCode, CudaError>>>,
}

impl Activity {
    /// The activity of a simulation, if parts of it can be left out.
    pub(super) fn new(cuda: &Cuda, from: WatchedFrom) -> Option<Activity> {
        let plan = &cuda.program.plan;
        // Code from a file computes all tiles, and tiles of other parts are not listed.
        if from == WatchedFrom::Never || !plan.rests() || plan.storage.is_cut() || cuda.code.is_some() {
            return None;
        }
        Some(Activity {
            waits: from == WatchedFrom::AtOnce,
            each: plan.steps_of_pass(),
            rest: if from == WatchedFrom::AtOnce { BUFFERS } else { AT_ONCE * plan.steps_of_pass() },
            began: Some(Instant::now()),
            ..Activity::default()
        })
    }

    /// States or parameters were written otherwise than by these steps.
    pub(super) fn disturb(&self) {
        self.disturbed.store(true, Relaxed);
    }

    /// How many of the next steps are not watched for sure.
    pub(super) fn resting(&self) -> u32 {
        if self.watching || self.settled { 0 } else { self.rest }
    }

    /// Notes that `steps` steps were computed by others.
    pub(crate) fn pass_by(&mut self, steps: u32) {
        self.rest = self.rest.saturating_sub(steps);
        self.disturb();
    }

    /// Forgets the graphs that were recorded with a seed or with parameters.
    pub(crate) fn forget_graphs(&mut self) {
        if let Some(lists) = &mut self.lists {
            lists.graphs.clear();
        }
    }

    /// Starts `steps` time steps.
    pub(super) fn advance(&mut self, cuda: &mut Cuda, mut steps: u32) -> Result<()> {
        if self.disturbed.swap(false, Relaxed) {
            // The buffer that is written must hold the results of a pass.
            self.rest = self.rest.max(if self.watching { AFTER_WRITES } else { 1 });
            (self.watching, self.settled) = (false, false);
        }
        self.go_into(cuda, steps)?;
        while steps > 0 {
            let done = if self.settled {
                cuda.pass_settled(steps / self.each);
                cuda.time += steps;
                steps
            } else if self.watching {
                self.advance_watched(cuda, steps)?
            } else if self.rest > 0 || steps < BUFFERS * self.each {
                let of_pass = cuda.program.plan.steps_of_pass();
                let rest = self.rest.max(1).checked_next_multiple_of(of_pass).unwrap_or(steps).min(steps);
                self.rest = self.rest.saturating_sub(rest);
                cuda.start_all(rest)?;
                rest
            } else if !self.waits && self.unwatched.steps < AT_ONCE * cuda.program.plan.steps_of_pass() {
                self.measure(cuda, steps)?
            } else {
                self.look(cuda)?
            };
            steps -= done;
        }
        Ok(())
    }

    /// Measures steps that are not watched, at most `steps`. Returns how many.
    fn measure(&mut self, cuda: &mut Cuda, steps: u32) -> Result<u32> {
        let steps = steps.min(AT_ONCE * cuda.program.plan.steps_of_pass());
        cuda.prepare(steps)?;
        self.unwatched.add(&Arc::clone(&cuda.device), steps, || cuda.start_all(steps))?;
        Ok(steps)
    }

    /// Makes watched passes so short that a number of them is `steps` steps.
    fn go_into(&mut self, cuda: &mut Cuda, steps: u32) -> Result<()> {
        let common = greatest_common_divisor(self.each, steps);
        let each = cuda.program.plan.passes(common).map(|(_, each)| each).min().unwrap_or(self.each);
        if each < self.each {
            Road::WatchedShorter.taken();
            // Passes that run may still use the lists.
            cuda.device.synchronize()?;
            (self.lists, self.compiling, self.each) = (None, None, each);
            (self.watching, self.settled, self.rest) = (false, false, self.rest.max(1));
        }
        Ok(())
    }

    /// Computes all tiles in a watched pass, behind one that is not watched. Returns the steps, 0 if there are no lists yet.
    fn look(&mut self, cuda: &mut Cuda) -> Result<u32> {
        let Some(lists) = &mut self.lists else { return self.make_lists(cuda).map(|()| 0) };
        Road::Look.taken();
        // The states of the passes before must stand in the buffers, not those of another number of steps.
        cuda.compile(self.each)?;
        let (mut look, steps, device) = (Timed::default(), BUFFERS * self.each, Arc::clone(&cuda.device));
        look.add(&device, steps, || {
            cuda.advance(self.each)?;
            lists.list_all()?;
            lists.advance(cuda)
        })?;
        (self.spent, self.most, self.watched) = (look.seconds, MOST, (!self.waits).then(Timed::default));
        self.ask()?;
        Ok(steps)
    }

    /// Compiles the kernels beside the passes that follow, and makes the lists once that is done.
    fn make_lists(&mut self, cuda: &Cuda) -> Result<()> {
        match self.compiling.take() {
            None => {
                let left = SECONDS_BEFORE - self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
                if left > 0.0 && !self.waits {
                    self.rest_for(left);
                    return Ok(());
                }
                self.compiling = Compiling::begin(cuda, self.each)?;
                self.rest = if self.compiling.is_none() { u32::MAX } else { 0 };
            }
            Some(compiling) => {
                // Else passes would be started long before those before them are done.
                cuda.device.synchronize()?;
                if self.waits || compiling.is_done() {
                    self.lists = Some(Lists::new(cuda, compiling)?);
                    // The first steps of a run are slower.
                    self.unwatched = Timed::default();
                } else {
                    (self.compiling, self.rest) = (Some(compiling), AT_ONCE * cuda.program.plan.steps_of_pass());
                }
            }
        }
        Ok(())
    }

    /// Starts watched passes of at most `steps` steps. Returns their steps.
    fn advance_watched(&mut self, cuda: &mut Cuda, steps: u32) -> Result<u32> {
        let Some(lists) = &mut self.lists else { return Ok(0) };
        Speciality::Activity.reached();
        let passes = (steps / self.each).min(self.ask_after);
        // Until they were started nothing is known.
        self.watching = false;
        let (steps, device) = (passes * self.each, Arc::clone(&cuda.device));
        match &mut self.watched {
            Some(watched) => watched.add(&device, steps, || lists.advance_many(cuda, passes))?,
            None => lists.advance_many(cuda, passes)?,
        }
        self.watching = true;
        self.ask_after -= passes;
        if self.ask_after == 0 {
            self.ask()?;
        }
        Ok(steps)
    }

    /// Asks how many tiles the next pass has to compute, and decides whether it is watched.
    fn ask(&mut self) -> Result<()> {
        self.watching = false;
        let Some(lists) = &self.lists else { return Ok(()) };
        let part = f64::from(lists.count()?) / f64::from(lists.tiles);
        if let Some(watched) = self.watched.take_if(|watched| watched.steps > 0) {
            self.spent += watched.seconds;
            self.most = most_that_pays(part, watched, self.unwatched);
        }
        self.settled = part == 0.0;
        self.watching = self.settled || part <= self.most;
        if !self.watching {
            self.rest_for(REST * self.spent);
        }
        self.ask_after = if part > 0.25 || self.watched.is_some() { OFTEN } else { SELDOM };
        Ok(())
    }

    /// Does not watch as many steps as take this long.
    fn rest_for(&mut self, seconds: f64) {
        self.rest = if self.waits { OFTEN } else { (seconds / self.unwatched.of_step()) as u32 };
    }
}

impl Compiling {
    /// `None` if the kernel of `each` steps cannot be watched, or if there is no room for the lists.
    fn begin(cuda: &Cuda, each: u32) -> Result<Option<Compiling>> {
        let of_kernel = cuda.program.plan.steps_of_kernel(each);
        let kernels = cuda.program.kernels(of_kernel)?;
        let [kernel] = &kernels[..] else { return Ok(None) };
        let head = Head::of_line(format!("Watched passes of {} at run time", cuda.program.rule.name));
        let job = Job { kernel, times: each / of_kernel, end: End::Compare };
        let CudaText { text, mut entries, .. } = emit(&cuda.program.plan, [job], &head);
        let entry = entries.remove(0);
        let Some(tiles) = entry.tiles else { return Ok(None) };
        if bytes_of_lists(tiles) > cuda.bytes_left()? {
            return Ok(None);
        }
        let (cache, architecture) = (cuda.cache.clone(), cuda.architecture);
        let compile = move || image(&Nvrtc::find()?, &cache, architecture, &text);
        let thread = std::thread::Builder::new().spawn(compile);
        let thread = thread.map_err(|error| EngineError::System(format!("no thread to compile with: {error}")))?;
        Ok(Some(Compiling { entry, tiles, each, thread: Some(thread) }))
    }

    fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the compiled code.
    fn image(&mut self) -> Result<MachineCode> {
        let died = || EngineError::System("a thread that compiled kernels died".to_owned());
        Ok(self.thread.take().and_then(|thread| thread.join().ok()).ok_or_else(died)??)
    }
}

impl Drop for Compiling {
    fn drop(&mut self) {
        // The program may end next, and with it the compiler's libraries.
        _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The greatest common divisor of two numbers, the second of which is not 0.
fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Bytes of four counts, two lists and the marks of both.
fn bytes_of_lists(tiles: u32) -> u64 {
    4 * (4 + 2 * u64::from(tiles) + 2 * u64::from(tiles.div_ceil(32)))
}

impl Lists {
    /// Loads the kernels, and waits until they are compiled.
    fn new(cuda: &Cuda, mut compiling: Compiling) -> Result<Lists> {
        let image = compiling.image()?;
        let (entry, tiles) = (compiling.entry.clone(), compiling.tiles);
        let module = Module::new(&cuda.device, &image)?;
        let function = module.function(&entry.name)?;
        let list_all = module.function("list_all")?;
        // Blocks over rows take one tile after the other.
        let all = if cuda.stored().grid().is_some() {
            u64::from(tiles)
        } else {
            u64::from(tiles) * entry.threads / u64::from(THREADS)
        };
        let count = u64::from(BLOCKS * cuda.device.multiprocessors()?).clamp(1, all.max(1));
        Ok(Lists {
            kernel: DeviceKernel { entry, function },
            list_all,
            each: compiling.each,
            tiles,
            blocks: Blocks::new(count, THREADS)?,
            memory: Memory::zeroed(&cuda.device, bytes_of_lists(tiles))?,
            passes: 0,
            graphs: BTreeMap::new(),
        })
    }

    /// The lists and counts that the next pass reads and writes.
    fn watch(&self) -> Watch {
        let first = self.memory.address();
        let count = |number: u32| first + 4 * u64::from((self.passes + number) % 4);
        let (list, marks) = (4 * u64::from(self.tiles), 4 * u64::from(self.tiles.div_ceil(32)));
        let odd = u64::from(self.passes % 2);
        let list_of = |odd: u64| first + 16 + odd * list;
        let marks_of = |odd: u64| first + 16 + 2 * list + odd * marks;
        Watch {
            count: count(0),
            next_count: count(1),
            later_count: count(2),
            list: list_of(odd),
            next_list: list_of(1 - odd),
            marks: marks_of(odd),
            next_marks: marks_of(1 - odd),
        }
    }

    /// How many tiles the next pass computes. Waits for the passes before.
    fn count(&self) -> Result<u32> {
        let mut count = [0; 4];
        self.memory.download(4 * (self.passes % 4) as usize, &mut count)?;
        Ok(u32::from_ne_bytes(count))
    }

    /// Lists all tiles for the next pass.
    fn list_all(&mut self) -> Result<()> {
        self.passes = 0;
        let blocks = Blocks::of_threads(u64::from(self.tiles), THREADS)?;
        // SAFETY: the argument is that of the kernel, and the lists and marks have room for all tiles.
        unsafe { self.list_all.launch(blocks, self.watch())? };
        Ok(())
    }

    /// Starts a watched pass.
    fn advance(&mut self, cuda: &mut Cuda) -> Result<()> {
        cuda.advance_beside(&self.kernel, self.each, Beside::Watch(self.watch(), self.blocks))?;
        self.passes = (self.passes + 1) % AT_ONCE;
        Ok(())
    }

    /// Starts `passes` passes.
    fn advance_many(&mut self, cuda: &mut Cuda, mut passes: u32) -> Result<()> {
        while passes > 0 {
            let buffers: Vec<Address> = cuda.fields.iter().map(|field| field.now.address()).collect();
            let recorded = self.graphs.remove(&buffers);
            // To make a graph takes about as long as to start its kernels.
            let worth = recorded.is_some() || passes >= 2 * AT_ONCE;
            if !self.passes.is_multiple_of(4) || passes < AT_ONCE || !worth {
                self.graphs.extend(recorded.map(|recorded| (buffers, recorded)));
                self.advance(cuda)?;
                passes -= 1;
                continue;
            }
            let recorded = match recorded {
                Some(recorded) => recorded,
                None => cuda.record(false, |cuda| (0..AT_ONCE).try_for_each(|_| self.advance(cuda)))?,
            };
            Road::WatchedGraph.taken();
            cuda.launch_recorded(&recorded)?;
            passes -= AT_ONCE;
            self.graphs.insert(buffers, recorded);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Timed, most_that_pays};

    #[test]
    fn passes_are_watched_up_to_the_share_of_tiles_that_takes_as_long_as_all_cells() {
        let of = |steps, seconds| Timed { steps, seconds };
        // A fifth of the tiles takes half as long: two fifths take as long.
        assert_eq!(most_that_pays(0.2, of(60, 3e-3), of(120, 12e-3)), 0.4);
        // Where watched passes take longer, those are too many that they were measured with.
        assert_eq!(most_that_pays(0.2, of(60, 12e-3), of(60, 3e-3)), 0.05);
        assert_eq!(most_that_pays(0.0, of(60, 12e-3), of(60, 3e-3)), 0.0);
    }
}
