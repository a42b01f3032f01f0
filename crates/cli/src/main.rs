//! The command `squeeze`: reads arguments, calls the library, prints.
//!
//! Exit codes: 0 done; 2 the user's input is wrong, and then nothing was printed on standard output; 128 + n after the
//! signal n; 1 anything else.

mod args;
mod commands;
mod report;
mod version;
mod watch;

use clap::Parser;
use report::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    squeeze::memory::spare_addresses();
    version::build().of_this_process();
    // Usage errors leave here with exit code 2, --help and --version with 0.
    let arguments = args::Arguments::parse_from(args::words());
    let done = squeeze::threads::check_environment().map_err(Failure::from);
    match done.and_then(|()| commands::dispatch(arguments.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(failure) => {
            report::explain(&failure);
            failure.exit_code()
        }
    }
}
