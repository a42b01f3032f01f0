//! The command as a user calls it in a folder.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The output of the command and its exit status.
pub(crate) fn squeeze(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("the command starts")
}

/// The output of the command, which must succeed.
pub(crate) fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = squeeze(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Its message; it must call the input wrong, and print nothing else.
pub(crate) fn refuse(folder: &Path, arguments: &[&str]) -> String {
    let output = squeeze(folder, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
    assert!(output.stdout.is_empty() && !errors.contains("panicked"), "{arguments:?}: {errors}");
    errors
}
