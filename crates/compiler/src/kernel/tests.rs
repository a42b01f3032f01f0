//! Texts that are kernels, and texts that are not.

use super::*;

const LIFE: &str = "\
kernel life {
  dimension 2
  side 2
  cells (0, 0) (0, 1) (1, 1)
  steps 1
  state alive: bits 1
  state phase: bits 2
  state u: f32
  param alpha: f32

  own_0: bits = load alive centre 0
  halo_left_2: bits = load alive left 2
  halo_above_right_2_bit1: bits = load phase.1 above_right 2
  right_exists: bits = presence right
  lane_x: i32 = lane_corner x
  alpha: f32 = param alpha
  ones_0: bits = xor own_0 halo_left_2
  both_0: bits = and_not ones_0 right_exists
  next_0: bits = table 0xe8 own_0 both_0 halo_above_right_2_bit1
  constant_0: f32 = const -0.0
  constant_1: f32 = const NaN
  count_0: i32 = count own_0 both_0
  sum_0: f32 = add constant_0 constant_1
  sum_1: i32 = add count_0 lane_x
  and_0: i32 = and sum_1 count_0
  choice_0: f32 = select next_0 sum_0 alpha
  store alive 0 = next_0
  store alive 1 = own_0
  store alive 2 = ones_0
}
";

#[test]
fn a_kernel_is_read_and_written() {
    let kernel = parse(LIFE).expect("the text is a kernel");
    assert_eq!(kernel.verify(), Ok(()));
    assert_eq!(kernel.to_string(), LIFE);
    assert_eq!(Interface::of(&kernel).writes, [0]);
    let refused = kernel.verify_for_execution().unwrap_err().to_string();
    assert!(refused.starts_with("`count_0`: counts and numbers"), "{refused}");
    let uniform = uniform(&kernel);
    let named = |name: &str| uniform[kernel.nodes.iter().position(|node| node.name == name).expect("it is there")];
    assert!(named("sum_0") && !named("sum_1"));
}

#[test]
fn wrong_texts_are_told_by_line() {
    let wrong = |from: &str, to: &str| {
        assert!(LIFE.contains(from));
        parse(&LIFE.replace(from, to)).expect_err("the text is wrong").to_string()
    };
    assert_eq!(wrong("xor own_0 halo", "xor own_7 halo"), "line 17: there is no value `own_7` above");
    assert_eq!(wrong("xor", "xnor"), "line 17: there is no operation `xnor`");
    assert_eq!(wrong("both_0: bits", "own_0: bits"), "line 18: `own_0` is defined twice");
    assert_eq!(wrong("0xe8", "8"), "line 19: expected a table such as 0xe8, found `8`");
    assert_eq!(wrong("alive left 2", "alive left"), "line 12: expected a micro cell, found the end of the line");
    assert_eq!(wrong("load alive left", "load dead left"), "line 12: there is no state `dead` above");
    assert_eq!(wrong("alive left", "alive up"), "line 12: expected a direction such as `above_left`, found `up`");
    assert_eq!(wrong("const -0.0", "const x"), "line 20: expected an f32, found `x`");
    assert_eq!(wrong("steps 1", "steps 1 2"), "line 5: expected the end of the line, found `2`");
    assert_eq!(wrong("= ones_0\n}", "= ones_0\n"), "line 30: the kernel has no `}` at its end");
}

#[test]
fn what_is_read_need_not_be_sound() {
    let wrong = |from: &str, to: &str| {
        assert!(LIFE.contains(from));
        let kernel = parse(&LIFE.replace(from, to)).expect("it reads");
        kernel.verify().expect_err("it is not sound").to_string()
    };
    assert_eq!(wrong("  store alive 1 = own_0\n", ""), "`alive`: stored, but not every plane of every own column");
    assert_eq!(wrong("alive 1 =", "alive 0 ="), "`alive`, plane 0, micro cell 0: stored twice");
    assert!(wrong("alive left 2", "alive left 3").starts_with("`halo_left_2`: no such state"));
    assert!(wrong("alive left 2", "alive front 2").starts_with("`halo_left_2`: no such direction"));
    assert!(wrong("steps 1", "whole").starts_with("`halo_left_2`: no such direction"));
    assert!(wrong("add count_0 lane_x", "add count_0 alpha").starts_with("`sum_1`: the type"));
    assert!(wrong("store alive 0 = next_0", "store alive 0 = sum_0").starts_with("`store at 16`: the type"));
    assert!(wrong("(0, 1) (1, 1)", "(1, 1) (1, 1)").starts_with("the micro-fractal"));
}

#[test]
fn directions_have_places_and_names() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let all = Direction::all(dimension);
        assert_eq!(all.len(), 3usize.pow(dimension.axes() as u32) - 1);
        assert_eq!(all.len(), Direction::count(dimension));
        for (place, direction) in all.iter().enumerate() {
            assert_eq!(direction.index(dimension), Some(place));
        }
        assert_eq!(Direction::CENTRE.index(dimension), None);
    }
    assert_eq!(Direction([-1, 1, -1]).to_string(), "front_below_left");
}

/// A term that is added where its neighbour exists may be anything elsewhere; one that is added always, or where another neighbour exists, may not.
#[test]
fn what_presence_guards_is_known() {
    let guarded = |user: &str| {
        let text = format!(
            "kernel heat {{\n  dimension 2\n  side 1\n  cells (0, 0)\n  steps 1\n  state u: f32\n\n  \
             own: f32 = load u centre 0\n  there: f32 = load u left 0\n  left: bits = presence left\n  \
             right: bits = presence right\n  both: bits = and left right\n  less: f32 = subtract there own\n  \
             next: f32 = {user} own less\n  store u 0 = next\n}}\n"
        );
        let kernel = parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        Interface::of(&kernel).halo[0].guarded
    };
    assert!(guarded("add_where left") && guarded("add_where both"));
    assert!(!guarded("add_where right") && !guarded("add"));
    // Here it is what is taken where there is no neighbour.
    assert!(!guarded("select left"));
}
