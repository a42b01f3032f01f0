//! The CUDA backend: replica lanes on an NVIDIA GPU, compiled when a run begins.
//!
//! The rule is lowered for a layout that suits GPUs, printed as CUDA C, compiled by NVRTC and run by the driver. The
//! libraries of both are loaded when they are needed; [`CudaError`] says what is missing. States live on the
//! device, where they begin, are digested and observed; for pictures they are copied to a [`Cpu`] of the same layout.

mod activity;
mod cache;
mod code;
mod copies;
mod copy;
mod doctor;
mod driver;
#[cfg(feature = "files")]
mod encodings;
pub(crate) mod error;
mod grid;
mod library;
mod measure;
pub(crate) mod members;
mod nvrtc;
mod observe;
mod overlap;
mod pack;
mod ranks;
mod totals;
mod world;
mod world_file;

pub use activity::WatchedFrom;
pub use cache::{CacheContents, KernelCache};
pub use code::LoadedCode;
pub use copy::{DeviceCopy, KeptDevice};
pub(crate) use doctor::DeviceRates;
pub use doctor::{CacheReport, DeviceReport, NvrtcReport, Report};
#[cfg(feature = "files")]
pub(crate) use encodings::EncodingDevice;
pub use error::CudaError;
pub(crate) use grid::on_grid;
pub use grid::{Mapped, maps, program as grid_program};
pub use library::LoadError;
pub use nvrtc::{Architecture, Nvrtc, Output};
pub(crate) use overlap::DeviceRows;
pub use overlap::{GpuKernel, OverlapDevice};
pub use pack::PackDevice;
pub(crate) use pack::{DeviceMask, Values};
pub use world_file::write_world;

use crate::engine::cpu::rows::Rows;
use crate::engine::cpu::{self, Cpu, HostStates};
use crate::engine::mirrored::{Mirrored, OnDevice, check_host};
use crate::engine::{Backend, Copied, Engine, EngineError, Execution, MemberInputs, Result};
use crate::memory;
use activity::{Activity, Watch};
use code::{blame, image, text_to_compile};
use copies::CopyPool;
use driver::{Address, Blocks, Device, Function, LaunchGraph, Memory, Module};
use measure::Measure;
use observe::Observer;
use ranks::{RankObserver, Ranks};
use squeeze_compiler::compile::compile_steps;
use squeeze_compiler::emit::cuda::{
    Argument, CudaText, Entry, MEASURE, MOST_BLOCKS, Members, RANKS, RowsKernel, THREADS, emit, emit_members, emit_rows,
};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::kernel::Planes;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::{Columns, Shape};
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::table::NeighbourTable;
use squeeze_compiler::lower::totals::is_total;
use squeeze_compiler::numerics::fold::ObservedValue;
use squeeze_compiler::passes::Ready;
use squeeze_compiler::plan::{Candidate, Hardware, Machine, Plan, StateMemory, candidates, state_memory};
use squeeze_compiler::{Compiled, Target, compile};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use totals::{ObservingStretch, Totals, TotalsPlace, some_reductions};
use world::TableMemory;

/// Bytes of the device that are left to others, and to the kernels' own needs.
const RESERVE: u64 = 256 << 20;
/// From this architecture on a kernel can begin before the one before it has ended.
const OVERLAPPING: Architecture = Architecture(90);
/// About so many kernels are started at once.
const GRAPH_KERNELS: usize = 64;
/// After so many passes, and multiples of it, two or three buffers are where they were.
const EXCHANGES: usize = 6;
/// Bytes of the largest value of a cell.
const LARGEST_VALUE: u64 = 8;

/// A simulation on a GPU, or many members of an ensemble in one set of kernels.
struct Cuda {
    domain: Domain,
    ground: Ground,
    rule: Arc<Rule>,
    members: Vec<MemberInputs>,
    /// Where each of them is.
    sharing: Members,
    threads: Option<usize>,
    plan: Plan,
    /// How many time steps a pass computes, if there are as many to compute.
    steps_of_pass: u32,
    /// Whether some kernel looks beyond the superblocks beside its own.
    far: bool,
    target: Target,
    code: Option<LoadedCode>,
    device: Arc<Device>,
    nvrtc: Nvrtc,
    cache: KernelCache,
    architecture: Architecture,
    fields: Vec<Field>,
    surroundings: TableMemory,
    time: u32,
    /// What stands on the clock.
    clock: u32,
    /// What computes the initial states; none where others do.
    init: Option<Pass>,
    /// The kernels that together compute so many time steps.
    passes: BTreeMap<u32, Vec<Pass>>,
    /// Many passes of the most steps at once, by the addresses of the buffers that they begin with; none before it pays.
    graphs: BTreeMap<Vec<Address>, Recorded>,
    /// Steps and observations in turn, many at once; none before they are asked for again.
    observing: BTreeMap<ObservingStretch, Option<Recorded>>,
    /// What need not be computed again; `None` if all is.
    activity: Option<Activity>,
    copies: CopyPool,
    /// What folds observables, once they were asked for.
    observer: Mutex<Option<AnyObserver>>,
    /// The most bytes of the device to take.
    limit: u64,
}

/// What a simulation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// To run, many members one after the other.
    Run,
    /// To compute initial states alone.
    Begin,
    /// To run members as lanes, whose initial states others compute.
    RunLanes,
}

/// How cells lie in columns, and the kernels that all simulations on such columns share.
enum Ground {
    /// Replica lanes, by the plan's layout.
    Lanes(Measure),
    /// Rows of a mask or a box, whose states are columns or packed.
    Rows(Arc<RowGrid>, bool, Ranks),
}

/// What folds observables.
enum AnyObserver {
    /// Those that can be added up, and what folds the others.
    Lanes(Option<Totals>, Option<Box<Observer>>),
    Rows(RankObserver),
    /// The host.
    None,
}

