//! `render FRACTAL --level R -o FILE`

use super::input;
use crate::args::{Render, ShownPart};
use crate::report::{CliError, print};
use squeeze::drawing::frame;
use squeeze::files;
use squeeze::picture::{self, Format, View};

/// Draws a bare fractal.
pub(crate) fn render(arguments: &Render) -> Result<(), CliError> {
    let domain = input::domain(&arguments.at)?;
    let ShownPart { window, slice } = &arguments.part;
    let view = match (window, slice, arguments.zoom) {
        (None, None, None) => None,
        (.., zoom) => Some(View { window: input::window(&arguments.part, &domain)?, zoom: zoom.unwrap_or_default() }),
    };
    let image = picture::of_fractal(&domain, view.as_ref(), arguments.theme)?;
    let (width, height) = (image.width, image.height);
    let format = arguments.output.extension().and_then(Format::of_extension).unwrap_or(Format::Png);
    files::write_atomically(&arguments.output, &frame::bare(image, &domain.fractal().name).bytes(format))?;
    let name = &domain.fractal().name;
    let level = domain.levels().map_or(String::new(), |level| format!(", level {level}"));
    print(&format!("{}: {name}{level}, {width} × {height} pixels\n", arguments.output.display()))
}
