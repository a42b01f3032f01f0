//! Rules and patterns beside Golly itself, whose `bgolly` `cargo xtask test` fetches. `tests/golly.py` does the work; with its own figures (210 rules,
//! 1 000 generations) it takes a quarter of an hour.

use std::path::Path;
use std::process::Command;

#[test]
fn golly_makes_the_same_of_rules_and_patterns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let golly = root.join("target/golly/usr/bin/bgolly");
    let program = if golly.exists() { golly.as_os_str() } else { "bgolly".as_ref() };
    let mut command = Command::new("python3");
    command.arg(root.join("tests/golly.py")).arg(env!("CARGO_BIN_EXE_squeeze")).arg(program);
    match command.args(["--generations", "120", "--cases", "60", "--level", "9"]).output() {
        Ok(output) => {
            let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{text}{errors}");
            eprint!("{errors}");
            assert!(errors.contains("SKIPPED") || text.contains("0 of 60 differ"), "{text}{errors}");
        }
        Err(error) => eprintln!("SKIPPED: no python3 ({error})"),
    }
}
