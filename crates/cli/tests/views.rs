//! `squeeze view`: what it prints, refuses, and says in the end. `crates/view/tests` has the server and the page.

#![cfg(all(unix, feature = "view"))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};

fn refuse(arguments: &[&str], words: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_squeeze")).arg("view").args(arguments).stdin(Stdio::null()).output();
    let output = output.unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{arguments:?}: {errors}");
    for word in words {
        assert!(errors.contains(word), "{arguments:?}: no {word:?} in\n{errors}");
    }
}

#[test]
fn wrong_arguments_are_refused_before_a_page_is_served() {
    refuse(&["vicsek", "-r", "life"], &["--level R"]);
    refuse(&["vicsek", "-r", "life", "-l", "2", "--field", "u"], &["has no state `u`", "alive"]);
    refuse(&["vicsek", "-r", "life", "-l", "2", "--slice", "0"], &["not 3-D"]);
    refuse(&["vicsek", "-r", "life", "-l", "2", "--log"], &["--log has no effect"]);
    refuse(&["vicsek", "-r", "life", "-l", "2", "--port", "0"], &["1 to 65535"]);
    refuse(&["vicsek", "-r", "life", "-l", "2", "--steps", "3"], &["--steps"]);
    for name in ["https://hub.example", "hub.example:80", "a b", ""] {
        refuse(&["vicsek", "-r", "life", "-l", "2", "--no-open", "--allow-host", name], &["no name of a server"]);
    }
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    refuse(
        &["vicsek", "-r", "life", "-l", "2", "--no-open", "--port", &port],
        &["cannot listen on port", "without `--port` a free one"],
    );
}

#[test]
fn a_signal_ends_a_view_that_has_printed_its_address() {
    let arguments = ["view", "vicsek", "-r", "life", "-l", "2", "--no-open", "--allow-host", "hub.example"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_squeeze"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut url = String::new();
    lines.read_line(&mut url).unwrap();
    let rest = url.trim_end().strip_prefix("http://127.0.0.1:").unwrap();
    let (port, token) = rest.split_once("/#").unwrap();
    assert!(token.len() == 22 && token.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')), "{url}");
    let mut page = TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse().unwrap())).unwrap();
    page.write_all(b"GET / HTTP/1.1\r\nHost: hub.example\r\n\r\n").unwrap();
    let mut answer = String::new();
    page.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("<script type=\"module\" src=\"view.js\">"));
    // SAFETY: it is the process that was started above, which has not been waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("Ctrl-C ends it") && said.contains("the view ended at step 0"), "{said}");
    let mut more = String::new();
    lines.read_to_string(&mut more).unwrap();
    assert_eq!(more, "");
}
