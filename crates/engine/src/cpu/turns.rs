//! Ordered steps: cells take their turns, one group after the other, in place.
//!
//! The kernels are those of any other step. For each group the units are computed in which its cells lie, into memory of the worker, and what becomes of these
//! cells, and of no others, is written where their old values stand. One thread does it.
//!
//! Where no cell of a row waits for another of it, whole rows take turns: their units are computed as those of any other step are.

use super::kernel::{Buffers, Globals, HostKernel, Tables, Units};
use super::rows::storage::RowUnits;
use super::worker::{Worker, share_out};
use crate::states::States;
use crate::states::buffer::{Scratch, Shared};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::SignedAxis;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::unit::{CellIndex, Lane, Micro, PackedIndex, Slot};
use squeeze_compiler::layout::{Geometry, Storage, StoredAs};
use std::sync::Arc;

/// Where a cell stands.
type PlaceInTurn = (Slot, Micro, Lane);

/// The cells of a fractal, a group after the other.
pub(super) struct Sequence(Vec<u64>);

/// Marks the last cell of a group.
const LAST: u64 = 1 << 63;

impl Sequence {
    /// In the order along these axes, the last one slowest.
    pub(super) fn new(domain: &Domain, axes: &[SignedAxis]) -> Sequence {
        let extent = domain.extent();
        let key = |c: u64| {
            let (place, mut key) = (domain.lambda(c), [0; 3]);
            for (to, signed) in key.iter_mut().zip(axes.iter().rev()) {
                let axis = usize::from(signed.axis);
                *to = if signed.backwards { extent[axis] - 1 - place[axis] } else { place[axis] };
            }
            key
        };
        let mut all: Vec<([u64; 3], u64)> = (0..domain.cells()).map(|c| (key(c), c)).collect();
        all.sort_unstable();
        let mark = |group: &[([u64; 3], u64)]| {
            let last = group.len() - 1;
            let marked = group.iter().enumerate().map(|(i, (_, c))| c | if i == last { LAST } else { 0 });
            marked.collect::<Vec<u64>>()
        };
        Sequence(all.chunk_by(|(one, _), (other, _)| one == other).flat_map(mark).collect())
    }

    /// Calls `visit` with the cells of one group after the other.
    fn for_each_group(&self, storage: &Storage, mut visit: impl FnMut(&[PlaceInTurn])) {
        let mut group = Vec::new();
        for marked in &self.0 {
            group.extend(storage.locate(CellIndex(marked & !LAST)));
            if marked & LAST != 0 {
                // Each unit is computed once.
                group.sort_unstable();
                visit(&group);
                group.clear();
            }
        }
    }
}

/// Visits places of a mask or a box: those that agree along these axes are a group, and groups are taken in the order along these axes, the last one slowest.
/// Of each group `collect` makes a list, place after place, of which `visit` is told. Along axes that are `left_out` the places are those at 0.
fn for_each_group<T>(
    (extent, axes, left_out): ([usize; 3], &[SignedAxis], &[usize]),
    collect: impl Fn([usize; 3], &mut Vec<T>),
    mut visit: impl FnMut(&[T]),
) {
    let named = axes.iter().rev().map(|signed| (usize::from(signed.axis), signed.backwards));
    let is_other = |axis: &usize| axes.iter().all(|signed| usize::from(signed.axis) != *axis);
    let others = || [2, 1, 0].into_iter().filter(is_other);
    let loops: Vec<(usize, bool)> = named.chain(others().map(|axis| (axis, false))).collect();
    let extent = [0, 1, 2].map(|axis| if left_out.contains(&axis) { 1 } else { extent[axis] });
    let places: usize = others().map(|axis| extent[axis]).product();
    let along = |number: usize| {
        let (axis, backwards) = loops[number];
        (0..extent[axis]).map(move |v| (axis, if backwards { extent[axis] - 1 - v } else { v }))
    };
    let (mut group, mut seen, mut place) = (Vec::new(), 0, [0; 3]);
    for (axis, v) in along(0) {
        place[axis] = v;
        for (axis, v) in along(1) {
            place[axis] = v;
            for (axis, v) in along(2) {
                place[axis] = v;
                collect(place, &mut group);
                seen += 1;
                if seen == places {
                    if !group.is_empty() {
                        visit(&group);
                    }
                    group.clear();
                    seen = 0;
                }
            }
        }
    }
}

