//! The encodings of masks on a GPU, to be compared: what builds them, what packs arrays with them, and a clock.

use super::abi::{Dynamic, Fixed, Layers};
use super::pack::{DeviceMask, PackDevice, THREADS};
use crate::Encoding;
use squeeze_engine::Result;
use squeeze_engine::cuda::kit::{Arguments, Blocks, Memory, RESERVE};

/// Repeats that are timed, beside the first one.
const REPEATS: usize = 10;
/// Words of a chunk, as in the kernels.
const CHUNK: u64 = 2048;

/// The first device, ready to compare encodings.
pub(crate) struct EncodingDevice {
    pack: PackDevice,
    /// A mask that is read so that the caches hold nothing else, and where its cells are counted.
    others: DeviceMask,
}

/// Memory for an encoding of a mask.
pub(crate) enum EncodingMemory {
    /// The list of places.
    Places(Memory),
    /// Both kinds of trees.
    Tree(Tree),
    /// This project's own, which is part of the mask.
    Ours,
}

/// A tree of sums: of 16 bits for blocks of 2^a places, of 32 bits for 2^b of these, and of every 32nd of those and so on.
pub(crate) struct Tree {
    a: u32,
    b: u32,
    inclusive: bool,
    dynamic: bool,
    fine: Memory,
    /// The finest first.
    coarse: Vec<Memory>,
    counts: Vec<u64>,
    chunks: Memory,
}

impl Tree {
    fn layers(&self) -> Layers {
        let mut layers = Layers { count: self.coarse.len() as u32, ..Layers::default() };
        for (layer, (sums, count)) in self.coarse.iter().zip(&self.counts).enumerate() {
            (layers.sums[layer], layers.counts[layer]) = (sums.address(), *count as u32);
        }
        layers
    }
}

impl EncodingDevice {
    /// Compiles the kernels for the first device.
    pub(crate) fn first() -> Result<EncodingDevice> {
        let pack = PackDevice::with(&super::encodings())?;
        let cache = u64::from(pack.device.second_cache()?);
        let others = DeviceMask::new(&pack.device, (2 * 8 * cache).max(1))?;
        Ok(EncodingDevice { pack, others })
    }

    /// The device's name.
    pub(crate) fn name(&self) -> String {
        self.pack.name()
    }

    /// The bytes of its memory that may be taken.
    pub(crate) fn room(&self) -> Result<u64> {
        Ok(self.pack.device.free_memory()?.saturating_sub(RESERVE))
    }

    /// A mask of which each place is a cell if the upper half of what `mix` makes of its number is below `bound`.
    pub(crate) fn draw(&self, places: u64, bound: u64) -> Result<DeviceMask> {
        let mut mask = DeviceMask::new(&self.pack.device, places)?;
        let arguments = (mask.words.address(), places, bound);
        // SAFETY: the arguments are those of the kernel, which has a thread for each word.
        unsafe { self.start("draw_mask", places.div_ceil(32), THREADS, arguments)? };
        self.pack.count_cells(&mut mask)?;
        Ok(mask)
    }

    /// Values of four bytes, all 0.
    pub(crate) fn values(&self, count: u64) -> Result<Memory> {
        Ok(Memory::zeroed(&self.pack.device, 4 * count)?)
    }

    /// The number of each place.
    pub(crate) fn numbers(&self, count: u64) -> Result<Memory> {
        let values = self.values(count)?;
        // SAFETY: the arguments are those of the kernel, and there are `count` values.
        unsafe { self.start("number_places", count, THREADS, (values.address(), count))? };
        Ok(values)
    }

