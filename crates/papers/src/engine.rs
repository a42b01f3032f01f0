//! The strategies of the papers, `squeeze`, `lambda` and `bounding-box`, on an NVIDIA GPU.
//!
//! Values leave and enter the device in canonical order, a chunk at a time, by kernels of the program itself. To be digested and
//! observed they are copied to the host, as replica lanes.

use crate::abi::GridWorld;
use crate::emit::{BlockGrid, GridError, Strategy, StrategyKernel, StrategyText, emit, reader, writer};
use squeeze_compiler::emit::cuda::header::{self, Declared, StateBuffer, c_type};
use squeeze_compiler::emit::cuda::{FLAGS, Head};
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{Rule, State, StateId, Type};
use squeeze_compiler::kernel::LaneType;
use squeeze_compiler::plan::Plan;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::{Program, Target};
use squeeze_engine::cuda::CudaError;
use squeeze_engine::cuda::kit::{
    Address, Blocks, Device, Field, Function, KernelCache, Label, Memory, Mirror, Module, Nvrtc, Prepared, States,
    Transfers, as_name, blame, buffers, check_count, check_host, check_inputs, install, load, on_device, prefix_of,
    prefix_on, room_on, space, text_to_compile,
};
use squeeze_engine::failure::{Error, Message};
use squeeze_engine::packed::{self, StateValues};
use squeeze_engine::params::Params;
use squeeze_engine::pass::{KernelEngine, Pass};
use squeeze_engine::reduce::{Question, Take, reduce};
use squeeze_engine::simulation::SimulationError;
use squeeze_engine::{About, Engine, EngineError, EngineOptions, MemberInputs, Result};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The most values that are copied at once; a multiple of 8.
const CHUNK: u64 = 1 << 24;

/// Threads of a block of the kernels that copy values.
const COPY_THREADS: u32 = 256;

/// A simulation by a strategy of the papers.
struct OnGrid {
    grid: BlockGrid,
    rule: FittedRule,
    inputs: MemberInputs,
    mirror: Mirror,
    /// The plan by which states are reduced on the host, and the reducer, once they were needed.
    host: OnceLock<(Plan, Prepared)>,
    device: Arc<Device>,
    /// The prefix of its kernels' names.
    name: String,
    module: Module,
    blocks: Blocks,
    /// The kernel of the initial states.
    init: (Function, StrategyKernel),
    /// One time step.
    pass: Arc<Pass<(Function, StrategyKernel)>>,
    fields: Vec<Field>,
    world: GridWorld,
    /// The parameters' bits, to which the tables point.
    params_there: Memory,
    time: u32,
}

/// Checks that the states fit, compiles the kernels, and computes the initial state.
///
/// # Errors
/// [`EngineError::Inputs`]; [`GridError`] if the rule has no kernel here; if there is no GPU; [`EngineError::Cuda`] if driver or NVRTC fails; [`EngineError::Memory`].
pub(crate) fn on_grid(
    grid: BlockGrid,
    rule: &FittedRule,
    inputs: &MemberInputs,
    options: &EngineOptions,
) -> Result<Box<dyn Engine>, SimulationError> {
    check_inputs(rule, 1, [&inputs.params])?;
    // The user's mistakes come before the machine's.
    let program = printed(&grid, rule, prefix_of(options.code(), &rule.name)).map_err(Error::from)?;
    let threads = u64::from(program.threads);
    let blocks = Blocks::of_threads(program.groups.saturating_mul(threads), program.threads)?;
    let device = Device::first().map_err(|error| match error {
        error @ CudaError::NoDriver(_) => {
            let what = format!("the strategy `{}` runs on GPUs only: {error}", grid.strategy.name());
            let driver = "install NVIDIA's driver, and look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES";
            let lanes = "`--strategy lanes` runs on the CPU as well";
            Error::from(Message::systems(what).with_help(driver).with_help(lanes)).into()
        }
        error => SimulationError::from(EngineError::from(error)),
    })?;
    Ok(Box::new(OnGrid::new(grid, rule, inputs, options, (program, blocks, device))?))
}

