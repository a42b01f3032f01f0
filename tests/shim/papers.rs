//! The strategies of the papers, and their maps.

use super::cases::{builder, domain, in_parallel, judge, shipped, sights};
use squeeze::Backend;
use squeeze_papers::emit::{BlockGrid, MapUnit};
use squeeze_papers::{ByStrategy, Strategy, StrategyChoice};
use squeeze_tests::is_chosen;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// `life` on every fractal, and one in 64 of all other pairs, by some of the strategies and maps in turn, by all if they are asked for; with blocks of all
/// sizes by turns.
pub(crate) fn papers() {
    let by_map = [Strategy::Lambda, Strategy::Squeeze].into_iter().flat_map(|s| MapUnit::ALL.map(|map| (s, Some(map))));
    let ways: Vec<(Strategy, Option<MapUnit>)> = [(Strategy::BoundingBox, None)].into_iter().chain(by_map).collect();
    let pairs = shipped().into_iter().enumerate();
    let pairs = pairs.filter(|(number, (_, rule))| rule.name == "life" || is_chosen(*number, 64));
    let pairs = pairs.filter(|(_, (fractal, _))| fractal.is_isotropic());
    let pairs: Vec<_> = pairs.map(|(_, pair)| pair).collect();
    let runs = AtomicUsize::new(0);
    in_parallel(&pairs, |number, (fractal, rule)| {
        let domain = domain(fractal, 300);
        let wanted = sights(builder(&domain, rule).backend(judge()));
        let sides = BlockGrid::sides(&domain);
        let by_turns = |turn: usize| is_chosen(turn + number, 4);
        for (turn, (strategy, map)) in ways.iter().enumerate().filter(|(turn, _)| by_turns(*turn)) {
            let rho = sides.get((number + 3 * turn) % (sides.len() + 1)).copied();
            let strategy_choice = StrategyChoice { strategy: Some(*strategy), map: *map, rho };
            let found = sights(builder(&domain, rule).backend(Backend::Cuda).strategy_choice(strategy_choice));
            assert_eq!(found, wanted, "{} on {}, {strategy_choice:?}", rule.name, fractal.name);
            runs.fetch_add(1, Relaxed);
        }
    });
    println!("{} runs agree", runs.into_inner());
}

/// The maps of many grids, beside arithmetic of 64 bits: of every fourth grid, unless all are asked for.
pub(crate) fn maps() {
    let grids = squeeze_tests::maps::grids().into_iter().enumerate();
    let grids: Vec<_> = grids.filter(|(number, _)| is_chosen(*number, 4)).map(|(_, grid)| grid).collect();
    in_parallel(&grids, |_, (name, grid)| squeeze_tests::maps::compare(name, grid, 10));
    println!("{} maps agree", grids.len());
}
