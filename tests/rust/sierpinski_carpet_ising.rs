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
        code: ising_init_for(Instructions::best()),
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
            code: ising_even_for(Instructions::best()),
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
            code: ising_odd_for(Instructions::best()),
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
unsafe fn ising_init_superblock_on_blocks<S: Set>(
    call: &Call,
    random_words: &[u32; 8 * STRIDE],
    new_up: &mut [u8; MICRO_CELLS * 4 * WORDS],
) {
    unsafe {
        let constant_0 = U32::<S>::splat(2147483648u32);
        let mut lane = 0;
        while lane < STRIDE {
            let draw_0 = U32::<S>::load(random_words, lane);
            let chance_1 = draw_0.less(constant_0);
            chance_1.store(new_up, 0, lane);
            let draw_1 = U32::<S>::load(random_words, STRIDE + lane);
            let chance_2 = draw_1.less(constant_0);
            chance_2.store(new_up, 4 * WORDS, lane);
            let draw_2 = U32::<S>::load(random_words, 2 * STRIDE + lane);
            let chance_3 = draw_2.less(constant_0);
            chance_3.store(new_up, 8 * WORDS, lane);
            let draw_3 = U32::<S>::load(random_words, 3 * STRIDE + lane);
            let chance_4 = draw_3.less(constant_0);
            chance_4.store(new_up, 12 * WORDS, lane);
            let draw_4 = U32::<S>::load(random_words, 4 * STRIDE + lane);
            let chance_5 = draw_4.less(constant_0);
            chance_5.store(new_up, 16 * WORDS, lane);
            let draw_5 = U32::<S>::load(random_words, 5 * STRIDE + lane);
            let chance_6 = draw_5.less(constant_0);
            chance_6.store(new_up, 20 * WORDS, lane);
            let draw_6 = U32::<S>::load(random_words, 6 * STRIDE + lane);
            let chance_7 = draw_6.less(constant_0);
            chance_7.store(new_up, 24 * WORDS, lane);
            let draw_7 = U32::<S>::load(random_words, 7 * STRIDE + lane);
            let chance_8 = draw_7.less(constant_0);
            chance_8.store(new_up, 28 * WORDS, lane);
            lane = S::next::<STRIDE>(lane);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn ising_init_superblock<S: Set>(call: &Call) {
    unsafe {
        ising_init_superblock_on_blocks::<
            S,
        >(call, &*call.random.cast(), block_mut(call.writes, 0))
    }
}

/// The code of `ising_init` for a processor with these instructions.
pub fn ising_init_for(instructions: Instructions) -> KernelFn {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        #[inline(never)]
        unsafe fn body(call: &Call) {
            unsafe { ising_init_superblock::<Portable>(call) }
        }
        unsafe { body(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        unsafe extern "C" fn avx2(call: *const Call) {
            #[inline(never)]
            #[target_feature(enable = "avx2")]
            unsafe fn body(call: &Call) {
                unsafe { ising_init_superblock::<Avx2>(call) }
            }
            unsafe { body(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        unsafe extern "C" fn avx512(call: *const Call) {
            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
            unsafe fn body(call: &Call) {
                unsafe { ising_init_superblock::<Avx512>(call) }
            }
            unsafe { body(&*call) }
        }
        match instructions {
            Instructions::Avx512 => return avx512,
            Instructions::Avx2 => return avx2,
            Instructions::Portable => {}
        }
    }
    portable
}

/// `ising_even`: one step of 8 micro cells in all lanes.
///
/// 21.38 operations a cell and step (24 on bits, 147 on numbers), 8 + 12 loads, 8 stores, 23 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn ising_even_superblock_on_blocks<S: Set>(
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
    unsafe {
        let minus_one = F32::<S>::splat(-1f32);
        let one = F32::<S>::splat(1f32);
        let zero = F32::<S>::splat(0f32);
        let beta = F32::<S>::splat(f32::from_bits(*call.params.add(0) as u32));
        let constant_0 = F32::<S>::splat(-2f32);
        let superblock_y = I32::<S>::splat(call.superblock_corner[1]);
        let superblock_x = I32::<S>::splat(call.superblock_corner[0]);
        let two = I32::<S>::splat(2i32);
        let zero_ = I32::<S>::splat(0i32);
        let one_ = I32::<S>::splat(1i32);
        let mut lane = 0;
        while lane < STRIDE {
            let halo_left_2 = Mask::<S>::load(left_up, 8 * WORDS, lane);
            let choice_0 = halo_left_2.select(one, minus_one);
            let left_exists = Mask::<S>::load(lanes_left, 0, lane);
            let halo_above_5 = Mask::<S>::load(above_up, 20 * WORDS, lane);
            let choice_2 = halo_above_5.select(one, minus_one);
            let above_exists = Mask::<S>::load(lanes_above, 0, lane);
            let sum_0 = zero.add_where(above_exists, choice_2);
            let sum_1 = sum_0.add_where(left_exists, choice_0);
            let own_1 = Mask::<S>::load(own_up, 4 * WORDS, lane);
            let choice_3 = own_1.select(one, minus_one);
            let sum_2 = sum_1 + choice_3;
            let own_3 = Mask::<S>::load(own_up, 12 * WORDS, lane);
            let choice_4 = own_3.select(one, minus_one);
            let sum_3 = sum_2 + choice_4;
            let product_0 = constant_0 * beta;
            let product_1 = product_0 * sum_3;
            let value_2 = product_1.each(exp_f32);
            let sum_4 = one + value_2;
            let quotient_0 = one / sum_4;
            let chance_0 = quotient_0.to_f64();
            let draw_0 = U32::<S>::load(random_words, lane);
            let chance_1 = draw_0.below(chance_0);
            let lane_y = I32::<S>::load(lanes_y, lane);
            let corner_y_0 = lane_y + superblock_y;
            let lane_x = I32::<S>::load(lanes_x, lane);
            let corner_x_0 = lane_x + superblock_x;
            let sum_5 = corner_x_0 + corner_y_0;
            let remainder_0 = sum_5.remainder(two);
            let equal_0 = remainder_0.equals(zero_);
            let guarded_0 = chance_1 & equal_0;
            let own_0 = Mask::<S>::load(own_up, 0, lane);
            let guarded_1 = own_0 & !equal_0;
            let guarded_2 = guarded_0 | guarded_1;
            guarded_2.store(new_up, 0, lane);
            let choice_5 = own_0.select(one, minus_one);
            let halo_above_6 = Mask::<S>::load(above_up, 24 * WORDS, lane);
            let choice_6 = halo_above_6.select(one, minus_one);
            let sum_6 = zero.add_where(above_exists, choice_6);
            let sum_7 = sum_6 + choice_5;
            let own_2 = Mask::<S>::load(own_up, 8 * WORDS, lane);
            let choice_7 = own_2.select(one, minus_one);
            let sum_8 = sum_7 + choice_7;
            let product_2 = product_0 * sum_8;
            let value_3 = product_2.each(exp_f32);
            let sum_9 = one + value_3;
            let quotient_1 = one / sum_9;
            let chance_2 = quotient_1.to_f64();
            let draw_1 = U32::<S>::load(random_words, STRIDE + lane);
            let chance_3 = draw_1.below(chance_2);
            let x_0 = corner_x_0 + one_;
            let sum_10 = x_0 + corner_y_0;
            let remainder_1 = sum_10.remainder(two);
            let equal_1 = remainder_1.equals(zero_);
            let guarded_3 = chance_3 & equal_1;
            let guarded_4 = own_1 & !equal_1;
            let guarded_5 = guarded_3 | guarded_4;
            guarded_5.store(new_up, 4 * WORDS, lane);
            let halo_above_7 = Mask::<S>::load(above_up, 28 * WORDS, lane);
            let choice_8 = halo_above_7.select(one, minus_one);
            let sum_11 = zero.add_where(above_exists, choice_8);
            let sum_12 = sum_11 + choice_3;
            let halo_right_0 = Mask::<S>::load(right_up, 0, lane);
            let choice_9 = halo_right_0.select(one, minus_one);
            let right_exists = Mask::<S>::load(lanes_right, 0, lane);
            let sum_13 = sum_12.add_where(right_exists, choice_9);
            let own_4 = Mask::<S>::load(own_up, 16 * WORDS, lane);
            let choice_10 = own_4.select(one, minus_one);
            let sum_14 = sum_13 + choice_10;
            let product_3 = product_0 * sum_14;
            let value_4 = product_3.each(exp_f32);
            let sum_15 = one + value_4;
            let quotient_2 = one / sum_15;
            let chance_4 = quotient_2.to_f64();
            let draw_2 = U32::<S>::load(random_words, 2 * STRIDE + lane);
            let chance_5 = draw_2.below(chance_4);
            let x_1 = corner_x_0 + two;
            let sum_16 = x_1 + corner_y_0;
            let remainder_2 = sum_16.remainder(two);
            let equal_2 = remainder_2.equals(zero_);
            let guarded_6 = chance_5 & equal_2;
            let guarded_7 = own_2 & !equal_2;
            let guarded_8 = guarded_6 | guarded_7;
            guarded_8.store(new_up, 8 * WORDS, lane);
            let halo_left_4 = Mask::<S>::load(left_up, 16 * WORDS, lane);
            let choice_11 = halo_left_4.select(one, minus_one);
            let sum_17 = zero + choice_5;
            let sum_18 = sum_17.add_where(left_exists, choice_11);
            let own_5 = Mask::<S>::load(own_up, 20 * WORDS, lane);
            let choice_12 = own_5.select(one, minus_one);
            let sum_19 = sum_18 + choice_12;
            let product_4 = product_0 * sum_19;
            let value_5 = product_4.each(exp_f32);
            let sum_20 = one + value_5;
            let quotient_3 = one / sum_20;
            let chance_6 = quotient_3.to_f64();
            let draw_3 = U32::<S>::load(random_words, 3 * STRIDE + lane);
            let chance_7 = draw_3.below(chance_6);
            let y_0 = corner_y_0 + one_;
            let sum_21 = corner_x_0 + y_0;
            let remainder_3 = sum_21.remainder(two);
            let equal_3 = remainder_3.equals(zero_);
            let guarded_9 = chance_7 & equal_3;
            let guarded_10 = own_3 & !equal_3;
            let guarded_11 = guarded_9 | guarded_10;
            guarded_11.store(new_up, 12 * WORDS, lane);
            let halo_right_3 = Mask::<S>::load(right_up, 12 * WORDS, lane);
            let choice_13 = halo_right_3.select(one, minus_one);
            let sum_22 = zero + choice_7;
            let sum_23 = sum_22.add_where(right_exists, choice_13);
            let own_7 = Mask::<S>::load(own_up, 28 * WORDS, lane);
            let choice_14 = own_7.select(one, minus_one);
            let sum_24 = sum_23 + choice_14;
            let product_5 = product_0 * sum_24;
            let value_6 = product_5.each(exp_f32);
            let sum_25 = one + value_6;
            let quotient_4 = one / sum_25;
            let chance_8 = quotient_4.to_f64();
            let draw_4 = U32::<S>::load(random_words, 4 * STRIDE + lane);
            let chance_9 = draw_4.below(chance_8);
            let sum_26 = x_1 + y_0;
            let remainder_4 = sum_26.remainder(two);
            let equal_4 = remainder_4.equals(zero_);
            let guarded_12 = chance_9 & equal_4;
            let guarded_13 = own_4 & !equal_4;
            let guarded_14 = guarded_12 | guarded_13;
            guarded_14.store(new_up, 16 * WORDS, lane);
            let halo_left_7 = Mask::<S>::load(left_up, 28 * WORDS, lane);
            let choice_15 = halo_left_7.select(one, minus_one);
            let sum_27 = zero + choice_4;
            let sum_28 = sum_27.add_where(left_exists, choice_15);
            let own_6 = Mask::<S>::load(own_up, 24 * WORDS, lane);
            let choice_16 = own_6.select(one, minus_one);
            let sum_29 = sum_28 + choice_16;
            let halo_below_0 = Mask::<S>::load(below_up, 0, lane);
            let choice_17 = halo_below_0.select(one, minus_one);
            let below_exists = Mask::<S>::load(lanes_below, 0, lane);
            let sum_30 = sum_29.add_where(below_exists, choice_17);
            let product_6 = product_0 * sum_30;
            let value_7 = product_6.each(exp_f32);
            let sum_31 = one + value_7;
            let quotient_5 = one / sum_31;
            let chance_10 = quotient_5.to_f64();
            let draw_5 = U32::<S>::load(random_words, 5 * STRIDE + lane);
            let chance_11 = draw_5.below(chance_10);
            let y_1 = corner_y_0 + two;
            let sum_32 = corner_x_0 + y_1;
            let remainder_5 = sum_32.remainder(two);
            let equal_5 = remainder_5.equals(zero_);
            let guarded_15 = chance_11 & equal_5;
            let guarded_16 = own_5 & !equal_5;
            let guarded_17 = guarded_15 | guarded_16;
            guarded_17.store(new_up, 20 * WORDS, lane);
            let sum_33 = zero + choice_12;
            let sum_34 = sum_33 + choice_14;
            let halo_below_1 = Mask::<S>::load(below_up, 4 * WORDS, lane);
            let choice_18 = halo_below_1.select(one, minus_one);
            let sum_35 = sum_34.add_where(below_exists, choice_18);
            let product_7 = product_0 * sum_35;
            let value_8 = product_7.each(exp_f32);
            let sum_36 = one + value_8;
            let quotient_6 = one / sum_36;
            let chance_12 = quotient_6.to_f64();
            let draw_6 = U32::<S>::load(random_words, 6 * STRIDE + lane);
            let chance_13 = draw_6.below(chance_12);
            let sum_37 = x_0 + y_1;
            let remainder_6 = sum_37.remainder(two);
            let equal_6 = remainder_6.equals(zero_);
            let guarded_18 = chance_13 & equal_6;
            let guarded_19 = own_6 & !equal_6;
            let guarded_20 = guarded_18 | guarded_19;
            guarded_20.store(new_up, 24 * WORDS, lane);
            let sum_38 = zero + choice_10;
            let sum_39 = sum_38 + choice_16;
            let halo_right_5 = Mask::<S>::load(right_up, 20 * WORDS, lane);
            let choice_19 = halo_right_5.select(one, minus_one);
            let sum_40 = sum_39.add_where(right_exists, choice_19);
            let halo_below_2 = Mask::<S>::load(below_up, 8 * WORDS, lane);
            let choice_20 = halo_below_2.select(one, minus_one);
            let sum_41 = sum_40.add_where(below_exists, choice_20);
            let product_8 = product_0 * sum_41;
            let value_9 = product_8.each(exp_f32);
            let sum_42 = one + value_9;
            let quotient_7 = one / sum_42;
            let chance_14 = quotient_7.to_f64();
            let draw_7 = U32::<S>::load(random_words, 7 * STRIDE + lane);
            let chance_15 = draw_7.below(chance_14);
            let sum_43 = x_1 + y_1;
            let remainder_7 = sum_43.remainder(two);
            let equal_7 = remainder_7.equals(zero_);
            let guarded_21 = chance_15 & equal_7;
            let guarded_22 = own_7 & !equal_7;
            let guarded_23 = guarded_21 | guarded_22;
            guarded_23.store(new_up, 28 * WORDS, lane);
            lane = S::next::<STRIDE>(lane);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn ising_even_superblock<S: Set>(call: &Call) {
    unsafe {
        ising_even_superblock_on_blocks::<
            S,
        >(
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

/// The code of `ising_even` for a processor with these instructions.
pub fn ising_even_for(instructions: Instructions) -> KernelFn {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        #[inline(never)]
        unsafe fn body(call: &Call) {
            unsafe { ising_even_superblock::<Portable>(call) }
        }
        unsafe { body(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        unsafe extern "C" fn avx2(call: *const Call) {
            #[inline(never)]
            #[target_feature(enable = "avx2")]
            unsafe fn body(call: &Call) {
                unsafe { ising_even_superblock::<Avx2>(call) }
            }
            unsafe { body(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        unsafe extern "C" fn avx512(call: *const Call) {
            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
            unsafe fn body(call: &Call) {
                unsafe { ising_even_superblock::<Avx512>(call) }
            }
            unsafe { body(&*call) }
        }
        match instructions {
            Instructions::Avx512 => return avx512,
            Instructions::Avx2 => return avx2,
            Instructions::Portable => {}
        }
    }
    portable
}

/// `ising_odd`: one step of 8 micro cells in all lanes.
///
/// 21.38 operations a cell and step (24 on bits, 147 on numbers), 8 + 12 loads, 8 stores, 23 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn ising_odd_superblock_on_blocks<S: Set>(
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
    unsafe {
        let minus_one = F32::<S>::splat(-1f32);
        let one = F32::<S>::splat(1f32);
        let zero = F32::<S>::splat(0f32);
        let beta = F32::<S>::splat(f32::from_bits(*call.params.add(0) as u32));
        let constant_0 = F32::<S>::splat(-2f32);
        let superblock_y = I32::<S>::splat(call.superblock_corner[1]);
        let superblock_x = I32::<S>::splat(call.superblock_corner[0]);
        let two = I32::<S>::splat(2i32);
        let one_ = I32::<S>::splat(1i32);
        let mut lane = 0;
        while lane < STRIDE {
            let halo_left_2 = Mask::<S>::load(left_up, 8 * WORDS, lane);
            let choice_0 = halo_left_2.select(one, minus_one);
            let left_exists = Mask::<S>::load(lanes_left, 0, lane);
            let halo_above_5 = Mask::<S>::load(above_up, 20 * WORDS, lane);
            let choice_2 = halo_above_5.select(one, minus_one);
            let above_exists = Mask::<S>::load(lanes_above, 0, lane);
            let sum_0 = zero.add_where(above_exists, choice_2);
            let sum_1 = sum_0.add_where(left_exists, choice_0);
            let own_1 = Mask::<S>::load(own_up, 4 * WORDS, lane);
            let choice_3 = own_1.select(one, minus_one);
            let sum_2 = sum_1 + choice_3;
            let own_3 = Mask::<S>::load(own_up, 12 * WORDS, lane);
            let choice_4 = own_3.select(one, minus_one);
            let sum_3 = sum_2 + choice_4;
            let product_0 = constant_0 * beta;
            let product_1 = product_0 * sum_3;
            let value_2 = product_1.each(exp_f32);
            let sum_4 = one + value_2;
            let quotient_0 = one / sum_4;
            let chance_0 = quotient_0.to_f64();
            let draw_0 = U32::<S>::load(random_words, lane);
            let chance_1 = draw_0.below(chance_0);
            let lane_y = I32::<S>::load(lanes_y, lane);
            let corner_y_0 = lane_y + superblock_y;
            let lane_x = I32::<S>::load(lanes_x, lane);
            let corner_x_0 = lane_x + superblock_x;
            let sum_5 = corner_x_0 + corner_y_0;
            let remainder_0 = sum_5.remainder(two);
            let equal_0 = remainder_0.equals(one_);
            let guarded_0 = chance_1 & equal_0;
            let own_0 = Mask::<S>::load(own_up, 0, lane);
            let guarded_1 = own_0 & !equal_0;
            let guarded_2 = guarded_0 | guarded_1;
            guarded_2.store(new_up, 0, lane);
            let choice_5 = own_0.select(one, minus_one);
            let halo_above_6 = Mask::<S>::load(above_up, 24 * WORDS, lane);
            let choice_6 = halo_above_6.select(one, minus_one);
            let sum_6 = zero.add_where(above_exists, choice_6);
            let sum_7 = sum_6 + choice_5;
            let own_2 = Mask::<S>::load(own_up, 8 * WORDS, lane);
            let choice_7 = own_2.select(one, minus_one);
            let sum_8 = sum_7 + choice_7;
            let product_2 = product_0 * sum_8;
            let value_3 = product_2.each(exp_f32);
            let sum_9 = one + value_3;
            let quotient_1 = one / sum_9;
            let chance_2 = quotient_1.to_f64();
            let draw_1 = U32::<S>::load(random_words, STRIDE + lane);
            let chance_3 = draw_1.below(chance_2);
            let x_0 = corner_x_0 + one_;
            let sum_10 = x_0 + corner_y_0;
            let remainder_1 = sum_10.remainder(two);
            let equal_1 = remainder_1.equals(one_);
            let guarded_3 = chance_3 & equal_1;
            let guarded_4 = own_1 & !equal_1;
            let guarded_5 = guarded_3 | guarded_4;
            guarded_5.store(new_up, 4 * WORDS, lane);
            let halo_above_7 = Mask::<S>::load(above_up, 28 * WORDS, lane);
            let choice_8 = halo_above_7.select(one, minus_one);
            let sum_11 = zero.add_where(above_exists, choice_8);
            let sum_12 = sum_11 + choice_3;
            let halo_right_0 = Mask::<S>::load(right_up, 0, lane);
            let choice_9 = halo_right_0.select(one, minus_one);
            let right_exists = Mask::<S>::load(lanes_right, 0, lane);
            let sum_13 = sum_12.add_where(right_exists, choice_9);
            let own_4 = Mask::<S>::load(own_up, 16 * WORDS, lane);
            let choice_10 = own_4.select(one, minus_one);
            let sum_14 = sum_13 + choice_10;
            let product_3 = product_0 * sum_14;
            let value_4 = product_3.each(exp_f32);
            let sum_15 = one + value_4;
            let quotient_2 = one / sum_15;
            let chance_4 = quotient_2.to_f64();
            let draw_2 = U32::<S>::load(random_words, 2 * STRIDE + lane);
            let chance_5 = draw_2.below(chance_4);
            let x_1 = corner_x_0 + two;
            let sum_16 = x_1 + corner_y_0;
            let remainder_2 = sum_16.remainder(two);
            let equal_2 = remainder_2.equals(one_);
            let guarded_6 = chance_5 & equal_2;
            let guarded_7 = own_2 & !equal_2;
            let guarded_8 = guarded_6 | guarded_7;
            guarded_8.store(new_up, 8 * WORDS, lane);
            let halo_left_4 = Mask::<S>::load(left_up, 16 * WORDS, lane);
            let choice_11 = halo_left_4.select(one, minus_one);
            let sum_17 = zero + choice_5;
            let sum_18 = sum_17.add_where(left_exists, choice_11);
            let own_5 = Mask::<S>::load(own_up, 20 * WORDS, lane);
            let choice_12 = own_5.select(one, minus_one);
            let sum_19 = sum_18 + choice_12;
            let product_4 = product_0 * sum_19;
            let value_5 = product_4.each(exp_f32);
            let sum_20 = one + value_5;
            let quotient_3 = one / sum_20;
            let chance_6 = quotient_3.to_f64();
            let draw_3 = U32::<S>::load(random_words, 3 * STRIDE + lane);
            let chance_7 = draw_3.below(chance_6);
            let y_0 = corner_y_0 + one_;
            let sum_21 = corner_x_0 + y_0;
            let remainder_3 = sum_21.remainder(two);
            let equal_3 = remainder_3.equals(one_);
            let guarded_9 = chance_7 & equal_3;
            let guarded_10 = own_3 & !equal_3;
            let guarded_11 = guarded_9 | guarded_10;
            guarded_11.store(new_up, 12 * WORDS, lane);
            let halo_right_3 = Mask::<S>::load(right_up, 12 * WORDS, lane);
            let choice_13 = halo_right_3.select(one, minus_one);
            let sum_22 = zero + choice_7;
            let sum_23 = sum_22.add_where(right_exists, choice_13);
            let own_7 = Mask::<S>::load(own_up, 28 * WORDS, lane);
            let choice_14 = own_7.select(one, minus_one);
            let sum_24 = sum_23 + choice_14;
            let product_5 = product_0 * sum_24;
            let value_6 = product_5.each(exp_f32);
            let sum_25 = one + value_6;
            let quotient_4 = one / sum_25;
            let chance_8 = quotient_4.to_f64();
            let draw_4 = U32::<S>::load(random_words, 4 * STRIDE + lane);
            let chance_9 = draw_4.below(chance_8);
            let sum_26 = x_1 + y_0;
            let remainder_4 = sum_26.remainder(two);
            let equal_4 = remainder_4.equals(one_);
            let guarded_12 = chance_9 & equal_4;
            let guarded_13 = own_4 & !equal_4;
            let guarded_14 = guarded_12 | guarded_13;
            guarded_14.store(new_up, 16 * WORDS, lane);
            let halo_left_7 = Mask::<S>::load(left_up, 28 * WORDS, lane);
            let choice_15 = halo_left_7.select(one, minus_one);
            let sum_27 = zero + choice_4;
            let sum_28 = sum_27.add_where(left_exists, choice_15);
            let own_6 = Mask::<S>::load(own_up, 24 * WORDS, lane);
            let choice_16 = own_6.select(one, minus_one);
            let sum_29 = sum_28 + choice_16;
            let halo_below_0 = Mask::<S>::load(below_up, 0, lane);
            let choice_17 = halo_below_0.select(one, minus_one);
            let below_exists = Mask::<S>::load(lanes_below, 0, lane);
            let sum_30 = sum_29.add_where(below_exists, choice_17);
            let product_6 = product_0 * sum_30;
            let value_7 = product_6.each(exp_f32);
            let sum_31 = one + value_7;
            let quotient_5 = one / sum_31;
            let chance_10 = quotient_5.to_f64();
            let draw_5 = U32::<S>::load(random_words, 5 * STRIDE + lane);
            let chance_11 = draw_5.below(chance_10);
            let y_1 = corner_y_0 + two;
            let sum_32 = corner_x_0 + y_1;
            let remainder_5 = sum_32.remainder(two);
            let equal_5 = remainder_5.equals(one_);
            let guarded_15 = chance_11 & equal_5;
            let guarded_16 = own_5 & !equal_5;
            let guarded_17 = guarded_15 | guarded_16;
            guarded_17.store(new_up, 20 * WORDS, lane);
            let sum_33 = zero + choice_12;
            let sum_34 = sum_33 + choice_14;
            let halo_below_1 = Mask::<S>::load(below_up, 4 * WORDS, lane);
            let choice_18 = halo_below_1.select(one, minus_one);
            let sum_35 = sum_34.add_where(below_exists, choice_18);
            let product_7 = product_0 * sum_35;
            let value_8 = product_7.each(exp_f32);
            let sum_36 = one + value_8;
            let quotient_6 = one / sum_36;
            let chance_12 = quotient_6.to_f64();
            let draw_6 = U32::<S>::load(random_words, 6 * STRIDE + lane);
            let chance_13 = draw_6.below(chance_12);
            let sum_37 = x_0 + y_1;
            let remainder_6 = sum_37.remainder(two);
            let equal_6 = remainder_6.equals(one_);
            let guarded_18 = chance_13 & equal_6;
            let guarded_19 = own_6 & !equal_6;
            let guarded_20 = guarded_18 | guarded_19;
            guarded_20.store(new_up, 24 * WORDS, lane);
            let sum_38 = zero + choice_10;
            let sum_39 = sum_38 + choice_16;
            let halo_right_5 = Mask::<S>::load(right_up, 20 * WORDS, lane);
            let choice_19 = halo_right_5.select(one, minus_one);
            let sum_40 = sum_39.add_where(right_exists, choice_19);
            let halo_below_2 = Mask::<S>::load(below_up, 8 * WORDS, lane);
            let choice_20 = halo_below_2.select(one, minus_one);
            let sum_41 = sum_40.add_where(below_exists, choice_20);
            let product_8 = product_0 * sum_41;
            let value_9 = product_8.each(exp_f32);
            let sum_42 = one + value_9;
            let quotient_7 = one / sum_42;
            let chance_14 = quotient_7.to_f64();
            let draw_7 = U32::<S>::load(random_words, 7 * STRIDE + lane);
            let chance_15 = draw_7.below(chance_14);
            let sum_43 = x_1 + y_1;
            let remainder_7 = sum_43.remainder(two);
            let equal_7 = remainder_7.equals(one_);
            let guarded_21 = chance_15 & equal_7;
            let guarded_22 = own_7 & !equal_7;
            let guarded_23 = guarded_21 | guarded_22;
            guarded_23.store(new_up, 28 * WORDS, lane);
            lane = S::next::<STRIDE>(lane);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn ising_odd_superblock<S: Set>(call: &Call) {
    unsafe {
        ising_odd_superblock_on_blocks::<
            S,
        >(
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

/// The code of `ising_odd` for a processor with these instructions.
pub fn ising_odd_for(instructions: Instructions) -> KernelFn {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        #[inline(never)]
        unsafe fn body(call: &Call) {
            unsafe { ising_odd_superblock::<Portable>(call) }
        }
        unsafe { body(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        unsafe extern "C" fn avx2(call: *const Call) {
            #[inline(never)]
            #[target_feature(enable = "avx2")]
            unsafe fn body(call: &Call) {
                unsafe { ising_odd_superblock::<Avx2>(call) }
            }
            unsafe { body(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        unsafe extern "C" fn avx512(call: *const Call) {
            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
            unsafe fn body(call: &Call) {
                unsafe { ising_odd_superblock::<Avx512>(call) }
            }
            unsafe { body(&*call) }
        }
        match instructions {
            Instructions::Avx512 => return avx512,
            Instructions::Avx2 => return avx2,
            Instructions::Portable => {}
        }
    }
    portable
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
    code: KernelFn,
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
        unsafe { (pass.code)(&raw const call) }
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
    eprintln!("{seconds:.3e} seconds a step, {}", Instructions::best().name());
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

// What emitted kernels are made of: vectors of bits, and columns in memory.

use std::ops::{BitAnd, BitOr, BitXor, Not};

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

/// What kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// Those of any processor.
    Portable,
    /// AVX2.
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Instructions {
    /// The best that this processor has.
    pub fn best() -> Instructions {
        #[cfg(target_arch = "x86_64")]
        {
            use std::is_x86_feature_detected as has;
            if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
                return Instructions::Avx512;
            }
            if has!("avx2") {
                return Instructions::Avx2;
            }
        }
        Instructions::Portable
    }

    /// What a reader is told of them.
    pub fn name(self) -> &'static str {
        match self {
            Instructions::Portable => "rustc",
            Instructions::Avx2 => "rustc, AVX2",
            Instructions::Avx512 => "rustc, AVX-512",
        }
    }
}

// What emitted kernels of numbers need of a processor.

/// The most lanes of a vector.
const MOST_LANES: usize = 16;

/// A function of each lane of one vector or two of a set.
macro_rules! lanewise {
    ($S:ty; $($v:ident: $from:ident $element:ident = $a:expr),*; $body:expr => $to:ident $result:ident) => {{
        $(let mut $v = [0 as $element; MOST_LANES];)*
        let mut results = [0 as $result; MOST_LANES];
        // SAFETY: there is room for the lanes of any vector.
        unsafe {
            $($from::<$S>::write($a, $v.as_mut_ptr());)*
            let mut lane = 0;
            while lane < <$S as Set>::LANES {
                $(let $v = $v[lane];)*
                results[lane] = $body;
                lane += 1;
            }
            $to::<$S>::read(results.as_ptr())
        }
    }};
}

/// A set of instructions, by the vectors that it has and what can be done with them. Everything is sound only in functions that
/// have the instructions, where it is inlined; those of [`Portable`] are everywhere.
///
/// Names begin with what they work on: `m` masks, `i` integers, `s` floats of single, `d` of double width.
#[allow(missing_docs, clippy::missing_safety_doc)]
pub trait Set: Copy {
    /// The lanes of a vector: 1, 8 or 16.
    const LANES: usize;
    /// One bit a lane.
    type Mask: Copy;
    /// 32 bits a lane.
    type Int: Copy;
    /// One `f32` a lane.
    type Single: Copy;
    /// One `f64` a lane.
    type Double: Copy;

    fn m_splat(bit: bool) -> Self::Mask;
    /// The bits of lanes from one on, of those that begin at a place.
    unsafe fn m_load(from: *const u8, lane: usize) -> Self::Mask;
    unsafe fn m_store(a: Self::Mask, to: *mut u8, lane: usize);
    fn m_and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn m_or(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn m_xor(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    fn i_splat(v: i32) -> Self::Int;
    unsafe fn i_load(from: *const i32) -> Self::Int;
    unsafe fn i_store(a: Self::Int, to: *mut i32);
    unsafe fn i_load_bytes(from: *const u8) -> Self::Int;
    unsafe fn i_store_bytes(a: Self::Int, to: *mut u8);
    fn i_add(a: Self::Int, b: Self::Int) -> Self::Int;
    fn i_sub(a: Self::Int, b: Self::Int) -> Self::Int;
    fn i_mul(a: Self::Int, b: Self::Int) -> Self::Int;
    fn i_and(a: Self::Int, b: Self::Int) -> Self::Int;
    fn i_or(a: Self::Int, b: Self::Int) -> Self::Int;
    fn i_xor(a: Self::Int, b: Self::Int) -> Self::Int;
    /// Counts are below 32.
    fn i_left(a: Self::Int, count: Self::Int) -> Self::Int;
    fn i_right(a: Self::Int, count: Self::Int) -> Self::Int;
    fn i_right_signed(a: Self::Int, count: Self::Int) -> Self::Int;
    fn i_equals(a: Self::Int, b: Self::Int) -> Self::Mask;
    fn i_less(a: Self::Int, b: Self::Int) -> Self::Mask;
    fn i_less_unsigned(a: Self::Int, b: Self::Int) -> Self::Mask;
    fn i_select(m: Self::Mask, a: Self::Int, b: Self::Int) -> Self::Int;

    fn s_splat(v: f32) -> Self::Single;
    unsafe fn s_load(from: *const f32) -> Self::Single;
    unsafe fn s_store(a: Self::Single, to: *mut f32);
    fn s_of_bits(a: Self::Int) -> Self::Single;
    fn s_bits(a: Self::Single) -> Self::Int;
    fn s_add(a: Self::Single, b: Self::Single) -> Self::Single;
    fn s_sub(a: Self::Single, b: Self::Single) -> Self::Single;
    fn s_mul(a: Self::Single, b: Self::Single) -> Self::Single;
    fn s_div(a: Self::Single, b: Self::Single) -> Self::Single;
    /// `if a < b { a } else { b }`
    fn s_min(a: Self::Single, b: Self::Single) -> Self::Single;
    /// `if a > b { a } else { b }`
    fn s_max(a: Self::Single, b: Self::Single) -> Self::Single;
    fn s_sqrt(a: Self::Single) -> Self::Single;
    fn s_floor(a: Self::Single) -> Self::Single;
    fn s_ceil(a: Self::Single) -> Self::Single;
    fn s_equals(a: Self::Single, b: Self::Single) -> Self::Mask;
    fn s_less(a: Self::Single, b: Self::Single) -> Self::Mask;
    fn s_at_most(a: Self::Single, b: Self::Single) -> Self::Mask;
    fn s_select(m: Self::Mask, a: Self::Single, b: Self::Single) -> Self::Single;
    fn s_of_int(a: Self::Int) -> Self::Single;

    fn d_splat(v: f64) -> Self::Double;
    unsafe fn d_load(from: *const f64) -> Self::Double;
    unsafe fn d_store(a: Self::Double, to: *mut f64);
    fn d_xor(a: Self::Double, b: Self::Double) -> Self::Double;
    /// `a & !b`, bit by bit.
    fn d_without(a: Self::Double, b: Self::Double) -> Self::Double;
    fn d_add(a: Self::Double, b: Self::Double) -> Self::Double;
    fn d_sub(a: Self::Double, b: Self::Double) -> Self::Double;
    fn d_mul(a: Self::Double, b: Self::Double) -> Self::Double;
    fn d_div(a: Self::Double, b: Self::Double) -> Self::Double;
    /// `if a < b { a } else { b }`
    fn d_min(a: Self::Double, b: Self::Double) -> Self::Double;
    /// `if a > b { a } else { b }`
    fn d_max(a: Self::Double, b: Self::Double) -> Self::Double;
    fn d_sqrt(a: Self::Double) -> Self::Double;
    fn d_floor(a: Self::Double) -> Self::Double;
    fn d_ceil(a: Self::Double) -> Self::Double;
    fn d_equals(a: Self::Double, b: Self::Double) -> Self::Mask;
    fn d_less(a: Self::Double, b: Self::Double) -> Self::Mask;
    fn d_at_most(a: Self::Double, b: Self::Double) -> Self::Mask;
    fn d_select(m: Self::Mask, a: Self::Double, b: Self::Double) -> Self::Double;
    fn d_of_int(a: Self::Int) -> Self::Double;
    fn d_of_single(a: Self::Single) -> Self::Double;
    fn s_of_double(a: Self::Double) -> Self::Single;

    /// `a as u32`
    #[inline(always)]
    fn d_to_unsigned(a: Self::Double) -> Self::Int {
        lanewise!(Self; v: F64 f64 = F64(a); v as u32 => U32 u32).0
    }

    /// Tells the processor that the line of its cache with this address will be read soon, if there is an instruction for it.
    #[inline(always)]
    fn prefetch(_: *const u8) {}

    /// Where the vector after the one at `lane` begins in a column: the last one overlaps the one before, the end follows it.
    #[inline(always)]
    fn next<const COLUMN: usize>(lane: usize) -> usize {
        if lane + Self::LANES >= COLUMN { COLUMN } else { (lane + Self::LANES).min(COLUMN - Self::LANES) }
    }
}

// Numbers of emitted kernels: vectors of as many lanes as a register has.

/// Bits: one a lane.
#[derive(Clone, Copy)]
pub struct Mask<S: Set>(S::Mask);

impl<S: Set> Mask<S> {
    /// The same bit in all lanes.
    #[inline(always)]
    pub fn splat(bit: bool) -> Self {
        Mask(S::m_splat(bit))
    }

    /// The bits of the lanes from one on, of a column that begins at a place of a block.
    ///
    /// # Safety
    /// The block has so many.
    #[inline(always)]
    pub unsafe fn load<const N: usize>(block: &[u8; N], place: usize, lane: usize) -> Self {
        debug_assert!(place + (lane + S::LANES).div_ceil(8) <= N);
        // SAFETY: as the caller's.
        Mask(unsafe { S::m_load(block.as_ptr().add(place), lane) })
    }

    /// Writes what [`load`](Self::load) reads.
    ///
    /// # Safety
    /// As of [`load`](Self::load).
    #[inline(always)]
    pub unsafe fn store<const N: usize>(self, block: &mut [u8; N], place: usize, lane: usize) {
        debug_assert!(place + (lane + S::LANES).div_ceil(8) <= N);
        // SAFETY: as the caller's.
        unsafe { S::m_store(self.0, block.as_mut_ptr().add(place), lane) }
    }

    /// `then` where it is true, `otherwise` elsewhere.
    #[inline(always)]
    pub fn select<T: Select<S>>(self, then: T, otherwise: T) -> T {
        T::select(self, then, otherwise)
    }
}

/// What a mask can choose between.
pub trait Select<S: Set>: Copy {
    /// `then` where the mask is true, `otherwise` elsewhere.
    fn select(mask: Mask<S>, then: Self, otherwise: Self) -> Self;
}

/// Operators of a type by functions of a set.
macro_rules! operators {
    ($($vector:ident { $($trait:ident $method:ident |$a:ident, $b:ident| $body:expr;)* })*) => {$($(
        impl<S: Set> std::ops::$trait for $vector<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                $vector($body)
            }
        }
    )*)*};
}

operators! {
    Mask {
        BitAnd bitand |a, b| S::m_and(a, b);
        BitOr bitor |a, b| S::m_or(a, b);
        BitXor bitxor |a, b| S::m_xor(a, b);
    }
    F32 {
        Add add |a, b| S::s_add(a, b);
        Sub sub |a, b| S::s_sub(a, b);
        Mul mul |a, b| S::s_mul(a, b);
        Div div |a, b| S::s_div(a, b);
    }
    F64 {
        Add add |a, b| S::d_add(a, b);
        Sub sub |a, b| S::d_sub(a, b);
        Mul mul |a, b| S::d_mul(a, b);
        Div div |a, b| S::d_div(a, b);
    }
}

impl<S: Set> std::ops::Not for Mask<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self ^ Mask::splat(true)
    }
}

/// What vectors of all numbers have.
macro_rules! numbers {
    ($(
        $(#[$doc:meta])*
        $vector:ident($register:ident) of $element:ident:
            $splat:expr, $load:expr, $store:expr, $select:ident, $equals:ident, $less:ident, |$a:ident, $b:ident| $at_most:expr;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $vector<S: Set>(S::$register);

        impl<S: Set> $vector<S> {
            /// The same number in all lanes.
            #[inline(always)]
            pub fn splat(value: $element) -> Self {
                $vector($splat(value))
            }

            /// # Safety
            /// So many numbers can be read there.
            #[inline(always)]
            unsafe fn read(from: *const $element) -> Self {
                // SAFETY: as the caller's.
                $vector(unsafe { $load(from.cast()) })
            }

            /// # Safety
            /// So many numbers can be written there.
            #[inline(always)]
            unsafe fn write(self, to: *mut $element) {
                // SAFETY: as the caller's.
                unsafe { $store(self.0, to.cast()) }
            }

            /// The numbers from a place of a block on.
            ///
            /// # Safety
            /// The block has so many.
            #[inline(always)]
            pub unsafe fn load<const N: usize>(block: &[$element; N], place: usize) -> Self {
                debug_assert!(place + S::LANES <= N);
                // SAFETY: as the caller's.
                unsafe { Self::read(block.as_ptr().add(place)) }
            }

            /// The same of a superblock's own columns. The next superblock, whose columns stand behind them, is on its way then.
            ///
            /// # Safety
            /// As of [`load`](Self::load).
            #[inline(always)]
            pub unsafe fn load_own<const N: usize>(block: &[$element; N], place: usize) -> Self {
                let next = block.as_ptr().wrapping_add(N + place).cast::<u8>();
                let mut line = 0;
                while line < size_of::<Self>() {
                    S::prefetch(next.wrapping_add(line));
                    line += 64;
                }
                // SAFETY: as the caller's.
                unsafe { Self::load(block, place) }
            }

            /// Writes what [`load`](Self::load) reads.
            ///
            /// # Safety
            /// As of [`load`](Self::load).
            #[inline(always)]
            pub unsafe fn store<const N: usize>(self, block: &mut [$element; N], place: usize) {
                debug_assert!(place + S::LANES <= N);
                // SAFETY: as the caller's.
                unsafe { self.write(block.as_mut_ptr().add(place)) }
            }

            /// `f` of each lane.
            #[inline(always)]
            pub fn each(self, f: impl Fn($element) -> $element) -> Self {
                lanewise!(S; v: $vector $element = self; f(v) => $vector $element)
            }

            /// `f` of each two lanes.
            #[inline(always)]
            pub fn with(self, other: Self, f: impl Fn($element, $element) -> $element) -> Self {
                lanewise!(S; v: $vector $element = self, w: $vector $element = other; f(v, w) => $vector $element)
            }

            /// `==`
            #[inline(always)]
            pub fn equals(self, other: Self) -> Mask<S> {
                Mask(S::$equals(self.0, other.0))
            }

            /// `<`
            #[inline(always)]
            pub fn less(self, other: Self) -> Mask<S> {
                Mask(S::$less(self.0, other.0))
            }

            /// `<=`
            #[inline(always)]
            pub fn at_most(self, other: Self) -> Mask<S> {
                let ($a, $b) = (self, other);
                $at_most
            }
        }

        impl<S: Set> Select<S> for $vector<S> {
            #[inline(always)]
            fn select(mask: Mask<S>, then: Self, otherwise: Self) -> Self {
                $vector(S::$select(mask.0, then.0, otherwise.0))
            }
        }
    )*};
}

numbers! {
    /// One `u8` a lane.
    U8(Int) of u8: |v| S::i_splat(i32::from(v)), S::i_load_bytes, S::i_store_bytes, i_select, i_equals, i_less, |a, b| !b.less(a);
    /// One `i32` a lane.
    I32(Int) of i32: S::i_splat, S::i_load, S::i_store, i_select, i_equals, i_less, |a, b| !b.less(a);
    /// One `u32` a lane.
    U32(Int) of u32: |v| S::i_splat(v as i32), S::i_load, S::i_store, i_select, i_equals, i_less_unsigned, |a, b| !b.less(a);
    /// One `f32` a lane.
    F32(Single) of f32: S::s_splat, S::s_load, S::s_store, s_select, s_equals, s_less, |a, b| Mask(S::s_at_most(a.0, b.0));
    /// One `f64` a lane.
    F64(Double) of f64: S::d_splat, S::d_load, S::d_store, d_select, d_equals, d_less, |a, b| Mask(S::d_at_most(a.0, b.0));
}

/// What vectors of integers have: everything wraps, and what is divided by 0 is 0.
macro_rules! integers {
    ($($vector:ident of $element:ident: $bits:literal $right:ident $single:expr, $double:expr;)*) => {$(
        impl<S: Set> $vector<S> {
            /// The low bits of wider lanes.
            #[inline(always)]
            fn wrapped(lanes: S::Int) -> Self {
                if $bits == 32 { $vector(lanes) } else { $vector(S::i_and(lanes, S::i_splat((1 << ($bits % 32)) - 1))) }
            }

            /// The integer with these binary digits, the lowest first.
            #[inline(always)]
            pub fn of_digits<const N: usize>(digits: [Mask<S>; N]) -> Self {
                let mut sum = S::i_splat(0);
                let mut place = 0;
                while place < N {
                    let digit = S::i_select(digits[place].0, S::i_splat(1 << place), S::i_splat(0));
                    sum = S::i_or(sum, digit);
                    place += 1;
                }
                Self::wrapped(sum)
            }

            /// Binary digit number `place`.
            #[inline(always)]
            pub fn digit(self, place: u32) -> Mask<S> {
                let digit = S::i_splat(1 << place);
                Mask(S::i_equals(S::i_and(self.0, digit), digit))
            }

            /// `if self < other { self } else { other }`
            #[inline(always)]
            pub fn min(self, other: Self) -> Self {
                self.less(other).select(self, other)
            }

            /// `if self > other { self } else { other }`
            #[inline(always)]
            pub fn max(self, other: Self) -> Self {
                other.less(self).select(self, other)
            }

            /// The quotient.
            #[inline(always)]
            pub fn divided(self, divisor: Self) -> Self {
                self.with(divisor, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) })
            }

            /// The remainder.
            #[inline(always)]
            pub fn remainder(self, divisor: Self) -> Self {
                self.with(divisor, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) })
            }

            /// `<<`, by a count modulo the width.
            #[inline(always)]
            pub fn shifted_left(self, count: U32<S>) -> Self {
                Self::wrapped(S::i_left(self.0, S::i_and(count.0, S::i_splat($bits - 1))))
            }

            /// `>>`, by a count modulo the width.
            #[inline(always)]
            pub fn shifted_right(self, count: U32<S>) -> Self {
                $vector(S::$right(self.0, S::i_and(count.0, S::i_splat($bits - 1))))
            }

            /// `as u8`
            #[inline(always)]
            pub fn to_u8(self) -> U8<S> {
                U8::wrapped(self.0)
            }

            /// `as i32`
            #[inline(always)]
            pub fn to_i32(self) -> I32<S> {
                I32(self.0)
            }

            /// `as u32`
            #[inline(always)]
            pub fn to_u32(self) -> U32<S> {
                U32(self.0)
            }

            /// `as f32`
            #[inline(always)]
            pub fn to_f32(self) -> F32<S> {
                $single(self)
            }

            /// `as f64`
            #[inline(always)]
            pub fn to_f64(self) -> F64<S> {
                $double(self)
            }
        }

        operators! {
            $vector {
                Add add |a, b| Self::wrapped(S::i_add(a, b)).0;
                Sub sub |a, b| Self::wrapped(S::i_sub(a, b)).0;
                Mul mul |a, b| Self::wrapped(S::i_mul(a, b)).0;
                BitAnd bitand |a, b| S::i_and(a, b);
                BitOr bitor |a, b| S::i_or(a, b);
                BitXor bitxor |a, b| S::i_xor(a, b);
            }
        }

        impl<S: Set> std::ops::Neg for $vector<S> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self::splat(0) - self
            }
        }

        impl<S: Set> std::ops::Not for $vector<S> {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                self ^ Self::splat(!0)
            }
        }
    )*};
}

integers! {
    U8 of u8: 8 i_right |a: U8<S>| F32(S::s_of_int(a.0)), |a: U8<S>| F64(S::d_of_int(a.0));
    I32 of i32: 32 i_right_signed |a: I32<S>| F32(S::s_of_int(a.0)), |a: I32<S>| F64(S::d_of_int(a.0));
    U32 of u32: 32 i_right
        |a: U32<S>| lanewise!(S; v: U32 u32 = a; v as f32 => F32 f32),
        |a: U32<S>| lanewise!(S; v: U32 u32 = a; f64::from(v) => F64 f64);
}

impl<S: Set> I32<S> {
    /// The number without its sign.
    #[inline(always)]
    pub fn abs(self) -> Self {
        self.less(Self::splat(0)).select(-self, self)
    }
}

/// What vectors of floats have.
macro_rules! floats {
    ($(
        $vector:ident of $element:ident: $min:ident $max:ident $sqrt:ident $floor:ident $ceil:ident, $nan:expr, |$a:ident| $negated:expr, $abs:expr;
    )*) => {$(
        impl<S: Set> $vector<S> {
            /// As it is stored: every NaN is the one quiet NaN.
            #[inline(always)]
            pub fn stored(self) -> Self {
                self.equals(self).select(self, Self::splat($nan))
            }

            /// `self + term` where the condition holds, the same elsewhere.
            #[inline(always)]
            pub fn add_where(self, condition: Mask<S>, term: Self) -> Self {
                condition.select(self + term, self)
            }

            /// `if self < other { self } else { other }`
            #[inline(always)]
            pub fn min(self, other: Self) -> Self {
                $vector(S::$min(self.0, other.0))
            }

            /// `if self > other { self } else { other }`
            #[inline(always)]
            pub fn max(self, other: Self) -> Self {
                $vector(S::$max(self.0, other.0))
            }

            /// The remainder, exactly.
            #[inline(always)]
            pub fn remainder(self, divisor: Self) -> Self {
                self.with(divisor, |a, b| a % b)
            }

            /// The square root.
            #[inline(always)]
            pub fn sqrt(self) -> Self {
                $vector(S::$sqrt(self.0))
            }

            /// Rounded down.
            #[inline(always)]
            pub fn floor(self) -> Self {
                $vector(S::$floor(self.0))
            }

            /// Rounded up.
            #[inline(always)]
            pub fn ceil(self) -> Self {
                $vector(S::$ceil(self.0))
            }

            /// The number without its sign.
            #[inline(always)]
            pub fn abs(self) -> Self {
                let $a = self.0;
                $vector($abs)
            }

            /// `as u8`
            #[inline(always)]
            pub fn to_u8(self) -> U8<S> {
                lanewise!(S; v: $vector $element = self; v as u8 => U8 u8)
            }

            /// `as i32`
            #[inline(always)]
            pub fn to_i32(self) -> I32<S> {
                lanewise!(S; v: $vector $element = self; v as i32 => I32 i32)
            }
        }

        impl<S: Set> std::ops::Neg for $vector<S> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                let $a = self.0;
                $vector($negated)
            }
        }
    )*};
}

floats! {
    F32 of f32: s_min s_max s_sqrt s_floor s_ceil, f32::from_bits(0x7fc0_0000), |a|
        S::s_of_bits(S::i_xor(S::s_bits(a), S::i_splat(i32::MIN))), S::s_of_bits(S::i_and(S::s_bits(a), S::i_splat(i32::MAX)));
    F64 of f64: d_min d_max d_sqrt d_floor d_ceil, f64::from_bits(0x7ff8_0000_0000_0000), |a| S::d_xor(a, S::d_splat(-0.0)), S::d_without(a, S::d_splat(-0.0));
}

impl<S: Set> F32<S> {
    /// `as u32`
    #[inline(always)]
    pub fn to_u32(self) -> U32<S> {
        lanewise!(S; v: F32 f32 = self; v as u32 => U32 u32)
    }

    /// `as f64`
    #[inline(always)]
    pub fn to_f64(self) -> F64<S> {
        F64(S::d_of_single(self.0))
    }
}

impl<S: Set> F64<S> {
    /// `as u32`
    #[inline(always)]
    pub fn to_u32(self) -> U32<S> {
        U32(S::d_to_unsigned(self.0))
    }

    /// `as f32`
    #[inline(always)]
    pub fn to_f32(self) -> F32<S> {
        F32(S::s_of_double(self.0))
    }
}

impl<S: Set> U32<S> {
    /// Whether random words are below probabilities: `word < floor(probability * 2^32)`.
    #[inline(always)]
    pub fn below(self, probability: F64<S>) -> Mask<S> {
        let threshold = (probability * F64::splat(4_294_967_296.0)).to_u32();
        self.less(threshold) | F64::splat(1.0).at_most(probability)
    }
}

// Numbers for any processor: vectors of one lane. Where nothing else is in the way the compiler makes wider ones of them.

/// Functions of a set: each without what is the same for all.
macro_rules! functions {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name($($argument: $ty),*) -> $result {
            $body
        }
    )*};
}

/// Loads and stores of one lane.
macro_rules! single_places {
    ($($load:ident $store:ident $place:ty as $element:ty;)*) => {$(
        #[inline(always)]
        unsafe fn $load(from: *const $place) -> $element {
            // SAFETY: as the caller's.
            unsafe { from.read() as $element }
        }

        #[inline(always)]
        unsafe fn $store(a: $element, to: *mut $place) {
            // SAFETY: as the caller's.
            unsafe { to.write(a as $place) };
        }
    )*};
}

impl Set for Portable {
    const LANES: usize = 1;
    type Mask = bool;
    type Int = i32;
    type Single = f32;
    type Double = f64;

    #[inline(always)]
    unsafe fn m_load(from: *const u8, lane: usize) -> bool {
        // SAFETY: as the caller's.
        unsafe { from.add(lane / 8).read() >> (lane % 8) & 1 != 0 }
    }

    #[inline(always)]
    unsafe fn m_store(a: bool, to: *mut u8, lane: usize) {
        // SAFETY: as the caller's.
        unsafe {
            let to = to.add(lane / 8);
            to.write(to.read() & !(1 << (lane % 8)) | u8::from(a) << (lane % 8));
        }
    }

    single_places! {
        i_load i_store i32 as i32;
        i_load_bytes i_store_bytes u8 as i32;
        s_load s_store f32 as f32;
        d_load d_store f64 as f64;
    }

    functions! {
        m_splat(bit: bool) -> bool = bit;
        m_and(a: bool, b: bool) -> bool = a & b;
        m_or(a: bool, b: bool) -> bool = a | b;
        m_xor(a: bool, b: bool) -> bool = a ^ b;
        i_splat(v: i32) -> i32 = v;
        s_splat(v: f32) -> f32 = v;
        d_splat(v: f64) -> f64 = v;
        i_add(a: i32, b: i32) -> i32 = a.wrapping_add(b);
        i_sub(a: i32, b: i32) -> i32 = a.wrapping_sub(b);
        i_mul(a: i32, b: i32) -> i32 = a.wrapping_mul(b);
        i_and(a: i32, b: i32) -> i32 = a & b;
        i_or(a: i32, b: i32) -> i32 = a | b;
        i_xor(a: i32, b: i32) -> i32 = a ^ b;
        i_left(a: i32, count: i32) -> i32 = a.wrapping_shl(count as u32);
        i_right(a: i32, count: i32) -> i32 = (a as u32).wrapping_shr(count as u32) as i32;
        i_right_signed(a: i32, count: i32) -> i32 = a.wrapping_shr(count as u32);
        i_select(m: bool, a: i32, b: i32) -> i32 = if m { a } else { b };
        s_of_bits(a: i32) -> f32 = f32::from_bits(a as u32);
        s_bits(a: f32) -> i32 = a.to_bits() as i32;
        s_add(a: f32, b: f32) -> f32 = a + b;
        s_sub(a: f32, b: f32) -> f32 = a - b;
        s_mul(a: f32, b: f32) -> f32 = a * b;
        s_div(a: f32, b: f32) -> f32 = a / b;
        s_min(a: f32, b: f32) -> f32 = if a < b { a } else { b };
        s_max(a: f32, b: f32) -> f32 = if a > b { a } else { b };
        s_sqrt(a: f32) -> f32 = a.sqrt();
        s_floor(a: f32) -> f32 = a.floor();
        s_ceil(a: f32) -> f32 = a.ceil();
        s_select(m: bool, a: f32, b: f32) -> f32 = if m { a } else { b };
        s_of_int(a: i32) -> f32 = a as f32;
        d_xor(a: f64, b: f64) -> f64 = f64::from_bits(a.to_bits() ^ b.to_bits());
        d_without(a: f64, b: f64) -> f64 = f64::from_bits(a.to_bits() & !b.to_bits());
        d_add(a: f64, b: f64) -> f64 = a + b;
        d_sub(a: f64, b: f64) -> f64 = a - b;
        d_mul(a: f64, b: f64) -> f64 = a * b;
        d_div(a: f64, b: f64) -> f64 = a / b;
        d_min(a: f64, b: f64) -> f64 = if a < b { a } else { b };
        d_max(a: f64, b: f64) -> f64 = if a > b { a } else { b };
        d_sqrt(a: f64) -> f64 = a.sqrt();
        d_floor(a: f64) -> f64 = a.floor();
        d_ceil(a: f64) -> f64 = a.ceil();
        d_select(m: bool, a: f64, b: f64) -> f64 = if m { a } else { b };
        d_of_int(a: i32) -> f64 = f64::from(a);
        d_of_single(a: f32) -> f64 = f64::from(a);
        s_of_double(a: f64) -> f32 = a as f32;

        i_equals(a: i32, b: i32) -> bool = a == b;
        i_less(a: i32, b: i32) -> bool = a < b;
        i_less_unsigned(a: i32, b: i32) -> bool = (a as u32) < b as u32;
        s_equals(a: f32, b: f32) -> bool = a == b;
        s_less(a: f32, b: f32) -> bool = a < b;
        s_at_most(a: f32, b: f32) -> bool = a <= b;
        d_equals(a: f64, b: f64) -> bool = a == b;
        d_less(a: f64, b: f64) -> bool = a < b;
        d_at_most(a: f64, b: f64) -> bool = a <= b;

    }
}

// Vectors of numbers for x86.

#[cfg(target_arch = "x86_64")]
mod numbers_x86 {
    use super::{Avx2, Avx512, Set};
    use std::arch::x86_64::*;

    /// Functions of a set by instructions.
    macro_rules! instructions {
        ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty = $body:expr;)*) => {$(
            #[inline(always)]
            fn $name($($argument: $ty),*) -> $result {
                // SAFETY: the caller has the instructions.
                unsafe { $body }
            }
        )*};
    }

    /// Loads and stores by instructions.
    macro_rules! places {
        ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty = $body:expr;)*) => {$(
            #[inline(always)]
            unsafe fn $name($($argument: $ty),*) -> $result {
                // SAFETY: as the caller's, who has the instructions.
                unsafe { $body }
            }
        )*};
    }

    /// Sixteen lanes of 32 bits, or eight and eight of 64.
    type Double512 = (__m512d, __m512d);

    /// Half of a mask of sixteen lanes.
    macro_rules! half {
        (0 $m:expr) => {
            $m as u8
        };
        (1 $m:expr) => {
            ($m >> 8) as u8
        };
    }

    /// A mask of two halves.
    #[inline(always)]
    fn joined(low: u8, high: u8) -> u16 {
        u16::from(low) | u16::from(high) << 8
    }

    impl Set for Avx512 {
        const LANES: usize = 16;
        type Mask = u16;
        type Int = __m512i;
        type Single = __m512;
        type Double = Double512;

        places! {
            m_load(from: *const u8, lane: usize) -> u16 = from.add(lane / 8).cast::<u16>().read_unaligned();
            m_store(a: u16, to: *mut u8, lane: usize) -> () = to.add(lane / 8).cast::<u16>().write_unaligned(a);
            i_load(from: *const i32) -> __m512i = _mm512_loadu_si512(from.cast());
            i_store(a: __m512i, to: *mut i32) -> () = _mm512_storeu_si512(to.cast(), a);
            i_load_bytes(from: *const u8) -> __m512i = _mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast()));
            i_store_bytes(a: __m512i, to: *mut u8) -> () = _mm_storeu_si128(to.cast(), _mm512_cvtepi32_epi8(a));
            s_load(from: *const f32) -> __m512 = _mm512_loadu_ps(from);
            s_store(a: __m512, to: *mut f32) -> () = _mm512_storeu_ps(to, a);
            d_load(from: *const f64) -> Double512 = (_mm512_loadu_pd(from), _mm512_loadu_pd(from.add(8)));
            d_store(a: Double512, to: *mut f64) -> () = {
                _mm512_storeu_pd(to, a.0);
                _mm512_storeu_pd(to.add(8), a.1);
            };
        }

        functions! {
            m_splat(bit: bool) -> u16 = if bit { u16::MAX } else { 0 };
            m_and(a: u16, b: u16) -> u16 = a & b;
            m_or(a: u16, b: u16) -> u16 = a | b;
            m_xor(a: u16, b: u16) -> u16 = a ^ b;
        }

        instructions! {
            prefetch(from: *const u8) -> () = _mm_prefetch::<_MM_HINT_T0>(from.cast());

            i_splat(v: i32) -> __m512i = _mm512_set1_epi32(v);
            i_add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32(a, b);
            i_sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi32(a, b);
            i_mul(a: __m512i, b: __m512i) -> __m512i = _mm512_mullo_epi32(a, b);
            i_and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512(a, b);
            i_or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512(a, b);
            i_xor(a: __m512i, b: __m512i) -> __m512i = _mm512_xor_si512(a, b);
            i_left(a: __m512i, count: __m512i) -> __m512i = _mm512_sllv_epi32(a, count);
            i_right(a: __m512i, count: __m512i) -> __m512i = _mm512_srlv_epi32(a, count);
            i_right_signed(a: __m512i, count: __m512i) -> __m512i = _mm512_srav_epi32(a, count);
            i_equals(a: __m512i, b: __m512i) -> u16 = _mm512_cmpeq_epi32_mask(a, b);
            i_less(a: __m512i, b: __m512i) -> u16 = _mm512_cmplt_epi32_mask(a, b);
            i_less_unsigned(a: __m512i, b: __m512i) -> u16 = _mm512_cmplt_epu32_mask(a, b);
            i_select(m: u16, a: __m512i, b: __m512i) -> __m512i = _mm512_mask_blend_epi32(m, b, a);

            s_splat(v: f32) -> __m512 = _mm512_set1_ps(v);
            s_of_bits(a: __m512i) -> __m512 = _mm512_castsi512_ps(a);
            s_bits(a: __m512) -> __m512i = _mm512_castps_si512(a);
            s_add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
            s_sub(a: __m512, b: __m512) -> __m512 = _mm512_sub_ps(a, b);
            s_mul(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
            s_div(a: __m512, b: __m512) -> __m512 = _mm512_div_ps(a, b);
            s_min(a: __m512, b: __m512) -> __m512 = _mm512_min_ps(a, b);
            s_max(a: __m512, b: __m512) -> __m512 = _mm512_max_ps(a, b);
            s_sqrt(a: __m512) -> __m512 = _mm512_sqrt_ps(a);
            s_floor(a: __m512) -> __m512 = _mm512_roundscale_ps::<9>(a);
            s_ceil(a: __m512) -> __m512 = _mm512_roundscale_ps::<10>(a);
            s_equals(a: __m512, b: __m512) -> u16 = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b);
            s_less(a: __m512, b: __m512) -> u16 = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
            s_at_most(a: __m512, b: __m512) -> u16 = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b);
            s_select(m: u16, a: __m512, b: __m512) -> __m512 = _mm512_mask_blend_ps(m, b, a);
            s_of_int(a: __m512i) -> __m512 = _mm512_cvtepi32_ps(a);

            d_splat(v: f64) -> Double512 = (_mm512_set1_pd(v), _mm512_set1_pd(v));
            d_xor(a: Double512, b: Double512) -> Double512 = (_mm512_xor_pd(a.0, b.0), _mm512_xor_pd(a.1, b.1));
            d_without(a: Double512, b: Double512) -> Double512 =
                (_mm512_andnot_pd(b.0, a.0), _mm512_andnot_pd(b.1, a.1));
            d_add(a: Double512, b: Double512) -> Double512 = (_mm512_add_pd(a.0, b.0), _mm512_add_pd(a.1, b.1));
            d_sub(a: Double512, b: Double512) -> Double512 = (_mm512_sub_pd(a.0, b.0), _mm512_sub_pd(a.1, b.1));
            d_mul(a: Double512, b: Double512) -> Double512 = (_mm512_mul_pd(a.0, b.0), _mm512_mul_pd(a.1, b.1));
            d_div(a: Double512, b: Double512) -> Double512 = (_mm512_div_pd(a.0, b.0), _mm512_div_pd(a.1, b.1));
            d_min(a: Double512, b: Double512) -> Double512 = (_mm512_min_pd(a.0, b.0), _mm512_min_pd(a.1, b.1));
            d_max(a: Double512, b: Double512) -> Double512 = (_mm512_max_pd(a.0, b.0), _mm512_max_pd(a.1, b.1));
            d_sqrt(a: Double512) -> Double512 = (_mm512_sqrt_pd(a.0), _mm512_sqrt_pd(a.1));
            d_floor(a: Double512) -> Double512 = (_mm512_roundscale_pd::<9>(a.0), _mm512_roundscale_pd::<9>(a.1));
            d_ceil(a: Double512) -> Double512 = (_mm512_roundscale_pd::<10>(a.0), _mm512_roundscale_pd::<10>(a.1));
            d_equals(a: Double512, b: Double512) -> u16 =
                joined(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a.0, b.0), _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a.1, b.1));
            d_less(a: Double512, b: Double512) -> u16 =
                joined(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(a.0, b.0), _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a.1, b.1));
            d_at_most(a: Double512, b: Double512) -> u16 =
                joined(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(a.0, b.0), _mm512_cmp_pd_mask::<_CMP_LE_OQ>(a.1, b.1));
            d_select(m: u16, a: Double512, b: Double512) -> Double512 =
                (_mm512_mask_blend_pd(half!(0 m), b.0, a.0), _mm512_mask_blend_pd(half!(1 m), b.1, a.1));
            d_of_int(a: __m512i) -> Double512 =
                (_mm512_cvtepi32_pd(_mm512_castsi512_si256(a)), _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64::<1>(a)));
            d_of_single(a: __m512) -> Double512 =
                (_mm512_cvtps_pd(_mm512_castps512_ps256(a)), _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(a)));
            s_of_double(a: Double512) -> __m512 =
                _mm512_insertf32x8::<1>(_mm512_castps256_ps512(_mm512_cvtpd_ps(a.0)), _mm512_cvtpd_ps(a.1));
            // NaN and what is negative become 0 before, what is too large becomes the largest number.
            d_to_unsigned(a: Double512) -> __m512i = {
                let zero = _mm512_setzero_pd();
                let low = _mm512_cvttpd_epu32(_mm512_max_pd(a.0, zero));
                let high = _mm512_cvttpd_epu32(_mm512_max_pd(a.1, zero));
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
            };
        }
    }

    /// Four and four lanes of 64 bits.
    type Double256 = (__m256d, __m256d);

    /// A mask of lanes of 32 bits from two of 64.
    #[inline(always)]
    unsafe fn narrowed(low: __m256d, high: __m256d) -> __m256i {
        // SAFETY: the caller has AVX2.
        unsafe {
            let mixed = _mm256_shuffle_ps::<0b10_00_10_00>(_mm256_castpd_ps(low), _mm256_castpd_ps(high));
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_castps_si256(mixed))
        }
    }

    /// The opposite.
    #[inline(always)]
    unsafe fn widened(m: __m256i) -> Double256 {
        // SAFETY: the caller has AVX2.
        unsafe {
            let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(m));
            let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(m));
            (_mm256_castsi256_pd(low), _mm256_castsi256_pd(high))
        }
    }

    /// Unsigned integers so that comparing them as signed ones gives what it should.
    #[inline(always)]
    unsafe fn flipped(a: __m256i) -> __m256i {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_xor_si256(a, _mm256_set1_epi32(i32::MIN)) }
    }

    impl Set for Avx2 {
        const LANES: usize = 8;
        type Mask = __m256i;
        type Int = __m256i;
        type Single = __m256;
        type Double = Double256;

        places! {
            m_load(from: *const u8, lane: usize) -> __m256i = {
                let (byte, bits) = (from.add(lane / 8).read(), _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128));
                _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(i32::from(byte)), bits), bits)
            };
            m_store(a: __m256i, to: *mut u8, lane: usize) -> () =
                to.add(lane / 8).write(_mm256_movemask_ps(_mm256_castsi256_ps(a)) as u8);
            i_load(from: *const i32) -> __m256i = _mm256_loadu_si256(from.cast());
            i_store(a: __m256i, to: *mut i32) -> () = _mm256_storeu_si256(to.cast(), a);
            i_load_bytes(from: *const u8) -> __m256i = _mm256_cvtepu8_epi32(_mm_loadl_epi64(from.cast()));
            i_store_bytes(a: __m256i, to: *mut u8) -> () = {
                let shorts = _mm_packus_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a));
                _mm_storel_epi64(to.cast(), _mm_packus_epi16(shorts, shorts));
            };
            s_load(from: *const f32) -> __m256 = _mm256_loadu_ps(from);
            s_store(a: __m256, to: *mut f32) -> () = _mm256_storeu_ps(to, a);
            d_load(from: *const f64) -> Double256 = (_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(4)));
            d_store(a: Double256, to: *mut f64) -> () = {
                _mm256_storeu_pd(to, a.0);
                _mm256_storeu_pd(to.add(4), a.1);
            };
        }

        instructions! {
            prefetch(from: *const u8) -> () = _mm_prefetch::<_MM_HINT_T0>(from.cast());

            m_splat(bit: bool) -> __m256i = _mm256_set1_epi32(if bit { -1 } else { 0 });
            m_and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
            m_or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256(a, b);
            m_xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256(a, b);

            i_splat(v: i32) -> __m256i = _mm256_set1_epi32(v);
            i_add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32(a, b);
            i_sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32(a, b);
            i_mul(a: __m256i, b: __m256i) -> __m256i = _mm256_mullo_epi32(a, b);
            i_and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
            i_or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256(a, b);
            i_xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256(a, b);
            i_left(a: __m256i, count: __m256i) -> __m256i = _mm256_sllv_epi32(a, count);
            i_right(a: __m256i, count: __m256i) -> __m256i = _mm256_srlv_epi32(a, count);
            i_right_signed(a: __m256i, count: __m256i) -> __m256i = _mm256_srav_epi32(a, count);
            i_equals(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpeq_epi32(a, b);
            i_less(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpgt_epi32(b, a);
            i_less_unsigned(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpgt_epi32(flipped(b), flipped(a));
            i_select(m: __m256i, a: __m256i, b: __m256i) -> __m256i = _mm256_blendv_epi8(b, a, m);

            s_splat(v: f32) -> __m256 = _mm256_set1_ps(v);
            s_of_bits(a: __m256i) -> __m256 = _mm256_castsi256_ps(a);
            s_bits(a: __m256) -> __m256i = _mm256_castps_si256(a);
            s_add(a: __m256, b: __m256) -> __m256 = _mm256_add_ps(a, b);
            s_sub(a: __m256, b: __m256) -> __m256 = _mm256_sub_ps(a, b);
            s_mul(a: __m256, b: __m256) -> __m256 = _mm256_mul_ps(a, b);
            s_div(a: __m256, b: __m256) -> __m256 = _mm256_div_ps(a, b);
            s_min(a: __m256, b: __m256) -> __m256 = _mm256_min_ps(a, b);
            s_max(a: __m256, b: __m256) -> __m256 = _mm256_max_ps(a, b);
            s_sqrt(a: __m256) -> __m256 = _mm256_sqrt_ps(a);
            s_floor(a: __m256) -> __m256 = _mm256_floor_ps(a);
            s_ceil(a: __m256) -> __m256 = _mm256_ceil_ps(a);
            s_equals(a: __m256, b: __m256) -> __m256i = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b));
            s_less(a: __m256, b: __m256) -> __m256i = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b));
            s_at_most(a: __m256, b: __m256) -> __m256i = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b));
            s_select(m: __m256i, a: __m256, b: __m256) -> __m256 = _mm256_blendv_ps(b, a, _mm256_castsi256_ps(m));
            s_of_int(a: __m256i) -> __m256 = _mm256_cvtepi32_ps(a);

            d_splat(v: f64) -> Double256 = (_mm256_set1_pd(v), _mm256_set1_pd(v));
            d_xor(a: Double256, b: Double256) -> Double256 = (_mm256_xor_pd(a.0, b.0), _mm256_xor_pd(a.1, b.1));
            d_without(a: Double256, b: Double256) -> Double256 =
                (_mm256_andnot_pd(b.0, a.0), _mm256_andnot_pd(b.1, a.1));
            d_add(a: Double256, b: Double256) -> Double256 = (_mm256_add_pd(a.0, b.0), _mm256_add_pd(a.1, b.1));
            d_sub(a: Double256, b: Double256) -> Double256 = (_mm256_sub_pd(a.0, b.0), _mm256_sub_pd(a.1, b.1));
            d_mul(a: Double256, b: Double256) -> Double256 = (_mm256_mul_pd(a.0, b.0), _mm256_mul_pd(a.1, b.1));
            d_div(a: Double256, b: Double256) -> Double256 = (_mm256_div_pd(a.0, b.0), _mm256_div_pd(a.1, b.1));
            d_min(a: Double256, b: Double256) -> Double256 = (_mm256_min_pd(a.0, b.0), _mm256_min_pd(a.1, b.1));
            d_max(a: Double256, b: Double256) -> Double256 = (_mm256_max_pd(a.0, b.0), _mm256_max_pd(a.1, b.1));
            d_sqrt(a: Double256) -> Double256 = (_mm256_sqrt_pd(a.0), _mm256_sqrt_pd(a.1));
            d_floor(a: Double256) -> Double256 = (_mm256_floor_pd(a.0), _mm256_floor_pd(a.1));
            d_ceil(a: Double256) -> Double256 = (_mm256_ceil_pd(a.0), _mm256_ceil_pd(a.1));
            d_equals(a: Double256, b: Double256) -> __m256i =
                narrowed(_mm256_cmp_pd::<_CMP_EQ_OQ>(a.0, b.0), _mm256_cmp_pd::<_CMP_EQ_OQ>(a.1, b.1));
            d_less(a: Double256, b: Double256) -> __m256i =
                narrowed(_mm256_cmp_pd::<_CMP_LT_OQ>(a.0, b.0), _mm256_cmp_pd::<_CMP_LT_OQ>(a.1, b.1));
            d_at_most(a: Double256, b: Double256) -> __m256i =
                narrowed(_mm256_cmp_pd::<_CMP_LE_OQ>(a.0, b.0), _mm256_cmp_pd::<_CMP_LE_OQ>(a.1, b.1));
            d_select(m: __m256i, a: Double256, b: Double256) -> Double256 = {
                let m = widened(m);
                (_mm256_blendv_pd(b.0, a.0, m.0), _mm256_blendv_pd(b.1, a.1, m.1))
            };
            d_of_int(a: __m256i) -> Double256 =
                (_mm256_cvtepi32_pd(_mm256_castsi256_si128(a)), _mm256_cvtepi32_pd(_mm256_extracti128_si256::<1>(a)));
            d_of_single(a: __m256) -> Double256 =
                (_mm256_cvtps_pd(_mm256_castps256_ps128(a)), _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(a)));
            s_of_double(a: Double256) -> __m256 = _mm256_set_m128(_mm256_cvtpd_ps(a.1), _mm256_cvtpd_ps(a.0));
        }
    }
}
