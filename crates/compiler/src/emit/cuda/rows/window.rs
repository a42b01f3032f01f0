//! Several time steps in one pass over rows of bits.
//!
//! A warp holds a window of words in registers, a word of each row for a lane, and computes step after step there: what a word sees to its sides comes
//! from the lanes beside it. With each step the window loses the rows at its ends that had no neighbours, and bits of the words at its sides; what is
//! left after the last step is stored. So memory is read and written once for all steps. Places beyond an edge, and holes, are 0 after each step, as
//! they are between passes.
//!
//! Windows of 24 rows that store 16 after four steps were the best of thirteen on a mask of 16384² (16.7 µs a step on an H100; 8 stored rows and 4 steps 19.8, 16 and 2 23.8,
//! 16 and 6 17.4, 32 and 8 17.8).

use super::ends::{PlacesOfThread, Tile, TileKernel};
use super::within::indent;
use super::{Finds, RowPrinter, Statistics, WARP, places_at};
use crate::emit::cuda::text::{Entry, render_section};
use crate::emit::cuda::threads::THREADS;
use crate::emit::cuda::words::{moved, of_neighbour};
use crate::kernel::Direction;
use crate::passes::Ready;
use crate::plan::RegisterWindow;
use crate::plan::near::{Plane, beside};
use minijinja::context;
use std::collections::{BTreeMap, BTreeSet};

const WINDOW: &str = include_str!("../../../../templates/window.cu");

const STEPS: u32 = RegisterWindow::STEPS;
const ROWS: u32 = RegisterWindow::ROWS;

/// Words of a window that are stored: the one on each side is not.
const WORDS: usize = WARP - 2;

/// The functions of windows, beside those of rows.
pub(super) fn functions() -> String {
    render_section(WINDOW, "Functions", context! {})
}

impl<'a> RowPrinter<'a> {
    /// A kernel of several steps.
    pub(super) fn print_window(mut self, ready: &Ready, entry: &mut Entry) -> TileKernel<'a> {
        let window = RegisterWindow::of(ready).expect("kernels of several steps have a window");
        let grid = self.cells.grid;
        let across = (grid.columns_of_row() * grid.shape.words).div_ceil(WORDS);
        (entry.threads, entry.together) = (across as u64 * u64::from(THREADS), ROWS * THREADS / WARP as u32);
        let arguments = self.begin(entry, "first_time");
        let before = std::mem::take(&mut self.lines);
        let names = self.names_of_rows(&window);
        let kept: Vec<_> = (window.kept.iter())
            .map(|plane| {
                let (state, number) = (usize::from(plane.0), plane.1);
                let planes = self.planes(state).unwrap_or(1);
                let start = |memory: &str| match number {
                    0 => memory.to_owned(),
                    _ => format!("{memory} + {number} * WORDS"),
                };
                let loaded = self.is_read(state);
                let before = self.compares.then(|| self.names.name(&format!("{}_before", names[&Some(*plane)])));
                context! {
                    before,
                    name => names[&Some(*plane)].clone(),
                    old => loaded.then(|| start(&self.states[state].old)),
                    new => window.written.contains(plane).then(|| start(&self.states[state].new)),
                    block => if planes == 1 { "WORDS".to_owned() } else { format!("{planes} * WORDS") },
                }
            })
            .collect();
        let body = self.step(&window, &names);
        let values = context! {
            before,
            time => entry.time,
            across,
            words => WORDS,
            rows => ROWS,
            steps => STEPS,
            reach => window.reach,
            cells => names[&None].clone(),
            kept,
            body,
            threads => THREADS,
            watched => self.compares,
            part => grid.rows_of_part().map(|(first, rows)| [first, rows]),
            block => self.block(),
        };
        // The lanes at the sides of a warp store nothing.
        let x = format!("((int)threadIdx.x % {WARP} - 1) * 32");
        let part = PlacesOfThread { across: 32, down: ROWS, x, y: format!("(int)threadIdx.x / {WARP} * {ROWS}") };
        let reach = [STEPS * window.across, STEPS * window.reach, 0];
        let about =
            format!("{}: {STEPS} steps; a warp takes {WORDS} words of 32 places in each of {ROWS} rows.", ready.name);
        TileKernel {
            about: vec![about, Statistics::of(ready).to_string()],
            arguments,
            body: render_section(WINDOW, "Kernel", values),
            tile: Tile { across, width: 32 * WORDS, reach, part },
            compares: self.compares,
            adding: None,
        }
    }
}

