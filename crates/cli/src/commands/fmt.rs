//! `fmt [-w|--check] FILE...`

use super::input;
use crate::args::Fmt;
use crate::report::{CliError, print};
use squeeze::{files, resolve};
use std::path::{Path, PathBuf};

/// Prints files in the canonical form, or rewrites those that are not. A file with errors is left as it is.
pub(crate) fn fmt(arguments: &Fmt) -> Result<(), CliError> {
    let help = "without -w the formatted text is printed";
    if arguments.write && arguments.files.iter().any(|path| path == Path::new("-")) {
        return Err(CliError::input("standard input cannot be rewritten in place", help));
    }
    let shipped = |path: &&PathBuf| path.to_str().is_some_and(|name| resolve::shipped_text(name).is_some());
    if let (true, Some(path)) = (arguments.write, arguments.files.iter().find(shipped)) {
        let message = format!("`{}` ships with Squeeze: there is no file to rewrite", path.display());
        return Err(CliError::input(message, help));
    }
    let mut printed = String::new();
    let (mut errors, mut others) = (Vec::new(), Vec::new());
    for path in &arguments.files {
        match format(path, arguments.write) {
            Ok((text, canonical)) => {
                printed.push_str(&text);
                if !canonical {
                    others.push(path.display().to_string());
                }
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(CliError::Several(errors));
    }
    if arguments.check {
        let help = "`squeeze fmt -w FILE...` rewrites them";
        return match others.as_slice() {
            [] => Ok(()),
            _ => Err(CliError::input(format!("not in the canonical form: {}", others.join(", ")), help)),
        };
    }
    if arguments.write { Ok(()) } else { print(&printed) }
}

/// The canonical form, and whether the text was in it before.
fn format(path: &Path, write: bool) -> Result<(String, bool), squeeze::Error> {
    let (name, bytes) = input::text(path)?;
    let text = resolve::format(&name, &bytes)?;
    let canonical = text.as_bytes() == bytes;
    if write && !canonical {
        files::write_atomically(path, text.as_bytes())?;
    }
    Ok((text, canonical))
}