impl OnGrid {
    fn new(
        grid: BlockGrid,
        rule: &FittedRule,
        inputs: &MemberInputs,
        options: &EngineOptions,
        (program, blocks, device): (StrategyText, Blocks, Arc<Device>),
    ) -> Result<OnGrid> {
        check_memory(&device, &grid, rule, options.limit)?;
        let (nvrtc, cache) = (Nvrtc::find()?, KernelCache::usual());
        let code = options.code();
        let text = text_to_compile(code, &program.text, || Label::new(rule, described(&grid), &program.text))?;
        let module = load(&device, &nvrtc, &cache, text).map_err(|error| blame(code, error))?;
        let mut fields = Vec::new();
        for (index, state) in rule.states_and_fields().enumerate() {
            let bytes = grid.places() as u64 * state.ty.bytes();
            let next = rule.changes(index).then(|| Memory::zeroed(&device, bytes)).transpose()?;
            fields.push(Field { now: Memory::zeroed(&device, bytes)?, older: next });
        }
        let bits: Vec<u64> = inputs.params.iter().map(|param| param.bits()).collect();
        let held = Memory::of(&device, &bits)?;
        let mut kernels = Vec::new();
        for kernel in program.kernels {
            let function = module.function(&kernel.name).map_err(|error| blame(code, error))?;
            if let Some(code) = code {
                code.check_arguments(&kernel.name, &function, (kernel.arguments.len(), size_of::<GridWorld>()))?;
            }
            kernels.push((function, kernel));
        }
        let init = kernels.remove(0);
        let simulation = OnGrid {
            init,
            rule: rule.clone(),
            inputs: inputs.clone(),
            mirror: Mirror::new(options.threads),
            host: OnceLock::new(),
            blocks,
            pass: Arc::new(Pass::new(rule, 1, kernels)),
            fields,
            world: GridWorld { params: held.address(), seed: inputs.seed, time: 0 },
            params_there: held,
            time: 0,
            grid,
            name: program.name,
            module,
            device,
        };
        simulation.initialise()?;
        Ok(simulation)
    }

    /// Computes the initial states into memory that is 0.
    fn initialise(&self) -> Result<()> {
        // Nothing is read, so the present buffers can be written themselves.
        let (function, kernel) = &self.init;
        self.launch(kernel, function, 0, |field| field.now.address())?;
        self.device.synchronize()?;
        let Some(StateId(index)) = self.rule.index else { return Ok(()) };
        self.by_chunks(index.into(), |cells, values| {
            values.upload(0, &cells.clone().collect::<Vec<u64>>())?;
            let (name, now) = (writer(&self.name, 8), self.fields[usize::from(index)].now.address());
            self.transfer(&name, now, values, cells.start, cells.end - cells.start)
        })
    }

    /// Starts a kernel that computes `time`; `new` says where a state's results go.
    fn launch(
        &self,
        kernel: &StrategyKernel,
        function: &Function,
        time: u32,
        new: impl Fn(&Field) -> Address,
    ) -> Result<()> {
        let world = GridWorld { time, ..self.world };
        let addresses = buffers(&kernel.arguments, &self.fields, |state| new(&self.fields[state]));
        // SAFETY: the arguments are those of the kernel; buffers have as many places as the grid that it was printed for, and
        // live as long as `self`, which waits for the device before it is dropped.
        unsafe { function.launch(self.blocks, (addresses, world))? };
        Ok(())
    }

    /// Copies between a state and `values`, which hold one value after the other, for cells from `first` on.
    fn transfer(&self, name: &str, state: Address, values: &Memory, first: u64, count: u64) -> Result<()> {
        let function = self.module.function(name)?;
        let blocks = Blocks::of_threads(count, COPY_THREADS)?;
        // SAFETY: the kernel takes these arguments and handles `count` cells that the caller has found in the fractal; the
        // values have room for all of them.
        unsafe { function.launch(blocks, (state, values.address(), first, count))? };
        Ok(self.device.synchronize()?)
    }

