//! Reductions that steps ask for: those that the globals of a step are computed from, and no others; none where a step is left out.

use super::Cpu;
use crate::params::resolve;
use crate::reference::Reference;
use crate::samples::{fractal, library};
use crate::{Engine, EngineError, EngineOptions, MemberInputs};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Phase, StateId};

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

/// As many parameters as the rule above has globals, one of which is of another type.
const OTHER: &str = "rule other { param a: i64 = 1 param b: i64 = 2 param c: f32 = 3.0 state u: bit next u = u }";

const LIMIT: u64 = 1 << 30;
const NONE: &[&str] = &[];

fn limited() -> EngineOptions {
    EngineOptions { limit: Some(LIMIT), ..EngineOptions::default() }
}

#[test]
fn steps_ask_for_what_their_globals_read() {
    let other = resolve(&library("other", OTHER).rules[0], NONE).expect("its own");
    let library = library("counting", TEXT);
    let rule = library.rules[0].clone();
    let asked = [vec![0], vec![1]];
    let phases = rule.phases().into_iter().map(|phase| match phase {
        Phase::Globals { reductions, .. } => format!("{reductions:?}"),
        Phase::Clusters { before } => format!("clusters before {before}"),
        Phase::Step(index) => index.to_string(),
    });
    assert_eq!(phases.collect::<Vec<_>>(), ["[0]", "0", "[]", "1", "[1]", "2"]);
    for (fractal, level) in library.fractals.iter().zip([5, 0]) {
        let rule = Domain::new(fractal.clone(), level).expect("small").fit(&rule).expect("it runs there");
        let own = resolve(&rule, NONE).expect("none");
        let inputs = MemberInputs::new(&rule, 0, &own);
        let params = &inputs.params;
        let mut wanted = Reference::new(&rule, &inputs, LIMIT).expect("an oracle");
        wanted.run(3).expect("steps");
        let lists = |engine: &mut dyn Engine, lists: &dyn Fn() -> Vec<Vec<usize>>| {
            engine.run(3).expect("steps");
            assert_eq!(lists(), asked, "{}", fractal.name);
            assert_eq!(
                engine.digest(0, StateId(0)).expect("a digest"),
                wanted.digest(0, StateId(0)).expect("a digest")
            );
            let all = wanted.reduce(&rule.all_reductions()).expect("reductions");
            assert_eq!(engine.reduce(&rule.all_reductions()).expect("reductions"), all);
            let some: Vec<_> = [1, 3].map(|index: usize| all[0][index].clone()).into();
            assert_eq!(engine.reduce(&[1, 3]).expect("reductions"), [some]);
            assert_eq!(engine.reduce(&[]).expect("nothing"), [[]]);
            // Kernels would read beyond the buffers.
            let few = engine.set_params(std::slice::from_ref(&own));
            assert!(matches!(few, Err(EngineError::Inputs { expected: 3, given: 0, .. })), "{few:?}");
            let other = engine.set_params(std::slice::from_ref(&other));
            assert!(matches!(other, Err(EngineError::Inputs { expected: 3, given: 2, .. })), "{other:?}");
            let many = engine.set_params(&[params.clone(), params.clone()]);
            assert!(matches!(many, Err(EngineError::Inputs { what: "members", expected: 1, given: 2 })), "{many:?}");
        };
        let options = EngineOptions { threads: Some(2), ..limited() };
        let mut engine = Cpu::new(&rule, &inputs, &options).expect("kernels");
        let prepared = engine.prepared.clone();
        lists(&mut engine, &|| prepared.observed.keys());
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
        let rule = Domain::new(fractal.clone(), level).expect("small").fit(&rule).expect("it runs there");
        let own = resolve(&rule, NONE).expect("none");
        let inputs = MemberInputs::new(&rule, 5, &own);
        let mut engines: Vec<Box<dyn Engine>> =
            vec![Box::new(Reference::new(&rule, &inputs, LIMIT).expect("an oracle"))];
        engines.push(Box::new(Cpu::new(&rule, &inputs, &limited()).expect("kernels")));
        for engine in &mut engines {
            // Three cells: 1 + 3 + (3 + 3) + 3, and then 13 + 39 + (39 + 3) + 39.
            for expected in [13, 133] {
                engine.run(1).expect("a step");
                let read = |state: u16, bytes: &mut [u8]| engine.read(0, StateId(state), 2..3, bytes).expect("a value");
                let (mut n, mut drawn) = ([0; 4], [[0; 8]; 2]);
                read(0, &mut n);
                assert_eq!(i32::from_le_bytes(n), expected);
                (1..).zip(&mut drawn).for_each(|(state, bytes)| read(state, bytes));
                assert_eq!(drawn[0], drawn[1]);
            }
        }
        let digests =
            |state: u16| engines.iter().map(move |engine| engine.digest(0, StateId(state)).expect("a digest"));
        for state in 0..3 {
            let all: Vec<u64> = digests(state).collect();
            assert_eq!(all[0], all[1], "{}", fractal.name);
        }
    }
}

