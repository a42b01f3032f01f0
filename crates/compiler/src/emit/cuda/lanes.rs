//! The body of one kernel: where its columns are, the halo, then node after node.

use super::abi::{LaneWorld, Term, declaration};
use super::far::within;
use super::helpers::Helper;
use super::job::{End, Job};
use super::names::Namer;
use super::operations::UsedFunctions;
use super::printer::{CellPlacement, Printer, StateNames, texts_of_nodes};
use super::repeats::Repeats;
use super::text::{Entry, Head, PrintedParts, function, render};
use super::threads::{self, ColumnThreads};
use super::totals::{Adding, totals_text};
use super::watched::{self, number_of_tiles};
use super::words;
use crate::kernel::{Direction, Kernel, LaneType, Load, Neighbours, Node, Op, Planes};
use crate::layout::Layout;
use crate::layout::columns::{Shape, column_number};
use crate::passes::{Ready, Statistics};
use crate::target::Members;
use crate::target::speciality::{Off, Speciality};
use crate::text::diagnostics::counted;
use minijinja::context;
use std::collections::BTreeMap;

const LANES: &str = include_str!("../../../templates/lanes.cu");

/// Programs with more draws call the functions for them.
const MOST_INLINED: usize = 128;

/// Prints kernels whose lanes are replicas, or members, each with `params` parameters and globals. If the domain is `cut` they compute a part of it.
pub(super) fn print(
    layout: &Layout,
    (members, params, cut): (Members, usize, bool),
    jobs: &[Job],
    head: &Head,
) -> PrintedParts {
    // The kernels of initial values, which load nothing, run once.
    let count_draws = |kernel: &Ready| {
        kernel.nodes.iter().filter(|node| matches!(node.op, Op::Random { .. } | Op::RandomBit { .. })).count()
    };
    let draws = |kernel: &Ready| kernel.interface().loads() && count_draws(kernel) > 0;
    let all_draws = jobs.iter().map(|job| count_draws(job.kernel)).sum::<usize>();
    let mut used = UsedFunctions {
        draws_once: !jobs.iter().any(|job| draws(job.kernel)),
        draws_often: all_draws > MOST_INLINED,
        flushed_sums: jobs.iter().any(|job| job.kernel.flush),
        reversed_levels: layout.middle_patterns().map(|pattern| pattern.k()).collect(),
        ..UsedFunctions::default()
    };
    let mut names = Namer::new();
    let mut program = PrintedParts::default();
    for Job { kernel, end, .. } in jobs {
        let mut entry = Entry::new(names.name(&head.name(&kernel.name)), kernel, end.totals().len());
        if matches!(end, End::Compare) {
            entry.tiles = number_of_tiles(u64::from(layout.superblocks()));
        }
        let (arguments, body) = LanePrinter::new(kernel, layout, (members, cut), *end, &mut used).print(&mut entry);
        let parameters = arguments.into_iter().chain(["const World world".to_owned()]);
        program.kernels.push(function(&about(kernel, &entry), true, &entry.name, parameters, &body));
        program.entries.push(entry);
    }
    if program.entries.iter().any(|entry| entry.adds_up) {
        program.functions.push(totals_text());
    }
    program.functions.extend(used.texts());
    if jobs.iter().any(|job| matches!(job.end, End::Compare)) {
        program.functions.extend([watched::store(), watched::list_of_superblocks(layout)]);
    }
    let (shape, far) = (members.shape(layout), used.far.text(layout, members.in_turn()));
    let directions = Direction::count(layout.dimension());
    program.world = LaneWorld::fields_for(members, !far.is_empty(), cut);
    let values = context! {
        lanes => shape.lanes,
        words => shape.words,
        stride => shape.stride,
        micro_cells => layout.micro_cells(),
        members => members.in_turn(),
        as_lanes => members.as_lanes(),
        superblocks => layout.superblocks(),
        params => if members.in_turn() { params } else { 0 },
        places => directions + 1,
        directions,
        term => Term::text().trim_end().to_owned(),
        world => declaration("World", 29, program.world.iter().copied()).trim_end().to_owned(),
        far,
    };
    program.skeleton = render(LANES, values).trim_end().to_owned();
    program
}

/// The comment above a kernel: its steps, its cells, its threads and its cost.
fn about(kernel: &Ready, entry: &Entry) -> Vec<String> {
    let cells = counted(kernel.micro.cells.len(), "micro cell");
    let steps = counted(kernel.steps, "step");
    let per_thread = if kernel.interface().bitwise_lanes { "one word of up to 32 lanes" } else { "one lane" };
    let statistics = Statistics::of(kernel);
    vec![
        format!(
            "{}: {steps} of {cells}; a thread takes {per_thread}, a superblock {}.",
            kernel.name,
            counted(entry.threads, "thread")
        ),
        format!("{statistics}"),
    ]
}

