//! The CUDA backend: replica lanes on an NVIDIA GPU, compiled when a run begins.
//!
//! The rule is lowered for a layout that suits GPUs, printed as CUDA C, compiled by NVRTC and run by the driver. The
//! libraries of both are loaded when they are needed; a machine without them is told so ([`CudaError`]). States live on the
//! device; when they are measured they are copied to a [`Cpu`] of the same layout, which has all that is needed.

mod driver;
mod error;
mod library;
mod nvrtc;

pub use error::CudaError;
pub use library::LoadError;
pub use nvrtc::{Architecture, Nvrtc, Output};

use crate::cpu::{self, Cpu};
use crate::error::{Error, Result};
use crate::picture::Sample;
use crate::simulation::{Backend, Engine};
use driver::{Address, Device, Function, Memory, Module};
use squeeze_compiler::back::cuda::{Argument, Entry, Program, THREADS, Tables, emit};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::kernel::Kernel;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::lanes::layout::Layout;
use squeeze_compiler::lanes::passes::optimise;
use squeeze_compiler::lanes::plan::{Candidate, Machine};
use squeeze_compiler::numerics::fold::ObservedValue;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of the device that are left to others, and to the kernels' own needs.
const RESERVE: u64 = 256 << 20;

/// `World` of the skeleton: what a pass needs besides the states.
#[derive(Clone, Copy)]
#[repr(C)]
struct World {
    neighbours: Address,
    edges: Address,
    sources: Address,
    presence: Address,
    first_terms: Address,
    terms: Address,
    params: Address,
    lane_corners: Address,
    superblock_corners: Address,
    lane_cells: u64,
    seed: u64,
    superblocks: u32,
    time: u32,
    level: i32,
    side: i32,
}

/// A simulation on a GPU.
pub struct Cuda {
    rule: Arc<Rule>,
    layout: Layout,
    device: Arc<Device>,
    nvrtc: Nvrtc,
    architecture: Architecture,
    fields: Vec<Field>,
    world: World,
    /// What the world points to.
    _tables: Vec<Memory>,
    /// The parameters, once they were changed.
    changed_params: Option<Memory>,
    time: u32,
    /// The most time steps that one pass carries.
    most_steps: u32,
    /// The kernels that together compute so many time steps.
    passes: BTreeMap<u32, Vec<Pass>>,
    mirror: Mutex<Mirror>,
}

/// A state's memory on the device.
struct Field {
    now: Memory,
    /// What the next pass writes; none for states that no step changes.
    next: Option<Memory>,
}

/// A copy of the states where the CPU can read them.
struct Mirror {
    cpu: Cpu,
    /// The time of the states that it holds, if it holds any.
    time: Option<u32>,
    /// For each state whether it was written here and is yet to be copied to the device.
    written: Vec<bool>,
}

/// A compiled kernel.
struct Pass {
    entry: Entry,
    function: Function,
    module: Arc<Module>,
}

impl Cuda {
    /// Checks that the states fit, compiles the kernels, and computes the initial state.
    ///
    /// # Errors
    /// [`Error::Cuda`] without a driver, a device or NVRTC, and if one of them fails; [`Error::Memory`];
    /// [`Error::NoKernel`].
    pub fn new(
        domain: &Domain,
        rule: &Arc<Rule>,
        seed: u64,
        params: &[Value],
        limit: u64,
        threads: Option<usize>,
    ) -> Result<Cuda> {
        let device = Device::first()?;
        let cpu::Plan { candidate, init, step } = plan(domain, rule)?;
        check_memory(&device, domain, rule, &candidate.layout, limit)?;
        let nvrtc = Nvrtc::find()?;
        let (layout, most_steps) = (candidate.layout.clone(), candidate.steps);
        let mirror = Cpu::mirror(rule, seed, params, threads, candidate)?;
        let mut tables = Vec::new();
        let world = world(&device, rule, &layout, &mirror, seed, params, &mut tables)?;
        let mut fields = Vec::new();
        for (bytes, changes) in mirror.sizes() {
            let next = if changes { Some(Memory::zeroed(&device, bytes)?) } else { None };
            fields.push(Field { now: Memory::zeroed(&device, bytes)?, next });
        }
        let mut cuda = Cuda {
            rule: Arc::clone(rule),
            architecture: device.architecture()?,
            layout,
            device,
            nvrtc,
            fields,
            world,
            _tables: tables,
            changed_params: None,
            time: 0,
            most_steps,
            passes: BTreeMap::new(),
            mirror: Mutex::new(Mirror { cpu: mirror, time: None, written: vec![false; rule.states.len()] }),
        };
        // One compilation for the initial values and the steps.
        let kernels = std::iter::once(init).chain(step).map(optimise).collect();
        let mut passes = cuda.compile(kernels)?;
        let init = passes.remove(0);
        cuda.passes.insert(most_steps, passes);
        // Nothing is loaded, so the present buffers can be written themselves.
        cuda.launch(&init, 0, |field| field.now.address())?;
        cuda.device.synchronize()?;
        Ok(cuda)
    }

