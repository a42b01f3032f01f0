//! The command `squeeze`: reads arguments, calls the library, prints.
//!
//! Exit codes: 0 done; 2 the user's input is wrong, and then nothing was printed on standard output; 128 + n after the
//! signal n; 1 anything else.

mod args;
mod commands;
mod engines;
mod line;
mod refused;
mod report;
mod satellites;
mod version;
mod watch;

use report::CliError;
use squeeze::compiler::numbers::mode::FloatMode;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The process is this command's alone. A library that was loaded with it may have changed the mode.
    FloatMode::DEFAULT.set();
    squeeze::memory::spare_addresses();
    watch::outlive_long_files();
    version::build().of_this_process();
    match line::dispatch() {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Closed) => ExitCode::SUCCESS,
        Err(failure) => {
            report::explain(&failure);
            failure.exit_code()
        }
    }
}
