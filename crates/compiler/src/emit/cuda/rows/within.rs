//! Threads of numbers within the box, whose neighbours lie at fixed distances in memory, since all columns are stored.
//!
//! A thread loads the stretches of places, or of words of bits, above and below each other that its rows look at, each once and all before it computes, so
//! that the memory is kept busy; then it computes its rows. Neighbouring threads read neighbouring places.

use super::{Finds, RowPrinter, WARP, places_at};
use crate::emit::cuda::words::{c_type, moved};
use crate::kernel::{Direction, LaneType, Load, Planes};
use crate::plan::near::{Near, Reach, Stretch, What, beside, words_at};
use std::collections::BTreeMap;

impl RowPrinter<'_> {
    /// The rows of a thread within the box.
    pub(super) fn within(&mut self, near: &Near) -> Vec<String> {
        let outside = std::mem::take(&mut self.lines);
        self.cells.finds = Finds::AtFixedDistances;
        self.line(&format!("if ({}) {{", self.condition(near)));
        let begin = self.lines.len();
        self.line(match self.cells.grid.rows_of_part() {
            None => "const u64 first_column = (u64)first * COLUMNS_OF_ROW;",
            Some(_) => "const u64 first_column = column_of(world, first, 0);",
        });
        let names = self.load(near);
        if self.compares {
            self.load_before(near.rows);
        }
        self.line("#pragma unroll");
        self.line(&format!("for (int i = 0; i < {}; ++i) {{", near.rows));
        let inner = self.lines.len();
        self.line(&format!("const u32 row = first + (u32)i, column = {};", super::COLUMN_WITHIN));
        let cells = Stretch { what: What::Bits(None), across: 0, layer: 0 };
        let cells = names.get(&cells).map_or("0xffffffff".to_owned(), |name| at(name, near.stretches[&cells], 0));
        self.line(&format!("const u32 cells = {cells};"));
        self.own();
        self.line("");
        self.look(near, &names);
        self.rule();
        indent(&mut self.lines[inner..]);
        self.line("}");
        self.line("return;");
        indent(&mut self.lines[begin..]);
        self.line("}");
        self.cells.finds = Finds::ByCoordinates;
        self.cells.before.clear();
        std::mem::replace(&mut self.lines, outside)
    }

    /// Whether a thread is within the box.
    fn condition(&self, near: &Near) -> String {
        let (mut words, mut rows, mut layers) = ([0, 0], [0, 0], [0, 0]);
        let widen = |range: &mut [i32; 2], v: i32| *range = [range[0].min(v), range[1].max(v)];
        for (stretch, reach) in &near.stretches {
            match stretch.what {
                What::Bits(_) => widen(&mut words, stretch.across),
                What::Number(_) => {
                    let (first, shift) = words_at(stretch.across);
                    widen(&mut words, first);
                    widen(&mut words, first + i32::from(shift > 0));
                }
            }
            reach.iter().for_each(|v| widen(&mut rows, *v));
            widen(&mut layers, stretch.layer);
        }
        if self.cells.grid.is_full() {
            // The test for neighbours takes this one to exist.
            for Direction([x, y, z]) in self.kernel.nodes.iter().filter_map(|node| beside(&node.op)) {
                let (first, shift) = words_at(x);
                widen(&mut words, first);
                widen(&mut words, first + i32::from(shift > 0));
                widen(&mut rows, y);
                widen(&mut layers, z);
            }
        }
        let [[left, right], [above, below], [before, behind]] = [words, rows, layers].map(|range| range.map(i32::abs));
        format!("is_within<{}, {left}, {right}, {above}, {below}, {before}, {behind}>(world, first, word)", near.rows)
    }

    /// Loads all stretches; their names.
    fn load(&mut self, near: &Near) -> BTreeMap<Stretch, String> {
        let mut names = BTreeMap::new();
        for (stretch, [low, high]) in &near.stretches {
            let Stretch { what, across, layer } = *stretch;
            let side = Direction([across, 0, layer]);
            // Where the row of the thread begins, and from one row to the next.
            let (of, ty, from, row) = match what {
                What::Number(state) => {
                    let state = usize::from(state);
                    let ty = c_type(self.kernel.states[state].planes.ty(), false);
                    let row = if self.cells.packed { "(u64)first * WIDTH" } else { "first_column * LANES" };
                    let from = format!("{} + {row} + x", self.states[state].old);
                    (self.kernel.states[state].name.clone(), ty, from, self.cells.grid.shape.lanes)
                }
                What::Bits(plane) => {
                    let (memory, planes, plane, of) = match plane {
                        None => ("world.mask".to_owned(), 1, 0, "cells".to_owned()),
                        Some((state, plane)) => {
                            let state = usize::from(state);
                            let planes = self.planes(state).unwrap_or(1);
                            let name = &self.kernel.states[state].name;
                            let of = if planes > 1 { format!("{name}_{plane}") } else { name.clone() };
                            (self.states[state].old.clone(), planes, plane, of)
                        }
                    };
                    let word = moved("word", across);
                    let from = match planes {
                        1 => format!("{memory} + first_column * WORDS + word"),
                        _ => format!(
                            "{memory} + ((first_column + ({word}) / WORDS) * {planes} + {plane}) * WORDS + ({word}) % WORDS"
                        ),
                    };
                    (of, "u32", from, usize::from(planes) * self.cells.grid.shape.words)
                }
            };
            let name = self.names.name(&format!("{of}_{side}_rows"));
            let from_name = self.names.name(&format!("{of}_{side}_from"));
            let row =
                if self.cells.packed { self.cells.grid.extent()[0] } else { row * self.cells.grid.columns_of_row() }
                    as i64;
            let across = match what {
                What::Bits(Some((state, _))) if self.planes(usize::from(state)).unwrap_or(1) > 1 => 0,
                _ => i64::from(across),
            };
            let fixed = i64::from(layer) * row * self.cells.grid.extent()[1] as i64 + across + i64::from(*low) * row;
            let count = *high - *low + near.rows as i32;
            self.line(&format!("const {ty} *{from_name} = {from};"));
            self.line(&format!("{ty} {name}[{count}];"));
            self.line("#pragma unroll");
            self.line(&format!("for (int i = 0; i < {count}; ++i) {{"));
            self.line(&format!("    {name}[i] = {from_name}[i * {row}ll + {fixed}ll];"));
            self.line("}");
            names.insert(*stretch, name);
        }
        names
    }

    /// Prints the values that a row of a thread sees, and whether there are cells.
    fn look(&mut self, near: &Near, names: &BTreeMap<Stretch, String>) {
        let full = self.cells.grid.is_full();
        let word = |what: What, Direction([x, y, z]): Direction| {
            let of = |across: i32| {
                let stretch = Stretch { what, across, layer: z };
                at(&names[&stretch], near.stretches[&stretch], y)
            };
            places_at(x, of)
        };
        for index in 0..self.kernel.nodes.len() {
            let node = &self.kernel.nodes[index];
            let Some(Load { direction, state, plane, .. }) = node.op.load() else { continue };
            let (ty, name) = (c_type(node.ty.unwrap_or(LaneType::Bits), self.bitwise()), &self.values[index]);
            let line = match self.kernel.states[usize::from(state)].planes {
                Planes::Number(_) => {
                    let Direction([x, y, z]) = direction;
                    let stretch = Stretch { what: What::Number(state), across: x, layer: z };
                    format!("const {ty} {name} = {};", at(&names[&stretch], near.stretches[&stretch], y))
                }
                Planes::Bits(_) => {
                    let seen = word(What::Bits(Some((state, plane))), direction);
                    format!("const {ty} {name} = {seen} >> (lane % {WARP}) & 1;")
                }
            };
            self.line(&line);
        }
        let asked: std::collections::BTreeSet<Direction> = (self.kernel.nodes.iter())
            .filter(|node| node.op.load().is_none())
            .filter_map(|node| node.op.direction())
            .collect();
        for direction in asked {
            let name = self.names.name(&format!("{direction}_is_cell"));
            self.cells.found.insert(direction, name);
            let is_cell = match full {
                true => "true".to_owned(),
                false => format!("{} >> (lane % {WARP}) & 1", word(What::Bits(None), direction)),
            };
            let line = format!("const bool {} = {is_cell};", self.cells.found[&direction]);
            self.line(&line);
        }
    }
}

/// A row of a stretch: so far from the present row of the thread.
fn at(name: &str, [low, _]: Reach, distance: i32) -> String {
    match distance - low {
        0 => format!("{name}[i]"),
        more => format!("{name}[i + {more}]"),
    }
}

/// Moves lines to the right, but for those of the preprocessor.
pub(super) fn indent(lines: &mut [String]) {
    lines
        .iter_mut()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .for_each(|line| line.insert_str(0, "    "));
}
