//! The page in Chromium, which is on the path or where `cargo xtask test` unpacks it; by night (`--include-ignored`, `SQUEEZE_ALL_CASES`) all of it.

#![allow(clippy::disallowed_methods, reason = "the browser says its port in a file")]

use serde_json::{Value, json};
use squeeze_compiler::ir::{Fractal, StateId};
use squeeze_drawing::{Format, Image};
use squeeze_engine::simulation::Window;
use squeeze_engine::{Backend, Simulation};
use squeeze_records::picture::{self, Background, Extent, Style, View, Zoom};
use squeeze_records::resolve;
use squeeze_records::run::Drawing;
use squeeze_testing::all_cases;
use squeeze_view::{
    CarriedView, PAGE, PAGE_FILE, RunCommand, STYLE_FILE, Server, Subject, copy_states, watch, widget_module,
};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// The folder in which `cargo xtask test` puts what tests need.
fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target")
}

/// Whether what tests need must be there.
fn is_required() -> bool {
    std::env::var("CI").is_ok_and(|ci| ci == "true")
}

/// The command of Chromium; `None` where there is none.
fn chromium() -> Option<Command> {
    let folder = target().join("chromium");
    if folder.join("complete").exists() {
        let libraries = ["", "/pulseaudio"]
            .map(|below| format!("{}/usr/lib/{}-linux-gnu{below}", folder.display(), std::env::consts::ARCH));
        let mut command = Command::new(folder.join("usr/lib/chromium/chromium"));
        command.env("LD_LIBRARY_PATH", libraries.join(":"));
        return Some(command);
    }
    if Command::new("chromium").arg("--version").output().is_ok_and(|done| done.status.success()) {
        return Some(Command::new("chromium"));
    }
    assert!(!is_required(), "no Chromium, on the path or in target/chromium; `cargo xtask test` fetches it");
    eprintln!(
        "note: no Chromium, on the path or in target/chromium, so this test is skipped; `cargo xtask test` fetches it"
    );
    None
}

