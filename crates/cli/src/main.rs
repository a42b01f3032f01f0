//! The command `squeeze`, a process of its own.

mod refused;

use std::process::ExitCode;

fn main() -> ExitCode {
    squeeze::memory::spare_addresses();
    squeeze_fractals_cli::main_of(std::env::args_os())
}
