//! Integer observables, added up by one kernel while it looks at the states.
//!
//! Sums, least and greatest values of integers are the same in any order, so nothing is stored for each cell: threads keep what they have, and a
//! warp adds it to one of a few places (*slots*), which the host adds up. What several observations come to stands one behind the other, so that
//! the host asks for all of them at once.

use super::driver::{Address, Memory};
use super::{Cuda, Pass, image, passes_of};
use crate::engine::Result;
use squeeze_compiler::compile::compile_totals;
use squeeze_compiler::emit::cuda::emit_totals;
use squeeze_compiler::ir::kernel::Op;
use squeeze_compiler::ir::{ReductionKind, Rule};
use squeeze_compiler::lower::totals::{Total, is_total};
use squeeze_compiler::numerics::fold::{IntegerFold, ObservedValue};

/// About so many places for a total, shared out over the members.
const SLOTS: usize = 64;
/// At most so many bytes of totals, so that copying them takes no longer than computing them.
const MOST_BYTES: usize = 1 << 20;
/// At most so many observations between two looks at them.
const MOST_OBSERVATIONS: usize = 256;

/// So many observations, an even number, are started at once where they are asked for again and again,
const AT_ONCE: usize = 32;
/// if that are at most so many kernels: the steps between observations of more take longer than to start them.
const MOST_KERNELS: usize = 256;

/// At most so many stretches of steps and observations are kept.
const MOST_STRETCHES: usize = 64;

/// `Totals` of the skeleton.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct TotalsPlace {
    values: Address,
    slots: u32,
}

/// The kernel that adds up, and the memory for what it adds.
pub(super) struct Totals {
    pass: Pass,
    totals: Vec<Total>,
    /// The reductions of the rule that they are.
    pub of: Vec<usize>,
    members: usize,
    slots: usize,
    /// What the constants of all cells come to.
    constants: Vec<i64>,
    /// What some observations come to, one behind the other.
    memory: Memory,
    /// What memory holds before anything is added, as bytes.
    beginning: Vec<u8>,
    /// How many observations there is room for.
    pub capacity: usize,
}

impl Totals {
    /// Compiles the kernel for those observables that can be added up; `None` if there are none.
    ///
    /// # Errors
    /// If the device or NVRTC fails.
    pub fn new(cuda: &Cuda) -> Result<Option<Totals>> {
        let of: Vec<usize> = (0..cuda.rule.reductions.len()).filter(|index| is_total(&cuda.rule, *index)).collect();
        if of.is_empty() {
            return Ok(None);
        }
        let rule = some_reductions(&cuda.rule, &of);
        let (kernel, totals) = compile_totals(&rule, &cuda.plan, &cuda.target)?;
        if kernel.nodes.iter().any(|node| matches!(node.op, Op::Random { .. } | Op::RandomBit { .. })) {
            return Ok(None);
        }
        let (layout, members) = (cuda.plan.layout(), cuda.members.len());
        let params = (members > 1).then_some(rule.params.len() + rule.globals.len());
        let head = [format!("Totals of {} at run time", rule.name)];
        let program = emit_totals(layout, params, &kernel, &totals, &head);
        super::check_threads(layout, &cuda.members, &program.entries)?;
        let image = image(&cuda.nvrtc, &cuda.cache, cuda.architecture, &program.text)?;
        let pass = passes_of(&cuda.device, &image, program)?.remove(0);
        let slots = SLOTS.div_ceil(members);
        let of_observation = 8 * slots * members * totals.len();
        let capacity = (MOST_BYTES / of_observation).clamp(1, MOST_OBSERVATIONS);
        let places = i64::from(layout.superblocks()).wrapping_mul(layout.lanes() as i64);
        let nothing = |total: &Total| match total.kind {
            ReductionKind::Sum | ReductionKind::Count => 0i64,
            ReductionKind::Min => i64::MAX,
            ReductionKind::Max => i64::MIN,
        };
        let row: Vec<u8> = totals.iter().flat_map(|total| nothing(total).to_le_bytes()).collect();
        Ok(Some(Totals {
            pass,
            of,
            members,
            slots,
            constants: totals.iter().map(|total| total.constant.wrapping_mul(places)).collect(),
            memory: Memory::zeroed(&cuda.device, (capacity * of_observation) as u64)?,
            beginning: row.repeat(capacity * slots * members),
            totals,
            capacity,
        }))
    }

    /// Makes room for so many observations.
    pub fn begin(&self, observations: usize) -> Result<()> {
        let bytes = self.beginning.len() / self.capacity * observations;
        let sums = |total: &Total| matches!(total.kind, ReductionKind::Sum | ReductionKind::Count);
        if self.totals.iter().all(sums) {
            return Ok(self.memory.fill_first(bytes, 0)?);
        }
        Ok(self.memory.upload(0, &self.beginning[..bytes])?)
    }

