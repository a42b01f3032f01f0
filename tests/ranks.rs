//! Simulations on several ranks in one process, beside the oracle and one engine.

#[path = "ranks/shares.rs"]
mod shares;

use squeeze::compiler::Program;
use squeeze::compiler::plan::Window;
use squeeze::compiler::target::speciality::{self, Speciality};
use squeeze::cpu;
use squeeze::engine::ranks::faulty::{FaultyWire, WireFault};
use squeeze::engine::ranks::in_process::wires;
use squeeze::engine::ranks::traffic::Traffic;
use squeeze::engine::ranks::transport::{Beats, MessageKind, Sent, Transport, Wire};
use squeeze::geometry::with_flags;
use squeeze::ir::{Axes, Rule, StateId};
use squeeze::store::StateShare;
use squeeze::sweep::work::{How, Watch, run};
use squeeze::sweep::{Collector, Gathered, Probe, Sweep, SweepFolder, Wishes, first_cells, serve};
use squeeze::{Backend, Domain, Error, Fractal, Simulation, SimulationBuilder, resolve};
use squeeze_tests::course::{Case, in_parallel, library, without_caches};
use squeeze_tests::masks::mask;
use squeeze_tests::parts::{RESTING, SUMS, choice, domains};
use squeeze_tests::ranks::{agree, on_ranks, over};
use squeeze_tests::{is_chosen, periodic};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Whole passes of several steps, and what is left of them.
const STRIDES: &[u32] = &[1, 2, 5];
/// Until most of a domain rests.
const LONG: &[u32] = &[1, 2, 5, 40];
/// How long ranks wait for each other where nothing is lost.
const PATIENT: Duration = Duration::from_secs(15);
const RANKS: [usize; 5] = [2, 3, 5, 8, 1];

fn torus() -> Arc<Fractal> {
    let square = resolve::fractal("full_square").unwrap();
    periodic(&square, Axes::of(square.dimension))
}

/// The builder of a case, with a layout by its number.
fn builder(case: &Case, number: u64, ranks: usize) -> SimulationBuilder {
    let builder = case.builder().backend(Backend::Cpu).threads(1);
    let demanded = if number.is_multiple_of(3) { choice(case, Backend::Cpu, ranks as u32, number) } else { None };
    match demanded {
        Some(choice) => builder.plan(choice),
        None => builder.packed(number.is_multiple_of(4)),
    }
}

fn all_agree(cases: &[(u64, usize, Case)], least: usize) {
    let agreed = in_parallel(cases, |(number, ranks, case)| agree(case, *ranks, || builder(case, *number, *ranks)));
    let differ: String = agreed.into_iter().filter_map(Result::err).collect();
    assert!(differ.is_empty(), "{differ}");
    assert!(cases.len() >= least, "{} cases", cases.len());
}

#[test]
fn every_rule_agrees_on_any_number_of_ranks() {
    let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
    rules.extend(library(SUMS).rules);
    let domains: Vec<_> = domains().into_iter().chain([(torus(), 5)]).collect();
    let pairs = rules.iter().flat_map(|rule| domains.iter().map(move |domain| (rule, domain)));
    let admitted = |(number, (rule, (fractal, level))): (u64, (_, &(Arc<Fractal>, u32)))| {
        Some((number, Case::admitted(fractal, *level, rule, number, STRIDES)?))
    };
    let each = |(number, case): (u64, Case)| RANKS.map(|ranks| (number, ranks, case.clone()));
    let cases: Vec<_> = (0..).zip(pairs).filter_map(admitted).flat_map(each).collect();
    let some = cases.into_iter().enumerate().filter(|(index, _)| is_chosen(*index, 7)).map(|(_, case)| case);
    all_agree(&some.collect::<Vec<_>>(), 50);
}