impl RowPrinter<'_> {
    /// The names of the window's arrays: of each plane, and of the cells.
    fn names_of_rows(&mut self, window: &RegisterWindow) -> BTreeMap<Plane, String> {
        let mut names = BTreeMap::from([(None, self.names.name("cells_of_rows"))]);
        for plane in &window.kept {
            let state = usize::from(plane.0);
            let name = &self.kernel.states[state].name;
            let name = if self.planes(state).unwrap_or(1) > 1 { format!("{name}_{}", plane.1) } else { name.clone() };
            names.insert(Some(*plane), self.names.name(&format!("{name}_of_rows")));
        }
        names
    }

    /// One step of a window: for each row first its words shifted to the sides, then the row `REACH` above it, whose neighbour rows are all there by then.
    fn step(&mut self, window: &RegisterWindow, names: &BTreeMap<Plane, String>) -> Vec<String> {
        self.cells.finds =
            Finds::InWindow(names.iter().filter_map(|(plane, name)| Some(((*plane)?, name.clone()))).collect());
        // The words of a plane, or of the cells, shifted by a distance to the side.
        let mut shifted: BTreeMap<(Plane, i32), String> = BTreeMap::new();
        for node in &self.kernel.nodes {
            let Some(Direction([x, _, _])) = beside(&node.op).filter(|Direction([x, ..])| *x != 0) else { continue };
            let what = node.op.load().map(|load| (load.state, load.plane));
            let name = format!("{}_{}", names[&what], Direction([x, 0, 0]));
            shifted.entry((what, x)).or_insert_with(|| self.names.name(&name));
        }
        for name in shifted.values() {
            self.line(&format!("u32 {name}[ALL];"));
        }
        for plane in &window.written {
            self.line(&format!("u32 new_{}[ALL];", names[&Some(*plane)]));
        }
        self.line("#pragma unroll");
        self.line("for (int j = 0; j < ALL; ++j) {");
        let begin = self.lines.len();
        self.line("if (j < step * REACH || j >= ALL - step * REACH) {");
        self.line("    continue;");
        self.line("}");
        for (what, name) in names {
            let distances: Vec<i32> = shifted.keys().filter(|(of, _)| of == what).map(|(_, x)| *x).collect();
            let from_left = distances.iter().any(|x| *x < 0).then(|| self.names.name(&format!("{name}_before")));
            let from_right = distances.iter().any(|x| *x > 0).then(|| self.names.name(&format!("{name}_after")));
            for (is_left, side) in [(true, &from_left), (false, &from_right)] {
                if let Some(side) = side {
                    let word = of_neighbour(&format!("{name}[j]"), is_left);
                    self.line(&format!("const u32 {side} = {word};"));
                }
            }
            for x in distances {
                let own = format!("{name}[j]");
                let word = |at: i32| match at {
                    0 => own.clone(),
                    _ => (if at < 0 { &from_left } else { &from_right }).clone().unwrap_or_default(),
                };
                self.line(&format!("{}[j] = {};", shifted[&(*what, x)], places_at(x, word)));
            }
        }
        self.line("const int i = j - REACH;");
        self.line("if (i < (step + 1) * REACH) {");
        self.line("    continue;");
        self.line("}");
        self.line(&format!("const u32 cells = {}[i];", names[&None]));
        let seen = |what: Plane, Direction([x, y, _]): Direction| {
            let name = if x == 0 { &names[&what] } else { &shifted[&(what, x)] };
            format!("{name}[{}]", moved("i", y))
        };
        let mut asked = BTreeSet::new();
        for index in 0..self.kernel.nodes.len() {
            let op = &self.kernel.nodes[index].op;
            let Some(direction) = op.direction() else { continue };
            let what = op.load().map(|load| (load.state, load.plane));
            let name = match what {
                Some(_) => &self.values[index],
                None if asked.insert(direction) => &self.cells.directions[&direction],
                None => continue,
            };
            self.line(&format!("const u32 {name} = {};", seen(what, direction)));
        }
        self.rule();
        indent(&mut self.lines[begin..]);
        self.line("}");
        self.line("#pragma unroll");
        self.line("for (int i = 0; i < ALL; ++i) {");
        self.line("    if (i >= (step + 1) * REACH && i < ALL - (step + 1) * REACH) {");
        for plane in &window.written {
            let name = &names[&Some(*plane)];
            self.lines.push(format!("        {name}[i] = new_{name}[i];"));
        }
        self.line("    }");
        self.line("}");
        std::mem::take(&mut self.lines)
    }
}