/// A browser without a screen, steered by the protocol of its developer tools.
struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    calls: u64,
    session: Value,
    errors: Vec<String>,
    /// How long something is waited for.
    patience: Duration,
    _folder: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Browser {
    /// `None` where there is no Chromium.
    fn start() -> Option<Browser> {
        let (mut command, folder) = (chromium()?, tempfile::tempdir().unwrap());
        command.args([
            "--headless=new",
            "--no-sandbox",
            "--no-first-run",
            "--disable-gpu-sandbox",
            "--remote-debugging-port=0",
        ]);
        command.args([
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--ignore-gpu-blocklist",
            "about:blank",
        ]);
        command.arg(format!("--user-data-dir={}", folder.path().display()));
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("chromium starts");
        let until = Instant::now() + Duration::from_secs(60);
        let said = loop {
            match std::fs::read_to_string(folder.path().join("DevToolsActivePort")) {
                Ok(text) if text.lines().count() == 2 => break text,
                _ => assert!(Instant::now() < until, "chromium does not answer"),
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let (port, path) = said.split_once('\n').unwrap();
        let stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let request = format!("ws://127.0.0.1:{port}{}", path.trim()).into_client_request().unwrap();
        let (socket, _) = tungstenite::client(request, stream).unwrap_or_else(|error| panic!("{error}"));
        Some(Browser {
            child,
            socket,
            calls: 0,
            session: Value::Null,
            errors: Vec::new(),
            patience: Duration::from_secs(60),
            _folder: folder,
        })
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": params.clone() });
        if self.session.is_string() {
            message["sessionId"] = self.session.clone();
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let answer: Value = serde_json::from_str(text.as_str()).unwrap();
            if answer["method"] == "Runtime.exceptionThrown" || answer["params"]["entry"]["level"] == "error" {
                self.errors.push(answer["params"].to_string());
            }
            if answer["id"] == self.calls {
                // A page that is loaded anew meanwhile is asked again.
                if answer["error"]["message"] == "Inspected target navigated or closed" {
                    return self.call(method, params);
                }
                assert_eq!(answer.get("error"), None, "{method}");
                return answer["result"].clone();
            }
        }
    }

    fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", params);
        assert_eq!(result.get("exceptionDetails"), None, "{expression}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    fn wait(&mut self, expression: &str) {
        let until = Instant::now() + self.patience;
        while self.evaluate(expression) != json!(true) {
            if Instant::now() > until {
                self.shot("failed");
                panic!("{expression}: {:?}", self.errors);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens a tab without a page, on a dark or a light system.
    fn tab(&mut self, theme: &str, [width, height]: [u32; 2]) {
        self.session = Value::Null;
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = self.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        self.session = attached["sessionId"].clone();
        self.call("Runtime.enable", json!({}));
        self.call("Log.enable", json!({}));
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        self.call("Emulation.setEmulatedMedia", media);
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Opens a page in a tab of its own, on a dark or a light system.
    fn open(&mut self, url: &str, theme: &str, size: [u32; 2]) {
        self.tab(theme, size);
        self.call("Page.navigate", json!({ "url": url }));
        self.wait("window.view !== undefined && view.state().shown !== null");
    }

    /// Checks that pages complained of nothing but of the end of their server.
    fn assert_no_errors(&self) {
        let errors: Vec<&String> = self
            .errors
            .iter()
            .filter(|error| !error.contains("WebSocket connection") && !error.contains("net::ERR_"))
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }

    /// Writes a picture of the page, to be looked at, into the folder `SQUEEZE_SHOTS`.
    fn shot(&mut self, name: &str) {
        let Ok(folder) = std::env::var("SQUEEZE_SHOTS") else { return };
        let data = self.call("Page.captureScreenshot", json!({ "format": "png" }))["data"].take();
        let script = format!("Array.from(atob({data}), (letter) => letter.charCodeAt(0))");
        let bytes: Vec<u8> = serde_json::from_value(self.evaluate(&script)).unwrap();
        std::fs::write(format!("{folder}/{name}.png"), bytes).unwrap();
    }

    /// Checks that axe-core finds nothing seriously wrong with the page.
    fn assert_accessible(&mut self) {
        let Ok(axe) = std::fs::read_to_string(target().join("axe/axe_playwright_python/axe.min.js")) else {
            return assert!(!is_required(), "no axe-core in target/axe; `cargo xtask test` fetches it");
        };
        self.evaluate(&format!("{axe}; 0"));
        let found = self.evaluate(
            "axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join()))",
        );
        assert_eq!(found, json!([]));
    }

    /// Presses on a place of the canvas, in places of the grid, moves to others, and lets go.
    fn drag(&mut self, places: &[[u64; 2]]) {
        let last = places.len() - 1;
        for (i, [x, y]) in places.iter().enumerate() {
            let at = self.evaluate(&format!("view.point({x}, {y})"));
            let kinds: &[&str] = match i {
                0 => &["mousePressed"],
                _ => &["mouseMoved"],
            };
            let kinds = kinds.iter().chain(if i == last { &["mouseReleased"][..] } else { &[] });
            for kind in kinds {
                let event =
                    json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "buttons": 1, "clickCount": 1 });
                self.call("Input.dispatchMouseEvent", event);
            }
        }
    }

    fn set(&mut self, id: &str, value: &str) {
        let value = json!(value);
        self.evaluate(&format!(
            "(() => {{ const one = document.getElementById('{id}'); one.value = {value}; one.onchange?.(); one.oninput?.(); }})()"
        ));
    }

    fn text(&mut self, id: &str) -> String {
        let text = self
            .evaluate(&format!("document.getElementById('{id}').value ?? document.getElementById('{id}').textContent"));
        text.as_str().unwrap_or_default().to_owned()
    }

    fn click(&mut self, id: &str) {
        self.evaluate(&format!("document.getElementById('{id}').click()"));
    }

    /// The colours of the canvas, red, green and blue of each pixel from above, once it shows what was asked for.
    fn pixels(&mut self, [width, height]: [usize; 2]) -> Vec<u8> {
        self.wait("!view.state().busy");
        let hex = self.evaluate(&format!(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {{
                const gl = document.getElementById('grid').getContext('webgl2'), all = new Uint8Array({width} * {height} * 4);
                gl.readPixels(0, gl.drawingBufferHeight - {height}, {width}, {height}, gl.RGBA, gl.UNSIGNED_BYTE, all);
                let text = '';
                for (let y = {height} - 1; y >= 0; y--) for (let x = 0; x < {width}; x++) for (let i = 0; i < 3; i++)
                    text += all[4 * ({width} * y + x) + i].toString(16).padStart(2, '0');
                done(text);
            }})))"
        ));
        let hex = hex.as_str().unwrap().as_bytes().as_chunks::<2>().0;
        hex.iter().map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap()).collect()
    }
}

fn simulation(fractal: Arc<Fractal>, rule: &str, level: u32) -> Simulation {
    let builder = Simulation::builder(fractal, resolve::rule(rule).unwrap()).level(level).seed(1);
    builder.backend(Backend::Cpu).threads(1).build().unwrap()
}

