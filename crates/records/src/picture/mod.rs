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
pub mod colouring;
pub mod flat;
mod inset;
mod palette;
pub mod solid;
pub mod style;
pub mod view;

pub use squeeze_drawing::{Format, Image, Samples, Sheet};
pub use style::{Background, Colours, Extent, Style};
pub use view::{View, Zoom};

use blocks::{Drawn, PictureSubject};
use palette::{ScaledMap, Shades, Theme, linear};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Dimension, Rule, StateId, Type};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_drawing::frame::{self, Frame, Legend};
use squeeze_engine::Simulation;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::simulation::StateView;

/// The least width of a cell in pixels, which otherwise shares its pixel with others as their mean: cells of one or two pixels turn into patterns of their
/// own on every screen that scales them.
const LEAST_PIXELS: u64 = 3;
/// The greatest width in pixels of pictures of single cells.
const MOST_PIXELS: u64 = 2048;

/// A picture of a state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Picture {
    /// The picture, with its legend.
    pub sheet: Sheet,
    /// The values at the ends of the colour map, if there is one.
    pub range: Option<[f64; 2]>,
}

/// The edges of a solid are not those of its grid.
pub(crate) fn axes_of_a_solid() -> Message {
    let what =
        "axes are drawn along windows, layers and 2-D grids, and this shows a solid: choose a layer with `--slice Z`";
    Message::users(what)
}

/// Whether a style fits a state.
///
/// # Errors
/// If the style asks for a scale and the state is not a number, or for a logarithmic scale from a value without a logarithm.
pub(crate) fn check_style(rule: &Rule, state: StateId, style: &Style) -> Result<(), Message> {
    Shades::of(rule, state, style).map(|_| ())
}

/// A picture of one state, or of what a view shows of it, with a legend for its colours.
///
/// # Errors
/// If the view cannot be drawn, the style does not fit the state, or the field cannot be read.
pub fn of_state(
    domain: &Domain,
    rule: &Rule,
    state: StateId,
    field: StateView<'_>,
    view: Option<&View>,
    style: &Style,
) -> Result<Picture> {
    let _mode = DefaultMode::enter();
    let shades = Shades::of(rule, state, style)?;
    let paint = PictureSubject::Field(field, shades.clone());
    let drawn = draw(domain, &paint, view, (Theme::of(style.background), style.turn))?;
    let range = drawn.map.as_ref().map(ScaledMap::range);
    // A caller that sets the size of cells may want to read pixels as cells.
    let margin = view.is_none_or(|view| view.zoom == Zoom::Fit);
    if style.axes && drawn.places.is_none() {
        return Err(axes_of_a_solid().into());
    }
    Ok(Picture { sheet: framed(drawn, rule, state, &shades, margin, style), range })
}

/// A picture of a simulation's state: of all of it, or of what a view shows.
///
/// # Errors
/// As [`of_state`].
pub fn of_simulation(simulation: &Simulation, state: StateId, view: Option<&View>, style: &Style) -> Result<Picture> {
    of_state(simulation.domain(), simulation.rule(), state, StateView::numbered(simulation, state)?, view, style)
}

/// A picture with its legend and caption; single bits, whose colours explain themselves, get no legend.
fn framed(drawn: Drawn, rule: &Rule, state: StateId, shades: &Shades, margin: bool, style: &Style) -> Sheet {
    let Drawn { image, scale, inset, places, map, single } = drawn;
    let (definition, theme) = (rule.state(state), Theme::of(style.background));
    let vector = rule.vector_of(state).filter(|_| matches!(shades, Shades::Vectors(..)));
    let name = vector.map_or(&*definition.name, |(name, _)| name);
    let colour = |part: f64| map.as_ref().map_or(0, |map| map.along(part).code());
    let legend = match (definition.ty, shades, &map) {
        (Type::Enum(id), Shades::Table(colours), _) => {
            let names = rule.enum_type(id).variants.iter().cloned();
            Some(Legend::Names(names.zip(colours.iter().map(|colour| linear(colour).code())).collect()))
        }
        (ty, _, Some(map)) => Some(Legend::Numbers {
            name: match &style.label {
                Some(label) => label.clone(),
                None => [if vector.is_some() { "angle of " } else { "" }, if single { "" } else { "mean of " }, name]
                    .concat(),
            },
            // Hues go round; how far they are from grey explains itself.
            ends: if vector.is_some() { [0.0, std::f64::consts::TAU] } else { map.range() },
            logarithmic: vector.is_none() && map.is_logarithmic(),
            whole: single && !matches!(ty, Type::F32 | Type::F64),
            colour: &colour,
        }),
        _ => None,
    };
    let frame = Frame {
        title: format!("{name} of {}", rule.name),
        ground: theme.ground,
        words: theme.words,
        legend,
        caption: style.caption.as_deref(),
        margin,
        inset,
        axes: places.filter(|_| style.axes),
        paper: style.paper,
    };
    frame::framed(image, scale, &frame)
}

/// A picture of the bare fractal, or of what a view shows of it.
///
/// # Errors
/// If the view cannot be drawn.
pub fn of_fractal(domain: &Domain, view: Option<&View>, background: Background) -> Result<Image> {
    let _mode = DefaultMode::enter();
    let theme = Theme::of(background);
    let dimension = if view.is_some() { Dimension::Two } else { domain.dimension() };
    let drawn = draw(domain, &PictureSubject::Plain(theme.bare(dimension)), view, (theme, 0))?;
    Ok(drawn.image.enlarged(drawn.scale))
}

fn draw(domain: &Domain, paint: &PictureSubject, view: Option<&View>, (theme, turn): (&Theme, u8)) -> Result<Drawn> {
    match (view, domain.dimension()) {
        (Some(view), _) => view::draw(domain, paint, view, theme),
        (None, Dimension::One | Dimension::Two) => flat::draw(domain, paint, theme),
        (None, Dimension::Three) => solid::draw(domain, paint, theme, turn),
    }
}

#[cfg(test)]
mod tests;
