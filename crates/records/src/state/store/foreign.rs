//! Zarr v3 arrays that others wrote, with the codecs that Python's `zarr` takes by itself.

use super::codecs;
use serde_json::{Value as Json, json};
use squeeze_host::files::{self, FileError};
use std::path::Path;

/// The most chunks of one array.
const MOST_CHUNKS: u64 = 1 << 21;
/// The most bytes of a chunk that may be larger than its array.
const SMALL: u64 = 1 << 24;

/// What turns a stored chunk into elements.
struct Chunks {
    zstd: bool,
    crc32c: bool,
    big_endian: bool,
}

/// All elements of an array in C order, little endian, in their natural width.
///
/// # Errors
/// What is wrong with it, or not known here, as part of a sentence.
pub(crate) fn read_whole_array(metadata: &Json, folder: &Path) -> Result<Vec<u8>, String> {
    let list = |value: &Json| -> Option<Vec<u64>> { value.as_array()?.iter().map(Json::as_u64).collect() };
    let shape = list(&metadata["shape"]).ok_or("it has no shape")?;
    let grid = &metadata["chunk_grid"];
    let chunk = list(&grid["configuration"]["chunk_shape"])
        .filter(|chunk| grid["name"] == "regular" && chunk.len() == shape.len() && !chunk.contains(&0));
    let chunk = chunk.ok_or("its chunk grid is not regular")?;
    let size: u64 = match metadata["data_type"].as_str() {
        Some("bool" | "int8" | "uint8") => 1,
        Some("uint16") => 2,
        Some("int32" | "uint32" | "float32") => 4,
        Some("int64" | "float64") => 8,
        _ => return Err("its data type is none that states have".to_owned()),
    };
    let codecs = Chunks::of(&metadata["codecs"])?;
    let separator = match &metadata["chunk_key_encoding"] {
        encoding if encoding["name"] == "default" => {
            match encoding["configuration"]["separator"].as_str().unwrap_or("/") {
                separator @ ("/" | ".") => separator,
                _ => return Err("its chunk keys are parted by neither `/` nor `.`".to_owned()),
            }
        }
        _ => return Err("its chunk keys are not the default ones".to_owned()),
    };
    let count = |shape: &[u64]| shape.iter().try_fold(size, |all, &side| all.checked_mul(side));
    let (all, chunk_bytes) =
        (count(&shape).ok_or("it is too large")?, count(&chunk).ok_or("its chunks are too large")?);
    // What a chunk has beyond the array is computed, stored and read for nothing.
    let most = all.saturating_mul(2).max(SMALL);
    if chunk_bytes > most {
        return Err(format!("its chunks have {chunk_bytes} bytes; of an array of {all} they may have {most}"));
    }
    let counts: Vec<u64> = shape.iter().zip(&chunk).map(|(side, chunk)| side.div_ceil(*chunk)).collect();
    let chunks = counts.iter().try_fold(1u64, |all, &count| all.checked_mul(count)).unwrap_or(u64::MAX);
    if chunks > MOST_CHUNKS {
        return Err(format!("it has {chunks} chunks; at most {MOST_CHUNKS} are read"));
    }
    let mut elements = vec![0u8; all as usize];
    let fill = is_zero(&metadata["fill_value"]);
    for number in 0..chunks {
        let mut place = vec![0; counts.len()];
        let mut rest: u64 = number;
        for (at, count) in place.iter_mut().zip(&counts).rev() {
            (*at, rest) = (rest % count, rest / count);
        }
        let key: Vec<String> = std::iter::once("c".to_owned()).chain(place.iter().map(u64::to_string)).collect();
        let limit = codecs::most_stored(chunk_bytes);
        let stored = match files::read_inside(folder, Path::new(&key.join(separator)), limit) {
            Ok(stored) => codecs.decode(&stored, chunk_bytes as usize, size as usize),
            // A chunk that holds nothing but the fill value need not be there.
            Err(FileError::Missing(_)) if fill => continue,
            Err(error) => Err(error.to_string()),
        };
        let stored = stored.map_err(|reason| format!("chunk {}: {reason}", key[1..].join("/")))?;
        copy(&mut elements, &shape, &stored, &chunk, &place, size as usize);
    }
    Ok(elements)
}

fn is_zero(fill: &Json) -> bool {
    *fill == json!(false) || fill.as_f64() == Some(0.0)
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

impl Chunks {
    fn of(codecs: &Json) -> Result<Chunks, String> {
        let mut chunks = Chunks { zstd: false, crc32c: false, big_endian: false };
        for (i, codec) in codecs.as_array().ok_or("it has no codecs")?.iter().enumerate() {
            match codec["name"].as_str() {
                Some("bytes") if i == 0 => chunks.big_endian = codec["configuration"]["endian"] == "big",
                Some("zstd") if i > 0 && !chunks.zstd && !chunks.crc32c => chunks.zstd = true,
                Some("crc32c") if i > 0 && !chunks.crc32c => chunks.crc32c = true,
                name => {
                    let name = name.unwrap_or("without a name");
                    return Err(format!(
                        "its codec `{name}` is not known here; `bytes`, then `zstd`, then `crc32c` are"
                    ));
                }
            }
        }
        Ok(chunks)
    }

    fn decode(&self, stored: &[u8], length: usize, size: usize) -> Result<Vec<u8>, String> {
        let bytes = if self.crc32c { codecs::checked(stored)? } else { stored };
        let mut bytes = if self.zstd { codecs::decompress(bytes, length)? } else { bytes.to_vec() };
        if bytes.len() != length {
            return Err(format!("it holds {} bytes instead of {length}", bytes.len()));
        }
        if self.big_endian && size > 1 {
            bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Ok(bytes)
    }
}
