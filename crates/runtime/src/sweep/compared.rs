//! Comparing members: the bits that are kept while they run, and the matrices at the end.
//!
//! `members/N.bits` holds, for each time at which a member was observed, the bits of each overlap, filled up to whole bytes. It stands there as a whole
//! before `members/N.csv` does. When all members have come to their ends, the matrices `overlap/NAME/STEP.npy` are made of these files.

use super::error::{Result, SweepError};
use super::{Sweep, SweepFolder};
use crate::overlap::{Kernel, matrix, sliced};
use crate::simulation::Simulation;
use squeeze_host::files::{self, Bounded, FileError, Links, PendingFile};
use squeeze_host::memory;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

pub(super) use crate::overlap::Probes;

/// The folder of the matrices.
const OVERLAP: &str = "overlap";

/// What members are compared by, if the rule says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The names of the overlaps, in the order of the rule.
    pub names: Vec<String>,
    /// The cells of a member.
    pub cells: u64,
}

impl Compared {
    /// The bytes of one overlap of a member at one time.
    fn bytes(&self) -> u64 {
        self.cells.div_ceil(8)
    }

    /// The bytes of a member that was observed so many times.
    fn bytes_of_member(&self, times: usize) -> u64 {
        times as u64 * self.names.len() as u64 * self.bytes()
    }

    /// Whether all matrices of so many members fit in memory, one after the other.
    ///
    /// # Errors
    /// [`SweepError::Matrix`] if they do not.
    pub(super) fn check(&self, members: usize) -> Result<()> {
        let (needed, available) = (16 * (members as u64).saturating_mul(members as u64), memory::available());
        if needed <= available / 2 {
            return Ok(());
        }
        let [needed, available] = [needed, available].map(|bytes| memory::describe(bytes as f64));
        Err(SweepError::Matrix { name: self.names[0].clone(), members, needed, available })
    }
}

/// The bits of a member that is running.
pub(super) struct BitsFile {
    path: PathBuf,
    file: PendingFile,
    bytes: Vec<u8>,
}

impl BitsFile {
    /// Begins the file of a member.
    pub fn begin(folder: &SweepFolder, member: usize) -> Result<BitsFile> {
        let path = path_of(folder.path(), member);
        Ok(BitsFile { file: PendingFile::begin_here(&path)?, path, bytes: Vec::new() })
    }

    /// Adds the bits of the present time.
    pub fn add(&mut self, probes: &mut Probes, simulation: &Simulation) -> Result<()> {
        self.bytes.clear();
        probes.bits(simulation, &mut self.bytes)?;
        Ok(self.file.file().write_all(&self.bytes).map_err(|error| FileError::writing(&self.path, error))?)
    }

    /// From here on the file is there.
    pub fn finish(self) -> Result<()> {
        Ok(self.file.finish(&[])?)
    }
}

fn path_of(folder: &Path, member: usize) -> PathBuf {
    folder.join(super::folder::MEMBERS).join(format!("{member}.bits"))
}

/// Whether the bits of a member with these rows are all there.
pub(super) fn are_kept(folder: &Path, sweep: &Sweep, member: usize, rows: &str) -> bool {
    sweep.compared.as_ref().is_none_or(|compared| {
        let file = Bounded::open(&path_of(folder, member), u64::MAX, Links::Refused);
        file.is_ok_and(|file| file.length() == compared.bytes_of_member(rows.lines().count()))
    })
}

/// Writes the matrices of all members, whose bits are in the folders that `folder_of` says.
pub(super) fn write_matrices<'a>(
    target: &Path,
    sweep: &Sweep,
    rows: &BTreeMap<usize, String>,
    folder_of: impl Fn(usize) -> &'a Path + Sync,
) -> Result<()> {
    let Some(compared) = &sweep.compared else { return Ok(()) };
    for member in rows.keys() {
        if !are_kept(folder_of(*member), sweep, *member, &rows[member]) {
            let path = path_of(folder_of(*member), *member);
            return Err(SweepError::Incomplete { path, reason: "it does not hold the bits of all times".to_owned() });
        }
    }
    let mut folders = vec![target.join(OVERLAP)];
    folders.extend(compared.names.iter().map(|name| target.join(OVERLAP).join(name)));
    for folder in &folders {
        if !folder.is_dir() {
            let made = files::make_folder(folder).and_then(|()| files::sync_parent(folder));
            made.map_err(|error| FileError::writing(folder, error))?;
        }
        files::remove_parts(folder).map_err(|error| FileError::writing(folder, error))?;
    }
    let times: BTreeMap<usize, usize> = rows.iter().map(|(member, rows)| (*member, rows.lines().count())).collect();
    for (number, time) in sweep.times().enumerate() {
        // A member whose rule has ended it has no state any more.
        let members: Vec<usize> =
            times.iter().filter(|(_, times)| **times > number).map(|(member, _)| *member).collect();
        if members.is_empty() {
            break;
        }
        for (index, folder) in folders[1..].iter().enumerate() {
            let begin = compared.bytes_of_member(number) + index as u64 * compared.bytes();
            let room = memory::available() / 2;
            let counter = Kernel::best();
            let counts =
                sliced(&counter, [members.len() as u64, room], compared.cells, 1 << 20, |row, cells, bytes| {
                    let path = path_of(folder_of(members[row]), members[row]);
                    let mut file = Bounded::open(&path, u64::MAX, Links::Refused)?;
                    let read = file.seek(begin + cells.start / 8).and_then(|()| file.read_exact(bytes));
                    Ok::<(), SweepError>(read.map_err(|error| FileError::reading(&path, error))?)
                })?;
            matrix::write_members(&counts, &members, sweep.members(), &folder.join(format!("{time}.npy")))?;
        }
    }
    Ok(())
}
