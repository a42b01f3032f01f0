//! `squeeze view`: what it prints, refuses, and says in the end. `crates/view/tests` has the server and the page.

#![cfg(all(unix, feature = "view"))]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

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

/// A command that goes on, whose address was printed on this stream.
struct Started {
    child: Child,
    lines: Box<dyn BufRead>,
    url: String,
}

impl Drop for Started {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Started {
    /// `view` prints the address as a result, and `run` beside its results.
    fn of(arguments: &[&str]) -> Started {
        let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
        command.args(arguments).arg("--no-open").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines: Box<dyn BufRead> = match arguments[0] {
            "view" => Box::new(BufReader::new(child.stdout.take().unwrap())),
            _ => Box::new(BufReader::new(child.stderr.take().unwrap())),
        };
        let mut url = String::new();
        while !url.contains("http://") {
            assert!(lines.read_line(&mut url).unwrap() > 0, "{arguments:?}: {url}");
        }
        let at = url.find("http://").unwrap();
        Started { child, lines, url: url[at..].trim_end().to_owned() }
    }

    /// Sends the signal of Ctrl-C; gives the exit code, and what was not read of the stream yet.
    fn interrupt(&mut self) -> (Option<i32>, String) {
        // SAFETY: it is the process that was started above, which has not been waited for.
        unsafe { libc::kill(self.child.id() as i32, libc::SIGINT) };
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }

    fn is_there(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

/// A page that has said the token.
struct Page {
    socket: WebSocket<TcpStream>,
    hello: Value,
}

impl Page {
    fn open(url: &str) -> Page {
        let (place, token) = url.strip_prefix("http://").unwrap().split_once("/#").unwrap();
        let stream = TcpStream::connect(place).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut request = format!("ws://{place}/socket").into_client_request().unwrap();
        request.headers_mut().insert("Origin", format!("http://{place}").parse().unwrap());
        let (socket, _) = tungstenite::client(request, stream).unwrap_or_else(|error| panic!("{error}"));
        let mut page = Page { socket, hello: Value::Null };
        page.say(json!({ "token": token }));
        page.hello = page.told("hello");
        page
    }

    fn say(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// The next text with this entry.
    fn told(&mut self, entry: &str) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                let mut text: Value = serde_json::from_str(text.as_str()).unwrap();
                if text.get(entry).is_some() {
                    return text[entry].take();
                }
            }
        }
    }

    /// Shows all of a state of a 2-D fractal of level 3.
    fn look(&mut self, state: u64) {
        self.say(json!({ "look": {
            "id": 1, "state": state, "theme": "dark", "colours": "rule", "log": false, "range": null, "trim": 0, "mu": 0, "level": 3, "tiles": ["0"],
        } }));
    }

