//! Results of the members of a sweep, as text: the content of their files, of which tables are made.
//!
//! Many small members end within a second, and a disk makes few files durable in that time. So members are written together, in a file that appears when
//! it is complete and durable. Of each it holds
//!
//! ```text
//! member,12             its number
//! cells,00ff…           the digest of the cells that its domain has drawn, if it draws
//! …                     its rows
//! crc32c,1234abcd       a checksum of all this
//! ```
//!
//! Older versions wrote a file `N.csv` for each member with its rows, and `N.cells` with such a digest.

use super::Sweep;
use super::collector::MEMBERS;
use super::exchange::ExchangeCounts;
use crate::run::{push_row, push_values};
use crate::table;
use crate::texts::Digest;
use squeeze_compiler::ir::Rule;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::totals::of_observables;
use squeeze_host::files::{self, FileError, Links};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most bytes of a table that is read.
pub(super) const MOST_TABLE: u64 = 1 << 34;

/// The results of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    /// A line for each observed time of the member.
    pub lines: String,
    /// The values of observables of the end alone, each after a comma.
    pub end: String,
    /// What became of its exchanges, in a ladder.
    pub exchange: Option<ExchangeCounts>,
}

/// Which of the columns of a sweep hold floats.
pub(super) struct Floats {
    observables: Vec<bool>,
    at_end: Vec<bool>,
}

impl Floats {
    /// The columns of a sweep.
    ///
    /// # Errors
    /// If the recorded text of the rule is none.
    pub(super) fn of(sweep: &Sweep) -> Result<Floats> {
        let rule = sweep.rule.rule()?;
        let [mut observables, at_end] =
            [&sweep.observables, &sweep.at_end].map(|columns| table::floats(&rule, columns));
        observables.splice(0..0, std::iter::repeat_n(false, sweep.columns_before()));
        Ok(Floats { observables, at_end })
    }
}

/// The word before a member's values at its end, in its text.
const END: &str = "end";
/// The word before what became of its exchanges.
const EXCHANGE: &str = "exchange";
/// The word before the checksum of a member's text, in its file. Files of [unsealed](Sweep::unsealed) sweeps have none.
const SUM: &str = "crc32c";

/// The line of the checksum of a text.
fn sum_of(text: &str) -> String {
    format!("{SUM},{:08x}\n", crc32c::crc32c(text.as_bytes()))
}

impl Rows {
    /// Adds the observables of a time, which is the member's last one or not, with the replica of its state in a ladder.
    pub(super) fn push<'a>(
        &mut self,
        rule: &Rule,
        (time, replica): (u32, Option<usize>),
        values: impl Iterator<Item = &'a ObservedValue> + Clone,
        is_last: bool,
    ) {
        push_row(&mut self.lines, (time, replica), of_observables(rule, false, values.clone()));
        if is_last {
            push_values(&mut self.end, of_observables(rule, true, values));
        }
    }

    /// How often it was observed.
    pub(super) fn observations(&self) -> usize {
        self.lines.lines().count()
    }

    /// The line of its end, with the observables of the end alone.
    pub(super) fn last(&self) -> String {
        format!("{}{}", self.lines.lines().next_back().unwrap_or_default(), self.end)
    }

    /// All of it.
    pub(super) fn to_text(&self) -> String {
        let exchange = self.exchange.map_or_else(String::new, |counts| format!("{EXCHANGE},{}\n", counts.to_text()));
        let end = if self.end.is_empty() { String::new() } else { format!("{END}{}\n", self.end) };
        format!("{exchange}{}{end}", self.lines)
    }

    /// As they are written now, whatever version wrote them.
    pub(super) fn renewed(&self, floats: &Floats) -> Rows {
        let lines = self.lines.lines().map(|line| table::renewed(line, &floats.observables) + "\n");
        Rows { lines: lines.collect(), end: table::renewed(&self.end, &floats.at_end), exchange: self.exchange }
    }

    /// Reads the text of a member with its checksum, as in files of older versions; `None` if it is not whole, or not as it was written.
    fn of_text(sweep: &Sweep, text: &str) -> Option<Rows> {
        let (text, sum) = text.split_at(text.rfind(SUM).unwrap_or(text.len()));
        let is_old = sweep.unsealed && sum.is_empty();
        if !is_old && sum != sum_of(text) {
            return None;
        }
        Rows::of_plain(sweep, text)
    }

    /// Reads a text without a checksum; `None` if it is not whole.
    fn of_plain(sweep: &Sweep, text: &str) -> Option<Rows> {
        let (exchange, text) =
            match text.strip_prefix(EXCHANGE).and_then(|rest| rest.strip_prefix(',')?.split_once('\n')) {
                Some((counts, rest)) => (Some(ExchangeCounts::of_text(counts)?), rest),
                None => (None, text),
            };
        let before_end = text.rfind(&format!("{END},")).unwrap_or(text.len());
        let (lines, end) = text.split_at(before_end);
        let end = if end.is_empty() { end } else { end.strip_prefix(END)?.strip_suffix('\n')? };
        Some(Rows { lines: lines.to_owned(), end: end.to_owned(), exchange }).filter(|rows| rows.are_whole(sweep))
    }

    /// Whether the rows are complete: the member has come to its end.
    pub(super) fn are_whole(&self, sweep: &Sweep) -> bool {
        let are_numbers = |line: &str, count: usize| {
            let mut words = line.split(',').skip(1);
            words.clone().count() == count && words.all(|word| word.parse::<f64>().is_ok())
        };
        let mut times = sweep.times();
        let all = self.lines.lines().all(|line| {
            let time = times.next().map(|time| time.to_string());
            line.split(',').next() == time.as_deref()
                && are_numbers(line, sweep.columns_before() + sweep.observables.len())
        });
        all && self.exchange.is_some() == sweep.exchange.is_some()
            && (sweep.stops || times.next().is_none())
            && self.lines.ends_with('\n')
            && are_numbers(&self.end, sweep.at_end.len())
    }
}