    fn compile(&self, kernels: Vec<Kernel>) -> Result<Vec<Pass>> {
        let program = emit(&self.layout, &kernels, &[format!("{} at run time", self.rule.name)]);
        let module = Arc::new(self.load(&program)?);
        let pass =
            |entry: Entry| Ok(Pass { function: module.function(&entry.name)?, module: Arc::clone(&module), entry });
        program.entries.into_iter().map(pass).collect()
    }

    /// Compiles for the device itself, or to PTX if NVRTC does not know the device yet.
    fn load(&self, program: &Program) -> std::result::Result<Module, CudaError> {
        let image = self.nvrtc.compile(&program.text, self.architecture, Output::Cubin).or_else(|error| {
            let older = Architecture(75).min(self.architecture);
            let mut text = self.nvrtc.compile(&program.text, older, Output::Ptx).map_err(|_| error)?;
            text.push(0);
            Ok::<_, CudaError>(text)
        })?;
        Module::new(&self.device, &image)
    }

    /// Makes sure that there are kernels for so many steps at once.
    fn prepare(&mut self, steps: u32) -> Result<()> {
        if !self.passes.contains_key(&steps) {
            let kernels = cpu::kernels(&self.rule, &self.layout, steps)?;
            let passes = self.compile(kernels.into_iter().map(optimise).collect())?;
            self.passes.insert(steps, passes);
        }
        Ok(())
    }

    /// Starts a kernel; `new` says where a state's results go.
    fn launch(&self, pass: &Pass, time: u32, new: impl Fn(&Field) -> Address) -> Result<()> {
        let world = World { time, ..self.world };
        let threads = u64::from(world.superblocks) * u64::from(pass.entry.threads);
        let blocks = threads.div_ceil(u64::from(THREADS));
        let blocks =
            i32::try_from(blocks).map_err(|_| Error::System(format!("{blocks} blocks are more than a GPU runs")))?;
        let mut addresses: Vec<Address> = (pass.entry.arguments.iter())
            .map(|argument| match argument {
                Argument::Old(state) => self.fields[usize::from(*state)].now.address(),
                Argument::New(state) => new(&self.fields[usize::from(*state)]),
            })
            .collect();
        let mut arguments: Vec<*mut c_void> = addresses.iter_mut().map(|address| (&raw mut *address).cast()).collect();
        arguments.push((&raw const world).cast_mut().cast());
        // SAFETY: the arguments are those of the entry; buffers and tables have the sizes of the layout that the kernel was
        // printed for, and live as long as `self`, which waits for the device before it is dropped.
        unsafe { pass.module.launch(pass.function, blocks as u32, THREADS, &mut arguments)? };
        Ok(())
    }

    /// Starts the kernels prepared for `steps` time steps.
    fn advance(&mut self, steps: u32) -> Result<()> {
        for index in 0..self.passes[&steps].len() {
            let pass = &self.passes[&steps][index];
            self.launch(pass, self.time + 1, |field| field.next.as_ref().map_or(0, Memory::address))?;
            for state in pass.entry.writes.clone() {
                let field = &mut self.fields[usize::from(state)];
                if let Some(next) = &mut field.next {
                    std::mem::swap(&mut field.now, next);
                }
            }
        }
        self.time += steps;
        Ok(())
    }