    /// Memory for an encoding.
    pub(crate) fn encoding(&self, encoding: Encoding, mask: &DeviceMask) -> Result<EncodingMemory> {
        let (a, b, inclusive, dynamic) = match encoding {
            Encoding::Permutation => {
                return Ok(EncodingMemory::Places(Memory::zeroed(&self.pack.device, 4 * mask.cells)?));
            }
            Encoding::Ranks => return Ok(EncodingMemory::Ours),
            Encoding::FixedInclusive { a, b } => (a, b, true, false),
            Encoding::FixedExclusive { a, b } => (a, b, false, false),
            Encoding::DynamicExclusive => (10, 5, false, true),
        };
        let device = &self.pack.device;
        // The finest layers are written by whole chunks.
        let padded = 32 * CHUNK * mask.count();
        let mut counts = vec![mask.places.div_ceil(1 << (a + b))];
        let mut coarse = vec![Memory::zeroed(device, 4 * (padded >> (a + b)))?];
        while dynamic && counts[counts.len() - 1] > 32 {
            let count = counts[counts.len() - 1].div_ceil(32);
            counts.push(count);
            coarse.push(Memory::zeroed(device, 4 * count)?);
        }
        let fine = Memory::zeroed(device, 2 * (padded >> a))?;
        let chunks = Memory::zeroed(device, mask.chunks.len() as u64)?;
        Ok(EncodingMemory::Tree(Tree { a, b, inclusive, dynamic, fine, coarse, counts, chunks }))
    }

    /// Bytes of this project's own tables for a mask of `places` places.
    pub(crate) fn bytes_of_ours(places: u64) -> u64 {
        2 * places.div_ceil(1024) + 4 * places.div_ceil(32 * CHUNK)
    }

    /// Starts to encode a mask, by blocks of `threads` threads.
    pub(crate) fn start_setup(&self, mask: &DeviceMask, encoding: &EncodingMemory, threads: u32) -> Result<()> {
        match encoding {
            EncodingMemory::Ours => self.pack.start_rank(mask, threads),
            EncodingMemory::Places(places) => {
                self.pack.start_rank(mask, threads)?;
                let arguments = (mask.tiles(), places.address());
                // SAFETY: the arguments are those of the kernel, and there is a number for each cell.
                unsafe { self.pack.start("permutation", mask.warps(threads)?, arguments) }
            }
            EncodingMemory::Tree(tree) => {
                let (words, end, chunks) = (mask.words.address(), u32::from(tree.inclusive), tree.chunks.address());
                let sums = (tree.fine.address(), tree.coarse[0].address());
                let arguments = (words, tree.a, tree.b, end, sums, chunks);
                // SAFETY: the arguments are those of the kernel, which takes a chunk a block; all layers have room for whole chunks.
                unsafe { self.start("grow_tree", mask.count() * u64::from(threads), threads, arguments)? };
                self.pack.start_sums(&tree.chunks, mask.count())?;
                let sections = ((32 * CHUNK) >> (tree.a + tree.b)) as u32;
                let arguments = (tree.layers(), sections, chunks);
                // SAFETY: the arguments are those of the kernel, which has a thread for each sum of the finest layer.
                unsafe { self.start("finish_tree", tree.counts[0], threads, arguments) }
            }
        }
    }

    /// Starts to pack values of four bytes, by blocks of `threads` threads; `together`: 32 cells go down a dynamic tree together.
    pub(crate) fn start_pack(
        &self,
        mask: &DeviceMask,
        encoding: &EncodingMemory,
        together: bool,
        (values, packed): (&Memory, &Memory),
        threads: u32,
    ) -> Result<()> {
        assert!(values.len() as u64 >= 4 * mask.places && packed.len() as u64 >= 4 * mask.cells);
        let all = (mask.cells, values.address(), packed.address());
        match encoding {
            EncodingMemory::Ours => self.pack.start_pack(mask, 4, values, packed, threads),
            EncodingMemory::Places(places) => {
                // SAFETY: the arguments are those of the kernel; there is a thread for each cell.
                unsafe { self.start("gather", mask.cells, threads, (places.address(), all)) }
            }
            EncodingMemory::Tree(tree) if tree.dynamic => {
                let dynamic = Dynamic {
                    mask: mask.words.address(),
                    fine: tree.fine.address(),
                    blocks: mask.places.div_ceil(1024) as u32,
                    layers: tree.layers(),
                };
                let name = if together { "gather_together" } else { "gather_dynamic" };
                // SAFETY: as above.
                unsafe { self.start(name, mask.cells, threads, (dynamic, all)) }
            }
            EncodingMemory::Tree(tree) => {
                let fixed = Fixed {
                    mask: mask.words.address(),
                    fine: tree.fine.address(),
                    coarse: tree.coarse[0].address(),
                    a: tree.a,
                    b: tree.b,
                    sections: tree.counts[0] as u32,
                    step: 1 << tree.counts[0].ilog2(),
                };
                let name = if tree.inclusive { "gather_inclusive" } else { "gather_exclusive" };
                // SAFETY: as above.
                unsafe { self.start(name, mask.cells, threads, (fixed, all)) }
            }
        }
    }

