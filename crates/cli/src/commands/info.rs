//! `info FRACTAL [--level R] [--rule RULE] [--periodic[=AXES]] [--edge STATE=VALUE]... [--ranks N] [--machine NAME|FILE] [--json]`

use super::input;
use crate::args::Info;
use crate::report::{CliError, print, remark, table};
use serde_json::{Value, json};
use squeeze::compiler::layout::rows::RowGrid;
use squeeze::compiler::layout::{Geometry, Storage, StoredAs};
use squeeze::compiler::oracle::Oracle;
use squeeze::compiler::plan::choices;
use squeeze::compiler::target::{Choice, Hardware, Machine};
use squeeze::compiler::{Program, Target};
use squeeze::engine::ranks::traffic::{RankTraffic, Traffic};
use squeeze::geometry::{FittedRule, hausdorff_dimension};
use squeeze::hardware::NamedHardware;
use squeeze::ir::{OrderedStep, Pattern, Step, StepSchedule};
use squeeze::memory;
use squeeze::numbers::{self, grouped, in_words, three_digits};
use squeeze::{Domain, Fractal, Rule, cpu, resolve};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// If the cells of a mask take longer, a note says so.
const LONG: Duration = Duration::from_secs(1);
/// If a mask has more places, a note says so before its cells are computed.
const LARGE: u64 = 1 << 25;

/// Shows a fractal's pattern and the sizes of its levels, or a mask or a box.
pub(crate) fn info(arguments: &Info) -> Result<(), CliError> {
    let plan = InfoPlan::of(arguments, memory::available())?;
    print(&match (arguments.json, plan.domain.levels()) {
        (true, Some(_)) => format!("{}\n", plan.levels_as_json()),
        (true, None) => format!("{}\n", plan.mask_as_json()),
        (false, Some(_)) => plan.levels_as_text(),
        (false, None) => plan.mask_as_text(),
    })
}

/// Consistent arguments, and the domain, rule and machine that they name.
struct InfoPlan {
    /// At the level that was asked for, or else the largest that fits in memory.
    domain: Domain,
    /// Whether that level was asked for.
    is_asked: bool,
    rule: Option<FittedRule>,
    bytes_per_cell: u64,
    machine: Option<NamedHardware>,
    /// The messages between ranks, if some are asked about.
    traffic: Option<Traffic>,
}

impl InfoPlan {
    /// Checks the arguments, and reads the files that they name. A level that is not given follows from the memory that is available.
    fn of(arguments: &Info, available: u64) -> Result<InfoPlan, CliError> {
        let start = Instant::now();
        let (inputs, named) = (&arguments.input.inputs, arguments.rule.as_deref());
        if let (false, None) = (inputs.is_empty(), named) {
            let message = "`--input` has no effect without `--rule`";
            return Err(CliError::input(message, "inputs are those of a rule"));
        }
        let (rule, edges) = input::with_inputs(named.unwrap_or_default(), false, inputs, &arguments.edges)?;
        let (fractal, texts) = resolve::domain_told(&arguments.fractal, &edges, |name, places| {
            if places > LARGE {
                remark(&format!("note: the cells of `{name}` are computed, of {} places", grouped(places)));
            }
        })?;
        if start.elapsed() > LONG {
            let (name, taken) = (&fractal.name, numbers::duration(start.elapsed().as_secs_f64()));
            remark(&format!("note: the cells of `{name}` were computed in {taken}, as they are for every run"));
        }
        input::tell(&texts.notes);
        let rule = match (rule, named) {
            (None, Some(named)) => Some(input::rule(named, false)?.0),
            (rule, _) => rule.map(|(rule, _)| rule),
        };
        let rule = rule.map(|rule| rule.in_dimension(fractal.dimension));
        let bytes_per_cell = rule.as_ref().map_or(1, |rule| rule.states.iter().map(|state| state.ty.bytes()).sum());
        let machine = arguments.planned.open()?;
        if let (Some(machine), None) = (&machine, &rule) {
            let message = format!("`--machine {}` has no effect without `--rule`", machine.name);
            return Err(CliError::input(message, "layouts are those of a rule"));
        }
        if arguments.level.is_some() {
            input::level(&fractal, arguments.level)?;
        }
        let fits = |side: u64, cells: u64| {
            // Two buffers; coordinates that a rule names are i32, and so are those that edges are told by.
            let are_named = |rule: &Arc<Rule>| rule.names_coordinates || !fractal.edges.is_empty();
            let admitted = rule.as_ref().is_none_or(|rule| !are_named(rule) || i32::try_from(side).is_ok());
            admitted && cells.checked_mul(2 * bytes_per_cell).is_some_and(|bytes| bytes <= available)
        };
        let level = arguments.level.unwrap_or_else(|| Domain::largest_level_where(&fractal, fits));
        let domain = Domain::new(fractal, level)?;
        let rule = rule.map(|rule| domain.fit(&rule)).transpose()?;
        let traffic = match (arguments.ranks, &rule) {
            (Some(ranks), Some(rule)) => Some(traffic(rule, machine.as_ref(), ranks)?),
            _ => None,
        };
        Ok(InfoPlan { domain, is_asked: arguments.level.is_some(), rule, bytes_per_cell, machine, traffic })
    }

