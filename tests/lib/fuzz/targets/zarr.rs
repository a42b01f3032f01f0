//! States as Zarr: the group, one array's description, one chunk.

use super::runs::recorded;
use super::{STATES, folder, hash, simulation};
use crate::fuzz::{Random, Target, mutate};
use squeeze::run::{Manifest, RunFolder};
use squeeze::store::ArrayShape;
use squeeze::{Simulation, initial};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const TOKENS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\"",
    b"null",
    b"true",
    b"\"zarr_format\"",
    b"\"node_type\"",
    b"\"group\"",
    b"\"array\"",
    b"\"shape\"",
    b"\"data_type\"",
    b"\"uint8\"",
    b"\"bool\"",
    b"\"float32\"",
    b"\"float64\"",
    b"\"int32\"",
    b"\"uint32\"",
    b"\"chunk_grid\"",
    b"\"regular\"",
    b"\"configuration\"",
    b"\"chunk_shape\"",
    b"\"chunk_key_encoding\"",
    b"\"default\"",
    b"\"separator\"",
    b"\"/\"",
    b"\".\"",
    b"\"../..\"",
    b"\"codecs\"",
    b"\"bytes\"",
    b"\"endian\"",
    b"\"big\"",
    b"\"little\"",
    b"\"zstd\"",
    b"\"crc32c\"",
    b"\"gzip\"",
    b"\"fill_value\"",
    b"\"NaN\"",
    b"\"attributes\"",
    b"\"squeeze\"",
    b"\"bit\"",
    b"\"cells\"",
    b"0",
    b"1",
    b"27",
    b"64",
    b"-1",
    b"1e300",
    b"4294967296",
    b"18446744073709551615",
    b"18446744073709551616",
    b"\xff",
    b"\x00",
    b"\\ud800",
    b"[[[[[[[[",
];

/// The part of a state that is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ZarrPart {
    Group,
    Array,
    Chunk,
}

impl ZarrPart {
    fn name(self) -> &'static str {
        match self {
            ZarrPart::Group => "zarr-group",
            ZarrPart::Array => "zarr-array",
            ZarrPart::Chunk => "zarr-chunk",
        }
    }
}

pub(super) struct Folder {
    part: ZarrPart,
    corpus: Vec<Vec<u8>>,
    simulation: Simulation,
    run: PathBuf,
    /// The saved state that is changed.
    state: PathBuf,
    _folder: TempDir,
}

impl Folder {
    pub(super) fn new(part: ZarrPart) -> Self {
        let folder = folder();
        let run = recorded(folder.path());
        let state = run.join("states/4.zarr");
        let mut corpus = crate::fuzz::corpus(part.name());
        let read = |path: &str| fs::read(state.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        match part {
            ZarrPart::Group => corpus.push(read("zarr.json")),
            ZarrPart::Array => corpus.extend(STATES.map(|name| read(&format!("{name}/zarr.json")))),
            ZarrPart::Chunk => corpus.extend(STATES.map(|name| read(&format!("{name}/c/0")))),
        }
        Folder { part, corpus, simulation: simulation(), run, state, _folder: folder }
    }

    /// Reads a state of a run whole, as a resume does.
    fn read_run(&self) -> bool {
        let shapes = ArrayShape::of_rule(self.simulation.rule(), self.simulation.domain().cells());
        let folder = RunFolder::look(&self.run);
        let state = folder.and_then(|folder| folder.state(&Manifest::read(&folder)?, Some(4), shapes));
        state.is_ok_and(|(_, state)| (0..STATES.len()).all(|field| state.digest(field).is_ok()))
    }

    fn take(&mut self, name: &str, path: &Path) -> bool {
        initial::apply(&mut self.simulation, &[format!("{name}={}", path.display())]).is_ok()
    }
}

impl Target for Folder {
    fn corpus(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    fn mutate(&self, random: &mut Random) -> Vec<u8> {
        if self.part != ZarrPart::Chunk {
            return mutate::json(&self.corpus, TOKENS, random);
        }
        let mut bytes = mutate::words(&self.corpus, TOKENS, random);
        if random.below(4) > 0 {
            bytes.truncate(bytes.len().saturating_sub(4));
            bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
        }
        bytes
    }

    fn feed(&mut self, input: &[u8]) -> Result<bool, String> {
        let choice = hash(input);
        let valid = self
            .corpus
            .iter()
            .position(|valid| valid == input)
            .and_then(|at| (at + STATES.len()).checked_sub(self.corpus.len()));
        let name = STATES[valid.unwrap_or(choice % STATES.len()) % STATES.len()];
        let array = self.state.join(name);
        let path = match self.part {
            ZarrPart::Group => self.state.join("zarr.json"),
            ZarrPart::Array => array.join("zarr.json"),
            ZarrPart::Chunk => array.join("c/0"),
        };
        let failed = |error: std::io::Error| error.to_string();
        let before = fs::read(&path).map_err(failed)?;
        fs::write(&path, input).map_err(failed)?;
        let state = self.state.clone();
        let mut accepted = self.read_run();
        accepted |= self.take(name, &state);
        accepted |= self.take(name, &array);
        if self.part == ZarrPart::Array && choice.is_multiple_of(3) {
            // Once more without its chunks: chunks of one value may be missing.
            let (chunks, away) = (array.join("c"), array.join("away"));
            fs::rename(&chunks, &away).map_err(failed)?;
            accepted |= self.take(name, &array);
            fs::rename(&away, &chunks).map_err(failed)?;
        }
        fs::write(&path, before).map_err(failed)?;
        Ok(accepted)
    }
}
