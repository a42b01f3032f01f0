//! `completions SHELL` and `man DIR`

use crate::args::{Completions, Man};
use crate::report::{CliError, print};
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_complete::Shell;
use squeeze::resolve::{Kind, shipped_names};
use squeeze::{Error, files};
use std::fs;

/// Prints a script that completes arguments.
pub(crate) fn completions(arguments: &Completions, command: Command) -> Result<(), CliError> {
    let [fractals, rules] = [Kind::Fractal, Kind::Rule].map(shipped_names);
    let lists = [("fractal", fractals.clone()), ("rule", rules.clone()), ("name", [fractals, rules].concat())];
    let names_of = |id: &str| lists.iter().find(|(of, _)| *of == id).map(|(_, names)| names);
    let named = |arg: Arg| match names_of(arg.get_id().as_str()) {
        Some(names) => arg.value_parser(PossibleValuesParser::new(names)),
        None => arg,
    };
    let mut command = command.mut_subcommands(|command| command.mut_args(named));
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "squeeze", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    // Files are offered beside the names. Bash completes files where no name fits. A colon between words of zsh's ends an action.
    for (_, names) in &lists {
        let list = format!("({})", names.join(" "));
        script = script.replace(&list, &format!(r#"{{_alternative "names\:name\:{list}" "files\:file\:_files"}}"#));
        let list = names.iter().map(|name| format!("{name}\\t''")).collect::<Vec<_>>().join("\n");
        script = script.replace(&format!(" -f -a \"{list}\""), &format!(" -F -a \"{list}\""));
    }
    if arguments.shell == Shell::Fish {
        // Of arguments without a flag clap says nothing to fish.
        for (sub, arg) in command.get_subcommands().flat_map(|sub| sub.get_positionals().map(move |arg| (sub, arg))) {
            if let Some(names) = names_of(arg.get_id().as_str()) {
                let (sub, names) = (sub.get_name(), names.join(" "));
                script +=
                    &format!("complete -c squeeze -n \"__fish_squeeze_using_subcommand {sub}\" -F -a \"{names}\"\n");
            }
        }
    }
    print(&script)
}

/// The manual pages of a command and its subcommands, by name.
fn pages(name: &str, command: &Command) -> Vec<(String, Command)> {
    let subs = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    let of_subs = subs.flat_map(|sub| pages(&format!("{name}-{}", sub.get_name()), sub));
    std::iter::once((name.to_owned(), command.clone())).chain(of_subs).collect()
}

/// Writes a manual page for the command and for each of its subcommands.
pub(crate) fn man(arguments: &Man, mut command: Command) -> Result<(), CliError> {
    command.build();
    let made = fs::create_dir_all(&arguments.folder);
    made.map_err(|error| Error::system(format!("cannot make the folder `{}`: {error}", arguments.folder.display())))?;
    let mut listed = String::new();
    for (name, command) in pages("squeeze", &command) {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).title(name.as_str()).render(&mut page).map_err(CliError::Output)?;
        let path = arguments.folder.join(format!("{name}.1"));
        files::write_atomically(&path, with_examples(&String::from_utf8_lossy(&page)).as_bytes())?;
        listed.push_str(&format!("{}\n", path.display()));
    }
    print(&listed)
}

/// The part below the flags in a help is examples, in a manual page a section of that name.
fn with_examples(page: &str) -> String {
    let page = page.replace("\n.SH EXTRA\nExamples:\n", "\n.SH EXAMPLES\n");
    page.replace("\n.SH EXTRA\nExample:\n", "\n.SH EXAMPLES\n")
}
