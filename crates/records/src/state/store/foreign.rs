//! Zarr v3 arrays that others wrote, with the codecs that Python's `zarr` takes by itself, and in shards.

use super::codecs;
use serde_json::Value as Json;
use squeeze_host::files::{self, FileError, Links};
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

/// The most chunks of one array, or of one shard.
const MOST_CHUNKS: u64 = 1 << 21;
/// The most bytes of a chunk that may be larger than its array.
const SMALL: u64 = 1 << 24;

/// All elements of an array in C order, little endian, in their natural width; or those of one row, if it is said.
///
/// # Errors
/// The defect, or the feature of Zarr that is not known here, as part of a sentence.
pub(crate) fn read_array(metadata: &Json, folder: &Path, row: Option<u64>) -> Result<Vec<u8>, String> {
    let mut shape = list(&metadata["shape"]).ok_or("it has no shape")?;
    let grid = &metadata["chunk_grid"];
    let chunk = list(&grid["configuration"]["chunk_shape"])
        .filter(|chunk| grid["name"] == "regular" && chunk.len() == shape.len() && !chunk.contains(&0));
    let chunk = chunk.ok_or("its chunk grid is not regular")?;
    let fill = element(&metadata["data_type"], &metadata["fill_value"])?;
    let separator = match &metadata["chunk_key_encoding"] {
        encoding if encoding["name"] == "default" => {
            match encoding["configuration"]["separator"].as_str().unwrap_or("/") {
                separator @ ("/" | ".") => separator,
                _ => return Err("its chunk keys are parted by neither `/` nor `.`".to_owned()),
            }
        }
        _ => return Err("its chunk keys are not the default ones".to_owned()),
    };
    // The rows of one chunk are read together.
    let rows = chunk.first().copied().unwrap_or(1);
    if row.is_some() {
        shape[0] = rows;
    }
    let chunks = Chunks::of(chunk, fill, &metadata["codecs"])?;
    let all = bytes_of(&shape, &chunks.fill).ok_or("it is too large")?;
    // The part of a chunk beyond the array is read and decoded for nothing, so its size is bounded.
    let most = all.saturating_mul(2).max(SMALL);
    if chunks.bytes > most {
        return Err(format!("its chunks have {} bytes; of an array of {all} they may have {most}", chunks.bytes));
    }
    let mut elements = chunks.gather(&shape, |_, place| {
        let mut place = place.to_vec();
        if let (Some(first), Some(row)) = (place.first_mut(), row) {
            *first += row / rows;
        }
        let key: Vec<String> = std::iter::once("c".to_owned()).chain(place.iter().map(u64::to_string)).collect();
        match files::read(&folder.join(key.join(separator)), chunks.most_stored(), Links::Followed) {
            Ok(stored) => Ok(Some(stored.into())),
            // A chunk that holds nothing but the fill value need not be there.
            Err(FileError::Missing(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    })?;
    if let Some(row) = row {
        let length = elements.len() / rows as usize;
        let first = (row % rows) as usize * length;
        elements = elements[first..first + length].to_vec();
    }
    Ok(elements)
}

fn list(value: &Json) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Json::as_u64).collect()
}

/// The bytes of an array of this shape whose elements are as long as this one.
fn bytes_of(shape: &[u64], element: &[u8]) -> Option<u64> {
    shape.iter().try_fold(element.len() as u64, |all, &side| all.checked_mul(side))
}

/// An element of this type, little endian.
fn element(data_type: &Json, value: &Json) -> Result<Vec<u8>, String> {
    let integer = || value.as_i64();
    let bits = || u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok();
    let float = || match value.as_str() {
        Some("NaN") => Some(f64::NAN),
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        _ => value.as_f64(),
    };
    let bytes = match data_type.as_str() {
        Some("bool") => value.as_bool().map(|v| vec![v.into()]),
        Some("int8") => integer().and_then(|v| i8::try_from(v).ok()).map(|v| v.to_le_bytes().to_vec()),
        Some("uint8") => integer().and_then(|v| u8::try_from(v).ok()).map(|v| v.to_le_bytes().to_vec()),
        Some("uint16") => integer().and_then(|v| u16::try_from(v).ok()).map(|v| v.to_le_bytes().to_vec()),
        Some("int32") => integer().and_then(|v| i32::try_from(v).ok()).map(|v| v.to_le_bytes().to_vec()),
        Some("uint32") => integer().and_then(|v| u32::try_from(v).ok()).map(|v| v.to_le_bytes().to_vec()),
        Some("int64") => integer().map(|v| v.to_le_bytes().to_vec()),
        Some("float32") => {
            let bits = bits().and_then(|bits| u32::try_from(bits).ok()).map(f32::from_bits);
            bits.or(float().map(|v| v as f32)).map(|v| v.to_le_bytes().to_vec())
        }
        Some("float64") => bits().map(f64::from_bits).or(float()).map(|v| v.to_le_bytes().to_vec()),
        _ => return Err("its data type is none that states have".to_owned()),
    };
    bytes.ok_or_else(|| format!("its fill value {value} is none of its type"))
}

/// The shape of chunks and the encoding of their bytes.
struct Chunks {
    shape: Vec<u64>,
    /// The bytes of their elements,
    bytes: u64,
    /// and an element of what is not stored.
    fill: Vec<u8>,
    inside: Inside,
    /// The steps of encoding, in the order in which they were applied.
    packed: Vec<Packing>,
}

enum Inside {
    Elements {
        big_endian: bool,
    },
    /// Smaller chunks, with an index of their places.
    Shard {
        chunks: Box<Chunks>,
        index: Box<Chunks>,
        is_index_first: bool,
    },
}

#[derive(Clone, Copy, PartialEq)]
enum Packing {
    Zstd,
    Gzip,
    Crc32c,
}

impl Chunks {
    fn of(shape: Vec<u64>, fill: Vec<u8>, codecs: &Json) -> Result<Chunks, String> {
        let codecs = codecs.as_array().ok_or("it has no codecs")?;
        let name_of = |codec: &Json| codec["name"].as_str().unwrap_or("without a name").to_owned();
        let unknown = |name: &str| {
            format!(
                "its codec `{name}` is not known here; `bytes` and `sharding_indexed` are, and behind them `zstd`, `gzip` and `crc32c`"
            )
        };
        let first = codecs.first().unwrap_or(&Json::Null);
        let about = &first["configuration"];
        let inside = match name_of(first).as_str() {
            "bytes" => Inside::Elements { big_endian: about["endian"] == "big" },
            "sharding_indexed" => {
                let inner = list(&about["chunk_shape"]).filter(|inner| {
                    let sides = || inner.iter().zip(&shape);
                    inner.len() == shape.len() && sides().all(|(inner, side)| *inner > 0 && side.is_multiple_of(*inner))
                });
                let inner = inner.ok_or("the chunks in its shards do not fill them")?;
                let mut index: Vec<u64> = shape.iter().zip(&inner).map(|(side, inner)| side / inner).collect();
                index.push(2);
                let index = Chunks::of(index, u64::MAX.to_le_bytes().to_vec(), &about["index_codecs"])?;
                if index.bytes > 16 * MOST_CHUNKS {
                    return Err(format!("its shards have {} chunks; at most {MOST_CHUNKS} are read", index.bytes / 16));
                }
                if index.packed.iter().any(|packing| *packing != Packing::Crc32c) {
                    return Err("the indices of its shards have no fixed length".to_owned());
                }
                Inside::Shard {
                    chunks: Box::new(Chunks::of(inner, fill.clone(), &about["codecs"])?),
                    index: Box::new(index),
                    is_index_first: about["index_location"] == "start",
                }
            }
            name => return Err(unknown(name)),
        };
        let packing = |codec: &Json| match name_of(codec).as_str() {
            "zstd" => Ok(Packing::Zstd),
            "gzip" => Ok(Packing::Gzip),
            "crc32c" => Ok(Packing::Crc32c),
            name => Err(unknown(name)),
        };
        let packed = codecs[1..].iter().map(packing).collect::<Result<_, _>>()?;
        let bytes = bytes_of(&shape, &fill).ok_or("its chunks are too large")?;
        Ok(Chunks { shape, bytes, fill, inside, packed })
    }

    /// The most bytes that are stored of one.
    fn most_stored(&self) -> u64 {
        match &self.inside {
            Inside::Elements { .. } => codecs::most_stored(self.bytes),
            // Sixteen bytes in the index for each chunk, and what a codec adds to it.
            Inside::Shard { index, .. } => codecs::most_stored(self.bytes).saturating_add(4 * index.bytes),
        }
    }

    /// The elements of an array of this shape, whose chunks `stored` gives by their numbers and places, or says that they are not there.
    fn gather<'a>(
        &self,
        shape: &[u64],
        mut stored: impl FnMut(usize, &[u64]) -> Result<Option<Cow<'a, [u8]>>, String>,
    ) -> Result<Vec<u8>, String> {
        let counts: Vec<u64> = shape.iter().zip(&self.shape).map(|(side, chunk)| side.div_ceil(*chunk)).collect();
        let count = counts.iter().try_fold(1u64, |all, &count| all.checked_mul(count)).unwrap_or(u64::MAX);
        if count > MOST_CHUNKS {
            return Err(format!("it has {count} chunks; at most {MOST_CHUNKS} are read"));
        }
        let mut elements = self.fill.repeat(shape.iter().product::<u64>() as usize);
        for number in 0..count {
            let mut place = vec![0; counts.len()];
            let mut rest: u64 = number;
            for (at, count) in place.iter_mut().zip(&counts).rev() {
                (*at, rest) = (rest % count, rest / count);
            }
            let failed = |reason| {
                let place: Vec<String> = place.iter().map(u64::to_string).collect();
                format!("chunk {}: {reason}", place.join("/"))
            };
            if let Some(stored) = stored(number as usize, &place).map_err(failed)? {
                let chunk = self.decode(&stored).map_err(failed)?;
                copy(&mut elements, shape, &chunk, &self.shape, &place, self.fill.len());
            }
        }
        Ok(elements)
    }

    /// The elements of a chunk.
    fn decode(&self, stored: &[u8]) -> Result<Vec<u8>, String> {
        let mut bytes = Cow::Borrowed(stored);
        for packing in self.packed.iter().rev() {
            let most = self.most_stored();
            bytes = match packing {
                Packing::Crc32c => codecs::checked(&bytes)?.to_vec(),
                Packing::Zstd => codecs::decompress(&bytes, most as usize)?,
                Packing::Gzip => {
                    let mut unpacked = Vec::new();
                    let read = flate2::read::MultiGzDecoder::new(&*bytes).take(most).read_to_end(&mut unpacked);
                    read.map_err(|error| format!("gzip: {error}"))?;
                    unpacked
                }
            }
            .into();
        }
        let (chunks, index, is_index_first) = match &self.inside {
            Inside::Elements { .. } if bytes.len() as u64 != self.bytes => {
                return Err(format!("it holds {} bytes instead of {}", bytes.len(), self.bytes));
            }
            Inside::Elements { big_endian } => {
                let mut bytes = bytes.into_owned();
                if *big_endian {
                    bytes.chunks_exact_mut(self.fill.len()).for_each(<[u8]>::reverse);
                }
                return Ok(bytes);
            }
            Inside::Shard { chunks, index, is_index_first } => (chunks, index, *is_index_first),
        };
        let length = index.bytes as usize + 4 * index.packed.len();
        let at = if is_index_first { Some(0) } else { bytes.len().checked_sub(length) };
        let stored = at.and_then(|at| bytes.get(at..)?.get(..length)).ok_or("it is too short for its index")?;
        let index = index.decode(stored)?;
        let numbers: Vec<u64> = index.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        chunks.gather(&self.shape, |number, _| match numbers[2 * number..2 * number + 2] {
            [u64::MAX, u64::MAX] => Ok(None),
            [at, length] => {
                let stored = bytes.get(at as usize..).and_then(|bytes| bytes.get(..length as usize));
                Ok(Some(stored.ok_or("its index leads out of its shard")?.into()))
            }
            _ => Ok(None),
        })
    }
}

