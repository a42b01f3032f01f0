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
