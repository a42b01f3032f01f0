//! A GPU whose memory others fill.

use squeeze::compiler::plan::member_candidates;
use squeeze::compiler::target::Machine;
use squeeze::{Backend, Domain, Failure, Member, Simulation, cuda, resolve};
use squeeze_papers::{ByStrategy, Strategy, StrategyChoice};

/// So many bytes are left.
fn leave(megabytes: u64) {
    // SAFETY: nothing else runs in this process that reads variables.
    unsafe { std::env::set_var("SQUEEZE_SHIM_FREE", (megabytes << 20).to_string()) };
}

/// Whether the user is at fault, the message and the help.
fn refused(level: u32, choice: StrategyChoice) -> (bool, String) {
    let (fractal, rule) = (resolve::fractal("vicsek").unwrap(), resolve::rule("heat").unwrap());
    let builder = Simulation::builder(fractal, rule).level(level).backend(Backend::Cuda).strategy_choice(choice);
    let error = builder.build().err().expect("there is no room");
    (error.is_users(), format!("{error}: {}", error.help().join("; ")))
}

/// The message on a full device, at any level of free memory: it gives the free memory, the tool that shows other programs, and a backend that needs no GPU.
pub(crate) fn full_devices_say_so() {
    let squeeze = StrategyChoice { strategy: Some(Strategy::Squeeze), ..StrategyChoice::default() };
    for choice in [StrategyChoice::default(), squeeze] {
        for (left, words) in [
            (20, "less is free than the driver begins with"),
            (200, "210 MB of its 4.29 GB"),
            (256, "268 MB to others"),
        ] {
            leave(left);
            let (users, message) = refused(3, choice);
            assert!(!users, "others fill it: {message}");
            for word in ["other programs fill the GPU", words, "nvidia-smi", "--backend cpu"] {
                assert!(message.contains(word), "{left}: no `{word}`: {message}");
            }
            let report = cuda::Report::of_machine();
            let problems: Vec<String> = report.problems().iter().map(|problem| problem.to_string()).collect();
            assert!(problems.iter().any(|problem| message.starts_with(problem)), "{left}: {problems:?}");
        }
        leave(300);
        let (users, message) = refused(12, choice);
        assert!(users && message.contains("largest level that fits"), "{message}");
        assert!(
            message.contains("315 MB of the GPU's memory is free") && message.contains("--backend cpu"),
            "{message}"
        );
        leave(2000);
        assert!(cuda::Report::of_machine().problems().is_empty());
    }
    println!("messages of full devices agree");
}

/// Members whose parameters begin to differ cannot be lanes any more. Without room for them apart they are as before.
pub(crate) fn members_without_room_for_others_stay() {
    let (carpet, rule) = (resolve::fractal("sierpinski_carpet").unwrap(), resolve::rule("cyclic").unwrap());
    let members = |apart: i32| -> Vec<Member> {
        (0..70).map(|seed| Member::new(seed).param("threshold", 2 + apart * (seed % 2) as i32)).collect()
    };
    let builder = || Simulation::builder(carpet.clone(), rule.clone()).level(2);
    let domain = Domain::new(carpet.clone(), 2).unwrap();
    let plan = member_candidates(&domain, &rule, &Machine::gpu(), 70).remove(0);
    let lanes = builder().backend(Backend::Cuda).plan(plan).members(members(0));
    let mut ensembles = [lanes, builder().backend(Backend::Cpu).members(members(0))].map(|all| all.build().unwrap());
    ensembles.iter_mut().for_each(|ensemble| ensemble.step(2).unwrap());
    leave(200);
    let error = ensembles[0].restart(&members(1)).expect_err("there is no room");
    assert!(error.to_string().contains("other programs fill the GPU"), "{error}");
    leave(2000);
    ensembles.iter_mut().for_each(|ensemble| ensemble.step(3).unwrap());
    assert_eq!(ensembles[0].digests().unwrap(), ensembles[1].digests().unwrap());
    ensembles.iter_mut().for_each(|ensemble| ensemble.restart(&members(1)).unwrap());
    ensembles.iter_mut().for_each(|ensemble| ensemble.step(3).unwrap());
    assert_eq!(ensembles[0].digests().unwrap(), ensembles[1].digests().unwrap());
    println!("members without room for others agree with those of the CPU");
}
