//! States that leave a simulation and enter another are the same there, whatever executes either.

use squeeze::Failure as _;
use squeeze::FieldError;
use squeeze::compiler::plan::candidates;
use squeeze::compiler::target::Machine;
use squeeze::cpu::Cpu;
use squeeze::engine::{EngineError, MemberInputs};
use squeeze::ir::{EnumId, StateId, Type, Value};
use squeeze::packed::StateValues;
use squeeze::simulation::Engine;
use squeeze::simulation::SimulationError;
use squeeze::{Backend, Domain, Member, MemberMut, Simulation, packed, resolve};
use squeeze_tests::course::{library, options};
use std::ops::Range;
use std::sync::Arc;

/// Every type of state, and an enum of three planes; some states never change.
const EVERYTHING: &str = "rule everything {
    state b: bit  state fixed: bit  state u: u8  state i: i32  state w: u32  state f: f32  state d: f64
    state e: enum { a0, a1, a2, a3, a4, a5 }
    init b = random(0.5)
    init fixed = random(0.3)
    init u = u8(bits() >> 24)
    init i = i32(bits())
    init w = bits()
    init f = uniform() - 0.5
    init d = f64(uniform()) / 3.0
    init e = { let r = bits() % 6  if r == 0 { a0 } else if r == 1 { a1 } else if r == 2 { a2 } else if r == 3 { a3 } else if r == 4 { a4 } else { a5 } }
    next b = (count(moore, nb.b) + i32(u)) % 2 == 1
    next u = u + u8(count(moore, nb.b)) + u8(bits() >> 28)
    next i = i + sum(von_neumann, nb.i) + i32(step)
    next w = w ^ bits()
    next f = f + 0.1 * sum(von_neumann, nb.f - f)
    next d = d * 0.5 + f64(f)
    next e = if any(von_neumann, nb.e == a0) { a1 } else if fixed { a0 } else { e }
}";

/// Ranges that cover all cells, with borders on whole bytes.
fn ranges(cells: u64, length: u64) -> Vec<Range<u64>> {
    (0..cells.div_ceil(length)).map(|i| i * length..((i + 1) * length).min(cells)).collect()
}

fn read(engine: &dyn Engine, state: StateId, ty: Type, cells: Range<u64>) -> Vec<u8> {
    let mut bytes = vec![0xaa; packed::bytes(ty, cells.end - cells.start) as usize];
    engine.read(0, state, cells, &mut bytes).unwrap();
    bytes
}

#[test]
fn states_move_between_all_layouts_and_the_oracle() {
    let library = library(EVERYTHING);
    let rule = &library.rules[0];
    for (fractal, level) in
        [("sierpinski_triangle", 6), ("vicsek", 4), ("lace", 3), ("tetrix", 4), ("full_square", 5), ("vicsek", 0)]
    {
        let fractal = resolve::fractal(fractal).unwrap();
        let domain = Domain::new(Arc::clone(&fractal), level).unwrap();
        let (cells, fitted) = (domain.cells(), domain.fit(rule).unwrap());
        let params = squeeze::params::resolve(&fitted, &[""; 0]).unwrap();
        let inputs = MemberInputs { seed: 8, params };
        let build = |seed| {
            Simulation::builder(Arc::clone(&fractal), Arc::clone(rule))
                .level(level)
                .seed(seed)
                .backend(Backend::Reference)
        };
        let mut oracle = build(7).build().unwrap();
        oracle.step(3).unwrap();
        let mut layouts = candidates(&domain, rule, &Machine::cpu(1), 1);
        layouts.truncate(40);
        for (number, choice) in layouts.into_iter().enumerate().step_by(if level > 3 { 17 } else { 9 }) {
            let threads = 1 + number % 3;
            // Another seed: all states differ until they are written.
            let mut cpu = match Cpu::new(&fitted, &inputs, &options(threads, Some(choice))) {
                Err(EngineError::NoKernel { .. }) => continue,
                cpu => cpu.unwrap(),
            };
            let length = [8, 24, 200, cells.next_multiple_of(8)][number % 4];
            for (index, state) in rule.states.iter().enumerate() {
                let id = StateId(index as u16);
                for range in ranges(cells, length) {
                    let mut bytes = vec![0; packed::bytes(state.ty, range.end - range.start) as usize];
                    oracle.read(id, range.clone(), &mut bytes).unwrap();
                    cpu.write(0, &StateValues::new(&fitted, id, range.clone(), &bytes).unwrap()).unwrap();
                    assert_eq!(read(&cpu, id, state.ty, range), bytes, "{}", state.name);
                }
                let whole = read(&cpu, id, state.ty, 0..cells);
                for (c, range) in (0..cells).zip(ranges(cells, length).iter().cycle()).step_by(5) {
                    assert_eq!(packed::value(state.ty, &whole, c), oracle.value(&state.name, c).unwrap(), "{range:?}");
                }
                assert_eq!(
                    cpu.digest(0, id).unwrap(),
                    oracle.digests().unwrap()[index].1,
                    "{} of {}",
                    state.name,
                    domain.fractal().name
                );
            }
            // One step on from there is the oracle's step; random numbers depend on the time and the seed.
            let mut reference = build(8).build().unwrap();
            for (index, state) in rule.states.iter().enumerate() {
                let id = StateId(index as u16);
                reference.write(id, 0..cells, &read(&cpu, id, state.ty, 0..cells)).unwrap();
            }
            reference.set_time(3);
            cpu.set_time(3);
            reference.step(2).unwrap();
            cpu.run(2).unwrap();
            let digests: Vec<u64> = (0..rule.states.len()).map(|i| cpu.digest(0, StateId(i as u16)).unwrap()).collect();
            assert_eq!(digests, reference.digests().unwrap().iter().map(|(_, digest)| *digest).collect::<Vec<_>>());
            assert_eq!((cpu.time(), reference.time()), (5, 5));
        }
    }
}