    /// The next frame for which this holds: its head and its bytes.
    fn frame(&mut self, wanted: impl Fn(&Value) -> bool) -> (Value, Vec<u8>) {
        loop {
            self.say(json!({ "next": true }));
            let bytes = loop {
                if let Message::Binary(bytes) = self.socket.read().unwrap() {
                    break bytes;
                }
            };
            let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
            let head: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
            if wanted(&head) {
                return (head, bytes[4 + length..].to_vec());
            }
        }
    }
}

const RUN: [&str; 9] = ["run", "sierpinski_carpet", "-r", "gray_scott", "-l", "3", "-n", "300", "--json"];

fn without_times(text: &str) -> Value {
    let mut json: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    json["seconds"] = Value::Null;
    json["seconds_per_step"] = Value::Null;
    json
}

#[test]
fn a_run_that_is_viewed_is_the_same_and_waits_for_pages_if_it_is_told_to() {
    let plain = Command::new(env!("CARGO_BIN_EXE_squeeze")).args(RUN).output().unwrap();
    let plain = without_times(&String::from_utf8(plain.stdout).unwrap());
    let viewed = Command::new(env!("CARGO_BIN_EXE_squeeze")).args(RUN).args(["--view", "--no-open"]).output().unwrap();
    assert_eq!(viewed.status.code(), Some(0));
    assert_eq!(without_times(&String::from_utf8(viewed.stdout).unwrap()), plain, "it goes on without a page");
    assert!(String::from_utf8(viewed.stderr).unwrap().starts_with("view: http://127.0.0.1:"));

    let mut held = Started::of(&[&RUN[..], &["--view", "--hold", "--set", "feed=0.03"]].concat());
    std::thread::sleep(Duration::from_millis(300));
    let mut page = Page::open(&held.url);
    assert_eq!((&page.hello["mode"], page.hello.get("text")), (&json!("watched"), None));
    page.look(0);
    let (head, bytes) = page.frame(|head| head["time"] == 300 && head["playing"] == false);
    assert_eq!((bytes.len(), head["observed"]["time"].as_u64()), (512, Some(300)));
    for message in [
        json!({ "step": 1 }),
        json!({ "play": true }),
        json!({ "reset": "1" }),
        json!({ "set": ["feed", "0.1"] }),
        json!({ "rule": "rule x { state a: bit next a = a }" }),
    ] {
        page.say(message.clone());
        let error = page.told("error");
        assert!(error.as_str().unwrap().contains("not steered"), "{message}: {error}");
    }
    let view = json!({ "words": { "id": 0, "state": 0, "theme": "light", "colours": "rule", "log": false, "range": null, "trim": 0, "origin": ["0", "0", "0"], "size": ["27", "27"], "reduce": 1, "enlarge": 1 } });
    page.say(view);
    assert_eq!(
        page.told("words"),
        "squeeze run sierpinski_carpet --rule gray_scott --level 3 --seed 0 --set feed=0.03 --steps 300 --image view.png --field u --window 0,0,27,27 --zoom 1"
    );
    drop(page);
    std::thread::sleep(Duration::from_millis(200));
    assert!(held.is_there(), "a page that is closed does not end it");
    assert_eq!(held.interrupt().0, Some(0));
    let mut printed = String::new();
    held.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    assert_eq!(without_times(&printed)["steps"], 300);
    for flags in [&["--hold"][..], &["--port", "8000"], &["--no-open"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_squeeze")).args(RUN).args(flags).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{flags:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("--view"), "{flags:?}");
    }
}

#[test]
fn a_lost_page_leaves_a_run_that_saves_at_ctrl_c_and_its_folder_is_viewed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out").display().to_string();
    let arguments = [
        "run",
        "sierpinski_carpet",
        "-r",
        "gray_scott",
        "-l",
        "3",
        "-n",
        "4000000000",
        "--out",
        &path,
        "--save-every",
        "20000",
        "--observe-every",
        "100",
        "--view",
    ];
    let mut run = Started::of(&arguments);
    let mut page = Page::open(&run.url);
    page.look(0);
    let (head, _) = page.frame(|head| head["time"].as_u64() > Some(40000));
    drop(page);
    let before = head["time"].as_u64().unwrap();
    let mut page = Page::open(&run.url);
    page.look(0);
    page.frame(|head| head["time"].as_u64() > Some(before));
    let (code, said) = run.interrupt();
    assert!(code == Some(130) && said.contains("squeeze resume"), "{said}");

    let mut saved = Started::of(&["view", &path]);
    let mut page = Page::open(&saved.url);
    let times: Vec<u64> = page.hello["times"].as_array().unwrap().iter().map(|time| time.as_u64().unwrap()).collect();
    assert!(page.hello["mode"] == "saved" && times[..2] == [0, 20000] && *times.last().unwrap() >= before, "{times:?}");
    // Of many rows some are told.
    let rows = page.hello["rows"]["times"].as_array().unwrap();
    assert!(rows.len() <= 1200 && rows.iter().all(|time| time.as_u64().unwrap() % 100 == 0), "{rows:?}");
    assert_eq!(
        page.hello["rows"]["values"].as_object().unwrap().values().next().unwrap().as_array().unwrap().len(),
        rows.len()
    );
    page.look(0);
    page.frame(|head| head["time"] == *times.last().unwrap());
    page.say(json!({ "at": 20000 }));
    let (head, bytes) = page.frame(|head| head["time"] == 20000);
    assert!(head["at"] == 1 && bytes.len() == 512);
    page.say(json!({ "back": true }));
    assert_ne!(page.frame(|head| head["time"] == 0 && head["at"] == 0).1, bytes);
    page.say(json!({ "step": 1 }));
    assert_eq!(page.frame(|head| head["time"] == 20000).1, bytes);
    page.say(json!({ "play": true }));
    page.frame(|head| head["time"] == *times.last().unwrap() && head["playing"] == false);
    for message in [json!({ "reset": "1" }), json!({ "set": ["feed", "0.1"] }), json!({ "undo": true })] {
        page.say(message.clone());
        let error = page.told("error");
        assert!(error.as_str().unwrap().contains("not steered"), "{message}: {error}");
    }
    let view = json!({ "id": 0, "state": 0, "theme": "light", "colours": "rule", "log": false, "range": null, "trim": 0, "origin": ["0", "0", "0"], "size": ["27", "27"], "reduce": 1, "enlarge": 1 });
    page.say(json!({ "at": 20000 }));
    page.say(json!({ "words": view }));
    let words = page.told("words");
    let file = folder.path().join("view.png");
    let words: Vec<&str> = words.as_str().unwrap().split(' ').skip(1).collect();
    let done = Command::new(env!("CARGO_BIN_EXE_squeeze")).args(&words).current_dir(folder.path()).status().unwrap();
    assert!(done.success() && words[..2] == ["export", path.as_str()], "{words:?}");
    let mut save = view.clone();
    save["as"] = json!("png");
    page.say(json!({ "save": save }));
    let (head, bytes) = page.frame(|head| head.get("file").is_some());
    assert!(head["file"] == "gray_scott-20000.png" && bytes == std::fs::read(file).unwrap());
    // A run that goes on may remove a state: the next one is shown, by its own step.
    std::fs::remove_dir_all(folder.path().join("out/states/20000.zarr")).unwrap();
    let news = page.told("times");
    assert_eq!((&news[0], &news[1]), (&json!(0), &json!(times[2])));
    let (head, _) = page.frame(|head| head["time"] != 20000);
    assert_eq!((&head["time"], &head["at"]), (&json!(times[2]), &json!(1)));
    assert_eq!(saved.interrupt().0, Some(130));

    refuse(&[&path, "--seed", "3"], &["--seed has no effect on a saved run"]);
    refuse(&[&path, "--backend", "cpu"], &["--backend has no effect on a saved run"]);
    refuse(&[&path, "--field", "w"], &["has no state `w`"]);
    refuse(&[&path, "--terminal"], &["--terminal has no effect on a saved run"]);
    refuse(&["nowhere"], &["there is no folder `nowhere`", "--rule RULE"]);
    refuse(&[], &["the rule is missing"]);
    std::fs::remove_dir_all(folder.path().join("out/states")).unwrap();
    refuse(&[&path, "--no-open"], &["no complete state"]);
}

#[test]
fn what_cannot_be_done_is_told_and_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("glider.rle");
    std::fs::write(&path, "x = 3, y = 3\nbob$2bo$3o!").unwrap();
    let init = format!("alive={}", path.display());
    let mut view = Started::of(&["view", "full_square", "-r", "life", "-l", "3", "--init", &init]);
    let mut page = Page::open(&view.url);
    page.say(json!({ "play": false }));
    page.say(json!({ "reset": "7" }));
    page.look(0);
    page.frame(|head| head["seed"] == "7" && head["playing"] == false);
    // A stroke that goes on behind a step, or began outside of the grid, is one of its own.
    let draw =
        |on: bool| json!({ "draw": { "state": 0, "value": "1", "places": [["0", "0", "0"]], "on": on, "edition": 0 } });
    let view_of = json!({ "id": 0, "state": 0, "theme": "light", "colours": "rule", "log": false, "range": null, "trim": 0, "origin": ["0", "0", "0"], "size": ["5", "5"], "reduce": 1, "enlarge": 1 });
    let words = json!({ "words": view_of });
    for message in [draw(false), json!({ "step": 1 }), draw(true), draw(true), words.clone()] {
        page.say(message);
    }
    let said = page.told("words");
    assert!(
        said.as_str().unwrap().ends_with("\n# at step 0, cells were drawn\n# at step 1, cells were drawn"),
        "{said}"
    );
    page.say(json!({ "undo": true }));
    page.say(words.clone());
    let said = page.told("words");
    assert!(said.as_str().unwrap().ends_with("\n# at step 0, cells were drawn"), "{said}");
    let mut late = draw(false);
    late["draw"]["edition"] = json!(1);
    page.say(late);
    assert!(page.told("error").as_str().unwrap().contains("another one meanwhile"));
    // Full squares of side 2 to 1024 are counted before they are written out.
    let tree = (2..11).fold("[M2]\n1 1 1 1 1\n".to_owned(), |tree, level| {
        let part = level - 1;
        format!("{tree}{level} {part} {part} {part} {part}\n")
    });
    page.say(json!({ "draw": { "state": 0, "value": "1", "shape": "stamp", "places": [["0", "0", "0"]], "pattern": tree, "on": false } }));
    let error = page.told("error");
    assert!(error.as_str().unwrap().contains("cannot be read: it has more than 262144 live cells"), "{error}");
    std::fs::remove_file(&path).unwrap();
    page.say(json!({ "reset": "2" }));
    let error = page.told("error");
    assert!(error.as_str().unwrap().contains("glider.rle"), "{error}");
    page.say(words);
    let words = page.told("words");
    assert!(words.as_str().unwrap().ends_with("\n# at step 0, states did not get what `--init` says"), "{words}");
    assert_eq!(view.interrupt().0, Some(130));
}

