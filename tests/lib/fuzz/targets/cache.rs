//! Entries of the cache of compiled kernels.

use super::folder;
use crate::fuzz::{Random, Target, mutate};
use squeeze::cuda::KernelCache;
use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const KEY: &str = "squeeze 0.1.0 nvrtc 13.0 --gpu-architecture=sm_90 Cubin\n__global__ void step() {}\n";
const CODE: &[u8] = b"what NVRTC made of it";

pub(super) struct Entries {
    corpus: Vec<Vec<u8>>,
    cache: KernelCache,
    entry: PathBuf,
    _folder: TempDir,
}

impl Entries {
    pub(super) fn new() -> Self {
        let folder = folder();
        let cache = KernelCache::at(folder.path().join("kernels"), 1 << 20);
        // SAFETY: nothing loads what is in this cache.
        let made = unsafe { cache.get_or(KEY, || Ok::<_, Infallible>(CODE.to_vec())) };
        assert_eq!(made, Ok(CODE.to_vec()));
        let mut entries = fs::read_dir(folder.path().join("kernels")).expect("the folder was made");
        let entry = entries.next().expect("an entry was written").expect("the folder can be listed").path();
        let mut corpus = crate::fuzz::corpus("cache");
        corpus.push(fs::read(&entry).expect("it was written just now"));
        Entries { corpus, cache, entry, _folder: folder }
    }
}

impl Target for Entries {
    fn corpus(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    fn mutate(&self, random: &mut Random) -> Vec<u8> {
        const TOKENS: &[&[u8]] = &[
            b"SQZKRN01",
            b"SQZKRN02",
            b"\x00\x00\x00\x00\x00\x00\x00\x00",
            b"\xff\xff\xff\xff\xff\xff\xff\xff",
            b"step",
            b"sm_90",
        ];
        let mut bytes = mutate::words(&self.corpus, TOKENS, random);
        if random.below(3) == 0 && bytes.len() >= 24 {
            let at = 8 * (1 + random.below(2));
            drop(bytes.splice(at..at + 8, mutate::word(random).to_le_bytes()));
        }
        if random.below(3) > 0 {
            bytes.truncate(bytes.len().saturating_sub(4));
            bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
        }
        bytes
    }

    fn feed(&mut self, input: &[u8]) -> Result<bool, String> {
        fs::write(&self.entry, input).map_err(|error| error.to_string())?;
        let mut made = false;
        let make = || {
            made = true;
            Ok::<_, Infallible>(CODE.to_vec())
        };
        // SAFETY: nothing loads what is in this cache.
        let Ok(code) = unsafe { self.cache.get_or(KEY, make) };
        // A checksum is no seal: an entry of this key with other code and a fitting sum is what its writer says.
        let holds_key = input.windows(KEY.len()).any(|window| window == KEY.as_bytes());
        if code != CODE && !holds_key {
            return Err("an entry of another key was taken".to_owned());
        }
        Ok(!made)
    }
}
