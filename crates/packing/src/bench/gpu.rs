//! Encodings of masks on a GPU, with four more experiments than on the processor: setup by the threads of a block, and setup, packing and unpacking
//! beside a copy of as many bytes. Each point is the median of ten repeats after a first one, with cold caches, as in the paper that [`super`] names.

use super::{DENSITIES, EncodingBench, Experiment, PackingMethod};
use crate::Encoding;
use crate::cuda::{DeviceMask, EncodingDevice};
use squeeze_engine::EngineError;
use squeeze_engine::cuda::kit::Memory;
use squeeze_engine::failure::{Error, Result};

/// Threads of a block, in experiments that do not vary them.
const THREADS: usize = 256;
/// Bytes of an array's value.
const VALUE: f64 = 4.0;
/// The fewest bytes that memory moves at once.
const SECTOR: f64 = 32.0;

/// The first GPU, and two arrays for the largest mask: the number of each place, as values to pack, and packed values.
pub(super) struct GpuBench {
    pub device: EncodingDevice,
    numbers: Memory,
    packed: Memory,
}

/// A mask on the GPU.
pub(super) struct GpuMask {
    mask: DeviceMask,
    places: f64,
    density: f64,
}

impl GpuMask {
    fn bytes(&self) -> f64 {
        self.places / 8.0
    }

    /// Bytes that packing reads and writes: the sectors with cells, the cells' values, the mask. A sector has eight values.
    fn bytes_to_pack(&self) -> f64 {
        let touched = SECTOR * (self.places / 8.0) * (1.0 - (1.0 - self.density).powi(8));
        touched + VALUE * self.density * self.places + self.bytes()
    }

    /// Bytes that unpacking reads and writes: the cells' values, all values, the mask.
    fn bytes_to_unpack(&self) -> f64 {
        VALUE * (1.0 + self.density) * self.places + self.bytes()
    }
}

impl GpuBench {
    pub(super) fn new(most: u32) -> Result<GpuBench> {
        let device = EncodingDevice::first()?;
        // Four bytes a place each: values, packed values, unpacked values, the permutation. One more for masks.
        super::expect_room(most, 17 * u64::from(most), device.room()?)?;
        let (numbers, packed) = (device.numbers(most.into())?, device.values(most.into())?);
        Ok(GpuBench { device, numbers, packed })
    }

    /// Fails if some values are wrong.
    fn check(&self, wrong: u64, values: &str, mask: &GpuMask) -> Result<()> {
        let GpuMask { places, density, .. } = mask;
        match wrong {
            0 => Ok(()),
            _ => Err(Error::system(format!("{values} of {places} places at density {density}: {wrong} are wrong"))),
        }
    }

    /// Seconds to encode a mask.
    fn setup_seconds(&self, encoding: Encoding, mask: &GpuMask, threads: usize) -> Result<f64> {
        let memory = self.device.encoding(encoding, &mask.mask)?;
        Ok(self.device.seconds(|| self.device.start_setup(&mask.mask, &memory, threads as u32))?)
    }

    /// Seconds to pack; the result is checked first.
    fn pack_seconds(&self, way: PackingMethod, mask: &GpuMask, threads: usize) -> Result<f64> {
        let memory = self.device.encoding(way.encoding(), &mask.mask)?;
        self.device.start_setup(&mask.mask, &memory, THREADS as u32)?;
        let arrays = (&self.numbers, &self.packed);
        let together = matches!(way, PackingMethod::Together(_));
        let pack = || self.device.start_pack(&mask.mask, &memory, together, arrays, threads as u32);
        // A value that packing leaves out shows as wrong.
        self.packed.fill(self.packed.len(), 0xa5a5_a5a5).map_err(EngineError::from)?;
        pack()?;
        self.check(self.device.wrong_packed(&mask.mask, &self.packed)?, &way.name(), mask)?;
        Ok(self.device.seconds(pack)?)
    }

