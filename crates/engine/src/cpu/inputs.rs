//! Inputs as the rows of strips have them: read where they are, and moved nowhere.
//!
//! Along the axis of the lanes, all rows have the same values. Along the other axis lane q + 1 has in a row what lane q had so many rows before as strips are
//! sheared: of values in descending order, every so-manieth, the lanes of a row follow each other.

use squeeze_compiler::ir::{Boundary, RuleParts, StateId, Strips, TileSize};
use squeeze_compiler::layout::columns::OVERREAD;

/// The values of an input.
pub(super) struct InputLanes {
    size: usize,
    /// If it runs along lanes, rows from one lane to the next, and the last of the values of each remainder.
    shear: Option<(i64, i64)>,
    /// The lane or the place of the first value.
    first: i64,
    /// For each remainder, or once.
    values: Vec<Vec<u8>>,
}

impl InputLanes {
    /// The inputs of a rule, by their fields; none where lanes have all the same value.
    pub(super) fn of(
        rule: &RuleParts,
        strips: Strips,
        tile: TileSize,
        (sides, wraps): ([i64; 2], [bool; 2]),
    ) -> Vec<(usize, InputLanes)> {
        let of_input = |(field, axis, values): (StateId, usize, &[squeeze_compiler::ir::Value])| {
            let ty = rule.state(field).ty;
            let size = ty.bytes() as usize;
            let is_along = axis == usize::from(strips.along.axis);
            let number = usize::from(!is_along);
            let (signed, side, wraps) = ([strips.along, strips.across][number], sides[number], wraps[number]);
            let beyond = match rule.edges.get(usize::from(field.0)) {
                Some(Some(Boundary::Constant(value))) => value.bits(),
                _ => 0,
            };
            let value = |place: i64| {
                let place = if wraps { place.rem_euclid(side) } else { place };
                match (0..side).contains(&place) {
                    true => values[if signed.backwards { side - 1 - place } else { place } as usize].bits(),
                    false => beyond,
                }
            };
            let list = |count: i64, place: &dyn Fn(i64) -> i64| {
                let mut list = Vec::with_capacity(count as usize * size + OVERREAD);
                (0..count).for_each(|i| list.extend_from_slice(&value(place(i)).to_le_bytes()[..size]));
                list.resize(list.len() + OVERREAD, 0);
                list
            };
            let (beside, shear) = (2 * tile.reach[0] + tile.lanes, i64::from(strips.shear));
            if !is_along {
                let (first, count) = (-beside, side + 3 * beside);
                return Some((
                    usize::from(field.0),
                    InputLanes { size, shear: None, first, values: vec![list(count, &|i| first + i)] },
                ));
            }
            // Rows are counted from where the first lane has place 0.
            let rows = tile.rows + 2 * tile.reach[1] + shear * beside;
            let (first, last) = ((-rows).div_euclid(shear.max(1)), (side + 2 * rows).div_euclid(shear.max(1)));
            let of_remainder = |remainder: i64| list(last - first + 1 + beside, &|i| shear * (last - i) + remainder);
            (shear > 0).then(|| {
                let values = (0..shear).map(of_remainder).collect();
                (usize::from(field.0), InputLanes { size, shear: Some((shear, last)), first, values })
            })
        };
        rule.given_inputs().filter_map(of_input).collect()
    }

    /// Whether the values of a row begin one earlier than those of the row before; else they are the same.
    pub(super) fn goes_back(&self) -> bool {
        self.shear.is_some()
    }

    /// Where the values of a row stand, from a lane on.
    pub(super) fn at(&self, lane: i64, row: i64) -> *const u8 {
        let (values, number) = match self.shear {
            None => (&self.values[0], lane - self.first),
            Some((shear, last)) => {
                let row = row - shear * lane;
                (&self.values[row.rem_euclid(shear) as usize], last - row.div_euclid(shear))
            }
        };
        assert!(number >= 0 && number as usize * self.size <= values.len());
        values.as_ptr().wrapping_add(number as usize * self.size)
    }
}
