//! Ordered steps in [`Waves`]: a thread is at one place, in the one copy of the states, and keeps what it and the threads before it have just computed in
//! registers. `templates/waves.cu` goes through strips and tiles.

use super::{Finds, RowPrinter};
use crate::emit::cuda::helpers::Helper;
use crate::emit::cuda::text::{Entry, KernelArgument, function, render_section};
use crate::emit::cuda::words::{ALONE, c_type, moved};
use crate::ir::SignedAxis;
use crate::kernel::{Direction, LaneType, Load, Planes};
use crate::passes::{Ready, Statistics};
use crate::plan::{Relay, Waves};
use crate::target::Wavefront;
use minijinja::context;
use std::collections::{BTreeMap, BTreeSet};

/// Operations of a thread's lines up to which several columns are one text. Guess: not measured.
const MOST_UNROLLED: usize = 160;

/// The number by which the thread's cell draws.
pub(super) const NUMBER_IN_TURN: &str = "number_of(first_place + x % 32, (x + odd_row) & 1)";

/// The same, up to which a whole block of columns is one text.
const MOST_IN_BLOCK: usize = 100;

const WAVES: &str = include_str!("../../../../templates/waves.cu");
const RELAYS: &str = include_str!("../../../../templates/relays.cu");

/// A kernel of a step in waves.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct InWaves {
    waves: Waves,
    /// Of the planes that are kept, the name of the array, and that of the value to come.
    kept: BTreeMap<(u16, u8), [String; 2]>,
    /// Of inputs that are the same for all lines of a column, their value there.
    given: BTreeMap<u16, String>,
    /// Of states that wait in shared memory until they are written, its name.
    staged: BTreeMap<usize, String>,
    /// Of states that warps hand over, the name of the ring, and where the thread's line begins in it.
    rings: BTreeMap<usize, InRing>,
}

/// Where a state stands that warps hand over.
#[derive(Clone, PartialEq, Eq)]
struct InRing {
    /// The ring's name.
    name: String,
    /// The thread's line in it.
    line: String,
    /// How many last lines of a strip it has, if it has no others; else 0.
    last: u32,
}

impl InWaves {
    /// Whether there is a cell in a direction of a domain without holes, and where, if both are soon told.
    pub(super) fn beside(&self, Direction([x, y, _]): Direction) -> Option<[String; 2]> {
        let axis = |number: usize| [self.waves.strips.along, self.waves.strips.across][number].axis;
        let of = |number: usize| (axis(number), [x, y][usize::from(axis(number))]);
        let (along, across) = (of(0), of(1));
        if self.waves.wraps[1] && across.1 != 0 {
            return None;
        }
        let check = |(axis, offset): (u8, i32)| {
            let (at, side) = if axis == 0 { ("x", "WIDTH") } else { ("row", "HEIGHT") };
            format!("(u32)({}) < {side}", moved(&format!("(int){at}"), offset))
        };
        // Only a thread's first lines and its last ones can lie at an edge.
        let [line, _] = self.waves.columns_of(Direction([x, y, 0]));
        let there = match line {
            0 => "true".to_owned(),
            ..0 => format!("(r >= {0} || first + r >= {0})", -line),
            1.. => format!("(INSIDE && r + {line} < LINES || first + r + {line} < ACROSS)"),
        };
        let is_there = match (along.1, self.waves.wraps[0]) {
            (0, _) | (_, true) => there.clone(),
            _ => format!("(INSIDE || {}) && {there}", check(along)),
        };
        let distance = format!("({x}) + ({y}) * (long long)(COLUMNS_OF_ROW * LANES)");
        let place = format!("INSIDE && {there} ? (Place)(place + ({distance})) : ");
        Some([is_there, place])
    }

    /// The value that a cell sees, if it is one of this step.
    pub(super) fn seen(&self, load: Load) -> Option<String> {
        let [array, _] = self.kept.get(&(load.state, load.plane))?;
        let [line, column] = self.waves.seen(load.direction)?;
        // The thread's own line has not come to this column yet.
        let column = if line == 0 { column - 1 } else { column };
        Some(match line {
            0 => format!("{array}[ABOVE + r][{column}]"),
            _ => format!("{array}[ABOVE + r - {line}][{column}]"),
        })
    }

    /// The old value that a cell sees, where warps hand its state over.
    pub(super) fn handed(&self, load: Load) -> Option<String> {
        let InRing { name: ring, line, .. } = self.rings.get(&usize::from(load.state))?;
        let [lines, columns] = self.waves.columns_of(load.direction);
        Some(format!("{ring}[{}][{} & 63]", moved(line, lines), moved("c", columns)))
    }

