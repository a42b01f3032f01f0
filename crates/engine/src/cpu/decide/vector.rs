//! Vectors of words of 64 bits, of several lengths.

/// Some words of 64 bits on which the same is done. Every function is inlined where the instructions that it needs are enabled.
pub(super) trait Vector: Copy {
    /// How many words.
    const LENGTH: usize;

    /// The same word everywhere.
    fn splat(word: u64) -> Self;

    /// The first bytes of a slice, the lowest of a word first.
    fn load(bytes: &[u8]) -> Self;

    /// In the order in which [`interleave`](Self::interleave) needs the results.
    fn for_interleaving(self) -> Self;

    /// Writes the first bytes of a slice.
    fn store(self, bytes: &mut [u8]);

    /// The product of the lower halves of each word.
    fn multiply(self, other: Self) -> Self;

    /// The upper half of each word, as its lower half; the new upper half is 0.
    fn high(self) -> Self;

    /// The lower halves of these words, and as upper halves the lower halves of others.
    fn with_high(self, other: Self) -> Self;

    /// `a ^ b`
    fn xor(self, b: Self) -> Self;

    /// `a ^ b ^ c`
    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        self.xor(b.xor(c))
    }

    /// `a | b`
    fn or(self, b: Self) -> Self;

    /// `a & b`
    fn and(self, b: Self) -> Self;

    /// `a & !b`
    fn and_not(self, b: Self) -> Self;

    /// `a & !(b ^ c)`
    #[inline(always)]
    fn and_equal(self, b: Self, c: Self) -> Self {
        self.and_not(b.xor(c))
    }

    /// Whether any bit is set.
    fn any(self) -> bool;

    /// First and second words by turns: those of the words loaded first, then the others.
    fn interleave(first: Self, second: Self) -> [Self; 2];
}

impl Vector for u64 {
    const LENGTH: usize = 1;

    #[inline(always)]
    fn splat(word: u64) -> u64 {
        word
    }

    #[inline(always)]
    fn load(bytes: &[u8]) -> u64 {
        u64::from_le_bytes(*bytes.first_chunk().expect("eight bytes"))
    }

    #[inline(always)]
    fn for_interleaving(self) -> u64 {
        self
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        *bytes.first_chunk_mut().expect("eight bytes") = self.to_le_bytes();
    }

    #[inline(always)]
    fn multiply(self, other: u64) -> u64 {
        u64::from(self as u32) * u64::from(other as u32)
    }

    #[inline(always)]
    fn high(self) -> u64 {
        self >> 32
    }

    #[inline(always)]
    fn with_high(self, other: u64) -> u64 {
        self & 0xffff_ffff | other << 32
    }

    #[inline(always)]
    fn xor(self, b: u64) -> u64 {
        self ^ b
    }

    #[inline(always)]
    fn or(self, b: u64) -> u64 {
        self | b
    }

    #[inline(always)]
    fn and(self, b: u64) -> u64 {
        self & b
    }

    #[inline(always)]
    fn and_not(self, b: u64) -> u64 {
        self & !b
    }

    #[inline(always)]
    fn any(self) -> bool {
        self != 0
    }

    #[inline(always)]
    fn interleave(first: u64, second: u64) -> [u64; 2] {
        [first, second]
    }
}

#[cfg(all(target_arch = "x86_64", unix))]
pub(super) use x86::{Eight, Four};

