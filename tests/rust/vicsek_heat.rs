// heat on vicsek at level 4, by Squeeze 0.1.0
//
// T = 1: 5 lanes a column fill 31% of the vector registers they take
// L = 2: 25 micro cells a superblock, about 526 operations; 5 superblocks
// t = 2: 1.17 cells computed for one that is kept; bound by operations, 809.21 ps a cell and step expected
//
// rustc -O --edition 2024 heat.rs
// ./heat STEPS [SEED] [NAME=VALUE]...

#![allow(dead_code, unused_parens, unused_variables, clippy::all)]

use std::ops::Range;
use std::ptr::{null, null_mut};
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
/// The level of the fractal.
const LEVEL: u32 = 4;
/// The top digits of a cell's number, which are its lane.
const LANE_DIGITS: u32 = 1;
/// The lowest digits of a cell's number, which are its micro cell; those between are its superblock.
const MICRO_DIGITS: u32 = 2;
/// The dimension of the space.
const AXES: usize = 2;
/// The time steps of one pass over all superblocks.
const STEPS: u32 = 2;
/// The fractal: its levels by turns, the finest first.
const PATTERNS: [Pattern; 1] = [
    Pattern {
        scale: 3,
        replicas: &[[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 2, 0]],
    },
];

/// The states of the rule.
const STATES: [State; 1] = [
    State {
        name: "u",
        planes: 0,
        bytes: 4,
    },
];

/// The parameters of the rule.
const PARAMS: [Param; 2] = [
    Param {
        name: "alpha",
        ty: "f32",
        variants: &[],
        default: 1036831949,
    },
    Param {
        name: "hot",
        ty: "f32",
        variants: &[],
        default: 1148846080,
    },
];

/// Lanes of a column.
pub const LANES: usize = 5;
/// Words of a column of bits.
pub const WORDS: usize = 1;
/// Values of a column of numbers.
pub const STRIDE: usize = 8;
/// Micro cells of a superblock, each a column.
pub const MICRO_CELLS: usize = 25;
/// Computes the initial values.
fn initial_values() -> Pass {
    Pass {
        code: heat_init_for_this_processor(),
        own: &[],
        halo: &[],
        presence: &[],
        writes: &[0],
        random: &[],
    }
}

/// Compute one time step.
fn one_step() -> Vec<Pass> {
    Vec::from([
        Pass {
            code: heat_for_this_processor(),
            own: &[0],
            halo: &[(0, 1, &[24]), (0, 3, &[18]), (0, 4, &[6]), (0, 6, &[0])],
            presence: &[1, 3, 4, 6],
            writes: &[0],
            random: &[],
        },
    ])
}

/// Compute `STEPS` time steps.
fn several_steps() -> Vec<Pass> {
    Vec::from([
        Pass {
            code: heat_2_steps_for_this_processor(),
            own: &[0],
            halo: &[
                (0, 1, &[22, 24]),
                (0, 3, &[17, 18]),
                (0, 4, &[6, 7]),
                (0, 6, &[0, 2]),
            ],
            presence: &[1, 3, 4, 6],
            writes: &[0],
            random: &[],
        },
    ])
}

