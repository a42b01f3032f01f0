//! Members as lanes of the same columns.
//!
//! Their states are bits, they draw nothing in their steps and have the same parameters. A column holds one cell of all members, so that words are full
//! whatever the fractal is, lanes never move, and one look at the neighbour table serves all. Of numbers a word holds one: members gain nothing then. Initial states are drawn: members that stand one after the other compute
//! them, some at a time, and the first of these holds the states of a member that somebody looks at or changes.

use super::super::Cuda;
use super::super::code::image;
use super::super::driver::{Address, Blocks, Device, Function, Memory, Module};
use super::super::room::room;
use super::super::trace::Road;
use crate::engine::mirror::{Mirror, Transfers};
use crate::engine::states::States;
use crate::engine::{
    About, Engine, EngineError, EngineOptions, MemberInputs, Result, Run, are_alike, check_inputs, run_and_reduce,
};
use crate::state::field::Sample;
use squeeze_compiler::emit::cuda::{Members, Sides, moving_kernels};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::pipeline::compile_plan;
use squeeze_compiler::plan::{Plan, can_be_lanes, choices, member_lanes};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::{CompileError, Target};
use std::ops::Range;
use std::sync::Arc;

/// So many members at a time compute their initial states, in whole words.
const AT_ONCE: usize = 128;

/// All members.
pub(super) struct AsLanes {
    /// What computes their steps.
    cuda: Cuda,
    /// Some of them one after the other.
    apart: Cuda,
    /// A copy of one of them, as it stands apart.
    mirror: Mirror,
    mover: Mover,
}

/// What moves states.
struct Mover {
    device: Arc<Device>,
    module: Module,
    put: Function,
    take: Function,
    lanes_of_replicas: Memory,
}

/// Compiles kernels whose lanes are members and computes the initial states; `None` where members had better stand one after the other, or do not
/// fit as lanes.
///
/// # Errors
/// As [`lanes`](super::super::lanes).
pub(super) fn together(
    domain: &Domain,
    rule: &Arc<Rule>,
    members: &[MemberInputs],
    options: &EngineOptions,
) -> Result<Option<AsLanes>> {
    let machine = options.hardware.clone().and_then(|hardware| hardware.gpu());
    let target = Target::cuda().on(machine).without(options.off).demanding(options.choice.clone());
    let can_be_lanes = can_be_lanes(domain, rule, &target, members.len()) && are_alike(members);
    if !can_be_lanes || options.code.is_some() {
        return Ok(None);
    }
    let target = target.within(room(options.limit)?, false);
    let in_turn = choices(domain, rule, &target.clone().with_members(members.len() as u32))?.next();
    let cost_in_turn = in_turn.map_or(f64::INFINITY, |plan| plan.candidate.cost);
    for (candidate, _) in member_lanes(domain, rule, &target, (members.len(), 1), cost_in_turn) {
        let compiled = match compile_plan(rule, Plan::of(rule, candidate), &target) {
            Err(CompileError::NoKernel { .. }) => continue,
            compiled => compiled?,
        };
        if compiled.observes_far || compiled.plan.layout().looks_far() {
            continue;
        }
        let what = (domain, rule);
        let sharing = Members::AsLanes { members: members.len() };
        let cuda = Cuda::of((sharing, true), what, members.to_vec(), (target.clone(), compiled), options.clone());
        let cuda = match cuda {
            Err(EngineError::Memory { .. }) => return Ok(None),
            cuda => cuda?,
        };
        let begins = &members[..AT_ONCE.min(members.len())];
        let apart = EngineOptions { choice: None, ..options.clone() };
        let apart = Cuda::to_begin(domain, rule, begins.to_vec(), apart)?;
        let mover = Mover::new(&apart)?;
        let mirror = Mirror::new(options.threads);
        let mut lanes = AsLanes { cuda, apart, mirror, mover };
        lanes.begin(members.to_vec())?;
        return Ok(Some(lanes));
    }
    Ok(None)
}

impl AsLanes {
    /// Computes the initial states of members, as many as there are.
    fn begin(&mut self, members: Vec<MemberInputs>) -> Result<()> {
        self.mirror.pass();
        let size = self.apart.members.len();
        for (number, some) in members.chunks(size).enumerate() {
            // All that are computed at a time are as many: the last ones are filled up.
            let filled = some.iter().chain(std::iter::repeat(&some[some.len() - 1])).take(size);
            self.apart.begin(filled.cloned().collect())?;
            for state in 0..self.cuda.fields.len() {
                self.mover.put(&self.cuda, &self.apart, state, (number * size, some.len()))?;
            }
            self.mover.device.synchronize()?;
        }
        self.cuda.time = 0;
        self.cuda.set_params_of(members.iter().map(|member| member.params.clone()).collect())?;
        self.cuda.members = members;
        Ok(())
    }

    /// Sends what was written on the host, before steps change the states.
    fn settle(&mut self) -> Result<()> {
        self.mirror.settle(self)?;
        self.mirror.pass();
        Ok(())
    }
}

impl Engine for AsLanes {
    fn about(&self) -> About {
        self.cuda.about()
    }

    fn device(&self) -> String {
        self.cuda.device()
    }

    fn time(&self) -> u32 {
        self.cuda.time
    }

    fn set_time(&mut self, time: u32) {
        self.cuda.time = time;
    }

