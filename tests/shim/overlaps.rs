//! Rows of bits that are counted on the device, and the matrices of sweeps, whose members are computed together.

use super::sweeps::Nobody;
use squeeze::sweep::work::{self, How};
use squeeze::sweep::{Sweep, SweepFolder, Wishes};
use squeeze::{Backend, Domain, resolve};
use squeeze_overlap::cuda::{GpuKernel, OverlapDevice};
use squeeze_overlap::{CountingKernel, Counts, Overlaps};

/// Counts of pairs of rows of bits, and the matrices of sweeps, whose members are computed together.
pub(crate) fn overlaps() {
    let device = OverlapDevice::first().unwrap();
    assert_eq!(device.kernels(), [GpuKernel::Mma, GpuKernel::Popc]);
    for (rows, bits) in [(1, 1), (2, 33), (5, 513), (31, 700), (33, 2049), (70, 1000), (129, 4097), (257, 97)] {
        let own = squeeze_overlap::bench::random(rows, bits);
        let expected = Counts::of(&own, CountingKernel::best());
        for kernel in device.kernels() {
            let mut counts = Counts::new(rows);
            counts.add_by(&device, kernel, &own).unwrap();
            assert!(counts == expected, "{rows} rows of {bits} bits by {}", kernel.name());
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spins.rule");
    let text = "rule spins {\n    param p: f32 = 0.5\n    state up: bit\n    state kind: enum { a, b }\n    init up = random(p)\n    \
                init kind = if random(0.3) { a } else { b }\n    let near = any(moore, nb.up)\n    \
                next up = if near { random(p) } else { !up }\n    observe ups = sum(up)\n    observe q = overlap(up)\n    \
                observe bond = overlap(up != up[0, 1] else true)\n    observe few = overlap(kind == a && !all(moore, nb.near))\n}\n";
    std::fs::write(&path, text).unwrap();
    let (fractal, fractal_texts) = resolve::domain_with_texts("vicsek", &resolve::Edges::default()).unwrap();
    let (rule, rule_texts) = resolve::rule_with_texts(&path.display().to_string()).unwrap();
    let settings = ["p=0.3,0.6".to_owned()];
    let mut wishes = Wishes::default();
    (wishes.seeds, wishes.settings, wishes.observe_every) = ("0..4", &settings, Some(4));
    let domain = Domain::new(fractal, 3).unwrap();
    let sweep =
        Sweep::new(fractal_texts, rule_texts, &rule, std::slice::from_ref(&domain), 10, wishes, &[&Overlaps]).unwrap();
    let matrices = [Backend::Reference, Backend::Cuda].map(|backend| {
        let path = folder.path().join(backend.name());
        let kept = SweepFolder::create(&path, &sweep).unwrap();
        let mut how = How::default();
        how.backend = backend;
        work::run(&kept, &sweep, how, &[&Overlaps], &mut Nobody).unwrap().expect("nobody stops it");
        let of_step =
            |name: &str, step: u32| std::fs::read(path.join("overlap").join(name).join(format!("{step}.npy"))).unwrap();
        ["q", "bond", "few"].map(|name| [0, 4, 8, 10].map(|step| of_step(name, step)))
    });
    assert!(matrices[0] == matrices[1] && matrices[0][0][0] != matrices[0][1][0]);
    println!("counts and 12 matrices agree");
}
