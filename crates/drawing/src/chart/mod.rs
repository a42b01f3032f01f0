//! Charts, in the one style of all plots, as sheets that can go into a paper as they are.
//!
//! A [`Page`] has panels, a [`Panel`] two axes and curves, a [`Curve`] points, which may have errors. Names stand beside the curves' ends, where
//! curves are told apart without going back and forth to a legend; colours (Okabe and Ito's, which colour-blind people tell apart) go with
//! markers and dashes, so that a plot survives a printer without colours. The text of a page depends on its contents alone.
//!
//! No library is used, because those that exist find round numbers by adding up steps (and so never end near the largest floats), put legends
//! in boxes over the curves, or are several times as large as the rest of this crate.

pub(crate) mod axis;
mod draw;

pub use axis::{ChartAxis, Scale};
pub use draw::sheet;

/// A page of panels, in rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// A line below the title, such as the way in which the points were measured.
    pub note: String,
    /// How many panels stand beside each other; 0 for as many as suit.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

/// Two axes and the curves between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Its title, if the page does not say it.
    pub title: String,
    /// The axis from left to right.
    pub x: ChartAxis,
    /// The axis from bottom to top.
    pub y: ChartAxis,
    /// The curves.
    pub curves: Vec<Curve>,
    /// The bands behind the curves.
    pub bands: Vec<CurveBand>,
    /// Horizontal lines to compare curves with: their values and labels.
    pub levels: Vec<(f64, String)>,
    /// Vertical lines at notable places: their x, its error and a label.
    pub places: Vec<(f64, f64, String)>,
}

/// An area around a curve, such as that between quartiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveBand {
    /// From left to right, each place with the ends of the area there; it has a gap where one is no number.
    pub edges: Vec<(f64, [f64; 2])>,
    /// Its colour, that of the curve.
    pub ink: usize,
}

/// Points, and the line through them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The label beside its end.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<CurvePoint>,
    /// Its colour, marker and dashes: curves with the same number look alike.
    pub ink: usize,
    /// Whether points are marked even if they have no errors.
    pub marked: bool,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The place from left to right.
    pub x: f64,
    /// Where it is from bottom to top; the curve has a gap where it is no number.
    pub y: f64,
    /// How far it may be off; 0 if it is exact, and NaN if that is not known: its marker is open.
    pub error: f64,
}

impl CurvePoint {
    /// A point without an error.
    pub fn new(x: f64, y: f64) -> CurvePoint {
        CurvePoint { x, y, error: 0.0 }
    }
}
