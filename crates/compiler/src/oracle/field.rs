//! One state's values on the expanded grid.

use crate::ir::{Type, Value};
use std::collections::TryReserveError;

/// An array with one value per place, as many bytes each as its type has; holes stay zero and are never read.
#[derive(Clone, Debug)]
pub(super) struct ExpandedField {
    ty: Type,
    /// Bytes of a value.
    width: usize,
    bytes: Vec<u8>,
}

impl ExpandedField {
    /// Zeros.
    pub(super) fn zeros(ty: Type, places: u64) -> Result<ExpandedField, TryReserveError> {
        Ok(ExpandedField { ty, width: ty.bytes() as usize, bytes: zeros(places.saturating_mul(ty.bytes()))? })
    }

    /// Makes all values zero.
    pub(super) fn clear(&mut self) {
        self.bytes.fill(0);
    }

    /// The value at a place.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Value {
        let bytes = &self.bytes[place * self.width..][..self.width];
        let bits = match *bytes {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            _ => u64::from_le_bytes(bytes.try_into().expect("all other types have eight bytes")),
        };
        Value::from_bits(self.ty, bits)
    }

    /// Stores a value of the field's type; [`Value::bits`] makes every NaN the one quiet NaN.
    pub(super) fn set(&mut self, place: usize, value: Value) {
        debug_assert_eq!(value.ty(), self.ty, "a value is stored in a field of its type");
        let bits = value.bits().to_le_bytes();
        self.bytes[place * self.width..][..self.width].copy_from_slice(&bits[..self.width]);
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
