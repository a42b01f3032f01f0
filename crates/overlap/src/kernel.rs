//! Counts the ones of `a & b`, for each row of some with each of others, by the processor's instructions.
//!
//! | kernel | counts by | rows at a time |
//! |---|---|---|
//! | [`Vpopcntdq`](CountingKernel::Vpopcntdq) | one instruction for 512 bits, in one accumulator for each pair | 4 × 4 |
//! | [`Avx512`](CountingKernel::Avx512), [`Avx2`](CountingKernel::Avx2) | Harley's and Seal's tree of carry-save adders: one count for sixteen vectors | 2 × 2 |
//! | [`Popcnt`](CountingKernel::Popcnt), [`Portable`](CountingKernel::Portable) | words of 64 bits | 2 × 2 |

/// The words of a [`CacheLine`].
pub(super) const WORDS: usize = 8;

/// 512 bits, which lie in one line of a cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct CacheLine(pub(super) [u64; WORDS]);

/// A kernel that counts equal bits of pairs of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountingKernel {
    /// AVX-512 with VPOPCNTDQ.
    Vpopcntdq,
    /// AVX-512 without it.
    Avx512,
    /// AVX2.
    Avx2,
    /// The instruction `popcnt` of x86-64.
    Popcnt,
    /// The compiler's code for any processor.
    Portable,
}

impl CountingKernel {
    /// All of them, the fastest first.
    pub const ALL: [CountingKernel; 5] = [
        CountingKernel::Vpopcntdq,
        CountingKernel::Avx512,
        CountingKernel::Avx2,
        CountingKernel::Popcnt,
        CountingKernel::Portable,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CountingKernel::Vpopcntdq => "vpopcntdq",
            CountingKernel::Avx512 => "avx512",
            CountingKernel::Avx2 => "avx2",
            CountingKernel::Popcnt => "popcnt",
            CountingKernel::Portable => "portable",
        }
    }

    /// Whether this processor has its instructions.
    pub(crate) fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            match self {
                CountingKernel::Vpopcntdq => has!("avx512f") && has!("avx512vpopcntdq"),
                CountingKernel::Avx512 => has!("avx512f") && has!("avx512bw"),
                CountingKernel::Avx2 => has!("avx2"),
                CountingKernel::Popcnt => has!("popcnt"),
                CountingKernel::Portable => true,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == CountingKernel::Portable
        }
    }

    /// The fastest that this processor has.
    pub fn best() -> CountingKernel {
        CountingKernel::ALL.into_iter().find(|kernel| kernel.is_available()).unwrap_or(CountingKernel::Portable)
    }

    /// The rows that meet as many others at a time.
    pub(super) fn tile(self) -> usize {
        match self {
            CountingKernel::Vpopcntdq => 4,
            CountingKernel::Avx512 | CountingKernel::Avx2 | CountingKernel::Popcnt | CountingKernel::Portable => 2,
        }
    }

    /// Adds the ones that each row of `a` has in common with each of `b`, in that order, to `sums`. As many rows as a
    /// [`tile`](Self::tile) has, all of one length.
    ///
    /// # Panics
    /// If the processor lacks the instructions, or there are fewer rows or sums.
    pub(super) fn count(self, a: &[&[CacheLine]], b: &[&[CacheLine]], sums: &mut [u64]) {
        let tile = self.tile();
        let length = a[0].len();
        assert!(a.len() == tile && b.len() == tile && sums.len() == tile * tile && self.is_available());
        assert!(a.iter().chain(b).all(|row| row.len() == length));
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instructions, and all rows have this length.
            CountingKernel::Vpopcntdq => unsafe { x86::vpopcntdq(a, b, length, sums) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            CountingKernel::Avx512 => each(a, b, sums, |a, b| unsafe { x86::avx512(a, b) }),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            CountingKernel::Avx2 => each(a, b, sums, |a, b| unsafe { x86::avx2(a, b) }),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            CountingKernel::Popcnt => each(a, b, sums, |a, b| unsafe { x86::popcnt(a, b) }),
            _ => each(a, b, sums, words),
        }
    }
}

/// One pair after the other.
#[inline(always)]
fn each(a: &[&[CacheLine]], b: &[&[CacheLine]], sums: &mut [u64], count: impl Fn(&[CacheLine], &[CacheLine]) -> u64) {
    for (a, sums) in a.iter().zip(sums.chunks_exact_mut(b.len())) {
        for (b, sum) in b.iter().zip(sums) {
            *sum += count(a, b);
        }
    }
}

