/// The rule `life` on the fractal `sierpinski_triangle`, with kernels of its own.
#[allow(unused, unsafe_code, clippy::all, clippy::undocumented_unsafe_blocks)]
pub mod growth {
    use ::std::prelude::rust_2021::*;
    use ::squeeze::expansion::native::*;
    use ::squeeze::expansion::{Call, KernelFn};
    /// Lanes of a column.
    pub const LANES: usize = 243;
    /// Words of a column of bits.
    pub const WORDS: usize = 8;
    /// Values of a column of numbers.
    pub const STRIDE: usize = 248;
    /// Micro cells of a superblock, each a column.
    pub const MICRO_CELLS: usize = 3;
    /// The most time steps of one pass over all superblocks.
    pub const STEPS: u32 = 2u32;
    /// The fractal.
    pub fn fractal() -> ::std::sync::Arc<::squeeze::Fractal> {
        static FRACTAL: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Fractal>> = ::std::sync::OnceLock::new();
        ::std::sync::Arc::clone(
            FRACTAL
                .get_or_init(|| ::squeeze::expansion::shipped_fractal(
                    "sierpinski_triangle",
                )),
        )
    }
    /// The rule.
    pub fn rule() -> ::std::sync::Arc<::squeeze::Rule> {
        static RULE: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Rule>> = ::std::sync::OnceLock::new();
        ::std::sync::Arc::clone(
            RULE.get_or_init(|| ::squeeze::expansion::shipped_rule("life")),
        )
    }
    /// Begins to describe a simulation. On the backend `cpu` it runs the kernels of this module, at every level whose
    /// layout they fit.
    pub fn builder() -> ::squeeze::SimulationBuilder {
        builder_with(Instructions::best())
    }
    /// The same with kernels for these instructions, or for the best that this processor has if those are less. Results
    /// are the same.
    pub fn builder_with(instructions: Instructions) -> ::squeeze::SimulationBuilder {
        ::squeeze::expansion::tell_of_slow_kernels();
        let instructions = instructions.min(Instructions::best());
        let given = ::squeeze::expansion::AheadOfTime {
            lane_digits: 5u32,
            micro_digits: 1u32,
            lanes: LANES,
            steps: STEPS,
            passes: ::std::vec![
                (2u32, ::std::vec![("life", life_2_steps_for(instructions), instructions
                .name())]), (1u32, ::std::vec![("life", life_for(instructions),
                instructions.name())]),
            ],
        };
        unsafe { ::squeeze::Simulation::builder(fractal(), rule()).kernels(given) }
    }
    /// `life`: 2 steps of 3 micro cells in all lanes.
    ///
    /// 19.67 operations a cell and step; in all 118 on bits and 0 on numbers (a draw is one), 3 loads of own columns and 23 of neighbours', 3 stores, at most 26 values live at once.
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
                let twos_1 = V::table::<
                    0xe8,
                >(halo_left_1, halo_below_left_0, halo_left_0);
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
                let halo_above_left_1 = V::load::<
                    WORDS,
                    _,
                >(above_left_alive, WORDS + word);
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
                let existing_5 = V::table::<
                    0x08,
                >(existing_4, twos_15, above_left_exists);
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
                let existing_11 = V::table::<
                    0x08,
                >(existing_10, twos_35, below_right_exists);
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
    /// The code of `life_2_steps` for a processor with these instructions.
    pub fn life_2_steps_for(instructions: Instructions) -> KernelFn {
        /// # Safety
        /// The call must be filled as its fields say, for this shape.
        unsafe extern "C" fn portable(call: *const Call) {
            #[inline(never)]
            unsafe fn body(call: &Call) {
                unsafe { life_2_steps_superblock::<Portable>(call) }
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
                    unsafe { life_2_steps_superblock::<Avx2>(call) }
                }
                unsafe { body(&*call) }
            }
            /// # Safety
            /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
            unsafe extern "C" fn avx512(call: *const Call) {
                #[inline(never)]
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
                unsafe fn body(call: &Call) {
                    unsafe { life_2_steps_superblock::<Avx512Half>(call) }
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
    /// `life`: one step of 3 micro cells in all lanes.
    ///
    /// 8.33 operations a cell and step; in all 25 on bits and 0 on numbers (a draw is one), 3 loads of own columns and 8 of neighbours', 3 stores, at most 11 values live at once.
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
    /// The code of `life` for a processor with these instructions.
    pub fn life_for(instructions: Instructions) -> KernelFn {
        /// # Safety
        /// The call must be filled as its fields say, for this shape.
        unsafe extern "C" fn portable(call: *const Call) {
            #[inline(never)]
            unsafe fn body(call: &Call) {
                unsafe { life_superblock::<Portable>(call) }
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
                    unsafe { life_superblock::<Avx2>(call) }
                }
                unsafe { body(&*call) }
            }
            /// # Safety
            /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
            unsafe extern "C" fn avx512(call: *const Call) {
                #[inline(never)]
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
                unsafe fn body(call: &Call) {
                    unsafe { life_superblock::<Avx512Half>(call) }
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
}
