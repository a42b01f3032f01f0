//! Constant tables: lists of numbers that are looked up in memory.

use super::digest::mix;
use super::scalar::canonical;
use super::value::{Type, Value};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A list of one value or more, all of one type. Clones share its memory.
#[derive(Clone, PartialEq, Eq)]
pub struct ConstTable {
    ty: Type,
    /// The values' bits, each in the bytes of its type, the lowest first.
    bytes: Arc<[u8]>,
    /// Of the bytes: what is compared often is not hashed as often.
    digest: u64,
}

impl ConstTable {
    /// Of these values, as they are stored: a NaN is the one quiet NaN.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(values: &[Value]) -> ConstTable {
        let ty = values[0].ty();
        let bytes_of = |value: &Value| canonical(*value).bits().to_le_bytes().into_iter().take(ty.bytes() as usize);
        let bytes: Arc<[u8]> = values.iter().flat_map(bytes_of).collect();
        let digest = bytes.iter().fold(bytes.len() as u64, |digest, byte| mix(digest ^ u64::from(*byte)));
        ConstTable { ty, bytes, digest }
    }

    /// The type of its values.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// The number of the last value.
    pub fn last(&self) -> i32 {
        (self.bytes.len() / self.ty.bytes() as usize - 1) as i32
    }

    /// The values' bits one behind the other, each in the bytes of the type, the lowest byte first.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The value with a number; below the first it is the first, beyond the last the last.
    pub fn at(&self, number: i128) -> Value {
        let (size, number) = (self.ty.bytes() as usize, number.clamp(0, i128::from(self.last())) as usize);
        let mut bits = [0; 8];
        bits[..size].copy_from_slice(&self.bytes[number * size..][..size]);
        Value::from_bits(self.ty, u64::from_le_bytes(bits))
    }

    /// All values.
    pub(crate) fn values(&self) -> impl Iterator<Item = Value> {
        (0..=self.last()).map(|number| self.at(number.into()))
    }
}

impl Hash for ConstTable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.ty, self.digest).hash(state);
    }
}

/// The type and the length: tables are long.
impl std::fmt::Debug for ConstTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values of {:?}", i64::from(self.last()) + 1, self.ty)
    }
}
