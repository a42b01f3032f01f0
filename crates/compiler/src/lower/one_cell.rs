//! Kernels of one cell against the oracle: every cell, bit for bit.

use super::lower_cell;
use crate::check::{Library, NoFiles, check};
use crate::geometry::Domain;
use crate::ir::{Dimension, Fractal, Rule, StateId, Value};
use crate::kernel::evaluate::evaluate;
use crate::kernel::{Direction, Kernel, LaneType, Load, Neighbours, Op, arithmetic, logic, parse};
use crate::numbers::{philox, scalar};
use crate::oracle::Oracle;
use crate::oracle::interpret::probability;
use crate::passes::Ready;
use crate::pipeline::compile_cell;
use crate::samples;
use crate::shipped;
use crate::text::source::Sources;
use squeeze_testing::{ProgramKind, choices, program};
use std::sync::Arc;

/// Everything about a run of kernels of one cell that is not in the fields.
#[derive(Clone, Debug)]
struct CellInputs<'a> {
    /// The fractal at its level.
    domain: &'a Domain,
    /// The parameters' values.
    params: &'a [Value],
    /// The time that the run computes.
    time: u32,
    /// The seed.
    seed: u64,
}

/// Runs a kernel of one cell ([`Neighbours::Anywhere`](crate::kernel::Neighbours::Anywhere)) on every cell: as
/// [`run`](crate::oracle::interpret::run), but each neighbour is looked for at its coordinates in the expanded grid.
///
/// # Panics
/// If the kernel is not verified, or does not suit the domain, or lists are too short.
fn run_cells(kernel: &Kernel, inputs: &CellInputs<'_>, old: &[Vec<u64>], new: &mut [Vec<u64>]) {
    let CellInputs { domain, params, time, seed } = inputs;
    for cell in 0..domain.cells() {
        let place = domain.lambda(cell);
        let neighbour = |direction: Direction| domain.neighbour(place, direction.0);
        let mut values: Vec<Value> = Vec::with_capacity(kernel.nodes.len());
        for node in &kernel.nodes {
            // Stores have no value, and the one in its place is never read.
            let ty = node.ty.unwrap_or(LaneType::Bits);
            values.push(match &node.op {
                Op::Load(Load { state, direction, .. }) => match neighbour(*direction) {
                    Some(there) => Value::from_bits(ty.scalar(), old[usize::from(*state)][there as usize]),
                    None => Value::zero(ty.scalar()),
                },
                Op::Presence(direction) => Value::Bit(neighbour(*direction).is_some()),
                Op::LaneCorner(_) => Value::I32(0),
                Op::SuperblockCorner(axis) => Value::I32(place[usize::from(*axis)] as i32),
                Op::OddCorner(axes) => Value::Bit(axes.is_odd(place)),
                Op::Param { param, .. } => Value::from_bits(ty.scalar(), params[usize::from(*param)].bits()),
                Op::Level => Value::I32(domain.level() as i32),
                Op::Side => Value::I32(domain.side() as i32),
                Op::Time { ahead } => Value::U32(time.wrapping_add(*ahead)),
                Op::Random { draw, .. } => Value::U32(philox::draw(*seed, domain.draw_number(cell), *time, *draw)),
                Op::RandomBit { draw, classes, probabilities, .. } => {
                    let p = probability(classes, probabilities, &|id| values[id.0 as usize]);
                    Value::Bit(p.is_some_and(|p| philox::is_below(*seed, domain.draw_number(cell), *time, *draw, p)))
                }
                Op::Store { state, value, .. } => {
                    new[usize::from(*state)][cell as usize] = values[value.0 as usize].bits();
                    Value::Bit(false)
                }
                op @ (Op::Const(_) | logic!() | arithmetic!()) => {
                    let computed = evaluate(kernel.flush, ty, op, &mut |id| Some(values[id.0 as usize]));
                    computed.unwrap_or_else(|| {
                        let Op::Chance { word, probability } = op else { unreachable!("all operands are known") };
                        let ((draw, _), p) = (kernel.drawn(*word), scalar::probability(values[probability.0 as usize]));
                        Value::Bit(philox::is_below(*seed, domain.draw_number(cell), *time, draw, p))
                    })
                }
            });
        }
    }
}

/// Checks the properties of every kernel of one cell.
fn checked(kernel: &Ready) {
    assert_eq!(kernel.neighbours, Neighbours::Anywhere);
    assert!(kernel.verify_for_execution().is_err_and(|error| error.to_string().contains("on columns")));
    let text = kernel.to_string();
    assert_eq!(parse(&text).as_ref(), Ok(kernel.kernel()), "{text}");
}