/// How to run, where that is not to be what suits.
#[derive(Clone, Debug, Default)]
pub struct Tuning {
    /// A layout to take instead of the planned one.
    pub choice: Option<Candidate>,
    /// The machine that layouts are chosen for, if it is a GPU; the usual one if it is none.
    pub hardware: Option<Hardware>,
    /// The most bytes of the device to take.
    pub limit: Option<u64>,
    /// Threads of the host, where it has to help.
    pub threads: Option<usize>,
    /// CUDA C to compile instead of what is printed for the layout; it holds the same kernels.
    pub code: Option<LoadedCode>,
    /// Whether the states of a mask hold the cells alone even where their columns fit in memory.
    pub packed: bool,
    /// From when on what cannot change is left out.
    pub watched: WatchedFrom,
}

/// A state's memory on the device.
struct Field {
    planes: Planes,
    now: Memory,
    /// What the next passes write, one after the other: older states, the oldest first. None for states that no step changes.
    older: VecDeque<Memory>,
}

impl Field {
    /// What the next pass writes, or 0.
    fn next(&self) -> Address {
        self.older.front().map_or(0, Memory::address)
    }

    /// Makes what a pass wrote the present state.
    fn exchange(&mut self) {
        if let Some(written) = self.older.pop_front() {
            self.older.push_back(std::mem::replace(&mut self.now, written));
        }
    }
}

/// A compiled kernel.
struct Pass {
    entry: Entry,
    function: Function,
    module: Arc<Module>,
}

/// What a kernel takes between its buffers and the world.
enum Beside {
    Nothing,
    /// Where it adds up totals.
    Totals(TotalsPlace),
    /// The tiles that it computes, by so many blocks.
    Watch(Watch, Blocks),
}

/// A graph of passes that leaves every buffer where it was.
struct Recorded {
    graph: LaunchGraph,
    steps: u32,
    uses_time: bool,
}

/// Checks that the states fit, compiles the kernels, and computes the initial state.
///
/// # Errors
/// [`EngineError::Cuda`] without a driver, a device or NVRTC, and if one of them fails; [`EngineError::Memory`];
/// [`EngineError::NoKernel`].
pub(crate) fn lanes(
    domain: &Domain,
    rule: &Arc<Rule>,
    seed: u64,
    params: &[Value],
    tuning: Tuning,
) -> Result<Box<dyn Engine>> {
    let members = vec![MemberInputs { seed, params: params.to_vec() }];
    Ok(Box::new(Mirrored::new(Cuda::new(domain, rule, members, tuning)?)))
}

impl Cuda {
    fn new(domain: &Domain, rule: &Arc<Rule>, members: Vec<MemberInputs>, tuning: Tuning) -> Result<Cuda> {
        Cuda::made_for(Purpose::Run, domain, rule, members, tuning)
    }

    /// What computes the initial states of some members and nothing else.
    fn to_begin(domain: &Domain, rule: &Arc<Rule>, members: Vec<MemberInputs>, tuning: Tuning) -> Result<Cuda> {
        Cuda::made_for(Purpose::Begin, domain, rule, members, tuning)
    }

    fn made_for(
        purpose: Purpose,
        domain: &Domain,
        rule: &Arc<Rule>,
        members: Vec<MemberInputs>,
        tuning: Tuning,
    ) -> Result<Cuda> {
        let target = match domain.is_mask() {
            true => Target::cuda_rows(domain)?,
            false => {
                let machine = tuning.hardware.clone().and_then(|hardware| hardware.gpu());
                Target::cuda().on(machine).with_members(members.len() as u32).demanding(tuning.choice.clone())
            }
        };
        let compiled = compile(rule, domain, &target)?;
        Cuda::of(purpose, (domain, rule), members, (target, compiled), tuning)
    }

