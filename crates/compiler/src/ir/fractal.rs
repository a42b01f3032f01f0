//! Fractals as tables of replicas, before a level is chosen.

use super::places::Places;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

/// The dimension of the space in which a fractal is embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dimension {
    /// A line along x; y and z are 0.
    One,
    /// x grows right, y down.
    Two,
    /// As [`Dimension::Two`], and z into the page.
    Three,
}

impl Dimension {
    /// The number of axes, 1 to 3.
    pub const fn axes(self) -> usize {
        match self {
            Dimension::One => 1,
            Dimension::Two => 2,
            Dimension::Three => 3,
        }
    }

    /// A scale that all its axes have.
    pub const fn scales(self, scale: u32) -> [u32; 3] {
        match self {
            Dimension::One => [scale, 1, 1],
            Dimension::Two => [scale, scale, 1],
            Dimension::Three => [scale; 3],
        }
    }
}

/// One level's subdivision: `k` replicas placed in a box (the table `H` of the papers).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// The name of the fractal that defines it.
    pub name: String,
    /// The dimension D.
    pub dimension: Dimension,
    /// The scale s of each axis, one of which is ≥ 2: the sides of the box. Along axes that the dimension has not it is 1. Masks have their
    /// extent here.
    pub scale: [u32; 3],
    /// `H`: the place of replica d, as (x, y, z) with every coordinate in `[0, s)` of its axis.
    /// All entries are distinct and there are at least two. Of masks it is empty.
    pub replicas: Vec<[u32; 3]>,
    /// Of a mask or a box its cells, which take the place of replicas.
    pub places: Option<Arc<Places>>,
}

impl Pattern {
    /// The number of replicas k.
    pub fn k(&self) -> u64 {
        self.places.as_ref().map_or(self.replicas.len() as u64, |places| places.cells())
    }

    /// The place of a replica, or of a cell of a mask.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn replica(&self, number: u64) -> [u32; 3] {
        match &self.places {
            Some(places) => places.point(places.place_of(number)),
            None => self.replicas[number as usize],
        }
    }

    /// The one scale s of all axes, or `None` if they differ.
    pub fn uniform_scale(&self) -> Option<u32> {
        let scales = self.scales();
        scales.iter().all(|scale| *scale == scales[0]).then_some(scales[0])
    }

    /// The scales along the axes that the dimension has.
    pub fn scales(&self) -> &[u32] {
        &self.scale[..self.dimension.axes()]
    }

    /// The scale as the language writes it: `3`, or `(3, 2)` if the axes differ.
    pub fn scale_text(&self) -> String {
        scale_text(self.scales())
    }
}

/// The scales of all axes as the language writes them.
pub(crate) fn scale_text(scales: &[u32]) -> String {
    if scales.iter().all(|scale| *scale == scales[0]) {
        return scales[0].to_string();
    }
    format!("({})", scales.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
}

/// Some of the axes x, y and z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Axes(pub [bool; 3]);

impl Axes {
    /// None of them.
    pub const NONE: Axes = Axes([false; 3]);
    /// Their names.
    pub const NAMES: [&'static str; 3] = ["x", "y", "z"];

    /// All axes of a space.
    pub const fn of(dimension: Dimension) -> Axes {
        Axes([true, dimension.axes() >= 2, dimension.axes() == 3])
    }

    /// Whether the coordinates of a place on these axes have an odd sum.
    #[doc(hidden)]
    pub fn is_odd(self, place: [u64; 3]) -> bool {
        place.iter().zip(self.0).filter(|(v, is)| *is && **v % 2 == 1).count() % 2 == 1
    }

    /// The number of the set that they are: bit a for axis a.
    pub const fn set(self) -> u8 {
        self.0[0] as u8 | (self.0[1] as u8) << 1 | (self.0[2] as u8) << 2
    }

    /// True if there is one.
    pub const fn any(self) -> bool {
        self.0[0] || self.0[1] || self.0[2]
    }
}

/// Their names, as the language writes them: `x, y`.
impl fmt::Display for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            Axes::NAMES.into_iter().zip(self.0).filter(|(_, is)| *is).map(|(name, _)| name).collect();
        f.write_str(&names.join(", "))
    }
}

impl FromStr for Axes {
    type Err = String;

    fn from_str(text: &str) -> Result<Axes, String> {
        let mut axes = Axes::NONE;
        for name in text.split(',').map(str::trim) {
            let axis = Axes::NAMES.iter().position(|known| *known == name);
            match axis {
                Some(axis) if !axes.0[axis] => axes.0[axis] = true,
                Some(_) => return Err(format!("the axis `{name}` is named twice")),
                None => return Err(format!("there is no axis `{name}`, but x, y and z, as in `x,y`")),
            }
        }
        Ok(axes)
    }
}