    /// Starts to unpack values of four bytes as this project does, or by a permutation: `hole` is all ones.
    pub(crate) fn start_unpack(
        &self,
        mask: &DeviceMask,
        encoding: &EncodingMemory,
        packed: &Memory,
        (values, hole): (&Memory, &Memory),
    ) -> Result<()> {
        let EncodingMemory::Places(places) = encoding else {
            return self.pack.start_unpack(mask, 4, (packed, hole), values, THREADS);
        };
        assert!(values.len() as u64 >= 4 * mask.places && packed.len() as u64 >= 4 * mask.cells);
        values.fill(values.len(), u32::MAX)?;
        let arguments = (places.address(), mask.cells, packed.address(), values.address());
        // SAFETY: the arguments are those of the kernel; the places are those of the mask, and there is a value for each.
        unsafe { self.start("scatter", mask.cells, THREADS, arguments) }
    }

    /// How many packed numbers of places are wrong.
    pub(crate) fn wrong_packed(&self, mask: &DeviceMask, packed: &Memory) -> Result<u64> {
        let wrong = Memory::zeroed(&self.pack.device, 8)?;
        let arguments = (mask.words.address(), packed.address(), mask.cells, wrong.address());
        // SAFETY: the arguments are those of the kernel, and there is a value for each cell.
        unsafe { self.start("check_packed", mask.cells, THREADS, arguments)? };
        self.counted(&wrong)
    }

    /// How many unpacked numbers of places are wrong, where a hole has all ones.
    pub(crate) fn wrong_unpacked(&self, mask: &DeviceMask, values: &Memory) -> Result<u64> {
        let wrong = Memory::zeroed(&self.pack.device, 8)?;
        let arguments = (mask.words.address(), values.address(), mask.places, u32::MAX, wrong.address());
        // SAFETY: the arguments are those of the kernel, and there is a value for each place.
        unsafe { self.start("check_unpacked", mask.places, THREADS, arguments)? };
        self.counted(&wrong)
    }

    fn counted(&self, sum: &Memory) -> Result<u64> {
        let mut bytes = [0; 8];
        sum.download(0, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// The median seconds of some work while the caches hold nothing of it.
    pub(crate) fn seconds(&self, work: impl Fn() -> Result<()>) -> Result<f64> {
        let once = |_| {
            self.pack.start_rank(&self.others, THREADS)?;
            self.pack.device.clocked(&work)
        };
        let times: Result<Vec<f64>> = (0..=REPEATS).map(once).collect();
        let mut times = times?.split_off(1);
        times.sort_unstable_by(f64::total_cmp);
        Ok((times[(REPEATS - 1) / 2] + times[REPEATS / 2]) / 2.0)
    }

    /// The median seconds of a copy that moves `moved` bytes, half of them reads and half of them writes.
    pub(crate) fn copy_seconds(&self, moved: f64) -> Result<f64> {
        let bytes = ((moved / 2.0) as u64).next_multiple_of(256).max(256);
        let device = &self.pack.device;
        let (source, target) = (Memory::zeroed(device, bytes)?, Memory::zeroed(device, bytes)?);
        self.seconds(|| Ok(target.copy_from(&source)?))
    }

    /// Starts a kernel of at least `all` threads in blocks of `threads`.
    ///
    /// # Safety
    /// As for [`PackDevice::start`].
    unsafe fn start(&self, name: &str, all: u64, threads: u32, arguments: impl Arguments) -> Result<()> {
        // SAFETY: as the caller says.
        unsafe { self.pack.start(name, Blocks::of_threads(all, threads)?, arguments) }
    }
}
