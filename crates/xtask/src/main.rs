//! Developer commands, run as `cargo xtask COMMAND`.

mod golden;
mod new_fractal;
mod nvcc;
mod nvrtc;
mod python;
mod test;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developer commands of Squeeze")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every test of the workspace; the last line counts them
    Test,
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
    /// Feed mutated texts to the parser, the checker and the printer
    Fuzz {
        /// How long
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Where the random numbers begin
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// Begin a file in fractals/
    NewFractal {
        /// The fractal's name: small letters, digits and underscores
        name: String,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Test => fetch("NVRTC", "no test compiles CUDA C", nvrtc::fetch)
            .and_then(|()| fetch("nvcc", "no test compiles a CUDA program in C++", nvcc::fetch))
            .and_then(|()| fetch("Python packages", "no test opens results with Python", python::fetch))
            .and_then(|()| test::test()),
        Task::FetchNvrtc => nvrtc::fetch(&root()),
        Task::Validate => nvrtc::fetch(&root()).and_then(|()| validate()),
        Task::Golden { names, against: Some(against), .. } => golden::compare(&root(), &names, &against),
        Task::Golden { names, save: Some(folder), .. } => std::path::absolute(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))
            .and_then(|folder| golden::save(&mut cargo(), &names, &folder)),
        Task::Golden { names, .. } => golden::print(&names),
        Task::Fuzz { seconds, seed } => fuzz(seconds, seed),
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
    match cargo().args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the test ended with {status}")),
        Err(error) => Err(format!("cannot run cargo: {error}")),
    }
}

/// Fetches what some tests need. Where it cannot be had they are skipped, except under CI, where it is required.
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

fn fuzz(seconds: u64, seed: u64) -> Result<(), String> {
    let arguments = ["run", "--release", "--package", "squeeze-compiler", "--example", "fuzz", "--"];
    let status = cargo().args(arguments).args([seconds.to_string(), seed.to_string()]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the fuzzer ended with {status}")),
        Err(error) => Err(format!("cannot run cargo: {error}")),
    }
}

/// The cargo that runs this, in the workspace's root.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this crate lies two folders below the root").to_owned()
}
