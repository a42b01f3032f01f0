//! The folder of a sweep.

use super::collector::{Asked, MEMBERS};
use super::rows::Rows;
use super::summary::Groups;
use super::{Axis, DISORDER, Discard, LEVEL, MOST_MEMBERS, Shard, Summary, Sweep};
use crate::json;
use crate::observation_times::ObservationTimes;
use crate::run::{
    Checksums, MOST_BYTES, RunFolder, checksum, of_this_process, params_as_json, seal, unseal, value_as_json,
};
use crate::texts::{Digest, Texts};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use squeeze_engine::failure::{Error, Failure, Message, Result};
use squeeze_host::files::{self, FileError, Links, PendingFile};
use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// The most bytes of a table that is read.
pub(super) const MOST_TABLE: u64 = 1 << 34;
/// The table of observables,
pub(super) const TABLE: &str = "observables.csv";
/// the one of the members' ends,
const ENDS: &str = "ends.csv";
/// that of the means,
pub(super) const SUMMARY: &str = "summary.csv";
/// and a checksum for what the first two hold of each member, and one of the third.
pub(super) const SUMS: &str = "observables.crc";

/// The folder of a sweep. While it is kept, no other process can open it to write.
pub struct SweepFolder {
    folder: RunFolder,
    /// An entry for each process that worked on it.
    sessions: Vec<Json>,
}

impl SweepFolder {
    /// Makes a folder for a new sweep and writes its manifest.
    ///
    /// # Errors
    /// If something is in the folder, another process writes in it, or it cannot be made.
    pub fn create(path: &Path, sweep: &Sweep) -> Result<SweepFolder> {
        let folder = SweepFolder { folder: RunFolder::create(path)?, sessions: vec![session()] };
        folder.write(sweep, false)?;
        Ok(folder)
    }

    /// Makes the folder of the members' own files, unless it is there.
    pub(super) fn make_members(&self) -> Result<()> {
        let members = self.path().join(MEMBERS);
        if !members.is_dir() {
            let made = files::make_folder(&members).and_then(|()| files::sync_parent(&members));
            made.map_err(|error| FileError::writing(&members, error))?;
        }
        Ok(())
    }

    /// Opens the folder of a sweep to continue it. The cells of members that are there must be known to be those of all others.
    ///
    /// # Errors
    /// If there is no sweep, its cells are not known, or another process writes in it.
    pub fn open(path: &Path) -> Result<(SweepFolder, Sweep)> {
        let folder = RunFolder::open(path)?;
        let (sweep, complete) = read(path)?;
        if !complete || sweep.shard != Shard::WHOLE {
            sweep.fractal.fractal_of_known_cells()?;
        }
        let members = path.join(MEMBERS);
        if members.is_dir() {
            files::remove_parts(&members).map_err(|error| FileError::writing(&members, error))?;
        }
        files::remove_parts(path).map_err(|error| FileError::writing(path, error))?;
        let mut sessions = read_manifest(path)?.sessions;
        sessions.push(session());
        Ok((SweepFolder { folder, sessions }, sweep))
    }

    /// Reads what a sweep is made of, and whether it is complete.
    ///
    /// # Errors
    /// If there is no sweep.
    pub fn look(path: &Path) -> Result<(Sweep, bool)> {
        RunFolder::look(path)?;
        read(path)
    }

    /// Reads what a sweep is made of that has come to its end.
    pub(super) fn complete(path: &Path) -> Result<Sweep> {
        match SweepFolder::look(path)? {
            (sweep, true) => Ok(sweep),
            _ => Err(incomplete(&path.join(TABLE), "the sweep has not come to its end").into()),
        }
    }

