//! Starts passes, one by one or many at once, and exchanges the buffers that they read and write.

use super::Cuda;
use super::activity::Activity;
use super::driver::{Address, Blocks, Device};
use super::nvrtc::Architecture;
use super::pass::{Beside, DeviceKernel, Field, Recorded, StepTurns, buffers};
use super::trace::Road;
use crate::pass::{KernelEngine, Pass};
use crate::{Engine, MemberInputs, Result};
use squeeze_compiler::Speciality;
use squeeze_compiler::emit::cuda::{MOST_BLOCKS, THREADS};
use squeeze_compiler::target::Members;
use std::ops::Range;
use std::sync::Arc;

/// From this architecture on a kernel can begin before the one before it has ended.
pub(super) const OVERLAPPING: Architecture = Architecture(90);
/// The approximate number of kernels that are started at once. Guess: not measured.
const GRAPH_KERNELS: usize = 64;
/// Passes of more kernels are no graphs. Guess: not measured.
const MOST_IN_GRAPH: usize = 1 << 13;
/// Passes after which both buffers are where they were; so they are after multiples of it.
const EXCHANGES: usize = 2;
/// The most graphs that are kept: where kernels are left out, each graph is of one order of the kernels that are. Guess: not measured.
const MOST_GRAPHS: usize = 64;

impl Cuda {
    /// Starts a kernel that computes `time` in some superblocks or rows; `new` says where a state's results go.
    pub(super) fn launch(
        &self,
        kernel: &DeviceKernel,
        time: u32,
        units: Range<u32>,
        new: impl Fn(usize) -> Address,
        beside: Beside,
    ) -> Result<()> {
        self.launch_on((&self.device, self.overlaps), kernel, time, units, new, beside)
    }

    /// The same in a stream of the device, and whether it may begin before the kernel before it has ended.
    fn launch_on(
        &self,
        (stream, early): (&Device, bool),
        kernel: &DeviceKernel,
        time: u32,
        units: Range<u32>,
        new: impl Fn(usize) -> Address,
        beside: Beside,
    ) -> Result<()> {
        // A domain of few units has parts without one.
        if units.is_empty() {
            return Ok(());
        }
        let together = match kernel.entry.superblocks {
            Some(superblocks) => {
                assert!(units == self.stored().all(), "members that begin with a warp are counted from the first one");
                superblocks * self.program.plan.members.turns()
            }
            None => (units.end - units.start).div_ceil(kernel.entry.together),
        };
        super::trace::launched();
        let neighbours = self.surroundings.neighbours.of_pass(units, time.wrapping_sub(self.clock));
        let mut threads = u64::from(together) * kernel.entry.threads;
        if kernel.entry.adds_up && self.program.plan.members == Members::One {
            threads = threads.min(u64::from(MOST_BLOCKS * THREADS));
        }
        let blocks = match &beside {
            Beside::Watch(_, blocks) => *blocks,
            Beside::Nothing | Beside::Totals(_) => Blocks::of_threads(threads, THREADS)?,
        };
        let arguments = (buffers(&kernel.entry.arguments, &self.fields, new), beside, neighbours);
        // SAFETY: the arguments are those of the entry, with what it takes beside them; buffers and tables have the sizes of the layout that the kernel was
        // printed for, and live as long as `self`, which waits for the device before it is dropped. The printed kernels wait for
        // the one before them before they touch a state.
        unsafe { kernel.function.launch_beside(stream, Blocks { early, ..blocks }, arguments)? };
        Ok(())
    }

    /// Starts the pass prepared for `steps` time steps.
    pub(super) fn advance(&mut self, steps: u32) -> Result<()> {
        let pass = Arc::clone(&self.passes[&steps]);
        if pass.skipped(self.time + 1, &self.members).contains(&true) {
            Road::StepSkipped.taken();
        }
        pass.run(self)
    }

