//! Runs that are interrupted at each of their operations on files, and resumed.
//!
//! A run takes initial values from a file, its observables, states and pictures, is stopped, and resumed to its end. At the n-th operation
//! the process ends, or the operation fails, for every n until the run gets through ([`tests`]); or the machine loses its power, and with it
//! what was not durable ([`power`]). Each time the run is then resumed, and all must be as if nothing had happened. The same befalls a sweep ([`sweeps`]).

mod power;
mod sweeps;
mod tests;

use super::{Manifest, Outcome, Recording, RunFolder, Schedule, Watch};
use crate::resolve;
use crate::state::initial;
use crate::state::store::ArrayShape;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{Backend, Simulation, SimulationError};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FRACTAL: &str = "vicsek";
const LEVEL: u32 = 2;
const STEPS: u32 = 6;
/// The time at which the run is stopped.
const STOP: u32 = 3;

/// A run: its rule, and where its initial values come from; or a sweep.
#[derive(Clone, Debug, Default)]
struct Scenario {
    is_sweep: bool,
    rule: &'static str,
    init: Vec<String>,
    /// Whether nothing but states is written, each of which goes when there is a later one.
    passing: bool,
}

/// Stops a run at some time.
struct Until(u32, u32);

impl Watch for Until {
    fn wants_stop(&self) -> bool {
        self.1 >= self.0
    }

    fn progress(&mut self, simulation: &Simulation) -> std::result::Result<(), SimulationError> {
        self.1 = simulation.time();
        Ok(())
    }
}

impl Scenario {
    /// A run whose initial values come from a file in this folder.
    fn from_file(folder: &Path) -> Scenario {
        let path = folder.join("first.rle");
        fs::write(&path, "x = 9, y = 9\n4bo$3b3o$4bo$bo2bo2bo$9o$bo5bo!\n").unwrap();
        Scenario { rule: "life", init: vec![format!("alive={}", path.display())], ..Scenario::default() }
    }

    /// A run whose initial values come from its seed; its states are of several arrays.
    fn from_seed() -> Scenario {
        Scenario { rule: "gray_scott", ..Scenario::default() }
    }

    /// A run that saves its states in passing.
    fn in_passing() -> Scenario {
        Scenario { rule: "heat", passing: true, ..Scenario::default() }
    }

    /// A sweep, each of whose members has a domain of its own.
    fn sweep() -> Scenario {
        Scenario { is_sweep: true, ..Scenario::default() }
    }

    fn of_kind(kind: &str, folder: &Path) -> Scenario {
        match kind {
            "file" => Scenario::from_file(folder),
            "seed" => Scenario::from_seed(),
            "sweep" => Scenario::sweep(),
            _ => Scenario::in_passing(),
        }
    }

    fn simulation(&self) -> Result<Simulation> {
        let builder = Simulation::builder(resolve::fractal(FRACTAL)?, resolve::rule(self.rule)?).level(LEVEL).seed(3);
        Ok(builder.backend(Backend::Reference).build()?)
    }

    fn begin(&self, folder: &Path, stop: u32) -> Result<Outcome> {
        let mut simulation = self.simulation()?;
        initial::apply(&mut simulation, &self.init)?;
        let every = |steps| Some(steps).filter(|_| !self.passing);
        let manifest = Manifest {
            fractal: resolve::fractal_with_texts(FRACTAL)?.1,
            rule: resolve::rule_with_texts(self.rule)?.1,
            level: LEVEL,
            seed: 3,
            init: self.init.clone(),
            schedule: Schedule {
                begin: 0,
                steps: STEPS,
                observe_every: every(1),
                observe_at: None,
                save_every: every(2),
                save_seconds: None,
                image_every: every(3),
                allow_nan: false,
            },
            ..Manifest::default()
        };
        let mut watch = Until(stop, 0);
        let mut recording = Recording::begin(RunFolder::create(folder)?, manifest, &simulation, &mut watch)?;
        while self.passing && simulation.time() < stop {
            simulation.step(1)?;
            recording.save(&simulation, true, &mut watch)?;
            watch.progress(&simulation)?;
        }
        recording.run(&mut simulation, &mut watch)
    }

