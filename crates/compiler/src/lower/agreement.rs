//! Kernels against the oracle: every cell, bit for bit.

use super::{LowerError, MOST_OPERANDS, lower, lower_init, lower_observables};
use crate::check::{NoFiles, check};
use crate::geometry::Domain;
use crate::ir::{Dimension, Fractal, Rule, StateId, Value};
use crate::kernel::derived::Derived;
use crate::kernel::{Kernel, parse};
use crate::layout::permutation::Wraps;
use crate::layout::table::whole::NeighbourTable;
use crate::layout::{Layout, Storage};
use crate::oracle::Oracle;
use crate::oracle::interpret::{Inputs, run};
use crate::passes::{Ready, Statistics, prepare};
use crate::reduce::fold::{FoldTree, ReductionFold};
use crate::samples;
use crate::shipped;
use crate::target::Target;
use crate::text::diagnostics::render;
use crate::text::source::Sources;
use squeeze_testing::{ProgramKind, all_cases, choices, program};
use std::sync::Arc;

/// Checks the properties of every kernel, and gives the one that is executed, which may read numbers that are derived from the parameters. Each target has
/// its turn, and only by night all are prepared for each kernel.
fn checked(kernel: Kernel, derived: &mut Derived) -> Ready {
    let text = kernel.to_string();
    assert_eq!(parse(&text).as_ref(), Ok(&kernel), "{text}");
    let mut ready =
        |target| prepare(kernel.clone(), None, &target, derived).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let third = kernel.nodes.len() % 3;
    let targets = [Target::cpu(1), Target::rust(1), Target::cuda()].into_iter().enumerate();
    let mut executed = None;
    for (number, target) in targets.filter(|(number, _)| *number == third || all_cases()) {
        let prepared = ready(target);
        assert_eq!(parse(&prepared.to_string()).as_ref(), Ok(prepared.kernel()));
        if number == third {
            executed = Some(prepared);
        }
    }
    executed.expect("one of three")
}

/// Runs a rule from the start on a layout, `steps` time steps in each pass, and compares all states with the oracle's.
/// False if the rule does not fit the layout, and kernels must look farther than beside their superblock.
fn agrees(fractal: &Arc<Fractal>, level: u32, rule: &Rule, (t, l, steps): (u32, u32, u32)) -> bool {
    if !rule.globals.is_empty() || rule.index.is_some() {
        // Engines compute globals and give cells their index: the tests of `engine` cover these rules.
        return true;
    }
    let domain = Domain::new(Arc::clone(fractal), level).expect("small");
    let rule = &domain.fit(&Arc::new(rule.clone())).expect("it runs there");
    let layout = Layout::new(&domain, t, l).expect("small");
    let (storage, mut fits) = (Storage::replicas(layout.clone()), true);
    let kernels = match lower(rule, (&storage, false), steps) {
        Err(LowerError::Reach { .. }) => {
            fits = false;
            lower(rule, (&storage, !layout.is_whole()), steps)
        }
        kernels => kernels,
    };
    let seen = (&storage, !fits && !layout.is_whole());
    let kernels = match kernels {
        // Kernels are unrolled for all that they see.
        Err(LowerError::TooLong { .. }) => return false,
        kernels => kernels.unwrap_or_else(|error| panic!("{error}")),
    };
    let mut derived = Derived::behind(rule.params.len(), rule.flush);
    let kernels: Vec<Ready> = kernels.into_iter().map(|kernel| checked(kernel, &mut derived)).collect();
    let mut derived = derived.closed();
    let (table, wraps) = (NeighbourTable::new(&layout), Wraps::new(&layout));
    let params: Vec<Value> = rule.params.iter().map(|param| param.default).collect();
    let bits = derived.with_params(params.iter().map(|param| param.bits()).collect());
    let all: Vec<Value> = bits.into_iter().map(|bits| Value::I64(bits as i64)).collect();
    let seed = 0x1234_5678_9abc;
    let inputs = |time| Inputs { layout: &layout, table: &table, wraps: &wraps, params: &all, time, seed };
    let cells = layout.cells() as usize;
    let mut fields = vec![vec![0; cells]; rule.kept_states().count()];
    let init = checked(lower_init(rule, seen).expect("no halo"), &mut derived);
    run(&init, &inputs(0), &[], &mut fields);

    let mut oracle =
        Oracle::new(fractal, level, Arc::clone(rule.written()), seed, params.clone(), 1 << 30).expect("small");
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
                    kernels.iter().map(|kernel| kernel.to_string()).collect::<String>(),
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
    if let Ok(kernel) = lower_observables(rule, seen, MOST_OPERANDS) {
        let kernel = checked(kernel, &mut derived);
        let mut terms = fields.clone();
        terms.resize(kernel.states.len(), vec![0; cells]);
        run(&kernel, &inputs(3 * steps), &fields, &mut terms);
        for ((reduction, terms), wanted) in
            rule.reductions.iter().zip(&terms[rule.kept_states().count()..]).zip(oracle.reductions().unwrap())
        {
            if !reduction.is_whole_at_once() {
                // Engines fold replica by replica, and in rounds.
                continue;
            }
            let mut fold = ReductionFold::new(reduction.kind, reduction.ty, &FoldTree::of_fractal(fractal, level));
            terms.iter().for_each(|term| fold.push(Value::from_bits(reduction.ty, *term)));
            assert_eq!(fold.finish(), wanted, "{} of {} on {}", reduction.name, rule.name, fractal.name);
        }
    }
    fits
}