    /// From what was compiled for a target.
    fn of(
        purpose: Purpose,
        (domain, rule): (&Domain, &Arc<Rule>),
        members: Vec<MemberInputs>,
        (target, compiled): (Target, Compiled),
        tuning: Tuning,
    ) -> Result<Cuda> {
        let device = Device::first()?;
        let Compiled { mut plan, init, steps, observes_far } = compiled;
        let sharing = match (purpose, &members[..]) {
            (Purpose::RunLanes, _) => Members::AsLanes { members: members.len() },
            (Purpose::Run | Purpose::Begin, [_]) => Members::One,
            (Purpose::Run | Purpose::Begin, _) => Members::InTurn { params: rule.params.len() + rule.globals.len() },
        };
        if sharing.as_lanes() {
            let (shape, micro_cells) = (sharing.shape(plan.layout()), plan.layout().micro_cells() as usize);
            plan.states
                .iter_mut()
                .for_each(|state| state.columns = Columns::new(state.columns.planes, shape, micro_cells));
        }
        let far = plan.layout().looks_far() || observes_far;
        let limit = tuning.limit.unwrap_or(u64::MAX);
        let grid = match domain.is_mask() {
            true => {
                check_tables(domain)?;
                let grid = RowGrid::new(domain);
                let packed = check_rows(&device, domain, rule, &grid, limit, tuning.packed)?;
                Some((Arc::new(grid), packed))
            }
            false => {
                check_memory(&device, domain, rule, (plan.layout(), far), (sharing, members.len()), limit)?;
                None
            }
        };
        let nvrtc = Nvrtc::find()?;
        let (cache, architecture) = (KernelCache::usual(), device.architecture()?);
        let layout = plan.layout();
        // One compilation for the initial values and the steps, beside it that of the kernels that all simulations share.
        let several = grid.as_ref().and_then(|(grid, packed)| RowsKernel::several(grid, *packed, &steps));
        let init = (purpose != Purpose::RunLanes).then_some(&init);
        let steps = if purpose == Purpose::Begin { &[][..] } else { &steps[..] };
        let program = print(rule, layout, rows_of(grid.as_ref()), sharing, (init.into_iter().chain(steps), several));
        check_threads(layout, sharing.turns(members.len()), &program.entries)?;
        let text = text_to_compile(tuning.code.as_ref(), &program.text)?;
        let compiled = |text: &str| image(&nvrtc, &cache, architecture, text);
        let (shared, own) = std::thread::scope(|scope| {
            let shared = scope.spawn(|| compiled(if grid.is_some() { RANKS } else { MEASURE }));
            let own = compiled(text);
            (shared.join(), own)
        });
        let died = |_| EngineError::System("a thread that compiled kernels died".to_owned());
        let shared = shared.map_err(died)??;
        let passes = own.and_then(|image| passes_of(&device, &image, program));
        let mut passes = passes.map_err(|error| blame(tuning.code.as_ref(), error))?;
        // What stands behind the last block stays 0.
        let in_blocks = |states: Vec<StateMemory>, blocks: u64| -> Vec<(StateMemory, u64)> {
            states.into_iter().map(|state| (state, state.columns.block as u64 * (blocks + 1))).collect()
        };
        let (ground, surroundings, memory) = match grid {
            Some((grid, packed)) => {
                let surroundings = TableMemory::of_rows(&device, &grid, &members[0])?;
                let states = grid.state_memory(rule);
                let memory = states.into_iter().map(|state| (state, bytes_of_rows_state(&grid, packed, &state)));
                let memory = memory.collect();
                (Ground::Rows(grid, packed, Ranks::new(&device, &shared)?), surroundings, memory)
            }
            None => {
                let measure = Measure::new(&device, &shared)?;
                let surroundings = TableMemory::new(&device, &measure, rule, (layout, far), &members, sharing)?;
                let superblocks = u64::from(layout.superblocks()) * sharing.turns(members.len()) as u64;
                (Ground::Lanes(measure), surroundings, in_blocks(plan.states.clone(), superblocks))
            }
        };
        let mut fields = Vec::new();
        for (StateMemory { columns, buffers }, bytes) in memory {
            let older = if purpose == Purpose::Begin { 0 } else { buffers.max(1) - 1 };
            let older = (0..older).map(|_| Memory::zeroed(&device, bytes)).collect::<std::result::Result<_, _>>()?;
            fields.push(Field { planes: columns.planes, now: Memory::zeroed(&device, bytes)?, older });
        }
        let plan_steps = plan.steps();
        let init = init.map(|_| passes.remove(0));
        let several = several.and_then(|several| Some((several.steps, passes.pop()?)));
        let mut cuda = Cuda {
            init,
            domain: domain.clone(),
            ground,
            rule: Arc::clone(rule),
            members,
            sharing,
            threads: tuning.threads,
            steps_of_pass: several.as_ref().map_or(plan_steps, |(steps, _)| *steps),
            plan,
            far,
            target,
            code: tuning.code,
            architecture,
            device,
            nvrtc,
            cache,
            fields,
            surroundings,
            time: 0,
            clock: 0,
            passes: BTreeMap::new(),
            graphs: BTreeMap::new(),
            observing: BTreeMap::new(),
            activity: None,
            copies: CopyPool::default(),
            observer: Mutex::new(None),
            limit,
        };
        if purpose != Purpose::Begin {
            cuda.passes.insert(plan_steps, passes);
        }
        cuda.passes.extend(several.map(|(steps, pass)| (steps, vec![pass])));
        cuda.activity = Activity::new(&cuda, tuning.watched);
        cuda.initialise()?;
        Ok(cuda)
    }

    /// Computes the initial states into memory that is 0.
    fn initialise(&self) -> Result<()> {
        if let Some(init) = &self.init {
            // Nothing is loaded, so the present buffers can be written themselves.
            self.launch(init, 0, self.all(), |state| self.fields[state].now.address())?;
        }
        Ok(self.device.synchronize()?)
    }

    /// The rows of a mask or a box.
    fn grid(&self) -> Option<&Arc<RowGrid>> {
        match &self.ground {
            Ground::Lanes(_) => None,
            Ground::Rows(grid, ..) => Some(grid),
        }
    }

    /// Whether the states hold the cells of a mask or a box alone.
    fn is_packed(&self) -> bool {
        matches!(self.ground, Ground::Rows(_, true, _))
    }

