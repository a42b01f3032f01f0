//! The command `squeeze`: reads arguments, calls the library, prints.
//!
//! Exit codes: 0 done; 2 the user's input is wrong, and then nothing was printed on standard output; 128 + n after the
//! signal n; 1 anything else.

mod args;
mod commands;
mod report;
mod watch;

use clap::Parser;
use report::Failure;
use squeeze::run::Build;
use std::process::ExitCode;
use std::sync::LazyLock;

/// What `--version` says behind the name.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let Build { commit, date, features } = build();
    let known = [commit, date].into_iter().flatten().chain([features.join(" ")]).filter(|part| !part.is_empty());
    format!("{} ({})", env!("CARGO_PKG_VERSION"), known.collect::<Vec<_>>().join(", "))
});

/// What the build script found out.
fn build() -> Build {
    let commit = Some(env!("SQUEEZE_COMMIT")).filter(|commit| !commit.is_empty());
    let seconds: Option<u64> = env!("SQUEEZE_SECONDS").parse().ok();
    let features = env!("SQUEEZE_FEATURES").split_whitespace().map(str::to_owned).collect();
    Build { commit: commit.map(str::to_owned), date: seconds.map(Build::day), features }
}

fn main() -> ExitCode {
    build().of_this_process();
    // Usage errors leave here with exit code 2, --help and --version with 0.
    let arguments = args::Arguments::parse();
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
