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

/// A set of instructions, by the vectors that it has and what can be done with them. In functions that have the instructions everything is
/// inlined.
///
/// # Safety
/// Of all functions: the processor has the instructions. Those of [`Portable`] every processor has.
///
/// Names begin with what they work on: `m` masks, `i` integers, `l` those of 64 bits, `s` floats of single, `d` of double width.
#[allow(missing_docs, clippy::missing_safety_doc)]
pub trait Set: Copy {
    /// The lanes of a vector: 1, 8 or 16.
    const LANES: usize;
    /// One bit a lane.
    type Mask: Copy;
    /// 32 bits a lane.
    type Int: Copy;
    /// 64 bits a lane.
    type Long: Copy;
    /// One `f32` a lane.
    type Single: Copy;
    /// One `f64` a lane.
    type Double: Copy;

    unsafe fn m_splat(bit: bool) -> Self::Mask;
    /// The bits of lanes from one on, of those that begin at a place.
    unsafe fn m_load(from: *const u8, lane: usize) -> Self::Mask;
    unsafe fn m_store(a: Self::Mask, to: *mut u8, lane: usize);
    unsafe fn m_and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    unsafe fn m_or(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    unsafe fn m_xor(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    unsafe fn i_splat(v: i32) -> Self::Int;
    unsafe fn i_load(from: *const i32) -> Self::Int;
    unsafe fn i_store(a: Self::Int, to: *mut i32);
    unsafe fn i_load_bytes(from: *const u8) -> Self::Int;
    unsafe fn i_store_bytes(a: Self::Int, to: *mut u8);
    unsafe fn i_load_shorts(from: *const u16) -> Self::Int;
    unsafe fn i_store_shorts(a: Self::Int, to: *mut u16);
    unsafe fn i_add(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn i_sub(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn i_mul(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn i_and(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn i_or(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn i_xor(a: Self::Int, b: Self::Int) -> Self::Int;
    /// Counts are below 32.
    unsafe fn i_left(a: Self::Int, count: Self::Int) -> Self::Int;
    unsafe fn i_right(a: Self::Int, count: Self::Int) -> Self::Int;
    unsafe fn i_right_signed(a: Self::Int, count: Self::Int) -> Self::Int;
    unsafe fn i_equals(a: Self::Int, b: Self::Int) -> Self::Mask;
    unsafe fn i_less(a: Self::Int, b: Self::Int) -> Self::Mask;
    unsafe fn i_less_unsigned(a: Self::Int, b: Self::Int) -> Self::Mask;
    unsafe fn i_select(m: Self::Mask, a: Self::Int, b: Self::Int) -> Self::Int;

    unsafe fn l_splat(v: i64) -> Self::Long;
    unsafe fn l_load(from: *const i64) -> Self::Long;
    unsafe fn l_store(a: Self::Long, to: *mut i64);
    unsafe fn l_add(a: Self::Long, b: Self::Long) -> Self::Long;
    unsafe fn l_sub(a: Self::Long, b: Self::Long) -> Self::Long;
    unsafe fn l_and(a: Self::Long, b: Self::Long) -> Self::Long;
    unsafe fn l_or(a: Self::Long, b: Self::Long) -> Self::Long;
    unsafe fn l_xor(a: Self::Long, b: Self::Long) -> Self::Long;
    unsafe fn l_equals(a: Self::Long, b: Self::Long) -> Self::Mask;
    unsafe fn l_less(a: Self::Long, b: Self::Long) -> Self::Mask;
    unsafe fn l_select(m: Self::Mask, a: Self::Long, b: Self::Long) -> Self::Long;
    unsafe fn l_of_int(a: Self::Int) -> Self::Long;

    unsafe fn s_splat(v: f32) -> Self::Single;
    unsafe fn s_load(from: *const f32) -> Self::Single;
    unsafe fn s_store(a: Self::Single, to: *mut f32);
    unsafe fn s_of_bits(a: Self::Int) -> Self::Single;
    unsafe fn s_bits(a: Self::Single) -> Self::Int;
    unsafe fn s_add(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn s_sub(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn s_mul(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn s_div(a: Self::Single, b: Self::Single) -> Self::Single;
    /// `if a < b { a } else { b }`
    unsafe fn s_min(a: Self::Single, b: Self::Single) -> Self::Single;
    /// `if a > b { a } else { b }`
    unsafe fn s_max(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn s_sqrt(a: Self::Single) -> Self::Single;
    unsafe fn s_floor(a: Self::Single) -> Self::Single;
    unsafe fn s_ceil(a: Self::Single) -> Self::Single;
    unsafe fn s_equals(a: Self::Single, b: Self::Single) -> Self::Mask;
    unsafe fn s_less(a: Self::Single, b: Self::Single) -> Self::Mask;
    unsafe fn s_at_most(a: Self::Single, b: Self::Single) -> Self::Mask;
    unsafe fn s_select(m: Self::Mask, a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn s_of_int(a: Self::Int) -> Self::Single;

    unsafe fn d_splat(v: f64) -> Self::Double;
    unsafe fn d_load(from: *const f64) -> Self::Double;
    unsafe fn d_store(a: Self::Double, to: *mut f64);
    unsafe fn d_xor(a: Self::Double, b: Self::Double) -> Self::Double;
    /// `a & !b`, bit by bit.
    unsafe fn d_without(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn d_add(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn d_sub(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn d_mul(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn d_div(a: Self::Double, b: Self::Double) -> Self::Double;
    /// `if a < b { a } else { b }`
    unsafe fn d_min(a: Self::Double, b: Self::Double) -> Self::Double;
    /// `if a > b { a } else { b }`
    unsafe fn d_max(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn d_sqrt(a: Self::Double) -> Self::Double;
    unsafe fn d_floor(a: Self::Double) -> Self::Double;
    unsafe fn d_ceil(a: Self::Double) -> Self::Double;
    unsafe fn d_equals(a: Self::Double, b: Self::Double) -> Self::Mask;
    unsafe fn d_less(a: Self::Double, b: Self::Double) -> Self::Mask;
    unsafe fn d_at_most(a: Self::Double, b: Self::Double) -> Self::Mask;
    unsafe fn d_select(m: Self::Mask, a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn d_of_int(a: Self::Int) -> Self::Double;
    unsafe fn d_of_single(a: Self::Single) -> Self::Double;
    unsafe fn s_of_double(a: Self::Double) -> Self::Single;

    /// `a as u32`
    #[inline(always)]
    unsafe fn d_to_unsigned(a: Self::Double) -> Self::Int {
        lanewise!(Self; v: F64 f64 = F64(a); v as u32 => U32 u32).0
    }

    /// Tells the processor that the line of its cache with this address will be read soon, if there is an instruction for it.
    #[inline(always)]
    unsafe fn prefetch(_: *const u8) {}

    /// Where the vector after the one at `lane` begins in a column: the last one overlaps the one before, the end follows it.
    #[inline(always)]
    fn next<const COLUMN: usize>(lane: usize) -> usize {
        if lane + Self::LANES >= COLUMN { COLUMN } else { (lane + Self::LANES).min(COLUMN - Self::LANES) }
    }
}
