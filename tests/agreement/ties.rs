//! Draws that further planes decide, on the oracle and the CPU.

use squeeze::Backend;
use squeeze_tests::course::{in_parallel, isa};
use squeeze_tests::ties::{decided, tied_runs};

#[test]
fn further_planes_decide() {
    let runs: Vec<_> = tied_runs(6).into_iter().enumerate().collect();
    let all = in_parallel(&runs, |(number, run)| {
        let wanted = run.hits(run.builder().backend(Backend::Reference));
        for packed in [false, true] {
            let builder = run.builder().backend(Backend::Cpu).threads(1 + number % 2).packed(packed);
            let builder = isa(*number as u64).into_iter().fold(builder, squeeze::SimulationBuilder::isa);
            assert_eq!(run.hits(builder), wanted, "{}, packed {packed}", run.what);
        }
        decided(run, &wanted.0)
    });
    let [missed, hit] = all.into_iter().fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
    assert!(missed > 1000 && hit > 1000, "{missed}, {hit}");
}
