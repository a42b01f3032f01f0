//! `observables.csv`: a header, and a row for each time at which the observables were taken. Beside it, `observables.crc` has a checksum
//! of each line, so that a row that has changed is not taken for one of the run.

use super::{Manifest, RunFolder, Schedule};
use crate::table;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::text::diagnostics::visible;
use squeeze_engine::failure::{Message, Result};
use squeeze_host::files::{self, File, FileError, Links};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The table and its checksums, open to add rows.
#[derive(Debug)]
pub(super) struct OpenTable {
    table: Lines,
    checksums: Lines,
    /// Whether anything was added or cut off since the last [`sync`](Self::sync).
    changed: bool,
}

/// A file of lines.
#[derive(Clone, Debug)]
struct Lines {
    path: PathBuf,
    file: File,
}

impl Lines {
    /// Opens a file after its first `length` bytes and drops the rest.
    fn open(path: PathBuf, length: u64) -> Result<Lines> {
        let failed = |error| FileError::writing(&path, error);
        let file = files::open_to_change(&path).map_err(failed)?;
        file.set_length(length).and_then(|()| file.to_end()).map_err(failed)?;
        Ok(Lines { path, file })
    }

    /// Opens a file after making it hold these bytes, which stand at its beginning already or not.
    fn with(path: PathBuf, bytes: &[u8], before: &[u8]) -> Result<Lines> {
        if !before.starts_with(bytes) {
            files::write_inside(&path, bytes)?;
        }
        Lines::open(path, bytes.len() as u64)
    }

    fn add(&mut self, line: &str) -> Result<()> {
        self.file.write_all(line.as_bytes()).map_err(|error| FileError::writing(&self.path, error).into())
    }

    fn sync(&self) -> Result<()> {
        self.file.sync().map_err(|error| FileError::writing(&self.path, error).into())
    }
}

fn header(columns: &[String]) -> String {
    std::iter::once("step").chain(columns.iter().map(String::as_str)).collect::<Vec<_>>().join(",") + "\n"
}

/// The digits of a checksum.
const SUM_DIGITS: usize = 8;

/// The line of checksums that belongs to a line of the table, or to some lines of a member of a sweep.
pub(crate) fn checksum(line: &str) -> String {
    let key = line.split([',', '\n']).next().unwrap_or_default();
    format!("{key},{:08x}\n", crc32c::crc32c(line.as_bytes()))
}

/// Adds the line of a table with the observables of one time, of a replica if there are such.
pub(crate) fn push_row<'a>(
    lines: &mut String,
    (time, replica): (u32, Option<usize>),
    values: impl Iterator<Item = &'a ObservedValue>,
) {
    _ = write!(lines, "{time}");
    if let Some(replica) = replica {
        _ = write!(lines, ",{replica}");
    }
    push_values(lines, values);
    lines.push('\n');
}

/// Adds values to a line of a table, with a comma before each.
pub(crate) fn push_values<'a>(line: &mut String, values: impl Iterator<Item = &'a ObservedValue>) {
    for value in values {
        for number in value.numbers() {
            match number {
                ObservedValue::Float(number) => _ = write!(line, ",{}", table::float(*number)),
                number => _ = write!(line, ",{number}"),
            }
        }
    }
}

impl OpenTable {
    /// Begins both files anew.
    pub(super) fn create(folder: &RunFolder, columns: &[String]) -> Result<OpenTable> {
        let header = header(columns);
        let table = Lines::with(folder.observables_path(), header.as_bytes(), &[])?;
        let checksums = Lines::with(folder.checksums_path(), checksum(&header).as_bytes(), &[])?;
        Ok(OpenTable { table, checksums, changed: true })
    }

    /// Adds a row. It is durable after [`sync`](Self::sync).
    pub(super) fn add(&mut self, row: &str) -> Result<()> {
        self.changed = true;
        self.table.add(row)?;
        self.checksums.add(&checksum(row))
    }

    /// A function for another thread that makes all rows durable that were added before.
    pub(super) fn sync(&mut self) -> impl FnOnce() -> Result<()> + Send + 'static {
        let changed = std::mem::take(&mut self.changed);
        let files = changed.then(|| [self.table.clone(), self.checksums.clone()]);
        move || files.iter().flatten().try_for_each(Lines::sync)
    }
}