    fn levels_as_json(&self) -> Value {
        let (fractal, bytes) = (self.domain.fractal(), self.bytes_per_cell);
        let levels = (0..=self.domain.level()).map(|level| level_as_json(&self.domain.between(0, level), bytes));
        let mut value = json!({
            "fractal": fractal.name,
            "rule": self.rule.as_ref().map(|rule| &rule.name),
            "dimension": fractal.dimension.axes(),
            "patterns": fractal.patterns.iter().map(|pattern| pattern_as_json(pattern)).collect::<Vec<_>>(),
            "hausdorff_dimension": hausdorff_dimension(fractal),
            "bytes_per_cell": bytes,
            "levels": levels.collect::<Vec<_>>(),
        });
        self.add_periodic(&mut value);
        if let Some(rule) = &self.rule {
            add_orders(&mut value, rule, self.machine.as_ref());
            add_bytes(&mut value, backends(rule, self.machine.as_ref()));
        }
        self.traffic.iter().for_each(|traffic| value["ranks"] = traffic_as_json(traffic, self.machine.as_ref()));
        value
    }

    fn levels_as_text(&self) -> String {
        let (mut text, bytes, level) = (self.head(), self.bytes_per_cell, self.domain.level());
        let what = self.rule.as_ref().map_or("1 byte per cell".to_owned(), |rule| {
            format!("{bytes} byte{} per cell for `{}`", if bytes == 1 { "" } else { "s" }, rule.name)
        });
        text.push_str(&format!("\nMemory of one buffer, {what}:\n\n"));
        let head = ["level", "side", "cells", "compact", "expanded", "reduction"].map(str::to_owned).to_vec();
        let rows = (0..=level).map(|level| row(&self.domain.between(0, level), bytes));
        let rows = std::iter::once(head).chain(rows);
        text.push_str(&table(&rows.collect::<Vec<_>>()));
        if !self.is_asked {
            text.push_str(&match memory::known() {
                Some(available) => format!(
                    "\nLevel {level} is the largest whose two buffers fit in the {} that are available here.\n",
                    numbers::bytes(available as f64)
                ),
                None => {
                    format!(
                        "\nLevel {level} is the largest there is. How much memory is available here is not known.\n"
                    )
                }
            });
        }
        if let Some(rule) = &self.rule {
            text.push_str(&plan(rule, self.machine.as_ref()));
            text.push_str(&format!("\nMemory taken at most at level {level}:\n\n"));
            let line =
                |(backend, bytes): (&str, Bytes)| vec![format!("{backend:>10}"), numbers::bytes(bytes.memory as f64)];
            text.push_str(&table(&backends(rule, self.machine.as_ref()).into_iter().map(line).collect::<Vec<_>>()));
        }
        text.extend(self.traffic.as_ref().map(|traffic| traffic_as_text(traffic, self.machine.as_ref())));
        text
    }