/// Several steps of rows a pass: boxes and masks of odd widths, with holes, seams and edges, in parts down to as few rows as they read of others; bits, numbers, draws, colours
/// and named steps, of which one reads a state at its own cell alone.
#[test]
fn several_steps_of_rows_agree_on_any_number_of_ranks() {
    const LONG: &[u32] = &[1, 4, 13];
    let text = "
        domain torus { size (64, 70)  periodic }
        domain ragged { size (1075, 33)  periodic }
        domain sheet { size (33, 62) }
        domain tube { size (75, 61)  periodic x }
        domain ring { size (130, 64)  periodic y }
        domain holes { size (257, 65)  cells random(0.8)  periodic }
        domain islands { size (700, 40)  cells random(0.01) }
        domain gap { size (128, 64)  cells y % 8 != 7 && (x + y) % 5 != 0  periodic }
        rule total { state v: i32  init v = i32(below(7))  next v = (v + sum(moore, nb.v) + 1) % 7  observe vs = sum(v) }
        rule far { state a: bit  init a = random(0.4)  next a = count(moore(2), nb.a) in 7..=11  observe all = sum(a) }
        rule pair {
            state u: f32
            state v: i32
            init u = f32(uniform())
            init v = i32(below(9))
            step red when (x + y) % 2 == 0 { next u = 0.5 * u + 0.125 * sum(von_neumann, nb.u) + uniform(0, 0.1) }
            step black when (x + y) % 2 == 1 {
                next u = 0.75 * u + 0.0625 * sum(moore, nb.u)
                next v = v + count(von_neumann, nb.u > u)
            }
            observe us = sum(u)
            observe vs = sum(v)
        }
        rule noisy { state a: bit  init a = random(0.4)  next a = a != random(0.1) && any(von_neumann, nb.a)  observe all = sum(a) }";
    let all = library(&format!("{text}{RESTING}"));
    let domains = all.fractals;
    let own = |name: &str| all.rules.iter().find(|rule| rule.name == name).unwrap().clone();
    let shipped = |name: &str| resolve::rule(name).unwrap();
    let edged = |fractal: &Arc<Fractal>, edge: &str| with_flags(fractal, &[edge.to_owned()]).unwrap();
    let mut pairs: Vec<(Arc<Fractal>, Arc<Rule>)> = domains
        .iter()
        .flat_map(|domain| [shipped("life"), own("waves"), own("far")].map(|rule| (domain.clone(), rule)))
        .collect();
    for rule in [shipped("heat"), shipped("wave"), shipped("gray_scott"), own("pair"), own("after"), own("pile")] {
        pairs.extend([0, 1, 2, 5].map(|number| (domains[number].clone(), rule.clone())));
    }
    pairs.extend([
        (edged(&domains[3], "u=reflect"), shipped("heat")),
        (edged(&domains[2], "u=2.5"), shipped("heat")),
        (edged(&domains[4], "alive=true"), shipped("life")),
        (with_flags(&domains[2], &["u=2.5 at +y", "u=reflect at -y"].map(str::to_owned)).unwrap(), shipped("heat")),
        (edged(&domains[4], "alive=true at -x"), shipped("life")),
        (domains[1].clone(), own("noisy")),
        (domains[7].clone(), own("total")),
        (domains[7].clone(), shipped("heat")),
    ]);
    let hardware = without_caches();
    let windows = |case: &Case, ranks: u32| {
        let program = Program::of(&case.rule, &cpu::usual_target(Some(&hardware))).unwrap();
        program.plan.cut(&case.rule, (0, ranks), None).window()
    };
    let cases: Vec<(u64, usize, Case)> = (0..)
        .zip(pairs)
        .flat_map(|(number, (domain, rule))| {
            let case = Case::new(&domain, 1, &rule, number, LONG);
            [2, 3, 5, 8].map(|ranks| (number, ranks, case.clone()))
        })
        .collect();
    for (_, ranks, case) in &cases {
        let is_band = matches!(windows(case, *ranks as u32), Window::Band { steps: 2.. });
        // Kernels of bits that draw copy rows and run a step at a time.
        assert_eq!(is_band, case.rule.name != "noisy", "{} on {}", case.rule.name, case.domain());
    }
    let some: Vec<_> = cases.into_iter().enumerate().filter(|(index, _)| is_chosen(*index, 9)).collect();
    let agreed = in_parallel(&some, |(index, (_, ranks, case))| {
        let builder = || {
            let builder = case.builder().backend(Backend::Cpu).threads(1 + index % 2);
            builder.hardware(hardware.clone()).activity(index % 3 > 0)
        };
        agree(case, *ranks, builder)
    });
    let differ: String = agreed.into_iter().filter_map(Result::err).collect();
    assert!(differ.is_empty(), "{differ}");
}

