//! Animations: GIF, and MP4 through `ffmpeg`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use squeeze_drawing::{Image, Palette};
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_host::files::{FileError, PendingFile};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The longest side of an animation, in pixels.
const LONGEST: u32 = 720;
/// Frames a second, unless something else is asked for.
const FPS: u32 = 12;
/// The most frames a second: what GIF can say and most viewers show.
pub const MOST_FPS: u32 = 50;
/// Hundredths of a second for which the last frame is shown.
const LAST_DELAY: u16 = 150;

/// An animation that is being written as GIF.
struct Gif<W: Write> {
    encoder: gif::Encoder<W>,
    delay: u16,
    /// The colours of all frames so far, as far as they are one palette.
    palette: Palette,
    /// How much a channel of a colour may differ from that in the palette.
    tolerance: u8,
    /// The last frame is shown longer, so it waits until it is known to be the last.
    waiting: Option<gif::Frame<'static>>,
    path: PathBuf,
}

impl<W: Write> Gif<W> {
    /// Begins an animation whose frames are as large as this image. Errors name the file `path`.
    fn begin(output: W, first: &Image, fps: Option<u32>, path: &Path) -> Result<Gif<W>> {
        let failed = |error: gif::EncodingError| FileError::writing_text(path, &error);
        let mut encoder = gif::Encoder::new(output, first.width as u16, first.height as u16, &[]).map_err(failed)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
        let delay = (100.0 / f64::from(fps.unwrap_or(FPS))).round() as u16;
        Ok(Gif { encoder, delay, palette: Palette::default(), tolerance: 0, waiting: None, path: path.to_owned() })
    }

    /// Adds frames: their colours are found in their order, and they are compressed by all threads.
    fn add(&mut self, images: &[Image]) -> Result<()> {
        let mut frames: Vec<gif::Frame<'static>> = images.iter().map(|image| self.frame(image)).collect();
        frames.par_iter_mut().for_each(gif::Frame::make_lzw_pre_encoded);
        for frame in frames {
            let before = self.waiting.replace(frame);
            self.write(before)?;
        }
        Ok(())
    }

    /// An image by the numbers of its colours.
    fn frame(&mut self, image: &Image) -> gif::Frame<'static> {
        let mut is_anew = false;
        let indices = loop {
            match self.palette.indices(image, self.tolerance) {
                Some(indices) => break indices,
                // The frame has too many colours by itself.
                None if is_anew => self.tolerance = 2 * self.tolerance + 2,
                None => {}
            }
            (self.palette, is_anew) = (Palette::default(), true);
        };
        let [width, height] = [image.width, image.height].map(|side| side as u16);
        let frame = gif::Frame::from_palette_pixels(width, height, indices, self.palette.bytes(), None);
        gif::Frame { delay: self.delay, ..frame }
    }

    /// Ends the animation and gives back what it was written to.
    fn finish(mut self) -> Result<W> {
        let mut last = self.waiting.take();
        if let Some(frame) = &mut last {
            frame.delay = frame.delay.max(LAST_DELAY);
        }
        self.write(last)?;
        let path = self.path;
        Ok(self.encoder.into_inner().map_err(|error| FileError::writing_text(&path, &error))?)
    }

    fn write(&mut self, frame: Option<gif::Frame<'static>>) -> Result<()> {
        let Some(frame) = frame else { return Ok(()) };
        let written = self.encoder.write_lzw_pre_encoded_frame(&frame);
        Ok(written.map_err(|error| FileError::writing_text(&self.path, &error))?)
    }
}

/// How an animation is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// Frames a second; 12 if nothing is said.
    pub fps: Option<u32>,
    /// MP4, and not GIF.
    #[serde(default)]
    pub film: bool,
    /// The most megabytes of a GIF: frames are reduced until it has no more.
    pub max_size: Option<f64>,
}

/// Pictures that are drawn and held at the same time, for some threads.
const BATCH: usize = 32;