    fn mask_as_json(&self) -> Value {
        let (domain, [width, height, depth]) = (&self.domain, self.domain.extent());
        let places = domain.extent().iter().map(|side| u128::from(*side)).product::<u128>();
        let mut value = json!({
            "fractal": domain.fractal().name,
            "rule": self.rule.as_ref().map(|rule| &rule.name),
            "dimension": domain.dimension().axes(),
            "width": width,
            "height": height,
            "depth": depth,
            "cells": domain.cells(),
            "density": domain.cells() as f64 / places as f64,
            "bytes_per_cell": self.bytes_per_cell,
        });
        self.add_periodic(&mut value);
        if let Some(rows) = self.rule.as_ref().and_then(BackendMemory::of) {
            value["lanes"] = json!(rows.grid.shape.lanes);
            value["columns"] = json!(rows.grid.columns());
            add_bytes(&mut value, rows.backends());
            value["packed_bytes"] = json!(rows.packed.states);
        }
        if let Some(rule) = &self.rule {
            add_orders(&mut value, rule, self.machine.as_ref());
        }
        self.traffic.iter().for_each(|traffic| value["ranks"] = traffic_as_json(traffic, self.machine.as_ref()));
        value
    }

    fn mask_as_text(&self) -> String {
        let what =
            self.rule.as_ref().map_or("1 byte per cell".to_owned(), |rule| format!("the states of `{}`", rule.name));
        let known = self.rule.as_ref().and_then(|rule| Some((rule, BackendMemory::of(rule)?)));
        let alone = known.as_ref().and_then(|(_, rows)| rows.grid.rows_stored_alone());
        let cells = alone.map_or(self.domain.cells(), |rows| rows.len() as u64 * self.domain.extent()[0]);
        let bytes = numbers::bytes(cells as f64 * self.bytes_per_cell as f64);
        let text = format!("{}\nMemory of one buffer, {what}: {bytes}\n", self.head());
        let traffic = self.traffic.as_ref();
        let traffic = traffic.map_or(String::new(), |traffic| traffic_as_text(traffic, self.machine.as_ref()));
        match known {
            Some((rule, rows)) => format!("{text}{rows}{}{traffic}", plan(rule, self.machine.as_ref())),
            None => text + &traffic,
        }
    }

    /// The domain's headline, the axes along which it is periodic, and its documentation.
    fn head(&self) -> String {
        let mut text = format!("{}\n", headline(self.domain.fractal()));
        if self.domain.periodic().any() {
            text.push_str(&format!("Periodic along {}.\n", self.domain.periodic()));
        }
        text.extend(self.domain.fractal().doc.lines().map(|line| format!("{}\n", line.trim())));
        text
    }

    fn add_periodic(&self, value: &mut Value) {
        if self.domain.periodic().any() {
            value["periodic"] = json!(self.domain.periodic().to_string());
        }
    }
}

/// Memory of a rule's states on a mask or a box, in all buffers.
struct BackendMemory {
    /// Their columns.
    grid: Arc<RowGrid>,
    /// The form that the backend `cpu` stores them in.
    taken: StoredAs,
    /// If columns are stored, if the cells alone are, and if all places are, as the backend `reference` does.
    rows: Bytes,
    packed: Bytes,
    reference: Option<Bytes>,
}

impl BackendMemory {
    /// `None` if the tables do not fit in memory, or no plan of rows does.
    fn of(rule: &FittedRule) -> Option<BackendMemory> {
        let (domain, target) = (rule.domain(), Target::cpu(1).within(memory::available(), false));
        let fits = RowGrid::bytes(domain) <= target.room;
        let choice = fits.then(|| choices(domain, rule, &target).ok()).flatten()?.concat().pop()?;
        let Storage { geometry: Geometry::Rows(grid), memory: taken, .. } = &*choice.storage else { return None };
        let [rows, packed] = [StoredAs::Columns, StoredAs::Cells].map(|memory| {
            let choice = Choice::of_storage(Storage::rows(Arc::clone(grid), memory), true);
            Bytes::of(rule, &choice, choice.bytes(domain, rule, &target, false))
        });
        Some(BackendMemory {
            grid: Arc::clone(grid),
            taken: *taken,
            rows,
            packed,
            reference: Bytes::of_reference(rule),
        })
    }

