//! How results and failures reach a person.

use squeeze::compiler::text::diagnostics::visible;
use squeeze::numbers::six_digits;
use squeeze::texts::TextErrors;
use squeeze::{Error, Message, ObservedValue};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Why a command did not do its work.
pub(crate) enum CliError {
    /// Words that are no command line; or help and versions, which are printed in the place of the work.
    Usage(clap::Error),
    /// The library refused or failed.
    Squeeze(Error),
    /// Failures of several files.
    Several(Vec<Error>),
    /// It was told on standard output; true if the user's input is wrong.
    Told(bool),
    /// The run was stopped by a signal at this time, and saved in this folder if it has one.
    Stopped(u32, Option<PathBuf>),
    /// The view was ended by a signal at this time.
    #[cfg_attr(not(feature = "view"), allow(dead_code))]
    StoppedView(u32),
    /// The sweep in this folder was stopped by a signal.
    StoppedSweep(PathBuf),
    /// The reader of standard output has closed it.
    Closed,
    /// Standard output cannot be written to.
    Output(io::Error),
}

impl CliError {
    /// Input that the library was never asked about, and what would be valid.
    pub(crate) fn input(what: impl Into<String>, help: impl Into<String>) -> CliError {
        Message::users(what).with_help(help).into()
    }

    /// 2 if the user's input is wrong, 128 and its number after a signal, else 1.
    pub(crate) fn exit_code(&self) -> ExitCode {
        if let (CliError::Stopped(..) | CliError::StoppedView(_) | CliError::StoppedSweep(_), Some(signal)) =
            (self, crate::watch::signal())
        {
            return ExitCode::from(128 + signal);
        }
        match self {
            CliError::Usage(error) => ExitCode::from(error.exit_code() as u8),
            _ => ExitCode::from(if self.is_users() { 2 } else { 1 }),
        }
    }

    /// Whether the user's input is wrong.
    pub(crate) fn is_users(&self) -> bool {
        match self {
            CliError::Usage(error) => error.exit_code() == 2,
            CliError::Squeeze(error) => error.is_users(),
            CliError::Several(errors) => errors.iter().all(Error::is_users),
            CliError::Told(users) => *users,
            CliError::Stopped(..)
            | CliError::StoppedView(_)
            | CliError::StoppedSweep(_)
            | CliError::Closed
            | CliError::Output(_) => false,
        }
    }
}

impl<E: Into<Error>> From<E> for CliError {
    fn from(error: E) -> Self {
        CliError::Squeeze(error.into())
    }
}

/// Prints on standard output.
///
/// # Errors
/// [`CliError::Closed`] if the reader has closed the pipe, [`CliError::Output`] if writing fails otherwise.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => CliError::Closed,
        _ => CliError::Output(error),
    })
}

/// Whether nothing is printed: of several ranks one speaks.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Lets this process print nothing more, or print again.
pub(crate) fn silence(silent: bool) {
    SILENT.store(silent, Relaxed);
}

/// Prints on standard error a failure in words, and its help.
pub(crate) fn complain(message: &str, help: &[String]) {
    warn(&with_help(message, help));
}

/// Prints on standard error the failure and its help.
pub(crate) fn explain(failure: &CliError) {
    let text = match failure {
        // If the stream is closed there is no reader left.
        CliError::Usage(error) => {
            if !SILENT.load(Relaxed) {
                _ = error.print();
            }
            return;
        }
        CliError::Squeeze(error) => describe(error),
        CliError::Several(errors) => errors.iter().map(describe).collect::<Vec<_>>().join("\n"),
        CliError::StoppedSweep(folder) => {
            format!("stopped; `squeeze resume {}` continues with the missing members\n", folder.display())
        }
        CliError::StoppedView(step) => format!("the view ended at step {step}\n"),
        CliError::Stopped(step, None) => {
            format!("stopped at step {step}; with `--out DIR` its state would be saved\n")
        }
        CliError::Stopped(step, Some(folder)) => {
            let folder = folder.display();
            format!("stopped at step {step}; its state is saved: `squeeze resume {folder}` continues from there\n")
        }
        CliError::Closed | CliError::Told(_) => return,
        CliError::Output(error) => with_help(&format!("cannot write to standard output: {error}"), &[]),
    };
    warn(&text);
}

