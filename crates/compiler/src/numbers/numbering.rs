//! The numbers q by which cells draw. On fractals they are indices with their digits reversed; this module numbers the cells of masks and boxes, which have
//! no digits: by place and colour.
//!
//! Rows stand one behind the other, each rounded up to a power of two of places, or to a multiple of 256 where it is longer. Of each 256 places, those whose
//! coordinates have an even sum have the numbers of one block of Philox, and the others those of the next. A step of one colour so asks for the blocks of
//! that colour alone, whatever of the places is a cell. `crates/compiler/src/oracle/grid.rs` has the same definition, written apart.

use super::philox::BLOCK_CELLS;

/// Places that two blocks serve, one block for each colour.
pub const PAIR_PLACES: u64 = 2 * BLOCK_CELLS;

/// The numbering of the places of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceNumbering {
    /// How many places lie between the beginnings of rows.
    pub row: u64,
    height: u64,
}

impl PlaceNumbering {
    /// That of a box of this width, height and depth.
    pub const fn of([width, height, _]: [u64; 3]) -> PlaceNumbering {
        let row = if width <= PAIR_PLACES { width.next_power_of_two() } else { width.next_multiple_of(PAIR_PLACES) };
        PlaceNumbering { row, height }
    }

    /// The numbers of the places of a row from this one on.
    #[inline]
    pub const fn from(self, [x, y, z]: [u64; 3]) -> LaneNumbers {
        LaneNumbers::Places { first: x + self.row * (y + self.height * z), odd: (x + y + z) % 2 == 1 }
    }

    /// The numbers of every second place of a row from this one on. Rows of a single place have none.
    #[inline]
    pub const fn every_second(self, [x, y, z]: [u64; 3]) -> LaneNumbers {
        LaneNumbers::EverySecond { first: (x + self.row * (y + self.height * z)) / 2, odd: (x + y + z) % 2 == 1 }
    }
}

/// The numbers of cells that stand side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneNumbers {
    /// They follow each other from this one on.
    Consecutive(u64),
    /// Those of places that follow each other.
    Places {
        /// The place of lane 0, counted through all rows.
        first: u64,
        /// Whether the coordinates of lane 0 have an odd sum.
        odd: bool,
    },
    /// Pairs of places follow each other, and a lane is one place of each.
    EverySecond {
        /// The pair of lane 0, counted through all rows.
        first: u64,
        /// Whether the coordinates of these places have an odd sum.
        odd: bool,
    },
}

impl LaneNumbers {
    /// The number q of a lane.
    #[inline]
    pub const fn of(self, lane: u64) -> u64 {
        self.of_place(self.first() + lane)
    }

    /// The number q of the lane that stands at this place, or in this pair, and of those that would stand before the first one.
    #[inline]
    pub const fn of_place(self, place: u64) -> u64 {
        match self {
            LaneNumbers::Consecutive(_) => place,
            LaneNumbers::Places { first, odd } => {
                let colour = (odd as u64 ^ first ^ place) % 2;
                place / PAIR_PLACES * PAIR_PLACES + BLOCK_CELLS * colour + place % PAIR_PLACES / 2
            }
            LaneNumbers::EverySecond { odd, .. } => {
                place + place / BLOCK_CELLS * BLOCK_CELLS + BLOCK_CELLS * odd as u64
            }
        }
    }

    /// Where the first lane stands.
    #[inline]
    pub const fn first(self) -> u64 {
        match self {
            LaneNumbers::Consecutive(first)
            | LaneNumbers::Places { first, .. }
            | LaneNumbers::EverySecond { first, .. } => first,
        }
    }
}

/// The bits of the two halves of a word by turns, the lowest bit of the low half first.
#[inline(always)]
pub const fn interleave(halves: u64) -> u64 {
    exchange(exchange(exchange(exchange(exchange(halves, 4), 3), 2), 1), 0)
}

/// The way back: the even bits of a word in the low half, the odd ones in the high half.
#[inline(always)]
pub const fn separate(bits: u64) -> u64 {
    exchange(exchange(exchange(exchange(exchange(bits, 0), 1), 2), 3), 4)
}

