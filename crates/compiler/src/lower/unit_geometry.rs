//! The storage as the lowering sees it: which cells a superblock has, what may lie around them, and how values are stored.

use crate::ir::rule::RuleParts;
use crate::ir::{Axes, Dimension, Strips};
use crate::kernel::{Direction, LaneType, MicroFractal, Neighbours, Planes, ValueId};
use crate::layout::{Geometry, Storage};
use crate::numbers::value::Type;
use std::collections::HashMap;

/// A place relative to the superblock's corner.
pub(super) type Offset = [i32; 3];

/// Whether there is a cell at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existence {
    /// A hole of the micro-fractal, or outside of the whole.
    No,
    /// An own cell.
    Yes,
    /// A cell where the superblock in this direction exists.
    If(Direction),
    /// A place that exists in these lanes.
    Where(ValueId),
}

/// A micro-fractal of level 0.
fn one_cell(dimension: Dimension) -> MicroFractal {
    MicroFractal { dimension, sides: [1; 3], cells: vec![[0; 3]] }
}

/// A superblock among others.
pub(super) struct UnitGeometry {
    pub(super) micro: MicroFractal,
    pub(super) neighbours: Neighbours,
    /// The axes along which the whole is periodic.
    pub(super) periodic: Axes,
    /// The micro cell at a place inside of a superblock.
    micro_at: HashMap<Offset, u32>,
    /// Width, height and depth of the whole if they differ along its axes, and of a mask.
    pub(super) extent: Option<[u32; 3]>,
    /// The side of the whole, if it is known.
    side: Option<u64>,
    /// Whether every place of the whole is a cell.
    pub(super) full: bool,
    /// Whether the superblock fills the whole.
    pub(super) fills: bool,
    /// How cells lie in strips, if they do: then directions lead over lanes and rows.
    pub(super) strips: Option<Strips>,
}

impl UnitGeometry {
    /// The geometry of a storage's units, which look beside their own, or farther if `far`.
    pub(super) fn of(storage: &Storage, far: bool) -> UnitGeometry {
        let neighbours = match (storage.is_whole(), far) {
            (true, _) => Neighbours::None,
            (false, false) => Neighbours::Beside,
            (false, true) => Neighbours::Far,
        };
        let layout = match &storage.geometry {
            Geometry::Replicas(layout) => layout,
            // Each place is a cell of its own.
            Geometry::Rows(grid) => {
                let (extent, full) = (grid.extent().map(|side| side as u32), grid.is_full());
                let geometry = UnitGeometry::new(one_cell(grid.dimension), neighbours, Axes(grid.periodic()));
                let side = extent.into_iter().max().map(u64::from);
                return UnitGeometry { side, extent: Some(extent), full, fills: extent == [1; 3], ..geometry };
            }
        };
        let geometry = UnitGeometry::new(layout.micro_fractal(), neighbours, layout.periodic());
        let (extent, axes) = (layout.extent(), layout.dimension().axes());
        let differ = extent[..axes].iter().any(|side| *side != extent[0]);
        // Rules that name coordinates have sides that are i32.
        let differing = differ.then(|| extent.map(|side| u32::try_from(side).unwrap_or(u32::MAX)));
        let extent = layout.top().fractal().extent.or(differing);
        let full = u128::from(layout.cells()) == layout.extent().iter().map(|side| u128::from(*side)).product();
        let fills = layout.extent() == layout.low().extent();
        UnitGeometry { side: Some(layout.side()), extent, full, fills, ..geometry }
    }

    /// The geometry of a single cell.
    pub(super) fn of_a_cell(dimension: Dimension) -> UnitGeometry {
        UnitGeometry::new(one_cell(dimension), Neighbours::Anywhere, Axes::NONE)
    }

    /// The geometry of a row of a strip, of a plane of these sides.
    pub(super) fn of_strips(strips: Strips, extent: [u64; 3]) -> UnitGeometry {
        let geometry = UnitGeometry::new(one_cell(Dimension::Two), Neighbours::Far, Axes::NONE);
        UnitGeometry { extent: Some(extent.map(|side| side as u32)), strips: Some(strips), ..geometry }
    }

