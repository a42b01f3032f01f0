//! Replicas in files: the saved states of runs, and packed arrays.

use super::product::{BitRows, Counter, Counts, sliced};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Type};
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_engine::params;
use squeeze_host::files::{Bounded, Links};
use squeeze_host::{memory, numbers};
use squeeze_records::run::{Manifest, RunFolder};
use squeeze_records::state::npy::Header;
use squeeze_records::state::store::ArrayShape;
use squeeze_records::sweep::SweepFolder;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The replicas that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Runs, at the same step.
    Seeds,
    /// The steps of one run.
    Times,
}

/// A replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// The folder of the run.
    pub folder: PathBuf,
    /// The seed of the run.
    pub seed: u64,
    /// The step of the state.
    pub step: u32,
}

/// Saved states of runs, which all have the same cells.
#[derive(Clone, Debug)]
pub struct Replicas {
    /// They are the rows of the matrix, in this order.
    pub replicas: Vec<Replica>,
    /// The state of the rule that is compared.
    pub field: String,
    /// The cells.
    pub cells: u64,
    runs: Vec<ReplicaRun>,
    /// Which run each replica is of.
    of_run: Vec<usize>,
}

/// A run that replicas are of.
#[derive(Clone, Debug)]
struct ReplicaRun {
    path: PathBuf,
    manifest: Manifest,
    shapes: Vec<ArrayShape>,
    field: usize,
}

/// Slices of states that are read together take at most this part of the memory there is.
const PART: u64 = 2;

impl Replicas {
    /// Finds the states that are compared. Without `field` it is the first state of bits of the first rule; without `between` it is the
    /// times of a single run and seeds of several; without `step`, the states of seeds are those of the last step that all runs have.
    ///
    /// # Errors
    /// If a folder holds no run, runs do not fit each other, there is no such state of bits, or no state was saved.
    ///
    /// # Panics
    /// If there is no folder.
    pub fn find(
        folders: &[PathBuf],
        field: Option<&str>,
        between: Option<Between>,
        step: Option<u32>,
    ) -> Result<Replicas> {
        let between = between.unwrap_or(if folders.len() == 1 { Between::Times } else { Between::Seeds });
        if between == Between::Times && folders.len() > 1 {
            let count = folders.len();
            let what = format!("`--between times` compares the states of one run, and {count} folders are given");
            return Err(Message::users(what)
                .with_help("name one folder, or compare several by `--between seeds`")
                .into());
        }
        let (mut runs, mut field, mut cells) = (Vec::new(), field.map(str::to_owned), 0);
        let mut first: Option<Domain> = None;
        for path in folders {
            if SweepFolder::is_one(path) {
                return Err(Message::users(format!("`{}` holds a sweep, which keeps no states", path.display()))
                    .with_help("`observe q = overlap(STATE)` in its rule writes the matrices between its members")
                    .with_help("or record members as runs, `squeeze run … --seed S --out DIR`, and name their folders")
                    .into());
            }
            let folder = RunFolder::look(path)?;
            let manifest = Manifest::read(&folder)?;
            let (fractal, rule) = (manifest.fractal.fractal()?, manifest.rule.rule()?);
            let domain = Domain::new(fractal, manifest.level)?;
            if let Some(first) = &first
                && let Some(reason) = difference(first, &domain)
            {
                let (first, second) = (folders[0].display(), path.display());
                return Err(Message::users(format!("`{first}` and `{second}` cannot be compared: {reason}")).into());
            }
            let rule = rule.in_dimension(domain.dimension());
            let number = field_of(path, &rule, &mut field)?;
            cells = domain.cells();
            let shapes = ArrayShape::of_rule(&rule, cells);
            runs.push(ReplicaRun { path: path.clone(), manifest, shapes, field: number });
            first.get_or_insert(domain);
        }
        let mut times = Vec::new();
        for run in &runs {
            times.push(RunFolder::look(&run.path)?.state_times()?);
        }
        let steps = match (between, step) {
            (_, Some(step)) => vec![step],
            (Between::Times, None) => times[0].clone(),
            (Between::Seeds, None) => {
                let in_all = |step: &&u32| times.iter().all(|times| times.contains(step));
                let last = times[0].iter().rev().find(in_all).copied();
                vec![last.ok_or_else(|| no_step(folders, &times))?]
            }
        };
        if steps.is_empty() {
            return Err(no_step(folders, &times));
        }
        let (mut replicas, mut of_run) = (Vec::new(), Vec::new());
        for (number, run) in runs.iter().enumerate() {
            for step in &steps {
                // Whether it is there and has this array is known before the first is read.
                RunFolder::look(&run.path)?.state(&run.manifest, Some(*step), run.shapes.clone())?;
                replicas.push(Replica { folder: run.path.clone(), seed: run.manifest.seed, step: *step });
                of_run.push(number);
            }
        }
        Ok(Replicas { replicas, field: field.unwrap_or_default(), cells, runs, of_run })
    }