/// Does some work with a page that views a simulation; gives the simulation afterwards.
fn viewed(mut simulation: Simulation, drawing: &Drawing, work: impl FnOnce(&str)) -> Simulation {
    let server = Server::start(None, &[]).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (server, over) = (&server, &over);
        let run = scope.spawn(move || {
            let restart = |simulation: &mut Simulation, seed: u64| Ok(simulation.restart(seed, &[""; 0])?);
            let rewrite = |simulation: &mut Simulation, text: &str| {
                let fractal = Arc::clone(simulation.domain().fractal());
                let (rule, _) = resolve::rule_of_text(PAGE, text, None)?;
                let builder = Simulation::builder(fractal, rule).level(simulation.domain().level()).seed(1);
                let mut new = builder.backend(Backend::Cpu).threads(1).build()?;
                copy_states(simulation, &mut new)?;
                new.set_time(simulation.time());
                *simulation = new;
                Ok(Vec::new())
            };
            let text = resolve::shipped_text(&simulation.rule().name).map(|(_, text)| text);
            let subject = Subject {
                drawing,
                about_params: &[],
                command: &RunCommand { words: vec!["squeeze".to_owned(), "run".to_owned()], seed_of_cells: None },
                members: None,
                text,
                rewrite: &rewrite,
                restart: &restart,
            };
            watch(&mut simulation, server, &subject, &|| over.load(Ordering::Relaxed)).unwrap();
            simulation
        });
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&server.url())));
        over.store(true, Ordering::Relaxed);
        let simulation = run.join().unwrap();
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        simulation
    })
}

/// The picture that `squeeze export` draws of a window.
fn exported(simulation: &Simulation, background: Background, window: [u64; 4], zoom: Zoom) -> Image {
    let mut style = Style::default();
    style.background = background;
    match simulation.rule().name.as_str() {
        "gray_scott" => style.extent = Extent::Fixed(0.2, 0.9),
        "spins" => style.extent = Extent::Fixed(0.0, 1.0),
        _ => {}
    }
    let [x, y, width, height] = window;
    let view = View { window: Window { origin: [x, y, 0], size: [width, height, 1] }, zoom };
    let drawn = picture::of_simulation(simulation, StateId(0), Some(&view), &style).unwrap();
    Image::from_png(&drawn.sheet.bytes(Format::Png), 1 << 26).unwrap()
}

const SIDE: usize = 512;
/// A rule whose picture shows vectors.
const SPINS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spins.rule");

/// Shows the window whose corner is this place, at so many places a pixel.
fn show(browser: &mut Browser, [x, y]: [u64; 2], places: f64) {
    let half = (SIDE as f64 / 2.0 * places) as u64;
    browser.evaluate(&format!("view.place('{}', '{}', {places})", x + half, y + half));
}

#[test]
fn colours_are_those_of_exported_pictures() {
    let Some(mut browser) = Browser::start() else { return };
    let named = |name: &str| resolve::fractal(name).unwrap();
    let cluster = "domain cluster { size (230, 201) cells random(0.7) }";
    let cluster = resolve::fractal_of_text("cluster", cluster, None, &resolve::Edges::default()).unwrap().0;
    // A plain fractal, a mixed one and a mask by day, and more by night.
    let mut subjects = vec![
        ("sierpinski_carpet", named("sierpinski_carpet"), "gray_scott", 5, 9),
        ("lace", named("lace"), "gray_scott", 5, 9),
        ("cluster", Arc::clone(&cluster), "gray_scott", 1, 4),
    ];
    if all_cases() {
        subjects.extend([
            ("lace", named("lace"), "wireworld", 5, 3),
            ("sierpinski_triangle", named("sierpinski_triangle"), "life", 7, 2),
            ("cluster", cluster, "brians_brain", 1, 2),
            ("bridge", named("bridge"), "gray_scott", 6, 2),
            ("cantor_set", named("cantor_set"), "gray_scott", 7, 9),
            ("torus", resolve::domain("T200,150", &resolve::Edges::default()).unwrap(), "life", 1, 2),
            ("lace", named("lace"), SPINS, 5, 9),
            ("torus", resolve::domain("T200,150", &resolve::Edges::default()).unwrap(), SPINS, 1, 2),
        ]);
    }
    for ((name, fractal, rule, level, reduce), theme) in
        subjects.into_iter().zip([Background::Dark, Background::Light].into_iter().cycle())
    {
        let mut simulation = simulation(fractal, rule, level);
        simulation.step(40).unwrap();
        let [width, height, _] = simulation.domain().extent();
        // The low zooms are compared below, when the simulation is here again.
        let mut seen = Vec::new();
        let mut drawing = Drawing::default();
        if rule == "gray_scott" {
            drawing.extent = Some(Extent::Fixed(0.2, 0.9));
        }
        let simulation = viewed(simulation, &drawing, |url| {
            browser.open(url, theme.name(), [900, 700]);
            browser.click("play");
            browser.wait("!view.state().playing");
            browser.evaluate(&format!(
                "Object.assign(document.getElementById('grid').style, {{ width: '{SIDE}px', height: '{SIDE}px' }})"
            ));
            browser.wait(&format!("document.getElementById('grid').width === {SIDE}"));
            for (corner, places) in [([0, 0], reduce as f64), ([0, 0], 1.0), ([40, 60], 0.25), ([100, 3], 0.0625)] {
                show(&mut browser, corner, places);
                seen.push((corner, places, browser.pixels([SIDE, SIDE])));
            }
        });
        let mut cells = 0;
        for (corner, places, pixels) in seen {
            let part = |from: u64, side: u64| (side - from).min((SIDE as f64 * places) as u64);
            let window = [corner[0], corner[1], part(corner[0], width), part(corner[1], height)];
            let zoom = if places > 1.0 { Zoom::Reduce(places as u32) } else { Zoom::Enlarge((1.0 / places) as u32) };
            let image = exported(&simulation, theme, window, zoom);
            let shown = [window[2], window[3]].map(|side| (side as f64 / places).ceil() as usize);
            for (x, y) in (0..shown[1]).flat_map(|y| (0..shown[0]).map(move |x| (x, y))) {
                let here = &pixels[3 * (SIDE * y + x)..][..3];
                let wanted = image.get(x as u32, y as u32);
                assert_eq!(here, wanted, "{rule} on {name}, {places} places a pixel, pixel {x}, {y}");
                cells += usize::from(wanted != image.get(image.width - 1, image.height - 1));
            }
        }
        assert!(cells > 50, "{rule} on {name}: {cells}");
        browser.assert_no_errors();
    }
}

