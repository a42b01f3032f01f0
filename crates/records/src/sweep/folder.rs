//! The folder of a sweep.

use super::collector::MEMBERS;
use super::exchange::{self, Exchanges};
use super::ladders::{KEY, LADDER, REPLICA};
use super::rows::{Kept, MOST_TABLE, Rows};
use super::summary::Groups;
use super::{DISORDER, LEVEL, MOST_MEMBERS, Shard, Summary, Sweep};
use crate::json;
use crate::run::{
    Checksums, MOST_BYTES, RunFolder, checksum, no_manifest, of_this_process, other_draws, params_as_json, seal,
    unseal, value_as_json,
};
use crate::table;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use squeeze_engine::failure::{Error, Failure, Message, Result};
use squeeze_host::files::{self, FileError, Links, PendingFile};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The table of observables.
pub(super) const TABLE: &str = "observables.csv";
/// The table of the members' ends.
const ENDS: &str = "ends.csv";
/// The table of means.
pub(super) const SUMMARY: &str = "summary.csv";
/// The tables beside the observables' table. Each written one has a line in [`SUMS`].
const OTHERS: [&str; 8] =
    ["members.csv", ENDS, "times.csv", SUMMARY, "per_member.csv", "lists.csv", EXCHANGES[0], EXCHANGES[1]];
/// The tables of exchanges between ranks of ladders, and of replicas.
const EXCHANGES: [&str; 2] = ["exchange.csv", "replicas.csv"];
/// Checksums: one for each member, of its rows in [`TABLE`] and its values in [`ENDS`] together, and one for each table of [`OTHERS`].
const SUMS: &str = "observables.crc";

/// The folder of a sweep. While it is kept, no other process can open it to write.
pub struct SweepFolder {
    folder: RunFolder,
    /// An entry for each process that has worked on the sweep.
    sessions: Vec<Json>,
}

impl SweepFolder {
    /// Makes a folder for a new sweep and writes its manifest.
    ///
    /// # Errors
    /// If something is in the folder, another process writes in it, or it cannot be made.
    pub fn create(path: &Path, sweep: &Sweep) -> Result<SweepFolder> {
        let folder = SweepFolder { folder: RunFolder::create(path)?, sessions: vec![session()] };
        if let Some(values) = &sweep.values {
            values.keep(&sweep.init, path)?;
        }
        folder.write(sweep, false)?;
        Ok(folder)
    }

    /// Makes the folder of the members' own files in the one of a sweep, unless it is there.
    pub(super) fn make_members(path: &Path) -> Result<()> {
        let members = path.join(MEMBERS);
        if !members.is_dir() {
            let made = files::make_folder(&members).and_then(|()| files::sync_parent(&members));
            made.map_err(|error| FileError::writing(&members, error))?;
        }
        Ok(())
    }

    /// Opens the folder of a sweep to continue it. Unless it is complete and no part of another, its domains must draw the cells that were recorded.
    ///
    /// # Errors
    /// If there is no sweep, its cells differ from the recorded ones or none were recorded, another process writes in it, or a file cannot be read or removed.
    pub fn open(path: &Path) -> Result<(SweepFolder, Sweep)> {
        let folder = RunFolder::open(path)?;
        let (mut sweep, Progress { complete, mut sessions }) = read(path)?;
        let members = path.join(MEMBERS);
        if members.is_dir() {
            for (member, cells) in Kept::read(path, &sweep)?.cells {
                sweep.cells.insert(sweep.fractal_of(member).settings(), cells);
            }
        }
        if !complete || sweep.shard != Shard::WHOLE {
            sweep.check_cells()?;
        }
        if members.is_dir() {
            files::remove_parts(&members).map_err(|error| FileError::writing(&members, error))?;
        }
        files::remove_parts(path).map_err(|error| FileError::writing(path, error))?;
        sessions.push(session());
        Ok((SweepFolder { folder, sessions }, sweep))
    }

    /// Reads the inputs of a sweep, and whether it is complete.
    ///
    /// # Errors
    /// If there is no sweep.
    pub fn look(path: &Path) -> Result<(Sweep, bool)> {
        RunFolder::look(path)?;
        read(path).map(|(sweep, progress)| (sweep, progress.complete))
    }

    /// Reads the inputs of a sweep that has come to its end.
    pub(super) fn complete(path: &Path) -> Result<Sweep> {
        match SweepFolder::look(path)? {
            (sweep, true) => Ok(sweep),
            _ => Err(incomplete(&path.join(TABLE), "the sweep has not come to its end").into()),
        }
    }