/// Copies the rows of a chunk, as far as they lie in the array.
fn copy(elements: &mut [u8], shape: &[u64], stored: &[u8], chunk: &[u64], place: &[u64], size: usize) {
    let axes = shape.len();
    let Some(last) = axes.checked_sub(1) else {
        elements.copy_from_slice(stored);
        return;
    };
    let origin: Vec<u64> = place.iter().zip(chunk).map(|(at, chunk)| at * chunk).collect();
    let length = chunk[last].min(shape[last] - origin[last]) as usize * size;
    let inside: Vec<u64> = (0..axes).map(|axis| chunk[axis].min(shape[axis] - origin[axis])).collect();
    let rows: u64 = inside[..last].iter().product();
    for row in 0..rows {
        let mut rest = row;
        let mut at = vec![0; axes];
        for axis in (0..last).rev() {
            (at[axis], rest) = (rest % inside[axis], rest / inside[axis]);
        }
        let index = (0..axes).fold(0, |index, axis| index * shape[axis] + origin[axis] + at[axis]);
        let source = (0..axes).fold(0, |index, axis| index * chunk[axis] + at[axis]);
        let (from, to) = (source as usize * size, index as usize * size);
        elements[to..to + length].copy_from_slice(&stored[from..from + length]);
    }
}
