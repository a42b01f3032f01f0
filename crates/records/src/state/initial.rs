//! Initial values of states that come from files.
//!
//! `.npy` and Zarr v3 hold a value for each cell in canonical order (one dimension), or one for each place of the expanded grid (`[y, x]`
//! or `[z, y, x]`; those of holes are left out), and so has a `.vti` as it is exported. Of states over time, as they are exported as Zarr, one is taken. A [pattern] and a PNG lie with their upper left
//! corner at the origin, or at the place that stands behind the name of the file. Pixels that are darker than the middle between black and white set bits; for all other
//! types a table says what colours mean.

mod inputs;
mod place;

use crate::json;
use crate::pattern::{self, ImportedPattern};
use crate::resolve::MEMORY;
use crate::state::export::{check_memory, vti};
use crate::state::npy::Header;
use crate::state::store::{ArrayShape, Damaged, StoredState};
use crate::state::{TypeNames, steps_in_words};
pub use inputs::with_inputs;
pub use place::text_of;
use place::{ColourTable, InitialFile};
use rayon::prelude::*;
use serde_json::Value as Json;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Dimension, StateId, Type};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_drawing::{Image, Samples};
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_engine::packed::{self, FieldError};
use squeeze_engine::params::list;
use squeeze_engine::simulation::{MemberMut, Simulation, SimulationError};
use squeeze_golly::{self as golly, Emulation};
use squeeze_host::files::{self, Bounded, FileError, Links};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::Read;
use std::path::Path;

/// Refuses `settings` of the form `STATE=FILE` whose file this process will write, before anything is computed.
///
/// # Errors
/// [`FileError::WrittenOver`].
#[doc(hidden)]
pub fn check_kept(settings: &[String]) -> Result<()> {
    let paths = settings.iter().filter_map(|setting| Some(place::parse(setting.split_once('=')?.1).ok()?.path));
    for path in paths {
        files::check_kept(&path)?;
    }
    Ok(())
}

/// Gives states of a simulation the values that `settings` of the form `STATE=FILE` name, and those that follow from them, and says what was left
/// out.
///
/// # Errors
/// If the values do not fit, a file cannot be read, or the machine fails.
pub fn apply<'m>(simulation: impl Into<MemberMut<'m>>, settings: &[String]) -> Result<Vec<String>> {
    apply_in(simulation, settings, None)
}

/// The same, where `STATE=<memory>` names the file `STATE.npy` of a folder, if there is one.
pub(crate) fn apply_in<'m>(
    simulation: impl Into<MemberMut<'m>>,
    settings: &[String],
    arrays: Option<&Path>,
) -> Result<Vec<String>> {
    let _mode = DefaultMode::enter();
    let simulation = &mut simulation.into();
    let mut seen = BTreeSet::new();
    let mut notes = Vec::new();
    for setting in settings {
        let (name, path) = setting.split_once('=').ok_or_else(|| {
            let what = Message::users(format!("`{setting}` is not of the form `STATE=FILE`"));
            what.with_help(format!("write `--init {}={setting}`", simulation.rule().states[0].name))
        })?;
        let name = name.trim();
        let rule = simulation.rule();
        let state = super::state_named(rule, name)?;
        if rule.rolling.contains(&state) {
            return Err(Message::users(FieldError::Rolling { state: name.to_owned() }.to_string()).into());
        }
        let unread = |reason| {
            let forms = "a pattern has a place, a picture a place and a table of colours, and one of several states a step: \
                         `alive=glider.rle@100,40`, `phase=map.png@0,0:ffffff=rest,d55e00=excited`, `u=all.zarr@500`";
            Message::users(format!("`{setting}` cannot be read: {reason}")).with_help(forms)
        };
        let InitialFile { path, origin, step, colours } = match arrays.filter(|_| path == MEMORY) {
            Some(arrays) => InitialFile { path: arrays.join(format!("{name}.npy")), ..InitialFile::default() },
            None => place::parse(path).map_err(unread)?,
        };
        let first = seen.insert(state);
        // Patterns that have a place can lie beside one another.
        if !first && origin.is_none() {
            return Err(Message::users(format!("the state `{name}` is given initial values twice")).into());
        }
        let ty = rule.state(state).ty;
        let table = colours.map(|colours| ColourTable::new(rule, ty, &colours)).transpose().map_err(unread)?;
        let domain = simulation.domain().clone();
        let origin = origin.unwrap_or_default();
        let target = FilledState { domain, ty, name, path: &path, state, origin, step, table, first };
        let left_out = target.fill(simulation, &mut notes)?;
        if left_out > 0 {
            notes.push(format!("{left_out} set places of `{}` are holes and left out", path.display()));
        }
    }
    let rule = simulation.rule().clone();
    let given: Vec<&str> = seen.iter().map(|state| rule.state(*state).name.as_str()).collect();
    simulation.init_from(&given)?;
    Ok(notes)
}

