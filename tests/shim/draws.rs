//! Layouts whose warps make random planes together.

use super::cases::{builder, in_parallel, sights};
use squeeze::compiler::layout::Layout;
use squeeze::compiler::plan::Candidate;
use squeeze::compiler::{Target, compile};
use squeeze::{Backend, Domain, Member, cuda, resolve};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Kernels whose warps share the planes of their superblocks and decide the last cells one by one, in a simulation and in members, beside the
/// backend `cpu`, which other tests compare with the oracle. Not all warps are full, and members begin in the midst of a block.
pub fn draws() {
    // Columns of 243 lanes are two threads of four words, those of 125 one, and the others lie on whole blocks.
    let layouts = [
        ("sierpinski_triangle", [(7, 5, 1), (9, 5, 1), (10, 5, 2)].as_slice()),
        ("vicsek", &[(5, 3, 1), (6, 3, 0)]),
        ("sierpinski_carpet", &[(4, 3, 0), (4, 3, 1)]),
        ("full_square", &[(6, 4, 1), (6, 5, 0)]),
    ];
    let rules = ["ising", "forest_fire", "voter", "greenberg_hastings"].map(|name| resolve::rule(name).unwrap());
    let mut cases = Vec::new();
    for (fractal, layouts) in layouts {
        let fractal = resolve::fractal(fractal).unwrap();
        for (level, lane_digits, micro_digits) in layouts {
            let domain = Domain::new(Arc::clone(&fractal), *level).unwrap();
            let layout = Layout::new(&domain, *lane_digits, *micro_digits).unwrap();
            let plan = Candidate { layout, ..Candidate::of_rows(&domain).unwrap() };
            cases.extend(rules.iter().map(|rule| (domain.clone(), Arc::clone(rule), plan.clone())));
        }
    }
    let by_warps = AtomicUsize::new(0);
    in_parallel(&cases, |_, (domain, rule, plan)| {
        let what = format!("{} on {} at level {}, {plan:?}", rule.name, domain.fractal().name, domain.level());
        let planned = builder(domain, rule).backend(Backend::Cuda).plan(plan.clone());
        assert_eq!(sights(planned.clone()), sights(builder(domain, rule).backend(Backend::Cpu)), "{what}");
        let seeds = [7, 0, 0xffff_ffff_0000_0001];
        let members = planned.members(seeds.map(Member::new)).build();
        let mut ensemble = members.unwrap_or_else(|error| panic!("{what}: {error}"));
        ensemble.step(5).unwrap();
        let alone = seeds.map(|seed| {
            let mut simulation = builder(domain, rule).seed(seed).backend(Backend::Cpu).build().unwrap();
            simulation.step(5).unwrap();
            format!("{:?}", simulation.digests().unwrap())
        });
        let found: Vec<String> = ensemble.digests().unwrap().iter().map(|digests| format!("{digests:?}")).collect();
        assert_eq!(found, alone, "{what}");
        let compiled = compile(rule, domain, &Target { demanded: Some(plan.clone()), ..Target::cuda() }).unwrap();
        let text = cuda::program(domain, rule, &compiled).text;
        by_warps.fetch_add(usize::from(text.contains("blocks_of_warp(first_cell")), Relaxed);
    });
    let by_warps = by_warps.into_inner();
    println!("{} layouts agree, {by_warps} whose warps share planes", cases.len());
    assert_eq!(by_warps, 20, "all on the triangle and on Vicsek's");
}
