//! Compiled kernels, and the questions that they ask of the storage that they run on.
//!
//! A *unit* is what one call of a kernel computes: a superblock of replica lanes, or a stretch of a row. Storages ([`Units`]) differ in where the columns of
//! a unit stand and those of its neighbours; a [`Worker`](super::worker::Worker) is compiled for each of them apart, so that nothing is asked for each unit.

use super::activity::Marks;
use super::decide::{Column, Staging, Thresholds};
use super::replicas::FarDirection;
use super::rows::blocks::PaddedBlocks;
use super::rows::lines::{RowMemory, RowRing};
use crate::Result;
use crate::states::buffer::{Scratch, Shared};
use squeeze_codegen::{AvailableIsa, Code, ColumnOrder, PaddedRows, SplitRows, StripLoop, compile};
use squeeze_compiler::ir::{Axes, Dimension};
use squeeze_compiler::kernel::evaluate::GlobalInputs;
use squeeze_compiler::kernel::{Direction, Halo, Interface, LaneType, Planes, Variable, block_index};
use squeeze_compiler::layout::columns::{Columns, OVERREAD, Shape};
use squeeze_compiler::layout::unit::{Micro, Slot};
use squeeze_compiler::numbers::numbering::LaneNumbers;
use squeeze_compiler::passes::split::RandomBits;
use squeeze_compiler::passes::{Body, Ready};
use squeeze_compiler::target::Target;
use squeeze_compiler::{Off, Speciality};
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A kernel ready to run.
pub(super) struct HostKernel {
    /// The parts that run in turn for each unit; one if no random bits are decided between.
    pub bodies: Vec<CompiledBody>,
    /// The columns of the kernel's states, then of temporary states, which exist only while a unit is computed.
    pub states: Vec<Columns>,
    /// How many states have buffers.
    pub buffered: usize,
    pub dimension: Dimension,
    pub shape: Shape,
    /// Specialities to do without.
    pub off: Off,
    /// Blocks of padded rows, if it runs on these.
    pub padded: Option<Arc<PaddedBlocks>>,
    /// If rows are split, the kernels of the other places.
    pub split: SplitKernels,
    /// How long a thread's memory for moved columns is.
    scratch: usize,
    /// A unit of zeros, as large as the largest, in the place of those that are absent.
    pub zeros: Scratch,
    /// Whether the kernel looks beyond the superblocks beside its own.
    pub looks_far: bool,
    /// Whether it asks for random words, or random bits are decided.
    pub draws: bool,
    /// Whether probabilities change with time.
    chances_read_time: bool,
    /// The workspaces of earlier workers, for workers of the same threads: new memory and numbers can cost more than a pass over few units.
    idle: Box<[IdleWorkspaces]>,
}

/// Kernels of places whose corners are odd, or even, along each axis. The first is that which they belong to.
#[derive(Default)]
pub(super) struct SplitKernels {
    others: Vec<HostKernel>,
    /// The number of the kernel of each place, by a bit for each axis along which it is odd; none where nothing changes.
    numbers: [Option<usize>; 8],
}

impl SplitKernels {
    /// The number of the kernel of these places.
    pub(super) fn number(&self, odd: [bool; 3]) -> Option<usize> {
        self.numbers[usize::from(odd[0]) + 2 * usize::from(odd[1]) + 4 * usize::from(odd[2])]
    }
}

/// Idle workspaces, left by the workers of some threads. Each list has its own cache lines, so that threads do not wait for each other.
#[derive(Default)]
#[repr(align(128))]
struct IdleWorkspaces(Mutex<Vec<Workspace>>);

/// How many lists of idle workspaces a kernel has.
const IDLE_LISTS: usize = 32;

/// The list of this thread.
fn idle_list() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    OWN.with(|own| own % IDLE_LISTS)
}

