//! Counts the ones of `a & b`, for each row of some with each of others, by the processor's instructions.
//!
//! | kernel | counts by | own rows × others at a time |
//! |---|---|---|
//! | [`Vpopcntdq`](CountingKernel::Vpopcntdq) | one instruction for 512 bits, in one sum for each pair | 1 × 1 to 5 × 5 |
//! | [`Avx512`](CountingKernel::Avx512), [`Avx2`](CountingKernel::Avx2) | Harley's and Seal's tree of carry-save adders: one count for sixteen vectors | 1 × 1; 2 × 1 by AVX-512 |
//! | [`Popcnt`](CountingKernel::Popcnt), [`Portable`](CountingKernel::Portable) | words of 64 bits | 1 × 1, 2 × 4, 3 × 4 |
//!
//! The machine decides which of these shapes is taken ([`Blocking`](super::Blocking)). Counts are the same.

use super::tiles::{LineCosts, TileShape};

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

    /// The shapes of tiles that it is compiled for.
    pub(super) fn shapes(self) -> &'static [TileShape] {
        const fn of(own: usize, others: usize) -> TileShape {
            TileShape { own, others }
        }
        match self {
            CountingKernel::Vpopcntdq => const { &[of(1, 1), of(2, 2), of(3, 3), of(4, 4), of(5, 5)] },
            CountingKernel::Avx512 => const { &[of(1, 1), of(2, 1)] },
            CountingKernel::Avx2 => const { &[of(1, 1)] },
            CountingKernel::Popcnt | CountingKernel::Portable => const { &[of(1, 1), of(2, 4), of(3, 4)] },
        }
    }

    /// What it needs for a line of a pair.
    pub(super) fn costs(self) -> LineCosts {
        match self {
            CountingKernel::Vpopcntdq => {
                LineCosts { width: 512, operations: 3.0, counts: 1.0, carried: 1.0, end: 10.0 }
            }
            // For each register `a & b`, and of a round of sixteen 15 carry-save adders of two operations, and one count of eleven.
            CountingKernel::Avx512 => LineCosts { width: 512, operations: 3.6, counts: 0.0, carried: 0.5, end: 20.0 },
            // The same, with adders of five operations.
            CountingKernel::Avx2 => LineCosts { width: 256, operations: 6.4, counts: 0.0, carried: 0.5, end: 20.0 },
            CountingKernel::Popcnt => LineCosts { width: 64, operations: 3.0, counts: 1.0, carried: 0.125, end: 5.0 },
            // Without the instruction a count takes about a dozen operations.
            CountingKernel::Portable => {
                LineCosts { width: 64, operations: 14.0, counts: 0.0, carried: 0.125, end: 5.0 }
            }
        }
    }

    /// Adds the ones that each row of `a` has in common with each of `b`, in that order, to `sums`. As many rows as the shape says, all of one
    /// length.
    ///
    /// # Panics
    /// If the processor lacks the instructions, there are fewer rows or sums, or the kernel has no such shape.
    pub(super) fn count(self, shape: TileShape, a: &[&[CacheLine]], b: &[&[CacheLine]], sums: &mut [u64]) {
        let TileShape { own, others } = shape;
        let length = a[0].len();
        assert!(a.len() == own && b.len() == others && sums.len() == own * others && self.is_available());
        assert!(a.iter().chain(b).all(|row| row.len() == length));
        // Calls a function by the constants of a shape.
        macro_rules! by_shape {
            ($function:path, $($own:literal x $others:literal),+) => {
                match (own, others) {
                    $(($own, $others) => $function(rows::<$own>(a), rows::<$others>(b), sums),)+
                    _ => panic!("{} has no tiles of {own} × {others} rows", self.name()),
                }
            };
        }
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instructions, and all rows have one length.
            CountingKernel::Vpopcntdq => unsafe { by_shape!(x86::vpopcntdq, 1 x 1, 2 x 2, 3 x 3, 4 x 4, 5 x 5) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            CountingKernel::Avx512 => unsafe { by_shape!(x86::avx512, 1 x 1, 2 x 1) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            CountingKernel::Avx2 => unsafe { by_shape!(x86::avx2, 1 x 1) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            CountingKernel::Popcnt => unsafe { by_shape!(x86::popcnt, 1 x 1, 2 x 4, 3 x 4) },
            _ => by_shape!(words, 1 x 1, 2 x 4, 3 x 4),
        }
    }
}

/// These rows, whose number is known.
fn rows<'a, const N: usize>(rows: &[&'a [CacheLine]]) -> [&'a [CacheLine]; N] {
    std::array::from_fn(|i| rows[i])
}

