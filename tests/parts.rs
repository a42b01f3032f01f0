//! Domains in parts on the CPU: see `lib/parts.rs`. On the shim of GPUs `shim/parts.rs` does the same.

use squeeze::Backend;
use squeeze::compiler::target::speciality::{self, Speciality};
use squeeze::resolve;
use squeeze_tests::course::{Case, in_parallel, library};
use squeeze_tests::parts::{RESTING, SUMS, agree, agree_in_little_room, cases};

/// Whole passes of several steps, and what is left of them.
const STRIDES: &[u32] = &[1, 2, 5];
/// Until most of a domain rests.
const LONG: &[u32] = &[1, 2, 5, 40];

#[test]
fn every_rule_agrees_in_parts() {
    let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
    rules.extend(library(SUMS).rules);
    let cases = cases(&rules, STRIDES);
    let agreed =
        in_parallel(&cases, |(number, parts, case)| agree(case, (Backend::Cpu, *parts, *number), number % 2 == 0));
    let differ: String = agreed.iter().filter_map(|agreed| agreed.as_ref().err().cloned()).collect();
    assert!(differ.is_empty(), "{differ}");
    let several = agreed.iter().filter(|steps| steps.as_ref().is_ok_and(|steps| *steps > 1));
    assert!(agreed.len() > 120 && several.count() > 5, "{} cases, passes of several steps among them", agreed.len());
}

#[test]
fn parts_have_room_where_the_whole_has_none() {
    let (heat, triangle) = (resolve::rule("heat").unwrap(), resolve::fractal("sierpinski_triangle").unwrap());
    let sheet = library("domain sheet { size (600, 400) }").fractals.remove(0);
    for (fractal, level) in [(triangle, 8), (sheet, 1)] {
        agree_in_little_room(&Case::new(&fractal, level, &heat, 5, STRIDES), Backend::Cpu);
    }
}

#[test]
fn parts_at_rest_see_what_moves_in_others() {
    let cases = cases(&library(RESTING).rules, LONG);
    speciality::reached();
    let differ: String = cases
        .iter()
        .filter_map(|(number, parts, case)| agree(case, (Backend::Cpu, *parts, *number), true).err())
        .collect();
    assert!(differ.is_empty(), "{differ}");
    assert!(speciality::reached().contains(&Speciality::Activity), "nothing rests");
}
