//! `cargo xtask new-fractal NAME`

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Begins a file in `fractals/`, and never touches one that is there.
pub(crate) fn new_fractal(root: &Path, name: &str) -> Result<(), String> {
    let letters = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if !letters || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Err(format!("`{name}` is no name: small letters, digits and underscores, a letter first"));
    }
    let path = root.join("fractals").join(format!("{name}.fractal"));
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    file.and_then(|mut file| file.write_all(template(name).as_bytes()))
        .map_err(|error| format!("cannot begin {}: {error}", path.display()))?;
    println!("{}: draw the pattern, then run `cargo xtask test`", path.display());
    Ok(())
}

fn template(name: &str) -> String {
    format!(
        "// What it is and what is remarkable about it.\n\
         // Source: who described it, and where.\n\
         // Try: squeeze render {name} --level 5 -o {name}.png\n\
         \n\
         /// One line that says what it is.\n\
         fractal {name} {{\n    scale 3\n    pattern {{\n        #.#\n        .#.\n        ###\n    }}\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_begun_once_and_only_under_a_proper_name() {
        let root = std::env::temp_dir().join(format!("squeeze-new-fractal-{}", std::process::id()));
        std::fs::create_dir_all(root.join("fractals")).unwrap();
        new_fractal(&root, "some_thing").unwrap();
        assert!(new_fractal(&root, "some_thing").is_err());
        assert!(new_fractal(&root, "../evil").is_err());
        std::fs::remove_dir_all(root).unwrap();
    }
}
