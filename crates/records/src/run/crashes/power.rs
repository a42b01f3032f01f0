//! The machine loses its power: bytes and names that were not made durable may be lost, wholly or in part.
//!
//! The operations of a run are recorded, and their effect is modelled. A file holds its bytes and those that are durable; a folder its names,
//! those that are durable, and the changes between. After each operation the power is cut: then the bytes that are left of a file are
//! the durable ones, the present ones, or these without the last of those that are not durable; of the changes of a folder none are left, all, or any; a change of name
//! is one change. That is less than any file system promises.

use super::{Scenario, place, read_files};
use squeeze_host::files::probe::{Operation, Probe, Verdict, watch};
use squeeze_testing::{all_cases, counts};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// An operation that was done.
#[derive(Clone, Debug)]
enum Done {
    /// A file is there; if it was not, it is new and empty.
    File(PathBuf),
    Unnamed(PathBuf),
    Write(PathBuf, Vec<u8>),
    SetLength(PathBuf, u64),
    Sync(PathBuf),
    SyncFolder(PathBuf),
    MakeFolder(PathBuf),
    Link(PathBuf, PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
}

#[derive(Default)]
struct Recorder(Vec<Done>);

impl Probe for Recorder {
    fn before(&mut self, _operation: &Operation<'_>) -> Verdict {
        Verdict::Go
    }

    fn after(&mut self, operation: &Operation<'_>) {
        let own = Path::to_owned;
        self.0.push(match *operation {
            Operation::Create(path) | Operation::Open(path) => Done::File(own(path)),
            Operation::CreateUnnamed(path) => Done::Unnamed(own(path)),
            Operation::Write(path, bytes) => Done::Write(own(path), bytes.to_vec()),
            Operation::SetLength(path, length) => Done::SetLength(own(path), length),
            Operation::Sync(path) => Done::Sync(own(path)),
            Operation::SyncFolder(path) => Done::SyncFolder(own(path)),
            Operation::MakeFolder(path) => Done::MakeFolder(own(path)),
            Operation::Link(from, to) => Done::Link(own(from), own(to)),
            Operation::Rename(from, to) => Done::Rename(own(from), own(to)),
            Operation::RemoveFile(path) | Operation::RemoveFolder(path) => Done::Remove(own(path)),
            Operation::Lock(_) | Operation::List(_) | Operation::Read(_) => return,
        });
    }
}

type Names = BTreeMap<OsString, usize>;
/// Names that come (with their files) and go, together.
type Change = Vec<(OsString, Option<usize>)>;

#[derive(Clone, Debug)]
enum Node {
    File { bytes: Vec<u8>, durable: Vec<u8> },
    Folder { names: Names, durable: Names, pending: Vec<Change> },
}

impl Node {
    fn file() -> Node {
        Node::File { bytes: Vec::new(), durable: Vec::new() }
    }

    fn folder() -> Node {
        Node::Folder { names: Names::new(), durable: Names::new(), pending: Vec::new() }
    }
}

fn apply(names: &mut Names, change: &Change) {
    for (name, node) in change {
        match node {
            Some(node) => _ = names.insert(name.clone(), *node),
            None => _ = names.remove(name),
        }
    }
}

/// A disk below a folder; the folder itself is durable.
struct Disk {
    root: PathBuf,
    /// The first one is the root.
    nodes: Vec<Node>,
    unnamed: BTreeMap<PathBuf, usize>,
}

impl Disk {
    fn new(root: &Path) -> Disk {
        Disk { root: root.to_owned(), nodes: vec![Node::folder()], unnamed: BTreeMap::new() }
    }

    fn find(&self, path: &Path) -> Option<usize> {
        if let Some(node) = self.unnamed.get(path) {
            return Some(*node);
        }
        let inside = path.strip_prefix(&self.root).unwrap();
        inside.iter().try_fold(0, |node, name| match &self.nodes[node] {
            Node::Folder { names, .. } => names.get(name).copied(),
            Node::File { .. } => None,
        })
    }

    fn change(&mut self, folder: &Path, change: Change) {
        let folder = self.find(folder).unwrap();
        let Node::Folder { names, pending, .. } = &mut self.nodes[folder] else { panic!("a file is no folder") };
        apply(names, &change);
        pending.push(change);
    }