#[test]
fn a_rule_becomes_another_text_and_keeps_its_states() {
    let mut view = Started::of(&["view", "sierpinski_carpet", "-r", "gray_scott", "-l", "3", "--colours", "grey"]);
    let mut page = Page::open(&view.url);
    let text = page.hello["text"].as_str().unwrap().to_owned();
    for message in
        [json!({ "play": false }), json!({ "reset": "0" }), json!({ "set": ["feed", "0.03"] }), json!({ "step": 5 })]
    {
        page.say(message);
    }
    page.look(0);
    let (_, before) = page.frame(|head| head["time"] == 5);
    let wrong = text.replace("next u = ", "next u = oops + ");
    page.say(json!({ "rule": wrong }));
    let faults = page.told("faults");
    let [from, to] = [0, 1].map(|i| faults[0]["bytes"][i].as_u64().unwrap() as usize);
    assert_eq!(&wrong[from..to], "oops", "{faults}");
    assert_eq!(faults[0]["line"].as_u64().unwrap() as usize, wrong[..from].lines().count());
    page.say(json!({ "rule": format!("use \"/etc/passwd\"\n{text}") }));
    assert!(page.told("faults").to_string().contains("cannot use files"));
    // A vector, which has no shades of grey.
    page.say(json!({ "rule": "rule turned { state m: vec2  init m = vec2(1.0, 0.0)  next m = m  picture m }" }));
    assert!(page.told("faults").to_string().contains("whose direction is a hue"));
    let end = text.trim_end().rfind('}').unwrap();
    let better = format!("{}    state w: f32\n    next w = u\n    param more: f32 = 0.5\n}}\n", &text[..end]);
    let mut other = Page::open(&view.url);
    page.say(json!({ "rule": better }));
    for page in [&mut page, &mut other] {
        let hello = page.told("hello");
        assert_eq!((&hello["edition"], hello["text"].as_str()), (&json!(1), Some(better.as_str())));
        let param = |name: &str| {
            hello["params"].as_array().unwrap().iter().find(|param| param["name"] == name).unwrap()["value"].clone()
        };
        assert_eq!((param("feed"), param("more")), (json!("0.03"), json!("0.5")));
    }
    assert_eq!(page.told("faults"), json!([]));
    page.look(0);
    let (head, bytes) = page.frame(|_| true);
    assert!(head["time"] == 5 && bytes == before, "the states are kept");
    page.say(json!({ "step": 1 }));
    page.look(2);
    assert_eq!(page.frame(|head| head["time"] == 6).1.len(), 512);
    let view_of = json!({ "id": 0, "state": 0, "theme": "light", "colours": "rule", "log": false, "range": null, "trim": 0, "origin": ["0", "0", "0"], "size": ["27", "27"], "reduce": 1, "enlarge": 1 });
    page.say(json!({ "words": view_of }));
    let words = page.told("words");
    assert!(words.as_str().unwrap().contains("--rule edited.rule"), "{words}");
    assert!(words.as_str().unwrap().contains("# at step 5, the rule became another text"), "{words}");
    page.say(json!({ "reset": "1" }));
    page.frame(|head| head["time"] == 0 && head["seed"] == "1");
    assert_eq!(view.interrupt().0, Some(130));
}