/// Word by word: of a single pair a line at a time, so that additions do not wait for each other, and of several pairs a word of each.
#[inline(always)]
fn words<const M: usize, const N: usize>(a: [&[CacheLine]; M], b: [&[CacheLine]; N], sums: &mut [u64]) {
    let length = a.iter().chain(&b).map(|row| row.len()).min().unwrap_or(0);
    let (a, b) = (a.map(|row| &row[..length]), b.map(|row| &row[..length]));
    let mut counts = [[0u64; N]; M];
    for k in 0..length {
        if M * N == 1 {
            let ones = |i: usize| u64::from((a[0][k].0[i] & b[0][k].0[i]).count_ones());
            counts[0][0] += ((ones(0) + ones(1)) + (ones(2) + ones(3))) + ((ones(4) + ones(5)) + (ones(6) + ones(7)));
            continue;
        }
        for word in 0..WORDS {
            let own: [u64; M] = std::array::from_fn(|i| a[i][k].0[word]);
            for j in 0..N {
                let other = b[j][k].0[word];
                for i in 0..M {
                    counts[i][j] += u64::from((own[i] & other).count_ones());
                }
            }
        }
    }
    counts.as_flattened().iter().zip(sums).for_each(|(count, sum)| *sum += count);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{CacheLine, words};
    use std::arch::x86_64::*;

    /// # Safety
    /// The processor must have AVX-512 with VPOPCNTDQ, and all rows one length.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(crate) unsafe fn vpopcntdq<const M: usize, const N: usize>(
        a: [&[CacheLine]; M],
        b: [&[CacheLine]; N],
        sums: &mut [u64],
    ) {
        let length = a[0].len();
        let a = a.map(|row| row.as_ptr().cast::<__m512i>());
        let b = b.map(|row| row.as_ptr().cast::<__m512i>());
        let mut counts = [[_mm512_setzero_si512(); N]; M];
        for k in 0..length {
            // SAFETY: k is below the length of all rows, which are aligned.
            let own: [__m512i; M] = std::array::from_fn(|i| unsafe { *a[i].add(k) });
            for j in 0..N {
                // SAFETY: as above.
                let other = unsafe { *b[j].add(k) };
                for i in 0..M {
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
    /// The processor must have AVX-512 with BW, and all rows one length.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn avx512<const M: usize, const N: usize>(
        a: [&[CacheLine]; M],
        b: [&[CacheLine]; N],
        sums: &mut [u64],
    ) {
        harley_seal::<Long, M, N>(a, b, sums);
    }

    /// # Safety
    /// The processor must have AVX2, and all rows one length.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2<const M: usize, const N: usize>(
        a: [&[CacheLine]; M],
        b: [&[CacheLine]; N],
        sums: &mut [u64],
    ) {
        harley_seal::<Short, M, N>(a, b, sums);
    }

    /// # Safety
    /// The processor must have `popcnt`.
    #[target_feature(enable = "popcnt")]
    pub(super) unsafe fn popcnt<const M: usize, const N: usize>(
        a: [&[CacheLine]; M],
        b: [&[CacheLine]; N],
        sums: &mut [u64],
    ) {
        words(a, b, sums);
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
    /// carried to weight 16 is counted at once. Pairs of a tile take turns with each sixteen, which lie in the first cache then.
    #[inline(always)]
    fn harley_seal<R: Register, const M: usize, const N: usize>(
        a: [&[CacheLine]; M],
        b: [&[CacheLine]; N],
        sums: &mut [u64],
    ) {
        let count = a.iter().chain(&b).map(|row| row.len()).min().unwrap_or(0) * R::PARTS;
        let (a, b) = (a.map(<[CacheLine]>::as_ptr), b.map(<[CacheLine]>::as_ptr));
        let mut trees = [[[R::zero(); 5]; N]; M];
        let mut at = 0;
        while at + 16 <= count {
            for i in 0..M {
                for j in 0..N {
                    // SAFETY: numbers stay below `count`.
                    let both = |number: usize| unsafe { R::and(a[i], b[j], number) };
                    let [mut ones, mut twos, mut fours, eights, sixteens] = trees[i][j];
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
                    let [carry, eights] = eights.add_bits(first, second);
                    trees[i][j] = [ones, twos, fours, eights, sixteens.add_words(carry.ones())];
                }
            }
            at += 16;
        }
        for i in 0..M {
            for j in 0..N {
                let [ones, twos, fours, eights, sixteens] = trees[i][j];
                let total = sixteens.twice_and(eights.ones()).twice_and(fours.ones()).twice_and(twos.ones());
                let mut total = total.twice_and(ones.ones());
                for number in at..count {
                    // SAFETY: as above.
                    total = total.add_words(unsafe { R::and(a[i], b[j], number) }.ones());
                }
                sums[i * N + j] += total.sum();
            }
        }
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