    /// Starts a kernel that computes the next state of all cells, or of the tiles that it is told of.
    fn launch_all(&self, kernel: &DeviceKernel, beside: Beside) -> Result<()> {
        self.launch(kernel, self.time.wrapping_add(1), self.stored().all(), |state| self.fields[state].next(), beside)
    }

    /// Starts a kernel that computes the next state of some superblocks or rows. [`finish_kernel`](Self::finish_kernel) follows when all are started.
    pub(super) fn start_part(&self, stream: &Device, kernel: &DeviceKernel, units: Range<u32>) -> Result<()> {
        // It is no follower of the kernel that was started last.
        let on = (stream, false);
        self.launch_on(on, kernel, self.time + 1, units, |state| self.fields[state].next(), Beside::Nothing)
    }

    /// Makes the results of a kernel the present states.
    pub(super) fn finish_kernel(&mut self, kernel: &DeviceKernel) {
        exchange(&mut self.fields, &kernel.entry.writes);
        self.mirror.pass();
    }

    /// Starts a pass of `steps` steps that takes something more than others.
    pub(super) fn advance_beside(&mut self, kernel: &DeviceKernel, steps: u32, beside: Beside) -> Result<()> {
        self.launch_all(kernel, beside)?;
        exchange(&mut self.fields, &kernel.entry.writes);
        self.time += steps;
        Ok(())
    }

    /// Exchanges buffers as `passes` passes do where the states only go to and fro between two buffers.
    pub(super) fn pass_settled(&mut self, passes: u32) {
        Road::Settled.taken();
        let writes = &self.passes[&self.program.plan.steps].kernels[0].entry.writes;
        (0..passes % 2).for_each(|_| exchange(&mut self.fields, writes));
    }

    /// Says that states or parameters were written otherwise than by passes of the most steps.
    pub(super) fn disturb(&self) {
        self.activity.iter().for_each(Activity::disturb);
    }

    /// Starts as many passes of `steps` steps, many at once if there are many: of fewer than the most steps there never are.
    fn advance_many(&mut self, mut passes: u32, steps: u32) -> Result<()> {
        let extent = self.program.rule.domain().extent();
        let in_turns: usize = self.turns.iter().map(|turns| turns.launches(extent, self.fields.len())).sum();
        let kernels = self.passes[&steps].kernels.len().max(in_turns).max(1);
        // As many exchange the buffers back.
        let at_once = (GRAPH_KERNELS / kernels).max(EXCHANGES) as u32 / EXCHANGES as u32 * EXCHANGES as u32;
        // Globals are waited for.
        let alone = self.program.rule.globals.is_empty() && kernels <= MOST_IN_GRAPH;
        let graphs = alone && self.program.target.off().allows(Speciality::Graphs);
        while graphs && passes >= at_once {
            // A graph holds the addresses that it was recorded with, and passes exchange the buffers.
            let buffers: Vec<Address> = self.fields.iter().map(|field| field.now.address()).collect();
            let skipped = (1..=at_once).flat_map(|step| self.passes[&steps].skipped(self.time + step, &self.members));
            let began_with: (_, Vec<bool>) = (buffers, skipped.collect());
            // To make a graph takes about as long as to start its kernels.
            let pays = passes >= 2 * at_once && self.graphs.len() < MOST_GRAPHS;
            let nothing = began_with.1.contains(&true) && !began_with.1.contains(&false);
            let recorded = match self.graphs.remove(&began_with) {
                None if pays && !nothing => {
                    // Clusters may draw where no kernel of a step does.
                    let uses_time =
                        self.clusters.is_some() || self.passes[&steps].kernels.iter().any(|kernel| kernel.entry.time);
                    Some(self.record(uses_time, |cuda| (0..at_once).try_for_each(|_| cuda.advance(steps)))?)
                }
                recorded => recorded,
            };
            match recorded {
                Some(recorded) => {
                    self.launch_recorded(&recorded)?;
                    self.graphs.insert(began_with, recorded);
                }
                None => (0..at_once).try_for_each(|_| self.advance(steps))?,
            }
            passes -= at_once;
        }
        (0..passes).try_for_each(|_| self.advance(steps))
    }

