//! The document's claims about encodings.

use super::{Experiment, PackingMethod};
use crate::Encoding;
use squeeze_bench::claim::{Claim, FORMULA, short};

/// The GPU of the document.
const HARDWARE: &str = "RTX 4080";

/// The document's claims, with the results of these experiments.
pub(super) fn claims(experiments: &[Experiment], most: f64) -> Vec<Claim> {
    let of = |name: &str| experiments.iter().find(|experiment| experiment.name == name).expect("it was run");
    let [setup, apply, density, memory] =
        ["setup-by-size", "apply-by-size", "apply-by-density", "memory-of-all"].map(of);
    let [permutation, inclusive, exclusive, dynamic, _] = Encoding::ALL.map(Encoding::name);
    let together = PackingMethod::Together(Encoding::DynamicExclusive).name();
    let best = |x: f64| {
        [inclusive, exclusive, dynamic, &together].map(|name| density.at(name, x)).into_iter().fold(0.0, f64::max)
    };
    let ratio = |a: f64, b: f64| a / b;
    let times = |value: f64| format!("{} times", short(value));
    let mut claims = Vec::new();
    let mut say = |name: &'static str, says: &str, here: String, holds: bool| {
        claims.push(Claim::new(name, says, HARDWARE, here, holds));
    };
    let dense = ratio(density.at(permutation, 0.95), best(0.95));
    say(
        "apply-by-density",
        "the permutation packs 2 to 3 times as fast as trees at high densities",
        times(dense),
        (2.0..=3.0).contains(&dense),
    );
    let sparse = ratio(density.at(permutation, 0.02), best(0.02));
    say("apply-by-density", "and is still faster at low ones", times(sparse), sparse > 1.0);
    let gain = ratio(density.at(permutation, 0.5), best(0.5)) / sparse;
    say("apply-by-density", "trees gain on it below a density of about 4%", times(gain), gain > 1.0);
    let fixed = |x: f64| density.at(exclusive, x).max(density.at(inclusive, x));
    let tree = |x: f64| density.at(dynamic, x).max(density.at(&together, x));
    let high = ratio(tree(0.5), fixed(0.5));
    say(
        "apply-by-density",
        "the dynamic tree packs about 40% faster than the fixed ones at high densities",
        times(high),
        (1.2..=1.6).contains(&high),
    );
    let low = ratio(tree(0.02), fixed(0.02));
    say("apply-by-density", "and slower at low ones", times(low), low < 1.0);
    let [permuted, excluded, included] = [permutation, exclusive, inclusive].map(|name| density.at(name, 0.5));
    let (here, orders) = ordered([permuted, tree(0.5), excluded, included]);
    say(
        "apply-by-density",
        "at half density: permutation, dynamic, exclusive, inclusive, from fast to slow",
        here,
        orders,
    );
    let always = (apply.curves[0].1.iter()).all(|(x, _)| apply.at(exclusive, *x) > apply.at(inclusive, *x));
    let at_most = ratio(apply.at(exclusive, most), apply.at(inclusive, most));
    say("apply-by-size", "the fixed exclusive tree is always faster than the inclusive one", times(at_most), always);
    let set = ratio(setup.at(dynamic, most), setup.at(permutation, most));
    say("setup-by-size", "trees are set up faster than the permutation", times(set), set > 1.0);
    let mut tell =
        |says: &str, here: String, holds: bool| claims.push(Claim::new("memory-of-all", says, FORMULA, here, holds));
    let smaller = memory.at(exclusive, 0.5) < memory.at(inclusive, 0.5);
    tell("the fixed exclusive tree is smaller than the inclusive one", short(memory.at(exclusive, 0.5)), smaller);
    let least = [inclusive, exclusive].iter().all(|name| memory.at(dynamic, 0.5) < memory.at(name, 0.5));
    tell("the dynamic tree is the smallest", short(memory.at(dynamic, 0.5)), least);
    let largest = [inclusive, exclusive, dynamic].iter().all(|name| memory.at(permutation, 0.5) > memory.at(name, 0.5));
    let smallest =
        [inclusive, exclusive, dynamic].iter().all(|name| memory.at(permutation, 0.02) < memory.at(name, 0.02));
    let beside = |x: f64| {
        let trees = [inclusive, exclusive, dynamic].map(|name| short(memory.at(name, x)));
        format!("{} beside {}", short(memory.at(permutation, x)), trees.join(", "))
    };
    let both = format!("{}; at 2% {}", beside(0.5), beside(0.02));
    tell("the permutation takes the most memory at half density and the least at 2%", both, largest && smallest);
    let says = "best: 64 or 128 threads a block, to set up 256 or 512";
    claims.push(match experiments.iter().find(|experiment| experiment.name == "setup-by-block") {
        None => Claim::not_measured("apply-by-block", says, HARDWARE, "blocks of threads are a GPU's"),
        Some(setup) => {
            let apply = of("apply-by-block");
            let (applied, set_up) = (apply.best(&together), setup.best(dynamic));
            let holds = [64.0, 128.0].contains(&applied) && [256.0, 512.0].contains(&set_up);
            Claim::new("apply-by-block", says, HARDWARE, format!("{applied}, to set up {set_up}"), holds)
        }
    });
    claims
}

/// Speeds as they are told, and whether they fall from each to the next as far as that can be seen in them.
fn ordered(speeds: [f64; 4]) -> (String, bool) {
    let told = speeds.map(short);
    let falls = |pair: &[f64]| pair[0] > pair[1];
    let holds = speeds.windows(2).all(falls) && told.windows(2).all(|pair| pair[0] != pair[1]);
    (told.join(", "), holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_that_look_equal_are_in_no_order() {
        assert_eq!(ordered([400.0, 300.0, 201.0, 200.0]), ("400, 300, 201, 200".to_owned(), true));
        assert_eq!(ordered([400.0, 300.0, 200.4, 200.0]), ("400, 300, 200, 200".to_owned(), false));
        assert!(!ordered([400.0, 300.0, 200.0, 201.0]).1 && !ordered([400.0, f64::NAN, 200.0, 100.0]).1);
    }
}
