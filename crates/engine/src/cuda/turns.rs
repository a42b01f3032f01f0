//! Ordered steps on a GPU: groups of whole rows that take turns, each a launch of the kernel of any other step, or waves over tiles of one copy of the states.

use super::Cuda;
use super::driver::{Blocks, Memory};
use super::fronts::Fronts;
use super::pass::{Beside, DeviceKernel, Field, StepTurns, WaveArguments, buffers};
use super::trace::{self, Road};
use crate::Result;
use squeeze_compiler::emit::cuda::{KernelArgument, MeasuredColumns};
use squeeze_compiler::ir::{SignedAxis, StateId};
use squeeze_compiler::plan::Waves;
use squeeze_compiler::target::Wavefront;
use std::ops::Range;

/// The threads of a warp.
const WARP: u32 = 32;
/// Blocks that meet at a barrier, for each multiprocessor: it runs as many at once, whatever they need.
const BLOCKS_OF_BARRIER: u32 = 4;

/// The rows of each group in its turn, as stretches of rows that follow each other.
fn groups([_, height, depth]: [usize; 3], axes: &[SignedAxis]) -> Vec<Vec<Range<usize>>> {
    let along = |axis: u8, side: usize| -> Option<Vec<usize>> {
        let signed = axes.iter().find(|signed| signed.axis == axis)?;
        Some(if signed.backwards { (0..side).rev().collect() } else { (0..side).collect() })
    };
    let stretch = |rows: Range<usize>| std::iter::once(rows).collect::<Vec<_>>();
    match (along(1, height), along(2, depth)) {
        (Some(ys), None) => {
            let of = |y: usize| (0..depth).map(|z| z * height + y..z * height + y + 1).collect();
            ys.into_iter().map(of).collect()
        }
        (None, Some(zs)) => zs.into_iter().map(|z| stretch(z * height..(z + 1) * height)).collect(),
        (ys, zs) => {
            let (ys, zs) = (ys.unwrap_or_default(), zs.unwrap_or_default());
            let row = |y: usize, z: usize| stretch(z * height + y..z * height + y + 1);
            match axes.last().map(|signed| signed.axis) {
                Some(1) => ys.iter().flat_map(|y| zs.iter().map(|z| row(*y, *z))).collect(),
                _ => zs.iter().flat_map(|z| ys.iter().map(|y| row(*y, *z))).collect(),
            }
        }
    }
}

impl Cuda {
    /// Starts a step whose rows take turns: what becomes of a group is computed beside the states, and then copied where the old values stand.
    pub(super) fn run_rows(&self, kernel: &DeviceKernel, axes: &[SignedAxis]) -> Result<()> {
        Road::RowsInTurn.taken();
        let grid = self.stored().grid().expect("rows take turns on masks and boxes");
        for group in groups(grid.extent(), axes) {
            for rows in &group {
                let units = rows.start as u32..rows.end as u32;
                let new = |state: usize| self.fields[state].next();
                self.launch(kernel, self.time + 1, units, new, Beside::Nothing)?;
            }
            for rows in group {
                let columns = grid.columns_of(rows);
                for state in &kernel.entry.writes {
                    let (state, field) = (usize::from(*state), &self.fields[usize::from(*state)]);
                    let block = self.program.plan.states()[state].columns.block;
                    let bytes = columns.start.index() * block..columns.end.index() * block;
                    field.older.iter().try_for_each(|older| field.now.copy_part(older, bytes.clone()))?;
                }
            }
        }
        Ok(())
    }

