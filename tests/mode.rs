//! Results do not depend on the mode in which the caller's threads compute floats, and callers find their own again.
#![cfg(target_arch = "x86_64")]

use squeeze::statistics::{Combination, Member as Samples};
use squeeze::{Backend, Member, Simulation, SimulationBuilder, cpu, resolve};
use std::borrow::Cow;
use std::process::Command;

squeeze::simulation! {
    mod warmth: heat on sierpinski_carpet at level 4;
}

/// Control words that are not the default: flushing; rounding down, up and to zero; trapping what is inexact. The last one is the default with flags.
const WORDS: [u32; 6] = [0x9fc0, 0x3f80, 0x5f80, 0x7f80, 0x0f80, 0x1fa1];

const MIXED: &str = "
const third = 1.0 / 3.0
rule mixed {
    param a: f32 = 0.1
    param b: f32 = a / 3.0
    param tiny: f32 = 1e-39
    state u: f32
    state v: f64
    init u = normal() * 1e-38
    init v = exp(f64(uniform())) * 0.1 + f64(third)
    global m = mean(v)
    step first { next u = u * 0.7 + tiny * b }
    step second { next v = v + (m - v) * f64(b) + f64(u) * 1e30 }
    observe mean_v = mean(v)
    observe spread = variance(v)
    observe total = sum(u)
    observe ratio = total / (spread + 0.1)
}";

static DEFAULT: u32 = 0x1f80;

/// A call of the library from a thread with this mode, which it has afterwards, flags of what has happened included.
fn called<T>(word: u32, call: impl FnOnce() -> T) -> T {
    let mut found = 0u32;
    // SAFETY: only the library computes floats in between; then the default is back.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack)) };
    let result = std::hint::black_box(call());
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut found, options(nostack));
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const DEFAULT, options(nostack));
    }
    assert_eq!(found, word, "{found:x} and not {word:x}");
    result
}

/// The digests, observables and parameters of a simulation after each of many calls.
fn course(builder: SimulationBuilder, word: u32) -> String {
    let shown = |simulation: &Simulation| {
        let digests = called(word, || simulation.digests().unwrap());
        let observed = called(word, || simulation.observe().unwrap());
        format!("{digests:?} {observed:?} {:?}\n", simulation.params())
    };
    let name = called(word, || builder.clone().build().unwrap()).rule().params[0].name.clone();
    let begun = builder.clone().param(&name, "0.123456789");
    let mut simulation = called(word, || begun.build().unwrap());
    let mut text = shown(&simulation);
    called(word, || simulation.step(20).unwrap());
    text += &shown(&simulation);
    called(word, || simulation.set_param(&name, "0.0987654321").unwrap());
    // Code of the caller that runs between steps has the caller's mode.
    let mut between = Vec::new();
    called(word, || {
        let progress = |_: &Simulation| {
            let mut found = 0u32;
            // SAFETY: it writes the control word.
            unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut found, options(nostack)) };
            between.push(found);
            std::ops::ControlFlow::Continue(())
        };
        simulation.step_with(7, 3, progress).unwrap()
    });
    assert_eq!(between, [word; 3]);
    text += &shown(&simulation);
    text += &format!("{:?}", called(word, || simulation.step_observing(2, 3).unwrap()));
    let settings = &["tiny=1e-40"][..usize::from(name == "a")];
    called(word, || simulation.restart(3, settings).unwrap());
    text += &shown(&simulation);
    let members = [1, 2].map(|seed| Member::new(seed).param(&name, 0.2));
    let mut ensemble = called(word, || builder.members(members).build().unwrap());
    called(word, || ensemble.step(5).unwrap());
    let observed = called(word, || ensemble.observe().unwrap());
    text + &format!("{:?} {observed:?}", called(word, || ensemble.digests().unwrap()))
}

#[test]
fn results_are_those_of_the_default_mode_and_callers_keep_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mixed.rule");
    std::fs::write(&path, MIXED).unwrap();
    let mixed = path.to_str().unwrap();
    let series: Vec<f64> = (1..500).map(|i| 1.0 / f64::from(i)).collect();
    let samples = [1, 2, 3].map(|seed| Samples {
        seed,
        disorder: seed,
        system: (0, 0),
        is_certain: false,
        columns: vec![Cow::Owned(series.clone())],
    });
    let all = |word: u32| {
        let rule = |name: &str| called(word, || resolve::rule(name).unwrap());
        let (carpet, mixed) = (called(word, || resolve::fractal("sierpinski_carpet").unwrap()), rule(mixed));
        let heat = rule("heat");
        let mut courses = Vec::new();
        for backend in [Backend::Cpu, Backend::Reference] {
            for rule in [&mixed, &heat] {
                let builder = Simulation::builder(carpet.clone(), rule.clone()).level(3).seed(5).backend(backend);
                courses.push(course(if backend == Backend::Cpu { builder.threads(2) } else { builder }, word));
            }
        }
        courses.push(course(warmth::builder().level(4).seed(5).backend(Backend::Cpu), word));
        courses.push(format!("{:?}", called(word, || Combination::Fluctuation.estimate(&samples, 0))));
        courses
    };
    let wanted = all(DEFAULT);
    assert_eq!(wanted[0], wanted[2], "the engines agree");
    for word in WORDS {
        assert_eq!(all(word), wanted, "{word:x}");
    }
}

#[test]
fn panics_give_the_mode_back() {
    let heat = Simulation::builder(resolve::fractal("vicsek").unwrap(), resolve::rule("heat").unwrap());
    let mut heat = heat.level(2).backend(Backend::Cpu).build().unwrap();
    let stopped =
        std::panic::AssertUnwindSafe(|| heat.step_with(2, 1, |_| std::panic::resume_unwind(Box::new(()))).unwrap());
    assert!(called(0x9fc0, || std::panic::catch_unwind(stopped)).is_err());
}

/// A program that was printed, with a library that sets another mode before `main`.
#[test]
fn printed_programs_set_their_own_mode() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("mode.c"), squeeze_testing::SETS_MODE).unwrap();
    let library = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([at("mode.so"), at("mode.c")]).status();
    if !library.is_ok_and(|status| status.success()) {
        return;
    }
    let heat = resolve::rule("heat").unwrap();
    let fitted = squeeze::Domain::new(resolve::fractal("sierpinski_carpet").unwrap(), 4).unwrap().fit(&heat).unwrap();
    std::fs::write(at("heat.rs"), cpu::program(&fitted).unwrap()).unwrap();
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    assert!(rustc.args(["--edition", "2024", "-o"]).args([at("heat"), at("heat.rs")]).status().unwrap().success());
    let run = |word: u32| {
        let mut program = Command::new(at("heat"));
        program.args(["50", "1", "alpha=0.123456789"]).env("LD_PRELOAD", at("mode.so")).env("MODE", word.to_string());
        let output = program.output().unwrap();
        assert!(output.status.success(), "{word:x}");
        String::from_utf8(output.stdout).unwrap()
    };
    let wanted = run(DEFAULT);
    for word in WORDS {
        assert_eq!(run(word), wanted, "{word:x}");
    }
}