/// The word before the number of a member, with its comma.
const MEMBER: &str = "member,";
/// The word before the digest of a member's cells. Older versions have files of this ending.
const CELLS: &str = "cells";
/// The ending of files of several members.
const TOGETHER: &str = "rows";
/// The ending of files of one member, which older versions wrote.
const ALONE: &str = "csv";

/// A member that has come to its end.
pub(super) struct Ended {
    pub(super) rows: Rows,
    /// The files of data that were gathered of it.
    pub(super) gathered: Vec<PathBuf>,
}

/// The writer of members that have come to their ends.
pub(super) struct Keeper {
    members: PathBuf,
    every: Duration,
    /// When members were written last.
    last: Instant,
    /// The number of the next file.
    next: u64,
    /// Members that are not written yet,
    waiting: String,
    /// and the files of what was gathered of them, which may not be durable yet.
    gathered: Vec<PathBuf>,
}

impl Keeper {
    /// A keeper of members of the sweep in this folder, which writes them down after this time at most.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(super) fn new(folder: &Path, every: Duration) -> Result<Keeper> {
        let members = folder.join(MEMBERS);
        let last =
            files_of(&members)?.iter().filter(|(_, ending, _)| ending == TOGETHER).map(|(number, ..)| *number).max();
        let next = last.map_or(0, |last: u64| last.saturating_add(1));
        Ok(Keeper { members, every, last: Instant::now(), next, waiting: String::new(), gathered: Vec::new() })
    }

    /// Takes a member that has come to its end, with the digest of its cells if its domain has drawn them.
    pub(super) fn add(&mut self, member: usize, cells: Option<Digest>, Ended { rows, gathered }: &Ended) {
        self.waiting.push_str(&record(member, cells, rows));
        self.gathered.extend_from_slice(gathered);
    }

    /// Writes down the members that wait, if it is time.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub(super) fn keep_in_time(&mut self) -> Result<()> {
        if self.last.elapsed() < self.every { Ok(()) } else { self.keep() }
    }

    /// Writes down the members that wait.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub(super) fn keep(&mut self) -> Result<()> {
        self.last = Instant::now();
        if self.waiting.is_empty() {
            return Ok(());
        }
        files::sync_files(&self.gathered)?;
        self.gathered.clear();
        let path = self.members.join(format!("{}.{TOGETHER}", self.next));
        files::write_inside(&path, self.waiting.as_bytes())?;
        self.next += 1;
        self.waiting.clear();
        Ok(())
    }
}