    /// The counts of all pairs of replicas, by slices that fit in memory.
    ///
    /// # Errors
    /// If a state is damaged, or the matrix does not fit in memory.
    pub fn counts(&self, counter: &dyn Counter) -> Result<Counts> {
        let rows = self.replicas.len();
        let room = room_beside_matrix(rows)? / PART;
        let shape = &self.runs[0].shapes[self.runs[0].field];
        // Whole chunks, so that each is decompressed once.
        let unit = shape.chunk_cells().next_multiple_of(512);
        sliced(counter, [rows as u64, room], self.cells, unit, |row, cells, bytes| {
            let (replica, run) = (&self.replicas[row], &self.runs[self.of_run[row]]);
            let folder = RunFolder::look(&run.path)?;
            let (_, state) = folder.state(&run.manifest, Some(replica.step), run.shapes.clone())?;
            state.read(run.field, cells, bytes)
        })
    }
}

/// The memory that is left beside a matrix.
fn room_beside_matrix(rows: usize) -> Result<u64> {
    // Counts, and the values that are written.
    let needed = 16 * (rows as u64).saturating_mul(rows as u64);
    let available = memory::available();
    match available.checked_sub(needed) {
        Some(room) if room >= needed / 8 => Ok(room),
        _ => Err(no_memory(&format!("matrices of {rows} replicas"), needed, available)),
    }
}

/// Not enough memory.
pub(crate) fn no_memory(what: &str, needed: u64, available: u64) -> Error {
    let [needed, available] = [needed, available].map(|bytes| numbers::bytes(bytes as f64));
    Message::users(format!("{what} need {needed} of memory, and {available} are there")).into()
}

fn no_step(folders: &[PathBuf], times: &[Vec<u32>]) -> Error {
    let line = |(folder, times): (&PathBuf, &Vec<u32>)| match times.as_slice() {
        [] => format!("`{}` has none", folder.display()),
        [one] => format!("`{}` has that of step {one}", folder.display()),
        [first, .., last] => format!("`{}` has {}, of steps {first} to {last}", folder.display(), times.len()),
    };
    let known = folders.iter().zip(times).take(8).map(line);
    let error = known.fold(Message::users("no step has a saved state in all of these runs"), Message::with_help);
    error.with_help("record them with the same `--save-every` and `--steps`").into()
}

/// Why cells of the same number are others.
fn difference(a: &Domain, b: &Domain) -> Option<String> {
    if a.levels() != b.levels() {
        let level = |domain: &Domain| match domain.levels() {
            None => "a mask or a box".to_owned(),
            Some(level) => format!("of level {level}"),
        };
        return Some(format!("one is {}, the other {}", level(a), level(b)));
    }
    let differs = (1..=a.level()).any(|mu| {
        let (a, b) = (a.pattern(mu), b.pattern(mu));
        a.scale != b.scale || a.replicas != b.replicas || a.places != b.places
    });
    differs.then(|| "they are on different fractals".to_owned())
}

/// An array that holds no rows of bits, or no matrix.
pub(crate) fn not_taken(path: &Path, problem: &str, valid: &str) -> Error {
    Message::users(format!("`{}` cannot be taken: {problem}", path.display())).with_help(valid).into()
}