/// Runs a kernel on rows that take turns: the axes, the last one slowest, are not x. What becomes of the rows of a group is written where their old values
/// stand when all of them are computed.
///
/// # Safety
/// The states are those of the kernel, in this storage, and hold columns.
pub(super) unsafe fn run_rows_in_turns(
    (kernel, units): (&HostKernel, &RowUnits),
    states: &mut States,
    globals: Globals<'_>,
    axes: &[SignedAxis],
) {
    let (grid, now) = (&units.grid, states.writable());
    let buffers = Buffers::new(now.iter().map(|state| state.0.cast_const()).collect(), Vec::new());
    let mut worker = Worker::new(kernel, units, globals);
    // The new columns of a group, of each state that changes.
    let mut new: Vec<Scratch> = Vec::new();
    let collect = |[_, y, z]: [usize; 3], group: &mut Vec<Slot>| {
        let row = z * grid.extent()[1] + y;
        let columns = grid.columns_of(row..row + 1);
        group.extend((columns.start.0..columns.end.0).map(Slot));
    };
    for_each_group((grid.extent(), axes, &[0]), collect, |group| {
        let bytes = |state: &usize| kernel.states[*state].block * group.len();
        if kernel.writes().iter().zip(&new).any(|(state, new)| new.as_slice().len() < bytes(state)) || new.is_empty() {
            new = kernel.writes().iter().map(|state| Scratch::new(bytes(state))).collect();
        }
        let places: Vec<Shared> = new.iter_mut().map(|new| Shared(new.as_mut_ptr())).collect();
        let compute = |worker: &mut Worker<'_, RowUnits>, number: usize| {
            let place = |state: usize| {
                let index = kernel.writes().iter().position(|of| *of == state).expect("it is written");
                places[index].at(number * kernel.states[state].block)
            };
            let unit = units.unit(kernel, group[number]);
            // SAFETY: nobody writes the states meanwhile, and each unit has a block of its own.
            unsafe {
                worker.run_into(&buffers, unit, place);
                worker.clear_holes(unit);
            }
        };
        let piece = units.piece(group.len());
        if group.len() <= piece {
            (0..group.len()).for_each(|number| compute(&mut worker, number));
        } else {
            let begin = || -> Box<dyn FnMut(usize) + '_> {
                let mut worker = Worker::new(kernel, units, globals);
                Box::new(move |first: usize| {
                    let numbers = first * piece..((first + 1) * piece).min(group.len());
                    numbers.for_each(|number| compute(&mut worker, number));
                })
            };
            share_out(group.len().div_ceil(piece), &begin);
        }
        for (&state, new) in kernel.writes().iter().zip(&new) {
            let block = kernel.states[state].block;
            for (slot, block) in group.iter().zip(new.as_slice().chunks_exact(block)) {
                // SAFETY: the unit's block lies in the state's memory, which is borrowed for writing, and no kernel runs.
                unsafe {
                    block.as_ptr().copy_to_nonoverlapping(now[state].at(slot.index() * block.len()), block.len())
                };
            }
        }
    });
}

