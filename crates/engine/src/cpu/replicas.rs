//! Lanes that are replicas, or members of an ensemble: the columns of a neighbour stand in another superblock, perhaps with their lanes moved.

use super::activity::Marks;
use super::kernel::{Buffers, CompiledBody, HostKernel, Memory, Tables, Units};
use super::neighbours::{FarDirection, HostNeighbours, LaneTables, Neighbour};
use squeeze_codegen::ColumnOrder;
use squeeze_compiler::kernel::Direction;
use squeeze_compiler::layout::unit::{Lane, Micro, Slot};

/// A superblock.
#[derive(Clone, Copy)]
pub(super) struct Superblock {
    slot: Slot,
    /// Its place in the middle fractal, where a kernel looks far.
    place: [u64; 3],
    /// The digit-reversed index of its first cell, where a kernel draws.
    first_draw: u64,
}

impl HostNeighbours {
    /// The neighbour in the direction of this place in the body's [`Interface`](squeeze_compiler::kernel::Interface).
    #[inline]
    fn look<'a>(
        &'a self,
        body: &'a CompiledBody,
        Superblock { slot, place, .. }: Superblock,
        direction: usize,
    ) -> Neighbour<'a> {
        match direction.checked_sub(self.directions.len()) {
            None => self.neighbour(slot, direction),
            Some(far) => self.far_neighbour(&body.far[far], place),
        }
    }
}

impl Tables for HostNeighbours {
    #[inline]
    fn lanes(&self) -> &LaneTables {
        &self.lanes
    }

    fn order(&self) -> ColumnOrder {
        ColumnOrder::Superblocks
    }

    fn far_directions(&self, directions: &[Direction]) -> Vec<FarDirection> {
        directions.iter().map(|direction| self.far_direction(*direction)).collect()
    }

    fn piece(&self, count: usize) -> usize {
        let few = self.is_small() || self.cells_of(count) < self.cells_worth_threads;
        // Small enough for threads to end together, large enough that taking a piece costs nothing.
        if few { count } else { count.div_ceil(16 * rayon::current_num_threads()).clamp(1, 4096) }
    }

    fn marks(&self, _: &HostKernel) -> Marks {
        Marks::new(self.part.stored(), false)
    }

    fn mark(&self, unit: Slot) -> usize {
        unit.index()
    }

    fn looking_at(&self, _: &HostKernel, marks: &mut Marks, units: &mut Vec<Slot>) {
        self.spread(marks, units);
    }
}

impl Units for HostNeighbours {
    type Located = Superblock;

    #[inline]
    fn unit(&self, kernel: &HostKernel, slot: Slot) -> Superblock {
        let first_draw = || self.layout.reversed(Lane(0), self.part.unit(slot), Micro(0));
        Superblock {
            slot,
            place: if kernel.looks_far { self.place(slot) } else { [0; 3] },
            first_draw: if kernel.draws { first_draw() } else { 0 },
        }
    }

    #[inline]
    unsafe fn own(
        &self,
        kernel: &HostKernel,
        buffers: &Buffers,
        Superblock { slot, .. }: Superblock,
        state: usize,
        _: &mut Memory,
    ) -> *const u8 {
        buffers.old[state].wrapping_add(slot.index() * kernel.states[state].block)
    }

    #[inline]
    unsafe fn halo(
        &self,
        kernel: &HostKernel,
        body: &CompiledBody,
        entry: usize,
        buffers: &Buffers,
        unit: Superblock,
        memory: &mut Memory,
    ) -> *const u8 {
        let halo = &body.interface.halo[entry];
        let columns = &kernel.states[halo.state];
        let block = |slot: Slot| buffers.old[halo.state].wrapping_add(slot.index() * columns.block);
        match self.look(body, unit, halo.direction) {
            Neighbour::Absent => kernel.zeros.as_ptr(),
            Neighbour::Here(slot) => block(slot),
            Neighbour::Moved(slot, wrap) => {
                // SAFETY: a superblock stands there, so its block lies inside the old buffer, which nobody writes while the pass runs.
                let source = unsafe { std::slice::from_raw_parts(block(slot), columns.block) };
                let result = &mut memory.scratch.as_mut_slice()[body.scratch[entry]..][..columns.block];
                for &micro in &halo.micro {
                    let column = micro as usize * columns.column..(micro as usize + 1) * columns.column;
                    wrap.move_column(self.lanes.shape, columns.planes, &source[column.clone()], &mut result[column]);
                }
                result.as_ptr()
            }
        }
    }

    #[inline]
    fn presence(&self, body: &CompiledBody, unit: Superblock, direction: usize, _: &mut Memory) -> *const u32 {
        self.presence(self.look(body, unit, direction)).as_ptr()
    }

    fn corner(&self, Superblock { slot, .. }: Superblock) -> [u64; 3] {
        self.layout.superblock_corner(self.part.unit(slot))
    }

    fn first_draw(&self, unit: Superblock, Micro(micro): Micro) -> u64 {
        unit.first_draw + self.micro_draws[micro as usize]
    }

    #[inline]
    fn cells(&self, _: Superblock, _: Micro) -> (usize, Option<&[u32]>) {
        (self.lanes.shape.lanes, None)
    }
}