    /// On the backend `cpu`, and on `reference`.
    fn backends(&self) -> Vec<(&'static str, Bytes)> {
        let cpu = if self.taken == StoredAs::Cells { self.packed } else { self.rows };
        std::iter::once(("cpu", cpu)).chain(self.reference.map(|bytes| ("reference", bytes))).collect()
    }
}

impl fmt::Display for BackendMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lanes, stored, all) = (self.grid.shape.lanes, self.grid.columns(), self.grid.all_columns());
        let columns =
            format!("\nA column is {lanes} places of a row: {} of {}", grouped(stored as u64), grouped(all as u64));
        match self.grid.rows_stored_alone() {
            Some(_) => writeln!(f, "{columns} are stored, those of the last rows.")?,
            None => {
                let share = 100.0 * self.grid.cells() as f64 / (stored * lanes) as f64;
                writeln!(f, "{columns} have cells and are stored, {share:.0}% of their places are cells.")?;
            }
        }
        let line = |name: &str, bytes: Bytes, taken: bool| {
            let name = format!("{name}{}", if taken { " (taken here)" } else { "" });
            vec![format!("{name:>36}"), numbers::bytes(bytes.memory as f64)]
        };
        let mut lines = vec![
            line("cpu, columns", self.rows, self.taken == StoredAs::Columns),
            line("cpu, the cells alone", self.packed, self.taken == StoredAs::Cells),
        ];
        lines.extend(self.reference.map(|bytes| line("reference", bytes, false)));
        let available = memory::known().map_or_else(
            || "how much is available is not known".to_owned(),
            |available| format!("of {} that are available", numbers::bytes(available as f64)),
        );
        write!(f, "\nMemory taken at most, {available}:\n\n{}", table(&lines))
    }
}

/// The targets of a CPU and of a GPU, one of which is the machine that was named.
fn targets(machine: Option<&NamedHardware>) -> [Target; 2] {
    let hardware = machine.map(|machine| &machine.hardware);
    [cpu::usual_target(hardware), Target::cuda().on(hardware.and_then(Hardware::gpu)).in_turns()]
}

/// The plan of the backend `cpu`, or for the machine that was named, and why.
fn plan(rule: &FittedRule, machine: Option<&NamedHardware>) -> String {
    let (domain, [of_cpu, of_gpu]) = (rule.domain(), targets(machine));
    let is_gpu = machine.is_some_and(|machine| matches!(machine.hardware, Hardware::Gpu(_)));
    let of_cpu = if domain.levels().is_none() { of_cpu.within(memory::available(), false) } else { of_cpu };
    let (backend, target) = if is_gpu { ("cuda", of_gpu) } else { ("cpu", of_cpu) };
    let name = machine.map_or("this CPU", |machine| &machine.name);
    if rule.is_ordered() {
        let lines: String = ordered_steps(rule, machine)
            .iter()
            .zip(on_gpu(rule, machine))
            .map(|((step, taken), on_gpu)| match taken {
                Some(taken) => format!("{step}; cpu: {taken}; cuda: {}\n", on_gpu.1),
                None => format!("{step}; cuda: {}\n", on_gpu.1),
            })
            .collect();
        return format!(
            "\nOrder of `{}`. D are the dependences, in coordinates of the order;\n\
             cells whose coordinates have the same sum with the weights Π need not wait for one another:\n\n{lines}",
            rule.name
        );
    }
    let plan = match Program::of(rule, &target) {
        Ok(program) => program.plan,
        Err(error) => return format!("\nThe backend `{backend}` has no layout: {error}\n"),
    };
    let (rule, rate) = (&rule.name, in_words(1e12 / plan.estimate.cost));
    match plan.grid() {
        None => format!(
            "\nLayout of `{rule}` at level {} on {name}, for about {rate} cells/s. A lane is one of the copies\n\
             that the top T levels make, all of which are computed side by side; L levels are unrolled\n\
             into micro cells, and a pass over memory computes t steps:\n\n{plan}",
            domain.level(),
        ),
        Some(_) => format!(
            "\nPlan of `{rule}` on {name}, for about {rate} cells/s: a guess, since the model was not fitted to rows.\n\
             A lane is a place of a row, and a pass over memory computes t steps:\n\n{plan}"
        ),
    }
}

