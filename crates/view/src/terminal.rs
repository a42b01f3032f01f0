//! A run in a terminal: a picture where the terminal shows pictures, else each half of a letter is a pixel.
//!
//! The terminal is a page like any other, whose frames stay in this process: no server listens.

use crate::inline_pictures::{PictureProtocol, ShownPictures, WITHOUT_KITTY, ask, kitty, sixel};
use crate::message::{PageCommand, PageLook, PagePart};
use crate::run::{Subject, watch_by};
use crate::shared::{Delivery, Switchboard};
use serde_json::Value as Json;
use squeeze_engine::Simulation;
use squeeze_engine::failure::Result;
use squeeze_records::picture::colouring::HOLE;
use squeeze_records::picture::{Background, Colours};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A terminal.
pub trait TerminalScreen {
    /// Its columns and rows.
    fn size(&self) -> [u64; 2];

    /// The bytes of keys that were pressed; it waits for some of a moment. `None` if there will be no more.
    fn keys(&mut self) -> Option<Vec<u8>>;

    /// Writes to it; false if it is gone.
    fn write(&mut self, text: &str) -> bool;

    /// Whether it shows 24-bit colours.
    fn has_all_colours(&self) -> bool;
}

/// Runs a simulation that a terminal shows and steers, until a key or `stop` ends that.
///
/// # Errors
/// If the machine fails.
pub fn watch_in_terminal(
    simulation: &mut Simulation,
    screen: &mut (dyn TerminalScreen + Send),
    subject: &Subject<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<()> {
    let (shared, over) = (Arc::new(Switchboard::default()), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (shared, over) = (&shared, &over);
        let page = scope.spawn(move || {
            if let Some(mut page) = TerminalPage::enter(shared, screen) {
                while !stop() && !shared.is_closed() && page.turn() {}
                if matches!(page.pictures, Some((PictureProtocol::Kitty, _))) {
                    page.screen.write(WITHOUT_KITTY);
                }
                page.screen.write(AFTER);
            }
            over.store(true, Ordering::Relaxed);
        });
        let done = watch_by(simulation, shared, subject, &|| stop() || over.load(Ordering::Relaxed));
        shared.close();
        _ = page.join();
        done
    })
}

/// Another screen without a cursor, and the one before.
const BEFORE: &str = "\x1b[?1049h\x1b[?25l\x1b[2J";
const CLEAR: &str = "\x1b[H\x1b[2J";
const AFTER: &str = "\x1b[0m\x1b[?25h\x1b[?1049l";
/// The last line says this where it has room.
const KEYS: &str = "space plays, s steps, b back, arrows move, + - zoom, 0 all, n state, f speed, q ends";
/// Steps a frame, in turn; 0 for as many as can be.
const SPEEDS: [u32; 4] = [1, 10, 100, 0];
/// The most pixels of a picture in a terminal, which may be far away.
const MOST_PIXELS: u64 = 1 << 17;
/// The most pixels of a place, and the most places of a pixel, along a side, as powers of 2.
const CLOSEST: i32 = 5;
const FARTHEST: i32 = 31;

struct TerminalPage<'a> {
    shared: &'a Switchboard,
    screen: &'a mut (dyn TerminalScreen + Send),
    page: u64,
    hello: Json,
    /// The place in the middle, and the layer.
    place: [u64; 3],
    /// The places of a pixel along a side as a power of 2; of a place that has several pixels it is below 0.
    zoom: i32,
    state: u16,
    speed: usize,
    playing: bool,
    look: Option<PageLook>,
    palette: Vec<[u8; 3]>,
    ground: [u8; 3],
    complaint: String,
    pictures: Option<ShownPictures>,
}

