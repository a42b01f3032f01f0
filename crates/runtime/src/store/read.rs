//! Reading a state.

use super::ArrayShape;
use crate::error::Result;
use crate::packed;
use crate::picture::{Field, Sample};
use crate::run_folder::RunError;
use rayon::prelude::*;
use squeeze_compiler::ir::{Type, Value};
use squeeze_compiler::numerics::digest;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zarrs::array::{Array, ArrayBytes};
use zarrs::filesystem::FilesystemStore;

/// Chunks that are decompressed together.
const CHUNKS: u64 = 16;

/// A state on disk.
pub struct StoredState {
    path: PathBuf,
    arrays: Vec<(ArrayShape, Array<FilesystemStore>)>,
}

impl StoredState {
    /// Opens a state whose arrays are to have these shapes.
    ///
    /// # Errors
    /// [`RunError::Damaged`] if it has other ones or cannot be read.
    pub fn open(path: &Path, shapes: Vec<ArrayShape>) -> Result<StoredState> {
        let damaged = |reason: String| RunError::Damaged { path: path.to_owned(), reason };
        let group = path.join("zarr.json");
        std::fs::metadata(&group).map_err(|error| damaged(format!("{}: {error}", group.display())))?;
        let store = Arc::new(FilesystemStore::new(path).map_err(|error| damaged(error.to_string()))?);
        let mut arrays = Vec::new();
        for shape in shapes {
            let array = Array::open(Arc::clone(&store), &format!("/{}", shape.name));
            let array = array.map_err(|error| damaged(format!("`{}`: {error}", shape.name)))?;
            let metadata = shape.metadata();
            let found = array.attributes().get("squeeze");
            if found != Some(&metadata["attributes"]["squeeze"]) || array.shape() != [shape.elements()] {
                return Err(damaged(format!("`{}` is another array than the run writes", shape.name)).into());
            }
            arrays.push((shape, array));
        }
        Ok(StoredState { path: path.to_owned(), arrays })
    }

    /// The shapes of its arrays.
    pub fn shape(&self, field: usize) -> &ArrayShape {
        &self.arrays[field].0
    }

    fn chunk(&self, field: usize, chunk: u64) -> Result<Vec<u8>> {
        let (shape, array) = &self.arrays[field];
        let damaged = |reason: String| RunError::Damaged {
            path: self.path.clone(),
            reason: format!("chunk {chunk} of `{}`: {reason}", shape.name),
        };
        let bytes: Option<ArrayBytes<'static>> =
            array.retrieve_chunk_if_exists(&[chunk]).map_err(|error| damaged(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| damaged("it is missing".to_owned()))?;
        let bytes = bytes.into_fixed().map_err(|error| damaged(error.to_string()))?;
        Ok(bytes.into_owned())
    }

    /// Gives `take` all values of the array of index `field` in ranges of cells that follow each other.
    ///
    /// # Errors
    /// [`RunError::Damaged`], or what `take` fails with.
    pub fn for_each_range(
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
    /// [`RunError::Damaged`].
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

    /// The array of index `field`, cell by cell.
    pub fn cells(&self, field: usize) -> StoredCells<'_> {
        StoredCells { state: self, field, chunk: None }
    }
}

/// One array, of which the chunk that was needed last is kept.
pub struct StoredCells<'a> {
    state: &'a StoredState,
    field: usize,
    chunk: Option<(u64, Vec<u8>)>,
}

impl StoredCells<'_> {
    /// The shape of the array.
    pub fn shape(&self) -> &ArrayShape {
        self.state.shape(self.field)
    }

    /// The value of a cell.
    ///
    /// # Errors
    /// [`RunError::Damaged`].
    pub fn value(&mut self, c: u64) -> Result<Value> {
        let (ty, length) = (self.shape().ty, self.shape().chunk_cells());
        let wanted = c / length;
        if self.chunk.as_ref().is_none_or(|(chunk, _)| *chunk != wanted) {
            self.chunk = Some((wanted, self.state.chunk(self.field, wanted)?));
        }
        let bytes = self.chunk.as_ref().map_or(&[][..], |(_, bytes)| bytes);
        Ok(packed::value(ty, bytes, c % length))
    }
}

/// An array for pictures.
pub(crate) struct StoredField<'a> {
    pub state: &'a StoredState,
    pub field: usize,
}

impl Field for StoredField<'_> {
    fn block_sums(&self, cells: u64, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        let shape = self.state.shape(self.field);
        let mut sums = vec![[0.0; 3]; (shape.cells / cells) as usize];
        self.state.for_each_range(self.field, |range, bytes| {
            add_range(shape.ty, cells, sample, range, bytes, &mut sums);
            Ok(())
        })?;
        Ok(sums)
    }

    fn range_sum(&self, cells: Range<u64>, sample: Sample<'_>) -> Result<[f64; 3]> {
        let mut sum = [0.0; 3];
        let mut cursor = self.state.cells(self.field);
        for c in cells {
            let part = sample.of(cursor.value(c)?.as_f64());
            sum = std::array::from_fn(|i| sum[i] + part[i]);
        }
        Ok(sum)
    }
}

/// Adds a range of values to the sums of the blocks that they lie in.
fn add_range(ty: Type, cells: u64, sample: Sample<'_>, range: Range<u64>, bytes: &[u8], sums: &mut [[f64; 3]]) {
    let mut at = range.start;
    while at < range.end {
        let block = at / cells;
        let end = ((block + 1) * cells).min(range.end);
        let sum = &mut sums[block as usize];
        if let (Type::Bit, Sample::Table(&[zero, one])) = (ty, sample) {
            let ones = (at..end).filter(|c| packed::bits(ty, bytes, c - range.start) == 1).count() as f64;
            let zeros = (end - at) as f64 - ones;
            *sum = std::array::from_fn(|i| sum[i] + zeros * zero[i] + ones * one[i]);
        } else {
            for c in at..end {
                let part = sample.of(packed::value(ty, bytes, c - range.start).as_f64());
                *sum = std::array::from_fn(|i| sum[i] + part[i]);
            }
        }
        at = end;
    }
}
