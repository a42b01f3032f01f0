//! Masks as data: where the cells are, how many come before a place, and arrays that hold the cells' values alone.
//!
//! A [`Mask`] has one bit for each place of a box, in reading order. A cell's *rank* is the number of cells before it, which is its canonical
//! index where rules run on the mask. [`Rank`] answers both questions, [`rank`](Rank::rank) and [`select`](Rank::select), and packs arrays.
//! A [`Packer`] packs arrays of any elements, on the processor or on a GPU.
//! [`encodings`] has the scan trees of the literature that answer the second with less memory, and [`mod@bench`] compares them.
//!
//! The command has these as `squeeze mask` and `squeeze bench --encodings`, with its feature `packing`.
//!
//! ```
//! use squeeze_packing::{Mask, Rank};
//! let mask = Mask::from_places([4, 2, 1], &[true, false, false, true, true, true, false, false])?;
//! let rank = Rank::new(&mask);
//! assert_eq!((rank.rank(3), rank.select(1), rank.select(4)), (1, Some(3), None));
//! let packed = rank.pack(&[10, 11, 12, 13, 14, 15, 16, 17])?;
//! assert_eq!(packed, [10, 13, 14, 15]);
//! assert_eq!(rank.unpack(&packed, 0)?, [10, 0, 0, 13, 14, 15, 0, 0]);
//! # Ok::<(), squeeze_packing::MaskError>(())
//! ```

pub mod bench;
pub mod cuda;
pub mod encodings;
pub mod files;
mod packer;
mod rank;

pub use encodings::Encoding;
pub use packer::{Packer, Processor};
pub use rank::Rank;

use squeeze_compiler::Bitmap;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Dimension;
use squeeze_engine::Failure;

/// The most places of a mask: each has a number of 32 bits.
pub const MOST_PLACES: u64 = u32::MAX as u64;

/// A defect of a mask, or of an array that does not fit it, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MaskError(String);

impl MaskError {
    /// A box with too many places, or none.
    fn places(places: u128) -> MaskError {
        MaskError(format!("a mask of {places} places; it has from 1 to {MOST_PLACES}"))
    }

    /// A list of another length than the mask asks for.
    fn length(what: &str, expected: u64, found: u64) -> MaskError {
        MaskError(format!("{found} values for the {expected} {what} of the mask"))
    }
}

impl Failure for MaskError {}

/// The places of a box in reading order (z, then y, then x), each with a bit that says whether it is a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    extent: [u32; 3],
    /// Place i is bit i mod 32 of word i / 32; behind the last place there are zeros.
    words: Vec<u32>,
    cells: u64,
}

impl Mask {
    /// Of the places of a box of this width, height and depth, in reading order.
    ///
    /// # Errors
    /// If there are none or too many, or the list is of another length.
    pub fn from_places(extent: [u32; 3], places: &[bool]) -> Result<Mask, MaskError> {
        let expected = count(extent)?;
        if places.len() as u64 != expected {
            return Err(MaskError::length("places", expected, places.len() as u64));
        }
        let word = |places: &[bool]| places.iter().rev().fold(0, |word, place| word << 1 | u32::from(*place));
        Ok(Mask::from_words(extent, places.chunks(32).map(word).collect()))
    }

    /// The mask that was read from a file.
    ///
    /// # Errors
    /// As [`from_places`](Self::from_places).
    pub(crate) fn from_bitmap(bitmap: &Bitmap) -> Result<Mask, MaskError> {
        count(bitmap.extent)?;
        Ok(Mask::from_words(bitmap.extent, bitmap.words().to_vec()))
    }

    /// The cells of a mask or a box that rules run on; of a fractal at a level, those of its expanded grid.
    ///
    /// # Errors
    /// If there are too many.
    pub fn of(domain: &Domain) -> Result<Mask, MaskError> {
        let sides = domain.extent();
        let places = sides.iter().map(|side| u128::from(*side)).product();
        let extent = sides.map(u32::try_from);
        let [Ok(width), Ok(height), Ok(depth)] = extent else { return Err(MaskError::places(places)) };
        let count = count([width, height, depth])?;
        if let Some(places) = &domain.fractal().pattern(1).places {
            return Ok(Mask::from_words([width, height, depth], places.to_words()));
        }
        let mut words = vec![0; count.div_ceil(32) as usize];
        for [x, y, z] in (0..domain.cells()).map(|c| domain.lambda(c)) {
            let place = (z * u64::from(height) + y) * u64::from(width) + x;
            words[(place / 32) as usize] |= 1 << (place % 32);
        }
        Ok(Mask::from_words([width, height, depth], words))
    }

