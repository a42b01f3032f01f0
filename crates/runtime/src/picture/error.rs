//! Why a picture cannot be drawn.

use crate::state::StateError;

/// The result of what draws.
pub type Result<T, E = PictureError> = std::result::Result<T, E>;

/// The longest side of a view's picture, in pixels.
pub(super) const LONGEST: u64 = 8192;

/// Why a view cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
    /// The text is no zoom.
    #[error(
        "`{0}` is no zoom: valid are whole numbers, pixels for a place, and fractions such as 1/16, 16 × 16 places in a pixel"
    )]
    Zoom(String),
    /// Several layers.
    #[error("a window of a 3-D grid is drawn layer by layer: `--slice Z` says which")]
    Layers,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// What is to be shown.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The state that is drawn.
    #[error(transparent)]
    State(#[from] StateError),
}

impl PictureError {
    /// True if the user's input is wrong, false if the machine or the files are.
    pub fn is_users(&self) -> bool {
        match self {
            PictureError::View(_) => true,
            PictureError::State(error) => error.is_users(),
        }
    }

    /// What would be valid, one line each.
    pub fn help(&self) -> Vec<String> {
        match self {
            PictureError::View(_) => Vec::new(),
            PictureError::State(error) => error.help(),
        }
    }
}
