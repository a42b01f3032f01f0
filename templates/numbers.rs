// Numbers of emitted kernels: vectors of as many lanes as a register has. A value exists only where the processor has the
// instructions of its set: the maker of the first one checks that.

/// Bits: one a lane.
#[derive(Clone, Copy)]
pub struct Mask<S: Set>(S::Mask);

impl<S: Set> Mask<S> {
    /// The same bit in all lanes.
    ///
    /// # Safety
    /// The processor has the instructions of the set.
    #[inline(always)]
    pub unsafe fn splat(bit: bool) -> Self {
        // SAFETY: as the caller's.
        Mask(unsafe { S::m_splat(bit) })
    }

    /// The bits of the lanes from one on, of a column that begins at a place of a block.
    ///
    /// # Safety
    /// The block has so many, and the processor the instructions of the set.
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
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { $body })
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
    I64 {
        Add add |a, b| S::l_add(a, b);
        Sub sub |a, b| S::l_sub(a, b);
        BitAnd bitand |a, b| S::l_and(a, b);
        BitOr bitor |a, b| S::l_or(a, b);
        BitXor bitxor |a, b| S::l_xor(a, b);
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
        // SAFETY: there are values of the set, so the processor has its instructions.
        self ^ unsafe { Mask::splat(true) }
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
            ///
            /// # Safety
            /// The processor has the instructions of the set.
            #[inline(always)]
            pub unsafe fn splat(value: $element) -> Self {
                // SAFETY: as the caller's.
                $vector(unsafe { $splat(value) })
            }

            /// # Safety
            /// So many numbers can be read there, and the processor has the instructions of the set.
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
            /// The block has so many, and the processor the instructions of the set.
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
                    // SAFETY: as the caller's; nothing is read.
                    unsafe { S::prefetch(next.wrapping_add(line)) };
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
                // SAFETY: there are values of the set, so the processor has its instructions.
                Mask(unsafe { S::$equals(self.0, other.0) })
            }

            /// `<`
            #[inline(always)]
            pub fn less(self, other: Self) -> Mask<S> {
                // SAFETY: there are values of the set, so the processor has its instructions.
                Mask(unsafe { S::$less(self.0, other.0) })
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
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { S::$select(mask.0, then.0, otherwise.0) })
            }
        }
    )*};
}

numbers! {
    /// One `u8` a lane.
    U8(Int) of u8: |v| S::i_splat(i32::from(v)), S::i_load_bytes, S::i_store_bytes, i_select, i_equals, i_less, |a, b| !b.less(a);
    /// One `u16` a lane.
    U16(Int) of u16: |v| S::i_splat(i32::from(v)), S::i_load_shorts, S::i_store_shorts, i_select, i_equals, i_less, |a, b| !b.less(a);
    /// One `i32` a lane.
    I32(Int) of i32: S::i_splat, S::i_load, S::i_store, i_select, i_equals, i_less, |a, b| !b.less(a);
    /// One `u32` a lane.
    U32(Int) of u32: |v| S::i_splat(v as i32), S::i_load, S::i_store, i_select, i_equals, i_less_unsigned, |a, b| !b.less(a);
    /// One `i64` a lane.
    I64(Long) of i64: S::l_splat, S::l_load, S::l_store, l_select, l_equals, l_less, |a, b| !b.less(a);
    /// One `f32` a lane.
    F32(Single) of f32: S::s_splat, S::s_load, S::s_store, s_select, s_equals, s_less, |a, b|
        // SAFETY: as above.
        Mask(unsafe { S::s_at_most(a.0, b.0) });
    /// One `f64` a lane.
    F64(Double) of f64: S::d_splat, S::d_load, S::d_store, d_select, d_equals, d_less, |a, b|
        // SAFETY: as above.
        Mask(unsafe { S::d_at_most(a.0, b.0) });
}

