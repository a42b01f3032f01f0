//! The body of one kernel: where its columns are, the halo, then node after node.

use super::End;
use super::expression::{Nodes, expression};
use super::far::within;
use super::helpers::Helper;
use super::literal::literal;
use super::members::Members;
use super::names::Namer;
use super::operations::{Used, c_type};
use super::repeats::Repeats;
use super::text::{Argument, Entry};
use super::threads::{self, ColumnThreads, Takes};
use super::totals::{Adding, Taken};
use super::watched;
use crate::kernel::{Direction, Interface, Kernel, LaneType, Neighbours, Node, Op, Planes, ValueId};
use crate::layout::Layout;
use crate::layout::columns::{Shape, column_number};
use crate::numbers::value::Value;
use crate::passes::Ready;
use crate::target::speciality::{Off, Speciality};
use std::collections::BTreeMap;

/// A constant of a type, which is a word of lanes if bits are.
pub(super) fn constant(value: Value, ty: Option<LaneType>, bitwise: bool) -> String {
    match ty {
        Some(LaneType::Bits) if bitwise => if value.bits() == 1 { "0xffffffff" } else { "0u" }.to_owned(),
        _ => literal(value),
    }
}

/// A kernel that is being printed.
pub(super) struct Writer<'a> {
    pub(super) kernel: &'a Kernel,
    /// The body for superblocks with all neighbours, and the text of each of its nodes.
    inside: Option<(&'a Kernel, Vec<String>)>,
    pub(super) interface: &'a Interface,
    pub(super) layout: &'a Layout,
    pub(super) threads: ColumnThreads,
    /// They take words of bits, not lanes.
    pub(super) bitwise: bool,
    /// They take four words each.
    pub(super) quads: bool,
    /// What is added up instead of stored.
    pub(super) adding: Option<Adding<'a>>,
    /// It computes the superblocks of a list, and tells what changed.
    pub(super) watched: bool,
    pub(super) members: Members,
    /// Specialities to do without.
    pub(super) off: Off,
    pub(super) shape: Shape,
    pub(super) used: &'a mut Used,
    /// Text of each node: its name, or its literal.
    pub(super) values: Vec<String>,
    /// The planes of parameters that are read, by their numbers: their names and types.
    params: BTreeMap<(u16, u8), (String, LaneType)>,
    pub(super) states: Vec<StateNames>,
    /// Per direction that is looked into, in reading order, its names.
    pub(super) directions: BTreeMap<usize, DirectionNames>,
    /// What is done again and again.
    pub(super) repeats: Repeats,
    pub(super) names: Namer,
    pub(super) lines: Vec<String>,
}

/// What names a state's memory.
pub(super) struct StateNames {
    pub(super) old: String,
    new: String,
    own: String,
    out: String,
}

#[derive(Clone)]
pub(super) struct DirectionNames {
    pub(super) direction: Direction,
    /// It leads farther than beside the superblock.
    pub(super) far: bool,
    pub(super) neighbour: String,
    pub(super) lane: String,
    /// Per state that is loaded, its columns there.
    pub(super) columns: BTreeMap<u16, String>,
    pub(super) loads: Vec<usize>,
}

/// What the skeleton takes.
pub(super) struct Printed {
    pub arguments: Vec<String>,
    /// What all threads of a block do, also those that have no superblock.
    pub together: Vec<String>,
    /// Which superblock a thread has.
    pub enter: Vec<String>,
    pub body: Vec<String>,
    /// What all threads do at the end, if anything.
    pub leave: Vec<String>,
}

