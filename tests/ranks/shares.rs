//! States that ranks write together, beside those that one process writes.

use super::PATIENT;
use squeeze::engine::ranks::faulty::{FaultyWire, WireFault};
use squeeze::engine::ranks::in_process::wires;
use squeeze::engine::ranks::transport::Wire;
use squeeze::engine::shares::ShareWriter;
use squeeze::files::FileError;
use squeeze::geometry::FittedRule;
use squeeze::ir::StateId;
use squeeze::run::{Manifest, Recording, RunFolder, Schedule, Watch};
use squeeze::store::StateShare;
use squeeze::{Backend, Domain, Error, Simulation, SimulationBuilder, resolve};
use squeeze_tests::course::in_parallel;
use squeeze_tests::is_chosen;
use squeeze_tests::ranks::{Ended, over};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run whose states are of several chunks.
struct Run {
    fractal: String,
    rule: &'static str,
    level: u32,
    steps: u32,
    /// The bytes of pieces, if not the usual ones.
    room: Option<u64>,
}

/// Keeps what is remarked.
#[derive(Default)]
struct Remarks(Vec<String>);

impl Watch for Remarks {
    fn remark(&mut self, note: &str) {
        self.0.push(note.to_owned());
    }
}

impl Run {
    fn builder(&self) -> SimulationBuilder {
        let fractal = resolve::domain_with_texts(&self.fractal, &resolve::Edges::default()).unwrap().0;
        let builder = Simulation::builder(fractal, resolve::rule(self.rule).unwrap()).level(self.level);
        builder.seed(7).backend(Backend::Cpu).threads(1)
    }

    /// Records a simulation of it to the end, and returns the remarks.
    fn record(&self, folder: &Path, mut simulation: Simulation) -> Result<Vec<String>, Error> {
        let mut manifest = Manifest::default();
        manifest.fractal = resolve::domain_with_texts(&self.fractal, &resolve::Edges::default())?.1;
        manifest.rule = resolve::rule_with_texts(self.rule)?.1;
        (manifest.level, manifest.seed) = (self.level, 7);
        let mut schedule = Schedule::default();
        (schedule.steps, schedule.save_every) = (self.steps, Some(2));
        manifest.schedule = schedule;
        let mut remarks = Remarks::default();
        let mut recording = Recording::begin(RunFolder::create(folder)?, manifest, &simulation, &mut remarks)?;
        self.room.into_iter().for_each(|room| recording.set_room(room));
        recording.run(&mut simulation, &mut remarks)?;
        Ok(remarks.0)
    }

    fn record_alone(&self, folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        self.record(folder, self.builder().build().unwrap()).unwrap();
        files(folder)
    }

    fn record_by(
        &self,
        folder: &Path,
        wires: (Vec<Box<dyn Wire>>, Duration),
        writer: impl Fn(usize) -> Box<dyn ShareWriter> + Sync,
    ) -> Ended<Vec<String>> {
        over(wires, || self.builder(), writer, |simulation| self.record(folder, simulation))
    }

    /// Goes on alone with what there is.
    fn resume(&self, folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        if !folder.join("manifest.json").exists() {
            fs::remove_dir_all(folder).ok();
            return self.record_alone(folder);
        }
        let run = RunFolder::open(folder).unwrap();
        let manifest = Manifest::read(&run).unwrap();
        let build = || self.builder().build();
        let (mut recording, mut simulation, _) =
            Recording::resume(run, manifest, build, &mut Remarks::default()).unwrap();
        recording.run(&mut simulation, &mut Remarks::default()).unwrap();
        files(folder)
    }
}

/// All files below a folder but the manifest, without the identifier of the run, which is another each time.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let id = Manifest::read(&RunFolder::look(folder).unwrap()).unwrap().id.unwrap();
    let (mut all, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name != Path::new("manifest.json") {
                let bytes = fs::read(path).unwrap();
                let without = String::from_utf8(bytes.clone()).map(|text| text.replace(&id, "").into_bytes());
                all.insert(name, without.unwrap_or(bytes));
            }
        }
    }
    all
}