/// A part of a kernel.
pub(super) struct CompiledBody {
    pub code: Code,
    pub interface: Interface,
    /// The directions of [`Interface::place`].
    pub directions: Vec<[i32; 3]>,
    /// For each of the directions that leads beyond the adjacent superblocks, how lanes can move there. Only replicas have any.
    pub far: Vec<FarDirection>,
    /// For each of the halo's entries where its columns stand in a thread's memory, if they are moved there.
    pub scratch: Vec<usize>,
    /// The random bits that are decided after it.
    pub random: Vec<RandomBits>,
    /// Its number among the bodies.
    pub number: usize,
}

/// Where a pass reads and writes: per state of its kernel the buffers' addresses, null where there is none.
pub(super) struct Buffers {
    pub old: Vec<*const u8>,
    pub new: Vec<Shared>,
    /// Rings of the old states that are there in a few rows at a time; empty if there are none.
    pub rings: Vec<Option<RowRing>>,
}

// SAFETY: the old buffers are only read while a pass runs, and outlive it.
unsafe impl Sync for Buffers {}

/// A body of a kernel, and the buffers that it is run on.
#[derive(Clone, Copy)]
pub(super) struct RunningBody<'a> {
    pub kernel: &'a HostKernel,
    pub body: &'a CompiledBody,
    pub buffers: &'a Buffers,
}

impl Buffers {
    /// Buffers of states that hold every column.
    pub(super) fn new(old: Vec<*const u8>, new: Vec<Shared>) -> Buffers {
        Buffers { old, new, rings: Vec::new() }
    }
}

/// Which units a pass computes.
#[derive(Clone, Copy)]
pub(super) enum Work<'a> {
    /// All.
    All,
    /// All; those that change are marked.
    Watched(&'a Marks),
    /// Some, with marks of changes or without.
    Listed(&'a [Slot], Option<&'a Marks>),
}

/// The numbers that a run hands to every kernel.
#[derive(Clone, Copy)]
pub(super) struct Globals<'a> {
    pub params: &'a [u64],
    pub time: u32,
    pub seed: u64,
}

/// Tables and numbers that all units of a storage share.
pub(super) struct LaneTables {
    pub shape: Shape,
    pub isa: Option<AvailableIsa>,
    /// The level and the side that kernels are told.
    pub level: i32,
    pub side: i32,
    /// The slots of the units that are computed here.
    pub owned: Range<u32>,
    /// The coordinates of each lane from the unit's corner, by axis, with room to over-read.
    pub corners: [Vec<i32>; 3],
    /// The lanes whose corners are odd along a set of axes, and those whose corners are even, by the set, with room to over-read.
    pub odd: [[Vec<u32>; 2]; 8],
}

impl LaneTables {
    /// All lanes: along no axis is a corner odd.
    pub(super) fn everywhere(&self) -> &[u32] {
        &self.odd[0][1]
    }

    /// No lanes.
    pub(super) fn nowhere(&self) -> &[u32] {
        &self.odd[0][0]
    }
}

/// A storage before any unit is looked at, as those see it who make kernels ready and share out their work.
pub(super) trait Tables: Sync {
    fn lanes(&self) -> &LaneTables;

    /// The order in which kernels go through memory beyond the caches.
    fn order(&self) -> ColumnOrder;

    /// How lanes can move in those of these directions that lead beyond the units beside.
    fn far_directions(&self, directions: &[Direction]) -> Vec<FarDirection> {
        _ = directions;
        Vec::new()
    }

    /// A thread's memory for rows, for this kernel.
    fn row_memory(&self, kernel: &HostKernel) -> RowMemory {
        _ = kernel;
        RowMemory::default()
    }

    /// The number of units that a thread takes at a time, of `count`.
    fn piece(&self, count: usize) -> usize;

    /// Bytes of the marks of units that a kernel changes and of the lists of units, where these may be large beside the states.
    fn bytes_of_marks(&self, kernel: &HostKernel) -> u64 {
        _ = kernel;
        0
    }

    /// Empty marks for the units that a kernel changes.
    fn marks(&self, kernel: &HostKernel) -> Marks;

