//! Files that a run writes besides its states: the manifest and the table of observables.

use super::{LEVEL, RULE, folder, simulation};
use crate::fuzz::{Random, Target, mutate};
use squeeze::run::{Manifest, Observations, Recording, RunFolder, Watch, plot};
use squeeze::texts::Text;
use squeeze::{Backend, chart, resolve};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The most that a mutated manifest may allocate for states: the oracle's time for more would be honest work.
const MEMORY: u64 = 1 << 18;

struct Blind;

impl Watch for Blind {}

/// A complete run of [`RULE`], with observables and states: its folder within `folder`.
pub(super) fn recorded(folder: &Path) -> PathBuf {
    let path = folder.join("run");
    let mut simulation = simulation();
    let (_, fractal) = resolve::fractal_with_texts("sierpinski_triangle").expect("it ships");
    let mut manifest = Manifest::default();
    manifest.fractal = fractal;
    manifest.rule.definition = "all".to_owned();
    manifest.rule.texts = vec![Text { name: "all.rule".to_owned(), text: RULE.to_owned() }];
    (manifest.level, manifest.seed) = (LEVEL, 1);
    manifest.params = vec!["p=0.25".to_owned(), "q=excited".to_owned()];
    let schedule = &mut manifest.schedule;
    (schedule.steps, schedule.observe_every, schedule.save_every) = (4, Some(1), Some(2));
    let folder = RunFolder::create(&path).expect("the folder can be made");
    let recording = Recording::begin(folder, manifest, &simulation, &mut Blind);
    recording.expect("the run can begin").run(&mut simulation, &mut Blind).expect("the run can end");
    path
}

pub(super) struct Manifests {
    corpus: Vec<Vec<u8>>,
    run: PathBuf,
    original: Manifest,
    _folder: TempDir,
}

impl Manifests {
    pub(super) fn new() -> Self {
        let folder = folder();
        let run = recorded(folder.path());
        let read = RunFolder::look(&run).and_then(|run| Manifest::read(&run));
        let original = read.expect("it was written just now");
        let mut corpus = crate::fuzz::corpus("manifest");
        let written = fs::read(run.join("manifest.json")).expect("it was written just now");
        // With its checksum no change gets through; manifests of older versions have none.
        let mut without: serde_json::Value = serde_json::from_slice(&written).expect("it is JSON");
        without.as_object_mut().expect("it is an object").remove("crc32c");
        corpus.extend([written, format!("{without:#}\n").into_bytes()]);
        Manifests { corpus, run, original, _folder: folder }
    }
}

impl Target for Manifests {
    fn corpus(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    fn mutate(&self, random: &mut Random) -> Vec<u8> {
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
            b"\"format\"",
            b"\"fractal\"",
            b"\"rule\"",
            b"\"texts\"",
            b"\"uses\"",
            b"\"level\"",
            b"\"seed\"",
            b"\"params\"",
            b"\"p=0.5\"",
            b"\"q=rest\"",
            b"\"steps\"",
            b"\"observe_every\"",
            b"\"lanes\"",
            b"\"squeeze\"",
            b"\"rho\"",
            b"\"sessions\"",
            b"\"result\"",
            b"0",
            b"1",
            b"-1",
            b"40",
            b"4294967296",
            b"18446744073709551616",
            b"\xff",
            b"\\u0000",
            b"step s { next b = !b }",
            b"moore(3)",
            b"levels [vicsek]",
            b"[[[[[[[[[[[[",
        ];
        mutate::json(&self.corpus, TOKENS, random)
    }

    fn feed(&mut self, input: &[u8]) -> Result<bool, String> {
        fs::write(self.run.join("manifest.json"), input).map_err(|error| error.to_string())?;
        let Ok(manifest) = RunFolder::look(&self.run).and_then(|run| Manifest::read(&run)) else { return Ok(false) };
        if manifest == self.original {
            return Ok(true);
        }
        let builder = manifest.builder().map(|builder| builder.backend(Backend::Reference).memory_limit(MEMORY));
        if let Ok(builder) = builder {
            _ = builder.build();
        }
        Ok(true)
    }
}

pub(super) struct Tables {
    corpus: Vec<Vec<u8>>,
    path: PathBuf,
    fed: u64,
    _folder: TempDir,
}

impl Tables {
    pub(super) fn new() -> Self {
        let folder = folder();
        let run = recorded(folder.path());
        let mut corpus = crate::fuzz::corpus("observables");
        corpus.push(fs::read(run.join("observables.csv")).expect("it was written just now"));
        Tables { corpus, path: folder.path().join("observables.csv"), fed: 0, _folder: folder }
    }
}

impl Target for Tables {
    fn corpus(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    fn mutate(&self, random: &mut Random) -> Vec<u8> {
        const TOKENS: &[&[u8]] = &[
            b"step",
            b",",
            b"\n",
            b"\r\n",
            b"0",
            b"1",
            b"-1",
            b"4294967295",
            b"4294967296",
            b"nan",
            b"inf",
            b"-inf",
            b"1.7e308",
            b"-1.7e308",
            b"5e-324",
            b"1e-310",
            b"0.1",
            b"9007199254740993",
            b",0",
            b"\n0,1\n",
            b"\"",
            b";",
            b" ",
            b"\t",
            b"\xff",
            b"\x00",
            b"# ",
            b"1e999",
            b"infinity",
        ];
        let mut bytes = mutate::words(&self.corpus, TOKENS, random);
        // Longer than what other inputs are cut to, now and then: many rows, many columns.
        if random.below(1000) == 0 {
            let (row, times) = (bytes.clone(), 1 + random.below(40));
            (0..times).for_each(|_| bytes.extend(&row));
        }
        bytes
    }

    fn feed(&mut self, input: &[u8]) -> Result<bool, String> {
        let observations = Observations::parse(&String::from_utf8_lossy(input));
        self.fed += 1;
        // To draw takes long; corpora are drawn always.
        if self.fed.is_multiple_of(16) || self.corpus.iter().any(|valid| valid == input) {
            let run = plot::Series { label: "fuzz".to_owned(), path: self.path.clone(), observations };
            let page = plot::page(&[run], "fuzz", &[], plot::Logarithmic::default());
            return Ok(page.is_ok_and(|page| chart::sheet(&page, None).to_svg().ends_with("</svg>\n")));
        }
        Ok(!observations.rows.is_empty())
    }
}
