//! Members as lanes of the same columns.
//!
//! Their states are bits, they draw nothing in their steps and have the same parameters. A column holds one cell of all members, so that words are full
//! whatever the fractal is, lanes never move, and one look at the neighbour table serves all. Of numbers a word holds one: members gain nothing then. Initial states are drawn: members that stand one after the other compute
//! them, some at a time, and the first of these holds the states of a member that somebody looks at or changes.

use super::super::code::image;
use super::super::room::room;
use super::super::{Apart, Cuda};
use super::mover::Mover;
use crate::{EngineError, EngineOptions, MemberInputs, Result, are_alike};
use squeeze_compiler::Target;
use squeeze_compiler::emit::cuda::{Members, Sides, moving_kernels};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::pipeline::compile_member_lanes;
use squeeze_compiler::plan::{can_be_lanes, choices};

/// Members that compute their initial states at a time, in whole words.
const AT_ONCE: usize = 128;

/// Compiles kernels whose lanes are members and computes the initial states; `None` where members had better stand one after the other, or do not
/// fit as lanes.
///
/// # Errors
/// As [`lanes`](super::super::lanes).
pub(super) fn together(rule: &FittedRule, members: &[MemberInputs], options: &EngineOptions) -> Result<Option<Cuda>> {
    let machine = options.hardware.clone().and_then(|hardware| hardware.gpu());
    let target = Target::cuda().on(machine).without(options.off).demanding(options.choice.clone());
    let can_be_lanes = can_be_lanes(rule, &target, members.len()) && are_alike(members);
    if !can_be_lanes || options.code.is_some() {
        return Ok(None);
    }
    let target = target.within(room(options.limit)?, false);
    let in_turn = choices(rule.domain(), rule, &target.clone().with_members(members.len() as u32))?.next();
    let cost_in_turn = in_turn.map_or(f64::INFINITY, |plan| plan.candidate.cost);
    if let Some(compiled) = compile_member_lanes(rule, &target, (members.len(), 1), cost_in_turn).next() {
        let (compiled, _) = compiled?;
        let sharing = Members::AsLanes { members: members.len() };
        let cuda = Cuda::of((sharing, true), rule, members.to_vec(), (target.clone(), compiled), options.clone());
        let mut cuda = match cuda {
            Err(EngineError::Memory { .. }) => return Ok(None),
            cuda => cuda?,
        };
        let begins = &members[..AT_ONCE.min(members.len())];
        let apart = EngineOptions { choice: None, ..options.clone() };
        let apart = Cuda::new(false, rule, begins.to_vec(), apart)?;
        let image = image(&apart.nvrtc, &apart.cache, apart.architecture, &moving_kernels())?;
        let mover = Mover::new(&apart.device, &image, apart.plan.layout().lanes_of_replicas())?;
        cuda.apart = Some(Apart { cuda: Box::new(apart), mover });
        cuda.begin(members.to_vec())?;
        return Ok(Some(cuda));
    }
    Ok(None)
}

impl Cuda {
    /// Computes the initial states of all members that are lanes, some at a time apart.
    pub(in crate::cuda) fn begin_lanes(&self, apart: &mut Apart) -> Result<()> {
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
    pub(in crate::cuda) fn put(&self, apart: &Apart, state: usize, (first, count): (usize, usize)) -> Result<()> {
        let sides = self.sides(&apart.cuda, state, (first, count));
        apart.mover.put(&apart.cuda.fields[state].now, &self.fields[state].now, sides)
    }

    /// Gives the first member apart a state of a lane.
    pub(in crate::cuda) fn take(&self, apart: &Apart, state: usize, member: usize) -> Result<()> {
        let sides = self.sides(&apart.cuda, state, (member, 1));
        apart.mover.take(&apart.cuda.fields[state].now, &self.fields[state].now, sides)
    }

    /// Where a state of some members is.
    fn sides(&self, apart: &Cuda, state: usize, (first, count): (usize, usize)) -> Sides {
        let layout = apart.plan.layout();
        Sides {
            lanes_of_replicas: 0,
            replicas: apart.surroundings.replicas,
            lane_cells: layout.lane_cells(),
            member: (apart.member_bytes(state) / 4) as u64,
            cells: layout.cells(),
            planes: u32::from(self.plan.states[state].columns.planes.count()),
            apart_lanes: layout.lanes() as u32,
            apart_width: apart.shape().words as u32,
            width: self.shape().words as u32,
            first: first as u32,
            count: count as u32,
        }
    }
}
