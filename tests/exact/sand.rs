//! Sand: piles come to rest as those that topple cell by cell do, and all recurrent piles are equally likely.

use super::ground::{GROUNDS, Ground, domain, domains, observed, sampled, simulation};

/// Topples cell by cell, the last one first, until nothing topples: a cell at `sides` gives one grain to each cell beside it, and the others fall off.
fn at_rest(mut grains: Vec<i32>, near: &[Vec<usize>], sides: i32) -> Vec<i32> {
    while let Some(c) = grains.iter().rposition(|grains| *grains >= sides) {
        grains[c] -= sides;
        near[c].iter().for_each(|d| grains[*d] += 1);
    }
    grains
}

/// Sides of a cell: two on a line, four in the plane, six in space.
fn sides(ground: &Ground) -> i32 {
    2 * ground.sides.iter().filter(|side| **side > 1).count() as i32
}

/// Grounds from which grains fall; on the others they stay for ever.
fn open() -> impl Iterator<Item = &'static str> {
    GROUNDS.into_iter().filter(|name| !name.ends_with("torus") && *name != "odd_space")
}

#[test]
fn piles_come_to_rest_in_any_order() {
    for name in open() {
        let mut pile = simulation(&domain(name), "sandpile", 0, &[]);
        let ground = Ground::of(&pile);
        let sides = sides(&ground);
        let begun: Vec<i32> = (0..ground.cells() as i32).map(|c| sides - 1 + c * c % 4).collect();
        pile.set_field("grains", 0, &begun).expect("it takes the values");
        while observed(&pile, "toppling") > 0.0 {
            let before = observed(&pile, "total");
            pile.step(10).expect("it runs");
            assert!(observed(&pile, "total") <= before, "{name}: grains are made");
        }
        let found: Vec<i32> = pile.field("grains").expect("it has the state");
        assert_eq!(found, at_rest(begun, &ground.sides_of(), sides), "{name}");
    }
    // Where nothing falls off, none is lost or made, at the shipped height and at others.
    for (name, settings) in [("odd_torus", &[][..]), ("odd_space", &[]), ("even_space", &["threshold=4", "start=9"])] {
        let mut pile = simulation(&domain(name), "sandpile", 0, settings);
        let total = observed(&pile, "total");
        pile.step(50).expect("it runs");
        assert_eq!(observed(&pile, "total"), total, "{name}");
    }
}

#[test]
fn fallen_grains_come_to_rest_in_any_order() {
    for name in open() {
        let mut pile = simulation(&domain(name), "driven_sandpile", 6, &[]);
        let ground = Ground::of(&pile);
        let begun: Vec<i32> = pile.field("grains").expect("it has the state");
        pile.step(1000).expect("it runs");
        while observed(&pile, "toppling") > 0.0 {
            pile.step(1).expect("it runs");
        }
        let falls: Vec<i32> = pile.field("falls").expect("it has the state");
        assert!(falls.iter().sum::<i32>() > 10, "{name}");
        let all = begun.iter().zip(&falls).map(|(grains, falls)| grains + falls).collect();
        let found: Vec<i32> = pile.field("grains").expect("it has the state");
        assert_eq!(found, at_rest(all, &ground.sides_of(), sides(&ground)), "{name}");
    }
}

/// Whether a pile at rest comes again: fire that begins at the edges burns all of it (D. Dhar, 1990).
fn is_recurrent(grains: &[i32], near: &[Vec<usize>]) -> bool {
    let mut burnt = vec![false; grains.len()];
    let unburnt = |burnt: &[bool], c: usize| near[c].iter().filter(|d| !burnt[**d]).count() as i32;
    while let Some(c) = (0..grains.len()).find(|c| !burnt[*c] && grains[*c] >= unburnt(&burnt, *c)) {
        burnt[c] = true;
    }
    burnt.into_iter().all(|burnt| burnt)
}

/// Driven piles have the mean height of all recurrent ones, each counted once.
#[test]
fn heights_of_driven_piles_are_those_of_all_recurrent_ones() {
    let small = "domain plate { size (3, 2) }  domain bent { size (3, 3)  cells x != 1 || y == 1 }
        domain tube { size (3, 2)  periodic x }  domain cube { size (2, 2, 2)  cells x + y + z < 2 || x == 0 }";
    for domain in domains(small) {
        let mut pile = simulation(&domain, "driven_sandpile", 0, &[]);
        let ground = Ground::of(&pile);
        let (near, sides, cells) = (ground.sides_of(), sides(&ground), ground.cells());
        let (mut count, mut sum) = (0.0, 0.0);
        for state in 0..(sides as u64).pow(cells as u32) {
            let grains: Vec<i32> =
                (0..cells as u32).map(|c| (state / (sides as u64).pow(c) % sides as u64) as i32).collect();
            if is_recurrent(&grains, &near) {
                count += 1.0;
                sum += f64::from(grains.iter().sum::<i32>()) / cells as f64;
            }
        }
        let wanted = sum / count;
        let (mean, error) = sampled(10, |seed| {
            pile.restart(seed, &[] as &[&str]).expect("it begins anew");
            pile.step(200).expect("it runs");
            let (mut rests, mut heights) = (0.0, 0.0);
            for _ in 0..400 {
                pile.step(1).expect("it runs");
                if observed(&pile, "toppling") == 0.0 {
                    rests += 1.0;
                    heights += observed(&pile, "height");
                }
            }
            heights / rests
        });
        assert!(
            (mean - wanted).abs() < 4.5 * error && error < 0.05,
            "{}: {mean} ± {error}, exactly {wanted}",
            domain.name
        );
    }
}
