//! Kernels of the macro `simulation!` against the oracle: every shipped rule and every shipped fractal once, and texts in the macro and
//! in files.

use squeeze::expansion::native::Instructions;
use squeeze::{Backend, ObservedValue, Simulation, SimulationBuilder};
use std::collections::BTreeSet;

squeeze::simulation! {
    /// Every operation, on a fractal of this file.
    pub mod operations: "gpu/operations.rule" on plus at level 3;
    mod looked_up: "gpu/tables.rule" on plus at level 3;

    /// A plus made of pluses.
    fractal plus { scale 3 pattern { ".#." "###" ".#." } }
    rule majority {
        state up: bit
        init up = random(0.5)
        next up = 2 * count(moore, nb.up) > degree(moore)
    }

    pub(crate) mod votes: majority on plus at level 5;
    mod conway: conway on chandelier at level 5;
    mod fire: forest_fire on candy at level 3;
    mod patterns: gray_scott on vicsek at level 4;
    mod waves: greenberg_hastings on filigree at level 4;
    mod warmth: heat on lace at level 4;
    mod magnet: ising on sierpinski_carpet at level 3;
    mod larger: larger_than_life on full_square at level 5;
    mod growth: life on sierpinski_triangle at level 8;
    mod solid: life_3d on tetrix at level 5;
    mod sand: sandpile on cantor_set at level 4;
    mod opinions: voter on h_fractal at level 4;
    mod string: wave on x_fractal at level 4;
    mod brain: brians_brain on corners at level 4;
    mod wires: wireworld on vicsek at level 3;
    mod colours: cyclic on h_fractal at level 3;
    mod water: percolation on x_fractal at level 4;
    mod kinds: potts on vicsek at level 3;
    mod phases: kuramoto on candy at level 3;
    mod epidemic: sir on chandelier at level 4;
    mod reaction: belousov_zhabotinsky on vicsek at level 3;
    mod rings: lenia on full_square at level 5;
    mod space: ising_3d on vicsek_3d at level 2;
    mod ice: aggregation on vicsek at level 3;
    mod bonds: bond_percolation on chandelier at level 4;
    mod mixture: cahn_hilliard on candy at level 3;
    mod exchange: kawasaki on full_square at level 4;
    mod gas: lattice_gas on sierpinski_carpet at level 3;
    mod walkers: random_walkers on vicsek at level 3;
    mod stripes: swift_hohenberg on full_square at level 4;
    mod town: schelling on vicsek at level 3;
    mod bottles: heat on empty_bottles at level 4;
    mod dust: life_3d on cantor_dust_3d at level 3;
    mod sponge: heat on menger_sponge at level 2;
    mod snow: greenberg_hastings on mosely_snowflake at level 2;
    mod body: life_3d on vicsek_3d at level 4;
    mod span: heat on bridge at level 4;
    mod row: wave on line at level 5;
    mod teeth: heat on cantor_line at level 5;
    mod chance: sir on random_carpet at level 3;
    mod current: conductivity on sierpinski_carpet at level 3;
}

type Result = (Vec<u64>, Vec<ObservedValue>);

fn run(builder: SimulationBuilder, level: u32, backend: Backend) -> (Result, &'static str) {
    let mut simulation = builder.level(level).seed(11).backend(backend).build().unwrap();
    // Several passes of the most steps, and a rest.
    simulation.step(9).unwrap();
    let digests = simulation.digests().unwrap().into_iter().map(|(_, digest)| digest).collect();
    let observed = simulation.observe().unwrap().into_iter().map(|(_, value)| value).collect();
    ((digests, observed), simulation.execution().map_or("", |execution| execution.compiler))
}

/// Compares a module's kernels, all that this processor can run, with the oracle at the level that they were planned for and at those
/// up to the largest, and names its rule and fractal.
fn check(native: impl Fn(Instructions) -> SimulationBuilder, oracle: SimulationBuilder, level: u32, largest: u32) {
    for level in level..=largest {
        let (expected, _) = run(oracle.clone(), level, Backend::Reference);
        let kinds = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512];
        for instructions in kinds.into_iter().filter(|kind| *kind <= Instructions::best()) {
            let (result, compiler) = run(native(instructions), level, Backend::Cpu);
            assert_eq!(compiler, instructions.name(), "level {level}");
            assert_eq!(result, expected, "level {level}, {compiler}");
        }
    }
}

macro_rules! check {
    ($($module:ident $level:literal $largest:literal;)*) => {
        [$({
            println!("{}", stringify!($module));
            let (rule, fractal) = ($module::rule(), $module::fractal());
            let oracle = Simulation::builder(fractal.clone(), rule.clone());
            check($module::builder_with, oracle, $level, $largest);
            (rule.name.clone(), fractal.name.clone())
        }),*]
    };
}

#[test]
fn native_kernels_agree_with_the_oracle() {
    let checked = check! {
        operations 3 3; looked_up 3 3; votes 5 5; conway 5 6; fire 3 3; patterns 4 4; waves 4 4; warmth 4 4; magnet 3 3; larger 5 5;
        growth 8 9; solid 5 5; sand 4 4; opinions 4 4; string 4 4; bottles 4 4; brain 4 4; wires 3 3; colours 3 3; water 4 4; kinds 3 3; phases 3 3; epidemic 4 4; reaction 3 3;
        rings 5 5; space 2 2; ice 3 3; bonds 4 4; mixture 3 3; exchange 4 4; gas 3 3; walkers 3 3; stripes 4 4; town 3 3; dust 3 3; sponge 2 2; snow 2 2; body 4 4; span 4 4; row 5 6; teeth 5 5; chance 3 3; current 3 3;
    };
    let names = |folder: &str, extension: &str| {
        let files = squeeze_tests::files(&squeeze_tests::root().join(folder), &[extension]);
        let name = |path: &std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
        files.iter().map(name).collect::<Vec<_>>()
    };
    let rules: BTreeSet<&str> = checked.iter().map(|(rule, _)| rule.as_str()).collect();
    let fractals: BTreeSet<&str> = checked.iter().map(|(_, fractal)| fractal.as_str()).collect();
    let missing: Vec<String> =
        names("rules", "rule").into_iter().filter(|rule| !rules.contains(rule.as_str())).collect();
    // Values over all cells are computed between steps, by the program that runs the kernels.
    assert_eq!(missing, ["driven_sandpile"], "every other rule");
    assert!(names("fractals", "fractal").iter().all(|fractal| fractals.contains(fractal.as_str())), "every fractal");
}

#[test]
fn other_levels_and_layouts_are_compiled_when_they_run() {
    // One cell: no layout of kernels with lanes.
    let (single, compiler) = run(growth::builder(), 0, Backend::Cpu);
    assert!(!compiler.starts_with("rustc"));
    let builder = Simulation::builder(growth::fractal(), growth::rule());
    assert_eq!(single, run(builder, 0, Backend::Reference).0);
    // The definitions of the macro are modules as those of `fractal!` and `rule!`.
    assert_eq!((plus::K, plus::nu(1, [1, 1])), (5, Some(2)));
    assert_eq!(majority::STATES, ["up"]);
}
