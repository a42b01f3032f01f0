//! The process ends, or the system fails, at each operation.

use super::super::{Manifest, Recording, RunFolder};
use super::{Found, Scenario, Until, place};
use squeeze_engine::simulation::Backend;
use squeeze_host::files::probe::{Operation, Probe, Verdict, watch};
use squeeze_testing::{counts, is_chosen};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The fault of the n-th operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The process ends before it.
    End,
    /// The process ends after it; if it writes, after half of it.
    EndHalfway,
    /// There is no space for it, nor for any later one.
    NoSpace,
    /// Half of it is written, then there is no space any more.
    HalfASpace,
    /// It fails.
    InputOutput,
    /// Half of it is written, which is no failure.
    Short,
}

impl Fault {
    const ENDS: [Fault; 2] = [Fault::End, Fault::EndHalfway];
    const FAILURES: [Fault; 4] = [Fault::NoSpace, Fault::HalfASpace, Fault::InputOutput, Fault::Short];
}

/// Counts operations, and lets a fault befall one of them.
struct Faulty {
    fault: Option<(Fault, usize)>,
    count: usize,
}

impl Probe for Faulty {
    fn before(&mut self, operation: &Operation<'_>) -> Verdict {
        use Operation::{Create, CreateUnnamed, MakeFolder, Write};
        const NO_SPACE: i32 = 28;
        const INPUT_OUTPUT: i32 = 5;
        self.count += 1;
        let Some((fault, at)) = self.fault else { return Verdict::Go };
        let error = |code| Verdict::Fail(std::io::Error::from_raw_os_error(code));
        let takes_space = matches!(operation, Create(_) | CreateUnnamed(_) | MakeFolder(_) | Write(..));
        match fault {
            Fault::End if self.count == at => std::process::abort(),
            Fault::NoSpace if self.count >= at && takes_space => error(NO_SPACE),
            Fault::HalfASpace if self.count > at && takes_space => error(NO_SPACE),
            Fault::EndHalfway | Fault::HalfASpace | Fault::Short if self.count == at => Verdict::Half,
            Fault::InputOutput if self.count == at => error(INPUT_OUTPUT),
            _ => Verdict::Go,
        }
    }

    fn after(&mut self, _operation: &Operation<'_>) {
        if matches!(self.fault, Some((Fault::EndHalfway, at)) if self.count == at) {
            std::process::abort();
        }
    }
}

/// A run that nothing befell, and the number of its operations.
fn undisturbed(scenario: &Scenario) -> (Found, usize) {
    let place = place();
    let folder = place.path().join("run");
    let probe = Arc::new(Mutex::new(Faulty { fault: None, count: 0 }));
    let watched = watch(place.path(), probe.clone());
    assert_eq!(scenario.drive(&folder).unwrap(), [""; 0]);
    drop(watched);
    let count = probe.lock().unwrap().count;
    assert!(count > 100, "only {count} operations go through the layer");
    (scenario.found(&folder), count)
}

/// Calls `work` with every number from 1 to `last`, on as many threads as there are processors.
fn for_each_number(last: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(1);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && number <= last
                {
                    work(number);
                }
            });
        }
    });
}

/// Threads come to their operations now earlier and now later: this many more are tried than a run was seen to do.
const MORE: usize = 10;

const CHILD: &str = "SQUEEZE_TEST_CRASH";

/// The work of the processes that end. It tests nothing by itself.
#[test]
#[ignore = "the process of another test"]
fn a_process_that_ends() {
    let Ok(said) = std::env::var(CHILD) else { return };
    let words: Vec<&str> = said.splitn(4, ' ').collect();
    let (fault, at) = (Fault::ENDS[words[0].parse::<usize>().unwrap()], words[1].parse().unwrap());
    let place = Path::new(words[3]);
    let scenario = Scenario::of_kind(words[2], place);
    let run = place.join("run");
    let _watched = watch(&run, Arc::new(Mutex::new(Faulty { fault: Some((fault, at)), count: 0 })));
    scenario.drive(&run).unwrap();
}

