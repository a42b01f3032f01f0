//! `render FRACTAL --level R -o FILE.png`

use crate::args::Render;
use crate::report::{Failure, print};
use squeeze::files::PendingFile;
use squeeze::picture;

/// Draws a bare fractal.
pub fn render(arguments: &Render) -> Result<(), Failure> {
    let domain = super::domain(&arguments.at)?;
    let file = PendingFile::begin(&arguments.output)?;
    let image = picture::of_fractal(&domain);
    file.finish(&image.to_png())?;
    let name = &domain.fractal().name;
    let (width, height) = (image.width, image.height);
    print(&format!("{}: {name}, level {}, {width} × {height} pixels\n", arguments.output.display(), domain.level()))
}