/// The files in a folder whose names are numbers with an ending, in the order of the numbers.
fn files_of(members: &Path) -> Result<Vec<(u64, String, PathBuf)>> {
    let names = match files::list(members) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        names => names.map_err(|error| FileError::reading(members, error))?,
    };
    let of_name = |(name, _)| {
        let path = members.join(name);
        let number = path.file_stem()?.to_str()?.parse().ok()?;
        let ending = path.extension()?.to_str()?.to_owned();
        Some((number, ending, path))
    };
    let mut all: Vec<_> = names.into_iter().filter_map(of_name).collect();
    all.sort_unstable();
    Ok(all)
}

/// The contents of the files of members.
pub(super) struct Kept {
    /// The rows of each that is whole.
    pub(super) rows: BTreeMap<usize, Rows>,
    /// For members whose domains have drawn cells their digest.
    pub(super) cells: BTreeMap<usize, Digest>,
    /// The first file that is not as it was written.
    pub(super) damaged: Option<PathBuf>,
}

impl Kept {
    /// Reads them, as far as they are as they were written: members whose files were changed are computed again.
    ///
    /// # Errors
    /// If a file cannot be read, or the digest of cells in one of an older version is none.
    pub(super) fn read(folder: &Path, sweep: &Sweep) -> Result<Kept> {
        let mut kept = Kept { rows: BTreeMap::new(), cells: BTreeMap::new(), damaged: None };
        for (number, ending, path) in files_of(&folder.join(MEMBERS))? {
            if ![TOGETHER, ALONE, CELLS].contains(&ending.as_str()) {
                continue;
            }
            let text = table::with_end(files::read(&path, MOST_TABLE, Links::Followed)?);
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            let is_whole = match ending.as_str() {
                TOGETHER => kept.add(sweep, &text),
                ALONE => {
                    let rows = Rows::of_text(sweep, &text);
                    rows.map(|rows| kept.rows.insert(number, rows)).is_some()
                }
                _ => {
                    let wrong =
                        |_| Message::systems(format!("`{}` is damaged: it is no digest of cells", path.display()));
                    kept.cells.insert(number, text.trim_end().parse().map_err(wrong)?);
                    true
                }
            };
            if !is_whole {
                kept.damaged.get_or_insert(path);
            }
        }
        kept.cells.retain(|member, _| *member < sweep.members());
        Ok(kept)
    }

    /// Adds members of one file; false if not all of it is as it was written.
    fn add(&mut self, sweep: &Sweep, text: &str) -> bool {
        let mut is_whole = !text.is_empty();
        for record in text.split_inclusive('\n').collect::<Vec<_>>().chunk_by(|_, line| !line.starts_with(MEMBER)) {
            let Some((member, cells, rows)) = read_record(sweep, &record.concat()) else {
                is_whole = false;
                continue;
            };
            self.cells.extend(cells.map(|cells| (member, cells)));
            self.rows.insert(member, rows);
        }
        is_whole
    }
}

/// The text of a member, with a checksum.
pub(super) fn record(member: usize, cells: Option<Digest>, rows: &Rows) -> String {
    let cells = cells.map_or_else(String::new, |cells| format!("{CELLS},{cells}\n"));
    let mut text = format!("{MEMBER}{member}\n{cells}{}", rows.to_text());
    let sum = sum_of(&text);
    text.push_str(&sum);
    text
}

/// One member; `None` if it is not whole, or not as it was written.
pub(super) fn read_record(sweep: &Sweep, record: &str) -> Option<(usize, Option<Digest>, Rows)> {
    let (text, sum) = record.split_at(record.rfind(SUM)?);
    if sum != sum_of(text) {
        return None;
    }
    let (member, rest) = text.strip_prefix(MEMBER)?.split_once('\n')?;
    let (cells, rows) = match rest.strip_prefix(CELLS).and_then(|rest| rest.strip_prefix(',')?.split_once('\n')) {
        Some((cells, rows)) => (Some(cells.parse().ok()?), rows),
        None => (None, rest),
    };
    Some((member.parse().ok()?, cells, Rows::of_plain(sweep, rows)?))
}
