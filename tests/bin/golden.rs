//! `golden [--save FOLDER] [NAME]...`: the texts of `squeeze_tests::golden` as they are printed now. Without a name all of them are
//! meant. They are written to files in a folder, or else printed; with neither a folder nor a name, the names alone.
//! `cargo xtask golden` calls this.

use squeeze_tests::golden::Golden;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut folder, mut names) = (None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--save" => folder = Some(PathBuf::from(arguments.next().ok_or("--save needs a folder")?)),
            _ => names.push(argument),
        }
    }
    let all = Golden::all();
    for name in &names {
        if !all.iter().any(|golden| golden.name == *name) {
            return Err(format!("there is no text `{name}`; without a name all are listed").into());
        }
    }
    for golden in all.iter().filter(|golden| names.is_empty() || names.contains(&golden.name)) {
        match &folder {
            Some(folder) => {
                let path = golden.path(folder);
                std::fs::create_dir_all(path.parent().ok_or("a text lies in a folder")?)?;
                std::fs::write(path, golden.text())?;
            }
            None if names.is_empty() => println!("{}{}", golden.name, if golden.is_kept() { " (kept)" } else { "" }),
            None => print!("{}", golden.text()),
        }
    }
    Ok(())
}
