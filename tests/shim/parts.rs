//! Domains in parts: `squeeze_tests::parts`.

use squeeze::compiler::layout::Layout;
use squeeze::compiler::numbers::digest::mix;
use squeeze::compiler::target::Choice;
use squeeze::compiler::target::speciality::{self, Speciality};
use squeeze::{Backend, resolve};
use squeeze_tests::course::{Case, in_parallel, library};
use squeeze_tests::masks::mask;
use squeeze_tests::parts::{SUMS, agree, agree_in_little_room, agree_on, cases};

const STRIDES: &[u32] = &[1, 2, 5];

/// Bits and numbers, draws and none, observables of all kinds, on replicas that look beside and far, and on rows of columns and of cells alone. The planes of warps,
/// whose superblocks follow each other by reversed number in a whole domain, are made otherwise here.
pub(crate) fn parts() {
    let mut rules: Vec<_> = ["life", "ising", "heat"].into_iter().map(|name| resolve::rule(name).unwrap()).collect();
    rules.extend(library(SUMS).rules);
    let cases = cases(&rules, STRIDES);
    speciality::reached();
    let agreed =
        in_parallel(&cases, |(number, parts, case)| agree(case, (Backend::Cuda, *parts, *number), number % 2 == 0));
    let ising = Case::new(&resolve::fractal("sierpinski_triangle").unwrap(), 7, &rules[1], mix(1), STRIDES);
    let choice = Choice::of_layout(Layout::new(ising.domain(), 5, 0).unwrap(), false);
    let of_warps = agree_on(&ising, (Backend::Cuda, 3), Some(choice), (false, false));
    // A part without a superblock, and layers of a box.
    let few = Case::new(&resolve::fractal("sierpinski_triangle").unwrap(), 3, &rules[0], mix(2), STRIDES);
    let choice = Choice::of_layout(Layout::new(few.domain(), 2, 0).unwrap(), true);
    let of_few = agree_on(&few, (Backend::Cuda, 5), Some(choice), (false, false));
    let layers = Case::new(&mask("block"), 1, &resolve::rule("life_3d").unwrap(), mix(3), STRIDES);
    let of_layers = agree_on(&layers, (Backend::Cuda, 3), None, (false, false));
    let alone = [of_warps, of_few, of_layers];
    let differ: String = agreed.iter().chain(&alone).filter_map(|agreed| agreed.as_ref().err().cloned()).collect();
    assert!(differ.is_empty(), "{differ}");
    assert!(!speciality::reached().contains(&Speciality::Activity), "whatever rests in a part is computed");
    let heat = Case::new(&resolve::fractal("sierpinski_triangle").unwrap(), 7, &rules[2], mix(4), STRIDES);
    agree_in_little_room(&heat, Backend::Cuda);
    println!("{} domains in parts agree", cases.len() + alone.len());
}
