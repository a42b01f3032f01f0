//! A rank's share of a state that the first rank has begun.

use super::ArrayShape;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::StateId;
use squeeze_engine::failure::Result;
use squeeze_engine::shares::ShareWriter;
use squeeze_host::files::{self, File, FileError};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The most files that are kept open until they are durable.
const MOST_OPEN: usize = 128;

/// Writes the chunks that this process is dealt into unfinished states of another.
#[derive(Debug)]
pub struct StateShare {
    is_apart: bool,
    part: PathBuf,
    shapes: Vec<ArrayShape>,
    /// Files on their way to another machine, whose system may say when they are synced or closed that there is no space: they are synced first.
    written: Vec<(PathBuf, File)>,
}

impl StateShare {
    /// `is_apart` says that the other process may run on another machine, whose system does not make durable what this one has written.
    pub fn new(is_apart: bool) -> StateShare {
        StateShare { is_apart, part: PathBuf::new(), shapes: Vec::new(), written: Vec::new() }
    }
}

impl ShareWriter for StateShare {
    fn sees(&mut self, place: &[u8], rule: &FittedRule) -> bool {
        let Some(part) = files::path_of(place) else { return false };
        self.part = part;
        self.shapes = ArrayShape::of_rule(rule, rule.domain().cells());
        self.written.clear();
        // The name of an unfinished state is like no other, so one that is found is that of the first rank.
        self.shapes.iter().all(|shape| try_to_write(&self.part.join(&shape.name).join("c")).is_ok())
    }

    fn write(&mut self, StateId(field): StateId, cells: Range<u64>, values: &[u8]) -> Result<()> {
        let shape = &self.shapes[usize::from(field)];
        let folder = self.part.join(&shape.name).join("c");
        for (number, chunk) in (cells.start / shape.chunk_cells()..).zip(shape.encode(values)?) {
            let path = folder.join(number.to_string());
            let written = files::create(&path).and_then(|mut file| file.write_all(&chunk).map(|()| file));
            let file = written.map_err(|error| FileError::writing(&path, error))?;
            if self.is_apart {
                self.written.push((path, file));
            }
            if self.written.len() == MOST_OPEN {
                self.settle()?;
            }
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        Ok(files::sync_open(&std::mem::take(&mut self.written))?)
    }
}

/// Makes a file in a folder and removes it.
fn try_to_write(folder: &Path) -> io::Result<()> {
    let path = files::unused_part(folder);
    files::create(&path)?;
    files::remove_tree(&path)
}
