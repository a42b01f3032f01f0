//! The folder of a sweep.

use super::collector::{Asked, MEMBERS};
use super::error::{Result, SweepError};
use super::{Axis, Discard, MOST_MEMBERS, Shard, Summary, Sweep, summary};
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
const OF_ALL: [&str; 6] = ["seeds", "vary", "shard", "discard", "observables", "stops"];

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
    pub(super) fn keep(&self, member: usize, rows: &str) -> Result<()> {
        Ok(files::write_inside(&self.member_path(member), rows.as_bytes())?)
    }

    /// The rows of a member, if it has come to its end.
    pub(super) fn kept(&self, sweep: &Sweep, asked: &[Asked<'_>], member: usize) -> Result<Option<String>> {
        let path = self.member_path(member);
        let bytes = match files::read(&path, MOST_TABLE, Links::Refused) {
            Err(FileError::Missing(_)) => return Ok(None),
            bytes => bytes?,
        };
        // A file is complete or not there; what somebody has changed is computed again.
        let is_kept =
            |rows: &String| is_whole(sweep, rows) && asked.iter().all(|asked| asked.is_kept(self.path(), member, rows));
        Ok(String::from_utf8(bytes).ok().filter(is_kept))
    }

    /// Whether all tables are there.
    pub(super) fn is_complete(&self) -> Result<bool> {
        Ok(read(self.path())?.1)
    }

    /// Writes the three tables of these members, says so in the manifest, and forgets the members' own files. Gives the summary.
    pub(super) fn finish(&self, sweep: &Sweep, rows: &BTreeMap<usize, String>) -> Result<Summary> {
        let mut members = format!("member,seed{}\n", names(&sweep.axes));
        for &member in rows.keys() {
            let values: String =
                sweep.values(member / sweep.seeds.len()).iter().map(|value| format!(",{value}")).collect();
            members.push_str(&format!("{member},{}{values}\n", sweep.member(member).0));
        }
        files::write_inside(&self.path().join("members.csv"), members.as_bytes())?;
        let path = self.0.observables_path();
        let mut pending = PendingFile::begin_here(&path)?;
        let mut block = format!("{}\n", head(sweep));
        for (member, rows) in rows {
            rows.lines().for_each(|row| block.push_str(&format!("{member},{row}\n")));
            if block.len() > 1 << 20 {
                let written = pending.file().write_all(block.as_bytes());
                written.map_err(|error| FileError::writing(&path, error))?;
                block.clear();
            }
        }
        pending.finish(block.as_bytes())?;
        let settled = summary::settled(sweep, rows);
        let summary = Summary::of(&settled, rows);
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

/// Whether rows are those of a member at its end.
fn is_whole(sweep: &Sweep, rows: &str) -> bool {
    let columns = sweep.observables.len();
    let mut times = sweep.times();
    let all = rows.lines().all(|line| {
        let mut words = line.split(',');
        let time = times.next().map(|time| time.to_string());
        words.next() == time.as_deref()
            && words.clone().count() == columns
            && words.all(|word| word.parse::<f64>().is_ok())
    });
    all && (sweep.stops || times.next().is_none()) && rows.ends_with('\n')
}

/// The first line of the table of observables.
fn head(sweep: &Sweep) -> String {
    ["member", "step"].into_iter().chain(sweep.observables.iter().map(String::as_str)).collect::<Vec<_>>().join(",")
}

/// The names of the parameters that vary, each with a comma before it.
fn names(axes: &[Axis]) -> String {
    axes.iter().map(|axis| format!(",{}", axis.name)).collect()
}

/// The rows of all members of a table that a sweep has written.
pub(super) fn read_table(path: &Path, sweep: &Sweep) -> Result<BTreeMap<usize, String>> {
    let table = path.join("observables.csv");
    let incomplete = |reason: String| SweepError::Incomplete { path: table.clone(), reason };
    let text = String::from_utf8(files::read(&table, MOST_TABLE, Links::Refused)?);
    let text = text.map_err(|_| incomplete("it is not text in UTF-8".to_owned()))?;
    let mut lines = text.lines();
    if lines.next() != Some(&head(sweep)) {
        return Err(incomplete("its first line is not the one of this sweep".to_owned()));
    }
    // A number that was cut may still be one.
    if !text.ends_with('\n') {
        return Err(incomplete("its last line has no end".to_owned()));
    }
    let mut rows: BTreeMap<usize, String> = BTreeMap::new();
    for line in lines {
        let (member, row) = line.split_once(',').unwrap_or((line, ""));
        let member: usize = member.parse().map_err(|_| incomplete(format!("`{member}` is no member")))?;
        let rows = rows.entry(member).or_default();
        rows.push_str(row);
        rows.push('\n');
    }
    for (member, rows) in &rows {
        if *member >= sweep.members() || !is_whole(sweep, rows) {
            return Err(incomplete(format!("the rows of member {member} are not all there, or changed")));
        }
    }
    Ok(rows)
}

fn to_json(sweep: &Sweep) -> Json {
    let mut json = json!({
        "format": FORMAT,
        "sweep": {
            "seeds": sweep.seeds,
            "vary": sweep.axes.iter().map(|axis| json!({"name": axis.name, "values": axis.values})).collect::<Vec<_>>(),
            "shard": [sweep.shard.index, sweep.shard.count],
            "discard": match sweep.discard {
                None => Json::Null,
                Some(Discard::Steps(discard)) => json!(discard),
                Some(Discard::Auto) => json!("auto"),
            },
            "observables": sweep.observables,
            "stops": sweep.stops,
        },
        "fractal": sweep.fractal.to_json(),
        "rule": sweep.rule.to_json(),
        "level": sweep.level,
        "params": sweep.params,
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
        seeds: own.get("seeds")?.as_array()?.iter().map(Json::as_u64).collect::<Option<_>>()?,
        params: words(json.get("params")?)?,
        axes: own.get("vary")?.as_array()?.iter().map(axis).collect::<Option<_>>()?,
        observables: words(own.get("observables")?)?,
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
    let count =
        sweep.axes.iter().fold(sweep.seeds.len() as u128, |n, axis| n.saturating_mul(axis.values.len() as u128));
    let fits = json.get("format")?.as_u64()? == FORMAT && (1..=MOST_MEMBERS as u128).contains(&count);
    Some((sweep, json.get("complete")?.as_bool()?)).filter(|_| fits)
}
