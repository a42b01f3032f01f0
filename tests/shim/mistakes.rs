//! Kernels with a mistake, which a comparison must find.

use super::cases::{builder, digests_of};
use squeeze::compiler::emit::papers::Map;
use squeeze::compiler::{Target, compile};
use squeeze::{Backend, Domain, Strategy, StrategyChoice, cuda, resolve};

/// Whole passes: what is loaded carries no others.
const STEPS: u64 = 4;

/// Kernels with one mistake each.
pub fn wrong_kernels_are_found() {
    let (triangle, rule) = (resolve::fractal("sierpinski_triangle").unwrap(), resolve::rule("life").unwrap());
    // The lowest level at which columns have several lanes.
    let domain = Domain::new(triangle, 11).unwrap();
    let lanes = cuda::program(&domain, &rule, &compile(&rule, &domain, &Target::cuda()).unwrap()).text;
    assert!(!lanes.contains("constexpr u32 LANES = 1;"));
    let by_warps = StrategyChoice { strategy: Some(Strategy::Squeeze), map: Some(Map::Warp), rho: Some(4) };
    let squeeze = cuda::grid_program(&by_warps.grid(&domain).unwrap().unwrap(), &rule).unwrap().text;
    let with = |strategy_choice: StrategyChoice, text: &str, right: &str, wrong: &str| {
        assert!(text.contains(right), "`{right}` stands in the text");
        let text = text.replacen(right, wrong, 1);
        let builder = builder(&domain, &rule).backend(Backend::Cuda).strategy_choice(strategy_choice);
        let code = cuda::LoadedCode { name: "wrong.cu".to_owned(), text };
        // SAFETY: it is what is printed, with a mistake that leaves all addresses within their memory.
        let mut simulation = unsafe { builder.load_cuda(code) }.build().ok()?;
        simulation.step(STEPS).ok()?;
        Some(simulation.digests().ok()?.into_iter().map(|(_, digest)| digest).collect::<Vec<_>>())
    };
    // Other tests compare this backend with the oracle.
    let mut right = builder(&domain, &rule).backend(Backend::Cpu).build().unwrap();
    right.step(STEPS).unwrap();
    let wanted = Some(digests_of(&right));
    let by_lanes = StrategyChoice::default();
    for (strategy_choice, text) in [(by_lanes, &lanes), (by_warps, &squeeze)] {
        assert_eq!(with(strategy_choice, text, "__global__", "__global__"), wanted, "as it was printed");
    }
    for (strategy_choice, text, right, wrong) in [
        (by_lanes, &lanes, "lop3<0x96>", "lop3<0x69>"),
        (by_lanes, &lanes, ".wrap != STAY", ".wrap == STAY"),
        (by_lanes, &lanes, "superblock >= world.end", "superblock + 1 >= world.end"),
        (by_lanes, &lanes, "& term.mask", "| term.mask"),
        (by_warps, &squeeze, "__syncthreads();", ""),
        (by_warps, &squeeze, "distance /= 2", "distance /= 4"),
        (by_warps, &squeeze, "if (lane % WIDTH == 0", "if (lane == 0"),
        // Not all threads of a warp meet. After such a fault nothing runs any more, so it is the last.
        (by_warps, &squeeze, "sum_of_levels(corner.x)", "(lane == 5 ? 0 : sum_of_levels(corner.x))"),
    ] {
        assert_ne!(with(strategy_choice, text, right, wrong), wanted, "`{wrong}` instead of `{right}`");
    }
    println!("right kernels agree, and wrong ones do not");
}
