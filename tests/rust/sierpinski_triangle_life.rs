// life on sierpinski_triangle at level 7, by Squeeze 0.1.0
//
// T = 5: 243 lanes a column fill 47% of the vector registers they take
// L = 1: 3 micro cells a superblock, about 148 operations; 3 superblocks
// t = 2: 2.00 cells computed for one that is kept; bound by operations, 125.46 ps a cell and step expected
//
// rustc -O --edition 2024 life.rs
// ./life STEPS [SEED]

#![allow(dead_code, unused_parens, unused_variables, clippy::all)]

use std::ops::Range;
use std::ptr::{null, null_mut};
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
/// The level of the fractal.
const LEVEL: u32 = 7;
/// The top digits of a cell's number, which are its lane.
const LANE_DIGITS: u32 = 5;
/// The lowest digits of a cell's number, which are its micro cell; those between are its superblock.
const MICRO_DIGITS: u32 = 1;
/// The dimension of the space.
const AXES: usize = 2;
/// The time steps of one pass over all superblocks.
const STEPS: u32 = 2;
/// The fractal: its levels by turns, the finest first.
const PATTERNS: [Pattern; 1] = [
    Pattern {
        scale: 2,
        replicas: &[[0, 0, 0], [0, 1, 0], [1, 1, 0]],
    },
];

/// The states of the rule.
const STATES: [State; 1] = [
    State {
        name: "alive",
        planes: 1,
        bytes: 0,
    },
];

/// The parameters of the rule.
const PARAMS: [Param; 0] = [];
/// Lanes of a column.
pub const LANES: usize = 243;
/// Words of a column of bits.
pub const WORDS: usize = 8;
/// Values of a column of numbers.
pub const STRIDE: usize = 248;
/// Micro cells of a superblock, each a column.
pub const MICRO_CELLS: usize = 3;
/// Computes the initial values.
fn initial_values() -> Pass {
    Pass {
        code: life_init_for_this_processor(),
        own: &[],
        halo: &[],
        presence: &[],
        writes: &[0],
        random: &[(0, 0), (1, 0), (2, 0)],
    }
}

/// Compute one time step.
fn one_step() -> Vec<Pass> {
    Vec::from([
        Pass {
            code: life_for_this_processor(),
            own: &[0],
            halo: &[
                (0, 0, &[2]),
                (0, 1, &[1, 2]),
                (0, 3, &[2]),
                (0, 4, &[0, 1]),
                (0, 6, &[0]),
                (0, 7, &[0]),
            ],
            presence: &[],
            writes: &[0],
            random: &[],
        },
    ])
}

/// Compute `STEPS` time steps.
fn several_steps() -> Vec<Pass> {
    Vec::from([
        Pass {
            code: life_2_steps_for_this_processor(),
            own: &[0],
            halo: &[
                (0, 0, &[0, 1, 2]),
                (0, 1, &[0, 1, 2]),
                (0, 2, &[0, 1, 2]),
                (0, 3, &[0, 1, 2]),
                (0, 4, &[0, 1, 2]),
                (0, 5, &[0, 2]),
                (0, 6, &[0, 1, 2]),
                (0, 7, &[0, 1, 2]),
            ],
            presence: &[0, 1, 3, 4, 6, 7],
            writes: &[0],
            random: &[],
        },
    ])
}

