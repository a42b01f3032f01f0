//! Rows of a tile as kernels see them: where their states, neighbours, presence and draws stand.

use super::{StripRows, TileRow, shift};
use crate::cpu::activity::Marks;
use crate::cpu::kernel::{CompiledBody, HostKernel, LaneTables, Memory, RunningBody, Tables, Units};
use crate::cpu::rows::lines::RowMemory;
use squeeze_codegen::ColumnOrder;
use squeeze_compiler::ir::Strips;
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::OVERREAD;
use squeeze_compiler::layout::unit::{Micro, Slot};
use squeeze_compiler::numbers::numbering::{LaneNumbers, PlaceNumbering};

impl Tables for StripRows {
    fn lanes(&self) -> &LaneTables {
        &self.lanes
    }

    fn order(&self) -> ColumnOrder {
        ColumnOrder::Cached
    }

    fn row_memory(&self, kernel: &HostKernel) -> RowMemory {
        // Behind the words are those that they were made of.
        let present = vec![0; 2 * self.lanes.shape.words + OVERREAD / 4];
        RowMemory { present: vec![present; kernel.most(|body| body.directions.len())], ..RowMemory::default() }
    }

    fn piece(&self, count: usize) -> usize {
        count
    }

    fn marks(&self, _: &HostKernel) -> Marks {
        unreachable!("rows of strips are not watched")
    }

    fn mark(&self, _: Slot) -> usize {
        unreachable!("rows of strips are not watched")
    }

    fn looking_at(&self, _: &HostKernel, _: &mut Marks, _: &mut Vec<Slot>) {}
}

impl Units for StripRows {
    type Located = TileRow;

    fn unit(&self, _: &HostKernel, _: Slot) -> TileRow {
        unreachable!("rows of strips have no slots")
    }

    unsafe fn own(&self, run: RunningBody<'_>, state: usize, row: TileRow, _: &mut Memory) -> *const u8 {
        if let Some(Some(input)) = self.inputs.get(state) {
            return input.at(row.corner[0], row.corner[1]);
        }
        if let Some(Some(input)) = self.letters.get(state) {
            return input.at(row.corner[0], row.letters);
        }
        run.buffers.old[state].wrapping_add(row.number * self.pitches[state])
    }

    unsafe fn halo(&self, run: RunningBody<'_>, entry: usize, row: TileRow, memory: &mut Memory) -> *const u8 {
        let RunningBody { kernel, body, buffers } = run;
        let halo = &body.interface.halo[entry];
        let (columns, [lanes, rows, _]) = (&kernel.states[halo.state], body.directions[halo.direction]);
        if let Some(Some(input)) = self.inputs.get(halo.state) {
            return input.at(row.corner[0] + i64::from(lanes), row.corner[1] + i64::from(rows));
        }
        let there = (row.number as isize + rows as isize) * self.pitches[halo.state] as isize;
        let there = buffers.old[halo.state].wrapping_offset(there);
        match columns.planes {
            // What lies before and behind a row is read for lanes whose results are not kept.
            Planes::Number(ty) => there.wrapping_offset(lanes as isize * ty.scalar().bytes() as isize),
            Planes::Bits(_) if lanes == 0 => there,
            Planes::Bits(_) => {
                let result = &mut memory.scratch.as_mut_slice()[body.scratch[entry]..][..columns.block];
                result.fill(0);
                // SAFETY: the row is one of the tile, as far as the kernel looks.
                let from = unsafe { std::slice::from_raw_parts(there, columns.block) };
                let plane = 4 * columns.shape.words;
                for (from, result) in from.chunks_exact(plane).zip(result.chunks_exact_mut(plane)) {
                    shift(from.as_chunks().0, lanes, result.as_chunks_mut().0);
                }
                result.as_ptr()
            }
        }
    }

    fn presence(&self, body: &CompiledBody, row: TileRow, direction: usize, memory: &mut Memory) -> *const u32 {
        let [lanes, rows, _] = body.directions[direction];
        let words = self.lanes.shape.words;
        if let Some(moves) = &self.loops {
            let place = moves.iter().position(|by| *by == lanes).expect("it is among those of the kernel");
            let moved = row.moved.wrapping_add(place * (self.moved_words() / (moves.len() + 1)));
            return self.row_of_words(moved, row.number as i64 + i64::from(rows));
        }
        let there = row.presence.wrapping_offset(rows as isize * words as isize);
        // SAFETY: the row is one of the tile, as far as the kernel looks.
        let there = unsafe { std::slice::from_raw_parts(there, words) };
        if there.iter().all(|word| *word == u32::MAX) {
            return self.lanes.everywhere().as_ptr();
        }
        if lanes == 0 {
            return there.as_ptr();
        }
        let (result, known) = memory.rows.present[direction].split_at_mut(words + OVERREAD / 4);
        if known[..words] != *there {
            known[..words].copy_from_slice(there);
            result.fill(0);
            shift(there, lanes, &mut result[..words]);
        }
        result.as_ptr()
    }

    fn corner(&self, row: TileRow) -> [u64; 3] {
        // Lanes before the first are no cells.
        [row.corner[0] as u64, row.corner[1] as u64, 0]
    }

    fn numbers(&self, row: TileRow, _: Micro) -> LaneNumbers {
        // Rows differ in their numbers, so that words are made for each.
        LaneNumbers::Consecutive((row.corner[0] as u64) << 32 | row.corner[1] as u64 & u64::from(u32::MAX))
    }

    fn number(&self, row: TileRow, _: Micro, lane: u64) -> u64 {
        let Strips { along, across, shear } = self.strips;
        let lane = row.corner[0] + lane as i64;
        let (mut place, mut extent) = ([0; 3], [1; 3]);
        for ((axis, side), at) in
            [along, across].into_iter().zip(self.sides).zip([row.corner[1] - i64::from(shear) * lane, lane])
        {
            // Lanes beyond the domain are no cells.
            let at = at.rem_euclid(side);
            place[usize::from(axis.axis)] = if axis.backwards { side - 1 - at } else { at } as u64;
            extent[usize::from(axis.axis)] = side as u64;
        }
        PlaceNumbering::of(extent).from(place).of(0)
    }

    fn cells(&self, _: TileRow, _: Micro) -> Option<&[u32]> {
        None
    }

    fn words(&self, row: TileRow, draw: u32) -> Option<&[u32]> {
        let number = self.draws.iter().position(|of| *of == draw)?;
        let stride = self.lanes.shape.stride;
        // SAFETY: the tile has a row of words for each draw of the kernel.
        Some(unsafe { std::slice::from_raw_parts(row.words.add(number * stride), stride) })
    }
}