#[test]
fn a_page_plays_steps_and_sets_parameters() {
    let Some(mut browser) = Browser::start() else { return };
    let begun = simulation(resolve::fractal("sierpinski_carpet").unwrap(), "gray_scott", 4);
    let ended = viewed(begun, &Drawing::default(), |url| {
        browser.open(url, "light", [1200, 800]);
        // The token is not in the address any more.
        let token = url.split_once('#').unwrap().1;
        browser.wait(&format!(
            "document.cookie === '' && !location.href.includes('{token}') && location.hash.includes('&scale=')"
        ));
        browser.wait("view.state().time > 3");
        browser.click("play");
        browser.wait("!view.state().playing");
        browser.evaluate("document.getElementById('seed').value = '7'");
        browser.click("reset");
        browser.wait("view.state().time === 0");
        for steps in 1..=3 {
            browser.click("step");
            browser.wait(&format!("view.state().time === {steps}"));
        }
        // One back, and the same one again.
        browser.click("back");
        browser.wait("view.state().time === 2");
        browser.click("step");
        browser.wait("view.state().time === 3");
        browser
            .evaluate("const feed = document.querySelector('[aria-label=feed]'); feed.value = '0.05'; feed.onchange()");
        // Once the run has it, the page is told.
        std::thread::sleep(Duration::from_millis(500));
        browser.click("step");
        browser.wait("view.state().time === 4");
        // A reload keeps the token for the tab.
        browser.call("Page.reload", json!({}));
        browser.wait("window.view !== undefined && view.state().shown !== null && view.state().time === 4");
        assert_eq!(browser.evaluate("document.querySelector('[aria-label=feed]').value"), json!("0.05"));
        browser.evaluate("document.getElementById('grid').focus()");
        browser.evaluate("document.getElementById('grid').dispatchEvent(new KeyboardEvent('keydown', { key: 's' }))");
        browser.wait("view.state().time === 5");
        // A stroke of the pencil from one place to another, which is taken back, and once more.
        browser.evaluate("view.place('40', '40', 0.25)");
        browser.evaluate("document.getElementById('tool').value = 'pencil'");
        browser.evaluate("Object.assign(document.getElementById('number'), { value: '0.75' })");
        let cell = |[x, y]: [u64; 2]| {
            format!(
                "(() => {{ const box = document.getElementById('grid').getBoundingClientRect(); return [box.left + box.width / 2 + ({x} - 40 + 0.5) * 4, box.top + box.height / 2 + ({y} - 40 + 0.5) * 4]; }})()"
            )
        };
        for again in [false, true] {
            for (kind, place) in [
                ("mousePressed", [30, 33]),
                ("mouseMoved", [34, 33]),
                ("mouseMoved", [34, 37]),
                ("mouseReleased", [34, 37]),
            ] {
                let at = browser.evaluate(&cell(place));
                let event =
                    json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "buttons": 1, "clickCount": 1 });
                browser.call("Input.dispatchMouseEvent", event);
            }
            std::thread::sleep(Duration::from_millis(300));
            if !again {
                browser.click("undo");
            }
        }
        browser.click("step");
        browser.wait("view.state().time === 6");
    });
    browser.wait("document.body.classList.contains('away')");
    let mut own = simulation(resolve::fractal("sierpinski_carpet").unwrap(), "gray_scott", 4);
    own.restart(7, &[""; 0]).unwrap();
    own.step(3).unwrap();
    own.set_param("feed", "0.05").unwrap();
    own.step(2).unwrap();
    for place in (30..=34).map(|x| [x, 33, 0]).chain((34..=37).map(|y| [34, y, 0])) {
        if let Some(cell) = own.domain().nu(place) {
            own.set_field("u", cell, &[0.75f32]).unwrap();
        }
    }
    own.step(1).unwrap();
    assert_eq!(ended.digests().unwrap(), own.digests().unwrap());
    browser.assert_no_errors();
}

