//! A film of what a page shows: one picture for the steps of each frame, put together when it ends.

use crate::message::PageView;
use crate::saving::widened;
use crate::scene::Scene;

use squeeze_engine::failure::{Error, Message, Result};
use squeeze_host::files::{self, Links, PendingFile};
use squeeze_records::picture::Image;
use squeeze_records::run::animation::{self, Form};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Pictures a second.
const FPS: u32 = 25;
/// The longest side of its pictures, which are kept as PNGs, and the most of these and of their bytes.
const LONGEST: u32 = 720;
const MOST_FRAMES: usize = 3000;
const MOST_BYTES: usize = 256 << 20;

/// The pictures of a film that is being made.
pub(crate) struct ViewFilm {
    /// The page that asked for it.
    pub(crate) page: u64,
    view: PageView,
    pictures: Vec<Vec<u8>>,
    bytes: usize,
    time: Option<u32>,
    /// The range of all pictures so far.
    range: Option<[f64; 2]>,
}

impl ViewFilm {
    /// A film without a picture.
    pub(crate) fn new(page: u64, view: PageView) -> ViewFilm {
        ViewFilm { page, view, pictures: Vec::new(), bytes: 0, time: None, range: None }
    }

    /// How many pictures it has.
    pub(crate) fn frames(&self) -> usize {
        self.pictures.len()
    }

    /// Takes a picture, unless it has one of this time or is full.
    ///
    /// # Errors
    /// If the view cannot be drawn, or it has just become full.
    pub(crate) fn take(&mut self, scene: &Scene<'_>) -> Result<()> {
        if self.time == Some(scene.time) || self.is_full() {
            return Ok(());
        }
        let range = self.range;
        let picture = self.view.draw(scene, |style| {
            style.extent = widened(style.extent, range);
            style.caption = Some(format!("step {}", scene.time));
        })?;
        (self.range, self.time) = (picture.range.or(range), Some(scene.time));
        let bytes = picture.sheet.to_image().reduced(LONGEST).to_png_quickly();
        self.bytes += bytes.len();
        self.pictures.push(bytes);
        if self.is_full() {
            let what = format!("the film has {} pictures and takes no more: end it", self.pictures.len());
            return Err(Message::users(what).into());
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.pictures.len() >= MOST_FRAMES || self.bytes >= MOST_BYTES
    }

    /// The bytes of the film and how the name of such a file ends: MP4 where `ffmpeg` is there, else GIF.
    ///
    /// # Errors
    /// If `ffmpeg` fails, or there is no room for a file.
    pub(crate) fn finish(self) -> Result<(&'static str, Vec<u8>)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let film = animation::check_ffmpeg().is_ok();
        let ending = if film { "mp4" } else { "gif" };
        let folder = std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("squeeze-film-{}-{number}.{ending}", std::process::id()));
        let mut file = PendingFile::begin_here(&path)?;
        file.make_private();
        let form = Form { fps: Some(FPS), film, max_size: None };
        let times: Vec<u32> = (0..self.pictures.len() as u32).collect();
        let most = 4 * u64::from(LONGEST) * u64::from(LONGEST);
        animation::animation::<Error>(&times, form, file, &|number| {
            Ok(Image::from_png(&self.pictures[number as usize], most))
        })?;
        let bytes = files::read(&path, 2 * MOST_BYTES as u64, Links::Followed);
        _ = files::remove_tree(&path);
        Ok((ending, bytes?))
    }
}
