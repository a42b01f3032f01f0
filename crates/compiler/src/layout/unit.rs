//! Numbers of units, lanes and micro cells. Each has a type of its own, so that none is taken for another.
//!
//! Which unit it is and where it stands are two numbers: sparse masks store some of their units, and so do programs that compute a part of a domain.
//! Only values that follow from the whole domain ask for the unit: places, corners, draws, and reductions by level.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Which unit of the whole domain: a superblock or a stretch of a row. Places, corners and draws follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit(pub u32);

/// Where a unit of one member stands: its block in a buffer, and its row in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

impl Slot {
    /// No unit.
    pub const ABSENT: Slot = Slot(u32::MAX);

    /// The first slots.
    pub fn all(count: usize) -> impl Iterator<Item = Slot> {
        (0..count as u32).map(Slot)
    }

    /// As an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The units of a domain that one engine stores: first the units that it computes, one after the other, then copies of the *ghosts*, which its units look
/// at and other engines compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    units: Range<u32>,
    ghosts: Arc<[Unit]>,
}

impl Part {
    /// All of them.
    pub fn whole(units: u32) -> Part {
        Part { units: 0..units, ghosts: Arc::new([]) }
    }

    /// These, with copies of others.
    pub fn of(units: Range<u32>, ghosts: BTreeSet<Unit>) -> Part {
        Part { units, ghosts: ghosts.into_iter().collect() }
    }

    /// The units that are computed here.
    pub fn units(&self) -> &Range<u32> {
        &self.units
    }

    /// How many units are computed here.
    pub fn owned(&self) -> usize {
        self.units.len()
    }

    /// How many are stored.
    pub fn stored(&self) -> usize {
        self.owned() + self.ghosts.len()
    }

    /// Where a unit stands, if it is stored.
    pub fn slot(&self, unit: Unit) -> Option<Slot> {
        if self.units.contains(&unit.0) {
            return Some(Slot(unit.0 - self.units.start));
        }
        self.ghosts.binary_search(&unit).ok().map(|ghost| Slot((self.owned() + ghost) as u32))
    }

    /// The unit that stands there.
    pub fn unit(&self, slot: Slot) -> Unit {
        match slot.index().checked_sub(self.owned()) {
            None => Unit(self.units.start + slot.0),
            Some(ghost) => self.ghosts[ghost],
        }
    }
}

/// Which cell of the whole domain, in canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellIndex(pub u64);

/// The number of a value in storage of packed cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackedIndex(pub u64);

/// Which lane of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u32);

/// Which cell of a micro-fractal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micro(pub u32);
