// Numbers for any processor: vectors of one lane. Where nothing else is in the way the compiler makes wider ones of them.

/// Functions of a set: each without what is the same for all.
macro_rules! functions {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty = $body:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($argument: $ty),*) -> $result {
            $body
        }
    )*};
}

/// Loads and stores of one lane.
macro_rules! single_places {
    ($($load:ident $store:ident $place:ty as $element:ty;)*) => {$(
        #[inline(always)]
        unsafe fn $load(from: *const $place) -> $element {
            // SAFETY: as the caller's.
            unsafe { from.read() as $element }
        }

        #[inline(always)]
        unsafe fn $store(a: $element, to: *mut $place) {
            // SAFETY: as the caller's.
            unsafe { to.write(a as $place) };
        }
    )*};
}

impl Set for Portable {
    const LANES: usize = 1;
    type Mask = bool;
    type Int = i32;
    type Long = i64;
    type Single = f32;
    type Double = f64;

    #[inline(always)]
    unsafe fn m_load(from: *const u8, lane: usize) -> bool {
        // SAFETY: as the caller's.
        unsafe { from.add(lane / 8).read() >> (lane % 8) & 1 != 0 }
    }

    #[inline(always)]
    unsafe fn m_store(a: bool, to: *mut u8, lane: usize) {
        // SAFETY: as the caller's.
        unsafe {
            let to = to.add(lane / 8);
            to.write(to.read() & !(1 << (lane % 8)) | u8::from(a) << (lane % 8));
        }
    }

    single_places! {
        i_load i_store i32 as i32;
        i_load_bytes i_store_bytes u8 as i32;
        i_load_shorts i_store_shorts u16 as i32;
        l_load l_store i64 as i64;
        s_load s_store f32 as f32;
        d_load d_store f64 as f64;
    }

    functions! {
        m_splat(bit: bool) -> bool = bit;
        m_and(a: bool, b: bool) -> bool = a & b;
        m_or(a: bool, b: bool) -> bool = a | b;
        m_xor(a: bool, b: bool) -> bool = a ^ b;
        i_splat(v: i32) -> i32 = v;
        s_splat(v: f32) -> f32 = v;
        d_splat(v: f64) -> f64 = v;
        i_add(a: i32, b: i32) -> i32 = a.wrapping_add(b);
        i_sub(a: i32, b: i32) -> i32 = a.wrapping_sub(b);
        i_mul(a: i32, b: i32) -> i32 = a.wrapping_mul(b);
        i_and(a: i32, b: i32) -> i32 = a & b;
        i_or(a: i32, b: i32) -> i32 = a | b;
        i_xor(a: i32, b: i32) -> i32 = a ^ b;
        i_left(a: i32, count: i32) -> i32 = a.wrapping_shl(count as u32);
        i_right(a: i32, count: i32) -> i32 = (a as u32).wrapping_shr(count as u32) as i32;
        i_right_signed(a: i32, count: i32) -> i32 = a.wrapping_shr(count as u32);
        i_select(m: bool, a: i32, b: i32) -> i32 = if m { a } else { b };
        l_splat(v: i64) -> i64 = v;
        l_add(a: i64, b: i64) -> i64 = a.wrapping_add(b);
        l_sub(a: i64, b: i64) -> i64 = a.wrapping_sub(b);
        l_and(a: i64, b: i64) -> i64 = a & b;
        l_or(a: i64, b: i64) -> i64 = a | b;
        l_xor(a: i64, b: i64) -> i64 = a ^ b;
        l_select(m: bool, a: i64, b: i64) -> i64 = if m { a } else { b };
        l_of_int(a: i32) -> i64 = i64::from(a);
        s_of_bits(a: i32) -> f32 = f32::from_bits(a as u32);
        s_bits(a: f32) -> i32 = a.to_bits() as i32;
        s_add(a: f32, b: f32) -> f32 = a + b;
        s_sub(a: f32, b: f32) -> f32 = a - b;
        s_mul(a: f32, b: f32) -> f32 = a * b;
        s_div(a: f32, b: f32) -> f32 = a / b;
        s_min(a: f32, b: f32) -> f32 = if a < b { a } else { b };
        s_max(a: f32, b: f32) -> f32 = if a > b { a } else { b };
        s_sqrt(a: f32) -> f32 = a.sqrt();
        s_floor(a: f32) -> f32 = a.floor();
        s_ceil(a: f32) -> f32 = a.ceil();
        s_select(m: bool, a: f32, b: f32) -> f32 = if m { a } else { b };
        s_of_int(a: i32) -> f32 = a as f32;
        d_xor(a: f64, b: f64) -> f64 = f64::from_bits(a.to_bits() ^ b.to_bits());
        d_without(a: f64, b: f64) -> f64 = f64::from_bits(a.to_bits() & !b.to_bits());
        d_add(a: f64, b: f64) -> f64 = a + b;
        d_sub(a: f64, b: f64) -> f64 = a - b;
        d_mul(a: f64, b: f64) -> f64 = a * b;
        d_div(a: f64, b: f64) -> f64 = a / b;
        d_min(a: f64, b: f64) -> f64 = if a < b { a } else { b };
        d_max(a: f64, b: f64) -> f64 = if a > b { a } else { b };
        d_sqrt(a: f64) -> f64 = a.sqrt();
        d_floor(a: f64) -> f64 = a.floor();
        d_ceil(a: f64) -> f64 = a.ceil();
        d_select(m: bool, a: f64, b: f64) -> f64 = if m { a } else { b };
        d_of_int(a: i32) -> f64 = f64::from(a);
        d_of_single(a: f32) -> f64 = f64::from(a);
        s_of_double(a: f64) -> f32 = a as f32;

        i_equals(a: i32, b: i32) -> bool = a == b;
        i_less(a: i32, b: i32) -> bool = a < b;
        i_less_unsigned(a: i32, b: i32) -> bool = (a as u32) < b as u32;
        l_equals(a: i64, b: i64) -> bool = a == b;
        l_less(a: i64, b: i64) -> bool = a < b;
        s_equals(a: f32, b: f32) -> bool = a == b;
        s_less(a: f32, b: f32) -> bool = a < b;
        s_at_most(a: f32, b: f32) -> bool = a <= b;
        d_equals(a: f64, b: f64) -> bool = a == b;
        d_less(a: f64, b: f64) -> bool = a < b;
        d_at_most(a: f64, b: f64) -> bool = a <= b;

    }
}
