//! The animation of a run's pictures.

use super::RunFolder;
use super::animation::{Form, animation};
use squeeze_drawing::Image;
use squeeze_engine::failure::{Error, Result};
use squeeze_host::files::{self, FileError, Links, PendingFile};
use std::path::Path;

/// The most frames; of more pictures some are left out, evenly.
const MOST_FRAMES: usize = 400;
/// Pictures of runs have fewer pixels.
const MOST_PIXELS: u64 = 1 << 26;

/// Makes the animation of all pictures that can be read, of one size.
pub(super) fn animate(folder: &RunFolder, form: Form) -> Result<()> {
    let times = folder.image_times()?;
    if times.is_empty() {
        return Ok(());
    }
    let every = times.len().div_ceil(MOST_FRAMES);
    // Counted from the end, so that the last picture is always among them.
    let mut chosen: Vec<u32> = times.iter().rev().step_by(every).copied().collect();
    chosen.reverse();
    let file = PendingFile::begin_here(&folder.animation_path(form.film))?;
    animation::<Error>(&chosen, form, file, &|time| read(&folder.image_path(time)))
}

/// A picture of a run; `None` if it is damaged.
fn read(path: &Path) -> Result<Option<Image>> {
    match files::read(path, 4 * MOST_PIXELS, Links::Followed) {
        Ok(bytes) => Ok(Image::from_png(&bytes, MOST_PIXELS)),
        Err(
            FileError::Dangling { .. } | FileError::Special(_) | FileError::Directory(_) | FileError::TooLong { .. },
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
