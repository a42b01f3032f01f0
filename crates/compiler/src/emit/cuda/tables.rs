//! The tables behind the pointers of `World`, for the engine that runs the kernels.

use super::abi::Term;
use crate::kernel::Direction;
use crate::layout::Layout;
use crate::layout::permutation::{self, LanePermutation, Wraps};
use crate::layout::unit::Lane;

impl Term {
    fn of(term: &permutation::Term) -> Term {
        Term { word: term.word, rotate: term.rotate, mask: term.mask as u32 }
    }
}

/// The small tables of a layout alone: how lanes move, and where they lie. A wrap's number is its place in reading
/// order among all 3^D, the centre (where lanes stay) included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutTables {
    /// `wrap · lanes + lane`: the lane that is seen, or [`ABSENT`](permutation::ABSENT).
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

impl LayoutTables {
    /// Of a layout.
    pub fn new(layout: &Layout) -> LayoutTables {
        let lanes = layout.lanes();
        let wraps = Wraps::new(layout);
        let stay = LanePermutation { wrap: Direction::CENTRE, sources: (0..lanes as u32).collect() };
        let mut permutations: Vec<&LanePermutation> = wraps.all().iter().collect();
        permutations.insert(permutations.len() / 2, &stay);
        let mut tables = LayoutTables { first_terms: vec![0], ..LayoutTables::default() };
        for permutation in permutations {
            tables.sources.extend(&permutation.sources);
            tables.presence.extend(permutation.presence());
            for terms in permutation.terms(32) {
                tables.terms.extend(terms.iter().map(Term::of));
                tables.first_terms.push(tables.terms.len() as u32);
            }
        }
        for axis in 0..3 {
            tables.lane_corners.extend((0..lanes as u32).map(|lane| layout.lane_corner(Lane(lane))[axis] as i32));
        }
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Domain;
    use crate::samples;

    /// The terms have tests of their own.
    #[test]
    fn every_wrap_has_its_part_of_the_tables() {
        for fractal in samples::fractals() {
            for lane_digits in 0..=3 {
                let domain = Domain::new(fractal.clone(), 5).expect("small");
                let layout = Layout::new(&domain, lane_digits, 0).expect("small");
                let (tables, wraps) = (LayoutTables::new(&layout), Wraps::new(&layout));
                let (lanes, words) = (layout.lanes(), layout.words());
                for (place, permutation) in wraps.all().iter().enumerate() {
                    let place = place + usize::from(place >= wraps.all().len() / 2);
                    assert_eq!(tables.sources[place * lanes..][..lanes], permutation.sources);
                    assert_eq!(tables.presence[place * words..][..words], permutation.presence());
                    for (word, terms) in permutation.terms(32).iter().enumerate() {
                        let index = place * words + word;
                        let range = tables.first_terms[index] as usize..tables.first_terms[index + 1] as usize;
                        assert_eq!(tables.terms[range], terms.iter().map(Term::of).collect::<Vec<_>>()[..]);
                    }
                }
                let centre = wraps.all().len() / 2;
                assert!(tables.sources[centre * lanes..][..lanes].iter().copied().eq(0..lanes as u32));
            }
        }
    }
}
