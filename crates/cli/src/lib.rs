//! The command `squeeze` as a function: it reads arguments, calls the library, prints.
//!
//! Exit codes: 0 done; 2 the user's input is wrong, and then nothing was printed on standard output; 128 + n after the
//! signal n; 1 anything else.

mod args;
mod commands;
mod engines;
mod line;
mod ranks;
mod report;
mod satellites;
mod version;
mod watch;

use report::CliError;
use squeeze::compiler::numbers::mode::DefaultMode;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// Does what a command line asks, whose first word is the name of the program, and prints on the standard streams. It can be called again: another call
/// meanwhile waits. Signals stop a run as they stop the command's; what they did before, they do again afterwards.
pub fn main_of(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    static ONE: Mutex<()> = Mutex::new(());
    let _alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _mode = DefaultMode::enter();
    let _signals = watch::Signals::outlive_long_files();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    squeeze::files::begin_command();
    ranks::quieten();
    version::build().of_this_process(arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect());
    match line::dispatch(&line::words(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Closed) => ExitCode::SUCCESS,
        Err(failure) => {
            report::explain(&failure);
            ranks::end_later();
            failure.exit_code()
        }
    }
}