    /// Where the mark of a unit stands.
    fn mark(&self, unit: Slot) -> usize;

    /// Lists the marked units and the units that look at them, each once.
    fn looking_at(&self, kernel: &HostKernel, marks: &mut Marks, units: &mut Vec<Slot>);

    /// Whether states hold the cells alone, so that [`Units::pack`] stores results.
    fn is_packed(&self) -> bool {
        false
    }
}

/// A storage: its units, and the places of the columns that kernels read.
pub(super) trait Units: Tables {
    /// A unit, with what is asked for more than once.
    type Located: Copy;

    /// The unit that stands there.
    fn unit(&self, kernel: &HostKernel, slot: Slot) -> Self::Located;

    /// The columns of the unit itself.
    ///
    /// # Safety
    /// As of [`HostKernel::run`] for the old buffers; the unit exists.
    unsafe fn own(&self, run: RunningBody<'_>, state: usize, unit: Self::Located, memory: &mut Memory) -> *const u8;

    /// The columns of an entry of the halo, by its number.
    ///
    /// # Safety
    /// As of [`own`](Self::own).
    unsafe fn halo(&self, run: RunningBody<'_>, entry: usize, unit: Self::Located, memory: &mut Memory) -> *const u8;

    /// Whether a unit may see itself in a direction. If not, what it sees there changes with other units alone.
    fn sees_itself(&self, body: &CompiledBody, unit: Self::Located, direction: usize) -> bool {
        _ = (body, unit, direction);
        true
    }

    /// The lanes in which there is a cell in a direction, with room to over-read.
    fn presence(&self, body: &CompiledBody, unit: Self::Located, direction: usize, memory: &mut Memory) -> *const u32;

    /// The unit's corner.
    fn corner(&self, unit: Self::Located) -> [u64; 3];

    /// The numbers by which the lanes of one of the unit's columns draw.
    fn numbers(&self, unit: Self::Located, micro: Micro) -> LaneNumbers;

    /// The number by which a lane of one of the unit's columns draws.
    fn number(&self, unit: Self::Located, micro: Micro, lane: u64) -> u64 {
        self.numbers(unit, micro).of(lane)
    }

    /// The lanes of a column that are cells, unless all are.
    fn cells(&self, unit: Self::Located, micro: Micro) -> Option<&[u32]>;

    /// The random words of the lanes of a unit, where they are made before.
    fn words(&self, unit: Self::Located, draw: u32) -> Option<&[u32]> {
        _ = (unit, draw);
        None
    }

    /// Keeps the cells of a column.
    ///
    /// # Safety
    /// The new values of the unit's cells are this thread's own.
    unsafe fn pack(&self, columns: Columns, unit: Self::Located, column: &[u8], new: Shared) {
        _ = (columns, unit, column, new);
    }
}

/// Columns that a thread prepares for kernels to read.
#[derive(Default)]
pub(super) struct Memory {
    /// The columns that were moved, by entry of the halo.
    pub scratch: Scratch,
    pub rows: RowMemory,
}

/// The most bytes of states, of which there are two, that stay in the caches near a core.
const CACHED_BYTES: usize = 1 << 21;

impl HostKernel {
    /// Compiles a kernel for a storage.
    pub(super) fn new(kernel: &Ready, units: &dyn Tables) -> Result<HostKernel> {
        let LaneTables { shape, isa, .. } = *units.lanes();
        let block = |state: &Variable| Columns::new(state.planes, shape, kernel.micro.cells.len()).block;
        let bytes: usize = kernel.states.iter().map(block).sum();
        let order = match units.order() {
            order
                if bytes * units.lanes().owned.len() > CACHED_BYTES && kernel.off().allows(Speciality::AskingAhead) =>
            {
                order
            }
            _ => ColumnOrder::Cached,
        };
        let codes = kernel.bodies().iter().map(|body| Ok(compile(body, shape, order, isa)?)).collect::<Result<_>>()?;
        Ok(HostKernel::of_codes(kernel, units, codes))
    }

    /// Compiles a kernel for blocks of padded rows.
    pub(super) fn of_padded_rows(
        kernel: &Ready,
        units: &dyn Tables,
        blocks: &Arc<PaddedBlocks>,
        split: Option<SplitRows>,
    ) -> Result<HostKernel> {
        let (shape, isa) = (blocks.shape, units.lanes().isa);
        let pairs = isa.is_some_and(AvailableIsa::shifts_pairs);
        let rows = PaddedRows { masked: blocks.masked, pairs, split };
        let code = |body: &Body| Ok(compile(body, shape, ColumnOrder::Padded(rows), isa)?);
        let codes = kernel.bodies().iter().map(code).collect::<Result<_>>()?;
        let mut made = HostKernel::of_codes(kernel, units, codes);
        // States without buffers are padded as well.
        let passing = made.states.iter_mut().skip(made.buffered);
        passing.for_each(|state| *state = Columns::new(state.planes, shape, 1));
        (made.padded, made.scratch) = (Some(Arc::clone(blocks)), 0);
        Ok(made)
    }

    /// Compiles a kernel that goes along the rows of strips.
    pub(super) fn of_strips(kernel: &Ready, units: &dyn Tables, how: StripLoop) -> Result<HostKernel> {
        let LaneTables { shape, isa, .. } = *units.lanes();
        let code = |body: &Body| Ok(compile(body, shape, ColumnOrder::Strip(how), isa)?);
        let codes = kernel.bodies().iter().map(code).collect::<Result<_>>()?;
        Ok(HostKernel::of_codes(kernel, units, codes))
    }

    /// Compiles a kernel for blocks of padded rows that are split. `None` if it changes nothing anywhere.
    pub(super) fn of_split_rows(
        kernel: &Ready,
        units: &dyn Tables,
        blocks: &Arc<PaddedBlocks>,
        target: &Target,
    ) -> Result<Option<HostKernel>> {
        let half = (blocks.shape.column_bytes(LaneType::Bits) / 2) as i32;
        let asked: Vec<Axes> =
            kernel.bodies().iter().flat_map(|body| body.interface().odd_corners.iter().copied()).collect();
        let (mut made, mut kernels, mut numbers) = (Vec::<(bool, Vec<bool>, _)>::new(), Vec::new(), [None; 8]);
        for (place, number) in numbers.iter_mut().enumerate() {
            let corner = [0, 1, 2].map(|axis| (place >> axis & 1) as u64);
            let (odd, answers) = (corner[0] == 1, asked.iter().map(|axes| axes.is_odd(corner)).collect::<Vec<_>>());
            *number = match made.iter().find(|made| (made.0, &made.1) == (odd, &answers)) {
                Some((.., number)) => *number,
                None => {
                    let there = kernel.at_corners(|axes| axes.is_odd(corner), target);
                    let split = Some(SplitRows { odd, half });
                    let compile = |there| HostKernel::of_padded_rows(&there, units, blocks, split);
                    let number = there.is_some().then_some(kernels.len());
                    kernels.extend(there.map(compile).transpose()?);
                    made.push((odd, answers, number));
                    number
                }
            };
        }
        let mut kernels = kernels.into_iter();
        let first = kernels.next();
        Ok(first.map(|first| HostKernel { split: SplitKernels { others: kernels.collect(), numbers }, ..first }))
    }

    /// A kernel from the code of each body.
    pub(crate) fn of_codes(kernel: &Ready, units: &dyn Tables, codes: Vec<Code>) -> HostKernel {
        let (shape, micro) = (units.lanes().shape, &kernel.micro);
        let states = kernel.bodies().first().map_or(&[][..], |body| body.states.as_slice());
        let states: Vec<Columns> =
            states.iter().map(|state| Columns::new(state.planes, shape, micro.cells.len())).collect();
        let mut longest = 0;
        let body = |(number, (body, code)): (usize, (&Body, Code))| {
            let interface = body.interface().clone();
            let mut end = 0;
            let place = |halo: &Halo| {
                let place = end;
                end += states[halo.state].block.next_multiple_of(64);
                place
            };
            let scratch = interface.halo.iter().map(place).collect();
            longest = longest.max(end);
            let far = units.far_directions(&interface.far);
            let directions = Direction::all(micro.dimension).into_iter().chain(interface.far.iter().copied());
            let directions = directions.map(|direction| direction.0.map(i32::from)).collect();
            let random = body.random().to_vec();
            CompiledBody { code, interface, directions, far, scratch, random, number }
        };
        let bodies: Vec<CompiledBody> = kernel.bodies().iter().zip(codes).enumerate().map(body).collect();
        let largest = states.iter().map(|state| state.block).max().unwrap_or(0);
        let mut random = bodies.iter().flat_map(|body| &body.random);
        HostKernel {
            chances_read_time: random.any(|bits| bits.probabilities.reads_time()),
            looks_far: bodies.iter().any(|body| !body.far.is_empty()),
            draws: bodies.iter().any(|body| !body.interface.random.is_empty() || !body.random.is_empty()),
            bodies,
            states,
            buffered: kernel.states.len(),
            dimension: micro.dimension,
            shape,
            off: kernel.off(),
            padded: None,
            split: SplitKernels::default(),
            scratch: longest,
            zeros: Scratch::new(largest),
            idle: (0..IDLE_LISTS).map(|_| IdleWorkspaces::default()).collect(),
        }
    }

    /// The body that stores the results.
    fn last(&self) -> &CompiledBody {
        &self.bodies[self.bodies.len() - 1]
    }

    /// The states that it stores.
    pub(super) fn writes(&self) -> &[usize] {
        &self.last().interface.writes
    }

    /// The name of the engine that compiled it.
    pub(super) fn engine(&self) -> &'static str {
        self.last().code.engine()
    }

    /// Whether values in lanes that are no cells can influence cells.
    pub(crate) fn sees_holes(&self) -> bool {
        let is_number = |state: usize| matches!(self.states[state].planes, Planes::Number(_));
        let sees = |halo: &Halo| !(halo.guarded && is_number(halo.state));
        self.bodies.iter().any(|body| body.interface.halo.iter().any(sees))
    }

    /// The kernel and, if rows are split, those of the other places.
    pub(super) fn of_all_places(&self) -> impl Iterator<Item = &HostKernel> {
        std::iter::once(self).chain(&self.split.others)
    }

    /// The states that it looks at beside a unit, and in which direction.
    pub(super) fn looks(&self) -> impl Iterator<Item = (usize, [i32; 3])> + '_ {
        let of_body = |body: &'_ CompiledBody| {
            let looks = body.interface.halo.iter().map(|halo| (halo.state, body.directions[halo.direction]));
            looks.collect::<Vec<_>>()
        };
        self.of_all_places().flat_map(|kernel| &kernel.bodies).flat_map(of_body)
    }

    /// The most of something that a body has.
    pub(super) fn most(&self, count: impl Fn(&CompiledBody) -> usize) -> usize {
        self.bodies.iter().map(count).max().unwrap_or(0)
    }

    /// A workspace that a worker of this thread left, or a new one.
    pub(super) fn workspace(&self, units: &dyn Tables) -> Workspace {
        let idle = self.idle[idle_list()].0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let idle = idle.filter(|_| self.off.allows(Speciality::IdleWorkspaces));
        idle.unwrap_or_else(|| Workspace::new(self, units))
    }

    /// Leaves memory to the next worker of this thread.
    pub(super) fn leave(&self, workspace: Workspace) {
        self.idle[idle_list()].0.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
    }
}

