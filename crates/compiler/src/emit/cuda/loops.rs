//! Loops over neighbours, as [`repeats`](super::repeats) finds them, printed. The inputs that differ from link to link stand in a table.

use super::far::within;
use super::helpers::Helper;
use super::lanes::LanePrinter;
use super::printer::constant;
use super::repeats::{Repeat, Tally};
use super::words::c_type;
use crate::kernel::{Direction, LaneType, Load, Op, ValueId};

/// The largest count of bits that are counted one by one before they are added to all.
const FEW: usize = 15;

/// A table: the fields of a row, and the rows.
#[derive(Default)]
struct PrintedTable {
    fields: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl PrintedTable {
    fn add(&mut self, field: String, column: impl Iterator<Item = String>) {
        self.fields.push(field);
        for (place, entry) in column.enumerate() {
            match self.rows.get_mut(place) {
                Some(row) => row.push(entry),
                None => self.rows.push(vec![entry]),
            }
        }
    }

    /// The definition after its name.
    fn text(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| format!("{{{}}}", row.join(", "))).collect();
        let lines: Vec<String> = rows.chunks(8).map(|rows| format!("    {},\n", rows.join(", "))).collect();
        lines.concat()
    }
}

impl LanePrinter<'_> {
    /// A chain, at the place of its last link.
    pub(super) fn chain(&mut self, place: usize, repeat: &Repeat) {
        self.line("");
        let mut names = Vec::new();
        for (index, carried) in repeat.carried.iter().enumerate() {
            let (ty, first) = (c_type(self.ty(carried.new), self.bitwise()), self.value(carried.first).to_owned());
            let name = if index == 0 { self.values[place].clone() } else { self.names.name("carried") };
            self.line(&format!("{ty} {name} = {first};"));
            names.push(name);
        }
        let kept: Vec<(ValueId, String)> = self.texts_of(repeat);
        for (carried, name) in repeat.carried.iter().zip(&names) {
            self.values[carried.old.0 as usize].clone_from(name);
            self.values[carried.new.0 as usize] = self.names.name("next");
        }
        let body = self.link(repeat);
        self.line(&format!("for (u32 link = 0; link < {}; ++link) {{", repeat.times));
        self.lines.extend(body.iter().map(|line| format!("    {line}")));
        for (carried, name) in repeat.carried.iter().zip(&names) {
            let new = self.value(carried.new).to_owned();
            self.line(&format!("    {name} = {new};"));
        }
        self.line("}");
        self.give_back(kept);
    }

    /// A count of bits: a number, or in words of bits its digits.
    pub(super) fn count(&mut self, place: usize, tally: &Tally) {
        self.line("");
        let name = self.values[place].clone();
        let most = tally.rest.len() + tally.groups.iter().map(|(repeat, _)| repeat.times).sum::<usize>();
        if self.bitwise() {
            let digits = digits_of(most);
            self.line(&format!("u32 {name}[{digits}] = {{}};"));
        } else {
            self.line(&format!("int {name} = 0;"));
        }
        for (repeat, bit) in &tally.groups {
            let kept = self.texts_of(repeat);
            let lines = self.link(repeat);
            let bit = self.value(*bit).to_owned();
            if self.bitwise() {
                let (add, few, digits) = (self.uses(Helper::AddDigits), self.names.name("few"), digits_of(FEW));
                let first = self.names.name("from");
                self.line(&format!("for (u32 {first} = 0; {first} < {}; {first} += {FEW}) {{", repeat.times));
                self.line(&format!("    u32 {few}[{digits}] = {{}};"));
                let last = format!("({first} + {FEW} < {0} ? {first} + {FEW} : {0})", repeat.times);
                self.line(&format!("    for (u32 link = {first}; link < {last}; ++link) {{"));
                self.lines.extend(lines.iter().map(|line| format!("        {line}")));
                let one = self.uses(Helper::AddBit);
                self.line(&format!("        {one}({few}, {bit});"));
                self.line("    }");
                self.line(&format!("    {add}({name}, {few});"));
                self.line("}");
            } else {
                self.line(&format!("for (u32 link = 0; link < {}; ++link) {{", repeat.times));
                self.lines.extend(lines.iter().map(|line| format!("    {line}")));
                self.line(&format!("    {name} += {bit};"));
                self.line("}");
            }
            self.give_back(kept);
        }
        for bit in &tally.rest {
            let bit = self.value(*bit).to_owned();
            let line = match self.bitwise() {
                true => format!("{}({name}, {bit});", self.uses(Helper::AddBit)),
                false => format!("{name} += {bit};"),
            };
            self.line(&line);
        }
    }

    /// The nodes of a link whose texts differ inside of the loop, with their texts outside.
    fn texts_of(&self, repeat: &Repeat) -> Vec<(ValueId, String)> {
        let inputs = repeat.inputs.iter().map(|(id, _)| *id);
        let carried = repeat.carried.iter().flat_map(|carried| [carried.old, carried.new]);
        inputs.chain(carried).map(|id| (id, self.value(id).to_owned())).collect()
    }

    fn give_back(&mut self, kept: Vec<(ValueId, String)>) {
        // A node may stand there twice: the first entry has its old text.
        for (id, text) in kept.into_iter().rev() {
            self.values[id.0 as usize] = text;
        }
    }

    /// The code of one link, from the row of the table on.
    fn link(&mut self, repeat: &Repeat) -> Vec<String> {
        let nodes = &self.kernel.nodes;
        let mut table = PrintedTable::default();
        let mut lines = Vec::new();
        // Inputs of one neighbour share its place.
        let mut neighbours: Vec<(Vec<Direction>, String)> = Vec::new();
        let row = self.names.name("row");
        for (input, column) in &repeat.inputs {
            let ops: Vec<&Op> = column.iter().map(|id| &nodes[id.0 as usize].op).collect();
            let ty = self.ty(*input);
            let c_type = c_type(ty, self.bitwise());
            if let Op::Const(_) = ops[0] {
                let field = format!("value_{}", table.fields.len());
                let values = ops.iter().map(|op| {
                    if let Op::Const(value) = op { constant(*value, Some(ty), self.takes) } else { String::new() }
                });
                table.add(format!("{c_type} {field};"), values);
                self.values[input.0 as usize] = format!("{row}.{field}");
                continue;
            }
            let directions: Vec<Direction> = ops.iter().filter_map(|op| op.direction()).collect();
            let there = match neighbours.iter().find(|(known, _)| *known == directions) {
                Some((_, there)) => there.clone(),
                None => {
                    let there = self.names.name("there");
                    let fields = ["x", "y", "z"].map(|axis| format!("{axis}_{}", table.fields.len()));
                    for (axis, field) in fields.iter().enumerate() {
                        let along = directions
                            .iter()
                            .map(|direction| within(self.cells.layout, *direction).0[axis].to_string());
                        table.add(format!("int {field};"), along);
                    }
                    let [x, y, z] = fields.map(|field| format!("{row}.{field}"));
                    let place = self.cells.members.names().place;
                    lines.push(format!("const FarNeighbour {there} = far_neighbour(world, {place}, {x}, {y}, {z});"));
                    if !self.bitwise() {
                        lines.push(format!("const u32 {there}_lane = far_source_lane(world, {there}, lane);"));
                    }
                    self.used.far.used = true;
                    neighbours.push((directions, there.clone()));
                    there
                }
            };
            let name = self.names.name("input");
            let Some(Load { state, plane, .. }) = ops[0].load() else {
                let present = if self.bitwise() {
                    format!("far_presence(world, {there}, word)")
                } else {
                    format!("{there}_lane != ABSENT")
                };
                self.used.far.words += usize::from(self.bitwise());
                lines.push(format!("const {c_type} {name} = {present};"));
                self.values[input.0 as usize] = name;
                continue;
            };
            let state = usize::from(state);
            let loads = ops.iter().filter_map(|op| op.load());
            let offsets: Vec<String> = loads.map(|load| self.offset(state, plane, load.micro)).collect();
            let offset = match offsets.iter().all(|offset| *offset == offsets[0]) {
                true => offsets[0].clone(),
                false => {
                    let field = format!("column_{}", table.fields.len());
                    table.add(format!("u32 {field};"), offsets.into_iter());
                    format!("{row}.{field}")
                }
            };
            let lane = format!("{there}_lane");
            let (old, place) = (&self.states[state].old, self.place_there(true, &there, &lane, state));
            let shift = if self.element_is_word(state) { format!(" >> ({lane} % 32) & 1") } else { String::new() };
            let text = match self.bitwise() {
                true => format!("far_word(world, {there}, {old} + {place} + {offset}, word)"),
                false => format!("{old}[{place} + {offset}]{shift}"),
            };
            self.used.far.words += usize::from(self.bitwise());
            lines.push(format!("const {c_type} {name} = {text};"));
            self.values[input.0 as usize] = name;
        }
        for id in &repeat.operations {
            let node = &nodes[id.0 as usize];
            let ty = node.ty.unwrap_or(LaneType::Bits);
            let text = self.expression(&node.op, ty);
            let (ty, name) = (c_type(ty, self.bitwise()), &self.values[id.0 as usize]);
            lines.push(format!("const {ty} {name} = {text};"));
        }
        // Links may differ in nothing, and terms be added that are the same for all neighbours.
        if !table.fields.is_empty() {
            let number = self.used.table(table.fields.join(" "), table.rows.len(), table.text());
            lines.insert(0, format!("const Row{number} {row} = rows_{number}[link];"));
        }
        lines
    }
}

/// Digits of numbers up to this one.
fn digits_of(most: usize) -> u32 {
    usize::BITS - most.leading_zeros()
}