#[test]
fn what_rests_on_one_rank_sees_what_moves_on_others() {
    speciality::reached();
    let rules = library(RESTING).rules;
    let cases: Vec<_> = (0..)
        .zip(rules.iter().flat_map(|rule| domains().into_iter().map(move |domain| (rule, domain))))
        .filter_map(|(number, (rule, (fractal, level)))| {
            let ranks = RANKS[number as usize % 4];
            Some((number, ranks, Case::admitted(&fractal, level, rule, number, LONG)?))
        })
        .collect();
    all_agree(&cases, 15);
    assert!(speciality::reached().contains(&Speciality::Activity), "nothing rests");
}

/// States that are read in pieces, written, and begun anew are those of one engine.
#[test]
fn states_are_read_and_written_as_on_one_rank() {
    let work = |mut simulation: Simulation| -> Result<Vec<String>, Error> {
        let (cells, mut seen) = (simulation.domain().cells(), Vec::new());
        let mut see = |simulation: &Simulation| -> Result<(), Error> {
            let (observed, digests) = (simulation.observe()?, simulation.digests()?);
            seen.push(format!(
                "{} {observed:?} {digests:?} {:?}",
                simulation.time(),
                simulation.value("n", cells / 3)?
            ));
            seen.push(format!("{:?}", simulation.is_finite(StateId(0))?));
            Ok(())
        };
        simulation.step(3)?;
        see(&simulation)?;
        let numbers: Vec<i32> = (0..cells as i32).map(|cell| cell * 7 % 1000).collect();
        simulation.set_field("n", 0, &numbers)?;
        let bits: Vec<bool> = (0..40).map(|cell| cell % 3 == 0).collect();
        simulation.set_field("b", 16, &bits)?;
        simulation.set_time(41);
        see(&simulation)?;
        simulation.step(2)?;
        see(&simulation)?;
        simulation.set_field("u", 5, &[f32::INFINITY])?;
        see(&simulation)?;
        simulation.restart(9, &[""; 0])?;
        simulation.step(4)?;
        see(&simulation)?;
        Ok(seen)
    };
    let sums = library(SUMS).rules.remove(0);
    for (fractal, level) in [(torus(), 6), (resolve::fractal("sierpinski_triangle").unwrap(), 7), (mask("sparse"), 1)] {
        let builder = || Simulation::builder(fractal.clone(), sums.clone()).level(level).seed(3).backend(Backend::Cpu);
        let wanted = work(builder().build().unwrap()).unwrap();
        for ranks in [2, 5] {
            let (found, others) = on_ranks(ranks, builder, work);
            assert_eq!(found.unwrap(), wanted, "{} on {ranks} ranks", fractal.name);
            others.into_iter().for_each(|other| other.unwrap());
        }
    }
}