    /// The place at an offset of the rule from a place.
    pub(super) fn beside(&self, place: Offset, offset: Offset) -> Offset {
        let offset = self.strips.map_or(offset, |strips| strips.offset(offset));
        std::array::from_fn(|axis| place[axis].saturating_add(offset[axis]))
    }

    fn new(micro: MicroFractal, neighbours: Neighbours, periodic: Axes) -> UnitGeometry {
        let micro_at = micro.cells.iter().zip(0..).map(|(cell, index)| (cell.map(|v| v as i32), index)).collect();
        UnitGeometry {
            micro,
            neighbours,
            periodic,
            micro_at,
            side: None,
            extent: None,
            full: false,
            fills: false,
            strips: None,
        }
    }

    /// Whether the sum of `corners` corners and a number stays an i32 from 0 on, so that its remainder is that of the numbers.
    pub(super) fn are_exact(&self, corners: u32, number: i32) -> bool {
        let fits = |side: u64| {
            let most = u128::from(side) * u128::from(corners) + number.unsigned_abs() as u128;
            most <= i32::MAX as u128
        };
        number >= 0 && self.side.is_some_and(fits)
    }

    /// Whether all corners are multiples of a positive number, because the superblock's sides are.
    pub(super) fn is_divided_by(&self, divisor: i32) -> bool {
        self.sides().iter().all(|side| side.is_multiple_of(divisor as u32))
    }

    /// The superblock's sides along the axes that there are.
    pub(super) fn sides(&self) -> &[u32] {
        &self.micro.sides[..self.micro.dimension.axes()]
    }

    /// True if the superblock is a single cell without lanes.
    pub(super) fn is_a_cell(&self) -> bool {
        self.neighbours == Neighbours::Anywhere
    }

    /// The places of the own cells, by micro cell.
    pub(super) fn places(&self) -> Vec<Offset> {
        self.micro.cells.iter().map(|cell| cell.map(|v| v as i32)).collect()
    }

    /// How the values of a type are stored: enums as planes of bits, or a cell's as a byte.
    pub(super) fn planes_of(&self, rule: &RuleParts, ty: Type) -> Planes {
        match ty {
            Type::Enum(_) if self.is_a_cell() => Planes::Number(LaneType::U8),
            ty => Planes::of(rule, ty),
        }
    }

    /// The superblock in which a place lies, and the place within it.
    pub(super) fn split(&self, place: Offset) -> (Direction, Offset) {
        let sides = self.micro.sides.map(|side| side as i32);
        let divided = |axis: usize| (place[axis].div_euclid(sides[axis]), place[axis].rem_euclid(sides[axis]));
        let [x, y, z] = [0, 1, 2].map(divided);
        (Direction([x.0, y.0, z.0]), [x.1, y.1, z.1])
    }

    /// Whether there is a cell at a place; `None` if it lies farther away than any direction leads.
    pub(super) fn existence(&self, place: Offset) -> Option<Existence> {
        let (direction, inside) = self.split(place);
        let known = self.micro_at.contains_key(&inside) && direction.is_within(self.micro.dimension);
        Some(match self.neighbours {
            _ if direction == Direction::CENTRE => {
                if known {
                    Existence::Yes
                } else {
                    Existence::No
                }
            }
            _ if !known => Existence::No,
            Neighbours::None => Existence::No,
            Neighbours::Beside => {
                direction.index(self.micro.dimension)?;
                Existence::If(direction)
            }
            Neighbours::Far | Neighbours::Anywhere => Existence::If(direction),
        })
    }

    /// The superblock and the micro cell at a place that is no hole.
    pub(super) fn locate(&self, place: Offset) -> (Direction, u32) {
        let (direction, inside) = self.split(place);
        (direction, self.micro_at[&inside])
    }

    /// The name of the load of a state's value at a place; `alone` if the rule has no other state.
    pub(super) fn name(&self, state: &str, alone: bool, (direction, micro): (Direction, u32)) -> String {
        let own = direction == Direction::CENTRE;
        if self.is_a_cell() {
            return if own { format!("own_{state}") } else { format!("{state}_{direction}") };
        }
        let whence = if own { "own".to_owned() } else { format!("halo_{direction}") };
        if alone { format!("{whence}_{micro}") } else { format!("{whence}_{state}_{micro}") }
    }
}
