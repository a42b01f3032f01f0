//! The codecs of chunks: zstd (RFC 8878), then CRC-32C of that, little endian (RFC 3720, appendix B.4), as Zarr v3 names them.

use crate::json;
use serde_json::Value as Json;
use squeeze_engine::failure::{Message, Result};
use squeeze_host::files;
use std::io;
use std::path::Path;
use zstd::zstd_safe::{CParameter, ParamSwitch};

/// The level of compression. Repetitions are hardly looked for, beyond long runs: in states there are few others, and the entropy
/// coder, which is used in any case, finds more than level 1 does, in a third of the time.
pub(super) const LEVEL: i32 = -2000;

/// The stored bytes of a chunk: compressed, then their checksum.
pub(crate) fn encode(chunk: &[u8]) -> Result<Vec<u8>> {
    let compressed = || -> io::Result<Vec<u8>> {
        let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
        compressor.set_parameter(CParameter::LiteralCompressionMode(ParamSwitch::Enable))?;
        compressor.compress(chunk)
    };
    let mut stored = compressed().map_err(|error| Message::systems(format!("zstd: {error}")))?;
    stored.extend(crc32c::crc32c(&stored).to_le_bytes());
    Ok(stored)
}

/// The chunk of `length` bytes that was stored.
///
/// # Errors
/// The defect, as part of a sentence.
pub(super) fn decode(stored: &[u8], length: usize) -> Result<Vec<u8>, String> {
    let chunk = decompress(checked(stored)?, length)?;
    if chunk.len() == length { Ok(chunk) } else { Err(format!("it holds {} bytes instead of {length}", chunk.len())) }
}

/// The bytes before a checksum, if it is theirs.
pub(super) fn checked(stored: &[u8]) -> Result<&[u8], String> {
    let (bytes, sum) = stored.split_last_chunk::<4>().ok_or("it is too short")?;
    if crc32c::crc32c(bytes) == u32::from_le_bytes(*sum) { Ok(bytes) } else { Err("its checksum is wrong".to_owned()) }
}

/// At most `limit` bytes that zstd made small.
pub(super) fn decompress(bytes: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    zstd::bulk::decompress(bytes, limit).map_err(|error| format!("zstd: {error}"))
}

/// An array's metadata with no word of the level of compression, which decompression does not need.
pub(super) fn without_level(mut metadata: Json) -> Json {
    for codec in metadata.get_mut("codecs").and_then(Json::as_array_mut).into_iter().flatten() {
        if let Some(configuration) = codec.get_mut("configuration").and_then(Json::as_object_mut) {
            configuration.remove("level");
        }
    }
    metadata
}

/// The most bytes that are stored of a chunk of `chunk` bytes.
pub(super) fn most_stored(chunk: u64) -> u64 {
    // zstd adds at most a 256th and a few bytes to what it cannot make smaller.
    chunk.saturating_add(chunk / 128).saturating_add(4096)
}

/// Reads the `zarr.json` in a folder that is in a store.
pub(super) fn read_json(folder: &Path) -> Result<Json, String> {
    let path = folder.join("zarr.json");
    let bytes = files::read_text_bytes(&path).map_err(|error| error.to_string())?;
    json::of_file(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}