/// The memory of a worker, which it leaves to the next one of its kernel.
#[derive(Default)]
pub(super) struct Workspace {
    /// The tables that calls point to; their addresses stay while the worker moves.
    pub reads: Box<[*const u8]>,
    pub writes: Box<[*mut u8]>,
    pub presence: Box<[*const u32]>,
    pub lane_corners: Box<[*const i32]>,
    pub odd_corners: Box<[*const u32]>,
    pub memory: Memory,
    /// The old content of the output column, to see whether it changes (watched passes).
    pub before: Vec<u8>,
    /// A unit of each state without buffers.
    pub passing: Vec<Scratch>,
    /// One unit of each state that is stored, if that is not to go to buffers.
    pub terms: Vec<Scratch>,
    /// The thresholds of members that are computed in turn, and the place of those that are compared now.
    pub thresholds: Vec<MadeThresholds>,
    pub member: usize,
    pub staging: Staging,
    pub columns: Vec<Column>,
    /// Columns of random words, with room to over-read.
    pub random: Box<[u32]>,
}

/// The most members of which thresholds are kept.
const MOST_MEMBERS: usize = 32;

/// For each body, and all that is decided after it, the thresholds, and the parameters and the time that they are made of.
pub(super) struct MadeThresholds {
    params: Box<[u64]>,
    time: u32,
    pub of_bodies: Vec<Vec<Thresholds>>,
}

