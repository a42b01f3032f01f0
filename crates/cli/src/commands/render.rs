//! `render FRACTAL --level R -o FILE.png`

use super::input;
use crate::args::{Part, Render};
use crate::report::{Failure, print};
use squeeze::files;
use squeeze::picture::{self, View};

/// Draws a bare fractal.
pub fn render(arguments: &Render) -> Result<(), Failure> {
    let domain = input::domain(&arguments.at)?;
    let Part { window, slice } = &arguments.part;
    let image = if window.is_none() && slice.is_none() && arguments.zoom.is_none() {
        picture::of_fractal(&domain, arguments.background)
    } else {
        let window = input::window(&arguments.part, &domain)?;
        picture::of_fractal_view(
            &domain,
            &View { window, zoom: arguments.zoom.unwrap_or_default() },
            arguments.background,
        )?
    };
    files::write_atomically(&arguments.output, &image.to_png())?;
    let name = &domain.fractal().name;
    let (width, height) = (image.width, image.height);
    let level = domain.levels().map_or(String::new(), |level| format!(", level {level}"));
    print(&format!("{}: {name}{level}, {width} × {height} pixels\n", arguments.output.display()))
}
