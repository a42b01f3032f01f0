//! Work before steps: kernels are compiled, tables and buffers filled, and the initial states computed. Kernels for other numbers of steps
//! follow when they are needed.

use super::activity::Activity;
use super::cache::KernelCache;
use super::cluster_finder::DeviceClusters;
use super::code::{blame, image, text_to_compile};
use super::copies::CopyPool;
use super::driver::{Device, Memory};
use super::fronts::last_line;
use super::label::{Label, prefix_of};
use super::launch::OVERLAPPING;
use super::measure::Measure;
use super::neighbours::TableMemory;
use super::nvrtc::Nvrtc;
use super::pass::{Beside, DeviceKernel, Field, StepTurns};
use super::programs::{check_threads, kernels_of};
use super::room::{check_tables, on_device, room};
use super::stored::Stored;
use super::trace::Road;
use super::{Cuda, device_count};
use crate::asked::Asked;
use crate::mirror::Mirror;
use crate::pass::Pass;
use crate::{EngineError, EngineOptions, MemberInputs, Result, can_be_lanes, check_count, check_inputs};
use squeeze_compiler::emit::cuda::{Head, Job, LaneWorld, RowWorld, emit, measuring_kernels};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::geometry::threads::on_threads;
use squeeze_compiler::pipeline::CompileError;
use squeeze_compiler::target::Members;
use squeeze_compiler::{Program, Speciality, Target, compile};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

impl Cuda {
    /// Checks that the states of all members fit, compiles kernels for them, and computes the initial states. They are lanes of the same columns where
    /// they can be and the planner expects that to be faster; else their superblocks stand one after the other. As lanes they need states of bits, steps that
    /// draw nothing, and the same parameters: words are full whatever the fractal is, lanes never move, and one look at the neighbour table serves all.
    ///
    /// # Errors
    /// [`EngineError::Cuda`](crate::EngineError::Cuda) without a driver, a device or NVRTC, and if one of them fails; [`EngineError::Memory`](crate::EngineError::Memory);
    /// [`EngineError::NoKernel`](crate::EngineError::NoKernel); [`EngineError::Ordered`](crate::EngineError::Ordered); [`EngineError::Blocks`](crate::EngineError::Blocks) if there are too many members for 32 bits to number their threads.
    pub fn new(rule: &FittedRule, members: Vec<MemberInputs>, options: &EngineOptions) -> Result<Cuda> {
        if options.code.is_some() {
            CompileError::refuse_orders(rule)?;
            CompileError::refuse_clusters(rule)?;
        }
        check_tables(rule.domain())?;
        if options.part.is_some() {
            check_count("members", 1, members.len())?;
        }
        let machine = options.hardware.clone().and_then(|hardware| hardware.gpu());
        // Parts have agreed: on one device the first has taken memory when the next looks for it.
        let bytes = match (options.part, options.limit) {
            (Some(_), Some(limit)) => limit,
            _ => room(options)?,
        };
        let target = Target::cuda().on(machine).without(options.off).within(bytes, options.packed);
        let target = Target { wavefront: options.wavefront, tile: options.tile, ..target.in_turns() };
        let target = Target { part: options.part.unwrap_or((0, 1)), ..target }.demanding(options.choice.clone());
        let count = members.len() as u32;
        let lanes = can_be_lanes(rule, &target, &members);
        let target = target.with_members(if lanes { Members::AsLanes(count) } else { Members::of(count) });
        let built = compile(rule, &target, |program| Ok(Cuda::of(program, members.clone(), options)?));
        let device = Device::numbered(options.device)?;
        built.map_err(|error| match on_device(&device, error) {
            EngineError::Memory { domain, backend, needed, available, mut help } => {
                // Of a part the ranks say more.
                if let (Ok(count @ 2..), None) = (device_count(), options.part) {
                    help.push(format!("`--devices all` divides it among {count} GPUs"));
                }
                EngineError::Memory { domain, backend, needed, available, help }
            }
            error => error,
        })
    }