    /// The name of the value to come.
    pub(super) fn next(&self, state: usize, plane: u8) -> Option<&str> {
        self.kept.get(&(state as u16, plane)).map(|[_, next]| next.as_str())
    }
}

/// The lines without declarations of values that no later line names.
fn without_unused(lines: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let is_named = |name: &str, kept: &[String]| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        kept.iter().any(|line| line.split(|c| !is_word(c)).any(|word| word == name))
    };
    for line in lines.into_iter().rev() {
        // Both coordinates of a row are declared at once.
        let parts = match line.split_once(", z = ") {
            Some((y, z)) if line.starts_with("const int y = ") => vec![format!("const int z = {z}"), format!("{y};")],
            _ => vec![line],
        };
        for part in parts {
            let declared = part.strip_prefix("const ").and_then(|rest| rest.split_once(" = "));
            let name = declared.and_then(|(names, _)| names.rsplit(' ').next());
            if name.is_none_or(|name| is_named(name, &kept)) {
                kept.push(part);
            }
        }
    }
    kept.reverse();
    kept
}

/// The functions of kernels in waves, beside those of rows.
pub(super) fn functions() -> String {
    [WAVES, RELAYS].map(|text| render_section(text, "Functions", context! {})).join("\n")
}

impl RowPrinter<'_> {
    /// A kernel in waves. It takes flags and the number of a diagonal of tiles behind the states.
    pub(super) fn print_waves(mut self, ready: &Ready, waves: &Waves, entry: &mut Entry) -> String {
        entry.threads = 32 * u64::from(waves.warps);
        let relay = waves.relay.as_deref();
        let (mut rings, mut rings_named, mut messages) = (Vec::new(), BTreeMap::new(), 0);
        for (state, ring) in relay.iter().flat_map(|relay| &relay.rings) {
            let of_state = &self.kernel.states[*state].name;
            let [name, coming, many] =
                ["ring", "next_of", "many_of"].map(|what| self.names.name(&format!("{what}_{of_state}")));
            let ([before, after], last) = (ring.around, ring.last);
            let (ty, old, loads, stores) = (self.element(*state), &self.states[*state].old, ring.loads, ring.stores);
            let lines = if last > 0 { last.to_string() } else { format!("STRIP + {}", before + after) };
            rings.push(
                context! { ty, old, loads, stores, before, after, last, lines, coming, many, name => name.clone() },
            );
            // Of rolling states the last lines alone are there.
            let line = match last {
                0 => format!("thread * LINES + r + {before}"),
                _ => format!("first + r + {last} - behind_strip"),
            };
            rings_named.insert(*state, InRing { name, line, last });
        }
        let (mut kept, mut planes_staged) = (BTreeMap::new(), BTreeMap::new());
        let mut planes = Vec::new();
        for (state, plane) in &waves.kept {
            let of = usize::from(*state);
            let name = &self.kernel.states[of].name;
            let name = if self.planes(of).unwrap_or(1) > 1 { format!("{name}_{plane}") } else { name.clone() };
            let [array, next, above, coming, before, first] = ["kept", "next", "above", "coming", "before", "first"]
                .map(|what| self.names.name(&format!("{what}_{name}")));
            let old = &self.states[of].old;
            let (ty, at) = match self.planes(of) {
                None => (self.element(of), format!("{old}[at]")),
                Some(planes) => (c_type(LaneType::Bits, false), format!("bit_of<{planes}, {plane}>({old}, at)")),
            };
            let lines = relay.and_then(|relay| relay.above.get(state)).copied().unwrap_or(0);
            let words = if let Planes::Number(ty) = self.kernel.states[of].planes {
                ty.scalar().bytes().div_ceil(4)
            } else {
                1
            };
            let number = messages;
            messages += lines * words as u32;
            let ring = rings_named.get(&of).map(|ring| ring.name.clone());
            let end_of_ring = relay.and_then(|relay| relay.rings.get(&of)).map(|ring| match ring.last {
                0 => format!("STRIP + {}", ring.around[0]),
                last => last.to_string(),
            });
            planes.push(context! {
                ty, at, kept => array.clone(), next => next.clone(), above, coming, before, first, lines, words, number, ring, end_of_ring
            });
            kept.insert((*state, *plane), [array, next]);
        }
        let mut staged = Vec::new();
        let is_staged = waves.stages && self.cells.grid.is_full() && waves.strips.along.axis == 0;
        let writes = self.interface.writes.clone();
        for state in writes {
            if !is_staged || self.planes(state).is_some() {
                continue;
            }
            let name = self.names.name(&format!("staged_{}", self.kernel.states[state].name));
            let (ty, old) = (self.element(state), self.states[state].old.clone());
            planes_staged.insert(state, name.clone());
            staged.push(context! { ty, old, staged => name });
        }
        // What is loaded while the strip goes on; the values of inputs are few.
        let loads = self.kernel.nodes.iter().filter_map(|node| node.op.load());
        let is_asked = |load: &Load| {
            let state = usize::from(load.state);
            let is_new = self.interface.writes.contains(&state) && waves.seen(load.direction).is_some();
            !is_new && self.planes(state).is_none() && !waves.inputs.contains_key(&load.state)
        };
        let asked: BTreeSet<u16> = loads.filter(is_asked).map(|load| load.state).collect();
        let asked: Vec<String> = asked.iter().map(|state| self.states[usize::from(*state)].old.clone()).collect();
        // Where the lines are not sheared, all of them have the same inputs in a column.
        let mut names_given = BTreeMap::new();
        let alone = self.cells.grid.rows_stored_alone().is_some();
        let (mut given, mut of_lines) = (Vec::new(), Vec::new());
        let is_along = |axis: u8| axis == waves.strips.along.axis && waves.strips.shear == 0;
        let is_given = |axis: u8| match relay {
            Some(_) => is_along(axis) || axis == waves.strips.across.axis,
            None => is_along(axis) && waves.warps == 1,
        };
        for (state, axis) in waves.inputs.iter().filter(|(_, axis)| self.cells.grid.is_full() && is_given(**axis)) {
            let of = usize::from(*state);
            if !self.interface.own.contains(&of) {
                continue;
            }
            let of_input = &self.kernel.states[of].name;
            let [name, look, coming, now] =
                ["given", "look", "coming", "now"].map(|what| self.names.name(&format!("{what}_{of_input}")));
            let (ty, old) = (self.element(of), self.states[of].old.clone());
            let at = if *axis == 0 { "along" } else { "(Place)(u32)along * (COLUMNS_OF_ROW * LANES)" };
            if !is_along(*axis) {
                names_given.insert(*state, format!("{name}[r]"));
                let at = if alone { "across" } else { "(Place)(u32)across * (COLUMNS_OF_ROW * LANES)" };
                of_lines.push(context! { ty, old, name, at });
                continue;
            }
            names_given.insert(*state, if relay.is_some() { now.clone() } else { format!("{name}[c & 127]") });
            given.push(context! { ty, old, name, look, coming, now, at });
        }
        self.cells.finds = Finds::InWaves(Box::new(InWaves {
            waves: waves.clone(),
            kept,
            staged: planes_staged,
            given: names_given,
            rings: rings_named,
        }));
        if entry.time {
            self.line("const u32 time = *world.clock + world.later;");
        }
        let before = std::mem::take(&mut self.lines);
        self.own();
        self.own_loads();
        self.neighbours();
        self.places();
        self.rule();
        let body = without_unused(std::mem::take(&mut self.lines));
        let [along, across] = [waves.strips.along, waves.strips.across];
        let axis = |signed: SignedAxis, number: usize, name: &str| {
            let coordinate =
                if signed.backwards { format!("{} - 1 - {name}", name.to_uppercase()) } else { name.to_owned() };
            context! {
                name => format!("{}{}", if signed.backwards { '-' } else { '+' }, ['x', 'y'][usize::from(signed.axis)]),
                side => waves.sides[number],
                wraps => waves.wraps[number].to_string(),
                coordinate,
            }
        };
        let (x, y) = if along.axis == 0 { ("along", "across") } else { ("across", "along") };
        let values = context! {
            along => axis(along, 0, "along"),
            across => axis(across, 1, "across"),
            x, y,
            shear => waves.strips.shear,
            lines => waves.lines,
            above => waves.above,
            back => waves.back,
            strips => waves.strips(),
            tile => waves.tile,
            tiles => waves.tiles(),
            waits => waves.waits,
            flags => waves.wavefront == Wavefront::Flags,
            barrier => waves.wavefront == Wavefront::Barrier,
            unroll => match (waves.lines as usize * self.kernel.nodes.len(), relay) {
                (..=MOST_IN_BLOCK, Some(relay)) => relay.columns,
                (..=MOST_UNROLLED, _) => 4,
                _ => 1,
            },
            of_lines,
            columns => relay.map(|relay| relay.columns),
            behind => relay.map(|relay| relay.behind),
            ahead => relay.map(|relay| relay.ahead),
            messages => relay.map(|relay| relay.messages),
            speakers => relay.map(|relay| relay.speakers),
            rolls => relay.is_some_and(Relay::keeps_last_lines),
            last_row => if alone { "" } else { "(Place)(u32)across * (COLUMNS_OF_ROW * LANES) + " },
            stores => relay.is_some_and(|relay| relay.rings.values().any(|ring| ring.stores && ring.last == 0)),
            rings,
            staged,
            given,
            asked,
            meets => waves.meets,
            below => waves.below,
            reach => waves.reach,
            kept => planes,
            before,
            body,
        };
        let (template, deep) = if relay.is_some() { (RELAYS, "    ") } else { (WAVES, "        ") };
        let column = render_section(WAVES, "Column", values.clone());
        let indented = |line: &str| match line.chars().next() {
            None | Some('#') => line.to_owned(),
            Some(_) => format!("{deep}{line}"),
        };
        let column: Vec<String> = column.lines().map(indented).collect();
        let body = render_section(template, "Kernel", context! { column, ..values });
        let mut parameters = Vec::new();
        for state in (0..self.kernel.states.len()).filter(|state| self.is_read(*state) || self.is_written(*state)) {
            let (element, old) = (self.element(state), &self.states[state].old);
            parameters.push(match self.is_written(state) {
                true => format!("{element} *{old}"),
                false => format!("const {element} *{ALONE} {old}"),
            });
            entry.arguments.push(KernelArgument::Old(state as u16));
        }
        parameters.extend(["u32 *flags", "const u32 wave", "const World world"].map(str::to_owned));
        let lines = if waves.lines == 1 { "a line".to_owned() } else { format!("{} lines", waves.lines) };
        let about = [format!("{}: a thread takes {lines}.", ready.name), Statistics::of(ready).to_string()];
        function(&about, true, &entry.name, parameters, &body)
    }

    /// How a value of a step in waves is stored, where the old one stands.
    pub(super) fn store_in_turn(&self, of: &InWaves, state: usize, plane: u8, value: &str) -> String {
        let old = &self.states[state].old;
        let store = match (self.planes(state), of.staged.get(&state)) {
            _ if of.rings.contains_key(&state) => {
                let InRing { name: ring, line, last } = &of.rings[&state];
                let store = format!("{ring}[{line}][c & 63] = {value};");
                match last {
                    0 => store,
                    _ => format!("if ((!INSIDE || r + {last} >= LINES) && (u32)({line}) < {last}) {{ {store} }}"),
                }
            }
            // The strip below looks at the last lines.
            (None, Some(staged)) => format!(
                "{staged}[thread * LINES + r][c & 63] = {value}; if (r >= LINES - ABOVE && thread == 31) {{ {old}[place] = {value}; }}"
            ),
            (None, None) => format!("{old}[place] = {value};"),
            (Some(planes), _) => format!("put_bit({old} + ({}), lane % 32, {value});", self.own_word(planes, plane)),
        };
        match of.next(state, plane) {
            None => store,
            Some(next) => format!("{store} {next} = {value};"),
        }
    }

    /// Whether there is a cell in a direction of a domain without holes, and where: [`InWaves::beside`].
    pub(super) fn beside_in_turn(&self, direction: Direction) -> Option<[String; 2]> {
        match &self.cells.finds {
            Finds::InWaves(waves) if self.cells.grid.is_full() => waves.beside(direction),
            _ => None,
        }
    }

    /// Where an input's value stands that is the same along other axes: in the first row, or in the first place of the row.
    pub(super) fn input_in_turn(&self, state: u16) -> Option<String> {
        let Finds::InWaves(of) = &self.cells.finds else { return None };
        let (axis, old) = (of.waves.inputs.get(&state)?, &self.states[usize::from(state)].old);
        match (of.given.get(&state), axis) {
            _ if !self.cells.grid.is_full() => None,
            (Some(given), _) => Some(given.clone()),
            (None, 0) => Some(format!("{old}[x]")),
            (None, _) if self.cells.grid.rows_stored_alone().is_some() => Some(format!("{old}[row]")),
            (None, _) => Some(format!("{old}[(Place)row * (COLUMNS_OF_ROW * LANES)]")),
        }
    }

    /// A random word of the thread's cell alone.
    pub(super) fn word_in_turn(&mut self, draw: u32) -> String {
        let word = self.used.helper(Helper::RandomWord);
        format!("{word}(world.seed, {NUMBER_IN_TURN}, time, {draw})")
    }
}