/// How many chunks of states there are.
fn chunks(files: &BTreeMap<PathBuf, Vec<u8>>) -> usize {
    files.keys().filter(|name| name.components().any(|part| part.as_os_str() == "c")).count()
}

fn small() -> Run {
    Run { fractal: "sierpinski_triangle".to_owned(), rule: "heat", level: 12, steps: 4, room: None }
}

#[test]
fn several_ranks_write_the_bytes_of_one() {
    let place = tempfile::tempdir().unwrap();
    let rock = place.path().join("rock.fractal");
    fs::write(&rock, "domain rock { size (700, 801)  cells random(0.7) from disorder }\n").unwrap();
    let run = |fractal: &str, rule, level| Run { fractal: fractal.to_owned(), rule, level, steps: 2, room: None };
    let runs = [
        small(),
        run("sierpinski_carpet", "gray_scott", 7),
        run("sierpinski_triangle", "life", 15),
        run("T700,801", "heat", 1),
        run(rock.to_str().unwrap(), "heat", 1),
        run("P800,700", "heat", 1),
    ];
    for (number, run) in runs.iter().enumerate() {
        let alone = run.record_alone(&place.path().join(format!("alone{number}")));
        let states = 1 + usize::from(run.rule == "gray_scott");
        assert!(chunks(&alone) >= 2 * 2 * states, "{}: {:?}", run.rule, alone.keys());
        for (at, ranks) in [2, 3, 5].into_iter().enumerate().filter(|(at, _)| is_chosen(at + number, 3)) {
            let folder = place.path().join(format!("{number}by{at}"));
            // Pieces of one chunk, of two, or of all.
            let room = [Some(1 << 20), Some(2 << 20), None][(number + at / 3 + ranks) % 3];
            let run = Run { fractal: run.fractal.clone(), room, ..*run };
            let share = |rank| Box::new(StateShare::new(rank % 2 == 0)) as Box<dyn ShareWriter>;
            let (remarks, others) = run.record_by(&folder, (wires(ranks), PATIENT), share);
            assert_eq!(remarks.unwrap(), [""; 0]);
            others.into_iter().for_each(|other| other.unwrap());
            assert!(files(&folder) == alone, "{} on {} by {ranks} ranks", run.rule, run.fractal);
        }
    }
}

/// A rank's writer that counts what it is dealt, and that does not see the folder, is slow, finds no space at some time, or loses what it writes last.
struct Hindered {
    share: StateShare,
    sees: bool,
    writes_left: usize,
    delay: Duration,
    loses: bool,
}

impl Hindered {
    fn new(sees: bool, writes_left: usize) -> Hindered {
        Hindered { share: StateShare::new(false), sees, writes_left, delay: Duration::ZERO, loses: false }
    }

    fn boxed(sees: bool, writes_left: usize) -> Box<dyn ShareWriter> {
        Box::new(Hindered::new(sees, writes_left))
    }
}

impl ShareWriter for Hindered {
    fn sees(&mut self, place: &[u8], rule: &FittedRule) -> bool {
        self.share.sees(place, rule) && self.sees
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, values: &[u8]) -> Result<(), Error> {
        const NO_SPACE: i32 = 28;
        std::thread::sleep(self.delay);
        if self.writes_left == 0 && self.loses {
            return Ok(());
        }
        if self.writes_left == 0 {
            let error = std::io::Error::from_raw_os_error(NO_SPACE);
            return Err(FileError::writing(Path::new("states/some.part/u/c/1"), error).into());
        }
        self.writes_left -= 1;
        self.share.write(state, cells, values)
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.share.settle()
    }
}