/// Ranks send the messages and bytes that are counted before a run.
#[test]
fn what_ranks_send_is_known_before() {
    let triangle = resolve::fractal("sierpinski_triangle").unwrap();
    let carpet = resolve::fractal("sierpinski_carpet").unwrap();
    let sheet = library("domain sheet { size (900, 70)  periodic y }").fractals.remove(0);
    for (fractal, level, rule, ranks) in [
        (triangle, 9, "life", 5),
        (carpet, 5, "heat", 3),
        (torus(), 7, "ising", 2),
        (sheet, 1, "gray_scott", 4),
        (mask("sparse"), 1, "life", 3),
    ] {
        let builder =
            || Simulation::builder(fractal.clone(), resolve::rule(rule).unwrap()).level(level).backend(Backend::Cpu);
        let rule = Domain::new(fractal.clone(), level).unwrap().fit(&resolve::rule(rule).unwrap()).unwrap();
        let mut target = squeeze::cpu::usual_target(None);
        target.machine = target.machine.shared_by(ranks);
        let counted = Traffic::of(&rule, &target, ranks).unwrap();
        let transport = |wire| Arc::new(Transport::new(wire, 1, PATIENT));
        let transports: Vec<Arc<Transport>> = wires(ranks as usize).into_iter().map(transport).collect();
        const PASSES: u32 = 5;
        thread::scope(|scope| {
            for transport in &transports[1..] {
                scope.spawn(move || builder().serve(transport, &mut StateShare::new(false)).unwrap());
            }
            let mut simulation = builder().ranks(Arc::clone(&transports[0])).build().unwrap();
            simulation.step(u64::from(PASSES * counted.steps_of_pass)).unwrap();
        });
        for (rank, (counted, transport)) in counted.ranks.iter().zip(&transports).enumerate() {
            let sent = transport.sent(MessageKind::Ghosts);
            let passes = u64::from(PASSES);
            let expected = Sent { messages: passes * counted.messages, bytes: passes * counted.bytes };
            assert_eq!(sent, expected, "{} by rank {rank} of {ranks}", fractal.name);
            assert!(sent.bytes > 0 && counted.peers > 0);
        }
    }
}

/// The message of a refusal on rank 0; all other ranks end as well.
fn refusal(ranks: usize, builder: impl Fn() -> SimulationBuilder + Sync) -> String {
    let (found, others) = on_ranks(ranks, builder, |_| Ok(()));
    let error = found.unwrap_err();
    assert!(error.is_users(), "{error}");
    assert!(others.iter().all(Result::is_err), "a rank did not hear of it");
    error.to_string()
}

#[test]
fn simulations_that_cannot_be_divided_are_refused() {
    let triangle = resolve::fractal("sierpinski_triangle").unwrap();
    let with = |rule: &str, level: u32| {
        Simulation::builder(triangle.clone(), resolve::rule(rule).unwrap()).level(level).backend(Backend::Cpu)
    };
    let told = refusal(4, || with("life", 1));
    assert!(told.contains("too small for 4 ranks"), "{told}");
    let told = refusal(2, || with("life", 6).backend(Backend::Reference));
    assert!(told.contains("`reference` runs on one rank"), "{told}");
    let ordered = library("rule ordered { state a: i32  step sweep from (+x, +y) { next a = a[-1, 0] else 1 } }");
    let square = resolve::fractal("full_square").unwrap();
    let builder = || Simulation::builder(square.clone(), ordered.rules[0].clone()).level(5).backend(Backend::Cpu);
    let told = refusal(2, builder);
    assert!(told.contains("step `sweep`") && told.contains("one rank"), "{told}");
    let sheet = library("domain sheet { size (5, 1) }").fractals.remove(0);
    let told = refusal(4, || Simulation::builder(sheet.clone(), resolve::rule("life").unwrap()).backend(Backend::Cpu));
    assert!(told.contains("too small for 4 ranks"), "{told}");
}

