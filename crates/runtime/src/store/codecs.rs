//! The codecs of chunks: zstd (RFC 8878), then CRC-32C of that, little endian (RFC 3720, appendix B.4), as Zarr v3 names them.

use serde_json::Value as Json;
use std::io;
use std::path::Path;

/// The level of compression: what is faster than disks.
pub(super) const LEVEL: i32 = 1;

/// What is stored of a chunk.
///
/// # Errors
/// If memory is short.
pub(super) fn encode(chunk: &[u8]) -> io::Result<Vec<u8>> {
    let mut stored = zstd::bulk::compress(chunk, LEVEL)?;
    stored.extend(crc32c::crc32c(&stored).to_le_bytes());
    Ok(stored)
}

/// The chunk of so many bytes that was stored.
///
/// # Errors
/// What is wrong with it, as part of a sentence.
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

/// Reads a `zarr.json`.
pub(super) fn read_json(path: &Path) -> Result<Json, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}