    /// Goes on to the end; returns the outcome and notes on lost data.
    fn resume(&self, folder: &Path) -> Result<(Outcome, Vec<String>)> {
        let folder = RunFolder::open(folder)?;
        let manifest = Manifest::read(&folder)?;
        let builder = manifest.builder()?.backend(Backend::Reference);
        let mut watch = Until(u32::MAX, 0);
        let (mut recording, mut simulation, notes) =
            Recording::resume(folder, manifest, || builder.clone().build(), &mut watch)?;
        Ok((recording.run(&mut simulation, &mut watch)?, notes))
    }

    /// Begins the run unless it was begun, and goes on with it to its end.
    fn drive(&self, folder: &Path) -> Result<Vec<String>> {
        if self.is_sweep {
            return unlocked(|| self.drive_sweep(folder)).map(|()| Vec::new());
        }
        if !folder.join("manifest.json").exists() {
            unlocked(|| self.begin(folder, STOP))?;
        }
        let (outcome, notes) = unlocked(|| self.resume(folder))?;
        assert_eq!(outcome, Outcome::Complete);
        Ok(notes)
    }

    /// The contents by which a complete run is compared with another.
    fn found(&self, folder: &Path) -> Found {
        if self.is_sweep {
            return self.found_of_sweep(folder);
        }
        let run = RunFolder::look(folder).unwrap();
        let manifest = Manifest::read(&run).unwrap();
        let domain = self.simulation().unwrap().domain().clone();
        let shapes = ArrayShape::of_rule(&manifest.rule.rule().unwrap(), domain.cells());
        let states = run.state_times().unwrap().into_iter().map(|time| {
            let (_, state) = run.state(&manifest, Some(time), shapes.clone()).unwrap();
            (time, (0..shapes.len()).map(|field| state.digest(field).unwrap()).collect())
        });
        let states = states.collect();
        let mut files = BTreeMap::new();
        read_files(folder, Path::new(""), &mut files);
        files.retain(|path, _| !path.starts_with("states") && path != Path::new("manifest.json"));
        Found { result: manifest.result.unwrap().to_string(), states, files }
    }
}

/// Does something as soon as a folder is not locked. Another thread that starts a process gives it all that this one holds for an instant,
/// until the process becomes another program.
fn unlocked<T>(mut work: impl FnMut() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    loop {
        match work() {
            Err(error)
                if error.to_string().starts_with("another process works on")
                    && start.elapsed() < Duration::from_secs(20) =>
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            done => return done,
        }
    }
}

/// The contents of the folder of a complete run.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    result: String,
    /// The digests of the states by their time.
    states: BTreeMap<u32, Vec<u64>>,
    /// All other files but the manifest: the table and its checksums, pictures, the animation.
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Found {
    /// Checks that another run of the same has the same results. The state at which it was stopped may be missing.
    fn check(&self, other: &Found, when: &str) {
        assert_eq!(self.result, other.result, "{when}");
        for (time, digests) in &self.states {
            match other.states.get(time) {
                None => assert_eq!(*time, STOP, "{when}: a state is missing"),
                found => assert_eq!(found, Some(digests), "{when}: the state of step {time}"),
            }
        }
        assert!(other.states.keys().all(|time| self.states.contains_key(time)), "{when}: {:?}", other.states);
        let names = |found: &Found| found.files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(self), names(other), "{when}");
        for (name, bytes) in &self.files {
            assert!(other.files[name] == *bytes, "{when}: {} differs", name.display());
        }
    }
}

fn read_files(root: &Path, inside: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(root.join(inside)).unwrap() {
        let path = inside.join(entry.unwrap().file_name());
        if root.join(&path).is_dir() {
            read_files(root, &path, files);
            files.insert(path, Vec::new());
        } else {
            files.insert(path.clone(), fs::read(root.join(&path)).unwrap());
        }
    }
}

/// A folder for runs, in memory where that is possible: they are many.
fn place() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}
