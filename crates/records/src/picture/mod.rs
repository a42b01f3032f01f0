//! Pictures of states and of bare fractals, drawn from the compact order without ever expanding the grid.
//!
//! The finest digits of a canonical index are its lowest, so the cells of one replica of level j are consecutive: a
//! picture of reduced resolution draws one *block* of `K_j` cells where that replica lies, in the colour of the mean of its
//! cells. Holes inside a block do not count: otherwise a large fractal, which is nearly all hole, would fade away.
//! Where blocks share a pixel, its cover is its opacity, beside the pixel that is covered most. Small sides are enlarged by
//! whole factors.
//!
//! In two dimensions a place is a pixel ([`flat`]), and a picture whose pixels are blocks has an `inset` that shows single
//! cells. In three dimensions the blocks are drawn as cubes, seen from the front, the left and above ([`solid`]). A [`view`] shows
//! a window of the grid, or a layer of a 3-D one, at any zoom. [`Style`] says how all of them look.

mod blocks;
pub mod error;
pub mod flat;
pub mod image;
mod inset;
mod legend;
mod palette;
pub mod samples;
pub mod solid;
pub mod style;
pub mod view;

pub use crate::state::field::Field;
pub use error::{PictureError, ViewError};
pub use image::Image;
pub use samples::Samples;
pub use style::{Background, Colours, Extent, Style};
pub use view::{View, Zoom};

use crate::state::field::StateOf;
use blocks::{Drawn, Paint};
use error::Result;
use palette::{ScaledMap, Shades, Theme};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Dimension, Rule, StateId};
use squeeze_engine::Simulation;

/// A picture of a state.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The picture, with its legend.
    pub image: Image,
    /// The values at the ends of the colour map, if there is one.
    pub range: Option<[f64; 2]>,
}

/// Whether a style fits a state.
///
/// # Errors
/// If the style asks for a scale and the state is not a number, or for a logarithmic scale from a value without a logarithm.
pub fn check_style(rule: &Rule, state: StateId, style: &Style) -> Result<(), ViewError> {
    Shades::of(rule, state, style).map(|_| ())
}

/// A picture of one state, with a legend for its colours.
///
/// # Errors
/// [`ViewError`] for a style that does not fit the state; if the field cannot be read.
pub fn of_state(domain: &Domain, rule: &Rule, state: StateId, field: &dyn Field, style: &Style) -> Result<Picture> {
    let shades = Shades::of(rule, state, style)?;
    let drawn = draw(domain, &Paint::Field(field, shades.clone()), Theme::of(style.background))?;
    let range = drawn.map.as_ref().map(ScaledMap::range);
    Ok(Picture { image: legend::below(drawn, rule, state, &shades, style), range })
}

/// A picture of what a view shows of one state, with a legend for its colours.
///
/// # Errors
/// [`ViewError`] for a view that cannot be drawn or a style that does not fit the state; if the field cannot be read.
pub fn of_view(
    domain: &Domain,
    rule: &Rule,
    state: StateId,
    field: &dyn Field,
    view: &View,
    style: &Style,
) -> Result<Picture> {
    let shades = Shades::of(rule, state, style)?;
    let drawn = view::draw(domain, &Paint::Field(field, shades.clone()), view, Theme::of(style.background))?;
    let range = drawn.map.as_ref().map(ScaledMap::range);
    Ok(Picture { image: legend::below(drawn, rule, state, &shades, style), range })
}

/// A picture of a simulation's state: of all of it, or of what a view shows.
///
/// # Errors
/// As [`of_state`] and [`of_view`].
pub fn of_simulation(simulation: &Simulation, state: StateId, view: Option<&View>, style: &Style) -> Result<Picture> {
    let (domain, rule, field) = (simulation.domain(), simulation.rule(), StateOf { simulation, state });
    match view {
        Some(view) => of_view(domain, rule, state, &field, view, style),
        None => of_state(domain, rule, state, &field, style),
    }
}

/// A picture of the bare fractal.
pub fn of_fractal(domain: &Domain, background: Background) -> Image {
    let theme = Theme::of(background);
    let drawn = draw(domain, &Paint::Plain(theme.bare(domain.dimension())), theme);
    drawn.expect("a bare fractal has no field that could fail").image
}

/// A picture of what a view shows of the bare fractal.
///
/// # Errors
/// [`ViewError`] for a view that cannot be drawn.
pub fn of_fractal_view(domain: &Domain, view: &View, background: Background) -> Result<Image> {
    let theme = Theme::of(background);
    Ok(view::draw(domain, &Paint::Plain(theme.bare(Dimension::Two)), view, theme)?.image)
}

fn draw(domain: &Domain, paint: &Paint, theme: &Theme) -> Result<Drawn> {
    match domain.dimension() {
        Dimension::One | Dimension::Two => flat::draw(domain, paint, theme),
        Dimension::Three => solid::draw(domain, paint, theme),
    }
}

#[cfg(test)]
mod tests;