/// A page asks for a frame and writes another rule while steps are computed. Once it is told of the rule, nothing comes of the one before: it has not said what it looks at.
#[test]
fn no_frame_of_the_rule_before_comes_after_another_one() {
    let mut view = Started::of(&["view", "sierpinski_carpet", "-r", "gray_scott", "-l", "6"]);
    let mut page = Page::open(&view.url);
    let text = page.hello["text"].as_str().unwrap().to_owned();
    let view_of = json!({ "id": 0, "state": 0, "theme": "light", "colours": "rule", "log": false, "range": null, "trim": 0, "origin": ["0", "0", "0"], "size": ["27", "27"], "reduce": 1, "enlarge": 1 });
    for edition in 1..=5 {
        page.look(0);
        page.frame(|_| true);
        page.say(json!({ "next": true }));
        page.say(json!({ "rule": format!("{text}// {edition}\n") }));
        page.told("hello");
        page.say(json!({ "words": view_of }));
        loop {
            match page.socket.read().unwrap() {
                Message::Binary(_) => panic!("a frame of the rule before"),
                Message::Text(text) if text.contains("\"words\"") => break,
                _ => {}
            }
        }
    }
    assert_eq!(view.interrupt().0, Some(130));
}

/// A terminal of so many columns and rows that nobody sees: the end of a person, and that of a program.
fn terminal(columns: u16, rows: u16) -> [std::fs::File; 2] {
    use std::os::fd::FromRawFd;
    let (mut person, mut program) = (0, 0);
    let mut size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: both are files of the system's from here on, and nobody else has them.
    unsafe {
        let null = std::ptr::null_mut();
        assert_eq!(libc::openpty(&raw mut person, &raw mut program, null, null.cast(), &raw mut size), 0);
        [person, program].map(|file| std::fs::File::from_raw_fd(file))
    }
}