/// Writes an animation of these times; without a picture there is no file. `draw` gives the picture of a time, or `None` if it is left out; several threads
/// call it, and again where the frames have to be smaller.
///
/// # Errors
/// Errors of `draw`; if the file cannot be written, `ffmpeg` is missing or fails, or small frames are not small enough.
pub fn animation<E: From<Error> + Send>(
    times: &[u32],
    form: Form,
    mut file: PendingFile,
    draw: &(dyn Fn(u32) -> std::result::Result<Option<Image>, E> + Sync),
) -> std::result::Result<(), E> {
    if form.film {
        let place = file.name_for_others().map_err(Error::from)?;
        // Of a relative path `ffmpeg` takes what stands before a colon for a protocol.
        let place = std::path::absolute(&place).unwrap_or(place);
        let mut film = None;
        for_all_frames(times, LONGEST, draw, |images| {
            let film = match &mut film {
                Some(film) => film,
                none => none.insert(Film::begin(&images[0], form.fps, &place)?),
            };
            images.iter().try_for_each(|image| film.add(image))
        })?;
        if let Some(mut film) = film {
            film.end()?;
            if place.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0) {
                return Err(Error::system("`ffmpeg` ended and wrote nothing".to_owned()).into());
            }
            file.finish(&[]).map_err(Error::from)?;
        }
        return Ok(());
    }
    let bytes = gif(times, form, file.path(), draw)?;
    if bytes.is_empty() { Ok(()) } else { Ok(file.finish(&bytes).map_err(Error::from)?) }
}

/// The bytes of a GIF. Errors name the file `path`.
fn gif<E: From<Error> + Send>(
    times: &[u32],
    form: Form,
    path: &Path,
    draw: &(dyn Fn(u32) -> std::result::Result<Option<Image>, E> + Sync),
) -> std::result::Result<Vec<u8>, E> {
    let mut longest = LONGEST;
    loop {
        let (mut gif, mut frames) = (None, 0);
        for_all_frames(times, longest, draw, |images| {
            let gif = match &mut gif {
                Some(gif) => gif,
                none => none.insert(Gif::begin(Vec::new(), &images[0], form.fps, path)?),
            };
            frames += images.len() as u32;
            gif.add(images)
        })?;
        let bytes = gif.map_or(Ok(Vec::new()), Gif::finish)?;
        if form.max_size.is_none_or(|most| bytes.len() as f64 <= most * 1e6) {
            return Ok(bytes);
        }
        longest = longest * 3 / 4;
        if longest < LEAST_FRAME {
            let size = bytes.len() as f64 / 1e6;
            let error = Message::users(format!("{frames} frames of {LEAST_FRAME} pixels take {size:.1} MB"));
            return Err(Error::from(error.with_help("allow more with `--max-size`, or make fewer frames")).into());
        }
    }
}

/// Draws the pictures of these times on all threads, and hands over some at a time in their order. Pictures of another size than the first are left out.
fn for_all_frames<E: From<Error> + Send>(
    times: &[u32],
    longest: u32,
    draw: &(dyn Fn(u32) -> std::result::Result<Option<Image>, E> + Sync),
    mut add: impl FnMut(&[Image]) -> Result<()>,
) -> std::result::Result<(), E> {
    let frame = |time: &u32| Ok(draw(*time)?.map(|image| image.reduced(longest)));
    let mut size = None;
    for times in times.chunks(BATCH) {
        let images: Vec<Option<Image>> = times.par_iter().map(frame).collect::<std::result::Result<_, E>>()?;
        let fits = |image: &Image| *size.get_or_insert([image.width, image.height]) == [image.width, image.height];
        let images: Vec<Image> = images.into_iter().flatten().filter(fits).collect();
        if !images.is_empty() {
            add(&images)?;
        }
    }
    Ok(())
}

/// Frames of an animation are not made smaller than this.
const LEAST_FRAME: u32 = 64;

/// A file that takes all and keeps nothing.
const NOWHERE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// An animation that `ffmpeg` writes as MP4 (H.264).
struct Film {
    process: Child,
    /// Its error messages, sent when it has ended.
    words: Receiver<String>,
}

