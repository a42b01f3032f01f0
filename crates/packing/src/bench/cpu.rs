//! The encodings of masks on the processor.

use super::{EncodingBench, PackingMethod};
use crate::{Encoding, Mask, Rank};
use rayon::prelude::*;
use squeeze_bench::time_of;
use squeeze_compiler::numbers::digest::mix;
use squeeze_engine::failure::Result;

/// The shortest repeat in seconds.
const SHORTEST: f64 = 0.004;
/// Cells that a thread finds at a time, where that does not vary.
const BLOCK: usize = 4096;

/// The threads of the pool that calls it; each point is measured for about this many seconds.
pub(super) struct ProcessorBench {
    pub seconds: f64,
}

impl ProcessorBench {
    /// Seconds of some work, the median.
    fn clocked(&self, work: impl FnMut()) -> f64 {
        time_of(SHORTEST.min(self.seconds), self.seconds, work).median
    }
}

impl EncodingBench for ProcessorBench {
    type Mask = Mask;

    const BLOCK: usize = BLOCK;
    const BLOCKS: &[usize] = &[1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16];
    const BLOCK_IS: &str = "cells at a time";
    /// Masks of the experiment with densities are so much smaller than the largest.
    const SMALLER: u32 = 4;

    fn draw(&self, places: u32, density: f64) -> Result<Mask> {
        let bound = super::bound(density);
        let list: Vec<bool> = (0..places).into_par_iter().map(|place| mix(u64::from(place)) >> 32 < bound).collect();
        Ok(Mask::from_places([places, 1, 1], &list).expect("a row has few places"))
    }

    fn setup(&self, encoding: Encoding, mask: &Mask, _: Option<usize>) -> Result<f64> {
        let bytes = mask.places() as f64 / 8.0;
        Ok(bytes / 1e9 / self.clocked(|| drop(std::hint::black_box(encoding.encode(mask)))))
    }

    fn apply(&self, way: PackingMethod, mask: &Mask, block: usize) -> Result<f64> {
        let values: Vec<u32> = (0..mask.places() as u32).collect();
        let mut packed = vec![0; mask.cells() as usize];
        let rank = (way == PackingMethod::Ours).then(|| Rank::new(mask));
        let Ok(encoded) = way.encoding().encode(mask) else { return Ok(f64::NAN) };
        let once = || match &rank {
            Some(rank) => rank.pack_into(&values, &mut packed).expect("both lists are of this mask"),
            None => packed.par_chunks_mut(block).enumerate().for_each(|(index, packed)| {
                let first = (index * block) as u64;
                match way {
                    PackingMethod::Together(_) => encoded.gather_together(&values, first, packed),
                    PackingMethod::Each(_) | PackingMethod::Ours => encoded.gather(&values, first, packed),
                }
            }),
        };
        Ok(4.0 * mask.places() as f64 / 1e9 / self.clocked(once))
    }
}