    /// Starts to make rolling states 0 but on the line that they keep, if the step of this number, the last one, has not left them so.
    pub(super) fn keep_last_line(&self, step: usize) -> Result<()> {
        let keeps = |waves: &Waves| waves.relay.as_ref().is_some_and(|relay| relay.keeps_last_lines());
        if matches!(self.turns.get(step), Some(StepTurns::InWaves(waves)) if keeps(waves)) {
            return Ok(());
        }
        let Some(list) = &self.last_line else { return Ok(()) };
        for state in &self.program.rule.rolling {
            let Field { now, older: Some(older) } = &self.fields[usize::from(state.0)] else { continue };
            let columns = || (0..self.members.len()).map(|member| self.columns_of(member, *state).0);
            let beside = |columns: MeasuredColumns| MeasuredColumns {
                values: columns.values - now.address() + older.address(),
                ..columns
            };
            let list = (list.address(), list.len() as u64 / 8);
            columns().try_for_each(|columns| self.measure.take_over((beside(columns), columns), list))?;
            now.fill(now.len(), 0)?;
            columns().try_for_each(|columns| self.measure.take_over((columns, beside(columns)), list))?;
        }
        Ok(())
    }

    /// Starts a step whose cells are taken in fronts.
    pub(super) fn run_fronts(&self, kernel: &DeviceKernel, fronts: &Fronts) -> Result<()> {
        Road::Fronts.taken();
        let members = self.members.len();
        for (places, units) in &fronts.fronts {
            // Superblocks of members in turn follow those of the member before.
            let all = members > 1 || kernel.entry.is_reversed;
            let units = if all { self.stored().all() } else { units.clone() };
            self.launch(kernel, self.time + 1, units, |state| self.fields[state].next(), Beside::Nothing)?;
            for member in 0..members {
                for state in &kernel.entry.writes {
                    let (columns, _) = self.columns_of(member, StateId(*state));
                    let Field { now, older } = &self.fields[usize::from(*state)];
                    let Some(older) = older else { continue };
                    let new = MeasuredColumns { values: columns.values - now.address() + older.address(), ..columns };
                    let list = fronts.places.address() + 8 * places.start;
                    self.measure.take_over((columns, new), (list, places.end - places.start))?;
                }
            }
        }
        Ok(())
    }

    /// Starts a step in waves.
    pub(super) fn run_waves(&self, kernel: &DeviceKernel, waves: &Waves, flags: &Memory) -> Result<()> {
        let now = |state: usize| self.fields[state].now.address();
        let launch = |blocks: u32, warps: u32, wave: u32| -> Result<()> {
            trace::launched();
            let all = self.stored().all();
            let neighbours = self.surroundings.neighbours.of_pass(all, (self.time + 1).wrapping_sub(self.clock));
            let beside = WaveArguments(flags.address(), wave);
            let mut addresses = buffers(&kernel.entry.arguments, &self.fields, now);
            for (address, argument) in addresses.iter_mut().zip(&kernel.entry.arguments) {
                let KernelArgument::Old(state) = argument else { continue };
                if let Some(line) = self.input_lines.get(state) {
                    *address = line.address();
                }
            }
            let arguments = (addresses, beside, neighbours);
            let blocks = Blocks::new(blocks.into(), warps * WARP)?;
            // SAFETY: the arguments are those of the entry with what kernels in waves take beside them; buffers and tables have the sizes of the layout that
            // the kernel was printed for, inputs a value for each place along their axis where some rows alone are stored, there is a flag or a message for each strip, and all live as long as `self`, which waits for the device before it is dropped.
            unsafe { kernel.function.launch(blocks, arguments)? };
            Ok(())
        };
        match waves.wavefront {
            Wavefront::Launches => {
                Road::WavesOfLaunches.taken();
                (0..waves.diagonals()).try_for_each(|wave| {
                    let [first, end] = waves.diagonal(wave);
                    launch(end - first, 1, wave)
                })
            }
            Wavefront::Barrier => {
                Road::WavesOfBarriers.taken();
                flags.fill(waves.flag_bytes(), 0)?;
                let most = BLOCKS_OF_BARRIER * self.measure.multiprocessors();
                launch(waves.widest().div_ceil(waves.warps).min(most), waves.warps, 0)
            }
            Wavefront::Flags => {
                // Messages need not be taken away before: they say to which step they belong.
                if waves.relay.is_some() {
                    Road::WavesOfRelays.taken();
                } else {
                    Road::WavesOfFlags.taken();
                    flags.fill(waves.flag_bytes(), 0)?;
                }
                launch(waves.strips(), waves.warps, 0)
            }
        }
    }
}
