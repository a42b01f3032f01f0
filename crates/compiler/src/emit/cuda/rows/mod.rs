//! From kernels to CUDA C for masks and boxes: rows as lanes.
//!
//! The code that all rules share stands in `templates/rows.cu`. A kernel of bits has a thread for each word of a row, any
//! other kernel has one for each place; each thread takes several rows, one below the other. A block of threads takes a tile of them.
//!
//! Neighbours of a place are found by its coordinates: a row by y and z, in it a column by x. Where all columns are stored, the neighbours of a
//! thread of numbers within the box lie at fixed distances in memory, and a row that several of its rows look at is loaded once ([`within`]). Of bits a thread loads the words around its own and shifts pairs of them. Places that
//! are no cells hold 0 between passes, as kernels expect of neighbours that do not exist. Some kernels compute several steps in a pass: of bits ([`window`]), of
//! numbers ([`march`]).
//!
//! A block of random planes has 128 cells, a thread 32 of them at most: threads that each made their own took 2.5 to 4.4 times as long (Ising on H100: torus of 1000² 74 µs a step instead of 17, of
//! 16384² 1.24 ms instead of 0.46; a mask of 60% of 8192² 552 µs instead of 220). So the threads of a warp make the planes of all its words together.

mod ends;
mod march;
mod stage;
mod waves;
mod window;
mod within;

use super::abi::RowWorld;
use super::expression::{Corner, RandomClass};
use super::helpers::Helper;
use super::job::{End, Job};
use super::names::Namer;
use super::operations::{self, UsedFunctions};
use super::printer::{CellPlacement, Printer, StateNames, texts_of_nodes};
use super::text::{Entry, Head, PrintedParts, render_section};
use super::threads::THREADS;
use super::totals::{Adding, Taken, totals_text};
use super::watched::store;
use super::words::{self, c_type, moved};
use crate::ir::Axes;
use crate::kernel::{Direction, LaneType, Load, Planes};
use crate::layout::rows::RowGrid;
use crate::numbers::numbering::PlaceNumbering;
use crate::passes::{Ready, Statistics};
use crate::plan::near::{Plane, beside, rows_of_thread, words_at};
use crate::target::warps::Takes;
use ends::{Tile, TileKernel};
use minijinja::context;
use stage::MarchStage;
use std::collections::{BTreeMap, BTreeSet};
use waves::{InWaves, NUMBER_IN_TURN};

const ROWS: &str = include_str!("../../../../templates/rows.cu");

/// The column of a row of a thread whose neighbours lie at fixed distances.
const COLUMN_WITHIN: &str = "(u32)first_column + (u32)i * COLUMNS_OF_ROW + word / WORDS";

/// Lanes of a warp.
const WARP: usize = 32;

