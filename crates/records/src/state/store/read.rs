//! Reading a state.

use super::{ArrayShape, Damaged, codecs};
use crate::state::TypeNames;
use rayon::prelude::*;
use serde_json::Value as Json;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{StateId, Type};
use squeeze_compiler::numbers::digest;
use squeeze_engine::failure::Result;
use squeeze_engine::packed;
use squeeze_engine::sample::{BlockSums, Sample};
use squeeze_engine::simulation::{FieldError, Fields, SimulationError};
use squeeze_host::files::{self, FileError, Links};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Chunks that are decompressed together.
const CHUNKS: u64 = 16;

/// A chunk that was read: the index of its array, its number, and its bytes.
type ReadChunk = ((usize, u64), Vec<u8>);

/// A state on disk.
pub struct StoredState {
    path: PathBuf,
    /// The group's attributes, which describe the state; null if there is no group.
    attributes: Json,
    arrays: Vec<(ArrayShape, PathBuf)>,
    /// The chunk that was read last, of which array and of what number.
    kept: Mutex<Option<ReadChunk>>,
}

impl StoredState {
    /// Opens a state whose arrays are to have these shapes.
    ///
    /// # Errors
    /// [`Damaged`] if it has other ones or cannot be read; [`FileError::WrittenOver`].
    pub fn open(path: &Path, shapes: Vec<ArrayShape>) -> Result<StoredState> {
        files::check_kept(path)?;
        let damaged = |reason: String| Damaged { path: path.to_owned(), reason };
        let group = codecs::read_json(path).map_err(damaged)?;
        if group["node_type"] != "group" {
            return Err(damaged("its `zarr.json` is not that of a group".to_owned()).into());
        }
        let arrays = shapes.into_iter().map(|shape| {
            let folder = path.join(&shape.name);
            (shape, folder)
        });
        // Looked up as it is: a value that is looked up to be changed would have to be an object.
        let attributes = group["attributes"]["squeeze"].clone();
        StoredState::open_arrays(path, arrays.collect(), attributes)
    }

    /// Of how many cells the array of this name says that it is.
    pub(crate) fn cells(path: &Path, name: &str) -> Option<u64> {
        codecs::read_json(&path.join(name)).ok()?["attributes"]["squeeze"]["cells"].as_u64()
    }

    /// The group's attribute of some name; null if there is none.
    pub(crate) fn attribute(&self, name: &str) -> &Json {
        &self.attributes[name]
    }