    fn from_words(extent: [u32; 3], words: Vec<u32>) -> Mask {
        let cells = words.iter().map(|word| u64::from(word.count_ones())).sum();
        Mask { extent, words, cells }
    }

    /// Width, height and depth.
    pub fn extent(&self) -> [u32; 3] {
        self.extent
    }

    /// How many places there are.
    pub fn places(&self) -> u64 {
        self.extent.iter().map(|side| u64::from(*side)).product()
    }

    /// How many of them are cells.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// The share of the places that are cells.
    pub fn density(&self) -> f64 {
        self.cells as f64 / self.places() as f64
    }

    /// Place i is bit i mod 32 of word i / 32; behind the last place there are zeros.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Whether a place is a cell; a place beyond the last is none.
    #[cfg(test)]
    pub(crate) fn contains(&self, place: u64) -> bool {
        self.words.get((place / 32) as usize).is_some_and(|word| word >> (place % 32) & 1 == 1)
    }

    /// How many stretches of cells there are, each as long as it can be within its row.
    pub fn runs(&self) -> u64 {
        let width = u64::from(self.extent[0]);
        let mut before = 0;
        let mut runs = 0;
        for (word, index) in self.words.iter().zip(0u64..) {
            // Where a row begins, whatever came before is not beside it.
            let first = 32 * index;
            let starts = (first.next_multiple_of(width)..first + 32).step_by(width as usize);
            let starts = starts.fold(0u32, |starts, place| starts | 1 << (place % 32));
            let left = (word << 1 | before) & !starts;
            runs += u64::from((word & !left).count_ones());
            before = word >> 31;
        }
        runs
    }

    /// The numbers of cells of the components, the largest first: cells that are joined by steps to one of the places beside them, or, with
    /// `corners`, to one of those that touch them at a corner as well.
    pub fn components(&self, corners: bool) -> Vec<u64> {
        let dimension = if self.extent[2] > 1 { Dimension::Three } else { Dimension::Two };
        Bitmap::from_words(dimension, self.extent, self.words.clone()).component_sizes(corners)
    }
}

/// The number of places of a box, if a mask can have them.
fn count(extent: [u32; 3]) -> Result<u64, MaskError> {
    let places = extent.iter().map(|side| u128::from(*side)).product();
    match u64::try_from(places) {
        Ok(count @ 1..=MOST_PLACES) => Ok(count),
        _ => Err(MaskError::places(places)),
    }
}

/// The place of the set bit of this number in a word, which has more.
fn select_in_word(mut word: u32, number: u32) -> u32 {
    (0..number).for_each(|_| word &= word - 1);
    word.trailing_zeros()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use squeeze_compiler::numbers::digest::mix;

    /// A row of places that are cells with this chance.
    pub(crate) fn random(places: u32, density: f64) -> Mask {
        let cell = |place: u32| (mix(u64::from(place)) >> 11) as f64 / (1u64 << 53) as f64 <= density;
        Mask::from_places([places, 1, 1], &(0..places).map(cell).collect::<Vec<_>>()).unwrap()
    }

    fn drawn(rows: &[&str]) -> Mask {
        let places: Vec<bool> = rows.iter().flat_map(|row| row.bytes().map(|byte| byte == b'#')).collect();
        Mask::from_places([rows[0].len() as u32, rows.len() as u32, 1], &places).unwrap()
    }

    #[test]
    fn runs_and_components_are_counted() {
        let mask = drawn(&["##.##", "#...#", ".#..."]);
        assert_eq!((mask.runs(), mask.cells(), mask.places()), (5, 7, 15));
        assert_eq!(mask.components(false), [3, 3, 1]);
        assert_eq!(mask.components(true), [4, 3]);
        for width in [1, 3, 31, 32, 33, 70, 200] {
            let places: Vec<bool> = (0..width * 9).map(|place| mix(u64::from(place)).is_multiple_of(3)).collect();
            let mask = Mask::from_places([width, 9, 1], &places).unwrap();
            let begins = |row: &[bool]| (0..row.len()).filter(|x| row[*x] && (*x == 0 || !row[x - 1])).count();
            let wanted: usize = places.chunks(width as usize).map(begins).sum();
            assert_eq!(mask.runs(), wanted as u64, "{width}");
        }
    }

    #[test]
    fn what_is_no_mask_is_refused() {
        assert_eq!(Mask::from_places([0, 5, 1], &[]), Err(MaskError::places(0)));
        let wrong = Mask::from_places([2, 2, 1], &[true]).unwrap_err().to_string();
        assert_eq!(wrong, "1 values for the 4 places of the mask");
        assert!(Mask::from_places([1 << 31, 4, 1], &[]).is_err());
    }
}
