//! Compiled kernels and their execution on all superblocks, in parallel.

use super::buffer::{Scratch, Shared};
use super::call::{Call, KernelFn, OVERREAD};
use super::code::{Code, compile};
use super::random::{self, Moment};
use super::world::{FarDirection, HostTables, Neighbour};
use crate::engine::Result;
use rayon::prelude::*;
use squeeze_compiler::ir::kernel::Interface;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::passes::Ready;
use std::sync::{Mutex, PoisonError};
use std::{mem, ptr};

/// A kernel ready to run.
pub(super) struct Pass {
    code: Code,
    /// Columns of each state of the kernel.
    pub states: Vec<Columns>,
    interface: Interface,
    /// Of each direction that leads farther than beside a superblock, how lanes can move there.
    far: Vec<FarDirection>,
    /// For each of the halo's entries where its moved columns stand in a thread's scratch memory; last how long that is.
    scratch: Vec<usize>,
    /// A superblock of zeros, as large as the largest, in the place of those that are absent.
    zeros: Scratch,
    /// Scratch memory of the workers before: clearing new memory can cost as much as a pass over few superblocks.
    idle: Mutex<Vec<Scratch>>,
}

/// Where a pass reads and writes: per state of its kernel the buffers' addresses, null where there is none.
pub(super) struct Buffers {
    pub old: Vec<*const u8>,
    pub new: Vec<Shared>,
}

// SAFETY: the old buffers are only read while a pass runs, and outlive it.
unsafe impl Sync for Buffers {}

/// The numbers that a run hands to every kernel.
#[derive(Clone, Copy)]
pub(super) struct Globals<'a> {
    pub params: &'a [u64],
    pub time: u32,
    pub seed: u64,
}

impl Pass {
    /// Compiles a kernel for the world's layout.
    pub fn new(kernel: &Ready, world: &HostTables) -> Result<Pass> {
        let code = compile(kernel, world.shape, world.isa)?;
        Ok(Pass::of_code(kernel, world, code))
    }

    /// A kernel whose code is there.
    pub fn of_code(kernel: &Ready, world: &HostTables, code: Code) -> Pass {
        let states: Vec<Columns> = kernel.states.iter().map(|state| world.columns(state.planes)).collect();
        let interface = kernel.interface().clone();
        let mut scratch = vec![0];
        for halo in &interface.halo {
            let end = scratch.last().copied().unwrap_or(0) + states[halo.state].block.next_multiple_of(64);
            scratch.push(end);
        }
        let largest = states.iter().map(|state| state.block).max().unwrap_or(0);
        let far = interface.far.iter().map(|direction| world.far_direction(*direction)).collect();
        Pass { code, states, interface, far, scratch, zeros: Scratch::new(largest), idle: Mutex::default() }
    }

    /// The states that it stores.
    pub fn writes(&self) -> &[usize] {
        &self.interface.writes
    }

    /// The name of the engine that compiled it.
    pub fn engine(&self) -> &'static str {
        self.code.engine()
    }

    /// Runs the kernel on every superblock.
    ///
    /// # Safety
    /// The buffers hold, for every state that the kernel loads and stores, all superblocks of the world, with room to over-read; nobody else
    /// writes them or reads the new ones meanwhile.
    pub unsafe fn run(&self, world: &HostTables, buffers: &Buffers, globals: Globals<'_>) {
        let superblocks = world.superblocks();
        let threads = rayon::current_num_threads() as u32;
        if threads == 1 || world.cells() < world.cells_worth_threads {
            let mut worker = Worker::new(self, world, globals);
            for superblock in 0..superblocks {
                // SAFETY: as the caller's; the superblock exists.
                unsafe { worker.run(buffers, superblock) };
            }
            return;
        }
        // Small enough for threads to end together, large enough that taking a piece costs nothing.
        let piece = superblocks.div_ceil(16 * threads).clamp(1, 4096);
        (0..superblocks.div_ceil(piece)).into_par_iter().for_each_init(
            || Worker::new(self, world, globals),
            |worker, index| {
                for superblock in index * piece..((index + 1) * piece).min(superblocks) {
                    // SAFETY: as the caller's; the superblock exists, and no other piece holds it.
                    unsafe { worker.run(buffers, superblock) };
                }
            },
        );
    }
}

