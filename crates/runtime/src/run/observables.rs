//! `observables.csv`: a header, and a row for each time at which the observables were taken.

use super::error::Result;
use crate::files::{self, FileError};
use squeeze_compiler::ir::Rule;
use squeeze_compiler::numerics::fold::ObservedValue;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file, open to add rows.
#[derive(Debug)]
pub(super) struct Rows {
    path: PathBuf,
    file: Arc<File>,
}

fn header(rule: &Rule) -> String {
    let names = rule.observables.iter().map(|observable| observable.name.as_str());
    std::iter::once("step").chain(names).collect::<Vec<_>>().join(",") + "\n"
}

impl Rows {
    /// Begins the file anew.
    pub(super) fn create(path: &Path, rule: &Rule) -> Result<Rows> {
        files::write_atomically(path, header(rule).as_bytes())?;
        Rows::open(path, header(rule).len() as u64)
    }

    /// Opens the file after its first `length` bytes and forgets what follows them.
    pub(super) fn open(path: &Path, length: u64) -> Result<Rows> {
        let failed = |error| FileError::writing(path, error);
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(failed)?;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        Ok(Rows { path: path.to_owned(), file: Arc::new(file) })
    }

    /// Adds a row. It is durable after [`sync`](Self::sync).
    pub(super) fn add(&self, time: u32, values: impl Iterator<Item = ObservedValue>) -> Result<()> {
        let mut row = time.to_string();
        for value in values {
            row.push_str(&match value {
                ObservedValue::Integer(v) => format!(",{v}"),
                ObservedValue::Float(v) if v.is_nan() => ",nan".to_owned(),
                ObservedValue::Float(v) => format!(",{v}"),
            });
        }
        row.push('\n');
        (&*self.file).write_all(row.as_bytes()).map_err(|error| FileError::writing(&self.path, error).into())
    }

    /// What makes all rows durable that were added before, on another thread.
    pub(super) fn sync(&self) -> impl FnOnce() -> Result<()> + Send + 'static {
        let (path, file) = (self.path.clone(), Arc::clone(&self.file));
        move || file.sync_all().map_err(|error| FileError::writing(&path, error).into())
    }
}

/// What an `observables.csv` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// The names of the observables.
    pub names: Vec<String>,
    /// The times and the values, as many as names. Whole numbers beyond 2^53 are rounded.
    pub rows: Vec<(u32, Vec<f64>)>,
    /// The bytes behind each row's end.
    ends: Vec<u64>,
    header_end: u64,
}

impl Observations {
    /// Reads a file as far as its rows are whole and their times ascend.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> Result<Observations> {
        let bytes = files::read_bytes(path, u64::MAX)?;
        Ok(Observations::parse(&String::from_utf8_lossy(&bytes)))
    }

    pub(crate) fn parse(text: &str) -> Observations {
        let mut lines = text.split_inclusive('\n').take_while(|line| line.ends_with('\n'));
        let mut found = Observations::default();
        let Some(header) = lines.next() else { return found };
        found.names = header.trim_end().split(',').skip(1).map(str::to_owned).collect();
        found.header_end = header.len() as u64;
        let mut end = found.header_end;
        for line in lines {
            let mut words = line.trim_end().split(',');
            let Some(time) = words.next().and_then(|word| word.parse().ok()) else { break };
            let values: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
            let Some(values) = values.filter(|values| values.len() == found.names.len()) else { break };
            if found.rows.last().is_some_and(|(last, _)| *last >= time) {
                break;
            }
            end += line.len() as u64;
            found.rows.push((time, values));
            found.ends.push(end);
        }
        found
    }

    /// The bytes up to the last row of a time that is not after `time`, if the rows up to there are those of a run of this rule which
    /// takes its observables at multiples of `every`.
    pub(super) fn length_until(&self, time: u32, every: Option<u32>, rule: &Rule) -> Option<u64> {
        if !self.names.iter().eq(rule.observables.iter().map(|observable| &observable.name)) {
            return None;
        }
        let expected = every.map_or(0, |every| time / every + 1) as usize;
        let whole = expected <= self.rows.len()
            && self.rows[..expected].iter().enumerate().all(|(i, row)| row.0 == i as u32 * every.unwrap_or(1));
        whole.then(|| if expected == 0 { self.header_end } else { self.ends[expected - 1] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_far_as_they_are_whole() {
        let found = Observations::parse("step,a,b\n0,1,nan\n10,2,-inf\n20,3");
        assert_eq!(found.names, ["a", "b"]);
        assert_eq!(found.rows.len(), 2);
        assert_eq!(found.rows[1], (10, vec![2.0, f64::NEG_INFINITY]));
        assert_eq!(found.ends, [17, 27]);
        assert_eq!(Observations::parse("").rows.len(), 0);
    }
}
