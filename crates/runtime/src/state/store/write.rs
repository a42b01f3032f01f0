//! Writing a state.

use super::{ArrayShape, codecs};
use crate::files::{self, FileError};
use crate::state::error::{Result, StateError};
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

impl ArrayShape {
    /// What is stored of values that begin with a chunk and end with one, or with the last cell; it is made on the current thread
    /// pool.
    ///
    /// # Errors
    /// If memory is short.
    pub fn encode(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let chunk_bytes = (self.chunk_elements() * self.element()) as usize;
        let encoded = bytes.par_chunks(chunk_bytes).map(|chunk| {
            let mut chunk = std::borrow::Cow::Borrowed(chunk);
            if chunk.len() < chunk_bytes {
                // Zarr's chunks are all of one size; what is behind the end of the array is not read.
                chunk.to_mut().resize(chunk_bytes, 0);
            }
            codecs::encode(&chunk).map_err(|error| StateError::Compression(error.to_string()))
        });
        encoded.collect()
    }
}

/// A state in the making. It appears under its name only when it is complete, and its remains vanish if it is dropped before.
pub struct StateWriter {
    path: PathBuf,
    folder: tempfile::TempDir,
    arrays: Vec<ArrayShape>,
    attributes: Json,
}

impl StateWriter {
    /// Begins a state that will be the folder `path`, with arrays of these shapes. `attributes` go to the group.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn begin(path: &Path, shapes: Vec<ArrayShape>, attributes: Json) -> Result<StateWriter> {
        let parent = path.parent().unwrap_or(Path::new("."));
        let failed = |error: &dyn std::fmt::Display| FileError::writing_text(path, error);
        let mut builder = tempfile::Builder::new();
        builder.prefix(files::PART_PREFIX).suffix(files::PART_SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o777));
        }
        let folder = builder.tempdir_in(parent).map_err(|error| failed(&error))?;
        for shape in &shapes {
            let array = folder.path().join(&shape.name);
            std::fs::create_dir_all(array.join("c")).map_err(|error| failed(&error))?;
            write_file(&array, &shape.metadata(), path)?;
        }
        Ok(StateWriter { path: path.to_owned(), folder, arrays: shapes, attributes })
    }

    /// Writes chunks that were [encoded](ArrayShape::encode), from the one of number `first_chunk` on, of the array of index `field`.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, field: usize, first_chunk: u64, chunks: &[Vec<u8>]) -> Result<()> {
        let folder = self.folder.path().join(&self.arrays[field].name).join("c");
        for (number, chunk) in (first_chunk..).zip(chunks) {
            let written = std::fs::write(folder.join(number.to_string()), chunk);
            written.map_err(|error| FileError::writing(&self.path, error))?;
        }
        Ok(())
    }

    /// Makes everything durable and gives the folder its name. A state that stood there before is replaced.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn finish(self) -> Result<()> {
        let group = json!({"zarr_format": 3, "node_type": "group", "attributes": {"squeeze": self.attributes}});
        write_file(self.folder.path(), &group, &self.path)?;
        drop(self.arrays);
        let durable = files::sync_tree(self.folder.path());
        durable.map_err(|error| FileError::writing(&self.path, error))?;
        let failed = |error| FileError::writing(&self.path, error);
        if self.path.exists() {
            // A folder cannot be renamed over another that holds something. The old one goes with the temporary folder's rules.
            let parent = self.path.parent().unwrap_or(Path::new("."));
            let mut builder = tempfile::Builder::new();
            let old =
                builder.prefix(files::PART_PREFIX).suffix(files::PART_SUFFIX).tempdir_in(parent).map_err(failed)?;
            std::fs::rename(&self.path, old.path().join("old")).map_err(failed)?;
        }
        std::fs::rename(self.folder.path(), &self.path).map_err(failed)?;
        // It has another name now: there is nothing left to remove.
        _ = self.folder.keep();
        files::sync_parent(&self.path).map_err(failed)?;
        Ok(())
    }
}

/// Writes a `zarr.json`.
fn write_file(folder: &Path, content: &Json, about: &Path) -> Result<()> {
    let text = format!("{content:#}\n");
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join("zarr.json"), text));
    Ok(written.map_err(|error| FileError::writing(about, error))?)
}