    /// The CUDA C of some kernels.
    fn print<'k>(&self, rule: &Rule, kernels: impl IntoIterator<Item = &'k Ready>) -> Result<CudaText> {
        let (layout, grid) = (self.plan.layout(), self.grid().map(|grid| (&**grid, self.is_packed())));
        let program = print(rule, layout, grid, self.sharing, (kernels, None));
        check_threads(layout, self.turns(), &program.entries)?;
        Ok(program)
    }

    fn load(&self, kernels: &[Ready]) -> Result<Vec<Pass>> {
        let program = self.print(&self.rule, kernels)?;
        let text = text_to_compile(self.code.as_ref(), &program.text)?;
        let image = image(&self.nvrtc, &self.cache, self.architecture, text);
        let passes = image.and_then(|image| passes_of(&self.device, &image, program));
        passes.map_err(|error| blame(self.code.as_ref(), error))
    }

    /// Makes sure that there are kernels for so many steps at once.
    fn prepare(&mut self, steps: u32) -> Result<()> {
        if !self.passes.contains_key(&steps) {
            let kernels = compile_steps(&self.rule, &self.plan, steps, &self.target)?;
            let passes = self.load(&kernels)?;
            self.passes.insert(steps, passes);
        }
        Ok(())
    }

    /// Starts a kernel that computes `time` in some superblocks or rows; `new` says where a state's results go.
    fn launch(&self, pass: &Pass, time: u32, units: Range<u32>, new: impl Fn(usize) -> Address) -> Result<()> {
        self.launch_with(pass, time, units, new, Beside::Nothing)
    }

    /// The same, also for a kernel that takes something more.
    fn launch_with(
        &self,
        pass: &Pass,
        time: u32,
        units: Range<u32>,
        new: impl Fn(usize) -> Address,
        beside: Beside,
    ) -> Result<()> {
        let together = match pass.entry.superblocks {
            Some(superblocks) => superblocks * self.turns() as u32,
            None => (units.end - units.start).div_ceil(pass.entry.together),
        };
        let world = self.surroundings.world.of_pass(units, time.wrapping_sub(self.clock));
        let mut threads = u64::from(together) * pass.entry.threads;
        if pass.entry.adds_up && self.sharing == Members::One {
            threads = threads.min(u64::from(MOST_BLOCKS * THREADS));
        }
        let blocks = match &beside {
            Beside::Watch(_, blocks) => *blocks,
            Beside::Nothing | Beside::Totals(_) => Blocks::of_threads(threads, THREADS)?,
        };
        let mut addresses: Vec<Address> = (pass.entry.arguments.iter())
            .map(|argument| match argument {
                Argument::Old(state) => self.fields[usize::from(*state)].now.address(),
                Argument::New(state) => new(usize::from(*state)),
            })
            .collect();
        let mut arguments: Vec<*mut c_void> = addresses.iter_mut().map(|address| (&raw mut *address).cast()).collect();
        match &beside {
            Beside::Nothing => {}
            Beside::Totals(place) => arguments.push((&raw const *place).cast_mut().cast()),
            Beside::Watch(watch, _) => arguments.push((&raw const *watch).cast_mut().cast()),
        }
        arguments.push(world.argument());
        // SAFETY: the arguments are those of the entry, with what it takes beside them; buffers and tables have the sizes of the layout that the kernel was
        // printed for, and live as long as `self`, which waits for the device before it is dropped. The printed kernels wait for
        // the one before them before they touch a state.
        unsafe {
            if self.architecture >= OVERLAPPING && self.code.is_none() {
                pass.module.launch_early(pass.function, blocks, &mut arguments)?;
            } else {
                pass.module.launch(pass.function, blocks, &mut arguments)?;
            }
        }
        Ok(())
    }

    /// How often there are all superblocks of the layout.
    fn turns(&self) -> usize {
        self.sharing.turns(self.members.len())
    }

    /// The sizes of columns.
    fn shape(&self) -> Shape {
        self.sharing.shape(self.plan.layout())
    }

    /// All superblocks of all members, or all rows.
    fn all(&self) -> Range<u32> {
        let superblocks = self.plan.layout().superblocks() * self.turns() as u32;
        0..self.grid().map_or(superblocks, |grid| grid.rows() as u32)
    }

    /// Starts the kernels prepared for `steps` time steps.
    fn advance(&mut self, steps: u32) -> Result<()> {
        (0..self.passes[&steps].len()).try_for_each(|index| self.launch_pass(steps, index))?;
        self.time += steps;
        Ok(())
    }

    /// Starts one of the kernels prepared for `steps` time steps.
    fn launch_pass(&mut self, steps: u32, index: usize) -> Result<()> {
        let pass = &self.passes[&steps][index];
        let next = |state: usize| self.fields[state].next();
        self.launch(pass, self.time + 1, self.all(), next)?;
        let writes = pass.entry.writes.clone();
        self.exchange(&writes);
        Ok(())
    }

    /// Starts a pass of so many steps that computes the tiles of a list.
    fn launch_watched(&mut self, pass: &Pass, steps: u32, watch: Watch, blocks: Blocks) -> Result<()> {
        let next = |state: usize| self.fields[state].next();
        self.launch_with(pass, self.time + 1, self.all(), next, Beside::Watch(watch, blocks))?;
        self.exchange(&pass.entry.writes);
        self.time += steps;
        Ok(())
    }

    /// Does to the buffers what so many passes come to where nothing changes but between the states that they hold, so many.
    fn pass_settled(&mut self, passes: u32, buffers: u32) {
        let writes = self.passes[&self.plan.steps()][0].entry.writes.clone();
        (0..passes % buffers).for_each(|_| self.exchange(&writes));
    }

    /// One buffer more for each state that changes, if these are bits in rows and there is room; whether there is now.
    fn one_buffer_more(&mut self) -> Result<bool> {
        let changing = || self.fields.iter().filter(|field| !field.older.is_empty());
        let bytes: u64 = changing().map(|field| field.now.len() as u64).sum();
        let free = self.device.free_memory()?.saturating_sub(RESERVE);
        let are_bits = changing().all(|field| matches!(field.planes, Planes::Bits(_)));
        if self.grid().is_none() || !are_bits || bytes > free.min(self.limit.saturating_sub(self.bytes_taken())) {
            return Ok(false);
        }
        self.forget_buffers()?;
        for field in self.fields.iter_mut().filter(|field| !field.older.is_empty()) {
            field.older.push_back(Memory::zeroed(&self.device, field.now.len() as u64)?);
        }
        Ok(true)
    }

    /// So many buffers of each state that changes, of those that there are.
    fn fewer_buffers(&mut self, buffers: u32) -> Result<()> {
        self.forget_buffers()?;
        self.fields.iter_mut().for_each(|field| field.older.truncate(buffers as usize - 1));
        Ok(())
    }

    /// Forgets what was recorded with the buffers that there are, which nothing uses any more then.
    fn forget_buffers(&mut self) -> Result<()> {
        self.device.synchronize()?;
        self.graphs.clear();
        self.observing.clear();
        Ok(())
    }

    /// Says that states or parameters were written otherwise than by passes of the most steps.
    fn disturb(&self) {
        self.activity.iter().for_each(Activity::disturb);
    }

    /// What was written to these states is what they are now.
    fn exchange(&mut self, writes: &[u16]) {
        for state in writes {
            self.fields[usize::from(*state)].exchange();
        }
    }

    /// Starts as many passes of the most steps, many at once if there are many.
    fn advance_many(&mut self, mut passes: u32) -> Result<()> {
        let steps = self.steps_of_pass;
        let kernels = self.passes[&steps].len().max(1);
        // As many exchange two or three buffers back.
        let at_once = (GRAPH_KERNELS / kernels).max(EXCHANGES) as u32 / EXCHANGES as u32 * EXCHANGES as u32;
        // A graph holds the addresses that it was recorded with, and passes exchange the buffers.
        let buffers: Vec<Address> = self.fields.iter().map(|field| field.now.address()).collect();
        // To make a graph takes about as long as to start its kernels.
        if passes >= 2 * at_once || self.graphs.contains_key(&buffers) && passes >= at_once {
            let recorded = match self.graphs.remove(&buffers) {
                Some(recorded) => recorded,
                None => {
                    let uses_time = self.passes[&steps].iter().any(|pass| pass.entry.time);
                    self.record(uses_time, |cuda| (0..at_once).try_for_each(|_| cuda.advance(steps)))?
                }
            };
            while passes >= at_once {
                self.launch_recorded(&recorded)?;
                passes -= at_once;
            }
            self.graphs.insert(buffers, recorded);
        }
        (0..passes).try_for_each(|_| self.advance(steps))
    }

    /// Makes sure that there are kernels for the steps that are less than a pass.
    fn prepare_rest(&mut self, steps: u32) -> Result<()> {
        let most_steps = self.steps_of_pass;
        let rest = steps % most_steps;
        // The steps of masks and boxes are there one by one, too.
        if rest == 0 || self.grid().is_some() {
            return Ok(());
        }
        if let Some(code) = &self.code {
            let problem =
                format!("its kernels compute {most_steps} steps at a time, and {steps} is no multiple of that");
            return Err(code.wrong(problem));
        }
        self.prepare(rest)
    }

    /// Starts the kernels for so many time steps.
    fn start(&mut self, steps: u32) -> Result<()> {
        let Some(mut activity) = self.activity.take() else { return self.start_all(steps) };
        let started = activity.advance(self, steps);
        self.activity = Some(activity);
        started
    }

    /// Starts the kernels for so many time steps of all cells.
    fn start_all(&mut self, steps: u32) -> Result<()> {
        let most_steps = self.steps_of_pass;
        let (whole, rest) = (steps / most_steps, steps % most_steps);
        self.prepare_rest(steps)?;
        self.advance_many(whole)?;
        match rest {
            0 => Ok(()),
            _ if self.grid().is_some() => (0..rest).try_for_each(|_| self.advance(1)),
            _ => self.advance(rest),
        }
    }

    /// Records passes, as many as leave all buffers where they were, and what else `work` starts. Nothing runs: whatever comes of it, time, clock and buffers are as
    /// before.
    fn record(&mut self, uses_time: bool, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<Recorded> {
        let (device, time, clock) = (Arc::clone(&self.device), self.time, self.clock);
        let buffers: Vec<Address> = self.fields.iter().map(|field| field.now.address()).collect();
        // What is recorded counts its times from the time at which it begins.
        self.clock = time;
        let graph = device.record(|| work(self));
        let steps = self.time - time;
        (self.time, self.clock) = (time, clock);
        for (field, address) in self.fields.iter_mut().zip(buffers) {
            while field.now.address() != address {
                field.exchange();
            }
        }
        Ok(Recorded { graph: graph?, steps, uses_time })
    }

    /// Starts what was recorded with the buffers as they are.
    fn launch_recorded(&mut self, recorded: &Recorded) -> Result<()> {
        if recorded.uses_time && self.clock != self.time {
            self.surroundings.clock.fill(self.time)?;
            self.clock = self.time;
        }
        // SAFETY: as in `launch`; the buffers are those that it was recorded with, and after it they are again.
        unsafe { recorded.graph.launch()? };
        self.time += recorded.steps;
        Ok(())
    }

    /// Bytes of the host that a copy of the states takes.
    fn mirror_bytes(&self) -> u64 {
        let layout = self.plan.layout();
        match self.grid() {
            Some(_) => self.fields.iter().map(|field| field.now.len() as u64).sum(),
            None => cpu::bytes_needed(&self.rule, layout) / 2 + NeighbourTable::bytes(layout),
        }
    }

    /// Memory of the host for the states of a member.
    fn new_mirror(&self) -> Result<Box<dyn HostStates>> {
        let MemberInputs { seed, params } = &self.members[0];
        let (rule, seed, threads) = (&self.rule, *seed, self.threads);
        Ok(match self.grid() {
            Some(grid) => Box::new(Rows::mirror(&self.domain, (grid, self.is_packed()), rule, seed, params, threads)?),
            None => Box::new(Cpu::mirror(rule, seed, params, threads, self.plan.clone())?),
        })
    }

    /// Bytes that the states and tables take on the device.
    fn bytes_taken(&self) -> u64 {
        let more: u64 =
            self.fields.iter().map(|field| (field.older.len().max(1) - 1) as u64 * field.now.len() as u64).sum();
        more + match self.grid() {
            Some(grid) => bytes_of_rows(&self.rule, grid, self.is_packed()),
            None => bytes_needed(&self.rule, (self.plan.layout(), self.far), (self.sharing, self.members.len())),
        }
    }

    /// Gives the members' parameters and globals these values.
    fn set_params_of(&mut self, params: Vec<Vec<Value>>) -> Result<()> {
        // No kernel runs between steps.
        self.disturb();
        self.surroundings.set_params(&params[..self.turns()])?;
        self.members.iter_mut().zip(params).for_each(|(member, params)| member.params = params);
        Ok(())
    }

    /// Begins anew with as many members.
    fn restart_with(&mut self, members: Vec<MemberInputs>) -> Result<()> {
        self.surroundings.set_seeds(&members)?;
        self.members = members;
        self.set_params_of(self.members.iter().map(|member| member.params.clone()).collect())?;
        // They were recorded with the seed before.
        self.graphs.clear();
        self.observing.clear();
        self.activity.iter_mut().for_each(Activity::forget_graphs);
        self.time = 0;
        self.fields.iter_mut().try_for_each(|field| field.now.clear())?;
        self.initialise()
    }

    /// The digest of a member's state.
    fn digest_of(&self, member: usize, state: StateId) -> Result<u64> {
        let (layout, index) = (self.plan.layout(), usize::from(state.0));
        let first = self.fields[index].now.address() + (member * self.member_bytes(index)) as u64;
        let planes = self.fields[index].planes;
        Ok(match &self.ground {
            Ground::Rows(grid, packed, ranks) => {
                ranks.digest(grid, *packed, &self.surroundings.world, planes, first)?
            }
            Ground::Lanes(measure) => {
                measure.digest(layout, self.surroundings.replicas, planes, self.shape().stride, first)?
            }
        })
    }

    /// Bytes of a member's columns of a state.
    fn member_bytes(&self, state: usize) -> usize {
        self.plan.states[state].columns.block * self.plan.layout().superblocks() as usize
    }

    /// The reductions of each member; `None` if the host is to do it.
    fn reductions_of_all(&self) -> Result<Option<Vec<Vec<ObservedValue>>>> {
        if self.rule.reductions.is_empty() {
            return Ok(Some(vec![Vec::new(); self.members.len()]));
        }
        // The value of a single cell is no fold: the host takes it as it is; and it folds replica by replica.
        if self.domain.cells() == 1 || self.rule.reductions.iter().any(|reduction| reduction.level.is_some()) {
            return Ok(None);
        }
        let mut observer = self.observer.lock().unwrap_or_else(PoisonError::into_inner);
        let observer = match observer.take() {
            Some(made) => observer.insert(made),
            None => observer.insert(self.new_observer()?),
        };
        match (observer, &self.ground) {
            (AnyObserver::Lanes(totals, folds), _) => {
                if let Some(totals) = totals {
                    totals.begin(1)?;
                    totals.add(self, 0)?;
                }
                let folded = folds.as_ref().map(|folds| folds.observe(self)).transpose()?;
                let added = totals.as_ref().map(Totals::finish).transpose()?;
                let of = totals.as_ref().map_or(&[][..], |totals| &totals.of);
                Ok(Some(self.joined(of, added, folded)))
            }
            (AnyObserver::Rows(observer), Ground::Rows(grid, _, ranks)) => {
                Ok(Some(vec![observer.observe(self, grid, ranks)?]))
            }
            (AnyObserver::Rows(_), Ground::Lanes(_)) => unreachable!("observers are made for their ground"),
            (AnyObserver::None, _) => Ok(None),
        }
    }

    /// Whether all observables can be added up, so that nobody has to look at one before the next steps.
    fn adds_up(&self) -> bool {
        let rule = &self.rule;
        let totals = (0..rule.reductions.len()).all(|index| is_total(rule, index));
        self.grid().is_none() && self.domain.cells() > 1 && !rule.reductions.is_empty() && totals
    }

    /// Computes so many steps and then the reductions of all members, so many times, and waits once for many of them: those of one time after the
    /// other, and of each member then. `None`, and nothing is computed, where observables are not added up.
    fn step_reducing_all(&mut self, every: u32, times: u32) -> Result<Option<Vec<ObservedValue>>> {
        if times < 2 || !self.adds_up() {
            return Ok(None);
        }
        let observer = self.observer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let mut observer = match observer {
            Some(observer) => observer,
            None => self.new_observer()?,
        };
        let reduced = match &mut observer {
            AnyObserver::Lanes(Some(totals), None) => self.step_totalling(totals, every, times).map(Some),
            AnyObserver::Lanes(..) | AnyObserver::Rows(_) | AnyObserver::None => Ok(None),
        };
        *self.observer.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(observer);
        reduced
    }

    /// The same with what adds up, many times at once as long as all cells are computed.
    fn step_totalling(&mut self, totals: &mut Totals, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
        let Some(mut activity) = self.activity.take() else { return self.step_adding(totals, every, times) };
        let (mut reduced, mut left) = (Vec::new(), times);
        while left > 0 {
            let at_once = activity.resting().checked_div(every).unwrap_or(left).min(left);
            let (observations, done) = if at_once > 1 {
                activity.pass_by(at_once * every);
                (at_once, self.step_adding(totals, every, at_once))
            } else {
                (1, activity.advance(self, every).and_then(|()| totals.of_present(self)))
            };
            match done {
                Ok(values) => reduced.extend(values),
                Err(error) => {
                    self.activity = Some(activity);
                    return Err(error);
                }
            }
            left -= observations;
        }
        self.activity = Some(activity);
        Ok(reduced)
    }

    /// What folds the observables of this simulation.
    fn new_observer(&self) -> Result<AnyObserver> {
        if let Ground::Rows(grid, ..) = &self.ground {
            return Ok(RankObserver::new(self, grid)?.map_or(AnyObserver::None, AnyObserver::Rows));
        }
        let totals = Totals::new(self)?;
        let added = totals.as_ref().map_or(&[][..], |totals| &totals.of);
        let others: Vec<usize> = (0..self.rule.reductions.len()).filter(|index| !added.contains(index)).collect();
        if others.is_empty() {
            return Ok(AnyObserver::Lanes(totals, None));
        }
        let folds = Observer::new(self, &some_reductions(&self.rule, &others))?;
        Ok(folds.map_or(AnyObserver::None, |folds| AnyObserver::Lanes(totals, Some(Box::new(folds)))))
    }

    /// For each member its reductions in the order of the rule: those `of` which are added up, and the others, which are folded.
    fn joined(
        &self,
        of: &[usize],
        added: Option<Vec<Vec<ObservedValue>>>,
        folded: Option<Vec<Vec<ObservedValue>>>,
    ) -> Vec<Vec<ObservedValue>> {
        let none = || vec![Vec::new(); self.members.len()];
        let members = added.unwrap_or_else(none).into_iter().zip(folded.unwrap_or_else(none));
        let join = |(added, folded): (Vec<ObservedValue>, Vec<ObservedValue>)| {
            let (mut added, mut folded) = (added.into_iter(), folded.into_iter());
            let next = |index: usize| if of.contains(&index) { added.next() } else { folded.next() };
            (0..self.rule.reductions.len()).filter_map(next).collect()
        };
        members.map(join).collect()
    }

    /// Copies a member's state to the host.
    fn fetch_of(&self, member: usize, state: StateId, host: &mut dyn HostStates) -> Result<()> {
        let index = usize::from(state.0);
        // Behind the last block of the device there is one of zeros.
        Ok(self.fields[index].now.download(member * self.member_bytes(index), host.buffer(index))?)
    }

    /// Copies a member's state from the host.
    fn send_of(&self, member: usize, state: StateId, host: &mut dyn HostStates) -> Result<()> {
        self.disturb();
        let index = usize::from(state.0);
        Ok(self.fields[index].now.upload(member * self.member_bytes(index), host.buffer(index))?)
    }

    /// Memory of the host for a copy of the states, if there is room for it, and on the device for another one.
    fn host_for_copy(&self) -> Result<Option<Box<dyn HostStates>>> {
        let states: u64 = self.fields.iter().map(|field| field.now.len() as u64).sum();
        let free =
            self.device.free_memory()?.saturating_sub(RESERVE).min(self.limit.saturating_sub(self.bytes_taken()));
        // What is compressed of it takes memory too.
        if states > free || self.mirror_bytes() > memory::available() / 2 {
            return Ok(None);
        }
        self.new_mirror().map(Some)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // Nothing may be freed that a kernel still uses. A device that is lost uses nothing.
        _ = self.device.synchronize();
    }
}

