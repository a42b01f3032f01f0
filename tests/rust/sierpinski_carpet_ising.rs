// ising on sierpinski_carpet at level 3, by Squeeze 0.1.0
//
// T = 2: 64 lanes a column fill 100% of the vector registers they take
// L = 1: 8 micro cells a superblock, about 1938 operations; 1 superblocks
// t = 1: 1.00 cells computed for one that is kept; bound by operations, 4971.68 ps a cell and step expected
//
// rustc -O --edition 2024 ising.rs
// ./ising STEPS [SEED] [NAME=VALUE]...

#![allow(dead_code, unused_parens, unused_variables, clippy::all)]

use std::ops::Range;
use std::ptr::{null, null_mut};
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
/// The level of the fractal.
const LEVEL: u32 = 3;
/// The top digits of a cell's number, which are its lane.
const LANE_DIGITS: u32 = 2;
/// The lowest digits of a cell's number, which are its micro cell; those between are its superblock.
const MICRO_DIGITS: u32 = 1;
/// The dimension of the space.
const AXES: usize = 2;
/// The time steps of one pass over all superblocks.
const STEPS: u32 = 1;
/// The fractal: its levels by turns, the finest first.
const PATTERNS: [Pattern; 1] = [
    Pattern {
        scale: 3,
        replicas: &[
            [0, 0, 0],
            [1, 0, 0],
            [2, 0, 0],
            [0, 1, 0],
            [2, 1, 0],
            [0, 2, 0],
            [1, 2, 0],
            [2, 2, 0],
        ],
    },
];

/// The states of the rule.
const STATES: [State; 1] = [
    State {
        name: "up",
        planes: 1,
        bytes: 0,
    },
];

/// The parameters of the rule.
const PARAMS: [Param; 1] = [
    Param {
        name: "beta",
        ty: "f32",
        variants: &[],
        default: 1054951342,
    },
];

/// Lanes of a column.
pub const LANES: usize = 64;
/// Words of a column of bits.
pub const WORDS: usize = 2;
/// Values of a column of numbers.
pub const STRIDE: usize = 64;
/// Micro cells of a superblock, each a column.
pub const MICRO_CELLS: usize = 8;
/// Computes the initial values.
fn initial_values() -> Pass {
    Pass {
        code: ising_init_for_this_processor(),
        own: &[],
        halo: &[],
        presence: &[],
        writes: &[0],
        random: &[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0)],
    }
}

/// Compute one time step.
fn one_step() -> Vec<Pass> {
    Vec::from([
        Pass {
            code: ising_even_for_this_processor(),
            own: &[0],
            halo: &[
                (0, 1, &[5, 6, 7]),
                (0, 3, &[2, 4, 7]),
                (0, 4, &[0, 3, 5]),
                (0, 6, &[0, 1, 2]),
            ],
            presence: &[1, 3, 4, 6],
            writes: &[0],
            random: &[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0)],
        },
        Pass {
            code: ising_odd_for_this_processor(),
            own: &[0],
            halo: &[
                (0, 1, &[5, 6, 7]),
                (0, 3, &[2, 4, 7]),
                (0, 4, &[0, 3, 5]),
                (0, 6, &[0, 1, 2]),
            ],
            presence: &[1, 3, 4, 6],
            writes: &[0],
            random: &[(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1)],
        },
    ])
}

/// Compute `STEPS` time steps.
fn several_steps() -> Vec<Pass> {
    one_step()
}

