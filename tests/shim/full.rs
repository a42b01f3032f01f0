//! A GPU whose memory others fill.

use squeeze::{Backend, Failure, Simulation, cuda, resolve};
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
            let report = cuda::Report::new();
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
        assert!(cuda::Report::new().problems().is_empty());
    }
    println!("messages of full devices agree");
}
