//! Superblocks farther away than beside their own: the part of the skeleton that finds them, and the tables that it takes.
//!
//! They are found by coordinates: the place of the superblock and the direction give a place in the box of the middle fractal, where a map says which
//! superblock it is. A place outside of that box lies in other lanes, which tables know beside a lane, and farther away a map of the box of the top fractal.
//!
//! `tests/gpu/far.rule` holds rules that need this; the test `far` of `tests/shim.rs` runs them on layouts with few and with many lanes.

use super::words;
use crate::kernel::Direction;
use crate::layout::Layout;
use crate::layout::permutation::ABSENT;
use crate::layout::unit::{Lane, Part, Slot};
use minijinja::context;

const TEXT: &str = include_str!("../../../templates/far.cu");

/// The most places in a program where the code that looks for words far away is inlined; with more of them it is a function.
const MOST_INLINED: usize = 16;

/// The tables, of the layout alone, of kernels that look farther than at adjacent superblocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarTables {
    /// By place of the middle fractal's box, x first: where the superblock there stands, or the slot behind all.
    pub places: Vec<u32>,
    /// By place of the top fractal's box, x first: the lane there, or [`ABSENT`].
    pub lanes_at: Vec<u32>,
    /// `3 · lane + axis`: where a lane lies in the top fractal.
    pub lane_places: Vec<i32>,
}

/// The number of a place in a box.
fn number(extent: [u64; 3], [x, y, z]: [u64; 3]) -> usize {
    ((z * extent[1] + y) * extent[0] + x) as usize
}

impl FarTables {
    /// Of the superblocks of a layout that are stored.
    pub fn new(layout: &Layout, part: &Part) -> FarTables {
        let (middle_box, top_box) = (layout.middle_extent(), layout.top().extent());
        let mut places = vec![part.stored() as u32; middle_box.into_iter().product::<u64>() as usize];
        for slot in Slot::all(part.stored()) {
            places[number(middle_box, layout.superblock_place(part.unit(slot)))] = slot.0;
        }
        let mut lanes_at = vec![ABSENT; top_box.into_iter().product::<u64>() as usize];
        let mut lane_places = Vec::new();
        for lane in 0..layout.lanes() as u32 {
            let place = layout.lane_place(Lane(lane));
            lanes_at[number(top_box, place)] = lane;
            lane_places.extend(place.map(|v| v as i32));
        }
        FarTables { places, lanes_at, lane_places }
    }
}

/// The uses of these tables in a program.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::emit) struct Far {
    /// Whether anything.
    pub used: bool,
    /// In how many places words of bits are looked for.
    pub words: usize,
}

impl Far {
    /// The definitions.
    pub(crate) fn text(self, layout: &Layout, members: bool) -> String {
        if !self.used {
            return String::new();
        }
        let sides = ["TOP_WIDTH", "TOP_HEIGHT", "TOP_DEPTH"];
        let axes: Vec<_> = (0..3)
            .map(|axis| context! { name => ["x", "y", "z"][axis], side => sides[axis], periodic => layout.periodic().0[axis] })
            .collect();
        let inlined = if self.words > MOST_INLINED { words::CALL } else { words::INLINE };
        let values = context! {
            micro => layout.low().extent(),
            middle => layout.middle_extent(),
            top => layout.top().extent(),
            axes,
            members,
            words => self.words > 0,
            inlined,
        };
        super::text::render(TEXT, values).trim_end().to_owned()
    }
}

/// The direction as it is printed. Beyond the whole fractal nothing exists, or, along a periodic axis, the same places again.
pub(super) fn within(layout: &Layout, direction: Direction) -> Direction {
    let whole =
        |axis: usize| i32::try_from(layout.middle_extent()[axis] * layout.top().extent()[axis]).unwrap_or(i32::MAX);
    Direction(std::array::from_fn(|axis| match layout.periodic().0[axis] {
        true => direction.0[axis] % whole(axis),
        false => direction.0[axis].clamp(-whole(axis), whole(axis)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Domain;
    use crate::layout::unit::Unit;
    use crate::samples;

    #[test]
    fn maps_are_those_of_the_layout() {
        for fractal in samples::fractals() {
            for (lane_digits, micro_digits) in [(0, 0), (1, 1), (2, 0), (3, 0)] {
                let domain = Domain::new(fractal.clone(), 4).expect("small");
                let layout = Layout::new(&domain, lane_digits, micro_digits).expect("small");
                let tables = FarTables::new(&layout, &Part::whole(layout.superblocks()));
                let bytes = 4 * (tables.places.len() + tables.lanes_at.len() + tables.lane_places.len());
                assert_eq!(crate::layout::table::far_table_bytes(&layout), bytes as u64);
                for superblock in 0..layout.superblocks() {
                    let place = layout.superblock_place(Unit(superblock));
                    assert_eq!(tables.places[number(layout.middle_extent(), place)], superblock);
                }
                let none = |superblock: &&u32| **superblock == layout.superblocks();
                assert_eq!(
                    tables.places.iter().filter(none).count(),
                    tables.places.len() - layout.superblocks() as usize
                );
                assert_eq!(tables.lanes_at.iter().filter(|lane| **lane != ABSENT).count(), layout.lanes());
            }
        }
    }
}
