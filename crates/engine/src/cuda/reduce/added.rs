//! Integer observables, added up by one kernel while it looks at the states.
//!
//! Sums, least and greatest values of integers are the same in any order, so nothing is stored for each cell: threads keep what they have, and a
//! warp adds it to one of a few places (*slots*), which the host adds up. Totals of several observations stand one behind the other, so that
//! the host asks for all of them at once.

use crate::Result;
use crate::asked::Asked;
use crate::cuda::Cuda;
use crate::cuda::driver::Memory;
use crate::cuda::pass::{Beside, DeviceKernel};
use crate::cuda::trace::Road;
use rayon::prelude::*;
use squeeze_compiler::Speciality;
use squeeze_compiler::emit::cuda::{self, End, Job};
use squeeze_compiler::ir::RuleParts;
use squeeze_compiler::passes::Ready;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::weighted_bits::WeightedBits;
use std::sync::Arc;

/// The approximate number of places for a total, shared out over the members. Guess: not measured.
const SLOTS: usize = 64;
/// The same where members are lanes: threads have counted few cells of each. Guess: not measured.
const SLOTS_OF_LANES: usize = 2048;
/// The most bytes of totals, so that copying them takes no longer than computing them. Guess: not measured.
const MOST_BYTES: usize = 1 << 20;
/// The most observations between two looks at them. Guess: not measured.
const MOST_OBSERVATIONS: usize = 256;

/// Values from which on it pays to wake threads. Guess: not measured.
const MANY_VALUES: usize = 4096;

/// A kernel that adds up terms: of the present states, or after each of the steps that it computes.
struct Adder {
    pass: DeviceKernel,
    /// The totals of one observation after the other.
    totals: Vec<WeightedBits>,
    /// The sum of each total's constant over all cells.
    constants: Vec<i64>,
    /// How many steps it computes; 0 if it looks at the states as they are.
    steps: u32,
    /// How many times it observes.
    observations: usize,
}

impl Adder {
    fn new(
        cuda: &Cuda,
        kernel: &Ready,
        totals: Vec<WeightedBits>,
        (steps, observations): (u32, usize),
    ) -> Result<Adder> {
        let job = Job { end: End::AddUp(&totals), ..Job::new(kernel) };
        let pass = cuda.load(format!("Totals of {} at run time", cuda.program.rule.name), [job])?.remove(0);
        let places = cuda.stored().places() as i64;
        let constants = totals.iter().map(|total| total.constant.wrapping_mul(places)).collect();
        Ok(Adder { pass, constants, totals, steps, observations })
    }
}

/// The kernels that add up, and the memory for their totals.
pub(super) struct Totals {
    /// The adder of the states as they are.
    present: Adder,
    /// Adders fused with steps, by (steps, observations); `None` if there is no such kernel.
    stepping: Asked<(u32, usize), Option<Adder>>,
    members: usize,
    slots: usize,
    /// Totals of some observations, one behind the other.
    memory: Memory,
    /// The bytes of memory before anything is added: for each total the value of no terms.
    beginning: Vec<u8>,
    /// How many observations there is room for.
    capacity: usize,
}

impl Totals {
    /// Compiles the kernel for the reductions of a rule like the simulation's, all of them exact.
    ///
    /// # Errors
    /// If the device or NVRTC fails.
    pub(super) fn new(cuda: &Cuda, rule: &RuleParts) -> Result<Totals> {
        let (kernel, totals) = cuda.program.totals(rule)?;
        let members = cuda.members.len();
        let slots = match cuda.program.plan.members.as_lanes() {
            true => SLOTS_OF_LANES.div_ceil(members).min(SLOTS),
            false => SLOTS.div_ceil(members),
        };
        let of_observation = 8 * slots * members * totals.len();
        let capacity = (MOST_BYTES / of_observation).clamp(1, MOST_OBSERVATIONS);
        let row: Vec<u8> = totals.iter().flat_map(|total| total.kind.nothing().to_le_bytes()).collect();
        Ok(Totals {
            members,
            slots,
            memory: Memory::zeroed(&cuda.device, (capacity * of_observation) as u64)?,
            beginning: row.repeat(capacity * slots * members),
            present: Adder::new(cuda, &kernel, totals, (0, 1))?,
            stepping: Asked::default(),
            capacity,
        })
    }

    /// The adder that computes `steps` steps and observes `observations` times, if there can be one: where all observables are added up.
    fn stepping(&self, cuda: &Cuda, (steps, observations): (u32, usize)) -> Result<Arc<Option<Adder>>> {
        self.stepping.get(&(steps, observations), || {
            let every = steps / observations as u32;
            // Kernels of a user's text are not replaced. Where members are lanes, a thread that steps has too few cells of each to
            // count them; rows compute several steps in registers.
            let one_by_one = cuda.program.plan.members.as_lanes() || cuda.stored().grid().is_some();
            if one_by_one || cuda.code.is_some() || cuda.program.target.off().has(Speciality::ObservedSteps) {
                return Ok(None);
            }
            let kernel = cuda.program.observed_steps(steps, every)?;
            let adder = |(kernel, totals)| Adder::new(cuda, &kernel, totals, (steps, observations));
            kernel.map(adder).transpose()
        })
    }

