// Vectors of numbers for x86.

#[cfg(target_arch = "x86_64")]
mod numbers_x86 {
    use super::{Avx2, Avx512, Set};
    use std::arch::x86_64::*;

    /// Functions of a set by instructions.
    macro_rules! instructions {
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
    type Long512 = (__m512i, __m512i);

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
        type Long = Long512;
        type Single = __m512;
        type Double = Double512;

        instructions! {
            m_load(from: *const u8, lane: usize) -> u16 = from.add(lane / 8).cast::<u16>().read_unaligned();
            m_store(a: u16, to: *mut u8, lane: usize) -> () = to.add(lane / 8).cast::<u16>().write_unaligned(a);
            i_load(from: *const i32) -> __m512i = _mm512_loadu_si512(from.cast());
            i_store(a: __m512i, to: *mut i32) -> () = _mm512_storeu_si512(to.cast(), a);
            i_load_bytes(from: *const u8) -> __m512i = _mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast()));
            i_store_bytes(a: __m512i, to: *mut u8) -> () = _mm_storeu_si128(to.cast(), _mm512_cvtepi32_epi8(a));
            i_load_shorts(from: *const u16) -> __m512i = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast()));
            i_store_shorts(a: __m512i, to: *mut u16) -> () = _mm256_storeu_si256(to.cast(), _mm512_cvtepi32_epi16(a));
            l_load(from: *const i64) -> Long512 =
                (_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(8).cast()));
            l_store(a: Long512, to: *mut i64) -> () = {
                _mm512_storeu_si512(to.cast(), a.0);
                _mm512_storeu_si512(to.add(8).cast(), a.1);
            };
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

            l_splat(v: i64) -> Long512 = (_mm512_set1_epi64(v), _mm512_set1_epi64(v));
            l_add(a: Long512, b: Long512) -> Long512 = (_mm512_add_epi64(a.0, b.0), _mm512_add_epi64(a.1, b.1));
            l_sub(a: Long512, b: Long512) -> Long512 = (_mm512_sub_epi64(a.0, b.0), _mm512_sub_epi64(a.1, b.1));
            l_and(a: Long512, b: Long512) -> Long512 = (_mm512_and_si512(a.0, b.0), _mm512_and_si512(a.1, b.1));
            l_or(a: Long512, b: Long512) -> Long512 = (_mm512_or_si512(a.0, b.0), _mm512_or_si512(a.1, b.1));
            l_xor(a: Long512, b: Long512) -> Long512 = (_mm512_xor_si512(a.0, b.0), _mm512_xor_si512(a.1, b.1));
            l_equals(a: Long512, b: Long512) -> u16 =
                joined(_mm512_cmpeq_epi64_mask(a.0, b.0), _mm512_cmpeq_epi64_mask(a.1, b.1));
            l_less(a: Long512, b: Long512) -> u16 =
                joined(_mm512_cmplt_epi64_mask(a.0, b.0), _mm512_cmplt_epi64_mask(a.1, b.1));
            l_select(m: u16, a: Long512, b: Long512) -> Long512 =
                (_mm512_mask_blend_epi64(half!(0 m), b.0, a.0), _mm512_mask_blend_epi64(half!(1 m), b.1, a.1));
            l_of_int(a: __m512i) -> Long512 = (
                _mm512_cvtepi32_epi64(_mm512_castsi512_si256(a)),
                _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(a)),
            );

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
    type Long256 = (__m256i, __m256i);

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

    /// Unsigned integers with their top bit turned over: compared as signed ones they are in the order of unsigned ones.
    #[inline(always)]
    unsafe fn flipped(a: __m256i) -> __m256i {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_xor_si256(a, _mm256_set1_epi32(i32::MIN)) }
    }

    impl Set for Avx2 {
        const LANES: usize = 8;
        type Mask = __m256i;
        type Int = __m256i;
        type Long = Long256;
        type Single = __m256;
        type Double = Double256;

        instructions! {
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
            i_load_shorts(from: *const u16) -> __m256i = _mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast()));
            i_store_shorts(a: __m256i, to: *mut u16) -> () = _mm_storeu_si128(
                to.cast(),
                _mm_packus_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a)),
            );
            l_load(from: *const i64) -> Long256 =
                (_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(4).cast()));
            l_store(a: Long256, to: *mut i64) -> () = {
                _mm256_storeu_si256(to.cast(), a.0);
                _mm256_storeu_si256(to.add(4).cast(), a.1);
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

            l_splat(v: i64) -> Long256 = (_mm256_set1_epi64x(v), _mm256_set1_epi64x(v));
            l_add(a: Long256, b: Long256) -> Long256 = (_mm256_add_epi64(a.0, b.0), _mm256_add_epi64(a.1, b.1));
            l_sub(a: Long256, b: Long256) -> Long256 = (_mm256_sub_epi64(a.0, b.0), _mm256_sub_epi64(a.1, b.1));
            l_and(a: Long256, b: Long256) -> Long256 = (_mm256_and_si256(a.0, b.0), _mm256_and_si256(a.1, b.1));
            l_or(a: Long256, b: Long256) -> Long256 = (_mm256_or_si256(a.0, b.0), _mm256_or_si256(a.1, b.1));
            l_xor(a: Long256, b: Long256) -> Long256 = (_mm256_xor_si256(a.0, b.0), _mm256_xor_si256(a.1, b.1));
            l_equals(a: Long256, b: Long256) -> __m256i = narrowed(
                _mm256_castsi256_pd(_mm256_cmpeq_epi64(a.0, b.0)),
                _mm256_castsi256_pd(_mm256_cmpeq_epi64(a.1, b.1)),
            );
            l_less(a: Long256, b: Long256) -> __m256i = narrowed(
                _mm256_castsi256_pd(_mm256_cmpgt_epi64(b.0, a.0)),
                _mm256_castsi256_pd(_mm256_cmpgt_epi64(b.1, a.1)),
            );
            l_select(m: __m256i, a: Long256, b: Long256) -> Long256 = {
                let m = widened(m);
                (
                    _mm256_blendv_epi8(b.0, a.0, _mm256_castpd_si256(m.0)),
                    _mm256_blendv_epi8(b.1, a.1, _mm256_castpd_si256(m.1)),
                )
            };
            l_of_int(a: __m256i) -> Long256 =
                (_mm256_cvtepi32_epi64(_mm256_castsi256_si128(a)), _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(a)));

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
