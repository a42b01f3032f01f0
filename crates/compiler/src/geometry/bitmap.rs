//! Places that are cells or not: the bits of masks, and how they are changed before their cells are numbered.

use super::components::Components;
use crate::ir::{Dimension, Neighbourhood};

/// The places of a box in reading order (z, then y, then x), and which of them are cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// The dimension of the box.
    pub dimension: Dimension,
    /// Width, height and depth; in two dimensions the depth is 1.
    pub extent: [u32; 3],
    /// Place i is bit i mod 32 of word i / 32; behind the last place there are zeros.
    words: Vec<u32>,
}

/// Which values of a picture or an array are cells, where that is not left to it: those that are dark, or not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Threshold {
    /// Greater ones than this.
    Above(u16),
    /// Smaller ones than this.
    Below(u16),
}

impl Threshold {
    /// The value that is neither.
    pub fn bound(self) -> u16 {
        match self {
            Threshold::Above(bound) | Threshold::Below(bound) => bound,
        }
    }
}

impl std::fmt::Display for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Threshold::Above(bound) => write!(f, "above {bound}"),
            Threshold::Below(bound) => write!(f, "below {bound}"),
        }
    }
}

impl Bitmap {
    /// A box with these places.
    ///
    /// # Panics
    /// If there are more or fewer than it has.
    pub fn new(dimension: Dimension, extent: [u32; 3], places: impl IntoIterator<Item = bool>) -> Bitmap {
        let mut bitmap = Bitmap::empty(dimension, extent);
        let mut count = 0;
        for (place, is_cell) in places.into_iter().enumerate() {
            bitmap.words[place / 32] |= u32::from(is_cell) << (place % 32);
            count += 1;
        }
        assert_eq!(count, bitmap.places(), "places of {extent:?}");
        bitmap
    }

    /// A box without a cell.
    pub fn empty(dimension: Dimension, extent: [u32; 3]) -> Bitmap {
        let places: u64 = extent.into_iter().map(u64::from).product();
        Bitmap { dimension, extent, words: vec![0; places.div_ceil(32) as usize] }
    }

    /// A single cell, for a mask that is too large to be looked at where texts are only checked.
    #[doc(hidden)]
    pub fn stand_in(dimension: Dimension) -> Bitmap {
        Bitmap { dimension, extent: [1; 3], words: vec![1] }
    }

    /// Of words, as [`Bitmap::words`] gives them.
    ///
    /// # Panics
    /// If there are not as many as the places take.
    #[doc(hidden)]
    pub fn from_words(dimension: Dimension, extent: [u32; 3], words: Vec<u32>) -> Bitmap {
        let bitmap = Bitmap { dimension, extent, words };
        assert_eq!(bitmap.words.len() as u64, bitmap.places().div_ceil(32), "words of {extent:?}");
        bitmap
    }

    /// How many places there are.
    pub fn places(&self) -> u64 {
        self.extent.into_iter().map(u64::from).product()
    }

    /// Place i is bit i mod 32 of word i / 32; behind the last place there are zeros.
    #[doc(hidden)]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// [`Bitmap::words`], to keep.
    pub(crate) fn into_words(self) -> Vec<u32> {
        self.words
    }

    /// Whether a place is a cell.
    pub fn contains(&self, place: u64) -> bool {
        self.words[(place / 32) as usize] >> (place % 32) & 1 == 1
    }

    /// Makes `count` places from the first one on cells, or holes.
    #[doc(hidden)]
    pub fn fill(&mut self, first: u64, count: u64, cells: bool) {
        let (mut at, end) = (first, first + count);
        while at < end {
            let length = (32 - at % 32).min(end - at);
            let bits = (u32::MAX >> (32 - length)) << (at % 32);
            let word = &mut self.words[(at / 32) as usize];
            *word = if cells { *word | bits } else { *word & !bits };
            at += length;
        }
    }

    /// The first place from `from` on and before `end` that is a cell, or a hole; `end` if there is none.
    pub(crate) fn next(&self, from: u64, end: u64, cell: bool) -> u64 {
        let mut at = from;
        while at < end {
            let word = self.words[(at / 32) as usize];
            let rest = (if cell { word } else { !word }) >> (at % 32);
            if rest != 0 {
                return (at + u64::from(rest.trailing_zeros())).min(end);
            }
            at = (at / 32 + 1) * 32;
        }
        end
    }

    /// Makes cells of holes and holes of cells.
    pub(crate) fn invert(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        let rest = self.places() % 32;
        if let Some(last) = self.words.last_mut().filter(|_| rest > 0) {
            *last &= (1 << rest) - 1;
        }
    }

    /// A text that [`from_text`](Self::from_text) reads: the extents, then how many places follow each other that are none, are cells, are none, and
    /// so on.
    #[doc(hidden)]
    pub fn to_text(&self) -> String {
        let extent = self.extent[..self.dimension.axes()].iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let mut text = format!("{extent}\n");
        let (mut at, end, mut cells) = (0, self.places(), false);
        while at < end {
            let next = self.next(at, end, !cells);
            text.push_str(&format!("{} ", next - at));
            (at, cells) = (next, !cells);
        }
        text
    }