    /// The type of a state's values.
    fn ty(&self, state: usize) -> Type {
        self.rule.states_and_fields().nth(state).expect("a field is of a state").ty
    }

    /// Does some work with the cells of a state, a chunk at a time, and with memory of the device for their values, one after the other.
    fn by_chunks(&self, state: usize, mut work: impl FnMut(Range<u64>, &Memory) -> Result<()>) -> Result<()> {
        let cells = self.grid.domain().cells();
        let values = Memory::zeroed(&self.device, CHUNK.min(cells) * self.ty(state).bytes())?;
        let mut chunks = (0..cells).step_by(CHUNK as usize).map(|first| first..cells.min(first + CHUNK));
        chunks.try_for_each(|chunk| work(chunk, &values))
    }
}

impl Drop for OnGrid {
    fn drop(&mut self) {
        // Nothing may be freed that a kernel still uses. A device that is lost uses nothing.
        _ = self.device.synchronize();
    }
}

impl OnGrid {
    fn host(&self) -> Result<&(Plan, Prepared)> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let pool = self.mirror.pool()?;
        let program = Program::of(&self.rule, &Target::cpu(pool.current_num_threads()))?;
        let reducer = install(pool, || Prepared::of_others(&program));
        Ok(self.host.get_or_init(|| (program.plan, reducer)))
    }
}

impl Transfers for OnGrid {
    fn host_states(&self) -> Result<States> {
        let (plan, _) = self.host()?;
        check_host(self.grid.domain(), plan.storage.bytes_of(plan.states()))?;
        States::new(&plan.storage, &self.rule, plan.states(), false)
    }

    fn fetch(&self, _: usize, state: StateId, to: &mut States) -> Result<()> {
        let index = usize::from(state.0);
        let (now, ty) = (self.fields[index].now.address(), self.ty(index));
        self.by_chunks(index, |cells, values| {
            let count = cells.end - cells.start;
            self.transfer(&reader(&self.name, ty.bytes()), now, values, cells.start, count)?;
            let mut bytes = vec![0; (count * ty.bytes()) as usize];
            values.download(0, &mut bytes)?;
            if ty == Type::Bit {
                let of_eight = |eight: &[u8]| (0..eight.len()).fold(0, |byte, i| byte | (eight[i] & 1) << i);
                bytes = bytes.chunks(8).map(of_eight).collect();
            }
            to.write(state, cells, &bytes);
            Ok(())
        })
    }

    fn send(&self, _: usize, state: StateId, from: &States) -> Result<()> {
        let index = usize::from(state.0);
        let (now, ty) = (self.fields[index].now.address(), self.ty(index));
        self.by_chunks(index, |cells, values| {
            let (first, count) = (cells.start, cells.end - cells.start);
            let mut bytes = vec![0; packed::bytes(ty, count) as usize];
            from.read(state, cells, &mut bytes);
            if ty == Type::Bit {
                bytes = (0..count).map(|i| packed::bits(ty, &bytes, i) as u8).collect();
            }
            values.upload(0, &bytes)?;
            self.transfer(&writer(&self.name, ty.bytes()), now, values, first, count)
        })
    }
}

impl KernelEngine<(Function, StrategyKernel)> for OnGrid {
    fn inputs(&self) -> &[MemberInputs] {
        std::slice::from_ref(&self.inputs)
    }

    fn run_step(&mut self, pass: &Pass<(Function, StrategyKernel)>, step: usize) -> Result<()> {
        let (function, kernel) = &pass.kernels[step];
        self.launch(kernel, function, self.time + 1, Field::next)?;
        kernel.writes.iter().for_each(|state| self.fields[usize::from(*state)].exchange());
        // The host may have looked at the states before, for globals.
        self.mirror.pass();
        Ok(())
    }
}