/// Word by word.
#[inline(always)]
fn words(a: &[CacheLine], b: &[CacheLine]) -> u64 {
    let vector = |(a, b): (&CacheLine, &CacheLine)| -> u64 {
        a.0.iter().zip(&b.0).map(|(a, b)| u64::from((a & b).count_ones())).sum()
    };
    a.iter().zip(b).map(vector).sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{CacheLine, words};
    use std::arch::x86_64::*;

    /// # Safety
    /// The processor must have AVX-512 with VPOPCNTDQ, and all eight rows this length.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(crate) unsafe fn vpopcntdq(a: &[&[CacheLine]], b: &[&[CacheLine]], length: usize, sums: &mut [u64]) {
        let [a, b] = [a, b].map(|rows| [rows[0], rows[1], rows[2], rows[3]].map(|row| row.as_ptr().cast::<__m512i>()));
        let mut counts = [[_mm512_setzero_si512(); 4]; 4];
        for k in 0..length {
            // SAFETY: k is below the length of all rows, which are aligned.
            let own = unsafe { [*a[0].add(k), *a[1].add(k), *a[2].add(k), *a[3].add(k)] };
            for j in 0..4 {
                // SAFETY: as above.
                let other = unsafe { *b[j].add(k) };
                for i in 0..4 {
                    let ones = _mm512_popcnt_epi64(_mm512_and_si512(own[i], other));
                    counts[i][j] = _mm512_add_epi64(counts[i][j], ones);
                }
            }
        }
        for (count, sum) in counts.as_flattened().iter().zip(sums) {
            *sum += _mm512_reduce_add_epi64(*count) as u64;
        }
    }

    /// # Safety
    /// The processor must have AVX-512 with BW.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn avx512(a: &[CacheLine], b: &[CacheLine]) -> u64 {
        harley_seal::<Long>(a, b)
    }

    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2(a: &[CacheLine], b: &[CacheLine]) -> u64 {
        harley_seal::<Short>(a, b)
    }

    /// # Safety
    /// The processor must have `popcnt`.
    #[target_feature(enable = "popcnt")]
    pub(super) unsafe fn popcnt(a: &[CacheLine], b: &[CacheLine]) -> u64 {
        words(a, b)
    }

    /// A register of bits. Every function is inlined where the instructions that it needs are enabled.
    trait Register: Copy {
        /// How many of them are a [`CacheLine`].
        const PARTS: usize;

        /// No ones.
        fn zero() -> Self;

        /// `a & b` of the register of this number.
        ///
        /// # Safety
        /// Both must have as many.
        unsafe fn and(a: *const CacheLine, b: *const CacheLine, number: usize) -> Self;

        /// The carries and the sums of three bits each.
        fn add_bits(self, b: Self, c: Self) -> [Self; 2];

        /// The ones of each word of 64 bits.
        fn ones(self) -> Self;

        /// Twice these words, and others.
        #[inline(always)]
        fn twice_and(self, other: Self) -> Self {
            self.add_words(self).add_words(other)
        }

        /// The sum of words.
        fn add_words(self, other: Self) -> Self;

        /// The sum of all words.
        fn sum(self) -> u64;
    }

    /// The ones of `a & b`. Sixteen registers at a time go through carry-save adders, which keep the sums of weights 1, 2, 4 and 8; only what is
    /// carried to weight 16 is counted at once.
    #[inline(always)]
    fn harley_seal<R: Register>(a: &[CacheLine], b: &[CacheLine]) -> u64 {
        let count = a.len().min(b.len()) * R::PARTS;
        let (a, b) = (a.as_ptr(), b.as_ptr());
        // SAFETY: numbers stay below `count`.
        let both = |number: usize| unsafe { R::and(a, b, number) };
        let [mut ones, mut twos, mut fours, mut eights, mut sixteens] = [R::zero(); 5];
        let mut at = 0;
        while at + 16 <= count {
            // Of four registers: what they carry to weight 4.
            macro_rules! four {
                ($at:expr) => {{
                    let [first, sum] = ones.add_bits(both($at), both($at + 1));
                    let [second, sum] = sum.add_bits(both($at + 2), both($at + 3));
                    ones = sum;
                    let [carry, sum] = twos.add_bits(first, second);
                    twos = sum;
                    carry
                }};
            }
            macro_rules! eight {
                ($at:expr) => {{
                    let (first, second) = (four!($at), four!($at + 4));
                    let [carry, sum] = fours.add_bits(first, second);
                    fours = sum;
                    carry
                }};
            }
            let (first, second) = (eight!(at), eight!(at + 8));
            let [carry, sum] = eights.add_bits(first, second);
            eights = sum;
            sixteens = sixteens.add_words(carry.ones());
            at += 16;
        }
        let total = sixteens.twice_and(eights.ones()).twice_and(fours.ones()).twice_and(twos.ones());
        let mut total = total.twice_and(ones.ones());
        while at < count {
            total = total.add_words(both(at).ones());
            at += 1;
        }
        total.sum()
    }

    /// 512 bits: AVX-512 with BW.
    #[derive(Clone, Copy)]
    struct Long(__m512i);

    // SAFETY (of all blocks below): only code for which AVX-512 with BW is enabled names this type.
    impl Register for Long {
        const PARTS: usize = 1;

        #[inline(always)]
        fn zero() -> Self {
            // SAFETY: see above.
            Long(unsafe { _mm512_setzero_si512() })
        }

        #[inline(always)]
        unsafe fn and(a: *const CacheLine, b: *const CacheLine, number: usize) -> Self {
            // SAFETY: see above; the caller has as many registers.
            Long(unsafe { _mm512_and_si512(*a.cast::<__m512i>().add(number), *b.cast::<__m512i>().add(number)) })
        }

        #[inline(always)]
        fn add_bits(self, b: Self, c: Self) -> [Self; 2] {
            // SAFETY: see above.
            unsafe {
                [
                    Long(_mm512_ternarylogic_epi64(self.0, b.0, c.0, 0xe8)),
                    Long(_mm512_ternarylogic_epi64(self.0, b.0, c.0, 0x96)),
                ]
            }
        }

        #[inline(always)]
        fn ones(self) -> Self {
            // SAFETY: see above.
            unsafe {
                let table = _mm512_broadcast_i32x4(table());
                let nibble = _mm512_set1_epi8(15);
                let low = _mm512_shuffle_epi8(table, _mm512_and_si512(self.0, nibble));
                let high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(self.0, 4), nibble));
                Long(_mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512()))
            }
        }

        #[inline(always)]
        fn add_words(self, other: Self) -> Self {
            // SAFETY: see above.
            Long(unsafe { _mm512_add_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn sum(self) -> u64 {
            // SAFETY: see above.
            unsafe { _mm512_reduce_add_epi64(self.0) as u64 }
        }
    }

    /// 256 bits: AVX2.
    #[derive(Clone, Copy)]
    struct Short(__m256i);

    // SAFETY (of all blocks below): only code for which AVX2 is enabled names this type.
    impl Register for Short {
        const PARTS: usize = 2;

        #[inline(always)]
        fn zero() -> Self {
            // SAFETY: see above.
            Short(unsafe { _mm256_setzero_si256() })
        }

        #[inline(always)]
        unsafe fn and(a: *const CacheLine, b: *const CacheLine, number: usize) -> Self {
            // SAFETY: see above; the caller has as many registers.
            Short(unsafe { _mm256_and_si256(*a.cast::<__m256i>().add(number), *b.cast::<__m256i>().add(number)) })
        }

        #[inline(always)]
        fn add_bits(self, b: Self, c: Self) -> [Self; 2] {
            // SAFETY: see above.
            unsafe {
                let differ = _mm256_xor_si256(self.0, b.0);
                let both = _mm256_and_si256(self.0, b.0);
                [Short(_mm256_or_si256(both, _mm256_and_si256(differ, c.0))), Short(_mm256_xor_si256(differ, c.0))]
            }
        }

        #[inline(always)]
        fn ones(self) -> Self {
            // SAFETY: see above.
            unsafe {
                let table = _mm256_broadcastsi128_si256(table());
                let nibble = _mm256_set1_epi8(15);
                let low = _mm256_shuffle_epi8(table, _mm256_and_si256(self.0, nibble));
                let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(self.0, 4), nibble));
                Short(_mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()))
            }
        }

        #[inline(always)]
        fn add_words(self, other: Self) -> Self {
            // SAFETY: see above.
            Short(unsafe { _mm256_add_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn sum(self) -> u64 {
            let mut words = [0u64; 4];
            // SAFETY: see above; there is room for four words.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
            words.iter().sum()
        }
    }

    /// How many ones the numbers 0 to 15 have.
    #[inline(always)]
    fn table() -> __m128i {
        // SAFETY: every processor of x86-64 has SSE2.
        unsafe { _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4) }
    }
}