/// `life_init`: one step of 3 micro cells in all lanes.
///
/// 2.00 operations a cell and step (0 on bits, 6 on numbers), 0 + 0 loads, 3 stores, 3 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn life_init_superblock_on_blocks(
    call: &Call,
    random_words: &[u32; 3 * STRIDE],
    new_alive: &mut [u8; MICRO_CELLS * 4 * WORDS],
) {
    for group in 0..STRIDE / GROUP {
        unsafe {
            let mut new_alive_0 = 0;
            let mut new_alive_1 = 0;
            let mut new_alive_2 = 0;
            for bit in 0..GROUP {
                let lane = GROUP * group + bit;
                let draw_0 = at(random_words, lane);
                let chance_1 = draw_0 < 2147483648u32;
                new_alive_0 |= (chance_1 as u8) << bit;
                let draw_1 = at(random_words, STRIDE + lane);
                let chance_2 = draw_1 < 2147483648u32;
                new_alive_1 |= (chance_2 as u8) << bit;
                let draw_2 = at(random_words, 2 * STRIDE + lane);
                let chance_3 = draw_2 < 2147483648u32;
                new_alive_2 |= (chance_3 as u8) << bit;
            }
            put(new_alive, group, new_alive_0);
            put(new_alive, 4 * WORDS + group, new_alive_1);
            put(new_alive, 8 * WORDS + group, new_alive_2);
        }
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn life_init_superblock(call: &Call) {
    unsafe {
        life_init_superblock_on_blocks(
            call,
            &*call.random.cast(),
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `life_init` for this processor, and the instructions that it uses.
pub fn life_init_for_this_processor() -> (KernelFn, &'static str) {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        unsafe { life_init_superblock(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn avx2(call: *const Call) {
            unsafe { life_init_superblock(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        unsafe extern "C" fn avx512(call: *const Call) {
            unsafe { life_init_superblock(&*call) }
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

/// `life`: one step of 3 micro cells in all lanes.
///
/// 8.33 operations a cell and step (25 on bits, 0 on numbers), 3 + 8 loads, 3 stores, 11 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn life_superblock_on_blocks<V: Bits>(
    call: &Call,
    own_alive: &[u32; MICRO_CELLS * WORDS],
    above_left_alive: &[u32; MICRO_CELLS * WORDS],
    above_alive: &[u32; MICRO_CELLS * WORDS],
    left_alive: &[u32; MICRO_CELLS * WORDS],
    right_alive: &[u32; MICRO_CELLS * WORDS],
    below_alive: &[u32; MICRO_CELLS * WORDS],
    below_right_alive: &[u32; MICRO_CELLS * WORDS],
    new_alive: &mut [u32; MICRO_CELLS * WORDS],
) {
    let mut word = 0;
    while word < WORDS {
        unsafe {
            let halo_above_left_2 = V::load::<
                WORDS,
                _,
            >(above_left_alive, 2 * WORDS + word);
            let own_1 = V::load::<WORDS, _>(own_alive, WORDS + word);
            let halo_above_1 = V::load::<WORDS, _>(above_alive, WORDS + word);
            let ones_0 = V::table::<0x96>(halo_above_1, own_1, halo_above_left_2);
            let own_2 = V::load::<WORDS, _>(own_alive, 2 * WORDS + word);
            let halo_left_2 = V::load::<WORDS, _>(left_alive, 2 * WORDS + word);
            let ones_1 = halo_left_2 ^ own_2;
            let halo_above_2 = V::load::<WORDS, _>(above_alive, 2 * WORDS + word);
            let twos_0 = V::table::<0x28>(ones_1, halo_above_2, ones_0);
            let twos_1 = V::table::<0xe8>(halo_left_2, own_2, halo_above_2);
            let twos_2 = V::table::<0xe8>(halo_above_1, own_1, halo_above_left_2);
            let fours_0 = V::table::<0xe8>(twos_2, twos_1, twos_0);
            let ones_2 = V::table::<0x96>(ones_1, halo_above_2, ones_0);
            let own_0 = V::load::<WORDS, _>(own_alive, word);
            let choice_0 = V::table::<0xf4>(fours_0, ones_2, own_0);
            let twos_3 = twos_2 ^ twos_1;
            let choice_1 = V::table::<0x14>(twos_3, twos_0, choice_0);
            choice_1.store::<WORDS, _>(new_alive, word);
            let ones_3 = V::table::<0x96>(halo_left_2, own_2, own_0);
            let twos_4 = V::table::<0xe8>(halo_left_2, own_2, own_0);
            let halo_below_0 = V::load::<WORDS, _>(below_alive, word);
            let twos_5 = V::table::<0x78>(twos_4, ones_3, halo_below_0);
            let ones_4 = V::table::<0x96>(ones_1, own_0, halo_below_0);
            let choice_2 = V::table::<0xc4>(own_1, twos_5, ones_4);
            choice_2.store::<WORDS, _>(new_alive, WORDS + word);
            let halo_right_0 = V::load::<WORDS, _>(right_alive, word);
            let halo_below_right_0 = V::load::<WORDS, _>(below_right_alive, word);
            let halo_right_1 = V::load::<WORDS, _>(right_alive, WORDS + word);
            let ones_5 = V::table::<
                0x96,
            >(halo_right_1, halo_below_right_0, halo_right_0);
            let ones_6 = own_1 ^ own_0;
            let twos_6 = V::table::<0x28>(halo_below_0, ones_6, ones_5);
            let twos_7 = V::table::<0xe8>(own_1, own_0, halo_below_0);
            let twos_8 = V::table::<
                0xe8,
            >(halo_right_1, halo_below_right_0, halo_right_0);
            let fours_1 = V::table::<0xe8>(twos_8, twos_7, twos_6);
            let ones_7 = V::table::<0x96>(halo_below_0, ones_6, ones_5);
            let choice_3 = V::table::<0xce>(own_2, fours_1, ones_7);
            let twos_9 = twos_8 ^ twos_7;
            let choice_4 = V::table::<0x14>(twos_9, twos_6, choice_3);
            choice_4.store::<WORDS, _>(new_alive, 2 * WORDS + word);
        }
        word = V::next::<WORDS>(word);
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn life_superblock<V: Bits>(call: &Call) {
    unsafe {
        life_superblock_on_blocks::<
            V,
        >(
            call,
            block(call.reads, 0),
            block(call.reads, 1),
            block(call.reads, 2),
            block(call.reads, 4),
            block(call.reads, 5),
            block(call.reads, 7),
            block(call.reads, 8),
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `life` for this processor, and the instructions that it uses.
pub fn life_for_this_processor() -> (KernelFn, &'static str) {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        unsafe { life_superblock::<Portable>(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn avx2(call: *const Call) {
            unsafe { life_superblock::<Avx2>(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        unsafe extern "C" fn avx512(call: *const Call) {
            unsafe { life_superblock::<Avx512Half>(&*call) }
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

/// `life`: 2 steps of 3 micro cells in all lanes.
///
/// 19.67 operations a cell and step (118 on bits, 0 on numbers), 3 + 23 loads, 3 stores, 26 live values.
///
/// # Safety
/// The blocks are those of one superblock, for this shape.
#[inline(always)]
unsafe fn life_2_steps_superblock_on_blocks<V: Bits>(
    call: &Call,
    own_alive: &[u32; MICRO_CELLS * WORDS],
    above_left_alive: &[u32; MICRO_CELLS * WORDS],
    above_alive: &[u32; MICRO_CELLS * WORDS],
    above_right_alive: &[u32; MICRO_CELLS * WORDS],
    left_alive: &[u32; MICRO_CELLS * WORDS],
    right_alive: &[u32; MICRO_CELLS * WORDS],
    below_left_alive: &[u32; MICRO_CELLS * WORDS],
    below_alive: &[u32; MICRO_CELLS * WORDS],
    below_right_alive: &[u32; MICRO_CELLS * WORDS],
    lanes_above_left: &[u32; WORDS],
    lanes_above: &[u32; WORDS],
    lanes_left: &[u32; WORDS],
    lanes_right: &[u32; WORDS],
    lanes_below: &[u32; WORDS],
    lanes_below_right: &[u32; WORDS],
    new_alive: &mut [u32; MICRO_CELLS * WORDS],
) {
    let mut word = 0;
    while word < WORDS {
        unsafe {
            let own_0 = V::load::<WORDS, _>(own_alive, word);
            let halo_below_0 = V::load::<WORDS, _>(below_alive, word);
            let own_1 = V::load::<WORDS, _>(own_alive, WORDS + word);
            let ones_0 = V::table::<0x96>(own_1, halo_below_0, own_0);
            let halo_below_left_0 = V::load::<WORDS, _>(below_left_alive, word);
            let halo_left_1 = V::load::<WORDS, _>(left_alive, WORDS + word);
            let ones_1 = halo_left_1 ^ halo_below_left_0;
            let halo_left_0 = V::load::<WORDS, _>(left_alive, word);
            let twos_0 = V::table::<0x60>(ones_0, ones_1, halo_left_0);
            let twos_1 = V::table::<0xe8>(halo_left_1, halo_below_left_0, halo_left_0);
            let twos_2 = V::table::<0xe8>(own_1, halo_below_0, own_0);
            let twos_3 = V::table::<0x96>(twos_2, twos_1, twos_0);
            let fours_0 = V::table::<0xe8>(twos_2, twos_1, twos_0);
            let ones_2 = V::table::<0x96>(ones_0, ones_1, halo_left_0);
            let halo_left_2 = V::load::<WORDS, _>(left_alive, 2 * WORDS + word);
            let existing_0 = V::table::<0xf4>(fours_0, ones_2, halo_left_2);
            let left_exists = V::load::<WORDS, _>(lanes_left, word);
            let existing_1 = V::table::<0x08>(existing_0, twos_3, left_exists);
            let halo_right_0 = V::load::<WORDS, _>(right_alive, word);
            let halo_below_right_0 = V::load::<WORDS, _>(below_right_alive, word);
            let ones_3 = halo_below_right_0 ^ halo_right_0;
            let halo_right_1 = V::load::<WORDS, _>(right_alive, WORDS + word);
            let twos_4 = V::table::<0x28>(ones_3, halo_right_1, ones_0);
            let twos_5 = V::table::<
                0xe8,
            >(halo_below_right_0, halo_right_0, halo_right_1);
            let fours_1 = V::table::<0xe8>(twos_5, twos_2, twos_4);
            let ones_4 = V::table::<0x96>(ones_3, halo_right_1, ones_0);
            let own_2 = V::load::<WORDS, _>(own_alive, 2 * WORDS + word);
            let choice_0 = V::table::<0xf4>(fours_1, ones_4, own_2);
            let twos_6 = twos_5 ^ twos_2;
            let choice_1 = V::table::<0x14>(twos_6, twos_4, choice_0);
            let twos_7 = choice_1 & existing_1;
            let halo_above_1 = V::load::<WORDS, _>(above_alive, WORDS + word);
            let halo_above_0 = V::load::<WORDS, _>(above_alive, word);
            let ones_5 = V::table::<0x96>(own_0, halo_above_0, halo_above_1);
            let halo_above_right_1 = V::load::<
                WORDS,
                _,
            >(above_right_alive, WORDS + word);
            let ones_6 = halo_right_0 ^ halo_above_right_1;
            let halo_above_right_0 = V::load::<WORDS, _>(above_right_alive, word);
            let twos_8 = V::table::<0x28>(ones_6, halo_above_right_0, ones_5);
            let twos_9 = V::table::<0xe8>(own_0, halo_above_0, halo_above_1);
            let twos_10 = V::table::<
                0xe8,
            >(halo_right_0, halo_above_right_1, halo_above_right_0);
            let twos_11 = V::table::<0x96>(twos_10, twos_9, twos_8);
            let fours_2 = V::table::<0xe8>(twos_10, twos_9, twos_8);
            let ones_7 = V::table::<0x96>(ones_6, halo_above_right_0, ones_5);
            let halo_above_2 = V::load::<WORDS, _>(above_alive, 2 * WORDS + word);
            let existing_2 = V::table::<0xf4>(fours_2, ones_7, halo_above_2);
            let above_exists = V::load::<WORDS, _>(lanes_above, word);
            let existing_3 = V::table::<0x08>(existing_2, twos_11, above_exists);
            let ones_8 = choice_1 ^ existing_1;
            let twos_12 = V::table::<0xea>(ones_8, existing_3, twos_7);
            let ones_9 = ones_8 ^ existing_3;
            let halo_above_left_1 = V::load::<WORDS, _>(above_left_alive, WORDS + word);
            let ones_10 = halo_left_0 ^ halo_above_left_1;
            let halo_above_left_0 = V::load::<WORDS, _>(above_left_alive, word);
            let twos_13 = V::table::<0x60>(ones_5, ones_10, halo_above_left_0);
            let twos_14 = V::table::<
                0xe8,
            >(halo_left_0, halo_above_left_1, halo_above_left_0);
            let twos_15 = V::table::<0x96>(twos_9, twos_14, twos_13);
            let fours_3 = V::table::<0xe8>(twos_9, twos_14, twos_13);
            let ones_11 = V::table::<0x96>(ones_5, ones_10, halo_above_left_0);
            let halo_above_left_2 = V::load::<
                WORDS,
                _,
            >(above_left_alive, 2 * WORDS + word);
            let existing_4 = V::table::<0xf4>(fours_3, ones_11, halo_above_left_2);
            let above_left_exists = V::load::<WORDS, _>(lanes_above_left, word);
            let existing_5 = V::table::<0x08>(existing_4, twos_15, above_left_exists);
            let ones_12 = V::table::<
                0x96,
            >(halo_above_0, halo_above_2, halo_above_left_2);
            let twos_16 = V::table::<
                0xe8,
            >(halo_above_0, halo_above_2, halo_above_left_2);
            let twos_17 = V::table::<0x6c>(own_0, twos_16, ones_12);
            let existing_6 = V::table::<0x12>(own_0, halo_above_1, ones_12);
            let existing_7 = V::table::<0x40>(above_exists, twos_17, existing_6);
            let ones_13 = existing_5 ^ existing_7;
            let ones_14 = V::table::<0x96>(halo_below_0, own_0, halo_left_2);
            let twos_18 = V::table::<0xe8>(halo_below_0, own_0, halo_left_2);
            let twos_19 = V::table::<0x6c>(own_2, twos_18, ones_14);
            let ones_15 = halo_below_0 ^ own_0;
            let ones_16 = V::table::<0x96>(own_2, halo_left_2, ones_15);
            let choice_2 = V::table::<0xc4>(own_1, twos_19, ones_16);
            let ones_17 = ones_13 ^ choice_2;
            let twos_20 = ones_9 & ones_17;
            let twos_21 = V::table::<0xe8>(existing_5, existing_7, choice_2);
            let fours_4 = V::table::<0xe8>(twos_12, twos_21, twos_20);
            let ones_18 = ones_9 ^ ones_17;
            let ones_19 = V::table::<0x96>(own_1, own_2, halo_left_2);
            let ones_20 = halo_above_2 ^ halo_above_left_2;
            let twos_22 = V::table::<0x28>(halo_above_1, ones_20, ones_19);
            let twos_23 = V::table::<0xe8>(own_1, own_2, halo_left_2);
            let twos_24 = V::table::<
                0xe8,
            >(halo_above_1, halo_above_2, halo_above_left_2);
            let fours_5 = V::table::<0xe8>(twos_24, twos_23, twos_22);
            let ones_21 = V::table::<0x96>(halo_above_1, ones_20, ones_19);
            let choice_3 = V::table::<0xce>(own_0, fours_5, ones_21);
            let twos_25 = twos_24 ^ twos_23;
            let choice_4 = V::table::<0x14>(twos_25, twos_22, choice_3);
            let choice_5 = V::table::<0xf4>(fours_4, ones_18, choice_4);
            let twos_26 = twos_12 ^ twos_21;
            let choice_6 = V::table::<0x14>(twos_26, twos_20, choice_5);
            choice_6.store::<WORDS, _>(new_alive, word);
            let twos_27 = V::table::<0xec>(ones_8, twos_7, choice_4);
            let halo_below_2 = V::load::<WORDS, _>(below_alive, 2 * WORDS + word);
            let halo_below_1 = V::load::<WORDS, _>(below_alive, WORDS + word);
            let ones_22 = halo_below_1 ^ halo_below_2;
            let halo_below_left_2 = V::load::<
                WORDS,
                _,
            >(below_left_alive, 2 * WORDS + word);
            let twos_28 = V::table::<0x60>(ones_19, ones_22, halo_below_left_2);
            let twos_29 = V::table::<
                0xe8,
            >(halo_below_1, halo_below_2, halo_below_left_2);
            let twos_30 = V::table::<0x96>(twos_23, twos_29, twos_28);
            let fours_6 = V::table::<0xe8>(twos_23, twos_29, twos_28);
            let ones_23 = V::table::<0x96>(ones_19, ones_22, halo_below_left_2);
            let existing_8 = V::table::<0xce>(halo_below_0, fours_6, ones_23);
            let below_exists = V::load::<WORDS, _>(lanes_below, word);
            let existing_9 = V::table::<0x08>(existing_8, twos_30, below_exists);
            let ones_24 = ones_8 ^ choice_4;
            let twos_31 = V::table::<0x78>(twos_27, ones_24, existing_9);
            let ones_25 = ones_24 ^ existing_9;
            let choice_7 = V::table::<0xc4>(choice_2, twos_31, ones_25);
            choice_7.store::<WORDS, _>(new_alive, WORDS + word);
            let halo_right_2 = V::load::<WORDS, _>(right_alive, 2 * WORDS + word);
            let ones_26 = V::table::<0x96>(halo_right_1, own_2, halo_right_2);
            let halo_below_right_2 = V::load::<
                WORDS,
                _,
            >(below_right_alive, 2 * WORDS + word);
            let ones_27 = halo_below_2 ^ halo_below_right_2;
            let halo_below_right_1 = V::load::<
                WORDS,
                _,
            >(below_right_alive, WORDS + word);
            let twos_32 = V::table::<0x60>(ones_26, ones_27, halo_below_right_1);
            let twos_33 = V::table::<
                0xe8,
            >(halo_below_2, halo_below_right_2, halo_below_right_1);
            let twos_34 = V::table::<0xe8>(halo_right_1, own_2, halo_right_2);
            let twos_35 = V::table::<0x96>(twos_34, twos_33, twos_32);
            let fours_7 = V::table::<0xe8>(twos_34, twos_33, twos_32);
            let ones_28 = V::table::<0x96>(ones_26, ones_27, halo_below_right_1);
            let existing_10 = V::table::<0xce>(halo_below_right_0, fours_7, ones_28);
            let below_right_exists = V::load::<WORDS, _>(lanes_below_right, word);
            let existing_11 = V::table::<0x08>(existing_10, twos_35, below_right_exists);
            let ones_29 = halo_above_right_1 ^ halo_above_2;
            let halo_above_right_2 = V::load::<
                WORDS,
                _,
            >(above_right_alive, 2 * WORDS + word);
            let twos_36 = V::table::<0x28>(ones_29, halo_above_right_2, ones_26);
            let twos_37 = V::table::<
                0xe8,
            >(halo_above_right_1, halo_above_2, halo_above_right_2);
            let twos_38 = V::table::<0x96>(twos_37, twos_34, twos_36);
            let fours_8 = V::table::<0xe8>(twos_37, twos_34, twos_36);
            let ones_30 = V::table::<0x96>(ones_29, halo_above_right_2, ones_26);
            let existing_12 = V::table::<0xce>(halo_right_0, fours_8, ones_30);
            let right_exists = V::load::<WORDS, _>(lanes_right, word);
            let existing_13 = V::table::<0x08>(existing_12, twos_38, right_exists);
            let ones_31 = existing_13 ^ existing_11;
            let ones_32 = V::table::<
                0x96,
            >(halo_below_right_0, halo_right_0, halo_right_2);
            let twos_39 = V::table::<
                0xe8,
            >(halo_below_right_0, halo_right_0, halo_right_2);
            let twos_40 = V::table::<0x6c>(own_2, twos_39, ones_32);
            let existing_14 = V::table::<0x06>(halo_right_1, own_2, ones_32);
            let existing_15 = V::table::<0x40>(right_exists, twos_40, existing_14);
            let ones_33 = ones_31 ^ existing_15;
            let ones_34 = choice_2 ^ choice_4;
            let ones_35 = existing_9 ^ ones_34;
            let twos_41 = ones_33 & ones_35;
            let twos_42 = V::table::<0xe8>(existing_13, existing_11, existing_15);
            let twos_43 = V::table::<0xe8>(choice_2, choice_4, existing_9);
            let fours_9 = V::table::<0xe8>(twos_42, twos_43, twos_41);
            let ones_36 = ones_33 ^ ones_35;
            let choice_8 = V::table::<0xce>(choice_1, fours_9, ones_36);
            let twos_44 = twos_42 ^ twos_43;
            let choice_9 = V::table::<0x14>(twos_44, twos_41, choice_8);
            choice_9.store::<WORDS, _>(new_alive, 2 * WORDS + word);
        }
        word = V::next::<WORDS>(word);
    }
}

/// The same on what the driver hands to kernels.
///
/// # Safety
/// The call must be filled as its fields say, for this shape.
#[inline(always)]
unsafe fn life_2_steps_superblock<V: Bits>(call: &Call) {
    unsafe {
        life_2_steps_superblock_on_blocks::<
            V,
        >(
            call,
            block(call.reads, 0),
            block(call.reads, 1),
            block(call.reads, 2),
            block(call.reads, 3),
            block(call.reads, 4),
            block(call.reads, 5),
            block(call.reads, 6),
            block(call.reads, 7),
            block(call.reads, 8),
            block(call.presence, 0),
            block(call.presence, 1),
            block(call.presence, 3),
            block(call.presence, 4),
            block(call.presence, 6),
            block(call.presence, 7),
            block_mut(call.writes, 0),
        )
    }
}

/// The code of `life_2_steps` for this processor, and the instructions that it uses.
pub fn life_2_steps_for_this_processor() -> (KernelFn, &'static str) {
    /// # Safety
    /// The call must be filled as its fields say, for this shape.
    unsafe extern "C" fn portable(call: *const Call) {
        unsafe { life_2_steps_superblock::<Portable>(&*call) }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of `portable`; the processor must have AVX2.
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn avx2(call: *const Call) {
            unsafe { life_2_steps_superblock::<Avx2>(&*call) }
        }
        /// # Safety
        /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        unsafe extern "C" fn avx512(call: *const Call) {
            unsafe { life_2_steps_superblock::<Avx512Half>(&*call) }
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