/// Exchanges the middle two of each four groups of 2^`size` bits.
#[inline(always)]
const fn exchange(bits: u64, size: u32) -> u64 {
    const SECOND: [u64; 5] =
        [0x2222_2222_2222_2222, 0x0c0c_0c0c_0c0c_0c0c, 0x00f0_00f0_00f0_00f0, 0x0000_ff00_0000_ff00, 0xffff_0000];
    let moved = (bits >> (1 << size) ^ bits) & SECOND[size as usize];
    bits ^ moved ^ moved << (1 << size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::digest::mix;
    use crate::numbers::philox::draw;
    use std::collections::BTreeSet;

    /// Sides, a place, its number, and the word of draw 0 there for seed 5 and time 1: made by another program.
    const VECTORS: [([u64; 3], [u64; 3], u64, u32); 12] = [
        ([1, 1, 1], [0, 0, 0], 0, 0x3c15_8c38),
        ([1, 9, 1], [0, 7, 0], 131, 0x428b_a775),
        ([3, 4, 1], [2, 3, 0], 135, 0x57fa_4028),
        ([64, 64, 1], [63, 5, 0], 319, 0x37dc_895b),
        ([65, 10, 1], [64, 3, 0], 480, 0xa187_a8c0),
        ([100, 100, 1], [99, 98, 0], 12_721, 0xa4ec_922f),
        ([130, 20, 1], [129, 1, 0], 320, 0x27db_f6db),
        ([257, 9, 1], [256, 2, 0], 1280, 0x0f79_6d9d),
        ([1000, 1000, 1], [999, 999, 0], 1_023_859, 0x2a13_a70f),
        ([100, 100, 100], [37, 58, 91], 1_172_242, 0xcff3_f6d6),
        ([65_536, 65_536, 1], [65_535, 65_535, 0], 4_294_967_167, 0x8096_a2e4),
        ([512, 512, 512], [511, 511, 511], 134_217_727, 0x7625_bd37),
    ];

    #[test]
    fn vectors() {
        for (sides, place @ [x, y, z], q, word) in VECTORS {
            let numbering = PlaceNumbering::of(sides);
            assert_eq!(numbering.from(place).of(0), q, "{place:?} of {sides:?}");
            assert_eq!(numbering.from([0, y, z]).of(x), q, "{place:?} of {sides:?}, counted from its row's beginning");
            if sides[0] > 1 {
                assert_eq!(numbering.every_second([x % 2, y, z]).of(x / 2), q, "{place:?} of {sides:?}, by pairs");
            }
            assert_eq!(draw(5, q, 1, 0), word, "{place:?} of {sides:?}");
        }
    }

    #[test]
    fn bits_are_interleaved_and_separated() {
        for number in 0..100 {
            let (even, odd) = (mix(number) as u32, mix(number + 1000) as u32);
            let halves = u64::from(even) | u64::from(odd) << 32;
            let bits = interleave(halves);
            for i in 0..32 {
                assert_eq!(
                    (bits >> (2 * i) & 1, bits >> (2 * i + 1) & 1),
                    ((even >> i & 1).into(), (odd >> i & 1).into())
                );
            }
            assert_eq!(separate(bits), halves);
        }
    }

    #[test]
    fn no_two_places_have_one_number() {
        let heights_and_depths = [(1, 1), (2, 1), (7, 1), (5, 4), (4, 3)];
        for width in (1..=19).chain([63, 64, 65, 100, 127, 129, 130, 255, 256, 257]) {
            for (height, depth) in heights_and_depths {
                let numbering = PlaceNumbering::of([width, height, depth]);
                let rows = (0..depth).flat_map(|z| (0..height).map(move |y| numbering.from([0, y, z])));
                let numbers: BTreeSet<u64> = rows.flat_map(|row| (0..width).map(move |x| row.of(x))).collect();
                assert_eq!(numbers.len() as u64, width * height * depth, "{width} × {height} × {depth}");
            }
        }
    }
}
