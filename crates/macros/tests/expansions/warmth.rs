/// Diffusion.
#[allow(unused, unsafe_code, clippy::all, clippy::undocumented_unsafe_blocks)]
pub mod warmth {
    use ::std::prelude::rust_2021::*;
    use ::squeeze::expansion::native::*;
    use ::squeeze::expansion::{Call, KernelFn};
    /// Lanes of a column.
    pub const LANES: usize = 5;
    /// Words of a column of bits.
    pub const WORDS: usize = 1;
    /// Values of a column of numbers.
    pub const STRIDE: usize = 8;
    /// Micro cells of a superblock, each a column.
    pub const MICRO_CELLS: usize = 25;
    /// The most time steps of one pass over all superblocks.
    pub const STEPS: u32 = 2u32;
    /// The fractal.
    pub fn fractal() -> ::std::sync::Arc<::squeeze::Fractal> {
        static FRACTAL: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Fractal>> = ::std::sync::OnceLock::new();
        ::std::sync::Arc::clone(
            FRACTAL.get_or_init(|| ::squeeze::expansion::shipped_fractal("vicsek")),
        )
    }
    /// The rule.
    pub fn rule() -> ::std::sync::Arc<::squeeze::Rule> {
        static RULE: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Rule>> = ::std::sync::OnceLock::new();
        ::std::sync::Arc::clone(
            RULE.get_or_init(|| ::squeeze::expansion::shipped_rule("heat")),
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
            lane_digits: 1u32,
            micro_digits: 2u32,
            lanes: LANES,
            steps: STEPS,
            passes: ::std::vec![
                (2u32, ::std::vec![("heat", heat_2_steps_for(instructions), instructions
                .name())]), (1u32, ::std::vec![("heat", heat_for(instructions),
                instructions.name())]),
            ],
        };
        unsafe { ::squeeze::Simulation::builder(fractal(), rule()).kernels(given) }
    }
    /// `heat`: 2 steps of 25 micro cells in all lanes.
    ///
    /// 7.14 operations a cell and step; in all 0 on bits and 357 on numbers (a draw is one), 25 loads of own columns and 8 of neighbours', 25 stores, at most 18 values live at once.
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
                let difference_8 = own_0 - halo_above_24;
                let halo_above_22 = F32::<S>::load(above_u, 22 * STRIDE + lane);
                let difference_9 = halo_above_22 - halo_above_24;
                let sum_8 = zero + difference_9;
                let sum_9 = sum_8 + difference_8;
                let product_2 = alpha * sum_9;
                let sum_10 = halo_above_24 + product_2;
                let difference_10 = sum_10 - sum_2;
                let sum_11 = zero.add_where(above_exists, difference_10);
                let sum_12 = sum_11 + difference_7;
                let product_3 = alpha * sum_12;
                let sum_13 = sum_2 + product_3;
                let sum_14 = sum_13.canonical();
                sum_14.store(new_u, lane);
                let difference_11 = own_2 - own_1;
                let sum_15 = zero + difference_11;
                let product_4 = alpha * sum_15;
                let sum_16 = own_1 + product_4;
                let difference_12 = sum_7 - sum_16;
                let sum_17 = zero + difference_12;
                let product_5 = alpha * sum_17;
                let sum_18 = sum_16 + product_5;
                let sum_19 = sum_18.canonical();
                sum_19.store(new_u, STRIDE + lane);
                let own_10 = F32::<S>::load_own(own_u, 10 * STRIDE + lane);
                let difference_13 = own_10 - own_4;
                let difference_14 = own_2 - own_4;
                let sum_20 = zero + difference_14;
                let sum_21 = sum_20 + difference_13;
                let product_6 = alpha * sum_21;
                let sum_22 = own_4 + product_6;
                let difference_15 = sum_22 - sum_7;
                let difference_16 = sum_2 - sum_7;
                let sum_23 = zero + difference_16;
                let difference_17 = sum_16 - sum_7;
                let sum_24 = sum_23 + difference_17;
                let difference_18 = own_2 - own_3;
                let sum_25 = zero + difference_18;
                let product_7 = alpha * sum_25;
                let sum_26 = own_3 + product_7;
                let difference_19 = sum_26 - sum_7;
                let sum_27 = sum_24 + difference_19;
                let sum_28 = sum_27 + difference_15;
                let product_8 = alpha * sum_28;
                let sum_29 = sum_7 + product_8;
                let sum_30 = sum_29.canonical();
                sum_30.store(new_u, 2 * STRIDE + lane);
                let difference_20 = sum_7 - sum_26;
                let sum_31 = zero + difference_20;
                let product_9 = alpha * sum_31;
                let sum_32 = sum_26 + product_9;
                let sum_33 = sum_32.canonical();
                sum_33.store(new_u, 3 * STRIDE + lane);
                let own_12 = F32::<S>::load_own(own_u, 12 * STRIDE + lane);
                let difference_21 = own_12 - own_10;
                let difference_22 = own_4 - own_10;
                let sum_34 = zero + difference_22;
                let sum_35 = sum_34 + difference_21;
                let product_10 = alpha * sum_35;
                let sum_36 = own_10 + product_10;
                let difference_23 = sum_36 - sum_22;
                let difference_24 = sum_7 - sum_22;
                let sum_37 = zero + difference_24;
                let sum_38 = sum_37 + difference_23;
                let product_11 = alpha * sum_38;
                let sum_39 = sum_22 + product_11;
                let sum_40 = sum_39.canonical();
                sum_40.store(new_u, 4 * STRIDE + lane);
                let own_7 = F32::<S>::load_own(own_u, 7 * STRIDE + lane);
                let own_6 = F32::<S>::load_own(own_u, 6 * STRIDE + lane);
                let difference_25 = own_6 - own_7;
                let own_5 = F32::<S>::load_own(own_u, 5 * STRIDE + lane);
                let difference_26 = own_5 - own_7;
                let sum_41 = zero + difference_26;
                let sum_42 = sum_41 + difference_25;
                let own_8 = F32::<S>::load_own(own_u, 8 * STRIDE + lane);
                let difference_27 = own_8 - own_7;
                let sum_43 = sum_42 + difference_27;
                let own_9 = F32::<S>::load_own(own_u, 9 * STRIDE + lane);
                let difference_28 = own_9 - own_7;
                let sum_44 = sum_43 + difference_28;
                let product_12 = alpha * sum_44;
                let sum_45 = own_7 + product_12;
                let difference_29 = own_7 - own_5;
                let sum_46 = zero + difference_29;
                let product_13 = alpha * sum_46;
                let sum_47 = own_5 + product_13;
                let difference_30 = sum_45 - sum_47;
                let sum_48 = zero + difference_30;
                let product_14 = alpha * sum_48;
                let sum_49 = sum_47 + product_14;
                let sum_50 = sum_49.canonical();
                sum_50.store(new_u, 5 * STRIDE + lane);
                let halo_left_18 = F32::<S>::load(left_u, 18 * STRIDE + lane);
                let difference_31 = halo_left_18 - own_6;
                let left_exists = Mask::<S>::load(lanes_left, 0, lane);
                let sum_51 = zero.add_where(left_exists, difference_31);
                let difference_32 = own_7 - own_6;
                let sum_52 = sum_51 + difference_32;
                let product_15 = alpha * sum_52;
                let sum_53 = own_6 + product_15;
                let difference_33 = sum_45 - sum_53;
                let difference_34 = own_6 - halo_left_18;
                let halo_left_17 = F32::<S>::load(left_u, 17 * STRIDE + lane);
                let difference_35 = halo_left_17 - halo_left_18;
                let sum_54 = zero + difference_35;
                let sum_55 = sum_54 + difference_34;
                let product_16 = alpha * sum_55;
                let sum_56 = halo_left_18 + product_16;
                let difference_36 = sum_56 - sum_53;
                let sum_57 = zero.add_where(left_exists, difference_36);
                let sum_58 = sum_57 + difference_33;
                let product_17 = alpha * sum_58;
                let sum_59 = sum_53 + product_17;
                let sum_60 = sum_59.canonical();
                sum_60.store(new_u, 6 * STRIDE + lane);
                let own_11 = F32::<S>::load_own(own_u, 11 * STRIDE + lane);
                let difference_37 = own_11 - own_8;
                let difference_38 = own_7 - own_8;
                let sum_61 = zero + difference_38;
                let sum_62 = sum_61 + difference_37;
                let product_18 = alpha * sum_62;
                let sum_63 = own_8 + product_18;
                let difference_39 = sum_63 - sum_45;
                let difference_40 = sum_53 - sum_45;
                let difference_41 = sum_47 - sum_45;
                let sum_64 = zero + difference_41;
                let sum_65 = sum_64 + difference_40;
                let sum_66 = sum_65 + difference_39;
                let difference_42 = own_7 - own_9;
                let sum_67 = zero + difference_42;
                let product_19 = alpha * sum_67;
                let sum_68 = own_9 + product_19;
                let difference_43 = sum_68 - sum_45;
                let sum_69 = sum_66 + difference_43;
                let product_20 = alpha * sum_69;
                let sum_70 = sum_45 + product_20;
                let sum_71 = sum_70.canonical();
                sum_71.store(new_u, 7 * STRIDE + lane);
                let difference_44 = own_12 - own_11;
                let difference_45 = own_8 - own_11;
                let sum_72 = zero + difference_45;
                let sum_73 = sum_72 + difference_44;
                let product_21 = alpha * sum_73;
                let sum_74 = own_11 + product_21;
                let difference_46 = sum_74 - sum_63;
                let difference_47 = sum_45 - sum_63;
                let sum_75 = zero + difference_47;
                let sum_76 = sum_75 + difference_46;
                let product_22 = alpha * sum_76;
                let sum_77 = sum_63 + product_22;
                let sum_78 = sum_77.canonical();
                sum_78.store(new_u, 8 * STRIDE + lane);
                let difference_48 = sum_45 - sum_68;
                let sum_79 = zero + difference_48;
                let product_23 = alpha * sum_79;
                let sum_80 = sum_68 + product_23;
                let sum_81 = sum_80.canonical();
                sum_81.store(new_u, 9 * STRIDE + lane);
                let difference_49 = own_11 - own_12;
                let difference_50 = own_10 - own_12;
                let sum_82 = zero + difference_50;
                let sum_83 = sum_82 + difference_49;
                let own_13 = F32::<S>::load_own(own_u, 13 * STRIDE + lane);
                let difference_51 = own_13 - own_12;
                let sum_84 = sum_83 + difference_51;
                let own_14 = F32::<S>::load_own(own_u, 14 * STRIDE + lane);
                let difference_52 = own_14 - own_12;
                let sum_85 = sum_84 + difference_52;
                let product_24 = alpha * sum_85;
                let sum_86 = own_12 + product_24;
                let difference_53 = sum_86 - sum_36;
                let difference_54 = sum_22 - sum_36;
                let sum_87 = zero + difference_54;
                let sum_88 = sum_87 + difference_53;
                let product_25 = alpha * sum_88;
                let sum_89 = sum_36 + product_25;
                let sum_90 = sum_89.canonical();
                sum_90.store(new_u, 10 * STRIDE + lane);
                let difference_55 = sum_86 - sum_74;
                let difference_56 = sum_63 - sum_74;
                let sum_91 = zero + difference_56;
                let sum_92 = sum_91 + difference_55;
                let product_26 = alpha * sum_92;
                let sum_93 = sum_74 + product_26;
                let sum_94 = sum_93.canonical();
                sum_94.store(new_u, 11 * STRIDE + lane);
                let difference_57 = sum_74 - sum_86;
                let difference_58 = sum_36 - sum_86;
                let sum_95 = zero + difference_58;
                let sum_96 = sum_95 + difference_57;
                let own_16 = F32::<S>::load_own(own_u, 16 * STRIDE + lane);
                let difference_59 = own_16 - own_13;
                let difference_60 = own_12 - own_13;
                let sum_97 = zero + difference_60;
                let sum_98 = sum_97 + difference_59;
                let product_27 = alpha * sum_98;
                let sum_99 = own_13 + product_27;
                let difference_61 = sum_99 - sum_86;
                let sum_100 = sum_96 + difference_61;
                let own_20 = F32::<S>::load_own(own_u, 20 * STRIDE + lane);
                let difference_62 = own_20 - own_14;
                let difference_63 = own_12 - own_14;
                let sum_101 = zero + difference_63;
                let sum_102 = sum_101 + difference_62;
                let product_28 = alpha * sum_102;
                let sum_103 = own_14 + product_28;
                let difference_64 = sum_103 - sum_86;
                let sum_104 = sum_100 + difference_64;
                let product_29 = alpha * sum_104;
                let sum_105 = sum_86 + product_29;
                let sum_106 = sum_105.canonical();
                sum_106.store(new_u, 12 * STRIDE + lane);
                let own_17 = F32::<S>::load_own(own_u, 17 * STRIDE + lane);
                let difference_65 = own_17 - own_16;
                let difference_66 = own_13 - own_16;
                let sum_107 = zero + difference_66;
                let sum_108 = sum_107 + difference_65;
                let product_30 = alpha * sum_108;
                let sum_109 = own_16 + product_30;
                let difference_67 = sum_109 - sum_99;
                let difference_68 = sum_86 - sum_99;
                let sum_110 = zero + difference_68;
                let sum_111 = sum_110 + difference_67;
                let product_31 = alpha * sum_111;
                let sum_112 = sum_99 + product_31;
                let sum_113 = sum_112.canonical();
                sum_113.store(new_u, 13 * STRIDE + lane);
                let own_22 = F32::<S>::load_own(own_u, 22 * STRIDE + lane);
                let difference_69 = own_22 - own_20;
                let difference_70 = own_14 - own_20;
                let sum_114 = zero + difference_70;
                let sum_115 = sum_114 + difference_69;
                let product_32 = alpha * sum_115;
                let sum_116 = own_20 + product_32;
                let difference_71 = sum_116 - sum_103;
                let difference_72 = sum_86 - sum_103;
                let sum_117 = zero + difference_72;
                let sum_118 = sum_117 + difference_71;
                let product_33 = alpha * sum_118;
                let sum_119 = sum_103 + product_33;
                let sum_120 = sum_119.canonical();
                sum_120.store(new_u, 14 * STRIDE + lane);
                let difference_73 = own_16 - own_17;
                let own_15 = F32::<S>::load_own(own_u, 15 * STRIDE + lane);
                let difference_74 = own_15 - own_17;
                let sum_121 = zero + difference_74;
                let sum_122 = sum_121 + difference_73;
                let own_18 = F32::<S>::load_own(own_u, 18 * STRIDE + lane);
                let difference_75 = own_18 - own_17;
                let sum_123 = sum_122 + difference_75;
                let own_19 = F32::<S>::load_own(own_u, 19 * STRIDE + lane);
                let difference_76 = own_19 - own_17;
                let sum_124 = sum_123 + difference_76;
                let product_34 = alpha * sum_124;
                let sum_125 = own_17 + product_34;
                let difference_77 = own_17 - own_15;
                let sum_126 = zero + difference_77;
                let product_35 = alpha * sum_126;
                let sum_127 = own_15 + product_35;
                let difference_78 = sum_125 - sum_127;
                let sum_128 = zero + difference_78;
                let product_36 = alpha * sum_128;
                let sum_129 = sum_127 + product_36;
                let sum_130 = sum_129.canonical();
                sum_130.store(new_u, 15 * STRIDE + lane);
                let difference_79 = sum_125 - sum_109;
                let difference_80 = sum_99 - sum_109;
                let sum_131 = zero + difference_80;
                let sum_132 = sum_131 + difference_79;
                let product_37 = alpha * sum_132;
                let sum_133 = sum_109 + product_37;
                let sum_134 = sum_133.canonical();
                sum_134.store(new_u, 16 * STRIDE + lane);
                let halo_right_6 = F32::<S>::load(right_u, 6 * STRIDE + lane);
                let difference_81 = halo_right_6 - own_18;
                let difference_82 = own_17 - own_18;
                let sum_135 = zero + difference_82;
                let right_exists = Mask::<S>::load(lanes_right, 0, lane);
                let sum_136 = sum_135.add_where(right_exists, difference_81);
                let product_38 = alpha * sum_136;
                let sum_137 = own_18 + product_38;
                let difference_83 = sum_137 - sum_125;
                let difference_84 = sum_109 - sum_125;
                let difference_85 = sum_127 - sum_125;
                let sum_138 = zero + difference_85;
                let sum_139 = sum_138 + difference_84;
                let sum_140 = sum_139 + difference_83;
                let difference_86 = own_17 - own_19;
                let sum_141 = zero + difference_86;
                let product_39 = alpha * sum_141;
                let sum_142 = own_19 + product_39;
                let difference_87 = sum_142 - sum_125;
                let sum_143 = sum_140 + difference_87;
                let product_40 = alpha * sum_143;
                let sum_144 = sum_125 + product_40;
                let sum_145 = sum_144.canonical();
                sum_145.store(new_u, 17 * STRIDE + lane);
                let halo_right_7 = F32::<S>::load(right_u, 7 * STRIDE + lane);
                let difference_88 = halo_right_7 - halo_right_6;
                let difference_89 = own_18 - halo_right_6;
                let sum_146 = zero + difference_89;
                let sum_147 = sum_146 + difference_88;
                let product_41 = alpha * sum_147;
                let sum_148 = halo_right_6 + product_41;
                let difference_90 = sum_148 - sum_137;
                let difference_91 = sum_125 - sum_137;
                let sum_149 = zero + difference_91;
                let sum_150 = sum_149.add_where(right_exists, difference_90);
                let product_42 = alpha * sum_150;
                let sum_151 = sum_137 + product_42;
                let sum_152 = sum_151.canonical();
                sum_152.store(new_u, 18 * STRIDE + lane);
                let difference_92 = sum_125 - sum_142;
                let sum_153 = zero + difference_92;
                let product_43 = alpha * sum_153;
                let sum_154 = sum_142 + product_43;
                let sum_155 = sum_154.canonical();
                sum_155.store(new_u, 19 * STRIDE + lane);
                let own_21 = F32::<S>::load_own(own_u, 21 * STRIDE + lane);
                let difference_93 = own_21 - own_22;
                let difference_94 = own_20 - own_22;
                let sum_156 = zero + difference_94;
                let sum_157 = sum_156 + difference_93;
                let own_23 = F32::<S>::load_own(own_u, 23 * STRIDE + lane);
                let difference_95 = own_23 - own_22;
                let sum_158 = sum_157 + difference_95;
                let own_24 = F32::<S>::load_own(own_u, 24 * STRIDE + lane);
                let difference_96 = own_24 - own_22;
                let sum_159 = sum_158 + difference_96;
                let product_44 = alpha * sum_159;
                let sum_160 = own_22 + product_44;
                let difference_97 = sum_160 - sum_116;
                let difference_98 = sum_103 - sum_116;
                let sum_161 = zero + difference_98;
                let sum_162 = sum_161 + difference_97;
                let product_45 = alpha * sum_162;
                let sum_163 = sum_116 + product_45;
                let sum_164 = sum_163.canonical();
                sum_164.store(new_u, 20 * STRIDE + lane);
                let difference_99 = own_22 - own_21;
                let sum_165 = zero + difference_99;
                let product_46 = alpha * sum_165;
                let sum_166 = own_21 + product_46;
                let difference_100 = sum_160 - sum_166;
                let sum_167 = zero + difference_100;
                let product_47 = alpha * sum_167;
                let sum_168 = sum_166 + product_47;
                let sum_169 = sum_168.canonical();
                sum_169.store(new_u, 21 * STRIDE + lane);
                let halo_below_0 = F32::<S>::load(below_u, lane);
                let difference_101 = halo_below_0 - own_24;
                let difference_102 = own_22 - own_24;
                let sum_170 = zero + difference_102;
                let below_exists = Mask::<S>::load(lanes_below, 0, lane);
                let sum_171 = sum_170.add_where(below_exists, difference_101);
                let product_48 = alpha * sum_171;
                let sum_172 = own_24 + product_48;
                let difference_103 = sum_172 - sum_160;
                let difference_104 = sum_116 - sum_160;
                let sum_173 = zero + difference_104;
                let difference_105 = sum_166 - sum_160;
                let sum_174 = sum_173 + difference_105;
                let difference_106 = own_22 - own_23;
                let sum_175 = zero + difference_106;
                let product_49 = alpha * sum_175;
                let sum_176 = own_23 + product_49;
                let difference_107 = sum_176 - sum_160;
                let sum_177 = sum_174 + difference_107;
                let sum_178 = sum_177 + difference_103;
                let product_50 = alpha * sum_178;
                let sum_179 = sum_160 + product_50;
                let sum_180 = sum_179.canonical();
                sum_180.store(new_u, 22 * STRIDE + lane);
                let difference_108 = sum_160 - sum_176;
                let sum_181 = zero + difference_108;
                let product_51 = alpha * sum_181;
                let sum_182 = sum_176 + product_51;
                let sum_183 = sum_182.canonical();
                sum_183.store(new_u, 23 * STRIDE + lane);
                let halo_below_2 = F32::<S>::load(below_u, 2 * STRIDE + lane);
                let difference_109 = halo_below_2 - halo_below_0;
                let difference_110 = own_24 - halo_below_0;
                let sum_184 = zero + difference_110;
                let sum_185 = sum_184 + difference_109;
                let product_52 = alpha * sum_185;
                let sum_186 = halo_below_0 + product_52;
                let difference_111 = sum_186 - sum_172;
                let difference_112 = sum_160 - sum_172;
                let sum_187 = zero + difference_112;
                let sum_188 = sum_187.add_where(below_exists, difference_111);
                let product_53 = alpha * sum_188;
                let sum_189 = sum_172 + product_53;
                let sum_190 = sum_189.canonical();
                sum_190.store(new_u, 24 * STRIDE + lane);
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
    /// `heat`: one step of 25 micro cells in all lanes.
    ///
    /// 7.16 operations a cell and step; in all 0 on bits and 179 on numbers (a draw is one), 25 loads of own columns and 4 of neighbours', 25 stores, at most 11 values live at once.
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
                let sum_3 = sum_2.canonical();
                sum_3.store(new_u, lane);
                let own_1 = F32::<S>::load_own(own_u, STRIDE + lane);
                let difference_3 = own_2 - own_1;
                let sum_4 = zero + difference_3;
                let product_1 = alpha * sum_4;
                let sum_5 = own_1 + product_1;
                let sum_6 = sum_5.canonical();
                sum_6.store(new_u, STRIDE + lane);
                let difference_4 = own_1 - own_2;
                let difference_5 = own_0 - own_2;
                let sum_7 = zero + difference_5;
                let sum_8 = sum_7 + difference_4;
                let own_3 = F32::<S>::load_own(own_u, 3 * STRIDE + lane);
                let difference_6 = own_3 - own_2;
                let sum_9 = sum_8 + difference_6;
                let own_4 = F32::<S>::load_own(own_u, 4 * STRIDE + lane);
                let difference_7 = own_4 - own_2;
                let sum_10 = sum_9 + difference_7;
                let product_2 = alpha * sum_10;
                let sum_11 = own_2 + product_2;
                let sum_12 = sum_11.canonical();
                sum_12.store(new_u, 2 * STRIDE + lane);
                let difference_8 = own_2 - own_3;
                let sum_13 = zero + difference_8;
                let product_3 = alpha * sum_13;
                let sum_14 = own_3 + product_3;
                let sum_15 = sum_14.canonical();
                sum_15.store(new_u, 3 * STRIDE + lane);
                let own_10 = F32::<S>::load_own(own_u, 10 * STRIDE + lane);
                let difference_9 = own_10 - own_4;
                let difference_10 = own_2 - own_4;
                let sum_16 = zero + difference_10;
                let sum_17 = sum_16 + difference_9;
                let product_4 = alpha * sum_17;
                let sum_18 = own_4 + product_4;
                let sum_19 = sum_18.canonical();
                sum_19.store(new_u, 4 * STRIDE + lane);
                let own_5 = F32::<S>::load_own(own_u, 5 * STRIDE + lane);
                let own_7 = F32::<S>::load_own(own_u, 7 * STRIDE + lane);
                let difference_11 = own_7 - own_5;
                let sum_20 = zero + difference_11;
                let product_5 = alpha * sum_20;
                let sum_21 = own_5 + product_5;
                let sum_22 = sum_21.canonical();
                sum_22.store(new_u, 5 * STRIDE + lane);
                let own_6 = F32::<S>::load_own(own_u, 6 * STRIDE + lane);
                let halo_left_18 = F32::<S>::load(left_u, 18 * STRIDE + lane);
                let difference_12 = halo_left_18 - own_6;
                let left_exists = Mask::<S>::load(lanes_left, 0, lane);
                let sum_23 = zero.add_where(left_exists, difference_12);
                let difference_13 = own_7 - own_6;
                let sum_24 = sum_23 + difference_13;
                let product_6 = alpha * sum_24;
                let sum_25 = own_6 + product_6;
                let sum_26 = sum_25.canonical();
                sum_26.store(new_u, 6 * STRIDE + lane);
                let difference_14 = own_6 - own_7;
                let difference_15 = own_5 - own_7;
                let sum_27 = zero + difference_15;
                let sum_28 = sum_27 + difference_14;
                let own_8 = F32::<S>::load_own(own_u, 8 * STRIDE + lane);
                let difference_16 = own_8 - own_7;
                let sum_29 = sum_28 + difference_16;
                let own_9 = F32::<S>::load_own(own_u, 9 * STRIDE + lane);
                let difference_17 = own_9 - own_7;
                let sum_30 = sum_29 + difference_17;
                let product_7 = alpha * sum_30;
                let sum_31 = own_7 + product_7;
                let sum_32 = sum_31.canonical();
                sum_32.store(new_u, 7 * STRIDE + lane);
                let own_11 = F32::<S>::load_own(own_u, 11 * STRIDE + lane);
                let difference_18 = own_11 - own_8;
                let difference_19 = own_7 - own_8;
                let sum_33 = zero + difference_19;
                let sum_34 = sum_33 + difference_18;
                let product_8 = alpha * sum_34;
                let sum_35 = own_8 + product_8;
                let sum_36 = sum_35.canonical();
                sum_36.store(new_u, 8 * STRIDE + lane);
                let difference_20 = own_7 - own_9;
                let sum_37 = zero + difference_20;
                let product_9 = alpha * sum_37;
                let sum_38 = own_9 + product_9;
                let sum_39 = sum_38.canonical();
                sum_39.store(new_u, 9 * STRIDE + lane);
                let own_12 = F32::<S>::load_own(own_u, 12 * STRIDE + lane);
                let difference_21 = own_12 - own_10;
                let difference_22 = own_4 - own_10;
                let sum_40 = zero + difference_22;
                let sum_41 = sum_40 + difference_21;
                let product_10 = alpha * sum_41;
                let sum_42 = own_10 + product_10;
                let sum_43 = sum_42.canonical();
                sum_43.store(new_u, 10 * STRIDE + lane);
                let difference_23 = own_12 - own_11;
                let difference_24 = own_8 - own_11;
                let sum_44 = zero + difference_24;
                let sum_45 = sum_44 + difference_23;
                let product_11 = alpha * sum_45;
                let sum_46 = own_11 + product_11;
                let sum_47 = sum_46.canonical();
                sum_47.store(new_u, 11 * STRIDE + lane);
                let difference_25 = own_11 - own_12;
                let difference_26 = own_10 - own_12;
                let sum_48 = zero + difference_26;
                let sum_49 = sum_48 + difference_25;
                let own_13 = F32::<S>::load_own(own_u, 13 * STRIDE + lane);
                let difference_27 = own_13 - own_12;
                let sum_50 = sum_49 + difference_27;
                let own_14 = F32::<S>::load_own(own_u, 14 * STRIDE + lane);
                let difference_28 = own_14 - own_12;
                let sum_51 = sum_50 + difference_28;
                let product_12 = alpha * sum_51;
                let sum_52 = own_12 + product_12;
                let sum_53 = sum_52.canonical();
                sum_53.store(new_u, 12 * STRIDE + lane);
                let own_16 = F32::<S>::load_own(own_u, 16 * STRIDE + lane);
                let difference_29 = own_16 - own_13;
                let difference_30 = own_12 - own_13;
                let sum_54 = zero + difference_30;
                let sum_55 = sum_54 + difference_29;
                let product_13 = alpha * sum_55;
                let sum_56 = own_13 + product_13;
                let sum_57 = sum_56.canonical();
                sum_57.store(new_u, 13 * STRIDE + lane);
                let own_20 = F32::<S>::load_own(own_u, 20 * STRIDE + lane);
                let difference_31 = own_20 - own_14;
                let difference_32 = own_12 - own_14;
                let sum_58 = zero + difference_32;
                let sum_59 = sum_58 + difference_31;
                let product_14 = alpha * sum_59;
                let sum_60 = own_14 + product_14;
                let sum_61 = sum_60.canonical();
                sum_61.store(new_u, 14 * STRIDE + lane);
                let own_15 = F32::<S>::load_own(own_u, 15 * STRIDE + lane);
                let own_17 = F32::<S>::load_own(own_u, 17 * STRIDE + lane);
                let difference_33 = own_17 - own_15;
                let sum_62 = zero + difference_33;
                let product_15 = alpha * sum_62;
                let sum_63 = own_15 + product_15;
                let sum_64 = sum_63.canonical();
                sum_64.store(new_u, 15 * STRIDE + lane);
                let difference_34 = own_17 - own_16;
                let difference_35 = own_13 - own_16;
                let sum_65 = zero + difference_35;
                let sum_66 = sum_65 + difference_34;
                let product_16 = alpha * sum_66;
                let sum_67 = own_16 + product_16;
                let sum_68 = sum_67.canonical();
                sum_68.store(new_u, 16 * STRIDE + lane);
                let difference_36 = own_16 - own_17;
                let difference_37 = own_15 - own_17;
                let sum_69 = zero + difference_37;
                let sum_70 = sum_69 + difference_36;
                let own_18 = F32::<S>::load_own(own_u, 18 * STRIDE + lane);
                let difference_38 = own_18 - own_17;
                let sum_71 = sum_70 + difference_38;
                let own_19 = F32::<S>::load_own(own_u, 19 * STRIDE + lane);
                let difference_39 = own_19 - own_17;
                let sum_72 = sum_71 + difference_39;
                let product_17 = alpha * sum_72;
                let sum_73 = own_17 + product_17;
                let sum_74 = sum_73.canonical();
                sum_74.store(new_u, 17 * STRIDE + lane);
                let halo_right_6 = F32::<S>::load(right_u, 6 * STRIDE + lane);
                let difference_40 = halo_right_6 - own_18;
                let difference_41 = own_17 - own_18;
                let sum_75 = zero + difference_41;
                let right_exists = Mask::<S>::load(lanes_right, 0, lane);
                let sum_76 = sum_75.add_where(right_exists, difference_40);
                let product_18 = alpha * sum_76;
                let sum_77 = own_18 + product_18;
                let sum_78 = sum_77.canonical();
                sum_78.store(new_u, 18 * STRIDE + lane);
                let difference_42 = own_17 - own_19;
                let sum_79 = zero + difference_42;
                let product_19 = alpha * sum_79;
                let sum_80 = own_19 + product_19;
                let sum_81 = sum_80.canonical();
                sum_81.store(new_u, 19 * STRIDE + lane);
                let own_22 = F32::<S>::load_own(own_u, 22 * STRIDE + lane);
                let difference_43 = own_22 - own_20;
                let difference_44 = own_14 - own_20;
                let sum_82 = zero + difference_44;
                let sum_83 = sum_82 + difference_43;
                let product_20 = alpha * sum_83;
                let sum_84 = own_20 + product_20;
                let sum_85 = sum_84.canonical();
                sum_85.store(new_u, 20 * STRIDE + lane);
                let own_21 = F32::<S>::load_own(own_u, 21 * STRIDE + lane);
                let difference_45 = own_22 - own_21;
                let sum_86 = zero + difference_45;
                let product_21 = alpha * sum_86;
                let sum_87 = own_21 + product_21;
                let sum_88 = sum_87.canonical();
                sum_88.store(new_u, 21 * STRIDE + lane);
                let difference_46 = own_21 - own_22;
                let difference_47 = own_20 - own_22;
                let sum_89 = zero + difference_47;
                let sum_90 = sum_89 + difference_46;
                let own_23 = F32::<S>::load_own(own_u, 23 * STRIDE + lane);
                let difference_48 = own_23 - own_22;
                let sum_91 = sum_90 + difference_48;
                let own_24 = F32::<S>::load_own(own_u, 24 * STRIDE + lane);
                let difference_49 = own_24 - own_22;
                let sum_92 = sum_91 + difference_49;
                let product_22 = alpha * sum_92;
                let sum_93 = own_22 + product_22;
                let sum_94 = sum_93.canonical();
                sum_94.store(new_u, 22 * STRIDE + lane);
                let difference_50 = own_22 - own_23;
                let sum_95 = zero + difference_50;
                let product_23 = alpha * sum_95;
                let sum_96 = own_23 + product_23;
                let sum_97 = sum_96.canonical();
                sum_97.store(new_u, 23 * STRIDE + lane);
                let halo_below_0 = F32::<S>::load(below_u, lane);
                let difference_51 = halo_below_0 - own_24;
                let difference_52 = own_22 - own_24;
                let sum_98 = zero + difference_52;
                let below_exists = Mask::<S>::load(lanes_below, 0, lane);
                let sum_99 = sum_98.add_where(below_exists, difference_51);
                let product_24 = alpha * sum_99;
                let sum_100 = own_24 + product_24;
                let sum_101 = sum_100.canonical();
                sum_101.store(new_u, 24 * STRIDE + lane);
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
}