    /// Starts the kernels for `steps` time steps.
    pub(super) fn start(&mut self, steps: u32) -> Result<()> {
        let Some(mut activity) = self.activity.take() else { return self.start_all(steps) };
        let started = activity.advance(self, steps);
        self.activity = Some(activity);
        started
    }

    /// Starts the kernels for `steps` time steps of all cells.
    pub(super) fn start_all(&mut self, steps: u32) -> Result<()> {
        self.prepare(steps)?;
        self.program.plan.passes(steps).try_for_each(|(passes, each)| self.advance_many(passes, each))
    }

    /// Records passes that `work` starts. Nothing runs: whatever comes of it, time, clock and buffers are as before.
    pub(super) fn record(&mut self, uses_time: bool, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<Recorded> {
        let (device, time, clock) = (Arc::clone(&self.device), self.time, self.clock);
        let buffers: Vec<Address> = self.fields.iter().map(|field| field.now.address()).collect();
        // Recorded kernels count their times from the time at which the recording begins.
        self.clock = time;
        let graph = device.record(|| work(self));
        let steps = self.time - time;
        (self.time, self.clock) = (time, clock);
        let mut exchanges = Vec::new();
        for (field, address) in self.fields.iter_mut().zip(buffers) {
            let exchanged = field.now.address() != address;
            if exchanged {
                field.exchange();
            }
            exchanges.push(exchanged);
        }
        Ok(Recorded { graph: graph?, steps, exchanges, uses_time })
    }

    /// Starts a recorded graph with the buffers as they are.
    pub(super) fn launch_recorded(&mut self, recorded: &Recorded) -> Result<()> {
        if recorded.uses_time && self.clock != self.time {
            self.surroundings.clock.fill(4, self.time)?;
            self.clock = self.time;
        }
        // SAFETY: as in `launch`; the buffers are those that it was recorded with.
        unsafe { recorded.graph.launch()? };
        for (field, _) in self.fields.iter_mut().zip(&recorded.exchanges).filter(|(_, exchanged)| **exchanged) {
            field.exchange();
        }
        self.time += recorded.steps;
        Ok(())
    }
}

impl KernelEngine<DeviceKernel> for Cuda {
    fn inputs(&self) -> &[MemberInputs] {
        &self.members
    }

    fn run_step(&mut self, pass: &Pass<DeviceKernel>, step: usize) -> Result<()> {
        let kernel = &pass.kernels[step];
        // A single number may stand before clusters.
        if kernel.entry.writes.is_empty() {
            return Ok(());
        }
        match self.turns.get(step) {
            Some(StepTurns::InRows(axes)) => self.run_rows(kernel, axes)?,
            Some(StepTurns::InFronts(fronts)) => self.run_fronts(kernel, fronts)?,
            Some(StepTurns::InWaves(waves)) => self.run_waves(kernel, waves, &self.flags[step])?,
            Some(StepTurns::AtOnce) | None => {
                self.launch_all(kernel, Beside::Nothing)?;
                exchange(&mut self.fields, &kernel.entry.writes);
            }
        }
        if step + 1 == pass.kernels.len() {
            self.keep_last_line(step)?;
        }
        // The host may have looked at the states before, for globals.
        self.mirror.pass();
        Ok(())
    }

    fn find_clusters(&mut self, _: &Pass<DeviceKernel>, before: usize, time: u32) -> Result<()> {
        self.start_clusters(before, time)?;
        self.mirror.pass();
        Ok(())
    }
}

/// Makes the newly written buffers of these states the present ones.
fn exchange(fields: &mut [Field], writes: &[u16]) {
    writes.iter().for_each(|state| fields[usize::from(*state)].exchange());
}
