//! What steps with globals ask for: the reductions that the globals of a step are computed from, and no others.

use super::rows::{self, Rows};
use super::{Cpu, Tuning};
use crate::engine::Engine;
use crate::engine::globals::Course;
use crate::engine::reference::Reference;
use squeeze_compiler::Off;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{StateId, Value};
use squeeze_compiler::text::source::Sources;
use squeeze_compiler::{Library, NoFiles};

const TEXT: &str = "
fractal triangle { scale 2 pattern { #. ## } }
domain sheet { size (37, 9) }
rule counting {
    state u: i32
    init u = 3 * x + y
    global all = sum(u)
    global turn = i64(step) % 9
    global most = max(u * u)
    step one { next u = u + i32(all % 7) }
    step two { next u = u ^ i32(turn) }
    step three { next u = u + i32(most % 5) }
    observe first = sum(u * (u + 1))
    observe second = [sum(u), count(u > 9), mean(f64(u))]
    stop when min(u) < 0
}";

fn library(name: &str, text: &str) -> Library {
    let mut sources = Sources::new();
    let root = sources.add(name, text);
    squeeze_compiler::check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

const LIMIT: u64 = 1 << 30;

#[test]
fn steps_ask_for_what_their_globals_read() {
    let library = library("counting", TEXT);
    let rule = library.rules[0].clone();
    let asked = [vec![0], vec![1]];
    let before: Vec<Vec<usize>> = rule.steps.iter().map(|step| rule.reductions_before(step)).collect();
    assert_eq!(before, [vec![0], vec![], vec![1]]);
    for (fractal, level) in library.fractals.iter().zip([5, 0]) {
        let domain = &Domain::new(fractal.clone(), level).expect("small");
        let course = Course { domain, rule: &rule, params: &[], seed: 0 };
        let params = course.params();
        let mut wanted = Reference::new(domain, &rule, 0, &params, LIMIT).expect("an oracle");
        course.step(&mut wanted, 3).expect("steps");
        let lists = |engine: &mut dyn Engine, lists: &dyn Fn() -> Vec<Vec<usize>>| {
            course.step(engine, 3).expect("steps");
            assert_eq!(lists(), asked, "{}", fractal.name);
            assert_eq!(engine.digest(StateId(0)).expect("a digest"), wanted.digest(StateId(0)).expect("a digest"));
            let all = wanted.reductions().expect("reductions");
            assert_eq!(engine.reductions().expect("reductions"), all);
            let some: Vec<_> = [1, 3].map(|index: usize| all[index].clone()).into();
            assert_eq!(engine.reductions_of(&[1, 3]).expect("reductions"), some);
            assert_eq!(engine.reductions_of(&[]).expect("nothing"), []);
        };
        if domain.is_mask() {
            let tuning = rows::Tuning {
                threads: Some(2),
                isa: None,
                activity: true,
                packed: false,
                hardware: None,
                off: Off::none(),
            };
            let mut engine = Rows::new(domain, &rule, 0, &params, LIMIT, tuning).expect("kernels");
            let prepared = engine.prepared.clone();
            lists(&mut engine, &|| prepared.asked());
        } else {
            let mut engine = Cpu::new(domain, &rule, 0, &params, LIMIT, Tuning::default()).expect("kernels");
            let prepared = engine.prepared.clone();
            lists(&mut engine, &|| prepared.observed.lists());
        }
    }
}

#[test]
fn a_global_of_once_keeps_its_value_for_a_time_step() {
    let text = "
fractal triangle { scale 2 pattern { #. ## } }
domain sheet { size (3, 1) }
rule growing {
    state n: i32
    state drawn: i64
    state again: i64
    init n = 1
    global all once = sum(n)
    global more = all + count(n > 0)
    global chance once = below(1000000)
    step one { next n = n + i32(all)  next drawn = chance + i64(bits()) }
    step two { next n = n + i32(more)  next again = chance }
    step three { next n = n + i32(all) }
    step four { next drawn = chance }
}";
    let library = library("growing", text);
    let rule = library.rules[0].clone();
    for (fractal, level) in library.fractals.iter().zip([1, 0]) {
        let domain = &Domain::new(fractal.clone(), level).expect("small");
        let course = Course { domain, rule: &rule, params: &[], seed: 5 };
        let params = course.params();
        let mut engines: Vec<Box<dyn Engine>> =
            vec![Box::new(Reference::new(domain, &rule, 5, &params, LIMIT).expect("an oracle"))];
        if domain.is_mask() {
            let tuning = rows::Tuning {
                threads: Some(1),
                isa: None,
                activity: true,
                packed: false,
                hardware: None,
                off: Off::none(),
            };
            engines.push(Box::new(Rows::new(domain, &rule, 5, &params, LIMIT, tuning).expect("kernels")));
        } else {
            engines.push(Box::new(Cpu::new(domain, &rule, 5, &params, LIMIT, Tuning::default()).expect("kernels")));
        }
        for engine in &mut engines {
            // Three cells: 1 + 3 + (3 + 3) + 3, and then 13 + 39 + (39 + 3) + 39.
            for expected in [13, 133] {
                course.step(&mut **engine, 1).expect("a step");
                assert_eq!(engine.value(StateId(0), 2).expect("a value"), Value::I32(expected));
                assert_eq!(engine.value(StateId(1), 2).ok(), engine.value(StateId(2), 2).ok());
            }
        }
        let digests = |state: u16| engines.iter().map(move |engine| engine.digest(StateId(state)).expect("a digest"));
        for state in 0..3 {
            let all: Vec<u64> = digests(state).collect();
            assert_eq!(all[0], all[1], "{}", fractal.name);
        }
    }
}
