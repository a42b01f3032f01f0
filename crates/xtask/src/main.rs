//! Developer commands, run as `cargo xtask COMMAND`.

mod chromium;
mod commands;
mod golden;
mod golly;
mod lines;
mod mpi;
mod names;
mod new_fractal;
mod nvcc;
mod nvrtc;
mod prose;
mod python;
mod test;
mod without;

use clap::{Parser, Subcommand};
use commands::{cargo, root, run};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developer commands of Squeeze")]
struct XtaskArgs {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every test of the workspace; the last line counts them
    Test,
    /// Fetch what tests compare with into the target folder
    Fetch,
    /// Fetch NVRTC, which compiles CUDA C, into the target folder
    FetchNvrtc,
    /// Compile every CUDA C that tests/cuda knows for all architectures, and look for spilled registers
    Validate,
    /// Print texts of tests/cuda and tests/rust as they are now, or show how they differ; without a name, list or compare all
    Golden {
        /// Such as cuda/vicsek_heat
        names: Vec<String>,
        /// Show the difference from what this commit prints, or from the texts in this folder
        #[arg(long, value_name = "COMMIT|FOLDER")]
        against: Option<String>,
        /// Write the texts to this folder instead
        #[arg(long, value_name = "FOLDER", conflicts_with = "against")]
        save: Option<PathBuf>,
    },
    /// Feed mutated inputs to everything that reads a format, for a minute each
    Fuzz {
        /// Build without optimisation, but with checks of overflow, as tests are built
        #[arg(long)]
        checked: bool,
        /// What the fuzzer is told: [--target NAME]... [--seconds S] [--inputs N] [--seed N] [--jobs N]; --target NAME --file FILE
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Compare random programs on everything that executes programs
    Compare {
        /// What it is told: [--programs N] [--seed N] [--first N] [--backend cpu|cuda|all] [--level small|large] [--cells N] [--rust N]
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Print the manual's table of how well errors hold
    Coverage {
        /// Repetitions of each kind
        #[arg(default_value = "400")]
        times: String,
    },
    /// Count product lines and public functions by crate and folder; fails if a bound is passed
    Lines,
    /// List the names that stand for several types; fails if there are more than there were
    Names,
    /// Print the sentences of comments and documents that need a second reading, the worst first
    Prose {
        /// The number of sentences
        #[arg(default_value = "20")]
        most: usize,
    },
    /// Take satellites out of a copy of the project, each by itself, build what is left and test the command
    Without {
        /// Their names [default: all]
        names: Vec<String>,
    },
    /// Begin a file in fractals/
    NewFractal {
        /// The fractal's name: small letters, digits and underscores
        name: String,
    },
}

fn main() -> ExitCode {
    let done = match XtaskArgs::parse().task {
        Task::Test => test::test(fetch_all),
        Task::Fetch => fetch_all(),
        Task::FetchNvrtc => nvrtc::fetch(&root()),
        Task::Validate => nvrtc::fetch(&root()).and_then(|()| validate()),
        Task::Golden { names, against: Some(against), .. } => golden::compare(&root(), &names, &against),
        Task::Golden { names, save: Some(folder), .. } => std::path::absolute(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))
            .and_then(|folder| golden::save(&mut cargo(), &names, &folder)),
        Task::Golden { names, .. } => golden::print(&names),
        Task::Fuzz { checked, arguments } => run_program("fuzz", !checked, &arguments),
        Task::Compare { arguments } => run_program("compare", true, &arguments),
        Task::Coverage { times } => run_program("coverage", true, &[times]),
        Task::Without { names } => without::without(&root(), &names),
        Task::Lines => lines::lines(&root()),
        Task::Names => names::names(&root()),
        Task::Prose { most } => prose::prose(&root(), most),
        Task::NewFractal { name } => new_fractal::new_fractal(&root(), &name),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn validate() -> Result<(), String> {
    let test = "all_texts_compile_for_all_architectures_without_spills";
    let arguments = ["test", "--package", "squeeze-tests", "--test", "cuda", "--", "--ignored", "--nocapture", test];
    run(cargo().args(arguments))
}

/// Fetches all that some tests need.
fn fetch_all() -> Result<(), String> {
    fetch("NVRTC", "no test compiles CUDA C", nvrtc::fetch)?;
    fetch("nvcc", "no test compiles a CUDA program in C++", nvcc::fetch)?;
    fetch("Python packages", "no test opens results with Python", python::fetch)?;
    fetch("mdBook", "no test builds the manual", python::fetch_mdbook)?;
    fetch("MPI", "no test runs several ranks", mpi::fetch)?;
    fetch("Chromium", "no test looks at the page of `squeeze view`", chromium::fetch)?;
    // Not required anywhere: only Debian has it so.
    if let Err(message) = golly::fetch(&root()) {
        eprintln!("note: Golly cannot be had, so no test compares with it ({message})");
    }
    Ok(())
}

/// Fetches tools that some tests need. Without them these are skipped, but under CI they are required.
fn fetch(what: &str, so: &str, fetch: fn(&Path) -> Result<(), String>) -> Result<(), String> {
    match fetch(&root()) {
        Err(message) if std::env::var("CI").is_ok_and(|ci| ci == "true") => {
            Err(format!("{what} cannot be had: {message}"))
        }
        Err(message) => {
            eprintln!("note: {what} cannot be had, so {so} ({message})");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Builds a program of the tests and runs it.
fn run_program(program: &str, optimised: bool, arguments: &[String]) -> Result<(), String> {
    let mut build = cargo();
    // With the features of tests, so that one build serves both.
    build.args(["build", "--workspace", "--bin", program]);
    let folder = if optimised {
        // The programs that compare and fuzz catch panics, to report them and go on.
        build.arg("--release").env("CARGO_PROFILE_RELEASE_PANIC", "unwind");
        "release"
    } else {
        "debug"
    };
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let program = target.join(folder).join(program);
    run(&mut build)?;
    run(Command::new(program).args(arguments).current_dir(root()))
}