/// What vectors of integers have: everything wraps, and what is divided by 0 is 0.
macro_rules! integers {
    ($($vector:ident of $element:ident: $bits:literal $right:ident $long:expr, $single:expr, $double:expr;)*) => {$(
        impl<S: Set> $vector<S> {
            /// The low bits of wider lanes.
            ///
            /// # Safety
            /// The processor has the instructions of the set.
            #[inline(always)]
            unsafe fn wrapped(lanes: S::Int) -> Self {
                if $bits == 32 {
                    return $vector(lanes);
                }
                // SAFETY: as the caller's.
                $vector(unsafe { S::i_and(lanes, S::i_splat((1 << ($bits % 32)) - 1)) })
            }

            /// The integer with these binary digits, the lowest first.
            #[inline(always)]
            pub fn of_digits<const N: usize>(digits: [Mask<S>; N]) -> Self {
                const { assert!(N > 0, "a number has digits") };
                // SAFETY: there are values of the set, so the processor has its instructions.
                unsafe {
                    let mut sum = S::i_splat(0);
                    let mut place = 0;
                    while place < N {
                        let digit = S::i_select(digits[place].0, S::i_splat(1 << place), S::i_splat(0));
                        sum = S::i_or(sum, digit);
                        place += 1;
                    }
                    Self::wrapped(sum)
                }
            }

            /// Binary digit number `place`.
            #[inline(always)]
            pub fn digit(self, place: u32) -> Mask<S> {
                // SAFETY: there are values of the set, so the processor has its instructions.
                unsafe {
                    let digit = S::i_splat(1 << place);
                    Mask(S::i_equals(S::i_and(self.0, digit), digit))
                }
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
                // SAFETY: there are values of the set, so the processor has its instructions.
                unsafe { Self::wrapped(S::i_left(self.0, S::i_and(count.0, S::i_splat($bits - 1)))) }
            }

            /// `>>`, by a count modulo the width.
            #[inline(always)]
            pub fn shifted_right(self, count: U32<S>) -> Self {
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { S::$right(self.0, S::i_and(count.0, S::i_splat($bits - 1))) })
            }

            /// `as u8`
            #[inline(always)]
            pub fn to_u8(self) -> U8<S> {
                // SAFETY: there are values of the set, so the processor has its instructions.
                unsafe { U8::wrapped(self.0) }
            }

            /// `as u16`
            #[inline(always)]
            pub fn to_u16(self) -> U16<S> {
                // SAFETY: there are values of the set, so the processor has its instructions.
                unsafe { U16::wrapped(self.0) }
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

            /// `as i64`
            #[inline(always)]
            pub fn to_i64(self) -> I64<S> {
                $long(self)
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
                // SAFETY: there are values of the set, so the processor has its instructions.
                let zero = unsafe { Self::splat(0) };
                zero - self
            }
        }

        impl<S: Set> std::ops::Not for $vector<S> {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: there are values of the set, so the processor has its instructions.
                self ^ unsafe { Self::splat(!0) }
            }
        }
    )*};
}

integers! {
    U8 of u8: 8 i_right
        // SAFETY: as above.
        |a: U8<S>| I64(unsafe { S::l_of_int(a.0) }),
        // SAFETY: as above.
        |a: U8<S>| F32(unsafe { S::s_of_int(a.0) }),
        // SAFETY: as above.
        |a: U8<S>| F64(unsafe { S::d_of_int(a.0) });
    U16 of u16: 16 i_right
        // SAFETY: as above.
        |a: U16<S>| I64(unsafe { S::l_of_int(a.0) }),
        // SAFETY: as above.
        |a: U16<S>| F32(unsafe { S::s_of_int(a.0) }),
        // SAFETY: as above.
        |a: U16<S>| F64(unsafe { S::d_of_int(a.0) });
    I32 of i32: 32 i_right_signed
        // SAFETY: as above.
        |a: I32<S>| I64(unsafe { S::l_of_int(a.0) }),
        // SAFETY: as above.
        |a: I32<S>| F32(unsafe { S::s_of_int(a.0) }),
        // SAFETY: as above.
        |a: I32<S>| F64(unsafe { S::d_of_int(a.0) });
    U32 of u32: 32 i_right
        |a: U32<S>| lanewise!(S; v: U32 u32 = a; i64::from(v) => I64 i64),
        |a: U32<S>| lanewise!(S; v: U32 u32 = a; v as f32 => F32 f32),
        |a: U32<S>| lanewise!(S; v: U32 u32 = a; f64::from(v) => F64 f64);
}