impl Engine for OnGrid {
    fn about(&self) -> About {
        let bytes = |field: &Field| field.now.len() * if field.older.is_some() { 2 } else { 1 };
        let state_bytes = self.fields.iter().map(|field| bytes(field) as u64).sum();
        About {
            members: 1,
            strategy: self.grid.strategy.name(),
            execution: None,
            steps_of_pass: 1,
            steps_of_whole: 1,
            state_bytes,
            memory_bytes: state_bytes,
            reduces_ahead: false,
        }
    }

    fn device(&self) -> String {
        self.device.name()
    }

    fn time(&self) -> u32 {
        self.time
    }

    fn set_time(&mut self, time: u32) {
        self.time = time;
    }

    fn set_params(&mut self, params: &[Params]) -> Result<()> {
        check_inputs(&self.rule, 1, params)?;
        // Running kernels still read the old values.
        self.device.synchronize()?;
        let bytes: Vec<u8> = params[0].iter().flat_map(|param| param.bits().to_ne_bytes()).collect();
        self.params_there.upload(0, &bytes)?;
        self.inputs.params = params[0].clone();
        Ok(())
    }

    fn run(&mut self, steps: u32) -> Result<()> {
        self.mirror.settle(self)?;
        self.mirror.pass();
        let pass = Arc::clone(&self.pass);
        (0..steps).try_for_each(|_| pass.run(self))?;
        Ok(self.device.synchronize()?)
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        if which.is_empty() {
            return Ok(vec![Vec::new()]);
        }
        let ((_, reducer), inputs) = (self.host()?, (&self.inputs, self.time));
        let threads = self.mirror.pool()?.current_num_threads();
        let ask = |question: &Question<'_>, take: Take<'_>| {
            // SAFETY: the states are made by the plan of the reducer, and the inputs were counted.
            let hand = |states: &States| unsafe { reducer.partials(states, inputs, question, threads, take) };
            self.mirror.look(self, 0, self.rule.read_by(which), hand)?
        };
        Ok(vec![reduce(&self.rule, reducer.cells(), which, &ask)?])
    }

    fn digest(&self, _: usize, state: StateId) -> Result<u64> {
        self.mirror.look(self, 0, [state], |states| states.digest(state))
    }

    fn read(&self, _: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        self.mirror.look(self, 0, [state], |states| states.read(state, cells, bytes))
    }

