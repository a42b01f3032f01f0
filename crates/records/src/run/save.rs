//! Saving states: they are read, compressed, written and made durable.
//!
//! An engine that can copy its states goes on computing while another thread does all of it. Of the others the states are read and
//! compressed between two steps, on the engine's own threads, since more threads than processors would get in their way; only
//! what waits for the disk is left to another thread. Ranks have chunks dealt to them, which they compress and write between two steps; the first rank begins
//! the state, leaves its own chunks to another thread, and finishes it when all have said that theirs are written.

use super::{NotFinite, Recording, Watch};
use crate::state::store::{ArrayShape, StateWriter};
use serde_json::Value as Json;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{StateId, Type, Value};
use squeeze_engine::failure::{Error, Result};
use squeeze_engine::packed;
use squeeze_engine::shares::StateShares;
use squeeze_engine::simulation::{Simulation, SimulationError, StateView, StatesCopy};
use squeeze_host::files::{self, FileError};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The least bytes of a piece. Values that are read at once from a simulation take a quarter of the state, but at least these: of every column a piece takes
/// a part, so that all columns are fetched for every piece.
const LEAST_PIECE: u64 = 128 << 20;
/// The most bytes of a piece.
const MOST_PIECE: u64 = 1 << 30;
/// As many chunks of a piece are at least dealt to each rank, where all ranks have memory for the piece.
const CHUNKS_OF_RANK: u64 = 2;

/// Part of an array: some of its chunks, and their cells.
struct ArrayPiece {
    field: usize,
    first_chunk: u64,
    cells: Range<u64>,
}

/// All arrays in pieces that are read at once.
fn pieces(shapes: &[ArrayShape]) -> Vec<ArrayPiece> {
    let all: u64 = shapes.iter().map(|shape| packed::bytes(shape.ty, shape.cells)).sum();
    pieces_within(shapes, (all / 4).clamp(LEAST_PIECE, MOST_PIECE).min(squeeze_host::memory::available() / 8))
}

/// All arrays in pieces of about as many bytes at most, of a chunk at least.
fn pieces_within(shapes: &[ArrayShape], room: u64) -> Vec<ArrayPiece> {
    let of_array = |(field, shape): (usize, &ArrayShape)| {
        let (chunk, cells) = (shape.chunk_cells(), shape.cells);
        let chunks = (room / packed::bytes(shape.ty, chunk)).max(1);
        let firsts = (0..shape.chunks()).step_by(usize::try_from(chunks).unwrap_or(usize::MAX));
        firsts.map(move |first| ArrayPiece {
            field,
            first_chunk: first,
            cells: first * chunk..((first + chunks) * chunk).min(cells),
        })
    };
    shapes.iter().enumerate().flat_map(of_array).collect()
}

/// Makes room for the values of a piece.
fn room<'a>(values: &'a mut Vec<u8>, shapes: &[ArrayShape], piece: &ArrayPiece) -> &'a mut [u8] {
    values.resize(packed::bytes(shapes[piece.field].ty, piece.cells.end - piece.cells.start) as usize, 0);
    values
}

/// The state that jobs write in turn: the first begins the file, the last finishes it.
#[derive(Clone, Default)]
struct Writing(Arc<Mutex<Option<StateWriter>>>);

