//! `observables.csv`: a header, and a row for each time at which the observables were taken. Beside it, `observables.crc` has a checksum
//! of each line, so that a row that has changed is not taken for one of the run.

use super::{RunFolder, Schedule};
use crate::table;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::text::diagnostics::visible;
use squeeze_engine::failure::{Message, Result};
use squeeze_host::files::{self, File, FileError, Links};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The table and its checksums, open to add rows.
#[derive(Debug)]
pub(super) struct Rows {
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
    /// Opens a file after its first `length` bytes and forgets what follows them.
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

/// The line of checksums that belongs to a line of the table, or to some lines of a member of a sweep.
pub(crate) fn checksum(line: &str) -> String {
    let key = line.split([',', '\n']).next().unwrap_or_default();
    format!("{key},{:08x}\n", crc32c::crc32c(line.as_bytes()))
}

/// Adds the line of a table with the observables of one time.
pub(crate) fn push_row<'a>(lines: &mut String, time: u32, values: impl Iterator<Item = &'a ObservedValue>) {
    _ = write!(lines, "{time}");
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

impl Rows {
    /// Begins both files anew.
    pub(super) fn create(folder: &RunFolder, columns: &[String]) -> Result<Rows> {
        let header = header(columns);
        files::write_inside(&folder.observables_path(), header.as_bytes())?;
        files::write_inside(&folder.checksums_path(), checksum(&header).as_bytes())?;
        let table = Lines::open(folder.observables_path(), header.len() as u64)?;
        let checksums = Lines::open(folder.checksums_path(), checksum(&header).len() as u64)?;
        Ok(Rows { table, checksums, changed: true })
    }

    /// Adds a row. It is durable after [`sync`](Self::sync).
    pub(super) fn add<'a>(&mut self, time: u32, values: impl Iterator<Item = &'a ObservedValue>) -> Result<()> {
        let mut row = String::new();
        push_row(&mut row, time, values);
        self.changed = true;
        self.table.add(&row)?;
        self.checksums.add(&checksum(&row))
    }

    /// What makes all rows durable that were added before, on another thread.
    pub(super) fn sync(&mut self) -> impl FnOnce() -> Result<()> + Send + 'static {
        let changed = std::mem::take(&mut self.changed);
        let files = changed.then(|| [self.table.clone(), self.checksums.clone()]);
        move || files.iter().flatten().try_for_each(Lines::sync)
    }
}

/// The table that a run left, and its checksums.
pub(super) struct Table {
    text: String,
    checksums: Checksums,
}

/// What `observables.crc` says.
pub(crate) struct Checksums {
    text: Vec<u8>,
    /// By the words that lines begin with, each with a space before it; `None` if there is no file, as in folders that older versions wrote.
    sums: Option<BTreeMap<String, String>>,
}

/// The part of a table that is kept.
pub(super) struct Kept {
    /// The first and the last steps of stretches of rows that are missing or damaged, ascending, without the last row of all. A folder may
    /// claim a state of any step, so that rows are not counted one by one.
    pub(super) missing: Vec<(u32, u32)>,
    /// Whether the last row is there.
    pub(super) last: bool,
    lines: String,
}

impl Table {
    /// Reads what is there.
    ///
    /// # Errors
    /// If it cannot be read. If it is not there, or something else stands in its place, it is empty.
    pub(super) fn read(folder: &RunFolder) -> Result<Table> {
        let text = read_if_there(&folder.observables_path())?.unwrap_or_default();
        // A byte that is no text is damage, and what stands for it has another checksum.
        let text = String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into());
        Ok(Table { text, checksums: Checksums::read(&folder.checksums_path())? })
    }

    /// The rows up to the time `until` of a run with these columns, some of floats, and this schedule.
    pub(super) fn until(&self, until: u32, schedule: &Schedule, columns: &[String], floats: &[bool]) -> Kept {
        let header = header(columns);
        let mut kept = Kept { missing: Vec::new(), last: false, lines: header.clone() };
        let whole = self.text.starts_with(&header) || self.checksums.sums.is_some();
        let lines = self.text.split_inclusive('\n').skip(1).filter(|line| whole && line.ends_with('\n'));
        let mut next = u64::from(schedule.begin);
        for line in lines {
            let Some(time) = time_of(line, columns.len()) else { continue };
            if u64::from(time) < next || time > until || !schedule.is_planned(time) || !self.checksums.confirm(line) {
                continue;
            }
            kept.missing.extend(schedule.planned_between(next, time.into()));
            next = u64::from(time) + 1;
            kept.lines.push_str(&table::renewed(line.trim_end(), floats));
            kept.lines.push('\n');
            kept.last = time == until;
        }
        kept.missing.extend(schedule.planned_between(next, until.into()));
        kept
    }

    /// Opens both files behind the rows that are kept, and forgets all others.
    pub(super) fn open(&self, folder: &RunFolder, kept: &Kept) -> Result<Rows> {
        let checksums: String = kept.lines.split_inclusive('\n').map(checksum).collect();
        if !self.text.starts_with(&kept.lines) && self.checksums.sums.is_some() {
            // Whatever ends the process meanwhile, the table has its checksums.
            let both = [&self.checksums.text, checksums.as_bytes()].concat();
            files::write_inside(&folder.checksums_path(), &both)?;
        }
        let table = Lines::with(folder.observables_path(), kept.lines.as_bytes(), self.text.as_bytes())?;
        let checksums = Lines::with(folder.checksums_path(), checksums.as_bytes(), &self.checksums.text)?;
        Ok(Rows { table, checksums, changed: true })
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
    /// Reads a file of checksums.
    ///
    /// # Errors
    /// If it cannot be read. If it is not there, nothing is known.
    pub(crate) fn read(path: &Path) -> Result<Checksums> {
        Ok(Checksums::parse(read_if_there(path)?))
    }

    fn parse(text: Option<Vec<u8>>) -> Checksums {
        let sums = text.as_deref().map(|text| {
            let text = String::from_utf8_lossy(text);
            let mut sums: BTreeMap<String, String> = BTreeMap::new();
            for (key, sum) in text.lines().filter_map(|line| line.split_once(',')) {
                *sums.entry(key.to_owned()).or_default() += &format!(" {sum}");
            }
            sums
        });
        Checksums { text: text.unwrap_or_default(), sums }
    }

    /// Whether a line is as it was written. Without checksums there is no saying that it is not.
    pub(crate) fn confirm(&self, line: &str) -> bool {
        self.sums.is_none() || self.judge(line) == Some(true)
    }

    /// Whether a whole line is another than was written.
    fn contradict(&self, line: &str) -> bool {
        line.ends_with('\n') && self.judge(line) == Some(false)
    }

    /// Whether a line has the checksum that is known of such a line, if one is.
    pub(crate) fn judge(&self, line: &str) -> Option<bool> {
        let line = checksum(line);
        let (key, sum) = line.trim_end().split_once(',')?;
        Some(self.sums.as_ref()?.get(key)?.split(' ').any(|known| known == sum))
    }
}