    fn name(&mut self, path: &Path, node: usize) {
        self.change(path.parent().unwrap(), vec![(path.file_name().unwrap().to_owned(), Some(node))]);
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn bytes(&mut self, path: &Path) -> (&mut Vec<u8>, &mut Vec<u8>) {
        let node = self.find(path).unwrap();
        match &mut self.nodes[node] {
            Node::File { bytes, durable } => (bytes, durable),
            Node::Folder { .. } => panic!("{} is a folder", path.display()),
        }
    }

    fn follow(&mut self, done: &Done) {
        match done {
            Done::File(path) if self.find(path).is_some() => {}
            Done::File(path) => {
                let node = self.add(Node::file());
                self.name(path, node);
            }
            Done::Unnamed(path) => {
                let node = self.add(Node::file());
                self.unnamed.insert(path.clone(), node);
            }
            Done::Write(path, bytes) => self.bytes(path).0.extend_from_slice(bytes),
            Done::SetLength(path, length) => self.bytes(path).0.resize(*length as usize, 0),
            Done::Sync(path) => {
                let (bytes, durable) = self.bytes(path);
                durable.clone_from(bytes);
            }
            Done::SyncFolder(path) => {
                let folder = self.find(path).unwrap();
                let Node::Folder { names, durable, pending } = &mut self.nodes[folder] else { panic!("a file") };
                durable.clone_from(names);
                pending.clear();
            }
            Done::MakeFolder(path) => {
                let node = self.add(Node::folder());
                self.name(path, node);
            }
            Done::Link(from, to) => {
                let node = self.unnamed[from];
                self.name(to, node);
            }
            Done::Rename(from, to) => {
                assert_eq!(from.parent(), to.parent(), "a change of name between folders may be lost by half");
                let node = self.find(from).unwrap();
                let name = |path: &Path| path.file_name().unwrap().to_owned();
                self.change(to.parent().unwrap(), vec![(name(from), None), (name(to), Some(node))]);
            }
            Done::Remove(path) => {
                let name = path.file_name().unwrap().to_owned();
                self.change(path.parent().unwrap(), vec![(name, None)]);
            }
        }
    }

    /// Lays out the files that are left below a folder when the power is cut.
    fn cut(&self, node: usize, to: &Path, luck: &mut Luck) {
        match &self.nodes[node] {
            Node::File { bytes, durable } => {
                let same = bytes.iter().zip(durable).take_while(|(a, b)| a == b).count();
                let left = match luck.of(3) {
                    0 => durable,
                    1 => bytes,
                    _ => &bytes[..same + luck.of(bytes.len() - same + 1)],
                };
                fs::write(to, left).unwrap();
            }
            Node::Folder { durable, pending, .. } => {
                let mut left = durable.clone();
                let all = luck.of(3);
                for change in pending {
                    if all == 1 || all == 2 && luck.of(2) == 1 {
                        apply(&mut left, change);
                    }
                }
                fs::create_dir_all(to).unwrap();
                for (name, node) in left {
                    self.cut(node, &to.join(name), luck);
                }
            }
        }
    }
}

/// Numbers that decide which bytes and names are lost.
enum Luck {
    /// Everything that is not durable is lost.
    None,
    /// SplitMix64.
    Some(u64),
}

impl Luck {
    /// A number below this one.
    fn of(&mut self, below: usize) -> usize {
        let Luck::Some(state) = self else { return 0 };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % below as u64) as usize
    }
}

/// Partial losses that are tried after each operation, besides the loss of everything that can be lost.
const TRIALS: u64 = 12;
/// The same by day.
const TRIALS_BY_DAY: u64 = 6;
/// Operations that may be fewer than counted: threads come to theirs now earlier and now later.
const MORE: u64 = 10;

fn cut_everywhere(kind: &str) {
    let origin = place();
    let scenario = Scenario::of_kind(kind, origin.path());
    let whole = place();
    let recorder = Arc::new(Mutex::new(Recorder::default()));
    let watched = watch(whole.path(), recorder.clone());
    scenario.drive(&whole.path().join("run")).unwrap();
    drop(watched);
    let expected = scenario.found(&whole.path().join("run"));
    let operations = std::mem::take(&mut recorder.lock().unwrap().0);
    let mut disk = Disk::new(whole.path());
    let mut tried = BTreeSet::new();
    let trials = if all_cases() { TRIALS } else { TRIALS_BY_DAY };
    for (number, done) in operations.iter().enumerate() {
        disk.follow(done);
        for trial in 0..=trials {
            let mut luck = match trial {
                0 => Luck::None,
                trial => Luck::Some((number as u64) << 8 | trial),
            };
            let place = place();
            disk.cut(0, place.path(), &mut luck);
            let mut left = BTreeMap::new();
            read_files(place.path(), Path::new(""), &mut left);
            // Most operations change nothing that is durable.
            if !tried.insert(BuildHasherDefault::<DefaultHasher>::default().hash_one(&left)) {
                continue;
            }
            let folder = place.path().join("run");
            let when = format!("power cut after operation {number}, {done:?}, trial {trial}");
            let notes = scenario.drive(&folder).unwrap_or_else(|error| panic!("{when}: {error}"));
            assert_eq!(notes, [""; 0], "{when}: nothing complete is lost");
            expected.check(&scenario.found(&folder), &when);
        }
    }
    let least = match (scenario.is_sweep, trials) {
        (true, _) => 50,
        (false, TRIALS_BY_DAY) => 100,
        _ => 200,
    };
    assert!(tried.len() > least, "only {} disks differ", tried.len());
    let mut seen = BTreeMap::new();
    for done in &operations {
        let name = format!("{done:?}").split('(').next().map(|name| format!("operations {name}"));
        *seen.entry(name.unwrap_or_default()).or_default() += 1;
    }
    counts::about(&format!("operations_from_{kind}"), &seen, MORE);
    // All is durable at the end.
    let place = place();
    disk.cut(0, place.path(), &mut Luck::None);
    expected.check(&scenario.found(&place.path().join("run")), "at the end");
}

#[test]
fn power_may_be_cut_in_a_run_with_first_values() {
    cut_everywhere("file");
}

#[test]
fn power_may_be_cut_in_a_run_from_its_seed() {
    cut_everywhere("seed");
}

#[test]
fn power_may_be_cut_in_a_run_that_saves_in_passing() {
    cut_everywhere("passing");
}

#[test]
fn power_may_be_cut_in_a_sweep() {
    cut_everywhere("sweep");
}