    /// The copy of the states, as they are now.
    fn mirror(&self) -> Result<MutexGuard<'_, Mirror>> {
        let mut mirror = self.mirror.lock().unwrap_or_else(PoisonError::into_inner);
        if mirror.time != Some(self.time) {
            mirror.time = None;
            for (index, field) in self.fields.iter().enumerate() {
                field.now.download(mirror.cpu.buffer(index))?;
            }
            mirror.cpu.set_time(self.time);
            mirror.time = Some(self.time);
        }
        Ok(mirror)
    }

    /// Copies what was written to the mirror to the device.
    fn settle_writes(&mut self) -> Result<()> {
        let mirror = self.mirror.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (index, written) in mirror.written.iter_mut().enumerate().filter(|(_, written)| **written) {
            self.fields[index].now.upload(mirror.cpu.buffer(index))?;
            *written = false;
        }
        Ok(())
    }

    /// The copy of the states for those who cannot be told of errors.
    fn settled(&self) -> MutexGuard<'_, Mirror> {
        self.mirror().expect("after `synchronise` the states are on the host")
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // Nothing may be freed that a kernel still uses. A device that is lost uses nothing.
        _ = self.device.synchronize();
    }
}

impl Engine for Cuda {
    fn step(&mut self, steps: u32) -> Result<()> {
        self.settle_writes()?;
        let (whole, rest) = (steps / self.most_steps, steps % self.most_steps);
        if whole > 0 {
            self.prepare(self.most_steps)?;
        }
        if rest > 0 {
            self.prepare(rest)?;
        }
        for _ in 0..whole {
            self.advance(self.most_steps)?;
        }
        if rest > 0 {
            self.advance(rest)?;
        }
        Ok(self.device.synchronize()?)
    }

    fn synchronise(&self) -> Result<()> {
        self.mirror().map(|_| ())
    }

    fn time(&self) -> u32 {
        self.time
    }

    fn digest(&self, state: StateId) -> u64 {
        self.settled().cpu.digest(state)
    }

    fn observe(&self) -> Result<Vec<ObservedValue>> {
        self.mirror()?.cpu.observe()
    }

    fn value(&self, state: StateId, c: u64) -> Value {
        self.settled().cpu.value(state, c)
    }

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Vec<[f64; 3]> {
        self.settled().cpu.block_sums(state, mu, sample)
    }

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) {
        self.settled().cpu.read(state, cells, bytes);
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        let mut mirror = self.mirror()?;
        mirror.written[usize::from(state.0)] = true;
        mirror.cpu.write(state, cells, bytes)
    }

    fn set_time(&mut self, time: u32) {
        let mirror = self.mirror.get_mut().unwrap_or_else(PoisonError::into_inner);
        if mirror.time.is_some_and(|of| of == self.time) {
            mirror.time = Some(time);
            mirror.cpu.set_time(time);
        } else {
            mirror.time = None;
        }
        self.time = time;
    }

    fn set_params(&mut self, params: &[Value]) -> Result<()> {
        let bits: Vec<u64> = params.iter().map(|param| param.bits()).collect();
        let memory = Memory::of(&self.device, &bits)?;
        // No kernel runs between steps, so that the old list can go.
        self.world.params = memory.address();
        self.changed_params = Some(memory);
        self.mirror.get_mut().unwrap_or_else(PoisonError::into_inner).cpu.set_params(params)
    }

    fn state_bytes(&self) -> u64 {
        let bytes = |field: &Field| field.now.len() + field.next.as_ref().map_or(0, Memory::len);
        self.fields.iter().map(|field| bytes(field) as u64).sum()
    }

    fn strategy(&self) -> &'static str {
        "lanes"
    }

    fn device(&self) -> String {
        self.device.name()
    }
}