/// The table that a run left, and its checksums.
pub(super) struct ObservablesTable {
    /// Its lines as they were written.
    text: String,
    /// Whether it lies there so.
    is_as_written: bool,
    checksums: Checksums,
}

/// The contents of `observables.crc`.
pub(crate) struct Checksums {
    text: Vec<u8>,
    /// By the words that lines begin with, each with a space before it; `None` if there are none, as in folders that older versions wrote.
    sums: Option<BTreeMap<String, String>>,
}

/// The part of a table that is kept.
pub(super) struct KeptRows {
    /// The first and the last steps of stretches of rows that are missing or damaged, ascending, without the last row of all. A folder may
    /// claim a state of any step, so that rows are not counted one by one.
    pub(super) missing: Vec<(u32, u32)>,
    /// Whether the last row is there.
    pub(super) last: bool,
    lines: String,
}

impl ObservablesTable {
    /// Reads the table; `has_sums` says whether it was written with checksums.
    ///
    /// # Errors
    /// If it cannot be read. If it is not there, or something else stands in its place, it is empty.
    pub(super) fn read(folder: &RunFolder, has_sums: bool) -> Result<ObservablesTable> {
        let bytes = read_if_there(&folder.observables_path())?.unwrap_or_default();
        let text = table::as_written(bytes.clone());
        let is_as_written = text.as_bytes() == bytes;
        Ok(ObservablesTable { text, is_as_written, checksums: Checksums::read(&folder.checksums_path(), has_sums)? })
    }

