//! Kernels against the oracle: every cell, bit for bit.

use super::interpret::{Inputs, run};
use super::layout::Layout;
use super::lower::{LowerError, draws, lower, lower_init, lower_observables};
use super::samples;
use super::table::{NeighbourTable, Wraps};
use crate::geometry::Domain;
use crate::ir::kernel::{Kernel, parse};
use crate::ir::{Dimension, Fractal, Rule, StateId, Value};
use crate::oracle::Oracle;
use std::sync::Arc;

/// Checks what holds of every kernel, and gives what is executed.
fn checked(kernel: Kernel) -> Kernel {
    kernel.verify().unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let text = kernel.to_string();
    assert_eq!(parse(&text).as_ref(), Ok(&kernel), "{text}");
    kernel
}

/// Runs a rule from the start on a layout, `steps` time steps in each pass, and compares all states with the oracle's.
/// False if the rule does not fit the layout.
fn agrees(fractal: &Arc<Fractal>, level: u32, rule: &Rule, (t, l, steps): (u32, u32, u32)) -> bool {
    let domain = Domain::new(Arc::clone(fractal), level).expect("small");
    let layout = Layout::new(&domain, t, l).expect("small");
    let kernels = match lower(rule, &layout, steps) {
        Ok(kernels) => kernels,
        Err(LowerError::Reach { .. }) => return false,
        Err(error) => panic!("{error}"),
    };
    let kernels: Vec<Kernel> = kernels.into_iter().map(checked).collect();
    let (table, wraps) = (NeighbourTable::new(&layout), Wraps::new(&layout));
    let params: Vec<Value> = rule.params.iter().map(|param| param.default).collect();
    let seed = 0x1234_5678_9abc;
    let inputs = |time| Inputs { layout: &layout, table: &table, wraps: &wraps, params: &params, time, seed };
    let cells = layout.cells() as usize;
    let mut fields = vec![vec![0; cells]; rule.states.len()];
    let init = checked(lower_init(rule, &layout).expect("no halo"));
    run(&init, &inputs(0), &[], &mut fields);

    let mut oracle = Oracle::new(fractal, level, Arc::new(rule.clone()), seed, params.clone(), 1 << 30).expect("small");
    let compare = |fields: &[Vec<u64>], oracle: &Oracle, what: &str| {
        for (index, state) in rule.states.iter().enumerate() {
            for c in 0..cells as u64 {
                let wanted = oracle.value(StateId(index as u16), c).bits();
                assert_eq!(
                    fields[index][c as usize],
                    wanted,
                    "{what}: {} on {} level {level}, T{t} L{l} t{steps}: {} of cell {c}\n{}",
                    rule.name,
                    fractal.name,
                    state.name,
                    kernels.iter().map(Kernel::to_string).collect::<String>(),
                );
            }
        }
    };
    compare(&fields, &oracle, "init");
    for pass in 0..3 {
        for kernel in &kernels {
            let mut new = fields.clone();
            run(kernel, &inputs(pass * steps + 1), &fields, &mut new);
            fields = new;
        }
        (0..steps).for_each(|_| oracle.step().expect("time is small"));
        compare(&fields, &oracle, "step");
    }
    if let Ok(kernel) = lower_observables(rule, &layout) {
        let kernel = checked(kernel);
        let mut terms = fields.clone();
        terms.resize(kernel.states.len(), vec![0; cells]);
        run(&kernel, &inputs(3 * steps), &fields, &mut terms);
    }
    true
}

fn level_of(fractal: &Fractal, large: u32, small: u32) -> u32 {
    if fractal.dimension == Dimension::Three || fractal.pattern(1).k() > 3 { small } else { large }
}

#[test]
fn life_and_heat_on_all_layouts() {
    for fractal in samples::fractals() {
        for rule in [samples::life(), samples::heat()] {
            let mut fitting = 0;
            for level in 0..=level_of(&fractal, 5, 3) {
                for layout in [(0, 0, 1), (2, 0, 1), (1, 1, 1), (2, 1, 2), (1, 2, 3), (0, 2, 2), (9, 1, 1), (0, 9, 2)] {
                    fitting += u32::from(agrees(&fractal, level, &rule, layout));
                }
            }
            assert!(fitting > 20, "{fitting} layouts for {} on {}", rule.name, fractal.name);
        }
    }
}

#[test]
fn rules_by_chance() {
    let fractals = samples::fractals();
    for number in 0..150 {
        let rule = samples::chance::rule(number);
        let fractal = &fractals[number as usize % fractals.len()];
        let several = if draws(&rule) { 1 } else { 2 };
        let level = level_of(fractal, 4, 2);
        for layout in [(1, 2, 1), (1, 1, several), (0, 9, several), (2, 0, 1)] {
            agrees(fractal, level, &rule, layout);
        }
    }
}