#[test]
fn every_rank_is_dealt_chunks() {
    let place = tempfile::tempdir().unwrap();
    for blocked in [1, 2] {
        let writer = |rank| Hindered::boxed(true, if rank == blocked { 0 } else { usize::MAX });
        let folder = place.path().join(blocked.to_string());
        let (found, _) = small().record_by(&folder, (wires(3), PATIENT), writer);
        let error = found.unwrap_err().to_string();
        let expected = format!("rank {blocked} of 3: cannot write `states/some.part/u/c/1`: No space left on device");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn the_first_rank_writes_all_where_another_does_not_see_the_folder() {
    let place = tempfile::tempdir().unwrap();
    let (run, folder) = (small(), place.path().join("several"));
    let alone = run.record_alone(&place.path().join("alone"));
    // Nobody else may write.
    let (remarks, others) = run.record_by(&folder, (wires(3), PATIENT), |rank| Hindered::boxed(rank != 2, 0));
    let folder_name = folder.display();
    let what = "so the first rank writes all states";
    assert_eq!(remarks.unwrap(), [format!("rank 2 does not see, or cannot write to, `{folder_name}`, {what}")]);
    others.into_iter().for_each(|other| other.unwrap());
    assert!(files(&folder) == alone);
}

#[test]
fn ranks_see_folders_in_which_they_can_write() {
    let place = tempfile::tempdir().unwrap();
    let (fractal, rule) = (resolve::fractal("sierpinski_triangle").unwrap(), resolve::rule("heat").unwrap());
    let rule = Domain::new(fractal, 3).unwrap().fit(&rule).unwrap();
    let sees = |part: &Path| StateShare::new(false).sees(part.as_os_str().as_encoded_bytes(), &rule);
    assert!(!sees(&place.path().join("none")));
    let array = place.path().join(&rule.state(StateId(0)).name);
    fs::create_dir(&array).unwrap();
    fs::write(array.join("zarr.json"), "{}").unwrap();
    assert!(!sees(place.path()), "no file can be made there");
    fs::create_dir(array.join("c")).unwrap();
    assert!(sees(place.path()));
    assert_eq!(fs::read_dir(array.join("c")).unwrap().count(), 0, "something is left");
}

#[cfg(unix)]
#[test]
fn folders_may_have_names_that_are_no_text() {
    let place = tempfile::tempdir().unwrap();
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"caf\xe9");
    let (run, folder) = (small(), place.path().join(name));
    let share = |_| Box::new(StateShare::new(false)) as Box<dyn ShareWriter>;
    let (remarks, others) = run.record_by(&folder, (wires(2), PATIENT), share);
    assert_eq!(remarks.unwrap(), [""; 0]);
    others.into_iter().for_each(|other| other.unwrap());
    assert!(files(&folder) == run.record_alone(&place.path().join("alone")));
}

/// A disk that is full for several ranks is one error: that of the first of them, when all others have let go of the folder.
#[test]
fn several_ranks_without_space_are_one_error() {
    let place = tempfile::tempdir().unwrap();
    for slow in [1, 2, 3] {
        let writer = |rank| {
            let delay = Duration::from_millis(if rank == slow { 150 } else { 0 });
            Box::new(Hindered { delay, ..Hindered::new(true, if rank == 3 { 9 } else { 0 }) }) as Box<dyn ShareWriter>
        };
        let (found, others) = small().record_by(&place.path().join(slow.to_string()), (wires(4), PATIENT), writer);
        let error = found.unwrap_err().to_string();
        assert!(error.starts_with("rank 1 of 4: cannot write `states/some.part/u/c/1`: No space left"), "{error}");
        for other in others {
            // They heard it from the first rank, and say nothing themselves.
            let told = other.unwrap_err().to_string();
            assert!(told.starts_with("rank 0 of 4: cannot write `states/some.part"), "{told}");
        }
    }
}

#[test]
fn chunks_that_are_missing_are_an_error() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("run");
    let run = Run { room: Some(1 << 20), ..small() };
    let (found, _) =
        run.record_by(&folder, (wires(2), PATIENT), |_| Box::new(Hindered { loses: true, ..Hindered::new(true, 0) }));
    let error = found.unwrap_err().to_string();
    assert!(error.contains("of 3 chunks of `u` the first rank sees "), "{error}");
    assert!(RunFolder::look(&folder).unwrap().state_times().unwrap().is_empty(), "an unfinished state has a name");
}