/// Runs a kernel in the order along these axes; `sequence` has the cells of a fractal in it.
///
/// # Safety
/// The states are those of the kernel, in this storage.
pub(super) unsafe fn run_in_turns<U: Units>(
    (kernel, units): (&HostKernel, &U),
    states: &mut States,
    globals: Globals<'_>,
    (axes, sequence): (&[SignedAxis], Option<&Sequence>),
) {
    let storage = Arc::clone(states.storage());
    let lengths: Vec<usize> = states.fields().iter().map(|field| field.now.len()).collect();
    let now = states.writable();
    let buffers = Buffers::new(now.iter().map(|state| state.0.cast_const()).collect(), Vec::new());
    let mut worker = Worker::new(kernel, units, globals);
    let mut results = Vec::new();
    // The unit that was computed last, while no other has changed since.
    let mut last = None;
    let visit = |group: &[PlaceInTurn]| {
        let mut computed = None;
        for (slot, micro, lane) in group {
            if computed.replace(*slot) != Some(*slot) {
                let again = last.take() == Some(*slot) && !units.is_packed();
                // SAFETY: the buffers are those of all states of this storage; nobody else reads or writes them.
                unsafe { if again { worker.run_again(&buffers, *slot) } else { worker.run_terms(&buffers, *slot) } };
            }
            for &state in kernel.writes() {
                let columns = &kernel.states[state];
                let column = &worker.terms(state)[columns.column_at(Slot(0), *micro)];
                results.push(columns.bits(column, lane.0 as usize));
            }
        }
        last = computed.filter(|slot| group.first().is_some_and(|(first, ..)| first == slot));
        let mut new = results.drain(..);
        for (slot, micro, lane) in group {
            for (&state, bits) in kernel.writes().iter().zip(new.by_ref()) {
                let columns = &kernel.states[state];
                // SAFETY: the buffer is as long, it is borrowed for writing, and the kernel does not run.
                let memory = unsafe { std::slice::from_raw_parts_mut(now[state].0, lengths[state]) };
                match (&storage.geometry, storage.memory) {
                    (Geometry::Rows(grid), StoredAs::Cells) => {
                        columns.put_packed(memory, grid.cells(), packed(grid, *slot, *lane), bits);
                    }
                    (Geometry::Replicas(_) | Geometry::Rows(_), _) => {
                        columns.put(&mut memory[columns.column_at(*slot, *micro)], lane.0 as usize, bits);
                    }
                }
            }
        }
    };
    match (&storage.geometry, sequence) {
        (Geometry::Rows(grid), _) => {
            let collect = |place, group: &mut Vec<PlaceInTurn>| {
                group.extend(grid.at(place).map(|(slot, lane)| (slot, Micro(0), lane)));
            };
            for_each_group((grid.extent(), axes, &[]), collect, visit);
        }
        (Geometry::Replicas(_), Some(sequence)) => sequence.for_each_group(&storage, visit),
        (Geometry::Replicas(_), None) => unreachable!("a fractal's cells were sorted"),
    }
}

/// Where a cell stands among the cells alone.
fn packed(grid: &RowGrid, slot: Slot, lane: Lane) -> PackedIndex {
    let before = grid.lanes(slot).take_while(|of| *of < lane).count() as u64;
    grid.packed(CellIndex(grid.first_cell(slot).0 + before))
}

#[cfg(test)]
mod tests {
    use crate::cpu::Cpu;
    use crate::cpu::strips::StripKernel;
    use crate::packed::StateValues;
    use crate::reference::Reference;
    use crate::samples::library;
    use crate::{Engine, EngineOptions, MemberInputs, params};
    use squeeze_compiler::geometry::{Domain, FittedRule, with_flags};
    use squeeze_compiler::ir::{Fractal, Rule, StateId, StepSchedule, TileSize, Value};
    use squeeze_compiler::{Off, Speciality};
    use squeeze_testing::all_cases;
    use squeeze_testing::ordered::{Chance, OrderedProgram, given};
    use std::sync::Arc;

    const LIMIT: u64 = 1 << 30;