impl<S: Set> I32<S> {
    /// The number without its sign.
    #[inline(always)]
    pub fn abs(self) -> Self {
        // SAFETY: there are values of the set, so the processor has its instructions.
        let zero = unsafe { Self::splat(0) };
        self.less(zero).select(-self, self)
    }
}

impl<S: Set> I64<S> {
    /// Binary digit number `place`.
    #[inline(always)]
    pub fn digit(self, place: u32) -> Mask<S> {
        // SAFETY: there are values of the set, so the processor has its instructions.
        let digit = unsafe { Self::splat(1 << place) };
        (self & digit).equals(digit)
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

    /// The number without its sign.
    #[inline(always)]
    pub fn abs(self) -> Self {
        // SAFETY: there are values of the set, so the processor has its instructions.
        let zero = unsafe { Self::splat(0) };
        self.less(zero).select(-self, self)
    }

    /// The quotient; 0 if the divisor is 0.
    #[inline(always)]
    pub fn divided(self, divisor: Self) -> Self {
        self.with(divisor, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) })
    }

    /// The remainder; 0 if the divisor is 0.
    #[inline(always)]
    pub fn remainder(self, divisor: Self) -> Self {
        self.with(divisor, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) })
    }

    /// `<<`, by a count modulo the width.
    #[inline(always)]
    pub fn shifted_left(self, count: U32<S>) -> Self {
        lanewise!(S; v: I64 i64 = self, n: U32 u32 = count; v.wrapping_shl(n) => I64 i64)
    }

    /// `>>`, by a count modulo the width.
    #[inline(always)]
    pub fn shifted_right(self, count: U32<S>) -> Self {
        lanewise!(S; v: I64 i64 = self, n: U32 u32 = count; v.wrapping_shr(n) => I64 i64)
    }

    /// `as u8`
    #[inline(always)]
    pub fn to_u8(self) -> U8<S> {
        lanewise!(S; v: I64 i64 = self; v as u8 => U8 u8)
    }

    /// `as u16`
    #[inline(always)]
    pub fn to_u16(self) -> U16<S> {
        lanewise!(S; v: I64 i64 = self; v as u16 => U16 u16)
    }

    /// `as i32`
    #[inline(always)]
    pub fn to_i32(self) -> I32<S> {
        lanewise!(S; v: I64 i64 = self; v as i32 => I32 i32)
    }

    /// `as u32`
    #[inline(always)]
    pub fn to_u32(self) -> U32<S> {
        lanewise!(S; v: I64 i64 = self; v as u32 => U32 u32)
    }

    /// `as f32`
    #[inline(always)]
    pub fn to_f32(self) -> F32<S> {
        lanewise!(S; v: I64 i64 = self; v as f32 => F32 f32)
    }

    /// `as f64`
    #[inline(always)]
    pub fn to_f64(self) -> F64<S> {
        lanewise!(S; v: I64 i64 = self; v as f64 => F64 f64)
    }
}

impl<S: Set> std::ops::Mul for I64<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, i64::wrapping_mul)
    }
}

impl<S: Set> std::ops::Neg for I64<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: there are values of the set, so the processor has its instructions.
        let zero = unsafe { Self::splat(0) };
        zero - self
    }
}

impl<S: Set> std::ops::Not for I64<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: there are values of the set, so the processor has its instructions.
        self ^ unsafe { Self::splat(-1) }
    }
}