/// Digits of lanes and of micro blocks, and steps a pass.
const LAYOUTS: [(u32, u32, u32); 8] =
    [(0, 0, 1), (2, 0, 1), (1, 1, 1), (2, 1, 2), (1, 2, 3), (0, 2, 2), (9, 1, 1), (0, 9, 2)];

/// With all edges periodic, and with one.
#[test]
fn periodic_edges_on_all_layouts() {
    let coordinates = "rule turning {
    state u: i32
    state even: bit
    init u = x * 7 + y
    init even = (x + y) % 2 == 0
    step one when (x + 2 * y) % 3 != 1 { next u = u + sum(moore, nb.u * (dx - 3 * dy)) - x }
    step two { next even = any(von_neumann, nb.even) ^ ((u[1, -1] else 5) % 3 == 0) ^ (y % 2 == 1) }
}
fractal square { scale 2 pattern { ## ## } }";
    let (_, turning) = compiled(coordinates);
    for fractal in samples::fractals() {
        for (edges, torus) in samples::with_edges(fractal.clone()).enumerate().skip(1) {
            for (number, rule) in [&samples::life(), &samples::heat(), &turning].into_iter().enumerate() {
                // Along an axis that grows seldom, or on a line across it, no layout but the whole may hold two steps.
                let least = if fractal.patterns.iter().all(|pattern| pattern.scale[1] > 1) { 6 } else { 1 };
                let mut fitting = 0;
                for level in 1..=level_of(&torus, 4, 3) {
                    if Domain::new(torus.clone(), level).expect("small").admits(rule).is_err() {
                        continue;
                    }
                    // Every other layout by turns, so that edges, rules and levels meet all of them.
                    for layout in LAYOUTS.into_iter().skip((edges + number + level as usize) % 2).step_by(2) {
                        fitting += u32::from(agrees(&torus, level, rule, layout));
                    }
                }
                assert!(fitting >= least, "{fitting} layouts for {} on {}", rule.name, fractal.name);
            }
        }
    }
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
                for layout in LAYOUTS {
                    fitting += u32::from(agrees(&fractal, level, &rule, layout));
                }
            }
            assert!(fitting > 20, "{fitting} layouts for {} on {}", rule.name, fractal.name);
        }
    }
}