/// Cells in columns of lanes, and in rows that hold the cells alone.
const PLACES: &str = "fractal replicas { scale 2 pattern { #. ## } }
domain rows { size (9, 5)  cells x % 3 != y % 2 }
rule waves { state phase: enum { rest, excited, tired } init phase = rest next phase = phase }";

#[test]
fn numbers_of_no_variant_are_refused_at_every_door() {
    let library = library(PLACES);
    let rule = &library.rules[0];
    let is_refused = |result: Result<(), SimulationError>| {
        let error = result.unwrap_err();
        let all =
            "cell 9 of `phase` has the number 3; its variants `rest`, `excited` and `tired` have the numbers 0 to 2";
        assert!(error.is_users() && error.to_string() == all, "{error}");
    };
    let mut wrong = vec![2u8; 12];
    wrong[4] = 3;
    for (fractal, level) in library.fractals.iter().zip([4, 0]) {
        for (backend, packed) in [(Backend::Reference, false), (Backend::Cpu, false), (Backend::Cpu, true)] {
            let builder = Simulation::builder(Arc::clone(fractal), Arc::clone(rule)).level(level);
            let builder = builder.backend(backend).packed(packed);
            let mut one = builder.clone().build().unwrap();
            is_refused(one.write(StateId(0), 5..17, &wrong));
            is_refused(one.set_field("phase", 5, &wrong));
            is_refused(MemberMut::from(&mut one).write(StateId(0), 5..17, &wrong));
            let mut three = builder.members((0..3).map(Member::new)).build().unwrap();
            is_refused(three.set_field(2, "phase", 5, &wrong));
            is_refused(three.member_mut(1).unwrap().write(StateId(0), 5..17, &wrong));
            assert!(three.field::<u8>("phase").unwrap().iter().chain(&one.field("phase").unwrap()).all(|v| *v == 0));
            // An engine has no other door than values that were looked at.
            let fitted = one.domain().fit(rule).unwrap();
            let found = StateValues::new(&fitted, StateId(0), 5..17, &wrong).map(drop);
            is_refused(found.map_err(SimulationError::from));
            three.set_field(2, "phase", 5, &[2u8; 12]).unwrap();
            assert_eq!(three.members()[2].value("phase", 9).unwrap(), Value::Enum(EnumId(0), 2));
        }
    }
}

#[test]
fn what_is_no_value_of_a_state_is_refused_or_made_one() {
    let library = library(EVERYTHING);
    let fractal = resolve::fractal("vicsek").unwrap();
    for backend in [Backend::Cpu, Backend::Reference] {
        let builder = Simulation::builder(Arc::clone(&fractal), Arc::clone(&library.rules[0]));
        let mut simulation = builder.level(2).backend(backend).build().unwrap();
        let (number, variants) = (StateId(5), StateId(7));
        let error = simulation.write(variants, 0..3, &[0, 6, 7]).unwrap_err();
        assert!(error.is_users() && error.to_string().contains("`a0`, `a1`"), "{error}");
        let SimulationError::Field(error) = error else { panic!("{error}") };
        assert!(matches!(*error, FieldError::Variant { cell: 1, number: 6, .. }), "{error}");
        simulation.write(number, 4..5, &0xffc0_0001u32.to_le_bytes()).unwrap();
        assert_eq!(simulation.value("f", 4).unwrap(), Value::F32(f32::NAN));
        let mut bytes = [0; 4];
        simulation.read(number, 4..5, &mut bytes).unwrap();
        assert_eq!(u32::from_le_bytes(bytes), 0x7fc0_0000, "the one quiet NaN");
    }
}
