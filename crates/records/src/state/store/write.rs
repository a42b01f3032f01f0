//! Writing a state.

use super::{ArrayShape, codecs};
use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};
use squeeze_engine::failure::Result;
use squeeze_host::files::{self, FileError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

impl ArrayShape {
    /// The stored bytes of each chunk of some values, which begin with a chunk and end with one, or with the last cell. The current thread
    /// pool encodes them.
    pub(crate) fn encode(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let chunk_bytes = (self.chunk_elements() * self.ty.bytes()) as usize;
        let encoded = bytes.par_chunks(chunk_bytes).map(|chunk| {
            let mut chunk = std::borrow::Cow::Borrowed(chunk);
            if chunk.len() < chunk_bytes {
                // Zarr's chunks are all of one size; what is behind the end of the array is not read.
                chunk.to_mut().resize(chunk_bytes, 0);
            }
            codecs::encode(&chunk)
        });
        encoded.collect()
    }
}

/// A state in the making. It appears under its name only when it is complete, and its remains vanish if it is dropped before.
pub struct StateWriter {
    path: PathBuf,
    /// The path of the unfinished state.
    part: PathBuf,
    /// The arrays, each with its metadata.
    arrays: Vec<(String, Json)>,
    attributes: Json,
}

impl StateWriter {
    /// Begins a state that will be the folder `path`, with arrays of these shapes. `attributes` go to the group.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn begin(path: &Path, shapes: Vec<ArrayShape>, attributes: Json) -> Result<StateWriter> {
        let arrays = shapes.into_iter().map(|shape| (shape.name.clone(), shape.metadata()));
        StateWriter::begin_group(path, arrays.collect(), json!({"squeeze": attributes}))
    }

    /// Begins a group of any arrays.
    pub(crate) fn begin_group(path: &Path, arrays: Vec<(String, Json)>, attributes: Json) -> Result<StateWriter> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let writer = StateWriter { path: path.to_owned(), part: files::unused_part(folder), arrays, attributes };
        writer.begin_arrays().map_err(|error| FileError::writing(path, error))?;
        Ok(writer)
    }

    fn begin_arrays(&self) -> io::Result<()> {
        files::make_folder(&self.part)?;
        for (name, metadata) in &self.arrays {
            let array = self.part.join(name);
            files::make_folder(&array)?;
            files::make_folder(&array.join("c"))?;
            write_json(&array, metadata)?;
        }
        Ok(())
    }

    /// Where it lies until it is finished.
    pub(crate) fn part(&self) -> &Path {
        &self.part
    }

    /// Whether all chunks of arrays of these shapes are there, which other processes may have written.
    ///
    /// # Errors
    /// If some are not, or the folder cannot be read.
    pub(crate) fn check_chunks(&self, shapes: &[ArrayShape]) -> Result<()> {
        for shape in shapes {
            let folder = self.part.join(&shape.name).join("c");
            let found = files::list(&folder).map_err(|error| FileError::reading(&folder, error))?.len() as u64;
            if found != shape.chunks() {
                let (name, chunks) = (&shape.name, shape.chunks());
                let what = format!("of {chunks} chunks of `{name}` the first rank sees {found}");
                return Err(FileError::writing(&self.path, io::Error::other(what)).into());
            }
        }
        Ok(())
    }

    /// Writes chunks that were encoded, from the one of number `first_chunk` on, of the array of index `field`.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, field: usize, first_chunk: u64, chunks: &[Vec<u8>]) -> Result<()> {
        let folder = self.part.join(&self.arrays[field].0).join("c");
        for (number, chunk) in (first_chunk..).zip(chunks) {
            let written = write_new(&folder.join(number.to_string()), chunk);
            written.map_err(|error| FileError::writing(&self.path, error))?;
        }
        Ok(())
    }

    /// Writes the chunks of an array of two dimensions whose first index is `row`.
    pub(crate) fn write_row(&self, field: usize, row: usize, chunk: u64, bytes: &[u8]) -> Result<()> {
        let folder = self.part.join(&self.arrays[field].0).join("c").join(row.to_string());
        let made = if folder.is_dir() { Ok(()) } else { files::make_folder(&folder) };
        let written = made.and_then(|()| write_new(&folder.join(chunk.to_string()), bytes));
        Ok(written.map_err(|error| FileError::writing(&self.path, error))?)
    }

    /// Makes everything durable and gives the folder its name. A state that stood there before is replaced.
    pub(crate) fn finish(self) -> Result<()> {
        Ok(self.take_name().map_err(|error| FileError::writing(&self.path, error))?)
    }

    fn take_name(&self) -> io::Result<()> {
        // Readers that know of it need not look for the arrays.
        let arrays: Map<String, Json> = self.arrays.iter().cloned().collect();
        let consolidated = json!({"kind": "inline", "must_understand": false, "metadata": arrays});
        let group = json!({
            "zarr_format": 3,
            "node_type": "group",
            "attributes": self.attributes,
            "consolidated_metadata": consolidated,
        });
        write_json(&self.part, &group)?;
        files::sync_tree(&self.part)?;
        // A folder cannot be renamed over another that holds something.
        let parent = self.path.parent().unwrap_or(Path::new("."));
        let old = std::fs::symlink_metadata(&self.path).is_ok().then(|| files::unused_part(parent));
        if let Some(old) = &old {
            files::rename(&self.path, old)?;
        }
        files::rename(&self.part, &self.path)?;
        files::sync_parent(&self.path)?;
        old.map_or(Ok(()), |old| files::remove_tree(&old))
    }
}

impl Drop for StateWriter {
    fn drop(&mut self) {
        // Nothing is left under that name if the state is complete. If it is not, no caller can be told of an error.
        _ = files::remove_tree(&self.part);
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    files::create(path)?.write_all(bytes)
}

/// Writes a `zarr.json`.
fn write_json(folder: &Path, content: &Json) -> io::Result<()> {
    write_new(&folder.join("zarr.json"), format!("{content:#}\n").as_bytes())
}