/// Programs by chance, each on several layouts. Cases that do not fit are counted: a quarter of them may (far reads on small
/// superblocks), and one in twenty programs on all layouts.
#[test]
fn rules_by_chance() {
    let (mut all, mut fitting, mut nowhere) = (0, 0, 0);
    for number in 0..150 {
        let kind = ProgramKind { dimension: 2 + (number % 4 == 3) as u32, bits: number % 3 == 2 };
        let program = program(kind, &choices(number));
        let (fractals, rule) = compiled(&program.text);
        let largest =
            |fractal: &Fractal| Domain::largest_level_where(fractal, |side, cells| cells <= 300 && side <= 40);
        // A torus may be too small for the rule.
        let admits = |fractal: &&Arc<Fractal>| {
            Domain::new(Arc::clone(fractal), largest(fractal)).expect("small").fit(&rule).is_ok()
        };
        let fractal = fractals.iter().rev().find(admits).expect("the fractals admit the rule");
        let level = largest(fractal);
        let fitted = Domain::new(Arc::clone(fractal), level).expect("small").fit(&rule).expect("it runs there");
        let several = if fitted.step_by_step() { 1 } else { 2 };
        let layouts = [(1, 2, 1), (1, 1, several), (0, 9, several), (2, 0, 1)];
        let here = layouts.iter().filter(|layout| agrees(fractal, level, &rule, **layout)).count();
        all += layouts.len();
        fitting += here;
        nowhere += usize::from(here == 0);
    }
    assert!(4 * fitting >= 3 * all, "only {fitting} of {all} cases fit");
    assert!(20 * nowhere <= 150, "{nowhere} programs fit nowhere");
}

/// The fractals and the last rule of a text.
fn compiled(text: &str) -> (Vec<Arc<Fractal>>, Arc<Rule>) {
    let mut sources = Sources::new();
    let root = sources.add("test", text);
    let library = check(&mut sources, root, &mut NoFiles);
    let mut library = library.unwrap_or_else(|errors| panic!("{}\n{text}", render(&errors, &sources, false)));
    (library.fractals, library.rules.pop().expect("one"))
}

/// Everything that ships, on a layout with all kinds of neighbours or with two steps a pass by turns, and on one whole superblock.
#[test]
fn shipped_fractals_and_rules() {
    let compiled = |name: &str, text: &str| {
        let mut sources = Sources::new();
        let root = sources.add(name, text);
        check(&mut sources, root, &mut NoFiles).expect("shipped files are sound")
    };
    let rules: Vec<_> = shipped::RULES.iter().map(|(name, text)| compiled(name, text).rules[0].clone()).collect();
    for (turn, (name, text)) in shipped::FRACTALS.iter().enumerate() {
        let fractal = compiled(name, text).fractals.pop().expect("one");
        let level = Domain::largest_level_where(&fractal, |side, cells| cells <= 700 && side <= 1000);
        let low = Domain::largest_level_where(&fractal, |_, cells| cells <= 9).max(1);
        let (mut all, mut fitting) = (0, 0);
        for (number, rule) in rules.iter().enumerate() {
            if rule.needs_three_dimensions && fractal.dimension != Dimension::Three {
                continue;
            }
            let several = if rule.step_by_step() { 1 } else { 2 };
            let layout = if (turn + number) % 2 == 0 { (1, low, 1) } else { (level - low, low, several) };
            all += 2;
            fitting += u32::from(agrees(&fractal, level, rule, layout));
            fitting += u32::from(agrees(&fractal, 1, rule, (0, 1, several)));
        }
        // `larger_than_life` reads far beyond small superblocks.
        assert!(5 * fitting >= 4 * all, "only {fitting} of {all} cases fit on {name}");
    }
}

