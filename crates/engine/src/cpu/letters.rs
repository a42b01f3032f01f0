//! Inputs as loops along strips of bits have them: planes of the numbers of their letters.
//!
//! Along lanes all rows have the same letters. Along the other axis lane q + 1 has in a row what lane q had in the row before: a kernel moves them on by itself,
//! and is given those of its first row.

use super::rows::bits::copy_bits;
use squeeze_compiler::ir::{RuleParts, StateId, Strips, TileSize};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::plan::Alphabet;

/// The letters of an input.
pub(super) struct LetterLanes {
    planes: usize,
    /// Words of a plane as kernels see it.
    words: usize,
    lanes: LanesOf,
}

enum LanesOf {
    /// The lines of a strip, and by strip its planes.
    Strips(i64, Vec<u32>),
    /// By plane the letters from the last place to the first one; which of them lane 0 has in row 0, less a group; and where a call's planes stand among those of all inputs.
    Rows { planes: Vec<Vec<u32>>, first: i64, at: usize },
}

impl LetterLanes {
    /// The inputs of a rule whose planes a kernel reads, by their fields, and the words that a call's letters take. A strip has `own` lines.
    pub(super) fn of(
        rule: &RuleParts,
        strips: Strips,
        (tile, own): (TileSize, i64),
        (sides, wraps): ([i64; 2], [bool; 2]),
        planes: &[Planes],
    ) -> (Vec<(usize, LetterLanes)>, usize) {
        let (words, mut end) = (tile.lanes as usize / 32, 0);
        let Some(letters) = Alphabet::of(rule) else { return (Vec::new(), 0) };
        let mut all = Vec::new();
        for (StateId(field), axis, values) in rule.given_inputs() {
            let Planes::Bits(count) = planes[usize::from(field)] else { continue };
            let count = usize::from(count);
            let number = usize::from(axis != usize::from(strips.along.axis));
            let (signed, side, wraps) = ([strips.along, strips.across][number], sides[number], wraps[number]);
            let letter = |place: i64| {
                let place = if wraps { place.rem_euclid(side) } else { place };
                let is_there = (0..side).contains(&place);
                let value = || values[if signed.backwards { side - 1 - place } else { place } as usize];
                if is_there { letters.number(value().bits()) } else { 0 }
            };
            let set = |plane: &mut [u32], at: usize, bit: bool| plane[at / 32] |= u32::from(bit) << (at % 32);
            let lanes = if number == 1 {
                let mut blocks = vec![0; (side + own - 1) as usize / own as usize * count * words];
                for lane in 0..side {
                    let (letter, first) = (letter(lane), (lane / own) as usize * count * words);
                    for plane in 0..count {
                        set(&mut blocks[first + plane * words..], (lane % own) as usize, letter >> plane & 1 == 1);
                    }
                }
                LanesOf::Strips(own, blocks)
            } else {
                // Lanes before the first and behind the last of a strip are read too.
                let first = tile.lanes + tile.group;
                let mut planes = vec![vec![0; (side + 2 * first) as usize / 32 + 2]; count];
                for place in -first..side + first {
                    let letter = letter(place);
                    let at = (side - 1 + first - place) as usize;
                    planes.iter_mut().enumerate().for_each(|(number, plane)| set(plane, at, letter >> number & 1 == 1));
                }
                let at = end;
                end += count * words;
                LanesOf::Rows { planes, first: side - 1 + first - tile.group, at }
            };
            all.push((usize::from(field), LetterLanes { planes: count, words, lanes }));
        }
        (all, end)
    }

    /// Whether a row has other letters than the one before; else all have the same.
    pub(super) fn goes_back(&self) -> bool {
        matches!(self.lanes, LanesOf::Rows { .. })
    }

    /// Puts the letters of a row, counted from the first of its strip, where a call finds them.
    pub(super) fn put(&self, row: i64, call: &mut [u32]) {
        let LanesOf::Rows { planes, first, at } = &self.lanes else { return };
        for (plane, to) in planes.iter().zip(call[*at..][..self.planes * self.words].chunks_exact_mut(self.words)) {
            copy_bits(plane, (first - row) as usize, to, 0, 32 * self.words);
        }
    }

    /// Where the planes of a strip stand whose first lane this is, or those of a call.
    pub(super) fn at(&self, lane: i64, call: *const u32) -> *const u8 {
        match &self.lanes {
            LanesOf::Strips(own, blocks) => blocks[(lane / own) as usize * self.planes * self.words..].as_ptr().cast(),
            LanesOf::Rows { at, .. } => call.wrapping_add(*at).cast(),
        }
    }
}
