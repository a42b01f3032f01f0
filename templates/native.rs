// What emitted kernels are made of: vectors of bits, and columns in memory.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// A vector of bits: 32 lanes a word. A vector exists only where the processor has its instructions, which the maker of the first one checks.
pub trait Bits:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// How many words it has.
    const WORDS: usize;

    /// The same bit in all lanes.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn splat(bit: bool) -> Self;

    /// As many words as there are.
    ///
    /// # Safety
    /// `WORDS` words from `from` on can be read, and the processor has the instructions.
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
    /// The block holds the column: `COLUMN` words, or a vector, from `place` on. The processor has the instructions.
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
        // SAFETY: there is a vector, so the processor has the instructions.
        0 => unsafe { V::splat(false) },
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
        // SAFETY: as above.
        _ => unsafe { V::splat(true) },
    }
}

/// 256 bits for any processor.
#[derive(Clone, Copy)]
pub struct Portable([u64; 4]);

impl Bits for Portable {
    const WORDS: usize = 8;

    #[inline(always)]
    unsafe fn splat(bit: bool) -> Self {
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

/// Vectors of x86. Their operations are single instructions only in functions that have the features, where they are inlined.
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
                unsafe fn splat(bit: bool) -> Self {
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
                    // SAFETY: there is a vector, so the processor has the instructions.
                    self ^ unsafe { Self::splat(true) }
                }
            }
        )*};
        (@ $vector:ident $name:ident $method:ident $instruction:ident) => {
            impl $name for $vector {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: there are vectors, so the processor has the instructions.
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
                // SAFETY: there are vectors, so the processor has AVX-512 F and VL.
                Avx512Half(unsafe { _mm256_ternarylogic_epi64::<TABLE>(a.0, b.0, c.0) })
            }
        }
        /// 512 bits with AVX-512 F.
        Avx512(__m512i, 16): _mm512_set1_epi32 _mm512_loadu_si512 _mm512_storeu_si512
            _mm512_and_si512 _mm512_or_si512 _mm512_xor_si512
        {
            #[inline(always)]
            fn table<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
                // SAFETY: there are vectors, so the processor has AVX-512 F.
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