/// Prints kernels of one place each for a mask or a box. States are columns, or hold the cells alone if they are `packed`.
pub(super) fn print(grid: &RowGrid, packed: bool, jobs: &[Job], head: &Head) -> PrintedParts {
    let draws = |kernel: &Ready| kernel.interface().loads() && !kernel.interface().random.is_empty();
    let mut used = UsedFunctions {
        draws_once: !jobs.iter().any(|job| draws(job.kernel)),
        flushed_sums: jobs.iter().any(|job| job.kernel.flush),
        ..UsedFunctions::default()
    };
    let mut names = Namer::in_rows();
    let mut program = PrintedParts::default();
    for &Job { kernel, times, end } in jobs {
        let name = if times > 1 { format!("{}_{times}", kernel.name) } else { kernel.name.clone() };
        let mut entry = Entry::new(names.name(&head.name(&name)), kernel, end.totals().len());
        let writer = RowPrinter::new(kernel, grid, packed, end, &mut used);
        if let End::InWaves(waves) = end {
            program.kernels.push(writer.print_waves(kernel, waves, &mut entry));
            program.entries.push(entry);
            continue;
        }
        let unit = match times {
            1 => writer.print(kernel, &mut entry),
            _ if !writer.bitwise() => {
                program.kernels.push(stage::functions());
                writer.print_march(kernel, times, &mut entry)
            }
            _ => {
                program.kernels.push(window::functions());
                writer.print_window(kernel, &mut entry)
            }
        };
        program.kernels.extend(unit.finish(grid, &mut entry, &mut names));
        program.entries.push(entry);
    }
    if jobs.iter().any(|job| matches!(job.end, End::InWaves(_))) {
        program.kernels.insert(0, waves::functions());
    }
    // The skeleton has the helpers that it needs, before the functions that kernels use.
    let gathering = Helper::Gathering.text();
    program.functions = used.texts();
    if jobs.iter().any(|job| matches!(job.end, End::Compare)) {
        program.functions.push(store());
    }
    if program.entries.iter().any(|entry| entry.adds_up) {
        program.functions.push(totals_text().trim_end().to_owned());
    }
    let places = match packed {
        true => grid.cells() + 1,
        false => (grid.columns() as u64 + 1) * grid.shape.lanes as u64,
    };
    let (extent, alone) = (grid.extent(), grid.rows_stored_alone());
    let values = context! {
        extent => extent.to_vec(),
        periodic => grid.periodic().map(|periodic| periodic.to_string()).to_vec(),
        side => extent.into_iter().max(),
        world => RowWorld::text().trim_end().to_owned(),
        lanes => grid.shape.lanes,
        words => grid.shape.words,
        columns_of_row => grid.columns_of_row(),
        full => grid.is_full().to_string(),
        // Columns of some rows alone are numbered as they stand too.
        stores_all => (grid.stores_all() || alone.is_some()).to_string(),
        first => alone.map(|rows| rows.start * grid.columns_of_row()),
        first_row => grid.rows_of_part().map(|(first, _)| first),
        place => if places <= u64::from(u32::MAX) { "u32" } else { "u64" },
        packed,
        gathering,
        cells => grid.cells(),
        cell_index => if grid.wide_indices() { "u64" } else { "u32" },
    };
    program.skeleton = render_section(ROWS, "World", values);
    program.world = RowWorld::fields();
    program
}

/// How many words or places of a row a block takes, and how many blocks stand across a row.
fn tile(grid: &RowGrid, bitwise: bool) -> (usize, usize) {
    let words = grid.columns_of_row() * grid.shape.words;
    let most = if bitwise { WARP } else { THREADS as usize / WARP };
    let tile = words.next_power_of_two().min(most);
    (if bitwise { tile } else { WARP * tile }, words.div_ceil(tile))
}

/// A kernel that is being printed for rows.
type RowPrinter<'a> = Printer<'a, CellsInRows<'a>>;

/// Cells that stand in the places of rows.
struct CellsInRows<'a> {
    grid: &'a RowGrid,
    /// States hold the cells alone.
    packed: bool,
    /// The names of old values that rows at fixed distances overwrite, by state and plane.
    before: BTreeMap<(u16, u8), String>,
    /// The names of rows, by their distances along y and z.
    rows: BTreeMap<[i32; 2], String>,
    /// The names of places, or of the cells of the words there, by direction.
    directions: BTreeMap<Direction, String>,
    /// How the kernel addresses neighbours: by coordinates, by fixed distances in memory, or in a window of registers.
    finds: Finds,
    /// Where places have no names, those of whether there is a cell, by direction.
    found: BTreeMap<Direction, String>,
}

/// How neighbours are found.
#[derive(Clone, PartialEq, Eq)]
enum Finds {
    ByCoordinates,
    AtFixedDistances,
    /// In registers, in arrays of these names by state and plane.
    InWindow(BTreeMap<(u16, u8), String>),
    /// In rows that a stage keeps.
    InMarch(Box<MarchStage>),
    /// By coordinates, or in registers if they were just computed.
    InWaves(Box<InWaves>),
}

/// The places of a word shifted by this much, of words that `word` says.
fn places_at(distance: i32, word: impl Fn(i32) -> String) -> String {
    match words_at(distance) {
        (at, 0) => word(at),
        (at, shift) => words::word_from(&word(at), &word(at + 1), shift),
    }
}