/// The machines of ranks.
struct RankMachines {
    /// The target of each rank, and whether it is a GPU.
    of_rank: Target,
    is_gpu: bool,
    /// The machine of a process alone,
    alone: Machine,
    /// and how many of them there are.
    machines: u32,
}

impl RankMachines {
    /// A machine that was named for each of some ranks. If none was, they share this one, as far as it has a processor for each, or have one like this each.
    fn of(machine: Option<&NamedHardware>, ranks: u32) -> RankMachines {
        let [of_cpu, of_gpu] = targets(machine);
        let is_gpu = machine.is_some_and(|machine| matches!(machine.hardware, Hardware::Gpu(_)));
        let (threads, whole) = (of_cpu.machine.threads, if is_gpu { of_gpu } else { of_cpu });
        let alone = whole.machine;
        if is_gpu {
            return RankMachines { of_rank: whole, is_gpu, alone, machines: ranks };
        }
        let shares = machine.is_none() && f64::from(ranks) <= threads;
        let (sharing, threads) =
            if shares { (ranks, threads as usize / ranks as usize) } else { (1, threads as usize) };
        let share = Machine { threads: threads as f64, random_threads: threads as f64, ..alone }.shared_by(sharing);
        RankMachines { of_rank: whole.on(Some(share)), is_gpu, alone, machines: ranks / sharing }
    }
}

/// The messages between ranks one another, on the machine that was named or on CPUs.
///
/// # Errors
/// If the rule or the domain cannot be divided.
fn traffic(rule: &FittedRule, machine: Option<&NamedHardware>, ranks: u32) -> Result<Traffic, CliError> {
    Ok(Traffic::of(rule, &RankMachines::of(machine, ranks).of_rank, ranks).map_err(squeeze::Error::from)?)
}

/// The largest share of a rank's part that it sends in a pass.
fn largest_share(traffic: &Traffic) -> f64 {
    let share = |rank: &RankTraffic| rank.bytes as f64 / rank.state_bytes.max(1) as f64;
    traffic.ranks.iter().map(share).fold(0.0, f64::max)
}