/// `heat_init`: one step of 25 micro cells in all lanes.
///
/// 1.08 operations a cell and step (0 on bits, 27 on numbers), 0 + 0 loads, 25 stores, 8 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn heat_init_superblock_on_blocks(
    call: &Call,
    lanes_y: &[i32; STRIDE],
    new_u: &mut [f32; MICRO_CELLS * STRIDE],
) {
    for group in 0..STRIDE / GROUP {
        unsafe {
            for bit in 0..GROUP {
                let lane = GROUP * group + bit;
                let superblock_y = call.superblock_corner[1];
                let lane_y = at(lanes_y, lane);
                let corner_y_0 = lane_y.wrapping_add(superblock_y);
                let equal_0 = corner_y_0 == 0i32;
                let hot = f32::from_bits(*call.params.add(1) as u32);
                let choice_0 = if equal_0 { hot } else { 0f32 };
                put(new_u, lane, stored_f32(choice_0));
                let y_0 = corner_y_0.wrapping_add(1i32);
                let equal_1 = y_0 == 0i32;
                let choice_1 = if equal_1 { hot } else { 0f32 };
                put(new_u, STRIDE + lane, stored_f32(choice_1));
                put(new_u, 2 * STRIDE + lane, stored_f32(choice_1));
                put(new_u, 3 * STRIDE + lane, stored_f32(choice_1));
                let y_1 = corner_y_0.wrapping_add(2i32);
                let equal_2 = y_1 == 0i32;
                let choice_2 = if equal_2 { hot } else { 0f32 };
                put(new_u, 4 * STRIDE + lane, stored_f32(choice_2));
                let y_2 = corner_y_0.wrapping_add(3i32);
                let equal_3 = y_2 == 0i32;
                let choice_3 = if equal_3 { hot } else { 0f32 };
                put(new_u, 5 * STRIDE + lane, stored_f32(choice_3));
                let y_3 = corner_y_0.wrapping_add(4i32);
                let equal_4 = y_3 == 0i32;
                let choice_4 = if equal_4 { hot } else { 0f32 };
                put(new_u, 6 * STRIDE + lane, stored_f32(choice_4));
                put(new_u, 7 * STRIDE + lane, stored_f32(choice_4));
                put(new_u, 8 * STRIDE + lane, stored_f32(choice_4));
                let y_4 = corner_y_0.wrapping_add(5i32);
                let equal_5 = y_4 == 0i32;
                let choice_5 = if equal_5 { hot } else { 0f32 };
                put(new_u, 9 * STRIDE + lane, stored_f32(choice_5));
                put(new_u, 10 * STRIDE + lane, stored_f32(choice_3));
                put(new_u, 11 * STRIDE + lane, stored_f32(choice_4));
                put(new_u, 12 * STRIDE + lane, stored_f32(choice_4));
                put(new_u, 13 * STRIDE + lane, stored_f32(choice_4));
                put(new_u, 14 * STRIDE + lane, stored_f32(choice_5));
                put(new_u, 15 * STRIDE + lane, stored_f32(choice_3));
                put(new_u, 16 * STRIDE + lane, stored_f32(choice_4));
                put(new_u, 17 * STRIDE + lane, stored_f32(choice_4));
                put(new_u, 18 * STRIDE + lane, stored_f32(choice_4));
                put(new_u, 19 * STRIDE + lane, stored_f32(choice_5));
                let y_5 = corner_y_0.wrapping_add(6i32);
                let equal_6 = y_5 == 0i32;
                let choice_6 = if equal_6 { hot } else { 0f32 };
                put(new_u, 20 * STRIDE + lane, stored_f32(choice_6));
                let y_6 = corner_y_0.wrapping_add(7i32);
                let equal_7 = y_6 == 0i32;
                let choice_7 = if equal_7 { hot } else { 0f32 };
                put(new_u, 21 * STRIDE + lane, stored_f32(choice_7));
                put(new_u, 22 * STRIDE + lane, stored_f32(choice_7));
                put(new_u, 23 * STRIDE + lane, stored_f32(choice_7));
                let y_7 = corner_y_0.wrapping_add(8i32);
                let equal_8 = y_7 == 0i32;
                let choice_8 = if equal_8 { hot } else { 0f32 };
                put(new_u, 24 * STRIDE + lane, stored_f32(choice_8));
            }
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn heat_init_superblock(call: &Call) {
    unsafe {
        heat_init_superblock_on_blocks(
            call,
            block(call.lane_corners, 1),
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `heat_init` for this processor, and the instructions that it uses.
pub fn heat_init_for_this_processor() -> (KernelFn, &'static str) {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        unsafe { heat_init_superblock(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn avx2(call: *const Call) {
            unsafe { heat_init_superblock(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        unsafe extern "C" fn avx512(call: *const Call) {
            unsafe { heat_init_superblock(&*call) }
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

/// `heat`: one step of 25 micro cells in all lanes.
///
/// 6.32 operations a cell and step (0 on bits, 158 on numbers), 25 + 4 loads, 25 stores, 11 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn heat_superblock_on_blocks(
    call: &Call,
    own_u: &[f32; MICRO_CELLS * STRIDE],
    above_u: &[f32; MICRO_CELLS * STRIDE],
    left_u: &[f32; MICRO_CELLS * STRIDE],
    right_u: &[f32; MICRO_CELLS * STRIDE],
    below_u: &[f32; MICRO_CELLS * STRIDE],
    lanes_above: &[u8; 4 * WORDS],
    lanes_left: &[u8; 4 * WORDS],
    lanes_right: &[u8; 4 * WORDS],
    lanes_below: &[u8; 4 * WORDS],
    new_u: &mut [f32; MICRO_CELLS * STRIDE],
) {
    for group in 0..STRIDE / GROUP {
        unsafe {
            let above_exists = at(lanes_above, group);
            let left_exists = at(lanes_left, group);
            let right_exists = at(lanes_right, group);
            let below_exists = at(lanes_below, group);
            for bit in 0..GROUP {
                let lane = GROUP * group + bit;
                let own_0 = at(own_u, lane);
                let halo_above_24 = at(above_u, 24 * STRIDE + lane);
                let difference_0 = halo_above_24 - own_0;
                let above_exists = above_exists >> bit & 1 != 0;
                let existing_0 = if above_exists { difference_0 } else { 0f32 };
                let sum_0 = 0f32 + existing_0;
                let own_2 = at(own_u, 2 * STRIDE + lane);
                let difference_2 = own_2 - own_0;
                let sum_1 = sum_0 + difference_2;
                let alpha = f32::from_bits(*call.params.add(0) as u32);
                let product_0 = alpha * sum_1;
                let sum_2 = own_0 + product_0;
                put(new_u, lane, stored_f32(sum_2));
                let own_1 = at(own_u, STRIDE + lane);
                let difference_3 = own_2 - own_1;
                let sum_3 = 0f32 + difference_3;
                let product_1 = alpha * sum_3;
                let sum_4 = own_1 + product_1;
                put(new_u, STRIDE + lane, stored_f32(sum_4));
                let difference_4 = own_1 - own_2;
                let difference_5 = own_0 - own_2;
                let sum_5 = 0f32 + difference_5;
                let sum_6 = sum_5 + difference_4;
                let own_3 = at(own_u, 3 * STRIDE + lane);
                let difference_6 = own_3 - own_2;
                let sum_7 = sum_6 + difference_6;
                let own_4 = at(own_u, 4 * STRIDE + lane);
                let difference_7 = own_4 - own_2;
                let sum_8 = sum_7 + difference_7;
                let product_2 = alpha * sum_8;
                let sum_9 = own_2 + product_2;
                put(new_u, 2 * STRIDE + lane, stored_f32(sum_9));
                let difference_8 = own_2 - own_3;
                let sum_10 = 0f32 + difference_8;
                let product_3 = alpha * sum_10;
                let sum_11 = own_3 + product_3;
                put(new_u, 3 * STRIDE + lane, stored_f32(sum_11));
                let own_10 = at(own_u, 10 * STRIDE + lane);
                let difference_9 = own_10 - own_4;
                let difference_10 = own_2 - own_4;
                let sum_12 = 0f32 + difference_10;
                let sum_13 = sum_12 + difference_9;
                let product_4 = alpha * sum_13;
                let sum_14 = own_4 + product_4;
                put(new_u, 4 * STRIDE + lane, stored_f32(sum_14));
                let own_5 = at(own_u, 5 * STRIDE + lane);
                let own_7 = at(own_u, 7 * STRIDE + lane);
                let difference_11 = own_7 - own_5;
                let sum_15 = 0f32 + difference_11;
                let product_5 = alpha * sum_15;
                let sum_16 = own_5 + product_5;
                put(new_u, 5 * STRIDE + lane, stored_f32(sum_16));
                let own_6 = at(own_u, 6 * STRIDE + lane);
                let halo_left_18 = at(left_u, 18 * STRIDE + lane);
                let difference_12 = halo_left_18 - own_6;
                let left_exists = left_exists >> bit & 1 != 0;
                let existing_1 = if left_exists { difference_12 } else { 0f32 };
                let sum_17 = 0f32 + existing_1;
                let difference_13 = own_7 - own_6;
                let sum_18 = sum_17 + difference_13;
                let product_6 = alpha * sum_18;
                let sum_19 = own_6 + product_6;
                put(new_u, 6 * STRIDE + lane, stored_f32(sum_19));
                let difference_14 = own_6 - own_7;
                let difference_15 = own_5 - own_7;
                let sum_20 = 0f32 + difference_15;
                let sum_21 = sum_20 + difference_14;
                let own_8 = at(own_u, 8 * STRIDE + lane);
                let difference_16 = own_8 - own_7;
                let sum_22 = sum_21 + difference_16;
                let own_9 = at(own_u, 9 * STRIDE + lane);
                let difference_17 = own_9 - own_7;
                let sum_23 = sum_22 + difference_17;
                let product_7 = alpha * sum_23;
                let sum_24 = own_7 + product_7;
                put(new_u, 7 * STRIDE + lane, stored_f32(sum_24));
                let own_11 = at(own_u, 11 * STRIDE + lane);
                let difference_18 = own_11 - own_8;
                let difference_19 = own_7 - own_8;
                let sum_25 = 0f32 + difference_19;
                let sum_26 = sum_25 + difference_18;
                let product_8 = alpha * sum_26;
                let sum_27 = own_8 + product_8;
                put(new_u, 8 * STRIDE + lane, stored_f32(sum_27));
                let difference_20 = own_7 - own_9;
                let sum_28 = 0f32 + difference_20;
                let product_9 = alpha * sum_28;
                let sum_29 = own_9 + product_9;
                put(new_u, 9 * STRIDE + lane, stored_f32(sum_29));
                let own_12 = at(own_u, 12 * STRIDE + lane);
                let difference_21 = own_12 - own_10;
                let difference_22 = own_4 - own_10;
                let sum_30 = 0f32 + difference_22;
                let sum_31 = sum_30 + difference_21;
                let product_10 = alpha * sum_31;
                let sum_32 = own_10 + product_10;
                put(new_u, 10 * STRIDE + lane, stored_f32(sum_32));
                let difference_23 = own_12 - own_11;
                let difference_24 = own_8 - own_11;
                let sum_33 = 0f32 + difference_24;
                let sum_34 = sum_33 + difference_23;
                let product_11 = alpha * sum_34;
                let sum_35 = own_11 + product_11;
                put(new_u, 11 * STRIDE + lane, stored_f32(sum_35));
                let difference_25 = own_11 - own_12;
                let difference_26 = own_10 - own_12;
                let sum_36 = 0f32 + difference_26;
                let sum_37 = sum_36 + difference_25;
                let own_13 = at(own_u, 13 * STRIDE + lane);
                let difference_27 = own_13 - own_12;
                let sum_38 = sum_37 + difference_27;
                let own_14 = at(own_u, 14 * STRIDE + lane);
                let difference_28 = own_14 - own_12;
                let sum_39 = sum_38 + difference_28;
                let product_12 = alpha * sum_39;
                let sum_40 = own_12 + product_12;
                put(new_u, 12 * STRIDE + lane, stored_f32(sum_40));
                let own_16 = at(own_u, 16 * STRIDE + lane);
                let difference_29 = own_16 - own_13;
                let difference_30 = own_12 - own_13;
                let sum_41 = 0f32 + difference_30;
                let sum_42 = sum_41 + difference_29;
                let product_13 = alpha * sum_42;
                let sum_43 = own_13 + product_13;
                put(new_u, 13 * STRIDE + lane, stored_f32(sum_43));
                let own_20 = at(own_u, 20 * STRIDE + lane);
                let difference_31 = own_20 - own_14;
                let difference_32 = own_12 - own_14;
                let sum_44 = 0f32 + difference_32;
                let sum_45 = sum_44 + difference_31;
                let product_14 = alpha * sum_45;
                let sum_46 = own_14 + product_14;
                put(new_u, 14 * STRIDE + lane, stored_f32(sum_46));
                let own_15 = at(own_u, 15 * STRIDE + lane);
                let own_17 = at(own_u, 17 * STRIDE + lane);
                let difference_33 = own_17 - own_15;
                let sum_47 = 0f32 + difference_33;
                let product_15 = alpha * sum_47;
                let sum_48 = own_15 + product_15;
                put(new_u, 15 * STRIDE + lane, stored_f32(sum_48));
                let difference_34 = own_17 - own_16;
                let difference_35 = own_13 - own_16;
                let sum_49 = 0f32 + difference_35;
                let sum_50 = sum_49 + difference_34;
                let product_16 = alpha * sum_50;
                let sum_51 = own_16 + product_16;
                put(new_u, 16 * STRIDE + lane, stored_f32(sum_51));
                let difference_36 = own_16 - own_17;
                let difference_37 = own_15 - own_17;
                let sum_52 = 0f32 + difference_37;
                let sum_53 = sum_52 + difference_36;
                let own_18 = at(own_u, 18 * STRIDE + lane);
                let difference_38 = own_18 - own_17;
                let sum_54 = sum_53 + difference_38;
                let own_19 = at(own_u, 19 * STRIDE + lane);
                let difference_39 = own_19 - own_17;
                let sum_55 = sum_54 + difference_39;
                let product_17 = alpha * sum_55;
                let sum_56 = own_17 + product_17;
                put(new_u, 17 * STRIDE + lane, stored_f32(sum_56));
                let halo_right_6 = at(right_u, 6 * STRIDE + lane);
                let difference_40 = halo_right_6 - own_18;
                let right_exists = right_exists >> bit & 1 != 0;
                let existing_2 = if right_exists { difference_40 } else { 0f32 };
                let difference_41 = own_17 - own_18;
                let sum_57 = 0f32 + difference_41;
                let sum_58 = sum_57 + existing_2;
                let product_18 = alpha * sum_58;
                let sum_59 = own_18 + product_18;
                put(new_u, 18 * STRIDE + lane, stored_f32(sum_59));
                let difference_42 = own_17 - own_19;
                let sum_60 = 0f32 + difference_42;
                let product_19 = alpha * sum_60;
                let sum_61 = own_19 + product_19;
                put(new_u, 19 * STRIDE + lane, stored_f32(sum_61));
                let own_22 = at(own_u, 22 * STRIDE + lane);
                let difference_43 = own_22 - own_20;
                let difference_44 = own_14 - own_20;
                let sum_62 = 0f32 + difference_44;
                let sum_63 = sum_62 + difference_43;
                let product_20 = alpha * sum_63;
                let sum_64 = own_20 + product_20;
                put(new_u, 20 * STRIDE + lane, stored_f32(sum_64));
                let own_21 = at(own_u, 21 * STRIDE + lane);
                let difference_45 = own_22 - own_21;
                let sum_65 = 0f32 + difference_45;
                let product_21 = alpha * sum_65;
                let sum_66 = own_21 + product_21;
                put(new_u, 21 * STRIDE + lane, stored_f32(sum_66));
                let difference_46 = own_21 - own_22;
                let difference_47 = own_20 - own_22;
                let sum_67 = 0f32 + difference_47;
                let sum_68 = sum_67 + difference_46;
                let own_23 = at(own_u, 23 * STRIDE + lane);
                let difference_48 = own_23 - own_22;
                let sum_69 = sum_68 + difference_48;
                let own_24 = at(own_u, 24 * STRIDE + lane);
                let difference_49 = own_24 - own_22;
                let sum_70 = sum_69 + difference_49;
                let product_22 = alpha * sum_70;
                let sum_71 = own_22 + product_22;
                put(new_u, 22 * STRIDE + lane, stored_f32(sum_71));
                let difference_50 = own_22 - own_23;
                let sum_72 = 0f32 + difference_50;
                let product_23 = alpha * sum_72;
                let sum_73 = own_23 + product_23;
                put(new_u, 23 * STRIDE + lane, stored_f32(sum_73));
                let halo_below_0 = at(below_u, lane);
                let difference_51 = halo_below_0 - own_24;
                let below_exists = below_exists >> bit & 1 != 0;
                let existing_3 = if below_exists { difference_51 } else { 0f32 };
                let difference_52 = own_22 - own_24;
                let sum_74 = 0f32 + difference_52;
                let sum_75 = sum_74 + existing_3;
                let product_24 = alpha * sum_75;
                let sum_76 = own_24 + product_24;
                put(new_u, 24 * STRIDE + lane, stored_f32(sum_76));
            }
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn heat_superblock(call: &Call) {
    unsafe {
        heat_superblock_on_blocks(
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
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `heat` for this processor, and the instructions that it uses.
pub fn heat_for_this_processor() -> (KernelFn, &'static str) {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        unsafe { heat_superblock(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn avx2(call: *const Call) {
            unsafe { heat_superblock(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        unsafe extern "C" fn avx512(call: *const Call) {
            unsafe { heat_superblock(&*call) }
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

/// `heat`: 2 steps of 25 micro cells in all lanes.
///
/// 6.88 operations a cell and step (0 on bits, 344 on numbers), 25 + 8 loads, 25 stores, 18 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn heat_2_steps_superblock_on_blocks(
    call: &Call,
    own_u: &[f32; MICRO_CELLS * STRIDE],
    above_u: &[f32; MICRO_CELLS * STRIDE],
    left_u: &[f32; MICRO_CELLS * STRIDE],
    right_u: &[f32; MICRO_CELLS * STRIDE],
    below_u: &[f32; MICRO_CELLS * STRIDE],
    lanes_above: &[u8; 4 * WORDS],
    lanes_left: &[u8; 4 * WORDS],
    lanes_right: &[u8; 4 * WORDS],
    lanes_below: &[u8; 4 * WORDS],
    new_u: &mut [f32; MICRO_CELLS * STRIDE],
) {
    for group in 0..STRIDE / GROUP {
        unsafe {
            let above_exists = at(lanes_above, group);
            let left_exists = at(lanes_left, group);
            let right_exists = at(lanes_right, group);
            let below_exists = at(lanes_below, group);
            for bit in 0..GROUP {
                let lane = GROUP * group + bit;
                let own_0 = at(own_u, lane);
                let halo_above_24 = at(above_u, 24 * STRIDE + lane);
                let difference_0 = halo_above_24 - own_0;
                let above_exists = above_exists >> bit & 1 != 0;
                let existing_0 = if above_exists { difference_0 } else { 0f32 };
                let sum_0 = 0f32 + existing_0;
                let own_2 = at(own_u, 2 * STRIDE + lane);
                let difference_2 = own_2 - own_0;
                let sum_1 = sum_0 + difference_2;
                let alpha = f32::from_bits(*call.params.add(0) as u32);
                let product_0 = alpha * sum_1;
                let sum_2 = own_0 + product_0;
                let own_1 = at(own_u, STRIDE + lane);
                let difference_3 = own_1 - own_2;
                let difference_4 = own_0 - own_2;
                let sum_3 = 0f32 + difference_4;
                let sum_4 = sum_3 + difference_3;
                let own_3 = at(own_u, 3 * STRIDE + lane);
                let difference_5 = own_3 - own_2;
                let sum_5 = sum_4 + difference_5;
                let own_4 = at(own_u, 4 * STRIDE + lane);
                let difference_6 = own_4 - own_2;
                let sum_6 = sum_5 + difference_6;
                let product_1 = alpha * sum_6;
                let sum_7 = own_2 + product_1;
                let difference_7 = sum_7 - sum_2;
                let halo_above_22 = at(above_u, 22 * STRIDE + lane);
                let difference_8 = halo_above_22 - halo_above_24;
                let existing_1 = if above_exists { difference_8 } else { 0f32 };
                let sum_8 = 0f32 + existing_1;
                let difference_9 = own_0 - halo_above_24;
                let sum_9 = sum_8 + difference_9;
                let product_2 = alpha * sum_9;
                let sum_10 = halo_above_24 + product_2;
                let difference_10 = sum_10 - sum_2;
                let existing_2 = if above_exists { difference_10 } else { 0f32 };
                let sum_11 = 0f32 + existing_2;
                let sum_12 = sum_11 + difference_7;
                let product_3 = alpha * sum_12;
                let sum_13 = sum_2 + product_3;
                put(new_u, lane, stored_f32(sum_13));
                let difference_11 = own_2 - own_1;
                let sum_14 = 0f32 + difference_11;
                let product_4 = alpha * sum_14;
                let sum_15 = own_1 + product_4;
                let difference_12 = sum_7 - sum_15;
                let sum_16 = 0f32 + difference_12;
                let product_5 = alpha * sum_16;
                let sum_17 = sum_15 + product_5;
                put(new_u, STRIDE + lane, stored_f32(sum_17));
                let own_10 = at(own_u, 10 * STRIDE + lane);
                let difference_13 = own_10 - own_4;
                let difference_14 = own_2 - own_4;
                let sum_18 = 0f32 + difference_14;
                let sum_19 = sum_18 + difference_13;
                let product_6 = alpha * sum_19;
                let sum_20 = own_4 + product_6;
                let difference_15 = sum_20 - sum_7;
                let difference_16 = sum_2 - sum_7;
                let sum_21 = 0f32 + difference_16;
                let difference_17 = sum_15 - sum_7;
                let sum_22 = sum_21 + difference_17;
                let difference_18 = own_2 - own_3;
                let sum_23 = 0f32 + difference_18;
                let product_7 = alpha * sum_23;
                let sum_24 = own_3 + product_7;
                let difference_19 = sum_24 - sum_7;
                let sum_25 = sum_22 + difference_19;
                let sum_26 = sum_25 + difference_15;
                let product_8 = alpha * sum_26;
                let sum_27 = sum_7 + product_8;
                put(new_u, 2 * STRIDE + lane, stored_f32(sum_27));
                let difference_20 = sum_7 - sum_24;
                let sum_28 = 0f32 + difference_20;
                let product_9 = alpha * sum_28;
                let sum_29 = sum_24 + product_9;
                put(new_u, 3 * STRIDE + lane, stored_f32(sum_29));
                let own_12 = at(own_u, 12 * STRIDE + lane);
                let difference_21 = own_12 - own_10;
                let difference_22 = own_4 - own_10;
                let sum_30 = 0f32 + difference_22;
                let sum_31 = sum_30 + difference_21;
                let product_10 = alpha * sum_31;
                let sum_32 = own_10 + product_10;
                let difference_23 = sum_32 - sum_20;
                let difference_24 = sum_7 - sum_20;
                let sum_33 = 0f32 + difference_24;
                let sum_34 = sum_33 + difference_23;
                let product_11 = alpha * sum_34;
                let sum_35 = sum_20 + product_11;
                put(new_u, 4 * STRIDE + lane, stored_f32(sum_35));
                let own_7 = at(own_u, 7 * STRIDE + lane);
                let own_6 = at(own_u, 6 * STRIDE + lane);
                let difference_25 = own_6 - own_7;
                let own_5 = at(own_u, 5 * STRIDE + lane);
                let difference_26 = own_5 - own_7;
                let sum_36 = 0f32 + difference_26;
                let sum_37 = sum_36 + difference_25;
                let own_8 = at(own_u, 8 * STRIDE + lane);
                let difference_27 = own_8 - own_7;
                let sum_38 = sum_37 + difference_27;
                let own_9 = at(own_u, 9 * STRIDE + lane);
                let difference_28 = own_9 - own_7;
                let sum_39 = sum_38 + difference_28;
                let product_12 = alpha * sum_39;
                let sum_40 = own_7 + product_12;
                let difference_29 = own_7 - own_5;
                let sum_41 = 0f32 + difference_29;
                let product_13 = alpha * sum_41;
                let sum_42 = own_5 + product_13;
                let difference_30 = sum_40 - sum_42;
                let sum_43 = 0f32 + difference_30;
                let product_14 = alpha * sum_43;
                let sum_44 = sum_42 + product_14;
                put(new_u, 5 * STRIDE + lane, stored_f32(sum_44));
                let halo_left_18 = at(left_u, 18 * STRIDE + lane);
                let difference_31 = halo_left_18 - own_6;
                let left_exists = left_exists >> bit & 1 != 0;
                let existing_3 = if left_exists { difference_31 } else { 0f32 };
                let sum_45 = 0f32 + existing_3;
                let difference_32 = own_7 - own_6;
                let sum_46 = sum_45 + difference_32;
                let product_15 = alpha * sum_46;
                let sum_47 = own_6 + product_15;
                let difference_33 = sum_40 - sum_47;
                let halo_left_17 = at(left_u, 17 * STRIDE + lane);
                let difference_34 = halo_left_17 - halo_left_18;
                let existing_4 = if left_exists { difference_34 } else { 0f32 };
                let sum_48 = 0f32 + existing_4;
                let difference_35 = own_6 - halo_left_18;
                let sum_49 = sum_48 + difference_35;
                let product_16 = alpha * sum_49;
                let sum_50 = halo_left_18 + product_16;
                let difference_36 = sum_50 - sum_47;
                let existing_5 = if left_exists { difference_36 } else { 0f32 };
                let sum_51 = 0f32 + existing_5;
                let sum_52 = sum_51 + difference_33;
                let product_17 = alpha * sum_52;
                let sum_53 = sum_47 + product_17;
                put(new_u, 6 * STRIDE + lane, stored_f32(sum_53));
                let own_11 = at(own_u, 11 * STRIDE + lane);
                let difference_37 = own_11 - own_8;
                let difference_38 = own_7 - own_8;
                let sum_54 = 0f32 + difference_38;
                let sum_55 = sum_54 + difference_37;
                let product_18 = alpha * sum_55;
                let sum_56 = own_8 + product_18;
                let difference_39 = sum_56 - sum_40;
                let difference_40 = sum_47 - sum_40;
                let difference_41 = sum_42 - sum_40;
                let sum_57 = 0f32 + difference_41;
                let sum_58 = sum_57 + difference_40;
                let sum_59 = sum_58 + difference_39;
                let difference_42 = own_7 - own_9;
                let sum_60 = 0f32 + difference_42;
                let product_19 = alpha * sum_60;
                let sum_61 = own_9 + product_19;
                let difference_43 = sum_61 - sum_40;
                let sum_62 = sum_59 + difference_43;
                let product_20 = alpha * sum_62;
                let sum_63 = sum_40 + product_20;
                put(new_u, 7 * STRIDE + lane, stored_f32(sum_63));
                let difference_44 = own_12 - own_11;
                let difference_45 = own_8 - own_11;
                let sum_64 = 0f32 + difference_45;
                let sum_65 = sum_64 + difference_44;
                let product_21 = alpha * sum_65;
                let sum_66 = own_11 + product_21;
                let difference_46 = sum_66 - sum_56;
                let difference_47 = sum_40 - sum_56;
                let sum_67 = 0f32 + difference_47;
                let sum_68 = sum_67 + difference_46;
                let product_22 = alpha * sum_68;
                let sum_69 = sum_56 + product_22;
                put(new_u, 8 * STRIDE + lane, stored_f32(sum_69));
                let difference_48 = sum_40 - sum_61;
                let sum_70 = 0f32 + difference_48;
                let product_23 = alpha * sum_70;
                let sum_71 = sum_61 + product_23;
                put(new_u, 9 * STRIDE + lane, stored_f32(sum_71));
                let difference_49 = own_11 - own_12;
                let difference_50 = own_10 - own_12;
                let sum_72 = 0f32 + difference_50;
                let sum_73 = sum_72 + difference_49;
                let own_13 = at(own_u, 13 * STRIDE + lane);
                let difference_51 = own_13 - own_12;
                let sum_74 = sum_73 + difference_51;
                let own_14 = at(own_u, 14 * STRIDE + lane);
                let difference_52 = own_14 - own_12;
                let sum_75 = sum_74 + difference_52;
                let product_24 = alpha * sum_75;
                let sum_76 = own_12 + product_24;
                let difference_53 = sum_76 - sum_32;
                let difference_54 = sum_20 - sum_32;
                let sum_77 = 0f32 + difference_54;
                let sum_78 = sum_77 + difference_53;
                let product_25 = alpha * sum_78;
                let sum_79 = sum_32 + product_25;
                put(new_u, 10 * STRIDE + lane, stored_f32(sum_79));
                let difference_55 = sum_76 - sum_66;
                let difference_56 = sum_56 - sum_66;
                let sum_80 = 0f32 + difference_56;
                let sum_81 = sum_80 + difference_55;
                let product_26 = alpha * sum_81;
                let sum_82 = sum_66 + product_26;
                put(new_u, 11 * STRIDE + lane, stored_f32(sum_82));
                let difference_57 = sum_66 - sum_76;
                let difference_58 = sum_32 - sum_76;
                let sum_83 = 0f32 + difference_58;
                let sum_84 = sum_83 + difference_57;
                let own_16 = at(own_u, 16 * STRIDE + lane);
                let difference_59 = own_16 - own_13;
                let difference_60 = own_12 - own_13;
                let sum_85 = 0f32 + difference_60;
                let sum_86 = sum_85 + difference_59;
                let product_27 = alpha * sum_86;
                let sum_87 = own_13 + product_27;
                let difference_61 = sum_87 - sum_76;
                let sum_88 = sum_84 + difference_61;
                let own_20 = at(own_u, 20 * STRIDE + lane);
                let difference_62 = own_20 - own_14;
                let difference_63 = own_12 - own_14;
                let sum_89 = 0f32 + difference_63;
                let sum_90 = sum_89 + difference_62;
                let product_28 = alpha * sum_90;
                let sum_91 = own_14 + product_28;
                let difference_64 = sum_91 - sum_76;
                let sum_92 = sum_88 + difference_64;
                let product_29 = alpha * sum_92;
                let sum_93 = sum_76 + product_29;
                put(new_u, 12 * STRIDE + lane, stored_f32(sum_93));
                let own_17 = at(own_u, 17 * STRIDE + lane);
                let difference_65 = own_17 - own_16;
                let difference_66 = own_13 - own_16;
                let sum_94 = 0f32 + difference_66;
                let sum_95 = sum_94 + difference_65;
                let product_30 = alpha * sum_95;
                let sum_96 = own_16 + product_30;
                let difference_67 = sum_96 - sum_87;
                let difference_68 = sum_76 - sum_87;
                let sum_97 = 0f32 + difference_68;
                let sum_98 = sum_97 + difference_67;
                let product_31 = alpha * sum_98;
                let sum_99 = sum_87 + product_31;
                put(new_u, 13 * STRIDE + lane, stored_f32(sum_99));
                let own_22 = at(own_u, 22 * STRIDE + lane);
                let difference_69 = own_22 - own_20;
                let difference_70 = own_14 - own_20;
                let sum_100 = 0f32 + difference_70;
                let sum_101 = sum_100 + difference_69;
                let product_32 = alpha * sum_101;
                let sum_102 = own_20 + product_32;
                let difference_71 = sum_102 - sum_91;
                let difference_72 = sum_76 - sum_91;
                let sum_103 = 0f32 + difference_72;
                let sum_104 = sum_103 + difference_71;
                let product_33 = alpha * sum_104;
                let sum_105 = sum_91 + product_33;
                put(new_u, 14 * STRIDE + lane, stored_f32(sum_105));
                let difference_73 = own_16 - own_17;
                let own_15 = at(own_u, 15 * STRIDE + lane);
                let difference_74 = own_15 - own_17;
                let sum_106 = 0f32 + difference_74;
                let sum_107 = sum_106 + difference_73;
                let own_18 = at(own_u, 18 * STRIDE + lane);
                let difference_75 = own_18 - own_17;
                let sum_108 = sum_107 + difference_75;
                let own_19 = at(own_u, 19 * STRIDE + lane);
                let difference_76 = own_19 - own_17;
                let sum_109 = sum_108 + difference_76;
                let product_34 = alpha * sum_109;
                let sum_110 = own_17 + product_34;
                let difference_77 = own_17 - own_15;
                let sum_111 = 0f32 + difference_77;
                let product_35 = alpha * sum_111;
                let sum_112 = own_15 + product_35;
                let difference_78 = sum_110 - sum_112;
                let sum_113 = 0f32 + difference_78;
                let product_36 = alpha * sum_113;
                let sum_114 = sum_112 + product_36;
                put(new_u, 15 * STRIDE + lane, stored_f32(sum_114));
                let difference_79 = sum_110 - sum_96;
                let difference_80 = sum_87 - sum_96;
                let sum_115 = 0f32 + difference_80;
                let sum_116 = sum_115 + difference_79;
                let product_37 = alpha * sum_116;
                let sum_117 = sum_96 + product_37;
                put(new_u, 16 * STRIDE + lane, stored_f32(sum_117));
                let halo_right_6 = at(right_u, 6 * STRIDE + lane);
                let difference_81 = halo_right_6 - own_18;
                let right_exists = right_exists >> bit & 1 != 0;
                let existing_6 = if right_exists { difference_81 } else { 0f32 };
                let difference_82 = own_17 - own_18;
                let sum_118 = 0f32 + difference_82;
                let sum_119 = sum_118 + existing_6;
                let product_38 = alpha * sum_119;
                let sum_120 = own_18 + product_38;
                let difference_83 = sum_120 - sum_110;
                let difference_84 = sum_96 - sum_110;
                let difference_85 = sum_112 - sum_110;
                let sum_121 = 0f32 + difference_85;
                let sum_122 = sum_121 + difference_84;
                let sum_123 = sum_122 + difference_83;
                let difference_86 = own_17 - own_19;
                let sum_124 = 0f32 + difference_86;
                let product_39 = alpha * sum_124;
                let sum_125 = own_19 + product_39;
                let difference_87 = sum_125 - sum_110;
                let sum_126 = sum_123 + difference_87;
                let product_40 = alpha * sum_126;
                let sum_127 = sum_110 + product_40;
                put(new_u, 17 * STRIDE + lane, stored_f32(sum_127));
                let halo_right_7 = at(right_u, 7 * STRIDE + lane);
                let difference_88 = halo_right_7 - halo_right_6;
                let existing_7 = if right_exists { difference_88 } else { 0f32 };
                let difference_89 = own_18 - halo_right_6;
                let sum_128 = 0f32 + difference_89;
                let sum_129 = sum_128 + existing_7;
                let product_41 = alpha * sum_129;
                let sum_130 = halo_right_6 + product_41;
                let difference_90 = sum_130 - sum_120;
                let existing_8 = if right_exists { difference_90 } else { 0f32 };
                let difference_91 = sum_110 - sum_120;
                let sum_131 = 0f32 + difference_91;
                let sum_132 = sum_131 + existing_8;
                let product_42 = alpha * sum_132;
                let sum_133 = sum_120 + product_42;
                put(new_u, 18 * STRIDE + lane, stored_f32(sum_133));
                let difference_92 = sum_110 - sum_125;
                let sum_134 = 0f32 + difference_92;
                let product_43 = alpha * sum_134;
                let sum_135 = sum_125 + product_43;
                put(new_u, 19 * STRIDE + lane, stored_f32(sum_135));
                let own_21 = at(own_u, 21 * STRIDE + lane);
                let difference_93 = own_21 - own_22;
                let difference_94 = own_20 - own_22;
                let sum_136 = 0f32 + difference_94;
                let sum_137 = sum_136 + difference_93;
                let own_23 = at(own_u, 23 * STRIDE + lane);
                let difference_95 = own_23 - own_22;
                let sum_138 = sum_137 + difference_95;
                let own_24 = at(own_u, 24 * STRIDE + lane);
                let difference_96 = own_24 - own_22;
                let sum_139 = sum_138 + difference_96;
                let product_44 = alpha * sum_139;
                let sum_140 = own_22 + product_44;
                let difference_97 = sum_140 - sum_102;
                let difference_98 = sum_91 - sum_102;
                let sum_141 = 0f32 + difference_98;
                let sum_142 = sum_141 + difference_97;
                let product_45 = alpha * sum_142;
                let sum_143 = sum_102 + product_45;
                put(new_u, 20 * STRIDE + lane, stored_f32(sum_143));
                let difference_99 = own_22 - own_21;
                let sum_144 = 0f32 + difference_99;
                let product_46 = alpha * sum_144;
                let sum_145 = own_21 + product_46;
                let difference_100 = sum_140 - sum_145;
                let sum_146 = 0f32 + difference_100;
                let product_47 = alpha * sum_146;
                let sum_147 = sum_145 + product_47;
                put(new_u, 21 * STRIDE + lane, stored_f32(sum_147));
                let halo_below_0 = at(below_u, lane);
                let difference_101 = halo_below_0 - own_24;
                let below_exists = below_exists >> bit & 1 != 0;
                let existing_9 = if below_exists { difference_101 } else { 0f32 };
                let difference_102 = own_22 - own_24;
                let sum_148 = 0f32 + difference_102;
                let sum_149 = sum_148 + existing_9;
                let product_48 = alpha * sum_149;
                let sum_150 = own_24 + product_48;
                let difference_103 = sum_150 - sum_140;
                let difference_104 = sum_102 - sum_140;
                let sum_151 = 0f32 + difference_104;
                let difference_105 = sum_145 - sum_140;
                let sum_152 = sum_151 + difference_105;
                let difference_106 = own_22 - own_23;
                let sum_153 = 0f32 + difference_106;
                let product_49 = alpha * sum_153;
                let sum_154 = own_23 + product_49;
                let difference_107 = sum_154 - sum_140;
                let sum_155 = sum_152 + difference_107;
                let sum_156 = sum_155 + difference_103;
                let product_50 = alpha * sum_156;
                let sum_157 = sum_140 + product_50;
                put(new_u, 22 * STRIDE + lane, stored_f32(sum_157));
                let difference_108 = sum_140 - sum_154;
                let sum_158 = 0f32 + difference_108;
                let product_51 = alpha * sum_158;
                let sum_159 = sum_154 + product_51;
                put(new_u, 23 * STRIDE + lane, stored_f32(sum_159));
                let halo_below_2 = at(below_u, 2 * STRIDE + lane);
                let difference_109 = halo_below_2 - halo_below_0;
                let existing_10 = if below_exists { difference_109 } else { 0f32 };
                let difference_110 = own_24 - halo_below_0;
                let sum_160 = 0f32 + difference_110;
                let sum_161 = sum_160 + existing_10;
                let product_52 = alpha * sum_161;
                let sum_162 = halo_below_0 + product_52;
                let difference_111 = sum_162 - sum_150;
                let existing_11 = if below_exists { difference_111 } else { 0f32 };
                let difference_112 = sum_140 - sum_150;
                let sum_163 = 0f32 + difference_112;
                let sum_164 = sum_163 + existing_11;
                let product_53 = alpha * sum_164;
                let sum_165 = sum_150 + product_53;
                put(new_u, 24 * STRIDE + lane, stored_f32(sum_165));
            }
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn heat_2_steps_superblock(call: &Call) {
    unsafe {
        heat_2_steps_superblock_on_blocks(
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
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `heat_2_steps` for this processor, and the instructions that it uses.
pub fn heat_2_steps_for_this_processor() -> (KernelFn, &'static str) {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        unsafe { heat_2_steps_superblock(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn avx2(call: *const Call) {
            unsafe { heat_2_steps_superblock(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        unsafe extern "C" fn avx512(call: *const Call) {
            unsafe { heat_2_steps_superblock(&*call) }
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