impl<'a> RowPrinter<'a> {
    fn new(ready: &'a Ready, grid: &'a RowGrid, packed: bool, end: End<'a>, used: &'a mut UsedFunctions) -> Self {
        let in_waves = matches!(end, End::InWaves(_));
        let (kernel, bitwise) = (ready.kernel(), ready.interface().bitwise_lanes && !in_waves);
        let mut names = if in_waves { Namer::in_waves() } else { Namer::in_rows() };
        let states: Vec<StateNames> = (kernel.states.iter())
            .map(|state| StateNames { old: names.name(&state.name), new: names.name(&format!("new_{}", state.name)) })
            .collect();
        let (mut rows, mut directions) = (BTreeMap::new(), BTreeMap::new());
        for direction in kernel.nodes.iter().filter_map(|node| beside(&node.op)) {
            let Direction([_, y, z]) = direction;
            rows.entry([z, y]).or_insert_with(|| match (y, z) {
                (0, 0) => "row".to_owned(),
                _ => names.name(&format!("row_{}", Direction([0, y, z]))),
            });
            let what = if bitwise { "cells" } else { "place" };
            directions.entry(direction).or_insert_with(|| names.name(&format!("{direction}_{what}")));
        }
        let takes = if bitwise { Takes::Word } else { Takes::Lane };
        let values = texts_of_nodes(kernel, takes, |node| names.name(&node.name));
        let adding = Adding::of(end, kernel.states.len(), None, &mut names);
        let (before, found, finds) = (BTreeMap::new(), BTreeMap::new(), Finds::ByCoordinates);
        RowPrinter {
            kernel,
            interface: ready.interface(),
            takes,
            compares: matches!(end, End::Compare),
            adding,
            used,
            values,
            states,
            names,
            lines: Vec::new(),
            cells: CellsInRows { grid, packed, before, rows, directions, finds, found },
        }
    }