impl Kept {
    /// What is told of the rows that are missing, if any are.
    pub(super) fn note(&self, path: &Path) -> Option<String> {
        /// More stretches are not told one by one.
        const MOST: usize = 8;
        let stretch = |(first, last): &(u32, u32)| match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        };
        let steps = self.missing.iter().take(MOST).map(stretch).collect::<Vec<_>>().join(", ");
        let more = if self.missing.len() > MOST { ", …" } else { "" };
        let (rows, are) = match self.missing[..] {
            [] => return None,
            [(first, last)] if first == last => ("the row of step", "is"),
            _ => ("the rows of steps", "are"),
        };
        Some(format!("`{}` is damaged: {rows} {steps}{more} {are} lost", path.display()))
    }
}

/// What an `observables.csv` says.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Observations {
    /// The names of the observables.
    pub names: Vec<String>,
    /// The times and the values, as many as names. Whole numbers beyond 2^53 are rounded.
    pub rows: Vec<(u32, Vec<f64>)>,
}

impl Observations {
    /// Reads the rows of a run that are whole and whose times ascend.
    ///
    /// # Errors
    /// If they cannot be read, or one is not as the run wrote it.
    pub fn of_run(folder: &RunFolder) -> Result<Observations> {
        let path = folder.observables_path();
        let bytes = files::read(&path, squeeze_host::memory::available(), Links::Followed)?;
        let text = String::from_utf8_lossy(&bytes);
        let checksums = Checksums::read(&folder.checksums_path())?;
        // A run that goes on writes a row before its checksum.
        match text.split_inclusive('\n').find(|line| checksums.contradict(line)) {
            Some(line) => {
                let (path, step) = (path.display(), line.split(',').next().unwrap_or_default());
                let help =
                    "`observables.crc` beside it holds the checksums of what was written: take both files from a copy";
                let what = format!("`{path}` is damaged: the row of step {step} is not as the run wrote it");
                Err(Message::systems(what).with_help(help).into())
            }
            None => Ok(Observations::parse(&text)),
        }
    }

    /// The rows of a table that are whole and whose times ascend.
    pub fn parse(text: &str) -> Observations {
        let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let mut found = Observations::default();
        let Some(header) = lines.next() else { return found };
        found.names = header.split(',').skip(1).map(visible).collect();
        for line in lines {
            let mut words = line.split(',');
            let Some(time) = words.next().and_then(|word| word.parse().ok()) else { continue };
            let values: Option<Vec<f64>> = words.map(|word| word.trim_end().parse().ok()).collect();
            let Some(values) = values.filter(|values| values.len() == found.names.len()) else { continue };
            if found.rows.last().is_none_or(|(last, _)| *last < time) {
                found.rows.push((time, values));
            }
        }
        found
    }
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

    fn table(text: &str, checksums: Option<&str>) -> Table {
        Table { text: text.to_owned(), checksums: Checksums::parse(checksums.map(|text| text.into())) }
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
        let few = Kept { missing: vec![(10, 30), (70, 70)], last: true, lines: String::new() };
        let note = few.note(Path::new("observables.csv")).unwrap();
        assert_eq!(note, "`observables.csv` is damaged: the rows of steps 10 to 30, 70 are lost");
    }
}
