//! Many members of an ensemble on a GPU, in one set of kernels.
//!
//! Members are lanes of the same columns where states are bits, steps draw nothing and parameters are the same. A column holds one cell of all
//! members: words are full whatever the fractal is, lanes never move, and one look at the neighbour table serves all. Initial states are drawn, some
//! at a time, by members one after the other, the first of which holds the states of a member that somebody looks at or changes.

use super::code::load;
use super::driver::{Blocks, Function, Memory};
use super::room::room;
use super::stored::BufferBlock;
use super::{Apart, Cuda};
use crate::{Engine, EngineOptions, MemberInputs, Result, are_alike, check_count};
use squeeze_compiler::Target;
use squeeze_compiler::emit::cuda::{Members, Sides, moving_kernels};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::layout::Layout;
use squeeze_compiler::pipeline::compile_member_lanes;
use squeeze_compiler::plan::{can_be_lanes, choices};

/// Members that compute their initial states at a time, in whole words.
const AT_ONCE: usize = 128;

/// Checks that the states of all members fit, compiles kernels for them, and computes the initial states. They are lanes where they can be and the
/// planner expects that to be faster; else their superblocks stand one after the other.
///
/// # Errors
/// As [`lanes`](super::lanes); [`EngineError::Blocks`] if there are too many for 32 bits to number
/// their threads.
///
/// # Panics
/// If there are fewer than two members.
pub(crate) fn together(
    rule: &FittedRule,
    members: Vec<MemberInputs>,
    options: EngineOptions,
) -> Result<Box<dyn Engine>> {
    assert!(members.len() > 1, "one member has kernels of its own");
    if options.part.is_some() {
        check_count("members", 1, members.len())?;
    }
    Ok(Box::new(match as_lanes(rule, &members, &options)? {
        Some(lanes) => lanes,
        None => Cuda::new(true, rule, members, options)?,
    }))
}

/// Compiles kernels whose lanes are members and computes the initial states; `None` where members had better stand one after the other, or do not
/// fit as lanes.
fn as_lanes(rule: &FittedRule, members: &[MemberInputs], options: &EngineOptions) -> Result<Option<Cuda>> {
    let machine = options.hardware.clone().and_then(|hardware| hardware.gpu());
    let target = Target::cuda().on(machine).without(options.off).demanding(options.choice.clone());
    let can_be_lanes = can_be_lanes(rule, &target, members.len()) && are_alike(members);
    if !can_be_lanes || options.code.is_some() {
        return Ok(None);
    }
    let target = target.within(room(options.limit)?, false);
    let in_turn = choices(rule.domain(), rule, &target.clone().with_members(members.len() as u32))?.next();
    let cost_in_turn = in_turn.and_then(|plan| plan.candidate).map_or(f64::INFINITY, |candidate| candidate.cost);
    let sharing = Members::AsLanes { members: members.len() };
    let cuda = compile_member_lanes(rule, &target, (members.len(), 1), cost_in_turn, |program, _| {
        Ok(Cuda::of((sharing, true), program, members.to_vec(), options.clone())?)
    });
    let Some(mut cuda) = cuda? else { return Ok(None) };
    let begins = &members[..AT_ONCE.min(members.len())];
    let apart = EngineOptions { choice: None, ..options.clone() };
    let apart = Cuda::new(false, rule, begins.to_vec(), apart)?;
    let module = load(&apart.device, &apart.nvrtc, &apart.cache, apart.architecture, &moving_kernels())?;
    cuda.apart = Some(Apart {
        put: module.function("put_bits")?,
        take: module.function("take_bits")?,
        lanes_of_replicas: Memory::of(&apart.device, apart.layout_of_lanes().lanes_of_replicas())?,
        cuda: Box::new(apart),
    });
    cuda.begin(members.to_vec())?;
    Ok(Some(cuda))
}

impl Cuda {
    /// Computes the initial states of all members that are lanes, some at a time apart.
    pub(super) fn begin_lanes(&self, apart: &mut Apart) -> Result<()> {
        let size = apart.cuda.members.len();
        for (number, some) in self.members.chunks(size).enumerate() {
            // All that are computed at a time are as many: the last ones are filled up.
            let filled = some.iter().chain(std::iter::repeat(&some[some.len() - 1])).take(size);
            apart.cuda.begin(filled.cloned().collect())?;
            (0..self.fields.len()).try_for_each(|state| self.put(apart, state, (number * size, some.len())))?;
        }
        Ok(())
    }

    /// Gives lanes, from the first of these on, a state of the first members apart.
    pub(super) fn put(&self, apart: &Apart, state: usize, (first, count): (usize, usize)) -> Result<()> {
        let sides = self.sides(apart, state, (first, count));
        let words = (sides.first + sides.count - 1) / 32 - sides.first / 32 + 1;
        self.move_lanes(apart, &apart.put, state, sides.cells * u64::from(words), sides)
    }

    /// Gives the first member apart a state of a lane.
    pub(super) fn take(&self, apart: &Apart, state: usize, member: usize) -> Result<()> {
        let sides = self.sides(apart, state, (member, 1));
        self.move_lanes(apart, &apart.take, state, sides.columns * u64::from(sides.apart_width), sides)
    }

    /// Runs a kernel that moves a state, and waits for it: the kernels of lanes run in a stream of their own.
    fn move_lanes(&self, apart: &Apart, function: &Function, state: usize, threads: u64, sides: Sides) -> Result<()> {
        let [there, here] = [&*apart.cuda, self].map(|cuda| cuda.fields[state].now.address());
        let blocks = Blocks::of_threads(threads.max(1), 128)?;
        // SAFETY: the arguments are those of the kernels that move bits; both states have the sizes of their layouts, which
        // `sides` tells, and live until the device was waited for.
        unsafe { function.launch(blocks, (there, here, sides))? };
        Ok(apart.cuda.device.synchronize()?)
    }

    /// The layout of those that are or become lanes, which rows never do.
    fn layout_of_lanes(&self) -> &Layout {
        self.program.plan.layout().expect("members are lanes on fractals alone")
    }

    /// Where a state of some members is.
    fn sides(&self, apart: &Apart, state: usize, (first, count): (usize, usize)) -> Sides {
        let Apart { cuda: apart, lanes_of_replicas, .. } = apart;
        let layout = apart.layout_of_lanes();
        Sides {
            lanes_of_replicas: lanes_of_replicas.address(),
            replicas: apart.surroundings.replicas,
            lane_stride: layout.lane_stride(),
            columns: apart.stored().digest_count(),
            member: (apart.offset(state, BufferBlock::first_of(1)) / 4) as u64,
            cells: layout.cells(),
            planes: u32::from(self.program.plan.states[state].columns.planes.count()),
            apart_lanes: layout.lanes() as u32,
            apart_width: apart.stored().shape().words as u32,
            width: self.stored().shape().words as u32,
            first: first as u32,
            count: count as u32,
        }
    }
}