    /// A kernel of one step.
    fn print(mut self, ready: &Ready, entry: &mut Entry) -> TileKernel<'a> {
        let (grid, bitwise) = (self.cells.grid, self.bitwise());
        let (width, across) = tile(grid, bitwise);
        let at = (grid, self.cells.packed);
        let (rows, near) = rows_of_thread(ready.kernel(), ready.interface(), at, ready.off());
        (entry.threads, entry.together) = (across as u64 * u64::from(THREADS), rows * THREADS / width as u32);
        let arguments = self.begin(entry, "time");
        let before = std::mem::take(&mut self.lines);
        let within = near.map(|near| self.within(&near)).unwrap_or_default();
        self.own();
        self.line("");
        self.own_loads();
        self.neighbours();
        if bitwise {
            self.words()
        } else {
            self.places()
        }
        self.rule();
        let values = context! {
            bitwise,
            decides => self.decides(),
            width,
            rows => entry.together,
            each => rows,
            across,
            block => self.block(),
            before,
            within,
            body => self.lines,
        };
        let per_thread = if bitwise { "a word of 32 places" } else { "one place" };
        let about = format!("{}: a thread takes {per_thread} in each of {rows} rows.", ready.name);
        TileKernel {
            about: vec![about, Statistics::of(ready).to_string()],
            arguments,
            body: render_section(ROWS, "Kernel", values),
            tile: Tile::of(ready, (width, across), rows),
            compares: self.compares,
            adding: self.adding,
        }
    }

    /// Whether the threads of a warp make random bits together.
    fn decides(&self) -> bool {
        self.bitwise() && self.interface.decides
    }

    /// A store of words, which threads without a cell do not reach or leave out.
    fn where_cells(&self, store: String) -> String {
        if self.decides() { format!("if (cells != 0) {{ {store} }}") } else { store }
    }

    /// The expression of the number of a block's tile.
    fn block(&self) -> &'static str {
        if self.compares || self.adding.is_some() { "tile" } else { "blockIdx.x" }
    }

    /// The kernel's arguments. Prints the code before the first load.
    fn begin(&mut self, entry: &mut Entry, time: &str) -> Vec<String> {
        if entry.time {
            self.line(&format!("const u32 {time} = *world.clock + world.later;"));
        }
        self.line("const u32 none = after_pass_before();");
        self.arguments(entry)
    }

    /// The lines that find a thread's place, or its word.
    fn own(&mut self) {
        if !self.bitwise() {
            self.line("const u32 lane = x % LANES;");
            self.line("const bool cell = cells >> (lane % 32) & 1;");
            if !self.cells.packed {
                let is_linear = matches!(self.cells.finds, Finds::InWaves(_)) && self.cells.grid.stores_all();
                self.line(match is_linear {
                    true => "const Place place = (Place)row * (COLUMNS_OF_ROW * LANES) + x;",
                    false => "const Place place = (Place)column * LANES + lane;",
                });
            }
        }
        let odd = self.interface.odd_corners.iter().any(|axes| axes.0[1] || axes.0[2]);
        if self.interface.superblock_corner || odd || self.cells.rows.keys().any(|row| *row != [0, 0]) {
            self.line("const int y = (int)(row % HEIGHT), z = (int)(row / HEIGHT);");
        }
        let (draws, decides) = (!self.interface.random.is_empty(), self.interface.decides);
        if draws || decides {
            let numbering = PlaceNumbering::of(self.cells.grid.extent().map(|side| side as u64));
            self.line("// Where the word begins, counted through all rows, and whether its coordinates there have an odd sum.");
            self.line(&format!("const u64 first_place = (u64)row * {} + 32 * word;", numbering.row));
            self.line("const u32 odd_row = (row % HEIGHT + row / HEIGHT) & 1;");
        }
        if self.cells.packed {
            self.line(match self.bitwise() {
                true => "// The index of the first cell of the word.",
                false => "// The index of the first cell of the warp, and how many of its cells come before this one.",
            });
            let own = self.own_word(1, 0);
            let first = match self.cells.grid.is_full() {
                true => "(u64)row * WIDTH + 32 * word".to_owned(),
                false => format!("world.cell_indices[{own}]"),
            };
            self.line(&format!("const u64 first_cell = {first};"));
            if !self.bitwise() {
                let before = words::population("cells & ((1u << (lane % 32)) - 1)");
                self.line(&format!("const Place place = (Place)(first_cell + {before});"));
            }
        }
    }

    /// Where the own word of a plane of bits stands.
    fn own_word(&self, planes: u8, plane: u8) -> String {
        match planes {
            1 => "(u64)column * WORDS + word % WORDS".to_owned(),
            _ => format!("((u64)column * {planes} + {plane}) * WORDS + word % WORDS"),
        }
    }

    /// Where a plane of bits of the cells alone begins.
    fn packed_plane(memory: &str, plane: u8) -> String {
        if plane == 0 { memory.to_owned() } else { format!("{memory} + {plane} * PLANE_WORDS") }
    }

    /// A bit of a plane of those of the cells alone.
    fn packed_bit(memory: &str, plane: u8, place: &str) -> String {
        match plane {
            0 => format!("{memory}[{place} / 32] >> ({place} % 32) & 1"),
            _ => format!("{memory}[{plane} * PLANE_WORDS + {place} / 32] >> ({place} % 32) & 1"),
        }
    }

    /// Stores a value where states hold the cells alone.
    fn store_packed(&self, state: usize, plane: u8, value: &str) -> String {
        let new = &self.states[state].new;
        match (self.planes(state), self.bitwise()) {
            (Some(_), true) => {
                let plane = Self::packed_plane(new, plane);
                self.where_cells(format!("store_packed({plane}, first_cell, cells, {value});"))
            }
            (Some(_), false) => {
                let plane = Self::packed_plane(new, plane);
                let bits = words::votes(&format!("cell && {value}"));
                format!(
                    "if (const u32 bits_of_warp = {bits}; lane % 32 == 0) {{ store_packed({plane}, first_cell, cells, bits_of_warp); }}"
                )
            }
            (None, _) => format!("if (cell) {{ {new}[place] = {value}; }}"),
        }
    }

    /// The own columns, before anything is stored: nothing says that the buffers are apart.
    fn own_loads(&mut self) {
        for place in 0..self.kernel.nodes.len() {
            let node = &self.kernel.nodes[place];
            let Some(Load { direction: Direction::CENTRE, state, plane, .. }) = node.op.load() else { continue };
            let (ty, name) = (c_type(node.ty.unwrap_or(LaneType::Bits), self.bitwise()), &self.values[place]);
            let old = &self.states[usize::from(state)].old;
            let load = node.op.load().filter(|_| self.input_in_turn(state).is_none());
            let handed = match (&self.cells.finds, load) {
                (Finds::InWaves(waves), Some(load)) => waves.handed(load),
                _ => None,
            };
            if let Some(value) = self.input_in_turn(state).or(handed) {
                let line = format!("const {ty} {name} = {value};");
                self.line(&line);
                continue;
            }
            let line = match self.planes(usize::from(state)) {
                None => format!("const {ty} {name} = {old}[place];"),
                Some(_) if self.cells.packed && self.bitwise() => {
                    let plane = Self::packed_plane(old, plane);
                    format!("const {ty} {name} = packed_word(world, {plane}, column, word % WORDS);")
                }
                Some(_) if self.cells.packed => {
                    format!("const {ty} {name} = {};", Self::packed_bit(old, plane, "place"))
                }
                Some(planes) => {
                    let shift = if self.bitwise() { "" } else { " >> (lane % 32) & 1" };
                    format!("const {ty} {name} = {old}[{}]{shift};", self.own_word(planes, plane))
                }
            };
            self.line(&line);
        }
    }

    /// The rows that neighbours stand in.
    fn neighbours(&mut self) {
        let rows: Vec<_> = self.cells.rows.iter().filter(|(row, _)| **row != [0, 0]).collect();
        let lines: Vec<String> = (rows.into_iter())
            .map(|([z, y], name)| format!("const u32 {name} = row_at({}, {});", moved("y", *y), moved("z", *z)))
            .collect();
        if !lines.is_empty() {
            self.line("");
            self.line("// the rows of the neighbours");
            self.lines.extend(lines);
        }
    }

    /// Prints the places of neighbours, and the loads from there.
    fn places(&mut self) {
        for (direction, place) in self.cells.directions.clone() {
            let Direction([x, y, z]) = direction;
            self.line("");
            let row = &self.cells.rows[&[z, y]];
            let at = format!("place_at(world, {row}, {})", moved("(int)x", x));
            let near = self.beside_in_turn(direction).map_or(String::new(), |[_, place]| place);
            let line = format!("const Place {place} = {near}{at};");
            self.line(&line);
            for index in 0..self.kernel.nodes.len() {
                let node = &self.kernel.nodes[index];
                let Some(load @ Load { direction: there, state, plane, .. }) = node.op.load() else { continue };
                if there != direction {
                    continue;
                }
                let (ty, name) = (c_type(node.ty.unwrap_or(LaneType::Bits), false), &self.values[index]);
                if let Finds::InWaves(waves) = &self.cells.finds
                    && let Some(seen) = waves.seen(load).or_else(|| waves.handed(load))
                {
                    let line = format!("const {ty} {name} = {seen};");
                    self.line(&line);
                    continue;
                }
                let old = &self.states[usize::from(state)].old;
                let line = match self.planes(usize::from(state)) {
                    None => format!("const {ty} {name} = {old}[{place}];"),
                    Some(_) if self.cells.packed => {
                        format!("const {ty} {name} = {};", Self::packed_bit(old, plane, &place))
                    }
                    Some(1) => format!("const {ty} {name} = {old}[{place} / 32] >> ({place} % 32) & 1;"),
                    Some(planes) => format!(
                        "const {ty} {name} = {old}[((u64)({place} / LANES) * {planes} + {plane}) * WORDS + {place} % LANES / 32] >> ({place} % 32) & 1;"
                    ),
                };
                self.line(&line);
            }
        }
    }

    /// The words of rows around the own one, of each plane that is looked at and of the cells, and pairs of them shifted.
    fn words(&mut self) {
        // By loaded plane and row, the names of the words.
        let mut wanted: BTreeMap<(Plane, [i32; 2]), BTreeMap<i32, String>> = BTreeMap::new();
        for node in &self.kernel.nodes {
            let Some(Direction([x, y, z])) = beside(&node.op) else { continue };
            let what = node.op.load().map(|load| (load.state, load.plane));
            let (word, shift) = words_at(x);
            let words = wanted.entry((what, [z, y])).or_default();
            for word in [Some(word), (shift > 0).then_some(word + 1)].into_iter().flatten() {
                let of = match what {
                    None => "cells".to_owned(),
                    Some((state, plane)) => match self.planes(usize::from(state)) {
                        Some(2..) => format!("{}_{plane}", self.kernel.states[usize::from(state)].name),
                        _ => self.kernel.states[usize::from(state)].name.clone(),
                    },
                };
                let names = &mut self.names;
                words.entry(word).or_insert_with(|| names.name(&format!("{of}_{}", Direction([word, y, z]))));
            }
        }
        for ((what, row), words) in &wanted {
            self.line("");
            let row = self.cells.rows[row].clone();
            for (at, name) in words {
                let at = moved("(int)word", *at);
                let line = match what {
                    None => format!("const u32 {name} = cells_of(world, {row}, {at});"),
                    Some((state, plane)) if self.cells.packed => {
                        let plane = Self::packed_plane(&self.states[usize::from(*state)].old, *plane);
                        format!("const u32 {name} = row_word<0>(world, {plane}, {row}, {at});")
                    }
                    Some((state, plane)) => {
                        let planes = self.planes(usize::from(*state)).unwrap_or(1);
                        let old = &self.states[usize::from(*state)].old;
                        let plane = if *plane > 0 { format!("{old} + {plane} * WORDS") } else { old.clone() };
                        let block = if planes > 1 { format!("{planes} * WORDS") } else { "WORDS".to_owned() };
                        format!("const u32 {name} = row_word<{block}>(world, {plane}, {row}, {at});")
                    }
                };
                self.line(&line);
            }
        }
        self.line("");
        let mut asked = BTreeSet::new();
        for index in 0..self.kernel.nodes.len() {
            let op = &self.kernel.nodes[index].op;
            let Some(direction) = beside(op) else { continue };
            let Direction([x, y, z]) = direction;
            let what = op.load().map(|load| (load.state, load.plane));
            let name = match what {
                Some(_) => &self.values[index],
                None if asked.insert(direction) => &self.cells.directions[&direction],
                None => continue,
            };
            let line = format!("const u32 {name} = {};", places_at(x, |word| wanted[&(what, [z, y])][&word].clone()));
            self.line(&line);
        }
    }
}