/// What one thread needs to call a kernel for one superblock after another.
pub(super) struct Worker<'a> {
    pass: &'a Pass,
    world: &'a HostTables,
    function: KernelFn,
    call: Call,
    /// The tables that `call` points to; their addresses stay while the worker moves.
    reads: Box<[*const u8]>,
    writes: Box<[*mut u8]>,
    presence: Box<[*const u32]>,
    _lane_corners: Box<[*const i32; 3]>,
    /// Columns with their lanes moved.
    scratch: Scratch,
    /// Columns of random words, with room to over-read.
    random: Box<[u32]>,
    seed: u64,
}

impl<'a> Worker<'a> {
    pub fn new(pass: &'a Pass, world: &'a HostTables, globals: Globals<'a>) -> Self {
        let dimension = world.layout.dimension();
        let reads = vec![ptr::null(); pass.interface.blocks(dimension, pass.states.len())].into_boxed_slice();
        let writes = vec![ptr::null_mut(); pass.states.len()].into_boxed_slice();
        let presence = vec![ptr::null(); world.directions.len() + pass.far.len()].into_boxed_slice();
        let lane_corners = Box::new(std::array::from_fn(|axis| world.lane_corners[axis].as_ptr()));
        let idle = pass.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let scratch = idle.unwrap_or_else(|| Scratch::new(pass.scratch.last().copied().unwrap_or(0)));
        let words = pass.interface.random.len() * world.shape.stride;
        let random = vec![0; if words == 0 { 0 } else { words + OVERREAD / 4 }].into_boxed_slice();
        let call = Call {
            reads: ptr::null(),
            writes: ptr::null(),
            presence: ptr::null(),
            params: globals.params.as_ptr(),
            lane_corners: lane_corners.as_ptr(),
            superblock_corner: [0; 3],
            time: globals.time,
            level: world.layout.level() as i32,
            side: i32::try_from(world.layout.side()).unwrap_or(0),
            random: random.as_ptr(),
        };
        Worker {
            pass,
            world,
            function: pass.code.function(),
            call,
            reads,
            writes,
            presence,
            _lane_corners: lane_corners,
            scratch,
            random,
            seed: globals.seed,
        }
    }

    /// Calls the kernel for one superblock, with results going to the new buffers.
    ///
    /// # Safety
    /// As of [`Pass::run`]; the superblock exists, and no other thread calls the kernel for it.
    pub unsafe fn run(&mut self, buffers: &Buffers, superblock: u32) {
        for &state in &self.pass.interface.writes {
            self.writes[state] = buffers.new[state].at(superblock as usize * self.pass.states[state].block);
        }
        // SAFETY: as the caller's; what the kernel writes was just said.
        unsafe {
            self.read_from(buffers, superblock);
            self.call(superblock);
        }
    }

    /// Calls the kernel for one superblock, with the columns of state i going to the block at `results[i]`.
    ///
    /// # Safety
    /// As of [`Pass::run`] for the old buffers; the superblock exists, and the blocks of all states that are stored have room for
    /// their columns and are this thread's own.
    pub unsafe fn run_into(&mut self, buffers: &Buffers, superblock: u32, results: &[Shared]) {
        for &state in &self.pass.interface.writes {
            self.writes[state] = results[state].at(0);
        }
        // SAFETY: as the caller's; what the kernel writes was just said.
        unsafe {
            self.read_from(buffers, superblock);
            self.call(superblock);
        }
    }

