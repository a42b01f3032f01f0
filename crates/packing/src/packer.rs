//! Packers of arrays whose elements are bytes: the processor or a GPU.

use super::{Mask, MaskError, Rank};
use squeeze_engine::failure::Result;

/// Packs and unpacks arrays. Elements have 1, 2, 4, 8 or 16 bytes, which are copied as they are.
///
/// ```
/// use squeeze_packing::{Mask, Packer, Processor};
/// let mask = Mask::from_places([4, 1, 1], &[true, false, false, true])?;
/// // On a machine with a GPU, `PackDevice::first()?` takes the processor's place.
/// let packed = Processor.pack(&mask, 2, &[1, 1, 2, 2, 3, 3, 4, 4])?;
/// assert_eq!(packed, [1, 1, 4, 4]);
/// assert_eq!(Processor.unpack(&mask, &[9, 9], &packed)?, [1, 1, 9, 9, 9, 9, 4, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Packer {
    /// The values of the cells, by rank, from those of all places: elements of `size` bytes.
    ///
    /// # Errors
    /// [`MaskError`] if there are not as many values as places or elements have another size; or if the device has too little memory or fails.
    fn pack(&self, mask: &Mask, size: usize, values: &[u8]) -> Result<Vec<u8>>;

    /// The values of all places from those of the cells, by rank; `hole` is that of all others, and as large as an element.
    ///
    /// # Errors
    /// As [`pack`](Self::pack), of the values of the cells.
    fn unpack(&self, mask: &Mask, hole: &[u8], packed: &[u8]) -> Result<Vec<u8>>;
}

/// The processor, with the threads of the pool that calls it.
#[derive(Clone, Copy, Debug)]
pub struct Processor;

impl Packer for Processor {
    fn pack(&self, mask: &Mask, size: usize, values: &[u8]) -> Result<Vec<u8>> {
        expect(size, values.len(), mask.places(), "places")?;
        let rank = Rank::new(mask);
        Ok(match size {
            1 => rank.pack(values)?,
            2 => rank.pack(values.as_chunks::<2>().0)?.as_flattened().to_vec(),
            4 => rank.pack(values.as_chunks::<4>().0)?.as_flattened().to_vec(),
            8 => rank.pack(values.as_chunks::<8>().0)?.as_flattened().to_vec(),
            _ => rank.pack(values.as_chunks::<16>().0)?.as_flattened().to_vec(),
        })
    }

    fn unpack(&self, mask: &Mask, hole: &[u8], packed: &[u8]) -> Result<Vec<u8>> {
        fn of<const SIZE: usize>(rank: &Rank, hole: &[u8], packed: &[u8]) -> Result<Vec<u8>, MaskError> {
            let hole = std::array::from_fn(|byte| hole[byte]);
            Ok(rank.unpack(packed.as_chunks::<SIZE>().0, hole)?.as_flattened().to_vec())
        }
        expect(hole.len(), packed.len(), mask.cells(), "cells")?;
        let rank = Rank::new(mask);
        Ok(match hole.len() {
            1 => rank.unpack(packed, hole[0])?,
            2 => of::<2>(&rank, hole, packed)?,
            4 => of::<4>(&rank, hole, packed)?,
            8 => of::<8>(&rank, hole, packed)?,
            _ => of::<16>(&rank, hole, packed)?,
        })
    }
}

/// Whether elements have a size that can be packed, and there are as many as there should be.
pub(crate) fn expect(size: usize, bytes: usize, expected: u64, what: &'static str) -> Result<(), MaskError> {
    if ![1, 2, 4, 8, 16].contains(&size) {
        return Err(MaskError(format!("elements of {size} bytes; they have 1, 2, 4, 8 or 16")));
    }
    let found = (bytes / size) as u64;
    match found == expected && bytes.is_multiple_of(size) {
        true => Ok(()),
        false => Err(MaskError::length(what, expected, found)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    #[test]
    fn elements_of_all_sizes_are_packed_and_unpacked() {
        let mask = random(3000, 0.4);
        for size in [1, 2, 4, 8, 16] {
            let values: Vec<u8> = (0..3000 * size).map(|byte| (byte * 7 / 3) as u8).collect();
            let packed = Processor.pack(&mask, size, &values).unwrap();
            let cells = values.chunks(size).zip(0..).filter(|(_, place)| mask.contains(*place));
            assert_eq!(packed, cells.flat_map(|(value, _)| value.to_vec()).collect::<Vec<_>>(), "{size}");
            let hole = vec![0xee; size];
            let all = Processor.unpack(&mask, &hole, &packed).unwrap();
            let wanted =
                values.chunks(size).zip(0..).map(|(value, place)| if mask.contains(place) { value } else { &hole });
            assert_eq!(all, wanted.flatten().copied().collect::<Vec<_>>(), "{size}");
        }
        let refused = |result: Result<Vec<u8>>| result.unwrap_err().to_string();
        assert_eq!(refused(Processor.pack(&mask, 3, &[0; 9000])), "elements of 3 bytes; they have 1, 2, 4, 8 or 16");
        assert_eq!(refused(Processor.pack(&mask, 4, &[0; 11_999])), "2999 values for the 3000 places of the mask");
        assert!(refused(Processor.unpack(&mask, &[0], &[])).starts_with("0 values for the"));
    }
}
