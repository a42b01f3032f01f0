//! The types of Rust that values come as.

use super::error::Result;
use crate::packed::spread_all;
use squeeze_compiler::ir::Type;

/// A type of Rust that values of states come as: `bool` for bits, `u8` for `u8` and for the numbers of an enum's variants, `i32`,
/// `u32`, `f32` and `f64` for themselves.
pub trait Element: Copy + Send + 'static {
    /// Its name in messages.
    const NAME: &'static str;

    /// Whether values of this type of the language are elements of this type.
    #[doc(hidden)]
    fn is(ty: Type) -> bool;

    /// The element of a value's [bits](squeeze_compiler::ir::Value::bits).
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;

    /// The [bits](squeeze_compiler::ir::Value::bits) of the element's value.
    #[doc(hidden)]
    fn bits(self) -> u64;

    /// As many elements, which `fill` gives packed values.
    #[doc(hidden)]
    fn filled(count: u64, fill: &mut dyn FnMut(&mut [u8]) -> Result<()>) -> Result<Vec<Self>>;
}

macro_rules! elements {
    ($($ty:ty, $pattern:pat, $name:literal, $bits:ident => $from:expr, $v:ident => $to:expr, $filled:ident;)*) => {$(
        impl Element for $ty {
            const NAME: &'static str = $name;
            fn is(ty: Type) -> bool {
                matches!(ty, $pattern)
            }
            #[inline]
            fn from_bits($bits: u64) -> Self {
                $from
            }
            #[inline]
            fn bits(self) -> u64 {
                let $v = self;
                $to
            }
            fn filled(count: u64, fill: &mut dyn FnMut(&mut [u8]) -> Result<()>) -> Result<Vec<Self>> {
                $filled(count, fill)
            }
        }
    )*};
}

elements! {
    bool, Type::Bit, "bool", bits => bits == 1, v => u64::from(v), bits;
    u8, Type::U8 | Type::Enum(_), "u8", bits => bits as u8, v => u64::from(v), numbers;
    u16, Type::U16, "u16", bits => bits as u16, v => u64::from(v), numbers;
    i32, Type::I32, "i32", bits => bits as u32 as i32, v => u64::from(v as u32), numbers;
    u32, Type::U32, "u32", bits => bits as u32, v => u64::from(v), numbers;
    i64, Type::I64, "i64", bits => bits as i64, v => v as u64, numbers;
    f32, Type::F32, "f32", bits => f32::from_bits(bits as u32), v => u64::from(v.to_bits()), numbers;
    f64, Type::F64, "f64", bits => f64::from_bits(bits), v => v.to_bits(), numbers;
}

/// Numbers, whose bytes are read where they stand.
fn numbers<T: ElementNumber>(count: u64, fill: &mut dyn FnMut(&mut [u8]) -> Result<()>) -> Result<Vec<T>> {
    let mut values = vec![T::default(); count as usize];
    // SAFETY: the bytes are those of the list, and a number may have any.
    fill(unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(&values[..])) })?;
    values.iter_mut().for_each(|value| *value = value.with_host_bytes());
    Ok(values)
}

/// Bits, each in a byte.
fn bits(count: u64, fill: &mut dyn FnMut(&mut [u8]) -> Result<()>) -> Result<Vec<bool>> {
    let mut bytes = vec![0; count.div_ceil(8) as usize];
    fill(&mut bytes)?;
    let mut values = vec![false; count as usize];
    // SAFETY: the bytes are those of the list, and each becomes 0 or 1, as a `bool` is.
    spread_all(&bytes, unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) });
    Ok(values)
}

/// A number whose bytes may have any values.
trait ElementNumber: Copy + Default {
    /// The number whose bytes, the lowest first, stand in this one.
    fn with_host_bytes(self) -> Self;
}

macro_rules! number {
    ($($ty:ty)*) => {$(
        impl ElementNumber for $ty {
            fn with_host_bytes(self) -> Self {
                <$ty>::from_le_bytes(self.to_ne_bytes())
            }
        }
    )*};
}

number! { u8 u16 i32 u32 i64 f32 f64 }