impl<'a> Writer<'a> {
    pub fn new(ready: &'a Ready, layout: &'a Layout, members: Members, end: End<'a>, used: &'a mut Used) -> Self {
        let watched = matches!(end, End::Compare);
        let (kernel, bitwise, off) = (ready.kernel(), ready.interface().bitwise_lanes, ready.off());
        let mut names = if watched { Namer::in_watched() } else { Namer::new() };
        let state_names = |names: &mut Namer, name: &str| StateNames {
            old: names.name(name),
            new: names.name(&format!("new_{name}")),
            own: names.name(&format!("own_{name}")),
            out: names.name(&format!("out_{name}")),
        };
        let states = kernel.states.iter().map(|state| state_names(&mut names, &state.name)).collect();
        let repeats = match kernel.neighbours {
            Neighbours::Far if off.allows(Speciality::Loops) => Repeats::of(&kernel.nodes),
            Neighbours::Far | Neighbours::None | Neighbours::Beside | Neighbours::Anywhere => {
                Repeats::none(&kernel.nodes)
            }
        };
        let mut directions: BTreeMap<usize, DirectionNames> = BTreeMap::new();
        let needed = |(place, _): &(usize, &Node)| repeats.needed[*place];
        for (place, node) in kernel.nodes.iter().enumerate().filter(needed) {
            let Some(direction) = node.op.direction() else { continue };
            let Some(index) = ready.interface().place(kernel.micro.dimension, direction) else { continue };
            let entry = directions.entry(index).or_insert_with(|| DirectionNames {
                direction,
                far: direction.index(kernel.micro.dimension).is_none(),
                neighbour: names.name(&direction.to_string()),
                lane: names.name(&format!("{direction}_lane")),
                columns: BTreeMap::new(),
                loads: Vec::new(),
            });
            if let Op::Load { state, .. } = node.op {
                let of = &kernel.states[usize::from(state)].name;
                entry.columns.entry(state).or_insert_with(|| names.name(&format!("{direction}_{of}")));
                entry.loads.push(place);
            }
        }
        let shape = members.shape(layout);
        let cells = u64::from(layout.micro_cells());
        let together = u64::from(threads::superblocks_of_thread(layout, shape.words, true));
        let counted = members.as_lanes().then_some((cells, cells * together));
        let adding = match end {
            End::Store | End::Compare => None,
            End::AddUp(totals) => {
                Some(Adding::new(totals, kernel.states.len(), counted.filter(|_| bitwise), &mut |stem| {
                    names.name(stem)
                }))
            }
        };
        let stores_bits = ready.interface().writes.iter().any(|state| {
            let added = adding.as_ref().is_some_and(|adding| adding.takes(*state));
            matches!(kernel.states[*state].planes, Planes::Bits(_)) && !added
        });
        let threads = threads::column_threads(ready, layout, members, stores_bits);
        let quads = threads.takes == Takes::Quad;
        let mut writer = Writer {
            kernel,
            inside: None,
            interface: ready.interface(),
            layout,
            threads,
            bitwise,
            quads,
            adding,
            watched,
            members,
            off,
            shape,
            used,
            values: Vec::new(),
            params: BTreeMap::new(),
            states,
            directions,
            repeats,
            names,
            lines: Vec::new(),
        };
        writer.values = writer.names_of_values(kernel);
        let inside = ready.inside().filter(|_| quads && no_holes(layout));
        writer.inside = inside.map(|inside| (inside, writer.names_of_values(inside)));
        writer
    }

    /// What stands for the nodes of a kernel.
    fn names_of_values(&mut self, kernel: &Kernel) -> Vec<String> {
        let value = |node: &Node| match (&node.op, node.ty) {
            (Op::Const(value), Some(LaneType::Bits)) if self.quads => {
                if value.bits() == 1 { "Quad(0xffffffff)" } else { "Quad(0)" }.to_owned()
            }
            (Op::Const(value), ty) => constant(*value, ty, self.bitwise),
            (Op::Param { param, plane }, Some(ty)) => {
                let named = || (self.names.name(&node.name), ty);
                self.params.entry((*param, *plane)).or_insert_with(named).0.clone()
            }
            (Op::Store { .. }, _) => String::new(),
            _ => self.names.name(&node.name),
        };
        kernel.nodes.iter().map(value).collect()
    }