    /// Whether a folder holds a sweep, and not a run.
    pub fn is_one(path: &Path) -> bool {
        let bytes = files::read(&path.join("manifest.json"), MOST_BYTES, Links::Followed);
        bytes.is_ok_and(|bytes| json::of_file(&bytes).is_ok_and(|json| json.get("sweep").is_some()))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The present path of the folder, if it is known ([`RunFolder::present`]).
    #[doc(hidden)]
    pub fn present(&self) -> Option<PathBuf> {
        self.folder.present().map(|folder| folder.path().to_owned())
    }

    /// Whether all tables are there.
    pub(super) fn is_complete(&self) -> Result<bool> {
        Ok(read(self.path())?.1.complete)
    }

    /// Writes the tables, marks the sweep as complete in its manifest, and removes the members' own files, unless it is a part with gathered ones. Returns
    /// the summary.
    pub(super) fn finish(&self, sweep: &Sweep, rows: &BTreeMap<usize, Rows>) -> Result<Summary> {
        let mut sums: String = rows.iter().map(|(&member, rows)| checksum(&sealed(member, rows))).collect();
        let members = rows.keys().map(|&member| line_of_member(sweep, member));
        sums += &self.write_table("members.csv", head_of_members(sweep), members)?;
        let lines = rows.iter().flat_map(|(member, rows)| rows.lines.lines().map(move |row| format!("{member},{row}")));
        self.write_table(TABLE, head(sweep), lines)?;
        let ends = rows.iter().map(|(&member, rows)| format!("{},{}", line_of_member(sweep, member), rows.last()));
        sums += &self.write_table(ENDS, head_of_ends(sweep), ends)?;
        let exchanges = exchanges_of(sweep, rows);
        if let Some(exchanges) = &exchanges {
            sums += &self.write_table(EXCHANGES[0], exchange::HEADS[0].to_owned(), exchanges.lines())?;
            sums += &self.write_table(EXCHANGES[1], exchange::HEADS[1].to_owned(), exchanges.lines_of_replicas())?;
        }
        let groups = Groups::of(sweep, rows);
        sums += &self.write_table("times.csv", groups.head_of_times(sweep), groups.times(sweep))?;
        let settled = groups.settled(sweep);
        let summary = Summary { exchanges, ..Summary::of(&settled, groups, rows) };
        sums += &self.write_table(SUMMARY, summary.head(), summary.lines())?;
        if sweep.per_member {
            let means = Summary::of_members(&settled, rows);
            sums += &self.write_table("per_member.csv", means.head(), means.lines())?;
        }
        if summary.lists().next().is_some() {
            sums += &self.write_table("lists.csv", summary.head_of_lists(), summary.lists())?;
        }
        files::write_inside(&self.path().join(SUMS), sums.as_bytes())?;
        // A part does not know which times all members together need to discard.
        self.write(if sweep.shard == Shard::WHOLE { &settled } else { sweep }, true)?;
        let members = self.path().join(MEMBERS);
        // Data gathered of the members are needed when parts are joined.
        let is_part = sweep.shard != Shard::WHOLE && !sweep.gathered.is_empty();
        if members.is_dir() && !is_part {
            let removed = files::remove_tree(&members).and_then(|()| files::sync_parent(&members));
            removed.map_err(|error| FileError::writing(&members, error))?;
        }
        Ok(summary)
    }

    /// Writes a table, which appears when it is complete, and gives the line of its checksum.
    fn write_table(&self, name: &str, head: String, lines: impl Iterator<Item = String>) -> Result<String> {
        /// Bytes that are written at once.
        const BLOCK: usize = 1 << 20;
        let path = self.path().join(name);
        let mut pending = PendingFile::begin_here(&path)?;
        let (mut block, mut sum) = (String::new(), crc32c::crc32c(format!("{name},").as_bytes()));
        for line in std::iter::once(head).chain(lines) {
            block.push_str(&line);
            block.push('\n');
            if block.len() > BLOCK {
                sum = crc32c::crc32c_append(sum, block.as_bytes());
                let written = pending.file().write_all(block.as_bytes());
                written.map_err(|error| FileError::writing(&path, error))?;
                block.clear();
            }
        }
        pending.finish(block.as_bytes())?;
        Ok(format!("{name},{:08x}\n", crc32c::crc32c_append(sum, block.as_bytes())))
    }

    fn write(&self, sweep: &Sweep, complete: bool) -> Result<()> {
        let manifest = manifest(sweep, complete, &self.sessions);
        let mut values = params_as_json(&sweep.params);
        for axis in &sweep.axes {
            values[&axis.name] = axis.values.iter().map(|value| value_as_json(value)).collect();
        }
        Ok(files::write_inside(&self.folder.manifest_path(), seal(&manifest, values).as_bytes())?)
    }
}

/// What became of the exchanges of members with these rows; `None` if they exchange nothing.
pub(super) fn exchanges_of(sweep: &Sweep, rows: &BTreeMap<usize, Rows>) -> Option<Exchanges> {
    let counts = rows.iter().filter_map(|(member, rows)| Some((*member, rows.exchange?))).collect();
    let ladders = sweep.ladders()?;
    Some(Exchanges::of(&ladders, |ladder| sweep.words_of_ladder(&ladders, ladder), &counts))
}

/// What became of the exchanges of a complete sweep, from its tables; `None` if members exchange nothing.
///
/// # Errors
/// [`Incomplete`] if a table is not there or was changed.
pub fn read_exchanges(path: &Path, sweep: &Sweep) -> Result<Option<Exchanges>> {
    let Some(ladders) = sweep.ladders() else { return Ok(None) };
    check_others(path, sweep)?;
    let lines = |table: usize| lines_of(&path.join(EXCHANGES[table]), exchange::HEADS[table], false);
    let counts = Exchanges::read(&ladders, [&lines(0)?, &lines(1)?]);
    Ok(Some(Exchanges::of(&ladders, |ladder| sweep.words_of_ladder(&ladders, ladder), &counts)))
}

/// A line of the table of members.
pub(super) fn line_of_member(sweep: &Sweep, member: usize) -> String {
    let disorder = sweep.disorder_of(member).map(|disorder| format!(",{disorder}"));
    let values = sweep.values(member / sweep.repeats()).into_iter().map(|value| format!(",{value}"));
    let ladder = sweep.ladders().map(|ladders| format!(",{},{}", sweep.key_of(member), ladders.of(member).0));
    let words = ladder.into_iter().chain(disorder).chain(values).collect::<String>();
    format!("{member},{}{words}", sweep.member(member).0)
}

/// The first line of the table of members.
pub(super) fn head_of_members(sweep: &Sweep) -> String {
    let names = sweep.axes.iter().map(|axis| axis.name.as_str());
    let disorder = (!sweep.disorder.is_empty()).then_some(DISORDER);
    let ladder = sweep.exchange.iter().flat_map(|_| [KEY, LADDER]);
    ["member", "seed"].into_iter().chain(ladder).chain(disorder).chain(names).collect::<Vec<_>>().join(",")
}

/// The first line of the table of observables.
fn head(sweep: &Sweep) -> String {
    let replica = sweep.exchange.iter().map(|_| REPLICA);
    ["member", "step"]
        .into_iter()
        .chain(replica)
        .chain(sweep.observables.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(",")
}

/// The first line of the table of ends.
fn head_of_ends(sweep: &Sweep) -> String {
    let columns: String = sweep.columns().iter().map(|name| format!(",{name}")).collect();
    let replica = if sweep.exchange.is_some() { ",replica" } else { "" };
    format!("{},step{replica}{columns}", head_of_members(sweep))
}

/// The lines of a table behind its first line, which must be `head`. Without checksums a last line without its end is left out.
fn lines_of(path: &Path, head: &str, unsealed: bool) -> Result<Vec<String>> {
    let bytes = files::read(path, MOST_TABLE, Links::Followed)?;
    // Half of a number may look like a whole one.
    let text = if unsealed { table::as_written(bytes) } else { table::with_end(bytes) };
    let mut lines = text[..text.rfind('\n').unwrap_or(0)].lines();
    if lines.next() != Some(head) {
        return Err(incomplete(path, "its first line is not the one of this sweep").into());
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
/// [`FileError::Missing`] if a table is not there; [`Incomplete`] if rows are missing or not as they were written; another [`FileError`] if one cannot be read.
pub(super) fn read_tables(path: &Path, sweep: &Sweep) -> Result<BTreeMap<usize, Rows>> {
    let (rows, wrong) = read_what_is_whole(path, sweep)?;
    wrong.map_or(Ok(rows), Err)
}

/// The rows of own members in the tables that a sweep has written, as far as they are whole, and the faults of others.
pub(super) fn read_what_is_whole(path: &Path, sweep: &Sweep) -> Result<(BTreeMap<usize, Rows>, Option<Error>)> {
    let (mut rows, mut wrong): (BTreeMap<usize, Rows>, _) = (BTreeMap::new(), None);
    let is_mended = |error: &Error| {
        error.downcast_ref::<Incomplete>().is_some() || matches!(error.downcast_ref(), Some(FileError::Missing(_)))
    };
    let mut lines = |name: &str, head: String| match lines_of(&path.join(name), &head, sweep.unsealed) {
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
        let others = head_of_members(sweep).split(',').count() + 1 + sweep.columns_before() + sweep.observables.len();
        for line in lines(ENDS, head_of_ends(sweep))? {
            let member = line.split(',').next().and_then(|member| member.parse().ok());
            if let Some(rows) = member.and_then(|member: usize| rows.get_mut(&member)) {
                rows.end = line.split(',').skip(others).map(|word| format!(",{word}")).collect();
            }
        }
    }
    if let Some(ladders) = sweep.ladders() {
        let [pairs, replicas] = [0, 1].map(|table| lines(EXCHANGES[table], exchange::HEADS[table].to_owned()));
        for (member, counts) in Exchanges::read(&ladders, [&pairs?, &replicas?]) {
            if let Some(rows) = rows.get_mut(&member) {
                rows.exchange = Some(counts);
            }
        }
    }
    let (sums, has_sums) = (Checksums::read(&path.join(SUMS), !sweep.unsealed)?, path.join(SUMS).exists());
    if !has_sums && !sweep.unsealed {
        wrong.get_or_insert_with(|| incomplete(&path.join(SUMS), "it is not there").into());
    }
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
    wrong = wrong.or(check_others(path, sweep).err());
    Ok((whole, wrong))
}

/// Checks that the tables in [`OTHERS`] are as they were written. Those that are gone are left alone.
pub(super) fn check_others(path: &Path, sweep: &Sweep) -> Result<()> {
    let sums = Checksums::read(&path.join(SUMS), !sweep.unsealed)?;
    for name in OTHERS {
        let place = path.join(name);
        match files::read(&place, MOST_TABLE, Links::Followed) {
            Ok(bytes) => match sums.judge(&format!("{name},{}", table::with_end(bytes))) {
                Some(true) => {}
                None if sweep.unsealed => {}
                None | Some(false) => return Err(incomplete(&place, "it is not as it was written").into()),
            },
            Err(FileError::Missing(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The manifest's description of this process, with the version of Squeeze.
fn session() -> Json {
    let mut session = of_this_process();
    session.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
    session.into()
}

/// The entries of a [`Sweep`] that fix its members and its results. They stand under `sweep` in the manifest, beside the gathered data.
const OF_MEMBERS: [&str; 11] = [
    "seeds",
    "disorder",
    "vary",
    "zip",
    "per_member",
    "exchange",
    "shard",
    "discard",
    "observables",
    "at_end",
    "stops",
];

/// Splits entries into [`OF_MEMBERS`] and the rest.
fn split(entries: Map<String, Json>) -> (Map<String, Json>, Map<String, Json>) {
    entries.into_iter().partition(|(name, _)| OF_MEMBERS.contains(&name.as_str()))
}

/// How far a sweep is.
#[derive(Deserialize)]
struct Progress {
    complete: bool,
    /// An entry for each process that has worked on the sweep. Older versions wrote none, and no checksums.
    #[serde(default)]
    sessions: Vec<Json>,
}

/// The manifest, without the entries that all manifests have.
fn manifest(sweep: &Sweep, complete: bool, sessions: &[Json]) -> Map<String, Json> {
    let (mut members, others) = split(json!(sweep).as_object().cloned().unwrap_or_default());
    members.extend(sweep.gathered.clone());
    let mut manifest = Map::from_iter([("sweep".to_owned(), members.into())]);
    manifest.extend(others);
    manifest.insert("complete".to_owned(), complete.into());
    manifest.insert("sessions".to_owned(), sessions.into());
    manifest
}

/// The sweep in a folder.
fn read(path: &Path) -> Result<(Sweep, Progress)> {
    let file = path.join("manifest.json");
    let bytes = files::read(&file, MOST_BYTES, Links::Followed)?;
    let wrong = |reason: String| no_manifest(&file, &reason);
    let all = unseal(&bytes).map_err(wrong)?;
    let (Some(all), Some(members)) = (all.as_object(), all["sweep"].as_object()) else {
        return Err(no_sweep(path, "it has no `sweep`").into());
    };
    let (members, gathered) = split(members.clone());
    let all: Json = all.clone().into_iter().chain(members).collect::<Map<_, _>>().into();
    let progress: Progress = json::read(&all).map_err(wrong)?;
    let unsealed = progress.sessions.is_empty();
    let sweep = Sweep { gathered, unsealed, other_draws: other_draws(&all), ..json::read(&all).map_err(wrong)? };
    let vary = sweep.axes.iter().all(|axis| axis.values.len() > 1);
    let has_levels =
        sweep.axes.iter().all(|axis| axis.name != LEVEL) || sweep.levels().len() == sweep.axes[0].values.len();
    let can_be = (1..=MOST_MEMBERS as u128).contains(&sweep.count());
    let has_ladders = sweep.exchange.as_ref().is_none_or(|exchange| exchange.every > 0 && sweep.ladders().is_some());
    if !(vary && has_levels && has_ladders && sweep.cannot_zip().is_none() && can_be) {
        return Err(wrong("it is of something else".to_owned()).into());
    }
    Ok((sweep, progress))
}
