//! Initial values from single files: `.npy`, PNG, patterns, `.vti`.

use super::{STATES, folder, hash, simulation};
use crate::fuzz::{Random, Target, mutate};
use squeeze::{Simulation, initial};
use std::path::PathBuf;
use tempfile::TempDir;

pub(super) struct Values {
    corpus: Vec<Vec<u8>>,
    mutate: fn(&[Vec<u8>], &mut Random) -> Vec<u8>,
    simulation: Simulation,
    /// Patterns set bits alone.
    only_bits: bool,
    path: PathBuf,
    _folder: TempDir,
}

impl Values {
    pub(super) fn new(ending: &str, mutate: fn(&[Vec<u8>], &mut Random) -> Vec<u8>) -> Self {
        let folder = folder();
        let path = folder.path().join(format!("input.{ending}"));
        let corpus = crate::fuzz::corpus(ending);
        Values {
            corpus,
            mutate,
            simulation: simulation(),
            only_bits: ["png", "rle"].contains(&ending),
            path,
            _folder: folder,
        }
    }
}

impl Target for Values {
    fn corpus(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    fn mutate(&self, random: &mut Random) -> Vec<u8> {
        (self.mutate)(&self.corpus, random)
    }

    fn feed(&mut self, input: &[u8]) -> Result<bool, String> {
        std::fs::write(&self.path, input).map_err(|error| error.to_string())?;
        let mut accepted = false;
        // A valid input of the corpus fits one of the states.
        let states =
            if self.corpus.iter().any(|valid| valid == input) { &STATES[..] } else { &STATES[hash(input) % 7..][..1] };
        for state in if self.only_bits { &STATES[..1] } else { states } {
            let setting = format!("{state}={}", self.path.display());
            accepted |= initial::apply(&mut self.simulation, &[setting]).is_ok();
        }
        Ok(accepted)
    }
}

/// Heads of `.npy` files: magic, version, length, and a dictionary of Python.
pub(super) fn npy(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    const TOKENS: &[&[u8]] = &[
        b"{",
        b"}",
        b"(",
        b")",
        b"[",
        b"]",
        b"'",
        b"\"",
        b",",
        b":",
        b"'descr'",
        b"'fortran_order'",
        b"'shape'",
        b"True",
        b"False",
        b"'<f4'",
        b"'|b1'",
        b"'>i4'",
        b"'<u8'",
        b"'|O'",
        b"(27,)",
        b"(8, 8)",
        b"()",
        b"[('a', '<f4')]",
        b"0x10",
        b"1e9",
        b"-1",
        b"L",
        b"99999999999999999999",
        b"4294967296",
        b"\\x00",
        b"\x00",
        b"\xff",
        b"\n",
        b" ",
        b"\x93NUMPY",
        b"\x01\x00",
        b"\x02\x00",
        b"\x03\x00",
    ];
    let mut bytes = corpus[random.below(corpus.len())].clone();
    let head = |bytes: &[u8]| {
        10 + bytes.get(8..10).map_or(0, |length| usize::from(u16::from_le_bytes([length[0], length[1]])))
    };
    match random.below(4) {
        0 => return mutate::words(corpus, TOKENS, random),
        // Nested brackets in the head, however long it becomes.
        1 => {
            let depth = 1 << random.below(14);
            let brackets: [(&[u8], &[u8]); 3] = [(b"[", b"]"), (b"(", b")"), (b"{1:", b"}")];
            let (open, close) = brackets[random.below(3)];
            let at = 10 + random.below(head(&bytes).saturating_sub(10).max(1));
            let at = at.min(bytes.len());
            drop(bytes.splice(at..at, [open.repeat(depth), close.repeat(random.below(depth + 1))].concat()));
        }
        _ => {
            let end = head(&bytes).min(bytes.len());
            let dictionary = mutate::words(&[bytes[10.min(end)..end].to_vec()], TOKENS, random);
            drop(bytes.splice(10.min(end)..end, dictionary));
        }
    }
    // The length mostly fits what the head has become; else it says anything.
    let grown = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |newline| newline + 1);
    if bytes.len() >= 12 {
        match random.below(5) {
            0 => drop(bytes.splice(8..10, (mutate::word(random) as u16).to_le_bytes())),
            1 => {
                bytes[6] = 2;
                drop(bytes.splice(8..10, (mutate::word(random) as u32).to_le_bytes()));
            }
            2 => {
                bytes[6] = 2;
                drop(bytes.splice(8..10, (grown.saturating_sub(10) as u32).to_le_bytes()));
            }
            _ => drop(bytes.splice(8..10, (grown.saturating_sub(10) as u16).to_le_bytes())),
        }
    }
    bytes
}