/// Numbers below bounds of few values are bits for all who decide random bits, and the same numbers.
#[test]
fn few_results_are_bits() {
    let of_bits = "rule few {
    state a: bit
    state kind: enum { none, one, two, three, four }
    init a = below(3) == 1
    init kind = if below(5) > 2 { three } else { one }
    let drawn = below(6)
    next a = {
        let own = pick(moore, nb.a) else (drawn == 2)
        own ^ (below(u32(count(von_neumann, nb.a))) == 1) ^ (drawn >= 4) ^ (below(1) == 0)
    }
    next kind = if drawn % 3 == 2 { four } else if below(16) == 7 { pick(von_neumann, nb.kind) else two } else { kind }
}
fractal square { scale 2 pattern { ## ## } }";
    let of_numbers = "rule few {
    param p: u32 = 3
    state u: u32
    state v: f32
    init u = below(16) + 100 * below(17)
    next u = below(7) * u + below(p) + u32(below(u32(degree(moore))) < p) + pick(moore, nb.u) else 7
    next v = if random(0.1 * f64(below(3))) { pick(von_neumann, nb.v + 1.0) else 0.5 } else { f32(below(8)) }
}
fractal square { scale 2 pattern { ## ## } }";
    for text in [of_bits, of_numbers] {
        let (fractals, rule) = compiled(text);
        for fractal in samples::fractals().iter().chain(&fractals) {
            let mut fitting = 0;
            for level in 1..=level_of(fractal, 4, 3) {
                for layout in [(0, 0, 1), (2, 0, 1), (1, 1, 1), (1, 2, 1), (0, 9, 1)] {
                    fitting += u32::from(agrees(fractal, level, &rule, layout));
                }
            }
            assert!(fitting >= 6, "{fitting} layouts on {}", fractal.name);
        }
    }
    let voter = compiled(shipped::RULES.iter().find(|(name, _)| *name == "voter").expect("ships").1).1;
    for rule in [voter, compiled(of_bits).1] {
        let (fractals, _) = compiled(of_bits);
        let domain = Domain::new(Arc::clone(&fractals[0]), 6).expect("small");
        let storage = Storage::replicas(Layout::new(&domain, 2, 2).expect("small"));
        let rule = domain.fit(&rule).expect("it runs there");
        for kernel in lower(&rule, (&storage, false), 1).expect("fits") {
            let of = |target| {
                prepare(kernel.clone(), None, &target, &mut Derived::default()).expect("sound").interface().clone()
            };
            assert!(of(Target::cuda()).bitwise_lanes, "{kernel}");
            assert!(of(Target::cpu(1)).random.is_empty(), "{kernel}");
        }
    }
}

/// Operations a cell and step that the passes reach for life, without and with tables: a change that lowers a figure records
/// the lower one.
#[test]
fn costs_of_life() {
    let fractals = samples::fractals();
    let costs = [(0, 9, 3, 1), (0, 9, 3, 2), (0, 9, 3, 4), (1, 6, 2, 1), (2, 6, 1, 1), (2, 6, 2, 1), (3, 8, 3, 1)].map(
        |(fractal, level, l, steps)| {
            let domain = Domain::new(Arc::clone(&fractals[fractal]), level).expect("small");
            let storage = Storage::replicas(Layout::new(&domain, 2, l).expect("small"));
            let rule = domain.fit(&Arc::new(samples::life())).expect("it runs there");
            let kernels = lower(&rule, (&storage, false), steps).expect("fits");
            let kernel = kernels.into_iter().next().expect("one");
            let of = |target| {
                Statistics::of(&prepare(kernel.clone(), None, &target, &mut Derived::default()).expect("sound"))
            };
            let (plain, fused) = (of(Target::cpu(1)), of(Target::rust(1)));
            format!("{:.1} {:.1}", plain.operations_per_update(), fused.operations_per_update())
        },
    );
    assert_eq!(costs, ["8.4 4.9", "10.1 5.7", "14.3 8.4", "6.7 3.8", "19.5 9.4", "17.3 8.1", "23.2 11.3"]);
}
