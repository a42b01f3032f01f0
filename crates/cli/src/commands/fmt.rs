//! `fmt [-w] FILE...`

use super::input;
use crate::args::Fmt;
use crate::report::{Failure, print};
use squeeze::{files, resolve};
use std::path::Path;

/// Prints files in the canonical form, or rewrites those that are not. A file with errors is left as it is.
pub fn fmt(arguments: &Fmt) -> Result<(), Failure> {
    if arguments.write && arguments.files.iter().any(|path| path == Path::new("-")) {
        let help = "without -w the formatted text is printed";
        return Err(Failure::Input("standard input cannot be rewritten in place".to_owned(), help.to_owned()));
    }
    let mut printed = String::new();
    let mut errors = Vec::new();
    for path in &arguments.files {
        match format(path, arguments.write) {
            Ok(text) => printed.push_str(&text),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(Failure::Several(errors));
    }
    if arguments.write { Ok(()) } else { print(&printed) }
}

fn format(path: &Path, write: bool) -> Result<String, squeeze::Error> {
    let bytes = input::read(path)?;
    let text = resolve::format(path, &bytes)?;
    if write && text.as_bytes() != bytes {
        files::write_atomically(path, text.as_bytes())?;
    }
    Ok(text)
}