impl OnDevice for Cuda {
    fn make_ready(&mut self, steps: u32) -> Result<()> {
        self.prepare_rest(steps)
    }

    fn step(&mut self, steps: u32) -> Result<()> {
        self.start(steps)?;
        Ok(self.device.synchronize()?)
    }

    fn part(&mut self, index: usize) -> Result<()> {
        self.disturb();
        self.launch_pass(1, index)?;
        self.time += u32::from(index + 1 == self.passes[&1].len());
        Ok(self.device.synchronize()?)
    }

    fn time(&self) -> u32 {
        self.time
    }

    fn set_time(&mut self, time: u32) {
        self.time = time;
    }

    fn set_params(&mut self, params: &[Value]) -> Result<()> {
        self.set_params_of(vec![params.to_vec()])
    }

    fn restart(&mut self, seed: u64, params: &[Value]) -> Result<()> {
        self.restart_with(vec![MemberInputs { seed, params: params.to_vec() }])
    }

    fn digest(&self, state: StateId) -> Result<Option<u64>> {
        self.digest_of(0, state).map(Some)
    }

    fn reductions(&self) -> Result<Option<Vec<ObservedValue>>> {
        Ok(self.reductions_of_all()?.map(|mut of_member| of_member.remove(0)))
    }

    fn reduces_ahead(&self) -> bool {
        self.adds_up()
    }

    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Option<Vec<Vec<ObservedValue>>>> {
        let each = self.rule.reductions.len();
        Ok(self.step_reducing_all(every, times)?.map(|all| all.chunks(each).map(<[ObservedValue]>::to_vec).collect()))
    }