    /// Seconds to unpack the values of the last packing, which must be of the same mask; the result is checked first.
    fn unpack_seconds(&self, way: PackingMethod, mask: &GpuMask) -> Result<f64> {
        let memory = self.device.encoding(way.encoding(), &mask.mask)?;
        self.device.start_setup(&mask.mask, &memory, THREADS as u32)?;
        let (all, hole) = (self.device.values(mask.places as u64)?, self.device.values(1)?);
        hole.fill(hole.len(), u32::MAX).map_err(EngineError::from)?;
        let unpack = || self.device.start_unpack(&mask.mask, &memory, &self.packed, (&all, &hole));
        unpack()?;
        self.check(self.device.wrong_unpacked(&mask.mask, &all)?, &format!("{} unpacked", way.name()), mask)?;
        Ok(self.device.seconds(unpack)?)
    }

    /// The experiments that a GPU has alone.
    pub(super) fn more(&self, most: u32, sizes: &[u32], begin: &impl Fn(&str)) -> Result<Vec<Experiment>> {
        begin("setup, blocks");
        let half = self.draw(most, 0.5)?;
        let mut experiments = vec![Experiment {
            name: "setup-by-block",
            title: "Setup of encodings, by the threads of a block".to_owned(),
            x: "threads",
            y: "GB/s of mask",
            logarithmic: true,
            curves: super::curves(Encoding::ALL, Encoding::name, |encoding| {
                super::points(Self::BLOCKS, |block| Ok((block as f64, self.setup(encoding, &half, Some(block))?)))
            })?,
        }];
        drop(half);
        begin("setup beside a copy");
        experiments.push(Experiment {
            name: "setup-of-reading",
            title: "The time of reading a mask over that of setting up encodings".to_owned(),
            x: "places",
            y: "of reading",
            logarithmic: true,
            curves: super::curves(Encoding::ALL, Encoding::name, |encoding| {
                super::points(sizes, |places| {
                    let mask = self.draw(places, 0.5)?;
                    let reading = self.device.copy_seconds(2.0 * mask.bytes())? / 2.0;
                    Ok((mask.places, reading / self.setup_seconds(encoding, &mask, THREADS)?))
                })
            })?,
        });
        begin("packing and unpacking beside a copy");
        let ways = [PackingMethod::Each(Encoding::Permutation), PackingMethod::Ours];
        let [mut packing, mut unpacking] = [(); 2].map(|()| ways.map(|way| (way.name(), Vec::new())).to_vec());
        for density in DENSITIES.into_iter().rev() {
            let mask = self.draw(most, density)?;
            let copy_to_pack = self.device.copy_seconds(mask.bytes_to_pack())?;
            let copy_to_unpack = self.device.copy_seconds(mask.bytes_to_unpack())?;
            for (index, way) in ways.into_iter().enumerate() {
                packing[index].1.push((density, copy_to_pack / self.pack_seconds(way, &mask, THREADS)?));
                unpacking[index].1.push((density, copy_to_unpack / self.unpack_seconds(way, &mask)?));
            }
        }
        for (name, title, curves) in [
            ("pack-of-copy", "The time of a copy of the same bytes over that of packing", packing),
            ("unpack-of-copy", "The time of a copy of the same bytes over that of unpacking", unpacking),
        ] {
            experiments.push(Experiment {
                name,
                title: title.to_owned(),
                x: "density",
                y: "of a copy",
                logarithmic: true,
                curves,
            });
        }
        Ok(experiments)
    }
}

impl EncodingBench for GpuBench {
    type Mask = GpuMask;

    const BLOCK: usize = THREADS;
    const BLOCKS: &[usize] = &[64, 128, 256, 512, 1024];
    const BLOCK_IS: &str = "threads of a block";
    const SMALLER: u32 = 1;

    fn draw(&self, places: u32, density: f64) -> Result<GpuMask> {
        let mask = self.device.draw(places.into(), super::bound(density))?;
        Ok(GpuMask { mask, places: places.into(), density })
    }

    fn bytes(encoding: Encoding, places: u64, cells: u64) -> u64 {
        match encoding {
            Encoding::Ranks => EncodingDevice::bytes_of_ours(places),
            _ => encoding.bytes(places, cells),
        }
    }

    fn setup(&self, encoding: Encoding, mask: &GpuMask, threads: Option<usize>) -> Result<f64> {
        Ok(mask.bytes() / 1e9 / self.setup_seconds(encoding, mask, threads.unwrap_or(THREADS))?)
    }

    fn apply(&self, way: PackingMethod, mask: &GpuMask, threads: usize) -> Result<f64> {
        Ok(VALUE * mask.places / 1e9 / self.pack_seconds(way, mask, threads)?)
    }
}