/// With faulty wires a run ends, with the right states or with an error on each rank that does not know better.
#[test]
fn runs_over_faulty_wires_end() {
    let (triangle, life) = (resolve::fractal("sierpinski_triangle").unwrap(), resolve::rule("life").unwrap());
    let builder =
        || Simulation::builder(triangle.clone(), life.clone()).level(7).seed(1).backend(Backend::Cpu).threads(1);
    let work = |mut simulation: Simulation| {
        simulation.step(30)?;
        Ok(simulation.digests()?[0].1)
    };
    let wanted = work(builder().build().unwrap()).unwrap();
    let faults = [
        WireFault::Reordered,
        WireFault::Late,
        WireFault::Doubled,
        WireFault::Dropped,
        WireFault::Flipped,
        WireFault::Stopped,
    ];
    let faults = [&faults[..], &[WireFault::Stalled(Duration::from_secs(1))]].concat();
    let seeds = if squeeze_tests::all_cases() { 40 } else { 2 };
    let cases: Vec<(WireFault, u64)> = faults.iter().flat_map(|fault| (0..seeds).map(|seed| (*fault, seed))).collect();
    in_parallel(&cases, |(fault, seed)| {
        let faulty = wires(4).into_iter().map(|wire| Box::new(FaultyWire::over(wire, *fault, *seed)) as Box<dyn Wire>);
        let (start, deadline) =
            (Instant::now(), if fault.is_harmless() { PATIENT } else { Duration::from_millis(400) });
        let (found, _) = over((faulty.collect(), deadline), builder, |_| Box::new(StateShare::new(false)), work);
        match found {
            Ok(digest) => assert_eq!(digest, wanted, "{fault:?}, seed {seed}"),
            Err(error) => assert!(!fault.is_harmless(), "{fault:?}, seed {seed}: {error}"),
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{fault:?}, seed {seed}");
    });
}

/// Rows that wrap, more ranks than rows, and columns that stand alone.
#[test]
fn parts_of_rows_may_be_smaller_than_rows() {
    let text = "
        domain high { size (1540, 7)  cells random(0.6)  periodic y }
        domain wide { size (9000, 2)  periodic }
        domain line { size (70000, 1) }
        domain deep { size (40, 5, 6)  cells random(0.2)  periodic z }
        rule few { state a: bit  init a = random(0.4)  next a = count(von_neumann, nb.a) == 1  observe all = sum(a) }
        rule few_3d {
            state u: f32
            init u = f32(x + 2 * z)
            next u = 0.5 * u + 0.25 * sum(von_neumann, nb.u)
            observe all = sum(u)
        }";
    let all = library(text);
    let cases: Vec<_> = (0..)
        .zip(all.fractals.iter().flat_map(|fractal| all.rules.iter().map(move |rule| (fractal, rule))))
        .filter_map(|(number, (fractal, rule))| Some((number, Case::admitted(fractal, 1, rule, number, STRIDES)?)))
        .flat_map(|(number, case)| [2, 3, 4, 6].map(|ranks| (number, ranks, case.clone())))
        .collect();
    all_agree(&cases, 16);
}

/// Stops a sweep when this many members have come to their ends.
struct Until(usize, usize);

impl Watch for Until {
    fn wants_stop(&self) -> bool {
        self.1 >= self.0
    }

    fn progress(&mut self, _: u64, _: u64, members: usize) {
        self.1 = members;
    }
}

/// A sweep, by workers of this process and by ranks, in a folder that is there or is made.
fn swept(
    (sweep, path): (&Sweep, &Path),
    (workers, wires): (usize, Vec<Box<dyn Wire>>),
    (members, deadline): (usize, Duration),
) -> Result<bool, Error> {
    let transport = |wire| Arc::new(Transport::new(wire, 1, deadline));
    let transports: Vec<Arc<Transport>> = wires.into_iter().map(transport).collect();
    let devices: Vec<u32> = (0..workers as u32).collect();
    let mut how = How::default();
    (how.backend, how.threads, how.devices) = (Backend::Cpu, Some(2), &devices);
    thread::scope(|scope| {
        let other = |transport| {
            scope.spawn(move || -> Result<(), Error> {
                let beats = Beats::of(transport);
                let served = serve(how, transport, &[]);
                drop(beats);
                match served {
                    Ok(()) => Ok(transport.finish()?),
                    Err(error) => Err(transport.fail(error.to_string(), false).into()),
                }
            })
        };
        let others: Vec<_> = transports.iter().skip(1).map(other).collect();
        let mut how = how;
        how.ranks = transports.first().map(|first| &**first);
        let beats = transports.first().map(Beats::of);
        let (folder, sweep) = match path.exists() {
            true => SweepFolder::open(path)?,
            false => (SweepFolder::create(path, sweep)?, sweep.clone()),
        };
        let done = run(&folder, &sweep, how, &[], &mut Until(members, 0)).map(|summary| summary.is_some());
        drop(beats);
        if let (Some(first), true) = (transports.first(), done.is_ok()) {
            first.finish()?;
            others.into_iter().try_for_each(|other| other.join().unwrap())?;
        }
        done
    })
}

/// The tables of a sweep.
fn tables(path: &Path) -> Vec<String> {
    ["members", "observables", "ends", "times", "summary"]
        .map(|table| std::fs::read_to_string(path.join(format!("{table}.csv"))).unwrap())
        .to_vec()
}

/// Sweeps of rules that draw, end by themselves and have ordered steps, on domains of several levels and of drawn cells.
fn sweeps(place: &Path) -> Vec<Sweep> {
    let texts = "
        domain rock { size (5, 4)  cells random(0.7) from disorder }
        rule spins { param p: f32 = 0.1  state up: bit  init up = random(0.5)  next up = up != random(p)  observe ones = count(up) }
        rule relaxed { state a: i32  init a = i32(4 * uniform())  step sweep from (+x, +y) { next a = (a[-1, 0] else 1) + a[0, -1] else 2 }
                       observe all = sum(a)  observe last = max(a) at end }
        rule ended { state n: i32  init n = i32(40 * uniform())  next n = n + 1  observe most = max(n)  stop when most > 43 }";
    let file = |name: &str| {
        let path = place.join(format!("texts.{name}"));
        std::fs::write(&path, texts).unwrap();
        path.display().to_string()
    };
    let (domain, rules) = (file("fractal"), file("rule"));
    let sweep = |fractal: &str, rule: &str, levels: &[u32], (seeds, settings): (&str, &[&str])| {
        let cells = first_cells(&[], seeds, None).unwrap();
        let (fractal, fractal_texts) = resolve::domain_with_cells(fractal, &resolve::Edges::default(), &cells).unwrap();
        let (rule, rule_texts) = resolve::rule_with_texts(&format!("{rules}#{rule}")).unwrap();
        let domains: Vec<_> = levels.iter().map(|level| Domain::new(fractal.clone(), *level).unwrap()).collect();
        let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let mut wishes = Wishes::default();
        (wishes.seeds, wishes.settings, wishes.observe_every) = (seeds, &settings, Some(3));
        Sweep::new(fractal_texts, rule_texts, &rule, &domains, 20, wishes, &[]).unwrap()
    };
    vec![
        sweep("sierpinski_carpet", "spins", &[1, 2], ("0..9", &["p=0.1,0.2,0.3"])),
        sweep(&domain, "spins", &[1], ("0..12", &[])),
        sweep("P30,20", "relaxed", &[1], ("0..7", &[])),
        sweep("sierpinski_triangle", "ended", &[7], ("0..11", &[])),
    ]
}

/// Members that are dealt out make the tables of one worker, also of a sweep that was stopped and went on among others.
#[test]
fn sweeps_are_what_one_worker_makes_of_them() {
    let place = tempfile::tempdir().unwrap();
    for (number, sweep) in sweeps(place.path()).iter().enumerate() {
        let path = |name: &str| place.path().join(format!("{number}{name}"));
        let alone = path("alone");
        assert!(swept((sweep, &alone), (0, Vec::new()), (usize::MAX, PATIENT)).unwrap());
        for (workers, ranks) in [(2, 0), (3, 0), (1, 2), (1, 5)] {
            let path = path(&format!("{workers}{ranks}"));
            assert!(swept((sweep, &path), (workers, wires(ranks)), (usize::MAX, PATIENT)).unwrap());
            assert_eq!(tables(&path), tables(&alone), "{workers} workers, {ranks} ranks");
            assert!(!path.join("members").exists());
        }
        let stopped = path("stopped");
        // The last members may come to their ends before they are told to stop.
        swept((sweep, &stopped), (1, wires(3)), (1, PATIENT)).unwrap();
        assert!(swept((sweep, &stopped), (3, Vec::new()), (usize::MAX, PATIENT)).unwrap());
        assert_eq!(tables(&stopped), tables(&alone));
    }
}

/// A sweep that is stopped at once ends well on all ranks.
#[test]
fn sweeps_are_stopped_before_they_begin() {
    let place = tempfile::tempdir().unwrap();
    let sweep = &sweeps(place.path())[0];
    for ranks in [2, 3, 5] {
        let path = place.path().join(ranks.to_string());
        assert!(!swept((sweep, &path), (1, wires(ranks)), (0, PATIENT)).unwrap(), "{ranks} ranks");
    }
}

/// A collector whose probe panics.
struct Panicking;

impl Probe for Panicking {
    fn take(&mut self, _: &Simulation, _: &mut Vec<u8>) -> Result<(), Error> {
        panic!("a probe panics")
    }
}

impl Collector for Panicking {
    fn name(&self) -> &'static str {
        "overlaps"
    }

    fn ending(&self) -> &'static str {
        "panic"
    }

    fn wanted(&self, _: &Rule, _: &Domain, members: usize) -> Result<Option<serde_json::Value>, Error> {
        Ok(Some(members.into()))
    }

    fn bytes(&self, _: &serde_json::Value) -> Option<u64> {
        Some(1)
    }

    fn probe(&self, _: &Simulation, _: Option<usize>) -> Result<Box<dyn Probe>, Error> {
        Ok(Box::new(Panicking))
    }

    fn finish(&self, _: &serde_json::Value, _: &Gathered<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// A panic of a worker is passed on, and waited for by nobody.
#[test]
fn panics_of_workers_end_a_sweep() {
    let place = tempfile::tempdir().unwrap();
    let text = "rule spins { state up: bit  init up = random(0.5)  next up = up  observe q = overlap(up) }";
    std::fs::write(place.path().join("spins.rule"), text).unwrap();
    let (fractal, fractal_texts) = resolve::domain_with_texts("vicsek", &resolve::Edges::default()).unwrap();
    let (rule, rule_texts) = resolve::rule_with_texts(&place.path().join("spins.rule").display().to_string()).unwrap();
    let domain = Domain::new(fractal, 2).unwrap();
    let mut wishes = Wishes::default();
    wishes.seeds = "0..6";
    let sweep = Sweep::new(fractal_texts, rule_texts, &rule, &[domain], 3, wishes, &[&Panicking]).unwrap();
    for devices in [&[][..], &[0, 1]] {
        let folder = SweepFolder::create(&place.path().join(devices.len().to_string()), &sweep).unwrap();
        let mut how = How::default();
        (how.backend, how.threads, how.devices) = (Backend::Cpu, Some(2), devices);
        let work = || run(&folder, &sweep, how, &[&Panicking], &mut Until(usize::MAX, 0)).map(drop);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
    }
}

/// Over faulty wires a sweep ends, with the right tables or an error, and goes on from what there is.
#[test]
fn sweeps_over_faulty_wires_end() {
    let place = tempfile::tempdir().unwrap();
    let sweep = &sweeps(place.path())[0];
    let alone = place.path().join("alone");
    assert!(swept((sweep, &alone), (0, Vec::new()), (usize::MAX, PATIENT)).unwrap());
    let faults = [WireFault::Reordered, WireFault::Doubled, WireFault::Dropped, WireFault::Flipped, WireFault::Stopped];
    let seeds = if squeeze_tests::all_cases() { 100 } else { 2 };
    let cases: Vec<(WireFault, u64)> = faults.iter().flat_map(|fault| (0..seeds).map(|seed| (*fault, seed))).collect();
    in_parallel(&cases, |(fault, seed)| {
        let path = place.path().join(format!("{fault:?}{seed}"));
        let faulty = wires(4).into_iter().map(|wire| Box::new(FaultyWire::over(wire, *fault, *seed)) as Box<dyn Wire>);
        let deadline = if fault.is_harmless() { PATIENT } else { Duration::from_millis(400) };
        let start = Instant::now();
        match swept((sweep, &path), (1, faulty.collect()), (usize::MAX, deadline)) {
            Ok(is_whole) => assert!(is_whole),
            Err(error) => assert!(!fault.is_harmless(), "{fault:?}, seed {seed}: {error}"),
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{fault:?}, seed {seed}");
        assert!(swept((sweep, &path), (2, Vec::new()), (usize::MAX, PATIENT)).unwrap());
        assert_eq!(tables(&path), tables(&alone), "{fault:?}, seed {seed}");
    });
}