    fn snapshot(&self) -> Result<Option<Box<dyn Copied>>> {
        let states: Vec<&Memory> = self.fields.iter().map(|field| &field.now).collect();
        self.copies.copy(&self.device, &states, &|| self.host_for_copy())
    }

    fn state_bytes(&self) -> u64 {
        let bytes = |field: &Field| field.now.len() * (1 + field.older.len());
        self.fields.iter().map(|field| bytes(field) as u64).sum()
    }

    fn strategy(&self) -> &'static str {
        if self.is_packed() { "packed" } else { "lanes" }
    }

    fn device(&self) -> String {
        self.device.name()
    }

    fn execution(&self) -> Option<Execution> {
        let Candidate { layout, steps, .. } = &self.plan.candidate;
        self.grid().is_none().then_some(Execution {
            lane_digits: layout.lane_digits(),
            micro_digits: layout.micro_digits(),
            steps_per_pass: *steps,
            compiler: "nvrtc",
        })
    }

    fn steps_of_pass(&self) -> u32 {
        self.steps_of_pass
    }

    fn states(&self) -> usize {
        // Observables may read the field of canonical indices.
        if self.rule.index.is_some() { self.fields.len() } else { self.rule.states.len() }
    }

    fn host_memory(&self) -> Result<Box<dyn HostStates>> {
        check_host(&self.domain, self.mirror_bytes())?;
        self.new_mirror()
    }

    fn fetch(&self, state: StateId, host: &mut dyn HostStates) -> Result<()> {
        self.fetch_of(0, state, host)
    }

    fn send(&self, state: StateId, host: &mut dyn HostStates) -> Result<()> {
        self.send_of(0, state, host)
    }
}