#[cfg(all(target_arch = "x86_64", unix))]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;

    /// A vector in a register, and the instructions for each function.
    macro_rules! vector {
        (
            $(#[$about:meta])* $name:ident($register:ty) of $length:literal words: $load:ident, $store:ident;
            $(fn $function:ident($($operand:ident: $ty:ty),*) -> $result:ty { $value:expr })*
        ) => {
            $(#[$about])*
            #[derive(Clone, Copy)]
            pub(crate) struct $name($register);

            impl Vector for $name {
                const LENGTH: usize = $length;

                #[inline(always)]
                fn load(bytes: &[u8]) -> $name {
                    let bytes: &[u8; 8 * $length] = bytes.first_chunk().expect("a vector");
                    // SAFETY: only code for which the type's instructions are enabled names it, and the array has the bytes of a vector.
                    $name(unsafe { $load(bytes.as_ptr().cast()) })
                }

                #[inline(always)]
                fn store(self, bytes: &mut [u8]) {
                    let bytes: &mut [u8; 8 * $length] = bytes.first_chunk_mut().expect("a vector");
                    // SAFETY: as above.
                    unsafe { $store(bytes.as_mut_ptr().cast(), self.0) }
                }

                $(
                    #[inline(always)]
                    fn $function($($operand: $ty),*) -> $result {
                        // SAFETY: only code for which the type's instructions are enabled names it.
                        unsafe { $value }
                    }
                )*
            }
        };
    }

    vector! {
        /// Four words: AVX2.
        Four(__m256i) of 4 words: _mm256_loadu_si256, _mm256_storeu_si256;
        fn splat(word: u64) -> Four { Four(_mm256_set1_epi64x(word as i64)) }
        fn for_interleaving(self: Four) -> Four { Four(_mm256_permute4x64_epi64::<0b11_01_10_00>(self.0)) }
        fn multiply(self: Four, other: Four) -> Four { Four(_mm256_mul_epu32(self.0, other.0)) }
        fn high(self: Four) -> Four { Four(_mm256_srli_epi64::<32>(self.0)) }
        fn with_high(self: Four, other: Four) -> Four {
            Four(_mm256_blend_epi32::<0b1010_1010>(self.0, _mm256_slli_epi64::<32>(other.0)))
        }
        fn xor(self: Four, b: Four) -> Four { Four(_mm256_xor_si256(self.0, b.0)) }
        fn or(self: Four, b: Four) -> Four { Four(_mm256_or_si256(self.0, b.0)) }
        fn and(self: Four, b: Four) -> Four { Four(_mm256_and_si256(self.0, b.0)) }
        fn and_not(self: Four, b: Four) -> Four { Four(_mm256_andnot_si256(b.0, self.0)) }
        fn any(self: Four) -> bool { _mm256_testz_si256(self.0, self.0) == 0 }
        fn interleave(first: Four, second: Four) -> [Four; 2] {
            [Four(_mm256_unpacklo_epi64(first.0, second.0)), Four(_mm256_unpackhi_epi64(first.0, second.0))]
        }
    }

    vector! {
        /// Eight words: AVX-512 F.
        Eight(__m512i) of 8 words: _mm512_loadu_si512, _mm512_storeu_si512;
        fn splat(word: u64) -> Eight { Eight(_mm512_set1_epi64(word as i64)) }
        fn for_interleaving(self: Eight) -> Eight {
            Eight(_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), self.0))
        }
        fn multiply(self: Eight, other: Eight) -> Eight { Eight(_mm512_mul_epu32(self.0, other.0)) }
        fn high(self: Eight) -> Eight { Eight(_mm512_srli_epi64::<32>(self.0)) }
        // Odd halves of words come from the even halves of the other.
        fn with_high(self: Eight, other: Eight) -> Eight {
            Eight(_mm512_mask_shuffle_epi32::<0b10_10_00_00>(self.0, 0xaaaa, other.0))
        }
        fn xor(self: Eight, b: Eight) -> Eight { Eight(_mm512_xor_si512(self.0, b.0)) }
        fn or(self: Eight, b: Eight) -> Eight { Eight(_mm512_or_si512(self.0, b.0)) }
        fn and(self: Eight, b: Eight) -> Eight { Eight(_mm512_and_si512(self.0, b.0)) }
        fn and_not(self: Eight, b: Eight) -> Eight { Eight(_mm512_andnot_si512(b.0, self.0)) }
        fn any(self: Eight) -> bool { _mm512_test_epi64_mask(self.0, self.0) != 0 }
        fn interleave(first: Eight, second: Eight) -> [Eight; 2] {
            [Eight(_mm512_unpacklo_epi64(first.0, second.0)), Eight(_mm512_unpackhi_epi64(first.0, second.0))]
        }
    }
}