#[test]
fn a_terminal_shows_a_run_and_steers_it() {
    let [mut person, program] = terminal(60, 12);
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command
        .args(["view", "vicsek", "-r", "life", "-l", "3", "--seed", "1", "--terminal"])
        .env("COLORTERM", "truecolor");
    command.stdin(program.try_clone().unwrap()).stdout(program.try_clone().unwrap()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop((program, command));
    // What is read is the last frame that has these words in its last line.
    let mut seen = String::new();
    let mut until = |person: &mut std::fs::File, words: &str| {
        let begun = std::time::Instant::now();
        seen.clear();
        while !seen.contains(words) {
            assert!(begun.elapsed() < Duration::from_secs(20), "no {words:?} in {seen:?}");
            let mut bytes = [0; 4096];
            let count = person.read(&mut bytes).unwrap();
            seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        seen.clone()
    };
    let first = until(&mut person, "step ");
    assert!(first.starts_with("\x1b[?1049h") && first.contains('▀') && first.contains("\x1b[38;2;"), "{first:?}");
    person.write_all(b" ").unwrap();
    let paused = until(&mut person, "paused");
    let rest = &paused[paused.rfind("step ").unwrap() + 5..];
    let before: u32 = rest.split(',').next().unwrap().parse().unwrap();
    person.write_all(b"s").unwrap();
    until(&mut person, &format!("step {}, paused, alive", before + 1));
    person.write_all(b"s+\x1b[C").unwrap();
    until(&mut person, &format!("step {}, paused", before + 2));
    person.write_all(b"b").unwrap();
    until(&mut person, &format!("step {}, paused", before + 1));
    person.write_all(b"q").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    refuse(&["vicsek", "-r", "life", "-l", "2", "--terminal"], &["no terminal"]);
    refuse(&["vicsek", "-r", "life", "-l", "2", "--terminal", "--port", "8000"], &["--port"]);
}

#[test]
fn members_of_a_sweep_are_chosen_and_begin_as_they_did_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out").display().to_string();
    let arguments = ["sweep", "vicsek", "-r", "ising", "-l", "2..=3", "--set", "beta=0.3,0.6", "--seeds", "0..3"];
    let more = ["-n", "40", "--observe-every", "20", "--out", &path, "--quiet"];
    let done = Command::new(env!("CARGO_BIN_EXE_squeeze")).args(arguments).args(more).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let table = std::fs::read_to_string(folder.path().join("out/observables.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();

    let mut view = Started::of(&["view", &path, "--member", "4"]);
    let mut page = Page::open(&view.url);
    let mut hello = page.hello.take();
    for (number, words) in
        [(4, "level=2, beta=0.6, seed 1"), (0, "level=2, beta=0.3, seed 0"), (11, "level=3, beta=0.6, seed 2")]
    {
        if hello["member"]["number"] != number {
            page.say(json!({ "member": number }));
            hello = page.told("hello");
        }
        assert_eq!(hello["member"], json!({ "number": number, "count": 12, "words": words }));
        assert_eq!((&hello["mode"], &hello["text"]), (&json!("steered"), &Value::Null));
        page.say(json!({ "play": false }));
        page.say(json!({ "reset": hello["seed"] }));
        page.say(json!({ "step": 20 }));
        page.say(json!({ "look": {
            "id": number, "state": 0, "theme": "dark", "colours": "rule", "log": false, "range": null, "trim": 0, "mu": 0, "level": 2, "tiles": ["0"],
        } }));
        let (head, _) = page.frame(|head| head["time"] == 20 && head["id"] == number);
        let row = rows.iter().find(|row| row[0] == number.to_string() && row[1] == "20").unwrap();
        for (name, value) in rows[0].iter().zip(row).skip(2) {
            let seen = head["observed"]["values"][*name].as_f64().unwrap();
            assert_eq!(seen, value.parse::<f64>().unwrap(), "member {number}, {name}");
        }
    }
    page.say(json!({ "member": 12 }));
    assert!(page.told("error").as_str().unwrap().contains("there is no member 12: the sweep has 12, numbered from 0"));
    let (code, said) = view.interrupt();
    assert_eq!((code, said.as_str()), (Some(130), ""));

    refuse(&[&path, "--member", "12", "--no-open"], &["there is no member 12"]);
    refuse(&[&path, "--member", "1", "-r", "life"], &["--member"]);
    refuse(&[&path, "--seed", "3"], &["--seed has no effect"]);
}

/// The memory of a process, in KiB.
fn resident(child: &Child) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[ignore = "20 minutes, or as many as SQUEEZE_VIEW_MINUTES says"]
fn memory_after_long_is_what_it_was_after_a_quarter_of_it() {
    let minutes = std::env::var("SQUEEZE_VIEW_MINUTES").map_or(20.0, |text| text.parse::<f64>().unwrap());
    let all = Duration::from_secs_f64(60.0 * minutes);
    let view = Started::of(&["view", "sierpinski_carpet", "-r", "gray_scott", "-l", "5", "--threads", "1"]);
    let (begun, mut early, mut rounds) = (Instant::now(), None, 0u32);
    while begun.elapsed() < all {
        // A page comes, looks about, changes something, keeps something, and goes.
        let mut page = Page::open(&view.url);
        for at in 0..40u32 {
            let corner = (at * 5 % 200).to_string();
            page.say(json!({ "look": {
                "id": at, "state": 0, "theme": "dark", "colours": "rule", "log": false, "range": null, "trim": 0,
                "origin": [corner, corner, "0"], "size": ["40", "40"], "reduce": 1,
            } }));
            page.frame(|head| head["id"] == at);
        }
        page.say(json!({ "set": ["feed", format!("0.0{}", 20 + rounds % 40)] }));
        page.say(json!({ "probe": ["1", "2", "0"] }));
        for x in 0..20 {
            page.say(
                json!({ "draw": { "state": 0, "value": "1", "places": [[x.to_string(), "0", "0"]], "on": x > 0 } }),
            );
        }
        page.say(json!({ "save": {
            "id": 0, "state": 0, "theme": "light", "colours": "rule", "log": false, "range": null, "trim": 0,
            "origin": ["0", "0", "0"], "size": ["243", "243"], "reduce": 1, "enlarge": 1, "as": "png",
        } }));
        page.frame(|head| head.get("file").is_some());
        for message in [json!({ "back": true }), json!({ "undo": true }), json!({ "play": true })] {
            page.say(message);
        }
        if rounds % 50 == 49 {
            page.say(json!({ "reset": rounds.to_string() }));
        }
        let slow = Instant::now();
        page.frame(|_| slow.elapsed() > Duration::from_secs(1));
        rounds += 1;
        if early.is_none() && begun.elapsed() > all / 4 {
            early = Some(resident(&view.child));
        }
    }
    let (early, late) = (early.unwrap(), resident(&view.child));
    println!("{rounds} pages in {minutes} minutes: {early} KiB after a quarter, {late} KiB in the end");
    assert!(late <= 1.05 * early, "{early} KiB after a quarter, {late} KiB in the end");
}

/// Steps a second of a clock, and of the processor's time that the process took.
fn rates(page: &mut Page, child: &Child) -> [f64; 2] {
    let processor = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split(' ').collect();
        // Hundredths of a second, in the program and in the system.
        (fields[12].parse::<f64>().unwrap() + fields[13].parse::<f64>().unwrap()) / 100.0
    };
    let (first, begun, used) = (page.frame(|_| true).0, Instant::now(), processor());
    std::thread::sleep(Duration::from_secs(2));
    let last = page.frame(|_| true).0;
    let steps = last["time"].as_f64().unwrap() - first["time"].as_f64().unwrap();
    [steps / begun.elapsed().as_secs_f64(), steps / (processor() - used)]
}

#[test]
#[ignore = "two minutes"]
fn slow_pages_and_a_thousand_connections_do_not_slow_a_run() {
    // SAFETY: the limit is one of this process, and is only raised as far as it may be.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit), 0);
        limit.rlim_cur = limit.rlim_max.min(4096);
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit), 0);
    }
    let view = Started::of(&["view", "sierpinski_carpet", "-r", "life", "-l", "5", "--threads", "1"]);
    let place = view.url.strip_prefix("http://").unwrap().split_once("/#").unwrap().0.to_owned();
    let mut page = Page::open(&view.url);
    page.say(json!({ "speed": 0 }));
    page.look(0);
    let token = view.url.split_once('#').unwrap().1;
    // Pages that ask for frames and read none; the server lets 16 in, and tells the others.
    let slow = || {
        let stream = TcpStream::connect(&place).unwrap();
        let mut request = format!("ws://{place}/socket").into_client_request().unwrap();
        request.headers_mut().insert("Origin", format!("http://{place}").parse().unwrap());
        let (mut socket, _) = tungstenite::client(request, stream).unwrap_or_else(|error| panic!("{error}"));
        _ = socket.send(Message::text(json!({ "token": token }).to_string()));
        for id in 0..30 {
            let look = json!({ "look": {
                "id": id, "state": 0, "theme": "dark", "colours": "rule", "log": false, "range": null, "trim": 0, "mu": 0, "level": 5, "tiles": ["0"],
            } });
            _ = socket.send(Message::text(look.to_string()));
            _ = socket.send(Message::text(json!({ "next": true }).to_string()));
        }
        socket
    };
    // Connections, half of which say the beginning of a head, and the others nothing.
    let silent = |i: usize| {
        let mut stream = TcpStream::connect(&place).unwrap();
        if i.is_multiple_of(2) {
            _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: loc");
        }
        stream
    };
    let (mut with_slow, mut with_many) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        // Machines are shared: each is compared with what was just before it.
        let before = rates(&mut page, &view.child);
        let pages: Vec<_> = (0..50).map(|_| slow()).collect();
        let now = rates(&mut page, &view.child);
        with_slow.push([0, 1].map(|i| now[i] / before[i]));
        drop(pages);
        std::thread::sleep(Duration::from_secs(1));
        let before = rates(&mut page, &view.child);
        let connections: Vec<_> = (0..1000).map(silent).collect();
        let now = rates(&mut page, &view.child);
        with_many.push([0, 1].map(|i| now[i] / before[i]));
        drop(connections);
        std::thread::sleep(Duration::from_secs(1));
    }
    for (what, ratios) in [("fifty slow pages", with_slow), ("a thousand connections", with_many)] {
        let [clock, processor] = [0, 1].map(|i| {
            let mut sorted: Vec<f64> = ratios.iter().map(|ratio| ratio[i]).collect();
            sorted.sort_by(f64::total_cmp);
            sorted[2]
        });
        println!("with {what} {clock:.2} of the steps a second, {processor:.2} of those a second of the processor");
        assert!(clock > 0.7 && processor > 0.8, "with {what}: {ratios:?}");
    }
    let many: Vec<_> = (0..1000).map(silent).collect();
    // Those that the server took are sent away after five seconds, and it serves as before.
    std::thread::sleep(Duration::from_secs(6));
    let mut answer = String::new();
    let mut other = TcpStream::connect(&place).unwrap();
    other.write_all(format!("GET / HTTP/1.1\r\nHost: {place}\r\n\r\n").as_bytes()).unwrap();
    other.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    Page::open(&view.url);
    drop(many);
}

