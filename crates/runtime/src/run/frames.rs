//! The animation of a run's pictures.

use super::RunFolder;
use super::error::Result;
use crate::files::{self, File, FileError, Links, PendingFile};
use crate::picture::Image;
use std::io::BufWriter;
use std::path::Path;

/// The longest side of an animation, in pixels.
const LONGEST: u32 = 720;
/// The most frames; of more pictures some are left out, evenly.
const MOST_FRAMES: usize = 400;
/// Pictures of runs have fewer pixels.
const MOST_PIXELS: u64 = 1 << 26;
/// Hundredths of a second that a frame is shown.
const DELAY: u16 = 8;
/// Hundredths of a second that the last frame is shown.
const LAST_DELAY: u16 = 150;

/// Makes the animation of all pictures that can be read, of one size.
pub(super) fn animate(folder: &RunFolder) -> Result<()> {
    let times = folder.image_times()?;
    let Some(&last) = times.last() else { return Ok(()) };
    let every = times.len().div_ceil(MOST_FRAMES);
    // Counted from the end, so that the last picture is always among them.
    let mut chosen: Vec<u32> = times.iter().rev().step_by(every).copied().collect();
    chosen.reverse();
    let path = folder.animation_path();
    let failed = |error: gif::EncodingError| FileError::writing_text(&path, &error);
    let mut file = PendingFile::begin_here(&path)?;
    let mut encoder: Option<gif::Encoder<BufWriter<File>>> = None;
    let mut size = (0, 0);
    let mut output = Some(BufWriter::new(file.file().clone()));
    for time in chosen {
        let Some(image) = read(&folder.image_path(time))? else { continue };
        let image = image.reduced(LONGEST);
        if let Some(output) = output.take() {
            size = (image.width, image.height);
            let mut begun = gif::Encoder::new(output, size.0 as u16, size.1 as u16, &[]).map_err(failed)?;
            begun.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
            encoder = Some(begun);
        }
        let Some(encoder) = encoder.as_mut().filter(|_| size == (image.width, image.height)) else { continue };
        let mut frame = gif::Frame::from_rgb_speed(image.width as u16, image.height as u16, &image.pixels, 10);
        frame.delay = if time == last { LAST_DELAY } else { DELAY };
        encoder.write_frame(&frame).map_err(failed)?;
    }
    let Some(encoder) = encoder else { return Ok(()) };
    let output = encoder.into_inner().map_err(failed)?;
    output.into_inner().map_err(|error| FileError::writing_text(&path, &error))?;
    Ok(file.finish(&[])?)
}

/// A picture of a run; `None` if it is damaged.
fn read(path: &Path) -> Result<Option<Image>> {
    match files::read(path, 4 * MOST_PIXELS, Links::Refused) {
        Ok(bytes) => Ok(Image::from_png(&bytes, MOST_PIXELS)),
        Err(FileError::Link(_) | FileError::Special(_) | FileError::Directory(_) | FileError::TooLong { .. }) => {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
