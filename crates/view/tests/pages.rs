//! The server as its pages see it, and as those see it who are to be refused.

use serde_json::{Value, json};
use squeeze_compiler::ir::StateId;
use squeeze_engine::simulation::{StateView, Window};
use squeeze_engine::{Backend, Simulation};
use squeeze_records::picture::{self, Background, Extent, Format, Style, View, Zoom};
use squeeze_records::run::Drawing;
use squeeze_records::state::export::rle;
use squeeze_records::{golly, resolve};
use squeeze_view::{RunCommand, Server, Subject, watch};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

/// Does some work while a simulation is viewed; gives the simulation's time at the end.
fn viewed(fractal: &str, rule: &str, level: u32, allowed: &[&str], work: impl FnOnce(&Server)) -> u32 {
    let builder = Simulation::builder(
        resolve::domain(fractal, &resolve::Edges::default()).unwrap(),
        resolve::rule(rule).unwrap(),
    );
    let mut simulation = builder.level(level).seed(1).backend(Backend::Cpu).threads(1).build().unwrap();
    let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
    let server = Server::start(None, &allowed).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (server, over) = (&server, &over);
        let run = scope.spawn(move || {
            let restart = |simulation: &mut Simulation, seed: u64| Ok(simulation.restart(seed, &[""; 0])?);
            let words = ["squeeze", "run", fractal, "--rule", rule].map(str::to_owned);
            let command = RunCommand { words: words.into(), seed_of_cells: None };
            let about = [("feed".to_owned(), "how much is fed".to_owned())];
            let subject = Subject {
                drawing: &Drawing::default(),
                about_params: &about,
                command: &command,
                members: None,
                text: None,
                rewrite: &|_, _| unreachable!("there is no text"),
                restart: &restart,
            };
            watch(&mut simulation, server, &subject, &|| over.load(Ordering::Relaxed)).unwrap();
            simulation.time()
        });
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(server)));
        over.store(true, Ordering::Relaxed);
        let time = run.join().unwrap();
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        time
    })
}

fn connected(server: &Server) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// The first line of the answer to these bytes; empty if the server only hangs up.
fn status(server: &Server, bytes: &[u8]) -> String {
    let mut stream = connected(server);
    _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
}

/// A socket, as a page opens it.
fn socket(server: &Server) -> WebSocket<TcpStream> {
    let port = server.port();
    let mut request = format!("ws://localhost:{port}/socket").into_client_request().unwrap();
    request.headers_mut().insert("Origin", format!("http://localhost:{port}").parse().unwrap());
    tungstenite::client(request, connected(server)).map(|(socket, _)| socket).unwrap_or_else(|error| panic!("{error}"))
}

fn token(server: &Server) -> String {
    server.url().split_once('#').unwrap().1.to_owned()
}