#[test]
fn a_page_draws_edits_and_keeps_what_is_seen() {
    let Some(mut browser) = Browser::start() else { return };
    let begun = simulation(resolve::domain("T64,48", &resolve::Edges::default()).unwrap(), "conway", 1);
    let ended = viewed(begun, &Drawing::default(), |url| {
        browser.open(url, "light", [1280, 900]);
        browser.click("play");
        browser.wait("!view.state().playing");
        browser.click("reset");
        browser.wait("view.state().time === 0");
        browser.evaluate("view.place('32', '24', 0.125)");
        browser.wait("!view.state().busy");
        // Everything is blank, then a line, a box with a hole that is filled again, and a glider.
        browser.set("value", "0");
        browser.set("tool", "rectangle");
        browser.drag(&[[0, 0], [30, 20], [63, 47]]);
        browser.set("value", "1");
        browser.set("tool", "line");
        browser.drag(&[[40, 5], [41, 6], [52, 5]]);
        browser.set("tool", "rectangle");
        browser.drag(&[[10, 30], [15, 35]]);
        browser.set("value", "0");
        browser.drag(&[[14, 34], [11, 31]]);
        browser.set("value", "1");
        browser.set("tool", "fill");
        browser.drag(&[[12, 33]]);
        browser.set("stamp", "x = 3, y = 3\nbob$2bo$3o!");
        browser.set("tool", "stamp");
        browser.drag(&[[30, 20]]);
        std::thread::sleep(Duration::from_millis(400));
        browser.shot("drawn");
        assert_eq!(browser.evaluate("document.getElementById('error').hidden"), json!(true));
        browser.set("tool", "move");
        // What is seen has a command, files and an address.
        browser.click("words");
        browser.wait("document.getElementById('command').value.includes('# at step 0, cells were drawn: 6 strokes')");
        assert!(
            browser
                .text("command")
                .contains("--seed 1 --steps 0 --image view.png --field alive --window 0,0,64,48 --zoom 8")
        );
        for form in ["png", "rle"] {
            browser.click(form);
            browser.wait(&format!("view.saved() === 'conway-0.{form}'"));
        }
        browser.set("colours", "magma");
        browser.evaluate("view.place('10', '20', 0.125)");
        browser.wait("!view.state().busy && location.hash.includes('scale=0.125&colours=magma')");
        browser.call("Page.reload", json!({}));
        browser.wait("window.view !== undefined && view.state().shown !== null && !view.state().busy");
        let shown =
            browser.evaluate("[view.view().origin, view.view().enlarge, document.getElementById('colours').value]");
        assert_eq!(shown[1], json!(8));
        assert_eq!(shown[2], json!("magma"));
        browser.assert_accessible();
        // A wrong text is underlined, and the run goes on as before; a right one runs.
        browser.evaluate("document.getElementById('edit').open = true");
        let text = browser.text("source");
        browser.set("source", &text.replace("count(", "counts("));
        browser.wait("document.querySelector('#marks u') !== null");
        assert_eq!(browser.evaluate("document.querySelector('#marks u').textContent"), json!("counts"));
        assert!(browser.text("faults").contains("counts"));
        browser.evaluate("document.getElementById('edit').scrollIntoView()");
        browser.shot("edited");
        browser.assert_accessible();
        browser.set("source", &format!("{text}\n"));
        browser.wait("document.getElementById('faults').children.length === 0 && view.state().shown !== null && !view.state().busy");
        std::thread::sleep(Duration::from_millis(1000));
        for step in 1..=4 {
            browser.click("step");
            browser.wait(&format!("view.state().time === {step}"));
        }
    });
    browser.assert_no_errors();
    let mut own = simulation(resolve::domain("T64,48", &resolve::Edges::default()).unwrap(), "conway", 1);
    own.set_field("alive", 0, &vec![false; 64 * 48]).unwrap();
    let mut live: Vec<[u64; 2]> = (40..=52).map(|x| [x, 5]).collect();
    live.extend((10..=15).flat_map(|x| (30..=35).map(move |y| [x, y])));
    live.extend([[31, 20], [32, 21], [30, 22], [31, 22], [32, 22]]);
    for [x, y] in live {
        own.set_field("alive", own.domain().nu([x, y, 0]).unwrap(), &[true]).unwrap();
    }
    own.step(4).unwrap();
    assert_eq!(ended.digests().unwrap(), own.digests().unwrap());
}

