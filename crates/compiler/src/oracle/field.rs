//! One state's values on the expanded grid.

use crate::ir::{Type, Value};
use std::collections::TryReserveError;

/// An array with one value per place; holes stay zero and are never read.
#[derive(Clone, Debug)]
pub(super) struct Field {
    ty: Type,
    bits: Bits,
}

/// The bits of the values, in the narrowest word that holds the type.
#[derive(Clone, Debug)]
enum Bits {
    Eight(Vec<u8>),
    ThirtyTwo(Vec<u32>),
    SixtyFour(Vec<u64>),
}

impl Field {
    /// Zeros.
    pub(super) fn zeros(ty: Type, places: u64) -> Result<Field, TryReserveError> {
        let bits = match ty.bytes() {
            1 => Bits::Eight(zeros(places)?),
            4 => Bits::ThirtyTwo(zeros(places)?),
            _ => Bits::SixtyFour(zeros(places)?),
        };
        Ok(Field { ty, bits })
    }

    /// Makes all values zero.
    pub(super) fn clear(&mut self) {
        match &mut self.bits {
            Bits::Eight(bits) => bits.fill(0),
            Bits::ThirtyTwo(bits) => bits.fill(0),
            Bits::SixtyFour(bits) => bits.fill(0),
        }
    }

    /// The value at a place.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Value {
        let bits = match &self.bits {
            Bits::Eight(bits) => u64::from(bits[place]),
            Bits::ThirtyTwo(bits) => u64::from(bits[place]),
            Bits::SixtyFour(bits) => bits[place],
        };
        Value::from_bits(self.ty, bits)
    }

    /// Stores a value of the field's type; [`Value::bits`] makes every NaN the one quiet NaN.
    pub(super) fn set(&mut self, place: usize, value: Value) {
        debug_assert_eq!(value.ty(), self.ty, "a value is stored in a field of its type");
        match &mut self.bits {
            Bits::Eight(bits) => bits[place] = value.bits() as u8,
            Bits::ThirtyTwo(bits) => bits[place] = value.bits() as u32,
            Bits::SixtyFour(bits) => bits[place] = value.bits(),
        }
    }
}

/// An array of zeros, or the error of an allocator that has no more.
pub(super) fn zeros<T: Copy + Default>(len: u64) -> Result<Vec<T>, TryReserveError> {
    // A length beyond usize cannot be reserved either, and is reported in the same way.
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let mut array = Vec::new();
    array.try_reserve_exact(len)?;
    array.resize(len, T::default());
    Ok(array)
}