    /// The bitmap of a text that [`to_text`](Self::to_text) made; `None` if it is none, or takes more bytes than `memory`.
    #[doc(hidden)]
    pub fn from_text(text: &str, memory: u64) -> Option<Bitmap> {
        let (head, runs) = text.split_once('\n')?;
        let sides = head.split(' ').map(|side| side.parse().ok()).collect::<Option<Vec<u32>>>()?;
        let (dimension, extent) = match sides[..] {
            [width, height] => (Dimension::Two, [width, height, 1]),
            [width, height, depth] => (Dimension::Three, [width, height, depth]),
            _ => return None,
        };
        let all = extent.iter().try_fold(1u64, |all, side| all.checked_mul(u64::from(*side)))?;
        let runs = || runs.split_ascii_whitespace().map(|run| run.parse::<u64>().ok());
        // Nothing is allocated for places that the text does not name.
        let named = runs().try_fold(0u64, |named, run| named.checked_add(run?))?;
        if named != all || all / 8 > memory {
            return None;
        }
        let mut bitmap = Bitmap::empty(dimension, extent);
        let (mut at, mut cells) = (0, false);
        for run in runs().flatten() {
            if cells {
                bitmap.fill(at, run, true);
            }
            (at, cells) = (at + run, !cells);
        }
        Some(bitmap)
    }

    /// The numbers of cells of the components, the largest first: cells joined by steps to the places beside them, or, with `corners`, to those that
    /// touch them at a corner as well. A box has at most 2^32 − 1 places here.
    #[doc(hidden)]
    pub fn component_sizes(&self, corners: bool) -> Vec<u64> {
        let kind = if corners { Neighbourhood::Moore(1) } else { Neighbourhood::VonNeumann(1) };
        let mut sizes = Components::new(self, &kind.offsets(self.dimension), [false; 3]).sizes();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }

    /// Keeps the component with the most cells; of equal ones that which comes first in reading order. A box has at most 2^32 − 1 places here.
    pub(crate) fn keep_largest(&mut self, offsets: &[[i32; 3]], periodic: [bool; 3]) {
        let components = Components::new(self, offsets, periodic).largest();
        self.words = components;
    }

    /// Keeps the components of neighbours beside each other that reach from one side to the other along an axis. False if there is none: all
    /// places are as before then. A box has at most 2^32 − 1 places here.
    pub(crate) fn keep_spanning(&mut self, axis: usize, mut periodic: [bool; 3]) -> bool {
        periodic[axis] = false;
        let offsets = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let spanning = Components::new(self, &offsets, periodic).spanning(axis);
        match spanning {
            Some(words) => {
                self.words = words;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::digest::mix;

    fn drawn(rows: &[&str]) -> Bitmap {
        let extent = [rows[0].len() as u32, rows.len() as u32, 1];
        Bitmap::new(Dimension::Two, extent, rows.iter().flat_map(|row| row.bytes().map(|byte| byte == b'#')))
    }

    const BESIDE: [[i32; 3]; 2] = [[1, 0, 0], [0, 1, 0]];

    #[test]
    fn texts_give_back_the_places() {
        for seed in 0..20 {
            let extent = [1 + seed % 7, 1 + seed % 5, if seed % 3 == 0 { 3 } else { 1 }];
            let count: u32 = extent.iter().product();
            let places = (0..count).map(|place| mix(u64::from(seed * 1000 + place)).is_multiple_of(3));
            let dimension = if extent[2] > 1 { Dimension::Three } else { Dimension::Two };
            let bitmap = Bitmap::new(dimension, extent, places);
            assert_eq!(Bitmap::from_text(&bitmap.to_text(), 1 << 20), Some(bitmap));
        }
        for wrong in [
            "",
            "3\n3",
            "2 2\n1 2",
            "2 2\n1 2 3",
            "2 2\nx",
            "4294967295 4294967295 4294967295\n1",
            "4294967295 4294967295\n0 18446744065119617025",
        ] {
            assert_eq!(Bitmap::from_text(wrong, 1 << 20), None, "{wrong:?}");
        }
    }

    #[test]
    fn the_largest_component_is_kept() {
        let rows = ["##.#", "...#", "##.#", "##.."];
        let kept = |periodic| {
            let mut bitmap = drawn(&rows);
            bitmap.keep_largest(&BESIDE, periodic);
            bitmap
        };
        assert_eq!(kept([false; 3]), drawn(&["....", "....", "##..", "##.."]));
        assert_eq!(kept([true, false, false]), drawn(&["##.#", "...#", "##.#", "##.."]));
        assert_eq!(kept([false, true, false]), drawn(&["##..", "....", "##..", "##.."]));
        // Of equal ones the first.
        let mut bitmap = drawn(&["#.#"]);
        bitmap.keep_largest(&BESIDE, [false; 3]);
        assert_eq!(bitmap, drawn(&["#.."]));
    }

    #[test]
    fn what_spans_is_kept() {
        let mut bitmap = drawn(&["#.#", "#.#", "..#", "#.#"]);
        assert!(!bitmap.keep_spanning(0, [false; 3]));
        assert!(bitmap.keep_spanning(1, [false, true, false]));
        assert_eq!(bitmap, drawn(&["..#", "..#", "..#", "..#"]));
    }
}