#[test]
#[ignore = "it takes some seconds"]
fn pages_are_accessible_and_fit_phones() {
    let Some(mut browser) = Browser::start() else { return };
    for (rule, theme, size) in
        [("gray_scott", "dark", [1280, 800]), ("brians_brain", "light", [390, 800]), ("heat", "dark", [390, 800])]
    {
        let fractal = if rule == "heat" { "menger_sponge" } else { "sierpinski_carpet" };
        let begun = simulation(resolve::fractal(fractal).unwrap(), rule, 3);
        viewed(begun, &Drawing::default(), |url| {
            browser.open(url, theme, size);
            browser.wait("view.state().time > 60");
            browser.shot(&format!("{rule}-{theme}"));
            browser.assert_accessible();
            let wide = browser.evaluate("document.documentElement.scrollWidth > innerWidth");
            assert_eq!(wide, json!(false), "{rule}: nothing reaches beyond a narrow screen");
        });
    }
}

/// A way between a page and a server that can be cut, as `ssh -L` is one: with a port of its own.
struct Relay {
    port: u16,
    /// The port of the server; 0 if there is none.
    target: Arc<AtomicU16>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Relay {
    fn start() -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (target, open) = (Arc::new(AtomicU16::new(0)), Arc::new(Mutex::new(Vec::new())));
        let relay = Relay { port, target: Arc::clone(&target), open: Arc::clone(&open) };
        std::thread::spawn(move || {
            for here in listener.incoming().map_while(Result::ok) {
                let Ok(there) = TcpStream::connect(("127.0.0.1", target.load(Ordering::Relaxed))) else { continue };
                for (mut from, mut to) in
                    [(&here, &there), (&there, &here)].map(|(a, b)| (a.try_clone().unwrap(), b.try_clone().unwrap()))
                {
                    std::thread::spawn(move || {
                        _ = std::io::copy(&mut from, &mut to);
                        _ = to.shutdown(Shutdown::Write);
                    });
                }
                open.lock().unwrap().extend([here, there]);
            }
        });
        relay
    }

    /// The address of a page behind this way.
    fn lead(&self, url: &str) -> String {
        let (address, token) = url.split_once('#').unwrap();
        let port = address.trim_end_matches('/').rsplit(':').next().unwrap();
        self.target.store(port.parse().unwrap(), Ordering::Relaxed);
        format!("http://127.0.0.1:{}/#{token}", self.port)
    }

    fn cut(&self) {
        self.target.store(0, Ordering::Relaxed);
        self.open.lock().unwrap().drain(..).for_each(|stream| _ = stream.shutdown(Shutdown::Both));
    }
}

#[test]
fn a_page_without_a_connection_is_grey_until_there_is_one() {
    let (Some(mut browser), relay) = (Browser::start(), Relay::start()) else { return };
    let begun = || simulation(resolve::fractal("sierpinski_carpet").unwrap(), "gray_scott", 3);
    let is_away = "document.body.classList.contains('away') && getComputedStyle(document.getElementById('grid')).filter === 'grayscale(1)'";
    viewed(begun(), &Drawing::default(), |url| {
        browser.open(&relay.lead(url), "light", [900, 700]);
        browser.wait("view.state().time > 3");
        relay.cut();
        browser.wait(is_away);
        assert!(browser.text("state").contains("no connection; trying again"));
        browser.shot("away");
        let before = browser.evaluate("view.state().time");
        browser.click("play");
        assert!(browser.text("error").contains("this was not done"));
        relay.lead(url);
        browser.wait(&format!("!document.body.classList.contains('away') && view.state().time > {before}"));
        // The run stood still meanwhile, and its parameters are shown as they are.
        browser.click("play");
        browser.wait("!view.state().playing");
    });
    relay.cut();
    browser.wait(is_away);
    // Another run at the same port has a token of its own.
    viewed(begun(), &Drawing::default(), |url| {
        let url = relay.lead(url);
        browser.wait("document.getElementById('state').textContent.startsWith('refused: ')");
        browser.evaluate(&format!("location.href = '{url}'; 0"));
        browser.wait("window.view !== undefined && view.state().shown !== null && view.state().time > 3");
    });
    browser.assert_no_errors();
}

