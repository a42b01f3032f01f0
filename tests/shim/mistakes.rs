//! Kernels with a mistake, which a comparison must find.

use super::cases::{builder, digests_of};
use squeeze::compiler::{Program, Target};
use squeeze::ir::{Axes, Dimension};
use squeeze::{Backend, Domain, cuda, resolve};
use squeeze_papers::emit::MapUnit;
use squeeze_papers::{ByStrategy, Strategy, StrategyChoice, engine};
use squeeze_tests::periodic;
use std::sync::Arc;

/// Whole passes: code that is loaded carries no others.
const STEPS: u64 = 4;

/// Kernels with one mistake each.
pub(crate) fn wrong_kernels_are_found() {
    let (triangle, rule) = (resolve::fractal("sierpinski_triangle").unwrap(), resolve::rule("life").unwrap());
    // The lowest level at which columns have several lanes.
    let domain = Domain::new(triangle, 11).unwrap();
    let fitted = domain.fit(&rule).unwrap();
    let lanes = cuda::program(&Program::of(&fitted, &Target::cuda()).unwrap(), None).text;
    assert!(!lanes.contains("constexpr u32 LANES = 1;"));
    let by_warps = StrategyChoice { strategy: Some(Strategy::Squeeze), map: Some(MapUnit::Warp), rho: Some(4) };
    // Nine levels of blocks or five are as good for the maps, and a thread for each place of all is not.
    let low = Domain::new(Arc::clone(domain.fractal()), 7).unwrap();
    let fitted_low = low.fit(&rule).unwrap();
    let squeeze = engine::program(&by_warps.grid(&low).unwrap().unwrap(), &fitted_low, None).unwrap().text;
    let with = |strategy_choice: StrategyChoice, text: &str, right: &str, wrong: &str| {
        let domain = if strategy_choice == by_warps { &low } else { &domain };
        assert!(text.contains(right), "`{right}` stands in the text");
        let text = text.replacen(right, wrong, 1);
        let builder = builder(domain, &rule).backend(Backend::Cuda).strategy_choice(strategy_choice);
        let code = cuda::LoadedCode { name: "wrong.cu".to_owned(), text };
        // SAFETY: it is the printed text, with a mistake that leaves all addresses within their memory.
        let mut simulation = unsafe { builder.load_cuda(code) }.build().ok()?;
        simulation.step(STEPS).ok()?;
        Some(simulation.digests().ok()?.into_iter().map(|(_, digest)| digest).collect::<Vec<_>>())
    };
    // Other tests compare this backend with the oracle.
    let [of_lanes, of_squeeze] = [&domain, &low].map(|domain| {
        let mut right = builder(domain, &rule).backend(Backend::Cpu).build().unwrap();
        right.step(STEPS).unwrap();
        Some(digests_of(&right))
    });
    let wanted = |choice: StrategyChoice| if choice == by_warps { &of_squeeze } else { &of_lanes };
    let by_lanes = StrategyChoice::default();
    for (strategy_choice, text) in [(by_lanes, &lanes), (by_warps, &squeeze)] {
        assert_eq!(
            with(strategy_choice, text, "__global__", "__global__"),
            *wanted(strategy_choice),
            "as it was printed"
        );
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
        assert_ne!(
            with(strategy_choice, text, right, wrong),
            *wanted(strategy_choice),
            "`{wrong}` instead of `{right}`"
        );
    }
    println!("right kernels agree, and wrong ones do not");
}