/// The state that is filled.
struct FilledState<'a> {
    domain: Domain,
    ty: Type,
    name: &'a str,
    path: &'a Path,
    state: StateId,
    /// The place of the upper left corner of a pattern or a picture.
    origin: [i64; 2],
    /// The step of the state, of several.
    step: Option<u32>,
    /// The values of colours.
    table: Option<ColourTable>,
    /// Whether cells outside of a pattern or a picture become 0.
    first: bool,
}

/// Values that were read.
struct ReadValues {
    /// As many as cells, or as places.
    expanded: bool,
    /// Little endian, bits in a byte each.
    bytes: Vec<u8>,
}

impl FilledState<'_> {
    fn fill(&self, simulation: &mut MemberMut<'_>, notes: &mut Vec<String>) -> Result<u64> {
        let ending = self.path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        if self.path.is_dir() {
            return self.fill_from_zarr(simulation).map(|()| 0);
        }
        if pattern::is_pattern(self.path) {
            return self.fill_from_pattern(simulation, notes);
        }
        match ending.as_deref() {
            Some("npy") => self.fill_from_npy(simulation).map(|()| 0),
            Some("png") => {
                let image = self.image()?;
                match &self.table {
                    None => self.place(simulation, &dark_pixels(&image)),
                    Some(table) => self.place(simulation, &self.coloured(&image, table)?),
                }
            }
            Some("vti") => self.fill_from_vti(simulation).map(|()| 0),
            _ if !self.path.exists() => Err(FileError::Missing(self.path.to_owned()).into()),
            _ => {
                let valid = "valid are .npy, .png, .vti, patterns (.rle, .cells, .lif, .mcl, also packed as .gz), and folders of Zarr v3";
                let path = self.path.display();
                Err(Message::users(format!("`{path}` is not a file of initial values: {valid}")).into())
            }
        }
    }

    fn fill_from_pattern(&self, simulation: &mut MemberMut<'_>, notes: &mut Vec<String>) -> Result<u64> {
        let pattern = pattern::read(self.path, files::TEXT_LIMIT)?;
        self.check_pattern(simulation, &pattern)?;
        notes.extend(self.note_of_rule(simulation, &pattern));
        let source = self.path.display().to_string();
        notes.extend(pattern::note_of_grid(pattern.grid.as_deref(), &source, &self.domain));
        if pattern.is_open {
            notes.push(format!("`{}` has no `!` at its end, and may have been cut short", self.path.display()));
        }
        let runs = pattern.runs.iter().zip(&pattern.states);
        let runs = runs.map(|(&(place, count), &state)| (place, count, state.into()));
        self.place(simulation, &runs.collect::<Vec<FilledRun>>())
    }

    /// A note if a pattern is of another rule than the one that runs, or Golly runs another one.
    fn note_of_rule(&self, simulation: &Simulation, pattern: &ImportedPattern) -> Option<String> {
        let (rule, theirs) = (simulation.rule(), pattern.rule.as_deref()?);
        let ours = golly::notation(rule);
        let path = self.path.display();
        // A table has no string but its name.
        let is_same = match &ours {
            Some(ours) => golly::canonical(theirs).as_ref() == Some(ours) || ours == golly::unnamed(theirs),
            None => golly::string_of(rule) == Some(theirs),
        };
        if is_same {
            return pattern::note_of_emulation(theirs, &path.to_string());
        }
        if matches!(golly::emulation(theirs), Some(Emulation::Dual(dual)) if ours.as_deref() == Some(&dual)) {
            return None;
        }
        let what = match (golly::string_of(rule), ours) {
            (Some(string), _) => format!("`{string}`"),
            (None, Some(ours)) => format!("`{}`, which is {ours}", rule.name),
            (None, None) => format!("`{}`", rule.name),
        };
        let takes = golly::canonical(theirs).map_or(String::new(), |_| format!("; `--rule {path}` takes its rule"));
        Some(format!("`{path}` is a pattern of {theirs}, and what runs is {what}{takes}"))
    }

    fn unreadable(&self, reason: impl Display) -> Error {
        Message::users(format!("`{}` cannot be read: {reason}", self.path.display())).into()
    }

    fn other(&self, found: &str, expected: &str) -> Error {
        let what = format!("`{}` {found}; `{}` expects {expected}", self.path.display(), self.name);
        Message::users(what).into()
    }

    /// Every shape that is taken, as numpy writes it.
    fn shapes(&self) -> [Vec<u64>; 2] {
        let axes = self.domain.dimension().axes();
        [vec![self.domain.cells()], self.domain.extent()[..axes].iter().rev().copied().collect()]
    }

    /// Whether values of this shape and type are those of places; an error if they do not fit.
    fn check(&self, shape: &[u64], found_type: &str, types: &[&str]) -> Result<bool> {
        let shapes = self.shapes();
        let number = shapes.iter().position(|valid| valid == shape);
        match number {
            Some(number) if types.contains(&found_type) => Ok(number == 1),
            _ => {
                let expected = format!(
                    "{} in the shape {:?} (cells in canonical order) or {:?} (the expanded grid)",
                    types.join(" or "),
                    shapes[0],
                    shapes[1]
                );
                Err(self.other(&format!("holds {found_type} in the shape {shape:?}"), &expected))
            }
        }
    }

    fn fill_from_npy(&self, simulation: &mut MemberMut<'_>) -> Result<()> {
        let mut file = Bounded::open(self.path, u64::MAX, Links::Followed)?;
        let header = Header::read(&mut file).map_err(|reason| self.unreadable(reason))?;
        let native = TypeNames::of(self.ty).numpy;
        let swapped = native.replace('<', ">");
        let mut types = vec![native];
        if self.ty == Type::Bit {
            types.push("|b1");
        }
        if swapped != native {
            types.push(&swapped);
        }
        let Header { descriptor: found, shape, fortran } = header;
        let expanded = self.check(&shape, &found, &types)?;
        if expanded && fortran {
            let expected = "rows one after the other: `numpy.ascontiguousarray` makes them";
            return Err(self.other("holds columns one after the other (Fortran order)", expected));
        }
        let size = self.ty.bytes() as usize;
        let short = || self.unreadable("it ends before its last value");
        let wanted = check_memory(shape.iter().try_fold(1u64, |n, &side| n.checked_mul(side)), size as u64)?;
        if (wanted as u64) > file.length() {
            return Err(short());
        }
        let mut bytes = vec![0; wanted];
        file.read_exact(&mut bytes).map_err(|_| short())?;
        if found == swapped && swapped != native {
            bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        self.write(simulation, &ReadValues { expanded, bytes })
    }

    fn fill_from_vti(&self, simulation: &mut MemberMut<'_>) -> Result<()> {
        let mut file = Bounded::open(self.path, u64::MAX, Links::Followed)?;
        let arrays = vti::VtiHead::read(&mut file).map_err(|reason| self.unreadable(reason))?;
        let extent = self.domain.extent();
        let whole = extent.map(|side| [0, side]);
        if arrays.extent != whole {
            let told = |extent: [[u64; 2]; 3]| extent.map(|[from, to]| format!("{from} {to}")).join(" ");
            let (found, expected) = (told(arrays.extent), told(whole));
            let (found, expected) =
                (format!("holds places of the extent {found}"), format!("the whole grid, {expected}"));
            return Err(self.other(&found, &expected));
        }
        let Some(array) = arrays.arrays.iter().find(|array| array.name == self.name) else {
            let names: Vec<&str> = arrays.arrays.iter().map(|array| array.name.as_str()).collect();
            return Err(self.other(&format!("holds the arrays {}", list(&names)), "an array of its name"));
        };
        let expected = TypeNames::of(self.ty).vtk;
        if array.ty != expected {
            return Err(self.other(&format!("holds {}", array.ty), expected));
        }
        let places = extent.iter().try_fold(1u64, |n, &side| n.checked_mul(side));
        let wanted = check_memory(places, self.ty.bytes())?;
        let bytes = arrays.bytes(&mut file, array, wanted).map_err(|reason| self.unreadable(reason))?;
        self.write(simulation, &ReadValues { expanded: true, bytes })
    }

    fn fill_from_zarr(&self, simulation: &mut MemberMut<'_>) -> Result<()> {
        let read = |folder: &Path| -> Result<Json> {
            let path = folder.join("zarr.json");
            let bytes = files::read_text_bytes(&path)?;
            json::of_file(&bytes).map_err(|error| self.unreadable(format!("{}: {error}", path.display())))
        };
        if self.path.join("manifest.json").is_file() {
            let help = "a saved state of it lies in `states`, named after its step: `u=run/states/500.zarr`";
            let what = format!("`{}` is the folder of a run or a sweep, and no Zarr", self.path.display());
            return Err(Message::users(what).with_help(help).into());
        }
        let (mut folder, mut metadata) = (self.path.to_owned(), read(self.path)?);
        if metadata["node_type"] == "group" {
            folder = folder.join(self.name);
            metadata = read(&folder)?;
        }
        let shape: Option<Vec<u64>> =
            metadata["shape"].as_array().and_then(|shape| shape.iter().map(Json::as_u64).collect());
        let mut shape = shape.ok_or_else(|| self.unreadable("it has no shape"))?;
        let mut row = None;
        if metadata["dimension_names"][0] == "time" && shape.len() > 1 {
            row = Some(self.row_of_step(&folder.with_file_name("time"), shape.remove(0), &read)?);
        } else if let Some(step) = self.step {
            let what = format!("`{}` holds a single state, and none of step {step} among others", self.path.display());
            return Err(Message::users(what).with_help(format!("leave out `@{step}`")).into());
        }
        let found = metadata["data_type"].as_str().unwrap_or("an unknown type").to_owned();
        if metadata["attributes"]["squeeze"]["type"] == "bit" {
            // Bits as they are saved by runs: several to a byte.
            let cells = &metadata["attributes"]["squeeze"]["cells"];
            if self.ty != Type::Bit || *cells != self.domain.cells() {
                let expected = format!("{} of {} cells", simulation.rule().type_name(self.ty), self.domain.cells());
                return Err(self.other(&format!("holds bits of {cells} cells"), &expected));
            }
            let shape =
                ArrayShape::of_rule(simulation.rule(), self.domain.cells()).swap_remove(usize::from(self.state.0));
            let read = StoredState::open_array(&folder, shape).and_then(|state| {
                state.for_each_range(0, |cells, bytes| Ok(simulation.write(self.state, cells, bytes)?))
            });
            // Damage in a run is the machine's fault; in a file that a user has chosen it is the user's.
            return read.map_err(|error| match error.downcast_ref() {
                Some(Damaged { reason, .. }) => self.unreadable(reason),
                None => error,
            });
        }
        let types = [TypeNames::of(self.ty).zarr, "bool"];
        let expanded = self.check(&shape, &found, if self.ty == Type::Bit { &types } else { &types[..1] })?;
        check_memory(shape.iter().try_fold(1u64, |n, &side| n.checked_mul(side)), 2 * self.ty.bytes())?;
        let bytes =
            crate::state::store::read_array(&metadata, &folder, row).map_err(|reason| self.unreadable(reason))?;
        self.write(simulation, &ReadValues { expanded, bytes })
    }

    /// The number of the step among those of the array of times in this folder, of which there are `count`.
    fn row_of_step(&self, folder: &Path, count: u64, read: &dyn Fn(&Path) -> Result<Json>) -> Result<u64> {
        /// More steps are taken for a mistake.
        const MOST_STEPS: u64 = 1 << 24;
        let metadata = read(folder)?;
        if metadata["data_type"] != "int64" || metadata["shape"] != serde_json::json!([count]) || count > MOST_STEPS {
            return Err(self.unreadable(format!("`time` is not {count} steps as int64")));
        }
        let bytes =
            crate::state::store::read_array(&metadata, folder, None).map_err(|reason| self.unreadable(reason))?;
        let steps: Vec<i64> = bytes.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
        let found = match (self.step, steps.len()) {
            (Some(step), _) => steps.iter().position(|known| *known == i64::from(step)),
            (None, 1) => Some(0),
            (None, _) => None,
        };
        found.map(|row| row as u64).ok_or_else(|| {
            let path = self.path.display();
            let what = match self.step {
                Some(step) => format!("`{path}` holds no state of step {step}"),
                None => format!("`{path}` holds the states of several steps"),
            };
            let known: Vec<u32> = steps.iter().filter_map(|step| u32::try_from(*step).ok()).collect();
            let last = known.last().copied().unwrap_or_default();
            let help = format!("it holds those of {}: `{}={path}@{last}` takes one", steps_in_words(&known), self.name);
            Message::users(what).with_help(help).into()
        })
    }

    /// Gives all cells their values.
    fn write(&self, simulation: &mut MemberMut<'_>, values: &ReadValues) -> Result<()> {
        /// Cells that are written at once, a multiple of eight.
        const PIECE: u64 = 1 << 20;
        let size = self.ty.bytes() as usize;
        let [width, height, _] = self.domain.extent().map(|side| side as usize);
        for first in (0..self.domain.cells()).step_by(PIECE as usize) {
            let cells = first..(first + PIECE).min(self.domain.cells());
            let bits = |c: u64| {
                let at = if values.expanded {
                    let [x, y, z] = self.domain.lambda(c).map(|v| v as usize);
                    (z * height + y) * width + x
                } else {
                    c as usize
                };
                let mut word = [0; 8];
                word[..size].copy_from_slice(&values.bytes[at * size..][..size]);
                u64::from_le_bytes(word)
            };
            let all: Vec<u64> = cells.clone().into_par_iter().map(bits).collect();
            if self.ty == Type::Bit
                && let Some(at) = all.iter().position(|&bits| bits > 1)
            {
                let found = format!("holds {} for the cell {}", all[at], first + at as u64);
                return Err(self.other(&found, "0 or 1"));
            }
            let mut bytes = vec![0; packed::bytes(self.ty, cells.end - first) as usize];
            all.iter().enumerate().for_each(|(i, &bits)| packed::put(self.ty, &mut bytes, i as u64, bits));
            simulation.write(self.state, cells, &bytes).map_err(|error| match error {
                SimulationError::Field(error) => self.unreadable(error),
                error => error.into(),
            })?;
        }
        Ok(())
    }

    /// The picture in the file, if it lies in the grid.
    fn image(&self) -> Result<Samples> {
        /// The most bytes of a file, however many pixels it has.
        const MOST_BYTES: u64 = 1 << 30;
        /// Bytes of what is not pixels: profiles of colours, texts.
        const OTHERS: u64 = 1 << 24;
        let no_png = || self.unreadable("it is not a PNG with 8 or 16 bits a channel");
        let of_type = self.ty == Type::Bit || self.table.is_some();
        let mut head = [0; Image::PNG_HEAD];
        let mut file = Bounded::open(self.path, MOST_BYTES, Links::Followed)?;
        file.read_exact(&mut head).map_err(|_| no_png())?;
        let [width, height] = Image::png_size(&head).ok_or_else(no_png)?.map(u64::from);
        self.check_size([width, height], of_type)?;
        // The widest pixels have four channels of 16 bits, and a row a byte more.
        check_memory(width.checked_mul(height), Samples::MOST_BYTES)?;
        let limit = (8 * width * height + height).saturating_add(OTHERS).min(MOST_BYTES);
        let bytes = files::read(self.path, limit, Links::Followed)?;
        let image = Samples::from_png(&bytes, width * height).ok_or_else(no_png)?;
        self.check_size([u64::from(image.width), u64::from(image.height)], of_type)?;
        Ok(image)
    }

    /// The runs of cells in an image, whose colours become values by the table.
    fn coloured(&self, image: &Samples, table: &ColourTable) -> Result<Vec<FilledRun>> {
        let mut runs: Vec<FilledRun> = Vec::new();
        for (x, y) in pixels(image) {
            let colour = image.get(x, y);
            let Some(bits) = table.bits(colour, image.is_wide) else {
                let found = format!("has the colour {} at ({x}, {y})", place::code(colour));
                return Err(self.other(&found, &format!("one of {}", table.colours())));
            };
            add(&mut runs, [x, y].map(u64::from), bits);
        }
        Ok(runs)
    }

    /// Whether a pattern fits: its size and its states.
    fn check_pattern(&self, simulation: &Simulation, pattern: &ImportedPattern) -> Result<()> {
        let rule = simulation.rule();
        let most = match self.ty {
            Type::Bit => 1,
            Type::Enum(id) => rule.enum_type(id).variants.len() - 1,
            _ => 255,
        };
        if let Some(state) = pattern.states.iter().find(|state| usize::from(**state) > most) {
            let expected = format!("states from 0 to {most}, as the type `{}` has", rule.type_name(self.ty));
            return Err(self.other(&format!("has cells in the state {state}"), &expected));
        }
        self.check_size(pattern.extent, matches!(self.ty, Type::Bit | Type::U8 | Type::Enum(_)))
    }

    /// Whether a pattern of this width and height, of states that the type has or not, lies in the grid.
    fn check_size(&self, [width, height]: [u64; 2], of_type: bool) -> Result<()> {
        let ([across, down, _], flat) = (self.domain.extent(), self.domain.dimension() != Dimension::Three);
        let [x, y] = self.origin;
        // A part beyond a periodic edge goes on at the opposite one.
        let lies = |axis: usize, from: i64, length: u64, side: u64| {
            let to = i128::from(from) + i128::from(length);
            length <= side && (self.domain.periodic().0[axis] || from >= 0 && to <= i128::from(side))
        };
        let lies = lies(0, x, width, across) && lies(1, y, height, down);
        if of_type && flat && lies {
            return Ok(());
        }
        let expected = if !flat {
            ".npy or Zarr: pictures and patterns are for 2-D grids".to_owned()
        } else if !of_type {
            "a table of colours behind the name of a picture, such as `:000000=0,ffffff=1`; patterns are for bits, u8 and enums"
                .to_owned()
        } else if self.origin == [0, 0] {
            format!("at most {across} × {down}")
        } else {
            let left = |side: u64, from: i64| u64::try_from(from).map_or(0, |from| side.saturating_sub(from));
            format!("at most {} × {} at ({x}, {y})", left(across, x), left(down, y))
        };
        Err(self.other(&format!("is a pattern of {width} × {height} places"), &expected))
    }

    /// Gives the cells of these runs, all of which lie in the grid, their values, and all others 0 if nothing was placed before; and counts
    /// the places that are holes.
    fn place(&self, simulation: &mut MemberMut<'_>, runs: &[FilledRun]) -> Result<u64> {
        let count = check_memory(Some(packed::bytes(self.ty, self.domain.cells())), 1)?;
        let mut bytes = vec![0; count];
        if !self.first {
            simulation.read(self.state, 0..self.domain.cells(), &mut bytes)?;
        }
        let mut left_out = 0;
        for &([x, y], count, bits) in runs {
            for x in x..x + count {
                let [x, y] = [(x, 0), (y, 1)].map(|(place, axis)| {
                    let side = i128::from(self.domain.extent()[axis]);
                    (i128::from(place) + i128::from(self.origin[axis])).rem_euclid(side) as u64
                });
                match self.domain.nu([x, y, 0]) {
                    Some(c) => packed::replace(self.ty, &mut bytes, c, bits),
                    None => left_out += u64::from(bits != 0),
                }
            }
        }
        simulation.write(self.state, 0..self.domain.cells(), &bytes)?;
        Ok(left_out)
    }
}

/// Places beside one another that take one value: the first, how many there are, and the value's bits.
type FilledRun = ([u64; 2], u64, u64);

fn add(runs: &mut Vec<FilledRun>, [x, y]: [u64; 2], bits: u64) {
    match runs.last_mut() {
        Some(([from, row], count, before)) if *row == y && *from + *count == x && *before == bits => *count += 1,
        _ => runs.push(([x, y], 1, bits)),
    }
}

fn pixels(image: &Samples) -> impl Iterator<Item = (u32, u32)> {
    let (width, height) = (image.width, image.height);
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}

/// The places of pixels that are rather black than white.
fn dark_pixels(image: &Samples) -> Vec<FilledRun> {
    let mut runs = Vec::new();
    for (x, y) in pixels(image).filter(|&(x, y)| image.is_dark(x, y)) {
        add(&mut runs, [x, y].map(u64::from), 1);
    }
    runs
}