/// What the backend would run for a rule on a fractal at a level, on any GPU.
///
/// # Errors
/// [`Error::NoKernel`].
pub fn plan(domain: &Domain, rule: &Rule) -> Result<cpu::Plan> {
    cpu::plan_for(domain, rule, &Machine::gpu())
}

/// The CUDA C of a plan: the kernels of the initial values and of the steps.
pub fn program(domain: &Domain, rule: &Rule, plan: cpu::Plan) -> Program {
    let Candidate { layout, .. } = &plan.candidate;
    let mut head = vec![
        format!(
            "{} on {} at level {}, by Squeeze {}",
            rule.name,
            domain.fractal().name,
            domain.level(),
            env!("CARGO_PKG_VERSION")
        ),
        String::new(),
    ];
    head.extend(plan.candidate.to_string().lines().map(str::to_owned));
    head.push(String::new());
    head.push(format!("nvcc {} --std=c++17", squeeze_compiler::back::cuda::FLAGS.join(" ")));
    let kernels: Vec<Kernel> = std::iter::once(plan.init).chain(plan.step).map(optimise).collect();
    emit(layout, &kernels, &head)
}

/// Fills `tables` and points a world to them.
fn world(
    device: &Arc<Device>,
    rule: &Rule,
    layout: &Layout,
    mirror: &Cpu,
    seed: u64,
    params: &[Value],
    tables: &mut Vec<Memory>,
) -> Result<World> {
    let mut keep = |memory: std::result::Result<Memory, CudaError>| -> Result<Address> {
        tables.push(memory?);
        Ok(tables[tables.len() - 1].address())
    };
    let Tables { sources, presence, first_terms, terms, lane_corners } = Tables::new(layout);
    let corners: Vec<i32> = if rule.names_coordinates {
        (0..layout.superblocks())
            .flat_map(|superblock| layout.superblock_corner(superblock).map(|v| v as i32))
            .collect()
    } else {
        Vec::new()
    };
    let params: Vec<u64> = params.iter().map(|param| param.bits()).collect();
    let (neighbours, edges) = mirror.neighbours();
    Ok(World {
        neighbours: keep(Memory::of(device, neighbours))?,
        edges: keep(Memory::of(device, edges))?,
        sources: keep(Memory::of(device, &sources))?,
        presence: keep(Memory::of(device, &presence))?,
        first_terms: keep(Memory::of(device, &first_terms))?,
        terms: keep(Memory::of(device, &terms))?,
        params: keep(Memory::of(device, &params))?,
        lane_corners: keep(Memory::of(device, &lane_corners))?,
        superblock_corners: keep(Memory::of(device, &corners))?,
        lane_cells: layout.canonical(1, 0, 0),
        seed,
        superblocks: layout.superblocks(),
        time: 0,
        level: layout.level() as i32,
        side: i32::try_from(layout.side()).unwrap_or(0),
    })
}

/// Bytes that a layout takes on the device.
fn bytes_needed(layout: &Layout, rule: &Rule) -> u64 {
    let corners = if rule.names_coordinates { 12 * u64::from(layout.superblocks()) } else { 0 };
    cpu::bytes_needed(layout, rule).saturating_add(corners)
}

/// The states must fit on the device, and once, to be measured, in `limit` bytes of the host.
fn check_memory(device: &Device, domain: &Domain, rule: &Rule, layout: &Layout, limit: u64) -> Result<()> {
    let (needed, available) = (bytes_needed(layout, rule), device.free_memory()?.saturating_sub(RESERVE));
    let on_host = needed / 2;
    if needed <= available && on_host <= limit {
        return Ok(());
    }
    let fits = |level: &u32| {
        let domain = Domain::new(Arc::clone(domain.fractal()), *level);
        let plan = domain.ok().and_then(|domain| plan(&domain, rule).ok());
        plan.is_some_and(|plan| {
            let needed = bytes_needed(&plan.candidate.layout, rule);
            needed <= available && needed / 2 <= limit
        })
    };
    Err(Error::Memory {
        fractal: domain.fractal().name.clone(),
        level: domain.level(),
        backend: Backend::Cuda.name(),
        needed: needed as f64,
        available: available.min(limit.saturating_mul(2)),
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