    pub fn print(mut self, entry: &mut Entry) -> Printed {
        entry.threads = self.threads.count as u64;
        if self.members.as_lanes() && self.adding.is_some() {
            entry.together = threads::superblocks_of_thread(self.layout, self.threads.count, self.bitwise);
        }
        let time = entry.time.then_some("const u32 time = *world.clock + world.later;");
        if let Some(adding) = &self.adding {
            self.lines.extend(adding.declarations());
            if adding.counts_lanes() {
                self.uses(Helper::AddBit);
                self.uses(Helper::AddDigits);
                self.uses(Helper::LaneCount);
            }
        }
        let together = std::mem::take(&mut self.lines);
        let enter = match self.watched {
            true => watched::enter(self.layout, entry.threads),
            false => match self.threads.filled {
                Some(superblocks) => {
                    entry.superblocks = self.members.in_turn().then_some(superblocks);
                    let reversed = self.uses(Helper::Reversed);
                    threads::enter_whole_warps(self.layout, entry.threads, entry.superblocks, reversed)
                }
                None => threads::enter(self.layout, entry.threads, self.members, self.adding.is_some()),
            },
        };
        if self.quads {
            self.uses(Helper::Quad);
        }
        self.lines.extend(self.threads.place());
        time.into_iter().for_each(|line| self.line(line));
        let before = self.adding.iter().flat_map(Adding::before_superblock).collect::<Vec<_>>();
        self.lines.extend(before);
        let lanes_there = self.adding.as_ref().and_then(|adding| adding.lanes_of_words(self.taken(), self.shape.lanes));
        lanes_there.into_iter().for_each(|line| self.line(&line));
        let draws = !self.interface.random.is_empty() || self.interface.decides;
        if self.members.in_turn() {
            if draws {
                self.line("const u64 member_seed = world.seeds[member];");
            }
            if !self.params.is_empty() {
                self.line("const u64 *member_params = world.params + (u64)member * PARAMS;");
            }
        }
        // No pass changes them.
        for ((param, plane), (name, ty)) in std::mem::take(&mut self.params) {
            let line = format!("const {} {name} = {};", self.type_of(ty), self.parameter(param, plane, ty));
            self.line(&line);
        }
        if draws {
            let number = match self.threads.filled {
                Some(_) => "number".to_owned(),
                None => format!("{}(superblock)", self.uses(Helper::Reversed)),
            };
            let (whose, lane) = self.threads.first_lane();
            self.line(&format!("// The reversed number of the first cell of the {whose} in micro cell 0."));
            self.line(&format!("const u64 first_cell = LANES * {number} + {lane};"));
        }
        let mut arguments = Vec::new();
        let directions = std::mem::take(&mut self.directions);
        self.neighbours(&directions);
        let own = self.own_columns(entry, &mut arguments);
        self.line("");
        self.line("const u32 none = after_pass_before();");
        for (state, names) in self.states.iter().enumerate() {
            for (argument, name) in
                [(Argument::Old(state as u16), &names.old), (Argument::New(state as u16), &names.new)]
            {
                if entry.arguments.contains(&argument) {
                    self.lines.push(format!("{name} += none;"));
                }
            }
        }
        self.lines.extend(own);
        self.directions = directions;
        match self.inside.take() {
            Some((inside, values)) => {
                Speciality::SecondBody.reached();
                self.both(inside, values)
            }
            None => {
                self.loads(true);
                self.rule();
            }
        }
        let leave = match &self.adding {
            Some(adding) if self.members.as_lanes() => adding.leave_lanes(self.taken()),
            Some(adding) => adding.leave(self.members.in_turn()),
            None if self.watched => watched::leave(entry.threads),
            None => Vec::new(),
        };
        let blocks = if self.watched { 2 } else { usize::from(self.adding.is_some()) };
        let body = (0..blocks).fold(self.lines, |lines, _| lines.into_iter().map(indented).collect());
        Printed { arguments, together, enter, body, leave }
    }

    /// A body for where all neighbours exist, and one for everywhere else.
    fn both(&mut self, inside: &'a Kernel, values: Vec<String>) {
        let lines = std::mem::take(&mut self.lines);
        let inner = self.body_of(inside, values);
        self.loads(true);
        self.rule();
        let outer = std::mem::replace(&mut self.lines, lines);
        self.line("");
        self.line("// Where all neighbours of the warp's superblocks exist, in the lanes that see them, less has to be told apart.");
        let condition = self.condition();
        self.line(&format!("if (!__any_sync(0xffffffff, !({condition}))) {{"));
        self.lines.extend(inner.into_iter().map(indented));
        self.line("} else {");
        self.lines.extend(outer.into_iter().map(indented));
        self.line("}");
    }

    /// Loads all columns, and those across the border.
    pub(super) fn loads(&mut self, border: bool) {
        self.own_loads();
        let directions = std::mem::take(&mut self.directions);
        self.halo(&directions, border);
        self.directions = directions;
    }

    /// What is computed of them.
    pub(super) fn rule(&mut self) {
        self.line("");
        self.line("// the rule");
        (0..self.kernel.nodes.len()).for_each(|place| self.node(place));
    }

    pub(super) fn line(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    pub(super) fn uses(&mut self, helper: Helper) -> &'static str {
        self.used.helper(helper)
    }

    /// Words or values of one superblock of a state.
    pub(super) fn block(&self, state: usize) -> String {
        let words = self.words();
        match self.kernel.states[state].planes {
            Planes::Bits(1) => format!("MICRO_CELLS * {words}"),
            Planes::Bits(planes) => format!("{planes} * MICRO_CELLS * {words}"),
            Planes::Number(_) => "MICRO_CELLS * STRIDE".to_owned(),
        }
    }