/// The code that a socket is closed with.
fn closed(mut socket: WebSocket<TcpStream>) -> Option<CloseCode> {
    loop {
        match socket.read() {
            Ok(Message::Close(frame)) => return frame.map(|frame| frame.code),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

/// A page that has said the token.
struct Page {
    socket: WebSocket<TcpStream>,
    hello: Value,
}

/// A frame: its head and its bytes.
type Frame = (Value, Vec<u8>);

impl Page {
    fn open(server: &Server) -> Page {
        let mut page = Page { socket: socket(server), hello: Value::Null };
        page.say(json!({ "token": token(server) }));
        page.hello = page.hear()["hello"].clone();
        page
    }

    fn say(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// The next text.
    fn hear(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                return serde_json::from_str(text.as_str()).unwrap();
            }
        }
    }

    /// The next file: its head and its bytes.
    fn file(&mut self) -> Frame {
        loop {
            match self.socket.read().unwrap() {
                Message::Binary(bytes) => {
                    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                    let head: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
                    if head.get("file").is_some() {
                        return (head, bytes[4 + length..].to_vec());
                    }
                }
                Message::Text(text) => assert!(!text.as_str().contains("error"), "{text}"),
                _ => {}
            }
        }
    }

    /// Waits for a frame with these bytes.
    fn shows(&mut self, bytes: &[u8]) {
        loop {
            self.say(json!({ "next": true }));
            loop {
                if let Message::Binary(frame) = self.socket.read().expect("a frame with these bytes comes") {
                    if frame.ends_with(bytes) {
                        return;
                    }
                    break;
                }
            }
        }
    }

    /// The next text with this entry.
    fn told(&mut self, entry: &str) -> String {
        loop {
            if let Some(text) = self.hear()[entry].as_str() {
                return text.to_owned();
            }
        }
    }

    /// The next frame for which this holds.
    fn frame(&mut self, wanted: impl Fn(&Value) -> bool) -> Frame {
        self.say(json!({ "next": true }));
        loop {
            if let Message::Binary(bytes) = self.socket.read().unwrap() {
                let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                let head: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
                if wanted(&head) {
                    return (head, bytes[4 + length..].to_vec());
                }
                self.say(json!({ "next": true }));
            }
        }
    }
}

fn look(id: u64, part: Value) -> Value {
    let mut look =
        json!({ "id": id, "state": 0, "theme": "dark", "colours": "rule", "log": false, "range": null, "trim": 0 });
    look.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
    json!({ "look": look })
}

/// A window as a picture.
fn view(more: Value) -> Value {
    let mut view =
        look(0, json!({ "origin": ["3", "0", "0"], "size": ["20", "27"], "reduce": 1, "enlarge": 4 }))["look"].take();
    view.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    view
}

#[test]
fn what_is_seen_can_be_kept_and_computed_again() {
    let of = |rule: &str, steps: u64| {
        let builder = Simulation::builder(resolve::fractal("sierpinski_carpet").unwrap(), resolve::rule(rule).unwrap());
        let mut own = builder.level(3).seed(7).backend(Backend::Cpu).threads(1).build().unwrap();
        own.step(steps).unwrap();
        own
    };
    viewed("sierpinski_carpet", "gray_scott", 3, &[], |server| {
        let mut page = Page::open(server);
        for message in [json!({ "play": false }), json!({ "reset": "7" }), json!({ "step": 9 })] {
            page.say(message);
        }
        page.say(json!({ "save": view(json!({ "as": "png", "range": [0, 1] })) }));
        let (head, bytes) = page.file();
        assert_eq!((&head["file"], &head["type"]), (&json!("gray_scott-9.png"), &json!("image/png")));
        let mut style = Style::default();
        (style.background, style.extent) = (Background::Dark, Extent::Fixed(0.0, 1.0));
        let part = View { window: Window { origin: [3, 0, 0], size: [20, 27, 1] }, zoom: Zoom::Enlarge(4) };
        let drawn = picture::of_simulation(&of("gray_scott", 9), StateId(0), Some(&part), &style).unwrap();
        assert!(bytes == drawn.sheet.bytes(Format::Png), "the picture is that of `run --image`, with its colour bar");
        page.say(json!({ "words": view(json!({ "range": [0, 0.5], "colours": "magma" })) }));
        assert_eq!(
            page.told("words"),
            "squeeze run sierpinski_carpet --rule gray_scott --seed 7 --steps 9 --image view.png --field u --window 3,0,20,27 --zoom 4 --range 0.0:0.5 \
             --colours magma --theme dark"
        );
        for message in [
            json!({ "set": ["feed", "0.03"] }),
            json!({ "draw": { "state": 0, "value": "1", "places": [["0", "0", "0"]], "on": false } }),
            json!({ "draw": { "state": 0, "value": "1", "places": [["0", "0", "0"]], "on": false } }),
            json!({ "step": 1 }),
            json!({ "words": view(json!({ "theme": "light", "reduce": 2, "enlarge": 1 })) }),
        ] {
            page.say(message);
        }
        let words = page.told("words");
        let [command, set, drawn] = words.lines().collect::<Vec<_>>()[..] else { panic!("{words}") };
        assert!(command.ends_with("--steps 10 --image view.png --field u --window 3,0,20,27 --zoom 1/2"), "{command}");
        assert_eq!(set, "# from step 9 on, feed=0.03, which no command sets");
        assert_eq!(drawn, "# at step 9, cells were drawn: 2 strokes");
        // From the beginning on, a command sets it.
        page.say(json!({ "reset": "8" }));
        page.say(json!({ "set": ["feed", "0.03"] }));
        page.say(json!({ "words": view(json!({})) }));
        let words = page.told("words");
        assert!(words.contains("--seed 8 --set feed=0.03 --steps 0 ") && words.lines().count() == 1, "{words}");

        page.say(json!({ "film": view(json!({})) }));
        page.say(json!({ "play": true }));
        page.say(look(1, json!({ "mu": 0, "level": 3, "tiles": ["0"] })));
        page.frame(|head| head["film"].as_u64().is_some_and(|pictures| pictures > 3));
        let mut other = Page::open(server);
        other.say(json!({ "film": view(json!({})) }));
        assert!(other.told("error").contains("another page makes a film"));
        page.say(json!({ "film": null }));
        let (head, bytes) = page.file();
        let name = head["file"].as_str().unwrap();
        assert!(
            name.ends_with(".gif") && bytes.starts_with(b"GIF89a") || name.ends_with(".mp4") && bytes[4..8] == *b"ftyp",
            "{name}"
        );

        for (message, words) in [
            (json!({ "film": null }), "no film"),
            (json!({ "save": view(json!({ "as": "rle" })) }), "a pattern holds bits"),
            (json!({ "save": view(json!({ "as": "png", "state": 9 })) }), "no state"),
            (json!({ "save": view(json!({ "as": "png", "origin": ["27", "0", "0"] })) }), "outside the grid"),
            (json!({ "save": view(json!({ "as": "png", "enlarge": 1024 })) }), "too large"),
            (json!({ "words": view(json!({ "origin": ["18446744073709551615", "0", "0"] })) }), "outside the grid"),
        ] {
            page.say(message);
            let error = page.told("error");
            assert!(error.contains(words), "{error}");
        }
        for text in [
            json!({ "save": view(json!({ "as": "exe" })) }),
            json!({ "save": view(json!({ "as": "png", "enlarge": 0 })) }),
            json!({ "words": look(0, json!({ "mu": 0, "level": 3, "tiles": ["0"] }))["look"].take() }),
        ] {
            let mut page = Page::open(server);
            page.say(text.clone());
            assert_eq!(closed(page.socket), Some(CloseCode::Policy), "{text}");
        }
    });
    viewed("sierpinski_carpet", "life", 3, &[], |server| {
        let mut page = Page::open(server);
        for message in [json!({ "play": false }), json!({ "reset": "7" }), json!({ "step": 2 })] {
            page.say(message);
        }
        page.say(json!({ "save": view(json!({ "as": "rle" })) }));
        let (head, bytes) = page.file();
        let own = of("life", 2);
        let window = Window { origin: [3, 0, 0], size: [20, 27, 1] };
        let text = rle::of_window(
            StateView::numbered(&own, StateId(0)).unwrap(),
            &window,
            golly::notation(own.rule()).as_deref(),
        );
        assert_eq!((&head["file"], String::from_utf8(bytes).unwrap()), (&json!("life-2.rle"), text.unwrap()));
    });
}

#[test]
fn a_page_gets_the_files_and_nothing_else() {
    viewed("vicsek", "life", 2, &["hub.example"], |server| {
        let get =
            |path: &str, host: &str| status(server, format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        for path in ["/", "/view.js", "/view.css", "/proxy/1/view.js"] {
            assert_eq!(get(path, "localhost:1"), "HTTP/1.1 200 OK", "{path}");
        }
        assert_eq!(get("/", "hub.example"), "HTTP/1.1 200 OK");
        assert_eq!(get("/Cargo.toml", "127.0.0.1"), "HTTP/1.1 404 Not Found");
        assert_eq!(get("/", "evil.example"), "HTTP/1.1 403 Forbidden");
        assert_eq!(get("/socket", "127.0.0.1"), "HTTP/1.1 403 Forbidden");
        let two = "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n";
        assert_eq!(status(server, two.as_bytes()), "HTTP/1.1 400 Bad Request");
        assert_eq!(status(server, &[0x16; 64]), "HTTP/1.1 400 Bad Request");
        let huge = format!("GET / HTTP/1.1\r\nHost: localhost\r\nA: {}", "a".repeat(100_000));
        assert_eq!(status(server, huge.as_bytes()), "HTTP/1.1 431 Request Header Fields Too Large");
        assert_eq!(get("/", "[::1]:7"), "HTTP/1.1 200 OK");

        let mut stream = connected(server);
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        for line in [
            "Content-Security-Policy: default-src 'none'; script-src 'self'",
            "X-Content-Type-Options: nosniff",
            "frame-ancestors 'none'",
            "Referrer-Policy: no-referrer",
        ] {
            assert!(answer.contains(line), "{line}: {answer}");
        }
        assert!(!answer.contains(&token(server)) && !answer.to_ascii_lowercase().contains("cookie"));
    });
}

#[test]
fn sockets_of_other_pages_and_without_the_token_are_refused() {
    let time = viewed("vicsek", "life", 2, &[], |server| {
        let port = server.port();
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        for origin in ["http://evil.example", "null", "http://localhost:1", "http://127.0.0.1"] {
            let head = format!("GET /socket HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: {origin}\r\n{upgrade}");
            assert_eq!(status(server, head.as_bytes()), "HTTP/1.1 403 Forbidden", "{origin}");
        }
        let head = format!("GET /socket HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n{upgrade}");
        assert_eq!(
            status(server, head.as_bytes()),
            "HTTP/1.1 403 Forbidden",
            "a name that was made to mean this machine"
        );

        let mut wrong = token(server);
        wrong.pop();
        for first in [
            json!({ "token": "" }),
            json!({ "token": wrong }),
            json!({ "next": true }),
            json!({ "play": false }),
            json!({ "token": 3 }),
        ] {
            let mut one = socket(server);
            one.send(Message::text(first.to_string())).unwrap();
            assert_eq!(closed(one), Some(CloseCode::Policy), "{first}");
        }
        let mut other = socket(server);
        other.send(Message::binary(token(server).into_bytes())).unwrap();
        assert_eq!(closed(other), Some(CloseCode::Unsupported));
        let mut huge = socket(server);
        _ = huge.send(Message::text("a".repeat(1 << 20)));
        assert!(matches!(closed(huge), None | Some(CloseCode::Size)));
    });
    assert_eq!(time, 0, "nobody steered it");
}

#[test]
fn who_says_nothing_is_sent_away() {
    viewed("vicsek", "life", 2, &[], |server| {
        let begun = Instant::now();
        let (silent, mut half) = (socket(server), connected(server));
        half.write_all(b"GET / HTTP/1.1\r\nHo").unwrap();
        assert_eq!(closed(silent), Some(CloseCode::Policy));
        let mut answer = String::new();
        half.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(begun.elapsed() < Duration::from_secs(15));
    });
}

#[test]
fn many_connections_do_not_keep_others_out_for_long() {
    viewed("vicsek", "life", 2, &[], |server| {
        let mut page = Page::open(server);
        let many: Vec<TcpStream> = (0..200).map(|_| connected(server)).collect();
        page.say(look(1, json!({ "mu": 0, "level": 2, "tiles": ["0"] })));
        assert_eq!(page.frame(|_| true).1.len(), 25, "who is in stays in");
        drop(many);
        let until = Instant::now() + Duration::from_secs(15);
        while status(server, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") != "HTTP/1.1 200 OK" {
            assert!(Instant::now() < until);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
}

#[test]
fn malformed_messages_end_a_page_and_wrong_looks_are_told() {
    viewed("vicsek", "life", 2, &[], |server| {
        for text in ["{", "[]", r#"{"fly":1}"#, r#"{"step":-1}"#] {
            let mut page = Page::open(server);
            page.socket.send(Message::text(text)).unwrap();
            assert_eq!(closed(page.socket), Some(CloseCode::Policy), "{text}");
        }
        let mut page = Page::open(server);
        for (id, part) in (1..).zip([
            json!({ "mu": 0, "level": 2, "tiles": ["1"] }),
            json!({ "mu": 2, "level": 1, "tiles": ["0"] }),
            json!({ "mu": 0, "level": 9, "tiles": [] }),
            json!({ "origin": ["5", "0", "0"], "size": ["5", "1"], "reduce": 1 }),
            json!({ "origin": ["18446744073709551615", "0", "0"], "size": ["5", "1"], "reduce": 1 }),
        ]) {
            page.say(look(id, part.clone()));
            page.say(json!({ "next": true }));
            assert!(page.hear()["error"].is_string(), "{part}");
        }
        page.say(look(9, json!({ "state": 7, "mu": 0, "level": 0, "tiles": ["0"] })));
        page.say(json!({ "next": true }));
        assert!(page.hear()["error"].is_string());
    });
}

#[test]
fn pages_steer_the_run() {
    viewed("sierpinski_carpet", "gray_scott", 3, &[], |server| {
        let mut page = Page::open(server);
        assert_eq!((&page.hello["rule"], &page.hello["cells"]), (&json!("gray_scott"), &json!("512")));
        assert_eq!(page.hello["patterns"][0]["replicas"].as_array().unwrap().len(), 8);
        let feed =
            page.hello["params"].as_array().unwrap().iter().find(|param| param["name"] == "feed").unwrap().clone();
        assert_eq!(feed["about"], "how much is fed");
        page.say(json!({ "play": false }));
        page.say(json!({ "reset": "1" }));
        page.say(look(1, json!({ "mu": 0, "level": 3, "tiles": ["0"] })));
        let (head, _) = page.frame(|head| head["time"] == 0 && head["playing"] == false);
        assert_eq!((&head["id"], head["palette"].as_str().unwrap().len()), (&json!(1), 6 * 193));
        page.say(json!({ "step": 5 }));
        let (head, bytes) = page.frame(|head| head["time"] == 5);
        assert_eq!((bytes.len(), head["form"].as_u64(), head.get("palette")), (512, Some(1), None));
        let counted: u64 = head["histogram"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(counted, 512);
        page.say(json!({ "set": ["feed", "0.04"] }));
        assert_eq!(page.hear()["params"]["feed"], "0.04");
        page.say(json!({ "set": ["feed", "many"] }));
        assert!(page.hear()["error"].as_str().unwrap().contains("feed"));
        page.say(json!({ "probe": ["0", "1", "0"] }));
        let (head, _) = page.frame(|head| head.get("probe").is_some());
        assert!(head["probe"]["index"].is_string() && head["probe"]["values"]["u"].is_string(), "{head}");
        page.say(json!({ "probe": ["1", "1", "0"] }));
        let (head, _) = page.frame(|head| head["probe"]["place"][0] == "1");
        assert_eq!(head["probe"]["index"], Value::Null, "a hole");
        page.say(json!({ "speed": 0 }));
        page.say(json!({ "play": true }));
        let (head, _) = page.frame(|head| head["time"].as_u64().unwrap() > 100);
        assert!(head["observed"]["values"].is_object());
    });
}

#[test]
fn kept_bonds_components_and_vectors_are_fields() {
    let rule = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spins.rule");
    viewed("sierpinski_carpet", rule, 3, &[], |server| {
        let mut page = Page::open(server);
        let states = page.hello["states"].as_array().unwrap().clone();
        let at = |name: &str| states.iter().position(|state| state["name"] == name).unwrap();
        let names: Vec<&str> = states.iter().map(|state| state["name"].as_str().unwrap()).collect();
        assert_eq!(names.len(), 5, "{names:?}");
        assert_eq!(page.hello["look"]["state"], at("m"), "what the rule's picture shows");
        let [vector, first] = [&states[at("m")], &states[at("m.x")]];
        assert_eq!((&vector["state"], &vector["own"]), (&json!(at("m.x")), &json!("direction")));
        assert_eq!((&vector["range"], &first["range"]), (&json!([0.0, 1.0]), &Value::Null));
        assert_eq!(first["own"], "perceptual", "a component is shown as a number");
        page.say(json!({ "play": false }));
        let mut id = 0;
        let mut frame = |page: &mut Page, state: &str, colours: &str| {
            id += 1;
            let more = json!({ "state": at(state), "colours": colours, "mu": 1, "level": 3, "tiles": ["0"] });
            page.say(look(id, more));
            page.frame(|head| head["id"] == id)
        };
        let (head, bytes) = frame(&mut page, "m.x", "direction");
        assert_eq!((head["form"].as_u64(), bytes.len()), (Some(3), 3 * 64));
        let [low, high] = [0, 1].map(|end| head["range"][end].as_f64().unwrap());
        assert!(low == 0.0 && high > 0.1 && high < 1.0, "means of blocks are shorter than vectors: {head}");
        let (head, bytes) = frame(&mut page, "open.1", "rule");
        assert_eq!((head["form"].as_u64(), bytes.len()), (Some(1), 64));
        for (state, colours, words) in [
            ("m.x", "direction", "--field m --window"),
            ("m.x", "perceptual", "--field m.x --window"),
            ("open.0", "rule", "--field open.0 --window"),
        ] {
            page.say(json!({ "words": view(json!({ "state": at(state), "colours": colours, "range": [0, 1] })) }));
            let told = page.told("words");
            assert!(told.contains(words) && !told.contains("direction"), "{told}");
            assert_eq!(told.contains("--range"), state != "m.x" || colours != "direction", "{told}");
        }
        page.say(look(
            99,
            json!({ "state": at("open.0"), "colours": "direction", "mu": 1, "level": 3, "tiles": ["0"] }),
        ));
        page.say(json!({ "next": true }));
        assert!(page.told("error").contains("for angles there is `cyclic`"));
    });
}

#[test]
fn drawn_cells_are_those_of_a_run_and_strokes_are_taken_back() {
    let places: Vec<[String; 3]> = (0..81u64).map(|i| [i % 9, i / 9, 0].map(|v| v.to_string())).collect();
    let draw = |state: u64, value: &str, places: &[[String; 3]], on: bool| json!({ "draw": { "state": state, "value": value, "places": places, "on": on } });
    for (rule, value) in [("life", "1"), ("brians_brain", "firing"), ("gray_scott", "0.25")] {
        viewed("full_square", rule, 3, &[], |server| {
            let mut page = Page::open(server);
            page.say(json!({ "play": false }));
            page.say(json!({ "reset": "3" }));
            page.say(look(1, json!({ "mu": 0, "level": 3, "tiles": ["0"] })));
            let before = page.frame(|head| head["time"] == 0 && head["playing"] == false).1;
            page.say(draw(0, value, &places[..40], false));
            page.say(draw(0, value, &places[40..], true));
            page.say(json!({ "probe": ["3", "4", "0"] }));
            let (head, drawn) = page.frame(|head| head.get("probe").is_some());
            let state = page.hello["states"][0]["name"].as_str().unwrap().to_owned();
            assert_eq!(head["probe"]["values"][&state], json!(value), "{rule}");
            assert_ne!(drawn, before, "{rule}");
            page.say(json!({ "undo": true }));
            let (_, undone) = page.frame(|_| true);
            assert_eq!(undone, before, "{rule}: both parts are one stroke");
            page.say(json!({ "undo": true }));
            assert!(page.hear()["error"].as_str().unwrap().contains("no stroke"));
            page.say(draw(0, "many", &places[..1], false));
            assert!(page.hear()["error"].as_str().unwrap().contains("`many` is no value"));
            page.say(draw(9, "1", &places[..1], false));
            assert!(page.hear()["error"].as_str().unwrap().contains("no such state"));
            page.say(draw(0, value, &places[..1], false));
            page.say(json!({ "step": 1 }));
            page.say(json!({ "undo": true }));
            assert!(page.hear()["error"].as_str().unwrap().contains("since the last step"));
        });
    }
}

#[test]
fn rectangles_fills_and_patterns_are_drawn() {
    let drawn = |page: &mut Page, rule: &str, more: Value| {
        let mut draw = json!({ "state": 0, "value": if rule == "wireworld" { "wire" } else { "1" }, "on": false });
        draw.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        page.say(json!({ "draw": draw }));
        page.frame(|_| true).1
    };
    // Variants come as red, green and blue, and numbers as one byte: a number for each cell.
    let cells = |bytes: &[u8]| -> Vec<u32> {
        bytes
            .chunks(bytes.len() / 1200)
            .map(|one| one.iter().fold(0, |code, byte| 256 * code + u32::from(*byte)))
            .collect()
    };
    for rule in ["conway", "wireworld"] {
        viewed("T40,30", rule, 1, &[], |server| {
            let mut page = Page::open(server);
            page.say(json!({ "play": false }));
            page.say(look(1, json!({ "origin": ["0", "0", "0"], "size": ["40", "30"], "reduce": 1 })));
            let beginning = page.frame(|head| head["playing"] == false).1;
            // All cells get the value 0 first.
            let zero = if rule == "wireworld" { "empty" } else { "0" };
            let all = json!({ "shape": "rectangle", "places": [["99", "29", "0"], ["0", "0", "0"]], "value": zero });
            let blank = cells(&drawn(&mut page, rule, all));
            assert!(blank.iter().all(|value| *value == blank[0]), "{rule}");
            let box_of = json!({ "shape": "rectangle", "places": [["3", "4", "0"], ["8", "9", "0"]] });
            let boxed = drawn(&mut page, rule, box_of);
            assert_eq!(cells(&boxed).iter().filter(|value| **value != blank[0]).count(), 36, "{rule}");
            let inner = json!({ "shape": "rectangle", "places": [["4", "5", "0"], ["7", "8", "0"]], "value": zero });
            let ring = drawn(&mut page, rule, inner);
            assert_eq!(cells(&ring).iter().filter(|value| **value != blank[0]).count(), 20, "{rule}");
            assert_eq!(
                drawn(&mut page, rule, json!({ "shape": "fill", "places": [["5", "6", "0"]] })),
                boxed,
                "{rule}"
            );
            // Outside it goes around the box, and not through it.
            let outside = drawn(&mut page, rule, json!({ "shape": "fill", "places": [["0", "0", "0"]] }));
            assert!(cells(&outside).iter().all(|value| *value == cells(&boxed)[4 * 40 + 3]), "{rule}");
            for _ in 0..2 {
                page.say(json!({ "undo": true }));
            }
            page.shows(&ring);
            let glider = if rule == "wireworld" { "x = 3, y = 3\n.A$2.B$3C!" } else { "x = 3, y = 3\nbob$2bo$3o!" };
            let stamped =
                drawn(&mut page, rule, json!({ "shape": "stamp", "places": [["20", "20", "0"]], "pattern": glider }));
            let live: Vec<usize> = (0..1200).filter(|at| cells(&stamped)[*at] != cells(&ring)[*at]).collect();
            assert_eq!(live, [(21, 20), (22, 21), (20, 22), (21, 22), (22, 22)].map(|(x, y)| 40 * y + x), "{rule}");
            for (more, words) in [
                (json!({ "shape": "stamp", "places": [["20", "20", "0"]], "pattern": "what" }), "cannot be read"),
                (
                    json!({ "shape": "stamp", "places": [["20", "20", "0"]], "pattern": "4000000o!" }),
                    "more than 262144",
                ),
                (
                    json!({ "shape": "stamp", "places": [["20", "20", "0"]], "pattern": "pX!" }),
                    "no value of this state",
                ),
            ] {
                let mut draw = json!({ "state": 0, "value": zero, "on": false });
                draw.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                page.say(json!({ "draw": draw }));
                let error = page.told("error");
                assert!(error.contains(words), "{error}");
            }
            // What is refused draws nothing.
            page.shows(&stamped);
            for _ in 0..4 {
                page.say(json!({ "undo": true }));
            }
            page.shows(&beginning);
        });
    }
    viewed("T1024,1024", "conway", 1, &[], |server| {
        let mut page = Page::open(server);
        page.say(json!({ "play": false }));
        let all = json!({ "state": 0, "value": "1", "shape": "rectangle", "places": [["0", "0", "0"], ["1023", "1023", "0"]], "on": false });
        page.say(json!({ "draw": all }));
        assert!(page.told("error").contains("262144 places at once"));
    });
}

#[test]
fn solids_are_turned() {
    viewed("menger_sponge", "life_3d", 2, &[], |server| {
        let mut page = Page::open(server);
        for message in [json!({ "play": false }), json!({ "reset": "1" }), json!({ "step": 1 })] {
            page.say(message);
        }
        let mut seen = Vec::new();
        for turn in 0..8 {
            page.say(look(turn, json!({ "solid": turn })));
            let (head, bytes) = page.frame(|head| head["id"] == turn && head["time"] == 1);
            let [width, height] = [0, 1].map(|a| head["size"][a].as_u64().unwrap() as usize);
            assert!(head["form"] == 3 && bytes.len() == 3 * width * height, "{head}");
            assert!(!seen.contains(&bytes), "{turn}: no two sides look the same");
            seen.push(bytes);
        }
        let mut solid = look(0, json!({ "solid": 0, "enlarge": 1, "as": "png" }))["look"].take();
        page.say(json!({ "save": solid }));
        let builder =
            Simulation::builder(resolve::fractal("menger_sponge").unwrap(), resolve::rule("life_3d").unwrap());
        let mut own = builder.level(2).seed(1).backend(Backend::Cpu).threads(1).build().unwrap();
        own.step(1).unwrap();
        let mut style = Style::default();
        style.background = Background::Dark;
        let drawn = picture::of_simulation(&own, StateId(0), None, &style).unwrap();
        assert!(page.file().1 == drawn.sheet.bytes(Format::Png), "the first side is that of `run --image`");
        solid["solid"] = json!(5);
        page.say(json!({ "words": solid }));
        let words = page.told("words");
        assert!(
            words.contains(" --field alive --theme dark\n# the picture shows the solid from its first side"),
            "{words}"
        );
        solid["solid"] = json!(8);
        page.say(json!({ "words": solid }));
        assert_eq!(closed(page.socket), Some(CloseCode::Policy));
    });
    viewed("vicsek", "life", 2, &[], |server| {
        let mut page = Page::open(server);
        page.say(look(1, json!({ "solid": 0 })));
        page.say(json!({ "next": true }));
        assert!(page.told("error").contains("not 3-D"));
    });
}

#[test]
fn steps_back_go_the_way_that_was_come() {
    for rule in ["gray_scott", "ising", "brians_brain"] {
        viewed("sierpinski_carpet", rule, 3, &[], |server| {
            let mut page = Page::open(server);
            page.say(json!({ "play": false }));
            page.say(json!({ "back": true }));
            page.say(json!({ "reset": "5" }));
            page.say(look(1, json!({ "mu": 0, "level": 3, "tiles": ["0"] })));
            page.frame(|head| head["time"] == 0 && head["playing"] == false);
            let draw = json!({ "draw": { "state": 0, "value": if rule == "brians_brain" { "firing" } else { "1" }, "places": [["0", "1", "0"], ["2", "2", "0"]], "on": false } });
            let set = match rule {
                "gray_scott" => Some(json!({ "set": ["feed", "0.05"] })),
                "ising" => Some(json!({ "set": ["beta", "0.2"] })),
                _ => None,
            };
            let mut seen = Vec::new();
            for time in 0..12 {
                if time % 4 == 3 {
                    page.say(draw.clone());
                    page.say(draw.clone());
                    page.say(json!({ "undo": true }));
                }
                if time == 5 {
                    set.iter().for_each(|set| page.say(set.clone()));
                }
                // The states that the step is computed from, with what was done to them.
                page.say(json!({ "probe": null }));
                let (head, bytes) = page.frame(|_| true);
                seen.push((head["time"].as_i64().unwrap(), bytes));
                // Several steps keep states more rarely than single ones.
                page.say(json!({ "step": if time == 6 { 9 } else { 1 } }));
                page.frame(|_| true);
            }
            assert_eq!(
                seen.iter().map(|(time, _)| *time).collect::<Vec<_>>(),
                [0, 1, 2, 3, 4, 5, 6, 15, 16, 17, 18, 19]
            );
            for (time, bytes) in seen.iter().rev() {
                loop {
                    page.say(json!({ "back": true }));
                    let (head, found) = page.frame(|_| true);
                    if head["time"] == *time {
                        assert_eq!(&found, bytes, "{rule}, step {time}");
                        break;
                    }
                    assert!(head["time"].as_i64().unwrap() > *time, "{rule}: {head}");
                }
            }
            page.say(json!({ "back": true }));
            while !page.hear()["error"].as_str().is_some_and(|text| text.contains("no states before")) {}
        });
    }
}

#[test]
fn a_run_at_rest_does_not_use_up_its_steps_and_many_commands_are_all_done() {
    viewed("vicsek", "life", 2, &[], |server| {
        let mut page = Page::open(server);
        page.say(json!({ "speed": 0 }));
        page.say(look(1, json!({ "mu": 0, "level": 2, "tiles": ["0"] })));
        std::thread::sleep(Duration::from_secs(1));
        let (head, _) = page.frame(|_| true);
        assert!((1..20_000_000).contains(&head["time"].as_u64().unwrap()), "{head}");
        page.say(json!({ "play": false }));
        page.say(json!({ "reset": "1" }));
        for _ in 0..1000 {
            page.say(json!({ "step": 1 }));
        }
        page.frame(|head| head["time"] == 1000);
        // A logarithm of zero has no colour: it is told once, and frames come again for another look.
        let part = json!({ "mu": 0, "level": 2, "tiles": ["0"], "log": true, "range": [0, 1] });
        page.say(look(2, part));
        page.say(json!({ "next": true }));
        assert_eq!(page.hear()["look"], 2);
        page.say(look(3, json!({ "mu": 0, "level": 2, "tiles": ["0"] })));
        page.frame(|head| head["id"] == 3);
    });
}

#[test]
fn who_drips_bytes_after_a_refusal_keeps_nobody_out() {
    viewed("vicsek", "life", 2, &[], |server| {
        let mut dripping = connected(server);
        dripping.write_all(b"POST / HTTP/1.1\r\nHost: evil.example\r\n\r\n").unwrap();
        let begun = Instant::now();
        while dripping.write_all(b"a").is_ok() {
            assert!(begun.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(20));
        }
    });
}

#[test]
fn a_run_without_a_page_stands_still() {
    let time = viewed("vicsek", "life", 2, &[], |server| {
        let mut page = Page::open(server);
        page.say(look(1, json!({ "mu": 0, "level": 2, "tiles": ["0"] })));
        page.frame(|head| head["time"].as_u64().unwrap() > 2);
        page.socket.close(None).unwrap();
        drop(page);
        std::thread::sleep(Duration::from_millis(300));
        let mut page = Page::open(server);
        page.say(json!({ "play": false }));
        page.say(look(1, json!({ "mu": 0, "level": 2, "tiles": ["0"] })));
        let (head, _) = page.frame(|head| head["playing"] == false);
        std::thread::sleep(Duration::from_millis(200));
        assert!(head["time"].as_u64().unwrap() < 1000);
    });
    assert!(time > 2);
}
