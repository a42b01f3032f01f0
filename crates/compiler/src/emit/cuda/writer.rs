//! The body of one kernel: where its columns are, the halo, then node after node.

use super::border_only::BorderOnly;
use super::expression::{Corner, Nodes, RandomClass, expression};
use super::far::within;
use super::helpers::Helper;
use super::literal::literal;
use super::members::Members;
use super::names::Namer;
use super::operations::{self, Used, c_type};
use super::repeats::Repeats;
use super::setup::Setup;
use super::text::{Argument, Entry};
use super::threads::{self, THREADS};
use super::totals::{Adding, Lanes};
use super::watched;
use crate::ir::Axes;
use crate::ir::kernel::{Direction, Interface, Kernel, LaneType, Neighbours, Node, Op, Planes, ValueId};
use crate::ir::value::Value;
use crate::layout::Layout;
use crate::layout::columns::{Shape, column_number};
use crate::lower::totals::Total;
use crate::numerics::philox::PLANES;
use crate::passes::Ready;
use crate::plan::warps::{warps_of_superblocks, warps_share_planes};
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
    /// What may be executed in its stead where all neighbours exist.
    inside: Option<&'a Kernel>,
    interface: &'a Interface,
    pub(super) layout: &'a Layout,
    /// A thread takes words of bits, not a lane.
    pub(super) bitwise: bool,
    /// It takes four words, whose random bits are of one block.
    pub(super) quads: bool,
    /// All threads of a warp decide its random bits together: then these are the superblocks of a member with those that fill up its last warp.
    warps: Option<u32>,
    /// Whether the threads of a warp make random planes for all of it: then superblocks are taken in the order of their reversed numbers.
    shares_planes: bool,
    /// Some threads of a superblock have no word.
    idle_threads: bool,
    /// Some threads of a superblock have no lane, and do what the last one does.
    pub(super) has_places: bool,
    /// What is added up instead of stored.
    pub(super) adding: Option<Adding<'a>>,
    /// It computes the superblocks of a list, and tells what changed.
    pub(super) watched: bool,
    pub(super) members: Members,
    pub(super) shape: Shape,
    pub(super) used: &'a mut Used,
    /// What stands for each node: its name, or its literal.
    pub(super) values: Vec<String>,
    pub(super) states: Vec<StateNames>,
    /// Per direction that is looked into, in reading order, its names.
    pub(super) directions: BTreeMap<usize, DirectionNames>,
    /// What bits are away from the border.
    pub(super) border_only: BorderOnly,
    /// What one warp computes for the block.
    pub(super) setup: Setup,
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
    pub fn new(
        ready: &'a Ready,
        layout: &'a Layout,
        members: Members,
        totals: Option<&'a [Total]>,
        watched: bool,
        used: &'a mut Used,
    ) -> Self {
        let (kernel, bitwise) = (ready.kernel(), ready.interface().bitwise_lanes);
        let mut names = if watched { Namer::in_watched() } else { Namer::new() };
        let state_names = |names: &mut Namer, name: &str| StateNames {
            old: names.name(name),
            new: names.name(&format!("new_{name}")),
            own: names.name(&format!("own_{name}")),
            out: names.name(&format!("out_{name}")),
        };
        let states = kernel.states.iter().map(|state| state_names(&mut names, &state.name)).collect();
        let repeats = match kernel.neighbours {
            Neighbours::Far => Repeats::of(&kernel.nodes),
            Neighbours::None | Neighbours::Beside | Neighbours::Anywhere => Repeats::none(&kernel.nodes),
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
        let quads = takes_quads(ready, shape);
        // Loops say once what they compute of.
        let setup = if kernel.neighbours == Neighbours::Far { Setup::default() } else { Setup::of(kernel) };
        let cells = u64::from(layout.micro_cells());
        let together = u64::from(threads::superblocks_of_thread(layout, shape.words, true));
        let counted = members.as_lanes().then_some((cells, cells * together));
        let adding = totals.map(|totals| {
            Adding::new(totals, kernel.states.len(), counted.filter(|_| bitwise), &mut |stem| names.name(stem))
        });
        let warps = match members {
            Members::One | Members::InTurn { .. } if quads && totals.is_none() && !watched => {
                warps_of_superblocks(layout, shape.words / QUAD, members.in_turn())
            }
            _ => None,
        };
        let mut writer = Writer {
            kernel,
            inside: ready.inside().filter(|_| quads && no_holes(layout)),
            interface: ready.interface(),
            layout,
            bitwise,
            quads,
            warps,
            shares_planes: warps.is_some() && warps_share_planes(layout, shape.lanes),
            idle_threads: false,
            has_places: false,
            adding,
            watched,
            members,
            shape,
            used,
            values: Vec::new(),
            states,
            directions,
            setup,
            border_only: if quads { BorderOnly::of(kernel) } else { BorderOnly::default() },
            repeats,
            names,
            lines: Vec::new(),
        };
        writer.values = writer.names_of_values(kernel);
        writer
    }

    /// What stands for the nodes of a kernel.
    pub(super) fn names_of_values(&mut self, kernel: &Kernel) -> Vec<String> {
        let value = |node: &Node| match (&node.op, node.ty) {
            (Op::Const(value), Some(LaneType::Bits)) if self.quads => {
                if value.bits() == 1 { "Quad(0xffffffff)" } else { "Quad(0)" }.to_owned()
            }
            (Op::Const(value), ty) => constant(*value, ty, self.bitwise),
            (Op::Store { .. }, _) => String::new(),
            _ => self.names.name(&node.name),
        };
        kernel.nodes.iter().map(value).collect()
    }

    pub fn print(mut self, entry: &mut Entry) -> Printed {
        let kernel = self.kernel;
        let stores_bits = |state: &usize| matches!(kernel.states[*state].planes, Planes::Bits(_));
        // Warps of two superblocks read two runs of each column, and share lines of memory with others.
        let Shape { lanes, words, .. } = self.shape;
        let nearly_whole = lanes % 32 != 0 && 4 * lanes >= 3 * 32 * words;
        // Random words are made by whole warps.
        let draws = !self.interface.random.is_empty();
        let votes = self.interface.writes.iter().any(|state| stores_bits(state) && !self.adds(*state));
        let whole_warps = !self.bitwise && (nearly_whole || draws || votes);
        self.has_places = whole_warps;
        let sharing = if self.interface.decides && !self.quads && words > 2 { 4 } else { 1 };
        self.idle_threads = self.bitwise && words % sharing != 0;
        let threads = match (self.bitwise, whole_warps) {
            (true, _) if self.quads => words / QUAD,
            (true, _) => words.next_multiple_of(sharing),
            (false, true) => 32 * self.shape.words,
            (false, false) => self.shape.lanes,
        };
        entry.threads = threads as u64;
        if self.members.as_lanes() && self.adding.is_some() {
            entry.together = threads::superblocks_of_thread(self.layout, threads, self.bitwise);
        }
        let time = entry.time.then_some("const u32 time = *world.clock + world.later;");
        let shares = !self.setup.shared.is_empty();
        if shares {
            time.into_iter().for_each(|line| self.line(line));
            self.shared_thresholds(entry.threads);
        }
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
            false => match self.warps {
                Some(superblocks) => {
                    entry.superblocks = self.members.in_turn().then_some(superblocks);
                    let reversed = self.shares_planes.then(|| self.uses(Helper::Reversed));
                    threads::enter_whole_warps(self.layout, entry.threads, entry.superblocks, reversed)
                }
                None => threads::enter(self.layout, entry.threads, self.members, self.adding.is_some()),
            },
        };
        self.place(threads, whole_warps);
        if !shares {
            time.into_iter().for_each(|line| self.line(line));
        }
        let before = self.adding.iter().flat_map(Adding::before_superblock).collect::<Vec<_>>();
        self.lines.extend(before);
        let lanes_there = self.adding.as_ref().and_then(|adding| adding.lanes_of_words(self.lanes(), self.shape.lanes));
        lanes_there.into_iter().for_each(|line| self.line(&line));
        if self.members.in_turn() {
            if draws || self.interface.decides {
                self.line("const u64 member_seed = world.seeds[member];");
            }
            if kernel.nodes.iter().any(|node| matches!(node.op, Op::Param { .. })) {
                self.line("const u64 *member_params = world.params + (u64)member * PARAMS;");
            }
        }
        if draws || self.interface.decides {
            let number = match self.shares_planes {
                true => "number".to_owned(),
                false => format!("{}(superblock)", self.uses(Helper::Reversed)),
            };
            let (whose, word) = match (self.bitwise, self.idle_threads) {
                _ if self.quads => ("thread", "128 * quad"),
                (true, false) => ("word", "32 * word"),
                (true, true) => ("word", "32 * place"),
                (false, _) => ("warp", "place / 32 * 32"),
            };
            self.line(&format!("// The reversed number of the first cell of the {whose} in micro cell 0."));
            self.line(&format!("const u64 first_cell = LANES * {number} + {word};"));
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
        match self.inside.and_then(|inside| Some((inside, self.same_thresholds(inside)?))) {
            Some((inside, setup)) => self.both(inside, setup),
            None => {
                self.loads(true);
                self.rule();
            }
        }
        let leave = match &self.adding {
            Some(adding) if self.members.as_lanes() => adding.leave_lanes(self.lanes()),
            Some(adding) => adding.leave(self.members.in_turn()),
            None if self.watched => watched::leave(entry.threads),
            None => Vec::new(),
        };
        let blocks = if self.watched { 2 } else { usize::from(self.adding.is_some()) };
        let body = (0..blocks).fold(self.lines, |lines, _| lines.into_iter().map(indented).collect());
        Printed { arguments, together, enter, body, leave }
    }

    /// A body for where all neighbours exist, and one for everywhere else.
    fn both(&mut self, inside: &'a Kernel, setup: Setup) {
        let lines = std::mem::take(&mut self.lines);
        let inner = self.body_of(inside, setup);
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
        for place in 0..self.kernel.nodes.len() {
            if !self.setup.nowhere_else.contains(&place) {
                self.node(place);
            }
        }
    }

    /// Members of which a block may have threads, if a superblock takes so many.
    fn members_of_block(&self, threads: u64) -> u64 {
        let of_member = threads * u64::from(self.layout.superblocks());
        let most = u64::from(THREADS);
        if self.members.in_turn() { ((most - 1).div_ceil(of_member) + 1).min(most) } else { 1 }
    }

    /// Lets one warp compute the thresholds that are the same in all cells, or a thread for each member of the block.
    fn shared_thresholds(&mut self, threads: u64) {
        let Setup { shared, nodes, nowhere_else } = std::mem::take(&mut self.setup);
        if shared.is_empty() {
            return;
        }
        let threshold_of = self.uses(Helper::Threshold);
        let count = shared.len();
        let at = if self.members.in_turn() {
            let of_block = self.members_of_block(threads);
            self.line(
                "// The thresholds that are the same in all cells of a member: a thread computes them for the block.",
            );
            self.line(&format!("__shared__ Threshold thresholds[{}];", of_block as usize * count));
            let first = format!("world.first + blockIdx.x * {THREADS} / {threads}");
            self.line(&format!("const u32 first_member = ({first}) / SUPERBLOCKS;"));
            self.line(&format!(
                "if (threadIdx.x < {of_block} && first_member + threadIdx.x < world.superblocks / SUPERBLOCKS) {{"
            ));
            format!("{count} * threadIdx.x + ")
        } else {
            self.line("// The thresholds that are the same in all cells: one warp computes them for the block.");
            self.line(&format!("__shared__ Threshold thresholds[{count}];"));
            self.line("if (threadIdx.x < 32) {");
            String::new()
        };
        let before = self.lines.len();
        if self.members.in_turn() {
            self.line("const u64 *member_params = world.params + (u64)(first_member + threadIdx.x) * PARAMS;");
        }
        for &place in &nodes {
            self.node(place);
        }
        for (number, id) in shared.iter().enumerate() {
            let line = format!("thresholds[{at}{number}] = {threshold_of}({});", self.values[id.0 as usize]);
            self.line(&line);
        }
        self.lines[before..].iter_mut().for_each(|line| line.insert_str(0, "    "));
        self.line("}");
        self.line("__syncthreads();");
        self.setup = Setup { shared, nodes, nowhere_else };
    }

    /// The threshold of a probability.
    fn threshold(&mut self, probability: ValueId) -> String {
        let threshold_of = self.uses(Helper::Threshold);
        match self.setup.shared.iter().position(|id| *id == probability) {
            Some(number) if self.members.in_turn() => {
                format!("thresholds[{} * (member - first_member) + {number}]", self.setup.shared.len())
            }
            Some(number) => format!("thresholds[{number}]"),
            None => format!("{threshold_of}({})", self.value(probability)),
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    pub(super) fn uses(&mut self, helper: Helper) -> &'static str {
        self.used.helper(helper)
    }

    /// Which word or lane the thread takes.
    fn place(&mut self, threads: usize, whole_warps: bool) {
        if self.quads {
            self.uses(Helper::Quad);
            self.line(&format!("const u32 quad = {};", if threads == 1 { "0" } else { "(u32)(thread % QUADS)" }));
        } else if self.bitwise {
            if self.idle_threads {
                self.line("// Threads beyond the last word make random bits for others, and store nothing.");
                self.line(&format!("const u32 place = (u32)(thread % {threads});"));
                self.line("const u32 word = place < WORDS ? place : WORDS - 1;");
            } else if self.shape.words == 1 {
                self.line("const u32 word = 0;");
            } else {
                self.line("const u32 word = (u32)(thread % WORDS);");
            }
        } else if whole_warps {
            self.line("// Threads beyond the last lane do what it does.");
            self.line("const u32 place = (u32)(thread % (32 * WORDS));");
            self.line("const u32 lane = place < LANES ? place : LANES - 1;");
        } else {
            self.line("const u32 lane = (u32)(thread % LANES);");
        }
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

    fn lanes(&self) -> Lanes {
        let whole_words = self.shape.lanes.is_multiple_of(32);
        Lanes { bitwise: self.bitwise, whole_words, have_places: self.has_places }
    }

    pub(super) fn seed(&self) -> &'static str {
        if self.members.in_turn() { "member_seed" } else { "world.seed" }
    }

    /// One node, if it is not there already.
    fn node(&mut self, place: usize) {
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
            Op::Const(_) | Op::Load { .. } => return,
            Op::Digit { value, bit } if self.bitwise && matches!(self.kernel.node(*value).op, Op::Count(_)) => {
                format!("{}[{bit}]", self.value(*value))
            }
            Op::Store { state, plane, value, .. } if self.adds(usize::from(*state)) => {
                let (state, plane, value) = (usize::from(*state), *plane, *value);
                // Bits that are false everywhere add nothing.
                if let Some(adding) = &self.adding
                    && !matches!(self.kernel.node(value).op, Op::Const(Value::Bit(false)))
                {
                    let line = adding.add_up(self.lanes(), state, plane, self.value(value));
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

    /// The reversed number of the first cell of the word or warp in a micro cell.
    pub(super) fn first_cell(&self, micro: u32) -> String {
        let (low, columns) = (self.layout.low(), u64::from(self.layout.superblocks()));
        match self.layout.lanes() as u64 * columns * low.reversed(u64::from(micro)) {
            0 => "first_cell".to_owned(),
            cells => format!("first_cell + {cells}"),
        }
    }

    /// The blocks of random planes that this thread's cells lie in, from the first cell on.
    pub(super) fn blocks(&mut self, first: &str) -> String {
        let blocks = self.uses(if self.shares_planes { Helper::RandomQuadOfWarp } else { Helper::RandomQuad });
        format!("{blocks}({first})")
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
            None if self.idle_threads => format!("if (place < WORDS) {{ {out}[{offset}] = {value}; }}"),
            None => format!("{out}[{offset}] = {value};"),
        }
    }
}

impl Nodes for Writer<'_> {
    fn value(&self, id: ValueId) -> &str {
        &self.values[id.0 as usize]
    }

    fn ty(&self, id: ValueId) -> LaneType {
        self.kernel.node(id).ty.unwrap_or(LaneType::Bits)
    }

    fn bitwise(&self) -> bool {
        self.bitwise
    }

    fn uniform(&self, bits: &str) -> String {
        if self.quads { format!("{bits}.words[0]") } else { bits.to_owned() }
    }

    fn used(&mut self) -> &mut Used {
        self.used
    }

    fn presence(&mut self, direction: Direction) -> String {
        let index = self.interface.place(self.kernel.micro.dimension, direction).expect("verified: not the centre");
        let names = &self.directions[&index];
        if self.members.as_lanes() {
            // In all lanes or in none.
            let there = &names.neighbour;
            return match self.bitwise {
                true => format!("{there} == world.superblocks ? 0u : 0xffffffff"),
                false => format!("{there} != world.superblocks"),
            };
        }
        if self.bitwise && names.far {
            self.used.far.words += 1;
            format!("far_presence(world, {}, word)", names.neighbour)
        } else if self.bitwise {
            let there = names.neighbour.clone();
            if self.quads {
                return format!("{}(world, {there}, quad)", self.uses(Helper::QuadPresence));
            }
            format!("{}(world, {there}, word)", self.uses(Helper::Presence))
        } else {
            format!("{} != ABSENT", names.lane)
        }
    }

    fn corner(&mut self, of: Corner, axis: u8) -> String {
        match of {
            Corner::Lane if self.members.as_lanes() => "0".to_owned(),
            Corner::Lane => format!("world.lane_corners[{axis} * LANES + lane]"),
            Corner::Superblock => format!("world.superblock_corners[3 * (u64)superblock + {axis}]"),
        }
    }

    fn odd_corner(&mut self, axes: Axes) -> String {
        let superblocks: Vec<String> = (0..3u8)
            .filter(|axis| axes.0[usize::from(*axis)])
            .map(|axis| self.corner(Corner::Superblock, axis))
            .collect();
        if self.members.as_lanes() {
            return match self.bitwise {
                true => format!("0 - ((u32)({}) & 1)", superblocks.join(" + ")),
                false => format!("(({}) & 1) != 0", superblocks.join(" + ")),
            };
        }
        let layout = self.layout;
        let words = || layout.odd_lanes(axes);
        self.used.odd_lanes.entry(axes.set()).or_insert_with(words);
        let superblock = format!("({}) & 1", superblocks.join(" + "));
        let lanes = format!("odd_lanes_{}", axes.set());
        match self.bitwise {
            true if self.quads => format!("quad_at({lanes} + 4 * quad) ^ (0 - (u32)({superblock}))"),
            true => format!("{lanes}[word] ^ (0 - (u32)({superblock}))"),
            false => format!("({lanes}[lane / 32] >> (lane % 32) & 1) != (u32)({superblock})"),
        }
    }

    fn parameter(&mut self, param: u16, plane: u8, ty: LaneType) -> String {
        let bits = format!("{}[{param}]", if self.members.in_turn() { "member_params" } else { "world.params" });
        operations::parameter_of_lanes(&bits, plane, ty, self.bitwise)
    }

    fn level(&self) -> String {
        "world.level".to_owned()
    }

    fn side(&self) -> String {
        "world.side".to_owned()
    }

    fn time(&self) -> String {
        "time".to_owned()
    }

    fn random(&mut self, draw: u32, micro: u32) -> String {
        let (cells, seed) = (self.first_cell(micro), self.seed());
        let words = format!("{}({seed}, {cells}, time, {draw})", self.uses(Helper::RandomWords));
        // Threads beyond the last lane do what it does.
        if self.shape.lanes.is_multiple_of(32) { words } else { format!("__shfl_sync(0xffffffff, {words}, lane % 32)") }
    }

    fn random_bits(&mut self, draw: u32, micro: u32, classes: &[RandomClass]) -> String {
        let (cells, seed) = (self.first_cell(micro), self.seed());
        let text = |writer: &mut Self, class: &RandomClass| {
            let threshold = writer.threshold(class.probability);
            format!("{{{}, {threshold}}}", writer.value(class.lanes))
        };
        if !self.quads {
            let list: Vec<String> = classes.iter().map(|class| text(self, class)).collect();
            let random_bits = self.uses(Helper::RandomBits);
            return format!("{random_bits}<{}>({seed}, {cells}, time, {draw}, {{{}}})", classes.len(), list.join(", "));
        }
        let (rare, common): (Vec<&RandomClass>, Vec<&RandomClass>) =
            classes.iter().partition(|class| self.border_only.sets(class.lanes));
        let (most, all) = (common.len(), classes.len());
        let list: Vec<String> = common.into_iter().chain(rare).map(|class| text(self, class)).collect();
        let (random_bits, blocks) = (self.uses(Helper::QuadRandomBits), self.blocks(&cells));
        let together = match self.warps.is_some() && most <= FEW_CLASSES {
            true => PLANES_TOGETHER,
            false => PLANES,
        };
        format!("{random_bits}<{together}, {most}, {all}>({seed}, {blocks}, time, {draw}, {{{}}})", list.join(", "))
    }
}

/// A line within braces.
fn indented(line: String) -> String {
    if line.is_empty() { line } else { format!("    {line}") }
}

/// After so many planes few lanes of a warp are undecided, and they are decided one by one where that is simple: where there are few classes.
const PLANES_TOGETHER: u32 = 10;
const FEW_CLASSES: usize = 5;

/// The words of a quad.
const QUAD: usize = 4;

/// Whether nearly all superblocks have all their neighbours. Elsewhere a second body is longer code that few take.
fn no_holes(layout: &Layout) -> bool {
    layout.middle().extent().iter().product::<u64>() == u64::from(layout.superblocks())
}

/// Whether a thread takes four words of each column: a block of random numbers makes as many of a plane.
fn takes_quads(ready: &Ready, shape: Shape) -> bool {
    let (interface, beside) = (ready.interface(), ready.neighbours == Neighbours::Beside);
    interface.bitwise_lanes && interface.decides && beside && shape.words.is_multiple_of(QUAD)
}