fn end_everywhere(kind: &str) {
    let origin = place();
    let scenario = Scenario::of_kind(kind, origin.path());
    let (expected, count) = undisturbed(&scenario);
    let points = [(format!("operations of the run `{kind}`, at each of which it ends"), count as u64)];
    counts::about(&format!("ends_from_{kind}"), &points.into(), MORE as u64);
    let through = AtomicUsize::new(0);
    for (number, fault) in Fault::ENDS.into_iter().enumerate() {
        for_each_number(count + MORE, |at| {
            // By day every second operation meets one of the two ends, by turns.
            if !is_chosen(at + 2 * number, 2 * Fault::ENDS.len()) {
                return;
            }
            let place = place();
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", "run::crashes::tests::a_process_that_ends", "--ignored", "--nocapture"]);
            child.env(CHILD, format!("{number} {at} {kind} {}", place.path().display()));
            let status = child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
            let when = format!("{fault:?} at operation {at}");
            if status.success() {
                through.fetch_add(1, Ordering::Relaxed);
            } else {
                assert_eq!(status.code(), None, "{when}: the process failed and did not end");
            }
            let folder = place.path().join("run");
            let notes = scenario.drive(&folder).unwrap_or_else(|error| panic!("{when}: {error}"));
            assert_eq!(notes, [""; 0], "{when}: nothing complete is lost");
            expected.check(&scenario.found(&folder), &when);
        });
    }
    assert!(through.into_inner() > 0, "the last processes must get through");
}

#[test]
fn a_run_with_first_values_may_end_at_any_operation() {
    end_everywhere("file");
}

#[test]
fn a_run_from_its_seed_may_end_at_any_operation() {
    end_everywhere("seed");
}

#[test]
fn a_run_that_saves_in_passing_may_end_at_any_operation() {
    end_everywhere("passing");
}

#[test]
fn a_sweep_may_end_at_any_operation() {
    end_everywhere("sweep");
}

#[test]
fn any_operation_may_fail() {
    let origin = place();
    let mut failures = 0;
    for scenario in [Scenario::from_file(origin.path()), Scenario::from_seed(), Scenario::sweep()] {
        let (expected, count) = undisturbed(&scenario);
        for (turn, fault) in Fault::FAILURES.into_iter().enumerate() {
            // By day every second operation meets one of the four failures, by turns.
            let is_met = |at: usize| is_chosen(at + 3 * turn, 13);
            failures += (1..=count).filter(|at| is_met(*at)).count() as u64;
            for_each_number(count + MORE, |at| {
                if !is_met(at) {
                    return;
                }
                let place = place();
                let folder = place.path().join("run");
                let probe = Faulty { fault: Some((fault, at)), count: 0 };
                let watched = watch(place.path(), Arc::new(Mutex::new(probe)));
                let first = scenario.drive(&folder);
                drop(watched);
                let when = format!("{fault:?} at operation {at}: {first:?}");
                if fault == Fault::Short {
                    assert!(first.is_ok(), "{when}");
                }
                if let Err(error) = &first {
                    assert!(!error.to_string().contains("panicked") && !error.is_users(), "{when}");
                }
                scenario.drive(&folder).unwrap_or_else(|error| panic!("{when}, then {error}"));
                expected.check(&scenario.found(&folder), &when);
            });
        }
    }
    let less = 3 * Fault::FAILURES.len() * MORE / 8;
    counts::about("failures", &[("failures of operations of a run".to_owned(), failures)].into(), less as u64);
}

