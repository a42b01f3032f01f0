//! The tables behind the pointers of `World`, for whoever runs the kernels.

use crate::ir::kernel::Direction;
use crate::layout::Layout;
use crate::layout::table::{ABSENT, Wraps};

/// `(source[word] rotated left) & mask`: bits of a column that move together. As `Term` in the skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Term {
    /// The source's word.
    pub word: u32,
    /// By how much.
    pub rotate: u32,
    /// Bits of the result.
    pub mask: u32,
}

/// What depends on the layout alone and is small: how lanes move, and where they lie. A wrap's number is its place in reading
/// order among all 3^D, the centre (where lanes stay) included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// `wrap · lanes + lane`: the lane that is seen, or [`ABSENT`].
    pub sources: Vec<u32>,
    /// `wrap · words + word`: the lanes that see one.
    pub presence: Vec<u32>,
    /// `wrap · words + word`: where its terms begin; one entry more than words.
    pub first_terms: Vec<u32>,
    /// The terms.
    pub terms: Vec<Term>,
    /// `axis · lanes + lane`: where a lane begins, for all three axes. (A side beyond i32 is cut: no rule names it then.)
    pub lane_corners: Vec<i32>,
}

impl Tables {
    /// Of a layout.
    pub fn new(layout: &Layout) -> Tables {
        let (lanes, words) = (layout.lanes(), layout.words());
        let wraps = Wraps::new(layout);
        let stay: Vec<u32> = (0..lanes as u32).collect();
        let mut places: Vec<&[u32]> = wraps.all().iter().map(|moved| moved.sources.as_slice()).collect();
        places.insert(Direction::all(layout.dimension()).len() / 2, &stay);
        let mut tables = Tables {
            sources: Vec::new(),
            presence: Vec::new(),
            first_terms: vec![0],
            terms: Vec::new(),
            lane_corners: Vec::new(),
        };
        for sources in places {
            tables.sources.extend(sources);
            for word in 0..words {
                let first = tables.terms.len();
                let mut present = 0;
                for (bit, &from) in sources[32 * word..lanes.min(32 * word + 32)].iter().enumerate() {
                    if from == ABSENT {
                        continue;
                    }
                    present |= 1 << bit;
                    let (word, rotate) = (from / 32, (bit as u32 + 32 - from % 32) % 32);
                    match tables.terms[first..].iter_mut().find(|term| (term.word, term.rotate) == (word, rotate)) {
                        Some(term) => term.mask |= 1 << bit,
                        None => tables.terms.push(Term { word, rotate, mask: 1 << bit }),
                    }
                }
                tables.presence.push(present);
                tables.first_terms.push(tables.terms.len() as u32);
            }
        }
        for axis in 0..3 {
            tables.lane_corners.extend((0..lanes as u32).map(|lane| layout.lane_corner(lane)[axis] as i32));
        }
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Domain;
    use crate::samples;

    #[test]
    fn terms_move_bits_as_sources_say() {
        for fractal in samples::fractals() {
            for lane_digits in 0..=3 {
                let layout =
                    Layout::new(&Domain::new(fractal.clone(), 5).expect("small"), lane_digits, 0).expect("small");
                let (tables, words) = (Tables::new(&layout), layout.words());
                let column: Vec<u32> = (1..=words as u32).map(|i| i.wrapping_mul(0x9E37_79B9) ^ 0xA5C3_1F07).collect();
                for (place, sources) in tables.sources.chunks(layout.lanes()).enumerate() {
                    for (lane, &from) in sources.iter().enumerate() {
                        let index = place * words + lane / 32;
                        let terms = tables.first_terms[index] as usize..tables.first_terms[index + 1] as usize;
                        let moved = tables.terms[terms].iter().fold(0, |word, term| {
                            word | column[term.word as usize].rotate_left(term.rotate) & term.mask
                        });
                        let there = from != ABSENT;
                        let wanted = if there { column[from as usize / 32] >> (from % 32) & 1 } else { 0 };
                        assert_eq!(moved >> (lane % 32) & 1, wanted);
                        assert_eq!(tables.presence[index] >> (lane % 32) & 1 == 1, there);
                    }
                }
            }
        }
    }
}