/// The CUDA C that a simulation compiles.
fn print<'k>(
    rule: &Rule,
    layout: &Layout,
    grid: Option<(&RowGrid, bool)>,
    sharing: Members,
    (kernels, several): (impl IntoIterator<Item = &'k Ready>, Option<RowsKernel<'k>>),
) -> CudaText {
    let head = [format!("{} at run time", rule.name)];
    match grid {
        Some((grid, packed)) => {
            emit_rows(grid, packed, kernels.into_iter().map(RowsKernel::once).chain(several), &head)
        }
        None => emit_members(layout, sharing, kernels, &head),
    }
}

/// The kernels of many members in turn number all threads in 32 bits.
fn check_threads(layout: &Layout, turns: usize, entries: &[Entry]) -> Result<()> {
    let of_member = |entry: &Entry| u64::from(entry.superblocks.unwrap_or(layout.superblocks())) * entry.threads;
    let all = entries.iter().map(of_member).max().unwrap_or(1) * turns as u64;
    if turns > 1 && all > u64::from(u32::MAX - THREADS) {
        return Err(EngineError::Blocks { blocks: all.div_ceil(u64::from(THREADS)) });
    }
    Ok(())
}

/// The kernels of a compiled program, on the device.
fn passes_of(device: &Arc<Device>, image: &[u8], program: CudaText) -> std::result::Result<Vec<Pass>, CudaError> {
    let module = Arc::new(Module::new(device, image)?);
    let pass = |entry: Entry| Ok(Pass { function: module.function(&entry.name)?, module: Arc::clone(&module), entry });
    program.entries.into_iter().map(pass).collect()
}

