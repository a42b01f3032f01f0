//! The comparison of random programs finds planted errors, and reduces the programs that show them.

use squeeze::Backend;
use squeeze_tests::compare::executors::{Executor, Wanted, executors};
use squeeze_tests::compare::{Seen, Size, Trial, compare, shrink};
use squeeze_tests::course::Case;
use std::process::Command;
use std::time::Duration;

/// An executor that shifts to the wrong side.
struct Broken(Trial);

impl Executor for Broken {
    fn name(&self) -> String {
        "broken".to_owned()
    }

    fn run(&self, _: &Case) -> Seen {
        let text = self.0.text.replace("<<", "left").replace(">>", "<<").replace("left", ">>");
        let Some(case) = Trial { text, ..self.0.clone() }.case() else { return Seen::Nothing };
        Seen::Sights(case.by_simulation(Backend::Reference, 1).expect("the oracle runs what it ran before"))
    }
}

fn with_broken(trial: &Trial) -> Vec<Box<dyn Executor>> {
    let mut all = executors(trial, 1, Wanted { cpu: false, cuda: false, rust: 0, members: 0 });
    all.push(Box::new(Broken(trial.clone())));
    all
}

#[test]
fn a_broken_executor_is_found_and_its_program_reduced() {
    let trials = (0..3000).filter_map(|number| Trial::new(11, number, Size::Small));
    let differs = |trial: &Trial| compare(trial, &with_broken(trial)).difference.is_some();
    // Several, and no short ones.
    let wrong: Vec<Trial> = trials.filter(|trial| trial.text.len() > 1200).filter(differs).take(3).collect();
    assert_eq!(wrong.len(), 3, "too few programs of shifts");
    for trial in wrong {
        let small = shrink(&trial, &mut { differs }, Duration::from_secs(120));
        assert!(differs(&small), "the reduced program still differs:\n{small}");
        assert!(["<<", ">>"].iter().any(|word| small.text.contains(word)), "{small}");
        assert!(
            small.text.len() < 400 && small.level <= 2,
            "{} bytes of {}:\n{small}",
            small.text.len(),
            trial.text.len()
        );
    }
}

#[test]
fn programs_agree_and_are_counted() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compare"));
    let output = command.args(["--programs", "60", "--seed", "5", "--rust", "30"]).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for words in [
        "by reference",
        "by cpu",
        "by cpu, members in turn",
        "by cpu, members as lanes",
        "by cpu by ranks",
        "by emitted Rust",
        "programs of seed 5",
        "0 differences",
    ] {
        assert!(text.contains(words), "no {words}:\n{text}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_compare"))
        .args(["--programs", "4", "--seed", "5", "--level", "large", "--cells", "20000"])
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