    fn set_params(&mut self, params: &[Vec<Value>]) -> Result<()> {
        self.cuda.set_params(params)
    }

    fn prepare(&mut self, steps: u32) -> Result<()> {
        self.cuda.prepare_rest(steps)
    }

    fn run(&mut self, what: Run) -> Result<()> {
        self.settle()?;
        self.cuda.run_all(what)
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        self.cuda.reduce_all(&self.mirror, self, which)
    }

    fn run_and_reduce(&mut self, every: u32, times: u32, which: &[usize]) -> Result<Vec<ObservedValue>> {
        self.settle()?;
        match self.cuda.step_reducing_all(every, times, which)? {
            Some(reduced) => Ok(reduced),
            None => run_and_reduce(self, every, times, which),
        }
    }

    fn digest(&self, member: usize, state: StateId) -> Result<u64> {
        self.mirror.settle(self)?;
        self.cuda.digest_of(member, state)
    }

    fn block_sums(&self, member: usize, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        self.mirror.look(self, member, [state], |states| states.block_sums(state, mu, sample))
    }

    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        self.mirror.look(self, member, [state], |states| states.read(state, cells, bytes))
    }

    fn write(&mut self, member: usize, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        self.mirror.write(self, member, state, cells, bytes)
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool> {
        check_inputs(&self.cuda.rule, self.cuda.members.len(), members.iter().map(|member| &member.params))?;
        if are_alike(members) {
            self.begin(members.to_vec())?;
            return Ok(true);
        }
        Road::LanesGoApart.taken();
        // There may be no room for both.
        for cuda in [&mut self.cuda, &mut self.apart] {
            cuda.fields.clear();
            cuda.graphs.clear();
        }
        Ok(false)
    }
}

impl Transfers for AsLanes {
    fn host_states(&self) -> Result<States> {
        self.apart.host_states()
    }

    fn fetch(&self, member: usize, state: StateId, to: &mut States) -> Result<()> {
        Road::LaneFetched.taken();
        self.mover.take(&self.cuda, &self.apart, usize::from(state.0), member)?;
        self.apart.fetch(0, state, to)
    }

    fn send(&self, member: usize, state: StateId, from: &States) -> Result<()> {
        Road::LaneSent.taken();
        self.cuda.disturb();
        self.apart.send(0, state, from)?;
        self.mover.put(&self.cuda, &self.apart, usize::from(state.0), (member, 1))
    }
}

impl Mover {
    /// Between lanes and these, which are apart.
    fn new(apart: &Cuda) -> Result<Mover> {
        let device = &apart.device;
        let module = Module::new(device, &image(&apart.nvrtc, &apart.cache, apart.architecture, &moving_kernels())?)?;
        Ok(Mover {
            device: Arc::clone(device),
            put: module.function("put_bits")?,
            take: module.function("take_bits")?,
            lanes_of_replicas: Memory::of(device, apart.plan.layout().lanes_of_replicas())?,
            module,
        })
    }

    /// Where a state of some members is.
    fn sides(&self, cuda: &Cuda, apart: &Cuda, state: usize, (first, count): (usize, usize)) -> Sides {
        let layout = apart.plan.layout();
        Sides {
            lanes_of_replicas: self.lanes_of_replicas.address(),
            replicas: apart.surroundings.replicas,
            lane_cells: layout.lane_cells(),
            member: (apart.member_bytes(state) / 4) as u64,
            cells: layout.cells(),
            planes: u32::from(cuda.fields[state].planes.count()),
            apart_lanes: layout.lanes() as u32,
            apart_width: apart.shape().words as u32,
            width: cuda.shape().words as u32,
            first: first as u32,
            count: count as u32,
        }
    }

    /// Starts to give lanes, from the first of these on and so many, the states of members apart.
    fn put(&self, cuda: &Cuda, apart: &Cuda, state: usize, members: (usize, usize)) -> Result<()> {
        let sides = self.sides(cuda, apart, state, members);
        let from = apart.fields[state].now.address();
        let words = (sides.first + sides.count - 1) / 32 - sides.first / 32 + 1;
        self.launch(self.put, sides.cells * u64::from(words), (from, cuda, state), sides)
    }

    /// Starts to give the first one apart a member's state.
    fn take(&self, cuda: &Cuda, apart: &Cuda, state: usize, member: usize) -> Result<()> {
        let sides = self.sides(cuda, apart, state, (member, 1));
        let to = apart.fields[state].now.address();
        self.launch(self.take, sides.lane_cells * u64::from(sides.apart_width), (to, cuda, state), sides)?;
        Ok(self.device.synchronize()?)
    }

    /// Starts a kernel that moves a state of lanes from or to one apart.
    fn launch(
        &self,
        function: Function,
        threads: u64,
        (apart, cuda, state): (Address, &Cuda, usize),
        sides: Sides,
    ) -> Result<()> {
        let arguments = (apart, cuda.fields[state].now.address(), sides);
        // SAFETY: the arguments are those of the kernels that move bits; both states have the sizes of their layouts, which
        // `sides` tells, and live as long as the mover, whose device is waited for before anything is dropped.
        unsafe { self.module.launch(function, Blocks::of_threads(threads.max(1), 128)?, arguments)? };
        Ok(())
    }
}