    /// The rows up to the time `until` of a run with these columns, some of floats, and this schedule.
    pub(super) fn until(&self, until: u32, schedule: &Schedule, columns: &[String], floats: &[bool]) -> KeptRows {
        let header = header(columns);
        let mut kept = KeptRows { missing: Vec::new(), last: false, lines: header.clone() };
        let has_sums = self.checksums.sums.is_some();
        let is_whole = has_sums || self.text.starts_with(&header);
        let mut rows: Vec<(u32, Cow<'_, str>)> = Vec::new();
        for line in self.text.split_inclusive('\n').filter(|_| is_whole) {
            let line = match line.ends_with('\n') {
                true => Cow::Borrowed(line),
                // Half of a number looks like a whole one, but for its checksum.
                false if has_sums => Cow::Owned(format!("{line}\n")),
                false => continue,
            };
            let Some(time) = time_of(&line, columns.len()) else { continue };
            let counts = (schedule.begin..=until).contains(&time) && schedule.is_planned(time);
            if counts && self.checksums.confirm(&line) {
                rows.push((time, line));
            }
        }
        rows.sort_by_key(|(time, _)| *time);
        rows.dedup_by_key(|(time, _)| *time);
        let mut next = u64::from(schedule.begin);
        for (time, line) in rows {
            kept.missing.extend(schedule.planned_between(next, time.into()));
            next = u64::from(time) + 1;
            kept.lines.push_str(&table::renewed(line.trim_end(), floats));
            kept.lines.push('\n');
            kept.last = time == until;
        }
        kept.missing.extend(schedule.planned_between(next, until.into()));
        kept
    }

    /// Whether there are whole lines that the run did not write, or not so. Rows up to the time `until` were written with their checksums; a process may
    /// have ended between a later one and its checksum.
    pub(super) fn is_damaged(&self, until: Option<u32>, columns: &[String]) -> bool {
        let header = header(columns);
        let mut lines = self.text.split_inclusive('\n').filter(|line| line.ends_with('\n') && *line != header);
        lines.any(|line| match time_of(line, columns.len()) {
            Some(time) if until.is_some_and(|until| time <= until) => !self.checksums.confirm(line),
            Some(_) => self.checksums.judge(line) == Some(false),
            None => true,
        })
    }

    /// Keeps a copy of the table beside it, and says where.
    pub(super) fn keep_beside(&self, folder: &RunFolder) -> Result<PathBuf> {
        let bytes = read_if_there(&folder.observables_path())?.unwrap_or_default();
        let mut number = 1;
        loop {
            let name = if number == 1 { String::new() } else { format!("-{number}") };
            let path = folder.path().join(format!("observables.damaged{name}.csv"));
            if path.symlink_metadata().is_err() {
                files::write_inside(&path, &bytes)?;
                return Ok(path);
            }
            // A process may have ended after it had kept the same.
            if read_if_there(&path)?.is_some_and(|kept| kept == bytes) {
                return Ok(path);
            }
            number += 1;
        }
    }

    /// Opens both files behind the rows that are kept, and forgets all others.
    pub(super) fn open(&self, folder: &RunFolder, kept: &KeptRows) -> Result<OpenTable> {
        let checksums: String = kept.lines.split_inclusive('\n').map(checksum).collect();
        let before = if self.is_as_written { self.text.as_bytes() } else { &[] };
        if !before.starts_with(kept.lines.as_bytes()) && self.checksums.sums.is_some() {
            // The table has its checksums, even if the process ends in between.
            let both = [&self.checksums.text, checksums.as_bytes()].concat();
            files::write_inside(&folder.checksums_path(), &both)?;
        }
        let table = Lines::with(folder.observables_path(), kept.lines.as_bytes(), before)?;
        let checksums = Lines::with(folder.checksums_path(), checksums.as_bytes(), &self.checksums.text)?;
        Ok(OpenTable { table, checksums, changed: true })
    }
}

/// The bytes of a file; `None` if it is not there, or something else stands in its place.
fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match files::read(path, squeeze_host::memory::available(), Links::Followed) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileError::Missing(_) | FileError::Special(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The time of a row with `values` values, exactly as such rows are written.
fn time_of(line: &str, values: usize) -> Option<u32> {
    let mut words = line.strip_suffix('\n')?.split(',');
    let word = words.next()?;
    let time: u32 = word.parse().ok()?;
    let mut count = 0;
    for word in words {
        word.parse::<f64>().ok()?;
        count += 1;
    }
    (count == values && time.to_string() == word).then_some(time)
}

impl Checksums {
    /// Reads a file of checksums. If `has_sums` says that one was written, a missing file makes all rows count as damaged.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(path: &Path, has_sums: bool) -> Result<Checksums> {
        let text = read_if_there(path)?;
        Ok(Checksums::parse(if has_sums { Some(text.unwrap_or_default()) } else { text }))
    }

    fn parse(text: Option<Vec<u8>>) -> Checksums {
        let sums = text.clone().map(|text| {
            let mut sums: BTreeMap<String, String> = BTreeMap::new();
            // Of the last line half may be there.
            let lines = table::as_written(text);
            let lines =
                lines.lines().filter_map(|line| line.split_once(',')).filter(|(_, sum)| sum.len() == SUM_DIGITS);
            for (key, sum) in lines {
                *sums.entry(key.to_owned()).or_default() += &format!(" {sum}");
            }
            sums
        });
        Checksums { text: text.unwrap_or_default(), sums }
    }

    /// Whether a line is as it was written. Any line counts as such if there are no checksums.
    pub(crate) fn confirm(&self, line: &str) -> bool {
        self.sums.is_none() || self.judge(line) == Some(true)
    }

    /// Whether a line has the checksum that is known of such a line, if one is.
    pub(crate) fn judge(&self, line: &str) -> Option<bool> {
        let line = checksum(line);
        let (key, sum) = line.trim_end().split_once(',')?;
        Some(self.sums.as_ref()?.get(key)?.split(' ').any(|known| known == sum))
    }

    /// The steps of all rows that are known.
    fn times(&self) -> impl Iterator<Item = u32> {
        self.sums.iter().flat_map(|sums| sums.keys()).filter_map(|key| key.parse().ok())
    }
}

impl KeptRows {
    /// Adds rows that were missing, each with its time, ascending. Stretches that are still missing are left to be told.
    pub(super) fn fill(&mut self, rows: Vec<(u32, String)>) {
        let mut lines = String::with_capacity(self.lines.len());
        let mut rows = rows.into_iter().peekable();
        for line in self.lines.split_inclusive('\n') {
            let time = line.split(',').next().and_then(|word| word.parse::<u32>().ok());
            while let Some((_, row)) = rows.next_if(|(missing, _)| time.is_some_and(|time| *missing < time)) {
                lines.push_str(&row);
            }
            lines.push_str(line);
        }
        lines.extend(rows.map(|(_, row)| row));
        self.lines = lines;
    }
}

/// A message on a table with damaged stretches of rows, which are computed again or left as they are in some way, and on where the table that was there is kept. None if all is as it
/// should be.
pub(super) fn note(
    path: &Path,
    again: &[(u32, u32)],
    (left, how): (&[(u32, u32)], &str),
    beside: Option<&Path>,
) -> Option<String> {
    let damage = match (again, left) {
        ([], []) => "it holds what the run did not write".to_owned(),
        (again, []) => format!("{} computed again", rows_in_words(again)),
        ([], left) => format!("{} {how}", rows_in_words(left)),
        (again, left) => format!("{} computed again; {} {how}", rows_in_words(again), rows_in_words(left)),
    };
    let beside = match beside {
        Some(beside) => format!("; what was there is kept in `{}`", beside.display()),
        None if again.is_empty() && left.is_empty() => return None,
        None => String::new(),
    };
    Some(format!("`{}` is damaged: {damage}{beside}", path.display()))
}

/// Some rows, and a verb.
fn rows_in_words(stretches: &[(u32, u32)]) -> String {
    /// More stretches are not told one by one.
    const MOST: usize = 8;
    let stretch = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    };
    let steps = stretches.iter().take(MOST).map(stretch).collect::<Vec<_>>().join(", ");
    let more = if stretches.len() > MOST { ", …" } else { "" };
    match stretches {
        [(first, last)] if first == last => format!("the row of step {steps} is"),
        _ => format!("the rows of steps {steps}{more} are"),
    }
}