fn traffic_as_text(traffic: &Traffic, machine: Option<&NamedHardware>) -> String {
    let count = traffic.ranks.len() as u32;
    let RankMachines { of_rank, is_gpu, alone, machines } = RankMachines::of(machine, count);
    let Traffic { program, steps_of_pass: steps, steps_of_thick, ranks } = traffic;
    let most = |of: fn(&RankTraffic) -> u64| ranks.iter().map(of).max().unwrap_or(0);
    let bytes = |bytes: u64| numbers::bytes(bytes as f64);
    let layout = program.plan.layout().map_or(String::new(), |layout| {
        let (lanes, micro) = (layout.lane_digits(), layout.micro_digits());
        format!(" (T = {lanes}, L = {micro}, {} superblocks)", grouped(u64::from(layout.superblocks())))
    });
    let (link, time) = (of_rank.machine.of_ranks(count).link(), traffic.pass_time(&of_rank.machine, &alone));
    let as_fast = match (machines, is_gpu) {
        (1, false) => "of the speed of one process with all processors".to_owned(),
        _ => format!("of what {machines} times as many as one would do"),
    };
    let expected = time.map_or(String::new(), |time| {
        format!(
            "A pass is expected to take {}, of which {} more than computing: {:.0}% {as_fast}.\n\
         Links: {} to begin, {} GB/s, {}.\n",
            numbers::duration(time.pass),
            numbers::duration(time.waits),
            100.0 * time.alone / (time.pass * f64::from(machines)),
            numbers::duration(link.start * 1e-9),
            three_digits(link.bandwidth),
            if link.is_measured { "measured" } else { "by data sheets" },
        )
    });
    let on_their_way = match is_gpu {
        true => format!("Memory for columns on their way, at most: {} a rank.\n", bytes(most(RankTraffic::link_bytes))),
        false => String::new(),
    };
    let slower = if *steps < *steps_of_thick {
        format!("Parts with more rows compute {steps_of_thick} steps in a pass: these are too thin.\n")
    } else {
        String::new()
    };
    format!(
        "\nOn {} ranks{layout}, in a pass of {steps} step{}: a rank sends at most {} messages to {} other ranks, {} in all,\n\
         {:.2}% of its part of one buffer; all ranks together send {}.\n{slower}{expected}{on_their_way}",
        grouped(ranks.len() as u64),
        if *steps == 1 { "" } else { "s" },
        most(|rank| rank.messages),
        most(|rank| rank.peers),
        bytes(most(|rank| rank.bytes)),
        100.0 * largest_share(traffic),
        bytes(ranks.iter().map(|rank| rank.bytes).sum()),
    )
}

fn traffic_as_json(traffic: &Traffic, machine: Option<&NamedHardware>) -> Value {
    let count = traffic.ranks.len() as u32;
    let RankMachines { of_rank, is_gpu, alone, machines } = RankMachines::of(machine, count);
    let ranks = traffic.ranks.iter().map(|rank| {
        let mut of_rank = json!({
            "peers": rank.peers, "messages": rank.messages, "bytes": rank.bytes, "state_bytes": rank.state_bytes,
        });
        if is_gpu {
            of_rank["link_bytes"] = json!(rank.link_bytes());
        }
        of_rank
    });
    let (link, time) = (of_rank.machine.of_ranks(count).link(), traffic.pass_time(&of_rank.machine, &alone));
    let layout = traffic.program.plan.layout().map(
        |layout| json!({"T": layout.lane_digits(), "L": layout.micro_digits(), "superblocks": layout.superblocks()}),
    );
    json!({
        "layout": layout,
        "machines": machines,
        "seconds_per_pass": time.as_ref().map(|time| time.pass),
        "seconds_waiting": time.as_ref().map(|time| time.waits),
        "seconds_alone": time.as_ref().map(|time| time.alone),
        "link": {"start_ns": link.start, "peer_ns": link.peer, "gb_per_s": link.bandwidth, "measured": link.is_measured},
        "steps_per_pass": traffic.steps_of_pass, "largest_share": largest_share(traffic), "sent": ranks.collect::<Vec<_>>(),
    })
}

/// Memory of a rule on a backend.
#[derive(Clone, Copy)]
struct Bytes {
    /// Bytes of all buffers of all states.
    states: u64,
    /// Bytes taken at most.
    memory: u64,
}

impl Bytes {
    fn of(rule: &FittedRule, choice: &Choice, memory: u64) -> Bytes {
        let states = choice.storage.bytes_of_buffers(&choice.state_memory(rule));
        Bytes { states: u64::try_from(states).unwrap_or(u64::MAX), memory }
    }

    fn of_reference(rule: &FittedRule) -> Option<Bytes> {
        let (fractal, level, rule) = (rule.domain().fractal(), rule.domain().level(), rule.written());
        let (states, memory) =
            (Oracle::bytes_of_states(fractal, level, rule)?, Oracle::bytes_needed(fractal, level, rule)?);
        Some(Bytes { states, memory })
    }
}