/// What vectors of floats have.
macro_rules! floats {
    ($(
        $vector:ident of $element:ident: $min:ident $max:ident $sqrt:ident $floor:ident $ceil:ident, $nan:expr, |$a:ident| $negated:expr, $abs:expr;
    )*) => {$(
        impl<S: Set> $vector<S> {
            /// The same, with the one quiet NaN for every NaN.
            #[inline(always)]
            pub fn canonical(self) -> Self {
                // SAFETY: there are values of the set, so the processor has its instructions.
                let nan = unsafe { Self::splat($nan) };
                self.equals(self).select(self, nan)
            }

            /// `self + term` where the condition holds, the same elsewhere.
            #[inline(always)]
            pub fn add_where(self, condition: Mask<S>, term: Self) -> Self {
                condition.select(self + term, self)
            }

            /// `if self < other { self } else { other }`
            #[inline(always)]
            pub fn min(self, other: Self) -> Self {
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { S::$min(self.0, other.0) })
            }

            /// `if self > other { self } else { other }`
            #[inline(always)]
            pub fn max(self, other: Self) -> Self {
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { S::$max(self.0, other.0) })
            }

            /// The remainder, exactly.
            #[inline(always)]
            pub fn remainder(self, divisor: Self) -> Self {
                self.with(divisor, |a, b| a % b)
            }

            /// The square root.
            #[inline(always)]
            pub fn sqrt(self) -> Self {
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { S::$sqrt(self.0) })
            }

            /// Rounded down.
            #[inline(always)]
            pub fn floor(self) -> Self {
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { S::$floor(self.0) })
            }

            /// Rounded up.
            #[inline(always)]
            pub fn ceil(self) -> Self {
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { S::$ceil(self.0) })
            }

            /// The number without its sign.
            #[inline(always)]
            pub fn abs(self) -> Self {
                let $a = self.0;
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { $abs })
            }

            /// `as u8`
            #[inline(always)]
            pub fn to_u8(self) -> U8<S> {
                lanewise!(S; v: $vector $element = self; v as u8 => U8 u8)
            }

            /// `as u16`
            #[inline(always)]
            pub fn to_u16(self) -> U16<S> {
                lanewise!(S; v: $vector $element = self; v as u16 => U16 u16)
            }

            /// `as i64`
            #[inline(always)]
            pub fn to_i64(self) -> I64<S> {
                lanewise!(S; v: $vector $element = self; v as i64 => I64 i64)
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
                // SAFETY: there are values of the set, so the processor has its instructions.
                $vector(unsafe { $negated })
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
        // SAFETY: there are values of the set, so the processor has its instructions.
        F64(unsafe { S::d_of_single(self.0) })
    }
}

impl<S: Set> F64<S> {
    /// `as u32`
    #[inline(always)]
    pub fn to_u32(self) -> U32<S> {
        // SAFETY: there are values of the set, so the processor has its instructions.
        U32(unsafe { S::d_to_unsigned(self.0) })
    }

    /// `as f32`
    #[inline(always)]
    pub fn to_f32(self) -> F32<S> {
        // SAFETY: there are values of the set, so the processor has its instructions.
        F32(unsafe { S::s_of_double(self.0) })
    }
}

impl<S: Set> U32<S> {
    /// The chances of cells that have these random words, from a place of a call's on.
    #[inline(always)]
    pub fn chance(self, probability: F64<S>, call: &Call, place: usize) -> Mask<S> {
        // SAFETY: there are values of the set, so the processor has its instructions.
        let (all, one) = unsafe { (F64::splat(4_294_967_296.0), F64::splat(1.0)) };
        let threshold = (probability * all).to_u32();
        let below = self.less(threshold) | one.at_most(probability);
        match self.equals(threshold).bits() {
            0 => below,
            equal => below.decided(equal, probability, call, place),
        }
    }
}

impl<S: Set> Mask<S> {
    /// As a number: lane 0 is its lowest bit.
    #[inline(always)]
    fn bits(self) -> u16 {
        let mut bytes = [0; 2];
        // SAFETY: the longest mask has two bytes, and there are values of the set, so the processor has its instructions.
        unsafe { S::m_store(self.0, bytes.as_mut_ptr(), 0) };
        u16::from_le_bytes(bytes)
    }

    /// With other values in these lanes: chances that further planes decide.
    #[cold]
    fn decided(self, lanes: u16, probability: F64<S>, call: &Call, place: usize) -> Self {
        let (mut bits, mut numbers) = (self.bits(), [0.0; 16]);
        // SAFETY: no vector has more lanes.
        unsafe { probability.write(numbers.as_mut_ptr()) };
        for lane in (0..S::LANES).filter(|lane| lanes >> lane & 1 == 1) {
            // SAFETY: the lanes are cells of the call.
            let happens = unsafe { (call.chance)(call, place + lane, numbers[lane]) };
            bits = bits & !(1 << lane) | u16::from(happens) << lane;
        }
        // SAFETY: as in `bits`.
        Mask(unsafe { S::m_load(bits.to_le_bytes().as_ptr(), 0) })
    }
}
