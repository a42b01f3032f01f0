//! The parts of pictures and plots.
//!
//! A [`Sheet`] is a list of marks: paths, texts and images. [`chart`] lays out plots as such lists, [`frame`] puts the legend, the
//! caption and a margin around an image. SVG, PDF and pixels are three printers of the same list, so that all that is drawn can be any of
//! them. Letters are those of one embedded font ([`font`]); the widths that layouts reckon with are its own.
//!
//! Nothing here knows of fractals or rules, or reads files.

pub mod chart;
pub mod font;
pub mod frame;
mod image;
mod light;
mod marks;
mod palette;
mod pdf;
mod pixels;
mod samples;
mod svg;

pub use image::{BAR, Image};
pub use light::Linear;
pub use marks::{Anchor, Format, Sheet, SheetPlace, TextMark};
pub use palette::Palette;
pub use samples::{Samples, WHITE};