    /// Opens one array alone.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn open_array(path: &Path, shape: ArrayShape) -> Result<StoredState> {
        StoredState::open_arrays(path, vec![(shape, path.to_owned())], Json::Null)
    }

    fn open_arrays(path: &Path, arrays: Vec<(ArrayShape, PathBuf)>, attributes: Json) -> Result<StoredState> {
        let damaged = |reason: String| Damaged { path: path.to_owned(), reason };
        for (shape, folder) in &arrays {
            let metadata =
                codecs::read_json(folder).map_err(|reason| damaged(format!("`{}`: {reason}", shape.name)))?;
            if codecs::without_level(metadata) != codecs::without_level(shape.metadata()) {
                return Err(damaged(format!("`{}` is another array than the run writes", shape.name)).into());
            }
        }
        Ok(StoredState { path: path.to_owned(), attributes, arrays, kept: Mutex::new(None) })
    }

    /// The shape of an array.
    pub fn shape(&self, field: usize) -> &ArrayShape {
        &self.arrays[field].0
    }

    fn chunk(&self, field: usize, chunk: u64) -> Result<Vec<u8>> {
        let (shape, folder) = &self.arrays[field];
        let damaged = |reason: String| Damaged {
            path: self.path.clone(),
            reason: format!("chunk {chunk} of `{}`: {reason}", shape.name),
        };
        let length = shape.chunk_elements() * shape.ty.bytes();
        let place = folder.join("c").join(chunk.to_string());
        let stored =
            files::read(&place, codecs::most_stored(length), Links::Followed).map_err(|error| match error {
                FileError::Missing(_) => damaged("it is missing".to_owned()),
                error => damaged(error.to_string()),
            })?;
        let bytes = codecs::decode(&stored, length as usize).map_err(damaged)?;
        if !shape.variants.is_empty() {
            let (first, numbers) = (chunk * shape.chunk_cells(), bytes.iter().copied().map(u64::from));
            packed::check_variants(&shape.name, &shape.variants, first, numbers)
                .map_err(|error| damaged(error.to_string()))?;
        }
        Ok(bytes)
    }

    /// Gives `take` all values of the array of index `field` in ranges of cells that follow each other.
    ///
    /// # Errors
    /// [`Damaged`], or what `take` fails with.
    pub(crate) fn for_each_range(
        &self,
        field: usize,
        mut take: impl FnMut(Range<u64>, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let shape = &self.arrays[field].0;
        for first in (0..shape.chunks()).step_by(CHUNKS as usize) {
            let numbers: Vec<u64> = (first..(first + CHUNKS).min(shape.chunks())).collect();
            let chunks: Vec<Vec<u8>> =
                numbers.par_iter().map(|&chunk| self.chunk(field, chunk)).collect::<Result<_>>()?;
            for (chunk, bytes) in numbers.into_iter().zip(chunks) {
                let from = chunk * shape.chunk_cells();
                let to = (from + shape.chunk_cells()).min(shape.cells);
                take(from..to, &bytes[..packed::bytes(shape.ty, to - from) as usize])?;
            }
        }
        Ok(())
    }

    /// The digest of the array of index `field`.
    ///
    /// # Errors
    /// [`Damaged`].
    pub fn digest(&self, field: usize) -> Result<u64> {
        let ty = self.shape(field).ty;
        let mut sum = 0u64;
        self.for_each_range(field, |cells, bytes| {
            let terms = (0..cells.end - cells.start).into_par_iter();
            let part = terms.map(|i| digest::term(cells.start + i, packed::bits(ty, bytes, i)));
            sum = sum.wrapping_add(part.reduce(|| 0, u64::wrapping_add));
            Ok(())
        })?;
        Ok(sum)
    }

    /// Reads the values of these cells of the array of index `field`, in the form that [`packed`] describes.
    ///
    /// # Errors
    /// [`Damaged`], or a `FieldError` if there are no such cells, a range of bits begins or ends inside a byte (it may end with the last cell), or
    /// the bytes are of another number.
    pub fn read(&self, field: usize, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        let shape = &self.arrays[field].0;
        packed::check(shape.ty, shape.cells, &cells, bytes.len()).map_err(SimulationError::from)?;
        let length = shape.chunk_cells();
        let mut from = cells.start;
        while from < cells.end {
            let number = from / length;
            let to = ((number + 1) * length).min(cells.end);
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.as_ref().is_none_or(|(at, _)| *at != (field, number)) {
                *kept = Some(((field, number), self.chunk(field, number)?));
            }
            let chunk = kept.as_ref().map_or(&[][..], |(_, chunk)| chunk);
            let (first, count) = (packed::bytes(shape.ty, from - number * length), packed::bytes(shape.ty, to - from));
            let at = packed::bytes(shape.ty, from - cells.start) as usize;
            bytes[at..at + count as usize].copy_from_slice(&chunk[first as usize..(first + count) as usize]);
            from = to;
        }
        Ok(())
    }
}

/// A state on disk with the domain of its cells, as pictures and exports read it.
#[derive(Clone, Copy)]
pub struct StoredFields<'a> {
    /// The state.
    pub state: &'a StoredState,
    /// The domain.
    pub domain: &'a Domain,
}

impl Fields for StoredFields<'_> {
    fn domain(&self) -> &Domain {
        self.domain
    }

    fn find(&self, name: &str) -> Result<StateId, SimulationError> {
        let known = self.state.arrays.iter().map(|(shape, _)| shape.name.clone()).collect::<Vec<_>>();
        let unknown = || FieldError::NotStored { name: name.to_owned(), known: known.clone() };
        let number = known.iter().position(|known| known == name).ok_or_else(unknown)?;
        Ok(StateId(number as u16))
    }

    fn kind(&self, StateId(number): StateId) -> Result<(&str, Type, String, usize), SimulationError> {
        let states = self.state.arrays.len();
        let unknown = || FieldError::Number { rule: self.state.path.display().to_string(), number, states };
        let (shape, _) = self.state.arrays.get(usize::from(number)).ok_or_else(unknown)?;
        let values = if shape.ty == Type::Bit { 2 } else { shape.variants.len() };
        Ok((&shape.name, shape.ty, TypeNames::of(shape.ty).own.to_owned(), values))
    }

    fn read_ranges(&self, state: StateId, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<(), SimulationError> {
        let (_, ty, ..) = self.kind(state)?;
        let parts = packed::split(ty, ranges, bytes);
        Ok(parts.into_iter().try_for_each(|(cells, bytes)| self.state.read(usize::from(state.0), cells, bytes))?)
    }

    fn sums(
        &self,
        state: StateId,
        mu: u32,
        blocks: &Range<u64>,
        sample: Sample<'_>,
    ) -> Result<Option<Vec<[f64; 3]>>, SimulationError> {
        let (_, ty, ..) = self.kind(state)?;
        let mut sums = BlockSums::new(self.domain, ty, mu, blocks, sample);
        if sums.cells() != (0..self.domain.cells()) {
            return Ok(None);
        }
        self.state.for_each_range(usize::from(state.0), |cells, bytes| {
            sums.add(&cells, bytes);
            Ok(())
        })?;
        Ok(Some(sums.finish()))
    }
}