/// A kernel that is being printed for replica lanes, or for members as lanes.
pub(super) type LanePrinter<'a> = Printer<'a, CellsInLanes<'a>>;

/// Cells that stand in the lanes of columns, of which a superblock has some.
pub(super) struct CellsInLanes<'a> {
    pub layout: &'a Layout,
    pub threads: ColumnThreads,
    pub members: Members,
    /// The term before a superblock's number, where blocks do not begin with the first superblock.
    pub first_unit: &'static str,
    pub shape: Shape,
    /// Specialities to do without.
    pub off: Off,
    /// The body for superblocks with all neighbours, and the text of each of its nodes.
    inside: Option<(&'a Kernel, Vec<String>)>,
    /// The planes of parameters that kernels of bits read before all nodes, by their numbers: their names and types.
    params: BTreeMap<(u16, u8), (String, LaneType)>,
    /// Of each state the columns of the superblock: those that are read, and those that are written.
    pub columns: Vec<StateNames>,
    /// Per direction that is looked into, in reading order, its names.
    pub directions: BTreeMap<usize, DirectionNames>,
    /// The loops over neighbours.
    pub repeats: Repeats,
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

impl<'a> LanePrinter<'a> {
    pub(crate) fn new(
        ready: &'a Ready,
        layout: &'a Layout,
        (members, cut): (Members, bool),
        end: End<'a>,
        used: &'a mut UsedFunctions,
    ) -> Self {
        let compares = matches!(end, End::Compare);
        let (kernel, bitwise, off) = (ready.kernel(), ready.interface().bitwise_lanes, ready.off());
        let mut names = if compares { Namer::in_watched() } else { Namer::new() };
        let (mut states, mut columns) = (Vec::new(), Vec::new());
        for state in &kernel.states {
            let mut name = |before: &str| names.name(&format!("{before}{}", state.name));
            states.push(StateNames { old: name(""), new: name("new_") });
            columns.push(StateNames { old: name("own_"), new: name("out_") });
        }
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
            if let Some(Load { state, .. }) = node.op.load() {
                let of = &kernel.states[usize::from(state)].name;
                entry.columns.entry(state).or_insert_with(|| names.name(&format!("{direction}_{of}")));
                entry.loads.push(place);
            }
        }
        let shape = members.shape(layout);
        let cells = u64::from(layout.micro_cells());
        let together = u64::from(threads::superblocks_of_thread(layout, shape.words, true));
        let counted = members.as_lanes().then_some((cells, cells * together));
        let adding = Adding::of(end, kernel.states.len(), counted.filter(|_| bitwise), &mut names);
        let stores_bits = ready.interface().writes.iter().any(|state| {
            let added = adding.as_ref().is_some_and(|adding| adding.takes(*state));
            matches!(kernel.states[*state].planes, Planes::Bits(_)) && !added
        });
        let threads = threads::column_threads(ready, layout, (members, cut), stores_bits);
        let mut writer = LanePrinter {
            kernel,
            interface: ready.interface(),
            takes: threads.takes,
            compares,
            adding,
            used,
            values: Vec::new(),
            states,
            names,
            lines: Vec::new(),
            cells: CellsInLanes {
                layout,
                threads,
                members,
                first_unit: if cut { "world.first_unit + " } else { "" },
                shape,
                off,
                inside: None,
                params: BTreeMap::new(),
                columns,
                directions,
                repeats,
            },
        };
        writer.values = writer.names_of_values(kernel);
        // Where superblocks lack neighbours a second body is longer code that few take.
        let no_holes = || layout.middle_extent().iter().product::<u64>() == u64::from(layout.superblocks());
        let inside = ready.inside().filter(|_| writer.quads() && no_holes());
        writer.cells.inside = inside.map(|inside| (inside, writer.names_of_values(inside)));
        writer
    }

    /// The text of each node of a kernel.
    fn names_of_values(&mut self, kernel: &Kernel) -> Vec<String> {
        let bitwise = self.bitwise();
        let (names, params) = (&mut self.names, &mut self.cells.params);
        texts_of_nodes(kernel, self.takes, |node| match (&node.op, node.ty) {
            (Op::Param { param, plane }, Some(ty)) if bitwise => {
                params.entry((*param, *plane)).or_insert_with(|| (names.name(&node.name), ty)).0.clone()
            }
            _ => names.name(&node.name),
        })
    }

    /// The kernel's arguments before the world, and its body.
    pub(crate) fn print(mut self, entry: &mut Entry) -> (Vec<String>, String) {
        entry.threads = self.cells.threads.count as u64;
        if self.cells.members.as_lanes() && self.adding.is_some() {
            entry.together =
                threads::superblocks_of_thread(self.cells.layout, self.cells.threads.count, self.bitwise());
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
        let mut body = std::mem::take(&mut self.lines);
        body.extend(match self.compares {
            true => watched::enter(self.cells.layout, entry.threads),
            false => match self.cells.threads.filled {
                Some(superblocks) => {
                    entry.superblocks = self.cells.members.in_turn().then_some(superblocks);
                    entry.is_reversed = true;
                    let reversed = self.uses(Helper::Reversed);
                    threads::enter_whole_warps(self.cells.layout, entry.threads, entry.superblocks, reversed)
                }
                None => threads::enter(self.cells.layout, entry.threads, self.cells.members, self.adding.is_some()),
            },
        });
        if self.quads() {
            self.uses(Helper::Quad);
        }
        self.lines.extend(self.cells.threads.place());
        time.into_iter().for_each(|line| self.line(line));
        let before = self.adding.iter().flat_map(Adding::before_superblock).collect::<Vec<_>>();
        self.lines.extend(before);
        let lanes_there = self
            .adding
            .as_ref()
            .and_then(|adding| adding.lanes_of_words(CellsInLanes::taken(&self), self.cells.shape.lanes));
        lanes_there.into_iter().for_each(|line| self.line(&line));
        let draws = !self.interface.random.is_empty() || self.interface.decides;
        if self.cells.members.in_turn() {
            if draws {
                self.line("const u64 member_seed = world.seeds[member];");
            }
            if self.kernel.nodes.iter().any(|node| matches!(node.op, Op::Param { .. })) {
                self.line("const u64 *member_params = world.params + (u64)member * PARAMS;");
            }
        }
        // Thresholds come while the pass before ends, which changes none of them: read later, Ising on the triangle at 13 takes 1.6 times as long on an
        // H100. Thresholds of kernels of numbers, kept this long, cost registers: Gray-Scott at 8 loaded in two turns for it and took 1.4 times as long.
        for ((param, plane), (name, ty)) in std::mem::take(&mut self.cells.params) {
            let line = format!(
                "const {} {name} = {};",
                self.type_of(ty),
                CellsInLanes::parameter(&mut self, param, plane, ty)
            );
            self.line(&line);
        }
        if draws {
            let number = match self.cells.threads.filled {
                Some(_) => "number".to_owned(),
                None => format!("{}({}superblock)", self.uses(Helper::Reversed), self.cells.first_unit),
            };
            let (whose, lane) = self.cells.threads.first_lane();
            let as_lanes = self.cells.members.as_lanes();
            let first = if as_lanes { number } else { format!("LANES * {number} + {lane}") };
            self.line(&format!("// The reversed number of the first cell of the {whose} in micro cell 0."));
            self.line(&format!("const u64 first_cell = {first};"));
        }
        let directions = std::mem::take(&mut self.cells.directions);
        self.neighbours(&directions);
        self.line("");
        self.line("const u32 none = after_pass_before();");
        let mut arguments = self.arguments(entry);
        arguments.extend(self.adding.is_some().then(|| "const Totals totals".to_owned()));
        arguments.extend(self.compares.then(|| "const Watch watch".to_owned()));
        self.own_columns(entry.threads as usize == self.cells.shape.lanes);
        self.cells.directions = directions;
        match self.cells.inside.take() {
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
            Some(adding) if self.cells.members.as_lanes() => adding.leave_lanes(CellsInLanes::taken(&self)),
            Some(adding) => adding.leave(self.cells.members.in_turn()),
            None if self.compares => watched::leave(entry.threads),
            None => Vec::new(),
        };
        // As many blocks are open.
        let blocks = if self.compares { 2 } else { usize::from(self.adding.is_some()) };
        (0..blocks).for_each(|_| self.lines.iter_mut().for_each(indent));
        body.append(&mut self.lines);
        body.extend(leave);
        body.iter_mut().for_each(indent);
        (arguments, body.join("\n"))
    }

    /// A body for where all neighbours exist, and one for everywhere else.
    fn both(&mut self, inside: &'a Kernel, values: Vec<String>) {
        let lines = std::mem::take(&mut self.lines);
        let mut inner = self.body_of(inside, values);
        self.loads(true);
        self.rule();
        let mut outer = std::mem::replace(&mut self.lines, lines);
        inner.iter_mut().chain(&mut outer).for_each(indent);
        self.line("");
        self.line("// Where all neighbours of the warp's superblocks exist, in the lanes that see them, less has to be told apart.");
        let condition = self.condition();
        self.line(&format!("if (!{}) {{", words::any(&format!("!({condition})"))));
        self.lines.extend(inner);
        self.line("} else {");
        self.lines.extend(outer);
        self.line("}");
    }

    /// Loads all columns, and those across the border.
    pub(super) fn loads(&mut self, border: bool) {
        self.own_loads();
        let directions = std::mem::take(&mut self.cells.directions);
        self.halo(&directions, border);
        self.cells.directions = directions;
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
        if self.quads() { "QUADS" } else { "WORDS" }
    }

    /// Which of them a thread takes.
    pub(super) fn word(&self) -> &'static str {
        if self.quads() { "quad" } else { "word" }
    }

    /// Where a plane of a micro cell begins in a block.
    pub(super) fn offset(&self, state: usize, plane: u8, micro: u32) -> String {
        let planes = self.kernel.states[state].planes;
        let unit = if planes.ty() == LaneType::Bits { self.words() } else { "STRIDE" };
        format!("{} * {unit}", column_number(planes, plane, micro))
    }

    /// Pointers to the superblock's columns in the old and the new buffers, of threads that are as many as lanes or not.
    fn own_columns(&mut self, as_lanes: bool) {
        let superblock = self.cells.members.names().superblock;
        for state in 0..self.kernel.states.len() {
            let (element, block, bits) = (self.element(state), self.block(state), self.element_is_word(state));
            let at = |lane: &str| match (self.bitwise(), bits) {
                (true, _) => self.word().to_owned(),
                (false, true) => format!("{lane} / 32"),
                (false, false) => lane.to_owned(),
            };
            let (StateNames { old, new }, StateNames { old: own, new: out }) =
                (&self.states[state], &self.cells.columns[state]);
            let mut lines = Vec::new();
            if self.interface.own.contains(&state) {
                lines.push(format!("const {element} *{own} = {old} + (u64){superblock} * ({block}) + {};", at("lane")));
            }
            if self.is_written(state) {
                let place = at(if as_lanes || !bits { "lane" } else { "place" });
                lines.push(format!("{element} *{out} = {new} + (u64){superblock} * ({block}) + {place};"));
            }
            self.lines.extend(lines);
        }
    }

    /// The superblock's own columns, before anything is stored: nothing says that the buffers are apart.
    fn own_loads(&mut self) {
        for place in 0..self.kernel.nodes.len() {
            let node = &self.kernel.nodes[place];
            let Some(Load { direction: Direction::CENTRE, state, plane, micro }) = node.op.load() else { continue };
            if !self.cells.repeats.needed[place] {
                continue;
            }
            let state = usize::from(state);
            let (own, offset) = (&self.cells.columns[state].old, self.offset(state, plane, micro));
            let shift = if !self.bitwise() && self.element_is_word(state) { " >> (lane % 32) & 1" } else { "" };
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
            let own = self.cells.members.names().place;
            let line = match names.far {
                true => self.far_neighbour(there, names.direction.0),
                false if self.cells.members.as_lanes() => {
                    format!("const u32 {there} = neighbour(world, superblock, {index});")
                }
                false => format!("const Neighbour {there} = neighbour(world, {own}, {index}, {x}, {y}, {z});"),
            };
            self.line(&line);
            if !self.bitwise() && !self.cells.members.as_lanes() {
                let helper = if names.far { "far_source_lane" } else { self.uses(Helper::SourceLane) };
                self.line(&format!("const u32 {} = {helper}(world, {there}, lane);", names.lane));
            }
        }
    }

    /// The neighbour in a direction that leads farther than beside the superblock.
    fn far_neighbour(&mut self, name: &str, direction: [i32; 3]) -> String {
        self.used.far.used = true;
        let own = self.cells.members.names().place;
        let Direction([x, y, z]) = within(self.cells.layout, Direction(direction));
        format!("const FarNeighbour {name} = far_neighbour(world, {own}, {x}, {y}, {z});")
    }
}

/// Moves a line into braces.
fn indent(line: &mut String) {
    if !line.is_empty() {
        line.insert_str(0, "    ");
    }
}
