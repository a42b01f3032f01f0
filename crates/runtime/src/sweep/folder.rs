//! The folder of a sweep.

use super::collector::{Asked, MEMBERS};
use super::error::{Result, SweepError};
use super::rows::Rows;
use super::summary::Groups;
use super::{Axis, DISORDER, Discard, LEVEL, MOST_MEMBERS, Shard, Summary, Sweep};
use crate::observation_times::ObservationTimes;
use crate::run::{MOST_BYTES, RunError, RunFolder, seal, unseal};
use crate::texts::Texts;
use serde_json::{Map, Value as Json, json};
use squeeze_host::files::{self, FileError, Links, PendingFile};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The version of the folder's form.
const FORMAT: u64 = 1;
/// The most bytes of a table that is read.
pub(super) const MOST_TABLE: u64 = 1 << 34;
/// What the manifest says of every sweep. Beside it stands what collectors gather, by their names.
const OF_ALL: [&str; 8] = ["seeds", "disorder", "vary", "shard", "discard", "observables", "at_end", "stops"];
/// The table of the members' ends.
const ENDS: &str = "ends.csv";

/// The folder of a sweep. While it is kept, no other process can open it to write.
pub struct SweepFolder(RunFolder);

impl SweepFolder {
    /// Makes a folder for a new sweep and writes its manifest.
    ///
    /// # Errors
    /// If something is in the folder, another process writes in it, or it cannot be made.
    pub fn create(path: &Path, sweep: &Sweep) -> Result<SweepFolder> {
        let folder = SweepFolder(RunFolder::create(path)?);
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
    /// [`SweepError::NoSweep`]; [`TextsError::Cells`](crate::texts::TextsError::Cells); or if another process writes in it.
    pub fn open(path: &Path) -> Result<(SweepFolder, Sweep)> {
        let folder = RunFolder::open(path)?;
        let (sweep, complete) = read(path)?;
        if !complete || sweep.shard != Shard::WHOLE {
            sweep.fractal.fractal_of_known_cells().map_err(RunError::Texts)?;
        }
        let members = path.join(MEMBERS);
        if members.is_dir() {
            files::remove_parts(&members).map_err(|error| FileError::writing(&members, error))?;
        }
        files::remove_parts(path).map_err(|error| FileError::writing(path, error))?;
        Ok((SweepFolder(folder), sweep))
    }

    /// Reads what a sweep is made of, and whether it is complete.
    ///
    /// # Errors
    /// [`SweepError::NoSweep`].
    pub fn look(path: &Path) -> Result<(Sweep, bool)> {
        RunFolder::look(path)?;
        read(path)
    }

    /// Whether a folder holds a sweep, and not a run.
    pub fn is_one(path: &Path) -> bool {
        let bytes = files::read(&path.join("manifest.json"), MOST_BYTES, Links::Refused);
        bytes.is_ok_and(|bytes| serde_json::from_slice(&bytes).is_ok_and(|json: Json| json.get("sweep").is_some()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    fn member_path(&self, member: usize) -> PathBuf {
        self.path().join(MEMBERS).join(format!("{member}.csv"))
    }

    /// Keeps the rows of a member that has come to its end.
    pub(super) fn keep(&self, member: usize, rows: &Rows) -> Result<()> {
        Ok(files::write_inside(&self.member_path(member), rows.to_text().as_bytes())?)
    }

    /// The rows of a member, if it has come to its end.
    pub(super) fn kept(&self, sweep: &Sweep, asked: &[Asked<'_>], member: usize) -> Result<Option<Rows>> {
        let path = self.member_path(member);
        let bytes = match files::read(&path, MOST_TABLE, Links::Refused) {
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
        let of_member = |member: usize| {
            let disorder = sweep.disorder_of(member).map(|disorder| format!(",{disorder}"));
            let values = sweep.values(member / sweep.repeats()).into_iter().map(|value| format!(",{value}"));
            format!("{member},{}{}", sweep.member(member).0, disorder.into_iter().chain(values).collect::<String>())
        };
        let members = rows.keys().map(|&member| of_member(member));
        write_table(&self.path().join("members.csv"), head_of_members(sweep), members)?;
        let lines = rows.iter().flat_map(|(member, rows)| rows.lines.lines().map(move |row| format!("{member},{row}")));
        write_table(&self.0.observables_path(), head(sweep), lines)?;
        let ends = rows.iter().map(|(&member, rows)| format!("{},{}", of_member(member), rows.last()));
        write_table(&self.path().join(ENDS), head_of_ends(sweep), ends)?;
        let groups = Groups::of(sweep, rows);
        write_table(&self.path().join("times.csv"), groups.head_of_times(sweep), groups.times(sweep))?;
        let settled = groups.settled(sweep);
        let summary = Summary::of(&settled, groups, rows);
        files::write_inside(&self.path().join("summary.csv"), summary.to_csv().as_bytes())?;
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
        let mut json = to_json(sweep);
        json["complete"] = json!(complete);
        Ok(files::write_inside(&self.0.manifest_path(), seal(json).as_bytes())?)
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

/// The first line of the table of members.
fn head_of_members(sweep: &Sweep) -> String {
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
    let incomplete = |reason: &str| SweepError::Incomplete { path: table.to_owned(), reason: reason.to_owned() };
    let text = String::from_utf8(files::read(table, MOST_TABLE, Links::Refused)?);
    let text = text.map_err(|_| incomplete("it is not text in UTF-8"))?;
    let mut lines = text.lines();
    if lines.next() != Some(head) {
        return Err(incomplete("its first line is not the one of this sweep"));
    }
    // A number that was cut may still be one.
    if !text.ends_with('\n') {
        return Err(incomplete("its last line has no end"));
    }
    Ok(lines.map(str::to_owned).collect())
}

/// The rows of all members of the tables that a sweep has written.
pub(super) fn read_tables(path: &Path, sweep: &Sweep) -> Result<BTreeMap<usize, Rows>> {
    let (table, ends) = (path.join("observables.csv"), path.join(ENDS));
    let incomplete = |path: &Path, reason: String| SweepError::Incomplete { path: path.to_owned(), reason };
    let mut rows: BTreeMap<usize, Rows> = BTreeMap::new();
    for line in lines_of(&table, &head(sweep))? {
        let (member, row) = line.split_once(',').unwrap_or((&line, ""));
        let member: usize = member.parse().map_err(|_| incomplete(&table, format!("`{member}` is no member")))?;
        let lines = &mut rows.entry(member).or_default().lines;
        lines.push_str(row);
        lines.push('\n');
    }
    if !sweep.at_end.is_empty() {
        let others = head_of_members(sweep).split(',').count() + 1 + sweep.observables.len();
        for line in lines_of(&ends, &head_of_ends(sweep))? {
            let member = line.split(',').next().and_then(|member| member.parse().ok());
            let rows = member.and_then(|member: usize| rows.get_mut(&member));
            let rows = rows.ok_or_else(|| incomplete(&ends, format!("`{line}` is of no member")))?;
            rows.end = line.split(',').skip(others).map(|word| format!(",{word}")).collect();
        }
    }
    for (member, rows) in &rows {
        if *member >= sweep.members() || !rows.are_whole(sweep) {
            return Err(incomplete(&table, format!("the rows of member {member} are not all there, or changed")));
        }
    }
    Ok(rows)
}

fn to_json(sweep: &Sweep) -> Json {
    let mut json = json!({
        "format": FORMAT,
        "sweep": {
            "seeds": sweep.seeds,
            "disorder": sweep.disorder,
            "vary": sweep.axes.iter().map(|axis| json!({"name": axis.name, "values": axis.values})).collect::<Vec<_>>(),
            "shard": [sweep.shard.index, sweep.shard.count],
            "discard": match sweep.discard {
                None => Json::Null,
                Some(Discard::Steps(discard)) => json!(discard),
                Some(Discard::Auto) => json!("auto"),
            },
            "observables": sweep.observables,
            "at_end": sweep.at_end,
            "stops": sweep.stops,
        },
        "fractal": sweep.fractal.to_json(),
        "rule": sweep.rule.to_json(),
        "level": sweep.level,
        "params": sweep.params,
        "init": sweep.init,
        "given": sweep.given.iter().map(|(state, digest)| (state.clone(), json!(format!("{digest:016x}")))).collect::<Map<_, _>>(),
        "steps": sweep.steps,
        "observe_every": sweep.observe_every,
        "observe_at": sweep.observe_at.as_ref().map(ObservationTimes::to_json),
    });
    for (name, wanted) in &sweep.gathered {
        json["sweep"][name] = wanted.clone();
    }
    json
}

fn read(path: &Path) -> Result<(Sweep, bool)> {
    let bytes = files::read(&path.join("manifest.json"), MOST_BYTES, Links::Refused)?;
    let sweep =
        unseal(&bytes).and_then(|json| from_json(&json).ok_or_else(|| "its manifest is of something else".to_owned()));
    sweep.map_err(|reason| SweepError::NoSweep { path: path.to_owned(), reason })
}

fn from_json(json: &Json) -> Option<(Sweep, bool)> {
    let own = json.get("sweep")?;
    let small = |value: &Json| u32::try_from(value.as_u64()?).ok();
    let words =
        |value: &Json| value.as_array()?.iter().map(|v| Some(v.as_str()?.to_owned())).collect::<Option<Vec<String>>>();
    let numbers = |value: &Json| value.as_array()?.iter().map(Json::as_u64).collect::<Option<Vec<u64>>>();
    let digests = |value: &Json| {
        let digest = |(name, hex): (&String, &Json)| Some((name.clone(), u64::from_str_radix(hex.as_str()?, 16).ok()?));
        value.as_object()?.iter().map(digest).collect::<Option<BTreeMap<_, _>>>()
    };
    let axis = |value: &Json| {
        let axis = Axis { name: value.get("name")?.as_str()?.to_owned(), values: words(value.get("values")?)? };
        (axis.values.len() > 1).then_some(axis)
    };
    let [index, count] = own.get("shard")?.as_array()?.as_slice() else { return None };
    let shard = Shard::parse(&format!("{index}/{count}"))?;
    let more = own.as_object()?.iter().filter(|(name, _)| !OF_ALL.contains(&name.as_str()));
    let sweep = Sweep {
        fractal: Texts::from_json(json.get("fractal")?)?,
        rule: Texts::from_json(json.get("rule")?)?,
        level: small(json.get("level")?)?,
        steps: small(json.get("steps")?)?,
        seeds: numbers(own.get("seeds")?)?,
        // Older versions knew of none.
        disorder: own.get("disorder").map_or(Some(Vec::new()), numbers)?,
        params: words(json.get("params")?)?,
        // Older versions knew of none.
        init: json.get("init").map_or(Some(Vec::new()), words)?,
        given: json.get("given").map_or(Some(BTreeMap::new()), digests)?,
        axes: own.get("vary")?.as_array()?.iter().map(axis).collect::<Option<_>>()?,
        observables: words(own.get("observables")?)?,
        // Older versions knew of none.
        at_end: own.get("at_end").map_or(Some(Vec::new()), words)?,
        gathered: more.map(|(name, wanted)| (name.clone(), wanted.clone())).collect::<Map<_, _>>(),
        stops: own.get("stops")?.as_bool()?,
        observe_at: match json.get("observe_at").filter(|times| !times.is_null()) {
            Some(times) => Some(ObservationTimes::from_json(times)?),
            None => None,
        },
        observe_every: small(json.get("observe_every")?).filter(|every| *every > 0)?,
        discard: match own.get("discard")? {
            Json::Null => None,
            Json::String(text) => Some(Discard::parse(text)?),
            discard => Some(Discard::Steps(small(discard)?)),
        },
        shard,
    };
    let count = sweep.axes.iter().fold(sweep.repeats() as u128, |n, axis| n.saturating_mul(axis.values.len() as u128));
    let has_levels =
        sweep.axes.iter().all(|axis| axis.name != LEVEL) || sweep.levels().len() == sweep.axes[0].values.len();
    let fits = has_levels && json.get("format")?.as_u64()? == FORMAT && (1..=MOST_MEMBERS as u128).contains(&count);
    Some((sweep, json.get("complete")?.as_bool()?)).filter(|_| fits)
}
