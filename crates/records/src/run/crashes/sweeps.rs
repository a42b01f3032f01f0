//! Sweeps that are interrupted as runs are, at each of their operations.

use super::{Found, Scenario, read_files};
use crate::resolve;
use crate::sweep::work::{How, Watch, run_keeping};
use crate::sweep::{Sweep, SweepFolder, Wishes, first_cells};
use serde_json::Value as Json;
use squeeze_compiler::geometry::Domain;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::Backend;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// A domain that draws its cells for each seed, a rule, and seeds.
const DOMAIN: &str = "domain rock { size (5, 4)  cells random(0.7) from disorder }\n";
const RULE: &str = "rule spins { state up: bit  init up = random(0.5)  next up = up != (random(0.1))\n\
                    observe ones = count(up)  observe end = count(up) at end }\n";
const STEPS: u32 = 4;

/// Looks on, and stops nothing.
struct Nobody;

impl Watch for Nobody {}

/// The sweep of a scenario, whose domain lies in this folder.
fn sweep(place: &Path, seeds: &str, steps: u32) -> Result<Sweep> {
    let [domain, rule] = ["rock.fractal", "spins.rule"].map(|name| place.join(name).display().to_string());
    let cells = first_cells(&[], seeds, None)?;
    let (fractal, fractal_texts) = resolve::domain_with_cells(&domain, &resolve::Edges::default(), &cells)?;
    let (rule, rule_texts) = resolve::rule_with_texts(&rule)?;
    let domain = Domain::new(fractal, 1)?;
    let wishes = Wishes { seeds, observe_every: Some(2), ..Wishes::default() };
    Sweep::new(fractal_texts, rule_texts, &rule, &[domain], steps, wishes, &[])
}

/// Writes the texts of a sweep.
pub(super) fn write_texts(place: &Path) {
    fs::write(place.join("rock.fractal"), DOMAIN).unwrap();
    fs::write(place.join("spins.rule"), RULE).unwrap();
}

impl Scenario {
    /// Begins the sweep unless it was begun, and goes on with it to its end. Each member is written down at once.
    pub(super) fn drive_sweep(&self, folder: &Path) -> Result<()> {
        let (folder, sweep) = match folder.join("manifest.json").exists() {
            true => SweepFolder::open(folder)?,
            false => {
                // The texts lie outside of the watched folder.
                let place = super::place();
                write_texts(place.path());
                let sweep = sweep(place.path(), "0..16", STEPS)?;
                (SweepFolder::create(folder, &sweep)?, sweep)
            }
        };
        let how = How { backend: Backend::Reference, ..How::default() };
        let summary = run_keeping(Duration::ZERO, &folder, &sweep, (how, None), &[], &mut Nobody)?;
        assert!(summary.is_some(), "nobody stops it");
        Ok(())
    }

    /// The contents by which a complete sweep is compared with another: its tables and its manifest.
    pub(super) fn found_of_sweep(&self, folder: &Path) -> Found {
        let mut manifest: Json = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
        for of_process in ["crc32c", "sessions", "fractal", "rule"] {
            manifest.as_object_mut().unwrap().remove(of_process);
        }
        assert_eq!(manifest["cells"].as_array().unwrap().len(), 15, "the domains of all members but the first");
        let mut files = BTreeMap::new();
        read_files(folder, Path::new(""), &mut files);
        files.remove(Path::new("manifest.json"));
        Found { result: manifest.to_string(), states: BTreeMap::new(), files }
    }
}

/// Looks at the folder of members while a sweep runs, and stops it after a time.
struct Clock<'a> {
    folder: &'a Path,
    begin: Instant,
    /// How many members have come to their ends.
    ended: usize,
    /// The times of looks, with the members that had come to their ends, and those that were written down.
    seen: Vec<(Instant, usize, usize)>,
}

/// The files of members, and how many members are in them.
fn kept(folder: &Path) -> [usize; 2] {
    let (members, mut files) = (folder.join("members"), BTreeMap::new());
    if members.is_dir() {
        read_files(&members, Path::new(""), &mut files);
    }
    let members = files.values().map(|text| String::from_utf8_lossy(text).matches("member,").count()).sum();
    [files.len(), members]
}

impl Watch for Clock<'_> {
    fn wants_stop(&self) -> bool {
        self.begin.elapsed() > Duration::from_secs(2)
    }

    fn progress(&mut self, _steps: u64, _all: u64, members: usize) {
        self.ended = members;
        // To look takes longer than a member.
        if self.seen.last().is_none_or(|(last, ..)| last.elapsed() > Duration::from_millis(50)) {
            self.seen.push((Instant::now(), members, kept(self.folder)[1]));
        }
    }
}

/// A process that is killed loses the members of a short time alone, and the disk is asked for few files. One that is stopped loses none.
#[test]
fn a_kill_costs_the_members_of_a_short_time() {
    let place = super::place();
    write_texts(place.path());
    fs::write(place.path().join("rock.fractal"), "domain rock { size (20, 20) }\n").unwrap();
    let sweep = sweep(place.path(), "0..100000", 100).unwrap();
    let path = place.path().join("sweep");
    let folder = SweepFolder::create(&path, &sweep).unwrap();
    let how = How { backend: Backend::Reference, ..How::default() };
    let every = Duration::from_millis(300);
    let mut clock = Clock { folder: &path, begin: Instant::now(), ended: 0, seen: Vec::new() };
    assert!(run_keeping(every, &folder, &sweep, (how, None), &[], &mut clock).unwrap().is_none());
    let ended = clock.ended;
    for (number, (now, _, kept)) in clock.seen.iter().enumerate() {
        let before = clock.seen[..number].iter().rfind(|(then, ..)| *now - *then > every + Duration::from_millis(300));
        assert!(before.is_none_or(|(_, ended, _)| kept >= ended), "{kept} are kept of {before:?}");
    }
    let [files, kept] = kept(&path);
    let most = clock.begin.elapsed().as_millis() / every.as_millis() + 2;
    assert!(
        kept == ended && ended > 20 && (1..=most).contains(&(files as u128)),
        "{kept} of {ended} members in {files} files"
    );
}