/// Carries messages between a widget with a fake model and a view until this holds in the browser.
fn carried(browser: &mut Browser, view: &mut CarriedView, simulation: &mut Simulation, lossy: bool, expression: &str) {
    let subject = Subject {
        drawing: &Drawing::default(),
        about_params: &[],
        command: &RunCommand::default(),
        members: None,
        text: None,
        rewrite: &|_, _| unreachable!("there is no text"),
        restart: &|simulation, seed| Ok(simulation.restart(seed, &[""; 0])?),
    };
    let until = Instant::now() + Duration::from_secs(60);
    while browser.evaluate(expression) != json!(true) {
        assert!(Instant::now() < until, "{expression}: {:?}", browser.errors);
        let said = browser.evaluate("out.splice(0)");
        for message in said.as_array().unwrap() {
            for answer in view.hear(simulation, &subject, &message.to_string(), false, &|| false).unwrap() {
                let bytes = json!(answer.bytes);
                let content: Value = serde_json::from_str(&answer.content).unwrap();
                let script = match (bytes.is_null(), lossy, content["base64"] == true) {
                    (true, ..) => format!("emit({}, null)", answer.content),
                    (_, false, false) => format!("emit({}, {bytes})", answer.content),
                    (_, true, false) => format!("emit({}, null)", answer.content),
                    (.., true) => format!(
                        "emit({{ ...{}, base64: btoa(String.fromCharCode(...{bytes})) }}, null)",
                        answer.content
                    ),
                };
                browser.evaluate(&format!("{script}; 0"));
            }
        }
    }
}

#[test]
#[ignore = "it takes some seconds"]
fn a_widget_is_the_page_with_other_ways_for_messages() {
    let Some(mut browser) = Browser::start() else { return };
    let body = PAGE_FILE.split_once("<body>").unwrap().1.split_once("</body>").unwrap().0;
    for lossy in [false, true] {
        let mut own = simulation(resolve::fractal("sierpinski_carpet").unwrap(), "gray_scott", 4);
        let subject = Subject {
            drawing: &Drawing::default(),
            about_params: &[],
            command: &RunCommand::default(),
            members: None,
            text: None,
            rewrite: &|_, _| unreachable!("there is no text"),
            restart: &|_, _| unreachable!("it does not begin anew"),
        };
        let mut view = CarriedView::of(&mut own, &subject, false).unwrap();
        browser.tab("light", [1000, 760]);
        let values = json!({ "_page": body, "_style": STYLE_FILE, "_height": 700 });
        browser.evaluate(&format!(
            "(async () => {{
                const module = await import(URL.createObjectURL(new Blob([{}], {{ type: 'text/javascript' }})));
                const values = {values}, heard = [];
                window.out = [];
                window.emit = (content, bytes) => heard.forEach((hear) => hear(content, bytes ? [new DataView(Uint8Array.from(bytes).buffer)] : []));
                const model = {{ get: (name) => values[name], send: (content) => out.push(content), on: (_, hear) => heard.push(hear), off() {{}} }};
                document.body.innerHTML = '<p>cell</p><div id=cell></div>';
                window.leave = module.default.render({{ model, el: document.getElementById('cell') }});
                window.root = document.getElementById('cell').firstChild.shadowRoot;
                window.shown = () => document.getElementById('cell').firstChild.view.state();
            }})()",
            json!(widget_module())
        ));
        let mut carry = |browser: &mut Browser, own: &mut Simulation, expression: &str| {
            carried(browser, &mut view, own, lossy, expression);
        };
        carry(&mut browser, &mut own, "shown().shown !== null && !shown().busy");
        assert_eq!(browser.evaluate("shown().time"), json!(0));
        for steps in 1..=3 {
            browser.evaluate("root.getElementById('step').click()");
            carry(
                &mut browser,
                &mut own,
                &format!("shown().time === {steps} && root.getElementById('time').textContent === 'step {steps}'"),
            );
        }
        let mut same = simulation(resolve::fractal("sierpinski_carpet").unwrap(), "gray_scott", 4);
        same.step(3).unwrap();
        assert_eq!(own.digests().unwrap(), same.digests().unwrap());
        browser.evaluate("root.getElementById('play').click()");
        carry(&mut browser, &mut own, "shown().time > 30");
        browser.shot(if lossy { "widget-base64" } else { "widget" });
        // All of it lies in the cell, and keys are its own.
        let scroll = browser
            .evaluate("[document.documentElement.scrollWidth <= innerWidth, root.getElementById('words').hidden]");
        assert_eq!(scroll, json!([true, true]));
        browser.evaluate("document.addEventListener('keydown', () => { window.stray = true; }); root.getElementById('grid').dispatchEvent(new KeyboardEvent('keydown', { key: 's', bubbles: true, composed: true }))");
        carry(&mut browser, &mut own, "!shown().playing");
        assert_eq!(browser.evaluate("window.stray === undefined"), json!(true));
        browser.evaluate("leave(); 0");
        assert_eq!(browser.evaluate("out.at(-1).close"), json!(true));
    }
    browser.assert_no_errors();
}