// SAFETY: its pointers are to memory of its own, and to what a worker says anew before it uses them.
unsafe impl Send for Workspace {}

impl Workspace {
    fn new(kernel: &HostKernel, units: &dyn Tables) -> Workspace {
        let (dimension, states) = (kernel.dimension, kernel.states.len());
        let mut reads = vec![ptr::null(); kernel.most(|body| body.interface.blocks(dimension, states))];
        let mut writes = vec![ptr::null_mut(); states].into_boxed_slice();
        let mut passing: Vec<Scratch> =
            kernel.states[kernel.buffered..].iter().map(|state| Scratch::new(state.block)).collect();
        for (state, memory) in (kernel.buffered..).zip(&mut passing) {
            reads[block_index(dimension, state, None)] = memory.as_ptr();
            writes[state] = memory.as_mut_ptr();
        }
        let words = kernel.most(|body| body.interface.random.len()) * kernel.shape.stride;
        Workspace {
            reads: reads.into_boxed_slice(),
            writes,
            presence: vec![ptr::null(); kernel.most(|body| body.directions.len()) + 1].into_boxed_slice(),
            lane_corners: vec![ptr::null(); 3].into_boxed_slice(),
            odd_corners: vec![ptr::null(); 8].into_boxed_slice(),
            memory: Memory { scratch: Scratch::new(kernel.scratch), rows: units.row_memory(kernel) },
            passing,
            random: vec![0; if words == 0 { 0 } else { words + OVERREAD / 4 }].into_boxed_slice(),
            ..Workspace::default()
        }
    }

    /// Makes the thresholds, unless there are some of the same numbers.
    pub(crate) fn decide_with(&mut self, kernel: &HostKernel, inputs: GlobalInputs<'_>) {
        if kernel.bodies.iter().all(|body| body.random.is_empty()) {
            return;
        }
        let is_known = |made: &MadeThresholds| {
            *made.params == *inputs.params && (made.time == inputs.time || !kernel.chances_read_time)
        };
        if let Some(known) = self.thresholds.iter().position(is_known) {
            self.member = known;
            return;
        }
        let thresholds = |body: &CompiledBody| {
            let of = |bits: &RandomBits| Thresholds::new(&bits.probabilities.values(inputs), bits.each);
            body.random.iter().map(of).collect()
        };
        let of_bodies = kernel.bodies.iter().map(thresholds).collect();
        let made = MadeThresholds { params: inputs.params.into(), time: inputs.time, of_bodies };
        let most = if kernel.chances_read_time { 1 } else { MOST_MEMBERS };
        if self.thresholds.len() < most {
            self.member = self.thresholds.len();
            self.thresholds.push(made);
        } else {
            self.member = (self.member + 1) % most;
            self.thresholds[self.member] = made;
        }
    }
}
