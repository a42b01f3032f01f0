//! Comparing the members of sweeps: the bits that are kept while they run, and the matrices at the end.
//!
//! `members/N.bits` holds, for each time at which a member was observed, the bits of each overlap, filled up to whole bytes. The matrices
//! `overlap/NAME/STEP.npy` are made of these files.

use super::members::OverlapProbes;
use super::product::sliced;
use super::{CountingKernel, matrix};
use serde_json::{Value as Json, json};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Rule;
use squeeze_engine::Simulation;
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_host::files::{self, Bounded, FileError, Links};
use squeeze_host::{memory, numbers};
use squeeze_records::sweep::{Collector, Gathered, Probe};
use std::io::Read;
use std::path::PathBuf;

/// The folder of the matrices.
const OVERLAP: &str = "overlap";

/// Gathers the bits by which a rule compares the members of a sweep, and makes matrices of them.
pub struct Overlaps;

/// The bits by which members are compared.
struct ComparedBits {
    /// The names of the overlaps, in the order of the rule.
    names: Vec<String>,
    /// The cells of a member.
    cells: u64,
}

impl ComparedBits {
    fn from_json(json: &Json) -> Option<ComparedBits> {
        let names = json.get("names")?.as_array()?.iter().map(|name| Some(name.as_str()?.to_owned()));
        let names = names.collect::<Option<Vec<String>>>().filter(|names| !names.is_empty())?;
        Some(ComparedBits { names, cells: json.get("cells")?.as_u64()? })
    }

    /// The bytes of one overlap of a member at one time.
    fn bytes(&self) -> u64 {
        self.cells.div_ceil(8)
    }

    /// The bytes of all overlaps of a member at one time.
    fn bytes_of_time(&self) -> u64 {
        self.names.len() as u64 * self.bytes()
    }

    /// Whether all matrices of `members` members fit in memory, one after the other.
    fn check(&self, members: usize) -> Result<()> {
        let (needed, available) = (16 * (members as u64).saturating_mul(members as u64), memory::available());
        if needed <= available / 2 {
            return Ok(());
        }
        let [needed, available] = [needed, available].map(|bytes| numbers::bytes(bytes as f64));
        let name = &self.names[0];
        let takes = format!("takes {needed} of memory while it is made, and {available} are there");
        Err(Message::users(format!("the matrix `{name}` of {members} members {takes}"))
            .with_help("take fewer seeds or values, or sweep the values one by one")
            .into())
    }
}

impl Collector for Overlaps {
    fn name(&self) -> &'static str {
        "overlaps"
    }

    fn ending(&self) -> &'static str {
        "bits"
    }

    fn wanted(&self, rule: &Rule, domain: &Domain, members: usize) -> Result<Option<Json>> {
        let names: Vec<String> = rule.overlaps.iter().map(|overlap| overlap.name.clone()).collect();
        if names.is_empty() {
            return Ok(None);
        }
        let compared = ComparedBits { names, cells: domain.cells() };
        compared.check(members)?;
        Ok(Some(json!({"names": compared.names, "cells": compared.cells})))
    }

    fn bytes(&self, wanted: &Json) -> Option<u64> {
        ComparedBits::from_json(wanted).map(|compared| compared.bytes_of_time())
    }

    fn probe(&self, member: &Simulation, threads: Option<usize>) -> Result<Box<dyn Probe>> {
        Ok(Box::new(OverlapProbes::of(member, threads)?))
    }

    fn finish(&self, wanted: &Json, gathered: &Gathered<'_>) -> Result<()> {
        let Some(compared) = ComparedBits::from_json(wanted) else { return Ok(()) };
        let target = gathered.folder.join(OVERLAP);
        let mut folders = vec![target.clone()];
        folders.extend(compared.names.iter().map(|name| target.join(name)));
        for folder in &folders {
            if !folder.is_dir() {
                let made = files::make_folder(folder).and_then(|()| files::sync_parent(folder));
                made.map_err(|error| FileError::writing(folder, error))?;
            }
            files::remove_parts(folder).map_err(|error| FileError::writing(folder, error))?;
        }
        let all = gathered.members.len();
        for (number, time) in gathered.times.iter().enumerate() {
            // A member whose rule has ended it has no state any more.
            let present = gathered.members.iter().filter(|(_, (_, times))| *times > number);
            let (members, paths): (Vec<usize>, Vec<&PathBuf>) =
                present.map(|(member, (path, _))| (*member, path)).unzip();
            if members.is_empty() {
                break;
            }
            for (index, folder) in folders[1..].iter().enumerate() {
                let begin = number as u64 * compared.bytes_of_time() + index as u64 * compared.bytes();
                let room = memory::available() / 2;
                let counter = CountingKernel::best();
                let counts =
                    sliced(&counter, [members.len() as u64, room], compared.cells, 1 << 20, |row, cells, bytes| {
                        let path = paths[row];
                        let mut file = Bounded::open(path, u64::MAX, Links::Followed)?;
                        let read = file.seek(begin + cells.start / 8).and_then(|()| file.read_exact(bytes));
                        Ok::<(), Error>(read.map_err(|error| FileError::reading(path, error))?)
                    })?;
                matrix::write_members(&counts, &members, all, &folder.join(format!("{time}.npy")))?;
            }
        }
        Ok(())
    }
}