    /// How many words of a column there are, or quads of them.
    pub(super) fn words(&self) -> &'static str {
        if self.quads { "QUADS" } else { "WORDS" }
    }

    /// Which of them a thread takes.
    pub(super) fn word(&self) -> &'static str {
        if self.quads { "quad" } else { "word" }
    }

    /// The type of a value.
    pub(super) fn type_of(&self, ty: LaneType) -> &'static str {
        if self.quads && ty == LaneType::Bits { "Quad" } else { c_type(ty, self.bitwise) }
    }

    /// The type of what a state's memory holds.
    pub(super) fn element(&self, state: usize) -> &'static str {
        match self.kernel.states[state].planes {
            Planes::Bits(_) if self.quads => "Quad",
            Planes::Bits(_) => "u32",
            Planes::Number(ty) => c_type(ty, false),
        }
    }

    /// Where a plane of a micro cell begins in a block.
    pub(super) fn offset(&self, state: usize, plane: u8, micro: u32) -> String {
        let planes = self.kernel.states[state].planes;
        let unit = if planes.ty() == LaneType::Bits { self.words() } else { "STRIDE" };
        format!("{} * {unit}", column_number(planes, plane, micro))
    }

    /// Pointers to the superblock's columns in the old and the new buffers.
    fn own_columns(&self, entry: &mut Entry, arguments: &mut Vec<String>) -> Vec<String> {
        let (superblock, mut lines) = (self.superblock(), Vec::new());
        for state in 0..self.kernel.states.len() {
            let own_is_read = self.interface.own.contains(&state);
            let is_read = own_is_read || self.interface.halo.iter().any(|halo| halo.state == state);
            let (element, block, bits) = (self.element(state), self.block(state), self.element_is_word(state));
            let StateNames { old, new, own, out } = &self.states[state];
            let at = |lane: &str| {
                if self.bitwise {
                    self.word().to_owned()
                } else if bits {
                    format!("{lane} / 32")
                } else {
                    lane.to_owned()
                }
            };
            let place = if entry.threads as usize == self.shape.lanes { "lane" } else { "place" };
            if is_read {
                // Not restricted: then it would be read by a path that waits for nobody.
                arguments.push(format!("const {element} *{old}"));
                entry.arguments.push(Argument::Old(state as u16));
            }
            if own_is_read {
                lines.push(format!("const {element} *{own} = {old} + (u64){superblock} * ({block}) + {};", at("lane")));
            }
            if !self.adds(state) && self.interface.writes.contains(&state) {
                arguments.push(format!("{element} *__restrict__ {new}"));
                entry.arguments.push(Argument::New(state as u16));
                let at = if bits { at(place) } else { at("lane") };
                lines.push(format!("{element} *{out} = {new} + (u64){superblock} * ({block}) + {at};"));
            }
        }
        if self.adding.is_some() {
            arguments.push("const Totals totals".to_owned());
        }
        if self.watched {
            arguments.push("const Watch watch".to_owned());
        }
        lines
    }

    /// The superblock's own columns, before anything is stored: nothing says that the buffers are apart.
    fn own_loads(&mut self) {
        for place in 0..self.kernel.nodes.len() {
            let node = &self.kernel.nodes[place];
            let Op::Load { direction: Direction::CENTRE, state, plane, micro } = node.op else { continue };
            if !self.repeats.needed[place] {
                continue;
            }
            let state = usize::from(state);
            let (own, offset) = (&self.states[state].own, self.offset(state, plane, micro));
            let shift = if !self.bitwise && self.element_is_word(state) { " >> (lane % 32) & 1" } else { "" };
            let ty = self.type_of(node.ty.unwrap_or(LaneType::Bits));
            let line = format!("const {ty} {} = {own}[{offset}]{shift};", self.values[place]);
            self.line(&line);
        }
    }

    pub(super) fn element_is_word(&self, state: usize) -> bool {
        matches!(self.kernel.states[state].planes, Planes::Bits(_))
    }

    /// Where the halo columns are.
    fn neighbours(&mut self, directions: &BTreeMap<usize, DirectionNames>) {
        if directions.is_empty() {
            return;
        }
        self.line("");
        self.line("// the neighbours");
        for (index, names) in directions {
            let ([x, y, z], there) = (names.direction.0, &names.neighbour);
            let superblock = if self.members.in_turn() { "member, superblock" } else { "superblock" };
            let line = match names.far {
                true => self.far_neighbour(there, names.direction.0),
                false if self.members.as_lanes() => {
                    format!("const u32 {there} = neighbour(world, superblock, {index});")
                }
                false => format!("const Neighbour {there} = neighbour(world, {superblock}, {index}, {x}, {y}, {z});"),
            };
            self.line(&line);
            if !self.bitwise && !self.members.as_lanes() {
                let helper = if names.far { "far_source_lane" } else { self.uses(Helper::SourceLane) };
                self.line(&format!("const u32 {} = {helper}(world, {there}, lane);", names.lane));
            }
        }
    }

    /// The neighbour in a direction that leads farther than beside the superblock.
    fn far_neighbour(&mut self, name: &str, direction: [i32; 3]) -> String {
        self.used.far.used = true;
        let superblock = if self.members.in_turn() { "member, superblock" } else { "superblock" };
        let Direction([x, y, z]) = within(self.layout, Direction(direction));
        format!("const FarNeighbour {name} = far_neighbour(world, {superblock}, {x}, {y}, {z});")
    }

    pub(super) fn superblock(&self) -> &'static str {
        threads::superblock(self.members.in_turn())
    }

    /// Whether what is stored in a state is added up instead.
    fn adds(&self, state: usize) -> bool {
        self.adding.as_ref().is_some_and(|adding| adding.takes(state))
    }

    /// What a thread takes.
    fn taken(&self) -> Taken {
        let there = match self.bitwise {
            true => (!self.shape.lanes.is_multiple_of(32)).then_some("lanes_there"),
            // Threads beyond the last lane do what it does.
            false => self.threads.whole_warps.then_some("place < LANES"),
        };
        Taken { bitwise: self.bitwise, there }
    }

    /// One node, if it is not there already.
    pub(super) fn node(&mut self, place: usize) {
        if !self.repeats.needed[place] {
            return;
        }
        if let Some(chain) = self.repeats.chains.remove(&place) {
            self.chain(place, &chain);
            return;
        }
        if let Some(tally) = self.repeats.counts.remove(&place) {
            self.count(place, &tally);
            return;
        }
        let node = &self.kernel.nodes[place];
        let expression = match &node.op {
            Op::Const(_) | Op::Load { .. } | Op::Param { .. } => return,
            Op::Digit { value, bit } if self.bitwise && matches!(self.kernel.node(*value).op, Op::Count(_)) => {
                format!("{}[{bit}]", self.value(*value))
            }
            Op::Store { state, plane, value, .. } if self.adds(usize::from(*state)) => {
                let (state, plane, value) = (usize::from(*state), *plane, *value);
                // Bits that are false everywhere add nothing.
                if let Some(adding) = &self.adding
                    && !matches!(self.kernel.node(value).op, Op::Const(Value::Bit(false)))
                {
                    let line = adding.add_up(self.taken(), state, plane, self.value(value));
                    self.line(&line);
                }
                return;
            }
            Op::Store { state, plane, micro, value } => {
                let line = self.store(usize::from(*state), *plane, *micro, *value);
                self.line(&line);
                return;
            }
            Op::RandomBit { .. } if self.together(place) => return,
            op => expression(self, op, node.ty.unwrap_or(LaneType::Bits)),
        };
        let ty = self.type_of(node.ty.unwrap_or(LaneType::Bits));
        let line = format!("const {ty} {} = {expression};", self.values[place]);
        self.line(&line);
    }

    fn store(&mut self, state: usize, plane: u8, micro: u32, value: ValueId) -> String {
        let (offset, value) = (self.offset(state, plane, micro), self.value(value).to_owned());
        let helper =
            if self.bitwise || !self.element_is_word(state) { None } else { Some(self.uses(Helper::StoreBits)) };
        let out = &self.states[state].out;
        if self.watched {
            return match helper {
                Some(helper) => format!(
                    "changed |= place < LANES && ({out}[{offset}] >> (place % 32) & 1) != (u32)({value}); {helper}({out} + {offset}, {value}, place);"
                ),
                None => format!("store_watched({out}[{offset}], {out}[{offset}], {value}, changed);"),
            };
        }
        match helper {
            Some(helper) => format!("{helper}({out} + {offset}, {value}, place);"),
            None if self.threads.idle => format!("if (place < WORDS) {{ {out}[{offset}] = {value}; }}"),
            None => format!("{out}[{offset}] = {value};"),
        }
    }
}

/// A line within braces.
fn indented(line: String) -> String {
    if line.is_empty() { line } else { format!("    {line}") }
}

/// Whether nearly all superblocks have all their neighbours. Elsewhere a second body is longer code that few take.
fn no_holes(layout: &Layout) -> bool {
    layout.middle().extent().iter().product::<u64>() == u64::from(layout.superblocks())
}
