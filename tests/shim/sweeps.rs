//! Sweeps, whose members are computed together: their tables, and the matrices of their overlaps.

use squeeze::overlap::{Counts, Kernel, Overlaps};
use squeeze::sweep::work::{self, How, Watch};
use squeeze::sweep::{Shard, Sweep, SweepFolder, Wishes};
use squeeze::{Backend, Domain, cuda, resolve};

/// Somebody who looks away.
struct Nobody;

impl Watch for Nobody {}

/// Sweeps give the same tables on the CPU and on the device, whatever is computed together and what was there before.
pub fn sweeps() {
    let folder = tempfile::tempdir().unwrap();
    let diverging = folder.path().join("diverging.rule");
    let text = "rule diverging {\n    param a: f64 = 1.0\n    state u: f64\n    init u = 1.0 + f64(uniform())\n    next u = u * a\n    \
                observe total = sum(u)\n    observe halves = sum(u) by level 1\n}\n";
    std::fs::write(&diverging, text).unwrap();
    let diverging = diverging.display().to_string();
    let cases: [(&str, &str, u32, &[&str]); 5] = [
        ("sierpinski_carpet", "ising", 2, &["beta=0.3,0.5"]),
        ("sierpinski_triangle", "heat", 4, &["alpha=0.05,0.1"]),
        // It draws one cell for all and stops when nothing is left.
        ("vicsek", "aggregation", 2, &[]),
        ("sierpinski_triangle", "driven_sandpile", 3, &[]),
        ("vicsek", &diverging, 1, &["a=1,1e200"]),
    ];
    for (number, (fractal, rule, level, settings)) in cases.into_iter().enumerate() {
        let (fractal, fractal_texts) = resolve::domain_with_texts(fractal, &resolve::Edges::default()).unwrap();
        let (rule, rule_texts) = resolve::rule_with_texts(rule).unwrap();
        let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
        let wishes = Wishes {
            seeds: "0..5",
            settings: &settings,
            observe_every: Some(7),
            observe_at: None,
            discard: None,
            shard: Shard::WHOLE,
        };
        let domain = Domain::new(fractal, level).unwrap();
        let sweep = Sweep::new(fractal_texts, rule_texts, &rule, &domain, 30, wishes, &[]).unwrap();
        let tables = [Backend::Cpu, Backend::Cuda].map(|backend| {
            let path = folder.path().join(format!("{number}-{}", backend.name()));
            let kept = SweepFolder::create(&path, &sweep).unwrap();
            let how = How { backend, threads: (backend == Backend::Cpu).then_some(2) };
            work::run(&kept, &sweep, how, &[], &mut Nobody).unwrap().expect("nobody stops it");
            ["members.csv", "observables.csv", "summary.csv"]
                .map(|table| std::fs::read_to_string(path.join(table)).unwrap())
        });
        assert_eq!(tables[0], tables[1], "{} on {}", rule.name, domain.fractal().name);
        assert!(tables[0][1].lines().count() > 5, "{}", tables[0][1]);
    }
    println!("{} sweeps agree", cases.len());
}

/// What rows of bits have in common, and the matrices of sweeps, whose members are computed together.
pub fn overlaps() {
    let device = cuda::OverlapDevice::first().unwrap();
    assert_eq!(device.kernels(), [cuda::GpuKernel::Mma, cuda::GpuKernel::Popc]);
    for (rows, bits) in [(1, 1), (2, 33), (5, 513), (31, 700), (33, 2049), (70, 1000), (129, 4097), (257, 97)] {
        let own = squeeze::bench::overlap::random(rows, bits);
        let expected = Counts::of(&own, Kernel::best());
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
    let wishes = Wishes {
        seeds: "0..4",
        settings: &settings,
        observe_every: Some(4),
        observe_at: None,
        discard: None,
        shard: Shard::WHOLE,
    };
    let domain = Domain::new(fractal, 3).unwrap();
    let sweep = Sweep::new(fractal_texts, rule_texts, &rule, &domain, 10, wishes, &[&Overlaps]).unwrap();
    let matrices = [Backend::Reference, Backend::Cuda].map(|backend| {
        let path = folder.path().join(backend.name());
        let kept = SweepFolder::create(&path, &sweep).unwrap();
        work::run(&kept, &sweep, How { backend, threads: None }, &[&Overlaps], &mut Nobody)
            .unwrap()
            .expect("nobody stops it");
        let of_step =
            |name: &str, step: u32| std::fs::read(path.join("overlap").join(name).join(format!("{step}.npy"))).unwrap();
        ["q", "bond", "few"].map(|name| [0, 4, 8, 10].map(|step| of_step(name, step)))
    });
    assert!(matrices[0] == matrices[1] && matrices[0][0][0] != matrices[0][1][0]);
    println!("counts and 12 matrices agree");
}
