//! Views whose messages another program carries, such as a notebook's: nothing goes on by itself, but all is done when a message comes.
//!
//! A message is an object with the name of its `page` and one entry more: `open`; `ready`, once the page knows whether bytes reach it; `text`, a message of
//! the page itself; or `close`. Answers have the `page` too, and `text`, or bytes beside them, which go as `base64` where that is said; or `trial`, with one byte beside it; or `later`, the
//! milliseconds after which the page may wish for a frame again.

use crate::message::PageMessage;
use crate::run::{Playback, Subject, ViewRun};
use crate::shared::{Delivery, Switchboard};
use serde_json::{Value as Json, json};
use squeeze_engine::Simulation;
use squeeze_engine::failure::{Message, Result};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The bytes a second that all answers have: Jupyter cuts the connection at 10^6.
const RATE: f64 = 800_000.0;
/// A frame counts as this many bytes at least, so that there are 20 a second at most.
const LEAST: usize = 40_000;
/// The most bytes of a file.
const LONGEST_FILE: usize = 2_000_000;
/// The longest time for a wish for a frame, to which the steps add that have begun.
const LONGEST: Duration = Duration::from_millis(100);
/// The most pages; beyond, the one that has been silent longest goes.
const MOST_PAGES: usize = 8;
/// The most letters of a message, and of the name of a page.
const LONGEST_MESSAGE: usize = 1 << 18;
const LONGEST_NAME: usize = 64;

/// A view of a simulation that this program owns.
pub struct CarriedView {
    play: Playback,
    shared: Arc<Switchboard>,
    /// The names of pages, their numbers, and whether bytes reach them as base64 alone; the latest to be heard of last.
    pages: Vec<(String, u64, bool)>,
}

/// The time at which the answers of all views have left this process, which has one connection.
static FREE: Mutex<Option<Instant>> = Mutex::new(None);

