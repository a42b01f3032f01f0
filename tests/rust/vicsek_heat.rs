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
        code: heat_init_for(Instructions::best()),
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
            code: heat_for(Instructions::best()),
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
            code: heat_2_steps_for(Instructions::best()),
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
unsafe fn heat_init_superblock_on_blocks<S: Set>(
    call: &Call,
    lanes_y: &[i32; STRIDE],
    new_u: &mut [f32; MICRO_CELLS * STRIDE],
) {
    unsafe {
        let superblock_y = I32::<S>::splat(call.superblock_corner[1]);
        let zero = I32::<S>::splat(0i32);
        let zero_ = F32::<S>::splat(0f32);
        let hot = F32::<S>::splat(f32::from_bits(*call.params.add(1) as u32));
        let one = I32::<S>::splat(1i32);
        let two = I32::<S>::splat(2i32);
        let constant_0 = I32::<S>::splat(3i32);
        let constant_0_ = I32::<S>::splat(4i32);
        let constant_0__ = I32::<S>::splat(5i32);
        let constant_0___ = I32::<S>::splat(6i32);
        let constant_0____ = I32::<S>::splat(7i32);
        let constant_0_____ = I32::<S>::splat(8i32);
        let mut lane = 0;
        while lane < STRIDE {
            let lane_y = I32::<S>::load(lanes_y, lane);
            let corner_y_0 = lane_y + superblock_y;
            let equal_0 = corner_y_0.equals(zero);
            let choice_0 = equal_0.select(hot, zero_);
            choice_0.stored().store(new_u, lane);
            let y_0 = corner_y_0 + one;
            let equal_1 = y_0.equals(zero);
            let choice_1 = equal_1.select(hot, zero_);
            choice_1.stored().store(new_u, STRIDE + lane);
            choice_1.stored().store(new_u, 2 * STRIDE + lane);
            choice_1.stored().store(new_u, 3 * STRIDE + lane);
            let y_1 = corner_y_0 + two;
            let equal_2 = y_1.equals(zero);
            let choice_2 = equal_2.select(hot, zero_);
            choice_2.stored().store(new_u, 4 * STRIDE + lane);
            let y_2 = corner_y_0 + constant_0;
            let equal_3 = y_2.equals(zero);
            let choice_3 = equal_3.select(hot, zero_);
            choice_3.stored().store(new_u, 5 * STRIDE + lane);
            let y_3 = corner_y_0 + constant_0_;
            let equal_4 = y_3.equals(zero);
            let choice_4 = equal_4.select(hot, zero_);
            choice_4.stored().store(new_u, 6 * STRIDE + lane);
            choice_4.stored().store(new_u, 7 * STRIDE + lane);
            choice_4.stored().store(new_u, 8 * STRIDE + lane);
            let y_4 = corner_y_0 + constant_0__;
            let equal_5 = y_4.equals(zero);
            let choice_5 = equal_5.select(hot, zero_);
            choice_5.stored().store(new_u, 9 * STRIDE + lane);
            choice_3.stored().store(new_u, 10 * STRIDE + lane);
            choice_4.stored().store(new_u, 11 * STRIDE + lane);
            choice_4.stored().store(new_u, 12 * STRIDE + lane);
            choice_4.stored().store(new_u, 13 * STRIDE + lane);
            choice_5.stored().store(new_u, 14 * STRIDE + lane);
            choice_3.stored().store(new_u, 15 * STRIDE + lane);
            choice_4.stored().store(new_u, 16 * STRIDE + lane);
            choice_4.stored().store(new_u, 17 * STRIDE + lane);
            choice_4.stored().store(new_u, 18 * STRIDE + lane);
            choice_5.stored().store(new_u, 19 * STRIDE + lane);
            let y_5 = corner_y_0 + constant_0___;
            let equal_6 = y_5.equals(zero);
            let choice_6 = equal_6.select(hot, zero_);
            choice_6.stored().store(new_u, 20 * STRIDE + lane);
            let y_6 = corner_y_0 + constant_0____;
            let equal_7 = y_6.equals(zero);
            let choice_7 = equal_7.select(hot, zero_);
            choice_7.stored().store(new_u, 21 * STRIDE + lane);
            choice_7.stored().store(new_u, 22 * STRIDE + lane);
            choice_7.stored().store(new_u, 23 * STRIDE + lane);
            let y_7 = corner_y_0 + constant_0_____;
            let equal_8 = y_7.equals(zero);
            let choice_8 = equal_8.select(hot, zero_);
            choice_8.stored().store(new_u, 24 * STRIDE + lane);
            lane = S::next::<STRIDE>(lane);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn heat_init_superblock<S: Set>(call: &Call) {
    unsafe {
        heat_init_superblock_on_blocks::<
            S,
        >(call, block(call.lane_corners, 1), block_mut(call.writes, 0))
    }
}

/// The code of `heat_init` for a processor with these instructions.
pub fn heat_init_for(instructions: Instructions) -> KernelFn {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        #[inline(never)]
        unsafe fn body(call: &Call) {
            unsafe { heat_init_superblock::<Portable>(call) }
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
                unsafe { heat_init_superblock::<Avx2>(call) }
            }
            unsafe { body(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        unsafe extern "C" fn avx512(call: *const Call) {
            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
            unsafe fn body(call: &Call) {
                unsafe { heat_init_superblock::<Avx2>(call) }
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

/// `heat`: one step of 25 micro cells in all lanes.
///
/// 6.32 operations a cell and step (0 on bits, 158 on numbers), 25 + 4 loads, 25 stores, 11 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn heat_superblock_on_blocks<S: Set>(
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
    unsafe {
        let zero = F32::<S>::splat(0f32);
        let alpha = F32::<S>::splat(f32::from_bits(*call.params.add(0) as u32));
        let mut lane = 0;
        while lane < STRIDE {
            let own_0 = F32::<S>::load_own(own_u, lane);
            let halo_above_24 = F32::<S>::load(above_u, 24 * STRIDE + lane);
            let difference_0 = halo_above_24 - own_0;
            let above_exists = Mask::<S>::load(lanes_above, 0, lane);
            let sum_0 = zero.add_where(above_exists, difference_0);
            let own_2 = F32::<S>::load_own(own_u, 2 * STRIDE + lane);
            let difference_2 = own_2 - own_0;
            let sum_1 = sum_0 + difference_2;
            let product_0 = alpha * sum_1;
            let sum_2 = own_0 + product_0;
            sum_2.stored().store(new_u, lane);
            let own_1 = F32::<S>::load_own(own_u, STRIDE + lane);
            let difference_3 = own_2 - own_1;
            let sum_3 = zero + difference_3;
            let product_1 = alpha * sum_3;
            let sum_4 = own_1 + product_1;
            sum_4.stored().store(new_u, STRIDE + lane);
            let difference_4 = own_1 - own_2;
            let difference_5 = own_0 - own_2;
            let sum_5 = zero + difference_5;
            let sum_6 = sum_5 + difference_4;
            let own_3 = F32::<S>::load_own(own_u, 3 * STRIDE + lane);
            let difference_6 = own_3 - own_2;
            let sum_7 = sum_6 + difference_6;
            let own_4 = F32::<S>::load_own(own_u, 4 * STRIDE + lane);
            let difference_7 = own_4 - own_2;
            let sum_8 = sum_7 + difference_7;
            let product_2 = alpha * sum_8;
            let sum_9 = own_2 + product_2;
            sum_9.stored().store(new_u, 2 * STRIDE + lane);
            let difference_8 = own_2 - own_3;
            let sum_10 = zero + difference_8;
            let product_3 = alpha * sum_10;
            let sum_11 = own_3 + product_3;
            sum_11.stored().store(new_u, 3 * STRIDE + lane);
            let own_10 = F32::<S>::load_own(own_u, 10 * STRIDE + lane);
            let difference_9 = own_10 - own_4;
            let difference_10 = own_2 - own_4;
            let sum_12 = zero + difference_10;
            let sum_13 = sum_12 + difference_9;
            let product_4 = alpha * sum_13;
            let sum_14 = own_4 + product_4;
            sum_14.stored().store(new_u, 4 * STRIDE + lane);
            let own_5 = F32::<S>::load_own(own_u, 5 * STRIDE + lane);
            let own_7 = F32::<S>::load_own(own_u, 7 * STRIDE + lane);
            let difference_11 = own_7 - own_5;
            let sum_15 = zero + difference_11;
            let product_5 = alpha * sum_15;
            let sum_16 = own_5 + product_5;
            sum_16.stored().store(new_u, 5 * STRIDE + lane);
            let own_6 = F32::<S>::load_own(own_u, 6 * STRIDE + lane);
            let halo_left_18 = F32::<S>::load(left_u, 18 * STRIDE + lane);
            let difference_12 = halo_left_18 - own_6;
            let left_exists = Mask::<S>::load(lanes_left, 0, lane);
            let sum_17 = zero.add_where(left_exists, difference_12);
            let difference_13 = own_7 - own_6;
            let sum_18 = sum_17 + difference_13;
            let product_6 = alpha * sum_18;
            let sum_19 = own_6 + product_6;
            sum_19.stored().store(new_u, 6 * STRIDE + lane);
            let difference_14 = own_6 - own_7;
            let difference_15 = own_5 - own_7;
            let sum_20 = zero + difference_15;
            let sum_21 = sum_20 + difference_14;
            let own_8 = F32::<S>::load_own(own_u, 8 * STRIDE + lane);
            let difference_16 = own_8 - own_7;
            let sum_22 = sum_21 + difference_16;
            let own_9 = F32::<S>::load_own(own_u, 9 * STRIDE + lane);
            let difference_17 = own_9 - own_7;
            let sum_23 = sum_22 + difference_17;
            let product_7 = alpha * sum_23;
            let sum_24 = own_7 + product_7;
            sum_24.stored().store(new_u, 7 * STRIDE + lane);
            let own_11 = F32::<S>::load_own(own_u, 11 * STRIDE + lane);
            let difference_18 = own_11 - own_8;
            let difference_19 = own_7 - own_8;
            let sum_25 = zero + difference_19;
            let sum_26 = sum_25 + difference_18;
            let product_8 = alpha * sum_26;
            let sum_27 = own_8 + product_8;
            sum_27.stored().store(new_u, 8 * STRIDE + lane);
            let difference_20 = own_7 - own_9;
            let sum_28 = zero + difference_20;
            let product_9 = alpha * sum_28;
            let sum_29 = own_9 + product_9;
            sum_29.stored().store(new_u, 9 * STRIDE + lane);
            let own_12 = F32::<S>::load_own(own_u, 12 * STRIDE + lane);
            let difference_21 = own_12 - own_10;
            let difference_22 = own_4 - own_10;
            let sum_30 = zero + difference_22;
            let sum_31 = sum_30 + difference_21;
            let product_10 = alpha * sum_31;
            let sum_32 = own_10 + product_10;
            sum_32.stored().store(new_u, 10 * STRIDE + lane);
            let difference_23 = own_12 - own_11;
            let difference_24 = own_8 - own_11;
            let sum_33 = zero + difference_24;
            let sum_34 = sum_33 + difference_23;
            let product_11 = alpha * sum_34;
            let sum_35 = own_11 + product_11;
            sum_35.stored().store(new_u, 11 * STRIDE + lane);
            let difference_25 = own_11 - own_12;
            let difference_26 = own_10 - own_12;
            let sum_36 = zero + difference_26;
            let sum_37 = sum_36 + difference_25;
            let own_13 = F32::<S>::load_own(own_u, 13 * STRIDE + lane);
            let difference_27 = own_13 - own_12;
            let sum_38 = sum_37 + difference_27;
            let own_14 = F32::<S>::load_own(own_u, 14 * STRIDE + lane);
            let difference_28 = own_14 - own_12;
            let sum_39 = sum_38 + difference_28;
            let product_12 = alpha * sum_39;
            let sum_40 = own_12 + product_12;
            sum_40.stored().store(new_u, 12 * STRIDE + lane);
            let own_16 = F32::<S>::load_own(own_u, 16 * STRIDE + lane);
            let difference_29 = own_16 - own_13;
            let difference_30 = own_12 - own_13;
            let sum_41 = zero + difference_30;
            let sum_42 = sum_41 + difference_29;
            let product_13 = alpha * sum_42;
            let sum_43 = own_13 + product_13;
            sum_43.stored().store(new_u, 13 * STRIDE + lane);
            let own_20 = F32::<S>::load_own(own_u, 20 * STRIDE + lane);
            let difference_31 = own_20 - own_14;
            let difference_32 = own_12 - own_14;
            let sum_44 = zero + difference_32;
            let sum_45 = sum_44 + difference_31;
            let product_14 = alpha * sum_45;
            let sum_46 = own_14 + product_14;
            sum_46.stored().store(new_u, 14 * STRIDE + lane);
            let own_15 = F32::<S>::load_own(own_u, 15 * STRIDE + lane);
            let own_17 = F32::<S>::load_own(own_u, 17 * STRIDE + lane);
            let difference_33 = own_17 - own_15;
            let sum_47 = zero + difference_33;
            let product_15 = alpha * sum_47;
            let sum_48 = own_15 + product_15;
            sum_48.stored().store(new_u, 15 * STRIDE + lane);
            let difference_34 = own_17 - own_16;
            let difference_35 = own_13 - own_16;
            let sum_49 = zero + difference_35;
            let sum_50 = sum_49 + difference_34;
            let product_16 = alpha * sum_50;
            let sum_51 = own_16 + product_16;
            sum_51.stored().store(new_u, 16 * STRIDE + lane);
            let difference_36 = own_16 - own_17;
            let difference_37 = own_15 - own_17;
            let sum_52 = zero + difference_37;
            let sum_53 = sum_52 + difference_36;
            let own_18 = F32::<S>::load_own(own_u, 18 * STRIDE + lane);
            let difference_38 = own_18 - own_17;
            let sum_54 = sum_53 + difference_38;
            let own_19 = F32::<S>::load_own(own_u, 19 * STRIDE + lane);
            let difference_39 = own_19 - own_17;
            let sum_55 = sum_54 + difference_39;
            let product_17 = alpha * sum_55;
            let sum_56 = own_17 + product_17;
            sum_56.stored().store(new_u, 17 * STRIDE + lane);
            let halo_right_6 = F32::<S>::load(right_u, 6 * STRIDE + lane);
            let difference_40 = halo_right_6 - own_18;
            let right_exists = Mask::<S>::load(lanes_right, 0, lane);
            let difference_41 = own_17 - own_18;
            let sum_57 = zero + difference_41;
            let sum_58 = sum_57.add_where(right_exists, difference_40);
            let product_18 = alpha * sum_58;
            let sum_59 = own_18 + product_18;
            sum_59.stored().store(new_u, 18 * STRIDE + lane);
            let difference_42 = own_17 - own_19;
            let sum_60 = zero + difference_42;
            let product_19 = alpha * sum_60;
            let sum_61 = own_19 + product_19;
            sum_61.stored().store(new_u, 19 * STRIDE + lane);
            let own_22 = F32::<S>::load_own(own_u, 22 * STRIDE + lane);
            let difference_43 = own_22 - own_20;
            let difference_44 = own_14 - own_20;
            let sum_62 = zero + difference_44;
            let sum_63 = sum_62 + difference_43;
            let product_20 = alpha * sum_63;
            let sum_64 = own_20 + product_20;
            sum_64.stored().store(new_u, 20 * STRIDE + lane);
            let own_21 = F32::<S>::load_own(own_u, 21 * STRIDE + lane);
            let difference_45 = own_22 - own_21;
            let sum_65 = zero + difference_45;
            let product_21 = alpha * sum_65;
            let sum_66 = own_21 + product_21;
            sum_66.stored().store(new_u, 21 * STRIDE + lane);
            let difference_46 = own_21 - own_22;
            let difference_47 = own_20 - own_22;
            let sum_67 = zero + difference_47;
            let sum_68 = sum_67 + difference_46;
            let own_23 = F32::<S>::load_own(own_u, 23 * STRIDE + lane);
            let difference_48 = own_23 - own_22;
            let sum_69 = sum_68 + difference_48;
            let own_24 = F32::<S>::load_own(own_u, 24 * STRIDE + lane);
            let difference_49 = own_24 - own_22;
            let sum_70 = sum_69 + difference_49;
            let product_22 = alpha * sum_70;
            let sum_71 = own_22 + product_22;
            sum_71.stored().store(new_u, 22 * STRIDE + lane);
            let difference_50 = own_22 - own_23;
            let sum_72 = zero + difference_50;
            let product_23 = alpha * sum_72;
            let sum_73 = own_23 + product_23;
            sum_73.stored().store(new_u, 23 * STRIDE + lane);
            let halo_below_0 = F32::<S>::load(below_u, lane);
            let difference_51 = halo_below_0 - own_24;
            let below_exists = Mask::<S>::load(lanes_below, 0, lane);
            let difference_52 = own_22 - own_24;
            let sum_74 = zero + difference_52;
            let sum_75 = sum_74.add_where(below_exists, difference_51);
            let product_24 = alpha * sum_75;
            let sum_76 = own_24 + product_24;
            sum_76.stored().store(new_u, 24 * STRIDE + lane);
            lane = S::next::<STRIDE>(lane);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn heat_superblock<S: Set>(call: &Call) {
    unsafe {
        heat_superblock_on_blocks::<
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
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `heat` for a processor with these instructions.
pub fn heat_for(instructions: Instructions) -> KernelFn {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        #[inline(never)]
        unsafe fn body(call: &Call) {
            unsafe { heat_superblock::<Portable>(call) }
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
                unsafe { heat_superblock::<Avx2>(call) }
            }
            unsafe { body(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        unsafe extern "C" fn avx512(call: *const Call) {
            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
            unsafe fn body(call: &Call) {
                unsafe { heat_superblock::<Avx2>(call) }
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

/// `heat`: 2 steps of 25 micro cells in all lanes.
///
/// 6.88 operations a cell and step (0 on bits, 344 on numbers), 25 + 8 loads, 25 stores, 18 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn heat_2_steps_superblock_on_blocks<S: Set>(
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
    unsafe {
        let zero = F32::<S>::splat(0f32);
        let alpha = F32::<S>::splat(f32::from_bits(*call.params.add(0) as u32));
        let mut lane = 0;
        while lane < STRIDE {
            let own_0 = F32::<S>::load_own(own_u, lane);
            let halo_above_24 = F32::<S>::load(above_u, 24 * STRIDE + lane);
            let difference_0 = halo_above_24 - own_0;
            let above_exists = Mask::<S>::load(lanes_above, 0, lane);
            let sum_0 = zero.add_where(above_exists, difference_0);
            let own_2 = F32::<S>::load_own(own_u, 2 * STRIDE + lane);
            let difference_2 = own_2 - own_0;
            let sum_1 = sum_0 + difference_2;
            let product_0 = alpha * sum_1;
            let sum_2 = own_0 + product_0;
            let own_1 = F32::<S>::load_own(own_u, STRIDE + lane);
            let difference_3 = own_1 - own_2;
            let difference_4 = own_0 - own_2;
            let sum_3 = zero + difference_4;
            let sum_4 = sum_3 + difference_3;
            let own_3 = F32::<S>::load_own(own_u, 3 * STRIDE + lane);
            let difference_5 = own_3 - own_2;
            let sum_5 = sum_4 + difference_5;
            let own_4 = F32::<S>::load_own(own_u, 4 * STRIDE + lane);
            let difference_6 = own_4 - own_2;
            let sum_6 = sum_5 + difference_6;
            let product_1 = alpha * sum_6;
            let sum_7 = own_2 + product_1;
            let difference_7 = sum_7 - sum_2;
            let halo_above_22 = F32::<S>::load(above_u, 22 * STRIDE + lane);
            let difference_8 = halo_above_22 - halo_above_24;
            let sum_8 = zero.add_where(above_exists, difference_8);
            let difference_9 = own_0 - halo_above_24;
            let sum_9 = sum_8 + difference_9;
            let product_2 = alpha * sum_9;
            let sum_10 = halo_above_24 + product_2;
            let difference_10 = sum_10 - sum_2;
            let sum_11 = zero.add_where(above_exists, difference_10);
            let sum_12 = sum_11 + difference_7;
            let product_3 = alpha * sum_12;
            let sum_13 = sum_2 + product_3;
            sum_13.stored().store(new_u, lane);
            let difference_11 = own_2 - own_1;
            let sum_14 = zero + difference_11;
            let product_4 = alpha * sum_14;
            let sum_15 = own_1 + product_4;
            let difference_12 = sum_7 - sum_15;
            let sum_16 = zero + difference_12;
            let product_5 = alpha * sum_16;
            let sum_17 = sum_15 + product_5;
            sum_17.stored().store(new_u, STRIDE + lane);
            let own_10 = F32::<S>::load_own(own_u, 10 * STRIDE + lane);
            let difference_13 = own_10 - own_4;
            let difference_14 = own_2 - own_4;
            let sum_18 = zero + difference_14;
            let sum_19 = sum_18 + difference_13;
            let product_6 = alpha * sum_19;
            let sum_20 = own_4 + product_6;
            let difference_15 = sum_20 - sum_7;
            let difference_16 = sum_2 - sum_7;
            let sum_21 = zero + difference_16;
            let difference_17 = sum_15 - sum_7;
            let sum_22 = sum_21 + difference_17;
            let difference_18 = own_2 - own_3;
            let sum_23 = zero + difference_18;
            let product_7 = alpha * sum_23;
            let sum_24 = own_3 + product_7;
            let difference_19 = sum_24 - sum_7;
            let sum_25 = sum_22 + difference_19;
            let sum_26 = sum_25 + difference_15;
            let product_8 = alpha * sum_26;
            let sum_27 = sum_7 + product_8;
            sum_27.stored().store(new_u, 2 * STRIDE + lane);
            let difference_20 = sum_7 - sum_24;
            let sum_28 = zero + difference_20;
            let product_9 = alpha * sum_28;
            let sum_29 = sum_24 + product_9;
            sum_29.stored().store(new_u, 3 * STRIDE + lane);
            let own_12 = F32::<S>::load_own(own_u, 12 * STRIDE + lane);
            let difference_21 = own_12 - own_10;
            let difference_22 = own_4 - own_10;
            let sum_30 = zero + difference_22;
            let sum_31 = sum_30 + difference_21;
            let product_10 = alpha * sum_31;
            let sum_32 = own_10 + product_10;
            let difference_23 = sum_32 - sum_20;
            let difference_24 = sum_7 - sum_20;
            let sum_33 = zero + difference_24;
            let sum_34 = sum_33 + difference_23;
            let product_11 = alpha * sum_34;
            let sum_35 = sum_20 + product_11;
            sum_35.stored().store(new_u, 4 * STRIDE + lane);
            let own_7 = F32::<S>::load_own(own_u, 7 * STRIDE + lane);
            let own_6 = F32::<S>::load_own(own_u, 6 * STRIDE + lane);
            let difference_25 = own_6 - own_7;
            let own_5 = F32::<S>::load_own(own_u, 5 * STRIDE + lane);
            let difference_26 = own_5 - own_7;
            let sum_36 = zero + difference_26;
            let sum_37 = sum_36 + difference_25;
            let own_8 = F32::<S>::load_own(own_u, 8 * STRIDE + lane);
            let difference_27 = own_8 - own_7;
            let sum_38 = sum_37 + difference_27;
            let own_9 = F32::<S>::load_own(own_u, 9 * STRIDE + lane);
            let difference_28 = own_9 - own_7;
            let sum_39 = sum_38 + difference_28;
            let product_12 = alpha * sum_39;
            let sum_40 = own_7 + product_12;
            let difference_29 = own_7 - own_5;
            let sum_41 = zero + difference_29;
            let product_13 = alpha * sum_41;
            let sum_42 = own_5 + product_13;
            let difference_30 = sum_40 - sum_42;
            let sum_43 = zero + difference_30;
            let product_14 = alpha * sum_43;
            let sum_44 = sum_42 + product_14;
            sum_44.stored().store(new_u, 5 * STRIDE + lane);
            let halo_left_18 = F32::<S>::load(left_u, 18 * STRIDE + lane);
            let difference_31 = halo_left_18 - own_6;
            let left_exists = Mask::<S>::load(lanes_left, 0, lane);
            let sum_45 = zero.add_where(left_exists, difference_31);
            let difference_32 = own_7 - own_6;
            let sum_46 = sum_45 + difference_32;
            let product_15 = alpha * sum_46;
            let sum_47 = own_6 + product_15;
            let difference_33 = sum_40 - sum_47;
            let halo_left_17 = F32::<S>::load(left_u, 17 * STRIDE + lane);
            let difference_34 = halo_left_17 - halo_left_18;
            let sum_48 = zero.add_where(left_exists, difference_34);
            let difference_35 = own_6 - halo_left_18;
            let sum_49 = sum_48 + difference_35;
            let product_16 = alpha * sum_49;
            let sum_50 = halo_left_18 + product_16;
            let difference_36 = sum_50 - sum_47;
            let sum_51 = zero.add_where(left_exists, difference_36);
            let sum_52 = sum_51 + difference_33;
            let product_17 = alpha * sum_52;
            let sum_53 = sum_47 + product_17;
            sum_53.stored().store(new_u, 6 * STRIDE + lane);
            let own_11 = F32::<S>::load_own(own_u, 11 * STRIDE + lane);
            let difference_37 = own_11 - own_8;
            let difference_38 = own_7 - own_8;
            let sum_54 = zero + difference_38;
            let sum_55 = sum_54 + difference_37;
            let product_18 = alpha * sum_55;
            let sum_56 = own_8 + product_18;
            let difference_39 = sum_56 - sum_40;
            let difference_40 = sum_47 - sum_40;
            let difference_41 = sum_42 - sum_40;
            let sum_57 = zero + difference_41;
            let sum_58 = sum_57 + difference_40;
            let sum_59 = sum_58 + difference_39;
            let difference_42 = own_7 - own_9;
            let sum_60 = zero + difference_42;
            let product_19 = alpha * sum_60;
            let sum_61 = own_9 + product_19;
            let difference_43 = sum_61 - sum_40;
            let sum_62 = sum_59 + difference_43;
            let product_20 = alpha * sum_62;
            let sum_63 = sum_40 + product_20;
            sum_63.stored().store(new_u, 7 * STRIDE + lane);
            let difference_44 = own_12 - own_11;
            let difference_45 = own_8 - own_11;
            let sum_64 = zero + difference_45;
            let sum_65 = sum_64 + difference_44;
            let product_21 = alpha * sum_65;
            let sum_66 = own_11 + product_21;
            let difference_46 = sum_66 - sum_56;
            let difference_47 = sum_40 - sum_56;
            let sum_67 = zero + difference_47;
            let sum_68 = sum_67 + difference_46;
            let product_22 = alpha * sum_68;
            let sum_69 = sum_56 + product_22;
            sum_69.stored().store(new_u, 8 * STRIDE + lane);
            let difference_48 = sum_40 - sum_61;
            let sum_70 = zero + difference_48;
            let product_23 = alpha * sum_70;
            let sum_71 = sum_61 + product_23;
            sum_71.stored().store(new_u, 9 * STRIDE + lane);
            let difference_49 = own_11 - own_12;
            let difference_50 = own_10 - own_12;
            let sum_72 = zero + difference_50;
            let sum_73 = sum_72 + difference_49;
            let own_13 = F32::<S>::load_own(own_u, 13 * STRIDE + lane);
            let difference_51 = own_13 - own_12;
            let sum_74 = sum_73 + difference_51;
            let own_14 = F32::<S>::load_own(own_u, 14 * STRIDE + lane);
            let difference_52 = own_14 - own_12;
            let sum_75 = sum_74 + difference_52;
            let product_24 = alpha * sum_75;
            let sum_76 = own_12 + product_24;
            let difference_53 = sum_76 - sum_32;
            let difference_54 = sum_20 - sum_32;
            let sum_77 = zero + difference_54;
            let sum_78 = sum_77 + difference_53;
            let product_25 = alpha * sum_78;
            let sum_79 = sum_32 + product_25;
            sum_79.stored().store(new_u, 10 * STRIDE + lane);
            let difference_55 = sum_76 - sum_66;
            let difference_56 = sum_56 - sum_66;
            let sum_80 = zero + difference_56;
            let sum_81 = sum_80 + difference_55;
            let product_26 = alpha * sum_81;
            let sum_82 = sum_66 + product_26;
            sum_82.stored().store(new_u, 11 * STRIDE + lane);
            let difference_57 = sum_66 - sum_76;
            let difference_58 = sum_32 - sum_76;
            let sum_83 = zero + difference_58;
            let sum_84 = sum_83 + difference_57;
            let own_16 = F32::<S>::load_own(own_u, 16 * STRIDE + lane);
            let difference_59 = own_16 - own_13;
            let difference_60 = own_12 - own_13;
            let sum_85 = zero + difference_60;
            let sum_86 = sum_85 + difference_59;
            let product_27 = alpha * sum_86;
            let sum_87 = own_13 + product_27;
            let difference_61 = sum_87 - sum_76;
            let sum_88 = sum_84 + difference_61;
            let own_20 = F32::<S>::load_own(own_u, 20 * STRIDE + lane);
            let difference_62 = own_20 - own_14;
            let difference_63 = own_12 - own_14;
            let sum_89 = zero + difference_63;
            let sum_90 = sum_89 + difference_62;
            let product_28 = alpha * sum_90;
            let sum_91 = own_14 + product_28;
            let difference_64 = sum_91 - sum_76;
            let sum_92 = sum_88 + difference_64;
            let product_29 = alpha * sum_92;
            let sum_93 = sum_76 + product_29;
            sum_93.stored().store(new_u, 12 * STRIDE + lane);
            let own_17 = F32::<S>::load_own(own_u, 17 * STRIDE + lane);
            let difference_65 = own_17 - own_16;
            let difference_66 = own_13 - own_16;
            let sum_94 = zero + difference_66;
            let sum_95 = sum_94 + difference_65;
            let product_30 = alpha * sum_95;
            let sum_96 = own_16 + product_30;
            let difference_67 = sum_96 - sum_87;
            let difference_68 = sum_76 - sum_87;
            let sum_97 = zero + difference_68;
            let sum_98 = sum_97 + difference_67;
            let product_31 = alpha * sum_98;
            let sum_99 = sum_87 + product_31;
            sum_99.stored().store(new_u, 13 * STRIDE + lane);
            let own_22 = F32::<S>::load_own(own_u, 22 * STRIDE + lane);
            let difference_69 = own_22 - own_20;
            let difference_70 = own_14 - own_20;
            let sum_100 = zero + difference_70;
            let sum_101 = sum_100 + difference_69;
            let product_32 = alpha * sum_101;
            let sum_102 = own_20 + product_32;
            let difference_71 = sum_102 - sum_91;
            let difference_72 = sum_76 - sum_91;
            let sum_103 = zero + difference_72;
            let sum_104 = sum_103 + difference_71;
            let product_33 = alpha * sum_104;
            let sum_105 = sum_91 + product_33;
            sum_105.stored().store(new_u, 14 * STRIDE + lane);
            let difference_73 = own_16 - own_17;
            let own_15 = F32::<S>::load_own(own_u, 15 * STRIDE + lane);
            let difference_74 = own_15 - own_17;
            let sum_106 = zero + difference_74;
            let sum_107 = sum_106 + difference_73;
            let own_18 = F32::<S>::load_own(own_u, 18 * STRIDE + lane);
            let difference_75 = own_18 - own_17;
            let sum_108 = sum_107 + difference_75;
            let own_19 = F32::<S>::load_own(own_u, 19 * STRIDE + lane);
            let difference_76 = own_19 - own_17;
            let sum_109 = sum_108 + difference_76;
            let product_34 = alpha * sum_109;
            let sum_110 = own_17 + product_34;
            let difference_77 = own_17 - own_15;
            let sum_111 = zero + difference_77;
            let product_35 = alpha * sum_111;
            let sum_112 = own_15 + product_35;
            let difference_78 = sum_110 - sum_112;
            let sum_113 = zero + difference_78;
            let product_36 = alpha * sum_113;
            let sum_114 = sum_112 + product_36;
            sum_114.stored().store(new_u, 15 * STRIDE + lane);
            let difference_79 = sum_110 - sum_96;
            let difference_80 = sum_87 - sum_96;
            let sum_115 = zero + difference_80;
            let sum_116 = sum_115 + difference_79;
            let product_37 = alpha * sum_116;
            let sum_117 = sum_96 + product_37;
            sum_117.stored().store(new_u, 16 * STRIDE + lane);
            let halo_right_6 = F32::<S>::load(right_u, 6 * STRIDE + lane);
            let difference_81 = halo_right_6 - own_18;
            let right_exists = Mask::<S>::load(lanes_right, 0, lane);
            let difference_82 = own_17 - own_18;
            let sum_118 = zero + difference_82;
            let sum_119 = sum_118.add_where(right_exists, difference_81);
            let product_38 = alpha * sum_119;
            let sum_120 = own_18 + product_38;
            let difference_83 = sum_120 - sum_110;
            let difference_84 = sum_96 - sum_110;
            let difference_85 = sum_112 - sum_110;
            let sum_121 = zero + difference_85;
            let sum_122 = sum_121 + difference_84;
            let sum_123 = sum_122 + difference_83;
            let difference_86 = own_17 - own_19;
            let sum_124 = zero + difference_86;
            let product_39 = alpha * sum_124;
            let sum_125 = own_19 + product_39;
            let difference_87 = sum_125 - sum_110;
            let sum_126 = sum_123 + difference_87;
            let product_40 = alpha * sum_126;
            let sum_127 = sum_110 + product_40;
            sum_127.stored().store(new_u, 17 * STRIDE + lane);
            let halo_right_7 = F32::<S>::load(right_u, 7 * STRIDE + lane);
            let difference_88 = halo_right_7 - halo_right_6;
            let difference_89 = own_18 - halo_right_6;
            let sum_128 = zero + difference_89;
            let sum_129 = sum_128.add_where(right_exists, difference_88);
            let product_41 = alpha * sum_129;
            let sum_130 = halo_right_6 + product_41;
            let difference_90 = sum_130 - sum_120;
            let difference_91 = sum_110 - sum_120;
            let sum_131 = zero + difference_91;
            let sum_132 = sum_131.add_where(right_exists, difference_90);
            let product_42 = alpha * sum_132;
            let sum_133 = sum_120 + product_42;
            sum_133.stored().store(new_u, 18 * STRIDE + lane);
            let difference_92 = sum_110 - sum_125;
            let sum_134 = zero + difference_92;
            let product_43 = alpha * sum_134;
            let sum_135 = sum_125 + product_43;
            sum_135.stored().store(new_u, 19 * STRIDE + lane);
            let own_21 = F32::<S>::load_own(own_u, 21 * STRIDE + lane);
            let difference_93 = own_21 - own_22;
            let difference_94 = own_20 - own_22;
            let sum_136 = zero + difference_94;
            let sum_137 = sum_136 + difference_93;
            let own_23 = F32::<S>::load_own(own_u, 23 * STRIDE + lane);
            let difference_95 = own_23 - own_22;
            let sum_138 = sum_137 + difference_95;
            let own_24 = F32::<S>::load_own(own_u, 24 * STRIDE + lane);
            let difference_96 = own_24 - own_22;
            let sum_139 = sum_138 + difference_96;
            let product_44 = alpha * sum_139;
            let sum_140 = own_22 + product_44;
            let difference_97 = sum_140 - sum_102;
            let difference_98 = sum_91 - sum_102;
            let sum_141 = zero + difference_98;
            let sum_142 = sum_141 + difference_97;
            let product_45 = alpha * sum_142;
            let sum_143 = sum_102 + product_45;
            sum_143.stored().store(new_u, 20 * STRIDE + lane);
            let difference_99 = own_22 - own_21;
            let sum_144 = zero + difference_99;
            let product_46 = alpha * sum_144;
            let sum_145 = own_21 + product_46;
            let difference_100 = sum_140 - sum_145;
            let sum_146 = zero + difference_100;
            let product_47 = alpha * sum_146;
            let sum_147 = sum_145 + product_47;
            sum_147.stored().store(new_u, 21 * STRIDE + lane);
            let halo_below_0 = F32::<S>::load(below_u, lane);
            let difference_101 = halo_below_0 - own_24;
            let below_exists = Mask::<S>::load(lanes_below, 0, lane);
            let difference_102 = own_22 - own_24;
            let sum_148 = zero + difference_102;
            let sum_149 = sum_148.add_where(below_exists, difference_101);
            let product_48 = alpha * sum_149;
            let sum_150 = own_24 + product_48;
            let difference_103 = sum_150 - sum_140;
            let difference_104 = sum_102 - sum_140;
            let sum_151 = zero + difference_104;
            let difference_105 = sum_145 - sum_140;
            let sum_152 = sum_151 + difference_105;
            let difference_106 = own_22 - own_23;
            let sum_153 = zero + difference_106;
            let product_49 = alpha * sum_153;
            let sum_154 = own_23 + product_49;
            let difference_107 = sum_154 - sum_140;
            let sum_155 = sum_152 + difference_107;
            let sum_156 = sum_155 + difference_103;
            let product_50 = alpha * sum_156;
            let sum_157 = sum_140 + product_50;
            sum_157.stored().store(new_u, 22 * STRIDE + lane);
            let difference_108 = sum_140 - sum_154;
            let sum_158 = zero + difference_108;
            let product_51 = alpha * sum_158;
            let sum_159 = sum_154 + product_51;
            sum_159.stored().store(new_u, 23 * STRIDE + lane);
            let halo_below_2 = F32::<S>::load(below_u, 2 * STRIDE + lane);
            let difference_109 = halo_below_2 - halo_below_0;
            let difference_110 = own_24 - halo_below_0;
            let sum_160 = zero + difference_110;
            let sum_161 = sum_160.add_where(below_exists, difference_109);
            let product_52 = alpha * sum_161;
            let sum_162 = halo_below_0 + product_52;
            let difference_111 = sum_162 - sum_150;
            let difference_112 = sum_140 - sum_150;
            let sum_163 = zero + difference_112;
            let sum_164 = sum_163.add_where(below_exists, difference_111);
            let product_53 = alpha * sum_164;
            let sum_165 = sum_150 + product_53;
            sum_165.stored().store(new_u, 24 * STRIDE + lane);
            lane = S::next::<STRIDE>(lane);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn heat_2_steps_superblock<S: Set>(call: &Call) {
    unsafe {
        heat_2_steps_superblock_on_blocks::<
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
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `heat_2_steps` for a processor with these instructions.
pub fn heat_2_steps_for(instructions: Instructions) -> KernelFn {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        #[inline(never)]
        unsafe fn body(call: &Call) {
            unsafe { heat_2_steps_superblock::<Portable>(call) }
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
                unsafe { heat_2_steps_superblock::<Avx2>(call) }
            }
            unsafe { body(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        unsafe extern "C" fn avx512(call: *const Call) {
            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
            unsafe fn body(call: &Call) {
                unsafe { heat_2_steps_superblock::<Avx2>(call) }
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
