//! `completions SHELL` and `man DIR`

use crate::args::{Arguments, Completions, Man};
use crate::report::{Failure, print, print_bytes};
use clap::{Command, CommandFactory};
use squeeze::{Error, files};
use std::fs;

/// Prints a script that completes arguments.
pub(super) fn completions(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "squeeze", &mut script);
    print_bytes(&script)
}

/// The pages of a command and of all its subcommands, each with its name.
fn pages(name: &str, command: &Command) -> Vec<(String, Command)> {
    let subs = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    let of_subs = subs.flat_map(|sub| pages(&format!("{name}-{}", sub.get_name()), sub));
    std::iter::once((name.to_owned(), command.clone())).chain(of_subs).collect()
}

/// Writes a manual page for the command and for each of its subcommands.
pub(super) fn man(arguments: &Man) -> Result<(), Failure> {
    let mut command = Arguments::command();
    command.build();
    let made = fs::create_dir_all(&arguments.folder);
    made.map_err(|error| Error::system(format!("cannot make the folder `{}`: {error}", arguments.folder.display())))?;
    let mut listed = String::new();
    for (name, command) in pages("squeeze", &command) {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).title(name.as_str()).render(&mut page).map_err(Failure::Output)?;
        let path = arguments.folder.join(format!("{name}.1"));
        files::write_atomically(&path, with_examples(&String::from_utf8_lossy(&page)).as_bytes())?;
        listed.push_str(&format!("{}\n", path.display()));
    }
    print(&listed)
}

/// What stands below the flags in a help are examples, in a manual page a section of that name.
fn with_examples(page: &str) -> String {
    let page = page.replace("\n.SH EXTRA\nExamples:\n", "\n.SH EXAMPLES\n");
    page.replace("\n.SH EXTRA\nExample:\n", "\n.SH EXAMPLES\n")
}