fn describe(error: &Error) -> String {
    match error.find::<TextErrors>() {
        Some(errors) => {
            let mut text = errors.render(wants_colour());
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text
        }
        None => with_help(&error.to_string(), &error.help()),
    }
}

fn with_help(message: &str, help: &[String]) -> String {
    let (red, bold, plain) = if wants_colour() { ("\x1b[1;31m", "\x1b[1m", "\x1b[0m") } else { ("", "", "") };
    let mut text = format!("{red}error{plain}{bold}: {}{plain}\n", visible(message));
    for line in help {
        text.push_str(&format!("  {bold}= help{plain}: {}\n", visible(line)));
    }
    text
}

/// Says a line on standard error, where names and words of other people's files are harmless.
pub(crate) fn remark(text: &str) {
    warn(&(visible(text) + "\n"));
}

/// Says which letters of a picture or plot are drawn as question marks.
pub(crate) fn tell_missing(letters: &[char]) {
    if !letters.is_empty() {
        let names: Vec<String> =
            letters.iter().map(|letter| format!("`{letter}` (U+{:04X})", u32::from(*letter))).collect();
        let those = if letters.len() == 1 { "which is" } else { "which are" };
        remark(&format!(
            "warning: the font lacks {}, {those} drawn as `?`; a file that ends in `.svg` keeps all letters",
            names.join(", ")
        ));
    }
}

/// Prints a warning on standard error: valid input that is probably not meant.
pub(crate) fn warn(text: &str) {
    if SILENT.load(Relaxed) {
        return;
    }
    // If standard error is closed there is no reader left.
    _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether standard error shows colours.
pub(crate) fn wants_colour() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    io::stderr().is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// An observable as people read it, of long lists the first entries; JSON and CSV have all digits and entries.
pub(crate) fn observed(value: &ObservedValue) -> String {
    /// Entries that are shown.
    const MOST: usize = 12;
    match value {
        ObservedValue::Integer(value) => value.to_string(),
        ObservedValue::Float(value) => six_digits(*value),
        ObservedValue::List(list) => {
            let entries = list.iter().take(MOST).map(observed).collect::<Vec<_>>().join(", ");
            if list.len() > MOST { format!("[{entries}, …], {} entries", list.len()) } else { format!("[{entries}]") }
        }
    }
}

/// Columns of the terminal that standard output is; else as the variable `COLUMNS` says, or 80.
pub(crate) fn width() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    let said = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(said).filter(|width| *width >= 40).unwrap_or(80)
}

/// A text in lines of at most `width` characters, broken between words.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Columns of cells in tables as wide as the terminal at most: each begins with the keys, and groups of columns stay together.
pub(crate) fn beside(keys: &[Vec<String>], groups: &[Vec<Vec<String>>]) -> String {
    let room = |column: &Vec<String>| column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0) + 2;
    let of_keys: usize = keys.iter().map(room).sum();
    let (most, mut tables) = (width() + 2, vec![(of_keys, keys.iter().collect::<Vec<_>>())]);
    for group in groups {
        let wanted: usize = group.iter().map(room).sum();
        match tables.last_mut() {
            Some((used, columns)) if *used + wanted <= most || columns.len() == keys.len() => {
                *used += wanted;
                columns.extend(group);
            }
            _ => tables.push((of_keys + wanted, keys.iter().chain(group).collect())),
        }
    }
    let rows = |columns: &[&Vec<String>]| -> Vec<Vec<String>> {
        let height = columns.iter().map(|column| column.len()).max().unwrap_or(0);
        (0..height).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect()
    };
    tables.iter().map(|(_, columns)| table(&rows(columns))).collect::<Vec<_>>().join("\n")
}

/// The head of a table, by titles with commas between them.
pub(crate) fn titled(titles: &str) -> Vec<Vec<String>> {
    vec![titles.split(", ").map(str::to_owned).collect()]
}

/// Rows of cells, each column as wide as needed and aligned to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join("  ") + "\n"
    };
    rows.iter().map(line).collect()
}
