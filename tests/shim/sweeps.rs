//! Sweeps, whose members are computed together: their tables.

use squeeze::compiler::pipeline::compiled;
use squeeze::sweep::work::{self, How, Watch};
use squeeze::sweep::{Given, Sweep, SweepFolder, Wishes};
use squeeze::{Backend, Domain, resolve};

/// A watch that shows nothing.
pub(crate) struct Nobody;

impl Watch for Nobody {}

/// Sweeps give the same tables on the CPU and on the device, whatever is computed together and what was there before.
pub(crate) fn sweeps() {
    let folder = tempfile::tempdir().unwrap();
    let diverging = folder.path().join("diverging.rule");
    let text = "rule diverging {\n    param a: f64 = 1.0\n    state u: f64\n    init u = 1.0 + f64(uniform())\n    next u = u * a\n    \
                observe total = sum(u)\n    observe halves = sum(u) by level 1\n    \
                observe ended = [step, total] at end\n    stop when total > 1e250\n}\n";
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
        let mut wishes = Wishes::default();
        (wishes.seeds, wishes.settings, wishes.observe_every) = ("0..5", &settings, Some(7));
        let domain = Domain::new(fractal, level).unwrap();
        let mut sweep =
            Sweep::new(fractal_texts, rule_texts, &rule, std::slice::from_ref(&domain), 30, wishes, &[]).unwrap();
        if rule.name == "ising" {
            let pattern = folder.path().join("start.rle");
            std::fs::write(&pattern, "x = 3, y = 3\n3o$bo$o!\n").unwrap();
            sweep.init = vec![format!("up={}", pattern.display())];
            let mut how = How::default();
            how.backend = Backend::Reference;
            let mut first = work::first(&sweep, 0, how).unwrap();
            sweep.given = Given::read(&mut first, &sweep.init).unwrap().0.digests();
        }
        let tables = [Backend::Cpu, Backend::Cuda].map(|backend| {
            let path = folder.path().join(format!("{number}-{}", backend.name()));
            let kept = SweepFolder::create(&path, &sweep).unwrap();
            let mut how = How::default();
            (how.backend, how.threads) = (backend, (backend == Backend::Cpu).then_some(2));
            let before = compiled();
            let first = work::first(&sweep, 0, how).unwrap();
            work::run_keeping(work::KEEP, &kept, &sweep, (how, Some(first)), &[], &mut Nobody)
                .unwrap()
                .expect("nobody stops it");
            // On a GPU kernels of one member are others than those of several.
            assert_eq!(compiled() - before, if backend == Backend::Cuda { 2 } else { 1 });
            ["members.csv", "observables.csv", "summary.csv", "ends.csv", "times.csv"]
                .map(|table| std::fs::read_to_string(path.join(table)).unwrap())
        });
        assert_eq!(tables[0], tables[1], "{} on {}", rule.name, domain.fractal().name);
        if number == 0 {
            let path = folder.path().join("devices");
            let kept = SweepFolder::create(&path, &sweep).unwrap();
            let mut how = How::default();
            (how.backend, how.devices) = (Backend::Cuda, &[0, 1]);
            work::run(&kept, &sweep, how, &[], &mut Nobody).unwrap().expect("nobody stops it");
            for (table, one) in ["members.csv", "observables.csv", "summary.csv"].iter().zip(&tables[1]) {
                assert_eq!(std::fs::read_to_string(path.join(table)).unwrap(), *one, "{table} by two devices");
            }
        }
        assert!(tables[0][1].lines().count() > 5, "{}", tables[0][1]);
    }
    println!("{} sweeps agree", cases.len());
}