    fn write(&mut self, _: usize, values: &StateValues<'_>) -> Result<()> {
        self.mirror.write(self, 0, values)
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool> {
        check_count("members", 1, members.len())?;
        self.mirror.pass();
        self.set_params(&[members[0].params.clone()])?;
        (self.inputs.seed, self.world.seed, self.time) = (members[0].seed, members[0].seed, 0);
        self.fields.iter_mut().try_for_each(|field| field.now.clear())?;
        self.initialise()?;
        Ok(true)
    }
}

/// Bytes of all buffers, and of what values are copied through.
fn bytes_needed(grid: &BlockGrid, rule: &Rule) -> u128 {
    let of_state = |(index, state): (usize, &State)| {
        let buffers = if rule.changes(index) { 2 } else { 1 };
        u128::from(state.ty.bytes()) * buffers * grid.places()
    };
    let states: u128 = rule.states_and_fields().enumerate().map(of_state).sum();
    let largest = rule.states_and_fields().map(|state| state.ty.bytes()).max().unwrap_or(1);
    states + u128::from(CHUNK.min(grid.domain().cells()) * largest)
}

/// The states must fit on the device, and in `limit`.
fn check_memory(device: &Device, grid: &BlockGrid, rule: &Rule, limit: Option<u64>) -> Result<()> {
    let available = room_on(device, limit)?;
    let domain = grid.domain();
    let fits = |level: &u32| {
        let lower = Domain::new(Arc::clone(domain.fractal()), *level).ok();
        let map = (grid.strategy != Strategy::BoundingBox).then_some(grid.map);
        let lower = lower.and_then(|lower| BlockGrid::new(&lower, grid.strategy, map, Some(grid.rho())).ok());
        lower.is_some_and(|lower| bytes_needed(&lower, rule) <= u128::from(available))
    };
    let largest = || (0..domain.level()).rev().find(fits);
    let checked = EngineError::check_memory(domain, "cuda", bytes_needed(grid, rule), available, largest);
    checked.map_err(|error| on_device(device, error))
}

/// The CUDA C of a rule on a grid: the kernels of the initial values and of the steps, with names as those of [`cuda::program`](squeeze_engine::cuda::program).
///
/// # Errors
/// If tensor cores cannot compute the maps exactly, or the rule's code for one cell, with all its neighbours, is too long.
pub fn program(grid: &BlockGrid, rule: &FittedRule, prefix: Option<&str>) -> Result<StrategyText, GridError> {
    let usual = || {
        let maps = if grid.strategy == Strategy::BoundingBox { String::new() } else { format!("_{}", grid.map.name()) };
        as_name(&format!("{}_{}_{}{maps}", prefix_on(grid.domain()), grid.strategy.name(), grid.rho()))
    };
    let prefix = prefix.map_or_else(usual, str::to_owned);
    let mut program = printed(grid, rule, &prefix)?;
    program.text = Label::new(rule, described(grid), &program.text).put_in(&program.text, &space(&prefix, &rule.name));
    Ok(program)
}

/// A header in C for what [`program`] printed.
pub fn header(grid: &BlockGrid, rule: &FittedRule, program: &StrategyText) -> String {
    let StrategyText { text, name: stem, kernels, groups, threads, .. } = program;
    let buffer = |state: &State| StateBuffer {
        state: state.name.clone(),
        ty: match LaneType::of(state.ty) {
            None | Some(LaneType::Bits) => "uint8_t",
            Some(ty) => c_type(ty),
        },
        bytes: grid.places() as u64 * state.ty.bytes(),
    };
    let buffers: Vec<StateBuffer> = rule.states_and_fields().map(buffer).collect();
    let kernel = |kernel: &StrategyKernel| Declared {
        name: kernel.name.clone(),
        arguments: header::arguments(stem, &kernel.arguments, &buffers),
        threads: *threads,
        blocks: Some(*groups),
    };
    let sizes: BTreeSet<u64> = rule.states_and_fields().map(|state| state.ty.bytes()).collect();
    let copies = sizes.into_iter().flat_map(|bytes| {
        let cells = format!("uint{}_t *", 8 * bytes);
        [
            (reader(stem, bytes), format!("const {cells} /* state */, {cells} /* values */")),
            (writer(stem, bytes), format!("{cells} /* state */, const {cells} /* values */")),
        ]
    });
    let copies = copies.map(|(name, cells)| Declared {
        name,
        arguments: cells + ", uint64_t /* first */, uint64_t /* count */",
        threads: COPY_THREADS,
        blocks: None,
    });
    let kernels: Vec<Declared> = kernels.iter().map(kernel).chain(copies).collect();
    header::header(text, stem, &GridWorld::fields(), &buffers, &kernels)
}

/// The text of [`program`] without the line that says what it is for.
fn printed(grid: &BlockGrid, rule: &FittedRule, prefix: &str) -> Result<StrategyText, GridError> {
    let domain = grid.domain();
    let lines = vec![
        format!(
            "{} on {} at level {}, by Squeeze {}",
            rule.name,
            domain.fractal().name,
            domain.level(),
            env!("CARGO_PKG_VERSION")
        ),
        String::new(),
        described(grid),
        String::new(),
        format!("nvcc {} --std=c++17", FLAGS.join(" ")),
    ];
    emit(grid, rule, &Head { lines, prefix: prefix.to_owned() })
}

/// How a strategy of the papers visits and keeps blocks.
fn described(grid: &BlockGrid) -> String {
    let maps = match grid.strategy {
        Strategy::BoundingBox => String::new(),
        Strategy::Lambda | Strategy::Squeeze => format!(", maps {}", grid.map.name()),
    };
    format!("strategy {}, blocks of side {}{maps}", grid.strategy.name(), grid.rho())
}