    /// Starts to add up the present states, as the observation of this number.
    pub fn add(&self, cuda: &Cuda, number: usize) -> Result<()> {
        let bytes = self.beginning.len() / self.capacity;
        let place = TotalsPlace { values: self.memory.address() + (number * bytes) as u64, slots: self.slots as u32 };
        cuda.launch_adding(&self.pass, place)
    }

    /// Waits for the first observations: for each of them and each member the values, in the order of `of`.
    pub fn finish(&self, observations: usize) -> Result<Vec<Vec<Vec<ObservedValue>>>> {
        let count = self.totals.len();
        let mut bytes = vec![0; self.beginning.len() / self.capacity * observations];
        self.memory.download(0, &mut bytes)?;
        let values: Vec<i64> = bytes.as_chunks::<8>().0.iter().map(|value| i64::from_le_bytes(*value)).collect();
        let of_member = |observation: &[i64], member: usize| {
            let total = |(index, total): (usize, &Total)| {
                let mut fold = IntegerFold::new(total.kind);
                let rows = observation.chunks(self.members * count);
                rows.for_each(|slot| fold.push(slot[member * count + index]));
                // Only sums have constants.
                let constant = self.constants[index];
                ObservedValue::Integer(if constant == 0 { fold.finish() } else { fold.finish().wrapping_add(constant) })
            };
            self.totals.iter().enumerate().map(total).collect()
        };
        let of = |observation: &[i64]| (0..self.members).map(|member| of_member(observation, member)).collect();
        Ok(values.chunks(self.slots * self.members * count).map(of).collect())
    }
}

/// What is recorded of steps and observations in turn: the buffers that it begins with, the steps before each observation, and the number of the
/// first observation.
pub(super) type ObservingStretch = (Vec<Address>, u32, usize);

impl Cuda {
    /// Computes so many steps and then adds up the totals of all members, so many times.
    pub(super) fn step_adding(
        &mut self,
        totals: &Totals,
        every: u32,
        times: u32,
    ) -> Result<Vec<Vec<Vec<ObservedValue>>>> {
        let mut reduced = Vec::new();
        while reduced.len() < times as usize {
            let observations = totals.capacity.min(times as usize - reduced.len());
            totals.begin(observations)?;
            let mut number = 0;
            while number < observations {
                number += self.start_observing(totals, every, number, observations - number)?;
            }
            reduced.extend(totals.finish(observations)?);
        }
        Ok(reduced)
    }

    /// Starts steps and at most so many observations, from one of this number on, and says how many observations these are.
    fn start_observing(&mut self, totals: &Totals, every: u32, first: usize, most: usize) -> Result<usize> {
        let one_by_one = |cuda: &mut Cuda, count: usize| {
            (first..first + count).try_for_each(|number| {
                cuda.start(every)?;
                totals.add(cuda, number)
            })
        };
        let most_steps = self.plan.steps();
        let kernels = |steps: u32| self.passes.get(&steps).map_or(1, Vec::len);
        let kernels = (every / most_steps) as usize * kernels(most_steps) + kernels(every % most_steps) + 1;
        if most < AT_ONCE || AT_ONCE * kernels > MOST_KERNELS {
            one_by_one(self, most.min(AT_ONCE))?;
            return Ok(most.min(AT_ONCE));
        }
        let stretch = (self.fields.iter().map(|field| field.now.address()).collect(), every, first);
        // To record takes longer than to start once, and kernels are compiled when they are first started.
        let recorded = match self.observing.remove(&stretch) {
            None => {
                one_by_one(self, AT_ONCE)?;
                None
            }
            Some(recorded) => {
                let recorded = match recorded {
                    Some(recorded) => recorded,
                    None => {
                        let mut passes = self.passes.values().flatten().chain(std::iter::once(&totals.pass));
                        let uses_time = passes.any(|pass| pass.entry.time);
                        self.record(uses_time, |cuda| one_by_one(cuda, AT_ONCE))?
                    }
                };
                self.launch_recorded(&recorded)?;
                Some(recorded)
            }
        };
        if self.observing.len() >= MOST_STRETCHES {
            self.observing.clear();
        }
        self.observing.insert(stretch, recorded);
        Ok(AT_ONCE)
    }
}

/// A rule that reduces only some of what another one does.
pub(super) fn some_reductions(rule: &Rule, which: &[usize]) -> Rule {
    let mut some = rule.clone();
    some.reductions = which.iter().map(|index| rule.reductions[*index].clone()).collect();
    some
}