impl Writing {
    fn with<T>(&self, work: impl FnOnce(&mut Option<StateWriter>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write(&self, piece: &ArrayPiece, chunks: &[Vec<u8>]) -> Result<()> {
        self.with(|writer| match writer {
            Some(writer) => Ok(writer.write(piece.field, piece.first_chunk, chunks)?),
            None => Err(Error::system("a state was to be written before it was begun".to_owned())),
        })
    }

    fn finish(&self) -> Result<()> {
        self.with(Option::take).map_or(Ok(()), |writer| writer.finish())
    }
}

impl Recording {
    /// Hands the present state over to be written, for good or in passing, and says if a float in it is not finite. Where a copy of the state is written,
    /// that is found out later: then it is the error that the thread ends with which writes.
    pub(super) fn save(
        &mut self,
        simulation: &Simulation,
        passing: bool,
        watch: &mut dyn Watch,
    ) -> Result<Option<NotFinite>> {
        // The rows up to here must be durable before the state is: a process that resumes from it relies on them.
        self.background.submit(0, self.rows.sync())?;
        let time = simulation.time();
        let shapes = ArrayShape::of_rule(simulation.rule(), simulation.domain().cells());
        let (path, about) = (self.folder.state_path(time), self.manifest.attributes(time, passing, self.range));
        self.saved = Some(time);
        self.saved_at = Instant::now();
        let before = std::mem::replace(&mut self.passing, passing.then_some(time));
        if let Some(copy) = simulation.snapshot()? {
            let (domain, allow_nan) = (simulation.domain().clone(), self.manifest.schedule.allow_nan);
            let job = move || match write_copy(copy, &path, &shapes, &domain, time, about)? {
                Some(error) if !allow_nan => Err(error.into()),
                _ => Ok(()),
            };
            self.background.submit(0, job)?;
            self.remove(before)?;
            return Ok(None);
        }
        if !self.is_alone && simulation.with_shares(|_| ()).is_some() {
            let writer = StateWriter::begin(&path, shapes.clone(), about.clone())?;
            let place = writer.part().as_os_str().as_encoded_bytes();
            match simulation.with_shares(|ranks| ranks.blind(place)).transpose()?.flatten() {
                None => {
                    let trouble = self.save_shares(simulation, writer, &shapes)?;
                    if trouble.is_none() {
                        self.remove(before)?;
                    }
                    return Ok(trouble);
                }
                Some(rank) => {
                    self.is_alone = true;
                    let folder = self.folder.path().display();
                    let what = "so the first rank writes all states";
                    watch.remark(&format!("rank {rank} does not see, or cannot write to, `{folder}`, {what}"));
                }
            }
        }
        let writing = Writing::default();
        let (of_job, all) = (writing.clone(), shapes.clone());
        self.background.submit(0, move || {
            let writer = StateWriter::begin(&path, all, about)?;
            of_job.with(|place| *place = Some(writer));
            Ok(())
        })?;
        let mut trouble = None;
        for piece in pieces(&shapes) {
            let (shape, values) = (&shapes[piece.field], room(&mut self.values, &shapes, &piece));
            simulation.read(StateId(piece.field as u16), piece.cells.clone(), values)?;
            trouble = trouble.or_else(|| error_in(shape, simulation.domain(), time, piece.cells.start, values));
            let chunks = simulation.install(|| shape.encode(values))?;
            let writing = writing.clone();
            let bytes = chunks.iter().map(|chunk| chunk.len() as u64).sum();
            self.background.submit(bytes, move || writing.write(&piece, &chunks))?;
        }
        self.background.submit(0, move || writing.finish())?;
        if trouble.is_none() {
            self.remove(before)?;
        }
        Ok(trouble)
    }

    /// Writes a state by all ranks: each has the chunks of each piece dealt to it, compresses and writes them.
    fn save_shares(
        &mut self,
        simulation: &Simulation,
        writer: StateWriter,
        shapes: &[ArrayShape],
    ) -> Result<Option<NotFinite>> {
        let ranks = simulation.with_shares(|ranks| ranks.ranks()).unwrap_or(1) as u64;
        let room = self.room.unwrap_or_else(|| room_of_ranks(shapes, ranks));
        let (writing, mut trouble) = (Writing(Arc::new(Mutex::new(Some(writer)))), None);
        for (number, piece) in (0..).zip(pieces_within(shapes, room)) {
            let (shape, state) = (&shapes[piece.field], StateId(piece.field as u16));
            let shares = shares(shape, &piece, (number, ranks));
            let (own, mut encoded) = (shares[0].clone(), Ok(Vec::new()));
            let mut keep = |values: &[u8]| encoded = shape.encode(values);
            let deal = |ranks: &dyn StateShares| ranks.deal(state, &shares, &mut keep);
            let first = simulation.with_shares(deal).transpose()?.flatten();
            let found = first.map(|(cell, bits)| (cell, Value::from_bits(shape.ty, bits)));
            trouble = trouble.or_else(|| found.map(|found| told(shape, simulation.domain(), simulation.time(), found)));
            let chunks = encoded?;
            let piece = ArrayPiece { first_chunk: own.start / shape.chunk_cells(), cells: own, ..piece };
            let (writing, bytes) = (writing.clone(), chunks.iter().map(|chunk| chunk.len() as u64).sum());
            self.background.submit(bytes, move || writing.write(&piece, &chunks))?;
        }
        simulation.with_shares(|ranks| ranks.settle()).transpose()?;
        let shapes = shapes.to_vec();
        self.background.submit(0, move || {
            writing.with(|writer| writer.as_ref().map_or(Ok(()), |writer| writer.check_chunks(&shapes)))?;
            writing.finish()
        })?;
        Ok(trouble)
    }

    /// Removes a state that was saved in passing, when all that was handed over is written.
    pub(super) fn remove(&self, passing: Option<u32>) -> Result<()> {
        let Some(time) = passing else { return Ok(()) };
        let path = self.folder.state_path(time);
        let remove = move || files::remove_whole(&path).map_err(|error| FileError::writing(&path, error).into());
        self.background.submit(0, remove)
    }
}

/// The most bytes of a piece that ranks write, each of which has memory for all of it.
fn room_of_ranks(shapes: &[ArrayShape], ranks: u64) -> u64 {
    let chunk = shapes.iter().map(|shape| packed::bytes(shape.ty, shape.chunk_cells())).max().unwrap_or(0);
    LEAST_PIECE.max(CHUNKS_OF_RANK * ranks * chunk).min(squeeze_host::memory::available() / 8 / ranks)
}

/// The cells of a piece that each rank is dealt: chunks in equal parts. From piece to piece another rank has the first, so that small pieces are not all one rank's.
fn shares(shape: &ArrayShape, piece: &ArrayPiece, (number, ranks): (u64, u64)) -> Vec<Range<u64>> {
    let (chunk, Range { start, end }) = (shape.chunk_cells(), piece.cells.clone());
    let chunks = (end - start).div_ceil(chunk);
    let from = |share: u64| (start + share * chunks / ranks * chunk).min(end);
    (0..ranks).map(|rank| (rank + number) % ranks).map(|share| from(share)..from(share + 1)).collect()
}

/// Writes a copy of the states of a time, and says if a float in it is not finite.
fn write_copy(
    copy: StatesCopy,
    path: &Path,
    shapes: &[ArrayShape],
    domain: &Domain,
    time: u32,
    about: Json,
) -> Result<Option<NotFinite>> {
    let writer = StateWriter::begin(path, shapes.to_vec(), about)?;
    let (mut values, mut trouble) = (Vec::new(), None);
    for piece in pieces(shapes) {
        let (shape, values) = (&shapes[piece.field], room(&mut values, shapes, &piece));
        StateView::numbered(&copy, StateId(piece.field as u16))?.read(piece.cells.clone(), values)?;
        trouble = trouble.or_else(|| error_in(shape, domain, time, piece.cells.start, values));
        writer.write(piece.field, piece.first_chunk, &shape.encode(values)?)?;
    }
    // Another copy can be made while this one becomes durable.
    drop(copy);
    writer.finish()?;
    Ok(trouble)
}

/// The first float of a simulation's states that is not finite, as the error that tells of it.
///
/// # Errors
/// If the machine fails.
pub fn not_finite(simulation: &Simulation) -> Result<Option<NotFinite>, SimulationError> {
    let shapes = ArrayShape::of_rule(simulation.rule(), simulation.domain().cells());
    let mut suspects = Vec::new();
    for (field, shape) in shapes.iter().enumerate() {
        let has_others = matches!(shape.ty, Type::F32 | Type::F64);
        suspects.push(has_others && simulation.is_finite(StateId(field as u16))? != Some(true));
    }
    let mut values = Vec::new();
    for piece in pieces(&shapes).into_iter().filter(|piece| suspects[piece.field]) {
        let shape = &shapes[piece.field];
        let values = room(&mut values, &shapes, &piece);
        simulation.read(StateId(piece.field as u16), piece.cells.clone(), values)?;
        if let Some(error) = error_in(shape, simulation.domain(), simulation.time(), piece.cells.start, values) {
            return Ok(Some(error));
        }
    }
    Ok(None)
}

/// The error that tells of the first value among these that is not finite; they begin with the cell `first`.
fn error_in(shape: &ArrayShape, domain: &Domain, step: u32, first: u64, values: &[u8]) -> Option<NotFinite> {
    let at = packed::first_not_finite(shape.ty, values)?;
    Some(told(shape, domain, step, (first + at, packed::value(shape.ty, values, at))))
}

/// The error that tells of a value that is not finite.
fn told(shape: &ArrayShape, domain: &Domain, step: u32, (cell, value): (u64, Value)) -> NotFinite {
    let axes = domain.dimension().axes();
    let place = domain.lambda(cell)[..axes].iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    NotFinite { state: shape.name.clone(), cell, place, value: value.as_f64(), step }
}
