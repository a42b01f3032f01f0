//! Clusters beside those of a walk from cell to cell.

use super::bits::{gather, scatter};
use super::forest::{ClusterForest, OpenBonds};
use super::rounds::join_seams;
use crate::samples;
use rayon::ThreadPoolBuilder;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::layout::row_words::RowWords;
use squeeze_compiler::numbers::digest::mix;
use squeeze_compiler::shipped;
use std::collections::BTreeMap;
use std::sync::Arc;

const DOMAINS: &str = "
fractal turned { scale 3 pattern { \"765\" \"0.4\" \"123\" } }
fractal mixed { scale (4, 2) pattern { \"1.02\" \".354\" } }
fractal long { scale (70, 2) pattern { \"#####################################.###############################.\" \".##################################.##################################\" } }
fractal cube { dimension 3 scale 2 pattern { \"30\" \"12\" --- \"54\" \"67\" } }
domain joined_carpet { fractal sierpinski_carpet periodic }
domain joined_turned { fractal turned periodic }
domain joined_mixed { fractal mixed periodic x }
domain joined_cube { fractal cube periodic }
domain torus_64 { size (64, 64) periodic }
domain torus_65 { size (65, 65) periodic }
domain torus { size (200, 31) periodic }
domain sheet { size (130, 9) }
domain tube { size (9, 67) periodic x }
domain line { size (300, 1) periodic x }
domain brick { size (7, 6, 5) periodic y }
domain holes { size (150, 40) cells random(0.7) }
domain sparse { size (90, 30) cells random(0.1) periodic }
domain rows { size (190, 30) cells y % 3 != 0 || x == 64 periodic }
";

/// Fractals at a level or two, and masks and boxes.
fn domains() -> Vec<Domain> {
    let carpet = shipped::fractal_source("sierpinski_carpet").expect("it ships");
    let own = samples::library("domains", &format!("{carpet}\n{DOMAINS}")).fractals;
    let shipped = shipped::FRACTALS.iter().map(|(name, _)| samples::fractal(name));
    let levels = |fractal: Arc<_>| {
        let all = (0..8).map_while(move |level| Domain::new(Arc::clone(&fractal), level).ok());
        let small: Vec<Domain> = all.take_while(|domain| domain.cells() <= 6000).collect();
        let is_fractal = small.last().is_some_and(|domain| domain.levels().is_some());
        small.into_iter().rev().take(if is_fractal { 3 } else { 1 }).collect::<Vec<_>>()
    };
    shipped.chain(own).flat_map(levels).collect()
}

/// The root of each cell, and which roots go round each axis: cells are walked to in order, with their places in the unrolled domain.
fn walked(domain: &Domain, near: &[Vec<(u32, [i32; 3])>]) -> (Vec<u32>, BTreeMap<u32, [bool; 3]>) {
    let (mut roots, mut places) = (vec![u32::MAX; near.len()], vec![[0i64; 3]; near.len()]);
    let mut rounds = BTreeMap::new();
    for first in 0..near.len() {
        if roots[first] != u32::MAX {
            continue;
        }
        let (mut open, mut round) = (vec![first], [false; 3]);
        roots[first] = first as u32;
        while let Some(c) = open.pop() {
            for (there, offset) in &near[c] {
                let (there, place) = (*there as usize, [0, 1, 2].map(|axis| places[c][axis] + i64::from(offset[axis])));
                if roots[there] == u32::MAX {
                    (roots[there], places[there]) = (first as u32, place);
                    open.push(there);
                }
                (0..3).for_each(|axis| round[axis] |= places[there][axis] != place[axis]);
            }
        }
        let periodic = domain.periodic().0;
        if (0..3).any(|axis| round[axis] && periodic[axis]) {
            rounds.insert(first as u32, round);
        }
    }
    (roots, rounds)
}

fn packed(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8).map(|eight| eight.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit))).collect()
}

#[test]
fn clusters_are_those_of_a_walk() {
    let neighbourhoods: [&[[i32; 3]]; 5] = [
        &[[1, 0, 0], [0, 1, 0]],
        &[[1, 0, 0], [-1, 1, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, -1, 1]],
        &[[0, 1, 0], [2, 0, 0]],
        &[[1, 0, 0]],
        &[[3, 0, 0], [-2, 1, 0], [0, 2, 0], [1, 0, 0], [2, 2, 0]],
    ];
    let pools = [2, 3, 5].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    let (mut forest, mut count) = (ClusterForest::default(), 0);
    for (at, domain) in domains().iter().enumerate() {
        let cells = domain.cells() as usize;
        for (of, offsets) in neighbourhoods.iter().enumerate() {
            // Joined sides are longer than twice what bonds reach.
            let suits = |axis: usize| {
                let reach = offsets.iter().map(|offset| offset[axis].unsigned_abs()).max().unwrap_or(0);
                !domain.periodic().0[axis] || domain.extent()[axis] > u64::from(2 * reach)
            };
            if !(0..3).all(suits) {
                continue;
            }
            let words = RowWords::new(domain, offsets);
            // All open, none, by chance, and winding ways: rows that are joined at their ends in turn.
            for (kind, has_condition) in [(0, false), (1, false), (2, false), (2, true), (3, false), (4, true)] {
                let random = |c: usize, what: u64| mix((c as u64) << 20 ^ (at as u64) << 8 ^ what) % 100;
                let belongs: Vec<bool> = (0..cells).map(|c| !has_condition || random(c, 7) < 80).collect();
                let is_open = |c: usize, number: usize, offset: [i32; 3]| match kind {
                    0 => true,
                    1 => false,
                    2 => random(c, number as u64) < 55,
                    3 => {
                        let [x, y, _] = domain.lambda(c as u64);
                        let end = if y % 2 == 0 { domain.extent()[0] - 1 } else { 0 };
                        offset == [1, 0, 0] || offset == [0, 1, 0] && x == end
                    }
                    _ => random(c, number as u64) < 90,
                };
                let mut near = vec![Vec::new(); cells];
                let mut open = Vec::new();
                for (number, offset) in offsets.iter().enumerate() {
                    let bits: Vec<bool> = (0..cells).map(|c| is_open(c, number, *offset)).collect();
                    for c in (0..cells).filter(|c| bits[*c] && belongs[*c]) {
                        let there = domain.neighbour(domain.lambda(c as u64), *offset);
                        if let Some(there) = there.filter(|there| belongs[*there as usize]) {
                            near[c].push((there as u32, *offset));
                            near[there as usize].push((c as u32, offset.map(|v| -v)));
                        }
                    }
                    open.push(packed(&bits));
                }
                let (wanted, wanted_rounds) = walked(domain, &near);
                let all = 0..words.len();
                let as_words = |bytes: &[u8]| {
                    let mut out = vec![0; words.len()];
                    gather(&words, &all, bytes, &mut out);
                    out
                };
                let open: Vec<Vec<u64>> = open.iter().map(|bytes| as_words(bytes)).collect();
                let when = has_condition.then(|| as_words(&packed(&belongs)));
                let along = offsets.iter().position(|offset| *offset == [1, 0, 0]).map(|number| &open[number][..]);
                let bonds = OpenBonds {
                    words: &words,
                    open: open.iter().map(Vec::as_slice).zip(offsets.iter().map(|of| words.links(*of))).collect(),
                    along,
                    when: when.as_deref(),
                };
                for (pool, keeps_seams) in
                    pools.iter().map(Some).chain([None]).flat_map(|pool| [(pool, false), (pool, true)])
                {
                    let told = format!("{domain}, offsets {of}, kind {kind}, seams {keeps_seams}");
                    let seams = forest.grow(&bonds, pool, keeps_seams);
                    let rounds = join_seams(&forest, &seams);
                    forest.find_roots(&words, pool);
                    let mut roots = vec![u32::MAX; cells];
                    for stretch in 0..forest.stretches.len() {
                        forest.for_each_piece(&words, stretch, |piece| {
                            piece.cells(&words).for_each(|c| roots[c as usize] = piece.root);
                        });
                    }
                    assert_eq!(roots, wanted, "{told}");
                    let mut tops = vec![0; cells.div_ceil(8)];
                    scatter(&words, &all, &forest.tops, 0, &mut tops);
                    let are_roots: Vec<bool> = (0..cells).map(|c| wanted[c] == c as u32).collect();
                    assert_eq!(tops, packed(&are_roots), "{told}");
                    if keeps_seams {
                        let periodic = domain.periodic().0;
                        let rounds: BTreeMap<u32, [bool; 3]> = rounds
                            .into_iter()
                            .filter(|(_, round)| (0..3).any(|axis| round[axis] && periodic[axis]))
                            .collect();
                        assert_eq!(rounds, wanted_rounds, "{told}");
                    }
                    count += 1;
                }
            }
        }
    }
    assert!(count > 5000, "{count}");
}

/// Words know where their cells draw and what sides they have.
#[test]
fn words_know_their_cells() {
    for domain in domains() {
        let words = RowWords::new(&domain, &[]);
        let mut seen = vec![false; domain.cells() as usize];
        for (block, range) in words.by_block(0..words.len()) {
            for word in range {
                for place in (0..64).filter(|place| words.words()[word].cells >> place & 1 == 1) {
                    let c = words.cell(block, word, place);
                    assert!(!std::mem::replace(&mut seen[c as usize], true), "{domain}, cell {c}");
                    let at = domain.lambda(c.into());
                    assert_eq!(words.draw_number(block, word, place), domain.draw_number(c.into()), "{domain}");
                    assert!(words.draw_number(block, word, place) < words.draw_numbers(), "{domain}");
                    for (axis, at) in at.iter().enumerate() {
                        let sides = words.sides(block, word, axis).map(|side| side >> place & 1 == 1);
                        assert_eq!(sides, [*at == 0, *at == domain.extent()[axis] - 1], "{domain}, cell {c}");
                    }
                }
            }
        }
        assert!(seen.iter().all(|seen| *seen), "{domain}");
    }
}

/// Sides beyond 2^32: few cells may lie far apart.
#[test]
fn sides_are_known_however_far_they_are() {
    let domain = Domain::new(samples::fractal("cantor_set"), 21).expect("small");
    let (words, last) = (RowWords::new(&domain, &[]), domain.extent()[0] - 1);
    assert!(last > u64::from(u32::MAX));
    for (block, range) in words.by_block(0..words.len()) {
        for word in range {
            let sides = words.sides(block, word, 0);
            let cells = words.words()[word].cells;
            let found = [0, 1].map(|side| sides[side] & cells != 0);
            let wanted = [0, last].map(|at| {
                let places = (0..64).filter(|place| cells >> place & 1 == 1);
                places.map(|place| domain.lambda(words.cell(block, word, place).into())[0]).any(|x| x == at)
            });
            assert_eq!(found, wanted, "block {block}, word {word}");
        }
    }
}