    const DOMAINS: &str = "
        domain sheet { size (70, 5) }
        domain row { size (40, 1) }
        domain column { size (1, 9) }
        domain torus { size (67, 6)  periodic }
        domain small { size (3, 5)  periodic }
        domain tube { size (33, 6)  periodic y }
        domain rock { size (66, 5)  cells (x * 3 + y * y) % 4 != 1 }
        domain islands { size (300, 6)  periodic x  cells (x * x + 3 * y) % 97 < 9 }
        domain tall { size (12, 75) }
        domain broad { size (70, 80)  periodic }
        domain belt { size (75, 64)  periodic x }
        domain cave { size (50, 70)  periodic y  cells (x * x + 5 * y) % 11 > 2 }
        domain stack { size (12, 540)  periodic y }
        domain plain { size (200, 44) }
        domain wall { size (40, 530) }
        domain field { size (210, 190) }
        domain shelf { size (300, 11)  periodic y  cells (x * x + 5 * y) % 7 > 1 }
        domain carpet { fractal sierpinski_carpet }
        domain triangle { fractal sierpinski_triangle  periodic }
        fractal line { dimension 1  scale 3  pattern { \"#.#\" } }
        domain dust { fractal line }
        domain block { size (34, 4, 3) }
        domain ring { size (5, 5, 6)  periodic }
        domain tetra { fractal tetrix }";

    /// The rule of a program with its input.
    fn with_input(rule: &Rule, domain: &Domain) -> Arc<Rule> {
        Arc::new(rule.with_input("a", (0..domain.extent()[0] as i64).map(|x| Value::I32(given(x)))))
    }

    /// Compares states of a program with those of the oracle, from values that are set as well. Says how often steps changed something, and whether some ran in
    /// strips; nothing if the program does not suit the domain.
    fn compare(program: &OrderedProgram, fractal: &Arc<Fractal>, number: usize, off: Off) -> Option<(usize, bool)> {
        let text = program.text();
        let rule = library("rule", &text).rules.remove(0);
        let reflects = number % 3 == 2 && !fractal.periodic.any();
        let flag = |state: usize| format!("{}={}", program.name(state), if reflects { "reflect" } else { "1" });
        let has_edges = reflects || number % 3 == 1 && !fractal.periodic.any();
        let states = 0..if has_edges { program.states.len() + 1 } else { 0 };
        let flags: Vec<String> = states.map(flag).collect();
        let fractal = with_flags(fractal, &flags).expect("they are states");
        let level = if fractal.extent.is_some() { 1 } else { 3 };
        let domain = Domain::new(fractal, level).expect("it is small");
        let fitted = match domain.fit(&with_input(&rule, &domain)) {
            Ok(fitted) => fitted,
            // An edge cannot be mirrored farther than the side, and neighbours may not meet beyond seams.
            Err(misfit) => {
                let known = has_edges || domain.fractal().name == "small" || misfit.to_string().contains("is rolling");
                assert!(known, "{misfit}\n{text}");
                return None;
            }
        };
        let own = params::resolve(&fitted, &[] as &[&str]).expect("none");
        let inputs = MemberInputs::new(&fitted, number as u64, &own);
        // The planned tiles, single cells, one tile that holds all, and two odd sizes.
        let tile = [None, Some([1, 1]), Some([u32::MAX; 2]), Some([17, 5]), Some([3, 40])][number / 8 % 5];
        let options = EngineOptions {
            limit: Some(LIMIT),
            tile,
            packed: number % 4 == 1,
            threads: Some(3),
            cells_worth_threads: Some(1),
            off,
            ..EngineOptions::default()
        };
        let mut wanted = Reference::new(&fitted, &inputs, LIMIT).expect("an oracle");
        let mut engine = Cpu::new(&fitted, &inputs, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut changed = 0;
        for round in 0..3 {
            for state in (0..=program.states.len() as u16).map(StateId) {
                let digests = [&engine as &dyn Engine, &wanted].map(|of| of.digest(0, state).expect("a digest"));
                assert_eq!(
                    digests[0],
                    digests[1],
                    "{} {flags:?} after {round}, {state:?}\n{text}",
                    domain.fractal().name
                );
                // Of values that are set, no copy remains elsewhere.
                let ty = fitted.state(state).ty;
                let mut bytes = vec![0; crate::packed::bytes(ty, domain.cells()) as usize];
                engine.read(0, state, 0..domain.cells(), &mut bytes).expect("values");
                let of_engine = bytes.clone();
                wanted.read(0, state, 0..domain.cells(), &mut bytes).expect("values");
                assert!(bytes == of_engine, "{} {flags:?} after {round}, {state:?}\n{text}", domain.fractal().name);
                if ty == squeeze_compiler::ir::Type::I32 {
                    bytes.iter_mut().step_by(5).for_each(|byte| *byte = byte.wrapping_add(3));
                }
                let values = StateValues::new(&fitted, state, 0..domain.cells(), &bytes).expect("values");
                engine.write(0, &values).expect("it keeps them");
                wanted.write(0, &values).expect("it keeps them");
            }
            let all: Vec<usize> = (0..fitted.reductions.len()).collect();
            let of = |engine: &dyn Engine| format!("{:?}", engine.reduce(&all).expect("reductions"));
            assert_eq!(of(&engine), of(&wanted), "{} {flags:?} after {round}\n{text}", domain.fractal().name);
            let before = wanted.digest(0, StateId(0)).expect("a digest");
            engine.run(1 + round).expect("steps");
            wanted.run(1 + round).expect("steps");
            changed += usize::from(wanted.digest(0, StateId(0)).expect("a digest") != before);
        }
        // Tiles are among the bytes that are told.
        let program = &engine.prepared.program;
        let without = program.target.clone().without(program.target.off().with(Speciality::Strips));
        let told = engine.prepared.needed() - program.plan.bytes(&program.rule, &without);
        let tiles = engine.prepared.strips.iter().flatten().map(StripKernel::bytes).max();
        assert!(tiles <= Some(told), "{tiles:?} bytes of a tile, {told} told\n{text}");
        Some((changed, tiles.is_some()))
    }

    /// With states in columns and packed.
    #[test]
    fn cells_take_the_turns_of_the_oracle() {
        let domains = library("domains", DOMAINS).fractals;
        let (mut chance, mut changed) = (Chance(7), 0);
        let off = Off::none().with(Speciality::RowsInTurn).with(Speciality::Strips);
        // Half of them by day.
        let most = if all_cases() { 190 } else { 95 };
        for number in 0..most {
            let fractal = &domains[number % domains.len()];
            let fields = number % 3 != 2 || fractal.periodic.any();
            let program = OrderedProgram::by_chance(&mut chance, fractal.dimension.axes(), fields);
            let off = if number % 7 == 0 { off } else { Off::none() };
            changed += compare(&program, fractal, number, off).map_or(0, |(changed, _)| changed);
        }
        assert!(changed > most * 4 / 3, "{changed} changes");
    }

    /// States whose last line alone is left, in strips and elsewhere.
    #[test]
    fn rolling_states_hold_the_last_line_of_the_oracle() {
        let domains = library("domains", DOMAINS).fractals;
        let (mut chance, mut changed, mut tried) = (Chance(5), 0, 0);
        for number in 0..220 {
            let fractal = &domains[number % domains.len()];
            let program = OrderedProgram::rolling_by_chance(&mut chance, fractal.dimension.axes());
            if let Some((changes, _)) = compare(&program, fractal, number, Off::none()) {
                changed += changes;
                tried += 1;
            }
        }
        assert!(changed > 150 && tried > 80, "{changed} changes in {tried}");
    }

    /// Programs with steps in strips.
    #[test]
    fn strips_hold_what_the_oracle_has() {
        let domains = library("domains", DOMAINS).fractals;
        let planes: Vec<_> =
            domains.iter().filter(|of| of.extent.is_some_and(|[x, y, z]| x > 8 && y > 4 && z == 1)).collect();
        let (mut chance, mut changed, mut in_strips) = (Chance(11), 0, 0);
        // A fifth of them by day.
        let wanted = if all_cases() { 100 } else { 20 };
        for number in (0..8000).filter(|number| number % 4 != 1) {
            let fractal = planes[chance.below(planes.len())];
            let program = OrderedProgram::by_chance(&mut chance, 2, number % 3 == 0 || fractal.periodic.any());
            let rule = library("rule", &program.text()).rules.remove(0);
            let domain = Domain::new(Arc::clone(fractal), 1).expect("it is small");
            let Ok(fitted) = domain.fit(&with_input(&rule, &domain)) else { continue };
            if !fitted.steps.iter().any(|step| matches!(fitted.taken(step), StepSchedule::InStrips(..))) {
                continue;
            }
            // Without loops along rows, each of these is a call.
            let off = if number % 5 == 0 { Off::none().with(Speciality::StripLoops) } else { Off::none() };
            let Some((changes, is_in_strips)) = compare(&program, fractal, number, off) else { continue };
            changed += changes;
            in_strips += usize::from(is_in_strips);
            if in_strips == wanted {
                break;
            }
        }
        assert!(changed > 2 * wanted && in_strips == wanted, "{changed} changes, {in_strips} in strips");
    }

    /// A rule with the inputs `a` along x and `b` along y on a plane.
    fn pair(rule: &str, sides: &str, mut number: impl FnMut() -> u8) -> FittedRule {
        let domain = library("pair", &format!("domain pair {{ size ({sides}) }}"));
        let domain = Domain::new(Arc::clone(&domain.fractals[0]), 1).expect("it is small");
        let mut given = |axis: usize| (0..domain.extent()[axis]).map(|_| Value::U8(number())).collect::<Vec<_>>();
        let rule = library("rule", rule).rules.remove(0).with_input("a", given(0)).with_input("b", given(1));
        domain.fit(&Arc::new(rule)).expect("they suit each other")
    }

    /// Engines of three threads, with loops along strips and without, that have what the oracle has after two steps: in these states and two reductions.
    fn runs_of_the_oracle(fitted: &FittedRule, states: &[u16], about: &str) -> [Cpu; 2] {
        let own = params::resolve(fitted, &[] as &[&str]).expect("none");
        let inputs = MemberInputs::new(fitted, 0, &own);
        let of = |engine: &mut dyn Engine| {
            engine.run(2).expect("steps");
            let digests: Vec<_> = states.iter().map(|state| engine.digest(0, StateId(*state)).expect("one")).collect();
            (digests, format!("{:?}", engine.reduce(&[0, 1]).expect("reductions")))
        };
        let wanted = of(&mut Reference::new(fitted, &inputs, LIMIT).expect("an oracle"));
        [Off::none(), Off::none().with(Speciality::StripLoops)].map(|off| {
            let options =
                EngineOptions { threads: Some(3), cells_worth_threads: Some(1), off, ..EngineOptions::default() };
            let mut engine = Cpu::new(fitted, &inputs, &options).expect("an engine");
            assert_eq!(of(&mut engine), wanted, "{about} on {:?}, {off:?}", fitted.domain().extent());
            engine
        })
    }

    /// Kernels of bits alone go along many lanes at once, and tell letters by planes of bits. Of rolling states few rows are stored.
    #[test]
    fn bits_along_strips_are_those_of_the_oracle() {
        let text = |kind: &str, order: &str, [across, along, both]: [&str; 3]| {
            format!(
                "rule letters {{ input a: u8 along x  input b: u8 along y  state p: bit {kind}  state q: bit {kind} \
                 step go from ({order}) {{ let same = a == b  let above = p[{across}] else false \
                 let left = q[{along}] else true  let far = p[{both}] else left \
                 next p = (same || above) && !(left && far)  next q = same ^ above ^ far }} \
                 observe ones = count(p)  observe third = count(q && x % 3 == 0) }}"
            )
        };
        // The last one has a shear of 2.
        let orders = [
            ("+x, +y", ["0, -1", "-1, 0", "-1, -1"]),
            ("-x, -y", ["0, 2", "1, 0", "2, 1"]),
            ("+x, -y", ["0, 1", "-1, 0", "-5, 2"]),
            ("+y, -x", ["1, 0", "0, -1", "3, -1"]),
            ("+x, +y", ["0, -1", "-1, 0", "1, -1"]),
        ];
        let cases = [("40, 2100", 4), ("520, 300", 2), ("1000, 40", 20), ("70, 1030", 1), ("9, 1500", 250)];
        let (mut at_once, mut in_rows) = (0, 0);
        for ((order, reads), kind) in orders.into_iter().flat_map(|order| [(order, ""), (order, "rolling")]) {
            for (sides, letters) in cases {
                let mut chance = Chance(letters as u64);
                let fitted = pair(&text(kind, order, reads), sides, || (7 * chance.below(letters) + 3) as u8);
                for engine in runs_of_the_oracle(&fitted, &[0, 1], &format!("{order} {kind} {letters}")) {
                    let program = &engine.prepared.program;
                    if let StepSchedule::InStrips(_, Some(tile)) =
                        program.taken(&program.rule.steps[0]).expect("it runs").0
                    {
                        at_once += usize::from(tile.groups > 0 && tile.group == TileSize::GROUP_OF_BITS);
                    }
                    let is_line = program.plan.grid().is_some_and(|grid| grid.rows_stored_alone().is_some());
                    in_rows += usize::from(is_line);
                    assert_eq!(is_line, kind == "rolling" && !order.ends_with('x'), "{order} {kind} {sides}");
                }
            }
        }
        let has_loops =
            squeeze_codegen::AvailableIsa::best().is_some_and(|isa| isa.isa() == squeeze_codegen::Isa::Avx512);
        // Eight planes of letters and seven rows of a state take too many registers.
        assert!(in_rows == 40 && (at_once == 38 || !has_loops), "{in_rows} of few rows, {at_once} of many lanes");
    }

    /// Strips leave their last lines in the same few rows, also those that read nothing of one another; where lines are lanes, all rows are stored.
    #[test]
    fn last_lines_of_numbers_are_those_of_the_oracle() {
        let reads = [
            "(p[-1, 0] else 0) + i32(a)",
            "max(p[-1, 0] else 0, p[-1, -1] else 0) + i32(a) - i32(b)",
            "(p[-1, 0] else 0) + 0 * (p[0, -1] else 0) + i32(a) * y",
            "(p[-1, 0] else 2) ^ (p[0, -1] else 0) * 3 + i32(a)",
            "(p[-2, 0] else 0) - (p[1, -2] else 1) + i32(b)",
        ];
        let mut in_rows = 0;
        for ((value, sides), turn) in
            reads.into_iter().flat_map(|of| ["300, 200", "33, 2100", "1, 700"].map(|sides| (of, sides))).zip(0..)
        {
            let text = format!(
                "rule r {{ input a: u8 along x  input b: u8 along y  state p: i32 rolling  \
                 step go from (+x, +y) {{ next p = {value} }} observe t = sum(p)  observe m = max(p) }}"
            );
            let mut chance = Chance(turn);
            let fitted = pair(&text, sides, || chance.below(251) as u8);
            for engine in runs_of_the_oracle(&fitted, &[0], value) {
                let program = &engine.prepared.program;
                in_rows += usize::from(program.plan.grid().is_some_and(|grid| grid.rows_stored_alone().is_some()));
            }
        }
        assert!(in_rows > 10, "{in_rows} of few rows");
    }

    /// Sums read places without cells without asking, which hold 0: beside the first and last lines, and before and behind each of them. Values that only
    /// move are left for the next row by several states.
    #[test]
    fn sums_beside_the_lines_of_strips_are_those_of_the_oracle() {
        let sums = "rule fill { state u: TYPE  init u = TYPE(x + 3 * y) \
             step relax from (+x, +y) { next u = min(TYPE(200), sum(von_neumann, nb.u)) / TYPE(3) } \
             step back from (-x, -y) { next u = u + sum([(1, 0), (0, 1)], nb.u) / TYPE(4) } }";
        let moves = "rule pass { state u: TYPE  state v: TYPE  init u = TYPE(x + 3 * y)  init v = TYPE(x % 90 + y % 70) \
             step go from (+x, +y) { next u = v[-1, 0] else TYPE(1)  next v = u[-2, 0] else TYPE(x % 7) } \
             step turn from (+x, +y) { next u = v  next v = u[-1, -1] else v } \
             step far from (+x, +y) { next u = v[1, 1] else u  next v = u[-3, -2] else v } }";
        for (text, ty) in [sums, moves].iter().flat_map(|text| ["f32", "f64", "i32", "u8"].map(|ty| (text, ty))) {
            let rule = library("rule", &text.replace("TYPE", ty)).rules.remove(0);
            for sides in ["300, 255", "257, 540", "140, 31", "300, 40"] {
                for periodic in ["", "periodic x", "periodic y", "periodic"] {
                    let text = format!("domain plane {{ size ({sides})  {periodic} }}");
                    let domain = Domain::new(Arc::clone(&library("plane", &text).fractals[0]), 1).expect("it is small");
                    let fitted = domain.fit(&rule).expect("they suit each other");
                    let own = params::resolve(&fitted, &[] as &[&str]).expect("none");
                    let inputs = MemberInputs::new(&fitted, 0, &own);
                    let mut wanted = Reference::new(&fitted, &inputs, LIMIT).expect("an oracle");
                    wanted.run(2).expect("steps");
                    for off in [Off::none(), Off::none().with(Speciality::StripLoops)] {
                        let options = EngineOptions { off, ..EngineOptions::default() };
                        let mut engine = Cpu::new(&fitted, &inputs, &options).expect("an engine");
                        assert!(engine.prepared.strips.iter().any(Option::is_some), "{ty}, {text}");
                        engine.run(2).expect("steps");
                        let digests =
                            [&engine as &dyn Engine, &wanted].map(|of| of.digest(0, StateId(0)).expect("a digest"));
                        assert_eq!(digests[0], digests[1], "{ty}, {text}, {off:?}");
                    }
                }
            }
        }
    }
}