/// `ising_init`: one step of 8 micro cells in all lanes.
///
/// 2.00 operations a cell and step (0 on bits, 16 on numbers), 0 + 0 loads, 8 stores, 3 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn ising_init_superblock_on_blocks(
    call: &Call,
    random_words: &[u32; 8 * STRIDE],
    new_up: &mut [u8; MICRO_CELLS * 4 * WORDS],
) {
    for group in 0..STRIDE / GROUP {
        unsafe {
            let mut new_up_0 = 0;
            let mut new_up_1 = 0;
            let mut new_up_2 = 0;
            let mut new_up_3 = 0;
            let mut new_up_4 = 0;
            let mut new_up_5 = 0;
            let mut new_up_6 = 0;
            let mut new_up_7 = 0;
            for bit in 0..GROUP {
                let lane = GROUP * group + bit;
                let draw_0 = at(random_words, lane);
                let chance_1 = draw_0 < 2147483648u32;
                new_up_0 |= (chance_1 as u8) << bit;
                let draw_1 = at(random_words, STRIDE + lane);
                let chance_2 = draw_1 < 2147483648u32;
                new_up_1 |= (chance_2 as u8) << bit;
                let draw_2 = at(random_words, 2 * STRIDE + lane);
                let chance_3 = draw_2 < 2147483648u32;
                new_up_2 |= (chance_3 as u8) << bit;
                let draw_3 = at(random_words, 3 * STRIDE + lane);
                let chance_4 = draw_3 < 2147483648u32;
                new_up_3 |= (chance_4 as u8) << bit;
                let draw_4 = at(random_words, 4 * STRIDE + lane);
                let chance_5 = draw_4 < 2147483648u32;
                new_up_4 |= (chance_5 as u8) << bit;
                let draw_5 = at(random_words, 5 * STRIDE + lane);
                let chance_6 = draw_5 < 2147483648u32;
                new_up_5 |= (chance_6 as u8) << bit;
                let draw_6 = at(random_words, 6 * STRIDE + lane);
                let chance_7 = draw_6 < 2147483648u32;
                new_up_6 |= (chance_7 as u8) << bit;
                let draw_7 = at(random_words, 7 * STRIDE + lane);
                let chance_8 = draw_7 < 2147483648u32;
                new_up_7 |= (chance_8 as u8) << bit;
            }
            put(new_up, group, new_up_0);
            put(new_up, 4 * WORDS + group, new_up_1);
            put(new_up, 8 * WORDS + group, new_up_2);
            put(new_up, 12 * WORDS + group, new_up_3);
            put(new_up, 16 * WORDS + group, new_up_4);
            put(new_up, 20 * WORDS + group, new_up_5);
            put(new_up, 24 * WORDS + group, new_up_6);
            put(new_up, 28 * WORDS + group, new_up_7);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn ising_init_superblock(call: &Call) {
    unsafe {
        ising_init_superblock_on_blocks(
            call,
            &*call.random.cast(),
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `ising_init` for this processor, and the instructions that it uses.
pub fn ising_init_for_this_processor() -> (KernelFn, &'static str) {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        unsafe { ising_init_superblock(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn avx2(call: *const Call) {
            unsafe { ising_init_superblock(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        unsafe extern "C" fn avx512(call: *const Call) {
            unsafe { ising_init_superblock(&*call) }
        }
        if has_avx512() {
            return (avx512, "rustc, AVX-512");
        }
        if has_avx2() {
            return (avx2, "rustc, AVX2");
        }
    }
    (portable, "rustc")
}

/// `ising_even`: one step of 8 micro cells in all lanes.
///
/// 21.38 operations a cell and step (24 on bits, 147 on numbers), 8 + 12 loads, 8 stores, 23 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn ising_even_superblock_on_blocks(
    call: &Call,
    own_up: &[u8; MICRO_CELLS * 4 * WORDS],
    above_up: &[u8; MICRO_CELLS * 4 * WORDS],
    left_up: &[u8; MICRO_CELLS * 4 * WORDS],
    right_up: &[u8; MICRO_CELLS * 4 * WORDS],
    below_up: &[u8; MICRO_CELLS * 4 * WORDS],
    lanes_above: &[u8; 4 * WORDS],
    lanes_left: &[u8; 4 * WORDS],
    lanes_right: &[u8; 4 * WORDS],
    lanes_below: &[u8; 4 * WORDS],
    lanes_x: &[i32; STRIDE],
    lanes_y: &[i32; STRIDE],
    random_words: &[u32; 8 * STRIDE],
    new_up: &mut [u8; MICRO_CELLS * 4 * WORDS],
) {
    for group in 0..STRIDE / GROUP {
        unsafe {
            let halo_left_2 = at(left_up, 8 * WORDS + group);
            let left_exists = at(lanes_left, group);
            let halo_above_5 = at(above_up, 20 * WORDS + group);
            let above_exists = at(lanes_above, group);
            let own_1 = at(own_up, 4 * WORDS + group);
            let own_3 = at(own_up, 12 * WORDS + group);
            let own_0 = at(own_up, group);
            let mut new_up_0 = 0;
            let halo_above_6 = at(above_up, 24 * WORDS + group);
            let own_2 = at(own_up, 8 * WORDS + group);
            let mut new_up_1 = 0;
            let halo_above_7 = at(above_up, 28 * WORDS + group);
            let halo_right_0 = at(right_up, group);
            let right_exists = at(lanes_right, group);
            let own_4 = at(own_up, 16 * WORDS + group);
            let mut new_up_2 = 0;
            let halo_left_4 = at(left_up, 16 * WORDS + group);
            let own_5 = at(own_up, 20 * WORDS + group);
            let mut new_up_3 = 0;
            let halo_right_3 = at(right_up, 12 * WORDS + group);
            let own_7 = at(own_up, 28 * WORDS + group);
            let mut new_up_4 = 0;
            let halo_left_7 = at(left_up, 28 * WORDS + group);
            let own_6 = at(own_up, 24 * WORDS + group);
            let halo_below_0 = at(below_up, group);
            let below_exists = at(lanes_below, group);
            let mut new_up_5 = 0;
            let halo_below_1 = at(below_up, 4 * WORDS + group);
            let mut new_up_6 = 0;
            let halo_right_5 = at(right_up, 20 * WORDS + group);
            let halo_below_2 = at(below_up, 8 * WORDS + group);
            let mut new_up_7 = 0;
            for bit in 0..GROUP {
                let lane = GROUP * group + bit;
                let halo_left_2 = halo_left_2 >> bit & 1 != 0;
                let choice_0 = if halo_left_2 { 1f32 } else { (-1f32) };
                let left_exists = left_exists >> bit & 1 != 0;
                let existing_0 = if left_exists { choice_0 } else { 0f32 };
                let halo_above_5 = halo_above_5 >> bit & 1 != 0;
                let choice_2 = if halo_above_5 { 1f32 } else { (-1f32) };
                let above_exists = above_exists >> bit & 1 != 0;
                let existing_1 = if above_exists { choice_2 } else { 0f32 };
                let sum_0 = 0f32 + existing_1;
                let sum_1 = sum_0 + existing_0;
                let own_1 = own_1 >> bit & 1 != 0;
                let choice_3 = if own_1 { 1f32 } else { (-1f32) };
                let sum_2 = sum_1 + choice_3;
                let own_3 = own_3 >> bit & 1 != 0;
                let choice_4 = if own_3 { 1f32 } else { (-1f32) };
                let sum_3 = sum_2 + choice_4;
                let beta = f32::from_bits(*call.params.add(0) as u32);
                let product_0 = (-2f32) * beta;
                let product_1 = product_0 * sum_3;
                let value_2 = exp_f32(product_1);
                let sum_4 = 1f32 + value_2;
                let quotient_0 = 1f32 / sum_4;
                let chance_0 = quotient_0 as f64;
                let draw_0 = at(random_words, lane);
                let chance_1 = chance(draw_0, chance_0);
                let superblock_y = call.superblock_corner[1];
                let lane_y = at(lanes_y, lane);
                let corner_y_0 = lane_y.wrapping_add(superblock_y);
                let superblock_x = call.superblock_corner[0];
                let lane_x = at(lanes_x, lane);
                let corner_x_0 = lane_x.wrapping_add(superblock_x);
                let sum_5 = corner_x_0.wrapping_add(corner_y_0);
                let remainder_0 = sum_5.remainder(2i32);
                let equal_0 = remainder_0 == 0i32;
                let guarded_0 = chance_1 & equal_0;
                let own_0 = own_0 >> bit & 1 != 0;
                let guarded_1 = own_0 & !equal_0;
                let guarded_2 = guarded_0 | guarded_1;
                new_up_0 |= (guarded_2 as u8) << bit;
                let choice_5 = if own_0 { 1f32 } else { (-1f32) };
                let halo_above_6 = halo_above_6 >> bit & 1 != 0;
                let choice_6 = if halo_above_6 { 1f32 } else { (-1f32) };
                let existing_2 = if above_exists { choice_6 } else { 0f32 };
                let sum_6 = 0f32 + existing_2;
                let sum_7 = sum_6 + choice_5;
                let own_2 = own_2 >> bit & 1 != 0;
                let choice_7 = if own_2 { 1f32 } else { (-1f32) };
                let sum_8 = sum_7 + choice_7;
                let product_2 = product_0 * sum_8;
                let value_3 = exp_f32(product_2);
                let sum_9 = 1f32 + value_3;
                let quotient_1 = 1f32 / sum_9;
                let chance_2 = quotient_1 as f64;
                let draw_1 = at(random_words, STRIDE + lane);
                let chance_3 = chance(draw_1, chance_2);
                let x_0 = corner_x_0.wrapping_add(1i32);
                let sum_10 = x_0.wrapping_add(corner_y_0);
                let remainder_1 = sum_10.remainder(2i32);
                let equal_1 = remainder_1 == 0i32;
                let guarded_3 = chance_3 & equal_1;
                let guarded_4 = own_1 & !equal_1;
                let guarded_5 = guarded_3 | guarded_4;
                new_up_1 |= (guarded_5 as u8) << bit;
                let halo_above_7 = halo_above_7 >> bit & 1 != 0;
                let choice_8 = if halo_above_7 { 1f32 } else { (-1f32) };
                let existing_3 = if above_exists { choice_8 } else { 0f32 };
                let sum_11 = 0f32 + existing_3;
                let sum_12 = sum_11 + choice_3;
                let halo_right_0 = halo_right_0 >> bit & 1 != 0;
                let choice_9 = if halo_right_0 { 1f32 } else { (-1f32) };
                let right_exists = right_exists >> bit & 1 != 0;
                let existing_4 = if right_exists { choice_9 } else { 0f32 };
                let sum_13 = sum_12 + existing_4;
                let own_4 = own_4 >> bit & 1 != 0;
                let choice_10 = if own_4 { 1f32 } else { (-1f32) };
                let sum_14 = sum_13 + choice_10;
                let product_3 = product_0 * sum_14;
                let value_4 = exp_f32(product_3);
                let sum_15 = 1f32 + value_4;
                let quotient_2 = 1f32 / sum_15;
                let chance_4 = quotient_2 as f64;
                let draw_2 = at(random_words, 2 * STRIDE + lane);
                let chance_5 = chance(draw_2, chance_4);
                let x_1 = corner_x_0.wrapping_add(2i32);
                let sum_16 = x_1.wrapping_add(corner_y_0);
                let remainder_2 = sum_16.remainder(2i32);
                let equal_2 = remainder_2 == 0i32;
                let guarded_6 = chance_5 & equal_2;
                let guarded_7 = own_2 & !equal_2;
                let guarded_8 = guarded_6 | guarded_7;
                new_up_2 |= (guarded_8 as u8) << bit;
                let halo_left_4 = halo_left_4 >> bit & 1 != 0;
                let choice_11 = if halo_left_4 { 1f32 } else { (-1f32) };
                let existing_5 = if left_exists { choice_11 } else { 0f32 };
                let sum_17 = 0f32 + choice_5;
                let sum_18 = sum_17 + existing_5;
                let own_5 = own_5 >> bit & 1 != 0;
                let choice_12 = if own_5 { 1f32 } else { (-1f32) };
                let sum_19 = sum_18 + choice_12;
                let product_4 = product_0 * sum_19;
                let value_5 = exp_f32(product_4);
                let sum_20 = 1f32 + value_5;
                let quotient_3 = 1f32 / sum_20;
                let chance_6 = quotient_3 as f64;
                let draw_3 = at(random_words, 3 * STRIDE + lane);
                let chance_7 = chance(draw_3, chance_6);
                let y_0 = corner_y_0.wrapping_add(1i32);
                let sum_21 = corner_x_0.wrapping_add(y_0);
                let remainder_3 = sum_21.remainder(2i32);
                let equal_3 = remainder_3 == 0i32;
                let guarded_9 = chance_7 & equal_3;
                let guarded_10 = own_3 & !equal_3;
                let guarded_11 = guarded_9 | guarded_10;
                new_up_3 |= (guarded_11 as u8) << bit;
                let halo_right_3 = halo_right_3 >> bit & 1 != 0;
                let choice_13 = if halo_right_3 { 1f32 } else { (-1f32) };
                let existing_6 = if right_exists { choice_13 } else { 0f32 };
                let sum_22 = 0f32 + choice_7;
                let sum_23 = sum_22 + existing_6;
                let own_7 = own_7 >> bit & 1 != 0;
                let choice_14 = if own_7 { 1f32 } else { (-1f32) };
                let sum_24 = sum_23 + choice_14;
                let product_5 = product_0 * sum_24;
                let value_6 = exp_f32(product_5);
                let sum_25 = 1f32 + value_6;
                let quotient_4 = 1f32 / sum_25;
                let chance_8 = quotient_4 as f64;
                let draw_4 = at(random_words, 4 * STRIDE + lane);
                let chance_9 = chance(draw_4, chance_8);
                let sum_26 = x_1.wrapping_add(y_0);
                let remainder_4 = sum_26.remainder(2i32);
                let equal_4 = remainder_4 == 0i32;
                let guarded_12 = chance_9 & equal_4;
                let guarded_13 = own_4 & !equal_4;
                let guarded_14 = guarded_12 | guarded_13;
                new_up_4 |= (guarded_14 as u8) << bit;
                let halo_left_7 = halo_left_7 >> bit & 1 != 0;
                let choice_15 = if halo_left_7 { 1f32 } else { (-1f32) };
                let existing_7 = if left_exists { choice_15 } else { 0f32 };
                let sum_27 = 0f32 + choice_4;
                let sum_28 = sum_27 + existing_7;
                let own_6 = own_6 >> bit & 1 != 0;
                let choice_16 = if own_6 { 1f32 } else { (-1f32) };
                let sum_29 = sum_28 + choice_16;
                let halo_below_0 = halo_below_0 >> bit & 1 != 0;
                let choice_17 = if halo_below_0 { 1f32 } else { (-1f32) };
                let below_exists = below_exists >> bit & 1 != 0;
                let existing_8 = if below_exists { choice_17 } else { 0f32 };
                let sum_30 = sum_29 + existing_8;
                let product_6 = product_0 * sum_30;
                let value_7 = exp_f32(product_6);
                let sum_31 = 1f32 + value_7;
                let quotient_5 = 1f32 / sum_31;
                let chance_10 = quotient_5 as f64;
                let draw_5 = at(random_words, 5 * STRIDE + lane);
                let chance_11 = chance(draw_5, chance_10);
                let y_1 = corner_y_0.wrapping_add(2i32);
                let sum_32 = corner_x_0.wrapping_add(y_1);
                let remainder_5 = sum_32.remainder(2i32);
                let equal_5 = remainder_5 == 0i32;
                let guarded_15 = chance_11 & equal_5;
                let guarded_16 = own_5 & !equal_5;
                let guarded_17 = guarded_15 | guarded_16;
                new_up_5 |= (guarded_17 as u8) << bit;
                let sum_33 = 0f32 + choice_12;
                let sum_34 = sum_33 + choice_14;
                let halo_below_1 = halo_below_1 >> bit & 1 != 0;
                let choice_18 = if halo_below_1 { 1f32 } else { (-1f32) };
                let existing_9 = if below_exists { choice_18 } else { 0f32 };
                let sum_35 = sum_34 + existing_9;
                let product_7 = product_0 * sum_35;
                let value_8 = exp_f32(product_7);
                let sum_36 = 1f32 + value_8;
                let quotient_6 = 1f32 / sum_36;
                let chance_12 = quotient_6 as f64;
                let draw_6 = at(random_words, 6 * STRIDE + lane);
                let chance_13 = chance(draw_6, chance_12);
                let sum_37 = x_0.wrapping_add(y_1);
                let remainder_6 = sum_37.remainder(2i32);
                let equal_6 = remainder_6 == 0i32;
                let guarded_18 = chance_13 & equal_6;
                let guarded_19 = own_6 & !equal_6;
                let guarded_20 = guarded_18 | guarded_19;
                new_up_6 |= (guarded_20 as u8) << bit;
                let sum_38 = 0f32 + choice_10;
                let sum_39 = sum_38 + choice_16;
                let halo_right_5 = halo_right_5 >> bit & 1 != 0;
                let choice_19 = if halo_right_5 { 1f32 } else { (-1f32) };
                let existing_10 = if right_exists { choice_19 } else { 0f32 };
                let sum_40 = sum_39 + existing_10;
                let halo_below_2 = halo_below_2 >> bit & 1 != 0;
                let choice_20 = if halo_below_2 { 1f32 } else { (-1f32) };
                let existing_11 = if below_exists { choice_20 } else { 0f32 };
                let sum_41 = sum_40 + existing_11;
                let product_8 = product_0 * sum_41;
                let value_9 = exp_f32(product_8);
                let sum_42 = 1f32 + value_9;
                let quotient_7 = 1f32 / sum_42;
                let chance_14 = quotient_7 as f64;
                let draw_7 = at(random_words, 7 * STRIDE + lane);
                let chance_15 = chance(draw_7, chance_14);
                let sum_43 = x_1.wrapping_add(y_1);
                let remainder_7 = sum_43.remainder(2i32);
                let equal_7 = remainder_7 == 0i32;
                let guarded_21 = chance_15 & equal_7;
                let guarded_22 = own_7 & !equal_7;
                let guarded_23 = guarded_21 | guarded_22;
                new_up_7 |= (guarded_23 as u8) << bit;
            }
            put(new_up, group, new_up_0);
            put(new_up, 4 * WORDS + group, new_up_1);
            put(new_up, 8 * WORDS + group, new_up_2);
            put(new_up, 12 * WORDS + group, new_up_3);
            put(new_up, 16 * WORDS + group, new_up_4);
            put(new_up, 20 * WORDS + group, new_up_5);
            put(new_up, 24 * WORDS + group, new_up_6);
            put(new_up, 28 * WORDS + group, new_up_7);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn ising_even_superblock(call: &Call) {
    unsafe {
        ising_even_superblock_on_blocks(
            call,
            block(call.reads, 0),
            block(call.reads, 2),
            block(call.reads, 4),
            block(call.reads, 5),
            block(call.reads, 7),
            block(call.presence, 1),
            block(call.presence, 3),
            block(call.presence, 4),
            block(call.presence, 6),
            block(call.lane_corners, 0),
            block(call.lane_corners, 1),
            &*call.random.cast(),
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `ising_even` for this processor, and the instructions that it uses.
pub fn ising_even_for_this_processor() -> (KernelFn, &'static str) {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        unsafe { ising_even_superblock(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn avx2(call: *const Call) {
            unsafe { ising_even_superblock(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        unsafe extern "C" fn avx512(call: *const Call) {
            unsafe { ising_even_superblock(&*call) }
        }
        if has_avx512() {
            return (avx512, "rustc, AVX-512");
        }
        if has_avx2() {
            return (avx2, "rustc, AVX2");
        }
    }
    (portable, "rustc")
}

/// `ising_odd`: one step of 8 micro cells in all lanes.
///
/// 21.38 operations a cell and step (24 on bits, 147 on numbers), 8 + 12 loads, 8 stores, 23 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn ising_odd_superblock_on_blocks(
    call: &Call,
    own_up: &[u8; MICRO_CELLS * 4 * WORDS],
    above_up: &[u8; MICRO_CELLS * 4 * WORDS],
    left_up: &[u8; MICRO_CELLS * 4 * WORDS],
    right_up: &[u8; MICRO_CELLS * 4 * WORDS],
    below_up: &[u8; MICRO_CELLS * 4 * WORDS],
    lanes_above: &[u8; 4 * WORDS],
    lanes_left: &[u8; 4 * WORDS],
    lanes_right: &[u8; 4 * WORDS],
    lanes_below: &[u8; 4 * WORDS],
    lanes_x: &[i32; STRIDE],
    lanes_y: &[i32; STRIDE],
    random_words: &[u32; 8 * STRIDE],
    new_up: &mut [u8; MICRO_CELLS * 4 * WORDS],
) {
    for group in 0..STRIDE / GROUP {
        unsafe {
            let halo_left_2 = at(left_up, 8 * WORDS + group);
            let left_exists = at(lanes_left, group);
            let halo_above_5 = at(above_up, 20 * WORDS + group);
            let above_exists = at(lanes_above, group);
            let own_1 = at(own_up, 4 * WORDS + group);
            let own_3 = at(own_up, 12 * WORDS + group);
            let own_0 = at(own_up, group);
            let mut new_up_0 = 0;
            let halo_above_6 = at(above_up, 24 * WORDS + group);
            let own_2 = at(own_up, 8 * WORDS + group);
            let mut new_up_1 = 0;
            let halo_above_7 = at(above_up, 28 * WORDS + group);
            let halo_right_0 = at(right_up, group);
            let right_exists = at(lanes_right, group);
            let own_4 = at(own_up, 16 * WORDS + group);
            let mut new_up_2 = 0;
            let halo_left_4 = at(left_up, 16 * WORDS + group);
            let own_5 = at(own_up, 20 * WORDS + group);
            let mut new_up_3 = 0;
            let halo_right_3 = at(right_up, 12 * WORDS + group);
            let own_7 = at(own_up, 28 * WORDS + group);
            let mut new_up_4 = 0;
            let halo_left_7 = at(left_up, 28 * WORDS + group);
            let own_6 = at(own_up, 24 * WORDS + group);
            let halo_below_0 = at(below_up, group);
            let below_exists = at(lanes_below, group);
            let mut new_up_5 = 0;
            let halo_below_1 = at(below_up, 4 * WORDS + group);
            let mut new_up_6 = 0;
            let halo_right_5 = at(right_up, 20 * WORDS + group);
            let halo_below_2 = at(below_up, 8 * WORDS + group);
            let mut new_up_7 = 0;
            for bit in 0..GROUP {
                let lane = GROUP * group + bit;
                let halo_left_2 = halo_left_2 >> bit & 1 != 0;
                let choice_0 = if halo_left_2 { 1f32 } else { (-1f32) };
                let left_exists = left_exists >> bit & 1 != 0;
                let existing_0 = if left_exists { choice_0 } else { 0f32 };
                let halo_above_5 = halo_above_5 >> bit & 1 != 0;
                let choice_2 = if halo_above_5 { 1f32 } else { (-1f32) };
                let above_exists = above_exists >> bit & 1 != 0;
                let existing_1 = if above_exists { choice_2 } else { 0f32 };
                let sum_0 = 0f32 + existing_1;
                let sum_1 = sum_0 + existing_0;
                let own_1 = own_1 >> bit & 1 != 0;
                let choice_3 = if own_1 { 1f32 } else { (-1f32) };
                let sum_2 = sum_1 + choice_3;
                let own_3 = own_3 >> bit & 1 != 0;
                let choice_4 = if own_3 { 1f32 } else { (-1f32) };
                let sum_3 = sum_2 + choice_4;
                let beta = f32::from_bits(*call.params.add(0) as u32);
                let product_0 = (-2f32) * beta;
                let product_1 = product_0 * sum_3;
                let value_2 = exp_f32(product_1);
                let sum_4 = 1f32 + value_2;
                let quotient_0 = 1f32 / sum_4;
                let chance_0 = quotient_0 as f64;
                let draw_0 = at(random_words, lane);
                let chance_1 = chance(draw_0, chance_0);
                let superblock_y = call.superblock_corner[1];
                let lane_y = at(lanes_y, lane);
                let corner_y_0 = lane_y.wrapping_add(superblock_y);
                let superblock_x = call.superblock_corner[0];
                let lane_x = at(lanes_x, lane);
                let corner_x_0 = lane_x.wrapping_add(superblock_x);
                let sum_5 = corner_x_0.wrapping_add(corner_y_0);
                let remainder_0 = sum_5.remainder(2i32);
                let equal_0 = remainder_0 == 1i32;
                let guarded_0 = chance_1 & equal_0;
                let own_0 = own_0 >> bit & 1 != 0;
                let guarded_1 = own_0 & !equal_0;
                let guarded_2 = guarded_0 | guarded_1;
                new_up_0 |= (guarded_2 as u8) << bit;
                let choice_5 = if own_0 { 1f32 } else { (-1f32) };
                let halo_above_6 = halo_above_6 >> bit & 1 != 0;
                let choice_6 = if halo_above_6 { 1f32 } else { (-1f32) };
                let existing_2 = if above_exists { choice_6 } else { 0f32 };
                let sum_6 = 0f32 + existing_2;
                let sum_7 = sum_6 + choice_5;
                let own_2 = own_2 >> bit & 1 != 0;
                let choice_7 = if own_2 { 1f32 } else { (-1f32) };
                let sum_8 = sum_7 + choice_7;
                let product_2 = product_0 * sum_8;
                let value_3 = exp_f32(product_2);
                let sum_9 = 1f32 + value_3;
                let quotient_1 = 1f32 / sum_9;
                let chance_2 = quotient_1 as f64;
                let draw_1 = at(random_words, STRIDE + lane);
                let chance_3 = chance(draw_1, chance_2);
                let x_0 = corner_x_0.wrapping_add(1i32);
                let sum_10 = x_0.wrapping_add(corner_y_0);
                let remainder_1 = sum_10.remainder(2i32);
                let equal_1 = remainder_1 == 1i32;
                let guarded_3 = chance_3 & equal_1;
                let guarded_4 = own_1 & !equal_1;
                let guarded_5 = guarded_3 | guarded_4;
                new_up_1 |= (guarded_5 as u8) << bit;
                let halo_above_7 = halo_above_7 >> bit & 1 != 0;
                let choice_8 = if halo_above_7 { 1f32 } else { (-1f32) };
                let existing_3 = if above_exists { choice_8 } else { 0f32 };
                let sum_11 = 0f32 + existing_3;
                let sum_12 = sum_11 + choice_3;
                let halo_right_0 = halo_right_0 >> bit & 1 != 0;
                let choice_9 = if halo_right_0 { 1f32 } else { (-1f32) };
                let right_exists = right_exists >> bit & 1 != 0;
                let existing_4 = if right_exists { choice_9 } else { 0f32 };
                let sum_13 = sum_12 + existing_4;
                let own_4 = own_4 >> bit & 1 != 0;
                let choice_10 = if own_4 { 1f32 } else { (-1f32) };
                let sum_14 = sum_13 + choice_10;
                let product_3 = product_0 * sum_14;
                let value_4 = exp_f32(product_3);
                let sum_15 = 1f32 + value_4;
                let quotient_2 = 1f32 / sum_15;
                let chance_4 = quotient_2 as f64;
                let draw_2 = at(random_words, 2 * STRIDE + lane);
                let chance_5 = chance(draw_2, chance_4);
                let x_1 = corner_x_0.wrapping_add(2i32);
                let sum_16 = x_1.wrapping_add(corner_y_0);
                let remainder_2 = sum_16.remainder(2i32);
                let equal_2 = remainder_2 == 1i32;
                let guarded_6 = chance_5 & equal_2;
                let guarded_7 = own_2 & !equal_2;
                let guarded_8 = guarded_6 | guarded_7;
                new_up_2 |= (guarded_8 as u8) << bit;
                let halo_left_4 = halo_left_4 >> bit & 1 != 0;
                let choice_11 = if halo_left_4 { 1f32 } else { (-1f32) };
                let existing_5 = if left_exists { choice_11 } else { 0f32 };
                let sum_17 = 0f32 + choice_5;
                let sum_18 = sum_17 + existing_5;
                let own_5 = own_5 >> bit & 1 != 0;
                let choice_12 = if own_5 { 1f32 } else { (-1f32) };
                let sum_19 = sum_18 + choice_12;
                let product_4 = product_0 * sum_19;
                let value_5 = exp_f32(product_4);
                let sum_20 = 1f32 + value_5;
                let quotient_3 = 1f32 / sum_20;
                let chance_6 = quotient_3 as f64;
                let draw_3 = at(random_words, 3 * STRIDE + lane);
                let chance_7 = chance(draw_3, chance_6);
                let y_0 = corner_y_0.wrapping_add(1i32);
                let sum_21 = corner_x_0.wrapping_add(y_0);
                let remainder_3 = sum_21.remainder(2i32);
                let equal_3 = remainder_3 == 1i32;
                let guarded_9 = chance_7 & equal_3;
                let guarded_10 = own_3 & !equal_3;
                let guarded_11 = guarded_9 | guarded_10;
                new_up_3 |= (guarded_11 as u8) << bit;
                let halo_right_3 = halo_right_3 >> bit & 1 != 0;
                let choice_13 = if halo_right_3 { 1f32 } else { (-1f32) };
                let existing_6 = if right_exists { choice_13 } else { 0f32 };
                let sum_22 = 0f32 + choice_7;
                let sum_23 = sum_22 + existing_6;
                let own_7 = own_7 >> bit & 1 != 0;
                let choice_14 = if own_7 { 1f32 } else { (-1f32) };
                let sum_24 = sum_23 + choice_14;
                let product_5 = product_0 * sum_24;
                let value_6 = exp_f32(product_5);
                let sum_25 = 1f32 + value_6;
                let quotient_4 = 1f32 / sum_25;
                let chance_8 = quotient_4 as f64;
                let draw_4 = at(random_words, 4 * STRIDE + lane);
                let chance_9 = chance(draw_4, chance_8);
                let sum_26 = x_1.wrapping_add(y_0);
                let remainder_4 = sum_26.remainder(2i32);
                let equal_4 = remainder_4 == 1i32;
                let guarded_12 = chance_9 & equal_4;
                let guarded_13 = own_4 & !equal_4;
                let guarded_14 = guarded_12 | guarded_13;
                new_up_4 |= (guarded_14 as u8) << bit;
                let halo_left_7 = halo_left_7 >> bit & 1 != 0;
                let choice_15 = if halo_left_7 { 1f32 } else { (-1f32) };
                let existing_7 = if left_exists { choice_15 } else { 0f32 };
                let sum_27 = 0f32 + choice_4;
                let sum_28 = sum_27 + existing_7;
                let own_6 = own_6 >> bit & 1 != 0;
                let choice_16 = if own_6 { 1f32 } else { (-1f32) };
                let sum_29 = sum_28 + choice_16;
                let halo_below_0 = halo_below_0 >> bit & 1 != 0;
                let choice_17 = if halo_below_0 { 1f32 } else { (-1f32) };
                let below_exists = below_exists >> bit & 1 != 0;
                let existing_8 = if below_exists { choice_17 } else { 0f32 };
                let sum_30 = sum_29 + existing_8;
                let product_6 = product_0 * sum_30;
                let value_7 = exp_f32(product_6);
                let sum_31 = 1f32 + value_7;
                let quotient_5 = 1f32 / sum_31;
                let chance_10 = quotient_5 as f64;
                let draw_5 = at(random_words, 5 * STRIDE + lane);
                let chance_11 = chance(draw_5, chance_10);
                let y_1 = corner_y_0.wrapping_add(2i32);
                let sum_32 = corner_x_0.wrapping_add(y_1);
                let remainder_5 = sum_32.remainder(2i32);
                let equal_5 = remainder_5 == 1i32;
                let guarded_15 = chance_11 & equal_5;
                let guarded_16 = own_5 & !equal_5;
                let guarded_17 = guarded_15 | guarded_16;
                new_up_5 |= (guarded_17 as u8) << bit;
                let sum_33 = 0f32 + choice_12;
                let sum_34 = sum_33 + choice_14;
                let halo_below_1 = halo_below_1 >> bit & 1 != 0;
                let choice_18 = if halo_below_1 { 1f32 } else { (-1f32) };
                let existing_9 = if below_exists { choice_18 } else { 0f32 };
                let sum_35 = sum_34 + existing_9;
                let product_7 = product_0 * sum_35;
                let value_8 = exp_f32(product_7);
                let sum_36 = 1f32 + value_8;
                let quotient_6 = 1f32 / sum_36;
                let chance_12 = quotient_6 as f64;
                let draw_6 = at(random_words, 6 * STRIDE + lane);
                let chance_13 = chance(draw_6, chance_12);
                let sum_37 = x_0.wrapping_add(y_1);
                let remainder_6 = sum_37.remainder(2i32);
                let equal_6 = remainder_6 == 1i32;
                let guarded_18 = chance_13 & equal_6;
                let guarded_19 = own_6 & !equal_6;
                let guarded_20 = guarded_18 | guarded_19;
                new_up_6 |= (guarded_20 as u8) << bit;
                let sum_38 = 0f32 + choice_10;
                let sum_39 = sum_38 + choice_16;
                let halo_right_5 = halo_right_5 >> bit & 1 != 0;
                let choice_19 = if halo_right_5 { 1f32 } else { (-1f32) };
                let existing_10 = if right_exists { choice_19 } else { 0f32 };
                let sum_40 = sum_39 + existing_10;
                let halo_below_2 = halo_below_2 >> bit & 1 != 0;
                let choice_20 = if halo_below_2 { 1f32 } else { (-1f32) };
                let existing_11 = if below_exists { choice_20 } else { 0f32 };
                let sum_41 = sum_40 + existing_11;
                let product_8 = product_0 * sum_41;
                let value_9 = exp_f32(product_8);
                let sum_42 = 1f32 + value_9;
                let quotient_7 = 1f32 / sum_42;
                let chance_14 = quotient_7 as f64;
                let draw_7 = at(random_words, 7 * STRIDE + lane);
                let chance_15 = chance(draw_7, chance_14);
                let sum_43 = x_1.wrapping_add(y_1);
                let remainder_7 = sum_43.remainder(2i32);
                let equal_7 = remainder_7 == 1i32;
                let guarded_21 = chance_15 & equal_7;
                let guarded_22 = own_7 & !equal_7;
                let guarded_23 = guarded_21 | guarded_22;
                new_up_7 |= (guarded_23 as u8) << bit;
            }
            put(new_up, group, new_up_0);
            put(new_up, 4 * WORDS + group, new_up_1);
            put(new_up, 8 * WORDS + group, new_up_2);
            put(new_up, 12 * WORDS + group, new_up_3);
            put(new_up, 16 * WORDS + group, new_up_4);
            put(new_up, 20 * WORDS + group, new_up_5);
            put(new_up, 24 * WORDS + group, new_up_6);
            put(new_up, 28 * WORDS + group, new_up_7);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn ising_odd_superblock(call: &Call) {
    unsafe {
        ising_odd_superblock_on_blocks(
            call,
            block(call.reads, 0),
            block(call.reads, 2),
            block(call.reads, 4),
            block(call.reads, 5),
            block(call.reads, 7),
            block(call.presence, 1),
            block(call.presence, 3),
            block(call.presence, 4),
            block(call.presence, 6),
            block(call.lane_corners, 0),
            block(call.lane_corners, 1),
            &*call.random.cast(),
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `ising_odd` for this processor, and the instructions that it uses.
pub fn ising_odd_for_this_processor() -> (KernelFn, &'static str) {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        unsafe { ising_odd_superblock(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn avx2(call: *const Call) {
            unsafe { ising_odd_superblock(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        unsafe extern "C" fn avx512(call: *const Call) {
            unsafe { ising_odd_superblock(&*call) }
        }
        if has_avx512() {
            return (avx512, "rustc, AVX-512");
        }
        if has_avx2() {
            return (avx2, "rustc, AVX2");
        }
    }
    (portable, "rustc")
}

/// At most 2 units in the last place from the truth; the same bits on every machine.
#[inline(always)]
fn exp_f32(x: f32) -> f32 {
    let t1 = 89f32 < x;
    let t2 = if t1 { 89f32 } else { x };
    let t3 = t2 < (-104f32);
    let t4 = if t3 { (-104f32) } else { t2 };
    let t5 = t4 * 1.442695f32;
    let t6 = t5 + 12582912f32;
    let t7 = t6 - 12582912f32;
    let t8 = t7 * 0.69314575f32;
    let t9 = t4 - t8;
    let t10 = t7 * 0.0000014286068f32;
    let t11 = t9 - t10;
    let t12 = 0.0013926176f32 * t11;
    let t13 = t12 + 0.008363173f32;
    let t14 = t13 * t11;
    let t15 = t14 + 0.041666556f32;
    let t16 = t15 * t11;
    let t17 = t16 + 0.16666578f32;
    let t18 = t17 * t11;
    let t19 = t18 + 0.5f32;
    let t20 = t11 * t11;
    let t21 = t20 * t19;
    let t22 = t11 + t21;
    let t23 = 1f32 + t22;
    let t24 = f32::to_bits(t6);
    let t25 = t24.wrapping_add(3032482046u32);
    let t26 = t25 >> 1u32;
    let t27 = t26 << 23u32;
    let t28 = f32::from_bits(t27);
    let t29 = t23 * t28;
    let t30 = t25.wrapping_sub(t26);
    let t31 = t30 << 23u32;
    let t32 = f32::from_bits(t31);
    let t33 = t29 * t32;
    t33
}

// The program around the kernels: where cells are kept, which superblocks are neighbours, and the command line.

/// One level of the fractal: a box of `scale` places along each axis, some of which are replicas.
struct Pattern {
    scale: u64,
    /// The places (x, y, z), by replica.
    replicas: &'static [[u64; 3]],
}

/// A state of the cells.
struct State {
    name: &'static str,
    /// Planes of bits of a column, or 0 for numbers.
    planes: usize,
    /// Bytes of one number.
    bytes: usize,
}

/// A parameter that the command line may set.
struct Param {
    name: &'static str,
    ty: &'static str,
    /// The names of an enum's values, by number.
    variants: &'static [&'static str],
    default: u64,
}

/// A kernel and what it reads and writes.
struct Pass {
    code: (KernelFn, &'static str),
    /// The states of which it reads its own superblock.
    own: &'static [usize],
    /// State, direction and micro cells of what it reads of neighbours.
    halo: &'static [(usize, usize, &'static [usize])],
    /// The directions in which it asks who exists.
    presence: &'static [usize],
    /// The states that it writes.
    writes: &'static [usize],
    /// Micro cell and draw of the random words that it reads.
    random: &'static [(u64, u32)],
}

/// What a kernel is called with.
#[repr(C)]
pub struct Call {
    /// `state * (DIRECTIONS + 1) + place`: the columns of the superblock itself (place 0) or of its neighbour.
    reads: *const *const u8,
    /// The new columns by state.
    writes: *const *mut u8,
    /// The lanes in which a neighbour exists, by direction.
    presence: *const *const u32,
    params: *const u64,
    /// Where lanes begin, by axis.
    lane_corners: *const *const i32,
    /// Where the superblock begins in its lane.
    superblock_corner: [i32; 3],
    /// The first time that the kernel computes.
    time: u32,
    level: i32,
    side: i32,
    /// Columns of random words.
    random: *const u32,
}

/// The work of one superblock. The call must be filled as its fields say.
type KernelFn = unsafe extern "C" fn(*const Call);

/// Directions to other superblocks.
const DIRECTIONS: usize = if AXES == 2 { 8 } else { 26 };

/// What exists nowhere.
const ABSENT: u32 = u32::MAX;

/// The axes' steps of a direction: reading order, without the centre.
fn direction(index: usize) -> [i64; 3] {
    let place = (index + usize::from(index >= DIRECTIONS / 2)) as i64;
    [place % 3 - 1, place / 3 % 3 - 1, if AXES == 2 { 0 } else { place / 9 - 1 }]
}

fn pattern(level: u32) -> &'static Pattern {
    &PATTERNS[level as usize % PATTERNS.len()]
}

/// Cells of the fractal made of some levels; the finest is 0.
fn cells(levels: Range<u32>) -> u64 {
    levels.map(|level| pattern(level).replicas.len() as u64).product()
}

/// Its side.
fn side(levels: Range<u32>) -> u64 {
    levels.map(|level| pattern(level).scale).product()
}

/// The point of a cell of the fractal made of some levels.
fn lambda(levels: Range<u32>, mut c: u64) -> [u64; 3] {
    let (mut point, mut unit) = ([0; 3], 1);
    for level in levels {
        let Pattern { scale, replicas } = pattern(level);
        let k = replicas.len() as u64;
        let replica = replicas[(c % k) as usize];
        point = std::array::from_fn(|axis| point[axis] + replica[axis] * unit);
        (c, unit) = (c / k, unit * scale);
    }
    point
}

/// The cell at a point of the fractal made of some levels; none if it is a hole.
fn nu(levels: Range<u32>, mut point: [u64; 3]) -> Option<u64> {
    let (mut c, mut unit) = (0, 1);
    for level in levels {
        let Pattern { scale, replicas } = pattern(level);
        let place = point.map(|v| v % scale);
        c += replicas.iter().position(|replica| *replica == place)? as u64 * unit;
        unit *= replicas.len() as u64;
        point = point.map(|v| v / scale);
    }
    Some(c)
}

/// The levels between lanes and micro cells: their cells are the superblocks.
const MIDDLE: Range<u32> = MICRO_DIGITS..LEVEL - LANE_DIGITS;
/// The levels of the lanes.
const TOP: Range<u32> = LEVEL - LANE_DIGITS..LEVEL;

/// `(column[word] rotated left) & mask`
struct Term {
    word: usize,
    rotate: u32,
    mask: u32,
}

/// How lanes move on the way to a neighbour in another lane.
struct Wrap {
    /// By lane the lane that it sees.
    sources: Vec<u32>,
    /// By word what it is made of.
    terms: Vec<Vec<Term>>,
    /// The lanes that see one.
    presence: Vec<u32>,
}

impl Wrap {
    fn new(step: [i64; 3]) -> Wrap {
        let mut wrap = Wrap { sources: vec![ABSENT; LANES], terms: Vec::new(), presence: vec![0; WORDS] };
        wrap.terms.resize_with(WORDS, Vec::new);
        for lane in 0..LANES {
            let place = lambda(TOP, lane as u64);
            let there: [i64; 3] = std::array::from_fn(|axis| place[axis] as i64 + step[axis]);
            if there.iter().any(|v| !(0..side(TOP) as i64).contains(v)) {
                continue;
            }
            let Some(from) = nu(TOP, there.map(|v| v as u64)) else { continue };
            let from = from as usize;
            wrap.sources[lane] = from as u32;
            wrap.presence[lane / 32] |= 1 << (lane % 32);
            let (word, rotate) = (from / 32, (lane + 32 - from % 32) as u32 % 32);
            let terms = &mut wrap.terms[lane / 32];
            match terms.iter_mut().find(|term| (term.word, term.rotate) == (word, rotate)) {
                Some(term) => term.mask |= 1 << (lane % 32),
                None => terms.push(Term { word, rotate, mask: 1 << (lane % 32) }),
            }
        }
        wrap
    }

    /// Moves the lanes of a column.
    fn apply(&self, state: &State, from: &[u8], to: &mut [u8]) {
        if state.planes == 0 {
            for (lane, value) in to.chunks_exact_mut(state.bytes).take(LANES).enumerate() {
                match self.sources[lane] {
                    ABSENT => value.fill(0),
                    source => value.copy_from_slice(&from[source as usize * state.bytes..][..state.bytes]),
                }
            }
            return;
        }
        for (from, to) in from.chunks_exact(4 * WORDS).zip(to.chunks_exact_mut(4 * WORDS)) {
            let word = |index: usize| u32::from_le_bytes(from[4 * index..4 * index + 4].try_into().unwrap());
            for (terms, value) in self.terms.iter().zip(to.chunks_exact_mut(4)) {
                let moved = terms.iter().fold(0, |bits, term| bits | word(term.word).rotate_left(term.rotate) & term.mask);
                value.copy_from_slice(&moved.to_le_bytes());
            }
        }
    }
}

/// What all passes share.
struct World {
    superblocks: usize,
    /// `superblock * DIRECTIONS + direction`: the neighbour, and the wrap on the way to it.
    neighbours: Vec<(u32, u32)>,
    wraps: Vec<Wrap>,
    lane_corners: [Vec<i32>; 3],
    zeros: Vec<u64>,
    ones: Vec<u32>,
    params: Vec<u64>,
    seed: u64,
}

impl World {
    fn new(seed: u64, params: Vec<u64>) -> World {
        let superblocks = cells(MIDDLE) as usize;
        let last = side(MIDDLE) as i64 - 1;
        let mut neighbours = vec![(ABSENT, ABSENT); superblocks * DIRECTIONS];
        for (superblock, row) in neighbours.chunks_exact_mut(DIRECTIONS).enumerate() {
            let place = lambda(MIDDLE, superblock as u64);
            for (index, neighbour) in row.iter_mut().enumerate() {
                let (mut there, mut wrap) = ([0; 3], [0; 3]);
                for (axis, step) in direction(index).into_iter().enumerate().take(AXES) {
                    let v = place[axis] as i64 + step;
                    wrap[axis] = if (0..=last).contains(&v) { 0 } else { step };
                    there[axis] = v.rem_euclid(last + 1) as u64;
                }
                if let Some(c) = nu(MIDDLE, there) {
                    let wrap = (0..DIRECTIONS).find(|way| direction(*way) == wrap);
                    *neighbour = (c as u32, wrap.map_or(ABSENT, |way| way as u32));
                }
            }
        }
        let unit = side(0..LEVEL - LANE_DIGITS);
        let corner = |axis: usize, lane: usize| (lambda(TOP, lane as u64)[axis] * unit) as i32;
        let corners = |axis| (0..STRIDE).map(|lane| if lane < LANES { corner(axis, lane) } else { 0 }).collect();
        let largest = STATES.iter().map(|state| block_bytes(state)).max().unwrap_or(0);
        World {
            superblocks,
            neighbours,
            wraps: (0..DIRECTIONS).map(|index| Wrap::new(direction(index))).collect(),
            lane_corners: std::array::from_fn(corners),
            zeros: vec![0; largest / 8 + 8],
            ones: vec![u32::MAX; WORDS],
            params,
            seed,
        }
    }
}

/// Bytes of a column of all planes.
fn column_bytes(state: &State) -> usize {
    if state.planes == 0 { STRIDE * state.bytes } else { state.planes * 4 * WORDS }
}

/// Bytes of a superblock's columns.
fn block_bytes(state: &State) -> usize {
    MICRO_CELLS * column_bytes(state)
}

/// The two buffers of a state.
struct Field {
    now: Vec<u64>,
    next: Vec<u64>,
}

/// Pointers that threads share: each superblock writes its own columns alone.
struct Shared(Vec<(*const u8, *mut u8)>);

// SAFETY: what is read is not written while a pass runs, and written places are different ones.
unsafe impl Sync for Shared {}

impl Pass {
    /// Runs on all superblocks.
    fn run(&self, world: &World, fields: &mut [Field], time: u32) {
        let pointers = |field: &mut Field| (field.now.as_ptr().cast(), field.next.as_mut_ptr().cast());
        let shared = &Shared(fields.iter_mut().map(pointers).collect());
        let next = &AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        let piece = world.superblocks.div_ceil(16 * threads).max(64);
        let work = move || {
            let mut worker = Worker::new(self, world, time);
            loop {
                let first = next.fetch_add(piece, Ordering::Relaxed);
                if first >= world.superblocks {
                    return;
                }
                (first..(first + piece).min(world.superblocks)).for_each(|superblock| worker.run(shared, superblock));
            }
        };
        let helpers = threads.min(world.superblocks.div_ceil(piece)) - 1;
        std::thread::scope(|scope| {
            (0..helpers).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        for &state in self.writes {
            let field = &mut fields[state];
            std::mem::swap(&mut field.now, &mut field.next);
        }
    }
}

/// What a thread needs to run a pass.
struct Worker<'a> {
    pass: &'a Pass,
    world: &'a World,
    time: u32,
    reads: Vec<*const u8>,
    writes: Vec<*mut u8>,
    presence: Vec<*const u32>,
    /// Columns with their lanes moved, one block for each entry of the pass's halo.
    moved: Vec<Vec<u64>>,
    random: Vec<u32>,
}

impl<'a> Worker<'a> {
    fn new(pass: &'a Pass, world: &'a World, time: u32) -> Worker<'a> {
        let memory = |&(state, ..): &(usize, usize, &[usize])| vec![0; block_bytes(&STATES[state]).div_ceil(8)];
        Worker {
            pass,
            world,
            time,
            reads: vec![null(); STATES.len() * (DIRECTIONS + 1)],
            writes: vec![null_mut(); STATES.len()],
            presence: vec![null(); DIRECTIONS],
            moved: pass.halo.iter().map(memory).collect(),
            random: vec![0; pass.random.len() * STRIDE],
        }
    }

    fn run(&mut self, shared: &Shared, superblock: usize) {
        let Worker { pass, world, .. } = *self;
        let old = |state: usize, index: usize| shared.0[state].0.wrapping_add(index * block_bytes(&STATES[state]));
        for &state in pass.own {
            self.reads[state * (DIRECTIONS + 1)] = old(state, superblock);
        }
        for (&(state, way, micro), moved) in pass.halo.iter().zip(&mut self.moved) {
            let read = match world.neighbours[superblock * DIRECTIONS + way] {
                (ABSENT, _) => world.zeros.as_ptr().cast(),
                (index, ABSENT) => old(state, index as usize),
                (index, wrap) => {
                    let (width, bytes) = (column_bytes(&STATES[state]), block_bytes(&STATES[state]));
                    // SAFETY: the block of a superblock that exists, which nobody writes now; the other is ours.
                    let (from, to) = unsafe {
                        (from_raw_parts(old(state, index as usize), bytes), from_raw_parts_mut(moved.as_mut_ptr().cast(), bytes))
                    };
                    for &micro in micro {
                        let place = micro * width..(micro + 1) * width;
                        world.wraps[wrap as usize].apply(&STATES[state], &from[place.clone()], &mut to[place]);
                    }
                    moved.as_ptr().cast()
                }
            };
            self.reads[state * (DIRECTIONS + 1) + 1 + way] = read;
        }
        for &way in pass.presence {
            self.presence[way] = match world.neighbours[superblock * DIRECTIONS + way] {
                (ABSENT, _) => world.zeros.as_ptr().cast(),
                (_, ABSENT) => world.ones.as_ptr(),
                (_, wrap) => world.wraps[wrap as usize].presence.as_ptr(),
            };
        }
        for &state in pass.writes {
            self.writes[state] = shared.0[state].1.wrapping_add(superblock * block_bytes(&STATES[state]));
        }
        let below = cells(0..MICRO_DIGITS);
        let (first, lane_cells) = (superblock as u64 * below, world.superblocks as u64 * below);
        for (&(micro, draw), words) in pass.random.iter().zip(self.random.chunks_exact_mut(STRIDE)) {
            for (lane, word) in words.iter_mut().enumerate() {
                *word = random(world.seed, first + micro + lane as u64 * lane_cells, self.time, draw);
            }
        }
        let unit = side(0..MICRO_DIGITS);
        let lane_corners: [*const i32; 3] = std::array::from_fn(|axis| world.lane_corners[axis].as_ptr());
        let call = Call {
            reads: self.reads.as_ptr(),
            writes: self.writes.as_ptr(),
            presence: self.presence.as_ptr(),
            params: world.params.as_ptr(),
            lane_corners: lane_corners.as_ptr(),
            superblock_corner: lambda(MIDDLE, superblock as u64).map(|v| (v * unit) as i32),
            time: self.time,
            level: LEVEL as i32,
            side: i32::try_from(side(0..LEVEL)).unwrap_or(0),
            random: self.random.as_ptr(),
        };
        // SAFETY: all that the kernel names has just been filled, and it writes the columns of this superblock alone.
        unsafe { (pass.code.0)(&raw const call) }
    }
}

/// Philox4x32-10: word `draw % 4` of the block with counter (c, time, draw / 4) and key `seed`.
fn random(seed: u64, c: u64, time: u32, draw: u32) -> u32 {
    let mut counter = [c as u32, (c >> 32) as u32, time, draw / 4];
    let mut key = [seed as u32, (seed >> 32) as u32];
    for _ in 0..10 {
        let a = 0xD251_1F53_u64 * u64::from(counter[0]);
        let b = 0xCD9E_8D57_u64 * u64::from(counter[2]);
        counter = [(b >> 32) as u32 ^ counter[1] ^ key[0], b as u32, (a >> 32) as u32 ^ counter[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter[(draw % 4) as usize]
}

/// The digest of a state: the sum over its cells of a hash of canonical index and value.
fn digest(world: &World, state: &State, now: &[u64]) -> u64 {
    fn mix(v: u64) -> u64 {
        let v = v.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let v = (v ^ v >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let v = (v ^ v >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        v ^ v >> 31
    }
    // SAFETY: any memory can be read as bytes.
    let bytes = unsafe { from_raw_parts(now.as_ptr().cast::<u8>(), world.superblocks * block_bytes(state)) };
    let lane_cells = (world.superblocks * MICRO_CELLS) as u64;
    let mut sum = 0u64;
    for (first, column) in (0u64..).zip(bytes.chunks_exact(column_bytes(state))) {
        for lane in 0..LANES {
            let mut value = 0;
            if state.planes == 0 {
                let bytes = &column[lane * state.bytes..][..state.bytes];
                bytes.iter().rev().for_each(|byte| value = value << 8 | u64::from(*byte));
            }
            for plane in 0..state.planes {
                value |= u64::from(column[4 * WORDS * plane + lane / 8] >> (lane % 8) & 1) << plane;
            }
            sum = sum.wrapping_add(mix(mix(first + lane as u64 * lane_cells) ^ value));
        }
    }
    sum
}

/// Memory of zeros for all superblocks of a state.
fn memory(world: &World, state: &State) -> Result<Vec<u64>, String> {
    let words = (world.superblocks * block_bytes(state)).div_ceil(8);
    let mut memory = Vec::new();
    memory.try_reserve_exact(words).map_err(|error| format!("{} bytes for `{}`: {error}", 8 * words, state.name))?;
    memory.resize(words, 0);
    Ok(memory)
}

impl Param {
    /// The bits of a value.
    fn parse(&self, text: &str) -> Option<u64> {
        match self.ty {
            "bit" => text.parse::<bool>().ok().map(u64::from),
            "u8" => text.parse::<u8>().ok().map(u64::from),
            "i32" => text.parse::<i32>().ok().map(|v| u64::from(v as u32)),
            "u32" => text.parse::<u32>().ok().map(u64::from),
            "f32" => text.parse::<f32>().ok().map(|v| u64::from(v.to_bits())),
            "f64" => text.parse::<f64>().ok().map(f64::to_bits),
            _ => self.variants.iter().position(|variant| *variant == text).map(|number| number as u64),
        }
    }
}

/// `STEPS [SEED] [NAME=VALUE]...`
fn arguments() -> Result<(u32, u64, Vec<u64>), String> {
    let mut params: Vec<u64> = PARAMS.iter().map(|param| param.default).collect();
    let (mut numbers, mut steps, mut seed) = (0, 0, 0);
    for argument in std::env::args().skip(1) {
        let wrong = || format!("`{argument}` is not understood; valid are: STEPS [SEED] [NAME=VALUE]...");
        if let Some((name, text)) = argument.split_once('=') {
            let index = PARAMS.iter().position(|param| param.name == name).ok_or_else(wrong)?;
            params[index] = PARAMS[index].parse(text).ok_or_else(wrong)?;
            continue;
        }
        match numbers {
            0 => steps = argument.parse().map_err(|_| wrong())?,
            1 => seed = argument.parse().map_err(|_| wrong())?,
            _ => return Err(wrong()),
        }
        numbers += 1;
    }
    Ok((steps, seed, params))
}

fn run() -> Result<(), String> {
    let (steps, seed, params) = arguments()?;
    let world = World::new(seed, params);
    let mut fields = Vec::new();
    for state in &STATES {
        fields.push(Field { now: memory(&world, state)?, next: memory(&world, state)? });
    }
    initial_values().run(&world, &mut fields, 0);
    let (one, several) = (one_step(), several_steps());
    let began = Instant::now();
    let mut time = 0;
    while time < steps {
        let (passes, taken) = if steps - time >= STEPS { (&several, STEPS) } else { (&one, 1) };
        for pass in passes {
            pass.run(&world, &mut fields, time + 1);
        }
        time += taken;
    }
    let seconds = began.elapsed().as_secs_f64() / f64::from(steps.max(1));
    eprintln!("{seconds:.3e} seconds a step, {}", several[0].code.1);
    for (state, field) in STATES.iter().zip(&fields) {
        println!("{} {:016x}", state.name, digest(&world, state, &field.now));
    }
    Ok(())
}

fn main() {
    if let Err(problem) = run() {
        eprintln!("error: {problem}");
        std::process::exit(2);
    }
}

// What emitted kernels are made of: vectors of bits, columns in memory, and operations that Rust spells otherwise.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// So many lanes of numbers are computed together.
pub const GROUP: usize = 8;

/// A vector of bits: 32 lanes a word.
pub trait Bits:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// How many words it has.
    const WORDS: usize;

    /// The same bit in all lanes.
    fn splat(bit: bool) -> Self;

    /// As many words as there are.
    ///
    /// # Safety
    /// `WORDS` words from `from` on can be read.
    unsafe fn load_all(from: *const u32) -> Self;

    /// Writes all words.
    ///
    /// # Safety
    /// `WORDS` words from `to` on can be written.
    unsafe fn store_all(self, to: *mut u32);

    /// Any function of three bits: bit `4a + 2b + c` of `TABLE`.
    #[inline(always)]
    fn table<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        // What it is of a and b where c is false, and where c is true: bit `2a + b`.
        let low = TABLE & 1 | TABLE >> 1 & 2 | TABLE >> 2 & 4 | TABLE >> 3 & 8;
        let high = TABLE >> 1 & 1 | TABLE >> 2 & 2 | TABLE >> 3 & 4 | TABLE >> 4 & 8;
        let (where_false, where_true) = (of_two(low, a, b), of_two(high, a, b));
        if low == high {
            where_false
        } else if low == 15 - high {
            where_false ^ c
        } else if low & !high == 0 {
            where_false | where_true & c
        } else if high & !low == 0 {
            where_true | where_false & !c
        } else {
            where_false & !c | where_true & c
        }
    }

    /// The words of a column of `COLUMN` words from `place` on; zeros if it has fewer than a vector.
    ///
    /// # Safety
    /// The block holds the column: `COLUMN` words, or a vector, from `place` on.
    #[inline(always)]
    unsafe fn load<const COLUMN: usize, const N: usize>(block: &[u32; N], place: usize) -> Self {
        // SAFETY: as the caller's.
        unsafe {
            let from = block.as_ptr().add(place);
            if COLUMN >= Self::WORDS {
                return Self::load_all(from);
            }
            let mut words = [0; 16];
            std::ptr::copy_nonoverlapping(from, words.as_mut_ptr(), COLUMN);
            Self::load_all(words.as_ptr())
        }
    }

    /// Writes what [`load`](Self::load) reads.
    ///
    /// # Safety
    /// As of [`load`](Self::load).
    #[inline(always)]
    unsafe fn store<const COLUMN: usize, const N: usize>(self, block: &mut [u32; N], place: usize) {
        // SAFETY: as the caller's.
        unsafe {
            let to = block.as_mut_ptr().add(place);
            if COLUMN >= Self::WORDS {
                return self.store_all(to);
            }
            let mut words = [0; 16];
            self.store_all(words.as_mut_ptr());
            std::ptr::copy_nonoverlapping(words.as_ptr(), to, COLUMN);
        }
    }

    /// Where the vector after the one at `place` begins: the last one of a column overlaps the one before, the end follows it.
    #[inline(always)]
    fn next<const COLUMN: usize>(place: usize) -> usize {
        if place + Self::WORDS >= COLUMN { COLUMN } else { (place + Self::WORDS).min(COLUMN - Self::WORDS) }
    }
}

/// A function of two bits: bit `2a + b` of `table`.
#[inline(always)]
fn of_two<V: Bits>(table: i32, a: V, b: V) -> V {
    match table {
        0 => V::splat(false),
        1 => !(a | b),
        2 => b & !a,
        3 => !a,
        4 => a & !b,
        5 => !b,
        6 => a ^ b,
        7 => !(a & b),
        8 => a & b,
        9 => !(a ^ b),
        10 => b,
        11 => b | !a,
        12 => a,
        13 => a | !b,
        14 => a | b,
        _ => V::splat(true),
    }
}

/// 256 bits for any processor.
#[derive(Clone, Copy)]
pub struct Portable([u64; 4]);

impl Bits for Portable {
    const WORDS: usize = 8;

    #[inline(always)]
    fn splat(bit: bool) -> Self {
        Portable([if bit { u64::MAX } else { 0 }; 4])
    }

    #[inline(always)]
    unsafe fn load_all(from: *const u32) -> Self {
        // SAFETY: as the caller's.
        Portable(unsafe { from.cast::<[u64; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store_all(self, to: *mut u32) {
        // SAFETY: as the caller's.
        unsafe { to.cast::<[u64; 4]>().write_unaligned(self.0) }
    }
}

macro_rules! portable_operators {
    ($($name:ident $method:ident $sign:tt;)*) => {$(
        impl $name for Portable {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let (a, b) = (self.0, other.0);
                Portable([a[0] $sign b[0], a[1] $sign b[1], a[2] $sign b[2], a[3] $sign b[3]])
            }
        }
    )*};
}

portable_operators! { BitAnd bitand &; BitOr bitor |; BitXor bitxor ^; }

impl Not for Portable {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Portable(self.0.map(|word| !word))
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512, Avx512Half};

/// Vectors of x86. Their operations are sound only in functions that have the features, where they are inlined.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Bits;
    use std::arch::x86_64::*;
    use std::ops::{BitAnd, BitOr, BitXor, Not};

    macro_rules! vectors {
        ($(
            $(#[$doc:meta])*
            $vector:ident($register:ident, $words:literal): $splat:ident $load:ident $store:ident $and:ident $or:ident $xor:ident
            { $($table:tt)* }
        )*) => {$(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub struct $vector($register);

            impl Bits for $vector {
                const WORDS: usize = $words;

                #[inline(always)]
                fn splat(bit: bool) -> Self {
                    // SAFETY: the caller has the instructions.
                    $vector(unsafe { $splat(if bit { -1 } else { 0 }) })
                }

                #[inline(always)]
                unsafe fn load_all(from: *const u32) -> Self {
                    // SAFETY: as the caller's, who has the instructions.
                    $vector(unsafe { $load(from.cast()) })
                }

                #[inline(always)]
                unsafe fn store_all(self, to: *mut u32) {
                    // SAFETY: as the caller's, who has the instructions.
                    unsafe { $store(to.cast(), self.0) }
                }

                $($table)*
            }

            vectors! { @ $vector BitAnd bitand $and }
            vectors! { @ $vector BitOr bitor $or }
            vectors! { @ $vector BitXor bitxor $xor }

            impl Not for $vector {
                type Output = Self;
                #[inline(always)]
                fn not(self) -> Self {
                    self ^ Self::splat(true)
                }
            }
        )*};
        (@ $vector:ident $name:ident $method:ident $instruction:ident) => {
            impl $name for $vector {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: the caller has the instructions.
                    $vector(unsafe { $instruction(self.0, other.0) })
                }
            }
        };
    }

    vectors! {
        /// 256 bits with AVX2.
        Avx2(__m256i, 8): _mm256_set1_epi32 _mm256_loadu_si256 _mm256_storeu_si256
            _mm256_and_si256 _mm256_or_si256 _mm256_xor_si256
        {}
        /// 256 bits with AVX-512 F and VL, which have an instruction for any function of three bits.
        Avx512Half(__m256i, 8): _mm256_set1_epi32 _mm256_loadu_si256 _mm256_storeu_si256
            _mm256_and_si256 _mm256_or_si256 _mm256_xor_si256
        {
            #[inline(always)]
            fn table<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
                // SAFETY: the caller has AVX-512 F and VL.
                Avx512Half(unsafe { _mm256_ternarylogic_epi64::<TABLE>(a.0, b.0, c.0) })
            }
        }
        /// 512 bits with AVX-512 F.
        Avx512(__m512i, 16): _mm512_set1_epi32 _mm512_loadu_si512 _mm512_storeu_si512
            _mm512_and_si512 _mm512_or_si512 _mm512_xor_si512
        {
            #[inline(always)]
            fn table<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
                // SAFETY: the caller has AVX-512 F.
                Avx512(unsafe { _mm512_ternarylogic_epi64::<TABLE>(a.0, b.0, c.0) })
            }
        }
    }
}

/// The block at a place of a table of pointers.
///
/// # Safety
/// The table has the place, and what it points to is a block of this type that nobody writes for so long.
#[inline(always)]
pub unsafe fn block<'a, T, P, const N: usize>(table: *const *const P, place: usize) -> &'a [T; N] {
    // SAFETY: as the caller's.
    unsafe { &*(*table.add(place)).cast::<[T; N]>() }
}

/// The block to write at a place of a table of pointers.
///
/// # Safety
/// The table has the place, and what it points to is a block of this type that nobody else uses for so long.
#[inline(always)]
pub unsafe fn block_mut<'a, T, const N: usize>(table: *const *mut u8, place: usize) -> &'a mut [T; N] {
    // SAFETY: as the caller's.
    unsafe { &mut *(*table.add(place)).cast::<[T; N]>() }
}

/// The value at a place of a block.
///
/// # Safety
/// The block has the place.
#[inline(always)]
pub unsafe fn at<T: Copy, const N: usize>(block: &[T; N], place: usize) -> T {
    debug_assert!(place < N);
    // SAFETY: as the caller's.
    unsafe { *block.get_unchecked(place) }
}

/// Writes the value at a place of a block.
///
/// # Safety
/// The block has the place.
#[inline(always)]
pub unsafe fn put<T: Copy, const N: usize>(block: &mut [T; N], place: usize, value: T) {
    debug_assert!(place < N);
    // SAFETY: as the caller's.
    unsafe { *block.get_unchecked_mut(place) = value }
}

/// Division and remainder of integers: wrapping, 0 if the divisor is 0.
pub trait Whole: Sized {
    /// The quotient.
    fn divided(self, divisor: Self) -> Self;
    /// The remainder.
    fn remainder(self, divisor: Self) -> Self;
}

macro_rules! whole {
    ($($ty:ty)*) => {$(
        impl Whole for $ty {
            #[inline(always)]
            fn divided(self, divisor: Self) -> Self {
                if divisor == 0 { 0 } else { self.wrapping_div(divisor) }
            }
            #[inline(always)]
            fn remainder(self, divisor: Self) -> Self {
                if divisor == 0 { 0 } else { self.wrapping_rem(divisor) }
            }
        }
    )*};
}

whole! { u8 i32 u32 }

/// A float as it is stored: every NaN is the one quiet NaN.
#[inline(always)]
pub fn stored_f32(value: f32) -> f32 {
    if value.is_nan() { f32::from_bits(0x7fc0_0000) } else { value }
}

/// A float as it is stored: every NaN is the one quiet NaN.
#[inline(always)]
pub fn stored_f64(value: f64) -> f64 {
    if value.is_nan() { f64::from_bits(0x7ff8_0000_0000_0000) } else { value }
}

/// Whether the processor has AVX2.
#[cfg(target_arch = "x86_64")]
pub fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
}

/// Whether the processor has AVX-512 F, BW, DQ and VL.
#[cfg(target_arch = "x86_64")]
pub fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512dq")
        && std::is_x86_feature_detected!("avx512vl")
}

/// Whether a random word is below a probability: `word < floor(probability * 2^32)`.
#[inline(always)]
pub fn chance(word: u32, probability: f64) -> bool {
    u64::from(word) < ((probability * 4_294_967_296.0) as u64).min(1 << 32)
}
