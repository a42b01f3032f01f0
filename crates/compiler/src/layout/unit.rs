//! Numbers of units, lanes and micro cells. Each has a type of its own, so that none is taken for another.

/// Which unit of the whole domain: a superblock or a stretch of a row. Places, corners and draws follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit(pub u32);

/// Which lane of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u32);

/// Which cell of a micro-fractal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micro(pub u32);