#[test]
fn reductions_read_the_states_that_they_name() {
    let text = "
rule watching {
    state a: i32
    state b: i32
    state c: bit
    let twice = 2 * b
    next a = a + 1
    next b = b + sum(von_neumann, nb.twice)
    observe own = sum(a)
    observe beside = [count(count(von_neumann, nb.c) > 1), sum(sum(von_neumann, nb.twice))]
    observe both = sum(if c { a } else { 0 })
}";
    let rule = library("watching", text).rules[0].clone();
    let read = |reductions: &[usize]| rule.read_by(reductions).iter().map(|state| state.0).collect::<Vec<_>>();
    assert_eq!([read(&[]), read(&[0]), read(&[1]), read(&[2])], [vec![], vec![0], vec![2], vec![1]]);
    assert_eq!([read(&[3]), read(&[0, 2])], [vec![0, 2], vec![0, 1]]);
}

/// Every kernel exchanges the buffers of what it writes.
#[test]
fn steps_that_are_left_out_run_no_kernel() {
    let text = "
fractal triangle { scale 2 pattern { #. ## } }
domain sheet { size (37, 9) }
rule quiet {
    param every: u32 = 3
    state n: i32
    state m: i32
    init n = x
    let twice = 2 * n
    step seldom when step % every == 0 { next m = m + sum(von_neumann, nb.twice) }
    step always { next n = n + 1 }
    step never when step > 5 && side == 7 { next m = -m  next n = 0 }
}
rule drawing {
    param every: u32 = 3
    state n: i32
    state m: i32
    init n = x
    global all = sum(n)
    global first once = max(n)
    global bound = all % 9 + 2
    let chance = i32(bits() % 7)
    step seldom when step % every == 0 { next m = m + sum(von_neumann, nb.chance) + i32(bound) }
    step always { next n = n + i32(bits() % 3) + i32(first) }
    step lively when all > 400 || step == 2 { next m = -m }
}";
    let library = library("sometimes", text);
    for (rule, (fractal, level)) in
        library.rules.iter().flat_map(|rule| library.fractals.iter().zip([5, 0]).map(move |of| (rule, of)))
    {
        let rule = &Domain::new(fractal.clone(), level).expect("small").fit(rule).expect("it runs there");
        for every in [3, 2, 1] {
            let values = resolve(rule, &[format!("every={every}")]).expect("a parameter");
            let inputs = MemberInputs::new(rule, 4, &values);
            let mut wanted = Reference::new(rule, &inputs, LIMIT).expect("an oracle");
            let mut engine = Cpu::new(rule, &inputs, &limited()).expect("kernels");
            let places = |engine: &Cpu| -> Vec<*const u8> {
                engine.states.fields().iter().map(|field| field.now.as_slice().as_ptr()).collect()
            };
            for time in 1..=7 {
                let before = places(&engine);
                engine.run(1).expect("a step");
                wanted.run(1).expect("a step");
                let moved: Vec<bool> = before.iter().zip(places(&engine)).map(|(before, now)| *before != now).collect();
                let seldom = time % every == 0;
                assert!(moved[0] && moved[2] == seldom, "{} at {time}", rule.name);
                assert!(rule.name != "quiet" || moved[1] == seldom, "{} at {time}", rule.name);
                for state in [StateId(0), StateId(1)] {
                    let digests = [&engine as &dyn Engine, &wanted].map(|engine| engine.digest(0, state).expect("one"));
                    assert_eq!(digests[0], digests[1], "{} on {} at {time}", rule.name, fractal.name);
                }
                assert_eq!(engine.time(), time);
            }
        }
    }
}

#[test]
fn globals_of_steps_that_are_left_out_are_not_computed() {
    let text = "
rule drawing {
    param every: u32 = 3
    state n: i32
    global first once = max(n)
    global own = sum(n)
    global shared = min(n)
    step begins when step % every == 0 { next n = n + i32(own) }
    step seldom when step % every == 0 { next n = n + i32(own + shared) }
    step asks when shared > 3 { next n = n + i32(own) }
    step always { next n = n + i32(first) }
}";
    let rule = library("globals", text).rules[0].clone();
    let triangle = fractal("sierpinski_triangle");
    let skips = Domain::new(triangle, 3).expect("small").fit(&rule).expect("it runs there").skips();
    let bits = |number: u16| [3, 0, 0, 0][usize::from(number)];
    let at = |time: u32| {
        let globals = |before| Phase::Globals { before, reductions: vec![] };
        let of = |step| (skips.skip(&Phase::Step(step), time, [bits]), skips.skip(&globals(step), time, [bits]));
        [0, 1, 2, 3].map(of)
    };
    // The first step gives its value to what is computed once.
    assert_eq!(at(1), [(true, false), (true, true), (true, false), (false, false)]);
    assert_eq!(at(3), [(false, false), (false, false), (true, false), (false, false)]);
    // One member is enough.
    let other = |number: u16| [2, 0, 0, 0][usize::from(number)];
    let both: [&dyn Fn(u16) -> u64; 2] = [&bits, &other];
    assert_eq!([1, 2, 3, 6].map(|time| skips.skip(&Phase::Step(1), time, both)), [true, false, false, false]);
}

/// Engines have them by themselves, whatever made them and however often they begin.
#[test]
fn cells_know_their_indices_from_the_beginning() {
    let text = "
fractal triangle { scale 2 pattern { #. ## } }
domain sheet { size (37, 9)  cells (x + y) % 3 > 0 }
rule numbered {
    state n: i64
    next n = cell + sum(von_neumann, nb.n)
}";
    let library = library("numbered", text);
    for (fractal, level) in library.fractals.iter().zip([5, 0]) {
        let rule = Domain::new(fractal.clone(), level).expect("small").fit(&library.rules[0]).expect("it runs there");
        let inputs = MemberInputs::new(&rule, 0, &resolve(&rule, NONE).expect("none"));
        let mut wanted = Reference::new(&rule, &inputs, LIMIT).expect("an oracle");
        wanted.run(2).expect("steps");
        for packed in [false, true] {
            let options = EngineOptions { packed, ..limited() };
            let mut engine = Cpu::new(&rule, &inputs, &options).expect("kernels");
            for _ in 0..2 {
                engine.run(2).expect("steps");
                let digests =
                    [&engine as &dyn Engine, &wanted].map(|engine| engine.digest(0, StateId(0)).expect("one"));
                assert_eq!(digests[0], digests[1], "{}, packed: {packed}", fractal.name);
                engine.restart(std::slice::from_ref(&inputs)).expect("it begins anew");
            }
        }
    }
}