#[test]
#[ignore = "a minute"]
fn a_page_that_is_gone_without_a_word_is_let_go() {
    let view = Started::of(&["view", "vicsek", "-r", "life", "-l", "3"]);
    let mut page = Page::open(&view.url);
    // It does not read, and so answers no ping.
    std::thread::sleep(Duration::from_secs(63));
    let error = loop {
        match page.socket.read() {
            Ok(Message::Close(_)) => return,
            Ok(_) => {}
            Err(tungstenite::Error::Io(error)) => break error,
            Err(_) => return,
        }
    };
    assert!(!matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "it is still held: {error}");
}

/// A session of tmux, which ends with the test.
struct Tmux(String);

impl Drop for Tmux {
    fn drop(&mut self) {
        _ = Command::new("tmux").args(["-L", &self.0, "kill-server"]).status();
    }
}

impl Tmux {
    fn tell(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux").args(["-L", &self.0]).args(arguments).output().expect("tmux is there");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until the last line holds these words; gives the screen.
    fn shows(&self, words: &str) -> String {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let screen = self.tell(&["capture-pane", "-p", "-t", "view"]);
            if screen.lines().any(|line| line.contains(words)) {
                return screen;
            }
            assert!(Instant::now() < until, "no {words:?} in\n{screen}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

#[test]
#[ignore = "it takes tmux"]
fn a_terminal_in_tmux_shows_and_steers_a_run() {
    let tmux = Tmux(format!("squeeze-{}", std::process::id()));
    let run = format!(
        "{} view sierpinski_carpet -r life -l 4 --terminal; echo it ended with $?; cat",
        env!("CARGO_BIN_EXE_squeeze")
    );
    tmux.tell(&["-f", "/dev/null", "new-session", "-d", "-s", "view", "-x", "100", "-y", "40", &run]);
    let screen = tmux.shows("steps/s, alive");
    assert_eq!(screen.matches('▀').count(), 100 * 39, "{screen}");
    tmux.tell(&["send-keys", "-t", "view", "Space"]);
    let screen = tmux.shows("paused");
    let step = |screen: &str| -> u64 {
        let line = screen.lines().find(|line| line.starts_with("step ")).unwrap();
        line[5..].split(',').next().unwrap().parse().unwrap()
    };
    let before = step(&screen);
    tmux.tell(&["send-keys", "-t", "view", "s"]);
    tmux.shows(&format!("step {}, paused", before + 1));
    tmux.tell(&["send-keys", "-t", "view", "b"]);
    tmux.shows(&format!("step {before}, paused"));
    // Another size, and closer.
    tmux.tell(&["resize-window", "-t", "view", "-x", "60", "-y", "20"]);
    tmux.tell(&["send-keys", "-t", "view", "+"]);
    let until = Instant::now() + Duration::from_secs(20);
    while tmux.tell(&["capture-pane", "-p", "-t", "view"]).matches('▀').count() != 60 * 19 {
        assert!(Instant::now() < until, "it takes the new size");
        std::thread::sleep(Duration::from_millis(100));
    }
    tmux.tell(&["send-keys", "-t", "view", "q"]);
    tmux.shows("it ended with 0");
}