/// The memory of a rule on each backend that can run it.
fn backends(rule: &FittedRule, machine: Option<&NamedHardware>) -> Vec<(&'static str, Bytes)> {
    let bytes = |target: Target| {
        let plan = Program::of(rule, &target).ok()?.plan;
        Some(Bytes::of(rule, &plan, plan.bytes(rule, &target)))
    };
    let [cpu, cuda] = targets(machine).map(bytes);
    let all = [("cpu", cpu), ("cuda", cuda), ("reference", Bytes::of_reference(rule))];
    all.into_iter().filter_map(|(backend, bytes)| Some((backend, bytes?))).collect()
}

/// The ordered steps of a rule, and how the backend `cpu` takes the cells of each where it has room for them.
fn ordered_steps(rule: &FittedRule, machine: Option<&NamedHardware>) -> Vec<(OrderedStep, Option<StepSchedule>)> {
    let [target, _] = targets(machine);
    match Program::of(rule, &target.within(memory::available(), false)).and_then(|program| program.ordered_steps()) {
        Ok(steps) => steps.into_iter().map(|(step, taken)| (step, Some(taken))).collect(),
        Err(_) => rule.ordered_steps().into_iter().map(|step| (step, None)).collect(),
    }
}

/// How the backend `cuda` takes the cells of each ordered step, as a name and in words.
fn on_gpu(rule: &FittedRule, machine: Option<&NamedHardware>) -> Vec<(&'static str, String)> {
    let [_, target] = targets(machine);
    let program = Program::of(rule, &target);
    let of_step = |(number, _): (usize, &Step)| {
        let name = |taken: &StepSchedule| match taken {
            StepSchedule::AtOnce => "at_once",
            StepSchedule::InRows => "in_rows",
            StepSchedule::InStrips(..) => "in_waves",
            StepSchedule::Singly(_) => "in_fronts",
        };
        match program.as_ref().map(|program| &program.taken_by_gpu[number]) {
            Ok((taken, Some((waves, _)))) => (name(taken), waves.to_string()),
            Ok((taken, None)) => (name(taken), taken.on_gpu()),
            Err(error) => ("not", format!("not: {error}")),
        }
    };
    rule.steps.iter().enumerate().filter(|(_, step)| step.order.is_some()).map(of_step).collect()
}

/// Adds the steps whose cells take turns in an order, if there are any, to the output in JSON.
fn add_orders(value: &mut Value, rule: &FittedRule, machine: Option<&NamedHardware>) {
    if !rule.is_ordered() {
        return;
    }
    let of_step = |((step, taken), (name, words)): ((OrderedStep, Option<StepSchedule>), (&str, String))| {
        let mut known = json!({"step": step.name, "order": step.order.to_string(), "sequential": step.is_sequential});
        if let Some(found) = step.dependences {
            let offsets: Vec<&[i64]> = found.offsets.iter().map(|offset| &offset[..found.axes]).collect();
            known["dependences"] = json!(offsets);
            known["weights"] = json!(found.weights[..found.axes]);
            known["shear"] = json!(found.shear);
        }
        if let Some(taken) = taken {
            known["cpu"] = match taken {
                StepSchedule::AtOnce => json!({"taken": "at_once"}),
                StepSchedule::InStrips(_, None) => json!({"taken": "in_strips"}),
                StepSchedule::InStrips(_, Some(tile)) => {
                    json!({"taken": "in_strips", "lanes": tile.lines(), "rows": tile.rows})
                }
                StepSchedule::InRows => json!({"taken": "in_rows"}),
                StepSchedule::Singly(why) => json!({"taken": "singly", "reason": why}),
            };
        }
        known["cuda"] = json!({"taken": name, "words": words});
        known
    };
    let steps = ordered_steps(rule, machine).into_iter().zip(on_gpu(rule, machine));
    value["ordered_steps"] = steps.map(of_step).collect();
}

