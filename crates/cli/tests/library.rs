//! The command as a function of a program that goes on afterwards.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// What the command's function says to these words.
fn call(words: &[&str]) -> String {
    let words = std::iter::once("squeeze").chain(words.iter().copied()).map(OsString::from);
    format!("{:?}", squeeze_fractals_cli::main_of(words))
}

fn code(number: u8) -> String {
    format!("{:?}", ExitCode::from(number))
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("it was written")
}

/// The action of a signal.
#[cfg(unix)]
fn action(signal: libc::c_int) -> libc::sighandler_t {
    // SAFETY: it asks, and all zeros are an action.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        assert_eq!(libc::sigaction(signal, std::ptr::null(), &raw mut action), 0);
        action.sa_sigaction
    }
}

#[test]
fn a_process_calls_the_command_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (image, mask) = (at("life.png"), at("mask.png"));
    let run = |out: &str| {
        let life = ["run", "vicsek", "-r", "life", "-l", "3", "-n", "5", "--quiet", "--threads", "1", "--image"];
        call(&[&life[..], &[&image, "--out", out]].concat())
    };
    #[cfg(unix)]
    let before = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGXFSZ].map(action);
    assert_eq!(run(&at("first")), code(0));
    let first = read(Path::new(&image));
    assert_eq!(call(&["run", "vicsek", "--wrong"]), code(2), "an option that there is not");
    assert_eq!(call(&["run", "vicsec", "-r", "life", "-n", "1"]), code(2), "a name that there is not");
    assert_eq!((call(&["--version"]), call(&["run", "--help"])), (code(0), code(0)));
    assert_eq!(run(&at("second")), code(0));
    assert_eq!(read(Path::new(&image)), first, "the same picture in the same place");
    assert_eq!(run(&at("second")), code(2), "the folder is there already");

    // A file that one call wrote is one that the next may read.
    assert_eq!(call(&["render", "vicsek", "-l", "3", "-o", &mask]), code(0));
    assert_eq!(call(&["run", &mask, "-r", "life", "-n", "1", "--quiet"]), code(0));

    let manifest = String::from_utf8(read(&folder.path().join("second/manifest.json"))).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let command = &manifest["sessions"][0]["command"];
    assert_eq!((&command[1], &command[2]), (&"run".into(), &"vicsek".into()), "{command}");
    assert_eq!(command[command.as_array().unwrap().len() - 1], at("second"));
    #[cfg(unix)]
    {
        assert_eq!([libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGXFSZ].map(action), before);
        stopped_by_a_signal(&at("third"));
        assert_eq!([libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGXFSZ].map(action), before);
        assert_eq!(call(&["resume", &at("third"), "-n", "4294967295", "--quiet", "--wrong"]), code(2));
    }
    assert_eq!(run(&at("fourth")), code(0));
}

/// A signal stops a run, which is then saved, and not the process.
#[cfg(unix)]
fn stopped_by_a_signal(out: &str) {
    let sender = std::thread::spawn(|| {
        while action(libc::SIGINT) == libc::SIG_DFL {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
        // SAFETY: a signal that is handled.
        assert_eq!(unsafe { libc::kill(libc::getpid(), libc::SIGINT) }, 0);
    });
    let endless = ["run", "vicsek", "-r", "heat", "-l", "5", "-n", "4294967295", "--quiet", "--out", out];
    assert_eq!(call(&endless), code(130));
    sender.join().unwrap();
}