impl<'a> TerminalPage<'a> {
    fn enter(shared: &'a Switchboard, screen: &'a mut (dyn TerminalScreen + Send)) -> Option<TerminalPage<'a>> {
        let page = shared.enter()?;
        let Some(Delivery::Text(text)) = shared.next(page, Duration::ZERO) else { return None };
        let hello = serde_json::from_str::<Json>(&text).ok()?["hello"].take();
        screen.write(BEFORE);
        let pictures = ask(screen);
        screen.write(CLEAR);
        let number = |value: &Json| value.as_str().and_then(|text| text.parse().ok()).unwrap_or(0);
        let state = hello["look"]["state"].as_u64().and_then(|state| state.try_into().ok()).unwrap_or(0);
        let place = [0, 0, number(&hello["look"]["slice"])];
        let mut new = TerminalPage {
            shared,
            screen,
            page,
            hello,
            place,
            zoom: 0,
            state,
            speed: 0,
            playing: true,
            look: None,
            palette: Vec::new(),
            ground: [0; 3],
            complaint: String::new(),
            pictures,
        };
        new.whole();
        shared.want(page);
        Some(new)
    }

    fn extent(&self) -> [u64; 3] {
        [0, 1, 2].map(|a| self.hello["extent"][a].as_str().and_then(|side| side.parse().ok()).unwrap_or(1))
    }

    /// The pixels, and how many of the terminal's one has along a side where it shows pictures: the last line has words.
    fn pixels_of(&self) -> ([u64; 2], u64) {
        let [columns, rows] = self.screen.size();
        let (columns, rows) = (columns.max(1), rows.saturating_sub(1).max(1));
        let Some((_, [width, height])) = self.pictures else { return ([columns, 2 * rows], 1) };
        let sides = [columns * width, rows * height];
        let mut side = 1;
        while sides[0] / side * (sides[1] / side) > MOST_PIXELS {
            side += 1;
        }
        (sides.map(|pixels| (pixels / side).max(1)), side)
    }

    fn pixels(&self) -> [u64; 2] {
        self.pixels_of().0
    }

    /// The number of places along a number of pixels.
    fn places(&self, pixels: u64) -> u64 {
        if self.zoom < 0 { pixels.div_ceil(1 << -self.zoom) } else { pixels.saturating_mul(1 << self.zoom) }
    }

    fn whole(&mut self) {
        let (extent, pixels) = (self.extent(), self.pixels());
        self.zoom = -CLOSEST;
        while self.zoom < FARTHEST && (0..2).any(|a| self.places(pixels[a]) < extent[a]) {
            self.zoom += 1;
        }
        (self.place[0], self.place[1]) = (extent[0] / 2, extent[1] / 2);
    }

    /// Looks at keys and at what comes once; false if it is to end.
    fn turn(&mut self) -> bool {
        let Some(keys) = self.screen.keys() else { return false };
        if !self.press(&keys) {
            return false;
        }
        self.say_look();
        while let Some(sent) = self.shared.next(self.page, Duration::ZERO) {
            match sent {
                Delivery::Text(text) => {
                    let text: Json = serde_json::from_str(&text).unwrap_or_default();
                    if let Some(error) = text["error"].as_str() {
                        error.clone_into(&mut self.complaint);
                    }
                }
                Delivery::Frame(bytes) => {
                    let drawn = self.draw(&bytes);
                    if !drawn.is_none_or(|text| self.screen.write(&text)) {
                        return false;
                    }
                    self.shared.want(self.page);
                }
                Delivery::File(_) => {}
            }
        }
        true
    }

    fn command(&mut self, command: PageCommand) {
        self.complaint.clear();
        self.shared.command(self.page, command);
    }

    /// Does what keys say; false if that is the end.
    fn press(&mut self, mut keys: &[u8]) -> bool {
        while !keys.is_empty() {
            let (used, key) = match keys {
                [0x1b, b'[' | b'O', letter @ b'A'..=b'D', ..] => (3, b"kjlh"[usize::from(letter - b'A')]),
                [key, ..] => (1, *key),
                [] => return true,
            };
            keys = &keys[used..];
            let [across, down] = self.pixels().map(|pixels| (self.places(pixels) / 8).max(1));
            let [width, height, depth] = self.extent();
            let [x, y, z] = self.place;
            match key {
                b'q' => return false,
                b'h' => self.place[0] = x.saturating_sub(across),
                b'l' => self.place[0] = x.saturating_add(across).min(width - 1),
                b'k' => self.place[1] = y.saturating_sub(down),
                b'j' => self.place[1] = y.saturating_add(down).min(height - 1),
                b'<' => self.place[2] = z.saturating_sub(1),
                b'>' => self.place[2] = (z + 1).min(depth - 1),
                b'+' | b'=' => self.zoom = (self.zoom - 1).max(-CLOSEST),
                b'-' => self.zoom = (self.zoom + 1).min(FARTHEST),
                b'0' => self.whole(),
                b' ' => self.command(PageCommand::Play(!self.playing)),
                b's' => self.command(PageCommand::Step(1)),
                b'b' => self.command(PageCommand::Back),
                b'n' => {
                    let states = self.hello["states"].as_array().map_or(1, Vec::len) as u16;
                    self.state = (self.state + 1) % states.max(1);
                }
                b'f' => {
                    self.speed = (self.speed + 1) % SPEEDS.len();
                    self.command(PageCommand::Speed(SPEEDS[self.speed]));
                }
                _ => {}
            }
        }
        true
    }

    /// Says what is in view, if it is something else than before.
    fn say_look(&mut self) {
        let (extent, pixels) = (self.extent(), self.pixels());
        let span = |a: usize| {
            let length = self.places(pixels[a]).min(extent[a]);
            let first = self.place[a].saturating_sub(length / 2).min(extent[a] - length);
            (first, length)
        };
        let [(x, width), (y, height)] = [span(0), span(1)];
        let range = &self.hello["look"]["range"];
        let range = range.as_array().and_then(|ends| Some([ends.first()?.as_f64()?, ends.get(1)?.as_f64()?]));
        let state = &self.hello["states"][usize::from(self.state)];
        let of_rule =
            state["range"].as_array().and_then(|ends| Some([ends.first()?.as_f64()?, ends.get(1)?.as_f64()?]));
        let colours = self.hello["look"]["colours"].as_str().and_then(|name| name.parse().ok());
        let colours = colours.unwrap_or(Colours::OfRule);
        let own = state["own"].as_str().and_then(|name| name.parse().ok());
        let look = PageLook {
            id: 0,
            state: state["state"].as_u64().unwrap_or(0) as u16,
            background: Background::Dark,
            // A vector has no other colours, and no state has those of a vector.
            colours: match own {
                Some(own) if own == Colours::Direction || colours == Colours::OfRule => own,
                _ => colours,
            },
            logarithmic: self.hello["look"]["log"] == true && state["number"] == true,
            range: if state["names"].is_null() { range.or(of_rule) } else { None },
            of_thousand: 0,
            part: PagePart::Window {
                origin: [x, y, self.place[2]],
                size: [width, height],
                reduce: if self.zoom > 0 { 1 << self.zoom } else { 1 },
            },
        };
        if self.look.as_ref() != Some(&look) {
            self.shared.look(self.page, look.clone());
            self.look = Some(look);
        }
    }

    /// The letters of a frame.
    fn draw(&mut self, bytes: &[u8]) -> Option<String> {
        let (length, rest) = bytes.split_at_checked(4)?;
        let (head, values) = rest.split_at_checked(u32::from_le_bytes(length.try_into().ok()?) as usize)?;
        let head: Json = serde_json::from_slice(head).ok()?;
        if let Some(palette) = head["palette"].as_str() {
            (self.palette, self.ground) = (colours(palette), *colours(head["ground"].as_str()?).first()?);
        }
        self.playing = head["playing"] == true;
        let PagePart::Window { size, reduce, .. } = self.look.as_ref()?.part else { return None };
        let form = head["form"].as_u64()? as usize;
        let [width, height] = size.map(|side| side.div_ceil(u64::from(reduce)));
        // A frame of another window is left out: one of this follows.
        if values.len() as u64 != width * height * form as u64 {
            return Some(String::new());
        }
        let enlarge = if self.zoom < 0 { 1 << -self.zoom } else { 1 };
        let colour = |px: u64, py: u64| {
            let (x, y) = (px / enlarge, py / enlarge);
            if x >= width || y >= height {
                return self.ground;
            }
            let at = (y * width + x) as usize;
            match (form, values[form * at]) {
                (3, _) => [0, 1, 2].map(|i| values[3 * at + i]),
                (_, HOLE) => self.ground,
                (_, number) => self.palette.get(usize::from(number)).copied().unwrap_or(self.ground),
            }
        };
        let ([wide, lines], side) = self.pixels_of();
        let ([columns, rows], mut text) = (self.screen.size(), "\x1b[H".to_owned());
        if let Some((protocol, _)) = self.pictures {
            let pixels: Vec<[u8; 3]> =
                (0..lines).flat_map(|y| (0..wide).map(move |x| (x, y))).map(|(x, y)| colour(x, y)).collect();
            text += &match protocol {
                PictureProtocol::Kitty => {
                    kitty(&pixels, [wide, lines], [columns.max(1), rows.saturating_sub(1).max(1)])
                }
                PictureProtocol::Sixel => sixel(&pixels, [wide, lines], side),
            };
            _ = write!(text, "\x1b[{rows};1H");
        }
        let (all, mut last) = (self.screen.has_all_colours(), None);
        for line in 0..if self.pictures.is_some() { 0 } else { lines / 2 } {
            for column in 0..columns {
                let halves = [colour(column, 2 * line), colour(column, 2 * line + 1)];
                if last != Some(halves) {
                    last = Some(halves);
                    for (kind, colour) in [38, 48].into_iter().zip(halves) {
                        _ = write!(text, "\x1b[{kind};{}m", code(colour, all));
                    }
                }
                text.push('▀');
            }
            text.push_str("\x1b[0m\r\n");
            last = None;
        }
        let state = self.hello["states"][usize::from(self.state)]["name"].as_str().unwrap_or_default();
        let speed = match (self.playing, head["rate"].as_f64()) {
            (true, Some(rate)) => format!("{rate:.0} steps/s"),
            _ => "paused".to_owned(),
        };
        let more = if self.complaint.is_empty() { KEYS } else { &self.complaint };
        let words = format!("step {}, {speed}, {state}; {more}", head["time"]);
        text.extend(words.chars().take(columns as usize));
        text.push_str("\x1b[K");
        Some(text)
    }
}

/// The code of a colour: itself, or the nearest of 216.
fn code([r, g, b]: [u8; 3], all: bool) -> String {
    if all {
        return format!("2;{r};{g};{b}");
    }
    let part = |v: u8| (u16::from(v) * 5 + 127) / 255;
    format!("5;{}", 16 + 36 * part(r) + 6 * part(g) + part(b))
}

/// Reads a list of colours in hexadecimal.
fn colours(hex: &str) -> Vec<[u8; 3]> {
    let digits = hex.as_bytes().as_chunks::<6>().0.iter();
    let part = |six: &[u8; 6], i: usize| {
        std::str::from_utf8(&six[2 * i..][..2]).ok().and_then(|two| u8::from_str_radix(two, 16).ok())
    };
    digits.map(|six| [0, 1, 2].map(|i| part(six, i).unwrap_or(0))).collect()
}
