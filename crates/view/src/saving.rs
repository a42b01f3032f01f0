//! What pages keep of what they show: pictures as `export` draws them, and patterns.

use crate::message::{PagePart, PageView};
use crate::scene::Scene;
use squeeze_compiler::ir::{Dimension, StateId, Type};
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::simulation::{StateView, Window};
use squeeze_records::golly;
use squeeze_records::picture::{self, Extent, Format, Picture, View, Zoom};
use squeeze_records::state::export::rle::of_window;

/// The most pixels of a picture, and places of a pattern.
const MOST: u64 = 1 << 24;

impl PageView {
    /// The part of the grid, with how large places are; none for a solid.
    ///
    /// # Errors
    /// If it reaches beyond the grid, or is too large for a picture, or there is no solid.
    pub(crate) fn view(&self, scene: &Scene<'_>) -> Result<Option<View>> {
        if matches!(self.look.part, PagePart::Solid(_)) {
            return match scene.domain().dimension() {
                Dimension::Three => Ok(None),
                _ => Err(Message::users("the grid is not 3-D").into()),
            };
        }
        let (window, reduce) = self.look.window(scene.domain())?;
        let zoom = if reduce > 1 { Zoom::Reduce(reduce) } else { Zoom::Enlarge(self.enlarge) };
        let side = |places: u64| places.div_ceil(u64::from(reduce)).saturating_mul(u64::from(self.enlarge));
        if side(window.size[0]).saturating_mul(side(window.size[1])) > MOST {
            return Err(Message::users("the picture would be too large").into());
        }
        let view = View { window, zoom };
        view.check()?;
        Ok(Some(view))
    }

    /// The picture, with its colour bar.
    ///
    /// # Errors
    /// As [`view`](Self::view); if there is no such state, the colours do not fit it, or it cannot be read.
    pub(crate) fn draw(&self, scene: &Scene<'_>, more: impl FnOnce(&mut picture::Style)) -> Result<Picture> {
        let state = StateId(self.look.state);
        let field = StateView::numbered(scene.fields, state)?;
        let mut style = self.look.style(field.ty());
        more(&mut style);
        picture::of_state(scene.domain(), scene.rule, state, field, self.view(scene)?.as_ref(), &style)
    }
}

/// The bytes of a picture, those of `export`.
///
/// # Errors
/// As of [`PageView::draw`].
pub(crate) fn png(scene: &Scene<'_>, view: &PageView) -> Result<Vec<u8>> {
    Ok(view.draw(scene, |_| {})?.sheet.bytes(Format::Png))
}

/// What is in view as a pattern for Golly.
///
/// # Errors
/// If it has too many places, or another type than patterns have.
pub(crate) fn rle(scene: &Scene<'_>, view: &PageView) -> Result<Vec<u8>> {
    let (domain, rule) = (scene.domain(), scene.rule);
    let (window, _) = view.look.window(domain)?;
    let field = StateView::numbered(scene.fields, StateId(view.look.state))?;
    if !matches!(field.ty(), Type::Bit | Type::U8 | Type::Enum(_)) || domain.dimension() != Dimension::Two {
        let what =
            format!("a pattern holds bits, u8 and enums of a 2-D grid, and `{}` is none of these", scene.name_of(view));
        return Err(Message::users(what).into());
    }
    if window.places().is_none_or(|places| places > MOST) {
        return Err(Message::users("too many places are in view for a pattern: zoom in").into());
    }
    let grid = golly::grid_of(domain).filter(|_| window == Window::whole(domain));
    let grid = grid.map_or_else(String::new, |grid| format!(":{grid}"));
    let head = golly::notation(rule).map(|rule| format!("{rule}{grid}"));
    Ok(of_window(field, &window, head.as_deref())?.into_bytes())
}

/// The range of a picture that goes on with the one before.
pub(crate) fn widened(extent: Extent, before: Option<[f64; 2]>) -> Extent {
    match (extent, before) {
        (Extent::Fit, Some([low, high])) => Extent::AtLeast(low, high),
        _ => extent,
    }
}

/// The type of a file, as browsers name it.
pub(crate) fn kind(ending: &str) -> &'static str {
    match ending {
        "png" => "image/png",
        "gif" => "image/gif",
        "mp4" => "video/mp4",
        _ => "text/plain",
    }
}