fn free() -> Instant {
    FREE.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(Instant::now)
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct CarriedAnswer {
    /// A text of JSON.
    pub content: String,
    /// Bytes beside it.
    pub bytes: Option<Vec<u8>>,
}

impl CarriedView {
    /// A view that begins now, and plays or not. Nothing of `subject` but the drawing, the comments and `restart` is used: there is no command and no text.
    ///
    /// # Errors
    /// If the drawing names a state that the rule does not have.
    pub fn of(simulation: &mut Simulation, subject: &Subject<'_>, playing: bool) -> Result<CarriedView> {
        let shared = Arc::new(Switchboard::default());
        let mut play = Playback::of(simulation, &shared, subject);
        play.playing = playing;
        ViewRun { simulation, subject, stop: &|| false, play: &mut play }.begin()?;
        Ok(CarriedView { play, shared, pages: Vec::new() })
    }

    /// How often pages have changed states or parameters.
    pub fn changes(&self) -> u64 {
        self.play.changes
    }

    /// Takes a message and does what it says, unless `stop` ends that; gives the answers. `changed` says whether something else has changed the simulation
    /// since the last one.
    ///
    /// # Errors
    /// If it is no such message, or the machine fails.
    pub fn hear(
        &mut self,
        simulation: &mut Simulation,
        subject: &Subject<'_>,
        message: &str,
        changed: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<CarriedAnswer>> {
        let wrong = || Message::users("this is no message of a view");
        let value: Json = Some(message)
            .filter(|text| text.len() <= LONGEST_MESSAGE)
            .and_then(|text| serde_json::from_str(text).ok())
            .ok_or_else(wrong)?;
        let name = value["page"].as_str().filter(|name| name.len() <= LONGEST_NAME).ok_or_else(wrong)?;
        let mut run = ViewRun { simulation, subject, stop, play: &mut self.play };
        if changed {
            run.changed_elsewhere()?;
        }
        if value["open"] == true {
            return Ok(vec![answer(json!({ "page": name, "trial": true }), Some(vec![0]))]);
        }
        let known = self.pages.iter().position(|(page, ..)| page == name).map(|at| self.pages.remove(at));
        if value["close"] == true {
            known.iter().for_each(|(_, number, _)| self.shared.leave(*number));
            return Ok(Vec::new());
        }
        let is_lossy = value["base64"] == true;
        let known = match known {
            Some((name, number, _)) => (name, number, is_lossy),
            // After a pause of the notebook a page may go on where it was.
            None => {
                if self.pages.len() >= MOST_PAGES {
                    self.shared.leave(self.pages.remove(0).1);
                }
                let number = self.shared.enter().ok_or_else(|| Message::users("there are too many pages"))?;
                (name.to_owned(), number, is_lossy)
            }
        };
        let number = known.1;
        self.pages.push(known);
        let mut later = None;
        if value["ready"] != true {
            match PageMessage::parse(value["text"].as_str().ok_or_else(wrong)?).map_err(Message::users)? {
                PageMessage::Token(_) => return Err(wrong().into()),
                PageMessage::Look(look) => self.shared.look(number, look),
                PageMessage::Command(command) => {
                    self.shared.command(number, command);
                    run.obey_all()?;
                }
                PageMessage::Next => {
                    self.shared.want(number);
                    later = run.go_on_until(free())?;
                }
            }
        }
        if later.is_none() && Instant::now() >= free() {
            run.serve()?;
            // Nothing else of the notebook goes on meanwhile.
            self.play.slice = self.play.slice.min(LONGEST / 2);
        }
        let mut answers = Vec::new();
        let mut sent_bytes = 0;
        for (name, number, is_lossy) in &self.pages {
            while let Some(sent) = self.shared.next(*number, Duration::ZERO) {
                let (content, bytes) = match sent {
                    Delivery::Text(text) => (json!({ "page": name, "text": &*text }), None),
                    Delivery::File(bytes) if bytes.len() > LONGEST_FILE => {
                        let text = json!({ "error": "this file is too large for a notebook: make a smaller picture, or keep it by `sq.run`" });
                        (json!({ "page": name, "text": text.to_string() }), None)
                    }
                    Delivery::File(bytes) | Delivery::Frame(bytes) if *is_lossy => {
                        (json!({ "page": name, "base64": true }), Some(bytes))
                    }
                    Delivery::File(bytes) | Delivery::Frame(bytes) => (json!({ "page": name }), Some(bytes)),
                };
                let answer = answer(content, bytes);
                let beside = answer.bytes.as_ref().map_or(0, |bytes| bytes.len().max(LEAST));
                sent_bytes += answer.content.len() + if *is_lossy { beside.div_ceil(3) * 4 } else { beside };
                answers.push(answer);
            }
        }
        let time = Duration::from_secs_f64(sent_bytes as f64 / RATE);
        *FREE.lock().unwrap_or_else(PoisonError::into_inner) = Some(free().max(Instant::now()) + time);
        if let Some(wait) = later {
            answers.push(answer(json!({ "page": name, "later": wait.as_millis() as u64 }), None));
        }
        Ok(answers)
    }
}

fn answer(content: Json, bytes: Option<Vec<u8>>) -> CarriedAnswer {
    CarriedAnswer { content: content.to_string(), bytes }
}

impl ViewRun<'_> {
    /// Computes steps, if it plays, until a frame may be sent; gives the time that is left until then.
    fn go_on_until(&mut self, free: Instant) -> Result<Option<Duration>> {
        let begun = Instant::now();
        loop {
            let computed = self.play.playing && self.compute()?;
            let now = Instant::now();
            let is_late = now >= begun + LONGEST || (self.stop)();
            if now >= free && (computed || !self.play.playing || is_late) {
                return Ok(None);
            }
            if is_late || !self.play.playing {
                return Ok(Some(free.saturating_duration_since(now)));
            }
            if !computed {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}