    /// Makes room for `observations` observations.
    fn begin(&self, observations: usize) -> Result<()> {
        let bytes = observations * self.bytes();
        if self.beginning[..8 * self.present.totals.len()].iter().all(|byte| *byte == 0) {
            return Ok(self.memory.fill(bytes, 0)?);
        }
        Ok(self.memory.upload(0, &self.beginning[..bytes])?)
    }

    /// Bytes of an observation.
    fn bytes(&self) -> usize {
        self.beginning.len() / self.capacity
    }

    /// Where the observation of this number goes.
    fn place(&self, number: usize) -> cuda::Totals {
        cuda::Totals { values: self.memory.address() + (number * self.bytes()) as u64, slots: self.slots as u32 }
    }

    /// Starts to add up the present states, as the observation of this number.
    fn add(&self, cuda: &Cuda, number: usize) -> Result<()> {
        cuda.launch(&self.present.pass, cuda.time, cuda.stored().all(), |_| 0, Beside::Totals(self.place(number)))
    }

    /// Starts to add up the present states, as the only observation.
    pub(super) fn start(&self, cuda: &Cuda) -> Result<()> {
        self.begin(1)?;
        self.add(cuda, 0)
    }

    /// Waits for the only observation: the values of each member.
    pub(super) fn finish(&self) -> Result<Vec<ObservedValue>> {
        self.finish_all(&[&self.present])
    }

    /// Waits for the totals of these adders: the values of one observation after the other, of each member in turn.
    fn finish_all(&self, adders: &[&Adder]) -> Result<Vec<ObservedValue>> {
        let observations: usize = adders.iter().map(|adder| adder.observations).sum();
        let mut bytes = vec![0; observations * self.bytes()];
        self.memory.download(0, &mut bytes)?;
        let mut values = bytes.as_chunks::<8>().0;
        let mut parts = Vec::with_capacity(observations);
        for adder in adders {
            let (own, rest) = values.split_at(adder.observations * self.bytes() / 8);
            values = rest;
            parts.extend((0..adder.observations).map(|observation| Observation { adder, own, observation }));
        }
        let each = self.present.totals.len();
        let mut found = vec![ObservedValue::Integer(0); observations * self.members * each];
        let fill = |(found, part): (&mut [ObservedValue], &Observation<'_>)| {
            let Observation { adder, own, observation } = part;
            let width = adder.totals.len();
            for (member, found) in found.chunks_mut(each).enumerate() {
                for (index, found) in (observation * each..).zip(found) {
                    let kind = adder.totals[index].kind;
                    let of_slots = own.chunks(self.members * width);
                    let of_slots = of_slots.map(|slot| i64::from_le_bytes(slot[member * width + index]));
                    // Only sums have constants.
                    let (sum, constant) = (kind.exact_of(of_slots), adder.constants[index]);
                    *found = ObservedValue::Integer(if constant == 0 { sum } else { sum.wrapping_add(constant) });
                }
            }
        };
        let of_observation = self.members * each;
        match found.len() >= MANY_VALUES {
            true => found.par_chunks_mut(of_observation).zip(&parts).for_each(fill),
            false => found.chunks_mut(of_observation).zip(&parts).for_each(fill),
        }
        Ok(found)
    }
}

/// One of the observations that a kernel has made at once.
struct Observation<'a> {
    adder: &'a Adder,
    /// The values of all of them, as bytes.
    own: &'a [[u8; 8]],
    /// Which of them it is.
    observation: usize,
}

/// How steps are shared out before and between observations.
#[derive(Clone, Copy)]
struct Stride {
    /// The steps of passes that observe nothing.
    before: u32,
    /// The steps of a pass that observes.
    steps: u32,
    /// How many times it does.
    observations: usize,
}

impl Stride {
    /// The stride where a pass computes at most `most_steps` steps.
    fn new(every: u32, most_steps: u32) -> Stride {
        if every == 0 {
            return Stride { before: 0, steps: 0, observations: 1 };
        }
        if every <= most_steps {
            let observations = most_steps / every;
            return Stride { before: 0, steps: observations * every, observations: observations as usize };
        }
        let steps = (every - 1) % most_steps + 1;
        Stride { before: every - steps, steps, observations: 1 }
    }
}

impl Cuda {
    /// Computes `every` steps and then adds up the totals of all members, `times` times: the values of one time after the other, and of each
    /// member then.
    pub(super) fn step_adding(&mut self, totals: &Totals, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
        Road::Ahead.taken();
        let stride = Stride::new(every, self.program.plan.steps);
        let stepping = match stride.steps > 0 && times as usize >= stride.observations {
            true => totals.stepping(self, (stride.steps, stride.observations))?,
            false => Arc::default(),
        };
        let (mut reduced, mut left) = (Vec::new(), times as usize);
        while left > 0 {
            let observations = totals.capacity.min(left);
            totals.begin(observations)?;
            let (mut adders, mut number) = (Vec::new(), 0);
            while number < observations {
                let adder = match &*stepping {
                    Some(adder) if observations - number >= stride.observations => {
                        self.start(stride.before)?;
                        Speciality::ObservedSteps.reached();
                        self.advance_beside(&adder.pass, adder.steps, Beside::Totals(totals.place(number)))?;
                        adder
                    }
                    _ => {
                        self.start(every)?;
                        totals.add(self, number)?;
                        &totals.present
                    }
                };
                number += adder.observations;
                adders.push(adder);
            }
            reduced.extend(totals.finish_all(&adders)?);
            left -= observations;
        }
        Ok(reduced)
    }
}
