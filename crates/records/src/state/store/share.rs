//! A rank's share of a state that the first rank has begun.

use super::{ArrayShape, write::write_new};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::StateId;
use squeeze_engine::failure::Result;
use squeeze_engine::shares::ShareWriter;
use squeeze_host::files::{self, FileError};
use std::ops::Range;
use std::path::PathBuf;

/// Writes the chunks that this process is dealt into unfinished states of another.
#[derive(Debug)]
pub struct StateShare {
    is_apart: bool,
    part: PathBuf,
    shapes: Vec<ArrayShape>,
    written: Vec<PathBuf>,
}

impl StateShare {
    /// `is_apart` says that the other process runs on another machine, whose system does not make durable what this one has written.
    pub fn new(is_apart: bool) -> StateShare {
        StateShare { is_apart, part: PathBuf::new(), shapes: Vec::new(), written: Vec::new() }
    }
}

impl ShareWriter for StateShare {
    fn sees(&mut self, place: &str, rule: &FittedRule) -> bool {
        self.part = place.into();
        self.shapes = ArrayShape::of_rule(rule, rule.domain().cells());
        self.written.clear();
        // The name of an unfinished state is like no other, so one that is found is that of the first rank.
        self.shapes.iter().all(|shape| self.part.join(&shape.name).join("zarr.json").exists())
    }

    fn write(&mut self, StateId(field): StateId, cells: Range<u64>, values: &[u8]) -> Result<()> {
        let shape = &self.shapes[usize::from(field)];
        let folder = self.part.join(&shape.name).join("c");
        for (number, chunk) in (cells.start / shape.chunk_cells()..).zip(shape.encode(values)?) {
            let path = folder.join(number.to_string());
            write_new(&path, &chunk).map_err(|error| FileError::writing(&path, error))?;
            self.written.push(path);
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        let written = std::mem::take(&mut self.written);
        if self.is_apart {
            files::sync_files(&written)?;
        }
        Ok(())
    }
}