impl Film {
    /// Starts `ffmpeg` for frames as large as this image.
    fn begin(first: &Image, fps: Option<u32>, path: &Path) -> Result<Film> {
        let mut command = Command::new("ffmpeg");
        command.args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
        command.args(["-video_size", &format!("{}x{}", first.width, first.height)]);
        command.args(["-framerate", &fps.unwrap_or(FPS).to_string(), "-i", "-"]);
        // H.264 takes even sides only.
        command.args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]);
        if path != Path::new(NOWHERE) {
            // It reads what it has written.
            command.args(["-movflags", "+faststart"]);
        }
        command.args(["-f", "mp4"]).arg(path);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|error| {
            Error::system(format!("cannot start `ffmpeg`, which writes MP4: {error}; GIF needs no other program"))
        })?;
        let (mut said, (sender, words)) = (process.stderr.take(), channel());
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // Output that cannot be read is dropped, and the receiver may be gone.
            _ = said.as_mut().map(|said| said.read_to_end(&mut bytes));
            _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        });
        Ok(Film { process, words })
    }

    /// Adds a frame.
    fn add(&mut self, image: &Image) -> Result<()> {
        let taken = self.process.stdin.as_mut().is_some_and(|input| input.write_all(&image.pixels).is_ok());
        if taken {
            return Ok(());
        }
        self.end()?;
        Err(Error::system("`ffmpeg` ended before it had all frames".to_owned()))
    }

    /// Ends the animation.
    fn end(&mut self) -> Result<()> {
        /// The most lines of its error output that are shown.
        const MOST_LINES: usize = 3;
        /// For a process of its own that goes on talking.
        const PATIENCE: Duration = Duration::from_secs(1);
        drop(self.process.stdin.take());
        let status = self.process.wait().map_err(|error| Error::system(format!("`ffmpeg`: {error}")))?;
        if status.success() {
            return Ok(());
        }
        let how = status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"));
        let words = self.words.recv_timeout(PATIENCE).unwrap_or_default();
        let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines[lines.len().saturating_sub(MOST_LINES)..].join("; ");
        let colon = if last.is_empty() { "" } else { ": " };
        Err(Error::system(format!("`ffmpeg`, which writes MP4, ended with {how}{colon}{last}")))
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        // It may have ended long ago.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// Lets `ffmpeg` write a frame nowhere: better known before a run than after it that it cannot.
///
/// # Errors
/// If it is not there, or fails.
pub fn check_ffmpeg() -> Result<()> {
    const SIDE: u32 = 16;
    let frame = Image { width: SIDE, height: SIDE, pixels: vec![0; (3 * SIDE * SIDE) as usize] };
    let mut film = Film::begin(&frame, None, Path::new(NOWHERE))?;
    film.add(&frame)?;
    film.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_share_a_palette_that_grows_coarse_when_it_is_full() {
        let path = Path::new("a.gif");
        let frame = |blue: u8, sides: u8| {
            let pixels = (0..sides).flat_map(|x| (0..sides).flat_map(move |y| [x, y, blue])).collect();
            Image { width: sides.into(), height: sides.into(), pixels }
        };
        let mut gif = Gif::begin(Vec::new(), &frame(0, 8), None, path).unwrap();
        gif.add(&[0, 1, 2, 0].map(|blue| frame(blue, 8))).unwrap();
        assert_eq!((gif.tolerance, gif.palette.bytes().len()), (0, 3 * 3 * 64), "three frames of 64 colours");
        let mut full = Gif::begin(Vec::new(), &frame(0, 200), None, path).unwrap();
        full.add(&[frame(0, 200)]).unwrap();
        assert!((8..=30).contains(&full.tolerance) && full.palette.bytes().len() <= 768, "{}", full.tolerance);
        let bytes = gif.finish().unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
        assert_eq!(decoder.next_frame_info().unwrap().unwrap().palette.as_ref().unwrap().len() % 3, 0);
    }
}