/// The contents of an `observables.csv`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Observations {
    /// The names of the observables.
    pub names: Vec<String>,
    /// The times and the values, as many as names. Whole numbers beyond 2^53 are rounded.
    pub rows: Vec<(u32, Vec<f64>)>,
}

impl Observations {
    /// Reads the rows of a run. Of one that goes on, those since its last state may be without their checksums, and are left out then.
    ///
    /// # Errors
    /// If the manifest or the table cannot be read, or a row is missing or not as the run wrote it.
    pub fn of_run(folder: &RunFolder) -> Result<Observations> {
        let manifest = Manifest::read(folder)?;
        // Before the table: what is there later must not be looked for in it.
        let last = if manifest.result.is_some() { Some(u32::MAX) } else { folder.state_times()?.last().copied() };
        // First values from files are saved before their row is written.
        let settled = last.filter(|last| *last > manifest.schedule.begin);
        let path = folder.observables_path();
        let text = table::as_written(files::read(&path, squeeze_host::memory::available(), Links::Followed)?);
        let checksums = Checksums::read(&folder.checksums_path(), manifest.id.is_some())?;
        if checksums.sums.is_none() {
            return Ok(Observations::parse(&text));
        }
        let is_settled = |time: u32| settled.is_some_and(|settled| time <= settled);
        let damaged = |what: &str| {
            let help = format!(
                "`squeeze resume {}` computes it again; or take both files, it and `observables.crc`, from a copy",
                folder.path().display()
            );
            Message::systems(format!("`{}` is damaged: {what} not as the run wrote it", path.display())).with_help(help)
        };
        let (mut found, mut has_names) = (Observations::default(), false);
        for line in text.split_inclusive('\n') {
            let whole = line.ends_with('\n');
            let line = line.trim_end_matches('\n');
            let (judged, time) =
                (checksums.judge(&format!("{line}\n")), line.split(',').next().and_then(|word| word.parse().ok()));
            match (judged, time) {
                (Some(true), Some(time)) => found.rows.extend(values_of(line).map(|values| (time, values))),
                (Some(true), None) => {
                    found.names = names_of(line);
                    has_names = true;
                }
                (Some(false), Some(time)) if whole || is_settled(time) => {
                    return Err(damaged(&format!("the row of step {time} is")).into());
                }
                (None, Some(time)) if is_settled(time) => {
                    return Err(damaged(&format!("the row of step {time} is")).into());
                }
                // A row that is just being written, or a line that is none: if it stood for a row, that is missed.
                _ => {}
            }
        }
        if !has_names {
            return Err(damaged("its first line is").into());
        }
        found.rows.sort_by_key(|(time, _)| *time);
        found.rows.dedup_by_key(|(time, _)| *time);
        let is_missing =
            |time: &u32| is_settled(*time) && found.rows.binary_search_by_key(time, |(time, _)| *time).is_err();
        match checksums.times().filter(is_missing).min() {
            Some(time) => Err(damaged(&format!("the row of step {time} is")).into()),
            None => Ok(found),
        }
    }