#[test]
fn a_rank_without_space_ends_all_and_the_run_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let run = small();
    let alone = run.record_alone(&place.path().join("alone"));
    for writes in 1..=2 {
        let folder = place.path().join(writes.to_string());
        let (found, others) = run.record_by(&folder, (wires(3), PATIENT), |rank| {
            Hindered::boxed(true, if rank == 1 { writes } else { usize::MAX })
        });
        let error = found.unwrap_err();
        assert!(error.to_string().contains("rank 1 of 3: ") && !error.is_users(), "{error}");
        assert!(others.iter().all(Result::is_err));
        let states = RunFolder::look(&folder).unwrap().state_times().unwrap();
        assert!(states.len() < 3, "an unfinished state has a name: {states:?}");
        assert!(run.resume(&folder) == alone);
    }
}

/// The first value that is not finite is found in whichever rank's share it lies.
#[test]
fn values_that_are_not_finite_are_found_as_by_one() {
    let place = tempfile::tempdir().unwrap();
    for (at, place_of_it) in [5, 1000, 3000].into_iter().enumerate() {
        let rule = place.path().join(format!("pole{at}.rule"));
        let text = format!("rule pole {{ state u: f32  init u = 1.0 / (f32(x + y) - {place_of_it}.0)  next u = u }}\n");
        fs::write(&rule, text).unwrap();
        let rule: &'static str = rule.to_str().unwrap().to_owned().leak();
        let run = Run { rule, ..small() };
        let alone = run.record(&place.path().join(format!("alone{at}")), run.builder().build().unwrap());
        let share = |_| Box::new(StateShare::new(false)) as Box<dyn ShareWriter>;
        let (found, _) = run.record_by(&place.path().join(format!("several{at}")), (wires(3), PATIENT), share);
        let (alone, found) = (alone.unwrap_err().to_string(), found.unwrap_err().to_string());
        assert!(alone == found && found.contains("inf in cell"), "{alone}, and {found}");
    }
}

/// Ranks are lost, and messages with them, while states are written: what is left goes on to the same files.
#[test]
fn ranks_that_are_lost_while_they_write_leave_a_run_that_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let run = Run { steps: 12, level: 11, ..small() };
    let alone = run.record_alone(&place.path().join("alone"));
    let faults = [WireFault::Reordered, WireFault::Doubled, WireFault::Dropped, WireFault::Flipped, WireFault::Stopped];
    let seeds = if squeeze_tests::all_cases() { 60 } else { 2 };
    let cases: Vec<(WireFault, u64)> = faults.iter().flat_map(|fault| (0..seeds).map(|seed| (*fault, seed))).collect();
    in_parallel(&cases, |(fault, seed)| {
        let folder = place.path().join(format!("{fault:?}{seed}"));
        let faulty = wires(4).into_iter().map(|wire| Box::new(FaultyWire::over(wire, *fault, *seed)) as Box<dyn Wire>);
        let deadline = if fault.is_harmless() { PATIENT } else { Duration::from_millis(400) };
        let start = Instant::now();
        let share = |_| Box::new(StateShare::new(true)) as Box<dyn ShareWriter>;
        let (found, _) = run.record_by(&folder, (faulty.collect(), deadline), share);
        assert!(found.is_ok() || !fault.is_harmless(), "{fault:?}, seed {seed}: {:?}", found.err());
        assert!(start.elapsed() < Duration::from_secs(60), "{fault:?}, seed {seed}");
        assert!(run.resume(&folder) == alone, "{fault:?}, seed {seed}");
    });
}