/// Code that was printed for something else, or takes other arguments, is refused before it runs; bodies may be changed.
pub(crate) fn loaded_code_is_for_what_it_says() {
    let domain = |fractal: &str, level| Domain::new(resolve::fractal(fractal).unwrap(), level).unwrap();
    let rule = |name: &str| resolve::rule(name).unwrap();
    let printed = |domain: &Domain, name: &str| {
        let rule = domain.fit(&rule(name)).unwrap();
        cuda::program(&Program::of(&rule, &Target::cuda()).unwrap(), None).text
    };
    let run = |domain: &Domain, name: &str, choice: StrategyChoice, text: &str, steps: u64| {
        let builder = builder(domain, &rule(name)).backend(Backend::Cuda).strategy_choice(choice);
        let code = cuda::LoadedCode { name: "own.cu".to_owned(), text: text.to_owned() };
        // SAFETY: it is the printed text, or is refused.
        let built = unsafe { builder.load_cuda(code) }.build();
        let mut simulation = built.map_err(|error| error.to_string())?;
        simulation.step(steps).map_err(|error| error.to_string())?;
        Ok::<_, String>(digests_of(&simulation))
    };
    let lanes = StrategyChoice::default();
    let (ten, nine) = (domain("sierpinski_triangle", 10), domain("sierpinski_triangle", 9));
    let text = printed(&ten, "life");
    let right = digests_of(&{
        let mut simulation = builder(&ten, &rule("life")).backend(Backend::Cpu).build().unwrap();
        simulation.step(12).unwrap();
        simulation
    });
    let edited = text.replace("// the rule", "// my rule\n    const u32 unused = 0;");
    for text in [&text, &edited, &text.replace("const World world", "const World   /* all, of it */ world")] {
        assert_eq!(run(&ten, "life", lanes, text, 12).as_ref(), Ok(&right));
    }
    // Under names of the user's own, too.
    let fitted = ten.fit(&rule("life")).unwrap();
    let named = cuda::program(&Program::of(&fitted, &Target::cuda()).unwrap(), Some("mine")).text;
    assert!(named.contains(" mine_life_init("));
    assert_eq!(run(&ten, "life", lanes, &named, 12).as_ref(), Ok(&right));
    let refused = |found: Result<Vec<u64>, String>, words: &[&str]| {
        let message = found.expect_err("it is refused");
        for word in words {
            assert!(message.contains(word), "no `{word}`: {message}");
        }
    };
    refused(run(&nine, "life", lanes, &text, 12), &["own.cu", "rule life", "level 10", "level 9", "is made for"]);
    let x = domain("x_fractal", 5);
    let of_vicsek = printed(&domain("vicsek", 5), "heat");
    refused(run(&x, "heat", lanes, &of_vicsek, 12), &["domain vicsek", "domain x_fractal"]);
    refused(run(&ten, "conway", lanes, &text, 12), &["rule life", "rule conway"]);
    let torus = periodic(ten.fractal(), Axes::of(Dimension::Two));
    refused(run(&Domain::new(torus, 10).unwrap(), "life", lanes, &text, 12), &["is made for"]);
    let other_rule = text.replace("; kernels ", "; kernels 0");
    refused(run(&ten, "life", lanes, &other_rule, 12), &["has changed since it was printed"]);
    let without = text.lines().filter(|line| !line.contains("made for:")).collect::<Vec<_>>().join("\n");
    refused(run(&ten, "life", lanes, &without, 12), &["does not say what it is for"]);
    let one_more = text.replace("const World world\n", "const World world, const u32 *more\n");
    refused(run(&ten, "life", lanes, &one_more, 12), &["takes 4 arguments, and is given 3"]);
    // The driver reports differences that no declaration shows.
    let (before, behind) = text.split_once("struct World {").unwrap();
    let hidden = format!("{before}#define u32 __int128\nstruct World {{{}", behind.replacen("};", "};\n#undef u32", 1));
    refused(run(&ten, "life", lanes, &hidden, 12), &["arguments of", "bytes"]);
    let turned = text.replace("const World world\n", "const World *world\n");
    refused(run(&ten, "life", lanes, &turned, 12), &["is a pointer", "of the type `World`"]);
    let world = text.replace("    u64 seed;\n", "    u64 seed, other_seed;\n");
    refused(run(&ten, "life", lanes, &world, 12), &["struct `World`"]);
    let steps = Program::of(&ten.fit(&rule("life")).unwrap(), &Target::cuda()).unwrap().plan.steps;
    if steps > 1 {
        let problem = format!("computes {steps} time steps, and {} steps", steps + 1);
        refused(run(&ten, "life", lanes, &text, u64::from(steps) + 1), &[&problem]);
    }
    let by_squeeze = StrategyChoice { strategy: Some(Strategy::Squeeze), map: None, rho: Some(4) };
    let [of_five, of_six] = [5, 6].map(|level| {
        let domain = domain("sierpinski_triangle", level);
        let grid = by_squeeze.grid(&domain).unwrap().unwrap();
        engine::program(&grid, &domain.fit(&rule("life")).unwrap(), None).unwrap().text
    });
    let five = domain("sierpinski_triangle", 5);
    assert!(run(&five, "life", by_squeeze, &of_five, 3).is_ok());
    refused(run(&five, "life", by_squeeze, &of_six, 3), &["level 6", "level 5", "strategy squeeze"]);
    refused(run(&five, "life", lanes, &of_five, 3), &["strategy squeeze", "lanes T"]);
    let one_more = of_five.replace("const World world\n", "const World world, u32 more\n");
    assert_ne!(one_more, of_five);
    refused(run(&five, "life", by_squeeze, &one_more, 3), &["arguments, and is given"]);
    let [half, cluster] = ["half", "cluster"].map(|name| Domain::new(squeeze_tests::masks::mask(name), 1).unwrap());
    assert!(run(&half, "life", lanes, &printed(&half, "life"), 7).is_ok());
    refused(run(&cluster, "life", lanes, &printed(&half, "life"), 7), &["domain half", "domain cluster"]);
    println!("loaded code is for what it says: all agree");
}
