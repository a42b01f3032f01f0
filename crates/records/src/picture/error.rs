//! Why a picture cannot be drawn.

use crate::state::StateError;
use crate::state::window::WindowError;
use squeeze_engine::failure::Failure;

/// The result of what draws.
pub type Result<T, E = PictureError> = std::result::Result<T, E>;

/// The longest side of a view's picture, in pixels.
pub(super) const LONGEST: u64 = 8192;

/// Why a view cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The picture would be too large.
    #[error(
        "a window of {width} × {height} places at this zoom is a picture of {pixels} pixels along a side; at most {LONGEST} are drawn"
    )]
    TooLarge {
        /// Places along x.
        width: u64,
        /// Places along y.
        height: u64,
        /// Pixels along the longer side.
        pixels: u64,
    },
    /// The text is not a zoom.
    #[error(
        "`{0}` is not a zoom: valid are whole numbers (pixels per place) and fractions such as 1/16 (16 × 16 places per pixel)"
    )]
    Zoom(String),
    /// The text is no list of colours.
    #[error(
        "`{0}` is not a colour map: valid are rule, perceptual, diverging, cyclic, grey, viridis, magma, inferno, plasma, cividis, twilight, coolwarm, and two or more colours such as ffffff,d55e00"
    )]
    Colours(String),
    /// The text is no range.
    #[error("`{0}` is not a range: valid are LOW:HIGH with LOW < HIGH, such as 0:1, and fit")]
    Range(String),
    /// Bits and enums have no scale.
    #[error("{0} has no effect on `{1}`: it is not a number")]
    NoScale(&'static str, String),
    /// A logarithmic scale from a value that has no logarithm.
    #[error("a logarithmic scale needs a positive range, and it begins at {0}")]
    Logarithm(f64),
    /// A state that the rule does not have.
    #[error("rule `{rule}` has no state `{name}`; it has {known}")]
    NoField {
        /// The rule's name.
        rule: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The edges of a solid are not those of its grid.
    #[error(
        "axes are drawn along windows, layers and 2-D grids, and this shows a solid: choose a layer with `--slice Z`"
    )]
    Axes,
    /// Several layers.
    #[error("a window of a 3-D grid is drawn layer by layer: choose one with `--slice Z`")]
    Layers,
}

impl Failure for ViewError {}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// What is to be shown.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The part of the grid that is to be shown.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The state that is drawn.
    #[error(transparent)]
    State(#[from] StateError),
}

impl Failure for PictureError {
    fn is_users(&self) -> bool {
        match self {
            PictureError::View(_) | PictureError::Window(_) => true,
            PictureError::State(error) => error.is_users(),
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            PictureError::View(_) | PictureError::Window(_) => Vec::new(),
            PictureError::State(error) => error.help(),
        }
    }
}