/// A program that ends with the test.
struct NotebookServer(Child);

impl Drop for NotebookServer {
    fn drop(&mut self) {
        // A server that is told to end takes its kernels along.
        _ = Command::new("kill").arg(self.0.id().to_string()).status();
        std::thread::sleep(Duration::from_secs(1));
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

const NOTEBOOK: &str = r#"import squeeze as sq
sim = sq.Simulation("sierpinski_carpet", "gray_scott", level=4, seed=1, backend="cpu", threads=1)
sim.view(height=560)"#;

/// Starts a program of the Python environment that `SQUEEZE_NOTEBOOKS` names, whose last argument is a free port.
fn notebooks(folder: &Path, program: &str, arguments: &[&str]) -> (NotebookServer, u16) {
    let environment =
        std::env::var("SQUEEZE_NOTEBOOKS").expect("SQUEEZE_NOTEBOOKS names the programs of an environment");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new(Path::new(&environment).join(program));
    command.args(arguments).arg(port.to_string()).current_dir(folder).env("HOME", folder);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    (NotebookServer(child), port)
}

#[test]
#[ignore = "it takes JupyterLab and marimo"]
fn jupyterlab_and_marimo_show_the_widget() {
    let find = "window.find = (node) => {
        for (const one of node.querySelectorAll('*')) {
            if (one.view && one.shadowRoot?.getElementById('grid')) return one;
            const found = one.shadowRoot && find(one.shadowRoot);
            if (found) return found;
        }
        return null;
    }; 0";
    let folder = tempfile::tempdir().unwrap();
    let cell = json!({ "cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": null, "source": NOTEBOOK });
    let kernel = json!({ "kernelspec": { "name": "python3", "display_name": "Python 3", "language": "python" } });
    let notebook = json!({ "cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5 });
    std::fs::write(folder.path().join("view.ipynb"), notebook.to_string()).unwrap();
    let app = format!(
        "import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n    {}\n    return\n",
        NOTEBOOK.replace('\n', "\n    ")
    );
    std::fs::write(folder.path().join("view.py"), app).unwrap();
    let Some(mut browser) = Browser::start() else { return };
    browser.patience = Duration::from_secs(120);
    for marimo in [false, true] {
        let (program, arguments) = match marimo {
            false => {
                ("jupyter-lab", ["--no-browser", "--allow-root", "--IdentityProvider.token=known", "--ServerApp.port"])
            }
            true => ("marimo", ["run", "view.py", "--headless", "--port"]),
        };
        let (_server, port) = notebooks(folder.path(), program, &arguments);
        let path = if marimo { "" } else { "lab/tree/view.ipynb?token=known" };
        let until = Instant::now() + browser.patience;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "{program} does not answer");
            std::thread::sleep(Duration::from_millis(200));
        }
        browser.tab("light", [1300, 1000]);
        browser.call("Page.navigate", json!({ "url": format!("http://127.0.0.1:{port}/{path}") }));
        if !marimo {
            browser.wait("document.querySelector('.jp-CodeCell .cm-content') !== null && document.body.innerText.includes('| Idle')");
            browser.evaluate("document.querySelector('.jp-CodeCell .cm-content').focus()");
            let enter = |kind: &str| json!({ "type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 2 });
            browser.call("Input.dispatchKeyEvent", enter("keyDown"));
            browser.call("Input.dispatchKeyEvent", enter("keyUp"));
        }
        browser.evaluate(find);
        browser.wait("(window.host = find(document)) !== null && host.view.state().shown !== null");
        for steps in 1..=3 {
            browser.evaluate("host.shadowRoot.getElementById('step').click()");
            browser.wait(&format!("host.view.state().time === {steps}"));
        }
        browser.evaluate("host.shadowRoot.getElementById('play').click()");
        browser.wait("host.view.state().time > 20");
        browser.shot(program);
        // A key on the picture is no key of the notebook, which would make a cell of it.
        browser.evaluate("host.shadowRoot.getElementById('grid').focus()");
        for kind in ["keyDown", "keyUp"] {
            browser.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": "b", "code": "KeyB", "text": "b", "windowsVirtualKeyCode": 66 }),
            );
        }
        browser.wait("!host.view.state().playing");
        assert_eq!(browser.evaluate("document.querySelectorAll('.jp-Cell').length <= 1"), json!(true));
    }
}