/// The value beyond the edges for a state, as a domain says it before it is known for which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The state, or the let that is read at neighbours.
    pub name: String,
    /// `reflect`, or a literal of its type.
    pub value: String,
    /// The one side beyond which it holds, of −x, +x, −y, +y, −z and +z; else it holds beyond all that no other value of the state is said for.
    pub side: Option<usize>,
    /// Where it is said: a file with line and column, or a flag.
    pub place: String,
}

/// A fractal of any level: level μ = 1, 2, … (finest first) uses `patterns[(μ − 1) mod patterns.len()]`.
///
/// Everyone reads its parts, and the compiler alone makes and changes fractals: engines rely on what was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fractal(pub(crate) FractalParts);

impl Deref for Fractal {
    type Target = FractalParts;

    fn deref(&self) -> &FractalParts {
        &self.0
    }
}

/// The parts of a [`Fractal`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FractalParts {
    /// The name under which it was defined.
    pub name: String,
    /// The text of its `///` comment, without the slashes; empty if there is none.
    pub doc: String,
    /// The dimension shared by all its patterns.
    pub dimension: Dimension,
    /// At least one pattern; exactly one for a fractal that is not mixed.
    pub patterns: Vec<Arc<Pattern>>,
    /// The axes along which every level is periodic: its opposite sides are joined.
    pub periodic: Axes,
    /// Width, height and depth of a mask or a box. Such a domain has one level, whose pattern holds all cells in reading order.
    pub extent: Option<[u32; 3]>,
    /// The values beyond the edges of axes that are not periodic, by state; a state that is not listed has none there.
    pub edges: Vec<Edge>,
}

impl Edge {
    /// Whether this is said in the place of another that was said before: about the same state, and about all sides or the same.
    pub(crate) fn replaces(&self, other: &Edge) -> bool {
        self.is_of(&other.name) && (self.side.is_none() || self.side == other.side)
    }

    /// Whether it is said of a state: what is said of a vector is said of all its components.
    pub fn is_of(&self, state: &str) -> bool {
        state.strip_prefix(&*self.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// The state and the side that it is said of: `u`, or `u at -x`.
    pub fn subject(&self) -> String {
        let side = self.side.map_or_else(String::new, |side| format!(" at {}", Edge::side_name(side)));
        format!("{}{side}", self.name)
    }

    /// A side as it is written.
    pub(crate) fn side_name(side: usize) -> String {
        format!("{}{}", ['-', '+'][side % 2], Axes::NAMES[side / 2])
    }
}

impl Fractal {
    /// The fractal with more periodic axes, of those that its space has.
    #[doc(hidden)]
    #[must_use]
    pub fn with_periodic(&self, axes: Axes) -> Fractal {
        let of_space = Axes::of(self.dimension);
        let periodic = Axes(std::array::from_fn(|axis| of_space.0[axis] && (self.periodic.0[axis] || axes.0[axis])));
        Fractal(FractalParts { periodic, ..self.0.clone() })
    }

    /// The fractal with some of its edges.
    #[doc(hidden)]
    #[must_use]
    pub fn with_edges(&self, which: impl FnMut(&Edge) -> bool) -> Fractal {
        let mut parts = self.0.clone();
        parts.edges.retain(which);
        Fractal(parts)
    }

    /// The pattern of level `mu`, counted from 1 at the finest.
    ///
    /// # Panics
    /// If `mu` is 0: level 0 is a single cell and has no pattern.
    #[doc(hidden)]
    pub fn pattern(&self, mu: u32) -> &Pattern {
        assert!(mu >= 1, "levels with a pattern are counted from 1");
        &self.patterns[(mu as usize - 1) % self.patterns.len()]
    }

    /// True if some level has different scales along its axes, so that the sides differ. Masks are boxes of their own.
    pub fn is_rectangular(&self) -> bool {
        self.patterns.iter().any(|pattern| pattern.uniform_scale().is_none())
    }

    /// True if each level has one scale along two or three axes, as the papers' strategies want it.
    #[doc(hidden)]
    pub fn is_isotropic(&self) -> bool {
        self.dimension != Dimension::One && !self.is_rectangular()
    }

    /// A digest of the cells of a mask, if its domain draws them: another version may draw others from the same text.
    #[doc(hidden)]
    pub fn digest_of_drawn(&self) -> Option<u64> {
        self.patterns.iter().find_map(|pattern| pattern.places.as_ref()?.digest_of_drawn())
    }

    /// True if the levels differ, so that there is no single s and k.
    pub fn is_mixed(&self) -> bool {
        self.patterns.len() > 1
    }
}