    /// Points the tables of blocks and presence to what this superblock sees.
    ///
    /// # Safety
    /// As of [`Pass::run`] for the old buffers; the superblock exists.
    unsafe fn read_from(&mut self, buffers: &Buffers, superblock: u32) {
        let dimension = self.world.layout.dimension();
        let (index, states) = (superblock as usize, self.pass.states.len());
        let place = if self.pass.far.is_empty() { [0; 3] } else { self.world.place(superblock) };
        for &state in &self.pass.interface.own {
            self.reads[self.pass.interface.block(dimension, states, state, None)] =
                buffers.old[state].wrapping_add(index * self.pass.states[state].block);
        }
        for (halo, scratch) in self.pass.interface.halo.iter().zip(&self.pass.scratch) {
            let columns = &self.pass.states[halo.state];
            let neighbour = self.neighbour(superblock, place, halo.direction);
            let block = self.pass.interface.block(dimension, states, halo.state, Some(halo.direction));
            self.reads[block] = match neighbour {
                Neighbour::Absent => self.pass.zeros.as_ptr(),
                Neighbour::Here(index) => buffers.old[halo.state].wrapping_add(index as usize * columns.block),
                Neighbour::Moved(index, wrap) => {
                    let source = buffers.old[halo.state].wrapping_add(index as usize * columns.block);
                    // SAFETY: superblock `index` exists, so its block lies inside the old buffer, which nobody writes
                    // while the pass runs.
                    let source = unsafe { std::slice::from_raw_parts(source, columns.block) };
                    let result = &mut self.scratch.as_mut_slice()[*scratch..][..columns.block];
                    for &micro in &halo.micro {
                        let column = micro as usize * columns.column..(micro as usize + 1) * columns.column;
                        wrap.move_column(
                            self.world.shape,
                            columns.planes,
                            &source[column.clone()],
                            &mut result[column],
                        );
                    }
                    result.as_ptr()
                }
            };
        }
        for &direction in &self.pass.interface.presence {
            let neighbour = self.neighbour(superblock, place, direction);
            self.presence[direction] = self.world.presence(neighbour).as_ptr();
        }
    }

    /// The neighbour of a superblock in the direction of this place in the kernel's [`Interface`]; the superblock's own place is needed for those
    /// farther away.
    fn neighbour(&self, superblock: u32, place: [u64; 3], direction: usize) -> Neighbour<'a> {
        match direction.checked_sub(self.world.directions.len()) {
            None => self.world.neighbour(superblock, direction),
            Some(far) => self.world.far_neighbour(&self.pass.far[far], place),
        }
    }

    /// # Safety
    /// The tables point to what this superblock sees, and to where it may write.
    unsafe fn call(&mut self, superblock: u32) {
        if self.pass.interface.superblock_corner {
            self.call.superblock_corner = self.world.layout.superblock_corner(superblock).map(|v| v as i32);
        }
        if !self.pass.interface.random.is_empty() {
            let moment = Moment { seed: self.seed, time: self.call.time };
            let first = self.world.reversed.superblock(&self.world.layout, superblock);
            let columns = self.random.chunks_exact_mut(self.world.shape.stride);
            for (word, column) in self.pass.interface.random.iter().zip(columns) {
                random::fill(moment, first + self.world.reversed.micro(word.micro), word.draw, column);
            }
            self.call.random = self.random.as_ptr();
        }
        (self.call.reads, self.call.writes) = (self.reads.as_ptr(), self.writes.as_mut_ptr());
        self.call.presence = self.presence.as_ptr();
        // SAFETY: the kernel was compiled for this world's shape, and every table entry that it uses was just filled: own
        // and halo blocks of all states that it loads, presence of all directions it asks for, its random words, blocks of
        // all states it stores, which no other superblock's call writes.
        unsafe { (self.function)(&raw const self.call) };
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let scratch = mem::take(&mut self.scratch);
        self.pass.idle.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}