/// Adds them to the output in JSON.
fn add_bytes(value: &mut Value, backends: Vec<(&'static str, Bytes)>) {
    for (backend, Bytes { states, memory }) in backends {
        value["state_bytes"][backend] = json!(states);
        value["memory_bytes"][backend] = json!(memory);
    }
}

/// The most patterns of which the names are shown.
const MOST_SHOWN: usize = 8;

/// `sierpinski_triangle: k = 3 copies a level, s = 2 times as wide, 2-D, Hausdorff dimension 1.585`
pub(super) fn headline(fractal: &Arc<Fractal>) -> String {
    if let Some(extent) = fractal.extent {
        let sides: Vec<String> =
            extent[..fractal.dimension.axes()].iter().map(|side| grouped(u64::from(*side))).collect();
        let (cells, places) = (fractal.pattern(1).k(), extent.iter().map(|side| f64::from(*side)).product::<f64>());
        let share = 100.0 * cells as f64 / places;
        return format!(
            "{}: {} places, {} of them cells ({share:.1}%)",
            fractal.name,
            sides.join(" × "),
            grouped(cells)
        );
    }
    let mut patterns: Vec<String> = if fractal.is_mixed() {
        let same = |a: &Arc<Pattern>, b: &Arc<Pattern>| a == b;
        let text = |run: &[Arc<Pattern>]| {
            let times = if run.len() > 1 { format!(" × {}", run.len()) } else { String::new() };
            format!("{} (k = {}, s = {}){times}", run[0].name, run[0].k(), run[0].scale_text())
        };
        fractal.patterns.chunk_by(same).map(text).collect()
    } else {
        let (k, s) = (fractal.patterns[0].k(), fractal.patterns[0].scale_text());
        vec![format!("k = {k} copies a level, s = {s} times as wide")]
    };
    if patterns.len() > MOST_SHOWN {
        let more = patterns.len() - MOST_SHOWN;
        patterns.truncate(MOST_SHOWN);
        patterns.push(format!("and {more} more"));
    }
    let (axes, dimension) = (fractal.dimension.axes(), hausdorff_dimension(fractal));
    let dimension = dimension.map_or(String::new(), |dimension| format!(", Hausdorff dimension {dimension:.3}"));
    format!("{}: {}, {axes}-D{dimension}", fractal.name, patterns.join(", "))
}

fn row(domain: &Domain, bytes_per_cell: u64) -> Vec<String> {
    let sizes = domain.sizes(bytes_per_cell);
    let reduction = if sizes.reduction < 1e6 {
        if sizes.reduction < 1000.0 { three_digits(sizes.reduction) } else { grouped(sizes.reduction.round() as u64) }
    } else {
        format!("{:.2e}", sizes.reduction)
    };
    vec![
        domain.level().to_string(),
        input::sides(domain),
        grouped(domain.cells()),
        numbers::bytes(sizes.compact as f64),
        numbers::bytes(sizes.expanded_rounded),
        reduction,
    ]
}

/// The scale is a list where axes differ.
fn pattern_as_json(pattern: &Pattern) -> Value {
    let scale = pattern.uniform_scale().map_or(json!(pattern.scales()), |scale| json!(scale));
    json!({"name": pattern.name, "k": pattern.k(), "s": scale})
}

/// Sizes beyond 64 bits are rounded: JSON has no other numbers that every reader understands.
fn level_as_json(domain: &Domain, bytes_per_cell: u64) -> Value {
    let sizes = domain.sizes(bytes_per_cell);
    let exact = |bytes: Option<u128>, rounded: f64| match bytes.and_then(|bytes| u64::try_from(bytes).ok()) {
        Some(bytes) => json!(bytes),
        None => json!(rounded),
    };
    let mut value = json!({
        "level": domain.level(),
        "side": domain.side(),
        "cells": domain.cells(),
        "compact_bytes": exact(Some(sizes.compact), sizes.compact as f64),
        "expanded_bytes": exact(sizes.expanded, sizes.expanded_rounded),
        "reduction": sizes.reduction,
    });
    if domain.fractal().is_rectangular() {
        value["extent"] = json!(domain.extent()[..domain.dimension().axes()]);
    }
    value
}