/// Chunks of PNG files, with checksums that mostly fit.
pub(super) fn png(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    const TOKENS: &[&[u8]] = &[
        b"IHDR",
        b"IDAT",
        b"IEND",
        b"PLTE",
        b"tRNS",
        b"acTL",
        b"fcTL",
        b"fdAT",
        b"zTXt",
        b"iTXt",
        b"iCCP",
        b"tEXt",
        b"\x89PNG\r\n\x1a\n",
        b"\x00\x00\x00\x00",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x9c\x40",
        b"\x7f\xff\xff\xff",
        b"\x78\x9c",
        b"\x00\x00\x00\x0d",
    ];
    if random.below(4) == 0 {
        return mutate::words(corpus, TOKENS, random);
    }
    let original = &corpus[random.below(corpus.len())];
    let mut chunks = chunks(original);
    for _ in 0..1 + random.below(3) {
        let count = chunks.len();
        let at = random.below(count);
        match random.below(6) {
            // The sides, the depth, the colours, the method.
            0 | 1 if !chunks[0].1.is_empty() => {
                let head = &mut chunks[0].1;
                let field = random.below(7);
                if field < 2 && head.len() >= 8 {
                    let side = (mutate::word(random) as u32).to_be_bytes();
                    drop(head.splice(4 * field..4 * field + 4, side));
                } else if let Some(byte) = head.get_mut(6 + field) {
                    *byte = [0, 1, 2, 3, 4, 6, 8, 16, 255][random.below(9)];
                }
            }
            2 => {
                let copy = chunks[at].clone();
                chunks.insert(random.below(count), copy);
            }
            3 if count > 1 => drop(chunks.remove(at)),
            4 => chunks[at].0 = *TOKENS[random.below(12)].first_chunk().unwrap_or(b"IDAT"),
            _ => {
                let data = std::mem::take(&mut chunks[at].1);
                chunks[at].1 = mutate::words(&[data], TOKENS, random);
            }
        }
        if chunks.is_empty() {
            break;
        }
    }
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in chunks {
        bytes.extend((data.len() as u32).to_be_bytes());
        let start = bytes.len();
        bytes.extend(name);
        bytes.extend(data);
        let sum = crc32(&bytes[start..]);
        let sum = if random.below(20) == 0 { !sum } else { sum };
        bytes.extend(sum.to_be_bytes());
    }
    bytes
}

/// The names and contents of a PNG's chunks.
fn chunks(bytes: &[u8]) -> Vec<([u8; 4], Vec<u8>)> {
    let mut chunks = Vec::new();
    let mut rest = bytes.get(8..).unwrap_or_default();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let Some((name, after)) = after.split_first_chunk::<4>() else { break };
        let length = (u32::from_be_bytes(*length) as usize).min(after.len());
        chunks.push((*name, after[..length].to_vec()));
        rest = after.get(length + 4..).unwrap_or_default();
    }
    if chunks.is_empty() {
        chunks.push((*b"IHDR", Vec::new()));
    }
    chunks
}

/// The checksum of PNG (ISO 3309).
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

/// Patterns of all formats, which their first lines tell: runs of letters, rows, coordinates.
pub(super) fn patterns(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    const TOKENS: &[&[u8]] = &[
        b"b",
        b"o",
        b"$",
        b"!",
        b".",
        b"A",
        b"B",
        b"X",
        b"p",
        b"yO",
        b"yP",
        b":T10,10",
        b"x = ",
        b"y = ",
        b", rule = B3/S23",
        b"#C c\n",
        b"\n",
        b"\r\n",
        b" ",
        b"268435455o!",
        b"4294967295b",
        b"4294967295$",
        b"99999999999999999999o",
        b"0o",
        b"0$",
        b"1000000o$",
        b"65536b",
        b"x = 3, y = 3\n",
        b"\xff",
        b"\x00",
        b"\xef\xbb\xbf",
        b"24bo",
        b"-1o",
        b"1.5o",
        b"x",
        b"xo",
        b"\r",
        b"\xff\xfe",
        b"#Life 1.05\n",
        b"#Life 1.06\n",
        b"#P -3 5\n",
        b"#P 4294967295 -4294967295\n",
        b"#R 23/3\n",
        b"-9223372036854775808 0\n",
        b"#MCell 4.00\n",
        b"#RULE /2/3\n",
        b"#BOARD 4294967295x1\n",
        b"#WRAP 1\n",
        b"#L ",
        b"aA",
        b"jX",
        b"!Name\n",
        b"*.O\n",
    ];
    mutate::words(corpus, TOKENS, random)
}

/// Images of VTK, in the form that exports have: a head of tags, then arrays with their lengths.
pub(super) fn vti(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    const TOKENS: &[&[u8]] = &[
        b"<",
        b">",
        b"\"",
        b"=\"",
        b"_",
        b"<DataArray ",
        b"<CellData",
        b"</CellData>",
        b"<AppendedData encoding=\"raw\">",
        b"type=\"UInt8\"",
        b"type=\"Float64\"",
        b"Name=\"b\"",
        b"Name=\"f\"",
        b"offset=\"0\"",
        b"offset=\"18446744073709551615\"",
        b"Extent=\"0 8 0 8 0 1\"",
        b"Extent=\"0 4294967295 0 4294967295 0 1\"",
        b"byte_order=\"BigEndian\"",
        b"header_type=\"UInt32\"",
        b"compressor=\"vtkZLibDataCompressor\"",
        b"\x40\x00\x00\x00\x00\x00\x00\x00",
        b"\xff\xff\xff\xff\xff\xff\xff\xff",
    ];
    mutate::words(corpus, TOKENS, random)
}