/// The number of the state that is compared; if none was named, the first one of bits is, those of cells before those of pairs.
fn field_of(path: &Path, rule: &Rule, field: &mut Option<String>) -> Result<usize> {
    let is_bits = |state: &&squeeze_compiler::ir::State| state.ty == Type::Bit;
    let bits: Vec<&str> = rule.states.iter().filter(is_bits).map(|state| state.name.as_str()).collect();
    let of_cells = |number: usize| !rule.is_of_pairs(StateId(number as u16));
    let mut states = rule.states.iter().enumerate();
    let of_cells = states.find(|(number, state)| is_bits(state) && of_cells(*number)).map(|(_, state)| &*state.name);
    let not_bits = |state: &squeeze_compiler::ir::State| {
        let (name, ty) = (&state.name, rule.type_name(state.ty));
        let help = match bits.is_empty() {
            true => "the rule has no state of bits; a further one can say what is to be compared".to_owned(),
            false => format!("`--field` takes {}", params::list(&bits)),
        };
        let what = format!("`{name}` of `{}` is of type {ty}, and overlaps are those of bits", path.display());
        Message::users(what).with_help(help)
    };
    let name = match field {
        Some(name) => name,
        None => match of_cells.or(bits.first().copied()) {
            Some(name) => field.insert(name.to_owned()),
            None => return Err(not_bits(&rule.states[0]).into()),
        },
    };
    let number = rule.states.iter().position(|state| state.name == *name);
    let names: Vec<&str> = rule.states.iter().map(|state| state.name.as_str()).collect();
    let number = number.ok_or_else(|| {
        let (path, known) = (path.display(), params::list(&names));
        Message::users(format!("the rule of `{path}` has no state `{name}`; it has {known}"))
    })?;
    match rule.states[number].ty {
        Type::Bit => Ok(number),
        _ => Err(not_bits(&rule.states[number]).into()),
    }
}

const VALID: &str = "a packed array is a .npy of uint8 with the shape [R, bytes], row after row: eight bits a byte, the first in the least \
                     significant bit, as `numpy.packbits(bits, axis=1, bitorder=\"little\")` makes it";

/// The rows of a packed array: `.npy` of uint8 with the shape [R, bytes], eight bits a byte, the first in the least significant bit. `bits` says
/// how many bits of each row count; all of them if it is not said.
///
/// # Errors
/// If it is no such file, is cut, has fewer bits, or does not fit in memory.
pub fn read_packed(path: &Path, bits: Option<u64>) -> Result<BitRows> {
    let wrong = |problem: String| not_taken(path, &problem, VALID);
    let mut file = CountedReader { file: Bounded::open(path, u64::MAX, Links::Followed)?, bytes: 0 };
    let header = Header::read(&mut file).map_err(wrong)?;
    if header.descriptor != "|u1" {
        return Err(wrong(format!("its head says that it holds {}, and uint8 is {}", header.descriptor, "|u1")));
    }
    let [rows, bytes] = header.shape[..] else {
        return Err(wrong(format!("its head says the shape {:?}, and [R, bytes] is expected", header.shape)));
    };
    if header.fortran && rows > 1 && bytes > 1 {
        return Err(wrong("it holds columns one after the other: `numpy.ascontiguousarray` makes rows".to_owned()));
    }
    if rows == 0 || bytes == 0 {
        return Err(wrong(format!("its head says the shape {:?}, so there are no bits", header.shape)));
    }
    let bits = match bits {
        Some(bits) if bits.div_ceil(8) > bytes => {
            return Err(wrong(format!("its rows have {bytes} bytes, and {bits} bits take {}", bits.div_ceil(8))));
        }
        Some(bits) => bits,
        None => bytes.saturating_mul(8),
    };
    let all = rows.saturating_mul(bytes);
    let (head, length) = (file.bytes, file.file.length());
    let end = head.saturating_add(all);
    if length < end {
        return Err(wrong(format!(
            "it ends at byte {length}, and its {rows} rows of {bytes} bytes, which begin at byte {head}, end at byte {end}"
        )));
    }
    let rows = usize::try_from(rows).map_err(|_| wrong("it has more rows than fit in memory".to_owned()))?;
    let (room, needed) = (room_beside_matrix(rows)?, BitRows::bytes(rows, bits));
    if needed > room {
        return Err(no_memory(&format!("{rows} rows of {bits} bits"), needed, room));
    }
    let mut own = BitRows::new(rows, bits);
    let mut row = vec![0; bytes as usize];
    let cut = |error: std::io::Error| wrong(format!("its rows cannot be read: {error}"));
    for number in 0..rows {
        file.read_exact(&mut row).map_err(cut)?;
        own.row(number).set(&row[..bits.div_ceil(8) as usize]);
    }
    Ok(own)
}

/// A reader that counts what was read.
struct CountedReader {
    file: Bounded,
    bytes: u64,
}

impl Read for CountedReader {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(bytes)?;
        self.bytes += read as u64;
        Ok(read)
    }
}