/// Runs a rule from the start and compares all states with the oracle's after each of three time steps.
fn agrees(fractal: &Arc<Fractal>, level: u32, rule: &Rule) {
    if !rule.globals.is_empty() || rule.index.is_some() {
        // Engines compute globals and give cells their index.
        return;
    }
    let domain = Domain::new(Arc::clone(fractal), level).expect("small");
    let Ok(rule) = domain.fit(&Arc::new(rule.clone())) else { return };
    let (init, steps) = compile_cell(&rule).expect("short");
    steps.iter().chain([&init]).for_each(checked);
    let params: Vec<Value> = rule.params.iter().map(|param| param.default).collect();
    let seed = 0x1234_5678_9abc;
    let mut fields = vec![vec![0; domain.cells() as usize]; rule.states_and_fields().count()];
    run_cells(&init, &CellInputs { domain: &domain, params: &params, time: 0, seed }, &[], &mut fields);
    let mut oracle =
        Oracle::new(fractal, level, Arc::clone(rule.written()), seed, params.clone(), 1 << 30).expect("small");
    for time in 0..=3 {
        if time > 0 {
            for step in &steps {
                let mut new = fields.clone();
                run_cells(step, &CellInputs { domain: &domain, params: &params, time, seed }, &fields, &mut new);
                fields = new;
            }
            oracle.step().expect("time is small");
        }
        for (state, field) in rule.states.iter().zip(&fields).enumerate().map(|(index, (state, field))| {
            let wanted = (0..domain.cells()).map(|c| oracle.value(StateId(index as u16), c).bits());
            (&state.name, field.iter().copied().eq(wanted))
        }) {
            let kernels = || steps.iter().map(|step| step.to_string()).collect::<String>();
            assert!(field, "{} on {} level {level}: {state} at {time}\n{}", rule.name, fractal.name, kernels());
        }
    }
}

fn compiled(name: &str, text: &str) -> Library {
    let mut sources = Sources::new();
    let root = sources.add(name, text);
    check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

#[test]
fn shipped_fractals_and_rules() {
    let rules: Vec<_> = shipped::RULES.iter().map(|(name, text)| compiled(name, text).rules[0].clone()).collect();
    for (name, text) in shipped::FRACTALS {
        let fractal = compiled(name, text).fractals.pop().expect("one");
        let level = Domain::largest_level_where(&fractal, |side, cells| cells <= 700 && side <= 1000);
        for rule in rules.iter().filter(|rule| !rule.needs_three_dimensions || fractal.dimension == Dimension::Three) {
            // Kernels of a cell know one side, and the strategies that run them refuse rectangles.
            if fractal.is_rectangular() && rule.names_extents() {
                continue;
            }
            agrees(&fractal, level, rule);
        }
    }
}

#[test]
fn rules_by_chance() {
    for number in 0..300 {
        let kind = ProgramKind { dimension: 2 + (number % 4 == 3) as u32, bits: number % 3 == 2 };
        let program = compiled("program.rule", &program(kind, &choices(number)).text);
        let fractal = &program.fractals[0];
        let level = Domain::largest_level_where(fractal, |side, cells| cells <= 300 && side <= 40);
        agrees(fractal, level, &program.rules[0]);
    }
}

/// Neighbours that lie beyond those beside a superblock, enums, all kinds of aggregates, and states that begin at zero.
#[test]
fn neighbours_far_away() {
    let text = "\
neighbourhood leaps [(5, 0), (0, -9), (0, 0), (-1, 2), (200, 0)]
rule far {
    state phase: enum { rest, up, down }
    state u: f64
    state n: u8
    state left: bit
    init phase = { let w = bits() % 3  if w == 0 { rest } else if w == 1 { up } else { down } }
    init u = f64(uniform()) - 0.5
    next phase = if any(leaps, nb.phase == up) { down } else { phase[-3, 4] else up }
    next u = max(leaps, nb.u * f64(dx)) else (sum(moore(3), nb.u) + u[0, 7] else -1.0)
    next n = n + u8(count(leaps, nb.phase != rest)) + u8(degree(moore(2)))
    next left = all(leaps, nb.left || nb.n > 3) && !(left[1, 1] else true)
}
";
    let program = compiled("far.rule", text);
    for fractal in samples::fractals().iter().filter(|fractal| fractal.dimension == Dimension::Two) {
        agrees(fractal, 3, &program.rules[0]);
    }
    let square = samples::fractals().swap_remove(3);
    let domain = Domain::new(square, 4).expect("small");
    let (_, steps) = lower_cell(&domain.fit(&program.rules[0]).expect("it runs there")).expect("short");
    let text = steps[0].to_string();
    for wanted in ["load phase right200 0", "load u below2_left 0", "presence above9", "state phase: u8"] {
        assert!(text.contains(wanted), "{wanted} is missing:\n{text}");
    }
}
