//! The kernels of `templates/reduce.cu`, `templates/neighbours.cu`, `templates/members.cu` and `templates/ghosts.cu`, which are the same for all simulations.

use super::driver::{Address, Blocks, Device, Function, Memory, Module};
use super::error::CudaError;
use super::nvrtc::MachineCode;
use crate::Result;
use squeeze_compiler::emit::cuda::{MeasuredColumns, THREADS};
use std::ops::Range;
use std::sync::Arc;

/// The kernels that all simulations share.
pub(super) struct Measure {
    device: Arc<Device>,
    pub module: Module,
    pub neighbour_table: Function,
    digest: Function,
    fill_index: Function,
    fill_input: Function,
    take_over: Function,
    pack: Function,
    take_lane: Function,
    put_lane: Function,
    move_columns: Function,
    multiprocessors: u32,
}

impl Measure {
    /// From `measuring_kernels`, compiled.
    pub(super) fn new(device: &Arc<Device>, image: &MachineCode) -> std::result::Result<Measure, CudaError> {
        let module = Module::new(device, image)?;
        Ok(Measure {
            device: Arc::clone(device),
            neighbour_table: module.function("neighbour_table")?,
            digest: module.function("digest")?,
            fill_index: module.function("fill_index")?,
            fill_input: module.function("fill_input")?,
            take_over: module.function("take_over")?,
            pack: module.function("pack_terms")?,
            take_lane: module.function("take_lane")?,
            put_lane: module.function("put_lane")?,
            move_columns: module.function("move_columns")?,
            multiprocessors: device.multiprocessors()?,
            module,
        })
    }

    /// How many multiprocessors the device has.
    pub(super) fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// The digest of a state of `count` columns.
    pub(super) fn digest(&self, columns: MeasuredColumns, count: u64) -> Result<u64> {
        let sum = Memory::zeroed(&self.device, 8)?;
        let blocks = (count * columns.lanes).div_ceil(THREADS.into()).min(u64::from(32 * self.multiprocessors)).max(1);
        let blocks = Blocks::new(blocks, THREADS)?;
        // SAFETY: the arguments are those of the kernel; the state and the tables have `count` columns, and the sum lives until the device was waited for.
        unsafe { self.digest.launch(blocks, (columns, count, sum.address()))? };
        self.device.synchronize()?;
        let mut bytes = [0; 8];
        sum.download(0, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Starts to give all cells of `count` columns their indices, as 64 bits.
    pub(super) fn fill_index(&self, columns: MeasuredColumns, count: u64) -> Result<()> {
        let places = count * columns.lanes;
        let blocks = Blocks::of_threads(places, THREADS)?;
        // SAFETY: the arguments are those of the kernel; the state and the tables have `count` columns and live as long as the simulation, which waits for
        // the device before anything is dropped.
        unsafe { self.fill_index.launch(blocks, (columns, places))? };
        Ok(())
    }

    /// Gives all cells of `count` columns of a box without holes the values of a list for their coordinates on an axis, 0 or 1 and above, of a box this wide.
    pub(super) fn fill_input(
        &self,
        (columns, count): (MeasuredColumns, u64),
        (axis, height): (u32, u32),
        values: &[u64],
    ) -> Result<()> {
        let (places, list) = (count * columns.lanes, Memory::of(&self.device, values)?);
        let blocks = Blocks::of_threads(places, THREADS)?;
        // SAFETY: as above; the list has a value for each coordinate, and is waited for.
        unsafe { self.fill_input.launch(blocks, (columns, places, list.address(), axis, height))? };
        Ok(self.device.synchronize()?)
    }

    /// Starts to give the cells at the places of a list the values that stand in another buffer of their state.
    pub(super) fn take_over(
        &self,
        (columns, from): (MeasuredColumns, MeasuredColumns),
        (list, count): (Address, u64),
    ) -> Result<()> {
        // The last line of a mask may have no cells, and a kernel without blocks is an error.
        if count == 0 {
            return Ok(());
        }
        // SAFETY: as above; the places of the list, of which there are `count`, are those of columns of the state.
        unsafe { self.take_over.launch(Blocks::of_threads(count, THREADS)?, (columns, from, list, count))? };
        Ok(())
    }

    /// Starts to pack the terms at those of `places` places whose cells have these indices.
    pub(super) fn pack(&self, columns: MeasuredColumns, places: u64, cells: &Range<u64>, terms: &Memory) -> Result<()> {
        let blocks = Blocks::of_threads(places, THREADS)?;
        let arguments = (columns, places, cells.start, cells.end, terms.address());
        // SAFETY: the arguments are those of the kernel; the columns have `places` places, there is room for a term of each cell, and all live as
        // long as the simulation, which waits for the device before anything is dropped.
        unsafe { self.pack.launch(blocks, arguments)? };
        Ok(())
    }

    /// Starts to move stretches of bytes, three numbers each, between two memories that begin at these addresses, in a stream of this device.
    ///
    /// # Safety
    /// The stretches are whole words, and lie in memory that this device reaches and that lives until it was waited for.
    pub(super) unsafe fn move_columns(
        &self,
        stream: &Device,
        stretches: &Memory,
        from: Address,
        to: Address,
    ) -> Result<()> {
        const OF_BLOCK: u64 = 4;
        let count = stretches.len() as u64 / 24;
        if count == 0 {
            return Ok(());
        }
        let arguments = (stretches.address(), count, from, to);
        // SAFETY: the arguments are those of the kernel; as the caller's.
        unsafe { self.move_columns.launch_beside(stream, Blocks::new(count.div_ceil(OF_BLOCK), THREADS)?, arguments)? };
        Ok(())
    }

    /// Copies a lane of columns of bits to the host: a word for each column. The columns come with their number of words.
    pub(super) fn take_lane(&self, columns: (&Memory, usize), lane: usize, bits: &mut [u8]) -> Result<()> {
        let member = Memory::zeroed(&self.device, bits.len() as u64)?;
        self.move_lane(&self.take_lane, columns, lane, &member)?;
        Ok(member.download(0, bits)?)
    }

    /// Copies a lane of columns of bits from the host.
    pub(super) fn put_lane(&self, columns: (&Memory, usize), lane: usize, bits: &[u8]) -> Result<()> {
        self.move_lane(&self.put_lane, columns, lane, &Memory::of(&self.device, bits)?)
    }

    fn move_lane(
        &self,
        function: &Function,
        (columns, words): (&Memory, usize),
        lane: usize,
        member: &Memory,
    ) -> Result<()> {
        let count = member.len() / 4;
        assert!(lane < 32 * words && 4 * count * words <= columns.len(), "beyond the columns' end");
        let arguments = (columns.address(), words as u32, lane as u32, count as u64, member.address());
        // SAFETY: the arguments are those of both kernels; there are as many columns and words, and both memories live until the device was waited for.
        unsafe { function.launch(Blocks::of_threads(count as u64, THREADS)?, arguments)? };
        Ok(self.device.synchronize()?)
    }
}