impl<'a> CellPlacement<'a> for CellsInRows<'a> {
    fn prints(printer: &mut RowPrinter<'a>, place: usize) -> bool {
        printer.prints_in_march(place)
    }

    /// Stores a value where there is a cell, and 0 beside it.
    fn store(printer: &mut RowPrinter<'a>, state: usize, plane: u8, _: u32, value: &str) -> String {
        if let Finds::InWindow(names) = &printer.cells.finds {
            return format!("new_{}[i] = {value} & cells;", names[&(state as u16, plane)]);
        }
        if let Finds::InMarch(stage) = &printer.cells.finds {
            return stage.store(state, value);
        }
        if let Finds::InWaves(waves) = &printer.cells.finds {
            return printer.store_in_turn(waves, state, plane, value);
        }
        if printer.cells.packed {
            return printer.store_packed(state, plane, value);
        }
        let new = &printer.states[state].new;
        let place = match printer.planes(state) {
            Some(planes) => format!("{new}[{}]", printer.own_word(planes, plane)),
            None => format!("{new}[place]"),
        };
        let before = match &printer.cells.finds {
            Finds::AtFixedDistances if printer.compares => {
                format!("{}[i]", printer.cells.before[&(state as u16, plane)])
            }
            Finds::AtFixedDistances | Finds::ByCoordinates => place.clone(),
            Finds::InWindow(_) | Finds::InMarch(_) | Finds::InWaves(_) => place.clone(),
        };
        match printer.kernel.states[state].planes {
            Planes::Bits(_) if printer.bitwise() => {
                printer.where_cells(printer.store_at(&place, &before, &format!("{value} & cells")))
            }
            Planes::Number(ty) => {
                let ty = c_type(ty, false);
                let value = format!("cell ? {value} : ({ty})0");
                let value = if printer.compares { format!("({ty})({value})") } else { value };
                printer.store_at(&place, &before, &value)
            }
            Planes::Bits(planes) => {
                let (helper, bit) = (printer.used.helper(Helper::StoreBits), format!("cell && {value}"));
                if !printer.compares {
                    return format!("{helper}({new} + ({}), {bit}, lane);", printer.own_word(planes, plane));
                }
                // All threads of a warp read the word before one of them writes it.
                format!("changed |= ({before} >> (lane % 32) & 1) != (u32)({bit}); {helper}(&{place}, {bit}, lane);")
            }
        }
    }

    fn taken(printer: &RowPrinter<'a>) -> Taken {
        Taken { bitwise: printer.bitwise(), there: Some(if printer.bitwise() { "cells" } else { "cell" }) }
    }

    fn presence(printer: &mut RowPrinter<'a>, direction: Direction) -> String {
        let name = &printer.cells.directions[&direction];
        match (printer.bitwise(), &printer.cells.finds) {
            (true, _) | (false, Finds::InWindow(_)) => name.clone(),
            (false, Finds::ByCoordinates | Finds::InWaves(_)) => match printer.beside_in_turn(direction) {
                Some([is_there, _]) => is_there,
                None => format!("is_cell(world, {name})"),
            },
            (false, Finds::AtFixedDistances) => printer.cells.found[&direction].clone(),
            (false, Finds::InMarch(stage)) => stage.presence(direction),
        }
    }

    fn corner(printer: &mut RowPrinter<'a>, of: Corner, axis: u8) -> String {
        // In a march places are known, and there is one layer.
        let marches = matches!(printer.cells.finds, Finds::InMarch(_));
        match (of, axis) {
            (Corner::Lane, 0) if marches => "x".to_owned(),
            (Corner::Superblock, 0 | 2) if marches => "0".to_owned(),
            (Corner::Lane, 0) => "(int)lane".to_owned(),
            (Corner::Lane, _) => "0".to_owned(),
            (Corner::Superblock, 0) => "(int)(word / WORDS * LANES)".to_owned(),
            (Corner::Superblock, 1) => "y".to_owned(),
            (Corner::Superblock, _) => "z".to_owned(),
        }
    }

    fn odd_corner(printer: &mut RowPrinter<'a>, axes: Axes) -> String {
        let marches = matches!(printer.cells.finds, Finds::InMarch(_));
        let corner =
            [(1, Corner::Superblock), (2, Corner::Superblock)].map(|(axis, of)| Self::corner(printer, of, axis));
        let rows: Vec<String> = (1..3).filter(|axis| axes.0[*axis]).map(|axis| corner[axis - 1].clone()).collect();
        let rows = if rows.is_empty() { "0".to_owned() } else { format!("({}) & 1", rows.join(" + ")) };
        match (printer.bitwise(), axes.0[0]) {
            // A column begins at an even place.
            (true, true) => format!("0xaaaaaaaa ^ (0 - (u32)({rows}))"),
            (true, false) => format!("0 - (u32)({rows})"),
            (false, true) if marches => format!("(x & 1) != (int)({rows})"),
            (false, true) => format!("(lane & 1) != (u32)({rows})"),
            (false, false) => format!("({rows}) != 0"),
        }
    }

    fn parameter(printer: &mut RowPrinter<'a>, param: u16, plane: u8, ty: LaneType) -> String {
        operations::parameter_of_lanes(&format!("world.params[{param}]"), plane, ty, printer.bitwise())
    }

    fn level(_: &RowPrinter<'a>) -> String {
        // No rule that names it runs on a mask.
        "0".to_owned()
    }

    fn side(_: &RowPrinter<'a>) -> String {
        "SIDE".to_owned()
    }

    fn time(_: &RowPrinter<'a>) -> &'static str {
        "time"
    }

    fn random(printer: &mut RowPrinter<'a>, draw: u32, _micro: u32) -> String {
        if matches!(printer.cells.finds, Finds::InWaves(_)) {
            return printer.word_in_turn(draw);
        }
        let helper = printer.used.helper(Helper::RandomWordsOfRow);
        format!("{helper}(world.seed, first_place, odd_row, time, {draw})")
    }

    fn drawn_by(printer: &mut RowPrinter<'a>, _micro: u32) -> [String; 2] {
        if matches!(printer.cells.finds, Finds::InWaves(_)) {
            return ["world.seed".to_owned(), NUMBER_IN_TURN.to_owned()];
        }
        let number = printer.uses(Helper::NumberOfPlace);
        ["world.seed".to_owned(), format!("{number}(first_place, odd_row)")]
    }

    fn parameters(_: &RowPrinter<'a>) -> &'static str {
        "world.params"
    }

    fn random_bits(printer: &mut RowPrinter<'a>, draw: u32, _micro: u32, classes: &[RandomClass]) -> String {
        let ((beside, _), all, list) = (tile(printer.cells.grid, true), classes.len(), printer.classes(classes));
        let helper = printer.uses(Helper::RandomBitsOfRow);
        format!("{helper}<{beside}, {all}>(world.seed, first_place, odd_row, cells, time, {draw}, {list})")
    }
}