    /// The rows of a table that are whole and whose times ascend.
    pub fn parse(text: &str) -> Observations {
        let _mode = DefaultMode::enter();
        let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let mut found = Observations::default();
        let Some(header) = lines.next() else { return found };
        found.names = names_of(header);
        for line in lines {
            let Some(time) = line.split(',').next().and_then(|word| word.parse().ok()) else { continue };
            let Some(values) = values_of(line).filter(|values| values.len() == found.names.len()) else { continue };
            if found.rows.last().is_none_or(|(last, _)| *last < time) {
                found.rows.push((time, values));
            }
        }
        found
    }
}

/// The columns of observables that the first line of a table names.
fn names_of(header: &str) -> Vec<String> {
    header.split(',').skip(1).map(visible).collect()
}

/// The values in a row.
fn values_of(row: &str) -> Option<Vec<f64>> {
    row.split(',').skip(1).map(|word| word.trim_end().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_ten() -> Schedule {
        Schedule { steps: 30, observe_every: Some(10), ..Schedule::default() }
    }

    #[test]
    fn rows_that_are_whole_are_read() {
        let found = Observations::parse("step,a,b\n0,1,nan\n5,1\n10,2,-inf\n20,3");
        assert_eq!(found.names, ["a", "b"]);
        assert_eq!(found.rows.len(), 2);
        assert_eq!(found.rows[1], (10, vec![2.0, f64::NEG_INFINITY]));
        assert_eq!(Observations::parse("").rows.len(), 0);
    }

    fn table(text: &str, checksums: Option<&str>) -> ObservablesTable {
        let text = table::as_written(text.into());
        ObservablesTable { text, is_as_written: true, checksums: Checksums::parse(checksums.map(|text| text.into())) }
    }

    #[test]
    fn rows_that_are_missing_or_have_changed_are_told_and_the_others_kept() {
        let columns = ["population".to_owned()];
        let whole = "step,population\n0,5\n10,6\n20,7\n30,8\n40,9\n";
        let sums: String = whole.split_inclusive('\n').map(checksum).collect();
        let kept = table(whole, Some(&sums)).until(30, &every_ten(), &columns, &[false]);
        assert_eq!((kept.missing, kept.last, kept.lines), (vec![], true, whole.replace("40,9\n", "")));
        for (changed, missing) in [
            (whole.replace("10,6\n", ""), vec![(10, 10)]),
            (whole.replace("10,6", "10,7"), vec![(10, 10)]),
            (whole.replace("10,6\n20,7", "10,6,20,7"), vec![(10, 20)]),
            (whole.replace("10,6\n", "1x,6\n"), vec![(10, 10)]),
            (whole.replace("10,6\n", "10,6"), vec![(10, 20)]),
            (whole.replace("step", "stop"), vec![]),
            (whole.replace("20,7\n", "20,7\n20,7\n15,3\n"), vec![]),
            (String::new(), vec![(0, 20)]),
        ] {
            let kept = table(&changed, Some(&sums)).until(30, &every_ten(), &columns, &[false]);
            assert_eq!(kept.missing, missing, "{changed}");
            assert!(kept.lines.starts_with("step,population\n") && kept.last != changed.is_empty(), "{}", kept.lines);
        }
        let without = table(&whole.replace("0,6\n", "0,7\n"), None).until(30, &every_ten(), &columns, &[false]);
        assert_eq!(without.missing, [], "without checksums a row that looks right is taken");
        let old = table(whole, Some(&sums)).until(30, &every_ten(), &columns, &[true]);
        assert_eq!(old.lines, "step,population\n0,5.0\n10,6.0\n20,7.0\n30,8.0\n");
        let twice = format!("{sums}{}", old.lines.split_inclusive('\n').map(checksum).collect::<String>());
        for text in [whole, &old.lines] {
            assert_eq!(table(text, Some(&twice)).until(30, &every_ten(), &columns, &[true]).lines, old.lines);
        }
        let other = table(&whole.replace("population", "people"), None).until(30, &every_ten(), &columns, &[false]);
        assert_eq!((other.missing, other.last), (vec![(0, 20)], false));
        let far = table("", None).until(u32::MAX - 15, &every_ten(), &columns, &[false]);
        assert_eq!(far.missing, [(0, u32::MAX - 25)], "rows that a folder claims are not listed");
        let path = Path::new("observables.csv");
        assert_eq!(note(path, &[], (&[], "lost"), None), None);
        let told = note(path, &[(10, 30), (70, 70)], (&[(5, 5)], "lost"), Some(Path::new("beside"))).unwrap();
        let wanted = "`observables.csv` is damaged: the rows of steps 10 to 30, 70 are computed again; the row of step 5 is lost; what was there is kept in `beside`";
        assert_eq!(told, wanted);
    }

    /// Line ends that editors and version control change are no damage, as long as the numbers are there.
    #[test]
    fn lines_may_end_and_stand_as_they_like() {
        let columns = ["population".to_owned()];
        let whole = "step,population\n0,5\n10,6\n20,7\n30,8\n40,9\n";
        let sums: String = whole.split_inclusive('\n').map(checksum).collect();
        let wanted = whole.replace("40,9\n", "");
        for text in [
            whole.replace('\n', "\r\n"),
            whole.replace('\n', "\r"),
            whole.replace('\n', "\n\n"),
            format!("\u{feff}{whole}"),
            wanted.trim_end().to_owned(),
            whole.replace("step,population\n", ""),
            "step,population\n30,8\n20,7\n0,5\n40,9\n10,6\n10,6\n".to_owned(),
        ] {
            for sums in [sums.clone(), sums.replace('\n', "\r\n"), format!("\u{feff}{}", sums.trim_end())] {
                let table = table(&text, Some(&sums));
                let kept = table.until(30, &every_ten(), &columns, &[false]);
                assert_eq!((kept.missing, kept.lines), (vec![], wanted.clone()), "{text:?}");
                assert!(!table.is_damaged(Some(30), &columns), "{text:?}");
            }
        }
        // Without checksums the last line may be half of one.
        let cut = table(wanted.trim_end(), None).until(30, &every_ten(), &columns, &[false]);
        assert_eq!((cut.missing, cut.last), (vec![], false));
    }

    #[test]
    fn what_the_run_did_not_write_is_damage_and_what_a_process_did_not_finish_is_none() {
        let columns = ["population".to_owned()];
        let whole = "step,population\n0,5\n10,6\n20,7\n";
        let sums: String = whole.split_inclusive('\n').map(checksum).collect();
        let is_damaged = |text: &str, sums: &str| table(text, Some(sums)).is_damaged(Some(10), &columns);
        for text in
            [format!("{whole}30,8\n"), format!("{whole}30"), whole.replace("20,7\n", "20"), whole.replace("20,7\n", "")]
        {
            assert!(!is_damaged(&text, &sums), "{text:?}");
        }
        let half = sums.trim_end();
        assert!(!is_damaged(whole, &half[..half.len() - 3]), "half of the last checksum");
        for text in [
            whole.replace("10,6", "10,5"),
            whole.replace("20,7", "20,5"),
            format!("{whole}# note\n"),
            whole.replace("step", "time"),
        ] {
            assert!(is_damaged(&text, &sums), "{text:?}");
        }
        assert!(is_damaged(whole, ""), "it was written with checksums");
        assert!(!table(whole, None).is_damaged(Some(10), &columns), "it was written without");
    }

    #[test]
    fn missing_rows_find_their_places() {
        let mut kept = KeptRows { missing: Vec::new(), last: true, lines: "step,a\n10,1\n30,3\n".to_owned() };
        let row = |time: u32| (time, format!("{time},x\n"));
        kept.fill(vec![row(0), row(5), row(20), row(40)]);
        assert_eq!(kept.lines, "step,a\n0,x\n5,x\n10,1\n20,x\n30,3\n40,x\n");
    }
}