    /// From a program, for its members.
    pub(super) fn of(program: Program, members: Vec<MemberInputs>, options: &EngineOptions) -> Result<Cuda> {
        let Program { rule, target, plan, init, steps, .. } = &program;
        check_inputs(rule, members.len(), members.iter().map(|member| &member.params))?;
        let (device, watched) = (Device::numbered(options.device)?, options.watched);
        let stored = Stored::of(plan);
        if !options.packed && stored.is_packed() {
            Road::PackedForRoom.taken();
        }
        let nvrtc = Nvrtc::find()?;
        let (cache, architecture) = (KernelCache::usual(), device.architecture()?);
        match plan.members {
            Members::One => {}
            Members::InTurn(_) => Speciality::MembersInTurn.reached(),
            Members::AsLanes(_) => Speciality::MemberLanes.reached(),
        }
        // Blocks of rows and of members as lanes are short: those of the next pass, which begin and wait, take their places.
        let can_overlap = architecture >= OVERLAPPING && options.code.is_none();
        let pays = matches!(stored, Stored::Replicas { .. }) && !plan.members.as_lanes();
        let overlaps = can_overlap && pays && target.off().allows(Speciality::Overlap);
        // One compilation for the initial values and the steps, beside it that of the kernels that all simulations share.
        let several = Job::in_window(plan, steps);
        let jobs = std::iter::once(Job::new(init)).chain(Job::of_steps(steps, &program.taken_by_gpu)).chain(several);
        let prefix = prefix_of(options.code.as_ref(), &rule.name).to_owned();
        let head = Head { prefix, ..Head::of_line(format!("{} at run time", rule.name)) };
        let printed = emit(plan, jobs, &head);
        check_threads(stored, &printed.entries)?;
        let label = || Label::of_plan(rule, plan, &printed.text);
        let text = text_to_compile(options.code.as_ref(), &printed.text, label)?;
        let measuring = measuring_kernels();
        let mut images = on_threads(vec![text, &measuring], |text| image(&nvrtc, &cache, architecture, text));
        let (shared, own) = (images.swap_remove(1)?, images.swap_remove(0));
        let kernels = own.and_then(|image| kernels_of(&device, &image, printed));
        let mut kernels = kernels.map_err(|error| blame(options.code.as_ref(), error))?;
        if let Some(code) = &options.code {
            let neighbours = match stored {
                Stored::Replicas { .. } => size_of::<LaneWorld>(),
                Stored::Rows { .. } => size_of::<RowWorld>(),
            };
            for DeviceKernel { entry, function, .. } in &kernels {
                code.check_arguments(&entry.name, function, (entry.arguments.len(), neighbours))?;
            }
        }
        let measure = Measure::new(&device, &shared)?;
        let surroundings = match stored {
            Stored::Rows { grid, .. } => TableMemory::of_rows(&device, grid, &members[0], plan)?,
            Stored::Replicas { layout, .. } => {
                let layout = (layout, &plan.storage.part, plan.looks_far());
                TableMemory::new(&device, &measure, rule, layout, (&members, plan.derived()), plan.members)?
            }
        };
        let mut fields = Vec::new();
        for state in plan.states() {
            let bytes = plan.buffer_bytes(state, target) as u64;
            let older = (state.buffers > 1).then(|| Memory::zeroed(&device, bytes)).transpose()?;
            fields.push(Field { now: Memory::zeroed(&device, bytes)?, older });
        }
        let (tables, replicas) = (&surroundings.neighbours, surroundings.replicas);
        let compiled = |text: &str| image(&nvrtc, &cache, architecture, text);
        let clusters = DeviceClusters::new(&device, &measure, &program, tables, replicas, compiled)?;
        let turns = StepTurns::of_steps(&device, &program)?;
        let flag_bytes = |turns: &StepTurns| if let StepTurns::InWaves(waves) = turns { waves.flag_bytes() } else { 0 };
        let flags = turns.iter().map(|turns| Memory::zeroed(&device, flag_bytes(turns) as u64));
        let flags = flags.collect::<Result<Vec<_>, _>>()?;
        let last_line = last_line(&device, &program)?;
        let mut input_lines = BTreeMap::new();
        if stored.grid().is_some_and(|grid| grid.rows_stored_alone().is_some()) {
            for (state, _, values) in rule.given_inputs() {
                let size = rule.state(state).ty.bytes() as usize;
                let bytes: Vec<u8> =
                    values.iter().flat_map(|value| value.bits().to_le_bytes()[..size].to_vec()).collect();
                input_lines.insert(state.0, Memory::of(&device, &bytes)?);
            }
        }
        let plan_steps = plan.steps;
        let several = several.and_then(|several| Some((several.times, kernels.pop()?)));
        let mut cuda = Cuda {
            init: kernels.remove(0),
            measure,
            program,
            members,
            turns,
            flags,
            last_line,
            input_lines,
            mirror: Mirror::new(options.threads),
            reducer: OnceLock::new(),
            code: options.code.clone(),
            architecture,
            overlaps,
            device,
            nvrtc,
            cache,
            fields,
            surroundings,
            clusters,
            time: 0,
            clock: 0,
            passes: BTreeMap::new(),
            graphs: BTreeMap::new(),
            activity: None,
            copies: CopyPool::default(),
            looks: OnceLock::new(),
            reducers: Asked::default(),
            limit: options.limit.unwrap_or(u64::MAX),
        };
        cuda.add_pass(plan_steps, kernels);
        several.into_iter().for_each(|(steps, kernel)| cuda.add_pass(steps, vec![kernel]));
        cuda.activity = Activity::new(&cuda, watched);
        cuda.initialise()?;
        Ok(cuda)
    }

    /// Computes the initial states into memory that is 0.
    pub(super) fn initialise(&self) -> Result<()> {
        // Nothing is loaded, so the present buffers can be written themselves.
        self.launch(&self.init, 0, self.stored().all(), |state| self.fields[state].now.address(), Beside::Nothing)?;
        self.program.rule.index.map_or(Ok(()), |index| self.fill_index(index))?;
        self.fill_inputs()?;
        Ok(self.device.synchronize()?)
    }

    /// Compiles some kernels.
    pub(super) fn load<'j>(&self, title: String, jobs: impl IntoIterator<Item = Job<'j>>) -> Result<Vec<DeviceKernel>> {
        let program = emit(&self.program.plan, jobs, &Head::of_line(title));
        check_threads(self.stored(), &program.entries)?;
        let image = image(&self.nvrtc, &self.cache, self.architecture, &program.text)?;
        Ok(kernels_of(&self.device, &image, program)?)
    }

    /// Makes sure that there are kernels for a pass of `steps` steps.
    pub(super) fn compile(&mut self, steps: u32) -> Result<()> {
        if !self.passes.contains_key(&steps) {
            let Program { plan, rule, .. } = &self.program;
            let of_kernel = plan.steps_of_kernel(steps);
            let kernels = self.program.kernels(of_kernel)?;
            let jobs = kernels.iter().map(|kernel| Job { times: steps / of_kernel, ..Job::new(kernel) });
            let kernels = self.load(format!("{} at run time", rule.name), jobs)?;
            self.add_pass(steps, kernels);
        }
        Ok(())
    }

    fn add_pass(&mut self, steps: u32, kernels: Vec<DeviceKernel>) {
        self.passes.insert(steps, Arc::new(Pass::new(&self.program.rule, steps, kernels)));
    }
}