    /// Whether a folder holds a sweep, and not a run.
    pub fn is_one(path: &Path) -> bool {
        let bytes = files::read(&path.join("manifest.json"), MOST_BYTES, Links::Followed);
        bytes.is_ok_and(|bytes| serde_json::from_slice(&bytes).is_ok_and(|json: Json| json.get("sweep").is_some()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    fn member_path(&self, member: usize) -> PathBuf {
        self.path().join(MEMBERS).join(format!("{member}.csv"))
    }

    /// Keeps the rows of a member that has come to its end.
    pub(super) fn keep(&self, member: usize, rows: &Rows) -> Result<()> {
        Ok(files::write_inside(&self.member_path(member), rows.sealed().as_bytes())?)
    }

    /// The rows of a member, if it has come to its end.
    pub(super) fn kept(&self, sweep: &Sweep, asked: &[Asked<'_>], member: usize) -> Result<Option<Rows>> {
        let path = self.member_path(member);
        let bytes = match files::read(&path, MOST_TABLE, Links::Followed) {
            Err(FileError::Missing(_)) => return Ok(None),
            bytes => bytes?,
        };
        // A file is complete or not there; what somebody has changed is computed again.
        let rows = std::str::from_utf8(&bytes).ok().and_then(|text| Rows::of_text(sweep, text));
        Ok(rows.filter(|rows| asked.iter().all(|asked| asked.is_kept(self.path(), member, rows))))
    }

    /// Whether all tables are there.
    pub(super) fn is_complete(&self) -> Result<bool> {
        Ok(read(self.path())?.1)
    }

    /// Writes the tables of these members, says so in the manifest, and forgets the members' own files. Gives the summary.
    pub(super) fn finish(&self, sweep: &Sweep, rows: &BTreeMap<usize, Rows>) -> Result<Summary> {
        let members = rows.keys().map(|&member| line_of_member(sweep, member));
        write_table(&self.path().join("members.csv"), head_of_members(sweep), members)?;
        let lines = rows.iter().flat_map(|(member, rows)| rows.lines.lines().map(move |row| format!("{member},{row}")));
        write_table(&self.path().join(TABLE), head(sweep), lines)?;
        let ends = rows.iter().map(|(&member, rows)| format!("{},{}", line_of_member(sweep, member), rows.last()));
        write_table(&self.path().join(ENDS), head_of_ends(sweep), ends)?;
        let groups = Groups::of(sweep, rows);
        write_table(&self.path().join("times.csv"), groups.head_of_times(sweep), groups.times(sweep))?;
        let settled = groups.settled(sweep);
        let summary = Summary::of(&settled, groups, rows);
        files::write_inside(&self.path().join(SUMMARY), summary.to_csv().as_bytes())?;
        if sweep.per_member {
            let means = Summary::of_members(&settled, rows);
            files::write_inside(&self.path().join("per_member.csv"), means.to_csv().as_bytes())?;
        }
        if let Some(lists) = summary.lists() {
            files::write_inside(&self.path().join("lists.csv"), lists.as_bytes())?;
        }
        let of_rows = rows.iter().map(|(&member, rows)| checksum(&sealed(member, rows)));
        let of_summary = checksum(&format!("{SUMMARY},{}", summary.to_csv()));
        let sums: String = of_rows.chain([of_summary]).collect();
        files::write_inside(&self.path().join(SUMS), sums.as_bytes())?;
        // A part does not know what all of them need.
        self.write(if sweep.shard == Shard::WHOLE { &settled } else { sweep }, true)?;
        let members = self.path().join(MEMBERS);
        // What was gathered of the members is needed when parts are joined.
        let is_part = sweep.shard != Shard::WHOLE && !sweep.gathered.is_empty();
        if members.is_dir() && !is_part {
            files::remove_tree(&members).map_err(|error| FileError::writing(&members, error))?;
        }
        Ok(summary)
    }

    fn write(&self, sweep: &Sweep, complete: bool) -> Result<()> {
        let manifest = Manifest::of(sweep, complete, self.sessions.clone());
        let mut values = params_as_json(&sweep.params);
        for axis in &sweep.axes {
            values[&axis.name] = axis.values.iter().map(|value| value_as_json(value)).collect();
        }
        Ok(files::write_inside(&self.folder.manifest_path(), seal(&manifest, values).as_bytes())?)
    }
}

/// Writes a table, which appears when it is complete.
fn write_table(path: &Path, head: String, lines: impl Iterator<Item = String>) -> Result<()> {
    /// Bytes that are written at once.
    const BLOCK: usize = 1 << 20;
    let mut pending = PendingFile::begin_here(path)?;
    let mut block = String::new();
    for line in std::iter::once(head).chain(lines) {
        block.push_str(&line);
        block.push('\n');
        if block.len() > BLOCK {
            let written = pending.file().write_all(block.as_bytes());
            written.map_err(|error| FileError::writing(path, error))?;
            block.clear();
        }
    }
    Ok(pending.finish(block.as_bytes())?)
}

/// A line of the table of members.
pub(super) fn line_of_member(sweep: &Sweep, member: usize) -> String {
    let disorder = sweep.disorder_of(member).map(|disorder| format!(",{disorder}"));
    let values = sweep.values(member / sweep.repeats()).into_iter().map(|value| format!(",{value}"));
    format!("{member},{}{}", sweep.member(member).0, disorder.into_iter().chain(values).collect::<String>())
}

/// The first line of the table of members.
pub(super) fn head_of_members(sweep: &Sweep) -> String {
    let names = sweep.axes.iter().map(|axis| axis.name.as_str());
    let disorder = (!sweep.disorder.is_empty()).then_some(DISORDER);
    ["member", "seed"].into_iter().chain(disorder).chain(names).collect::<Vec<_>>().join(",")
}

/// The first line of the table of observables.
fn head(sweep: &Sweep) -> String {
    ["member", "step"].into_iter().chain(sweep.observables.iter().map(String::as_str)).collect::<Vec<_>>().join(",")
}

/// The first line of the table of ends.
fn head_of_ends(sweep: &Sweep) -> String {
    let columns: String = sweep.columns().iter().map(|name| format!(",{name}")).collect();
    format!("{},step{columns}", head_of_members(sweep))
}

/// The lines of a table that begins with this one.
fn lines_of(table: &Path, head: &str) -> Result<Vec<String>> {
    let text = String::from_utf8(files::read(table, MOST_TABLE, Links::Followed)?);
    let text = text.map_err(|_| incomplete(table, "it is not text in UTF-8"))?;
    // A number that was cut may still be one.
    let mut lines = text[..text.rfind('\n').unwrap_or(0)].lines();
    if lines.next() != Some(head) {
        return Err(incomplete(table, "its first line is not the one of this sweep").into());
    }
    Ok(lines.map(str::to_owned).collect())
}

/// A table that is damaged or not complete.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is damaged or not complete: {reason}", .path.display())]
pub struct Incomplete {
    pub(super) path: PathBuf,
    pub(super) reason: String,
}

impl Failure for Incomplete {
    fn is_users(&self) -> bool {
        false
    }

    fn help(&self) -> Vec<String> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let folder = if folder.ends_with(MEMBERS) { folder.parent().unwrap_or(folder) } else { folder };
        vec![format!("`squeeze resume {}` computes what is missing or has changed", folder.display())]
    }
}

pub(super) fn incomplete(path: &Path, reason: &str) -> Incomplete {
    Incomplete { path: path.to_owned(), reason: reason.to_owned() }
}

/// A folder that holds something else.
pub(super) fn no_sweep(path: &Path, reason: &str) -> Message {
    let what = format!("`{}` holds no sweep: {reason}", path.display());
    Message::users(what).with_help("`squeeze sweep … --out DIR` makes one")
}

/// The text of a member whose checksum stands in `observables.crc`.
fn sealed(member: usize, rows: &Rows) -> String {
    format!("{member},{}", rows.to_text())
}

/// The rows of all own members in the tables that a sweep has written.
///
/// # Errors
/// [`Incomplete`] if any are missing, or not as they were written.
pub(super) fn read_tables(path: &Path, sweep: &Sweep) -> Result<BTreeMap<usize, Rows>> {
    let (rows, wrong) = read_what_is_whole(path, sweep)?;
    wrong.map_or(Ok(rows), Err)
}

/// The rows of own members in the tables that a sweep has written, as far as they are whole, and what is wrong with others.
pub(super) fn read_what_is_whole(path: &Path, sweep: &Sweep) -> Result<(BTreeMap<usize, Rows>, Option<Error>)> {
    let (mut rows, mut wrong): (BTreeMap<usize, Rows>, _) = (BTreeMap::new(), None);
    let is_mended = |error: &Error| {
        error.downcast_ref::<Incomplete>().is_some() || matches!(error.downcast_ref(), Some(FileError::Missing(_)))
    };
    let mut lines = |name: &str, head: String| match lines_of(&path.join(name), &head) {
        Err(error) if is_mended(&error) => {
            wrong.get_or_insert(error);
            Ok(Vec::new())
        }
        lines => lines,
    };
    for line in lines(TABLE, head(sweep))? {
        let Some((member, row)) = line.split_once(',') else { continue };
        let Ok(member) = member.parse() else { continue };
        let lines = &mut rows.entry(member).or_default().lines;
        lines.push_str(row);
        lines.push('\n');
    }
    if !sweep.at_end.is_empty() {
        let others = head_of_members(sweep).split(',').count() + 1 + sweep.observables.len();
        for line in lines(ENDS, head_of_ends(sweep))? {
            let member = line.split(',').next().and_then(|member| member.parse().ok());
            if let Some(rows) = member.and_then(|member: usize| rows.get_mut(&member)) {
                rows.end = line.split(',').skip(others).map(|word| format!(",{word}")).collect();
            }
        }
    }
    let sums = Checksums::read(&path.join(SUMS))?;
    let mut whole = BTreeMap::new();
    for member in sweep.own_members() {
        let is_whole = |rows: &Rows| rows.are_whole(sweep) && sums.confirm(&sealed(member, rows));
        match rows.remove(&member).filter(is_whole) {
            Some(rows) => drop(whole.insert(member, rows)),
            None => {
                let reason = format!("the rows of member {member} are not all there, or changed");
                wrong.get_or_insert_with(|| incomplete(&path.join(TABLE), &reason).into());
            }
        }
    }
    Ok((whole, wrong))
}

/// What this process says of itself.
fn session() -> Json {
    let mut session = of_this_process();
    session.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
    session.into()
}

/// The manifest, without what all manifests say.
#[derive(Serialize, Deserialize)]
struct Manifest {
    sweep: Members,
    fractal: Texts,
    rule: Texts,
    level: u32,
    params: Vec<String>,
    // Older versions knew of neither.
    #[serde(default)]
    init: Vec<String>,
    #[serde(default)]
    given: BTreeMap<String, Digest>,
    steps: u32,
    observe_every: NonZeroU32,
    observe_at: Option<ObservationTimes>,
    complete: bool,
    /// An entry for each process that worked on it. Older versions wrote none.
    #[serde(default)]
    sessions: Vec<Json>,
}

/// What the members are, and what is made of them.
#[derive(Serialize, Deserialize)]
struct Members {
    seeds: Vec<u64>,
    // Older versions knew of none.
    #[serde(default)]
    disorder: Vec<u64>,
    vary: Vec<Axis>,
    // Older versions knew neither of this nor of means of members.
    #[serde(default)]
    zip: bool,
    #[serde(default)]
    per_member: bool,
    shard: Shard,
    discard: Option<Discard>,
    observables: Vec<String>,
    // Older versions knew of none.
    #[serde(default)]
    at_end: Vec<String>,
    stops: bool,
    #[serde(flatten)]
    gathered: Map<String, Json>,
}

impl Manifest {
    fn of(sweep: &Sweep, complete: bool, sessions: Vec<Json>) -> Manifest {
        let sweep = sweep.clone();
        Manifest {
            fractal: sweep.fractal,
            rule: sweep.rule,
            level: sweep.level,
            params: sweep.params,
            init: sweep.init,
            given: sweep.given,
            steps: sweep.steps,
            observe_every: NonZeroU32::new(sweep.observe_every).unwrap_or(NonZeroU32::MIN),
            observe_at: sweep.observe_at,
            complete,
            sessions,
            sweep: Members {
                seeds: sweep.seeds,
                disorder: sweep.disorder,
                vary: sweep.axes,
                zip: sweep.zip,
                per_member: sweep.per_member,
                shard: sweep.shard,
                discard: sweep.discard,
                observables: sweep.observables,
                at_end: sweep.at_end,
                stops: sweep.stops,
                gathered: sweep.gathered,
            },
        }
    }

    /// The sweep, and whether it is complete; `None` if there is none of this kind.
    fn sweep(self) -> Option<(Sweep, bool)> {
        let (members, complete) = (self.sweep, self.complete);
        let sweep = Sweep {
            fractal: self.fractal,
            rule: self.rule,
            level: self.level,
            steps: self.steps,
            params: self.params,
            init: self.init,
            given: self.given,
            observe_every: self.observe_every.get(),
            observe_at: self.observe_at,
            seeds: members.seeds,
            disorder: members.disorder,
            axes: members.vary,
            zip: members.zip,
            per_member: members.per_member,
            shard: members.shard,
            discard: members.discard,
            observables: members.observables,
            at_end: members.at_end,
            stops: members.stops,
            gathered: members.gathered,
        };
        let vary = sweep.axes.iter().all(|axis| axis.values.len() > 1);
        let has_levels =
            sweep.axes.iter().all(|axis| axis.name != LEVEL) || sweep.levels().len() == sweep.axes[0].values.len();
        (vary && has_levels && sweep.cannot_zip().is_none() && (1..=MOST_MEMBERS as u128).contains(&sweep.count()))
            .then_some((sweep, complete))
    }
}

fn read(path: &Path) -> Result<(Sweep, bool)> {
    let sweep = read_manifest(path)?.sweep();
    Ok(sweep.ok_or_else(|| no_sweep(path, "its manifest is of something else"))?)
}

fn read_manifest(path: &Path) -> Result<Manifest> {
    let bytes = files::read(&path.join("manifest.json"), MOST_BYTES, Links::Followed)?;
    let manifest = unseal(&bytes).and_then(|json| json::read(&json));
    Ok(manifest.map_err(|reason| no_sweep(path, &reason))?)
}