/// A table is mended, and what was there kept, whatever fails meanwhile.
#[test]
fn mending_a_table_may_fail_at_any_operation() {
    let scenario = Scenario::from_seed();
    let (expected, _) = undisturbed(&scenario);
    let whole = String::from_utf8(expected.files[Path::new("observables.csv")].clone()).unwrap();
    let damaged: String = whole.lines().filter(|row| !row.starts_with("5,")).map(|row| format!("{row}\r\n")).collect();
    let damaged = damaged.replace("\n3,", "\n3,9");
    let resume = |fault: Option<(Fault, usize)>| {
        let place = place();
        let folder = place.path().join("run");
        scenario.drive(&folder).unwrap();
        std::fs::write(folder.join("observables.csv"), &damaged).unwrap();
        let probe = Arc::new(Mutex::new(Faulty { fault, count: 0 }));
        let watched = watch(place.path(), probe.clone());
        let first = super::unlocked(|| scenario.resume(&folder));
        drop(watched);
        let when = format!("{fault:?}: {first:?}");
        if let Ok((_, notes)) = &first {
            assert!(notes.iter().any(|note| note.contains("what was there is kept in")), "{when}");
        }
        super::unlocked(|| scenario.resume(&folder)).unwrap_or_else(|error| panic!("{when}, then {error}"));
        let mut found = scenario.found(&folder);
        let kept = found.files.remove(Path::new("observables.damaged.csv"));
        assert!(kept.is_some_and(|kept| kept == damaged.as_bytes()), "{when}");
        expected.check(&found, &when);
        probe.lock().unwrap().count
    };
    let count = resume(None);
    for (turn, fault) in Fault::FAILURES.into_iter().enumerate() {
        for_each_number(count + MORE, |at| {
            // By day each operation meets one of the four failures, by turns.
            if is_chosen(at + turn, 4) {
                resume(Some((fault, at)));
            }
        });
    }
}

/// Rows that were still missing when a resumed run was stopped are computed when it is resumed once more.
#[test]
fn a_table_may_be_mended_later() {
    let scenario = Scenario::from_seed();
    let (expected, _) = undisturbed(&scenario);
    let place = place();
    let folder = place.path().join("run");
    scenario.drive(&folder).unwrap();
    let whole = std::fs::read_to_string(folder.join("observables.csv")).unwrap();
    std::fs::write(folder.join("observables.csv"), whole.replace("\n3,", "\n3,9")).unwrap();
    let stopped = super::unlocked(|| {
        let run = RunFolder::open(&folder)?;
        let manifest = Manifest::read(&run)?;
        let builder = manifest.builder()?.backend(Backend::Reference);
        Ok(Recording::resume(run, manifest, || builder.clone().build(), &mut Until(0, 0))?.2)
    });
    assert!(stopped.unwrap()[0].contains("the row of step 3 is still missing; what was there is kept in"));
    let notes = super::unlocked(|| scenario.resume(&folder)).unwrap().1;
    assert!(notes[0].ends_with("is damaged: the row of step 3 is computed again"), "{notes:?}");
    let mut found = scenario.found(&folder);
    assert!(found.files.remove(Path::new("observables.damaged.csv")).is_some());
    expected.check(&found, "later");
}

/// Refuses to make files or folders durable.
struct Unsynced {
    code: i32,
    folders: bool,
}

impl Probe for Unsynced {
    fn before(&mut self, operation: &Operation<'_>) -> Verdict {
        match operation {
            Operation::SyncFolder(_) if self.folders => Verdict::Fail(std::io::Error::from_raw_os_error(self.code)),
            Operation::Sync(_) if !self.folders => Verdict::Fail(std::io::Error::from_raw_os_error(self.code)),
            _ => Verdict::Go,
        }
    }
}

/// Some file systems sync no folders, and say so in several ways. Failures of a disk are told, and so is all of files.
#[test]
#[cfg(target_os = "linux")]
fn folders_need_not_be_synced_where_that_cannot_be() {
    let [io, bad_file, invalid, no_such_call, not_supported] = [5, 9, 22, 38, 95];
    let scenario = Scenario::from_seed();
    let (expected, _) = undisturbed(&scenario);
    let drive = |folders: bool, code: i32| {
        let place = place();
        let _watched = watch(place.path(), Arc::new(Mutex::new(Unsynced { code, folders })));
        scenario.drive(&place.path().join("run")).map(|_| scenario.found(&place.path().join("run")))
    };
    for code in [bad_file, invalid, no_such_call, not_supported] {
        expected.check(&drive(true, code).unwrap(), &format!("folders give {code}"));
        assert!(drive(false, code).is_err_and(|error| !error.is_users()), "files give {code}");
    }
    assert!(drive(true, io).is_err() && drive(false, io).is_err());
}
