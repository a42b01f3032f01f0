//! Work that the host starts long before it is done: passes as graphs, and observations of steps to come.

use super::cases::{builder, digests_of, domain, in_parallel, plan};
use squeeze::cuda::kit::{Blocks, Device, KernelCache, Memory, Nvrtc, load};
use squeeze::engine::EngineError;
use squeeze::simulation::SimulationError;
use squeeze::{Backend, Domain, Member, resolve};
use squeeze_tests::is_chosen;
use squeeze_tests::masks::mask;

/// Enough steps that passes are recorded as graphs.
pub(crate) fn graphs() {
    for (fractal, rule) in [("sierpinski_triangle", "life"), ("vicsek", "ising")] {
        let domain = domain(&resolve::fractal(fractal).unwrap(), 100);
        let rule = resolve::rule(rule).unwrap();
        let digests = |backend| {
            let mut simulation = builder(&domain, &rule).backend(backend).build().unwrap();
            simulation.step(1003).unwrap();
            simulation.step(701).unwrap();
            digests_of(&simulation)
        };
        assert_eq!(digests(Backend::Cuda), digests(Backend::Reference), "{} on {fractal}", rule.name);
    }
    println!("graphs agree");
}

/// A kernel whose module no code holds but the kernel itself. The shim unloads modules in truth.
pub(crate) fn kernels() {
    const TEXT: &str = "extern \"C\" __global__ void __launch_bounds__(32) number(unsigned *values) {\n\
                            values[threadIdx.x] = 7 * threadIdx.x;\n\
                        }\n";
    let (device, nvrtc) = (Device::first().unwrap(), Nvrtc::find().unwrap());
    let module = load(&device, &nvrtc, &KernelCache::none(), TEXT).unwrap();
    let kernel = module.function("number").unwrap();
    drop(module);
    let values = Memory::zeroed(&device, 4 * 32).unwrap();
    // SAFETY: the kernel takes this argument, of which each thread writes a word; the memory lives until the device was waited for.
    unsafe { kernel.launch(Blocks::new(1, 32).unwrap(), values.address()) }.unwrap();
    device.synchronize().unwrap();
    let mut bytes = [0; 4 * 32];
    values.download(0, &mut bytes).unwrap();
    let wanted: Vec<u8> = (0..32u32).flat_map(|number| (7 * number).to_le_bytes()).collect();
    assert_eq!(bytes[..], wanted);
    println!("kernels without a module agree");
}

/// Observations that the host asks for together, of one run and of members: each rule on every fourth domain, unless all are asked for.
pub(crate) fn ahead() {
    let totals = |name: &str| resolve::rule(&format!("gpu/totals.rule#{name}")).unwrap();
    let mut rules = vec![totals("totals"), totals("quiet")];
    rules.push(resolve::rule("life").unwrap());
    rules.push(resolve::rule("ising").unwrap());
    let fractals = ["sierpinski_triangle", "sierpinski_carpet", "full_square", "vicsek"];
    let fractals = fractals.iter().enumerate().flat_map(|(turn, name)| {
        let fractal = resolve::fractal(name).unwrap();
        let sizes = if turn % 2 == 0 { [900, 100] } else { [100, 900] };
        rules.iter().zip(sizes.into_iter().cycle()).map(move |(rule, most)| (domain(&fractal, most), rule))
    });
    let masks = ["ragged_torus", "sparse", "dense", "sheet"].iter().flat_map(|name| {
        let domain = Domain::new(mask(name), 1).unwrap();
        rules.iter().map(move |rule| (domain.clone(), rule))
    });
    let pairs = fractals.chain(masks).enumerate().filter(|(number, _)| is_chosen(number + number / 4, 4));
    let pairs: Vec<_> = pairs.map(|(_, pair)| pair).filter(|(domain, rule)| domain.admits(rule).is_ok()).collect();
    in_parallel(&pairs, |number, (domain, rule)| {
        let (name, is_mask) = (&domain.fractal().name, domain.levels().is_none());
        let mut wanted = builder(domain, rule).backend(Backend::Reference).seed(5).build().unwrap();
        // Fewer and more steps between observations than a pass computes; what is left of a pass.
        let strides: [(u32, u32); 5] = [(2, 5), (1, 9), (3, 2), (7, 3), (1, 80)];
        let wanted: Vec<Vec<String>> = strides
            .iter()
            .map(|(every, times)| {
                let mut look = || {
                    wanted.step(u64::from(*every)).unwrap();
                    format!("{:?}", wanted.observe().unwrap())
                };
                (0..*times).map(|_| look()).collect()
            })
            .collect();
        let plan = if number % 3 == 0 || is_mask { None } else { plan(domain, rule, number) };
        let one = plan.iter().fold(builder(domain, rule), |builder, plan| builder.plan(plan.clone()));
        let one = one.packed(is_mask && (number + number / 4) % 2 == 0);
        let mut one = match one.backend(Backend::Cuda).seed(5).build() {
            Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return,
            built => built.unwrap(),
        };
        assert!(one.observes_ahead());
        let what = format!("{} on {name} at level {}, {plan:?}", rule.name, domain.level());
        for ((every, times), wanted) in strides.iter().zip(&wanted) {
            let found: Vec<String> =
                one.step_observing(*every, *times).unwrap().iter().map(|values| format!("{values:?}")).collect();
            assert_eq!(found, *wanted, "{what}, {times} times after {every}");
            assert_eq!(format!("{:?}", one.observe().unwrap()), *wanted.last().unwrap(), "{what}");
        }
        let (digests, mut again) =
            (one.digests().unwrap(), builder(domain, rule).backend(Backend::Cpu).seed(5).build().unwrap());
        again.step(strides.iter().map(|(every, times)| u64::from(every * times)).sum()).unwrap();
        assert_eq!(digests, again.digests().unwrap(), "{what}");
        let seeds = [9, 5, 5].map(Member::new);
        let mut members = builder(domain, rule).backend(Backend::Cuda).members(seeds).build().unwrap();
        for ((every, times), wanted) in strides.iter().zip(&wanted).take(4) {
            let found = members.step_observing(*every, *times).unwrap();
            for (found, wanted) in found.iter().zip(wanted) {
                for member in &found[1..] {
                    assert_eq!(format!("{member:?}"), *wanted, "{what}, members");
                }
            }
        }
    });
    println!("{} cases agree", pairs.len());
}