/// The CUDA C of what was compiled for [`Target::cuda`], or of a mask for [`Target::cuda_rows`]: the kernels of the initial values and of the steps.
pub fn program(domain: &Domain, rule: &Rule, compiled: &Compiled) -> CudaText {
    let Compiled { plan, init, steps, .. } = compiled;
    let (name, version) = (&domain.fractal().name, env!("CARGO_PKG_VERSION"));
    let grid = domain.is_mask().then(|| RowGrid::new(domain));
    let (level, plan_text) = match &grid {
        Some(grid) => (String::new(), grid.to_string()),
        None => (format!(" at level {}", domain.level()), plan.candidate.to_string()),
    };
    let mut head = vec![format!("{} on {name}{level}, by Squeeze {version}", rule.name), String::new()];
    head.extend(plan_text.lines().map(str::to_owned));
    head.push(String::new());
    head.push(format!("nvcc {} --std=c++17", squeeze_compiler::emit::cuda::FLAGS.join(" ")));
    let kernels = std::iter::once(init).chain(steps);
    match &grid {
        Some(grid) => {
            let several = RowsKernel::several(grid, false, steps);
            emit_rows(grid, false, kernels.map(RowsKernel::once).chain(several), &head)
        }
        None => emit(plan.layout(), kernels, &head),
    }
}

/// A grid, and whether its states are packed.
fn rows_of(grid: Option<&(Arc<RowGrid>, bool)>) -> Option<(&RowGrid, bool)> {
    grid.map(|(grid, packed)| (&**grid, *packed))
}

/// Bytes of one buffer of a state of a mask, with what stands behind it: a column, or the value of no cell.
fn bytes_of_rows_state(grid: &RowGrid, packed: bool, state: &StateMemory) -> u64 {
    match packed {
        true => state.columns.packed_bytes(grid.cells()) + LARGEST_VALUE,
        false => state.columns.block as u64 * (grid.columns() as u64 + 1),
    }
}

/// Bytes that the states of a mask take on the device, in all buffers, and the tables.
fn bytes_of_rows(rule: &Rule, grid: &RowGrid, packed: bool) -> u64 {
    let bytes = |state: &StateMemory| u128::from(bytes_of_rows_state(grid, packed, state)) * state.buffers as u128;
    let states: u128 = grid.state_memory(rule).iter().map(bytes).sum();
    u64::try_from(states + u128::from(world::bytes_of_rows(grid))).unwrap_or(u64::MAX)
}

/// The tables of a mask must fit on the host, before they are made.
fn check_tables(domain: &Domain) -> Result<()> {
    let (needed, available) = (RowGrid::bytes(domain), memory::available());
    if needed <= available {
        return Ok(());
    }
    let (name, backend) = (domain.fractal().name.clone(), "cuda, whose tables are made on the host,");
    Err(EngineError::MaskMemory { name, backend, needed: needed as f64, available })
}

/// The states of a mask must fit on the device, and in `limit`. Whether they are packed, as is asked for or because their columns do not fit.
fn check_rows(device: &Device, domain: &Domain, rule: &Rule, grid: &RowGrid, limit: u64, packed: bool) -> Result<bool> {
    let available = device.free_memory()?.saturating_sub(RESERVE).min(limit);
    let packed = packed || bytes_of_rows(rule, grid, false) > available;
    let needed = bytes_of_rows(rule, grid, packed);
    if needed <= available {
        return Ok(packed);
    }
    let (name, backend) = (domain.fractal().name.clone(), Backend::Cuda.name());
    Err(EngineError::MaskMemory { name, backend, needed: needed as f64, available })
}

/// Bytes that a layout takes on the device: all buffers, each with a block behind it, the neighbour table, and the maps of kernels that look
/// far.
fn bytes_needed(rule: &Rule, (layout, far): (&Layout, bool), (sharing, members): (Members, usize)) -> u64 {
    let superblocks = u64::from(layout.superblocks()) * sharing.turns(members) as u64 + 1;
    let (shape, micro_cells) = (sharing.shape(layout), layout.micro_cells() as usize);
    let of_state = |state: StateMemory| {
        let columns = Columns::new(state.columns.planes, shape, micro_cells);
        StateMemory { columns, ..state }.bytes(superblocks)
    };
    let states: u128 = state_memory(rule, layout).into_iter().map(of_state).sum();
    u64::try_from(states + u128::from(world::bytes(layout, rule, far))).unwrap_or(u64::MAX)
}

/// The states must fit on the device, and in `limit`.
fn check_memory(
    device: &Device,
    domain: &Domain,
    rule: &Rule,
    (layout, far): (&Layout, bool),
    members: (Members, usize),
    limit: u64,
) -> Result<()> {
    let available = device.free_memory()?.saturating_sub(RESERVE).min(limit);
    let needed = bytes_needed(rule, (layout, far), members);
    if needed <= available {
        return Ok(());
    }
    let fits = |level: &u32| {
        let domain = Domain::new(Arc::clone(domain.fractal()), *level);
        let choice = domain.ok().and_then(|domain| candidates(&domain, rule, &Machine::gpu()).into_iter().next());
        choice.is_some_and(|choice| bytes_needed(rule, (&choice.layout, far), members) <= available)
    };
    Err(EngineError::Memory {
        fractal: domain.fractal().name.clone(),
        level: domain.level(),
        backend: Backend::Cuda.name(),
        needed: needed as f64,
        available,
        largest: (0..domain.level()).rev().find(fits),
    })
}

/// A GPU's name, if this machine has one.
///
/// # Errors
/// Why it has none.
pub fn device_name() -> std::result::Result<String, CudaError> {
    Device::first().map(|device| device.name())
}
