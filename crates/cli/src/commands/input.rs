//! What several commands read.

use crate::args::{At, Part};
use crate::report::Failure;
use squeeze::window::Window;
use squeeze::{Domain, files, resolve};
use std::path::{Path, PathBuf};

/// The fractal at the level that was asked for.
pub fn domain(at: &At) -> Result<Domain, Failure> {
    Ok(Domain::new(resolve::fractal(&at.fractal)?, at.level)?)
}

/// The part of the grid that was asked for.
pub fn window(part: &Part, domain: &Domain) -> Result<Window, Failure> {
    let window = match &part.window {
        Some(text) => Window::parse(text, domain)?,
        None => Window::whole(domain),
    };
    Ok(match part.slice {
        Some(z) => window.slice(z, domain)?,
        None => window,
    })
}

/// The bytes of a file, or of standard input if it is called `-`.
pub fn read(path: &Path) -> Result<Vec<u8>, squeeze::Error> {
    let bytes = if path == Path::new("-") { files::read_standard_input() } else { files::read_text_bytes(path) };
    Ok(bytes?)
}

/// A text to check or to format: a file, standard input if it is called `-`, or the name of something that ships.
pub fn text(path: &Path) -> Result<(PathBuf, Vec<u8>), squeeze::Error> {
    match path.to_str().and_then(resolve::shipped_text) {
        Some((name, text)) => Ok((name, text.as_bytes().to_vec())),
        None => Ok((path.to_owned(), read(path)?)),
    }
}
